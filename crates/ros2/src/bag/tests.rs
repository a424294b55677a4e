//! Tests of the recorder that need only the `mcap` crate as a reader; `test/ros/bags/bag.py` tests
//! bags with the ROS 2 tools.

use std::collections::HashSet;

use crate::bag::*;
use crate::cdr::to_bytes;
use crate::message::Message;
use crate::msg::rosgraph_msgs::Clock;
use crate::msg::std_msgs;

/// An empty folder for one test, removed at the end.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("merrow_bag_{name}_{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(data: &str) -> Vec<u8> {
    to_bytes(&std_msgs::String {
        data: data.to_owned(),
    })
}

pub(super) fn record(path: &Path, count: u64) -> Bag {
    let mut bag = Bag::create(path).unwrap();
    let clock = bag.channel("/clock", Clock::info(), &Qos::CLOCK).unwrap();
    let name = bag
        .channel("/name", std_msgs::String::info(), &Qos::LATCHED)
        .unwrap();
    assert_eq!(
        bag.channel("/clock", Clock::info(), &Qos::CLOCK).unwrap(),
        clock
    );
    bag.write(name, 5, 5, &text("first")).unwrap();
    for number in 0..count {
        bag.write(
            clock,
            10 + number,
            10 + number,
            &to_bytes(&Clock::default()),
        )
        .unwrap();
    }
    bag
}

#[test]
fn finished_bag_is_complete_and_marked() {
    let folder = Folder::new("finished");
    let path = folder.0.join("run/run_0.mcap");
    let summary = record(&folder.0.join("run"), 100).finish().unwrap();
    assert_eq!(
        summary,
        Summary {
            path: path.clone(),
            files: 1,
            messages: 101,
            duration_ns: 104
        }
    );

    let bytes = fs::read(&path).unwrap();
    let messages: Vec<_> = mcap::MessageStream::new(&bytes)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(messages.len(), 101);
    assert_eq!(
        (&*messages[0].data, messages[0].log_time),
        (&*text("first"), 5)
    );
    let channel = &messages[100].channel;
    assert_eq!(
        (channel.topic.as_str(), channel.message_encoding.as_str()),
        ("/clock", "cdr")
    );
    assert_eq!(channel.metadata["topic_type_hash"], Clock::info().hash);
    assert_eq!(
        channel.metadata["offered_qos_profiles"],
        Qos::CLOCK.to_bag_yaml()
    );
    let schema = channel.schema.as_ref().unwrap();
    assert_eq!(
        (schema.name.as_str(), schema.encoding.as_str()),
        ("rosgraph_msgs/msg/Clock", "ros2msg")
    );
    assert_eq!(schema.data, Clock::info().definition.as_bytes());
    let statistics = mcap::Summary::read(&bytes).unwrap().unwrap().stats.unwrap();
    assert_eq!(
        (statistics.message_count, statistics.metadata_count),
        (101, 1)
    );

    let metadata = fs::read_to_string(folder.0.join("run/metadata.yaml")).unwrap();
    assert!(metadata.contains("\n  message_count: 101\n"), "{metadata}");
    assert!(metadata.contains("\n    - \"run_0.mcap\"\n"), "{metadata}");
    // rosbag2 of Humble reads the QoS as a text with numbers
    assert!(metadata.contains("\n  version: 8\n"), "{metadata}");
    let profiles = "offered_qos_profiles: \"- history: 1\\n  depth: 10\\n  reliability: 1\\n";
    assert!(metadata.contains(profiles), "{metadata}");
}

#[test]
fn killed_recorder_leaves_flushed_messages() {
    let folder = Folder::new("killed");
    let path = folder.0.join("run/run_0.mcap");
    let mut bag = record(&folder.0.join("run"), 20);
    std::thread::sleep(FLUSH_PERIOD);
    bag.flush_due().unwrap();
    bag.write(ChannelId(0), 50, 50, &text("lost")).unwrap();
    let bytes = fs::read(&path).unwrap();
    std::mem::forget(bag);

    let options = mcap::read::Options::IgnoreEndMagic.into();
    let read = mcap::MessageStream::new_with_options(&bytes, options).unwrap();
    assert_eq!(read.filter(Result::is_ok).count(), 21);
    let metadata = fs::read_to_string(folder.0.join("run/metadata.yaml")).unwrap();
    assert!(metadata.contains("\n  message_count: 21\n"), "{metadata}");
}

#[test]
fn dropped_bag_is_finished() {
    let folder = Folder::new("dropped");
    let path = folder.0.join("run.mcap");
    drop(record(&path, 3));
    let statistics = mcap::Summary::read(&fs::read(&path).unwrap())
        .unwrap()
        .unwrap()
        .stats
        .unwrap();
    assert_eq!(statistics.message_count, 4);
}

#[test]
fn existing_bags_are_not_overwritten() {
    let folder = Folder::new("kept");
    let path = folder.0.join("run.mcap");
    record(&path, 1).finish().unwrap();
    let error = Bag::create(&path).unwrap_err();
    assert!(
        matches!(&error, BagError::Exists(which) if *which == path),
        "{error}"
    );
    let missing = folder.0.join("none");
    for path in [missing.join("a.mcap"), missing.join("bag")] {
        let error = Bag::create(&path).unwrap_err();
        assert!(
            matches!(&error, BagError::NoFolder(which) if *which == missing),
            "{error}"
        );
    }
    // a file with the name of the folder
    let taken = folder.0.join("taken");
    std::fs::write(&taken, "notes").unwrap();
    let error = Bag::create(&taken).unwrap_err();
    assert!(
        matches!(&error, BagError::Exists(which) if *which == taken),
        "{error}"
    );
    // a second file in the same folder
    record(&folder.0.join("other.mcap"), 1).finish().unwrap();
    assert!(!folder.0.join("metadata.yaml").exists());
    let error = read::mcap_files(&folder.0).unwrap_err();
    assert!(error.contains("found 2 bags"), "{error}");

    let bag = folder.0.join("bag");
    record(&bag, 1).finish().unwrap();
    let error = Bag::create(&bag).unwrap_err().to_string();
    assert!(error.contains("bag_0.mcap exists"), "{error}");
    // the user removed the recording, so the bag's own metadata.yaml is stale
    fs::remove_file(bag.join("bag_0.mcap")).unwrap();
    record(&bag, 1).finish().unwrap();
    let foreign = fs::read_to_string(bag.join("metadata.yaml")).unwrap();
    let renamed = folder.0.join("renamed");
    fs::create_dir(&renamed).unwrap();
    fs::write(renamed.join("metadata.yaml"), foreign).unwrap();
    let error = Bag::create(&renamed).unwrap_err().to_string();
    assert!(
        error.contains("metadata.yaml belongs to another bag"),
        "{error}"
    );
}

#[test]
fn folders_contain_the_listed_files() {
    let folder = Folder::new("listed");
    let bag = folder.0.join("bag");
    record(&bag, 1).finish().unwrap();
    record(&bag.join("foreign.mcap"), 5).finish().unwrap();
    assert_eq!(read::mcap_files(&bag).unwrap(), [bag.join("bag_0.mcap")]);
    for (entries, expected) in [
        (
            "- a_0.mcap\n- 'b''s.mcap'",
            Ok(vec!["a_0.mcap", "b's.mcap"]),
        ),
        (
            "- \"a\\\"b.mcap\"\nfiles:\n- path: x",
            Ok(vec!["a\"b.mcap"]),
        ),
        ("- ../a.mcap", Err(())),
        ("- /etc/passwd", Err(())),
        ("", Err(())),
    ] {
        let text = format!("x:\n  relative_file_paths:\n{entries}\n");
        fs::write(bag.join("metadata.yaml"), &text).unwrap();
        let found = read::mcap_files(&bag).map_err(drop);
        let expected = expected.map(|names| names.iter().map(|name| bag.join(name)).collect());
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn folder_name_matches_rosbag2() {
    let folder = Folder::new("folder");
    let summary = record(&folder.0.join("dive"), 1).finish().unwrap();
    assert_eq!(summary.path, folder.0.join("dive/dive_0.mcap"));
    let place = Place::of(Path::new("runs/dive/")).unwrap();
    assert_eq!(place.folder.display().to_string(), "runs/dive");
    assert!(matches!(
        Bag::create(Path::new("/")),
        Err(BagError::Name(_))
    ));
}

#[test]
#[cfg(target_os = "linux")]
fn full_disk_is_reported_and_later_writes_fail_fast() {
    let folder = Folder::new("full");
    let full = || {
        fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    let path = PathBuf::from("/dev/full");
    let opened = OpenFile::start(full(), &path, Compression::None).unwrap();
    let start = Bag::start(opened, path, None, "full".to_owned(), BagOptions::default());
    let error = start.unwrap_err();
    assert!(error.to_string().contains("/dev/full"), "{error}");

    // the file of a working bag is replaced by a file that accepts no bytes
    let mut bag = record(&folder.0.join("run.mcap"), 1);
    bag.writer = Some(Writer::new(ChunkFile::new(full(), None).0).unwrap());
    let result = bag
        .channel("/other", Clock::info(), &Qos::CLOCK)
        .and_then(|channel| {
            bag.write(channel, 1, 1, &text(&"x".repeat(100_000)))?;
            bag.flush()
        });
    let error = result.unwrap_err().to_string();
    assert!(
        error.contains("run.mcap: No space left on device"),
        "{error}"
    );
    assert!(matches!(
        bag.write(ChannelId(0), 1, 1, &[]),
        Err(BagError::Failed)
    ));
    assert!(matches!(bag.flush_due(), Err(BagError::Failed)));
    assert!(matches!(bag.finish(), Err(BagError::Failed)));
}

#[test]
fn shortened_chunks_contain_the_complete_messages() {
    let folder = Folder::new("shortened");
    let path = folder.0.join("run.mcap");
    let mut bag = Bag::create(&path).unwrap();
    let start = bag.complete[1].bytes;
    let name = bag
        .channel("/name", std_msgs::String::info(), &Qos::LATCHED)
        .unwrap();
    for number in 0..20 {
        bag.write(name, 10 + number, 5, &text(&"x".repeat(number as usize)))
            .unwrap();
    }
    bag.flush().unwrap();
    let bytes = fs::read(&path).unwrap();
    let cut_path = folder.0.join("cut.mcap");
    let mut counts = Vec::new();
    for cut in start..=bytes.len() as u64 {
        fs::write(&cut_path, &bytes[..cut as usize]).unwrap();
        let options = fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(&cut_path);
        let mut file = options.unwrap();
        let chunk = chunk_file::shorten_chunk(&mut file, start, cut).unwrap();
        let end = chunk.as_ref().map_or(start, |chunk| chunk.end);
        chunk_file::end_after(&mut file, end, "version: 8").unwrap();
        let read = fs::read(&cut_path).unwrap();
        let messages: Vec<_> = mcap::MessageStream::new(&read)
            .unwrap()
            .map(|message| message.unwrap().log_time)
            .collect();
        let listed = chunk.map_or(Vec::new(), |chunk| chunk.messages);
        let times: Vec<_> = listed.iter().map(|(_, time)| *time).collect();
        assert_eq!(messages, times, "file of {cut} bytes");
        assert_eq!(
            messages,
            (10..10 + messages.len() as u64).collect::<Vec<_>>()
        );
        counts.push(messages.len());
    }
    assert!(counts.is_sorted());
    counts.dedup();
    assert_eq!(counts, (0..=20).collect::<Vec<_>>());
}

/// One call of a [`Bag`] during a recording.
#[derive(Clone, Copy, Debug)]
enum Call {
    /// Adds a topic to the bag.
    Topic,
    /// Records a message on the topic added last.
    Message,
    Metadata,
    Flush,
}

// `ros2 bag play` refuses a file whose first chunk has no message, so no chunk is without.
// Method: all sequences of up to five calls, ended by `finish` or by a drop.
#[test]
fn every_chunk_contains_a_message() {
    const CALLS: [Call; 4] = [Call::Topic, Call::Message, Call::Metadata, Call::Flush];
    let folder = Folder::new("chunks");
    for (length, number) in (0..=5).flat_map(|n| (0..4_usize.pow(n)).map(move |k| (n, k))) {
        let calls: Vec<Call> = (0..length)
            .map(|place| CALLS[number / 4_usize.pow(place) % 4])
            .collect();
        let path = folder.0.join("run/run_0.mcap");
        let _ = fs::remove_file(&path);
        let mut bag = Bag::create(&folder.0.join("run")).unwrap();
        let (mut channels, mut used) = (Vec::new(), HashSet::new());
        for call in &calls {
            match call {
                Call::Topic => {
                    let topic = format!("/topic_{}", channels.len());
                    let info = std_msgs::String::info();
                    channels.push(bag.channel(&topic, info, &Qos::DEFAULT).unwrap());
                }
                Call::Message => {
                    let Some(channel) = channels.last() else {
                        continue;
                    };
                    used.insert(channels.len());
                    bag.write(*channel, 1, 1, &text("x")).unwrap();
                }
                Call::Metadata => bag.write_metadata("merrow", BTreeMap::new()).unwrap(),
                Call::Flush => bag.flush().unwrap(),
            }
        }
        if number % 2 == 0 {
            drop(bag);
        } else {
            bag.finish().unwrap();
        }
        let bytes = fs::read(&path).unwrap();
        let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
        let indexes = &summary.chunk_indexes;
        assert!(
            indexes.iter().all(|chunk| chunk.message_index_length > 0),
            "{calls:?}"
        );
        assert!(summary.channels.len() >= used.len(), "{calls:?}");
        assert_eq!(indexes.is_empty(), used.is_empty(), "{calls:?}");
        let metadata = fs::read_to_string(folder.0.join("run/metadata.yaml")).unwrap();
        let named = metadata.matches("- topic_metadata:").count();
        assert_eq!(named, channels.len(), "{calls:?}");
    }
}

/// Returns the log times and texts of all messages of a bag in the order of its files.
fn read_all(path: &Path) -> Vec<(String, u64, Vec<u8>)> {
    let mut found = Vec::new();
    let content = topics::visit_messages(path, &mut |topic, message| {
        found.push((
            topic.name.clone(),
            message.log_time_ns,
            message.cdr.to_vec(),
        ));
        Ok(())
    });
    assert_eq!(content.unwrap().notes, Vec::<String>::new());
    found
}

/// Records 300 messages of 10 kB in turn on two topics, every 10 ns, with a metadata record.
fn record_large(path: &Path, options: BagOptions) -> Bag {
    let mut bag = Bag::create_with(path, options).unwrap();
    let world = BTreeMap::from([("text".to_owned(), "pool".to_owned())]);
    bag.write_metadata("merrow_world", world).unwrap();
    let info = std_msgs::String::info();
    let channels = ["/a", "/b"].map(|name| bag.channel(name, info, &Qos::DEFAULT).unwrap());
    for k in 0..300_u64 {
        let bytes = text(&format!("{k} ").repeat(10_000 / format!("{k} ").len()));
        bag.write(channels[k as usize % 2], 10 * k, 10 * k, &bytes)
            .unwrap();
    }
    bag
}

// A bag that is split has every message once, and each file is complete on its own. Method: limits
// of the size and of the time, with and without compression; every file has the metadata record of
// the world, both topics and a summary; the messages of all files in order are those of an unsplit
// bag. The size of a file exceeds the limit by the indexes of its chunks only.
#[test]
fn split_bags_contain_every_message_once() {
    let folder = Folder::new("split");
    let whole = folder.0.join("whole.mcap");
    let all = record_large(&whole, BagOptions::default())
        .finish()
        .unwrap();
    let expected = read_all(&whole);
    assert_eq!(expected.len(), 300);
    let size = Some(500_000);
    let cases = [
        ("size", size, None, Compression::None, 7..8),
        ("size_lz4", size, None, Compression::Lz4, 1..2),
        ("time", None, Some(1000), Compression::None, 3..4),
        ("time_lz4", None, Some(1000), Compression::Lz4, 3..4),
        ("both", size, Some(400), Compression::None, 8..9),
        ("one", Some(50_000_000), None, Compression::None, 1..2),
    ];
    for (name, max_bytes, max_duration_ns, compression, count) in cases {
        let path = folder.0.join(name);
        let options = BagOptions {
            max_bytes,
            max_duration_ns,
            compression,
        };
        let done = record_large(&path, options).finish().unwrap();
        assert!(count.contains(&done.files), "{name}: {} files", done.files);
        assert_eq!((done.messages, done.duration_ns), (300, all.duration_ns));
        assert!(read_all(&path) == expected, "{name}");
        let files = read::mcap_files(&path).unwrap();
        assert_eq!(files.len(), done.files, "{name}");
        let mut sum = 0;
        for (n, file) in files.iter().enumerate() {
            assert_eq!(*file, path.join(format!("{name}_{n}.mcap")));
            let bytes = fs::read(file).unwrap();
            let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
            assert_eq!(summary.channels.len(), 2, "{name} {n}");
            let statistics = summary.stats.unwrap();
            assert_eq!(statistics.metadata_count, 2, "{name} {n}");
            sum += statistics.message_count;
            let limit = max_bytes.unwrap_or(u64::MAX).saturating_mul(101) / 100;
            assert!(bytes.len() as u64 <= limit, "{name} {n}: {}", bytes.len());
            let index = index::BagIndex::open(file).unwrap();
            assert_eq!(index.notes, Vec::<String>::new());
            assert_eq!(index.metadata["merrow_world"]["text"], "pool");
            let own = &index.metadata["rosbag2"]["serialized_metadata"];
            assert!(own.contains(&format!("message_count: {}\n", statistics.message_count)));
        }
        assert_eq!(sum, 300, "{name}");
        let text = fs::read_to_string(path.join("metadata.yaml")).unwrap();
        assert!(text.contains("\n  message_count: 300\n"), "{text}");
        // the sum of the topics, and the files
        assert_eq!(text.matches("message_count: 150\n").count(), 2, "{text}");
    }
    let options = BagOptions {
        max_bytes: size,
        ..BagOptions::default()
    };
    let error = Bag::create_with(&folder.0.join("x.mcap"), options).unwrap_err();
    assert!(error.to_string().contains("name a folder"), "{error}");
    // a file that a split would reach
    fs::remove_file(folder.0.join("size/size_0.mcap")).unwrap();
    let error = Bag::create_with(&folder.0.join("size"), options).unwrap_err();
    assert!(matches!(error, BagError::Exists(_)), "{error}");
}

// Topics whose descriptions are longer than the limit do not cause one file per message.
#[test]
fn long_descriptions_do_not_fill_the_disk() {
    let folder = Folder::new("descriptions");
    let path = folder.0.join("run");
    let options = BagOptions {
        max_bytes: Some(10_000),
        ..BagOptions::default()
    };
    let mut bag = Bag::create_with(&path, options).unwrap();
    let info = std_msgs::String::info();
    let channels: Vec<_> = (0..500)
        .map(|n| bag.channel(&format!("/{n}"), info, &Qos::DEFAULT).unwrap())
        .collect();
    for k in 0..1000 {
        bag.write(channels[k % 500], k as u64, 0, &text("x"))
            .unwrap();
    }
    let done = bag.finish().unwrap();
    assert!(done.files < 10 && done.messages == 1000, "{}", done.files);
}

// Compressed chunks have correct indexes. Method: the summary agrees with the chunks of the file,
// and the checksum of the summary with its bytes, as an independent reader checks them; times of a
// topic are found by the index. A chunk of random bytes, which becomes no shorter, stays as it is.
#[test]
fn compressed_bags_have_correct_indexes() {
    let folder = Folder::new("lz4");
    let path = folder.0.join("run.mcap");
    let options = BagOptions {
        compression: Compression::Lz4,
        ..BagOptions::default()
    };
    let mut bag = record_large(&path, options);
    bag.flush().unwrap();
    let mut random = 1_u64;
    let noise: Vec<u8> = (0..50_000)
        .map(|_| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 56) as u8
        })
        .collect();
    bag.write(ChannelId(0), 5000, 5000, &noise).unwrap();
    bag.finish().unwrap();
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.len() < 800_000, "{}", bytes.len());
    let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
    let mut names = HashSet::new();
    for chunk in &summary.chunk_indexes {
        let record = &bytes[chunk.chunk_start_offset as usize..][..chunk.chunk_length as usize];
        assert_eq!(record[0], chunk_file::CHUNK);
        let length = chunk_file::read_u64(&record[1..]);
        assert_eq!(length + 9, chunk.chunk_length);
        let (records, error) = file::unpack(record).unwrap();
        assert!(error.is_none());
        assert_eq!(records.len() as u64, chunk.uncompressed_size);
        // the indexes of messages follow the chunk
        let next = bytes[(chunk.chunk_start_offset + chunk.chunk_length) as usize];
        assert_eq!(next, mcap::records::op::MESSAGE_INDEX);
        names.insert(chunk.compression.clone());
    }
    assert_eq!(names, HashSet::from(["lz4".to_owned(), String::new()]));
    let mut index = index::BagIndex::open(&path).unwrap();
    let topic = index.topic("/b").unwrap();
    let place = index.latest(topic, 1234).unwrap().unwrap();
    assert_eq!(place.log_time_ns, 1230);
}

// A recorder that is killed leaves the complete files and the flushed messages of the last one,
// which a repair completes. Method: no call of `finish`.
#[test]
fn killed_split_recorder_leaves_readable_files() {
    for compression in [Compression::None, Compression::Lz4] {
        let folder = Folder::new("killed_split");
        let path = folder.0.join("run");
        let options = BagOptions {
            max_duration_ns: Some(1300),
            compression,
            ..BagOptions::default()
        };
        let mut bag = record_large(&path, options);
        bag.flush().unwrap();
        std::mem::forget(bag);
        let files = read::mcap_files(&path).unwrap();
        assert_eq!(files.len(), 3);
        for file in &files[..2] {
            let summary = mcap::Summary::read(&fs::read(file).unwrap());
            assert_eq!(summary.unwrap().unwrap().stats.unwrap().message_count, 130);
        }
        let repaired = folder.0.join("repaired.mcap");
        let done = repair::repair(&path, &repaired).unwrap();
        assert_eq!((done.summary.messages, done.notes.len()), (300, 1));
        assert_eq!(read_all(&repaired).len(), 300);
    }
}

// A disk that is full at a split costs no message of the preceding files. Method: a folder that
// loses its permission, or the name of the next file is taken.
#[test]
fn failed_split_keeps_the_complete_files() {
    let folder = Folder::new("failed_split");
    let path = folder.0.join("run");
    let options = BagOptions {
        max_duration_ns: Some(100),
        ..BagOptions::default()
    };
    let mut bag = Bag::create_with(&path, options).unwrap();
    let info = std_msgs::String::info();
    let channel = bag.channel("/a", info, &Qos::DEFAULT).unwrap();
    fs::write(path.join("run_2.mcap"), "taken").unwrap();
    let mut failed = Vec::new();
    for k in 0..50 {
        let written = bag.write(channel, 10 * k, 0, &text("x"));
        failed.extend(written.err().map(|why| (k, why.to_string())));
    }
    assert_eq!(failed.len(), 30);
    assert_eq!(failed[0].0, 20);
    assert!(failed[0].1.contains("run_2.mcap exists"), "{}", failed[0].1);
    assert!(bag.finish().is_err());
    assert_eq!(read_all(&path).len(), 20);
    assert_eq!(read::mcap_files(&path).unwrap().len(), 2);
    assert_eq!(fs::read(path.join("run_2.mcap")).unwrap(), b"taken");
}

// Channels that are longer than a chunk do not fill a chunk of their own. Method: 3000 topics
// before the first message.
#[test]
fn many_topics_precede_the_first_message() {
    let folder = Folder::new("many");
    let path = folder.0.join("run.mcap");
    let mut bag = Bag::create(&path).unwrap();
    let info = std_msgs::String::info();
    let channels: Vec<_> = (0..3000)
        .map(|n| bag.channel(&format!("/{n}"), info, &Qos::DEFAULT).unwrap())
        .collect();
    for time in 0..2 {
        bag.write(channels[time], 1, 1, &text("x")).unwrap();
    }
    bag.finish().unwrap();
    let summary = mcap::Summary::read(&fs::read(&path).unwrap());
    let summary = summary.unwrap().unwrap();
    assert_eq!(summary.channels.len(), 3000);
    let mut chunks = summary.chunk_indexes.iter();
    assert!(chunks.all(|chunk| chunk.message_index_length > 0));
}
