//! Tests that a hull of two rigidly joined halves moves as the whole hull.

use crate::common::tree::{self, Random, Recipe};
use crate::common::{advance, aligned, close_vectors, evaluate, initial_environment, simulation};
use merrow_math::{SpatialInertia, Vec3};
use merrow_model::scene::{Damping, JointKind, Link, Robot};
use merrow_model::state::{Motion, Workspace};
use merrow_sim::step::Kernel;

/// Returns one link equivalent to the two of `robot`, merged by the definitions of mass, centres
/// and moments.
fn merged(robot: &Robot) -> Link {
    let (base, child) = (&robot.links[0], &robot.links[1]);
    let (R, p) = (child.joint.R_PC0, child.joint.p_PoCo0);
    let carried = |v: Vec3| p + R.mul_vec(v);
    let mean =
        |a: Vec3, wa: f64, b: Vec3, wb: f64| (a.scale(wa) + b.scale(wb)).scale(1.0 / (wa + wb));
    let mut whole = base.clone();
    whole.mass_kg = base.mass_kg + child.mass_kg;
    whole.p_LoLcm = mean(
        base.p_LoLcm,
        base.mass_kg,
        carried(child.p_LoLcm),
        child.mass_kg,
    );
    whole.rigid = base.rigid + child.rigid.to_parent(&R, p);
    whole.added = base.added + child.added.to_parent(&R, p);
    whole.total = whole.rigid + whole.added;
    whole.volume_m3 = base.volume_m3 + child.volume_m3;
    whole.p_LoCb = mean(
        base.p_LoCb,
        base.volume_m3,
        carried(child.p_LoCb),
        child.volume_m3,
    );
    whole.trim.force += child.trim.force;
    whole.trim.moment_arm += p.scale(child.trim.force) + R.mul_vec(child.trim.moment_arm);
    // A symmetric damping matrix transforms between frames as an inertia does.
    let about_base = |link: &Link| {
        let Damping::Full(d) = &link.linear_damping else {
            panic!("expected full damping")
        };
        let back = link.p_LoD;
        let at_link = SpatialInertia::from_matrix(d).to_parent(&link.R_LU, Vec3::zero());
        at_link.to_parent(&merrow_math::Mat3::identity(), back)
    };
    let damping = about_base(base) + about_base(child).to_parent(&R, p);
    whole.linear_damping = Damping::from_matrix(&damping.to_matrix());
    whole.p_LoD = Vec3::zero();
    whole
}

// Two general bodies on a fixed joint move as the equivalent single body: full added mass, weight,
// buoyancy, loads, linear damping. Method: the merged body by its definitions; both run 2 s.
// Tolerance: rounding.
#[test]
fn two_bodies_on_fixed_joint_move_as_one() {
    let recipe = Recipe {
        links: 2,
        floating: true,
        damping: true,
        held_joints: false,
        potential: true,
    };
    let mut two = tree::scene(51, recipe);
    two.robots[0].links[1].joint.kind = JointKind::Fixed;
    for link in &mut two.robots[0].links {
        link.quadratic_damping = Damping::Zero;
    }
    let mut one = two.clone();
    one.robots[0].links = vec![merged(&two.robots[0])].into();
    one.robots[0].update_derived();
    let mut start = tree::motion(&mut Random::new(52), &two.robots[0]);
    (start.q[0], start.qd[0]) = (0.0, 0.0);
    let end = |scene: &merrow_model::scene::Scene, mut motion: Motion| {
        let robot = &scene.robots[0];
        let at = [
            initial_environment(scene),
            initial_environment(scene),
            initial_environment(scene),
        ];
        let none = vec![0.0; robot.n_joints()];
        let mut work = Workspace::new(robot);
        for _ in 0..2000 {
            Kernel::new().evaluate(robot, &at[0], &motion, &none, &mut work);
            Kernel::new().advance(
                robot,
                (scene.integrator, 0.001),
                &at,
                &mut motion,
                &none,
                &mut work,
            );
        }
        motion
    };
    let alone = Motion {
        q: Vec::new(),
        qd: Vec::new(),
        ..start.clone()
    };
    let A = (
        evaluate(&one, &alone).links[0].A,
        evaluate(&two, &start).links[0].A,
    );
    close_vectors("angular acceleration", A.0.w, A.1.w, 1e-11);
    let (a, b) = (end(&two, start), end(&one, alone));
    close_vectors("position", a.p_WB, b.p_WB, 1e-10);
    aligned("attitude", &a.q_WB, &b.q_WB, 1e-10);
    close_vectors("velocity", a.V_WB_B.v, b.V_WB_B.v, 1e-10);
    close_vectors("angular velocity", a.V_WB_B.w, b.V_WB_B.w, 1e-10);
}

const WHOLE: &str = "
robots:
  hull:
    position_m: [0, 0, 0.02]
    attitude_deg: [25, 10, 40]
    model:
      source: test
      body: {source: test, axes: flu, mass_kg: 60, inertia_kg_m2: {xx: 1.25, yy: 5.45, zz: 5.8}, volume_m3: 0.12,
        hull: {kind: box, size_m: [1, 0.4, 0.3]}}
";

// Each half: mass 30, 0.5 x 0.4 x 0.3 m, centre 0.25 m fore or aft; 5.45 = 2 (1.7875 + 30 * 0.25²),
// and so on.
const HALVES: &str = "
robots:
  hull:
    position_m: [0, 0, 0.02]
    attitude_deg: [25, 10, 40]
    model:
      source: test
      body: {source: test, axes: flu, mass_kg: 30, center_of_mass_m: [0.25, 0, 0], volume_m3: 0.06,
        inertia_kg_m2: {xx: 0.625, yy: 0.85, zz: 1.025}, center_of_buoyancy_m: [0.25, 0, 0],
        hull: {kind: box, size_m: [0.5, 0.4, 0.3]}}
      links:
        aft:
          parent: base_link
          joint: {kind: fixed, position_m: [-0.25, 0, 0], attitude_rad: [0, 0, 3.141592653589793], axis: [0, 1, 0]}
          body: {source: test, axes: flu, mass_kg: 30, inertia_kg_m2: {xx: 0.625, yy: 0.85, zz: 1.025},
            volume_m3: 0.06, hull: {kind: box, size_m: [0.5, 0.4, 0.3]}}
";

// The same for a box that heaves and rolls at the surface, which cuts the two halves independently.
// Method: two world files, 3 s. Tolerance: rounding, and the different tetrahedra.
#[test]
fn floating_box_in_two_halves_moves_as_one() {
    let (mut a, mut b) = (simulation(WHOLE), simulation(HALVES));
    advance(&mut a, 3.0);
    advance(&mut b, 3.0);
    let (a, b) = (&a.state.robots[0].motion, &b.state.robots[0].motion);
    assert!(a.V_WB_B.w.norm() > 0.01, "the box does not move");
    close_vectors("position", a.p_WB, b.p_WB, 1e-9);
    aligned("attitude", &a.q_WB, &b.q_WB, 1e-9);
    close_vectors("velocity", a.V_WB_B.v, b.V_WB_B.v, 1e-9);
}
