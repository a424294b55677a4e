//! DATA and DATA_FRAG in both directions and both byte orders.

use bytes::Bytes;

use super::{PREFIX, READER, WRITER, check_round_trip, decodes, message, refused};
use crate::wire::*;

const IDENTITY: SampleIdentity = SampleIdentity {
    writer: Guid::new(PREFIX, WRITER),
    sequence_number: SequenceNumber(7),
};

fn data() -> Data {
    Data {
        reader: READER,
        writer: WRITER,
        sequence_number: SequenceNumber((1 << 32) + 5),
        inline_qos: InlineQos::default(),
        payload: Payload::Data(Bytes::from_static(&[0, 1, 0, 0, 42, 0, 0, 0])),
    }
}

#[test]
fn data_with_payload() {
    let sample = data();
    let body = "15 05 1c00 0000 1000 00000104 00000203 01000000 05000000 00010000 2a000000";
    check_round_trip(body, &Submessage::Data(sample.clone()), |out| {
        out.data(&sample)
    });
    let big = "15 04 001c 0000 0010 00000104 00000203 00000001 00000005 00010000 2a000000";
    decodes(big, &Submessage::Data(sample.clone()));
    // A length of zero extends to the end; octetsToInlineQos can skip unknown fields.
    let open =
        "15 05 0000 0000 1400 00000104 00000203 01000000 05000000 ffffffff 00010000 2a000000";
    decodes(open, &Submessage::Data(sample));
}

#[test]
fn data_with_inline_qos() {
    let mut sample = data();
    sample.inline_qos = InlineQos {
        related: Some(IDENTITY),
        status: Some(StatusInfo {
            disposed: true,
            unregistered: true,
        }),
        key_hash: Some([9; 16]),
    };
    sample.payload = Payload::Key(Bytes::from_static(&[0, 3, 0, 0]));
    let identity = "0102030405060708090a0b0c 00000203 00000000 07000000";
    let hash = "09".repeat(16);
    let body = format!(
        "15 0b 7000 0000 1000 00000104 00000203 01000000 05000000
        8300 1800 {identity} 0f80 1800 {identity} 7000 1000 {hash} 7100 0400 00000003
        0100 0000 00030000"
    );
    assert_eq!(sample.inline_qos.encoded_len(), 88);
    check_round_trip(&body, &Submessage::Data(sample.clone()), |out| {
        out.data(&sample)
    });
    // Only the legacy parameter, an unknown vendor's parameter with the flag 0x4000, no payload.
    sample.inline_qos = InlineQos {
        related: Some(IDENTITY),
        ..InlineQos::default()
    };
    sample.payload = Payload::None;
    let body = format!(
        "15 03 3800 0000 1000 00000104 00000203 01000000 05000000
        0f80 1800 {identity} 01c0 0000 0100 ffff"
    );
    decodes(&body, &Submessage::Data(sample));
}

#[test]
fn empty_key_is_absent() {
    let sample = Data {
        payload: Payload::None,
        ..data()
    };
    let body = "15 09 1400 0000 1000 00000104 00000203 01000000 05000000";
    decodes(body, &Submessage::Data(sample));
}

#[test]
fn invalid_data_is_refused() {
    let ids = "00000104 00000203";
    refused(
        &format!("15 05 1800 0000 1000 {ids} 00000000 00000000 00010000"),
        ParseError::Invalid,
    );
    refused(
        &format!("15 05 1800 0000 0c00 {ids} 00000000 01000000 00010000"),
        ParseError::Invalid,
    );
    refused(
        &format!("15 0d 1800 0000 1000 {ids} 00000000 01000000 00010000"),
        ParseError::Invalid,
    );
}

/// A payload without an encapsulation header is read; the reader refuses the sample. The other
/// submessages of the datagram remain valid.
#[test]
fn short_payloads_are_read() {
    let sample = Data {
        sequence_number: SequenceNumber(1),
        payload: Payload::Data(Bytes::from_static(&[0, 1])),
        ..data()
    };
    let body = "15 05 1600 0000 1000 00000104 00000203 00000000 01000000 0001";
    decodes(body, &Submessage::Data(sample));
}

/// A sample whose inline QoS has an unknown parameter that must be understood is ignored: it has no
/// content. The submessages after it remain valid.
#[test]
fn samples_that_must_be_ignored_have_no_content() {
    let ids = "00000104 00000203 00000000 05000000";
    let unknown = "9945 0400 01020304 7000 0100";
    let data_body = format!("15 07 2400 0000 1000 {ids} {unknown} 00010000");
    let numbers = "02000000 0200 0400 0a000000";
    let frag_body = format!("16 03 3400 0000 1c00 {ids} {numbers} {unknown} 01020304 05060000");
    let ignored = Submessage::Data(Data {
        sequence_number: SequenceNumber(5),
        payload: Payload::None,
        ..data()
    });
    for body in [data_body, frag_body] {
        let read = parse(message(&format!("{body} 01 01 0000"))).expect("header");
        assert_eq!(read.error, None, "{body}");
        assert_eq!(read.submessages, [ignored.clone(), Submessage::Pad]);
    }
}

/// DATA with inline QoS in big-endian order: key hash, status and related identity.
#[test]
fn big_endian_inline_qos() {
    let sample = Data {
        sequence_number: SequenceNumber(5),
        inline_qos: InlineQos {
            related: Some(IDENTITY),
            status: Some(StatusInfo {
                disposed: true,
                unregistered: false,
            }),
            key_hash: Some([7; 16]),
        },
        payload: Payload::Key(Bytes::from_static(&[0, 0, 0, 0])),
        ..data()
    };
    let identity = "0102030405060708090a0b0c 00000203 00000000 00000007";
    let body = format!(
        "15 0a 0054 0000 0010 00000104 00000203 00000000 00000005
        0083 0018 {identity} 0070 0010 {} 0071 0004 00000001 0001 0000 00000000",
        "07".repeat(16)
    );
    decodes(&body, &Submessage::Data(sample));
}

/// DATA_FRAG with inline QoS in both byte orders, and with the flag of a key.
#[test]
fn data_frag_with_inline_qos_or_key() {
    let with_qos = DataFrag {
        inline_qos: InlineQos {
            key_hash: Some([7; 16]),
            ..InlineQos::default()
        },
        ..frag()
    };
    let hash = "07".repeat(16);
    let body = format!(
        "16 03 4000 0000 1c00 00000104 00000203 00000000 05000000
        02000000 0200 0400 0a000000 7000 1000 {hash} 0100 0000 01020304 05060000"
    );
    check_round_trip(&body, &Submessage::DataFrag(with_qos.clone()), |out| {
        out.data_frag(&with_qos)
    });
    let big = format!(
        "16 02 003e 0000 001c 00000104 00000203 00000000 00000005
        00000002 0002 0004 0000000a 0070 0010 {hash} 0001 0000 01020304 0506"
    );
    decodes(&big, &Submessage::DataFrag(with_qos));
    let key = DataFrag {
        key: true,
        ..frag()
    };
    let body = "16 05 2800 0000 1c00 00000104 00000203 00000000 05000000
        02000000 0200 0400 0a000000 01020304 05060000";
    check_round_trip(body, &Submessage::DataFrag(key.clone()), |out| {
        out.data_frag(&key)
    });
}

#[test]
fn large_payloads_are_not_copied() {
    let mut sample = data();
    sample.payload = Payload::Data(Bytes::from(vec![7; 1001]));
    let mut builder = MessageBuilder::new(PREFIX);
    builder.data(&sample);
    builder.info_destination(PREFIX);
    let parts = builder.finish();
    assert_eq!(parts.len(), 3);
    let (Payload::Data(bytes), read) = (&sample.payload, parse(parts.concat().into())) else {
        unreachable!()
    };
    assert_eq!(parts[1].as_ptr(), bytes.as_ptr());
    assert_eq!(read.expect("header").submessages.len(), 2);
}

#[test]
fn data_is_padded_before_the_next_submessage() {
    let mut sample = data();
    sample.payload = Payload::Data(Bytes::from_static(&[0, 1, 0, 0, 42]));
    let mut builder = MessageBuilder::new(PREFIX);
    builder.data(&sample);
    builder.info_destination(PREFIX);
    let parts = builder.finish();
    assert_eq!(parts.len(), 1);
    let message = parse(parts.concat().into()).expect("header");
    sample.payload = Payload::Data(Bytes::from_static(&[0, 1, 0, 0, 42, 0, 0, 0]));
    let expected = [
        Submessage::Data(sample),
        Submessage::InfoDestination(PREFIX),
    ];
    assert_eq!(message.submessages, expected);
}

#[test]
fn payloads_are_not_copied() {
    let payload = Bytes::from(vec![1; 1000]);
    let sample = Data {
        payload: Payload::Data(payload.clone()),
        ..data()
    };
    let mut builder = MessageBuilder::new(PREFIX);
    builder.data(&sample);
    let parts = builder.finish();
    assert!(parts.iter().any(|part| part.as_ptr() == payload.as_ptr()));
    let received: Bytes = parts.concat().into();
    let range = received.as_ptr_range();
    let message = parse(received).expect("header");
    let [
        Submessage::Data(Data {
            payload: Payload::Data(bytes),
            ..
        }),
    ] = &message.submessages[..]
    else {
        panic!("no data");
    };
    assert!(range.contains(&bytes.as_ptr()));
}

fn frag() -> DataFrag {
    DataFrag {
        reader: READER,
        writer: WRITER,
        sequence_number: SequenceNumber(5),
        first_fragment: FragmentNumber(2),
        fragment_count: 2,
        fragment_size: 4,
        sample_size: 10,
        inline_qos: InlineQos::default(),
        key: false,
        payload: Bytes::from_static(&[1, 2, 3, 4, 5, 6]),
    }
}

#[test]
fn data_frag_has_its_wire_bytes() {
    let frag = frag();
    assert_eq!(frag.total_fragments(), 3);
    let body = "16 01 2800 0000 1c00 00000104 00000203 00000000 05000000
        02000000 0200 0400 0a000000 01020304 05060000";
    check_round_trip(body, &Submessage::DataFrag(frag.clone()), |out| {
        out.data_frag(&frag)
    });
    let big = "16 00 0026 0000 001c 00000104 00000203 00000000 00000005
        00000002 0002 0004 0000000a 01020304 0506";
    decodes(big, &Submessage::DataFrag(frag));
}

#[test]
fn invalid_data_frag_is_refused() {
    let start = "16 01 2400 0000 1c00 00000104 00000203 00000000 05000000";
    for numbers in [
        "00000000 0100 0400 0a000000", // fragment 0
        "01000000 0000 0400 0a000000", // no fragment
        "01000000 0100 0000 0a000000", // size 0
        "03000000 0200 0400 0a000000", // past the end
        "ffffffff ffff 0400 0a000000",
        "01000000 0100 0400 00000000", // empty sample
    ] {
        refused(&format!("{start} {numbers} 01020304"), ParseError::Invalid);
    }
    let short = format!("{start} 01000000 0200 0400 0a000000 01020304");
    refused(&short, ParseError::Truncated);
}
