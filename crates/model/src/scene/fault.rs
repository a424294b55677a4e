//! What can go wrong with a device, and when.

use merrow_math::Vec3;
use merrow_math::rng::Stream;
use std::sync::Arc;

/// A device of a robot, by its index among its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// A thruster.
    Thruster(usize),
    /// A fin, or the servo that turns a thruster.
    Fin(usize),
    /// The drive of a joint; the index is as in `Motion::q`.
    Joint(usize),
    /// A buoyancy engine.
    Ballast(usize),
    /// A winch on board.
    Winch(usize),
    /// A sensor.
    Sensor(usize),
    /// A part of a sensor, by its index among `SensorKind::parts`.
    Part(usize, usize),
    /// A sensor that hears satellites, by its index among the sensors.
    Receiver(usize),
    /// A sensor that brings no quantity which could be off, such as a camera, by its index among the sensors.
    Viewer(usize),
    /// The battery.
    Battery,
    /// The hull of a link.
    Hull(usize),
    /// A beacon of the world, of no robot.
    Beacon(usize),
}

/// What is wrong with it. Bias and noise are in the unit of the device: the command of a thruster, rad of a fin, N m or N of a
/// joint, rad or m of one with an ideal position drive, m³ of a buoyancy engine, m/s of a winch, the first quantity that a sensor measures, rad/s and m/s² of an IMU, s by which a beacon sends late.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FaultKind {
    /// It does nothing; a fin is lost.
    Dead,
    /// It goes on with what it had.
    Stuck,
    /// This part of it is left, 0..1.
    Reduced(f64),
    /// Off by this.
    Biased(f64),
    /// Noise of this standard deviation, drawn for every step or sample.
    Noisy(f64),
    /// It works and fails by turns, for times of these means [s], each drawn from an exponential distribution.
    Intermittent([f64; 2]),
    /// The battery gives no more than this power [W].
    Shortage(f64),
    /// Water comes in.
    Leak(Leak),
    /// It hears no satellites, near a jammer or everywhere.
    Jammed(Option<Jammer>),
    /// It hears false satellites.
    Spoofed(Spoof),
}

/// A transmitter of noise at the satellites' frequency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jammer {
    /// Where it is, in W [m].
    pub p_W: Vec3,
    /// How far it drowns the satellites [m].
    pub reach: f64,
}

impl Jammer {
    /// Wavelength of GPS L1 [m].
    const WAVELENGTH: f64 = 0.190_293_67;
    /// Least power of its signal on the ground, -128.5 dBm [W] [IS-GPS-200].
    const SIGNAL: f64 = 1.412_537_5e-16;
    /// Power over the signal's that a receiver stands, 40 dB; chosen.
    const MARGIN: f64 = 1e4;

    /// A jammer of `power` [W], in all directions, by free space: its power at the distance d is `P (λ / 4π d)²`.
    pub fn new(p_W: Vec3, power: f64) -> Self {
        let loss = power / (Self::SIGNAL * Self::MARGIN);
        Self {
            p_W,
            reach: Self::WAVELENGTH / (4.0 * std::f64::consts::PI) * loss.sqrt(),
        }
    }
}

/// A false place that a receiver is led to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spoof {
    /// Over the true one when it begins, in W [m].
    pub offset: Vec3,
    /// How fast it walks away [m/s].
    pub velocity: Vec3,
}

/// A hole in the hull of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leak {
    /// Area of the hole [m²].
    pub area: f64,
    /// Where it is, in L [m].
    pub p_LoH: Vec3,
    /// Volume that can fill [m³].
    pub volume: f64,
    /// Middle of that volume, in L [m].
    pub p_LoC: Vec3,
}

impl FaultKind {
    /// As written in world files, services and diagnostics.
    pub fn word(&self) -> &'static str {
        match self {
            FaultKind::Dead => "dead",
            FaultKind::Stuck => "stuck",
            FaultKind::Reduced(_) => "reduced",
            FaultKind::Biased(_) => "biased",
            FaultKind::Noisy(_) => "noisy",
            FaultKind::Intermittent(_) => "intermittent",
            FaultKind::Shortage(_) => "shortage",
            FaultKind::Leak(_) => "leak",
            FaultKind::Jammed(_) => "jammed",
            FaultKind::Spoofed(_) => "spoofed",
        }
    }
}

/// A fault of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Name; one robot has no two faults of the same name, nor have the beacons.
    pub name: Arc<str>,
    /// Index of the robot; none: of a beacon.
    pub robot: Option<usize>,
    /// The device.
    pub device: Device,
    /// What is wrong with it.
    pub kind: FaultKind,
    /// From when [ns].
    pub start_ns: u64,
    /// Until when [ns]; `u64::MAX`: for good.
    pub end_ns: u64,
    /// Source of its random numbers.
    pub stream: Stream,
}
