//! Goals of one action server: the state of each goal, its result, and the requests that wait for
//! that result.
//!
//! States, transitions, cancel rules and the lifetime of results follow rcl_action (Jazzy). A
//! server of this project executes one goal at a time, so a new goal ends the previous one. This
//! module depends neither on DDS nor on the content of a goal.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::msg::action_msgs::{CancelGoalResponse, GoalInfo, GoalStatus, GoalStatusArray};
use crate::msg::builtin_interfaces::Time;
use crate::msg::unique_identifier_msgs::UUID;

/// Identifier of a goal: a UUID chosen by the client.
pub type GoalId = [u8; 16];

/// Time for which the result of an ended goal is kept, in wall time. The value is from rcl since
/// Iron.
const RESULT_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum number of stored goals. Beyond it, the oldest ended goals are removed early.
const MAX_GOALS: usize = 256;

/// Maximum number of result requests that wait for one goal. Beyond it, the oldest request is
/// dropped.
const MAX_WAITING: usize = 64;

/// Outcome of a goal that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoalOutcome {
    /// The goal was reached.
    Succeeded,
    /// The server gave the goal up.
    Aborted,
    /// A client canceled the goal.
    Canceled,
}

impl GoalOutcome {
    /// Returns the corresponding constant of `action_msgs/msg/GoalStatus`.
    pub fn status(self) -> i8 {
        match self {
            Self::Succeeded => GoalStatus::STATUS_SUCCEEDED,
            Self::Aborted => GoalStatus::STATUS_ABORTED,
            Self::Canceled => GoalStatus::STATUS_CANCELED,
        }
    }
}

/// Answer to a request for the result of a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoalResult<'a, R, W> {
    /// The goal has ended: the request, the goal's status and its result. The server can reply now.
    Ended(W, i8, &'a R),
    /// The goal is still executing, so the request has been queued.
    Waits,
    /// No goal has this identifier; the request is returned.
    Unknown(W),
}

#[derive(Debug)]
struct Goal<R, W> {
    id: GoalId,
    stamp: Time,
    status: i8,
    /// End time and result, once the goal has ended.
    result: Option<(Instant, R)>,
    waiting: VecDeque<W>,
}

impl<R, W> Goal<R, W> {
    fn is_cancelable(&self) -> bool {
        matches!(
            self.status,
            GoalStatus::STATUS_ACCEPTED | GoalStatus::STATUS_EXECUTING
        )
    }

    fn info(&self) -> GoalInfo {
        GoalInfo {
            goal_id: UUID { uuid: self.id },
            stamp: self.stamp.clone(),
        }
    }
}

/// Goals of a server, oldest first. `R` is the type of a result, `W` the type of a request that
/// waits for a result.
#[derive(Debug)]
pub struct Goals<R, W> {
    goals: VecDeque<Goal<R, W>>,
}

impl<R, W> Default for Goals<R, W> {
    fn default() -> Self {
        Self {
            goals: VecDeque::new(),
        }
    }
}

impl<R, W> Goals<R, W> {
    /// Adds a goal in the state "executing", with acceptance time `now_ns` [ns]. Returns false if
    /// the identifier is in use.
    pub fn accept(&mut self, id: GoalId, now_ns: u64) -> bool {
        if self.accepted().any(|goal| goal.id == id) {
            return false;
        }
        self.add(id, now_ns, GoalStatus::STATUS_EXECUTING, None);
        true
    }

    /// Stores the reason `why` a goal was rejected, for the client that requests its result. The
    /// goal does not appear in the status message.
    pub fn reject(&mut self, id: GoalId, why: R, now: Instant) {
        if self.goals.iter().all(|goal| goal.id != id) {
            self.add(id, 0, GoalStatus::STATUS_UNKNOWN, Some((now, why)));
        }
    }

    fn add(&mut self, id: GoalId, now_ns: u64, status: i8, result: Option<(Instant, R)>) {
        // a goal may reuse the identifier of a rejected one
        self.goals.retain(|goal| goal.id != id);
        self.goals.push_back(Goal {
            id,
            stamp: Time::from_nanos(now_ns),
            status,
            result,
            waiting: VecDeque::new(),
        });
        while self.goals.len() > MAX_GOALS
            && let Some(oldest) = self.goals.iter().position(|goal| goal.result.is_some())
        {
            self.goals.remove(oldest);
        }
    }

    /// Returns the goal that is executing, if any.
    pub fn active(&self) -> Option<GoalId> {
        self.goals
            .iter()
            .find(|goal| goal.result.is_none())
            .map(|goal| goal.id)
    }

    /// Ends a goal and returns its final status and the requests that waited for its result.
    /// Returns `None` if the goal is not executing. A goal ends as canceled only if a client
    /// requested that; otherwise [`GoalOutcome::Canceled`] becomes aborted.
    pub fn finish(
        &mut self,
        id: GoalId,
        end: GoalOutcome,
        result: R,
        now: Instant,
    ) -> Option<(i8, VecDeque<W>)> {
        let goal = self
            .goals
            .iter_mut()
            .find(|goal| goal.id == id && goal.result.is_none())?;
        let allowed = end != GoalOutcome::Canceled || goal.status == GoalStatus::STATUS_CANCELING;
        goal.status = if allowed { end } else { GoalOutcome::Aborted }.status();
        goal.result = Some((now, result));
        Some((goal.status, std::mem::take(&mut goal.waiting)))
    }

    /// Looks up the result of a goal. If the goal is still executing, `request` is queued until the
    /// goal ends.
    pub fn request_result(&mut self, id: GoalId, request: W) -> GoalResult<'_, R, W> {
        let Some(goal) = self.goals.iter_mut().find(|goal| goal.id == id) else {
            return GoalResult::Unknown(request);
        };
        if let Some((_, result)) = &goal.result {
            return GoalResult::Ended(request, goal.status, result);
        }
        if goal.waiting.len() >= MAX_WAITING {
            goal.waiting.pop_front();
        }
        goal.waiting.push_back(request);
        GoalResult::Waits
    }

    /// Marks goals as canceling according to the rules of `action_msgs/srv/CancelGoal`. The
    /// response lists these goals.
    pub fn cancel(&mut self, goal_info: &GoalInfo) -> CancelGoalResponse {
        let nanoseconds =
            |stamp: &Time| i64::from(stamp.sec) * 1_000_000_000 + i64::from(stamp.nanosec);
        let id = goal_info.goal_id.uuid;
        let (named, up_to) = (id != [0; 16], nanoseconds(&goal_info.stamp));
        let mut return_code = CancelGoalResponse::ERROR_NONE;
        if named && up_to == 0 {
            match self.accepted().find(|goal| goal.id == id) {
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
        CancelGoalResponse {
            return_code,
            goals_canceling,
        }
    }

    /// Removes goals that ended longer than the result timeout before `now`.
    pub fn expire(&mut self, now: Instant) {
        let is_old = |goal: &Goal<R, W>| {
            goal.result
                .as_ref()
                .is_some_and(|(at, _)| now.saturating_duration_since(*at) > RESULT_TIMEOUT)
        };
        self.goals.retain(|goal| !is_old(goal));
    }

    /// Builds the `GoalStatusArray` message of all accepted goals.
    pub fn status(&self) -> GoalStatusArray {
        let status = |goal: &Goal<R, W>| GoalStatus {
            goal_info: goal.info(),
            status: goal.status,
        };
        let status_list = self.accepted().map(status).collect();
        GoalStatusArray { status_list }
    }

    fn accepted(&self) -> impl Iterator<Item = &Goal<R, W>> {
        let all = self.goals.iter();
        all.filter(|goal| goal.status != GoalStatus::STATUS_UNKNOWN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Test = Goals<&'static str, u8>;

    const A: GoalId = [1; 16];
    const B: GoalId = [2; 16];

    fn cancel_request(uuid: GoalId, stamp_ns: u64) -> GoalInfo {
        GoalInfo {
            goal_id: UUID { uuid },
            stamp: Time::from_nanos(stamp_ns),
        }
    }

    fn statuses(goals: &Test) -> Vec<i8> {
        goals
            .status()
            .status_list
            .iter()
            .map(|goal| goal.status)
            .collect()
    }

    fn canceled(goals: &mut Test, goal_info: GoalInfo) -> (i8, Vec<GoalId>) {
        let answer = goals.cancel(&goal_info);
        (
            answer.return_code,
            answer
                .goals_canceling
                .iter()
                .map(|info| info.goal_id.uuid)
                .collect(),
        )
    }

    #[test]
    fn goal_is_executed_and_its_result_kept() {
        let (mut goals, now) = (Test::default(), Instant::now());
        assert!(goals.accept(A, 5));
        assert!(!goals.accept(A, 6), "the identifier is in use");
        assert_eq!(
            (goals.active(), statuses(&goals)),
            (Some(A), vec![GoalStatus::STATUS_EXECUTING])
        );
        assert_eq!(goals.request_result(A, 7), GoalResult::Waits);
        assert_eq!(goals.request_result(A, 8), GoalResult::Waits);
        assert_eq!(goals.request_result(B, 9), GoalResult::Unknown(9));
        let outcome = goals.finish(A, GoalOutcome::Succeeded, "done", now);
        assert_eq!(
            outcome,
            Some((GoalStatus::STATUS_SUCCEEDED, VecDeque::from([7, 8])))
        );
        assert_eq!(
            goals.finish(A, GoalOutcome::Aborted, "again", now),
            None,
            "the goal has ended"
        );
        assert_eq!(
            goals.request_result(A, 9),
            GoalResult::Ended(9, GoalStatus::STATUS_SUCCEEDED, &"done")
        );
        assert_eq!(
            (goals.active(), statuses(&goals)),
            (None, vec![GoalStatus::STATUS_SUCCEEDED])
        );
        goals.expire(now + RESULT_TIMEOUT);
        assert_eq!(statuses(&goals).len(), 1);
        goals.expire(now + RESULT_TIMEOUT + Duration::from_millis(1));
        assert!(statuses(&goals).is_empty());
        assert_eq!(goals.request_result(A, 9), GoalResult::Unknown(9));
    }

    #[test]
    fn goals_are_canceled_only_on_request() {
        let (mut goals, now) = (Test::default(), Instant::now());
        goals.accept(A, 1);
        let outcome = goals
            .finish(A, GoalOutcome::Canceled, "", now)
            .map(|(status, _)| status);
        assert_eq!(outcome, Some(GoalStatus::STATUS_ABORTED));
        goals.accept(B, 2);
        goals.cancel(&cancel_request(B, 0));
        let outcome = goals
            .finish(B, GoalOutcome::Canceled, "", now)
            .map(|(status, _)| status);
        assert_eq!(outcome, Some(GoalStatus::STATUS_CANCELED));
    }

    #[test]
    fn goals_are_canceled_by_name_by_time_or_all() {
        let none = CancelGoalResponse::ERROR_NONE;
        let fresh = || {
            let mut goals = Test::default();
            assert!(goals.accept(A, 10) && goals.accept(B, 20));
            goals
        };
        assert_eq!(
            canceled(&mut fresh(), cancel_request([0; 16], 0)),
            (none, vec![A, B])
        );
        assert_eq!(
            canceled(&mut fresh(), cancel_request([0; 16], 15)),
            (none, vec![A])
        );
        assert_eq!(
            canceled(&mut fresh(), cancel_request([0; 16], 5)),
            (none, vec![])
        );
        assert_eq!(
            canceled(&mut fresh(), cancel_request(B, 0)),
            (none, vec![B])
        );
        assert_eq!(
            canceled(&mut fresh(), cancel_request(B, 15)),
            (none, vec![A, B])
        );
        let unknown = CancelGoalResponse::ERROR_UNKNOWN_GOAL_ID;
        assert_eq!(
            canceled(&mut fresh(), cancel_request([9; 16], 0)),
            (unknown, vec![])
        );
        let mut goals = fresh();
        canceled(&mut goals, cancel_request(A, 0));
        let terminated = CancelGoalResponse::ERROR_GOAL_TERMINATED;
        assert_eq!(
            canceled(&mut goals, cancel_request(A, 0)),
            (terminated, vec![]),
            "as in rcl"
        );
        goals.finish(B, GoalOutcome::Succeeded, "", Instant::now());
        assert_eq!(
            canceled(&mut goals, cancel_request(B, 0)),
            (terminated, vec![])
        );
    }

    #[test]
    fn a_rejected_goal_has_a_reason_and_no_status() {
        let (mut goals, now) = (Test::default(), Instant::now());
        goals.reject(A, "no such joint", now);
        assert_eq!(
            goals.request_result(A, 1),
            GoalResult::Ended(1, GoalStatus::STATUS_UNKNOWN, &"no such joint")
        );
        assert!(statuses(&goals).is_empty() && goals.active().is_none());
        let unknown = CancelGoalResponse::ERROR_UNKNOWN_GOAL_ID;
        assert_eq!(
            canceled(&mut goals, cancel_request(A, 0)),
            (unknown, vec![])
        );
        assert!(goals.accept(A, 1), "the identifier is free again");
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
            goals.finish(id, GoalOutcome::Aborted, "", now);
        }
        assert_eq!(
            (statuses(&goals).len(), goals.active()),
            (MAX_GOALS, Some(A))
        );
        (0..=255).for_each(|i| assert_eq!(goals.request_result(A, i), GoalResult::Waits));
        let waiting = goals
            .finish(A, GoalOutcome::Aborted, "", now)
            .map(|(_, waiting)| waiting.len());
        assert_eq!(waiting, Some(MAX_WAITING));
    }
}
