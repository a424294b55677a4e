//! Detection of the landing pad in the image of a drone: a white H in a white ring on a dark square.
//!
//! # Law
//! Bright components give the candidates, whose area and second moments give scale and heading
//! (Saripalli, Montgomery and Sukhatme 2003, "Visually guided landing of an unmanned aerial
//! vehicle", IEEE Trans. Robotics and Automation 19(3), who detect an H by its moments). A candidate
//! is a pose of the pad with four degrees of freedom: the pad is level, and the vertical is known
//! from the attitude of the drone. Gauss-Newton steps with Levenberg's damping increase the
//! correlation of the image with the marking at the pose (Evangelidis and Psarakis 2008, "Parametric
//! image alignment using enhanced correlation coefficient maximization", IEEE PAMI 30(10)):
//! ```text
//!   ρ(θ) = Σ Ĩ(π(p + R(ψ) X_k)) T̃(X_k),   θ = (p, ψ)                            (1)
//! ```
//! with zero mean and unit norm of Ĩ and T̃ over the visible points X_k.
//!
//! # Symbols
//! I luminance of the image, proportional to light · T coverage of the marking by white paint, mean
//! over the footprint of a pixel · π projection · p centre of the pad [m], optical frame · ψ heading
//! of the pad [rad] · X points of the marking [m], pad frame.
//!
//! # Frames
//! Pad frame: origin in the centre, x forward and y left on the boat, z up. The bars of the H are
//! parallel to y.
//!
//! # Limits
//! An H looks the same after half a turn: the heading is known up to 180 degrees, and
//! [`PadPose::facing`] selects one with what is known otherwise. The tilt of the deck is neglected:
//! roll and pitch of the boat of 5 degrees move the centre by less than 1 % of the distance. The
//! marking must be at least 11 px wide.
//!
//! # Checked by
//! The tests below, `tests/rendered_pad.rs`.

use super::camera::Camera;
use super::image::linear;
use image::{GrayImage, Luma, RgbImage};
use imageproc::region_labelling::{Connectivity, connected_components};
use nalgebra::{Matrix3, Matrix4, Rotation3, Vector2, Vector3, Vector4};
use std::f64::consts::PI;
use std::ops::RangeInclusive;

/// The marking of a landing pad. The letter is 3 m high and 1.8 m wide with strokes of 0.4 m (ICAO
/// Annex 14, vol. II, 5.2.2); on a small pad the proportions are kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PadMarking {
    /// Outer diameter of the ring [m].
    pub diameter: f64,
    /// Height of the letter, the length of its bars [m].
    pub letter: f64,
    /// Stroke of the ring [m].
    pub ring: f64,
    /// Side of the dark square [m].
    pub side: f64,
}

impl PadMarking {
    /// The pad on the deck of the WAM-V.
    pub const WAMV: Self = Self {
        diameter: 1.1,
        letter: 0.55,
        ring: 0.055,
        side: 1.12,
    };

    fn letter_width(&self) -> f64 {
        0.6 * self.letter
    }

    fn stroke(&self) -> f64 {
        0.4 / 3.0 * self.letter
    }

    /// Returns the area of the letter [m²].
    fn letter_area(&self) -> f64 {
        (2.0 * self.letter + self.letter_width() - 2.0 * self.stroke()) * self.stroke()
    }

    /// Returns the part of a square of `width` [m] about a point that is white: of boxes parallel
    /// to the letter, exact for the letter and for points on the axes of the ring.
    fn coverage(&self, [x, y]: [f64; 2], width: f64) -> f64 {
        let below = |edge: f64, at: f64| ((edge - at) / width + 0.5).clamp(0.0, 1.0);
        let within = |low: f64, high: f64, at: f64| below(high, at) - below(low, at);
        let (half, stroke) = (0.5 * self.letter_width(), self.stroke());
        let tall = within(-0.5 * self.letter, 0.5 * self.letter, y);
        let bars = within(-half, stroke - half, x) + within(half - stroke, half, x);
        let cross =
            within(stroke - half, half - stroke, x) * within(-0.5 * stroke, 0.5 * stroke, y);
        let radius = (x * x + y * y).sqrt();
        let outer = 0.5 * self.diameter;
        bars * tall + cross + within(outer - self.ring, outer, radius)
    }
}

/// A pad in an image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PadPose {
    /// Centre of the pad [m], optical frame.
    pub position: Vector3<f64>,
    /// Rotation from the pad frame to the optical frame.
    pub rotation: Rotation3<f64>,
    /// Angle from the upper edge of the image to x of the pad about the vertical [rad],
    /// counter-clockwise seen from above, within -90 and 90 degrees.
    pub heading: f64,
    /// Correlation with the marking, 0 to 1.
    pub correlation: f64,
}

impl PadPose {
    /// Returns the pose turned by half a turn if that is nearer to `expected` [rad], a heading.
    #[must_use]
    pub fn facing(&self, expected: f64) -> Self {
        if (self.heading - expected).cos() >= 0.0 {
            return *self;
        }
        Self {
            rotation: self.rotation * Rotation3::from_axis_angle(&Vector3::z_axis(), PI),
            heading: wrapped(self.heading + PI),
            ..*self
        }
    }
}

/// Returns an angle within -π and π.
fn wrapped(angle: f64) -> f64 {
    angle - 2.0 * PI * (angle / (2.0 * PI)).round()
}

/// Least correlation of a pad.
const MIN_CORRELATION: f64 = 0.75;
/// Least correlation inside the ring, where only the letter is: the shape test of the H.
const MIN_LETTER_CORRELATION: f64 = 0.65;
/// Least correlation of a candidate before its pose is refined.
const MIN_COARSE_CORRELATION: f64 = 0.25;
/// Candidates that are refined.
const REFINED: usize = 10;
/// Gain of the correlation by a step after which a refinement ends.
const MIN_GAIN: f64 = 2e-5;
/// Least correlation of a candidate that is refined to the end.
const MIN_MIDDLE_CORRELATION: f64 = 0.5;
/// Candidates whose pose is refined to the end.
const FINISHED: usize = 2;
/// Areas and elongations (ratio of the second moments) of blurred and tilted letters; 0.42 and 1.46
/// for the letter itself.
const LETTER_FILL: RangeInclusive<f64> = 0.3..=0.8;
const LETTER_ELONGATION: RangeInclusive<f64> = 1.02..=2.8;
/// Largest part of its bounding box that a ring with its letter covers.
const MAX_RING_COVER: f64 = 0.7;
/// Least visible part of the marking.
const MIN_VISIBLE: f64 = 0.35;
/// Least diameter of the ring [px].
const MIN_DIAMETER_PX: f64 = 11.0;
/// Headings of a candidate without a direction of its own.
const HEADINGS: usize = 12;
/// Radius of the window of the local threshold [px], on each level of the pyramid.
const WINDOW: u32 = 9;
/// A bright pixel exceeds the mean of its window by this part of the mean.
const CONTRAST: f64 = 0.25;
/// Points along a side of the marking: of candidates, of the first and of the second refinement.
const COARSE_POINTS: usize = 20;
const FINE_POINTS: [usize; 2] = [22, 44];
/// Distances that are tried, over that of a candidate.
const SCALES: [f64; 11] = [0.7, 0.77, 0.84, 0.9, 0.95, 1.0, 1.05, 1.11, 1.19, 1.3, 1.42];
/// Gauss-Newton steps of a refinement.
const STEPS: usize = 15;

/// Luminance proportional to light, at halved resolutions.
struct Pyramid(Vec<Plane>);

struct Plane {
    width: usize,
    height: usize,
    values: Vec<f32>,
}

impl Plane {
    fn sample(&self, at: Vector2<f64>) -> Option<f64> {
        let (x, y) = (at.x.floor(), at.y.floor());
        if !(x >= 0.0 && y >= 0.0 && x + 1.0 < self.width as f64 && y + 1.0 < self.height as f64) {
            return None;
        }
        let (fx, fy) = (at.x - x, at.y - y);
        let k = y as usize * self.width + x as usize;
        let value = |k: usize| f64::from(self.values[k]);
        let upper = value(k) * (1.0 - fx) + value(k + 1) * fx;
        let lower = value(k + self.width) * (1.0 - fx) + value(k + self.width + 1) * fx;
        Some(upper * (1.0 - fy) + lower * fy)
    }

    fn halved(&self) -> Self {
        let (width, height) = (self.width / 2, self.height / 2);
        let values = (0..width * height)
            .map(|k| {
                let at = k / width * 2 * self.width + k % width * 2;
                let below = at + self.width;
                let v = &self.values;
                0.25 * (v[at] + v[at + 1] + v[below] + v[below + 1])
            })
            .collect();
        Self {
            width,
            height,
            values,
        }
    }

    /// Returns the pixels that are brighter than their surroundings.
    fn bright(&self) -> GrayImage {
        let columns = self.width + 1;
        let mut sums = vec![0.0_f64; columns * (self.height + 1)];
        for y in 0..self.height {
            let mut row = 0.0;
            for x in 0..self.width {
                row += f64::from(self.values[y * self.width + x]);
                sums[(y + 1) * columns + x + 1] = sums[y * columns + x + 1] + row;
            }
        }
        let r = WINDOW as usize;
        GrayImage::from_fn(self.width as u32, self.height as u32, |x, y| {
            let (x, y) = (x as usize, y as usize);
            let (x0, y0) = (x.saturating_sub(r), y.saturating_sub(r));
            let (x1, y1) = ((x + r + 1).min(self.width), (y + r + 1).min(self.height));
            let sum = sums[y1 * columns + x1] - sums[y0 * columns + x1] - sums[y1 * columns + x0]
                + sums[y0 * columns + x0];
            let mean = sum / ((x1 - x0) * (y1 - y0)) as f64;
            let value = f64::from(self.values[y * self.width + x]);
            Luma([if value > mean * (1.0 + CONTRAST) {
                255
            } else {
                0
            }])
        })
    }
}

impl Pyramid {
    fn of(image: &RgbImage) -> Self {
        let light: Vec<f32> = (0..=255).map(|v| linear(v) as f32).collect();
        let mut levels = vec![Plane {
            width: image.width() as usize,
            height: image.height() as usize,
            values: image
                .pixels()
                .map(|p| {
                    // luminance, IEC 61966-2-1
                    0.2126 * light[p[0] as usize]
                        + 0.7152 * light[p[1] as usize]
                        + 0.0722 * light[p[2] as usize]
                })
                .collect(),
        }];
        while levels
            .last()
            .is_some_and(|l| l.width >= 64 && l.height >= 64)
        {
            levels.push(levels[levels.len() - 1].halved());
        }
        Self(levels)
    }

    /// Returns the level on which `pixels` of the image are at most `limit` pixels.
    fn level(&self, pixels: f64, limit: f64) -> usize {
        let level = (pixels / limit).log2().ceil().max(0.0) as usize;
        level.min(self.0.len() - 1)
    }
}

/// Sums over the pixels of a component.
#[derive(Clone, Copy, Default)]
struct Component {
    area: f64,
    first: Vector2<f64>,
    /// Sums of x², y² and xy.
    second: Vector3<f64>,
    low: Vector2<f64>,
    high: Vector2<f64>,
}

impl Component {
    fn add(&mut self, x: f64, y: f64) {
        let at = Vector2::new(x, y);
        if self.area == 0.0 {
            (self.low, self.high) = (at, at);
        }
        self.area += 1.0;
        self.first += at;
        self.second += Vector3::new(x * x, y * y, x * y);
        (self.low, self.high) = (self.low.inf(&at), self.high.sup(&at));
    }
}

/// Detects a pad.
pub struct PadDetector {
    /// The marking.
    pub marking: PadMarking,
}

/// Image, camera and axes of the level plane during a detection.
struct Search<'a> {
    marking: &'a PadMarking,
    camera: &'a Camera,
    pyramid: Pyramid,
    /// Level axes in the optical frame: towards the upper edge of the image, to its left, up.
    level_axes: Matrix3<f64>,
}

impl PadDetector {
    /// Returns the pad in an image. `up` is the vertical in the optical frame, from the attitude of
    /// the drone; `range` are the least and largest distance [m] at which a pad is searched.
    ///
    /// A pad is not found if it is outside of the image, too far, or hidden by fog. The image must
    /// have the size of the camera, and `up` must not be parallel to the upper edge's direction:
    /// otherwise there is no detection either.
    #[must_use]
    pub fn detect(
        &self,
        image: &RgbImage,
        camera: &Camera,
        up: Vector3<f64>,
        range: [f64; 2],
    ) -> Option<PadPose> {
        if [image.width(), image.height()] != camera.size || camera.size.iter().any(|s| *s < 32) {
            return None;
        }
        let up = up.try_normalize(1e-6)?;
        let ahead = (-Vector3::y() + up * up.y).try_normalize(0.1)?;
        let search = Search {
            marking: &self.marking,
            camera,
            pyramid: Pyramid::of(image),
            level_axes: Matrix3::from_columns(&[ahead, up.cross(&ahead), up]),
        };
        let mut candidates = search.candidates(range);
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0));
        candidates.truncate(REFINED);
        let [coarse, fine] = FINE_POINTS;
        let mut poses: Vec<_> = candidates
            .into_iter()
            .map(|(_, pose)| search.refine(pose, coarse))
            .collect();
        poses.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (correlation, pose) = poses
            .into_iter()
            .take(FINISHED)
            .filter(|(correlation, _)| *correlation > MIN_MIDDLE_CORRELATION)
            .map(|(_, pose)| search.refine(pose, fine))
            .max_by(|a, b| a.0.total_cmp(&b.0))?;
        let is_pad = correlation >= MIN_CORRELATION
            && search.letter_correlation(&pose)? >= MIN_LETTER_CORRELATION
            && (range[0]..=range[1]).contains(&pose.xyz().norm());
        is_pad.then(|| {
            let heading = pose.w - PI * (pose.w / PI).round();
            let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), heading);
            PadPose {
                position: pose.xyz(),
                rotation: Rotation3::from_matrix_unchecked(search.level_axes) * turn,
                heading,
                correlation,
            }
        })
    }
}

impl Search<'_> {
    fn focal(&self) -> f64 {
        self.camera.focal.mean()
    }

    /// Returns the poses that bright components suggest, with their correlation.
    fn candidates(&self, range: [f64; 2]) -> Vec<(f64, Vector4<f64>)> {
        let mut found = Vec::new();
        for (level, plane) in self.pyramid.0.iter().enumerate() {
            let scale = f64::from(1_u32 << level);
            let labels = connected_components(&plane.bright(), Connectivity::Eight, Luma([0]));
            let count = labels.pixels().map(|p| p[0]).max().unwrap_or(0) as usize;
            let mut components = vec![Component::default(); count + 1];
            for (x, y, label) in labels
                .enumerate_pixels()
                .filter(|(_, _, label)| label[0] > 0)
            {
                components[label[0] as usize].add(f64::from(x), f64::from(y));
            }
            for component in components.iter().filter(|c| c.area >= 6.0) {
                self.suggest(component, scale, range, &mut found);
            }
        }
        found
    }

    /// Adds the poses for which a component is the letter, or the ring.
    fn suggest(
        &self,
        component: &Component,
        scale: f64,
        range: [f64; 2],
        found: &mut Vec<(f64, Vector4<f64>)>,
    ) {
        // components of large diameter are searched on a coarser level
        let extent = component.high - component.low + Vector2::repeat(1.0);
        if extent.max() > 6.0 * f64::from(WINDOW) {
            return;
        }
        let full = |at: Vector2<f64>| (at + Vector2::repeat(0.5)) * scale - Vector2::repeat(0.5);
        let mut suggest = |center: Vector2<f64>, distance: f64, heading: f64| {
            let is_in_range = (range[0]..=range[1]).contains(&distance)
                && self.marking.diameter * self.focal() / distance >= MIN_DIAMETER_PX;
            if let Some(ray) = self.camera.ray(full(center)).filter(|_| is_in_range) {
                let pose = (ray * distance).push(heading);
                if let Some(correlation) =
                    self.correlation(&pose, COARSE_POINTS, 0.5 * self.marking.side)
                    && correlation > MIN_COARSE_CORRELATION
                {
                    found.push((correlation, pose));
                }
            }
        };
        let mean = component.first / component.area;
        let [xx, yy, xy] = [
            component.second.x / component.area - mean.x * mean.x,
            component.second.y / component.area - mean.y * mean.y,
            component.second.z / component.area - mean.x * mean.y,
        ];
        // the letter: its area gives the distance, its long axis the heading
        let long = 0.5 * (2.0 * xy).atan2(xx - yy);
        let letter = self.focal() * (self.marking.letter_area() / component.area).sqrt() / scale;
        // The image has y down. The bars are parallel to y of the pad, to the left of its x.
        let heading = -long;
        let determinant = (xx * yy - xy * xy).max(1e-9);
        let root = (0.25 * (xx - yy) * (xx - yy) + xy * xy).sqrt();
        let elongation = (0.5 * (xx + yy) + root) / (0.5 * (xx + yy) - root).max(1e-9);
        // area over that of the ellipse with the same moments: 0.42 for the letter, and 1 for a disc
        let fill = component.area / (4.0 * PI * determinant.sqrt());
        if LETTER_FILL.contains(&fill) && LETTER_ELONGATION.contains(&elongation) {
            for scale in [0.85, 1.0, 1.18] {
                suggest(mean, scale * letter, heading);
                suggest(mean, scale * letter, heading + 0.5 * PI);
            }
        }
        // the ring, with or without the letter
        let ring = self.focal() * self.marking.diameter / (0.5 * extent.sum() * scale);
        let aspect = extent.min() / extent.max();
        let covered = component.area / (extent.x * extent.y);
        if aspect > 0.6 && covered < MAX_RING_COVER {
            let center = 0.5 * (component.low + component.high);
            for k in 0..HEADINGS {
                suggest(center, ring, PI * k as f64 / HEADINGS as f64);
            }
        }
    }

    /// Returns the luminance at points of the marking, and their coverage: those in the image.
    fn samples(&self, pose: &Vector4<f64>, points: usize, radius: f64) -> Option<Samples> {
        let (sin, cos) = pose.w.sin_cos();
        let step = 2.0 * radius / points as f64;
        let footprint = pose.z / self.focal();
        let level = self.pyramid.level(step.max(footprint) / footprint, 1.0);
        let scale = f64::from(1_u32 << level);
        let plane = &self.pyramid.0[level];
        // interpolation between pixels adds to their footprint
        let width = (1.3 * footprint * scale).max(step);
        let mut samples = Samples::default();
        for k in 0..points * points {
            let x = (k % points) as f64 * step + 0.5 * step - radius;
            let y = (k / points) as f64 * step + 0.5 * step - radius;
            if radius < 0.5 * self.marking.diameter - self.marking.ring
                && x * x + y * y > radius * radius
            {
                continue;
            }
            let level_point = Vector3::new(x * cos - y * sin, x * sin + y * cos, 0.0);
            let point = pose.xyz() + self.level_axes * level_point;
            samples.total += 1;
            let at = (self.camera.project(&point)? + Vector2::repeat(0.5)) / scale;
            if let Some(value) = plane.sample(at - Vector2::repeat(0.5)) {
                samples.image.push(value);
                samples.marking.push(self.marking.coverage([x, y], width));
                samples.index.push(k as u32);
            }
        }
        (samples.image.len() as f64 >= MIN_VISIBLE * samples.total as f64).then_some(samples)
    }

    /// Returns (1) over a square with half the side `radius` [m], or over a disc inside the ring.
    fn correlation(&self, pose: &Vector4<f64>, points: usize, radius: f64) -> Option<f64> {
        let mut samples = self.samples(pose, points, radius)?;
        samples.normalize();
        Some(samples.correlation())
    }

    fn letter_correlation(&self, pose: &Vector4<f64>) -> Option<f64> {
        let radius = 0.62 * self.marking.letter;
        self.correlation(pose, COARSE_POINTS, radius)
    }

    /// Returns the pose of largest correlation near a pose, and the correlation.
    fn refine(&self, start: Vector4<f64>, points: usize) -> (f64, Vector4<f64>) {
        self.ascend(self.scaled(start, points), points)
    }

    /// Returns the pose along the line of sight with the largest correlation: if the letter is
    /// aligned and the ring is not, small steps do not lead to it.
    fn scaled(&self, pose: Vector4<f64>, points: usize) -> Vector4<f64> {
        let radius = 0.5 * self.marking.side;
        let mut best = (f64::NEG_INFINITY, pose);
        for scale in SCALES {
            let moved = (pose.xyz() * scale).push(pose.w);
            if let Some(correlation) = self.correlation(&moved, points, radius)
                && correlation > best.0
            {
                best = (correlation, moved);
            }
        }
        best.1
    }

    fn ascend(&self, start: Vector4<f64>, points: usize) -> (f64, Vector4<f64>) {
        let radius = 0.5 * self.marking.side;
        let normalized = |pose: &Vector4<f64>| {
            let mut samples = self.samples(pose, points, radius)?;
            samples.normalize();
            Some(samples)
        };
        let mut pose = start;
        let Some(mut samples) = normalized(&pose) else {
            return (0.0, pose);
        };
        let mut correlation = samples.correlation();
        let mut damping = 1e-3;
        for _ in 0..STEPS {
            // half a pixel, or half the distance of the points
            let h = 0.5 * (pose.z / self.focal()).max(2.0 * radius / points as f64);
            let steps = Vector4::new(h, h, h * pose.z / radius, h / radius);
            let mut gradient = Vector4::zeros();
            let mut hessian = Matrix4::zeros();
            let mut slopes: Vec<Vector4<f64>> = vec![Vector4::zeros(); points * points];
            let mut seen = vec![0_u8; points * points];
            for axis in 0..4 {
                for sign in [-1.0, 1.0] {
                    let mut moved = pose;
                    moved[axis] += sign * steps[axis];
                    let Some(moved) = normalized(&moved) else {
                        return (correlation, pose);
                    };
                    for (k, value) in moved.index.iter().zip(&moved.image) {
                        slopes[*k as usize][axis] += sign * value / (2.0 * steps[axis]);
                        seen[*k as usize] += 1;
                    }
                }
            }
            for (k, (image, marking)) in samples
                .index
                .iter()
                .zip(samples.image.iter().zip(&samples.marking))
            {
                // a point that leaves the image has no slope
                if seen[*k as usize] == 8 {
                    let slope = slopes[*k as usize];
                    gradient += slope * (marking - image);
                    hessian += slope * slope.transpose();
                }
            }
            let mut damped = hessian;
            for axis in 0..4 {
                damped[(axis, axis)] *= 1.0 + damping;
            }
            let Some(step) = damped.cholesky().map(|c| c.solve(&gradient)) else {
                return (correlation, pose);
            };
            let next = pose + step;
            let is_plausible = next.z > 0.05 && next.iter().all(|v| v.is_finite());
            let after = is_plausible.then(|| normalized(&next)).flatten();
            match after.map(|s| (s.correlation(), s)) {
                Some((value, after)) if value > correlation => {
                    let gain = value - correlation;
                    (pose, samples, correlation) = (next, after, value);
                    damping = (damping * 0.2).max(1e-6);
                    if gain < MIN_GAIN {
                        break;
                    }
                }
                _ => damping *= 10.0,
            }
            if damping > 1e3 {
                break;
            }
        }
        (correlation, pose)
    }
}

#[derive(Default)]
struct Samples {
    image: Vec<f64>,
    marking: Vec<f64>,
    index: Vec<u32>,
    total: usize,
}

impl Samples {
    fn normalize(&mut self) {
        for values in [&mut self.image, &mut self.marking] {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            values.iter_mut().for_each(|v| *v -= mean);
            let norm = values.iter().map(|v| v * v).sum::<f64>().sqrt().max(1e-12);
            values.iter_mut().for_each(|v| *v /= norm);
        }
    }

    fn correlation(&self) -> f64 {
        self.image
            .iter()
            .zip(&self.marking)
            .map(|(a, b)| a * b)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws the pad at a pose on a dark ground: 16 rays per pixel.
    fn draw(camera: &Camera, up: Vector3<f64>, position: Vector3<f64>, heading: f64) -> RgbImage {
        let ahead = (-Vector3::y() + up * up.y).normalize();
        let left = up.cross(&ahead);
        let (sin, cos) = heading.sin_cos();
        let (x_axis, y_axis) = (ahead * cos + left * sin, left * cos - ahead * sin);
        let light = |pixel: Vector2<f64>| {
            let ray = camera.ray(pixel).unwrap();
            let distance = position.dot(&up) / ray.dot(&up);
            if distance <= 0.0 {
                return 0.3;
            }
            let point = ray * distance - position;
            let (x, y) = (point.dot(&x_axis), point.dot(&y_axis));
            if x.abs().max(y.abs()) > 0.56 {
                0.25
            } else {
                0.1 + 0.7 * PadMarking::WAMV.coverage([x, y], 1e-9).min(1.0)
            }
        };
        RgbImage::from_fn(camera.size[0], camera.size[1], |x, y| {
            let mut sum = 0.0;
            for k in 0..16 {
                let at = |k: i32| (f64::from(k) - 1.5) / 4.0;
                sum += light(Vector2::new(
                    f64::from(x) + at(k % 4),
                    f64::from(y) + at(k / 4),
                ));
            }
            let v: f64 = sum / 16.0;
            let srgb = if v <= 0.003_130_8 {
                12.92 * v
            } else {
                1.055 * v.powf(1.0 / 2.4) - 0.055
            };
            image::Rgb([(255.0 * srgb).round() as u8; 3])
        })
    }

    #[test]
    fn pads_have_the_drawn_pose() {
        let camera = Camera::ideal([320, 240], 75_f64.to_radians());
        let detector = PadDetector {
            marking: PadMarking::WAMV,
        };
        let up = Rotation3::from_euler_angles(0.1, -0.05, 0.0) * -Vector3::z();
        for (z, x, y, heading) in [
            (1.0, 0.1, -0.05, 0.3),
            (2.0, -0.6, 0.4, -1.2),
            (5.0, 1.5, -1.0, 1.4),
            (10.0, -2.0, 3.0, -0.2),
            (16.0, 5.0, 2.0, 0.9),
        ] {
            let position = Vector3::new(x, y, z);
            let image = draw(&camera, up, position, heading);
            let pad = detector
                .detect(&image, &camera, up, [0.3, 40.0])
                .unwrap_or_else(|| panic!("no pad at {z} m"));
            let error = (pad.position - position).norm();
            assert!(error < 0.01 * z, "{error} m at {z} m");
            let turn = wrapped(2.0 * (pad.heading - heading)) / 2.0;
            assert!(turn.abs() < 0.02 + 0.002 * z, "{turn} rad at {z} m");
            let facing = pad.facing(heading + PI + 0.5);
            assert!(wrapped(facing.heading - heading - PI).abs() < 0.1);
        }
    }

    #[test]
    fn other_shapes_are_no_pads() {
        let camera = Camera::ideal([320, 240], 75_f64.to_radians());
        let detector = PadDetector {
            marking: PadMarking::WAMV,
        };
        let discs = RgbImage::from_fn(320, 240, |x, y| {
            let ring = |cx: f64, cy: f64, r: f64| {
                let d = (f64::from(x) - cx).hypot(f64::from(y) - cy);
                d < r && (d > 0.9 * r || d < 0.5 * r)
            };
            let bar = (200..230).contains(&x) && (50..58).contains(&y);
            let is_bright = ring(60.0, 60.0, 30.0) || ring(200.0, 150.0, 12.0) || bar;
            image::Rgb([if is_bright { 230 } else { 40 }; 3])
        });
        let up = -Vector3::z();
        assert_eq!(detector.detect(&discs, &camera, up, [0.3, 40.0]), None);
        let wrong_size = RgbImage::new(64, 64);
        assert_eq!(detector.detect(&wrong_size, &camera, up, [0.3, 40.0]), None);
    }
}
