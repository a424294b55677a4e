//! Entries of `faults` for the faults that services started, and without those that they repaired.

use crate::document::changes::existing_section;
use merrow_model::scene::Scene;
use merrow_model::scene::fault::{Device, Fault, FaultKind, Jammer};
use merrow_model::scene::fault_devices::device_path;
use merrow_model::state::State;
use merrow_yaml::error::Place;
use merrow_yaml::node::{KIND, Node};
use serde_json::Value as Json;

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
        let entry = entry(scene, fault, &root.place);
        let faults = root.get_or_make("faults").make_map();
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
    let mut entry = Node::empty_map(place);
    if let Some(robot) = robot {
        entry.set("robot", scene.robots[*robot].name.as_str());
    }
    entry.set("target", device_path(scene, *robot, *device));
    entry.set("time_s", *start_ns as f64 / 1e9);
    if *end_ns != u64::MAX {
        entry.set("duration_s", (end_ns - start_ns) as f64 / 1e9);
    }
    entry.set(KIND, kind.keyword());
    for (key, value) in values(scene, fault) {
        entry.set(key, value);
    }
    entry
}

/// Returns the keys of a fault with their values.
fn values(scene: &Scene, fault: &Fault) -> Vec<(&'static str, Json)> {
    match fault.kind {
        FaultKind::Dead | FaultKind::Stuck | FaultKind::Jammed(None) => vec![],
        FaultKind::Reduced(fraction) => vec![("fraction", fraction.into())],
        FaultKind::Biased(bias) => vec![("bias", bias.into())],
        FaultKind::Noisy(deviation) => vec![("noise_std", deviation.into())],
        FaultKind::Intermittent([working, failed]) => vec![
            ("mean_working_s", working.into()),
            ("mean_failed_s", failed.into()),
        ],
        FaultKind::PowerLimited(power) => vec![("power_w", power.into())],
        FaultKind::Slow(factor) => vec![("execution_factor", factor.into())],
        FaultKind::Leak(leak) => {
            let link = match (fault.robot, fault.device) {
                (Some(robot), Device::Hull(k)) => Some(&scene.robots[robot].links[k]),
                _ => None,
            };
            let in_file = |p_L| link.map_or(p_L, |link| link.R_LU.transpose().mul_vec(p_L));
            let diameter = 2.0 * (leak.area / std::f64::consts::PI).sqrt();
            vec![
                ("hole_diameter_m", diameter.into()),
                ("position_m", in_file(leak.p_LoH).to_array().into()),
                ("compartment_m3", leak.volume.into()),
                ("center_m", in_file(leak.p_LoC).to_array().into()),
            ]
        }
        FaultKind::Jammed(Some(jammer)) => {
            // the reach increases with the square root of the power
            let of_one_watt = Jammer::new(jammer.p_W, 1.0).reach;
            vec![
                ("position_m", jammer.p_W.to_array().into()),
                ("power_w", (jammer.reach / of_one_watt).powi(2).into()),
            ]
        }
        FaultKind::Spoofed(spoof) => vec![
            ("offset_m", spoof.offset.to_array().into()),
            ("velocity_m_s", spoof.velocity.to_array().into()),
        ],
    }
}
