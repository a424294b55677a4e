//! Keys of the firmware of a robot.

use merrow_model::scene::robot::firmware::{
    DifferentialDriveKeys, HeadingDepthHoldKeys, MultirotorKeys, SurgeYawRate,
};
use merrow_model::scene::robot::glider::GliderKeys;
use merrow_model::scene::robot::motion_control::MotionControlKeys;
use merrow_model::scene::robot::sailing::SailingKeys;
use merrow_yaml::spec::spec;

spec! {
    /// Firmware of the on-board computer.
    pub enum FirmwareConfig {
        /// Controls a multirotor from velocity commands.
        Multirotor = "multirotor" (MultirotorKeys),
        /// Holds heading and depth of a torpedo-shaped vehicle with rudder and hydroplanes.
        HeadingDepthHold = "heading_depth_hold" (HeadingDepthHoldKeys),
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
