//! Decoding of messages of any type with the definition that a bag contains.
//!
//! [`definition`] parses the `ros2msg` text of a schema, [`value`] decodes CDR bytes with it.
//! Definitions and bytes come from files: both can be refused, but neither causes a panic, nor an
//! allocation beyond a small multiple of their size. Numeric arrays and strings are not copied.
//! This module does not depend on the message types in `msg/`.
//!
//! Limits: `wstring` and definitions in IDL (`ros2idl`) are not decoded, because writers encode
//! wide strings differently.

pub mod definition;
pub mod value;

#[cfg(test)]
mod tests;
