//! Obstacles and obstacle detectors: keys of their files and conversion to the scene.

use crate::keys::RobotEntry;
use crate::keys::find::first_copy;
use crate::sensor::{BuildSensor, MeasurementConfig, SensorContext, exteroceptive};
use merrow_math::Vec3;
use merrow_model::scene::{Robot, Scene, Sensor, SensorKind};
use merrow_model::sensor::ExteroceptiveSpec;
use merrow_model::sensor::obstacle::{DetectorSpec, Obstacle, ObstacleDetector};
use merrow_yaml::error::{Problems, quote, quoted_list};
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

impl BuildSensor for ObstacleDetector {
    fn build(&self, _context: &SensorContext<'_>, problems: &mut Problems) -> SensorKind {
        exteroceptive(ExteroceptiveSpec::Obstacles(build_detector(self, problems)))
    }
}

/// Builds the obstacles that a world lists.
pub fn build_obstacles(file: &NamedMap<ObstacleConfig>) -> Vec<Obstacle> {
    let one = |(name, o): (&str, &ObstacleConfig)| Obstacle {
        name: name.to_string(),
        p: Vec3::from(o.position_m),
        size: Vec3::from(o.size_m),
        yaw: o.yaw_deg.to_radians(),
    };
    file.iter().map(one).collect()
}

/// Builds a detector. [`resolve_detector_sensors`] sets the values that depend on its sensor.
pub(crate) fn build_detector(file: &ObstacleDetector, problems: &mut Problems) -> DetectorSpec {
    let (near, far) = (file.min_range_m, file.max_range_m);
    if near >= far {
        let text = format!("`min_range_m` is {near}; expected less than `max_range_m` {far}");
        problems.push(file.at.key_place("min_range_m"), text);
    }
    if let Some([low, high]) = file.height_m.filter(|[low, high]| low >= high) {
        let text = format!("`height_m` is [{low}, {high}]; expected the smaller value first");
        problems.push(file.at.key_place("height_m"), text);
    } else {
        file.at
            .report_ineffective_key("height_m", "sensor", problems);
    }
    // Boxes that the world lists have no echoes.
    for key in [
        "threshold_db",
        "window_m",
        "cluster_gap_m",
        "accumulation_s",
    ] {
        file.at.report_ineffective_key(key, "sensor", problems);
    }
    DetectorSpec {
        source: None,
        half_sector: 0.5 * file.sector_deg.to_radians(),
        half_elevation: 0.5 * file.elevation_deg.to_radians(),
        yaw_std: file.yaw_std_deg.to_radians(),
        accumulation: file.accumulation_s.unwrap_or(0.0),
        sample_duration_ns: 0,
        detector: file.clone(),
    }
}

/// Resolves the sensors of the detectors of all robots.
pub fn resolve_detector_sensors(
    robots: &NamedMap<RobotEntry>,
    scene: &mut Scene,
    problems: &mut Problems,
) {
    for (name, entry) in robots.iter() {
        let Some(robot) = first_copy(scene, name) else {
            continue;
        };
        for (name, file) in entry.model.sensors.iter() {
            if let MeasurementConfig::ObstacleDetector(detector) = &file.device.measures {
                check_detector(name, detector, robot, problems);
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

fn check_detector(own: &str, file: &ObstacleDetector, robot: &Robot, problems: &mut Problems) {
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
        problems.push(
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
        problems.push(file.at.key_place("sensor"), text);
    }
}
