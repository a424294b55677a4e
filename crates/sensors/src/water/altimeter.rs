//! Single-beam echo sounder: distance to the bottom along the sensor's x axis.
//!
//! # Law
//! Straight ray against the bottom, what stands on it, and other robots; the centre line of the beam stands for the whole cone.
//!
//! # Symbols
//! limits least and largest range [m].
//!
//! # Frames
//! Beam along +x of S (sensor_msgs/Range).
//!
//! # Limits
//! No refraction, no echo strength; its own robot is not heard; nothing is heard with the transducer above the water.
//!
//! # Checked by
//! test/analytic/altimeter.rs (V85), test/analytic/met.rs

use crate::{Truth, noise};
use merrow_math::rng::Draw;
use merrow_model::scene::sensor::Errors;
use merrow_model::state::SensorState;
use merrow_model::state::reading::Altimeter;
use merrow_model::state::workspace::Met;

/// One sample, where the beam meets `met` of other robots; out of range as REP-117 says.
pub fn measure(
    errors: &Errors,
    limits: [f64; 2],
    beam_width: f64,
    memory: &mut SensorState,
    (truth, met): (&Truth<'_>, Met),
    draw: &mut Draw,
) -> Altimeter {
    let beam = truth.R_WS.col(0);
    let still = truth.range(beam).unwrap_or(f64::INFINITY);
    let hit = Some(still.min(met.range)).filter(|range| range.is_finite());
    let in_water = truth.at.above_surface(truth.p_WS) <= 0.0;
    let range = match hit.filter(|_| in_water) {
        Some(r) if r < limits[0] => f64::NEG_INFINITY,
        Some(r) if r <= limits[1] => {
            let on = memory.noise;
            noise::scalar(errors, &mut memory.drift[0], r, on, draw)
        }
        _ => f64::INFINITY,
    };
    Altimeter {
        range,
        limits,
        beam_width,
        variance: errors.variance(),
    }
}
