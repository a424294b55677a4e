//! Messages and services of communication modems.

use merrow_ros2::message::{ros_message, ros_service};
use merrow_ros2::msg::builtin_interfaces::Time;
use merrow_ros2::msg::std_msgs::Header;

ros_message! {
    /// A message to be sent by a modem, or a message that a modem received.
    pub struct Packet("merrow_msgs/msg/Packet") {
        /// Received: end of the arrival of the last frame; frame of the modem. Not used for
        /// sending.
        header: Header,
        /// Address of the sender. Not used for sending.
        source: u16,
        /// Address of the receiver; 65535: all modems.
        destination: u16,
        /// Priority; messages with larger numbers are sent first.
        priority: u8,
        /// Whether the receiver acknowledges every frame. Not possible for a broadcast.
        acknowledge: bool,
        /// A waiting message with the same key and destination is replaced; 0: none is replaced.
        key: u32,
        /// Electrical transmit power \[W\]; 0: power of the modem.
        power: f64,
        /// Received: time of the request to send.
        sent: Time,
        /// Received: ratio of signal to noise \[dB\].
        snr: f32,
        /// Received: relative frequency shift, positive while the modems approach each other.
        doppler: f32,
        /// Received: whether the message has the address of another modem.
        overheard: bool,
        /// Content of the message.
        data: Vec<u8>,
    }

    /// State of a modem.
    pub struct ModemStatus("merrow_msgs/msg/ModemStatus") {
        /// Time of the status; frame of the modem.
        header: Header,
        /// Address of the modem.
        address: u16,
        /// Activity: off, idle, wait, receive, collide, transmit.
        activity: String,
        /// Medium access protocol of the modem.
        mac: String,
        /// Scheme of modulation and coding; adaptive: selected by the ratio of signal to noise.
        scheme: String,
        /// Electrical transmit power \[W\]: the set power, or the greatest power that power control
        /// requested.
        power: f64,
        /// Number of waiting messages.
        queued: u32,
        /// Sum of the sizes of the waiting messages \[byte\].
        queued_bytes: u64,
        /// Energy since the start of the run \[J\].
        energy: f64,
        /// Kinds of the active faults, separated by commas; empty: none.
        fault: String,
    }

    /// State of the link from one modem to another.
    pub struct LinkStatus("merrow_msgs/msg/LinkStatus") {
        /// Name of the transmitting modem.
        transmitter: String,
        /// Name of the receiving modem.
        receiver: String,
        /// Ratio of mean signal to noise at the last frame \[dB\].
        snr: f32,
        /// Travel time of the last frame \[s\].
        delay: f64,
        /// Number of frames that have ended at all receivers.
        frames: u64,
        /// Number of frames that were received.
        received: u64,
        /// Number of received bits.
        bits: u64,
        /// Number of lost frames over the number of frames.
        loss: f64,
        /// Duration of all frames over the time since the start of the run.
        load: f64,
        /// Number of frames that were lost by the loss probability of the network.
        random_losses: u64,
    }

    /// State of all links on which a frame was transmitted.
    pub struct LinkTable("merrow_msgs/msg/LinkTable") {
        /// Time of the table.
        header: Header,
        /// States of the links.
        links: Vec<LinkStatus>,
    }

    /// End of a frame at a receiver, or of a message that was never transmitted.
    pub struct PacketRecord("merrow_msgs/msg/PacketRecord") {
        /// Time of the record.
        stamp: Time,
        /// Start of the transmission; time of the request if the message was not transmitted.
        start: Time,
        /// Name of the transmitting modem.
        transmitter: String,
        /// Name of the receiving modem.
        receiver: String,
        /// Number of the message since the start of the run; -1 for a control frame.
        message: i64,
        /// Index of the frame in the message.
        fragment: u8,
        /// Number of bits; 0 if it was not transmitted.
        bits: u32,
        /// Ratio of signal to noise \[dB\]; -inf without a signal.
        snr: f32,
        /// Cause of the loss; empty: received.
        cause: String,
    }

    /// Frames that ended since the last message.
    pub struct PacketLog("merrow_msgs/msg/PacketLog") {
        /// Time of the message.
        header: Header,
        /// The records, by time.
        packets: Vec<PacketRecord>,
    }

    /// Interval in which the activity of a modem is constant.
    pub struct ModemActivity("merrow_msgs/msg/ModemActivity") {
        /// Name of the modem.
        modem: String,
        /// Activity: off, idle, wait, receive, collide, transmit.
        activity: String,
        /// Start of the interval.
        start: Time,
        /// End of the interval.
        end: Time,
    }

    /// Intervals that ended since the last message.
    pub struct ModemSchedule("merrow_msgs/msg/ModemSchedule") {
        /// Time of the message.
        header: Header,
        /// The intervals, by their end.
        intervals: Vec<ModemActivity>,
    }
}

ros_service! {
    /// Sets the transmit power of a modem.
    pub struct SetModemPower("merrow_msgs/srv/SetModemPower") {
        request SetModemPowerRequest {
            /// Electrical transmit power \[W\].
            power: f64,
        }
        response SetModemPowerResponse {
            /// Whether the power was set.
            success: bool,
            /// Reason for a failure, as text for users.
            message: String,
        }
    }

    /// Sets the data rate of a modem.
    pub struct SetModemRate("merrow_msgs/srv/SetModemRate") {
        request SetModemRateRequest {
            /// Name of a scheme of the modem, or adaptive.
            scheme: String,
        }
        response SetModemRateResponse {
            /// Whether the rate was set.
            success: bool,
            /// Reason for a failure, as text for users.
            message: String,
        }
    }

    /// Sets the medium access protocol of a modem.
    pub struct SetModemMac("merrow_msgs/srv/SetModemMac") {
        request SetModemMacRequest {
            /// Protocol in YAML, as the key mac of a world file, such as
            /// {kind: slotted_aloha, slot_s: 0.5}.
            mac: String,
        }
        response SetModemMacResponse {
            /// Whether the protocol was set.
            success: bool,
            /// Reason for a failure, as text for users.
            message: String,
        }
    }

    /// Starts a range measurement of a modem; the result is published.
    pub struct MeasureRange("merrow_msgs/srv/MeasureRange") {
        request MeasureRangeRequest {
            /// Address of the other modem; 65535 with one_way: all modems.
            destination: u16,
            /// True: one signal, timed by the clocks of both modems; false: request and reply.
            one_way: bool,
        }
        response MeasureRangeResponse {
            /// Whether the measurement was started.
            success: bool,
            /// Reason for a failure, as text for users.
            message: String,
        }
    }
}
