//! Motion estimate of the firmware from the sensors of the vehicle.
//!
//! # Law
//! ```text
//!   q_WB = q_WS R_SB,   ω_B = R_BS ω_S                                        (1)  AHRS
//!   v = R_WB exp(-ω_B× τ) (R_BS v_S - ω_B × p_BS)                             (2)  DVL, INS
//!   z = z_S - (R_WB p_BS)_z                                                   (3)  pressure sensor
//!   p' = v,   corrected by (p_m - p)/T                                        (4)  dead reckoning
//!   p_m - p = p_T - R(t - τ) p_BT - (p(t) - v(t) τ)                           (5)  fix
//! ```
//! Measured positions come from an INS or a GNSS receiver, the depth (3), or a fix: a position of
//! the point T on the base that another station has measured and a modem has delivered. Without a
//! velocity from a DVL the vertical speed follows from the depth by an alpha-beta filter, and the
//! horizontal velocity from the fixes. A sensor of the depth is preferred to the height of a fix.
//!
//! # Symbols
//! S sensor frame · p_BS position of the sensor · τ age of the reading, during which the attitude
//! changed, or of a fix · z_S height of the pressure sensor
//! (`crates/sensors/src/water/pressure.rs`) · p_m measured position, T time constant of the
//! correction · p_T position of the point of a fix, R attitude, which turned at the current rate.
//!
//! # Frames
//! World W (ENU), base B.
//!
//! # Limits
//! Dead reckoning starts at the true position, as after a calibration at the launch. The velocity
//! is constant between two readings; its latency is compensated for the attitude only. The first
//! fix replaces the position. A fix that was measured before the newest fix, or more than 10 s ago,
//! is not used.
//!
//! # Checked by
//! test/analytic/vehicles/motion_control.rs, test/analytic/vehicles/position_fix.rs

use merrow_environment::geodesy;
use merrow_math::{Quat, SpatialVelocity, Vec3};
use merrow_model::ensure;
use merrow_model::scene::Origin;
use merrow_model::scene::comms::bridge::PositionCorrection;
use merrow_model::scene::robot::feedback::{Feedback, FeedbackSensors, Mounting};
use merrow_model::sensor::water::DvlLock;
use merrow_model::state::Motion;
use merrow_model::state::commands::Accepted;
use merrow_model::state::firmware::tasks::MotionEstimate;
use merrow_model::state::firmware::{ControlMode, Known};
use merrow_model::state::reading::{Reading, Stamped};

/// Time after which a reading no longer counts [s].
const READING_TIMEOUT_S: f64 = 2.0;
/// Time constant of the correction by a measured position [s].
const CORRECTION_TIME_S: f64 = 0.5;
/// Age above which a fix is refused, because the velocity is not constant for longer [s].
const MAX_FIX_AGE_S: f64 = 10.0;
/// Time constant of the correction of the depth while a DVL measures the vertical velocity [s]. It
/// is longer than the period of waves, whose pressure does not correspond to the depth.
const DEPTH_CORRECTION_TIME_S: f64 = 5.0;
/// Gains of the alpha-beta filter of depth and vertical speed: fraction of the error per second
/// [1/s] and per second squared [1/s²]. Critically damped at 4 rad/s.
const DEPTH_FILTER: [f64; 2] = [8.0, 16.0];

/// Returns the quantity that no sensor measures although `mode` needs it.
pub fn missing_sensor(feedback: &Feedback, mode: ControlMode) -> Option<&'static str> {
    let Feedback::Sensors(sensors) = feedback else {
        return None;
    };
    let has_attitude = sensors.ins.is_some() || sensors.attitude.is_some();
    let needs_velocity = matches!(
        mode,
        ControlMode::Velocity | ControlMode::StationKeeping | ControlMode::PathFollowing
    );
    if mode != ControlMode::Manual && mode != ControlMode::Off && !has_attitude {
        Some("the attitude")
    } else if mode == ControlMode::DepthHold && !sensors.measure_depth() {
        Some("the depth")
    } else if needs_velocity && !sensors.measure_velocity() {
        Some("the horizontal velocity")
    } else {
        None
    }
}

/// Integrates the position of the estimate (4) over `dt` [s] to the time `now_ns` [ns] and returns
/// which parts of the motion are known. `truth` starts the estimate.
pub fn advance(estimate: &mut MotionEstimate, truth: &Motion, dt: f64, now_ns: u64) -> Known {
    if !estimate.started {
        (estimate.p_WB, estimate.q_WB) = (truth.p_WB, truth.q_WB);
        estimate.started = true;
    }
    let is_recent = |time: Option<u64>| is_recent(time, now_ns);
    let known = Known {
        attitude: is_recent(estimate.attitude_ns),
        velocity: is_recent(estimate.velocity_ns) || is_recent(estimate.fix_ns),
        depth: is_recent(estimate.depth_ns),
    };
    if !known.velocity {
        // without a measurement the vehicle is taken to be at rest
        let up = if known.depth { estimate.v_WB.z } else { 0.0 };
        estimate.v_WB = Vec3::new(0.0, 0.0, up);
    }
    estimate.p_WB += estimate.v_WB.scale(dt);
    known
}

/// Returns true if a reading of the time `time` [ns] counts at `now_ns` [ns].
fn is_recent(time: Option<u64>, now_ns: u64) -> bool {
    time.is_some_and(|t| now_ns.saturating_sub(t) as f64 * 1e-9 <= READING_TIMEOUT_S)
}

/// Motion of the base as the firmware has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownMotion {
    /// Attitude of B in W.
    pub q_WB: Quat,
    /// Position of the base origin in W [m].
    pub p_WB: Vec3,
    /// Velocity of the base at its origin, expressed in B [rad/s, m/s].
    pub V_WB_B: SpatialVelocity,
}

impl KnownMotion {
    /// Returns the estimated motion, or the true motion if the firmware uses it or its estimate has
    /// not started.
    pub fn new(feedback: &Feedback, estimate: &MotionEstimate, truth: &Motion) -> Self {
        if *feedback == Feedback::Truth || !estimate.started {
            return Self::from(truth);
        }
        Self {
            q_WB: estimate.q_WB,
            p_WB: estimate.p_WB,
            V_WB_B: SpatialVelocity {
                w: estimate.w_WB_B,
                v: estimate.q_WB.matrix().tr_mul_vec(estimate.v_WB),
            },
        }
    }
}

impl From<&Motion> for KnownMotion {
    fn from(motion: &Motion) -> Self {
        Self {
            q_WB: motion.q_WB,
            p_WB: motion.p_WB,
            V_WB_B: motion.V_WB_B,
        }
    }
}

/// Uses a reading of sensor number `sensor`, delivered at `now_ns` [ns]; `origin` is the
/// origin of the world.
pub fn update(
    sensors: &FeedbackSensors,
    estimate: &mut MotionEstimate,
    sensor: usize,
    stamped: &Stamped,
    origin: &Origin,
    now_ns: u64,
) {
    let age = now_ns.saturating_sub(stamped.stamp_ns) as f64 * 1e-9;
    let is = |mounting: &Option<Mounting>| mounting.filter(|m| m.sensor == sensor);
    match &stamped.reading {
        Reading::Navigation(r) => {
            if let Some(m) = is(&sensors.ins) {
                set_attitude(estimate, &m, r.q_WS, r.w_WS_S, now_ns);
                set_velocity(estimate, &m, (r.v_WS_S, age), now_ns);
                estimate.p_WB = r.p_WS - estimate.q_WB.matrix().mul_vec(m.p_BoS);
                estimate.depth_ns = Some(now_ns);
            }
        }
        Reading::Imu(r) => {
            if let (Some(m), Some(q)) = (is(&sensors.attitude), r.orientation) {
                set_attitude(estimate, &m, q, r.angular_velocity, now_ns);
            }
        }
        Reading::Dvl(r) => {
            if let Some(m) = is(&sensors.dvl)
                && r.lock == DvlLock::Bottom
                && r.velocity.is_finite()
            {
                set_velocity(estimate, &m, (r.velocity, age), now_ns);
            }
        }
        Reading::Pressure(r) => {
            if let (Some(m), Some([z, _])) = (is(&sensors.pressure), r.height()) {
                let arm = estimate.q_WB.matrix().mul_vec(m.p_BoS).z;
                correct_depth(sensors, estimate, z - arm, now_ns);
            }
        }
        Reading::Gnss(r) => {
            if let Some(m) = is(&sensors.gnss)
                && r.fix
            {
                let [latitude, longitude, height] = r.position;
                let p = geodesy::ecef(latitude, longitude, height);
                let p =
                    geodesy::world_from_ecef(origin, p) - estimate.q_WB.matrix().mul_vec(m.p_BoS);
                correct_position(sensors, estimate, &m, (p, r.velocity), now_ns);
            }
        }
        _ => {}
    }
}

fn set_attitude(estimate: &mut MotionEstimate, m: &Mounting, q_WS: Quat, w_S: Vec3, now_ns: u64) {
    let R_SB = m.R_BS.transpose();
    estimate.q_WB = q_WS.mul(&Quat::from_matrix(&R_SB)).normalized();
    estimate.w_WB_B = m.R_BS.mul_vec(w_S);
    estimate.attitude_ns = Some(now_ns);
}

/// Sets the velocity by (2) from the velocity of the sensor in S [m/s], whose age is in [s].
fn set_velocity(estimate: &mut MotionEstimate, m: &Mounting, (v_S, age): (Vec3, f64), now_ns: u64) {
    let w = estimate.w_WB_B;
    let v_B = m.R_BS.mul_vec(v_S) - w.cross(m.p_BoS);
    let back = Quat::from_rotation_vector(w.scale(-age));
    estimate.v_WB = estimate.q_WB.mul(&back).matrix().mul_vec(v_B);
    estimate.velocity_ns = Some(now_ns);
}

/// Returns the fraction of an error that is corrected after the time since the last reading.
fn correction(last_ns: Option<u64>, now_ns: u64, time: f64) -> f64 {
    let dt = last_ns.map_or(f64::INFINITY, |t| now_ns.saturating_sub(t) as f64 * 1e-9);
    (dt / time).min(1.0)
}

/// Corrects height and, without a DVL, vertical speed by the measured height `z` [m].
fn correct_depth(sensors: &FeedbackSensors, estimate: &mut MotionEstimate, z: f64, now_ns: u64) {
    let error = z - estimate.p_WB.z;
    let Some(last_ns) = estimate.depth_ns.replace(now_ns) else {
        estimate.p_WB.z = z;
        return;
    };
    let dt = now_ns.saturating_sub(last_ns) as f64 * 1e-9;
    let has_velocity = is_recent(estimate.velocity_ns, now_ns);
    let gain = if sensors.dvl.is_some() && has_velocity {
        1.0 / DEPTH_CORRECTION_TIME_S
    } else {
        DEPTH_FILTER[0]
    };
    estimate.p_WB.z += (gain * dt).min(1.0) * error;
    if sensors.dvl.is_none() || !has_velocity {
        estimate.v_WB.z += (DEPTH_FILTER[1] * dt).min(0.5 / dt.max(1e-3)) * error;
    }
}

/// Corrects the horizontal position, and the velocity without a DVL, by a GNSS fix: position [m]
/// and velocity [m/s] in W.
fn correct_position(
    sensors: &FeedbackSensors,
    estimate: &mut MotionEstimate,
    m: &Mounting,
    (p, v): (Vec3, Vec3),
    now_ns: u64,
) {
    let k = correction(estimate.velocity_ns, now_ns, CORRECTION_TIME_S);
    let error = p - estimate.p_WB;
    estimate.p_WB += Vec3::new(k * error.x, k * error.y, 0.0);
    if sensors.dvl.is_some() {
        return;
    }
    let R = estimate.q_WB.matrix();
    estimate.v_WB = if v.is_finite() {
        v - R.mul_vec(estimate.w_WB_B.cross(m.p_BoS))
    } else {
        estimate.v_WB + error.scale(k / CORRECTION_TIME_S)
    };
    estimate.velocity_ns = Some(now_ns);
}

/// Corrects the position by a fix, the position of a point in W [m] that was measured at `stamp_ns`
/// [ns]. (5) It also corrects the velocity that no sensor measures.
///
/// # Errors
/// The reason why the fix cannot be used.
pub fn correct_by_fix(
    sensors: &FeedbackSensors,
    estimate: &mut MotionEstimate,
    settings: &PositionCorrection,
    (p_WT, stamp_ns): (Vec3, u64),
    now_ns: u64,
) -> Accepted {
    let is_finite = p_WT.is_finite();
    ensure!(is_finite, "position: found a value that is not finite");
    let age = (now_ns as f64 - stamp_ns as f64) * 1e-9;
    ensure!(
        (0.0..=MAX_FIX_AGE_S).contains(&age),
        "position of {age:.3} s ago; expected an age of 0 to {MAX_FIX_AGE_S} s"
    );
    // another bridge can deliver the same fix, or an earlier one late
    if estimate.fix_ns.is_some_and(|last| stamp_ns <= last) {
        return Ok(());
    }
    let k = correction(estimate.fix_ns, stamp_ns, settings.correction_time_s);
    let back = Quat::from_rotation_vector(estimate.w_WB_B.scale(-age));
    let R = estimate.q_WB.mul(&back).matrix();
    let p = p_WT - R.mul_vec(Vec3::from(settings.position_m));
    let error = p - (estimate.p_WB - estimate.v_WB.scale(age));
    let up = if sensors.measure_depth() { 0.0 } else { 1.0 };
    let error = Vec3::new(error.x, error.y, up * error.z);
    estimate.p_WB += error.scale(k);
    if estimate.fix_ns.is_some() && !is_recent(estimate.velocity_ns, now_ns) {
        estimate.v_WB += error.scale(k / settings.correction_time_s);
    }
    estimate.fix_ns = Some(stamp_ns);
    Ok(())
}
