//! Serialisation of the state: one declaration per type for both directions and for the state hash.
//!
//! # Law
//! ```text
//!   load(save(x)) = x,  save(load(b)) = b     (1)  one text of bytes per value
//!   hash = SHA-256(save(x))                   (2)
//! ```
//! Integers and floating-point numbers are stored by their bits, little-endian. Every variable
//! length precedes its items and every enum begins with a tag, so that two different values never
//! have the same bytes. Gridded data does not change during a run: it is stored as a reference to
//! the scene (`sea.rs`).
//!
//! # Symbols
//! x value · b bytes that `load` accepts.
//!
//! # Frames
//! None.
//!
//! # Limits
//! Bytes are valid for the version of Merrow and the world that wrote them.
//!
//! # Checked by
//! test/determinism/state/checkpoint.rs

mod comms;
mod hash;
pub mod identity;
mod readings;
mod robot;
mod scalars;
mod sea;
pub mod shape;
mod world;

use crate::scene::Sea;

/// A value that a checkpoint contains.
pub trait Persist: Sized {
    /// Appends the bytes of the value.
    fn save(&self, to: &mut Writer);

    /// Reads a value.
    ///
    /// # Errors
    /// Error message if the data is invalid.
    fn load(from: &mut Reader<'_>) -> Result<Self, String>;
}

/// Bytes of the values saved so far.
#[derive(Debug, Default)]
pub struct Writer {
    /// Serialised values, in the order in which they were saved.
    pub bytes: Vec<u8>,
}

/// Position in the bytes of saved values.
#[derive(Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    sea: &'a Sea,
}

impl<'a> Reader<'a> {
    /// Creates a reader of `bytes`; references to gridded data are resolved in `sea`, the sea of
    /// the scene.
    pub fn new(bytes: &'a [u8], sea: &'a Sea) -> Self {
        Self { bytes, sea }
    }

    /// Returns the bytes that have not been read.
    pub(crate) fn remaining_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Reads the next `n` bytes.
    ///
    /// # Errors
    /// There are fewer bytes.
    pub fn read_bytes(&mut self, n: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self
            .bytes
            .split_at_checked(n)
            .ok_or_else(|| format!("expected {n} more bytes, found {}", self.bytes.len()))?;
        self.bytes = rest;
        Ok(taken)
    }

    /// Returns an error unless all bytes have been read.
    ///
    /// # Errors
    /// There are more bytes.
    pub fn finish(&self) -> Result<(), String> {
        match self.bytes.len() {
            0 => Ok(()),
            n => Err(format!("found {n} bytes after the last value")),
        }
    }
}

/// Returns the serialised bytes of one value.
pub fn to_bytes(value: &impl Persist) -> Vec<u8> {
    let mut to = Writer::default();
    value.save(&mut to);
    to.bytes
}

/// Implements [`Persist`] for a struct by its fields, or for an enum by the tag and the fields of
/// each variant. A field or variant that is missing here does not compile.
#[macro_export]
macro_rules! persist {
    (struct $type:ty { $($field:ident),+ $(,)? }) => {
        impl $crate::persist::Persist for $type {
            fn save(&self, to: &mut $crate::persist::Writer) {
                let Self { $($field),+ } = self;
                $($crate::persist::Persist::save($field, to);)+
            }
            fn load(from: &mut $crate::persist::Reader<'_>) -> Result<Self, String> {
                Ok(Self { $($field: $crate::persist::Persist::load(from)?),+ })
            }
        }
    };
    (enum $type:ty {
        $($tag:literal = $variant:ident $(($($item:ident),+))? $({ $($field:ident),+ })?),+ $(,)?
    }) => {
        impl $crate::persist::Persist for $type {
            fn save(&self, to: &mut $crate::persist::Writer) {
                match self {
                    $(Self::$variant $(($($item),+))? $({ $($field),+ })? => {
                        $crate::persist::Persist::save(&($tag as u8), to);
                        $($($crate::persist::Persist::save($item, to);)+)?
                        $($($crate::persist::Persist::save($field, to);)+)?
                    })+
                }
            }
            fn load(from: &mut $crate::persist::Reader<'_>) -> Result<Self, String> {
                match <u8 as $crate::persist::Persist>::load(from)? {
                    $($tag => {
                        $($(let $item = $crate::persist::Persist::load(from)?;)+)?
                        $($(let $field = $crate::persist::Persist::load(from)?;)+)?
                        Ok(Self::$variant $(($($item),+))? $({ $($field),+ })?)
                    })+
                    tag => Err(format!("found the tag {tag} of {}", stringify!($type))),
                }
            }
        }
    };
}
