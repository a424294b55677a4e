//! Power meter: voltage and current of the battery, and its charge by coulomb counting.
//!
//! # Law
//! ```text
//!   Q_k = Q_{k-1} - I_k T/3600                                    (1)
//! ```
//! # Symbols
//! Q remaining charge [A h] · I measured current, positive in discharge · T time between samples.
//!
//! # Frames
//! None.
//!
//! # Limits
//! The meter starts with the initial charge of the battery and uses the stated capacity of the
//! pack. Errors of its current accumulate. While the protection of the battery is open, the meter
//! neither counts nor reports.
//!
//! # Checked by
//! test/sensors/telemetry.rs

use crate::{OnBoard, noise};
use merrow_math::rng::Draw;
use merrow_model::scene::sensor::on_board::PowerSpec;
use merrow_model::state::reading::Power;
use merrow_model::state::{SensorLag, SensorState};

/// Takes one sample, `period` [s] after the preceding one.
pub fn measure(
    spec: &PowerSpec,
    period: f64,
    memory: &mut SensorState,
    on_board: &OnBoard<'_>,
    draw: &mut Draw,
) -> Power {
    let mut found = [on_board.battery.voltage, on_board.battery.current];
    let on = memory.noise;
    for i in 0..2 {
        found[i] = noise::measure_scalar(&spec.errors[i], &mut memory.drift[i], found[i], on, draw);
    }
    let [voltage, current] = found;
    let pack = on_board.robot.battery.as_ref();
    let capacity = pack.map_or(f64::NAN, |pack| pack.capacity);
    // the current error of a fault is counted too
    let counted = current + memory.channel_faults[1].offset;
    let charge = match &memory.lag {
        Some(before) => before.shown[0] - counted * period / 3600.0, // (1)
        None => pack.map_or(f64::NAN, |pack| pack.initial_charge * pack.capacity),
    };
    memory.lag = Some(SensorLag {
        at: 0.0,
        met: [0.0; 3],
        shown: [charge, 0.0, 0.0],
    });
    Power {
        voltage,
        current,
        charge,
        capacity,
    }
}
