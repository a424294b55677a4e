//! Peers that leave, fall silent, are suspended or restart, and their liveliness.

use super::*;

#[test]
fn peers_that_leave_or_fall_silent_are_lost() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b, c) = (world.join(1), world.join(2), world.join(3));
    let offered = qos(true, false, History::KeepLast(1));
    let writer = world
        .engine(a)
        .create_writer(Nanos(0), spec(offered.clone()));
    for at in [b, c] {
        world
            .engine(at)
            .create_reader(Nanos(0), spec(offered.clone()));
    }
    world.run(1000);
    let matched = |world: &mut World| world.engine(a).writers[&writer.entity].matched();
    assert_eq!(matched(&mut world), 2);
    world.engine(b).leave();
    world.run(10);
    world.engines.remove(&b);
    assert_eq!(matched(&mut world), 1);
    world.engines.remove(&c);
    world.run(21_000);
    assert_eq!(matched(&mut world), 0);
}

/// The history of the discovery does not grow with the endpoints that were removed, and a late
/// participant finds those that are left.
#[test]
fn removed_endpoints_leave_no_history() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b) = (world.join(1), world.join(2));
    world.run(500);
    let offered = qos(true, false, History::KeepLast(1));
    let kept = world
        .engine(a)
        .create_writer(Nanos(0), spec(offered.clone()));
    for _ in 0..50 {
        let now = world.now;
        let guest = world.engine(a).create_writer(now, spec(offered.clone()));
        world.run(20);
        let now = world.now;
        world.engine(a).remove_endpoint(now, guest);
        world.run(20);
    }
    world.run(1000);
    // the last disposal is dropped by the next announcement
    let publications = &world.engine(a).writers[&EntityId::PUBLICATIONS_WRITER];
    assert!(
        publications.history_len() <= 2,
        "{}",
        publications.history_len()
    );
    let reader = world
        .engine(b)
        .create_reader(Nanos(0), spec(offered.clone()));
    let late = world.join(3);
    let late_reader = world.engine(late).create_reader(Nanos(0), spec(offered));
    world.run(2000);
    world.write(a, kept, 1, 50);
    world.run(200);
    assert_eq!(world.received(b, reader), [1]);
    assert_eq!(world.received(late, late_reader), [1]);
}

/// Interrupts the communication of a writer and a reader for `millis`, writes meanwhile, and checks
/// that the reader has all samples 3 s later.
fn check_interruption(seed: u64, millis: u64, interrupt: impl Fn(&mut World, bool)) {
    let mut world = World::new(seed);
    let (a, b) = (world.join(1), world.join(2));
    let offered = qos(true, true, History::KeepLast(100));
    let writer = world
        .engine(a)
        .create_writer(Nanos(0), spec(offered.clone()));
    let reader = world
        .engine(b)
        .create_reader(Nanos(0), spec(offered.clone()));
    world.run(5000);
    (1..=5).for_each(|number| world.write(a, writer, number, 3000));
    world.run(2000);
    interrupt(&mut world, true);
    (6..=10).for_each(|number| world.write(a, writer, number, 3000));
    world.run(millis);
    interrupt(&mut world, false);
    world.write(a, writer, 11, 3000);
    world.run(3000);
    let mut received = world.received(b, reader);
    // a reader that has lost the writer receives the history again
    received.dedup();
    let last: Vec<u64> = (6..=11).collect();
    let state = format!("seed {seed}, {millis} ms, {} % lost", world.loss_percent);
    assert!(received.ends_with(&last), "{state}: {received:?}");
}

/// Interruptions in one or both directions, shorter and longer than the lease of 20 s.
#[test]
fn communication_recovers_after_a_partition() {
    let (a, b) = (address(1), address(2));
    for seed in 0..20 {
        for millis in [1500, 12_000, 30_000] {
            for pairs in [vec![(a, b), (b, a)], vec![(a, b)], vec![(b, a)]] {
                check_interruption(seed, millis, |world, on| {
                    world.cut = pairs.iter().copied().filter(|_| on).collect();
                });
            }
        }
    }
}

/// A participant whose lease ended is restored by its first message to the local participant,
/// because its next announcement may be seconds away. A message from another address has no effect.
#[test]
fn a_message_restores_a_lost_participant() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b) = (world.join(1), world.join(2));
    world.run(1000);
    let [to, prefix] = [a, b].map(|at| world.engine(at).config.guid_prefix);
    assert!(world.engine(a).is_verified(prefix));
    world.frozen.insert(b);
    world.run(25_000);
    assert!(!world.engine(a).is_verified(prefix));
    for (from, is_restored) in [(address(3), false), (b, true)] {
        protection::receive(&mut world, a, from, prefix, |builder| {
            builder.info_destination(to);
            builder.fixed(&Heartbeat {
                reader: EntityId::PUBLICATIONS_READER,
                writer: EntityId::PUBLICATIONS_WRITER,
                first: SequenceNumber(1),
                last: SequenceNumber(0),
                count: 1000,
                is_final: false,
                liveliness: false,
            });
        });
        assert_eq!(world.engine(a).is_verified(prefix), is_restored);
    }
}

/// An announcement that waits while an interface comes up does not leave on it with the former
/// addresses: Fast DDS would keep them, and its datagrams would not arrive.
#[test]
fn announcements_on_a_new_network_contain_its_address() {
    let mut world = World::new(1);
    let at = world.join(1);
    let group: SocketAddr = ([239, 255, 0, 1], 7400).into();
    let engine = world.engine(at);
    engine.config.metatraffic_multicast = vec![group.into()];
    let now = Nanos(0);
    engine.handle_timers(now);
    let new = [192, 168, 1, 5];
    let locators = vec![Locator::from(SocketAddr::from((new, 7400)))];
    engine.update_paths(now, Box::new(Network), locators.clone(), locators);
    engine.handle_timers(now);
    let sent: Vec<_> = std::iter::from_fn(|| engine.poll_transmit(now)).collect();
    let mut announcements = sent
        .iter()
        .filter(|transmit| transmit.to == group)
        .peekable();
    assert!(announcements.peek().is_some());
    let has_new = |transmit: &Transmit| transmit.parts.concat().windows(4).any(|part| part == new);
    assert!(announcements.all(has_new));
}

/// A suspended process on either side, shorter and longer than the lease of 20 s.
#[test]
fn communication_recovers_after_a_suspension() {
    for seed in 0..20 {
        for millis in [1500, 12_000, 25_000] {
            for at in [address(1), address(2)] {
                check_interruption(seed, millis, |world, on| {
                    world.frozen = on.then_some(at).into_iter().collect();
                });
            }
        }
    }
}

/// A process that was killed and starts again at the same address receives the history and new
/// samples.
#[test]
fn a_restarted_participant_gets_the_history() {
    for seed in 0..20 {
        let mut world = World::new(seed);
        let (a, b) = (world.join(1), world.join(2));
        let offered = qos(true, true, History::KeepLast(3));
        let writer = world
            .engine(a)
            .create_writer(Nanos(0), spec(offered.clone()));
        world
            .engine(b)
            .create_reader(Nanos(0), spec(offered.clone()));
        world.run(5000);
        (1..=10).for_each(|number| world.write(a, writer, number, 100));
        world.run(2000);
        world.join_as(2, GuidPrefix([99; 12]));
        world.events.remove(&b);
        let now = world.now;
        let reader = world.engine(b).create_reader(now, spec(offered));
        world.write(a, writer, 11, 100);
        world.run(3000);
        let received = world.received(b, reader);
        assert_eq!(received, [9, 10, 11], "seed {seed}");
    }
}

/// Writers with automatic liveliness and a finite lease are asserted at half the lease. Those with
/// manual liveliness are asserted by their samples, and those without a lease need no assertion.
#[test]
fn automatic_liveliness_is_asserted() {
    let kinds = [LivelinessKind::Automatic, LivelinessKind::ManualByTopic];
    for (kind, lease, expected) in [
        (kinds[0], Duration::from_nanos(400 * MILLIS), 10..=11),
        (kinds[0], Duration::INFINITE, 0..=0),
        (kinds[1], Duration::from_nanos(400 * MILLIS), 0..=0),
    ] {
        let mut world = World::new(1);
        world.loss_percent = 0;
        let (a, b) = (world.join(1), world.join(2));
        let mut offered = qos(true, false, History::KeepLast(1));
        offered.liveliness = Liveliness { kind, lease };
        let writer = world
            .engine(a)
            .create_writer(Nanos(0), spec(offered.clone()));
        let reader = world.engine(b).create_reader(Nanos(0), spec(offered));
        world.run(1000);
        assert!(world.engine(a).is_matched(writer, reader));
        let mut assertions = BTreeSet::new();
        for _ in 0..2000 {
            world.run(1);
            let flying = world.flying.values().map(|(_, _, bytes)| bytes.clone());
            let messages = flying.map(|bytes| parse(bytes).expect("valid").submessages);
            assertions.extend(
                messages
                    .flatten()
                    .filter_map(|submessage| match submessage {
                        Submessage::Data(data) if data.writer == EntityId::MESSAGE_WRITER => {
                            Some(data.sequence_number)
                        }
                        _ => None,
                    }),
            );
        }
        let count = assertions.len();
        assert!(expected.contains(&count), "{kind:?} {lease:?}: {count}");
    }
}
