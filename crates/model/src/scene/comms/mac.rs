//! Medium access protocols and their parameters. The clock of the modem measures all times.

use crate::persist::Persist;
use crate::scene::nanoseconds::Nanoseconds;
use merrow_yaml::spec::spec;

spec! {
    /// Medium access protocol. Its times follow the clock of the modem.
    #[derive(Persist)]
    pub enum MacProtocol plain {
        /// Transmits every frame at once.
        Aloha = "aloha",
        /// Transmits at the start of a slot.
        SlottedAloha = "slotted_aloha" (SlottedAloha),
        /// Resolves conflicts by splitting, with reports of a station; new frames wait for the end
        /// of the resolution.
        WaitingRoom = "waiting_room" (WaitingRoom),
        /// Carrier sense with random backoff.
        CsmaCa = "csma_ca" (CsmaCa),
        /// Carrier sense with detection of collisions.
        CsmaCd = "csma_cd" (CsmaCd),
        /// Transmits in its slots of a periodic schedule.
        Tdma = "tdma" (Tdma),
        /// Transmits in one part of the band.
        Fdma = "fdma" (Fdma),
        /// Controller that polls other modems in turn.
        PollingController = "polling_controller" (PollingController),
        /// Transmits when it is polled.
        Polled = "polled",
    }

    /// Transmits at the start of a slot.
    #[derive(Copy, Eq, Persist)]
    pub struct SlottedAloha plain {
        /// Duration of a slot.
        slot_s: Nanoseconds [in 1e-6..=1e6],
    }

    /// Resolves conflicts by splitting, with reports of a station; new frames wait for the end of
    /// the resolution.
    #[derive(Copy, Eq, Persist)]
    pub struct WaitingRoom plain {
        /// Address of the station, which reports the result of every slot.
        station: u16 [in 0.0..=65534.0],
        /// Duration of a slot: frame, report and twice the longest travel time.
        slot_s: Nanoseconds [in 1e-6..=1e6],
        /// Time of the report after the start of the slot.
        report_s: Nanoseconds [in 1e-6..=1e6],
    }

    /// Carrier sense with random backoff.
    #[derive(Copy, Eq, Persist)]
    pub struct CsmaCa plain {
        /// Time for which the medium must be idle before a transmission.
        space_s: Nanoseconds [in 0.0..=1e6] = Nanoseconds(0),
        /// Number of times the medium may be busy before the frame is discarded.
        max_attempts: u32 [in 1.0..=1000000.0] = 16,
        /// Backoff that follows a busy medium.
        backoff: Backoff,
    }

    /// Backoff of carrier sense.
    #[derive(Copy, Eq, Persist)]
    pub enum Backoff plain {
        /// Senses again after a uniform random delay.
        Nonpersistent = "nonpersistent" {
            /// Maximum delay until the medium is sensed again.
            max_s: Nanoseconds [in 1e-6..=1e6],
        },
        /// Counts a random number of slots during which the medium is idle, then transmits.
        Window = "window" {
            /// Duration of a slot.
            slot_s: Nanoseconds [in 1e-6..=1e6],
            /// Number of slots of the first window.
            min_slots: u32 [in 1.0..=65536.0] = 16,
            /// Number of times the window may double.
            max_doublings: u8 [in 0.0..=16.0] = 6,
        },
    }

    /// Carrier sense with detection of collisions.
    #[derive(Copy, Eq, Persist)]
    pub struct CsmaCd plain {
        /// Time after its arrival from which a signal is sensed.
        window_s: Nanoseconds [in 0.0..=1e6] = Nanoseconds(1_000),
        /// Bits of the shortest frame, which set the unit of the backoff.
        min_frame_bits: u32 [in 1.0..=1000000.0] = 512,
        /// Maximum exponent of the backoff.
        max_exponent: u8 [in 0.0..=16.0] = 10,
        /// Number of collisions after which the frame is discarded.
        max_attempts: u32 [in 1.0..=1000000.0] = 16,
    }

    /// Schedule of time-division multiple access.
    #[derive(Eq, Persist)]
    pub struct Tdma plain {
        /// Period of the schedule.
        frame_s: Nanoseconds [in 1e-6..=1e6],
        /// Slots of this modem, sorted by start: start after the start of the period, and duration
        /// including the guard time.
        slots_s: Vec<[Nanoseconds; 2]> [in 0.0..=1e6, not_empty],
        /// Unused time at the end of every slot.
        guard_s: Nanoseconds [in 0.0..=1e6] = Nanoseconds(0),
    }

    /// Transmits in one part of the band.
    #[derive(Copy, Eq, Persist)]
    pub struct Fdma plain {
        /// Index of the part of the band, from 0.
        channel: u16 [in 0.0..=65534.0],
        /// Number of equal parts of the band.
        channels: u16 [in 1.0..=65535.0],
    }

    /// Controller that polls other modems in turn.
    #[derive(Eq, Persist)]
    pub struct PollingController plain {
        /// Addresses in the order of the polls.
        addresses: Vec<u16> [in 0.0..=65534.0, not_empty],
        /// Time from the end of a poll to the end of the wait for a reply.
        timeout_s: Nanoseconds [in 1e-6..=1e6],
        /// Time between the end of one cycle and the start of the next.
        pause_s: Nanoseconds [in 0.0..=1e6] = Nanoseconds(0),
    }
}
