//! Server of `simulation_interfaces`, the standard services of simulators: entities, state of the
//! simulation, steps, worlds.
//!
//! Source: package `simulation_interfaces` 2.1.0 (2026-04-07), its `.srv`, `.msg` and `.action`
//! files.
//!
//! Handlers read and set the state of entities on the thread of the run, between two steps. Changes
//! of the world are made by the thread of the world editor. A client waits for the reply meanwhile;
//! the node continues to serve.

mod control;
pub(crate) mod edits;
mod entities;
mod features;
mod filters;
pub mod names;
mod poses;
mod spawn;
mod steps;
pub(crate) mod worlds;

use crate::input::mailbox::RunLink;
use crate::input::serve::{Caller, serve};
use crate::node::interface::InterfaceParts;
use crate::node::parameters::node::{has_interfaces_version1, simulation_interfaces_prefix};
use crate::node::world_editor::{EditSender, WorldEditor};
use merrow_ros2::message::{Service as ServiceType, ServiceInfo};
use merrow_ros2::msg::simulation_interfaces::ServiceResult;
use merrow_ros2::msg::{Outcome, simulation_interfaces_v1 as v1};
use merrow_ros2::node::{Node, NodeError, Service};
use merrow_sim::{Access, Request, Simulation};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use crate::simulation_interfaces::features::FEATURES;

/// Name, without a prefix, and type of the action, for `describe`.
pub const ACTION: (&str, &str) = ("/simulate_steps", steps::TYPE);

/// Connections of the services to the running world.
#[derive(Clone)]
pub struct Connections {
    node: Arc<Node>,
    /// Connection to the running world.
    run: RunLink,
    /// Changes of the world.
    editor: EditSender,
    /// Set to end the program.
    stop: Arc<AtomicBool>,
    /// Whether the services have the types of version 1, of the packages for Humble and Jazzy.
    has_version1: bool,
    /// Text before the names of all services, such as `gzserver`; empty: the names are absolute.
    prefix: String,
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
        let mut services = vec![features::serve(connections)?, edits::serve(connections)?];
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

/// Response to a request, or the result of a request that failed.
type Handled<S> = Result<<S as ServiceType>::Response, ServiceResult>;

impl Connections {
    /// Connects the node of an interface with the editor of the world; `stop` ends the program.
    pub fn new(interface: &InterfaceParts, editor: EditSender, stop: Arc<AtomicBool>) -> Self {
        Self {
            node: Arc::clone(&interface.node),
            run: interface.run.clone(),
            editor,
            stop,
            has_version1: has_interfaces_version1(&interface.parameters),
            prefix: simulation_interfaces_prefix(&interface.parameters),
        }
    }

    /// Returns the name of a service or action.
    fn name(&self, name: &str) -> String {
        match self.prefix.trim_matches('/') {
            "" => format!("/{name}"),
            prefix => format!("/{prefix}/{name}"),
        }
    }

    /// Starts a service. `handler` answers, immediately or later.
    fn serve<S: ServiceType<Response: Outcome>>(
        &self,
        handler: impl Fn(&Self, S::Request, Caller<S>) + Send + 'static,
    ) -> Result<Service, NodeError> {
        self.serve_as(&self.name(&names::name(S::TYPE)), handler)
    }

    /// Starts a service with another name than the name of its type.
    fn serve_as<S: ServiceType<Response: Outcome>>(
        &self,
        name: &str,
        handler: impl Fn(&Self, S::Request, Caller<S>) + Send + 'static,
    ) -> Result<Service, NodeError> {
        let (own, reporter, label) = (self.clone(), self.clone(), name.to_string());
        let report = move |why: &str| reporter.report(&label, why);
        let handler = move |_: &[u8], request, caller| handler(&own, request, caller);
        serve::<S>(&self.node, &self.info::<S>(), name, report, handler)
    }

    /// Starts a service that answers from the thread of the run.
    fn serve_run<S: ServiceType<Response: Outcome>>(
        &self,
        handle: fn(&mut Simulation, &EditSender, S::Request) -> Handled<S>,
    ) -> Result<Service, NodeError> {
        self.serve::<S>(move |connections, request, caller| {
            let editor = connections.editor.clone();
            connections.access(move |simulation| {
                caller.finish(handle(simulation, &editor, request));
            });
        })
    }

    /// Starts a service that answers from the thread of the editor; with `reports`, requests that
    /// fail are counted and logged.
    fn serve_edit<S: ServiceType<Response: Outcome>>(
        &self,
        reports: bool,
        handle: fn(&mut WorldEditor, S::Request) -> Handled<S>,
    ) -> Result<Service, NodeError> {
        self.serve::<S>(move |connections, request, caller| {
            let own = connections.clone();
            connections.editor.send(move |editor| {
                let done = handle(editor, request);
                if let Err(failure) = done.as_ref()
                    && reports
                {
                    own.report(&names::name(S::TYPE), &failure.error_message);
                }
                caller.finish(done);
            });
        })
    }

    /// Returns the type of a service. The types of version 1 have the same encoding.
    fn info<S: ServiceType>(&self) -> ServiceInfo {
        let of_version1 = [v1::LoadWorld::info(), v1::SpawnEntity::info()];
        let mut own = of_version1.into_iter().filter(|_| self.has_version1);
        own.find(|info| info.name == S::TYPE)
            .unwrap_or_else(S::info)
    }

    /// Counts a refused request and logs it, at most once per second.
    fn report(&self, service: &str, why: &str) {
        let first = why.lines().next().unwrap_or_default();
        self.run.reject(None, service, first);
    }

    /// Calls a function with the world on the thread of the run. If the run has ended, it is
    /// dropped.
    fn access(&self, call: impl FnOnce(&mut Simulation) + Send + 'static) {
        let _ = self.run.requests.send(Request::Access(Access::new(call)));
    }
}

/// Returns the response to a request that succeeded.
fn done<R: Outcome>() -> R {
    R::of(Ok(String::new()).into())
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

/// Returns the result of an operation that failed.
fn failed(reason: String) -> ServiceResult {
    Err(reason).into()
}
