//! Computers of robots in the step: inputs of tasks, effects of jobs.
//!
//! # Law
//! ```text
//!   t_k-1 < t ≤ t_k: events are processed at the end of step k              (1)
//!   start of a job: inputs are taken, the motion is read                    (2)
//!   completion of a job: readings, commands and messages are passed on, the firmware sets the
//!   actuators from the motion of (2)                                        (3)
//! ```
//! # Symbols
//! t time of an event, t_k end of step k.
//!
//! # Limits
//! A job that starts or is completed within a step has its effect at the end of the step. Commands
//! of services, modes of a firmware and trajectories of arms do not pass through tasks. The kernel
//! continues without effects while the robot has no power, see `kernel.rs`. A fault of a computer
//! begins and ends at the end of a step; a computer that halts loses its jobs, and starts without
//! delay when the fault ends.
//!
//! # Checked by
//! test/determinism/computers.rs

pub(crate) mod input;
pub mod kernel;

use crate::bridge_source::NewOutputs;
use crate::computers::kernel::JobEffects;
use crate::control::fault::{ComputerEffect, computer_effect};
use crate::control::{fault, firmware};
use crate::robot::Moment;
use crate::simulation::Simulation;
use merrow_model::scene::Scene;
use merrow_model::scene::computer::TaskIndex;
use merrow_model::scene::fault::Device;
use merrow_model::state::commands::CommandRejection;
use merrow_model::state::computer::command::TaskCommand;
use merrow_model::state::computer::{InputData, TaskActivity, TaskInterval, TaskState};
use merrow_model::state::frames::Frame;
use merrow_model::state::{Command, comms::Delivery};
use merrow_sensors::Delivered;
use std::sync::Arc;

/// Robots with computers, and the sensors whose readings pass through their tasks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Computers {
    /// Indices of the robots.
    robots: Vec<usize>,
    /// Indices of robot and sensor.
    sensors: Vec<(usize, usize)>,
}

impl Computers {
    /// Lists the computers of a scene.
    pub(crate) fn new(scene: &Scene) -> Self {
        let mut computers = Self::default();
        for (r, robot) in scene.robots.iter().enumerate() {
            let Some(onboard) = &robot.onboard else {
                continue;
            };
            computers.robots.push(r);
            let sensors = onboard.sensors.iter().enumerate();
            let gated = sensors.filter(|(_, task)| task.is_some());
            computers.sensors.extend(gated.map(|(s, _)| (r, s)));
        }
        computers
    }
}

impl Simulation {
    /// Passes a command to the task of its robot that commands pass through. Returns false if there
    /// is no such task; the command then takes effect at once.
    pub(crate) fn hold_command(&mut self, command: &Command) -> bool {
        if self.computers.robots.is_empty() {
            return false;
        }
        let Some((robot, command)) = TaskCommand::from_command(command) else {
            return false;
        };
        let model = self.scene.robots.get(robot);
        let onboard = model.and_then(|model| model.onboard.as_ref());
        let (Some(task), Some(state)) = (
            onboard.and_then(|onboard| onboard.commands),
            self.state.robots.get_mut(robot),
        ) else {
            return false;
        };
        let data = InputData::Command(command);
        input::push_input(state, task, self.state.time_ns, data);
        true
    }

    /// Returns the kinds of the faults of a computer of a robot that are active now, separated by
    /// commas.
    pub fn computer_faults(&self, robot: usize, computer: usize) -> String {
        let faults = &self.state.robots[robot].faults;
        fault::active_kinds(faults, Device::Computer(computer), self.state.time_ns)
    }

    /// Returns the time of the next event of a computer, or of the next reading that passes through
    /// a task [ns].
    pub(crate) fn next_computer_ns(&self) -> u64 {
        let events = self.computers.robots.iter().flat_map(|r| {
            let computers = self.scene.robots[*r].onboard.iter();
            let computers = computers.flat_map(|onboard| &onboard.computers);
            computers
                .zip(&self.state.robots[*r].computers)
                .map(|(computer, state)| kernel::next_event_ns(computer, state))
        });
        events
            .chain([self.next_held_reading_ns()])
            .min()
            .unwrap_or(u64::MAX)
    }

    /// Returns the time of the next reading that passes through a task [ns].
    pub(crate) fn next_held_reading_ns(&self) -> u64 {
        let sensors = self.computers.sensors.iter();
        let next = sensors.filter_map(|(robot, sensor)| self.next_reading_ns(*robot, *sensor));
        next.min().unwrap_or(u64::MAX)
    }

    /// Processes the events of all computers up to now. (1)
    pub(crate) fn advance_computers(&mut self) {
        if self.computers.robots.is_empty() {
            return;
        }
        let scene = Arc::clone(&self.scene);
        let new = self.bridge_source.is_some().then(|| NewOutputs::Instant {
            readings: self.runners.iter().map(|r| r.outbox.len()).collect(),
            frames: self.frames.len(),
        });
        let mut has_outputs = false;
        for k in 0..self.computers.robots.len() {
            let robot = self.computers.robots[k];
            let Some(onboard) = &scene.robots[robot].onboard else {
                continue;
            };
            // the effects change the rest of the state
            let mut states = std::mem::take(&mut self.state.robots[robot].computers);
            let now = self.state.time_ns;
            for (c, (computer, state)) in onboard.computers.iter().zip(&mut states).enumerate() {
                let faults = &mut self.state.robots[robot].faults;
                let mut effects = RobotJobs {
                    fault: computer_effect(faults, c, now),
                    simulation: self,
                    robot,
                    computer: c,
                    has_outputs: false,
                };
                kernel::advance(computer, state, now, &mut effects);
                if effects.fault.is_halted {
                    kernel::halt(computer, state, now, &mut effects);
                }
                has_outputs |= effects.has_outputs;
            }
            self.state.robots[robot].computers = states;
        }
        if let Some(new) = new.filter(|_| has_outputs) {
            self.transmit_outputs(&new);
        }
        self.pass_messages_on();
    }
}

/// Effects of the jobs of one computer.
struct RobotJobs<'a> {
    simulation: &'a mut Simulation,
    robot: usize,
    computer: usize,
    /// Effect of the faults of the computer.
    fault: ComputerEffect,
    /// Whether readings or frames were passed on.
    has_outputs: bool,
}

impl RobotJobs<'_> {
    fn index(&self, task: usize) -> TaskIndex {
        TaskIndex {
            computer: self.computer,
            task,
        }
    }

    /// Runs the firmware with the motion that the job has read. (3)
    fn run_firmware(&mut self, own: &mut TaskState) {
        let Some(input) = own.firmware.take() else {
            return;
        };
        let simulation = &mut *self.simulation;
        let (scene, state) = (&simulation.scene, &mut simulation.state);
        let (now, sea) = (state.time_ns, &state.sea);
        let cache = &mut simulation.runners[self.robot].environment_cache;
        let environment = cache.start_environment(Moment::new(scene, sea, now));
        let robot = &scene.robots[self.robot];
        let target = &mut state.robots[self.robot];
        firmware::run_with_input(robot, target, &input, &environment, now);
    }

    /// Passes a reading on to its topic and to the firmware.
    fn pass_reading(&mut self, delivered: Delivered) {
        let simulation = &mut *self.simulation;
        let (scene, state) = (&simulation.scene, &mut simulation.state);
        let robot = &scene.robots[self.robot];
        let target = &mut state.robots[self.robot];
        let (all, now) = ([delivered], state.time_ns);
        firmware::forward_readings(robot, target, &all, &scene.origin, now);
        simulation.runners[self.robot].outbox.push(delivered);
        self.has_outputs = true;
    }

    /// Applies a command and reports its rejection.
    fn pass_command(&mut self, task: usize, command: &TaskCommand) {
        let command = command.to_command(self.robot);
        if let Err(rejection) = self.simulation.apply_at_once(&command) {
            let onboard = self.simulation.scene.robots[self.robot].onboard.as_ref();
            let name = onboard.map_or("", |o| o.task(self.index(task)).name.as_str());
            let reason = format!("task {name}: {}", rejection.reason);
            let rejection = CommandRejection {
                reason,
                ..rejection
            };
            self.simulation.schedule_rejections.push(rejection);
        }
    }

    /// Adds a message to the results of the network.
    fn pass_message(&mut self, delivery: &Delivery, payload: Vec<u8>) {
        let output = &mut self.simulation.state.network.output;
        let payload_start = output.payloads.len();
        output.payloads.extend_from_slice(&payload);
        output.deliveries.push(Delivery {
            payload_start,
            ..*delivery
        });
        if let Some(communication) = &mut self.simulation.communication {
            communication.spare_payloads.push(payload);
        }
    }
}

impl JobEffects for RobotJobs<'_> {
    fn is_powered(&self) -> bool {
        let robot = &self.simulation.state.robots[self.robot];
        robot.battery.is_on() && robot.halted.is_none() && !self.fault.is_halted
    }

    fn execution_factor(&self) -> f64 {
        self.fault.execution_factor
    }

    fn start(&mut self, task: usize, own: &mut TaskState) {
        let simulation = &mut *self.simulation;
        let model = &simulation.scene.robots[self.robot];
        let onboard = model.onboard.as_ref();
        let index = TaskIndex {
            computer: self.computer,
            task,
        };
        if onboard.and_then(|o| o.firmware) == Some(index) {
            let state = &mut simulation.state.robots[self.robot];
            let input = firmware::read_input(model, state, simulation.state.time_ns);
            own.firmware = input.map(Box::new);
        }
    }

    fn complete(&mut self, task: usize, own: &mut TaskState) {
        for input in own.inputs.iter_mut().take(own.taken) {
            match &mut input.data {
                InputData::Reading(sensor, stamped) => self.pass_reading(Delivered {
                    sensor: *sensor,
                    stamped: *stamped,
                }),
                InputData::Frame(frame) => {
                    let due_ns = self.simulation.state.time_ns;
                    let frame = frame.clone();
                    self.simulation.frames.push(Frame { due_ns, ..frame });
                    self.has_outputs = true;
                }
                InputData::Command(command) => self.pass_command(task, command),
                InputData::Message(delivery, payload) => {
                    self.pass_message(delivery, std::mem::take(payload));
                }
            }
        }
        self.run_firmware(own);
    }

    fn record(&mut self, task: usize, activity: TaskActivity, start_ns: u64, end_ns: u64) {
        let interval = TaskInterval {
            robot: self.robot,
            task: self.index(task),
            activity,
            start_ns,
            end_ns,
        };
        self.simulation.task_intervals.push(interval);
    }
}
