//! Built-in firmware of a robot: runs its control laws and handles its commands.

pub mod allocation;
pub mod autopilot;
pub mod constrained_allocation;
pub mod drive;
pub mod heading_depth_hold;
pub mod line_of_sight;
pub mod motion_control;
pub mod multirotor;
pub mod surge_yaw_rate;

use crate::control::command::{check_finite, find_robot, reject};
use crate::control::firmware::autopilot::Measured;
use crate::control::firmware::motion_control::estimate;
use crate::control::firmware::motion_control::estimate::Surroundings;
use crate::control::firmware::multirotor::Tick;
use merrow_math::Vec3;
use merrow_model::scene::robot::firmware::FirmwareLaw;
use merrow_model::scene::robot::motion_control::Feedback;
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::Command;
use merrow_model::state::commands::{CommandRejection, FirmwareOrder};
use merrow_model::state::firmware::{
    FirmwareLawState, FirmwareState, FlightMode, HeadingDepthState, MultirotorState,
};
use merrow_model::state::{RobotState, State};
use merrow_sensors::Delivered;

/// Runs the firmware if it is due at `now_ns` [ns], once per instant. `gravity` is in [m/s²],
/// `density` is that of the water around the thrusters [kg/m³].
pub fn advance(robot: &Robot, state: &mut RobotState, gravity: f64, density: f64, now_ns: u64) {
    let Some(firmware) = &robot.firmware else {
        return;
    };
    let due = |ticks: u64| crate::control::joints::encoder::due_ns(firmware.rate, ticks) <= now_ns;
    // the law reads and writes the rest of the state, so its memory is taken out meanwhile
    let Some(mut memory) = state.firmware.take_if(|memory| due(memory.ticks)) else {
        return;
    };
    memory.ticks += 1;
    let is_first = !std::mem::replace(&mut memory.started, true);
    let counts = memory
        .command_ns
        .is_some_and(|since| (now_ns - since) as f64 * 1e-9 <= firmware.timeout);
    let command = if counts {
        memory.command
    } else {
        [Vec3::zero(); 2]
    };
    let tick = LawTick {
        now_ns,
        dt: 1.0 / firmware.rate,
        gravity,
        density,
        command,
        has_command: counts,
        is_first,
    };
    run_law(robot, &firmware.law, state, &mut memory.memory, tick);
    state.firmware = Some(memory);
}

/// Inputs of a control law at one tick.
#[derive(Clone, Copy, Debug)]
struct LawTick {
    now_ns: u64,
    dt: f64,
    gravity: f64,
    density: f64,
    /// Valid velocity command; zero without one.
    command: [Vec3; 2],
    has_command: bool,
    is_first: bool,
}

/// Runs one tick of the control law `law` with the state `memory`.
fn run_law(
    robot: &Robot,
    law: &FirmwareLaw,
    state: &mut RobotState,
    memory: &mut FirmwareLawState,
    tick: LawTick,
) {
    let (dt, command) = (tick.dt, tick.command);
    match (law, memory) {
        (FirmwareLaw::Multirotor(settings), FirmwareLawState::Multirotor(flight)) => {
            let gravity = tick.gravity;
            let tick = Tick {
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
            if hold.on {
                heading_depth_hold::tick(robot, settings, state, hold, dt);
            }
        }
        (FirmwareLaw::Drive(settings), FirmwareLawState::Drive(memory)) => {
            let command = [command[0].x, command[1].z];
            drive::tick(robot, settings, state, memory, command, dt);
        }
        (FirmwareLaw::SurgeYawRate(settings), FirmwareLawState::SurgeYawRate(memory))
            if tick.has_command =>
        {
            let density = tick.density;
            let tick = surge_yaw_rate::Tick {
                command,
                density,
                dt,
            };
            surge_yaw_rate::tick(robot, settings, state, memory, tick);
        }
        (FirmwareLaw::SurgeYawRate(_), FirmwareLawState::SurgeYawRate(memory)) if memory.on => {
            surge_yaw_rate::release_thrusters(robot, state, memory);
        }
        (FirmwareLaw::MotionControl(settings), FirmwareLawState::MotionControl(control)) => {
            let (now_ns, density) = (tick.now_ns, tick.density);
            let tick = motion_control::Tick {
                now_ns,
                dt,
                density,
                command,
            };
            motion_control::tick(robot, settings, state, control, tick);
        }
        _ => {}
    }
}

/// Passes the readings `delivered` at `now_ns` [ns] to a motion controller that uses the sensors.
pub(crate) fn forward_readings(
    robot: &Robot,
    state: &mut RobotState,
    delivered: &[Delivered],
    surroundings: &Surroundings<'_>,
    now_ns: u64,
) {
    let settings = robot.firmware.as_ref().and_then(|f| f.motion_control());
    let Some(Feedback::Sensors(sensors)) = settings.map(|settings| &settings.feedback) else {
        return;
    };
    let memory = state.firmware.as_mut().map(|f| &mut f.memory);
    if let Some(FirmwareLawState::MotionControl(control)) = memory {
        for Delivered { sensor, stamped } in delivered {
            let estimate = &mut control.estimate;
            estimate::update(sensors, estimate, *sensor, stamped, surroundings, now_ns);
        }
    }
}

/// Sets a velocity command: `linear` [m/s] and `angular` [rad/s].
pub(crate) fn set_velocity(
    scene: &Scene,
    state: &mut State,
    robot: usize,
    linear: Vec3,
    angular: Vec3,
) -> Result<(), CommandRejection> {
    let now = state.time_ns;
    let (model, target) = find_robot(scene, state, robot)?;
    let firmware = model.firmware.as_ref().filter(|f| f.takes_velocity());
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
        motion_control::orders::start_velocity((model, settings), target, control, now)
            .map_err(|reason| reject(robot, reason))?;
    }
    (memory.command, memory.command_ns) = ([linear, angular], Some(now));
    target.firmware = Some(memory);
    Ok(())
}

/// Requests a mode, a goal or a path, moves the sticks, or sets a gain.
pub(crate) fn apply_motion_command(
    scene: &Scene,
    state: &mut State,
    command: &Command,
) -> Result<(), CommandRejection> {
    let (Command::ControlMode { robot, .. }
    | Command::PoseGoal { robot, .. }
    | Command::FollowPath { robot, .. }
    | Command::Joystick { robot, .. }
    | Command::Gain { robot, .. }) = command
    else {
        return Ok(());
    };
    let now_ns = state.time_ns;
    let (model, target) = find_robot(scene, state, *robot)?;
    let law = model.firmware.as_ref().map(|firmware| &firmware.law);
    let result = match law {
        Some(FirmwareLaw::MotionControl(settings)) => {
            motion_control::orders::apply(model, settings, target, command, now_ns)
        }
        Some(FirmwareLaw::HeadingDepthHold(settings)) => {
            heading_depth_hold::apply(model, settings, target, command)
        }
        _ => Err("the robot has no firmware that accepts this command".to_string()),
    };
    result.map_err(|reason| reject(*robot, reason))
}

/// Handles a take-off, landing or enable command.
pub(crate) fn handle_order(
    scene: &Scene,
    state: &mut State,
    robot: usize,
    order: FirmwareOrder,
) -> Result<(), CommandRejection> {
    let (model, target) = find_robot(scene, state, robot)?;
    let (Some(firmware), Some(mut memory)) = (&model.firmware, target.firmware.clone()) else {
        return Err(reject(robot, "the robot has no firmware".into()));
    };
    // velocity commands from before the order are discarded
    memory.command_ns = None;
    match (&firmware.law, &mut memory.memory, order) {
        (_, FirmwareLawState::Multirotor(flight), _) => {
            handle_flight_order(model, target, flight, robot, order)?
        }
        (_, FirmwareLawState::HeadingDepthHold(hold), FirmwareOrder::Enable(on))
            if on != hold.on =>
        {
            let here = Measured::from_motion(&target.motion);
            *hold = HeadingDepthState {
                on,
                heading: here.heading,
                depth: here.depth,
                path: None,
            };
            if !on {
                let all = target.fins.iter_mut().zip(&model.fins);
                all.for_each(|(memory, fin)| memory.set_command(fin, fin.neutral()));
            }
        }
        (
            FirmwareLaw::Drive(settings),
            FirmwareLawState::Drive(memory),
            FirmwareOrder::Enable(on),
        ) => {
            (memory.on, memory.set_point) = (on, [0.0; 2]);
            drive::set_wheel_speeds(model, settings, target, [0.0; 2]);
        }
        (_, FirmwareLawState::SurgeYawRate(memory), FirmwareOrder::Enable(false)) => {
            surge_yaw_rate::release_thrusters(model, target, memory)
        }
        (_, FirmwareLawState::MotionControl(control), FirmwareOrder::Enable(on)) => {
            control.armed = on;
            if !on {
                motion_control::orders::switch_off(model, target, control);
            }
        }
        (_, _, FirmwareOrder::Enable(_)) => {}
        _ => return Err(reject(robot, "the robot has no multirotor firmware".into())),
    }
    target.firmware = Some(memory);
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
pub fn take_thrusters(robot: usize, target: &mut RobotState) -> Result<(), CommandRejection> {
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

/// Uses a wrench from outside (force [N] and moment [N m] in B) as the request of the pilot, if the
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

/// Refuses a command to wheel joints while the firmware controls them.
pub(crate) fn check_wheels(
    robot: usize,
    model: &Robot,
    target: &RobotState,
    joints: &[usize],
) -> Result<(), CommandRejection> {
    let law = model.firmware.as_ref().map(|f| &f.law);
    let on = target
        .firmware
        .as_ref()
        .is_some_and(|memory| memory.controls_joints());
    let Some(FirmwareLaw::Drive(drive)) = law.filter(|_| on) else {
        return Ok(());
    };
    if !joints
        .iter()
        .any(|j| drive.wheels.iter().flatten().any(|wheel| wheel == j))
    {
        return Ok(());
    }
    Err(reject(
        robot,
        "the firmware drives the wheels: switch it off by `enable` first".into(),
    ))
}
