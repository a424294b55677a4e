//! Tests of inertial sensors: gravity, lever arms, free fall, attitude.

use crate::common::turntable::{ball, set_pose, statistics};
use crate::common::{aligned, close_vectors, reading, readings, simulation};
use merrow_math::{Mat3, Quat, Vec3};
use merrow_model::sensor::inertial::Imu;
use merrow_model::state::reading::Reading;
use merrow_model::state::{Command, DeviceCommand, JointCommand};
use merrow_sim::Simulation;

const IMU: &str = "device: {source: test, kind: imu, rate_hz: 500}";

fn imu(s: &mut Simulation) -> Imu {
    let Reading::Imu(imu) = reading(s, 0) else {
        panic!("not an IMU")
    };
    imu
}

// At rest the accelerometer reads +g upwards in any attitude. Method: five attitudes of a neutrally
// buoyant ball. Tolerance: rounding.
#[test]
fn at_rest_it_reads_gravity_upwards() {
    let half = std::f64::consts::FRAC_PI_2;
    let mut s = simulation(&ball("", "", &format!("imu: {{{IMU}}}")));
    let cases = [
        ([0.0, 0.0, 0.0], [0.0, 0.0, 9.81]),
        ([0.0, 0.0, 2.0], [0.0, 0.0, 9.81]),
        ([half, 0.0, 0.0], [0.0, 9.81, 0.0]),
        ([0.0, half, 1.0], [-9.81, 0.0, 0.0]),
        ([2.0 * half, 0.0, 0.0], [0.0, 0.0, -9.81]),
    ];
    for (rpy, expected) in cases {
        set_pose(&mut s, Vec3::new(0.0, 0.0, -20.0), rpy);
        let r = imu(&mut s);
        close_vectors(
            &format!("{rpy:?}"),
            r.linear_acceleration,
            Vec3::from(expected),
            1e-12,
        );
        close_vectors("gyro", r.angular_velocity, Vec3::zero(), 1e-12);
    }
}

// In free fall the accelerometer reads zero. Method: the ball in air. Tolerance: rounding.
#[test]
fn in_free_fall_it_reads_zero() {
    let text = ball("water: {density_kg_m3: 0}", "", &format!("imu: {{{IMU}}}"))
        .replace(", net_buoyancy_n: 0", "");
    let mut s = simulation(&text);
    close_vectors(
        "acceleration",
        imu(&mut s).linear_acceleration,
        Vec3::zero(),
        1e-12,
    );
}

// On an accelerating turntable an eccentric, rotated IMU reads the centripetal w² r, the tangential
// alpha r and gravity. Method: a tilted, fixed base with a turntable of 2 kg m² that 1 N m drives,
// so alpha = 0.5 rad/s²; its centre of mass is on the axis. Tolerance: 1e-11 after 4 s (RK4 is
// exact for a constant acceleration).
#[test]
fn on_a_turntable_it_measures_its_lever_arm() {
    let mut s = simulation(&format!(
        "
water: {{density_kg_m3: 0}}
robots:
  table:
    attitude_deg: [20, -35, 110]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      links:
        disc:
          parent: base_link
          joint: {{kind: continuous, position_m: [1, 2, 3], axis: [0, 1, 0]}}
          body: {{source: test, axes: flu, mass_kg: 5, inertia_kg_m2: {{xx: 1, yy: 2, zz: 1}}}}
      sensors: {{imu: {{{IMU}, link: disc, position_m: [0.4, 0.1, -0.3], attitude_deg: [30, 40, 50]}}}}
"
    ));
    s.apply(&Command::Joint(
        0,
        JointCommand::Joint {
            joint: 0,
            value: 1.0,
        },
    ))
    .unwrap();
    s.advance(1999);
    let r = imu(&mut s);
    let (alpha, t) = (0.5, 4.0);
    let (rate, angle) = (alpha * t, 0.5 * alpha * t * t);
    // In the frame of the disc, which rotates about its y axis.
    let p = Vec3::new(0.4, 0.1, -0.3);
    let (w, dw) = (Vec3::new(0.0, rate, 0.0), Vec3::new(0.0, alpha, 0.0));
    let R_WB = Mat3::from_rpy(
        20_f64.to_radians(),
        -35_f64.to_radians(),
        110_f64.to_radians(),
    );
    let R_WU = R_WB.mul_mat(&Mat3::from_rpy(0.0, angle, 0.0));
    let a = dw.cross(p) + w.cross(w.cross(p)) + R_WU.tr_mul_vec(Vec3::new(0.0, 0.0, 9.81));
    let R_US = Mat3::from_rpy(
        30_f64.to_radians(),
        40_f64.to_radians(),
        50_f64.to_radians(),
    );
    close_vectors(
        "acceleration",
        r.linear_acceleration,
        R_US.tr_mul_vec(a),
        1e-11,
    );
    close_vectors("gyro", r.angular_velocity, R_US.tr_mul_vec(w), 1e-11);
}

// The attitude of an AHRS is the truth plus rotation errors of the stated size about its level axes
// and the vertical. Method: without noise, then 10 000 samples in a general attitude. Tolerance: 4
// standard errors (2.8 %).
#[test]
fn attitude_errors_match_the_data_sheet() {
    let device =
        "device: {source: test, kind: imu, rate_hz: 500, attitude_std_deg: [0.2, 0.3, 1.0]}";
    let mut s = simulation(&ball("", "", &format!("imu: {{{device}}}")));
    let rpy = [0.3, -0.5, 2.0];
    set_pose(&mut s, Vec3::new(0.0, 0.0, -20.0), rpy);
    let q_WS = Quat::from_rpy(rpy[0], rpy[1], rpy[2]);
    s.apply(&Command::Device(
        0,
        DeviceCommand::Noise {
            sensor: 0,
            on: false,
        },
    ))
    .unwrap();
    aligned(
        "without noise",
        &imu(&mut s).orientation.unwrap(),
        &q_WS,
        1e-12,
    );
    s.apply(&Command::Device(
        0,
        DeviceCommand::Noise {
            sensor: 0,
            on: true,
        },
    ))
    .unwrap();
    // Error rotation in the world frame, then in level axes with the heading of the vehicle.
    let level = Mat3::from_rpy(0.0, 0.0, rpy[2]);
    let back = Quat {
        w: q_WS.w,
        x: -q_WS.x,
        y: -q_WS.y,
        z: -q_WS.z,
    };
    let errors: Vec<Vec3> = readings(&mut s, 0, 20.0)
        .iter()
        .map(|r| {
            let Reading::Imu(imu) = &r.reading else {
                panic!("not an IMU")
            };
            let e = imu.orientation.unwrap().mul(&back);
            level.tr_mul_vec(Vec3::new(2.0 * e.x, 2.0 * e.y, 2.0 * e.z).scale(e.w.signum()))
        })
        .collect();
    assert!(errors.len() >= 9_999);
    for (axis, std) in [0.2_f64, 0.3, 1.0].into_iter().enumerate() {
        let x: Vec<f64> = errors.iter().map(|e| e[axis].to_degrees()).collect();
        let (mean, measured) = statistics(&x);
        assert!(
            (measured / std - 1.0).abs() < 0.03 && mean.abs() < 0.04 * std,
            "axis {axis}: {mean} ± {measured}"
        );
    }
}
