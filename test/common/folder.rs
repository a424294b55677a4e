//! Temporary folders for tests.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// Number of folders created so far; it makes names unique when tests with the same name run
/// concurrently.
static NEXT_NUMBER: AtomicU32 = AtomicU32::new(0);

/// A temporary folder with the given files, removed on drop.
pub(crate) struct Folder(pub PathBuf);

impl Folder {
    /// Creates the folder with `files` (name, text). `name` identifies the test in the folder name.
    pub(crate) fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!(
            "merrow_test_{name}_{}_{number}",
            std::process::id()
        ));
        // Remove leftovers of an earlier process with the same id.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        for (file, text) in files {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A leftover folder is harmless.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
