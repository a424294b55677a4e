//! Parameters of a running world. [`list`] names the files that declare them; each parameter is
//! declared together with its effect.

pub(crate) mod devices;
pub mod list;
pub(crate) mod live;
pub(crate) mod node;
pub(crate) mod sea;
pub(crate) mod weather;
mod world_parameter;
