//! Keys of scheduled faults.

use merrow_model::scene::FaultKind;
use merrow_yaml::spec::spec;

spec! {
    /// A fault of a device of a robot, of a beacon, or of a fixed modem. The unit of `bias` and
    /// `noise_std` depends on the device: the command unit of a thruster; rad for a fin; N m or N
    /// for a joint; rad or m for a joint with an ideal position drive; m³ for a buoyancy engine;
    /// m/s for a winch; the unit of the first measured quantity for a sensor; rad/s and m/s² for an
    /// IMU; s of transmission delay for a beacon.
    pub struct FaultConfig {
        /// Name of the robot; for a copy from `repeat` its own name, such as `rov_3`. Without a
        /// robot the fault affects a beacon or a fixed modem.
        robot: Option<String> [name],
        /// Name of the device. Use `thrusters/port` if several devices have the name, the tether
        /// for a winch on board, `imu/gyro` and `imu/accelerometer`, `battery`, a modem, a
        /// computer, or a link for a leak. Without `robot`: a beacon or a fixed modem of the world.
        target: String [not_empty],
        /// Time at which the fault begins.
        time_s: f64 [non_negative] = 0.0,
        /// Duration of the fault. Default: until the end of the run.
        duration_s: Option<f64> [positive],
        ..kind: FaultKind,
    }
}
