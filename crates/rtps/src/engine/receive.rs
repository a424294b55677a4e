//! Interpretation of received messages (RTPS 2.5, 8.3.4).

use std::net::SocketAddr;

use bytes::Bytes;

use super::config::Nanos;
use super::event::Event;
use super::pace::Losses;
use super::reader::Received;
use super::{Engine, Reader};
use crate::wire::*;

/// Part of a datagram, one in this many, below which a payload is copied.
const DETACHED: usize = 4;

impl Engine {
    /// Processes a datagram received from `from`.
    pub fn handle_datagram(&mut self, now: Nanos, from: SocketAddr, datagram: Bytes) {
        if self.has_left {
            return;
        }
        let len = datagram.len();
        let Ok(message) = parse(datagram) else {
            self.counters.malformed += 1;
            return;
        };
        if message.error.is_some() {
            self.counters.malformed += 1;
        }
        let sender = message.header.prefix;
        let mut source = sender;
        let was_silent = self.is_silent(now, source);
        let first_event = self.events.len();
        let (mut timestamp, mut addressed, mut direct) = (None, true, false);
        for submessage in message.submessages {
            match submessage {
                Submessage::InfoTimestamp(time) => timestamp = time,
                Submessage::InfoSource(header) => (source, timestamp) = (header.prefix, None),
                Submessage::InfoDestination(prefix) => {
                    direct = prefix == self.config.guid_prefix;
                    addressed = direct || prefix == GuidPrefix::UNKNOWN;
                }
                other if addressed && source != self.config.guid_prefix => {
                    let is_spdp = |data: &Data| data.writer == EntityId::SPDP_WRITER;
                    if direct && matches!(&other, Submessage::Data(data) if is_spdp(data)) {
                        self.answer_lost(now, source);
                    }
                    if direct {
                        self.restore(now, from, source);
                        self.verify(now, source);
                    }
                    self.handle_submessage(now, from, source, timestamp, other);
                }
                _ => {}
            }
        }
        self.detach_payloads(first_event, len);
        self.add_credit(source, len);
        self.refresh(now, source);
        if was_silent && source == sender {
            self.greet(now, source);
        }
        for entity in std::mem::take(&mut self.touched) {
            self.reschedule(entity);
        }
    }

    /// Copies small payloads of the events from `first` on, which would keep the memory of their
    /// datagram of `len` [B].
    fn detach_payloads(&mut self, first: usize, len: usize) {
        for event in self.events.iter_mut().skip(first) {
            if let Event::Sample(sample) = event
                && sample.payload.len() < len / DETACHED
            {
                sample.payload = Bytes::copy_from_slice(&sample.payload);
            }
        }
    }

    fn handle_submessage(
        &mut self,
        now: Nanos,
        from: SocketAddr,
        source: GuidPrefix,
        timestamp: Option<Time>,
        submessage: Submessage,
    ) {
        let guid = |entity| Guid::new(source, entity);
        match submessage {
            Submessage::Data(data) if data.writer == EntityId::SPDP_WRITER => {
                self.handle_spdp(now, from, source, &data);
            }
            Submessage::Data(data) => {
                let writer = guid(data.writer);
                self.read(now, writer, data.reader, |r| {
                    r.data(writer, timestamp, &data)
                });
            }
            Submessage::DataFrag(frag) => {
                let writer = guid(frag.writer);
                self.read(now, writer, frag.reader, |r| {
                    r.data_frag(now, writer, timestamp, &frag)
                });
            }
            Submessage::Heartbeat(beat) => {
                let writer = guid(beat.writer);
                self.read(now, writer, beat.reader, |r| {
                    r.heartbeat(now, writer, &beat)
                });
            }
            Submessage::HeartbeatFrag(beat) => {
                let writer = guid(beat.writer);
                self.read(now, writer, beat.reader, |r| {
                    r.heartbeat_frag(now, writer, &beat);
                    Vec::new()
                });
            }
            Submessage::Gap(gap) => {
                let writer = guid(gap.writer);
                self.read(now, writer, gap.reader, |r| r.gap(writer, &gap));
            }
            // an answer to a forged announcement would direct discovery data to a third participant
            Submessage::AckNack(acknack) if self.is_verified(source) => {
                let writer = self.writers.get_mut(&acknack.writer);
                let lost = writer.and_then(|w| w.acknack(now, guid(acknack.reader), &acknack));
                self.touched.insert(acknack.writer);
                self.slow_down(now, lost);
                if acknack.writer.is_builtin() {
                    self.note_answer(source);
                }
            }
            Submessage::NackFrag(nack) if self.is_verified(source) => {
                let writer = self.writers.get_mut(&nack.writer);
                let lost = writer.and_then(|w| w.nack_frag(now, guid(nack.reader), &nack));
                self.touched.insert(nack.writer);
                self.slow_down(now, lost);
            }
            _ => {}
        }
    }

    fn slow_down(&mut self, now: Nanos, losses: Option<(SocketAddr, Losses)>) {
        let Some((to, losses)) = losses else {
            return;
        };
        if let Some(bucket) = self.buckets.get_mut(&to) {
            bucket.note_losses(now, losses);
        }
    }

    /// Passes a submessage to the readers that `writer` addresses.
    fn read(
        &mut self,
        now: Nanos,
        writer: Guid,
        target: EntityId,
        mut handle: impl FnMut(&mut Reader) -> Vec<Received>,
    ) {
        let mut received = Vec::new();
        for entity in self.routes.get(&writer).into_iter().flatten() {
            let addressed = target == EntityId::UNKNOWN || target == *entity;
            if let Some(reader) = self.readers.get_mut(entity).filter(|_| addressed) {
                received.extend(handle(reader));
                self.touched.insert(*entity);
            }
        }
        if writer.entity == EntityId::PUBLICATIONS_WRITER {
            self.release_subscriptions(writer.prefix);
        }
        for received in received {
            if received.sample.reader.entity.is_builtin() {
                self.handle_builtin(now, &received);
            } else if received.is_value {
                self.events.push_back(Event::Sample(received.sample));
            }
        }
    }
}
