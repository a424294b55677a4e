//! Tests mesh hulls: the submerged part and the pressure of the water on it.

use crate::common::meshes::{cuboid, sphere};
use crate::common::worlds::mesh_hull_scene;
use crate::common::{advance, close, close_vectors, period, relative};
use merrow_environment::{EnvironmentState, Variation, WaveState};
use merrow_math::{Quat, Vec3};
use merrow_model::scene::Scene;
use merrow_model::state::{Motion, Workspace};
use merrow_sim::{Simulation, step::Kernel};
use std::sync::Arc;

fn simulation(scene: Scene) -> Simulation {
    Simulation::new(Arc::new(scene), 1).unwrap()
}

/// Evaluates the forces once at `t` [s], in the waves of the scene.
fn evaluate(scene: &Scene, motion: &Motion, t: f64) -> Workspace {
    let waves = WaveState::new(&scene.sea.waves, t * 1e9);
    let at = EnvironmentState {
        sea: &scene.sea,
        gravity: scene.gravity,
        time: t,
        variation: Variation::NONE,
        waves: (!scene.sea.waves.is_flat()).then_some(&waves),
    };
    let mut work = Workspace::new(&scene.robots[0]);
    Kernel::new().evaluate(&scene.robots[0], &at, motion, &[], &mut work);
    work
}

/// Returns the force [N] and moment [N m] of the water at the origin of the base, in W, without the
/// weight.
fn hydrodynamic_wrench(scene: &Scene, motion: &Motion, t: f64) -> (Vec3, Vec3) {
    let work = evaluate(scene, motion, t);
    let (link, w) = (&scene.robots[0].links[0], &work.links[0]);
    let weight = Vec3::new(0.0, 0.0, -link.mass_kg * scene.gravity);
    let arm = w.R_WL.mul_vec(link.p_LoLcm);
    (
        w.R_WL.mul_vec(w.F.f) - weight,
        w.R_WL.mul_vec(w.F.m) - arm.cross(weight),
    )
}

fn motion_at_rest(p_WB: Vec3, q_WB: Quat) -> Motion {
    Motion {
        p_WB,
        q_WB,
        ..Motion::at_rest(0)
    }
}

const BALL: &str = "mass_kg: 100, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}";

// V42: volume and centroid of a sphere of 1 m at three draughts. Method: meshes with increasing
// numbers of triangles in a rotated attitude, from the force and its line of action. Tolerance: the
// error falls by 4 when the edge length is halved (measured: 3.5 to 4.6 between levels), and is
// below 3e-3 of the volume with 2048 triangles.
#[test]
fn mesh_sphere_displacement_matches_cap() {
    let caps = [
        (0.5, 0.654_498_469_5, 0.675),
        (1.0, 2.094_395_102_4, 0.375),
        (1.5, 3.534_291_735_3, 0.125),
    ];
    let mut errors = Vec::new();
    for level in [3, 4, 5] {
        let scene = mesh_hull_scene(&format!("cap{level}"), &sphere(1.0, level), BALL, "", "");
        let mut worst: (f64, f64) = (0.0, 0.0);
        for (draught, volume, below) in caps {
            let p = Vec3::new(3.0, -2.0, 1.0 - draught);
            let (f, m) = hydrodynamic_wrench(
                &scene,
                &motion_at_rest(p, Quat::from_rpy(0.4, -0.8, 2.0)),
                0.0,
            );
            assert!(f.x.abs() + f.y.abs() < 1e-10 * f.z, "not upright: {f:?}");
            assert!(
                m.norm() < 1e-2 * f.z,
                "the force of a sphere goes through its centre: {m:?}"
            );
            worst.0 = worst.0.max((f.z / 9810.0 / volume - 1.0).abs());
            let link = &scene.robots[0].links[0];
            let up = Quat::from_rpy(0.4, -0.8, 2.0).matrix().r[2];
            let c = link
                .hull_mesh
                .as_ref()
                .unwrap()
                .submerged_below_plane(up, p.z)
                .centroid()
                .unwrap();
            worst.1 = worst.1.max((c.dot(up) + below).abs());
        }
        errors.push(worst);
    }
    for pair in errors.windows(2) {
        for ratio in [pair[0].0 / pair[1].0, pair[0].1 / pair[1].1] {
            assert!((3.0..5.5).contains(&ratio), "{errors:?}");
        }
    }
    // 8192 triangles.
    assert!(errors[2].0 < 3e-3 && errors[2].1 < 1e-3, "{errors:?}");
}

const CUBE: &str = "mass_kg: 500, inertia_kg_m2: {xx: 100, yy: 100, zz: 100}";

// V43: a half-submerged cube heeled to 40 degrees. Method: the position of the centroid by the
// wall-sided formula, from the moment about the cube's centre. Tolerance: 1e-12 (the cut is exact).
#[test]
fn heeled_cube_matches_the_wall_sided_formula() {
    let scene = mesh_hull_scene("cube", &cuboid([1.0, 1.0, 1.0], 1), CUBE, "", "");
    for heel in [0.0_f64, 10.0, 20.0, 30.0, 40.0] {
        let tan = heel.to_radians().tan();
        let q = Quat::from_rpy(-heel.to_radians(), 0.0, 0.0);
        let (f, m) = hydrodynamic_wrench(&scene, &motion_at_rest(Vec3::zero(), q), 0.0);
        close_vectors("force", f, Vec3::new(0.0, 0.0, 4905.0), 1e-12);
        let c = q
            .matrix()
            .mul_vec(Vec3::new(0.0, tan / 6.0, -0.25 + tan * tan / 12.0));
        close_vectors(&format!("{heel} deg"), m, c.cross(f), 1e-12);
    }
}

// Volume and centre of buoyancy follow from the mesh; a given volume and centre override them.
// Method: a cube placed off the origin, completely submerged. Tolerance: rounding.
#[test]
fn volume_and_centre_follow_mesh_unless_given() {
    let cube = cuboid([1.0, 1.0, 1.0], 0);
    let scene = mesh_hull_scene("plain", &cube, CUBE, "", "");
    assert_eq!(scene.robots[0].links[0].volume_m3, 1.0);
    let stated = format!("{CUBE}, volume_m3: 0.9, center_of_buoyancy_m: [0.1, 0, 0.02]");
    let scene = mesh_hull_scene("stated", &cube, &stated, "", "");
    for z in [-10.0, -0.5] {
        let (f, m) = hydrodynamic_wrench(
            &scene,
            &motion_at_rest(Vec3::new(0.0, 0.0, z), Quat::identity()),
            0.0,
        );
        close_vectors("force", f, Vec3::new(0.0, 0.0, 0.9 * 9810.0), 1e-12);
        close_vectors("moment", m, Vec3::new(0.1, 0.0, 0.02).cross(f), 1e-12);
    }
}

// V44: a square beam with half the density of water comes to rest at 45 degrees, on its edge.
// Method: 1 degree of heel, with damping, for a minute. Tolerance: 1e-4 degrees.
#[test]
fn square_beam_turns_on_its_edge() {
    let body = "mass_kg: 2000, inertia_kg_m2: {xx: 333.3, yy: 2833, zz: 2833},
         linear_damping: {kind: diagonal, values: [2000, 2000, 2000, 300, 2000, 2000]}";
    let beam = cuboid([4.0, 1.0, 1.0], 1);
    let mut s = simulation(mesh_hull_scene(
        "beam",
        &beam,
        body,
        "",
        "attitude_deg: [1, 0, 0]",
    ));
    advance(&mut s, 60.0);
    let [roll, pitch, _] = s.state.robots[0].motion.q_WB.matrix().to_rpy();
    close("roll", roll.to_degrees(), 45.0, 1e-4);
    close("pitch", pitch.to_degrees(), 0.0, 1e-6);
}

// V44: heave of a wall-sided hull, w = sqrt(g / T) = 4.4294 rad/s. Method: as for the box in case
// V44. Tolerance: 1e-7; the cut is linear in the draught.
#[test]
fn barge_heave_natural_frequency() {
    let body =
        "mass_kg: 1000, inertia_kg_m2: {xx: 120, yy: 300, zz: 400}, center_of_mass_m: [0, 0, -0.3]";
    let barge = cuboid([2.0, 1.0, 1.0], 1);
    let mut s = simulation(mesh_hull_scene(
        "heave",
        &barge,
        body,
        "",
        "position_m: [0, 0, 0.01]",
    ));
    let mut z = Vec::new();
    for _ in 0..10_000 {
        z.push(s.state.robots[0].motion.p_WB.z);
        s.advance(1);
    }
    let w = std::f64::consts::TAU / period(s.scene.dt(), &z);
    relative("frequency", w, 4.429_446_918_070_02, 1e-7);
}

const WAVE: &str = ", waves: {kind: regular, height_m: 0.002, period_s: 4, direction_deg: 90}";

// The pressure of a wave on a submerged sphere. ∇p is harmonic, so its mean over the sphere is its
// value at the centre, F = ρ V ω² a e^{kz} (sin, cos). Method: 1 mm of a wave 25 m long over a ball
// of 2 m, many phases. Tolerance: 1e-2: 6e-3 of it is the volume of the mesh with 8192 triangles,
// the rest the linear head over the triangles.
#[test]
fn wave_force_on_sphere_equals_value_at_centre() {
    let scene = mesh_hull_scene("wave_ball", &sphere(1.0, 5), BALL, WAVE, "");
    let depth = 3.0;
    let (omega, a) = (std::f64::consts::TAU / 4.0, 0.001);
    let k = omega * omega / 9.81;
    let volume = scene.robots[0].links[0].volume_m3;
    let scale = 1000.0 * volume * omega * omega * a * (-k * depth).exp();
    for (x, t) in [(0.0, 0.0), (3.0, 0.7), (-7.0, 1.9), (12.0, 3.1)] {
        let (f, _) = hydrodynamic_wrench(
            &scene,
            &motion_at_rest(Vec3::new(x, 0.5, -depth), Quat::from_rpy(0.3, 0.2, 0.1)),
            t,
        );
        let theta = k * x - omega * t;
        let wave = f - Vec3::new(0.0, 0.0, 9810.0 * volume);
        let expected = Vec3::new(theta.sin(), 0.0, -theta.cos()).scale(scale);
        assert!(
            (wave - expected).norm() < 1e-2 * scale,
            "{wave:?} instead of {expected:?}"
        );
    }
}

// Froude-Krylov forces on a floating box in a small wave, in closed form: heave ρ g a B e^{-kT} 2
// sin(kL/2)/k cos θ, surge ρ g a B (1 - e^{-kT})/k 2 sin(kL/2) sin θ. Method: a half-submerged box
// of 4 x 2 x 1 m in a wave of 6 m. Tolerance: 2e-3, the curvature of the head over triangles of
// 0.13 m, including 1e-4 from the amplitude.
#[test]
fn wave_force_on_floating_box_matches_integral() {
    let wave = ", waves: {kind: regular, height_m: 0.0002, period_s: 1.9603, direction_deg: 90}";
    let body = "mass_kg: 4000, inertia_kg_m2: {xx: 100, yy: 100, zz: 100}";
    let scene = mesh_hull_scene("wave_box", &cuboid([4.0, 2.0, 1.0], 5), body, wave, "");
    let (omega, a) = (std::f64::consts::TAU / 1.9603, 0.0001);
    let k = omega * omega / 9.81;
    let still = 9810.0 * 4.0;
    let rho_g_a = 9810.0 * a;
    let span = 2.0 * (2.0 * k).sin() / k;
    for t in [0.0, 0.3, 0.8, 1.5] {
        let theta = -omega * t;
        let (f, _) =
            hydrodynamic_wrench(&scene, &motion_at_rest(Vec3::zero(), Quat::identity()), t);
        let heave = rho_g_a * 2.0 * (-0.5 * k).exp() * span * theta.cos();
        let surge = rho_g_a * 2.0 * (1.0 - (-0.5 * k).exp()) * span * theta.sin();
        let scale = rho_g_a * 2.0 * span.abs();
        assert!(
            (f.z - still - heave).abs() < 2e-3 * scale,
            "heave {} not {heave}",
            f.z - still
        );
        assert!(
            (f.x - surge).abs() < 2e-3 * scale,
            "surge {} not {surge}",
            f.x
        );
    }
}
