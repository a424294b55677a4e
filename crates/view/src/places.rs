//! Places of connections: clients that send or read slowly do not lock others out.

use parking_lot::{Mutex, MutexGuard};
use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Maximum number of simultaneous connections, and how many of one address are requests, and
/// WebSockets.
const MAX_CONNECTIONS: usize = 64;
const MAX_REQUESTS_OF_ADDRESS: usize = 32;
const MAX_SOCKETS_OF_ADDRESS: usize = 16;

/// Open connections, the oldest first.
#[derive(Default)]
pub(crate) struct Places {
    all: Mutex<Vec<Connection>>,
    taken: AtomicU64,
}

struct Connection {
    number: u64,
    address: IpAddr,
    /// Handle that closes the connection; the connection ends later, with its thread.
    stream: TcpStream,
    is_socket: bool,
}

/// Place of a connection, until it is dropped.
pub(crate) struct Place {
    places: Arc<Places>,
    number: u64,
}

impl Places {
    /// Takes a place for a request. Without a free one, closes the oldest request: a client that is
    /// not slow has sent it within milliseconds. Returns `None` if there is no request to close.
    pub(crate) fn take(self: &Arc<Self>, stream: &TcpStream) -> Option<Place> {
        let address = stream.peer_addr().ok()?.ip();
        let stream = stream.try_clone().ok()?;
        let mut all = self.all();
        let is_request = |c: &Connection| !c.is_socket;
        let is_own = |c: &Connection| is_request(c) && c.address == address;
        let closed = if all.iter().filter(|c| is_own(c)).count() >= MAX_REQUESTS_OF_ADDRESS {
            all.iter().position(is_own)
        } else if all.len() >= MAX_CONNECTIONS {
            Some(all.iter().position(is_request)?)
        } else {
            None
        };
        if let Some(closed) = closed {
            // a connection that the client has closed needs no second end
            let _ = all.remove(closed).stream.shutdown(Shutdown::Both);
        }
        let number = self.taken.fetch_add(1, Ordering::Relaxed);
        all.push(Connection {
            number,
            address,
            stream,
            is_socket: false,
        });
        let places = Arc::clone(self);
        Some(Place { places, number })
    }

    fn all(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.all.lock()
    }
}

impl Place {
    /// Makes the connection a WebSocket, which is not closed for others. Returns false if its
    /// address has too many.
    pub(crate) fn keep(&self) -> bool {
        let mut all = self.places.all();
        let Some(own) = all.iter().position(|c| c.number == self.number) else {
            return false;
        };
        let address = all[own].address;
        let same = all.iter().filter(|c| c.is_socket && c.address == address);
        all[own].is_socket = same.count() < MAX_SOCKETS_OF_ADDRESS;
        all[own].is_socket
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.all().retain(|c| c.number != self.number);
    }
}
