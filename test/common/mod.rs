//! Helpers shared by the tests: worlds from text, single evaluations, and comparisons with
//! messages.
// Each test program uses only a part of these helpers.
#![allow(dead_code)]

pub(crate) mod balance;
pub(crate) mod folder;
pub(crate) mod joints;
pub(crate) mod meshes;
pub(crate) mod physics;
pub(crate) mod python;
pub(crate) mod ray_scene;
pub(crate) mod shapes;
pub(crate) mod tree;
pub(crate) mod turntable;
pub(crate) mod worlds;

use merrow_environment::{EnvironmentState, Variation};
use merrow_math::{Quat, Vec3};
use merrow_model::scene::Scene;
use merrow_model::state::reading::{Reading, Stamped};
use merrow_model::state::{Motion, RobotState, Workspace};
use merrow_sim::{Simulation, step::Kernel};
use merrow_world::{Overrides, load_text};
use std::sync::Arc;

/// Loads the scene of a world file text; panics with all its errors.
pub(crate) fn scene(text: &str) -> Scene {
    match load_text("test.yaml", text, Overrides::default()) {
        Ok(world) => world.scene,
        Err(problems) => panic!("{problems}"),
    }
}

/// Returns the simulation of a world at its start, on one thread.
pub(crate) fn simulation(text: &str) -> Simulation {
    Simulation::new(Arc::new(scene(text)), 1).unwrap()
}

/// Returns the simulation after `seconds` [s], rounded to whole steps.
pub(crate) fn run(text: &str, seconds: f64) -> Simulation {
    let mut simulation = simulation(text);
    advance(&mut simulation, seconds);
    simulation
}

/// Advances by `seconds` [s], rounded to whole steps.
pub(crate) fn advance(simulation: &mut Simulation, seconds: f64) {
    simulation.advance((seconds / simulation.scene.dt()).round() as u64);
}

/// Returns the environment of a scene at time zero, without waves and without variation of the
/// current.
pub(crate) fn initial_environment(scene: &Scene) -> EnvironmentState<'_> {
    EnvironmentState {
        sea: &scene.sea,
        gravity: scene.gravity,
        time: 0.0,
        variation: Variation::NONE,
        waves: None,
    }
}

/// Returns the initial motion of robot `robot`.
pub(crate) fn start(scene: &Scene, robot: usize) -> Motion {
    RobotState::new(&scene.robots[robot]).motion
}

/// Evaluates forces and accelerations of the first robot in `motion`, with zero joint commands.
pub(crate) fn evaluate(scene: &Scene, motion: &Motion) -> Workspace {
    let robot = &scene.robots[0];
    let mut work = Workspace::new(robot);
    let commands = vec![0.0; robot.n_joints()];
    Kernel::new().evaluate(
        robot,
        &initial_environment(scene),
        motion,
        &commands,
        &mut work,
    );
    work
}

/// Returns all readings that sensor `sensor` of robot 0 delivers from now (exclusive) until
/// `seconds` [s] have passed (inclusive).
pub(crate) fn readings(simulation: &mut Simulation, sensor: usize, seconds: f64) -> Vec<Stamped> {
    let mut steps = (seconds / simulation.scene.dt()).round() as u64;
    let mut all = Vec::new();
    let (now, latency) = (
        simulation.time_ns(),
        simulation.scene.robots[0].sensors[sensor].latency_ns,
    );
    while steps > 0 {
        let block = steps.min(1000);
        simulation.advance(block);
        let delivered = simulation.runners[0]
            .outbox
            .iter()
            .filter(|d| d.sensor == sensor);
        all.extend(
            delivered
                .map(|d| d.stamped)
                .filter(|r| r.stamp_ns + latency > now),
        );
        simulation.clear_outboxes();
        steps -= block;
    }
    all
}

/// Returns the first reading that sensor `sensor` of robot 0 makes in the next step, including its
/// end.
pub(crate) fn reading(simulation: &mut Simulation, sensor: usize) -> Reading {
    simulation.clear_outboxes();
    simulation.advance(1);
    let delivered = simulation.runners[0]
        .outbox
        .iter()
        .find(|d| d.sensor == sensor);
    delivered
        .expect("the sensor is not due in this step")
        .stamped
        .reading
}

/// Asserts `|actual - expected| <= tolerance * max(1, |expected|)`.
#[track_caller]
pub(crate) fn close(what: &str, actual: f64, expected: f64, tolerance: f64) {
    let error = (actual - expected).abs() / expected.abs().max(1.0);
    assert!(
        error <= tolerance,
        "{what}: {actual} instead of {expected}, error {error:.3e} > {tolerance:.1e}"
    );
}

/// Asserts `|actual - expected| <= tolerance * |expected|`.
#[track_caller]
pub(crate) fn relative(what: &str, actual: f64, expected: f64, tolerance: f64) {
    let error = ((actual - expected) / expected).abs();
    assert!(
        error <= tolerance,
        "{what}: {actual} instead of {expected}, error {error:.3e} > {tolerance:.1e}"
    );
}

/// Asserts `|actual - expected| <= tolerance`.
#[track_caller]
pub(crate) fn within(what: &str, actual: f64, expected: f64, tolerance: f64) {
    assert!(
        (actual - expected).abs() <= tolerance,
        "{what}: {actual} instead of {expected}, within {tolerance}"
    );
}

/// Asserts as [`close`] with the distance of two vectors.
#[track_caller]
pub(crate) fn close_vectors(what: &str, actual: Vec3, expected: Vec3, tolerance: f64) {
    let error = (actual - expected).norm() / expected.norm().max(1.0);
    assert!(
        error <= tolerance,
        "{what}: {actual:?} instead of {expected:?}, error {error:.3e} > {tolerance:.1e}"
    );
}

/// Asserts that the angle between two attitudes is at most `tolerance` [rad].
#[track_caller]
pub(crate) fn aligned(what: &str, actual: &Quat, expected: &Quat, tolerance: f64) {
    let (a, b) = (actual.normalized(), expected.normalized());
    let conjugate = Quat {
        w: a.w,
        x: -a.x,
        y: -a.y,
        z: -a.z,
    };
    let turn = conjugate.mul(&b);
    let angle = 2.0 * Vec3::new(turn.x, turn.y, turn.z).norm().min(1.0).asin();
    assert!(
        angle <= tolerance,
        "{what}: {actual:?} instead of {expected:?}, {angle:.3e} rad > {tolerance:.1e}"
    );
}

pub(crate) use merrow_validate::cases::reference_data::zero_upcrossings;

/// Returns the mean time [s] between upward zero crossings; needs at least two.
pub(crate) fn period(dt: f64, x: &[f64]) -> f64 {
    let zeros = zero_upcrossings(dt, x);
    assert!(
        zeros.len() >= 2,
        "{} upward zero crossings, a period needs two",
        zeros.len()
    );
    merrow_validate::cases::reference_data::mean_period(dt, x)
}
