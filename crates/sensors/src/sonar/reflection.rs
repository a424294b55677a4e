//! Specular reflection of sound at the seabed and the geometry of reflected paths.
//!
//! # Law
//! ```text
//!   R = (m sin φ - √(n² - cos² φ))/(m sin φ + √(n² - cos² φ))        seabed: a fluid half space  (1)
//!   m = ρ_2/ρ_1,   n = (c_1/c_2)(1 + i α/(40 π log e))                                           (2)
//!   |R|² e^{-4 k² h² sin² φ}                                          rough: coherent part       (3)
//!   p' = p - 2 n (n·(p - q))                                          image in a plane           (4)
//!   (1) [Jensen 2011, ch. 1]
//!   (2) [Jensen 2011, ch. 1]
//!   (3) [Eckart 1953]
//! ```
//! # Symbols
//! φ grazing angle · ρ density, c speed of sound, 1 of the water, 2 of the seabed · α attenuation
//! [dB per wavelength] · k wave number [1/m] · h standard deviation of the height [m] · p point, p'
//! its image in the plane through q with the normal n.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! - The seabed is homogeneous to any depth and has no shear waves.
//! - The image is taken in the tangent plane of the seabed at the reflection point, found in three
//!   iterations. If the radius of curvature of the seabed is comparable with the path length,
//!   further reflection points may exist and are omitted.
//! - The water surface is horizontal at the reflection point.
//!
//! # Checked by
//! The tests in this file; test/sensors/sonar/reflection.rs, test/sensors/sonar/rays.rs,
//! crates/comms/tests/multipath.rs

use crate::sonar::backscatter::coherent_reflection;
use merrow_math::Vec3;
use merrow_model::scene::robot::collision::Ground;
use std::f64::consts::{LOG10_E, PI};

/// Returns the fraction of the power that the seabed reflects coherently. (1) to (3)
///
/// `sine` is the sine of the grazing angle. The water has a density [kg/m³] and a speed of sound
/// [m/s]; the wave number is in [1/m].
pub(crate) fn seabed_reflection(
    ground: &Ground,
    sine: f64,
    water: [f64; 2],
    wave_number: f64,
) -> f64 {
    let [re, im] = seabed_coefficient(ground, sine, water);
    let smooth = re * re + im * im;
    smooth * coherent_reflection(sine, wave_number, ground.roughness_m)
}

/// Computes the real and imaginary part of the pressure reflection coefficient [-] of a smooth
/// seabed, for waves e^(-iωt). (1), (2)
///
/// `sine` is the sine of the grazing angle. The third argument contains density [kg/m³] and speed
/// of sound [m/s] of the water.
pub fn seabed_coefficient(ground: &Ground, sine: f64, [density, speed]: [f64; 2]) -> [f64; 2] {
    let (m, n) = (
        ground.density_kg_m3 / density,
        speed / ground.sound_speed_m_s,
    );
    let loss = ground.attenuation_db_per_wavelength / (40.0 * PI * LOG10_E);
    // n² - cos² φ and its root, real and imaginary parts.
    let (x, y) = (
        n * n * (1.0 - loss * loss) - (1.0 - sine * sine),
        2.0 * n * n * loss,
    );
    let size = (x * x + y * y).sqrt();
    let (a, b) = (
        (0.5 * (size + x)).max(0.0).sqrt(),
        (0.5 * (size - x)).max(0.0).sqrt(),
    );
    // (m sin φ - a - ib)/(m sin φ + a + ib)
    let (direct, sum) = (m * sine, m * sine + a);
    let square = sum * sum + b * b;
    [
        ((direct - a) * sum - b * b) / square,
        -2.0 * direct * b / square,
    ]
}

/// Returns the reflection point between `a` and `b` on the plane through `q` [m] with the unit
/// normal `n`; `None` unless both lie in front of the plane.
pub(crate) fn reflection_point(a: Vec3, b: Vec3, q: Vec3, n: Vec3) -> Option<Vec3> {
    let [ha, hb] = [a, b].map(|p| n.dot(p - q));
    (ha > 0.0 && hb > 0.0).then(|| {
        let image = a - n.scale(2.0 * ha); // (4)
        image + (b - image).scale(ha / (ha + hb))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roughness_reduces_the_coherent_reflection() {
        let smooth = Ground {
            density_kg_m3: 1900.0,
            sound_speed_m_s: 1650.0,
            attenuation_db_per_wavelength: 0.8,
            roughness_m: 0.0,
        };
        let rough = Ground {
            roughness_m: 0.01,
            ..smooth
        };
        let [a, b] = [smooth, rough].map(|g| seabed_reflection(&g, 0.2, [1000.0, 1500.0], 100.0));
        let [re, im] = seabed_coefficient(&smooth, 0.2, [1000.0, 1500.0]);
        assert!((a - re * re - im * im).abs() < 1e-12, "{a}");
        assert!((b / a - (-0.16_f64).exp()).abs() < 1e-12, "{}", b / a);
    }

    #[test]
    fn incidence_and_reflection_angles_are_equal() {
        let n = Vec3::new(0.1, -0.2, 1.0).unit().unwrap();
        let (a, b, q) = (
            Vec3::new(1.0, 2.0, 5.0),
            Vec3::new(9.0, -3.0, 2.0),
            Vec3::new(0.0, 0.0, -1.0),
        );
        let m = reflection_point(a, b, q, n).unwrap();
        assert!(n.dot(m - q).abs() < 1e-12);
        let [to, from] = [a - m, b - m].map(|v| v.unit().unwrap());
        assert!((n.dot(to) - n.dot(from)).abs() < 1e-12 && (to + from).cross(n).norm() < 1e-12);
        assert_eq!(reflection_point(a, Vec3::new(0.0, 0.0, -4.0), q, n), None);
    }
}
