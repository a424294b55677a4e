//! Causes of loss and counters of packets.

use crate::persist::Persist;

/// Cause for which a packet did not reach its destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
#[repr(u8)]
pub enum LossCause {
    /// Terrain lies between the ends.
    Terrain,
    /// A structure lies between the ends.
    Structure,
    /// A robot lies between the ends.
    Robot,
    /// One end is in the other medium.
    Surface,
    /// No refracted ray connects the ends.
    ShadowZone,
    /// The receiver is outside the field of view or the beam of the device.
    OutOfView,
    /// No satellite is in view of one end, or an obstacle blocks the path to it.
    NoSatellite,
    /// The signal is too weak to be detected.
    BelowThreshold,
    /// Another signal overlaps the frame.
    Collision,
    /// The receiver transmits at the time.
    HalfDuplex,
    /// Noise damaged the frame.
    BitErrors,
    /// The transmitter detected a collision and ended the transmission.
    Aborted,
    /// The medium was busy too often.
    ChannelBusy,
    /// The transmit queue is full.
    QueueOverflow,
    /// The message waited too long.
    TimeOut,
    /// A newer message with the same key replaced it.
    Replaced,
    /// The frame is longer than every slot.
    TooLarge,
    /// The transmitter or the receiver is switched off.
    NoPower,
    /// The receiver is outside the maximum range of the device.
    OutOfRange,
    /// The transmitter or the receiver was removed from the world.
    Removed,
    /// The loss probability of the network applied.
    RandomLoss,
    /// The transmitter or the receiver has a fault.
    Fault,
}

impl LossCause {
    /// All causes, in the order of their numbers.
    pub const ALL: [Self; 22] = [
        Self::Terrain,
        Self::Structure,
        Self::Robot,
        Self::Surface,
        Self::ShadowZone,
        Self::OutOfView,
        Self::NoSatellite,
        Self::BelowThreshold,
        Self::Collision,
        Self::HalfDuplex,
        Self::BitErrors,
        Self::Aborted,
        Self::ChannelBusy,
        Self::QueueOverflow,
        Self::TimeOut,
        Self::Replaced,
        Self::TooLarge,
        Self::NoPower,
        Self::OutOfRange,
        Self::Removed,
        Self::RandomLoss,
        Self::Fault,
    ];

    /// Returns the cause under which the state counts the loss: the counts of frames out of view
    /// include frames out of range, which the packet log separates.
    pub fn counted(self) -> Self {
        match self {
            Self::OutOfRange => Self::OutOfView,
            other => other,
        }
    }

    /// Returns the name of the cause in messages and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Terrain => "terrain",
            Self::Structure => "structure",
            Self::Robot => "robot",
            Self::Surface => "surface",
            Self::ShadowZone => "shadow zone",
            Self::OutOfView => "out of view",
            Self::NoSatellite => "no satellite",
            Self::BelowThreshold => "below threshold",
            Self::Collision => "collision",
            Self::HalfDuplex => "half duplex",
            Self::BitErrors => "bit errors",
            Self::Aborted => "aborted",
            Self::ChannelBusy => "channel busy",
            Self::QueueOverflow => "queue overflow",
            Self::TimeOut => "time-out",
            Self::Replaced => "replaced",
            Self::TooLarge => "too large",
            Self::NoPower => "no power",
            Self::OutOfRange => "out of range",
            Self::Removed => "removed",
            Self::RandomLoss => "random loss",
            Self::Fault => "fault",
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
