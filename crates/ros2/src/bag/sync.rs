//! Thread that has a growing file written to the disk, because the recorder must not wait for it.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Wall time between two writes to the disk: what a power cut can lose.
const SYNC_PERIOD: Duration = Duration::from_secs(5);

/// Handle of the thread. Dropping it writes the file to the disk and ends the thread.
pub(crate) struct SyncThread {
    /// Closed to end the thread.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl SyncThread {
    /// Starts the thread for the open `file` at `path`.
    ///
    /// # Errors
    /// The operating system has no more file descriptors or threads.
    pub(crate) fn start(file: &File, path: &Path) -> io::Result<Self> {
        let file = file.try_clone()?;
        let folder = path.parent().unwrap_or(path);
        let folder = File::open(super::non_empty(folder));
        let (end, ended) = channel();
        let thread = std::thread::Builder::new()
            .name("merrow-sync".into())
            .spawn(move || {
                // files without a disk, such as pipes, cannot be synchronised
                let sync = |file: &File| drop(file.sync_all());
                // the name of the file
                folder.iter().for_each(sync);
                while ended.recv_timeout(SYNC_PERIOD) == Err(RecvTimeoutError::Timeout) {
                    sync(&file);
                }
                sync(&file);
                folder.iter().for_each(sync);
            })?;
        Ok(Self {
            end: Some(end),
            thread: Some(thread),
        })
    }

    /// Lets the thread write the file to the disk and end, without waiting for it.
    pub(crate) fn end(&mut self) {
        self.end = None;
    }

    /// Writes the file to the disk and ends the thread.
    pub(crate) fn finish(&mut self) {
        self.end();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for SyncThread {
    fn drop(&mut self) {
        self.finish();
    }
}
