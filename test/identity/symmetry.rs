//! Tests that the laws are invariant under rotated and moving reference frames.

use crate::common::tree::{self, Random, Recipe};
use crate::common::{aligned, close, close_vectors};
use merrow_environment::{EnvironmentState, Variation};
use merrow_math::{Quat, Vec3};
use merrow_model::scene::Scene;
use merrow_model::state::{Motion, Workspace};
use merrow_sim::step::Kernel;

const SECONDS: f64 = 1.0;
const STEP: f64 = 0.001;

/// Returns a damped chain of three without weight, moving in a general pose.
fn chain() -> (Scene, Motion) {
    let recipe = Recipe {
        links: 3,
        floating: true,
        damping: true,
        held_joints: false,
        potential: false,
    };
    let scene = tree::scene(21, recipe);
    let motion = tree::motion(&mut Random::new(22), &scene.robots[0]);
    (scene, motion)
}

/// Returns the motion after a second in water that moves with `current` [m/s, W] and accelerates
/// with `rate` [m/s², W].
fn travel(scene: &Scene, start: &Motion, current: Vec3, rate: Vec3) -> Motion {
    let mut sea = scene.sea.clone();
    sea.current.profile = vec![(0.0, current)];
    let robot = &scene.robots[0];
    let none = vec![0.0; robot.n_joints()];
    let (mut motion, mut work) = (start.clone(), Workspace::new(robot));
    let at = |t: f64| {
        let variation = Variation {
            velocity: rate.scale(t),
            acceleration: rate,
        };
        EnvironmentState {
            sea: &sea,
            gravity: scene.gravity,
            time: t,
            variation,
            waves: None,
        }
    };
    for k in 0..(SECONDS / STEP).round() as u64 {
        let t = k as f64 * STEP;
        let at = [at(t), at(t + 0.5 * STEP), at(t + STEP)];
        Kernel::new().evaluate(robot, &at[0], &motion, &none, &mut work);
        Kernel::new().advance(
            robot,
            (scene.integrator, STEP),
            &at,
            &mut motion,
            &none,
            &mut work,
        );
    }
    motion
}

fn same_joints(a: &Motion, b: &Motion) {
    for j in 0..a.q.len() {
        close("joint position", a.q[j], b.q[j], 1e-10);
        close("joint velocity", a.qd[j], b.qd[j], 1e-10);
    }
}

// Rotating the world with its current and its robots rotates the result. Method: a general rotation
// about a deep point. Tolerance: rounding of a thousand steps.
#[test]
fn rotated_world_gives_rotated_result() {
    let (scene, start) = chain();
    let (current, rate) = (Vec3::new(0.5, -0.3, 0.2), Vec3::new(0.2, 0.1, -0.3));
    let turn = Quat::from_rpy(0.7, -1.1, 2.3);
    let R = turn.matrix();
    let pivot = Vec3::new(0.0, 0.0, -100.0);
    let mut turned_start = start.clone();
    turned_start.q_WB = turn.mul(&start.q_WB);
    turned_start.p_WB = pivot + R.mul_vec(start.p_WB - pivot);
    let end = travel(&scene, &start, current, rate);
    let turned = travel(&scene, &turned_start, R.mul_vec(current), R.mul_vec(rate));
    close_vectors(
        "position",
        turned.p_WB - pivot,
        R.mul_vec(end.p_WB - pivot),
        1e-10,
    );
    aligned("attitude", &turned.q_WB, &turn.mul(&end.q_WB), 1e-10);
    close_vectors("velocity", turned.V_WB_B.v, end.V_WB_B.v, 1e-10);
    close_vectors("angular velocity", turned.V_WB_B.w, end.V_WB_B.w, 1e-10);
    same_joints(&turned, &end);
}

// Galilean invariance. Method: robot and water receive the same additional velocity; the only
// difference is the common displacement. Tolerance: rounding of a thousand steps, and RK4 with
// different numbers.
#[test]
fn common_velocity_has_no_effect() {
    let (scene, start) = chain();
    let (current, boost) = (Vec3::new(0.4, 0.1, -0.2), Vec3::new(-1.3, 0.8, 0.6));
    let mut boosted_start = start.clone();
    boosted_start.V_WB_B.v += start.q_WB.matrix().tr_mul_vec(boost);
    let end = travel(&scene, &start, current, Vec3::zero());
    let boosted = travel(&scene, &boosted_start, current + boost, Vec3::zero());
    close_vectors(
        "position",
        boosted.p_WB,
        end.p_WB + boost.scale(SECONDS),
        1e-9,
    );
    let carried = boosted.q_WB.matrix().tr_mul_vec(boost);
    close_vectors("velocity", boosted.V_WB_B.v - carried, end.V_WB_B.v, 1e-9);
    close_vectors("angular velocity", boosted.V_WB_B.w, end.V_WB_B.w, 1e-9);
    aligned("attitude", &boosted.q_WB, &end.q_WB, 1e-9);
}

// A neutral robot that starts with the water moves with it, for any attitude and added mass.
// Method: water that accelerates uniformly for a second. Tolerance: RK4 in a rotating frame, 1e-9
// of the distance.
#[test]
fn neutral_body_follows_accelerating_water() {
    let recipe = Recipe {
        links: 1,
        floating: true,
        damping: true,
        held_joints: false,
        potential: false,
    };
    let mut scene = tree::scene(31, recipe);
    let link = &mut scene.robots[0].links[0];
    // At rest in the water without spin; the centres of mass and buoyancy coincide, so that the
    // acceleration of the water exerts no moment.
    link.volume_m3 = link.mass_kg / 1000.0;
    link.p_LoCb = link.p_LoLcm;
    let mut start = Motion::at_rest(0);
    start.q_WB = Quat::from_rpy(0.3, 0.9, -2.0);
    start.p_WB.z = -100.0;
    let (current, rate) = (Vec3::new(0.3, -0.2, 0.1), Vec3::new(0.5, 1.0, -0.7));
    start.V_WB_B.v = start.q_WB.matrix().tr_mul_vec(current);
    let end = travel(&scene, &start, current, rate);
    let way = current.scale(SECONDS) + rate.scale(0.5 * SECONDS * SECONDS);
    close_vectors("way", end.p_WB - start.p_WB, way, 1e-9);
    close_vectors("turning", end.V_WB_B.w, Vec3::zero(), 1e-9);
}
