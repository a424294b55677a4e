//! Acknowledgements and repair requests of readers (RTPS 2.5, 8.4.9.3 and 8.4.14.2).

use std::net::SocketAddr;

use super::{HEARTBEAT_PERIOD, HEARTBEAT_SPACING, MAX_REQUESTS, Writer};
use crate::engine::config::Nanos;
use crate::engine::pace::Losses;
use crate::wire::*;

impl Writer {
    /// Processes ACKNACK (RTPS 2.5, 8.4.9.3). Returns the destination and the newly requested
    /// samples and fragments.
    ///
    /// A non-final ACKNACK is answered with a heartbeat. A non-final ACKNACK that acknowledges no
    /// sample is preemptive: the first of a reader, or the first after it has lost its state.
    pub(in crate::engine) fn acknack(
        &mut self,
        now: Nanos,
        reader: Guid,
        acknack: &AckNack,
    ) -> Option<(SocketAddr, Losses)> {
        let (last, first) = (self.last, self.first_for_late_readers());
        let proxy = self.proxies.get_mut(&reader)?;
        let is_request = !acknack.is_final && acknack.missing.is_empty();
        let preemptive = is_request && acknack.missing.base().0 <= 1;
        if !proxy.reliable || !(proxy.acknacks.accepts(now, acknack.count) || preemptive) {
            return None;
        }
        if preemptive {
            proxy.acknacks.restart(now, acknack.count);
            if proxy.answered && last.0 > 0 {
                proxy.restart(now, first);
            }
        }
        if !preemptive {
            proxy.answers.note_answer(now);
        }
        proxy.answered |= proxy.heartbeat_sent.is_some() && !preemptive;
        let base = acknack.missing.base().min(last.next());
        let before = proxy.unacknowledged;
        if base > proxy.unacknowledged {
            proxy.unacknowledged = base;
            proxy.heartbeat_period = HEARTBEAT_PERIOD.0;
            proxy.drop_requests(base);
            proxy.next = proxy.next.max((base, 1));
        }
        if is_request {
            let next = |sent: Nanos| sent.plus(HEARTBEAT_SPACING).max(now);
            proxy.heartbeat_at = Some(proxy.heartbeat_sent.map_or(now, next));
        } else if proxy.unacknowledged > last {
            proxy.heartbeat_at = None;
        }
        let mut requests: Vec<_> = acknack.missing.iter().collect();
        let known = proxy.answers.known_position(now, proxy.next);
        requests.retain(|number| *number < known.0 && *number <= last);
        let (to, next) = (proxy.to, known.0.min(last.next()));
        let received = (next.0 - base.0).saturating_sub(requests.len() as i64);
        let mut lost = 0;
        for number in requests {
            lost += self.request(now, reader, number, None);
        }
        let acknowledged = self.bytes_between(before, base);
        self.drop_acknowledged();
        let received = u64::try_from(received).unwrap_or(0);
        let losses = Losses::new(lost, received + lost as u64);
        Some((to, losses.with_acknowledged(acknowledged)))
    }

    /// Returns the size of the samples from `start` up to and excluding `end` [B].
    fn bytes_between(&self, start: SequenceNumber, end: SequenceNumber) -> u64 {
        let index = self.history.partition_point(|c| c.number < start);
        let samples = self.history.range(index..);
        let samples = samples.take_while(|change| change.number < end);
        samples.map(|change| change.len() as u64).sum()
    }

    /// Processes NACK_FRAG (RTPS 2.5, 8.4.14.2). Returns the destination and the newly requested
    /// fragments.
    pub(in crate::engine) fn nack_frag(
        &mut self,
        now: Nanos,
        reader: Guid,
        nack: &NackFrag,
    ) -> Option<(SocketAddr, Losses)> {
        let proxy = self.proxies.get_mut(&reader)?;
        let number = nack.sequence_number;
        if !proxy.reliable || !proxy.nack_frags.accepts(now, nack.count) {
            return None;
        }
        let to = proxy.to;
        let base = nack.missing.base().0;
        // all fragments of the samples before the next sample are sent
        let known = proxy.answers.known_position(now, proxy.next);
        let sent = match known {
            (next, fragment) if next == number => u64::from(fragment.saturating_sub(base)),
            (next, _) if next < number => 0,
            _ => u64::MAX,
        };
        let lost = self.request(now, reader, number, Some(&nack.missing));
        Some((to, Losses::new(lost, sent)))
    }

    /// Records repair requests. Returns the number of new requests.
    fn request(
        &mut self,
        now: Nanos,
        reader: Guid,
        number: SequenceNumber,
        fragments: Option<&FragmentNumberSet>,
    ) -> usize {
        let index = self.history.binary_search_by_key(&number, |c| c.number);
        let change = index.ok().and_then(|index| self.history.get(index));
        let Some(proxy) = self.proxies.get_mut(&reader) else {
            return 0;
        };
        if self.requests.0 != now {
            self.requests = (now, 0);
        }
        let before = proxy.requested.len();
        // Without the change the request is answered with GAP.
        let change = change.filter(|change| change.number >= proxy.first);
        let total = change.map_or(1, |change| proxy.division(change).0);
        proxy.repairs.forget(now, proxy.answers.delay());
        let known = proxy.answers.known_position(now, proxy.next);
        let mut record = |fragment: u32| {
            self.requests.1 += 1;
            let has_room = proxy.requested.len().max(self.requests.1) <= MAX_REQUESTS;
            let at = (number, fragment);
            let is_sent = fragment <= total && at < known;
            if has_room && is_sent && !proxy.repairs.contains(at) {
                proxy.requested.insert(at);
            }
            has_room && is_sent
        };
        match fragments {
            Some(set) if total > 1 => {
                for fragment in set.iter() {
                    record(fragment.0);
                }
            }
            _ => {
                let _ = (1..=total).all(record);
            }
        }
        proxy.requested.len() - before
    }
}
