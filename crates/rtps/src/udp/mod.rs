//! Sockets, networks and threads of a participant (RTPS 2.5, 9.6).
//!
//! [`driver`] runs a protocol over the [`sockets`] on one thread. [`mailbox`] passes received
//! samples to a second thread, so that a slow callback does not delay the protocol.

pub mod discovery;
pub mod driver;
pub mod mailbox;
pub mod networks;
pub mod ports;
pub mod sockets;
