//! `marine_acoustic_msgs`: readings of acoustic sensors.
//!
//! The header of a sonar's ping is of the instant of transmission. Its frame: z out of the sonar, x up (an imaging sonar) or
//! forward (one that looks down), the fan in y and z.

use bytes::Bytes;

use crate::message::ros_message;
use crate::msg::geometry_msgs::Vector3;
use crate::msg::std_msgs::Header;

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

    /// Settings of a sonar's ping.
    pub struct PingInfo("marine_acoustic_msgs/msg/PingInfo") {
        /// Middle frequency \[Hz\]; 0 if unknown.
        frequency: f32,
        /// Speed of sound that ranges were computed with \[m/s\]; 0 if unknown.
        sound_speed: f32,
        /// Widths of the transmitted beams between their -3 dB points \[rad\]; empty if unknown.
        tx_beamwidths: Vec<f32>,
        /// Widths of the received beams between their -3 dB points \[rad\]; empty if unknown.
        rx_beamwidths: Vec<f32>,
    }

    /// Why a beam is not to be used: bits, none of them if it is good.
    pub struct DetectionFlag("marine_acoustic_msgs/msg/DetectionFlag") {
        /// `DETECT_` constants, added.
        flag: u8,
    } consts {
        DETECT_OK: u8 = 0,
        DETECT_BAD_SONAR: u8 = 1,
        DETECT_BAD_FILTER: u8 = 2,
        DETECT_BAD_USER: u8 = 4,
    }

    /// What a multibeam sonar heard of the bottom, as times and angles; lists have an entry per beam, or none.
    pub struct SonarDetections("marine_acoustic_msgs/msg/SonarDetections") {
        /// When the ping left, and in which frame.
        header: Header,
        /// The ping.
        ping_info: PingInfo,
        /// Which beams are good.
        flags: Vec<DetectionFlag>,
        /// Time to the bottom and back \[s\].
        two_way_travel_times: Vec<f32>,
        /// How much later than the header's time each beam left \[s\].
        tx_delays: Vec<f32>,
        /// Strength of each return, in the sonar's own unit.
        intensities: Vec<f32>,
        /// Steering of each transmitted beam \[rad\], forward positive.
        tx_angles: Vec<f32>,
        /// Steering of each received beam \[rad\], starboard positive.
        rx_angles: Vec<f32>,
    }

    /// What a profiling sonar heard, as ranges along beams; lists have an entry per beam, or none.
    pub struct SonarRanges("marine_acoustic_msgs/msg/SonarRanges") {
        /// When the ping left, and in which frame.
        header: Header,
        /// The ping.
        ping_info: PingInfo,
        /// Which beams are good.
        flags: Vec<DetectionFlag>,
        /// How much later than the header's time each beam left \[s\].
        transmit_delays: Vec<f32>,
        /// Strength of each return, in the sonar's own unit.
        intensities: Vec<f32>,
        /// Direction of each beam, away from the sonar.
        beam_unit_vec: Vec<Vector3>,
        /// Distance along each beam \[m\].
        ranges: Vec<f32>,
    }

    /// Strengths of the echoes of a ping, in the sonar's own unit.
    pub struct SonarImageData("marine_acoustic_msgs/msg/SonarImageData") {
        /// Whether numbers have their highest byte first.
        is_bigendian: bool,
        /// Type of a number, a `DTYPE_` constant.
        dtype: u32,
        /// Number of beams.
        beam_count: u32,
        /// A row per range from the nearest, a number per beam in it.
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

    /// Echoes of a ping over directions and ranges.
    pub struct ProjectedSonarImage("marine_acoustic_msgs/msg/ProjectedSonarImage") {
        /// When the ping left, and in which frame.
        header: Header,
        /// The ping.
        ping_info: PingInfo,
        /// Direction of each beam, away from the sonar.
        beam_directions: Vec<Vector3>,
        /// Middle of each range \[m\], from the nearest.
        ranges: Vec<f32>,
        /// The echoes.
        image: SonarImageData,
    }

    /// Echoes of a ping over beams and time, as a sonar samples them.
    pub struct RawSonarImage("marine_acoustic_msgs/msg/RawSonarImage") {
        /// When the ping left, and in which frame.
        header: Header,
        /// The ping.
        ping_info: PingInfo,
        /// Samples per second \[Hz\].
        sample_rate: f32,
        /// Number of samples of each beam.
        samples_per_beam: u32,
        /// Number of the first sample that is not empty.
        sample0: u32,
        /// How much later than the header's time each beam left \[s\].
        tx_delays: Vec<f32>,
        /// Steering of each transmitted beam \[rad\].
        tx_angles: Vec<f32>,
        /// Steering of each received beam \[rad\].
        rx_angles: Vec<f32>,
        /// The echoes.
        image: SonarImageData,
    }
}
