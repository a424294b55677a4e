//! `marine_sensor_msgs`: radar, and optical probes of the water.

use crate::message::ros_message;
use crate::msg::builtin_interfaces::Duration;
use crate::msg::std_msgs::Header;

ros_message! {
    /// Echoes along one ray of a radar; part of a sector, never alone.
    pub struct RadarEcho("marine_sensor_msgs/msg/RadarEcho") {
        /// Strengths from the nearest range to the farthest, in the radar's own unit.
        echoes: Vec<f32>,
    }

    /// Some neighbouring rays of a radar: angles about z of the frame of the header, from x towards y.
    pub struct RadarSector("marine_sensor_msgs/msg/RadarSector") {
        /// When the first ray left, and in which frame.
        header: Header,
        /// Angle of the first ray \[rad\].
        angle_start: f32,
        /// Angle from one ray to the next \[rad\].
        angle_increment: f32,
        /// Time from one ray to the next.
        time_increment: Duration,
        /// Time of one turn of the antenna.
        scan_time: Duration,
        /// Range of the first echo of a ray \[m\].
        range_min: f32,
        /// Range of the last echo of a ray \[m\].
        range_max: f32,
        /// The rays.
        intensities: Vec<RadarEcho>,
    }

    /// Turbidity of the water.
    pub struct TurbidityNTU("marine_sensor_msgs/msg/TurbidityNTU") {
        /// When, and where.
        header: Header,
        /// Turbidity \[NTU\].
        ntu: f32,
    }
}
