//! Messages and parameter lists of the RTPS wire protocol, decoded from and encoded to bytes
//! (RTPS 2.5, 8.3, 9.4).
//!
//! [`parse`] reads a datagram and [`MessageBuilder`] writes one. Payloads stay slices of the
//! datagram or of the sample; this module copies none. It reads both byte orders and writes
//! little-endian. Each list that a datagram can contain has an upper bound.

mod builder;
mod discovery;
mod element;
mod error;
mod inline_qos;
mod input;
mod liveliness;
mod message;
mod parameters;
mod parse;
mod qos_parameters;
mod sets;
#[cfg(test)]
mod tests;
mod types;

pub use builder::MessageBuilder;
pub use discovery::{EndpointData, ParticipantData, builtin, decode_key, encode_key};
pub use error::ParseError;
pub use inline_qos::{InlineQos, SampleIdentity, StatusInfo};
pub use liveliness::automatic_liveliness;
pub use message::*;
pub use parse::parse;
pub use sets::{FragmentNumberSet, SequenceNumberSet};
pub use types::*;
