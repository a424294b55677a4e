//! A participant under attack, an honest peer and the attacker's own participant.

use std::collections::VecDeque;
use std::net::SocketAddr;

use bytes::Bytes;
use merrow_rtps::engine::{
    EndpointSpec, Engine, EngineConfig, Event, Limits, Nanos, OutgoingSample, Path, Paths,
};
use merrow_rtps::qos::{Durability, History, Qos, ReliabilityKind};
use merrow_rtps::wire::{Duration, Guid, GuidPrefix, Locator, Time};
use rustix::time::{ClockId, clock_gettime};

use merrow_testing::allocator;

/// Nanoseconds in a millisecond [ns].
pub(crate) const MILLIS: u64 = 1_000_000;

/// Limits of the participant under attack, low enough to be reached.
pub(crate) const LIMITS: Limits = Limits {
    participants: 24,
    endpoints: 100,
    sample_bytes: 1 << 20,
    pending_bytes: 2 << 20,
    total_bytes: 4 << 20,
    announcement_bytes: 1 << 20,
};

/// Largest memory of the participant under attack: twice the sum of the limits and the queue of
/// small submessages add up to [B].
const MAX_MEMORY: isize = 16 << 20;

struct Network;

impl Paths for Network {
    fn is_own(&self, _: std::net::IpAddr) -> bool {
        false
    }

    fn path(&self, _: SocketAddr) -> Path {
        Path {
            max_datagram: 1400,
            burst_bytes: 1 << 20,
            bytes_per_second: 1 << 30,
            best_effort_bytes_per_second: 1 << 30,
        }
    }

    fn choose(&self, locators: &[Locator], _: Option<SocketAddr>) -> Option<SocketAddr> {
        locators.iter().find_map(Locator::socket_addr)
    }

    fn is_connected(&self, _: SocketAddr) -> bool {
        true
    }
}

pub(crate) fn address(index: u8) -> SocketAddr {
    ([10, 0, 0, index], 7400).into()
}

pub(crate) fn prefix(index: u8) -> GuidPrefix {
    GuidPrefix([index; 12])
}

pub(crate) fn engine(index: u8, now: Nanos, limits: Limits) -> Engine {
    let at = address(index);
    let config = EngineConfig {
        domain_id: 0,
        guid_prefix: prefix(index),
        name: format!("p{index}"),
        user_data: Bytes::new(),
        lease: Duration::from_seconds(20),
        metatraffic_unicast: vec![at.into()],
        default_unicast: vec![at.into()],
        metatraffic_multicast: Vec::new(),
        initial_peers: vec![address(1)],
        limits,
    };
    Engine::new(config, Box::new(Network), now)
}

/// Returns an endpoint of the topic of all tests.
pub(crate) fn spec(reliable: bool, durable: bool) -> EndpointSpec {
    let mut qos = Qos::writer();
    if !reliable {
        qos.reliability.kind = ReliabilityKind::BestEffort;
    }
    if durable {
        qos.durability = Durability::TransientLocal;
    }
    qos.history = History::KeepLast(10);
    EndpointSpec {
        topic: "t".to_owned(),
        type_name: "T".to_owned(),
        qos,
        accepts: |_, _| true,
    }
}

/// Returns the processor time of this thread [ns].
pub(crate) fn cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    (time.tv_sec * 1_000_000_000 + time.tv_nsec).cast_unsigned()
}

/// A participant with endpoints, and the samples that it received from the other honest one.
pub(crate) struct Peer {
    pub(crate) engine: Engine,
    pub(crate) writer: Guid,
    pub(crate) readers: Vec<Guid>,
    received: Vec<u64>,
}

impl Peer {
    fn new(index: u8, limits: Limits) -> Peer {
        let now = Nanos(0);
        let mut engine = engine(index, now, limits);
        let writer = engine.create_writer(now, spec(true, true));
        let readers = [(true, true), (false, false)];
        let readers =
            readers.map(|(reliable, durable)| engine.create_reader(now, spec(reliable, durable)));
        Peer {
            engine,
            writer,
            readers: readers.to_vec(),
            received: Vec::new(),
        }
    }

    /// Takes the events; keeps the samples of `writer` that the reliable reader received.
    fn take_events(&mut self, writer: Guid) {
        while let Some(event) = self.engine.poll_event() {
            if let Event::Sample(sample) = event
                && (sample.writer, sample.reader) == (writer, self.readers[0])
            {
                let number = sample.payload[4..12].try_into().expect("8 bytes");
                self.received.push(u64::from_le_bytes(number));
            }
        }
    }

    fn write(&mut self, now: Nanos, number: u64) {
        let mut payload = vec![0; 3000];
        payload[4..12].copy_from_slice(&number.to_le_bytes());
        let sample = OutgoingSample {
            payload: payload.into(),
            related: None,
        };
        let written = self
            .engine
            .write(now, Time::from_nanos(now.0), self.writer, sample);
        assert!(written.is_ok());
    }
}

/// The three participants. Index 0 is under attack, 1 is honest, 2 belongs to the attacker.
pub(crate) struct Scene {
    pub(crate) now: Nanos,
    pub(crate) peers: [Peer; 3],
    written: u64,
    baseline: isize,
    /// Address outside the scene, and the bytes that the participant under attack sent to it [B].
    outside: (SocketAddr, usize),
    /// Number of the datagrams between the participants, and of the datagrams between two lost
    /// datagrams.
    datagrams: (u64, u64),
}

impl Scene {
    /// Connects the three participants by discovery.
    pub(crate) fn new(limits: Limits) -> Scene {
        let mut scene = Scene {
            now: Nanos(0),
            peers: [
                Peer::new(1, limits),
                Peer::new(2, Limits::default()),
                Peer::new(3, Limits::default()),
            ],
            written: 0,
            baseline: 0,
            outside: (address(77), 0),
            datagrams: (0, u64::MAX),
        };
        for _ in 0..2000 {
            scene.advance(MILLIS);
        }
        let [target, honest, attacker] = &scene.peers;
        for other in [honest, attacker] {
            assert!(target.engine.is_matched(target.writer, other.readers[0]));
            assert!(target.engine.is_matched(target.readers[0], other.writer));
        }
        scene.baseline = allocator::live();
        scene
    }

    /// Passes time and delivers the datagrams between the participants.
    pub(crate) fn advance(&mut self, nanos: u64) {
        self.now = self.now.plus(nanos);
        for _ in 0..4 {
            self.exchange();
            self.now = self.now.plus(MILLIS / 4);
        }
    }

    fn exchange(&mut self) {
        let now = self.now;
        let mut flying = VecDeque::new();
        for (index, peer) in self.peers.iter_mut().enumerate() {
            peer.engine.handle_timers(now);
            let from = address(u8::try_from(index + 1).expect("small"));
            let sent = std::iter::from_fn(|| peer.engine.poll_transmit(now));
            flying.extend(sent.take(2000).map(|t| (from, t)));
        }
        for (from, transmit) in flying {
            if transmit.to == self.outside.0 {
                self.outside.1 += transmit.parts.iter().map(Bytes::len).sum::<usize>();
            }
            let to = (1..=3).position(|index| address(index) == transmit.to);
            self.datagrams.0 += 1;
            if self.datagrams.0.is_multiple_of(self.datagrams.1) {
                continue;
            }
            if let Some(to) = to.filter(|to| address(*to as u8 + 1) != from) {
                let bytes = transmit.parts.concat().into();
                self.peers[to].engine.handle_datagram(now, from, bytes);
            }
        }
        let writers = [self.peers[1].writer, self.peers[0].writer, Guid::UNKNOWN];
        for (peer, writer) in self.peers.iter_mut().zip(writers) {
            peer.take_events(writer);
        }
    }

    /// Passes a datagram to the participant under attack. Returns the processor time that it and
    /// the timers took [ns].
    pub(crate) fn receive(&mut self, from: SocketAddr, datagram: Bytes) -> u64 {
        let writer = self.peers[1].writer;
        let now = self.now;
        let target = &mut self.peers[0];
        let start = cpu_ns();
        target.engine.handle_datagram(now, from, datagram);
        let time = cpu_ns() - start;
        target.take_events(writer);
        time
    }

    /// Returns the memory that the participants use since the start [B].
    pub(crate) fn used(&self) -> isize {
        allocator::live() - self.baseline
    }

    /// Asserts that the memory is within the limits.
    pub(crate) fn check_memory(&self) {
        let used = self.used();
        assert!(used < MAX_MEMORY, "{used} B");
    }

    /// Writes a sample in both directions between the honest participants.
    pub(crate) fn write_both(&mut self) {
        self.written += 1;
        for peer in &mut self.peers[..2] {
            peer.write(self.now, self.written);
        }
    }

    /// Checks that the honest participants receive all samples of each other within 3 s.
    pub(crate) fn check_honest(&mut self) {
        for _ in 0..10 {
            self.write_both();
        }
        for _ in 0..1500 {
            self.advance(MILLIS);
            let done = |peer: &Peer| peer.received.last() == Some(&self.written);
            if self.peers[..2].iter().all(done) {
                break;
            }
        }
        for peer in &mut self.peers[..2] {
            let last = self.written.saturating_sub(10).max(1);
            let expected: Vec<u64> = (last..=self.written).collect();
            peer.received.dedup();
            let state = &peer.received[peer.received.len().saturating_sub(20)..];
            assert!(state.ends_with(&expected), "{state:?}");
        }
    }

    /// Loses every `period`-th datagram between the participants.
    pub(crate) fn lose_every(&mut self, period: u64) {
        self.datagrams.1 = period;
    }

    /// Returns the number of samples written in each direction.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    /// Writes `count` samples of `size` [B] of the participant under attack.
    pub(crate) fn write_large(&mut self, count: u64, size: usize) {
        for _ in 0..count {
            let sample = OutgoingSample {
                payload: vec![0; size].into(),
                related: None,
            };
            let peer = &mut self.peers[0];
            let time = Time::from_nanos(self.now.0);
            let written = peer.engine.write(self.now, time, peer.writer, sample);
            assert!(written.is_ok());
        }
    }

    /// Returns the bytes that were sent to address 77, which is outside the scene [B].
    pub(crate) fn sent_outside(&self) -> usize {
        self.outside.1
    }
}
