//! Keys of the motion controller of a vehicle with thrusters.

use crate::robot::feedback::MotionSourceConfig;
use merrow_yaml::spec::spec;

spec! {
    /// Motion control in up to six degrees of freedom: manual, stabilised, depth and heading hold,
    /// velocity, station keeping and path following. Lists of six values are for surge, sway,
    /// heave, roll, pitch and yaw. Those that the thrusters cannot actuate are ignored.
    pub struct MotionControlConfig {
        /// Description of the firmware.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Control cycles per second.
        rate_hz: f64 [in 1.0..=10000.0] = 50.0,
        /// Age after which a velocity command is ignored.
        command_timeout_s: f64 [positive] = 1.0,
        /// Natural frequencies of the closed loop, which determine the gains by pole placement; 0:
        /// not controlled.
        natural_frequency_rad_s: [f64; 6] [non_negative],
        /// Damping ratios of the closed loop.
        damping_ratio: [f64; 6] [positive] = [1.0; 6],
        /// Integral gain over the product of position gain and natural frequency.
        integral_ratio: f64 [non_negative] = 0.1,
        /// Maximum speed set-points in surge, sway and heave.
        max_speed_m_s: [f64; 3] [positive],
        /// Maximum acceleration of the reference.
        max_acceleration_m_s2: f64 [positive] = 0.2,
        /// Maximum yaw rate set-point.
        max_yaw_rate_rad_s: f64 [positive] = 0.5,
        /// Maximum yaw acceleration of the reference.
        max_yaw_acceleration_rad_s2: f64 [positive] = 0.5,
        /// Maximum roll and pitch set-point.
        max_tilt_deg: f64 [in 0.0..=80.0] = 30.0,
        /// Maximum distance of the position reference from the vehicle.
        max_position_lead_m: f64 [positive] = 1.0,
        /// Maximum angle of the yaw reference from the heading.
        max_yaw_lead_deg: f64 [in 1.0..=170.0] = 60.0,
        /// Force and moment at full deflection of the joystick, over the largest that the thrusters
        /// can exert.
        joystick_ratio: f64 [in 0.01..=1.0] = 0.5,
        /// Axes and buttons of the joystick. Default: axes and buttons of Xbox and PS4 gamepads
        /// with the driver `joy_node`.
        joystick: Option<JoystickConfig>,
        /// Speed along paths. Default: the maximum surge speed.
        path_speed_m_s: Option<f64> [positive],
        /// Look-ahead distance of the line-of-sight guidance.
        look_ahead_m: f64 [positive] = 3.0,
        /// Integral gain of the line-of-sight guidance; 0: no integral.
        cross_track_integral_gain_m_s: f64 [non_negative] = 0.0,
        /// Distance from a waypoint at which the next leg begins.
        acceptance_radius_m: f64 [positive] = 1.0,
        /// Whether the vehicle is armed at the start of the run.
        starts_armed: bool = true,
        ..source_of_motion: MotionSourceConfig,
    }
}

spec! {
    /// Axes and buttons of a joystick, by their indices in `sensor_msgs/Joy`.
    pub struct JoystickConfig {
        /// Axes for surge, sway, heave and yaw.
        axes: [u32; 4] = [4, 3, 1, 0],
        /// Button that requests the mode `manual`.
        manual_button: u32 = 0,
        /// Button that requests the mode `stabilize`.
        stabilize_button: u32 = 1,
        /// Button that requests the mode `depth_hold`.
        depth_hold_button: u32 = 2,
        /// Button that requests the mode `station_keeping`.
        station_keeping_button: u32 = 3,
        /// Button that disarms the vehicle.
        disarm_button: u32 = 4,
        /// Button that arms the vehicle.
        arm_button: u32 = 5,
    }
}
