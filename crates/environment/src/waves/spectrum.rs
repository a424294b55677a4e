//! Wave spectra: distribution of the energy of a sea over frequency.
//!
//! # Law
//! ```text
//!   S(ω) = 5/16 Hs² ωp⁴ ω⁻⁵ exp(-5/4 (ω/ωp)⁻⁴)                   (1)
//!   S(ω) = C (1) γ^exp(-(ω-ωp)²/(2σ²ωp²)),  σ = 0.07 | 0.09      (2)  JONSWAP [Hasselmann 1973]
//!   (1) with ωp⁴ = 3.2 α (g/Hs)²,  α = 0.0081                    (3)
//!   S(f) = Σⱼ Hⱼ² Tⱼ/16 · 3.26 Aⱼ fⱼ⁻⁴ exp(-fⱼ⁻⁴) Γⱼ, fⱼ = f Tⱼ  (4)
//!   (1) Bretschneider [Fossen 2021, eq. 10.64]
//!   (3) Pierson-Moskowitz [Pierson 1964]
//!   (4) Torsethaugen, simplified [Torsethaugen 2004; DNV-RP-C205 2010, A.2]
//! ```
//! The normalisation constants in (2) and (4) (C, Aⱼ) are not the published fits. The realised sea
//! is scaled so that its energy is exactly Hs²/16.
//!
//! # Symbols
//! Hs significant height [m] · ωp angular peak frequency [rad/s] · γ peak enhancement, Γ its shape
//! in (4) · Hⱼ, Tⱼ height and peak period of the primary (j = 1) and the secondary sea.
//!
//! # Limits
//! Deep-water shapes, not corrected for depth. (4) was fitted to the Norwegian shelf; both of its
//! seas have the same direction.
//!
//! # Checked by
//! test/analytic/environment/waves.rs; V62, V63

use merrow_model::scene::sea::waves::{SeaState, Spectrum};
use std::f64::consts::TAU;

/// Phillips constant of (3).
const ALPHA: f64 = 0.0081;

/// Returns the peak period [s] of a fully developed sea of significant height `hs` [m], with
/// `gravity` [m/s²]. (3)
pub fn developed_period(hs: f64, gravity: f64) -> f64 {
    // ωp = (3.2 α)^¼ sqrt(g/Hs)
    TAU / ((3.2 * ALPHA).sqrt().sqrt() * (gravity / hs).sqrt())
}

/// Spectral density over angular frequency, up to a constant factor, with the band that holds
/// nearly all of the energy.
pub struct Density {
    parts: Vec<SpectralPeak>,
    table: Option<std::sync::Arc<[(f64, f64)]>>,
    /// Scale factor on the frequencies of the table.
    stretch: f64,
    /// Minimum and maximum angular frequency [rad/s].
    pub band: [f64; 2],
}

/// One peak of a wave spectrum.
struct SpectralPeak {
    /// Energy of the peak, its zeroth moment [m²].
    m0: f64,
    peak: f64,
    gamma: f64,
    /// Exponent of the tail: 5 of ω in (1), 4 of f in (4).
    tail: f64,
    /// Reciprocal of the integral of the shape, so that `m0` is the energy.
    scale: f64,
}

/// Frequency limits of a peak in units of the peak frequency; above them (1) has 0.06 % of its
/// energy.
const BAND: [f64; 2] = [0.4, 8.0];

impl Density {
    /// Creates the density of a sea state, with `gravity` [m/s²]; `None` for single waves.
    pub fn new(sea: &SeaState, gravity: f64) -> Option<Self> {
        let peak = TAU / sea.tp_s;
        let m0 = sea.hs_m * sea.hs_m / 16.0;
        let parts = match &sea.spectrum {
            Spectrum::Regular(_) | Spectrum::Kelpie => return None,
            Spectrum::PiersonMoskowitz | Spectrum::Bretschneider => {
                vec![SpectralPeak::new(m0, peak, 1.0, 5.0)]
            }
            Spectrum::Jonswap(gamma) => vec![SpectralPeak::new(m0, peak, *gamma, 5.0)],
            Spectrum::Torsethaugen => torsethaugen(sea.hs_m, sea.tp_s, gravity),
            Spectrum::Tabulated(table) => return Some(tabulated_density(table, peak)),
        };
        let lowest = parts.iter().map(|p| p.peak).fold(f64::INFINITY, f64::min);
        let highest = parts.iter().map(|p| p.peak).fold(0.0, f64::max);
        let band = [BAND[0] * lowest, BAND[1] * highest];
        Some(Self {
            parts,
            table: None,
            stretch: 1.0,
            band,
        })
    }

    /// Returns the density at angular frequency `omega` [rad/s]: [m² s/rad] up to a constant
    /// factor.
    pub fn density(&self, omega: f64) -> f64 {
        match &self.table {
            Some(table) => interpolate(table, omega / self.stretch),
            None => self.parts.iter().map(|p| p.density(omega)).sum(),
        }
    }
}

impl SpectralPeak {
    fn new(m0: f64, peak: f64, gamma: f64, tail: f64) -> Self {
        let mut part = Self {
            m0,
            peak,
            gamma,
            tail,
            scale: 1.0,
        };
        // Simpson's rule over the whole shape in ln ω, in which the shape is smooth
        let (n, low, high) = (4000, libm::log(0.2), libm::log(60.0));
        let h = (high - low) / f64::from(n);
        let mut sum = 0.0;
        for i in 0..=n {
            let x = libm::exp(low + h * f64::from(i));
            let weight = if i == 0 || i == n {
                1.0
            } else {
                f64::from(2 + 2 * (i % 2))
            };
            sum += weight * part.shape(x) * x;
        }
        part.scale = 3.0 / (h * sum);
        part
    }

    /// Returns the shape as a function of the frequency in units of the peak frequency. (1), (2),
    /// (4)
    fn shape(&self, x: f64) -> f64 {
        let x4 = 1.0 / (x * x * x * x);
        let base = libm::pow(x, -self.tail) * libm::exp(-0.25 * self.tail * x4);
        if self.gamma == 1.0 {
            return base;
        }
        let sigma = if x <= 1.0 { 0.07 } else { 0.09 };
        let d = (x - 1.0) / sigma;
        base * libm::pow(self.gamma, libm::exp(-0.5 * d * d))
    }

    fn density(&self, omega: f64) -> f64 {
        self.m0 * self.scale * self.shape(omega / self.peak) / self.peak
    }
}

/// Returns the two seas of (4).
fn torsethaugen(hs: f64, tp: f64, gravity: f64) -> Vec<SpectralPeak> {
    let tf = 6.6 * libm::cbrt(hs);
    let square = |x: f64| x * x;
    // an enhancement below 1 would be a dip
    let gamma = |h: f64, t: f64| 35.0 * libm::pow(TAU / gravity * h / (t * t), 0.857);
    let (part, second_period, gamma) = if tp <= tf {
        // wind sea: the steepest possible sea has the period 2 sqrt(Hs)
        let short = (tf - tp) / (tf - 2.0 * hs.sqrt());
        let part = 0.7 + 0.3 * libm::exp(-square(2.0 * short));
        (part, tf + 2.0, gamma(part * hs, tp))
    } else {
        let long = (tp - tf) / (25.0 - tf);
        let part = 0.6 + 0.4 * libm::exp(-square(long / 0.3));
        let second = (1.0 - square(part)).max(0.0).sqrt() * hs;
        (
            part,
            6.6 * libm::cbrt(second),
            gamma(hs, tf) * (1.0 + 6.0 * long),
        )
    };
    let m0 = hs * hs / 16.0;
    let mut parts = vec![SpectralPeak::new(
        m0 * part * part,
        TAU / tp,
        gamma.max(1.0),
        4.0,
    )];
    if part < 1.0 - 1e-9 {
        parts.push(SpectralPeak::new(
            m0 * (1.0 - part * part),
            TAU / second_period,
            1.0,
            4.0,
        ));
    }
    parts
}

/// Creates the density of a table whose frequencies are scaled so that its peak is at `peak`.
fn tabulated_density(table: &std::sync::Arc<[(f64, f64)]>, peak: f64) -> Density {
    let stretch = peak / table_peak(table);
    let band = [table[0].0 * stretch, table[table.len() - 1].0 * stretch];
    Density {
        parts: Vec::new(),
        table: Some(table.clone()),
        stretch,
        band,
    }
}

/// Returns the angular frequency [rad/s] of the maximum of a table of (angular frequency [rad/s],
/// density).
pub fn table_peak(table: &[(f64, f64)]) -> f64 {
    table
        .iter()
        .fold(
            (table[0].0, 0.0),
            |best, p| if p.1 > best.1 { *p } else { best },
        )
        .0
}

/// Returns the significant height [m] of a table of (angular frequency [rad/s], density [m²
/// s/rad]), linear between its entries.
pub fn table_height(table: &[(f64, f64)]) -> f64 {
    let m0: f64 = table
        .windows(2)
        .map(|w| 0.5 * (w[0].1 + w[1].1) * (w[1].0 - w[0].0))
        .sum();
    4.0 * m0.sqrt()
}

fn interpolate(table: &[(f64, f64)], omega: f64) -> f64 {
    let i = table.partition_point(|p| p.0 <= omega);
    if i == 0 || i == table.len() {
        return if i > 0 && omega == table[i - 1].0 {
            table[i - 1].1
        } else {
            0.0
        };
    }
    let (a, b) = (table[i - 1], table[i]);
    a.1 + (b.1 - a.1) * (omega - a.0) / (b.0 - a.0)
}
