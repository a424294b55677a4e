//! The I/O thread with a protocol that echoes datagrams.

use std::net::Ipv4Addr;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;
use crate::udp::networks::Network;

/// Domain of these tests only.
const DOMAIN: u16 = 203;

const TIMEOUT: Duration = Duration::from_secs(5);

/// Event of the test protocol.
#[derive(Debug, PartialEq, Eq)]
enum TestEvent {
    Datagram(Bytes),
    Timer,
}

struct EchoProtocol {
    /// Where received datagrams are sent; `None` if they are not.
    reply: Option<SocketAddr>,
    timer: Option<u64>,
    outgoing: VecDeque<Transmit>,
    events: Sender<TestEvent>,
}

impl Protocol for EchoProtocol {
    fn handle_datagram(&mut self, _: u64, _: SocketAddr, datagram: Bytes) {
        if let Some(to) = self.reply {
            let parts = vec![datagram.clone()];
            self.outgoing.push_back(Transmit {
                to,
                parts,
                is_verified: true,
            });
        }
        let _ = self.events.send(TestEvent::Datagram(datagram));
    }
    fn handle_timers(&mut self, now_ns: u64) {
        if self.timer.is_some_and(|timer| timer <= now_ns) {
            self.timer = None;
            let _ = self.events.send(TestEvent::Timer);
        }
    }
    fn next_deadline_ns(&self) -> Option<u64> {
        self.timer
    }
    fn poll_transmit(&mut self, _: u64) -> Option<Transmit> {
        self.outgoing.pop_front()
    }
    fn deliver_events(&mut self) {}
    fn handle_dropped(&mut self, _: u64) {}
    fn handle_networks(&mut self, _: u64, _: &Networks) {}
}

fn start(
    domain: u16,
    reply: Option<SocketAddr>,
    senders: Senders,
) -> (Driver<EchoProtocol>, SocketAddr, Receiver<TestEvent>) {
    start_in(domain, reply, senders, Networks::detect())
}

fn start_in(
    domain: u16,
    reply: Option<SocketAddr>,
    senders: Senders,
    networks: Networks,
) -> (Driver<EchoProtocol>, SocketAddr, Receiver<TestEvent>) {
    let sockets = Sockets::open(domain, None).unwrap();
    let port = sockets.data.local_addr().unwrap().port();
    let (sender, events) = channel();
    let protocol = EchoProtocol {
        reply,
        timer: None,
        outgoing: VecDeque::new(),
        events: sender,
    };
    let driver = Driver::start(sockets, senders, networks, protocol).unwrap();
    (driver, (Ipv4Addr::LOCALHOST, port).into(), events)
}

fn everybody() -> Senders {
    Senders {
        networks: true,
        own: true,
        ..Senders::default()
    }
}

fn send(driver: &Driver<EchoProtocol>, to: SocketAddr, parts: &[&'static [u8]]) {
    let parts = parts.iter().map(|part| Bytes::from_static(part)).collect();
    let transmit = Transmit {
        to,
        parts,
        is_verified: true,
    };
    driver.call(|protocol, _| protocol.outgoing.push_back(transmit));
}

#[test]
fn datagrams_are_sent_and_received() {
    let (client, from, replies) = start(DOMAIN, None, everybody());
    let (_server, to, _requests) = start(DOMAIN, Some(from), everybody());
    for _ in 0..1000 {
        send(&client, to, &[b"RT", b"PS"]);
        assert_eq!(
            replies.recv_timeout(TIMEOUT),
            Ok(TestEvent::Datagram(Bytes::from_static(b"RTPS")))
        );
    }
    assert_eq!(client.counters().sent, 1000);
    assert_eq!(client.counters().received, 1000);
}

/// A datagram waits for the end of a hold. The hold may last longer than the longest wait if the
/// machine is busy, so that one of some holds counts.
#[test]
fn datagrams_wait_during_a_short_hold() {
    let (client, ..) = start(DOMAIN + 5, None, everybody());
    let (_server, to, requests) = start(DOMAIN + 5, None, everybody());
    let waits = |before: u64| {
        let _hold = client.hold_datagrams();
        send(&client, to, &[b"RTPS"]);
        client.counters().sent == before
    };
    assert!((0..100).any(|_| waits(client.counters().sent)));
    assert!(requests.recv_timeout(TIMEOUT).is_ok());
}

/// Samples that are written for a long time are not delayed until the end.
#[test]
fn datagrams_are_sent_during_a_long_hold() {
    let (client, _, _) = start(DOMAIN + 3, None, everybody());
    let (_server, to, requests) = start(DOMAIN + 3, None, everybody());
    let _hold = client.hold_datagrams();
    for _ in 0..2 {
        let end = now_ns() + u64::try_from(TIMEOUT.as_nanos()).unwrap();
        send(&client, to, &[b"RTPS"]);
        while requests.try_recv().is_err() {
            assert!(now_ns() < end, "no datagram is sent");
            client.call(|_, _| ());
        }
    }
}

#[test]
fn a_new_timer_wakes_the_thread() {
    let (driver, _, events) = start(DOMAIN + 1, None, everybody());
    let started = now_ns();
    for _ in 0..10 {
        let set = now_ns();
        driver.call(|protocol, now| protocol.timer = Some(now + 2_000_000));
        assert_eq!(events.recv_timeout(TIMEOUT), Ok(TestEvent::Timer));
        assert!(now_ns() - set >= 2_000_000);
    }
    // the readings of the networks also wake the thread
    assert!(now_ns() - started < 5 * NETWORK_PERIOD_NS);
}

#[test]
fn senders_are_compared_with_the_networks() {
    let network = |address: &str, mask: [u8; 4]| Network {
        address: address.parse().unwrap(),
        mask: mask.into(),
        index: 0,
        mtu: 1500,
        is_up: true,
    };
    let networks = Networks(vec![
        network("127.0.0.1", [255, 0, 0, 0]),
        network("10.1.2.3", [255, 255, 0, 0]),
    ]);
    let subnet = Senders {
        networks: true,
        own: true,
        hosts: vec![Ipv4Addr::new(8, 8, 8, 8)],
    };
    let local = Senders {
        own: true,
        ..Senders::default()
    };
    let accepts = |senders: &Senders, from: &str| {
        let from = SocketAddr::new(from.parse().unwrap(), 7411);
        senders.accept(&from, &networks)
    };
    for own in ["127.0.0.1", "127.1.2.3", "10.1.2.3"] {
        assert!(accepts(&subnet, own) && accepts(&local, own), "{own}");
    }
    assert!(accepts(&subnet, "10.1.9.9") && !accepts(&local, "10.1.9.9"));
    assert!(accepts(&subnet, "8.8.8.8"), "a static peer");
    for other in ["10.2.0.1", "192.168.1.9", "8.8.8.9", "::1"] {
        assert!(!accepts(&subnet, other), "{other}");
    }
}

/// The networks are known from before an interface received its address.
#[test]
fn a_sender_in_a_new_network_is_accepted_at_once() {
    let (client, ..) = start(DOMAIN + 4, None, everybody());
    let members = Senders {
        networks: true,
        ..Senders::default()
    };
    let (server, to, requests) = start_in(DOMAIN + 4, None, members, Networks::default());
    std::thread::sleep(Duration::from_nanos(NETWORK_RETRY_NS + 20_000_000));
    send(&client, to, &[b"RTPS"]);
    assert!(requests.recv_timeout(TIMEOUT).is_ok());
    assert_eq!(server.counters().foreign, 0);
}

#[test]
fn datagrams_from_outside_the_range_are_counted_and_dropped() {
    let (client, from, _) = start(DOMAIN + 2, None, everybody());
    let (server, to, requests) = start(DOMAIN + 2, Some(from), Senders::default());
    send(&client, to, &[b"RTPS"]);
    assert!(requests.recv_timeout(Duration::from_millis(200)).is_err());
    let counters = server.counters();
    assert_eq!(counters.foreign, 1);
    assert_eq!(counters.last_foreign, Some(Ipv4Addr::LOCALHOST));
}
