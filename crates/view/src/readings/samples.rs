//! Samples of the numeric fields of topics, for the plots of the pages.

use crate::action::PlottedTopic;
use crate::controls::{Controls, TopicMessage};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Maximum number of names of fields of one topic.
const MAX_NAMES: usize = 2000;

/// Samples of a topic for one client.
#[derive(Debug, Default)]
pub(crate) struct Sampler {
    plotted: PlottedTopic,
    /// Names of the fields that are numbers, and the number of names that the client has.
    names: BTreeSet<String>,
    sent_names: usize,
}

impl Sampler {
    pub(crate) fn new(plotted: PlottedTopic) -> Self {
        Self {
            plotted,
            ..Self::default()
        }
    }

    /// Returns the name of the topic.
    pub(crate) fn topic(&self) -> &str {
        &self.plotted.topic
    }

    /// Returns the texts for the client about new messages: new names of fields, and samples.
    pub(crate) fn texts(
        &mut self,
        messages: &[TopicMessage],
        controls: &dyn Controls,
    ) -> Vec<String> {
        let own = messages.iter().filter(|m| *m.topic == *self.plotted.topic);
        let (mut times, mut is_first, mut is_empty) = (Vec::new(), false, true);
        let mut columns = vec![Vec::new(); self.plotted.fields.len()];
        for message in own {
            is_empty = false;
            if message.is_first {
                is_first = true;
                times.clear();
                columns.iter_mut().for_each(Vec::clear);
            }
            let Some(numbers) = controls.numbers(message) else {
                continue;
            };
            times.push(Value::from(numbers.time_s));
            let values = columns.iter_mut().zip(&self.plotted.fields);
            for (column, name) in values {
                let found = numbers.fields.iter().find(|(path, _)| path == name);
                // JSON has no numbers that are not finite
                column.push(found.map_or(Value::Null, |(_, x)| Value::from(*x)));
            }
            for (path, _) in numbers.fields {
                if self.names.len() < MAX_NAMES {
                    self.names.insert(path);
                }
            }
        }
        let mut texts = Vec::new();
        if is_empty {
            return texts;
        }
        let topic = &self.plotted.topic;
        if self.names.len() != self.sent_names {
            self.sent_names = self.names.len();
            let names = json!({"type": "topic", "topic": topic, "names": self.names});
            texts.push(names.to_string());
        }
        if !columns.is_empty() {
            let values: Map<String, Value> = self
                .plotted
                .fields
                .iter()
                .cloned()
                .zip(columns.into_iter().map(Value::from))
                .collect();
            let samples = json!({
                "type": "samples", "topic": topic, "is_first": is_first, "t": times, "y": values,
            });
            texts.push(samples.to_string());
        }
        texts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controls::MessageNumbers;
    use bytes::Bytes;

    /// Messages of one byte, whose value is the field `x`.
    struct OneByte;

    impl Controls for OneByte {
        fn numbers(&self, message: &TopicMessage) -> Option<MessageNumbers> {
            let x = f64::from(*message.bytes.first()?);
            Some(MessageNumbers {
                time_s: message.time_ns as f64 * 1e-9,
                fields: vec![("x".to_string(), x), ("y".to_string(), f64::NAN)],
            })
        }
    }

    fn message(topic: &str, time_ns: u64, bytes: &'static [u8], is_first: bool) -> TopicMessage {
        TopicMessage {
            topic: topic.into(),
            time_ns,
            bytes: Bytes::from_static(bytes),
            is_first,
        }
    }

    fn sampler(fields: &[&str]) -> Sampler {
        Sampler::new(PlottedTopic {
            topic: "/a".to_string(),
            fields: fields.iter().map(|field| (*field).to_string()).collect(),
        })
    }

    #[test]
    fn names_are_sent_once_and_samples_with_each_message() {
        let mut sampler = sampler(&["x", "y", "missing"]);
        let messages = [message("/a", 1, &[7], false), message("/b", 2, &[8], false)];
        let texts = sampler.texts(&messages, &OneByte);
        let names = json!({"type": "topic", "topic": "/a", "names": ["x", "y"]});
        let samples = json!({"type": "samples", "topic": "/a", "is_first": false, "t": [1e-9],
            "y": {"x": [7.0], "y": [null], "missing": [null]}});
        assert_eq!(texts, [names.to_string(), samples.to_string()]);
        assert_eq!(sampler.texts(&messages, &OneByte).len(), 1);
        assert!(sampler.texts(&messages[1..], &OneByte).is_empty());
    }

    #[test]
    fn a_first_message_replaces_earlier_ones_and_damaged_ones_are_skipped() {
        let mut sampler = sampler(&["x"]);
        let messages = [
            message("/a", 1_000_000_000, &[7], false),
            message("/a", 0, &[8], true),
            message("/a", 1, &[], false),
        ];
        let texts = sampler.texts(&messages, &OneByte);
        assert!(
            texts[1].contains(r#""is_first":true,"t":[0.0],"y":{"x":[8.0]}"#),
            "{texts:?}"
        );
    }
}
