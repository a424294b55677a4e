//! Radar clutter of sea and rain, and attenuation by rain.
//!
//! # Law
//! ```text
//!   σ_HH = 3.9e-6 λ φ^0.4 A_i A_u A_w                                                  (1)
//!   A_i = s⁴/(1 + s⁴),  s = (14.4 λ + 5.5) φ h/λ
//!   A_u = exp(0.2 cos θ (1 - 2.8 φ) (λ + 0.015)^-0.4)
//!   A_w = (1.94 U/(1 + U/15.4))^q,  q = 1.1 (λ + 0.015)^-0.4,  h = (U/8.67)^2.5
//!   σ_VV = σ_HH - 1.05 ln(h + 0.015) + 1.09 ln λ + 1.27 ln(φ + 0.0001) + 9.70   in dB  (2)
//!   log ν = 2/3 log φ_deg + 5/8 log l - cos(2θ)/3 - k,  k = 1.0 (VV), 1.7 (HH)         (3)
//!   η = 7e-12 f⁴ R^1.6                                                                 (4)
//!   α = k R^a,  log k and a: Σ a_j exp(-((log f - b_j)/c_j)²) + m log f + c            (5)
//!   (1) GIT model [Horst 1978]
//!   (2) [Horst 1978]
//!   (3) shape of the K distribution [Ward 2013, ch. 2]
//!   (4) [Skolnik 2008, ch. 19]
//!   (5) [ITU-R P.838-3]
//! ```
//! # Symbols
//! σ_HH, σ_VV cross section of a square metre of sea, horizontal and vertical polarisation · λ
//! wavelength [m] · φ grazing angle [rad] · θ angle from upwind · U wind speed [m/s] · h mean wave
//! height [m] · ν shape: small values give spiky clutter · l width of a cell [m] · η cross section
//! of a cubic metre of rain [1/m], f in GHz · R rain rate [mm/h] · α one-way attenuation by rain
//! [dB/km], for either polarisation.
//!
//! # Limits
//! - (1) from 1 to 10 GHz, (2) from 3 to 10 GHz, 0.1 to 10 degrees, clamped at the limits; for a
//!   fully developed sea.
//! - In the lightest seas (1) is some 20 dB below other measurements.
//! - The form (3) with l agrees with the published form with the area of the cell for cells 4.2 m
//!   long.
//! - (4) where drops are small compared with the wavelength, up to about 10 GHz; it overestimates
//!   above.
//! - (5) along the horizontal.
//!
//! # Checked by
//! test/sensors/radar/clutter.rs, test/sensors/radar.rs

use merrow_math::decibels::ratio;
use merrow_model::sensor::radar::Polarisation;

/// Range of grazing angles of the sea clutter model [rad].
const GRAZING_LIMITS: [f64; 2] = [0.1 * DEGREE, 10.0 * DEGREE];
const DEGREE: f64 = std::f64::consts::PI / 180.0;
/// Ranges of wavelengths of (1) and (2), for horizontal and for vertical polarisation [m].
const WAVELENGTH_LIMITS: [[f64; 2]; 2] = [[0.03, 0.3], [0.03, 0.1]];
/// a_j, b_j, c_j of (5) for log k and a, for horizontal and then for vertical polarisation.
const RAIN_COEFFICIENTS: [[&[[f64; 3]]; 2]; 2] = [
    [
        &[
            [-5.339_80, -0.100_08, 1.130_98],
            [-0.353_51, 1.269_70, 0.454_00],
            [-0.237_89, 0.860_36, 0.153_54],
            [-0.941_58, 0.645_52, 0.168_17],
        ],
        &[
            [-0.143_18, 1.824_42, -0.551_87],
            [0.295_91, 0.775_64, 0.198_22],
            [0.321_77, 0.637_73, 0.131_64],
            [-5.376_10, -0.962_30, 1.478_28],
            [16.172_1, -3.299_80, 3.439_90],
        ],
    ],
    [
        &[
            [-3.805_95, 0.569_34, 0.810_61],
            [-3.449_65, -0.229_11, 0.510_59],
            [-0.399_02, 0.730_42, 0.118_99],
            [0.501_67, 1.073_19, 0.271_95],
        ],
        &[
            [-0.077_71, 2.338_40, -0.762_84],
            [0.567_27, 0.955_45, 0.540_39],
            [-0.202_38, 1.145_20, 0.268_09],
            [-48.299_1, 0.791_669, 0.116_226],
            [48.583_3, 0.791_459, 0.116_479],
        ],
    ],
];
/// m and c of (5), in the same order.
const RAIN_LINEAR_TERMS: [[[f64; 2]; 2]; 2] = [
    [[-0.189_61, 0.711_47], [0.678_49, -1.955_37]],
    [[-0.163_98, 0.632_97], [-0.053_739, 0.834_33]],
];

/// Sea clutter under a given wind.
#[derive(Clone, Copy, Debug)]
pub struct SeaClutter {
    /// Wavelength of the radar [m].
    pub wavelength: f64,
    /// Wind speed over the sea [m/s].
    pub wind: f64,
    /// Polarisation of the radar.
    pub polarisation: Polarisation,
}

impl SeaClutter {
    /// Returns the cross section of a square metre of sea [-] at the grazing angle [rad] and the
    /// cosine of the angle from upwind [-]. (1), (2)
    pub fn strength(&self, grazing: f64, upwind: f64) -> f64 {
        let [min, max] = WAVELENGTH_LIMITS[self.polarisation as usize];
        let (l, u) = (self.wavelength.clamp(min, max), self.wind);
        if u <= 0.0 {
            return 0.0;
        }
        let phi = grazing.clamp(GRAZING_LIMITS[0], GRAZING_LIMITS[1]);
        let h = libm::pow(u / 8.67, 2.5);
        let s = (14.4 * l + 5.5) * phi * h / l;
        let s4 = s * s * s * s;
        let wide = libm::pow(l + 0.015, -0.4);
        let a_u = libm::exp(0.2 * upwind * (1.0 - 2.8 * phi) * wide);
        let a_w = libm::pow(1.94 * u / (1.0 + u / 15.4), 1.1 * wide);
        let level = 3.9e-6 * l * libm::pow(phi, 0.4) * s4 / (1.0 + s4) * a_u * a_w;
        if self.polarisation == Polarisation::Horizontal {
            return level;
        }
        let polarisation_db = -1.05 * libm::log(h + 0.015)
            + 1.09 * libm::log(l)
            + 1.27 * libm::log(phi + 1e-4)
            + 9.70;
        level * ratio(polarisation_db)
    }

    /// Returns the shape parameter of the clutter [-] in a cell with the width `width` [m]. (3)
    ///
    /// The other arguments are the grazing angle [rad] and the cosine of the angle from upwind [-].
    pub fn shape(&self, grazing: f64, upwind: f64, width: f64) -> f64 {
        let degrees = grazing.clamp(GRAZING_LIMITS[0], GRAZING_LIMITS[1]) / DEGREE;
        let twice = 2.0 * upwind * upwind - 1.0;
        let k = match self.polarisation {
            Polarisation::Horizontal => 1.7,
            Polarisation::Vertical => 1.0,
        };
        let log = 2.0 / 3.0 * libm::log10(degrees) + 0.625 * libm::log10(width.max(1.0))
            - k
            - twice / 3.0;
        libm::pow(10.0, log).clamp(0.1, 100.0)
    }
}

/// Returns the cross section of a cubic metre of rain [1/m] at a frequency [Hz] and a rain rate
/// [mm/h]. (4)
pub fn rain_cross_section(frequency: f64, rain: f64) -> f64 {
    let f = 1e-9 * frequency;
    7e-12 * f * f * f * f * libm::pow(rain.max(0.0), 1.6)
}

/// Returns the one-way attenuation by rain [dB/m] at a frequency [Hz], a polarisation and a rain
/// rate [mm/h]. (5)
pub fn rain_attenuation(frequency: f64, polarisation: Polarisation, rain: f64) -> f64 {
    if rain <= 0.0 {
        return 0.0;
    }
    let f = libm::log10(1e-9 * frequency);
    let of = |n: usize| {
        let [m, c] = RAIN_LINEAR_TERMS[polarisation as usize][n];
        let bell = |[a, b, c]: &[f64; 3]| a * libm::exp(-(f - b) / c * ((f - b) / c));
        RAIN_COEFFICIENTS[polarisation as usize][n]
            .iter()
            .map(bell)
            .sum::<f64>()
            + m * f
            + c
    };
    1e-3 * libm::pow(10.0, of(0)) * libm::pow(rain, of(1))
}
