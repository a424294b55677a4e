//! Built-in firmware of a robot: runs its control laws and handles its commands.

pub mod allocation;
pub mod autopilot;
pub mod constrained_allocation;
pub mod demand;
pub mod drive;
pub mod estimate;
pub mod glider;
pub mod heading_depth_hold;
pub mod line_of_sight;
pub mod modes;
pub mod motion_control;
pub mod multirotor;
pub mod sailing;
pub mod surge_yaw_rate;
pub mod velocity_guidance;

use crate::control::command::{check, check_finite, find_robot, reject};
use crate::control::firmware::autopilot::Measured;
use crate::control::firmware::estimate::Known;
use crate::control::firmware::multirotor::FlightTick;
use merrow_environment::EnvironmentState;
use merrow_math::Vec3;
use merrow_model::scene::comms::bridge::PositionCorrection;
use merrow_model::scene::robot::firmware::{Firmware, FirmwareLaw};
use merrow_model::scene::robot::motion_control::Feedback;
use merrow_model::scene::{Origin, Robot, Scene};
use merrow_model::state::Command;
use merrow_model::state::commands::{CommandRejection, FirmwareOrder};
use merrow_model::state::firmware::{
    ControlMode, FirmwareInput, FirmwareLawState, FirmwareState, FlightMode, GuidanceTask,
    MultirotorState,
};
use merrow_model::state::{RobotState, State};
use merrow_sensors::Delivered;
use std::f64::consts::FRAC_PI_2;

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
    let due = |ticks: u64| crate::control::joints::encoder::due_ns(firmware.rate, ticks) <= now_ns;
    // the law reads and writes the rest of the state, so its memory is taken out meanwhile
    let Some(mut memory) = state.firmware.take_if(|memory| due(memory.ticks)) else {
        return;
    };
    memory.ticks += 1;
    let known = advance_estimate(firmware, state, &mut memory, now_ns);
    // the law receives the motion that the firmware has
    let measured = estimate::known_motion(&firmware.feedback, &memory.estimate);
    let truth = estimate::replace_motion(&mut state.motion, measured);
    run_tick(robot, state, &mut memory, known, environment, now_ns);
    estimate::replace_motion(&mut state.motion, truth);
    state.firmware = Some(memory);
}

/// Reads the motion that a task passes to the firmware, at the start of its job at `now_ns` [ns].
/// `None`: the robot has no firmware.
pub(crate) fn read_input(
    robot: &Robot,
    state: &mut RobotState,
    now_ns: u64,
) -> Option<FirmwareInput> {
    let firmware = robot.firmware.as_ref()?;
    let mut memory = state.firmware.take()?;
    memory.ticks += 1;
    let known = advance_estimate(firmware, state, &mut memory, now_ns);
    let measured = estimate::known_motion(&firmware.feedback, &memory.estimate);
    let truth = estimate::replace_motion(&mut state.motion, measured);
    let motion = state.motion.clone();
    estimate::replace_motion(&mut state.motion, truth);
    state.firmware = Some(memory);
    Some(FirmwareInput {
        motion,
        has_attitude: known.attitude,
        has_velocity: known.velocity,
        has_depth: known.depth,
    })
}

/// Runs the firmware with an input that was read before, at the end of a job at `now_ns` [ns].
pub(crate) fn run_with_input(
    robot: &Robot,
    state: &mut RobotState,
    input: FirmwareInput,
    environment: &EnvironmentState<'_>,
    now_ns: u64,
) {
    let Some(mut memory) = state.firmware.take() else {
        return;
    };
    let known = Known {
        attitude: input.has_attitude,
        velocity: input.has_velocity,
        depth: input.has_depth,
    };
    let truth = std::mem::replace(&mut state.motion, input.motion);
    run_tick(robot, state, &mut memory, known, environment, now_ns);
    state.motion = truth;
    state.firmware = Some(memory);
}

/// Advances the motion estimate of the firmware and returns which parts of the motion are known.
fn advance_estimate(
    firmware: &Firmware,
    state: &RobotState,
    memory: &mut FirmwareState,
    now_ns: u64,
) -> Known {
    let dt = 1.0 / firmware.rate;
    match firmware.feedback {
        Feedback::Truth => Known::ALL,
        Feedback::Sensors(_) => estimate::advance(&mut memory.estimate, &state.motion, dt, now_ns),
    }
}

/// Runs one tick of the firmware at `now_ns` [ns] with the motion in `state`.
fn run_tick(
    robot: &Robot,
    state: &mut RobotState,
    memory: &mut FirmwareState,
    known: Known,
    environment: &EnvironmentState<'_>,
    now_ns: u64,
) {
    let Some(firmware) = &robot.firmware else {
        return;
    };
    let is_first = !std::mem::replace(&mut memory.started, true);
    let counts = memory
        .command_ns
        .is_some_and(|since| (now_ns - since) as f64 * 1e-9 <= firmware.timeout);
    let dt = 1.0 / firmware.rate;
    let command = match &firmware.guidance {
        _ if counts => Some(memory.command),
        Some(guidance) => {
            velocity_guidance::velocity(guidance, &mut memory.task, &state.motion, dt)
        }
        None => None,
    };
    let tick = LawTick {
        now_ns,
        dt,
        environment,
        command: command.unwrap_or([Vec3::zero(); 2]),
        has_command: command.is_some(),
        is_first,
        known,
    };
    run_law(robot, &firmware.law, state, &mut memory.memory, tick);
}

/// Inputs of a control law at one tick.
#[derive(Clone, Copy)]
struct LawTick<'a> {
    now_ns: u64,
    dt: f64,
    environment: &'a EnvironmentState<'a>,
    /// Valid velocity command; zero without one.
    command: [Vec3; 2],
    has_command: bool,
    is_first: bool,
    known: Known,
}

/// Runs one tick of the control law `law` with the state `memory`.
fn run_law(
    robot: &Robot,
    law: &FirmwareLaw,
    state: &mut RobotState,
    memory: &mut FirmwareLawState,
    tick: LawTick<'_>,
) {
    let (dt, command, environment) = (tick.dt, tick.command, tick.environment);
    let density = environment.sea.density;
    match (law, memory) {
        (FirmwareLaw::Multirotor(settings), FirmwareLawState::Multirotor(flight)) => {
            let gravity = environment.gravity;
            let tick = FlightTick {
                dt,
                gravity,
                command,
            };
            multirotor::tick(robot, settings, state, flight, tick);
        }
        (FirmwareLaw::HeadingDepthHold(settings), FirmwareLawState::HeadingDepthHold(hold)) => {
            if tick.is_first {
                heading_depth_hold::begin(robot, settings, state, hold);
            }
            let command = Some(command).filter(|_| tick.has_command);
            heading_depth_hold::follow_velocity(
                robot,
                settings,
                state,
                hold,
                command,
                (dt, density),
            );
            if hold.on {
                heading_depth_hold::tick(robot, settings, state, hold, dt);
            }
        }
        (FirmwareLaw::Drive(settings), FirmwareLawState::Drive(memory)) => {
            let command = [command[0].x, command[1].z];
            drive::tick(robot, settings, state, memory, command, dt);
        }
        (FirmwareLaw::SurgeYawRate(settings), FirmwareLawState::SurgeYawRate(memory)) => {
            let tick = tick.has_command.then_some(surge_yaw_rate::VelocityTick {
                command,
                density,
                dt,
            });
            surge_yaw_rate::tick(robot, settings, state, memory, tick);
        }
        (FirmwareLaw::MotionControl(settings), FirmwareLawState::MotionControl(control)) => {
            let tick = motion_control::ControlTick {
                now_ns: tick.now_ns,
                known: tick.known,
                dt,
                density,
                command,
            };
            motion_control::tick(robot, settings, state, control, tick);
        }
        (FirmwareLaw::Sailing(settings), FirmwareLawState::Sailing(sailing)) if sailing.on => {
            sailing::tick(robot, settings, state, sailing, (environment, dt));
        }
        (FirmwareLaw::Glider(settings), FirmwareLawState::Glider(glider)) if glider.on => {
            glider::tick(robot, settings, state, glider, dt);
        }
        _ => {}
    }
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

/// Applies a command to the firmware of a robot; `motion` is the estimated or true motion that the
/// firmware uses.
pub(crate) fn apply(
    scene: &Scene,
    state: &mut State,
    command: &Command,
) -> Result<(), CommandRejection> {
    let (Command::Velocity { robot, .. }
    | Command::HeadingDepth { robot, .. }
    | Command::FirmwareOrder { robot, .. }
    | Command::ControlMode { robot, .. }
    | Command::PoseGoal { robot, .. }
    | Command::FollowPath { robot, .. }
    | Command::Joystick { robot, .. }
    | Command::Gain { robot, .. }) = command
    else {
        return Ok(());
    };
    let (model, target) = find_robot(scene, state, *robot)?;
    let firmware = model.firmware.as_ref().zip(target.firmware.as_ref());
    let measured =
        firmware.and_then(|(f, memory)| estimate::known_motion(&f.feedback, &memory.estimate));
    let truth = estimate::replace_motion(&mut target.motion, measured);
    let result = match command {
        Command::Velocity {
            robot,
            linear,
            angular,
        } => set_velocity(scene, state, *robot, *linear, *angular),
        Command::HeadingDepth {
            robot,
            heading,
            depth,
        } => set_heading_depth(scene, state, *robot, *heading, *depth),
        Command::FirmwareOrder { robot, order } => handle_order(scene, state, *robot, *order),
        _ => apply_motion_command(scene, state, *robot, command),
    };
    estimate::replace_motion(&mut state.robots[*robot].motion, truth);
    result
}

/// Sets a velocity command: `linear` [m/s] and `angular` [rad/s].
fn set_velocity(
    scene: &Scene,
    state: &mut State,
    robot: usize,
    linear: Vec3,
    angular: Vec3,
) -> Result<(), CommandRejection> {
    let now = state.time_ns;
    let (model, target) = find_robot(scene, state, robot)?;
    let firmware = model.firmware.as_ref().filter(|f| f.has_velocity_command());
    let Some((firmware, mut memory)) = firmware.zip(target.firmware.clone()) else {
        return Err(reject(
            robot,
            "the robot has no firmware that accepts velocity commands".into(),
        ));
    };
    check_finite(robot, "velocity", linear)?;
    check_finite(robot, "angular velocity", angular)?;
    if let (FirmwareLaw::MotionControl(settings), FirmwareLawState::MotionControl(control)) =
        (&firmware.law, &mut memory.memory)
    {
        let context = (model, &**settings, &firmware.feedback);
        motion_control::orders::start_velocity(context, target, control, now)
            .map_err(|reason| reject(robot, reason))?;
    }
    if let FirmwareLawState::HeadingDepthHold(hold) = &mut memory.memory {
        heading_depth_hold::start_velocity(target, hold);
    }
    (memory.command, memory.command_ns) = ([linear, angular], Some(now));
    memory.task = GuidanceTask::None;
    target.firmware = Some(memory);
    Ok(())
}

/// Requests a mode, a goal or a path, moves the sticks, or sets a gain.
fn apply_motion_command(
    scene: &Scene,
    state: &mut State,
    robot: usize,
    command: &Command,
) -> Result<(), CommandRejection> {
    let now_ns = state.time_ns;
    let (model, target) = find_robot(scene, state, robot)?;
    let possible = match command {
        Command::ControlMode { mode, .. } => modes::check_mode(model, *mode),
        Command::PoseGoal { .. } | Command::FollowPath { .. } => modes::check_task(model),
        _ => Ok(()),
    };
    possible.map_err(|reason| reject(robot, reason))?;
    let unsupported = || "the robot has no firmware that accepts this command".to_string();
    let Some(firmware) = &model.firmware else {
        return Err(reject(robot, unsupported()));
    };
    let result = match &firmware.law {
        FirmwareLaw::MotionControl(settings) => {
            let context = (model, &**settings, &firmware.feedback);
            motion_control::orders::apply(context, target, command, now_ns)
        }
        FirmwareLaw::HeadingDepthHold(settings) => {
            heading_depth_hold::apply(model, settings, target, command)
        }
        FirmwareLaw::Sailing(_) | FirmwareLaw::Glider(_) => {
            apply_to_vehicle(model, &firmware.law, target, command)
        }
        _ => match command {
            Command::ControlMode { mode, .. } if *mode == ControlMode::Off => {
                return handle_order(scene, state, robot, FirmwareOrder::Enable(false));
            }
            Command::ControlMode { mode, .. } if *mode == ControlMode::Velocity => {
                return handle_order(scene, state, robot, FirmwareOrder::Enable(true));
            }
            Command::Joystick { .. } | Command::Gain { .. } => Err(unsupported()),
            _ => start_task(target, command),
        },
    };
    result.map_err(|reason| reject(robot, reason))
}

/// Applies a mode, a goal or a path to a sailing boat or a glider.
fn apply_to_vehicle(
    model: &Robot,
    law: &FirmwareLaw,
    target: &mut RobotState,
    command: &Command,
) -> Result<(), String> {
    let Some(mut memory) = target.firmware.take() else {
        return Ok(());
    };
    let result = match (law, &mut memory.memory) {
        (FirmwareLaw::Sailing(settings), FirmwareLawState::Sailing(sailing)) => {
            sailing::apply(model, settings, target, sailing, command)
        }
        (FirmwareLaw::Glider(settings), FirmwareLawState::Glider(glider)) => {
            glider::apply(model, settings, target, glider, command)
        }
        _ => Ok(()),
    };
    target.firmware = Some(memory);
    result
}

/// Starts a goal or a path of a vehicle that the guidance moves by velocity commands.
fn start_task(target: &mut RobotState, command: &Command) -> Result<(), String> {
    let task = velocity_guidance::requested_task(&target.motion, command)?;
    let Some(memory) = &mut target.firmware else {
        return Ok(());
    };
    match &mut memory.memory {
        FirmwareLawState::Drive(drive) if !drive.on => {
            return Err("the firmware is disabled; enable it first".to_string());
        }
        FirmwareLawState::Multirotor(flight) => {
            multirotor::start_flight(flight, FlightMode::Flying);
        }
        _ => {}
    }
    (memory.task, memory.command_ns) = (task, None);
    Ok(())
}

/// Sets the heading [rad, clockwise from north], the depth [m] or both.
fn set_heading_depth(
    scene: &Scene,
    state: &mut State,
    robot: usize,
    heading: Option<f64>,
    depth: Option<f64>,
) -> Result<(), CommandRejection> {
    for (name, value) in [("heading", heading), ("depth", depth)] {
        check(robot, name, value.unwrap_or(0.0))?;
    }
    let (model, target) = find_robot(scene, state, robot)?;
    let Some((firmware, mut memory)) = model.firmware.as_ref().zip(target.firmware.clone()) else {
        return Err(reject(robot, "the robot has no firmware".into()));
    };
    let result = match (&firmware.law, &mut memory.memory) {
        (_, FirmwareLawState::HeadingDepthHold(hold)) => {
            let here = Measured::from_motion(&target.motion);
            heading_depth_hold::set_heading_depth(hold, &here, heading, depth);
            Ok(())
        }
        (FirmwareLaw::Sailing(_), FirmwareLawState::Sailing(sailing)) => match (heading, depth) {
            (_, Some(_)) => Err("depth: a sailing boat has no depth".to_string()),
            (Some(heading), None) => sailing::start_course(sailing, target, FRAC_PI_2 - heading),
            (None, None) => Ok(()),
        },
        (FirmwareLaw::Glider(settings), FirmwareLawState::Glider(glider)) => {
            glider::set_heading_depth(settings, glider, heading, depth)
        }
        _ => Err("the robot has no firmware that holds heading or depth".to_string()),
    };
    target.firmware = Some(memory);
    result.map_err(|reason| reject(robot, reason))
}

/// Handles a take-off, landing or enable command.
fn handle_order(
    scene: &Scene,
    state: &mut State,
    robot: usize,
    order: FirmwareOrder,
) -> Result<(), CommandRejection> {
    let (model, target) = find_robot(scene, state, robot)?;
    let (Some(firmware), Some(mut memory)) = (&model.firmware, target.firmware.clone()) else {
        return Err(reject(robot, "the robot has no firmware".into()));
    };
    // velocity commands and goals from before the order are discarded
    (memory.command_ns, memory.task) = (None, GuidanceTask::None);
    match (&mut memory.memory, order) {
        (FirmwareLawState::Multirotor(flight), _) => {
            handle_flight_order(model, target, flight, robot, order)?
        }
        (law_state, FirmwareOrder::Enable(on)) => {
            enable(model, &firmware.law, target, law_state, on)
                .map_err(|reason| reject(robot, reason))?;
        }
        _ => return Err(reject(robot, "the robot has no multirotor firmware".into())),
    }
    target.firmware = Some(memory);
    Ok(())
}

/// Enables or disables the firmware of a vehicle that does not fly.
fn enable(
    model: &Robot,
    law: &FirmwareLaw,
    target: &mut RobotState,
    memory: &mut FirmwareLawState,
    on: bool,
) -> Result<(), String> {
    let mode_command = |mode| Command::ControlMode { robot: 0, mode };
    match (law, memory) {
        (FirmwareLaw::HeadingDepthHold(settings), FirmwareLawState::HeadingDepthHold(hold))
            if on != hold.on =>
        {
            let mode = if on {
                ControlMode::DepthHold
            } else {
                ControlMode::Off
            };
            heading_depth_hold::set_mode(model, settings, target, hold, mode)?;
        }
        (FirmwareLaw::Drive(settings), FirmwareLawState::Drive(memory)) => {
            (memory.on, memory.set_point) = (on, [0.0; 2]);
            drive::set_wheel_speeds(model, settings, target, [0.0; 2]);
        }
        (_, FirmwareLawState::SurgeYawRate(memory)) if !on => {
            surge_yaw_rate::release_thrusters(model, target, memory)
        }
        (_, FirmwareLawState::MotionControl(control)) => {
            control.armed = on;
            if !on {
                motion_control::orders::switch_off(model, target, control);
            }
        }
        (FirmwareLaw::Sailing(settings), FirmwareLawState::Sailing(sailing))
            if on != sailing.on =>
        {
            let mode = if on {
                ControlMode::HeadingHold
            } else {
                ControlMode::Off
            };
            sailing::apply(model, settings, target, sailing, &mode_command(mode))?;
        }
        (FirmwareLaw::Glider(settings), FirmwareLawState::Glider(glider)) if on != glider.on => {
            let mode = if on {
                ControlMode::Dive
            } else {
                ControlMode::Off
            };
            glider::apply(model, settings, target, glider, &mode_command(mode))?;
        }
        _ => {}
    }
    Ok(())
}

/// Handles a take-off, landing or enable command of a multirotor.
fn handle_flight_order(
    model: &Robot,
    target: &mut RobotState,
    flight: &mut MultirotorState,
    robot: usize,
    order: FirmwareOrder,
) -> Result<(), CommandRejection> {
    let off = flight.mode == FlightMode::Off;
    match order {
        FirmwareOrder::TakeOff if !off => {
            return Err(reject(
                robot,
                "take-off: the robot is already flying".into(),
            ));
        }
        FirmwareOrder::TakeOff => multirotor::start_flight(flight, FlightMode::TakingOff),
        FirmwareOrder::Enable(true) if off => multirotor::start_flight(flight, FlightMode::Flying),
        FirmwareOrder::Enable(true) => {}
        FirmwareOrder::Land if off => {
            return Err(reject(robot, "landing: the rotors are off".into()));
        }
        FirmwareOrder::Land => flight.mode = FlightMode::Landing,
        FirmwareOrder::Enable(false) => multirotor::switch_off(model, target, flight),
    }
    Ok(())
}

/// Refuses a command to the thrusters while the firmware controls them. A motion controller
/// releases them instead.
pub(crate) fn allow_direct_commands(
    robot: usize,
    target: &mut RobotState,
) -> Result<(), CommandRejection> {
    match &mut target.firmware {
        Some(FirmwareState {
            memory: FirmwareLawState::MotionControl(control),
            ..
        }) => {
            motion_control::orders::release(control);
            Ok(())
        }
        Some(memory) if memory.controls_thrusters() => {
            let reason =
                "the firmware drives the thrusters: land, or switch it off by `enable`, first";
            Err(reject(robot, reason.into()))
        }
        _ => Ok(()),
    }
}

/// Uses an external wrench (force [N] and moment [N m] in B) as the request of the pilot, if the
/// robot has a motion controller in a mode with a pilot. Returns true if it does.
pub(crate) fn set_pilot_wrench(
    target: &mut RobotState,
    force: Vec3,
    moment: Vec3,
    now_ns: u64,
) -> bool {
    match target.firmware.as_mut().map(|f| &mut f.memory) {
        Some(FirmwareLawState::MotionControl(control)) => {
            motion_control::orders::set_pilot(control, force, moment, now_ns)
        }
        _ => false,
    }
}

/// Refuses a command to the fins while the firmware controls them.
pub(crate) fn check_fins(robot: usize, target: &RobotState) -> Result<(), CommandRejection> {
    match &target.firmware {
        Some(memory) if memory.controls_fins() => Err(reject(
            robot,
            "the firmware drives the fins: switch it off by `enable` first".into(),
        )),
        _ => Ok(()),
    }
}

/// Refuses a command to a buoyancy engine while the firmware controls it.
pub(crate) fn check_buoyancy_engines(
    robot: usize,
    target: &RobotState,
) -> Result<(), CommandRejection> {
    match &target.firmware {
        Some(memory) if memory.controls_buoyancy_engines() => Err(reject(
            robot,
            "the firmware drives the buoyancy engine: switch it off by `enable` first".into(),
        )),
        _ => Ok(()),
    }
}

/// Refuses a command to joints while the firmware controls them.
pub(crate) fn check_driven_joints(
    robot: usize,
    model: &Robot,
    target: &RobotState,
    joints: &[usize],
) -> Result<(), CommandRejection> {
    let law = model.firmware.as_ref().map(|f| &f.law);
    let memory = target.firmware.as_ref().map(|f| &f.memory);
    let is_driven = |joint: &usize| match (law, memory) {
        (Some(FirmwareLaw::Drive(drive)), Some(FirmwareLawState::Drive(memory))) => {
            memory.on && drive.wheels.iter().flatten().any(|wheel| wheel == joint)
        }
        (Some(FirmwareLaw::Glider(glider)), Some(FirmwareLawState::Glider(memory))) => {
            let slide = glider.slide.map(|(slide, _)| slide);
            let roll = glider.steering.map(|steering| steering.joint);
            memory.on && [slide, roll].contains(&Some(*joint))
        }
        _ => false,
    };
    let Some(joint) = joints.iter().find(|joint| is_driven(joint)) else {
        return Ok(());
    };
    let name = &model.links[joint + 1].joint.name;
    Err(reject(
        robot,
        format!("the firmware drives the joint {name}: switch it off by `enable` first"),
    ))
}
