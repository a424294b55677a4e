//! A participant on the network: the engine, its sockets and its I/O thread.
//!
//! Writers and readers are handles; dropping one removes the endpoint from the network. Received
//! samples and events go to an [`EventSink`], which is called on the I/O thread.
//!
//! # Example
//!
//! ```
//! use std::sync::mpsc::{Sender, channel};
//! use merrow_rtps::engine::{EndpointSpec, Event, OutgoingSample, Sample};
//! use merrow_rtps::participant::{EventSink, Participant, ParticipantConfig};
//! use merrow_rtps::qos::Qos;
//!
//! struct Samples(Sender<Sample>);
//!
//! impl EventSink for Samples {
//!     fn sample(&self, _depth: usize, sample: Sample) {
//!         let _ = self.0.send(sample);
//!     }
//!     fn event(&self, _event: Event) {}
//! }
//!
//! let spec = EndpointSpec {
//!     topic: "rt/chatter".to_owned(),
//!     type_name: "std_msgs::msg::dds_::String_".to_owned(),
//!     qos: Qos::writer(),
//!     accepts: |_, _| true,
//! };
//! let (sender, samples) = channel();
//! let domain = ParticipantConfig::new(230);
//! let listener = Participant::join(&domain, Samples(sender.clone()))?;
//! let reader = listener.create_reader(spec.clone(), |_| {});
//! let talker = Participant::join(&domain, Samples(sender))?;
//! let writer = talker.create_writer(spec);
//! while writer.matched() == 0 {
//!     std::thread::sleep(std::time::Duration::from_millis(1));
//! }
//! let payload = bytes::Bytes::from_static(&[0, 1, 0, 0, 3, 0, 0, 0, b'h', b'i', 0, 0]);
//! writer.write(OutgoingSample { payload: payload.clone(), related: None })?;
//! let received = samples.recv()?;
//! assert_eq!(received.reader, reader.guid());
//! assert_eq!(received.payload, payload);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;

use crate::engine::{
    Counters, EndpointSpec, Engine, EngineConfig, Event, Limits, Nanos, OutgoingSample, Sample,
    Transmit, WriteError,
};
use crate::qos::History;
use crate::udp::discovery::Discovery;
use crate::udp::driver::{Driver, Protocol, SocketCounters, now_ns};
use crate::udp::networks::Networks;
use crate::udp::ports;
use crate::udp::sockets::{GROUP, Sockets};
use crate::wire::{Duration, EntityId, Guid, GuidPrefix, Locator, SequenceNumber, Time, VendorId};

/// Lease that is announced: peers notice a participant that ended without a message after this
/// time [s].
const LEASE: i32 = 20;

/// Longest time for which a participant that leaves completes reliable samples [ns], and the period
/// of the checks.
const LINGER_NS: u64 = 200_000_000;
const LINGER_PERIOD: std::time::Duration = std::time::Duration::from_millis(2);

/// Upper bound of the samples of one reader that keeps all samples and wait for their callback.
const KEEP_ALL_DEPTH: usize = 4096;

/// Settings of a participant.
#[derive(Clone, Debug)]
pub struct ParticipantConfig {
    /// Number of the DDS domain, 0 to 232.
    pub domain_id: u16,
    /// Entity name that is announced.
    pub name: String,
    /// Data of the application that is announced.
    pub user_data: Bytes,
    /// Which participants are discovered.
    pub discovery: Discovery,
}

impl ParticipantConfig {
    /// Returns the default settings: no name, discovery on all connected networks.
    pub fn new(domain_id: u16) -> ParticipantConfig {
        ParticipantConfig {
            domain_id,
            name: String::new(),
            user_data: Bytes::new(),
            discovery: Discovery::default(),
        }
    }
}

/// Receiver of samples and events. It is called on the I/O thread and must not wait.
pub trait EventSink: Send + 'static {
    /// Takes a sample of a reader whose history holds `depth` samples.
    fn sample(&self, depth: usize, sample: Sample);
    /// Takes an event that is not a sample.
    fn event(&self, event: Event);
}

/// A participant. Clones share it; it leaves the domain when [`Participant::leave`] is called or
/// the last clone and the last endpoint are dropped.
#[derive(Clone)]
pub struct Participant {
    shared: Arc<ParticipantShared>,
}

struct ParticipantShared {
    driver: Driver<Core>,
    prefix: GuidPrefix,
}

impl Drop for ParticipantShared {
    fn drop(&mut self) {
        self.driver.call(|core, _| core.engine.leave());
    }
}

impl Participant {
    /// Joins a domain and starts the I/O thread.
    ///
    /// # Errors
    /// The domain has no free ports, or the system refuses a socket or the thread.
    pub fn join(config: &ParticipantConfig, sink: impl EventSink) -> io::Result<Participant> {
        let multicast = config.discovery.multicast_ttl();
        let sockets = Sockets::open(config.domain_id, multicast)?;
        let networks = Networks::detect();
        let port = |socket: &std::net::UdpSocket| socket.local_addr().map(|at| at.port());
        let ports = (port(&sockets.metatraffic)?, port(&sockets.data)?);
        let group = ports::metatraffic_multicast(config.domain_id).filter(|_| multicast.is_some());
        let prefix = new_prefix();
        let engine_config = EngineConfig {
            domain_id: config.domain_id,
            guid_prefix: prefix,
            name: config.name.clone(),
            user_data: config.user_data.clone(),
            lease: Duration::from_seconds(LEASE),
            metatraffic_unicast: networks.announced(ports.0),
            default_unicast: networks.announced(ports.1),
            metatraffic_multicast: group
                .map(|port| Locator::from(SocketAddr::from((GROUP, port))))
                .into_iter()
                .collect(),
            initial_peers: config.discovery.initial_peers(config.domain_id),
            limits: Limits::default(),
        };
        let paths = Box::new(networks.clone());
        let core = Core {
            engine: Engine::new(engine_config, paths, Nanos(now_ns())),
            sink: Box::new(sink),
            ports,
            matched: HashMap::new(),
            depths: HashMap::new(),
        };
        let driver = Driver::start(sockets, config.discovery.senders(), networks, core)?;
        let shared = Arc::new(ParticipantShared { driver, prefix });
        Ok(Participant { shared })
    }

    /// Returns the GUID of the participant.
    pub fn guid(&self) -> Guid {
        Guid::new(self.shared.prefix, EntityId::PARTICIPANT)
    }

    /// Creates a writer and announces it.
    pub fn create_writer(&self, spec: EndpointSpec) -> Writer {
        let matched = Arc::new(AtomicUsize::new(0));
        let guid = self.shared.driver.call(|core, now| {
            let guid = core.engine.create_writer(Nanos(now), spec);
            core.matched.insert(guid.entity, Arc::clone(&matched));
            guid
        });
        let participant = self.clone();
        Writer {
            participant,
            guid,
            matched,
        }
    }

    /// Creates a reader and announces it. `created` runs before the reader can receive a sample.
    pub fn create_reader(&self, spec: EndpointSpec, created: impl FnOnce(Guid)) -> Reader {
        let depth = match spec.qos.history {
            History::KeepLast(depth) => depth.max(1) as usize,
            History::KeepAll => KEEP_ALL_DEPTH,
        };
        let guid = self.shared.driver.call(|core, now| {
            let guid = core.engine.create_reader(Nanos(now), spec);
            core.depths.insert(guid.entity, depth);
            created(guid);
            guid
        });
        let participant = self.clone();
        Reader { participant, guid }
    }

    /// Leaves the domain. Its endpoints end, and peers notice it at once. Reliable samples that are
    /// not acknowledged yet are completed first, for at most 0.2 s.
    pub fn leave(&self) {
        let end = now_ns() + LINGER_NS;
        while now_ns() < end && self.engine(|engine, _| engine.is_awaited()) {
            std::thread::sleep(LINGER_PERIOD);
        }
        self.engine(|engine, _| engine.leave());
    }

    /// Holds datagrams back until the result is dropped, so that the samples written meanwhile can
    /// share datagrams. A write after more than 0.1 ms sends the datagrams that wait.
    pub fn hold_datagrams(&self) -> impl Sized + use<'_> {
        self.shared.driver.hold_datagrams()
    }

    /// Returns whether every matched reliable reader has acknowledged all samples, and otherwise
    /// requests the acknowledgements. DDS 1.4, 2.2.2.4.1.13 (wait_for_acknowledgments), for all
    /// writers and without the wait.
    pub fn poll_acknowledgments(&self) -> bool {
        self.engine(|engine, now| {
            let is_awaited = engine.is_awaited();
            if is_awaited {
                engine.request_acknowledgments(now);
            }
            !is_awaited
        })
    }

    /// Calls the engine at the current time.
    fn engine<R>(&self, action: impl FnOnce(&mut Engine, Nanos) -> R) -> R {
        let driver = &self.shared.driver;
        driver.call(|core, now| action(&mut core.engine, Nanos(now)))
    }

    fn remove(&self, guid: Guid) {
        self.shared.driver.call(|core, now| {
            core.engine.remove_endpoint(Nanos(now), guid);
            core.matched.remove(&guid.entity);
            core.depths.remove(&guid.entity);
        });
    }

    /// Returns the remote writers that match a reader of this participant.
    pub fn matched_writers(&self, reader: Guid) -> Vec<Guid> {
        self.engine(|engine, _| engine.matched_writers(reader))
    }

    /// Returns the names of the DDS topics and DDS types of all known remote writers.
    pub fn remote_writers(&self) -> Vec<(String, String)> {
        self.engine(|engine, _| engine.remote_writers())
    }

    /// Returns the counters of the protocol and of the sockets, since the start of the participant.
    pub fn counters(&self) -> (Counters, SocketCounters) {
        let protocol = self.engine(|engine, _| engine.counters());
        (protocol, self.shared.driver.counters())
    }
}

/// A writer. Dropping it removes it from the network.
pub struct Writer {
    participant: Participant,
    guid: Guid,
    matched: Arc<AtomicUsize>,
}

impl Writer {
    /// Returns the GUID of the writer.
    pub fn guid(&self) -> Guid {
        self.guid
    }

    /// Returns the number of matched readers.
    pub fn matched(&self) -> usize {
        self.matched.load(Ordering::Relaxed)
    }

    /// Writes a sample with the current time. Never waits for a reader.
    ///
    /// # Errors
    /// The history that keeps all samples is full, or the sample is larger than 4 GiB or shorter
    /// than its encapsulation header.
    pub fn write(&self, sample: OutgoingSample) -> Result<SequenceNumber, WriteError> {
        let stamp = SystemTime::now().duration_since(UNIX_EPOCH);
        let nanos = stamp.unwrap_or_default().as_nanos();
        let stamp = Time::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        self.participant
            .engine(|engine, now| engine.write(now, stamp, self.guid, sample))
    }

    /// Returns the remote readers that will receive the next sample: best-effort readers, and
    /// reliable readers that have answered the writer.
    pub fn ready_readers(&self) -> Vec<Guid> {
        self.participant
            .engine(|engine, _| engine.ready_readers(self.guid))
    }

    /// Returns the number of samples that the writer evicted before every matched reliable reader
    /// acknowledged them.
    pub fn evicted_unacknowledged(&self) -> u64 {
        self.participant
            .engine(|engine, _| engine.evicted_unacknowledged(self.guid))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.participant.remove(self.guid);
    }
}

/// A reader. Dropping it removes it from the network.
pub struct Reader {
    participant: Participant,
    guid: Guid,
}

impl Reader {
    /// Returns the GUID of the reader.
    pub fn guid(&self) -> Guid {
        self.guid
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.participant.remove(self.guid);
    }
}

/// The engine and the data that its events update.
struct Core {
    engine: Engine,
    sink: Box<dyn EventSink>,
    /// Ports of discovery data and of samples.
    ports: (u16, u16),
    matched: HashMap<EntityId, Arc<AtomicUsize>>,
    depths: HashMap<EntityId, usize>,
}

impl Protocol for Core {
    fn handle_datagram(&mut self, now_ns: u64, from: SocketAddr, datagram: Bytes) {
        self.engine.handle_datagram(Nanos(now_ns), from, datagram);
    }

    fn handle_timers(&mut self, now_ns: u64) {
        self.engine.handle_timers(Nanos(now_ns));
    }

    fn next_deadline_ns(&self) -> Option<u64> {
        self.engine.next_deadline().map(|at| at.0)
    }

    fn poll_transmit(&mut self, now_ns: u64) -> Option<Transmit> {
        self.engine.poll_transmit(Nanos(now_ns))
    }

    fn deliver_events(&mut self) {
        while let Some(event) = self.engine.poll_event() {
            match event {
                Event::Sample(sample) => {
                    if let Some(depth) = self.depths.get(&sample.reader.entity) {
                        self.sink.sample(*depth, sample);
                    }
                }
                Event::Matched { local, total, .. } | Event::Unmatched { local, total, .. } => {
                    if let Some(matched) = self.matched.get(&local.entity) {
                        matched.store(total, Ordering::Relaxed);
                    }
                    self.sink.event(event);
                }
                _ => self.sink.event(event),
            }
        }
    }

    fn handle_dropped(&mut self, now_ns: u64) {
        self.engine.announce_soon(Nanos(now_ns));
    }

    fn handle_networks(&mut self, now_ns: u64, networks: &Networks) {
        let (metatraffic, data) = self.ports;
        self.engine.update_paths(
            Nanos(now_ns),
            Box::new(networks.clone()),
            networks.announced(metatraffic),
            networks.announced(data),
        );
    }
}

/// Returns a GUID prefix that no other participant has: the vendor and ten random bytes
/// (RTPS 2.5, 9.3.1.5).
fn new_prefix() -> GuidPrefix {
    // the keys of a new RandomState are random numbers of the operating system
    let [first, second] = [0u8, 1].map(|salt| RandomState::new().hash_one(salt).to_le_bytes());
    let mut prefix = [0; 12];
    let bytes = VendorId::MERROW.0.into_iter().chain(first).chain(second);
    for (target, byte) in prefix.iter_mut().zip(bytes) {
        *target = byte;
    }
    GuidPrefix(prefix)
}

#[cfg(test)]
#[path = "participant_tests.rs"]
mod tests;
