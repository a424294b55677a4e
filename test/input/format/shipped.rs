//! Tests that every shipped world and component file is accepted.
//!
//! All shipped files are valid. Method: walk the folders; a file in a folder that this test does
//! not recognise makes it fail.

use merrow_model::state::Command;
use merrow_model::state::comms::{ModemCommand, Send};
use merrow_sim::Simulation;
use merrow_world::{Overrides, load_text, load_world};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns all files in a folder of the repository, recursively, sorted.
fn files(folder: &str) -> Vec<PathBuf> {
    let mut waiting = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path)
            } else {
                found.push(path)
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_world_loads_and_runs_a_second_without_a_halt() {
    for path in files("worlds") {
        let world =
            load_world(&path, Overrides::default()).unwrap_or_else(|problems| panic!("{problems}"));
        let mut simulation = Simulation::new(Arc::new(world.scene), 0).unwrap();
        let steps = 1_000_000_000 / simulation.scene.dt_ns;
        simulation.advance(steps);
        for (robot, state) in simulation.scene.robots.iter().zip(&simulation.state.robots) {
            assert!(
                state.halted.is_none(),
                "{}: {}: {:?}",
                path.display(),
                robot.name,
                state.halted
            );
        }
    }
}

// The worlds of the benches load. Method: all files whose meshes are in the repository.
#[test]
fn every_world_of_the_benches_loads() {
    let benches = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches");
    let mut worlds = 0;
    for folder in [benches.clone(), benches.join("worlds")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let file = entry.unwrap().path();
            let is_world = file.extension().is_some_and(|e| e == "yaml");
            // benches/rays writes the meshes
            if !is_world || file.ends_with("ranging.yaml") {
                continue;
            }
            if let Err(problems) = load_world(&file, Overrides::default()) {
                panic!("{problems}");
            }
            worlds += 1;
        }
    }
    assert!(worlds > 4, "{worlds}");
}

/// Returns the robot for which a firmware is written: the name of the firmware begins with the name
/// of the robot.
fn robot_of_firmware(name: &str) -> &str {
    let is_robot = |end: &usize| {
        let file = format!("robots/{}.yaml", &name[..*end]);
        let params = Path::new(env!("CARGO_MANIFEST_DIR")).join("params");
        params.join(file).exists()
    };
    let ends = name.match_indices('_').map(|(end, _)| end);
    ends.filter(is_robot).max().map_or("", |end| &name[..end])
}

/// Transmits a message between two modems of a type, one of them on a robot, and runs a minute.
/// Modems under water are at a depth of 5 m, the others in a height of 2 m, above deep water.
fn run_modem(name: &str) {
    let body = "source: test, body: {source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}, net_buoyancy_n: 0}";
    // a terminal and a gateway communicate, not two terminals
    let partner = match name {
        "iridium_sbd" => "iridium_gateway",
        "iridium_gateway" => "iridium_sbd",
        _ => name,
    };
    let text = format!(
        "step: {{dt_s: 0.05}}\nseabed: {{depth_m: 50}}\n\
         modems: {{f: {{modem: {partner}, position_m: [4, 0, HEIGHT], axis: [-1, 0, 0]}}}}\n\
         robots: {{r: {{position_m: [0, 0, -5], model: {{{body}, modems: {{m: {{modem: {name}, position_m: [0, 0, ABOVE]}}}}}}}}}}\n"
    );
    let is_delivered = |height: &str, above: &str| {
        let text = text.replace("HEIGHT", height).replace("ABOVE", above);
        let world = load_text("w.yaml", &text, Overrides::default())
            .unwrap_or_else(|problems| panic!("{name}:\n{problems}"));
        let mut simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
        let command = ModemCommand::Send(Send {
            is_acknowledged: true,
            ..Send::new(0, simulation.scene.modems[1].address, vec![1; 8])
        });
        simulation.apply(&Command::Modem(command)).unwrap();
        simulation.advance(1200);
        !simulation.network_output.deliveries.is_empty()
    };
    let under_water = is_delivered("-5", "0");
    let in_air = is_delivered("2", "7");
    assert!(under_water || in_air, "{name}: no delivery");
}

#[test]
fn every_component_loads() {
    let body = "source: test, body: {source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}";
    for path in files("params") {
        let name = path.file_stem().unwrap().to_string_lossy();
        let kind = path
            .parent()
            .unwrap()
            .file_name()
            .unwrap()
            .to_string_lossy();
        let model = match &*kind {
            "robots" => name.to_string(),
            "props" => format!("props/{name}.yaml"),
            "bodies" => format!("{{source: test, body: {name}}}"),
            "thrusters" => {
                let place = "position_m: [0, 0, 0], direction: [1, 0, 0]";
                format!("{{{body}, thrusters: {{t: {{motor: {name}, {place}}}}}}}")
            }
            "fins" => {
                let place = "position_m: [0, 0, 0], shaft: [0, 0, 1]";
                format!("{{{body}, fins: {{f: {{surface: {name}, {place}}}}}}}")
            }
            "sensors" => {
                let telemetry = std::fs::read_to_string(&path)
                    .unwrap()
                    .contains("kind: motor_telemetry");
                let watched = if telemetry { ", thruster: t" } else { "" };
                let thruster = "t: {motor: t200_12v, position_m: [0, 0, 0], direction: [1, 0, 0]}";
                format!(
                    "{{{body}, battery: bluerov2_18ah, thrusters: {{{thruster}}}, sensors: {{s: {{device: {name}{watched}}}}}}}"
                )
            }
            "lines" => {
                let ends = "from: {kind: world, position_m: [0, 0, 0]}, to: {kind: free, position_m: [9, 0, 0]}";
                let text = format!(
                    "robots: {}\ntethers: {{t: {{line: {name}, {ends}, length_m: 10}}}}\n",
                    "{}"
                );
                if let Err(problems) = load_text("w.yaml", &text, Overrides::default()) {
                    panic!("{}:\n{problems}", path.display());
                }
                continue;
            }
            "beacons" => {
                let text = format!("robots: {}\nbeacons: {{b: {{beacon: {name}}}}}\n", "{}");
                if let Err(problems) = load_text("w.yaml", &text, Overrides::default()) {
                    panic!("{}:\n{problems}", path.display());
                }
                continue;
            }
            "modems" => {
                run_modem(&name);
                continue;
            }
            "batteries" => format!("{{{body}, battery: {name}}}"),
            "firmware" => {
                let robot = robot_of_firmware(&name);
                format!("{{extends: robots/{robot}.yaml, firmware: {name}}}")
            }
            other => panic!("{}: no test covers the folder `{other}`", path.display()),
        };
        let tracers = "turbidity: {unit: NTU, profile: [[0, 1]]}, chlorophyll: {unit: ug/l, profile: [[0, 1]]}";
        let text = format!(
            "step: {{dt_s: 0.001}}\nwater: {{tracers: {{{tracers}}}}}\nrobots: {{r: {{model: {model}}}}}\n"
        );
        if let Err(problems) = load_text("w.yaml", &text, Overrides::default()) {
            panic!("{}:\n{problems}", path.display());
        }
    }
}

/// All numbers have a source. Method: every component has a `source` of more than one word.
#[test]
fn every_component_names_its_source() {
    for path in files("params") {
        let text = std::fs::read_to_string(&path).unwrap();
        let source = text.lines().find_map(|line| line.strip_prefix("source: "));
        let named = source.is_some_and(|source| source.len() > 10)
            || text.contains("\nextends: ")
            || text.starts_with("extends: ");
        assert!(named, "{}: no source", path.display());
    }
}
