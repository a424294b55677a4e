//! Folders of a test's own.

use std::path::PathBuf;

/// A folder with these files, removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    /// `name` must be the test's own.
    pub fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir().join(format!("merrow_test_{name}_{}", std::process::id()));
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
