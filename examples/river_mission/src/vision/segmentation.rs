//! Segmentation of an image into water and everything else, from a region that is known to be water.
//!
//! # Law
//! The appearance of water is a mixture of Gaussians, learned from the known region of the same
//! image (Dahlkamp, Kaehler, Stavens, Thrun and Bradski 2006, "Self-supervised monocular road
//! detection in desert terrain", Robotics: Science and Systems II):
//! ```text
//!   d²(x) = min_k (x - μ_k)ᵀ Σ_k⁻¹ (x - μ_k)                                   (1)
//! ```
//! Pixels of small d² are water. Pixels of large d² without ripples are land; Otsu's threshold
//! (1979, IEEE Trans. Systems, Man, and Cybernetics 9(1)) separates them from water of another depth
//! or under another part of the sky. The other pixels belong to the one of both from which they are
//! flooded first over the relief of the changes of colour (Meyer and Beucher 1990, "Morphological
//! segmentation", J. Visual Communication and Image Representation 1(1)): the colour of water
//! changes gradually, and suddenly at the shore. Water is what is connected to the known region: a
//! pond on land is no way for the boat.
//!
//! # Symbols
//! x features of a pixel: log ratios of red and blue to green, log of the luminance, and its standard
//! deviation in a window (texture of ripples) · μ, Σ mean and covariance of a Gaussian.
//!
//! # Limits
//! The image must show an edge between land and water: in dense fog there is none. Pixels above the
//! horizon are not water. Glitter of the sun at the shore, water in the shadow of trees, and shallow
//! water over sand can be assigned to the land.
//!
//! # Checked by
//! The tests below, `tests/rendered_water.rs`.

use super::camera::Camera;
use super::image::linear;
use image::{GrayImage, Luma, RgbImage};
use imageproc::region_labelling::{Connectivity, connected_components};
use nalgebra::{SMatrix, SVector, Vector2, Vector3};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const FEATURES: usize = 4;
type Feature = SVector<f64, FEATURES>;

/// Gaussians of a mixture.
const COMPONENTS: usize = 3;
/// Expectation-maximisation steps.
const SEED_STEPS: usize = 6;
/// Squared Mahalanobis distance from which a pixel is not explained: 99.9 % quantile of the
/// chi-squared distribution with four degrees of freedom.
const UNEXPLAINED: f64 = 18.5;
/// Squared Mahalanobis distance of pixels that are water: 95 % quantile.
const EXPLAINED: f64 = 9.5;
/// Largest standard deviation of the log luminance of land.
const MAX_LAND_TEXTURE: f64 = 0.15;
/// Least part of the variance that lies between two groups: a normal distribution has 0.64, and no
/// groups.
const MIN_SEPARATION: f64 = 0.7;
/// Least part of the image of a region that counts as a marker.
const MIN_MARKER: f64 = 0.002;
/// Least variance of a feature: quantisation and noise of the camera, and fog without contrast.
const MIN_VARIANCE: [f64; FEATURES] = [2e-4, 2e-4, 1e-3, 1e-4];
/// Radius of the window of colours and of texture [px of the working image].
const COLOR_RADIUS: usize = 1;
const TEXTURE_RADIUS: usize = 3;
/// Holes of less than this part of the image belong to the water: glitter and ripples.
const MAX_HOLE: f64 = 0.0015;
/// Least pixels of the known region in the working image.
const MIN_SEED: usize = 60;
/// Width of the working image [px], at most.
const WORKING_WIDTH: u32 = 320;

/// Water and land of an image.
#[derive(Debug, Clone, PartialEq)]
pub struct WaterMask {
    /// 255 where there is water, 0 elsewhere, in the size of the camera image.
    pub mask: GrayImage,
    /// Whether any land was found; without it, all pixels below the horizon are water.
    pub has_land: bool,
}

/// Planes of one number per pixel.
struct Grid {
    width: usize,
    height: usize,
}

impl Grid {
    /// Returns the mean over a window.
    fn box_mean(&self, values: &[f64], radius: usize) -> Vec<f64> {
        let columns = self.width + 1;
        let mut sums = vec![0.0; columns * (self.height + 1)];
        for y in 0..self.height {
            let mut row = 0.0;
            for x in 0..self.width {
                row += values[y * self.width + x];
                sums[(y + 1) * columns + x + 1] = sums[y * columns + x + 1] + row;
            }
        }
        let mut out = Vec::with_capacity(values.len());
        for y in 0..self.height {
            let (y0, y1) = (y.saturating_sub(radius), (y + radius + 1).min(self.height));
            for x in 0..self.width {
                let (x0, x1) = (x.saturating_sub(radius), (x + radius + 1).min(self.width));
                let sum =
                    sums[y1 * columns + x1] - sums[y0 * columns + x1] - sums[y1 * columns + x0]
                        + sums[y0 * columns + x0];
                out.push(sum / ((x1 - x0) * (y1 - y0)) as f64);
            }
        }
        out
    }
}

fn features(image: &RgbImage, divisor: u32) -> (Grid, Vec<Feature>) {
    let (width, height) = (image.width() / divisor, image.height() / divisor);
    let grid = Grid {
        width: width as usize,
        height: height as usize,
    };
    let light: Vec<f64> = (0..=255).map(linear).collect();
    // light of the darkest value that is not black
    let floor = linear(2);
    let mut colors = [const { Vec::new() }; 3];
    for y in 0..height {
        for x in 0..width {
            let mut sum = [0.0; 3];
            for k in 0..divisor * divisor {
                let pixel = image.get_pixel(x * divisor + k % divisor, y * divisor + k / divisor);
                for (sum, value) in sum.iter_mut().zip(pixel.0) {
                    *sum += light[value as usize];
                }
            }
            for (plane, sum) in colors.iter_mut().zip(sum) {
                plane.push((sum / f64::from(divisor * divisor)).max(floor));
            }
        }
    }
    let log: Vec<f64> = (0..colors[0].len())
        .map(|k| (0.2126 * colors[0][k] + 0.7152 * colors[1][k] + 0.0722 * colors[2][k]).ln())
        .collect();
    let squares: Vec<f64> = log.iter().map(|v| v * v).collect();
    let mean = grid.box_mean(&log, TEXTURE_RADIUS);
    let mean_square = grid.box_mean(&squares, TEXTURE_RADIUS);
    let [red, green, blue] = colors.map(|plane| grid.box_mean(&plane, COLOR_RADIUS));
    let smooth = grid.box_mean(&log, COLOR_RADIUS);
    let features = (0..log.len())
        .map(|k| {
            let deviation = (mean_square[k] - mean[k] * mean[k]).max(0.0).sqrt();
            Feature::new(
                (red[k] / green[k]).ln(),
                (blue[k] / green[k]).ln(),
                smooth[k],
                deviation,
            )
        })
        .collect();
    (grid, features)
}

#[derive(Clone)]
struct Gaussian {
    mean: Feature,
    inverse: SMatrix<f64, FEATURES, FEATURES>,
    /// Logarithm of the weight over the normalisation of the density.
    log_scale: f64,
}

#[derive(Clone)]
struct Mixture(Vec<Gaussian>);

impl Mixture {
    /// Returns the mixture after expectation maximisation over weighted samples, which start in
    /// groups of equal size by luminance.
    fn learn(samples: &[(Feature, f64)], steps: usize) -> Option<Self> {
        let mut order: Vec<usize> = (0..samples.len()).collect();
        order.sort_by(|a, b| samples[*a].0.z.total_cmp(&samples[*b].0.z));
        let mut responsibilities = vec![[0.0; COMPONENTS]; samples.len()];
        for (rank, k) in order.iter().enumerate() {
            responsibilities[*k][rank * COMPONENTS / samples.len().max(1)] = 1.0;
        }
        let mut mixture = Self::fit(samples, &responsibilities)?;
        for _ in 0..steps {
            for ((x, _), r) in samples.iter().zip(&mut responsibilities) {
                *r = mixture.responsibilities(x);
            }
            mixture = Self::fit(samples, &responsibilities)?;
        }
        Some(mixture)
    }

    fn fit(samples: &[(Feature, f64)], shares: &[[f64; COMPONENTS]]) -> Option<Self> {
        let total: f64 = samples.iter().map(|(_, weight)| weight).sum();
        let mut gaussians = Vec::new();
        for c in 0..COMPONENTS {
            let weighted = || samples.iter().zip(shares).map(|((x, w), r)| (x, w * r[c]));
            let mass: f64 = weighted().map(|(_, w)| w).sum();
            if mass <= 0.01 * total {
                continue;
            }
            let mean = weighted().map(|(x, w)| x * w).sum::<Feature>() / mass;
            let mut covariance = SMatrix::<f64, FEATURES, FEATURES>::zeros();
            for (x, w) in weighted() {
                let d = x - mean;
                covariance += d * d.transpose() * w;
            }
            covariance /= mass;
            for (k, variance) in MIN_VARIANCE.iter().enumerate() {
                covariance[(k, k)] += variance;
            }
            let factor = covariance.cholesky()?;
            let log_determinant = 2.0 * factor.l().diagonal().iter().map(|v| v.ln()).sum::<f64>();
            gaussians.push(Gaussian {
                mean,
                inverse: factor.inverse(),
                log_scale: (mass / total).ln() - 0.5 * log_determinant,
            });
        }
        (!gaussians.is_empty()).then_some(Self(gaussians))
    }

    fn distance(gaussian: &Gaussian, x: &Feature) -> f64 {
        let d = x - gaussian.mean;
        (gaussian.inverse * d).dot(&d)
    }

    /// Returns the least squared Mahalanobis distance.
    fn nearest(&self, x: &Feature) -> f64 {
        self.0
            .iter()
            .map(|g| Self::distance(g, x))
            .fold(f64::INFINITY, f64::min)
    }

    fn responsibilities(&self, x: &Feature) -> [f64; COMPONENTS] {
        let mut out = [0.0; COMPONENTS];
        let logs: Vec<f64> = self
            .0
            .iter()
            .map(|g| g.log_scale - 0.5 * Self::distance(g, x))
            .collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for (out, log) in out.iter_mut().zip(&logs) {
            *out = (log - most).exp();
        }
        let sum: f64 = out.iter().sum();
        out.map(|v| v / sum)
    }
}

/// Returns the water of an image, or `None` if too little of it is known to be water.
///
/// `is_known` tells whether a pixel of the image is known to be water, `is_below` whether it is below
/// the horizon.
#[must_use]
pub fn segment(
    image: &RgbImage,
    is_known: impl Fn(u32, u32) -> bool,
    is_below: impl Fn(u32, u32) -> bool,
) -> Option<WaterMask> {
    let divisor = image.width().div_ceil(WORKING_WIDTH).max(1);
    if image.width() < 2 * divisor || image.height() < 2 * divisor {
        return None;
    }
    let (grid, features) = features(image, divisor);
    let center = |k: usize| {
        let (x, y) = (k % grid.width, k / grid.width);
        let at = |v: usize| v as u32 * divisor + divisor / 2;
        (at(x), at(y))
    };
    let known: Vec<bool> = (0..features.len())
        .map(|k| is_known(center(k).0, center(k).1))
        .collect();
    let below: Vec<bool> = (0..features.len())
        .map(|k| is_below(center(k).0, center(k).1))
        .collect();
    let seeds: Vec<(Feature, f64)> = features
        .iter()
        .zip(&known)
        .filter(|(_, known)| **known)
        .map(|(x, _)| (*x, 1.0))
        .collect();
    if seeds.len() < MIN_SEED {
        return None;
    }
    let water = Mixture::learn(&seeds, SEED_STEPS)?;
    let distances: Vec<f64> = features.iter().map(|x| water.nearest(x)).collect();
    // land is smooth; glitter of the sun is as unlike the known water as land is, but not smooth
    let unlike: Vec<f64> = (0..features.len())
        .filter(|k| below[*k] && !known[*k] && distances[*k] > UNEXPLAINED)
        .filter(|k| features[*k].w < MAX_LAND_TEXTURE)
        .map(|k| distances[k].ln())
        .collect();
    let threshold = otsu(&unlike).exp();
    let mut markers: Vec<Marker> = (0..features.len())
        .map(|k| {
            if !below[k] {
                Marker::Outside
            } else if known[k] || distances[k] < EXPLAINED {
                Marker::Water
            } else if distances[k] > threshold && features[k].w < MAX_LAND_TEXTURE {
                Marker::Land
            } else {
                Marker::Open
            }
        })
        .collect();
    remove_small(&grid, &mut markers, Marker::Land);
    remove_small(&grid, &mut markers, Marker::Water);
    let has_land = markers.contains(&Marker::Land);
    flood(&grid, &gradient(&grid, &features), &mut markers);
    let is_water: Vec<bool> = markers.iter().map(|m| *m == Marker::Water).collect();
    let is_water = connected(&grid, &is_water, &known, &below);
    let mask = GrayImage::from_fn(image.width(), image.height(), |x, y| {
        let x = ((x / divisor) as usize).min(grid.width - 1);
        let y = ((y / divisor) as usize).min(grid.height - 1);
        Luma([if is_water[y * grid.width + x] { 255 } else { 0 }])
    });
    Some(WaterMask { mask, has_land })
}

/// What is known of a pixel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Marker {
    Water,
    Land,
    Open,
    /// Above the horizon.
    Outside,
}

/// Returns the threshold that separates two groups best (Otsu 1979), or the least value if there
/// is only one group.
fn otsu(values: &[f64]) -> f64 {
    const BINS: usize = 64;
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if high <= low {
        return low;
    }
    let width = (high - low) / BINS as f64;
    let mut bins = [0.0; BINS];
    for value in values {
        bins[(((value - low) / width) as usize).min(BINS - 1)] += 1.0;
    }
    let total: f64 = bins.iter().sum();
    let moment: f64 = bins.iter().enumerate().map(|(k, n)| k as f64 * n).sum();
    let (mut count, mut sum, mut best, mut split) = (0.0, 0.0, 0.0, 0);
    for (k, n) in bins.iter().enumerate() {
        count += n;
        sum += k as f64 * n;
        if count > 0.0 && count < total {
            let gap = sum / count - (moment - sum) / (total - count);
            let between = count * (total - count) * gap * gap;
            if between > best {
                (best, split) = (between, k);
            }
        }
    }
    let mean = moment / total;
    let spread: f64 = bins
        .iter()
        .enumerate()
        .map(|(k, n)| n * (k as f64 - mean) * (k as f64 - mean))
        .sum();
    if best < MIN_SEPARATION * spread * total {
        return low;
    }
    low + (split + 1) as f64 * width
}

/// Opens the markers of regions of less than [`MIN_MARKER`] of the image.
fn remove_small(grid: &Grid, markers: &mut [Marker], kind: Marker) {
    let image = GrayImage::from_fn(grid.width as u32, grid.height as u32, |x, y| {
        Luma([u8::from(
            markers[y as usize * grid.width + x as usize] == kind,
        )])
    });
    let labels = connected_components(&image, Connectivity::Four, Luma([0]));
    let mut sizes = vec![0_usize; labels.iter().max().copied().unwrap_or(0) as usize + 1];
    for label in labels.iter() {
        sizes[*label as usize] += 1;
    }
    let limit = (MIN_MARKER * markers.len() as f64) as usize;
    for (marker, label) in markers.iter_mut().zip(labels.iter()) {
        if *label > 0 && sizes[*label as usize] < limit {
            *marker = Marker::Open;
        }
    }
}

/// Returns the height of the relief that is flooded: the change of colour and luminance between the
/// neighbours of a pixel.
fn gradient(grid: &Grid, features: &[Feature]) -> Vec<f64> {
    (0..features.len())
        .map(|k| {
            let (x, y) = (k % grid.width, k / grid.width);
            let left = k - usize::from(x > 0);
            let right = k + usize::from(x + 1 < grid.width);
            let above = k - if y > 0 { grid.width } else { 0 };
            let beneath = k + if y + 1 < grid.height { grid.width } else { 0 };
            let change = |a: usize, b: usize| (features[a] - features[b]).xyz().norm_squared();
            (change(left, right) + change(above, beneath)).sqrt()
        })
        .collect()
}

/// Gives every open pixel the marker from which it is flooded first: by height, then by age.
fn flood(grid: &Grid, heights: &[f64], markers: &mut [Marker]) {
    // heights in steps, so that the queue orders equal ones by age
    let step = |k: usize| (heights[k] * 1000.0) as u64;
    let mut queue = BinaryHeap::new();
    let mut age = 0_u64;
    let neighbours = |k: usize| {
        let (x, y) = (k % grid.width, k / grid.width);
        [
            (x > 0).then(|| k - 1),
            (x + 1 < grid.width).then(|| k + 1),
            (y > 0).then(|| k - grid.width),
            (y + 1 < grid.height).then(|| k + grid.width),
        ]
        .into_iter()
        .flatten()
    };
    let is_source = |m: Marker| matches!(m, Marker::Water | Marker::Land);
    for k in 0..markers.len() {
        if markers[k] == Marker::Open && neighbours(k).any(|n| is_source(markers[n])) {
            queue.push(Reverse((step(k), age, k)));
            age += 1;
        }
    }
    while let Some(Reverse((level, _, k))) = queue.pop() {
        if markers[k] != Marker::Open {
            continue;
        }
        let Some(from) = neighbours(k).find(|n| is_source(markers[*n])) else {
            continue;
        };
        markers[k] = markers[from];
        for n in neighbours(k).filter(|n| markers[*n] == Marker::Open) {
            queue.push(Reverse((step(n).max(level), age, n)));
            age += 1;
        }
    }
}

/// Returns the water that is connected to the known region, with its small holes.
fn connected(grid: &Grid, is_water: &[bool], known: &[bool], below: &[bool]) -> Vec<bool> {
    let image = |value: &dyn Fn(usize) -> bool| {
        GrayImage::from_fn(grid.width as u32, grid.height as u32, |x, y| {
            Luma([u8::from(value(y as usize * grid.width + x as usize))])
        })
    };
    let regions = connected_components(&image(&|k| is_water[k]), Connectivity::Four, Luma([0]));
    let count = |labels: &image::ImageBuffer<Luma<u32>, Vec<u32>>| {
        labels.iter().max().copied().unwrap_or(0) as usize + 1
    };
    let mut reached = vec![false; count(&regions)];
    for (label, known) in regions.iter().zip(known) {
        if *known {
            reached[*label as usize] = *label > 0;
        }
    }
    let mut out: Vec<bool> = regions
        .iter()
        .map(|label| reached[*label as usize])
        .collect();
    let holes = connected_components(&image(&|k| !out[k]), Connectivity::Eight, Luma([0]));
    let mut sizes = vec![0_usize; count(&holes)];
    for label in holes.iter() {
        sizes[*label as usize] += 1;
    }
    let limit = (MAX_HOLE * out.len() as f64) as usize;
    for (k, label) in holes.iter().enumerate() {
        out[k] |= below[k] && *label > 0 && sizes[*label as usize] <= limit;
    }
    out
}

/// Returns points of the edge of the water on the plane z = 0.
///
/// `rotation` and `position` [m] are the pose of the camera's optical frame in a level frame whose
/// plane z = 0 is the water. Edges at the border of the image and beyond `max_range` [m] from the
/// camera are omitted: nothing is known about the first, and the second are uncertain. The points are
/// in the level frame, in the order of the rows of the image.
#[must_use]
pub fn shoreline(
    water: &WaterMask,
    camera: &Camera,
    rotation: &nalgebra::Rotation3<f64>,
    position: Vector3<f64>,
    max_range: f64,
) -> Vec<Vector2<f64>> {
    let mask = &water.mask;
    let is_water = |x: u32, y: u32| mask.get_pixel(x, y)[0] > 0;
    let mut points = Vec::new();
    for y in 1..mask.height().saturating_sub(1) {
        for x in 1..mask.width().saturating_sub(1) {
            let is_edge = is_water(x, y)
                && !(is_water(x - 1, y)
                    && is_water(x + 1, y)
                    && is_water(x, y - 1)
                    && is_water(x, y + 1));
            if !is_edge {
                continue;
            }
            let pixel = Vector2::new(f64::from(x), f64::from(y));
            if let Some(point) = camera
                .ray(pixel)
                .and_then(|ray| on_water(&(rotation * ray), position))
                && (point - position.xy()).norm() <= max_range
            {
                points.push(point);
            }
        }
    }
    points
}

/// Returns where a ray from a camera at `position` [m] meets the plane z = 0, if it does.
pub(crate) fn on_water(ray: &Vector3<f64>, position: Vector3<f64>) -> Option<Vector2<f64>> {
    let distance = -position.z / ray.z;
    (distance.is_finite() && distance > 0.0).then(|| (position + ray * distance).xy())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Rotation3;

    /// Rippled water between two banks, and a pond on the left one.
    fn river(x: u32, y: u32) -> image::Rgb<u8> {
        let noise = (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503)) >> 7 & 15;
        let ripple = noise as u8;
        let is_pond = (f64::from(x) - 25.0).hypot(f64::from(y) - 60.0) < 12.0;
        if (70..130).contains(&x) || is_pond {
            image::Rgb([30 + ripple, 70 + ripple, 60 + ripple])
        } else {
            let grain = ripple / 4;
            image::Rgb([180 + grain, 170 + grain, 120 + grain])
        }
    }

    #[test]
    fn water_between_banks_is_found() {
        let image = RgbImage::from_fn(200, 160, river);
        let is_known = |x, y| (90..110).contains(&x) && (60..100).contains(&y);
        let water = segment(&image, is_known, |_, y| y >= 10).unwrap();
        assert!(water.has_land);
        let wrong = water
            .mask
            .enumerate_pixels()
            .filter(|(x, y, value)| (value[0] > 0) != ((70..130).contains(x) && *y >= 10))
            .count();
        assert!(wrong < 600, "{wrong} of 32000 pixels");
        // the pond is not connected to the river
        assert_eq!(water.mask.get_pixel(25, 60)[0], 0);
    }

    #[test]
    fn shorelines_lie_on_the_water_plane() {
        let image = RgbImage::from_fn(200, 160, river);
        let is_known = |x, y| (90..110).contains(&x) && (60..100).contains(&y);
        let water = segment(&image, is_known, |_, _| true).unwrap();
        let camera = Camera::ideal([200, 160], 90_f64.to_radians());
        // looks down from 20 m, with x of the image to the east
        let down = Rotation3::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
        let points = shoreline(&water, &camera, &down, Vector3::new(5.0, 0.0, 20.0), 100.0);
        assert!(points.len() > 200);
        // 0.2 m per pixel: the banks are 30 px from the centre
        for point in &points {
            assert!(((point.x - 5.0).abs() - 6.0).abs() < 0.5, "{point}");
        }
    }

    #[test]
    fn unknown_water_is_not_guessed() {
        let image = RgbImage::from_fn(200, 160, river);
        assert_eq!(segment(&image, |_, _| false, |_, _| true), None);
        assert_eq!(
            segment(&RgbImage::new(1, 1), |_, _| true, |_, _| true),
            None
        );
    }

    #[test]
    fn open_water_has_no_land() {
        let image = RgbImage::from_fn(200, 160, |x, y| river(70 + x % 60, y));
        let water = segment(&image, |x, y| x > 80 && x < 120 && y > 50, |_, _| true).unwrap();
        assert!(!water.has_land);
        assert!(water.mask.pixels().all(|p| p[0] == 255));
    }
}
