//! Conversion of scheduled faults.

use crate::context::SceneContext;
use crate::keys::fault::FaultConfig;
use merrow_math::rng::Stream;
use merrow_model::scene::fault_devices::{check_fault, find_device};
use merrow_model::scene::{Fault, FaultKind, Scene};
use merrow_yaml::error::{Place, Problems};
use merrow_yaml::node::{Map, Node, Value};
use merrow_yaml::read::{Field, Fields, KIND, NamedMap, Read};
use merrow_yaml::schema::{Defs, KeySet};
use merrow_yaml::units::component_key;

/// Axes of the components of a vector.
const AXES: [&str; 3] = ["x", "y", "z"];

/// Builds the faults of a world whose robots are known.
pub(crate) fn build_faults(file: &NamedMap<FaultConfig>, cx: SceneContext<'_>) -> Vec<Fault> {
    file.iter()
        .filter_map(|(name, entry)| build_fault(name, entry, cx))
        .collect()
}

fn build_fault(name: &str, file: &FaultConfig, cx: SceneContext<'_>) -> Option<Fault> {
    let index = match &file.robot {
        None => None,
        Some(requested) => {
            let place = file.at.key_place("robot");
            let user = format!("the fault {name}");
            Some(cx.find_robot(&user, requested, place)?)
        }
    };
    let device = find_device(cx.scene, index, &file.target)
        .map_err(|why| cx.error(file.at.key_place("target"), why))
        .ok()?;
    let kind = file.kind;
    if let Err(why) = check_fault(device, &file.target, kind) {
        return cx.refuse(file.at.key_place("kind"), why);
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
        stream: random_stream(cx.scene, index, name),
    })
}

/// Returns the random stream of the fault `name` of a robot, or of a beacon or a fixed modem.
pub fn random_stream(scene: &Scene, robot: Option<usize>, name: &str) -> Stream {
    // Robot names contain no colon.
    let owner = robot.map_or(":beacons", |robot| scene.robots[robot].name.as_str());
    Stream::new(scene.seed, &format!("{owner}/fault/{name}"))
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
    let key_sets = FaultKind::key_sets(&mut Defs::default());
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
pub fn requested_kind(kind: &str, get: impl Fn(&str) -> Option<f64>) -> Result<FaultKind, String> {
    let place = Place::file(&format!("the fault {kind}"));
    let number = |value: f64| match value {
        x if x.is_nan() => Node::plain(".nan", &place),
        x if x.is_infinite() => Node::plain(".inf", &place),
        x => Node::new(x, &place),
    };
    let mut map = Map::default();
    map.insert(KIND, Node::plain(kind, &place));
    let key_sets = FaultKind::key_sets(&mut Defs::default());
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
    let file = FaultKind::read(&request, &Field::new(KIND, "", &[]), &mut problems);
    match file.filter(|_| problems.is_empty()) {
        Some(file) => Ok(file),
        None => Err(problems.to_string().replace('\n', "; ")),
    }
}
