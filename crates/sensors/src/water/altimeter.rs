//! Single-beam echo sounder: distance to the seabed along the x axis of the sensor.
//!
//! # Law
//! A straight ray is intersected with the seabed, static structures and other robots. The centre
//! line of the beam represents the whole cone.
//!
//! # Symbols
//! limits minimum and maximum range [m].
//!
//! # Frames
//! Beam along +x of S (sensor_msgs/Range).
//!
//! # Limits
//! Refraction and echo strength are not modelled. The beam ignores its own robot. With the
//! transducer above the water there is no echo.
//!
//! # Checked by
//! test/sensors/altimeter.rs (V85), test/sensors/met.rs

use crate::{Truth, noise};
use merrow_math::rng::Draw;
use merrow_model::scene::sensor::Errors;
use merrow_model::state::SensorState;
use merrow_model::state::reading::Altimeter;
use merrow_model::state::workspace::BeamHit;

/// Takes one sample; `met` is the hit of the beam on other robots. `limits` are the minimum and
/// maximum range [m], `beam_width` is the full beam width [rad]. Ranges outside of `limits` are
/// infinite as in REP-117.
pub fn measure(
    errors: &Errors,
    limits: [f64; 2],
    beam_width: f64,
    memory: &mut SensorState,
    (truth, met): (&Truth<'_>, BeamHit),
    draw: &mut Draw,
) -> Altimeter {
    let beam = truth.R_WS.col(0);
    let still = truth.ray_range(beam).unwrap_or(f64::INFINITY);
    let hit = Some(still.min(met.range)).filter(|range| range.is_finite());
    let in_water = truth.environment.height_above_surface(truth.p_WS) <= 0.0;
    let range = match hit.filter(|_| in_water) {
        Some(r) if r < limits[0] => f64::NEG_INFINITY,
        Some(r) if r <= limits[1] => {
            let on = memory.noise;
            noise::measure_scalar(errors, &mut memory.drift[0], r, on, draw)
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
