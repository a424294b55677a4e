//! Services that cross between robots over modems.
//!
//! The node offers the service of a bridge to callers and is a client of the service itself. A
//! request becomes a packet of the modem of the caller, which contains the number of the bridge,
//! the number of the call and the CDR bytes. When the packet arrives, the node calls the service.
//! The response becomes a packet of the modem of the server. When it arrives, the caller receives
//! it.
//!
//! A call whose request or response is lost has no response, because a ROS service has no error.
//! It ends after the timeout of the bridge, is counted as a rejection and logged.

use crate::input::mailbox::Mailbox;
use crate::input::own_services::own_names;
use crate::modem::bridges::BridgeError;
use crate::topics::Input;
use merrow_messages::msg::Packet;
use merrow_model::scene::Scene;
use merrow_model::scene::comms::bridge::ServiceBridge;
use merrow_model::state::Command;
use merrow_model::state::commands::BridgedCall;
use merrow_ros2::cdr::to_bytes;
use merrow_ros2::installed::InstalledTypes;
use merrow_ros2::message::ServiceInfo;
use merrow_ros2::node::{Client, Node, NodeError, Responder, Service};
use merrow_ros2::qos::Qos;
use merrow_sim::{InputMessage, Request};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

/// Maximum number of calls that wait for their response. A further call ends the oldest one.
const MAX_WAITING: usize = 1024;

/// Returns all service types of the standard packages and of merrow.
fn known_services() -> &'static [ServiceInfo] {
    static SERVICES: OnceLock<Vec<ServiceInfo>> = OnceLock::new();
    SERVICES.get_or_init(|| {
        let all = merrow_ros2::msg::services();
        all.into_iter()
            .chain(merrow_messages::msg::services())
            .collect()
    })
}

/// Returns the name of a service without its leading slash.
fn relative(name: &str) -> &str {
    name.trim_start_matches('/')
}

/// Returns the type of the service of bridge `k`: the type of the service that the simulator offers
/// under this name, of the bridge that offers it, or of the key `service_type`. `own` are the
/// services of the simulator.
///
/// # Errors
/// One line: the service or the type is unknown, another service has the offered name, or the
/// bridges form a loop.
fn service_type(
    scene: &Scene,
    k: usize,
    own: &[(String, &'static str)],
) -> Result<&'static ServiceInfo, String> {
    let bridge = &scene.service_bridges[k];
    let error = |text: String| Err(format!("bridge {}: {text}", bridge.name));
    if let Some(text) = name_conflict(scene, k, own) {
        return error(text);
    }
    let Some(origin) = origin(scene, k) else {
        return error(format!(
            "a call of /{} passes through its own bridge again; expected bridges without a loop",
            bridge.service
        ));
    };
    let stated = [bridge, origin].map(|bridge| bridge.service_type.as_str());
    let is_origin = |(name, _): &&(String, _)| relative(name) == origin.service;
    let offered = own.iter().find(is_origin).map(|(_, kind)| *kind);
    let Some(name) = offered.or(stated.into_iter().rev().find(|kind| !kind.is_empty())) else {
        return error(format!(
            "unknown service /{}: the simulator does not offer it; add `service_type` for a service of another node",
            origin.service
        ));
    };
    if !bridge.service_type.is_empty() && bridge.service_type != name {
        return error(format!(
            "`service_type`: found {}, but the type of /{} is {name}",
            bridge.service_type, bridge.service
        ));
    }
    if let Some(known) = known_services().iter().find(|info| info.name == name) {
        return Ok(known);
    }
    match InstalledTypes::sourced().service(name) {
        Ok(Some(found)) => Ok(found),
        Ok(None) => error(format!(
            "unknown service type {name}; expected a type of Merrow, such as std_srvs/srv/Trigger, \
             or of a package in AMENT_PREFIX_PATH"
        )),
        Err(why) => error(why),
    }
}

/// Describes the other service that has the name under which bridge `k` offers its service.
fn name_conflict(scene: &Scene, k: usize, own: &[(String, &'static str)]) -> Option<String> {
    let offered = &scene.service_bridges[k].offered_as;
    if own.iter().any(|(name, _)| relative(name) == offered) {
        return Some(format!(
            "the simulator already offers /{offered}; set `offered_as` to another name"
        ));
    }
    let mut former = scene.service_bridges[..k].iter();
    let same = former.find(|bridge| bridge.offered_as == *offered)?;
    Some(format!(
        "bridge {} already offers /{offered}; set `offered_as` to another name",
        same.name
    ))
}

/// Returns the bridge at the end of a chain of bridges: its service is of the simulator or of
/// another node. `None`: the bridges form a loop.
fn origin(scene: &Scene, k: usize) -> Option<&ServiceBridge> {
    let all = &scene.service_bridges;
    let mut bridge = &all[k];
    for _ in 0..=all.len() {
        match all.iter().find(|other| other.offered_as == bridge.service) {
            Some(next) => bridge = next,
            None => return Some(bridge),
        }
    }
    None
}

/// Returns the full names and the types of the services that valid bridges offer.
pub(crate) fn names(scene: &Scene) -> Vec<(String, &'static str)> {
    let offered_as = |k: usize| format!("/{}", scene.service_bridges[k].offered_as);
    let valid = service_types(scene).into_iter().flatten();
    valid.map(|(k, info)| (offered_as(k), info.name)).collect()
}

/// Returns the bridges of services with the types of these, or their errors.
pub(super) fn service_types(
    scene: &Scene,
) -> Vec<Result<(usize, &'static ServiceInfo), BridgeError>> {
    if scene.service_bridges.is_empty() {
        return Vec::new();
    }
    let own = own_names(scene);
    let one = |k| match service_type(scene, k, &own) {
        Ok(info) => Ok((k, info)),
        Err(text) => Err((k, text)),
    };
    (0..scene.service_bridges.len()).map(one).collect()
}

/// Returns the topic on which bags contain the calls of a bridge.
fn record_topic(bridge: &ServiceBridge) -> String {
    format!("/{}/_calls", bridge.offered_as)
}

/// Returns the topics on which bags contain the calls of all bridges.
pub(crate) fn records(scene: &Scene) -> Vec<Input> {
    let of_bridge = |(bridge, device): (usize, &ServiceBridge)| {
        let unit = "requests and responses";
        Input::new(record_topic(device), unit, move |arrival, packet| {
            command(arrival.scene, bridge, packet)
        })
    };
    let all = scene.service_bridges.iter().enumerate();
    all.map(of_bridge).collect()
}

/// Builds the message with which a bag contains a request or a response: the addresses of both
/// modems, the number of the call as `key`, and the CDR bytes.
fn record(scene: &Scene, call: &BridgedCall) -> Packet {
    let bridge = &scene.service_bridges[call.bridge];
    let address = |modem: usize| scene.modems[modem].address;
    let [source, destination] = match call.is_response {
        true => [bridge.to, bridge.from],
        false => [bridge.from, bridge.to],
    }
    .map(address);
    Packet {
        source,
        destination,
        key: call.call,
        data: call.message.clone(),
        ..Packet::default()
    }
}

/// Converts a recorded request or response of a bridge to a command.
///
/// # Errors
/// One line: its source is not a modem of the bridge.
fn command(scene: &Scene, bridge: usize, packet: Packet) -> Result<Command, String> {
    let own = &scene.service_bridges[bridge];
    let [from, to] = [own.from, own.to].map(|modem| scene.modems[modem].address);
    if ![from, to].contains(&packet.source) {
        let source = packet.source;
        return Err(format!("source: expected {from} or {to}, found {source}"));
    }
    Ok(Command::Call(BridgedCall {
        bridge,
        call: packet.key,
        is_response: packet.source == to,
        message: packet.data,
    }))
}

/// Calls over bridges that wait for their response, and the clients of the services.
#[derive(Default)]
pub struct BridgedCalls(Mutex<Calls>);

#[derive(Default)]
struct Calls {
    /// Clients of the current scene; `None` without a node.
    clients: Option<Arc<Clients>>,
    /// Number of the last call.
    last: u32,
    /// Time of the last published state [ns]. The run can be later, so that calls begin at this
    /// time.
    published_ns: u64,
    /// Calls by their number.
    waiting: BTreeMap<u32, WaitingCall>,
}

/// Clients of the services of one version of the scene.
struct Clients {
    mailbox: Mailbox,
    /// Clients by the index of the bridge.
    of_bridges: BTreeMap<usize, Client>,
}

/// Call that waits for its response.
struct WaitingCall {
    bridge: usize,
    start_ns: u64,
    responder: Responder,
}

/// Starts the services that bridges offer, and the clients of the services that they call.
///
/// # Errors
/// An endpoint could not be created.
pub(crate) fn start(
    node: &Node,
    mailbox: &Mailbox,
    calls: &Arc<BridgedCalls>,
) -> Result<Vec<Service>, NodeError> {
    let mut services = Vec::new();
    let mut of_bridges = BTreeMap::new();
    for (k, info) in service_types(&mailbox.scene).into_iter().flatten() {
        let bridge = &mailbox.scene.service_bridges[k];
        let (calls, for_handler) = (Arc::clone(calls), mailbox.clone());
        let handler = move |request: &[u8], responder: Responder| {
            calls.start_call(&for_handler, k, request, responder);
        };
        let [offered, called] = [&bridge.offered_as, &bridge.service].map(|n| format!("/{n}"));
        services.push(node.service_of_type(info, &offered, &Qos::SERVICE, Box::new(handler))?);
        of_bridges.insert(k, node.client_of_type(info, &called, &Qos::SERVICE)?);
    }
    let now_ns = mailbox.run.progress.now_ns.load(Ordering::Relaxed);
    let mut state = calls.0.lock();
    // the responses of calls before a checkpoint must not reach later callers
    state.last = state.last.max((now_ns / 1_000_000) as u32);
    state.clients = Some(Arc::new(Clients {
        mailbox: mailbox.clone(),
        of_bridges,
    }));
    Ok(services)
}

/// Sends a request or a response to the network of the running world.
fn transmit(mailbox: &Mailbox, call: BridgedCall) {
    let bridge = &mailbox.scene.service_bridges[call.bridge];
    let message = InputMessage {
        topic: record_topic(bridge).into(),
        bytes: to_bytes(&record(&mailbox.scene, &call)),
    };
    let request = Request::Input(mailbox.version, vec![Command::Call(call)], message);
    mailbox.send_request(request);
}

/// Counts and reports a call without a response, for the robot that carries `modem`.
fn report(mailbox: &Mailbox, modem: usize, bridge: &ServiceBridge, why: &str) {
    let robot = mailbox.scene.modems[modem].on.map(|(robot, _)| robot);
    mailbox.reject(robot, &format!("bridge {}", bridge.name), why);
}

impl BridgedCalls {
    /// Transmits the request of a caller and keeps its responder.
    fn start_call(&self, mailbox: &Mailbox, k: usize, request: &[u8], responder: Responder) {
        let mut state = self.0.lock();
        state.last = state.last.wrapping_add(1);
        let call = state.last;
        let waiting = WaitingCall {
            bridge: k,
            start_ns: state.published_ns,
            responder,
        };
        state.waiting.insert(call, waiting);
        let is_full = state.waiting.len() > MAX_WAITING;
        let ended = is_full.then(|| state.waiting.pop_first()).flatten();
        drop(state);
        let bridges = &mailbox.scene.service_bridges;
        if let Some(bridge) = ended.and_then(|(_, call)| bridges.get(call.bridge)) {
            let why = format!("more than {MAX_WAITING} calls wait; the oldest one has ended");
            report(mailbox, bridge.from, bridge, &why);
        }
        let message = request.to_vec();
        transmit(
            mailbox,
            BridgedCall {
                bridge: k,
                call,
                is_response: false,
                message,
            },
        );
    }

    /// Passes on a message that arrived over a bridge of `scene`: a request to the service, a
    /// response to the caller.
    pub(crate) fn pass_on(&self, scene: &Scene, arrived: &BridgedCall<&[u8]>) {
        if arrived.is_response {
            let waiting = self.0.lock().waiting.remove(&arrived.call);
            if let Some(call) = waiting.filter(|call| call.bridge == arrived.bridge) {
                call.responder.respond(arrived.message.to_vec());
            }
            return;
        }
        // unlocked during the call, because a service of this node can be another bridge
        let Some(clients) = self.0.lock().clients.clone() else {
            return;
        };
        let current = &clients.mailbox.scene;
        // a new world can have other bridges
        if current.service_bridges == scene.service_bridges {
            clients.call(arrived);
        }
    }

    /// Ends the calls whose timeout has passed at `now_ns` [ns], and the calls before a reset.
    pub(crate) fn end_expired(&self, now_ns: u64) {
        let mut state = self.0.lock();
        state.published_ns = now_ns;
        let Some(clients) = state.clients.clone().filter(|_| !state.waiting.is_empty()) else {
            return;
        };
        let bridges = &clients.mailbox.scene.service_bridges;
        state.waiting.retain(|_, call| {
            let Some(bridge) = bridges.get(call.bridge) else {
                return false;
            };
            let end_ns = call.start_ns.saturating_add(bridge.timeout_ns);
            let is_waiting = (call.start_ns..end_ns).contains(&now_ns);
            if !is_waiting {
                let timeout = bridge.timeout_ns as f64 * 1e-9;
                let why = format!("no response to a call within {timeout} s");
                report(&clients.mailbox, bridge.from, bridge, &why);
            }
            is_waiting
        });
    }
}

impl Clients {
    /// Calls the service of a bridge; its response is transmitted.
    fn call(&self, arrived: &BridgedCall<&[u8]>) {
        let (k, call) = (arrived.bridge, arrived.call);
        let Some(client) = self.of_bridges.get(&k) else {
            return;
        };
        let bridge = &self.mailbox.scene.service_bridges[k];
        if client.server_count() == 0 {
            let why = format!("a request arrived, but no node offers {}", client.name());
            return report(&self.mailbox, bridge.to, bridge, &why);
        }
        let mailbox = self.mailbox.clone();
        let handler = move |response: &[u8]| {
            let message = response.to_vec();
            transmit(
                &mailbox,
                BridgedCall {
                    bridge: k,
                    call,
                    is_response: true,
                    message,
                },
            );
        };
        if let Err(why) = client.call(arrived.message, Box::new(handler)) {
            let why = format!("a request arrived, but the call failed: {why}");
            report(&self.mailbox, bridge.to, bridge, &why);
        }
    }
}
