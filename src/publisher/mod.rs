//! The thread that publishes and records. The simulation loop sends it batches and does not wait
//! for it, with two exceptions in which no sample may be lost: while a bag is recorded, and when
//! the pace does not follow wall time (lock-step, maximum speed). The loop then waits for space in
//! the queue.
//!
//! Each message is encoded once; the same bytes go to DDS and to the bag.

mod bridge_source;
mod queue;
mod recording;
mod scene_change;
mod second_source;
mod sensor_topics;
pub mod state;
pub mod topic_filter;

use crate::arm::GoalObserver;
use crate::modem::calls::BridgedCalls;

pub use crate::node::batch::Batch;
use crate::node::batch::{Lost, LostSamples};
use crate::node::diagnostics;
use crate::node::diagnostics::{HealthSnapshot, Rejections};
use crate::node::losses::Losses;
use crate::node::losses::link_status;
use crate::node::parameters::live::EVENTS;
pub use crate::publisher::bridge_source::connect_bridges;
use crate::publisher::queue::BatchQueue;
use crate::publisher::recording::RecordedBag;
use crate::publisher::scene_change::sensor_topics;
use crate::publisher::state::{PublisherState, Task};
use crate::replay::world;
use crate::terminal;
use crate::topics::{Content, Encoder, Moment, Plan, ResultEncoder, Switch, absolute};
use bytes::Bytes;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, select, unbounded};
use merrow_autopilot::status::LinkStatus;
use merrow_messages::convert;
use merrow_messages::convert::topic::{SampleData, Topic};
use merrow_model::scene::{Correspondence, Scene};
use merrow_model::state::comms::NetworkOutput;
use merrow_ros2::cdr::to_bytes;
use merrow_ros2::msg::rosgraph_msgs::Clock;
use merrow_ros2::msg::std_msgs::Bool;
use merrow_ros2::node::Logger;
use merrow_ros2::node::{Network, NetworkCounters, Publisher};
use merrow_ros2::qos::Qos;
use merrow_sim::{Reply, SceneVersion, bridged_call};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Period at which an idle thread flushes its bag.
const IDLE_PERIOD: Duration = Duration::from_millis(200);
/// Maximum wall time from a task to its reply.
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);

/// Period at which the acknowledgements of subscriptions are checked while a client waits for them.
const DELIVERY_PERIOD: Duration = Duration::from_micros(200);
/// Maximum wall time of that wait.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(10);

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

impl SceneOutputs {
    /// Returns the absolute name under which the node publishes an output, after remapping.
    pub(crate) fn published_name(&self, output: usize) -> String {
        let planned = &self.plan.outputs[output];
        let publisher = self.publishers.get(output);
        publisher.map_or_else(|| absolute(&planned.topic), |p| p.topic().to_string())
    }

    /// Returns the absolute names of all topics that a recording can contain.
    pub(crate) fn recordable(&self) -> BTreeSet<String> {
        let outputs = (0..self.plan.outputs.len()).map(|output| self.published_name(output));
        let inputs = self.plan.inputs.iter().chain(&self.plan.calls);
        let inputs = inputs.map(|input| absolute(&input.topic));
        let own = [world::ACTUATORS, EVENTS].map(str::to_string);
        outputs.chain(inputs).chain(own).collect()
    }
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

impl PublisherContext {
    /// Returns the parameters of a thread without a node.
    pub fn without_node(outputs: SceneOutputs) -> Self {
        Self {
            outputs,
            logger: None,
            network: None,
            rejections: Arc::default(),
            goals: GoalObservers::default(),
            calls: Arc::default(),
        }
    }
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
    /// Published value of each switch, by its topic.
    switches: HashMap<String, bool>,
    bag: Option<RecordedBag>,
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
    /// For each sensor of each robot, its first output, and its topics with their accumulator state
    /// over several samples. The outputs of a sensor are adjacent.
    sensor_topics: Vec<Vec<(usize, Vec<Topic>)>>,
    /// Whether the log names another simulator.
    has_warned: bool,
    /// Numbers of messages that did not reach DDS or the bag, by topic.
    lost: BTreeMap<String, u64>,
    /// Messages for bridges, which then are the only receivers.
    collected: Option<Collected>,
    /// Clients that wait until all messages are received, each with the end of its wait.
    deliveries: Vec<(Instant, Reply<Result<(), String>>)>,
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
        let sensor_topics = sensor_topics(&parts.outputs);
        Self {
            context: parts,
            next_scenes,
            shared,
            switches: HashMap::new(),
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
            deliveries: Vec::new(),
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
                    Ok(Task::Deliver(reply)) => {
                        self.catch_up(queue);
                        self.deliveries.push((Instant::now() + DELIVERY_TIMEOUT, reply));
                    }
                    Ok(Task::Quit) | Err(_) => break,
                },
                // the queue holds the sender
                recv(filled) -> _ => if let Some(batch) = queue.pop() {
                    self.publish_together(&batch);
                },
                default(self.idle_period()) => self.write_to_bag(|recorded| recorded.bag.flush_due()),
            }
            self.answer_deliveries();
        }
        queue.end();
        while let Some(batch) = queue.pop() {
            self.publish(&batch);
        }
        if let Err(why) = self.stop_recording() {
            self.log_error(&why);
        }
    }

    /// Returns the time after which the thread acts without a batch or a task.
    fn idle_period(&self) -> Duration {
        match self.deliveries.is_empty() {
            true => IDLE_PERIOD,
            false => DELIVERY_PERIOD,
        }
    }

    /// Answers the clients that wait for deliveries, if all messages are received or the time is
    /// over.
    fn answer_deliveries(&mut self) {
        if self.deliveries.is_empty() {
            return;
        }
        let network = self.context.network.as_ref();
        match network.and_then(Network::all_received) {
            Some(false) => {
                let now = Instant::now();
                let is_over = |end: &(Instant, _)| end.0 <= now;
                for (_, reply) in self.deliveries.extract_if(.., |end| is_over(end)) {
                    let limit = DELIVERY_TIMEOUT.as_secs();
                    reply.send(Err(format!(
                        "a reliable subscription has not acknowledged its messages within {limit} s; \
                         pause the world or use --pace lockstep, and end subscribers that have stopped"
                    )));
                }
            }
            Some(true) => self
                .deliveries
                .drain(..)
                .for_each(|(_, reply)| reply.send(Ok(()))),
            None => {
                for (_, reply) in self.deliveries.drain(..) {
                    let why = "this ROS backend does not tell which messages are received; \
                               use --ros-backend embedded";
                    reply.send(Err(why.to_string()));
                }
            }
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
        for (robot, sensor, stamped) in &batch.readings {
            let place = [*robot as usize, *sensor as usize];
            let data = SampleData::Reading(&stamped.reading);
            self.publish_sample(&scene, place, stamped.stamp_ns, data);
        }
        for frame in &batch.exteroceptive {
            let (place, data) = ([frame.robot, frame.sensor], SampleData::Frame(&frame.data));
            self.publish_sample(&scene, place, frame.stamp_ns, data);
        }
        if let Some(network) = &batch.network {
            self.pass_on_calls(network);
        }
        if let Some(snapshot) = &batch.snapshot {
            self.record_actuators(snapshot);
        }
        self.publish_outputs(batch);
        self.publish_goals(&scene, batch);
        self.context.calls.end_expired(now);
        // the clock is last: a client that waits for a time finds its messages already sent
        if let Some(clock) = self.clock().filter(|_| !batch.has_no_clock)
            && self.has_receivers(clock)
        {
            let time = convert::time(now);
            self.send_bytes(clock, now, to_bytes(&Clock { clock: time }));
        }
    }

    /// Returns the output `/clock`.
    fn clock(&self) -> Option<usize> {
        let plan = &self.context.outputs.plan;
        plan.find(|content| matches!(content, Content::Clock))
    }

    /// Publishes the diagnostics, with the messages that were lost.
    fn publish_diagnostics(
        &mut self,
        output: usize,
        scene: &Scene,
        vitals: &HealthSnapshot,
        now: u64,
    ) {
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
        if !self.has_receivers(output) {
            return;
        }
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
            let is_same = |old: &&LinkStatus| (&old.robot, old.kind) == (&link.robot, link.kind);
            link_status(link, links_before.iter().find(is_same))
        }));
        self.send_bytes(output, now, to_bytes(&message));
    }

    /// Counts dropped samples on their topics that have receivers.
    fn count_lost(&mut self, lost: &LostSamples) {
        if *lost == LostSamples::default() {
            return;
        }
        let plan = Arc::clone(&self.context.outputs.plan);
        for (i, output) in plan.outputs.iter().enumerate() {
            let n = lost_samples(&output.content, lost);
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
        self.bag.as_ref().is_some_and(|bag| bag.has_output(output))
            || publisher.is_some_and(Publisher::has_receivers)
            || self.shared.plotted.contains(self.topic(output))
    }

    /// Returns the topic of an output.
    fn topic(&self, output: usize) -> &str {
        &self.context.outputs.plan.outputs[output].topic
    }

    /// Publishes the outputs whose data a batch contains, except `/clock`.
    fn publish_outputs(&mut self, batch: &Batch) {
        let SceneOutputs { scene, plan, .. } = self.context.outputs.clone();
        let shared = Arc::clone(&self.shared);
        let moment = Moment {
            scene: &scene,
            now_ns: batch.time_ns,
            has_truth_tf: &|robot| shared.has_truth_tf(&robot.name),
        };
        let results = batch.network.as_deref();
        let intervals = Some(&batch.intervals[..]).filter(|all| !all.is_empty());
        for (i, output) in plan.outputs.iter().enumerate() {
            match &output.content {
                Content::Clock | Content::Sensor { .. } | Content::Scene(_) => {}
                Content::Health => {
                    if let Some(vitals) = &batch.health {
                        self.publish_diagnostics(i, &scene, vitals, batch.time_ns);
                    }
                }
                Content::States(encode) => self.emit(i, moment, encode, batch.snapshot.as_ref()),
                Content::Status(encode) => self.emit(i, moment, encode, batch.status.as_deref()),
                Content::Switch(switch) => {
                    if let Some(now) = value(*switch, batch)
                        && self.switches.insert(output.topic.clone(), now) != Some(now)
                    {
                        self.emit_switch(i, batch.time_ns, now);
                    }
                }
                Content::NetworkResults(encode) => self.emit_results(i, moment, encode, results),
                Content::Intervals(encode) => self.emit_results(i, moment, encode, intervals),
            }
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

    /// Passes on the requests and responses that arrived over bridges.
    fn pass_on_calls(&self, results: &NetworkOutput) {
        let scene = &self.context.outputs.scene;
        for delivery in results.deliveries.iter().filter(|d| d.is_bridged) {
            if let Some(call) = bridged_call(scene, delivery, results.payload(delivery)) {
                self.context.calls.pass_on(scene, &call);
            }
        }
    }

    /// Publishes the messages that late subscribers and every bag need: robot descriptions, static
    /// frames, label names, and the states of couplings and tethers. Except for the static frames,
    /// topics in `known` are left out.
    fn publish_latched(&mut self, known: &HashSet<String>) {
        let SceneOutputs { scene, plan, .. } = self.context.outputs.clone();
        let moment = Moment {
            scene: &scene,
            now_ns: self.now_ns,
            has_truth_tf: &|_| true,
        };
        for (i, output) in plan.outputs.iter().enumerate() {
            if known.contains(&output.topic) && output.qos != Qos::TF_STATIC {
                continue;
            }
            match &output.content {
                Content::Scene(encode) => self.emit(i, moment, encode, Some(&())),
                Content::Switch(switch) => {
                    let topic = output.topic.clone();
                    let at_start = || switch.at_start(&scene);
                    let data = *self.switches.entry(topic).or_insert_with(at_start);
                    self.emit_switch(i, self.now_ns, data);
                }
                // published when they are due
                Content::Clock
                | Content::Health
                | Content::Sensor { .. }
                | Content::States(_)
                | Content::Status(_)
                | Content::NetworkResults(_)
                | Content::Intervals(_) => {}
            }
        }
    }

    /// Takes the switches of a batch as published.
    fn read_switches(&mut self, batch: &Batch) {
        let plan = Arc::clone(&self.context.outputs.plan);
        for output in &plan.outputs {
            if let Content::Switch(switch) = output.content
                && let Some(now) = value(switch, batch)
            {
                self.switches.insert(output.topic.clone(), now);
            }
        }
    }

    fn emit_switch(&mut self, output: usize, now_ns: u64, data: bool) {
        if self.has_receivers(output) {
            self.send_bytes(output, now_ns, to_bytes(&Bool { data }));
        }
    }

    /// Encodes the message of an output once, if it has data and receivers, and sends it.
    fn emit<T: ?Sized>(
        &mut self,
        output: usize,
        moment: Moment<'_>,
        encode: &Encoder<T>,
        data: Option<&T>,
    ) {
        if let Some(data) = data.filter(|_| self.has_receivers(output)) {
            self.send_bytes(output, moment.now_ns, encode(moment, data));
        }
    }

    /// Encodes the messages of an output for the results of a block of steps, and sends them.
    fn emit_results<T: ?Sized>(
        &mut self,
        output: usize,
        moment: Moment<'_>,
        encode: &ResultEncoder<T>,
        results: Option<&T>,
    ) {
        if let Some(results) = results.filter(|_| self.has_receivers(output)) {
            for (time_ns, message) in encode(moment, results) {
                self.send_bytes(output, time_ns, message);
            }
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
        self.write_to_bag(|recorded| recorded.write_output(output, now_ns, &bytes));
    }

    fn log_error(&self, text: &str) {
        match &self.context.logger {
            Some(logger) => logger.error(text),
            None => terminal::warn(format_args!("merrow: {text}")),
        }
    }
}

/// Returns the value of a switch at the end of a batch; `None` if the batch does not contain it.
fn value(switch: Switch, batch: &Batch) -> Option<bool> {
    match switch {
        Switch::Coupling(k) => batch.engaged.get(k).copied(),
        Switch::Tether(k) => batch.intact.get(k).copied(),
    }
}

/// Returns the number of dropped samples of an output.
fn lost_samples(content: &Content, lost: &LostSamples) -> u64 {
    let kind = match *content {
        Content::Clock => Lost::Clocks,
        Content::Health => Lost::Health,
        Content::Sensor { robot, sensor, .. } => Lost::Sensor([robot, sensor]),
        Content::States(_) => Lost::Snapshots,
        Content::Status(_) => Lost::Status,
        // results that occur once
        Content::Scene(_)
        | Content::Switch(_)
        | Content::NetworkResults(_)
        | Content::Intervals(_) => return 0,
    };
    lost.0.get(&kind).copied().unwrap_or(0)
}
