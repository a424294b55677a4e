//! Reports the progress and the end of goals: from the simulation state between two blocks of
//! steps, through the publisher thread, to the clients.
//!
//! For each group, the control stores the newest goal and the previous one under the numbers given
//! with the commands. This module maps these numbers to the clients' goals while they are
//! executing.

use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::input::mailbox::Mailbox;
use crate::topics::GroupIndex;
use merrow_messages::frames::ObjectStates;
use merrow_model::scene::{Correspondence, Scene};
use merrow_model::state::joint::{Goal, GoalState, Measured};
use merrow_model::state::{Command, JointCommand};
use merrow_ros2::action_type::Action;
use merrow_ros2::goals::{GoalId, GoalOutcome};
use merrow_ros2::node::GoalHandle;
use merrow_sim::{Reply, Request, SceneVersion, Simulation};

/// Status of the goals of a group.
#[derive(Clone, Copy, Debug)]
pub struct GroupStatus {
    /// Group of joints, by index.
    pub group: GroupIndex,
    /// Newest goal and the previous one.
    pub goals: [Option<Goal>; 2],
    /// Whether the robot is halted; its joints then do not move.
    pub halted: bool,
    /// Measured state of the first joint of the group.
    pub first: Measured,
}

impl GroupStatus {
    /// Reads the status of a group between two blocks of steps.
    pub fn read(simulation: &Simulation, group_index: GroupIndex) -> Self {
        let (robot, state) = (
            &simulation.scene.robots[group_index.robot],
            &simulation.state.robots[group_index.robot],
        );
        let group = &state.groups[group_index.group];
        let first = robot.joint_groups[group_index.group].joints.first();
        Self {
            group: group_index,
            goals: [group.goal, group.previous_goal],
            halted: state.halted.is_some(),
            first: first
                .map(|joint| state.measured(robot, *joint))
                .unwrap_or_default(),
        }
    }

    /// Returns true if the goals have not changed since `before`.
    pub fn is_unchanged(&self, before: &Self) -> bool {
        self.goals == before.goals && self.halted == before.halted
    }

    /// Returns the state of goal `number`; `None` if the run has not processed it yet.
    fn goal_state(&self, number: u64) -> Option<ClientGoalState> {
        let found = self.goals.iter().flatten().find(|goal| goal.id == number);
        let later = self.goals.iter().flatten().any(|goal| goal.id > number);
        let preempted = ClientGoalState {
            state: GoalState::Preempted,
            stalled: false,
        };
        found
            .map(|goal| ClientGoalState {
                state: goal.state,
                stalled: goal.stalled,
            })
            .or(later.then_some(preempted))
    }
}

/// State of a goal for its client.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClientGoalState {
    /// State of the goal. It is "active" at the end only if the robot was halted.
    pub state: GoalState,
    /// Whether a gripper was stopped by an object before it reached its position.
    pub stalled: bool,
}

/// Observer that reports the goals of a group to the clients.
pub trait GoalObserver: Send + Sync {
    /// Returns the observed group of joints in a version of the scene; `None` if it is not part of
    /// it.
    fn group_index(&self, version: SceneVersion) -> Option<GroupIndex>;
    /// Follows the group to the next version of the scene. Ends its goal if its robot was removed.
    fn change_scene(&self, version: SceneVersion, same: &Correspondence);
    /// Sets the group and the connection for later goals.
    fn bind(&self, group_index: GroupIndex, mailbox: &Mailbox);
    /// Processes a change of the status of the group's goals.
    fn observe(&self, scene: &Scene, status: &GroupStatus);
    /// Publishes feedback on the executing goal of the group.
    fn publish_feedback(&self, scene: &Scene, snapshot: &ObjectStates, group_index: GroupIndex);
    /// Ends goals with numbers up to `up_to`, which a reset of the world has removed.
    fn end_removed_goals(&self, up_to: u64);
}

/// Conversion of the status of an action's goals to messages.
pub(super) trait GoalReport: Action {
    /// Builds the result of a goal that ended with this state.
    fn build_result(scene: &Scene, status: &GroupStatus, goal: ClientGoalState) -> Self::Result;
    /// Builds the feedback of a goal.
    fn build_feedback(
        scene: &Scene,
        snapshot: &ObjectStates,
        group_index: GroupIndex,
    ) -> Self::Feedback;
    /// Builds the result of a goal that was aborted for a reason outside of its group.
    fn aborted_result(reason: &str) -> Self::Result;
}

/// The executing goal of a client in a group, with its number in the control.
pub(super) struct Slot<A: Action> {
    binding: Mutex<Binding>,
    observed: Mutex<Observed>,
    active: Mutex<Option<(u64, GoalHandle<A>)>>,
}

/// Group of joints whose status is observed, in a version of the scene; `None` if its robot was
/// removed.
#[derive(Clone, Copy)]
struct Observed {
    version: SceneVersion,
    group_index: Option<GroupIndex>,
}

/// Group of joints that an action moves, and the connection to the world. Both change with the
/// scene.
#[derive(Clone)]
pub(super) struct Binding {
    /// Group of joints, by index.
    pub group_index: GroupIndex,
    /// Connection to the world.
    pub mailbox: Mailbox,
}

impl<A: GoalReport> Slot<A> {
    /// Creates an empty slot.
    pub(super) fn new(group_index: GroupIndex, mailbox: &Mailbox) -> Arc<Self> {
        Arc::new(Self {
            binding: Mutex::new(Binding {
                group_index,
                mailbox: mailbox.clone(),
            }),
            observed: Mutex::new(Observed {
                version: mailbox.version,
                group_index: Some(group_index),
            }),
            active: Mutex::new(None),
        })
    }

    /// Returns the current group and connection.
    pub(super) fn binding(&self) -> Binding {
        self.lock_binding().clone()
    }

    fn lock_observed(&self) -> MutexGuard<'_, Observed> {
        self.observed.lock()
    }

    fn lock_binding(&self) -> MutexGuard<'_, Binding> {
        self.binding.lock()
    }

    /// Sends a goal to the run, as the command that `command` builds from the goal number.
    pub(super) fn start(
        &self,
        goal: GoalHandle<A>,
        command: impl FnOnce(GroupIndex, u64) -> Command,
    ) {
        let Binding {
            group_index,
            mailbox,
        } = self.binding();
        let number = crate::arm::goal_number(&mailbox.progress);
        *self.lock() = Some((number, goal.clone()));
        let progress = Arc::clone(&mailbox.progress);
        let reply = Reply::new(
            move |taken: Result<(), merrow_model::state::commands::CommandRejection>| {
                progress.applied.fetch_max(number, Ordering::Relaxed);
                if let Err(rejection) = taken {
                    goal.finish(GoalOutcome::Aborted, A::aborted_result(&rejection.reason));
                }
            },
        );
        let command = command(group_index, number);
        // sending fails if the run has ended
        let _ = mailbox
            .requests
            .send(Request::CommandReply(mailbox.version, command, None, reply));
    }

    /// Requests the run to cancel a goal.
    pub(super) fn cancel(&self, id: GoalId) {
        let under_way = self.lock();
        let Some((number, _)) = under_way.as_ref().filter(|(_, goal)| goal.id() == id) else {
            return;
        };
        let binding = self.binding();
        let GroupIndex { robot, group } = binding.group_index;
        let command = Command::Joint(robot, JointCommand::CancelGoal { group, id: *number });
        let request = Request::Command(binding.mailbox.version, command);
        let _ = binding.mailbox.requests.send(request);
    }

    fn end(&self, number: u64, end: GoalOutcome, result: A::Result) {
        let mut under_way = self.lock();
        if let Some((_, goal)) = under_way.take_if(|(current, _)| *current == number) {
            drop(under_way);
            goal.finish(end, result);
        }
    }

    fn number(&self) -> Option<u64> {
        self.lock().as_ref().map(|(number, _)| *number)
    }

    fn lock(&self) -> MutexGuard<'_, Option<(u64, GoalHandle<A>)>> {
        self.active.lock()
    }
}

impl<A: GoalReport> GoalObserver for Slot<A> {
    fn group_index(&self, version: SceneVersion) -> Option<GroupIndex> {
        let observed = *self.lock_observed();
        observed.group_index.filter(|_| observed.version == version)
    }

    fn change_scene(&self, version: SceneVersion, same: &Correspondence) {
        let mut observed = self.lock_observed();
        if observed.version >= version {
            return;
        }
        let group_index = observed
            .group_index
            .and_then(|GroupIndex { robot, group }| {
                let robot = same.robot(robot)?;
                Some(GroupIndex { robot, group })
            });
        let is_removed = group_index.is_none() && observed.group_index.is_some();
        *observed = Observed {
            version,
            group_index,
        };
        drop(observed);
        if let Some(number) = self.number().filter(|_| is_removed) {
            let result = A::aborted_result("the robot was removed");
            self.end(number, GoalOutcome::Aborted, result);
        }
    }

    fn bind(&self, group_index: GroupIndex, mailbox: &Mailbox) {
        *self.lock_binding() = Binding {
            group_index,
            mailbox: mailbox.clone(),
        };
    }

    fn observe(&self, scene: &Scene, status: &GroupStatus) {
        let Some(number) = self.number() else { return };
        let Some(goal) = status.goal_state(number) else {
            return;
        };
        let end = match goal.state {
            GoalState::Active if !status.halted => return,
            GoalState::Active | GoalState::Aborted(_) | GoalState::Preempted => {
                GoalOutcome::Aborted
            }
            GoalState::Succeeded => GoalOutcome::Succeeded,
            GoalState::Cancelled => GoalOutcome::Canceled,
        };
        self.end(number, end, A::build_result(scene, status, goal));
    }

    fn publish_feedback(&self, scene: &Scene, snapshot: &ObjectStates, group_index: GroupIndex) {
        let goal = self.lock().as_ref().map(|(_, goal)| goal.clone());
        if let Some(goal) = goal {
            goal.feedback(|| A::build_feedback(scene, snapshot, group_index));
        }
    }

    fn end_removed_goals(&self, up_to: u64) {
        if let Some(number) = self.number().filter(|number| *number <= up_to) {
            self.end(
                number,
                GoalOutcome::Aborted,
                A::aborted_result("the world was reset"),
            );
        }
    }
}
