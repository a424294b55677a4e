//! Waves: requested sea states, their wave components, and the transition from one sea state to the
//! next.
//!
//! `merrow_environment::waves::realise` computes the components once. This module only stores them.

use crate::persist::Persist;
use crate::scene::sea::water::Region;
use merrow_math::Vec3;
use merrow_yaml::spec::spec;
use std::sync::Arc;

/// Frequency spectrum of a sea state.
#[derive(Clone, Debug, PartialEq, Persist)]
pub enum Spectrum {
    /// One sinusoidal wave with the height `SeaState::hs`. Parameter: phase at the origin at time 0
    /// [rad]; 0 is a crest.
    Regular(f64),
    /// Pierson-Moskowitz spectrum: fully developed wind sea.
    PiersonMoskowitz,
    /// JONSWAP spectrum: wind sea with a peak that is `gamma` times the peak of the Bretschneider
    /// spectrum.
    Jonswap(f64),
    /// Bretschneider spectrum: two-parameter wind sea.
    Bretschneider,
    /// Torsethaugen spectrum: wind sea and swell, simplified form.
    Torsethaugen,
    /// Tabulated density over angular frequency: ([rad/s], any unit), ascending; scaled to
    /// `SeaState::hs`.
    Tabulated(Arc<[(f64, f64)]>),
    /// The whole surface rises and falls as one sine, as in the Kelpie simulator; no propagation.
    Kelpie,
}

spec! {
    /// Directional spreading of the waves.
    #[derive(Copy, Persist)]
    pub enum Spreading plain {
        /// All components propagate in the same direction.
        None = "none",
        /// cos^2s of half the angle from the mean direction.
        HalfAngle = "cos2s" {
            /// Exponent s of the distribution.
            s: f64 [in 0.0..=1000.0] = 10.0,
        },
        /// cos^n of the angle from the mean direction.
        Angle = "cosn" {
            /// Exponent n of the distribution.
            n: f64 [in 0.0..=1000.0] = 2.0,
        },
    }
}

/// Sea state as requested by the user.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct SeaState {
    /// Distribution of the energy over frequency.
    pub spectrum: Spectrum,
    /// Significant wave height [m]; for a regular wave the height from trough to crest.
    pub hs_m: f64,
    /// Peak period of the spectrum [s].
    pub tp_s: f64,
    /// Horizontal unit vector of the mean propagation direction, in W.
    pub towards: Vec3,
    /// Distribution of the energy over direction.
    pub spreading: Spreading,
    /// Number of components to generate.
    pub components: usize,
    /// Minimum wavelength [m]; `None`: cut off at 8 times the peak frequency.
    pub min_wavelength_m: Option<f64>,
    /// Duration of the transition from the preceding sea state [s].
    pub ramp_s: f64,
}

/// Number of SIMD lanes for the sums; the number of components is a multiple of it.
pub const LANES: usize = 8;

/// Wave components of a sea state as a structure of arrays, shortest waves last; padded with waves
/// of zero amplitude.
///
/// Component i is `a cos(kx x + ky y - omega t + phase)`.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct Components {
    /// Amplitude of each component [m].
    pub a: Vec<f64>,
    /// Angular frequency of each component [rad/s].
    pub omega: Vec<f64>,
    /// Phase at the origin at time 0 [rad].
    pub phase: Vec<f64>,
    /// Wave number [rad/m]; 0 for a surface that rises uniformly.
    pub k: Vec<f64>,
    /// East component of the wave vector [rad/m].
    pub kx: Vec<f64>,
    /// North component of the wave vector [rad/m].
    pub ky: Vec<f64>,
    /// East component of the unit direction; 0 for a surface that rises uniformly.
    pub dx: Vec<f64>,
    /// North component of the unit direction; 0 for a surface that rises uniformly.
    pub dy: Vec<f64>,
    /// Factor exp(-2 k h) with the water depth h.
    pub q: Vec<f64>,
    /// Velocity scale a omega / (1 - q) [m/s].
    pub speed: Vec<f64>,
    /// Pressure scale a / (1 + q) [m].
    pub head: Vec<f64>,
}

/// Sea state with its wave components.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct WaveField {
    /// Sea state that the components realise.
    pub requested: SeaState,
    /// Components of the sea state.
    pub components: Components,
    /// Number of actual wave components; the others are padding.
    pub n: usize,
    /// Water depth of the dispersion relation [m].
    pub depth: f64,
    /// Upper bound of the magnitude of the elevation [m].
    pub max_elevation: f64,
}

/// Sea states of a world in time order. Each fades out while the next grows.
///
/// At most three: a decaying sea, a growing sea, and the next sea.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct Waves {
    /// Start of the growth [ns] and the sea state, by time. A sea state with start 0 has been fully
    /// developed since the beginning.
    pub seas: Vec<(u64, Arc<WaveField>)>,
    /// Water level as a sea state that rises uniformly: tides and constant offsets; always active.
    pub tide: Option<Arc<WaveField>>,
    /// Regions; the first that contains a point applies. `None` if all of them have the surface of
    /// the sea.
    pub regions: Option<Arc<[Region]>>,
}

impl Waves {
    /// Creates the waves of a single sea state, active from the beginning.
    pub fn from_field(field: WaveField) -> Self {
        Self {
            seas: vec![(0, Arc::new(field))],
            tide: None,
            regions: None,
        }
    }

    /// Returns the regions if any of them has a separate surface, otherwise `None`.
    pub fn surface_regions(regions: &[Region]) -> Option<Arc<[Region]>> {
        regions
            .iter()
            .any(Region::has_own_surface)
            .then(|| regions.into())
    }

    /// Returns the active sea states at `t_ns` [ns] and the weight of each, 0 to 1.
    pub fn active_fields(&self, t_ns: f64) -> impl Iterator<Item = (&Arc<WaveField>, f64)> {
        let growth = move |i: usize| match self.seas.get(i) {
            Some((start, sea)) => Self::growth_weight(*start, sea.requested.ramp_s, t_ns),
            None => 0.0,
        };
        let tide = self.tide.iter().map(|tide| (tide, 1.0));
        let seas = self.seas.iter().enumerate();
        seas.map(move |(i, (_, sea))| (sea, growth(i) * (1.0 - growth(i + 1))))
            .filter(|(sea, weight)| *weight > 0.0 && sea.max_elevation > 0.0)
            .chain(tide)
    }

    /// Returns true if both share the same sea states by pointer, not only by value.
    pub fn is_same_instance(&self, other: &Self) -> bool {
        let tide = match (&self.tide, &other.tide) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        let seas = self.seas.iter().zip(&other.seas);
        let regions = match (&self.regions, &other.regions) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        tide && regions
            && self.seas.len() == other.seas.len()
            && seas
                .into_iter()
                .all(|(a, b)| a.0 == b.0 && Arc::ptr_eq(&a.1, &b.1))
    }

    /// Returns true if the water surface is permanently flat at z = 0.
    pub fn is_flat(&self) -> bool {
        let levels = self
            .regions
            .as_ref()
            .is_some_and(|all| all.iter().any(|r| r.level_m.is_some()));
        !levels && self.tide.is_none() && self.seas.iter().all(|(_, sea)| sea.max_elevation == 0.0)
    }

    /// Returns the last sea state, which remains after all transitions.
    #[inline]
    pub fn latest(&self) -> Option<&Arc<WaveField>> {
        self.seas.last().map(|(_, sea)| sea)
    }

    /// Returns the weight at `t_ns` [ns] of a sea state that grows from `start_ns` over `ramp` [s]:
    /// 0 to 1, continuous to the second derivative.
    #[inline]
    pub(crate) fn growth_weight(start_ns: u64, ramp: f64, t_ns: f64) -> f64 {
        if start_ns == 0 {
            return 1.0;
        }
        let elapsed = (t_ns - start_ns as f64) * 1e-9;
        if elapsed <= 0.0 {
            return 0.0;
        }
        if elapsed >= ramp {
            return 1.0;
        }
        let x = elapsed / ramp;
        x * x * x * (10.0 + x * (6.0 * x - 15.0))
    }

    /// Returns the sea states after a request for `next` at `now_ns`. It grows at once, or after
    /// the growth in progress. A sea state that was waiting is discarded.
    pub fn transition_to(&self, next: &Self, now_ns: u64) -> Self {
        let Some(next) = next.latest() else {
            return self.clone();
        };
        let is_current = self
            .latest()
            .is_some_and(|last| last.requested == next.requested && last.depth == next.depth);
        if is_current || (self.seas.is_empty() && next.max_elevation == 0.0) {
            return self.clone();
        }
        let growth_end = |(start, sea): &(u64, Arc<WaveField>)| match start {
            0 => 0,
            _ => start.saturating_add((sea.requested.ramp_s * 1e9) as u64),
        };
        // discards sea states that have not begun and those that have been replaced
        let mut seas: Vec<_> = self
            .seas
            .iter()
            .filter(|(start, _)| *start <= now_ns)
            .cloned()
            .collect();
        let first_kept = seas
            .iter()
            .rposition(|sea| growth_end(sea) <= now_ns)
            .unwrap_or(0);
        seas.drain(..first_kept);
        if now_ns == 0 {
            seas.clear();
        }
        if let Some(first) = seas.first_mut().filter(|first| growth_end(first) <= now_ns) {
            first.0 = 0;
        }
        let start = seas
            .last()
            .map_or(now_ns, |last| growth_end(last).max(now_ns));
        seas.push((start, Arc::clone(next)));
        Self {
            seas,
            tide: self.tide.clone(),
            regions: self.regions.clone(),
        }
    }

    /// Returns only the last sea state, active from the beginning.
    pub fn without_transitions(&self) -> Self {
        let seas = self
            .latest()
            .map(|sea| (0, Arc::clone(sea)))
            .into_iter()
            .collect();
        Self {
            seas,
            tide: self.tide.clone(),
            regions: self.regions.clone(),
        }
    }
}

impl Components {
    /// Appends a wave of amplitude `a` [m], angular frequency `omega` [rad/s], `phase` [rad] and
    /// wave number `k` [rad/m] that propagates along the unit vector `towards` (W) in water of
    /// `depth` [m].
    pub fn push(&mut self, a: f64, omega: f64, phase: f64, k: f64, towards: Vec3, depth: f64) {
        // a surface that rises uniformly has no direction
        let d = if k > 0.0 { towards } else { Vec3::zero() };
        let q = if k > 0.0 {
            libm::exp(-2.0 * k * depth)
        } else {
            0.0
        };
        // negligible, and denormal numbers are slow
        let q = if q < 1e-300 { 0.0 } else { q };
        self.a.push(a);
        self.omega.push(omega);
        self.phase.push(phase);
        self.k.push(k);
        self.kx.push(k * d.x);
        self.ky.push(k * d.y);
        self.dx.push(d.x);
        self.dy.push(d.y);
        self.q.push(q);
        self.speed.push(a * omega / (1.0 - q));
        self.head.push(a / (1.0 + q));
    }

    /// Appends a wave of zero amplitude with the wave number of the last.
    pub fn pad(&mut self) {
        let k = self.k.last().copied().unwrap_or(0.0);
        self.push(0.0, 0.0, 0.0, 0.0, Vec3::zero(), 1.0);
        if let Some(last) = self.k.last_mut() {
            *last = k;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sea(hs: f64) -> Waves {
        let requested = SeaState {
            spectrum: Spectrum::Bretschneider,
            hs_m: hs,
            tp_s: 8.0,
            towards: Vec3::new(1.0, 0.0, 0.0),
            spreading: Spreading::None,
            components: 8,
            min_wavelength_m: None,
            ramp_s: 10.0,
        };
        Waves::from_field(WaveField {
            requested,
            components: Components::default(),
            n: 0,
            depth: 50.0,
            max_elevation: hs,
        })
    }

    #[test]
    fn growth_is_smooth_and_complete() {
        let growth = |t: f64| Waves::growth_weight(1_000_000_000, 10.0, 1e9 + t);
        assert_eq!(
            [growth(-1.0), growth(0.0), growth(5e9), growth(1e10)],
            [0.0, 0.0, 0.5, 1.0]
        );
        assert_eq!(
            Waves::growth_weight(0, 10.0, 0.0),
            1.0,
            "active from the start"
        );
        let rate = |t: f64| (growth(t + 1e3) - growth(t - 1e3)) / 2e3;
        assert!(rate(1e6).abs() < 1e-15 && rate(1e10 - 1e6).abs() < 1e-15);
    }

    #[test]
    fn transitions_keep_at_most_three_sea_states() {
        const S: u64 = 1_000_000_000;
        let hs = |w: &Waves| {
            w.seas
                .iter()
                .map(|(t, s)| (*t / S, s.requested.hs_m))
                .collect::<Vec<_>>()
        };
        let one = sea(1.0);
        let two = one.transition_to(&sea(2.0), 100 * S);
        assert_eq!(hs(&two), [(0, 1.0), (100, 2.0)]);
        assert_eq!(
            hs(&two.transition_to(&sea(2.0), 103 * S)),
            hs(&two),
            "the same sea state again"
        );
        let three = two.transition_to(&sea(3.0), 105 * S);
        assert_eq!(
            hs(&three),
            [(0, 1.0), (100, 2.0), (110, 3.0)],
            "waits for the growth in progress"
        );
        let four = three.transition_to(&sea(4.0), 107 * S);
        assert_eq!(
            hs(&four),
            [(0, 1.0), (100, 2.0), (110, 4.0)],
            "the waiting sea state is discarded"
        );
        let five = four.transition_to(&sea(5.0), 113 * S);
        assert_eq!(hs(&five), [(0, 2.0), (110, 4.0), (120, 5.0)]);
        let six = five.transition_to(&sea(6.0), 140 * S);
        assert_eq!(
            hs(&six),
            [(0, 5.0), (140, 6.0)],
            "replaced sea states are discarded"
        );
        assert_eq!(hs(&six.without_transitions()), [(0, 6.0)]);
        assert_eq!(
            hs(&six.transition_to(&sea(7.0), 0)),
            [(0, 7.0)],
            "before the first step there is no sea state to replace"
        );
        let flat = Waves::default();
        assert_eq!(
            hs(&flat.transition_to(&sea(1.0), 9 * S)),
            [(9, 1.0)],
            "grows from flat water"
        );
        assert!(flat.transition_to(&sea(0.0), 9 * S).seas.is_empty());
    }
}
