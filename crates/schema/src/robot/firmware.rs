//! Keys of the firmware of a robot.

use merrow_model::scene::robot::feedback::MotionSource;
use merrow_model::scene::robot::firmware::{
    DifferentialDriveKeys, MultirotorKeys, SpeedControlKeys, SurgeYawRate,
};
use merrow_model::scene::robot::glider::GliderKeys;
use merrow_model::scene::robot::motion_control::MotionControlKeys;
use merrow_model::scene::robot::sailing::SailingKeys;
use merrow_yaml::spec::{choice, spec};

choice! {
    /// Firmware of the on-board computer.
    pub enum FirmwareConfig {
        /// Controls a multirotor from velocity commands.
        Multirotor = "multirotor" (MultirotorKeys),
        /// Holds heading and depth of a torpedo-shaped vehicle with rudder and hydroplanes.
        HeadingDepthHold = "heading_depth_hold" (HeadingDepthHoldConfig),
        /// Drives the wheels on both sides from velocity commands.
        Drive = "differential_drive" (DifferentialDriveKeys),
        /// Controls surge speed and yaw rate of a surface vehicle from velocity commands.
        SurgeYawRate = "surge_yaw_rate" (SurgeYawRate),
        /// Controls the motion of a vehicle with thrusters in several modes.
        MotionControl = "motion_control" (MotionControlKeys),
        /// Sails along courses and paths, and tacks.
        Sailing = "sailing" (SailingKeys),
        /// Dives and climbs with a glider.
        Glider = "glider" (GliderKeys),
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
        speed_control: Option<SpeedControlKeys>,
        /// Start together with the run. Default: the firmware waits for its first set-point.
        start: Option<HeadingDepthStartConfig>,
        ..source_of_motion: MotionSource,
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
