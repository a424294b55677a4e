//! Waves: what was asked for, the components that make them, and how one sea gives way to the next.
//!
//! The components are found once, by `environment::waves::realise`; here they are data.

use crate::scene::sea::water::Region;
use merrow_math::Vec3;
use std::sync::Arc;

/// How the energy of a sea is spread over frequency.
#[derive(Clone, Debug, PartialEq)]
pub enum Spectrum {
    /// One sinusoidal wave; its height is `SeaState::hs`. Phase at the origin at time 0 [rad]: 0 is a crest.
    Regular(f64),
    /// Fully developed wind sea.
    PiersonMoskowitz,
    /// Wind sea with a peak that is `gamma` times as high as Bretschneider's.
    Jonswap(f64),
    /// Two-parameter wind sea.
    Bretschneider,
    /// Wind sea and swell, simplified form.
    Torsethaugen,
    /// Density over angular frequency: ([rad/s], any unit), ascending; scaled to `SeaState::hs`.
    Tabulated(Arc<[(f64, f64)]>),
    /// The whole surface rises and falls as one sine, as in the Kelpie simulator; nothing travels.
    Kelpie,
}

/// How the energy of a sea is spread over direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spreading {
    /// All waves go the same way.
    None,
    /// cos^2s of half the angle from the mean direction.
    HalfAngle(f64),
    /// cos^n of the angle from the mean direction, nothing beyond 90°.
    Angle(f64),
}

/// A sea as it is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct SeaState {
    /// Distribution over frequency.
    pub spectrum: Spectrum,
    /// Significant height [m]; of a regular wave its height from trough to crest.
    pub hs: f64,
    /// Period of the spectrum's peak [s].
    pub tp: f64,
    /// Unit vector towards which the waves go, in W; horizontal.
    pub towards: Vec3,
    /// Distribution over direction.
    pub spreading: Spreading,
    /// Components to make.
    pub components: usize,
    /// Shortest wave that is made [m]; none: 8 times the peak's frequency.
    pub shortest: Option<f64>,
    /// Time in which this sea takes over from another [s].
    pub ramp: f64,
}

/// Lanes in which components are summed; their number is a multiple of it.
pub const LANES: usize = 8;

/// The components of a sea, one entry each, shortest waves last; padded with waves of no height.
///
/// Component i is `a cos(kx x + ky y - omega t + phase)`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Components {
    /// Amplitude [m].
    pub a: Vec<f64>,
    /// Angular frequency [rad/s].
    pub omega: Vec<f64>,
    /// Phase at the origin at time 0 [rad].
    pub phase: Vec<f64>,
    /// Wave number [rad/m]; 0 for a sea that rises as one.
    pub k: Vec<f64>,
    /// Wave number towards east [rad/m].
    pub kx: Vec<f64>,
    /// Wave number towards north [rad/m].
    pub ky: Vec<f64>,
    /// Direction's east component; 0 for a sea that rises as one.
    pub dx: Vec<f64>,
    /// Direction's north component.
    pub dy: Vec<f64>,
    /// exp(-2 k h), h the depth of the water.
    pub q: Vec<f64>,
    /// a omega / (1 - q): scale of the velocities [m/s].
    pub speed: Vec<f64>,
    /// a / (1 + q): scale of the pressure [m].
    pub head: Vec<f64>,
}

/// A sea that has been made.
#[derive(Clone, Debug, PartialEq)]
pub struct WaveField {
    /// What was asked for.
    pub asked: SeaState,
    /// Its components.
    pub components: Components,
    /// Components that are waves; the others fill up the lanes.
    pub n: usize,
    /// Depth of the water [m].
    pub depth: f64,
    /// No crest is higher and no trough deeper [m].
    pub reach: f64,
}

/// The seas of a world, each from its instant on; the one before fades while the next grows.
///
/// At most three: one that ends, one that takes over, and one that is to follow it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waves {
    /// Instant from which a sea grows [ns], and the sea; by time. One of instant 0 has been there always.
    pub seas: Vec<(u64, Arc<WaveField>)>,
    /// Level of the water as a sea that rises as one: tides, and what the surface stands over the mean; there always.
    pub tide: Option<Arc<WaveField>>,
    /// Regions, the first that holds a place counts there; none where the surface of all of them is the sea's.
    pub regions: Option<Arc<[Region]>>,
}

impl Waves {
    /// One sea from the beginning.
    pub fn of(field: WaveField) -> Self {
        Self {
            seas: vec![(0, Arc::new(field))],
            tide: None,
            regions: None,
        }
    }

    /// What these regions make of the surface; none if that is the sea's in all of them.
    pub fn of_regions(regions: &[Region]) -> Option<Arc<[Region]>> {
        regions
            .iter()
            .any(Region::has_surface)
            .then(|| regions.into())
    }

    /// The seas that there are at `t_ns` [ns], and the part that each has.
    pub fn present(&self, t_ns: f64) -> impl Iterator<Item = (&Arc<WaveField>, f64)> {
        let growth = move |i: usize| match self.seas.get(i) {
            Some((start, sea)) => Self::growth(*start, sea.asked.ramp, t_ns),
            None => 0.0,
        };
        let tide = self.tide.iter().map(|tide| (tide, 1.0));
        let seas = self.seas.iter().enumerate();
        seas.map(move |(i, (_, sea))| (sea, growth(i) * (1.0 - growth(i + 1))))
            .filter(|(sea, weight)| *weight > 0.0 && sea.reach > 0.0)
            .chain(tide)
    }

    /// True if these are the same seas, not only equal ones.
    pub fn is(&self, other: &Self) -> bool {
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

    /// True if the water is flat at z = 0 and stays so.
    pub fn is_flat(&self) -> bool {
        let levels = self
            .regions
            .as_ref()
            .is_some_and(|all| all.iter().any(|r| r.level.is_some()));
        !levels && self.tide.is_none() && self.seas.iter().all(|(_, sea)| sea.reach == 0.0)
    }

    /// No crest is higher and no trough deeper [m].
    pub fn reach(&self) -> f64 {
        let seas = self.seas.iter().map(|(_, sea)| sea.reach).sum::<f64>();
        let tide = self.tide.as_ref().map_or(0.0, |tide| tide.reach);
        let regions = self.regions.iter().flat_map(|all| all.iter());
        regions
            .map(|r| r.over(seas, tide).abs())
            .fold(seas + tide, f64::max)
    }

    /// The sea that there is or will be when nothing fades any more.
    pub fn latest(&self) -> Option<&Arc<WaveField>> {
        self.seas.last().map(|(_, sea)| sea)
    }

    /// How far a sea that grows from `start_ns` in `ramp` [s] has grown at `t_ns`, 0 to 1; smooth to the second derivative.
    pub fn growth(start_ns: u64, ramp: f64, t_ns: f64) -> f64 {
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

    /// The seas when `next` is asked for at `now_ns`: it grows at once, or when the one that grows now is there; one that
    /// waited for that is forgotten.
    pub fn followed_by(&self, next: &Self, now_ns: u64) -> Self {
        let Some(next) = next.latest() else {
            return self.clone();
        };
        let known = self
            .latest()
            .is_some_and(|last| last.asked == next.asked && last.depth == next.depth);
        if known || (self.seas.is_empty() && next.reach == 0.0) {
            return self.clone();
        }
        let done = |(start, sea): &(u64, Arc<WaveField>)| match start {
            0 => 0,
            _ => start.saturating_add((sea.asked.ramp * 1e9) as u64),
        };
        // what has not begun is forgotten, and so is what has been replaced
        let mut seas: Vec<_> = self
            .seas
            .iter()
            .filter(|(start, _)| *start <= now_ns)
            .cloned()
            .collect();
        let over = seas
            .iter()
            .rposition(|sea| done(sea) <= now_ns)
            .unwrap_or(0);
        seas.drain(..over);
        if now_ns == 0 {
            seas.clear();
        }
        if let Some(first) = seas.first_mut().filter(|first| done(first) <= now_ns) {
            first.0 = 0;
        }
        let start = seas.last().map_or(now_ns, |last| done(last).max(now_ns));
        seas.push((start, Arc::clone(next)));
        Self {
            seas,
            tide: self.tide.clone(),
            regions: self.regions.clone(),
        }
    }

    /// The latest sea alone, there from the beginning.
    pub fn settled(&self) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn sea(hs: f64) -> Waves {
        let asked = SeaState {
            spectrum: Spectrum::Bretschneider,
            hs,
            tp: 8.0,
            towards: Vec3::new(1.0, 0.0, 0.0),
            spreading: Spreading::None,
            components: 8,
            shortest: None,
            ramp: 10.0,
        };
        Waves::of(WaveField {
            asked,
            components: Components::default(),
            n: 0,
            depth: 50.0,
            reach: hs,
        })
    }

    #[test]
    fn growth_is_smooth_and_whole() {
        let growth = |t: f64| Waves::growth(1_000_000_000, 10.0, 1e9 + t);
        assert_eq!(
            [growth(-1.0), growth(0.0), growth(5e9), growth(1e10)],
            [0.0, 0.0, 0.5, 1.0]
        );
        assert_eq!(Waves::growth(0, 10.0, 0.0), 1.0, "there from the start");
        let rate = |t: f64| (growth(t + 1e3) - growth(t - 1e3)) / 2e3;
        assert!(rate(1e6).abs() < 1e-15 && rate(1e10 - 1e6).abs() < 1e-15);
    }

    #[test]
    fn at_most_three_seas_follow_one_another() {
        const S: u64 = 1_000_000_000;
        let hs = |w: &Waves| {
            w.seas
                .iter()
                .map(|(t, s)| (*t / S, s.asked.hs))
                .collect::<Vec<_>>()
        };
        let one = sea(1.0);
        let two = one.followed_by(&sea(2.0), 100 * S);
        assert_eq!(hs(&two), [(0, 1.0), (100, 2.0)]);
        assert_eq!(
            hs(&two.followed_by(&sea(2.0), 103 * S)),
            hs(&two),
            "asked for again"
        );
        let three = two.followed_by(&sea(3.0), 105 * S);
        assert_eq!(
            hs(&three),
            [(0, 1.0), (100, 2.0), (110, 3.0)],
            "waits for the growth under way"
        );
        let four = three.followed_by(&sea(4.0), 107 * S);
        assert_eq!(
            hs(&four),
            [(0, 1.0), (100, 2.0), (110, 4.0)],
            "who waited is forgotten"
        );
        let five = four.followed_by(&sea(5.0), 113 * S);
        assert_eq!(hs(&five), [(0, 2.0), (110, 4.0), (120, 5.0)]);
        let six = five.followed_by(&sea(6.0), 140 * S);
        assert_eq!(hs(&six), [(0, 5.0), (140, 6.0)], "what is over is dropped");
        assert_eq!(hs(&six.settled()), [(0, 6.0)]);
        assert_eq!(
            hs(&six.followed_by(&sea(7.0), 0)),
            [(0, 7.0)],
            "before the first step there is nothing to grow from"
        );
        let flat = Waves::default();
        assert_eq!(
            hs(&flat.followed_by(&sea(1.0), 9 * S)),
            [(9, 1.0)],
            "grows from flat water"
        );
        assert!(flat.followed_by(&sea(0.0), 9 * S).seas.is_empty());
    }
}

impl Components {
    /// Appends a wave of amplitude `a` [m], angular frequency `omega` [rad/s], `phase` [rad] and wave number `k` [rad/m]
    /// that travels along the unit vector `towards` (W), in `depth` [m] of water.
    pub fn push(&mut self, a: f64, omega: f64, phase: f64, k: f64, towards: Vec3, depth: f64) {
        // a sea that rises as one has no direction
        let d = if k > 0.0 { towards } else { Vec3::zero() };
        let q = if k > 0.0 {
            libm::exp(-2.0 * k * depth)
        } else {
            0.0
        };
        // too small to tell from nothing, and slow to reckon with
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

    /// A wave of no height, as short as the last.
    pub fn pad(&mut self) {
        let k = self.k.last().copied().unwrap_or(0.0);
        self.push(0.0, 0.0, 0.0, 0.0, Vec3::zero(), 1.0);
        if let Some(last) = self.k.last_mut() {
            *last = k;
        }
    }
}
