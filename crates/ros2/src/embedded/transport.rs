//! Conversion of QoS, discovery range and received samples between ROS 2 and the crate `rtps`.

use std::sync::Arc;

use bytes::Bytes;
use merrow_rtps::engine::{EndpointSpec, Event, Sample};
use merrow_rtps::participant::EventSink;
use merrow_rtps::qos::{self as dds, ReliabilityKind};
use merrow_rtps::udp::discovery::Range;
use merrow_rtps::udp::mailbox::Mailbox;
use merrow_rtps::wire::{Duration, EntityId};

use crate::args::DiscoveryRange;
use crate::embedded::spin::{Item, announced_hash};
use crate::qos::{Durability, History, Qos, Reliability};

/// Length of the encapsulation header of every serialized message [bytes].
pub(super) const HEADER_LEN: usize = 4;

/// Queue of the node's thread.
pub(crate) type Inbox = Arc<Mailbox<EntityId, Item>>;

/// Passes samples and events of the I/O thread to the node's thread.
pub(super) struct InboxSink(pub(super) Inbox);

impl EventSink for InboxSink {
    fn sample(&self, depth: usize, sample: Sample) {
        let (reader, bytes) = (sample.reader.entity, sample.payload.len());
        let item = Item::Event(Event::Sample(sample));
        self.0.push_sample(reader, depth, bytes, item);
    }

    fn event(&self, event: Event) {
        let is_reported = match &event {
            Event::IncompatibleQos { .. } => true,
            Event::Matched { user_data, .. } => announced_hash(user_data).is_some(),
            _ => false,
        };
        if is_reported {
            self.0.push_report(Item::Event(event));
        }
    }
}

/// Describes an endpoint with the type hash in its user data, as the RMWs of ROS 2 Iron and newer
/// do.
pub(super) fn endpoint_spec(
    topic: String,
    dds_type: &str,
    type_hash: &str,
    qos: &Qos,
) -> EndpointSpec {
    let mut dds = dds_qos(qos);
    dds.user_data = Bytes::from(format!("typehash={type_hash};"));
    EndpointSpec {
        topic,
        type_name: dds_type.to_owned(),
        qos: dds,
        accepts: |_, _| true,
    }
}

/// Converts a quality of service to DDS policies.
pub(super) fn dds_qos(qos: &Qos) -> dds::Qos {
    let mut dds = dds::Qos::writer();
    dds.reliability.kind = match qos.reliability {
        Reliability::Reliable => ReliabilityKind::Reliable,
        Reliability::BestEffort => ReliabilityKind::BestEffort,
    };
    dds.durability = match qos.durability {
        Durability::Volatile => dds::Durability::Volatile,
        Durability::TransientLocal => dds::Durability::TransientLocal,
    };
    dds.history = match qos.history {
        History::KeepLast(depth) => dds::History::KeepLast(depth.max(1)),
        History::KeepAll => dds::History::KeepAll,
    };
    if let Some(lifespan) = qos.lifespan {
        let nanos = u64::try_from(lifespan.as_nanos()).unwrap_or(u64::MAX);
        dds.lifespan = Duration::from_nanos(nanos);
    }
    dds
}

/// Converts the range of discovery.
pub(super) fn range(range: DiscoveryRange) -> Range {
    match range {
        DiscoveryRange::Subnet => Range::Subnet,
        DiscoveryRange::Localhost => Range::Localhost,
        DiscoveryRange::Off => Range::Off,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_follow_the_profile() {
        let latched = dds_qos(&Qos::LATCHED);
        assert!(latched.is_reliable());
        assert_eq!(latched.durability, dds::Durability::TransientLocal);
        assert_eq!(latched.history, dds::History::KeepLast(1));
        let default = dds_qos(&Qos::DEFAULT);
        assert_eq!(default.history, dds::History::KeepLast(10));
        let rosout = dds_qos(&Qos::ROSOUT);
        assert_eq!(rosout.lifespan.as_nanos(), Some(10_000_000_000));
        assert!(!dds_qos(&Qos::SENSOR_SUBSCRIPTION).is_reliable());
    }

    #[test]
    fn endpoints_announce_the_type_hash() {
        let spec = endpoint_spec("rt/a".to_owned(), "T", "RIHS01_00", &Qos::DEFAULT);
        assert_eq!(spec.qos.user_data, "typehash=RIHS01_00;");
    }
}
