//! Rates, periods and histories under load.

use std::net::SocketAddr;

use super::protection::*;
use super::repair::lone_reader;
use super::*;
use crate::engine::config::MILLIS;
use crate::qos::{History, Qos};

/// Writes samples of 400 kB for 5 s at `factor` times the rate of the path. Returns how many were
/// written and received.
fn overload(offered: Qos, factor: f64) -> (usize, usize) {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b) = (world.join(1), world.join(2));
    let writer = world
        .engine(a)
        .create_writer(Nanos(0), spec(offered.clone()));
    let reader = world.engine(b).create_reader(Nanos(0), spec(offered));
    world.run(1000);
    // a datagram of 1.4 kB counts as 2.4 kB
    let period = 400_000.0 * (2.4 / 1.4) / 20e6 / factor;
    let count = (5.0 / period) as usize;
    for number in 0..count {
        world.write(a, writer, number as u64, 400_000);
        world.run((period * 1e3) as u64);
    }
    world.run(1000);
    let received = world.received(b, reader);
    assert!(received.is_sorted_by(|x, y| x < y));
    (count, received.len())
}

/// Samples that are written faster than the pace permits arrive at a lower rate. A reliable
/// reader acknowledges them all, so the rate increases.
#[test]
fn writing_above_the_pace_lowers_the_rate_only() {
    let (count, received) = overload(qos(false, false, History::KeepLast(1)), 2.2);
    assert!(
        100 * received > 36 * count,
        "best effort: {received} of {count}"
    );
    let (count, received) = overload(qos(false, false, History::KeepLast(5)), 2.2);
    assert!(
        100 * received > 36 * count,
        "depth 5: {received} of {count}"
    );
    let (count, received) = overload(reliable(5), 2.2);
    assert_eq!(received, count, "reliable");
}

/// A sample that is being sent is not evicted, so that a reader receives samples even if sending
/// one takes longer than the history lasts; at most four are kept.
#[test]
fn samples_in_progress_are_not_evicted() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b) = (world.join(1), world.join(2));
    let offered = reliable(1);
    let writer = world
        .engine(a)
        .create_writer(Nanos(0), spec(offered.clone()));
    let reader = world.engine(b).create_reader(Nanos(0), spec(offered));
    world.run(1000);
    for number in 0..10 {
        world.write(a, writer, number, 17 << 20);
        world.run(300);
        let entity = writer.entity;
        assert!(world.engine(a).writers[&entity].history_len() <= 5);
    }
    world.run(20_000);
    let received = world.received(b, reader);
    assert_eq!(received.first(), Some(&0));
    assert_eq!(received.last(), Some(&9));
}

/// What only a reader that is gone has not acknowledged is dropped at once, and the samples of all
/// writers over their depths have a common bound.
#[test]
fn unacknowledged_samples_have_a_common_bound() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b) = (world.join(1), world.join(2));
    let writers: Vec<_> = (0..40)
        .map(|_| world.engine(a).create_writer(Nanos(0), spec(reliable(1))))
        .collect();
    let reader = world.engine(b).create_reader(Nanos(0), spec(reliable(1)));
    world.run(1000);
    world.frozen.insert(b);
    for writer in &writers {
        (0..8).for_each(|number| world.write(a, *writer, number, 2 << 20));
    }
    let kept = world.engine(a).excess.total();
    assert!(kept > 250 << 20 && kept <= 258 << 20, "{kept} B");
    world.frozen.clear();
    let now = world.now;
    world.engine(b).remove_endpoint(now, reader);
    world.run(1000);
    assert_eq!(world.engine(a).excess.total(), 0);
    let first = &world.engine(a).writers[&writers[0].entity];
    assert_eq!(first.history_len(), 1);
}

/// A held volatile reader whose samples have left the history receives a valid heartbeat: the first
/// sample is at most one after the last (RTPS 2.5, 8.3.8.6.3).
#[test]
fn heartbeats_are_valid_when_the_history_has_moved_on() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b) = (world.join(1), world.join(2));
    let writer = world.engine(a).create_writer(Nanos(0), spec(reliable(1)));
    world.run(1000);
    let now = world.now;
    world.engine(b).create_reader(now, spec(reliable(1)));
    world.run_until(|world| world.engine(a).writers[&writer.entity].matched() == 1);
    world.frozen.insert(b);
    let mut beats = Vec::new();
    for number in 0..4 {
        world.write(a, writer, number, 9 << 20);
        let sent = recorded(&mut world, 20, a, b);
        beats.extend(sent.into_iter().filter_map(|s| match s {
            Submessage::Heartbeat(beat) if beat.writer == writer.entity => Some(beat),
            _ => None,
        }));
    }
    assert!(!beats.is_empty());
    for beat in beats {
        assert!(beat.first <= beat.last.next(), "{beat:?}");
    }
}

/// Runs and returns what `from` sends to `to` meanwhile.
fn recorded(world: &mut World, millis: u64, from: SocketAddr, to: SocketAddr) -> Vec<Submessage> {
    world.log = Some(Vec::new());
    world.run(millis);
    let log = world.log.take().unwrap_or_default().into_iter();
    let sent = log.filter(|(source, target, _)| (*source, *target) == (from, to));
    let messages = sent.map(|(_, _, bytes)| parse(bytes).expect("valid"));
    messages.flat_map(|message| message.submessages).collect()
}

/// Announcements by multicast every second, to known participants every third time, and to one
/// whose lease ended twice a second for two minutes.
#[test]
fn announcements_are_periodic() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b) = (world.join(1), world.join(2));
    let group: SocketAddr = ([239, 255, 0, 1], 7400).into();
    let config = &mut world.engine(a).config;
    config.metatraffic_multicast = vec![group.into()];
    config.initial_peers.clear();
    world.run(20_000);
    let mut count = |millis: u64, to: SocketAddr| {
        let is_announcement = |s: &Submessage| matches!(s, Submessage::Data(data) if data.writer == EntityId::SPDP_WRITER);
        let sent = recorded(&mut world, millis, a, to);
        let count = sent.into_iter().filter(is_announcement).count();
        if to == b {
            world.frozen.insert(b);
        }
        count
    };
    assert!((29..=31).contains(&count(30_000, group)));
    assert!((9..=11).contains(&count(30_000, b)));
    // the lease of 20 s ends first; until then the announcements to known participants
    let lost = count(160_000, b);
    assert!((240..=255).contains(&lost), "{lost}");
    assert_eq!(count(10_000, b), 0);
}

/// The samples of many writers share a datagram.
#[test]
fn small_samples_share_datagrams() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b) = (world.join(1), world.join(2));
    let writers: Vec<_> = (0..10)
        .map(|index| {
            let mut spec = spec(reliable(1));
            spec.topic = format!("t{index}");
            world.engine(b).create_reader(Nanos(0), spec.clone());
            world.engine(a).create_writer(Nanos(0), spec)
        })
        .collect();
    world.run(2000);
    for writer in &writers {
        world.write(a, *writer, 1, 20);
    }
    let now = world.now;
    let engine = world.engine(a);
    let sent: Vec<_> = std::iter::from_fn(|| engine.poll_transmit(now)).collect();
    assert_eq!(sent.len(), 1);
}

/// A new volatile reader that does not answer receives samples after 0.2 s.
#[test]
fn samples_wait_for_a_new_reader() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, attacker) = (world.join(1), address(77));
    let writer = world.engine(a).create_writer(Nanos(0), spec(reliable(1)));
    let forged = forged_prefix(1);
    join_forged(&mut world, a, attacker, forged);
    let guid = Guid::new(forged, EntityId::user_reader(1));
    let endpoint = EndpointData::new(guid, "t", "T", reliable(1));
    announce(&mut world, a, attacker, 1, &endpoint);
    world.write(a, writer, 1, 20);
    let mut sent = |millis: u64| {
        let sent = recorded(&mut world, millis, a, attacker);
        sent.iter()
            .any(|s| matches!(s, Submessage::Data(data) if data.writer == writer.entity))
    };
    assert!(!sent(195));
    assert!(sent(10));
}

/// 8,192 small samples are kept for a reader that does not acknowledge them.
#[test]
fn unacknowledged_samples_have_a_largest_count() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b) = (world.join(1), world.join(2));
    let writer = world.engine(a).create_writer(Nanos(0), spec(reliable(1)));
    world.engine(b).create_reader(Nanos(0), spec(reliable(1)));
    world.run(1000);
    world.frozen.insert(b);
    let evicted = |world: &mut World| world.engine(a).evicted_unacknowledged(writer);
    (0..8192).for_each(|number| world.write(a, writer, number, 20));
    assert_eq!(evicted(&mut world), 0);
    world.write(a, writer, 8192, 20);
    assert_eq!(evicted(&mut world), 1);
}

/// Within a stream of fragments, heartbeats are at least 8 ms apart and one per 50 ms requests an
/// answer. A writer sends no HEARTBEAT_FRAG.
#[test]
fn heartbeats_within_a_stream() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b) = (world.join(1), world.join(2));
    let writer = world.engine(a).create_writer(Nanos(0), spec(reliable(1)));
    world.engine(b).create_reader(Nanos(0), spec(reliable(1)));
    world.run(1000);
    world.write(a, writer, 1, 10 << 20);
    let (mut beats, mut requests) = (0, 0);
    for _ in 0..400 {
        for submessage in recorded(&mut world, 1, a, b) {
            match submessage {
                Submessage::Heartbeat(beat) if beat.writer == writer.entity => {
                    beats += 1;
                    requests += u64::from(!beat.is_final);
                }
                Submessage::HeartbeatFrag(_) => panic!("HEARTBEAT_FRAG"),
                _ => {}
            }
        }
    }
    assert!((45..=50).contains(&beats), "{beats} in 400 ms");
    assert!((7..=9).contains(&requests), "{requests} in 400 ms");
}

/// A reader repeats its requests after 20 ms, then at intervals of up to 200 ms.
#[test]
fn requests_are_repeated() {
    let (mut reader, writer) = lone_reader(true, Limits::default());
    reader.heartbeat(Nanos(0), writer, &heartbeat(writer, 1, 5, 1));
    let mut times = Vec::new();
    for _ in 0..7 {
        let at = reader.deadline().expect("missing samples");
        assert_eq!(reader.responses(at).len(), 1);
        times.push(at.0 / MILLIS);
    }
    assert_eq!(times, [1, 21, 61, 141, 301, 501, 701]);
}
