//! Memory of servos, and the goals of groups of joints.

use crate::scene::{Drive, Joint, JointGroup, JointMode, Robot};
use crate::state::fault::Effect;
use std::sync::Arc;

/// Memory of one joint's drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointMemory {
    /// What it is asked for.
    pub mode: JointMode,
    /// Its set-point in that mode, as commanded, or as sampled from a trajectory.
    pub reference: Reference,
    /// Effort that its motor may give now; a gripper's goal lowers it [N m or N].
    pub effort_limit: f64,
    /// Effort that the controller asks the motor for [N m or N].
    pub effort: f64,
    /// Integral of the velocity error [rad or m].
    pub integral: f64,
    /// Velocity error of the last tick [rad/s or m/s].
    pub last_error: f64,
    /// Ticks made so far: index of the next due instant and of the encoder's noise.
    pub ticks: u64,
    /// What the encoder and the current sensor said at the last tick.
    pub measured: Measured,
    /// Position and velocity of the rotor at the joint, where a gap or a spring lies between them.
    pub rotor: [f64; 2],
    /// Effort of the motor over the present step, before the gear's losses [N m or N].
    pub motor_effort: f64,
    /// Temperature of the winding over the water's [K].
    pub heat: f64,
    /// Command of an ideal drive as it was given: `joint_commands` holds what faults leave of it.
    pub asked: f64,
    /// What faults do to its drive.
    pub fault: Effect,
}

/// A set-point of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reference {
    /// Position [rad or m].
    pub position: f64,
    /// Velocity [rad/s or m/s].
    pub velocity: f64,
    /// Acceleration [rad/s² or m/s²].
    pub acceleration: f64,
    /// Effort: the command in effort mode, else what a trajectory adds [N m or N].
    pub effort: f64,
}

/// What a joint reports of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Position [rad or m].
    pub position: f64,
    /// Velocity [rad/s or m/s].
    pub velocity: f64,
    /// Effort, from the motor's current [N m or N]; NaN for ideal drives.
    pub effort: f64,
    /// Current [A]; NaN if not known.
    pub current: f64,
    /// Temperature of the winding [°C]; NaN if not known.
    pub temperature: f64,
}

/// A trajectory as `trajectory_msgs/JointTrajectory` has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory {
    /// Joints, in the order of the values: indices as in `Motion::q`.
    pub joints: Vec<usize>,
    /// Points, times rising.
    pub points: Vec<TrajectoryPoint>,
    /// Instant from which the times count [ns]; none: when it is accepted.
    pub start_ns: Option<u64>,
    /// Tolerances on the way, one per joint, or none at all: the robot's own.
    pub path_tolerance: Vec<Tolerance>,
    /// Tolerances at the end, one per joint, or none at all: the robot's own.
    pub goal_tolerance: Vec<Tolerance>,
    /// Time after the end within which the goal must be reached [s]; 0: the robot's own.
    pub goal_time_tolerance: f64,
}

/// A point of a trajectory. Velocities, accelerations and efforts may be empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrajectoryPoint {
    /// Positions [rad or m].
    pub positions: Vec<f64>,
    /// Velocities [rad/s or m/s].
    pub velocities: Vec<f64>,
    /// Accelerations [rad/s² or m/s²].
    pub accelerations: Vec<f64>,
    /// Efforts, fed forward [N m or N].
    pub effort: Vec<f64>,
    /// Time from the start of the trajectory [ns].
    pub time_from_start_ns: u64,
}

/// As `control_msgs/JointTolerance`: 0 is the default, negative any value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// Position [rad or m].
    pub position: f64,
    /// Velocity [rad/s or m/s].
    pub velocity: f64,
    /// Acceleration [rad/s² or m/s²]; accelerations are not measured, so it is not watched.
    pub acceleration: f64,
}

/// What a group of joints is doing.
#[derive(Clone, Debug, Default)]
pub struct GroupState {
    /// The newest goal.
    pub goal: Option<Goal>,
    /// The one before it, as it ended.
    pub before: Option<Goal>,
    /// What drives the joints while the goal is active, and after a trajectory's end until another command.
    pub task: Option<Task>,
}

/// A goal and how it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The number its sender gave it.
    pub id: u64,
    /// How it stands.
    pub state: GoalState,
    /// When it was accepted [ns].
    pub accepted_ns: u64,
    /// When it came to `state` [ns].
    pub since_ns: u64,
    /// For a gripper: true if it stopped before its position, against something.
    pub stalled: bool,
}

/// How a goal stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GoalState {
    /// Under way.
    Active,
    /// Reached.
    Succeeded,
    /// Given up by the controller.
    Aborted(Abort),
    /// Another command took its place.
    Preempted,
    /// Cancelled by its sender.
    Cancelled,
}

/// Why a goal was given up. Joints are indices as in `Motion::q`.
#[allow(missing_docs)] // `text` says what the fields are
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Abort {
    /// Too far from the path.
    Path {
        joint: usize,
        velocity: bool,
        error: f64,
        tolerance: f64,
    },
    /// Not at the goal in time.
    Goal {
        joint: usize,
        velocity: bool,
        error: f64,
        tolerance: f64,
    },
    /// The gripper stopped before its goal.
    Stalled {
        joint: usize,
        position: f64,
        effort: f64,
    },
    /// The controller stopped the arm before a box of the vehicle.
    KeepOut { link: usize },
}

/// What drives a group.
#[derive(Clone, Debug)]
pub enum Task {
    /// A trajectory.
    Trajectory(ActiveTrajectory),
    /// A gripper's goal.
    Gripper(ActiveGripper),
}

/// A trajectory under way.
#[derive(Clone, Debug)]
pub struct ActiveTrajectory {
    /// What was asked for.
    pub trajectory: Arc<Trajectory>,
    /// Where the joints of the trajectory were when it was accepted, before its first point.
    pub from: Arc<[Reference]>,
    /// When it was accepted [ns].
    pub accepted_ns: u64,
    /// From where its times count [ns].
    pub start_ns: u64,
    /// The segment that was last sampled: index of the point it leads to.
    pub segment: usize,
}

/// A gripper's goal under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActiveGripper {
    /// When it last moved [ns].
    pub moved_ns: u64,
}

/// A joint against its set-point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tracking {
    /// What it should do.
    pub desired: Reference,
    /// What it does, as measured.
    pub actual: Measured,
    /// Desired less actual position [rad or m], the short way round for continuous joints.
    pub position_error: f64,
    /// Desired less actual velocity [rad/s or m/s].
    pub velocity_error: f64,
}

impl JointMemory {
    /// At rest at `q`.
    pub fn new(joint: &Joint, q: f64) -> Self {
        let unknown = f64::NAN;
        let servo = joint.servo();
        Self {
            mode: joint.start_mode(),
            reference: Reference {
                position: q,
                ..Reference::default()
            },
            effort_limit: joint.max_effort,
            effort: 0.0,
            integral: 0.0,
            last_error: 0.0,
            ticks: 0,
            measured: Measured {
                position: q,
                velocity: 0.0,
                effort: if servo.is_some() { 0.0 } else { unknown },
                current: if servo.is_some_and(|s| s.actuator.effort_per_ampere > 0.0) {
                    0.0
                } else {
                    unknown
                },
                temperature: unknown,
            },
            rotor: [q, 0.0],
            motor_effort: 0.0,
            heat: 0.0,
            asked: if let Drive::Position { .. } = joint.drive {
                q
            } else {
                0.0
            },
            fault: Effect::NONE,
        }
    }
}

impl GoalState {
    /// True if nothing more will happen.
    pub fn is_over(&self) -> bool {
        *self != GoalState::Active
    }
}

impl Abort {
    /// `error_code` of `control_msgs/action/FollowJointTrajectory`.
    pub fn code(&self) -> i32 {
        match self {
            Abort::Path { .. } => -4,
            Abort::Goal { .. } => -5,
            // the message has no code of its own for these
            Abort::Stalled { .. } | Abort::KeepOut { .. } => -4,
        }
    }

    /// In one line.
    pub fn text(&self, robot: &Robot) -> String {
        let name = |joint: usize| &robot.links[joint + 1].joint.name;
        let what = |velocity: bool| if velocity { "velocity" } else { "position" };
        match *self {
            Abort::Path {
                joint,
                velocity,
                error,
                tolerance,
            } => format!(
                "joint {}: {} error {error:.6} on the path, tolerance {tolerance}",
                name(joint),
                what(velocity)
            ),
            Abort::Goal {
                joint,
                velocity,
                error,
                tolerance,
            } => format!(
                "joint {}: {} error {error:.6} at the goal after the goal time, tolerance {tolerance}",
                name(joint),
                what(velocity)
            ),
            Abort::Stalled {
                joint,
                position,
                effort,
            } => {
                format!(
                    "joint {}: stalled at {position:.6} with effort {effort:.3}",
                    name(joint)
                )
            }
            Abort::KeepOut { link } => {
                format!(
                    "link {} would enter a box that the controller keeps clear",
                    robot.links[link].name
                )
            }
        }
    }
}

impl crate::state::RobotState {
    /// What joint `joint` reports: its encoder's last tick for a servo, the truth for an ideal drive.
    pub fn measured(&self, robot: &Robot, joint: usize) -> Measured {
        let memory = &self.joints[joint];
        match robot.links[joint + 1].joint.drive {
            Drive::Servo(_) => memory.measured,
            _ => Measured {
                position: self.motion.q[joint],
                velocity: self.motion.qd[joint],
                ..memory.measured
            },
        }
    }

    /// Joint `joint` against its set-point.
    pub fn tracking(&self, robot: &Robot, joint: usize) -> Tracking {
        let (desired, actual) = (self.joints[joint].reference, self.measured(robot, joint));
        let position_error = difference(
            &robot.links[joint + 1].joint,
            desired.position,
            actual.position,
        );
        Tracking {
            desired,
            actual,
            position_error,
            velocity_error: desired.velocity - actual.velocity,
        }
    }

    /// The group that joint `joint` is in.
    pub fn group_of(robot: &Robot, joint: usize) -> Option<usize> {
        robot
            .joint_groups
            .iter()
            .position(|g: &JointGroup| g.joints.contains(&joint))
    }
}

/// `a - b`, the short way round for a joint that turns without limits.
pub fn difference(joint: &Joint, a: f64, b: f64) -> f64 {
    const TURN: f64 = 2.0 * std::f64::consts::PI;
    let d = a - b;
    match joint.kind {
        crate::scene::JointKind::Continuous => d - TURN * (d / TURN).round(),
        _ => d,
    }
}
