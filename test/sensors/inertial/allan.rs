//! Tests every shipped inertial sensor against its own data sheet by the Allan deviation of its
//! output (V86).

use crate::common::scene;
use merrow_math::Vec3;
use merrow_math::rng::Stream;
use merrow_model::scene::SensorKind;
use merrow_model::sensor::Errors;
use merrow_sensors::noise;
use std::path::Path;

/// Instruments of each kind, each with three axes.
const SEEDS: u64 = 4;
/// Number of samples of each record.
const SAMPLES: usize = 100_000;
/// Rates of the two records of a device: its own rate for fast errors, 1 Hz for slow errors.
const RATES: [Option<f64>; 2] = [None, Some(1.0)];

/// Data sheet values of a triad: N, B, the correlation time of B, K.
#[derive(Clone, Copy, Debug, Default)]
struct DataSheet {
    density: f64,
    instability: f64,
    tau: f64,
    walk: f64,
}

/// Reads the values of `triad` from the text of its file, independently of the reader under test.
fn sheet(text: &str, triad: &str) -> DataSheet {
    let line = text
        .lines()
        .find(|l| l.starts_with(&format!("{triad}:")))
        .unwrap_or_default();
    let get = |key: &str| -> Option<f64> {
        let rest = line.split_once(&format!("{key}: "))?.1;
        rest.split([',', '}']).next()?.trim().parse().ok()
    };
    DataSheet {
        density: get("density").unwrap_or(0.0),
        instability: get("bias_instability").unwrap_or(0.0),
        tau: get("bias_correlation_time_s").unwrap_or(100.0),
        walk: get("random_walk").unwrap_or(0.0),
    }
}

/// Returns the gyro and accelerometer errors of a device at a rate, as a world with this seed
/// creates them.
fn instruments(device: &str, rate: Option<f64>, seed: u64) -> (f64, [Errors; 2]) {
    let rate = rate.map_or_else(String::new, |r| format!(", rate_hz: {r}"));
    let scene = scene(&format!(
        "seed: {seed}\nstep: {{dt_s: 0.001}}\nrobots: {{r: {{model: {{source: test, body: {{source: test, axes: flu, mass_kg: 1, \
         inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}, sensors: {{s: {{device: {device}{rate}}}}}}}}}}}\n"
    ));
    let sensor = &scene.robots[0].sensors[0];
    let errors = match &sensor.kind {
        SensorKind::Imu(spec) => [spec.gyro, spec.accelerometer],
        SensorKind::Ahrs(spec) => [spec.gyro, spec.accelerometer],
        SensorKind::Ins(spec) => [spec.gyro, spec.accelerometer],
        other => panic!("{device} is no inertial instrument but {}", other.name()),
    };
    (sensor.rate, errors)
}

/// Returns the output of the three axes of an instrument at rest.
fn record(errors: &Errors, stream: Stream) -> [Vec<f64>; 3] {
    let mut drift = [[0.0; 2]; 3];
    let mut axes: [Vec<f64>; 3] = std::array::from_fn(|_| Vec::with_capacity(SAMPLES));
    for k in 0..SAMPLES as u64 {
        let y = noise::measure_vector(
            errors,
            &mut drift,
            Vec3::zero(),
            true,
            &mut stream.draw(k + 1),
        );
        axes.iter_mut()
            .zip(y.to_array())
            .for_each(|(axis, y)| axis.push(y));
    }
    axes
}

/// Returns the sums of the samples before each one, and of all samples.
fn cumulative_sums(x: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let after = x.iter().map(|y| {
        sum += y;
        sum
    });
    std::iter::once(0.0).chain(after).collect()
}

/// Returns the overlapping Allan variance for averages over `m` samples, from the cumulative sums
/// of a record [IEEE 952-1997, C.1; Riley 2008, eq. 10].
fn allan_variance(sums: &[f64], m: usize) -> f64 {
    let terms = sums.len() - 2 * m;
    let mut total = 0.0;
    // a plain loop, because tests are not optimised
    let mut i = 0;
    while i < terms {
        let d = sums[i + 2 * m] - 2.0 * sums[i + m] + sums[i];
        total += d * d;
        i += 1;
    }
    total / (2.0 * (m * m * terms) as f64)
}

/// Returns the contributions of white noise, a Gauss-Markov process and a random walk with unit N²,
/// σ² and K² to the Allan variance over `m` samples in `time` [s] [IEEE 952-1997, C.1.1]. The last
/// factor applies to sums over samples instead of integrals over time.
fn shapes(time: f64, m: usize, tau: f64) -> [f64; 3] {
    let sampled = 1.0 + 0.5 / ((m * m) as f64);
    let x = time / tau;
    let markov = 2.0 / x * (1.0 - (3.0 - 4.0 * (-x).exp() + (-2.0 * x).exp()) / (2.0 * x));
    [1.0 / time, markov * sampled, time / 3.0 * sampled]
}

/// One averaging time: its contributions, its variance by the data sheet, its relative standard
/// error for one axis, and the variance of each axis.
struct Point {
    time: f64,
    shapes: [f64; 3],
    expected: f64,
    error: f64,
    axes: Vec<f64>,
}

/// Returns all averaging times of a triad over both records.
fn points(device: &str, triad: usize, sheet: &DataSheet, squares: [f64; 3]) -> Vec<Point> {
    let mut all = Vec::new();
    for rate in RATES {
        let (mut axes, mut fs) = (Vec::new(), 0.0);
        for seed in 0..SEEDS {
            let (own, errors) = instruments(device, rate, 100 + seed);
            fs = own;
            let stream = Stream::new(seed, &format!("{device} {triad} {fs}"));
            axes.extend(record(&errors[triad], stream).map(|x| cumulative_sums(&x)));
        }
        for m in (0..)
            .map(|k| 1_usize << k)
            .take_while(|m| 20 * m <= SAMPLES)
        {
            let time = m as f64 / fs;
            let shapes = shapes(time, m, sheet.tau);
            let expected = shapes.iter().zip(squares).map(|(a, b)| a * b).sum();
            // At least as many degrees of freedom as there are non-overlapping averages.
            let error = (2.0 / ((SAMPLES / m) as f64 - 1.0)).sqrt();
            all.push(Point {
                time,
                shapes,
                expected,
                error,
                axes: axes.iter().map(|x| allan_variance(x, m)).collect(),
            });
        }
    }
    all
}

/// Returns the N², σ² and K² of one axis, by least squares over the contributions that the data
/// sheet has. Each averaging time is weighted by its confidence.
fn fit(points: &[Point], axis: usize, present: [bool; 3]) -> [f64; 3] {
    let (mut a, mut b) = ([[0.0; 3]; 3], [0.0; 3]);
    for p in points {
        let weight = 1.0 / (p.error * p.expected * p.error * p.expected);
        for i in 0..3 {
            b[i] += weight * p.shapes[i] * p.axes[axis];
            for j in 0..3 {
                a[i][j] += weight * p.shapes[i] * p.shapes[j];
            }
        }
    }
    for i in (0..3).filter(|i| !present[*i]) {
        (a[i], b[i]) = ([0.0; 3], 0.0);
        a.iter_mut().for_each(|row| row[i] = 0.0);
        a[i][i] = 1.0;
    }
    solve(a, b)
}

fn solve(a: [[f64; 3]; 3], b: [f64; 3]) -> [f64; 3] {
    let a = nalgebra::Matrix3::from_fn(|i, j| a[i][j]);
    let x = a.lu().solve(&nalgebra::Vector3::from(b));
    x.expect("a regular system").into()
}

/// Checks a triad against its data sheet.
fn check(device: &str, triad: usize, name: &str, sheet: &DataSheet) {
    // For a Gauss-Markov process whose Allan deviation peaks at 0.664 B.
    let unit = [1.0, 0.664 / 0.617, 1.0];
    let std = sheet.instability * unit[1];
    let squares = [
        sheet.density * sheet.density,
        std * std,
        sheet.walk * sheet.walk,
    ];
    let present = squares.map(|x| x > 0.0);
    let points = points(device, triad, sheet, squares);
    let axes = points[0].axes.len();
    for p in &points {
        let mean = p.axes.iter().sum::<f64>() / axes as f64;
        let off = (mean / p.expected - 1.0) / (p.error / (axes as f64).sqrt());
        assert!(
            off.abs() < 5.0,
            "{device} {name}: Allan variance over {} s is {off:.1} standard errors off",
            p.time
        );
    }
    let fits: Vec<[f64; 3]> = (0..axes).map(|axis| fit(&points, axis, present)).collect();
    for (k, what) in ["white noise", "bias instability", "random walk"]
        .iter()
        .enumerate()
        .filter(|(k, _)| present[*k])
    {
        let x: Vec<f64> = fits.iter().map(|f| f[k]).collect();
        let mean = x.iter().sum::<f64>() / axes as f64;
        let variance = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (axes - 1) as f64;
        let error = (variance / axes as f64).sqrt();
        println!(
            "{device} {name}: {what} {:.4e}, sheet {:.4e}, standard error {:.1} %",
            mean.max(0.0).sqrt() / unit[k],
            squares[k].sqrt() / unit[k],
            50.0 * error / squares[k]
        );
        // Of the squares; the relative error of the coefficient is half of it.
        assert!(
            error < 0.2 * squares[k],
            "{device} {name}: the standard error of {what} is too large"
        );
        assert!(
            (mean - squares[k]).abs() < 4.5 * error,
            "{device} {name}: {what} is {:.3e}",
            mean.max(0.0).sqrt()
        );
    }
}

// V86: every inertial sensor under params/sensors has the white noise, bias instability and random
// walk of its file. Method: overlapping Allan variance of 4 instruments with 3 axes each over 100
// 000 samples at the rate of the device and at 1 Hz, against the closed forms of IEEE 952 at every
// averaging time up to a twentieth of the record; then N, B and K fitted to each axis. Tolerance: 5
// standard errors at an averaging time (non-overlapping averages are assumed independent), 4.5 of a
// coefficient (from the spread over 12 axes), which must be known to 10 %.
#[test]
fn every_inertial_device_matches_its_data_sheet() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("params/sensors");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .flatten()
        .filter_map(|entry| Some(entry.path().file_stem()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    let mut found = 0;
    for device in &names {
        let text = std::fs::read_to_string(folder.join(format!("{device}.yaml"))).unwrap();
        for (triad, name) in ["gyro", "accelerometer"].into_iter().enumerate() {
            let sheet = sheet(&text, name);
            if sheet.density > 0.0 {
                check(device, triad, name, &sheet);
                found += 1;
            }
        }
    }
    assert!(found >= 8, "{found} triads");
}
