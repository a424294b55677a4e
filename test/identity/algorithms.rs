//! Tests the articulated-body algorithm against inverse dynamics and the inertia matrix.

use crate::common::physics::{kinetic_energy, largest};
use crate::common::tree::{self, Random, Recipe};
use crate::common::{initial_environment, relative};
use merrow_math::SpatialVelocity;
use merrow_model::scene::{JointKind, Scene};
use merrow_model::state::{Motion, Workspace};
use merrow_physics::dynamics::{crba, rnea};
use merrow_sim::step::Kernel;

/// Returns random trees of 1 to 30 links, floating and fixed, with all joint kinds, moving in
/// general poses.
fn cases() -> impl Iterator<Item = (Scene, Motion, Workspace)> {
    (1..=30)
        .flat_map(|links| [true, false].map(|floating| (links, floating)))
        .map(|(links, floating)| {
            let recipe = Recipe {
                links,
                floating,
                damping: true,
                held_joints: true,
                potential: true,
            };
            let seed = 1000 + links as u64;
            let scene = tree::scene(seed, recipe);
            let robot = &scene.robots[0];
            let mut random = Random::new(seed + 5000);
            let motion = tree::motion(&mut random, robot);
            let commands: Vec<f64> = (0..robot.n_joints())
                .map(|_| random.between(-3.0, 3.0))
                .collect();
            let mut work = Workspace::new(robot);
            Kernel::new().evaluate(
                robot,
                &initial_environment(&scene),
                &motion,
                &commands,
                &mut work,
            );
            (scene, motion, work)
        })
}

// The accelerations of ABA, inserted into Newton-Euler, give the applied efforts and zero residual
// wrench at a floating base. Method: the two share the forces on the links, not the recursion.
// Tolerance: rounding over 30 links, relative to the largest force.
#[test]
fn inverse_dynamics_recovers_applied_efforts() {
    for (scene, _, work) in cases() {
        let robot = &scene.robots[0];
        let (base, tau) = rnea::inverse(robot, &work.links[0].A, &work.qdd, &work);
        let scale = work.links.iter().map(|w| largest(&w.F)).fold(1.0, f64::max);
        let n = robot.links.len();
        for (j, link) in robot.links[1..].iter().enumerate() {
            if link.joint.is_free() {
                let error = (tau[j] - work.tau[j]).abs() / scale;
                assert!(error < 1e-10, "{n} links, joint {j}: error {error:e}");
            }
        }
        if robot.floating {
            assert!(
                largest(&base) / scale < 1e-10,
                "{n} links: base force {base:?}"
            );
        }
    }
}

// The same with the inertia matrix, M q̈ + bias = tau. Method: the bias is Newton-Euler without
// accelerations; M comes from the composite-rigid-body algorithm. Tolerance: rounding, relative to
// the largest force.
#[test]
fn inertia_matrix_times_acceleration_balances_the_efforts() {
    for (scene, _, work) in cases() {
        let robot = &scene.robots[0];
        let n = robot.links.len();
        let M = crba::inertia_matrix(robot, &work);
        let still = vec![0.0; n - 1];
        let (base, bias) = rnea::inverse(robot, &SpatialVelocity::zero(), &still, &work);
        let mut bias_all = [base.m.to_array(), base.f.to_array()].concat();
        bias_all.extend(bias);
        let A = work.links[0].A;
        let mut acceleration = [A.w.to_array(), A.v.to_array()].concat();
        acceleration.extend(&work.qdd);
        let scale = work.links.iter().map(|w| largest(&w.F)).fold(1.0, f64::max);
        for i in 0..5 + n {
            let free = if i < 6 {
                robot.floating
            } else {
                robot.links[i - 5].joint.is_free()
            };
            if free {
                let inertial: f64 = (0..5 + n).map(|j| M[i][j] * acceleration[j]).sum();
                let applied = if i < 6 { 0.0 } else { work.tau[i - 6] };
                let error = (inertial + bias_all[i] - applied).abs() / scale;
                assert!(error < 1e-10, "{n} links, row {i}: error {error:e}");
            }
        }
    }
}

// ½ vᵀ M v is the sum of the kinetic energies of the links. Method: M from the composite-rigid-body
// algorithm, the sum from its definition. Tolerance: rounding.
#[test]
fn inertia_matrix_matches_kinetic_energy() {
    for (scene, motion, work) in cases() {
        let robot = &scene.robots[0];
        let M = crba::inertia_matrix(robot, &work);
        let V = motion.V_WB_B;
        let mut v = [V.w.to_array(), V.v.to_array()].concat();
        v.extend(&motion.qd);
        let half: f64 = (0..v.len())
            .map(|i| 0.5 * v[i] * (0..v.len()).map(|j| M[i][j] * v[j]).sum::<f64>())
            .sum();
        let sum = kinetic_energy(robot, &motion, &work);
        if sum > 0.0 {
            relative(&format!("{} links", robot.links.len()), half, sum, 1e-12);
        }
    }
}

// A held joint has the acceleration that its drive prescribes, and a fixed one zero. Method: the
// acceleration of the link minus the acceleration of its parent, along the axis. Tolerance:
// rounding.
#[test]
fn held_joints_move_as_prescribed() {
    let mut held = 0;
    for (scene, _, work) in cases() {
        let robot = &scene.robots[0];
        for (i, link) in robot.links.iter().enumerate().skip(1) {
            if link.joint.is_free() {
                continue;
            }
            let w = &work.links[i];
            let parent = work.links[link.parent.unwrap()].A.to_child(&w.R_PC, w.p_PC);
            let gained = w.A.add_scaled(&parent, -1.0).add_scaled(&w.c, -1.0);
            let expected = if link.joint.kind == JointKind::Fixed {
                0.0
            } else {
                work.qdd[i - 1]
            };
            let along = if link.joint.kind == JointKind::Prismatic {
                gained.v.z
            } else {
                gained.w.z
            };
            let size = gained.w.norm() + gained.v.norm();
            let scale = 1.0 + w.A.w.norm() + w.A.v.norm();
            assert!(
                (along - expected).abs() / scale < 1e-12
                    && (size - expected.abs()).abs() / scale < 1e-10
            );
            held += 1;
        }
    }
    assert!(held > 100, "only {held} held joints in the random trees");
}
