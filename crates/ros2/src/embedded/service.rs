//! Server of one service, for clients of both families of DDS vendors.
//!
//! The two families identify the request of a reply in different ways. Clients of Fast DDS (and
//! Connext) use the RELATED_SAMPLE_IDENTITY in the inline QoS. Clients of Cyclone DDS start the
//! payload with 16 bytes, a client identity and a sequence number, which the reply repeats. The
//! server detects the family of each request and replies in the same form; a payload read in the
//! wrong form decodes to garbage. This module does not interpret the rest of the payload.

use parking_lot::Mutex;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use merrow_rtps::engine::{OutgoingSample, Sample};
use merrow_rtps::participant::{Participant, Writer};
use merrow_rtps::wire::{Guid, SampleIdentity};

use crate::embedded::spin::{Command, Item};
use crate::embedded::transport::{HEADER_LEN, Inbox};
use crate::node::{DeferredHandler, Responder};

/// Length of the payload header of the Cyclone family [bytes]: client identity (u64) and sequence
/// number (i64).
const CYCLONE_HEADER_LEN: usize = 16;

/// Maximum time for which a reply waits for the reader that the client named.
const NAMED_READER_TIMEOUT: Duration = Duration::from_secs(3);

/// Maximum time for which a reply waits for the reader of a client that named none. A participant
/// may have fewer readers than it has writers.
const UNNAMED_READER_TIMEOUT: Duration = Duration::from_secs(1);

/// Maximum number of waiting replies. Beyond it, the oldest is sent immediately.
const MAX_WAITING: usize = 256;

/// State of a service that belongs to the node's thread.
pub(crate) struct ServiceServer {
    handler: DeferredHandler,
    replies: Arc<Replies>,
}

impl ServiceServer {
    /// Creates a server whose requests arrive at `reader` and whose replies `writer` sends.
    pub(crate) fn new(
        handler: DeferredHandler,
        participant: Participant,
        reader: Guid,
        writer: Arc<Writer>,
        inbox: Inbox,
    ) -> Self {
        let replies = Replies {
            participant,
            reader,
            writer,
            waiting: Mutex::new(Vec::new()),
            inbox,
        };
        Self {
            handler,
            replies: Arc::new(replies),
        }
    }

    /// Passes one request to the handler.
    pub(crate) fn serve(&mut self, sample: &Sample) {
        let Some((to, request)) = split_sample(sample) else {
            return;
        };
        let replies = Arc::clone(&self.replies);
        let send = move |response: Vec<u8>| replies.send(to, &response);
        (self.handler)(&request, Responder::new(send));
    }

    /// Sends the replies whose clients can now receive them. Returns true if others still wait.
    pub(crate) fn send_waiting(&self, now: Instant) -> bool {
        self.replies.send_waiting(now)
    }
}

/// Receiver of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ReplyTarget {
    /// Writer of the request.
    asker: Guid,
    family: VendorFamily,
}

impl ReplyTarget {
    /// Returns the reader that the client named for the reply, if it did.
    fn named_reader(&self) -> Option<Guid> {
        match self.family {
            VendorFamily::Related(identity) if identity.writer != self.asker => {
                Some(identity.writer)
            }
            _ => None,
        }
    }

    /// Returns true if a reply will arrive. `ready` are the readers that receive the next reply,
    /// `askers` the writers of requests. A client that names no reader has one reader per writer.
    fn can_receive(&self, ready: &[Guid], askers: &[Guid]) -> bool {
        if let Some(reader) = self.named_reader() {
            return ready.contains(&reader);
        }
        let own = |guid: &&Guid| guid.prefix == self.asker.prefix;
        let askers = askers.iter().filter(own).count();
        ready.iter().filter(own).count() >= askers.max(1)
    }
}

/// Vendor family of the client, which determines how a reply identifies its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VendorFamily {
    /// Identification by the header of the payload.
    Cyclone([u8; CYCLONE_HEADER_LEN]),
    /// Identification by the inline QoS.
    Related(SampleIdentity),
}

/// Splits a sample into the receiver of the reply and the request with its encapsulation header.
/// Returns `None` if the sample is not a request.
fn split_sample(sample: &Sample) -> Option<(ReplyTarget, Cow<'_, [u8]>)> {
    let asker = sample.writer;
    let Some(related) = sample.related else {
        let (client, request) = split_cyclone_header(&sample.payload)?;
        let family = VendorFamily::Cyclone(client);
        return Some((ReplyTarget { asker, family }, request.into()));
    };
    // the client names the reader for the reply; older clients leave it unset and are identified by
    // their writer
    let client = match related.writer == Guid::UNKNOWN {
        true => asker,
        false => related.writer,
    };
    let family = VendorFamily::Related(SampleIdentity {
        writer: client,
        sequence_number: sample.sequence_number,
    });
    let request: &[u8] = &sample.payload;
    Some((ReplyTarget { asker, family }, request.into()))
}

/// Builds the reply in the client's family; `None` if the response lacks its encapsulation header.
fn build_reply(family: VendorFamily, response: &[u8]) -> Option<OutgoingSample> {
    let (header, body) = response.split_first_chunk::<HEADER_LEN>()?;
    Some(match family {
        VendorFamily::Cyclone(client) => OutgoingSample {
            payload: [&header[..], &client, body].concat().into(),
            related: None,
        },
        VendorFamily::Related(identity) => OutgoingSample {
            payload: Bytes::copy_from_slice(response),
            related: Some(identity),
        },
    })
}

/// Splits a payload into the header of a request or reply of Cyclone DDS, in little-endian order,
/// and the payload without it.
pub(super) fn split_cyclone_header(payload: &[u8]) -> Option<([u8; CYCLONE_HEADER_LEN], Vec<u8>)> {
    let (encapsulation, rest) = payload.split_first_chunk::<HEADER_LEN>()?;
    let (client, body) = rest.split_first_chunk::<CYCLONE_HEADER_LEN>()?;
    let mut client = *client;
    if encapsulation[1] == 0 {
        client[..8].reverse();
        client[8..].reverse();
    }
    Some((client, [encapsulation, body].concat()))
}

/// Reply side of the server: the writer and the waiting replies. Any thread may use it.
struct Replies {
    participant: Participant,
    reader: Guid,
    writer: Arc<Writer>,
    waiting: Mutex<Vec<WaitingReply>>,
    inbox: Inbox,
}

/// A reply whose client cannot receive it yet; sent now, it would be lost.
struct WaitingReply {
    until: Instant,
    to: ReplyTarget,
    reply: OutgoingSample,
}

impl Replies {
    fn send(&self, to: ReplyTarget, response: &[u8]) {
        let Some(reply) = build_reply(to.family, response) else {
            return;
        };
        if self.can_receive(&to) {
            self.write(reply);
            return;
        }
        let timeout = match to.named_reader() {
            Some(_) => NAMED_READER_TIMEOUT,
            None => UNNAMED_READER_TIMEOUT,
        };
        let until = Instant::now() + timeout;
        let mut waiting = self.waiting.lock();
        if waiting.len() >= MAX_WAITING {
            self.write(waiting.remove(0).reply);
        }
        waiting.push(WaitingReply { until, to, reply });
        drop(waiting);
        let command = Command::Waiting(self.reader.entity);
        self.inbox.push_event(Item::Command(command));
    }

    fn send_waiting(&self, now: Instant) -> bool {
        let mut waiting = self.waiting.lock();
        for reply in std::mem::take(&mut *waiting) {
            if now >= reply.until || self.can_receive(&reply.to) {
                self.write(reply.reply);
            } else {
                waiting.push(reply);
            }
        }
        !waiting.is_empty()
    }

    fn can_receive(&self, to: &ReplyTarget) -> bool {
        let askers = self.participant.matched_writers(self.reader);
        to.can_receive(&self.writer.ready_readers(), &askers)
    }

    fn write(&self, reply: OutgoingSample) {
        // it fails only for a reply above 4 GiB, which no client can receive
        let _ = self.writer.write(reply);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_rtps::wire::{EntityId, GuidPrefix, SequenceNumber};

    #[test]
    fn cyclone_header_is_split_off_and_turned_little_endian() {
        let little = [
            &[0, 1, 0, 0][..],
            &[1, 2, 3, 4, 5, 6, 7, 8],
            &[9, 0, 0, 0, 0, 0, 0, 0],
            &[42],
        ]
        .concat();
        let (client, request) = split_cyclone_header(&little).unwrap();
        assert_eq!(client, [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(request, [0, 1, 0, 0, 42]);
        let big = [
            &[0, 0, 0, 0][..],
            &[8, 7, 6, 5, 4, 3, 2, 1],
            &[0, 0, 0, 0, 0, 0, 0, 9],
            &[42],
        ]
        .concat();
        let (from_big, request) = split_cyclone_header(&big).unwrap();
        assert_eq!(from_big, client);
        assert_eq!(request, [0, 0, 0, 0, 42]);
    }

    #[test]
    fn payloads_shorter_than_the_header_are_ignored() {
        assert_eq!(split_cyclone_header(&[0, 1, 0, 0, 1, 2, 3]), None);
        assert_eq!(split_cyclone_header(&[0, 1]), None);
    }

    #[test]
    fn replies_wait_for_the_reader_of_the_client() {
        let writer = |participant| {
            let prefix = GuidPrefix([participant; 12]);
            Guid::new(prefix, EntityId::user_writer(1))
        };
        let reader = |participant, key| {
            let prefix = GuidPrefix([participant; 12]);
            Guid::new(prefix, EntityId::user_reader(key))
        };
        let cyclone = ReplyTarget {
            asker: writer(1),
            family: VendorFamily::Cyclone([0; 16]),
        };
        assert!(!cyclone.can_receive(&[], &[writer(1)]));
        assert!(!cyclone.can_receive(&[reader(2, 1)], &[writer(1), writer(2)]));
        assert!(cyclone.can_receive(&[reader(1, 1)], &[writer(1), writer(2)]));
        let second_client = [writer(1), writer(1)];
        assert!(!cyclone.can_receive(&[reader(1, 1)], &second_client));
        let named = ReplyTarget {
            asker: writer(1),
            family: VendorFamily::Related(SampleIdentity {
                writer: reader(1, 7),
                sequence_number: SequenceNumber(1),
            }),
        };
        assert!(!named.can_receive(&[reader(1, 1)], &[writer(1)]));
        assert!(named.can_receive(&[reader(1, 7)], &[writer(1)]));
    }
}
