//! Modems: delivery of frames, links, delivery and delay over distance, schedule.

use crate::report::delivery::{
    DrawnLink, Transmitted, by_distance, delivery_table, draw_delivery, draw_links,
};
use crate::report::page::{Bars, Cell, HEIGHT, WIDTH, cells, figures, paragraph, table};
use crate::report::robots::Robots;
use crate::report::{Item, Section, text};
use crate::schedule::{Interval, MODEM_ACTIVITIES, intervals};
use crate::type_name;
use merrow_chart::canvas::Drawing;
use merrow_chart::chart::{Panel, Style, coloured, draw_figure};
use merrow_ros2::dynamic::value::Value;
use std::collections::BTreeMap;

/// Frames from one modem to another.
#[derive(Debug, Default)]
struct Link {
    frames: usize,
    received: usize,
    bits: f64,
    /// Sum of the ratios of received frames [dB].
    snr: f64,
    /// Start and delay of each transmitted frame [s]; the delay of a lost frame is NaN.
    transmitted: Vec<[f64; 2]>,
    /// Number of lost frames by cause.
    causes: BTreeMap<String, usize>,
}

impl Link {
    /// Returns the transmitted frames with the distance of the modems at their start, as far as the
    /// positions are recorded.
    fn distances(&self, ends: &[String; 2], robots: &Robots) -> Vec<Transmitted> {
        let places = ends.each_ref().map(|end| robots.place_of(end));
        let distance = |time: f64| {
            let (a, b) = (places[0].position_at(time)?, places[1].position_at(time)?);
            let square: f64 = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum();
            Some(square.sqrt())
        };
        let frames = self.transmitted.iter();
        let frames = frames.filter_map(|[start, delay]| Some([distance(*start)?, *delay]));
        frames.collect()
    }
}

/// Returns the robot of a modem, or the name of a fixed modem.
fn carrier(modem: &str) -> &str {
    modem.split_once('/').map_or(modem, |(robot, _)| robot)
}

/// Data of all modems.
#[derive(Debug, Default)]
pub(super) struct Modems {
    /// Links by transmitter and receiver.
    links: BTreeMap<[String; 2], Link>,
    bars: Bars,
    /// Energy of each modem by topic [J], and number of waiting messages.
    statuses: BTreeMap<String, [f64; 2]>,
    /// Rows of the last table of links.
    table: Vec<Vec<Cell>>,
}

impl Modems {
    /// Adds a message about modems.
    pub(super) fn add(&mut self, item: &Item<'_>) {
        let list = |name: &str| item.value.list(name).iter();
        match type_name(item.topic).as_ref() {
            "merrow_msgs/msg/PacketLog" => list("packets").for_each(|p| self.add_packet(p)),
            "merrow_msgs/msg/ModemSchedule" => {
                let intervals = intervals(&item.topic.name, item.value).into_iter();
                let is_drawn = |i: &Interval| MODEM_ACTIVITIES.contains(&i.1.as_str());
                intervals.filter(is_drawn).for_each(|i| self.bars.add(i));
            }
            "merrow_msgs/msg/LinkTable" => self.table = list("links").map(link_row).collect(),
            _ => {
                let number = |path| item.value.number_at(path).unwrap_or(f64::NAN);
                let status = [number("energy"), number("queued")];
                self.statuses.insert(item.topic.name.clone(), status);
            }
        }
    }

    fn add_packet(&mut self, packet: &Value<'_>) {
        let ends = ["transmitter", "receiver"].map(|end| text(packet, end).to_owned());
        let number = |path| packet.number_at(path).unwrap_or(f64::NAN);
        let link = self.links.entry(ends).or_default();
        link.frames += 1;
        let (start, bits) = (number("start"), number("bits"));
        let mut delay = f64::NAN;
        match text(packet, "cause") {
            "" => {
                link.received += 1;
                link.bits += bits;
                link.snr += number("snr");
                delay = number("stamp") - start;
            }
            cause => *link.causes.entry(cause.to_owned()).or_default() += 1,
        }
        // a message that was never transmitted has no bits
        if bits > 0.0 {
            link.transmitted.push([start, delay]);
        }
    }

    /// Returns the section of the modems; `None` without their messages.
    pub(super) fn section(&self, robots: &Robots) -> Option<Section> {
        let mut html = self.delivery();
        let mut drawings = Vec::new();
        drawings.extend(draw_links(&self.drawn_links(robots)));
        let links = self.links.iter();
        let distances = links.map(|(ends, link)| (ends, link.distances(ends, robots)));
        let distances: Vec<_> = distances.collect();
        let networks = by_distance(&distances);
        drawings.extend(draw_delivery(&networks));
        drawings.extend(self.draw_delays(&distances));
        drawings.extend(self.bars.draw("Schedule of the modems", &MODEM_ACTIVITIES));
        html += &figures(drawings);
        html += &delivery_table(&networks);
        html += &self.bars.note();
        let head = "link at the end | ratio of signal to noise [dB] | travel time [s] | frames | \
            received | loss [%] | load [%]";
        html += &table(head, self.table.iter().cloned());
        let statuses = self.statuses.iter();
        let rows =
            statuses.map(|(topic, [energy, queued])| cells! { topic; *energy, 1; *queued, 0; });
        html += &table("modem | energy [J] | waiting messages at the end", rows);
        (!html.is_empty()).then(|| Section::new("Modems", html))
    }

    /// Returns the table of the delivery on each link.
    fn delivery(&self) -> String {
        let row = |(ends, link): (&[String; 2], &Link)| {
            let n = link.received as f64;
            let delays = link.transmitted.iter().map(|frame| frame[1]);
            let delay: f64 = delays.filter(|d| d.is_finite()).sum::<f64>() / n;
            let causes = link.causes.iter();
            let causes: Vec<String> = causes.map(|(cause, n)| format!("{cause}: {n}")).collect();
            cells! {
                format!("{} to {}", ends[0], ends[1]);
                link.frames as f64, 0;
                n, 0;
                100.0 * n / link.frames as f64, 1;
                link.bits / 8.0, 0;
                link.snr / n, 1;
                delay, 3;
                causes.join(", ");
            }
        };
        if self.links.is_empty() {
            return String::new();
        }
        let head = "link | frames | received | delivered [%] | bytes received | \
            mean ratio of signal to noise [dB] | mean delay [s] | losses by cause";
        let about =
            "The frames include messages that were never transmitted, such as replaced messages.";
        table(head, self.links.iter().map(row)) + &paragraph(about)
    }

    /// Returns the links of the plan view. The modems are at their positions at the start of the
    /// last transmission of or to them.
    fn drawn_links(&self, robots: &Robots) -> Vec<DrawnLink> {
        let mut times: BTreeMap<&str, f64> = BTreeMap::new();
        let mut pairs: BTreeMap<[&str; 2], [usize; 2]> = BTreeMap::new();
        for (ends, link) in self.links.iter().filter(|l| !l.1.transmitted.is_empty()) {
            let last = link.transmitted.iter().map(|frame| frame[0]);
            let last = last.fold(f64::NEG_INFINITY, f64::max);
            for end in ends {
                let time = times.entry(end).or_insert(last);
                *time = time.max(last);
            }
            let mut pair = ends.each_ref().map(String::as_str);
            pair.sort_unstable();
            let [frames, received] = pairs.entry(pair).or_default();
            *frames += link.transmitted.len();
            *received += link.received;
        }
        let end = |modem: &str| {
            let time = times.get(modem).copied().unwrap_or(f64::NAN);
            // the modems of a robot share its place and its name
            Some((
                carrier(modem).to_owned(),
                robots.place_of(modem).position_at(time)?,
            ))
        };
        let pairs = pairs.into_iter();
        let drawn = pairs.filter_map(|([from, to], [frames, received])| {
            let ends = [end(from)?, end(to)?];
            Some(DrawnLink {
                ends,
                frames,
                received,
            })
        });
        drawn.collect()
    }

    /// Draws the delays over the distance of the modems, or over time if no distance is recorded.
    fn draw_delays(&self, distances: &[(&[String; 2], Vec<Transmitted>)]) -> Option<Drawing> {
        let received = |frames: &[[f64; 2]]| -> Vec<[f64; 2]> {
            let frames = frames.iter().filter(|frame| frame[1].is_finite());
            frames.copied().collect()
        };
        let is_drawn = |(_, points): &(&[String; 2], Vec<[f64; 2]>)| !points.is_empty();
        let over_distance = distances.iter();
        let over_distance = over_distance.map(|(ends, frames)| (*ends, received(frames)));
        let mut drawn: Vec<_> = over_distance.filter(is_drawn).collect();
        let mut label = "distance at the start of the transmission [m]";
        if drawn.is_empty() {
            let links = self.links.iter();
            let over_time = links.map(|(ends, link)| (ends, received(&link.transmitted)));
            drawn = over_time.filter(is_drawn).collect();
            label = "start of the transmission [s]";
        }
        let has_legend = drawn.len() <= 3;
        let series = drawn.into_iter().map(|(ends, points)| {
            let label = format!("{} to {}", ends[0], ends[1]);
            (if has_legend { label } else { String::new() }, points)
        });
        let panel = Panel {
            style: Style::Marks,
            ..Panel::new("delay [s]", label, coloured(series))
        };
        let title = "Delay from the start of the transmission to the end of the arrival";
        (!panel.lines.is_empty()).then(|| draw_figure(title, &[panel], WIDTH, 2 * HEIGHT))
    }
}

/// Returns the row of a link of the table of links.
fn link_row(link: &Value<'_>) -> Vec<Cell> {
    let number = |path| link.number_at(path).unwrap_or(f64::NAN);
    cells! {
        format!("{} to {}", text(link, "transmitter"), text(link, "receiver"));
        number("snr"), 1;
        number("delay"), 4;
        number("frames"), 0;
        number("received"), 0;
        100.0 * number("loss"), 1;
        100.0 * number("load"), 2;
    }
}
