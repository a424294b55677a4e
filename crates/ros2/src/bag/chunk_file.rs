//! File of a recording: counts the bytes that it accepts, and can be ended after a failed write.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Record that ends the data section: opcode, length, and the CRC 0, which means that there is
/// none.
const DATA_END: [u8; 13] = [0x0f, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// Footer of a file without a summary: opcode, length, two offsets and a CRC, all 0.
const FOOTER: [u8; 29] = {
    let mut record = [0; 29];
    record[0] = 0x02;
    record[1] = 20;
    record
};

/// A buffered file that counts the bytes passed to it.
pub(crate) struct ChunkFile {
    file: BufWriter<File>,
    accepted: Arc<AtomicU64>,
}

impl ChunkFile {
    /// Returns the file and the counter of accepted bytes, which include the bytes in the buffer.
    pub(crate) fn new(file: File) -> (Self, Arc<AtomicU64>) {
        let accepted = Arc::new(AtomicU64::new(0));
        let file = BufWriter::new(file);
        let counted = Arc::clone(&accepted);
        (Self { file, accepted }, counted)
    }

    /// Writes the buffer and returns the file.
    ///
    /// # Errors
    /// The buffer cannot be written.
    pub(crate) fn into_file(self) -> io::Result<File> {
        self.file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)
    }

    /// Returns the file without writing the buffer.
    pub(crate) fn discard_buffer(self) -> File {
        self.file.into_parts().0
    }
}

impl Write for ChunkFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.accepted.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for ChunkFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Cuts an MCAP file after `bytes` bytes, which must be the end of a record, and ends it without a
/// summary. If the end cannot be written, the cut file remains, which streaming readers can read.
///
/// # Errors
/// The file cannot be cut.
pub(crate) fn end_after(file: &mut File, bytes: u64) -> io::Result<()> {
    file.set_len(bytes)?;
    file.seek(SeekFrom::Start(bytes))?;
    let end = [&DATA_END[..], &FOOTER[..], mcap::MAGIC].concat();
    if file.write_all(&end).is_err() {
        file.set_len(bytes)?;
    }
    Ok(())
}
