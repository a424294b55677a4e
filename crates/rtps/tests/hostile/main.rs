//! Hostile datagrams to a participant: no panic, bounded memory and work, and an honest peer still
//! exchanges all reliable samples.
//!
//! A malformed or hostile participant never stops the node. Method: sequences of submessages that
//! are valid or nearly valid, from a participant whose endpoints match and from forged
//! participants, with a counting allocator. The seed is printed on failure.

mod attack;
mod floods;
mod peers;

use attack::Attack;
use peers::{LIMITS, Scene};

/// Number of datagrams in one scene.
const SCENE: u64 = 5000;

/// Attacks with `count` datagrams in scenes of [`SCENE`] datagrams. The first scene has the seed
/// `seed`, and each further scene the next number.
fn attack(seed: u64, count: u64) {
    let scenes = count.div_ceil(SCENE);
    (seed..seed + scenes).for_each(attack_scene);
}

fn attack_scene(seed: u64) {
    let result = std::panic::catch_unwind(|| {
        let mut scene = Scene::new(LIMITS);
        let mut attack = Attack::new(seed, &scene);
        let mut worst = 0;
        for step in 0..SCENE {
            let datagram = attack.next();
            worst = worst.max(scene.receive(attack.from(), datagram));
            scene.check_memory();
            if step % 64 == 63 {
                scene.advance(attack.pause());
            }
            if step % 1024 == 1023 {
                scene.write_both();
            }
        }
        scene.check_honest();
        worst
    });
    match result {
        Ok(worst) => assert!(
            worst < 200_000_000,
            "seed {seed}: {worst} ns for a datagram"
        ),
        Err(_) => panic!("seed {seed}"),
    }
}

#[test]
fn an_honest_peer_is_served_during_an_attack() {
    attack(1, 20_000);
}

/// Runs ten million datagrams on all processors.
#[test]
#[ignore = "takes minutes"]
fn an_honest_peer_is_served_during_a_long_attack() {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || attack(1000 * (thread + 1), 10_000_000 / threads));
        }
    });
}

#[global_allocator]
static ALLOCATOR: merrow_testing::allocator::Counting = merrow_testing::allocator::Counting;
