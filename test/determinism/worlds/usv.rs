//! Tests that the surface vehicles are bit-identical on any number of threads, in any blocks, and
//! when resumed.

use crate::determinism::batch::fleet::travel;
use merrow_model::state::{ActuatorCommand, Command};
use merrow_sim::Simulation;
use merrow_world::{Overrides, load_world};
use std::path::Path;
use std::sync::Arc;

fn fleet(name: &str, threads: usize) -> Simulation {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("worlds")
        .join(name);
    let world =
        load_world(&path, Overrides::default()).unwrap_or_else(|problems| panic!("{problems}"));
    let mut s = Simulation::new(Arc::new(world.scene), threads).unwrap();
    for robot in 0..s.scene.robots.len() {
        for thruster in 0..s.scene.robots[robot].thrusters.len() {
            let value = s.scene.robots[robot].thrusters[thruster].motor.range[1]
                * (0.5 + 0.2 * thruster as f64);
            s.apply(&Command::Actuator(
                robot,
                ActuatorCommand::Thruster { thruster, value },
            ))
            .unwrap();
        }
        for fin in 0..s.scene.robots[robot].fins.len() {
            s.apply(&Command::Actuator(
                robot,
                ActuatorCommand::Fin { fin, value: 0.3 },
            ))
            .unwrap();
        }
    }
    s
}

// Bit-identical results for surface vehicles. Method: two seconds of the bundled worlds under way,
// on 1 and 3 threads, in blocks of 1, 7 and 50, and from a clone.
#[test]
fn surface_vehicles_have_the_same_bits() {
    for name in ["usv.yaml", "sailing.yaml"] {
        check_same_bits(name);
    }
}

fn check_same_bits(name: &str) {
    let run = |threads: usize, block: u64| {
        let mut s = fleet(name, threads);
        let readings = travel(&mut s, 400, block);
        (s.state.hash(), readings)
    };
    let first = run(1, 50);
    for (threads, block) in [(1, 1), (3, 7), (3, 50)] {
        assert!(
            run(threads, block) == first,
            "{threads} threads in blocks of {block}"
        );
    }
    let mut begun = fleet(name, 1);
    begun.advance(137);
    let mut again = fleet(name, 2);
    again.state = begun.state.clone();
    again.advance(400 - 137);
    assert_eq!(again.state.hash(), first.0, "resumed");
}
