//! The waves at one instant: height and slope of the surface, motion and pressure of the water under it.
//!
//! # Law
//! A sum of small waves over level ground [Airy 1845; Fossen 2021, §10.2],
//!
//! ```text
//!   η = Σ a cos θ,  θ = k·x - ω t + φ                             (1)
//!   u = Σ a ω C/S cos θ d,  w = Σ a ω S'/S sin θ                  (2)
//!   u̇ = Σ a ω² C/S sin θ d,  ẇ = -Σ a ω² S'/S cos θ               (3)
//!   p = ρ g Σ a C/C₀ cos θ                                        (4)
//!   C = cosh k(z'+h), C₀ = cosh kh, S = sinh kh, S' = sinh k(z'+h)
//!   z' = (z - η) h/(h + η)                                        (5)  [Wheeler 1970]
//! ```
//! (5) stretches the water column to the surface as it is: so the pressure of the water at rest and (4) together are
//! nothing at the surface, however steep the sea, and short waves that ride on long ones do not grow in their crests.
//! Above the surface the motion is that at the surface, under the bottom that at the bottom.
//!
//! # Symbols
//! a amplitude · θ phase · k wave number, d direction of a component · h depth of the water at rest · ρ density.
//!
//! # Frames
//! World (ENU), z = 0 at the mean surface.
//!
//! # Limits
//! A region with a level or waves of its own ends at its edge as at a wall: neither slope nor pressure goes across. Which region counts is
//! asked for every place. First order in steepness: no Stokes drift of the mean flow, no bound waves, no breaking. (3) is the acceleration at a
//! place; what the wave's own motion adds is of second order. The bottom is level, as deep as at the origin. While one
//! sea gives way to another the energy may be less than that of either. The sea of the kind `kelpie` rises as one: its
//! water moves up and down, and (4) is what its height alone makes.
//!
//! # Checked by
//! test/analytic/waves.rs (V60-V64), test/identity/waves.rs, test/determinism/waves.rs

pub mod dispersion;
pub mod footprint;
pub mod kernel;
pub mod realise;
pub mod sea_state;
pub mod spectrum;
pub mod spreading;
pub mod tile;

use merrow_math::{Lanes, Packed, Vec3, f64x4};
use merrow_model::scene::sea::water::Region;
use merrow_model::scene::sea::waves::{WaveField, Waves};
use std::sync::Arc;

/// The surface at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Height [m].
    pub z: f64,
    /// Rise towards east and north [m/m].
    pub slope: [f64; 2],
}

impl Surface {
    /// Upward unit normal.
    pub fn normal(&self) -> Vec3 {
        let n = Vec3::new(-self.slope[0], -self.slope[1], 1.0);
        n.scale(1.0 / n.norm())
    }
}

/// The water at a point, waves alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbital {
    /// Velocity in W [m/s]. (2)
    pub velocity: Vec3,
    /// Acceleration in W [m/s²]. (3)
    pub acceleration: Vec3,
    /// Pressure over ρ g [m]. (4)
    pub head: f64,
}

/// One wave at a place and an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wave {
    /// Amplitude [m].
    pub a: f64,
    /// Angular frequency [rad/s].
    pub omega: f64,
    /// Direction's east component.
    pub dx: f64,
    /// Direction's north component.
    pub dy: f64,
    /// Cosine of its phase.
    pub cos: f64,
    /// Sine of its phase.
    pub sin: f64,
}

/// The height in water at rest of depth `h` [m] whose motion is that at height `z` [m] where the surface stands at `eta` [m]. (5)
#[inline(always)]
fn stretched<T: Packed>(h: f64, z: T, eta: T) -> T {
    let under = z - eta;
    let z = if h.is_finite() {
        under * (T::splat(h) / (eta + T::splat(h)).at_least(1e-3 * h))
    } else {
        under
    };
    z.at_least(-h).at_most(0.0)
}

/// One of the seas at an instant.
#[derive(Clone, Debug)]
struct Part {
    field: Arc<WaveField>,
    weight: f64,
    /// Phases at the origin at the instant, less whole turns [rad].
    phase: Vec<f64>,
    /// True for the level of the water, which rises as one.
    is_tide: bool,
}

impl Part {
    /// Factor on it in a region.
    #[inline(always)]
    fn share(&self, region: Option<&Region>) -> f64 {
        match region {
            None => self.weight,
            Some(region) if self.is_tide && region.level.is_some() => 0.0,
            Some(_) if self.is_tide => self.weight,
            Some(region) => self.weight * region.waves,
        }
    }
}

/// The waves at one instant, ready to be asked about any number of places.
#[derive(Clone, Debug)]
pub struct WavesNow {
    t_ns: f64,
    parts: Vec<Part>,
    regions: Option<Arc<[Region]>>,
    depth: f64,
    reach: f64,
    tidal: bool,
    wide: bool,
}

impl Default for WavesNow {
    fn default() -> Self {
        Self {
            t_ns: f64::NAN,
            parts: Vec::new(),
            regions: None,
            depth: f64::INFINITY,
            reach: 0.0,
            tidal: false,
            wide: f64x4::is_here(),
        }
    }
}

impl WavesNow {
    /// The waves at `t_ns` [ns].
    pub fn new(waves: &Waves, t_ns: f64) -> Self {
        let mut now = Self::default();
        now.set(waves, t_ns);
        now
    }

    /// As [`WavesNow::new`], with the instructions that every processor has.
    pub fn portable(waves: &Waves, t_ns: f64) -> Self {
        let mut now = Self {
            wide: false,
            ..Self::default()
        };
        now.set(waves, t_ns);
        now
    }

    /// Moves to `t_ns` [ns], with these waves; does nothing if it is there.
    pub fn set(&mut self, waves: &Waves, t_ns: f64) {
        let present = || waves.present(t_ns);
        let regions = match (&waves.regions, &self.regions) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        let same = regions
            && t_ns == self.t_ns
            && present().count() == self.parts.len()
            && present().zip(&self.parts).all(|((sea, weight), part)| {
                Arc::ptr_eq(sea, &part.field) && weight == part.weight
            });
        if same {
            return;
        }
        self.t_ns = t_ns;
        self.regions.clone_from(&waves.regions);
        self.parts.truncate(present().count());
        for (i, (sea, weight)) in present().enumerate() {
            if i == self.parts.len() {
                self.parts.push(Part {
                    field: Arc::clone(sea),
                    weight,
                    phase: Vec::new(),
                    is_tide: false,
                });
            }
            let part = &mut self.parts[i];
            part.field.clone_from(sea);
            part.weight = weight;
            part.is_tide = waves
                .tide
                .as_ref()
                .is_some_and(|tide| Arc::ptr_eq(tide, sea));
            part.phase.clear();
            let c = &sea.components;
            let t = t_ns * 1e-9;
            part.phase.extend(
                c.omega
                    .iter()
                    .zip(&c.phase)
                    .map(|(w, p)| crate::waves::kernel::reduce(p - w * t)),
            );
        }
        self.tidal = waves.tide.is_some() || self.regions.is_some();
        self.depth = waves
            .latest()
            .or(waves.tide.as_ref())
            .map_or(f64::INFINITY, |sea| sea.depth);
        self.reach = self
            .parts
            .iter()
            .map(|part| part.weight * part.field.reach)
            .sum();
        for region in self.regions.iter().flat_map(|all| all.iter()) {
            let parts = self
                .parts
                .iter()
                .map(|part| part.share(Some(region)) * part.field.reach);
            self.reach = self
                .reach
                .max(parts.sum::<f64>() + region.level.unwrap_or(0.0).abs());
        }
    }

    /// No crest is higher and no trough deeper at this instant [m].
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// Standard deviation of the slope of the open sea's surface, waves of all directions together.
    pub fn slope_std(&self) -> f64 {
        let of = |part: &Part| {
            let c = &part.field.components;
            let squares =
                c.a.iter()
                    .zip(&c.k)
                    .take(part.field.n)
                    .map(|(a, k)| (part.weight * a * k).powi(2));
            0.5 * squares.sum::<f64>()
        };
        self.parts.iter().map(of).sum::<f64>().sqrt()
    }

    /// Standard deviation of the height of the open sea's surface about its level, which a tide may lift [m].
    pub fn height_std(&self) -> f64 {
        let of = |part: &Part| {
            let all = part.field.components.a.iter().take(part.field.n);
            0.5 * all
                .map(|a| part.weight * a * (part.weight * a))
                .sum::<f64>()
        };
        self.parts
            .iter()
            .filter(|part| !part.is_tide)
            .map(of)
            .sum::<f64>()
            .sqrt()
    }

    /// True if a tide or a region lifts the mean surface.
    pub fn is_tidal(&self) -> bool {
        self.tidal
    }

    /// The region at (x, y), where any has a surface of its own.
    #[inline(always)]
    fn region(&self, x: f64, y: f64) -> Option<&Region> {
        self.regions
            .as_ref()?
            .iter()
            .find(|region| region.holds(x, y))
    }

    /// Height of the surface at (x, y) [m]. (1)
    pub fn elevation(&self, x: f64, y: f64) -> f64 {
        self.surface(x, y).z
    }

    /// Height of the surface at many points [m]: cheaper by the point than one after the other. The last bits may differ
    /// from [`WavesNow::elevation`]'s, which sums in another order.
    pub fn elevations(&self, x: &[f64], y: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for part in self.summed() {
            #[cfg(target_arch = "x86_64")]
            if self.wide {
                // SAFETY: the processor has these instructions, as `default` has seen
                unsafe { wide::elevations(part, x, y, out) };
                continue;
            }
            crate::waves::kernel::elevations::<Lanes>(
                &part.field.components,
                &part.phase,
                part.weight,
                x,
                y,
                out,
            );
        }
        self.localise(x, y, out);
    }

    /// Height of the surface [m] at the points of a lattice, row by row: columns at the places `x`, a multiple of four of them, rows at the
    /// places `y`. Waves shorter than `least` [m] are left out.
    pub fn lattice(&self, x: &[f64], y: &[f64], least: f64, out: &mut [f64]) {
        out.fill(0.0);
        let most = std::f64::consts::TAU / least.max(1e-9);
        for part in self.summed() {
            #[cfg(target_arch = "x86_64")]
            if self.wide {
                // SAFETY: the processor has these instructions, as `default` has seen
                unsafe { wide::lattice(part, most, [x, y], out) };
                continue;
            }
            let c = &part.field.components;
            crate::waves::kernel::lattice::<Lanes>(c, &part.phase, part.weight, most, [x, y], out);
        }
        for (row, y) in out.chunks_exact_mut(x.len().max(1)).zip(y) {
            self.localise(x, std::iter::repeat(y), row);
        }
    }

    /// What the waves add to the pressure at many points, over ρ g [m]. `z` are heights [m] and `eta` those of the surface
    /// over the points; `z` holds the stretched heights afterwards. (4), (5)
    pub fn heads(&self, x: &[f64], y: &[f64], z: &mut [f64], eta: &[f64], out: &mut [f64]) {
        for (z, eta) in z.iter_mut().zip(eta) {
            *z = stretched(self.depth, *z, *eta);
        }
        out.fill(0.0);
        for part in self.summed() {
            #[cfg(target_arch = "x86_64")]
            if self.wide {
                // SAFETY: as in `elevations`
                unsafe { wide::heads(part, [x, y, z], out) };
                continue;
            }
            crate::waves::kernel::heads::<Lanes>(
                &part.field.components,
                &part.phase,
                part.weight,
                [x, y, z],
                out,
            );
        }
        self.localise(x, y, out);
    }

    /// What sums over many points go over: where regions tell, all but the level.
    fn summed(&self) -> impl Iterator<Item = &Part> {
        let local = self.regions.is_some();
        self.parts
            .iter()
            .filter(move |part| !(local && part.is_tide))
    }

    /// Gives waves' heights, or heads, at many points what the regions there make of them; a level's head is its height at any depth.
    fn localise<'a>(&self, x: &[f64], y: impl IntoIterator<Item = &'a f64>, out: &mut [f64]) {
        if self.regions.is_none() {
            return;
        }
        let tides = self.parts.iter().filter(|part| part.is_tide);
        let tide: f64 = tides
            .map(|part| part.weight * self.surface_of(part, 0.0, 0.0)[0])
            .sum();
        for ((x, y), out) in x.iter().zip(y).zip(out) {
            *out = self
                .region(*x, *y)
                .map_or(*out + tide, |region| region.over(*out, tide));
        }
    }

    /// Every wave at (x, y) [m].
    pub fn each(&self, x: f64, y: f64, mut visit: impl FnMut(Wave)) {
        let region = self.region(x, y);
        for part in &self.parts {
            let share = part.share(region);
            let c = &part.field.components;
            for (i, phase) in part.phase.iter().enumerate().take(part.field.n) {
                let (cos, sin) = crate::waves::kernel::cos_sin(phase + c.kx[i] * x + c.ky[i] * y);
                let (a, omega) = (share * c.a[i], c.omega[i]);
                visit(Wave {
                    a,
                    omega,
                    dx: c.dx[i],
                    dy: c.dy[i],
                    cos,
                    sin,
                });
            }
        }
    }

    /// True if some wave is felt at depth `d` [m]: not as small as rounding.
    pub fn is_felt_at(&self, d: f64) -> bool {
        // longest waves first
        self.regions.is_some()
            || self.parts.iter().any(|part| {
                part.field
                    .components
                    .k
                    .first()
                    .is_some_and(|k| k * d < 40.0)
            })
    }

    /// Height and slope of the surface at (x, y) [m]. (1)
    pub fn surface(&self, x: f64, y: f64) -> Surface {
        let region = self.region(x, y);
        let mut sum = [
            region.and_then(|region| region.level).unwrap_or(0.0),
            0.0,
            0.0,
        ];
        for part in &self.parts {
            let (one, share) = (self.surface_of(part, x, y), part.share(region));
            sum.iter_mut()
                .zip(one)
                .for_each(|(sum, one)| *sum += share * one);
        }
        Surface {
            z: sum[0],
            slope: [sum[1], sum[2]],
        }
    }

    #[inline(always)]
    fn surface_of(&self, part: &Part, x: f64, y: f64) -> [f64; 3] {
        #[cfg(target_arch = "x86_64")]
        if self.wide {
            // SAFETY: as in `elevations`
            return unsafe { wide::surface(part, x, y) };
        }
        crate::waves::kernel::surface::<Lanes>(&part.field.components, &part.phase, x, y)
    }

    /// The water at `p` [m] where the surface above or below it stands at `eta` [m]. (2)-(5)
    pub fn orbital(&self, p: Vec3, eta: f64) -> Orbital {
        let z = stretched(self.depth, p.z, eta);
        let region = self.region(p.x, p.y);
        let mut sum = [0.0; 7];
        for part in &self.parts {
            let (one, share) = (self.orbital_of(part, p, z), part.share(region));
            sum.iter_mut()
                .zip(one)
                .for_each(|(sum, one)| *sum += share * one);
        }
        let [u, v, w, ax, ay, az, head] = sum;
        let head = region
            .and_then(|region| region.level)
            .map_or(head, |level| head + level);
        Orbital {
            velocity: Vec3::new(u, v, w),
            acceleration: Vec3::new(ax, ay, az),
            head,
        }
    }

    #[inline(always)]
    fn orbital_of(&self, part: &Part, p: Vec3, z: f64) -> [f64; 7] {
        #[cfg(target_arch = "x86_64")]
        if self.wide {
            // SAFETY: as in `elevations`
            return unsafe { wide::orbital(part, p.x, p.y, z) };
        }
        crate::waves::kernel::orbital::<Lanes>(&part.field.components, &part.phase, p.x, p.y, z)
    }

    /// Surface and water at `p` [m].
    pub fn at(&self, p: Vec3) -> (Surface, Orbital) {
        let surface = self.surface(p.x, p.y);
        (surface, self.orbital(p, surface.z))
    }
}

/// The same loops for processors that have wider registers; never fused, so the same bits.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Part, kernel};
    use merrow_math::Quad;

    #[target_feature(enable = "avx2")]
    pub fn elevations(part: &Part, x: &[f64], y: &[f64], out: &mut [f64]) {
        kernel::elevations::<Quad>(&part.field.components, &part.phase, part.weight, x, y, out);
    }

    #[target_feature(enable = "avx2")]
    pub fn lattice(part: &Part, most: f64, at: [&[f64]; 2], out: &mut [f64]) {
        kernel::lattice::<Quad>(
            &part.field.components,
            &part.phase,
            part.weight,
            most,
            at,
            out,
        );
    }

    #[target_feature(enable = "avx2")]
    pub fn heads(part: &Part, at: [&[f64]; 3], out: &mut [f64]) {
        kernel::heads::<Quad>(&part.field.components, &part.phase, part.weight, at, out);
    }

    #[target_feature(enable = "avx2")]
    pub fn surface(part: &Part, x: f64, y: f64) -> [f64; 3] {
        kernel::surface::<Quad>(&part.field.components, &part.phase, x, y)
    }

    #[target_feature(enable = "avx2")]
    pub fn orbital(part: &Part, x: f64, y: f64, z: f64) -> [f64; 7] {
        kernel::orbital::<Quad>(&part.field.components, &part.phase, x, y, z)
    }
}

/// The waves at the start, the middle and the end of a step; where a step begins at the end of the one before, that is
/// kept.
#[derive(Clone, Debug, Default)]
pub struct StepWaves {
    at: [WavesNow; 3],
}

impl StepWaves {
    /// Those of the step of `dt_ns` from `now_ns`; nothing if the water is flat.
    #[inline(always)]
    pub fn over(&mut self, waves: &Waves, now_ns: u64, dt_ns: u64) -> [Option<&WavesNow>; 3] {
        if waves.seas.is_empty() && waves.tide.is_none() && waves.regions.is_none() {
            [None; 3]
        } else {
            self.over_waves(waves, now_ns, dt_ns)
        }
    }

    #[inline(never)]
    fn over_waves(&mut self, waves: &Waves, now_ns: u64, dt_ns: u64) -> [Option<&WavesNow>; 3] {
        if waves.is_flat() {
            return [None; 3];
        }
        if self.at[2].t_ns == now_ns as f64 {
            self.at.swap(0, 2);
        }
        for (k, now) in self.at.iter_mut().enumerate() {
            now.set(waves, now_ns as f64 + 0.5 * k as f64 * dt_ns as f64);
        }
        let [a, b, c] = &self.at;
        [Some(a), Some(b), Some(c)]
    }

    /// Those at `now_ns` alone.
    pub fn start(&mut self, waves: &Waves, now_ns: u64) -> Option<&WavesNow> {
        if waves.is_flat() {
            return None;
        }
        if self.at[2].t_ns == now_ns as f64 {
            self.at.swap(0, 2);
        }
        self.at[0].set(waves, now_ns as f64);
        Some(&self.at[0])
    }
}
