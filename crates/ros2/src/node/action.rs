//! Server of one action: three services and two topics, as in rcl_action.
//!
//! The node's thread receives goals and cancel requests and passes them to the [`Executor`]. The
//! executor reports progress and the end of a goal from any thread through the goal's
//! [`GoalHandle`]. One goal executes at a time; a new goal ends the previous one. This module does
//! not interpret the content of goals.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::action_type::Action;
use crate::cdr::{CdrError, from_bytes, to_bytes};
use crate::goals::{GoalId, GoalOutcome, GoalResult, Goals};
use crate::message::{Message, Service as ServiceType};
use crate::msg::action_msgs::{
    CancelGoal, CancelGoalRequest, CancelGoalResponse, GoalStatus, GoalStatusArray,
};
use crate::msg::builtin_interfaces::Time;
use crate::msg::unique_identifier_msgs::UUID;
use crate::names::Endpoint;
use crate::node::publisher::Publisher;
use crate::node::service::{Responder, Service};
use crate::node::{Node, NodeError};
use crate::qos::Qos;

/// Executes the goals of an action. The node's thread calls its methods, which must return quickly.
pub trait Executor<A: Action>: Send {
    /// A checked goal in the executor's own form.
    type Task;

    /// Checks a goal without executing it.
    ///
    /// # Errors
    /// The result that the client of a rejected goal can request. The executor has already reported
    /// the reason.
    fn check(&mut self, goal: A::Goal) -> Result<Self::Task, A::Result>;

    /// Starts executing a goal that has been accepted. The previous goal has ended. Must not call
    /// methods of `goal`, because the server's state is locked during this call.
    fn start(&mut self, goal: GoalHandle<A>, task: Self::Task);

    /// Starts to cancel a goal. It counts as canceled once the executor calls
    /// [`GoalHandle::finish`].
    fn cancel(&mut self, id: GoalId);

    /// Returns the result of a goal that was replaced by another goal.
    fn replaced_result(&mut self) -> A::Result;

    /// Counts and reports a request that cannot be decoded.
    fn report_malformed(&mut self, what: &str, why: &CdrError);
}

/// Server of an action. Dropping it stops the server.
#[must_use = "dropping an action server stops it"]
pub struct ActionServer<A: Action> {
    _services: [Service; 3],
    _shared: Arc<Shared<A>>,
}

impl<A: Action> ActionServer<A> {
    /// Starts the action `name`. `now_ns` holds the simulation time [ns], which stamps the
    /// acceptance of goals.
    ///
    /// # Errors
    /// The name is not valid, or an endpoint could not be created.
    pub fn start(
        node: &Node,
        name: &str,
        now_ns: Arc<AtomicU64>,
        executor: impl Executor<A> + 'static,
    ) -> Result<Self, NodeError> {
        // the action name is remapped like a topic; the names of its services and topics derive
        // from it
        let name = node.names().resolve(Endpoint::Topic, name)?;
        let part = |part: &str| format!("{name}/_action/{part}");
        let feedback =
            node.publisher(&part("feedback"), A::FeedbackMessage::info(), &Qos::DEFAULT)?;
        let status = node.publisher(
            &part("status"),
            GoalStatusArray::info(),
            &Qos::ACTION_STATUS,
        )?;
        let goals = Mutex::new(State {
            goals: Goals::default(),
            feedback,
            status,
        });
        let shared = Arc::new(Shared {
            state: goals,
            now_ns,
        });
        // publishes the initial, empty status
        shared.state.lock().publish_status();
        let executor = Arc::new(Mutex::new(executor));
        let (state, own) = (Arc::clone(&shared), Arc::clone(&executor));
        let send_goal = move |bytes: &[u8]| {
            let executor = &mut *own.lock();
            let request = decode(executor, "send_goal", bytes)?;
            let (id, goal) = A::split_request(request);
            Some(to_bytes(&state.accept_goal(id.uuid, goal, executor)))
        };
        let (state, own) = (Arc::clone(&shared), Arc::clone(&executor));
        let cancel_goal = move |bytes: &[u8]| {
            let executor = &mut *own.lock();
            let request = decode(executor, "cancel_goal", bytes)?;
            Some(to_bytes(&state.cancel(&request, executor)))
        };
        let state = Arc::clone(&shared);
        // the executor can be busy with a goal for long, so only a malformed request locks it
        let get_result = move |bytes: &[u8], responder: Responder| match from_bytes(bytes) {
            Ok(request) => state.request_result(A::requested_goal_id(request).uuid, responder),
            Err(why) => executor.lock().report_malformed("get_result", &why),
        };
        let qos = &Qos::SERVICE;
        let services = [
            node.service::<A::SendGoal>(&part("send_goal"), qos, Box::new(send_goal))?,
            node.service::<CancelGoal>(&part("cancel_goal"), qos, Box::new(cancel_goal))?,
            node.deferred_service::<A::GetResult>(&part("get_result"), qos, Box::new(get_result))?,
        ];
        Ok(Self {
            _services: services,
            _shared: shared,
        })
    }
}

/// Decodes a request; the executor reports one that cannot be decoded.
fn decode<A: Action, M: Message>(
    executor: &mut impl Executor<A>,
    what: &str,
    bytes: &[u8],
) -> Option<M> {
    let request = from_bytes(bytes);
    request
        .map_err(|why| executor.report_malformed(what, &why))
        .ok()
}

/// Reports progress and the end of a goal to its clients, from any thread.
pub struct GoalHandle<A: Action> {
    id: GoalId,
    shared: Arc<Shared<A>>,
}

impl<A: Action> Clone for GoalHandle<A> {
    fn clone(&self) -> Self {
        Self {
            id: self.id,
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<A: Action> GoalHandle<A> {
    /// Returns the identifier of the goal, chosen by the client.
    pub fn id(&self) -> GoalId {
        self.id
    }

    /// Ends the goal unless it has ended already. Clients receive the new status and the result.
    pub fn finish(&self, end: GoalOutcome, result: A::Result) {
        let mut state = self.shared.state.lock();
        let finished = state
            .goals
            .finish(self.id, end, result.clone(), Instant::now());
        if let Some((status, waiting)) = finished {
            state.publish_status();
            drop(state);
            send_results::<A>(status, &result, waiting);
        }
    }

    /// Publishes feedback if the goal is executing and the topic has subscribers.
    pub fn feedback(&self, feedback: impl FnOnce() -> A::Feedback) {
        let state = self.shared.state.lock();
        if state.goals.active() == Some(self.id) && state.feedback.has_receivers() {
            let message = A::feedback_message(UUID { uuid: self.id }, feedback());
            // feedback that does not fit into the queue of a slow client is lost, as with any
            // vendor
            let _ = state.feedback.publish(&to_bytes(&message));
        }
    }
}

/// State shared by the services and the goal handles.
struct Shared<A: Action> {
    state: Mutex<State<A>>,
    now_ns: Arc<AtomicU64>,
}

struct State<A: Action> {
    goals: Goals<A::Result, Responder>,
    feedback: Publisher,
    status: Publisher,
}

impl<A: Action> Shared<A> {
    fn accept_goal<E: Executor<A>>(
        self: &Arc<Self>,
        id: GoalId,
        goal: A::Goal,
        executor: &mut E,
    ) -> <A::SendGoal as ServiceType>::Response {
        let now_ns = self.now_ns.load(Ordering::Relaxed);
        let checked = executor.check(goal);
        let mut state = self.state.lock();
        state.goals.expire(Instant::now());
        let task = match checked {
            Ok(task) => task,
            Err(why) => {
                state.goals.reject(id, why, Instant::now());
                return A::send_goal_response(false, Time::from_nanos(now_ns));
            }
        };
        let former = state.goals.active();
        if !state.goals.accept(id, now_ns) {
            return A::send_goal_response(false, Time::from_nanos(now_ns));
        }
        let ended = former.and_then(|former| {
            let result = executor.replaced_result();
            let finished =
                state
                    .goals
                    .finish(former, GoalOutcome::Aborted, result.clone(), Instant::now());
            finished.map(|(status, waiting)| (status, result, waiting))
        });
        state.publish_status();
        // `start` runs before the lock is released, so no other thread can report on the goal
        // earlier
        executor.start(
            GoalHandle {
                id,
                shared: Arc::clone(self),
            },
            task,
        );
        drop(state);
        if let Some((status, result, waiting)) = ended {
            send_results::<A>(status, &result, waiting);
        }
        A::send_goal_response(true, Time::from_nanos(now_ns))
    }

    fn cancel<E: Executor<A>>(
        &self,
        request: &CancelGoalRequest,
        executor: &mut E,
    ) -> CancelGoalResponse {
        let mut state = self.state.lock();
        let answer = state.goals.cancel(&request.goal_info);
        if !answer.goals_canceling.is_empty() {
            state.publish_status();
            drop(state);
            answer
                .goals_canceling
                .iter()
                .for_each(|goal| executor.cancel(goal.goal_id.uuid));
        }
        answer
    }

    fn request_result(&self, id: GoalId, responder: Responder) {
        let mut state = self.state.lock();
        state.goals.expire(Instant::now());
        match state.goals.request_result(id, responder) {
            GoalResult::Waits => {}
            GoalResult::Ended(asker, status, result) => send_results::<A>(status, result, [asker]),
            GoalResult::Unknown(asker) => {
                send_results::<A>(GoalStatus::STATUS_UNKNOWN, &A::Result::default(), [asker])
            }
        }
    }
}

impl<A: Action> State<A> {
    fn publish_status(&self) {
        let message = to_bytes(&self.goals.status());
        // a status that does not fit into the queue of a slow client is superseded by the next
        // status
        let _ = self.status.publish(&message);
    }
}

fn send_results<A: Action>(
    status: i8,
    result: &A::Result,
    waiting: impl IntoIterator<Item = Responder>,
) {
    let response = to_bytes(&A::result_response(status, result.clone()));
    waiting
        .into_iter()
        .for_each(|responder| responder.respond(response.clone()));
}
