//! State of remote participants: lease, verification, and announcements to participants that do not
//! answer (RTPS 2.5, 8.5.3.2).

use super::participants::ANNOUNCE_PERIOD;
use super::{Lost, QUICK_PERIOD, Remote};
use crate::engine::Engine;
use crate::engine::config::{MILLIS, Nanos};
use crate::engine::pace::Bucket;
use crate::wire::*;

/// Longest period of announcements to a participant that has not answered [ns].
const MAX_SILENT_PERIOD: u64 = 3000 * MILLIS;

/// Time without a datagram after which a participant counts as silent [ns].
const SILENCE: u64 = 1000 * MILLIS;

/// Period of announcements to participants whose lease ended, the time over which they are sent
/// [ns], and the number of such participants.
const LOST_PERIOD: u64 = 500 * MILLIS;
const LOST_TIME: u64 = 120_000 * MILLIS;
const MAX_LOST: usize = 256;

impl Engine {
    /// Records that a participant receives the messages of the local participant, and matches its
    /// endpoints.
    pub(in crate::engine) fn verify(&mut self, now: Nanos, prefix: GuidPrefix) {
        let Some(remote) = self.remotes.get_mut(&prefix) else {
            return;
        };
        if !std::mem::replace(&mut remote.verified, true) {
            remote.share.verify();
            if remote.is_incomplete {
                self.request_again(now, prefix);
            }
            self.match_participant(now, prefix);
        }
    }

    /// Allows as many bytes to an unverified participant as arrived from it.
    pub(in crate::engine) fn add_credit(&mut self, prefix: GuidPrefix, bytes: usize) {
        let remote = self.remotes.get_mut(&prefix);
        if let Some(remote) = remote.filter(|remote| !remote.verified) {
            remote.credit += bytes;
        }
    }

    /// Returns true if a participant has addressed a message to the local participant.
    pub(in crate::engine) fn is_verified(&self, prefix: GuidPrefix) -> bool {
        let remote = self.remotes.get(&prefix);
        remote.is_some_and(|remote| remote.verified)
    }

    /// Returns true if a participant was verified before its lease ended.
    pub(in crate::engine) fn was_verified(&self, prefix: GuidPrefix) -> bool {
        self.lost.iter().any(|lost| lost.data.prefix == prefix)
    }

    /// Returns true if no datagram of a participant arrived for a while.
    pub(in crate::engine) fn is_silent(&self, now: Nanos, prefix: GuidPrefix) -> bool {
        let remote = self.remotes.get(&prefix);
        remote.is_some_and(|remote| now.since(remote.last_received) > SILENCE)
    }

    /// Requests heartbeats of all writers of a participant that was silent.
    pub(in crate::engine) fn greet(&mut self, now: Nanos, prefix: GuidPrefix) {
        let routes = self.routes.iter();
        let routes = routes.filter(|(writer, _)| writer.prefix == prefix);
        for (writer, readers) in routes {
            for entity in readers {
                if let Some(reader) = self.readers.get_mut(entity) {
                    reader.greet(now, *writer);
                    self.timers.set(*entity, reader.deadline());
                }
            }
        }
    }

    /// Records that a participant is alive.
    pub(in crate::engine) fn refresh(&mut self, now: Nanos, prefix: GuidPrefix) {
        if let Some(remote) = self.remotes.get_mut(&prefix) {
            remote.last_received = now;
        }
    }

    /// Records that a participant has discovered the local one.
    pub(in crate::engine) fn note_answer(&mut self, prefix: GuidPrefix) {
        if let Some(remote) = self.remotes.get_mut(&prefix) {
            remote.answered = true;
        }
    }

    /// Ends leases that are due and announces the participant to peers that do not answer yet,
    /// because all announcements to them may have been lost.
    pub(in crate::engine) fn check_peers(&mut self, now: Nanos) {
        let lost = |remote: &Remote| remote.lost_at() <= now;
        let expired = self.remotes.iter().filter(|(_, remote)| lost(remote));
        let expired = expired.map(|(prefix, remote)| {
            let to = remote.destination(&*self.paths);
            let lost = to.filter(|_| remote.verified).map(|to| Lost {
                to,
                source: remote.source,
                data: remote.data.clone(),
                since: now,
            });
            (*prefix, lost)
        });
        for (prefix, lost) in expired.collect::<Vec<_>>() {
            self.lose(prefix);
            self.lost.extend(lost);
        }
        self.request_refused(now);
        let idle = |bucket: &Bucket| bucket.is_idle(now);
        self.buckets.retain(|_, bucket| !idle(bucket));
        let mut silent = Vec::new();
        let mut next = now.plus(ANNOUNCE_PERIOD);
        let first = self.lost.len().saturating_sub(MAX_LOST);
        self.lost.drain(..first);
        self.lost.retain(|lost| now.since(lost.since) < LOST_TIME);
        if !self.lost.is_empty() {
            next = now.plus(LOST_PERIOD);
            silent.extend(self.lost.iter().map(|lost| (lost.to, lost.data.prefix)));
        }
        for (prefix, remote) in &mut self.remotes {
            next = remote.lost_at().min(next);
            if remote.answered {
                continue;
            }
            if remote.announce_at <= now {
                remote.announce_at = now.plus(remote.announce_period);
                remote.announce_period = (2 * remote.announce_period).min(MAX_SILENT_PERIOD);
                let to = remote.destination(&*self.paths);
                silent.extend(to.map(|to| (to, *prefix)));
            }
            next = next.min(remote.announce_at);
        }
        self.peers_at = next;
        for (to, prefix) in silent {
            self.announce_to(to, prefix);
        }
    }

    /// Answers a participant that announces itself to the local participant because its lease of
    /// the local participant ended.
    pub(in crate::engine) fn answer_lost(&mut self, now: Nanos, prefix: GuidPrefix) {
        let Some(remote) = self.remotes.get_mut(&prefix) else {
            return;
        };
        let to = remote.destination(&*self.paths);
        if let Some(to) = to.filter(|_| now.since(remote.announced) > QUICK_PERIOD) {
            remote.announced = now;
            self.announce_to(to, prefix);
        }
    }
}
