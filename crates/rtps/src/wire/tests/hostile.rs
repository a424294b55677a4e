//! Hostile input: truncated, changed and random bytes decode without a panic, and decoded data is
//! bounded by the size of the input.

use bytes::Bytes;

use super::discovery::{endpoint, participant};
use super::{PREFIX, READER, WRITER, datagram, put_heartbeat_frag};
use crate::wire::*;
use merrow_testing::random::Random;

/// Returns valid messages that contain every submessage and the discovery payloads.
fn seeds() -> Vec<Bytes> {
    let sample = |payload| Data {
        reader: READER,
        writer: WRITER,
        sequence_number: SequenceNumber(5),
        inline_qos: InlineQos {
            related: Some(SampleIdentity {
                writer: Guid::new(PREFIX, WRITER),
                sequence_number: SequenceNumber(3),
            }),
            status: Some(StatusInfo::default()),
            key_hash: Some([1; 16]),
        },
        payload,
    };
    let mut seeds = Vec::new();
    for payload in [
        participant().encode(),
        endpoint().encode(),
        encode_key(Guid::UNKNOWN),
    ] {
        let mut builder = MessageBuilder::new(PREFIX);
        builder.info_timestamp(Some(Time::from_nanos(1)));
        builder.data(&sample(Payload::Data(payload)));
        seeds.push(datagram(builder));
    }
    seeds.push(control_message());
    seeds
}

fn control_message() -> Bytes {
    let mut builder = MessageBuilder::new(PREFIX);
    let (reader, writer) = (READER, WRITER);
    let sequence_number = SequenceNumber(5);
    builder.info_destination(PREFIX);
    let mut missing = SequenceNumberSet::new(sequence_number);
    missing.insert(sequence_number.plus(255));
    builder.fixed(&AckNack {
        reader,
        writer,
        missing,
        count: 1,
        is_final: false,
    });
    builder.fixed(&Gap {
        reader,
        writer,
        start: sequence_number,
        list: missing,
    });
    let (first, last) = (SequenceNumber(1), sequence_number);
    let (is_final, liveliness) = (false, false);
    builder.fixed(&Heartbeat {
        reader,
        writer,
        first,
        last,
        count: 1,
        is_final,
        liveliness,
    });
    let last_fragment = FragmentNumber(3);
    let heartbeat = HeartbeatFrag {
        reader,
        writer,
        sequence_number,
        last_fragment,
        count: 1,
    };
    put_heartbeat_frag(&mut builder, &heartbeat);
    let mut missing = FragmentNumberSet::new(FragmentNumber(1));
    assert!(missing.insert(FragmentNumber(2)));
    builder.fixed(&NackFrag {
        reader,
        writer,
        sequence_number,
        missing,
        count: 1,
    });
    builder.data_frag(&DataFrag {
        reader,
        writer,
        sequence_number,
        first_fragment: FragmentNumber(1),
        fragment_count: 1,
        fragment_size: 8,
        sample_size: 20,
        inline_qos: InlineQos::default(),
        key: false,
        payload: Bytes::from_static(&[0; 8]),
    });
    datagram(builder)
}

/// Decodes `bytes` in every way and checks the bounds.
fn decode(bytes: &Bytes) {
    let Ok(message) = parse(bytes.clone()) else {
        return;
    };
    for submessage in message.submessages {
        match submessage {
            Submessage::Data(Data {
                payload: Payload::Data(bytes) | Payload::Key(bytes),
                ..
            }) => {
                decode_payload(&bytes);
            }
            Submessage::DataFrag(frag) => {
                let first = frag.first_fragment.0 as usize - 1;
                let end = first * usize::from(frag.fragment_size) + frag.payload.len();
                assert!(end <= frag.sample_size as usize && !frag.payload.is_empty());
            }
            Submessage::AckNack(acknack) => assert!(acknack.missing.iter().count() <= 256),
            Submessage::NackFrag(nack) => assert!(nack.missing.iter().count() <= 256),
            Submessage::Gap(gap) => assert!(gap.list.iter().all(|number| number.0 >= 1)),
            _ => {}
        }
    }
}

/// Decodes a payload with every decoder and encodes valid results again.
fn decode_payload(bytes: &Bytes) {
    if let Ok(data) = ParticipantData::decode(bytes) {
        let _ = data.encode();
    }
    if let Ok(data) = EndpointData::decode(bytes) {
        let _ = crate::qos::compatible(&data.qos, &crate::qos::Qos::reader());
        let _ = data.encode();
    }
    let _ = decode_key(bytes);
}

#[test]
fn every_prefix_and_every_changed_byte() {
    for seed in seeds() {
        for length in 0..=seed.len() {
            decode(&seed.slice(..length));
        }
        for at in 0..seed.len() {
            for value in 0..=255 {
                let mut changed = seed.to_vec();
                changed[at] = value;
                decode(&changed.into());
            }
        }
    }
}

/// Decodes `count` messages with random changes: bytes replaced, ranges removed or repeated.
fn fuzz(seed: u64, count: usize) {
    let seeds = seeds();
    let mut random = Random(seed);
    for round in 0..count {
        let state = random.0;
        let mut bytes = seeds[random.below(seeds.len())].to_vec();
        for _ in 0..=random.below(8) {
            if bytes.is_empty() {
                break;
            }
            let at = random.below(bytes.len());
            let end = at + random.below(bytes.len() - at);
            match random.below(8) {
                0 => drop(bytes.drain(at..end)),
                1 if bytes.len() < 4096 => bytes.extend_from_within(at..end),
                2 => bytes[at] = 0xff,
                3 => bytes[at] ^= 1 << random.below(8),
                _ => bytes[at] = random.next() as u8,
            }
        }
        let result = std::panic::catch_unwind(|| decode(&bytes.into()));
        assert!(result.is_ok(), "round {round}, state {state:#x}");
    }
}

#[test]
fn randomly_changed_messages_decode_without_panic() {
    fuzz(1, 100_000);
}

#[test]
#[ignore = "takes minutes"]
fn random_changes_long() {
    fuzz(2, 10_000_000);
}
