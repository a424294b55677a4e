//! Keys of couplings between two bodies.

use merrow_model::scene::CouplingKind;
use merrow_yaml::spec::spec;

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
        ..kind: CouplingKind,
    }

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
