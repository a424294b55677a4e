//! Single datagrams that would cost a receiver much more time, memory or traffic than their sender.

use bytes::Bytes;
use merrow_rtps::engine::Limits;
use merrow_rtps::wire::*;

use crate::peers::{LIMITS, MILLIS, Peer, Scene, address, prefix, spec};

/// Largest processor time that a datagram may take, in a build without optimisation [ns].
const MAX_TIME: u64 = 150_000_000;

/// Returns a datagram of 60 kB of the participant `index`, filled by `fill`, which receives the
/// number of the submessage.
fn datagram(index: u8, mut fill: impl FnMut(i32, &mut MessageBuilder)) -> Bytes {
    let mut bytes = Vec::new();
    for round in 0.. {
        let mut builder = MessageBuilder::new(prefix(index));
        for count in 0..40 {
            fill(round * 40 + count, &mut builder);
        }
        // the builder bounds the submessages of a message, an attacker does not
        let part = builder.finish().concat();
        if bytes.len() + part.len() > 60_000 {
            break;
        }
        let start = if bytes.is_empty() { 0 } else { 20 };
        bytes.extend_from_slice(&part[start..]);
    }
    assert!(bytes.len() > 40_000, "{} B", bytes.len());
    bytes.into()
}

/// Passes a datagram of the attacker to the participant, lets it answer and checks the time.
fn check_time(scene: &mut Scene, datagram: Bytes) {
    let time = scene.receive(address(3), datagram);
    assert!(time < MAX_TIME, "{time} ns");
    let start = crate::peers::cpu_ns();
    scene.advance(MILLIS);
    let time = crate::peers::cpu_ns() - start;
    assert!(time < 4 * MAX_TIME, "{time} ns to answer");
}

fn frag(writer: Guid, number: i64, sample_size: u32) -> DataFrag {
    DataFrag {
        reader: EntityId::UNKNOWN,
        writer: writer.entity,
        sequence_number: SequenceNumber(number),
        first_fragment: FragmentNumber(1),
        fragment_count: 1,
        fragment_size: 1000,
        sample_size,
        inline_qos: InlineQos::default(),
        key: false,
        payload: Bytes::from_static(&[0; 1000]),
    }
}

fn data(writer: EntityId, number: i64, payload: Payload) -> Data {
    Data {
        reader: EntityId::UNKNOWN,
        writer,
        sequence_number: SequenceNumber(number),
        inline_qos: InlineQos::default(),
        payload,
    }
}

fn gap(writer: Guid, start: i64, end: i64) -> Gap {
    Gap {
        reader: EntityId::UNKNOWN,
        writer: writer.entity,
        start: SequenceNumber(start),
        list: SequenceNumberSet::new(SequenceNumber(end)),
    }
}

fn announcement(index: u8, to: u8) -> Payload {
    let mut data = ParticipantData::new(prefix(index));
    data.metatraffic_unicast = vec![address(to).into()];
    data.default_unicast = vec![address(to).into()];
    Payload::Data(data.encode())
}

/// Pairs of GAPs that fill the window after the next sample and then skip it.
#[test]
fn gaps_take_constant_time() {
    let mut scene = Scene::new(Limits::default());
    let writer = scene.peers[2].writer;
    let mut next = 1;
    let flood = datagram(3, |count, builder| {
        if count % 2 == 0 {
            builder.fixed(&gap(writer, next + 1, next + 4096));
        } else {
            builder.fixed(&gap(writer, next, next + 1));
            next += 4096;
        }
    });
    check_time(&mut scene, flood);
}

/// Requests for samples that the writer no longer has: one GAP answers all of them.
#[test]
fn requests_for_absent_samples_take_little_time() {
    let mut scene = Scene::new(Limits::default());
    for _ in 0..20_000 {
        scene.write_both();
        if scene.written().is_multiple_of(50) {
            scene.advance(MILLIS);
        }
    }
    let (reader, writer) = (scene.peers[2].readers[0], scene.peers[0].writer);
    let flood = datagram(3, |count, builder| {
        let mut missing = SequenceNumberSet::new(SequenceNumber(i64::from(count % 70) * 256 + 1));
        for bit in 0..256 {
            missing.insert(missing.base().plus(bit));
        }
        builder.info_destination(prefix(1));
        builder.fixed(&AckNack {
            reader: reader.entity,
            writer: writer.entity,
            missing,
            count: 1_000_000 + count,
            is_final: true,
        });
    });
    check_time(&mut scene, flood);
}

/// Requests for all fragments of large samples, again and again.
#[test]
fn requests_for_large_samples_take_little_time() {
    let mut scene = Scene::new(Limits::default());
    let (reader, writer) = (scene.peers[2].readers[0], scene.peers[0].writer);
    scene.write_large(10, 10 << 20);
    for _ in 0..60 {
        scene.advance(20 * MILLIS);
    }
    let flood = datagram(3, |count, builder| {
        let mut missing = SequenceNumberSet::new(SequenceNumber(1));
        for bit in 0..200 {
            missing.insert(SequenceNumber(1 + bit));
        }
        builder.fixed(&AckNack {
            reader: reader.entity,
            writer: writer.entity,
            missing,
            count: 1_000_000 + count,
            is_final: true,
        });
    });
    check_time(&mut scene, flood);
}

/// Fragments that each claim to belong to a further large sample.
#[test]
fn starts_of_large_samples_take_little_time() {
    let mut scene = Scene::new(Limits::default());
    let writer = scene.peers[2].writer;
    for round in 0..4 {
        let flood = datagram(3, |count, builder| {
            let number = i64::from(round * 100_000 + count);
            builder.fixed(&gap(writer, 1, number + 1));
            builder.data_frag(&DataFrag {
                fragment_size: 600,
                payload: Bytes::from_static(&[0; 600]),
                ..frag(writer, number + 1, 30 << 20)
            });
        });
        check_time(&mut scene, flood);
    }
}

/// Announces `count` endpoints of the attacker on the topic of the tests.
fn announce_endpoints(scene: &mut Scene, count: u32, reader: bool) {
    let topic = spec(true, false);
    let (mut number, writer) = match reader {
        true => (3, EntityId::SUBSCRIPTIONS_WRITER),
        false => (2, EntityId::PUBLICATIONS_WRITER),
    };
    for key in 0..count {
        let entity = match reader {
            true => EntityId::user_reader(1000 + key),
            false => EntityId::user_writer(1000 + key),
        };
        let guid = Guid::new(prefix(3), entity);
        let endpoint = EndpointData::new(guid, "t", "T", topic.qos.clone());
        let mut builder = MessageBuilder::new(prefix(3));
        builder.info_destination(prefix(1));
        builder.data(&data(writer, number, Payload::Data(endpoint.encode())));
        number += 1;
        scene.receive(address(3), builder.finish().concat().into());
    }
}

/// A participant with as many endpoints as permitted: messages to them, and their end.
#[test]
fn many_endpoints_take_little_time() {
    for reader in [false, true] {
        let mut scene = Scene::new(Limits::default());
        announce_endpoints(&mut scene, 16_000, reader);
        scene.advance(MILLIS);
        let flood = datagram(3, |count, builder| {
            builder.fixed(&Heartbeat {
                reader: EntityId::UNKNOWN,
                writer: EntityId::user_writer(1000 + count.cast_unsigned() % 1000),
                first: SequenceNumber(1),
                last: SequenceNumber(100),
                count,
                is_final: false,
                liveliness: false,
            });
        });
        check_time(&mut scene, flood);
        let changes = datagram(3, |count, builder| {
            let to = 4 + (count % 2) as u8;
            builder.data(&data(EntityId::SPDP_WRITER, 1, announcement(3, to)));
        });
        check_time(&mut scene, changes);
        let mut builder = MessageBuilder::new(prefix(3));
        let mut gone = data(EntityId::SPDP_WRITER, 1, announcement(3, 3));
        gone.inline_qos.status = Some(StatusInfo {
            disposed: true,
            unregistered: true,
        });
        builder.data(&gone);
        check_time(&mut scene, builder.finish().concat().into());
    }
}

/// Small late samples in large datagrams, and late samples without content.
#[test]
fn late_samples_keep_little_memory() {
    let mut scene = Scene::new(LIMITS);
    announce_endpoints(&mut scene, 90, false);
    let padding = Bytes::from(vec![0; 55_000]);
    for number in 2..1000 {
        let mut builder = MessageBuilder::new(prefix(3));
        let payload = Payload::Data(Bytes::from_static(&[0; 5000]));
        builder.data(&data(scene.peers[2].writer.entity, number, payload));
        builder.data(&data(EntityId::UNKNOWN, 1, Payload::Data(padding.clone())));
        scene.receive(address(3), builder.finish().concat().into());
        scene.check_memory();
    }
    for writer in 0..90 {
        let flood = datagram(3, |count, builder| {
            let entity = EntityId::user_writer(1000 + writer);
            builder.data(&data(entity, i64::from(count) + 2, Payload::None));
        });
        scene.receive(address(3), flood);
        scene.check_memory();
    }
}

/// A forged announcement with the address of an honest peer does not stop the messages to it.
#[test]
fn forged_addresses_do_not_silence_an_honest_peer() {
    let mut scene = Scene::new(LIMITS);
    scene.lose_every(3);
    for round in 0..30 {
        let mut builder = MessageBuilder::new(prefix(100 + round));
        builder.data(&data(
            EntityId::SPDP_WRITER,
            1,
            announcement(100 + round, 2),
        ));
        scene.receive(address(9), builder.finish().concat().into());
        scene.advance(200 * MILLIS);
        scene.write_both();
    }
    scene.check_honest();
}

/// Forged announcements, answers and disposals never make the participant send more to a third
/// address than arrived with them.
#[test]
fn forged_answers_are_not_amplified() {
    let mut scene = Scene::new(Limits::default());
    for _ in 0..100 {
        let now = scene.now;
        scene.peers[0].engine.create_writer(now, spec(true, true));
    }
    let mut received = 0;
    for index in [100, 101] {
        let mut builder = MessageBuilder::new(prefix(index));
        builder.data(&data(EntityId::SPDP_WRITER, 1, announcement(index, 77)));
        for writer in [
            EntityId::PUBLICATIONS_WRITER,
            EntityId::SUBSCRIPTIONS_WRITER,
        ] {
            let mut missing = SequenceNumberSet::new(SequenceNumber(1));
            missing.insert(SequenceNumber(1));
            builder.fixed(&AckNack {
                reader: match writer {
                    EntityId::PUBLICATIONS_WRITER => EntityId::PUBLICATIONS_READER,
                    _ => EntityId::SUBSCRIPTIONS_READER,
                },
                writer,
                missing,
                count: 1,
                is_final: true,
            });
        }
        let bytes = Bytes::from(builder.finish().concat());
        for _ in 0..2 {
            received += bytes.len();
            scene.receive(address(77), bytes.clone());
            scene.advance(100 * MILLIS);
        }
    }
    let mut gone = data(EntityId::SPDP_WRITER, 2, announcement(100, 77));
    gone.inline_qos.status = Some(StatusInfo {
        disposed: true,
        unregistered: true,
    });
    let mut builder = MessageBuilder::new(prefix(100));
    builder.data(&gone);
    let bytes: Bytes = builder.finish().concat().into();
    received += bytes.len();
    scene.receive(address(77), bytes);
    for _ in 0..100 {
        scene.advance(100 * MILLIS);
    }
    let sent = scene.sent_outside();
    assert!((1..=received).contains(&sent), "{sent} B for {received} B");
}

/// An endpoint that is announced again on another topic no longer matches the endpoints of the
/// first topic.
#[test]
fn announcements_on_another_topic_end_the_match() {
    let mut scene = Scene::new(LIMITS);
    let remote = scene.peers[2].writer;
    let Peer { readers, .. } = &scene.peers[0];
    let local = readers[0];
    assert!(scene.peers[0].engine.is_matched(local, remote));
    let endpoint = EndpointData::new(remote, "other", "T", spec(true, true).qos);
    let mut builder = MessageBuilder::new(prefix(3));
    let payload = Payload::Data(endpoint.encode());
    builder.data(&data(EntityId::PUBLICATIONS_WRITER, 2, payload));
    scene.receive(address(3), builder.finish().concat().into());
    assert!(!scene.peers[0].engine.is_matched(local, remote));
}
