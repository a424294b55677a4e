use std::cell::{Cell, RefCell};

use crate::dds::large_reply::*;

fn identity(byte: u8, number: i64) -> SampleIdentity {
    SampleIdentity {
        writer_guid: GUID::from_bytes([byte; 16]),
        sequence_number: number.into(),
    }
}

fn reply(body_len: usize) -> Reply {
    let body: Vec<u8> = (0..body_len).map(|i| (i % 251) as u8).collect();
    Reply {
        body: body.into(),
        made_at: Timestamp::from_ticks(0x0000_0007_8000_0000),
        related: None,
    }
}

/// Number of bytes before the payload in each datagram.
const BEFORE_PAYLOAD: usize = 20 + 16 + 12 + 4 + 32 + 60;

/// Checks every field against the tables of RTPS 2.3: 9.4.4 (header), 9.4.5.9 and 9.4.5.11
/// (InfoDestination, InfoTimestamp), 9.4.5.4 (DataFrag), 9.4.2.11 (ParameterList), 9.3.2 (GUID,
/// SequenceNumber, Time).
#[test]
fn a_datagram_is_that_of_the_standard() {
    let (sample, answered) = (identity(5, 0x1_0000_0002), identity(6, 9));
    let all = build_datagrams(sample, answered, [6; 12], &reply(1030));
    assert_eq!(all.len(), 2);
    let last_of_payload: Vec<u8> = (1020..1030).map(|i| (i % 251) as u8).collect();
    let identity = [&[6; 16][..], &[0, 0, 0, 0], &[9, 0, 0, 0]].concat();
    let expected = [
        b"RTPS",
        &[2, 4, 1, 0x12][..], // version 2.4, vendor id of the library
        &[5; 12],             // participant of the writer
        &[0x0e, 1, 12, 0],    // INFO_DST, little-endian, 12 bytes
        &[6; 12],
        &[0x09, 1, 8, 0],             // INFO_TS, little-endian, 8 bytes
        &[7, 0, 0, 0, 0, 0, 0, 0x80], // 7.5 s
        &[0x16, 3, 104, 0],           // DATA_FRAG, little-endian and inline QoS; 32 + 60 + 12 bytes
        &[0, 0, 28, 0],               // extraFlags, octetsToInlineQos
        &[0, 0, 0, 0],                // readerId unknown
        &[5, 5, 5, 5],                // writerId
        &[1, 0, 0, 0, 2, 0, 0, 0],    // writerSN, high half first
        &[5, 0, 0, 0],                // fragmentStartingNum
        &[1, 0, 0, 1],                // fragmentsInSubmessage, fragmentSize 256
        &[0x0a, 4, 0, 0],             // sampleSize 1034
        &[0x83, 0, 24, 0],            // PID_RELATED_SAMPLE_IDENTITY
        &identity,
        &[0x0f, 0x80, 24, 0], // parameter id of older versions of Fast DDS
        &identity,
        &[1, 0, 0, 0], // PID_SENTINEL
        &last_of_payload,
        &[0, 0], // padding to a multiple of 4
    ]
    .concat();
    assert_eq!(all[1], expected);
    assert_eq!(BEFORE_PAYLOAD + 12, expected.len());
}

#[test]
fn fragments_make_up_the_payload() {
    for len in [1021, 1020, 5000, 65_532] {
        let reply = reply(len);
        let all = build_datagrams(identity(5, 1), identity(6, 1), [6; 12], &reply);
        let mut payload: Vec<u8> = all
            .iter()
            .flat_map(|d| d[BEFORE_PAYLOAD..].to_vec())
            .collect();
        payload.truncate(HEADER_LEN + len);
        assert_eq!(
            payload,
            [&ENCAPSULATION[..], &reply.body].concat(),
            "{len} bytes"
        );
        for (datagram, first) in all.iter().zip((1u32..).step_by(4)) {
            assert!(
                datagram.len() + 28 <= 1280,
                "{} bytes in a datagram",
                datagram.len()
            );
            assert_eq!(datagram[52 + 20..52 + 24], first.to_le_bytes());
        }
    }
    let larger = build_datagrams(identity(5, 1), identity(6, 1), [6; 12], &reply(1 << 20));
    assert_eq!(larger.len(), MAX_DATAGRAMS);
}

#[test]
fn no_other_sample_gets_the_number_of_an_announced_one() {
    // a library whose send window is full at some calls
    let (has_room, taken) = (Cell::new(true), RefCell::new(Vec::new()));
    let hand_over = |(body, _): &Sample| {
        let mut taken = taken.borrow_mut();
        has_room
            .get()
            .then(|| taken.push(body.len()))
            .map(|()| taken.len() as i64)
    };
    let mut order = SampleNumbering {
        next: 1,
        promised: None,
    };
    let mut announced = Vec::new();
    let mut write = |len, goes_to_somebody| {
        let announce = |number| {
            announced.push((number, len));
            goes_to_somebody
        };
        order.write(
            (vec![0; len].into(), WriteOptions::default()),
            announce,
            hand_over,
        );
    };
    write(10, true);
    has_room.set(false);
    write(11, false);
    write(12, true);
    write(13, true);
    has_room.set(true);
    write(14, true);
    write(15, false);
    // lost: the sample announced to no address, and the one written while another was promised
    assert_eq!(*taken.borrow(), [10, 12, 14, 15]);
    assert_eq!(announced, [(1, 10), (2, 11), (2, 12), (3, 14), (4, 15)]);
}

#[test]
fn only_addresses_of_one_machine_are_used() {
    let usable = |text: &str| unicast_address(text.parse().unwrap()).is_some();
    assert!(usable("127.0.0.1:7411") && usable("192.168.1.2:7411"));
    for bad in [
        "0.0.0.0:7411",
        "239.255.0.1:7411",
        "255.255.255.255:7411",
        "10.0.0.1:0",
        "[::]:0",
        "[fe80::1]:7411",
    ] {
        assert!(!usable(bad), "{bad}");
    }
}
