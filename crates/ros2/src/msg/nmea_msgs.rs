//! `nmea_msgs`: sentences in the format of NMEA 0183.

use crate::message::ros_message;
use crate::msg::std_msgs::Header;

ros_message! {
    /// One NMEA 0183 sentence.
    pub struct Sentence("nmea_msgs/msg/Sentence") {
        /// Measurement time, and frame of the data.
        header: Header,
        /// Sentence without its line ending.
        sentence: String,
    }
}
