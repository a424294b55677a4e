//! Settings of the stock firmwares in `crates/control`.

pub use crate::scene::robot::glider::Glider;
pub use crate::scene::robot::motion_control::MotionControl;
pub use crate::scene::robot::sailing::Sailing;

use crate::scene::robot::feedback::{Feedback, MotionSource};
use crate::scene::robot::guidance::{LineOfSight, VelocityGuidance, follows_paths};
use merrow_math::{Mat3, Vec3};
use merrow_yaml::spec::spec;

/// Stock firmware of a vehicle.
#[derive(Clone, Debug, PartialEq)]
pub struct Firmware {
    /// Tick rate of the controller [Hz].
    pub rate_hz: f64,
    /// Maximum age of a velocity command [s].
    pub command_timeout_s: f64,
    /// Guidance to goals and along paths by velocity commands; `None`: goals are refused, or the
    /// law has its own guidance.
    pub guidance: Option<VelocityGuidance>,
    /// Source of the motion that the firmware uses.
    pub feedback: Feedback,
    /// Control law and its settings.
    pub law: FirmwareLaw,
}

/// Calls the macro `$then` with all control laws of world files: the name of a law, the type of its
/// settings in this module and of its state in `state::firmware`.
#[macro_export]
macro_rules! each_control_law {
    ($then:ident) => {
        $then! {
            /// Multirotor controlled by velocity commands.
            Multirotor(Multirotor, MultirotorState),
            /// Heading and depth hold with rudder and planes.
            HeadingDepthHold(HeadingDepthHold, HeadingDepthState),
            /// Differential drive with wheels on both sides, controlled by velocity commands.
            Drive(DifferentialDrive, DifferentialDriveState),
            /// Surface vehicle controlled by velocity commands.
            SurgeYawRate(SurgeYawRate, SurgeYawRateState),
            /// Vehicle with thrusters, controlled in up to six degrees of freedom.
            MotionControl(MotionControl, MotionControlState),
            /// Sailing boat that follows courses and paths.
            Sailing(Sailing, SailingState),
            /// Underwater glider that dives along paths.
            Glider(Glider, GliderState),
        }
    };
}

macro_rules! declare_laws {
    ($($(#[doc = $doc:literal])* $law:ident($settings:ident, $state:ident),)*) => {
        /// Control law of a firmware and its settings.
        #[derive(Clone, Debug, PartialEq)]
        pub enum FirmwareLaw { $($(#[doc = $doc])* $law(Box<$settings>),)* }
    };
}
each_control_law!(declare_laws);

impl Firmware {
    /// Returns the settings of a multirotor, if it is one.
    pub fn multirotor(&self) -> Option<&Multirotor> {
        match &self.law {
            FirmwareLaw::Multirotor(settings) => Some(settings),
            _ => None,
        }
    }
    /// Returns which commands the firmware accepts.
    pub fn abilities(&self) -> Abilities {
        use ControlledHeight::{Commanded, Ground, Water};
        let guided = self.guidance.is_some();
        let accepts = |[velocity, heading, depth, paths]: [bool; 4], height| Abilities {
            velocity,
            heading,
            depth,
            paths,
            height,
        };
        match &self.law {
            FirmwareLaw::SurgeYawRate(_) => accepts([true, false, false, guided], Water),
            FirmwareLaw::Drive(_) => accepts([true, false, false, guided], Ground),
            FirmwareLaw::Multirotor(_) => accepts([true, false, false, guided], Commanded),
            FirmwareLaw::MotionControl(own) => {
                let height = if own.actuated[2] { Commanded } else { Water };
                accepts([true, false, false, true], height)
            }
            FirmwareLaw::HeadingDepthHold(own) => {
                accepts([own.speed_control.is_some(), true, true, true], Commanded)
            }
            FirmwareLaw::Sailing(_) => accepts([false, true, false, true], Water),
            FirmwareLaw::Glider(own) => {
                let steers = own.steering_joint.is_some();
                accepts([false, steers, true, steers], Commanded)
            }
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

spec! {
    /// Heading and depth hold. The gains give fin angles per error.
    pub struct HeadingDepthHoldKeys {
        /// Description of the firmware.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Control cycles per second.
        rate_hz: f64 [in 0.1..=10000.0] = 10.0,
        /// Age after which a velocity command is ignored.
        command_timeout_s: f64 [positive] = 1.0,
        /// Name of the rudder fin; a positive angle turns the vehicle to the right.
        rudder: String [frame] = "rudder".to_string(),
        /// Name of the stern plane fin; a positive angle pitches the nose down.
        stern_planes: String [frame] = "stern_planes".to_string(),
        /// Name of the bow plane fin; a positive angle pitches the nose up. Default: none.
        bow_planes: Option<String> [frame],
        /// Rudder angle per heading error.
        heading_gain: f64 [non_negative],
        /// Rudder angle per yaw rate.
        yaw_rate_gain_s: f64 [non_negative],
        /// Pitch set-point per depth error.
        depth_gain_rad_per_m: f64 [non_negative],
        /// Pitch set-point per sink rate.
        sinking_gain_rad_per_m_s: f64 [non_negative],
        /// Stern plane angle per pitch error.
        pitch_gain: f64 [non_negative],
        /// Stern plane angle per pitch rate.
        pitch_rate_gain_s: f64 [non_negative],
        /// Bow plane angle per stern plane angle.
        bow_gain: f64 [non_negative] = 0.0,
        /// Limits of the pitch set-point: down (negative) and up.
        pitch_limits_deg: [f64; 2],
        /// Thruster that a path starts if it is stopped. Default: paths start no thruster.
        cruise: Option<HeadingDepthStart>,
        /// Look-ahead distance of the line-of-sight guidance.
        look_ahead_m: f64 [positive] = 10.0,
        /// Integral gain of the line-of-sight guidance; 0: no integral.
        cross_track_integral_gain_m_s: f64 [non_negative] = 0.0,
        /// Distance from a waypoint at which the next leg begins.
        acceptance_radius_m: f64 [positive] = 5.0,
        /// Radius of the circle around the end of a path.
        loiter_radius_m: f64 [positive] = 20.0,
        /// Lead time of the heading set-point on that circle, which balances the lag of the heading
        /// control.
        turn_lead_time_s: f64 [non_negative] = 0.0,
        /// Speed control by the propeller, for velocity commands. Default: they are refused.
        speed_control: Option<SpeedControlKeys>,
        /// Start together with the run. Default: the firmware waits for its first set-point.
        start: Option<HeadingDepthStart>,
        ..source_of_motion: MotionSource,
    }
}

follows_paths!(HeadingDepthHoldKeys);

spec! {
    /// Thruster that is started, and its command.
    pub struct HeadingDepthStart {
        /// Name of the thruster.
        propeller: String [frame] = "propeller".to_string(),
        /// Command of this thruster, in its own unit; a message on `thrusters/...` can change it
        /// later.
        command: f64,
    }
}

/// Settings of the heading and depth hold.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadingDepthHold {
    /// Gains, limits and distances of the file.
    pub keys: HeadingDepthHoldKeys,
    /// Thruster that a path starts if it is stopped, and its command; `None`: paths start no
    /// thruster.
    pub cruise: Option<(usize, f64)>,
    /// Speed control for velocity commands; `None`: velocity commands are refused.
    pub speed_control: Option<SpeedControl>,
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

spec! {
    /// Firmware of a differential drive.
    pub struct DifferentialDriveKeys {
        /// Description of the firmware.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Control cycles per second.
        rate_hz: f64 [in 1.0..=10000.0] = 50.0,
        /// Age after which a velocity command is ignored.
        command_timeout_s: f64 [positive] = 0.5,
        /// Joints of the left wheels; each must have a servo.
        left: Vec<String> [not_empty],
        /// Joints of the right wheels; each must have a servo.
        right: Vec<String> [not_empty],
        /// Radius of the wheels.
        wheel_radius_m: f64 [positive],
        /// Distance between left and right wheels that the firmware assumes.
        track_m: f64 [positive],
        /// Maximum forward speed set-point.
        max_speed_m_s: f64 [positive],
        /// Maximum yaw rate set-point.
        max_yaw_rate_rad_s: f64 [positive],
        /// Maximum acceleration of the speed set-point.
        max_acceleration_m_s2: f64 [positive] = 1.0,
        /// Maximum acceleration of the yaw rate set-point.
        max_yaw_acceleration_rad_s2: f64 [positive] = 2.0,
        /// Guidance to goals and along paths. Default: goals and paths are refused.
        guidance: Option<VelocityGuidance>,
        ..source_of_motion: MotionSource,
    }
}

/// Settings of the differential drive.
#[derive(Clone, Debug, PartialEq)]
pub struct DifferentialDrive {
    /// Dimensions and limits of the file.
    pub keys: DifferentialDriveKeys,
    /// Joint indices of the wheels on the left and on the right.
    pub wheels: [Vec<usize>; 2],
}

spec! {
    /// Firmware of a surface vehicle. The gains give thrust and moment per error, distributed by
    /// the thruster allocation.
    pub struct SurgeYawRate {
        /// Description of the firmware.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Control cycles per second.
        rate_hz: f64 [in 1.0..=10000.0] = 20.0,
        /// Age after which a velocity command is ignored.
        command_timeout_s: f64 [positive] = 1.0,
        /// Thrust per speed error.
        speed_gain_n_s_per_m: f64 [non_negative],
        /// Thrust per integral of the speed error.
        speed_integral_gain_n_per_m: f64 [non_negative],
        /// Moment per yaw rate error.
        yaw_rate_gain_nm_s_per_rad: f64 [non_negative],
        /// Moment per integral of the yaw rate error.
        yaw_integral_gain_nm_per_rad: f64 [non_negative],
        /// Maximum forward speed set-point.
        max_speed_m_s: f64 [positive],
        /// Maximum yaw rate set-point.
        max_yaw_rate_rad_s: f64 [positive],
        /// Maximum acceleration of the speed set-point.
        max_acceleration_m_s2: f64 [positive] = 0.5,
        /// Maximum acceleration of the yaw rate set-point.
        max_yaw_acceleration_rad_s2: f64 [positive] = 0.5,
        /// Guidance to goals and along paths. Default: goals and paths are refused.
        guidance: Option<VelocityGuidance>,
        ..source_of_motion: MotionSource,
    }

    /// Firmware of a multirotor. Gains are along and about the axes of the base link.
    pub struct MultirotorKeys {
        /// Description of the firmware.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Control cycles per second.
        rate_hz: f64 [in 10.0..=10000.0] = 250.0,
        /// Age after which a velocity command is ignored.
        command_timeout_s: f64 [positive] = 0.5,
        /// Force per position error, along forward, left and up.
        position_gain_n_per_m: [f64; 3] [non_negative],
        /// Force per velocity error, along forward, left and up.
        velocity_gain_n_s_per_m: [f64; 3] [non_negative],
        /// Moment per attitude error, about roll, pitch and yaw.
        attitude_gain_nm_per_rad: [f64; 3] [non_negative],
        /// Moment per angular velocity error, about roll, pitch and yaw.
        rate_gain_nm_s_per_rad: [f64; 3] [non_negative],
        /// Maximum horizontal, climb and sink speed.
        max_speed_m_s: [f64; 3] [positive] = [5.0, 2.0, 1.5],
        /// Maximum yaw rate set-point.
        max_yaw_rate_rad_s: f64 [positive] = 1.5,
        /// Maximum acceleration of the velocity set-point.
        max_acceleration_m_s2: f64 [positive] = 3.0,
        /// Maximum commanded tilt angle.
        max_tilt_deg: f64 [in 1.0..=80.0] = 35.0,
        /// Maximum distance of the position set-point from the vehicle.
        max_position_lead_m: f64 [positive] = 1.5,
        /// Height above the start position to which the vehicle takes off.
        takeoff_height_m: f64 [positive] = 1.5,
        /// Speed of take-off and of landing.
        takeoff_landing_speed_m_s: [f64; 2] [positive] = [1.0, 0.5],
        /// Whether the vehicle flies at the start of the run.
        starts_flying: bool = false,
        /// Guidance to goals and along paths. Default: goals and paths are refused.
        guidance: Option<VelocityGuidance>,
        ..source_of_motion: MotionSource,
    }
}

/// Settings of the multirotor firmware, along the axes of the base.
#[derive(Clone, Debug, PartialEq)]
pub struct Multirotor {
    /// Gains and limits of the file.
    pub keys: MultirotorKeys,
    /// Mass of the vehicle [kg].
    pub mass: f64,
    /// Centre of mass in B [m].
    pub p_BoBcm: Vec3,
    /// Inertia about the centre of mass, in B [kg m²].
    pub inertia: Mat3,
}

spec! {
    /// Speed control by a propeller.
    pub struct SpeedControlKeys {
        /// Name of the thruster.
        propeller: String [frame] = "propeller".to_string(),
        /// Thrust per speed error.
        speed_gain_n_s_per_m: f64 [non_negative],
        /// Thrust per integral of the speed error.
        speed_integral_gain_n_per_m: f64 [non_negative],
        /// Maximum forward speed set-point.
        max_speed_m_s: f64 [positive],
        /// Maximum rate of the depth set-point.
        max_climb_m_s: f64 [positive],
        /// Maximum rate of the heading set-point.
        max_yaw_rate_rad_s: f64 [positive],
    }
}

/// Settings of the speed control of a torpedo-shaped vehicle.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedControl {
    /// Gains and limits of the file.
    pub keys: SpeedControlKeys,
    /// Index of the propeller.
    pub propeller: usize,
}

/// Commands that a firmware accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// True if it accepts velocity commands.
    pub velocity: bool,
    /// True if it accepts heading set-points.
    pub heading: bool,
    /// True if it accepts depth set-points.
    pub depth: bool,
    /// True if it moves to goals and along paths.
    pub paths: bool,
    /// How the vehicle uses the height of goals.
    pub height: ControlledHeight,
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
