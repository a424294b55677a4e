//! Recording of all topics in a bag.

use crate::node::parameters::live::EVENTS;
use crate::publisher::{SceneOutputs, Worker};
use crate::replay::world;
use crate::topics::Output;
use crate::topics::absolute;
use merrow_messages::actuators;
use merrow_messages::frames::ObjectStates;
use merrow_ros2::bag::{Bag, BagError, ChannelId};
use merrow_ros2::cdr::to_bytes;
use merrow_ros2::message::Message;
use merrow_ros2::msg::rcl_interfaces::ParameterEvent;
use merrow_ros2::msg::std_msgs::Float64MultiArray;
use merrow_ros2::qos::Qos;
use merrow_sim::InputMessage;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Simulated time between two records of the actuators [ns].
const ACTUATOR_PERIOD_NS: u64 = 100_000_000;

impl Worker {
    pub(super) fn record(&mut self, path: &Path) -> Result<String, String> {
        if self.bag.is_some() {
            return Err("a recording is active; stop it first with an empty uri".to_string());
        }
        self.bag_error = None;
        let mut bag = Bag::create(path).map_err(|e| e.to_string())?;
        let n = self.context.outputs.plan.outputs.len();
        let channels = (0..n).map(|i| self.create_channel(&mut bag, i));
        let channels = channels.collect::<Result<Vec<_>, _>>()?;
        self.write_world(&mut bag)?;
        self.bag = Some((bag, channels));
        self.next_actuators_ns = 0;
        self.shared.recording.store(true, Ordering::Relaxed);
        self.publish_latched(&HashSet::new());
        Ok(format!("recording into {}", path.display()))
    }

    /// Writes the current world to a bag; a later world replaces it.
    pub(super) fn write_world(&self, bag: &mut Bag) -> Result<(), String> {
        let world = self.shared.world.lock();
        if world.text.is_empty() {
            return Ok(());
        }
        bag.write_metadata(world::RECORD, world.to_metadata())
            .map_err(|e| e.to_string())
    }

    /// Records the commands, thrusts and shaft speeds of all thrusters, if they are due.
    pub(super) fn record_actuators(&mut self, snapshot: &ObjectStates) {
        let now = snapshot.time_ns;
        // also after a reset of the time
        let is_due =
            now >= self.next_actuators_ns || now + ACTUATOR_PERIOD_NS < self.next_actuators_ns;
        if self.bag.is_none() || snapshot.actuators.is_empty() || !is_due {
            return;
        }
        self.next_actuators_ns = now + ACTUATOR_PERIOD_NS;
        let message = actuators::encode(&self.context.outputs.scene, &snapshot.actuators);
        self.write_to_bag(|bag, _| {
            let info = Float64MultiArray::info();
            let channel = bag.channel(world::ACTUATORS, info, &Qos::DEFAULT)?;
            bag.write(channel, now, now, &to_bytes(&message))
        });
    }

    /// Creates the channel of an output.
    pub(super) fn create_channel(&self, bag: &mut Bag, output: usize) -> Result<ChannelId, String> {
        let SceneOutputs {
            plan, publishers, ..
        } = &self.context.outputs;
        let planned = &plan.outputs[output];
        // the name under which the node publishes, after remapping
        let topic = publishers
            .get(output)
            .map_or_else(|| absolute(&planned.topic), |p| p.topic().to_string());
        bag.channel_with_rate(&topic, planned.info, &planned.qos, planned.rate_hz)
            .map_err(|e| e.to_string())
    }

    /// Returns the bag with one channel per output. Topics that were also in the scene `old` keep
    /// theirs.
    pub(super) fn channels_of_scene(
        &self,
        mut bag: Bag,
        old: &SceneOutputs,
        channels: &[ChannelId],
    ) -> Result<(Bag, Vec<ChannelId>), String> {
        let topics = old.plan.outputs.iter().map(|output| output.topic.as_str());
        let existing: HashMap<&str, ChannelId> = topics.zip(channels.iter().copied()).collect();
        let outputs = &self.context.outputs.plan.outputs;
        let channel = |(i, output): (usize, &Output)| match existing.get(output.topic.as_str()) {
            Some(channel) => Ok(*channel),
            None => self.create_channel(&mut bag, i),
        };
        let channels = outputs
            .iter()
            .enumerate()
            .map(channel)
            .collect::<Result<_, _>>()?;
        Ok((bag, channels))
    }

    /// Records messages of users with the time at which they were applied [ns].
    pub(super) fn record_inputs(&mut self, inputs: &[(u64, InputMessage)]) {
        if self.bag.is_none() {
            return;
        }
        let plan = Arc::clone(&self.context.outputs.plan);
        for (time_ns, message) in inputs {
            let topic = absolute(&message.topic);
            let mut planned = plan.inputs.iter().chain(&plan.calls);
            let input = planned.find(|input| absolute(&input.topic) == topic);
            let info = match input {
                Some(input) => input.info,
                None if topic == EVENTS => ParameterEvent::info(),
                None => continue,
            };
            self.write_to_bag(|bag, _| {
                let channel = bag.channel(&topic, info, &Qos::DEFAULT)?;
                bag.write(channel, *time_ns, *time_ns, &message.bytes)
            });
        }
    }

    pub(super) fn stop_recording(&mut self) -> Result<Option<String>, String> {
        let Some((bag, _)) = self.bag.take() else {
            return self.bag_error.take().map_or(Ok(None), Err);
        };
        self.shared.recording.store(false, Ordering::Relaxed);
        let done = bag.finish().map_err(|e| e.to_string())?;
        let path = done.path.display();
        Ok(Some(format!("{} messages in {path}", done.messages)))
    }

    /// Writes to the bag, if any, with the channels of the outputs. An error ends the recording.
    pub(super) fn write_to_bag(
        &mut self,
        write: impl FnOnce(&mut Bag, &[ChannelId]) -> Result<(), BagError>,
    ) {
        if let Some((bag, channels)) = &mut self.bag
            && let Err(e) = write(bag, channels)
        {
            self.abort_recording(&e.to_string());
        }
    }

    /// Ends a failed recording; the simulation continues.
    pub(super) fn abort_recording(&mut self, why: &str) {
        self.bag = None;
        self.shared.recording.store(false, Ordering::Relaxed);
        self.log_error(&format!("recording stopped: {why}"));
        self.bag_error = Some(why.to_string());
    }
}
