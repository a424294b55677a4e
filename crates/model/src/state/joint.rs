//! State of joint drives, and the goals of joint groups.

use crate::persist::Persist;
use crate::scene::Robot;
use crate::scene::robot::actuator::JointGroup;
use crate::scene::robot::joint::{Drive, Joint, JointMode};
use crate::state::fault_effect::FaultEffect;
use std::sync::Arc;

/// State of the drive of one joint.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct JointDriveState {
    /// Current command mode of the joint.
    pub mode: JointMode,
    /// Set-point in the current mode, commanded directly or sampled from a trajectory.
    pub reference: Reference,
    /// Current effort limit of the motor, reduced by a gripper goal [N m or N].
    pub effort_limit: f64,
    /// Effort that the controller commands to the motor [N m or N].
    pub effort: f64,
    /// Time integral of the velocity error [rad or m].
    pub integral: f64,
    /// Velocity error at the last tick [rad/s or m/s].
    pub last_error: f64,
    /// Number of ticks so far: index of the next tick time and of the encoder noise.
    pub ticks: u64,
    /// Measurement of the encoder and the current sensor at the last tick.
    pub measured: Measured,
    /// Rotor position [rad or m] and velocity [rad/s or m/s] at the joint side of the gear, with
    /// backlash or elasticity.
    pub rotor: [f64; 2],
    /// Motor effort over the current step, before gear losses [N m or N].
    pub motor_effort: f64,
    /// Winding temperature above the water temperature [K].
    pub heat: f64,
    /// Original command of an ideal drive; `joint_commands` holds the command after faults.
    pub original_command: f64,
    /// Effect of faults on the drive.
    pub fault: FaultEffect,
}

/// Set-point of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct Reference {
    /// Position [rad or m].
    pub position: f64,
    /// Velocity [rad/s or m/s].
    pub velocity: f64,
    /// Acceleration [rad/s² or m/s²].
    pub acceleration: f64,
    /// Effort: the command in effort mode, otherwise the feed-forward of a trajectory [N m or N].
    pub effort: f64,
}

/// Measured state of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct Measured {
    /// Position [rad or m].
    pub position: f64,
    /// Velocity [rad/s or m/s].
    pub velocity: f64,
    /// Effort from the motor current [N m or N]; NaN for ideal drives.
    pub effort: f64,
    /// Motor current [A]; NaN if unknown.
    pub current: f64,
    /// Winding temperature [°C]; NaN if unknown.
    pub temperature: f64,
}

/// Trajectory as in `trajectory_msgs/JointTrajectory`.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct Trajectory {
    /// Joint indices in the order of the values, as in `Motion::q`.
    pub joints: Vec<usize>,
    /// Points with ascending times.
    pub points: Vec<TrajectoryPoint>,
    /// Reference time of the point times [ns]; `None`: the time of acceptance.
    pub start_ns: Option<u64>,
    /// Path tolerances, one per joint; empty: tolerances of the robot.
    pub path_tolerance: Vec<Tolerance>,
    /// Goal tolerances, one per joint; empty: tolerances of the robot.
    pub goal_tolerance: Vec<Tolerance>,
    /// Time after the end within which the goal must be reached [s]; 0: the time of the robot.
    pub goal_time_tolerance: f64,
}

/// Point of a trajectory. Velocities, accelerations and efforts may be empty.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct TrajectoryPoint {
    /// Joint positions [rad or m].
    pub positions: Vec<f64>,
    /// Joint velocities [rad/s or m/s].
    pub velocities: Vec<f64>,
    /// Joint accelerations [rad/s² or m/s²].
    pub accelerations: Vec<f64>,
    /// Feed-forward efforts [N m or N].
    pub effort: Vec<f64>,
    /// Time after the start of the trajectory at which the point is reached [ns].
    pub time_from_start_ns: u64,
}

/// Tolerance as in `control_msgs/JointTolerance`: 0 selects the default, a negative value disables
/// the check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct Tolerance {
    /// Position tolerance [rad or m].
    pub position: f64,
    /// Velocity tolerance [rad/s or m/s].
    pub velocity: f64,
    /// Acceleration tolerance [rad/s² or m/s²]; not checked, because accelerations are not
    /// measured.
    pub acceleration: f64,
}

/// State of a joint group.
#[derive(Clone, Debug, Default, Persist)]
pub struct GroupState {
    /// Active goal, or the last goal if none is active; `None` before the first.
    pub goal: Option<Goal>,
    /// Preceding goal with its final state.
    pub previous_goal: Option<Goal>,
    /// Task that drives the joints while the goal is active, and after the end of a trajectory
    /// until the next command.
    pub task: Option<Task>,
}

/// Trajectory or gripper goal of a joint group, with its times.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Goal {
    /// Identifier given by the client.
    pub id: u64,
    /// Whether the goal is active, or how it ended.
    pub state: GoalState,
    /// Time of acceptance [ns].
    pub accepted_ns: u64,
    /// Time of the transition to `state` [ns].
    pub since_ns: u64,
    /// For a gripper: true if it stopped at an obstacle before its goal position.
    pub stalled: bool,
}

/// State of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub enum GoalState {
    /// The goal is being executed.
    Active,
    /// The goal was reached.
    Succeeded,
    /// The controller ended the goal without success, for this reason.
    Aborted(AbortReason),
    /// Another command replaced the goal.
    Preempted,
    /// The client cancelled the goal.
    Cancelled,
}

/// Joint out of its tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Violation {
    /// Index of the joint, as in `Motion::q`.
    pub joint: usize,
    /// True if its velocity is out of tolerance, false for its position.
    pub velocity: bool,
    /// Error of this quantity [rad or m, rad/s or m/s].
    pub error: f64,
    /// Tolerance that the error exceeds.
    pub tolerance: f64,
}

/// Reason for aborting a goal. Joints are indices as in `Motion::q`.
#[allow(missing_docs)] // `text` documents the fields
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub enum AbortReason {
    /// The path tolerance was exceeded.
    Path(Violation),
    /// Goal tolerance not met within the goal time.
    Goal(Violation),
    /// The gripper stalled before its goal.
    Stalled {
        joint: usize,
        position: f64,
        effort: f64,
    },
    /// The controller stopped the arm in front of a keep-out box.
    KeepOut { link: usize },
}

/// Task that drives a joint group.
#[derive(Clone, Debug, Persist)]
pub enum Task {
    /// Execution of a trajectory.
    Trajectory(ActiveTrajectory),
    /// Execution of a gripper goal.
    Gripper(ActiveGripper),
}

/// Trajectory that a group executes.
#[derive(Clone, Debug, Persist)]
pub struct ActiveTrajectory {
    /// Trajectory as requested by the client.
    pub trajectory: Arc<Trajectory>,
    /// Joint set-points at acceptance, used before the first point.
    pub from: Arc<[Reference]>,
    /// Time of acceptance [ns].
    pub accepted_ns: u64,
    /// Reference time of the point times [ns].
    pub start_ns: u64,
    /// Last sampled segment: index of its end point.
    pub segment: usize,
}

/// Gripper goal in execution.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct ActiveGripper {
    /// Time of the last motion [ns].
    pub moved_ns: u64,
}

/// Tracking error of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tracking {
    /// Set-point of the joint.
    pub desired: Reference,
    /// Measured state of the joint.
    pub actual: Measured,
    /// Desired minus actual position [rad or m], wrapped to the shorter direction for continuous
    /// joints.
    pub position_error: f64,
    /// Desired minus actual velocity [rad/s or m/s].
    pub velocity_error: f64,
}

impl JointDriveState {
    /// Creates the state at the position `q` [rad or m] and velocity `qd` [rad/s or m/s].
    pub fn new(joint: &Joint, q: f64, qd: f64) -> Self {
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
                velocity: qd,
                effort: if servo.is_some() { 0.0 } else { unknown },
                current: if servo.is_some_and(|s| s.actuator.effort_per_ampere > 0.0) {
                    0.0
                } else {
                    unknown
                },
                temperature: unknown,
            },
            rotor: [q, qd],
            motor_effort: 0.0,
            heat: 0.0,
            original_command: if let Drive::Position { .. } = joint.drive {
                q
            } else {
                0.0
            },
            fault: FaultEffect::NONE,
        }
    }
}

impl GoalState {
    /// Returns true if the goal has reached a final state.
    pub fn is_over(&self) -> bool {
        *self != GoalState::Active
    }
}

impl AbortReason {
    /// Returns the `error_code` of `control_msgs/action/FollowJointTrajectory`.
    pub fn code(&self) -> i32 {
        match self {
            AbortReason::Path(_) => -4,
            AbortReason::Goal(_) => -5,
            // the message defines no code for these
            AbortReason::Stalled { .. } | AbortReason::KeepOut { .. } => -4,
        }
    }

    /// Returns a one-line description for `robot`.
    pub fn text(&self, robot: &Robot) -> String {
        let name = |joint: usize| &robot.links[joint + 1].joint.name;
        let violation = |v: Violation, place: &str| {
            let (name, what) = (
                name(v.joint),
                if v.velocity { "velocity" } else { "position" },
            );
            let (error, tolerance) = (v.error, v.tolerance);
            format!("joint {name}: {what} error {error:.6} {place}, tolerance {tolerance}")
        };
        match *self {
            AbortReason::Path(v) => violation(v, "on the path"),
            AbortReason::Goal(v) => violation(v, "at the goal after the goal time"),
            AbortReason::Stalled {
                joint,
                position,
                effort,
            } => {
                format!(
                    "joint {}: stalled at {position:.6} with effort {effort:.3}",
                    name(joint)
                )
            }
            AbortReason::KeepOut { link } => {
                format!(
                    "link {} would enter a box that the controller keeps clear",
                    robot.links[link].name
                )
            }
        }
    }
}

impl crate::state::RobotState {
    /// Returns the measured state of a joint: the last encoder tick of a servo, the true state of
    /// an ideal drive.
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

    /// Returns set-point, measured state and error of a joint; the error is the set-point minus the
    /// measurement.
    pub fn tracking(&self, robot: &Robot, joint: usize) -> Tracking {
        let (desired, actual) = (self.joints[joint].reference, self.measured(robot, joint));
        let position_error = position_difference(
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

    /// Returns the index of the group that contains a joint.
    pub fn group_of(robot: &Robot, joint: usize) -> Option<usize> {
        robot
            .joint_groups
            .iter()
            .position(|g: &JointGroup| g.joints.contains(&joint))
    }
}

/// Returns `a - b` [rad or m], wrapped to the shorter direction for a continuous joint.
#[inline]
pub fn position_difference(joint: &Joint, a: f64, b: f64) -> f64 {
    const TURN: f64 = 2.0 * std::f64::consts::PI;
    let d = a - b;
    match joint.kind {
        crate::scene::robot::joint::JointKind::Continuous => d - TURN * (d / TURN).round(),
        _ => d,
    }
}
