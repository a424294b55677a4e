//! The I/O thread of a participant: connects a protocol without input and output to the sockets.
//!
//! Any thread can call the protocol ([`Driver::call`]). The datagrams that result are sent on that
//! thread, so that a small sample needs no thread switch. The I/O thread receives, runs the timers
//! and sends datagrams that pacing or a full send buffer delayed.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::networks::Networks;
use super::sockets::{HostSockets, Sockets};
use crate::engine::Transmit;

/// Interval between two readings of the network interfaces. It is the maximum delay until a change
/// of an interface is detected.
const NETWORK_PERIOD_NS: u64 = 500_000_000;

/// Shortest interval between two readings, after a datagram that was not sent or whose sender is in
/// none of the known networks.
const NETWORK_RETRY_NS: u64 = NETWORK_PERIOD_NS / 5;

/// Maximum number of datagrams received from one socket before timers run.
const RECEIVE_BATCH: usize = 64;

/// Maximum size of a UDP datagram [bytes].
const MAX_DATAGRAM: usize = 65_536;

/// Maximum number of datagrams in one system call.
const SEND_BATCH: usize = 32;

/// Maximum time for which datagrams are held back [ns]. The first samples of a burst are received
/// while the later samples are written.
const MAX_HOLD_NS: u64 = 100_000;

/// Retry interval after a full send buffer.
const BLOCKED_RETRY_NS: u64 = 1_000_000;

/// The protocol state machine. Times are nanoseconds of the monotonic clock.
pub trait Protocol: Send + 'static {
    /// Processes a datagram received from `from`.
    fn handle_datagram(&mut self, now_ns: u64, from: SocketAddr, datagram: Bytes);
    /// Processes timers that are due.
    fn handle_timers(&mut self, now_ns: u64);
    /// Returns the time of the next timer.
    fn next_deadline_ns(&self) -> Option<u64>;
    /// Returns the next datagram that may be sent now.
    fn poll_transmit(&mut self, now_ns: u64) -> Option<Transmit>;
    /// Passes all new events to the callback thread.
    fn deliver_events(&mut self);
    /// Processes that a datagram to an unverified participant was dropped, because the system still
    /// resolves the addresses of too many others.
    fn handle_dropped(&mut self, now_ns: u64);
    /// Processes a change of the network interfaces.
    fn handle_networks(&mut self, now_ns: u64, networks: &Networks);
}

/// Which senders are accepted.
#[derive(Debug, Clone, Default)]
pub struct Senders {
    /// Datagrams of senders in the networks of this machine are accepted.
    pub networks: bool,
    /// Datagrams of senders on this machine are accepted.
    pub own: bool,
    /// Hosts that are accepted in any case.
    pub hosts: Vec<Ipv4Addr>,
}

impl Senders {
    fn accept(&self, from: &SocketAddr, networks: &Networks) -> bool {
        let SocketAddr::V4(from) = from else {
            return false;
        };
        let from = from.ip();
        (self.own && networks.is_own(*from))
            || (self.networks && networks.is_member(*from))
            || self.hosts.contains(from)
    }
}

/// Counters of the sockets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SocketCounters {
    /// Number of datagrams that were sent.
    pub sent: u64,
    /// Datagrams received from accepted senders.
    pub received: u64,
    /// Datagrams that the network refused.
    pub send_errors: u64,
    /// Datagrams of senders outside the discovery range.
    pub foreign: u64,
    /// Address of the last sender outside the discovery range.
    pub last_foreign: Option<Ipv4Addr>,
}

/// Returns the time of the monotonic clock [ns].
pub fn now_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    seconds * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}

/// The I/O thread and the state shared with callers. Dropping it ends the thread.
#[derive(Debug)]
pub struct Driver<P: Protocol> {
    shared: Arc<DriverShared<P>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct DriverShared<P> {
    sockets: Sockets,
    senders: Senders,
    waker: UnixStream,
    stopped: AtomicBool,
    /// Time until which the I/O thread sleeps [ns]; 0 while it is awake.
    sleeps_until_ns: AtomicU64,
    state: Mutex<State<P>>,
}

#[derive(Debug)]
struct State<P> {
    protocol: P,
    networks: Networks,
    networks_due_ns: u64,
    hosts: HostSockets,
    /// Datagrams that found the send buffer full.
    blocked: VecDeque<Transmit>,
    /// Number of callers that hold back datagrams, and the time since which datagrams are held back
    /// [ns].
    holds: usize,
    held_since_ns: u64,
    counters: SocketCounters,
}

impl<P: Protocol> Driver<P> {
    /// Starts the I/O thread.
    ///
    /// # Errors
    /// The system refuses the thread or its pair of wake-up sockets.
    pub fn start(
        sockets: Sockets,
        senders: Senders,
        networks: Networks,
        protocol: P,
    ) -> io::Result<Self> {
        let (waker, woken) = UnixStream::pair()?;
        waker.set_nonblocking(true)?;
        woken.set_nonblocking(true)?;
        sockets.join(&networks);
        let hosts = HostSockets::open()?;
        let shared = Arc::new(DriverShared {
            sockets,
            senders,
            waker,
            stopped: AtomicBool::new(false),
            sleeps_until_ns: AtomicU64::new(0),
            state: Mutex::new(State {
                protocol,
                networks,
                networks_due_ns: now_ns() + NETWORK_PERIOD_NS,
                hosts,
                blocked: VecDeque::new(),
                holds: 0,
                held_since_ns: 0,
                counters: SocketCounters::default(),
            }),
        });
        let for_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("rtps-io".into())
            .spawn(move || for_thread.run(&woken))?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Calls the protocol and sends the resulting datagrams. Wakes the I/O thread only if a timer
    /// is now due earlier than it sleeps.
    pub fn call<R>(&self, action: impl FnOnce(&mut P, u64) -> R) -> R {
        let mut state = self.shared.state.lock();
        let result = action(&mut state.protocol, now_ns());
        self.shared.flush(&mut state);
        let next = state.wake_ns();
        drop(state);
        self.wake_for(next);
        result
    }

    /// Wakes the I/O thread if it sleeps beyond `next_ns` [ns].
    fn wake_for(&self, next_ns: u64) {
        if next_ns < self.shared.sleeps_until_ns.load(Ordering::SeqCst) {
            self.shared.wake();
        }
    }

    /// Holds datagrams back until the result is dropped, so that the samples of several calls can
    /// share datagrams. A call after more than 0.1 ms sends the datagrams that wait.
    pub fn hold_datagrams(&self) -> Hold<'_, P> {
        let mut state = self.shared.state.lock();
        if state.holds == 0 {
            state.held_since_ns = now_ns();
        }
        state.holds += 1;
        Hold(self)
    }

    /// Returns the counters of the sockets.
    pub fn counters(&self) -> SocketCounters {
        self.shared.state.lock().counters
    }
}

/// Holds datagrams back, see [`Driver::hold_datagrams`].
pub struct Hold<'a, P: Protocol>(&'a Driver<P>);

impl<P: Protocol> Drop for Hold<'_, P> {
    fn drop(&mut self) {
        let mut state = self.0.shared.state.lock();
        state.holds -= 1;
        self.0.shared.flush(&mut state);
        let next = state.wake_ns();
        drop(state);
        self.0.wake_for(next);
    }
}

impl<P: Protocol> Drop for Driver<P> {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        self.shared.wake();
        if let Some(thread) = self.thread.take() {
            // the thread has already printed its panic
            let _ = thread.join();
        }
    }
}

impl<P: Protocol> State<P> {
    /// Returns the time at which the I/O thread must run next [ns].
    fn wake_ns(&self) -> u64 {
        let timer = self.protocol.next_deadline_ns().unwrap_or(u64::MAX);
        let blocked = match self.blocked.is_empty() {
            true => u64::MAX,
            false => now_ns() + BLOCKED_RETRY_NS,
        };
        timer.min(blocked).min(self.networks_due_ns)
    }
}

impl<P: Protocol> DriverShared<P> {
    fn run(&self, mut woken: &UnixStream) {
        let mut buffer = vec![0; MAX_DATAGRAM];
        while !self.stopped.load(Ordering::SeqCst) {
            let Some(ready) = self.sleep(woken) else {
                continue;
            };
            // bytes in the stream have no content; an empty stream is no error here
            let _ = woken.read(&mut [0; 64]);
            for (socket, ready) in self.receivers().zip(ready) {
                if ready {
                    self.receive(socket, &mut buffer);
                }
            }
            // read without the lock, because it takes some system calls
            let networks = self.networks_are_due().then(Networks::detect);
            let mut state = self.state.lock();
            let now = now_ns();
            state.protocol.handle_timers(now);
            if let Some(networks) = networks {
                self.update_networks(&mut state, now, networks);
            }
            self.flush(&mut state);
        }
    }

    /// Waits for a datagram, a wake-up or a timer. Returns which receivers have datagrams, or
    /// `None` after a signal.
    fn sleep(&self, woken: &UnixStream) -> Option<Vec<bool>> {
        {
            let state = self.state.lock();
            // stored under the lock: a caller that adds an earlier timer afterwards reads it
            self.sleeps_until_ns
                .store(state.wake_ns(), Ordering::SeqCst);
        }
        let left = self
            .sleeps_until_ns
            .load(Ordering::SeqCst)
            .saturating_sub(now_ns());
        let timeout = Timespec::try_from(Duration::from_nanos(left)).ok()?;
        let mut fds = vec![PollFd::new(woken, PollFlags::IN)];
        fds.extend(
            self.receivers()
                .map(|socket| PollFd::new(socket, PollFlags::IN)),
        );
        let outcome = poll(&mut fds, Some(&timeout));
        self.sleeps_until_ns.store(0, Ordering::SeqCst);
        outcome.ok()?;
        let ready = |fd: &PollFd<'_>| fd.revents().intersects(PollFlags::IN | PollFlags::ERR);
        Some(fds.iter().skip(1).map(ready).collect())
    }

    fn receivers(&self) -> impl Iterator<Item = &UdpSocket> {
        let Sockets {
            metatraffic,
            data,
            multicast,
            ..
        } = &self.sockets;
        [metatraffic, data].into_iter().chain(multicast)
    }

    /// Receives datagrams and sends the resulting datagrams.
    fn receive(&self, socket: &UdpSocket, buffer: &mut [u8]) {
        for _ in 0..RECEIVE_BATCH {
            let (len, from) = match socket.recv_from(buffer) {
                Ok(received) => received,
                // an ICMP error of an earlier datagram; datagrams may follow
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => continue,
                Err(_) => return,
            };
            let mut state = self.state.lock();
            let mut is_accepted = self.senders.accept(&from, &state.networks);
            // an interface may have received an address since the last reading
            if !is_accepted
                && self.senders.networks
                && now_ns() + NETWORK_PERIOD_NS > state.networks_due_ns + NETWORK_RETRY_NS
            {
                self.update_networks(&mut state, now_ns(), Networks::detect());
                is_accepted = self.senders.accept(&from, &state.networks);
            }
            if !is_accepted {
                state.counters.foreign += 1;
                state.counters.last_foreign = match from.ip() {
                    IpAddr::V4(from) => Some(from),
                    IpAddr::V6(_) => None,
                };
                continue;
            }
            state.counters.received += 1;
            let datagram = Bytes::copy_from_slice(buffer.get(..len).unwrap_or_default());
            state.protocol.handle_datagram(now_ns(), from, datagram);
            self.flush(&mut state);
        }
    }

    /// Sends until the protocol has no datagram or the send buffer is full, and delivers events.
    fn flush(&self, state: &mut State<P>) {
        state.protocol.deliver_events();
        let now = now_ns();
        if state.holds > 0 {
            if now < state.held_since_ns + MAX_HOLD_NS {
                return;
            }
            state.held_since_ns = now;
        }
        let mut now = Some(now);
        loop {
            while state.blocked.len() < SEND_BATCH {
                let now = now.take().unwrap_or_else(now_ns);
                let Some(transmit) = state.protocol.poll_transmit(now) else {
                    break;
                };
                state.blocked.push_back(transmit);
            }
            if state.blocked.is_empty() {
                break;
            }
            let is_verified = state.blocked.front().is_some_and(|first| first.is_verified);
            let datagrams = state.blocked.make_contiguous();
            match self
                .sockets
                .send(datagrams, &state.networks, &mut state.hosts)
            {
                Ok(count) => {
                    state.blocked.drain(..count);
                    state.counters.sent += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && is_verified => break,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    state.blocked.pop_front();
                    state.protocol.handle_dropped(now_ns());
                }
                Err(_) => {
                    state.blocked.pop_front();
                    state.counters.send_errors += 1;
                    // an interface may have disappeared
                    let soon = now_ns() + NETWORK_RETRY_NS;
                    state.networks_due_ns = state.networks_due_ns.min(soon);
                }
            }
        }
        state.protocol.deliver_events();
    }

    fn networks_are_due(&self) -> bool {
        now_ns() >= self.state.lock().networks_due_ns
    }

    fn update_networks(&self, state: &mut State<P>, now: u64, networks: Networks) {
        state.networks_due_ns = now + NETWORK_PERIOD_NS;
        if networks != state.networks {
            self.sockets.join(&networks);
            state.protocol.handle_networks(now, &networks);
            state.networks = networks;
        }
    }

    fn wake(&self) {
        // a full stream also wakes the thread
        let _ = (&self.waker).write(&[0]);
    }
}

#[cfg(test)]
#[path = "driver_tests.rs"]
mod tests;
