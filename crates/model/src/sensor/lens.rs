//! Lens models: direction of a pixel and pixel of a direction.
//!
//! # Law
//! ```text
//!   u = fx x' + cx,  v = fy y' + cy                                 (1)
//!   x' = x (1 + k1 r² + k2 r⁴ + k3 r⁶) + 2 p1 x y + p2 (r² + 2 x²)  (2)  [Brown 1971]
//!   y' = y (1 + k1 r² + k2 r⁴ + k3 r⁶) + p1 (r² + 2 y²) + 2 p2 x y
//!   (x', y') = θ (1 + k1 θ² + k2 θ⁴ + k3 θ⁶ + k4 θ⁸) (x, y)/r       (3)  [Kannala and Brandt 2006]
//!   sin θ_w = sin θ/n                                               (4)  behind a flat port
//! ```
//! Newton's method computes the inverses of (2) and (3).
//!
//! # Symbols
//! (u, v) pixel [px], integers at pixel centres · (x, y) = (X/Z, Y/Z), r their distance from the
//! axis · θ angle to the axis [rad] · k, p coefficients · n refractive index of water relative to
//! air.
//!
//! # Frames
//! Optical frame: X right, Y down, Z forward.
//!
//! # Limits
//! (2) covers less than a hemisphere. Pixels beyond the monotonic range of the distortion have no
//! image. A flat port is infinitely thin.
//!
//! # Checked by
//! test/sensors/camera.rs, test/witness/devices/camera.rs

use merrow_math::Vec3;
use merrow_math::real::sin_cos;

/// Maximum iterations of Newton's method; it needs about five.
const MAX_NEWTON_STEPS: usize = 30;
/// Tolerance of Newton's method in (x', y').
const NEWTON_TOLERANCE: f64 = 1e-12;
/// Refractive index of water relative to air.
pub const WATER_INDEX: f64 = 1.34;

/// Camera lens: intrinsic parameters and distortion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    /// Focal lengths fx, fy [px].
    pub focal: [f64; 2],
    /// Principal point cx, cy [px].
    pub center: [f64; 2],
    /// Distortion model and its coefficients.
    pub distortion: Distortion,
}

/// Distortion model of a lens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distortion {
    /// Brown-Conrady (2): k1, k2, p1, p2, k3.
    BrownConrady([f64; 5]),
    /// Fish-eye (3): k1 to k4.
    FishEye([f64; 4]),
}

impl Lens {
    /// Returns a lens without distortion for images of `size` columns and rows, with the focal length
    /// `focal` [px] and the centre in the middle of the image.
    pub fn ideal(size: [usize; 2], focal: f64) -> Self {
        Self {
            focal: [focal; 2],
            center: size.map(|n| 0.5 * (n as f64 - 1.0)),
            distortion: Distortion::BrownConrady([0.0; 5]),
        }
    }

    /// Projects the direction `d` (optical frame) to a pixel [px] by (1). Returns `None` for (2) if
    /// `d` points behind the lens.
    pub fn project(&self, d: Vec3) -> Option<[f64; 2]> {
        let point = match &self.distortion {
            Distortion::BrownConrady(k) => {
                if d.z <= 0.0 {
                    return None;
                }
                brown_conrady(k, [d.x / d.z, d.y / d.z]).0
            }
            Distortion::FishEye(k) => {
                let r = (d.x * d.x + d.y * d.y).sqrt();
                let theta = libm::atan2(r, d.z);
                if r == 0.0 {
                    [0.0, 0.0]
                } else {
                    let distorted = fish_eye(k, theta).0;
                    [distorted * d.x / r, distorted * d.y / r]
                }
            }
        };
        Some([0, 1].map(|i| self.focal[i] * point[i] + self.center[i]))
    }

    /// Returns the unit direction of a pixel [px] in the optical frame, or `None` if the lens has
    /// no image there.
    pub fn direction(&self, pixel: [f64; 2]) -> Option<Vec3> {
        let point = [0, 1].map(|i| (pixel[i] - self.center[i]) / self.focal[i]);
        match &self.distortion {
            Distortion::BrownConrady(k) => {
                let [x, y] = undistort(k, point)?;
                let d = Vec3::new(x, y, 1.0);
                Some(d.scale(1.0 / d.norm()))
            }
            Distortion::FishEye(k) => {
                let r = (point[0] * point[0] + point[1] * point[1]).sqrt();
                let theta = angle(k, r)?;
                let (s, c) = sin_cos(theta);
                let radial_factor = if r > 0.0 { s / r } else { 0.0 };
                Some(Vec3::new(
                    radial_factor * point[0],
                    radial_factor * point[1],
                    c,
                ))
            }
        }
    }
}

/// Refracts a ray at a flat port normal to the axis, `distance` [m] in front of the lens. Returns
/// the exit point [m] and the unit direction in water by (4), or `None` if the unit direction `d`
/// does not point forward.
pub(crate) fn refract_at_port(d: Vec3, distance: f64) -> Option<(Vec3, Vec3)> {
    if d.z <= 0.0 {
        return None;
    }
    let (x, y) = (d.x / WATER_INDEX, d.y / WATER_INDEX);
    let refracted = Vec3::new(x, y, (1.0 - x * x - y * y).sqrt());
    Some((d.scale(distance / d.z), refracted))
}

/// Computes (2) and its Jacobian with respect to x and y.
fn brown_conrady(&[k1, k2, p1, p2, k3]: &[f64; 5], [x, y]: [f64; 2]) -> ([f64; 2], [[f64; 2]; 2]) {
    let r2 = x * x + y * y;
    let radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3));
    // derivative of `radial` with respect to r²
    let slope = k1 + r2 * (2.0 * k2 + 3.0 * r2 * k3);
    let point = [
        x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x),
        y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y,
    ];
    let mixed_derivative = 2.0 * x * y * slope + 2.0 * p1 * x + 2.0 * p2 * y;
    let rows = [
        [
            radial + 2.0 * x * x * slope + 2.0 * p1 * y + 6.0 * p2 * x,
            mixed_derivative,
        ],
        [
            mixed_derivative,
            radial + 2.0 * y * y * slope + 6.0 * p1 * y + 2.0 * p2 * x,
        ],
    ];
    (point, rows)
}

/// Inverts (2) in the region around the axis where it is monotonic.
fn undistort(k: &[f64; 5], point: [f64; 2]) -> Option<[f64; 2]> {
    let mut p = point;
    for _ in 0..MAX_NEWTON_STEPS {
        let (value, [[a, b], [c, d]]) = brown_conrady(k, p);
        let (ex, ey) = (point[0] - value[0], point[1] - value[1]);
        let det = a * d - b * c;
        if ex.abs() + ey.abs() < NEWTON_TOLERANCE {
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

/// Computes θ_d of (3) and its derivative with respect to θ.
fn fish_eye(&[k1, k2, k3, k4]: &[f64; 4], theta: f64) -> (f64, f64) {
    let t = theta * theta;
    let distorted = theta * (1.0 + t * (k1 + t * (k2 + t * (k3 + t * k4))));
    (
        distorted,
        1.0 + t * (3.0 * k1 + t * (5.0 * k2 + t * (7.0 * k3 + t * 9.0 * k4))),
    )
}

/// Inverts (3) for θ.
fn angle(k: &[f64; 4], distorted: f64) -> Option<f64> {
    let mut theta = distorted.min(1.5);
    for _ in 0..MAX_NEWTON_STEPS {
        let (value, slope) = fish_eye(k, theta);
        if (distorted - value).abs() < NEWTON_TOLERANCE {
            return (slope > 0.0 && theta <= std::f64::consts::PI).then_some(theta);
        }
        if slope.abs() < 1e-9 {
            return None;
        }
        theta = (theta + (distorted - value) / slope).clamp(0.0, 4.0);
    }
    None
}
