//! A body file becomes the inertia, buoyancy and damping of a link.

use super::build_actuator::table;
use super::error::Problems;
use super::file::{Axes, Body, HullFile, SlenderFile};
use super::sname::{self, Derivative};
use crate::math::hull_cut::Shape;
use crate::math::{Mat3, SpatialInertia, Sym3, Vec3};
use crate::scene::body::{Hull, SlenderBody, Trim, WindLoad};
use crate::scene::{Damping, Joint, Link, smallest_eigenvalue};

/// Gravity and water that a body's buoyancy is trimmed for.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings {
    /// Gravity [m/s²].
    pub gravity: f64,
    /// Density of the water [kg/m³].
    pub density: f64,
}

/// Radius of the sphere that stands for a body with neither hull nor volume [m].
const POINT_RADIUS: f64 = 0.01;

/// The link of `body`, its frame turned by `R_LU` from the user's, held by `joint`.
pub fn link(
    name: &str,
    body: &Body,
    R_LU: Mat3,
    parent: Option<usize>,
    joint: Joint,
    around: Surroundings,
    problems: &mut Problems,
) -> Link {
    let to_link = |v: [f64; 3]| R_LU.mul_vec(sname::vector(body.axes, v));
    let com = to_link(body.center_of_mass_m);
    let rigid = SpatialInertia::rigid(body.mass_kg, com, &inertia_about_com(body).rotated(&R_LU));
    // in air there is none: said once here, and every use of `total` follows
    let in_water = around.density > 0.0;
    let stated = added_mass(name, body, &R_LU, problems);
    let added = if in_water { stated } else { SpatialInertia::zero() };
    let total = rigid.plus(&added);
    if smallest_eigenvalue(&rigid) <= 0.0 {
        let text = format!("the inertia of {name} is not positive definite: no such body can exist");
        problems.push(body.at.of("inertia_kg_m2"), text);
    } else if breaks_triangle(&inertia_about_com(body)) {
        let text = format!(
            "the inertia of {name} breaks the triangle inequality: no such body can exist, expected no principal \
             moment above the sum of the two others"
        );
        problems.push(body.at.of("inertia_kg_m2"), text);
    }
    let trim = trim(body, to_link);
    let volume = volume(name, body, trim.force, around, problems);
    let cb = to_link(body.center_of_buoyancy_m);
    let linear_damping = damping(name, body, Derivative::Linear, problems);
    let quadratic_damping = damping(name, body, Derivative::Quadratic, problems);
    let (linear_damping, quadratic_damping) = linear_damping.paired_with(quadratic_damping);
    let derivatives = sname::products(&body.derivatives, problems);
    let wet = in_water
        && (volume > 0.0
            || added != SpatialInertia::zero()
            || body.slender.is_some()
            || !derivatives.is_empty()
            || linear_damping != Damping::Zero
            || quadratic_damping != Damping::Zero);
    Link {
        name: name.to_string(),
        parent,
        joint,
        R_LU,
        turned: R_LU != Mat3::identity(),
        mass: body.mass_kg,
        p_LoLcm: com,
        rigid,
        added,
        total,
        volume,
        p_LoCb: cb,
        hull: hull(body, volume, cb, R_LU),
        own_hull: body.hull != HullFile::Sphere,
        trim,
        linear_damping,
        quadratic_damping,
        damping_decay: decay(body),
        slender: body.slender.as_ref().map(|s| SlenderBody {
            length: s.length_m,
            diameter: s.diameter_m,
            area: s.area_m2,
            axial_drag: s.axial_drag,
            oswald: s.oswald,
            cross_flow: s.cross_flow_drag,
            cross_flow_curve: cross_flow_curve(name, s, problems),
            strips: strips(name, s, problems),
        }),
        derivatives: derivatives.clone(),
        munk: body.munk_moment && derivatives.is_empty(),
        p_LoD: to_link(body.damping_point_m),
        wet,
        wind: body.wind.as_ref().map(|w| WindLoad {
            drag_area: Vec3::from(std::array::from_fn(|i| w.area_m2[i] * w.drag[i])),
            p_LoC: to_link(w.center_m),
        }),
    }
}

fn cross_flow_curve(name: &str, file: &SlenderFile, problems: &mut Problems) -> Vec<(f64, f64)> {
    let place = file.at.of("cross_flow_over_speed_m_s");
    let pairs = &file.cross_flow_over_speed_m_s;
    if pairs.iter().flatten().any(|x| *x < 0.0) {
        problems.push(place, format!("the cross-flow drag of {name} over speed: expected no number below 0"));
    }
    table(pairs, &format!("the cross-flow drag of {name}"), place, problems)
}

fn strips(name: &str, file: &SlenderFile, problems: &mut Problems) -> usize {
    if file.cross_flow_strips == 1 {
        let text = format!("the cross-flow drag of {name}: found 1 strip, expected 0 (exact) or 2 and more");
        problems.push(file.at.of("cross_flow_strips"), text);
    }
    file.cross_flow_strips as usize
}

/// A link without a body: a frame that is merged into its parent.
pub fn frame(name: &str, R_LU: Mat3, parent: usize, joint: Joint) -> Link {
    let zero = SpatialInertia::zero();
    Link {
        name: name.to_string(),
        parent: Some(parent),
        joint,
        R_LU,
        turned: R_LU != Mat3::identity(),
        mass: 0.0,
        p_LoLcm: Vec3::zero(),
        rigid: zero,
        added: zero,
        total: zero,
        volume: 0.0,
        p_LoCb: Vec3::zero(),
        hull: Hull {
            shape: Shape::Ellipsoid(Vec3::new(POINT_RADIUS, POINT_RADIUS, POINT_RADIUS)),
            p_LoH: Vec3::zero(),
            R_LH: R_LU,
            bound: POINT_RADIUS,
        },
        own_hull: false,
        trim: Trim { force: 0.0, moment_arm: Vec3::zero() },
        linear_damping: Damping::Zero,
        quadratic_damping: Damping::Zero,
        damping_decay: None,
        slender: None,
        derivatives: Vec::new(),
        munk: true,
        p_LoD: Vec3::zero(),
        wet: false,
        wind: None,
    }
}

/// Decay of the linear damping, angular first; none where nothing decays.
fn decay(body: &Body) -> Option<[f64; 6]> {
    let k = body.linear_damping_decay_s_m;
    k.iter().any(|k| *k > 0.0).then(|| std::array::from_fn(|i| k[(i + 3) % 6]))
}

/// Inertia about the centre of mass in FLU.
fn inertia_about_com(body: &Body) -> Sym3 {
    let i = &body.inertia_kg_m2;
    let s = if body.axes == Axes::Frd { -1.0 } else { 1.0 };
    Sym3 { xx: i.xx, xy: s * i.xy, xz: s * i.xz, yy: i.yy, yz: i.yz, zz: i.zz }
}

/// Whether a principal moment exceeds the sum of the two others: ∫r rᵀ dm, half the trace less the inertia, would have
/// a negative eigenvalue.
fn breaks_triangle(i: &Sym3) -> bool {
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
    // published figures are rounded
    second_moment.symmetric_eigenvalues().min() < -0.01 * half
}

fn added_mass(name: &str, body: &Body, R_LU: &Mat3, problems: &mut Problems) -> SpatialInertia {
    let m = sname::matrix(&body.added_mass, Derivative::AddedMass, body.axes, "added_mass", problems);
    let at = body.at.of("added_mass");
    let largest = m.iter().flatten().fold(0.0_f64, |a, x| a.max(x.abs()));
    let skew = (0..6).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| (m[i][j] - m[j][i]).abs());
    if skew.fold(0.0, f64::max) > 0.01 * largest {
        problems.push(at, format!("the added mass of {name} is not symmetric (by more than 1 %)"));
    }
    let even = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (m[i][j] + m[j][i])));
    let added = SpatialInertia::from_matrix(&even);
    let least = smallest_eigenvalue(&added);
    if least < -1e-9 * largest {
        let text = format!(
            "the added mass of {name} is unstable: found the eigenvalue {least:.4}, expected none below 0 \
             (SNAME derivatives are negative, `values` and `rows` positive)"
        );
        problems.push(at, text);
    }
    added.to_parent(R_LU, Vec3::zero())
}

fn trim(body: &Body, to_link: impl Fn([f64; 3]) -> Vec3) -> Trim {
    let mut trim = Trim { force: 0.0, moment_arm: Vec3::zero() };
    for (_, load) in body.loads.iter() {
        trim.force += load.force_n;
        trim.moment_arm += to_link(load.at_m).scale(load.force_n);
    }
    trim
}

fn volume(name: &str, body: &Body, loads: f64, around: Surroundings, problems: &mut Problems) -> f64 {
    let Some(net) = body.net_buoyancy_n else { return body.volume_m3 };
    let at = body.at.of("net_buoyancy_n");
    if body.at.has("volume_m3") {
        let text = format!(
            "{name} has both `volume_m3` and `net_buoyancy_n` (at {at}), expected one of them: set the other to null"
        );
        problems.push(body.at.of("volume_m3"), text);
    }
    let rho_g = around.density * around.gravity;
    if rho_g <= 0.0 {
        let text = format!("`net_buoyancy_n` of {name} needs gravity and water: write `volume_m3` instead");
        problems.push(at, text);
        return 0.0;
    }
    let volume = (body.mass_kg * around.gravity - loads + net) / rho_g;
    if volume < 0.0 {
        problems.push(at, format!("{name} would displace {volume:.6} m3, expected none below 0"));
        return 0.0;
    }
    volume
}

fn damping(name: &str, body: &Body, kind: Derivative, problems: &mut Problems) -> Damping {
    let (set, key) = match kind {
        Derivative::Linear => (&body.linear_damping, "linear_damping"),
        _ => (&body.quadratic_damping, "quadratic_damping"),
    };
    let m = sname::matrix(set, kind, body.axes, key, problems);
    // xᵀ D x < 0 for some x would be a motor; for the quadratic law the diagonal tells
    let feeds = match kind {
        Derivative::Linear => {
            let even = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (m[i][j] + m[j][i])));
            let largest = m.iter().flatten().fold(0.0_f64, |a, x| a.max(x.abs()));
            smallest_eigenvalue(&SpatialInertia::from_matrix(&even)) < -1e-9 * largest
        }
        _ => (0..6).any(|i| m[i][i] < 0.0),
    };
    if feeds {
        let text = format!(
            "the {} of {name} would feed energy in, expected it positive semi-definite \
             (SNAME derivatives are negative, `values` and `rows` positive)",
            key.replace('_', " ")
        );
        problems.push(body.at.of(key), text);
    }
    Damping::from_matrix(&m)
}

fn hull(body: &Body, volume: f64, cb: Vec3, R_LU: Mat3) -> Hull {
    let half = |s: &[f64; 3]| Vec3::new(0.5 * s[0], 0.5 * s[1], 0.5 * s[2]);
    let (shape, center) = match &body.hull {
        HullFile::Sphere => {
            let r = libm::cbrt(volume * 3.0 / (4.0 * std::f64::consts::PI)).max(POINT_RADIUS);
            (Shape::Ellipsoid(Vec3::new(r, r, r)), None)
        }
        HullFile::Box { size_m, center_m, .. } => (Shape::Box(half(size_m)), *center_m),
        HullFile::Ellipsoid { size_m, center_m, .. } => (Shape::Ellipsoid(half(size_m)), *center_m),
    };
    let bound = match shape {
        Shape::Box(h) => h.norm(),
        Shape::Ellipsoid(a) => a.x.max(a.y).max(a.z),
    };
    let p_LoH = center.map_or(cb, |c| R_LU.mul_vec(sname::vector(body.axes, c)));
    Hull { shape, p_LoH, R_LH: R_LU, bound }
}
