//! Tests of the index with bags of the recorder and of the MCAP writer.

use std::fs::File;

use super::*;
use crate::bag::Bag;
use crate::bag::topics::visit_messages;
use crate::cdr::{from_bytes, to_bytes};
use crate::message::Message;
use crate::msg::std_msgs::Float64;
use crate::qos::Qos;

/// A folder for one test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let id = std::process::id();
        let path = std::env::temp_dir().join(format!("merrow_index_{name}_{id}"));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Writes numbers of two topics with the MCAP writer: `/x` every 10 ns from 0 to 990, `/slow` every
/// 500 ns. The value of a message is its time.
fn write(path: &Path, options: mcap::WriteOptions) {
    let options = options.profile("ros2");
    let mut writer = options.create(File::create(path).unwrap()).unwrap();
    let schema = writer.add_schema("std_msgs/msg/Float64", "ros2msg", b"float64 data");
    let schema = schema.unwrap();
    let metadata = BTreeMap::new();
    let mut channel = |name: &str| writer.add_channel(schema, name, "cdr", &metadata).unwrap();
    let channels = [channel("/x"), channel("/slow")];
    for time in (0..1000_u64).step_by(10) {
        for channel in &channels[..if time % 500 == 0 { 2 } else { 1 }] {
            let header = mcap::records::MessageHeader {
                channel_id: *channel,
                sequence: 0,
                log_time: time,
                publish_time: time,
            };
            let bytes = to_bytes(&Float64 { data: time as f64 });
            writer.write_to_known_channel(&header, &bytes).unwrap();
        }
    }
    writer.finish().unwrap();
}

fn number(index: &mut BagIndex, place: Option<MessagePlace>) -> Option<f64> {
    let bytes = index.read(&place?).unwrap();
    Some(from_bytes::<Float64>(&bytes).unwrap().data)
}

/// Checks the neighbours of every time from 0 to 1000 ns.
fn check_neighbours(index: &mut BagIndex) {
    let [x, slow] = ["/x", "slow"].map(|name| index.topic(name).unwrap());
    for time in 0..1000_u64 {
        let before = index.latest(x, time).unwrap();
        assert_eq!(number(index, before), Some((time / 10 * 10) as f64));
        let after = index.next(x, time).unwrap();
        let expected = (time < 990).then(|| ((time / 10 + 1) * 10) as f64);
        assert_eq!(number(index, after), expected, "{time}");
        let before = index.latest(slow, time).unwrap();
        assert_eq!(number(index, before), Some((time / 500 * 500) as f64));
    }
    assert_eq!(index.bounds_ns(), Some([0, 990]));
}

// A message is found by its time, in complete and in cut recordings. Method: neighbours of every
// time in small chunks with a summary, without a summary, without chunks, and in a file that was
// cut after its messages.
#[test]
fn neighbours_of_every_time_are_found() {
    let folder = Folder::new("neighbours");
    let path = folder.0.join("x.mcap");
    let small = || mcap::WriteOptions::new().chunk_size(Some(300));
    write(&path, small());
    let mut index = BagIndex::open(&path).unwrap();
    assert!(index.notes.is_empty() && index.blocks.len() > 10);
    check_neighbours(&mut index);
    let bytes = std::fs::read(&path).unwrap();
    let end = bytes.len() - FOOTER_AND_MAGIC;
    std::fs::write(&path, &bytes[..end]).unwrap();
    let mut index = BagIndex::open(&path).unwrap();
    check_neighbours(&mut index);
    for options in [
        small().emit_summary_records(false),
        mcap::WriteOptions::new().use_chunks(false),
    ] {
        write(&path, options);
        let mut index = BagIndex::open(&path).unwrap();
        assert!(index.notes.is_empty(), "{:?}", index.notes);
        check_neighbours(&mut index);
    }
}

/// Length of the end of a complete file [bytes].
const FOOTER_AND_MAGIC: usize = RECORD_HEAD + 20 + 8;

// The index contains what a pass over the file reads, at any cut, and no byte causes a panic.
// Method: every fifth length of a file against `visit_messages`; every third byte replaced.
#[test]
fn cut_and_damaged_files_are_indexed() {
    let folder = Folder::new("cut");
    let path = folder.0.join("x.mcap");
    let mut bag = Bag::create(&path).unwrap();
    let world = BTreeMap::from([("world".to_string(), "pool".to_string())]);
    bag.write_metadata("merrow", world).unwrap();
    let channel = bag.channel("/x", Float64::info(), &Qos::DEFAULT).unwrap();
    for time in 0..6 {
        let bytes = to_bytes(&Float64 { data: time as f64 });
        bag.write(channel, time, time, &bytes).unwrap();
    }
    bag.finish().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let whole = BagIndex::open(&path).unwrap();
    assert_eq!(whole.metadata["merrow"]["world"], "pool");
    let mut cut_notes = 0;
    for length in (mcap::MAGIC.len()..bytes.len()).step_by(5) {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let mut expected = 0;
        visit_messages(&path, &mut |_, _| {
            expected += 1;
            Ok(())
        })
        .unwrap();
        let mut index = BagIndex::open(&path).unwrap();
        cut_notes += index.notes.len();
        let mut found = 0;
        let (topic, mut time) = (index.topic("x"), None);
        while let Some(topic) = topic {
            let place = match time {
                None => index.latest(topic, 0),
                Some(time) => index.next(topic, time),
            };
            let Some(place) = place.unwrap() else {
                break;
            };
            time = Some(place.log_time_ns);
            found += 1;
        }
        assert_eq!(found, expected, "{length} bytes");
    }
    assert!(cut_notes > 20, "{cut_notes}");
    for at in (0..bytes.len()).step_by(3) {
        let mut changed = bytes.clone();
        changed[at] = if changed[at] == 0 { 0xff } else { 0 };
        std::fs::write(&path, &changed).unwrap();
        if let Ok(mut index) = BagIndex::open(&path) {
            for topic in 0..index.topics.len() {
                let place = index.latest(topic, 5);
                let _ = place.map(|place| place.map(|place| index.read(&place)));
            }
        }
    }
}

#[test]
fn foreign_files_are_refused() {
    let folder = Folder::new("foreign");
    let path = folder.0.join("x.mcap");
    let error = |path: &Path| BagIndex::open(path).unwrap_err();
    assert!(error(&path).contains("does not exist; expected an MCAP file"));
    std::fs::write(&path, b"SQLite format 3").unwrap();
    assert!(error(&path).contains("ros2 bag convert"));
    write(&path, mcap::WriteOptions::new());
    let mut bytes = std::fs::read(&path).unwrap();
    // the name of the compression of the first chunk, which is empty
    let chunk = Records::new(&bytes[8..]).find(|(_, opcode, _)| *opcode == op::CHUNK);
    let head = 8 + chunk.unwrap().0;
    let length = u64::from_le_bytes(bytes[head + 1..head + 9].try_into().unwrap()) + 4;
    bytes[head + 1..head + 9].copy_from_slice(&length.to_le_bytes());
    let name = head + RECORD_HEAD + 28;
    bytes.splice(name..name + 4, [4, 0, 0, 0, b'l', b'z', b'm', b'a']);
    bytes.truncate(bytes.len() - 40);
    std::fs::write(&path, &bytes).unwrap();
    assert!(error(&path).contains("compressed with lzma; expected lz4, zstd or none"));
}
