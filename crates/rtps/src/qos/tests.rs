//! Matching: each policy separately, and partitions.

use super::*;
use crate::wire::Duration;

fn offered(change: impl FnOnce(&mut Qos)) -> Result<(), Policy> {
    let (mut writer, reader) = (Qos::writer(), Qos::reader());
    change(&mut writer);
    compatible(&writer, &reader)
}

fn requested(change: impl FnOnce(&mut Qos)) -> Result<(), Policy> {
    let (writer, mut reader) = (Qos::writer(), Qos::reader());
    change(&mut reader);
    compatible(&writer, &reader)
}

#[test]
fn default_qos_is_compatible() {
    assert_eq!(compatible(&Qos::writer(), &Qos::reader()), Ok(()));
    assert_eq!(compatible(&Qos::writer(), &Qos::writer()), Ok(()));
    assert_eq!(
        compatible(&Qos::reader(), &Qos::writer()),
        Err(Policy::Reliability)
    );
}

#[test]
fn weaker_offers_name_the_policy() {
    let second = Duration::from_seconds(1);
    assert_eq!(
        requested(|qos| qos.durability = Durability::TransientLocal),
        Err(Policy::Durability)
    );
    assert_eq!(
        requested(|qos| qos.deadline = second),
        Err(Policy::Deadline)
    );
    assert_eq!(
        offered(|qos| qos.latency_budget = second),
        Err(Policy::LatencyBudget)
    );
    assert_eq!(
        requested(|qos| qos.liveliness.kind = LivelinessKind::ManualByTopic),
        Err(Policy::Liveliness)
    );
    assert_eq!(
        requested(|qos| qos.liveliness.lease = second),
        Err(Policy::Liveliness)
    );
    let exclusive = |qos: &mut Qos| qos.ownership = Ownership::Exclusive;
    assert_eq!(offered(exclusive), Err(Policy::Ownership));
    assert_eq!(requested(exclusive), Err(Policy::Ownership));
    assert_eq!(
        requested(|qos| qos.destination_order = DestinationOrder::BySource),
        Err(Policy::DestinationOrder)
    );
    assert_eq!(
        requested(|qos| qos.presentation.ordered = true),
        Err(Policy::Presentation)
    );
    assert_eq!(
        offered(|qos| qos.representation = vec![DataRepresentation(2)]),
        Err(Policy::DataRepresentation)
    );
}

#[test]
fn stronger_offers_match() {
    let second = Duration::from_seconds(1);
    assert_eq!(
        offered(|qos| qos.durability = Durability::TransientLocal),
        Ok(())
    );
    assert_eq!(offered(|qos| qos.deadline = second), Ok(()));
    assert_eq!(offered(|qos| qos.liveliness.lease = second), Ok(()));
    let both = vec![DataRepresentation(2), DataRepresentation::XCDR1];
    assert_eq!(requested(|qos| qos.representation = both), Ok(()));
}

fn partitions_match(first: &[&str], second: &[&str]) -> bool {
    let (mut writer, mut reader) = (Qos::writer(), Qos::reader());
    writer.partition = first.iter().map(ToString::to_string).collect();
    reader.partition = second.iter().map(ToString::to_string).collect();
    compatible(&writer, &reader).is_ok()
}

#[test]
fn partitions_match_by_name_and_wildcard() {
    assert!(partitions_match(&[], &[""]));
    assert!(!partitions_match(&[], &["a"]));
    assert!(partitions_match(&["a", "b"], &["c", "b"]));
    for (pattern, name) in [
        ("*", ""),
        ("*", "abc"),
        ("a*c", "abbc"),
        ("a?c", "abc"),
        ("[a-c]x", "bx"),
        ("[!a-c]x", "dx"),
        ("*b*d", "abbcd"),
        ("[]]", "]"),
    ] {
        assert!(partitions_match(&[pattern], &[name]), "{pattern} {name}");
        assert!(partitions_match(&[name], &[pattern]), "{pattern} {name}");
    }
    for (pattern, name) in [
        ("a*", "ba"),
        ("a?", "a"),
        ("[a-c]x", "dx"),
        ("[a", "a"),
        ("*b", "abc"),
        ("*", "a*"),
    ] {
        assert!(!partitions_match(&[pattern], &[name]), "{pattern} {name}");
    }
}
