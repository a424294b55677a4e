//! Curves of fields of a bag over time.
//!
//! Messages have no units. Fields of the same type with the same parent, such as the coordinates of
//! a position, share a panel, also over several topics.

use crate::{Undecoded, absolute, read, stamp};
use merrow_chart::canvas::Drawing;
use merrow_chart::chart::{COLOURS, FIGURE_WIDTH, Panel, coloured, draw_figure};
use merrow_ros2::bag::topics::BagContent;
use merrow_ros2::dynamic::definition::Definition;
use merrow_ros2::dynamic::value::{ArrayLimits, Leaf, Value};
use merrow_yaml::error::{did_you_mean, quoted_list};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Height of a panel [px].
const HEIGHT: u32 = 190;
/// Maximum number of curves that one argument may select.
const MAX_CURVES: usize = 36;
/// Maximum number of fields that an error message lists.
const MAX_LISTED: usize = 24;
/// Number of intervals of a curve; each shows its minimum and its maximum.
const INTERVALS: usize = 340;
/// Times above this are dates, and are shown from the start of the bag [s].
const MAX_RELATIVE: f64 = 1e7;

/// Time that curves are drawn over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TimeAxis {
    /// Time of the header, if all messages have one, otherwise the time of the recording.
    Auto,
    /// Time of the header.
    Stamp,
    /// Time of the recording.
    Log,
}

/// Curves of the selected fields.
#[derive(Clone, Debug)]
pub struct Plotted {
    /// Figure with all panels.
    pub drawing: Drawing,
    /// Number of drawn curves.
    pub curves: usize,
    /// Lines about the bag and messages that are not decoded.
    pub notes: Vec<String>,
}

/// Field of the command line.
#[derive(Debug)]
struct Selection<'a> {
    /// Text of the argument.
    text: &'a str,
    topic: String,
    field: &'a str,
    /// Names of the curves, in the order of their first values.
    curves: Vec<String>,
    /// Fields of the topic that are not numbers.
    texts: BTreeSet<String>,
    /// Fields of the topic that are numbers.
    numbers: BTreeSet<String>,
}

/// Curve of a field: its group and its points (time of the header, time of the recording, value).
#[derive(Debug)]
struct Curve {
    topic: String,
    type_name: String,
    path: String,
    points: Vec<[f64; 3]>,
}

/// Splits `TOPIC.FIELD`; topics have no dots.
fn parse(text: &str) -> Result<Selection<'_>, String> {
    let parts = text.split_once('.');
    let (topic, field) = parts
        .filter(|(topic, field)| !topic.is_empty() && !field.is_empty())
        .ok_or_else(|| {
            format!(
                "expected TOPIC.FIELD, such as /rov/odometry.pose.pose.position.z, found `{text}`"
            )
        })?;
    Ok(Selection {
        text,
        topic: absolute(topic),
        field,
        curves: Vec::new(),
        texts: BTreeSet::new(),
        numbers: BTreeSet::new(),
    })
}

impl Selection<'_> {
    /// Returns true if the argument selects the field at `path`, or a message or array with it.
    fn selects(&self, path: &str) -> bool {
        path.strip_prefix(self.field)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    }

    /// Returns the error of a field that is not in the messages of the topic.
    fn unknown_field(&self, bag: &Path, type_name: &str) -> String {
        let place = format!("{}: {}", bag.display(), self.topic);
        if self.texts.iter().any(|path| self.selects(path)) {
            return format!("{place}: `{}` is not a number", self.field);
        }
        let numbers = self.numbers.iter().map(String::as_str);
        let guess = did_you_mean(self.field, numbers.clone());
        // of an array only the first element
        let is_first = |path: &&str| path.matches('[').count() == path.matches("[0]").count();
        let numbers = numbers.filter(is_first);
        let more = match numbers.clone().count() {
            n if n > MAX_LISTED => format!(" and {} more", n - MAX_LISTED),
            _ => String::new(),
        };
        let list = quoted_list(numbers.take(MAX_LISTED));
        format!(
            "{place}: {type_name} has no field `{}`; expected one of {list}{more}{guess}",
            self.field
        )
    }
}

/// Draws the fields `TOPIC.FIELD` of a bag. A field that is a message or an array gives one curve
/// for each number in it.
///
/// # Errors
/// One line: the bag cannot be read, a topic or field is not in the bag, or too many curves.
pub fn plot(bag: &Path, fields: &[String], axis: TimeAxis) -> Result<Plotted, String> {
    let mut selections = fields
        .iter()
        .map(|text| parse(text))
        .collect::<Result<Vec<_>, _>>()?;
    let mut curves: HashMap<(String, String), Curve> = HashMap::new();
    let mut undecoded = Undecoded::default();
    let content = read(bag, &mut |topic, message| {
        let mut own: Vec<&mut Selection<'_>> = selections
            .iter_mut()
            .filter(|selection| selection.topic == topic.name)
            .collect();
        if own.is_empty() {
            return Ok(());
        }
        let log = message.log_time_ns as f64 * 1e-9;
        undecoded.decode(topic, message, |value| {
            let time = stamp(value).unwrap_or(f64::NAN);
            let mut add = |path: &str, number: f64| {
                let key = (topic.name.clone(), path.to_owned());
                let curve = curves.entry(key).or_insert_with(|| Curve {
                    topic: topic.name.clone(),
                    type_name: topic.type_name.clone(),
                    path: path.to_owned(),
                    points: Vec::new(),
                });
                curve.points.push([time, log, number]);
            };
            collect(value, &mut own, &mut add);
        });
        Ok(())
    })?;
    check(bag, &selections, &content)?;
    let use_stamps = uses_stamps(bag, axis, &selections, &content)?;
    let mut ordered = Vec::new();
    for selection in &selections {
        for path in &selection.curves {
            let key = (selection.topic.clone(), path.clone());
            // a field that two arguments select is drawn once
            ordered.extend(curves.remove(&key));
        }
    }
    let mut notes = content.notes.clone();
    let selected = |note: &String| selections.iter().any(|s| note.starts_with(&s.topic));
    notes.extend(undecoded.notes(&content).into_iter().filter(selected));
    let title = bag.file_name().unwrap_or_default().to_string_lossy();
    Ok(Plotted {
        curves: ordered.len(),
        drawing: draw(&title, ordered, use_stamps),
        notes,
    })
}

/// Passes the selected numbers of a message to `add`.
fn collect(value: &Value<'_>, own: &mut [&mut Selection<'_>], add: &mut dyn FnMut(&str, f64)) {
    value.visit_leaves(ArrayLimits::FIELDS, &mut |path, leaf| {
        let number = leaf.number();
        let mut is_selected = false;
        for selection in own.iter_mut() {
            let names = match (number, leaf) {
                (None, Leaf::Long { .. }) | (Some(_), _) => &mut selection.numbers,
                (None, _) => &mut selection.texts,
            };
            if !names.contains(path) && names.len() < 10_000 {
                names.insert(path.to_owned());
            }
            if number.is_none() || !selection.selects(path) {
                continue;
            }
            is_selected = true;
            if !selection.curves.iter().any(|known| known == path)
                && selection.curves.len() <= MAX_CURVES
            {
                selection.curves.push(path.to_owned());
            }
        }
        if let Some(number) = number.filter(|_| is_selected) {
            add(path, number);
        }
    });
}

/// Checks that every argument selects a curve.
fn check(bag: &Path, selections: &[Selection<'_>], content: &BagContent) -> Result<(), String> {
    for selection in selections {
        let mut topics = content.topics.iter();
        let Some(topic) = topics.find(|topic| topic.name == selection.topic) else {
            let names = content.topics.iter().map(|topic| topic.name.as_str());
            let guess = did_you_mean(&selection.topic, names.clone());
            let list = match guess.is_empty() {
                true => format!("; found {}", quoted_list(names.take(MAX_LISTED))),
                false => String::new(),
            };
            return Err(format!(
                "{}: no topic `{}` among {} topics with messages{list}{guess}",
                bag.display(),
                selection.topic,
                content.topics.len()
            ));
        };
        if let Err(reason) = &topic.definition {
            return Err(format!("{}: {}: {reason}", bag.display(), topic.name));
        }
        if selection.curves.is_empty() {
            return Err(selection.unknown_field(bag, &topic.type_name));
        }
        if selection.curves.len() > MAX_CURVES {
            return Err(format!(
                "`{}` selects more than {MAX_CURVES} numbers; select a field in it",
                selection.text
            ));
        }
    }
    Ok(())
}

/// Returns true if the curves are drawn over the times of headers.
fn uses_stamps(
    bag: &Path,
    axis: TimeAxis,
    selections: &[Selection<'_>],
    content: &BagContent,
) -> Result<bool, String> {
    let mut without = content.topics.iter().filter(|topic| {
        let has_header = topic.definition.as_ref().is_ok_and(Definition::has_header);
        !has_header && selections.iter().any(|s| s.topic == topic.name)
    });
    match (axis, without.next()) {
        (TimeAxis::Log, _) | (TimeAxis::Auto, Some(_)) => Ok(false),
        (_, None) => Ok(true),
        (TimeAxis::Stamp, Some(topic)) => Err(format!(
            "{}: {}: {} has no header; use --time log",
            bag.display(),
            topic.name,
            topic.type_name
        )),
    }
}

/// Groups the curves into panels and draws them.
fn draw(title: &str, mut curves: Vec<Curve>, use_stamps: bool) -> Drawing {
    let time = |point: &[f64; 3]| point[usize::from(!use_stamps)];
    let times = curves
        .iter()
        .flat_map(|curve| curve.points.iter().map(time));
    let start = times
        .filter(|t| t.is_finite())
        .fold(f64::INFINITY, f64::min);
    let origin = if start > MAX_RELATIVE { start } else { 0.0 };
    let mut groups: Vec<((String, String), Vec<Curve>)> = Vec::new();
    for curve in curves.drain(..) {
        let (parent, _) = split(&curve.path);
        let key = (curve.type_name.clone(), parent.to_owned());
        let found = groups.iter_mut().rfind(|(own, _)| *own == key);
        match found.filter(|(_, curves)| curves.len() < COLOURS.len()) {
            Some((_, own)) => own.push(curve),
            None => groups.push((key, vec![curve])),
        }
    }
    let mut panels: Vec<Panel> = Vec::new();
    for ((_, parent), curves) in groups {
        let topic = curves[0].topic.clone();
        let is_shared = curves.iter().any(|curve| curve.topic != topic);
        let is_single = curves.len() == 1;
        let y_label = match (is_shared, is_single) {
            (false, true) => format!("{topic}.{}", curves[0].path),
            (false, false) if parent.is_empty() => topic,
            (false, false) => format!("{topic}.{parent}"),
            (true, _) => parent,
        };
        let series = curves.into_iter().map(|curve| {
            let (_, leaf) = split(&curve.path);
            let label = match (is_shared, is_single) {
                (true, _) => format!("{}.{leaf}", curve.topic),
                (false, false) => leaf.to_owned(),
                (false, true) => String::new(),
            };
            let points = curve.points.iter().map(|p| [time(p) - origin, p[2]]);
            (label, thin(points.collect()))
        });
        panels.push(Panel::new(y_label, "", coloured(series)));
    }
    if let Some(last) = panels.last_mut() {
        last.x_label = if origin > 0.0 {
            format!("time since {origin:.3} [s]")
        } else {
            "time [s]".to_owned()
        };
    }
    draw_figure(title, &panels, FIGURE_WIDTH, HEIGHT)
}

/// Splits a path into its parent and its last field or element.
fn split(path: &str) -> (&str, &str) {
    match path.rfind(['.', '[']) {
        Some(at) if path[at..].starts_with('.') => (&path[..at], &path[at + 1..]),
        Some(at) => path.split_at(at),
        None => ("", path),
    }
}

/// Sorts the points (x, y) of a curve, in any units, by x and thins them: the minimum and the
/// maximum of each interval remain, so that peaks do.
pub(crate) fn thin(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.retain(|point| point.iter().all(|number| number.is_finite()));
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    if points.len() <= 2 * INTERVALS {
        return points;
    }
    let mut kept = Vec::with_capacity(2 * INTERVALS + 2);
    kept.extend(points.first());
    for interval in points.chunks(points.len().div_ceil(INTERVALS)) {
        let by_value = |a: &usize, b: &usize| interval[*a][1].total_cmp(&interval[*b][1]);
        let low = (0..interval.len()).min_by(by_value).unwrap_or(0);
        let high = (0..interval.len()).max_by(by_value).unwrap_or(0);
        kept.push(interval[low.min(high)]);
        if low != high {
            kept.push(interval[low.max(high)]);
        }
    }
    kept.extend(points.last());
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_split_at_the_first_dot() {
        let selection = parse("rov/odometry.pose.pose").expect("a field");
        assert_eq!(
            (selection.topic.as_str(), selection.field),
            ("/rov/odometry", "pose.pose")
        );
        assert!(selection.selects("pose.pose.position.x"));
        assert!(selection.selects("pose.pose[3]"));
        assert!(!selection.selects("pose.poses"));
        for wrong in ["/rov/odometry", "/rov/odometry.", ".x"] {
            let message = parse(wrong).map(|_| ()).expect_err(wrong);
            assert!(message.contains("expected TOPIC.FIELD"), "{message}");
        }
    }

    // Peaks remain in thinned curves. Method: a flat curve of 10,000 points with one peak.
    #[test]
    fn thinned_curves_keep_peaks() {
        let mut points: Vec<[f64; 2]> = (0..10_000).map(|k| [f64::from(k), 0.0]).collect();
        points[5017][1] = 3.0;
        points[77][1] = f64::NAN;
        let thinned = thin(points);
        assert!(thinned.len() < 700, "{}", thinned.len());
        assert!(thinned.contains(&[5017.0, 3.0]));
        assert_eq!(thinned.last(), Some(&[9999.0, 0.0]));
    }

    #[test]
    fn paths_are_split_into_parent_and_leaf() {
        assert_eq!(split("pose.position.x"), ("pose.position", "x"));
        assert_eq!(split("position[3]"), ("position", "[3]"));
        assert_eq!(split("data"), ("", "data"));
    }
}
