//! How goals go: from the state between two blocks to the clients, by way of the outlet's thread.
//!
//! The control keeps, per group, the newest goal and the one before it under the numbers that were given with the
//! commands. Which number is which client's goal is remembered here, for as long as it is under way.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::arm::Place;
use crate::input::Mailbox;
use crate::node::frames::Snapshot;
use merrow_model::scene::Scene;
use merrow_model::state::Command;
use merrow_model::state::joint::{Goal, GoalState, Measured};
use merrow_ros2::action_type::Action;
use merrow_ros2::dds::GoalHandle;
use merrow_ros2::goals::{End, GoalId};
use merrow_sim::{Reply, Request, Simulation};

/// Where the run is, for those who give and take goals.
#[derive(Debug, Default)]
pub struct Progress {
    /// Simulated time [ns].
    pub now_ns: Arc<AtomicU64>,
    /// The newest number of a goal.
    pub newest: AtomicU64,
    /// The newest number of a client's goal that the run has taken in.
    pub applied: AtomicU64,
}

/// How the goals of a group stand.
#[derive(Clone, Copy, Debug)]
pub struct GroupStatus {
    /// Which group.
    pub place: Place,
    /// The newest goal and the one before it.
    pub goals: [Option<Goal>; 2],
    /// True if the robot stands still for good.
    pub halted: bool,
    /// What the first joint of the group reports.
    pub first: Measured,
}

impl GroupStatus {
    /// Of a group between two blocks.
    pub fn of(simulation: &Simulation, place: Place) -> Self {
        let (robot, state) = (
            &simulation.scene.robots[place.robot],
            &simulation.state.robots[place.robot],
        );
        let group = &state.groups[place.group];
        let first = robot.joint_groups[place.group].joints.first();
        Self {
            place,
            goals: [group.goal, group.before],
            halted: state.halted.is_some(),
            first: first
                .map(|joint| state.measured(robot, *joint))
                .unwrap_or_default(),
        }
    }

    /// True if nothing has happened to the goals since `before`.
    pub fn is_as(&self, before: &Self) -> bool {
        self.goals == before.goals && self.halted == before.halted
    }

    /// How goal `number` stands; nothing while the run has not taken it in yet.
    fn standing_of(&self, number: u64) -> Option<Standing> {
        let found = self.goals.iter().flatten().find(|goal| goal.id == number);
        let later = self.goals.iter().flatten().any(|goal| goal.id > number);
        let preempted = Standing {
            state: GoalState::Preempted,
            stalled: false,
        };
        found
            .map(|goal| Standing {
                state: goal.state,
                stalled: goal.stalled,
            })
            .or(later.then_some(preempted))
    }
}

/// How a goal stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Its state; one that is active stands on a robot that is halted.
    pub state: GoalState,
    /// For a gripper: it stopped before its position, against something.
    pub stalled: bool,
}

/// Somebody who tells clients how the goals of a group go.
pub trait Watched: Send {
    /// The group.
    fn place(&self) -> Place;
    /// Takes in that something has happened to its goals.
    fn observe(&self, scene: &Scene, status: &GroupStatus);
    /// Tells how the goal under way goes.
    fn feedback(&self, scene: &Scene, snapshot: &Snapshot);
    /// Takes in that the world has forgotten all goals up to a number.
    fn forgotten(&self, up_to: u64);
}

/// What an action says of its goals.
pub trait Speech: Action {
    /// The result of a goal that ended like this.
    fn result_of(scene: &Scene, status: &GroupStatus, goal: Standing) -> Self::Result;
    /// How a goal goes.
    fn feedback_of(scene: &Scene, snapshot: &Snapshot, place: Place) -> Self::Feedback;
    /// The result of a goal that was given up for a reason outside of its group.
    fn given_up(reason: &str) -> Self::Result;
}

/// The client's goal under way in a group, and the number that the control knows it by.
pub struct Slot<A: Action> {
    place: Place,
    under_way: Mutex<Option<(u64, GoalHandle<A>)>>,
}

impl<A: Speech> Slot<A> {
    /// An empty one.
    pub fn new(place: Place) -> Arc<Self> {
        Arc::new(Self {
            place,
            under_way: Mutex::new(None),
        })
    }

    /// Hands a goal to the run, as the command that `command` makes of its number.
    pub fn start(
        &self,
        mailbox: &Mailbox,
        goal: GoalHandle<A>,
        command: impl FnOnce(u64) -> Command,
    ) {
        let number = crate::arm::goal_number(&mailbox.progress);
        *self.lock() = Some((number, goal.clone()));
        let progress = Arc::clone(&mailbox.progress);
        let reply = Reply::new(
            move |taken: Result<(), merrow_model::state::commands::Refusal>| {
                progress.applied.fetch_max(number, Ordering::Relaxed);
                if let Err(refusal) = taken {
                    goal.finish(End::Aborted, A::given_up(&refusal.reason));
                }
            },
        );
        // a world that has ended takes no commands
        let _ = mailbox
            .requests
            .send(Request::CommandReply(command(number), reply));
    }

    /// Asks the run to end a goal.
    pub fn cancel(&self, mailbox: &Mailbox, id: GoalId) {
        let under_way = self.lock();
        let Some((number, _)) = under_way.as_ref().filter(|(_, goal)| goal.id() == id) else {
            return;
        };
        let Place { robot, group } = self.place;
        let _ = mailbox.requests.send(Request::Command(Command::CancelGoal {
            robot,
            group,
            id: *number,
        }));
    }

    fn end(&self, number: u64, end: End, result: A::Result) {
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
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl<A: Speech> Watched for Arc<Slot<A>> {
    fn place(&self) -> Place {
        self.place
    }

    fn observe(&self, scene: &Scene, status: &GroupStatus) {
        let Some(number) = self.number() else { return };
        let Some(goal) = status.standing_of(number) else {
            return;
        };
        let end = match goal.state {
            GoalState::Active if !status.halted => return,
            GoalState::Active | GoalState::Aborted(_) | GoalState::Preempted => End::Aborted,
            GoalState::Succeeded => End::Succeeded,
            GoalState::Cancelled => End::Canceled,
        };
        self.end(number, end, A::result_of(scene, status, goal));
    }

    fn feedback(&self, scene: &Scene, snapshot: &Snapshot) {
        let goal = self.lock().as_ref().map(|(_, goal)| goal.clone());
        if let Some(goal) = goal {
            goal.feedback(|| A::feedback_of(scene, snapshot, self.place));
        }
    }

    fn forgotten(&self, up_to: u64) {
        if let Some(number) = self.number().filter(|number| *number <= up_to) {
            self.end(number, End::Aborted, A::given_up("the world was reset"));
        }
    }
}
