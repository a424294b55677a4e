//! Tests of the reflection of sound at the seabed.

use merrow_model::scene::robot::collision::Ground;
use merrow_sensors::sonar::reflection::seabed_coefficient;

/// Density [kg/m³] and speed of sound [m/s] of the water.
const WATER: [f64; 2] = [1000.0, 1500.0];

fn ground(density: f64, sound_speed: f64, attenuation: f64) -> Ground {
    Ground {
        density_kg_m3: density,
        sound_speed_m_s: sound_speed,
        attenuation_db_per_wavelength: attenuation,
        roughness_m: 0.0,
    }
}

/// Returns the reflected fraction of the power at the sine of the grazing angle.
fn reflected(ground: &Ground, sine: f64) -> f64 {
    let [re, im] = seabed_coefficient(ground, sine, WATER);
    re * re + im * im
}

// Reflection at a fluid half-space by Rayleigh. Method: impedances at normal incidence, total
// reflection below the critical angle, zero at the angle of intromission of slow mud, m² sin² = n²
// - cos². Tolerance: 1e-12.
#[test]
fn reflection_matches_rayleigh_for_fluid_half_space() {
    let sand = ground(1900.0, 1650.0, 0.0);
    let upright = reflected(&sand, 1.0);
    let (z1, z2) = (1000.0 * 1500.0, 1900.0 * 1650.0_f64);
    assert!(
        (upright - ((z2 - z1) / (z2 + z1)).powi(2)).abs() < 1e-12,
        "{upright}"
    );
    let critical = (1500.0_f64 / 1650.0).acos();
    assert!((reflected(&sand, (0.99 * critical).sin()) - 1.0).abs() < 1e-12);
    assert!(reflected(&sand, (1.2 * critical).sin()) < 0.5);
    let (m, n) = (1.4_f64, 1500.0 / 1450.0);
    let cosine = ((m * m - n * n) / (m * m - 1.0)).sqrt();
    let mud = ground(1400.0, 1450.0, 0.0);
    assert!(reflected(&mud, (1.0 - cosine * cosine).sqrt()) < 1e-12);
}

// Attenuation in the seabed causes a loss also below the critical angle. Method: explicit complex
// arithmetic. Tolerance: 1e-6.
#[test]
fn attenuation_reduces_total_reflection() {
    let lossy = reflected(&ground(1900.0, 1650.0, 0.8), 0.2);
    let delta = 0.8 / 54.575_05;
    let n2 = [
        (1500.0_f64 / 1650.0).powi(2) * (1.0 - delta * delta),
        (1500.0_f64 / 1650.0).powi(2) * 2.0 * delta,
    ];
    let z = [n2[0] - 0.96, n2[1]];
    let (r, angle) = (
        (z[0] * z[0] + z[1] * z[1]).sqrt().sqrt(),
        0.5 * z[1].atan2(z[0]),
    );
    let root = [r * angle.cos(), r * angle.sin()];
    let of = |sign: f64| (0.38 + sign * root[0]).powi(2) + root[1].powi(2);
    assert!(
        (lossy - of(-1.0) / of(1.0)).abs() < 1e-6 && lossy < 0.97,
        "{lossy}"
    );
}
