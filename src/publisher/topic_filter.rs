//! Selection of the topics of a recording by regular expressions.

use merrow_yaml::error::{known_names, nearest, quoted_list};
use regex_lite::Regex;
use std::collections::BTreeSet;

/// Topics that a recording contains: those whose names have a match of `include`, if there is one,
/// and none of `exclude`.
///
/// A pattern matches anywhere in the absolute name, as in `ros2 bag record --regex` (rosbag2 0.26.5,
/// `topic_filter.cpp`, `std::regex_search`).
#[derive(Clone, Debug, Default)]
pub struct TopicFilter {
    include: Option<Regex>,
    exclude: Option<Regex>,
}

impl TopicFilter {
    /// Returns the filter of these patterns.
    pub fn new(include: Option<Regex>, exclude: Option<Regex>) -> Self {
        Self { include, exclude }
    }

    /// Returns whether the filter selects a topic, given by its absolute name.
    pub fn contains(&self, topic: &str) -> bool {
        self.include.as_ref().is_none_or(|all| all.is_match(topic))
            && !self.exclude.as_ref().is_some_and(|all| all.is_match(topic))
    }

    /// Checks that the filter selects at least one of the topics of a world.
    ///
    /// # Errors
    /// One line, with the topics that were probably meant.
    pub fn check(&self, topics: &BTreeSet<String>) -> Result<(), String> {
        let selects = |pattern: &Option<Regex>| {
            let all = pattern.as_ref();
            all.map(|all| topics.iter().any(|topic| all.is_match(topic)))
        };
        let (option, pattern) = if topics.iter().any(|topic| self.contains(topic)) {
            // a mistyped pattern would record what was to be left out
            match (&self.exclude, selects(&self.exclude)) {
                (Some(exclude), Some(false)) => ("--record-exclude", exclude),
                _ => return Ok(()),
            }
        } else {
            match (&self.include, selects(&self.include)) {
                (Some(include), Some(false)) => ("--record-topics", include),
                _ => {
                    let why = "--record-exclude: the pattern leaves no topic of this world to record; \
                               give a narrower pattern";
                    return Err(why.to_string());
                }
            }
        };
        let near = near_names(pattern.as_str(), topics);
        Err(format!(
            "{option}: no topic of this world matches {:?}{near}",
            pattern.as_str()
        ))
    }
}

/// Maximum number of names in a message.
const MAX_NAMES: usize = 8;

/// Returns the ending of a message about a pattern without a match: the topics with a part that is
/// similar to a part of the pattern, or the first topics.
fn near_names(pattern: &str, topics: &BTreeSet<String>) -> String {
    let parts = |name: &str| {
        let words = name.split(|c: char| !c.is_alphanumeric() && c != '_');
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let known: BTreeSet<String> = topics.iter().flat_map(|topic| parts(topic)).collect();
    for word in parts(pattern) {
        if known.contains(&word) {
            continue;
        }
        if let Some(similar) = nearest(&word, known.iter().map(String::as_str)) {
            let has_part = |topic: &&String| parts(topic).contains(similar);
            let found = topics.iter().filter(has_part).take(MAX_NAMES);
            let names = quoted_list(found.map(String::as_str));
            return format!("; did you mean a part of {names}?");
        }
    }
    known_names(pattern, topics.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(include: Option<&str>, exclude: Option<&str>) -> TopicFilter {
        let parse = |text: &str| Regex::new(text).expect("a pattern");
        TopicFilter::new(include.map(parse), exclude.map(parse))
    }

    #[test]
    fn patterns_match_anywhere_in_a_name() {
        for (include, exclude, expected) in [
            (None, None, [true, true, true]),
            (Some("camera"), None, [true, true, false]),
            (Some("/camera/"), None, [true, true, false]),
            (Some("^/rov/camera/image$"), None, [true, false, false]),
            (None, Some("image|odometry"), [false, true, false]),
            (Some("camera"), Some("info$"), [true, false, false]),
        ] {
            let filter = filter(include, exclude);
            let topics = ["/rov/camera/image", "/rov/camera/info", "/rov/odometry"];
            let found = topics.map(|topic| filter.contains(topic));
            assert_eq!(found, expected, "{include:?} {exclude:?}");
        }
    }

    #[test]
    fn patterns_without_a_topic_are_refused_with_similar_names() {
        let topics = ["/rov/camera/image", "/rov/odometry", "/clock"].map(str::to_owned);
        let topics = BTreeSet::from(topics);
        for (include, exclude, expected) in [
            (
                Some("/rov/camrea/.*"),
                None,
                "--record-topics: no topic of this world matches \"/rov/camrea/.*\"; did you mean a \
                 part of `/rov/camera/image`?",
            ),
            (
                None,
                Some("odometri"),
                "--record-exclude: no topic of this world matches \"odometri\"; did you mean a part \
                 of `/rov/odometry`?",
            ),
            (
                Some("rov"),
                Some("."),
                "--record-exclude: the pattern leaves no topic of this world to record; give a \
                 narrower pattern",
            ),
        ] {
            let error = filter(include, exclude).check(&topics).unwrap_err();
            assert_eq!(error, expected);
        }
        let error = filter(Some("xyz"), None).check(&topics).unwrap_err();
        assert!(error.contains("`/rov/odometry`"), "{error}");
        assert_eq!(filter(Some("rov"), None).check(&topics), Ok(()));
    }
}
