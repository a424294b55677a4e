//! Server of `simulation_interfaces`, the standard services of simulators: entities, state of the
//! simulation, steps, worlds.
//!
//! Source: package `simulation_interfaces` 2.1.0 (2026-04-07), its `.srv`, `.msg` and `.action`
//! files.
//!
//! Handlers read and set the state of entities on the thread of the run, between two steps. Changes
//! of the world are made by the thread of the world editor. A client waits for the reply meanwhile;
//! the node continues to serve.

pub(crate) mod answer;
mod control;
pub(crate) mod edits;
mod entities;
mod features;
mod filters;
pub mod names;
mod poses;
pub mod refusals;
mod save;
mod spawn;
mod steps;
pub mod version;
mod version1;
pub(crate) mod worlds;

use crate::node::world_editor::EditSender;
use answer::{Answer, Refusing};
use crossbeam_channel::Sender;
use merrow_ros2::cdr::from_bytes;
use merrow_ros2::msg::simulation_interfaces::ServiceResult;
use merrow_ros2::node::{Node, NodeError, Responder, Service};
use merrow_ros2::qos::Qos;
use merrow_sim::{Access, Request, Simulation};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};

pub use crate::simulation_interfaces::features::FEATURES;
use crate::simulation_interfaces::refusals::Refusals;
use crate::simulation_interfaces::version::Version;

/// Name, without a prefix, and type of the action, for `describe`.
pub const ACTION: (&str, &str) = ("/simulate_steps", steps::TYPE);

/// Connections of the services to the running world.
#[derive(Clone)]
pub struct Connections {
    /// Node of the run.
    pub node: Arc<Node>,
    /// Requests to the running world.
    pub requests: Sender<Request>,
    /// Changes of the world.
    pub editor: EditSender,
    /// Report of refused requests.
    pub refusals: Refusals,
    /// Simulated time since the start [ns].
    pub now_ns: Arc<AtomicU64>,
    /// Set to end the program.
    pub stop: Arc<AtomicBool>,
    /// Version of the types of the services.
    pub version: Version,
    /// Text before the names of all services, such as `gzserver`; empty: the names are absolute.
    pub prefix: String,
}

/// The running services. Dropping it ends them.
pub struct SimulationInterfaces {
    _services: Vec<Service>,
    _steps: steps::StepsServer,
}

impl SimulationInterfaces {
    /// Starts all services and the action.
    ///
    /// # Errors
    /// An endpoint could not be created.
    pub fn start(connections: &Connections) -> Result<Self, NodeError> {
        let mut services = vec![features::serve(connections)?, save::serve(connections)?];
        services.extend(entities::serve(connections)?);
        services.extend(spawn::serve(connections)?);
        services.extend(control::serve(connections)?);
        services.extend(poses::serve(connections)?);
        services.extend(worlds::serve(connections)?);
        Ok(Self {
            _services: services,
            _steps: steps::serve(connections)?,
        })
    }
}

impl Connections {
    /// Returns the name of a service or action.
    fn name(&self, name: &str) -> String {
        match self.prefix.trim_matches('/') {
            "" => format!("/{name}"),
            prefix => format!("/{prefix}/{name}"),
        }
    }

    /// Starts the service `name`, after the prefix. `handler` sends the response, immediately or
    /// later.
    fn serve<S: Refusing>(
        &self,
        name: &str,
        handler: impl Fn(&Connections, S::Request, Answer<S>) + Send + 'static,
    ) -> Result<Service, NodeError> {
        self.serve_private(&self.name(name), handler)
    }

    /// Returns the same as [`Self::serve`], without the prefix.
    fn serve_private<S: Refusing>(
        &self,
        name: &str,
        handler: impl Fn(&Connections, S::Request, Answer<S>) + Send + 'static,
    ) -> Result<Service, NodeError> {
        let connections = self.clone();
        let label = name.to_string();
        let open: Arc<AtomicUsize> = Arc::default();
        let answer = move |bytes: &[u8], responder: Responder| {
            match from_bytes::<S::Request>(bytes) {
                Ok(request) => {
                    let answer = Answer::<S>::new(responder, &open);
                    if answer.is_one_too_many() {
                        connections.refusals.report(&label, answer::BUSY);
                    } else {
                        handler(&connections, request, answer);
                    }
                }
                // a request that cannot be decoded has no effect and receives no reply
                Err(why) => connections
                    .refusals
                    .report(&label, &format!("malformed request: {why}")),
            }
        };
        self.node
            .deferred_service::<S>(name, &Qos::SERVICE, Box::new(answer))
    }

    /// Calls a function with the world on the thread of the run. If the run has ended, it is
    /// dropped.
    fn access(&self, call: impl FnOnce(&mut Simulation) + Send + 'static) {
        let _ = self.requests.send(Request::Access(Access::new(call)));
    }
}

/// Returns the result of a request that succeeded.
fn ok() -> ServiceResult {
    ServiceResult {
        result: ServiceResult::RESULT_OK,
        error_message: String::new(),
    }
}

/// Returns the result of a request that failed.
fn failure(code: u8, reason: impl Into<String>) -> ServiceResult {
    ServiceResult {
        result: code,
        error_message: reason.into(),
    }
}

/// Returns the result for an entity that does not exist.
fn no_entity(name: &str) -> ServiceResult {
    let reason = format!("no entity {name:?}; GetEntities lists the names");
    failure(ServiceResult::RESULT_NOT_FOUND, reason)
}

/// Returns the result of a change of the world or of its state.
fn outcome(done: Result<(), String>) -> ServiceResult {
    match done {
        Ok(()) => ok(),
        Err(why) => failure(ServiceResult::RESULT_OPERATION_FAILED, why),
    }
}
