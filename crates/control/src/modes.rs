//! Modes and tasks that a vehicle can have, independent of its state.

use crate::estimate::missing_sensor;
use crate::laws::motion_control::guidance::RETURN_RATIO;
use crate::velocity_guidance;
use merrow_environment::hydrostatics::mean_level;
use merrow_math::Vec3;
use merrow_model::ensure;
use merrow_model::scene::robot::feedback::Feedback;
use merrow_model::scene::robot::firmware::interface::{Abilities, ControlledHeight};
use merrow_model::scene::robot::firmware::motion_control::MotionControl;
use merrow_model::scene::sea::water::Region;
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::commands::Accepted;
use merrow_model::state::firmware::ControlMode;

/// Checks that a robot can have a mode.
///
/// # Errors
/// What the robot lacks, or the modes that it has.
pub fn check_mode(robot: &Robot, mode: ControlMode) -> Accepted {
    let Some(firmware) = &robot.firmware else {
        return Err(no_firmware());
    };
    if let Some(settings) = firmware.motion_control() {
        return check_controlled_mode(settings, &firmware.feedback, mode);
    }
    let accepts = firmware.abilities();
    if mode == ControlMode::StationKeeping && accepts.velocity && !accepts.paths {
        return Err(cannot_follow(&accepts));
    }
    let rest = if accepts.paths {
        ", and follows paths"
    } else {
        ""
    };
    expect_one_of(accepts.modes, rest, mode)
}

/// Checks that a robot can have a goal or follow a path.
///
/// # Errors
/// What the robot lacks.
pub fn check_task(robot: &Robot) -> Accepted {
    let Some(firmware) = &robot.firmware else {
        return Err(no_firmware());
    };
    if let Some(what) = missing_sensor(&firmware.feedback, ControlMode::PathFollowing) {
        return Err(format!(
            "goals and paths: no sensor of the robot measures {what}"
        ));
    }
    if let Some(settings) = firmware.motion_control() {
        return check_controlled_mode(settings, &firmware.feedback, ControlMode::PathFollowing);
    }
    let accepts = firmware.abilities();
    ensure!(accepts.paths, "{}", cannot_follow(&accepts));
    Ok(())
}

/// Returns the distance from a goal within which a vehicle keeps station because it cannot move
/// sideways [m]; `None` for other vehicles, which reach the goal or circle about it.
pub fn goal_distance(robot: &Robot) -> Option<f64> {
    let firmware = robot.firmware.as_ref()?;
    if firmware.abilities().moves_sideways {
        return None;
    }
    if let Some(settings) = firmware.motion_control() {
        return Some(RETURN_RATIO * settings.keys.acceptance_radius_m);
    }
    let guidance = firmware.guidance.as_ref()?;
    Some(velocity_guidance::RETURN_RATIO * guidance.acceptance_radius_m)
}

/// Returns a note about a goal at `p` [m, W] that the robot with the index `robot` does not reach:
/// because of the ground or a structure, or because it cannot move sideways; `None` for other goals.
pub fn goal_note(scene: &Scene, robot: usize, p: Vec3) -> Option<String> {
    let sideways = || {
        let model = &scene.robots[robot];
        let distance = goal_distance(model)?;
        Some(format!(
            "{}: the vehicle cannot move sideways, so that it keeps station within {distance} m of \
             the goal",
            model.name
        ))
    };
    obstacle_note(scene, robot, "the goal", p).or_else(sideways)
}

/// Returns a note about the first of the waypoints [m, W] that the robot with the index `robot` does
/// not reach.
pub fn path_note(scene: &Scene, robot: usize, waypoints: &[Vec3]) -> Option<String> {
    let mut waypoints = waypoints.iter().enumerate();
    waypoints.find_map(|(k, p)| obstacle_note(scene, robot, &format!("waypoint {k}"), *p))
}

/// Returns a note about `what` at `p` [m, W] in the ground, in a structure, or on land for a vessel.
/// The water has the level of the start.
fn obstacle_note(scene: &Scene, robot: usize, what: &str, p: Vec3) -> Option<String> {
    let (name, Vec3 { x, y, .. }) = (&scene.robots[robot].name, p);
    let ground = scene.sea.seabed.height(x, y);
    let firmware = scene.robots[robot].firmware.as_ref()?;
    let z = match firmware.abilities().height {
        ControlledHeight::Commanded => p.z,
        ControlledHeight::Ground => return None,
        ControlledHeight::Water => {
            let level = mean_level(&scene.sea, x, y, scene.start_ns as f64 * 1e-9);
            let is_dry = scene.sea.region(x, y).is_some_and(Region::is_dry);
            if ground >= level || is_dry {
                return Some(format!("{name}: {what} ({x:.2}, {y:.2}) m is on land"));
            }
            level
        }
    };
    if ground >= z {
        return Some(format!(
            "{name}: {what} ({x:.2}, {y:.2}, {z:.2}) m is in the ground, which is at {ground:.2} m there"
        ));
    }
    let structure = &scene.structure_at(Vec3::new(x, y, z))?.name;
    Some(format!(
        "{name}: {what} ({x:.2}, {y:.2}, {z:.2}) m is inside {structure}"
    ))
}

/// Checks that the thrusters can control, and the sensors measure, the quantities of a mode of a
/// motion controller.
pub fn check_controlled_mode(
    settings: &MotionControl,
    feedback: &Feedback,
    mode: ControlMode,
) -> Accepted {
    let name = mode.keyword();
    let [surge, _, heave, roll, pitch, yaw] = settings.actuated;
    let lacks = |what: &str| Err(format!("mode {name}: the thrusters cannot control {what}"));
    match mode {
        ControlMode::Stabilize if !(roll || pitch) => return lacks("roll or pitch"),
        ControlMode::HeadingHold if !yaw => return lacks("the heading"),
        ControlMode::DepthHold if !heave => return lacks("the depth"),
        ControlMode::Velocity | ControlMode::StationKeeping | ControlMode::PathFollowing
            if !(surge && yaw) =>
        {
            return lacks("surge and yaw");
        }
        ControlMode::Dive => {
            let has = |mode: &ControlMode| {
                *mode != ControlMode::Dive
                    && check_controlled_mode(settings, feedback, *mode).is_ok()
            };
            let modes: Vec<_> = ControlMode::ALL.into_iter().filter(has).collect();
            return expect_one_of(&modes, "", mode);
        }
        ControlMode::Off
        | ControlMode::Manual
        | ControlMode::Stabilize
        | ControlMode::HeadingHold
        | ControlMode::DepthHold
        | ControlMode::Velocity
        | ControlMode::StationKeeping
        | ControlMode::PathFollowing => {}
    }
    let missing = missing_sensor(feedback, mode);
    missing.map_or(Ok(()), |what| {
        Err(format!(
            "mode {name}: no sensor of the robot measures {what}"
        ))
    })
}

/// Returns the error for a mode that is not among `modes`; `rest` follows their list.
fn expect_one_of(modes: &[ControlMode], rest: &str, mode: ControlMode) -> Accepted {
    if modes.contains(&mode) {
        return Ok(());
    }
    let mut names: Vec<&str> = modes.iter().map(|mode| mode.keyword()).collect();
    let last = names.pop().unwrap_or_default();
    let list = match names.as_slice() {
        [] => format!("mode {last}"),
        _ => format!("modes {} and {last}", names.join(", ")),
    };
    let mode = mode.keyword();
    Err(format!("mode {mode}: the firmware has the {list}{rest}"))
}

fn no_firmware() -> String {
    "the robot has no firmware that accepts this command".to_string()
}

/// Returns why a firmware moves to no goals and along no paths.
fn cannot_follow(accepts: &Abilities) -> String {
    let key = accepts.path_key;
    format!("the firmware has no {key}; add the key `{key}`")
}
