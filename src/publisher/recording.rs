//! Recording of topics in a bag.

use crate::node::parameters::live::EVENTS;
use crate::publisher::state::RecordSettings;
use crate::publisher::topic_filter::TopicFilter;
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

/// A bag that is being recorded.
pub(super) struct RecordedBag {
    pub(super) bag: Bag,
    /// Channel of each output of the plan; `None` if it is not recorded.
    channels: Vec<Option<ChannelId>>,
    filter: TopicFilter,
}

impl RecordedBag {
    /// Returns whether an output is recorded.
    pub(super) fn has_output(&self, output: usize) -> bool {
        self.channels.get(output).is_some_and(Option::is_some)
    }

    /// Records a message of an output, unless the filter leaves it out.
    pub(super) fn write_output(
        &mut self,
        output: usize,
        now_ns: u64,
        bytes: &[u8],
    ) -> Result<(), BagError> {
        match self.channels.get(output).copied().flatten() {
            Some(channel) => self.bag.write(channel, now_ns, now_ns, bytes),
            None => Ok(()),
        }
    }
}

impl Worker {
    pub(super) fn record(&mut self, path: &Path) -> Result<String, String> {
        if self.bag.is_some() {
            return Err("a recording is active; stop it first with an empty uri".to_string());
        }
        self.bag_error = None;
        let RecordSettings {
            filter,
            mut options,
        } = self.shared.settings.lock().clone();
        if path.extension().is_some_and(|ending| ending == "mcap") {
            // named by a service or by the page: the program refuses it for the option
            (options.max_bytes, options.max_duration_ns) = (None, None);
        }
        let mut bag = Bag::create_with(path, options).map_err(|e| e.to_string())?;
        let n = self.context.outputs.plan.outputs.len();
        let channels = (0..n).map(|i| self.create_channel(&mut bag, &filter, i));
        let channels = channels.collect::<Result<Vec<_>, _>>()?;
        self.write_world(&mut bag)?;
        self.bag = Some(RecordedBag {
            bag,
            channels,
            filter,
        });
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
        let is_recorded = |recorded: &RecordedBag| recorded.filter.contains(world::ACTUATORS);
        if !self.bag.as_ref().is_some_and(is_recorded) || snapshot.actuators.is_empty() || !is_due {
            return;
        }
        self.next_actuators_ns = now + ACTUATOR_PERIOD_NS;
        let message = actuators::encode(&self.context.outputs.scene, &snapshot.actuators);
        self.write_to_bag(|recorded| {
            let info = Float64MultiArray::info();
            let channel = recorded
                .bag
                .channel(world::ACTUATORS, info, &Qos::DEFAULT)?;
            recorded.bag.write(channel, now, now, &to_bytes(&message))
        });
    }

    /// Creates the channel of an output; `None` if the filter leaves it out.
    fn create_channel(
        &self,
        bag: &mut Bag,
        filter: &TopicFilter,
        output: usize,
    ) -> Result<Option<ChannelId>, String> {
        let topic = self.context.outputs.published_name(output);
        if !filter.contains(&topic) {
            return Ok(None);
        }
        let planned = &self.context.outputs.plan.outputs[output];
        let channel = bag.channel_with_rate(&topic, planned.info, &planned.qos, planned.rate_hz);
        channel.map(Some).map_err(|e| e.to_string())
    }

    /// Returns the bag with one channel per output. Topics that were also in the scene `old` keep
    /// theirs.
    pub(super) fn channels_of_scene(
        &self,
        recorded: RecordedBag,
        old: &SceneOutputs,
    ) -> Result<RecordedBag, String> {
        let RecordedBag {
            mut bag,
            channels,
            filter,
        } = recorded;
        let topics = old.plan.outputs.iter().map(|output| output.topic.as_str());
        let existing: HashMap<&str, Option<ChannelId>> = topics.zip(channels).collect();
        let outputs = &self.context.outputs.plan.outputs;
        let channel = |(i, output): (usize, &Output)| match existing.get(output.topic.as_str()) {
            Some(channel) => Ok(*channel),
            None => self.create_channel(&mut bag, &filter, i),
        };
        let channels = outputs
            .iter()
            .enumerate()
            .map(channel)
            .collect::<Result<_, _>>()?;
        self.write_world(&mut bag)?;
        Ok(RecordedBag {
            bag,
            channels,
            filter,
        })
    }

    /// Records messages of users with the time at which they were applied [ns].
    pub(super) fn record_inputs(&mut self, inputs: &[(u64, InputMessage)]) {
        let Some(filter) = self.bag.as_ref().map(|recorded| recorded.filter.clone()) else {
            return;
        };
        let plan = Arc::clone(&self.context.outputs.plan);
        for (time_ns, message) in inputs {
            let topic = absolute(&message.topic);
            if !filter.contains(&topic) {
                continue;
            }
            let mut planned = plan.inputs.iter().chain(&plan.calls);
            let input = planned.find(|input| absolute(&input.topic) == topic);
            let info = match input {
                Some(input) => input.info,
                None if topic == EVENTS => ParameterEvent::info(),
                None => continue,
            };
            self.write_to_bag(|recorded| {
                let channel = recorded.bag.channel(&topic, info, &Qos::DEFAULT)?;
                recorded
                    .bag
                    .write(channel, *time_ns, *time_ns, &message.bytes)
            });
        }
    }

    pub(super) fn stop_recording(&mut self) -> Result<Option<String>, String> {
        let Some(RecordedBag { bag, .. }) = self.bag.take() else {
            return self.bag_error.take().map_or(Ok(None), Err);
        };
        self.shared.recording.store(false, Ordering::Relaxed);
        let done = bag.finish().map_err(|e| e.to_string())?;
        let path = done.path.display();
        let files = match done.files {
            1 => String::new(),
            n => format!(", {n} files"),
        };
        Ok(Some(format!("{} messages in {path}{files}", done.messages)))
    }

    /// Writes to the bag, if any. An error ends the recording.
    pub(super) fn write_to_bag(
        &mut self,
        write: impl FnOnce(&mut RecordedBag) -> Result<(), BagError>,
    ) {
        if let Some(recorded) = &mut self.bag
            && let Err(e) = write(recorded)
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
