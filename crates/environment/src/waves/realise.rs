//! Discretisation of a wave spectrum into the components of one sea.
//!
//! # Law
//! The frequency band is divided into N bins; bin i becomes one wave,
//!
//! ```text
//!   E(ω) = ∫S dω,  M(ω) = ∫ω² S dω                                (1)
//!   bins of equal ½ E/E_all + ½ M/M_all                           (2)
//!   aᵢ² = 2 Eᵢ,  ωᵢ² = Mᵢ/Eᵢ                                      (3)
//! ```
//! Height and mean zero-crossing period therefore equal the values of the spectrum for any number
//! of components: (2) distributes the bins between peak and tail, and (3) preserves both moments.
//! All bins differ in width, so no two frequencies have a common multiple and the sea does not
//! repeat. Phases are uniform draws of the stream `waves/phase`. Wave i travels in the direction of
//! the quantile frac(u₀ + i (√5-1)/2) of the spreading, where u₀ is the first draw of the stream
//! `waves/direction`. Neighbouring frequencies thus have different directions, and one wave per
//! frequency leaves no standing pattern [Jefferys 1987].
//!
//! # Symbols
//! S density [m² s/rad] · E energy [m²] · a amplitude [m] · ω angular frequency [rad/s].
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! Amplitudes are not random. Wave groups result only from the phases. The significant height over
//! a long time equals the specified one and does not vary from seed to seed [Tucker 1984].
//!
//! # Checked by
//! test/analytic/environment/waves.rs, test/determinism/worlds/waves.rs; V62

use crate::waves::dispersion::wave_number;
use crate::waves::spectrum::Density;
use crate::waves::spreading::Quantiles;
use merrow_math::Vec3;
use merrow_math::rng::Stream;
use merrow_model::scene::sea::waves::{
    Components, LANES, SeaState, Spectrum, Spreading, WaveField,
};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Number of integration steps of (1).
const STEPS: usize = 16_384;
/// (√5-1)/2, the golden ratio: its multiples modulo 1 are spread most evenly.
const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;

/// Creates the wave field of the sea state `requested` in water of `depth` [m], with `gravity`
/// [m/s²] and the random `seed`.
pub fn wave_field(requested: SeaState, depth: f64, gravity: f64, seed: u64) -> WaveField {
    let waves = match (&requested.spectrum, Density::new(&requested, gravity)) {
        _ if requested.hs_m == 0.0 => Vec::new(),
        (_, Some(density)) => energy_bins(
            &density,
            requested.hs_m,
            requested.components,
            requested.min_wavelength_m,
            (depth, gravity),
        ),
        (_, None) => vec![(0.5 * requested.hs_m, TAU / requested.tp_s)],
    };
    let mut components = Components::default();
    let phases = Stream::new(seed, "waves/phase");
    let quantiles = Quantiles::new(requested.spreading);
    let first = Stream::new(seed, "waves/direction").draw(0).uniform();
    for (i, (a, omega)) in waves.iter().enumerate() {
        let k = || wave_number(*omega, depth, gravity);
        let (phase, k) = match requested.spectrum {
            Spectrum::Regular(phase) => (phase, k()),
            // a cosine with this phase is sin(omega t)
            Spectrum::Kelpie => (FRAC_PI_2, 0.0),
            Spectrum::PiersonMoskowitz
            | Spectrum::Jonswap(_)
            | Spectrum::Bretschneider
            | Spectrum::Torsethaugen
            | Spectrum::Tabulated(_) => (TAU * phases.draw(i as u64).uniform(), k()),
        };
        let u = first + i as f64 * GOLDEN_RATIO;
        let angle = quantiles.angle(u - u.floor());
        components.push(
            *a,
            *omega,
            phase,
            k,
            rotate_horizontal(requested.towards, angle),
            depth,
        );
    }
    let max_elevation = waves.iter().map(|(a, _)| a).sum();
    padded_field(requested, components, depth, max_elevation)
}

/// Returns the water level as a sea that rises uniformly, in water of `depth` [m].
///
/// `level` is the mean level [m]. Each constituent is (amplitude [m], angular frequency [rad/s],
/// phase of high water [rad]).
pub fn tide_field(level: f64, constituents: &[(f64, f64, f64)], depth: f64) -> WaveField {
    let mut components = Components::default();
    components.push(level, 0.0, 0.0, 0.0, Vec3::zero(), depth);
    for (a, omega, phase) in constituents {
        components.push(*a, *omega, *phase, 0.0, Vec3::zero(), depth);
    }
    let n = components.a.len();
    let max_elevation = components.a.iter().map(|a| a.abs()).sum();
    let requested = SeaState {
        spectrum: Spectrum::Kelpie,
        hs_m: 2.0 * max_elevation,
        tp_s: constituents
            .first()
            .map_or(1.0, |(_, omega, _)| TAU / omega),
        towards: Vec3::new(0.0, 1.0, 0.0),
        spreading: Spreading::None,
        components: n,
        min_wavelength_m: None,
        ramp_s: 0.0,
    };
    padded_field(requested, components, depth, max_elevation)
}

/// Fills the last group of components with components of zero amplitude.
fn padded_field(
    requested: SeaState,
    mut components: Components,
    depth: f64,
    max_elevation: f64,
) -> WaveField {
    let n = components.a.len();
    while !components.a.len().is_multiple_of(LANES) {
        components.pad();
    }
    WaveField {
        requested,
        components,
        n,
        depth,
        max_elevation,
    }
}

fn rotate_horizontal(d: Vec3, angle: f64) -> Vec3 {
    let (s, c) = (libm::sin(angle), libm::cos(angle));
    Vec3::new(c * d.x - s * d.y, s * d.x + c * d.y, 0.0)
}

/// Returns the amplitude [m] and angular frequency [rad/s] of each bin, lowest frequency first.
/// (1)-(3)
fn energy_bins(
    density: &Density,
    hs: f64,
    n: usize,
    shortest: Option<f64>,
    (depth, gravity): (f64, f64),
) -> Vec<(f64, f64)> {
    let [low, mut high] = density.band;
    if let Some(length) = shortest {
        let k = TAU / length;
        // keep at least a narrow band if `shortest` excludes the whole spectrum
        high = high
            .min((gravity * k * libm::tanh(k * depth)).sqrt())
            .max(1.01 * low);
    }
    let h = (high - low) / STEPS as f64;
    let omega = |i: usize| low + h * i as f64;
    // cumulative sums up to each step, by the trapezoidal rule
    let (mut energy, mut moment) = (vec![0.0], vec![0.0]);
    let (mut e, mut m) = (0.0, 0.0);
    let mut previous = density.density(low);
    for i in 1..=STEPS {
        let current = density.density(omega(i));
        e += 0.5 * h * (previous + current);
        m += 0.5 * h * (previous * omega(i - 1) * omega(i - 1) + current * omega(i) * omega(i));
        energy.push(e);
        moment.push(m);
        previous = current;
    }
    if e <= 0.0 {
        return Vec::new();
    }
    let share = |i: usize| 0.5 * energy[i] / e + 0.5 * moment[i] / m;
    let scale = hs * hs / 16.0 / e;
    let mut out = Vec::with_capacity(n);
    let (mut i, mut last) = (0, (0.0, 0.0));
    for bin in 1..=n {
        let target = bin as f64 / n as f64;
        while i + 1 < STEPS && share(i + 1) < target {
            i += 1;
        }
        let (from, to) = (share(i), share(i + 1));
        let s = if bin == n || to <= from {
            1.0
        } else {
            ((target - from) / (to - from)).clamp(0.0, 1.0)
        };
        let end = if bin == n {
            (e, m)
        } else {
            (
                energy[i] + s * (energy[i + 1] - energy[i]),
                moment[i] + s * (moment[i + 1] - moment[i]),
            )
        };
        let (de, dm) = (end.0 - last.0, end.1 - last.1);
        last = end;
        if de > 0.0 {
            out.push(((2.0 * scale * de).sqrt(), (dm / de).sqrt()));
        }
    }
    out
}
