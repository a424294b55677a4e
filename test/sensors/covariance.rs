//! Consistency of the published covariances: the normalised squared errors of every kind of sensor.

use crate::common::turntable::{ball, set_motion};
use crate::common::{advance, scene, simulation};
use crate::sensors::acoustic::{RECEIVER, TRANSMITTER, sounds, transponder, world as world_of};
use merrow_environment::geodesy;
use merrow_math::real::wrap_angle;
use merrow_math::{Quat, Sym3, Vec3};
use merrow_model::scene::{Origin, SensorKind};
use merrow_model::sensor::gnss::{Gnss, Heading};
use merrow_model::sensor::inertial::{Imu, Magnetometer, Navigation};
use merrow_model::sensor::vehicle::{Leak, Motor, Odometry, Power, Wind, Wrench};
use merrow_model::sensor::water::{Altimeter, Ctd, Dvl, Pressure, Probe};
use merrow_model::state::bottle::Bottle;
use merrow_model::state::reading::Reading;
use merrow_model::{each_exteroceptive_sensor, each_reading, each_step_sensor};
use merrow_sim::Simulation;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Quantity, its normalised squared error, and the degrees of freedom of that.
type Normalised = (&'static str, f64, usize);

/// Reading whose errors are compared with its covariance. A new kind of reading does not compile
/// without it; a reading without a covariance has no quantity.
trait Consistent {
    /// Returns the normalised squared errors, from the reading of the same device without errors.
    fn normalised(&self, truth: &Self, origin: &Origin) -> Vec<Normalised>;
}

macro_rules! compare {
    ($($(#[doc = $doc:literal])* $kind:ident($reading:ty),)*) => {
        fn normalised(found: &Reading, truth: &Reading, origin: &Origin) -> Vec<Normalised> {
            match (found, truth) {
                $((Reading::$kind(found), Reading::$kind(truth)) => found.normalised(truth, origin),)*
                _ => panic!("different kinds"),
            }
        }
    };
}

each_reading!(compare);

/// Returns the sum of the squared components, each divided by its variance.
fn diagonal(error: Vec3, variances: Vec3) -> f64 {
    (0..3).map(|i| error[i] * error[i] / variances[i]).sum()
}

fn full(error: Vec3, covariance: &Sym3) -> f64 {
    error.dot(covariance.inverse().mul_vec(error))
}

fn scalar(error: f64, variance: f64) -> f64 {
    error * error / variance
}

/// Returns the rotation from the true to the found attitude, as a vector in W [rad].
fn turn(found: &Quat, truth: &Quat) -> Vec3 {
    let R = found.matrix().mul_mat_tr(&truth.matrix());
    let half = |i: usize, j: usize| 0.5 * (R.r[i][j] - R.r[j][i]);
    Vec3::new(half(2, 1), half(0, 2), half(1, 0))
}

impl Consistent for Imu {
    fn normalised(&self, truth: &Self, _: &Origin) -> Vec<Normalised> {
        let [gyro, accelerometer, attitude] = self.variances;
        let rate = self.angular_velocity - truth.angular_velocity;
        let force = self.linear_acceleration - truth.linear_acceleration;
        let mut all = vec![
            ("angular velocity", diagonal(rate, gyro), 3),
            ("acceleration", diagonal(force, accelerometer), 3),
        ];
        if let (Some(q), Some(q_true)) = (&self.orientation, &truth.orientation) {
            let e = turn(q, q_true);
            let [x, y, z] = [0, 1, 2].map(|i| e[i] * e[i] / attitude[i]);
            all.extend([("tilt", x + y, 2), ("heading", z, 1)]);
        }
        all
    }
}

impl Consistent for Navigation {
    fn normalised(&self, truth: &Self, _: &Origin) -> Vec<Normalised> {
        let rate = self.w_WS_S - truth.w_WS_S;
        let variance = self.rate_variance;
        vec![
            (
                "position",
                full(self.p_WS - truth.p_WS, &self.position_covariance),
                3,
            ),
            (
                "attitude",
                full(turn(&self.q_WS, &truth.q_WS), &self.attitude_covariance),
                3,
            ),
            (
                "velocity",
                full(self.v_WS_S - truth.v_WS_S, &self.velocity_covariance),
                3,
            ),
            (
                "rate",
                diagonal(rate, Vec3::new(variance, variance, variance)),
                3,
            ),
        ]
    }
}

impl Consistent for Gnss {
    fn normalised(&self, truth: &Self, origin: &Origin) -> Vec<Normalised> {
        let place = |r: &Self| {
            let [latitude, longitude, height] = r.position;
            geodesy::world_from_ecef(origin, geodesy::ecef(latitude, longitude, height))
        };
        let velocity = self.velocity - truth.velocity;
        vec![
            (
                "position",
                diagonal(place(self) - place(truth), Vec3::from(self.variances)),
                3,
            ),
            (
                "velocity",
                diagonal(velocity, Vec3::from(self.velocity_variances)),
                3,
            ),
        ]
    }
}

impl Consistent for Heading {
    fn normalised(&self, truth: &Self, _: &Origin) -> Vec<Normalised> {
        vec![(
            "heading",
            scalar(wrap_angle(self.yaw - truth.yaw), self.variance),
            1,
        )]
    }
}

impl Consistent for Dvl {
    fn normalised(&self, truth: &Self, _: &Origin) -> Vec<Normalised> {
        let c = &self.covariance;
        let covariance = Sym3 {
            xx: c[0],
            xy: c[1],
            xz: c[2],
            yy: c[4],
            yz: c[5],
            zz: c[8],
        };
        let beams = || self.beams.iter().zip(&truth.beams);
        let velocities = beams().map(|(b, t)| scalar(b.velocity - t.velocity, b.velocity_variance));
        let ranges = beams().map(|(b, t)| scalar(b.range - t.range, self.range_variance));
        vec![
            (
                "velocity",
                full(self.velocity - truth.velocity, &covariance),
                3,
            ),
            ("beam velocities", velocities.sum(), 4),
            ("beam ranges", ranges.sum(), 4),
        ]
    }
}

impl Consistent for Pressure {
    fn normalised(&self, truth: &Self, _: &Origin) -> Vec<Normalised> {
        let [[z, variance], [z_true, _]] = [self, truth].map(|r| r.height().expect("a height"));
        vec![
            (
                "pressure",
                scalar(self.pressure - truth.pressure, self.variance),
                1,
            ),
            ("height", scalar(z - z_true, variance), 1),
        ]
    }
}

impl Consistent for Magnetometer {
    fn normalised(&self, truth: &Self, _: &Origin) -> Vec<Normalised> {
        vec![(
            "field",
            diagonal(self.field - truth.field, self.variances),
            3,
        )]
    }
}

impl Consistent for Altimeter {
    fn normalised(&self, truth: &Self, _: &Origin) -> Vec<Normalised> {
        vec![("range", scalar(self.range - truth.range, self.variance), 1)]
    }
}

impl Consistent for Wrench {
    fn normalised(&self, truth: &Self, _: &Origin) -> Vec<Normalised> {
        let [force, torque] = self.variances;
        vec![
            ("force", diagonal(self.force - truth.force, force), 3),
            ("torque", diagonal(self.torque - truth.torque, torque), 3),
        ]
    }
}

impl Consistent for Probe {
    fn normalised(&self, truth: &Self, _: &Origin) -> Vec<Normalised> {
        vec![("value", scalar(self.value - truth.value, self.variance), 1)]
    }
}

impl Consistent for Ctd {
    fn normalised(&self, truth: &Self, _: &Origin) -> Vec<Normalised> {
        let values = |r: &Self| [r.temperature, r.conductivity, r.pressure];
        let (found, truth) = (values(self), values(truth));
        let nees = |i: usize| scalar(found[i] - truth[i], self.variances[i]);
        vec![
            ("temperature", nees(0), 1),
            ("conductivity", nees(1), 1),
            ("pressure", nees(2), 1),
        ]
    }
}

impl Consistent for Wind {
    fn normalised(&self, truth: &Self, _: &Origin) -> Vec<Normalised> {
        let direction = wrap_angle(self.from - truth.from).to_degrees();
        vec![
            (
                "speed",
                scalar(self.speed - truth.speed, self.variances[0]),
                1,
            ),
            ("direction", scalar(direction, self.variances[1]), 1),
        ]
    }
}

/// Readings without errors or without a covariance.
macro_rules! without_covariance {
    ($($reading:ty),*) => {
        $(impl Consistent for $reading {
            fn normalised(&self, _: &Self, _: &Origin) -> Vec<Normalised> {
                Vec::new()
            }
        })*
    };
}

without_covariance!(Odometry, Bottle, Leak, Motor, Power);

/// Errors of an instrument with this white noise; the other errors are of the same order.
fn errors(density: f64) -> String {
    let [instability, bias] = [0.5 * density, 4.0 * density];
    format!(
        "{{density: {density:e}, bias_instability: {instability:e}, bias_correlation_time_s: 300, \
         random_walk: {:e}, turn_on_bias_std: {bias:e}}}",
        0.1 * density
    )
}

/// Adds scale errors and misalignments to the errors of an instrument.
fn with_matrix(errors: &str, scale_percent: f64, misalignment_deg: f64) -> String {
    let matrix =
        format!(", scale_std_percent: {scale_percent}, misalignment_std_deg: {misalignment_deg}}}");
    errors.replace('}', &matrix)
}

/// Returns the keys of a device of each kind, and whether it is in water. Kinds without a published
/// covariance have none. A new kind does not compile without its entry.
fn devices(kind: &str) -> Option<(String, bool)> {
    let e = errors;
    let triads = format!(
        "gyro: {}, accelerometer: {}",
        e(2e-4),
        with_matrix(&e(0.01), 0.1, 0.1)
    );
    let keys = |text: String| Some((text, true));
    let in_air = |text: String| Some((text, false));
    match kind {
        "Imu" => keys(format!("kind: imu, {triads}, attitude_std_deg: [0.5, 0.7, 1]")),
        "Ahrs" => keys(format!(
            "kind: ahrs, {triads}, magnetometer: {}, tilt_time_constant_s: 15, heading_time_constant_s: 8, bias_time_constant_s: 60",
            with_matrix(&e(5e-8), 0.5, 0.2)
        )),
        "Ins" => keys(
            "kind: ins, gyro: {density: 5.0e-5, bias_instability: 2.0e-5, bias_correlation_time_s: 1000, turn_on_bias_std: 1.0e-4}, \
             accelerometer: {density: 1.0e-3, bias_instability: 2.0e-4, bias_correlation_time_s: 1000, turn_on_bias_std: 0.01}, \
             start_position_std_m: 1, start_velocity_std_m_s: 0.1, start_attitude_std_deg: [0.1, 0.1, 0.5]"
                .to_string(),
        ),
        "Gnss" => in_air(
            "kind: gnss, horizontal_std_m: 2, vertical_std_m: 3, correlation_time_s: 30, velocity_std_m_s: [0.05, 0.1], \
             sky: {multipath_std_m: 3}"
                .to_string(),
        ),
        "GnssHeading" => in_air(
            "kind: gnss_heading, antennas_m: [[0.5, 0, 0], [-0.5, 0, 0]], baseline_std_m: 0.01, correlation_time_s: 20".to_string(),
        ),
        "Dvl" => keys(
            "kind: dvl, beam_angle_deg: 30, bottom_std_m_s: 0.005, scale_std_percent: 0.5, range_std_m: 0.1, resolution_m_s: 0.002, \
             altitude_m: [1, 190]"
                .to_string(),
        ),
        "Pressure" => keys(format!("kind: pressure, errors: {}", with_matrix(&e(100.0), 0.1, 0.0))),
        "Magnetometer" => keys(format!("kind: magnetometer, errors: {}", with_matrix(&e(1e-7), 1.0, 0.5))),
        "Altimeter" => keys(format!(
            "kind: altimeter, min_range_m: 1, max_range_m: 190, errors: {}",
            with_matrix(&e(0.02), 0.1, 0.0)
        )),
        "Wrench" => keys(format!(
            "kind: wrench, force: {}, torque: {}",
            with_matrix(&e(0.5), 1.0, 0.5),
            e(0.05)
        )),
        "Probe" => keys(format!("kind: probe, field: temperature, errors: {}", with_matrix(&e(0.05), 1.0, 0.0))),
        "Ctd" => keys(format!(
            "kind: ctd, temperature: {}, conductivity: {}, pressure: {}",
            e(0.01),
            e(0.001),
            with_matrix(&e(100.0), 0.1, 0.0)
        )),
        "Barometer" => in_air(format!("kind: barometer, errors: {}", e(10.0))),
        "Anemometer" => in_air(format!(
            "kind: anemometer, speed: {}, direction: {}",
            with_matrix(&e(0.1), 2.0, 0.0),
            e(1.0)
        )),
        "Odometry" | "WaterSampler" | "LeakDetector" | "Motor" | "PowerMeter" => None,
        other => panic!("the sensor {other} has no entry in this test"),
    }
}

macro_rules! list_kinds {
    ($(
        $(#[doc = $doc:literal])*
        $kind:ident($spec:ty) -> $reading:ty { $($properties:tt)* },
    )*) => {
        const KINDS: &[&str] = &[$(stringify!($kind)),*];

        fn kind_name(kind: &SensorKind) -> &'static str {
            match kind {
                $(SensorKind::$kind(_) => stringify!($kind),)*
                SensorKind::Exteroceptive(_) => panic!("not a sensor of the step"),
            }
        }
    };
}

each_step_sensor!(list_kinds);

const SEEDS: u64 = 100;
/// Samples that are compared: the first, and those after 1 s, 10 s and 100 s.
const SAMPLES: [u64; 4] = [0, 10, 100, 1000];
/// Step of the worlds, in which each sensor takes one sample [s].
const STEP: f64 = 0.1;

/// Returns a world in water or in air with one sensor of each kind of this medium. The robot moves
/// steadily in water and is at rest in air.
fn world(seed: u64, in_water: bool) -> Simulation {
    let mut sensors = Vec::new();
    for kind in KINDS {
        if let Some((keys, wet)) = devices(kind)
            && wet == in_water
        {
            let link = if *kind == "Wrench" { "link: arm, " } else { "" };
            let down = if *kind == "Altimeter" {
                ", attitude_deg: [0, 90, 0]"
            } else {
                ""
            };
            let name = kind.to_lowercase();
            sensors.push(format!(
                "{name}: {{{link}device: {{source: test, rate_hz: 10, {keys}}}{down}}}"
            ));
        }
    }
    let top = format!(
        "seed: {seed}\nstep: {{dt_s: {STEP}}}\nseabed: {{depth_m: 60}}\norigin: {{magnetic_field_nt: [4000, 20000, -30000]}}\n\
         weather: {{wind_speed_m_s: 8, wind_from_deg: 300}}\nwater: {{tide: {{level_m: 2}}}}"
    );
    let sensors = sensors.join(", ");
    let text = if in_water {
        let arm = "arm: {parent: base_link, joint: {kind: fixed, position_m: [0.2, 0, 0]}, \
                   body: {source: test, axes: flu, mass_kg: 2, inertia_kg_m2: {xx: 0.01, yy: 0.01, zz: 0.01}, net_buoyancy_n: 0}}";
        ball(&top, "", &sensors).replace(
            "      sensors:",
            &format!("      links: {{{arm}}}\n      sensors:"),
        )
    } else {
        ball(&top, "    position_m: [0, 0, 5]", &sensors).replace(
            "      source: test\n",
            "      source: test\n      base: fixed\n",
        )
    };
    let mut s = Simulation::new(Arc::new(scene(&text)), 1).unwrap();
    if in_water {
        set_motion(
            &mut s,
            Vec3::new(0.0, 0.0, -20.0),
            [0.1, 0.05, 0.0],
            Vec3::new(1.5, 0.2, 0.0),
            Vec3::zero(),
        );
    }
    s
}

/// Returns the readings of all sensors at [`SAMPLES`], by sensor and sample.
fn record(mut s: Simulation) -> BTreeMap<(usize, usize), Reading> {
    let mut all = BTreeMap::new();
    let mut keep = |s: &mut Simulation| {
        for found in &s.runners[0].outbox {
            let number = (found.stamped.stamp_ns as f64 * 1e-9 / STEP).round() as u64;
            if let Some(k) = SAMPLES.iter().position(|sample| *sample == number) {
                all.insert((found.sensor, k), found.stamped.reading);
            }
        }
        s.clear_outboxes();
    };
    for _ in 0..SAMPLES[3] + 2 {
        advance(&mut s, STEP);
        keep(&mut s);
    }
    all
}

/// Returns the band in which the mean of chi-squared numbers with `n` degrees of freedom in total,
/// each per degree of freedom, lies, `z` standard deviations wide [Wilson and Hilferty 1931].
fn band(n: usize, z: f64) -> [f64; 2] {
    let v = 2.0 / (9.0 * n as f64);
    [-z, z].map(|z| (1.0 - v + z * v.sqrt()).powi(3))
}

// For every kind of sensor that publishes a covariance, the errors obey it from the first message
// on. Method: 100 devices of each kind with all kinds of errors, on a body in steady motion or at
// rest; the same device without errors is the truth. Tolerance: at least 9 of 10 means of the
// normalised squared errors lie in their 95 % bands, and all of them in their 99.99 % bands.
#[test]
fn errors_obey_the_published_covariances() {
    let (mut inside, mut all, mut report) = (0, 0, Vec::new());
    for in_water in [true, false] {
        let mut exact = world(1, in_water);
        for sensor in &mut exact.state.robots[0].sensors {
            sensor.noise = false;
        }
        let truth = record(exact);
        let mut sums: BTreeMap<(usize, usize, &str), (f64, usize)> = BTreeMap::new();
        let mut names = Vec::new();
        for seed in 1..=SEEDS {
            let s = world(seed, in_water);
            let origin = s.scene.origin;
            let sensors = s.scene.robots[0].sensors.iter();
            names = sensors.map(|sensor| kind_name(&sensor.kind)).collect();
            for (key, found) in record(s) {
                for (quantity, squared, freedom) in normalised(&found, &truth[&key], &origin) {
                    let sum = sums.entry((key.0, key.1, quantity)).or_default();
                    *sum = (sum.0 + squared, sum.1 + freedom);
                }
            }
        }
        for ((sensor, sample, quantity), (sum, n)) in sums {
            let mean = sum / n as f64;
            let ([low, high], [least, most]) = (band(n, 1.96), band(n, 3.9));
            let is_inside = (low..=high).contains(&mean);
            (inside, all) = (inside + usize::from(is_inside), all + 1);
            let mark = if is_inside { " " } else { "*" };
            let line = format!(
                "{mark} {} {quantity}, sample {}: {mean:.3} in {low:.3} to {high:.3}",
                names[sensor], SAMPLES[sample]
            );
            println!("{line}");
            if !(least..=most).contains(&mean) {
                report.push(line);
            }
        }
    }
    assert!(report.is_empty(), "{report:#?}");
    assert!(10 * inside >= 9 * all, "{inside} of {all}");
    assert!(all > 80, "{all} quantities");
}

macro_rules! list_exteroceptive_kinds {
    ($($(#[doc = $doc:literal])* $kind:ident($spec:ty),)*) => {
        const EXTEROCEPTIVE: &[&str] = &[$(stringify!($kind)),*];
    };
}

each_exteroceptive_sensor!(list_exteroceptive_kinds);

// The same for acoustic positions, with bearing and range errors and a misaligned array. Method:
// the first fix of 100 instruments. Tolerance: the 95 % band. The obstacles of a detector have
// constant covariances from the world file; the other kinds publish none. A new kind has to be
// added here.
#[test]
fn errors_of_acoustic_positions_obey_their_covariances() {
    assert_eq!(
        EXTEROCEPTIVE,
        [
            "Laser",
            "Camera",
            "Sonar",
            "Acoustic",
            "Obstacles",
            "Ais",
            "Radar"
        ]
    );
    let target = Vec3::new(150.0, 60.0, -40.0);
    let rest = format!(
        "beacons: {{t: {{beacon: {}, position_m: [150, 60, -90]}}}}",
        transponder(0.0)
    );
    let device = format!(
        "kind: usbl, rate_hz: 0.3, {TRANSMITTER}, {RECEIVER}, bearing_std_deg: 1, range_std_m: 0.5, alignment_std_deg: 2"
    );
    let sum: f64 = (1..=SEEDS)
        .map(|seed| {
            let text = format!("seed: {seed}\n{}", world_of(&device, "", &rest));
            let found = sounds(&mut simulation(&text), 4.0);
            let fix = &found[0].1.fixes[0];
            full(fix.p_S - target, &Sym3::upper(&fix.covariance))
        })
        .sum();
    let (mean, [low, high]) = (sum / (3 * SEEDS) as f64, band(3 * SEEDS as usize, 1.96));
    assert!((low..=high).contains(&mean), "{mean} in {low} to {high}");
}
