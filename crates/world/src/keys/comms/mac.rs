//! Keys of medium access protocols.

use merrow_yaml::spec::{choice, spec};

choice! {
    /// Medium access protocol. Its times follow the clock of the modem.
    pub enum MacConfig {
        /// Transmits every frame at once.
        Aloha = "aloha",
        /// Transmits at the start of a slot.
        SlottedAloha = "slotted_aloha" {
            /// Duration of a slot.
            slot_s: f64 [in 1e-6..=1e6],
        },
        /// Resolves conflicts by splitting, with reports of a station; new frames wait for the end
        /// of the resolution.
        WaitingRoom = "waiting_room" {
            /// Address of the station, which reports the result of every slot.
            station: u32 [in 0.0..=65534.0],
            /// Duration of a slot: frame, report and twice the longest travel time.
            slot_s: f64 [in 1e-6..=1e6],
            /// Time of the report after the start of the slot.
            report_s: f64 [in 1e-6..=1e6],
        },
        /// Carrier sense with random backoff.
        CsmaCa = "csma_ca" (CsmaCaConfig),
        /// Carrier sense with detection of collisions.
        CsmaCd = "csma_cd" (CsmaCdConfig),
        /// Transmits in its slots of a periodic schedule.
        Tdma = "tdma" (TdmaConfig),
        /// Transmits in one part of the band.
        Fdma = "fdma" {
            /// Index of the part of the band, from 0.
            channel: u32 [in 0.0..=65534.0],
            /// Number of equal parts of the band.
            channels: u32 [in 1.0..=65535.0],
        },
        /// Controller that polls other modems in turn.
        PollingController = "polling_controller" {
            /// Addresses in the order of the polls.
            addresses: Vec<u32> [in 0.0..=65534.0, not_empty],
            /// Time from the end of a poll to the end of the wait for a reply.
            timeout_s: f64 [in 1e-6..=1e6],
            /// Time between the end of one cycle and the start of the next.
            pause_s: f64 [in 0.0..=1e6] = 0.0,
        },
        /// Transmits when it is polled.
        Polled = "polled",
    }
}

spec! {
    /// Carrier sense with random backoff.
    pub struct CsmaCaConfig {
        /// Time for which the medium must be idle before a transmission.
        space_s: f64 [in 0.0..=1e6] = 0.0,
        /// Number of times the medium may be busy before the frame is discarded.
        max_attempts: u32 [in 1.0..=1000000.0] = 16,
        /// Backoff that follows a busy medium.
        backoff: BackoffConfig,
    }
}

choice! {
    /// Backoff of carrier sense.
    pub enum BackoffConfig {
        /// Senses again after a uniform random delay.
        Nonpersistent = "nonpersistent" {
            /// Maximum delay until the medium is sensed again.
            max_s: f64 [in 1e-6..=1e6],
        },
        /// Counts a random number of slots during which the medium is idle, then transmits.
        Window = "window" {
            /// Duration of a slot.
            slot_s: f64 [in 1e-6..=1e6],
            /// Number of slots of the first window.
            min_slots: u32 [in 1.0..=65536.0] = 16,
            /// Number of times the window may double.
            max_doublings: u32 [in 0.0..=16.0] = 6,
        },
    }
}

spec! {
    /// Carrier sense with detection of collisions.
    pub struct CsmaCdConfig {
        /// Time after its arrival from which a signal is sensed.
        window_s: f64 [in 0.0..=1e6] = 1e-6,
        /// Bits of the shortest frame, which set the unit of the backoff.
        min_frame_bits: u32 [in 1.0..=1000000.0] = 512,
        /// Maximum exponent of the backoff.
        max_exponent: u32 [in 0.0..=16.0] = 10,
        /// Number of collisions after which the frame is discarded.
        max_attempts: u32 [in 1.0..=1000000.0] = 16,
    }
}

spec! {
    /// Schedule of time-division multiple access.
    pub struct TdmaConfig {
        /// Period of the schedule.
        frame_s: f64 [in 1e-6..=1e6],
        /// Slots of this modem, sorted by start: start after the start of the period, and duration
        /// including the guard time.
        slots_s: Vec<[f64; 2]> [in 0.0..=1e6, not_empty],
        /// Unused time at the end of every slot.
        guard_s: f64 [in 0.0..=1e6] = 0.0,
    }
}
