//! Messages of a bag in the order of its files, with the definitions of their types.
//!
//! Recordings of Merrow and of rosbag2 are read, one file or a folder with several, also with
//! chunks that are compressed with LZ4 or Zstandard. A recording that was cut is read up to its
//! end. Memory is bounded by the largest message or chunk.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use mcap::read::ChannelAccumulator;
use mcap::records::Record;
use mcap::{McapError, parse_record};

use crate::bag::RATE_KEY;
use crate::bag::file::{End, McapFile, Records};
use crate::bag::read::mcap_files;
use crate::dynamic::definition::Definition;

/// Topic of a bag.
#[derive(Clone, Debug, PartialEq)]
pub struct BagTopic {
    /// Name of the topic.
    pub name: String,
    /// ROS name of its type, such as `sensor_msgs/msg/Imu`; empty if the bag has none.
    pub type_name: String,
    /// Definition of the type, or the reason why its messages cannot be decoded.
    pub definition: Result<Definition, String>,
    /// Text of the definition.
    pub text: String,
    /// Metadata of its channel.
    pub metadata: BTreeMap<String, String>,
    /// Requested rate of its messages \[Hz\], if the recorder has stored it.
    pub rate_hz: Option<f64>,
    /// Number of messages so far.
    pub count: u64,
}

/// Message of a bag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BagMessage<'a> {
    /// Index of its topic.
    pub topic: usize,
    /// Time at which it was recorded [ns].
    pub log_time_ns: u64,
    /// Time at which it was published [ns].
    pub publish_time_ns: u64,
    /// Encapsulated CDR bytes of the message.
    pub cdr: &'a [u8],
}

/// Topics of a bag that was read.
#[derive(Clone, Debug, Default)]
pub struct BagContent {
    /// Topics, in the order of their first messages.
    pub topics: Vec<BagTopic>,
    /// One line per file that is not complete.
    pub notes: Vec<String>,
    /// A file is damaged, or ends inside a record.
    pub is_damaged: bool,
    index: HashMap<Identity, usize>,
}

/// Properties in which topics differ: name, type, encodings of message and definition, definition.
type Identity = (String, String, [String; 2], Vec<u8>);

/// Function that receives the messages of a bag and the topic of each.
pub type Visitor<'v> = &'v mut dyn FnMut(&BagTopic, &BagMessage<'_>) -> Result<(), String>;

/// Calls `visit` for every message of an MCAP file, or of all MCAP files in the folder of a bag.
///
/// # Errors
/// One line: a file cannot be opened, is not an MCAP file, or has chunks of an unknown compression;
/// or the error of `visit`. A file that ends early or is damaged gives a note instead.
pub fn visit_messages(path: &Path, visit: Visitor<'_>) -> Result<BagContent, String> {
    let mut content = BagContent::default();
    for path in mcap_files(path)? {
        let located = |why: String| format!("{}: {why}", path.display());
        let file = McapFile::open(&path).map_err(located)?;
        let note = content.read_file(&file, visit).map_err(located)?;
        content.notes.extend(note.map(located));
    }
    Ok(content)
}

impl BagContent {
    /// Reads a file. Returns a note if it is not complete.
    fn read_file(&mut self, file: &McapFile, visit: Visitor<'_>) -> Result<Option<String>, String> {
        let mut known = ChannelAccumulator::default();
        // topic of each channel of this file, by its identifier in the file
        let mut channels: HashMap<u16, usize> = HashMap::new();
        let mut count = 0_u64;
        let mut add = |record: Record<'_>| -> Result<Result<(), McapError>, String> {
            Ok(match record {
                Record::Schema { header, data } => known.add_schema_from_slice(header, &data),
                Record::Channel(channel) => known.add_channel(channel),
                Record::Message { header, data } => {
                    let Some(channel) = known.get(header.channel_id) else {
                        let error = McapError::UnknownChannel(header.sequence, header.channel_id);
                        return Ok(Err(error));
                    };
                    let topic = *channels
                        .entry(header.channel_id)
                        .or_insert_with(|| self.topic(&channel));
                    self.topics[topic].count += 1;
                    count += 1;
                    let message = BagMessage {
                        topic,
                        log_time_ns: header.log_time,
                        publish_time_ns: header.publish_time,
                        cdr: &data,
                    };
                    Ok(visit(&self.topics[topic], &message)?)
                }
                _ => Ok(()),
            })
        };
        let end = file.walk(&mut |_, records| {
            for (_, opcode, body) in Records::new(records) {
                let added = match parse_record(opcode, body) {
                    Ok(record) => add(record)?,
                    Err(error) => Err(error),
                };
                if added.is_err() {
                    return Ok(added);
                }
            }
            Ok(Ok(()))
        })?;
        self.is_damaged |= matches!(end, Some(End::InsideRecord | End::Damaged(_)));
        Ok(end.map(|end| match end {
            End::Damaged(error) => {
                format!("stopped at a damaged record after {count} messages: {error}")
            }
            end => format!("{end}; read {count} messages"),
        }))
    }

    /// Returns the index of the topic of a channel, which is added if it is new.
    fn topic(&mut self, channel: &mcap::Channel<'_>) -> usize {
        let schema = channel.schema.as_ref();
        let type_name = schema.map_or("", |schema| schema.name.as_str());
        let encoding = schema.map_or("", |schema| schema.encoding.as_str());
        let text = schema.map_or(&[][..], |schema| &schema.data);
        let encodings = [channel.message_encoding.clone(), encoding.to_owned()];
        let rate = channel.metadata.get(RATE_KEY).and_then(|r| r.parse().ok());
        let identity = (
            channel.topic.clone(),
            type_name.to_owned(),
            encodings,
            text.to_vec(),
        );
        let topics = &mut self.topics;
        *self.index.entry(identity).or_insert_with(|| {
            topics.push(BagTopic {
                name: channel.topic.clone(),
                type_name: type_name.to_owned(),
                definition: definition(type_name, &channel.message_encoding, encoding, text),
                text: String::from_utf8_lossy(text).into_owned(),
                metadata: channel.metadata.clone(),
                rate_hz: rate.filter(|rate: &f64| rate.is_finite() && *rate > 0.0),
                count: 0,
            });
            topics.len() - 1
        })
    }
}

/// Parses the definition of a topic.
fn definition(
    type_name: &str,
    message_encoding: &str,
    encoding: &str,
    text: &[u8],
) -> Result<Definition, String> {
    if message_encoding != "cdr" {
        return Err(format!(
            "messages have the encoding `{message_encoding}`; expected `cdr`"
        ));
    }
    if encoding != "ros2msg" {
        return Err(format!(
            "the definition has the encoding `{encoding}`; expected `ros2msg`"
        ));
    }
    Definition::parse(type_name, &String::from_utf8_lossy(text)).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bag::Bag;
    use crate::cdr::to_bytes;
    use crate::message::Message;
    use crate::msg::std_msgs::Float64;
    use crate::qos::Qos;
    use std::fs::File;
    use std::path::PathBuf;

    /// A folder for one test, removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let id = std::process::id();
            let path = std::env::temp_dir().join(format!("merrow_topics_{name}_{id}"));
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

    /// Writes a recording of another program: numbers on `/x`, and one text in JSON.
    fn write_foreign(path: &Path, numbers: &[f64]) {
        let options = mcap::WriteOptions::new().profile("ros2");
        let mut writer = options.create(File::create(path).unwrap()).unwrap();
        let text = b"float64 data";
        let schema = writer.add_schema("std_msgs/msg/Float64", "ros2msg", text);
        let metadata = BTreeMap::new();
        let x = writer.add_channel(schema.unwrap(), "/x", "cdr", &metadata);
        let json = writer.add_channel(0, "/json", "json", &metadata);
        let mut write = |channel: u16, log_time: u64, data: &[u8]| {
            let header = mcap::records::MessageHeader {
                channel_id: channel,
                sequence: 0,
                log_time,
                publish_time: log_time,
            };
            writer.write_to_known_channel(&header, data).unwrap();
        };
        let x = x.unwrap();
        for number in numbers {
            write(x, *number as u64, &to_bytes(&Float64 { data: *number }));
        }
        write(json.unwrap(), 0, b"{}");
        writer.finish().unwrap();
    }

    /// Returns the numbers of `/x` in the order in which they are read, and the content.
    fn numbers(path: &Path) -> (Vec<f64>, BagContent) {
        let mut found = Vec::new();
        let content = visit_messages(path, &mut |topic, message| {
            if let Ok(definition) = &topic.definition {
                let value = definition.decode(message.cdr).map_err(|e| e.to_string())?;
                found.extend(value.number_at("data"));
            }
            Ok(())
        });
        (found, content.unwrap())
    }

    #[test]
    fn split_bags_of_other_programs_are_read_in_order() {
        let folder = Folder::new("split");
        for (k, name) in [
            (9.0, "run_9.mcap"),
            (10.0, "run_10.mcap"),
            (2.0, "run_2.mcap"),
        ] {
            write_foreign(&folder.0.join(name), &[k, k + 0.5]);
        }
        let (found, content) = numbers(&folder.0);
        assert_eq!(found, [2.0, 2.5, 9.0, 9.5, 10.0, 10.5]);
        assert_eq!(content.notes, Vec::<String>::new());
        let names = content.topics.iter().map(|t| (t.name.as_str(), t.count));
        assert_eq!(names.collect::<Vec<_>>(), [("/x", 6), ("/json", 3)]);
        let reason = content.topics[1].definition.as_ref().unwrap_err();
        assert_eq!(reason, "messages have the encoding `json`; expected `cdr`");
    }

    // A cut bag is read up to the cut. Method: all lengths of a file of ten messages; the messages
    // are the first of the bag, and a shorter file never has more.
    #[test]
    fn cut_bags_are_read_up_to_the_cut() {
        let folder = Folder::new("cut");
        let path = folder.0.join("x.mcap");
        let all: Vec<f64> = (0..10).map(f64::from).collect();
        write_foreign(&path, &all);
        let bytes = std::fs::read(&path).unwrap();
        let mut before = 0;
        for length in mcap::MAGIC.len()..bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let (found, content) = numbers(&path);
            assert_eq!(found, all[..found.len()]);
            assert!(found.len() >= before, "{length} bytes");
            before = found.len();
            let note = content.notes.first();
            assert!(note.is_some() || found.len() == 10, "{length} bytes");
        }
        assert_eq!(before, 10);
        std::fs::write(&path, &bytes[..4]).unwrap();
        let error = visit_messages(&path, &mut |_, _| Ok(())).unwrap_err();
        assert!(
            error.ends_with("expected an MCAP file, found 4 bytes"),
            "{error}"
        );
    }

    // No bytes of a file cause a panic. Method: every byte of a bag replaced by 0xff, and every
    // second by 0.
    #[test]
    fn damaged_bags_are_read_or_refused() {
        let folder = Folder::new("damaged");
        let path = folder.0.join("x.mcap");
        write_foreign(&path, &[1.0, 2.0]);
        let bytes = std::fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] = if changed[at] == 0 { 0xff } else { 0 };
            std::fs::write(&path, &changed).unwrap();
            let mut count = 0;
            let _ = visit_messages(&path, &mut |_, _| {
                count += 1;
                Ok(())
            });
            assert!(count <= 3);
        }
    }

    #[test]
    fn requested_rates_are_stored() {
        let folder = Folder::new("rate");
        let path = folder.0.join("x.mcap");
        let mut bag = Bag::create(&path).unwrap();
        let (info, qos) = (Float64::info(), &Qos::DEFAULT);
        let channel = bag.channel_with_rate("/x", info, qos, Some(12.5)).unwrap();
        bag.write(channel, 3, 3, &to_bytes(&Float64 { data: 1.0 }))
            .unwrap();
        bag.finish().unwrap();
        let (found, content) = numbers(&path);
        assert_eq!((found, content.topics[0].rate_hz), (vec![1.0], Some(12.5)));
        assert!(content.topics[0].definition.is_ok() && content.notes.is_empty());
    }
}
