//! Communication networks: channels of sound, radio and light, modems and medium access.
//!
//! [`propagation::Channel`] is the interface between the channels and the network of modems.
//! [`network::Network`] is the discrete-event engine, [`mac`] contains the medium access protocols.
//!
//! # Example
//! ```
//! use merrow_comms::mac::tdma::StationSchedule;
//! use merrow_comms::network::header::{FrameKind, Header, decode_frame, encode_frame};
//!
//! // 8 vehicles at 10 kbit/s and 50 m; the schedule is a multiple of 0.02 s
//! let schedule = StationSchedule::new(8, [512.0, 64.0], 1e4, 50.0, 1500.0, 0.02);
//! assert_eq!(schedule.station().frame_ns, 740_000_000);
//!
//! // a frame as bytes
//! let header = Header {
//!     kind: FrameKind::Data,
//!     wants_ack: false,
//!     source: 1,
//!     destination: 2,
//!     sequence: 0,
//!     fragment: 0,
//!     fragments: 1,
//!     length: 5,
//! };
//! let mut bytes = Vec::new();
//! encode_frame(&header, b"hello", &mut bytes)?;
//! assert_eq!(decode_frame(&bytes)?, (header, b"hello".as_slice()));
//! # Ok::<(), String>(())
//! ```

pub mod mac;
pub mod network;
pub mod propagation;
