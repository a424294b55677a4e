//! `marine_sensor_msgs`: radar, and optical sensors of water properties.

use merrow_ros2::message::ros_message;
use merrow_ros2::msg::builtin_interfaces::Duration;
use merrow_ros2::msg::std_msgs::Header;

ros_message! {
    /// Echoes along one ray of a radar, as part of a sector.
    pub struct RadarEcho("marine_sensor_msgs/msg/RadarEcho") {
        /// Echo strengths from the nearest to the farthest range, in the radar's own unit.
        echoes: Vec<f32>,
    }

    /// Adjacent rays of a radar. Angles are about z of the frame of the header, from x towards y.
    pub struct RadarSector("marine_sensor_msgs/msg/RadarSector") {
        /// Transmission time of the first ray, and frame of the data.
        header: Header,
        /// Angle of the first ray \[rad\].
        angle_start: f32,
        /// Angle from one ray to the next \[rad\].
        angle_increment: f32,
        /// Time from one ray to the next.
        time_increment: Duration,
        /// Rotation period of the antenna.
        scan_time: Duration,
        /// Range of the first echo of a ray \[m\].
        range_min: f32,
        /// Range of the last echo of a ray \[m\].
        range_max: f32,
        /// Echoes of each ray.
        intensities: Vec<RadarEcho>,
    }

    /// Turbidity of the water.
    pub struct TurbidityNTU("marine_sensor_msgs/msg/TurbidityNTU") {
        /// Measurement time, and frame of the sensor.
        header: Header,
        /// Measured value of the turbidity \[NTU\].
        ntu: f32,
    }
}
