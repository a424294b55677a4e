//! What a world file may say of faults.

use merrow_yaml::spec::{choice, spec};

spec! {
    /// A fault of a device of a robot, or of a beacon. `bias` and `noise_std` are in the unit of the device: the command of a thruster, rad of a fin, N m or
    /// N of a joint, rad or m of one with an ideal position drive, m³ of a buoyancy engine, m/s of a winch, the first quantity that a sensor
    /// measures, rad/s and m/s² of an IMU, s by which a beacon sends late.
    pub struct FaultFile {
        /// The robot; a copy of a grid by its own name, such as `rov_3`. Without it the fault is one of a beacon.
        robot: Option<String> [name],
        /// The device, by its name, as `thrusters/port` where several have that; a winch on board by its tether; `imu/gyro` and `imu/accelerometer`; `battery`; a link for a leak; without a `robot` a beacon of the world.
        of: String [not_empty],
        /// When it begins.
        time_s: f64 [non_negative] = 0.0,
        /// How long it lasts; without it for good.
        duration_s: Option<f64> [positive],
        ..kind: FaultKindFile,
    }
}

choice! {
    /// What is wrong with a device.
    pub enum FaultKindFile {
        /// It does nothing; a fin is lost.
        Dead = "dead",
        /// It goes on with what it had.
        Stuck = "stuck",
        /// A part of it is left.
        Reduced = "reduced" {
            /// The part; of a beacon that of its power.
            part: f64 [fraction],
        },
        /// It is off.
        Biased = "biased" {
            /// By this.
            bias: f64,
        },
        /// It is noisy.
        Noisy = "noisy" {
            /// Standard deviation, drawn for every step or sample.
            noise_std: f64 [non_negative],
        },
        /// It fails and works by turns, for random times.
        Intermittent = "intermittent" {
            /// Mean time for which it works.
            works_s: f64 [in 0.001..=1e9],
            /// Mean time for which it fails.
            fails_s: f64 [in 0.001..=1e9],
        },
        /// The battery gives no more than some power.
        Shortage = "shortage" {
            /// The power.
            power_w: f64 [non_negative],
        },
        /// Water comes in through a hole until a compartment is full.
        Leak = "leak" {
            /// Diameter of the hole.
            hole_m: f64 [positive],
            /// Where the hole is on the link (forward, left, up).
            position_m: [f64; 3] = [0.0, 0.0, 0.0],
            /// Volume of the compartment.
            compartment_m3: f64 [positive],
            /// Middle of the compartment on the link (forward, left, up).
            center_m: [f64; 3] = [0.0, 0.0, 0.0],
        },
        /// A satellite receiver hears noise alone.
        Jammed = "jammed" {
            /// Place of the jammer in the world (east, north, up); without it the receiver is jammed everywhere.
            position_m: Option<[f64; 3]>,
            /// Power that it sends in all directions.
            power_w: f64 [non_negative] = 0.1,
        },
        /// A satellite receiver hears false satellites.
        Spoofed = "spoofed" {
            /// False place over the true one when it begins (east, north, up).
            offset_m: [f64; 3] = [0.0, 0.0, 0.0],
            /// Velocity at which it walks away (east, north, up).
            velocity_m_s: [f64; 3] = [0.0, 0.0, 0.0],
        },
    }
}
