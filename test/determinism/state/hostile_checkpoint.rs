//! Checkpoints with a valid digest and impossible values.

use merrow_model::persist::to_bytes;
use merrow_model::scene::identity;
use merrow_sim::Simulation;
use merrow_world::{Overrides, data_dir, load_world};
use std::sync::Arc;

/// Length of the digest at the end of a checkpoint [bytes].
const SUM: usize = 32;
/// Number of changed checkpoints per world.
const CHECKPOINTS: usize = 80;

// No value of a checkpoint ends the program. Method: eight bytes of the state, spread over its
// length, are replaced by extreme numbers, and the digest is computed again; the checkpoint is
// refused in one line, or the run continues for .1 s.
#[test]
fn impossible_values_are_refused_or_run() {
    let values = [
        f64::NAN.to_bits(),
        f64::INFINITY.to_bits(),
        1e300_f64.to_bits(),
        (-1.0_f64).to_bits(),
        u64::MAX,
        0,
        1 << 62,
        1000,
    ];
    for name in ["bank", "hover", "modems", "pool", "sailing"] {
        let world = load_world(&data_dir::world_file(name), Overrides::default()).unwrap();
        let mut simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
        simulation.advance(200);
        let checkpoint = simulation.checkpoint().unwrap();
        let state = to_bytes(&simulation.state);
        let mut parts = checkpoint.windows(state.len());
        let start = parts.position(|part| part == state).unwrap();
        let (mut refused, mut continued) = (0, 0);
        for k in 0..CHECKPOINTS {
            let mut changed = checkpoint.clone();
            let at = start + k * (state.len() - 8) / (CHECKPOINTS - 1);
            changed[at..at + 8].copy_from_slice(&values[k % values.len()].to_le_bytes());
            let end = changed.len() - SUM;
            let sum = identity::digest(&changed[..end]);
            changed[end..].copy_from_slice(&sum);
            match simulation.resume(&changed) {
                Ok(()) => {
                    simulation.advance((0.1 / simulation.scene.dt()) as u64);
                    continued += 1;
                }
                Err(why) => {
                    assert!(!why.contains('\n'), "{why}");
                    refused += 1;
                }
            }
        }
        assert!(refused > 0 && continued > 0, "{name}: {refused} refused");
    }
}

// A time that overflows is refused. Method: the time of the world at 2^62 ns.
#[test]
fn an_impossible_time_is_refused() {
    let world = load_world(&data_dir::world_file("pool"), Overrides::default()).unwrap();
    let mut simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
    let time_ns = std::mem::replace(&mut simulation.state.time_ns, 1 << 62);
    let checkpoint = simulation.checkpoint().unwrap();
    simulation.state.time_ns = time_ns;
    let why = simulation.resume(&checkpoint).unwrap_err();
    assert!(why.contains("its times differ"), "{why}");
}
