//! Order of events and receptions.

pub(crate) mod agenda;
pub(crate) mod events;
pub(crate) mod prefetch;
