//! Faults of devices and their schedule.

use crate::persist::Persist;
use crate::scene::correspondence::Correspondence;
use merrow_math::Vec3;
use merrow_math::rng::Stream;
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

/// Declares the types of faults, with their names in world files, services and diagnostics.
macro_rules! fault_kinds {
    (
        $(#[doc = $doc:literal])*
        pub enum $name:ident {
            $($(#[doc = $kind_doc:literal])* $variant:ident $(($data:ty))? = $constant:ident $word:literal,)*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Persist)]
        pub enum $name {
            $($(#[doc = $kind_doc])* $variant $(($data))?,)*
        }

        impl $name {
            /// Returns the name in world files, services and diagnostics.
            pub fn keyword(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $word,)*
                }
            }
        }

        /// Names of the types of faults in world files, services and diagnostics.
        pub mod words {
            $($(#[doc = $kind_doc])* pub const $constant: &str = $word;)*
        }
    };
}

fault_kinds! {
    /// Type of a fault. Bias and noise are in the unit of the device: command unit of a thruster,
    /// rad of a fin, N m or N of a joint, rad or m of a joint with an ideal position drive, m³ of a
    /// buoyancy engine, m/s of a winch, the first quantity of a sensor, rad/s and m/s² of an IMU, s
    /// of transmission delay of a beacon.
    pub enum FaultKind {
        /// No output; a fin is lost.
        Dead = DEAD "dead",
        /// The output is held constant.
        Stuck = STUCK "stuck",
        /// Remaining fraction of the output, 0..1.
        Reduced(f64) = REDUCED "reduced",
        /// Constant offset of the output.
        Biased(f64) = BIASED "biased",
        /// Noise with this standard deviation, drawn for every step or sample.
        Noisy(f64) = NOISY "noisy",
        /// Alternates between working and failing, for exponentially distributed times with these
        /// means [s].
        Intermittent([f64; 2]) = INTERMITTENT "intermittent",
        /// Maximum power of the battery [W].
        PowerLimited(f64) = SHORTAGE "shortage",
        /// Water ingress through a hole.
        Leak(Leak) = LEAK "leak",
        /// Receives no satellites, near a jammer or everywhere.
        Jammed(Option<Jammer>) = JAMMED "jammed",
        /// Receives false satellite signals.
        Spoofed(Spoof) = SPOOFED "spoofed",
        /// Execution times are multiplied by this factor, from 1.
        Slow(f64) = SLOW "slow",
    }
}

/// GNSS jammer: a noise transmitter at the frequency of the satellites.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Jammer {
    /// Position in W [m].
    pub p_W: Vec3,
    /// Distance within which reception is lost [m].
    pub reach: f64,
}

impl Jammer {
    /// Wavelength of GPS L1 [m].
    const WAVELENGTH: f64 = 0.190_293_67;
    /// Minimum received GPS signal power, -128.5 dBm [W] [IS-GPS-200].
    const SIGNAL: f64 = 1.412_537_5e-16;
    /// Jamming-to-signal ratio that a receiver tolerates, 40 dB; chosen.
    const MARGIN: f64 = 1e4;

    /// Creates an isotropic jammer of `power` [W] in free space: its power at the distance d is `P
    /// (λ / 4π d)²`.
    pub fn new(p_W: Vec3, power: f64) -> Self {
        let loss = power / (Self::SIGNAL * Self::MARGIN);
        Self {
            p_W,
            reach: Self::WAVELENGTH / (4.0 * std::f64::consts::PI) * loss.sqrt(),
        }
    }
}

/// False position that a spoofer imposes on a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Spoof {
    /// Initial offset from the true position, in W [m].
    pub offset: Vec3,
    /// Rate of change of the offset, in W [m/s].
    pub velocity: Vec3,
}

/// Hole in the hull of a link.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Leak {
    /// Area of the hole [m²].
    pub area: f64,
    /// Position of the hole in L [m].
    pub p_LoH: Vec3,
    /// Volume that can flood [m³].
    pub volume: f64,
    /// Centroid of that volume in L [m].
    pub p_LoC: Vec3,
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
