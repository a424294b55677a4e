//! Sockets, networks and threads of a participant (RTPS 2.5, 9.6).

mod networks;
mod ports;
mod sockets;

pub use ports::MAX_DOMAIN_ID;
