//! V62: moments of wave spectra, and statistics of one-hour records: height, period, crests,
//! heights, directions.

use crate::cases::prelude::*;
use crate::cases::sea::{eastward_sea_state, spectral_moment};
use merrow_environment::WaveState;
use merrow_environment::waves::realise::wave_field;
use merrow_environment::waves::spectrum::Density;
use merrow_model::scene::{Spectrum, Spreading, Waves};
use std::f64::consts::{PI, TAU};

/// Significant wave height [m].
const HS: f64 = 2.0;
const TP: f64 = 8.0;
/// Mean zero-crossing period divided by the peak period, for JONSWAP with γ = 3.3.
const TZ: f64 = 0.777_993;
/// Mean period Tm01 divided by the peak period, for JONSWAP with γ = 3.3.
const TM01: f64 = 0.834_372;
/// Mean of the cosine over cos⁴: 128/(45 π).
const COSINE: f64 = 128.0 / (45.0 * PI);
/// Mean direction of propagation, counter-clockwise from east [rad]; the spreading is cos⁴.
const DIRECTION: f64 = 0.7;
/// Samples per hour, at four per second.
const SAMPLES: u32 = 4 * 3600;
/// Seeds of the one-hour records.
const SEEDS: [u64; 3] = [1, 2, 3];

/// Elevation and orbital velocity at the surface at one point over an hour.
struct Record {
    height: Vec<f64>,
    velocity: Vec<Vec3>,
}

fn record(seed: u64) -> Record {
    let mut sea_state = eastward_sea_state(Spectrum::Jonswap(3.3), HS, TP);
    let (sin, cos) = sin_cos(DIRECTION);
    sea_state.towards = Vec3::new(cos, sin, 0.0);
    sea_state.spreading = Spreading::Angle { n: 4.0 };
    let waves = Waves::from_field(wave_field(sea_state, 200.0, GRAVITY, seed));
    let mut now = WaveState::default();
    let mut record = Record {
        height: Vec::new(),
        velocity: Vec::new(),
    };
    for i in 0..SAMPLES {
        now.update(&waves, f64::from(i) * 0.25e9);
        let height = now.elevation(40.0, -3.0);
        record.height.push(height);
        let motion = now.orbital_motion(Vec3::new(40.0, -3.0, height), height);
        record.velocity.push(motion.velocity);
    }
    record
}

/// Returns the mean of `value(i)` over `i` in 0..n.
fn mean(n: usize, value: impl Fn(usize) -> f64) -> f64 {
    (0..n).map(value).sum::<f64>() / n as f64
}

/// Returns crests and heights of the waves between zero upcrossings.
fn crests_and_heights(x: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut crests, mut heights) = (Vec::new(), Vec::new());
    let (mut low, mut high, mut begun) = (0.0_f64, 0.0_f64, false);
    for w in x.windows(2) {
        (low, high) = (low.min(w[1]), high.max(w[1]));
        if w[0] < 0.0 && w[1] >= 0.0 {
            if begun {
                crests.push(high);
                heights.push(high - low);
            }
            // the wave that ends here and the next wave begin with a crest
            (low, high, begun) = (0.0, 0.0, true);
        }
    }
    (crests, heights)
}

// V62: moments of three spectra 1e-3, because of the tail beyond the integration range. Each hour:
// height 5 %, period 3 %. All three hours: mean wave height 8 %, because the Rayleigh distribution
// holds for narrower spectra. The fractions of crests above a quarter, a half and three quarters of
// Hs, exp(-8 c²/Hs²), within 0.04; three standard deviations for about 1700 waves are 0.035.
// Direction 2 deg; spreading, the mean of the cosine over cos⁴, 0.03.
pub(crate) fn hour(_: &ReferenceData) -> Result<CaseResult, String> {
    let mut checks = spectrum_checks()?;
    let (mut crests, mut heights, mut minute) = (Vec::new(), Vec::new(), Vec::new());
    for seed in SEEDS {
        let record = record(seed);
        checks.extend(record_checks(seed, &record));
        let (c, h) = crests_and_heights(&record.height);
        if minute.is_empty() {
            let x = &record.height;
            minute = (0..480).map(|i| [0.25 * i as f64, x[i]]).collect();
        }
        crests.extend(c);
        heights.extend(h);
    }
    checks.extend(checks! {
        "mean wave height", "m", 1.2533, mean(heights.len(), |i| heights[i]), Relative(0.08);
    });
    for c in [0.25, 0.5, 0.75] {
        checks.extend(checks! {
            format!("fraction of crests above {c} Hs"), "", rayleigh_exceedance(c),
                exceedance(&crests, c), Absolute(0.04);
        });
    }
    let figure = draw_hour(minute, &crests);
    Ok(CaseResult::new(checks).with_figure("hour_of_sea", figure))
}

/// Compares significant height and mean periods of three JONSWAP spectra with published ratios.
///
/// # Errors
/// The spectrum has no density.
fn spectrum_checks() -> Result<Vec<Check>, String> {
    let mut checks = Vec::new();
    for (gamma, expected) in [
        (1.0, [0.857_225, 0.771_829, 0.711_062]),
        (3.3, [0.903_298, TM01, TZ]),
        (7.0, [0.931_236, 0.877_509, 0.828_99]),
    ] {
        let sea_state = eastward_sea_state(Spectrum::Jonswap(gamma), HS, TP);
        let density = Density::new(&sea_state, GRAVITY).ok_or("no density")?;
        let m = |n: f64| spectral_moment(&density, n, TAU / TP, [0.2, 60.0]);
        let (zero, one) = (m(0.0), m(1.0));
        let periods = [
            TAU * m(-1.0) / zero,
            TAU * zero / one,
            TAU * libm::sqrt(zero / m(2.0)),
        ];
        let found = periods.map(|period| period / TP);
        checks.extend(checks! {
            format!("Hm0, γ = {gamma}"), "m", HS, 4.0 * libm::sqrt(zero), Absolute(1e-6);
            format!("Tm-10/Tp, γ = {gamma}"), "", expected[0], found[0], Relative(1e-3);
            format!("Tm01/Tp, γ = {gamma}"), "", expected[1], found[1], Relative(1e-3);
            format!("Tm02/Tp, γ = {gamma}"), "", expected[2], found[2], Relative(1e-3);
        });
    }
    Ok(checks)
}

/// Compares height, period, mean direction and spreading of one hour of waves with the sea state.
fn record_checks(seed: u64, record: &Record) -> Vec<Check> {
    let (x, v) = (&record.height, &record.velocity);
    let n = x.len();
    let center = mean(n, |i| x[i]);
    let variance = mean(n, |i| (x[i] - center) * (x[i] - center));
    let (east, north) = (mean(n, |i| x[i] * v[i].x), mean(n, |i| x[i] * v[i].y));
    // relative to the covariance of elevation and speed if all waves travel in one direction:
    // m₁ of sqrt(m₀ m₂)
    let speed2 = mean(n, |i| v[i].x * v[i].x + v[i].y * v[i].y);
    let one_way = libm::sqrt(variance * speed2) * TZ / TM01;
    checks! {
        format!("Hs of one hour, seed {seed}"), "m", HS, 4.0 * libm::sqrt(variance), Relative(0.05);
        format!("Tz of one hour, seed {seed}"), "s", TP * TZ, mean_period(0.25, x), Relative(0.03);
        format!("mean direction, seed {seed}"), "deg", DIRECTION.to_degrees(),
            libm::atan2(north, east).to_degrees(), Absolute(2.0);
        format!("mean cosine, seed {seed}"), "", COSINE, libm::hypot(east, north) / one_way,
            Absolute(0.03);
    }
}

/// Returns the fraction of `crests` [m] that are higher than `c` significant wave heights.
fn exceedance(crests: &[f64], c: f64) -> f64 {
    crests.iter().filter(|x| **x > c * HS).count() as f64 / crests.len() as f64
}

/// Returns the fraction of crests higher than `c` significant wave heights in a narrow spectrum
/// (Rayleigh).
fn rayleigh_exceedance(c: f64) -> f64 {
    libm::exp(-8.0 * c * c)
}

/// Draws two minutes of elevation [s, m] and the exceedance of the crests [m].
fn draw_hour(minute: Vec<[f64; 2]>, crests: &[f64]) -> Drawing {
    let curve = |f: &dyn Fn(f64) -> f64| {
        (0..=50)
            .map(|k| 0.02 * f64::from(k))
            .map(|c| [c, f(c)])
            .collect()
    };
    let minute = PlotCurve::new("two minutes of seed 1", COLOURS[1], false, minute);
    let crests = vec![
        PlotCurve::new("Rayleigh", BLACK, true, curve(&rayleigh_exceedance)),
        PlotCurve::new(
            "three hours",
            COLOURS[0],
            false,
            curve(&|c| exceedance(crests, c)),
        ),
    ];
    let y_label = "fraction of crests that are higher";
    let panels = [
        Panel::new("elevation [m]", "time [s]", vec![minute]),
        Panel {
            logarithmic: true,
            ..Panel::new(y_label, "crest / Hs", crests)
        },
    ];
    let title = "JONSWAP sea state, Hs 2 m, Tp 8 s, cos^4 spreading (V62)";
    draw_figure(title, &panels, 820, 200)
}
