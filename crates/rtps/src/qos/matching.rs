//! Matching of offered and requested QoS (DDS 1.4, 2.2.3; DDS-XTypes 1.3, 7.6.3.1.1).

use std::fmt;

use super::policies::{DataRepresentation, Qos};
use crate::wire::Duration;

/// Policy that prevents a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Policy {
    Reliability,
    Durability,
    Deadline,
    LatencyBudget,
    Liveliness,
    Ownership,
    DestinationOrder,
    Presentation,
    Partition,
    DataRepresentation,
}

impl fmt::Display for Policy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Policy::Reliability => "reliability",
            Policy::Durability => "durability",
            Policy::Deadline => "deadline",
            Policy::LatencyBudget => "latency budget",
            Policy::Liveliness => "liveliness",
            Policy::Ownership => "ownership",
            Policy::DestinationOrder => "destination order",
            Policy::Presentation => "presentation",
            Policy::Partition => "partition",
            Policy::DataRepresentation => "data representation",
        })
    }
}

/// Checks whether a writer with `offered` serves a reader with `requested`.
///
/// # Errors
///
/// Returns the first policy that prevents the match.
pub fn compatible(offered: &Qos, requested: &Qos) -> Result<(), Policy> {
    let checks = [
        (
            Policy::Reliability,
            offered.reliability.kind >= requested.reliability.kind,
        ),
        (
            Policy::Durability,
            offered.durability >= requested.durability,
        ),
        (
            Policy::Deadline,
            within(offered.deadline, requested.deadline),
        ),
        (
            Policy::LatencyBudget,
            within(offered.latency_budget, requested.latency_budget),
        ),
        (
            Policy::Liveliness,
            offered.liveliness.kind >= requested.liveliness.kind
                && within(offered.liveliness.lease, requested.liveliness.lease),
        ),
        (Policy::Ownership, offered.ownership == requested.ownership),
        (
            Policy::DestinationOrder,
            offered.destination_order >= requested.destination_order,
        ),
        (Policy::Presentation, presentation(offered, requested)),
        (
            Policy::DataRepresentation,
            representation(offered, requested),
        ),
        (
            Policy::Partition,
            partitions(&offered.partition, &requested.partition),
        ),
    ];
    let failed = checks.into_iter().find(|(_, ok)| !ok);
    failed.map_or(Ok(()), |(policy, _)| Err(policy))
}

/// Returns true if `offered` is at most `requested`, compared in nanoseconds, the resolution of
/// DDS: vendors round the fractions of equal durations differently.
fn within(offered: Duration, requested: Duration) -> bool {
    match (offered.as_nanos(), requested.as_nanos()) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(offered), Some(requested)) => offered <= requested,
    }
}

fn presentation(offered: &Qos, requested: &Qos) -> bool {
    let (offered, requested) = (offered.presentation, requested.presentation);
    offered.access_scope >= requested.access_scope
        && (offered.coherent || !requested.coherent)
        && (offered.ordered || !requested.ordered)
}

fn representation(offered: &Qos, requested: &Qos) -> bool {
    let first = offered.representation.first();
    let first = first.copied().unwrap_or(DataRepresentation::XCDR1);
    if requested.representation.is_empty() {
        first == DataRepresentation::XCDR1
    } else {
        requested.representation.contains(&first)
    }
}

/// Returns true if two lists of partitions have a common one. A name with wildcards matches names
/// without (DDS 1.4, 2.2.3.13).
fn partitions(first: &[String], second: &[String]) -> bool {
    let default = [String::new()];
    let first = if first.is_empty() { &default } else { first };
    let second = if second.is_empty() { &default } else { second };
    let pairs = first
        .iter()
        .flat_map(|a| second.iter().map(move |b| (a, b)));
    pairs
        .into_iter()
        .any(|(a, b)| match (is_pattern(a), is_pattern(b)) {
            (false, false) => a == b,
            (true, false) => matches_pattern(a.as_bytes(), b.as_bytes()),
            (false, true) => matches_pattern(b.as_bytes(), a.as_bytes()),
            (true, true) => a == b,
        })
}

fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// Matches `name` with a POSIX `fnmatch` pattern of `*`, `?` and `[...]`. The time is bounded by
/// the product of the lengths: only the last `*` is retried.
fn matches_pattern(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut retry = None;
    loop {
        let rest = pattern.get(p..).unwrap_or_default();
        if rest.first() == Some(&b'*') {
            retry = Some((p + 1, n));
            p += 1;
        } else if let Some(used) = name.get(n).and_then(|byte| matches_one(rest, *byte)) {
            p += used;
            n += 1;
        } else if rest.is_empty() && n == name.len() {
            return true;
        } else if let Some((after, start)) = retry.filter(|(_, start)| *start < name.len()) {
            retry = Some((after, start + 1));
            (p, n) = (after, start + 1);
        } else {
            return false;
        }
    }
}

/// Returns the length of the pattern element that matches `byte`, if it does [B].
fn matches_one(pattern: &[u8], byte: u8) -> Option<usize> {
    match pattern {
        [b'?', ..] => Some(1),
        [b'[', rest @ ..] => matches_set(rest, byte).map(|used| used + 1),
        [literal, ..] => (*literal == byte).then_some(1),
        [] => None,
    }
}

/// Matches a bracket expression after its `[`. An expression without `]` matches no name.
fn matches_set(set: &[u8], byte: u8) -> Option<usize> {
    let negated = matches!(set.first(), Some(b'!' | b'^'));
    let start = usize::from(negated);
    let members = set.get(start..)?;
    // A `]` directly after the start is a member.
    let end = members.iter().skip(1).position(|member| *member == b']')? + 1;
    let mut members = members.get(..end)?;
    let mut found = false;
    while let [first, rest @ ..] = members {
        members = rest;
        if let [b'-', last, rest @ ..] = rest {
            found |= (*first..=*last).contains(&byte);
            members = rest;
        } else {
            found |= *first == byte;
        }
    }
    (found != negated).then_some(start + end + 1)
}
