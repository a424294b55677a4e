//! Server of one service, for clients of both families of DDS vendors.
//!
//! The two families identify the request of a reply in different ways. Clients of Fast DDS (and
//! Connext) use the RELATED_SAMPLE_IDENTITY in the inline QoS. Clients of Cyclone DDS start the
//! payload with 16 bytes, a client identity and a sequence number, which the reply repeats. The
//! server detects the family of each request and replies in the same form; a payload read in the
//! wrong form decodes to garbage. This module does not interpret the rest of the payload.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use rustdds::bytes::Bytes;
use rustdds::no_key::DeserializedCacheChange;
use rustdds::rpc::SampleIdentity;
use rustdds::{DataReaderStatus, DataWriterStatus, GUID, StatusEvented, Timestamp};

use crate::dds::large_reply::{Reply, ReplyWriter, guid_prefix};
use crate::dds::node::EndpointGuard;
use crate::dds::spin::{Alarm, take_samples};
use crate::dds::transport::{HEADER_LEN, Inbox, RawReader, RawWriter};

/// Length of the payload header of the Cyclone family [bytes]: client identity (u64) and sequence
/// number (i64).
const CYCLONE_HEADER_LEN: usize = 16;

/// Maximum time for which a reply waits until the client's reader is matched. After that it is sent
/// to all matched readers.
const MATCH_TIMEOUT: Duration = Duration::from_millis(150);

/// Time for which a reply waits after that match. The DDS library reports the match before it sends
/// the heartbeat with the first sample number for the reader. A reply written in between counts as
/// history and is lost.
const MATCH_SETTLING_TIME: Duration = Duration::from_millis(30);

/// Maximum number of waiting replies. Beyond it, the oldest is sent immediately.
const MAX_WAITING: usize = 256;

/// Handler that returns the response to a request, both with their encapsulation header, or `None`
/// if the request cannot be decoded.
pub type Handler = Box<dyn FnMut(&[u8]) -> Option<Vec<u8>> + Send>;

/// Handler that receives a request, including the encapsulation header, and a responder. It may
/// respond immediately, later from any thread, or never.
pub type DeferredHandler = Box<dyn FnMut(&[u8], Responder) + Send>;

/// Responder for one request. Dropping it leaves the client without a reply.
#[must_use = "dropping a responder leaves its client without a reply"]
pub struct Responder {
    to: ReplyTarget,
    answers: Sender<(ReplyTarget, Vec<u8>)>,
    alarm: Alarm,
}

impl Responder {
    /// Sends the response, including the encapsulation header.
    pub fn respond(self, response: Vec<u8>) {
        // sending fails if the service has ended
        if self.answers.send((self.to, response)).is_ok() {
            self.alarm.request_service();
        }
    }
}

/// A service. Dropping it ends it.
#[must_use = "dropping a service ends it"]
pub struct Service {
    name: String,
    _endpoint: EndpointGuard,
}

impl Service {
    pub(crate) fn new(name: String, endpoint: EndpointGuard) -> Self {
        Self {
            name,
            _endpoint: endpoint,
        }
    }

    /// Returns the fully qualified name after remapping.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// State of a service that belongs to the node's thread.
pub(crate) struct ServiceServer {
    inbox: Inbox,
    replies: Replies,
    handler: AnyHandler,
}

/// Handler with an immediate or a deferred response.
enum AnyHandler {
    Now(Handler),
    Later {
        handler: DeferredHandler,
        answers: Sender<(ReplyTarget, Vec<u8>)>,
        due: Receiver<(ReplyTarget, Vec<u8>)>,
        alarm: Alarm,
    },
}

impl ServiceServer {
    /// Creates a server that reads requests from `inbox` and writes replies to `writer`.
    pub(crate) fn new(inbox: Inbox, writer: ReplyWriter, handler: Handler) -> Self {
        Self::with(inbox, writer, AnyHandler::Now(handler))
    }

    /// Creates a server with deferred responses; `alarm` requests the node's thread to serve this
    /// server.
    pub(crate) fn deferred(
        inbox: Inbox,
        writer: ReplyWriter,
        handler: DeferredHandler,
        alarm: Alarm,
    ) -> Self {
        let (answers, due) = mpsc::channel();
        Self::with(
            inbox,
            writer,
            AnyHandler::Later {
                handler,
                answers,
                due,
                alarm,
            },
        )
    }

    fn with(inbox: Inbox, writer: ReplyWriter, handler: AnyHandler) -> Self {
        Self {
            inbox,
            replies: Replies {
                writer,
                clients: Clients::default(),
                waiting: Vec::new(),
            },
            handler,
        }
    }

    /// Serves requests until the queue is empty or the turn is over. Returns whether more requests
    /// may be left.
    pub(crate) fn serve(&mut self) -> bool {
        let Self {
            inbox,
            replies,
            handler,
        } = self;
        replies.clients.update(&inbox.reader, replies.writer.dds());
        let more = take_samples(inbox, |sample| {
            let Some((to, request)) = split_sample(&sample) else {
                return;
            };
            match handler {
                AnyHandler::Now(handler) => {
                    if let Some(response) = handler(&request) {
                        replies.send(to, &response);
                    }
                }
                AnyHandler::Later {
                    handler,
                    answers,
                    alarm,
                    ..
                } => {
                    handler(
                        &request,
                        Responder {
                            to,
                            answers: answers.clone(),
                            alarm: alarm.clone(),
                        },
                    );
                }
            }
        });
        if let AnyHandler::Later { due, .. } = handler {
            due.try_iter()
                .for_each(|(to, response)| replies.send(to, &response));
        }
        replies.send_due(Instant::now());
        more
    }

    /// Whether replies are waiting for their client to be matched.
    pub(crate) fn has_waiting_replies(&self) -> bool {
        !self.replies.waiting.is_empty()
    }
}

/// Receiver of a reply.
#[derive(Clone, Copy)]
struct ReplyTarget {
    /// Writer of the request.
    asker: GUID,
    family: VendorFamily,
}

/// Vendor family of the client, which determines how a reply identifies its request.
#[derive(Clone, Copy)]
enum VendorFamily {
    /// Identification by the header of the payload.
    Cyclone([u8; CYCLONE_HEADER_LEN]),
    /// Identification by the inline QoS.
    Related(SampleIdentity),
}

/// Splits a sample into the receiver of the reply and the request with its encapsulation header.
/// Returns `None` if the sample is not a request.
fn split_sample(sample: &DeserializedCacheChange<Vec<u8>>) -> Option<(ReplyTarget, Cow<'_, [u8]>)> {
    let (asker, request) = (sample.writer_guid(), &sample.sample);
    let Some(related) = sample.related_sample_identity() else {
        let (client, request) = split_cyclone_request(request)?;
        return Some((
            ReplyTarget {
                asker,
                family: VendorFamily::Cyclone(client),
            },
            request.into(),
        ));
    };
    // the client names the reader for the reply; older clients leave it unset and are identified by
    // their writer
    let client = if related.writer_guid == GUID::GUID_UNKNOWN {
        asker
    } else {
        related.writer_guid
    };
    let identity = SampleIdentity {
        writer_guid: client,
        sequence_number: sample.sequence_number,
    };
    Some((
        ReplyTarget {
            asker,
            family: VendorFamily::Related(identity),
        },
        request.into(),
    ))
}

/// Builds the reply in the client's family; `None` if the response lacks its encapsulation header.
fn build_reply(family: VendorFamily, response: &[u8]) -> Option<Reply> {
    let response = response.get(HEADER_LEN..)?;
    let (body, related) = match family {
        VendorFamily::Cyclone(client) => ([&client, response].concat().into(), None),
        VendorFamily::Related(identity) => (Bytes::copy_from_slice(response), Some(identity)),
    };
    Some(Reply {
        body,
        made_at: Timestamp::now(),
        related,
    })
}

/// Splits a payload into the 16 header bytes for the reply, in little-endian order, and the request
/// without them.
fn split_cyclone_request(payload: &[u8]) -> Option<([u8; CYCLONE_HEADER_LEN], Vec<u8>)> {
    let (encapsulation, rest) = payload.split_first_chunk::<HEADER_LEN>()?;
    let (client, body) = rest.split_first_chunk::<CYCLONE_HEADER_LEN>()?;
    let mut client = *client;
    if encapsulation[1] == 0 {
        // replies are little-endian, so the bytes of both numbers are reversed
        client[..8].reverse();
        client[8..].reverse();
    }
    Some((client, [encapsulation, body].concat()))
}

/// Discovered clients, and since when they can receive replies.
#[derive(Default)]
struct Clients {
    /// DDS writers of the requests.
    request_writers: HashSet<GUID>,
    /// Readers of replies, with the time of their match.
    reply_readers: HashMap<GUID, Instant>,
}

impl Clients {
    /// Processes the match events of the DDS library.
    fn update(&mut self, reader: &RawReader, writer: &RawWriter) {
        while let Some(status) = reader.try_recv_status() {
            if let DataReaderStatus::SubscriptionMatched {
                current, writer, ..
            } = status
            {
                if current.count_change() > 0 {
                    self.request_writers.insert(writer);
                } else {
                    self.request_writers.remove(&writer);
                }
                // the library drops events if they are not read for a while; an empty set is better
                // than a wrong one
                if usize::try_from(current.count()) != Ok(self.request_writers.len()) {
                    self.request_writers.clear();
                }
            }
        }
        while let Some(status) = writer.try_recv_status() {
            if let DataWriterStatus::PublicationMatched {
                current, reader, ..
            } = status
            {
                if current.count_change() > 0 {
                    self.reply_readers.insert(reader, Instant::now());
                } else {
                    self.reply_readers.remove(&reader);
                }
            }
        }
    }

    /// Whether a reply to the client of `asker` will arrive: its participant has one reader per
    /// writer.
    fn can_receive_reply(&self, asker: GUID, now: Instant) -> bool {
        let same = |guid: &GUID| guid_prefix(guid) == guid_prefix(&asker);
        let askers = self
            .request_writers
            .iter()
            .filter(|guid| same(guid))
            .count();
        let settled = |matched_at: &Instant| {
            now.saturating_duration_since(*matched_at) >= MATCH_SETTLING_TIME
        };
        let hearers = self
            .reply_readers
            .iter()
            .filter(|(guid, matched_at)| same(guid) && settled(matched_at))
            .count();
        hearers >= askers.max(1)
    }
}

/// Reply side of the server: the writer, the clients and the waiting replies.
struct Replies {
    writer: ReplyWriter,
    clients: Clients,
    waiting: Vec<WaitingReply>,
}

/// A reply whose client cannot receive it yet; sent now, it would be lost.
struct WaitingReply {
    until: Instant,
    asker: GUID,
    reply: Reply,
}

impl Replies {
    fn send(&mut self, to: ReplyTarget, response: &[u8]) {
        let Some(reply) = build_reply(to.family, response) else {
            return;
        };
        let (asker, now) = (to.asker, Instant::now());
        if self.clients.can_receive_reply(asker, now) {
            self.write(asker, &reply);
            return;
        }
        if self.waiting.len() >= MAX_WAITING {
            let oldest = self.waiting.remove(0);
            self.write(oldest.asker, &oldest.reply);
        }
        self.waiting.push(WaitingReply {
            until: now + MATCH_TIMEOUT,
            asker,
            reply,
        });
    }

    fn send_due(&mut self, now: Instant) {
        for waiting in std::mem::take(&mut self.waiting) {
            if now >= waiting.until || self.clients.can_receive_reply(waiting.asker, now) {
                self.write(waiting.asker, &waiting.reply);
            } else {
                self.waiting.push(waiting);
            }
        }
    }

    fn write(&mut self, asker: GUID, reply: &Reply) {
        self.writer.write(reply, asker, &self.clients.reply_readers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cyclone_header_is_split_off_and_turned_little_endian() {
        let little = [
            &[0, 1, 0, 0][..],
            &[1, 2, 3, 4, 5, 6, 7, 8],
            &[9, 0, 0, 0, 0, 0, 0, 0],
            &[42],
        ]
        .concat();
        let (client, request) = split_cyclone_request(&little).unwrap();
        assert_eq!(client, [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(request, [0, 1, 0, 0, 42]);
        let big = [
            &[0, 0, 0, 0][..],
            &[8, 7, 6, 5, 4, 3, 2, 1],
            &[0, 0, 0, 0, 0, 0, 0, 9],
            &[42],
        ]
        .concat();
        let (from_big, request) = split_cyclone_request(&big).unwrap();
        assert_eq!(from_big, client);
        assert_eq!(request, [0, 0, 0, 0, 42]);
    }

    #[test]
    fn payload_shorter_than_the_header_is_no_request() {
        assert_eq!(split_cyclone_request(&[0, 1, 0, 0, 1, 2, 3]), None);
        assert_eq!(split_cyclone_request(&[0, 1]), None);
    }

    #[test]
    fn replies_wait_for_every_reader_of_the_participant_to_settle() {
        let guid = |participant, entity| {
            let mut bytes = [participant; 16];
            bytes[12..].copy_from_slice(&[0, 0, entity, 4]);
            GUID::from_bytes(bytes)
        };
        let start = Instant::now();
        let later = start + MATCH_SETTLING_TIME;
        let mut clients = Clients::default();
        clients.request_writers.insert(guid(1, 1));
        assert!(
            !clients.can_receive_reply(guid(1, 1), later),
            "no reader is matched"
        );
        clients.reply_readers.insert(guid(1, 2), start);
        assert!(
            !clients.can_receive_reply(guid(1, 1), start),
            "the match is too young"
        );
        assert!(clients.can_receive_reply(guid(1, 1), later));
        clients.request_writers.insert(guid(1, 3));
        assert!(
            !clients.can_receive_reply(guid(1, 3), later),
            "a second client of the participant has no reader yet"
        );
        assert!(
            !clients.can_receive_reply(guid(2, 1), later),
            "another participant"
        );
    }
}
