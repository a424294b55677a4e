//! Services that read and set the state of the simulation, reset it and make steps.
//!
//! A world is stopped from a reset or from its load on, until it is played, stepped or paused, at
//! any start time. A lock-stepped world counts as paused, because it advances on request only.

use crate::input::serve::Caller;
use crate::node::world_editor::WorldEditor;
use crate::simulation_interfaces::{Connections, done, failed, failure, worlds};
use merrow_ros2::msg::simulation_interfaces::{
    GetSimulationState, GetSimulationStateResponse, ResetSimulation, ResetSimulationRequest,
    ServiceResult, SetSimulationState, SetSimulationStateResponse, SimulationState, StepSimulation,
};
use merrow_ros2::node::{NodeError, Service};
use merrow_sim::{Pace, Reply, Request, RunStatus};
use std::sync::atomic::Ordering;

/// Starts the services of this file.
pub(super) fn serve(connections: &Connections) -> Result<Vec<Service>, NodeError> {
    Ok(vec![
        connections.serve::<GetSimulationState>(|connections, _, caller| {
            let requests = connections.run.requests.clone();
            connections.editor.send(move |editor| {
                let is_loaded = worlds::is_loaded(editor.document());
                let reply = Reply::new(move |status| {
                    let state = if is_loaded {
                        state(&status)
                    } else {
                        SimulationState::STATE_NO_WORLD
                    };
                    caller.send(&GetSimulationStateResponse {
                        state: SimulationState { state },
                        ..done()
                    });
                });
                let _ = requests.send(Request::Status(reply));
            });
        })?,
        connections.serve::<SetSimulationState>(|connections, request, caller| {
            let target = request.state.state;
            with_status(connections, move |connections, status| {
                set_state(&connections, status, target, caller);
            });
        })?,
        connections.serve_edit::<ResetSimulation>(false, |editor, request| {
            reset(editor, request.scope).map(|()| done())
        })?,
        connections.serve::<StepSimulation>(|connections, request, caller| {
            let reply = caller
                .reply(|stepped: merrow_sim::StepResult| stepped.result.map(|()| String::new()));
            let _ = connections
                .run
                .requests
                .send(Request::Step(request.steps, reply));
        })?,
    ])
}

/// Calls `next` with the status of the run, on the thread of the run.
fn with_status(
    connections: &Connections,
    next: impl FnOnce(Connections, RunStatus) + Send + 'static,
) {
    let own = connections.clone();
    let reply = Reply::new(move |status| next(own, status));
    let _ = connections.run.requests.send(Request::Status(reply));
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
    caller: Caller<SetSimulationState>,
) {
    let is_lockstep = status.pace == Pace::Lockstep && !status.paused;
    let refused = if state(&status) == target {
        let why = "the simulation is in this state already".to_string();
        Some((SetSimulationStateResponse::ALREADY_IN_TARGET_STATE, why))
    } else if target > SimulationState::STATE_QUITTING {
        let why = format!("expected a state from 0 (stopped) to 3 (quitting), found {target}");
        Some((SetSimulationStateResponse::INCORRECT_TRANSITION, why))
    } else if target == SimulationState::STATE_PLAYING && is_lockstep {
        let why = "the pace is lockstep; set the parameter `pace` first".to_string();
        Some((SetSimulationStateResponse::STATE_TRANSITION_ERROR, why))
    } else {
        None
    };
    if let Some((code, why)) = refused {
        return caller.finish(Err(failure(code, why)));
    }
    let requests = connections.run.requests.clone();
    match target {
        SimulationState::STATE_STOPPED => connections.editor.send(move |editor| {
            let _ = requests.send(Request::Pause(Reply::new(|()| {})));
            let reset = reset(editor, ResetSimulationRequest::SCOPE_DEFAULT);
            caller.finish(reset.map(|()| done()));
        }),
        SimulationState::STATE_PLAYING | SimulationState::STATE_PAUSED => {
            let reply = caller.reply(|()| Ok(String::new()));
            let _ = requests.send(match target {
                SimulationState::STATE_PLAYING => Request::Resume(reply),
                _ => Request::Pause(reply),
            });
        }
        _ => {
            caller.send(&done());
            connections.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Resets the parts of the simulation that `scope` selects.
fn reset(editor: &mut WorldEditor, scope: u8) -> Result<(), ServiceResult> {
    let has = |bit: u8| scope == ResetSimulationRequest::SCOPE_DEFAULT || scope & bit != 0;
    let time = has(ResetSimulationRequest::SCOPE_TIME);
    let state = has(ResetSimulationRequest::SCOPE_STATE);
    let spawned = has(ResetSimulationRequest::SCOPE_SPAWNED);
    if time && !state {
        let why = "expected a reset of time and state, found a reset of only the time";
        return Err(failure(ServiceResult::RESULT_FEATURE_UNSUPPORTED, why));
    }
    if !(time || state || spawned) {
        return Err(failed(format!(
            "scope: expected a sum of 1 (time), 2 (state), 4 (spawned), found {scope}"
        )));
    }
    if spawned {
        let document = if time {
            editor.document().as_loaded()
        } else {
            editor.document().without_spawned()
        };
        if document.changes() != editor.document().changes() {
            editor.change(document).map_err(failed)?;
        }
    }
    if !state {
        return Ok(());
    }
    let reset = match time {
        true => editor.ask(Request::Reset),
        false => editor.ask(Request::ResetState),
    };
    reset.map_err(failed)
}
