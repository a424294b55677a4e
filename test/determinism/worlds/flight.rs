//! Tests that flights, drives and dives are bit-identical for any threads, blocks and pauses.

use merrow_math::Vec3;
use merrow_model::state::commands::FirmwareOrder;
use merrow_model::state::{ActuatorCommand, Command, FirmwareCommand};
use merrow_sim::Simulation;
use merrow_world::{Overrides, data_dir, load_world};
use std::sync::Arc;

fn start(world: &str, threads: usize) -> Simulation {
    let world = load_world(&data_dir::world_file(world), Overrides::default())
        .unwrap_or_else(|p| panic!("{p}"));
    Simulation::new(Arc::new(world.scene), threads).unwrap()
}

/// Returns the command of a world for its first and its second 500 steps: a take-off and a flight,
/// a drive along a curve, a dive.
fn world_command(world: &str, half: usize) -> Command {
    match (world, half) {
        ("hover", 0) => Command::Firmware(
            0,
            FirmwareCommand::FirmwareOrder {
                order: FirmwareOrder::TakeOff,
            },
        ),
        ("glider", _) => Command::Actuator(
            0,
            ActuatorCommand::BuoyancyEngine {
                engine: 0,
                value: -1e-4 - 1e-4 * half as f64,
            },
        ),
        _ => Command::Firmware(
            0,
            FirmwareCommand::Velocity {
                linear: Vec3::new(1.0, 0.5, 0.2),
                angular: Vec3::new(0.0, 0.0, 0.3),
            },
        ),
    }
}

/// Advances 500 steps under a command, in blocks of `block` steps.
fn travel(s: &mut Simulation, world: &str, block: u64, half: usize) {
    s.apply(&world_command(world, half)).unwrap();
    for _ in 0..500 / block {
        s.advance(block);
        s.clear_outboxes();
    }
}

// Bit-identical results on 1, 2 and 4 threads, in blocks of 1, 25, 50 and 250 steps, and from a
// clone of the state. Method: state hashes after 1000 steps.
#[test]
fn results_are_independent_of_threads_blocks_and_clones() {
    for world in ["hover", "bank", "glider"] {
        let mut first = start(world, 1);
        let begun = first.state.hash();
        travel(&mut first, world, 50, 0);
        let mut second = start(world, 2);
        second.state = first.state.clone();
        travel(&mut first, world, 50, 1);
        travel(&mut second, world, 25, 1);
        let hash = first.state.hash();
        assert_eq!(second.state.hash(), hash, "{world}, resumed");
        assert_ne!(hash, begun);
        for (threads, block) in [(1, 1), (4, 250)] {
            let mut s = start(world, threads);
            (0..2).for_each(|half| travel(&mut s, world, block, half));
            assert_eq!(
                s.state.hash(),
                hash,
                "{world}, {threads} threads in blocks of {block}"
            );
        }
    }
}
