//! Anemometer: the wind as the mast feels it.
//!
//! # Law
//! ```text
//!   w = R_WSᵀ w_W(p, t) - v_WS                                    (1)  apparent wind
//!   U = √(w_x² + w_y²),  φ = atan2(w_y, -w_x)                     (2)  speed and where from, clockwise
//!   U_k = U_{k-1} + (U - U_{k-1})(1 - e^(-U T/d))                 (3)  cups and propellers [Wyngaard 1981]
//!   e_k = e_{k-1} + (e - e_{k-1})(1 - e^(-U T/d_v))               (4)  vane, e its direction as a vector
//! ```
//! # Symbols
//! w air's velocity relative to the sensor, w_W over ground · v_WS velocity of the sensor · φ from x, seen from above · d, d_v distance
//! constants · T time between samples. (3) and (4) with d = 0 are instruments that measure by sound.
//!
//! # Frames
//! Sensor S, z along the mast; it measures across the mast alone.
//!
//! # Limits
//! Under the threshold cups stand still and the vane stays where it is. Cups do not overspeed; a vane does not swing about its end. Hull and mast do not disturb the wind. Under water
//! there is no reading (NaN).
//!
//! # Checked by
//! test/analytic/air_sensors.rs

use crate::water::probe;
use crate::{Truth, noise};
use merrow_environment::air;
use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_math::rng::Draw;
use merrow_model::scene::sensor::on_board::AnemometerSpec;
use merrow_model::state::reading::Wind;
use merrow_model::state::{Cells, SensorState};

/// One sample.
pub fn measure(
    spec: &AnemometerSpec,
    memory: &mut SensorState,
    truth: &Truth<'_>,
    draw: &mut Draw,
) -> Wind {
    let variances = [spec.speed.variance(), spec.direction.variance()];
    let none = f64::NAN;
    if probe::is_dry(truth) {
        let over = Vec3 {
            z: truth.at.height_in_wind(truth.p_WS),
            ..truth.p_WS
        };
        let w_W = air::wind::at(&truth.at.sea.air, over, truth.at.time);
        let w = truth.R_WS.tr_mul_vec(w_W) - truth.V_WS_S.v; // (1)
        let [speed, from] = shown(spec, &mut memory.cells, truth.at.time, w);
        let on = memory.noise;
        let speed = noise::scalar(&spec.speed, &mut memory.drift[0], speed, on, draw).max(0.0);
        let from = noise::scalar(&spec.direction, &mut memory.drift[1], from, on, draw);
        let mut wind = Wind {
            speed,
            from: from.to_radians(),
            velocity: Vec3::zero(),
            variances,
        };
        conclude(&mut wind);
        return wind;
    }
    memory.cells = None;
    Wind {
        speed: none,
        from: none,
        velocity: Vec3::new(none, none, none),
        variances,
    }
}

/// The vector that speed and direction make, the direction within a turn.
pub fn conclude(wind: &mut Wind) {
    let turn = std::f64::consts::TAU;
    wind.from -= turn * (wind.from / turn).floor();
    let (s, c) = sin_cos(wind.from);
    wind.velocity = Vec3::new(-wind.speed * c, wind.speed * s, 0.0);
}

/// (2) to (4): speed [m/s], and where the wind comes from, clockwise from x [deg].
fn shown(spec: &AnemometerSpec, memory: &mut Option<Cells>, t: f64, w: Vec3) -> [f64; 2] {
    let U = (w.x * w.x + w.y * w.y).sqrt();
    let moves = U > 0.0 && U >= spec.threshold;
    let speed = if moves { U } else { 0.0 };
    let from = if moves {
        [-w.x / U, w.y / U]
    } else {
        [1.0, 0.0]
    };
    let mut now = Cells {
        at: t,
        met: [speed, from[0], from[1]],
        shown: [speed, from[0], from[1]],
    };
    if let Some(before) = memory {
        let way = U.max(spec.threshold) * (t - before.at);
        let gain = |d: f64| {
            if d > 0.0 {
                1.0 - libm::exp(-way / d)
            } else {
                1.0
            }
        };
        let gains = [gain(spec.cups), gain(spec.vane), gain(spec.vane)];
        for i in 0..3 {
            let old = before.shown[i];
            // a vane that nothing turns stays
            now.shown[i] = if i > 0 && !moves {
                old
            } else {
                old + (now.met[i] - old) * gains[i]
            };
        }
    }
    *memory = Some(now);
    let [speed, c, s] = now.shown;
    [speed, libm::atan2(s, c).to_degrees()]
}
