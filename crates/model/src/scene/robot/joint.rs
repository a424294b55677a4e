//! Joint between a link and its parent.

use crate::persist::Persist;
use crate::scene::robot::actuator::Servo;
use merrow_math::{Mat3, Vec3};
use merrow_yaml::spec::spec;

spec! {
    /// Type of a joint.
    pub enum JointKind words {
        /// Rotation about the axis within limits.
        Revolute = "revolute",
        /// Rotation about the axis without limits.
        Continuous = "continuous",
        /// Translation along the axis within limits.
        Prismatic = "prismatic",
        /// No motion: the child is rigidly connected to the parent.
        Fixed = "fixed",
    }

    /// Control mode of a joint.
    #[derive(Persist)]
    pub enum JointMode words {
        /// Control of the effort.
        Effort = "effort",
        /// Control of the velocity.
        Velocity = "velocity",
        /// Control of the position.
        Position = "position",
    }
}

/// Law by which commands move a joint.
#[derive(Clone, Debug, PartialEq)]
pub enum Drive {
    /// Commanded torque (or force) plus a spring: `tau = command - k (q - spring_rest)` [N m or N].
    Effort {
        /// Spring constant [N m/rad or N/m].
        stiffness: f64,
        /// Rest position of the spring [rad or m].
        spring_rest: f64,
    },
    /// Ideal position drive: follows the commanded position as a critically damped second-order
    /// system within its speed and acceleration limits, independent of the load.
    Position {
        /// Natural frequency of the tracking [rad/s].
        bandwidth_rad_s: f64,
        /// Speed limit [rad/s or m/s].
        max_speed: f64,
        /// Acceleration limit [rad/s² or m/s²].
        max_acceleration: f64,
    },
    /// Motor with gear, encoder and controller. The controller sets the effort between two steps.
    Servo(Box<Servo>),
}

/// Joint of a link: pose on the parent, limits and drive.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name, as published in `joint_states`.
    pub name: String,
    /// Type of the joint.
    pub kind: JointKind,
    /// Rotation of the child frame in the parent frame at q = 0.
    pub R_PC0: Mat3,
    /// Joint origin in the parent frame at q = 0 [m].
    pub p_PoCo0: Vec3,
    /// Minimum and maximum position [rad or m]; infinite for continuous joints.
    pub limits: [f64; 2],
    /// Maximum effort [N m or N].
    pub max_effort: f64,
    /// Maximum speed of the joint [rad/s or m/s]; the limit of the drive is never higher.
    pub speed_limit: f64,
    /// Viscous friction [N m s/rad or N s/m].
    pub damping: f64,
    /// Drive inertia at the joint: squared gear ratio times rotor inertia [kg m² or kg]. A rotor
    /// behind backlash or elasticity is not included (`crate::scene::robot::actuator`).
    pub armature: f64,
    /// Coulomb friction: maximum effort with which the joint resists motion [N m or N]. The contact
    /// solver computes it.
    pub friction: f64,
    /// Drive of the joint.
    pub drive: Drive,
    /// Coupling to a leading joint, if any.
    pub mimic: Option<Mimic>,
}

/// Joint coupled to another: `q = multiplier q_leader + offset`. The constraint transmits the load
/// to the leader.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mimic {
    /// Index of the child link of the leading joint.
    pub leader: usize,
    /// Ratio of the motion to the motion of the leader [rad/rad, m/rad and so on].
    pub multiplier: f64,
    /// Position with the leader at 0 [rad or m].
    pub offset: f64,
}

impl Joint {
    /// Returns true if forces move the joint; false if it is fixed or its drive prescribes the
    /// motion.
    #[inline]
    pub fn is_free(&self) -> bool {
        self.kind != JointKind::Fixed && !matches!(self.drive, Drive::Position { .. })
    }
    /// Returns the servo of the joint, if any.
    #[inline]
    pub fn servo(&self) -> Option<&Servo> {
        match &self.drive {
            Drive::Servo(servo) => Some(servo),
            _ => None,
        }
    }
    /// Returns the command mode at the start; ideal drives have only this mode.
    pub fn start_mode(&self) -> JointMode {
        match &self.drive {
            Drive::Effort { .. } => JointMode::Effort,
            Drive::Position { .. } => JointMode::Position,
            Drive::Servo(servo) => servo.mode,
        }
    }
    /// Returns the maximum speed that the joint and its drive allow [rad/s or m/s].
    pub fn max_speed(&self) -> f64 {
        match &self.drive {
            Drive::Effort { .. } => self.speed_limit,
            Drive::Position { max_speed, .. } => *max_speed,
            Drive::Servo(servo) => servo.max_speed,
        }
    }
    /// Creates the joint of a base link: fixed, without name, limits, friction and drive inertia.
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
                spring_rest: 0.0,
            },
            mimic: None,
        }
    }
}
