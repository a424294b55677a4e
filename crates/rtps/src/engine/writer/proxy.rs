//! State of one matched reader of a writer (RTPS 2.5, 8.4.7.5).

use std::collections::{BTreeSet, VecDeque};
use std::net::SocketAddr;

use super::answers::Answers;
use crate::engine::config::{MILLIS, Nanos, Path};
use crate::engine::count::CountFilter;
use crate::engine::outgoing::Change;
use crate::wire::*;

/// Bytes that INFO_TS and the HEARTBEAT after the samples occupy [B].
pub(super) const SURROUNDINGS: usize = 12 + 32;

/// The same with the header and INFO_DST [B].
const OVERHEAD: usize = HEADER_SIZE + 16 + SURROUNDINGS;

/// Time for which samples wait until a new volatile reader has answered the first heartbeat [ns].
///
/// Cyclone DDS treats all samples up to the last sample of its first received heartbeat as history;
/// a volatile reader does not request them.
const HOLD: u64 = 200 * MILLIS;

/// Shortest time after a repair in which a request for the same fragment does not repeat it [ns],
/// and the number of repairs that are compared.
///
/// A reader that sends a request for every heartbeat would otherwise receive repairs twice, because
/// its second request and the first repair cross. After this time a reader can have noticed that
/// the repair was lost. On simulated networks with a delay of 1 ms and a loss of 10 %, 2 ms saves
/// 300 of 18,857 repairs without a delay of the samples; 4 ms saves 640 and delays them by 1 ms.
const REPAIR_TIME: u64 = 2 * MILLIS;
const MAX_REPAIRS: usize = 4096;

/// Repairs of the last [`REPAIR_TIME`]. A request for one of them crossed it.
#[derive(Debug, Default)]
pub(super) struct Repairs {
    times: VecDeque<(Nanos, (SequenceNumber, u32))>,
    fragments: BTreeSet<(SequenceNumber, u32)>,
}

impl Repairs {
    /// Notes that a requested fragment is sent.
    pub(super) fn add(&mut self, now: Nanos, at: (SequenceNumber, u32)) {
        if self.fragments.insert(at) {
            self.times.push_back((now, at));
        }
        if self.times.len() > MAX_REPAIRS
            && let Some((_, oldest)) = self.times.pop_front()
        {
            self.fragments.remove(&oldest);
        }
    }

    /// Discards records of repairs older than `delay` [ns], after which a reader may have detected
    /// their loss.
    pub(super) fn forget(&mut self, now: Nanos, delay: u64) {
        let time = REPAIR_TIME.max(delay);
        while let Some((sent, at)) = self.times.front() {
            if now.since(*sent) < time && self.times.len() <= MAX_REPAIRS {
                return;
            }
            self.fragments.remove(at);
            self.times.pop_front();
        }
    }

    /// Returns true if the fragment was repaired a short time ago.
    pub(super) fn contains(&self, at: (SequenceNumber, u32)) -> bool {
        self.fragments.contains(&at)
    }
}

/// A remote reader that matches a local writer.
#[derive(Debug)]
pub(super) struct Proxy {
    pub(super) to: SocketAddr,
    pub(super) path: Path,
    pub(super) reliable: bool,
    pub(super) durable: bool,
    /// Whether samples wait for the answer to the first heartbeat without limit. Discovery data
    /// does, so that a forged announcement cannot direct it to others.
    pub(super) waits: bool,
    /// Time of the match.
    pub(super) added: Nanos,
    /// Time until which no sample is sent.
    pub(super) held: Nanos,
    /// Whether the reader has answered a heartbeat, so that it has discovered the writer.
    pub(super) answered: bool,
    /// First sample that concerns the reader.
    pub(super) first: SequenceNumber,
    /// Every sample below is acknowledged.
    pub(super) unacknowledged: SequenceNumber,
    /// Next sample and fragment (from 1) to send.
    pub(super) next: (SequenceNumber, u32),
    pub(super) requested: BTreeSet<(SequenceNumber, u32)>,
    pub(super) heartbeat_at: Option<Nanos>,
    pub(super) heartbeat_sent: Option<Nanos>,
    /// Time of the last heartbeat that requested an answer.
    pub(super) heartbeat_requested_at: Option<Nanos>,
    pub(super) heartbeat_period: u64,
    pub(super) acknacks: CountFilter,
    pub(super) nack_frags: CountFilter,
    pub(super) repairs: Repairs,
    pub(super) answers: Answers,
}

impl Proxy {
    /// Returns true if samples up to `last` are to be sent to the reader.
    pub(super) fn is_busy(&self, last: SequenceNumber) -> bool {
        self.next.0 <= last || !self.requested.is_empty()
    }

    /// Returns whether the reader is reliable and has not acknowledged all samples up to `last`.
    pub(super) fn is_awaited(&self, last: SequenceNumber) -> bool {
        self.reliable && self.unacknowledged.max(self.first) <= last
    }

    /// Returns whether a part of a sample was sent to the reader: some of its fragments, or, to a
    /// reliable reader, the first sample that it has not acknowledged.
    pub(super) fn is_receiving(&self, number: SequenceNumber) -> bool {
        let first = self.unacknowledged.max(self.first);
        let sent = self.next > (number, 1);
        sent && (self.next.0 == number || self.reliable && first == number)
    }

    /// Returns until when samples are held, or wait for the answer to the first heartbeat, if they
    /// do.
    pub(super) fn held_until(&self, now: Nanos) -> Option<Nanos> {
        let waits = self.reliable && (self.waits || !self.durable) && !self.answered;
        let answer = match (waits, self.waits) {
            (true, true) => Nanos(u64::MAX),
            (true, false) => self.added.plus(HOLD),
            (false, _) => Nanos(0),
        };
        let end = answer.max(self.held);
        (now < end).then_some(end)
    }

    /// Removes the requests for samples before `number`.
    pub(super) fn drop_requests(&mut self, number: SequenceNumber) {
        while self.requested.first().is_some_and(|at| at.0 < number) {
            self.requested.pop_first();
        }
    }

    /// Starts again with a reader that has lost its state. A durable reader receives the samples
    /// from `first`.
    pub(super) fn restart(&mut self, now: Nanos, first: SequenceNumber) {
        (self.added, self.answered) = (now, false);
        self.nack_frags = CountFilter::default();
        self.requested.clear();
        self.repairs = Repairs::default();
        self.answers = Answers::default();
        if self.durable {
            (self.first, self.unacknowledged, self.next) = (first, first, (first, 1));
        }
    }

    /// Returns the number of fragments of `change`, 1 if it fits in one datagram, and their size.
    pub(super) fn division(&self, change: &Change) -> (u32, usize) {
        let inline = change.inline_qos.encoded_len();
        let room = self.path.max_datagram.saturating_sub(OVERHEAD + inline);
        if change.len() + DATA_OVERHEAD + 3 <= room {
            return (1, change.len());
        }
        let size = room.saturating_sub(DATA_FRAG_OVERHEAD).clamp(256, 65_000) & !3;
        let count = change.len().div_ceil(size);
        (u32::try_from(count).unwrap_or(u32::MAX), size)
    }
}
