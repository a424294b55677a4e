//! Commands to the motion controller: modes, goals, paths, joystick, gains.

use crate::modes;
use crate::motion_control::current_motion;
use merrow_math::{Quat, Vec3};
use merrow_model::scene::Robot;
use merrow_model::scene::robot::motion_control::{Feedback, MotionControl};
use merrow_model::state::firmware::motion_control::{PathProgress, PoseGoal};
use merrow_model::state::firmware::{ControlMode, FirmwareLawState, MotionControlState};
use merrow_model::state::{Command, RobotState};

/// Deflection of a stick that starts the mode `Manual`.
const STICK_DEADBAND: f64 = 0.1;
/// Applies a command at `now_ns` [ns]; commands of other kinds are ignored.
pub fn apply(
    (model, settings, feedback): (&Robot, &MotionControl, &Feedback),
    target: &mut RobotState,
    command: &Command,
    now_ns: u64,
) -> Result<(), String> {
    let Some(mut firmware) = target.firmware.take() else {
        return Ok(());
    };
    let mut result = Ok(());
    if let FirmwareLawState::MotionControl(control) = &mut firmware.memory {
        let mut controller = Controller {
            model,
            settings,
            feedback,
            target,
            control,
            now_ns,
        };
        result = controller.apply(command);
        if let (Command::Joystick { sticks, .. }, ControlMode::Velocity) = (command, control.mode) {
            firmware.command = stick_velocity(settings, *sticks);
            firmware.command_ns = Some(now_ns);
        }
    }
    target.firmware = Some(firmware);
    result
}

/// Motion controller of a robot, for a command at `now_ns` [ns].
struct Controller<'a> {
    model: &'a Robot,
    settings: &'a MotionControl,
    feedback: &'a Feedback,
    target: &'a mut RobotState,
    control: &'a mut MotionControlState,
    now_ns: u64,
}

impl Controller<'_> {
    fn apply(&mut self, command: &Command) -> Result<(), String> {
        match command {
            Command::ControlMode { mode, .. } => self.set_mode(*mode),
            Command::PoseGoal { p_WB, q_WB, .. } => self.set_goal(*p_WB, *q_WB),
            Command::FollowPath { waypoints, .. } => self.set_path(waypoints),
            Command::Joystick { sticks, .. } => self.move_sticks(*sticks),
            Command::Gain {
                kind, axis, value, ..
            } => {
                if !value.is_finite() || *value < 0.0 {
                    return Err(format!(
                        "gain: expected a finite number of at least 0, found {value}"
                    ));
                }
                self.control.gains.of_kind_mut(*kind)[*axis] = *value;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Switches to `mode`, which holds the current position if it needs a goal.
    fn set_mode(&mut self, mode: ControlMode) -> Result<(), String> {
        if mode == ControlMode::Off {
            switch_off(self.model, self.target, self.control);
            return Ok(());
        }
        self.check_mode(mode)?;
        if mode == ControlMode::PathFollowing && self.control.path.is_none() {
            return Err("mode path_following: no path was received".to_string());
        }
        if mode == ControlMode::StationKeeping {
            let motion = current_motion(self.target);
            self.control.goal = PoseGoal {
                p_WB: motion.p,
                rpy: [0.0, 0.0, motion.rpy[2]],
            };
        }
        if self.control.mode == ControlMode::Off {
            self.control.allocated = [0.0; 6];
            self.control.controlled = [false; 4];
            // the time-out of external commands no longer stops the thrusters
            self.target.last_command_ns = None;
        }
        self.control.mode = mode;
        Ok(())
    }

    /// Returns an error if the vehicle is disarmed, or cannot actuate or measure the quantities
    /// that `mode` controls.
    fn check_mode(&self, mode: ControlMode) -> Result<(), String> {
        if !self.control.armed {
            return Err("the vehicle is disarmed: arm it first".to_string());
        }
        modes::check_controlled_mode(self.settings, self.feedback, mode)
    }

    fn set_goal(&mut self, p_WB: Vec3, q_WB: Option<Quat>) -> Result<(), String> {
        if !p_WB.is_finite() {
            return Err("goal: found a position that is not finite".to_string());
        }
        let rpy = q_WB.map(|q| q.normalized().matrix().to_rpy());
        if rpy.is_some_and(|rpy| rpy.iter().any(|angle| !angle.is_finite())) {
            return Err("goal: expected a unit quaternion".to_string());
        }
        self.set_mode(ControlMode::StationKeeping)?;
        let held = self.control.goal.rpy;
        self.control.goal = PoseGoal {
            p_WB,
            rpy: rpy.unwrap_or(held),
        };
        Ok(())
    }

    fn set_path(&mut self, waypoints: &[Vec3]) -> Result<(), String> {
        self.check_mode(ControlMode::PathFollowing)?;
        let motion = current_motion(self.target);
        self.control.path = Some(PathProgress::new(motion.p, waypoints)?);
        self.set_mode(ControlMode::PathFollowing)
    }

    /// Uses the sticks as the request of the pilot, or in mode `Velocity` as velocity command.
    fn move_sticks(&mut self, sticks: [f64; 4]) -> Result<(), String> {
        if let Some(bad) = sticks.iter().find(|x| !(-1.0..=1.0).contains(*x)) {
            return Err(format!(
                "joystick: expected deflections from -1 to 1, found {bad}"
            ));
        }
        let is_moved = sticks.iter().any(|x| x.abs() > STICK_DEADBAND);
        if self.control.mode == ControlMode::Off && is_moved {
            self.set_mode(ControlMode::Manual)?;
        }
        let [surge, sway, heave, yaw] = sticks;
        let max = &self.settings.pilot_wrench;
        self.control.pilot = [
            surge * max[0],
            sway * max[1],
            heave * max[2],
            0.0,
            0.0,
            yaw * max[5],
        ];
        self.control.pilot_ns = Some(self.now_ns);
        Ok(())
    }
}

/// Returns the velocity command of the sticks in mode `Velocity`: linear [m/s] and angular [rad/s].
fn stick_velocity(settings: &MotionControl, sticks: [f64; 4]) -> [Vec3; 2] {
    let [surge, sway, heave, yaw] = sticks;
    let max = settings.limits.velocity;
    [
        Vec3::new(surge * max[0], sway * max[1], heave * max[2]),
        Vec3::new(0.0, 0.0, yaw * settings.limits.yaw_rate),
    ]
}

/// Ends the control and stops the thrusters.
pub fn switch_off(robot: &Robot, state: &mut RobotState, control: &mut MotionControlState) {
    if control.mode != ControlMode::Off {
        for (actuator, thruster) in state.actuators.iter_mut().zip(robot.thrusters.iter()) {
            actuator.set_command(thruster, thruster.neutral);
        }
    }
    release(control);
}

/// Switches to velocity commands.
pub fn start_velocity(
    (model, settings, feedback): (&Robot, &MotionControl, &Feedback),
    target: &mut RobotState,
    control: &mut MotionControlState,
    now_ns: u64,
) -> Result<(), String> {
    if control.mode == ControlMode::Velocity {
        return Ok(());
    }
    Controller {
        model,
        settings,
        feedback,
        target,
        control,
        now_ns,
    }
    .set_mode(ControlMode::Velocity)
}

/// Uses an external wrench (force [N] and moment [N m] in B) as the request of the pilot. Returns
/// false if the mode has no pilot.
pub fn set_pilot(control: &mut MotionControlState, force: Vec3, moment: Vec3, now_ns: u64) -> bool {
    if control.mode.is_piloted() {
        let (f, m) = (force, moment);
        control.pilot = [f.x, f.y, f.z, m.x, m.y, m.z];
        control.pilot_ns = Some(now_ns);
    }
    control.mode.is_piloted()
}

/// Ends the control and leaves the thrusters to external commands.
pub fn release(control: &mut MotionControlState) {
    control.mode = ControlMode::Off;
    control.controlled = [false; 4];
    (control.requested, control.allocated) = ([0.0; 6], [0.0; 6]);
}
