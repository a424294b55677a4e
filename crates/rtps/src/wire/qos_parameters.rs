//! QoS policies in parameter lists (RTPS 2.5, 9.6.3; DDS-XTypes 1.3, 7.6.3.1.1).

use bytes::BufMut;

use super::discovery::MAX_USER_DATA;
use super::error::ParseError;
use super::input::Input;
use super::output::{padding, put_duration, put_octets, put_string};
use super::parameters::{ListWriter, pid};
use crate::qos::{
    AccessScope, DataRepresentation, DestinationOrder, Durability, History, Liveliness,
    LivelinessKind, Ownership, Presentation, Qos, Reliability, ReliabilityKind,
};

/// Upper bound of the partitions of one endpoint.
const MAX_PARTITIONS: usize = 64;

/// Upper bound of the representations of one endpoint.
const MAX_REPRESENTATIONS: usize = 16;

/// QoS of a list that is being read.
#[derive(Debug, Default)]
pub(super) struct QosDecoder {
    qos: Qos,
    has_reliability: bool,
}

impl QosDecoder {
    /// Reads the parameter `id`. Returns true if it is a QoS policy.
    pub(super) fn read(&mut self, id: u16, value: &mut Input) -> Result<bool, ParseError> {
        let qos = &mut self.qos;
        match id {
            pid::RELIABILITY => {
                qos.reliability = Reliability {
                    kind: kind(value, ReliabilityKind::from_number)?,
                    max_blocking: value.duration()?,
                };
                self.has_reliability = true;
            }
            pid::DURABILITY => qos.durability = kind(value, Durability::from_number)?,
            pid::HISTORY => qos.history = history(value)?,
            pid::DEADLINE => qos.deadline = value.duration()?,
            pid::LIFESPAN => qos.lifespan = value.duration()?,
            pid::LATENCY_BUDGET => qos.latency_budget = value.duration()?,
            pid::LIVELINESS => {
                qos.liveliness = Liveliness {
                    kind: kind(value, LivelinessKind::from_number)?,
                    lease: value.duration()?,
                }
            }
            pid::OWNERSHIP => qos.ownership = kind(value, Ownership::from_number)?,
            pid::DESTINATION_ORDER => {
                qos.destination_order = kind(value, DestinationOrder::from_number)?;
            }
            pid::PRESENTATION => {
                qos.presentation = Presentation {
                    access_scope: kind(value, AccessScope::from_number)?,
                    coherent: value.u8()? != 0,
                    ordered: value.u8()? != 0,
                }
            }
            pid::PARTITION => qos.partition = partition(value)?,
            pid::DATA_REPRESENTATION => qos.representation = representation(value)?,
            pid::USER_DATA => qos.user_data = value.octets(MAX_USER_DATA)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns the QoS with the default reliability of writers or readers if none was read.
    pub(super) fn finish(mut self, writer: bool) -> Qos {
        if writer && !self.has_reliability {
            self.qos.reliability.kind = ReliabilityKind::Reliable;
        }
        self.qos
    }
}

fn kind<T>(value: &mut Input, from: fn(u32) -> Option<T>) -> Result<T, ParseError> {
    from(value.u32()?).ok_or(ParseError::Invalid)
}

fn history(value: &mut Input) -> Result<History, ParseError> {
    let kind = value.u32()?;
    let depth = value.u32()?;
    match kind {
        // Zero is not a valid depth; the smallest valid depth replaces it.
        0 => Ok(History::KeepLast(depth.clamp(1, i32::MAX.cast_unsigned()))),
        1 => Ok(History::KeepAll),
        _ => Err(ParseError::Invalid),
    }
}

fn partition(value: &mut Input) -> Result<Vec<String>, ParseError> {
    let count = value.u32()? as usize;
    if count > MAX_PARTITIONS {
        return Err(ParseError::TooLong);
    }
    (0..count).map(|_| value.string()).collect()
}

fn representation(value: &mut Input) -> Result<Vec<DataRepresentation>, ParseError> {
    let count = value.u32()? as usize;
    if count > MAX_REPRESENTATIONS {
        return Err(ParseError::TooLong);
    }
    let read = |_| Ok(DataRepresentation(value.u16()?.cast_signed()));
    (0..count).map(read).collect()
}

/// Writes the policies. Those that a peer matches or displays are written even at their defaults.
pub(super) fn write_qos(list: &mut ListWriter<'_>, qos: &Qos, writer: bool) {
    list.add(pid::RELIABILITY, |out| {
        out.put_u32_le(qos.reliability.kind.number());
        put_duration(out, qos.reliability.max_blocking);
    });
    list.add(pid::DURABILITY, |out| {
        out.put_u32_le(qos.durability.number())
    });
    let (kind, depth) = match qos.history {
        History::KeepLast(depth) => (0, depth),
        History::KeepAll => (1, 1),
    };
    list.add(pid::HISTORY, |out| {
        out.put_u32_le(kind);
        out.put_u32_le(depth);
    });
    list.add(pid::DEADLINE, |out| put_duration(out, qos.deadline));
    if writer {
        list.add(pid::LIFESPAN, |out| put_duration(out, qos.lifespan));
    }
    list.add(pid::LATENCY_BUDGET, |out| {
        put_duration(out, qos.latency_budget)
    });
    list.add(pid::LIVELINESS, |out| {
        out.put_u32_le(qos.liveliness.kind.number());
        put_duration(out, qos.liveliness.lease);
    });
    list.add(pid::OWNERSHIP, |out| out.put_u32_le(qos.ownership.number()));
    list.add(pid::DESTINATION_ORDER, |out| {
        out.put_u32_le(qos.destination_order.number());
    });
    write_lists(list, qos);
}

/// Writes the policies that are lists, and presentation, where they differ from the defaults.
fn write_lists(list: &mut ListWriter<'_>, qos: &Qos) {
    if qos.presentation != Presentation::default() {
        list.add(pid::PRESENTATION, |out| {
            out.put_u32_le(qos.presentation.access_scope.number());
            out.put_u8(u8::from(qos.presentation.coherent));
            out.put_u8(u8::from(qos.presentation.ordered));
        });
    }
    if !qos.partition.is_empty() {
        list.add(pid::PARTITION, |out| {
            out.put_u32_le(qos.partition.len() as u32);
            for name in &qos.partition {
                put_string(out, name);
                out.put_bytes(0, padding(name.len() + 1));
            }
        });
    }
    if !qos.representation.is_empty() {
        list.add(pid::DATA_REPRESENTATION, |out| {
            out.put_u32_le(qos.representation.len() as u32);
            for representation in &qos.representation {
                out.put_i16_le(representation.0);
            }
        });
    }
    if !qos.user_data.is_empty() {
        list.add(pid::USER_DATA, |out| put_octets(out, &qos.user_data));
    }
}
