//! Inertial navigation system: a strapdown mechanisation of the device's own gyro and accelerometer, with or without aids.
//!
//! # Law
//! The map is taken as the local level of a round Earth wherever the robot is: the level turns by the Earth's rate and by the way along the curve.
//!
//! ```text
//!   gyro = ω_WS + R_SW (Ω + w(v)),   accelerometer = R_SW (a + g ẑ + (2 Ω + w(v)) × v)        (1)  [Titterton 2004, eqs. 3.26, 3.28]
//!   Ω = ω_E (0, cos φ, sin φ),   w(v) = (-v_n, v_e, 0) / R                                    (2)
//!   Ṙ = R [gyro - b̂_g]× - [Ω + w(v̂)]× R                                                       (3)
//!   v̇ = R (accelerometer - b̂_a) - g ẑ - (2 Ω + w(v̂)) × v̂,   ṗ = v̂                             (4)
//! ```
//! So without errors it finds the truth, and with them they grow as those of a real one: a bias b of the accelerometer by b t²/2, of the gyro by b g t³/6,
//! and both swing with √(R/g) after Schuler. (3) and (4) are integrated by the trapezoidal rule over a sample, with coning to second order.
//!
//! # Symbols
//! Ω Earth's rotation at the latitude φ of the world's origin, w that of the level of who moves with v = (v_e, v_n, v_u), R mean radius of the Earth · g gravity of the world.
//!
//! # Frames
//! S and W.
//!
//! # Limits
//! The azimuth of the level does not turn with the meridians, and gravity does not fall with height: the vertical channel does not run away by itself, it drifts by
//! its bias. A robot that is put elsewhere by command leaves its system behind. A device that has been without power is aligned anew.
//!
//! # Checked by
//! test/analytic/ins.rs, test/analytic/ins_aided.rs

use crate::Truth;
use crate::inertial::Triads;
use crate::inertial::ins_filter;
use merrow_environment::geodesy;
use merrow_math::real::sin_cos;
use merrow_math::rng::Draw;
use merrow_math::{Mat3, Quat, Sym3, Vec3};
use merrow_model::scene::sensor::navigation::InsSpec;
use merrow_model::scene::{Origin, Sensor};
use merrow_model::state::SensorState;
use merrow_model::state::navigation::{Filter, InsMemory};
use merrow_model::state::reading::{Navigation, Reading, Stamped};

/// Rotation of the Earth [rad/s] [NGA.STND.0036 2014].
const EARTH_RATE: f64 = 7.292_115e-5;
/// Mean radius of the Earth [m].
const EARTH_RADIUS: f64 = 6_371_008.8;

/// What turns the level and pulls down.
#[derive(Clone, Copy, Debug)]
pub struct Earth {
    /// Its rotation, in W [rad/s].
    pub rate: Vec3,
    /// Gravity [m/s²].
    pub gravity: f64,
}

impl Earth {
    /// At the origin of a world.
    pub fn at(origin: &Origin, gravity: f64) -> Self {
        let (s, c) = sin_cos(origin.latitude);
        Self {
            rate: Vec3::new(0.0, EARTH_RATE * c, EARTH_RATE * s),
            gravity,
        }
    }

    /// w(v) of (2) as a matrix.
    pub fn transport() -> Mat3 {
        let k = 1.0 / EARTH_RADIUS;
        Mat3::from_rows(
            Vec3::new(0.0, -k, 0.0),
            Vec3::new(k, 0.0, 0.0),
            Vec3::zero(),
        )
    }

    /// How the level of who moves with `v` turns [rad/s].
    pub fn level_rate(&self, v: Vec3) -> Vec3 {
        self.rate + Vec3::new(-v.y, v.x, 0.0).scale(1.0 / EARTH_RADIUS)
    }

    /// What acts on who moves with `v` beside the proper acceleration [m/s²].
    fn pull(&self, v: Vec3) -> Vec3 {
        Vec3::new(0.0, 0.0, -self.gravity) - (self.rate + self.level_rate(v)).cross(v)
    }
}

/// One sample.
pub fn measure(
    spec: &InsSpec,
    sensor: &Sensor,
    memory: &mut SensorState,
    truth: &Truth<'_>,
    now_ns: u64,
    draw: &mut Draw,
) -> Navigation {
    let SensorState {
        drift,
        parts,
        noise: on,
        samples,
        filter,
        ..
    } = memory;
    // a sensor's memory is of its kind: `Filter::of`
    let Some(Filter::Ins(filter)) = filter.as_deref_mut() else {
        unreachable!("the memory of an INS")
    };
    let earth = Earth::at(truth.origin, truth.at.gravity);
    let v = truth.R_WS.mul_vec(truth.V_WS_S.v);
    // (1)
    let rate = truth.V_WS_S.w + truth.R_WS.tr_mul_vec(earth.level_rate(v));
    let force = truth.a_WS_S - truth.R_WS.tr_mul_vec(earth.pull(v));
    let triads = Triads {
        errors: [&spec.gyro, &spec.accelerometer],
        drift,
        parts,
        on: *on,
        sample: *samples,
    };
    let before = filter.raw;
    filter.raw = triads.measure(sensor, [rate, force], before, draw);
    if filter.started {
        // samples lie on steps: their distance is not always the same
        let dt = now_ns.saturating_sub(filter.time_ns) as f64 * 1e-9;
        let [w, f] = advance(filter, &earth, dt);
        ins_filter::predict(spec, filter, &earth, f, dt);
        aid(spec, filter, truth, w, now_ns);
    } else {
        align(spec, filter, truth, *on, draw);
    }
    filter.time_ns = now_ns;
    report(spec, filter, &earth, truth)
}

/// Takes a reading of another sensor of the robot, for the next sample.
pub fn hear(spec: &InsSpec, memory: &mut SensorState, sensor: usize, stamped: Stamped) {
    let aids = &spec.aids;
    let of = [
        aids.dvl.as_ref().map(|a| a.sensor),
        aids.gnss.as_ref().map(|a| a.sensor),
        aids.pressure.as_ref().map(|a| a.sensor),
    ];
    if let Some(Filter::Ins(filter)) = memory.filter.as_deref_mut() {
        for (slot, _) in filter
            .inbox
            .iter_mut()
            .zip(of)
            .filter(|(_, of)| *of == Some(sensor))
        {
            *slot = Some(stamped);
        }
    }
}

/// What it starts with: the truth, off by what its alignment leaves.
fn align(spec: &InsSpec, filter: &mut InsMemory, truth: &Truth<'_>, on: bool, draw: &mut Draw) {
    let mut triple = |std: [f64; 3]| {
        let k = if on { 1.0 } else { 0.0 };
        Vec3::from(std.map(|s| k * s * draw.normal()))
    };
    let turn = triple(spec.start_attitude);
    filter.p = truth.p_WS + triple([spec.start_position; 3]);
    filter.v = truth.R_WS.mul_vec(truth.V_WS_S.v) + triple([spec.start_velocity; 3]);
    filter.q = Quat::from_rotation_vector(turn)
        .mul(&Quat::from_matrix(&truth.R_WS))
        .normalized();
    (filter.gyro_bias, filter.accelerometer_bias) = (Vec3::zero(), Vec3::zero());
    (filter.fixed, filter.fix_error) = (Vec3::zero(), Vec3::zero());
    filter.inbox = [None; 3];
    filter.started = true;
    ins_filter::start(spec, filter, truth);
}

/// (3) and (4) over a sample; angular velocity and proper acceleration at its end, without their biases.
fn advance(filter: &mut InsMemory, earth: &Earth, dt: f64) -> [Vec3; 2] {
    let [w0, f0] = filter.last;
    let [w1, f1] = [
        filter.raw[0] - filter.gyro_bias,
        filter.raw[1] - filter.accelerometer_bias,
    ];
    let coning = w0.cross(w1).scale(dt * dt / 12.0);
    let turn = Quat::from_rotation_vector((w0 + w1).scale(0.5 * dt) + coning);
    let level = Quat::from_rotation_vector(earth.level_rate(filter.v).scale(-dt));
    let q = level.mul(&filter.q).mul(&turn).normalized();
    let pull = earth.pull(filter.v);
    let (a0, a1) = (
        filter.q.matrix().mul_vec(f0) + pull,
        q.matrix().mul_vec(f1) + pull,
    );
    let v = filter.v + (a0 + a1).scale(0.5 * dt);
    filter.p += (filter.v + v).scale(0.5 * dt) - (a1 - a0).scale(dt * dt / 12.0);
    (filter.v, filter.q, filter.a) = (v, q, a1);
    filter.last = [w1, f1];
    [w1, f1]
}

/// Uses what the aids have said since the last sample.
fn aid(spec: &InsSpec, filter: &mut InsMemory, truth: &Truth<'_>, w: Vec3, now_ns: u64) {
    let inbox = std::mem::take(&mut filter.inbox);
    for stamped in inbox.into_iter().flatten() {
        let age = (now_ns - stamped.stamp_ns) as f64 * 1e-9;
        match (&stamped.reading, &spec.aids) {
            (Reading::Dvl(r), aids) => {
                aids.dvl
                    .iter()
                    .for_each(|by| ins_filter::velocity(spec, filter, by, r, (w, age)));
            }
            (Reading::Gnss(r), aids) => {
                aids.gnss
                    .iter()
                    .for_each(|by| ins_filter::fix(spec, filter, by, r, truth.origin, (w, age)));
            }
            (Reading::Pressure(r), aids) => {
                aids.pressure
                    .iter()
                    .for_each(|by| ins_filter::depth(spec, filter, by, r, truth.at, age));
            }
            _ => {}
        }
    }
}

/// What it says.
fn report(spec: &InsSpec, filter: &InsMemory, earth: &Earth, truth: &Truth<'_>) -> Navigation {
    let R = filter.q.matrix();
    let c = &filter.covariance;
    let v_S = R.tr_mul_vec(filter.v);
    // an error φ of the attitude turns the velocity as seen from S by v × φ
    let lever = Mat3::cross(filter.v);
    let cross = c[1][2].mul_mat_tr(&lever);
    let turned = lever.mul_mat(&c[2][2]).mul_mat_tr(&lever);
    let of_velocity = c[1][1] + cross + cross.transpose() + turned;
    Navigation {
        p_WS: filter.p,
        q_WS: filter.q,
        v_WS_S: v_S,
        // over the level, not over the stars
        w_WS_S: filter.raw[0] - filter.gyro_bias - R.tr_mul_vec(earth.level_rate(filter.v)),
        position: geodesy::geodetic_from_world(truth.origin, filter.p),
        position_covariance: Sym3::upper(&c[0][0]),
        cross_covariance: c[0][2],
        attitude_covariance: Sym3::upper(&c[2][2]),
        velocity_covariance: Sym3::upper(&of_velocity).rotated(&R.transpose()),
        rate_variance: spec.gyro.variance() + c[3][3].r[0].x,
    }
}
