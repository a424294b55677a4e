//! Delivery of samples on a network that loses, delays, reorders and duplicates datagrams.

use super::*;

/// Checks one network: a writer, a reliable, a best-effort and a late reader.
fn check(seed: u64) {
    let mut world = World::new(seed);
    let (a, b) = (world.join(1), world.join(2));
    let depth = 40;
    let offered = qos(true, true, History::KeepLast(depth));
    let writer = world
        .engine(a)
        .create_writer(Nanos(0), spec(offered.clone()));
    let reader = world
        .engine(b)
        .create_reader(Nanos(0), spec(offered.clone()));
    let best_effort = qos(false, false, History::KeepLast(1));
    let unreliable = world.engine(b).create_reader(Nanos(0), spec(best_effort));
    world.run(1000);
    let is_matched = |world: &mut World| {
        let [local, remote] = [a, b].map(|at| world.engine(at).is_matched(writer, reader));
        let remote = remote || world.engine(b).is_matched(reader, writer);
        let found = world.engine(b).matched_writers(unreliable).len() == 1;
        local && remote && found && world.engine(a).ready_readers(writer).len() == 2
    };
    world.run_until(is_matched);
    assert!(is_matched(&mut world), "seed {seed}");
    let count = 1 + world.random.below_u64(30);
    for number in 1..=count {
        let size = match world.random.below_u64(4) {
            0 => world.random.below_u64(12_000),
            _ => world.random.below_u64(300),
        };
        world.write(a, writer, number, usize::try_from(size).expect("small"));
        let pause = world.random.below_u64(5);
        world.run(pause);
    }
    let all: Vec<u64> = (1..=count).collect();
    world.run_until(|world| world.received(b, reader).len() == all.len());
    world.run(500);
    assert_eq!(world.received(b, reader), all, "seed {seed}");
    let some = world.received(b, unreliable);
    assert!(some.is_sorted_by(|x, y| x < y), "seed {seed}: {some:?}");

    let c = world.join(3);
    let now = world.now;
    let late = world.engine(c).create_reader(now, spec(offered));
    world.run_until(|world| world.received(c, late).len() == all.len());
    world.run(500);
    assert_eq!(world.received(c, late), all, "late, seed {seed}");
    assert_eq!(
        world.engine(a).writers[&writer.entity].matched(),
        3,
        "seed {seed}"
    );
    assert_eq!(
        world.engine(a).evicted_unacknowledged(writer),
        0,
        "seed {seed}"
    );
    let now = world.now;
    world.engine(c).remove_endpoint(now, late);
    let matched = |world: &mut World| world.engine(a).writers[&writer.entity].matched();
    world.run_until(|world| matched(world) == 2);
    assert_eq!(
        world.engine(a).writers[&writer.entity].matched(),
        2,
        "seed {seed}"
    );
}

#[test]
fn samples_arrive_once_and_in_order() {
    (0..1000).for_each(check);
}

#[test]
#[ignore = "takes minutes"]
fn samples_arrive_once_and_in_order_on_many_networks() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for first in 0..threads {
            scope.spawn(move || {
                (1000 + first..101_000)
                    .step_by(threads)
                    .map(|n| n as u64)
                    .for_each(check)
            });
        }
    });
}

#[test]
fn late_reader_gets_the_last_samples() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b) = (world.join(1), world.join(2));
    let offered = qos(true, true, History::KeepLast(3));
    let writer = world
        .engine(a)
        .create_writer(Nanos(0), spec(offered.clone()));
    (1..=10).for_each(|number| world.write(a, writer, number, 5000));
    let late = world.engine(b).create_reader(Nanos(0), spec(offered));
    let volatile = qos(true, false, History::KeepLast(3));
    let volatile = world.engine(b).create_reader(Nanos(0), spec(volatile));
    world.run(1000);
    assert_eq!(world.received(b, late), [8, 9, 10]);
    assert!(world.received(b, volatile).is_empty());
    world.write(a, writer, 11, 50);
    world.run(100);
    assert_eq!(world.received(b, volatile), [11]);
}

/// A burst over the depth reaches a reliable reader, and late readers receive the depth only.
#[test]
fn unacknowledged_samples_are_kept_beyond_the_depth() {
    let mut world = World::new(3);
    world.loss_percent = 10;
    let (a, b) = (world.join(1), world.join(2));
    let offered = qos(true, true, History::KeepLast(2));
    let writer = world
        .engine(a)
        .create_writer(Nanos(0), spec(offered.clone()));
    let reader = world
        .engine(b)
        .create_reader(Nanos(0), spec(offered.clone()));
    world.run(3000);
    (1..=200).for_each(|number| world.write(a, writer, number, 100));
    let c = world.join(3);
    let now = world.now;
    let late = world.engine(c).create_reader(now, spec(offered));
    world.run(5000);
    assert_eq!(world.received(b, reader), Vec::from_iter(1..=200));
    assert_eq!(world.received(c, late), [199, 200]);
    assert_eq!(world.engine(a).evicted_unacknowledged(writer), 0);
}

/// Samples that a silent reader has not acknowledged are kept up to 16 MiB, then counted: of nine
/// of 2 MiB, eight are kept.
#[test]
fn evicted_samples_are_counted() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b) = (world.join(1), world.join(2));
    let offered = qos(true, false, History::KeepLast(2));
    let writer = world
        .engine(a)
        .create_writer(Nanos(0), spec(offered.clone()));
    world.engine(b).create_reader(Nanos(0), spec(offered));
    world.run(1000);
    let evicted = |world: &mut World| world.engine(a).evicted_unacknowledged(writer);
    (1..=8).for_each(|number| world.write(a, writer, number, 2 << 20));
    assert_eq!(evicted(&mut world), 0);
    world.write(a, writer, 9, 2 << 20);
    assert_eq!(evicted(&mut world), 1);
}
