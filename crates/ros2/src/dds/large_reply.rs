//! Replies of any size, for clients that learn beside the payload which request a reply answers.
//!
//! A reply that does not fit into one datagram goes out in fragments. The DDS library (rustdds 0.15.1) puts one byte
//! too many before the inline QoS of a fragment, which is where that identity stands: a release build sends what Fast
//! DDS throws away, and in a debug build an assertion ends the thread that serves all of DDS. So the library gets such
//! a reply without the identity, and just before it this file sends the same sample of the same writer with it, in
//! fragments by RTPS 2.5 (8.3.8.3) and DDS-RPC 1.0 (7.8.2). To be dropped once the library is right.
//!
//! Fast DDS (2.6 to 3.2, by its source) takes the identity from the fragment that comes first, whoever sent it, and
//! all later ones for the same sample. So what is lost here the library repairs, unless all of it is: a reply of which
//! nothing came before the library's own fragments has no identity, and no client takes it for its own. But Fast DDS
//! does not stand a sample that comes partly in fragments and then in one piece, so where the library sends one piece
//! it sends the identity too. Clients are reached where their readers listen over UDP on IPv4.

use std::collections::{BTreeSet, HashMap};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::sync::Arc;

use rustdds::bytes::Bytes;
use rustdds::discovery::DiscoveredReaderData;
use rustdds::rpc::SampleIdentity;
use rustdds::{GUID, RTPSEntity, Timestamp, WriteOptions, WriteOptionsBuilder};

use crate::dds::networks::Networks;
use crate::dds::transport::{HEADER_LEN, RawWriter};

/// Payloads of up to so many bytes, encapsulation header included, the library never sends in fragments: only behind
/// a network with an MTU under 1152, and IPv6 asks for 1280.
const SMALL: usize = 1024;

/// Bytes of a fragment: as many as the library's own have, so that both number the same pieces.
const FRAGMENT: usize = 256;

/// Fragments in a datagram, which with all headers fits into an MTU of 1280.
const FRAGMENTS_IN_DATAGRAM: usize = 4;

/// Most datagrams that are sent of a sample; one that arrives is enough. All of a sample in one piece is no more.
const MOST_DATAGRAMS: usize = 64;

/// Most addresses of one client that are tried.
const MOST_ADDRESSES: usize = 16;

/// Begins every payload: little-endian classic CDR.
const ENCAPSULATION: [u8; HEADER_LEN] = [0, 1, 0, 0];

/// What the GUIDs of a participant's endpoints begin with.
type Participant = [u8; 12];

/// A reply as it goes to DDS.
pub struct Reply {
    /// Payload without its encapsulation header, little-endian.
    pub body: Bytes,
    /// When it was made.
    pub made_at: Timestamp,
    /// The request it answers, for clients that learn that beside the payload.
    pub related: Option<SampleIdentity>,
}

impl Reply {
    fn len(&self) -> usize {
        HEADER_LEN + self.body.len()
    }
}

/// Writes the replies of one service.
pub struct ReplyWriter {
    dds: RawWriter,
    networks: Arc<Networks>,
    order: Order,
}

impl ReplyWriter {
    /// Writes through `dds`, and is the only one to; `networks` are those that the DDS library has found.
    pub fn new(dds: RawWriter, networks: Arc<Networks>) -> Self {
        Self {
            dds,
            networks,
            order: Order {
                next: 1,
                promised: None,
            },
        }
    }

    /// The writer, for what it tells of matches.
    pub fn dds(&self) -> &RawWriter {
        &self.dds
    }

    /// Sends a reply to a client; `matched` are the readers that the writer has.
    ///
    /// A client so far behind that the send window is full loses the reply, as it would with any vendor.
    pub fn write<T>(&mut self, reply: &Reply, client: GUID, matched: &HashMap<GUID, T>) {
        let options = WriteOptionsBuilder::new().source_timestamp(reply.made_at);
        let sample = |options: WriteOptionsBuilder| (reply.body.clone(), options.build());
        let Some(identity) = reply.related.filter(|_| reply.len() > SMALL) else {
            let options = options.related_sample_identity_opt(reply.related);
            return self.write_announced(sample(options), |_| false);
        };
        let readers = self.readers(participant_of(&client), matched);
        let asked = readers
            .iter()
            .find(|reader| reader.reader_proxy.remote_reader_guid == identity.writer_guid);
        let in_one_piece = |reader: &&DiscoveredReaderData| {
            self.networks.takes_in_one_piece(
                reply.len(),
                locators(reader).filter(|address| address.port() != 0),
            )
        };
        if let Some(reader) = asked.filter(in_one_piece) {
            // other readers, whose networks may be smaller, must not get it
            let to = reader.reader_proxy.remote_reader_guid;
            let options = options
                .related_sample_identity(identity)
                .to_single_reader(to);
            return self.write_announced(sample(options), |_| false);
        }
        let writer_guid = self.dds.guid();
        self.write_announced(sample(options), |number| {
            let sample = SampleIdentity {
                writer_guid,
                sequence_number: number.into(),
            };
            post(
                &datagrams(sample, identity, participant_of(&client), reply),
                &addresses(&readers),
            )
        });
    }

    fn write_announced(&mut self, sample: Sample, announce: impl FnOnce(i64) -> bool) {
        let Self { dds, order, .. } = self;
        order.write(sample, announce, |(body, options)| {
            let written = dds.write_with_options(body.clone(), options.clone()).ok()?;
            Some(written.sequence_number.into())
        });
    }

    /// The readers of a participant, those that are matched.
    fn readers<T>(
        &self,
        participant: Participant,
        matched: &HashMap<GUID, T>,
    ) -> Vec<DiscoveredReaderData> {
        // none while the node goes
        let Some(library) = self.dds.publisher().participant() else {
            return Vec::new();
        };
        let mut readers = library.discovered_readers();
        readers.retain(|reader| {
            let guid = reader.reader_proxy.remote_reader_guid;
            participant_of(&guid) == participant && matched.contains_key(&guid)
        });
        readers
    }
}

/// What the library is given to write.
type Sample = (Bytes, WriteOptions);

/// Which number the next sample has.
///
/// Once a client was sent a sample, no other may have its number: the client would take that for one it has.
struct Order {
    next: i64,
    /// Sent to its client, but not taken by the library.
    promised: Option<Sample>,
}

impl Order {
    /// Announces a sample under the number it will have, and hands it over to the library, which returns the number if
    /// it takes it. The announcement returns whether it went to anybody.
    fn write(
        &mut self,
        sample: Sample,
        announce: impl FnOnce(i64) -> bool,
        hand_over: impl Fn(&Sample) -> Option<i64>,
    ) {
        if let Some(promised) = &self.promised {
            let Some(number) = hand_over(promised) else {
                return;
            };
            (self.next, self.promised) = (number + 1, None);
        }
        let is_announced = announce(self.next);
        match hand_over(&sample) {
            Some(number) => self.next = number + 1,
            None => self.promised = is_announced.then_some(sample),
        }
    }
}

/// Whose endpoint a GUID is.
pub fn participant_of(guid: &GUID) -> Participant {
    let [participant @ .., _, _, _, _] = guid.to_bytes();
    participant
}

/// Where a reader listens over UDP; anything else has port 0.
fn locators(reader: &DiscoveredReaderData) -> impl Iterator<Item = SocketAddr> {
    reader
        .reader_proxy
        .unicast_locator_list
        .iter()
        .map(|locator| (*locator).into())
}

/// Where readers can be reached.
fn addresses(readers: &[DiscoveredReaderData]) -> Vec<SocketAddrV4> {
    let distinct: BTreeSet<_> = readers
        .iter()
        .flat_map(locators)
        .filter_map(of_one_machine)
        .collect();
    distinct.into_iter().take(MOST_ADDRESSES).collect()
}

/// An address that others announced, if it can be that of a reader.
fn of_one_machine(address: SocketAddr) -> Option<SocketAddrV4> {
    let SocketAddr::V4(address) = address else {
        return None;
    };
    let ip = address.ip();
    let is_many = ip.is_unspecified() || ip.is_multicast() || ip.is_broadcast();
    (!is_many && address.port() != 0).then_some(address)
}

/// Sends datagrams, all to one address before the next; whether there was anybody to send to.
fn post(datagrams: &[Vec<u8>], addresses: &[SocketAddrV4]) -> bool {
    // what does not go out at once is lost, as it may be on the way
    let Ok(socket) = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)) else {
        return false;
    };
    if socket.set_nonblocking(true).is_err() {
        return false;
    }
    for address in addresses {
        for datagram in datagrams {
            // an address that cannot be reached from here is one of several
            socket
                .send_to(datagram, address)
                .map(drop)
                .unwrap_or_default();
        }
    }
    !addresses.is_empty()
}

/// The RTPS messages with a sample that answers a request, or with its beginning.
fn datagrams(
    sample: SampleIdentity,
    answered: SampleIdentity,
    to: Participant,
    reply: &Reply,
) -> Vec<Vec<u8>> {
    let payload = [&ENCAPSULATION[..], &reply.body].concat();
    // RTPS has no larger samples
    let Ok(sample_size) = u32::try_from(payload.len()) else {
        return Vec::new();
    };
    let opening = opening(participant_of(&sample.writer_guid), to, reply.made_at);
    let identity = inline_qos(answered);
    let chunks = payload
        .chunks(FRAGMENT * FRAGMENTS_IN_DATAGRAM)
        .take(MOST_DATAGRAMS);
    (1u32..)
        .step_by(FRAGMENTS_IN_DATAGRAM)
        .zip(chunks)
        .map(|(first, chunk)| {
            [
                &opening[..],
                &data_frag(sample, first, sample_size, &identity, chunk),
            ]
            .concat()
        })
        .collect()
}

/// What every message begins with: from whom, to whom, and when the sample was made.
fn opening(from: Participant, to: Participant, made_at: Timestamp) -> Vec<u8> {
    const VERSION_AND_VENDOR: [u8; 4] = [2, 4, 1, 0x12];
    const INFO_DESTINATION: [u8; 4] = [0x0e, 1, 12, 0];
    const INFO_TIMESTAMP: [u8; 4] = [0x09, 1, 8, 0];
    let ticks = made_at.to_ticks();
    let (seconds, fraction) = ((ticks >> 32) as u32, ticks as u32);
    [
        &b"RTPS"[..],
        &VERSION_AND_VENDOR,
        &from,
        &INFO_DESTINATION,
        &to,
        &INFO_TIMESTAMP,
        &seconds.to_le_bytes(),
        &fraction.to_le_bytes(),
    ]
    .concat()
}

/// The submessage with consecutive fragments of a sample, `first` on, counted from 1.
fn data_frag(
    sample: SampleIdentity,
    first: u32,
    sample_size: u32,
    inline_qos: &[u8],
    chunk: &[u8],
) -> Vec<u8> {
    const DATA_FRAG: u8 = 0x16;
    const LITTLE_ENDIAN_WITH_INLINE_QOS: u8 = 0x03;
    const NO_EXTRA_FLAGS_AND_OFFSET_TO_INLINE_QOS: [u8; 4] = [0, 0, 28, 0];
    const ANY_READER: [u8; 4] = [0; 4];
    let count = chunk.len().div_ceil(FRAGMENT) as u16;
    // submessages end on a multiple of 4 bytes
    let padding = vec![0; chunk.len().next_multiple_of(4) - chunk.len()];
    let body = [
        &NO_EXTRA_FLAGS_AND_OFFSET_TO_INLINE_QOS[..],
        &ANY_READER,
        &sample.writer_guid.to_bytes()[12..],
        &sequence_number(sample),
        &first.to_le_bytes(),
        &count.to_le_bytes(),
        &(FRAGMENT as u16).to_le_bytes(),
        &sample_size.to_le_bytes(),
        inline_qos,
        chunk,
        &padding,
    ]
    .concat();
    [
        &[DATA_FRAG, LITTLE_ENDIAN_WITH_INLINE_QOS][..],
        &(body.len() as u16).to_le_bytes(),
        &body,
    ]
    .concat()
}

/// Which request a reply answers, under the number of DDS-RPC and under that of older versions of Fast DDS.
fn inline_qos(answered: SampleIdentity) -> Vec<u8> {
    const RELATED_SAMPLE_IDENTITY: [[u8; 4]; 2] = [[0x83, 0x00, 24, 0], [0x0f, 0x80, 24, 0]];
    const SENTINEL: [u8; 4] = [1, 0, 0, 0];
    let identity = [
        &answered.writer_guid.to_bytes()[..],
        &sequence_number(answered),
    ]
    .concat();
    let [standard, older] = RELATED_SAMPLE_IDENTITY;
    [&standard[..], &identity, &older, &identity, &SENTINEL].concat()
}

/// High half first, each little-endian.
fn sequence_number(sample: SampleIdentity) -> [u8; 8] {
    let mut bytes = i64::from(sample.sequence_number).to_le_bytes();
    bytes.rotate_left(4);
    bytes
}

#[cfg(test)]
#[path = "large_reply_tests.rs"]
mod tests;
