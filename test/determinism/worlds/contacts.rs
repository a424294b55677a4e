//! Tests that worlds with contacts are bit-identical for any threads, blocks and resumption, with
//! robots close together or far apart.

use crate::common::scene;
use crate::common::shapes::{collider, cube};
use merrow_math::{SpatialForce, Vec3};
use merrow_model::scene::Scene;
use merrow_model::state::State;
use merrow_sim::Simulation;
use std::sync::Arc;

/// Returns eighty cubes in water that, after a second of free fall, collide with one another and
/// with a slope.
fn falling() -> Scene {
    let mut world = scene(
        "
seed: 3
step: {dt_s: 0.002}
seabed: {depth_m: 10, slope_east_north: [0.2, -0.1]}
robots:
  a:
    position_m: [0, 0, -9.2]
    attitude_deg: [10, 20, 30]
    repeat: {count: [4, 4, 5], spacing_m: [0.23, 0.24, 0.25]}
    model:
      source: test
      body:
        source: test
        axes: flu
        mass_kg: 3
        volume_m3: 0.0015
        inertia_kg_m2: {xx: 0.02, yy: 0.02, zz: 0.02}
        added_mass: {kind: diagonal, values: [1, 1.5, 2, 0.01, 0.01, 0.01]}
        quadratic_damping: {kind: diagonal, values: [10, 10, 10, 0.1, 0.1, 0.1]}
",
    );
    for robot in &mut world.robots {
        robot.colliders.push(collider(0, cube(0.1), 0.5, 0.1));
    }
    world
}

fn run(world: &Arc<Scene>, start: &State, threads: usize, block: u64, steps: u64) -> State {
    let mut s = Simulation::new(Arc::clone(world), threads).expect("a simulation");
    s.state = start.clone();
    for k in 0..steps / block {
        s.advance(block);
        assert_eq!(s.state.step, start.step + (k + 1) * block);
    }
    s.state
}

// Threads, blocks and resumption change no bit of a pile of cubes. Method: state hash after 600
// steps, when all cubes have had contacts.
#[test]
fn pile_of_cubes_has_the_same_bits() {
    let world = Arc::new(falling());
    let start = State::new(&world);
    let end = run(&world, &start, 1, 50, 600);
    assert!(
        end.contacts.collisions > 80 && end.contacts.touching.len() > 100,
        "{:?}",
        end.contacts.collisions
    );
    for (threads, block) in [(2, 1), (4, 600)] {
        let other = run(&world, &start, threads, block, 600);
        assert_eq!(
            other.hash(),
            end.hash(),
            "{threads} threads, blocks of {block}"
        );
    }
    let half = run(&world, &start, 2, 20, 300);
    assert_eq!(run(&world, &half, 1, 50, 300).hash(), end.hash(), "resumed");
}

// A robot that is stepped independently but moves further than predicted is stepped again together
// with the others, with bit-identical results as in single steps. Method: a body pushed at 3000
// m/s2 from rest, 1 m from a wall of cubes; blocks of 25 steps are 50 ms, in which its predicted
// distance is 0.025 m.
#[test]
fn robot_beyond_predicted_distance_is_stepped_again() {
    let mut world = falling();
    world.sea.seabed.z0 = -1000.0;
    let mut runner = world.robots[0].clone();
    (runner.name, runner.start.p_WB) = ("runner".into(), Vec3::new(-1.2, 0.36, -8.7));
    // The wall is one body wide and neutrally buoyant, so that only the runner moves.
    world.robots.truncate(4);
    for (k, robot) in world.robots.iter_mut().enumerate() {
        robot.links[0].volume_m3 = 3.0 / world.sea.density;
        robot.start.p_WB = Vec3::new(0.0, 3.0 * k as f64, -8.7);
    }
    world.robots[0].start.p_WB.y = 0.36;
    world.robots.push(runner);
    let world = Arc::new(world);
    let mut start = State::new(&world);
    start.robots[4].external_force[0] = SpatialForce {
        m: Vec3::zero(),
        f: Vec3::new(12_000.0, 0.0, 0.0),
    };
    let single = run(&world, &start, 1, 1, 50);
    assert!(single.contacts.collisions > 0 && single.robots[0].motion.p_WB.x > 0.1);
    for block in [25, 50] {
        assert_eq!(
            run(&world, &start, 2, block, 50).hash(),
            single.hash(),
            "blocks of {block}"
        );
    }
}
