//! Couplings between two bodies, permanent or releasable: welds, hinges, slides, balls, latches,
//! grasps.

use merrow_math::{Mat3, Quat, Vec3};

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

/// Type of a coupling: its free directions and how it engages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CouplingKind {
    /// Rigid connection, no free direction.
    Weld,
    /// Free rotation about z of the ends.
    Hinge,
    /// Free translation along z of the first end.
    Slide,
    /// Free rotation about all axes.
    Ball,
    /// Captures the second end when it comes close to the first, and releases it on command.
    Latch(Latch),
    /// Grasps a nearby body on command, at its current relative pose.
    Grasp {
        /// Maximum distance of the body from the first end [m].
        reach: f64,
    },
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
    /// Returns the type name in world files.
    pub fn keyword(&self) -> &'static str {
        match self {
            CouplingKind::Weld => "weld",
            CouplingKind::Hinge => "hinge",
            CouplingKind::Slide => "slide",
            CouplingKind::Ball => "ball",
            CouplingKind::Latch(_) => "latch",
            CouplingKind::Grasp { .. } => "grasp",
        }
    }
}

/// Docking latch. The second end (the tip) approaches along z of the first end (the seat).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latch {
    /// Maximum distance of the tip from the seat at capture [m].
    pub distance: f64,
    /// Maximum angle between the two z axes at capture [rad].
    pub angle: f64,
    /// Maximum rotation about z at capture, which the latch then corrects to zero [rad]; `None`:
    /// any rotation is accepted and kept.
    pub roll: Option<f64>,
    /// Maximum relative speed of tip and seat at capture [m/s].
    pub speed: f64,
    /// Maximum relative angular speed at capture [rad/s].
    pub spin: f64,
    /// Funnel that guides the tip to the seat.
    pub funnel: Option<Funnel>,
}

/// Frictionless cone about z of the first end of a latch. The tip cannot leave it sideways. It is
/// closed at the seat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Funnel {
    /// Radius at the entrance, at z = -length [m].
    pub entrance: f64,
    /// Radius at the seat, at z = 0 [m].
    pub exit: f64,
    /// Length of the cone [m].
    pub length: f64,
}

/// Mean load over one step at which a coupling breaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// Maximum force [N]; infinite: unbreakable.
    pub force: f64,
    /// Maximum moment at the second end [N m]; infinite: unbreakable.
    pub moment: f64,
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
    /// Load at which it breaks.
    pub strength: Strength,
}
