//! Devices of a vehicle, as a control law commands and reads them.

use crate::joint_reference::set_reference;
use merrow_model::scene::{JointMode, Robot};
use merrow_model::state::RobotState;

/// Actuators of a vehicle and the measurements at their drives. The true motion is not accessible.
pub struct Devices<'a> {
    robot: &'a Robot,
    state: &'a mut RobotState,
}

impl<'a> Devices<'a> {
    /// Gives access to the devices of `robot`.
    pub fn new(robot: &'a Robot, state: &'a mut RobotState) -> Self {
        Self { robot, state }
    }

    /// Returns the parameters of the vehicle.
    #[inline]
    pub fn robot(&self) -> &'a Robot {
        self.robot
    }

    /// Returns true if the battery supplies power.
    #[inline]
    pub fn has_power(&self) -> bool {
        self.state.battery.is_on()
    }

    /// Commands thruster `k` in its own unit.
    #[inline]
    pub fn set_thruster(&mut self, k: usize, command: f64) {
        self.state.actuators[k].set_command(&self.robot.thrusters[k], command);
    }

    /// Commands thruster `k` by its thrust [N] in water of `density` [kg/m³].
    #[inline]
    pub fn set_thrust(&mut self, k: usize, thrust: f64, density: f64) {
        let command = self.robot.thrusters[k].command_from_thrust(thrust, density);
        self.set_thruster(k, command);
    }

    /// Stops thruster `k`.
    pub fn stop_thruster(&mut self, k: usize) {
        self.set_thruster(k, self.robot.thrusters[k].motor.neutral);
    }

    /// Stops all thrusters.
    pub fn stop_thrusters(&mut self) {
        (0..self.robot.thrusters.len()).for_each(|k| self.stop_thruster(k));
    }

    /// Returns true if the command of thruster `k` is its neutral command.
    pub fn is_stopped(&self, k: usize) -> bool {
        self.state.actuators[k].command == self.robot.thrusters[k].motor.neutral
    }

    /// Keeps the latest external command of the thrusters, which no longer times out.
    pub fn end_command_timeout(&mut self) {
        self.state.last_command_ns = None;
    }

    /// Commands the angle of fin `k` [rad].
    #[inline]
    pub fn set_fin(&mut self, k: usize, angle: f64) {
        self.state.fins[k].set_command(&self.robot.fins[k], angle);
    }

    /// Centres all fins.
    pub fn center_fins(&mut self) {
        (0..self.robot.fins.len()).for_each(|k| self.set_fin(k, self.robot.fins[k].neutral()));
    }

    /// Returns the angle of fin `k` [rad].
    #[inline]
    pub fn fin_angle(&self, k: usize) -> f64 {
        self.state.fins[k].angle
    }

    /// Commands the volume of buoyancy engine `k` [m³].
    pub fn set_buoyancy_engine(&mut self, k: usize, volume: f64) {
        let [low, high] = self.robot.buoyancy_engines[k].range_m3;
        self.state.buoyancy_engines[k].command = volume.clamp(low, high);
    }

    /// Commands the drive of `joint` in `mode`: position [rad or m], velocity [rad/s or m/s] or effort
    /// [N m or N].
    pub fn set_joint(&mut self, joint: usize, mode: JointMode, value: f64) {
        set_reference(self.robot, self.state, joint, mode, value);
    }

    /// Returns the position of `joint` that its encoder measures [rad or m].
    #[inline]
    pub fn joint_position(&self, joint: usize) -> f64 {
        self.state.joints[joint].measured.position
    }
}
