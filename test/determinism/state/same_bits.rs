//! Tests that reruns, threads, blocks, resumption and neighbours change no bit of state or
//! readings.

use crate::determinism::batch::fleet::{alone, fleet, started, travel};
use merrow_sim::Simulation;
use std::sync::Arc;

const STEPS: u64 = 1500;

fn reference() -> (String, Vec<String>) {
    let mut s = started(fleet(), 1);
    let readings = travel(&mut s, STEPS, 50);
    (s.state.hash(), readings)
}

// The same world gives bit-identical results again, on 1, 2 and 4 threads, in blocks of 1, 7, 50
// and all steps. Method: state hash and all readings after 3 s.
#[test]
fn results_are_independent_of_threads_and_blocks() {
    let (hash, readings) = reference();
    assert!(readings.iter().all(|r| r.lines().count() > 100));
    for (threads, block) in [(1, 50), (1, 1), (2, 50), (4, 50), (2, 7), (4, STEPS)] {
        let mut s = started(fleet(), threads);
        let same = travel(&mut s, STEPS, block) == readings;
        assert!(
            same,
            "other readings with {threads} threads in blocks of {block}"
        );
        assert_eq!(
            s.state.hash(),
            hash,
            "{threads} threads in blocks of {block}"
        );
    }
}

// A clone of the state is sufficient to continue. Method: half a run, then the other half in a new
// simulation from the clone, without the first simulation.
#[test]
fn a_cloned_state_resumes_the_run() {
    let (hash, readings) = reference();
    let mut first = started(fleet(), 1);
    let mut begun = travel(&mut first, STEPS / 2, 50);
    let mut second = Simulation::new(Arc::clone(&first.scene), 2).unwrap();
    second.state = first.state.clone();
    drop(first);
    let ended = travel(&mut second, STEPS - STEPS / 2, 50);
    for (text, more) in begun.iter_mut().zip(&ended) {
        *text += more;
    }
    assert!(begun == readings, "other readings after resuming");
    assert_eq!(second.state.hash(), hash);
}

// The neighbours of a robot change neither its motion nor its readings. Method: robot `e` of the
// fleet compared with a world of only this robot.
#[test]
fn other_robots_do_not_affect_a_robot() {
    let mut fleet = started(fleet(), 2);
    let in_fleet = travel(&mut fleet, STEPS, 50);
    let mut alone = started(alone(), 1);
    let by_itself = travel(&mut alone, STEPS, 50);
    assert!(in_fleet[4] == by_itself[0], "other readings");
    assert_eq!(
        format!("{:?}", fleet.state.robots[4]),
        format!("{:?}", alone.state.robots[0])
    );
}

// The hash depends on the seed, on another robot's command, on the step count and on a single bit
// of the state. Method: small changes of the run.
#[test]
fn hash_distinguishes_runs() {
    let (hash, _) = reference();
    let mut other_seed = fleet();
    other_seed.seed += 1;
    let mut s = started(other_seed, 1);
    travel(&mut s, STEPS, 50);
    assert_ne!(s.state.hash(), hash);
    let mut s = started(fleet(), 1);
    travel(&mut s, STEPS, 50);
    assert_eq!(s.state.hash(), hash);
    s.state.robots[2].motion.p_WB.x = f64::from_bits(s.state.robots[2].motion.p_WB.x.to_bits() ^ 1);
    assert_ne!(s.state.hash(), hash);
}

// The same for coupled robots. Method: a chain of ten bodies on ball joints, hinges and slides that
// sways in the current; blocks and threads as above, and half a run resumed from a clone.
#[test]
fn coupled_robots_keep_their_bits() {
    let start = |threads| {
        Simulation::new(Arc::new(crate::determinism::batch::fleet::chain()), threads).unwrap()
    };
    let mut first = start(1);
    first.advance(STEPS);
    let hash = first.state.hash();
    for (threads, block) in [(1, 1), (2, 7), (4, 50)] {
        let mut s = start(threads);
        for _ in 0..STEPS / block {
            s.advance(block);
        }
        s.advance(STEPS % block);
        assert_eq!(
            s.state.hash(),
            hash,
            "{threads} threads in blocks of {block}"
        );
    }
    let mut half = start(1);
    half.advance(STEPS / 2);
    let mut rest = start(2);
    rest.state = half.state.clone();
    rest.advance(STEPS - STEPS / 2);
    assert_eq!(rest.state.hash(), hash, "resumed");
}
