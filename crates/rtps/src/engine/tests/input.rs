//! Incompatible endpoints, forged announcements and random bytes.

use super::*;

#[test]
fn incompatible_endpoints_are_reported_once() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b) = (world.join(1), world.join(2));
    let offered = qos(false, false, History::KeepLast(1));
    let local = world.engine(a).create_writer(Nanos(0), spec(offered));
    let remote = world.engine(b).create_reader(Nanos(0), spec(Qos::writer()));
    world.run(10_000);
    let expected = Event::IncompatibleQos {
        local,
        remote,
        policy: Policy::Reliability,
    };
    let events = world.events.get(&a).into_iter().flatten();
    assert_eq!(events.filter(|event| **event == expected).count(), 1);
}

/// A forged announcement makes the participant send no more bytes to its address than arrived from
/// there, also if forged discovery data follows it.
#[test]
fn forged_announcements_are_not_amplified() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let a = world.join(1);
    let durable = qos(true, true, History::KeepLast(1));
    for _ in 0..50 {
        world
            .engine(a)
            .create_writer(Nanos(0), spec(durable.clone()));
    }
    world.run(500);
    // all that a participant with a reader sends before it receives data
    let forger = world.join(9);
    world.engine(forger).create_reader(Nanos(0), spec(durable));
    world
        .engines
        .get_mut(&forger)
        .expect("joined")
        .config
        .initial_peers = vec![a];
    let now = world.now;
    let engine = world.engine(forger);
    engine.handle_timers(now);
    let sent = std::iter::from_fn(|| engine.poll_transmit(now)).map(|t| t.parts.concat());
    let forged: Vec<Bytes> = sent.map(Bytes::from).collect();
    world.engines.remove(&forger);
    let received: usize = forged.iter().map(Bytes::len).sum();
    assert!(received > 0);
    for datagram in forged {
        world.engine(a).handle_datagram(now, forger, datagram);
    }
    let mut sent = 0;
    for _ in 0..60_000 {
        world.now = world.now.plus(MILLIS);
        let now = world.now;
        let engine = world.engine(a);
        engine.handle_timers(now);
        let to_forger = std::iter::from_fn(|| engine.poll_transmit(now));
        let to_forger = to_forger.filter(|transmit| transmit.to == forger);
        sent += to_forger.map(|t| t.parts.concat().len()).sum::<usize>();
    }
    assert!((1..=received).contains(&sent), "{sent} B for {received} B");
}

#[test]
fn random_bytes_do_not_panic() {
    let mut world = World::new(7);
    let (a, b) = (world.join(1), world.join(2));
    let all = qos(true, true, History::KeepLast(9));
    let writer = world.engine(a).create_writer(Nanos(0), spec(all.clone()));
    world.engine(b).create_reader(Nanos(0), spec(all));
    for round in 0..400 {
        world.write(a, writer, round, 3000);
        world.run(5);
        let damaged: Vec<_> = world.flying.values().cloned().collect();
        for (from, to, bytes) in damaged {
            let mut bytes = bytes.to_vec();
            let index = usize::try_from(world.random.below_u64(bytes.len() as u64)).expect("small");
            bytes[index] = u8::try_from(world.random.below_u64(256)).expect("byte");
            let now = world.now;
            if let Some(engine) = world.engines.get_mut(&to) {
                engine.handle_datagram(now, from, bytes.into());
            }
        }
    }
}
