//! Participants under attack: shares in memory, quotas, skipped samples and throttled reports.

use std::net::SocketAddr;

use bytes::Bytes;

use super::repair::{fragment, lone_reader};
use super::*;
use crate::engine::config::MILLIS;
use crate::engine::reader::Source;
use crate::qos::{History, Qos};

/// Passes a message of the participant `prefix` at `from` to an engine.
pub(super) fn receive(
    world: &mut World,
    to: SocketAddr,
    from: SocketAddr,
    prefix: GuidPrefix,
    fill: impl FnOnce(&mut MessageBuilder),
) {
    let mut builder = MessageBuilder::new(prefix);
    fill(&mut builder);
    let now = world.now;
    let message = builder.finish().concat().into();
    world.engine(to).handle_datagram(now, from, message);
}

/// Returns the announcement of a participant at `at` with an infinite lease.
fn announcement(prefix: GuidPrefix, at: SocketAddr) -> Data {
    let mut participant = ParticipantData::new(prefix);
    participant.metatraffic_unicast = vec![at.into()];
    participant.default_unicast = vec![at.into()];
    participant.lease = Duration::INFINITE;
    builtin_data(
        EntityId::SPDP_WRITER,
        1,
        Payload::Data(participant.encode()),
    )
}

pub(super) fn builtin_data(writer: EntityId, number: i64, payload: Payload) -> Data {
    Data {
        reader: EntityId::UNKNOWN,
        writer,
        sequence_number: SequenceNumber(number),
        inline_qos: InlineQos::default(),
        payload,
    }
}

/// Announces a participant that addresses a message to the participant at `to`.
pub(super) fn join_forged(world: &mut World, to: SocketAddr, from: SocketAddr, prefix: GuidPrefix) {
    let destination = world.engine(to).config.guid_prefix;
    receive(world, to, from, prefix, |builder| {
        builder.data(&announcement(prefix, from));
        builder.info_destination(destination);
        builder.pad(4);
    });
}

pub(super) fn forged_prefix(number: u16) -> GuidPrefix {
    let mut prefix = [200; 12];
    prefix[..2].copy_from_slice(&number.to_be_bytes());
    GuidPrefix(prefix)
}

/// Announces an endpoint of a forged participant as sample `number`.
pub(super) fn announce(
    world: &mut World,
    to: SocketAddr,
    from: SocketAddr,
    number: i64,
    endpoint: &EndpointData,
) {
    let destination = world.engine(to).config.guid_prefix;
    let writer = match endpoint.guid.entity.is_writer() {
        true => EntityId::PUBLICATIONS_WRITER,
        false => EntityId::SUBSCRIPTIONS_WRITER,
    };
    receive(world, to, from, endpoint.guid.prefix, |builder| {
        builder.info_destination(destination);
        builder.data(&builtin_data(
            writer,
            number,
            Payload::Data(endpoint.encode()),
        ));
    });
}

pub(super) fn reliable(depth: u32) -> Qos {
    qos(true, false, History::KeepLast(depth))
}

/// Participants that were verified and then fall silent do not occupy their places for ever, also
/// with an infinite lease; a newcomer replaces one of them at once.
#[test]
fn silent_participants_are_replaced() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, attacker) = (world.join(1), address(77));
    world.engine(a).config.limits.participants = 16;
    for number in 0..20 {
        join_forged(&mut world, a, attacker, forged_prefix(number));
    }
    assert_eq!(world.engine(a).remotes.len(), 16);
    let b = world.join(2);
    let offered = reliable(1);
    let writer = world
        .engine(a)
        .create_writer(Nanos(0), spec(offered.clone()));
    let reader = world.engine(b).create_reader(Nanos(0), spec(offered));
    world.run(1000);
    assert!(world.engine(a).is_matched(writer, reader));
    world.run(301_000);
    assert_eq!(world.engine(a).remotes.len(), 1);
}

/// Announces an unverified participant at `from` that receives at `at`.
fn announce_participant(
    world: &mut World,
    to: SocketAddr,
    from: SocketAddr,
    at: SocketAddr,
    prefix: GuidPrefix,
) {
    receive(world, to, from, prefix, |builder| {
        builder.data(&announcement(prefix, at));
        builder.pad(1000);
    });
}

#[test]
fn unverified_participants_of_one_address_leave_room_to_others() {
    let mut world = World::new(1);
    let (a, attacker, honest) = (world.join(1), address(77), address(78));
    announce_participant(&mut world, a, honest, honest, forged_prefix(60_000));
    for number in 0..10_000 {
        announce_participant(&mut world, a, attacker, attacker, forged_prefix(number));
    }
    let engine = world.engine(a);
    assert!(engine.remotes.contains_key(&forged_prefix(60_000)));
    assert_eq!(
        engine.remotes.len(),
        engine.config.limits.participants / 4 + 1
    );
    let known = |to: GuidPrefix| to == GuidPrefix::UNKNOWN || engine.remotes.contains_key(&to);
    assert!(engine.control.iter().all(|(_, to, _)| known(*to)));
    assert!(engine.control.len() < MAX_CONTROL / 4);
}

/// Possibly no machine has the addresses at which forged participants receive.
#[test]
fn participants_that_receive_elsewhere_are_few() {
    for is_verified in [false, true] {
        let mut world = World::new(1);
        let (a, attacker) = (world.join(1), address(77));
        let own = world.engine(a).config.guid_prefix;
        for number in 0..200 {
            let at = address(100 + u8::try_from(number % 150).unwrap());
            announce_participant(&mut world, a, attacker, at, forged_prefix(number % 100));
            if is_verified {
                receive(
                    &mut world,
                    a,
                    attacker,
                    forged_prefix(number % 100),
                    |builder| {
                        builder.info_destination(own);
                        builder.pad(4);
                    },
                );
            }
        }
        let now = world.now;
        let engine = world.engine(a);
        let mut destinations: Vec<_> = std::iter::from_fn(|| engine.poll_transmit(now))
            .map(|transmit| transmit.to.ip())
            .filter(|to| *to >= address(100).ip())
            .collect();
        destinations.sort();
        destinations.dedup();
        assert_eq!(destinations.len(), discovery::MAX_ELSEWHERE);
    }
}

/// A genuine participant that forged participants replace is verified by its first message to the
/// local participant. A large announcement is not kept.
#[test]
fn replaced_participants_are_restored_by_their_first_message() {
    for (padding, is_kept) in [(0, true), (2000, false)] {
        let mut world = World::new(1);
        let (a, honest) = (world.join(1), address(78));
        let prefix = forged_prefix(60_000);
        let mut data = ParticipantData::new(prefix);
        data.metatraffic_unicast = vec![honest.into()];
        data.user_data = vec![0; padding].into();
        let mut announced = announcement(prefix, honest);
        announced.payload = Payload::Data(data.encode());
        receive(&mut world, a, honest, prefix, |b| b.data(&announced));
        for number in 0..1000 {
            world.now = world.now.plus(MILLIS / 10);
            let from = address(100 + u8::try_from(number % 100).unwrap());
            announce_participant(&mut world, a, from, from, forged_prefix(number));
        }
        assert!(!world.engine(a).remotes.contains_key(&prefix));
        let own = world.engine(a).config.guid_prefix;
        receive(&mut world, a, honest, prefix, |builder| {
            builder.info_destination(own);
            builder.pad(4);
        });
        assert_eq!(world.engine(a).is_verified(prefix), is_kept);
        for number in 0..10_000 {
            let from = address(100 + u8::try_from(number % 100).unwrap());
            announce_participant(&mut world, a, from, from, forged_prefix(number));
        }
        assert_eq!(world.engine(a).displaced.len(), discovery::MAX_DISPLACED);
    }
}

/// An answer that the system does not accept is replaced by an announcement to the groups, at most
/// every 100 ms. The regular announcements continue.
#[test]
fn answers_without_room_are_sent_to_the_groups() {
    let mut world = World::new(1);
    let (a, group) = (world.join(1), SocketAddr::from(([239, 255, 0, 1], 7400)));
    world.engine(a).config.metatraffic_multicast = vec![group.into()];
    world.run(10_000);
    world.log = Some(Vec::new());
    for _ in 0..3000 {
        let now = world.now;
        world.engine(a).announce_soon(now);
        world.run(1);
    }
    let log = world.log.take().unwrap();
    let count = |to: SocketAddr| log.iter().filter(|(_, at, _)| *at == to).count();
    assert!((30..=34).contains(&count(group)), "{}", count(group));
    assert_eq!(count(address(2)), 1);
    world.engine(a).leave();
    let now = world.now;
    world.engine(a).announce_soon(now);
    assert_eq!(world.engine(a).extra_at, None);
}

/// The address with most participants loses one for a newcomer, not an honest one.
#[test]
fn the_address_with_most_participants_makes_room() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b) = (world.join(1), world.join(2));
    world.run(1000);
    let honest = world.engine(b).config.guid_prefix;
    for number in 0..300 {
        let from = address(if number % 10 == 0 { 78 } else { 77 });
        join_forged(&mut world, a, from, forged_prefix(number));
    }
    let engine = world.engine(a);
    assert!(engine.remotes.contains_key(&honest));
    let small = engine.remotes.values();
    let small = small.filter(|remote| remote.source == address(78)).count();
    assert_eq!(small, 30);
}

/// A participant with many large announcements uses at most a quarter of the memory, and 64 kB
/// before it has addressed the local participant. Endpoints of other participants still match.
/// Refused announcements are requested again as soon as there is room.
#[test]
fn announcements_have_quotas() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, attacker) = (world.join(1), address(77));
    world.run(10);
    let forged = forged_prefix(1);
    receive(&mut world, a, attacker, forged, |builder| {
        builder.data(&announcement(forged, attacker));
    });
    let large = |key: u32| {
        let guid = Guid::new(forged, EntityId::user_writer(key));
        let mut qos = Qos::writer();
        qos.user_data = Bytes::from(vec![0; 16_000]);
        EndpointData::new(guid, "none", "T", qos)
    };
    for number in 1..=10 {
        let endpoint = large(number);
        receive(&mut world, a, attacker, forged, |builder| {
            let payload = Payload::Data(endpoint.encode());
            let number = i64::from(number);
            builder.data(&builtin_data(
                EntityId::PUBLICATIONS_WRITER,
                number,
                payload,
            ));
        });
    }
    let bytes = |world: &mut World| world.engine(a).announcement_bytes;
    assert!(bytes(&mut world) <= 64 << 10, "not verified");
    for number in 1..=4150 {
        announce(&mut world, a, attacker, i64::from(number), &large(number));
    }
    assert!(bytes(&mut world) > 15 << 20 && bytes(&mut world) <= 16 << 20);
    let b = world.join(2);
    let writer = world.engine(a).create_writer(Nanos(0), spec(reliable(1)));
    let reader = world.engine(b).create_reader(Nanos(0), spec(reliable(1)));
    world.run(1000);
    assert!(world.engine(a).is_matched(writer, reader));
}

/// Announcements that were refused are requested again when there is room.
#[test]
fn refused_announcements_are_requested_again() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b) = (world.join(1), world.join(2));
    world.engine(a).config.limits.announcement_bytes = 100_000;
    let now = world.now;
    let large: Vec<_> = (0..4)
        .map(|index| {
            let mut qos = Qos::writer();
            qos.user_data = Bytes::from(vec![0; 10_000]);
            let mut spec = spec(qos);
            spec.topic = format!("large{index}");
            world.engine(b).create_writer(now, spec)
        })
        .collect();
    let reader = world.engine(b).create_reader(now, spec(reliable(1)));
    let topics = |world: &mut World| {
        let remotes = world.engine(a).remotes.values();
        remotes.map(|remote| remote.endpoints.len()).sum::<usize>()
    };
    world.run(1000);
    assert_eq!(topics(&mut world), 3, "two large ones and the reader");
    for guid in &large[..2] {
        let now = world.now;
        world.engine(b).remove_endpoint(now, *guid);
    }
    world.run(3000);
    assert_eq!(topics(&mut world), 3, "the other two and the reader");
    let writer = world.engine(a).create_writer(now, spec(reliable(1)));
    assert!(world.engine(a).is_matched(writer, reader));
}

/// Returns a fragment of a sample of `size` [B].
fn first_fragment(writer: Guid, number: i64, size: u32) -> DataFrag {
    DataFrag {
        sample_size: size,
        ..fragment(writer, number, 1)
    }
}

/// Incomplete samples of a participant leave memory for others and are dropped without progress.
#[test]
fn incomplete_samples_leave_memory_to_others() {
    let mut shares = memory::Shares::default();
    let mut source = |host: u8| {
        let share = shares.participant([10, 0, 0, host].into());
        share.verify();
        Source {
            share,
            ..Source::default()
        }
    };
    let (mut reader, _) = lone_reader(true, Limits::default());
    let attacker = |key: u32| Guid::new(GuidPrefix([8; 12]), EntityId::user_writer(key));
    let (greedy, honest) = (source(8), source(8));
    let mut now = Nanos(0);
    for writer in (1..=5).map(attacker) {
        reader.add(now, writer, &greedy, address(8));
        for (number, size) in
            (1..=60).zip([60 << 20, 60 << 20, 7 << 20, 300_000, 20_000].repeat(12))
        {
            // one datagram may start only a part of the memory
            now = now.plus(MILLIS);
            reader.data_frag(now, writer, None, &first_fragment(writer, number, size));
        }
    }
    let before = reader.incomplete();
    let writer = Guid::new(GuidPrefix([9; 12]), EntityId::user_writer(1));
    reader.add(now, writer, &honest, address(8));
    now = now.plus(MILLIS);
    reader.data_frag(now, writer, None, &first_fragment(writer, 1, 60 << 20));
    assert_eq!(reader.incomplete() - 1, before);
    // the timers of the responses
    for _ in 0..60 {
        now = now.plus(100 * MILLIS);
        reader.responses(now);
    }
    assert_eq!(reader.incomplete(), 0, "no progress for 5 s");
}

/// A sample that can never be completed and one without an encapsulation header are skipped and
/// counted; the next samples are delivered.
#[test]
fn samples_over_the_limit_are_skipped() {
    for oversized in [
        DataFrag {
            sample_size: 70 << 20,
            ..first_fragment(Guid::UNKNOWN, 1, 0)
        },
        DataFrag {
            key: true,
            ..first_fragment(Guid::UNKNOWN, 1, 4000)
        },
    ] {
        let (mut reader, writer) = lone_reader(true, Limits::default());
        assert!(
            reader
                .data_frag(Nanos(0), writer, None, &oversized)
                .is_empty()
        );
        let short = Payload::Data(Bytes::from_static(&[0, 1]));
        let short = builtin_data(writer.entity, 2, short);
        assert!(reader.data(writer, None, &short).is_empty());
        assert_eq!(reader.data(writer, None, &sample(writer, 3)).len(), 1);
        assert_eq!(reader.skipped, 2);
    }
}

/// A peer that announces and withdraws an incompatible endpoint again and again is reported once in
/// ten seconds.
#[test]
fn reports_of_incompatible_endpoints_are_throttled() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, attacker) = (world.join(1), address(77));
    let offered = qos(false, false, History::KeepLast(1));
    world.engine(a).create_writer(Nanos(0), spec(offered));
    let forged = forged_prefix(1);
    join_forged(&mut world, a, attacker, forged);
    let guid = Guid::new(forged, EntityId::user_reader(1));
    let endpoint = EndpointData::new(guid, "t", "T", reliable(1));
    let destination = world.engine(a).config.guid_prefix;
    for number in 0..1000 {
        announce(&mut world, a, attacker, 2 * number + 1, &endpoint);
        let mut gone = builtin_data(
            EntityId::SUBSCRIPTIONS_WRITER,
            2 * number + 2,
            Payload::None,
        );
        gone.inline_qos.key_hash = Some(guid.to_bytes());
        gone.inline_qos.status = Some(StatusInfo {
            disposed: true,
            unregistered: true,
        });
        receive(&mut world, a, attacker, forged, |builder| {
            builder.info_destination(destination);
            builder.data(&gone);
        });
        world.run(12);
    }
    let events = world.events.get(&a).into_iter().flatten();
    let reports = events.filter(|event| matches!(event, Event::IncompatibleQos { .. }));
    assert_eq!(reports.count(), 2);
}

pub(super) fn heartbeat(writer: Guid, first: i64, last: i64, count: i32) -> Heartbeat {
    Heartbeat {
        reader: EntityId::UNKNOWN,
        writer: writer.entity,
        first: SequenceNumber(first),
        last: SequenceNumber(last),
        count,
        is_final: true,
        liveliness: false,
    }
}

pub(super) fn sample(writer: Guid, number: i64) -> Data {
    builtin_data(
        writer.entity,
        number,
        Payload::Data(Bytes::from_static(&[0; 12])),
    )
}

/// A participant can match 1024 endpoints with one local endpoint; further endpoints are
/// counted.
#[test]
fn matches_over_the_limit_are_counted() {
    let mut world = World::new(1);
    let (a, attacker) = (world.join(1), address(77));
    let writer = world.engine(a).create_writer(Nanos(0), spec(reliable(1)));
    let forged = forged_prefix(1);
    join_forged(&mut world, a, attacker, forged);
    for key in 1..=1030 {
        let guid = Guid::new(forged, EntityId::user_reader(key));
        let endpoint = EndpointData::new(guid, "t", "T", reliable(1));
        announce(&mut world, a, attacker, i64::from(key), &endpoint);
    }
    assert_eq!(world.engine(a).writers[&writer.entity].matched(), 1024);
    assert_eq!(world.engine(a).counters().refused, 6);
}

/// A small sample does not keep the memory of the large datagram that contained it.
#[test]
fn small_samples_do_not_keep_their_datagram() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b) = (world.join(1), world.join(2));
    let writer = world.engine(b).create_writer(Nanos(0), spec(reliable(1)));
    world.engine(a).create_reader(Nanos(0), spec(reliable(1)));
    world.run(1000);
    let mut builder = MessageBuilder::new(world.engine(b).config.guid_prefix);
    builder.data(&sample(writer, 1));
    let padding = Payload::Data(Bytes::from(vec![0; 40_000]));
    builder.data(&builtin_data(EntityId::UNKNOWN, 1, padding));
    let datagram: Bytes = builder.finish().concat().into();
    let range = datagram.as_ptr_range();
    let now = world.now;
    world.engine(a).handle_datagram(now, b, datagram.clone());
    let Some(Event::Sample(sample)) = world.engine(a).poll_event() else {
        panic!("no sample");
    };
    assert_eq!(sample.payload.len(), 12);
    assert!(!range.contains(&sample.payload.as_ptr()));
}

/// Returns the rows of docs/reference/wire.md with sizes.
fn rows_of_sizes() -> Vec<String> {
    let mega = |bytes: usize| bytes >> 20;
    let limits = Limits::default();
    let announcements = mega(limits.announcement_bytes);
    vec![
        format!("| announcements of all participants | {announcements} MB |"),
        format!("of one address | {} MB |", announcements / 2),
        format!("of one participant | {} MB |", announcements / 4),
        format!(
            "| announcements of an unverified participant | {} kB |",
            discovery::UNVERIFIED_ANNOUNCEMENTS >> 10
        ),
        format!("| one sample | {} MB |", mega(limits.sample_bytes)),
        format!("of one writer | {} MB |", mega(limits.pending_bytes)),
        format!("of all writers | {} MB |", mega(limits.total_bytes)),
        format!(
            "late samples of an unverified participant | {} kB |",
            memory::UNVERIFIED_BYTES >> 10
        ),
        format!("can start | {} MB |", mega(limits.total_bytes / 4)),
        format!(
            "| one discovery sample | {} kB |",
            discovery::BUILTIN_SAMPLE >> 10
        ),
        format!(
            "| waiting discovery samples of one participant | {} MB |",
            mega(discovery::BUILTIN_PENDING)
        ),
        format!(
            "or {} MB per writer, and {} MB in total |",
            mega(writer::UNACKNOWLEDGED.1),
            mega(writer::UNACKNOWLEDGED_TOTAL)
        ),
    ]
}

/// Returns the rows and sentences of docs/reference/wire.md with times.
fn rows_of_times() -> Vec<String> {
    let seconds = |nanos: u64| nanos / (1000 * MILLIS);
    vec![
        format!("datagram within {} s.", seconds(discovery::REPLACEABLE)),
        format!(
            "| lease of a participant | at most {} s |",
            seconds(discovery::MAX_LEASE)
        ),
        format!(
            "| lease of an unverified participant | at most {} s |",
            seconds(discovery::UNVERIFIED_LEASE)
        ),
        format!("| one per {} ms |", discovery::CHANGE_PERIOD / MILLIS),
        format!("and policy in {} s |", seconds(matching::REPORT_PERIOD)),
        format!(
            "| {} s after the last fragment |",
            seconds(reader::ASSEMBLY_TIME.0)
        ),
        format!("| dropped {} s after its", seconds(reader::ASSEMBLY_TIME.1)),
        format!(
            "| repeated requests of a reader | every {} to {} ms |",
            reader::REQUEST_PERIOD.0 / MILLIS,
            reader::REQUEST_PERIOD.1 / MILLIS
        ),
        format!(
            "| at most one every {} ms,",
            writer::HEARTBEAT_SPACING / MILLIS
        ),
        format!(
            "| heartbeats that request an answer | one per {} ms",
            writer::ANSWER_PERIOD / MILLIS
        ),
        format!(
            "| not evicted, for at most {} s |",
            seconds(writer::PROTECTED.1)
        ),
    ]
}

/// docs/reference/wire.md states the values of the code.
#[test]
fn the_page_states_the_bounds() {
    let page = include_str!("../../../../../docs/reference/wire.md");
    let participants = Limits::default().participants;
    let participants = [
        format!("| participants | {participants} |"),
        format!("of one address | {};", participants / 4),
        format!("another machine | {} |", discovery::MAX_ELSEWHERE),
        format!("| one per {} ms |", discovery::ELSEWHERE_PERIOD / MILLIS),
    ];
    let rows = rows_of_sizes().into_iter().chain(rows_of_times());
    for statement in rows.chain(participants) {
        assert!(page.contains(&statement), "{statement}");
    }
    let counts = [
        Limits::default().endpoints,
        group::MAX_GROUP,
        reader::MAX_FRAGMENTS as usize,
        writer::MAX_REQUESTS,
        writer::UNACKNOWLEDGED.0,
        discovery::MAX_DISPLACED,
    ];
    for count in counts {
        let text = format!("{},{:03}", count / 1000, count % 1000);
        assert!(page.contains(&text), "{text}");
    }
}
