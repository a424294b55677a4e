//! Waves at one instant: height and slope of the surface, motion and pressure of the water below
//! it.
//!
//! # Law
//! Sum of small waves over a level seabed [Airy 1845; Fossen 2021, §10.2],
//!
//! ```text
//!   η = Σ a cos θ,  θ = k·x - ω t + φ                             (1)
//!   u = Σ a ω C/S cos θ d,  w = Σ a ω S'/S sin θ                  (2)
//!   u̇ = Σ a ω² C/S sin θ d,  ẇ = -Σ a ω² S'/S cos θ               (3)
//!   p = ρ g Σ a C/C₀ cos θ                                        (4)
//!   C = cosh k(z'+h), C₀ = cosh kh, S = sinh kh, S' = sinh k(z'+h)
//!   z' = (z - η) h/(h + η)                                        (5)  [Wheeler 1970]
//!   u_d = Σ ½ a² k ω S'/S (1 + z'/h) d                            (6)
//!   Du/Dt = u̇ + ∇'u (U_x, U_y, ż'),  U = u + u_c                  (7)
//!   ż' = c (U_z - b (∂η/∂t + U·∇η)),  c = h/(h+η), b = (h+z)/(h+η)  (8)
//!   -∇p/ρ = u̇ + (c - 1) ẇ ẑ - c b ẇ ∇η                            (9)  from (4), (5)
//! ```
//! (5) stretches the water column to the instantaneous surface. The sum of hydrostatic pressure and
//! (4) is therefore zero at the surface, however steep the sea, and short waves on top of long
//! waves do not grow in the crests. Above the surface the motion at the surface applies; below the
//! seabed the motion at the seabed applies.
//!
//! At a fixed place the stretched velocity (2) has a mean of -u_d. The velocity is therefore (2)
//! plus (6), and its mean at a fixed place is zero up to second order in steepness. Water particles
//! move with the Stokes drift Σ a² k ω cosh 2k(z+h)/(2 S²) d [Stokes 1847].
//!
//! (7) is the acceleration of the water particle in waves and current together: (8) is the rate of
//! z' of the particle. Its mean is the mean of ∂(w²)/∂z: k a² ω² exp(2kz) upwards in deep water.
//!
//! # Symbols
//! a amplitude · θ phase · k wave number, d direction of a component · h depth of the water at rest
//! · ρ density · u_c current · ∇' derivatives with respect to x, y and z'.
//!
//! # Frames
//! World (ENU), z = 0 at the mean surface.
//!
//! # Limits
//! A region with its own level or waves ends at its edge as at a wall: neither slope nor pressure
//! is continuous across it. The region is looked up for every position. The waves are of first
//! order in steepness: no bound waves, no breaking, no return flow below the Stokes drift. (7)
//! contains all products of first-order terms; it neglects the derivatives of (6), which are of
//! third order. The mean of (4) under (5) is -ρ/2 Σ a² ω² S'/S (1 + z'/h) instead of the
//! second-order mean -ρ/2 Σ a² ω² (S'/S)². The current does not change the dispersion. The seabed
//! is level, with the depth at the origin. During a transition between two seas the energy may be
//! lower than the value of either. The sea of the kind `kelpie` rises uniformly: its water moves
//! vertically, and (4) follows from only its height.
//!
//! # Checked by
//! test/analytic/environment/waves.rs, test/identity/waves.rs, test/determinism/worlds/waves.rs;
//! V60-V64

pub mod dispersion;
pub mod footprint;
pub mod kernel;
mod point;
pub mod realise;
pub mod sea_state;
pub mod spectrum;
pub mod spreading;
pub mod tile;

use merrow_math::{Mat3, Packed, Vec3, f64x4, with_lanes};
use merrow_model::scene::sea::water::Region;
use merrow_model::scene::sea::waves::{Components, WaveField, Waves};
use std::sync::Arc;

/// Water surface at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Height over z = 0, W [m].
    pub z: f64,
    /// Slope towards east and north [m/m].
    pub slope: [f64; 2],
}

impl Surface {
    /// Returns the upward unit normal of the surface, in W.
    pub fn normal(&self) -> Vec3 {
        let n = Vec3::new(-self.slope[0], -self.slope[1], 1.0);
        n.scale(1.0 / n.norm())
    }
}

/// Wave-induced motion of the water at a point, without current.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrbitalMotion {
    /// Velocity in W [m/s]. (2), (6)
    pub velocity: Vec3,
    /// Acceleration at a fixed stretched position, in W [m/s²]. (3)
    pub local_acceleration: Vec3,
    /// Pressure divided by ρ g [m]. (4)
    pub head: f64,
    /// Derivatives of (2) with respect to x, y and z' [1/s]; row i is the gradient of component i.
    pub gradient: Mat3,
    /// Vertical speed of the surface at a fixed place, ∂η/∂t [m/s].
    pub(crate) surface_rate: f64,
    /// Factors c and b of (8); zero above the surface and below the seabed.
    pub stretch: [f64; 2],
}

impl OrbitalMotion {
    /// Returns the acceleration Du/Dt [m/s²], W, of the particle in these waves and a current of
    /// velocity `current` [m/s], W, less the acceleration of only the current. `slope` is the slope
    /// of the surface. (7), (8)
    ///
    /// The function omits the change of the current along the orbit, `∇u_c u`.
    pub fn acceleration(&self, slope: [f64; 2], current: Vec3) -> Vec3 {
        let U = self.velocity + current;
        let [c, b] = self.stretch;
        let rise = self.surface_rate + U.x * slope[0] + U.y * slope[1];
        let relative_velocity = Vec3::new(U.x, U.y, c * (U.z - b * rise));
        self.local_acceleration + self.gradient.mul_vec(relative_velocity)
    }

    /// Returns the acceleration that the pressure (4) gives the water [m/s²], W. (9)
    pub fn pressure_acceleration(&self, slope: [f64; 2]) -> Vec3 {
        let [c, b] = self.stretch;
        let a = self.local_acceleration;
        let tilt = -c * b * a.z;
        Vec3::new(a.x + tilt * slope[0], a.y + tilt * slope[1], c * a.z)
    }
}

/// One wave component at a position and an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaveSample {
    /// Amplitude of the wave [m].
    pub a: f64,
    /// Angular frequency of the wave [rad/s].
    pub omega: f64,
    /// East component of the unit direction.
    pub dx: f64,
    /// North component of the unit direction.
    pub dy: f64,
    /// Cosine of the phase.
    pub cos: f64,
    /// Sine of the phase.
    pub sin: f64,
}

/// Returns the height in water at rest of depth `h` [m] with the motion at height `z` [m] under a
/// surface elevation `eta` [m]. (5)
#[inline(always)]
fn stretched_height<T: Packed>(h: f64, z: T, eta: T) -> T {
    let relative_height = z - eta;
    let z = if h.is_finite() {
        relative_height * (T::splat(h) / (eta + T::splat(h)).lane_max(1e-3 * h))
    } else {
        relative_height
    };
    z.lane_max(-h).lane_min(0.0)
}

/// One of the superposed seas at an instant.
#[derive(Clone, Debug)]
struct SeaAtInstant {
    field: Arc<WaveField>,
    weight: f64,
    /// Phases at the origin at this instant, reduced by whole turns [rad].
    phase: Vec<f64>,
    /// True for the water level (tide), which rises uniformly.
    is_tide: bool,
}

impl SeaAtInstant {
    /// Returns the components, their phases [rad] and the weight of the sea.
    #[inline(always)]
    fn parts(&self) -> (&Components, &[f64], f64) {
        (&self.field.components, &self.phase, self.weight)
    }

    /// Returns the factor on this sea in a region.
    #[inline(always)]
    fn region_factor(&self, region: Option<&Region>) -> f64 {
        match region {
            None => self.weight,
            Some(region) if self.is_tide && region.level_m.is_some() => 0.0,
            Some(_) if self.is_tide => self.weight,
            Some(region) => self.weight * region.wave_factor,
        }
    }
}

/// Largest difference of the components of unit directions that count as equal.
const SAME_DIRECTION: f64 = 1e-9;

/// Waves at one instant, prepared for queries at any number of positions.
#[derive(Clone, Debug)]
pub struct WaveState {
    t_ns: f64,
    parts: Vec<SeaAtInstant>,
    regions: Option<Arc<[Region]>>,
    depth: f64,
    max_height: f64,
    changes_mean_level: bool,
    use_avx2: bool,
}

impl Default for WaveState {
    fn default() -> Self {
        Self {
            t_ns: f64::NAN,
            parts: Vec::new(),
            regions: None,
            depth: f64::INFINITY,
            max_height: 0.0,
            changes_mean_level: false,
            use_avx2: f64x4::is_supported(),
        }
    }
}

impl WaveState {
    /// Creates the waves at `t_ns` [ns].
    pub fn new(waves: &Waves, t_ns: f64) -> Self {
        let mut state = Self::default();
        state.update(waves, t_ns);
        state
    }

    /// Creates the waves at `t_ns` [ns] without AVX2, with results identical to [`WaveState::new`].
    pub fn portable(waves: &Waves, t_ns: f64) -> Self {
        let mut state = Self {
            use_avx2: false,
            ..Self::default()
        };
        state.update(waves, t_ns);
        state
    }

    /// Updates to `t_ns` [ns] with these waves. Returns immediately if the state is already
    /// current.
    pub fn update(&mut self, waves: &Waves, t_ns: f64) {
        let present = || waves.active_fields(t_ns);
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
                self.parts.push(SeaAtInstant {
                    field: Arc::clone(sea),
                    weight,
                    phase: Vec::new(),
                    is_tide: false,
                });
            }
            let part = &mut self.parts[i];
            part.field.clone_from(sea);
            part.weight = weight;
            part.is_tide = is_tide(waves, sea);
            set_phases(&mut part.phase, &sea.components, t_ns);
        }
        self.changes_mean_level = waves.tide.is_some() || self.regions.is_some();
        // a sea that rises as one has the same motion at every depth: no stretching
        self.depth = waves
            .latest()
            .filter(|sea| sea.components.k.first().is_some_and(|k| *k > 0.0))
            .map_or(f64::INFINITY, |sea| sea.depth);
        self.max_height = self
            .parts
            .iter()
            .map(|part| part.weight * part.field.max_elevation)
            .sum();
        for region in self.regions.iter().flat_map(|all| all.iter()) {
            let parts = self
                .parts
                .iter()
                .map(|part| part.region_factor(Some(region)) * part.field.max_elevation);
            self.max_height = self
                .max_height
                .max(parts.sum::<f64>() + region.level_m.unwrap_or(0.0).abs());
        }
    }

    /// Returns the bound [m] on the height of every crest and the depth of every trough at this
    /// instant.
    #[inline]
    pub fn max_height(&self) -> f64 {
        self.max_height
    }

    /// Returns the standard deviation of the slope of the open sea's surface, for waves of all
    /// directions together.
    pub(crate) fn slope_std(&self) -> f64 {
        let variance = |part: &SeaAtInstant| {
            let c = &part.field.components;
            let squares =
                c.a.iter()
                    .zip(&c.k)
                    .take(part.field.n)
                    .map(|(a, k)| (part.weight * a * k).powi(2));
            0.5 * squares.sum::<f64>()
        };
        self.parts.iter().map(variance).sum::<f64>().sqrt()
    }

    /// Returns the standard deviation of the height of the open sea's surface about the mean level,
    /// without tide [m].
    pub fn height_std(&self) -> f64 {
        let variance = |part: &SeaAtInstant| {
            let all = part.field.components.a.iter().take(part.field.n);
            0.5 * all
                .map(|a| part.weight * a * (part.weight * a))
                .sum::<f64>()
        };
        self.parts
            .iter()
            .filter(|part| !part.is_tide)
            .map(variance)
            .sum::<f64>()
            .sqrt()
    }

    /// Returns true if a tide or a region changes the mean surface.
    pub(crate) fn changes_mean_level(&self) -> bool {
        self.changes_mean_level
    }

    /// Returns the region at (x, y), if any region has its own surface.
    #[inline(always)]
    fn region(&self, x: f64, y: f64) -> Option<&Region> {
        self.regions
            .as_ref()?
            .iter()
            .find(|region| region.contains(x, y))
    }

    /// Returns the height of the surface [m], W, at (x, y) [m]. (1)
    pub fn elevation(&self, x: f64, y: f64) -> f64 {
        self.surface(x, y).z
    }

    /// Writes the height of the surface [m], W, at many points (x, y) [m] to `out`; cheaper per
    /// point than single queries.
    ///
    /// The slices have the same length. The last bits may differ from [`WaveState::elevation`],
    /// which adds in another order.
    pub fn elevations(&self, x: &[f64], y: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for part in self.summed_seas() {
            add_elevations(self.use_avx2, part, x, y, out);
        }
        self.apply_regions(x, y, out);
    }

    /// Writes the height of the surface [m], W, at the points of a lattice to `out`, row by row.
    ///
    /// `x` are the positions of the columns [m], a multiple of four of them; `y` are the positions
    /// of the rows [m]. Waves shorter than `min_wavelength` [m] are omitted.
    pub fn lattice_elevations(&self, x: &[f64], y: &[f64], min_wavelength: f64, out: &mut [f64]) {
        out.fill(0.0);
        let max_wave_number = std::f64::consts::TAU / min_wavelength.max(1e-9);
        for part in self.summed_seas() {
            add_lattice_elevations(self.use_avx2, part, max_wave_number, [x, y], out);
        }
        for (row, y) in out.chunks_exact_mut(x.len().max(1)).zip(y) {
            self.apply_regions(x, std::iter::repeat(y), row);
        }
    }

    /// Writes the wave contribution to the pressure, divided by ρ g [m], at many points to `out`.
    /// (4), (5)
    ///
    /// `z` are heights [m] and `eta` the surface heights [m] at the points (x, y) [m]. On return
    /// `z` holds the stretched heights.
    pub fn pressure_heads(
        &self,
        x: &[f64],
        y: &[f64],
        z: &mut [f64],
        eta: &[f64],
        out: &mut [f64],
    ) {
        for (z, eta) in z.iter_mut().zip(eta) {
            *z = stretched_height(self.depth, *z, *eta);
        }
        out.fill(0.0);
        for part in self.summed_seas() {
            add_pressure_heads(self.use_avx2, part, [x, y, z], out);
        }
        self.apply_regions(x, y, out);
    }

    /// Returns the seas that are added at many points: all but the tide if there are regions.
    fn summed_seas(&self) -> impl Iterator<Item = &SeaAtInstant> {
        let local = self.regions.is_some();
        self.parts
            .iter()
            .filter(move |part| !(local && part.is_tide))
    }

    /// Applies regional levels and wave factors to wave heights, or pressure heads, at many points.
    ///
    /// The head of a level is its height at any depth.
    fn apply_regions<'a>(&self, x: &[f64], y: impl IntoIterator<Item = &'a f64>, out: &mut [f64]) {
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
                .map_or(*out + tide, |region| region.surface_height(*out, tide));
        }
    }

    /// Calls `visit` for every wave component at (x, y) [m], W.
    pub fn visit_waves(&self, x: f64, y: f64, mut visit: impl FnMut(WaveSample)) {
        let region = self.region(x, y);
        for part in &self.parts {
            let factor = part.region_factor(region);
            let c = &part.field.components;
            for (i, phase) in part.phase.iter().enumerate().take(part.field.n) {
                let (cos, sin) = kernel::cos_sin(phase + c.kx[i] * x + c.ky[i] * y);
                let (a, omega) = (factor * c.a[i], c.omega[i]);
                visit(WaveSample {
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

    /// Returns the unit direction [east, north] in which all waves travel, or `None` if they travel
    /// in more than one.
    pub fn common_direction(&self) -> Option<[f64; 2]> {
        let mut all = self
            .parts
            .iter()
            .filter(|part| !part.is_tide)
            .flat_map(|part| {
                let c = &part.field.components;
                c.dx.iter().zip(&c.dy).take(part.field.n)
            });
        let (dx, dy) = all.next()?;
        all.all(|(x, y)| (x - dx).abs() < SAME_DIRECTION && (y - dy).abs() < SAME_DIRECTION)
            .then_some([*dx, *dy])
    }

    /// Returns true if some wave has an effect above rounding at depth `d` [m].
    pub fn has_effect_at_depth(&self, d: f64) -> bool {
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
}

/// Returns true if `sea` is the tide of `waves`.
fn is_tide(waves: &Waves, sea: &Arc<WaveField>) -> bool {
    let tide = waves.tide.as_ref();
    tide.is_some_and(|tide| Arc::ptr_eq(tide, sea))
}

/// Sets `phase` to the phases at the origin [rad] of the components `c` at `t_ns` [ns].
fn set_phases(phase: &mut Vec<f64>, c: &Components, t_ns: f64) {
    let t = t_ns * 1e-9;
    let components = c.omega.iter().zip(&c.phase);
    phase.clear();
    phase.extend(components.map(|(w, p)| kernel::reduce_angle(p - w * t)));
}

/// Returns the height of the tide [m], W, at `t` [s]; zero without a tide.
pub fn tide_level(waves: &Waves, t: f64) -> f64 {
    let level = |tide: &Arc<WaveField>| {
        let c = &tide.components;
        let terms = c.a.iter().zip(&c.omega).zip(&c.phase).take(tide.n);
        terms
            .map(|((a, omega), phase)| {
                let (cos, _) = kernel::cos_sin(kernel::reduce_angle(phase - omega * t));
                a * cos
            })
            .sum()
    };
    waves.tide.as_ref().map_or(0.0, level)
}

with_lanes! {
    "avx2",
    fn add_elevations(sea: &SeaAtInstant, x: &[f64], y: &[f64], out: &mut [f64])
        = kernel::add_elevations
}
with_lanes! {
    "avx2",
    fn add_lattice_elevations(
        sea: &SeaAtInstant,
        max_wave_number: f64,
        points: [&[f64]; 2],
        out: &mut [f64],
    ) = kernel::add_lattice_elevations
}
with_lanes! {
    "avx2",
    fn add_pressure_heads(sea: &SeaAtInstant, points: [&[f64]; 3], out: &mut [f64])
        = kernel::add_pressure_heads
}

/// Waves at the start, the midpoint and the end of a step. The end of a step is reused as the start
/// of the next.
#[derive(Clone, Debug, Default)]
pub struct StepWaves {
    states: [WaveState; 3],
}

impl StepWaves {
    /// Returns the waves of the step of length `dt_ns` [ns] from `now_ns` [ns]; `None` if the water
    /// is flat.
    #[inline(always)]
    pub fn for_step(&mut self, waves: &Waves, now_ns: u64, dt_ns: u64) -> [Option<&WaveState>; 3] {
        if waves.seas.is_empty() && waves.tide.is_none() && waves.regions.is_none() {
            [None; 3]
        } else {
            self.update_for_step(waves, now_ns, dt_ns)
        }
    }

    #[inline(never)]
    fn update_for_step(
        &mut self,
        waves: &Waves,
        now_ns: u64,
        dt_ns: u64,
    ) -> [Option<&WaveState>; 3] {
        if self.at_start(waves, now_ns).is_none() {
            return [None; 3];
        }
        for (k, state) in self.states.iter_mut().enumerate().skip(1) {
            state.update(waves, now_ns as f64 + 0.5 * k as f64 * dt_ns as f64);
        }
        let [a, b, c] = &self.states;
        [Some(a), Some(b), Some(c)]
    }

    /// Returns the waves at `now_ns` [ns] only.
    pub fn at_start(&mut self, waves: &Waves, now_ns: u64) -> Option<&WaveState> {
        if waves.is_flat() {
            return None;
        }
        if self.states[2].t_ns == now_ns as f64 {
            self.states.swap(0, 2);
        }
        self.states[0].update(waves, now_ns as f64);
        Some(&self.states[0])
    }
}
