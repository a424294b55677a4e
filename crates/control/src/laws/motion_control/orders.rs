//! Commands to the motion controller: modes, goals, paths, joystick, gains.

use crate::devices::Devices;
use crate::estimate::KnownMotion;
use crate::law::{Controller, Effect};
use crate::modes;
use crate::laws::motion_control::VehicleMotion;
use merrow_math::{Quat, Vec3};
use merrow_model::ensure;
use merrow_model::scene::robot::firmware::motion_control::MotionControl;
use merrow_model::state::FirmwareCommand;
use merrow_model::state::commands::Accepted;
use merrow_model::state::firmware::tasks::{PathProgress, PoseGoal};
use merrow_model::scene::robot::firmware::motion_control::MotionControlState;
use merrow_model::state::firmware::ControlMode;

/// Deflection of a stick that starts the mode `Manual`.
const STICK_DEADBAND: f64 = 0.1;

/// Motion controller of a robot.
type Motion<'a> = Controller<'a, MotionControl, MotionControlState>;

/// Applies a command at `now_ns` [ns].
pub(super) fn apply(
    law: &mut Motion<'_>,
    command: &FirmwareCommand,
    motion: &KnownMotion,
    now_ns: u64,
    devices: &mut Devices<'_>,
) -> Result<Effect, String> {
    match command {
        FirmwareCommand::ControlMode { mode, .. } => set_mode(law, *mode, motion, devices)?,
        FirmwareCommand::PoseGoal { p_WB, q_WB, .. } => {
            set_goal(law, (*p_WB, *q_WB), motion, devices)?;
        }
        FirmwareCommand::FollowPath { waypoints, .. } => {
            check_mode(law, ControlMode::PathFollowing, devices)?;
            law.state.path = Some(PathProgress::new(motion.p_WB, waypoints)?);
            set_mode(law, ControlMode::PathFollowing, motion, devices)?;
        }
        FirmwareCommand::Joystick { sticks, .. } => {
            move_sticks(law, *sticks, motion, now_ns, devices)?;
            if law.state.mode == ControlMode::Velocity {
                return Ok(Effect::Velocity(stick_velocity(law.settings, *sticks)));
            }
        }
        FirmwareCommand::Gain {
            kind, axis, value, ..
        } => {
            ensure!(
                value.is_finite() && *value >= 0.0,
                "gain: expected a finite number of at least 0, found {value}"
            );
            law.state.gains.of_kind_mut(*kind)[*axis] = *value;
        }
        _ => return Err("the robot has no firmware that accepts this command".to_string()),
    }
    Ok(Effect::None)
}

/// Switches to `mode`, which holds the current position if it needs a goal.
pub(super) fn set_mode(
    law: &mut Motion<'_>,
    mode: ControlMode,
    motion: &KnownMotion,
    devices: &mut Devices<'_>,
) -> Accepted {
    if mode == ControlMode::Off {
        switch_off(law.state, devices);
        return Ok(());
    }
    check_mode(law, mode, devices)?;
    let control = &mut *law.state;
    if mode == ControlMode::PathFollowing && control.path.is_none() {
        return Err("mode path_following: no path was received".to_string());
    }
    if mode == ControlMode::StationKeeping {
        let motion = VehicleMotion::from(motion);
        control.goal = PoseGoal {
            p_WB: motion.p,
            rpy: [0.0, 0.0, motion.rpy[2]],
        };
    }
    if control.mode == ControlMode::Off {
        control.allocated = [0.0; 6];
        control.controlled = [false; 4];
        // the time-out of external commands no longer stops the thrusters
        devices.end_command_timeout();
    }
    control.mode = mode;
    Ok(())
}

/// Returns an error if the vehicle is disarmed, or cannot actuate or measure the quantities that
/// `mode` controls.
fn check_mode(law: &Motion<'_>, mode: ControlMode, devices: &Devices<'_>) -> Accepted {
    ensure!(law.state.armed, "the vehicle is disarmed: arm it first");
    modes::check_mode(devices.robot(), mode)
}

fn set_goal(
    law: &mut Motion<'_>,
    (p_WB, q_WB): (Vec3, Option<Quat>),
    motion: &KnownMotion,
    devices: &mut Devices<'_>,
) -> Accepted {
    let is_finite = p_WB.is_finite();
    ensure!(is_finite, "goal: found a position that is not finite");
    let rpy = q_WB.map(|q| q.normalized().matrix().to_rpy());
    let is_unit = rpy.iter().flatten().all(|angle| angle.is_finite());
    ensure!(is_unit, "goal: expected a unit quaternion");
    set_mode(law, ControlMode::StationKeeping, motion, devices)?;
    let held = law.state.goal.rpy;
    law.state.goal = PoseGoal {
        p_WB,
        rpy: rpy.unwrap_or(held),
    };
    Ok(())
}

/// Uses the sticks as the request of the pilot; a deflection switches from `Off` to `Manual`.
fn move_sticks(
    law: &mut Motion<'_>,
    sticks: [f64; 4],
    motion: &KnownMotion,
    now_ns: u64,
    devices: &mut Devices<'_>,
) -> Accepted {
    if let Some(bad) = sticks.iter().find(|x| !(-1.0..=1.0).contains(*x)) {
        return Err(format!(
            "joystick: expected deflections from -1 to 1, found {bad}"
        ));
    }
    let is_moved = sticks.iter().any(|x| x.abs() > STICK_DEADBAND);
    if law.state.mode == ControlMode::Off && is_moved {
        set_mode(law, ControlMode::Manual, motion, devices)?;
    }
    let [surge, sway, heave, yaw] = sticks;
    let max = &law.settings.pilot_wrench;
    law.state.pilot = [
        surge * max[0],
        sway * max[1],
        heave * max[2],
        0.0,
        0.0,
        yaw * max[5],
    ];
    law.state.pilot_ns = Some(now_ns);
    Ok(())
}

/// Returns the velocity command of the sticks in mode `Velocity`: linear [m/s] and angular [rad/s].
fn stick_velocity(settings: &MotionControl, sticks: [f64; 4]) -> [Vec3; 2] {
    let [surge, sway, heave, yaw] = sticks;
    let max = settings.keys.max_speed_m_s;
    [
        Vec3::new(surge * max[0], sway * max[1], heave * max[2]),
        Vec3::new(0.0, 0.0, yaw * settings.keys.max_yaw_rate_rad_s),
    ]
}

/// Ends the control and stops the thrusters.
pub(super) fn switch_off(control: &mut MotionControlState, devices: &mut Devices<'_>) {
    if control.mode != ControlMode::Off {
        devices.stop_thrusters();
    }
    release(control);
}

/// Ends the control and leaves the thrusters to external commands.
pub(super) fn release(control: &mut MotionControlState) {
    control.mode = ControlMode::Off;
    control.controlled = [false; 4];
    (control.requested, control.allocated) = ([0.0; 6], [0.0; 6]);
}
