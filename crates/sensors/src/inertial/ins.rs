//! Inertial navigation system (INS): strapdown mechanisation of its own gyro and accelerometer,
//! with or without aiding sensors.
//!
//! # Law
//! The xy plane of W is taken as the local level of a spherical Earth at every position of the
//! robot. The level rotates with the rotation of the Earth and with the motion along the curved
//! surface.
//!
//! ```text
//!   gyro = ω_WS + R_SW (Ω + w(v)),   accelerometer = R_SW (a + g ẑ + (2 Ω + w(v)) × v)  (1)
//!   Ω = ω_E (0, cos φ, sin φ),   w(v) = (-v_n, v_e, 0) / R                              (2)
//!   Ṙ = R [gyro - b̂_g]× - [Ω + w(v̂)]× R                                               (3)
//!   v̇ = R (accelerometer - b̂_a) - g ẑ - (2 Ω + w(v̂)) × v̂,   ṗ = v̂                  (4)
//!   (1) [Titterton 2004, eqs. 3.26, 3.28]
//! ```
//! Without errors the solution is the truth. Errors grow as in a real system: the position error of
//! an accelerometer bias b is b t²/2, the error of a gyro bias is b g t³/6, and both oscillate with
//! the Schuler period, which √(R/g) determines. (3) and (4) are integrated over a sample by the
//! trapezoidal rule, with coning to second order.
//!
//! # Symbols
//! R in (3) and (4) attitude of S in W, in (2) mean radius of the Earth · Ω rotation of the Earth
//! at the latitude φ of the world's origin, ω_E its magnitude · w rotation of the level at the
//! velocity v = (v_e, v_n, v_u) · b̂_g, b̂_a estimated biases of gyro and accelerometer · p
//! position · g gravity of the world.
//!
//! # Frames
//! S and W.
//!
//! # Limits
//! The azimuth of the level does not follow the meridians. Gravity does not decrease with height:
//! the vertical channel is not unstable, it drifts by its bias. If a command moves the robot, the
//! INS keeps its former position. A device that was without power is aligned again.
//!
//! # Checked by
//! test/sensors/inertial/ins.rs, test/sensors/inertial/ins_aided.rs

use crate::Truth;
use crate::fault::faulty;
use crate::inertial::{ins_filter, with_faults};
use crate::measure::{Measure, Sample};
use merrow_environment::geodesy;
use merrow_math::ellipsoid::{EARTH_RATE, MEAN_RADIUS};
use merrow_math::real::sin_cos;
use merrow_math::rng::Draw;
use merrow_math::{Mat3, Quat, Sym3, Vec3};
use merrow_model::scene::Origin;
use merrow_model::sensor::inertial::{InsSpec, Navigation};
use merrow_model::state::SensorState;
use merrow_model::state::navigation::{InsMemory, NavigationFilter};
use merrow_model::state::reading::{Reading, Stamped};

/// Rotation of the Earth and gravity at the origin of a world.
#[derive(Clone, Copy, Debug)]
pub struct Earth {
    /// Rotation of the Earth, in W [rad/s].
    pub rate: Vec3,
    /// Gravity of the world [m/s²].
    pub gravity: f64,
}

impl Earth {
    /// Returns the rotation of the Earth at the latitude of `origin`, with `gravity` [m/s²].
    pub fn at_origin(origin: &Origin, gravity: f64) -> Self {
        let (s, c) = sin_cos(origin.latitude);
        Self {
            rate: Vec3::new(0.0, EARTH_RATE * c, EARTH_RATE * s),
            gravity,
        }
    }

    /// Returns the matrix of the linear map w(v) of (2) [rad/m].
    pub(crate) fn transport_matrix() -> Mat3 {
        let k = 1.0 / MEAN_RADIUS;
        Mat3::from_rows(
            Vec3::new(0.0, -k, 0.0),
            Vec3::new(k, 0.0, 0.0),
            Vec3::zero(),
        )
    }

    /// Returns the angular velocity of the local level at the velocity `v` (in W [m/s]), in W
    /// [rad/s].
    pub(crate) fn level_rate(&self, v: Vec3) -> Vec3 {
        self.rate + Vec3::new(-v.y, v.x, 0.0).scale(1.0 / MEAN_RADIUS)
    }

    /// Returns the acceleration by gravity and by the rotation of the level at the velocity `v` (in
    /// W [m/s]), in W [m/s²].
    fn free_fall_acceleration(&self, v: Vec3) -> Vec3 {
        Vec3::new(0.0, 0.0, -self.gravity) - (self.rate + self.level_rate(v)).cross(v)
    }
}

impl Measure for InsSpec {
    /// Takes one sample: measures, advances the mechanisation and uses the readings of the aiding
    /// sensors.
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Navigation> {
        let (sensor, truth, now_ns) = (sample.sensor, sample.truth, sample.on_board.now_ns);
        let earth = Earth::at_origin(truth.around.origin, truth.around.environment.gravity);
        let v = truth.R_WS.mul_vec(truth.V_WS_S.v);
        // (1)
        let rate = truth.V_WS_S.w + truth.R_WS.tr_mul_vec(earth.level_rate(v));
        let force = truth.a_WS_S - truth.R_WS.tr_mul_vec(earth.free_fall_acceleration(v));
        let found = [
            sample.measure_vector(&self.gyro, 0, rate),
            sample.measure_vector(&self.accelerometer, 3, force),
        ];
        let memory = &mut *sample.memory;
        // `NavigationFilter::for_sensor` creates the filter state that matches the kind of the
        // sensor
        let Some(NavigationFilter::Ins(filter)) = memory.filter.as_deref_mut() else {
            unreachable!("the filter state of an INS sensor must be `NavigationFilter::Ins`")
        };
        let (faults, number) = (&memory.channel_faults, memory.samples);
        filter.raw = with_faults((sensor, number), faults, found, filter.raw);
        if filter.started {
            // samples are aligned with steps, so their interval varies
            let dt = now_ns.saturating_sub(filter.time_ns) as f64 * 1e-9;
            let [w, f] = advance(filter, &earth, dt);
            ins_filter::predict_covariance(self, filter, &earth, f, dt);
            apply_aids(self, filter, truth, w, now_ns);
        } else {
            align(self, filter, truth, memory.noise, &mut sample.draw);
        }
        filter.time_ns = now_ns;
        Some(navigation_output(self, filter, &earth, truth))
    }
}

faulty!(Navigation: p_WS);

/// Stores a reading of sensor number `sensor` of the same robot for the next sample, if this sensor
/// is an aid.
pub(crate) fn store_aid_reading(
    spec: &InsSpec,
    memory: &mut SensorState,
    sensor: usize,
    stamped: Stamped,
) {
    let aids = &spec.aids;
    let aid_sensors = [
        aids.dvl.as_ref().map(|a| a.sensor),
        aids.gnss.as_ref().map(|a| a.sensor),
        aids.pressure.as_ref().map(|a| a.sensor),
    ];
    if let Some(NavigationFilter::Ins(filter)) = memory.filter.as_deref_mut() {
        for (slot, _) in filter
            .inbox
            .iter_mut()
            .zip(aid_sensors)
            .filter(|(_, aid)| *aid == Some(sensor))
        {
            *slot = Some(stamped);
        }
    }
}

/// Initialises the solution with the truth and the errors of the initial alignment.
fn align(spec: &InsSpec, filter: &mut InsMemory, truth: &Truth<'_>, on: bool, draw: &mut Draw) {
    let mut draw_vector = |std: [f64; 3]| {
        let k = if on { 1.0 } else { 0.0 };
        Vec3::from(std.map(|s| k * s * draw.normal()))
    };
    let turn = draw_vector(spec.start_attitude_std());
    filter.p = truth.p_WS + draw_vector([spec.keys.start_position_std_m; 3]);
    filter.v =
        truth.R_WS.mul_vec(truth.V_WS_S.v) + draw_vector([spec.keys.start_velocity_std_m_s; 3]);
    filter.q = Quat::from_rotation_vector(turn)
        .mul(&Quat::from_matrix(&truth.R_WS))
        .normalized();
    (filter.gyro_bias, filter.accelerometer_bias) = (Vec3::zero(), Vec3::zero());
    (filter.fixed, filter.fix_error) = (Vec3::zero(), Vec3::zero());
    filter.inbox = [None; 3];
    filter.started = true;
    ins_filter::initialise_covariance(spec, filter, truth);
}

/// Integrates (3) and (4) over `dt` [s]. Returns angular velocity [rad/s] and proper acceleration
/// [m/s²] at the end, in S, without their biases.
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
    let free_fall = earth.free_fall_acceleration(filter.v);
    let (a0, a1) = (
        filter.q.matrix().mul_vec(f0) + free_fall,
        q.matrix().mul_vec(f1) + free_fall,
    );
    let v = filter.v + (a0 + a1).scale(0.5 * dt);
    filter.p += (filter.v + v).scale(0.5 * dt) - (a1 - a0).scale(dt * dt / 12.0);
    (filter.v, filter.q, filter.a) = (v, q, a1);
    filter.last = [w1, f1];
    [w1, f1]
}

/// Uses the readings of the aiding sensors since the last sample.
fn apply_aids(spec: &InsSpec, filter: &mut InsMemory, truth: &Truth<'_>, w: Vec3, now_ns: u64) {
    let inbox = std::mem::take(&mut filter.inbox);
    let (aids, origin) = (&spec.aids, truth.around.origin);
    for stamped in inbox.into_iter().flatten() {
        let age = (now_ns - stamped.stamp_ns) as f64 * 1e-9;
        let reading = &stamped.reading;
        if let (Reading::Dvl(r), Some(aid)) = (reading, &aids.dvl) {
            ins_filter::update_with_dvl(spec, filter, aid, r, (w, age));
        }
        if let (Reading::Gnss(r), Some(aid)) = (reading, &aids.gnss) {
            ins_filter::update_with_gnss(spec, filter, aid, r, origin, (w, age));
        }
        if let (Reading::Pressure(r), Some(aid)) = (reading, &aids.pressure) {
            ins_filter::update_with_pressure(spec, filter, aid, r, age);
        }
    }
}

/// Returns the output of the INS with its covariances.
fn navigation_output(
    spec: &InsSpec,
    filter: &InsMemory,
    earth: &Earth,
    truth: &Truth<'_>,
) -> Navigation {
    let R = filter.q.matrix();
    let c = &filter.covariance;
    let v_S = R.tr_mul_vec(filter.v);
    // an attitude error φ changes the velocity in S by v × φ
    let lever = Mat3::cross(filter.v);
    let cross = c[1][2].mul_mat_tr(&lever);
    let attitude_part = lever.mul_mat(&c[2][2]).mul_mat_tr(&lever);
    let velocity_covariance = c[1][1] + cross + cross.transpose() + attitude_part;
    Navigation {
        p_WS: filter.p,
        q_WS: filter.q,
        v_WS_S: v_S,
        // relative to the level, not to inertial space
        w_WS_S: filter.raw[0] - filter.gyro_bias - R.tr_mul_vec(earth.level_rate(filter.v)),
        position: geodesy::geodetic_from_world(truth.around.origin, filter.p),
        position_covariance: Sym3::upper(&c[0][0]),
        cross_covariance: c[0][2],
        attitude_covariance: Sym3::upper(&c[2][2]),
        velocity_covariance: Sym3::upper(&velocity_covariance).rotated(&R.transpose()),
        rate_variance: spec.gyro.white_variance() + c[3][3].r[0].x,
    }
}
