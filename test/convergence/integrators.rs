//! Tests the orders of the integrators on a tumbling chain.

use crate::common::initial_environment;
use crate::common::tree::{self, Random, Recipe};
use merrow_math::{SpatialVelocity, Vec3};
use merrow_model::scene::{Damping, Integrator, Scene};
use merrow_model::state::{Motion, Workspace};
use merrow_sim::step::Kernel;

/// Returns a damped chain with full added mass, weight and buoyancy, tumbling in a current.
///
/// The second derivative of |v|v jumps where v changes its sign, which reduces the order of
/// Runge-Kutta by one. Therefore only the base has quadratic drag, and none of its velocities
/// changes sign.
fn chain() -> (Scene, Motion) {
    let recipe = Recipe {
        links: 4,
        floating: true,
        damping: true,
        held_joints: false,
        potential: true,
    };
    let mut scene = tree::scene(11, recipe);
    scene.sea.current.profile = vec![(0.0, Vec3::new(0.2, -0.15, 0.16))];
    for link in &mut scene.robots[0].links[1..] {
        link.quadratic_damping = Damping::Zero;
    }
    let mut motion = tree::motion(&mut Random::new(12), &scene.robots[0]);
    motion.V_WB_B = SpatialVelocity {
        w: Vec3::new(3.0, -2.5, 2.8),
        v: Vec3::new(4.0, -5.0, 4.5),
    };
    (scene, motion)
}

/// Returns the motion after 0.1 s in `steps` steps as a list of numbers.
fn travel(integrator: Integrator, steps: u32) -> Vec<f64> {
    let (scene, mut motion) = chain();
    let robot = &scene.robots[0];
    let none = vec![0.0; robot.n_joints()];
    let at = [
        initial_environment(&scene),
        initial_environment(&scene),
        initial_environment(&scene),
    ];
    let mut work = Workspace::new(robot);
    let dt = SECONDS / f64::from(steps);
    for _ in 0..steps {
        Kernel::new().evaluate(robot, &at[0], &motion, &none, &mut work);
        Kernel::new().advance(robot, (integrator, dt), &at, &mut motion, &none, &mut work);
    }
    let (q, V) = (motion.q_WB, motion.V_WB_B);
    let mut all = vec![q.w, q.x, q.y, q.z];
    all.extend(
        motion
            .p_WB
            .to_array()
            .into_iter()
            .chain(V.w.to_array())
            .chain(V.v.to_array()),
    );
    all.extend(motion.q.iter().chain(&motion.qd));
    all
}

const SECONDS: f64 = 0.1;

// The chain of these tests has its required property. Method: the signs of the base velocity
// components at start and end.
#[test]
fn no_velocity_of_the_base_changes_sign() {
    let end = travel(Integrator::Rk4, 100);
    let start = chain().1.V_WB_B;
    let signs = start
        .w
        .to_array()
        .into_iter()
        .chain(start.v.to_array())
        .map(f64::signum);
    for (k, sign) in signs.enumerate() {
        assert!(sign * end[7 + k] > 0.5, "component {k}: {}", end[7 + k]);
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b) * (a - b))
        .sum::<f64>()
        .sqrt()
}

/// Returns the slope of log error over log step, between `coarse` steps and 8 times as many.
fn order(integrator: Integrator, coarse: u32) -> f64 {
    let exact = travel(Integrator::Rk4, 1600);
    let error = |steps: u32| distance(&travel(integrator, steps), &exact);
    (error(coarse) / error(8 * coarse)).log2() / 3.0
}

// RK4 has order 4 for the whole motion, including attitude and joints. Method: 10 to 80 steps over
// 0.1 s, compared with 1600. Tolerance: 0.1.
#[test]
fn rk4_is_of_order_four() {
    let p = order(Integrator::Rk4, 10);
    assert!((p - 4.0).abs() < 0.1, "order {p}");
}

// Semi-implicit Euler has order 1. Method: 100 to 800 steps over 0.1 s. Tolerance: 0.1.
#[test]
fn semi_implicit_is_of_order_one() {
    let p = order(Integrator::SemiImplicit, 100);
    assert!((p - 1.0).abs() < 0.1, "order {p}");
}

// Both integrators converge to the same motion. Method: the semi-implicit solution with 200 and
// 1600 steps compared with fine RK4. Tolerance: the first-order error, which falls to an eighth.
#[test]
fn integrators_agree_in_the_limit() {
    let exact = travel(Integrator::Rk4, 1600);
    let coarse = distance(&travel(Integrator::SemiImplicit, 200), &exact);
    let fine = distance(&travel(Integrator::SemiImplicit, 1600), &exact);
    assert!(fine < 0.15 * coarse, "{fine} after {coarse}");
}
