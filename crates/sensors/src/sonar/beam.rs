//! Beam patterns of line arrays.
//!
//! # Law
//! ```text
//!   u = (L/λ) sin θ
//!   b = (sin πu/(πu))²                      uniform        half at u = 0.4429, first null at 1, side lobe -13.3 dB    (1)
//!   b = (cos πu/(1 - 4u²))²                 cosine         half at u = 0.5945, first null at 1.5, side lobe -23.0 dB  (2)
//!   DI = 10 log (4π/∫ b dΩ)                                                                                           (3)
//!   (1) [Urick 1983, ch. 3]
//!   (2) [Harris 1978]
//! ```
//! # Symbols
//! b power divided by the power on the axis · θ angle from the axis [rad] · L/λ length in
//! wavelengths · DI directivity index [dB].
//!
//! # Frames
//! Angles in the plane of the fan, or out of it.
//!
//! # Limits
//! Far field, one frequency. A steered beam keeps its width, as for curved arrays and compensated
//! flat arrays. Behind the array the pattern is zero.
//!
//! # Checked by
//! test/sensors/sonar/pattern.rs, test/sensors/sonar.rs

use merrow_math::real::sin_cos;
use merrow_model::sensor::sonar::{Aperture, Shading};
use std::f64::consts::PI;

/// Returns u at the half-power point of a beam.
fn half(shading: Shading) -> f64 {
    match shading {
        Shading::Uniform => 0.442_946_5,
        Shading::Cosine => 0.594_482_9,
    }
}

/// Returns the aperture whose beam has the half-power width `width` [rad]; omnidirectional for a
/// width of π or more.
pub fn aperture(width: f64, shading: Shading) -> Aperture {
    let length = if width >= PI {
        0.0
    } else {
        half(shading) / sin_cos(0.5 * width).0
    };
    Aperture { length, shading }
}

/// Returns the half-power width of the beam of an aperture [rad]; π if it is omnidirectional.
pub fn width(aperture: &Aperture) -> f64 {
    let half = half(aperture.shading);
    if aperture.length <= half {
        PI
    } else {
        2.0 * libm::asin(half / aperture.length)
    }
}

/// Returns the power at `angle` [rad], divided by the power on the axis. (1), (2)
pub fn pattern(aperture: &Aperture, angle: f64) -> f64 {
    if aperture.length == 0.0 {
        return 1.0;
    }
    if angle.abs() >= 0.5 * PI {
        0.0
    } else {
        pattern_at_sine(aperture, sin_cos(angle).0)
    }
}

/// Returns the same as [`pattern`], from the sine of an angle of less than 90°.
pub(crate) fn pattern_at_sine(aperture: &Aperture, sine: f64) -> f64 {
    if aperture.length == 0.0 {
        return 1.0;
    }
    let u = aperture.length * sine;
    let (s, c) = sin_cos(PI * u);
    let pressure = match aperture.shading {
        Shading::Uniform if u.abs() < 1e-6 => 1.0,
        Shading::Uniform => s / (PI * u),
        // Numerator and denominator are both zero at u = 1/2.
        Shading::Cosine if (u.abs() - 0.5).abs() < 1e-6 => 0.25 * PI,
        Shading::Cosine => c / (1.0 - 4.0 * u * u),
    };
    pressure * pressure
}

/// Returns the equivalent solid angle of a beam with two apertures for isotropic noise [sr]. (3)
pub fn solid_angle(across: &Aperture, along: &Aperture) -> f64 {
    let n = 4000;
    let step = PI / f64::from(n);
    let angle = |k: i32| (f64::from(k) + 0.5) * step - 0.5 * PI;
    let across: f64 = (0..n).map(|k| pattern(across, angle(k)) * step).sum();
    // Out of the fan a step across is shorter by the cosine.
    let along: f64 = (0..n)
        .map(|k| pattern(along, angle(k)) * sin_cos(angle(k)).1 * step)
        .sum();
    across * along
}
