//! Engines on a simulated network that loses, delays, reorders and duplicates datagrams.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

use bytes::Bytes;

use super::config::MILLIS;
use super::reader::Source;
use super::*;
use crate::qos::{Durability, History, Liveliness, LivelinessKind, Policy, Qos, ReliabilityKind};

struct Network;

impl Paths for Network {
    fn path(&self, _: SocketAddr) -> Path {
        Path {
            max_datagram: 1400,
            burst_bytes: 16_000,
            bytes_per_second: 20_000_000,
        }
    }

    fn choose(&self, locators: &[Locator], _: Option<SocketAddr>) -> Option<SocketAddr> {
        locators.iter().find_map(Locator::socket_addr)
    }

    fn is_connected(&self, _: SocketAddr) -> bool {
        true
    }
}

/// Generator of reproducible numbers (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// Engines and the datagrams between them.
pub(super) struct World {
    random: Random,
    pub(super) now: Nanos,
    engines: BTreeMap<SocketAddr, Engine>,
    pub(super) flying: BTreeMap<(Nanos, u64), (SocketAddr, SocketAddr, Bytes)>,
    sent: u64,
    pub(super) loss_percent: u64,
    /// Sender, receiver and content of all datagrams, if they are recorded.
    pub(super) log: Option<Vec<(SocketAddr, SocketAddr, Bytes)>>,
    /// Pairs of sender and receiver between which all datagrams are lost.
    cut: BTreeSet<(SocketAddr, SocketAddr)>,
    /// Engines that do not run, as a suspended process.
    pub(super) frozen: BTreeSet<SocketAddr>,
    pub(super) events: BTreeMap<SocketAddr, Vec<Event>>,
}

pub(super) fn address(index: u8) -> SocketAddr {
    ([10, 0, 0, index], 7400).into()
}

impl World {
    pub(super) fn new(seed: u64) -> World {
        let mut random = Random(seed);
        let loss_percent = random.below(20);
        World {
            random,
            now: Nanos(0),
            engines: BTreeMap::new(),
            flying: BTreeMap::new(),
            sent: 0,
            loss_percent,
            log: None,
            cut: BTreeSet::new(),
            frozen: BTreeSet::new(),
            events: BTreeMap::new(),
        }
    }

    pub(super) fn join(&mut self, index: u8) -> SocketAddr {
        self.join_as(index, GuidPrefix([index; 12]))
    }

    fn join_as(&mut self, index: u8, guid_prefix: GuidPrefix) -> SocketAddr {
        let at = address(index);
        let config = EngineConfig {
            domain_id: 0,
            guid_prefix,
            name: format!("p{index}"),
            user_data: Bytes::new(),
            lease: Duration::from_seconds(20),
            metatraffic_unicast: vec![at.into()],
            default_unicast: vec![at.into()],
            metatraffic_multicast: Vec::new(),
            initial_peers: (1..6).filter(|i| *i != index).map(address).collect(),
            limits: Limits::default(),
        };
        let engine = Engine::new(config, Box::new(Network), self.now);
        self.engines.insert(at, engine);
        at
    }

    pub(super) fn engine(&mut self, at: SocketAddr) -> &mut Engine {
        self.engines.get_mut(&at).expect("joined")
    }

    pub(super) fn write(&mut self, at: SocketAddr, writer: Guid, number: u64, size: usize) {
        let mut payload = vec![0; size.max(12)];
        payload[4..12].copy_from_slice(&number.to_le_bytes());
        let payload = payload.into();
        let sample = OutgoingSample {
            payload,
            related: None,
        };
        let now = self.now;
        let time = Time::from_nanos(now.0);
        self.engine(at)
            .write(now, time, writer, sample)
            .expect("writer");
    }

    /// Sends all pending datagrams.
    fn pump(&mut self) {
        for (from, engine) in &mut self.engines {
            if self.frozen.contains(from) {
                continue;
            }
            engine.handle_timers(self.now);
            while let Some(transmit) = engine.poll_transmit(self.now) {
                let bytes: Bytes = transmit.parts.concat().into();
                assert!(bytes.len() <= 1400, "{}", bytes.len());
                let log = self.log.as_mut();
                log.map(|log| log.push((*from, transmit.to, bytes.clone())));
                let copies = if self.random.below(20) == 0 { 2 } else { 1 };
                for _ in 0..copies {
                    let is_cut = self.cut.contains(&(*from, transmit.to));
                    if self.random.below(100) >= self.loss_percent && !is_cut {
                        let at = self.now.plus(MILLIS / 10 + self.random.below(2 * MILLIS));
                        self.sent += 1;
                        let entry = (*from, transmit.to, bytes.clone());
                        self.flying.insert((at, self.sent), entry);
                    }
                }
            }
            let events = self.events.entry(*from).or_default();
            events.extend(std::iter::from_fn(|| engine.poll_event()));
        }
    }

    pub(super) fn run(&mut self, millis: u64) {
        let end = self.now.plus(millis * MILLIS);
        loop {
            self.pump();
            let running = self.engines.iter();
            let running = running.filter(|(at, _)| !self.frozen.contains(at));
            let timers = running
                .filter_map(|(_, engine)| engine.next_deadline())
                .min();
            let arrival = self.flying.keys().next().map(|(at, _)| *at);
            let next = timers.into_iter().chain(arrival).min();
            let Some(next) = next.filter(|next| *next <= end) else {
                self.now = end;
                return;
            };
            self.now = self.now.max(next);
            while let Some(entry) = self.flying.first_entry() {
                if entry.key().0 > self.now {
                    break;
                }
                let (from, to, bytes) = entry.remove();
                let engine = self.engines.get_mut(&to);
                if let Some(engine) = engine.filter(|_| !self.frozen.contains(&to)) {
                    engine.handle_datagram(self.now, from, bytes);
                }
            }
        }
    }

    /// Runs until `condition` holds, at most for a minute.
    pub(super) fn run_until(&mut self, condition: impl Fn(&mut World) -> bool) {
        for _ in 0..600 {
            if condition(self) {
                return;
            }
            self.run(100);
        }
    }

    /// Returns the numbers of the samples that `reader` received.
    pub(super) fn received(&self, at: SocketAddr, reader: Guid) -> Vec<u64> {
        let events = self.events.get(&at).into_iter().flatten();
        let samples = events.filter_map(|event| match event {
            Event::Sample(sample) if sample.reader == reader => Some(&sample.payload),
            _ => None,
        });
        samples
            .map(|p| u64::from_le_bytes(p[4..12].try_into().expect("8 bytes")))
            .collect()
    }
}

/// Returns an endpoint of the topic of all tests.
pub(crate) fn spec(qos: Qos) -> EndpointSpec {
    EndpointSpec {
        topic: "t".to_owned(),
        type_name: "T".to_owned(),
        qos,
        keyed: false,
    }
}

pub(super) fn qos(reliable: bool, durable: bool, history: History) -> Qos {
    let mut qos = Qos::writer();
    if !reliable {
        qos.reliability.kind = ReliabilityKind::BestEffort;
    }
    if durable {
        qos.durability = Durability::TransientLocal;
    }
    qos.history = history;
    qos
}

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
    let count = 1 + world.random.below(30);
    for number in 1..=count {
        let size = match world.random.below(4) {
            0 => world.random.below(12_000),
            _ => world.random.below(300),
        };
        world.write(a, writer, number, usize::try_from(size).expect("small"));
        let pause = world.random.below(5);
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
    let counters = world.engine(a).writer_counters(writer).expect("writer");
    assert_eq!(counters.matched, 3, "seed {seed}");
    assert_eq!(counters.evicted_unacknowledged, 0, "seed {seed}");
    let now = world.now;
    world.engine(c).remove_endpoint(now, late);
    let matched = |world: &mut World| world.engine(a).writer_counters(writer).map(|c| c.matched);
    world.run_until(|world| matched(world) == Some(2));
    let counters = world.engine(a).writer_counters(writer).expect("writer");
    assert_eq!(counters.matched, 2, "seed {seed}");
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

/// A burst over the depth reaches a reliable reader, and late readers get the depth only.
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
    let counters = world.engine(a).writer_counters(writer).expect("writer");
    assert_eq!(counters.evicted_unacknowledged, 0);
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
    let evicted = |world: &mut World| {
        let counters = world.engine(a).writer_counters(writer);
        counters.expect("writer").evicted_unacknowledged
    };
    (1..=8).for_each(|number| world.write(a, writer, number, 2 << 20));
    assert_eq!(evicted(&mut world), 0);
    world.write(a, writer, 9, 2 << 20);
    assert_eq!(evicted(&mut world), 1);
}

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
    let matched = |world: &mut World| world.engine(a).writer_counters(writer).map(|c| c.matched);
    assert_eq!(matched(&mut world), Some(2));
    world.engine(b).leave();
    world.run(10);
    world.engines.remove(&b);
    assert_eq!(matched(&mut world), Some(1));
    world.engines.remove(&c);
    world.run(21_000);
    assert_eq!(matched(&mut world), Some(0));
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
    // a reader that has lost the writer gets the history again
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

/// A process that was killed and starts again at the same address gets the history and new samples.
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
    // all that a participant with a reader sends before it receives anything
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
            let index = usize::try_from(world.random.below(bytes.len() as u64)).expect("small");
            bytes[index] = u8::try_from(world.random.below(256)).expect("byte");
            let now = world.now;
            if let Some(engine) = world.engines.get_mut(&to) {
                engine.handle_datagram(now, from, bytes.into());
            }
        }
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

/// Returns a fragment of 1000 B of a sample of 4000 B.
pub(super) fn fragment(writer: Guid, sample: i64, fragment: u32) -> DataFrag {
    DataFrag {
        reader: EntityId::UNKNOWN,
        writer: writer.entity,
        sequence_number: SequenceNumber(sample),
        first_fragment: FragmentNumber(fragment),
        fragment_count: 1,
        fragment_size: 1000,
        sample_size: 4000,
        inline_qos: InlineQos::default(),
        key: false,
        payload: Bytes::from(vec![0; 1000]),
    }
}

/// Returns a reader without an engine and a writer that it matches.
pub(super) fn lone_reader(reliable: bool, limits: Limits) -> (Reader, Guid) {
    let reader = Guid::new(GuidPrefix([1; 12]), EntityId::user_reader(1, false));
    let writer = Guid::new(GuidPrefix([2; 12]), EntityId::user_writer(1, false));
    let qos = qos(reliable, false, History::KeepAll);
    let mut reader = Reader::new(reader, qos, limits);
    let source = Source::default();
    source.share.verify();
    reader.add(Nanos(0), writer, &source, address(2));
    (reader, writer)
}

/// Later samples that fill the memory must not keep the next one out.
#[test]
fn next_sample_has_memory_priority_over_later_ones() {
    let limits = Limits {
        pending_bytes: 6000,
        ..Limits::default()
    };
    let (mut reader, writer) = lone_reader(true, limits);
    let mut receive = |sample: i64, number: u32| {
        let frag = fragment(writer, sample, number);
        reader.data_frag(Nanos(0), writer, None, &frag).len()
    };
    assert_eq!(receive(2, 1), 0);
    assert_eq!((1..=4).map(|number| receive(1, number)).sum::<usize>(), 1);
    assert_eq!((1..=4).map(|number| receive(2, number)).sum::<usize>(), 1);
}

/// A HEARTBEAT_FRAG requests the announced fragments that are missing, a HEARTBEAT all of them.
#[test]
fn announced_fragments_are_requested() {
    let (mut reader, writer) = lone_reader(true, Limits::default());
    let requested = |reader: &mut Reader, millis: u64| {
        let sent = reader.responses(Nanos(millis * MILLIS)).into_iter();
        let nacks = sent.filter_map(|(_, _, submessage)| match submessage {
            Submessage::NackFrag(nack) => Some(nack.missing),
            _ => None,
        });
        let all = nacks.flat_map(|missing| missing.iter().map(|number| number.0));
        all.collect::<Vec<_>>()
    };
    let mut beat = Heartbeat {
        reader: EntityId::UNKNOWN,
        writer: writer.entity,
        first: SequenceNumber(1),
        last: SequenceNumber(0),
        count: 1,
        is_final: true,
        liveliness: false,
    };
    reader.heartbeat(Nanos(0), writer, &beat);
    reader.data_frag(Nanos(0), writer, None, &fragment(writer, 1, 1));
    assert!(requested(&mut reader, 1).is_empty());
    let mut announce = HeartbeatFrag {
        reader: EntityId::UNKNOWN,
        writer: writer.entity,
        sequence_number: SequenceNumber(1),
        last_fragment: FragmentNumber(3),
        count: 1,
    };
    reader.heartbeat_frag(Nanos(2 * MILLIS), writer, &announce);
    assert_eq!(reader.deadline(), Some(Nanos(3 * MILLIS)));
    assert_eq!(requested(&mut reader, 3), [2, 3]);
    // the same count is the same message, and fragments that arrived are not requested
    reader.heartbeat_frag(Nanos(4 * MILLIS), writer, &announce);
    assert!(requested(&mut reader, 5).is_empty());
    (announce.count, announce.last_fragment) = (2, FragmentNumber(1));
    reader.heartbeat_frag(Nanos(6 * MILLIS), writer, &announce);
    assert!(requested(&mut reader, 7).is_empty());
    (beat.count, beat.last) = (2, SequenceNumber(1));
    reader.heartbeat(Nanos(8 * MILLIS), writer, &beat);
    assert_eq!(requested(&mut reader, 9), [2, 3, 4]);
}

/// A best-effort reader holds four incomplete samples of a writer, each for a second after its last
/// fragment.
#[test]
fn incomplete_best_effort_samples_are_dropped() {
    let (mut reader, writer) = lone_reader(false, Limits::default());
    let receive = |reader: &mut Reader, millis: u64, sample: i64, number: u32| {
        let frag = fragment(writer, sample, number);
        let now = Nanos(millis * MILLIS);
        reader.data_frag(now, writer, None, &frag).len()
    };
    for sample in 1..=5 {
        assert_eq!(receive(&mut reader, 0, sample, 1), 0);
    }
    // the first is replaced: its other fragments do not complete it
    let rest = (2..=4).map(|number| receive(&mut reader, 0, 1, number));
    assert_eq!(rest.sum::<usize>(), 0);
    let rest = (2..=4).map(|number| receive(&mut reader, 500, 5, number));
    assert_eq!(rest.sum::<usize>(), 1);
    assert_eq!(receive(&mut reader, 600, 6, 1), 0);
    assert_eq!(receive(&mut reader, 700, 6, 2), 0);
    assert_eq!(reader.deadline(), Some(Nanos(1700 * MILLIS)));
    assert!(reader.responses(Nanos(1700 * MILLIS)).is_empty());
    assert_eq!(reader.deadline(), None);
    let rest = (3..=4).map(|number| receive(&mut reader, 1800, 6, number));
    assert_eq!(rest.sum::<usize>(), 0);
}

/// Two engines, a writer of the first with samples that a reader of the second has received.
fn sent_samples(depth: u32, count: u64) -> (World, Guid, Guid) {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b) = (world.join(1), world.join(2));
    let offered = qos(true, false, History::KeepLast(depth));
    let writer = world
        .engine(a)
        .create_writer(Nanos(0), spec(offered.clone()));
    let reader = world.engine(b).create_reader(Nanos(0), spec(offered));
    world.run(1000);
    for number in 1..=count {
        world.write(a, writer, number, 5000);
        world.run(20);
    }
    world.run(1000);
    assert_eq!(world.received(b, reader).len() as u64, count);
    (world, writer, reader)
}

/// Passes a submessage of the second engine to the first and returns what that one sends.
fn answers(world: &mut World, submessage: impl FnOnce(&mut MessageBuilder)) -> Vec<Submessage> {
    let mut builder = MessageBuilder::new(GuidPrefix([2; 12]));
    submessage(&mut builder);
    let now = world.now;
    let engine = world.engine(address(1));
    engine.handle_datagram(now, address(2), builder.finish().concat().into());
    let sent = std::iter::from_fn(|| engine.poll_transmit(now));
    let messages = sent.map(|transmit| parse(transmit.parts.concat().into()));
    let messages = messages.map(|message| message.expect("valid"));
    messages.flat_map(|message| message.submessages).collect()
}

/// A second request for a fragment that crosses its repair does not repeat it.
#[test]
fn requests_that_cross_a_repair_are_ignored() {
    let (mut world, writer, reader) = sent_samples(1, 1);
    let mut repairs = |millis: u64, count: i32| {
        world.now = world.now.plus(millis * MILLIS);
        let mut missing = FragmentNumberSet::new(FragmentNumber(2));
        assert!(missing.insert(FragmentNumber(2)));
        let sent = answers(&mut world, |builder| {
            builder.nack_frag(&NackFrag {
                reader: reader.entity,
                writer: writer.entity,
                sequence_number: SequenceNumber(1),
                missing,
                count,
            });
        });
        let is_repair = |s: &&Submessage| matches!(s, Submessage::DataFrag(_));
        sent.iter().filter(is_repair).count()
    };
    assert_eq!(repairs(0, 1001), 1);
    assert_eq!(repairs(1, 1002), 0);
    assert_eq!(repairs(5, 1003), 1);
}

/// One GAP declares all samples before the next available one as irrelevant.
#[test]
fn a_gap_covers_all_absent_samples() {
    let (mut world, writer, reader) = sent_samples(3, 50);
    let mut missing = SequenceNumberSet::new(SequenceNumber(1));
    for number in 1..=40 {
        assert!(missing.insert(SequenceNumber(number)));
    }
    let sent = answers(&mut world, |builder| {
        builder.acknack(&AckNack {
            reader: reader.entity,
            writer: writer.entity,
            missing,
            count: 1000,
            is_final: true,
        });
    });
    let gaps = sent.iter().filter_map(|submessage| match submessage {
        Submessage::Gap(gap) => Some((gap.start.0, gap.list.base().0)),
        _ => None,
    });
    assert_eq!(gaps.collect::<Vec<_>>(), [(1, 48)]);
}
