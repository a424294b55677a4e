//! The goals of one action server: in which state each is, what came of it, and who waits to hear that.
//!
//! States, transitions, rules of canceling and the memory of results are those of rcl_action (Jazzy). A server of ours
//! does one thing at a time, so a new goal ends the one before. Nothing here knows DDS or what a goal asks for.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::convert::time;
use super::msg::action_msgs::{CancelGoalResponse, GoalInfo, GoalStatus, GoalStatusArray};
use super::msg::builtin_interfaces::Time;
use super::msg::unique_identifier_msgs::UUID;

/// A client's name for a goal.
pub type GoalId = [u8; 16];

/// How long the result of an ended goal is kept, in wall time: as rcl has it since Iron.
const RESULT_TIMEOUT: Duration = Duration::from_secs(10);

/// Goals that are remembered at most; beyond, the oldest ended ones are forgotten early.
const MAX_GOALS: usize = 256;

/// Requests for the result of one goal that wait at most; beyond, the oldest is given up.
const MAX_WAITING: usize = 64;

/// How a goal ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It was done.
    Succeeded,
    /// It could not be done.
    Aborted,
    /// A client took it back.
    Canceled,
}

impl End {
    /// The constant of `action_msgs/msg/GoalStatus`.
    pub fn status(self) -> i8 {
        match self {
            Self::Succeeded => GoalStatus::STATUS_SUCCEEDED,
            Self::Aborted => GoalStatus::STATUS_ABORTED,
            Self::Canceled => GoalStatus::STATUS_CANCELED,
        }
    }
}

/// What is known of a result that somebody asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known<'a, R, W> {
    /// The goal has ended, with this status; the request may be answered.
    Ended(W, i8, &'a R),
    /// The goal is under way: the request waits.
    Waits,
    /// There is no such goal.
    Unknown(W),
}

#[derive(Debug)]
struct Goal<R, W> {
    id: GoalId,
    stamp: Time,
    status: i8,
    /// Once it has ended: when, and what came of it.
    result: Option<(Instant, R)>,
    waiting: VecDeque<W>,
}

impl<R, W> Goal<R, W> {
    fn is_cancelable(&self) -> bool {
        matches!(self.status, GoalStatus::STATUS_ACCEPTED | GoalStatus::STATUS_EXECUTING)
    }

    fn info(&self) -> GoalInfo {
        GoalInfo { goal_id: UUID { uuid: self.id }, stamp: self.stamp.clone() }
    }
}

/// The goals of a server, oldest first; `R` is a result, `W` a request that waits for one.
#[derive(Debug)]
pub struct Goals<R, W> {
    goals: VecDeque<Goal<R, W>>,
}

impl<R, W> Default for Goals<R, W> {
    fn default() -> Self {
        Self { goals: VecDeque::new() }
    }
}

impl<R, W> Goals<R, W> {
    /// Takes in a goal, which is executed from now on; false if its name is taken.
    pub fn accept(&mut self, id: GoalId, now_ns: u64) -> bool {
        if self.goals.iter().any(|goal| goal.id == id && goal.status != GoalStatus::STATUS_UNKNOWN) {
            return false;
        }
        self.add(id, now_ns, GoalStatus::STATUS_EXECUTING, None);
        true
    }

    /// Remembers why a goal was not accepted, for the client that asks; no status speaks of it.
    pub fn reject(&mut self, id: GoalId, why: R, now: Instant) {
        if self.goals.iter().all(|goal| goal.id != id) {
            self.add(id, 0, GoalStatus::STATUS_UNKNOWN, Some((now, why)));
        }
    }

    fn add(&mut self, id: GoalId, now_ns: u64, status: i8, result: Option<(Instant, R)>) {
        // a goal may bear the name of one that was rejected
        self.goals.retain(|goal| goal.id != id);
        self.goals.push_back(Goal { id, stamp: time(now_ns), status, result, waiting: VecDeque::new() });
        while self.goals.len() > MAX_GOALS
            && let Some(oldest) = self.goals.iter().position(|goal| goal.result.is_some())
        {
            self.goals.remove(oldest);
        }
    }

    /// The goal under way, if any.
    pub fn active(&self) -> Option<GoalId> {
        self.goals.iter().find(|goal| goal.result.is_none()).map(|goal| goal.id)
    }

    /// Ends a goal; returns the requests that waited for that, or nothing if it is not under way. A goal is canceled
    /// only where that was asked for; else it is aborted.
    pub fn finish(&mut self, id: GoalId, end: End, result: R, now: Instant) -> Option<(i8, VecDeque<W>)> {
        let goal = self.goals.iter_mut().find(|goal| goal.id == id && goal.result.is_none())?;
        let allowed = end != End::Canceled || goal.status == GoalStatus::STATUS_CANCELING;
        goal.status = if allowed { end } else { End::Aborted }.status();
        goal.result = Some((now, result));
        Some((goal.status, std::mem::take(&mut goal.waiting)))
    }

    /// What is known of a goal's result; if it is under way, `request` is kept until it has ended.
    pub fn ask(&mut self, id: GoalId, request: W) -> Known<'_, R, W> {
        let Some(goal) = self.goals.iter_mut().find(|goal| goal.id == id) else {
            return Known::Unknown(request);
        };
        if let Some((_, result)) = &goal.result {
            return Known::Ended(request, goal.status, result);
        }
        if goal.waiting.len() >= MAX_WAITING {
            goal.waiting.pop_front();
        }
        goal.waiting.push_back(request);
        Known::Waits
    }

    /// Marks goals as being canceled by the rules of `action_msgs/srv/CancelGoal`; the answer names them.
    pub fn cancel(&mut self, which: &GoalInfo) -> CancelGoalResponse {
        let nanoseconds = |stamp: &Time| i64::from(stamp.sec) * 1_000_000_000 + i64::from(stamp.nanosec);
        let id = which.goal_id.uuid;
        let (named, up_to) = (id != [0; 16], nanoseconds(&which.stamp));
        let mut return_code = CancelGoalResponse::ERROR_NONE;
        if named && up_to == 0 {
            let goal =
                self.goals.iter().find(|goal| goal.id == id && goal.status != GoalStatus::STATUS_UNKNOWN);
            match goal {
                None => return_code = CancelGoalResponse::ERROR_UNKNOWN_GOAL_ID,
                Some(goal) if !goal.is_cancelable() => {
                    return_code = CancelGoalResponse::ERROR_GOAL_TERMINATED;
                }
                Some(_) => {}
            }
        }
        let all = !named && up_to == 0;
        let mut goals_canceling = Vec::new();
        for goal in self.goals.iter_mut().filter(|goal| goal.is_cancelable()) {
            let early = up_to != 0 && nanoseconds(&goal.stamp) <= up_to;
            if all || early || named && goal.id == id {
                goal.status = GoalStatus::STATUS_CANCELING;
                goals_canceling.push(goal.info());
            }
        }
        CancelGoalResponse { return_code, goals_canceling }
    }

    /// Forgets goals that ended long ago.
    pub fn expire(&mut self, now: Instant) {
        let is_old = |goal: &Goal<R, W>| {
            goal.result.as_ref().is_some_and(|(at, _)| now.saturating_duration_since(*at) > RESULT_TIMEOUT)
        };
        self.goals.retain(|goal| !is_old(goal));
    }

    /// The status message.
    pub fn status(&self) -> GoalStatusArray {
        let accepted = self.goals.iter().filter(|goal| goal.status != GoalStatus::STATUS_UNKNOWN);
        let status_list =
            accepted.map(|goal| GoalStatus { goal_info: goal.info(), status: goal.status }).collect();
        GoalStatusArray { status_list }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Test = Goals<&'static str, u8>;

    const A: GoalId = [1; 16];
    const B: GoalId = [2; 16];

    fn which(uuid: GoalId, stamp_ns: u64) -> GoalInfo {
        GoalInfo { goal_id: UUID { uuid }, stamp: time(stamp_ns) }
    }

    fn statuses(goals: &Test) -> Vec<i8> {
        goals.status().status_list.iter().map(|goal| goal.status).collect()
    }

    fn canceled(goals: &mut Test, which: GoalInfo) -> (i8, Vec<GoalId>) {
        let answer = goals.cancel(&which);
        (answer.return_code, answer.goals_canceling.iter().map(|info| info.goal_id.uuid).collect())
    }

    #[test]
    fn a_goal_is_executed_ends_and_is_remembered() {
        let (mut goals, now) = (Test::default(), Instant::now());
        assert!(goals.accept(A, 5));
        assert!(!goals.accept(A, 6), "the name is taken");
        assert_eq!((goals.active(), statuses(&goals)), (Some(A), vec![GoalStatus::STATUS_EXECUTING]));
        assert_eq!(goals.ask(A, 7), Known::Waits);
        assert_eq!(goals.ask(A, 8), Known::Waits);
        assert_eq!(goals.ask(B, 9), Known::Unknown(9));
        let told = goals.finish(A, End::Succeeded, "done", now);
        assert_eq!(told, Some((GoalStatus::STATUS_SUCCEEDED, VecDeque::from([7, 8]))));
        assert_eq!(goals.finish(A, End::Aborted, "again", now), None, "it has ended");
        assert_eq!(goals.ask(A, 9), Known::Ended(9, GoalStatus::STATUS_SUCCEEDED, &"done"));
        assert_eq!((goals.active(), statuses(&goals)), (None, vec![GoalStatus::STATUS_SUCCEEDED]));
        goals.expire(now + RESULT_TIMEOUT);
        assert_eq!(statuses(&goals).len(), 1);
        goals.expire(now + RESULT_TIMEOUT + Duration::from_millis(1));
        assert!(statuses(&goals).is_empty());
        assert_eq!(goals.ask(A, 9), Known::Unknown(9));
    }

    #[test]
    fn nobody_cancels_unasked() {
        let (mut goals, now) = (Test::default(), Instant::now());
        goals.accept(A, 1);
        let told = goals.finish(A, End::Canceled, "", now).map(|(status, _)| status);
        assert_eq!(told, Some(GoalStatus::STATUS_ABORTED));
        goals.accept(B, 2);
        goals.cancel(&which(B, 0));
        let told = goals.finish(B, End::Canceled, "", now).map(|(status, _)| status);
        assert_eq!(told, Some(GoalStatus::STATUS_CANCELED));
    }

    #[test]
    fn goals_are_canceled_by_name_by_time_or_all() {
        let none = CancelGoalResponse::ERROR_NONE;
        let fresh = || {
            let mut goals = Test::default();
            assert!(goals.accept(A, 10) && goals.accept(B, 20));
            goals
        };
        assert_eq!(canceled(&mut fresh(), which([0; 16], 0)), (none, vec![A, B]));
        assert_eq!(canceled(&mut fresh(), which([0; 16], 15)), (none, vec![A]));
        assert_eq!(canceled(&mut fresh(), which([0; 16], 5)), (none, vec![]));
        assert_eq!(canceled(&mut fresh(), which(B, 0)), (none, vec![B]));
        assert_eq!(canceled(&mut fresh(), which(B, 15)), (none, vec![A, B]));
        let unknown = CancelGoalResponse::ERROR_UNKNOWN_GOAL_ID;
        assert_eq!(canceled(&mut fresh(), which([9; 16], 0)), (unknown, vec![]));
        let mut goals = fresh();
        canceled(&mut goals, which(A, 0));
        let terminated = CancelGoalResponse::ERROR_GOAL_TERMINATED;
        assert_eq!(canceled(&mut goals, which(A, 0)), (terminated, vec![]), "as rcl has it");
        goals.finish(B, End::Succeeded, "", Instant::now());
        assert_eq!(canceled(&mut goals, which(B, 0)), (terminated, vec![]));
    }

    #[test]
    fn a_rejected_goal_has_a_reason_and_no_status() {
        let (mut goals, now) = (Test::default(), Instant::now());
        goals.reject(A, "no such joint", now);
        assert_eq!(goals.ask(A, 1), Known::Ended(1, GoalStatus::STATUS_UNKNOWN, &"no such joint"));
        assert!(statuses(&goals).is_empty() && goals.active().is_none());
        let unknown = CancelGoalResponse::ERROR_UNKNOWN_GOAL_ID;
        assert_eq!(canceled(&mut goals, which(A, 0)), (unknown, vec![]));
        assert!(goals.accept(A, 1), "the name is free again");
        goals.reject(A, "twice", now);
        assert_eq!(statuses(&goals), [GoalStatus::STATUS_EXECUTING]);
    }

    #[test]
    fn memory_is_bounded() {
        let (mut goals, now) = (Test::default(), Instant::now());
        goals.accept(A, 0);
        for i in 0..2 * MAX_GOALS as u64 {
            let mut id = [3; 16];
            id[..8].copy_from_slice(&i.to_le_bytes());
            goals.accept(id, i);
            goals.finish(id, End::Aborted, "", now);
        }
        assert_eq!((statuses(&goals).len(), goals.active()), (MAX_GOALS, Some(A)));
        (0..=255).for_each(|i| assert_eq!(goals.ask(A, i), Known::Waits));
        let waiting = goals.finish(A, End::Aborted, "", now).map(|(_, waiting)| waiting.len());
        assert_eq!(waiting, Some(MAX_WAITING));
    }
}
