//! Conversion of a body file to the inertia, buoyancy and damping of a link.

use crate::build::robot::BuildContext;
use crate::build::robot::actuator::checked_table;
use crate::build::robot::hull;
use crate::build::robot::radiation;
use crate::import::sname;
use crate::import::sname::Derivative;
use merrow_math::hull_cut::HullShape;
use merrow_math::{Mat3, SpatialInertia, Sym3, Vec3};
use merrow_model::scene::robot::body::{
    Blendermann, Glider, Hull, KelpieAttitude, MunkMoments, Restoring, SlenderBody, SurfaceDamping,
    Trim, WindLaw, WindLoad,
};
use merrow_model::scene::{Damping, Joint, Link, smallest_eigenvalue};
use merrow_schema::air::WindLawConfig;
use merrow_schema::{Axes, Body, HullConfig, HullWavesConfig, SlenderConfig};
use merrow_yaml::error::Problems;

/// Gravity and water for which the buoyancy of a body is trimmed.
#[derive(Clone, Copy, Debug)]
pub struct WaterAndGravity {
    /// Acceleration of gravity [m/s²].
    pub gravity: f64,
    /// Density of the water [kg/m³].
    pub density: f64,
    /// Depth of the water [m].
    pub depth: f64,
}

/// Radius of the sphere for a body with neither hull nor volume [m].
const POINT_RADIUS: f64 = 0.01;

/// Builds the link of `body`. `R_LU` rotates from the user's frame to the link frame; `parent` and
/// `joint` connect the link.
pub fn build_link(
    name: &str,
    body: &Body,
    (R_LU, parent, joint): (Mat3, Option<usize>, Joint),
    frame: BuildContext<'_>,
    problems: &mut Problems,
) -> Link {
    let around = frame.around;
    let to_link = |v: [f64; 3]| R_LU.mul_vec(sname::vector_to_flu(body.axes, v));
    let com = to_link(body.center_of_mass_m);
    let rigid = SpatialInertia::rigid(body.mass_kg, com, &inertia_about_com(body).rotated(&R_LU));
    // In air there is no added mass. It is set to zero only here; every use of `total` follows from
    // it.
    let in_water = around.density > 0.0;
    let stated = added_mass(name, body, &R_LU, problems);
    let added = if in_water {
        stated
    } else {
        SpatialInertia::zero()
    };
    let total = rigid.plus(&added);
    if smallest_eigenvalue(&rigid) <= 0.0 {
        let text =
            format!("the inertia of {name} is not positive definite: no such body can exist");
        problems.push(body.at.key_place("inertia_kg_m2"), text);
    } else if violates_triangle_inequality(&inertia_about_com(body)) {
        let text = format!(
            "the inertia of {name} violates the triangle inequality: no such body can exist, expected no principal \
             moment above the sum of the two others"
        );
        problems.push(body.at.key_place("inertia_kg_m2"), text);
    }
    let trim = trim(body, to_link);
    let meshed = hull::build_mesh_hull(name, body, R_LU, frame.assets, problems);
    let stated = body.at.has_key("volume_m3") || body.net_buoyancy_n.is_some();
    let volume = match &meshed {
        Some(mesh) if !stated => mesh.volume,
        // Displaced volume at the floating position, for the force of accelerated waves.
        None if body.restoring.is_some() && in_water => body
            .restoring
            .as_ref()
            .map_or(0.0, |r| r.floating_mass_kg / around.density),
        _ => volume(name, body, trim.force, around, problems),
    };
    let cb = match &meshed {
        Some(mesh) if !body.at.has_key("center_of_buoyancy_m") => mesh.centroid,
        _ => to_link(body.center_of_buoyancy_m),
    };
    let linear_damping = damping(name, body, Derivative::Linear, problems);
    let quadratic_damping = damping(name, body, Derivative::Quadratic, problems);
    let (linear_damping, quadratic_damping) = linear_damping.paired_with(quadratic_damping);
    let derivatives = sname::product_derivatives(&body.derivatives, problems);
    if let Some(w) = body
        .wind
        .as_ref()
        .filter(|w| w.blendermann.is_some() && w.at.has_key("law"))
    {
        let text =
            format!("the wind on {name} has both `law` and `blendermann`, expected one of them");
        problems.push(w.at.key_place("law"), text);
    }
    let wet = in_water
        && (volume > 0.0
            || added != SpatialInertia::zero()
            || body.radiation.is_some()
            || body.surface_damping.is_some()
            || body.slender.is_some()
            || body.restoring.is_some()
            || body.glider.is_some()
            || !derivatives.is_empty()
            || linear_damping != Damping::Zero
            || quadratic_damping != Damping::Zero);
    let mut link = Link {
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
        hull: meshed
            .as_ref()
            .map_or_else(|| hull(body, volume, cb, R_LU), |mesh| mesh.hull),
        own_hull: body.hull != HullConfig::Sphere,
        hull_mesh: meshed.and_then(|mesh| mesh.skin),
        sums_waves: matches!(&body.hull, HullConfig::Mesh(f) if f.waves == HullWavesConfig::Sum),
        radiation: None,
        surface_laws: false,
        surface_damping: surface_damping(name, body, problems),
        kelpie_attitude: kelpie_attitude(name, body, parent.is_some(), problems),
        trim,
        linear_damping,
        quadratic_damping,
        damping_decay: damping_decay(body),
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
        glider: body.glider.as_ref().map(|g| Glider {
            drag: g.drag,
            lift: g.lift,
            side: g.side,
            roll: g.roll,
            pitch: g.pitch,
            yaw: g.yaw,
        }),
        derivatives: derivatives.clone(),
        munk: munk(body, derivatives.is_empty()),
        p_LoD: to_link(body.damping_point_m),
        wet,
        restoring: restoring(name, body, parent, to_link, problems),
        wind: body.wind.as_ref().map(|w| WindLoad {
            drag_area: Vec3::from(std::array::from_fn(|i| w.area_m2[i] * w.drag[i])),
            p_LoC: to_link(w.center_m),
            dry_at_rest: 1.0, // `waterline.rs`
            ship: w.blendermann.as_ref().map(|b| Blendermann {
                areas: [w.area_m2[0], w.area_m2[1]],
                side: b.side_drag,
                ends: [b.head_drag, b.stern_drag],
                delta: b.delta,
                roll: b.roll_factor,
                length: b.length_m,
            }),
            law: match w.law {
                WindLawConfig::Drag => WindLaw::Drag,
                WindLawConfig::Kelpie => WindLaw::Kelpie,
            },
        }),
    };
    radiation::set_radiation(&mut link, body, frame, problems);
    link.surface_laws = link.radiation.is_some()
        || link.surface_damping.is_some()
        || link.kelpie_attitude.is_some();
    link
}

/// Munk moments of `body`; `own` if no derivatives replace them.
fn munk(body: &Body, own: bool) -> MunkMoments {
    match (body.munk_moment && own, body.munk_moment_yaw) {
        (true, true) => MunkMoments::All,
        (true, false) => MunkMoments::WithoutYaw,
        (false, _) => MunkMoments::RollOnly,
    }
}

fn cross_flow_curve(name: &str, file: &SlenderConfig, problems: &mut Problems) -> Vec<(f64, f64)> {
    let place = file.at.key_place("cross_flow_over_speed_m_s");
    let pairs = &file.cross_flow_over_speed_m_s;
    if pairs.iter().flatten().any(|x| *x < 0.0) {
        problems.push(
            place,
            format!("the cross-flow drag of {name} over speed: expected non-negative numbers"),
        );
    }
    checked_table(
        pairs,
        &format!("the cross-flow drag of {name}"),
        place,
        problems,
    )
}

fn surface_damping(
    name: &str,
    body: &Body,
    problems: &mut Problems,
) -> Option<Box<SurfaceDamping>> {
    let file = body.surface_damping.as_ref()?;
    let place = file.at.key_place("wave_resistance_n");
    let pairs = &file.wave_resistance_n;
    if pairs.first().is_some_and(|pair| pair[0] <= 0.0) {
        let text = format!(
            "the wave resistance of {name} begins at the speed {}, expected one above 0",
            pairs[0][0]
        );
        problems.push(place, text);
    }
    Some(Box::new(SurfaceDamping {
        roll: [
            file.roll_nm_s_per_rad,
            file.roll_quadratic_nm_s2,
            file.roll_cubic_nm_s3,
        ],
        roll_lift: file.roll_lift_n_s2,
        resistance: checked_table(
            pairs,
            &format!("the wave resistance of {name} over speed"),
            place,
            problems,
        ),
    }))
}

fn kelpie_attitude(
    name: &str,
    body: &Body,
    is_child: bool,
    problems: &mut Problems,
) -> Option<KelpieAttitude> {
    let file = body.kelpie_attitude.as_ref()?;
    if is_child {
        let text = format!("`kelpie_attitude` of {name}: only the base of a robot can have it");
        problems.push(&file.at.whole, text);
    }
    if matches!(body.hull, HullConfig::Mesh(_)) {
        let text = format!(
            "`kelpie_attitude` is for vehicles without a hull mesh, but the hull of {name} is a mesh, on which the wave pressure acts: \
             leave one of them out"
        );
        problems.push(&file.at.whole, text);
    }
    Some(KelpieAttitude {
        pitch: file.pitch_rad_per_m,
        roll: file.roll_rad_per_m,
        bandwidth: std::f64::consts::TAU * file.bandwidth_hz,
    })
}

fn strips(name: &str, file: &SlenderConfig, problems: &mut Problems) -> usize {
    if file.cross_flow_strips == 1 {
        let text = format!(
            "the cross-flow drag of {name}: found 1 strip, expected 0 (exact) or 2 and more"
        );
        problems.push(file.at.key_place("cross_flow_strips"), text);
    }
    file.cross_flow_strips as usize
}

fn restoring(
    name: &str,
    body: &Body,
    parent: Option<usize>,
    to_link: impl Fn([f64; 3]) -> Vec3,
    problems: &mut Problems,
) -> Option<Restoring> {
    let file = body.restoring.as_ref()?;
    let at = &file.at;
    if parent.is_some() {
        problems.push(
            &at.whole,
            format!("{name} has `restoring`, expected it on the base only: use `hull`"),
        );
    }
    if body.hull != HullConfig::Sphere || body.volume_m3 > 0.0 || body.net_buoyancy_n.is_some() {
        let text = format!(
            "{name} has `restoring` and `hull`, `volume_m3` or `net_buoyancy_n`, expected either `restoring` or the other keys"
        );
        problems.push(&at.whole, text);
    }
    if file.max_supported_kg <= file.floating_mass_kg {
        let text = format!(
            "`max_supported_kg` is {}, expected more than `floating_mass_kg` {}: the hull would not float",
            file.max_supported_kg, file.floating_mass_kg
        );
        problems.push(at.key_place("max_supported_kg"), text);
    }
    Some(Restoring {
        mass: file.floating_mass_kg,
        p_LoM: to_link(file.floating_mass_center_m),
        heave: file.heave_n_per_m,
        roll: file.roll_nm_per_rad,
        pitch: file.pitch_nm_per_rad,
        p_LoF: to_link(file.center_of_flotation_m),
        reserve: file.max_supported_kg,
    })
}

/// Builds a link without a body: a frame that is merged into its parent.
pub(crate) fn frame_link(name: &str, R_LU: Mat3, parent: usize, joint: Joint) -> Link {
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
            shape: HullShape::Ellipsoid(Vec3::new(POINT_RADIUS, POINT_RADIUS, POINT_RADIUS)),
            p_LoH: Vec3::zero(),
            R_LH: R_LU,
            bound: POINT_RADIUS,
        },
        own_hull: false,
        hull_mesh: None,
        sums_waves: false,
        radiation: None,
        surface_laws: false,
        surface_damping: None,
        kelpie_attitude: None,
        trim: Trim {
            force: 0.0,
            moment_arm: Vec3::zero(),
        },
        linear_damping: Damping::Zero,
        quadratic_damping: Damping::Zero,
        damping_decay: None,
        slender: None,
        glider: None,
        derivatives: Vec::new(),
        munk: MunkMoments::All,
        p_LoD: Vec3::zero(),
        wet: false,
        restoring: None,
        wind: None,
    }
}

/// Returns the decay of the linear damping [s/m], angular components first; `None` if nothing
/// decays.
fn damping_decay(body: &Body) -> Option<[f64; 6]> {
    let k = body.linear_damping_decay_s_per_m;
    k.iter()
        .any(|k| *k > 0.0)
        .then(|| std::array::from_fn(|i| k[(i + 3) % 6]))
}

/// Returns the inertia about the centre of mass [kg m²] in FLU axes.
fn inertia_about_com(body: &Body) -> Sym3 {
    let i = &body.inertia_kg_m2;
    let s = if body.axes == Axes::Frd { -1.0 } else { 1.0 };
    Sym3 {
        xx: i.xx,
        xy: s * i.xy,
        xz: s * i.xz,
        yy: i.yy,
        yz: i.yz,
        zz: i.zz,
    }
}

/// Returns whether a principal moment exceeds the sum of the two others. Then ∫r rᵀ dm, which is
/// half the trace minus the inertia, has a negative eigenvalue.
fn violates_triangle_inequality(i: &Sym3) -> bool {
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
    second_moment.symmetric_eigenvalues().min() < -0.01 * half
}

fn added_mass(name: &str, body: &Body, R_LU: &Mat3, problems: &mut Problems) -> SpatialInertia {
    let m = sname::coefficient_matrix(
        &body.added_mass,
        Derivative::AddedMass,
        body.axes,
        "added_mass",
        problems,
    );
    let at = body.at.key_place("added_mass");
    let largest = m.iter().flatten().fold(0.0_f64, |a, x| a.max(x.abs()));
    let skew = (0..6)
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| (m[i][j] - m[j][i]).abs());
    if skew.fold(0.0, f64::max) > 0.01 * largest {
        problems.push(
            at,
            format!("the added mass of {name} is not symmetric (by more than 1 %)"),
        );
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

fn volume(
    name: &str,
    body: &Body,
    loads: f64,
    around: WaterAndGravity,
    problems: &mut Problems,
) -> f64 {
    let Some(net) = body.net_buoyancy_n else {
        return body.volume_m3;
    };
    let at = body.at.key_place("net_buoyancy_n");
    if body.at.has_key("volume_m3") {
        let text = format!(
            "{name} has both `volume_m3` and `net_buoyancy_n` (at {at}), expected one of them: set the other to null"
        );
        problems.push(body.at.key_place("volume_m3"), text);
    }
    let rho_g = around.density * around.gravity;
    if rho_g <= 0.0 {
        let text = format!(
            "`net_buoyancy_n` of {name} needs gravity and water: write `volume_m3` instead"
        );
        problems.push(at, text);
        return 0.0;
    }
    let volume = (body.mass_kg * around.gravity - loads + net) / rho_g;
    if volume < 0.0 {
        problems.push(
            at,
            format!("{name} would displace {volume:.6} m3, expected at least 0"),
        );
        return 0.0;
    }
    volume
}

fn damping(name: &str, body: &Body, kind: Derivative, problems: &mut Problems) -> Damping {
    let (set, key) = match kind {
        Derivative::Linear => (&body.linear_damping, "linear_damping"),
        _ => (&body.quadratic_damping, "quadratic_damping"),
    };
    let m = sname::coefficient_matrix(set, kind, body.axes, key, problems);
    // xᵀ D x < 0 for some x would add energy. For the quadratic law the diagonal is checked.
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
            "the {} of {name} would add energy, expected a positive semi-definite matrix \
             (SNAME derivatives are negative, `values` and `rows` positive)",
            key.replace('_', " ")
        );
        problems.push(body.at.key_place(key), text);
    }
    Damping::from_matrix(&m)
}

fn hull(body: &Body, volume: f64, cb: Vec3, R_LU: Mat3) -> Hull {
    let half = |s: &[f64; 3]| Vec3::new(0.5 * s[0], 0.5 * s[1], 0.5 * s[2]);
    let (shape, center) = match &body.hull {
        HullConfig::Sphere | HullConfig::Mesh(_) | HullConfig::BoundingBox(_) => {
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
