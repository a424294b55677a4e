//! Tests the readers of worlds and of foreign formats.
//!
//! They are one program outside the library, so that the library is compiled only once.

mod air;
mod document;
mod estimate;
mod heightfield;
mod mesh;
mod sample;
mod sname;
