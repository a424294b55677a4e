//! All services of the node: its own services, and those that bridges offer.

use crate::input::mailbox::Mailbox;
use crate::input::own_services::{all, names_of_devices, own_names};
use crate::modem::calls::{self, BridgedCalls};
use merrow_model::scene::Scene;
use merrow_ros2::node::{Node, NodeError, Service};
use merrow_ros2::parameters::ParameterServer;
use std::sync::Arc;

/// Returns the full names and the types of all services of a world, for `describe`.
pub fn names(scene: &Scene) -> Vec<(String, &'static str)> {
    let of_world = own_names(scene).into_iter();
    of_world.chain(calls::names(scene)).collect()
}

/// Returns the names of the services of a world, relative to the namespace of the node.
pub(crate) fn names_in_namespace(scene: &Scene) -> impl Iterator<Item = String> {
    let of_bridges = calls::names(scene).into_iter();
    names_of_devices(scene).chain(of_bridges.map(|(name, _)| name))
}

/// Starts all services.
///
/// # Errors
/// An endpoint could not be created.
pub(crate) fn start(
    node: &Node,
    mailbox: &Mailbox,
    parameters: &Arc<ParameterServer>,
    calls: &Arc<BridgedCalls>,
) -> Result<Vec<Service>, NodeError> {
    let own = all(&mailbox.scene).into_iter();
    let starts = own.filter_map(|service| service.start);
    let started = starts.map(|start| start(node, mailbox, parameters));
    let mut services = started.collect::<Result<Vec<_>, _>>()?;
    services.extend(calls::start(node, mailbox, calls)?);
    Ok(services)
}
