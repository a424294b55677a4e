//! Reports the progress and the end of goals: from the simulation state between two blocks of
//! steps, through the publisher thread, to the clients.
//!
//! For each group, the control stores the newest goal and the previous one under the numbers given
//! with the commands. This module maps these numbers to the clients' goals while they are
//! executing.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::input::mailbox::Mailbox;
use crate::topics::GroupIndex;
use merrow_messages::frames::ObjectStates;
use merrow_model::scene::{Correspondence, JointGroup, Robot, Scene};
use merrow_model::state::JointCommand;
use merrow_model::state::commands::CommandRejection;
use merrow_model::state::joint::{Goal, GoalState, Measured};
use merrow_ros2::action_type::Action;
use merrow_ros2::cdr::CdrError;
use merrow_ros2::goals::{GoalId, GoalOutcome};
use merrow_ros2::node::{ActionServer, Executor, GoalHandle, Node, NodeError};
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

/// A running action server. Dropping it stops the server.
pub type RunningAction = Box<dyn Send>;

/// Starts the action server named `label` for the group `group_index`. Returns the server and the
/// observer that reports on its goals.
///
/// # Errors
/// An endpoint could not be created.
pub(super) fn start<A: GroupAction>(
    node: &Node,
    label: &str,
    group_index: GroupIndex,
    mailbox: &Mailbox,
) -> Result<(RunningAction, Arc<dyn GoalObserver>), NodeError> {
    let slot: Arc<Slot<A>> = Slot::new(group_index, mailbox);
    let executor = GroupExecutor {
        label: label.to_string(),
        slot: Arc::clone(&slot),
    };
    let now_ns = Arc::clone(&mailbox.run.progress.now_ns);
    let server = ActionServer::start(node, label, now_ns, executor)?;
    Ok((Box::new(server), slot))
}

/// An action of a group of joints: its goals as commands, and the status of its goals as messages.
pub(super) trait GroupAction: Action {
    /// A checked goal.
    type Task;
    /// Checks a goal at the simulation time `now_ns` [ns].
    ///
    /// # Errors
    /// The reason why the goal is invalid, and the result for its client.
    fn check(
        robot: &Robot,
        group: &JointGroup,
        goal: Self::Goal,
        now_ns: u64,
    ) -> Result<Self::Task, (String, Self::Result)>;
    /// Builds the command that starts the goal `id` of the group with this index.
    fn command(group: usize, id: u64, task: Self::Task) -> JointCommand;
    /// Builds the result of a goal that ended with this state.
    fn build_result(scene: &Scene, status: &GroupStatus, goal: ClientGoalState) -> Self::Result;
    /// Builds the feedback of a goal.
    fn build_feedback(
        scene: &Scene,
        snapshot: &ObjectStates,
        group_index: GroupIndex,
    ) -> Self::Feedback;
    /// Builds the result of a goal that was aborted for a reason outside of its group.
    fn aborted_result(_reason: &str) -> Self::Result {
        Self::Result::default()
    }
}

/// Executor of the goals of a group.
struct GroupExecutor<A: Action> {
    label: String,
    slot: Arc<Slot<A>>,
}

impl<A: GroupAction> Executor<A> for GroupExecutor<A> {
    type Task = A::Task;

    fn check(&mut self, goal: A::Goal) -> Result<A::Task, A::Result> {
        let Binding {
            group_index,
            mailbox,
        } = self.slot.binding();
        let (robot, group) = group_index.lookup(&mailbox.scene);
        let now_ns = mailbox.run.progress.now_ns.load(Ordering::Relaxed);
        A::check(robot, group, goal, now_ns).map_err(|(reason, result)| {
            let why = format!("goal rejected: {reason}");
            mailbox.reject(Some(group_index.robot), &self.label, &why);
            result
        })
    }

    fn start(&mut self, goal: GoalHandle<A>, task: A::Task) {
        let Binding {
            group_index: GroupIndex { robot, group },
            mailbox,
        } = self.slot.binding();
        let number = crate::arm::goal_number(&mailbox.run.progress);
        *self.slot.active.lock() = Some((number, goal.clone()));
        let progress = Arc::clone(&mailbox.run.progress);
        let reply = Reply::new(move |taken: Result<(), CommandRejection>| {
            progress.applied.fetch_max(number, Ordering::Relaxed);
            if let Err(rejection) = taken {
                goal.finish(GoalOutcome::Aborted, A::aborted_result(&rejection.reason));
            }
        });
        let command = A::command(group, number, task).of(robot);
        let request = Request::CommandReply(mailbox.version, command, None, reply);
        mailbox.send_request(request);
    }

    fn cancel(&mut self, id: GoalId) {
        let under_way = self.slot.active.lock();
        let Some((number, _)) = under_way.as_ref().filter(|(_, goal)| goal.id() == id) else {
            return;
        };
        let binding = self.slot.binding();
        let GroupIndex { robot, group } = binding.group_index;
        let command = JointCommand::CancelGoal { group, id: *number }.of(robot);
        let request = Request::Command(binding.mailbox.version, command);
        binding.mailbox.send_request(request);
    }

    fn replaced_result(&mut self) -> A::Result {
        A::aborted_result("replaced by another goal")
    }

    fn report_malformed(&mut self, what: &str, why: &CdrError) {
        let why = format!("malformed {what} request: {why}");
        let mailbox = self.slot.binding().mailbox;
        mailbox.reject(None, &self.label, &why);
    }
}

/// The executing goal of a client in a group, with its number in the control.
struct Slot<A: Action> {
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
struct Binding {
    group_index: GroupIndex,
    mailbox: Mailbox,
}

impl<A: GroupAction> Slot<A> {
    /// Creates an empty slot.
    fn new(group_index: GroupIndex, mailbox: &Mailbox) -> Arc<Self> {
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
    fn binding(&self) -> Binding {
        self.binding.lock().clone()
    }

    fn end(&self, number: u64, end: GoalOutcome, result: A::Result) {
        let mut under_way = self.active.lock();
        if let Some((_, goal)) = under_way.take_if(|(current, _)| *current == number) {
            drop(under_way);
            goal.finish(end, result);
        }
    }

    fn number(&self) -> Option<u64> {
        self.active.lock().as_ref().map(|(number, _)| *number)
    }
}

impl<A: GroupAction> GoalObserver for Slot<A> {
    fn group_index(&self, version: SceneVersion) -> Option<GroupIndex> {
        let observed = *self.observed.lock();
        observed.group_index.filter(|_| observed.version == version)
    }

    fn change_scene(&self, version: SceneVersion, same: &Correspondence) {
        let mut observed = self.observed.lock();
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
        *self.binding.lock() = Binding {
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
        let goal = self.active.lock().as_ref().map(|(_, goal)| goal.clone());
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
