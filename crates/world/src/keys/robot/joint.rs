//! Keys of joints and of their drives.

use crate::keys::robot::servo::ServoConfig;
use crate::keys::urdf::MimicConfig;
use merrow_model::scene::JointKind;
use merrow_yaml::spec::spec;

spec! {
    /// A joint, with the conventions of URDF.
    pub struct JointConfig {
        /// Name of the joint. Default: the name of the link with `_joint` appended.
        name: Option<String> [frame],
        /// Type of the joint.
        kind: JointKind,
        /// Origin of the joint in the frame of the parent link (forward, left, up).
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Roll, pitch and yaw of the child frame relative to the parent frame, at joint position
        /// 0.
        attitude_rad: [f64; 3] = [0.0, 0.0, 0.0],
        /// Joint axis in the frame of the child link. It is normalised.
        axis: [f64; 3] = [0.0, 0.0, 1.0],
        /// Lower position limit of a revolute joint.
        lower_rad: Option<f64>,
        /// Upper position limit of a revolute joint.
        upper_rad: Option<f64>,
        /// Lower position limit of a prismatic joint.
        lower_m: Option<f64>,
        /// Upper position limit of a prismatic joint.
        upper_m: Option<f64>,
        /// Maximum effort [N m, or N for a prismatic joint]. Default: unlimited.
        max_effort: Option<f64> [positive],
        /// Maximum speed of the joint [rad/s, or m/s for a prismatic joint]. Drives, commands and
        /// trajectories respect it; other forces can exceed it. Default: unlimited.
        max_speed: Option<f64> [positive],
        /// Viscous friction [N m s/rad, or N s/m for a prismatic joint].
        damping: f64 [non_negative] = 0.0,
        /// Coulomb friction [N m, or N for a prismatic joint].
        friction: f64 [non_negative] = 0.0,
        /// Inertia of the drive, reflected to the joint [kg m2, or kg for a prismatic joint].
        armature: f64 [non_negative] = 0.0,
        /// Drive of the joint.
        drive: JointDriveConfig => "{kind: effort}",
        /// Joint whose motion this joint follows. Default: none.
        mimic: Option<MimicConfig>,
    }

    /// Drive of a joint.
    pub enum JointDriveConfig {
        /// Applies the commanded effort, plus a spring.
        Effort = "effort" {
            /// Stiffness of the spring [N m/rad or N/m].
            stiffness: f64 [non_negative] = 0.0,
            /// Joint position at which the spring exerts no effort [rad or m].
            spring_rest: f64 = 0.0,
        },
        /// Ideal position control: follows the commanded position regardless of the load.
        Position = "position" {
            /// Natural frequency of the position tracking.
            bandwidth_rad_s: f64 [positive] = 20.0,
            /// Maximum speed [rad/s or m/s].
            max_speed: f64 [positive] = 1.0,
            /// Maximum acceleration [rad/s2 or m/s2].
            max_acceleration: f64 [positive] = 10.0,
        },
        /// A motor with gear, encoder and its own controller.
        Servo = "servo" (ServoConfig),
    }
}
