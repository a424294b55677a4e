//! `nmea_msgs`: sentences of NMEA 0183 and what is written like them.

use crate::message::ros_message;
use crate::msg::std_msgs::Header;

ros_message! {
    /// One sentence.
    pub struct Sentence("nmea_msgs/msg/Sentence") {
        /// When, and in which frame.
        header: Header,
        /// The sentence, without the end of its line.
        sentence: String,
    }
}
