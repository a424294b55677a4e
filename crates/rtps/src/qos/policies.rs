//! QoS policies with the defaults of DDS 1.4, 2.2.3, which are also the values of absent
//! parameters (RTPS 2.5, 9.6.3).

use bytes::Bytes;

use crate::wire::Duration;

/// Declares a policy of two or more ordered kinds with its numbers on the wire.
macro_rules! kinds {
    ($(#[$outer:meta])* $name:ident { $($(#[$inner:meta])* $kind:ident = $value:literal),+ $(,)? }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$inner])* $kind = $value),+ }

        impl $name {
            /// Returns the number on the wire.
            pub fn number(self) -> u32 {
                self as u32
            }

            /// Returns the kind with the number `number` on the wire, if it is valid.
            pub fn from_number(number: u32) -> Option<$name> {
                match number {
                    $($value => Some($name::$kind),)+
                    _ => None,
                }
            }
        }
    };
}

kinds! {
    /// Whether lost samples are repaired.
    ReliabilityKind {
        /// Samples can be lost.
        #[default]
        BestEffort = 1,
        /// Lost samples are repaired.
        Reliable = 2,
    }
}

kinds! {
    /// Samples that a reader receives that matches after they were written.
    Durability {
        /// The kind of no policy: the endpoints match.
        #[default]
        Volatile = 0,
        /// Samples in the history of the writer.
        TransientLocal = 1,
        /// Samples of a memory service.
        Transient = 2,
        /// Samples of a storage service.
        Persistent = 3,
    }
}

kinds! {
    /// Entity that asserts the liveliness of a writer.
    LivelinessKind {
        /// The implementation asserts the liveliness by itself.
        #[default]
        Automatic = 0,
        /// The application, once for all writers of the participant.
        ManualByParticipant = 1,
        /// The application, for each writer.
        ManualByTopic = 2,
    }
}

kinds! {
    /// Whether several writers can update one instance.
    Ownership {
        /// All writers can change an instance.
        #[default]
        Shared = 0,
        /// Only the strongest can.
        Exclusive = 1,
    }
}

kinds! {
    /// Order of samples of different writers.
    DestinationOrder {
        /// By time of reception.
        #[default]
        ByReception = 0,
        /// Samples are ordered by their source time.
        BySource = 1,
    }
}

kinds! {
    /// Largest scope in which the order of changes can be kept.
    AccessScope {
        /// Changes are coherent within one instance.
        #[default]
        Instance = 0,
        /// Changes are coherent within one endpoint.
        Topic = 1,
        /// One publisher or subscriber.
        Group = 2,
    }
}

/// Whether lost samples are sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reliability {
    /// Kind. Writers default to reliable, readers to best effort.
    pub kind: ReliabilityKind,
    /// Longest time that a write can wait for space.
    pub max_blocking: Duration,
}

/// Samples that an endpoint stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    /// The last samples, up to this count.
    KeepLast(u32),
    /// All samples.
    KeepAll,
}

/// How a writer asserts its liveliness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Liveliness {
    /// Entity that asserts the liveliness.
    pub kind: LivelinessKind,
    /// Longest time between two assertions.
    pub lease: Duration,
}

/// Coherence and order of changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Presentation {
    /// Scope of coherent and ordered changes.
    pub access_scope: AccessScope,
    /// Whether changes can be grouped.
    pub coherent: bool,
    /// Whether the order is kept.
    pub ordered: bool,
}

/// Encoding of samples (DDS-XTypes 1.3, 7.6.3.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DataRepresentation(pub i16);

impl DataRepresentation {
    /// Classic CDR, version 1 (XCDR1).
    pub const XCDR1: DataRepresentation = DataRepresentation(0);
}

/// QoS of an endpoint. The default is the QoS of readers, [`Qos::reader`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Qos {
    /// Whether lost samples are sent again.
    pub reliability: Reliability,
    /// Whether late readers receive earlier samples.
    pub durability: Durability,
    /// Number of samples that are kept.
    pub history: History,
    /// Longest time between two samples.
    pub deadline: Duration,
    /// Time after which a sample is stale.
    pub lifespan: Duration,
    /// Acceptable delay of delivery.
    pub latency_budget: Duration,
    /// How a writer asserts its liveliness.
    pub liveliness: Liveliness,
    /// Whether several writers can change an instance.
    pub ownership: Ownership,
    /// Order of samples of different writers.
    pub destination_order: DestinationOrder,
    /// Coherence and order of the changes.
    pub presentation: Presentation,
    /// Partitions; an empty list is the partition with the empty name.
    pub partition: Vec<String>,
    /// Representations that a writer offers (the first counts) or a reader accepts. An empty list
    /// is XCDR1.
    pub representation: Vec<DataRepresentation>,
    /// Data of the application.
    pub user_data: Bytes,
}

impl Qos {
    /// Returns the default QoS of readers.
    pub fn reader() -> Qos {
        Qos {
            reliability: Reliability {
                kind: ReliabilityKind::BestEffort,
                max_blocking: Duration::from_nanos(100_000_000),
            },
            durability: Durability::default(),
            history: History::KeepLast(1),
            deadline: Duration::INFINITE,
            lifespan: Duration::INFINITE,
            latency_budget: Duration::ZERO,
            liveliness: Liveliness {
                kind: LivelinessKind::Automatic,
                lease: Duration::INFINITE,
            },
            ownership: Ownership::default(),
            destination_order: DestinationOrder::default(),
            presentation: Presentation::default(),
            partition: Vec::new(),
            representation: Vec::new(),
            user_data: Bytes::new(),
        }
    }

    /// Returns the default QoS of writers: the QoS of readers, but reliable.
    pub fn writer() -> Qos {
        let mut qos = Qos::reader();
        qos.reliability.kind = ReliabilityKind::Reliable;
        qos
    }

    /// Returns true if the endpoint is reliable.
    pub fn is_reliable(&self) -> bool {
        self.reliability.kind == ReliabilityKind::Reliable
    }
}

impl Default for Qos {
    fn default() -> Qos {
        Qos::reader()
    }
}
