//! Sockets, networks and threads of a participant (RTPS 2.5, 9.6).

// the participant, which uses all of this, needs the protocol engine
#![cfg_attr(not(test), expect(dead_code, reason = "the participant follows"))]

mod discovery;
mod driver;
mod mailbox;
mod networks;
mod ports;
mod sockets;

pub use discovery::Range;
pub use driver::SocketCounters;
pub use ports::MAX_DOMAIN_ID;
