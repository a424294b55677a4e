//! `nmea_msgs`: sentences in the format of NMEA 0183.

use merrow_ros2::message::ros_message;
use merrow_ros2::msg::std_msgs::Header;

ros_message! {
    /// One NMEA 0183 sentence.
    pub struct Sentence("nmea_msgs/msg/Sentence") {
        /// Measurement time, and frame of the data.
        header: Header,
        /// Sentence without its line ending.
        sentence: String,
    }
}
