//! Keys of communication modems: mounting and settings of one modem, and bridges between them.

use merrow_model::scene::comms::MacProtocol;
use merrow_model::scene::comms::bridge::PositionCorrection;
use merrow_model::scene::comms::{ClockError, DropPolicy, PowerControl, QueueLimits, Transceiver};
use merrow_yaml::spec::spec;

spec! {
    /// Modem of a robot, or fixed modem: type, mounting and settings.
    pub struct ModemEntry {
        /// Type of the modem: a name in `params/modems`, a file, or a map.
        modem: Transceiver,
        /// Address, unique among the modems that can communicate with this modem. The copies of a
        /// robot from `repeat` have this address and the following addresses. Default: the lowest
        /// free address, from 1.
        address: Option<u32> [in 0.0..=65534.0],
        /// Link that carries the modem. Default: the base link; without effect for a fixed modem.
        link: Option<String> [frame],
        /// Position on the link (forward, left, up), or in the world (east, north, up) for a fixed
        /// modem.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Axis of the transducer or antenna, in the axes of the link, or of the world for a fixed
        /// modem. Patterns over azimuth and elevation are relative to it.
        axis: [f64; 3] = [1.0, 0.0, 0.0],
        /// Medium access protocol at the start of a run.
        mac: MacProtocol => "{kind: aloha}",
        /// Error of the clock of the modem, which times slots and range measurements.
        clock: ClockError => "{}",
        /// Transmit power at the start of a run. Default: the maximum power.
        power_w: Option<f64> [positive],
        /// Name of the scheme at the start of a run, or `adaptive`: the receiver selects the scheme
        /// by the signal-to-noise ratio.
        scheme: String [not_empty] = "adaptive".to_string(),
        /// Limits of the transmit queue.
        queue: QueueLimits => "{}",
        /// Whether the modem also delivers messages with the address of another modem.
        promiscuous: bool = false,
        /// Adaptive power control: requests for a higher transmit power of a station whose messages
        /// do not arrive. Default: no requests.
        power_control: Option<PowerControl>,
    }

    /// Topic or service that modems transmit between robots. The transmitting modem sends each
    /// message as a packet; the message is published at the receiver when the packet arrives.
    /// Requests and responses of a service are packets in both directions.
    pub struct BridgeEntry {
        /// Transmitting modem, such as `rov/acoustic`; for a service, the modem of the caller.
        from: String [not_empty],
        /// Receiving modem, such as `boat/acoustic`; for a service, the modem of the server. For a
        /// topic also `all`, for one transmission to all modems that can receive it.
        to: String [not_empty],
        /// Topic of the transmitted messages, such as `/rov/pressure/pose`.
        topic: Option<String> [not_empty],
        /// Service that the requests call, such as `/rov/arm`, instead of `topic`.
        service: Option<String> [not_empty],
        /// ROS name of the message type, such as `geometry_msgs/msg/PoseStamped`. Default: the type
        /// of the topic that the simulator publishes.
        message_type: Option<String> [not_empty],
        /// ROS name of the service type, such as `std_srvs/srv/SetBool`. Default: the type of the
        /// service that the simulator offers.
        service_type: Option<String> [not_empty],
        /// Topic of the received messages. Default: the name of the receiving robot or modem,
        /// followed by the topic. Not for `all`.
        received_as: Option<String> [not_empty],
        /// Name under which callers call the service. Default: the name of the robot or modem of
        /// the caller, followed by the service.
        offered_as: Option<String> [not_empty],
        /// Time after which a call without a response ends. The caller then receives no response.
        /// Default: 60 s.
        timeout_s: Option<f64> [in 1e-6..=1e6],
        /// Maximum rate of the transmitted messages or requests; further messages are discarded.
        /// Default: not limited.
        max_rate_hz: Option<f64> [positive],
        /// Priority of the messages; larger first.
        priority: u32 [in 0.0..=255.0] = 0,
        /// Whether a new message replaces a waiting one. Default: `true` for a topic, `false` for a
        /// service.
        newest_only: Option<bool>,
        /// Limits of the waiting messages, for `newest_only: false`, which they imply. Default: the
        /// limits of the queue of the modem.
        queue: Option<BridgeQueueConfig>,
        /// Whether every frame is repeated until it is acknowledged; not for `all`.
        acknowledge: bool = false,
        /// The messages are positions in the frame `world`, by which the firmware of the receiving
        /// robot corrects its position; it uses `feedback: sensors`. Not for `all` or a service.
        fix: Option<PositionCorrection>,
    }

    /// Limits of the waiting messages of a bridge; of a service, of the requests and of the
    /// responses.
    pub struct BridgeQueueConfig {
        /// Maximum number of waiting messages. Default: the limit of the queue of the modem.
        max_messages: Option<u32> [in 1.0..=65536.0],
        /// Time after which a waiting message is discarded. Default: the limit of the queue of the
        /// modem.
        max_age_s: Option<f64> [in 1e-6..=1e6],
        /// Message that is discarded if `max_messages` wait.
        policy: DropPolicy = DropPolicy::Oldest,
    }
}
