//! Statistical tests of fading and shadowing.

mod common;

use common::{db, kolmogorov_smirnov, read, within};
use merrow_comms::channel::fading::{pair_stream, power_factor};
use merrow_comms::channel::shadowing::loss;
use merrow_math::Vec3;
use merrow_math::rng::Stream;
use merrow_model::scene::comms::medium::Shadowing;
use merrow_model::scene::comms::transceiver::Fading;
use merrow_yaml::read::Places;
use std::f64::consts::LN_2;

/// Number of samples of V11.
const N: u64 = 100_000;
/// Statistic of Kolmogorov and Smirnov that is exceeded with a probability of 1 %.
const ONE_PERCENT: f64 = 1.628;

/// Returns the factors at `N` times that are more than two coherence times apart, at different
/// phases of the interpolation.
fn factors(fading: &Fading) -> Vec<f64> {
    let stream = Stream::new(3, "pair");
    (0..N)
        .map(|k| power_factor(fading, stream, k * 3_137_000_000))
        .collect()
}

fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

// V11, moments and quantiles of Rayleigh fading. Method: amplitude and power of 1e5 samples with a
// mean power of 1. Tolerance: 4 standard errors; probability of 1 % for the distribution.
#[test]
fn rayleigh_fading_has_the_moments_and_the_distribution_of_v11() {
    let mut power = factors(&read("{kind: rayleigh, coherence_s: 1}"));
    let amplitude: Vec<f64> = power.iter().map(|p| p.sqrt()).collect();
    let root = (N as f64).sqrt();
    within("mean power", mean(&power), 1.0, 4.0 / root);
    within(
        "mean amplitude",
        mean(&amplitude),
        0.886_227,
        4.0 * 0.463_251 / root,
    );
    let centred: Vec<f64> = amplitude.iter().map(|a| (a - 0.886_227).powi(2)).collect();
    within(
        "amplitude std",
        mean(&centred).sqrt(),
        0.463_251,
        4.0 * 0.35 / root,
    );
    let share = |limit: f64| power.iter().filter(|p| **p < limit).count() as f64 / N as f64;
    for (limit, expected) in [(0.1, 0.095_163), (0.501_187, 0.394_189), (LN_2, 0.5)] {
        within("share", share(limit), expected, 4.0 * 0.5 / root);
    }
    let statistic = kolmogorov_smirnov(&mut power, |x| 1.0 - (-x).exp());
    assert!(statistic < ONE_PERCENT, "{statistic}");
}

/// Computes the distribution function of the power of Rice fading: 1 - Q1(√(2K), √(2(K+1)x)), as
/// the sum of Poisson weights times incomplete gamma functions.
fn rice_cdf(k: f64, x: f64) -> f64 {
    let y = (k + 1.0) * x;
    let (mut weight, mut term, mut tail) = ((-k).exp(), (-y).exp(), (-y).exp());
    let mut sum = 0.0;
    for n in 0..200 {
        // tail: probability of at most n events at the rate y
        sum += weight * (1.0 - tail);
        weight *= k / f64::from(n + 1);
        term *= y / f64::from(n + 1);
        tail += term;
    }
    sum
}

// Distribution of Rice fading. Method: 1e5 samples for three ratios. Tolerance: as for V11.
#[test]
fn rice_fading_has_the_rice_distribution() {
    for k in [0.5, 3.0, 10.0] {
        let mut power = factors(&Fading::Rice {
            k_db: db(k),
            coherence_s: 1.0,
            at: Places::default(),
        });
        // variance of the power: (2K + 1)/(K + 1)²
        let std = (2.0 * k + 1.0).sqrt() / (k + 1.0);
        within("mean", mean(&power), 1.0, 4.0 * std / (N as f64).sqrt());
        let statistic = kolmogorov_smirnov(&mut power, |x| rice_cdf(k, x));
        assert!(statistic < ONE_PERCENT, "{k}: {statistic}");
    }
}

// Fading is a continuous function of time with the coherence time, the same in both directions and
// independent between pairs. Method: changes over a thousandth of the coherence time and
// correlation over 1e5 samples. Tolerance: 4 standard errors.
#[test]
fn fading_is_continuous_reciprocal_and_independent() {
    let [a, b, c] = ["a", "b", "c"].map(|name| Stream::new(1, name));
    assert_eq!(pair_stream(a, b), pair_stream(b, a));
    let fading = read("{kind: rayleigh, coherence_s: 0.1}");
    let at = |stream, t| power_factor(&fading, stream, t);
    for k in 0..20_000 {
        let t = k * 100_000;
        let change = at(pair_stream(a, b), t + 100_000) - at(pair_stream(a, b), t);
        // |d|g|²| <= 2 |g| |dg|, |dg| <= π/2 (|z1| + |z2|) dt/T
        assert!(change.abs() < 0.05, "{k}: {change}");
    }
    let product = |lag: u64, other: Stream| {
        let pairs = (0..N).map(|k| {
            let t = k * 1_000_000_000 + (k % 100) * 1_000_000;
            (at(pair_stream(a, b), t) - 1.0) * (at(pair_stream(a, other), t + lag) - 1.0)
        });
        pairs.sum::<f64>() / N as f64
    };
    let error = 4.0 / (N as f64).sqrt();
    within("other pair", product(0, c), 0.0, error);
    within("two coherence times", product(200_000_000, b), 0.0, error);
    assert!(product(20_000_000, b) > 0.8);
    assert_eq!(power_factor(&Fading::None, a, 7), 1.0);
}

// Shadowing has the standard deviation of the device, varies continuously with the position and is
// the same in both directions. Method: 1e5 distant places. Tolerance: 4 standard errors.
#[test]
fn shadowing_is_normal_in_decibels_and_continuous_in_space() {
    let shadowing: Shadowing = read("{std_db: 4, distance_m: 30}");
    let stream = Stream::new(2, "comms/shadowing");
    let place = |k: u64| Vec3::new(97.3 * k as f64, -41.1 * k as f64, 2.0);
    let far = Vec3::new(-1e6, 5e5, 2.0);
    let at = |k| loss(&shadowing, stream, place(k), place(k) + far);
    let mut values: Vec<f64> = (0..N).map(at).collect();
    let root = (N as f64).sqrt();
    within("mean", mean(&values), 0.0, 4.0 * 4.0 / root);
    let squares: Vec<f64> = values.iter().map(|x| x * x).collect();
    within(
        "variance",
        mean(&squares),
        16.0,
        4.0 * 16.0 * 2f64.sqrt() / root,
    );
    let normal = |x: f64| 0.5 * libm::erfc(-x / (4.0 * 2f64.sqrt()));
    let statistic = kolmogorov_smirnov(&mut values, normal);
    assert!(statistic < ONE_PERCENT, "{statistic}");
    let (a, b) = (place(3), place(9));
    assert_eq!(
        loss(&shadowing, stream, a, b),
        loss(&shadowing, stream, b, a)
    );
    let step = Vec3::new(0.03, 0.0, 0.0);
    for k in 0..5000 {
        let p = a + step.scale(f64::from(k));
        let change = loss(&shadowing, stream, p + step, b) - loss(&shadowing, stream, p, b);
        assert!(change.abs() < 0.05, "{change}");
    }
}
