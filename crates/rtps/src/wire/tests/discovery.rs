//! Parameter lists of SPDP, SEDP and the liveliness protocol.

use bytes::Bytes;

use super::{PREFIX, WRITER, hex};
use crate::qos::*;
use crate::wire::*;

fn locator(port: u16) -> Locator {
    Locator::from(std::net::SocketAddr::from(([192, 168, 1, 2], port)))
}

/// Returns the participant with every parameter.
pub(super) fn participant() -> ParticipantData {
    ParticipantData {
        domain_id: Some(3),
        domain_tag: "t".into(),
        metatraffic_unicast: vec![locator(7410)],
        metatraffic_multicast: vec![locator(7400)],
        default_unicast: vec![locator(7411), locator(7413)],
        builtin_endpoint_qos: 1,
        lease: Duration::from_seconds(20),
        name: "abc".into(),
        user_data: Bytes::from_static(b"enclave=/;"),
        ..ParticipantData::new(PREFIX)
    }
}

/// Returns the endpoint with every parameter at a value that is not its default.
pub(super) fn endpoint() -> EndpointData {
    let second = Duration::from_seconds(1);
    let qos = Qos {
        reliability: Reliability {
            kind: ReliabilityKind::Reliable,
            max_blocking: second,
        },
        durability: Durability::TransientLocal,
        history: History::KeepLast(10),
        deadline: second,
        lifespan: second,
        latency_budget: second,
        liveliness: Liveliness {
            kind: LivelinessKind::ManualByTopic,
            lease: second,
        },
        ownership: Ownership::Exclusive,
        destination_order: DestinationOrder::BySource,
        presentation: Presentation {
            access_scope: AccessScope::Group,
            coherent: true,
            ordered: true,
        },
        partition: vec!["a".into(), "bcd".into()],
        representation: vec![DataRepresentation::XCDR1, DataRepresentation(2)],
        user_data: Bytes::from_static(b"typehash=x;"),
    };
    EndpointData {
        unicast: vec![locator(7411)],
        ..EndpointData::new(Guid::new(PREFIX, WRITER), "rt/chatter", "T_", qos)
    }
}

#[test]
fn participant_data_has_its_wire_bytes() {
    let address = "000000000000000000000000 c0a80102";
    let expected = hex(&format!(
        "00030000
        1500 0400 02030000  1600 0400 014d0000
        5000 1000 0102030405060708090a0b0c 000001c1
        0f00 0400 03000000  1440 0800 02000000 74000000
        3200 1800 01000000 f21c0000 {address}  3300 1800 01000000 e81c0000 {address}
        3100 1800 01000000 f31c0000 {address}  3100 1800 01000000 f51c0000 {address}
        0200 0800 14000000 00000000  5800 0400 3f0c0000  7700 0400 01000000
        6200 0800 04000000 61626300
        2c00 1000 0a000000 656e636c6176653d2f3b 0000
        0100 0000"
    ));
    let data = participant();
    assert_eq!(data.encode(), expected);
    assert_eq!(ParticipantData::decode(&expected.into()), Ok(data));
}

#[test]
fn participant_big_endian_with_unknown_parameters() {
    let payload = hex(
        "00020000 8007 0004 ffffffff 0000 0004 00000000 0050 0010 0102030405060708090a0b0c 000001c1
        0002 0008 00000014 00000000 0058 0004 00000c3f 3fff 0000 0001 0000 ff",
    );
    let data = ParticipantData::decode(&payload.into()).expect("valid");
    assert_eq!(
        (data.prefix, data.lease),
        (PREFIX, Duration::from_seconds(20))
    );
    assert_eq!(data.builtin_endpoints, builtin::ALL);
}

#[test]
fn invalid_participant_data_is_rejected() {
    let decode = |text: &str| ParticipantData::decode(&hex(text).into()).err();
    assert_eq!(decode("00010000 01000000"), Some(ParseError::Encapsulation));
    assert_eq!(decode("00030000 01000000"), Some(ParseError::Missing));
    assert_eq!(decode("00030000"), Some(ParseError::Truncated));
    assert_eq!(
        decode("00030000 9945 0000 0100 0000"),
        Some(ParseError::MustUnderstand)
    );
    let long = format!("00030000 {} 01000000", "3f3f 0000".repeat(600));
    assert_eq!(decode(&long), Some(ParseError::TooLong));
    assert_eq!(
        decode("00030000 6200 0400 ffffff7f"),
        Some(ParseError::TooLong)
    );
}

#[test]
fn endpoint_data_has_its_wire_bytes() {
    let address = "000000000000000000000000 c0a80102";
    let guid = "0102030405060708090a0b0c 00000203";
    let second = "01000000 00000000";
    let expected = hex(&format!(
        "00030000 5a00 1000 {guid} 5000 1000 0102030405060708090a0b0c 000001c1
        1500 0400 02030000 1600 0400 014d0000
        0500 1000 0b000000 72742f63686174746572 00 00  0700 0800 03000000 545f0000
        2f00 1800 01000000 f31c0000 {address}
        7000 1000 {guid}
        1a00 0c00 02000000 {second} 1d00 0400 01000000 4000 0800 00000000 0a000000
        2300 0800 {second} 2b00 0800 {second} 2700 0800 {second}
        1b00 0c00 02000000 {second} 1f00 0400 01000000 2500 0400 01000000
        2100 0800 02000000 01010000
        2900 1400 02000000 02000000 61000000 04000000 62636400
        7300 0800 02000000 0000 0200
        2c00 1000 0b000000 74797065686173683d783b 00
        0100 0000"
    ));
    let data = endpoint();
    assert_eq!(data.encode(), expected);
    assert_eq!(EndpointData::decode(&expected.into()), Ok(data));
}

/// The list of an endpoint in big-endian order, with an IPv6 locator and a history of all samples.
#[test]
fn endpoint_big_endian() {
    let guid = "0102030405060708090a0b0c 00000203";
    let v6 = "20010db8 00000000 00000000 00000001";
    let payload = hex(&format!(
        "00020000 005a 0010 {guid}
        0005 0008 00000002 61000000 0007 0008 00000002 62000000
        002f 0018 00000002 00001cf3 {v6}
        001a 000c 00000002 00000000 19999999 001d 0004 00000001 0040 0008 00000001 00000000
        0023 0008 00000001 00000000 0029 000c 00000001 00000002 70000000
        002c 0008 00000002 68690000 0001 0000"
    ));
    let data = EndpointData::decode(&payload.into()).expect("valid");
    let mut qos = Qos::writer();
    qos.durability = Durability::TransientLocal;
    qos.history = History::KeepAll;
    qos.deadline = Duration::from_seconds(1);
    qos.partition = vec!["p".into()];
    qos.user_data = Bytes::from_static(b"hi");
    qos.reliability.max_blocking = data.qos.reliability.max_blocking;
    assert_eq!(
        data.qos.reliability.max_blocking.as_nanos(),
        Some(100_000_000)
    );
    let address: std::net::SocketAddr = "[2001:db8::1]:7411".parse().expect("address");
    let expected = EndpointData {
        unicast: vec![address.into()],
        ..EndpointData::new(Guid::new(PREFIX, WRITER), "a", "b", qos)
    };
    assert_eq!(data, expected);
    assert_eq!(data.unicast[0].socket_addr(), Some(address));
    let bytes = expected.encode();
    assert_eq!(EndpointData::decode(&bytes), Ok(expected));
}

#[test]
fn absent_policies_have_the_default_of_the_kind() {
    for (kind, qos) in [("03", Qos::writer()), ("04", Qos::reader())] {
        let payload = hex(&format!(
            "00030000 5a00 1000 0102030405060708090a0b0c 000002{kind}
            0500 0800 02000000 61000000 0700 0800 02000000 62000000 0100 0000"
        ));
        let data = EndpointData::decode(&payload.into()).expect("valid");
        assert_eq!(
            (data.qos, &data.topic_name[..], &data.type_name[..]),
            (qos, "a", "b")
        );
    }
}

#[test]
fn defaults_survive_a_round_trip() {
    let writer = Guid::new(PREFIX, EntityId::user_writer(0x10203));
    let reader = Guid::new(PREFIX, EntityId([1, 2, 3, 7]));
    assert_eq!(
        (writer.entity.0, reader.entity.0),
        ([1, 2, 3, 3], [1, 2, 3, 7])
    );
    for (guid, qos) in [(writer, Qos::writer()), (reader, Qos::reader())] {
        let data = EndpointData::new(guid, "a", "b", qos);
        assert_eq!(EndpointData::decode(&data.encode()), Ok(data));
    }
}

#[test]
fn keys_of_builtin_endpoints_are_their_guids() {
    let guid = "0102030405060708090a0b0c";
    for (entity, text) in [
        (
            EntityId::PARTICIPANT,
            format!("00030000 5000 1000 {guid} 000001c1 0100 0000"),
        ),
        (
            WRITER,
            format!("00030000 5a00 1000 {guid} 00000203 0100 0000"),
        ),
    ] {
        let guid = Guid::new(PREFIX, entity);
        assert_eq!(encode_key(guid), hex(&text));
        assert_eq!(decode_key(&hex(&text).into()), Ok(guid));
    }
}

#[test]
fn participant_message_has_its_wire_bytes() {
    let expected = hex("00010000 0102030405060708090a0b0c 00000001 00000000");
    assert_eq!(automatic_liveliness(PREFIX), expected);
}
