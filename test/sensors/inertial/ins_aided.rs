//! Tests of inertial navigation aided by a DVL, a GNSS receiver and a depth sensor of the same
//! robot, in the whole simulator.

use crate::common::turntable::{ball, set_motion};
use crate::common::{relative, scene};
use merrow_math::{Sym3, Vec3};
use merrow_model::sensor::inertial::Navigation;
use merrow_model::state::navigation::NavigationFilter;
use merrow_model::state::reading::Reading;
use merrow_sim::Simulation;
use std::sync::Arc;

const INS: &str = "ins: {device: {source: test, kind: ins, rate_hz: RATE, \
    gyro: {density: 5.0e-5, bias_instability: 2.0e-5, bias_correlation_time_s: 1000, turn_on_bias_std: 1.0e-4}, \
    accelerometer: {density: 1.0e-3, bias_instability: 2.0e-4, bias_correlation_time_s: 1000, turn_on_bias_std: 0.01}, \
    start_position_std_m: 1, start_velocity_std_m_s: 0.1, start_attitude_std_deg: [0.1, 0.1, 0.5]}, \
    position_m: [0.1, 0, 0], attitude_deg: [0, 10, 180], aids: {AIDS}}";
const DVL: &str = "dvl: {device: {source: test, kind: dvl, rate_hz: 5, beam_angle_deg: 30, bottom_std_m_s: 0.01, \
    scale_std_percent: 0.2, altitude_m: [1, 90]}, position_m: [0.3, -0.1, -0.2], attitude_deg: [0, 0, 45]}";
// It also receives satellites deep under water, so that one run has all aids.
const GNSS: &str = "gps: {device: {source: test, kind: gnss, rate_hz: 1, horizontal_std_m: 2, vertical_std_m: 3, correlation_time_s: 30, \
    velocity_std_m_s: [0.05, 0.1], max_depth_m: 1000}, position_m: [-0.4, 0, 0.3]}";
const DEPTH: &str = "depth: {device: {source: test, kind: pressure, rate_hz: 5, errors: {density: 100, turn_on_bias_std: 1000}}, \
    position_m: [0, 0.2, 0]}";

/// Returns the world with a ball that moves east and rotates, with an INS and its aids at `rate`
/// [Hz], which is also the step rate.
fn world(seed: u64, rate: f64, sensors: &[&str], aids: &str, top: &str) -> Simulation {
    let ins = INS.replace("RATE", &rate.to_string()).replace("AIDS", aids);
    let all = [&[ins.as_str()], sensors].concat().join(", ");
    let top = format!(
        "seed: {seed}\nstep: {{dt_s: {}}}\nseabed: {{depth_m: 60}}\n{top}",
        1.0 / rate
    );
    // Single-threaded, because worlds run one after another.
    Simulation::new(Arc::new(scene(&ball(&top, "", &all))), 1).unwrap()
}

/// Returns the last output of the INS, which is sensor 0, and the truth at that time.
fn last(s: &mut Simulation, seconds: f64) -> (Navigation, Truth) {
    let steps = (seconds / s.scene.dt()).round() as u64;
    s.advance(steps - 1);
    s.clear_outboxes();
    s.advance(1);
    let now = s.time_ns();
    let found = s.runners[0]
        .outbox
        .iter()
        .rfind(|d| d.sensor == 0 && d.stamped.stamp_ns == now);
    let Reading::Navigation(n) = found.expect("a reading").stamped.reading else {
        panic!("not an INS")
    };
    let (m, sensor) = (&s.state.robots[0].motion, &s.scene.robots[0].sensors[0]);
    let R_WB = m.q_WB.matrix();
    let p = m.p_WB + R_WB.mul_vec(sensor.p_LoS);
    let R = R_WB.mul_mat(&sensor.R_LS);
    let v = sensor
        .R_LS
        .tr_mul_vec(m.V_WB_B.v + m.V_WB_B.w.cross(sensor.p_LoS));
    (
        n,
        Truth {
            p,
            v,
            turn: R.mul_mat_tr(&n.q_WS.matrix()),
        },
    )
}

/// Position of the INS, its velocity in its frame, and the rotation from its attitude to the true
/// one.
struct Truth {
    p: Vec3,
    v: Vec3,
    turn: merrow_math::Mat3,
}

/// Returns the normalised squared errors of position, attitude and velocity, with three degrees of
/// freedom each.
fn normalised(n: &Navigation, t: &Truth) -> [f64; 3] {
    let skew = |i: usize, j: usize| 0.5 * (t.turn.r[i][j] - t.turn.r[j][i]);
    let phi = Vec3::new(skew(2, 1), skew(0, 2), skew(1, 0));
    let nees = |e: Vec3, c: &Sym3| e.dot(c.inverse().mul_vec(e));
    [
        nees(t.p - n.p_WS, &n.position_covariance),
        nees(phi, &n.attitude_covariance),
        nees(t.v - n.v_WS_S, &n.velocity_covariance),
    ]
}

// With all aids, at oblique and eccentric mountings and with slow errors of the fixes, the
// covariance is consistent, and the position is better than a fix. Method: 60 systems for 200 s on
// a ball that moves at 1.5 m/s and rotates; normalised squared errors. Tolerance: 4.5 standard
// errors of the mean, 3 ± 4.5 √(6/60) = 1.42; no measurement is rejected.
#[test]
fn covariance_with_aids_is_consistent() {
    let n = 60;
    let (mut sums, mut square) = ([0.0; 3], 0.0);
    for seed in 0..n {
        let mut s = world(
            seed,
            10.0,
            &[DVL, GNSS, DEPTH],
            "dvl: dvl, gnss: gps, pressure: depth",
            "",
        );
        set_motion(
            &mut s,
            Vec3::new(0.0, 0.0, -20.0),
            [0.1, 0.05, 1.0],
            Vec3::new(1.5, 0.2, 0.0),
            Vec3::new(0.0, 0.0, 0.05),
        );
        let (found, truth) = last(&mut s, 200.0);
        sums.iter_mut()
            .zip(normalised(&found, &truth))
            .for_each(|(s, x)| *s += x / n as f64);
        square += (truth.p - found.p_WS).dot(truth.p - found.p_WS) / n as f64;
        let Some(NavigationFilter::Ins(filter)) = s.state.robots[0].sensors[0].filter.as_deref()
        else {
            panic!("no filter")
        };
        assert!(filter.rejected < 3, "{} readings left out", filter.rejected);
    }
    assert!(sums.iter().all(|s| (s - 3.0).abs() < 1.42), "{sums:?}");
    // 2, 2 and 3 m combined are 4.1 m.
    assert!(square.sqrt() < 2.5, "{}", square.sqrt());
}

// Dead reckoning with a DVL drifts by its heading error across track and by the DVL scale error
// along track, in proportion to the distance. Method: 40 systems, 600 m straight ahead in a minute,
// too short for gyrocompassing; gyro errors are only the errors of the alignment, 0.5 deg of
// heading, and the DVL has a scale error of 0.2 %. Tolerance: the heading error at the end predicts
// the cross-track error within 0.4 m (DVL noise); the along-track deviation within 4.5 standard
// errors, 50 %; their covariances within 5 %.
#[test]
fn dead_reckoning_drifts_with_distance() {
    let (n, way) = (40, 600.0);
    let noisy = "gyro: {density: 5.0e-5, bias_instability: 2.0e-5, bias_correlation_time_s: 1000, turn_on_bias_std: 1.0e-4}";
    let mut along = 0.0;
    for seed in 0..n {
        let ins = INS
            .replace(noisy, "gyro: {}")
            .replace("position_std_m: 1", "position_std_m: 0");
        let ins = ins.replace("density: 1.0e-3", "density: 0.02");
        let ins = ins.replace("RATE", "2").replace("AIDS", "dvl: dvl");
        let dvl = DVL.replace("rate_hz: 5", "rate_hz: 2");
        let top = format!("seed: {seed}\nstep: {{dt_s: 0.1}}\nseabed: {{depth_m: 60}}");
        let mut s =
            Simulation::new(Arc::new(scene(&ball(&top, "", &[ins, dvl].join(", ")))), 1).unwrap();
        set_motion(
            &mut s,
            Vec3::new(0.0, 0.0, -20.0),
            [0.0; 3],
            Vec3::new(10.0, 0.0, 0.0),
            Vec3::zero(),
        );
        // By then the DVL has measured the initial velocity.
        let (first, start) = last(&mut s, 2.0);
        let (found, truth) = last(&mut s, 60.0);
        let e = truth.p - found.p_WS - (start.p - first.p_WS);
        // Heading information gained during the run also corrects the past track: the remaining
        // error counts.
        let heading = 0.5 * (truth.turn.r[1][0] - truth.turn.r[0][1]);
        // If the true heading is to the left of the estimate, the true position is to the left of
        // the estimated one.
        assert!((e.y - heading * way).abs() < 0.4, "{e:?} {heading}");
        along += e.x * e.x / f64::from(n as u32);
        relative(
            "its own along",
            found.position_covariance.xx.sqrt(),
            0.002 * way,
            0.05,
        );
        let across = first.attitude_covariance.zz.sqrt() * way;
        relative(
            "its own across",
            found.position_covariance.yy.sqrt(),
            across,
            0.05,
        );
    }
    relative("along", along.sqrt(), 0.002 * way, 0.5);
}

// Fixes that jump are rejected while a DVL aids the INS; fixes that drift slowly are followed
// without other aids. Method: a receiver spoofed by 500 m at once, and by 0.1 m/s. Tolerance:
// within 10 m of the truth; within 10 m of the false position.
#[test]
fn jumps_are_rejected_and_drifts_are_followed() {
    let spoofed = |aids: &str, how: &str| {
        let top = format!(
            "faults: {{s: {{robot: ball, target: gps, time_s: 60, kind: spoofed, {how}}}}}"
        );
        let gps = GNSS.replace("velocity_std_m_s: [0.05, 0.1], ", "");
        let mut s = world(3, 10.0, &[&gps, DVL], aids, &top);
        set_motion(
            &mut s,
            Vec3::new(0.0, 0.0, -20.0),
            [0.0; 3],
            Vec3::new(1.0, 0.0, 0.0),
            Vec3::zero(),
        );
        let (found, truth) = last(&mut s, 460.0);
        let Some(NavigationFilter::Ins(filter)) = s.state.robots[0].sensors[0].filter.as_deref()
        else {
            panic!("no filter")
        };
        (found.p_WS - truth.p, filter.rejected)
    };
    let (off, rejected) = spoofed("gnss: gps, dvl: dvl", "offset_m: [0, 500, 0]");
    assert!(off.norm() < 10.0 && rejected > 380, "{off:?} {rejected}");
    let (off, rejected) = spoofed("gnss: gps", "velocity_m_s: [0, 0.1, 0]");
    assert!(
        (off - Vec3::new(0.0, 40.0, 0.0)).norm() < 10.0 && rejected < 50,
        "{off:?} {rejected}"
    );
}
