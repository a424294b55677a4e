//! Digests: of bytes, and of a scene, so that a checkpoint is resumed in its own world only.

use crate::scene::Scene;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Computes the SHA-256 digest of `bytes`.
pub fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Returns SHA-256 of all data that the world file and the files it names determine, including the
/// seed. Comments, file names and the order of keys that the scene does not contain have no effect.
pub fn scene_digest(scene: &Scene) -> [u8; 32] {
    let mut sink = Sink(Sha256::new());
    // the text has every field of the scene, and every number in its shortest exact form; writing
    // to this sink never fails
    let _ = write!(sink, "{scene:?}");
    sink.0.finalize().into()
}

struct Sink(Sha256);

impl Write for Sink {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}
