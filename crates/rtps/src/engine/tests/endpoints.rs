//! Single endpoints: history of other vendors, late duplicates, changed QoS, selected readers.

use bytes::{BufMut, Bytes};

use super::protection::*;
use super::repair::lone_reader;
use super::*;
use crate::engine::config::MILLIS;
use crate::engine::reader::Source;
use crate::qos::{History, ReliabilityKind};

fn number_of(received: &[reader::Received]) -> Vec<i64> {
    let numbers = received.iter().map(|r| r.sample.sequence_number.0);
    numbers.collect()
}

/// The history of a transient-local writer of Cyclone DDS is not for a volatile reader. A sample
/// that the writer sends unasked is new. Histories of other vendors are requested: their clients
/// write a first request before the match.
#[test]
fn volatile_readers_skip_the_history_of_cyclone_dds() {
    for (vendor, durable, expected) in [
        (VendorId::CYCLONE_DDS, true, vec![7, 8]),
        (VendorId::CYCLONE_DDS, false, vec![]),
        (VendorId::FAST_DDS, true, vec![]),
    ] {
        let guid = Guid::new(GuidPrefix([1; 12]), EntityId::user_reader(1));
        let writer = Guid::new(GuidPrefix([2; 12]), EntityId::user_writer(1));
        let mut reader = Reader::new(guid, reliable(10), Limits::default());
        let source = Source {
            vendor,
            durable,
            ..Source::default()
        };
        source.share.verify();
        reader.add(Nanos(0), writer, &source, address(2));
        // written after the match, with the first heartbeat
        let mut received = reader.data(writer, None, &sample(writer, 7));
        received.extend(reader.heartbeat(Nanos(0), writer, &heartbeat(writer, 1, 7, 1)));
        received.extend(reader.data(writer, None, &sample(writer, 8)));
        assert_eq!(number_of(&received), expected, "{vendor:?}");
        let responses = reader.responses(Nanos(MILLIS));
        let requests = responses
            .iter()
            .filter_map(|(_, _, submessage)| match submessage {
                Submessage::AckNack(acknack) => Some(acknack.missing.iter().count()),
                _ => None,
            });
        let missing = if expected.is_empty() { 6 } else { 0 };
        assert_eq!(requests.sum::<usize>(), missing, "{vendor:?}");
    }
}

/// Built-in writers of Fast DDS answer 100 ms after the last request, so a missing announcement is
/// not requested again before; a sample is.
#[test]
fn announcements_of_fast_dds_are_not_requested_again_at_once() {
    for (vendor, entity, again) in [
        (VendorId::FAST_DDS, EntityId::PUBLICATIONS_WRITER, 250),
        (VendorId::CYCLONE_DDS, EntityId::PUBLICATIONS_WRITER, 20),
        (VendorId::FAST_DDS, EntityId::user_writer(1), 20),
    ] {
        let guid = Guid::new(GuidPrefix([1; 12]), EntityId::PUBLICATIONS_READER);
        let writer = Guid::new(GuidPrefix([2; 12]), entity);
        let mut reader = Reader::new(guid, reliable(10), Limits::default());
        let source = Source {
            vendor,
            ..Source::default()
        };
        reader.add(Nanos(0), writer, &source, address(2));
        reader.heartbeat(Nanos(0), writer, &heartbeat(writer, 1, 3, 1));
        let mut times = Vec::new();
        for millis in 0..1000 {
            let responses = reader.responses(Nanos(millis * MILLIS));
            times.extend(responses.iter().map(|_| millis));
        }
        assert_eq!(times[1] - times[0], again, "{vendor:?} {entity:?}");
    }
}

/// A participant of Fast DDS learns of the subscriptions after its publications have arrived, so
/// that no publisher sends samples to a reader that refuses them. If they do not arrive, it learns
/// of them later.
#[test]
fn fast_dds_discovers_subscriptions_after_its_publications_are_known() {
    for (seed, lost) in (0..20).map(|seed| (seed, seed % 4 == 3)) {
        let mut world = World::new(seed);
        let (near, far) = (world.join(1), world.join(2));
        world.foreign.insert(far, VendorId::FAST_DDS);
        let now = world.now;
        world.engine(near).create_reader(now, spec(reliable(10)));
        world.engine(far).create_writer(now, spec(reliable(10)));
        world.lost_data = lost.then_some(EntityId::PUBLICATIONS_WRITER);
        let (mut known_at, mut told_at) = (None, None);
        for millis in 0..3000 {
            world.run(1);
            for (at, prefix, known) in [(near, 2, &mut known_at), (far, 1, &mut told_at)] {
                let remote = world.engine(at).remotes.get(&GuidPrefix([prefix; 12]));
                if remote.is_some_and(|remote| !remote.endpoints.is_empty()) {
                    *known = known.or(Some(millis));
                }
            }
        }
        let told_at = told_at.expect("announced");
        match lost {
            true => assert!(told_at >= 400, "seed {seed}: {told_at} ms"),
            false => assert!(known_at.is_some_and(|at| at <= told_at), "seed {seed}"),
        }
    }
}

/// A heartbeat that arrives a second late, twice, does not deliver old samples again; a writer that
/// has started again is recognized by two heartbeats.
#[test]
fn late_heartbeats_do_not_repeat_samples() {
    let (mut reader, writer) = lone_reader(true, Limits::default());
    let mut now = Nanos(0);
    reader.heartbeat(now, writer, &heartbeat(writer, 1, 1, 1));
    for number in 1..=5 {
        assert_eq!(reader.data(writer, None, &sample(writer, number)).len(), 1);
    }
    reader.heartbeat(now, writer, &heartbeat(writer, 1, 5, 5));
    now = now.plus(1000 * MILLIS);
    for _ in 0..2 {
        reader.heartbeat(now, writer, &heartbeat(writer, 1, 1, 1));
        assert!(reader.data(writer, None, &sample(writer, 1)).is_empty());
    }
    for count in 2..=3 {
        reader.heartbeat(now, writer, &heartbeat(writer, 1, 1, count));
    }
    assert_eq!(reader.data(writer, None, &sample(writer, 1)).len(), 1);
}

/// An endpoint that is announced again with an incompatible QoS no longer matches.
#[test]
fn changed_qos_ends_a_match() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, attacker) = (world.join(1), address(77));
    let writer = world.engine(a).create_writer(Nanos(0), spec(reliable(1)));
    let local = world.engine(a).create_reader(Nanos(0), spec(reliable(1)));
    let forged = forged_prefix(1);
    join_forged(&mut world, a, attacker, forged);
    for (number, entity) in [(1, EntityId::user_reader(1)), (1, EntityId::user_writer(2))] {
        let guid = Guid::new(forged, entity);
        let mut endpoint = EndpointData::new(guid, "t", "T", reliable(1));
        announce(&mut world, a, attacker, number, &endpoint);
        let of = if entity.is_writer() { local } else { writer };
        assert!(world.engine(a).is_matched(of, guid));
        endpoint.qos.partition = vec!["other".to_owned()];
        announce(&mut world, a, attacker, number + 1, &endpoint);
        assert!(!world.engine(a).is_matched(of, guid));
        endpoint.qos.partition.clear();
        announce(&mut world, a, attacker, number + 2, &endpoint);
        assert!(world.engine(a).is_matched(of, guid));
    }
}

/// A reader that is announced again as best effort is served as such.
#[test]
fn changed_reliability_is_followed() {
    let mut world = World::new(1);
    let (a, attacker) = (world.join(1), address(77));
    let writer = world.engine(a).create_writer(Nanos(0), spec(reliable(1)));
    let forged = forged_prefix(1);
    join_forged(&mut world, a, attacker, forged);
    let guid = Guid::new(forged, EntityId::user_reader(1));
    let mut endpoint = EndpointData::new(guid, "t", "T", reliable(1));
    announce(&mut world, a, attacker, 1, &endpoint);
    assert!(world.engine(a).ready_readers(writer).is_empty());
    endpoint.qos.reliability.kind = ReliabilityKind::BestEffort;
    announce(&mut world, a, attacker, 2, &endpoint);
    assert_eq!(world.engine(a).ready_readers(writer), [guid]);
}

/// INFO_SRC ends the timestamp of the samples before it (RTPS 2.5, 8.3.8.10.4).
#[test]
fn another_source_has_no_timestamp() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b) = (world.join(1), world.join(2));
    let writer = world.engine(b).create_writer(Nanos(0), spec(reliable(1)));
    world.engine(a).create_reader(Nanos(0), spec(reliable(1)));
    world.run(1000);
    let prefix = world.engine(b).config.guid_prefix;
    receive(&mut world, a, b, GuidPrefix([3; 12]), |builder| {
        builder.info_timestamp(Some(Time::from_nanos(5)));
        builder.submessage(0x0c, 0, |out| {
            out.put_slice(&[0, 0, 0, 0, 2, 1, 1, 0x4d]);
            out.put_slice(&prefix.0);
        });
        builder.data(&sample(writer, 1));
    });
    let event = world.engine(a).poll_event();
    let Some(Event::Sample(sample)) = event else {
        panic!("{event:?}");
    };
    assert_eq!(sample.source_timestamp, None);
}

/// Every payload starts with its encapsulation header.
#[test]
fn payloads_without_a_header_are_refused() {
    let mut world = World::new(1);
    let a = world.join(1);
    let writer = world.engine(a).create_writer(Nanos(0), spec(reliable(1)));
    for (bytes, expected) in [(3, Err(WriteError::TooShort)), (4, Ok(SequenceNumber(1)))] {
        let sample = OutgoingSample {
            payload: vec![0; bytes].into(),
            related: None,
        };
        let written = world
            .engine(a)
            .write(Nanos(0), Time::INVALID, writer, sample);
        assert_eq!(written, expected);
    }
}

/// Keys of endpoints have 24 bits; one that is in use is not given again.
#[test]
fn keys_of_endpoints_are_unique() {
    let mut world = World::new(1);
    let a = world.join(1);
    let first = world.engine(a).create_writer(Nanos(0), spec(reliable(1)));
    world.engine(a).next_key = 0xff_fffe;
    let next = [(); 3].map(|()| world.engine(a).create_writer(Nanos(0), spec(reliable(1))));
    let keys = next.map(|guid| guid.entity.0[..3].to_vec());
    assert_eq!(first.entity.0[..3], [0, 0, 2]);
    assert_eq!(keys, [[255, 255, 255], [0, 0, 1], [0, 0, 3]]);
}

/// Readers receive the samples without the QoS of the writer.
#[test]
fn samples_have_no_qos_of_their_writer() {
    let mut world = World::new(1);
    let (a, attacker) = (world.join(1), address(77));
    let best_effort = qos(false, false, History::KeepLast(1));
    let writer = world
        .engine(a)
        .create_writer(Nanos(0), spec(best_effort.clone()));
    let forged = forged_prefix(1);
    join_forged(&mut world, a, attacker, forged);
    let guid = Guid::new(forged, EntityId::user_reader(1));
    let endpoint = EndpointData::new(guid, "t", "T", best_effort);
    announce(&mut world, a, attacker, 1, &endpoint);
    world.write(a, writer, 1, 20);
    let now = world.now;
    let engine = world.engine(a);
    let sent = std::iter::from_fn(|| engine.poll_transmit(now)).map(|t| t.parts.concat());
    let messages = sent.map(|bytes| parse(bytes.into()).expect("valid"));
    let samples: Vec<_> = messages
        .flat_map(|message| message.submessages)
        .filter_map(|submessage| match submessage {
            Submessage::Data(data) if data.writer == writer.entity => Some(data.inline_qos),
            _ => None,
        })
        .collect();
    assert_eq!(samples, [InlineQos::default()]);
}

/// A writer matches only the readers that it accepts, by announcement and vendor.
#[test]
fn writers_can_select_their_readers() {
    let mut world = World::new(1);
    world.loss_percent = 0;
    let (a, b) = (world.join(1), world.join(2));
    let engine = world.engine(a);
    let mut writer = |accepts: ReaderFilter| {
        let spec = EndpointSpec {
            accepts,
            ..spec(reliable(1))
        };
        engine.create_writer(Nanos(0), spec)
    };
    let named = writer(|reader, vendor| reader.qos.user_data == "x" && vendor == VendorId::MERROW);
    let other = writer(|reader, _| reader.qos.user_data != "x");
    let mut with_data = reliable(1);
    with_data.user_data = Bytes::from_static(b"x");
    let first = world.engine(b).create_reader(Nanos(0), spec(with_data));
    let second = world.engine(b).create_reader(Nanos(0), spec(reliable(1)));
    world.run(1000);
    let matched = [
        (named, first),
        (named, second),
        (other, first),
        (other, second),
    ]
    .map(|(writer, reader)| world.engine(a).is_matched(writer, reader));
    assert_eq!(matched, [true, false, false, true]);
}
