//! Time-division multiple access: a modem transmits in its own slots of a periodic schedule.
//!
//! # Law
//! ```text
//!   T_SL = M_DS / R,  T_DS = V T_SL             (1)  downlink: one station, no travel time
//!   T_SV = M_V / R + x / c + g,  T_V = V T_SV   (2)  uplink
//!   T = T_DS + T_V                              (3)
//!   g = (ceil(T0 / q) q - T0) / V               (4)  T0: T for g = 0
//! ```
//! A frame is transmitted if it ends before the guard time at the end of the slot.
//!
//! # Symbols
//! M bits of a frame · R data rate [bit/s] · V number of vehicles · x distance [m] · c sound speed
//! [m/s] · g guard time [s] · q period of the controller, of which the schedule is a multiple [s].
//! Source: the thesis of the docking co-simulation, section 4.4.1.
//!
//! # Limits
//! The clock of each modem determines its slots: frames of modems whose clocks differ by more than
//! the guard time collide. The schedule does not adapt to travel times.
//!
//! # Checked by
//! Tests of this file, crates/comms/tests/network/throughput.rs,
//! crates/comms/tests/network/access.rs

use crate::mac::Decision;
use crate::mac::context::MacContext;
use merrow_model::scene::comms::mac::Tdma;
use merrow_model::scene::nanoseconds::{Nanoseconds, nanoseconds};
use merrow_model::state::comms::LossCause;

pub(super) fn decide(law: &Tdma, cx: &MacContext<'_>) -> Decision {
    let local = cx.local_ns();
    let frame = law.frame_s.0.cast_signed();
    let (start, position) = (local.div_euclid(frame) * frame, local.rem_euclid(frame));
    let need = (cx.frame_ns + law.guard_s.0).cast_signed();
    let fits = |[start, duration]: &[Nanoseconds; 2], from: i64| {
        let end = (start.0 + duration.0).cast_signed();
        from >= start.cast_signed() && from + need <= end
    };
    if law.slots_s.iter().any(|slot| fits(slot, position)) {
        return Decision::Transmit;
    }
    let starts = || {
        let slots = law.slots_s.iter();
        let usable = slots.filter(|slot| fits(slot, slot[0].cast_signed()));
        usable.map(|[start, _]| start.cast_signed())
    };
    let later = starts().find(|at| *at > position);
    match later.or_else(|| starts().next().map(|at| at + frame)) {
        Some(at) => Decision::WaitUntil(cx.global_ns(start + at)),
        None => Decision::Drop(LossCause::TooLarge),
    }
}

/// Schedule of one station and several vehicles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StationSchedule {
    /// Number of vehicles with a slot.
    pub vehicles: u32,
    /// Duration of a slot of the station [s].
    pub station_slot: f64,
    /// Duration of a slot of a vehicle, including the guard time [s].
    pub vehicle_slot: f64,
    /// Guard time of a slot of a vehicle [s].
    pub guard: f64,
}

impl StationSchedule {
    /// Computes the schedule from the bits of a frame of the station and of a vehicle, the data
    /// rate [bit/s], the distance [m], the sound speed [m/s] and the period [s] of which the
    /// schedule is a multiple; 0: no multiple.
    pub fn new(
        vehicles: u32,
        bits: [f64; 2],
        rate: f64,
        distance: f64,
        speed: f64,
        multiple: f64,
    ) -> Self {
        let n = f64::from(vehicles);
        let station_slot = bits[0] / rate;
        let slot = bits[1] / rate + distance / speed;
        let total = n * (station_slot + slot);
        let guard = if multiple > 0.0 {
            ((total / multiple).ceil() * multiple - total) / n
        } else {
            0.0
        };
        Self {
            vehicles,
            station_slot,
            vehicle_slot: slot + guard,
            guard,
        }
    }

    /// Returns the duration of the downlink and of the uplink [s].
    pub fn durations(&self) -> [f64; 2] {
        let n = f64::from(self.vehicles);
        [n * self.station_slot, n * self.vehicle_slot]
    }

    /// Returns the parameters of the station: one slot per vehicle at the start of each period.
    pub fn station(&self) -> Tdma {
        self.with_slots(
            (0..self.vehicles)
                .map(|k| (f64::from(k) * self.station_slot, self.station_slot))
                .collect(),
        )
    }

    /// Returns the parameters of vehicle `k`, from 0: one slot per period, after the slots of the
    /// station.
    pub fn vehicle(&self, k: u32) -> Tdma {
        let start = self.durations()[0] + f64::from(k) * self.vehicle_slot;
        self.with_slots(vec![(start, self.vehicle_slot)])
    }

    fn with_slots(&self, slots: Vec<(f64, f64)>) -> Tdma {
        let ns = nanoseconds;
        let [down, up] = self.durations();
        // the start and the end are rounded in the same way, so that slots do not overlap
        let slot = |(start, duration): (f64, f64)| {
            [ns(start), ns(start + duration) - ns(start)].map(Nanoseconds)
        };
        Tdma {
            frame_s: Nanoseconds(ns(down + up)),
            slots_s: slots.into_iter().map(slot).collect(),
            guard_s: Nanoseconds(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The schedule of the docking study (V08): 512 and 64 bit at 10 kbit/s, 8 vehicles at 50 m,
    // multiple of 0.02 s. Method: laws (1) to (4). The thesis prints 0.3152 s for the uplink
    // without guard time, which uses a rounded travel time; the exact value is 0.31787 s.
    // Tolerance: 1e-4 s, as the thesis prints.
    #[test]
    fn schedule_of_the_docking_study() {
        let exact = StationSchedule::new(8, [512.0, 64.0], 1e4, 50.0, 1500.0, 0.0);
        let [down, up] = exact.durations();
        assert!((down - 0.4096).abs() < 1e-9);
        assert!((up - 0.317867).abs() < 1e-6 && (down + up - 0.727467).abs() < 1e-6);
        let padded = StationSchedule::new(8, [512.0, 64.0], 1e4, 50.0, 1500.0, 0.02);
        let [down, up] = padded.durations();
        assert!((down + up - 0.74).abs() < 1e-9 && (up - 0.3304).abs() < 1e-4);
        assert!((padded.vehicle_slot - 0.0413).abs() < 1e-4);
        assert_eq!(padded.station().frame_s.0, 740_000_000);
        let last = padded.vehicle(7).slots_s[0];
        assert_eq!(last[0].0 + last[1].0, 740_000_000);
    }
}
