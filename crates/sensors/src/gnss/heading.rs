//! GNSS compass: heading from two satellite antennas.
//!
//! # Law
//! ```text
//!   r = R_WS (a_2 - a_1) + e,   ψ = atan2(r_n, r_e) - atan2(b_y, b_x)        (1)
//!   σ_ψ = σ / |r_h|                                                          (2)
//! ```
//! # Symbols
//! r measured baseline · a_1, a_2 antennas, b = a_2 - a_1 · e Gauss-Markov error of the
//! carrier-phase baseline, σ its standard deviation in each component · ψ heading, σ_ψ its standard
//! deviation · r_n, r_e north and east components, r_h horizontal part of r.
//!
//! # Frames
//! b in S, r in W; ψ of S about the vertical, counter-clockwise from east.
//!
//! # Limits
//! The device assumes that it is level: in a heeled ship the heading of a transverse baseline has
//! an error, as with real devices. Obstruction of the sky and multipath are not modelled. Wrong
//! carrier-phase ambiguities do not occur.
//!
//! # Checked by
//! test/sensors/navigation/gnss.rs

use crate::fault::faulty;
use crate::gnss::interference::interference;
use crate::gnss::{gauss_markov_step, has_signal};
use crate::measure::{Measure, Sample};
use merrow_math::Vec3;
use merrow_math::real::wrap_angle;
use merrow_model::sensor::gnss::{Heading, HeadingReceiver};
use std::f64::consts::PI;

impl Measure for HeadingReceiver {
    /// Takes one sample. Channels 0 and 1 of `SensorState::drift` hold the error, channel 3 the
    /// time above water [s].
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Heading> {
        let (spec, truth) = (self, sample.truth);
        let radio = &interference(sample);
        let [e_x, e_y] = [0, 1].map(|i| {
            gauss_markov_step(sample, [i, 0], spec.baseline_std_m, spec.correlation_time_s)
        });
        let antennas = spec.antennas_m.map(Vec3::from);
        let at = antennas.map(|a| truth.p_WS + truth.R_WS.mul_vec(a));
        // the lower antenna decides
        let height = at.map(|p| truth.around.environment.height_above_surface(p));
        let lower = if height[0] < height[1] { at[0] } else { at[1] };
        let limits = (spec.max_depth_m, spec.reacquisition_s);
        let up = has_signal(sample, lower, limits, radio);
        if !up || radio.spoofed {
            return Some(Heading {
                yaw: f64::NAN,
                variance: f64::INFINITY,
            });
        }
        let b = antennas[1] - antennas[0];
        let mut r = truth.R_WS.mul_vec(b);
        if sample.memory.noise {
            (r.x, r.y) = (r.x + e_x, r.y + e_y);
        }
        let yaw = libm::atan2(r.y, r.x) - libm::atan2(b.y, b.x); // (1)
        let horizontal = r.x * r.x + r.y * r.y;
        Some(Heading {
            yaw: wrap_angle(yaw),
            variance: (spec.baseline_std_m * spec.baseline_std_m / horizontal).min(PI * PI),
        }) // (2)
    }
}

faulty!(Heading: yaw);
