//! The I/O thread with a protocol that echoes datagrams.

use std::net::Ipv4Addr;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;

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
            self.outgoing.push_back(Transmit { to, parts });
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
    fn handle_networks(&mut self, _: u64, _: &Networks) {}
}

fn start(
    domain: u16,
    reply: Option<SocketAddr>,
    senders: Senders,
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
    let driver = Driver::start(sockets, senders, Networks::detect(), protocol).unwrap();
    (driver, (Ipv4Addr::LOCALHOST, port).into(), events)
}

fn everybody() -> Senders {
    Senders {
        any: true,
        ..Senders::default()
    }
}

fn send(driver: &Driver<EchoProtocol>, to: SocketAddr, parts: &[&'static [u8]]) {
    let parts = parts.iter().map(|part| Bytes::from_static(part)).collect();
    driver.call(|protocol, _| protocol.outgoing.push_back(Transmit { to, parts }));
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
    std::thread::sleep(Duration::from_millis(50));
    let started = now_ns();
    driver.call(|protocol, now| protocol.timer = Some(now + 2_000_000));
    assert_eq!(events.recv_timeout(TIMEOUT), Ok(TestEvent::Timer));
    assert!(now_ns() - started >= 2_000_000);
}

#[test]
fn datagrams_from_outside_the_range_are_counted_and_dropped() {
    let (client, from, _) = start(DOMAIN + 2, None, everybody());
    let (server, to, requests) = start(DOMAIN + 2, Some(from), Senders::default());
    send(&client, to, &[b"RTPS"]);
    assert!(requests.recv_timeout(Duration::from_millis(200)).is_err());
    assert_eq!(server.counters().foreign, 1);
}
