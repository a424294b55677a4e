//! Codec of the outputs that bridges transmit and of the positions that arrive over them, on the
//! thread of the simulation.
//!
//! It builds the same messages as the publisher thread. Outputs with a time of measurement are
//! transmitted when the simulation delivers them, the other outputs at multiples of their period in
//! simulated time.

use crate::modem::bridges::{bridges_of, fix_decoders};
use crate::modem::fix::FixDecoder;
use crate::node::batch::Batch;
use crate::node::states::WorldStatus;
use crate::publisher::{Collected, PublisherContext, SceneOutputs, Worker};
use crate::topics::exteroceptive_outputs;
use crate::topics::{Content, FRAME_RATE, Plan};
use crossbeam_channel::unbounded;
use merrow_math::Vec3;
use merrow_messages::frames::ObjectStates;
use merrow_sim::bridge_source::{BridgeMessage, BridgeSource, NewOutputs};
use merrow_sim::{SceneVersion, Simulation};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Period of outputs without a time of measurement [ns].
const PERIOD_NS: u64 = (1e9 / FRAME_RATE) as u64;
/// Number of these periods in a period of states of batteries and modems.
const SLOW_PERIODS: u64 = FRAME_RATE as u64;

/// Encoder of the outputs of a scene that bridges transmit.
struct OutputEncoder {
    worker: Worker,
    /// For each output of the plan, the bridges that transmit it.
    bridges: Vec<Vec<usize>>,
    /// For each bridge with a correction of the position, the decoder of its messages.
    fixes: BTreeMap<usize, FixDecoder>,
    /// Transmitted sensors: robot, sensor, and whether it is exteroceptive.
    sensors: Vec<(usize, usize, bool)>,
    /// Whether an output without a time of measurement is transmitted.
    has_periodic: bool,
    /// Whether a result of the network is transmitted.
    has_results: bool,
    /// Whether no output has been encoded so far.
    is_new: bool,
}

impl std::fmt::Debug for OutputEncoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutputEncoder")
            .field("bridges", &self.bridges)
            .finish_non_exhaustive()
    }
}

/// Connects the bridges of a world to its outputs, in a simulation at its start. Without this, the
/// bridges transmit messages of other nodes only.
pub fn connect_bridges(simulation: &mut Simulation) {
    let scene = Arc::clone(&simulation.scene);
    if scene.bridges.is_empty() {
        return;
    }
    let plan = Arc::new(Plan::new(&scene));
    let outputs = plan.outputs.iter();
    let bridges: Vec<Vec<usize>> = outputs.map(|output| bridges_of(&scene, output)).collect();
    let is_bridged = |output: usize| !bridges[output].is_empty();
    if let Some(scheduler) = &simulation.sensor_scheduler {
        for device in exteroceptive_outputs(&scene, &plan) {
            let bridged = device
                .outputs
                .iter()
                .filter(|(output, _)| is_bridged(*output));
            let bits = bridged.fold(0, |bits, (_, part)| bits | part);
            if bits != 0 {
                scheduler.request_outputs(&scene, device.robot, device.sensor, bits);
            }
        }
    }
    let has_fixes = scene.bridges.iter().any(|bridge| bridge.fix.is_some());
    if has_fixes || (0..bridges.len()).any(is_bridged) {
        simulation.set_bridge_source(Box::new(OutputEncoder::new(&plan, simulation, bridges)));
    }
}

impl OutputEncoder {
    fn new(plan: &Arc<Plan>, simulation: &Simulation, bridges: Vec<Vec<usize>>) -> Self {
        let scene = &simulation.scene;
        let (mut sensors, mut has_periodic, mut has_results) = (Vec::new(), false, false);
        let all = plan.outputs.iter().zip(&bridges);
        for (output, _) in all.filter(|(_, bridges)| !bridges.is_empty()) {
            match output.content {
                Content::Sensor { robot, sensor, .. } => {
                    let kind = &scene.robots[robot].sensors[sensor].kind;
                    sensors.push((robot, sensor, kind.exteroceptive().is_some()));
                }
                Content::NetworkResults(_) => has_results = true,
                _ => has_periodic = true,
            }
        }
        sensors.dedup();
        let context = PublisherContext::without_node(SceneOutputs {
            version: SceneVersion::default(),
            scene: Arc::clone(scene),
            plan: Arc::clone(plan),
            publishers: Arc::default(),
        });
        let mut worker = Worker::new(context, unbounded().1, Arc::default());
        worker.collected = Some(Collected {
            wanted: bridges.iter().map(|all| !all.is_empty()).collect(),
            messages: Vec::new(),
        });
        Self {
            worker,
            bridges,
            fixes: fix_decoders(scene),
            sensors,
            has_periodic,
            has_results,
            is_new: true,
        }
    }

    /// Returns the data of the current instant that bridges transmit; `None` without such data.
    fn read_instant(
        &self,
        simulation: &Simulation,
        readings: &[usize],
        frames: usize,
    ) -> Option<Batch> {
        let is_sent = |robot: usize, sensor: usize, is_exteroceptive: bool| {
            self.sensors.contains(&(robot, sensor, is_exteroceptive))
        };
        let mut batch = Batch {
            time_ns: simulation.time_ns(),
            ..Batch::default()
        };
        for (robot, (runner, first)) in simulation.runners.iter().zip(readings).enumerate() {
            let new = runner.outbox.iter().skip(*first);
            let sent = new.filter(|d| is_sent(robot, d.sensor, false));
            let readings = sent.map(|d| (robot as u32, d.sensor as u32, d.stamped));
            batch.readings.extend(readings);
        }
        let new = simulation.frames.iter().skip(frames);
        let sent = new.filter(|frame| is_sent(frame.robot, frame.sensor, true));
        batch.exteroceptive.extend(sent.cloned());
        let next_ns = simulation.state.network.next_output_ns;
        let is_due = self.has_periodic && next_ns <= batch.time_ns;
        if is_due {
            read_states(simulation, next_ns, &mut batch);
        }
        let is_empty = batch.readings.is_empty() && batch.exteroceptive.is_empty();
        (is_due || !is_empty).then_some(batch)
    }

    /// Encodes a batch and returns the messages with their bridges.
    fn encode_batch(&mut self, batch: &Batch) -> Vec<BridgeMessage> {
        self.worker.publish(batch);
        let collected = self.worker.collected.as_mut();
        let messages = collected.map(|c| std::mem::take(&mut c.messages));
        let mut sent = Vec::new();
        for (output, message) in messages.unwrap_or_default() {
            sent.extend(self.bridges[output].iter().map(|k| (*k, message.clone())));
        }
        sent
    }
}

/// Reads the states that have no time of measurement. `next_ns`: first instant of such states that
/// was not transmitted [ns].
fn read_states(simulation: &Simulation, next_ns: u64, batch: &mut Batch) {
    batch.snapshot = Some(ObjectStates::read(simulation));
    batch.read_switches(&simulation.state);
    let (first, last) = (next_ns.div_ceil(PERIOD_NS), batch.time_ns / PERIOD_NS);
    if first.div_ceil(SLOW_PERIODS) <= last / SLOW_PERIODS {
        batch.status = Some(Arc::new(WorldStatus::read(simulation)));
    }
}

impl BridgeSource for OutputEncoder {
    fn next_ns(&self, simulation: &Simulation) -> u64 {
        let state = &simulation.state;
        let next_of_sensor =
            |(robot, sensor, _): &(usize, usize, bool)| simulation.next_reading_ns(*robot, *sensor);
        let periodic = self.has_periodic.then_some(state.network.next_output_ns);
        let sensors = self.sensors.iter().filter_map(next_of_sensor);
        sensors.chain(periodic).min().unwrap_or(u64::MAX)
    }

    fn next_output_ns(&self, now_ns: u64) -> u64 {
        (now_ns / PERIOD_NS + 1) * PERIOD_NS
    }

    fn encode(&mut self, simulation: &Simulation, new: &NewOutputs) -> Vec<BridgeMessage> {
        if std::mem::take(&mut self.is_new) && simulation.time_ns() > 0 {
            // a resumed run does not repeat the states of couplings and tethers
            let mut batch = Batch::default();
            read_states(simulation, u64::MAX, &mut batch);
            self.worker.read_switches(&batch);
        }
        let batch = match new {
            NewOutputs::Instant { readings, frames } => {
                self.read_instant(simulation, readings, *frames)
            }
            NewOutputs::Network => self.has_results.then(|| Batch {
                time_ns: simulation.time_ns(),
                network: Some(Arc::new(simulation.state.network.output.clone())),
                ..Batch::default()
            }),
        };
        batch.map_or(Vec::new(), |batch| self.encode_batch(&batch))
    }
    fn decode_fix(&self, bridge: usize, message: &[u8]) -> Result<(Vec3, u64), String> {
        let decode = self.fixes.get(&bridge).ok_or("expected positions")?;
        decode(message)
    }
}
