//! Keys of the firmware of a robot.

use crate::robot::feedback::MotionSourceConfig;
use crate::robot::glider::GliderConfig;
use crate::robot::motion_control::MotionControlConfig;
use crate::robot::sailing::SailingConfig;
use merrow_yaml::spec::{choice, spec};

choice! {
    /// Firmware of the on-board computer.
    pub enum FirmwareConfig {
        /// Controls a multirotor from velocity commands.
        Multirotor = "multirotor" (MultirotorConfig),
        /// Holds heading and depth of a torpedo-shaped vehicle with rudder and hydroplanes.
        HeadingDepthHold = "heading_depth_hold" (HeadingDepthHoldConfig),
        /// Drives the wheels on both sides from velocity commands.
        Drive = "differential_drive" (DifferentialDriveConfig),
        /// Controls surge speed and yaw rate of a surface vehicle from velocity commands.
        SurgeYawRate = "surge_yaw_rate" (SurgeYawRateConfig),
        /// Controls the motion of a vehicle with thrusters in several modes.
        MotionControl = "motion_control" (MotionControlConfig),
        /// Sails along courses and paths, and tacks.
        Sailing = "sailing" (SailingConfig),
        /// Dives and climbs with a glider.
        Glider = "glider" (GliderConfig),
    }
}

spec! {
    /// Firmware of a multirotor. Gains are along and about the axes of the base link.
    pub struct MultirotorConfig {
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
        guidance: Option<VelocityGuidanceConfig>,
        ..source_of_motion: MotionSourceConfig,
    }
}

spec! {
    /// Heading and depth hold. The gains give fin angles per error.
    pub struct HeadingDepthHoldConfig {
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
        cruise: Option<HeadingDepthStartConfig>,
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
        speed_control: Option<SpeedControlConfig>,
        /// Start together with the run. Default: the firmware waits for its first set-point.
        start: Option<HeadingDepthStartConfig>,
        ..source_of_motion: MotionSourceConfig,
    }
}

spec! {
    /// Speed control by a propeller.
    pub struct SpeedControlConfig {
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

spec! {
    /// Guidance to goals and along paths by velocity commands.
    pub struct VelocityGuidanceConfig {
        /// Maximum speed towards a goal and along a path.
        speed_m_s: f64 [positive],
        /// Speed per distance from the goal.
        position_gain_per_s: f64 [positive] = 0.5,
        /// Yaw rate per heading error.
        heading_gain_per_s: f64 [positive] = 1.0,
        /// Look-ahead distance of the line-of-sight guidance.
        look_ahead_m: f64 [positive] = 2.0,
        /// Integral gain of the line-of-sight guidance; 0: no integral.
        cross_track_integral_gain_m_s: f64 [non_negative] = 0.0,
        /// Distance from a waypoint at which the next leg begins, and from a goal at which a
        /// vehicle that cannot move sideways stops.
        acceptance_radius_m: f64 [positive] = 0.5,
    }
}

spec! {
    /// Thruster that is started, and its command.
    pub struct HeadingDepthStartConfig {
        /// Name of the thruster.
        propeller: String [frame] = "propeller".to_string(),
        /// Command of this thruster, in its own unit; a message on `thrusters/...` can change it
        /// later.
        command: f64,
    }
}

spec! {
    /// Firmware of a differential drive.
    pub struct DifferentialDriveConfig {
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
        guidance: Option<VelocityGuidanceConfig>,
        ..source_of_motion: MotionSourceConfig,
    }
}

spec! {
    /// Firmware of a surface vehicle. The gains give thrust and moment per error, distributed by
    /// the thruster allocation.
    pub struct SurgeYawRateConfig {
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
        guidance: Option<VelocityGuidanceConfig>,
        ..source_of_motion: MotionSourceConfig,
    }
}

impl FirmwareConfig {
    /// Returns the source of the parameter values, and which of them are estimated.
    pub fn sources(&self) -> (&str, &str) {
        match self {
            FirmwareConfig::Multirotor(file) => (&file.source, &file.estimated),
            FirmwareConfig::HeadingDepthHold(file) => (&file.source, &file.estimated),
            FirmwareConfig::Drive(file) => (&file.source, &file.estimated),
            FirmwareConfig::SurgeYawRate(file) => (&file.source, &file.estimated),
            FirmwareConfig::MotionControl(file) => (&file.source, &file.estimated),
            FirmwareConfig::Sailing(file) => (&file.source, &file.estimated),
            FirmwareConfig::Glider(file) => (&file.source, &file.estimated),
        }
    }
}
