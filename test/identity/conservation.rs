//! Tests energy, momentum and power: at an instant to rounding, over a run to the error of the
//! integrator.

use crate::common::physics::{impulse, impulse_rate, kinetic_energy, largest, potential_energy};
use crate::common::tree::{self, Random, Recipe};
use crate::common::{evaluate, initial_environment, relative};
use merrow_math::SpatialForce;
use merrow_model::scene::Scene;
use merrow_model::state::{Motion, Workspace};
use merrow_physics::forces::hydrodynamics::damping;
use merrow_sim::step::Kernel;

const FREE: Recipe = Recipe {
    links: 1,
    floating: true,
    damping: false,
    held_joints: false,
    potential: false,
};

fn moving_chain(seed: u64, recipe: Recipe) -> (Scene, Motion) {
    let scene = tree::scene(seed, recipe);
    let motion = tree::motion(&mut Random::new(seed + 9000), &scene.robots[0]);
    (scene, motion)
}

/// Runs `seconds` [s] with the step `dt` [s], without commands.
fn travel(scene: &Scene, motion: &mut Motion, dt: f64, seconds: f64) {
    let robot = &scene.robots[0];
    let at = [
        initial_environment(scene),
        initial_environment(scene),
        initial_environment(scene),
    ];
    let none = vec![0.0; robot.n_joints()];
    let mut work = Workspace::new(robot);
    for _ in 0..(seconds / dt).round() as u64 {
        Kernel::new().evaluate(robot, &at[0], motion, &none, &mut work);
        Kernel::new().advance(robot, (scene.integrator, dt), &at, motion, &none, &mut work);
    }
}

// Only external forces change the impulse of bodies and water, for any joint motion. Method: its
// rate from the accelerations, in still ideal fluid without weight, vanishes. Tolerance: rounding,
// relative to the largest rate of a link.
#[test]
fn impulse_of_a_floating_chain_has_no_rate() {
    for links in [1, 2, 3, 7, 15, 30] {
        let (scene, motion) = moving_chain(
            links as u64,
            Recipe {
                links,
                held_joints: true,
                ..FREE
            },
        );
        let work = evaluate(&scene, &motion);
        let scale = work
            .links
            .iter()
            .map(|w| largest(&w.inertia.mul(&w.A)) * 100.0)
            .fold(1.0, f64::max);
        let rate = largest(&impulse_rate(&work)) / scale;
        assert!(rate < 1e-12, "{links} links: {rate:e}");
    }
}

// The same over a run of 2 s. Method: RK4 with 0.25 ms, whose error is then below rounding.
// Tolerance: 1e-10 of the impulse.
#[test]
fn impulse_of_a_floating_chain_is_conserved_over_a_run() {
    for links in [1, 4] {
        let (scene, mut motion) = moving_chain(70 + links as u64, Recipe { links, ..FREE });
        let before = impulse(&evaluate(&scene, &motion));
        travel(&scene, &mut motion, 0.000_25, 2.0);
        let after = impulse(&evaluate(&scene, &motion));
        let drift = largest(&(after - before)) / largest(&before);
        assert!(drift < 1e-10, "{links} links: {drift:e}");
    }
}

// V38: the energy of an undamped chain with weight, buoyancy and springs drifts by less than 1e-6
// over 10 s. Method: RK4 with 0.5 ms. Tolerance: relative to the maximum kinetic energy during the
// run.
#[test]
fn energy_of_an_undamped_chain_is_conserved() {
    for (seed, floating) in [(3, true), (4, false)] {
        let (scene, mut motion) = moving_chain(
            seed,
            Recipe {
                links: 4,
                floating,
                potential: true,
                ..FREE
            },
        );
        let robot = &scene.robots[0];
        let energy = |motion: &Motion| {
            let work = evaluate(&scene, motion);
            let kinetic = kinetic_energy(robot, motion, &work);
            (kinetic + potential_energy(&scene, motion, &work), kinetic)
        };
        let (before, mut most) = energy(&motion);
        for _ in 0..10 {
            travel(&scene, &mut motion, 0.000_5, 1.0);
            let (now, kinetic) = energy(&motion);
            most = most.max(kinetic);
            let drift = (now - before).abs() / most;
            assert!(drift < 1e-6, "floating {floating}: {drift:e}");
        }
    }
}

// The work of thrusters, joint efforts and damping plus the loss of potential energy is the gain of
// kinetic energy. Method: all powers at one instant; the rate of the potential energy by a central
// difference along the motion. Tolerance: 1e-7 of the sum of the absolute powers, the error of the
// difference (1e-4 s, third order).
#[test]
fn work_equals_the_change_of_energy() {
    for links in [1, 2, 5, 12] {
        let recipe = Recipe {
            links,
            damping: true,
            potential: true,
            ..FREE
        };
        let (scene, motion) = moving_chain(40 + links as u64, recipe);
        let robot = &scene.robots[0];
        let mut random = Random::new(77);
        let mut work = Workspace::new(robot);
        let commands: Vec<f64> = (1..links).map(|_| random.between(-5.0, 5.0)).collect();
        for w in &mut work.thrust {
            w[0] = SpatialForce {
                m: random.vector(2.0),
                f: random.vector(10.0),
            };
        }
        Kernel::new().evaluate(
            robot,
            &initial_environment(&scene),
            &motion,
            &commands,
            &mut work,
        );
        let gain: f64 = work
            .links
            .iter()
            .map(|w| w.V.dot(&w.inertia.mul(&w.A)))
            .sum();
        let drives = robot.links[1..].iter().zip(&work.qdd).zip(&motion.qd);
        let drives: f64 = drives
            .map(|((l, qdd), qd)| l.joint.armature * qdd * qd)
            .sum();
        let thrust: f64 = work
            .links
            .iter()
            .zip(&work.thrust)
            .map(|(w, t)| w.V.dot(&t[0]))
            .sum();
        let drag: f64 = robot
            .links
            .iter()
            .zip(&work.links)
            .map(|(l, w)| w.V.dot(&damping::force(l, &w.V, 1.0)))
            .sum();
        assert!(drag < 0.0, "damping gives energy");
        // The efforts tau include the springs. Only command and friction count here; the springs
        // belong to the potential energy.
        let joints: f64 = (0..links - 1)
            .map(|j| motion.qd[j] * (commands[j] - robot.links[j + 1].joint.damping * motion.qd[j]))
            .sum();
        let falling = -potential_rate(&scene, &motion);
        let scale = [gain, drives, thrust, drag, joints, falling]
            .iter()
            .map(|p| p.abs())
            .sum::<f64>();
        let error = (gain + drives - thrust - drag - joints - falling).abs() / scale;
        assert!(error < 1e-7, "{links} links: {error:e}");
    }
}

/// Returns the rate of the potential energy [W] along the motion at constant velocities.
fn potential_rate(scene: &Scene, motion: &Motion) -> f64 {
    let h = 1e-4;
    let at = |s: f64| {
        let mut m = motion.clone();
        let turn = merrow_math::Quat::from_rotation_vector(motion.V_WB_B.w.scale(s));
        m.p_WB += motion.q_WB.matrix().mul_vec(motion.V_WB_B.v).scale(s);
        m.q_WB = motion.q_WB.mul(&turn);
        for j in 0..m.q.len() {
            m.q[j] += s * motion.qd[j];
        }
        potential_energy(scene, &m, &evaluate(scene, &m))
    };
    (at(h) - at(-h)) / (2.0 * h)
}

// The energy of a chain with damping only decreases. Method: a run of 3 s, sampled every 0.1 s.
#[test]
fn damping_only_dissipates_energy() {
    let (scene, mut motion) = moving_chain(
        5,
        Recipe {
            links: 5,
            damping: true,
            ..FREE
        },
    );
    let energy = |m: &Motion| kinetic_energy(&scene.robots[0], m, &evaluate(&scene, m));
    let first = energy(&motion);
    let mut before = first;
    for _ in 0..30 {
        travel(&scene, &mut motion, 0.001, 0.1);
        let now = energy(&motion);
        assert!(now < before, "{now} J after {before} J");
        before = now;
    }
    assert!(before < 0.2 * first);
}

// A chain without forces stays at rest. Method: 1 s from rest, no weight.
#[test]
fn chain_at_rest_stays_at_rest() {
    let scene = tree::scene(8, Recipe { links: 6, ..FREE });
    let mut motion = Motion::at_rest(5);
    motion.p_WB.z = -100.0;
    travel(&scene, &mut motion, 0.01, 1.0);
    assert_eq!(motion.p_WB.to_array(), [0.0, 0.0, -100.0]);
    relative("attitude", motion.q_WB.w, 1.0, 0.0);
}
