//! Topics and services of communication modems.
//!
//! A modem has the topics `<modem>/tx`, `rx`, `range` and `status`. A modem with an array also has
//! `<modem>/<other modem>/pose`. The node has the topics
//! `network/links`, `network/packets` and `network/schedule` for all modems.

pub mod bridges;
pub mod calls;
mod feasibility;
pub(crate) mod fix;
pub mod services;

use crate::topics::{Input, Output, Source, Target};
use merrow_messages::convert::modem::ModemCondition;
use merrow_messages::msg::{LinkTable, ModemSchedule, ModemStatus, Packet, PacketLog};
use merrow_model::scene::Scene;
use merrow_model::scene::comms::{BROADCAST, Modem};
use merrow_model::state::Command;
use merrow_model::state::comms::{LinkState, ModemCommand, ModemState, NetworkOutput};
use merrow_ros2::cdr::from_bytes;
use merrow_ros2::message::Message;
use merrow_ros2::msg::geometry_msgs::PoseWithCovarianceStamped;
use merrow_ros2::msg::sensor_msgs::Range;
use merrow_ros2::qos::Qos;
use merrow_sim::Simulation;
use std::sync::Arc;

/// Rate of the states of modems and links in simulated time [Hz].
pub const STATUS_RATE: f64 = 1.0;

/// Copies of the states of modems and links, for status messages.
#[derive(Debug)]
pub struct NetworkStates {
    /// State of every modem with its energy and its faults.
    pub modems: Vec<(ModemState, ModemCondition)>,
    /// State of each link, row of the transmitter, column of the receiver.
    pub links: Vec<LinkState>,
}

impl NetworkStates {
    /// Reads the states of a simulation.
    pub fn read(simulation: &Simulation) -> Self {
        let network = &simulation.state.network;
        let modems = network.modems.iter().enumerate();
        let condition = |k: usize| ModemCondition {
            energy: simulation.modem_energy(k),
            fault: simulation.modem_faults(k),
            power_fraction: simulation.modem_power_fraction(k),
        };
        Self {
            modems: modems
                .map(|(k, modem)| (modem.clone(), condition(k)))
                .collect(),
            links: network.links.clone(),
        }
    }
}

/// Results of the network in one block of steps.
#[derive(Debug, Default)]
pub struct NetworkBatch {
    /// Messages, ranges, packets and intervals.
    pub output: Arc<NetworkOutput>,
    /// States of all modems and links, if due.
    pub states: Option<NetworkStates>,
}

impl NetworkBatch {
    /// Reads the results of a simulation; `has_status`: also the states. `None` without results.
    pub fn read(simulation: &Simulation, has_status: bool) -> Option<Box<Self>> {
        let (output, network) = (&simulation.network_output, &simulation.state.network);
        if network.modems.is_empty() || output.is_empty() && !has_status {
            return None;
        }
        // an empty result is not shared, so that the simulation can continue to fill it
        let output = if output.is_empty() {
            Arc::default()
        } else {
            Arc::clone(output)
        };
        Some(Box::new(Self {
            output,
            states: has_status.then(|| NetworkStates::read(simulation)),
        }))
    }
}

/// Returns the name of the topic or service `what` of a modem, relative to the node's namespace.
pub(crate) fn topic_name(scene: &Scene, modem: &Modem, what: &str) -> String {
    let name = format!("{}/{what}", modem.name);
    match modem.on {
        Some((robot, _)) => scene.robots[robot].in_namespace(&name),
        None => name,
    }
}

/// Adds the topics of the modems of a world.
pub(crate) fn add_topics(scene: &Scene, outputs: &mut Vec<Output>, inputs: &mut Vec<Input>) {
    let mut add = |topic: String, info, rate_hz, source| {
        outputs.push(Output {
            topic,
            info,
            qos: Qos::DEFAULT,
            rate_hz,
            source,
        });
    };
    for (modem, device) in scene.modems.iter().enumerate() {
        let topic = |what: &str| topic_name(scene, device, what);
        add(
            topic("rx"),
            Packet::info(),
            None,
            Source::ModemReceived { modem },
        );
        add(
            topic("range"),
            Range::info(),
            None,
            Source::ModemRange { modem },
        );
        let others = scene.modems.iter().enumerate();
        let others = others.filter(|(other, entry)| {
            let is_same = device.transceiver.is_same_medium(&entry.transceiver);
            device.transceiver.bearing_std_deg.is_some() && *other != modem && is_same
        });
        for (other, entry) in others {
            add(
                topic(&format!("{}/pose", entry.name)),
                PoseWithCovarianceStamped::info(),
                None,
                Source::ModemFix { modem, other },
            );
        }
        add(
            topic("status"),
            ModemStatus::info(),
            Some(STATUS_RATE),
            Source::ModemStatus { modem },
        );
        inputs.push(Input {
            topic: topic("tx"),
            info: Packet::info(),
            target: Target::Modem { modem },
            unit: format!(
                "address {}; data of at most {} bytes",
                device.address,
                device.transceiver.framing.max_message()
            ),
        });
    }
    if !scene.modems.is_empty() {
        let rate = Some(STATUS_RATE);
        let topic = |what: &str| format!("network/{what}");
        add(topic("links"), LinkTable::info(), rate, Source::Links);
        add(topic("packets"), PacketLog::info(), None, Source::Packets);
        add(
            topic("schedule"),
            ModemSchedule::info(),
            None,
            Source::ModemSchedule,
        );
    }
    bridges::add_topics(scene, outputs, inputs);
}

/// Converts a message for a modem or a bridge to a command.
///
/// # Errors
/// One line: the message is malformed, its power is invalid, or the target is another object.
pub(crate) fn command(scene: &Scene, target: Target, bytes: &[u8]) -> Result<Command, String> {
    match target {
        Target::Call { bridge } => calls::command(scene, bridge, bytes),
        Target::Bridge { bridge } => Ok(Command::Bridge {
            bridge,
            message: bytes.to_vec(),
        }),
        Target::Modem { modem } => send_command(modem, bytes),
        _ => Err("a message for another object than a modem or a bridge".to_string()),
    }
}

/// Converts a message on the topic `tx` of a modem to a command.
///
/// # Errors
/// One line: the message is malformed or its power is invalid.
fn send_command(modem: usize, bytes: &[u8]) -> Result<Command, String> {
    let packet: Packet = from_bytes(bytes).map_err(|e| format!("malformed message: {e}"))?;
    if !(packet.power.is_finite() && packet.power >= 0.0) {
        return Err(format!(
            "power: expected 0 or more watts, found {}",
            packet.power
        ));
    }
    if packet.acknowledge && packet.destination == BROADCAST {
        return Err("acknowledge: a message to all modems is not acknowledged; send it without acknowledgement".into());
    }
    Ok(Command::Modem(ModemCommand::Send {
        modem,
        destination: packet.destination,
        payload: packet.data,
        priority: packet.priority,
        is_acknowledged: packet.acknowledge,
        key: (packet.key != 0).then_some(packet.key),
        power: (packet.power > 0.0).then_some(packet.power),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_comms::network::balance;
    use merrow_ros2::cdr::to_bytes;
    use merrow_ros2::msg::builtin_interfaces::Time;
    use merrow_world::{Overrides, load_world};

    use std::path::Path;

    /// Returns packets with the extreme values of every field, for modem `modem` of a scene.
    fn extremes(scene: &Scene, modem: usize) -> Vec<Packet> {
        let device = &scene.modems[modem];
        let limit = device.transceiver.framing.max_message();
        let usual = Packet {
            destination: BROADCAST,
            data: vec![7],
            ..Packet::default()
        };
        let mut all: Vec<Packet> = [0, 1, 2, 255, limit, limit + 1]
            .map(|length| Packet {
                data: vec![255; length],
                ..usual.clone()
            })
            .into();
        let known = scene.modems.iter().map(|other| other.address);
        for destination in known.chain([0, 255, 256, BROADCAST - 1, BROADCAST]) {
            all.extend([false, true].map(|acknowledge| Packet {
                destination,
                acknowledge,
                ..usual.clone()
            }));
        }
        let max_power = device.transceiver.max_power_w;
        let powers = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            1e308,
            -1e308,
            -0.0,
            f64::MIN_POSITIVE,
            max_power,
            max_power * 1.001,
        ];
        all.extend(powers.map(|power| Packet {
            power,
            ..usual.clone()
        }));
        all.extend([0, u8::MAX].map(|priority| Packet {
            priority,
            ..usual.clone()
        }));
        all.extend([0, u32::MAX].map(|key| Packet {
            key,
            ..usual.clone()
        }));
        // the fields of received packets are not used
        all.extend([f32::NAN, f32::INFINITY, f32::MIN].map(|value| Packet {
            source: u16::MAX,
            sent: Time {
                sec: i32::MIN,
                nanosec: u32::MAX,
            },
            snr: value,
            doppler: value,
            overheard: true,
            ..usual.clone()
        }));
        all
    }

    /// Returns true if a packet can be sent by modem `modem` of a scene.
    fn is_valid(scene: &Scene, modem: usize, packet: &Packet) -> bool {
        let device = &scene.modems[modem];
        let is_other = |(k, other): (usize, &Modem)| {
            k != modem
                && other.address == packet.destination
                && other.transceiver.is_same_medium(&device.transceiver)
        };
        let is_known = match packet.destination {
            BROADCAST => !packet.acknowledge,
            _ => scene.modems.iter().enumerate().any(is_other),
        };
        (1..=device.transceiver.framing.max_message()).contains(&packet.data.len())
            && (0.0..=device.transceiver.max_power_w).contains(&packet.power)
            && is_known
    }

    // No packet ends a run: each is refused with a reason, or each of its copies is queued, in
    // flight, delivered or lost with a cause. Method: extreme values of every field at every modem
    // of two worlds; 0.1 s after the packets of a modem, 10 s at the end.
    #[test]
    fn packets_with_extreme_values_are_refused_or_transmitted() {
        for name in ["modems", "swarm_comms"] {
            let path = format!("{}/worlds/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
            let world = load_world(Path::new(&path), Overrides::default()).expect("a valid world");
            let mut simulation = Simulation::new(Arc::new(world.scene), 1).expect("a simulation");
            let scene = Arc::clone(&simulation.scene);
            let steps = (100_000_000 / scene.dt_ns).max(1);
            for modem in 0..scene.modems.len() {
                for packet in extremes(&scene, modem) {
                    let sent = command(&scene, Target::Modem { modem }, &to_bytes(&packet))
                        .and_then(|c| simulation.apply(&c).map_err(|refused| refused.reason));
                    let expected = is_valid(&scene, modem, &packet);
                    assert_eq!(sent.is_ok(), expected, "{name}: {packet:?}: {sent:?}");
                    assert!(sent.err().is_none_or(|why| !why.is_empty()), "{packet:?}");
                }
                simulation.advance(steps);
            }
            simulation.advance(100 * steps);
            let network = &simulation.state.network;
            let (copies, frames) = (balance::copies(network), balance::frames(network));
            assert!(copies.is_closed(), "{name}: {copies:?}");
            assert!(frames.is_closed(), "{name}: {frames:?}");
            assert!(network.copies.delivered > 0, "{name}: {copies:?}");
        }
    }
}
