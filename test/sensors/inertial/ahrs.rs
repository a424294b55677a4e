//! Tests of the AHRS filter: effect of gyro biases, accelerations and iron on its attitude, and
//! consistency of its covariance.

use crate::common::turntable::ball;
use crate::common::{aligned, close, initial_environment, relative, scene};
use merrow_math::{Mat3, Quat, SpatialVelocity, Vec3};
use merrow_model::scene::{Scene, Sensor, SensorKind};
use merrow_model::sensor::inertial::AhrsSpec;
use merrow_model::sensor::inertial::Imu;
use merrow_model::state::{RobotState, SensorState, Workspace};
use merrow_sensors::measure::{Measure, Sample};
use merrow_sensors::{OnBoard, SensorEnvironment, Truth};

/// An AHRS without a robot; its user sets its attitude and motion.
struct Bench {
    scene: Scene,
    sensor: Sensor,
    spec: AhrsSpec,
    memory: SensorState,
    state: RobotState,
    work: Workspace,
}

/// Attitude R_WS, angular velocity in S [rad/s], acceleration in W [m/s²].
#[derive(Clone, Copy)]
struct Motion(Mat3, Vec3, Vec3);

impl Bench {
    fn new(seed: u64, keys: &str) -> Self {
        let device = format!("a: {{device: {{source: test, kind: ahrs, rate_hz: 50, {keys}}}}}");
        let scene = scene(&ball(
            &format!("seed: {seed}\norigin: {{magnetic_field_nt: [4000, 20000, -30000]}}"),
            "",
            &device,
        ));
        let sensor = scene.robots[0].sensors[0].clone();
        let SensorKind::Ahrs(spec) = &sensor.kind else {
            panic!("not an AHRS")
        };
        let (spec, memory) = (spec.clone(), SensorState::new(&sensor));
        let robot = &scene.robots[0];
        Self {
            state: RobotState::new(robot),
            work: Workspace::new(robot),
            scene,
            sensor,
            spec,
            memory,
        }
    }

    fn sample(&mut self, motion: Motion) -> Imu {
        let Motion(R_WS, w, a_W) = motion;
        let at = initial_environment(&self.scene);
        let truth = Truth {
            R_WS,
            p_WS: Vec3::zero(),
            V_WS_S: SpatialVelocity { w, v: Vec3::zero() },
            a_WS_S: R_WS.tr_mul_vec(a_W),
            around: SensorEnvironment {
                environment: &at,
                origin: &self.scene.origin,
                static_geometry: None,
            },
        };
        let now = self.sensor.sample_ns(self.memory.samples);
        let on_board = OnBoard {
            robot: &self.scene.robots[0],
            state: &self.state,
            work: &self.work,
            now_ns: now,
        };
        let mut sample = Sample {
            sensor: &self.sensor,
            index: 0,
            truth: &truth,
            on_board: &on_board,
            draw: self.sensor.stream.draw(self.memory.samples + 1),
            memory: &mut self.memory,
        };
        let imu = self.spec.measure(&mut sample).expect("a reading");
        self.memory.count(&self.sensor);
        imu
    }

    /// Returns the last sample of `seconds`.
    fn hold(&mut self, motion: Motion, seconds: f64) -> Imu {
        let mut imu = self.sample(motion);
        for _ in 1..(seconds * 50.0) as usize {
            imu = self.sample(motion);
        }
        imu
    }
}

/// Returns the attitude error as a rotation vector in W [rad].
fn error(imu: &Imu, R_WS: &Mat3) -> Vec3 {
    let q = imu.orientation.expect("an attitude");
    let d = q.mul(&{
        let Quat { w, x, y, z } = Quat::from_matrix(R_WS);
        Quat {
            w,
            x: -x,
            y: -y,
            z: -z,
        }
    });
    let sign = if d.w < 0.0 { -2.0 } else { 2.0 };
    Vec3::new(d.x, d.y, d.z).scale(sign)
}

fn at_rest(rpy: [f64; 3]) -> Motion {
    Motion(
        Mat3::from_rpy(rpy[0], rpy[1], rpy[2]),
        Vec3::zero(),
        Vec3::zero(),
    )
}

// An ideal device has the true attitude in any attitude and rotation. Method: three attitudes; then
// a minute of rotation about an oblique axis. Tolerance: rounding per step.
#[test]
fn ideal_device_has_the_true_attitude() {
    for rpy in [[0.0; 3], [0.4, -0.7, 2.5], [-2.0, 1.2, -0.3]] {
        let mut bench = Bench::new(1, "");
        let motion = at_rest(rpy);
        let imu = bench.hold(motion, 2.0);
        aligned(
            "at rest",
            &imu.orientation.expect("an attitude"),
            &Quat::from_matrix(&motion.0),
            1e-9,
        );
    }
    let mut bench = Bench::new(1, "");
    let w = Vec3::new(0.3, -0.2, 0.5);
    for k in 0..3000 {
        let q = Quat::from_rpy(0.1, 0.2, 0.3)
            .mul(&Quat::from_rotation_vector(w.scale(0.02 * f64::from(k))));
        let imu = bench.sample(Motion(q.matrix(), w, Vec3::zero()));
        aligned("turning", &imu.orientation.expect("an attitude"), &q, 1e-8);
    }
}

// An acceleration a is taken for gravity: the attitude tilts towards atan(a/g) by 1 - exp(-t/T); a
// gate rejects it. Method: at rest, then 0.5 m/s² to the north for 3 s and 30 s, with nearly no
// bias estimation; T = 8 s. Tolerance: sine for angle at 3 degrees, 0.1 %, and the bias estimated
// meanwhile, 0.1 %.
#[test]
fn accelerations_tilt_the_attitude() {
    let keys = "tilt_time_constant_s: 8, bias_time_constant_s: 1000000";
    let full = (0.5_f64 / 9.81).atan();
    for t in [3.0, 30.0] {
        let mut bench = Bench::new(1, keys);
        bench.hold(at_rest([0.0; 3]), 1.0);
        let R = Mat3::identity();
        let imu = bench.hold(Motion(R, Vec3::zero(), Vec3::new(0.0, 0.5, 0.0)), t);
        let e = error(&imu, &R);
        // The specific force leans north: the filter takes it for up and estimates a roll.
        relative("tilt", e.x, full * (1.0 - (-t / 8.0_f64).exp()), 2e-3);
        assert!(e.y.abs() < 0.01 * full && e.z.abs() < full, "{e:?}");
    }
    let mut bench = Bench::new(1, &format!("{keys}, acceleration_gate_m_s2: 0.01"));
    bench.hold(at_rest([0.0; 3]), 1.0);
    let imu = bench.hold(
        Motion(Mat3::identity(), Vec3::zero(), Vec3::new(0.0, 0.5, 0.0)),
        30.0,
    );
    assert!(error(&imu, &Mat3::identity()).norm() < 1e-9);
}

// A gyro bias b tilts the attitude by b T without bias estimation; with estimation the rate and the
// attitude become correct. Method: closed forms after ten time constants. Tolerance: sine for
// angle, 0.1 %; e^-20 of the bias and 1e-6 rad.
#[test]
fn gyro_biases_tilt_and_are_estimated() {
    let bias = Vec3::new(0.002, -0.001, 0.003);
    let mut bench = Bench::new(
        1,
        "start: cold, tilt_time_constant_s: 8, heading_time_constant_s: 8, bias_time_constant_s: 1000000",
    );
    // Small, so that the errors of the axes do not couple.
    bench.spec.gyro.bias = bias.scale(0.01);
    let imu = bench.hold(at_rest([0.0; 3]), 80.0);
    let e = error(&imu, &Mat3::identity());
    for (found, b) in [(e.x, 0.01 * bias.x), (e.y, 0.01 * bias.y)] {
        relative("tilt", found, 8.0 * b, 2e-3);
    }
    let mut bench = Bench::new(
        1,
        "start: cold, tilt_time_constant_s: 4, heading_time_constant_s: 4, bias_time_constant_s: 16",
    );
    bench.spec.gyro.bias = bias;
    let imu = bench.hold(at_rest([0.3, -0.2, 1.0]), 400.0);
    assert!(
        imu.angular_velocity.norm() < 1e-6,
        "{:?}",
        imu.angular_velocity
    );
    assert!(error(&imu, &at_rest([0.3, -0.2, 1.0]).0).norm() < 1e-6);
}

// Iron on the vehicle turns the heading by the angle between the field and the sum of field and
// iron; with `true_north: false` the heading is also off by the declination; a gate rejects strong
// iron. Method: eight headings, closed form. Tolerance: rounding of the steady state of the filter,
// 1e-9.
#[test]
fn iron_turns_the_heading() {
    let field = Vec3::new(4000.0, 20000.0, 0.0);
    for k in 0..8 {
        let yaw = 0.2 + 0.7 * f64::from(k);
        let R = Mat3::from_rpy(0.0, 0.0, yaw);
        let iron = R.mul_vec(Vec3::new(3000.0, 1000.0, 0.0));
        let seen = field + iron;
        // The heading turns opposite to the apparent rotation of the field.
        let expected = field.y.atan2(field.x) - seen.y.atan2(seen.x);
        let mut bench = Bench::new(1, "iron_nt: [3000, 1000, 500]");
        let imu = bench.hold(at_rest([0.0, 0.0, yaw]), 1.0);
        close(
            "deviation",
            error(&imu, &R).z,
            2.0 * (0.5 * expected).sin(),
            1e-9,
        );
    }
    let mut bench = Bench::new(1, "true_north: false");
    let imu = bench.hold(at_rest([0.0; 3]), 1.0);
    close(
        "declination",
        error(&imu, &Mat3::identity()).z,
        2.0 * (0.5 * 0.2_f64.atan()).sin(),
        1e-9,
    );
    let mut bench = Bench::new(1, "field_gate_percent: 1");
    bench.hold(at_rest([0.0; 3]), 1.0);
    bench.spec.keys.iron_nt = [5000.0, 0.0, -3000.0];
    let imu = bench.hold(at_rest([0.0; 3]), 30.0);
    assert!(error(&imu, &Mat3::identity()).norm() < 1e-9);
}

// At rest the covariance is consistent from the first sample on, with an aligned and with a cold
// start: the normalised squared error has the mean of its three degrees of freedom. Method: 300
// devices with white noise, bias instability and constant errors of all their parts, at the first
// sample and up to ten time constants of the bias later. Tolerance: 4 standard errors of the mean,
// 4 sqrt(2/900) = 19 %; the error of each axis 4 sqrt(2/300) = 33 %.
#[test]
fn covariance_at_rest_is_consistent() {
    let keys = "gyro: {density: 5.0e-4, bias_instability: 1.0e-4, bias_correlation_time_s: 2000, turn_on_bias_std: 2.0e-3}, \
                accelerometer: {density: 0.02, turn_on_bias_std: 0.02, misalignment_std_deg: 0.05}, \
                magnetometer: {density: 2.0e-7, turn_on_bias_std: 1.0e-7, scale_std_percent: 1, misalignment_std_deg: 0.3}, \
                tilt_time_constant_s: 3, heading_time_constant_s: 5, bias_time_constant_s: 15";
    let n = 300;
    for start in ["aligned", "cold"] {
        let mut sums = [[0.0; 3]; 5];
        for seed in 0..n {
            let mut bench = Bench::new(seed, &format!("{keys}, start: {start}"));
            // All headings.
            let motion = at_rest([0.0, 0.0, 0.1 * seed as f64]);
            for (sums, seconds) in sums.iter_mut().zip([0.02, 1.0, 5.0, 20.0, 130.0]) {
                let imu = bench.hold(motion, seconds);
                let e = error(&imu, &motion.0);
                for (axis, sum) in sums.iter_mut().enumerate() {
                    *sum += e[axis] * e[axis] / imu.variances[2][axis] / n as f64;
                }
            }
        }
        for sums in sums {
            let nees = sums.iter().sum::<f64>() / 3.0;
            assert!(
                (nees - 1.0).abs() < 0.19 && sums.iter().all(|s| (s - 1.0).abs() < 0.33),
                "{start}: {nees} {sums:?}"
            );
        }
    }
}

// A device that starts aligned is as accurate from its first sample on as later, and a cold one is
// not. Method: the largest error of 12 shipped AHRS at rest in their first 100 s. Tolerance: 1
// degree of tilt and 4 degrees of heading, as the manufacturer states twice half of that.
#[test]
fn aligned_devices_are_accurate_from_the_first_sample_on() {
    for (start, is_accurate) in [("aligned", true), ("cold", false)] {
        let keys = format!(
            "gyro: {{density: 1.2217e-4, bias_instability: 4.848e-5, bias_correlation_time_s: 300, turn_on_bias_std: 3.5e-3}}, \
             accelerometer: {{density: 1.1768e-3, bias_instability: 2.942e-4, bias_correlation_time_s: 300, turn_on_bias_std: 0.03}}, \
             magnetometer: {{density: 7.0e-9, turn_on_bias_std: 3.0e-7, scale_std_percent: 0.5, misalignment_std_deg: 0.2}}, \
             tilt_time_constant_s: 20, heading_time_constant_s: 10, bias_time_constant_s: 100, start: {start}"
        );
        let (mut tilt, mut heading) = (0.0_f64, 0.0_f64);
        for seed in 0..12 {
            let mut bench = Bench::new(seed, &keys);
            for _ in 0..5000 {
                let e = error(&bench.sample(at_rest([0.0; 3])), &Mat3::identity());
                tilt = tilt.max(e.x.hypot(e.y).to_degrees());
                heading = heading.max(e.z.abs().to_degrees());
            }
        }
        assert_eq!(
            tilt < 1.0 && heading < 4.0,
            is_accurate,
            "{start}: {tilt} {heading}"
        );
    }
}

// A fault of the gyro affects the attitude. Method: a dead gyro while the device rotates; the
// filter follows by accelerometer and magnetometer only, with a delay. Tolerance: it lags by the
// rate times T, 2 %.
#[test]
fn attitude_lags_with_a_dead_gyro() {
    let mut bench = Bench::new(
        1,
        "tilt_time_constant_s: 2, heading_time_constant_s: 2, bias_time_constant_s: 1000000",
    );
    bench.memory.channel_faults[0].dead = true;
    let mut e = Vec3::zero();
    for k in 0..2000 {
        let yaw = 0.05 * 0.02 * f64::from(k);
        let R = Mat3::from_rpy(0.0, 0.0, yaw);
        let imu = bench.sample(Motion(R, Vec3::new(0.0, 0.0, 0.05), Vec3::zero()));
        e = error(&imu, &R);
    }
    relative("lag", e.z, -0.05 * 2.0, 0.02);
}
