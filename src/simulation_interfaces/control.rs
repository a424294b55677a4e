//! Services that read and set the state of the simulation, reset it and make steps.
//!
//! A world is stopped from a reset or from its load on, until it is played, stepped or paused, at
//! any start time. A lock-stepped world counts as paused, because it advances on request only.

use crate::node::world_editor::WorldEditor;
use crate::simulation_interfaces::{Answer, Connections, failure, ok, outcome, worlds};
use crossbeam_channel::{Sender, bounded};
use merrow_ros2::msg::simulation_interfaces::{
    GetSimulationState, GetSimulationStateResponse, ResetSimulation, ResetSimulationRequest,
    ResetSimulationResponse, ServiceResult, SetSimulationState, SetSimulationStateResponse,
    SimulationState, StepSimulation, StepSimulationResponse,
};
use merrow_ros2::node::{NodeError, Service};
use merrow_sim::{Pace, Reply, Request, RunStatus};
use std::sync::atomic::Ordering;

/// Starts the services of this file.
pub(super) fn serve(connections: &Connections) -> Result<Vec<Service>, NodeError> {
    Ok(vec![
        connections.serve::<GetSimulationState>(
            "get_simulation_state",
            |connections, _, answer| {
                let requests = connections.requests.clone();
                connections.editor.send(move |editor| {
                    let is_loaded = worlds::is_loaded(editor.document());
                    let reply = Reply::new(move |status| {
                        let state = if is_loaded {
                            state(&status)
                        } else {
                            SimulationState::STATE_NO_WORLD
                        };
                        answer.send(&GetSimulationStateResponse {
                            state: SimulationState { state },
                            result: ok(),
                        });
                    });
                    let _ = requests.send(Request::Status(reply));
                });
            },
        )?,
        connections.serve::<SetSimulationState>(
            "set_simulation_state",
            |connections, request, answer| {
                let target = request.state.state;
                with_status(connections, move |connections, status| {
                    set_state(&connections, status, target, answer);
                });
            },
        )?,
        connections.serve::<ResetSimulation>(
            "reset_simulation",
            |connections, request, answer| {
                let requests = connections.requests.clone();
                connections.editor.send(move |editor| {
                    let result = reset(editor, &requests, request.scope);
                    answer.send(&ResetSimulationResponse { result });
                });
            },
        )?,
        connections.serve::<StepSimulation>(
            "step_simulation",
            |connections, request, answer| {
                let reply = Reply::new(move |stepped: merrow_sim::StepResult| {
                    answer.send(&StepSimulationResponse {
                        result: outcome(stepped.result),
                    });
                });
                let _ = connections
                    .requests
                    .send(Request::Step(request.steps, reply));
            },
        )?,
    ])
}

/// Calls `next` with the status of the run, on the thread of the run.
fn with_status(
    connections: &Connections,
    next: impl FnOnce(Connections, RunStatus) + Send + 'static,
) {
    let own = connections.clone();
    let reply = Reply::new(move |status| next(own, status));
    let _ = connections.requests.send(Request::Status(reply));
}

/// Returns the number of the state.
fn state(status: &RunStatus) -> u8 {
    if status.stopped {
        SimulationState::STATE_STOPPED
    } else if status.paused || status.pace == Pace::Lockstep {
        SimulationState::STATE_PAUSED
    } else {
        SimulationState::STATE_PLAYING
    }
}

/// Sets the state of the simulation and answers.
fn set_state(
    connections: &Connections,
    status: RunStatus,
    target: u8,
    answer: Answer<SetSimulationState>,
) {
    let refuse = |answer: Answer<SetSimulationState>, code: u8, why: String| {
        let result = failure(code, why);
        answer.send(&SetSimulationStateResponse { result });
    };
    if state(&status) == target {
        let why = "the simulation is in this state already".to_string();
        let code = SetSimulationStateResponse::ALREADY_IN_TARGET_STATE;
        return refuse(answer, code, why);
    }
    if target > SimulationState::STATE_QUITTING {
        let why = format!("expected a state from 0 (stopped) to 3 (quitting), found {target}");
        let code = SetSimulationStateResponse::INCORRECT_TRANSITION;
        return refuse(answer, code, why);
    }
    let is_lockstep = status.pace == Pace::Lockstep && !status.paused;
    if target == SimulationState::STATE_PLAYING && is_lockstep {
        let why = "the pace is lockstep; set the parameter `pace` first".to_string();
        let code = SetSimulationStateResponse::STATE_TRANSITION_ERROR;
        return refuse(answer, code, why);
    }
    let reached = |answer: Answer<SetSimulationState>| {
        Reply::new(move |()| answer.send(&SetSimulationStateResponse { result: ok() }))
    };
    let request = match target {
        SimulationState::STATE_PLAYING => Request::Resume(reached(answer)),
        SimulationState::STATE_PAUSED => Request::Pause(reached(answer)),
        SimulationState::STATE_STOPPED => {
            let requests = connections.requests.clone();
            connections.editor.send(move |editor| {
                let _ = requests.send(Request::Pause(Reply::new(|()| {})));
                let scope = ResetSimulationRequest::SCOPE_DEFAULT;
                let result = reset(editor, &requests, scope);
                answer.send(&SetSimulationStateResponse { result });
            });
            return;
        }
        _ => {
            reached(answer).send(());
            connections.stop.store(true, Ordering::Relaxed);
            return;
        }
    };
    let _ = connections.requests.send(request);
}

/// Resets the parts of the simulation that `scope` selects.
fn reset(editor: &mut WorldEditor, requests: &Sender<Request>, scope: u8) -> ServiceResult {
    let has = |bit: u8| scope == ResetSimulationRequest::SCOPE_DEFAULT || scope & bit != 0;
    let time = has(ResetSimulationRequest::SCOPE_TIME);
    let state = has(ResetSimulationRequest::SCOPE_STATE);
    let spawned = has(ResetSimulationRequest::SCOPE_SPAWNED);
    if time && !state {
        let why = "expected a reset of time and state, found a reset of only the time".to_string();
        return failure(ServiceResult::RESULT_FEATURE_UNSUPPORTED, why);
    }
    if !(time || state || spawned) {
        let why =
            format!("scope: expected a sum of 1 (time), 2 (state), 4 (spawned), found {scope}");
        return failure(ServiceResult::RESULT_OPERATION_FAILED, why);
    }
    if spawned {
        let document = if time {
            editor.document().as_loaded()
        } else {
            editor.document().without_spawned()
        };
        if document.changes() != editor.document().changes()
            && let Err(why) = editor.change(document)
        {
            return failure(ServiceResult::RESULT_OPERATION_FAILED, why);
        }
    }
    if !state {
        return ok();
    }
    let (reply, done) = bounded(1);
    let request = if time {
        Request::Reset(Reply::from(reply))
    } else {
        Request::ResetState(Reply::from(reply))
    };
    let sent = requests.send(request).is_ok();
    if sent && done.recv().is_ok() {
        ok()
    } else {
        let why = "the simulation has ended".to_string();
        failure(ServiceResult::RESULT_OPERATION_FAILED, why)
    }
}
