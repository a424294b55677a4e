//! Single-beam echo sounder: distance to the bottom along the sensor's x axis.
//!
//! # Law
//! Straight ray against the bottom and what stands on it; the centre line of the beam stands for the whole cone.
//!
//! # Symbols
//! limits least and largest range [m].
//!
//! # Frames
//! Beam along +x of S (sensor_msgs/Range).
//!
//! # Limits
//! No refraction, no echo strength; other robots are not heard; nothing is heard with the transducer above the water.
//!
//! # Checked by
//! test/analytic/altimeter.rs (V85)

use super::{Truth, noise};
use crate::math::rng::Draw;
use crate::scene::sensor::Errors;
use crate::state::SensorState;
use crate::state::reading::Altimeter;

/// One sample; out of range as REP-117 says.
pub fn measure(
    errors: &Errors,
    limits: [f64; 2],
    beam_width: f64,
    memory: &mut SensorState,
    truth: &Truth<'_>,
    draw: &mut Draw,
) -> Altimeter {
    let beam = truth.R_WS.col(0);
    let hit = truth.range(beam);
    let in_water = truth.at.above_surface(truth.p_WS) <= 0.0;
    let range = match hit.filter(|_| in_water) {
        Some(r) if r < limits[0] => f64::NEG_INFINITY,
        Some(r) if r <= limits[1] => {
            let on = memory.noise;
            noise::scalar(errors, &mut memory.drift[0], r, on, draw)
        }
        _ => f64::INFINITY,
    };
    Altimeter { range, limits, beam_width, variance: errors.variance() }
}
