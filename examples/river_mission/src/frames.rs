//! Poses, message headers, and the transforms between the frames of a robot.

use std::collections::BTreeMap;

use merrow_ros2::msg::geometry_msgs::{Point, Quaternion, Transform};
use merrow_ros2::msg::std_msgs::Header;
use merrow_ros2::msg::tf2_msgs::TFMessage;
use nalgebra::{Isometry3, Point3, Quaternion as Q, Translation3, UnitQuaternion, Vector3};

/// Frame of the maps and estimates of the mission: east, north and up at the datum.
pub const MAP_FRAME: &str = "map";

/// Longest chain of static transforms.
const MAX_CHAIN: usize = 32;

/// Builds a header.
pub fn header(frame: &str, stamp_ns: u64) -> Header {
    Header {
        stamp: merrow_ros2::msg::builtin_interfaces::Time::from_nanos(stamp_ns),
        frame_id: frame.to_owned(),
    }
}

/// Returns the stamp of a header [ns].
pub fn stamp_ns(header: &Header) -> u64 {
    header.stamp.to_nanos()
}

/// Converts a position.
pub fn point(p: &Point3<f64>) -> Point {
    Point {
        x: p.x,
        y: p.y,
        z: p.z,
    }
}

/// Converts a rotation.
pub fn quaternion(q: &UnitQuaternion<f64>) -> Quaternion {
    Quaternion {
        x: q.i,
        y: q.j,
        z: q.k,
        w: q.w,
    }
}

/// Converts a rotation of a message; `None` if it has no norm or is not finite.
pub fn rotation(q: &Quaternion) -> Option<UnitQuaternion<f64>> {
    UnitQuaternion::try_new(Q::new(q.w, q.x, q.y, q.z), 1e-6)
        .filter(|q| q.coords.iter().all(|c| c.is_finite()))
}

/// Converts a pose of a message; `None` if it is not finite or has no rotation.
pub fn isometry(position: &Point, orientation: &Quaternion) -> Option<Isometry3<f64>> {
    let p = Vector3::new(position.x, position.y, position.z);
    let q = rotation(orientation)?;
    let is_finite = p.iter().all(|c| c.is_finite());
    is_finite.then(|| Isometry3::from_parts(Translation3::from(p), q))
}

/// Returns roll, pitch and yaw of a rotation, about fixed axes x, y and z [rad].
pub fn roll_pitch_yaw(q: &UnitQuaternion<f64>) -> [f64; 3] {
    let (x, y, z, w) = (q.i, q.j, q.k, q.w);
    let sin_pitch = (2.0 * (w * y - z * x)).clamp(-1.0, 1.0);
    [
        libm::atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y)),
        libm::asin(sin_pitch),
        libm::atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)),
    ]
}

/// Returns the rotation with roll, pitch and yaw about fixed axes x, y and z [rad].
pub fn from_roll_pitch_yaw(rpy: [f64; 3]) -> UnitQuaternion<f64> {
    let [(sr, cr), (sp, cp), (sy, cy)] = rpy.map(|angle| libm::sincos(0.5 * angle));
    UnitQuaternion::new_normalize(Q::new(
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    ))
}

/// Returns the equal angle in (-pi, pi] [rad].
pub fn wrapped(angle_rad: f64) -> f64 {
    let turn = std::f64::consts::TAU;
    let rest = angle_rad - turn * (angle_rad / turn).round();
    match rest <= -std::f64::consts::PI {
        true => rest + turn,
        false => rest,
    }
}

/// Static transforms of a robot, from `/tf_static`.
#[derive(Clone, Debug, Default)]
pub struct StaticFrames {
    /// Parent and transform to it, by child.
    parents: BTreeMap<String, (String, Isometry3<f64>)>,
}

impl StaticFrames {
    /// Takes the transforms of a message. Transforms that are not finite are left out.
    pub fn add(&mut self, message: &TFMessage) {
        for stamped in &message.transforms {
            let Transform {
                translation: t,
                rotation: r,
            } = &stamped.transform;
            let position = Point {
                x: t.x,
                y: t.y,
                z: t.z,
            };
            if let Some(transform) = isometry(&position, r) {
                let parent = stamped.header.frame_id.clone();
                let child = stamped.child_frame_id.clone();
                self.parents.insert(child, (parent, transform));
            }
        }
    }

    /// Returns the transform from `frame` to `base`, one of its parents; `None` if there is none.
    pub fn to_base(&self, frame: &str, base: &str) -> Option<Isometry3<f64>> {
        let (mut at, mut transform) = (frame, Isometry3::identity());
        for _ in 0..MAX_CHAIN {
            if at == base {
                return Some(transform);
            }
            let (parent, to_parent) = self.parents.get(at)?;
            transform = to_parent * transform;
            at = parent;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_ros2::msg::geometry_msgs::{TransformStamped, Vector3 as Arrow};
    use std::f64::consts::PI;

    #[test]
    fn angles_and_rotations_are_inverse() {
        for rpy in [[0.1, -0.2, 0.3], [-1.0, 1.2, -3.0], [0.0, 0.0, PI]] {
            let back = roll_pitch_yaw(&from_roll_pitch_yaw(rpy));
            for k in 0..3 {
                assert!(wrapped(back[k] - rpy[k]).abs() < 1e-12, "{rpy:?} {back:?}");
            }
        }
        // a yaw of 90 degrees turns x to y
        let turned = from_roll_pitch_yaw([0.0, 0.0, 0.5 * PI]) * Vector3::x();
        assert!((turned - Vector3::y()).norm() < 1e-15);
    }

    #[test]
    fn angles_are_wrapped_to_half_a_turn() {
        assert!((wrapped(7.0) - (7.0 - 2.0 * PI)).abs() < 1e-15);
        assert_eq!(wrapped(PI), PI);
        assert!((wrapped(-PI) - PI).abs() < 1e-15);
        assert!((wrapped(-7.0) - (2.0 * PI - 7.0)).abs() < 1e-15);
    }

    #[test]
    fn static_frames_form_a_chain() {
        let stamped = |parent: &str, child: &str, x: f64, yaw: f64| TransformStamped {
            header: header(parent, 0),
            child_frame_id: child.to_owned(),
            transform: Transform {
                translation: Arrow { x, y: 0.0, z: 0.0 },
                rotation: quaternion(&from_roll_pitch_yaw([0.0, 0.0, yaw])),
            },
        };
        let mut frames = StaticFrames::default();
        frames.add(&TFMessage {
            transforms: vec![
                stamped("base", "mast", 1.0, 0.5 * PI),
                stamped("mast", "lidar", 2.0, 0.0),
                stamped("a", "b", 0.0, 0.0),
                stamped("b", "a", 0.0, 0.0),
            ],
        });
        let p = frames.to_base("lidar", "base").unwrap() * Point3::new(1.0, 0.0, 0.0);
        assert!((p - Point3::new(1.0, 3.0, 0.0)).norm() < 1e-12, "{p}");
        assert!(frames.to_base("base", "lidar").is_none());
        assert!(frames.to_base("a", "base").is_none(), "a circle ends");
    }
}
