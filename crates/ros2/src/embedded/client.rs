//! Client of one service, for servers of both families of DDS vendors.
//!
//! Servers of Cyclone DDS read 16 bytes before the request, a client identity and a number, and
//! repeat them before the response. Servers of Fast DDS (and Connext) read the reader of the client
//! from the RELATED_SAMPLE_IDENTITY in the inline QoS and repeat it there with the number of the
//! request. The client has one writer for each family, which matches the servers of that family
//! only, and one reader for the replies of both.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use merrow_rtps::engine::{OutgoingSample, Sample};
use merrow_rtps::participant::{Participant, Writer};
use merrow_rtps::wire::{EndpointData, Guid, SampleIdentity, SequenceNumber, VendorId};

use crate::backend::{ClientEndpoint, ReplyHandler};
use crate::embedded::EndpointGuard;
use crate::embedded::service::split_cyclone_header;
use crate::embedded::transport::HEADER_LEN;
use crate::node::PublishError;

/// Maximum number of requests to servers of Fast DDS whose replies are awaited.
const MAX_AWAITED: usize = 4096;

/// Returns whether a server of `vendor` reads the payload header. Merrow's server reads both forms.
pub(super) fn reads_header(_: &EndpointData, vendor: VendorId) -> bool {
    vendor == VendorId::CYCLONE_DDS
}

/// Returns whether a server of `vendor` reads the inline QoS.
pub(super) fn reads_inline_qos(reader: &EndpointData, vendor: VendorId) -> bool {
    !reads_header(reader, vendor)
}

/// Client identity and awaited requests, shared by the endpoint and the thread of the replies.
#[derive(Debug)]
pub(crate) struct Requests {
    /// First 8 bytes of the payload header of this client.
    identity: [u8; 8],
    /// Reader of the replies.
    reader: Guid,
    state: Mutex<Awaited>,
}

#[derive(Debug, Default)]
struct Awaited {
    /// Number of the last request.
    last: i64,
    /// Numbers of the requests in inline QoS by the sequence number of their sample.
    by_sample: BTreeMap<SequenceNumber, i64>,
}

impl Requests {
    /// Creates the state of the client whose replies arrive at `reader`.
    pub(super) fn new(reader: Guid) -> Self {
        // prefix and key of the reader are unique on the network
        let bytes = reader.to_bytes();
        let mut identity = [0; 8];
        identity.copy_from_slice(&bytes[8..16]);
        for (target, byte) in identity.iter_mut().zip(&bytes[..8]) {
            *target ^= byte;
        }
        Self {
            identity,
            reader,
            state: Mutex::default(),
        }
    }

    /// Returns the number of the request that a sample answers, and the response with its
    /// encapsulation header. `None` if it answers a request of another client.
    fn reply(&self, sample: &Sample) -> Option<(i64, Vec<u8>)> {
        let Some(related) = sample.related else {
            let (header, reply) = split_cyclone_header(&sample.payload)?;
            let (identity, number) = header.split_first_chunk::<8>()?;
            let number = i64::from_le_bytes(*number.first_chunk()?);
            let is_own = *identity == self.identity;
            return is_own.then_some((number, reply));
        };
        if related.writer != self.reader {
            return None;
        }
        let number = self
            .state
            .lock()
            .by_sample
            .remove(&related.sequence_number)?;
        Some((number, sample.payload.to_vec()))
    }

    /// Returns the payload of request `number` for servers of Cyclone DDS; `None` if the request
    /// lacks its encapsulation header.
    fn with_header(&self, number: i64, request: &[u8]) -> Option<Bytes> {
        let (encapsulation, body) = request.split_first_chunk::<HEADER_LEN>()?;
        let number = number.to_le_bytes();
        Some(Bytes::from(
            [encapsulation, &self.identity[..], &number, body].concat(),
        ))
    }
}

/// Receiver of the replies, which belongs to the node's thread.
pub(crate) struct ReplyReceiver {
    requests: Arc<Requests>,
    handler: ReplyHandler,
}

impl ReplyReceiver {
    pub(super) fn new(requests: Arc<Requests>, handler: ReplyHandler) -> Self {
        Self { requests, handler }
    }

    /// Passes a reply to the handler, unless it answers another client.
    pub(crate) fn receive(&mut self, sample: &Sample) {
        if let Some((number, response)) = self.requests.reply(sample) {
            (self.handler)(number, &response);
        }
    }
}

/// Endpoint of a client.
pub(super) struct EmbeddedClient {
    pub(super) participant: Participant,
    pub(super) requests: Arc<Requests>,
    /// Writers for servers of Cyclone DDS and of other vendors.
    pub(super) with_header: Arc<Writer>,
    pub(super) plain: Arc<Writer>,
    pub(super) _guard: EndpointGuard,
}

impl ClientEndpoint for EmbeddedClient {
    /// Counts the servers whose reader receives the next request and whose participant has a writer
    /// that matches the reader of the replies.
    fn server_count(&self) -> usize {
        let repliers = self.participant.matched_writers(self.requests.reader);
        let writers = [&self.with_header, &self.plain];
        let ready = writers.into_iter().flat_map(|w| w.ready_readers());
        let replies = |reader: &Guid| repliers.iter().any(|w| w.prefix == reader.prefix);
        ready.filter(replies).count()
    }

    fn call(&self, request: &[u8]) -> Result<i64, PublishError> {
        let mut state = self.requests.state.lock();
        state.last += 1;
        let number = state.last;
        let with_header = self.requests.with_header(number, request);
        let with_header = with_header.ok_or(PublishError::NotCdr)?;
        if self.with_header.matched() > 0 {
            write(&self.with_header, with_header, None)?;
        }
        if self.plain.matched() > 0 {
            let reader = SampleIdentity {
                writer: self.requests.reader,
                sequence_number: SequenceNumber::UNKNOWN,
            };
            let request = Bytes::copy_from_slice(request);
            let sample = write(&self.plain, request, Some(reader))?;
            state.by_sample.insert(sample, number);
            if state.by_sample.len() > MAX_AWAITED {
                state.by_sample.pop_first();
            }
        }
        Ok(number)
    }
}

fn write(
    writer: &Writer,
    payload: Bytes,
    related: Option<SampleIdentity>,
) -> Result<SequenceNumber, PublishError> {
    Ok(writer.write(OutgoingSample { payload, related })?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_rtps::wire::{EntityId, GuidPrefix};

    fn requests() -> Requests {
        let prefix = GuidPrefix([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        Requests::new(Guid::new(prefix, EntityId::user_reader(1)))
    }

    fn sample(payload: &[u8], related: Option<SampleIdentity>) -> Sample {
        Sample {
            reader: Guid::UNKNOWN,
            writer: Guid::UNKNOWN,
            sequence_number: SequenceNumber(1),
            source_timestamp: None,
            related,
            payload: Bytes::copy_from_slice(payload),
        }
    }

    #[test]
    fn replies_of_cyclone_dds_repeat_the_header() {
        let requests = requests();
        let sent = requests.with_header(7, &[0, 1, 0, 0, 42]).unwrap();
        assert_eq!(sent.len(), 4 + 16 + 1);
        let reply = requests.reply(&sample(&sent, None));
        assert_eq!(reply, Some((7, vec![0, 1, 0, 0, 42])));
        let mut big = sent.to_vec();
        big[1] = 0;
        big[4..12].reverse();
        big[12..20].reverse();
        let reply = requests.reply(&sample(&big, None));
        assert_eq!(reply, Some((7, vec![0, 0, 0, 0, 42])));
        let mut other = sent.to_vec();
        other[4] ^= 1;
        for bytes in [&other[..], &sent[..10], &[]] {
            assert_eq!(requests.reply(&sample(bytes, None)), None);
        }
        assert_eq!(requests.with_header(8, &[0, 1]), None);
    }

    #[test]
    fn replies_of_fast_dds_name_reader_and_sample() {
        let requests = requests();
        requests.state.lock().by_sample.insert(SequenceNumber(3), 9);
        let related = |writer, number| {
            Some(SampleIdentity {
                writer,
                sequence_number: SequenceNumber(number),
            })
        };
        let response = [0, 1, 0, 0, 42];
        let reply = |related| requests.reply(&sample(&response, related));
        assert_eq!(reply(related(Guid::UNKNOWN, 3)), None, "another client");
        assert_eq!(reply(related(requests.reader, 2)), None, "not awaited");
        let own = related(requests.reader, 3);
        assert_eq!(reply(own), Some((9, response.to_vec())));
        assert_eq!(reply(own), None, "a second reply");
    }
}
