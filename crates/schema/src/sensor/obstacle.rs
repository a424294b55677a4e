//! Obstacles and obstacle detectors: keys of their files and conversion to the scene.

use crate::RobotEntry;
use crate::sensor::{BuildSensor, MeasurementConfig, SensorContext, exteroceptive};
use merrow_math::Vec3;
use merrow_model::scene::{Robot, Scene, Sensor, SensorKind};
use merrow_model::sensor::ExteroceptiveSpec;
use merrow_model::sensor::obstacle::{DetectorSpec, Obstacle};
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

spec! {
    /// A detector that reports bounding boxes of obstacles.
    pub(crate) struct DetectorConfig {
        /// Sonar or laser of the same robot whose echoes are processed. Default: the detector
        /// reports the `obstacles` of the world.
        sensor: Option<String> [not_empty],
        /// Whether boxes are reported in the world frame; otherwise in the detector frame.
        in_world: bool = true,
        /// Full horizontal angle about the x axis in which obstacles are reported.
        sector_deg: f64 [in 1.0..=360.0] = 360.0,
        /// Full vertical angle in which obstacles are reported.
        elevation_deg: f64 [in 1.0..=180.0] = 180.0,
        /// Minimum range of reported obstacles.
        min_range_m: f64 [non_negative] = 0.0,
        /// Maximum range of reported obstacles.
        max_range_m: f64 [positive],
        /// Minimum and maximum height in the world of the echoes used; requires `sensor`. Default:
        /// all.
        height_m: Option<[f64; 2]>,
        /// Standard deviation of each coordinate of the centre.
        position_std_m: f64 [non_negative] = 0.0,
        /// Standard deviation of each length.
        size_std_m: f64 [non_negative] = 0.0,
        /// Standard deviation of the rotation.
        yaw_std_deg: f64 [non_negative] = 0.0,
        /// Probability that an obstacle is missing in a sample.
        miss_probability: f64 [fraction] = 0.0,
        /// Level of a sonar echo above its neighbourhood; requires `sensor`.
        threshold_db: f64 [in 0.0..=100.0] = 8.0,
        /// Half widths in range of the window of an echo and of the neighbourhood beyond it with
        /// which the echo is compared; requires `sensor`.
        window_m: [f64; 2] [positive] = [1.0, 3.0],
        /// Maximum distance between neighbouring echoes of one obstacle; requires `sensor`.
        cluster_gap_m: f64 [in 0.001..=1000.0] = 1.0,
        /// Minimum number of echoes of an obstacle.
        min_echoes: u32 [in 1.0..=1000000.0] = 5,
        /// Minimum length of a box.
        min_size_m: f64 [non_negative] = 0.0,
        /// Time for which echoes are kept and processed together with later echoes; requires
        /// `sensor`. Default: one turn of a rotating head, otherwise 0, so that each sample is
        /// processed separately.
        accumulation_s: Option<f64> [non_negative],
        /// Maximum displacement of the centre of a box between samples for the same obstacle.
        association_distance_m: f64 [non_negative] = 3.0,
        /// Time for which an undetected obstacle keeps its number.
        track_timeout_s: f64 [non_negative] = 10.0,
    }
}

impl BuildSensor for DetectorConfig {
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

/// Builds a detector. Of its sensor only the name is set until
/// [`resolve_detector_sensors`].
pub(crate) fn build_detector(file: &DetectorConfig, problems: &mut Problems) -> DetectorSpec {
    let (near, far) = (file.min_range_m, file.max_range_m);
    if near >= far {
        let text = format!("`min_range_m` is {near}; expected less than `max_range_m` {far}");
        problems.push(file.at.key_place("min_range_m"), text);
    }
    let heights = file.height_m.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    if heights[0] >= heights[1] {
        let text = format!(
            "`height_m` is [{}, {}]; expected the smaller value first",
            heights[0], heights[1]
        );
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
        sensor: file.sensor.as_ref().map(|name| (name.clone(), 0)),
        in_world: file.in_world,
        half_sector: 0.5 * file.sector_deg.to_radians(),
        half_elevation: 0.5 * file.elevation_deg.to_radians(),
        limits: [near, far],
        heights,
        std: [
            file.position_std_m,
            file.size_std_m,
            file.yaw_std_deg.to_radians(),
        ],
        miss_probability: file.miss_probability,
        threshold: file.threshold_db,
        window: file.window_m,
        cluster_gap: file.cluster_gap_m,
        min_echoes: file.min_echoes as usize,
        min_size: file.min_size_m,
        // Without the key, [`point`] computes the value from the sensor.
        accumulation: file
            .accumulation_s
            .unwrap_or(if file.sensor.is_some() { -1.0 } else { 0.0 }),
        association: file.association_distance_m,
        sample_duration_ns: 0,
        track_timeout: file.track_timeout_s,
    }
}

/// Resolves the sensors of the detectors of all robots.
pub fn resolve_detector_sensors(
    robots: &NamedMap<RobotEntry>,
    scene: &mut Scene,
    problems: &mut Problems,
) {
    for (name, entry) in robots.iter() {
        let mut copies = scene
            .robots
            .iter()
            .filter(|r| r.name == name || r.name == format!("{name}_0"));
        let Some(robot) = copies.next() else { continue };
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
                    .map_or(0, |spec| spec.sample_duration_ns()),
                turn_time(s).unwrap_or(0.0),
            )
        };
        let others: Vec<(String, u64, f64)> = robot.sensors.iter().map(of).collect();
        for sensor in &mut robot.sensors {
            let SensorKind::Exteroceptive(exteroceptive) = &mut sensor.kind else {
                continue;
            };
            if let ExteroceptiveSpec::Obstacles(spec) = Arc::make_mut(exteroceptive)
                && let Some((name, index)) = &mut spec.sensor
            {
                *index = others
                    .iter()
                    .position(|other| other.0 == *name)
                    .unwrap_or(0);
                spec.sample_duration_ns = others[*index].1;
                spec.accumulation = if spec.accumulation < 0.0 {
                    others[*index].2
                } else {
                    spec.accumulation
                };
            }
        }
    }
}

/// Returns the time in which a rotating head returns to all its bearings except the first [s];
/// `None` for other sensors.
fn turn_time(sensor: &Sensor) -> Option<f64> {
    let samples = sensor.kind.exteroceptive()?.samples_per_sweep()?;
    Some((samples as f64 - 0.5) / sensor.rate)
}

fn check_detector(own: &str, file: &DetectorConfig, robot: &Robot, problems: &mut Problems) {
    let Some(requested) = &file.sensor else {
        return;
    };
    let good = robot
        .sensors
        .iter()
        .filter(|s| s.kind.exteroceptive().is_some_and(|spec| spec.has_echoes()));
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
