//! Error-state Kalman filter of an INS.
//!
//! # Law
//! The errors are truth minus estimate, with R = exp([φ]×) R̂:
//!
//! ```text
//!   δṗ = δv                                                          (1)  [Titterton 2004, §12.3]
//!   δv̇ = -[R̂ f]× φ - R̂ (δb_a + n_a) - (2 Ω + w)× δv + [v]× W δv   (2)
//!   φ̇  = -(Ω + w)× φ - W δv - R̂ (δb_g + n_g)                       (3)
//!   P' = Φ P Φᵀ + Q dt,   K = P Hᵀ (H P Hᵀ + N)⁻¹,   P' = P - K H P  (4)  [Gelb 1974, §4.2]
//! ```
//! The biases of gyro and accelerometer are random walks. The scale of the DVL and the bias of the
//! pressure sensor are constant. The slow error of the GNSS position is a Gauss-Markov process with
//! its own state.
//!
//! # Symbols
//! p position, v velocity, φ attitude error, b_g, b_a biases of gyro and accelerometer · Ω, w as in
//! `ins.rs`, W the matrix of w(v) · f proper acceleration · n_g, n_a white noise of gyro and
//! accelerometer · P covariance, Φ transition matrix, Q process noise, K gain, H measurement matrix
//! · N covariance of a reading.
//!
//! # Frames
//! Errors in W; bias errors in S.
//!
//! # Limits
//! Scale errors and misalignment of gyro and accelerometer are not states: a device with such
//! errors reports a covariance that is too small. Multipath, spoofing and the current during water
//! track of a DVL are unknown to the filter. Readings that deviate too much for their own
//! covariance are rejected (`gate`). The latency of an aid is compensated: its reading is used at
//! the next sample with the state at its measurement. The height from a pressure contains the waves
//! (`crates/sensors/src/water/pressure.rs`).
//!
//! # Checked by
//! test/sensors/inertial/ins.rs, test/sensors/inertial/ins_aided.rs

use crate::Truth;
use crate::inertial::ins::Earth;
use merrow_environment::geodesy;
use merrow_math::{Mat3, Quat, Sym3, Vec3};
use merrow_model::scene::Origin;
use merrow_model::sensor::gnss::Gnss;
use merrow_model::sensor::inertial::{DvlAid, GnssAid, InsSpec, PressureAid};
use merrow_model::sensor::water::{Dvl, DvlLock, Pressure};
use merrow_model::state::navigation::{BLOCKS, InsMemory};

/// Indices of the blocks: position, velocity, attitude, gyro bias, accelerometer bias, constant
/// errors of the aids, slow error of the GNSS position.
const POSITION: usize = 0;
const VELOCITY: usize = 1;
const ATTITUDE: usize = 2;
const GYRO_BIAS: usize = 3;
const ACCELEROMETER_BIAS: usize = 4;
const FIXED_ERRORS: usize = 5;
const GNSS_ERROR: usize = 6;

/// Lower limit of the standard deviation of a reading, so that error-free readings can be used [m,
/// m/s].
const MIN_STD: f64 = 1e-4;
/// Depth below which a pressure sensor is taken to be submerged [m].
const MIN_DEPTH: f64 = 0.1;

fn isotropic(x: f64) -> Mat3 {
    Mat3::diagonal(Vec3::new(x, x, x))
}

/// Sets the covariance after an alignment and the initial sample of the integration.
pub(crate) fn initialise_covariance(spec: &InsSpec, filter: &mut InsMemory, truth: &Truth<'_>) {
    let square = |x: f64| x * x;
    let c = &mut filter.covariance;
    *c = [[Mat3::zero(); BLOCKS]; BLOCKS];
    c[POSITION][POSITION] = isotropic(square(spec.keys.start_position_std_m));
    c[VELOCITY][VELOCITY] = isotropic(square(spec.keys.start_velocity_std_m_s));
    c[ATTITUDE][ATTITUDE] = Mat3::diagonal(Vec3::from(spec.start_attitude_std().map(square)));
    c[GYRO_BIAS][GYRO_BIAS] = isotropic(spec.gyro_model.bias);
    c[ACCELEROMETER_BIAS][ACCELEROMETER_BIAS] = isotropic(spec.accelerometer_model.bias);
    let scale = spec.aids.dvl.map_or(0.0, |a| a.scale_std);
    let weight = truth.around.environment.water_weight(truth.p_WS);
    let height = spec
        .aids
        .pressure
        .filter(|_| weight > 0.0)
        .map_or(0.0, |a| a.bias_std / weight);
    c[FIXED_ERRORS][FIXED_ERRORS] = Mat3::diagonal(Vec3::new(square(scale), square(height), 0.0));
    if let Some(GnssAid {
        std: [h, v],
        correlation_time_s: tau,
        ..
    }) = spec.aids.gnss
        && tau > 0.0
    {
        c[GNSS_ERROR][GNSS_ERROR] = Mat3::diagonal(Vec3::new(h * h, h * h, v * v));
    }
    filter.last = filter.raw;
}

/// Propagates the covariance over a sample of `dt` [s] that ends with the proper acceleration `f`
/// (in S [m/s²]). (1) to (4)
pub(crate) fn predict_covariance(
    spec: &InsSpec,
    filter: &mut InsMemory,
    earth: &Earth,
    f: Vec3,
    dt: f64,
) {
    let R = filter.q.matrix();
    let level = earth.level_rate(filter.v);
    let W = Earth::transport_matrix();
    let minus_R = R.scale(-dt);
    let vv = (Mat3::cross(filter.v).mul_mat(&W) - Mat3::cross(earth.rate + level)).scale(dt);
    let va = Mat3::cross(R.mul_vec(f)).scale(-dt);
    let (aa, av) = (Mat3::cross(level).scale(-dt), W.scale(-dt));
    let (decay, added) = match spec.aids.gnss {
        Some(GnssAid {
            std: [h, v],
            correlation_time_s: tau,
            ..
        }) if tau > 0.0 => {
            let decay = libm::exp(-dt / tau);
            let lost = 1.0 - decay * decay;
            (decay, Vec3::new(lost * h * h, lost * h * h, lost * v * v))
        }
        _ => (0.0, Vec3::zero()),
    };
    let c = &mut filter.covariance;
    // Φ P, row by row; the position needs the velocity before its update, and the attitude too
    for j in 0..BLOCKS {
        c[POSITION][j] = c[POSITION][j] + c[VELOCITY][j].scale(dt);
        let v = c[VELOCITY][j]
            + vv.mul_mat(&c[VELOCITY][j])
            + va.mul_mat(&c[ATTITUDE][j])
            + minus_R.mul_mat(&c[ACCELEROMETER_BIAS][j]);
        c[ATTITUDE][j] = c[ATTITUDE][j]
            + aa.mul_mat(&c[ATTITUDE][j])
            + av.mul_mat(&c[VELOCITY][j])
            + minus_R.mul_mat(&c[GYRO_BIAS][j]);
        c[VELOCITY][j] = v;
        c[GNSS_ERROR][j] = c[GNSS_ERROR][j].scale(decay);
    }
    // times Φᵀ, column by column
    for row in c.iter_mut() {
        row[POSITION] = row[POSITION] + row[VELOCITY].scale(dt);
        let v = row[VELOCITY]
            + row[VELOCITY].mul_mat_tr(&vv)
            + row[ATTITUDE].mul_mat_tr(&va)
            + row[ACCELEROMETER_BIAS].mul_mat_tr(&minus_R);
        row[ATTITUDE] = row[ATTITUDE]
            + row[ATTITUDE].mul_mat_tr(&aa)
            + row[VELOCITY].mul_mat_tr(&av)
            + row[GYRO_BIAS].mul_mat_tr(&minus_R);
        row[VELOCITY] = v;
        row[GNSS_ERROR] = row[GNSS_ERROR].scale(decay);
    }
    let (g, a) = (&spec.gyro_model, &spec.accelerometer_model);
    c[VELOCITY][VELOCITY] = c[VELOCITY][VELOCITY] + isotropic(a.white * dt);
    c[ATTITUDE][ATTITUDE] = c[ATTITUDE][ATTITUDE] + isotropic(g.white * dt);
    c[GYRO_BIAS][GYRO_BIAS] = c[GYRO_BIAS][GYRO_BIAS] + isotropic(g.walk * dt);
    c[ACCELEROMETER_BIAS][ACCELEROMETER_BIAS] =
        c[ACCELEROMETER_BIAS][ACCELEROMETER_BIAS] + isotropic(a.walk * dt);
    c[GNSS_ERROR][GNSS_ERROR] = c[GNSS_ERROR][GNSS_ERROR] + Mat3::diagonal(added);
    symmetrise(c);
}

/// Makes the covariance exactly symmetric.
fn symmetrise(c: &mut [[Mat3; BLOCKS]; BLOCKS]) {
    for i in 0..BLOCKS {
        c[i][i] = Sym3::upper(&c[i][i]).full();
        for j in 0..i {
            c[i][j] = c[j][i].transpose();
        }
    }
}

/// Returns position [m], velocity [m/s] and attitude in W, `age` [s] before the last sample; `w` is
/// the angular velocity in S [rad/s].
fn past_state(filter: &InsMemory, w: Vec3, age: f64) -> (Vec3, Vec3, Mat3) {
    let v = filter.v - filter.a.scale(age);
    let p = filter.p - (filter.v + v).scale(0.5 * age);
    let q = filter.q.mul(&Quat::from_rotation_vector(w.scale(-age)));
    (p, v, q.matrix())
}

/// Updates the filter with the bottom-track velocity of a DVL reading that is `age` [s] old; `w` is
/// the angular velocity in S [rad/s].
pub(crate) fn update_with_dvl(
    spec: &InsSpec,
    filter: &mut InsMemory,
    aid: &DvlAid,
    r: &Dvl,
    (w, age): (Vec3, f64),
) {
    if r.lock != DvlLock::Bottom || !r.velocity.is_finite() {
        return;
    }
    let (_, v, R) = past_state(filter, w, age);
    let k = 1.0 + filter.fixed.x;
    let at_D = R.tr_mul_vec(v) + w.cross(aid.p_SoD);
    let expected = aid.R_SD.tr_mul_vec(at_D);
    let (to_D, of_W) = (aid.R_SD.transpose(), R.transpose());
    let turn = to_D.mul_mat(&of_W);
    let mut h = [Mat3::zero(); BLOCKS];
    h[VELOCITY] = turn.scale(k);
    h[ATTITUDE] = turn.mul_mat(&Mat3::cross(v)).scale(k);
    h[GYRO_BIAS] = to_D.mul_mat(&Mat3::cross(aid.p_SoD)).scale(k);
    h[FIXED_ERRORS] = Mat3::from_rows(
        Vec3::new(expected.x, 0.0, 0.0),
        Vec3::new(expected.y, 0.0, 0.0),
        Vec3::new(expected.z, 0.0, 0.0),
    );
    let c = &r.covariance;
    let row = |i: usize| Vec3::new(c[3 * i], c[3 * i + 1], c[3 * i + 2]);
    let reported = Mat3::from_rows(row(0), row(1), row(2)) + isotropic(MIN_STD * MIN_STD);
    // the scale error is a state
    let noise = Sym3::upper(&reported).minus_outer(r.velocity, aid.scale_std * aid.scale_std);
    update(spec, filter, r.velocity - expected.scale(k), &h, &noise);
}

/// Updates the filter with a GNSS position, and with the GNSS velocity if there is one. The reading
/// is `age` [s] old; `w` is the angular velocity in S [rad/s].
pub(crate) fn update_with_gnss(
    spec: &InsSpec,
    filter: &mut InsMemory,
    aid: &GnssAid,
    r: &Gnss,
    origin: &Origin,
    (w, age): (Vec3, f64),
) {
    if !r.fix {
        return;
    }
    let (p, _, R) = past_state(filter, w, age);
    let arm = R.mul_vec(aid.p_SoA);
    let [latitude, longitude, height] = r.position;
    let found = geodesy::world_from_ecef(origin, geodesy::ecef(latitude, longitude, height));
    let mut h = [Mat3::zero(); BLOCKS];
    h[POSITION] = Mat3::identity();
    h[VELOCITY] = isotropic(-age);
    h[ATTITUDE] = Mat3::cross(arm).scale(-1.0);
    let mut noise = Vec3::from(r.variances);
    let mut expected = p + arm;
    if aid.correlation_time_s > 0.0 {
        h[GNSS_ERROR] = Mat3::identity();
        expected += filter.fix_error;
        // the filter takes the additional error under an obstructed sky as white
        let [e, u] = aid.std.map(|s| s * s);
        noise -= Vec3::new(e, e, u);
    }
    let noise = Vec3::from(noise.to_array().map(|x| x.max(MIN_STD * MIN_STD)));
    let noise = Sym3::upper(&Mat3::diagonal(noise));
    update(spec, filter, found - expected, &h, &noise);
    if r.velocity.is_finite() {
        let (_, v_now, _) = past_state(filter, w, age);
        let arm_velocity = R.mul_vec(w.cross(aid.p_SoA));
        let mut h = [Mat3::zero(); BLOCKS];
        h[VELOCITY] = Mat3::identity();
        h[ATTITUDE] = Mat3::cross(arm_velocity).scale(-1.0);
        h[GYRO_BIAS] = R.mul_mat(&Mat3::cross(aid.p_SoA));
        let variances = r.velocity_variances.map(|x| x.max(MIN_STD * MIN_STD));
        let noise = Sym3::upper(&Mat3::diagonal(Vec3::from(variances)));
        let y = r.velocity - v_now - arm_velocity;
        update(spec, filter, y, &h, &noise);
    }
}

/// Updates the filter with the depth from a pressure reading that is `age` [s] old.
pub(crate) fn update_with_pressure(
    spec: &InsSpec,
    filter: &mut InsMemory,
    aid: &PressureAid,
    r: &Pressure,
    age: f64,
) {
    let Some([z, variance]) = r.height().filter(|[z, _]| r.water.level - z >= MIN_DEPTH) else {
        return;
    };
    let arm = filter.q.matrix().mul_vec(aid.p_SoP);
    let expected = filter.p.z - filter.v.z * age + arm.z + filter.fixed.y;
    let last = |row: Vec3| Mat3::from_rows(Vec3::zero(), Vec3::zero(), row);
    let mut h = [Mat3::zero(); BLOCKS];
    h[POSITION] = last(Vec3::new(0.0, 0.0, 1.0));
    h[VELOCITY] = last(Vec3::new(0.0, 0.0, -age));
    h[ATTITUDE] = last(Mat3::cross(arm).r[2].scale(-1.0));
    h[FIXED_ERRORS] = last(Vec3::new(0.0, 1.0, 0.0));
    // the bias is a state
    let bias = aid.bias_std / r.water.weight;
    let variance = (variance - bias * bias).max(MIN_STD * MIN_STD);
    // the first two rows contain no measurement
    let noise = Sym3::diagonal([1.0, 1.0, variance]);
    let y = Vec3::new(0.0, 0.0, z - expected);
    update(spec, filter, y, &h, &noise);
}

/// Performs the update (4) with the innovation `y = H δ + n`, the difference of a reading and its
/// expected value, unless it exceeds the gate. `h` is H by blocks, `noise` the covariance N of the
/// noise n.
fn update(spec: &InsSpec, filter: &mut InsMemory, y: Vec3, h: &[Mat3; BLOCKS], noise: &Sym3) {
    let c = &mut filter.covariance;
    let used = |k: &usize| h[*k] != Mat3::zero();
    // P Hᵀ
    let mut ph = [Mat3::zero(); BLOCKS];
    for (sum, row) in ph.iter_mut().zip(c.iter()) {
        for k in (0..BLOCKS).filter(used) {
            *sum = *sum + row[k].mul_mat_tr(&h[k]);
        }
    }
    let mut s = noise.full();
    for k in (0..BLOCKS).filter(used) {
        s = s + h[k].mul_mat(&ph[k]);
    }
    let inverse = Sym3::upper(&s).inverse();
    let weighted = inverse.mul_vec(y);
    if y.dot(weighted) > spec.keys.innovation_gate * spec.keys.innovation_gate {
        filter.rejected += 1;
        return;
    }
    let inverse = inverse.full();
    let delta = ph.map(|m| m.mul_vec(weighted));
    for i in 0..BLOCKS {
        let gain = ph[i].mul_mat(&inverse);
        for j in i..BLOCKS {
            c[i][j] = c[i][j] - gain.mul_mat_tr(&ph[j]);
        }
    }
    symmetrise(c);
    filter.p += delta[POSITION];
    filter.v += delta[VELOCITY];
    filter.q = Quat::from_rotation_vector(delta[ATTITUDE])
        .mul(&filter.q)
        .normalized();
    filter.gyro_bias += delta[GYRO_BIAS];
    filter.accelerometer_bias += delta[ACCELEROMETER_BIAS];
    filter.fixed += delta[FIXED_ERRORS];
    filter.fix_error += delta[GNSS_ERROR];
    // the initial values of the next sample are without the biases, so they change with these
    filter.last[0] -= delta[GYRO_BIAS];
    filter.last[1] -= delta[ACCELEROMETER_BIAS];
}
