//! Tests of free inertial navigation against the closed forms of its errors, and of the consistency
//! of its covariance.

use crate::common::turntable::ball;
use crate::common::{close, close_vectors, initial_environment, relative, scene};
use merrow_math::{Mat3, SpatialVelocity, Sym3, Vec3};
use merrow_model::scene::{Scene, Sensor, SensorKind};
use merrow_model::sensor::inertial::InsSpec;
use merrow_model::sensor::inertial::Navigation;
use merrow_model::state::{RobotState, SensorState, Workspace};
use merrow_sensors::measure::{Measure, Sample};
use merrow_sensors::{OnBoard, SensorEnvironment, Truth};

const RADIUS: f64 = 6_371_008.8;
const SPIN: f64 = 7.292_115e-5;
const G: f64 = 9.81;

/// An INS without a robot; its user sets its attitude and motion.
struct Bench {
    scene: Scene,
    sensor: Sensor,
    spec: InsSpec,
    memory: SensorState,
    state: RobotState,
    work: Workspace,
}

/// Position, velocity and acceleration in W [m, m/s, m/s²]; attitude R_WS; angular velocity in S
/// [rad/s].
#[derive(Clone, Copy)]
struct Motion(Vec3, Vec3, Vec3, Mat3, Vec3);

fn at_rest() -> Motion {
    Motion(
        Vec3::zero(),
        Vec3::zero(),
        Vec3::zero(),
        Mat3::identity(),
        Vec3::zero(),
    )
}

impl Bench {
    fn new(seed: u64, latitude: f64, rate: f64, keys: &str) -> Self {
        let device = format!("a: {{device: {{source: test, kind: ins, rate_hz: {rate}, {keys}}}}}");
        let top = format!(
            "seed: {seed}\norigin: {{latitude_deg: {latitude}, magnetic_field_nt: [0, 20000, -40000]}}"
        );
        let scene = scene(&ball(&top, "", &device));
        let sensor = scene.robots[0].sensors[0].clone();
        let SensorKind::Ins(spec) = &sensor.kind else {
            panic!("not an INS")
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

    fn sample(&mut self, motion: Motion) -> Navigation {
        let now = (self.memory.samples as f64 * 1e9 / self.sensor.rate) as u64;
        self.sample_at(motion, now)
    }

    fn sample_at(&mut self, motion: Motion, now: u64) -> Navigation {
        let Motion(p_WS, v_W, a_W, R_WS, w) = motion;
        let at = initial_environment(&self.scene);
        let truth = Truth {
            R_WS,
            p_WS,
            V_WS_S: SpatialVelocity {
                w,
                v: R_WS.tr_mul_vec(v_W),
            },
            a_WS_S: R_WS.tr_mul_vec(a_W),
            around: SensorEnvironment {
                environment: &at,
                origin: &self.scene.origin,
                static_geometry: None,
            },
        };
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
        let found = self.spec.measure(&mut sample).expect("a reading");
        self.memory.count(&self.sensor);
        found
    }

    /// Returns the navigation output after `seconds` of a motion.
    fn go(&mut self, seconds: f64, motion: impl Fn(f64) -> Motion) -> Navigation {
        let n = (seconds * self.sensor.rate).round() as u64;
        let mut found = self.sample(motion(0.0));
        for k in 1..=n {
            found = self.sample(motion(k as f64 / self.sensor.rate));
        }
        found
    }
}

/// Returns a vehicle that circles at 2 m/s and 0.1 rad/s and rolls in swell.
fn circling(t: f64) -> Motion {
    let (v, r) = (2.0, 0.1);
    let (s, c) = (r * t).sin_cos();
    let roll = 0.2 * (0.8 * t).sin();
    let roll_rate = 0.2 * 0.8 * (0.8 * t).cos();
    let R = Mat3::from_rpy(roll, 0.0, r * t);
    let w_W = Vec3::new(0.0, 0.0, r) + Vec3::new(c, s, 0.0).scale(roll_rate);
    Motion(
        Vec3::new(v / r * s, v / r * (1.0 - c), -10.0),
        Vec3::new(v * c, v * s, 0.0),
        Vec3::new(-v * r * s, v * r * c, 0.0),
        R,
        R.tr_mul_vec(w_W),
    )
}

// An ideal INS follows the truth on the rotating Earth for any vehicle motion. Method: ten minutes
// of circles in swell at 45 degrees north, 100 and 200 samples per second. Tolerance: the
// integration error, 5 cm and 1e-5 rad, falls with the square of the step (at least by half is
// required).
#[test]
fn ideal_ins_follows_the_truth() {
    let off = |rate: f64| {
        let mut bench = Bench::new(1, 45.0, rate, "");
        let found = bench.go(600.0, circling);
        let Motion(p, v, _, R, w) = circling(600.0);
        close_vectors("rate", found.w_WS_S, w, 1e-9);
        let turn = found.q_WS.matrix().mul_mat_tr(&R);
        let angle = Vec3::new(turn.r[2].y, turn.r[0].z, turn.r[1].x).norm();
        let e = (found.p_WS - p).norm();
        assert!(
            e < 0.05 && angle < 1e-5 && (found.v_WS_S - R.tr_mul_vec(v)).norm() < 1e-3,
            "{e} {angle}"
        );
        e
    };
    let (coarse, fine) = (off(100.0), off(200.0));
    assert!(fine < 0.5 * coarse + 1e-6, "{coarse} {fine}");
}

// A rate that does not divide the step rate causes no error. Method: 70 samples per second, each at
// the next step of 10 ms, over a minute of the same motion: about every third interval is 20 ms.
// Tolerance: the integration error, 1e-4 rad and 5 cm; intervals of 1/70 s would cause an error of
// 1e-3 rad within one roll period.
#[test]
fn samples_use_their_actual_intervals() {
    let mut bench = Bench::new(1, 45.0, 70.0, "");
    for k in 0..60 * 70_u64 {
        let now = (k * 1_000_000_000 / 70).div_ceil(10_000_000) * 10_000_000;
        let motion = circling(now as f64 * 1e-9);
        let found = bench.sample_at(motion, now);
        let Motion(p, _, _, R, _) = motion;
        let turn = found.q_WS.matrix().mul_mat_tr(&R);
        let angle = Vec3::new(turn.r[2].y, turn.r[0].z, turn.r[1].x).norm();
        assert!(
            angle < 1e-4 && (found.p_WS - p).norm() < 0.05,
            "sample {k}: {angle}"
        );
    }
}

// An accelerometer bias b gives a position error of b t²/2 at first, then a Schuler oscillation at
// √(g/R). Method: at the equator to the east, where Coriolis couples the vertical channel and ω² =
// g/R + 4 Ω²; closed form b (1 - cos ω t) / ω² over two periods. Tolerance: 0.2 % of the largest
// error (steps of half a second); b t²/2 to (ω t)²/12.
#[test]
fn accelerometer_bias_gives_schuler_oscillation() {
    let b = 1e-3;
    let omega = (G / RADIUS + 4.0 * SPIN * SPIN).sqrt();
    let mut bench = Bench::new(1, 0.0, 2.0, "");
    bench.spec.accelerometer.bias = Vec3::new(b, 0.0, 0.0);
    let mut worst = 0.0_f64;
    for k in 0..20_000 {
        let t = f64::from(k) / 2.0;
        let x = bench.sample(at_rest()).p_WS.x;
        let expected = b * (1.0 - (omega * t).cos()) / (omega * omega);
        worst = worst.max((x - expected).abs());
        if t == 120.0 {
            relative("at first", x, 0.5 * b * t * t, (omega * t).powi(2) / 11.0);
        }
    }
    assert!(worst < 2e-3 * 2.0 * b / (omega * omega), "{worst}");
}

// A gyro bias b gives a position error of b g t³/6 at first, then a drift at b R with an
// oscillation. Method: as above, about the Earth's axis, b = 0.01 deg/h; closed form (b g / ω²) (t
// - sin ω t / ω). Tolerance: 0.1 % of the error at the end; the cube to (ω t)²/20.
#[test]
fn gyro_bias_drifts() {
    let b = 0.01_f64.to_radians() / 3600.0;
    let omega = (G / RADIUS + 4.0 * SPIN * SPIN).sqrt();
    let mut bench = Bench::new(1, 0.0, 2.0, "");
    bench.spec.gyro.bias = Vec3::new(0.0, b, 0.0);
    let (mut worst, mut last) = (0.0_f64, 0.0);
    for k in 0..20_000 {
        let t = f64::from(k) / 2.0;
        let x = bench.sample(at_rest()).p_WS.x;
        last = b * G / (omega * omega) * (t - (omega * t).sin() / omega);
        worst = worst.max((x - last).abs());
        if t == 300.0 {
            relative(
                "at first",
                x,
                b * G * t * t * t / 6.0,
                (omega * t).powi(2) / 19.0,
            );
        }
    }
    // About 0.6 nautical miles per hour.
    assert!(last > 2900.0 && worst < 1e-3 * last, "{worst} of {last}");
}

// White noise N of the accelerometer gives a position standard deviation of N √(t³/3), and the
// covariance reports it. Method: 300 systems at rest for 100 s. Tolerance: 4 standard errors, 16 %;
// the covariance against the closed form 1 %.
#[test]
fn white_noise_matches_its_closed_form() {
    let n = 300;
    let expected = 0.01 * (100_f64.powi(3) / 3.0).sqrt();
    let mut sum = 0.0;
    for seed in 0..n {
        let mut bench = Bench::new(seed, 45.0, 10.0, "accelerometer: {density: 0.01}");
        let found = bench.go(100.0, |_| at_rest());
        sum += found.p_WS.dot(found.p_WS) / (3 * n) as f64;
        relative(
            "its own",
            found.position_covariance.xx.sqrt(),
            expected,
            0.01,
        );
    }
    relative("deviation", sum.sqrt(), expected, 0.10);
}

/// Returns the normalised squared errors of position, attitude and velocity, with three degrees of
/// freedom each.
fn normalised(found: &Navigation, truth: Motion) -> [f64; 3] {
    let Motion(p, v, _, R, _) = truth;
    let turn = R.mul_mat_tr(&found.q_WS.matrix());
    let skew = |i: usize, j: usize| 0.5 * (turn.r[i][j] - turn.r[j][i]);
    let phi = Vec3::new(skew(2, 1), skew(0, 2), skew(1, 0));
    let nees = |e: Vec3, c: &Sym3| e.dot(c.inverse().mul_vec(e));
    [
        nees(p - found.p_WS, &found.position_covariance),
        nees(phi, &found.attitude_covariance),
        nees(R.tr_mul_vec(v) - found.v_WS_S, &found.velocity_covariance),
    ]
}

// The covariance of a free INS is consistent. Method: 200 systems with all sensor and initial
// errors, circling for five minutes; normalised squared errors of position, attitude and velocity,
// three degrees of freedom each. Tolerance: 4.5 standard errors of the mean, 3 ± 4.5 √(6/200) =
// 0.78.
#[test]
fn covariance_is_consistent() {
    let keys = "gyro: {density: 5.0e-5, bias_instability: 3.0e-5, bias_correlation_time_s: 1000, random_walk: 1.0e-6, turn_on_bias_std: 1.0e-4}, \
                accelerometer: {density: 1.0e-3, bias_instability: 5.0e-4, bias_correlation_time_s: 1000, turn_on_bias_std: 0.01}, \
                start_position_std_m: 1, start_velocity_std_m_s: 0.1, start_attitude_std_deg: [0.1, 0.15, 0.5]";
    let n = 200;
    let mut sums = [0.0; 3];
    for seed in 0..n {
        let found = Bench::new(seed, 45.0, 20.0, keys).go(300.0, circling);
        sums.iter_mut()
            .zip(normalised(&found, circling(300.0)))
            .for_each(|(s, x)| *s += x / n as f64);
    }
    assert!(sums.iter().all(|s| (s - 3.0).abs() < 0.78), "{sums:?}");
}

// The initial errors are the errors of the alignment, and the covariance reports them. Method: the
// first sample of 400 systems. Tolerance: 4 standard errors, 12 % of a deviation (over three axes).
#[test]
fn initial_errors_match_the_alignment() {
    let keys = "start_position_std_m: 2, start_velocity_std_m_s: 0.1, start_attitude_std_deg: [0.1, 0.1, 1]";
    let mut sums = [0.0; 3];
    for seed in 0..400 {
        let found = Bench::new(seed, 45.0, 20.0, keys).sample(circling(0.0));
        let e = normalised(&found, circling(0.0));
        sums.iter_mut().zip(e).for_each(|(s, x)| *s += x / 400.0);
        close("position", found.position_covariance.xx, 4.0, 1e-12);
        close(
            "heading",
            found.attitude_covariance.zz.sqrt().to_degrees(),
            1.0,
            1e-12,
        );
    }
    assert!(
        sums.iter()
            .all(|s| (s - 3.0).abs() < 4.0 * (6.0_f64 / 400.0).sqrt()),
        "{sums:?}"
    );
    let mut bench = Bench::new(1, 45.0, 20.0, keys);
    bench.memory.noise = false;
    let exact = bench.sample(circling(0.0));
    close_vectors("without noise", exact.p_WS, circling(0.0).0, 1e-12);
}
