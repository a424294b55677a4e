//! Memory of the stock firmwares.

use crate::scene::Robot;
use crate::scene::robot::firmware::FirmwareLaw;
use merrow_math::Vec3;

/// Memory of a robot's firmware.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirmwareState {
    /// Ticks made.
    pub ticks: u64,
    /// Newest velocity command: linear [m/s] and angular [rad/s].
    pub command: [Vec3; 2],
    /// When it came [ns]; none before the first.
    pub command_ns: Option<u64>,
    /// What its law remembers.
    pub memory: FirmwareMemory,
}

/// What a law remembers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FirmwareMemory {
    /// A multirotor's.
    Flight(Flight),
    /// That of the heading and depth hold.
    Course(Course),
    /// That of a differential drive.
    Drive(Drive),
    /// That of a surface vehicle's velocity control.
    Vessel(Vessel),
}

/// Memory of a surface vehicle's velocity control; pairs are for speed and yaw rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vessel {
    /// True while it drives: from a velocity command until none counts any more.
    pub on: bool,
    /// Speed [m/s] and yaw rate [rad/s] that are wanted.
    pub wanted: [f64; 2],
    /// Errors summed over time [m, rad].
    pub lost: [f64; 2],
}

/// Memory of the heading and depth hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// True while it steers.
    pub on: bool,
    /// Heading that is wanted, clockwise from north [rad].
    pub heading: f64,
    /// Depth that is wanted [m].
    pub depth: f64,
}

/// Memory of a differential drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// True while it drives.
    pub on: bool,
    /// Speed [m/s] and yaw rate [rad/s] that are asked of the wheels.
    pub wanted: [f64; 2],
    /// Mean angles of the wheels on the left and on the right, as last measured [rad]; none before the first tick.
    pub angles: Option<[f64; 2]>,
    /// Place (x, y) [m] and yaw [rad] by the wheels alone, from where it started.
    pub odometry: [f64; 3],
    /// Speed [m/s] and yaw rate [rad/s] by the wheels.
    pub measured: [f64; 2],
}

/// Where a flight is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlightMode {
    /// Rotors off, or driven by others.
    Off,
    /// Climbs to where it wants to be after take-off.
    TakingOff,
    /// Follows velocity commands.
    Flying,
    /// Sinks until it stands.
    Landing,
}

impl FlightMode {
    /// As published.
    pub fn word(self) -> &'static str {
        match self {
            FlightMode::Off => "off",
            FlightMode::TakingOff => "taking_off",
            FlightMode::Flying => "flying",
            FlightMode::Landing => "landing",
        }
    }
}

/// Memory of a multirotor's firmware.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flight {
    /// Where the flight is.
    pub mode: FlightMode,
    /// Place that is wanted, in W [m].
    pub p: Vec3,
    /// Velocity that is wanted, in W [m/s].
    pub v: Vec3,
    /// Yaw that is wanted, from east, counter-clockwise [rad].
    pub yaw: f64,
    /// Height at which a take-off ends [m].
    pub top: f64,
    /// How long it has not sunk though it wanted to [s].
    pub held_up: f64,
    /// False until the wanted place and yaw have been set to where it is.
    pub begun: bool,
}

impl FirmwareState {
    /// As the robot starts; none without firmware.
    pub fn new(robot: &Robot) -> Option<Self> {
        let firmware = robot.firmware.as_ref()?;
        let zero = Vec3::zero();
        let memory = match &firmware.law {
            FirmwareLaw::Multirotor(settings) => {
                let mode = if settings.starts_flying {
                    FlightMode::Flying
                } else {
                    FlightMode::Off
                };
                FirmwareMemory::Flight(Flight {
                    mode,
                    p: zero,
                    v: zero,
                    yaw: 0.0,
                    top: 0.0,
                    held_up: 0.0,
                    begun: false,
                })
            }
            FirmwareLaw::Course(_) => FirmwareMemory::Course(Course {
                on: false,
                heading: 0.0,
                depth: 0.0,
            }),
            FirmwareLaw::Drive(_) => FirmwareMemory::Drive(Drive {
                on: true,
                wanted: [0.0; 2],
                angles: None,
                odometry: [0.0; 3],
                measured: [0.0; 2],
            }),
            FirmwareLaw::Vessel(_) => FirmwareMemory::Vessel(Vessel {
                on: false,
                wanted: [0.0; 2],
                lost: [0.0; 2],
            }),
        };
        Some(Self {
            ticks: 0,
            command: [zero; 2],
            command_ns: None,
            memory,
        })
    }

    /// True if the thrusters are the firmware's own now.
    pub fn holds_thrusters(&self) -> bool {
        match self.memory {
            FirmwareMemory::Flight(flight) => flight.mode != FlightMode::Off,
            FirmwareMemory::Vessel(vessel) => vessel.on,
            FirmwareMemory::Course(_) | FirmwareMemory::Drive(_) => false,
        }
    }

    /// True if the fins are.
    pub fn holds_fins(&self) -> bool {
        matches!(self.memory, FirmwareMemory::Course(Course { on: true, .. }))
    }

    /// True if the wheels are.
    pub fn holds_joints(&self) -> bool {
        matches!(self.memory, FirmwareMemory::Drive(Drive { on: true, .. }))
    }
}
