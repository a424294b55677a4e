//! Topics that cross between robots over modems.
//!
//! A message of the topic becomes a packet of the transmitting modem: a mark, the number of the
//! bridge and the CDR bytes. When the packet arrives, its CDR bytes are published on the topic of
//! the receiver. The bridge uses topics of other nodes and of the simulator itself.

use crate::input::Mailbox;
use crate::node::plan::{Input, Output, Source, Target};
use merrow_model::scene::Scene;
use merrow_model::scene::comms::BROADCAST;
use merrow_model::scene::comms::bridge::Bridge;
use merrow_model::state::Command;
use merrow_model::state::comms::{Delivery, ModemCommand};
use merrow_ros2::message::TypeInfo;
use merrow_ros2::node::Callback;
use merrow_ros2::qos::Qos;
use merrow_sim::Request;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// First bytes of a packet of a bridge.
const MARK: [u8; 2] = *b"MB";
/// Number of bytes before the message in a packet.
const HEAD: usize = 4;

/// All message types that the node knows.
fn known_types() -> &'static [TypeInfo] {
    static TYPES: OnceLock<Vec<TypeInfo>> = OnceLock::new();
    TYPES.get_or_init(|| {
        let all = merrow_ros2::msg::catalogue();
        let own = crate::msg::catalogue();
        all.into_iter().chain(own).map(|t| t.info).collect()
    })
}

/// Returns the type with the ROS name `name`.
fn find_type(name: &str) -> Option<&'static TypeInfo> {
    known_types().iter().find(|info| info.name == name)
}

/// Returns the type of the messages of a bridge: that of its key, or that of the output with its
/// topic.
///
/// # Errors
/// One line: the type is unknown, or differs from that of the output.
fn message_type(bridge: &Bridge, outputs: &[Output]) -> Result<&'static TypeInfo, String> {
    let output = outputs.iter().find(|output| is_topic(output, bridge));
    if let Some(output) = output {
        let stated = bridge.message_type.as_str();
        if !stated.is_empty() && stated != output.info.name {
            return Err(format!(
                "bridge {}: `message_type`: found {stated}, but the simulator publishes {} as {}",
                bridge.name, bridge.topic, output.info.name
            ));
        }
        return Ok(output.info);
    }
    if bridge.message_type.is_empty() {
        return Err(format!(
            "bridge {}: unknown topic /{}: the simulator does not publish it; add `message_type` for a topic of another node",
            bridge.name, bridge.topic
        ));
    }
    find_type(&bridge.message_type).ok_or_else(|| {
        format!(
            "bridge {}: unknown message type {}: expected a type of the standard packages or of merrow",
            bridge.name, bridge.message_type
        )
    })
}

fn is_topic(output: &Output, bridge: &Bridge) -> bool {
    output.topic.trim_start_matches('/') == bridge.topic
}

/// Checks the topics and types of all bridges.
///
/// # Errors
/// One line per invalid bridge.
pub fn check(scene: &Scene, outputs: &[Output]) -> Result<(), Vec<String>> {
    let errors: Vec<String> = scene
        .bridges
        .iter()
        .filter_map(|bridge| message_type(bridge, outputs).err())
        .collect();
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

/// Adds the topics of all valid bridges.
pub(crate) fn add_topics(scene: &Scene, outputs: &mut Vec<Output>, inputs: &mut Vec<Input>) {
    let n = outputs.len();
    for (k, bridge) in scene.bridges.iter().enumerate() {
        let Ok(info) = message_type(bridge, &outputs[..n]) else {
            continue;
        };
        if !outputs[..n].iter().any(|output| is_topic(output, bridge)) {
            inputs.push(Input {
                topic: format!("/{}", bridge.topic),
                info,
                target: Target::Bridge { bridge: k },
                unit: format!("transmitted by {}", scene.modems[bridge.from].name),
            });
        }
        for (receiver, (_, topic)) in bridge.to.iter().enumerate() {
            outputs.push(Output {
                topic: format!("/{topic}"),
                info,
                qos: Qos::DEFAULT,
                rate_hz: None,
                source: Source::Bridged {
                    bridge: k,
                    receiver,
                },
            });
        }
    }
}

/// Returns the bridges that transmit the messages of an output of the simulator.
pub(crate) fn bridges_of(scene: &Scene, output: &Output) -> Vec<usize> {
    if matches!(output.source, Source::Bridged { .. }) {
        return Vec::new();
    }
    let bridges = scene.bridges.iter().enumerate();
    bridges
        .filter(|(_, bridge)| is_topic(output, bridge))
        .map(|(k, _)| k)
        .collect()
}

/// Limit of the rate of a bridge.
#[derive(Debug, Default)]
pub(crate) struct RateLimit {
    next_ns: AtomicU64,
}

impl RateLimit {
    /// Returns true if a message may be transmitted at `now_ns` [ns]; then starts the interval to
    /// the next one.
    pub(crate) fn permits(&self, bridge: &Bridge, now_ns: u64) -> bool {
        let next = self.next_ns.load(Ordering::Relaxed);
        // after a reset the time is lower
        let is_due = now_ns >= next || next > now_ns + bridge.min_interval_ns;
        if is_due {
            self.next_ns
                .store(now_ns + bridge.min_interval_ns, Ordering::Relaxed);
        }
        is_due
    }
}

/// Returns the command that transmits a message of bridge `k`, in CDR.
pub(crate) fn send_command(scene: &Scene, k: usize, message: &[u8]) -> Command {
    let bridge = &scene.bridges[k];
    let mut payload = Vec::with_capacity(HEAD + message.len());
    payload.extend_from_slice(&MARK);
    payload.extend_from_slice(&(k as u16).to_le_bytes());
    payload.extend_from_slice(message);
    let destination = match bridge.to.first() {
        Some((to, _)) if !bridge.is_broadcast => scene.modems[*to].address,
        _ => BROADCAST,
    };
    Command::Modem(ModemCommand::Send {
        modem: bridge.from,
        destination,
        payload,
        priority: bridge.priority,
        wants_ack: bridge.wants_ack,
        key: bridge.keeps_newest.then_some(u32::MAX - k as u32),
        power: None,
    })
}

/// Returns the callback of the topic of bridge `k`.
pub(crate) fn callback(mailbox: &Mailbox, k: usize) -> Callback {
    let (mailbox, limit) = (mailbox.clone(), RateLimit::default());
    Box::new(move |bytes| {
        let now = mailbox.progress.now_ns.load(Ordering::Relaxed);
        if limit.permits(&mailbox.scene.bridges[k], now) {
            let command = send_command(&mailbox.scene, k, bytes);
            // sending fails if the run has ended
            let _ = mailbox
                .requests
                .send(Request::Command(mailbox.version, command));
        }
    })
}

/// Returns bridge, receiver and message of a delivered packet of a bridge.
pub(crate) fn received<'a>(
    scene: &Scene,
    delivery: &Delivery,
    payload: &'a [u8],
) -> Option<(usize, usize, &'a [u8])> {
    let (head, message) = payload.split_at_checked(HEAD)?;
    let k = usize::from(u16::from_le_bytes([head[2], head[3]]));
    let bridge = scene.bridges.get(k)?;
    if head[..2] != MARK || bridge.from != delivery.from as usize || delivery.is_overheard {
        return None;
    }
    let receiver = bridge
        .to
        .iter()
        .position(|(to, _)| *to == delivery.to as usize)?;
    Some((k, receiver, message))
}
