//! Lenses: which direction a pixel looks in, and which pixel a direction falls on.
//!
//! # Law
//! ```text
//!   u = fx x' + cx,  v = fy y' + cy                                                    (1)
//!   x' = x (1 + k1 r² + k2 r⁴ + k3 r⁶) + 2 p1 x y + p2 (r² + 2 x²)                      (2)  [Brown 1971]
//!   y' = y (1 + k1 r² + k2 r⁴ + k3 r⁶) + p1 (r² + 2 y²) + 2 p2 x y
//!   (x', y') = θ (1 + k1 θ² + k2 θ⁴ + k3 θ⁶ + k4 θ⁸) (x, y)/r                           (3)  [Kannala and Brandt 2006]
//!   sin θ_w = sin θ/n                                                                   (4)  behind a flat port
//! ```
//! The inverses of (2) and (3) are found by Newton's method.
//!
//! # Symbols
//! (u, v) pixel, whole numbers in the middle of one · (x, y) = (X/Z, Y/Z), r their distance from the axis · θ angle to the axis · k, p coefficients ·
//! n refractive index of water over that of air.
//!
//! # Frames
//! The optical frame: X right, Y down, Z ahead.
//!
//! # Limits
//! (2) is a lens of less than half the sphere. Where the distortion turns back, beyond its own model, a pixel sees nothing. A port is thin.
//!
//! # Checked by
//! test/analytic/camera.rs, test/witness/camera.rs

use merrow_math::Vec3;
use merrow_math::real::sin_cos;

/// Steps of Newton's method; it needs about five.
const STEPS: usize = 30;
/// What is left of an error in (x', y') when it ends.
const ENOUGH: f64 = 1e-12;
/// Refractive index of water over that of air.
pub const WATER_INDEX: f64 = 1.34;

/// A lens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    /// Focal lengths [px].
    pub focal: [f64; 2],
    /// Principal point [px].
    pub center: [f64; 2],
    /// How it distorts.
    pub distortion: Distortion,
}

/// How a lens distorts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distortion {
    /// (2): k1, k2, p1, p2, k3.
    BrownConrady([f64; 5]),
    /// (3): k1 to k4.
    FishEye([f64; 4]),
}

impl Lens {
    /// The pixel that the direction `d` falls on; none behind the lens. (1)
    pub fn project(&self, d: Vec3) -> Option<[f64; 2]> {
        let at = match &self.distortion {
            Distortion::BrownConrady(k) => {
                if d.z <= 0.0 {
                    return None;
                }
                brown(k, [d.x / d.z, d.y / d.z]).0
            }
            Distortion::FishEye(k) => {
                let r = (d.x * d.x + d.y * d.y).sqrt();
                let theta = libm::atan2(r, d.z);
                if r == 0.0 {
                    [0.0, 0.0]
                } else {
                    let bent = fish_eye(k, theta).0;
                    [bent * d.x / r, bent * d.y / r]
                }
            }
        };
        Some([0, 1].map(|i| self.focal[i] * at[i] + self.center[i]))
    }

    /// Unit direction in which a pixel looks, if the lens lets it see anything.
    pub fn direction(&self, pixel: [f64; 2]) -> Option<Vec3> {
        let at = [0, 1].map(|i| (pixel[i] - self.center[i]) / self.focal[i]);
        match &self.distortion {
            Distortion::BrownConrady(k) => {
                let [x, y] = straight(k, at)?;
                let d = Vec3::new(x, y, 1.0);
                Some(d.scale(1.0 / d.norm()))
            }
            Distortion::FishEye(k) => {
                let r = (at[0] * at[0] + at[1] * at[1]).sqrt();
                let theta = angle(k, r)?;
                let (s, c) = sin_cos(theta);
                let out = if r > 0.0 { s / r } else { 0.0 };
                Some(Vec3::new(out * at[0], out * at[1], c))
            }
        }
    }
}

/// Behind a flat port across the axis, `distance` [m] ahead of the lens: where a ray leaves it, and in which direction. (4)
pub fn through_port(d: Vec3, distance: f64) -> Option<(Vec3, Vec3)> {
    if d.z <= 0.0 {
        return None;
    }
    let (x, y) = (d.x / WATER_INDEX, d.y / WATER_INDEX);
    let bent = Vec3::new(x, y, (1.0 - x * x - y * y).sqrt());
    Some((d.scale(distance / d.z), bent))
}

/// (2) and its derivatives by x and by y.
fn brown(&[k1, k2, p1, p2, k3]: &[f64; 5], [x, y]: [f64; 2]) -> ([f64; 2], [[f64; 2]; 2]) {
    let r2 = x * x + y * y;
    let radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3));
    // by r²
    let slope = k1 + r2 * (2.0 * k2 + 3.0 * r2 * k3);
    let at = [
        x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x),
        y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y,
    ];
    let mixed = 2.0 * x * y * slope + 2.0 * p1 * x + 2.0 * p2 * y;
    let rows = [
        [
            radial + 2.0 * x * x * slope + 2.0 * p1 * y + 6.0 * p2 * x,
            mixed,
        ],
        [
            mixed,
            radial + 2.0 * y * y * slope + 6.0 * p1 * y + 2.0 * p2 * x,
        ],
    ];
    (at, rows)
}

/// The inverse of (2), on the part about the axis where it does not turn back.
fn straight(k: &[f64; 5], at: [f64; 2]) -> Option<[f64; 2]> {
    let mut p = at;
    for _ in 0..STEPS {
        let (is, [[a, b], [c, d]]) = brown(k, p);
        let (ex, ey) = (at[0] - is[0], at[1] - is[1]);
        let det = a * d - b * c;
        if ex.abs() + ey.abs() < ENOUGH {
            return (det > 0.0 && a > 0.0).then_some(p);
        }
        if det.abs() < 1e-12 {
            return None;
        }
        p = [
            p[0] + (d * ex - b * ey) / det,
            p[1] + (a * ey - c * ex) / det,
        ];
        if !(p[0].abs() < 1e3 && p[1].abs() < 1e3) {
            return None;
        }
    }
    None
}

/// θ_d of (3) and its derivative by θ.
fn fish_eye(&[k1, k2, k3, k4]: &[f64; 4], theta: f64) -> (f64, f64) {
    let t = theta * theta;
    let bent = theta * (1.0 + t * (k1 + t * (k2 + t * (k3 + t * k4))));
    (
        bent,
        1.0 + t * (3.0 * k1 + t * (5.0 * k2 + t * (7.0 * k3 + t * 9.0 * k4))),
    )
}

/// The inverse of (3) in θ.
fn angle(k: &[f64; 4], bent: f64) -> Option<f64> {
    let mut theta = bent.min(1.5);
    for _ in 0..STEPS {
        let (is, slope) = fish_eye(k, theta);
        if (bent - is).abs() < ENOUGH {
            return (slope > 0.0 && theta <= std::f64::consts::PI).then_some(theta);
        }
        if slope.abs() < 1e-9 {
            return None;
        }
        theta = (theta + (bent - is) / slope).clamp(0.0, 4.0);
    }
    None
}
