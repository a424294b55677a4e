//! Measurements and random numbers for medium access protocols.

use crate::network::clock;
use merrow_math::rng::Stream;
use merrow_model::state::comms::modem::ClockState;
use merrow_model::state::comms::signal::ControlKind;

/// Measurements of one modem at one instant.
pub(crate) struct MacContext<'a> {
    /// Simulated time of the decision [ns].
    pub(crate) now_ns: u64,
    /// Clock of the modem.
    pub(crate) clock: ClockState,
    /// Address of the modem.
    pub(crate) address: u16,
    /// Whether a data frame or a control frame waits for medium access.
    pub(crate) has_frame: bool,
    /// Duration of the frame that waits [ns].
    pub(crate) frame_ns: u64,
    /// Whether a signal is arriving.
    pub(crate) is_busy: bool,
    /// Start of the current busy or idle period [ns].
    pub(crate) since_ns: u64,
    /// Total duration of all busy periods so far [ns].
    pub(crate) busy_ns: u64,
    /// Time at which the arriving signals end [ns].
    pub(crate) idle_ns: u64,
    /// Data rate of the modem [bit/s].
    pub(crate) bit_rate: f64,
    /// Random numbers of the modem.
    pub(crate) stream: &'a Stream,
    /// Number of random numbers drawn.
    pub(crate) draws: &'a mut u64,
}

impl MacContext<'_> {
    /// Draws from the uniform distribution from 0 (included) to 1 (excluded).
    pub(crate) fn uniform(&mut self) -> f64 {
        let value = self.stream.draw(*self.draws).uniform();
        *self.draws += 1;
        value
    }

    /// Returns the reading of the clock of the modem [ns].
    pub(crate) fn local_ns(&self) -> i64 {
        clock::local_ns(&self.clock, self.now_ns)
    }

    /// Returns the time [ns] at which the clock of the modem reaches `local` [ns].
    pub(crate) fn global_ns(&self, local: i64) -> u64 {
        clock::global_ns(&self.clock, local)
    }

    /// Returns the number of the current slot of `slot_ns` [ns] by the clock of the modem.
    pub(crate) fn slot(&self, slot_ns: u64) -> i64 {
        self.local_ns().div_euclid(slot_ns.cast_signed())
    }

    /// Returns the start [ns] of the next slot of `slot_ns` [ns], or the current time if a slot
    /// starts now.
    pub(crate) fn next_slot_ns(&self, slot_ns: u64) -> u64 {
        let slot = slot_ns.cast_signed();
        let present = self.global_ns(self.slot(slot_ns) * slot);
        if present == self.now_ns {
            return present;
        }
        self.global_ns((self.slot(slot_ns) + 1) * slot)
    }
}

/// End of a frame at a modem.
pub(crate) struct Observation {
    /// Whether the frame arrived without damage.
    pub(crate) is_intact: bool,
    /// Content of an intact control frame.
    pub(crate) control: Option<ControlKind>,
    /// Address of the transmitter; 0 if the frame was damaged.
    pub(crate) source: u16,
    /// Whether the modem has the address of the destination.
    pub(crate) is_for_me: bool,
}
