//! Server of one service, for clients of both families of DDS vendors at once.
//!
//! The families say differently which request a reply belongs to. Fast DDS (and Connext) clients put a
//! RELATED_SAMPLE_IDENTITY beside the request; Cyclone clients open the payload with 16 bytes, an identity of the
//! client and a sequence number, that the reply repeats. Each request shows its family, and is answered in it: read
//! in the wrong one it would decode as garbage. This file must not interpret what follows.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use rustdds::bytes::Bytes;
use rustdds::no_key::DeserializedCacheChange;
use rustdds::rpc::SampleIdentity;
use rustdds::{DataReaderStatus, DataWriterStatus, GUID, StatusEvented, Timestamp};

use crate::dds::large_reply::{Reply, ReplyWriter, participant_of};
use crate::dds::node::EndpointGuard;
use crate::dds::spin::{Alarm, take_turn};
use crate::dds::transport::{HEADER_LEN, Inbox, RawReader, RawWriter};

/// Length of what opens a payload of the Cyclone family: client identity (u64) and sequence number (i64).
const CYCLONE_HEADER_LEN: usize = 16;

/// How long a reply waits for its client's reader to be matched; later it is sent to whoever is.
const MATCH_PATIENCE: Duration = Duration::from_millis(150);

/// How long a reply waits after that match. The DDS library tells of the match before it sends the heartbeat that
/// says from which sample on the reader takes part; a reply written in between counts as the past, and is lost.
const MATCH_SETTLES: Duration = Duration::from_millis(30);

/// Most replies that wait; beyond, the oldest is sent at once.
const MAX_WAITING: usize = 256;

/// Answers a request, both with their encapsulation header; `None` where it could not be read.
pub type Handler = Box<dyn FnMut(&[u8]) -> Option<Vec<u8>> + Send>;

/// Takes a request, encapsulation header included, and where to answer it: at once, later from any thread, or never.
pub type DeferredHandler = Box<dyn FnMut(&[u8], Responder) + Send>;

/// Where one request is to be answered. Dropping it leaves the client without an answer.
#[must_use = "a dropped responder leaves its client without an answer"]
pub struct Responder {
    to: Address,
    answers: Sender<(Address, Vec<u8>)>,
    alarm: Alarm,
}

impl Responder {
    /// Sends the response, encapsulation header included.
    pub fn respond(self, response: Vec<u8>) {
        // a service that has ended answers nobody any more
        if self.answers.send((self.to, response)).is_ok() {
            self.alarm.ring();
        }
    }
}

/// A service; dropping it ends it.
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

    /// Fully qualified name after remapping.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// What the node's thread keeps of a service.
pub struct ServiceServer {
    inbox: Inbox,
    replies: Replies,
    handler: AnyHandler,
}

/// The two ways to answer.
enum AnyHandler {
    Now(Handler),
    Later {
        handler: DeferredHandler,
        answers: Sender<(Address, Vec<u8>)>,
        due: Receiver<(Address, Vec<u8>)>,
        alarm: Alarm,
    },
}

impl ServiceServer {
    /// A server that reads requests from `inbox` and writes replies to `writer`.
    pub fn new(inbox: Inbox, writer: ReplyWriter, handler: Handler) -> Self {
        Self::with(inbox, writer, AnyHandler::Now(handler))
    }

    /// The same with answers that may come later; `alarm` lets the node's thread serve this server.
    pub fn deferred(
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

    /// Answers requests until none is left or the turn is over; whether more may be left.
    pub fn take_turn(&mut self) -> bool {
        let Self {
            inbox,
            replies,
            handler,
        } = self;
        replies.clients.update(&inbox.reader, replies.writer.dds());
        let more = take_turn(inbox, |sample| {
            let Some((to, request)) = open(&sample) else {
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

    /// Whether replies wait for their client to be matched.
    pub fn has_waiting_replies(&self) -> bool {
        !self.replies.waiting.is_empty()
    }
}

/// Whom a reply is for.
#[derive(Clone, Copy)]
struct Address {
    /// The writer of the request.
    asker: GUID,
    family: Family,
}

/// How the client's family of vendors tells which request a reply belongs to.
#[derive(Clone, Copy)]
enum Family {
    /// By what opens the payload.
    Cyclone([u8; CYCLONE_HEADER_LEN]),
    /// By an identity beside the payload.
    Related(SampleIdentity),
}

/// Whom to answer, and the request with its encapsulation header; `None` where it is none.
fn open(sample: &DeserializedCacheChange<Vec<u8>>) -> Option<(Address, Cow<'_, [u8]>)> {
    let (asker, request) = (sample.writer_guid(), &sample.sample);
    let Some(related) = sample.related_sample_identity() else {
        let (client, request) = split_cyclone_request(request)?;
        return Some((
            Address {
                asker,
                family: Family::Cyclone(client),
            },
            request.into(),
        ));
    };
    // the client names the reader it wants the reply on; older ones leave it open and are known by their writer
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
        Address {
            asker,
            family: Family::Related(identity),
        },
        request.into(),
    ))
}

/// The response in the client's family; `None` if it lacks its encapsulation header.
fn reply(family: Family, response: &[u8]) -> Option<Reply> {
    let response = response.get(HEADER_LEN..)?;
    let (body, related) = match family {
        Family::Cyclone(client) => ([&client, response].concat().into(), None),
        Family::Related(identity) => (Bytes::copy_from_slice(response), Some(identity)),
    };
    Some(Reply {
        body,
        made_at: Timestamp::now(),
        related,
    })
}

/// The 16 bytes to open the reply with, little-endian, and the request without them.
fn split_cyclone_request(payload: &[u8]) -> Option<([u8; CYCLONE_HEADER_LEN], Vec<u8>)> {
    let (encapsulation, rest) = payload.split_first_chunk::<HEADER_LEN>()?;
    let (client, body) = rest.split_first_chunk::<CYCLONE_HEADER_LEN>()?;
    let mut client = *client;
    if encapsulation[1] == 0 {
        // replies are little-endian: both numbers turn around
        client[..8].reverse();
        client[8..].reverse();
    }
    Some((client, [encapsulation, body].concat()))
}

/// Who has asked or may ask, and since when it can hear the reply.
#[derive(Default)]
struct Clients {
    /// Writers of requests.
    askers: HashSet<GUID>,
    /// Readers of replies, and when they were matched.
    hearers: HashMap<GUID, Instant>,
}

impl Clients {
    /// Takes in what the DDS library tells of matches.
    fn update(&mut self, reader: &RawReader, writer: &RawWriter) {
        while let Some(status) = reader.try_recv_status() {
            if let DataReaderStatus::SubscriptionMatched {
                current, writer, ..
            } = status
            {
                if current.count_change() > 0 {
                    self.askers.insert(writer);
                } else {
                    self.askers.remove(&writer);
                }
                // the library drops what it tells when nobody listens for a while: better to know none than wrong ones
                if usize::try_from(current.count()) != Ok(self.askers.len()) {
                    self.askers.clear();
                }
            }
        }
        while let Some(status) = writer.try_recv_status() {
            if let DataWriterStatus::PublicationMatched {
                current, reader, ..
            } = status
            {
                if current.count_change() > 0 {
                    self.hearers.insert(reader, Instant::now());
                } else {
                    self.hearers.remove(&reader);
                }
            }
        }
    }

    /// Whether a reply to the client of `asker` will be heard: its participant has a reader for each writer.
    fn can_hear(&self, asker: GUID, now: Instant) -> bool {
        let same = |guid: &GUID| participant_of(guid) == participant_of(&asker);
        let askers = self.askers.iter().filter(|guid| same(guid)).count();
        let settled =
            |matched_at: &Instant| now.saturating_duration_since(*matched_at) >= MATCH_SETTLES;
        let hearers = self
            .hearers
            .iter()
            .filter(|(guid, matched_at)| same(guid) && settled(matched_at))
            .count();
        hearers >= askers.max(1)
    }
}

/// The reply side: what was answered, and who can hear it.
struct Replies {
    writer: ReplyWriter,
    clients: Clients,
    waiting: Vec<Waiting>,
}

/// A reply whose client cannot hear it yet: it would be lost.
struct Waiting {
    until: Instant,
    asker: GUID,
    reply: Reply,
}

impl Replies {
    fn send(&mut self, to: Address, response: &[u8]) {
        let Some(reply) = reply(to.family, response) else {
            return;
        };
        let (asker, now) = (to.asker, Instant::now());
        if self.clients.can_hear(asker, now) {
            self.write(asker, &reply);
            return;
        }
        if self.waiting.len() >= MAX_WAITING {
            let oldest = self.waiting.remove(0);
            self.write(oldest.asker, &oldest.reply);
        }
        self.waiting.push(Waiting {
            until: now + MATCH_PATIENCE,
            asker,
            reply,
        });
    }

    fn send_due(&mut self, now: Instant) {
        for waiting in std::mem::take(&mut self.waiting) {
            if now >= waiting.until || self.clients.can_hear(waiting.asker, now) {
                self.write(waiting.asker, &waiting.reply);
            } else {
                self.waiting.push(waiting);
            }
        }
    }

    fn write(&mut self, asker: GUID, reply: &Reply) {
        self.writer.write(reply, asker, &self.clients.hearers);
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
        let later = start + MATCH_SETTLES;
        let mut clients = Clients::default();
        clients.askers.insert(guid(1, 1));
        assert!(!clients.can_hear(guid(1, 1), later), "no reader is matched");
        clients.hearers.insert(guid(1, 2), start);
        assert!(
            !clients.can_hear(guid(1, 1), start),
            "the match is too young"
        );
        assert!(clients.can_hear(guid(1, 1), later));
        clients.askers.insert(guid(1, 3));
        assert!(
            !clients.can_hear(guid(1, 3), later),
            "a second client of the participant has no reader yet"
        );
        assert!(!clients.can_hear(guid(2, 1), later), "another participant");
    }
}
