//! Acoustic beacons and the instruments that receive them: keys of their files and conversion to
//! the scene.

use crate::keys::RobotEntry;
use crate::keys::find::{find_link, find_robot, first_copy};
use crate::sensor::{BuildSensor, MeasurementConfig, SensorContext, exteroceptive};
use merrow_math::rng::{Draw, Stream};
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::comms::directivity::{Directivity, Transducer, mount_attitude};
use merrow_model::scene::comms::medium::ThrusterNoise;
use merrow_model::scene::{Scene, SensorKind};
use merrow_model::sensor::ExteroceptiveSpec;
use merrow_model::sensor::acoustic::{
    AcousticKind, AcousticSpec, Beacon, BeaconKind, Carrier, Hearing, Interrogator, Receiver,
    Target,
};
use merrow_yaml::error::Problems;
use merrow_yaml::read::{NamedMap, Places};
use merrow_yaml::spec::{choice, spec};
use std::sync::Arc;

spec! {
    /// A beacon: its type and its mounting.
    pub struct BeaconEntry {
        /// Type of the beacon: a name in `params/beacons`, a file, or a map.
        beacon: BeaconConfig,
        /// Robot or prop that carries the beacon; for a copy from `repeat` its own name, such as
        /// `rov_3`. Default: fixed in the world.
        robot: Option<String> [not_empty],
        /// Link of the robot.
        link: String [frame] = "base_link".to_string(),
        /// Position on the link (forward, left, up), or in the world (east, north, up) without a
        /// robot.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Axis of the transducer, in the axes of the link, or of the world without a robot.
        /// Patterns over azimuth and elevation are relative to it.
        axis: [f64; 3] = [1.0, 0.0, 0.0],
        /// Time of the first ping of a pinger.
        start_s: f64 [non_negative] = 0.0,
    }
}

impl BeaconEntry {
    /// Returns the source of the parameter values, and which of them are estimated.
    pub fn sources(&self) -> (&str, &str) {
        (&self.beacon.source, &self.beacon.estimated)
    }
}

spec! {
    /// Type of a beacon.
    pub(crate) struct BeaconConfig {
        /// Description of the beacon.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Frequency of the transmitted sound.
        frequency_khz: f64 [in 1.0..=500.0],
        /// Source level at 1 m, re 1 uPa.
        source_level_db: f64 [in 100.0..=240.0],
        /// Gain of the transmitter over the direction.
        transmit_pattern: Directivity => "{kind: uniform}",
        ..sends: TransmissionConfig,
    }
}

choice! {
    /// Event at which a beacon transmits.
    pub(crate) enum TransmissionConfig {
        /// Transmits by its own clock.
        Pinger = "pinger" {
            /// Time between two pings.
            period_s: f64 [in 0.01..=86400.0],
        },
        /// Replies to the interrogation of an instrument.
        Transponder = "transponder" (TransponderConfig),
        /// Transmits when the positioning system that shares its clock samples.
        Locator = "locator",
    }
}

spec! {
    /// Reply of a transponder.
    pub(crate) struct TransponderConfig {
        /// Delay between the interrogation and the reply.
        turn_around_s: f64 [in 0.0..=60.0] = 0.0,
        /// Gain of the receiver over the direction.
        receive_pattern: Directivity => "{kind: uniform}",
        ..ear: Receiver,
    }
}

spec! {
    /// A small array that receives pingers.
    pub struct HydrophoneConfig {
        /// Whether the transmit times of the pings are known to the array, so that it measures the
        /// range.
        synchronised: bool = true,
        ..hearing: ReceptionConfig,
    }
}

spec! {
    /// A small array that interrogates transponders and measures their positions (USBL).
    pub struct UsblConfig {
        /// Frequency of the interrogation.
        frequency_khz: f64 [in 1.0..=500.0],
        /// Source level of the interrogation at 1 m, re 1 uPa.
        source_level_db: f64 [in 100.0..=240.0],
        /// Gain of the interrogation over the direction.
        transmit_pattern: Directivity => "{kind: uniform}",
        /// Names of the transponders to interrogate, one per sample. Default: all in its band.
        targets: Option<Vec<String>> [not_empty],
        ..placing: CarrierConfig,
    }
}

spec! {
    /// An instrument that interrogates several transponders at once and computes its own position
    /// from their ranges (LBL).
    pub struct LblConfig {
        /// Frequency of the interrogation.
        frequency_khz: f64 [in 1.0..=500.0],
        /// Source level of the interrogation at 1 m, re 1 uPa.
        source_level_db: f64 [in 100.0..=240.0],
        /// Gain of the interrogation over the direction.
        transmit_pattern: Directivity => "{kind: uniform}",
        /// Names of the transponders to interrogate. Default: all in its band.
        targets: Option<Vec<String>> [not_empty],
        /// Standard deviation of each coordinate of a surveyed transponder position.
        survey_std_m: f64 [non_negative] = 0.0,
        /// Standard deviation of its own depth sensor. Default: the position is computed from only
        /// ranges.
        depth_std_m: Option<f64> [positive],
        ..hearing: ReceptionConfig,
    }
}

spec! {
    /// Receivers on a ship or a quay that measure the positions of locators (SBL).
    pub struct SblConfig {
        /// Positions of the receivers in the sensor frame (forward, left, up).
        receivers_m: Vec<[f64; 3]> [not_empty],
        /// Names of the locators. Default: all in its band.
        targets: Option<Vec<String>> [not_empty],
        /// Standard deviation of the depth that a locator transmits. Default: the position is
        /// computed from only ranges.
        depth_std_m: Option<f64> [positive],
        ..placing: CarrierConfig,
    }
}

spec! {
    /// Position and attitude of the carrier of an instrument, for the transformation of
    /// measurements to the world.
    pub(crate) struct CarrierConfig {
        /// Standard deviations of roll, pitch and heading of the carrier. Default: positions are
        /// reported in the instrument frame only.
        carrier_attitude_std_deg: Option<[f64; 3]> [non_negative],
        /// Standard deviations of the position of the carrier: east, north and up.
        carrier_position_std_m: [f64; 3] [non_negative] = [0.0, 0.0, 0.0],
        ..hearing: ReceptionConfig,
    }
}

spec! {
    /// Transducers of an instrument, and the noise of thrusters at them.
    pub(crate) struct ReceptionConfig {
        /// Gain of the receiver over the direction.
        receive_pattern: Directivity => "{kind: uniform}",
        /// Axis of the transducers in the axes of the sensor. Patterns over azimuth and elevation
        /// are relative to it.
        axis: [f64; 3] = [1.0, 0.0, 0.0],
        /// Noise of the thrusters of the same robot at the receiver. Default: none.
        thruster_noise: Option<ThrusterNoise>,
        ..hearing: Hearing,
    }
}

impl BuildSensor for HydrophoneConfig {
    fn build(&self, context: &SensorContext<'_>, problems: &mut Problems) -> SensorKind {
        exteroceptive(ExteroceptiveSpec::Acoustic(hydrophone(
            self,
            context.stream("fixed"),
            problems,
        )))
    }
}

impl BuildSensor for UsblConfig {
    fn build(&self, context: &SensorContext<'_>, problems: &mut Problems) -> SensorKind {
        exteroceptive(ExteroceptiveSpec::Acoustic(usbl(
            self,
            context.rate,
            context.stream("fixed"),
            problems,
        )))
    }
}

impl BuildSensor for LblConfig {
    fn build(&self, context: &SensorContext<'_>, problems: &mut Problems) -> SensorKind {
        exteroceptive(ExteroceptiveSpec::Acoustic(lbl(
            self,
            context.rate,
            context.stream("fixed"),
            problems,
        )))
    }
}

impl BuildSensor for SblConfig {
    fn build(&self, context: &SensorContext<'_>, problems: &mut Problems) -> SensorKind {
        exteroceptive(ExteroceptiveSpec::Acoustic(sbl(
            self,
            context.rate,
            context.stream("fixed"),
            problems,
        )))
    }
}

/// Lowest speed of sound for the length of the reception window [m/s].
const MIN_SOUND_SPEED: f64 = 1400.0;

/// Builds the beacons of a world whose robots are known.
pub fn build_beacons(
    file: &NamedMap<BeaconEntry>,
    scene: &Scene,
    problems: &mut Problems,
) -> Vec<Beacon> {
    file.iter()
        .filter_map(|(name, entry)| build_beacon(name, entry, scene, problems))
        .collect()
}

fn build_beacon(
    name: &str,
    file: &BeaconEntry,
    scene: &Scene,
    problems: &mut Problems,
) -> Option<Beacon> {
    let place = (file.robot.as_deref(), file.link.as_str(), file.position_m);
    let DeviceMount { on, p, R } = find_mount(name, place, &file.at, scene, problems)?;
    let beacon = &file.beacon;
    let receive = match &beacon.sends {
        TransmissionConfig::Transponder(t) => Some(&t.receive_pattern),
        _ => None,
    };
    let transducer = Transducer {
        transmit: beacon.transmit_pattern.checked(problems),
        receive: receive.map_or(Directivity::uniform(0.0), |file| file.checked(problems)),
        mount: build_mount(file.axis, &R, &file.at, problems),
    };
    if !matches!(beacon.sends, TransmissionConfig::Pinger { .. }) && file.at.has_key("start_s") {
        let text = format!(
            "`start_s` has no effect for {name}, which does not transmit by its own clock; use it with a pinger only"
        );
        problems.push(file.at.key_place("start_s"), text);
    }
    let kind = match &beacon.sends {
        TransmissionConfig::Pinger { period_s, .. } => BeaconKind::Pinger {
            period_s: *period_s,
            start_s: file.start_s,
        },
        TransmissionConfig::Transponder(t) => BeaconKind::Transponder {
            turn_around_s: t.turn_around_s,
            ear: t.ear.clone(),
        },
        TransmissionConfig::Locator => BeaconKind::Locator,
    };
    Some(Beacon {
        name: name.to_string(),
        on,
        p,
        frequency: 1e3 * beacon.frequency_khz,
        source_level_db: beacon.source_level_db,
        transducer,
        kind,
    })
}

/// Place of a device on a robot or in the world.
pub(crate) struct DeviceMount {
    /// Robot and link that carry the device; `None` if it is fixed in the world.
    pub on: Option<(usize, usize)>,
    /// Position of the device in L, or in W [m].
    pub p: Vec3,
    /// Rotation from the axes of its file to L, or to W.
    pub R: Mat3,
}

/// Returns the place of the device `name`.
pub(crate) fn find_mount(
    name: &str,
    (robot, link, position): (Option<&str>, &str, [f64; 3]),
    places: &Places,
    scene: &Scene,
    problems: &mut Problems,
) -> Option<DeviceMount> {
    let p = Vec3::from(position);
    let Some(requested) = robot else {
        if places.has_key("link") {
            let text = format!("{name} has a `link` but no `robot`; expected both or none");
            problems.push(places.key_place("link"), text);
        }
        return Some(DeviceMount {
            on: None,
            p,
            R: Mat3::identity(),
        });
    };
    let r = find_robot(name, requested, places.key_place("robot"), scene, problems)?;
    let model = &scene.robots[r];
    let frame = find_link(link, places.key_place("link"), model, problems)?;
    Some(DeviceMount {
        on: Some((r, frame.link)),
        p: frame.point(p),
        R: frame.R_LF,
    })
}

/// Builds the attitude of a transducer with `axis` in the axes of a file, whose attitude is `R`.
fn build_mount(axis: [f64; 3], R: &Mat3, places: &Places, problems: &mut Problems) -> Mat3 {
    let axis = Vec3::from(axis);
    if axis.unit().is_none() {
        let text = "`axis` is zero; expected a direction".to_string();
        problems.push(places.key_place("axis"), text);
    }
    mount_attitude(R.mul_vec(axis))
}

/// Builds a hydrophone array.
pub fn hydrophone(file: &HydrophoneConfig, fixed: Stream, problems: &mut Problems) -> AcousticSpec {
    let kind = AcousticKind::Hydrophone {
        synchronised: file.synchronised,
    };
    build_spec(
        (kind, None),
        &None,
        &file.hearing,
        (fixed, 0.0),
        0.0,
        problems,
    )
}

/// Builds an ultra-short baseline array with `rate` samples per second [Hz].
pub fn usbl(file: &UsblConfig, rate: f64, fixed: Stream, problems: &mut Problems) -> AcousticSpec {
    let kind = AcousticKind::Usbl {
        interrogator: build_transmitter(file.frequency_khz, file.source_level_db),
        carrier: carrier(&file.placing, problems),
    };
    build_spec(
        (kind, Some(&file.transmit_pattern)),
        &file.targets,
        &file.placing.hearing,
        (fixed, rate),
        2.0,
        problems,
    )
}

/// Builds a long baseline instrument with `rate` samples per second [Hz].
pub fn lbl(file: &LblConfig, rate: f64, fixed: Stream, problems: &mut Problems) -> AcousticSpec {
    let kind = AcousticKind::Lbl {
        interrogator: build_transmitter(file.frequency_khz, file.source_level_db),
        survey: Vec::new(),
        survey_std_m: file.survey_std_m,
        depth_std_m: file.depth_std_m,
    };
    build_spec(
        (kind, Some(&file.transmit_pattern)),
        &file.targets,
        &file.hearing,
        (fixed, rate),
        2.0,
        problems,
    )
}

/// Builds a short baseline instrument with `rate` samples per second [Hz].
pub fn sbl(file: &SblConfig, rate: f64, fixed: Stream, problems: &mut Problems) -> AcousticSpec {
    let kind = AcousticKind::Sbl {
        receivers: file.receivers_m.iter().map(|p| Vec3::from(*p)).collect(),
        depth_std_m: file.depth_std_m,
        carrier: carrier(&file.placing, problems),
    };
    build_spec(
        (kind, None),
        &file.targets,
        &file.placing.hearing,
        (fixed, rate),
        1.0,
        problems,
    )
}

fn build_transmitter(khz: f64, source_level_db: f64) -> Interrogator {
    Interrogator {
        frequency: 1e3 * khz,
        source_level_db,
    }
}

fn carrier(file: &CarrierConfig, problems: &mut Problems) -> Option<Carrier> {
    file.at.report_ineffective_key(
        "carrier_position_std_m",
        "carrier_attitude_std_deg",
        problems,
    );
    let attitude = file.carrier_attitude_std_deg?;
    let attitude_std = attitude.map(f64::to_radians);
    Some(Carrier {
        attitude_std,
        position_std: file.carrier_position_std_m,
    })
}

fn normal_vector(std: f64, draw: &mut Draw) -> Vec3 {
    Vec3::new(
        std * draw.normal(),
        std * draw.normal(),
        std * draw.normal(),
    )
}

/// Builds an instrument whose sound travels `ways` times the maximum range, with the pattern
/// `transmit` of its interrogation. Its targets contain only names until [`resolve_targets`].
fn build_spec(
    (kind, transmit): (AcousticKind, Option<&Directivity>),
    targets: &Option<Vec<String>>,
    file: &ReceptionConfig,
    (fixed, rate): (Stream, f64),
    ways: f64,
    problems: &mut Problems,
) -> AcousticSpec {
    let hearing = &file.hearing;
    let [low, high] = hearing.band_khz;
    if low >= high {
        let text = format!("`band_khz` is [{low}, {high}]; expected the smaller value first");
        problems.push(hearing.at.key_place("band_khz"), text);
    }
    let listening_time = ways * hearing.max_range_m / MIN_SOUND_SPEED;
    if listening_time * rate > 1.0 {
        let text = format!(
            "`rate_hz` is {rate}, sound needs {listening_time:.3} s for {} m{}; expected at most {:.2}",
            hearing.max_range_m,
            if ways > 1.0 { " and back" } else { "" },
            1.0 / listening_time
        );
        problems.push(hearing.at.key_place("max_range_m"), text);
    }
    AcousticSpec {
        kind,
        hearing: hearing.clone(),
        targets: targets
            .iter()
            .flatten()
            .map(|name| Target {
                name: name.clone(),
                beacon: 0,
            })
            .collect(),
        band: [1e3 * low, 1e3 * high],
        transducer: Box::new(Transducer {
            transmit: transmit.map_or(Directivity::uniform(0.0), |file| file.checked(problems)),
            receive: file.receive_pattern.checked(problems),
            mount: build_mount(file.axis, &Mat3::identity(), &file.at, problems),
        }),
        thruster_noise: file.thruster_noise.clone(),
        bearing_std: hearing.bearing_std_deg.to_radians(),
        misaligned: normal_vector(hearing.alignment_std_deg.to_radians(), &mut fixed.draw(0)),
        misalignment_std: hearing.alignment_std_deg.to_radians(),
        listening_time,
    }
}

/// Resolves the beacons of the instruments of all robots, by name if the file names them.
pub fn resolve_targets(robots: &NamedMap<RobotEntry>, scene: &mut Scene, problems: &mut Problems) {
    for (_, entry) in robots.iter() {
        for (name, file) in entry.model.sensors.iter() {
            if let Some(named) = named_targets(&file.device.measures) {
                check_targets(name, &named, scene, problems);
            }
        }
    }
    let beacons = &scene.beacons;
    for (r, robot) in scene.robots.iter_mut().enumerate() {
        for sensor in &mut robot.sensors {
            let SensorKind::Exteroceptive(exteroceptive) = &mut sensor.kind else {
                continue;
            };
            if let ExteroceptiveSpec::Acoustic(spec) = Arc::make_mut(exteroceptive) {
                set_targets(spec, sensor.stream, r, beacons);
            }
        }
    }
    for (name, entry) in robots.iter() {
        let Some(robot) = first_copy(scene, name) else {
            continue;
        };
        for (name, file) in entry.model.sensors.iter() {
            let sensor = robot.sensors.iter().find(|sensor| sensor.name == name);
            let exteroceptive =
                sensor.and_then(|sensor| Some((sensor.rate, sensor.kind.exteroceptive()?)));
            let Some((rate, ExteroceptiveSpec::Acoustic(spec))) =
                exteroceptive.map(|(rate, l)| (rate, &**l))
            else {
                continue;
            };
            note_usability(name, &file.at, (spec, rate), problems);
        }
    }
}

/// Sets the beacons that an instrument of robot `r` receives, and all values that depend on them.
fn set_targets(spec: &mut AcousticSpec, stream: Stream, r: usize, beacons: &[Beacon]) {
    let requested: Vec<String> = spec.targets.drain(..).map(|t| t.name).collect();
    // A beacon on the same robot is received only if it is named.
    let picked = |beacon: &Beacon| match requested.is_empty() {
        true => {
            spec.receives_frequency(beacon.frequency) && beacon.on.is_none_or(|(own, _)| own != r)
        }
        false => requested.contains(&beacon.name),
    };
    let fits = |beacon: &Beacon| is_compatible(&spec.kind, &beacon.kind);
    let numbered = beacons.iter().enumerate();
    let targets: Vec<Target> = numbered
        .filter(|(_, beacon)| fits(beacon) && picked(beacon))
        .map(|(beacon, b)| Target {
            name: b.name.clone(),
            beacon,
        })
        .collect();
    let turns = targets.iter().map(|t| match beacons[t.beacon].kind {
        BeaconKind::Transponder { turn_around_s, .. } => turn_around_s,
        _ => 0.0,
    });
    spec.listening_time += turns.fold(0.0, f64::max);
    if let AcousticKind::Lbl {
        survey,
        survey_std_m,
        ..
    } = &mut spec.kind
    {
        let mut draw = stream.draw(0);
        *survey = targets
            .iter()
            .map(|_| normal_vector(*survey_std_m, &mut draw))
            .collect();
    }
    spec.targets = targets;
}

/// Gives notes on an instrument with `rate` samples per second that receives no beacon or
/// interrogates too often.
fn note_usability(
    name: &str,
    places: &Places,
    (spec, rate): (&AcousticSpec, f64),
    problems: &mut Problems,
) {
    if spec.targets.is_empty() {
        problems.note(
            &places.whole,
            format!("{name} receives no signals: no matching beacon transmits in its band"),
        );
    }
    if spec.listening_time * rate > 1.0 {
        let text = format!(
            "{name} waits {:.2} s for replies and samples {rate} times per second: it interrogates again before they arrive",
            spec.listening_time
        );
        problems.note(&places.whole, text);
    }
}

/// Returns true if an instrument can use a type of beacon.
fn is_compatible(kind: &AcousticKind, beacon: &BeaconKind) -> bool {
    match kind {
        AcousticKind::Hydrophone { .. } => matches!(beacon, BeaconKind::Pinger { .. }),
        AcousticKind::Usbl { .. } | AcousticKind::Lbl { .. } => {
            matches!(beacon, BeaconKind::Transponder { .. })
        }
        AcousticKind::Sbl { .. } => matches!(beacon, BeaconKind::Locator),
    }
}

/// Targets that a file names, their position, and whether they must be locators; otherwise
/// transponders.
struct NamedTargets<'a> {
    targets: &'a [String],
    at: &'a Places,
    locators: bool,
}

fn named_targets(measures: &MeasurementConfig) -> Option<NamedTargets<'_>> {
    let (targets, at, locators) = match measures {
        MeasurementConfig::Usbl(file) => (file.targets.as_deref()?, &file.at, false),
        MeasurementConfig::Lbl(file) => (file.targets.as_deref()?, &file.at, false),
        MeasurementConfig::Sbl(file) => (file.targets.as_deref()?, &file.at, true),
        _ => return None,
    };
    Some(NamedTargets {
        targets,
        at,
        locators,
    })
}

fn check_targets(name: &str, requested: &NamedTargets<'_>, scene: &Scene, problems: &mut Problems) {
    let place = requested.at.key_place("targets");
    for target in requested.targets {
        let names = scene.beacons.iter().map(|beacon| beacon.name.as_str());
        let found = problems.find(place, target, names, |target| {
            format!("no beacon {target} for {name}")
        });
        let Some(beacon) = found else { continue };
        let good = match scene.beacons[beacon].kind {
            BeaconKind::Pinger { .. } => false,
            BeaconKind::Transponder { .. } => !requested.locators,
            BeaconKind::Locator => requested.locators,
        };
        if !good {
            let kind = if requested.locators {
                "locator"
            } else {
                "transponder"
            };
            problems.push(
                place,
                format!("the beacon {target} does not answer {name}; expected a {kind}"),
            );
        }
    }
}
