//! The joint between a link and its parent.

use crate::math::{Mat3, Vec3};

/// What a joint lets move, along or about the z axis of the child's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Turns about z, within limits.
    Revolute,
    /// Turns about z without limits.
    Continuous,
    /// Slides along z.
    Prismatic,
    /// Holds the child. Such links are merged into their parents when the world is built, but for those with damping
    /// of their own; the coordinate of those stays 0.
    Fixed,
}

/// What holds or moves a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drive {
    /// A torque (or force) as commanded, plus a spring: `tau = command - k (q - rest)` [N m or N].
    Effort {
        /// Spring constant [N m/rad or N/m].
        stiffness: f64,
        /// Position at which the spring rests [rad or m].
        rest: f64,
    },
    /// An ideal position drive: follows the commanded position as a critically damped second-order system
    /// within its speed and acceleration limits, whatever the load.
    Position {
        /// Natural frequency of the tracking [rad/s].
        bandwidth: f64,
        /// Speed limit [rad/s or m/s].
        max_speed: f64,
        /// Acceleration limit [rad/s² or m/s²].
        max_acceleration: f64,
    },
}

/// A joint: where it sits on the parent and how it moves.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Name, as published in `joint_states`.
    pub name: String,
    /// What moves.
    pub kind: JointKind,
    /// Child frame in the parent frame at q = 0.
    pub R_PC0: Mat3,
    /// Joint origin in the parent frame at q = 0 [m].
    pub p_PoCo0: Vec3,
    /// Lowest and highest position [rad or m]; infinite for continuous joints.
    pub limits: [f64; 2],
    /// Largest effort [N m or N].
    pub max_effort: f64,
    /// Viscous friction [N m s/rad or N s/m].
    pub damping: f64,
    /// Reflected inertia of the drive [kg m² or kg].
    pub armature: f64,
    /// Coulomb friction, the largest effort with which the joint resists motion [N m or N]. Solved by `contact`.
    pub friction: f64,
    /// What holds it.
    pub drive: Drive,
    /// Joint that it follows, whatever the load.
    pub mimic: Option<Mimic>,
}

/// A joint tied to another: `q = multiplier q_leader + offset`, kept by a gear that passes on the load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mimic {
    /// Link that the leading joint holds.
    pub leader: usize,
    /// Motion over that of the leader [rad/rad, m/rad and so on].
    pub multiplier: f64,
    /// Position when the leader is at 0 [rad or m].
    pub offset: f64,
}

impl Joint {
    /// True if forces move the joint; false if it is fixed or its drive prescribes its motion.
    pub fn is_free(&self) -> bool {
        self.kind != JointKind::Fixed && matches!(self.drive, Drive::Effort { .. })
    }
    /// The joint of a base link.
    pub fn base() -> Self {
        Self {
            name: String::new(),
            kind: JointKind::Fixed,
            R_PC0: Mat3::identity(),
            p_PoCo0: Vec3::zero(),
            limits: [f64::NEG_INFINITY, f64::INFINITY],
            max_effort: f64::INFINITY,
            damping: 0.0,
            armature: 0.0,
            friction: 0.0,
            drive: Drive::Effort { stiffness: 0.0, rest: 0.0 },
            mimic: None,
        }
    }
}
