//! The DDS wire protocol RTPS 2.5 over UDP, with the parts that ROS 2 uses.
//!
//! [`wire`] encodes and decodes messages and discovery data. [`qos`] holds the quality-of-service
//! policies and decides whether a writer and a reader match. [`engine`] is the protocol without
//! input, output and clock. [`udp`] holds the sockets and threads. [`participant`] connects engine
//! and sockets and is the public interface for applications. The crate is independent of ROS and of
//! the simulator.
//!
//! # Example
//!
//! A writer sends one sample and a heartbeat. A reader parses the datagram.
//!
//! ```
//! use bytes::Bytes;
//! use merrow_rtps::wire::{
//!     Data, EntityId, GuidPrefix, Heartbeat, InlineQos, MessageBuilder, Payload, SequenceNumber,
//!     Submessage, parse,
//! };
//!
//! let (reader, writer) = (EntityId::user_reader(1), EntityId::user_writer(1));
//! let mut builder = MessageBuilder::new(GuidPrefix([7; 12]));
//! builder.data(&Data {
//!     reader,
//!     writer,
//!     sequence_number: SequenceNumber(1),
//!     inline_qos: InlineQos::default(),
//!     payload: Payload::Data(Bytes::from_static(&[0, 1, 0, 0, 42, 0, 0, 0])),
//! });
//! builder.fixed(&Heartbeat {
//!     reader,
//!     writer,
//!     first: SequenceNumber(1),
//!     last: SequenceNumber(1),
//!     count: 1,
//!     is_final: false,
//!     liveliness: false,
//! });
//! let datagram: Bytes = builder.finish().concat().into();
//!
//! let message = parse(datagram)?;
//! assert_eq!(message.submessages.len(), 2);
//! let Submessage::Data(data) = &message.submessages[0] else {
//!     panic!("expected a sample");
//! };
//! assert_eq!(data.sequence_number, SequenceNumber(1));
//! # Ok::<(), merrow_rtps::wire::ParseError>(())
//! ```

#![forbid(unsafe_code)]

pub mod engine;
pub mod participant;
pub mod qos;
pub mod udp;
pub mod wire;
