//! Power meter: voltage and current of the battery, and its charge by coulomb counting.
//!
//! # Law
//! ```text
//!   Q_k = Q_{k-1} - I_k T/3600                                    (1)
//! ```
//! # Symbols
//! Q remaining charge [A h] · I measured current, positive in discharge · T time between samples.
//!
//! # Limits
//! The meter starts with the initial charge of the battery and uses the stated capacity of the
//! pack. Errors of its current accumulate. While the protection of the battery is open, the meter
//! neither counts nor reports.
//!
//! # Checked by
//! test/sensors/instruments/telemetry.rs

use crate::fault::faulty;
use crate::measure::{Measure, Sample};
use merrow_model::sensor::vehicle::{Power, PowerSpec};
use merrow_model::state::SensorLag;

impl Measure for PowerSpec {
    /// Takes one sample and integrates the charge since the preceding one.
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Power> {
        let (period, on_board) = (sample.period(), sample.on_board);
        let battery = &on_board.state.battery;
        let battery = [battery.voltage, battery.current];
        let [voltage, current] = sample.measure_scalars(&[self.voltage, self.current], battery);
        let pack = on_board.robot.battery.as_ref();
        let capacity = pack.map_or(f64::NAN, |pack| pack.capacity_ah);
        // the current error of a fault is counted too
        let counted = current + sample.memory.channel_faults[1].offset;
        let charge = match &sample.memory.lag {
            Some(before) => before.output[0] - counted * period / 3600.0, // (1)
            None => pack.map_or(f64::NAN, |pack| pack.initial_charge * pack.capacity_ah),
        };
        sample.memory.lag = Some(SensorLag {
            time: 0.0,
            input: [0.0; 3],
            output: [charge, 0.0, 0.0],
        });
        Some(Power {
            voltage,
            current,
            charge,
            capacity,
        })
    }
}

faulty!(Power: voltage; parts: voltage, current);
