//! Sections about the whole run: contacts and real-time pace.

use crate::report::page::{cells, curves, figures, paragraph, table};
use crate::report::{Item, Section, text, vector};
use merrow_ros2::dynamic::value::Value;
use std::collections::BTreeMap;

/// Log times above this are wall-clock times [s].
const MIN_DATE: f64 = 1e8;
/// Maximum number of pairs in the table of contacts.
const MAX_PAIRS: usize = 100;
/// Minimum wall time between two values of the pace [s].
const PACE_PERIOD: f64 = 0.5;

/// Contacts of one pair of bodies.
#[derive(Clone, Copy, Debug)]
struct Pair {
    /// Number of messages with a contact.
    messages: usize,
    /// First and last time [s].
    times: [f64; 2],
    /// Maximum penetration of both bodies [m].
    penetration: f64,
    /// Maximum norm of the force [N].
    force: f64,
}

/// Contacts of a run.
#[derive(Debug, Default)]
pub(super) struct Contacts {
    pairs: BTreeMap<String, Pair>,
    /// Time [s] and sum of the norms of all forces [N].
    forces: Vec<[f64; 2]>,
}

/// Returns the name of a body: robot/link, or `world` for terrain and structures.
fn body(contact: &Value<'_>, end: char) -> String {
    match text(contact, &format!("robot_{end}")) {
        "" => match text(contact, &format!("collider_{end}")) {
            "" => "world".to_owned(),
            collider => format!("world: {collider}"),
        },
        robot => format!("{robot}/{}", text(contact, &format!("link_{end}"))),
    }
}

impl Contacts {
    pub(super) fn add(&mut self, item: &Item<'_>) {
        let mut sum = 0.0;
        for contact in item.value.list("contacts") {
            let force = vector::<3>(contact, "force")
                .map_or(f64::NAN, |f| f.iter().map(|x| x * x).sum::<f64>().sqrt());
            let separation = contact.number_at("separation").unwrap_or(f64::NAN);
            sum += force;
            let name = format!("{} and {}", body(contact, 'a'), body(contact, 'b'));
            let pair = self.pairs.entry(name).or_insert(Pair {
                messages: 0,
                times: [item.time; 2],
                penetration: 0.0,
                force: 0.0,
            });
            pair.messages += 1;
            pair.times[1] = item.time;
            pair.penetration = pair.penetration.max(-separation);
            pair.force = pair.force.max(force);
        }
        self.forces.push([item.time, sum]);
    }

    pub(super) fn section(&self) -> Option<Section> {
        if self.pairs.is_empty() {
            return None;
        }
        let row = |(name, pair): (&String, &Pair)| {
            cells! {
                name;
                pair.messages as f64, 0;
                pair.times[0], 3;
                pair.times[1], 3;
                1e3 * pair.penetration, 2;
                pair.force, 2;
            }
        };
        let head = "bodies | contact points | first [s] | last [s] | max. penetration [mm] | max. force [N]";
        let mut html = table(head, self.pairs.iter().take(MAX_PAIRS).map(row));
        if self.pairs.len() > MAX_PAIRS {
            let more = self.pairs.len() - MAX_PAIRS;
            html += &paragraph(&format!("{more} more pairs of bodies are omitted."));
        }
        let series = vec![(String::new(), self.forces.clone())];
        let panel = ("sum of all contact forces [N]", series);
        html += &figures(curves("Contacts", vec![panel]));
        Some(Section::new("Contacts", html))
    }
}

/// Real-time pace of a run.
#[derive(Debug, Default)]
pub(super) struct PaceSamples {
    /// Simulated time and wall time, from the diagnostics [s].
    reported: Vec<[f64; 2]>,
    /// Simulated time and wall time, from `/clock` and the recording [s].
    clock: Vec<[f64; 2]>,
    /// Keys and values of the last status of the run.
    last: Vec<(String, String)>,
}

impl PaceSamples {
    /// Adds a message of the simulated clock, if the recording has wall-clock times.
    pub(super) fn add_clock(&mut self, item: &Item<'_>) {
        if item.log > MIN_DATE
            && let Some(time) = item.value.number_at("clock")
        {
            self.clock.push([time, item.log]);
        }
    }

    /// Adds the status of the run in a message of diagnostics.
    pub(super) fn add_diagnostics(&mut self, item: &Item<'_>) {
        let mut own = item.value.list("status").iter();
        let Some(status) = own.find(|status| text(status, "name") == "merrow: run") else {
            return;
        };
        let values = status.list("values").iter();
        let entry = |v| (text(v, "key").to_owned(), text(v, "value").to_owned());
        self.last = values.map(entry).collect();
        let number = |key: &str| {
            let found = self.last.iter().find(|(name, _)| name == key);
            found.and_then(|(_, value)| value.parse::<f64>().ok())
        };
        let time = number("simulated time [s]");
        let factor = number("achieved real-time factor since start");
        if let (Some(time), Some(factor)) = (time, factor)
            && factor > 0.0
        {
            self.reported.push([time, time / factor]);
        }
    }

    pub(super) fn section(&self) -> Option<Section> {
        let source = match (self.reported.len(), self.clock.len()) {
            (n, _) if n > 2 => &self.reported,
            (_, n) if n > 2 => &self.clock,
            _ if self.last.is_empty() => return None,
            _ => &self.reported,
        };
        let mut factors = Vec::new();
        let mut before: Option<&[f64; 2]> = None;
        for point in source {
            let Some(last) = before else {
                before = Some(point);
                continue;
            };
            let [simulated, wall] = [point[0] - last[0], point[1] - last[1]];
            // the clock has a higher rate than a mean over wall time can have
            if wall >= PACE_PERIOD || source.len() < 200 && wall > 0.0 {
                factors.push([point[0], simulated / wall]);
                before = Some(point);
            }
        }
        let mut html = String::new();
        if let (Some(first), Some(last)) = (source.first(), source.last())
            && last[1] > first[1]
        {
            let mean = (last[0] - first[0]) / (last[1] - first[1]);
            html += &paragraph(&format!(
                "Mean real-time factor {mean:.3} from {:.3} s to {:.3} s of simulated time.",
                first[0], last[0]
            ));
        }
        let panel = ("real-time factor", vec![(String::new(), factors)]);
        html += &figures(curves("Pace", vec![panel]));
        let rows = self.last.iter().map(|(key, value)| cells! { key; value; });
        html += &table("last status of the run | value", rows);
        Some(Section::new("Run and real-time pace", html))
    }
}
