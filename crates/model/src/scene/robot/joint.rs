//! The joint between a link and its parent.

use crate::scene::robot::actuator::Servo;
use merrow_math::{Mat3, Vec3};

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

/// What a joint is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointMode {
    /// An effort [N m or N].
    Effort,
    /// A velocity [rad/s or m/s].
    Velocity,
    /// A position [rad or m].
    Position,
}

impl JointMode {
    /// As world files and messages call it.
    pub fn word(self) -> &'static str {
        match self {
            JointMode::Effort => "effort",
            JointMode::Velocity => "velocity",
            JointMode::Position => "position",
        }
    }
}

/// What holds or moves a joint.
#[derive(Clone, Debug, PartialEq)]
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
    /// A motor with gear, encoder and its own controller, which sets an effort between two steps.
    Servo(Box<Servo>),
}

/// A joint: where it sits on the parent and how it moves.
#[derive(Clone, Debug, PartialEq)]
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
    /// Largest speed that the joint is made for [rad/s or m/s]; that of its drive is no more.
    pub speed_limit: f64,
    /// Viscous friction [N m s/rad or N s/m].
    pub damping: f64,
    /// Inertia of the drive at the joint, gear ratio squared times the rotor's [kg m² or kg]; a rotor behind a gap or a
    /// spring is not part of it (`scene::actuator`).
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
        self.kind != JointKind::Fixed && !matches!(self.drive, Drive::Position { .. })
    }
    /// Its servo, if it has one.
    pub fn servo(&self) -> Option<&Servo> {
        match &self.drive {
            Drive::Servo(servo) => Some(servo),
            _ => None,
        }
    }
    /// What it is asked for at the start; ideal drives know no other mode.
    pub fn start_mode(&self) -> JointMode {
        match &self.drive {
            Drive::Effort { .. } => JointMode::Effort,
            Drive::Position { .. } => JointMode::Position,
            Drive::Servo(servo) => servo.mode,
        }
    }
    /// Largest speed that the joint and its drive allow [rad/s or m/s].
    pub fn max_speed(&self) -> f64 {
        match &self.drive {
            Drive::Effort { .. } => self.speed_limit,
            Drive::Position { max_speed, .. } => *max_speed,
            Drive::Servo(servo) => servo.max_speed,
        }
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
            speed_limit: f64::INFINITY,
            damping: 0.0,
            armature: 0.0,
            friction: 0.0,
            drive: Drive::Effort {
                stiffness: 0.0,
                rest: 0.0,
            },
            mimic: None,
        }
    }
}
