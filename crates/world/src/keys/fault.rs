//! Keys of scheduled faults.

use merrow_model::scene::fault::words::{
    BIASED, DEAD, INTERMITTENT, JAMMED, LEAK, NOISY, REDUCED, SHORTAGE, SLOW, SPOOFED, STUCK,
};
use merrow_yaml::spec::{choice, spec};

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
        ..kind: FaultKindConfig,
    }
}

choice! {
    /// Type of a fault.
    pub enum FaultKindConfig {
        /// The device has no effect and delivers no output; a fin is lost, a modem neither
        /// transmits nor receives, a computer runs no task.
        Dead = DEAD,
        /// The device keeps its last value.
        Stuck = STUCK,
        /// The device has only a fraction of its effect.
        Reduced = REDUCED {
            /// Remaining fraction; of the acoustic power for a beacon, of the transmit power for a
            /// modem.
            fraction: f64 [fraction],
        },
        /// A constant offset is added.
        Biased = BIASED {
            /// Offset in the unit of the device.
            bias: f64,
        },
        /// Additional noise is added.
        Noisy = NOISY {
            /// Standard deviation in the unit of the device, drawn for every step or sample.
            noise_std: f64 [non_negative],
        },
        /// The device alternately works and fails, for random times.
        Intermittent = INTERMITTENT {
            /// Mean time for which it works.
            mean_working_s: f64 [in 0.001..=1e9],
            /// Mean time for which it fails.
            mean_failed_s: f64 [in 0.001..=1e9],
        },
        /// The power of the battery is limited.
        Shortage = SHORTAGE {
            /// Maximum power of the battery.
            power_w: f64 [non_negative],
        },
        /// Water enters through a hole until a compartment is full.
        Leak = LEAK {
            /// Diameter of the hole.
            hole_diameter_m: f64 [positive],
            /// Position of the hole on the link (forward, left, up).
            position_m: [f64; 3] = [0.0, 0.0, 0.0],
            /// Volume of the compartment.
            compartment_m3: f64 [positive],
            /// Centre of the compartment on the link (forward, left, up).
            center_m: [f64; 3] = [0.0, 0.0, 0.0],
        },
        /// A satellite receiver is jammed.
        Jammed = JAMMED {
            /// Position of the jammer in the world (east, north, up). Default: the receiver is
            /// jammed everywhere.
            position_m: Option<[f64; 3]>,
            /// Power transmitted isotropically by the jammer.
            power_w: f64 [non_negative] = 0.1,
        },
        /// A satellite receiver is spoofed.
        Spoofed = SPOOFED {
            /// Offset of the false position from the true position at the start of the fault (east,
            /// north, up).
            offset_m: [f64; 3] = [0.0, 0.0, 0.0],
            /// Velocity at which the offset grows (east, north, up).
            velocity_m_s: [f64; 3] = [0.0, 0.0, 0.0],
        },
        /// The jobs of a computer need more processor time.
        Slow = SLOW {
            /// Factor on the execution times of the jobs that are released during the fault.
            execution_factor: f64 [in 1.0..=1e6],
        },
    }
}
