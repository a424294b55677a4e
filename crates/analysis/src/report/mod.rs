//! Report of a bag: one HTML page without external files.
//!
//! Each section collects its messages by their type, in one pass over the bag, and is omitted if it
//! has none. The page follows the light or dark theme of the browser.

mod computers;
mod delivery;
mod diagnostics;
mod modems;
mod motion;
mod page;
mod robots;
mod tasks;
mod topics;
mod world;

use crate::report::computers::Computers;
use crate::report::diagnostics::Diagnostics;
use crate::report::modems::Modems;
use crate::report::robots::Robots;
use crate::report::topics::Topics;
use crate::report::world::{Contacts, PaceSamples};
use crate::{Undecoded, read, stamp, type_name};
use merrow_ros2::bag::topics::BagTopic;
use merrow_ros2::dynamic::value::Value;
use std::path::Path;

/// Page with the results of a bag.
#[derive(Clone, Debug)]
pub struct Report {
    /// Text of the HTML page.
    pub html: String,
    /// Titles of its sections.
    pub sections: Vec<String>,
    /// Lines about the bag and messages that are not decoded.
    pub notes: Vec<String>,
}

/// Section of the page.
struct Section {
    title: String,
    /// Content of the section, as HTML.
    html: String,
}

impl Section {
    fn new(title: impl Into<String>, html: String) -> Self {
        let title = title.into();
        Self { title, html }
    }
}

/// A decoded message with its topic and its times.
struct Item<'m> {
    topic: &'m BagTopic,
    value: &'m Value<'m>,
    /// Time of the header, or of the recording without a header [s].
    time: f64,
    /// Time of the recording [s].
    log: f64,
}

/// Data of all sections.
#[derive(Default)]
struct Data {
    topics: Topics,
    robots: Robots,
    contacts: Contacts,
    pace: PaceSamples,
    diagnostics: Diagnostics,
    modems: Modems,
    computers: Computers,
    task: tasks::Task,
}

impl Data {
    fn add(&mut self, item: &Item<'_>) {
        match type_name(item.topic).as_ref() {
            "nav_msgs/msg/Odometry"
            | "geometry_msgs/msg/PoseStamped"
            | "geometry_msgs/msg/PoseWithCovarianceStamped"
            | "sensor_msgs/msg/NavSatFix"
            | "sensor_msgs/msg/Imu"
            | "tf2_msgs/msg/TFMessage"
            | "sensor_msgs/msg/BatteryState" => self.robots.add(item),
            "merrow_msgs/msg/Contacts" => self.contacts.add(item),
            "rosgraph_msgs/msg/Clock" => self.pace.add_clock(item),
            "diagnostic_msgs/msg/DiagnosticArray" => {
                self.diagnostics.add(item);
                self.robots.add_thrusters(item);
                self.pace.add_diagnostics(item);
            }
            "merrow_msgs/msg/TaskInfo" => self.task.add(item),
            "rcl_interfaces/msg/Log" => self.diagnostics.add_log(item),
            "merrow_msgs/msg/PacketLog"
            | "merrow_msgs/msg/ModemSchedule"
            | "merrow_msgs/msg/LinkTable"
            | "merrow_msgs/msg/ModemStatus" => self.modems.add(item),
            "merrow_msgs/msg/TaskSchedule" | "merrow_msgs/msg/ComputerStatus" => {
                self.computers.add(item)
            }
            _ => {}
        }
    }
}

/// Creates the report of a bag.
///
/// # Errors
/// One line: the bag cannot be read, or has no messages.
pub fn report(bag: &Path) -> Result<Report, String> {
    let mut data = Data::default();
    let mut undecoded = Undecoded::default();
    let content = read(bag, &mut |topic, message| {
        let log = message.log_time_ns as f64 * 1e-9;
        let mut time = None;
        undecoded.decode(topic, message, |value| {
            time = stamp(value);
            data.add(&Item {
                topic,
                value,
                time: time.unwrap_or(log),
                log,
            });
        });
        data.topics.add(message.topic, log, time);
        Ok(())
    })?;
    let mut notes = content.notes.clone();
    notes.extend(undecoded.notes(&content));
    let mut sections = Vec::new();
    sections.extend(data.task.section());
    sections.extend(data.pace.section());
    sections.extend(data.robots.sections());
    sections.extend(data.contacts.section());
    sections.extend(data.modems.section(&data.robots));
    sections.extend(data.computers.section());
    sections.extend(data.diagnostics.section());
    sections.extend(data.topics.section(&content));
    let summary = data.topics.summary(&content);
    Ok(Report {
        html: page::page(bag, &summary, &notes, &sections),
        sections: sections.into_iter().map(|section| section.title).collect(),
        notes,
    })
}

/// Returns the vector x, y, z or the quaternion x, y, z, w at a path of a message.
fn vector<const N: usize>(value: &Value<'_>, path: &str) -> Option<[f64; N]> {
    let vector = value.value_at(path)?;
    let keys = ["x", "y", "z", "w"].into_iter().take(N);
    let numbers: Option<Vec<f64>> = keys.map(|key| vector.number_at(key)).collect();
    numbers?.try_into().ok()
}

/// Returns the text at a path of a message; empty if there is none.
fn text<'v>(value: &'v Value<'_>, path: &str) -> &'v str {
    value
        .value_at(path)
        .and_then(Value::text)
        .unwrap_or_default()
}
