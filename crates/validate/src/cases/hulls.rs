//! V42 to V44: hydrostatics of floating bodies.

use crate::cases::prelude::*;
use merrow_model::state::Motion;
use merrow_sim::report::hydrostatic_equilibrium::{
    Equilibrium, FloatingState, compute_equilibrium,
};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// Returns a world with one floating body in fresh water. `body` and `start` are YAML keys.
fn floating(data: &ReferenceData, body: &str, start: &str) -> Result<Scene, String> {
    data.world(&format!(
        "
water: {{density_kg_m3: 1000}}
robots:
  hull:
    {start}
    model: {{source: cases V42 to V44, body: {{source: cases V42 to V44, axes: flu, {body}}}}}
"
    ))
}

/// Returns the displaced volume [m³] and, relative to the origin in world axes, the horizontal
/// position [m] of the line of action of the buoyancy, both from the hydrostatic force and moment.
fn displaced(scene: &Scene, p_WB: Vec3, q_WB: Quat) -> Result<(f64, Vec3), String> {
    let motion = Motion {
        p_WB,
        q_WB,
        ..Motion::at_rest(0)
    };
    let work = evaluate(scene, &motion)?;
    let (link, w) = (&scene.robots[0].links[0], &work.links[0]);
    let weight = Vec3::new(0.0, 0.0, -link.mass_kg * scene.gravity);
    let arm = w.R_WL.mul_vec(link.p_LoLcm);
    let f = w.R_WL.mul_vec(w.F.f) - weight;
    let m = w.R_WL.mul_vec(w.F.m) - arm.cross(weight);
    Ok((
        f.z / (1000.0 * scene.gravity),
        Vec3::new(-m.y / f.z, m.x / f.z, 0.0),
    ))
}

// V42: volumes at three draughts, and the depths of their centroids below the centre of the sphere.
// Closed form 1e-9; mesh of 2048 triangles 0.3 %.
pub(super) fn caps(data: &ReferenceData) -> Result<CaseResult, String> {
    let body = "mass_kg: 100, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}";
    let volume = 4.0 / 3.0 * PI;
    let exact = floating(data, &format!("{body}, volume_m3: {volume}"), "")?;
    let meshed = format!("{body}, hull: {{kind: mesh, file: meshes/ball_2m.obj}}");
    let mesh = floating(data, &meshed, "")?;
    let turned = Quat::from_rpy(0.4, -0.8, 2.0);
    let mut checks = Vec::new();
    for (draught, expected, below) in [
        (0.5, 0.654_498_469_5, 0.675),
        (1.0, 2.094_395_102_4, 0.375),
        (1.5, 3.534_291_735_3, 0.125),
    ] {
        let at = Vec3::new(3.0, -2.0, 1.0 - draught);
        let (closed, _) = displaced(&exact, at, turned)?;
        let (v, line) = displaced(&mesh, at, turned)?;
        let up = turned.matrix().r[2];
        let hull_mesh = mesh.robots[0].links[0]
            .hull_mesh
            .as_ref()
            .ok_or("the ball has no mesh")?;
        let centroid = hull_mesh
            .submerged_below_plane(up, at.z)
            .centroid()
            .ok_or("no part of the ball is submerged")?;
        checks.extend(checks! {
            format!("volume at {draught} m draught, closed form"), "m³", expected, closed,
                Relative(1e-9);
            format!("volume at {draught} m draught, mesh"), "m³", expected, v, Relative(3e-3);
            format!("horizontal offset of the force from the centre at {draught} m draught, mesh"),
                "m", 0.0, line.norm(), Absolute(1e-3);
            format!("depth of the centroid below the centre at {draught} m draught, mesh"), "m",
                below, -centroid.dot(up), Absolute(1e-3);
        });
    }
    Ok(CaseResult::new(checks))
}

// V43: volume and transverse position of the line of action: 1e-9, rounding.
pub(super) fn heeled(data: &ReferenceData) -> Result<CaseResult, String> {
    let body = "mass_kg: 500, inertia_kg_m2: {xx: 100, yy: 100, zz: 100}, volume_m3: 1, hull: {kind: box, size_m: [1, 1, 1]}";
    let cube = floating(data, body, "")?;
    let mut checks = Vec::new();
    for (heel, y, z) in [
        (10.0_f64, 0.029_388, -0.247_409),
        (20.0, 0.060_662, -0.238_960),
        (30.0, 0.096_225, -0.222_222),
        (40.0, 0.139_850, -0.191_326),
    ] {
        let q = Quat::from_rpy(-heel.to_radians(), 0.0, 0.0);
        let (volume, line) = displaced(&cube, Vec3::zero(), q)?;
        // first the published digits, then the formula itself
        let published = q.matrix().mul_vec(Vec3::new(0.0, y, z));
        let tan = libm::tan(heel.to_radians());
        let formula = Vec3::new(0.0, tan / 6.0, -0.25 + tan * tan / 12.0);
        let formula = q.matrix().mul_vec(formula);
        checks.extend(checks! {
            format!("volume at {heel} deg"), "m³", 0.5, volume, Absolute(1e-9);
            format!("lever at {heel} deg"), "m", published.y, line.y, Absolute(1e-6);
            format!("lever at {heel} deg, formula"), "m", formula.y, line.y, Absolute(1e-9);
        });
    }
    Ok(CaseResult::new(checks))
}

/// Returns the equilibrium of the first robot.
///
/// # Errors
/// It does not float.
pub(super) fn floating_equilibrium(scene: &Scene) -> Result<FloatingState, String> {
    match compute_equilibrium(scene, &scene.robots[0]) {
        Equilibrium::Floating(found) => Ok(found),
        other => Err(format!("it does not float: {other:?}")),
    }
}

/// A beam of 4 x 1 x 1 m with half the density of water.
const BEAM: &str = "mass_kg: 2000, inertia_kg_m2: {xx: 333.3, yy: 2833, zz: 2833}, volume_m3: 4, \
                    hull: {kind: box, size_m: [4, 1, 1]}";

/// A barge of 2 x 1 x 1 m with half the density of water. V44 sets its centre of mass 0.3 m low.
const BARGE: &str = "mass_kg: 1000, inertia_kg_m2: {xx: 120, yy: 300, zz: 400}, volume_m3: 2, \
                     hull: {kind: box, size_m: [2, 1, 1]}";

// V44: GM of a square beam, its heel after capsizing, heave and roll of a barge. The
// tolerances 1e-7 to 1e-4 cover finite differences, damping and the determination of periods.
pub(super) fn stability(data: &ReferenceData) -> Result<CaseResult, String> {
    let mut checks = equilibrium_checks(data)?;
    let capsizing = capsizing_roll(data)?;
    let roll = capsizing.last().map_or(f64::NAN, |p| p[1]);
    checks.extend(checks! {
        "roll of the square beam after 60 s", "deg", 45.0, roll, Absolute(1e-4);
    });
    checks.extend(natural_frequency_checks(data)?);
    let figure = capsize_figure(capsizing);
    Ok(CaseResult::new(checks).with_figure("capsize", figure))
}

/// Checks draught [m] and metacentric heights [m] of a square beam.
fn equilibrium_checks(data: &ReferenceData) -> Result<Vec<Check>, String> {
    let square = floating_equilibrium(&floating(data, BEAM, "")?)?;
    Ok(checks! {
        "draught of a square beam", "m", 0.5, square.draught.unwrap_or(f64::NAN), Absolute(1e-9);
        "transverse GM of the square beam", "m", 1.0 / 6.0 - 0.25, square.gm_transverse,
            Absolute(1e-7);
        "longitudinal GM of the square beam", "m", 16.0 / 6.0 - 0.25, square.gm_longitudinal,
            Absolute(1e-7);
    })
}

/// Simulates the capsize of a square beam. Returns pairs of time [s] and roll [deg].
fn capsizing_roll(data: &ReferenceData) -> Result<Vec<[f64; 2]>, String> {
    let damped = format!(
        "{BEAM}, linear_damping: {{kind: diagonal, values: [2000, 2000, 2000, 300, 2000, 2000]}}"
    );
    let scene = floating(data, &damped, "attitude_deg: [1, 0, 0]")?;
    let mut s = Simulation::new(Arc::new(scene), 1)?;
    let mut capsizing = vec![[0.0, 1.0]];
    for _ in 0..120 {
        advance(&mut s, 0.5);
        let roll = s.state.robots[0].motion.q_WB.matrix().to_rpy()[0].to_degrees();
        capsizing.push([s.time_ns() as f64 * 1e-9, roll]);
    }
    Ok(capsizing)
}

/// Checks the natural frequencies [rad/s] of a barge in heave and roll.
fn natural_frequency_checks(data: &ReferenceData) -> Result<Vec<Check>, String> {
    let low = format!("{BARGE}, center_of_mass_m: [0, 0, -0.3]");
    let scene = floating(data, &low, "position_m: [0, 0, 0.01]")?;
    let heave = oscillation(scene, |m| m.p_WB.z)?;
    let natural_heave = libm::sqrt(GRAVITY / 0.5);
    // with the origin at the centre of mass, roll and sway are decoupled
    let low = format!("{BARGE}, center_of_buoyancy_m: [0, 0, 0.3]");
    let start = "position_m: [0, 0, -0.3]\n    attitude_deg: [0.05, 0, 0]";
    let scene = floating(data, &low, start)?;
    let roll = oscillation(scene, |m| m.q_WB.matrix().to_rpy()[0])?;
    let gm = -0.25 + 1.0 / 6.0 + 0.3;
    let natural_roll = libm::sqrt(1000.0 * GRAVITY * gm / 120.0);
    let frequency = |x: &[f64]| TAU / mean_period(0.002, x);
    Ok(checks! {
        "heave frequency of a barge, draught 0.5 m", "rad/s", natural_heave, frequency(&heave),
            Relative(1e-7);
        "roll frequency of the barge, GM 0.2167 m", "rad/s", natural_roll, frequency(&roll),
            Relative(1e-5);
    })
}

/// Draws the roll [deg] of the capsizing beam over time [s].
fn capsize_figure(capsizing: Vec<[f64; 2]>) -> Drawing {
    let edge = vec![[0.0, 45.0], [60.0, 45.0]];
    let lines = vec![
        PlotCurve::new("on its edge", BLACK, true, edge),
        PlotCurve::new("beam", COLOURS[0], false, capsizing),
    ];
    let panel = Panel::new("roll [deg]", "time [s]", lines);
    let title = "A square beam of half the density of water capsizes to 45 deg (V44)";
    draw_figure(title, &[panel], 820, 190)
}

/// Simulates 20 s and samples a quantity every 2 ms.
fn oscillation(mut scene: Scene, quantity: impl Fn(&Motion) -> f64) -> Result<Vec<f64>, String> {
    scene.dt_ns = 2_000_000;
    let mut s = Simulation::new(Arc::new(scene), 1)?;
    let sample = |s: &mut Simulation| {
        let x = quantity(&s.state.robots[0].motion);
        s.advance(1);
        x
    };
    Ok((0..10_000).map(|_| sample(&mut s)).collect())
}
