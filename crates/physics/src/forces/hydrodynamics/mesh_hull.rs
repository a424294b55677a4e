//! Pressure on a mesh hull: hydrostatic pressure and wave pressure on the part under the
//! instantaneous surface.
//!
//! # Law
//! ```text
//!   F = -∫ p n dA,  M = -∫ r × p n dA  over the wet surface  (1)  [Faltinsen 1990, ch. 3]
//!   p = ρ g (-z + Σ a C/C₀ cos θ)                            (2)
//!   (2) `crates/environment/src/waves/mod.rs` (4), (5)
//! ```
//! In flat water (1) is the buoyancy force at the centroid of the wet part. In waves it includes
//! the Froude-Krylov force of first order. Therefore the acceleration that the pressure (2) gives
//! the water is removed from the ρ ∇ s a_w that `added_mass.rs` (3) adds for the material
//! acceleration Du/Dt. The remainder is the force of the second-order pressure -ρ/2 |u|², with its
//! gradient at the centroid of the wet part. A specified volume scales (1). A specified centre of
//! buoyancy shifts its point of application by the difference from the centroid of the mesh.
//!
//! Pressure on a surface of revolution has no moment about its axis, and no force across the plane
//! that contains the axis and the direction of all waves, if the hull moves in it. The triangles of
//! a mesh are not symmetric to this plane. Therefore the moment of a mesh of such a body about its
//! axis (`crates/math/src/revolution.rs`) is zero, and the integrals are the mean of the mesh and
//! its mirror image, which is as good an approximation of the body. The remaining errors of the
//! mesh do not turn the body about its axis, nor excite its motion across regular waves, of which
//! both add up over many waves.
//!
//! # Symbols
//! p gauge pressure of the undisturbed water · n outward normal · r from Lo.
//!
//! # Frames
//! Link frame L at Lo. Vertices are fixed in L; only the depths and pressures at them change.
//!
//! # Limits
//! Depth and pressure are computed at the vertices and are linear over each triangle. This is exact
//! in flat water; in waves the triangles must be short compared with the waves. With many wave
//! components, waves are interpolated on a lattice (`crates/environment/src/waves/tile.rs`). The
//! second-order pressure has a uniform gradient over the hull and causes no moment about its
//! centroid. The pressure is the pressure of the water without the hull. The effects of the hull on
//! the pressure are added mass, damping and, if specified, radiation and diffraction. There is no
//! slamming and no water on deck beyond the mesh itself.
//!
//! # Checked by
//! test/analytic/bodies/hull.rs, test/identity/hull.rs, test/determinism/worlds/hull.rs; V42-V44

use crate::forces::hydrodynamics::buoyancy::Wetness;
use merrow_environment::waves::tile;
use merrow_environment::{EnvironmentState, WaveState};
use merrow_math::hull_mesh::{HullMesh, SubmergedIntegrals};
use merrow_math::{MAX_LANES, Mat3, Real, SpatialForce, Vec3};
use merrow_model::scene::Link;
use merrow_model::state::workspace::{HullWork, LinkWork};

/// Smallest sine of the angle between the axis of a hull and the direction across the waves for
/// which the mirror image of the hull is used.
const MIN_ACROSS: f64 = 1e-3;

/// Returns the wetness of the hull, and the wrench (1) divided by ρ g, at Lo in L. `height` is the
/// height of the hull centre above the surface [m].
#[inline(never)]
pub(crate) fn wetness_and_pressure<T: Real>(
    link: &Link,
    mesh: &HullMesh,
    environment: &EnvironmentState<'_>,
    w: &LinkWork<T>,
    height: T,
    hull: &mut HullWork,
) -> (Wetness<T>, SpatialForce<T>) {
    let mut lanes = [(0.0, Vec3::zero(), SpatialForce::zero()); MAX_LANES];
    for (i, lane) in lanes.iter_mut().enumerate().take(T::LANES) {
        let (R_WL, p_WL) = (w.R_WL.lane(i), w.p_WL.lane(i));
        let has_effect =
            |waves: &&WaveState| waves.has_effect_at_depth(-height.lane(i) - link.hull.bound);
        let terms = match environment.waves.filter(has_effect) {
            _ if height.lane(i) >= link.hull.bound => continue,
            None if height.lane(i) <= -link.hull.bound => fully_submerged(link, R_WL.r[2]),
            None => {
                let (up, z) = (R_WL.r[2], p_WL.z);
                for (water, p) in hull.water.iter_mut().zip(&mesh.vertices) {
                    *water = [-(up.dot(*p) + z); 2];
                }
                link_terms(link, mesh, &mesh.submerged_integrals(&hull.water, up))
            }
            Some(waves) => {
                let mut integrals = |R: &Mat3, p: Vec3| {
                    update_vertices(link, mesh, environment, hull, (i, R, p), waves);
                    mesh.submerged_integrals(&hull.water, R.r[2])
                };
                let sums = match mesh.axis {
                    Some(axis) => {
                        revolved_integrals((mesh.centroid, axis), (&R_WL, p_WL), waves, integrals)
                    }
                    None => integrals(&R_WL, p_WL),
                };
                link_terms(link, mesh, &sums)
            }
        };
        *lane = terms;
    }
    let wetness = Wetness {
        wet: T::from_lanes(|i| lanes[i].0),
        shift: Vec3::from_lanes(|i| lanes[i].1),
    };
    (wetness, SpatialForce::from_lanes(|i| lanes[i].2))
}

/// Returns the wrench (1) at Lo in L without the part that `added_mass.rs` (3) already includes.
/// `rho` is the water density [kg/m³].
#[inline(always)]
pub fn force<T: Real>(
    link: &Link,
    environment: &EnvironmentState<'_>,
    w: &LinkWork<T>,
    wetness: &Wetness<T>,
    pressure: &SpatialForce<T>,
    rho: T,
) -> SpatialForce<T> {
    let rho_g = rho * environment.gravity;
    let F = pressure.scale(rho_g);
    if environment.waves.is_none() {
        return F;
    }
    let double_counted = w
        .pressure_acceleration
        .scale(wetness.wet * (rho * link.volume_m3));
    let p_LoCb = Vec3::splat(link.p_LoCb) + wetness.shift;
    SpatialForce::new(F.m - p_LoCb.cross(double_counted), F.f - double_counted)
}

/// Returns the buoyancy of a hull that is fully under water without wave effects.
fn fully_submerged(link: &Link, up: Vec3) -> (f64, Vec3, SpatialForce) {
    let f = up.scale(link.volume_m3);
    (
        1.0,
        Vec3::zero(),
        SpatialForce::new(link.p_LoCb.cross(f), f),
    )
}

/// Returns the integrals of a hull with the axis of revolution `axis` through `center`, both in L:
/// the mean with its mirror image in the plane of the axis and the waves, without the moment about
/// the axis. `integrals` evaluates the mesh in a pose in W.
fn revolved_integrals(
    (center, axis): (Vec3, Vec3),
    (R_WL, p_WL): (&Mat3, Vec3),
    waves: &WaveState,
    mut integrals: impl FnMut(&Mat3, Vec3) -> SubmergedIntegrals,
) -> SubmergedIntegrals {
    let normal = waves.common_direction().and_then(|[dx, dy]| {
        let across = R_WL.tr_mul_vec(Vec3::new(-dy, dx, 0.0));
        let normal = across - axis.scale(axis.dot(across));
        (normal.norm() > MIN_ACROSS).then(|| normal.unit())?
    });
    // the image first: the vertices of the hull itself remain in its workspace
    let image = normal.map(|normal| {
        let S = reflection(normal);
        let offset = normal.scale(2.0 * normal.dot(center));
        integrals(&R_WL.mul_mat(&S), p_WL + R_WL.mul_vec(offset)).reflected(&S, offset)
    });
    let mut sums = integrals(R_WL, p_WL);
    if let Some(image) = image {
        sums = (sums + image).scale(0.5);
    }
    let pressure = &mut sums.pressure;
    let about_axis = axis.dot(pressure.m - center.cross(pressure.f));
    pressure.m -= axis.scale(about_axis);
    // nor has the second-order pressure, which acts at the centroid
    let across = sums.first_moment - center.scale(sums.volume);
    sums.first_moment -= across - axis.scale(axis.dot(across));
    sums
}

/// Returns the matrix of the reflection in a plane with the unit normal `n`.
fn reflection(n: Vec3) -> Mat3 {
    let row = |k: usize| {
        let mut row = n.scale(-2.0 * n[k]);
        row[k] += 1.0;
        row
    };
    Mat3 {
        r: [row(0), row(1), row(2)],
    }
}

/// Converts the mesh sums to wet fraction, centroid shift and wrench of the link.
fn link_terms(
    link: &Link,
    mesh: &HullMesh,
    sums: &SubmergedIntegrals,
) -> (f64, Vec3, SpatialForce) {
    let k = link.volume_m3 / mesh.volume;
    let wet = (sums.volume / mesh.volume).clamp(0.0, 1.0);
    let shift = sums.centroid().map_or(Vec3::zero(), |c| c - mesh.centroid);
    let f = sums.pressure.f.scale(k);
    let m = sums.pressure.m.scale(k) + (link.p_LoCb - mesh.centroid).cross(f);
    (wet, shift, SpatialForce { m, f })
}

/// Computes depth and pressure at all vertices in waves. (2)
fn update_vertices(
    link: &Link,
    mesh: &HullMesh,
    environment: &EnvironmentState<'_>,
    hull: &mut HullWork,
    (lane, R_WL, p_WL): (usize, &Mat3, Vec3),
    waves: &WaveState,
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
    mesh.transform_vertices(R_WL, p_WL, [x, y, z]);
    let is_interpolated = match tiles.get_mut(lane).filter(|_| tile::is_cheaper(waves)) {
        Some(tile) => {
            let center = p_WL + R_WL.mul_vec(link.hull.p_LoH);
            tile::update_tile(tile, &environment.sea.waves, waves, center.x, center.y);
            tile::look_up(tile, [x, y, z], eta, head)
        }
        None => false,
    };
    if !is_interpolated {
        waves.elevations(x, y, eta);
        stretched.copy_from_slice(z);
        waves.pressure_heads(x, y, stretched, eta, head);
    }
    for (((water, head), eta), z) in water.iter_mut().zip(head).zip(eta).zip(z) {
        *water = [*eta - *z, *head - *z];
    }
}
