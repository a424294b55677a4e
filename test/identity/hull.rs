//! Tests that a mesh and its equivalent shape are the same hull.

use crate::common::meshes::{cuboid, sphere};
use crate::common::worlds::mesh_hull_scene;
use crate::common::{advance, close_vectors, scene};
use merrow_math::Vec3;
use merrow_model::scene::Scene;
use merrow_sim::Simulation;
use std::sync::Arc;

const BODY: &str = "mass_kg: 600, center_of_mass_m: [0.02, 0.01, -0.1], inertia_kg_m2: {xx: 90, yy: 120, zz: 140}, \
    added_mass: {kind: diagonal, values: [100, 200, 400, 10, 20, 30]}, \
    quadratic_damping: {kind: diagonal, values: [100, 200, 300, 40, 60, 50]}";

fn travelled(scene: Scene, seconds: f64) -> Simulation {
    let mut s = Simulation::new(Arc::new(scene), 1).unwrap();
    advance(&mut s, seconds);
    assert!(s.state.robots[0].halted.is_none());
    s
}

/// Returns the same body with another hull, with explicit volume and centre, because a box does not
/// define them.
fn as_shape(hull: &str, volume: f64, water: &str, entry: &str) -> Scene {
    scene(&format!(
        "water: {{density_kg_m3: 1000{water}}}
robots:
  hull:
    {entry}
    model: {{source: test, body: {{source: test, axes: flu, {BODY}, volume_m3: {volume}, hull: {hull}}}}}
"
    ))
}

// A box given by triangles equals the box given as a shape. Method: thrown, tumbling, out of the
// air into the water, 2 s of flat water. Tolerance: 1e-9: rounding, amplified by the tumbling; the
// corners of the box are exact in the single precision of the file.
#[test]
fn mesh_box_moves_as_box_shape() {
    let entry = "position_m: [0, 0, 1]
    attitude_deg: [50, -30, 20]
    velocity_m_s: [1, 0.5, -6]
    angular_velocity_rad_s: [2, -1, 1]";
    let mesh = travelled(
        mesh_hull_scene("as_box", &cuboid([1.25, 1.0, 0.75], 0), BODY, "", entry),
        2.0,
    );
    let shape = travelled(
        as_shape("{kind: box, size_m: [1.25, 1, 0.75]}", 0.9375, "", entry),
        2.0,
    );
    let (a, b) = (&mesh.state.robots[0].motion, &shape.state.robots[0].motion);
    close_vectors("place", a.p_WB, b.p_WB, 1e-9);
    close_vectors("axis", a.q_WB.matrix().col(2), b.q_WB.matrix().col(2), 1e-9);
    assert!(a.p_WB.z.abs() < 1.0, "it is in the water");
}

// The bounding box of a mesh is the box shape. Method: the mesh of a ball, twice as long, off the
// origin. Tolerance: rounding.
#[test]
fn bounding_box_of_mesh_is_box_shape() {
    let folder =
        crate::common::folder::Folder::new("hull_bounds", &[("ball.obj", &sphere(0.5, 2).obj())]);
    let file = folder.0.join("ball.obj");
    let about = scene(&format!(
        "robots: {{hull: {{model: {{source: test, body: {{source: test, axes: flu, {BODY},
          hull: {{kind: bounding_box, scale: [2, 1, 1], position_m: [0.1, 0, 0], file: {}}}}}}}}}}}",
        file.display()
    ));
    let link = &about.robots[0].links[0];
    assert_eq!(link.volume_m3, 2.0);
    close_vectors("centre", link.p_LoCb, Vec3::new(0.1, 0.0, 0.0), 1e-15);
    assert_eq!(
        link.hull.shape,
        merrow_math::hull_cut::HullShape::Box(Vec3::new(1.0, 0.5, 0.5))
    );
    assert!(link.hull_mesh.is_none());
}

// In a wave that is long compared with the hull the forces on a mesh equal those on the shape,
// which uses a plane surface and the acceleration at its centre for the pressure. Method: a ball of
// 1 m in a wave of 156 m, 20 s of drift and heave. Tolerance: 2 cm of 5 m of motion: (kR)² = 4e-4
// of the forces, and the volume of the mesh, which is 1 % smaller.
#[test]
fn mesh_moves_as_shape_in_long_waves() {
    let water = ", waves: {kind: regular, height_m: 2, period_s: 10, direction_deg: 60}";
    let ball = sphere(0.5, 4);
    let volume = std::f64::consts::PI / 6.0;
    let body = BODY.replace("600", "262");
    let mesh = mesh_hull_scene(
        "as_ball",
        &ball,
        &format!("{body}, volume_m3: {volume}"),
        water,
        "",
    );
    let mut shape = as_shape("{kind: ellipsoid, size_m: [1, 1, 1]}", volume, water, "");
    let light = &mesh.robots[0].links[0];
    let link = &mut shape.robots[0].links[0];
    (link.mass_kg, link.rigid, link.total) = (light.mass_kg, light.rigid, light.total);
    shape.robots[0].update_derived();
    let (a, b) = (travelled(mesh, 20.0), travelled(shape, 20.0));
    let (a, b) = (a.state.robots[0].motion.p_WB, b.state.robots[0].motion.p_WB);
    assert!((a - b).norm() < 0.02, "{a:?} {b:?}");
}

// Flat water conserves energy: kinetic energy, weight, and the potential of the displaced water, -ρ
// g ∫ z dV, are constant in sum. Method: a barge without added mass or damping is dropped askew, 4
// s of plunging and capsizing, at two steps. Tolerance: 1e-6 of the exchanged energy, and a quarter
// of the error with half the step.
#[test]
fn flat_water_conserves_energy() {
    let body = "mass_kg: 500, center_of_mass_m: [0.05, 0.02, 0.1], inertia_kg_m2: {xx: 60, yy: 130, zz: 150}";
    let entry = "position_m: [0, 0, 0.7]\n    attitude_deg: [40, 25, 10]";
    let drift = |dt: u64| {
        let mut scene = mesh_hull_scene("energy", &cuboid([1.5, 1.0, 0.75], 1), body, "", entry);
        scene.dt_ns = dt;
        let mut s = Simulation::new(Arc::new(scene), 1).unwrap();
        let energy = |s: &Simulation| {
            let (m, link) = (&s.state.robots[0].motion, &s.scene.robots[0].links[0]);
            let R_WB = m.q_WB.matrix();
            let kinetic = 0.5 * m.V_WB_B.dot(&link.rigid.mul(&m.V_WB_B));
            let weight = link.mass_kg * 9.81 * (m.p_WB.z + R_WB.r[2].dot(link.p_LoLcm));
            let under = link
                .hull_mesh
                .as_ref()
                .unwrap()
                .submerged_below_plane(R_WB.r[2], m.p_WB.z);
            let raised = under.volume * m.p_WB.z + R_WB.r[2].dot(under.first_moment);
            kinetic + weight - 9810.0 * raised
        };
        let start = energy(&s);
        let steps = 40_000_000 / dt;
        (0..100)
            .map(|_| {
                s.advance(steps);
                (energy(&s) - start).abs()
            })
            .fold(0.0, f64::max)
    };
    let (coarse, fine) = (drift(4_000_000), drift(2_000_000));
    // It falls by about 0.5 m.
    let scale = 500.0 * 9.81 * 0.5;
    assert!(
        fine < 1e-6 * scale && fine < 0.25 * coarse,
        "{coarse:e} {fine:e} of {scale}"
    );
}

// Galilean invariance: relative to a current the hull moves as in still water. Method: a barge
// thrown into flat water at rest, and into a current with the current's velocity; 3 s. Tolerance:
// 1e-9.
#[test]
fn hull_motion_is_galilean_invariant() {
    let entry = |u: f64| {
        format!(
            "position_m: [0, 0, 0.5]\n    attitude_deg: [30, 20, 0]\n    angular_velocity_rad_s: [0.5, -0.3, 0]\n    {}",
            if u > 0.0 {
                ""
            } else {
                "velocity_m_s: [0, 0, 0]"
            }
        )
    };
    let still = travelled(
        mesh_hull_scene(
            "galileo",
            &cuboid([1.25, 1.0, 0.75], 0),
            BODY,
            "",
            &entry(0.0),
        ),
        3.0,
    );
    let mut moving = mesh_hull_scene(
        "galileo_moving",
        &cuboid([1.25, 1.0, 0.75], 0),
        BODY,
        ", current: {kind: uniform, speed_m_s: 0.8, direction_deg: 90}",
        &entry(1.0),
    );
    let start = moving.robots[0].start.rpy;
    let R_WB = merrow_math::Quat::from_rpy(start[0], start[1], start[2]).matrix();
    moving.robots[0].start.v_WB_B = R_WB.tr_mul_vec(Vec3::new(0.8, 0.0, 0.0));
    let moving = travelled(moving, 3.0);
    let (a, b) = (
        &still.state.robots[0].motion,
        &moving.state.robots[0].motion,
    );
    close_vectors(
        "place",
        b.p_WB - Vec3::new(0.8 * 3.0, 0.0, 0.0),
        a.p_WB,
        1e-9,
    );
    close_vectors("axis", a.q_WB.matrix().col(2), b.q_WB.matrix().col(2), 1e-9);
}

// Extreme seas leave the state of a hull finite: Beaufort 12, thrown, capsized, submerged. Method:
// a barge and a ball for five minutes with little damping. Tolerance: the robot is not halted.
#[test]
fn hulls_stay_finite_in_hurricane() {
    let water = ", waves: {kind: jonswap, beaufort: 12, components: 16}";
    let body = format!("{BODY}, linear_damping: {{kind: diagonal, values: [20, 20, 20, 5, 5, 5]}}");
    let mut scene = mesh_hull_scene(
        "hurricane",
        &cuboid([1.25, 1.0, 0.75], 1),
        &body,
        water,
        "position_m: [0, 0, 20]\n    attitude_deg: [170, 0, 0]",
    );
    scene.dt_ns = 10_000_000;
    let s = travelled(scene, 300.0);
    let z = s.state.robots[0].motion.p_WB.z;
    assert!(z.abs() < 40.0, "it stays with the surface: {z}");
}

// The forces on a hull from the lattice match those from the sum of all waves. Method: a barge of
// 1.25 m in short-crested waves of 10 m and shorter; forces at 60 instants and positions, on the
// lattice in one continuous run and by the sum. Tolerance: 4 % of the wave forces in the mean
// square, from waves shorter than the hull, which the lattice smooths.
#[test]
fn lattice_forces_match_wave_sum() {
    let water = ", waves: {kind: jonswap, hs_m: 0.5, tp_s: 2.6, direction_deg: 50, components: 60}";
    let entry = "position_m: [3, -2, 0.02]\n    attitude_deg: [5, 3, 20]";
    let lattice = mesh_hull_scene("lattice", &cuboid([1.25, 1.0, 0.75], 3), BODY, water, entry);
    let mut sum = lattice.clone();
    sum.robots[0].links[0].waves = merrow_model::scene::robot::body::HullWaves::Sum;
    let mut works =
        [&lattice, &sum].map(|scene| merrow_model::state::Workspace::new(&scene.robots[0]));
    let flat = crate::common::evaluate(&lattice, &crate::common::start(&lattice, 0)).links[0].F;
    let (mut differs, mut waves_do) = ([0.0; 2], [0.0; 2]);
    for k in 0..60 {
        let t = 0.05 * f64::from(k);
        let mut motion = crate::common::start(&lattice, 0);
        motion.p_WB.x += 0.4 * t;
        let waves = merrow_environment::WaveState::new(&lattice.sea.waves, t * 1e9);
        let at = merrow_environment::EnvironmentState {
            waves: Some(&waves),
            time: t,
            ..crate::common::initial_environment(&lattice)
        };
        for (scene, work) in [&lattice, &sum].into_iter().zip(&mut works) {
            merrow_sim::step::Kernel::new().evaluate(&scene.robots[0], &at, &motion, &[], work);
        }
        let [a, b] = works.each_ref().map(|work| work.links[0].F);
        let square = |v: Vec3| v.dot(v);
        differs[0] += square(a.f - b.f);
        differs[1] += square(a.m - b.m);
        waves_do[0] += square(b.f - flat.f);
        waves_do[1] += square(b.m - flat.m);
    }
    for (differs, waves_do) in differs.into_iter().zip(waves_do) {
        let part = (differs / waves_do).sqrt();
        assert!(part > 0.0 && part < 0.04, "{part}");
    }
}

// A hull in regular waves absorbs from them the energy that its damping dissipates. Method: a barge
// without added mass in waves of 0.3 m and 3 s, a minute to settle, then ten periods of 4 ms steps.
// The power of all forces is the rate of its kinetic energy. The power of water pressure and weight
// (the model without damping) equals on average the dissipated power. Tolerance: 1e-4 of the
// oscillating power, the trapezoidal rule between the steps; 3 % of the dissipated power, because
// the motion of a drifting hull is not strictly periodic.
#[test]
fn absorbed_wave_energy_equals_damping_loss() {
    let water = ", waves: {kind: regular, height_m: 0.3, period_s: 3, direction_deg: 70}";
    let body =
        "mass_kg: 600, center_of_mass_m: [0, 0, -0.15], inertia_kg_m2: {xx: 90, yy: 140, zz: 160}";
    let damping = "linear_damping: {kind: diagonal, values: [60, 200, 700, 60, 180, 80]}";
    let barge = cuboid([1.75, 1.0, 0.75], 2);
    let mut scene = mesh_hull_scene(
        "balance",
        &barge,
        &format!("{body}, {damping}"),
        water,
        "position_m: [0, 0, 0.03]",
    );
    scene.dt_ns = 4_000_000;
    let mut bare = scene.clone();
    bare.robots[0].links[0].linear_damping = merrow_model::scene::Damping::Zero;
    let mut s = Simulation::new(Arc::new(scene.clone()), 1).unwrap();
    advance(&mut s, 60.0);
    let mut works =
        [&scene, &bare].map(|scene| merrow_model::state::Workspace::new(&scene.robots[0]));
    // Power of all forces, power of pressure and weight, and the kinetic energy.
    let mut sample = |s: &Simulation| {
        let (t, motion) = (s.time_ns() as f64 * 1e-9, &s.state.robots[0].motion);
        let waves = merrow_environment::WaveState::new(&scene.sea.waves, s.time_ns() as f64);
        let at = merrow_environment::EnvironmentState {
            waves: Some(&waves),
            time: t,
            ..crate::common::initial_environment(&scene)
        };
        let [all, without] = [&scene, &bare].map(|x| x.robots[0].clone());
        merrow_sim::step::Kernel::new().evaluate(&all, &at, motion, &[], &mut works[0]);
        merrow_sim::step::Kernel::new().evaluate(&without, &at, motion, &[], &mut works[1]);
        let V = motion.V_WB_B;
        let kinetic = 0.5 * V.dot(&scene.robots[0].links[0].rigid.mul(&V));
        [
            V.dot(&works[0].links[0].F),
            V.dot(&works[1].links[0].F),
            kinetic,
        ]
    };
    let (mut last, mut sums, mut to_and_fro) = (sample(&s), [0.0; 2], 0.0);
    let start = last[2];
    let mut worst = 0.0_f64;
    for _ in 0..7500 {
        s.advance(1);
        let now = sample(&s);
        for k in 0..2 {
            sums[k] += 0.5 * (last[k] + now[k]) * 0.004;
        }
        to_and_fro += 0.5 * (last[1].abs() + now[1].abs()) * 0.004;
        worst = worst.max((sums[0] - (now[2] - start)).abs());
        last = now;
    }
    let [all, taken] = sums;
    let spent = taken - all;
    assert!(
        worst < 1e-4 * to_and_fro,
        "{worst} J astray of {to_and_fro} J"
    );
    assert!(
        taken > 0.0 && spent > 0.0,
        "the waves feed it: {taken} J, {spent} J"
    );
    assert!(
        (taken - spent).abs() < 0.03 * spent,
        "{taken} J taken, {spent} J spent"
    );
}
