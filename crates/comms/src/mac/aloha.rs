//! Pure ALOHA: a frame is transmitted as soon as it waits.
//!
//! # Law
//! ```text
//!   S = G exp(-2 G)      (1)  [Abramson 1970]
//! ```
//!
//! # Symbols
//! S received frames per frame duration · G transmitted frames per frame duration, a Poisson
//! process.
//!
//! # Limits
//! The law repeats no frame; frames are repeated only if they are not acknowledged. A modem also
//! transmits during a reception; a half-duplex modem then loses the received frame.
//!
//! # Checked by
//! crates/comms/tests/network/throughput.rs

use crate::mac::context::MacContext;
use crate::mac::{Aloha, Decision, MediumAccess};

impl MediumAccess for Aloha {
    type State = ();

    fn decide(&self, _state: &mut (), _cx: &mut MacContext<'_>) -> Decision {
        Decision::Transmit
    }
}
