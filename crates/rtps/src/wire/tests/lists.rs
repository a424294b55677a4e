//! Hostile parameter lists of SPDP and SEDP: changed at random in their structure, they are refused
//! or decode to data that is bounded and survives a further round trip.

use bytes::{Bytes, BytesMut};

use super::discovery::{endpoint, participant};
use crate::qos::{Qos, compatible};
use crate::wire::element::padding;
use crate::wire::parameters::pid;
use crate::wire::*;
use merrow_testing::random::Random;

/// Identifiers that the decoders read, some that they skip, and one with the must-understand flag.
const IDS: [u16; 36] = [
    pid::PAD,
    pid::SENTINEL,
    pid::PARTICIPANT_LEASE,
    pid::TOPIC_NAME,
    pid::TYPE_NAME,
    pid::DOMAIN_ID,
    pid::PROTOCOL_VERSION,
    pid::VENDOR_ID,
    pid::RELIABILITY,
    pid::LIVELINESS,
    pid::DURABILITY,
    pid::OWNERSHIP,
    pid::PRESENTATION,
    pid::DEADLINE,
    pid::DESTINATION_ORDER,
    pid::LATENCY_BUDGET,
    pid::PARTITION,
    pid::LIFESPAN,
    pid::USER_DATA,
    pid::UNICAST_LOCATOR,
    pid::DEFAULT_UNICAST_LOCATOR,
    pid::METATRAFFIC_UNICAST_LOCATOR,
    pid::METATRAFFIC_MULTICAST_LOCATOR,
    pid::HISTORY,
    pid::PARTICIPANT_GUID,
    pid::BUILTIN_ENDPOINT_SET,
    pid::ENDPOINT_GUID,
    pid::ENTITY_NAME,
    pid::KEY_HASH,
    pid::STATUS_INFO,
    pid::DATA_REPRESENTATION,
    pid::BUILTIN_ENDPOINT_QOS,
    pid::DOMAIN_TAG,
    0x7fff,
    0x8007,
    0x0035,
];

/// Parameter: identifier and value.
type Parameter = (u16, Vec<u8>);

/// Returns the parameters of an encoded list.
fn parameters(list: &Bytes) -> Vec<Parameter> {
    let mut rest = &list[4..];
    let mut parameters = Vec::new();
    while let [a, b, c, d, tail @ ..] = rest {
        let (id, length) = (u16::from_le_bytes([*a, *b]), u16::from_le_bytes([*c, *d]));
        if id == pid::SENTINEL {
            break;
        }
        let (value, tail) = tail.split_at(usize::from(length));
        parameters.push((id, value.to_vec()));
        rest = tail;
    }
    parameters
}

/// Encodes parameters in either byte order. The words of the values are swapped.
fn encode(parameters: &[Parameter], big: bool) -> Vec<u8> {
    let mut out = vec![0, if big { 2 } else { 3 }, 0, 0];
    let number = |value: usize| {
        let value = u16::try_from(value).unwrap_or(u16::MAX);
        if big {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    };
    let sentinel = (pid::SENTINEL, Vec::new());
    for (id, value) in parameters.iter().chain([&sentinel]) {
        let mut value = value.clone();
        value.resize(value.len() + padding(value.len()), 0);
        let (words, _) = value.as_chunks_mut::<4>();
        words
            .iter_mut()
            .filter(|_| big)
            .for_each(|word| word.reverse());
        out.extend(number(usize::from(*id)));
        out.extend(number(value.len()));
        out.extend(value);
    }
    out
}

/// Changes one parameter or its place.
fn change(parameters: &mut Vec<Parameter>, random: &mut Random) {
    let at = random.below(parameters.len());
    let Some((id, value)) = parameters.get(at).cloned() else {
        parameters.push((IDS[random.below(IDS.len())], vec![0; random.below(40)]));
        return;
    };
    let lengths = [
        0,
        1,
        2,
        4,
        64,
        65,
        255,
        4095,
        4096,
        4097,
        16_384,
        1 << 31,
        u32::MAX,
    ];
    let word = lengths[random.below(lengths.len())].to_le_bytes();
    let other = random.below(parameters.len());
    match random.below(12) {
        0 => drop(parameters.remove(at)),
        1 => parameters.insert(other, (id, value)),
        2 => parameters.swap(at, other),
        3 => parameters[at].0 = IDS[random.below(IDS.len())],
        4 => parameters[at].0 ^= 1 << random.below(16),
        5 => parameters[at].1.truncate(random.below(value.len())),
        6 => parameters[at]
            .1
            .resize(value.len() + random.below(200), b'x'),
        7 => parameters[at].1.extend_from_slice(&value),
        8 if value.len() < 2000 => parameters[at].1.resize(random.below(20_000), 0xc3),
        9 | 10 if value.len() >= 4 => {
            let start = random.below(value.len() / 4) * 4;
            parameters[at].1[start..start + 4].copy_from_slice(&word);
        }
        _ if !value.is_empty() => {
            let index = random.below(value.len());
            parameters[at].1[index] = random.next() as u8;
        }
        _ => {}
    }
}

/// Decodes a payload as each kind of discovery data and checks accepted data. Returns how many
/// kinds accept it.
fn check(payload: &Bytes) -> usize {
    let size = payload.len();
    let mut accepted = 0;
    if let Ok(data) = ParticipantData::decode(payload) {
        accepted += 1;
        let again = ParticipantData::decode(&data.encode());
        // replacement characters can exceed the longest string
        assert!(again == Ok(data.clone()) || has_long(&[&data.name, &data.domain_tag]));
        assert!(data.name.len() + data.user_data.len() <= 3 * size);
    }
    if let Ok(mut data) = EndpointData::decode(payload) {
        accepted += 1;
        assert!(data.memory_bytes() <= 24 * size + size_of::<EndpointData>());
        let _ = compatible(&data.qos, &Qos::reader());
        let _ = compatible(&Qos::writer(), &data.qos);
        if data.guid.entity.is_reader() {
            // a reader has none
            data.qos.lifespan = Duration::INFINITE;
        }
        let again = EndpointData::decode(&data.encode());
        let mut names = vec![&data.topic_name, &data.type_name];
        names.extend(&data.qos.partition);
        assert!(again == Ok(data.clone()) || has_long(&names), "{data:?}");
    }
    accepted + usize::from(decode_key(payload).is_ok())
}

fn has_long(names: &[&String]) -> bool {
    names.iter().any(|name| name.len() >= 4096)
}

/// Decodes `count` changed lists; some have random bytes instead of parameters.
fn fuzz(seed: u64, count: usize) {
    let lists = [
        participant().encode(),
        endpoint().encode(),
        encode_key(endpoint().guid),
    ];
    let seeds = lists.map(|list| parameters(&list));
    let mut random = Random(seed);
    let mut accepted = 0;
    for round in 0..count {
        let state = random.0;
        let mut bytes = match random.below(20) {
            0 | 1 => (0..random.below(300))
                .map(|_| random.next() as u8)
                .collect(),
            _ => {
                let mut list = seeds[random.below(seeds.len())].clone();
                (0..random.below(6)).for_each(|_| change(&mut list, &mut random));
                encode(&list, random.below(3) == 0)
            }
        };
        if random.below(4) == 0 && !bytes.is_empty() {
            let at = random.below(bytes.len());
            bytes[at] = random.next() as u8;
        }
        if random.below(16) == 0 {
            bytes.truncate(random.below(bytes.len()));
        }
        let result = std::panic::catch_unwind(|| check(&bytes.into()));
        accepted += result.unwrap_or_else(|_| panic!("round {round}, state {state:#x}"));
    }
    assert!(accepted > count / 4, "{accepted} of {count} accepted");
}

#[test]
fn changed_parameter_lists_decode_without_panic() {
    fuzz(1, 30_000);
}

#[test]
#[ignore = "takes minutes"]
fn changed_lists_long() {
    fuzz(2, 10_000_000);
}

/// The largest list of each kind that is accepted needs bounded memory.
#[test]
fn large_lists_are_bounded() {
    let mut list = parameters(&endpoint().encode());
    let name = |length: usize| {
        let mut value = BytesMut::from(&(length as u32).to_le_bytes()[..]);
        value.resize(4 + length, 0xff);
        value.to_vec()
    };
    list.extend((0..400).map(|_| (pid::TYPE_NAME, name(4096))));
    list.extend((0..50).map(|_| (pid::UNICAST_LOCATOR, vec![1; 24])));
    let data = EndpointData::decode(&encode(&list, false).into()).expect("valid");
    assert_eq!((data.unicast.len(), data.type_name.len()), (32, 3 * 4096));
    list.extend((0..100).map(|_| (0x0035, Vec::new())));
    let refused = EndpointData::decode(&encode(&list, false).into());
    assert_eq!(refused, Err(ParseError::TooLong));
}
