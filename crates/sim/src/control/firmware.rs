//! Built-in firmware of a robot: runs its control laws and handles its commands.

use crate::control::command::{Target, check, check_finite};
use merrow_control::devices::Devices;
use merrow_control::estimate::{self, KnownMotion};
use merrow_control::law::{ControlLaw, Effect, Tick};
use merrow_control::laws::with_law;
use merrow_control::{modes, velocity_guidance};
use merrow_environment::EnvironmentState;
use merrow_math::Vec3;
use merrow_model::ensure;
use merrow_model::scene::comms::bridge::PositionCorrection;
use merrow_model::scene::robot::feedback::Feedback;
use merrow_model::scene::robot::firmware::Firmware;
use merrow_model::scene::{Origin, Robot};
use merrow_model::state::commands::Accepted;
use merrow_model::state::firmware::{Activity, FirmwareInput, FirmwareState, GuidanceTask, Known};
use merrow_model::state::{FirmwareCommand, Motion, RobotState};
use merrow_sensors::Delivered;

/// Runs the firmware if it is due at `now_ns` [ns], once per instant, in `environment`. A task of a
/// computer runs its firmware itself.
pub fn advance(
    robot: &Robot,
    state: &mut RobotState,
    environment: &EnvironmentState<'_>,
    now_ns: u64,
) {
    let Some(firmware) = &robot.firmware else {
        return;
    };
    if robot.onboard.as_ref().is_some_and(|o| o.firmware.is_some()) {
        return;
    }
    let due =
        |ticks: u64| crate::control::joints::encoder::due_ns(firmware.rate_hz, ticks) <= now_ns;
    // the law commands the rest of the state, so its memory is taken out meanwhile
    let Some(mut memory) = state.firmware.take_if(|memory| due(memory.ticks)) else {
        return;
    };
    let motion = read_motion(firmware, &state.motion, &mut memory, now_ns);
    run_tick(robot, state, memory, motion, environment, now_ns);
}

/// Runs one tick of a law that is not the firmware of the robot, `dt` [s] after its last one, with
/// the true motion.
pub(crate) fn run_law(
    robot: &Robot,
    state: &mut RobotState,
    law: &mut dyn ControlLaw,
    environment: &EnvironmentState<'_>,
    now_ns: u64,
    dt: f64,
) {
    let tick = Tick {
        now_ns,
        dt,
        environment,
        motion: KnownMotion::from(&state.motion),
        known: Known::ALL,
        command: [Vec3::zero(); 2],
        has_command: false,
        is_first: now_ns == 0,
    };
    law.tick(&tick, &mut Devices::new(robot, state));
}

/// Reads the motion that a task passes to the firmware, at the start of its job at `now_ns` [ns].
/// `None`: the robot has no firmware.
pub(crate) fn read_input(
    robot: &Robot,
    state: &mut RobotState,
    now_ns: u64,
) -> Option<FirmwareInput> {
    let (firmware, memory) = robot.firmware.as_ref().zip(state.firmware.as_mut())?;
    let (motion, known) = read_motion(firmware, &state.motion, memory, now_ns);
    Some(FirmwareInput {
        motion: Motion {
            q_WB: motion.q_WB,
            p_WB: motion.p_WB,
            V_WB_B: motion.V_WB_B,
            ..state.motion.clone()
        },
        known,
    })
}

/// Runs the firmware with an input that was read before, at the end of a job at `now_ns` [ns].
pub(crate) fn run_with_input(
    robot: &Robot,
    state: &mut RobotState,
    input: &FirmwareInput,
    environment: &EnvironmentState<'_>,
    now_ns: u64,
) {
    let Some(memory) = state.firmware.take() else {
        return;
    };
    let motion = (KnownMotion::from(&input.motion), input.known);
    run_tick(robot, state, memory, motion, environment, now_ns);
}

/// Counts a tick, advances the motion estimate of the firmware, and returns the motion that the
/// firmware has and which parts of it are known.
fn read_motion(
    firmware: &Firmware,
    truth: &Motion,
    memory: &mut FirmwareState,
    now_ns: u64,
) -> (KnownMotion, Known) {
    memory.ticks += 1;
    let dt = 1.0 / firmware.rate_hz;
    let known = match firmware.feedback {
        Feedback::Truth => Known::ALL,
        Feedback::Sensors(_) => estimate::advance(&mut memory.estimate, truth, dt, now_ns),
    };
    let motion = KnownMotion::new(&firmware.feedback, &memory.estimate, truth);
    (motion, known)
}

/// Runs one tick of the firmware at `now_ns` [ns] with the motion that it has, and stores its
/// memory.
fn run_tick(
    robot: &Robot,
    state: &mut RobotState,
    mut memory: FirmwareState,
    (motion, known): (KnownMotion, Known),
    environment: &EnvironmentState<'_>,
    now_ns: u64,
) {
    let Some(firmware) = &robot.firmware else {
        return;
    };
    let is_first = !std::mem::replace(&mut memory.started, true);
    let counts = memory
        .command_ns
        .is_some_and(|since| (now_ns - since) as f64 * 1e-9 <= firmware.command_timeout_s);
    let dt = 1.0 / firmware.rate_hz;
    let command = match &firmware.guidance {
        _ if counts => Some(memory.command),
        Some(guidance) => {
            let is_holonomic = firmware.abilities().moves_sideways;
            velocity_guidance::velocity(guidance, is_holonomic, &mut memory.task, &motion, dt)
        }
        None => None,
    };
    let tick = Tick {
        now_ns,
        dt,
        environment,
        motion,
        known,
        command: command.unwrap_or([Vec3::zero(); 2]),
        has_command: command.is_some(),
        is_first,
    };
    let devices = &mut Devices::new(robot, state);
    with_law(&firmware.law, &mut memory.memory, |law| {
        law.tick(&tick, devices);
    });
    state.firmware = Some(memory);
}

/// Passes the readings `delivered` at `now_ns` [ns] to a firmware that uses the sensors.
pub(crate) fn forward_readings(
    robot: &Robot,
    state: &mut RobotState,
    delivered: &[Delivered],
    origin: &Origin,
    now_ns: u64,
) {
    let Some(Feedback::Sensors(sensors)) = robot.firmware.as_ref().map(|f| &f.feedback) else {
        return;
    };
    if let Some(memory) = &mut state.firmware {
        for Delivered { sensor, stamped } in delivered {
            let estimate = &mut memory.estimate;
            estimate::update(sensors, estimate, *sensor, stamped, origin, now_ns);
        }
    }
}

/// Corrects the position that the firmware of a robot estimates by a fix: position in W [m] and
/// time of its measurement [ns].
///
/// # Errors
/// The reason why the fix cannot be used.
pub(crate) fn correct_position(
    robot: &Robot,
    state: &mut RobotState,
    correction: &PositionCorrection,
    fix: (Vec3, u64),
    now_ns: u64,
) -> Result<(), String> {
    let firmware = robot.firmware.as_ref().zip(state.firmware.as_mut());
    match firmware.map(|(firmware, memory)| (&firmware.feedback, &mut memory.estimate)) {
        Some((Feedback::Sensors(sensors), estimate)) => {
            estimate::correct_by_fix(sensors, estimate, correction, fix, now_ns)
        }
        Some((Feedback::Truth, _)) | None => Ok(()),
    }
}

impl Target<'_> {
    /// Applies a command to the firmware. A rejected command leaves the firmware unchanged.
    pub(crate) fn command_firmware(&mut self, command: &FirmwareCommand) -> Accepted {
        let (model, now_ns) = (self.model, self.now_ns);
        check_possible(model, command)?;
        check_values(command)?;
        let memory = self.state.firmware.clone();
        let Some((firmware, mut memory)) = model.firmware.as_ref().zip(memory) else {
            return Ok(());
        };
        let motion = &KnownMotion::new(&firmware.feedback, &memory.estimate, &self.state.motion);
        let devices = &mut Devices::new(model, self.state);
        let effect = with_law(&firmware.law, &mut memory.memory, |law| {
            apply_to_law(law, command, motion, now_ns, devices)
        });
        match effect? {
            Effect::None => {}
            Effect::EndVelocity => memory.command_ns = None,
            Effect::Velocity(velocity) => {
                (memory.command, memory.command_ns) = (velocity, Some(now_ns));
                memory.task = GuidanceTask::None;
            }
            Effect::Task(task) => (memory.task, memory.command_ns) = (task, None),
        }
        self.state.firmware = Some(memory);
        Ok(())
    }

    /// Calls `f` with the law of the firmware; `None`: the robot has no firmware.
    fn with_law<R>(&mut self, f: impl FnOnce(&mut dyn ControlLaw) -> R) -> Option<R> {
        let firmware = self.model.firmware.as_ref();
        let (firmware, memory) = firmware.zip(self.state.firmware.as_mut())?;
        Some(with_law(&firmware.law, &mut memory.memory, f))
    }

    /// Returns true if the robot has a firmware that controls the devices that `controls` reads.
    fn is_driven(&self, controls: fn(Activity<'_>) -> bool) -> bool {
        let firmware = self.state.firmware.as_ref();
        firmware.is_some_and(|firmware| controls(firmware.activity()))
    }

    /// Refuses a command to the thrusters while the firmware controls them, unless it releases them.
    pub(crate) fn allow_direct_commands(&mut self) -> Accepted {
        let controls = self.is_driven(|activity| activity.thrusters);
        let is_released = self.with_law(|law| law.release_thrusters()) == Some(true);
        ensure!(
            !controls || is_released,
            "the firmware drives the thrusters: land, or switch it off by `enable`, first"
        );
        Ok(())
    }

    /// Uses an external wrench (force [N] and moment [N m] in B) as the request of the pilot, if
    /// the firmware has a mode with a pilot. Returns true if it does.
    pub(crate) fn set_pilot_wrench(&mut self, force: Vec3, moment: Vec3) -> bool {
        let now_ns = self.now_ns;
        self.with_law(|law| law.set_pilot_wrench(force, moment, now_ns)) == Some(true)
    }

    /// Refuses a command to the fins while the firmware controls them.
    pub(crate) fn check_fins(&self) -> Accepted {
        check_released(self.is_driven(|activity| activity.fins), "fins")
    }

    /// Refuses a command to a buoyancy engine while the firmware controls it.
    pub(crate) fn check_buoyancy_engines(&self) -> Accepted {
        let is_driven = self.is_driven(|activity| activity.buoyancy_engines);
        check_released(is_driven, "buoyancy engine")
    }

    /// Refuses a command to joints while the firmware controls them.
    pub(crate) fn check_driven_joints(&mut self, joints: &[usize]) -> Accepted {
        let driven = self.with_law(|law| joints.iter().find(|joint| law.drives_joint(**joint)));
        let Some(joint) = driven.flatten() else {
            return Ok(());
        };
        let name = &self.model.links[joint + 1].joint.name;
        check_released(true, &format!("joint {name}"))
    }
}

fn check_released(is_driven: bool, devices: &str) -> Accepted {
    ensure!(
        !is_driven,
        "the firmware drives the {devices}: switch it off by `enable` first"
    );
    Ok(())
}

/// Checks that the robot has a firmware with the mode or task of `command`.
fn check_possible(model: &Robot, command: &FirmwareCommand) -> Accepted {
    let lacks = |what: &str| Err(format!("the robot has no firmware{what}"));
    match (command, &model.firmware) {
        (FirmwareCommand::ControlMode { mode, .. }, _) => modes::check_mode(model, *mode),
        (FirmwareCommand::PoseGoal { .. } | FirmwareCommand::FollowPath { .. }, _) => {
            modes::check_task(model)
        }
        (FirmwareCommand::Velocity { .. }, firmware) => match firmware {
            Some(firmware) if firmware.abilities().velocity => Ok(()),
            _ => lacks(" that accepts velocity commands"),
        },
        (FirmwareCommand::Joystick { .. } | FirmwareCommand::Gain { .. }, None) => {
            lacks(" that accepts this command")
        }
        (_, None) => lacks(""),
        (_, Some(_)) => Ok(()),
    }
}

/// Checks that the numbers of velocities, headings and depths are finite; the laws check the
/// others.
fn check_values(command: &FirmwareCommand) -> Accepted {
    match command {
        FirmwareCommand::Velocity { linear, angular } => {
            check_finite("velocity", *linear)?;
            check_finite("angular velocity", *angular)
        }
        FirmwareCommand::HeadingDepth { heading, depth } => {
            check("heading", heading.unwrap_or(0.0))?;
            check("depth", depth.unwrap_or(0.0))
        }
        FirmwareCommand::ControlMode { .. }
        | FirmwareCommand::PoseGoal { .. }
        | FirmwareCommand::FollowPath { .. }
        | FirmwareCommand::Joystick { .. }
        | FirmwareCommand::Gain { .. }
        | FirmwareCommand::FirmwareOrder { .. } => Ok(()),
    }
}

/// Passes a command to the law, which has the motion `motion`.
fn apply_to_law(
    law: &mut dyn ControlLaw,
    command: &FirmwareCommand,
    motion: &KnownMotion,
    now_ns: u64,
    devices: &mut Devices<'_>,
) -> Result<Effect, String> {
    match command {
        FirmwareCommand::Velocity {
            linear, angular, ..
        } => {
            law.start_velocity(motion, now_ns, devices)?;
            Ok(Effect::Velocity([*linear, *angular]))
        }
        FirmwareCommand::HeadingDepth { heading, depth, .. } => {
            law.set_heading_depth(*heading, *depth, motion)?;
            Ok(Effect::None)
        }
        // velocity commands and goals from before the order are discarded
        FirmwareCommand::FirmwareOrder { order, .. } => {
            law.order(*order, motion, devices)?;
            Ok(Effect::Task(GuidanceTask::None))
        }
        other => law.apply(other, motion, now_ns, devices),
    }
}
