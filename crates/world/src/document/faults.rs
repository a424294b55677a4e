//! Entries of `faults` for the faults that services started, and without those that they repaired.

use crate::document::changes::{existing_section, number, numbers, quoted, section};
use merrow_model::scene::Scene;
use merrow_model::scene::fault::{Device, Fault, FaultKind, Jammer};
use merrow_model::scene::fault_devices::device_path;
use merrow_model::state::State;
use merrow_yaml::error::Place;
use merrow_yaml::node::{Map, Node, Value};

/// Removes the faults of the file that were repaired or replaced, and adds the faults that services
/// started and that have not ended.
pub(super) fn set_faults(root: &mut Node, scene: &Scene, state: &State) {
    let robots = state.robots.iter().flat_map(|robot| &robot.faults);
    let all = robots.chain(&state.faults).map(|memory| &memory.fault);
    let all: Vec<&Fault> = all.collect();
    if let Some(faults) = existing_section(root, "faults") {
        for gone in scene.faults.iter().filter(|fault| !all.contains(fault)) {
            faults.remove(&gone.name);
        }
    }
    let is_started = |fault: &&&Fault| !scene.faults.contains(fault);
    let started = all.iter().filter(is_started);
    for fault in started.filter(|fault| fault.end_ns > state.time_ns) {
        let entry = entry(scene, fault, &root.place.clone());
        let faults = section(root, "faults");
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        // faults of two robots may have the same name
        let is_usable = !fault.name.is_empty()
            && fault.name.chars().all(is_plain)
            && faults.get(&fault.name).is_none();
        let mut name = fault.name.to_string();
        let mut n = 0;
        while !is_usable && (n == 0 || faults.get(&name).is_some()) {
            n += 1;
            name = format!("saved_{n}");
        }
        faults.insert(&name, entry);
    }
}

/// Returns the entry of a fault.
fn entry(scene: &Scene, fault: &Fault, place: &Place) -> Node {
    let Fault {
        // the key
        name: _,
        robot,
        device,
        kind,
        start_ns,
        end_ns,
        // it follows from the name
        stream: _,
    } = fault;
    let mut map = Map::default();
    if let Some(robot) = robot {
        map.insert("robot", quoted(&scene.robots[*robot].name, place));
    }
    let target = device_path(scene, *robot, *device);
    map.insert("target", quoted(&target, place));
    map.insert("time_s", number(*start_ns as f64 / 1e9, place));
    if *end_ns != u64::MAX {
        let duration = (end_ns - start_ns) as f64 / 1e9;
        map.insert("duration_s", number(duration, place));
    }
    map.insert("kind", quoted(kind.keyword(), place));
    for (key, values) in values(scene, fault) {
        let node = match values[..] {
            [value] => number(value, place),
            _ => numbers(&values, place),
        };
        map.insert(key, node);
    }
    Node {
        value: Value::Map(map),
        place: place.clone(),
    }
}

/// Returns the keys of a fault with their values.
fn values(scene: &Scene, fault: &Fault) -> Vec<(&'static str, Vec<f64>)> {
    let one = |key, value| vec![(key, vec![value])];
    match fault.kind {
        FaultKind::Dead | FaultKind::Stuck | FaultKind::Jammed(None) => Vec::new(),
        FaultKind::Reduced(fraction) => one("fraction", fraction),
        FaultKind::Biased(bias) => one("bias", bias),
        FaultKind::Noisy(deviation) => one("noise_std", deviation),
        FaultKind::Intermittent([working, failed]) => vec![
            ("mean_working_s", vec![working]),
            ("mean_failed_s", vec![failed]),
        ],
        FaultKind::PowerLimited(power) => one("power_w", power),
        FaultKind::Slow(factor) => one("execution_factor", factor),
        FaultKind::Leak(leak) => {
            let link = match (fault.robot, fault.device) {
                (Some(robot), Device::Hull(k)) => Some(&scene.robots[robot].links[k]),
                _ => None,
            };
            let in_file = |p_L| link.map_or(p_L, |link| link.R_LU.transpose().mul_vec(p_L));
            let diameter = 2.0 * (leak.area / std::f64::consts::PI).sqrt();
            vec![
                ("hole_diameter_m", vec![diameter]),
                ("position_m", in_file(leak.p_LoH).to_array().to_vec()),
                ("compartment_m3", vec![leak.volume]),
                ("center_m", in_file(leak.p_LoC).to_array().to_vec()),
            ]
        }
        FaultKind::Jammed(Some(jammer)) => {
            // the reach increases with the square root of the power
            let of_one_watt = Jammer::new(jammer.p_W, 1.0).reach;
            vec![
                ("position_m", jammer.p_W.to_array().to_vec()),
                ("power_w", vec![(jammer.reach / of_one_watt).powi(2)]),
            ]
        }
        FaultKind::Spoofed(spoof) => vec![
            ("offset_m", spoof.offset.to_array().to_vec()),
            ("velocity_m_s", spoof.velocity.to_array().to_vec()),
        ],
    }
}
