//! ROS interface of a running world: node, topics, services, parameters, recorder.

use crate::arm::GroupStatus;
use crate::arm::progress::Progress;
use crate::input::mailbox::RunLink;
use crate::modem::bridges::bridges_of;
use crate::node::batch::Batch;
use crate::node::checkpoint::WriterThread;
use crate::node::diagnostics::{HealthSnapshot, Rejections};
use crate::node::file_access::FileAccess;
use crate::node::interface::{Interface, InterfaceParts};
use crate::node::parameters::devices::{self, DeviceStates};
use crate::node::states::WorldStatus;
use crate::node::thrust_watch::ThrustWatch;
use crate::publisher::state::RecordSettings;
use crate::publisher::{
    NextScene, PublisherContext, PublisherThread, SceneOutputs, stop_recording,
};
use crate::topics::{
    ExteroceptiveOutputs, FRAME_RATE, GroupIndex, Plan, STATUS_RATE, exteroceptive_outputs,
};
use crossbeam_channel::Sender;
use merrow_autopilot::status::LogSink;
use merrow_messages::frames::ObjectStates;
use merrow_model::scene::Correspondence;
use merrow_model::state::Halt;
use merrow_model::state::commands::CommandRejection;
use merrow_ros2::args::NodeOptions;
use merrow_ros2::node::{Network, Node, Publisher};
use merrow_ros2::parameters::ParameterServer;
use merrow_sim::{BLOCK_MAX_NS, Control, InputMessage, Observer, Pace, Request, Simulation};
use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// All ROS objects of a run.
pub struct Bridge {
    /// Thread that publishes and records.
    pub publisher_thread: PublisherThread,
    rejections: Arc<Rejections>,
    progress: Arc<Progress>,
    /// Last status of the goals of every group of joints; empty before the first block.
    groups: Vec<GroupStatus>,
    forgotten: u64,
    /// Messages of users since the last block, while a bag is recorded.
    inputs: Vec<(u64, InputMessage)>,
    /// Outputs of every exteroceptive sensor.
    exteroceptive: Vec<ExteroceptiveOutputs>,
    /// Outputs that modems transmit.
    bridged: Vec<usize>,
    /// For each output, whether recordings of the run contain it.
    recordable: Vec<bool>,
    /// Topics of the scene.
    outputs: SceneOutputs,
    /// Objects of the node that receive; `None` without a node.
    pub interface: Option<Arc<Interface>>,
    /// Place for the topics of the scene that replaces the current one.
    pub next_outputs: NextOutputs,
    /// State of the devices at the last update of their parameters.
    devices: Vec<DeviceStates>,
    /// Numbers of the next periods of frames and of states.
    next_frame: u64,
    next_status: u64,
    last_clock: u64,
    /// Whether the run was paused at the last block.
    paused: bool,
    thrust: ThrustWatch,
}

/// Topics, publishers and world file of a scene.
pub type WorldOutputs = (Arc<Plan>, Arc<[Publisher]>, String);

/// Outputs of the scene that replaces the current one, created in advance by the thread that builds
/// the scene.
pub type NextOutputs = Arc<Mutex<Option<WorldOutputs>>>;

impl Bridge {
    /// Creates a bridge with `node`, which has the name and settings of `options`.
    ///
    /// # Errors
    /// One line that names the object that could not be created.
    pub fn with_node(
        simulation: &Simulation,
        node: Node,
        options: &NodeOptions,
        pace: Pace,
        requests: &Sender<Request>,
        files: FileAccess,
    ) -> Result<Self, String> {
        for warning in &options.warnings {
            node.logger().warn(warning);
        }
        let plan = Arc::new(Plan::new(&simulation.scene));
        let publishers = Interface::publishers(&node, &plan)?;
        let context = PublisherContext {
            logger: Some(node.logger().clone()),
            network: Some(node.network()),
            ..PublisherContext::without_node(scene_outputs(simulation, plan, publishers))
        };
        let (goals, calls) = (Arc::clone(&context.goals), Arc::clone(&context.calls));
        let progress = Arc::new(Progress::from_state(&simulation.state));
        let mut bridge = Self::new(simulation, context, Arc::clone(&progress))?;
        let parameters = ParameterServer::with_clock(
            options.parameter_overrides.clone(),
            "No effect: the simulation is the source of /clock and uses its own time for all stamps.",
        );
        let writer = WriterThread::start()?;
        let parts = InterfaceParts {
            run: RunLink {
                requests: requests.clone(),
                tasks: bridge.publisher_thread.tasks(),
                rejections: Arc::clone(&bridge.rejections),
                logger: node.logger().clone(),
                progress,
                files,
                writer: writer.sender(),
            },
            _writer: writer,
            parameters: Arc::new(parameters.map_err(|e| e.to_string())?),
            shared: Arc::clone(&bridge.publisher_thread.shared),
            goals,
            calls,
            node: Arc::new(node),
        };
        let interface = Interface::new(simulation, &bridge.outputs.plan, pace, parts)?;
        bridge.interface = Some(interface);
        Ok(bridge)
    }

    /// Returns the log of the links to autopilots and ground stations: the logger of the node, or
    /// the standard error output without a node.
    pub fn link_log(&self) -> LogSink {
        match &self.interface {
            Some(interface) => {
                let logger = interface.parts.node.logger().clone();
                LogSink::new(move |line| logger.warn(line))
            }
            None => LogSink::default(),
        }
    }

    /// Creates a bridge without a node, for recording only.
    ///
    /// # Errors
    /// The recorder's thread could not be started.
    pub fn without_node(simulation: &Simulation) -> Result<Self, String> {
        let plan = Arc::new(Plan::new(&simulation.scene));
        let outputs = scene_outputs(simulation, plan, Arc::default());
        let context = PublisherContext::without_node(outputs);
        Self::new(simulation, context, Arc::default())
    }

    fn new(
        simulation: &Simulation,
        context: PublisherContext,
        progress: Arc<Progress>,
    ) -> Result<Self, String> {
        let now = simulation.time_ns();
        let (outputs, rejections) = (context.outputs.clone(), Arc::clone(&context.rejections));
        let (mut next_frame, mut next_status) = (0, 0);
        if now > 0 {
            // a resumed run does not repeat messages that were published before the checkpoint
            is_due(&mut next_frame, FRAME_RATE, now);
            is_due(&mut next_status, STATUS_RATE, now);
        }
        Ok(Self {
            publisher_thread: PublisherThread::start(context)?,
            rejections,
            progress,
            groups: Vec::new(),
            forgotten: 0,
            inputs: Vec::new(),
            exteroceptive: exteroceptive_outputs(&outputs.scene, &outputs.plan),
            bridged: bridged_outputs(&outputs),
            recordable: vec![true; outputs.plan.outputs.len()],
            outputs,
            interface: None,
            next_outputs: NextOutputs::default(),
            devices: Vec::new(),
            next_frame,
            next_status,
            last_clock: 0,
            paused: false,
            thrust: ThrustWatch::default(),
        })
    }

    /// Returns the groups of joints whose goals have changed status since the last block.
    fn changed_groups(&mut self, simulation: &Simulation) -> Vec<GroupStatus> {
        // without a node there are no clients
        if self.interface.is_none() {
            return Vec::new();
        }
        let robots = simulation.scene.robots.iter().enumerate();
        let places = robots.flat_map(|(robot, model)| {
            (0..model.joint_groups.len()).map(move |group| GroupIndex { robot, group })
        });
        let mut changed = Vec::new();
        for (k, group_index) in places.enumerate() {
            let status = GroupStatus::read(simulation, group_index);
            match self.groups.get_mut(k) {
                Some(last) if status.is_unchanged(last) => continue,
                Some(last) => *last = status,
                None => self.groups.push(status),
            }
            changed.push(status);
        }
        changed
    }

    /// Returns true if the clock is not due. Times before the preceding clock are due.
    fn is_clock_early(&mut self, control: &Control, now_ns: u64) -> bool {
        let (factor, has_rate) = match control.pace {
            Pace::Factor(factor) => (factor, !control.paused),
            Pace::Max | Pace::Lockstep => (1.0, false),
        };
        let rate = self.publisher_thread.shared.clock_rate() / factor.max(1.0);
        let period = (1e9 / rate).max(1.0) as u64;
        let elapsed = now_ns.checked_sub(self.last_clock);
        let is_early = has_rate && elapsed.is_some_and(|elapsed| elapsed < period);
        if !is_early {
            // a multiple of the period, so that the mean rate does not depend on the steps
            self.last_clock = now_ns - now_ns % period;
        }
        is_early
    }

    /// Requests the outputs of exteroceptive sensors that have subscribers, or are recorded or
    /// plotted. Other outputs are not computed.
    pub fn update_requested_outputs(&self, simulation: &Simulation) {
        let Some(scheduler) = &simulation.sensor_scheduler else {
            return;
        };
        let shared = &self.publisher_thread.shared;
        let recording = shared.recording.load(Ordering::Relaxed);
        let is_requested = |output: &usize| {
            (recording && self.recordable[*output])
                || self.bridged.contains(output)
                || shared
                    .plotted
                    .contains(&self.outputs.plan.outputs[*output].topic)
                || self
                    .outputs
                    .publishers
                    .get(*output)
                    .is_some_and(Publisher::has_receivers)
        };
        for ExteroceptiveOutputs {
            robot,
            sensor,
            outputs,
        } in &self.exteroceptive
        {
            let bits = outputs
                .iter()
                .filter(|(output, _)| is_requested(output))
                .fold(0, |bits, (_, part)| bits | part);
            scheduler.request_outputs(&simulation.scene, *robot, *sensor, bits);
        }
    }

    /// Sets the topics and files of all recordings of the run.
    ///
    /// # Errors
    /// One line: no topic of the world is selected.
    pub fn set_record_settings(&mut self, settings: RecordSettings) -> Result<(), String> {
        settings.filter.check(&self.outputs.recordable())?;
        *self.publisher_thread.shared.settings.lock() = settings;
        self.update_recordable();
        Ok(())
    }

    /// Notes the outputs of the scene that recordings contain. Other outputs are not computed for
    /// them.
    fn update_recordable(&mut self) {
        let settings = self.publisher_thread.shared.settings.lock().clone();
        let outputs = 0..self.outputs.plan.outputs.len();
        let is_selected = |i| settings.filter.contains(&self.outputs.published_name(i));
        self.recordable = outputs.map(is_selected).collect();
    }

    /// Starts recording and returns a line about it.
    ///
    /// # Errors
    /// The reason why recording could not start.
    pub fn record(&self, path: PathBuf) -> Result<String, String> {
        self.publisher_thread.record(path)
    }

    /// Stops recording and returns a summary; `None` if no recording was active.
    ///
    /// # Errors
    /// The reason why the last recording is incomplete, unless a client has received it.
    pub fn stop_recording(&self) -> Result<Option<String>, String> {
        stop_recording(&self.publisher_thread.tasks())
    }

    /// Returns the network of the node; `None` without one.
    pub fn network(&self) -> Option<Network> {
        let interface = self.interface.as_ref()?;
        Some(interface.parts.node.network())
    }
}

impl Observer for Bridge {
    fn after_block(&mut self, simulation: &Simulation, control: &Control) {
        let now = simulation.time_ns();
        self.update_requested_outputs(simulation);
        self.progress.now_ns.store(now, Ordering::Relaxed);
        let mut batch = Batch {
            time_ns: now,
            scene_version: simulation.scene_version,
            groups: self.changed_groups(simulation),
            inputs: std::mem::take(&mut self.inputs),
            removed_goals_up_to: std::mem::take(&mut self.forgotten),
            exteroceptive: simulation.frames.clone(),
            network: simulation.shared_network_output(),
            intervals: simulation.task_intervals.clone(),
            has_no_clock: self.is_clock_early(control, now),
            ..Batch::default()
        };
        batch.read_switches(&simulation.state);
        for (robot, runner) in simulation.runners.iter().enumerate() {
            let of_robot =
                |d: &merrow_sensors::Delivered| (robot as u32, d.sensor as u32, d.stamped);
            batch.readings.extend(runner.outbox.iter().map(of_robot));
        }
        if is_due(&mut self.next_frame, FRAME_RATE, now) {
            batch.snapshot = Some(ObjectStates::read(simulation));
            if let Some(interface) = &self.interface {
                devices::update_changed(&interface.parts.parameters, simulation, &mut self.devices);
            }
        }
        let has_status = is_due(&mut self.next_status, STATUS_RATE, now);
        // a pause is reported too, although the simulated time does not advance
        let is_changed = std::mem::replace(&mut self.paused, control.paused) != control.paused;
        if has_status || is_changed {
            let status = Arc::new(WorldStatus::read(simulation));
            batch.status = has_status.then(|| Arc::clone(&status));
            let health = HealthSnapshot::read(simulation, status, control, &mut self.thrust);
            batch.health = Some(health);
        }
        // in real time the simulation must not wait
        let can_wait = control.paused || !matches!(control.pace, Pace::Factor(_));
        self.publisher_thread.send(batch, can_wait);
    }

    fn before_steps(&mut self, simulation: &Simulation) {
        self.update_requested_outputs(simulation);
    }

    fn received(&mut self, message: &InputMessage, simulation: &Simulation) {
        if self
            .publisher_thread
            .shared
            .recording
            .load(Ordering::Relaxed)
        {
            self.inputs.push((simulation.time_ns(), message.clone()));
        }
    }

    fn rejected(&mut self, rejection: &CommandRejection, simulation: &Simulation) {
        let line =
            self.rejections
                .count_rejection(&simulation.scene, rejection.robot, &rejection.reason);
        if let (Some(line), Some(interface)) = (line, &self.interface) {
            interface.parts.node.logger().warn(line);
        }
    }

    fn halted(&mut self, robot: usize, halt: &Halt, simulation: &Simulation) {
        let Some(interface) = &self.interface else {
            return;
        };
        let (name, at) = (
            &simulation.scene.robots[robot].name,
            halt.time_ns as f64 * 1e-9,
        );
        interface
            .parts
            .node
            .logger()
            .error(format_args!("{name}: halted at {at:.3} s: {}", halt.cause));
    }

    fn reset(&mut self) {
        (self.next_frame, self.next_status, self.last_clock) = (0, 0, 0);
        self.forgotten = self.progress.applied.load(Ordering::Relaxed);
    }

    fn state_reset(&mut self) {
        self.forgotten = self.progress.applied.load(Ordering::Relaxed);
    }

    fn replaced(&mut self, simulation: &Simulation, same: &Correspondence) {
        let next = self.next_outputs.lock().take();
        let (plan, publishers, world) = next.unwrap_or_else(|| {
            let plan = Arc::new(Plan::new(&simulation.scene));
            (plan, Arc::default(), String::new())
        });
        let outputs = scene_outputs(simulation, plan, publishers);
        self.groups.clear();
        self.exteroceptive = exteroceptive_outputs(&outputs.scene, &outputs.plan);
        self.bridged = bridged_outputs(&outputs);
        self.outputs = outputs.clone();
        self.update_recordable();
        let next = NextScene {
            outputs,
            same: same.clone(),
            world,
        };
        self.publisher_thread.change_scene(next);
        self.update_requested_outputs(simulation);
    }

    fn max_block_ns(&self) -> u64 {
        BLOCK_MAX_NS
    }

    fn dropped(&self) -> u64 {
        self.publisher_thread.shared.dropped.load(Ordering::Relaxed)
    }
}

/// Returns the topics of the current scene for the publisher thread.
fn scene_outputs(
    simulation: &Simulation,
    plan: Arc<Plan>,
    publishers: Arc<[Publisher]>,
) -> SceneOutputs {
    SceneOutputs {
        version: simulation.scene_version,
        scene: Arc::clone(&simulation.scene),
        plan,
        publishers,
    }
}

/// Returns the outputs that modems transmit.
fn bridged_outputs(of: &SceneOutputs) -> Vec<usize> {
    let outputs = of.plan.outputs.iter().enumerate();
    outputs
        .filter(|(_, output)| !bridges_of(&of.scene, output).is_empty())
        .map(|(i, _)| i)
        .collect()
}

/// Returns true if an output is due: true once per period of simulation time. `next` is the number
/// of the next period.
fn is_due(next: &mut u64, rate: f64, now_ns: u64) -> bool {
    let period = (now_ns as f64 * 1e-9 * rate + 1e-6) as u64;
    let is_due = period >= *next;
    if is_due {
        *next = period + 1;
    }
    is_due
}
