//! Communication network from recorded messages: links, schedule trace and packets.

use crate::topics::Plan;
use merrow_messages::msg::{LinkTable, ModemSchedule, PacketLog};
use merrow_model::scene::Scene;
use merrow_model::state::comms::{Activity, Interval, LinkState, LossCause, PacketRecord};
use merrow_ros2::bag::index::{BagIndex, MessagePlace};
use merrow_ros2::cdr::from_bytes;
use merrow_ros2::message::Message;
use merrow_sim::Simulation;
use std::sync::Arc;

/// Recorded time that is read at once [ns]; after a longer step the trace begins again.
const MAX_READ_NS: u64 = 10_000_000_000;

/// Topics of a bag about the network.
#[derive(Debug, Default)]
pub(crate) struct RecordedNetwork {
    schedule: Option<usize>,
    packets: Option<usize>,
    /// Log time up to which the messages were read [ns].
    read_ns: Option<u64>,
}

impl RecordedNetwork {
    /// Finds the topics in a bag.
    pub(crate) fn new(plan: &Plan, index: &BagIndex) -> Self {
        let find = |kind: &str| {
            let output = plan.outputs.iter().find(|o| o.info.name == kind)?;
            index.topic(&output.topic)
        };
        Self {
            schedule: find(ModemSchedule::TYPE),
            packets: find(PacketLog::TYPE),
            read_ns: None,
        }
    }

    /// Sets the output of the network to what was recorded since the previous call, up to a log
    /// time [ns]. After a step back, or a long step, the output is empty.
    pub(crate) fn show(
        &mut self,
        simulation: &mut Simulation,
        index: &mut BagIndex,
        log_ns: u64,
    ) -> Result<(), String> {
        let output = Arc::make_mut(&mut simulation.network_output);
        output.clear();
        let before = self.read_ns.replace(log_ns);
        let is_near = |before: &u64| (*before..*before + MAX_READ_NS).contains(&log_ns);
        let Some(after_ns) = before.filter(is_near) else {
            return Ok(());
        };
        let scene = &simulation.scene;
        for place in places(self.schedule, index, [after_ns, log_ns])? {
            let bytes = index.read(&place)?;
            let message = from_bytes::<ModemSchedule>(&bytes).unwrap_or_default();
            let intervals = message.intervals.iter().filter_map(|own| {
                Some(Interval {
                    modem: modem(scene, &own.modem)? as u32,
                    activity: Activity::from_keyword(&own.activity)?,
                    start_ns: own.start.to_nanos(),
                    end_ns: own.end.to_nanos(),
                })
            });
            output.trace.items.extend(intervals);
        }
        for place in places(self.packets, index, [after_ns, log_ns])? {
            let bytes = index.read(&place)?;
            let message = from_bytes::<PacketLog>(&bytes).unwrap_or_default();
            let packets = message.packets.iter().filter_map(|own| {
                let cause = LossCause::from_keyword(&own.cause);
                Some(PacketRecord {
                    time_ns: own.stamp.to_nanos(),
                    start_ns: own.start.to_nanos(),
                    from: modem(scene, &own.transmitter)? as u32,
                    to: modem(scene, &own.receiver)? as u32,
                    message: u64::try_from(own.message).ok(),
                    fragment: own.fragment,
                    bits: own.bits,
                    snr: ratio(own.snr),
                    cause,
                })
            });
            output.packets.items.extend(packets);
        }
        Ok(())
    }
}

/// Returns the messages of a topic with log times in an interval [ns].
fn places(
    topic: Option<usize>,
    index: &mut BagIndex,
    [after_ns, until_ns]: [u64; 2],
) -> Result<Vec<MessagePlace>, String> {
    topic.map_or(Ok(Vec::new()), |topic| {
        index.between(topic, after_ns, until_ns)
    })
}

/// Sets the links between modems to a recorded table at a time [ns]. Links that it does not contain
/// have transmitted no frames.
pub(crate) fn set_links(simulation: &mut Simulation, table: &LinkTable) {
    let (scene, now) = (&simulation.scene, table.header.stamp.to_nanos());
    let n = scene.modems.len();
    let links = &mut simulation.state.network.links;
    links.fill(LinkState::default());
    for own in &table.links {
        let ends = [&own.transmitter, &own.receiver].map(|name| modem(scene, name));
        let [Some(from), Some(to)] = ends else {
            continue;
        };
        if let Some(link) = links.get_mut(from * n + to) {
            *link = LinkState {
                mean_snr: ratio(own.snr),
                delay_ns: (own.delay * 1e9).round() as u64,
                frames: own.frames,
                received: own.received,
                bits: own.bits,
                airtime_ns: (own.load * now as f64).round() as u64,
                random_losses: own.random_losses,
            };
        }
    }
}

/// Returns the index of the modem with this name.
fn modem(scene: &Scene, name: &str) -> Option<usize> {
    scene.modems.iter().position(|modem| modem.name == name)
}

/// Converts decibels to a linear ratio.
fn ratio(decibels: f32) -> f64 {
    merrow_math::decibels::ratio(f64::from(decibels))
}
