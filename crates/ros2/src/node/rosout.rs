//! Logger of the node: writes lines in ROS format to the console and publishes them on `/rosout`.
//!
//! A line is printed whether or not `/rosout` has subscribers. This module filters lines only by
//! severity.

use std::fmt;
use std::io::Write;
use std::sync::Arc;

use crate::args::{NodeOptions, Severity};
use crate::cdr::to_bytes;
use crate::message::Message;
use crate::msg::builtin_interfaces::Time;
use crate::msg::rcl_interfaces::Log;
use crate::node::publisher::Publisher;
use crate::node::{NodeError, Shared};
use crate::qos::Qos;

/// Logger of the node. Clones write to the same outputs.
#[derive(Clone)]
pub struct Logger {
    log: Arc<Sinks>,
}

struct Sinks {
    name: String,
    min_severity: u8,
    console: bool,
    rosout: Option<Publisher>,
}

impl Logger {
    pub(crate) fn start(
        node: &Arc<Shared>,
        name: String,
        options: &NodeOptions,
    ) -> Result<Self, NodeError> {
        let rosout = match options.rosout_logs {
            true => Some(node.publisher("/rosout", Log::info(), &Qos::ROSOUT)?),
            false => None,
        };
        Ok(Self {
            log: Arc::new(Sinks {
                name,
                min_severity: options.log_level as u8,
                console: options.console_logs,
                rosout,
            }),
        })
    }

    /// Returns the name in each line: namespace and node, joined by dots.
    pub fn name(&self) -> &str {
        &self.log.name
    }

    /// Returns true if lines of this severity are written.
    fn is_enabled(&self, severity: Severity) -> bool {
        severity as u8 >= self.log.min_severity
    }

    /// Writes a line, stamped with wall time.
    pub fn log(&self, severity: Severity, text: impl fmt::Display) {
        if !self.is_enabled(severity) {
            return;
        }
        let stamp = Time::now();
        let text = shortened(text.to_string(), LINE_MAX);
        if self.log.console {
            let line = console_line(severity, &stamp, &self.log.name, &text);
            // a closed console does not stop the node
            std::io::stderr()
                .write_all(line.as_bytes())
                .unwrap_or_default();
        }
        let Some(rosout) = &self.log.rosout else {
            return;
        };
        let message = Log {
            stamp,
            level: severity as u8,
            name: self.log.name.clone(),
            msg: text,
            ..Log::default()
        };
        // an error of `/rosout` could only be reported on the console, which already shows the line
        let _ = rosout.publish(&to_bytes(&message));
    }

    /// Writes a line with severity info.
    pub fn info(&self, text: impl fmt::Display) {
        self.log(Severity::Info, text);
    }

    /// Writes a line with severity warn.
    pub fn warn(&self, text: impl fmt::Display) {
        self.log(Severity::Warn, text);
    }

    /// Writes a line with severity error.
    pub fn error(&self, text: impl fmt::Display) {
        self.log(Severity::Error, text);
    }
}

/// Maximum length of a logged text [bytes], so that a peer cannot fill logs with long names.
const LINE_MAX: usize = 2000;

/// Cuts a text after `max` bytes, and marks the cut.
pub fn shortened(mut text: String, max: usize) -> String {
    if text.len() > max {
        let end = (0..=max).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or(0));
        text.push('…');
    }
    text
}

/// Formats `[INFO] [1700000000.123456789] [name]: text`, as rcutils prints it.
fn console_line(severity: Severity, stamp: &Time, name: &str, text: &str) -> String {
    let Time { sec, nanosec } = stamp;
    format!(
        "[{}] [{sec}.{nanosec:09}] [{name}]: {text}\n",
        severity.name()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(shortened("abc".to_owned(), 3), "abc");
        assert_eq!(shortened("abcd".to_owned(), 3), "abc…");
        assert_eq!(shortened("äöü".to_owned(), 3), "ä…");
        assert_eq!(shortened("ü".repeat(50_000), 2000).len(), 2003);
    }

    #[test]
    fn console_line_matches_ros() {
        let stamp = Time::from_nanos(1_700_000_000_000_001_234);
        let line = console_line(Severity::Warn, &stamp, "fleet.sim", "slow");
        assert_eq!(line, "[WARN] [1700000000.000001234] [fleet.sim]: slow\n");
    }
}
