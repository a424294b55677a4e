//! Settings of the stock firmwares in `crates/control`.

pub use crate::scene::robot::motion_control::MotionControl;
use crate::scene::robot::motion_control::{Feedback, Guidance};
use merrow_math::{Mat3, Vec3};

/// Stock firmware of a vehicle.
#[derive(Clone, Debug, PartialEq)]
pub struct Firmware {
    /// Tick rate of the controller [Hz].
    pub rate: f64,
    /// Maximum age of a velocity command [s].
    pub timeout: f64,
    /// Guidance to goals and along paths by velocity commands; `None`: goals are refused, or the
    /// law has its own guidance.
    pub guidance: Option<VelocityGuidance>,
    /// Source of the motion that the firmware uses.
    pub feedback: Feedback,
    /// Control law and its settings.
    pub law: FirmwareLaw,
}

/// Control law of a firmware and its settings.
#[derive(Clone, Debug, PartialEq)]
pub enum FirmwareLaw {
    /// Multirotor controlled by velocity commands.
    Multirotor(Box<Multirotor>),
    /// Heading and depth hold with rudder and planes.
    HeadingDepthHold(HeadingDepthHold),
    /// Differential drive with wheels on both sides, controlled by velocity commands.
    Drive(DifferentialDrive),
    /// Surface vehicle controlled by velocity commands.
    SurgeYawRate(SurgeYawRateControl),
    /// Vehicle with thrusters, controlled in up to six degrees of freedom.
    MotionControl(Box<MotionControl>),
    /// Sailing boat that follows courses and paths.
    Sailing(Sailing),
    /// Underwater glider that dives along paths.
    Glider(Glider),
}

impl Firmware {
    /// Returns the settings of a multirotor, if it is one.
    pub fn multirotor(&self) -> Option<&Multirotor> {
        match &self.law {
            FirmwareLaw::Multirotor(settings) => Some(settings),
            _ => None,
        }
    }
    /// Returns true if the firmware subscribes to velocity commands.
    pub fn has_velocity_command(&self) -> bool {
        match &self.law {
            FirmwareLaw::HeadingDepthHold(settings) => settings.speed_control.is_some(),
            FirmwareLaw::Sailing(_) | FirmwareLaw::Glider(_) => false,
            _ => true,
        }
    }
    /// Returns true if the firmware subscribes to heading set-points.
    pub fn has_heading_command(&self) -> bool {
        match &self.law {
            FirmwareLaw::HeadingDepthHold(_) | FirmwareLaw::Sailing(_) => true,
            FirmwareLaw::Glider(settings) => settings.steering.is_some(),
            _ => false,
        }
    }
    /// Returns true if the firmware subscribes to depth set-points.
    pub fn has_depth_command(&self) -> bool {
        matches!(
            self.law,
            FirmwareLaw::HeadingDepthHold(_) | FirmwareLaw::Glider(_)
        )
    }
    /// Returns true if the firmware moves to goals and along paths.
    pub fn follows_paths(&self) -> bool {
        match &self.law {
            FirmwareLaw::Multirotor(_) | FirmwareLaw::Drive(_) | FirmwareLaw::SurgeYawRate(_) => {
                self.guidance.is_some()
            }
            FirmwareLaw::Glider(settings) => settings.steering.is_some(),
            FirmwareLaw::HeadingDepthHold(_)
            | FirmwareLaw::MotionControl(_)
            | FirmwareLaw::Sailing(_) => true,
        }
    }
    /// Returns the settings of a motion controller, if it is one.
    pub fn motion_control(&self) -> Option<&MotionControl> {
        match &self.law {
            FirmwareLaw::MotionControl(settings) => Some(settings),
            _ => None,
        }
    }
}

/// Gains and limits of the heading and depth hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadingDepthGains {
    /// Rudder angle per heading error [rad/rad].
    pub heading: f64,
    /// Rudder angle per yaw rate [s].
    pub yaw_rate: f64,
    /// Pitch set-point per depth error [rad/m].
    pub depth: f64,
    /// Pitch set-point per sinking speed [rad s/m].
    pub sinking: f64,
    /// Stern plane angle per pitch error [rad/rad].
    pub pitch: f64,
    /// Stern plane angle per pitch rate [s].
    pub pitch_rate: f64,
    /// Bow plane angle per stern plane angle [rad/rad].
    pub bow: f64,
    /// Limits of the pitch set-point, down and up [rad].
    pub set_points: [f64; 2],
}

/// Settings of the heading and depth hold.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadingDepthHold {
    /// Settings of the path following, except its speed, which follows from `cruise`.
    pub guidance: Guidance,
    /// Radius of the circle around the end of a path [m].
    pub loiter_radius: f64,
    /// Lead time of the heading set-point on that circle [s].
    pub turn_lead_time: f64,
    /// Thruster that a path starts if it is stopped, and its command; `None`: paths start no
    /// thruster.
    pub cruise: Option<(usize, f64)>,
    /// Speed control for velocity commands; `None`: velocity commands are refused.
    pub speed_control: Option<SpeedControl>,
    /// Gains and limits of the control law.
    pub gains: HeadingDepthGains,
    /// Index of the fin that is the rudder.
    pub rudder: usize,
    /// Index of the fin that is the stern planes.
    pub stern_planes: usize,
    /// Index of the fin that is the bow planes, if any.
    pub bow_planes: Option<usize>,
    /// Thruster that is started with the run and its command; `None`: the firmware does not start
    /// with the run.
    pub start: Option<(usize, f64)>,
}

/// Settings of the differential drive.
#[derive(Clone, Debug, PartialEq)]
pub struct DifferentialDrive {
    /// Joint indices of the wheels on the left and on the right.
    pub wheels: [Vec<usize>; 2],
    /// Radius of the wheels [m].
    pub radius: f64,
    /// Track width used in the control law [m].
    pub track: f64,
    /// Maximum speed [m/s] and yaw rate [rad/s].
    pub max_velocity: [f64; 2],
    /// Maximum rate of change of both [m/s², rad/s²].
    pub max_acceleration: [f64; 2],
}

/// Settings of the velocity controller of a surface vehicle; pairs are for surge speed and yaw
/// rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurgeYawRateControl {
    /// Thrust per speed error [N s/m], moment per yaw rate error [N m s/rad].
    pub gain: [f64; 2],
    /// Integral gains: thrust [N/m] and moment [N m/rad] per time integral of the error.
    pub integral: [f64; 2],
    /// Maximum speed [m/s] and yaw rate [rad/s].
    pub max_velocity: [f64; 2],
    /// Maximum rate of change of both [m/s², rad/s²].
    pub max_acceleration: [f64; 2],
}

/// Settings of the multirotor firmware, along the axes of the base.
#[derive(Clone, Debug, PartialEq)]
pub struct Multirotor {
    /// Force per position error [N/m].
    pub position_gain: Vec3,
    /// Force per velocity error [N s/m].
    pub velocity_gain: Vec3,
    /// Moment per attitude error [N m/rad].
    pub attitude_gain: Vec3,
    /// Moment per angular velocity error [N m s/rad].
    pub rate_gain: Vec3,
    /// Maximum speed: horizontal, up and down [m/s].
    pub max_speed: [f64; 3],
    /// Maximum yaw rate [rad/s].
    pub max_yaw_rate: f64,
    /// Maximum rate of change of the velocity set-point [m/s²].
    pub max_acceleration: f64,
    /// Maximum tilt set-point [rad].
    pub max_tilt: f64,
    /// Maximum distance of the position set-point from the vehicle [m].
    pub max_position_lead: f64,
    /// Take-off height above the start [m].
    pub takeoff_height: f64,
    /// Speeds of take-off and landing [m/s].
    pub auto_speed: [f64; 2],
    /// True if the vehicle flies from the start of the run.
    pub starts_flying: bool,
    /// Mass of the vehicle [kg].
    pub mass: f64,
    /// Centre of mass in B [m].
    pub p_BoBcm: Vec3,
    /// Inertia about the centre of mass, in B [kg m²].
    pub inertia: Mat3,
}

/// Settings of the speed control of a torpedo-shaped vehicle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpeedControl {
    /// Index of the propeller.
    pub thruster: usize,
    /// Thrust per speed error [N s/m].
    pub gain: f64,
    /// Thrust per time integral of the speed error [N/m].
    pub integral: f64,
    /// Maximum speed [m/s], vertical speed [m/s] and yaw rate [rad/s].
    pub max_velocity: [f64; 3],
}

/// Settings of the guidance that moves a vehicle by velocity commands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VelocityGuidance {
    /// Settings of the path following.
    pub path: Guidance,
    /// Speed per distance from the goal [1/s].
    pub position_gain: f64,
    /// Yaw rate per heading error [1/s].
    pub heading_gain: f64,
    /// True if the vehicle moves to all sides.
    pub is_holonomic: bool,
}

/// Settings of the firmware of a sailing boat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sailing {
    /// Index of the fin that is the sail.
    pub sail: usize,
    /// Index of the fin that is the rudder.
    pub rudder: usize,
    /// Settings of the path following; the speed is not used.
    pub guidance: Guidance,
    /// Rudder angle per heading error [rad/rad].
    pub heading_gain: f64,
    /// Rudder angle per yaw rate [s].
    pub yaw_rate_gain: f64,
    /// Minimum angle between the heading and the direction from which the wind blows [rad].
    pub close_hauled: f64,
    /// Minimum angle between the heading and the direction to which the wind blows [rad].
    pub running: f64,
    /// Angle between the sail and the apparent wind [rad].
    pub incidence: f64,
    /// Distance from a leg at which the boat tacks [m].
    pub corridor: f64,
    /// Distance from the goal beyond which the boat sails back to it [m].
    pub loiter_radius: f64,
}

/// Settings of the firmware of an underwater glider. Pairs are for dive and climb.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Glider {
    /// Index of the buoyancy engine.
    pub engine: usize,
    /// Volumes of the buoyancy engine [m³].
    pub volumes: [f64; 2],
    /// Joint of the sliding mass, if any, and its positions [m].
    pub slide: Option<(usize, [f64; 2])>,
    /// Steering, if the vehicle has one.
    pub steering: Option<GliderSteering>,
    /// Depth of a dive without a depth set-point [m].
    pub dive_depth: f64,
    /// Depth at which a climb ends and the next dive begins [m].
    pub turn_depth: f64,
    /// Settings of the path following; the speed is not used.
    pub guidance: Guidance,
}

/// Steering of a glider by rolling a mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GliderSteering {
    /// Index of the joint that rolls the mass.
    pub joint: usize,
    /// Joint angle per heading error [rad/rad], in dive and climb.
    pub heading_gain: [f64; 2],
    /// Joint angle per yaw rate [s], in dive and climb.
    pub yaw_rate_gain: [f64; 2],
    /// Maximum joint angle [rad].
    pub max_angle: f64,
}

/// Height of the goals of a vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlledHeight {
    /// The vehicle moves to the commanded height.
    Commanded,
    /// The vehicle stays at the height of the water surface.
    Water,
    /// The vehicle stands on the ground.
    Ground,
}

impl Firmware {
    /// Returns how the vehicle uses the height of goals.
    pub fn controlled_height(&self) -> ControlledHeight {
        match &self.law {
            FirmwareLaw::Multirotor(_) | FirmwareLaw::HeadingDepthHold(_) => {
                ControlledHeight::Commanded
            }
            FirmwareLaw::MotionControl(settings) if settings.actuated[2] => {
                ControlledHeight::Commanded
            }
            FirmwareLaw::Glider(_) => ControlledHeight::Commanded,
            FirmwareLaw::Drive(_) => ControlledHeight::Ground,
            FirmwareLaw::MotionControl(_)
            | FirmwareLaw::SurgeYawRate(_)
            | FirmwareLaw::Sailing(_) => ControlledHeight::Water,
        }
    }
}
