//! Communication networks: channels of sound, radio and light, modems and medium access.
//!
//! [`propagation::Channel`] is the interface between the channels and the network of modems.
//! [`channel`] contains the laws of the media, [`link`] the reception of frames,
//! [`network::Network`] the discrete-event engine and [`mac`] the medium access protocols.
//!
//! # Example
//! ```
//! use merrow_comms::link::modulation::bit_error_rate;
//! use merrow_comms::link::reception::all_correct;
//! use merrow_model::scene::comms::scheme::{Modulation, Scheme};
//! use merrow_yaml::read::Places;
//!
//! // BPSK at 1 kbit/s in a band of 4 kHz, with a signal 3 dB above the noise
//! let scheme = Scheme {
//!     name: "bpsk".into(),
//!     modulation: Modulation::Bpsk,
//!     rate_bit_s: 1000.0,
//!     coding_gain_db: 0.0,
//!     min_snr_db: 4.0,
//!     at: Places::default(),
//! };
//! let rate = bit_error_rate(&scheme, 2.0, 4000.0);
//! assert!((rate - 3.2e-5).abs() < 1e-6);
//! assert!((all_correct(rate, 1000.0) - 0.969).abs() < 1e-3);
//! ```

pub mod channel;
pub mod link;
pub mod mac;
pub mod network;
pub mod propagation;
