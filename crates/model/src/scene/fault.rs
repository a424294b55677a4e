//! Faults of devices and their schedule.

use crate::persist::Persist;
use crate::scene::correspondence::Correspondence;
use crate::scene::fault::words::{
    BIASED, DEAD, INTERMITTENT, JAMMED, LEAK, NOISY, REDUCED, SHORTAGE, SLOW, SPOOFED, STUCK,
};
use merrow_math::rng::Stream;
use merrow_yaml::spec::spec;
use std::sync::Arc;

/// Device of a robot, by its index among devices of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum Device {
    /// Thruster with this index.
    Thruster(usize),
    /// Fin, or the servo of an azimuth thruster.
    Fin(usize),
    /// Drive of a joint; the index is as in `Motion::q`.
    Joint(usize),
    /// Buoyancy engine with this index.
    BuoyancyEngine(usize),
    /// Winch carried by the robot.
    Winch(usize),
    /// Sensor with this index.
    Sensor(usize),
    /// Channel of a sensor: sensor index, and index in `StepProperties::fault_channels`.
    SensorChannel(usize, usize),
    /// GNSS or GNSS heading receiver, by its index among the sensors.
    GnssReceiver(usize),
    /// Sensor without a quantity that can be biased, such as a camera, by its index among the
    /// sensors.
    UnbiasableSensor(usize),
    /// Battery of the robot.
    Battery,
    /// Hull of the link with this index.
    Hull(usize),
    /// Beacon of the world with this index; it belongs to no robot.
    Beacon(usize),
    /// Modem of a robot or fixed modem, by its index among all modems of the world.
    Modem(usize),
    /// Computer of the robot with this index.
    Computer(usize),
}

impl Device {
    /// Returns the same device in another scene; `None`: it does not exist there.
    pub fn in_scene(self, same: &Correspondence) -> Option<Self> {
        match self {
            Self::Beacon(k) => same.beacons.get(k).copied().flatten().map(Self::Beacon),
            Self::Modem(k) => same.modems.get(k).copied().flatten().map(Self::Modem),
            other => Some(other),
        }
    }
}

spec! {
    /// Type of a fault.
    #[derive(Copy, Persist)]
    pub enum FaultKind plain {
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

/// Names of the types of faults in world files, services and diagnostics.
pub mod words {
    #![allow(missing_docs, reason = "described by the types")]
    pub const DEAD: &str = "dead";
    pub const STUCK: &str = "stuck";
    pub const REDUCED: &str = "reduced";
    pub const BIASED: &str = "biased";
    pub const NOISY: &str = "noisy";
    pub const INTERMITTENT: &str = "intermittent";
    pub const SHORTAGE: &str = "shortage";
    pub const LEAK: &str = "leak";
    pub const JAMMED: &str = "jammed";
    pub const SPOOFED: &str = "spoofed";
    pub const SLOW: &str = "slow";
}

/// Wavelength of GPS L1 [m].
const WAVELENGTH: f64 = 0.190_293_67;
/// Minimum received GPS signal power, -128.5 dBm [W] [IS-GPS-200].
const SIGNAL: f64 = 1.412_537_5e-16;
/// Jamming-to-signal ratio that a receiver tolerates, 40 dB; chosen.
const MARGIN: f64 = 1e4;

/// Returns the distance [m] within which an isotropic jammer of `power` [W] in free space prevents
/// reception: its power at the distance d is `P (λ / 4π d)²`.
pub fn jammer_reach(power: f64) -> f64 {
    let loss = power / (SIGNAL * MARGIN);
    WAVELENGTH / (4.0 * std::f64::consts::PI) * loss.sqrt()
}

/// Fault of a device, with its schedule.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct Fault {
    /// Name, unique among the faults of one robot or among the faults of all beacons and fixed
    /// modems.
    pub name: Arc<str>,
    /// Index of the robot; `None`: fault of a beacon or of a fixed modem.
    pub robot: Option<usize>,
    /// Device with the fault.
    pub device: Device,
    /// Type of the fault.
    pub kind: FaultKind,
    /// Simulated time at which the fault begins [ns].
    pub start_ns: u64,
    /// End time [ns]; `u64::MAX`: permanent.
    pub end_ns: u64,
    /// Random number stream of the fault.
    pub stream: Stream,
}
