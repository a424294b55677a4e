//! Header and every submessage except DATA and DATA_FRAG in both directions and both byte orders.

use bytes::BufMut;

use super::*;
use crate::wire::*;

#[test]
fn header_is_read() {
    let message = parse(message("")).expect("header");
    assert_eq!(message.header.prefix, PREFIX);
    assert_eq!(message.header.vendor, VendorId([1, 0x4d]));
    assert_eq!(
        message.header.version,
        ProtocolVersion { major: 2, minor: 3 }
    );
    let bad = |text: &str| parse(hex(text).into()).err();
    assert_eq!(bad("52545058 0203"), Some(ParseError::NotRtps));
    assert_eq!(bad("52545053 0103 014d 0102"), Some(ParseError::Version));
    assert_eq!(bad("52545053 0203 014d 0102"), Some(ParseError::Truncated));
}

#[test]
fn heartbeat_has_its_wire_bytes() {
    let heartbeat = Heartbeat {
        reader: READER,
        writer: WRITER,
        first: SequenceNumber(1),
        last: SequenceNumber(3),
        count: 9,
        is_final: true,
        liveliness: true,
    };
    let body = "07 07 1c00 00000104 00000203 00000000 01000000 00000000 03000000 09000000";
    check_round_trip(body, &Submessage::Heartbeat(heartbeat), |out| {
        out.fixed(&heartbeat)
    });
    let big = "07 06 001c 00000104 00000203 00000000 00000001 00000000 00000003 00000009";
    decodes(big, &Submessage::Heartbeat(heartbeat));
    let empty = Heartbeat {
        last: SequenceNumber(0),
        is_final: false,
        liveliness: false,
        ..heartbeat
    };
    let body = "07 01 1c00 00000104 00000203 00000000 01000000 00000000 00000000 09000000";
    check_round_trip(body, &Submessage::Heartbeat(empty), |out| out.fixed(&empty));
    let ids = "07 01 1c00 00000104 00000203";
    for range in [
        "00000000 00000000 00000000 03000000",
        "00000000 05000000 00000000 03000000",
    ] {
        refused(&format!("{ids} {range} 09000000"), ParseError::Invalid);
    }
}

#[test]
fn heartbeat_frag_has_its_wire_bytes() {
    let heartbeat = HeartbeatFrag {
        reader: READER,
        writer: WRITER,
        sequence_number: SequenceNumber(5),
        last_fragment: FragmentNumber(3),
        count: 9,
    };
    let body = "13 01 1800 00000104 00000203 00000000 05000000 03000000 09000000";
    check_round_trip(body, &Submessage::HeartbeatFrag(heartbeat), |out| {
        put_heartbeat_frag(out, &heartbeat)
    });
    let big = "13 00 0018 00000104 00000203 00000000 00000005 00000003 00000009";
    decodes(big, &Submessage::HeartbeatFrag(heartbeat));
}

#[test]
fn acknack_has_its_wire_bytes() {
    let mut missing = SequenceNumberSet::new(SequenceNumber(10));
    assert!(missing.insert(SequenceNumber(10)) && missing.insert(SequenceNumber(42)));
    assert!(!missing.insert(SequenceNumber(9)) && !missing.insert(SequenceNumber(266)));
    let members: Vec<_> = missing.iter().map(|number| number.0).collect();
    assert_eq!(members, [10, 42]);
    let acknack = AckNack {
        reader: READER,
        writer: WRITER,
        missing,
        count: 3,
        is_final: true,
    };
    let body = "06 03 2000 00000104 00000203 00000000 0a000000 21000000 00000080 00000080 03000000";
    check_round_trip(body, &Submessage::AckNack(acknack), |out| {
        out.fixed(&acknack)
    });
    let big = "06 02 0020 00000104 00000203 00000000 0000000a 00000021 80000000 80000000 00000003";
    decodes(big, &Submessage::AckNack(acknack));
    // Fast DDS: base 0 and no bits.
    let missing = SequenceNumberSet::new(SequenceNumber(0));
    let first = AckNack {
        missing,
        is_final: false,
        ..acknack
    };
    let body = "06 01 1800 00000104 00000203 00000000 00000000 00000000 03000000";
    check_round_trip(body, &Submessage::AckNack(first), |out| out.fixed(&first));
    let long = "06 01 1800 00000104 00000203 00000000 01000000 01010000 03000000";
    refused(long, ParseError::Invalid);
}

#[test]
fn nack_frag_has_its_wire_bytes() {
    let mut missing = FragmentNumberSet::new(FragmentNumber(2));
    assert!(missing.insert(FragmentNumber(3)) && !missing.insert(FragmentNumber(1)));
    let nack = NackFrag {
        reader: READER,
        writer: WRITER,
        sequence_number: SequenceNumber(5),
        missing,
        count: 3,
    };
    let body = "12 01 2000 00000104 00000203 00000000 05000000 02000000 02000000 00000040 03000000";
    check_round_trip(body, &Submessage::NackFrag(nack), |out| out.fixed(&nack));
    let big = "12 00 0020 00000104 00000203 00000000 00000005 00000002 00000002 40000000 00000003";
    decodes(big, &Submessage::NackFrag(nack));
    let zero = "12 01 1c00 00000104 00000203 00000000 05000000 00000000 00000000 03000000";
    refused(zero, ParseError::Invalid);
}

#[test]
fn gap_has_its_wire_bytes() {
    let mut list = SequenceNumberSet::new(SequenceNumber(6));
    assert!(list.insert(SequenceNumber(7)));
    let gap = Gap {
        reader: READER,
        writer: WRITER,
        start: SequenceNumber(2),
        list,
    };
    let body = "08 01 2000 00000104 00000203 00000000 02000000 00000000 06000000 02000000 00000040";
    check_round_trip(body, &Submessage::Gap(gap), |out| out.fixed(&gap));
    let big = "08 00 0020 00000104 00000203 00000000 00000002 00000000 00000006 00000002 40000000";
    decodes(big, &Submessage::Gap(gap));
    let reversed = "08 01 1c00 00000104 00000203 00000000 07000000 00000000 06000000 00000000";
    refused(reversed, ParseError::Invalid);
}

#[test]
fn interpreter_submessages_have_their_wire_bytes() {
    let time = Time {
        seconds: 1,
        fraction: 0x8000_0000,
    };
    assert_eq!(time.as_nanos(), 1_500_000_000);
    check_round_trip(
        "09 01 0800 01000000 00000080",
        &Submessage::InfoTimestamp(Some(time)),
        |out| {
            out.info_timestamp(Some(time));
        },
    );
    decodes(
        "09 00 0008 00000001 80000000",
        &Submessage::InfoTimestamp(Some(time)),
    );
    decodes("09 03 0000", &Submessage::InfoTimestamp(None));
    let mut withdrawn = MessageBuilder::new(PREFIX);
    withdrawn.info_timestamp(None);
    assert!(withdrawn.is_empty(), "a message starts without a time");
    withdrawn.info_timestamp(Some(time));
    withdrawn.info_timestamp(None);
    let bytes = message("09 01 0800 01000000 00000080  09 03 0000");
    assert_eq!(datagram(withdrawn), bytes);
    let prefix = "0102030405060708090a0b0c";
    check_round_trip(
        &format!("0e 01 0c00 {prefix}"),
        &Submessage::InfoDestination(PREFIX),
        |out| {
            out.info_destination(PREFIX);
        },
    );
    let source = Header {
        version: ProtocolVersion { major: 2, minor: 1 },
        vendor: VendorId::CYCLONE_DDS,
        prefix: PREFIX,
    };
    let body = format!("0c 01 1400 00000000 0201 0110 {prefix}");
    check_round_trip(&body, &Submessage::InfoSource(source), |out| {
        out.submessage(0x0c, 0, |out| {
            out.put_slice(&[0, 0, 0, 0, 2, 1, 1, 0x10]);
            out.put_slice(&PREFIX.0);
        })
    });
    decodes(
        &format!("0e 00 000c {prefix}"),
        &Submessage::InfoDestination(PREFIX),
    );
    decodes(
        &format!("0c 00 0014 00000000 0201 0110 {prefix}"),
        &Submessage::InfoSource(source),
    );
    decodes("01 01 0000", &Submessage::Pad);
    decodes("80 01 0400 01020304", &Submessage::Unknown(0x80));
    // INFO_REPLY_IP4 and INFO_REPLY
    decodes("0d 01 0800 0100007f e81c0000", &Submessage::Unknown(0x0d));
    decodes("0f 01 0400 ffffffff", &Submessage::Unknown(0x0f));
}

/// The largest set of sequence numbers: 256 bits, with the first and the last bit set.
#[test]
fn full_sets() {
    let mut missing = SequenceNumberSet::new(SequenceNumber(1));
    assert!(missing.insert(SequenceNumber(1)) && missing.insert(SequenceNumber(256)));
    let acknack = AckNack {
        reader: READER,
        writer: WRITER,
        missing,
        count: 3,
        is_final: true,
    };
    let none = "00000000".repeat(6);
    let body = format!(
        "06 03 3800 00000104 00000203 00000000 01000000 00010000
        00000080 {none} 01000000 03000000"
    );
    check_round_trip(&body, &Submessage::AckNack(acknack), |out| {
        out.fixed(&acknack)
    });
    let body = format!(
        "06 02 0038 00000104 00000203 00000000 00000001 00000100
        80000000 {none} 00000001 00000003"
    );
    decodes(&body, &Submessage::AckNack(acknack));
}

#[test]
fn submessages_before_an_invalid_one_remain() {
    let read = parse(message("01 01 0000 0e 01 ff00 01 07 01 0000")).expect("header");
    assert_eq!(read.submessages, [Submessage::Pad]);
    assert_eq!(read.error, Some(ParseError::Truncated));
    let pads = "01 01 0000".repeat(5000);
    let read = parse(message(&pads)).expect("header");
    assert_eq!(read.submessages.len(), 4096);
    assert_eq!(read.error, Some(ParseError::TooLong));
}

#[test]
fn times_convert_exactly() {
    for nanos in [0, 1, 999_999_999, 1_500_000_000, 1_700_000_000_123_456_789] {
        assert_eq!(Time::from_nanos(nanos).as_nanos(), nanos);
        assert_eq!(Duration::from_nanos(nanos).as_nanos(), Some(nanos));
    }
    // 0.1 s with the fraction rounded down and up.
    for fraction in [429_496_729, 429_496_730] {
        let tenth = Duration {
            seconds: 0,
            fraction,
        };
        assert_eq!(tenth.as_nanos(), Some(100_000_000));
    }
    assert_eq!(Duration::INFINITE.as_nanos(), None);
    assert_eq!(Duration::from_nanos(u64::MAX), Duration::INFINITE);
    assert_eq!(Duration::from_seconds(-1).as_nanos(), Some(0));
    assert!(Time::from_nanos(u64::MAX) < Time::INVALID);
}
