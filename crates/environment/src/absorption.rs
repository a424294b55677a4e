//! Absorption of sound in sea water as a function of frequency.
//!
//! # Law
//! ```text
//!   α = 0.11 f²/(1 + f²) + 44 f²/(4100 + f²) + 2.75e-4 f² + 0.003                       (1)
//!   α = A₁ P₁ f₁ f²/(f₁² + f²) + A₂ P₂ f₂ f²/(f₂² + f²) + A₃ P₃ f²                      (2)
//!   α = 0.106 f₁ f²/(f₁² + f²) e^((pH-8)/0.56)
//!     + 0.52 (1 + T/43) (S/35) f₂ f²/(f₂² + f²) e^(-z/6) + 0.00049 f² e^(-(T/27 + z/17))  (3)
//!   (1) [Thorp 1967]
//!   (2) [Francois 1982]
//!   (3) [Ainslie 1998]
//! ```
//! The three terms of (2) and (3) are boric acid, magnesium sulphate and pure water.
//!
//! # Symbols
//! α [dB/km] · f frequency [kHz] · T temperature [°C] · S salinity · z depth [km], D depth [m] ·
//! f₁, f₂ relaxation frequencies [kHz] · A, P coefficients of (2).
//!
//! # Limits
//! (1) holds for cold sea water near 4 °C, 0.1 to 50 kHz. (2) holds within 5 % from 0.4 kHz to 1
//! MHz, -2 to 22 °C, salinity 30 to 35, down to 3.5 km. (3) holds within 10 % of (2) from 0.1 kHz
//! to 1 MHz, -6 to 35 °C, salinity 5 to 50, down to 7 km. The functions do not check these ranges;
//! the caller must. Water that is defined only by density and temperature has the salinity that
//! gives this density.
//!
//! # Checked by
//! test/witness/environment/seawater.rs (V66)

use crate::EnvironmentState;
use merrow_math::Vec3;
use merrow_model::scene::sea::water::AbsorptionLaw;

/// Acidity of the sea as pH.
const SEA_PH: f64 = 8.0;

/// Properties of the sea water along the sound path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Water {
    /// Temperature of the water [°C].
    pub temperature: f64,
    /// Practical salinity of the water [-], PSS-78.
    pub salinity: f64,
    /// Depth below the surface [m].
    pub depth: f64,
    /// Acidity of the water as pH.
    pub ph: f64,
}

/// Returns the contribution of a relaxation at `f0` [kHz] to the absorption at `f` [kHz].
fn relaxation(f0: f64, f: f64) -> f64 {
    if f0 > 0.0 {
        f0 * f * f / (f0 * f0 + f * f)
    } else {
        0.0
    }
}

fn power_of_ten(x: f64) -> f64 {
    libm::pow(10.0, x)
}

/// Returns the absorption [dB/km] at `f` [kHz] in cold sea water by (1).
pub fn thorp(f: f64) -> f64 {
    let f2 = f * f;
    0.11 * f2 / (1.0 + f2) + 44.0 * f2 / (4100.0 + f2) + 2.75e-4 * f2 + 0.003
}

/// Absorption of one frequency in water of one temperature, salinity and acidity, as a function of
/// depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AbsorptionProfile {
    /// The same absorption at all depths [dB/km].
    Constant(f64),
    /// Absorption that decreases with depth by (2).
    FrancoisGarrison {
        /// Speed of sound of (2) at the surface [m/s].
        speed: f64,
        /// Terms of boric acid and magnesium sulphate at the surface, times `speed`, and of pure
        /// water at the surface.
        terms: [f64; 3],
    },
    /// Absorption that decreases with depth by (3).
    AinslieMcColm {
        /// Terms of boric acid, magnesium sulphate and pure water at the surface [dB/km].
        terms: [f64; 3],
    },
}

impl AbsorptionProfile {
    /// Computes the absorption of the frequency `f` [kHz] by `law` in `water`, whose depth is not
    /// used.
    pub fn new(law: AbsorptionLaw, f: f64, water: &Water) -> Self {
        match law {
            AbsorptionLaw::None => Self::Constant(0.0),
            AbsorptionLaw::Thorp => Self::Constant(thorp(f)),
            AbsorptionLaw::FrancoisGarrison => francois_garrison_profile(f, water),
            AbsorptionLaw::AinslieMcColm => ainslie_mccolm_profile(f, water),
        }
    }

    /// Returns the absorption [dB/km] at the depth `d` [m].
    #[inline]
    pub fn at_depth(&self, d: f64) -> f64 {
        match *self {
            Self::Constant(value) => value,
            Self::FrancoisGarrison { speed, terms } => {
                let p2 = 1.0 - 1.37e-4 * d + 6.2e-9 * d * d;
                let p3 = 1.0 - 3.83e-5 * d + 4.9e-10 * d * d;
                (terms[0] + terms[1] * p2) / (speed + 0.0167 * d) + terms[2] * p3
            }
            Self::AinslieMcColm { terms } => {
                let z = 1e-3 * d;
                terms[0] + terms[1] * libm::exp(-z / 6.0) + terms[2] * libm::exp(-z / 17.0)
            }
        }
    }
}

fn francois_garrison_profile(f: f64, water: &Water) -> AbsorptionProfile {
    let Water {
        temperature: t,
        salinity: s,
        ph,
        ..
    } = *water;
    let f1 = 2.8 * (s / 35.0).sqrt() * power_of_ten(4.0 - 1245.0 / (t + 273.0));
    let f2 = 8.17 * power_of_ten(8.0 - 1990.0 / (t + 273.0)) / (1.0 + 0.0018 * (s - 35.0));
    let a3 = if t <= 20.0 {
        4.937e-4 - 2.59e-5 * t + 9.11e-7 * t * t - 1.5e-8 * t * t * t
    } else {
        3.964e-4 - 1.146e-5 * t + 1.45e-7 * t * t - 6.5e-10 * t * t * t
    };
    AbsorptionProfile::FrancoisGarrison {
        speed: 1412.0 + 3.21 * t + 1.19 * s,
        terms: [
            8.86 * power_of_ten(0.78 * ph - 5.0) * relaxation(f1, f),
            21.44 * s * (1.0 + 0.025 * t) * relaxation(f2, f),
            a3 * f * f,
        ],
    }
}

fn ainslie_mccolm_profile(f: f64, water: &Water) -> AbsorptionProfile {
    let Water {
        temperature: t,
        salinity: s,
        ph,
        ..
    } = *water;
    let f1 = 0.78 * (s / 35.0).sqrt() * libm::exp(t / 26.0);
    let f2 = 42.0 * libm::exp(t / 17.0);
    AbsorptionProfile::AinslieMcColm {
        terms: [
            0.106 * relaxation(f1, f) * libm::exp((ph - 8.0) / 0.56),
            0.52 * (1.0 + t / 43.0) * (s / 35.0) * relaxation(f2, f),
            0.000_49 * f * f * libm::exp(-t / 27.0),
        ],
    }
}

/// Computes the absorption [dB/km] at `f` [kHz] in `water` by (2).
pub fn francois_garrison(f: f64, water: &Water) -> f64 {
    francois_garrison_profile(f, water).at_depth(water.depth)
}

/// Computes the absorption [dB/km] at `f` [kHz] in `water` by (3).
pub fn ainslie_mccolm(f: f64, water: &Water) -> f64 {
    ainslie_mccolm_profile(f, water).at_depth(water.depth)
}

/// Returns the water at `p` [m], W, with the acidity `SEA_PH`.
pub fn water_at(environment: &EnvironmentState<'_>, p: Vec3) -> Water {
    Water {
        temperature: environment.temperature(p),
        salinity: environment.salinity(p),
        depth: (-p.z).max(0.0),
        ph: SEA_PH,
    }
}

/// Computes the absorption [dB/m] by `law` at `p` [m], W, of sound of `frequency` [Hz].
pub fn absorption_at(
    law: AbsorptionLaw,
    environment: &EnvironmentState<'_>,
    p: Vec3,
    frequency: f64,
) -> f64 {
    let water = water_at(environment, p);
    1e-3 * AbsorptionProfile::new(law, 1e-3 * frequency, &water).at_depth(water.depth)
}
