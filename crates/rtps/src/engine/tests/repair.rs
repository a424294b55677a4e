//! Fragments, requests of readers and repairs.

use super::*;
use crate::engine::reader::Source;

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
    let reader = Guid::new(GuidPrefix([1; 12]), EntityId::user_reader(1));
    let writer = Guid::new(GuidPrefix([2; 12]), EntityId::user_writer(1));
    let qos = qos(reliable, false, History::KeepAll);
    let mut reader = Reader::new(reader, qos, limits);
    let source = Source::default();
    source.share.verify();
    reader.add(Nanos(0), writer, &source, address(2));
    (reader, writer)
}

/// Later samples that fill the memory must not exclude the next sample.
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

/// Returns two engines, a writer of the first with samples that a reader of the second has
/// received.
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

/// Passes a submessage of the second engine to the first and returns the datagrams that the first
/// sends.
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
            builder.fixed(&NackFrag {
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
        builder.fixed(&AckNack {
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
