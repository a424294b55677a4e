//! ROS interface of a running world: node, topics, services, parameters, recorder.

use crate::arm;
use crate::arm::{GroupIndex, GroupStatus, Progress, RunningAction};
use crate::convert::topic;
use crate::input::Mailbox;
use crate::input::services;
use crate::node::diagnostics::{HealthSnapshot, Rejections};
use crate::node::frames::Snapshot;
use crate::node::live_parameters;
use crate::node::plan::{BATTERY_RATE, DIAGNOSTICS_RATE, FRAME_RATE, Plan, Source};
use crate::publisher::{Batch, PublisherContext, PublisherThread, Task, stop_recording};
use crossbeam_channel::Sender;
use merrow_model::scene::Scene;
use merrow_model::state::commands::CommandRejection;
use merrow_model::state::{Halt, TetherState};
use merrow_ros2::args::NodeOptions;
use merrow_ros2::node::ParameterServices;
use merrow_ros2::node::{Node, Publisher, Service, Subscription};
use merrow_ros2::parameters::ParameterServer;
use merrow_sim::{BLOCK_MAX_NS, Control, Observer, Pace, Request, Simulation};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// All ROS objects of a run.
pub struct Bridge {
    publisher_thread: PublisherThread,
    rejections: Arc<Rejections>,
    progress: Arc<Progress>,
    /// Last status of the goals of every group of joints.
    groups: Vec<Option<GroupStatus>>,
    forgotten: u64,
    /// Outputs of every exteroceptive sensor.
    exteroceptive: Vec<ExteroceptiveOutputs>,
    /// One publisher per output of the plan; empty without a node.
    publishers: Arc<[Publisher]>,
    node: Option<Endpoints>,
    next_frame: u64,
    next_battery: u64,
    next_diagnostics: u64,
    /// Whether the run was paused at the last block.
    paused: bool,
}

/// Objects with the lifetime of the node. Fields are dropped in this order, the node last.
struct Endpoints {
    _actions: Vec<RunningAction>,
    _subscriptions: Vec<Subscription>,
    _services: Vec<Service>,
    _parameter_services: ParameterServices,
    _parameters: Arc<ParameterServer>,
    node: Node,
}

impl Bridge {
    /// Creates a bridge with a node on the network.
    ///
    /// # Errors
    /// One line that names the object that could not be created.
    pub fn with_node(
        simulation: &Simulation,
        options: &NodeOptions,
        pace: Pace,
        requests: &Sender<Request>,
    ) -> Result<Self, String> {
        let scene = &simulation.scene;
        let plan = Arc::new(Plan::new(scene));
        let rejections = Arc::new(Rejections::new(scene.robots.len()));
        let node = Node::new(options).map_err(|e| e.to_string())?;
        for warning in &options.warnings {
            node.logger().warn(warning);
        }
        let mut publishers = Vec::with_capacity(plan.outputs.len());
        for output in &plan.outputs {
            let publisher = node.publisher(&output.topic, output.info, &output.qos);
            publishers.push(publisher.map_err(|e| e.to_string())?);
        }
        let publishers: Arc<[Publisher]> = publishers.into();
        let mailbox = Mailbox {
            scene: Arc::clone(scene),
            requests: requests.clone(),
            rejections: Arc::clone(&rejections),
            logger: node.logger().clone(),
            progress: Arc::new(Progress::from_state(&simulation.state)),
        };
        let (mut actions, mut goals) = (Vec::new(), Vec::new());
        for action in &plan.actions {
            let (served, watched) =
                arm::serve(&node, action, &mailbox).map_err(|e| e.to_string())?;
            actions.push(served);
            goals.push(watched);
        }
        let publisher_thread = PublisherThread::start(PublisherContext {
            scene: Arc::clone(scene),
            plan: Arc::clone(&plan),
            publishers: Arc::clone(&publishers),
            logger: Some(node.logger().clone()),
            network: Some(node.network()),
            rejections: Arc::clone(&rejections),
            goals,
        })?;
        let parameters = ParameterServer::new(options.parameter_overrides.clone());
        let parameters = Arc::new(parameters.map_err(|e| e.to_string())?);
        let (requests, shared) = (requests.clone(), Arc::clone(&publisher_thread.shared));
        live_parameters::start(&parameters, simulation, pace, requests, shared)
            .map_err(|e| e.to_string())?;
        let endpoints = Self::endpoints(
            node,
            actions,
            &plan,
            &mailbox,
            parameters,
            &publisher_thread,
        )?;
        Ok(Self::new(
            simulation,
            &plan,
            publisher_thread,
            rejections,
            mailbox.progress,
            Some((endpoints, publishers)),
        ))
    }

    /// Creates a bridge without a node, for recording only.
    ///
    /// # Errors
    /// The recorder's thread could not be started.
    pub fn without_node(simulation: &Simulation) -> Result<Self, String> {
        let scene = &simulation.scene;
        let rejections = Arc::new(Rejections::new(scene.robots.len()));
        let plan = Arc::new(Plan::new(scene));
        let publisher_thread = PublisherThread::start(PublisherContext {
            scene: Arc::clone(scene),
            plan: Arc::clone(&plan),
            publishers: Arc::default(),
            logger: None,
            network: None,
            rejections: Arc::clone(&rejections),
            goals: Vec::new(),
        })?;
        Ok(Self::new(
            simulation,
            &plan,
            publisher_thread,
            rejections,
            Arc::default(),
            None,
        ))
    }

    fn new(
        simulation: &Simulation,
        plan: &Plan,
        publisher_thread: PublisherThread,
        rejections: Arc<Rejections>,
        progress: Arc<Progress>,
        node: Option<(Endpoints, Arc<[Publisher]>)>,
    ) -> Self {
        let (node, publishers) = node.unzip();
        let (scene, now) = (&simulation.scene, simulation.time_ns());
        let groups = scene
            .robots
            .iter()
            .map(|robot| robot.joint_groups.len())
            .sum();
        let groups = vec![None; groups];
        let (mut next_frame, mut next_battery, mut next_diagnostics) = (0, 0, 0);
        if now > 0 {
            // a resumed run does not repeat what was published before the checkpoint
            is_due(&mut next_frame, FRAME_RATE, now);
            is_due(&mut next_battery, BATTERY_RATE, now);
            is_due(&mut next_diagnostics, DIAGNOSTICS_RATE, now);
        }
        let looking = exteroceptive_outputs(scene, plan);
        Self {
            publisher_thread,
            rejections,
            progress,
            groups,
            forgotten: 0,
            exteroceptive: looking,
            publishers: publishers.unwrap_or_default(),
            node,
            next_frame,
            next_battery,
            next_diagnostics,
            paused: false,
        }
    }

    /// Returns the groups of joints whose goals have changed status since the last block.
    fn changed_groups(&mut self, simulation: &Simulation) -> Vec<GroupStatus> {
        // without a node there are no clients
        if self.node.is_none() {
            return Vec::new();
        }
        let robots = simulation.scene.robots.iter().enumerate();
        let places = robots.flat_map(|(robot, model)| {
            (0..model.joint_groups.len()).map(move |group| GroupIndex { robot, group })
        });
        let mut changed = Vec::new();
        for (last, group_index) in self.groups.iter_mut().zip(places) {
            let status = GroupStatus::read(simulation, group_index);
            if last.as_ref().is_none_or(|last| !status.is_unchanged(last)) {
                *last = Some(status);
                changed.push(status);
            }
        }
        changed
    }

    fn endpoints(
        node: Node,
        actions: Vec<RunningAction>,
        plan: &Plan,
        mailbox: &Mailbox,
        parameters: Arc<ParameterServer>,
        publisher_thread: &PublisherThread,
    ) -> Result<Endpoints, String> {
        let text = |e: merrow_ros2::node::NodeError| e.to_string();
        for warning in parameters.unused_overrides() {
            node.logger().warn(warning);
        }
        let parameter_services = ParameterServices::start(&node, &parameters).map_err(text)?;
        let mut subscriptions = Vec::with_capacity(plan.inputs.len());
        for input in &plan.inputs {
            let callback = mailbox.callback(&input.topic, input.target);
            let qos = merrow_ros2::qos::Qos::COMMAND;
            subscriptions.push(
                node.subscription(&input.topic, input.info, &qos, callback)
                    .map_err(text)?,
            );
        }
        // the node's thread serves messages in the order of their arrival, so that a command sent
        // before a step request acts in that step
        let services =
            services::start(&node, mailbox, &parameters, publisher_thread.tasks()).map_err(text)?;
        Ok(Endpoints {
            _actions: actions,
            _subscriptions: subscriptions,
            _services: services,
            _parameter_services: parameter_services,
            _parameters: parameters,
            node,
        })
    }

    /// Requests the outputs of exteroceptive sensors that have subscribers or are recorded. Other
    /// outputs are not computed.
    pub fn update_requested_outputs(&self, simulation: &Simulation) {
        let Some(scheduler) = &simulation.sensor_scheduler else {
            return;
        };
        let recording = self
            .publisher_thread
            .shared
            .recording
            .load(Ordering::Relaxed);
        let is_requested = |output: &usize| {
            recording
                || self
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

    /// Returns the channel through which another thread can stop the recording with
    /// [`stop_recording`].
    pub fn recorder(&self) -> Sender<Task> {
        self.publisher_thread.tasks()
    }
}

impl Observer for Bridge {
    fn after_block(&mut self, simulation: &Simulation, control: &Control) {
        let now = simulation.time_ns();
        self.update_requested_outputs(simulation);
        self.progress.now_ns.store(now, Ordering::Relaxed);
        let couplings = &simulation.state.couplings;
        let engaged = couplings.iter().map(|c| c.engaged).collect();
        let whole = simulation
            .state
            .tethers
            .iter()
            .map(TetherState::is_intact)
            .collect();
        let mut batch = Batch {
            time_ns: now,
            engaged,
            intact: whole,
            ..Batch::default()
        };
        batch.groups = self.changed_groups(simulation);
        batch.removed_goals_up_to = std::mem::take(&mut self.forgotten);
        for (robot, runner) in simulation.runners.iter().enumerate() {
            let of_robot =
                |d: &merrow_sensors::Delivered| (robot as u32, d.sensor as u32, d.stamped);
            batch.readings.extend(runner.outbox.iter().map(of_robot));
        }
        batch.exteroceptive.clone_from(&simulation.frames);
        if is_due(&mut self.next_frame, FRAME_RATE, now) {
            batch.snapshot = Some(Snapshot::read(simulation));
            batch.loads = Some(couplings.iter().map(|c| [c.force_W, c.moment_W]).collect());
        }
        if is_due(&mut self.next_battery, BATTERY_RATE, now) {
            batch.batteries = Some(simulation.state.robots.iter().map(|r| r.battery).collect());
        }
        // simulated time stands still during a pause, which is nevertheless reported
        let is_changed = std::mem::replace(&mut self.paused, control.paused) != control.paused;
        if is_due(&mut self.next_diagnostics, DIAGNOSTICS_RATE, now) || is_changed {
            batch.health = Some(HealthSnapshot::read(simulation, control));
        }
        // in real time the simulation must not wait
        let can_wait = control.paused || !matches!(control.pace, Pace::Factor(_));
        self.publisher_thread.send(batch, can_wait);
    }

    fn before_steps(&mut self, simulation: &Simulation) {
        self.update_requested_outputs(simulation);
    }

    fn rejected(&mut self, rejection: &CommandRejection, simulation: &Simulation) {
        let line =
            self.rejections
                .count_rejection(&simulation.scene, rejection.robot, &rejection.reason);
        if let (Some(line), Some(endpoints)) = (line, &self.node) {
            endpoints.node.logger().warn(line);
        }
    }

    fn halted(&mut self, robot: usize, halt: &Halt, simulation: &Simulation) {
        let Some(endpoints) = &self.node else { return };
        let (name, at) = (
            &simulation.scene.robots[robot].name,
            halt.time_ns as f64 * 1e-9,
        );
        endpoints
            .node
            .logger()
            .error(format_args!("{name}: halted at {at:.3} s: {}", halt.cause));
    }

    fn reset(&mut self) {
        (self.next_frame, self.next_battery, self.next_diagnostics) = (0, 0, 0);
        self.forgotten = self.progress.applied.load(Ordering::Relaxed);
    }

    fn max_block_ns(&self) -> u64 {
        BLOCK_MAX_NS
    }

    fn dropped(&self) -> u64 {
        self.publisher_thread.shared.dropped.load(Ordering::Relaxed)
    }
}

/// An exteroceptive sensor, and its outputs with the bits of the data that each contains.
struct ExteroceptiveOutputs {
    robot: usize,
    sensor: usize,
    outputs: Vec<(usize, u8)>,
}

/// Lists all exteroceptive sensors with their outputs.
fn exteroceptive_outputs(scene: &Scene, plan: &Plan) -> Vec<ExteroceptiveOutputs> {
    let mut all: Vec<ExteroceptiveOutputs> = Vec::new();
    for (i, output) in plan.outputs.iter().enumerate() {
        let Source::Sensor {
            robot,
            sensor,
            part,
        } = output.source
        else {
            continue;
        };
        let device = &scene.robots[robot].sensors[sensor];
        if device.kind.exteroceptive().is_none() {
            continue;
        }
        if part == 0 {
            all.push(ExteroceptiveOutputs {
                robot,
                sensor,
                outputs: Vec::new(),
            });
        }
        let topics = topic::topics(device);
        if let (Some(last), Some(topic)) = (all.last_mut(), topics.get(part)) {
            last.outputs.push((i, topic.required_outputs));
        }
    }
    all
}

/// Whether an output is due: true once per period of simulation time. `next` is the number of the
/// next period.
fn is_due(next: &mut u64, rate: f64, now_ns: u64) -> bool {
    let period = (now_ns as f64 * 1e-9 * rate + 1e-6) as u64;
    let is_due = period >= *next;
    if is_due {
        *next = period + 1;
    }
    is_due
}
