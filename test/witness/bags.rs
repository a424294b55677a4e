//! Bags with compressed chunks, written by another program.

use merrow_ros2::bag::index::BagIndex;
use merrow_ros2::bag::topics::visit_messages;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::common::folder::Folder;
use crate::common::python::script;
use merrow_ros2::bag::read::read_messages;

/// Times of the messages [ns].
const TIMES: std::ops::Range<usize> = 0..3000;

/// Writes the bags, or returns `None` if peers are skipped.
fn bags(folder: &Folder) -> Option<Vec<PathBuf>> {
    let done = script("witness/compressed_bags.py")?
        .arg(&folder.0)
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let files = std::fs::read_dir(&folder.0).unwrap();
    let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    assert_eq!(paths.len(), 6);
    Some(paths)
}

/// Returns the bytes of message `k`, computed again.
fn message(k: usize) -> Vec<u8> {
    let time = k * 10;
    let numbers = (0..k % 90).map(|factor| (time * factor % 997).to_string());
    let mut text = numbers.collect::<Vec<_>>().join(",").into_bytes();
    text.resize(
        text.len() + if k.is_multiple_of(70) { 2000 } else { 0 },
        b'0',
    );
    let mut bytes = vec![0, 1, 0, 0];
    bytes.extend((time as u64).to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text);
    bytes
}

/// Returns the number of messages of a bag, and whether it is complete. Panics if its messages are
/// not the first messages of the original.
fn check_messages(path: &Path) -> (usize, bool) {
    let mut count = 0;
    let content = visit_messages(path, &mut |_, found| {
        assert_eq!(found.log_time_ns as usize, count * 10);
        assert_eq!(
            found.cdr,
            message(count),
            "{}: message {count}",
            path.display()
        );
        count += 1;
        Ok(())
    });
    let content = content.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    (count, content.notes.is_empty() && !content.is_damaged)
}

// Chunks that the C libraries of LZ4 and Zstandard compressed are read: frames of one block and of
// many, blocks that refer to earlier blocks, repeated bytes. Method: bags of the MCAP library of
// Python with chunks of 300 bytes to one chunk; every byte is compared. A compression of another
// name is refused.
#[test]
fn compressed_chunks_are_read() {
    let folder = Folder::new("compressed_chunks", &[]);
    let Some(paths) = bags(&folder) else { return };
    let topics = HashSet::from(["/x".to_string()]);
    for path in &paths {
        assert_eq!(check_messages(path), (TIMES.len(), true));
        assert_eq!(read_messages(path, &topics).unwrap().len(), TIMES.len());
    }
    let mut bytes = std::fs::read(&paths[5]).unwrap();
    let name = bytes.windows(4).position(|w| w == b"zstd").unwrap();
    bytes[name..name + 4].copy_from_slice(b"zst9");
    std::fs::write(&paths[5], &bytes).unwrap();
    let error = visit_messages(&paths[5], &mut |_, _| Ok(())).unwrap_err();
    assert!(
        error.contains("compressed with zst9; expected lz4, zstd or none"),
        "{error}"
    );
}

// A message in a compressed chunk is found by its time. Method: the latest and the next message at
// times between the messages, also without the summary.
#[test]
fn compressed_chunks_are_indexed() {
    let folder = Folder::new("compressed_index", &[]);
    let Some(paths) = bags(&folder) else { return };
    for path in &paths {
        let check = |step: usize| {
            let mut index = BagIndex::open(path).unwrap();
            let x = index.topic("/x").unwrap();
            for k in TIMES.step_by(step) {
                let time = (k * 10 + 5) as u64;
                let latest = index.latest(x, time).unwrap().unwrap();
                assert_eq!(*index.read(&latest).unwrap(), message(k));
                let next = index.next(x, time).unwrap();
                assert_eq!(next.is_some(), k + 1 < TIMES.len());
            }
        };
        check(113);
        let bytes = std::fs::read(path).unwrap();
        std::fs::write(path, &bytes[..bytes.len() - 37]).unwrap();
        check(499);
    }
}

// A compressed bag that was cut is read up to the last complete block, and no byte causes a panic
// or too much memory. Method: cuts at many lengths, a shorter bag never has more messages; single
// bytes replaced.
#[test]
fn damaged_compressed_chunks_are_read_or_refused() {
    let folder = Folder::new("compressed_damage", &[]);
    let Some(paths) = bags(&folder) else { return };
    for path in paths.iter().filter(|path| !path.ends_with("300.mcap")) {
        let bytes = std::fs::read(path).unwrap();
        let mut before = 0;
        for part in 1..=10 {
            std::fs::write(path, &bytes[..bytes.len() * part / 10]).unwrap();
            let (count, _) = check_messages(path);
            assert!(count >= before, "{} of {before}", count);
            before = count;
        }
        assert_eq!(before, TIMES.len());
        for at in (0..bytes.len()).step_by(bytes.len() / 15) {
            let mut changed = bytes.clone();
            changed[at] ^= 0xff;
            std::fs::write(path, &changed).unwrap();
            let _ = visit_messages(path, &mut |_, _| Ok(()));
            let _ = BagIndex::open(path);
        }
    }
}
