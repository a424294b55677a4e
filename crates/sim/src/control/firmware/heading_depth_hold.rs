//! Heading and depth hold with rudder and planes: set-points, paths and the control loop.
//!
//! The law is in `autopilot`, the guidance along a path in `line_of_sight`.

use crate::control::command::{check, find_robot, reject};
use crate::control::firmware::autopilot::Measured;
use crate::control::firmware::{autopilot, line_of_sight};
use merrow_math::Vec3;
use merrow_model::scene::robot::firmware::HeadingDepthHold as Settings;
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::commands::CommandRejection;
use merrow_model::state::firmware::motion_control::PathProgress;
use merrow_model::state::firmware::{ControlMode, FirmwareLawState, HeadingDepthState};
use merrow_model::state::{Command, RobotState, State};
use std::f64::consts::FRAC_PI_2;

/// Initialises a hold that is active from the start, at its first tick.
pub(crate) fn begin(
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
        *hold = HeadingDepthState {
            on: true,
            heading: here.heading,
            depth: here.depth,
            path: None,
        };
    }
}

/// Runs one tick of `dt` [s]: sets heading and depth along the path, and commands the fins.
pub(crate) fn tick(
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

/// Course from east [rad] and height [m] along the path, or around its end, at the position `p` [m]
/// with the velocity `v` [m/s], in W.
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
pub(crate) fn set_heading_depth(
    scene: &Scene,
    state: &mut State,
    robot: usize,
    heading: Option<f64>,
    depth: Option<f64>,
) -> Result<(), CommandRejection> {
    let (_, target) = find_robot(scene, state, robot)?;
    let here = Measured::from_motion(&target.motion);
    let Some(FirmwareLawState::HeadingDepthHold(hold)) =
        target.firmware.as_mut().map(|f| &mut f.memory)
    else {
        return Err(reject(
            robot,
            "the robot has no firmware that holds heading and depth".into(),
        ));
    };
    for (name, value) in [("heading", heading), ("depth", depth)] {
        check(robot, name, value.unwrap_or(0.0))?;
    }
    let held = if hold.on {
        (hold.heading, hold.depth)
    } else {
        (here.heading, here.depth)
    };
    *hold = HeadingDepthState {
        on: true,
        heading: heading.unwrap_or(held.0),
        depth: depth.unwrap_or(held.1),
        path: None,
    };
    Ok(())
}

/// Follows a path, circles a goal, or switches the hold on or off.
pub(crate) fn apply(
    model: &Robot,
    settings: &Settings,
    target: &mut RobotState,
    command: &Command,
) -> Result<(), String> {
    let here = Measured::from_motion(&target.motion);
    let p = target.motion.p_WB;
    let Some(FirmwareLawState::HeadingDepthHold(hold)) =
        target.firmware.as_mut().map(|f| &mut f.memory)
    else {
        return Ok(());
    };
    let hold_here = |on: bool| HeadingDepthState {
        on,
        heading: here.heading,
        depth: here.depth,
        path: None,
    };
    match command {
        Command::PoseGoal { p_WB, .. } => {
            let path = PathProgress::new(p, &[*p_WB])?;
            start_path(hold, path);
        }
        Command::FollowPath { waypoints, .. } => {
            let path = PathProgress::new(p, waypoints)?;
            start_path(hold, path);
        }
        Command::ControlMode { mode, .. } => match mode {
            ControlMode::Off => {
                *hold = hold_here(false);
                for (memory, fin) in target.fins.iter_mut().zip(model.fins.iter()) {
                    memory.set_command(fin, fin.neutral());
                }
            }
            ControlMode::HeadingHold | ControlMode::DepthHold => *hold = hold_here(true),
            _ => {
                return Err(format!(
                    "mode {}: the firmware has the modes off, heading_hold and depth_hold, and follows paths",
                    mode.keyword()
                ));
            }
        },
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

fn start_path(hold: &mut HeadingDepthState, path: PathProgress) {
    (hold.on, hold.path) = (true, Some(path));
}
