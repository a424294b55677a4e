//! Causes of loss and counters of packets.

use crate::persist::Persist;
use merrow_yaml::spec::spec;

spec! {
    /// Cause for which a packet did not reach its destination.
    #[derive(Persist)]
    pub enum LossCause words {
        /// Terrain lies between the ends.
        Terrain = "terrain",
        /// A structure lies between the ends.
        Structure = "structure",
        /// A robot lies between the ends.
        Robot = "robot",
        /// One end is in the other medium.
        Surface = "surface",
        /// No refracted ray connects the ends.
        ShadowZone = "shadow zone",
        /// The receiver is outside the field of view or the beam of the device.
        OutOfView = "out of view",
        /// No satellite is in view of one end, or an obstacle blocks the path to it.
        NoSatellite = "no satellite",
        /// The signal is too weak to be detected.
        BelowThreshold = "below threshold",
        /// Another signal overlaps the frame.
        Collision = "collision",
        /// The receiver transmits at the time.
        HalfDuplex = "half duplex",
        /// Noise damaged the frame.
        BitErrors = "bit errors",
        /// The transmitter detected a collision and ended the transmission.
        Aborted = "aborted",
        /// The medium was busy too often.
        ChannelBusy = "channel busy",
        /// The transmit queue is full.
        QueueOverflow = "queue overflow",
        /// The message waited too long.
        TimeOut = "time-out",
        /// A newer message with the same key replaced it.
        Replaced = "replaced",
        /// The frame is longer than every slot.
        TooLarge = "too large",
        /// The transmitter or the receiver is switched off.
        NoPower = "no power",
        /// The receiver is outside the maximum range of the device.
        OutOfRange = "out of range",
        /// The transmitter or the receiver was removed from the world.
        Removed = "removed",
        /// The loss probability of the network applied.
        RandomLoss = "random loss",
        /// The transmitter or the receiver has a fault.
        Fault = "fault",
    }
}

impl LossCause {
    /// Returns the cause under which the state counts the loss: the counts of frames out of view
    /// include frames out of range, which the packet log separates.
    pub fn counted(self) -> Self {
        match self {
            Self::OutOfRange => Self::OutOfView,
            other => other,
        }
    }
}

/// Numbers of packets by result, since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct PacketCounts {
    /// Number of packets that entered, including packets that are neither delivered nor lost.
    pub entered: u64,
    /// Number of packets that reached their destination, without duplicates.
    pub delivered: u64,
    /// Number of further receptions of a packet that had been delivered.
    pub duplicates: u64,
    /// Number of lost packets by cause, in the order of [`LossCause::ALL`].
    pub lost: [u64; LossCause::ALL.len()],
}

impl PacketCounts {
    /// Counts a lost packet.
    #[inline]
    pub fn lose(&mut self, cause: LossCause) {
        self.lost[cause as usize] += 1;
    }

    /// Returns the number of packets that were lost for `cause`.
    pub fn lost_by(&self, cause: LossCause) -> u64 {
        self.lost[cause as usize]
    }

    /// Returns the number of packets that are neither delivered nor lost.
    pub fn open(&self) -> u64 {
        let ended = self.delivered + self.lost.iter().sum::<u64>();
        self.entered.saturating_sub(ended)
    }
}
