//! Tests the sea: dispersion, decay with depth, spectra and their realisation, wind and the
//! Beaufort scale.

use crate::common::{close, close_vectors, relative, scene};
use merrow_environment::waves::realise::wave_field;
use merrow_environment::waves::sea_state;
use merrow_environment::waves::spectrum::{Density, developed_period};
use merrow_environment::waves::{Surface, WaveState};
use merrow_math::Vec3;
use merrow_model::scene::{Spectrum, Spreading, WaveField, Waves};
use merrow_validate::cases::sea::eastward_sea_state as sea;
use merrow_validate::cases::sea::spectral_moment;
use std::f64::consts::TAU;

const G: f64 = 9.81;

// Number and wind speed of the Beaufort scale are inverse functions; the table is V64. Method: a
// broken number. Tolerance: 1e-12.
#[test]
fn beaufort_numbers_and_winds_are_inverse() {
    close(
        "number",
        sea_state::beaufort_number(sea_state::beaufort_wind(7.3)),
        7.3,
        1e-12,
    );
}

// The simplified Torsethaugen spectrum matches its paper, in a wind sea and in swell. Method: the
// published formulas with their own constants, written out for two seas. Tolerance: 4 %, the energy
// error of the published constants; the implementation is scaled to the exact energy.
#[test]
fn torsethaugen_matches_its_paper() {
    let peak = |f: f64, h: f64, t: f64, gamma: f64| {
        let x = f * t;
        let sigma = if x < 1.0 { 0.07 } else { 0.09 };
        let a = if gamma > 1.0 {
            (1.0 + 1.1 * gamma.ln().powf(1.19)) / gamma
        } else {
            1.0
        };
        let enhanced = gamma.powf((-0.5 * ((x - 1.0) / sigma).powi(2)).exp());
        h * h * t / 16.0 * 3.26 * a * x.powi(-4) * (-x.powi(-4)).exp() * enhanced
    };
    // Hs 4 m: Tf = 10.4768 s; 8 s is wind sea, 14 s is swell.
    let wind = |f: f64| {
        let (r, gamma) = (
            0.867_136,
            35.0 * (TAU / G * 0.867_136 * 4.0 / 64.0_f64).powf(0.857),
        );
        peak(f, r * 4.0, 8.0, gamma) + peak(f, (1.0 - r * r).sqrt() * 4.0, 12.4768, 1.0)
    };
    let swell = |f: f64| {
        let long = (14.0 - 10.4768) / (25.0 - 10.4768);
        let r = 0.6 + 0.4 * (-(long / 0.3_f64).powi(2)).exp();
        let gamma = 35.0 * (TAU / G * 4.0 / 10.4768_f64.powi(2)).powf(0.857) * (1.0 + 6.0 * long);
        let second = (1.0 - r * r).sqrt() * 4.0;
        peak(f, r * 4.0, 14.0, gamma) + peak(f, second, 6.6 * second.cbrt(), 1.0)
    };
    let published: [(f64, &dyn Fn(f64) -> f64); 2] = [(8.0, &wind), (14.0, &swell)];
    for (tp, published) in published {
        let density = Density::new(&sea(Spectrum::Torsethaugen, 4.0, tp), G).unwrap();
        for f in [0.05, 0.065, 0.0714, 0.08, 0.1, 0.125, 0.15, 0.3] {
            relative(
                &format!("{tp} s, {f} Hz"),
                density.density(TAU * f) * TAU,
                published(f),
                0.04,
            );
        }
    }
}

// The components have the energy and the mean zero-crossing period of the spectrum, and the
// requested directional spreading. Method: sums over the components of every kind of spectrum.
// Tolerance: 1e-9 for the energy; 1.2 % for the period, whose integral ends at 8 times the peak
// frequency; 0.01 for the mean of the cosine of 200 directions.
#[test]
fn components_have_the_energy_and_the_period() {
    let measured: Vec<(f64, f64)> = (0..60)
        .map(|i| (0.3 + 0.05 * f64::from(i), f64::from(i * (60 - i))))
        .collect();
    let spectra = [
        Spectrum::PiersonMoskowitz,
        Spectrum::Jonswap(3.3),
        Spectrum::Bretschneider,
        Spectrum::Torsethaugen,
        Spectrum::Tabulated(measured.into()),
    ];
    for spectrum in spectra {
        let mut sea_state = sea(spectrum, 2.5, 7.0);
        sea_state.spreading = Spreading::HalfAngle { s: 10.0 };
        let density = Density::new(&sea_state, G).unwrap();
        let field = wave_field(sea_state.clone(), 60.0, G, 5);
        assert_eq!(field.n, 200);
        let c = &field.components;
        let sum = |f: &dyn Fn(usize) -> f64| {
            (0..field.n)
                .map(|i| 0.5 * c.a[i] * c.a[i] * f(i))
                .sum::<f64>()
        };
        let m0 = sum(&|_| 1.0);
        close("height", 4.0 * m0.sqrt(), 2.5, 1e-9);
        let ends = density.band.map(|w| w * 7.0 / TAU);
        let m = |n: f64| spectral_moment(&density, n, TAU / 7.0, ends);
        let mean = TAU * (m(0.0) / m(2.0)).sqrt();
        relative(
            &format!("{:?}", sea_state.spectrum),
            TAU * (m0 / sum(&|i| c.omega[i] * c.omega[i])).sqrt(),
            mean,
            2e-3,
        );
        let cosine = (0..field.n).map(|i| c.dx[i]).sum::<f64>() / 200.0;
        close("spreading", cosine, 10.0 / 11.0, 0.01);
    }
}

/// Returns the elevation [m] at a position over `seconds` [s], four times a second.
fn record(field: WaveField, x: f64, seconds: u32) -> Vec<f64> {
    let waves = Waves::from_field(field);
    let mut now = WaveState::default();
    (0..4 * seconds)
        .map(|i| {
            now.update(&waves, f64::from(i) * 0.25e9);
            now.elevation(x, -3.0)
        })
        .collect()
}

// Half an hour of sea does not repeat. Method: a record of a short-crested JONSWAP sea at one
// position, three seeds. Tolerance: the maximum correlation of two sections that are five minutes
// or more apart is below 0.5, for about 60 waves each.
#[test]
fn half_an_hour_of_sea_does_not_repeat() {
    for seed in [1, 2, 3] {
        let mut sea_state = sea(Spectrum::Jonswap(3.3), 2.0, 8.0);
        sea_state.spreading = Spreading::Angle { n: 4.0 };
        let x = record(wave_field(sea_state, 100.0, G, seed), 40.0, 1800);
        let square = x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64;
        let piece = |at: usize| &x[at..at + 1600];
        let like = |a: &[f64], b: &[f64]| {
            a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / (1600.0 * square)
        };
        let most = (1200..5600)
            .map(|lag| like(piece(0), piece(lag)).abs())
            .fold(0.0, f64::max);
        assert!(most < 0.5, "seed {seed}: repeats itself by {most}");
    }
}

// The peak frequency of the Pierson-Moskowitz spectrum is 0.4 sqrt(g/Hs); V63 is the height.
// Method: a world file; the formula. Tolerance: its digits.
#[test]
fn wind_sea_period_matches_the_formula() {
    let text = "water: {waves: {kind: pierson_moskowitz, wind_speed_m_s: 15}}\nrobots: {}\n";
    let sea_state = scene(text).sea.waves.latest().unwrap().requested.clone();
    relative(
        "period",
        sea_state.tp_s,
        TAU / (0.4 * (G / sea_state.hs_m).sqrt()),
        0.005,
    );
    close(
        "developed period",
        developed_period(2.0, G),
        TAU / (0.401_24 * (G / 2.0_f64).sqrt()),
        1e-4,
    );
}

// Kelpie's equation 2: the surface is one sine of half the Beaufort height, level and equal
// everywhere; the water moves with it. Method: Beaufort 5 at six instants and three positions.
// Tolerance: rounding.
#[test]
fn kelpie_surface_is_level() {
    let scene = scene("water: {waves: {kind: kelpie, beaufort: 5, period_s: 6}}\nrobots: {}\n");
    for i in 0..6 {
        let t = 0.7 * f64::from(i);
        let now = WaveState::new(&scene.sea.waves, t * 1e9);
        let (sine, cosine) = (TAU / 6.0 * t).sin_cos();
        for (x, y) in [(0.0, 0.0), (300.0, -5.0), (1e4, 1e4)] {
            let (Surface { z, slope }, water) = now.surface_and_motion(Vec3::new(x, y, -8.0));
            close("height", z, sine, 1e-12);
            assert_eq!(slope.map(f64::abs), [0.0, 0.0]);
            close_vectors(
                "velocity",
                water.velocity,
                Vec3::new(0.0, 0.0, cosine * TAU / 6.0),
                1e-12,
            );
        }
    }
}

// A requested change of the waves is gradual, without a jump. Method: from flat water to 4 m, and
// from there to other waves; the surface and the water at a point every 10 ms, compared with the
// maximum change of only the waves in that time. Tolerance: the rate of the transition, 1.9/ramp of
// the height.
#[test]
fn wave_transitions_have_no_jump() {
    let field = |hs: f64, tp: f64| {
        Waves::from_field(wave_field(sea(Spectrum::Jonswap(2.0), hs, tp), 50.0, G, 9))
    };
    let mut waves = Waves::default().transition_to(&field(4.0, 9.0), 3_000_000_000);
    assert_eq!(WaveState::new(&waves, 3e9).elevation(1.0, 2.0), 0.0);
    waves = waves.transition_to(&field(2.0, 5.0), 30_000_000_000);
    let mut last: Option<(f64, Vec3)> = None;
    let p = Vec3::new(1.0, 2.0, -3.0);
    for i in 0..6000 {
        let (surface, water) = WaveState::new(&waves, f64::from(i) * 1e7).surface_and_motion(p);
        if let Some((z, v)) = last {
            let most = 0.01 * (4.0 * 4.0 + 4.0 * 1.9 / 20.0);
            assert!((surface.z - z).abs() < most, "{i}: {}", surface.z - z);
            assert!(
                (water.velocity - v).norm() < 2.0 * most,
                "{i}: {:?}",
                water.velocity - v
            );
        }
        last = Some((surface.z, water.velocity));
    }
    let there = WaveState::new(&waves, 60e9);
    let fresh = WaveState::new(&field(2.0, 5.0), 60e9);
    assert_eq!(there.surface(5.0, 6.0), fresh.surface(5.0, 6.0));
    assert_eq!(
        WaveState::new(&waves.without_transitions(), 1e9).surface(5.0, 6.0),
        WaveState::new(&field(2.0, 5.0), 1e9).surface(5.0, 6.0)
    );
}
