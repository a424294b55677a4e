//! Keys of couplings between two bodies.

use merrow_yaml::spec::{choice, spec};

spec! {
    /// A coupling that joins two bodies permanently or on demand.
    pub struct CouplingConfig {
        /// First end: the seat of a latch, the gripper of a grasp.
        a: CouplingEndConfig,
        /// Second end. A grasp without a second end takes the object named in the command, the
        /// object that it touches, or the nearest one.
        b: Option<CouplingEndConfig>,
        /// Whether the coupling is engaged at the start. Default: true for weld, hinge, slide and
        /// ball, false for latch and grasp.
        engaged: Option<bool>,
        /// Force at which the coupling breaks. Default: never.
        break_force_n: Option<f64> [positive],
        /// Moment at which the coupling breaks. Default: never.
        break_moment_nm: Option<f64> [positive],
        ..kind: CouplingKindConfig,
    }
}

spec! {
    /// One end of a coupling: a frame on a link, or in the world if no robot is named.
    pub struct CouplingEndConfig {
        /// Name of the robot or prop. Default: the world.
        robot: Option<String> [name],
        /// Name of the link. Default: the base link.
        link: Option<String> [frame],
        /// Origin of the frame, in the link frame (forward, left, up) or in the world (east, north,
        /// up). A second end without position and attitude coincides with the first end at the
        /// start.
        position_m: Option<[f64; 3]>,
        /// Roll, pitch and yaw of the frame relative to the link frame or the world.
        attitude_deg: Option<[f64; 3]>,
    }
}

choice! {
    /// Degrees of freedom that a coupling leaves free.
    pub enum CouplingKindConfig {
        /// None: the two frames are fixed to each other.
        Weld = "weld",
        /// Rotation about z of the frames.
        Hinge = "hinge",
        /// Translation along z of the first frame.
        Slide = "slide",
        /// Rotation about all axes.
        Ball = "ball",
        /// Captures the second end (the tip) when it reaches the first end (the seat) along the z
        /// axis of the seat, and releases it on command.
        Latch = "latch" {
            /// Maximum distance between tip and seat for capture.
            distance_m: f64 [positive] = 0.05,
            /// Maximum angle between the two z axes for capture.
            angle_deg: f64 [in 0.0..=180.0] = 10.0,
            /// Maximum rotation about z for capture, which is then turned back to zero. Default:
            /// any rotation, which is kept.
            roll_deg: Option<f64> [in 0.0..=180.0],
            /// Maximum speed relative to the seat for capture.
            speed_m_s: f64 [positive] = 0.5,
            /// Maximum angular speed relative to the seat for capture.
            angular_speed_rad_s: f64 [positive] = 0.5,
            /// Funnel that guides the tip to the seat. Default: none.
            funnel: Option<FunnelConfig>,
        },
        /// Holds a nearby link on command, in its current relative pose.
        Grasp = "grasp" {
            /// Maximum distance of the grasped link from the first end, if the two do not touch.
            reach_m: f64 [non_negative] = 0.1,
        },
    }
}

spec! {
    /// A frictionless cone about the z axis of the seat of a latch. It constrains the tip laterally
    /// and is closed at the seat.
    pub struct FunnelConfig {
        /// Radius at the entrance.
        entrance_radius_m: f64 [positive],
        /// Radius at the seat.
        exit_radius_m: f64 [non_negative],
        /// Length of the funnel.
        length_m: f64 [positive],
    }
}
