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
    let start = |file| Bag::start(file, "/dev/full".into(), None, "full".to_owned());
    let error = start(full()).unwrap_err();
    assert!(error.to_string().contains("/dev/full"), "{error}");

    // the file of a working bag is replaced by a file that accepts no bytes
    let mut bag = record(&folder.0.join("run.mcap"), 1);
    bag.writer = Some(Writer::new(ChunkFile::new(full()).0).unwrap());
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
