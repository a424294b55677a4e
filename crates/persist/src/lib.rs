//! Serialisation of the state: `#[derive(Persist)]` gives both directions, the state hash and the
//! layout of a type from its declaration.
//!
//! # Law
//! ```text
//!   load(save(x)) = x,  save(load(b)) = b     (1)  one text of bytes per value
//!   hash = SHA-256(save(x))                   (2)
//! ```
//! Fields are stored in the order of their declaration. Integers and floating-point numbers are
//! stored by their bits, little-endian. Every variable
//! length precedes its items and every enum begins with a tag, so that two different values never
//! have the same bytes. Gridded data does not change during a run: it is stored as a reference to
//! the scene (`crates/model/src/scene/sea/references.rs`).
//!
//! # Symbols
//! x value · b bytes that `load` accepts.
//!
//! # Limits
//! Bytes are valid for the version of Merrow and the world that wrote them.
//!
//! # Checked by
//! test/determinism/state/checkpoint.rs

#![forbid(unsafe_code)]

// the path in which derived code finds the traits of this crate
extern crate self as merrow_persist;

mod scalars;

pub use merrow_derive::Persist;

use std::any::Any;
use std::collections::HashSet;
use std::sync::Arc;

/// A value that a checkpoint contains.
pub trait Persist: Sized {
    /// Appends the bytes of the value.
    fn save(&self, to: &mut Writer);

    /// Reads a value.
    ///
    /// # Errors
    /// Error message if the data is invalid.
    fn load(from: &mut Reader<'_>) -> Result<Self, String>;

    /// Describes the bytes: the names and types of all fields.
    fn layout(to: &mut Layout);
}

/// A value behind an `Arc`. Every value of [`Persist`] has its own form; a value of the scene can be
/// stored as a reference to it instead.
pub trait PersistShared: Sized {
    /// Appends the bytes of the value.
    fn save_shared(shared: &Arc<Self>, to: &mut Writer);

    /// Reads a value.
    ///
    /// # Errors
    /// Error message if the data is invalid.
    fn load_shared(from: &mut Reader<'_>) -> Result<Arc<Self>, String>;

    /// Describes the bytes: the names and types of all fields.
    fn layout_shared(to: &mut Layout);
}

/// Text that describes the bytes of a type; types with equal texts have equal forms.
#[derive(Debug, Default)]
pub struct Layout {
    text: String,
    described: HashSet<&'static str>,
}

impl Layout {
    /// Returns the text of a type.
    pub fn of<T: Persist>() -> String {
        let mut layout = Self::default();
        T::layout(&mut layout);
        layout.text
    }

    /// Begins the fields of `name`, which the Rust type `unique` has. Returns false if they are
    /// described already.
    pub fn begin(&mut self, name: &str, unique: &'static str) -> bool {
        self.text.push_str(name);
        let is_new = self.described.insert(unique);
        if is_new {
            self.text.push('{');
        }
        is_new
    }

    /// Adds the name of a field, a variant or a type without fields.
    pub fn name(&mut self, name: &str) {
        self.text.push(' ');
        self.text.push_str(name);
        self.text.push(' ');
    }

    /// Ends the fields of a type.
    pub fn end(&mut self) {
        self.text.push('}');
    }
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
    scene: &'a dyn Any,
}

impl<'a> Reader<'a> {
    /// Creates a reader of `bytes`; references to gridded data are resolved in `scene`, the part of
    /// the scene that contains it.
    pub fn new(bytes: &'a [u8], scene: &'a dyn Any) -> Self {
        Self { bytes, scene }
    }

    /// Returns the part of the scene in which references are resolved.
    ///
    /// # Errors
    /// The reader has another part.
    pub fn scene<T: 'static>(&self) -> Result<&'a T, String> {
        let scene = self.scene.downcast_ref();
        scene.ok_or_else(|| "found a reference to another part of the scene".to_string())
    }

    /// Returns the bytes that have not been read.
    pub fn remaining_bytes(&self) -> &'a [u8] {
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

/// Optional value that is the last one of all bytes. Without the value there are no bytes, so that the
/// form of the values before it does not depend on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tail<T>(pub Option<T>);

impl<T: Persist> Persist for Tail<T> {
    fn save(&self, to: &mut Writer) {
        if let Some(value) = &self.0 {
            value.save(to);
        }
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        match from.remaining_bytes().is_empty() {
            true => Ok(Self(None)),
            false => T::load(from).map(|value| Self(Some(value))),
        }
    }
    fn layout(to: &mut Layout) {
        to.name("tail");
        T::layout(to);
    }
}

/// Returns the serialised bytes of one value.
pub fn to_bytes(value: &impl Persist) -> Vec<u8> {
    let mut to = Writer::default();
    value.save(&mut to);
    to.bytes
}
