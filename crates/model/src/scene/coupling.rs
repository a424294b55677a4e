//! What holds two bodies together, for good or until it is told to let go: welds, hinges, slides, balls, latches, grasps.

use merrow_math::{Mat3, Quat, Vec3};

/// One end of a coupling: a frame E fixed to a link or to the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CouplingEnd {
    /// Fixed to a link.
    Link {
        /// Index of the robot.
        robot: usize,
        /// Index of the link.
        link: usize,
        /// Axes of E in L.
        R_LE: Mat3,
        /// Origin of E in L [m].
        p_LoE: Vec3,
    },
    /// Fixed in the world.
    World {
        /// Axes of E in W.
        R_WE: Mat3,
        /// Origin of E in W [m].
        p_WE: Vec3,
    },
}

impl CouplingEnd {
    /// Robot and link; none for the world.
    pub fn link(&self) -> Option<(usize, usize)> {
        match *self {
            CouplingEnd::Link { robot, link, .. } => Some((robot, link)),
            CouplingEnd::World { .. } => None,
        }
    }
}

/// What a coupling leaves free, and how it comes to hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CouplingKind {
    /// Nothing is free.
    Weld,
    /// Free to turn about z of the ends.
    Hinge,
    /// Free to move along z of the first end.
    Slide,
    /// Free to turn about all axes.
    Ball,
    /// Captures the second end when it comes to the first, and lets go when told.
    Latch(Latch),
    /// Takes hold of what is near when told, as it lies.
    Grasp {
        /// Farthest that what is taken may lie from the first end [m].
        reach: f64,
    },
}

impl CouplingKind {
    /// Which of x, y, z and the turns about them are held, along the axes of the first end.
    pub fn holds(&self) -> [bool; 6] {
        match self {
            CouplingKind::Weld | CouplingKind::Latch(_) | CouplingKind::Grasp { .. } => [true; 6],
            CouplingKind::Hinge => [true, true, true, true, true, false],
            CouplingKind::Slide => [true, true, false, true, true, true],
            CouplingKind::Ball => [true, true, true, false, false, false],
        }
    }
    /// The word for it.
    pub fn word(&self) -> &'static str {
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

/// A docking latch. The second end (the tip) comes in along z of the first (the seat).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latch {
    /// Farthest from the seat at which the tip is captured [m].
    pub distance: f64,
    /// Largest angle between the two z axes at which it is captured [rad].
    pub angle: f64,
    /// Largest turn about z at which it is captured, and which is then turned back [rad]; none: any turn, kept as it is.
    pub roll: Option<f64>,
    /// Largest speed of the tip against the seat at which it is captured [m/s].
    pub speed: f64,
    /// Largest angular speed of the two against each other at which it is captured [rad/s].
    pub spin: f64,
    /// What leads the tip to the seat.
    pub funnel: Option<Funnel>,
}

/// A smooth cone about z of a latch's first end that the tip does not leave sideways, closed at the seat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Funnel {
    /// Radius at its mouth, at z = -length [m].
    pub entrance: f64,
    /// Radius at the seat, at z = 0 [m].
    pub exit: f64,
    /// Length [m].
    pub length: f64,
}

/// Mean load over one step at which a coupling breaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// Force [N]; infinite: any.
    pub force: f64,
    /// Moment at the second end [N m]; infinite: any.
    pub moment: f64,
}

/// Two bodies that hold together, or can.
#[derive(Clone, Debug)]
pub struct Coupling {
    /// Name, as in its topics.
    pub name: String,
    /// First end: of a latch the seat, of a grasp the gripper.
    pub a: CouplingEnd,
    /// Second end; none for a grasp of whatever is near.
    pub b: Option<CouplingEnd>,
    /// What it leaves free.
    pub kind: CouplingKind,
    /// True if it holds at the start.
    pub engaged: bool,
    /// Pose of the second end in the first that a grasp holds at the start; of all others where both frames meet.
    pub start: (Vec3, Quat),
    /// Load at which it breaks.
    pub strength: Strength,
}
