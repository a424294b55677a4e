//! `marine_acoustic_msgs`: readings of acoustic sensors.

use super::geometry_msgs::Vector3;
use super::std_msgs::Header;
use crate::ros::message::ros_message;

ros_message! {
    /// Reading of a Doppler velocity log, in the frame of the header.
    pub struct Dvl("marine_acoustic_msgs/msg/Dvl") {
        /// When, and in which frame.
        header: Header,
        /// What the velocity is relative to, a `DVL_MODE_` constant.
        velocity_mode: u8,
        /// Kind of transducer, a `DVL_TYPE_` constant.
        dvl_type: u8,
        /// Velocity of the instrument \[m/s\].
        velocity: Vector3,
        /// Row-major 3x3 of the velocity \[m^2/s^2\]; -1 in the first: unknown.
        velocity_covar: [f64; 9],
        /// Height above the bottom \[m\].
        altitude: f64,
        /// Course over ground \[rad\], as the instrument states it.
        course_gnd: f64,
        /// Speed over ground \[m/s\].
        speed_gnd: f64,
        /// Number of beams with a good return.
        num_good_beams: u8,
        /// Speed of sound that the instrument assumed \[m/s\].
        sound_speed: f32,
        /// Whether `range` and its companions are filled.
        beam_ranges_valid: bool,
        /// Whether `beam_velocity` and its companion are filled.
        beam_velocities_valid: bool,
        /// Direction of each beam, away from the instrument.
        beam_unit_vec: [Vector3; 4],
        /// Distance along each beam \[m\].
        range: [f64; 4],
        /// Variance of each distance \[m^2\].
        range_covar: [f32; 4],
        /// Quality of each return, as the instrument states it.
        beam_quality: [f32; 4],
        /// Velocity along each beam \[m/s\].
        beam_velocity: [f32; 4],
        /// Variance of each velocity \[m^2/s^2\].
        beam_velocity_covar: [f32; 4],
    } consts {
        DVL_MODE_BOTTOM: u8 = 1,
        DVL_MODE_WATER: u8 = 2,
        DVL_TYPE_PISTON: u8 = 0,
        DVL_TYPE_PHASED_ARRAY: u8 = 1,
    }
}
