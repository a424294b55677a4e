//! Version of the types of `simulation_interfaces`.

/// Version of the types of the services.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Version 1, of the packages for Humble and Jazzy.
    One,
    /// Version 2, the current one.
    Two,
}
