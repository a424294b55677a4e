//! The protocol of one participant without input, output, threads or clock (RTPS 2.5, 8.4, 8.5).
//!
//! The caller passes datagrams and the time, sends the datagrams that [`Engine::poll_transmit`]
//! returns and takes events from [`Engine::poll_event`].

mod assembly;
mod config;
mod count;
mod discovery;
mod event;
mod group;
mod matching;
mod memory;
mod outgoing;
mod pace;
mod ranges;
mod reader;
mod receive;
mod schedule;
#[cfg(test)]
pub(crate) mod tests;
mod writer;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::net::SocketAddr;

use bytes::Bytes;

pub use config::{
    EndpointSpec, EngineConfig, Limits, Nanos, OutgoingSample, Path, Paths, ReaderFilter,
};
pub use event::*;

use crate::qos::Policy;
use crate::wire::*;
use discovery::{Lost, Remote};
use memory::{Excess, Shares};
use reader::Reader;
use schedule::{Timers, Turns};
use writer::{Buckets, Destination, Writer};

/// Upper bound of the datagrams and submessages that wait without pace.
const MAX_CONTROL: usize = 4096;

/// Room in a datagram below which it is sent without samples of further writers [B].
const MIN_ROOM: usize = 256;

/// Size of the encapsulation header, with which every payload starts (RTPS 2.5, 10.2) [B].
const ENCAPSULATION_BYTES: usize = 4;

/// Padding of an announcement to all [B]. An answer with a destination and a longer name is then
/// not larger than the announcement, see [`Engine::may_send`].
const ANSWER_ROOM: usize = 80;

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
    /// Local endpoints of each topic.
    topics: HashMap<String, Vec<EntityId>>,
    /// Readers that match each remote writer.
    routes: HashMap<Guid, Vec<EntityId>>,
    /// Heartbeats and responses of the endpoints.
    timers: Timers,
    /// Writers with samples to send.
    turns: Turns,
    remotes: BTreeMap<GuidPrefix, Remote>,
    lost: Vec<Lost>,
    /// Unverified participants that others replaced, the oldest first.
    displaced: VecDeque<Lost>,
    /// Pairs of a remote and a local endpoint that are reported as incompatible.
    incompatible: BTreeSet<(Guid, EntityId)>,
    /// Times of the last reports of local endpoints that do not match because of a policy.
    reported: HashMap<(EntityId, Policy), Nanos>,
    /// Size of the samples that all writers keep over their depth.
    excess: Excess,
    /// Endpoints whose state a datagram has changed.
    touched: BTreeSet<EntityId>,
    /// Size of the announcements of all remote endpoints [B].
    announcement_bytes: usize,
    /// Shares of the participants in the memory that readers hold.
    shares: Shares,
    control: VecDeque<Control>,
    events: VecDeque<Event>,
    buckets: Buckets,
    blocked_until: Option<Nanos>,
    announce_at: Nanos,
    /// Time of the next assertion of liveliness.
    assert_at: Option<Nanos>,
    /// Not later than the next lease that ends and the next announcement to a silent peer.
    peers_at: Nanos,
    /// Number of further announcements at short distance.
    quick_announcements: u32,
    /// Time of an additional announcement to the groups.
    extra_at: Option<Nanos>,
    next_key: u32,
    has_left: bool,
    /// Sequence number of the last announcement, and number of announcements to all.
    announcements: i64,
    rounds: u32,
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
            topics: HashMap::new(),
            routes: HashMap::new(),
            timers: Timers::default(),
            turns: Turns::default(),
            remotes: BTreeMap::new(),
            lost: Vec::new(),
            displaced: VecDeque::new(),
            incompatible: BTreeSet::new(),
            reported: HashMap::new(),
            excess: Excess::default(),
            touched: BTreeSet::new(),
            announcement_bytes: 0,
            shares: Shares::default(),
            control: VecDeque::new(),
            events: VecDeque::new(),
            buckets: Buckets::new(),
            blocked_until: None,
            announce_at: now,
            assert_at: None,
            peers_at: now,
            quick_announcements: 4,
            extra_at: None,
            next_key: 1,
            has_left: false,
            announcements: 0,
            rounds: 0,
            counters: Counters::default(),
        };
        engine.create_builtin_endpoints();
        engine
    }

    fn guid(&self, entity: EntityId) -> Guid {
        Guid::new(self.config.guid_prefix, entity)
    }

    /// Returns a key that no local endpoint has; entity identifiers hold its low 24 bits.
    fn next_key(&mut self) -> u32 {
        loop {
            self.next_key = (self.next_key + 1) & 0xff_ffff;
            let key = self.next_key;
            let is_used = self.local.contains_key(&EntityId::user_writer(key))
                || self.local.contains_key(&EntityId::user_reader(key));
            if key != 0 && !is_used {
                return key;
            }
        }
    }

    /// Creates a writer and announces it to all participants. After the participant has left, the
    /// returned GUID has no writer.
    pub fn create_writer(&mut self, now: Nanos, spec: EndpointSpec) -> Guid {
        let key = self.next_key();
        let guid = self.guid(EntityId::user_writer(key));
        if self.has_left {
            return guid;
        }
        let writer = Writer::new(guid, spec.qos.clone(), spec.accepts, &self.excess);
        self.writers.insert(guid.entity, writer);
        if self.liveliness_period().is_some() {
            self.assert_liveliness(now);
        }
        self.publish_endpoint(now, guid, spec);
        guid
    }

    /// Creates a reader and announces it. After the participant has left, the returned GUID has no
    /// reader.
    pub fn create_reader(&mut self, now: Nanos, spec: EndpointSpec) -> Guid {
        let key = self.next_key();
        let guid = self.guid(EntityId::user_reader(key));
        if self.has_left {
            return guid;
        }
        let reader = Reader::new(guid, spec.qos.clone(), self.config.limits);
        self.readers.insert(guid.entity, reader);
        self.publish_endpoint(now, guid, spec);
        guid
    }

    /// Removes an endpoint and announces the removal to the peers.
    pub fn remove_endpoint(&mut self, now: Nanos, guid: Guid) {
        if let Some(data) = self.local.remove(&guid.entity) {
            if let Some(same) = self.topics.get_mut(&data.topic_name) {
                same.retain(|entity| *entity != guid.entity);
                if same.is_empty() {
                    self.topics.remove(&data.topic_name);
                }
            }
            self.writers.remove(&guid.entity);
            if let Some(reader) = self.readers.remove(&guid.entity) {
                self.counters.skipped_samples += reader.skipped;
            }
            self.timers.set(guid.entity, None);
            self.routes.retain(|_, readers| {
                readers.retain(|reader| *reader != guid.entity);
                !readers.is_empty()
            });
            self.incompatible.retain(|(_, local)| *local != guid.entity);
            self.reported.retain(|(local, _), _| *local != guid.entity);
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
        let entity = writer.entity;
        let writer = self.writers.get_mut(&entity);
        let writer = writer.ok_or(WriteError::UnknownWriter)?;
        if sample.payload.len() < ENCAPSULATION_BYTES {
            return Err(WriteError::TooShort);
        }
        let inline_qos = InlineQos {
            related: sample.related,
            ..InlineQos::default()
        };
        let payload = Payload::Data(sample.payload);
        let written = writer.write(now, source_timestamp, payload, inline_qos);
        self.reschedule(entity);
        written
    }

    /// Updates the timer and the turn of a local endpoint after a change of its state.
    fn reschedule(&mut self, entity: EntityId) {
        if let Some(writer) = self.writers.get(&entity) {
            self.timers.set(entity, writer.deadline());
            if writer.is_sending() {
                self.turns.push(entity);
            }
        } else {
            let reader = self.readers.get(&entity);
            self.timers.set(entity, reader.and_then(Reader::deadline));
        }
    }

    /// Processes timers that are due.
    pub fn handle_timers(&mut self, now: Nanos) {
        if self.blocked_until.is_some_and(|at| at <= now) {
            self.blocked_until = None;
        }
        if self.announce_at <= now {
            self.announce(now);
        }
        if self.extra_at.is_some_and(|at| at <= now) {
            self.extra_at = None;
            self.announce_to_groups();
        }
        if self.assert_at.is_some_and(|at| at <= now) {
            self.assert_liveliness(now);
        }
        if self.peers_at <= now {
            self.check_peers(now);
        }
        while let Some(entity) = self.timers.pop(now) {
            let submessages = if let Some(writer) = self.writers.get_mut(&entity) {
                writer.heartbeats(now)
            } else if let Some(reader) = self.readers.get_mut(&entity) {
                reader.responses(now)
            } else {
                Vec::new()
            };
            for (to, prefix, submessage) in submessages {
                self.send(to, prefix, submessage);
            }
            self.reschedule(entity);
        }
    }

    /// Returns the time of the next timer.
    pub fn next_deadline(&self) -> Option<Nanos> {
        let has_peers = !(self.remotes.is_empty() && self.lost.is_empty());
        let peers = has_peers.then_some(self.peers_at);
        let all = [
            Some(self.announce_at),
            self.extra_at,
            self.assert_at,
            peers,
            self.blocked_until,
            self.timers.next(),
        ];
        all.into_iter().flatten().min()
    }

    /// Queues a small submessage; over the bound it is dropped and the protocol repeats it.
    fn send(&mut self, to: SocketAddr, prefix: GuidPrefix, submessage: Submessage) {
        if self.control.len() < MAX_CONTROL {
            self.control.push_back((to, prefix, submessage));
        }
    }

    /// Returns the next datagram that may be sent now.
    pub fn poll_transmit(&mut self, now: Nanos) -> Option<Transmit> {
        while let Some((transmit, prefix)) = self.poll_control() {
            if self.may_send(&transmit, prefix) {
                return Some(transmit);
            }
        }
        self.blocked_until = None;
        // Each writer has one turn, so that a large sample does not delay small samples of other
        // writers.
        for _ in 0..self.turns.len() {
            let entity = self.turns.pop()?;
            let Some(writer) = self.writers.get_mut(&entity) else {
                continue;
            };
            let mut builder = MessageBuilder::new(self.config.guid_prefix);
            match writer.poll(now, &mut self.buckets, &mut builder) {
                Ok(Some(to)) => {
                    self.reschedule(entity);
                    return Some(self.complete(now, &to, builder));
                }
                Ok(None) => {}
                Err(at) => {
                    self.turns.push(entity);
                    let earlier = self.blocked_until.map_or(at, |earlier| earlier.min(at));
                    self.blocked_until = Some(earlier);
                }
            }
        }
        None
    }

    /// Appends the samples of other writers for the same participant, so that many small samples
    /// share a datagram.
    fn complete(&mut self, now: Nanos, to: &Destination, mut builder: MessageBuilder) -> Transmit {
        for _ in 0..self.turns.len() {
            if builder.is_full() || builder.len() + MIN_ROOM > to.max_datagram {
                break;
            }
            let Some(entity) = self.turns.pop() else {
                break;
            };
            if let Some(writer) = self.writers.get_mut(&entity) {
                writer.append(now, to, &mut builder);
            }
            self.reschedule(entity);
        }
        if let Some(bucket) = self.buckets.get_mut(&to.to) {
            bucket.consume(builder.len(), to.is_best_effort);
        }
        Transmit {
            to: to.to,
            parts: builder.finish(),
            is_verified: self.is_verified(to.prefix),
        }
    }

    /// Returns true if a control message may be sent to `prefix`.
    ///
    /// Amplification limit: an unverified participant is sent at most as many bytes as were
    /// received from it. Announcements to groups and initial peers have no destination.
    fn may_send(&mut self, transmit: &Transmit, prefix: GuidPrefix) -> bool {
        if prefix == GuidPrefix::UNKNOWN {
            return true;
        }
        let Some(remote) = self.remotes.get_mut(&prefix) else {
            return self.was_verified(prefix);
        };
        if transmit.is_verified {
            return true;
        }
        let bytes: usize = transmit.parts.iter().map(Bytes::len).sum();
        let left = remote.credit.checked_sub(bytes);
        remote.credit = left.unwrap_or(remote.credit);
        left.is_some()
    }

    /// Returns the next control message and its destination.
    fn poll_control(&mut self) -> Option<(Transmit, GuidPrefix)> {
        let (to, prefix, submessage) = self.control.pop_front()?;
        let mut builder = MessageBuilder::new(self.config.guid_prefix);
        if prefix != GuidPrefix::UNKNOWN {
            builder.info_destination(prefix);
        }
        append(&mut builder, &submessage);
        if prefix == GuidPrefix::UNKNOWN {
            builder.pad(ANSWER_ROOM);
        }
        // ACKNACK, the largest of the submessages that share a datagram, has less than 100 B.
        let limit = self.paths.path(to).max_datagram;
        let remote = self.remotes.get(&prefix).filter(|remote| !remote.verified);
        let room = remote.map_or(limit, |remote| limit.min(remote.credit));
        let room = room.saturating_sub(100);
        while builder.len() < room && !builder.is_full() {
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
        let is_announced = prefix == GuidPrefix::UNKNOWN || self.was_verified(prefix);
        let transmit = Transmit {
            to,
            parts: builder.finish(),
            is_verified: is_announced || self.is_verified(prefix),
        };
        Some((transmit, prefix))
    }

    /// Removes and returns the oldest event; `None` without events.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Returns the number of samples that a local writer evicted before every matched reliable
    /// reader acknowledged them; zero if the writer does not exist.
    pub fn evicted_unacknowledged(&self, writer: Guid) -> u64 {
        let writer = self.writers.get(&writer.entity);
        writer.map_or(0, |writer| writer.evicted_unacknowledged)
    }

    /// Returns true if a reader has not acknowledged all reliable samples of the local writers.
    pub fn is_awaited(&self) -> bool {
        let user = self.writers.iter().filter(|(id, _)| !id.is_builtin());
        user.map(|(_, writer)| writer)
            .any(Writer::is_unacknowledged)
    }

    /// Requests the acknowledgements that [`Engine::is_awaited`] waits for.
    pub fn request_acknowledgments(&mut self, now: Nanos) {
        let awaited = self.writers.iter_mut();
        let awaited = awaited.filter(|(id, writer)| !id.is_builtin() && writer.is_unacknowledged());
        let ids: Vec<EntityId> = awaited
            .map(|(id, writer)| {
                writer.request_acknowledgments(now);
                *id
            })
            .collect();
        ids.into_iter().for_each(|id| self.reschedule(id));
    }

    /// Returns the counters of the participant. Skipped samples include the samples of removed
    /// readers.
    pub fn counters(&self) -> Counters {
        let readers = self.readers.values().map(|reader| reader.skipped);
        let skipped_samples = self.counters.skipped_samples + readers.sum::<u64>();
        Counters {
            skipped_samples,
            ..self.counters
        }
    }

    /// Returns true if a local and a remote endpoint match.
    pub fn is_matched(&self, local: Guid, remote: Guid) -> bool {
        let writer = self.writers.get(&local.entity);
        let reader = self.readers.get(&local.entity);
        writer.is_some_and(|writer| writer.is_matched(remote))
            || reader.is_some_and(|reader| reader.is_matched(remote))
    }

    /// Returns the remote readers that will receive the next sample of a local writer. Reliable
    /// readers count only after their first ACKNACK, which proves that they match the writer.
    pub fn ready_readers(&self, writer: Guid) -> Vec<Guid> {
        let writer = self.writers.get(&writer.entity);
        writer.map_or_else(Vec::new, Writer::ready_readers)
    }

    /// Returns the names of the DDS topics and DDS types of all known remote writers.
    pub fn remote_writers(&self) -> Vec<(String, String)> {
        let endpoints = self.remotes.values().flat_map(|r| r.endpoints.iter());
        endpoints
            .filter(|(id, _)| id.is_writer() && !id.is_builtin())
            .map(|(_, data)| (data.topic_name.clone(), data.type_name.clone()))
            .collect()
    }

    /// Returns the remote writers that match a local reader.
    pub fn matched_writers(&self, reader: Guid) -> Vec<Guid> {
        let reader = self.readers.get(&reader.entity);
        reader.map_or_else(Vec::new, Reader::matched_writers)
    }
}

/// Appends one of the submessages that [`Engine::send`] queues.
fn append(builder: &mut MessageBuilder, submessage: &Submessage) {
    match submessage {
        Submessage::Data(data) => builder.data(data),
        Submessage::Heartbeat(heartbeat) => builder.fixed(heartbeat),
        Submessage::AckNack(acknack) => builder.fixed(acknack),
        Submessage::NackFrag(nack) => builder.fixed(nack),
        _ => {}
    }
}
