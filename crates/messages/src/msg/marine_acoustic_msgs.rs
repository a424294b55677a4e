//! `marine_acoustic_msgs`: readings of acoustic sensors.
//!
//! The header of a sonar ping has the time of transmission. Its frame has z out of the sonar, and x
//! up (imaging sonar) or forward (downward-looking sonar). The fan lies in the y-z plane.

use bytes::Bytes;

use merrow_ros2::message::ros_message;
use merrow_ros2::msg::geometry_msgs::Vector3;
use merrow_ros2::msg::std_msgs::Header;

ros_message! {
    /// Reading of a Doppler velocity log, in the frame of the header.
    pub struct Dvl("marine_acoustic_msgs/msg/Dvl") {
        /// Measurement time, and frame of the data.
        header: Header,
        /// Reference of the velocity, a `DVL_MODE_` constant.
        velocity_mode: u8,
        /// Kind of transducer, a `DVL_TYPE_` constant.
        dvl_type: u8,
        /// Velocity of the instrument \[m/s\].
        velocity: Vector3,
        /// Covariance of the velocity, row-major 3x3 \[m^2/s^2\]; -1 in the first element means
        /// unknown.
        velocity_covar: [f64; 9],
        /// Altitude above the seabed \[m\].
        altitude: f64,
        /// Course over ground \[rad\], as reported by the instrument.
        course_gnd: f64,
        /// Speed over ground \[m/s\].
        speed_gnd: f64,
        /// Number of beams with a valid return.
        num_good_beams: u8,
        /// Speed of sound assumed by the instrument \[m/s\].
        sound_speed: f32,
        /// Whether `range`, `range_covar` and `beam_quality` are valid.
        beam_ranges_valid: bool,
        /// Whether `beam_velocity` and `beam_velocity_covar` are valid.
        beam_velocities_valid: bool,
        /// Unit vector of each beam, away from the instrument.
        beam_unit_vec: [Vector3; 4],
        /// Distance along each beam \[m\].
        range: [f64; 4],
        /// Variance of each distance \[m^2\].
        range_covar: [f32; 4],
        /// Quality of each return, as reported by the instrument.
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

    /// Settings of a sonar ping.
    pub struct PingInfo("marine_acoustic_msgs/msg/PingInfo") {
        /// Centre frequency \[Hz\]; 0 if unknown.
        frequency: f32,
        /// Speed of sound used to compute ranges \[m/s\]; 0 if unknown.
        sound_speed: f32,
        /// -3 dB beamwidths of the transmitted beams \[rad\]; empty if unknown.
        tx_beamwidths: Vec<f32>,
        /// -3 dB beamwidths of the received beams \[rad\]; empty if unknown.
        rx_beamwidths: Vec<f32>,
    }

    /// Reasons why a beam is invalid, as bits; no bit is set for a valid beam.
    pub struct DetectionFlag("marine_acoustic_msgs/msg/DetectionFlag") {
        /// Sum of `DETECT_` constants.
        flag: u8,
    } consts {
        DETECT_OK: u8 = 0,
        DETECT_BAD_SONAR: u8 = 1,
        DETECT_BAD_FILTER: u8 = 2,
        DETECT_BAD_USER: u8 = 4,
    }

    /// Seabed detections of a multibeam sonar as travel times and angles. Lists have one entry per
    /// beam, or none.
    pub struct SonarDetections("marine_acoustic_msgs/msg/SonarDetections") {
        /// Transmission time of the ping, and frame of the data.
        header: Header,
        /// Settings of the ping.
        ping_info: PingInfo,
        /// Quality flags of the beams.
        flags: Vec<DetectionFlag>,
        /// Two-way travel time to the seabed \[s\].
        two_way_travel_times: Vec<f32>,
        /// Delay of each beam's transmission after the header's time \[s\].
        tx_delays: Vec<f32>,
        /// Strength of each return, in the sonar's own unit.
        intensities: Vec<f32>,
        /// Steering angle of each transmitted beam \[rad\], forward positive.
        tx_angles: Vec<f32>,
        /// Steering angle of each received beam \[rad\], starboard positive.
        rx_angles: Vec<f32>,
    }

    /// Detections of a profiling sonar as ranges along beams. Lists have one entry per beam, or
    /// none.
    pub struct SonarRanges("marine_acoustic_msgs/msg/SonarRanges") {
        /// Transmission time of the ping, and frame of the data.
        header: Header,
        /// Settings of the ping.
        ping_info: PingInfo,
        /// Quality flags of the beams.
        flags: Vec<DetectionFlag>,
        /// Delay of each beam's transmission after the header's time \[s\].
        transmit_delays: Vec<f32>,
        /// Strength of each return, in the sonar's own unit.
        intensities: Vec<f32>,
        /// Unit vector of each beam, away from the sonar.
        beam_unit_vec: Vec<Vector3>,
        /// Distance along each beam \[m\].
        ranges: Vec<f32>,
    }

    /// Echo strengths of a ping, in the sonar's own unit.
    pub struct SonarImageData("marine_acoustic_msgs/msg/SonarImageData") {
        /// Whether numbers are stored in big-endian order.
        is_bigendian: bool,
        /// Data type of a number, a `DTYPE_` constant.
        dtype: u32,
        /// Number of beams in the image.
        beam_count: u32,
        /// One row per range, nearest first, with one number per beam.
        data: Bytes,
    } consts {
        DTYPE_UINT8: u32 = 0,
        DTYPE_INT8: u32 = 1,
        DTYPE_UINT16: u32 = 2,
        DTYPE_INT16: u32 = 3,
        DTYPE_UINT32: u32 = 4,
        DTYPE_INT32: u32 = 5,
        DTYPE_UINT64: u32 = 6,
        DTYPE_INT64: u32 = 7,
        DTYPE_FLOAT32: u32 = 8,
        DTYPE_FLOAT64: u32 = 9,
    }

    /// Echo strengths of a ping over directions and ranges.
    pub struct ProjectedSonarImage("marine_acoustic_msgs/msg/ProjectedSonarImage") {
        /// Transmission time of the ping, and frame of the data.
        header: Header,
        /// Settings of the ping.
        ping_info: PingInfo,
        /// Unit vector of each beam, away from the sonar.
        beam_directions: Vec<Vector3>,
        /// Centre of each range bin \[m\], nearest first.
        ranges: Vec<f32>,
        /// Echo strengths of the ping.
        image: SonarImageData,
    }

    /// Echo strengths of a ping over beams and time, as sampled by the sonar.
    pub struct RawSonarImage("marine_acoustic_msgs/msg/RawSonarImage") {
        /// Transmission time of the ping, and frame of the data.
        header: Header,
        /// Settings of the ping.
        ping_info: PingInfo,
        /// Sampling rate of the echoes \[Hz\].
        sample_rate: f32,
        /// Number of samples of each beam.
        samples_per_beam: u32,
        /// Index of the first sample that is not empty.
        sample0: u32,
        /// Delay of each beam's transmission after the header's time \[s\].
        tx_delays: Vec<f32>,
        /// Steering angle of each transmitted beam \[rad\].
        tx_angles: Vec<f32>,
        /// Steering angle of each received beam \[rad\].
        rx_angles: Vec<f32>,
        /// Echo strengths of the ping.
        image: SonarImageData,
    }
}
