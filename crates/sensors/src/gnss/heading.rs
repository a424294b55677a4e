//! Heading from two antennas of satellite receivers.
//!
//! # Law
//! ```text
//!   r = R_WS (a_2 - a_1) + e,   ψ = atan2(r_n, r_e) - atan2(b_y, b_x)        (1)
//!   σ_ψ = σ / |r_h|                                                          (2)
//! ```
//! # Symbols
//! a_1, a_2 antennas, b = a_2 - a_1 · e Gauss-Markov error of the baseline as the carriers' phases give it, σ its deviation in each component · r_h horizontal part of r.
//!
//! # Frames
//! b in S, r in W; ψ from east, counter-clockwise, of S about the vertical.
//!
//! # Limits
//! The device takes itself to be level: heeled, the heading of a baseline across the ship is off, as with real ones. No sky is hidden, nothing echoes; wrong
//! ambiguities of the carriers do not occur.
//!
//! # Checked by
//! test/analytic/gnss.rs

use crate::Truth;
use crate::gnss::interference::Radio;
use crate::gnss::{is_up, markov};
use merrow_math::real::wrapped;
use merrow_math::rng::Draw;
use merrow_model::scene::sensor::navigation::HeadingSpec;
use merrow_model::state::SensorState;
use merrow_model::state::reading::Heading;
use std::f64::consts::PI;

/// One sample, `dt` seconds after the last. Channels 0 and 1 hold the error, channel 3 the seconds above water.
pub fn measure(
    spec: &HeadingSpec,
    dt: f64,
    memory: &mut SensorState,
    truth: &Truth<'_>,
    radio: &Radio,
    draw: &mut Draw,
) -> Heading {
    let first = memory.samples == 0;
    for i in 0..2 {
        let slow = &mut memory.drift[i][0];
        *slow = markov(*slow, spec.std, dt, spec.tau, first, draw);
    }
    let at = spec.antennas.map(|a| truth.p_WS + truth.R_WS.mul_vec(a));
    // the lower of the two decides
    let height = at.map(|p| truth.at.above_surface(p));
    let lower = if height[0] < height[1] { at[0] } else { at[1] };
    let up = is_up(
        memory,
        truth,
        lower,
        (spec.max_depth, spec.reacquisition),
        radio,
        dt,
    );
    if !up || radio.spoofed {
        return Heading {
            yaw: f64::NAN,
            variance: f64::INFINITY,
        };
    }
    let b = spec.antennas[1] - spec.antennas[0];
    let mut r = truth.R_WS.mul_vec(b);
    if memory.noise {
        (r.x, r.y) = (r.x + memory.drift[0][0], r.y + memory.drift[1][0]);
    }
    let yaw = libm::atan2(r.y, r.x) - libm::atan2(b.y, b.x); // (1)
    let horizontal = r.x * r.x + r.y * r.y;
    Heading {
        yaw: wrapped(yaw),
        variance: (spec.std * spec.std / horizontal).min(PI * PI),
    } // (2)
}
