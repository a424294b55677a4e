//! Serial feed of a robot's own computer.

use merrow_yaml::spec::spec;

spec! {
    /// Serial line between the own computer of the robot and another one, as a pseudoterminal: lines
    /// with navigation from it, and with set-points for its firmware to it.
    pub struct SerialFeed {
        /// Rate of the line; lines that exceed it are lost.
        baud: u32 [in 300.0..=4000000.0] = 57600,
        /// Rate of the navigation, in simulated time.
        rate_hz: f64 [in 0.1..=100.0] = 10.0,
        /// INS of the robot whose estimate is the navigation. Default: the true motion.
        navigation: Option<String>,
    }
}
