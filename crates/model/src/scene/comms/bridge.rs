//! Topics and services that modems transmit between robots.

use crate::scene::comms::queue::BridgeQueue;
use merrow_yaml::spec::spec;

/// Topic of one robot whose messages a modem transmits to other robots.
#[derive(Clone, Debug, PartialEq)]
pub struct Bridge {
    /// Name of the bridge.
    pub name: String,
    /// Index of the transmitting modem.
    pub from: usize,
    /// Receivers: index of the modem and topic of the received messages, without the leading slash.
    pub to: Vec<(usize, String)>,
    /// Whether one transmission reaches all receivers; otherwise there is one receiver.
    pub is_broadcast: bool,
    /// Topic of the transmitted messages, without the leading slash.
    pub topic: String,
    /// ROS name of the message type.
    pub message_type: String,
    /// Minimum time between two transmitted messages [ns].
    pub min_interval_ns: u64,
    /// Priority of the messages; larger first.
    pub priority: u8,
    /// Limits of the waiting messages.
    pub queue: BridgeQueue,
    /// Whether every frame is repeated until it is acknowledged.
    pub is_acknowledged: bool,
    /// Correction of the firmware of the receiving robot by the messages; `None`: they are not
    /// positions of the robot.
    pub fix: Option<PositionCorrection>,
}

spec! {
    /// Correction of the position that the firmware of the receiving robot estimates.
    pub struct PositionCorrection {
        /// Measured point on the base of the robot, such as its transponder (forward, left, up).
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Time constant with which an error is corrected.
        correction_time_s: f64 [in 1e-3..=1e6] = 2.0,
    }
}

/// Service of one robot that another robot calls over modems.
#[derive(Clone, Debug, PartialEq)]
pub struct ServiceBridge {
    /// Name of the bridge.
    pub name: String,
    /// Index of the modem of the caller, which transmits the requests.
    pub from: usize,
    /// Index of the modem of the server, which transmits the responses.
    pub to: usize,
    /// Name of the service, without the leading slash.
    pub service: String,
    /// Name under which the service is offered to callers, without the leading slash.
    pub offered_as: String,
    /// ROS name of the service type; empty: the type of the simulator's service.
    pub service_type: String,
    /// Minimum time between two transmitted requests [ns].
    pub min_interval_ns: u64,
    /// Time after which a call without a response ends [ns].
    pub timeout_ns: u64,
    /// Priority of requests and responses; larger first.
    pub priority: u8,
    /// Limits of the waiting requests, and of the waiting responses.
    pub queue: BridgeQueue,
    /// Whether every frame is repeated until it is acknowledged.
    pub is_acknowledged: bool,
}
