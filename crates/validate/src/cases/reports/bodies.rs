//! V90 to V97: buoyancy, added mass, damping and imported inertia.

use crate::cases::hulls::floating_equilibrium;
use crate::cases::prelude::*;
use merrow_math::SpatialVelocity;
use merrow_model::state::Workspace;
use std::f64::consts::{PI, TAU};

// V90: closed forms; 0.5 % where triangles approximate the cylinder.
pub(crate) fn imported_hulls(data: &ReferenceData) -> Result<CaseResult, String> {
    let cat = floating_equilibrium(&data.file("reports/catamaran.yaml")?)?;
    let log = floating_equilibrium(&data.file("reports/log.yaml")?)?;
    let radius = 0.2;
    // 2 r L³/12 over half the volume, and the centroid of a half disc
    let gm_log = 2.0 * radius * 8.0 / 12.0 / (PI * radius * radius) - 4.0 * radius / (3.0 * PI);
    Ok(CaseResult::new(checks! {
        "catamaran: draught", "m", 0.12, cat.draught.unwrap_or(f64::NAN), Absolute(1e-9);
        "catamaran: waterplane", "m²", 1.0, cat.waterplane, Absolute(1e-6);
        "catamaran: transverse GM", "m", 8.336_736, cat.gm_transverse, Absolute(1e-5);
        "catamaran: longitudinal GM", "m", 2.737_778, cat.gm_longitudinal, Absolute(1e-5);
        "log: draught", "m", radius, log.draught.unwrap_or(f64::NAN), Relative(5e-3);
        "log: waterplane", "m²", 0.8, log.waterplane, Relative(5e-3);
        "log: GM about its axis", "m", 0.0, log.gm_longitudinal, Absolute(1e-3);
        "log: GM across its axis", "m", gm_log, log.gm_transverse, Relative(5e-3);
    }))
}

// V91: the depth of the centre at which the cap of the air displaces what is missing. The damped
// body has come to rest within 1e-6 m after 60 s.
pub(crate) fn floating_sphere(data: &ReferenceData) -> Result<CaseResult, String> {
    let (mass, radius, density) = (30.0, 0.2_f64, 1028.0);
    let volume = 4.0 / 3.0 * PI * radius * radius * radius;
    let mut s = data.simulation(&format!(
        "
water: {{density_kg_m3: {density}}}
robots:
  ball:
    position_m: [0, 0, -1]
    model: {{source: case V91, body: {{source: case V91, axes: flu, mass_kg: {mass}, inertia_kg_m2: {{xx: 0.5, yy: 0.5, zz: 0.5}}, volume_m3: {volume}, linear_damping: {{kind: diagonal, values: [20, 20, 40, 1, 1, 1]}}}}}}
"
    ))?;
    advance(&mut s, 60.0);
    let at_rest = &s.state.robots[0].motion;
    let above = volume - mass / density;
    // cap of height c: π c² (3 r - c)/3
    let cap = |c: f64| PI * c * c * (3.0 * radius - c) / 3.0;
    let [height, _] = bisect(60, [0.0, radius], |c| cap(c) < above);
    Ok(CaseResult::new(checks! {
        "height of the centre", "m", height - radius, at_rest.p_WB.z, Absolute(1e-6);
        "speed", "m/s", 0.0, at_rest.V_WB_B.v.norm(), Absolute(1e-6);
    }))
}

// V92: rounding.
pub(crate) fn tall_box(data: &ReferenceData) -> Result<CaseResult, String> {
    let scene = data.world(
        "
water: {density_kg_m3: 1000}
robots:
  column: {model: {source: case V92, body: {source: case V92, axes: flu, mass_kg: 10, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}, volume_m3: 0.02, hull: {kind: box, size_m: [0.1, 0.1, 2]}}}}
",
    )?;
    let mut checks = Vec::new();
    for height in [-1.5, -0.9, 0.0, 0.4, 0.75, 0.99, 1.2] {
        let mut motion = initial_motion(&scene)?;
        motion.p_WB = Vec3::new(0.0, 0.0, height);
        let draught = (1.0_f64 - height).clamp(0.0, 2.0);
        let buoyancy = evaluate(&scene, &motion)?.links[0].F.f.z + 10.0 * scene.gravity;
        checks.extend(checks! {
            format!("centre at {height} m"), "N", 1000.0 * scene.gravity * 0.01 * draught, buoyancy,
                Absolute(1e-9);
        });
    }
    Ok(CaseResult::new(checks))
}

// V93: angle of 0.001 rad; the period of the finite swing differs by 6e-8, the growth by the
// decaying part, below 1e-4 of it after five time constants.
pub(crate) fn restoring(data: &ReferenceData) -> Result<CaseResult, String> {
    let (mass, moment, lever) = (10.0, 0.5, 0.05);
    let mut checks = Vec::new();
    for sign in [1.0, -1.0] {
        let mut s = data.simulation(&format!(
            "
step: {{dt_s: 0.001}}
water: {{density_kg_m3: 1000}}
robots:
  r:
    position_m: [0, 0, -20]
    attitude_deg: [{}, 0, 0]
    model: {{source: case V93, body: {{source: case V93, axes: flu, mass_kg: {mass}, inertia_kg_m2: {{xx: {moment}, yy: 1, zz: 1}}, volume_m3: 0.01, center_of_buoyancy_m: [0, 0, {}]}}}}
",
            0.001_f64.to_degrees(),
            sign * lever
        ))?;
        let rate = (mass * s.scene.gravity * lever / moment).sqrt();
        let roll = |s: &Simulation| s.state.robots[0].motion.q_WB.matrix().to_rpy()[0];
        if sign > 0.0 {
            advance(&mut s, TAU / rate);
            checks.extend(checks! {
                "above: roll after one period", "rad", 0.001, roll(&s), Absolute(1e-8);
            });
            advance(&mut s, 0.5 * TAU / rate);
            checks.extend(checks! {
                "above: roll half a period later", "rad", -0.001, roll(&s), Absolute(1e-8);
            });
        } else {
            let time = 3.0 / rate;
            advance(&mut s, time);
            let steps = libm::round(time / s.scene.dt()) * s.scene.dt();
            let expected = 0.001 * libm::cosh(rate * steps);
            checks.extend(checks! {
                "below: roll after three time constants", "rad", expected, roll(&s), Relative(1e-4);
            });
        }
    }
    Ok(CaseResult::new(checks))
}

// V94: rounding.
pub(crate) fn large_added_mass(data: &ReferenceData) -> Result<CaseResult, String> {
    let mut checks = Vec::new();
    for ratio in [0.1, 1.0, 1.5, 10.0, 1000.0] {
        let added = 5.0 * ratio;
        let mut s = data.simulation(&format!(
            "
step: {{dt_s: 0.01}}
water: {{density_kg_m3: 1000}}
robots:
  r:
    position_m: [0, 0, -20]
    model: {{source: case V94, body: {{source: case V94, axes: flu, mass_kg: 5, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}, net_buoyancy_n: 0, added_mass: {{kind: diagonal, values: [{added}, {added}, {added}, 0, 0, 0]}}}}}}
schedule: {{f: {{time_s: 0, robot: r, kind: push, force_n: [3, 0, 0], duration_s: 20}}}}
"
        ))?;
        advance(&mut s, 10.0);
        checks.extend(checks! {
            format!("speed after 10 s, {ratio} times the mass"), "m/s", 30.0 / (5.0 + added),
                s.state.robots[0].motion.V_WB_B.v.x, Relative(1e-9);
        });
    }
    Ok(CaseResult::new(checks))
}

/// Added mass of V95 [kg, kg m, kg m²], symmetric with random entries.
const ADDED_MASS: &str = "[\
  [0.3949679265119419, 0.046356515552357314, 0.10350947385435993, 0.898797296303345, 0.49882101032414017, 0.37538990588775467], \
  [0.046356515552357314, 0.7251406148851146, 0.6826397691305769, 0.7790258092356468, 0.3095523984784859, 0.9762734675205801], \
  [0.10350947385435993, 0.6826397691305769, 0.7127177841503902, 0.968056899449243, 0.7054363474498657, 0.9327424023111127], \
  [0.898797296303345, 0.7790258092356468, 0.968056899449243, 0.7730463848840338, 0.5459481647643502, 0.8074138574151712], \
  [0.49882101032414017, 0.3095523984784859, 0.7054363474498657, 0.5459481647643502, 0.13432180787188996, 0.8255294272171281], \
  [0.37538990588775467, 0.9762734675205801, 0.9327424023111127, 0.8074138574151712, 0.8255294272171281, 0.2597705135260855]]";

// V95: accelerations over the first 0.1 ms; the published digits.
pub(crate) fn indefinite_added_mass(data: &ReferenceData) -> Result<CaseResult, String> {
    let mut s = data.simulation(&format!(
        "
step: {{dt_s: 0.0001}}
water: {{density_kg_m3: 1000}}
robots:
  r:
    position_m: [0, 0, -30]
    model: {{source: case V95, body: {{source: case V95, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}, volume_m3: 0.001, added_mass: {{kind: matrix, rows: {ADDED_MASS}}}}}}}
schedule: {{f: {{time_s: 0, robot: r, kind: push, force_n: [1, 0, 0], duration_s: 1}}}}
"
    ))?;
    advance(&mut s, 1e-4);
    let V = s.state.robots[0].motion.V_WB_B;
    Ok(CaseResult::new(checks! {
        "acceleration in surge", "m/s²", 1.6655, V.v.x * 1e4, Absolute(1e-3);
        "acceleration in sway", "m/s²", 0.4461, V.v.y * 1e4, Absolute(1e-3);
        "acceleration in heave", "m/s²", 0.7679, V.v.z * 1e4, Absolute(1e-3);
        "acceleration in roll", "rad/s²", -1.1466, V.w.x * 1e4, Absolute(1e-3);
        "acceleration in pitch", "rad/s²", -0.5508, V.w.y * 1e4, Absolute(1e-3);
        "acceleration in yaw", "rad/s²", -0.3148, V.w.z * 1e4, Absolute(1e-3);
    }))
}

/// Returns the force of the water on a steadily moving robot without actuators and the force at
/// rest, both at the base [N]. `deflection` is the angle of every fin [rad].
fn drag(scene: &Scene, v: Vec3, deflection: f64) -> Result<Vec3, String> {
    let at = |v: Vec3| -> Result<Vec3, String> {
        let mut motion = initial_motion(scene)?;
        motion.V_WB_B = SpatialVelocity { w: Vec3::zero(), v };
        let robot = &scene.robots[0];
        let mut work = Workspace::new(robot);
        for fin in &mut work.fins {
            (fin.angle, fin.area_fraction) = ([deflection; 3], 1.0);
        }
        let environment = environment_of(scene);
        let efforts = vec![0.0; robot.n_joints()];
        Kernel::new().evaluate(robot, &environment, &motion, &efforts, &mut work);
        Ok(work.links[0].F.f)
    };
    Ok(at(v)? - at(Vec3::zero())?)
}

// V96: the drag astern is between half and twice the drag ahead; the largest power of the water on
// hull and fins over all incidences is not positive.
pub(crate) fn astern(data: &ReferenceData) -> Result<CaseResult, String> {
    let mut checks = Vec::new();
    for name in ["remus100", "taipan300", "seawing"] {
        let scene = data.world(&format!(
            "robots: {{r: {{position_m: [0, 0, -50], model: {{extends: robots/{name}.yaml, sensors: null, thrusters: null, firmware: null, battery: null}}}}}}"
        ))?;
        let ahead = -drag(&scene, Vec3::new(1.0, 0.0, 0.0), 0.0)?.x;
        let back = drag(&scene, Vec3::new(-1.0, 0.0, 0.0), 0.0)?.x;
        let mut largest = f64::NEG_INFINITY;
        for k in 0..=72 {
            let (s, c) = f64::from(5 * k).to_radians().sin_cos();
            for v in [Vec3::new(c, s, 0.0), Vec3::new(c, 0.0, s)] {
                for deflection in [-0.4, 0.0, 0.25] {
                    largest = largest.max(drag(&scene, v, deflection)?.dot(v));
                }
            }
        }
        checks.extend(checks! {
            format!("{name}: larger over smaller drag at 1 m/s"), "", 2.0,
                (ahead / back).max(back / ahead), AtMost;
            format!("{name}: largest power of the water at any incidence"), "W", 1e-9, largest,
                AtMost;
        });
    }
    Ok(CaseResult::new(checks))
}

// V97: rounding.
pub(crate) fn imported_inertia(data: &ReferenceData) -> Result<CaseResult, String> {
    let scene = data.file("reports/arm.yaml")?;
    let robot = &scene.robots[0];
    let base = &robot.links[0];
    let moments = base.rigid.A;
    let q = initial_motion(&scene)?.q;
    // every joint after the base moves in one coordinate
    let angle = |name: &str| {
        let link = robot.link_index(name);
        link.and_then(|k| q.get(k - 1).copied())
            .ok_or_else(|| format!("no joint of {name}"))
    };
    Ok(CaseResult::new(checks! {
        "mass of the base", "kg", 50.5, base.mass_kg, Absolute(1e-12);
        "moment about x", "kg m²", 5.0 + 0.5 * 0.16, moments.xx, Absolute(1e-12);
        "moment about y", "kg m²", 5.0 + 0.5 * 0.25, moments.yy, Absolute(1e-12);
        "moment about z", "kg m²", 5.0 + 0.5 * 0.09, moments.zz, Absolute(1e-12);
        "product xz", "kg m²", -0.5 * 0.12, moments.xz, Absolute(1e-12);
        "joint b = 2 a + 0.1", "rad", 0.7, angle("b")?, Absolute(1e-12);
        "joint c = -b", "rad", -0.7, angle("c")?, Absolute(1e-12);
    }))
}
