//! Frequency-division multiple access: every modem transmits in its own part of the band.
//!
//! # Law
//! ```text
//!   R' = R / n,  N' = N / n      (1)
//! ```
//!
//! # Symbols
//! n number of parts · R, N data rate [bit/s] and noise power in the whole band · R', N' in one
//! part.
//!
//! # Limits
//! Parts of equal width with white noise and no leakage between them. A receiver receives in all
//! parts of the band simultaneously. Two modems in the same part interfere.
//!
//! # Checked by
//! crates/comms/tests/network/access.rs

use crate::mac::context::MacContext;
use crate::mac::{Decision, MediumAccess};
use merrow_model::scene::comms::mac::Fdma;

impl MediumAccess for Fdma {
    type State = ();

    fn decide(&self, _state: &mut (), _cx: &mut MacContext<'_>) -> Decision {
        Decision::Transmit
    }
}
