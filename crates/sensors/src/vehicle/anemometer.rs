//! Anemometer: apparent wind at the mast.
//!
//! # Law
//! ```text
//!   w = R_WSᵀ w_W(p, t) - v_WS                       (1)  apparent wind
//!   U = √(w_x² + w_y²),  φ = atan2(w_y, -w_x)        (2)
//!   U_k = U_{k-1} + (U - U_{k-1})(1 - e^(-U T/d))    (3)  cups and propellers [Wyngaard 1981]
//!   e_k = e_{k-1} + (e - e_{k-1})(1 - e^(-U T/d_v))  (4)  vane, e its direction as a vector
//!   (2) speed, and the direction from which the wind blows, clockwise
//! ```
//! # Symbols
//! w velocity of the air relative to the sensor, w_W velocity of the air over ground · v_WS
//! velocity of the sensor · φ angle from the x axis, seen from above · d, d_v distance constants of
//! cups and vane · T time between samples. (3) and (4) with d = 0 describe ultrasonic instruments.
//!
//! # Frames
//! Sensor S, z along the mast; only the wind across the mast is measured.
//!
//! # Limits
//! Below the threshold the cups stop and the vane keeps its direction. Cups do not overspeed, and a
//! vane does not overshoot. Hull and mast do not disturb the wind. Under water the reading is NaN.
//!
//! # Checked by
//! test/sensors/instruments/air_sensors.rs

use crate::fault::faulty;
use crate::measure::{Measure, Sample};
use crate::water::probe;
use merrow_environment::air;
use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_model::sensor::vehicle::{AnemometerKeys, AnemometerSpec, Wind};
use merrow_model::state::SensorLag;

impl Measure for AnemometerSpec {
    /// Takes one sample: speed [m/s], direction [rad] and velocity of the apparent wind in S [m/s].
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Wind> {
        let (spec, truth, number) = (self, sample.truth, sample.memory.samples);
        let variances = |speed: f64, from: f64| {
            let direction = spec.direction.variance(from, number);
            [spec.speed.variance(speed, number), direction]
        };
        let none = f64::NAN;
        if probe::is_above_water(truth) {
            let over = Vec3 {
                z: truth.around.environment.wind_height(truth.p_WS),
                ..truth.p_WS
            };
            let w_W = air::wind::wind_velocity(
                &truth.around.environment.sea.air,
                over,
                truth.around.environment.time,
            );
            let w = truth.R_WS.tr_mul_vec(w_W) - truth.V_WS_S.v; // (1)
            let [speed, from] = lagged_wind(
                &spec.keys,
                &mut sample.memory.lag,
                truth.around.environment.time,
                w,
            );
            let speed = sample.measure_scalar(&spec.speed, 0, speed).max(0.0);
            let from = sample.measure_scalar(&spec.direction, 1, from);
            let mut wind = Wind {
                speed,
                from: from.to_radians(),
                velocity: Vec3::zero(),
                variances: variances(speed, from),
            };
            update_vector(&mut wind);
            return Some(wind);
        }
        sample.memory.lag = None;
        Some(Wind {
            speed: none,
            from: none,
            velocity: Vec3::new(none, none, none),
            variances: variances(0.0, 0.0),
        })
    }
}

faulty!(Wind: speed; parts: speed, from; derived: |wind, _| update_vector(wind));

/// Wraps the direction to one turn and computes the velocity vector [m/s] from speed and direction.
fn update_vector(wind: &mut Wind) {
    let turn = std::f64::consts::TAU;
    wind.from -= turn * (wind.from / turn).floor();
    let (s, c) = sin_cos(wind.from);
    wind.velocity = Vec3::new(-wind.speed * c, wind.speed * s, 0.0);
}

/// Computes (2) to (4) for the apparent wind `w` (in S [m/s]) at time `t` [s]: speed [m/s] and
/// direction from which the wind blows, clockwise from x [deg].
fn lagged_wind(keys: &AnemometerKeys, memory: &mut Option<SensorLag>, t: f64, w: Vec3) -> [f64; 2] {
    let U = (w.x * w.x + w.y * w.y).sqrt();
    let is_moving = U > 0.0 && U >= keys.threshold_m_s;
    let speed = if is_moving { U } else { 0.0 };
    let from = if is_moving {
        [-w.x / U, w.y / U]
    } else {
        [1.0, 0.0]
    };
    let mut now = SensorLag {
        time: t,
        input: [speed, from[0], from[1]],
        output: [speed, from[0], from[1]],
    };
    if let Some(before) = memory {
        let path_length = U.max(keys.threshold_m_s) * (t - before.time);
        let gain = |d: f64| {
            if d > 0.0 {
                1.0 - libm::exp(-path_length / d)
            } else {
                1.0
            }
        };
        let cups = gain(keys.distance_constant_m);
        let vane = gain(keys.vane_distance_constant_m);
        let gains = [cups, vane, vane];
        for i in 0..3 {
            let old = before.output[i];
            // without wind the vane keeps its direction
            now.output[i] = if i > 0 && !is_moving {
                old
            } else {
                old + (now.input[i] - old) * gains[i]
            };
        }
    }
    *memory = Some(now);
    let [speed, c, s] = now.output;
    [speed, libm::atan2(s, c).to_degrees()]
}
