//! Tests of the noise model against the definitions of the Allan variance (V86).

use crate::common::turntable::{ball, set_pose, statistics};
use crate::common::{readings, relative, simulation};
use merrow_math::Vec3;
use merrow_math::rng::Stream;
use merrow_model::sensor::{Errors, Noise};
use merrow_model::state::reading::Reading;
use merrow_sensors::noise;
use merrow_yaml::read::from_defaults;

/// Returns `n` samples of three channels of an instrument whose true measurement is zero.
fn record(spec: &Noise, rate: f64, seed: u64, n: u64) -> [Vec<f64>; 3] {
    let stream = Stream::new(seed, "noise test");
    let errors = Errors::new(spec, rate, stream);
    let mut drift = [[0.0; 2]; 3];
    let mut channels: [Vec<f64>; 3] = std::array::from_fn(|_| Vec::with_capacity(n as usize));
    for k in 0..n {
        let y = noise::measure_vector(
            &errors,
            &mut drift,
            Vec3::zero(),
            true,
            &mut stream.draw(k + 1),
        );
        for (channel, y) in channels.iter_mut().zip(y.to_array()) {
            channel.push(y);
        }
    }
    channels
}

/// Returns the Allan deviation for averages over `m` samples, over all channels [IEEE 952-1997, eq.
/// C.2].
fn allan(channels: &[Vec<f64>], m: usize) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for x in channels {
        let means: Vec<f64> = x
            .chunks_exact(m)
            .map(|c| c.iter().sum::<f64>() / m as f64)
            .collect();
        for pair in means.windows(2) {
            sum += (pair[1] - pair[0]) * (pair[1] - pair[0]);
            count += 1.0;
        }
    }
    (0.5 * sum / count).sqrt()
}

/// Returns the slope of the Allan deviation between averages over `m` and `n` samples, on
/// logarithmic axes.
fn slope(channels: &[Vec<f64>], m: usize, n: usize) -> f64 {
    (allan(channels, n) / allan(channels, m)).ln() / (n as f64 / m as f64).ln()
}

// V86: the noise density of a data sheet gives a sample standard deviation of N sqrt(fs): 0.007
// deg/s/sqrt(Hz) at 100 Hz is 0.07 deg/s; its Allan deviation is N / sqrt(tau), slope -1/2. Method:
// 3 x 100 000 samples. Tolerance: 4 standard errors: 0.6 % of the deviation; 6 % at 3 s (3 x 333
// averages).
#[test]
fn white_noise_has_its_density() {
    let spec = Noise {
        density: 0.007,
        ..from_defaults()
    };
    let x = record(&spec, 100.0, 1, 100_000);
    let all: Vec<f64> = x.concat();
    relative("sample", statistics(&all).1, 0.07, 0.006);
    relative("1 s", allan(&x, 100), 0.007, 0.05);
    let s = slope(&x, 1, 300);
    assert!((s + 0.5).abs() < 0.02, "slope {s}");
}

// V86: rate random walk, K sqrt(tau / 3), slope +1/2. Method: 12 records of 20 000 samples.
// Tolerance: 4 standard errors at 3 s, about 800 averages: 8 %.
#[test]
fn random_walk_has_its_coefficient() {
    let spec = Noise {
        random_walk: 0.01,
        ..from_defaults()
    };
    let x: Vec<Vec<f64>> = (0..4)
        .flat_map(|seed| record(&spec, 10.0, seed, 20_000))
        .collect();
    relative("30 s", allan(&x, 300), 0.01 * 10_f64.sqrt(), 0.08);
    let s = slope(&x, 10, 300);
    assert!((s - 0.5).abs() < 0.04, "slope {s}");
}

// V86: bias instability B: the maximum of the Allan deviation is 0.664 B, at 1.89 correlation
// times. Method: a correlation time of 5 s, 12 records of 10 000 s. Tolerance: 4 standard errors,
// about 6000 averages: 4 %.
#[test]
fn bias_instability_has_its_floor() {
    let spec = Noise {
        bias_instability: 0.02,
        bias_correlation_time_s: 5.0,
        ..from_defaults()
    };
    let x: Vec<Vec<f64>> = (0..4)
        .flat_map(|seed| record(&spec, 10.0, 10 + seed, 100_000))
        .collect();
    let peak = [60, 80, 94, 110, 140]
        .map(|m| allan(&x, m))
        .into_iter()
        .fold(0.0, f64::max);
    relative("peak", peak, 0.664 * 0.02, 0.04);
    assert!(
        allan(&x, 5) < 0.6 * peak && allan(&x, 2000) < 0.6 * peak,
        "no peak"
    );
}

// Turn-on bias, scale factor and misalignment are drawn once per instrument, with the stated
// spread. Method: 4000 instruments. Tolerance: 4 standard errors, 4.5 %.
#[test]
fn fixed_errors_have_their_spread() {
    let spec = Noise {
        turn_on_bias_std: 0.3,
        scale_std_percent: 1.0,
        misalignment_std_deg: 0.002_f64.to_degrees(),
        ..from_defaults()
    };
    let all: Vec<Errors> = (0..4000)
        .map(|k| Errors::new(&spec, 100.0, Stream::new(k, "fixed")))
        .collect();
    let std = |f: &dyn Fn(&Errors) -> f64| statistics(&all.iter().map(f).collect::<Vec<_>>()).1;
    relative("bias", std(&|e| e.bias.y), 0.3, 0.045);
    relative("scale", std(&|e| e.matrix.r[2].z), 0.01, 0.045);
    relative("misalignment", std(&|e| e.matrix.r[0].y), 0.002, 0.045);
    assert!(
        all.iter().all(|e| e.matrix.r[0].y == -e.matrix.r[1].x),
        "the misalignment is not a turn"
    );
}

// V86: the shipped MTi-1 has 0.07 deg/s at 100 Hz in the whole simulator. Method: its gyro at rest,
// 60 s. Tolerance: 4 standard errors of 6000 samples, 4 %; drift over a minute adds less than 1 %.
#[test]
fn mti_gyro_has_its_data_sheet_noise() {
    let mut s = simulation(&ball(
        "step: {dt_s: 0.01}",
        "",
        "imu: {device: xsens_mti_1}",
    ));
    set_pose(&mut s, Vec3::new(0.0, 0.0, -20.0), [0.0; 3]);
    let x: Vec<f64> = readings(&mut s, 0, 60.0)
        .iter()
        .map(|r| {
            let Reading::Imu(imu) = &r.reading else {
                panic!("not an IMU")
            };
            imu.angular_velocity.x.to_degrees()
        })
        .collect();
    assert!(x.len() >= 5990, "{} samples", x.len());
    relative("gyro", statistics(&x).1, 0.07, 0.05);
}
