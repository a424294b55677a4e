//! What a vehicle's own computer runs: settings of the stock firmwares in `control`.

use merrow_math::{Mat3, Vec3};

/// A stock firmware.
#[derive(Clone, Debug, PartialEq)]
pub struct Firmware {
    /// Ticks per second.
    pub rate: f64,
    /// Age at which a velocity command no longer counts [s].
    pub timeout: f64,
    /// What it does.
    pub law: FirmwareLaw,
}

/// What a firmware does.
#[derive(Clone, Debug, PartialEq)]
pub enum FirmwareLaw {
    /// Flies a multirotor by velocity commands.
    Multirotor(Box<Multirotor>),
    /// Holds heading and depth with rudder and planes.
    Course(Course),
    /// Drives wheels on both sides by velocity commands.
    Drive(Drive),
    /// Drives a surface vehicle by velocity commands.
    Vessel(Vessel),
}

impl Firmware {
    /// Its settings if it flies a multirotor.
    pub fn multirotor(&self) -> Option<&Multirotor> {
        match &self.law {
            FirmwareLaw::Multirotor(settings) => Some(settings),
            _ => None,
        }
    }
    /// True if it takes velocity commands.
    pub fn takes_velocity(&self) -> bool {
        matches!(
            self.law,
            FirmwareLaw::Multirotor(_) | FirmwareLaw::Drive(_) | FirmwareLaw::Vessel(_)
        )
    }
}

/// Gains and limits of the heading and depth hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CourseGains {
    /// Rudder per heading error.
    pub heading: f64,
    /// Rudder per yaw rate [s].
    pub yaw_rate: f64,
    /// Pitch per depth error [rad/m].
    pub depth: f64,
    /// Pitch per sinking speed [rad s/m].
    pub sinking: f64,
    /// Stern planes per pitch error.
    pub pitch: f64,
    /// Stern planes per pitch rate [s].
    pub pitch_rate: f64,
    /// Bow planes per stern planes.
    pub bow: f64,
    /// Pitch set-points down and up [rad].
    pub set_points: [f64; 2],
}

/// Settings of the heading and depth hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// Gains and limits.
    pub gains: CourseGains,
    /// The fin that is its rudder.
    pub rudder: usize,
    /// Its stern planes.
    pub stern_planes: usize,
    /// Its bow planes, if it has any.
    pub bow_planes: Option<usize>,
    /// If it starts with the run: the thruster that is set going then, and its command.
    pub start: Option<(usize, f64)>,
}

/// Settings of the differential drive.
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    /// Joints of the wheels on the left and on the right.
    pub wheels: [Vec<usize>; 2],
    /// Radius of the wheels [m].
    pub radius: f64,
    /// Distance between the sides that the drive reckons with [m].
    pub track: f64,
    /// Largest speed [m/s] and yaw rate [rad/s].
    pub most: [f64; 2],
    /// Largest change of both [m/s², rad/s²].
    pub most_change: [f64; 2],
}

/// Settings of a surface vehicle's velocity control; pairs are for speed and yaw rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vessel {
    /// Thrust per error of the speed [N s/m], moment per error of the yaw rate [N m s/rad].
    pub gain: [f64; 2],
    /// The same per error summed over time [N/m, N m/rad].
    pub integral: [f64; 2],
    /// Largest speed [m/s] and yaw rate [rad/s].
    pub most: [f64; 2],
    /// Largest change of both [m/s², rad/s²].
    pub most_change: [f64; 2],
}

/// Settings of the multirotor's firmware, along the base's axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Multirotor {
    /// Force per position error [N/m].
    pub position_gain: Vec3,
    /// Force per velocity error [N s/m].
    pub velocity_gain: Vec3,
    /// Moment per attitude error [N m/rad].
    pub attitude_gain: Vec3,
    /// Moment per error of the angular velocity [N m s/rad].
    pub rate_gain: Vec3,
    /// Largest speed along the ground, up and down [m/s].
    pub max_speed: [f64; 3],
    /// Largest yaw rate [rad/s].
    pub max_yaw_rate: f64,
    /// Largest change of the wanted velocity [m/s²].
    pub max_acceleration: f64,
    /// Largest tilt that it asks for [rad].
    pub max_tilt: f64,
    /// How far its wanted place may lead the vehicle [m].
    pub leash: f64,
    /// Height over the start to which it takes off [m].
    pub takeoff_height: f64,
    /// Speeds of taking off and landing [m/s].
    pub auto_speed: [f64; 2],
    /// True if it flies from the start of the run.
    pub starts_flying: bool,
    /// Mass of the vehicle [kg].
    pub mass: f64,
    /// Its centre of mass in B [m].
    pub p_BoBcm: Vec3,
    /// Its inertia about the centre of mass, in B [kg m²].
    pub inertia: Mat3,
}
