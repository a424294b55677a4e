//! The thread that publishes and records. The simulation loop sends it batches and does not wait
//! for it, with two exceptions in which no sample may be lost: while a bag is recorded, and when
//! the pace does not follow wall time (lock-step, maximum speed). The loop then waits for space in
//! the queue.
//!
//! Each message is encoded once; the same bytes go to DDS and to the bag.

mod bridge_source;
mod output_index;
mod queue;
mod recording;
mod scene_change;
mod second_source;
mod sensor_topics;
pub mod state;

use crate::arm;
use crate::arm::GoalObserver;
use crate::computer::{self, ComputerBatch, schedule};
use crate::input::{firmware, motion_control};
use crate::modem::NetworkBatch;
use crate::modem::calls::BridgedCalls;

pub use crate::node::batch::Batch;
use crate::node::batch::LostSamples;
use crate::node::diagnostics;
use crate::node::diagnostics::{HealthSnapshot, Rejections};
use crate::node::losses::Losses;
use crate::node::losses::link_status;
pub use crate::publisher::bridge_source::connect_bridges;
use crate::publisher::output_index::{OutputIndex, count_lost_samples, find_output};
use crate::publisher::queue::BatchQueue;
use crate::publisher::scene_change::topics_of_sensors;
use crate::publisher::state::{PublisherState, Task};
use crate::terminal;
use crate::topics::Plan;
use bytes::Bytes;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, select, unbounded};
use merrow_autopilot::status::LinkStatus;
use merrow_math::Vec3;
use merrow_messages::convert;
use merrow_messages::convert::topic::Topic;
use merrow_messages::convert::{camera, contacts, header, modem};
use merrow_messages::frames;
use merrow_messages::frames::ObjectStates;
use merrow_model::scene::{Correspondence, Scene};
use merrow_model::sensor::vehicle;
use merrow_model::state::BatteryState;
use merrow_model::state::comms::Delivery;
use merrow_ros2::bag::{Bag, ChannelId};
use merrow_ros2::cdr::to_bytes;
use merrow_ros2::message::Message;
use merrow_ros2::msg::rosgraph_msgs::Clock;
use merrow_ros2::msg::std_msgs::{Bool, Float64, Float64MultiArray, String as StringMsg};
use merrow_ros2::node::Logger;
use merrow_ros2::node::{Network, NetworkCounters, Publisher};
use merrow_sim::{Reply, SceneVersion, bridged_call, bridged_message};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

/// Period at which an idle thread flushes its bag.
const IDLE_PERIOD: Duration = Duration::from_millis(200);
/// Maximum wall time from a task to its reply.
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);

/// Ends a queue when the thread that takes its batches ends.
struct EndOnDrop(Arc<BatchQueue>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Handle of the publisher thread. Dropping it completes the bag and ends the thread.
pub struct PublisherThread {
    queue: Arc<BatchQueue>,
    scenes: Sender<NextScene>,
    tasks: Sender<Task>,
    /// State shared with the thread.
    pub shared: Arc<PublisherState>,
    thread: Option<JoinHandle<()>>,
}

/// Topics of a version of the scene.
#[derive(Clone)]
pub struct SceneOutputs {
    /// Version of the scene.
    pub version: SceneVersion,
    /// Scene of the world.
    pub scene: Arc<Scene>,
    /// Topics of the world.
    pub plan: Arc<Plan>,
    /// One publisher per output of the plan; empty without a node.
    pub publishers: Arc<[Publisher]>,
}

/// Version of the scene that follows the current one.
pub struct NextScene {
    /// Its topics.
    pub outputs: SceneOutputs,
    /// Objects that are the same in both versions.
    pub same: Correspondence,
    /// World file with all changes, which bags store.
    pub world: String,
}

/// Observers that report goals to their clients. Actions of new robots are added during the run.
pub type GoalObservers = Arc<Mutex<Vec<Arc<dyn GoalObserver>>>>;

/// Parameters of the thread.
pub struct PublisherContext {
    /// Topics of the scene at the start.
    pub outputs: SceneOutputs,
    /// Logger for errors of a bag; `None` without a node.
    pub logger: Option<Logger>,
    /// Network of the node; `None` without a node.
    pub network: Option<Network>,
    /// Counters of rejected commands.
    pub rejections: Arc<Rejections>,
    /// Observers that report goals to their clients; empty without a node.
    pub goals: GoalObservers,
    /// Calls of services over bridges; none without a node.
    pub calls: Arc<BridgedCalls>,
}

impl PublisherThread {
    /// Starts the thread.
    ///
    /// # Errors
    /// The operating system cannot start the thread.
    pub fn start(parts: PublisherContext) -> Result<Self, String> {
        let (queue, filled) = BatchQueue::new();
        let queue = Arc::new(queue);
        let (tasks, task_inbox) = unbounded();
        let (scenes, next_scenes) = unbounded();
        let shared = Arc::new(PublisherState::default());
        shared.truth_tf.store(true, Ordering::Relaxed);
        let mut worker = Worker::new(parts, next_scenes, Arc::clone(&shared));
        let inbox = Arc::clone(&queue);
        let thread = std::thread::Builder::new()
            .name("merrow-publish".into())
            .spawn(move || {
                // also after a panic
                let _end = EndOnDrop(Arc::clone(&inbox));
                worker.run(&inbox, &filled, &task_inbox);
            })
            .map_err(|e| format!("cannot start the publisher thread: {e}"))?;
        Ok(Self {
            queue,
            scenes,
            tasks,
            shared,
            thread: Some(thread),
        })
    }

    /// Sends the topics of the next version of the scene, before the first batch of that version.
    pub fn change_scene(&self, next: NextScene) {
        // sending fails if the thread has ended
        let _ = self.scenes.send(next);
    }

    /// Sends a batch to the thread. If the queue is full, its oldest samples are dropped and
    /// counted, unless a bag is being recorded or `can_wait` is set.
    pub fn send(&self, batch: Batch, can_wait: bool) {
        let can_wait = can_wait || self.shared.recording.load(Ordering::Relaxed);
        self.queue.push(batch, can_wait);
    }

    /// Starts recording, waits for the reply and returns a line about it.
    ///
    /// # Errors
    /// The reason why recording could not start.
    pub fn record(&self, path: PathBuf) -> Result<String, String> {
        request(&self.tasks, |reply| Task::Record(path, reply))
    }

    /// Returns the channel to which other threads send tasks.
    pub fn tasks(&self) -> Sender<Task> {
        self.tasks.clone()
    }
}

/// Stops recording through the channel of a [`PublisherThread`], and waits for the reply: a
/// summary, or `None` if no recording was active.
///
/// # Errors
/// The reason why the last recording is incomplete.
pub fn stop_recording(tasks: &Sender<Task>) -> Result<Option<String>, String> {
    request(tasks, Task::StopRecording)
}

/// Sends a task to the thread and waits for its reply.
fn request<T: Send + 'static>(
    tasks: &Sender<Task>,
    task: impl FnOnce(Reply<Result<T, String>>) -> Task,
) -> Result<T, String> {
    let (reply, answer) = bounded(1);
    let gone = || "the recorder has ended".to_string();
    tasks.send(task(reply.into())).map_err(|_| gone())?;
    answer
        .recv_timeout(REPLY_TIMEOUT)
        .map_err(|error| match error {
            RecvTimeoutError::Disconnected => gone(),
            RecvTimeoutError::Timeout => format!(
                "the recorder is busy; expected a reply within {} s, found none; check the disk of \
                 the bag, then look whether the recording has started or ended",
                REPLY_TIMEOUT.as_secs()
            ),
        })?
}

impl Drop for PublisherThread {
    fn drop(&mut self) {
        let _ = self.tasks.send(Task::Quit);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Worker {
    context: PublisherContext,
    /// Topics of the later versions of the scene.
    next_scenes: Receiver<NextScene>,
    shared: Arc<PublisherState>,
    /// Outputs by the kind of their content.
    outputs: Arc<OutputIndex>,
    /// For each coupling, whether it was engaged when last published.
    engaged: Vec<bool>,
    /// For each tether, whether it was intact when last published.
    intact: Vec<bool>,
    bag: Option<(Bag, Vec<ChannelId>)>,
    /// Reason why the last recording ended early, until it is reported as the reply to a stop task.
    bag_error: Option<String>,
    /// Counters of the network in the last diagnostics.
    network: NetworkCounters,
    /// Status of the links at the preceding diagnostics.
    links: Vec<LinkStatus>,
    /// End time of the last batch [ns].
    now_ns: u64,
    /// Time of the next record of the actuators [ns].
    next_actuators_ns: u64,
    /// For each sensor of each robot, its topics with their accumulator state over several
    /// samples.
    sensor_topics: Vec<Vec<Vec<Topic>>>,
    /// Whether the log names another simulator.
    has_warned: bool,
    /// Numbers of messages that did not reach DDS or the bag, by topic.
    lost: BTreeMap<String, u64>,
    /// Messages for bridges, which then are the only receivers.
    collected: Option<Collected>,
}

/// Messages of an encoder that neither publishes nor records.
struct Collected {
    /// For each output, whether its messages are collected.
    wanted: Vec<bool>,
    /// Outputs with their messages in CDR.
    messages: Vec<(usize, Vec<u8>)>,
}

impl Worker {
    fn new(
        parts: PublisherContext,
        next_scenes: Receiver<NextScene>,
        shared: Arc<PublisherState>,
    ) -> Self {
        let scene = &parts.outputs.scene;
        let outputs = Arc::new(OutputIndex::new(scene, &parts.outputs.plan));
        let sensor_topics = scene.robots.iter().map(topics_of_sensors).collect();
        let engaged = scene.couplings.iter().map(|c| c.engaged).collect();
        let whole = vec![true; scene.tethers.len()];
        Self {
            context: parts,
            next_scenes,
            shared,
            outputs,
            engaged,
            intact: whole,
            bag: None,
            bag_error: None,
            network: NetworkCounters::default(),
            links: Vec::new(),
            now_ns: 0,
            next_actuators_ns: 0,
            sensor_topics,
            has_warned: false,
            lost: BTreeMap::new(),
            collected: None,
        }
    }

    fn run(&mut self, queue: &BatchQueue, filled: &Receiver<()>, tasks: &Receiver<Task>) {
        self.publish_latched(&HashSet::new());
        loop {
            select! {
                recv(tasks) -> task => match task {
                    Ok(Task::Record(path, reply)) => {
                        self.catch_up(queue);
                        reply.send(self.record(&path));
                    }
                    Ok(Task::StopRecording(reply)) => {
                        self.catch_up(queue);
                        reply.send(self.stop_recording());
                    }
                    Ok(Task::Quit) | Err(_) => break,
                },
                // the queue holds the sender
                recv(filled) -> _ => if let Some(batch) = queue.pop() {
                    self.publish_together(&batch);
                },
                default(IDLE_PERIOD) => self.flush_bag(),
            }
        }
        queue.end();
        while let Some(batch) = queue.pop() {
            self.publish(&batch);
        }
        if let Err(why) = self.stop_recording() {
            self.log_error(&why);
        }
    }

    /// Publishes the batches that were sent before a task. The number is limited because the
    /// simulation loop continues to send.
    fn catch_up(&mut self, queue: &BatchQueue) {
        for _ in 0..queue.len() {
            if let Some(batch) = queue.pop() {
                self.publish(&batch);
            }
        }
    }

    /// Publishes a batch so that its messages share datagrams.
    fn publish_together(&mut self, batch: &Batch) {
        match self.context.network.clone() {
            Some(network) => network.batch(|| self.publish(batch)),
            None => self.publish(batch),
        }
    }

    fn publish(&mut self, batch: &Batch) {
        self.follow_scene(batch.scene_version);
        let scene = Arc::clone(&self.context.outputs.scene);
        let now = batch.time_ns;
        self.now_ns = now;
        self.count_lost(&batch.lost);
        self.record_inputs(&batch.inputs);
        for &(robot, sensor, stamped) in &batch.readings {
            self.publish_reading(&scene, robot as usize, sensor as usize, &stamped, now);
        }
        for frame in &batch.exteroceptive {
            self.publish_frame(&scene, frame, now);
        }
        if let Some(snapshot) = &batch.snapshot {
            self.publish_snapshot(&scene, snapshot);
        }
        if let Some(batteries) = &batch.batteries {
            self.publish_batteries(&scene, batteries, now);
        }
        self.publish_couplings(batch);
        self.publish_tether_states(batch);
        if let Some(network) = &batch.network {
            self.publish_network(&scene, network, now);
        }
        if let Some(computers) = &batch.computers {
            self.publish_computers(&scene, computers, now);
        }
        if let Some(vitals) = &batch.health {
            self.publish_diagnostics(&scene, vitals, now);
        }
        self.publish_goals(&scene, batch);
        self.context.calls.end_expired(now);
        // the clock is last: a client that waits for a time finds its messages already sent
        if !batch.has_no_clock {
            self.emit_any(self.outputs.clock, now, || Clock {
                clock: convert::time(now),
            });
        }
    }

    /// Publishes the diagnostics, with the messages that were lost.
    fn publish_diagnostics(&mut self, scene: &Scene, vitals: &HealthSnapshot, now: u64) {
        self.warn_about_second_source();
        let dropped = self.shared.dropped.load(Ordering::Relaxed);
        let publishers = Arc::clone(&self.context.outputs.publishers);
        let rejections = Arc::clone(&self.context.rejections);
        let links = self.shared.links.read();
        let lost = self.lost.clone();
        let links_before = std::mem::replace(&mut self.links, links.clone());
        let network = self.context.network.as_ref().and_then(Network::counters);
        let before = std::mem::replace(&mut self.network, network.unwrap_or_default());
        if before.last_foreign.is_none()
            && let Some(sender) = self.network.last_foreign
            && let Some(logger) = &self.context.logger
        {
            // once: any host can send any number of datagrams
            logger.warn(format!(
                    "datagrams of {sender} are ignored: it is outside of the discovery range; \
                     set ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET if it is in a network of this machine, else \
                     ROS_STATIC_PEERS={sender}"
                ));
        }
        self.emit_any(self.outputs.diagnostics, now, || {
            let counts = publishers.iter().map(|p| (p.topic(), p.dropped()));
            let evicted: Vec<_> = counts.filter(|(_, count)| *count > 0).collect();
            let losses = Losses {
                dropped,
                by_topic: &lost,
                evicted: &evicted,
                network: network.map(|now| [before, now]),
            };
            let mut message = diagnostics::build_message(scene, vitals, &rejections, &losses);
            message.status.extend(links.iter().map(|link| {
                let is_same =
                    |old: &&LinkStatus| (&old.robot, old.kind) == (&link.robot, link.kind);
                link_status(link, links_before.iter().find(is_same))
            }));
            message
        });
    }

    /// Counts dropped samples on their topics that have receivers.
    fn count_lost(&mut self, lost: &LostSamples) {
        if *lost == LostSamples::default() {
            return;
        }
        let plan = Arc::clone(&self.context.outputs.plan);
        for (i, output) in plan.outputs.iter().enumerate() {
            let n = count_lost_samples(&output.source, lost);
            if n > 0 && self.has_receivers(i) {
                self.add_lost(i, n);
            }
        }
    }

    /// Counts messages of an output that did not reach DDS or the bag.
    fn add_lost(&mut self, output: usize, n: u64) {
        self.shared.dropped.fetch_add(n, Ordering::Relaxed);
        let topic = self.topic(output).to_owned();
        *self.lost.entry(topic).or_default() += n;
    }

    /// Returns true if an output has a subscriber, is recorded or plotted, or if its messages are
    /// collected.
    fn has_receivers(&self, output: usize) -> bool {
        if let Some(collected) = &self.collected {
            return collected.wanted[output];
        }
        let publisher = self.context.outputs.publishers.get(output);
        self.bag.is_some()
            || publisher.is_some_and(Publisher::has_receivers)
            || self.shared.plotted.contains(self.topic(output))
    }

    /// Returns the topic of an output.
    fn topic(&self, output: usize) -> &str {
        &self.context.outputs.plan.outputs[output].topic
    }

    /// Publishes frames, joints, controllers, firmware, contacts and tethers.
    fn publish_snapshot(&mut self, scene: &Scene, snapshot: &ObjectStates) {
        let (outputs, now) = (Arc::clone(&self.outputs), snapshot.time_ns);
        let shared = Arc::clone(&self.shared);
        self.emit_any(outputs.tf, now, || {
            frames::moving_frames(scene, snapshot, |robot| shared.has_truth_tf(&robot.name))
        });
        for &(i, robot) in &outputs.joints {
            self.emit(i, now, || arm::joint_state(scene, robot, snapshot));
        }
        for &(i, group_index) in &outputs.controllers {
            self.emit(i, now, || {
                arm::controller_state(scene, group_index, snapshot)
            });
        }
        self.record_actuators(snapshot);
        self.publish_firmware(scene, snapshot);
        self.emit_any(outputs.contacts, now, || {
            contacts::contacts_message(scene, snapshot)
        });
        for &(i, [robot, link]) in &outputs.contact_wrenches {
            self.emit(i, now, || contacts::wrench(scene, robot, link, snapshot));
        }
        self.publish_tethers(snapshot);
    }

    fn publish_firmware(&mut self, scene: &Scene, snapshot: &ObjectStates) {
        let (outputs, now) = (Arc::clone(&self.outputs), snapshot.time_ns);
        for &(i, robot) in &outputs.flight_modes {
            self.emit(i, now, || firmware::flight_mode(robot, snapshot));
        }
        for &(i, [robot, engine]) in &outputs.buoyancy_engines {
            self.emit(i, now, || Float64 {
                data: snapshot.buoyancy_engines[robot][engine],
            });
        }
        for &(i, robot) in &outputs.controller_status {
            self.emit(i, now, || motion_control::status(scene, robot, snapshot));
        }
        for &(i, robot) in &outputs.wheel_odometries {
            self.emit(i, now, || firmware::wheel_odometry(scene, robot, snapshot));
        }
    }

    fn publish_goals(&self, scene: &Scene, batch: &Batch) {
        for goal in self.context.goals.lock().iter() {
            goal.end_removed_goals(batch.removed_goals_up_to);
            let Some(group_index) = goal.group_index(batch.scene_version) else {
                continue;
            };
            let own = batch
                .groups
                .iter()
                .filter(|status| status.group == group_index);
            own.for_each(|status| goal.observe(scene, status));
            if let Some(snapshot) = &batch.snapshot {
                goal.publish_feedback(scene, snapshot, group_index);
            }
        }
    }

    fn publish_tethers(&mut self, snapshot: &ObjectStates) {
        let (outputs, now) = (Arc::clone(&self.outputs), snapshot.time_ns);
        for &(i, tether) in &outputs.tether_paths {
            self.emit(i, now, || convert::path(&snapshot.tethers[tether].p, now));
        }
        for &(i, tether) in &outputs.tether_tensions {
            self.emit(i, now, || Float64MultiArray {
                data: snapshot.tethers[tether].end_tensions().to_vec(),
                ..Float64MultiArray::default()
            });
        }
        for &(i, tether) in &outputs.tether_lengths {
            self.emit(i, now, || Float64 {
                data: snapshot.tethers[tether].length,
            });
        }
    }

    fn publish_batteries(&mut self, scene: &Scene, batteries: &[BatteryState], now: u64) {
        let outputs = Arc::clone(&self.outputs);
        for &(i, robot) in &outputs.batteries {
            let Some(battery) = &scene.robots[robot].battery else {
                continue;
            };
            let head = header(now, &frames::link_frame(&scene.robots[robot], 0));
            self.emit(i, now, || {
                convert::battery_state(battery, &batteries[robot], head)
            });
        }
    }

    /// Publishes the state of couplings that were engaged or released, and the load on all
    /// couplings.
    fn publish_couplings(&mut self, batch: &Batch) {
        let outputs = Arc::clone(&self.outputs);
        for (coupling, now) in batch.engaged.iter().enumerate() {
            if self.engaged[coupling] != *now {
                self.engaged[coupling] = *now;
                let output = find_output(&outputs.coupling_states, coupling);
                self.emit_any(output, batch.time_ns, || Bool { data: *now });
            }
        }
        for (coupling, [force, moment]) in batch.loads.iter().flatten().enumerate() {
            let load = vehicle::Wrench {
                force: *force,
                torque: *moment,
                variances: [Vec3::zero(); 2],
            };
            let output = find_output(&outputs.coupling_loads, coupling);
            self.emit_any(output, batch.time_ns, || {
                convert::vehicle::wrench(&load, header(batch.time_ns, convert::WORLD_FRAME))
            });
        }
    }

    /// Publishes the results of the network of modems.
    fn publish_network(&mut self, scene: &Scene, batch: &NetworkBatch, now: u64) {
        let outputs = Arc::clone(&self.outputs);
        let output = &batch.output;
        for delivery in &output.deliveries {
            let payload = output.payload(delivery);
            if delivery.is_bridged {
                self.publish_bridged(scene, delivery, payload);
                continue;
            }
            let topic = outputs.modem_packets[delivery.to as usize];
            self.emit(topic, delivery.published_ns, || {
                modem::packet(scene, output, delivery)
            });
        }
        for result in &output.ranges {
            let topic = outputs.modem_ranges[result.modem as usize];
            self.emit(topic, result.published_ns, || modem::range(scene, result));
            let ends = [result.modem as usize, result.other as usize];
            let mut fixes = outputs.modem_fixes.iter();
            let Some((topic, _)) = fixes.find(|(_, place)| *place == ends) else {
                continue;
            };
            if let Some(fix) = modem::fix(scene, result) {
                self.emit(*topic, result.published_ns, || fix);
            }
        }
        if !output.packets.items.is_empty() {
            self.emit_any(outputs.packets, now, || {
                modem::packet_log(scene, output, now)
            });
        }
        if !output.trace.items.is_empty() {
            self.emit_any(outputs.schedule, now, || {
                modem::schedule(scene, output, now)
            });
        }
        let Some(states) = &batch.states else {
            return;
        };
        let modems = scene.modems.iter().zip(&states.modems);
        for ((device, (state, condition)), topic) in modems.zip(&outputs.modem_states) {
            self.emit(*topic, now, || modem::status(device, state, condition, now));
        }
        self.emit_any(outputs.links, now, || {
            modem::link_table(scene, &states.links, now)
        });
    }

    /// Publishes a message that arrived over a bridge, or passes on a request or a response.
    fn publish_bridged(&mut self, scene: &Scene, delivery: &Delivery, payload: &[u8]) {
        if let Some(call) = bridged_call(scene, delivery, payload) {
            self.context.calls.pass_on(scene, &call);
            return;
        }
        let Some((bridge, receiver, message)) = bridged_message(scene, delivery, payload) else {
            return;
        };
        let outputs = Arc::clone(&self.outputs);
        let mut all = outputs.bridged.iter();
        let topic = all.find(|(_, place)| *place == [bridge, receiver]);
        if let Some((topic, _)) = topic.filter(|(topic, _)| self.has_receivers(*topic)) {
            self.send_bytes(*topic, delivery.published_ns, message.to_vec());
        }
    }

    /// Publishes the schedule traces of computers and the states of their tasks.
    fn publish_computers(&mut self, scene: &Scene, batch: &ComputerBatch, now: u64) {
        let outputs = Arc::clone(&self.outputs);
        let device = |[robot, k]: [usize; 2]| {
            let onboard = scene.robots[robot].onboard.as_ref();
            onboard.map(|onboard| &onboard.computers[k])
        };
        for (topic, index) in &outputs.task_schedules {
            let Some(device) = device(*index).filter(|_| !batch.intervals.is_empty()) else {
                continue;
            };
            if let Some(message) = schedule(device, *index, &batch.intervals, now) {
                self.emit(*topic, now, || message);
            }
        }
        let Some(states) = &batch.states else {
            return;
        };
        for (topic, [robot, k]) in &outputs.computer_states {
            if let Some(device) = device([*robot, *k]) {
                let own = &states[*robot][*k];
                self.emit(*topic, now, || computer::status(device, own, now));
            }
        }
    }

    /// Publishes the state of tethers that are broken, or that are intact again after a reset.
    fn publish_tether_states(&mut self, batch: &Batch) {
        let outputs = Arc::clone(&self.outputs);
        for (tether, now) in batch.intact.iter().enumerate() {
            if self.intact[tether] != *now {
                self.intact[tether] = *now;
                let output = find_output(&outputs.tether_states, tether);
                self.emit_any(output, batch.time_ns, || Bool { data: *now });
            }
        }
    }

    /// Publishes the messages that late subscribers and every bag need: robot descriptions, static
    /// frames, label names, and the states of couplings and tethers. Except for the static frames,
    /// topics in `known` are left out.
    fn publish_latched(&mut self, known: &HashSet<String>) {
        let (outputs, now) = (Arc::clone(&self.outputs), self.now_ns);
        let SceneOutputs { scene, plan, .. } = self.context.outputs.clone();
        let is_new = |output: usize| !known.contains(&plan.outputs[output].topic);
        self.emit_any(outputs.tf_static, now, || frames::static_frames(&scene));
        for &(i, coupling) in outputs.coupling_states.iter().filter(|(i, _)| is_new(*i)) {
            let data = self.engaged[coupling];
            self.emit(i, now, || Bool { data });
        }
        for &(i, tether) in outputs.tether_states.iter().filter(|(i, _)| is_new(*i)) {
            let data = self.intact[tether];
            self.emit(i, now, || Bool { data });
        }
        for &(i, robot) in outputs.descriptions.iter().filter(|(i, _)| is_new(*i)) {
            self.emit(i, now, || StringMsg {
                data: merrow_messages::urdf::urdf(&scene.robots[robot]),
            });
        }
        for &(i, [robot, sensor]) in outputs.labels.iter().filter(|(i, _)| is_new(*i)) {
            let frame = frames::optical_frame(&scene.robots[robot], sensor);
            self.emit(i, now, || camera::labels(&scene, header(now, &frame)));
        }
    }

    /// Emits a message as [`Self::emit`], if the plan has the output.
    fn emit_any<M: Message>(
        &mut self,
        output: Option<usize>,
        now_ns: u64,
        message: impl FnOnce() -> M,
    ) {
        if let Some(output) = output {
            self.emit(output, now_ns, message);
        }
    }

    /// Encodes a message once and sends it to subscribers and to the bag.
    fn emit<M: Message>(&mut self, output: usize, now_ns: u64, message: impl FnOnce() -> M) {
        if self.has_receivers(output) {
            self.send_bytes(output, now_ns, to_bytes(&message()));
        }
    }

    /// Sends an encoded message to subscribers, pages and the bag, or collects it.
    fn send_bytes(&mut self, output: usize, now_ns: u64, message: Vec<u8>) {
        if let Some(collected) = &mut self.collected {
            collected.messages.push((output, message));
            return;
        }
        let bytes = Bytes::from(message);
        let publisher = self.context.outputs.publishers.get(output);
        if let Some(publisher) = publisher.filter(|p| p.has_receivers())
            && publisher.publish_shared(&bytes).is_err()
        {
            self.add_lost(output, 1);
        }
        let topic = self.topic(output);
        self.shared.plotted.add(topic, now_ns, &bytes, false);
        let Some((bag, channels)) = &mut self.bag else {
            return;
        };
        if let Err(e) = bag.write(channels[output], now_ns, now_ns, &bytes) {
            self.abort_recording(&e.to_string());
        }
    }

    fn log_error(&self, text: &str) {
        match &self.context.logger {
            Some(logger) => logger.error(text),
            None => terminal::warn(format_args!("merrow: {text}")),
        }
    }
}
