//! Pressure on a hull that is a mesh: hydrostatics and the waves' own pressure, on the part under the surface as it is.
//!
//! # Law
//! ```text
//!   F = -∫ p n dA,  M = -∫ r × p n dA  over the wet skin            (1)  [Faltinsen 1990, ch. 3]
//!   p = ρ g (-z + Σ a C/C₀ cos θ)                                   (2)  `environment/waves/mod.rs` (4), (5)
//! ```
//! In flat water (1) is Archimedes' force at the centroid of the wet part. In waves it holds the Froude-Krylov force, so the
//! waves' acceleration is taken out of the ρ ∇ s a_w that `added_mass.rs` (3) adds for all of the water's acceleration.
//! A stated volume scales (1), and a stated centre of buoyancy moves it by what it differs from the mesh's centroid.
//!
//! # Symbols
//! p pressure of the undisturbed water over the air's · n outward normal · r from Lo.
//!
//! # Frames
//! Link frame L at Lo. Corners are fixed in L; only the depths and pressures at them change.
//!
//! # Limits
//! Depth and pressure are taken at the corners and are linear over each triangle: exact in flat water; in waves triangles must be
//! short against the waves, and where there are many waves they are looked up on a lattice (`environment/waves/tile.rs`). The pressure is that of the water without the hull: what the hull does to it is added mass, damping
//! and, where given, radiation and diffraction. No slamming, no water on deck beyond the mesh itself.
//!
//! # Checked by
//! test/analytic/hull.rs (V42-V44), test/identity/hull.rs, test/determinism/hull.rs

use crate::forces::hydrodynamics::buoyancy::Wetness;
use merrow_environment::waves::tile;
use merrow_environment::{Instant, WavesNow};
use merrow_math::hull_mesh::{Skin, Under};
use merrow_math::{MAX_LANES, Mat3, Real, SpatialForce, Vec3};
use merrow_model::scene::Link;
use merrow_model::state::workspace::{HullWork, LinkWork};

/// How much of the hull is under water, and (1) over ρ g, at Lo in L. `height` is that of the hull's middle over the surface [m].
#[inline(never)]
pub fn under<T: Real>(
    link: &Link,
    skin: &Skin,
    at: &Instant<'_>,
    w: &LinkWork<T>,
    height: T,
    hull: &mut HullWork,
) -> (Wetness<T>, SpatialForce<T>) {
    let mut lanes = [(0.0, Vec3::zero(), SpatialForce::zero()); MAX_LANES];
    for (i, lane) in lanes.iter_mut().enumerate().take(T::LANES) {
        let (R_WL, p_WL) = (w.R_WL.lane(i), w.p_WL.lane(i));
        let felt = |waves: &&WavesNow| waves.is_felt_at(-height.lane(i) - link.hull.bound);
        let found = match at.waves.filter(felt) {
            _ if height.lane(i) >= link.hull.bound => continue,
            None if height.lane(i) <= -link.hull.bound => whole(link, R_WL.r[2]),
            None => {
                let (up, z) = (R_WL.r[2], p_WL.z);
                for (water, p) in hull.water.iter_mut().zip(&skin.vertices) {
                    *water = [-(up.dot(*p) + z); 2];
                }
                scaled(link, skin, &skin.under(&hull.water, up))
            }
            Some(waves) => {
                place(link, skin, at, hull, (i, &R_WL, p_WL), waves);
                scaled(link, skin, &skin.under(&hull.water, R_WL.r[2]))
            }
        };
        *lane = found;
    }
    let wetness = Wetness {
        wet: T::from_lanes(|i| lanes[i].0),
        shift: Vec3::from_lanes(|i| lanes[i].1),
    };
    (wetness, SpatialForce::from_lanes(|i| lanes[i].2))
}

/// (1) at Lo in L less what `added_mass.rs` (3) holds of it.
#[inline(always)]
pub fn force<T: Real>(
    link: &Link,
    at: &Instant<'_>,
    w: &LinkWork<T>,
    wetness: &Wetness<T>,
    pressure: &SpatialForce<T>,
    rho: T,
) -> SpatialForce<T> {
    let rho_g = rho * at.gravity;
    let F = SpatialForce {
        m: pressure.m.scale(rho_g),
        f: pressure.f.scale(rho_g),
    };
    if at.waves.is_none() || link.is_scattering() {
        return F;
    }
    let twice = w.wave_acceleration.scale(wetness.wet * (rho * link.volume));
    let p_LoCb = Vec3::splat(link.p_LoCb) + wetness.shift;
    SpatialForce {
        m: F.m - p_LoCb.cross(twice),
        f: F.f - twice,
    }
}

/// Wholly under water that no wave moves: Archimedes.
fn whole(link: &Link, up: Vec3) -> (f64, Vec3, SpatialForce) {
    let f = up.scale(link.volume);
    (
        1.0,
        Vec3::zero(),
        SpatialForce {
            m: link.p_LoCb.cross(f),
            f,
        },
    )
}

/// The sums in the terms of the link: wet part, shift of the centroid, pressure.
fn scaled(link: &Link, skin: &Skin, sums: &Under) -> (f64, Vec3, SpatialForce) {
    let k = link.volume / skin.volume;
    let wet = (sums.volume / skin.volume).clamp(0.0, 1.0);
    let shift = sums.centroid().map_or(Vec3::zero(), |c| c - skin.centroid);
    let f = sums.pressure.f.scale(k);
    let m = sums.pressure.m.scale(k) + (link.p_LoCb - skin.centroid).cross(f);
    (wet, shift, SpatialForce { m, f })
}

/// Depth and pressure at all corners in waves. (2)
fn place(
    link: &Link,
    skin: &Skin,
    at: &Instant<'_>,
    hull: &mut HullWork,
    (lane, R_WL, p_WL): (usize, &Mat3, Vec3),
    waves: &WavesNow,
) {
    let HullWork {
        water,
        head,
        x,
        y,
        z,
        eta,
        stretched,
        tiles,
    } = hull;
    skin.turned(R_WL, p_WL, [x, y, z]);
    let found = match tiles.get_mut(lane).filter(|_| tile::pays(waves)) {
        Some(tile) => {
            let middle = p_WL + R_WL.mul_vec(link.hull.p_LoH);
            tile::set(tile, &at.sea.waves, waves, middle.x, middle.y);
            tile::look_up(tile, [x, y, z], eta, head)
        }
        None => false,
    };
    if !found {
        waves.elevations(x, y, eta);
        stretched.copy_from_slice(z);
        waves.heads(x, y, stretched, eta, head);
    }
    for (((water, head), eta), z) in water.iter_mut().zip(head).zip(eta).zip(z) {
        *water = [*eta - *z, *head - *z];
    }
}
