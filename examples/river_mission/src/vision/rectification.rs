//! Rectification of a pair of cameras: images whose rows correspond, and points from disparities.
//!
//! # Law
//! Both images are turned to the axes x along the baseline b, z next to the line of sight of the left
//! camera, and y = z × x [Fusiello, Trucco, Verri 2000], without distortion and with one focal length f.
//! ```text
//!   Z = f |b| / d                                                                     (1)
//!   σ_Z = Z² σ_d / (f |b|)                                                            (2)
//! ```
//!
//! # Symbols
//! d disparity [px] · Z depth along the line of sight [m] · σ standard deviations.
//!
//! # Checked by
//! tests below: points of a pair with distortion, turned cameras and unusable pairs

use super::camera::Camera;
use image::GrayImage;
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Unit, Vector2, Vector3};

/// Least baseline [m].
const MIN_BASELINE_M: f64 = 1e-3;
/// Largest angle between the baseline and the x axis of the left camera, and of the right one to the
/// left one [rad].
const MAX_ANGLE: f64 = 0.35;

/// A pair of cameras that cannot be rectified.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "stereo: the right camera is at {position:?} m of the left optical frame and turned by {angle_deg:.0} deg; expected it at x > 0 beside the left camera, with about the same line of sight"
)]
pub struct PairError {
    /// Position of the right camera in the left optical frame [m].
    position: [f64; 3],
    /// Angle between both cameras [deg].
    angle_deg: f64,
}

/// A pair of cameras with the pixels of the rectified images.
#[derive(Debug, Clone)]
pub struct Pair {
    /// The camera of both rectified images.
    camera: Camera,
    /// Distance of the cameras [m].
    baseline_m: f64,
    /// From the rectified axes to the left optical frame.
    to_left: Rotation3<f64>,
    /// Pixels of left and right image at the pixels of the rectified ones, by rows.
    pixels: [Vec<Option<Vector2<f64>>>; 2],
}

impl Pair {
    /// Computes the rectification of two cameras; `right_in_left` is the pose of the right optical frame
    /// in the left one.
    ///
    /// # Errors
    /// The right camera is not beside the left one.
    pub fn new(
        left: &Camera,
        right: &Camera,
        right_in_left: &Isometry3<f64>,
    ) -> Result<Self, PairError> {
        let b = right_in_left.translation.vector;
        let angle = right_in_left.rotation.angle();
        let away = b.angle(&Vector3::x());
        if !(b.norm() > MIN_BASELINE_M && away < MAX_ANGLE && angle < MAX_ANGLE) {
            return Err(PairError {
                position: b.into(),
                angle_deg: angle.to_degrees(),
            });
        }
        let x = Unit::new_normalize(b);
        let z = Unit::new_normalize(Vector3::z() - x.into_inner() * x.z);
        let axes = Matrix3::from_columns(&[*x, z.cross(&x), *z]);
        let to_left = Rotation3::from_matrix_unchecked(axes);
        let to_right = right_in_left.rotation.to_rotation_matrix().inverse() * to_left;
        let fov = 2.0 * libm::atan(0.5 * f64::from(left.size[0]) / left.focal.x);
        let camera = Camera::ideal(left.size, fov);
        let pixels = [(left, to_left), (right, to_right)].map(|(of, turn)| {
            let [width, height] = camera.size;
            let all = (0..height).flat_map(|y| (0..width).map(move |x| [x, y]));
            let pixel = |p: [u32; 2]| {
                let ray = camera.ray(Vector2::from(p.map(f64::from)))?;
                let pixel = of.project(&(turn * ray))?;
                let last = of.size.map(|s| f64::from(s) - 1.0);
                let is_inside = (0..2).all(|k| pixel[k] >= 0.0 && pixel[k] <= last[k]);
                is_inside.then_some(pixel)
            };
            all.map(pixel).collect()
        });
        Ok(Self {
            camera,
            baseline_m: b.norm(),
            to_left,
            pixels,
        })
    }

    /// Returns the rectified images of the pair, black outside of the originals.
    ///
    /// # Panics
    /// An image does not have the size of its camera.
    #[must_use]
    pub fn rectify(&self, images: [&GrayImage; 2]) -> [GrayImage; 2] {
        let [width, height] = self.camera.size;
        std::array::from_fn(|side| {
            let values = self.pixels[side].iter().map(|pixel| match pixel {
                Some(p) => bilinear(images[side], p),
                None => 0,
            });
            GrayImage::from_raw(width, height, values.collect()).expect("a value per pixel")
        })
    }

    /// Returns the depth of a disparity [px] by (1) [m].
    #[must_use]
    pub fn depth_m(&self, disparity: f64) -> f64 {
        self.camera.focal.x * self.baseline_m / disparity
    }

    /// Returns the point of a pixel of the rectified left image with a disparity [px] in the left optical
    /// frame [m].
    #[must_use]
    pub fn point(&self, pixel: [u32; 2], disparity: f64) -> Option<Point3<f64>> {
        let ray = self.camera.ray(Vector2::from(pixel.map(f64::from)))?;
        Some(Point3::from(self.to_left * ray * self.depth_m(disparity)))
    }
}

/// Returns the grey value between four pixels.
fn bilinear(image: &GrayImage, p: &Vector2<f64>) -> u8 {
    let last = [image.width() - 1, image.height() - 1];
    let [x, y] = [p.x as u32, p.y as u32];
    let [right, below] = [(x + 1).min(last[0]), (y + 1).min(last[1])];
    let (a, b) = (p.x - f64::from(x), p.y - f64::from(y));
    let at = |x: u32, y: u32| f64::from(image.get_pixel(x, y)[0]);
    let upper = at(x, y) * (1.0 - a) + at(right, y) * a;
    let lower = at(x, below) * (1.0 - a) + at(right, below) * a;
    (upper * (1.0 - b) + lower * b).round() as u8
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use merrow_ros2::msg::sensor_msgs::CameraInfo;
    use nalgebra::UnitQuaternion;

    /// Description of a camera of 320 x 200 px with the lens of the boat.
    pub(crate) fn info(focal: f64) -> CameraInfo {
        CameraInfo {
            width: 320,
            height: 200,
            distortion_model: "plumb_bob".into(),
            k: [focal, 0.0, 159.5, 0.0, focal, 99.5, 0.0, 0.0, 1.0],
            d: vec![-0.05, 0.01, 0.0, 0.0, 0.0],
            ..CameraInfo::default()
        }
    }

    // Points that both cameras see, found again from their pixels.
    #[test]
    fn points_of_a_turned_pair_are_found_again() {
        let [left, right] = [230.0, 226.0].map(|f| Camera::from_info(&info(f)).unwrap());
        let turn = UnitQuaternion::from_euler_angles(0.01, -0.02, 0.015);
        let right_in_left = Isometry3::from_parts(Vector3::new(0.24, 0.01, -0.02).into(), turn);
        let pair = Pair::new(&left, &right, &right_in_left).unwrap();
        for p in [[-1.0, 0.4, 6.0], [2.0, -1.0, 12.0], [0.1, 1.0, 4.0]].map(Point3::from) {
            let sides = [
                (&left, p.coords, 0),
                (&right, (right_in_left.inverse() * p).coords, 1),
            ];
            let [a, b] = sides.map(|(camera, in_camera, side)| {
                let pixel = camera.project(&in_camera).unwrap();
                // the rectified pixel whose original is nearest
                let all = pair.pixels[side].iter().enumerate();
                let near = all.filter_map(|(k, of)| Some((k, (of.as_ref()? - pixel).norm())));
                let (k, _) = near.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
                [k as u32 % 320, k as u32 / 320]
            });
            assert!(a[1].abs_diff(b[1]) <= 1, "one row: {a:?} {b:?}");
            let found = pair.point(a, f64::from(a[0]) - f64::from(b[0])).unwrap();
            // of one pixel
            let error = p.z * p.z / (230.0 * 0.24) + 0.05;
            assert!((found - p).norm() < error, "{p} {found}");
        }
    }

    #[test]
    fn pairs_that_are_not_side_by_side_are_refused() {
        let camera = Camera::from_info(&info(230.0)).unwrap();
        let at = |x: f64, y: f64, yaw: f64| {
            let turn = UnitQuaternion::from_euler_angles(0.0, yaw, 0.0);
            let pose = Isometry3::from_parts(Vector3::new(x, y, 0.0).into(), turn);
            Pair::new(&camera, &camera, &pose).map(|_| ())
        };
        assert!(at(0.2, 0.0, 0.0).is_ok());
        for (x, y, yaw) in [
            (-0.2, 0.0, 0.0),
            (0.0, 0.0, 0.0),
            (0.1, 0.2, 0.0),
            (0.2, 0.0, 0.5),
        ] {
            let error = at(x, y, yaw).unwrap_err();
            assert!(error.to_string().starts_with("stereo: the right camera"));
        }
    }
}
