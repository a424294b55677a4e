//! Servers of the two gripper actions, `control_msgs/action/GripperCommand` and
//! `ParallelGripperCommand`, for one group of joints.

use std::sync::Arc;

use crate::arm::watch::{GroupStatus, Slot, Speech, Standing, Watched};
use crate::arm::{Place, state};
use crate::convert::header;
use crate::input::Mailbox;
use crate::node::frames::Snapshot;
use merrow_model::scene::{JointGroup, Robot, Scene};
use merrow_model::state::Command;
use merrow_model::state::joint::{GoalState, Measured};
use merrow_ros2::cdr::CdrError;
use merrow_ros2::dds::{ActionServer, Executor, GoalHandle, Node, NodeError};
use merrow_ros2::goals::GoalId;
use merrow_ros2::msg::control_msgs::{
    gripper_command as plain, parallel_gripper_command as parallel,
};
use merrow_ros2::msg::sensor_msgs::JointState;

/// Starts the action server named `label` for the group `place`. Returns the server and the
/// observer that reports on its goals.
///
/// # Errors
/// An endpoint could not be created.
pub fn start<A: Grip>(
    node: &Node,
    label: &str,
    place: Place,
    mailbox: &Mailbox,
) -> Result<(ActionServer<A>, Box<dyn Watched>), NodeError> {
    let slot = Slot::new(place);
    let gripper = Gripper {
        mailbox: mailbox.clone(),
        label: label.to_string(),
        place,
        slot: Arc::clone(&slot),
    };
    let server = ActionServer::start(node, label, Arc::clone(&mailbox.progress.now_ns), gripper)?;
    Ok((server, Box::new(slot)))
}

/// Checked goal of a gripper: target position and limit of the effort.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aim {
    /// Target position of its joints [m or rad].
    position: f64,
    /// Maximum effort [N or N m]; 0 means the maximum of the drives.
    max_effort: f64,
}

/// State of a gripper at the end of a goal.
#[derive(Debug, Clone, Default)]
pub struct Stand {
    joint: String,
    measured: Measured,
    stalled: bool,
    reached: bool,
}

/// One of the two gripper actions.
pub trait Grip: Speech {
    /// Extracts the target of a goal, or returns the reason why the goal is invalid.
    fn aim(robot: &Robot, group: &JointGroup, goal: Self::Goal) -> Result<Aim, String>;
    /// Builds the result message from the state of the gripper.
    fn result(stand: Stand) -> Self::Result;
}

struct Gripper<A: Grip> {
    mailbox: Mailbox,
    label: String,
    place: Place,
    slot: Arc<Slot<A>>,
}

impl<A: Grip> Executor<A> for Gripper<A> {
    type Task = Aim;

    fn check(&mut self, goal: A::Goal) -> Result<Aim, A::Result> {
        let (robot, group) = self.place.of(&self.mailbox.scene);
        A::aim(robot, group, goal)
            .and_then(sensible)
            .map_err(|reason| {
                self.mailbox.refuse(
                    Some(self.place.robot),
                    &self.label,
                    &format!("goal rejected: {reason}"),
                );
                A::given_up(&reason)
            })
    }

    fn start(&mut self, goal: GoalHandle<A>, aim: Aim) {
        let (
            Place { robot, group },
            Aim {
                position,
                max_effort,
            },
        ) = (self.place, aim);
        self.slot.start(&self.mailbox, goal, |id| Command::Gripper {
            robot,
            group,
            id,
            position,
            max_effort,
        });
    }

    fn cancel(&mut self, id: GoalId) {
        self.slot.cancel(&self.mailbox, id);
    }

    fn replaced(&mut self) -> A::Result {
        A::given_up("replaced by another goal")
    }

    fn malformed(&mut self, what: &str, why: &CdrError) {
        self.mailbox.refuse(
            None,
            &self.label,
            &format!("malformed {what} request: {why}"),
        );
    }
}

fn sensible(aim: Aim) -> Result<Aim, String> {
    if !aim.position.is_finite() {
        return Err(format!(
            "position is {}; expected a finite number",
            aim.position
        ));
    }
    if !(aim.max_effort.is_finite() && aim.max_effort >= 0.0) {
        return Err(format!(
            "max_effort is {}; expected 0 (no limit) or more",
            aim.max_effort
        ));
    }
    Ok(aim)
}

/// Returns the state of the gripper at the end of its goal.
fn stand(scene: &Scene, status: &GroupStatus, goal: Standing) -> Stand {
    let (robot, group) = status.place.of(scene);
    Stand {
        joint: first_name(robot, group),
        measured: status.first,
        stalled: goal.stalled,
        reached: goal.state == GoalState::Succeeded && !goal.stalled,
    }
}

fn first_name(robot: &Robot, group: &JointGroup) -> String {
    group
        .joints
        .first()
        .map(|joint| robot.links[joint + 1].joint.name.clone())
        .unwrap_or_default()
}

impl Grip for plain::Action {
    fn aim(_: &Robot, _: &JointGroup, goal: plain::Goal) -> Result<Aim, String> {
        Ok(Aim {
            position: goal.command.position,
            max_effort: goal.command.max_effort,
        })
    }

    fn result(stand: Stand) -> plain::Result {
        let Stand {
            measured,
            stalled,
            reached,
            ..
        } = stand;
        plain::Result {
            position: measured.position,
            effort: measured.effort,
            stalled,
            reached_goal: reached,
        }
    }
}

impl Speech for plain::Action {
    fn result_of(scene: &Scene, status: &GroupStatus, goal: Standing) -> plain::Result {
        Self::result(stand(scene, status, goal))
    }

    fn feedback_of(scene: &Scene, snapshot: &Snapshot, place: Place) -> plain::Feedback {
        let (_, group) = place.of(scene);
        let first = group
            .joints
            .first()
            .map(|joint| snapshot.tracking[place.robot][*joint]);
        let Some(first) = first else {
            return plain::Feedback::default();
        };
        let rules = &scene.robots[place.robot].trajectory_rules;
        plain::Feedback {
            position: first.actual.position,
            effort: first.actual.effort,
            stalled: false,
            reached_goal: first.position_error.abs() <= rules.gripper,
        }
    }

    fn given_up(_: &str) -> plain::Result {
        Self::result(Stand::default())
    }
}

impl Grip for parallel::Action {
    fn aim(robot: &Robot, group: &JointGroup, goal: parallel::Goal) -> Result<Aim, String> {
        let JointState {
            name,
            position,
            velocity,
            effort,
            ..
        } = goal.command;
        let known = |name: &String| {
            group
                .joints
                .iter()
                .any(|j| robot.links[j + 1].joint.name == *name)
        };
        if let Some(unknown) = name.iter().find(|name| !known(name)) {
            return Err(format!("no joint {unknown:?} in group {}", group.name));
        }
        let [position] = position[..] else {
            return Err(format!("found {} positions; expected 1", position.len()));
        };
        if let Some(velocity) = velocity.first() {
            return Err(format!(
                "found velocity {velocity}; expected none, because the drive determines the speed"
            ));
        }
        match effort[..] {
            [] => Ok(Aim {
                position,
                max_effort: 0.0,
            }),
            [max_effort] => Ok(Aim {
                position,
                max_effort,
            }),
            _ => Err(format!(
                "found {} efforts; expected 1 or none",
                effort.len()
            )),
        }
    }

    fn result(stand: Stand) -> parallel::Result {
        let Stand {
            joint,
            measured,
            stalled,
            reached,
        } = stand;
        let state = JointState {
            name: vec![joint],
            position: vec![measured.position],
            velocity: vec![measured.velocity],
            effort: vec![measured.effort],
            ..JointState::default()
        };
        parallel::Result {
            state,
            stalled,
            reached_goal: reached,
        }
    }
}

impl Speech for parallel::Action {
    fn result_of(scene: &Scene, status: &GroupStatus, goal: Standing) -> parallel::Result {
        Self::result(stand(scene, status, goal))
    }

    fn feedback_of(scene: &Scene, snapshot: &Snapshot, place: Place) -> parallel::Feedback {
        let (robot, group) = place.of(scene);
        let state = state::joints_of(robot, group.joints.iter().copied(), snapshot, place.robot);
        parallel::Feedback {
            state: JointState {
                header: header(snapshot.time_ns, ""),
                ..state
            },
        }
    }

    fn given_up(_: &str) -> parallel::Result {
        parallel::Result::default()
    }
}
