//! Interface of a control law: what it receives, what it returns and which commands it accepts.

use crate::devices::Devices;
use crate::estimate::KnownMotion;
use crate::velocity_guidance;
use merrow_environment::EnvironmentState;
use merrow_math::Vec3;
use merrow_model::state::FirmwareCommand;
use merrow_model::state::commands::{Accepted, FirmwareOrder};
use merrow_model::state::firmware::{ControlMode, GuidanceTask, Known};

/// Inputs of a control law at one tick.
#[derive(Clone, Copy)]
pub struct Tick<'a> {
    /// Time of the tick [ns].
    pub now_ns: u64,
    /// Time since the last tick [s].
    pub dt: f64,
    /// Water, wind and gravity.
    pub environment: &'a EnvironmentState<'a>,
    /// Motion of the base: estimated from sensors, or true if the firmware uses the truth.
    pub motion: KnownMotion,
    /// Parts of the motion that are known.
    pub known: Known,
    /// Valid velocity command: linear [m/s] and angular [rad/s]; zero without one.
    pub command: [Vec3; 2],
    /// Whether there is a valid velocity command.
    pub has_command: bool,
    /// True at the first tick of the robot.
    pub is_first: bool,
}

/// Effect of an accepted command on the velocity command and the task of the guidance.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Both remain.
    None,
    /// The velocity command ends.
    EndVelocity,
    /// A velocity command: linear [m/s] and angular [rad/s].
    Velocity([Vec3; 2]),
    /// The guidance starts this task, which ends the velocity command.
    Task(GuidanceTask),
}

/// Control law of a vehicle with its settings and its state. A law commands the vehicle through
/// `devices` only, so that it cannot change the motion. A rejected command leaves the state of the
/// law unchanged, because the caller discards it.
pub trait ControlLaw {
    /// Runs one tick.
    fn tick(&mut self, tick: &Tick<'_>, devices: &mut Devices<'_>);

    /// Enables or disables the law.
    ///
    /// # Errors
    /// Why the law cannot be enabled.
    fn enable(&mut self, on: bool, motion: &KnownMotion, devices: &mut Devices<'_>) -> Accepted;

    /// Applies a mode, a goal, a path, the deflections of sticks or a gain at `now_ns` [ns]. By
    /// default the guidance moves the vehicle by velocity commands.
    ///
    /// # Errors
    /// Why the command is rejected.
    fn apply(
        &mut self,
        command: &FirmwareCommand,
        motion: &KnownMotion,
        _now_ns: u64,
        devices: &mut Devices<'_>,
    ) -> Result<Effect, String> {
        let task = match command {
            FirmwareCommand::ControlMode { mode, .. }
                if matches!(mode, ControlMode::Off | ControlMode::Velocity) =>
            {
                let order = FirmwareOrder::Enable(*mode == ControlMode::Velocity);
                self.order(order, motion, devices)?;
                GuidanceTask::None
            }
            FirmwareCommand::Joystick { .. } | FirmwareCommand::Gain { .. } => {
                return Err("the robot has no firmware that accepts this command".to_string());
            }
            _ => {
                let task = velocity_guidance::requested_task(motion, command)?;
                self.start_task()?;
                task
            }
        };
        Ok(Effect::Task(task))
    }

    /// Prepares to follow the velocity commands of a task of the guidance.
    ///
    /// # Errors
    /// Why the law cannot start the task.
    fn start_task(&mut self) -> Accepted {
        Ok(())
    }

    /// Takes off, lands, enables or disables.
    ///
    /// # Errors
    /// Why the order is rejected.
    fn order(
        &mut self,
        order: FirmwareOrder,
        motion: &KnownMotion,
        devices: &mut Devices<'_>,
    ) -> Accepted {
        match order {
            FirmwareOrder::Enable(on) => self.enable(on, motion, devices),
            FirmwareOrder::TakeOff | FirmwareOrder::Land => {
                Err("the robot has no multirotor firmware".to_string())
            }
        }
    }

    /// Prepares to follow a velocity command, which the next ticks receive.
    ///
    /// # Errors
    /// Why the command is rejected.
    fn start_velocity(
        &mut self,
        _motion: &KnownMotion,
        _now_ns: u64,
        _devices: &mut Devices<'_>,
    ) -> Accepted {
        Ok(())
    }

    /// Sets the heading [rad, clockwise from north], the depth [m] or both.
    ///
    /// # Errors
    /// Which of them the law does not control.
    fn set_heading_depth(
        &mut self,
        _heading: Option<f64>,
        _depth: Option<f64>,
        _motion: &KnownMotion,
    ) -> Accepted {
        Err("the robot has no firmware that holds heading or depth".to_string())
    }

    /// Uses an external wrench (force [N] and moment [N m] in B) as the request of a pilot. Returns
    /// false if the law has no pilot now.
    fn set_pilot_wrench(&mut self, _force: Vec3, _moment: Vec3, _now_ns: u64) -> bool {
        false
    }

    /// Leaves the thrusters to direct commands. Returns false if the law keeps them.
    fn release_thrusters(&mut self) -> bool {
        false
    }

    /// Returns true if the law commands the drive of `joint` now.
    fn drives_joint(&self, _joint: usize) -> bool {
        false
    }
}

/// Mode or path for a law that follows paths itself.
pub(crate) enum ModeOrPath<'a> {
    /// A mode.
    Mode(ControlMode),
    /// Waypoints in W [m]; one for a goal.
    Path(&'a [Vec3]),
}

/// Returns the mode or the path that a command requests.
///
/// # Errors
/// The command needs a motion controller.
pub(crate) fn mode_or_path(command: &FirmwareCommand) -> Result<ModeOrPath<'_>, String> {
    match command {
        FirmwareCommand::ControlMode { mode } => Ok(ModeOrPath::Mode(*mode)),
        FirmwareCommand::PoseGoal { p_WB, .. } => Ok(ModeOrPath::Path(std::slice::from_ref(p_WB))),
        FirmwareCommand::FollowPath { waypoints } => Ok(ModeOrPath::Path(waypoints)),
        _ => Err("the robot has no motion controller".to_string()),
    }
}

/// Settings and state of a law of the registry.
pub struct Controller<'a, Settings, State> {
    /// Settings of the law.
    pub settings: &'a Settings,
    /// State of the law.
    pub state: &'a mut State,
}
