//! Tracks of a robot: plan view, depth, attitude, speeds.

use crate::report::page::{HEIGHT, Series, WIDTH, curves};
use crate::report::{Item, vector};
use merrow_chart::canvas::Drawing;
use merrow_chart::chart::{Panel, Style, coloured, draw_figure};
use merrow_math::ellipsoid::TangentPlane;
use merrow_ros2::dynamic::value::Value;

/// Variance from which a coordinate of a pose is not measured [m2].
const UNKNOWN: f64 = 999.0;
/// Variance from which a coordinate of odometry, which drifts, is not measured [m2].
const UNKNOWN_ODOMETRY: f64 = 1e5;
/// Maximum number of tracks of a plan view.
const MAX_TRACKS: usize = 6;

/// Kind of message that a track comes from; the first is preferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// Message with pose and velocity.
    Odometry,
    /// Pose, or depth as a pose.
    Pose,
    /// Transform from a fixed frame to the base of the robot.
    Transform,
    /// Latitude, longitude and altitude.
    Satellites,
    /// Message with an orientation only.
    Imu,
}

/// State at one time, in the frame of the header; NaN: not measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Time of the sample [s].
    pub(super) time: f64,
    /// Position of the robot [m].
    pub(super) position: [f64; 3],
    /// Quaternion x, y, z, w.
    orientation: [f64; 4],
    /// Linear velocity [m/s] and angular velocity [rad/s], in the frame of the robot.
    velocity: [[f64; 3]; 2],
}

/// Samples of one topic.
#[derive(Clone, Debug)]
pub(super) struct Track {
    pub(super) topic: String,
    pub(super) source: Source,
    pub(super) frame: String,
    pub(super) samples: Vec<Sample>,
    /// Origin of satellite positions.
    plane: Option<TangentPlane>,
}

/// Converts a quaternion x, y, z, w to roll, pitch and yaw [deg]; NaN if its norm is zero.
fn angles([x, y, z, w]: [f64; 4]) -> [f64; 3] {
    let norm = x * x + y * y + z * z + w * w;
    if norm < 1e-6 {
        return [f64::NAN; 3];
    }
    let roll = libm::atan2(2.0 * (w * x + y * z), w * w - x * x - y * y + z * z);
    let pitch = libm::asin((2.0 * (w * y - z * x) / norm).clamp(-1.0, 1.0));
    let yaw = libm::atan2(2.0 * (w * z + x * y), w * w + x * x - y * y - z * z);
    [roll, pitch, yaw].map(f64::to_degrees)
}

impl Sample {
    fn new(time: f64) -> Self {
        Self {
            time,
            position: [f64::NAN; 3],
            orientation: [0.0; 4],
            velocity: [[f64::NAN; 3]; 2],
        }
    }
}

impl Track {
    pub(super) fn new(topic: &str, source: Source, frame: &str) -> Self {
        Self {
            topic: topic.to_owned(),
            source,
            frame: frame.to_owned(),
            samples: Vec::new(),
            plane: None,
        }
    }

    /// Adds a message with a pose, a fix or an orientation.
    pub(super) fn add(&mut self, item: &Item<'_>) {
        let Item { value, time, .. } = item;
        let mut sample = Sample::new(*time);
        let pose = if item.topic.type_name.ends_with("PoseStamped") {
            "pose"
        } else {
            "pose.pose"
        };
        match self.source {
            Source::Odometry | Source::Pose => {
                let Some(position) = vector::<3>(value, &format!("{pose}.position")) else {
                    return;
                };
                sample.position = position;
                let orientation = vector(value, &format!("{pose}.orientation"));
                sample.orientation = orientation.unwrap_or_default();
                let [x, y, z, roll] = variances(value);
                let unknown = match self.source {
                    Source::Odometry => UNKNOWN_ODOMETRY,
                    _ => UNKNOWN,
                };
                if x.max(y) > unknown {
                    // a depth
                    sample.position = [f64::NAN, f64::NAN, position[2]];
                }
                if z > unknown {
                    sample.position[2] = f64::NAN;
                }
                if roll > unknown {
                    sample.orientation = [0.0; 4];
                }
                for (k, part) in ["linear", "angular"].iter().enumerate() {
                    let velocity = vector(value, &format!("twist.twist.{part}"));
                    sample.velocity[k] = velocity.unwrap_or([f64::NAN; 3]);
                }
            }
            Source::Satellites => {
                let angle = |path| value.number_at(path).unwrap_or(f64::NAN);
                let [latitude, longitude] =
                    ["latitude", "longitude"].map(|p| angle(p).to_radians());
                if !latitude.is_finite() || !longitude.is_finite() {
                    return;
                }
                let plane = self
                    .plane
                    .get_or_insert_with(|| TangentPlane::new(latitude, longitude, 0.0));
                sample.position = [
                    plane.metres(0, longitude),
                    plane.metres(1, latitude),
                    f64::NAN,
                ];
            }
            Source::Imu => {
                let covariance = match value.value_at("orientation_covariance") {
                    Some(Value::Numbers(numbers)) => numbers.iter().next(),
                    _ => None,
                };
                // REP-145: -1 in the first element means that there is no orientation
                let is_missing = covariance == Some(Value::Float64(-1.0));
                let orientation = vector(value, "orientation").filter(|_| !is_missing);
                let Some(orientation) = orientation else {
                    return;
                };
                sample.orientation = orientation;
            }
            Source::Transform => return,
        }
        self.samples.push(sample);
    }

    /// Adds a transform of `geometry_msgs/TransformStamped`.
    pub(super) fn add_transform(&mut self, transform: &Value<'_>, time: f64) {
        let mut sample = Sample::new(time);
        let position = vector(transform, "transform.translation");
        sample.position = position.unwrap_or([f64::NAN; 3]);
        let orientation = vector(transform, "transform.rotation");
        sample.orientation = orientation.unwrap_or_default();
        self.samples.push(sample);
    }

    /// Returns the position at a time [s], interpolated [m]; `None` outside the recorded time.
    pub(super) fn position_at(&self, time: f64) -> Option<[f64; 3]> {
        let after = self.samples.partition_point(|sample| sample.time < time);
        let b = self.samples.get(after)?;
        let a = match after.checked_sub(1) {
            Some(before) => &self.samples[before],
            None if b.time == time => b,
            None => return None,
        };
        let span = b.time - a.time;
        let part = if span > 0.0 {
            (time - a.time) / span
        } else {
            0.0
        };
        let mix = |k: usize| a.position[k] + part * (b.position[k] - a.position[k]);
        Some([mix(0), mix(1), mix(2)])
    }

    /// Returns true if a sample has both horizontal coordinates.
    pub(super) fn has_plan(&self) -> bool {
        let mut samples = self.samples.iter();
        samples.any(|sample| sample.position[..2].iter().all(|x| x.is_finite()))
    }

    /// Returns true if the positions of both tracks have the same axes.
    fn is_comparable(&self, other: &Self) -> bool {
        let is_fix = |track: &Self| track.source == Source::Satellites;
        self.frame == other.frame && is_fix(self) == is_fix(other)
    }

    /// Returns the length of the track [m].
    pub(super) fn length(&self) -> f64 {
        let positions: Vec<[f64; 3]> = self.samples.iter().map(|s| s.position).collect();
        let step = |pair: &[[f64; 3]]| {
            let square: f64 = (0..3).map(|k| (pair[1][k] - pair[0][k]).powi(2)).sum();
            square.sqrt()
        };
        let steps = positions.windows(2).map(step);
        steps.filter(|step| step.is_finite()).sum()
    }

    fn series(&self, label: &str, number: impl Fn(&Sample) -> f64) -> Series {
        let points = self.samples.iter().map(|s| [s.time, number(s)]);
        (label.to_owned(), points.collect())
    }

    /// Returns the angle `k` of roll, pitch and yaw without jumps of 360 degrees [deg].
    fn angle_series(&self, label: &str, k: usize) -> Series {
        let (mut turns, mut last) = (0.0, f64::NAN);
        let mut points = Vec::new();
        for sample in &self.samples {
            let angle = angles(sample.orientation)[k];
            if !angle.is_finite() {
                continue;
            }
            if last.is_finite() {
                turns -= ((angle - last) / 360.0).round();
            }
            last = angle;
            points.push([sample.time, angle + 360.0 * turns]);
        }
        (label.to_owned(), points)
    }
}

/// Returns the variances of x, y, z [m2] and of roll [rad2] of a pose; zeros without a covariance.
fn variances(value: &Value<'_>) -> [f64; 4] {
    let mut diagonal = [0.0; 4];
    if let Some(Value::Numbers(numbers)) = value.value_at("pose.covariance")
        && numbers.len() == 36
    {
        for (own, value) in diagonal.iter_mut().zip(numbers.iter().step_by(7)) {
            *own = value.leaf().and_then(|leaf| leaf.number()).unwrap_or(0.0);
        }
    }
    diagonal
}

/// Draws the tracks that have the frame of the first in a plan view.
pub(super) fn plan(name: &str, tracks: &[&Track]) -> Option<Drawing> {
    let with_plan: Vec<&&Track> = tracks.iter().filter(|track| track.has_plan()).collect();
    let first = with_plan.first()?;
    let own: Vec<&&&Track> = with_plan
        .iter()
        .filter(|track| track.is_comparable(first))
        .take(MAX_TRACKS)
        .collect();
    let title = match own.len() {
        1 => format!("Plan view, {}", first.topic),
        _ => format!("Plan view of {name}"),
    };
    let series = own.iter().map(|track| {
        let label = if own.len() == 1 { "" } else { &track.topic };
        let samples = track.samples.iter();
        (
            label,
            samples.map(|s| [s.position[0], s.position[1]]).collect(),
        )
    });
    let (y_label, x_label) = match first.source {
        Source::Satellites => ("north of the first fix [m]", "east [m]"),
        _ => ("y (north) [m]", "x (east) [m]"),
    };
    let panel = Panel {
        style: Style::Plan,
        ..Panel::new(y_label, x_label, coloured(series))
    };
    Some(draw_figure(&title, &[panel], WIDTH, 3 * HEIGHT))
}

/// Draws depth, attitude and speeds of the tracks; the first track with an attitude and with a
/// velocity is used.
pub(super) fn time_series(tracks: &[&Track]) -> Vec<Drawing> {
    let mut drawings = Vec::new();
    let measures_depth = |track: &&&Track| track.samples.iter().any(|s| s.position[2].is_finite());
    let mut with_depth = tracks.iter().filter(measures_depth);
    if let Some(first) = with_depth.next() {
        let own = std::iter::once(first).chain(with_depth.filter(|t| t.is_comparable(first)));
        let depths = own.map(|track| track.series(&track.topic, |s| -s.position[2]));
        drawings.extend(curves("Depth", vec![("depth -z [m]", depths.collect())]));
    }
    let has_attitude = |track: &&&Track| {
        let mut samples = track.samples.iter();
        samples.any(|s| angles(s.orientation)[0].is_finite())
    };
    if let Some(track) = tracks.iter().find(has_attitude) {
        let angle = |label: &str, k| track.angle_series(label, k);
        let panels = vec![
            (
                "roll, pitch [deg]",
                vec![angle("roll", 0), angle("pitch", 1)],
            ),
            ("yaw from east, counter-clockwise [deg]", vec![angle("", 2)]),
        ];
        drawings.extend(curves(&format!("Attitude, {}", track.topic), panels));
    }
    if let Some(track) = tracks.iter().find(|t| t.source == Source::Odometry) {
        let part = |label: &str, of: usize, k: usize, scale: f64| {
            track.series(label, move |s| scale * s.velocity[of][k])
        };
        let speed = track.series("speed", |s| {
            s.velocity[0].iter().map(|v| v * v).sum::<f64>().sqrt()
        });
        let degrees = 1_f64.to_degrees();
        let linear = vec![
            part("forward", 0, 0, 1.0),
            part("left", 0, 1, 1.0),
            part("up", 0, 2, 1.0),
            speed,
        ];
        let angular = vec![
            part("roll", 1, 0, degrees),
            part("pitch", 1, 1, degrees),
            part("yaw", 1, 2, degrees),
        ];
        let panels = vec![
            ("velocity [m/s]", linear),
            ("angular rate [deg/s]", angular),
        ];
        drawings.extend(curves(&format!("Speeds, {}", track.topic), panels));
    }
    drawings
}

#[cfg(test)]
mod tests {
    use super::*;

    // Angles follow CONVENTIONS.md. Method: quaternions of rotations about one axis. Tolerance:
    // rounding.
    #[test]
    fn angles_of_rotations_about_one_axis() {
        assert_eq!(angles([0.0, 0.0, 0.0, 1.0]), [0.0; 3]);
        let half = |degrees: f64| (0.5 * degrees).to_radians();
        for (axis, angle) in [(0, 30.0), (1, -20.0), (2, 170.0)] {
            let mut q = [0.0, 0.0, 0.0, 2.0 * half(angle).cos()];
            q[axis] = 2.0 * half(angle).sin();
            let mut expected = [0.0; 3];
            expected[axis] = angle;
            for (found, expected) in angles(q).iter().zip(expected) {
                assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            }
        }
        assert!(angles([0.0; 4])[0].is_nan());
    }

    #[test]
    fn positions_are_interpolated() {
        let mut track = Track::new("/t", Source::Pose, "world");
        for (time, x) in [(1.0, 0.0), (3.0, 4.0)] {
            let mut sample = Sample::new(time);
            sample.position = [x, 0.0, -1.0];
            track.samples.push(sample);
        }
        assert_eq!(track.position_at(1.5), Some([1.0, 0.0, -1.0]));
        assert_eq!(track.position_at(1.0), Some([0.0, 0.0, -1.0]));
        assert_eq!(track.position_at(0.9), None);
        assert_eq!(track.position_at(3.1), None);
        assert_eq!(track.length(), 4.0);
    }
}
