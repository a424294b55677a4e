//! V60 to V64: dispersion, decay with depth, spectra, wind and the Beaufort scale.

pub mod hour;
pub mod sound;
pub mod water;

use crate::cases::prelude::*;
use merrow_environment::WaveState;
use merrow_environment::waves::dispersion::wave_number;
use merrow_environment::waves::realise::wave_field;
use merrow_environment::waves::sea_state;
use merrow_environment::waves::spectrum::Density;
use merrow_model::scene::{SeaState, Spectrum, Spreading, Waves};
use std::f64::consts::TAU;

/// Returns a unidirectional sea state towards east; `hs` [m], `tp` [s].
pub fn eastward_sea_state(spectrum: Spectrum, hs: f64, tp: f64) -> SeaState {
    SeaState {
        spectrum,
        hs_m: hs,
        tp_s: tp,
        towards: Vec3::new(1.0, 0.0, 0.0),
        spreading: Spreading::None,
        components: 200,
        min_wavelength_m: None,
        ramp_s: 20.0,
    }
}

/// Computes the spectral moment of order `n` between two multiples of the peak frequency `peak`
/// [rad/s], by Simpson's rule in ln ω.
pub fn spectral_moment(density: &Density, n: f64, peak: f64, [low, high]: [f64; 2]) -> f64 {
    let (low, high, steps) = (libm::log(low), libm::log(high), 20_000);
    let h = (high - low) / f64::from(steps);
    let value = |i: i32| {
        let omega = peak * libm::exp(low + h * f64::from(i));
        density.density(omega) * libm::pow(omega, n) * omega
    };
    let sum: f64 = (1..steps)
        .map(|i| f64::from(2 + 2 * (i % 2)) * value(i))
        .sum();
    (value(0) + sum + value(steps)) * h / 3.0
}

// V60: residual 1e-10, the eight digits of the table, and 99.92 m for 8 s in deep water.
pub(super) fn dispersion(data: &ReferenceData) -> Result<CaseResult, String> {
    let table = data.table("wave_dispersion.csv")?;
    let rows = table.columns("T_s depth_m k_rad_m phase_speed_m_s")?;
    let (mut residual, mut number, mut speed) = (0.0_f64, 0.0_f64, 0.0_f64);
    for [t, h, k, c] in rows {
        let omega = TAU / t;
        let k_merrow = wave_number(omega, h, GRAVITY);
        let omega_squared = GRAVITY * k_merrow * libm::tanh(k_merrow * h);
        residual = residual.max((omega_squared / (omega * omega) - 1.0).abs());
        number = number.max((k_merrow / k - 1.0).abs());
        speed = speed.max((omega / k_merrow / c - 1.0).abs());
    }
    let length = TAU / wave_number(TAU / 8.0, 5000.0, GRAVITY);
    Ok(CaseResult::new(checks! {
        "largest residual", "", 1e-10, residual, AtMost;
        "largest error of the wave number", "", 1e-7, number, AtMost;
        "largest error of the phase speed", "", 1e-7, speed, AtMost;
        "wavelength for 8 s in deep water", "m", 99.92, length, Absolute(0.01);
        "wavelength for 8 s, g T²/2π", "m", GRAVITY * 64.0 / TAU, length, Relative(1e-12);
    }))
}

// V61: circular orbits and pressure that decay as exp(kz) in deep water; the same
// speed from surface to bottom in shallow water. The wave is so small (steepness 1e-6) that
// stretching has no effect. Long waves 0.2 %.
pub(super) fn decay(_: &ReferenceData) -> Result<CaseResult, String> {
    let wave = |tp: f64| eastward_sea_state(Spectrum::Regular(0.0), 2e-5, tp);
    let field = wave_field(wave(8.0), 5000.0, GRAVITY, 1);
    let k = field.components.k[0];
    let now = WaveState::new(&Waves::from_field(field), 0.0);
    let scale = 1e-5 * TAU / 8.0;
    let mut checks = Vec::new();
    for z in [-5.0, -30.0, -200.0] {
        let at = |x: f64| now.orbital_motion(Vec3::new(x, 7.0, z), now.elevation(x, 7.0));
        let expected = libm::exp(k * z);
        let (crest, flank) = (at(0.0), at(0.25 * TAU / k));
        checks.extend(checks! {
            format!("horizontal speed under the crest, z = {z} m"), "", expected,
                crest.velocity.x / scale, Absolute(2e-6);
            format!("vertical speed under the flank, z = {z} m"), "", expected,
                flank.velocity.z / scale, Absolute(2e-6);
            format!("pressure under the crest, z = {z} m"), "", expected, crest.head / 1e-5,
                Absolute(2e-6);
        });
    }
    let shallow = wave_field(wave(60.0), 2.0, GRAVITY, 1);
    let now = WaveState::new(&Waves::from_field(shallow), 0.0);
    let speed = |z: f64| now.orbital_motion(Vec3::new(0.0, 0.0, z), 0.0).velocity.x;
    let long = 1e-5 * libm::sqrt(GRAVITY / 2.0);
    checks.extend(checks! {
        "period 60 s, depth 2 m: speed at the surface", "m/s", long, speed(0.0), Relative(2e-3);
        "period 60 s, depth 2 m: speed at the seabed", "m/s", long, speed(-2.0), Relative(2e-3);
    });
    Ok(CaseResult::new(checks))
}

/// Returns the significant wave height of a world [m].
fn wave_height(scene: &Scene) -> Result<f64, String> {
    let waves = scene.sea.waves.latest().ok_or("the world has no waves")?;
    Ok(waves.requested.hs_m)
}

// V63: four wind speeds, by the formula and through world files; 1e-5 m.
pub(super) fn wind(data: &ReferenceData) -> Result<CaseResult, String> {
    let mut checks = Vec::new();
    for (wind, hs) in [
        (5.0, 0.535_17),
        (10.0, 2.140_67),
        (15.0, 4.816_51),
        (20.0, 8.562_69),
    ] {
        let scene = data.world(&format!(
            "water: {{waves: {{kind: pierson_moskowitz, wind_speed_m_s: {wind}}}}}\nrobots: {{}}\n"
        ))?;
        let formula = sea_state::developed_height(wind, GRAVITY);
        checks.extend(checks! {
            format!("wind of {wind} m/s, formula"), "m", hs, formula, Absolute(1e-5);
            format!("wind of {wind} m/s, world"), "m", hs, wave_height(&scene)?, Absolute(1e-5);
        });
    }
    Ok(CaseResult::new(checks))
}

// V64: the table through world files, and the wind of each number, to the digits of the table.
pub(super) fn beaufort(data: &ReferenceData) -> Result<CaseResult, String> {
    let table = data.table("beaufort.csv")?;
    let mut checks = Vec::new();
    for row in &table.rows {
        let [b, height, wind] = [0, 3, 5].map(|k| row.get(k).copied().unwrap_or(f64::NAN));
        checks.extend(checks! {
            format!("wind of Beaufort {b}"), "m/s", wind, sea_state::beaufort_wind(b),
                Absolute(5e-4);
        });
        for kind in ["jonswap", "kelpie"] {
            let scene = data.world(&format!(
                "seabed: {{depth_m: 4000}}\nwater: {{waves: {{kind: {kind}, beaufort: {b}}}}}\nrobots: {{}}\n"
            ))?;
            checks.extend(checks! {
                format!("wave height of Beaufort {b}, {kind}"), "m", height, wave_height(&scene)?,
                    Absolute(1e-9);
            });
        }
    }
    Ok(CaseResult::new(checks))
}
