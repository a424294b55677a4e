//! Conversion of a body file to the inertia, buoyancy and damping of a link.

use crate::build::robot::hull;
use crate::build::robot::hydrodynamics::{added_mass, damping, damping_decay, munk, restoring};
use crate::build::robot::radiation;
use crate::context::Context;
use crate::import::sname;
use crate::import::sname::Derivative;
use crate::keys::{Axes, BodyConfig, HullConfig};
use merrow_math::hull_cut::HullShape;
use merrow_math::hull_mesh::HullMesh;
use merrow_math::{Mat3, SpatialInertia, Sym3, Vec3};
use merrow_model::scene::robot::body::{Hull, HullWaves, MunkMoments, Trim};
use merrow_model::scene::robot::force::{ForceBody, LinkForces};
use merrow_model::scene::{Damping, Joint, Link, smallest_eigenvalue};
use std::sync::Arc;

/// Radius of the sphere for a body with neither hull nor volume [m].
const POINT_RADIUS: f64 = 0.01;

/// Builds the link of `body`. `R_LU` rotates from the user's frame to the link frame; `parent` and
/// `joint` connect the link.
pub(crate) fn build_link(
    name: &str,
    body: &BodyConfig,
    (R_LU, parent, joint): (Mat3, Option<usize>, Joint),
    cx: Context<'_>,
) -> Link {
    let in_water = cx.density > 0.0;
    let to_link = |v: [f64; 3]| R_LU.mul_vec(sname::vector_to_flu(body.axes, v));
    let inertia = build_inertia(name, body, R_LU, in_water, cx);
    let buoyancy = build_buoyancy(name, body, R_LU, cx);
    let linear_damping = damping(name, body, Derivative::Linear, cx);
    let quadratic_damping = damping(name, body, Derivative::Quadratic, cx);
    let (linear_damping, quadratic_damping) = linear_damping.paired_with(quadratic_damping);
    let derivatives = sname::product_derivatives(&body.derivatives, &mut cx.problems());
    let forces = body.forces(
        &ForceBody {
            name,
            is_base: parent.is_none(),
            has_hull_mesh: matches!(body.hull, HullConfig::Mesh(_) | HullConfig::Solids(_)),
            to_link: &to_link,
        },
        &mut cx.problems(),
    );
    let mut link = Link {
        mass_kg: body.mass_kg,
        p_LoLcm: inertia.p_LoLcm,
        rigid: inertia.rigid,
        added: inertia.added,
        total: inertia.rigid + inertia.added,
        volume_m3: buoyancy.volume,
        p_LoCb: buoyancy.p_LoCb,
        hull: buoyancy.hull,
        own_hull: body.hull != HullConfig::Sphere,
        hull_mesh: buoyancy.hull_mesh,
        waves: match &body.hull {
            HullConfig::Mesh(file) => file.waves,
            HullConfig::Solids(file) => file.waves,
            HullConfig::Sphere
            | HullConfig::Box { .. }
            | HullConfig::Ellipsoid { .. }
            | HullConfig::BoundingBox(_) => HullWaves::Lattice,
        },
        trim: buoyancy.trim,
        linear_damping,
        quadratic_damping,
        linear_damping_decay_s_per_m: damping_decay(body),
        munk: munk(body, derivatives.is_empty()),
        derivatives,
        p_LoD: to_link(body.damping_point_m),
        restoring: restoring(name, body, parent, to_link, cx),
        forces,
        ..frame_link(name, R_LU, parent, joint)
    };
    link.wet = in_water && has_hydrodynamics(&link, body);
    radiation::set_radiation(&mut link, body, cx);
    link.surface_laws = link.radiation.is_some() || link.forces.act_at_surface();
    link
}

/// Inertia of a link at Lo, expressed in L.
struct LinkInertia {
    /// Centre of mass [m].
    p_LoLcm: Vec3,
    /// Rigid-body inertia of the link.
    rigid: SpatialInertia,
    /// Added-mass inertia of the link.
    added: SpatialInertia,
}

/// Converts mass, inertia and added mass of `body` to L. Reports inertias that no body can have.
fn build_inertia(
    name: &str,
    body: &BodyConfig,
    R_LU: Mat3,
    in_water: bool,
    cx: Context<'_>,
) -> LinkInertia {
    let p_LoLcm = R_LU.mul_vec(sname::vector_to_flu(body.axes, body.center_of_mass_m));
    let about_com = inertia_about_com(body);
    let rigid = SpatialInertia::rigid(body.mass_kg, p_LoLcm, &about_com.rotated(&R_LU));
    // In air there is no added mass. It is set to zero only here; every use of `total` follows from
    // it.
    let stated = added_mass(name, body, &R_LU, cx);
    let added = if in_water {
        stated
    } else {
        SpatialInertia::zero()
    };
    if smallest_eigenvalue(&rigid) > 0.0
        && let Some([a, b, c]) = triangle_violation(&about_com)
    {
        let text = format!(
            "the inertia of {name} violates the triangle inequality; expected no principal \
             moment above the sum of the two others, found {c:.4} above {a:.4} + {b:.4} kg m2; \
             correct the moments"
        );
        cx.error(body.at.key_place("inertia_kg_m2"), text);
    }
    LinkInertia {
        p_LoLcm,
        rigid,
        added,
    }
}

/// Buoyancy of a link, expressed in L.
struct LinkBuoyancy {
    /// Sum of the constant vertical loads.
    trim: Trim,
    /// Displaced volume when fully submerged [m³].
    volume: f64,
    /// Centre of buoyancy when fully submerged [m].
    p_LoCb: Vec3,
    /// Shape for partial submergence.
    hull: Hull,
    /// Surface mesh of the hull, if given.
    hull_mesh: Option<Arc<HullMesh>>,
}

/// Builds the loads, the displaced volume and the hull of `body`.
fn build_buoyancy(name: &str, body: &BodyConfig, R_LU: Mat3, cx: Context<'_>) -> LinkBuoyancy {
    let to_link = |v: [f64; 3]| R_LU.mul_vec(sname::vector_to_flu(body.axes, v));
    let trim = trim(body, to_link);
    let meshed = hull::build_mesh_hull(name, body, R_LU, cx);
    let stated = body.at.has_key("volume_m3") || body.net_buoyancy_n.is_some();
    let volume = match &meshed {
        Some(mesh) if !stated => mesh.volume,
        // Displaced volume at the floating position, for the force of accelerated waves.
        None if body.restoring.is_some() && cx.density > 0.0 => body
            .restoring
            .as_ref()
            .map_or(0.0, |r| r.floating_mass_kg / cx.density),
        _ => volume(name, body, trim.force, cx),
    };
    let p_LoCb = match &meshed {
        Some(mesh) if !body.at.has_key("center_of_buoyancy_m") => mesh.centroid,
        _ => to_link(body.center_of_buoyancy_m),
    };
    LinkBuoyancy {
        trim,
        volume,
        p_LoCb,
        hull: meshed
            .as_ref()
            .map_or_else(|| hull(body, volume, p_LoCb, R_LU), |mesh| mesh.hull),
        hull_mesh: meshed.and_then(|hull| hull.mesh),
    }
}

/// Returns true if any hydrodynamic force acts on `link` in water.
fn has_hydrodynamics(link: &Link, body: &BodyConfig) -> bool {
    link.volume_m3 > 0.0
        || link.added != SpatialInertia::zero()
        || body.radiation.is_some()
        || link.restoring.is_some()
        || link.forces.act_in_water()
        || !link.derivatives.is_empty()
        || link.linear_damping != Damping::Zero
        || link.quadratic_damping != Damping::Zero
}

/// Builds a link without a body: a frame that is merged into its parent.
pub(crate) fn frame_link(name: &str, R_LU: Mat3, parent: Option<usize>, joint: Joint) -> Link {
    let zero = SpatialInertia::zero();
    Link {
        name: name.to_string(),
        parent,
        joint,
        R_LU,
        has_rotated_frame: R_LU != Mat3::identity(),
        mass_kg: 0.0,
        p_LoLcm: Vec3::zero(),
        rigid: zero,
        added: zero,
        total: zero,
        volume_m3: 0.0,
        p_LoCb: Vec3::zero(),
        hull: Hull {
            shape: HullShape::Ellipsoid(Vec3::new(POINT_RADIUS, POINT_RADIUS, POINT_RADIUS)),
            p_LoH: Vec3::zero(),
            R_LH: R_LU,
            bound: POINT_RADIUS,
        },
        own_hull: false,
        hull_parts: Vec::new(),
        hull_mesh: None,
        waves: HullWaves::Lattice,
        radiation: None,
        surface_laws: false,
        trim: Trim {
            force: 0.0,
            moment_arm: Vec3::zero(),
        },
        linear_damping: Damping::Zero,
        quadratic_damping: Damping::Zero,
        linear_damping_decay_s_per_m: None,
        derivatives: Vec::new(),
        munk: MunkMoments::All,
        p_LoD: Vec3::zero(),
        wet: false,
        restoring: None,
        forces: LinkForces::default(),
    }
}

/// Returns the inertia about the centre of mass [kg m²] in FLU axes.
fn inertia_about_com(body: &BodyConfig) -> Sym3 {
    let i = &body.inertia_kg_m2;
    let s = if body.axes == Axes::Frd { -1.0 } else { 1.0 };
    Sym3::new(i.xx, s * i.xy, s * i.xz, i.yy, i.yz, i.zz)
}

/// Returns the principal moments [kg m²] in ascending order if the largest exceeds the sum of the
/// two others, otherwise `None`. Then ∫r rᵀ dm, which is half the trace minus the inertia, has a
/// negative eigenvalue.
fn triangle_violation(i: &Sym3) -> Option<[f64; 3]> {
    let half = 0.5 * (i.xx + i.yy + i.zz);
    let second_moment = nalgebra::Matrix3::new(
        half - i.xx,
        -i.xy,
        -i.xz,
        -i.xy,
        half - i.yy,
        -i.yz,
        -i.xz,
        -i.yz,
        half - i.zz,
    );
    // Published values are rounded.
    let mut moments = second_moment.symmetric_eigenvalues().map(|e| half - e);
    moments.as_mut_slice().sort_by(f64::total_cmp);
    (half - moments[2] < -0.01 * half).then_some(moments.into())
}

fn trim(body: &BodyConfig, to_link: impl Fn([f64; 3]) -> Vec3) -> Trim {
    let mut trim = Trim {
        force: 0.0,
        moment_arm: Vec3::zero(),
    };
    for (_, load) in body.loads.iter() {
        trim.force += load.force_n;
        trim.moment_arm += to_link(load.position_m).scale(load.force_n);
    }
    trim
}

fn volume(name: &str, body: &BodyConfig, loads: f64, cx: Context<'_>) -> f64 {
    let Some(net) = body.net_buoyancy_n else {
        return body.volume_m3;
    };
    let at = body.at.key_place("net_buoyancy_n");
    if body.at.has_key("volume_m3") {
        let text = format!(
            "{name} has both `volume_m3` and `net_buoyancy_n` (at {at}); expected one of them; set the other to null"
        );
        cx.error(body.at.key_place("volume_m3"), text);
    }
    let rho_g = cx.density * cx.gravity;
    if rho_g <= 0.0 {
        let text = format!(
            "`net_buoyancy_n` of {name} needs gravity and water; write `volume_m3` instead"
        );
        cx.error(at, text);
        return 0.0;
    }
    let volume = (body.mass_kg * cx.gravity - loads + net) / rho_g;
    if volume < 0.0 {
        cx.error(
            at,
            format!("{name} would displace {volume:.6} m3; expected at least 0"),
        );
        return 0.0;
    }
    volume
}

fn hull(body: &BodyConfig, volume: f64, cb: Vec3, R_LU: Mat3) -> Hull {
    let half = |s: &[f64; 3]| Vec3::new(0.5 * s[0], 0.5 * s[1], 0.5 * s[2]);
    let (shape, center) = match &body.hull {
        HullConfig::Sphere
        | HullConfig::Mesh(_)
        | HullConfig::BoundingBox(_)
        | HullConfig::Solids(_) => {
            let r = libm::cbrt(volume * 3.0 / (4.0 * std::f64::consts::PI)).max(POINT_RADIUS);
            (HullShape::Ellipsoid(Vec3::new(r, r, r)), None)
        }
        HullConfig::Box {
            size_m, center_m, ..
        } => (HullShape::Box(half(size_m)), *center_m),
        HullConfig::Ellipsoid {
            size_m, center_m, ..
        } => (HullShape::Ellipsoid(half(size_m)), *center_m),
    };
    let bound = match shape {
        HullShape::Box(h) => h.norm(),
        HullShape::Ellipsoid(a) => a.x.max(a.y).max(a.z),
    };
    let p_LoH = center.map_or(cb, |c| R_LU.mul_vec(sname::vector_to_flu(body.axes, c)));
    Hull {
        shape,
        p_LoH,
        R_LH: R_LU,
        bound,
    }
}
