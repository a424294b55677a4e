//! Firmware of an underwater glider: dives and climbs in a saw-tooth, and steers by rolling a mass.
//!
//! # Law
//! ```text
//!   V = V_dive, x = x_dive    until the depth D,  then  (1)  [Graver 2005, ch. 2: saw-tooth]
//!   V = V_climb, x = x_climb  until the turn depth
//!   γ = k (ψ_r - ψ) - d ψ'   within ±γ_max              (2)  [Zhang 2013: turn by the rolled mass]
//! ```
//! In (2) dive and climb have different gains, because the lift changes its sign. Along a path ψ_r
//! is the course of `line_of_sight`.
//!
//! # Symbols
//! V volume of the buoyancy engine · x position of the sliding mass · D depth of the dive · γ roll
//! angle of the mass · ψ heading, ψ_r its reference, both from east · k, d gains.
//!
//! # Frames
//! World (ENU); depth positive down.
//!
//! # Limits
//! The pitch angle follows from the position of the sliding mass without feedback. The glider
//! passes D before it turns. It does not measure the distance to the seabed.
//!
//! # Checked by
//! test/analytic/vehicles/glider.rs

use crate::autopilot::Measured;
use crate::joint_reference::set_reference;
use crate::{line_of_sight, modes};
use merrow_math::real::wrap_angle;
use merrow_model::scene::robot::firmware::Glider as Settings;
use merrow_model::scene::{JointMode, Robot};
use merrow_model::state::firmware::motion_control::PathProgress;
use merrow_model::state::firmware::{ControlMode, GliderState};
use merrow_model::state::{Command, RobotState};
use std::f64::consts::FRAC_PI_2;

/// Runs one tick of `dt` [s]: commands buoyancy engine, sliding mass and rolled mass.
pub fn tick(
    robot: &Robot,
    settings: &Settings,
    state: &mut RobotState,
    memory: &mut GliderState,
    dt: f64,
) {
    let now = Measured::from_motion(&state.motion);
    follow_path(settings, state, memory, dt);
    let limit = if memory.is_diving {
        memory.depth
    } else {
        settings.turn_depth
    };
    // (1); with a depth at or above the turn depth the glider stays at the surface
    if memory.depth <= settings.turn_depth {
        memory.is_diving = false;
    } else if (now.depth >= limit) == memory.is_diving {
        memory.is_diving = !memory.is_diving;
    }
    let phase = usize::from(!memory.is_diving);
    let engine = &robot.buoyancy_engines[settings.engine];
    state.buoyancy_engines[settings.engine].command =
        settings.volumes[phase].clamp(engine.range[0], engine.range[1]);
    if let Some((joint, positions)) = settings.slide {
        let x = positions[phase];
        set_reference(robot, state, joint, JointMode::Position, x);
    }
    if let Some(steering) = &settings.steering {
        let angle = memory.heading.map_or(0.0, |heading| {
            // headings are clockwise, the yaw rate is about the vertical
            let error = -wrap_angle(heading - now.heading);
            let yaw_rate = state.motion.V_WB_B.w.z;
            let (k, d) = (steering.heading_gain[phase], steering.yaw_rate_gain[phase]);
            (k * error - d * yaw_rate).clamp(-steering.max_angle, steering.max_angle)
        });
        set_reference(robot, state, steering.joint, JointMode::Position, angle);
    }
}

/// Sets the heading along the path; at its end the glider surfaces.
fn follow_path(settings: &Settings, state: &RobotState, memory: &mut GliderState, dt: f64) {
    let Some(path) = &mut memory.path else {
        return;
    };
    let R = state.motion.q_WB.matrix();
    let (p, v) = (state.motion.p_WB, R.mul_vec(state.motion.V_WB_B.v));
    match line_of_sight::advance(&settings.guidance, path, p, dt) {
        Some(leg) => {
            let heading = line_of_sight::heading_for_course(leg.course, R.to_rpy()[2], v);
            memory.heading = Some(FRAC_PI_2 - heading);
            let end = -path.waypoints[path.leg + 1].z;
            memory.depth = if end > settings.turn_depth {
                end
            } else {
                settings.dive_depth
            };
        }
        None => (memory.path, memory.depth) = (None, 0.0),
    }
}

/// Sets the heading [rad, clockwise from north], the depth of the dives [m] or both.
pub fn set_heading_depth(
    settings: &Settings,
    memory: &mut GliderState,
    heading: Option<f64>,
    depth: Option<f64>,
) -> Result<(), String> {
    if heading.is_some() && settings.steering.is_none() {
        return Err("heading: the glider has no steering".to_string());
    }
    start(settings, memory);
    memory.heading = heading.or(memory.heading);
    memory.depth = depth.unwrap_or(memory.depth);
    Ok(())
}

/// Starts to dive without a path; a glider that is diving already keeps its phase.
fn start(settings: &Settings, memory: &mut GliderState) {
    if !memory.on {
        *memory = GliderState {
            on: true,
            is_diving: true,
            depth: settings.dive_depth,
            heading: None,
            path: None,
        };
    }
    memory.path = None;
}

/// Applies a mode, a goal or a path.
pub fn apply(
    robot: &Robot,
    settings: &Settings,
    state: &RobotState,
    memory: &mut GliderState,
    command: &Command,
) -> Result<(), String> {
    let waypoints = match command {
        Command::PoseGoal { p_WB, .. } => std::slice::from_ref(p_WB),
        Command::FollowPath { waypoints, .. } => waypoints.as_slice(),
        Command::ControlMode { mode, .. } => {
            match mode {
                ControlMode::Off => memory.on = false,
                ControlMode::Dive => start(settings, memory),
                _ => return modes::check_mode(robot, *mode),
            }
            return Ok(());
        }
        _ => return Err("the robot has no motion controller".to_string()),
    };
    let path = PathProgress::new(state.motion.p_WB, waypoints)?;
    start(settings, memory);
    memory.path = Some(path);
    Ok(())
}
