//! Files of checkpoints and saved worlds.

use crate::node::file_access::{FileKind, WORLD_MARK};
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

/// Writes a file and reports the result.
type Job = Box<dyn FnOnce() + Send>;

/// Thread that writes the files of requests, because the run must not wait for the disk. Dropping
/// it waits until they are written.
pub(crate) struct WriterThread {
    jobs: FileWriter,
    thread: Option<JoinHandle<()>>,
}

/// Sender of jobs to a [`WriterThread`].
#[derive(Clone)]
pub struct FileWriter(Sender<Option<Job>>);

impl WriterThread {
    /// Starts the thread.
    ///
    /// # Errors
    /// The operating system cannot start the thread.
    pub(crate) fn start() -> Result<Self, String> {
        let (jobs, inbox): (_, Receiver<Option<Job>>) = unbounded();
        let thread = std::thread::Builder::new()
            .name("merrow-writer".into())
            .spawn(move || inbox.iter().map_while(|job| job).for_each(|job| job()))
            .map_err(|e| format!("cannot start the thread that writes files: {e}"))?;
        Ok(Self {
            jobs: FileWriter(jobs),
            thread: Some(thread),
        })
    }

    /// Returns a sender of jobs.
    pub(crate) fn sender(&self) -> FileWriter {
        self.jobs.clone()
    }
}

impl Drop for WriterThread {
    fn drop(&mut self) {
        // senders may exist longer than the thread
        let _ = self.jobs.0.send(None);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl FileWriter {
    /// Calls `job` on the thread. If the thread has ended, the job is dropped.
    pub(crate) fn send(&self, job: impl FnOnce() + Send + 'static) {
        let _ = self.0.send(Some(Box::new(job)));
    }
}

/// Writes a checkpoint. An existing file is replaced at once, so that it is whole at any time.
///
/// # Errors
/// One line with the path and the reason.
pub fn write(path: &Path, checkpoint: &[u8]) -> Result<(), String> {
    write_whole("checkpoint", path, checkpoint)
}

/// Renames an older checkpoint to the same name with `.old`, so that a new run does not replace it.
///
/// # Errors
/// One line: the file is not a checkpoint, or cannot be renamed.
pub fn keep_previous(path: &Path) -> Result<(), String> {
    if !path.is_file() {
        return Ok(());
    }
    if !FileKind::Checkpoint.is_kind_of(path) {
        return Err(format!(
            "{}: exists and is not a checkpoint; choose another name",
            path.display()
        ));
    }
    let mut old = path.file_name().unwrap_or_default().to_os_string();
    old.push(".old");
    std::fs::rename(path, path.with_file_name(old))
        .map_err(|e| format!("cannot rename the older checkpoint {}: {e}", path.display()))
}

/// Writes a saved world. An existing saved world is replaced at once.
///
/// # Errors
/// One line with the path and the reason: another file has the name, or the world extends it.
pub fn write_world(path: &Path, world: &str) -> Result<(), String> {
    if let Ok(existing) = path.canonicalize() {
        if existing.is_file() && !FileKind::World.is_kind_of(&existing) {
            return Err(format!(
                "{} exists and is not a saved world; choose another name",
                path.display()
            ));
        }
        let mut base = base_of(world, path);
        let mut known = BTreeSet::new();
        while let Some(file) = base.filter(|file| known.insert(file.clone())) {
            if file == existing {
                return Err(format!(
                    "{} is a file of this world; choose another name",
                    path.display()
                ));
            }
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            base = base_of(&text, &file);
        }
    }
    write_whole("world", path, format!("{WORLD_MARK}{world}").as_bytes())
}

/// Writes a file, which is whole at any time.
fn write_whole(kind: &str, path: &Path, content: &[u8]) -> Result<(), String> {
    // the new file takes the place of what has the name, which can be a device or a socket
    if path.exists() && !path.is_file() {
        return Err(format!(
            "cannot write the {kind} {}: expected a file, found a folder or a device; choose another \
             name",
            path.display()
        ));
    }
    let temporary_path = temporary(path);
    let written = File::create(&temporary_path)
        .and_then(|mut file| {
            file.write_all(content)?;
            file.sync_all()
        })
        .and_then(|()| std::fs::rename(&temporary_path, path))
        .map(|()| sync_folder(path));
    written.map_err(|e| {
        // report the first error
        let _ = std::fs::remove_file(&temporary_path);
        format!("cannot write the {kind} {}: {e}", path.display())
    })
}

/// Makes the new name of a file durable, which otherwise a power cut can undo.
fn sync_folder(path: &Path) {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = File::open(folder.unwrap_or(Path::new(".")));
    // the file is complete also where a folder cannot be synchronised, as on some network drives
    let _ = folder.and_then(|folder| folder.sync_all());
}

/// Reads a checkpoint.
///
/// # Errors
/// One line with the path and the reason.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("cannot read the checkpoint {}: {e}", path.display()))
}

/// Returns a path in the same folder, which no other process and no other call uses.
fn temporary(path: &Path) -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}-{number}.tmp", std::process::id()));
    path.with_file_name(name)
}

/// Returns the existing file that the world `text` of the file `path` extends.
fn base_of(text: &str, path: &Path) -> Option<PathBuf> {
    let name = text
        .lines()
        .find_map(|line| line.strip_prefix("extends: "))?;
    let name = name.trim().trim_matches('"');
    path.parent()?.join(name).canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Only files are replaced. Method: a folder and a socket with the name of a checkpoint and of a
    // world, and a file that is no checkpoint.
    #[test]
    fn only_files_are_replaced() {
        let folder = std::env::temp_dir().join(format!("merrow_replaced_{}", std::process::id()));
        std::fs::create_dir_all(folder.join("folder")).unwrap();
        let socket = folder.join("socket");
        let _socket = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for path in [folder.join("folder"), socket] {
            for result in [write(&path, b"state"), write_world(&path, "robots: {}")] {
                let why = result.unwrap_err();
                assert!(why.contains("expected a file, found"), "{why}");
            }
            assert!(path.exists() && !path.is_file());
        }
        let text = folder.join("notes.txt");
        std::fs::write(&text, "notes").unwrap();
        let why = keep_previous(&text).unwrap_err();
        assert!(why.contains("exists and is not a checkpoint"), "{why}");
        assert_eq!(std::fs::read_to_string(&text).unwrap(), "notes");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 3);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
