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

use crate::replay::network::set_links;
use crate::topics::{Input, Output};
use merrow_messages::convert;
use merrow_messages::convert::modem::{decibels, link_table, packet_log, range, schedule, status};
use merrow_messages::convert::{header, time};
use merrow_messages::msg::Packet;
use merrow_model::scene::Scene;
use merrow_model::scene::comms::{BROADCAST, Modem};
use merrow_model::state::Command;
use merrow_model::state::comms::{
    Delivery, MessageGroup, ModemCommand, NetworkOutput, RangeResult, Send,
};

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
    for (modem, device) in scene.modems.iter().enumerate() {
        let topic = |what: &str| topic_name(scene, device, what);
        outputs.push(Output::network_results(
            topic("rx"),
            move |moment, results| {
                let own = results.deliveries.iter();
                let own = own.filter(|d| d.to as usize == modem && !d.is_bridged);
                own.map(|d| (d.published_ns, packet(moment.scene, results, d)))
                    .collect()
            },
        ));
        outputs.push(Output::network_results(
            topic("range"),
            move |moment, results| {
                let own = results.ranges.iter().filter(|r| r.modem as usize == modem);
                own.map(|r| (r.published_ns, range(moment.scene, r)))
                    .collect()
            },
        ));
        let others = scene.modems.iter().enumerate();
        let others = others.filter(|(other, entry)| {
            let is_same = device.transceiver.is_same_medium(&entry.transceiver);
            device.transceiver.bearing_std_deg.is_some() && *other != modem && is_same
        });
        for (other, entry) in others {
            outputs.push(Output::network_results(
                topic(&format!("{}/pose", entry.name)),
                move |moment, results| {
                    let ends = |r: &&RangeResult| [r.modem as usize, r.other as usize];
                    let own = results.ranges.iter();
                    let own = own.filter(|r| ends(r) == [modem, other]);
                    own.filter_map(|r| {
                        Some((r.published_ns, convert::modem::fix(moment.scene, r)?))
                    })
                    .collect()
                },
            ));
        }
        outputs.push(Output::status(topic("status"), move |moment, all| {
            let (state, condition) = (&all.state.network.modems[modem], &all.modems[modem]);
            status(&moment.scene.modems[modem], state, condition, moment.now_ns)
        }));
        let unit = format!(
            "address {}; data of at most {} bytes",
            device.address,
            device.transceiver.framing.max_message()
        );
        inputs.push(Input::new(topic("tx"), unit, move |_, packet| {
            send_command(modem, packet)
        }));
    }
    if !scene.modems.is_empty() {
        let links = Output::status("network/links", |moment, all| {
            link_table(moment.scene, &all.state.network.links, moment.now_ns)
        });
        outputs.push(links.local().restored_by(set_links));
        let packets = Output::network_results("network/packets", |moment, results| {
            let log = !results.packets.items.is_empty();
            let log = log.then(|| packet_log(moment.scene, results, moment.now_ns));
            log.map(|log| (moment.now_ns, log)).into_iter().collect()
        });
        outputs.push(packets.local());
        let trace = Output::network_results("network/schedule", |moment, results| {
            let trace = !results.trace.items.is_empty();
            let trace = trace.then(|| schedule(moment.scene, results, moment.now_ns));
            trace
                .map(|trace| (moment.now_ns, trace))
                .into_iter()
                .collect()
        });
        outputs.push(trace.local());
    }
}

/// Converts a received message to a message on the topic `rx` of a modem.
fn packet(scene: &Scene, output: &NetworkOutput, delivery: &Delivery) -> Packet {
    let receiver = &scene.modems[delivery.to as usize];
    Packet {
        header: header(delivery.received_ns, &receiver.name),
        source: scene.modems[delivery.from as usize].address,
        destination: delivery.destination,
        sent: time(delivery.created_ns),
        snr: decibels(delivery.snr),
        doppler: delivery.doppler as f32,
        overheard: delivery.is_overheard,
        data: output.payload(delivery).to_vec(),
        ..Packet::default()
    }
}

/// Converts a message on the topic `tx` of a modem to a command.
///
/// # Errors
/// One line: the power is invalid.
fn send_command(modem: usize, packet: Packet) -> Result<Command, String> {
    if !(packet.power.is_finite() && packet.power >= 0.0) {
        return Err(format!(
            "power: expected 0 or more watts, found {}",
            packet.power
        ));
    }
    if packet.acknowledge && packet.destination == BROADCAST {
        return Err("acknowledge: a message to all modems is not acknowledged; send it without acknowledgement".into());
    }
    Ok(Command::Modem(ModemCommand::Send(Send {
        priority: packet.priority,
        is_acknowledged: packet.acknowledge,
        group: (packet.key != 0)
            .then_some(packet.key)
            .map(MessageGroup::newest_only),
        power: (packet.power > 0.0).then_some(packet.power),
        ..Send::new(modem, packet.destination, packet.data)
    })))
}

#[cfg(test)]
#[path = "../../test/common/balance.rs"]
mod balance;

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_ros2::msg::builtin_interfaces::Time;
    use merrow_sim::Simulation;
    use merrow_world::{Overrides, load_world};
    use std::path::Path;
    use std::sync::Arc;

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
                    let sent = send_command(modem, packet.clone())
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
