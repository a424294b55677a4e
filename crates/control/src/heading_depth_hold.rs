//! Heading and depth hold with rudder and planes: set-points, paths and the control loop.
//!
//! The law is in `autopilot`, the guidance along a path in `line_of_sight`.

use crate::autopilot::Measured;
use crate::{autopilot, line_of_sight, modes};
use merrow_math::Vec3;
use merrow_math::real::wrap_angle;
use merrow_model::scene::Robot;
use merrow_model::scene::robot::firmware::HeadingDepthHold as Settings;
use merrow_model::state::firmware::motion_control::PathProgress;
use merrow_model::state::firmware::{ControlMode, FirmwareLawState, HeadingDepthState};
use merrow_model::state::{Command, RobotState};
use std::f64::consts::FRAC_PI_2;

/// Maximum lead of the heading set-point that velocity commands move [rad].
const MAX_HEADING_LEAD: f64 = 0.5;
/// Maximum lead of the depth set-point that velocity commands move [m].
const MAX_DEPTH_LEAD: f64 = 2.0;

/// Initialises a hold that is active from the start, at its first tick.
pub fn begin(
    robot: &Robot,
    settings: &Settings,
    state: &mut RobotState,
    hold: &mut HeadingDepthState,
) {
    let Some((thruster, command)) = settings.start else {
        return;
    };
    state.actuators[thruster].set_command(&robot.thrusters[thruster], command);
    if !hold.on {
        let here = Measured::from_motion(&state.motion);
        *hold = HeadingDepthState::hold(true, here.heading, here.depth);
    }
}

/// Starts to follow velocity commands from the current heading and depth.
pub fn start_velocity(state: &RobotState, hold: &mut HeadingDepthState) {
    if hold.speed_integral.is_none() {
        let here = Measured::from_motion(&state.motion);
        let (heading, depth) = if hold.on && hold.path.is_none() {
            (hold.heading, hold.depth)
        } else {
            (here.heading, here.depth)
        };
        *hold = HeadingDepthState::hold(true, heading, depth);
        hold.speed_integral = Some(0.0);
    }
}

/// Stops the propeller that velocity commands started.
pub fn end_velocity(
    robot: &Robot,
    settings: &Settings,
    state: &mut RobotState,
    hold: &mut HeadingDepthState,
) {
    if let (Some(speed), Some(_)) = (&settings.speed_control, hold.speed_integral.take()) {
        let thruster = &robot.thrusters[speed.thruster];
        state.actuators[speed.thruster].set_command(thruster, thruster.neutral);
    }
}

/// Moves the set-points of heading and depth by the velocity `command` and controls the speed with
/// the propeller; `tick` is the time since the last tick [s] and the density [kg/m³].
///
/// The thrust is `k (u_c - u) + i ∫(u_c - u) dt` with the speed `u`. The set-points lead the
/// vehicle by at most [`MAX_HEADING_LEAD`] and [`MAX_DEPTH_LEAD`]. When the command expires the
/// propeller stops, and the vehicle holds heading and depth while it moves.
pub fn follow_velocity(
    robot: &Robot,
    settings: &Settings,
    state: &mut RobotState,
    hold: &mut HeadingDepthState,
    command: Option<[Vec3; 2]>,
    (dt, density): (f64, f64),
) {
    let Some(speed) = &settings.speed_control else {
        return;
    };
    let (Some([linear, angular]), Some(integral)) = (command, hold.speed_integral) else {
        end_velocity(robot, settings, state, hold);
        return;
    };
    let [max_speed, max_climb, max_yaw_rate] = speed.max_velocity;
    let here = Measured::from_motion(&state.motion);
    let turn = angular.z.clamp(-max_yaw_rate, max_yaw_rate) * dt;
    let lead = wrap_angle(hold.heading - turn - here.heading);
    hold.heading = here.heading + lead.clamp(-MAX_HEADING_LEAD, MAX_HEADING_LEAD);
    let sink = -linear.z.clamp(-max_climb, max_climb) * dt;
    let lead = hold.depth + sink - here.depth;
    hold.depth = here.depth + lead.clamp(-MAX_DEPTH_LEAD, MAX_DEPTH_LEAD);
    let error = linear.x.clamp(-max_speed, max_speed) - state.motion.V_WB_B.v.x;
    let thruster = &robot.thrusters[speed.thruster];
    let thrust = speed.gain * error + speed.integral * integral;
    let [low, high] = thruster.thrust_limits(density);
    if (low..=high).contains(&thrust) {
        hold.speed_integral = Some(integral + error * dt);
    }
    let value = thruster.command_from_thrust(thrust, density);
    state.actuators[speed.thruster].set_command(thruster, value);
}

/// Runs one tick of `dt` [s]: sets heading and depth along the path, and commands the fins.
pub fn tick(
    robot: &Robot,
    settings: &Settings,
    state: &mut RobotState,
    hold: &mut HeadingDepthState,
    dt: f64,
) {
    if let Some(path) = &mut hold.path {
        let R = state.motion.q_WB.matrix();
        let (p, v) = (state.motion.p_WB, R.mul_vec(state.motion.V_WB_B.v));
        let [course, height] = path_set_points(settings, path, (p, v), dt);
        let heading = line_of_sight::heading_for_course(course, R.to_rpy()[2], v);
        (hold.heading, hold.depth) = (FRAC_PI_2 - heading, -height);
    }
    let set_points = autopilot::HeadingDepth {
        heading: hold.heading,
        depth: hold.depth,
    };
    let measured = Measured::from_motion(&state.motion);
    let angles = autopilot::fin_angles(&settings.gains, &set_points, &measured);
    let mut command = |fin: usize, angle: f64| state.fins[fin].set_command(&robot.fins[fin], angle);
    command(settings.rudder, angles.rudder);
    command(settings.stern_planes, angles.stern_planes);
    if let Some(bow) = settings.bow_planes {
        command(bow, angles.bow_planes);
    }
}

/// Returns the course from east [rad] and height [m] along the path, or around its end, at the
/// position `p` [m] with the velocity `v` [m/s], in W.
fn path_set_points(
    settings: &Settings,
    path: &mut PathProgress,
    (p, v): (Vec3, Vec3),
    dt: f64,
) -> [f64; 2] {
    let guidance = &settings.guidance;
    if let Some(leg) = line_of_sight::advance(guidance, path, p, dt) {
        return [leg.course, leg.height];
    }
    let center = path.waypoints.last().copied().unwrap_or(p);
    let circle = line_of_sight::Circle {
        center,
        radius: settings.loiter_radius,
        lead_time: settings.turn_lead_time,
    };
    [circle.course(p, v.norm()), center.z]
}

/// Sets the heading [rad, clockwise from north], the depth [m] or both, and activates the hold.
/// A quantity without a set-point is held at its value in `here` if the hold was not active.
pub fn set_heading_depth(
    hold: &mut HeadingDepthState,
    here: &Measured,
    heading: Option<f64>,
    depth: Option<f64>,
) {
    let held = if hold.on {
        (hold.heading, hold.depth)
    } else {
        (here.heading, here.depth)
    };
    *hold = HeadingDepthState {
        speed_integral: hold.speed_integral,
        ..HeadingDepthState::hold(true, heading.unwrap_or(held.0), depth.unwrap_or(held.1))
    };
}

/// Follows a path, circles a goal, or switches the hold on or off.
pub fn apply(
    model: &Robot,
    settings: &Settings,
    target: &mut RobotState,
    command: &Command,
) -> Result<(), String> {
    let Some(mut firmware) = target.firmware.take() else {
        return Ok(());
    };
    let mut result = Ok(());
    if let FirmwareLawState::HeadingDepthHold(hold) = &mut firmware.memory {
        result = apply_to_hold(model, settings, target, hold, command);
    }
    if result.is_ok() {
        firmware.command_ns = None;
    }
    target.firmware = Some(firmware);
    result
}

fn apply_to_hold(
    model: &Robot,
    settings: &Settings,
    target: &mut RobotState,
    hold: &mut HeadingDepthState,
    command: &Command,
) -> Result<(), String> {
    let p = target.motion.p_WB;
    match command {
        Command::PoseGoal { p_WB, .. } => {
            let path = PathProgress::new(p, &[*p_WB])?;
            end_velocity(model, settings, target, hold);
            (hold.on, hold.path) = (true, Some(path));
        }
        Command::FollowPath { waypoints, .. } => {
            let path = PathProgress::new(p, waypoints)?;
            end_velocity(model, settings, target, hold);
            (hold.on, hold.path) = (true, Some(path));
        }
        Command::ControlMode { mode, .. } => set_mode(model, settings, target, hold, *mode)?,
        _ => return Err("the robot has no motion controller".to_string()),
    }
    if hold.path.is_some()
        && let Some((thruster, command)) = settings.cruise
        && target.actuators[thruster].command == model.thrusters[thruster].neutral
    {
        target.actuators[thruster].set_command(&model.thrusters[thruster], command);
    }
    Ok(())
}

/// Holds the current heading and depth, or ends the hold.
pub fn set_mode(
    model: &Robot,
    settings: &Settings,
    target: &mut RobotState,
    hold: &mut HeadingDepthState,
    mode: ControlMode,
) -> Result<(), String> {
    modes::check_mode(model, mode)?;
    end_velocity(model, settings, target, hold);
    let here = Measured::from_motion(&target.motion);
    let on = mode != ControlMode::Off;
    *hold = HeadingDepthState::hold(on, here.heading, here.depth);
    if !on {
        for (memory, fin) in target.fins.iter_mut().zip(model.fins.iter()) {
            memory.set_command(fin, fin.neutral());
        }
    }
    Ok(())
}
