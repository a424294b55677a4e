//! QoS policies in parameter lists (RTPS 2.5, 9.6.3; DDS-XTypes 1.3, 7.6.3.1.1).

use bytes::{BufMut, BytesMut};

use super::element::{Element, elements, padding};
use super::error::ParseError;
use super::input::Input;
use super::parameters::{ListWriter, parameters, pid};
use crate::qos::{
    AccessScope, DataRepresentation, DestinationOrder, Durability, History, Liveliness,
    LivelinessKind, Ownership, Presentation, Qos, Reliability, ReliabilityKind,
};

/// Upper bound of the partitions of one endpoint.
const MAX_PARTITIONS: usize = 64;

/// Upper bound of the representations of one endpoint.
const MAX_REPRESENTATIONS: usize = 16;

// Policies that a peer matches or displays are written even at their defaults.
parameters! {
    Qos, Qos::reader();
    always RELIABILITY reliability;
    always DURABILITY durability;
    always HISTORY history;
    always DEADLINE deadline;
    always LIFESPAN lifespan;
    always LATENCY_BUDGET latency_budget;
    always LIVELINESS liveliness;
    always OWNERSHIP ownership;
    always DESTINATION_ORDER destination_order;
    set PRESENTATION presentation;
    set PARTITION partition;
    set DATA_REPRESENTATION representation;
    set USER_DATA user_data;
}

impl Qos {
    /// Writes the policies of a writer or a reader.
    pub(super) fn write(&self, list: &mut ListWriter<'_>, writer: bool) {
        self.write_parameters(list, |id| writer || id != pid::LIFESPAN);
    }
}

/// Declares the kinds of policies, which are numbers on the wire.
macro_rules! kinds {
    ($($kind:ident)*) => {$(
        impl Element for $kind {
            fn put(&self, out: &mut BytesMut) {
                self.number().put(out);
            }

            fn get(input: &mut Input) -> Result<Self, ParseError> {
                Self::from_number(u32::get(input)?).ok_or(ParseError::Invalid)
            }
        }
    )*};
}

kinds! { ReliabilityKind Durability LivelinessKind Ownership DestinationOrder AccessScope }

elements! {
    Reliability { kind max_blocking }
    Liveliness { kind lease }
    Presentation { access_scope coherent ordered }
    DataRepresentation { 0 }
}

impl Element for History {
    fn put(&self, out: &mut BytesMut) {
        let (kind, depth): (u32, u32) = match *self {
            History::KeepLast(depth) => (0, depth),
            History::KeepAll => (1, 1),
        };
        kind.put(out);
        depth.put(out);
    }

    fn get(input: &mut Input) -> Result<Self, ParseError> {
        let (kind, depth) = (u32::get(input)?, u32::get(input)?);
        match kind {
            // Zero is not a valid depth; the smallest valid depth replaces it.
            0 => Ok(History::KeepLast(depth.clamp(1, i32::MAX.cast_unsigned()))),
            1 => Ok(History::KeepAll),
            _ => Err(ParseError::Invalid),
        }
    }
}

impl Element for Vec<String> {
    fn put(&self, out: &mut BytesMut) {
        (self.len() as u32).put(out);
        for name in self {
            name.put(out);
            out.put_bytes(0, padding(name.len() + 1));
        }
    }

    fn get(input: &mut Input) -> Result<Self, ParseError> {
        sequence(input, MAX_PARTITIONS)
    }
}

impl Element for Vec<DataRepresentation> {
    fn put(&self, out: &mut BytesMut) {
        (self.len() as u32).put(out);
        self.iter()
            .for_each(|representation| representation.put(out));
    }

    fn get(input: &mut Input) -> Result<Self, ParseError> {
        sequence(input, MAX_REPRESENTATIONS)
    }
}

/// Reads at most `max` elements after their number.
fn sequence<T: Element>(input: &mut Input, max: usize) -> Result<Vec<T>, ParseError> {
    let count = u32::get(input)? as usize;
    if count > max {
        return Err(ParseError::TooLong);
    }
    (0..count).map(|_| T::get(input)).collect()
}
