//! Stateful writer: history, state of each matched reader, repairs (RTPS 2.5, 8.4.7 to 8.4.9).
//!
//! A sample that fits in one datagram counts as one fragment.

mod answers;
mod heartbeats;
mod history;
mod proxy;
mod requests;
mod send;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::net::SocketAddr;

use crate::engine::config::{MILLIS, Nanos, Path, ReaderFilter};
use crate::engine::count::CountFilter;
use crate::engine::group::{Added, MAX_GROUP, group_of};
use crate::engine::memory::Excess;
use crate::engine::outgoing::Change;
use crate::engine::pace::Bucket;
use crate::qos::{Durability, Qos};
use crate::wire::*;
use answers::Answers;
use proxy::{Proxy, Repairs};

/// First and last period of heartbeats without progress [ns].
const HEARTBEAT_PERIOD: (u64, u64) = (10 * MILLIS, 200 * MILLIS);

/// Shortest time between heartbeats while samples are still to be sent [ns].
///
/// Fast DDS answers 5 ms after the last heartbeat, so that one in every datagram would delay the
/// requests for lost fragments until the end of the stream.
pub(super) const HEARTBEAT_SPACING: u64 = 8 * MILLIS;

/// Period of heartbeats that request an answer while samples are sent [ns]. The others are final: a
/// reader without missing samples does not answer them.
pub(super) const ANSWER_PERIOD: u64 = 50 * MILLIS;

/// Shortest time between heartbeats that a caller requests [ns]: an answer takes about 1 ms.
const REQUESTED_SPACING: u64 = 2 * MILLIS;

/// Bounds of the samples over the depth that a writer keeps because a reliable reader has not
/// acknowledged them: count and size [B].
///
/// KEEP_LAST permits dropping them. Readers that are briefly late would then lose samples of a
/// burst, such as many steps in lock-step.
pub(super) const UNACKNOWLEDGED: (usize, usize) = (8192, 16 << 20);

/// Bound of these samples of all writers of the participant [B].
pub(super) const UNACKNOWLEDGED_TOTAL: usize = 256 << 20;

/// Samples that are not evicted because they are being sent: count, and time since they were
/// written [ns]. Without them a reader would receive no sample if sending one takes longer than the
/// history lasts.
pub(super) const PROTECTED: (usize, u64) = (4, 2000 * MILLIS);

/// Maximum number of fragments that one reader can have requested and that wait to be sent, and
/// maximum number that all readers of a writer can request at one instant. All submessages of a
/// datagram are processed at one instant.
pub(super) const MAX_REQUESTS: usize = 1 << 17;

/// Participant to which a datagram goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Destination {
    pub(super) to: SocketAddr,
    pub(super) prefix: GuidPrefix,
    pub(super) max_datagram: usize,
    /// Whether the reader does not request lost samples.
    pub(super) is_best_effort: bool,
}

/// Buckets of all destinations.
pub(super) type Buckets = HashMap<SocketAddr, Bucket>;

/// A local writer, its history and its matched readers.
#[derive(Debug)]
pub(super) struct Writer {
    guid: Guid,
    qos: Qos,
    /// Selects the readers that may match.
    accepts: ReaderFilter,
    history: VecDeque<Change>,
    /// Number of disposals that were written to the history and not dropped since.
    disposals: usize,
    /// Size of the history [B], and of its samples over the depth.
    bytes: usize,
    excess: Excess,
    last: SequenceNumber,
    proxies: BTreeMap<Guid, Proxy>,
    count: i32,
    /// Number of the fragments that were requested at one instant, and the instant.
    requests: (Nanos, usize),
    /// Samples evicted before every matched reliable reader acknowledged them.
    pub(super) evicted_unacknowledged: u64,
}

impl Writer {
    pub(super) fn new(guid: Guid, qos: Qos, accepts: ReaderFilter, excess: &Excess) -> Writer {
        Writer {
            guid,
            qos,
            accepts,
            history: VecDeque::new(),
            disposals: 0,
            bytes: 0,
            excess: excess.clone(),
            last: SequenceNumber(0),
            proxies: BTreeMap::new(),
            count: 0,
            requests: (Nanos(0), 0),
            evicted_unacknowledged: 0,
        }
    }

    /// Returns whether a reader of a participant of `vendor` may match.
    pub(super) fn accepts(&self, reader: &EndpointData, vendor: VendorId) -> bool {
        (self.accepts)(reader, vendor)
    }

    pub(super) fn qos(&self) -> &Qos {
        &self.qos
    }

    pub(super) fn matched(&self) -> usize {
        self.proxies.len()
    }

    pub(super) fn is_matched(&self, reader: Guid) -> bool {
        self.proxies.contains_key(&reader)
    }

    /// Returns the readers that will receive the next sample.
    pub(super) fn ready_readers(&self) -> Vec<Guid> {
        let ready = |p: &Proxy| !p.reliable || p.answered;
        let ready = self.proxies.iter().filter(|(_, proxy)| ready(proxy));
        ready.map(|(guid, _)| *guid).collect()
    }

    /// Returns true if samples are to be sent.
    pub(super) fn is_sending(&self) -> bool {
        self.proxies.values().any(|proxy| proxy.is_busy(self.last))
    }

    /// Returns true if a reliable reader has not acknowledged all samples.
    pub(super) fn is_unacknowledged(&self) -> bool {
        self.proxies.values().any(|p| p.is_awaited(self.last))
    }

    fn first(&self) -> SequenceNumber {
        let first = self.history.front().map(|change| change.number);
        first.unwrap_or(self.last.next())
    }

    fn change(&self, number: SequenceNumber) -> Option<&Change> {
        let index = self.history.binary_search_by_key(&number, |c| c.number);
        index.ok().and_then(|index| self.history.get(index))
    }

    /// Adds a reader or moves a known reader to another destination.
    pub(super) fn add(
        &mut self,
        now: Nanos,
        reader: Guid,
        qos: &Qos,
        to: SocketAddr,
        path: Path,
    ) -> Added {
        let durable = qos.durability >= Durability::TransientLocal
            && self.qos.durability >= Durability::TransientLocal;
        let reliable = qos.is_reliable() && self.qos.is_reliable();
        let other = |proxy: &Proxy| (proxy.durable, proxy.reliable) != (durable, reliable);
        if self.proxies.get(&reader).is_some_and(other) {
            self.remove(reader);
        }
        if let Some(proxy) = self.proxies.get_mut(&reader) {
            if proxy.path.max_datagram != path.max_datagram {
                // the sample in progress is divided again
                proxy.requested.clear();
                proxy.repairs = Repairs::default();
                proxy.next.1 = 1;
            }
            (proxy.to, proxy.path) = (to, path);
            return Added::Known;
        }
        if self.of_participant(reader.prefix).count() >= MAX_GROUP {
            return Added::TooMany;
        }
        let first = if durable {
            self.first_for_late_readers()
        } else {
            self.last.next()
        };
        let proxy = Proxy {
            to,
            path,
            reliable,
            durable,
            waits: self.guid.entity.is_builtin(),
            added: now,
            held: Nanos(0),
            answered: false,
            first,
            unacknowledged: first,
            next: (first, 1),
            requested: BTreeSet::new(),
            heartbeat_at: reliable.then_some(now),
            heartbeat_sent: None,
            heartbeat_requested_at: None,
            heartbeat_period: HEARTBEAT_PERIOD.0,
            acknacks: CountFilter::default(),
            nack_frags: CountFilter::default(),
            repairs: Repairs::default(),
            answers: Answers::default(),
        };
        self.proxies.insert(reader, proxy);
        Added::New
    }

    /// Sends no sample to a reader before a time.
    pub(super) fn hold(&mut self, reader: Guid, until: Nanos) {
        if let Some(proxy) = self.proxies.get_mut(&reader) {
            proxy.held = until;
        }
    }

    /// Returns the first sample that a durable reader receives when it matches.
    fn first_for_late_readers(&self) -> SequenceNumber {
        match self.depth() {
            None => self.first(),
            Some(depth) => {
                let older = self.history.len().saturating_sub(depth);
                let oldest = self.history.get(older);
                oldest.map_or(self.last.next(), |change| change.number)
            }
        }
    }

    pub(super) fn remove(&mut self, reader: Guid) -> bool {
        let removed = self.proxies.remove(&reader).is_some();
        if removed {
            self.drop_acknowledged();
        }
        removed
    }

    /// Returns the matched readers of one participant.
    fn of_participant(&self, prefix: GuidPrefix) -> impl Iterator<Item = (&Guid, &Proxy)> {
        self.proxies.range(group_of(prefix))
    }
}
