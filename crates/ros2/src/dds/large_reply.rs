//! Service replies of any size, for clients that identify the request by the inline QoS of the
//! reply.
//!
//! A reply that does not fit into one datagram is sent in fragments. The DDS library (rustdds
//! 0.15.1) inserts one byte too many before the inline QoS of a fragment, which contains the
//! identity of the request. A release build therefore sends fragments that Fast DDS discards. In a
//! debug build an assertion ends the thread that serves all of DDS. As a workaround, the library
//! sends such a reply without the identity. Just before, this module sends the same sample of the
//! same writer with the identity, in fragments according to RTPS 2.5 (8.3.8.3) and DDS-RPC 1.0
//! (7.8.2). Remove this module once the library is fixed.
//!
//! Fast DDS (2.6 to 3.2, according to its source) takes the identity from the first fragment that
//! arrives, regardless of the sender, and uses it for all later fragments of the same sample. The
//! library therefore repairs lost fragments, unless all fragments sent here are lost: then the
//! reply has no identity and no client accepts it. Fast DDS does not accept a sample that arrives
//! partly in fragments and then in one piece. Where the library sends one piece, it therefore sends
//! the identity too. Clients are reached if their readers listen on UDP over IPv4.

use std::collections::{BTreeSet, HashMap};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::sync::Arc;

use rustdds::bytes::Bytes;
use rustdds::discovery::DiscoveredReaderData;
use rustdds::rpc::SampleIdentity;
use rustdds::{GUID, RTPSEntity, Timestamp, WriteOptions, WriteOptionsBuilder};

use crate::dds::networks::Networks;
use crate::dds::transport::{HEADER_LEN, RawWriter};

/// Maximum payload size [bytes], including the encapsulation header, that the library never
/// fragments. It would do so only on a network with an MTU below 1152, but IPv6 requires at least
/// 1280.
const MAX_UNFRAGMENTED_LEN: usize = 1024;

/// Size of a fragment [bytes], equal to that of the library, so that both number the fragments in
/// the same way.
const FRAGMENT_LEN: usize = 256;

/// Number of fragments in a datagram. With all headers it fits into an MTU of 1280 bytes.
const FRAGMENTS_IN_DATAGRAM: usize = 4;

/// Maximum number of datagrams sent for one sample; one that arrives is enough. A sample that the
/// library can send in one piece never needs more.
const MAX_DATAGRAMS: usize = 64;

/// Maximum number of addresses used for one client.
const MAX_ADDRESSES: usize = 16;

/// Encapsulation header of every payload: little-endian classic CDR.
const ENCAPSULATION: [u8; HEADER_LEN] = [0, 1, 0, 0];

/// GUID prefix of a participant, with which the GUIDs of its endpoints begin.
type GuidPrefix = [u8; 12];

/// A reply as it is passed to DDS.
pub(crate) struct Reply {
    /// Little-endian payload without its encapsulation header.
    pub body: Bytes,
    /// Time at which the reply was created.
    pub made_at: Timestamp,
    /// Request that the reply answers, for clients that read this from the inline QoS.
    pub related: Option<SampleIdentity>,
}

impl Reply {
    fn len(&self) -> usize {
        HEADER_LEN + self.body.len()
    }
}

/// Writes the replies of one service.
pub(crate) struct ReplyWriter {
    dds: RawWriter,
    networks: Arc<Networks>,
    order: SampleNumbering,
}

impl ReplyWriter {
    /// Creates the only user of the writer `dds`. `networks` are the networks that the DDS library
    /// has found.
    pub(crate) fn new(dds: RawWriter, networks: Arc<Networks>) -> Self {
        Self {
            dds,
            networks,
            order: SampleNumbering {
                next: 1,
                promised: None,
            },
        }
    }

    /// Returns the writer, for its match events.
    pub(crate) fn dds(&self) -> &RawWriter {
        &self.dds
    }

    /// Sends a reply to a client. `matched` are the matched readers of the writer.
    ///
    /// The reply is lost if the client is so late that the send window is full, as with any vendor.
    pub(crate) fn write<T>(&mut self, reply: &Reply, client: GUID, matched: &HashMap<GUID, T>) {
        let options = WriteOptionsBuilder::new().source_timestamp(reply.made_at);
        let sample = |options: WriteOptionsBuilder| (reply.body.clone(), options.build());
        let Some(identity) = reply.related.filter(|_| reply.len() > MAX_UNFRAGMENTED_LEN) else {
            let options = options.related_sample_identity_opt(reply.related);
            return self.write_announced(sample(options), |_| false);
        };
        let readers = self.readers(guid_prefix(&client), matched);
        let asked = readers
            .iter()
            .find(|reader| reader.reader_proxy.remote_reader_guid == identity.writer_guid);
        let in_one_piece = |reader: &&DiscoveredReaderData| {
            self.networks.fits_one_datagram(
                reply.len(),
                locators(reader).filter(|address| address.port() != 0),
            )
        };
        if let Some(reader) = asked.filter(in_one_piece) {
            // other readers, whose networks may have smaller MTUs, must not receive it
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
            send_datagrams(
                &build_datagrams(sample, identity, guid_prefix(&client), reply),
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

    /// Returns the matched readers of a participant.
    fn readers<T>(
        &self,
        participant: GuidPrefix,
        matched: &HashMap<GUID, T>,
    ) -> Vec<DiscoveredReaderData> {
        // the participant does not exist any more while the node shuts down
        let Some(library) = self.dds.publisher().participant() else {
            return Vec::new();
        };
        let mut readers = library.discovered_readers();
        readers.retain(|reader| {
            let guid = reader.reader_proxy.remote_reader_guid;
            guid_prefix(&guid) == participant && matched.contains_key(&guid)
        });
        readers
    }
}

/// Payload and options of a library write.
type Sample = (Bytes, WriteOptions);

/// Sequence number of the next sample.
///
/// After a client has received a sample, no other sample may use its number: the client would take
/// it for a repetition.
struct SampleNumbering {
    next: i64,
    /// Sample that was sent to its client but not accepted by the library.
    promised: Option<Sample>,
}

impl SampleNumbering {
    /// Announces a sample with its expected number and passes it to the library, which returns the
    /// number if it accepts the sample. `announce` returns whether the sample was sent to at least
    /// one address.
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

/// Returns the GUID prefix of the participant that owns an endpoint.
pub(super) fn guid_prefix(guid: &GUID) -> GuidPrefix {
    let [participant @ .., _, _, _, _] = guid.to_bytes();
    participant
}

/// Returns the UDP addresses of a reader; locators of other kinds have port 0.
fn locators(reader: &DiscoveredReaderData) -> impl Iterator<Item = SocketAddr> {
    reader
        .reader_proxy
        .unicast_locator_list
        .iter()
        .map(|locator| (*locator).into())
}

/// Returns the addresses of the readers.
fn addresses(readers: &[DiscoveredReaderData]) -> Vec<SocketAddrV4> {
    let distinct: BTreeSet<_> = readers
        .iter()
        .flat_map(locators)
        .filter_map(unicast_address)
        .collect();
    distinct.into_iter().take(MAX_ADDRESSES).collect()
}

/// Returns an announced address if it can be that of a single reader.
fn unicast_address(address: SocketAddr) -> Option<SocketAddrV4> {
    let SocketAddr::V4(address) = address else {
        return None;
    };
    let ip = address.ip();
    let is_many = ip.is_unspecified() || ip.is_multicast() || ip.is_broadcast();
    (!is_many && address.port() != 0).then_some(address)
}

/// Sends all datagrams to each address in turn. Returns whether there was an address.
fn send_datagrams(datagrams: &[Vec<u8>], addresses: &[SocketAddrV4]) -> bool {
    // datagrams that cannot be sent immediately are dropped, as they may be lost on the network
    let Ok(socket) = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)) else {
        return false;
    };
    if socket.set_nonblocking(true).is_err() {
        return false;
    }
    for address in addresses {
        for datagram in datagrams {
            // an unreachable address is only one of several
            socket
                .send_to(datagram, address)
                .map(drop)
                .unwrap_or_default();
        }
    }
    !addresses.is_empty()
}

/// Builds the RTPS messages of a sample that answers a request, or of the beginning of the sample.
fn build_datagrams(
    sample: SampleIdentity,
    answered: SampleIdentity,
    to: GuidPrefix,
    reply: &Reply,
) -> Vec<Vec<u8>> {
    let payload = [&ENCAPSULATION[..], &reply.body].concat();
    // RTPS does not support larger samples
    let Ok(sample_size) = u32::try_from(payload.len()) else {
        return Vec::new();
    };
    let opening = message_header(guid_prefix(&sample.writer_guid), to, reply.made_at);
    let identity = inline_qos(answered);
    let chunks = payload
        .chunks(FRAGMENT_LEN * FRAGMENTS_IN_DATAGRAM)
        .take(MAX_DATAGRAMS);
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

/// Builds the common start of every message: sender, receiver and time stamp of the sample.
fn message_header(from: GuidPrefix, to: GuidPrefix, made_at: Timestamp) -> Vec<u8> {
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

/// Builds the submessage with consecutive fragments of a sample. `first` is the number of the first
/// fragment, counted from 1.
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
    let count = chunk.len().div_ceil(FRAGMENT_LEN) as u16;
    // submessages end on a multiple of 4 bytes
    let padding = vec![0; chunk.len().next_multiple_of(4) - chunk.len()];
    let body = [
        &NO_EXTRA_FLAGS_AND_OFFSET_TO_INLINE_QOS[..],
        &ANY_READER,
        &sample.writer_guid.to_bytes()[12..],
        &sequence_number(sample),
        &first.to_le_bytes(),
        &count.to_le_bytes(),
        &(FRAGMENT_LEN as u16).to_le_bytes(),
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

/// Builds the inline QoS that identifies the answered request, with the parameter id of DDS-RPC and
/// that of older versions of Fast DDS.
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

/// Encodes a sequence number: high half first, each half little-endian.
fn sequence_number(sample: SampleIdentity) -> [u8; 8] {
    let mut bytes = i64::from(sample.sequence_number).to_le_bytes();
    bytes.rotate_left(4);
    bytes
}

#[cfg(test)]
#[path = "large_reply_tests.rs"]
mod tests;
