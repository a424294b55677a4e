//! Tests against other programs; the sources of the data are listed in `test/data/README.md`.

mod bags;
pub(crate) mod cases;
mod devices;
mod environment;
mod vehicles;
