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

use crate::fault::Faulty;
use crate::gnss::{gauss_markov_step, has_signal};
use crate::measure::{Measure, Sample};
use merrow_math::Vec3;
use merrow_math::real::wrap_angle;
use merrow_math::rng::Draw;
use merrow_model::sensor::gnss::{Heading, HeadingReceiver};
use merrow_model::state::SensorState;
use std::f64::consts::PI;

impl Measure for HeadingReceiver {
    /// Takes one sample. Channels 0 and 1 of `SensorState::drift` hold the error, channel 3 the
    /// time above water [s].
    fn measure(
        &self,
        memory: &mut SensorState,
        sample: &Sample<'_>,
        draw: &mut Draw,
    ) -> Option<Heading> {
        let (spec, truth, dt) = (self, sample.truth, sample.period());
        let radio = &sample.interference();
        let first = memory.samples == 0;
        for i in 0..2 {
            let state = &mut memory.drift[i][0];
            *state = gauss_markov_step(
                *state,
                spec.baseline_std_m,
                dt,
                spec.correlation_time_s,
                first,
                draw,
            );
        }
        let antennas = spec.antennas_m.map(Vec3::from);
        let at = antennas.map(|a| truth.p_WS + truth.R_WS.mul_vec(a));
        // the lower antenna decides
        let height = at.map(|p| truth.environment.height_above_surface(p));
        let lower = if height[0] < height[1] { at[0] } else { at[1] };
        let up = has_signal(
            memory,
            truth,
            lower,
            (spec.max_depth_m, spec.reacquisition_s),
            radio,
            dt,
        );
        if !up || radio.spoofed {
            return Some(Heading {
                yaw: f64::NAN,
                variance: f64::INFINITY,
            });
        }
        let b = antennas[1] - antennas[0];
        let mut r = truth.R_WS.mul_vec(b);
        if memory.noise {
            (r.x, r.y) = (r.x + memory.drift[0][0], r.y + memory.drift[1][0]);
        }
        let yaw = libm::atan2(r.y, r.x) - libm::atan2(b.y, b.x); // (1)
        let horizontal = r.x * r.x + r.y * r.y;
        Some(Heading {
            yaw: wrap_angle(yaw),
            variance: (spec.baseline_std_m * spec.baseline_std_m / horizontal).min(PI * PI),
        }) // (2)
    }
}

impl Faulty for Heading {
    fn add_errors(&mut self, error: &mut dyn FnMut() -> f64) {
        self.yaw += error();
    }
}
