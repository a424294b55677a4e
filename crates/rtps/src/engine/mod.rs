//! The protocol of one participant without input, output, threads or clock.
//!
//! The caller passes datagrams and the time, sends what [`Engine::poll_transmit`] returns and
//! takes events from [`Engine::poll_event`].

mod assembly;
mod config;
mod discovery;
mod event;
mod matching;
mod outgoing;
mod pace;
mod reader;
mod receive;
#[cfg(test)]
mod tests;
mod writer;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::SocketAddr;

pub use config::{EndpointSpec, EngineConfig, Limits, Nanos, OutgoingSample, Path, Paths};
pub use event::*;

use crate::wire::*;
use discovery::Remote;
use reader::Reader;
use writer::{Buckets, Writer};

/// Upper bound of the datagrams and submessages that wait without pace.
const MAX_CONTROL: usize = 4096;

/// Small submessage that is sent before samples.
type Control = (SocketAddr, GuidPrefix, Submessage);

/// The protocol of one participant.
pub struct Engine {
    config: EngineConfig,
    paths: Box<dyn Paths + Send>,
    writers: BTreeMap<EntityId, Writer>,
    readers: BTreeMap<EntityId, Reader>,
    /// Announcements of the local endpoints.
    local: BTreeMap<EntityId, EndpointData>,
    remotes: BTreeMap<GuidPrefix, Remote>,
    /// Pairs of a local and a remote endpoint that are reported as incompatible.
    incompatible: BTreeSet<(EntityId, Guid)>,
    control: VecDeque<Control>,
    events: VecDeque<Event>,
    buckets: Buckets,
    blocked_until: Option<Nanos>,
    announce_at: Nanos,
    /// Count of further announcements at short distance.
    quick_announcements: u32,
    next_key: u32,
    announcements: i64,
    counters: Counters,
}

impl Engine {
    /// Starts a participant; it announces itself at once.
    pub fn new(config: EngineConfig, paths: Box<dyn Paths + Send>, now: Nanos) -> Engine {
        let mut engine = Engine {
            config,
            paths,
            writers: BTreeMap::new(),
            readers: BTreeMap::new(),
            local: BTreeMap::new(),
            remotes: BTreeMap::new(),
            incompatible: BTreeSet::new(),
            control: VecDeque::new(),
            events: VecDeque::new(),
            buckets: Buckets::new(),
            blocked_until: None,
            announce_at: now,
            quick_announcements: 4,
            next_key: 1,
            announcements: 0,
            counters: Counters::default(),
        };
        engine.create_builtin_endpoints();
        engine
    }

    fn guid(&self, entity: EntityId) -> Guid {
        Guid::new(self.config.guid_prefix, entity)
    }

    fn next_key(&mut self) -> u32 {
        self.next_key += 1;
        self.next_key
    }

    /// Creates a writer and announces it.
    pub fn create_writer(&mut self, now: Nanos, spec: EndpointSpec) -> Guid {
        let key = self.next_key();
        let guid = self.guid(EntityId::user_writer(key, spec.keyed));
        self.writers
            .insert(guid.entity, Writer::new(guid, spec.qos.clone()));
        self.publish_endpoint(now, guid, spec);
        guid
    }

    /// Creates a reader and announces it.
    pub fn create_reader(&mut self, now: Nanos, spec: EndpointSpec) -> Guid {
        let key = self.next_key();
        let guid = self.guid(EntityId::user_reader(key, spec.keyed));
        let reader = Reader::new(guid, spec.qos.clone(), self.config.limits);
        self.readers.insert(guid.entity, reader);
        self.publish_endpoint(now, guid, spec);
        guid
    }

    /// Removes an endpoint and announces the removal to the peers.
    pub fn remove_endpoint(&mut self, now: Nanos, guid: Guid) {
        if self.local.remove(&guid.entity).is_some() {
            self.writers.remove(&guid.entity);
            self.readers.remove(&guid.entity);
            self.incompatible.retain(|(local, _)| *local != guid.entity);
            self.retract_endpoint(now, guid);
        }
    }

    /// Writes a sample.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such writer or it cannot store the sample.
    pub fn write(
        &mut self,
        now: Nanos,
        source_timestamp: Time,
        writer: Guid,
        sample: OutgoingSample,
    ) -> Result<SequenceNumber, WriteError> {
        let writer = self.writers.get_mut(&writer.entity);
        let writer = writer.ok_or(WriteError::UnknownWriter)?;
        let inline_qos = InlineQos {
            related: sample.related,
            ..InlineQos::default()
        };
        writer.write(
            now,
            source_timestamp,
            Payload::Data(sample.payload),
            inline_qos,
        )
    }

    /// Processes timers that are due.
    pub fn handle_timers(&mut self, now: Nanos) {
        if self.blocked_until.is_some_and(|at| at <= now) {
            self.blocked_until = None;
        }
        if self.announce_at <= now {
            self.announce(now);
        }
        self.expire_participants(now);
        let heartbeats: Vec<_> = self
            .writers
            .values_mut()
            .flat_map(|w| w.heartbeats(now))
            .collect();
        for (to, prefix, heartbeat) in heartbeats {
            self.send(to, prefix, Submessage::Heartbeat(heartbeat));
        }
        let responses: Vec<_> = self
            .readers
            .values_mut()
            .flat_map(|r| r.responses(now))
            .collect();
        for (to, prefix, submessage) in responses {
            self.send(to, prefix, submessage);
        }
    }

    /// Returns the time of the next timer.
    pub fn next_deadline(&self) -> Option<Nanos> {
        let writers = self.writers.values().filter_map(Writer::deadline);
        let readers = self.readers.values().filter_map(Reader::deadline);
        let leases = self.remotes.values().filter_map(Remote::lost_at);
        let own = [Some(self.announce_at), self.blocked_until];
        let own = own.into_iter().flatten();
        writers.chain(readers).chain(leases).chain(own).min()
    }

    /// Queues a small submessage; over the bound it is dropped and the protocol repeats it.
    fn send(&mut self, to: SocketAddr, prefix: GuidPrefix, submessage: Submessage) {
        if self.control.len() < MAX_CONTROL {
            self.control.push_back((to, prefix, submessage));
        }
    }

    /// Returns the next datagram that may be sent now.
    pub fn poll_transmit(&mut self, now: Nanos) -> Option<Transmit> {
        if let Some(transmit) = self.poll_control() {
            return Some(transmit);
        }
        self.blocked_until = None;
        for writer in self.writers.values_mut() {
            match writer.poll(now, &mut self.buckets) {
                Ok(Some(transmit)) => return Some(transmit),
                Ok(None) => {}
                Err(at) => {
                    let earlier = self.blocked_until.map_or(at, |earlier| earlier.min(at));
                    self.blocked_until = Some(earlier);
                }
            }
        }
        None
    }

    fn poll_control(&mut self) -> Option<Transmit> {
        let (to, prefix, submessage) = self.control.pop_front()?;
        let mut builder = MessageBuilder::new(self.config.guid_prefix);
        if prefix != GuidPrefix::UNKNOWN {
            builder.info_destination(prefix);
        }
        append(&mut builder, &submessage);
        // ACKNACK, the largest of the submessages that share a datagram, has less than 100 B.
        let room = self.paths.path(to).max_datagram.saturating_sub(100);
        while builder.len() < room {
            let same = |next: &Control| {
                (next.0, next.1) == (to, prefix) && !matches!(next.2, Submessage::Data(_))
            };
            if !self.control.front().is_some_and(same) {
                break;
            }
            let Some((_, _, next)) = self.control.pop_front() else {
                break;
            };
            append(&mut builder, &next);
        }
        let parts = builder.finish();
        Some(Transmit { to, parts })
    }

    /// Returns the next event.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Returns the counters of a local writer.
    pub fn writer_counters(&self, guid: Guid) -> Option<WriterCounters> {
        self.writers.get(&guid.entity).map(Writer::counters)
    }

    /// Returns the counters of a local reader.
    pub fn reader_counters(&self, guid: Guid) -> Option<ReaderCounters> {
        self.readers.get(&guid.entity).map(Reader::counters)
    }

    /// Returns the counters of the participant.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Returns whether a local and a remote endpoint match.
    pub fn is_matched(&self, local: Guid, remote: Guid) -> bool {
        let writer = self.writers.get(&local.entity);
        let reader = self.readers.get(&local.entity);
        writer.is_some_and(|writer| writer.is_matched(remote))
            || reader.is_some_and(|reader| reader.is_matched(remote))
    }
}

/// Appends one of the submessages that [`Engine::send`] queues.
fn append(builder: &mut MessageBuilder, submessage: &Submessage) {
    match submessage {
        Submessage::Data(data) => builder.data(data),
        Submessage::Heartbeat(heartbeat) => builder.heartbeat(heartbeat),
        Submessage::AckNack(acknack) => builder.acknack(acknack),
        Submessage::NackFrag(nack) => builder.nack_frag(nack),
        _ => {}
    }
}
