//! Schedule traces of modems and of computers: activities over time.

use crate::plot::Plotted;
use crate::{Undecoded, absolute, read, type_name};
use merrow_chart::canvas::{Anchor, Drawing, Element};
use merrow_chart::chart::{COLOURS, FIGURE_WIDTH};
use merrow_ros2::dynamic::value::Value;
use merrow_yaml::error::{did_you_mean, quoted_list};
use std::collections::BTreeSet;
use std::path::Path;

/// Activities of modems that are drawn, in the order of the colours.
pub(crate) const MODEM_ACTIVITIES: [&str; 4] = ["collide", "receive", "transmit", "wait"];
/// Activities of tasks that are drawn, in the order of the colours.
pub(crate) const TASK_ACTIVITIES: [&str; 2] = ["ready", "running"];
/// Types of the messages with a schedule trace.
pub(crate) const TYPES: [&str; 2] = [
    "merrow_msgs/msg/ModemSchedule",
    "merrow_msgs/msg/TaskSchedule",
];
/// Maximum number of bars of a drawing.
const MAX_BARS: usize = 20_000;
/// Height of a row [px].
const ROW: f64 = 24.0;
/// Width of a character of a label [px].
const CHARACTER: f64 = 6.6;

/// Interval of one activity: name of the row, activity, start and end [s].
pub(crate) type Interval = (String, String, [f64; 2]);

/// Returns the intervals of a message on `topic`. The row of a task is its computer and its name.
pub(crate) fn intervals(topic: &str, message: &Value<'_>) -> Vec<Interval> {
    let computer = topic.rsplit_once('/').map_or("", |(computer, _)| computer);
    let interval = |value: &Value<'_>| {
        let text = |name: &str| value.field(name).and_then(Value::text).map(str::to_owned);
        let time = |name: &str| value.number_at(name).unwrap_or(f64::NAN);
        let row = text("modem").or_else(|| {
            let task = text("task")?;
            Some(format!("{}/{task}", computer.trim_start_matches('/')))
        })?;
        Some((row, text("activity")?, [time("start"), time("end")]))
    };
    let list = message.list("intervals").iter();
    list.filter_map(interval).collect()
}

/// Draws the schedule traces on `topics` of a bag.
///
/// # Errors
/// One line: the bag cannot be read, a topic is not in the bag or has no schedule trace.
pub fn plot_schedules(bag: &Path, topics: &[String]) -> Result<Plotted, String> {
    let topics: Vec<String> = topics.iter().map(|topic| absolute(topic)).collect();
    let (mut all, mut undecoded) = (Vec::new(), Undecoded::default());
    let content = read(bag, &mut |topic, message| {
        if topics.contains(&topic.name) && TYPES.contains(&type_name(topic).as_ref()) {
            undecoded.decode(topic, message, |value| {
                all.extend(intervals(&topic.name, value));
            });
        }
        Ok(())
    })?;
    let schedules = content.topics.iter();
    let schedules = schedules.filter(|topic| TYPES.contains(&type_name(topic).as_ref()));
    let names: Vec<&str> = schedules.map(|topic| topic.name.as_str()).collect();
    if let Some(other) = topics.iter().find(|topic| !names.contains(&topic.as_str())) {
        let all = content.topics.iter().map(|topic| topic.name.as_str());
        if !all.clone().any(|name| name == other) {
            let guess = did_you_mean(other, all);
            return Err(format!("{}: no topic `{other}`{guess}", bag.display()));
        }
        let guess = did_you_mean(other, names.iter().copied());
        let list = match names.is_empty() {
            true => String::new(),
            false => format!(" such as one of {}", quoted_list(names.iter().copied())),
        };
        return Err(format!(
            "{}: `{other}` has no schedule trace; expected TOPIC.FIELD, or a topic with a \
             schedule trace{list}{guess}",
            bag.display()
        ));
    }
    let mut notes = content.notes.clone();
    notes.extend(undecoded.notes(&content));
    if all.len() > MAX_BARS {
        let excess = all.len() - MAX_BARS;
        notes.push(format!("the schedule ends before {excess} later intervals"));
        all.truncate(MAX_BARS);
    }
    let is_of_modem = |interval: &Interval| MODEM_ACTIVITIES.contains(&interval.1.as_str());
    let activities = match all.iter().any(is_of_modem) {
        true => &MODEM_ACTIVITIES[..],
        false => &TASK_ACTIVITIES[..],
    };
    let title = bag.file_name().unwrap_or_default().to_string_lossy();
    let drawing = draw_schedule(&title, activities, &all, FIGURE_WIDTH);
    let drawing =
        drawing.ok_or_else(|| format!("{}: the schedule has no interval", bag.display()))?;
    let rows: BTreeSet<&str> = all.iter().map(|interval| interval.0.as_str()).collect();
    Ok(Plotted {
        drawing,
        curves: rows.len(),
        notes,
    })
}

/// Draws `activities`, in the order of the colours, over time with one row per row or task. `None`
/// without intervals.
pub(crate) fn draw_schedule(
    title: &str,
    activities: &[&str],
    intervals: &[Interval],
    width: u32,
) -> Option<Drawing> {
    let is_drawn = |(_, activity, times): &&Interval| {
        activities.contains(&activity.as_str()) && times.iter().all(|time| time.is_finite())
    };
    let drawn: Vec<&Interval> = intervals.iter().filter(is_drawn).collect();
    let start = drawn.iter().map(|i| i.2[0]).fold(f64::INFINITY, f64::min);
    let end = drawn
        .iter()
        .map(|i| i.2[1])
        .fold(f64::NEG_INFINITY, f64::max);
    if end <= start {
        return None;
    }
    let rows: Vec<&str> = drawn
        .iter()
        .map(|i| i.0.as_str())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let longest = rows
        .iter()
        .map(|row| row.chars().count())
        .max()
        .unwrap_or(0);
    let left = (24.0 + CHARACTER * longest as f64).max(100.0);
    let [right, top] = [f64::from(width) - 16.0, 48.0];
    let bottom = top + ROW * rows.len() as f64;
    let mut drawing = Drawing {
        size: [width, bottom as u32 + 24],
        elements: Vec::new(),
    };
    drawing.label([left, 19.0], title, Anchor::Start);
    draw_legend(&mut drawing, activities, left);
    for (k, row) in rows.iter().enumerate() {
        let y = top + ROW * (k as f64 + 0.5);
        drawing.label([left - 8.0, y + 4.0], row, Anchor::End);
        let line = vec![[left, y + 0.5 * ROW], [right, y + 0.5 * ROW]];
        drawing.line(line, [205, 205, 205], 0.7, false);
    }
    let x = |time: f64| left + (time - start) / (end - start) * (right - left);
    for (name, activity, times) in drawn {
        let row = rows.iter().position(|row| row == name);
        let kind = activities.iter().position(|name| name == activity);
        if let (Some(row), Some(kind)) = (row, kind) {
            let y = top + ROW * (row as f64 + 0.5);
            // a short activity remains visible
            let ends = [x(times[0]), x(times[1]).max(x(times[0]) + 0.8)];
            let points = bar(ends, y, 0.36 * ROW);
            let colour = COLOURS[kind];
            drawing.elements.push(Element::Fill { points, colour });
        }
    }
    let ends = [(left, start, Anchor::Start), (right, end, Anchor::End)];
    for (at, time, anchor) in ends {
        let time = format!("{time:.3} s");
        drawing.label([at, bottom + 16.0], &time, anchor);
    }
    Some(drawing)
}

/// Draws the legend of the activities from `left` on [px].
fn draw_legend(drawing: &mut Drawing, activities: &[&str], left: f64) {
    for (k, activity) in activities.iter().enumerate() {
        let x = left + 110.0 * k as f64;
        let points = bar([x, x + 10.0], 38.0, 4.0);
        let colour = COLOURS[k];
        drawing.elements.push(Element::Fill { points, colour });
        drawing.label([x + 14.0, 42.0], activity, Anchor::Start);
    }
}

/// Returns the corners of a bar between two x, about `y`, of half the height `half` [px].
fn bar([from, to]: [f64; 2], y: f64, half: f64) -> Vec<[f64; 2]> {
    vec![
        [from, y - half],
        [to, y - half],
        [to, y + half],
        [from, y + half],
    ]
}
