//! Folders of a test's own.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// Folders made so far: tests of one name run side by side.
static MADE: AtomicU32 = AtomicU32::new(0);

/// A folder with these files, removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    /// `name` is for who looks at what is left behind.
    pub fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!(
            "merrow_test_{name}_{}_{number}",
            std::process::id()
        ));
        // what an earlier process of the same number left behind, if anything
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
        // a folder left behind harms nothing
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
