//! State hash, for the proof that two runs are equal. It covers exactly the bytes that a checkpoint
//! stores for the state (`persist`).

use crate::persist::to_bytes;
use crate::state::State;
use sha2::{Digest, Sha256};

impl State {
    /// Computes the hash of the state, 16 hexadecimal digits: the first 8 bytes of the SHA-256 of
    /// its saved form.
    ///
    /// Two runs with the same hash ended in the same state to the last bit. Thread count, build
    /// target and pacing must not change the hash.
    pub fn hash(&self) -> String {
        Sha256::digest(to_bytes(self))
            .iter()
            .take(8)
            .map(|b| format!("{b:02x}"))
            .collect()
    }
}
