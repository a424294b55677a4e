//! Action `SimulateSteps`.

use crate::simulation_interfaces::Connections;
use crossbeam_channel::Sender;
use merrow_ros2::cdr::CdrError;
use merrow_ros2::goals::{GoalId, GoalOutcome};
use merrow_ros2::msg::simulation_interfaces::simulate_steps::{
    Action, Feedback, Goal, Result as Outcome,
};
use merrow_ros2::node::{ActionServer, Executor, GoalHandle, NodeError};
use merrow_sim::{Reply, Request, StepResult};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of feedback messages of a long goal.
const FEEDBACKS: u64 = 100;
/// Maximum number of steps between two feedback messages. A goal can be cancelled between them.
const CHUNK_MAX: u64 = 1000;

/// Type of the action.
pub(super) const TYPE: &str = <Action as merrow_ros2::action_type::Action>::TYPE;

/// Running server of the action.
pub(super) type StepsServer = ActionServer<Action>;

/// Starts the action of this file.
pub(super) fn serve(connections: &Connections) -> Result<StepsServer, NodeError> {
    let stepper = Stepper {
        connections: connections.clone(),
        current: None,
    };
    let name = connections.name("simulate_steps");
    ActionServer::start(
        &connections.node,
        &name,
        Arc::clone(&connections.run.progress.now_ns),
        stepper,
    )
}

struct Stepper {
    connections: Connections,
    /// The executing goal, and whether its client has cancelled it.
    current: Option<(GoalId, Arc<AtomicBool>)>,
}

impl Executor<Action> for Stepper {
    type Task = u64;

    fn check(&mut self, goal: Goal) -> Result<u64, Outcome> {
        // the run refuses 0 steps: a refused goal has no result that could contain the code
        Ok(goal.steps)
    }

    fn start(&mut self, goal: GoalHandle<Action>, steps: u64) {
        let cancelled = Arc::new(AtomicBool::new(false));
        self.current = Some((goal.id(), Arc::clone(&cancelled)));
        let run = StepRun {
            requests: self.connections.run.requests.clone(),
            goal,
            cancelled,
            steps,
            completed: 0,
        };
        run.request_next();
    }

    fn cancel(&mut self, id: GoalId) {
        if let Some((_, cancelled)) = self.current.as_ref().filter(|(goal, _)| *goal == id) {
            cancelled.store(true, Ordering::Relaxed);
        }
    }

    fn replaced_result(&mut self) -> Outcome {
        outcome(Err("replaced by another goal".to_string()))
    }

    fn report_malformed(&mut self, what: &str, why: &CdrError) {
        let reason = format!("malformed {what} request: {why}");
        self.connections.report("simulate_steps", &reason);
    }
}

/// Execution of one goal, as a chain of step requests.
struct StepRun {
    requests: Sender<Request>,
    goal: GoalHandle<Action>,
    cancelled: Arc<AtomicBool>,
    steps: u64,
    completed: u64,
}

impl StepRun {
    /// Requests the next steps; the reply requests those after them.
    fn request_next(self) {
        let left = self.steps - self.completed;
        let chunk = (self.steps / FEEDBACKS).clamp(1, CHUNK_MAX).min(left);
        let requests = self.requests.clone();
        let reply = Reply::new(move |stepped: StepResult| self.finish_chunk(chunk, stepped));
        let _ = requests.send(Request::Step(chunk, reply));
    }

    fn finish_chunk(mut self, chunk: u64, stepped: StepResult) {
        if let Err(why) = stepped.result {
            return self.goal.finish(GoalOutcome::Aborted, outcome(Err(why)));
        }
        self.completed += chunk;
        let (completed_steps, remaining_steps) = (self.completed, self.steps - self.completed);
        self.goal.feedback(|| Feedback {
            completed_steps,
            remaining_steps,
        });
        if remaining_steps == 0 {
            let done = outcome(Ok(String::new()));
            self.goal.finish(GoalOutcome::Succeeded, done);
        } else if self.cancelled.load(Ordering::Relaxed) {
            let why = format!("cancelled after {completed_steps} of {} steps", self.steps);
            self.goal.finish(GoalOutcome::Canceled, outcome(Err(why)));
        } else {
            self.request_next();
        }
    }
}

fn outcome(done: Result<String, String>) -> Outcome {
    Outcome {
        result: done.into(),
    }
}
