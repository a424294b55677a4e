//! Topics that pages of the live view can plot, and the numbers of their messages.

use crate::controls::{MessageNumbers, TopicInfo, TopicMessage};
use merrow_ros2::dynamic::definition::Definition;
use merrow_ros2::dynamic::value::ArrayLimits;
use std::collections::{BTreeMap, HashMap};

/// Topics with the definitions of their message types.
#[derive(Debug, Default)]
pub struct TopicTable {
    /// Type of each topic, by its name.
    types: BTreeMap<String, String>,
    /// Definitions of the messages, by type.
    definitions: HashMap<String, Definition>,
}

impl TopicTable {
    /// Returns the table of topics with their name, type and definition. Names start with a
    /// slash.
    /// Topics whose definition is not valid are left out.
    pub fn new<'a>(topics: impl Iterator<Item = (&'a str, &'a str, &'a str)>) -> Self {
        let mut table = Self::default();
        for (name, message_type, text) in topics {
            let name = format!("/{}", name.trim_start_matches('/'));
            if !table.definitions.contains_key(message_type) {
                let Ok(definition) = Definition::parse(message_type, text) else {
                    continue;
                };
                table
                    .definitions
                    .insert(message_type.to_owned(), definition);
            }
            table.types.insert(name, message_type.to_owned());
        }
        table
    }

    /// Returns true if the table has this topic.
    pub fn contains(&self, topic: &str) -> bool {
        self.types.contains_key(topic)
    }

    /// Returns the topics, sorted by name.
    pub fn topics(&self) -> Vec<TopicInfo> {
        let info = |(name, message_type): (&String, &String)| TopicInfo {
            name: name.clone(),
            message_type: message_type.clone(),
        };
        self.types.iter().map(info).collect()
    }

    /// Decodes the numbers of a message; `None` if its topic is not in the table or its bytes are
    /// not valid.
    pub fn numbers(&self, message: &TopicMessage) -> Option<MessageNumbers> {
        let definition = self.definitions.get(self.types.get(&*message.topic)?)?;
        let value = definition.decode(&message.bytes).ok()?;
        let stamp = definition
            .has_header()
            .then(|| value.number_at("header.stamp"));
        let mut fields = Vec::new();
        value.visit_leaves(ArrayLimits::FIELDS, &mut |path, leaf| {
            fields.extend(leaf.number().map(|number| (path.to_owned(), number)));
        });
        Some(MessageNumbers {
            time_s: stamp.flatten().unwrap_or(message.time_ns as f64 * 1e-9),
            fields,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use merrow_ros2::cdr::to_bytes;
    use merrow_ros2::message::Message;
    use merrow_ros2::msg::builtin_interfaces::Time;
    use merrow_ros2::msg::sensor_msgs::{Imu, JointState};

    // Paths and values of numbers, with the time of the header. Method: a message of joints, whose
    // names are no numbers.
    #[test]
    fn numbers_have_paths_and_the_time_of_the_header() {
        let info = JointState::info();
        let topics = [
            ("rov/joint_states", info.name, info.definition.as_str()),
            ("/rov/imu", Imu::TYPE, "not a definition of a type"),
        ];
        let table = TopicTable::new(topics.into_iter());
        assert_eq!(table.topics().len(), 1);
        let mut joints = JointState {
            name: vec!["a".to_string(), "b".to_string()],
            position: vec![0.5, -1.0],
            ..JointState::default()
        };
        joints.header.stamp = Time {
            sec: 3,
            nanosec: 500_000_000,
        };
        let mut message = TopicMessage {
            topic: "/rov/joint_states".into(),
            time_ns: 7,
            bytes: Bytes::from(to_bytes(&joints)),
            is_first: false,
        };
        let numbers = table.numbers(&message).expect("a message");
        assert_eq!(numbers.time_s, 3.5);
        let expected = [
            ("header.stamp", 3.5),
            ("position[0]", 0.5),
            ("position[1]", -1.0),
        ];
        assert_eq!(
            numbers.fields,
            expected.map(|(name, x)| (name.to_string(), x))
        );
        message.bytes.truncate(9);
        assert_eq!(table.numbers(&message), None);
    }
}
