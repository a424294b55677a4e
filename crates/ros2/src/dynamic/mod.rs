//! Structure of message types of any origin, and decoding of their messages.
//!
//! [`definition`] parses the interface files of compiled and installed types and the `ros2msg`
//! texts in bags. Type hash, text and minimum size of a type follow from the parsed structure.
//! [`value`] decodes CDR bytes with it. Definitions and bytes can come from files: both can be
//! refused, but neither causes a panic, nor an allocation beyond a small multiple of their size.
//! Numeric arrays and strings are not copied. This module does not depend on the message types in
//! `msg/`.
//!
//! Limits: `wstring` and definitions in IDL (`ros2idl`) are not decoded, because writers encode
//! wide strings differently.

pub mod definition;
pub mod value;

#[cfg(test)]
mod tests;
