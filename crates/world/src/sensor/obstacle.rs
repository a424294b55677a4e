//! Obstacles and obstacle detectors: keys of their files and conversion to the scene.

use crate::context::{Context, first_copy};
use crate::keys::RobotEntry;
use crate::sensor::{BuildSensor, MeasurementConfig, SensorContext};
use merrow_math::Vec3;
use merrow_model::scene::{Robot, Scene, Sensor, SensorKind};
use merrow_model::sensor::obstacle::{DetectorSpec, Obstacle, ObstacleDetector};
use merrow_model::sensor::{ExteroceptiveSpec, SensorParameters};
use merrow_yaml::error::{quote, quoted_list};
use merrow_yaml::read::NamedMap;
use merrow_yaml::spec::spec;
use std::sync::Arc;

spec! {
    /// A box that obstacle detectors without `sensor` report. It has no contacts, and other sensors
    /// do not detect it.
    pub struct ObstacleConfig {
        /// Description of the obstacle.
        description: String = String::new(),
        /// Centre of the box in the world (east, north, up).
        position_m: [f64; 3],
        /// Lengths along its axes.
        size_m: [f64; 3] [positive],
        /// Rotation of its axes about the vertical, from east, counter-clockwise.
        yaw_deg: f64 = 0.0,
    }
}

/// Builds the obstacles that a world lists.
pub(crate) fn build_obstacles(file: &NamedMap<ObstacleConfig>) -> Vec<Obstacle> {
    let one = |(name, o): (&str, &ObstacleConfig)| Obstacle {
        name: name.to_string(),
        p: Vec3::from(o.position_m),
        size: Vec3::from(o.size_m),
        yaw: o.yaw_deg.to_radians(),
    };
    file.iter().map(one).collect()
}

/// Returns whether a sensor is a detector that reports its boxes in W.
pub(crate) fn reports_boxes_in_world(kind: &SensorKind) -> bool {
    DetectorSpec::from_kind(kind).is_some_and(|spec| spec.detector.in_world)
}

impl BuildSensor for ObstacleDetector {
    type Spec = DetectorSpec;

    /// Builds a detector. [`resolve_detector_sensors`] sets the values that depend on its sensor.
    fn build(&self, cx: &SensorContext<'_>) -> DetectorSpec {
        cx.check_ranges(&self.at, self.min_range_m, self.max_range_m);
        if let Some(height) = self.height_m {
            cx.check_ascending(&self.at, "height_m", height);
        }
        // Boxes that the world lists have no echoes.
        for key in [
            "height_m",
            "threshold_db",
            "window_m",
            "cluster_gap_m",
            "accumulation_s",
        ] {
            cx.check_effect(&self.at, key, "sensor");
        }
        DetectorSpec {
            source: None,
            accumulation: self.accumulation_s.unwrap_or(0.0),
            sample_duration_ns: 0,
            detector: self.clone(),
        }
    }
}

/// Resolves the sensors of the detectors of all robots.
pub(crate) fn resolve_detector_sensors(
    robots: &NamedMap<RobotEntry>,
    scene: &mut Scene,
    cx: Context<'_>,
) {
    for (name, entry) in robots.iter() {
        let Some(robot) = first_copy(scene, name) else {
            continue;
        };
        for (name, file) in entry.model.sensors.iter() {
            if let MeasurementConfig::ObstacleDetector(detector) = &file.device.measures {
                check_detector(name, detector, robot, cx);
            }
        }
    }
    for robot in &mut scene.robots {
        let of = |s: &Sensor| {
            (
                s.name.clone(),
                s.kind
                    .exteroceptive()
                    .map_or(0, |spec| spec.properties().sample_duration_ns),
                turn_time(s).unwrap_or(0.0),
            )
        };
        let others: Vec<(String, u64, f64)> = robot.sensors.iter().map(of).collect();
        for sensor in &mut robot.sensors {
            let SensorKind::Exteroceptive(exteroceptive) = &mut sensor.kind else {
                continue;
            };
            if let ExteroceptiveSpec::Obstacles(spec) = Arc::make_mut(exteroceptive)
                && let Some(name) = &spec.detector.sensor
            {
                let index = others.iter().position(|other| other.0 == *name);
                let (_, duration_ns, turn) = others[index.unwrap_or(0)];
                spec.source = Some(index.unwrap_or(0));
                spec.sample_duration_ns = duration_ns;
                spec.accumulation = spec.detector.accumulation_s.unwrap_or(turn);
            }
        }
    }
}

/// Returns the time in which a rotating head returns to all its bearings except the first [s];
/// `None` for other sensors.
fn turn_time(sensor: &Sensor) -> Option<f64> {
    let samples = sensor
        .kind
        .exteroceptive()?
        .properties()
        .samples_per_sweep?;
    Some((samples as f64 - 0.5) / sensor.rate)
}

fn check_detector(own: &str, file: &ObstacleDetector, robot: &Robot, cx: Context<'_>) {
    let Some(requested) = &file.sensor else {
        return;
    };
    let good = robot.sensors.iter().filter(|s| {
        s.kind
            .exteroceptive()
            .is_some_and(|spec| spec.properties().has_echoes)
    });
    let names: Vec<&str> = good.map(|s| s.name.as_str()).collect();
    if !names.contains(&requested.as_str()) {
        let expected = match names.is_empty() {
            true => {
                "expected a laser, a lidar, an imaging sonar, a multibeam or a scanning sonar, but the robot has none".into()
            }
            false => format!("expected one of {}", quoted_list(names)),
        };
        cx.error(
            file.at.key_place("sensor"),
            format!("{} has no echoes to process; {expected}", quote(requested)),
        );
    }
    let rate = |name: &str| {
        robot
            .sensors
            .iter()
            .find(|s| s.name == name)
            .map(|s| (s.rate, turn_time(s).is_some()))
    };
    if let (Some((own, _)), Some((other, true))) = (rate(own), rate(requested))
        && own != other
    {
        let text = format!(
            "{} pings {other} times per second and the rate of the detector is {own}; expected \
             equal rates, so that no bearing is missed",
            quote(requested)
        );
        cx.error(file.at.key_place("sensor"), text);
    }
}
