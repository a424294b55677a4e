//! Tests of the CDR layout and of rejected bytes; `test/ros/messages.py` compares whole messages
//! with a ROS 2 installation.

use crate::cdr::*;

fn decode<T: Cdr>(body: &[u8]) -> Result<T, CdrError> {
    from_bytes(&[&HEADER_LITTLE_ENDIAN, body].concat())
}

#[test]
fn fields_are_aligned_to_their_size_after_the_header() {
    let mut out = Encoder::new();
    true.encode(&mut out);
    0x0102_u16.encode(&mut out);
    3_u8.encode(&mut out);
    0.5_f64.encode(&mut out);
    "ab".to_owned().encode(&mut out);
    vec![-1_i16, 2].encode(&mut out);
    let mut expected = vec![0, 1, 0, 0];
    expected.extend([1, 0, 2, 1, 3, 0, 0, 0]);
    expected.extend(0.5_f64.to_le_bytes());
    expected.extend([3, 0, 0, 0, b'a', b'b', 0, 0]);
    expected.extend([2, 0, 0, 0, 0xff, 0xff, 2, 0]);
    assert_eq!(out.finish(), expected);
}

#[test]
fn elements_are_padded_only_if_there_are_any() {
    assert_eq!(to_bytes(&Vec::<f64>::new()).len(), HEADER_LEN + 4);
    assert_eq!(to_bytes(&vec![1.0_f64]).len(), HEADER_LEN + 16);
    assert_eq!(decode::<Vec<f64>>(&[0; 4]), Ok(vec![]));
}

#[test]
fn round_trip_of_every_kind() {
    fn check<T: Cdr + PartialEq + std::fmt::Debug>(value: T) {
        assert_eq!(from_bytes::<T>(&to_bytes(&value)), Ok(value));
    }
    check([1.5_f64, -2.5, f64::MIN_POSITIVE]);
    check([[1_u8, 2], [3, 4]]);
    check(vec![i64::MIN, i64::MAX]);
    check(vec![f32::MAX, 0.25]);
    check(vec!["".to_owned(), "Δ".to_owned()]);
    check(vec![vec![true], vec![], vec![false, true]]);
    check((0..=255).collect::<Vec<u8>>());
    check([-128_i8, 127]);
    check(Bytes::from_static(b"pixels"));
    check(Bytes::new());
}

#[test]
fn shared_bytes_are_a_sequence_of_octets() {
    let octets = vec![9_u8, 0, 255];
    assert_eq!(to_bytes(&Bytes::from(octets.clone())), to_bytes(&octets));
}

#[test]
fn values_after_large_arrays_do_not_reallocate() {
    let pixels = Bytes::from(vec![7; 1 << 20]);
    let mut out = Encoder::new();
    pixels.encode(&mut out);
    let place = out.buffer.as_ptr();
    [0.5_f64; 36].encode(&mut out);
    assert_eq!(out.buffer.as_ptr(), place);
    assert!(
        out.buffer.capacity() < pixels.len() + 4096,
        "{}",
        out.buffer.capacity()
    );
}

#[test]
fn big_endian_is_read() {
    let bytes = [0, 0, 0, 0, 0, 0, 0, 2, 0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0];
    assert_eq!(from_bytes::<Vec<f32>>(&bytes), Ok(vec![1.0, -2.0]));
    assert_eq!(from_bytes::<[u16; 3]>(&bytes), Ok([0, 2, 0x3f80]));
}

#[test]
fn other_encapsulations_are_refused() {
    assert_eq!(
        from_bytes::<u8>(&[0, 1, 0]),
        Err(CdrError::Encapsulation(None))
    );
    // parameter list, and XCDR2
    for kind in [[0, 3], [0, 7], [1, 0]] {
        let bytes = [kind[0], kind[1], 0, 0, 1];
        assert_eq!(
            from_bytes::<u8>(&bytes),
            Err(CdrError::Encapsulation(Some(kind)))
        );
    }
}

#[test]
fn a_length_beyond_the_bytes_is_refused_before_it_is_allocated() {
    let huge = [0xff; 4];
    let truncated =
        |result: Result<(), CdrError>| matches!(result, Err(CdrError::Truncated { .. }));
    assert!(truncated(decode::<Vec<u8>>(&huge).map(drop)));
    assert!(truncated(decode::<Bytes>(&huge).map(drop)));
    assert!(truncated(decode::<Vec<f64>>(&huge).map(drop)));
    assert!(truncated(decode::<Vec<String>>(&huge).map(drop)));
    assert!(truncated(decode::<Vec<[f64; 36]>>(&huge).map(drop)));
    assert!(truncated(decode::<String>(&huge).map(drop)));
    assert!(truncated(
        decode::<Vec<Vec<u8>>>(&[2, 0, 0, 0, 0, 0, 0, 0]).map(drop)
    ));
    assert!(truncated(decode::<f64>(&[0; 7]).map(drop)));
}

#[test]
fn malformed_values_are_refused() {
    assert_eq!(decode::<bool>(&[2]), Err(CdrError::Bool(2)));
    assert_eq!(
        decode::<String>(&[2, 0, 0, 0, b'a', b'b']),
        Err(CdrError::MissingNul)
    );
    assert_eq!(
        decode::<String>(&[2, 0, 0, 0, 0xff, 0]),
        Err(CdrError::Utf8)
    );
    assert_eq!(decode::<String>(&[0, 0, 0, 0]), Ok(String::new()));
}

#[test]
fn bytes_after_the_value_are_ignored() {
    assert_eq!(decode::<u8>(&[7, 0, 0, 0]), Ok(7));
}
