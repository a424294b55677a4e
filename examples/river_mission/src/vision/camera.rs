//! Rays of the pixels of a camera, from its `sensor_msgs/CameraInfo`.
//!
//! # Law
//! `plumb_bob`: Brown (1966), as in OpenCV 4, with the coefficients k1 k2 p1 p2 k3. `equidistant`:
//! Kannala and Brandt (2006), k1 to k4. Both distort the direction x = X/Z, y = Y/Z of a point; the
//! pixel is u = fx x' + cx, v = fy y' + cy.
//!
//! # Frames
//! Optical frame: x right, y down, z along the line of sight. Integer pixel coordinates are centres
//! of pixels.

use merrow_ros2::msg::sensor_msgs::CameraInfo;
use nalgebra::{Matrix2, Vector2, Vector3};

/// A camera description that cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CameraError {
    /// The image has no pixels, or a focal length or principal point is unusable.
    #[error(
        "camera_info: focal lengths {focal:?} px, principal point {center:?} px and {width} x {height} px describe no camera; calibrate the camera"
    )]
    Intrinsics {
        /// Focal lengths [px].
        focal: [f64; 2],
        /// Principal point [px].
        center: [f64; 2],
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// The distortion is not known to this program.
    #[error(
        "camera_info: distortion model `{model}` with {count} coefficients; expected `plumb_bob` with 5 or `equidistant` with 4"
    )]
    Distortion {
        /// Name in the message.
        model: String,
        /// Number of coefficients.
        count: usize,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Distortion {
    BrownConrady([f64; 5]),
    KannalaBrandt([f64; 4]),
}

/// Intrinsics of a camera.
#[derive(Debug, Clone, PartialEq)]
pub struct Camera {
    /// Columns and rows.
    pub size: [u32; 2],
    /// Focal lengths [px].
    pub focal: Vector2<f64>,
    center: Vector2<f64>,
    distortion: Distortion,
}

/// Steps of Newton's method: it converges quadratically, and the distortion of a lens is small.
const NEWTON_STEPS: usize = 12;
/// Remaining error of the inverse distortion.
const TOLERANCE: f64 = 1e-10;

impl Camera {
    /// Reads the intrinsics of a camera.
    ///
    /// # Errors
    /// If the numbers describe no camera, or the distortion model is another one.
    pub fn from_info(info: &CameraInfo) -> Result<Self, CameraError> {
        let (focal, center) = ([info.k[0], info.k[4]], [info.k[2], info.k[5]]);
        let is_usable = info.width > 0
            && info.height > 0
            && focal.iter().all(|f| f.is_finite() && *f > 0.0)
            && center.iter().all(|c| c.is_finite())
            && info.d.iter().all(|k| k.is_finite());
        if !is_usable {
            return Err(CameraError::Intrinsics {
                focal,
                center,
                width: info.width,
                height: info.height,
            });
        }
        let unknown = || CameraError::Distortion {
            model: info.distortion_model.clone(),
            count: info.d.len(),
        };
        let distortion = match info.distortion_model.as_str() {
            "plumb_bob" if info.d.is_empty() => Distortion::BrownConrady([0.0; 5]),
            "plumb_bob" => {
                Distortion::BrownConrady(info.d.as_slice().try_into().map_err(|_| unknown())?)
            }
            "equidistant" => {
                Distortion::KannalaBrandt(info.d.as_slice().try_into().map_err(|_| unknown())?)
            }
            _ => return Err(unknown()),
        };
        Ok(Self {
            size: [info.width, info.height],
            focal: Vector2::from(focal),
            center: Vector2::from(center),
            distortion,
        })
    }

    /// Returns a camera without distortion whose image is `size` pixels and whose view is
    /// `fov` [rad] wide.
    #[must_use]
    pub fn ideal(size: [u32; 2], fov: f64) -> Self {
        let focal = 0.5 * f64::from(size[0]) / (0.5 * fov).tan();
        Self {
            size,
            focal: Vector2::repeat(focal),
            center: Vector2::new(f64::from(size[0]) - 1.0, f64::from(size[1]) - 1.0) * 0.5,
            distortion: Distortion::BrownConrady([0.0; 5]),
        }
    }

    /// Returns the pixel of a point in the optical frame [m]; `None` behind the camera.
    #[must_use]
    pub fn project(&self, point: &Vector3<f64>) -> Option<Vector2<f64>> {
        if point.z <= 1e-9 {
            return None;
        }
        let ideal = point.xy() / point.z;
        let distorted = match &self.distortion {
            Distortion::BrownConrady(k) => brown_conrady(k, ideal),
            Distortion::KannalaBrandt(k) => {
                let r = ideal.norm();
                if r < 1e-12 {
                    ideal
                } else {
                    ideal * (kannala_brandt(k, r.atan()) / r)
                }
            }
        };
        Some(distorted.component_mul(&self.focal) + self.center)
    }

    /// Returns the direction of a pixel in the optical frame, with z = 1; `None` where the
    /// distortion has no inverse, and for directions across the line of sight.
    #[must_use]
    pub fn ray(&self, pixel: Vector2<f64>) -> Option<Vector3<f64>> {
        let distorted = (pixel - self.center).component_div(&self.focal);
        match &self.distortion {
            Distortion::BrownConrady(k) => {
                let mut ideal = distorted;
                for _ in 0..NEWTON_STEPS {
                    let error = brown_conrady(k, ideal) - distorted;
                    if error.norm() < TOLERANCE {
                        return Some(ideal.push(1.0));
                    }
                    const H: f64 = 1e-6;
                    let dx = brown_conrady(k, ideal + Vector2::x() * H)
                        - brown_conrady(k, ideal - Vector2::x() * H);
                    let dy = brown_conrady(k, ideal + Vector2::y() * H)
                        - brown_conrady(k, ideal - Vector2::y() * H);
                    let jacobian = Matrix2::from_columns(&[dx, dy]) / (2.0 * H);
                    ideal -= jacobian.try_inverse()? * error;
                }
                None
            }
            Distortion::KannalaBrandt(k) => {
                let radius = distorted.norm();
                if radius < 1e-12 {
                    return Some(distorted.push(1.0));
                }
                let mut theta = radius;
                for _ in 0..NEWTON_STEPS {
                    let error = kannala_brandt(k, theta) - radius;
                    if error.abs() < TOLERANCE {
                        return (0.0..1.55)
                            .contains(&theta)
                            .then(|| (distorted * (theta.tan() / radius)).push(1.0));
                    }
                    let t2 = theta * theta;
                    let slope = 1.0
                        + t2 * (3.0 * k[0]
                            + t2 * (5.0 * k[1] + t2 * (7.0 * k[2] + t2 * 9.0 * k[3])));
                    if slope <= 0.0 {
                        return None;
                    }
                    theta -= error / slope;
                }
                None
            }
        }
    }
}

fn brown_conrady(&[k1, k2, p1, p2, k3]: &[f64; 5], p: Vector2<f64>) -> Vector2<f64> {
    let (x, y) = (p.x, p.y);
    let r2 = x * x + y * y;
    let radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3));
    Vector2::new(
        x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x),
        y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y,
    )
}

/// Returns the distance from the principal point, in focal lengths, of a ray at the angle `theta`
/// [rad] to the line of sight.
fn kannala_brandt(&[k1, k2, k3, k4]: &[f64; 4], theta: f64) -> f64 {
    let t2 = theta * theta;
    theta * (1.0 + t2 * (k1 + t2 * (k2 + t2 * (k3 + t2 * k4))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(model: &str, d: Vec<f64>) -> CameraInfo {
        CameraInfo {
            width: 640,
            height: 480,
            distortion_model: model.into(),
            k: [417.0, 0.0, 319.5, 0.0, 416.0, 239.5, 0.0, 0.0, 1.0],
            d,
            ..CameraInfo::default()
        }
    }

    #[test]
    fn rays_invert_the_projection() {
        for info in [
            info("plumb_bob", vec![-0.08, 0.02, 0.001, -0.002, 0.0]),
            info("equidistant", vec![-0.02, 0.003, 0.0, 0.0]),
        ] {
            let camera = Camera::from_info(&info).unwrap();
            for pixel in [[0.0, 0.0], [639.0, 479.0], [319.5, 239.5], [100.0, 400.0]] {
                let pixel = Vector2::from(pixel);
                let ray = camera.ray(pixel).unwrap();
                let back = camera.project(&(ray * 7.0)).unwrap();
                assert!((back - pixel).norm() < 1e-6, "{pixel} {back}");
            }
        }
    }

    #[test]
    fn hostile_descriptions_are_refused() {
        let mut bad = info("plumb_bob", vec![0.0; 5]);
        bad.k[0] = f64::NAN;
        assert!(matches!(
            Camera::from_info(&bad),
            Err(CameraError::Intrinsics { .. })
        ));
        for (model, count) in [
            ("plumb_bob", 4),
            ("rational_polynomial", 8),
            ("equidistant", 5),
        ] {
            assert!(matches!(
                Camera::from_info(&info(model, vec![0.0; count])),
                Err(CameraError::Distortion { .. })
            ));
        }
    }
}
