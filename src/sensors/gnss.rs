//! Satellite navigation receiver: no fix under water, none until the receiver has found its satellites again.
//!
//! # Law
//! Position of the antenna on the WGS84 ellipsoid (`environment/geodesy.rs`) plus a Gauss-Markov error.
//!
//! # Symbols
//! std horizontal (each axis) and vertical [m] · tau correlation time of the error [s].
//!
//! # Frames
//! Error in W (east, north, up).
//!
//! # Limits
//! No multi-path, no satellite geometry; spray over the antenna is not felt.
//!
//! # Checked by
//! test/analytic/position_sensors.rs (V83), test/analytic/floating.rs

use super::Truth;
use crate::environment::geodesy;
use crate::math::Vec3;
use crate::math::rng::Draw;
use crate::state::SensorState;
use crate::state::reading::Gnss;

/// Particulars of a receiver; see `SensorKind::Gnss`.
pub struct Spec {
    /// Horizontal and vertical standard deviation [m].
    pub std: [f64; 2],
    /// Correlation time [s]; 0 white.
    pub tau: f64,
    /// Antenna depth below which there is no fix [m].
    pub max_depth: f64,
    /// Seconds above water before the first fix.
    pub reacquisition: f64,
}

/// One sample, `dt` seconds after the last. Channels 0-2 hold the error, channel 3 the seconds above water.
pub fn measure(spec: &Spec, dt: f64, memory: &mut SensorState, truth: &Truth<'_>, draw: &mut Draw) -> Gnss {
    let std = Vec3::new(spec.std[0], spec.std[0], spec.std[1]);
    let keep = if spec.tau > 0.0 { libm::exp(-dt / spec.tau) } else { 0.0 };
    let gain = (1.0 - keep * keep).sqrt();
    let mut error = Vec3::zero();
    for i in 0..3 {
        let fresh = std[i] * draw.normal();
        let drift = &mut memory.drift[i][0];
        // the first sample starts in the steady state
        *drift = if memory.samples == 0 { fresh } else { keep * *drift + gain * fresh };
        error[i] = *drift;
    }
    let under_water = -truth.at.above_surface(truth.p_WS) > spec.max_depth;
    let first = memory.samples == 0;
    let above = &mut memory.drift[3][0];
    *above = if under_water {
        0.0
    } else if first {
        spec.reacquisition
    } else {
        *above + dt
    };
    let fix = !under_water && *above >= spec.reacquisition;
    let variances = [std.x * std.x, std.y * std.y, std.z * std.z];
    if !fix {
        return Gnss { fix, position: [f64::NAN; 3], variances };
    }
    let p = if memory.noise { truth.p_WS + error } else { truth.p_WS };
    Gnss { fix, position: geodesy::geodetic_from_world(truth.origin, p), variances }
}
