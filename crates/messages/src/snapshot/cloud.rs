//! Renders images of laser scans and multibeam soundings for users. They are not intended for
//! measurements.
//!
//! # Law
//! ```text
//!   column = W (1/2 - (α - α_m)/Δ),  row = rings - 1 - ring  (1)
//!   column = W/2 - k y,  row = H/2 - k x                     (2)
//!   column = W/2 + k x,  row = H/2 - k z                     (3)  side view: x right, z up
//!   column = W/2 + k c,  row = pings from the newest         (4)  swath: port left, newest on top
//!   color = viridis(u),  u from 0 to 1 between the 2nd and the 98th percentile of the shown values
//!   u of a range: log(r_max/r)/log(r_max/r_min), near is bright
//!   u of a height: linear, high is bright
//!   u of a depth: linear, shallow is bright
//!   light = 0.4 + 0.6 √(I/I_95)                              (5)
//!   (1) range image: forward in the centre, port left, top ring on top
//!   (2) plan: x up, y left, sensor in centre
//! ```
//! If several echoes fall on one pixel, (1) shows the nearest, (2) the highest and (3) the nearest
//! to starboard. The distance between circles is 1, 2 or 5 times a power of ten metres.
//!
//! # Symbols
//! α azimuth of a beam, α_m centre and Δ full width of the scan · I strength of an echo, I_95 its
//! 95th percentile · k pixels per metre, such that 98 % of the points are inside the image · c
//! horizontal distance to starboard of the sonar.
//!
//! # Frames
//! Points in S, or in the axes of the mount for a tilting laser; soundings in W.
//!
//! # Limits
//! The image contains no legend; [`RenderedImage::legend`] returns it as text.
//!
//! # Checked by
//! test/sensors/laser/cloud_display.rs, and test/docs.rs through `merrow snapshot`

use crate::snapshot::colors::viridis;
use merrow_math::Vec3;
use merrow_model::sensor::laser::Point;
use std::f64::consts::TAU;

/// Number of columns of each image.
const WIDTH: usize = 1024;
/// Number of rows of a plan.
const PLAN_ROWS: usize = 640;
/// Number of rows of a side view.
const SIDE_ROWS: usize = 256;
/// Approximate number of rows of a range image.
const RANGE_IMAGE_ROWS: usize = 192;
/// Number of lines of a swath.
pub(crate) const SWATH_LINES: usize = 512;
/// Number of rows between two images.
const GAP: usize = 6;
/// Minimum resolved difference: one millimetre for heights and depths, one thousandth for ranges.
const RESOLUTION: f64 = 1e-3;
/// Colour of circles and separators.
const GREY: [u8; 3] = [70; 3];

/// An image and its legend.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderedImage {
    /// Number of pixel columns.
    pub width: usize,
    /// Number of pixel rows.
    pub height: usize,
    /// Red, green and blue of each pixel.
    pub rgb: Vec<u8>,
    /// Legend: the meaning of its colours and circles.
    pub legend: String,
}

/// Pixel buffer of an image that is being drawn.
struct Canvas {
    height: usize,
    rgb: Vec<u8>,
}

impl Canvas {
    fn new(height: usize) -> Self {
        Self {
            height,
            rgb: vec![0; 3 * WIDTH * height],
        }
    }

    /// Sets the colour of a pixel if it is inside the image.
    fn set(&mut self, column: f64, row: f64, color: [u8; 3]) {
        if (0.0..WIDTH as f64).contains(&column) && (0.0..self.height as f64).contains(&row) {
            let at = 3 * (row as usize * WIDTH + column as usize);
            self.rgb[at..at + 3].copy_from_slice(&color);
        }
    }

    /// Draws two by two pixels around a position.
    fn dot(&mut self, column: f64, row: f64, color: [u8; 3]) {
        for (i, j) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
            self.set((column - 0.5).floor() + i, (row - 0.5).floor() + j, color);
        }
    }

    /// Draws circles `step` pixels apart around the centre, up to the corners, and a cross at the
    /// centre.
    fn circles(&mut self, step: f64) {
        let (x, y) = (0.5 * WIDTH as f64, 0.5 * self.height as f64);
        let far = (x * x + y * y).sqrt();
        for k in 1..=(far / step) as usize {
            let radius = k as f64 * step;
            let parts = (8.0 * radius) as usize;
            for i in 0..parts {
                let angle = TAU * i as f64 / parts as f64;
                self.set(
                    x + radius * libm::sin(angle),
                    y - radius * libm::cos(angle),
                    GREY,
                );
            }
        }
        for i in -4..=4 {
            self.set(x + f64::from(i), y, [255; 3]);
            self.set(x, y + f64::from(i), [255; 3]);
        }
    }

    /// Stacks images vertically, the first on top.
    fn stack(parts: Vec<Self>, legend: String) -> RenderedImage {
        let mut rgb = Vec::new();
        for (k, part) in parts.iter().enumerate() {
            if k > 0 {
                rgb.resize(rgb.len() + 3 * WIDTH * GAP, GREY[0]);
            }
            rgb.extend(&part.rgb);
        }
        RenderedImage {
            width: WIDTH,
            height: rgb.len() / (3 * WIDTH),
            rgb,
            legend,
        }
    }
}

/// Returns the values at two quantiles `parts` (0..1) of a list.
fn quantiles(numbers: impl Iterator<Item = f64>, parts: [f64; 2]) -> [f64; 2] {
    let mut all: Vec<f64> = numbers.filter(|x| x.is_finite()).collect();
    all.sort_unstable_by(f64::total_cmp);
    match all.len() {
        0 => [0.0, 1.0],
        n => parts.map(|part| all[((n - 1) as f64 * part).round() as usize]),
    }
}

/// Returns the relative position of a value between two limits, 0..1; 0.5 if the limits are equal
/// within the resolution.
fn relative_position([low, high]: [f64; 2], x: f64) -> f64 {
    if high - low > RESOLUTION {
        (x - low) / (high - low)
    } else if (x - low).abs() <= RESOLUTION {
        0.5
    } else if x < low {
        0.0
    } else {
        1.0
    }
}

/// Colour scale of ranges, with the ranges at its ends [m].
struct Ranges([f64; 2]);

impl Ranges {
    fn from_points(points: &[Point]) -> Self {
        Self(quantiles(points.iter().map(range), [0.02, 0.98]).map(|r| r.max(1e-3)))
    }

    fn color(&self, r: f64, light: f64) -> [u8; 3] {
        let [low, high] = self.0.map(libm::log);
        viridis(
            1.0 - relative_position([low, high], libm::log(r.max(1e-3))),
            light,
        )
    }

    fn legend(&self) -> String {
        format!(
            "ranges from {} m (yellow) to {} m (violet)",
            format_number(self.0[0]),
            format_number(self.0[1])
        )
    }
}

/// Formats a number with about three significant digits.
fn format_number(x: f64) -> String {
    if x.abs() < 10.0 {
        format!("{x:.2}")
    } else {
        format!("{x:.1}")
    }
}

fn range(point: &Point) -> f64 {
    position(point).norm()
}

fn position(point: &Point) -> Vec3 {
    Vec3::from(point.p.map(f64::from))
}

/// Returns the function for the light of echoes. (5)
fn echo_light(points: &[Point]) -> impl Fn(&Point) -> f64 + use<> {
    let strong = quantiles(points.iter().map(|p| f64::from(p.intensity)), [0.95; 2])[0];
    move |p| {
        0.4 + 0.6
            * (f64::from(p.intensity) / strong.max(1e-9))
                .clamp(0.0, 1.0)
                .sqrt()
    }
}

/// Returns the pixels per metre at which 98 % of the points are inside the image, and the distance
/// between circles [m].
fn scale(points: &[Point], height: usize, axes: [usize; 2]) -> (f64, f64) {
    let extent = |axis: usize| {
        quantiles(points.iter().map(|p| f64::from(p.p[axis]).abs()), [0.98; 2])[0].max(0.1)
    };
    let k = (0.48 * WIDTH as f64 / extent(axes[0])).min(0.48 * height as f64 / extent(axes[1]));
    // about 80 pixels apart
    let min_step = 80.0 / k;
    let decade = libm::pow(10.0, libm::floor(libm::log10(min_step)));
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|n| n * decade)
        .into_iter()
        .find(|s| *s >= min_step)
        .unwrap_or(decade);
    (k, step)
}

/// Draws a plan (2); points of higher `rank` cover points of lower rank.
fn draw_plan(
    points: &[Point],
    rank: impl Fn(&Point) -> f64,
    color: impl Fn(&Point) -> [u8; 3],
) -> (Canvas, f64) {
    let (k, step) = scale(points, PLAN_ROWS, [1, 0]);
    let mut canvas = Canvas::new(PLAN_ROWS);
    canvas.circles(k * step);
    let mut order: Vec<&Point> = points.iter().collect();
    order.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
    for point in order {
        let p = position(point);
        canvas.dot(
            0.5 * WIDTH as f64 - k * p.y,
            0.5 * PLAN_ROWS as f64 - k * p.x,
            color(point),
        );
    }
    (canvas, step)
}

/// Rings and columns of a range image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RangeGrid {
    /// Number of rings of a scan.
    pub rings: usize,
    /// Number of columns of a scan.
    pub columns: usize,
    /// Azimuth of the first column in S about z [rad].
    pub first_azimuth: f64,
    /// Azimuth increment between columns, positive counter-clockwise [rad].
    pub azimuth_step: f64,
}

/// Renders one turn of a lidar: a range image above a plan coloured by height.
pub fn lidar(grid: &RangeGrid, points: &[Point]) -> RenderedImage {
    let (ranges, light) = (Ranges::from_points(points), echo_light(points));
    let rings = grid.rings.max(1);
    let rows = RANGE_IMAGE_ROWS.div_ceil(rings);
    let mut image = Canvas::new(rings * rows);
    let span = grid.azimuth_step.abs() * grid.columns as f64;
    let mean_bearing =
        grid.first_azimuth + 0.5 * grid.azimuth_step * grid.columns.saturating_sub(1) as f64;
    let width = WIDTH as f64 / grid.columns as f64;
    let mut order: Vec<&Point> = points.iter().collect();
    // nearest last, so that it stays visible
    order.sort_by(|a, b| range(b).total_cmp(&range(a)));
    for point in order {
        let off = libm::atan2(f64::from(point.p[1]), f64::from(point.p[0])) - mean_bearing;
        let off = off - TAU * (off / TAU).round();
        let center = WIDTH as f64 * (0.5 - off / span);
        let top = (rings - 1 - usize::from(point.ring).min(rings - 1)) * rows;
        let first = (center - 0.5 * width + 1e-6).floor();
        let color = ranges.color(range(point), light(point));
        for i in 0..(width.ceil() as usize).max(1) {
            for row in top..top + rows {
                image.set(first + i as f64, row as f64, color);
            }
        }
    }
    let heights = quantiles(points.iter().map(|p| f64::from(p.p[2])), [0.02, 0.98]);
    let height = |p: &Point| f64::from(p.p[2]);
    let (plan, step) = draw_plan(points, height, |p| {
        viridis(relative_position(heights, height(p)), light(p))
    });
    let legend = format!(
        "{}; below: heights from {} m (violet) to {} m (yellow) relative to the sensor, circles every {step} m",
        ranges.legend(),
        format_number(heights[0]),
        format_number(heights[1])
    );
    Canvas::stack(vec![image, plan], legend)
}

/// Renders a planar scan: a plan coloured by range.
pub fn scan(points: &[Point]) -> RenderedImage {
    let (ranges, light) = (Ranges::from_points(points), echo_light(points));
    let (plan, step) = draw_plan(points, |p| -range(p), |p| ranges.color(range(p), light(p)));
    Canvas::stack(
        vec![plan],
        format!("{}, circles every {step} m", ranges.legend()),
    )
}

/// Renders the points of a tilting laser: a plan coloured by height above a side view from
/// starboard, coloured by range.
pub fn tilted_scan(points: &[Point]) -> RenderedImage {
    let (ranges, light) = (Ranges::from_points(points), echo_light(points));
    let height = |p: &Point| f64::from(p.p[2]);
    let heights = quantiles(points.iter().map(height), [0.02, 0.98]);
    let (plan, step) = draw_plan(points, height, |p| {
        viridis(relative_position(heights, height(p)), light(p))
    });
    let (k, rings) = scale(points, SIDE_ROWS, [0, 2]);
    let mut side = Canvas::new(SIDE_ROWS);
    side.circles(k * rings);
    let mut order: Vec<&Point> = points.iter().collect();
    order.sort_by(|a, b| b.p[1].total_cmp(&a.p[1]));
    for point in order {
        let p = position(point);
        let color = ranges.color(range(point), light(point));
        side.dot(
            0.5 * WIDTH as f64 + k * p.x,
            0.5 * SIDE_ROWS as f64 - k * p.z,
            color,
        );
    }
    let legend = format!(
        "heights from {} m (violet) to {} m (yellow), circles every {step} m; below: side view, {}, circles every {rings} m",
        format_number(heights[0]),
        format_number(heights[1]),
        ranges.legend()
    );
    Canvas::stack(vec![plan, side], legend)
}

/// A sounding of a swath.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SwathPoint {
    /// Horizontal distance to starboard [m].
    pub across: f64,
    /// Depth below mean sea level [m].
    pub depth: f64,
}

/// Renders a swath coloured by depth from lines of soundings, newest last. (4)
pub fn swath(lines: &[Vec<SwathPoint>]) -> RenderedImage {
    let lines = &lines[lines.len().saturating_sub(SWATH_LINES)..];
    let all = || lines.iter().flatten();
    let far = quantiles(all().map(|s| s.across.abs()), [0.98; 2])[0].max(0.1);
    let k = 0.49 * WIDTH as f64 / far;
    let depths = quantiles(all().map(|s| s.depth), [0.02, 0.98]);
    let mut canvas = Canvas::new(SWATH_LINES);
    for (row, line) in lines.iter().rev().enumerate() {
        let mut line = line.clone();
        line.sort_by(|a, b| a.across.total_cmp(&b.across));
        let column = |s: &SwathPoint| 0.5 * WIDTH as f64 + k * s.across;
        let widest = WIDTH as f64 / 16.0;
        for pair in line.windows(2) {
            let (from, to) = (column(&pair[0]), column(&pair[1]));
            // lost beams leave a gap
            if to - from > widest || !(from.is_finite() && to.is_finite()) {
                continue;
            }
            let (first, last) = (
                from.max(0.0).ceil() as usize,
                to.clamp(0.0, WIDTH as f64) as usize,
            );
            for x in first..=last {
                let u = relative_position([from, to], x as f64).clamp(0.0, 1.0);
                let depth = pair[0].depth + u * (pair[1].depth - pair[0].depth);
                canvas.set(
                    x as f64,
                    row as f64,
                    viridis(1.0 - relative_position(depths, depth), 1.0),
                );
            }
        }
    }
    let legend = format!(
        "depths from {} m (yellow) to {} m (violet); {} m to either side, {} lines",
        format_number(depths[0]),
        format_number(depths[1]),
        format_number(0.5 * WIDTH as f64 / k),
        lines.len()
    );
    Canvas::stack(vec![canvas], legend)
}
