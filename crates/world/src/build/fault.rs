//! Conversion of scheduled faults.

use crate::build::context::Context;
use crate::keys::fault::{FaultConfig, FaultKindConfig};
use merrow_math::rng::Stream;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::fault::{Device, FaultKind, Jammer, Leak, Spoof};
use merrow_model::scene::fault_devices::{check_fault, find_device};
use merrow_model::scene::{Fault, Robot, Scene};
use merrow_yaml::error::{Place, Problems};
use merrow_yaml::node::{Map, Node, Value};
use merrow_yaml::read::{Field, Fields, KIND, NamedMap, Read};
use merrow_yaml::schema::{Defs, KeySet};
use merrow_yaml::units::component_key;

/// Axes of the components of a vector.
const AXES: [&str; 3] = ["x", "y", "z"];

/// Builds the faults of a world whose robots are known.
pub(crate) fn build_faults(
    file: &NamedMap<FaultConfig>,
    scene: &Scene,
    cx: Context<'_>,
) -> Vec<Fault> {
    file.iter()
        .filter_map(|(name, entry)| build_fault(name, entry, scene, cx))
        .collect()
}

fn build_fault(name: &str, file: &FaultConfig, scene: &Scene, cx: Context<'_>) -> Option<Fault> {
    let index = match &file.robot {
        None => None,
        Some(requested) => {
            let place = file.at.key_place("robot");
            let user = format!("the fault {name}");
            Some(cx.find_robot(&user, requested, place, scene)?)
        }
    };
    let robot = index.map(|index| &scene.robots[index]);
    let device = find_device(scene, index, &file.target)
        .map_err(|why| cx.error(file.at.key_place("target"), why))
        .ok()?;
    let kind = build_kind(&file.kind, robot, device);
    if let Err(why) = check_fault(device, &file.target, kind) {
        cx.error(file.at.key_place("kind"), why);
        return None;
    }
    let ns = |seconds: f64| (seconds * 1e9) as u64;
    let start_ns = ns(file.time_s);
    Some(Fault {
        name: name.into(),
        robot: index,
        device,
        kind,
        start_ns,
        end_ns: file
            .duration_s
            .map_or(u64::MAX, |s| start_ns.saturating_add(ns(s))),
        stream: random_stream(scene, index, name),
    })
}

/// Returns the random stream of the fault `name` of a robot, or of a beacon or a fixed modem.
pub fn random_stream(scene: &Scene, robot: Option<usize>, name: &str) -> Stream {
    // Robot names contain no colon.
    let owner = robot.map_or(":beacons", |robot| scene.robots[robot].name.as_str());
    Stream::new(scene.seed, &format!("{owner}/fault/{name}"))
}

fn build_kind(file: &FaultKindConfig, robot: Option<&Robot>, device: Device) -> FaultKind {
    match file {
        FaultKindConfig::Dead => FaultKind::Dead,
        FaultKindConfig::Stuck => FaultKind::Stuck,
        FaultKindConfig::Reduced { fraction, .. } => FaultKind::Reduced(*fraction),
        FaultKindConfig::Biased { bias, .. } => FaultKind::Biased(*bias),
        FaultKindConfig::Noisy { noise_std, .. } => FaultKind::Noisy(*noise_std),
        FaultKindConfig::Intermittent {
            mean_working_s,
            mean_failed_s,
            ..
        } => FaultKind::Intermittent([*mean_working_s, *mean_failed_s]),
        FaultKindConfig::Shortage { power_w, .. } => FaultKind::PowerLimited(*power_w),
        FaultKindConfig::Leak {
            hole_diameter_m,
            position_m,
            compartment_m3,
            center_m,
            ..
        } => build_leak(
            robot,
            device,
            [*hole_diameter_m, *compartment_m3],
            *position_m,
            *center_m,
        ),
        FaultKindConfig::Jammed {
            position_m,
            power_w,
            ..
        } => FaultKind::Jammed(position_m.map(|p| Jammer::new(Vec3::from(p), *power_w))),
        FaultKindConfig::Spoofed {
            offset_m,
            velocity_m_s,
            ..
        } => FaultKind::Spoofed(Spoof {
            offset: Vec3::from(*offset_m),
            velocity: Vec3::from(*velocity_m_s),
        }),
        FaultKindConfig::Slow {
            execution_factor, ..
        } => FaultKind::Slow(*execution_factor),
    }
}

/// Names of the values that a request for a fault contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestValues {
    /// Kind of the fault.
    pub kind: String,
    /// Names of the required values.
    pub required: Vec<String>,
    /// Names of the other values.
    pub optional: Vec<String>,
}

/// Returns the values of each kind of fault in requests: the keys of a world file, and one value
/// for each component of a vector.
pub fn request_values() -> Vec<RequestValues> {
    let key_sets = FaultKindConfig::key_sets(&mut Defs::default());
    let of_kind = |keys: &KeySet| {
        let names = |is_required: bool| {
            let own = keys.keys().filter(|key| *key != KIND);
            let own = own.filter(|key| keys.is_required(key) == is_required);
            own.flat_map(|key| value_names(keys, key)).collect()
        };
        Some(RequestValues {
            kind: keys.kind()?.to_string(),
            required: names(true),
            optional: names(false),
        })
    };
    key_sets.iter().filter_map(of_kind).collect()
}

/// Returns the names of the values of a key.
fn value_names(keys: &KeySet, key: &str) -> Vec<String> {
    match keys.is_list(key) {
        true => AXES.map(|axis| component_key(key, axis)).into(),
        false => vec![key.to_string()],
    }
}

/// Builds the type of a fault from a request: its kind, and values by their names as
/// [`request_values`] lists them, in the units that their names state. Components of a vector that
/// are not given are zero.
///
/// # Errors
/// The kind or a value is not possible; one line.
pub fn requested_kind(
    robot: Option<&Robot>,
    device: Device,
    kind: &str,
    get: impl Fn(&str) -> Option<f64>,
) -> Result<FaultKind, String> {
    let place = Place::file(&format!("the fault {kind}"));
    let number = |value: f64| match value {
        x if x.is_nan() => Node::plain(".nan", &place),
        x if x.is_infinite() => Node::plain(".inf", &place),
        x => Node::new(x, &place),
    };
    let mut map = Map::default();
    map.insert(KIND, Node::plain(kind, &place));
    let key_sets = FaultKindConfig::key_sets(&mut Defs::default());
    let own = key_sets.iter().filter(|keys| keys.kind() == Some(kind));
    for (keys, key) in own.flat_map(|keys| keys.keys().map(move |key| (keys, key))) {
        let values: Vec<Option<f64>> = value_names(keys, key).iter().map(|n| get(n)).collect();
        match values.as_slice() {
            [Some(value)] => map.insert(key, number(*value)),
            [_] => {}
            given if given.iter().all(Option::is_none) => {}
            given => {
                let items = given.iter().map(|value| number(value.unwrap_or(0.0)));
                map.insert(key, Node::list(items, &place));
            }
        }
    }
    let mut problems = Problems::default();
    let request = Value::Map(map).at(&place);
    let file = FaultKindConfig::read(&request, &Field::new(KIND, "", &[]), &mut problems);
    match file.filter(|_| problems.is_empty()) {
        Some(file) => Ok(build_kind(&file, robot, device)),
        None => Err(problems.to_string().replace('\n', "; ")),
    }
}

/// Builds a leak of the link `device` from the diameter of the hole [m] and the volume of the
/// compartment [m³]. `position` of the hole and `center` of the compartment [m] are in the user's
/// link frame.
pub fn build_leak(
    robot: Option<&Robot>,
    device: Device,
    [hole, volume]: [f64; 2],
    position: [f64; 3],
    center: [f64; 3],
) -> FaultKind {
    // A device that is not a hull is rejected later, so its axes do not matter.
    let R_LU = match (robot, device) {
        (Some(robot), Device::Hull(k)) => robot.links[k].R_LU,
        _ => Mat3::identity(),
    };
    FaultKind::Leak(Leak {
        area: 0.25 * std::f64::consts::PI * hole * hole,
        p_LoH: R_LU.mul_vec(Vec3::from(position)),
        volume,
        p_LoC: R_LU.mul_vec(Vec3::from(center)),
    })
}
