//! Conversion of acoustic beacons and of the instruments that receive them.

use crate::context::{Context, SceneContext, first_copy};
use crate::keys::RobotEntry;
use crate::sensor::{BuildSensor, MeasurementConfig, SensorContext};
use merrow_math::rng::{Draw, Stream};
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::comms::directivity::{Directivity, Transducer, mount_attitude};
use merrow_model::scene::{Scene, SensorKind};
use merrow_model::sensor::ExteroceptiveSpec;
use merrow_model::sensor::acoustic::{
    AcousticKind, AcousticSpec, Beacon, BeaconKeys, HydrophoneKeys, LblKeys, SblKeys, Target,
    Transmission, UsblKeys,
};
use merrow_yaml::read::{NamedMap, Places};
use merrow_yaml::spec::spec;
use std::sync::Arc;

spec! {
    /// A beacon: its type and its mounting.
    pub struct BeaconEntry {
        /// Type of the beacon: a name in `params/beacons`, a file, or a map.
        beacon: BeaconKeys,
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

/// Builds the instruments of each kind.
macro_rules! build_instruments {
    ($($kind:ident($keys:ident)),*) => {
        $(impl BuildSensor for $keys {
            type Spec = AcousticSpec;

            fn build(&self, cx: &SensorContext<'_>) -> AcousticSpec {
                build_spec(AcousticKind::$kind(self.clone()), cx)
            }
        })*
    };
}

build_instruments!(
    Hydrophone(HydrophoneKeys),
    Usbl(UsblKeys),
    Lbl(LblKeys),
    Sbl(SblKeys)
);

/// Lowest speed of sound for the length of the reception window [m/s].
const MIN_SOUND_SPEED: f64 = 1400.0;

/// Builds the beacons of a world whose robots are known.
pub(crate) fn build_beacons(file: &NamedMap<BeaconEntry>, cx: SceneContext<'_>) -> Vec<Beacon> {
    file.iter()
        .filter_map(|(name, entry)| build_beacon(name, entry, cx))
        .collect()
}

fn build_beacon(name: &str, file: &BeaconEntry, cx: SceneContext<'_>) -> Option<Beacon> {
    let place = (file.robot.as_deref(), file.link.as_str(), file.position_m);
    let DeviceMount { on, p, R } = find_mount(name, place, &file.at, cx)?;
    let keys = &file.beacon;
    let receive = match &keys.sends {
        Transmission::Transponder(t) => Some(&t.receive_pattern),
        Transmission::Pinger { .. } | Transmission::Locator => None,
    };
    let transducer = Transducer {
        transmit: checked_pattern(Some(&keys.transmit_pattern), *cx),
        receive: checked_pattern(receive, *cx),
        mount: build_mount(file.axis, &R, &file.at, *cx),
    };
    if !matches!(keys.sends, Transmission::Pinger { .. }) && file.at.has_key("start_s") {
        let text = format!(
            "`start_s` has no effect for {name}, which does not transmit by its own clock; use it with a pinger only"
        );
        cx.error(file.at.key_place("start_s"), text);
    }
    Some(Beacon {
        name: name.to_string(),
        on,
        p,
        transducer,
        start_s: file.start_s,
        keys: keys.clone(),
    })
}

/// Returns a pattern after reporting its errors; the same gain in all directions without one.
fn checked_pattern(pattern: Option<&Directivity>, cx: Context<'_>) -> Directivity {
    let checked = |pattern: &Directivity| pattern.checked(&mut cx.problems());
    pattern.map_or(Directivity::uniform(0.0), checked)
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
    cx: SceneContext<'_>,
) -> Option<DeviceMount> {
    let p = Vec3::from(position);
    let Some(requested) = robot else {
        if places.has_key("link") {
            let text = format!("{name} has a `link` but no `robot`; expected both or none");
            cx.error(places.key_place("link"), text);
        }
        return Some(DeviceMount {
            on: None,
            p,
            R: Mat3::identity(),
        });
    };
    let r = cx.find_robot(name, requested, places.key_place("robot"))?;
    let model = &cx.scene.robots[r];
    let frame = cx.find_link(link, places.key_place("link"), model)?;
    Some(DeviceMount {
        on: Some((r, frame.link)),
        p: frame.point(p),
        R: frame.R_LF,
    })
}

/// Builds the attitude of a transducer with `axis` in the axes of a file, whose attitude is `R`.
fn build_mount(axis: [f64; 3], R: &Mat3, places: &Places, cx: Context<'_>) -> Mat3 {
    let axis = Vec3::from(axis);
    if axis.unit().is_none() {
        cx.error(
            places.key_place("axis"),
            "`axis` is zero; expected a direction",
        );
    }
    mount_attitude(R.mul_vec(axis))
}

fn normal_vector(std: f64, draw: &mut Draw) -> Vec3 {
    Vec3::new(
        std * draw.normal(),
        std * draw.normal(),
        std * draw.normal(),
    )
}

/// Builds an instrument. Its targets contain only names until [`resolve_targets`].
fn build_spec(kind: AcousticKind, cx: &SensorContext<'_>) -> AcousticSpec {
    if let AcousticKind::Usbl(UsblKeys { placing, .. })
    | AcousticKind::Sbl(SblKeys { placing, .. }) = &kind
    {
        cx.check_effect(
            &placing.at,
            "carrier_position_std_m",
            "carrier_attitude_std_deg",
        );
    }
    let file = kind.reception();
    let hearing = &file.hearing;
    cx.check_ascending(&hearing.at, "band_khz", hearing.band_khz);
    // number of times that the sound travels the maximum range
    let ways = match kind {
        AcousticKind::Hydrophone(_) => 0.0,
        AcousticKind::Usbl(_) | AcousticKind::Lbl(_) => 2.0,
        AcousticKind::Sbl(_) => 1.0,
    };
    let (rate, listening_time) = (cx.rate, ways * hearing.max_range_m / MIN_SOUND_SPEED);
    if listening_time * rate > 1.0 {
        let text = format!(
            "`rate_hz` is {rate}, sound needs {listening_time:.3} s for {} m{}; expected at most {:.2}",
            hearing.max_range_m,
            if ways > 1.0 { " and back" } else { "" },
            1.0 / listening_time
        );
        cx.error(hearing.at.key_place("max_range_m"), text);
    }
    let alignment_std = hearing.alignment_std_deg.to_radians();
    AcousticSpec {
        targets: Vec::new(),
        survey: Vec::new(),
        transducer: Box::new(Transducer {
            transmit: checked_pattern(kind.transmit_pattern(), **cx),
            receive: checked_pattern(Some(&file.receive_pattern), **cx),
            mount: build_mount(file.axis, &Mat3::identity(), &file.at, **cx),
        }),
        misaligned: normal_vector(alignment_std, &mut cx.stream("fixed").draw(0)),
        listening_time,
        kind,
    }
}

/// Resolves the beacons of the instruments of all robots, by name if the file names them.
pub(crate) fn resolve_targets(robots: &NamedMap<RobotEntry>, scene: &mut Scene, cx: Context<'_>) {
    for (_, entry) in robots.iter() {
        for (name, file) in entry.model.sensors.iter() {
            check_targets(name, &file.device.measures, cx.on(scene));
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
            note_usability(name, &file.at, (spec, rate), cx);
        }
    }
}

/// Sets the beacons that an instrument of robot `r` receives, and all values that depend on them.
fn set_targets(spec: &mut AcousticSpec, stream: Stream, r: usize, beacons: &[Beacon]) {
    // A beacon on the same robot is received only if it is named.
    let is_used = |beacon: &Beacon| match spec.kind.target_names() {
        None => {
            spec.receives_frequency(beacon.frequency()) && beacon.on.is_none_or(|(own, _)| own != r)
        }
        Some(names) => names.contains(&beacon.name),
    };
    let fits = |beacon: &Beacon| is_compatible(&spec.kind, &beacon.keys.sends);
    let numbered = beacons.iter().enumerate();
    let targets: Vec<Target> = numbered
        .filter(|(_, beacon)| fits(beacon) && is_used(beacon))
        .map(|(beacon, b)| Target {
            name: b.name.clone(),
            beacon,
        })
        .collect();
    let turns = targets.iter().map(|t| match &beacons[t.beacon].keys.sends {
        Transmission::Transponder(transponder) => transponder.turn_around_s,
        Transmission::Pinger { .. } | Transmission::Locator => 0.0,
    });
    spec.listening_time += turns.fold(0.0, f64::max);
    if let AcousticKind::Lbl(keys) = &spec.kind {
        let mut draw = stream.draw(0);
        let error = |_: &Target| normal_vector(keys.survey_std_m, &mut draw);
        spec.survey = targets.iter().map(error).collect();
    }
    spec.targets = targets;
}

/// Gives notes on an instrument with `rate` samples per second that receives no beacon or
/// interrogates too often.
fn note_usability(
    name: &str,
    places: &Places,
    (spec, rate): (&AcousticSpec, f64),
    cx: Context<'_>,
) {
    if spec.targets.is_empty() {
        cx.note(
            &places.whole,
            format!("{name} receives no signals: no matching beacon transmits in its band"),
        );
    }
    if spec.listening_time * rate > 1.0 {
        let text = format!(
            "{name} waits {:.2} s for replies and samples {rate} times per second: it interrogates again before they arrive",
            spec.listening_time
        );
        cx.note(&places.whole, text);
    }
}

/// Returns true if an instrument can use a type of beacon.
fn is_compatible(kind: &AcousticKind, beacon: &Transmission) -> bool {
    match kind {
        AcousticKind::Hydrophone(_) => matches!(beacon, Transmission::Pinger { .. }),
        AcousticKind::Usbl(_) | AcousticKind::Lbl(_) => {
            matches!(beacon, Transmission::Transponder(_))
        }
        AcousticKind::Sbl(_) => matches!(beacon, Transmission::Locator),
    }
}

/// Reports beacons that an instrument names and cannot use.
fn check_targets(name: &str, measures: &MeasurementConfig, cx: SceneContext<'_>) {
    let (targets, at, kind) = match measures {
        MeasurementConfig::Usbl(file) => (&file.targets, &file.at, "transponder"),
        MeasurementConfig::Lbl(file) => (&file.targets, &file.at, "transponder"),
        MeasurementConfig::Sbl(file) => (&file.targets, &file.at, "locator"),
        _ => return,
    };
    let place = at.key_place("targets");
    for target in targets.iter().flatten() {
        let names = cx.scene.beacons.iter().map(|beacon| beacon.name.as_str());
        let found = cx.find(place, target, names, |target| {
            format!("no beacon {target} for {name}")
        });
        let Some(beacon) = found else { continue };
        if cx.scene.beacons[beacon].keys.sends.kind() != kind {
            let text = format!("the beacon {target} does not answer {name}; expected a {kind}");
            cx.error(place, text);
        }
    }
}
