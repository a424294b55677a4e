//! Couplings between two bodies, permanent or releasable: welds, hinges, slides, balls, latches,
//! grasps.

use merrow_math::{Mat3, Quat, Vec3};
use merrow_yaml::spec::spec;

/// One end of a coupling: a frame E fixed to a link or to the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CouplingEnd {
    /// Frame fixed to a link.
    Link {
        /// Index of the robot.
        robot: usize,
        /// Index of the link.
        link: usize,
        /// Rotation of E in L.
        R_LE: Mat3,
        /// Origin of E in L [m].
        p_LoE: Vec3,
    },
    /// Frame fixed in the world.
    World {
        /// Rotation of E in W.
        R_WE: Mat3,
        /// Origin of E in W [m].
        p_WE: Vec3,
    },
}

impl CouplingEnd {
    /// Returns the indices of robot and link; `None` for the world.
    pub fn link(&self) -> Option<(usize, usize)> {
        match *self {
            CouplingEnd::Link { robot, link, .. } => Some((robot, link)),
            CouplingEnd::World { .. } => None,
        }
    }
}

spec! {
    /// Degrees of freedom that a coupling leaves free.
    pub enum CouplingKind {
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
        Latch = "latch" (Latch),
        /// Holds a nearby link on command, in its current relative pose.
        Grasp = "grasp" {
            /// Maximum distance of the grasped link from the first end, if the two do not touch.
            reach_m: f64 [non_negative] = 0.1,
        },
    }
}

impl CouplingKind {
    /// Returns the constrained directions along the axes of the first end: translation x, y, z,
    /// then rotation about them.
    #[inline]
    pub fn constrained_directions(&self) -> [bool; 6] {
        match self {
            CouplingKind::Weld | CouplingKind::Latch(_) | CouplingKind::Grasp { .. } => [true; 6],
            CouplingKind::Hinge => [true, true, true, true, true, false],
            CouplingKind::Slide => [true, true, false, true, true, true],
            CouplingKind::Ball => [true, true, true, false, false, false],
        }
    }
}

spec! {
    /// Captures the second end (the tip) when it reaches the first end (the seat) along the z axis
    /// of the seat, and releases it on command.
    pub struct Latch {
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
        funnel: Option<Funnel>,
    }

    /// A frictionless cone about the z axis of the seat of a latch. It constrains the tip laterally
    /// and is closed at the seat.
    pub struct Funnel {
        /// Radius at the entrance.
        entrance_radius_m: f64 [positive],
        /// Radius at the seat.
        exit_radius_m: f64 [non_negative],
        /// Length of the funnel.
        length_m: f64 [positive],
    }
}

/// Coupling of two bodies, engaged or not.
#[derive(Clone, Debug)]
pub struct Coupling {
    /// Name, as in its topics.
    pub name: String,
    /// First end: the seat of a latch, the gripper of a grasp.
    pub a: CouplingEnd,
    /// Second end; `None` for a grasp of any nearby body.
    pub b: Option<CouplingEnd>,
    /// Type of the coupling.
    pub kind: CouplingKind,
    /// True if it is engaged at the start.
    pub engaged: bool,
    /// Initial pose (position [m], attitude) of the second end in the first, for a grasp that is
    /// engaged at the start. Identity for all other couplings.
    pub start: (Vec3, Quat),
    /// Mean force over one step at which it breaks [N]; `None`: never.
    pub break_force_n: Option<f64>,
    /// Mean moment over one step, at the second end, at which it breaks [N m]; `None`: never.
    pub break_moment_nm: Option<f64>,
}
