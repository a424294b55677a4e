//! Surface and wave motion at one point, equations (1) to (8) of the parent module.

use crate::waves::kernel::{self, Phasors};
use crate::waves::{OrbitalMotion, SeaAtInstant, Surface, WaveState, stretched_height};
use merrow_math::{Mat3, Vec3, with_lanes};
use merrow_model::scene::sea::waves::{Components, LANES};
use std::cell::RefCell;

impl WaveState {
    /// Returns the height [m] and slope of the surface at (x, y) [m]. (1)
    pub fn surface(&self, x: f64, y: f64) -> Surface {
        self.sum_surface(x, y, |part| self.surface_of(part, x, y))
    }

    /// Sums the contributions of all parts to height and slope at (x, y) [m].
    #[inline(always)]
    fn sum_surface(
        &self,
        x: f64,
        y: f64,
        mut contribution: impl FnMut(&SeaAtInstant) -> [f64; 3],
    ) -> Surface {
        let region = self.region(x, y);
        let mut sum = [
            region.and_then(|region| region.level_m).unwrap_or(0.0),
            0.0,
            0.0,
        ];
        for part in &self.parts {
            let (contribution, factor) = (contribution(part), part.region_factor(region));
            sum.iter_mut()
                .zip(contribution)
                .for_each(|(sum, contribution)| *sum += factor * contribution);
        }
        Surface {
            z: sum[0],
            slope: [sum[1], sum[2]],
        }
    }

    #[inline(always)]
    pub(super) fn surface_of(&self, part: &SeaAtInstant, x: f64, y: f64) -> [f64; 3] {
        let c = &part.field.components;
        surface(self.use_avx2, c, &part.phase, x, y, &mut [])
    }

    /// Returns the same as [`WaveState::surface_of`], and keeps the phasors for
    /// [`WaveState::orbital_of_kept`].
    #[inline(always)]
    fn surface_of_kept(
        &self,
        part: &SeaAtInstant,
        [x, y]: [f64; 2],
        phasors: &mut [Phasors],
    ) -> [f64; 3] {
        let c = &part.field.components;
        surface_kept(self.use_avx2, c, &part.phase, x, y, phasors)
    }

    /// Returns the wave motion at `p` [m], W, below or above a surface of height `eta` [m]. (2)-(6)
    pub fn orbital_motion(&self, p: Vec3, eta: f64) -> OrbitalMotion {
        self.sum_orbital_motion(p, eta, |part, z| self.orbital_of(part, p, z))
    }

    /// Sums the contributions of all parts to the motion at `p` [m], W.
    #[inline(always)]
    fn sum_orbital_motion(
        &self,
        p: Vec3,
        eta: f64,
        mut contribution: impl FnMut(&SeaAtInstant, f64) -> [f64; kernel::ORBITAL_RESULTS],
    ) -> OrbitalMotion {
        let z = stretched_height(self.depth, p.z, eta);
        let region = self.region(p.x, p.y);
        let mut sum = [0.0; kernel::ORBITAL_RESULTS];
        let mut drift = Vec3::zero();
        for part in &self.parts {
            let (contribution, factor) = (contribution(part, z), part.region_factor(region));
            sum.iter_mut()
                .zip(contribution)
                .for_each(|(sum, contribution)| *sum += factor * contribution);
            drift += Vec3::new(contribution[13], contribution[14], 0.0).scale(factor * factor);
        }
        let [u, v, w, ax, ay, az, head, surface_rate, ..] = sum;
        let [.., xx, xy, yy, xz, yz, _, _] = sum;
        let head = region
            .and_then(|region| region.level_m)
            .map_or(head, |level| head + level);
        let (gradient_x, gradient_y) = (Vec3::new(-xx, -xy, xz), Vec3::new(-xy, -yy, yz));
        OrbitalMotion {
            velocity: Vec3::new(u, v, w) + drift.scale(1.0 + z / self.depth),
            local_acceleration: Vec3::new(ax, ay, az),
            head,
            gradient: Mat3::from_rows(gradient_x, gradient_y, Vec3::new(xz, yz, xx + yy)),
            surface_rate,
            stretch: self.stretch(p.z, eta),
        }
    }

    /// Returns the factors c and b of (8) at height `z` [m] under a surface of height `eta` [m].
    #[inline(always)]
    fn stretch(&self, z: f64, eta: f64) -> [f64; 2] {
        if z > eta || z < -self.depth {
            return [0.0; 2]; // the motion at the surface or at the seabed applies
        }
        if self.depth == f64::INFINITY {
            return [1.0; 2];
        }
        let column = (self.depth + eta).max(1e-3 * self.depth);
        [self.depth / column, (self.depth + z) / column]
    }

    #[inline(always)]
    fn orbital_of(&self, part: &SeaAtInstant, p: Vec3, z: f64) -> [f64; kernel::ORBITAL_RESULTS] {
        orbital(self.use_avx2, part, [p.x, p.y, z], self.depth, &[])
    }

    /// Returns the same as [`WaveState::orbital_of`], with the phasors that the surface has left.
    #[inline(always)]
    fn orbital_of_kept(
        &self,
        part: &SeaAtInstant,
        place: [f64; 3],
        phasors: &[Phasors],
    ) -> [f64; kernel::ORBITAL_RESULTS] {
        orbital_kept(self.use_avx2, part, place, self.depth, phasors)
    }

    /// Returns the surface and wave motion at `p` [m], W.
    pub fn surface_and_motion(&self, p: Vec3) -> (Surface, OrbitalMotion) {
        self.with_vertical(p.x, p.y, |vertical| {
            (vertical.surface, vertical.orbital_motion(p.z))
        })
    }

    /// Allocates the memory of [`Self::with_vertical`] on the current thread.
    pub(crate) fn reserve_phasors(&self) {
        PHASORS.with_borrow_mut(|phasors| self.reserve(phasors));
    }

    fn reserve(&self, phasors: &mut Vec<Phasors>) {
        let count = self.parts.iter().map(group_count).sum();
        if phasors.len() < count {
            phasors.resize(count, Phasors::default());
        }
    }

    /// Calls `evaluate` with the vertical line through (x, y) [m]. The wave motion on this line
    /// uses the cosines and sines of its surface.
    pub(crate) fn with_vertical<R>(
        &self,
        x: f64,
        y: f64,
        evaluate: impl FnOnce(&WaveVertical<'_>) -> R,
    ) -> R {
        PHASORS.with_borrow_mut(|phasors| {
            self.reserve(phasors);
            let mut left = phasors.as_mut_slice();
            let surface = self.sum_surface(x, y, |part| {
                let (own, others) = std::mem::take(&mut left).split_at_mut(group_count(part));
                left = others;
                self.surface_of_kept(part, [x, y], own)
            });
            evaluate(&WaveVertical {
                waves: self,
                position: [x, y],
                surface,
                phasors,
            })
        })
    }
}

/// Vertical line in the waves at an instant.
#[derive(Debug)]
pub(crate) struct WaveVertical<'a> {
    /// Water surface on the line.
    pub(crate) surface: Surface,
    waves: &'a WaveState,
    position: [f64; 2],
    phasors: &'a [Phasors],
}

impl WaveVertical<'_> {
    /// Returns the wave motion at height `z` [m], W.
    pub(crate) fn orbital_motion(&self, z: f64) -> OrbitalMotion {
        let [x, y] = self.position;
        let mut left = self.phasors;
        self.waves
            .sum_orbital_motion(Vec3::new(x, y, z), self.surface.z, |part, stretched| {
                let (own, others) = left.split_at(group_count(part));
                left = others;
                self.waves.orbital_of_kept(part, [x, y, stretched], own)
            })
    }
}

/// Returns the number of groups of [`LANES`] components.
fn group_count(part: &SeaAtInstant) -> usize {
    part.field.components.a.len() / LANES
}

thread_local! {
    /// Phasors of the line of [`WaveState::with_vertical`].
    static PHASORS: RefCell<Vec<Phasors>> = const { RefCell::new(Vec::new()) };
}

with_lanes! {
    "avx2",
    fn surface(c: &Components, phase: &[f64], x: f64, y: f64, phasors: &mut [Phasors]) -> [f64; 3]
        = kernel::surface_elevation_and_slope[false]
}
with_lanes! {
    "avx2",
    fn surface_kept(
        c: &Components,
        phase: &[f64],
        x: f64,
        y: f64,
        phasors: &mut [Phasors],
    ) -> [f64; 3] = kernel::surface_elevation_and_slope[true]
}
with_lanes! {
    "avx2",
    fn orbital(
        sea: &SeaAtInstant,
        place: [f64; 3],
        depth: f64,
        phasors: &[Phasors],
    ) -> [f64; kernel::ORBITAL_RESULTS] = kernel::orbital_motion[false]
}
with_lanes! {
    "avx2",
    fn orbital_kept(
        sea: &SeaAtInstant,
        place: [f64; 3],
        depth: f64,
        phasors: &[Phasors],
    ) -> [f64; kernel::ORBITAL_RESULTS] = kernel::orbital_motion[true]
}
