//! V30 to V33, V35 and V36: bodies in ideal fluid.

use crate::cases::prelude::*;
use merrow_math::SpatialForce;
use merrow_model::state::Motion;
use merrow_model::state::workspace::LinkWork;
use merrow_world::import::estimate::Solid;
use std::f64::consts::PI;

// V30: half the displaced mass. The panel program is 2.5 % above it because of its mesh.
pub(super) fn sphere(data: &ReferenceData) -> Result<CaseResult, String> {
    let a = data.added(Solid::Ellipsoid([1.0; 3]))?;
    let coefficient = a[2] / (4.0 / 3.0 * PI);
    Ok(CaseResult::new(checks! {
        "added mass over ρV", "", 0.5, coefficient, Absolute(1e-9);
        "added mass over ρV, BEM with 24 x 24 panels", "", 0.512_36, coefficient, Relative(0.03);
        "added inertia", "m^5", 0.0, a[3], Absolute(1e-12);
    }))
}

/// Returns the added mass of a prolate spheroid along its axis and across it, and the added inertia
/// about a transverse axis, relative to the displaced water. `ratio` is the semi-axis ratio a/b.
fn lamb(data: &ReferenceData, ratio: f64) -> Result<[f64; 3], String> {
    let a = data.added(Solid::Ellipsoid([ratio, 1.0, 1.0]))?;
    let volume = 4.0 / 3.0 * PI * ratio;
    Ok([
        a[0] / volume,
        a[1] / volume,
        a[4] / (volume * (ratio * ratio + 1.0) / 5.0),
    ])
}

// V31: Lamb's factors, published with six digits.
pub(super) fn spheroids(data: &ReferenceData) -> Result<CaseResult, String> {
    let table = [
        (2.0, [0.210_015, 0.704_210, 0.239_424]),
        (5.0, [0.059_121, 0.894_261, 0.699_851]),
        (8.421_05, [0.027_036, 0.948_702, 0.850_647]),
        (10.0, [0.020_706, 0.960_235, 0.883_538]),
    ];
    let mut checks = Vec::new();
    for (ratio, expected) in table {
        let found = lamb(data, ratio)?;
        for ((name, expected), found) in ["k1", "k2", "k'"].into_iter().zip(expected).zip(found) {
            checks.extend(checks! {
                format!("{name}, a/b = {ratio}"), "", expected, found, Absolute(1e-6);
            });
        }
    }
    Ok(CaseResult::new(checks))
}

// V32: across, along and rotation. The tables have coarse steps of the proportions, so they are
// accurate to 5, 12 and 20 %.
pub(super) fn cylinder(data: &ReferenceData) -> Result<CaseResult, String> {
    let rod = Solid::Cylinder {
        radius: 0.0955,
        length: 1.33,
    };
    let a = data.added(rod)?.map(|a| 1000.0 * a);
    Ok(CaseResult::new(checks! {
        "sway", "kg", 36.60, a[0], Relative(0.05);
        "surge", "kg", 3.556, a[2], Relative(0.12);
        "pitch", "kg m²", 4.512, a[4], Relative(0.20);
    }))
}

// V33: 6 %, between the result of the panel program and the handbook value 0.67.
pub(super) fn cube(data: &ReferenceData) -> Result<CaseResult, String> {
    let a = data.added(Solid::Box([1.0; 3]))?;
    Ok(CaseResult::new(checks! {
        "added mass over ρV", "", 0.6466, a[0], Relative(0.06);
    }))
}

/// Mass [kg] of a neutrally buoyant spheroid with semi-axes 0.8 and 0.1 m in water of 1000 kg/m³.
const MASS: f64 = 33.510_321_638_291_13;

/// Returns a world with this spheroid without gravity and with the initial velocities `velocities`.
fn spheroid(data: &ReferenceData, velocities: &str) -> Result<String, String> {
    let [k1, k2, k] = lamb(data, 8.0)?.map(|k| k * MASS);
    let round = (0.8 * 0.8 + 0.1 * 0.1) / 5.0;
    let (inertia, about, about_axis) = (MASS * round, k * round, MASS * 0.4 * 0.1 * 0.1);
    Ok(format!(
        "
gravity_m_s2: 0
water: {{density_kg_m3: 1000}}
step: {{dt_s: 0.001}}
robots:
  spheroid:
    position_m: [0, 0, -50]
    {velocities}
    model:
      source: cases V35, V36
      body:
        {{source: cases V35 and V36, axes: flu, mass_kg: {MASS}, volume_m3: 0.03351032163829113,
        inertia_kg_m2: {{xx: {about_axis}, yy: {inertia}, zz: {inertia}}},
        added_mass: {{kind: diagonal, values: [{k1}, {k2}, {k2}, 0, {about}, {about}]}}}}
"
    ))
}

// V35: pose and velocity at 1, 2, 5, 10 and 20 s. The tolerance is 1e-6 up to 5 s and 1e-5 later,
// because the motion is mildly unstable. Energy and impulse of the water are conserved to 1e-9.
pub(super) fn kirchhoff(data: &ReferenceData) -> Result<CaseResult, String> {
    let text = data.text("reference_solutions.json")?;
    let all: serde_json::Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let reference = &all["kirchhoff_spheroid"];
    let start = "velocity_m_s: [1, 0.1, -0.05]\n    angular_velocity_rad_s: [0.2, 0.1, -0.15]";
    let mut s = data.simulation(&spheroid(data, start)?)?;
    let (mut now, mut checks) = (0.0, Vec::new());
    let rows = reference["rows"]
        .as_array()
        .ok_or("reference_solutions.json: no rows of Kirchhoff's spheroid")?;
    for row in rows {
        let row = numbers(row);
        let t = row.first().copied().unwrap_or(f64::NAN);
        advance(&mut s, t - now);
        now = t;
        checks.extend(motion_checks(&row, &s.state.robots[0].motion));
    }
    let work = evaluate(&s.scene, &s.state.robots[0].motion)?;
    checks.extend(conservation_checks(reference, &work.links[0]));
    Ok(CaseResult::new(checks))
}

/// Returns the numbers of a JSON array; other elements are left out.
fn numbers(value: &serde_json::Value) -> Vec<f64> {
    value.as_array().map_or_else(Vec::new, |a| {
        a.iter().filter_map(serde_json::Value::as_f64).collect()
    })
}

/// Compares position, velocities and axis of the spheroid with a row of the reference: time [s],
/// quaternion of the attitude in W, position [m] in W from its start, velocity [m/s] and angular
/// velocity [rad/s] in B.
fn motion_checks(row: &[f64], found: &Motion) -> Vec<Check> {
    let vector = |k: usize| match row.get(k..k + 3) {
        Some(v) => Vec3::new(v[0], v[1], v[2]),
        None => Vec3::new(f64::NAN, f64::NAN, f64::NAN),
    };
    let now = row.first().copied().unwrap_or(f64::NAN);
    let tolerance = if now <= 5.0 { 1e-6 } else { 1e-5 };
    let q = row.get(1..5).map_or(Quat::identity(), |q| Quat {
        w: q[0],
        x: q[1],
        y: q[2],
        z: q[3],
    });
    let down = Vec3::new(0.0, 0.0, 50.0);
    let axis = q.normalized().matrix().col(0);
    [
        ("position", "m", vector(5), found.p_WB + down),
        ("velocity", "m/s", vector(8), found.V_WB_B.v),
        ("angular velocity", "rad/s", vector(11), found.V_WB_B.w),
        ("axis", "", axis, found.q_WB.matrix().col(0)),
    ]
    .into_iter()
    .flat_map(|(what, unit, expected, found)| {
        let distance = (found - expected).norm() / expected.norm().max(1.0);
        checks! { format!("error of {what} at {now} s"), unit, tolerance, distance, AtMost; }
    })
    .collect()
}

/// Compares the energy [J] and the linear impulse [N s] in W of the spheroid and its water with the
/// values of the reference.
fn conservation_checks(reference: &serde_json::Value, w: &LinkWork<f64>) -> Vec<Check> {
    let energy = 0.5 * w.V.dot(&w.inertia.mul(&w.V));
    let impulse: SpatialForce = w.inertia.mul(&w.V).to_parent(&w.R_WL, w.p_WL);
    let kept = numbers(&reference["lin_impulse_world"]);
    let kept = |i: usize| kept.get(i).copied().unwrap_or(f64::NAN);
    let kept = Vec3::from(std::array::from_fn(kept));
    let expected = reference["energy"].as_f64().unwrap_or(f64::NAN);
    let distance = (impulse.f - kept).norm() / kept.norm();
    checks! {
        "energy after 20 s", "J", expected, energy, Relative(1e-9);
        "relative error of the impulse after 20 s", "", 1e-9, distance, AtMost;
    }
}

// V36: the moment (A33 - A11) u w at 10 degrees, to rounding. The growth rate of a perturbation of
// 1e-7 along the growing mode over 3 s, 1e-6: second order of the perturbation and RK4 error.
pub(super) fn munk(data: &ReferenceData) -> Result<CaseResult, String> {
    let (sin, cos) = sin_cos(10_f64.to_radians());
    let start = format!("velocity_m_s: [{cos}, 0, {sin}]");
    let scene = data.world(&spheroid(data, &start)?)?;
    let work = evaluate(&scene, &initial_motion(&scene)?)?;
    let total = &scene.robots[0].links[0].total;
    // an upward velocity causes a moment that lowers the nose: positive about y, which points to
    // the left
    let moment = work.links[0].A.w.y * total.A.yy;
    let rate = libm::sqrt(total.D.xx * (total.D.yy - total.D.xx) / (total.D.yy * total.A.zz));
    let v = 1e-7;
    let r = -total.D.yy * rate * v / total.D.xx;
    let start = format!("velocity_m_s: [1, {v}, 0]\n    angular_velocity_rad_s: [0, 0, {r}]");
    let mut s = data.simulation(&spheroid(data, &start)?)?;
    advance(&mut s, 3.0);
    let growth = libm::log(s.state.robots[0].motion.V_WB_B.v.y / v) / 3.0;
    Ok(CaseResult::new(checks! {
        "moment at 1 m/s and 10 deg", "N m", 5.246_225_535_255_286, moment, Relative(1e-9);
        "growth rate of the closed form at 1 m/s", "1/s", 1.423_461_412_331_079, rate,
            Relative(1e-6);
        "growth rate in the simulation", "1/s", 1.423_461_412_331_079, growth, Relative(1e-6);
    }))
}
