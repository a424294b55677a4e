//! Analysis of recorded bags: tables, curves, schedule traces and a report.
//!
//! Messages of any type are decoded with the definitions that the bag contains, so recordings of
//! other programs are analysed as well. The crate does not access files except for the bag; the
//! commands in `src/cli/analysis.rs` write the results.
//!
//! # Example
//! ```
//! use merrow_analysis::plot::{TimeAxis, plot};
//! use std::path::Path;
//!
//! let field = "/rov/odometry.pose.pose.position.z".to_string();
//! let error = plot(Path::new("missing.mcap"), &[field], TimeAxis::Auto).expect_err("no file");
//! assert!(error.contains("missing.mcap"), "{error}");
//! ```

#![forbid(unsafe_code)]

mod arrays;
pub mod export;
pub mod plot;
pub mod report;
pub mod schedule;

use merrow_ros2::bag::topics::{BagContent, BagMessage, BagTopic, visit_messages};
use merrow_ros2::dynamic::value::Value;
use std::borrow::Cow;
use std::path::Path;

/// Messages of a bag that could not be decoded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Undecoded {
    /// Number of messages of each topic, and the first reason.
    topics: Vec<(u64, String)>,
}

impl Undecoded {
    /// Decodes a message and passes it to `visit`, or counts it.
    pub(crate) fn decode(
        &mut self,
        topic: &BagTopic,
        message: &BagMessage<'_>,
        visit: impl FnOnce(&Value<'_>),
    ) {
        let reason = match &topic.definition {
            Err(reason) => reason.clone(),
            Ok(definition) => match definition.decode(message.cdr) {
                Ok(value) => return visit(&value),
                Err(error) => error.to_string(),
            },
        };
        if self.topics.len() <= message.topic {
            self.topics.resize(message.topic + 1, Default::default());
        }
        let (count, first) = &mut self.topics[message.topic];
        if *count == 0 {
            *first = reason;
        }
        *count += 1;
    }

    /// Returns one line per topic with messages that could not be decoded.
    pub(crate) fn notes(&self, content: &BagContent) -> Vec<String> {
        let with_names = self.topics.iter().zip(&content.topics);
        let affected = with_names.filter(|((count, _), _)| *count > 0);
        affected
            .map(|((count, reason), topic)| {
                let (name, of) = (&topic.name, topic.count);
                format!("{name}: {count} of {of} messages are not decoded: {reason}")
            })
            .collect()
    }
}

/// Returns the name of a topic with a leading slash.
pub(crate) fn absolute(topic: &str) -> String {
    format!("/{}", topic.trim_start_matches('/'))
}

/// Reads a bag as [`visit_messages`].
///
/// # Errors
/// As [`visit_messages`], and for a bag without messages.
pub(crate) fn read(
    bag: &Path,
    visit: &mut dyn FnMut(&BagTopic, &BagMessage<'_>) -> Result<(), String>,
) -> Result<BagContent, String> {
    let content = visit_messages(bag, visit)?;
    if content.topics.is_empty() {
        let note = content.notes.first();
        let why = note.map_or(String::new(), |note| format!(" ({note})"));
        return Err(format!("{}: found no messages{why}", bag.display()));
    }
    Ok(content)
}

/// Returns the name of the type of a topic. Recordings of version 0.1 name the types of Merrow
/// `merrow/msg/...` instead of `merrow_msgs/msg/...`.
pub(crate) fn type_name(topic: &BagTopic) -> Cow<'_, str> {
    match topic.type_name.strip_prefix("merrow/") {
        Some(name) => Cow::Owned(format!("merrow_msgs/{name}")),
        None => Cow::Borrowed(&topic.type_name),
    }
}

/// Formats a time of integer nanoseconds in seconds, without rounding.
pub(crate) fn seconds(ns: i128) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    let ns = ns.unsigned_abs();
    format!("{sign}{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
}

/// Returns the time of the header of a message [s].
pub(crate) fn stamp(value: &Value<'_>) -> Option<f64> {
    value.number_at("header.stamp")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn former_names_of_types_are_known() {
        let topic = |name: &str| BagTopic {
            name: "/merrow/contacts".to_owned(),
            type_name: name.to_owned(),
            definition: Err(String::new()),
            text: String::new(),
            metadata: Default::default(),
            rate_hz: None,
            count: 0,
        };
        for (recorded, expected) in [
            ("merrow/msg/Contacts", "merrow_msgs/msg/Contacts"),
            ("merrow_msgs/msg/Contacts", "merrow_msgs/msg/Contacts"),
            ("merrow_other/msg/Contacts", "merrow_other/msg/Contacts"),
        ] {
            assert_eq!(type_name(&topic(recorded)), expected);
        }
    }

    #[test]
    fn seconds_are_exact() {
        assert_eq!(seconds(1_764_000_000_123_456_789), "1764000000.123456789");
        assert_eq!(seconds(-2_500_000_000), "-2.500000000");
        assert_eq!(seconds(0), "0.000000000");
    }
}
