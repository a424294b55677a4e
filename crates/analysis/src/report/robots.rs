//! Sections of the robots: tracks, thrusters, batteries.

use crate::report::motion::{Source, Track, plan, time_series};
use crate::report::page::{Series, cells, curves, figures, table};
use crate::report::{Item, Section, text, vector};
use std::collections::BTreeMap;

/// Frames whose transforms to a base of a robot are tracks.
const FIXED_FRAMES: [&str; 3] = ["world", "map", "odom"];
/// Thrust below which a thruster counts as stopped [N].
const STOPPED: f64 = 0.01;
/// Number of seconds per hour.
const HOUR: f64 = 3600.0;

/// Data of all robots, by name.
#[derive(Debug, Default)]
pub(super) struct Robots {
    robots: BTreeMap<String, Robot>,
    /// Positions of the static frames in the world, by name [m].
    fixed: BTreeMap<String, [f64; 3]>,
}

#[derive(Debug, Default)]
struct Robot {
    tracks: Vec<Track>,
    /// Batteries by topic: time [s], voltage [V], current [A], state of charge [%].
    batteries: BTreeMap<String, Vec<[f64; 4]>>,
    /// Thrusters by name: time [s], thrust [N], power [W].
    thrusters: BTreeMap<String, Vec<[f64; 3]>>,
}

/// Place of a robot or of a fixed object.
#[derive(Debug)]
pub(super) struct Place<'r> {
    /// Best track of the robot.
    track: Option<&'r Track>,
    /// Position of an object that does not move [m].
    fixed: Option<[f64; 3]>,
}

impl Place<'_> {
    /// Returns the position at a time [s], if it is recorded [m].
    pub(super) fn position_at(&self, time: f64) -> Option<[f64; 3]> {
        let moving = self.track.and_then(|track| track.position_at(time));
        let position = moving.or(self.fixed)?;
        position.iter().all(|x| x.is_finite()).then_some(position)
    }
}

/// Returns the robot of a topic: its first part; empty for a topic without a namespace.
fn robot_of(topic: &str) -> &str {
    let name = topic.trim_start_matches('/');
    name.split_once('/').map_or("", |(robot, _)| robot)
}

impl Robots {
    /// Adds a message of a robot.
    pub(super) fn add(&mut self, item: &Item<'_>) {
        let source = match item.topic.type_name.as_str() {
            "tf2_msgs/msg/TFMessage" => return self.add_transforms(item),
            "sensor_msgs/msg/BatteryState" => return self.add_battery(item),
            "nav_msgs/msg/Odometry" => Source::Odometry,
            "sensor_msgs/msg/NavSatFix" => Source::Satellites,
            "sensor_msgs/msg/Imu" => Source::Imu,
            _ => Source::Pose,
        };
        let name = &item.topic.name;
        let frame = text(item.value, "header.frame_id");
        self.robot(robot_of(name))
            .track(name, source, frame)
            .add(item);
    }

    fn robot(&mut self, name: &str) -> &mut Robot {
        self.robots.entry(name.to_owned()).or_default()
    }

    fn add_transforms(&mut self, item: &Item<'_>) {
        for transform in item.value.list("transforms") {
            let frame = text(transform, "header.frame_id");
            let child = text(transform, "child_frame_id");
            if !FIXED_FRAMES.contains(&frame) {
                continue;
            }
            if item.topic.name.ends_with("/tf_static") {
                let position = vector(transform, "transform.translation");
                self.fixed.extend(position.map(|p| (child.to_owned(), p)));
            }
            let is_base = child == "base_link" || child.ends_with("/base_link");
            if !is_base {
                continue;
            }
            let time = transform.number_at("header.stamp").unwrap_or(item.time);
            let topic = format!("{}: {frame} to {child}", item.topic.name);
            let robot = self.robot(child.split_once('/').map_or("", |c| c.0));
            let track = robot.track(&topic, Source::Transform, frame);
            track.add_transform(transform, time);
        }
    }

    fn add_battery(&mut self, item: &Item<'_>) {
        let number = |path| item.value.number_at(path).unwrap_or(f64::NAN);
        let sample = [
            item.time,
            number("voltage"),
            number("current"),
            100.0 * number("percentage"),
        ];
        let name = &item.topic.name;
        let batteries = &mut self.robot(robot_of(name)).batteries;
        batteries.entry(name.clone()).or_default().push(sample);
    }

    /// Adds the thrusters of a message of diagnostics.
    pub(super) fn add_thrusters(&mut self, item: &Item<'_>) {
        for status in item.value.list("status") {
            let Some((robot, thruster)) = text(status, "name").split_once(": thruster ") else {
                continue;
            };
            let number = |key: &str| {
                let mut values = status.list("values").iter();
                let found = values.find(|value| text(value, "key") == key);
                found.and_then(|value| text(value, "value").parse().ok())
            };
            if let Some(thrust) = number("thrust [N]") {
                let power = number("power [W]").unwrap_or(f64::NAN);
                let thrusters = &mut self.robot(robot).thrusters;
                let own = thrusters.entry(thruster.to_owned()).or_default();
                own.push([item.time, thrust, power]);
            }
        }
    }

    /// Returns the place of a modem: of the robot before the slash in its name, or of the static
    /// frame with its name.
    pub(super) fn place_of(&self, modem: &str) -> Place<'_> {
        let fixed = |frame: &str| self.fixed.get(frame).copied();
        let Some((robot, _)) = modem.split_once('/') else {
            return Place {
                track: None,
                fixed: fixed(modem),
            };
        };
        let tracks = self.robots.get(robot).map(Robot::sorted);
        let mut tracks = tracks.into_iter().flatten();
        let is_place = |track: &&Track| track.has_plan() && track.source <= Source::Transform;
        Place {
            track: tracks.find(is_place),
            fixed: fixed(&format!("{robot}/base_link")),
        }
    }

    /// Returns one section per robot with data.
    pub(super) fn sections(&mut self) -> Vec<Section> {
        for robot in self.robots.values_mut() {
            for track in &mut robot.tracks {
                track.samples.sort_by(|a, b| a.time.total_cmp(&b.time));
            }
        }
        let robots = self.robots.iter();
        robots
            .filter_map(|(name, robot)| robot.section(name))
            .collect()
    }
}

impl Robot {
    /// Returns the track of a topic, which is added if it is not known.
    fn track(&mut self, topic: &str, source: Source, frame: &str) -> &mut Track {
        let known = self.tracks.iter().position(|track| track.topic == topic);
        let k = known.unwrap_or_else(|| {
            self.tracks.push(Track::new(topic, source, frame));
            self.tracks.len() - 1
        });
        &mut self.tracks[k]
    }

    /// Returns the tracks, the best first: true odometry, then other odometry, then poses.
    fn sorted(&self) -> Vec<&Track> {
        let mut tracks: Vec<&Track> = self.tracks.iter().collect();
        tracks.sort_by_key(|track| {
            let is_truth = track.topic.ends_with("/odometry");
            (track.source, !is_truth, track.topic.clone())
        });
        let has_better = tracks
            .first()
            .is_some_and(|track| track.source < Source::Transform && track.has_plan());
        // transforms and satellites only without a track in the frame of the world
        tracks.retain(|track| {
            !has_better || ![Source::Transform, Source::Satellites].contains(&track.source)
        });
        tracks
    }

    fn section(&self, name: &str) -> Option<Section> {
        let tracks = self.sorted();
        let mut drawings = Vec::new();
        drawings.extend(plan(name, &tracks));
        drawings.extend(time_series(&tracks));
        drawings.extend(self.draw_thrusters());
        drawings.extend(self.draw_batteries());
        if drawings.is_empty() {
            return None;
        }
        let mut html = String::new();
        let length = tracks.iter().find(|track| track.has_plan());
        if let Some(track) = length {
            let row = cells! { &track.topic; track.length(), 2; };
            html += &table("track | length [m]", [row]);
        }
        html += &figures(drawings);
        html += &self.thruster_table();
        html += &self.battery_table();
        let title = match name {
            "" => "Robot without a namespace".to_owned(),
            name => format!("Robot {name}"),
        };
        Some(Section { title, html })
    }

    fn draw_thrusters(&self) -> Option<merrow_chart::canvas::Drawing> {
        let panels = vec![
            ("thrust [N]", series(&self.thrusters, 1)),
            ("electrical power [W]", series(&self.thrusters, 2)),
        ];
        curves("Thrusters, from the diagnostics", panels)
    }

    fn thruster_table(&self) -> String {
        let row = |(name, samples): (&String, &Vec<[f64; 3]>)| {
            let n = samples.len() as f64;
            let thrusts = || samples.iter().map(|s| s[1].abs());
            let on = thrusts().filter(|thrust| *thrust > STOPPED).count() as f64;
            cells! {
                name;
                100.0 * on / n, 1;
                thrusts().sum::<f64>() / n, 2;
                thrusts().fold(0.0, f64::max), 2;
                integral(samples, |s| s[2]) / HOUR, 3;
            }
        };
        let head =
            "thruster | in use [% of the time] | mean thrust [N] | max. thrust [N] | energy [W h]";
        table(head, self.thrusters.iter().map(row))
    }

    fn draw_batteries(&self) -> Option<merrow_chart::canvas::Drawing> {
        let series = |k: usize| {
            let mut all = series(&self.batteries, k);
            if let [(label, _)] = &mut all[..] {
                label.clear();
            }
            all
        };
        let panels = vec![
            ("state of charge [%]", series(3)),
            ("voltage [V]", series(1)),
            ("current, negative while discharging [A]", series(2)),
        ];
        curves("Battery", panels)
    }

    fn battery_table(&self) -> String {
        let row = |(topic, samples): (&String, &Vec<[f64; 4]>)| {
            let (first, last) = (samples.first()?, samples.last()?);
            let energy = integral(samples, |s| -s[1] * s[2]);
            let duration = last[0] - first[0];
            Some(cells! {
                topic;
                first[3], 1;
                last[3], 1;
                energy / HOUR, 3;
                energy / duration, 2;
                samples.iter().map(|s| s[1]).fold(f64::NAN, f64::min), 2;
            })
        };
        let head = "battery | charge at the start [%] | at the end [%] | energy drawn [W h] | \
            mean power [W] | min. voltage [V]";
        table(head, self.batteries.iter().filter_map(row))
    }
}

/// Returns the component `k` of the samples over time, with their names.
fn series<const N: usize>(of: &BTreeMap<String, Vec<[f64; N]>>, k: usize) -> Vec<Series> {
    let points = |samples: &[[f64; N]]| samples.iter().map(|s| [s[0], s[k]]).collect();
    let series = of
        .iter()
        .map(|(name, samples)| (name.clone(), points(samples)));
    series.collect()
}

/// Integrates a quantity over the times of samples by the trapezoidal rule; samples that are not
/// finite do not count.
fn integral<const N: usize>(samples: &[[f64; N]], quantity: impl Fn(&[f64; N]) -> f64) -> f64 {
    let areas = samples.windows(2).map(|pair| {
        let mean = 0.5 * (quantity(&pair[0]) + quantity(&pair[1]));
        mean * (pair[1][0] - pair[0][0])
    });
    areas.filter(|area| area.is_finite()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn robots_are_first_parts_of_topics() {
        assert_eq!(robot_of("/rov/odometry"), "rov");
        assert_eq!(robot_of("/odometry"), "");
    }

    // Energy of a battery. Method: 12 V, current from 0 to -10 A in 100 s: 6 kJ. Tolerance:
    // rounding.
    #[test]
    fn energy_is_the_integral_of_power() {
        let samples = [[0.0, 12.0, 0.0, 100.0], [100.0, 12.0, -10.0, 99.0]];
        assert!((integral(&samples, |s| -s[1] * s[2]) - 6000.0).abs() < 1e-9);
        assert_eq!(integral(&samples[..1], |s| s[1]), 0.0);
    }
}
