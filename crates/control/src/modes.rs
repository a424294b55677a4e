//! Modes and tasks that a vehicle can have, independent of its state.

use crate::estimate::missing_sensor;
use crate::motion_control::guidance::RETURN_RATIO;
use crate::velocity_guidance;
use merrow_model::scene::Robot;
use merrow_model::scene::robot::feedback::Feedback;
use merrow_model::scene::robot::firmware::FirmwareLaw;
use merrow_model::scene::robot::motion_control::MotionControl;
use merrow_model::state::commands::Accepted;
use merrow_model::state::firmware::ControlMode;

/// Modes of heading and depth hold.
const HOLD: [ControlMode; 3] = [
    ControlMode::Off,
    ControlMode::HeadingHold,
    ControlMode::DepthHold,
];
/// Modes of a sailing boat.
const SAILING: [ControlMode; 3] = [
    ControlMode::Off,
    ControlMode::HeadingHold,
    ControlMode::StationKeeping,
];
/// Modes of a glider.
const GLIDER: [ControlMode; 2] = [ControlMode::Off, ControlMode::Dive];
/// Modes of a vehicle that is moved by velocity commands.
const VELOCITY: [ControlMode; 3] = [
    ControlMode::Off,
    ControlMode::Velocity,
    ControlMode::StationKeeping,
];

/// Checks that a robot can have a mode.
///
/// # Errors
/// What the robot lacks, or the modes that it has.
pub fn check_mode(robot: &Robot, mode: ControlMode) -> Accepted {
    let Some(firmware) = &robot.firmware else {
        return Err(no_firmware());
    };
    match &firmware.law {
        FirmwareLaw::MotionControl(settings) => {
            check_controlled_mode(settings, &firmware.feedback, mode)
        }
        FirmwareLaw::HeadingDepthHold(_) => expect_one_of(&HOLD, ", and follows paths", mode),
        FirmwareLaw::Sailing(_) => expect_one_of(&SAILING, ", and follows paths", mode),
        FirmwareLaw::Glider(_) => expect_one_of(&GLIDER, ", and follows paths", mode),
        FirmwareLaw::Multirotor(_) | FirmwareLaw::Drive(_) | FirmwareLaw::SurgeYawRate(_) => {
            if firmware.guidance.is_some() {
                expect_one_of(&VELOCITY, ", and follows paths", mode)
            } else if VELOCITY.contains(&mode) {
                match mode {
                    ControlMode::StationKeeping => Err(no_guidance()),
                    _ => Ok(()),
                }
            } else {
                expect_one_of(&VELOCITY[..2], "", mode)
            }
        }
    }
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
    match &firmware.law {
        FirmwareLaw::MotionControl(settings) => {
            check_controlled_mode(settings, &firmware.feedback, ControlMode::PathFollowing)
        }
        FirmwareLaw::Glider(settings) if settings.steering_joint.is_none() => {
            Err("path: the glider has no steering".to_string())
        }
        FirmwareLaw::HeadingDepthHold(_) | FirmwareLaw::Sailing(_) | FirmwareLaw::Glider(_) => {
            Ok(())
        }
        FirmwareLaw::Multirotor(_) | FirmwareLaw::Drive(_) | FirmwareLaw::SurgeYawRate(_) => {
            firmware
                .guidance
                .as_ref()
                .map(|_| ())
                .ok_or_else(no_guidance)
        }
    }
}

/// Returns the distance from a goal within which a vehicle keeps station because it cannot move
/// sideways [m]; `None` for other vehicles.
pub fn goal_distance(robot: &Robot) -> Option<f64> {
    let firmware = robot.firmware.as_ref()?;
    match &firmware.law {
        FirmwareLaw::MotionControl(settings) if !settings.actuated[1] => {
            Some(RETURN_RATIO * settings.keys.acceptance_radius_m)
        }
        FirmwareLaw::SurgeYawRate(_) | FirmwareLaw::Drive(_) => {
            let guidance = firmware.guidance.as_ref()?;
            Some(velocity_guidance::RETURN_RATIO * guidance.acceptance_radius_m)
        }
        // the others reach the goal or circle about it
        FirmwareLaw::MotionControl(_)
        | FirmwareLaw::Multirotor(_)
        | FirmwareLaw::HeadingDepthHold(_)
        | FirmwareLaw::Sailing(_)
        | FirmwareLaw::Glider(_) => None,
    }
}

/// Returns a note about a goal of a vehicle that cannot move sideways; `None` for other vehicles.
pub fn goal_note(robot: &Robot) -> Option<String> {
    let distance = goal_distance(robot)?;
    Some(format!(
        "{}: the vehicle cannot move sideways, so that it keeps station within {distance} m of the \
         goal",
        robot.name
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
    Err(format!(
        "mode {}: the firmware has the modes {} and {last}{rest}",
        mode.keyword(),
        names.join(", ")
    ))
}

fn no_firmware() -> String {
    "the robot has no firmware that accepts this command".to_string()
}

fn no_guidance() -> String {
    "the firmware has no guidance; add the key `guidance`".to_string()
}
