//! Tests that run the examples of README and docs/ as written.

use crate::common::folder::Folder;
use merrow::input::services::names;
use merrow::topics::Plan;
use merrow_model::scene::autopilot::{AutopilotKind, ServoDevice};
use merrow_model::scene::robot::profile::Profile;
use merrow_world::{Overrides, load_text};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

mod tutorials;

/// Returns the text of a file of the repository.
fn text(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Returns the code blocks of one language.
fn blocks_of(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    text.split(&fence)
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .map(str::to_owned)
        .collect()
}

/// Returns the pages in the folders of docs/, in a fixed order.
fn pages_of_docs() -> Vec<PathBuf> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let mut pages = Vec::new();
    for folder in std::fs::read_dir(docs).unwrap().map(|entry| entry.unwrap()) {
        if folder.path().is_dir() {
            let files = std::fs::read_dir(folder.path()).unwrap();
            pages.extend(files.map(|entry| entry.unwrap().path()));
        } else {
            pages.push(folder.path());
        }
    }
    pages.retain(|path| path.extension().is_some_and(|e| e == "md"));
    pages.sort();
    pages
}

/// Returns a file that a page shows: the block with this title.
fn shown_file(page: &str, name: &str) -> String {
    let blocks =
        tutorials::blocks(&text(page)).unwrap_or_else(|problem| panic!("{page}:{problem}"));
    let found = blocks
        .into_iter()
        .find(|block| block.title.as_deref() == Some(name));
    found.unwrap_or_else(|| panic!("{page} has no {name}")).text
}

fn lake() -> String {
    shown_file("docs/reference/world_file.md", "lake.yaml")
}

/// The conformance table names every service, and its checks exist. Method: rows of the page
/// against the declared services and the functions of the checks.
#[test]
fn conformance_table_is_complete() {
    let page = text("docs/guides/changing_worlds.md");
    let checks = text("test/ros/checks/node/simulation.py");
    let rows = page
        .lines()
        .filter(|line| line.starts_with("| ") && line.matches('|').count() == 5);
    let mut services = BTreeSet::new();
    for row in rows.skip(2) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        services.insert(cells[1].to_string());
        let check = format!("def check_{}(", cells[4]);
        assert!(checks.contains(&check), "{row}");
    }
    let declared = merrow_ros2::msg::services();
    let names = declared
        .iter()
        .filter_map(|info| info.name.strip_prefix("simulation_interfaces/srv/"));
    let missing: Vec<_> = names.filter(|name| !services.contains(*name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(services.contains("SimulateSteps"));
}

#[test]
fn the_world_file_loads() {
    let world =
        load_text("lake.yaml", &lake(), Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    assert_eq!(world.scene.robots.len(), 1);
}

/// The robot of README moves to a goal and stays upright. Method: one minute. Tolerance: 1.1 m, because
/// it cannot move sideways, 0.05 m in depth and 5 degrees.
#[test]
fn the_robot_of_readme_moves() {
    let goal = "schedule: {dive: {time_s: 1, robot: scout, kind: goal, position_m: [3, 0, -5]}}\n";
    let world = shown_file("README.md", "scout.yaml") + goal;
    let world =
        load_text("scout.yaml", &world, Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    let mut s = merrow_sim::Simulation::new(std::sync::Arc::new(world.scene), 1).unwrap();
    s.advance(60_000_000_000 / s.scene.dt_ns);
    let motion = &s.state.robots[0].motion;
    let p = motion.p_WB;
    assert!((p.x - 3.0).hypot(p.y) < 1.1, "{p:?}");
    assert!((p.z + 5.0).abs() < 0.05, "{p:?}");
    let up = motion
        .q_WB
        .matrix()
        .mul_vec(merrow_math::Vec3::new(0.0, 0.0, 1.0))
        .z;
    assert!(up > f64::to_radians(5.0).cos(), "{up}");
}

#[path = "../examples/own_force.rs"]
#[allow(unreachable_pub, reason = "examples are programs")]
mod own_force;

#[path = "../examples/own_controller.rs"]
#[allow(unreachable_pub, reason = "examples are programs")]
mod own_controller;

#[path = "../examples/own_sensor.rs"]
#[allow(unreachable_pub, reason = "examples are programs")]
mod own_sensor;

#[path = "../examples/own_robot.rs"]
#[allow(unreachable_pub, reason = "examples are programs")]
mod own_robot;

/// The programs in `examples/` end without an error, and each has at most 80 lines.
#[test]
fn own_programs_run() {
    own_force::main().unwrap();
    own_controller::main().unwrap();
    own_sensor::main().unwrap();
    own_robot::main().unwrap();
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")).unwrap()
    {
        let path = entry.unwrap().path();
        // folders are packages of their own
        if path.is_dir() {
            continue;
        }
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= 80, "{}: {lines} lines", path.display());
    }
}

/// The inclinometer measures the tilt with its error. Method: 2,000 samples of a body that is
/// pitched by 0.3 rad. Tolerance: four standard deviations of the mean, 10 % of the standard
/// deviation.
#[test]
fn the_sensor_of_examples_measures() {
    let sensor = own_sensor::Inclinometer {
        std: 0.01,
        stream: merrow_math::rng::Stream::new(1, "inclinometer"),
    };
    let world = load_text("scout.yaml", own_robot::SCOUT, Overrides::default()).unwrap();
    let simulation = merrow_sim::Simulation::new(std::sync::Arc::new(world.scene), 1).unwrap();
    let mut motion = simulation.state.robots[0].motion.clone();
    motion.q_WB = merrow_math::Quat::from_rotation_vector(merrow_math::Vec3::new(0.0, 0.3, 0.0));
    let samples: Vec<f64> = (0..2000).map(|k| sensor.measure(&motion, k)).collect();
    let mean = samples.iter().sum::<f64>() / 2000.0;
    let variance = samples.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 2000.0;
    assert!(
        (mean - 0.3).abs() < 4.0 * 0.01 / f64::sqrt(2000.0),
        "{mean}"
    );
    assert!((variance.sqrt() / 0.01 - 1.0).abs() < 0.1, "{variance}");
}

/// The vehicle of docs/guides/extending.md loads and moves. Method: 1 s with full thrust. Tolerance:
/// between 0.2 and 0.9 m forward; 36 N accelerate 21 kg (mass and added mass) along at most 0.87 m.
#[test]
fn vehicle_of_docs_moves() {
    let example = own_robot::SCOUT;
    assert_eq!(
        blocks_of(&text("docs/guides/extending.md"), "yaml")[0],
        example
    );
    let world =
        load_text("scout.yaml", example, Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    let mut simulation = merrow_sim::Simulation::new(std::sync::Arc::new(world.scene), 1).unwrap();
    let full = merrow_model::state::Command::Actuator(
        0,
        merrow_model::state::ActuatorCommand::Thruster {
            thruster: 0,
            value: 1900.0,
        },
    );
    assert!(simulation.apply(&full).is_ok());
    simulation.advance(200);
    let robot = &simulation.state.robots[0];
    assert!(robot.halted.is_none());
    let x = robot.motion.p_WB.x;
    assert!((0.2..0.9).contains(&x), "{x}");
}

/// The force of docs/guides/extending.md follows its stated law. Method: a neutrally buoyant body of 10 kg
/// on a spring of 40 N/m without damping, against cos(2 t). Tolerance: 1 % of the amplitude,
/// because the force is constant over each step of 1 ms.
#[test]
fn the_force_of_docs_oscillates() {
    let page = text("docs/guides/extending.md");
    assert!(page.contains(&text("examples/own_force.rs")));
    let body = "body: {source: test, axes: flu, mass_kg: 10, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}, net_buoyancy_n: 0}";
    let world = format!(
        "step: {{dt_s: 0.001}}\nrobots: {{r: {{position_m: [1, 0, -9], attitude_deg: [0, 0, 90], model: {{source: test, {body}}}}}}}\n"
    );
    let world =
        load_text("spring.yaml", &world, Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    let mut simulation = merrow_sim::Simulation::new(std::sync::Arc::new(world.scene), 1).unwrap();
    let mooring = own_force::Mooring {
        p_W0: merrow_math::Vec3::new(0.0, 0.0, -9.0),
        stiffness: 40.0,
        damping: 0.0,
    };
    for step in 1..=3000 {
        mooring.apply(&mut simulation, 0);
        simulation.advance(1);
        let p = simulation.state.robots[0].motion.p_WB;
        let expected = f64::cos(2.0 * f64::from(step) * 0.001);
        assert!((p.x - expected).abs() < 0.01, "step {step}: {p:?}");
    }
}

/// The controller of docs/guides/extending.md follows its stated law. Method: a neutrally buoyant body of
/// 20 kg under a critically damped depth hold of 20 N/m at 50 Hz, against (1 + t) exp(-t).
/// Tolerance: 4 cm, for the lag of the thruster and its dead band.
#[test]
fn the_controller_of_docs_holds_the_depth() {
    let page = text("docs/guides/extending.md");
    assert!(page.contains(&text("examples/own_controller.rs")));
    let world = load_text("hold.yaml", own_controller::WORLD, Overrides::default())
        .unwrap_or_else(|p| panic!("{p}"));
    let mut simulation = merrow_sim::Simulation::new(std::sync::Arc::new(world.scene), 1).unwrap();
    let mut hold = own_controller::DepthHold {
        stiffness: 20.0,
        damping: 40.0,
        depth: 10.0,
        on: true,
    };
    for tick in 0..500 {
        let t = f64::from(tick) * 0.02;
        let z = simulation.state.robots[0].motion.p_WB.z;
        let expected = -10.0 + (1.0 + t) * f64::exp(-t);
        assert!(
            (z - expected).abs() < 0.04,
            "{t} s: {z}, expected {expected}"
        );
        simulation.run_law(0, &mut hold, 0.02);
        simulation.advance(4);
    }
}

// The mesh of docs/guides/extending.md is generated. Method: the function at the end of torpedoes.py in a
// copy of tools/models, and make.py of the copy. Tolerance: 2,000 to 20,000 triangles, as the page
// demands.
#[test]
fn the_mesh_of_docs_is_generated() {
    let folder = Folder::new("add_mesh", &[]);
    let copy = &folder.0;
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/models");
    copy_folder(&models, &copy.join("tools/models"));
    std::fs::create_dir(copy.join("meshes")).unwrap();
    let example = blocks_of(&text("docs/guides/extending.md"), "python").remove(0);
    let family = "tools/models/torpedoes.py";
    add_text(copy, family, None, &format!("\n\n{example}"));
    let python = std::env::var("MERROW_PYTHON").unwrap_or("python3".into());
    let done = Command::new(python)
        .arg(copy.join("tools/models/make.py"))
        .args(["--list", "scout"])
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&done.stdout);
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{errors}");
    let words: Vec<&str> = report.split_whitespace().collect();
    let triangles: usize = words[1].parse().unwrap();
    assert!((2000..=20_000).contains(&triangles), "{report}");
    assert!(copy.join("meshes/models/scout.glb").is_file());
}

/// Copies a folder with all files below it.
fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

/// Copies the files that a build of Merrow needs to `copy`; folders that no example changes are
/// links.
fn copy_workspace(copy: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in ["crates", "src", "studies", "tools"] {
        copy_folder(&root.join(name), &copy.join(name));
    }
    for name in ["Cargo.toml", "Cargo.lock"] {
        std::fs::copy(root.join(name), copy.join(name)).unwrap();
    }
    let linked = [
        "benches", "docs", "examples", "grids", "meshes", "params", "ros", "test", "urdf", "worlds",
    ];
    for name in linked {
        std::os::unix::fs::symlink(root.join(name), copy.join(name)).unwrap();
    }
}

/// Adds `text` to a file of `copy`: before the first `anchor` after `start`, or at the end without
/// a place.
fn add_text(copy: &Path, file: &str, place: Option<(&str, &str)>, text: &str) {
    let path = copy.join(file);
    let mut old = std::fs::read_to_string(&path).unwrap();
    let at = place.map_or(old.len(), |(start, anchor)| {
        let from = old
            .find(start)
            .unwrap_or_else(|| panic!("{file}: no {start}"));
        from + old[from..]
            .find(anchor)
            .unwrap_or_else(|| panic!("{file}: no {anchor}"))
    });
    old.insert_str(at, text);
    std::fs::write(path, old).unwrap();
}

/// Applies the changes that docs/guides/extending.md lists for a new sensor to the workspace `copy`.
fn add_sensor_of_docs(copy: &Path) {
    let page = text("docs/guides/extending.md");
    let example = |name: &str| {
        let example = text(&format!("docs/examples/add_sensor/{name}"));
        assert!(page.contains(&example), "{name} is not on the page");
        format!("\n{example}")
    };
    let entries = blocks_of(&page, "text");
    let [kind, reading, word] = &entries[entries.len() - 3..] else {
        panic!("three entries of registries")
    };
    let law = text("docs/examples/add_sensor/law.rs");
    assert!(page.contains(&law));
    std::fs::write(copy.join("crates/sensors/src/vehicle/inclinometer.rs"), law).unwrap();
    add_text(
        copy,
        "crates/sensors/src/vehicle/mod.rs",
        Some(("", "pub mod")),
        "pub mod inclinometer;\n",
    );
    add_text(
        copy,
        "crates/model/src/sensor/vehicle.rs",
        None,
        &example("model.rs"),
    );
    let registry = "crates/model/src/sensor/registry.rs";
    let end = "        }\n    };";
    add_text(
        copy,
        registry,
        Some(("macro_rules! each_step_sensor", end)),
        kind,
    );
    add_text(
        copy,
        registry,
        Some(("macro_rules! each_reading", end)),
        reading,
    );
    add_text(
        copy,
        "crates/world/src/sensor/vehicle.rs",
        None,
        &example("world.rs"),
    );
    add_text(
        copy,
        "crates/world/src/sensor/mod.rs",
        Some(("\ndeclare_kinds! {", "}\n")),
        word,
    );
    add_text(
        copy,
        "crates/messages/src/convert/vehicle.rs",
        None,
        &example("node.rs"),
    );
}

/// Applies the changes that a section of docs/guides/extending.md lists to the workspace `copy`: files
/// of the folder `addition` of docs/examples, each with its path, and one line of a list. `entry` is
/// the start of the line, which comes before the first `anchor` after `start`.
fn add_files_and_line(
    copy: &Path,
    (section, addition): (&str, &str),
    files: [(&str, &str); 2],
    (list, entry): (&str, &str),
    (start, anchor): (&str, &str),
) {
    let page = text("docs/guides/extending.md");
    let section = page.split(section).nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    for (name, path) in files {
        let example = text(&format!("docs/examples/{addition}/{name}"));
        assert!(section.contains(&example), "{name} is not on the page");
        std::fs::write(copy.join(path), example).unwrap();
    }
    let entries = blocks_of(section, "text");
    let line = entries.iter().find(|block| block.contains(entry));
    add_text(copy, list, Some((start, anchor)), line.expect("a line"));
}

/// Applies the changes for a new force and a new controller.
fn add_force_and_controller_of_docs(copy: &Path) {
    add_files_and_line(
        copy,
        ("\n## A force\n", "add_force"),
        [
            ("model.rs", "crates/model/src/scene/robot/force/mooring.rs"),
            ("physics.rs", "crates/physics/src/forces/link/mooring.rs"),
        ],
        ("crates/model/src/scene/robot/force/mod.rs", "mooring: "),
        ("            air {\n", "            }\n"),
    );
    let law = "thruster_depth_hold.rs";
    add_files_and_line(
        copy,
        ("\n## A controller\n", "add_controller"),
        [
            (
                "model.rs",
                &format!("crates/model/src/scene/robot/firmware/{law}"),
            ),
            ("control.rs", &format!("crates/control/src/laws/{law}")),
        ],
        (
            "crates/model/src/scene/robot/firmware.rs",
            "thruster_depth_hold: ",
        ),
        ("macro_rules! each_control_law", "        }\n    };"),
    );
}

/// Builds the workspace `copy`, runs the world of the new `addition` for some `seconds`, and returns
/// the recorded bag.
fn record_world(copy: &Path, addition: &str, seconds: &str) -> Vec<u8> {
    let run = copy.join(addition);
    let (world, bag) = (run.join("world.yaml"), run.join("run.mcap"));
    std::fs::create_dir(&run).unwrap();
    std::fs::write(
        &world,
        text(&format!("docs/examples/{addition}/world.yaml")),
    )
    .unwrap();
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/add_sensor");
    let done = Command::new(env!("CARGO"))
        .args(["run", "--locked", "--bin", "merrow", "--", "run"])
        .arg(&world)
        .args(["--no-ros", "--pace", "max", "--for", seconds, "--record"])
        .arg(&bag)
        .current_dir(copy)
        .env("CARGO_TARGET_DIR", target)
        .env_remove("RUSTC_BOOTSTRAP")
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    std::fs::read(&bag).unwrap()
}

// The force, the controller and the sensor of docs/guides/extending.md become part of Merrow with the
// changes that the page lists. Method: the changes in a copy of the workspace, which is built and runs
// a body that is pitched by 30 degrees, one whose buoyancy of 20 N stretches its mooring of 40 N/m by
// 0.5 m, and one whose weight of 10 N lowers it by 0.5 m under a depth hold of 20 N/m. Tolerance:
// 1e-9 rad and 1e-9 m, rounding.
#[test]
#[ignore = "builds Merrow again: test/run slow"]
fn the_additions_of_docs_act() {
    let folder = Folder::new("additions", &[]);
    let copy = &folder.0;
    copy_workspace(copy);
    add_sensor_of_docs(copy);
    add_force_and_controller_of_docs(copy);
    let has_number = |bytes: &[u8], expected: f64| {
        let number = |w: &[u8]| f64::from_le_bytes(w.try_into().unwrap());
        bytes
            .windows(8)
            .any(|w| (number(w) - expected).abs() < 1e-9)
    };
    let bytes = record_world(copy, "add_sensor", "1");
    let contains = |word: &[u8]| bytes.windows(word.len()).any(|w| w == word);
    assert!(contains(b"/buoy/tilt/angle") && contains(b"std_msgs/msg/Float64"));
    assert!(has_number(&bytes, f64::to_radians(30.0)));
    assert!(has_number(&record_world(copy, "add_force", "20"), -4.5));
    assert!(has_number(
        &record_world(copy, "add_controller", "40"),
        -10.5
    ));
}

#[test]
fn the_hulls_of_docs_load() {
    let blocks = blocks_of(&text("docs/reference/hulls.md"), "yaml");
    let boat =
        load_text("boat.yaml", &blocks[0], Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    assert!(boat.scene.robots[0].links[0].hull_mesh.is_some());
    let body = "robots:
  cat:
    model:
      source: test
      body:
        source: test
        axes: flu
        mass_kg: 100
        inertia_kg_m2: {xx: 50, yy: 50, zz: 50}
";
    let cat = load_text(
        "cat.yaml",
        &(body.to_string() + &blocks[1]),
        Overrides::default(),
    );
    let cat = cat.unwrap_or_else(|p| panic!("{p}"));
    let volume = 2.0 * 0.25 * 0.2 + std::f64::consts::PI * 0.12 * 0.12 * 2.0;
    assert!((cat.scene.robots[0].links[0].volume_m3 - volume).abs() < 1e-12);
    let level = format!("{}robots: {{}}\n", blocks[3]);
    let level =
        load_text("level.yaml", &level, Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    assert!(level.scene.sea.waves.tide.is_some());
}

#[test]
fn the_lasers_of_docs_load() {
    let text = blocks_of(&text("docs/reference/lasers.md"), "yaml").remove(0);
    let world =
        load_text("quay.yaml", &text, Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    let exteroceptive = world.scene.robots[0]
        .sensors
        .iter()
        .filter(|s| s.kind.exteroceptive().is_some());
    assert_eq!(exteroceptive.count(), 2);
}

#[test]
fn the_instruments_of_docs_load() {
    let blocks = blocks_of(&text("docs/reference/instruments.md"), "yaml");
    let world = load_text("survey.yaml", &blocks[0], Overrides::default())
        .unwrap_or_else(|p| panic!("{p}"));
    let kinds = |robot: usize| -> Vec<&str> {
        world.scene.robots[robot]
            .sensors
            .iter()
            .map(|s| s.kind.name())
            .collect()
    };
    let own = [
        "ctd",
        "probe",
        "water_sampler",
        "leak_detector",
        "motor_telemetry",
        "power_meter",
    ];
    assert!(
        own.iter().all(|kind| kinds(0).contains(kind)),
        "{:?}",
        kinds(0)
    );
    assert_eq!(kinds(1), ["anemometer", "anemometer", "barometer"]);
    let probe = blocks[1].trim().trim_start_matches("device: ");
    let body = "body: {source: x, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}";
    let oxygen = format!(
        "water: {{tracers: {{oxygen: {{unit: umol/l, profile: [[0, 280]]}}}}}}\nrobots: {{r: {{model: {{source: x, {body}, sensors: {{o: {{device: {probe}}}}}}}}}}}\n"
    );
    load_text("oxygen.yaml", &oxygen, Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
}

#[test]
fn the_autopilots_of_docs_load() {
    let blocks = blocks_of(&text("docs/guides/autopilots.md"), "yaml");
    let robots = blocks.iter().map(|block| {
        let mut world =
            load_text("sea.yaml", block, Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
        assert_eq!(world.scene.robots.len(), 1, "{block}");
        world.scene.robots.remove(0)
    });
    let robots: Vec<_> = robots.collect();
    assert_eq!(robots.len(), 5);
    let links = robots.iter().map(|robot| robot.autopilot.as_ref());
    let enabled = links.map(|link| link.filter(|l| l.enabled).map(|l| (l.kind, l.port)));
    let expected = [
        Some((AutopilotKind::ArduPilot, 9032)),
        Some((AutopilotKind::ArduPilot, 9002)),
        Some((AutopilotKind::ArduPilot, 9002)),
        Some((AutopilotKind::Px4, 4560)),
        None,
    ];
    assert_eq!(enabled.collect::<Vec<_>>(), expected);
    let outputs = &robots[1].autopilot.as_ref().unwrap().outputs;
    let lights = outputs.iter().find(|output| output.channel == 8).unwrap();
    assert!(matches!(lights.device, ServoDevice::Load(_)));
    let outputs = &robots[2].autopilot.as_ref().unwrap().outputs;
    let jaw = outputs.iter().find(|output| output.channel == 9).unwrap();
    assert_eq!(jaw.device, ServoDevice::Joint(0));
    let ground = robots[4].mavlink.unwrap();
    assert_eq!(ground.address.to_string(), "127.0.0.1:14550");
}

/// Each parameter file of ArduPilot is in the table of the robots, whose robots have autopilots.
#[test]
fn parameter_files_of_autopilots_are_documented() {
    let page = text("docs/guides/autopilots.md");
    let rows = page
        .lines()
        .filter(|line| line.contains("`sim_vehicle.py -v"));
    let rows: Vec<&str> = rows.filter(|line| line.starts_with("| `")).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/ardupilot");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("`{}`", path.file_name().unwrap().display());
        assert!(rows.iter().any(|row| row.contains(&name)), "{name}");
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_value = words.len() == 2 && words[1].parse::<f64>().is_ok();
            assert!(line.starts_with('#') || is_value, "{name}: {line}");
        }
    }
    for row in &rows {
        let robots = row.split('|').nth(1).unwrap().split(',');
        for robot in robots.map(|name| name.trim().trim_matches('`')) {
            let world = format!("robots: {{r: {{model: {robot}}}}}");
            let world = load_text("robot.yaml", &world, Overrides::default());
            let world = world.unwrap_or_else(|p| panic!("{p}"));
            assert!(world.scene.robots[0].autopilot.is_some(), "{robot}");
        }
    }
    assert!(rows.len() >= 5, "{rows:?}");
}

#[test]
fn the_navigation_of_docs_loads() {
    let text = blocks_of(&text("docs/reference/navigation.md"), "yaml").remove(0);
    let world =
        load_text("survey.yaml", &text, Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    assert_eq!(
        (
            world.scene.robots[0].sensors.len(),
            world.scene.faults.len()
        ),
        (6, 2)
    );
}

#[test]
fn the_positioning_of_docs_loads() {
    let blocks = blocks_of(&text("docs/reference/positioning.md"), "yaml");
    let world = load_text("positioning.yaml", &blocks[0], Overrides::default())
        .unwrap_or_else(|p| panic!("{p}"));
    let scene = world.scene;
    let exteroceptive = scene
        .robots
        .iter()
        .flat_map(|r| &r.sensors)
        .filter(|s| s.kind.exteroceptive().is_some());
    assert_eq!(
        (
            exteroceptive.count(),
            scene.beacons.len(),
            scene.obstacles.len(),
            scene.ais.len()
        ),
        (7, 3, 1, 1)
    );
    let world =
        load_text("mine.yaml", &blocks[1], Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    assert!(
        world.scene.robots[0]
            .sensors
            .iter()
            .any(|s| s.kind.name() == "radar")
    );
}

// The minimal world of docs/reference/communication.md works. Method: its depth bridge delivers a message to
// the boat, and the next bridge delivers it to the shore, within 20 s.
#[test]
fn the_modems_of_docs_communicate() {
    let block = blocks_of(&text("docs/reference/communication.md"), "yaml").remove(0);
    let world =
        load_text("fleet.yaml", &block, Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    assert_eq!(merrow::modem::bridges::check(&world), Ok(()));
    let scene = std::sync::Arc::new(world.scene);
    let mut simulation = merrow_sim::Simulation::new(std::sync::Arc::clone(&scene), 1).unwrap();
    merrow::publisher::connect_bridges(&mut simulation);
    simulation.advance(20_000_000_000 / scene.dt_ns);
    let output = &simulation.network_output;
    let arrived = output.deliveries.iter().filter_map(|delivery| {
        merrow_sim::bridged_message(&scene, delivery, output.payload(delivery))
    });
    let bridges: BTreeSet<usize> = arrived.map(|(bridge, ..)| bridge).collect();
    assert_eq!(bridges, BTreeSet::from([0, 1]));
}

#[test]
fn the_regions_of_docs_load() {
    let block = blocks_of(&text("docs/reference/water.md"), "yaml")
        .into_iter()
        .find(|b| b.contains("regions:"))
        .unwrap();
    let world = load_text(
        "regions.yaml",
        &format!("{block}robots: {{}}\n"),
        Overrides::default(),
    );
    let sea = world.unwrap_or_else(|p| panic!("{p}")).scene.sea;
    assert_eq!((sea.regions.len(), sea.waves.regions.is_some()), (4, true));
}

// `merrow list` lists every bundled world. Method: its name and the description of its file.
#[test]
fn bundled_worlds_are_listed() {
    let list = Command::new(env!("CARGO_BIN_EXE_merrow"))
        .arg("list")
        .output();
    let list = String::from_utf8(list.unwrap().stdout).unwrap();
    let rows: Vec<(&str, &str)> = list
        .lines()
        .filter_map(|line| line.trim_start().split_once(' '))
        .map(|(name, about)| (name, about.trim_start()))
        .collect();
    let mut count = 0;
    for name in merrow_world::data_dir::file_names("worlds") {
        let world = text(&format!("worlds/{name}.yaml"));
        let description = world
            .lines()
            .find_map(|line| line.strip_prefix("description: "))
            .unwrap_or_else(|| panic!("{name}: no description"));
        let row = (name.as_str(), description.trim_matches('"'));
        assert!(rows.contains(&row), "merrow list: expected {row:?}");
        count += 1;
    }
    assert!(count > 30, "{count}");
}

// Every package of a type is installed with Merrow, because the native backend reads types from it.
// A package that a launch file starts on request is not: the page names it. Method: the folders of
// interface files, which have the names of the packages, in the `package.xml` of the simulator.
#[test]
fn packages_of_types_and_launch_files_are_named() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let modules = std::fs::read_dir(root.join("crates/ros2/interfaces")).unwrap();
    let mut missing = Vec::new();
    let manifest = text("ros/merrow/package.xml");
    let page = text("docs/guides/deployment.md");
    let mut packages = 0;
    for module in modules {
        let package = module.unwrap().file_name().into_string().unwrap();
        // variants of packages; the RMW contains `rmw_dds_common`
        if package.ends_with("_msgs") || package.ends_with("_interfaces") {
            packages += 1;
            if !manifest.contains(&format!("depend>{package}</")) {
                missing.push(package);
            }
        }
    }
    for file in ["sim.launch.py", "uvms_control.launch.py"] {
        let launch = text(&format!("ros/merrow_bringup/launch/{file}"));
        for part in launch.split("package=\"").skip(1) {
            let package = part.split('"').next().unwrap_or_default();
            if package != "merrow" && !page.contains(&format!("`{package}`")) {
                missing.push(package.to_owned());
            }
        }
    }
    assert!(
        missing.is_empty() && packages > 15,
        "{packages}: {missing:?}"
    );
}

// The world with another valley, generated by the commands of the page.
#[test]
fn the_river_of_docs_loads() {
    let folder = Folder::new("docs_river", &[]);
    let valley = folder.0.join("my_valley");
    std::fs::create_dir(&valley).unwrap();
    for (name, bytes) in
        merrow_scenery::river::files::river_files(&merrow_scenery::river::River::new(7))
    {
        std::fs::write(valley.join(name), bytes).unwrap();
    }
    let text = blocks_of(&text("docs/reference/riverwatch.md"), "yaml").remove(0);
    let name = folder.0.join("mine.yaml");
    let world = load_text(&name.to_string_lossy(), &text, Overrides::default())
        .unwrap_or_else(|p| panic!("{p}"));
    assert_eq!(
        (world.scene.robots.len(), world.scene.structures.len()),
        (9, 59)
    );
}

#[test]
fn errors_are_reported_as_shown() {
    // The page shows the messages for a rate in the wrong unit and a misspelt model.
    let broken = lake()
        .replace("rate_hz: 5", "rate_khz: 5")
        .replace("bluerov2_heavy", "bluerov2_hevy");
    let page = "docs/reference/world_file.md";
    let shown = blocks_of(&text(page), "text")
        .into_iter()
        .find(|b| b.starts_with("lake.yaml:"))
        .unwrap();
    let problems = load_text("lake.yaml", &broken, Overrides::default())
        .unwrap_err()
        .to_string();
    // The searched folders depend on the installation of Merrow.
    for line in shown.lines() {
        let (start, end) = line.split_once(" ... ").unwrap_or((line, ""));
        let found = problems
            .lines()
            .any(|l| l.starts_with(start) && l.ends_with(end));
        assert!(found, "{page} shows {line:?}, the loader says\n{problems}");
    }
}

/// Text in the comment of a command that only the slow suite runs.
const SLOW: &str = "(slow";
/// Text in the comment of a command that another test of the slow suite runs.
const TESTED: &str = "(test/";

/// Start of the commands of the studies.
const STUDIES: &str = "cargo run --release -p merrow-studies -- ";

/// Writes the files of a page to `folder`, runs its commands there, either the slow or the other
/// commands, and returns their number.
fn run_commands(page: &Path, folder: &Path, slow: bool) -> usize {
    let mut n = 0;
    let page_text = std::fs::read_to_string(page).unwrap();
    let page = page.display();
    let blocks = tutorials::blocks(&page_text).unwrap_or_else(|problem| panic!("{page}:{problem}"));
    let mut lines = Vec::new();
    for block in &blocks {
        match &block.title {
            Some(name) => tutorials::write_file(block, name, folder),
            None if block.language == "sh" => lines.extend(block.text.lines()),
            None => {}
        }
    }
    for line in lines {
        let (command, comment) = line.split_once('#').unwrap_or((line, ""));
        let command = command.split('>').next().unwrap_or_default().trim();
        let merrow = Path::new(env!("CARGO_BIN_EXE_merrow"));
        let (program, arguments) = if let Some(arguments) = command.strip_prefix("merrow ") {
            (merrow.to_path_buf(), arguments)
        } else if let Some(arguments) = command.strip_prefix(STUDIES) {
            // `cargo test --workspace` builds it beside the simulator
            (merrow.with_file_name("merrow-studies"), arguments)
        } else {
            continue;
        };
        if comment.contains(SLOW) != slow || comment.contains(TESTED) {
            continue;
        }
        let mut arguments: Vec<&str> = arguments.split_whitespace().collect();
        if arguments[0] == "run" {
            // As shown, but short, fast and without network.
            let keep_pace = arguments.contains(&"--pace");
            if let Some(k) = arguments.iter().position(|a| *a == "--for") {
                arguments.drain(k..k + 2);
            }
            arguments.retain(|a| *a != "--no-ros");
            arguments.extend(["--for", "1", "--no-ros"]);
            if !keep_pace {
                arguments.extend(["--pace", "max"]);
            }
        }
        if arguments[0] == "replay" {
            // without the page, which ends with a signal
            arguments.push("--check");
        }
        let start = Instant::now();
        let output = Command::new(&program)
            .args(&arguments)
            .current_dir(folder)
            .output()
            .unwrap_or_else(|e| panic!("{}: {e}", program.display()));
        let seconds = start.elapsed().as_secs_f64();
        println!("{seconds:6.1} s  {command}");
        assert!(
            output.status.success(),
            "{page}: {command}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        n += 1;
    }
    n
}

/// Runs the commands of all documents in docs/ except the tutorials, each in a folder that contains
/// the test data of the repository at its usual path. The documents are run concurrently.
fn run_docs(slow: bool) -> usize {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let run = |path: &PathBuf| {
        let folder = Folder::new(if slow { "docs_slow" } else { "docs" }, &[]);
        for name in ["test", "studies"] {
            std::os::unix::fs::symlink(root.join(name), folder.0.join(name)).unwrap();
        }
        // the folders of the images of docs/reference/sensors.md and docs/explanation/gallery.md
        for images in ["sensors", "gallery"] {
            std::fs::create_dir(folder.0.join(images)).unwrap();
        }
        run_commands(path, &folder.0, slow)
    };
    let tutorials = root.join("docs/tutorials");
    let mut pages = pages_of_docs();
    pages.retain(|path| !path.starts_with(&tutorials));
    pages.par_iter().map(run).sum()
}

#[test]
fn the_commands_of_docs_work() {
    let n = run_docs(false);
    assert!(n >= 3, "docs/ shows only {n} commands");
}

#[test]
#[ignore = "takes a minute: test/run slow"]
fn the_slow_commands_of_docs_work() {
    let n = run_docs(true);
    assert!(n >= 1, "docs/ shows no command that is marked as slow");
}

/// A command in a code block without a language, or of another language, would not be run.
#[test]
fn commands_are_in_shell_blocks() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for path in pages_of_docs().into_iter().chain([root.join("README.md")]) {
        let text = std::fs::read_to_string(&path).unwrap();
        let blocks = tutorials::blocks(&text)
            .unwrap_or_else(|problem| panic!("{}:{problem}", path.display()));
        for block in blocks {
            let is_run = block.title.is_some() || ["sh", "text"].contains(&&*block.language);
            let has_command = block.text.lines().any(|line| line.starts_with("merrow "));
            assert!(
                is_run || !has_command,
                "{}:{}: a command in a block that is not ```sh",
                path.display(),
                block.line
            );
        }
    }
}

#[test]
fn the_imported_robot_of_docs_loads() {
    let world = blocks_of(&text("docs/guides/urdf.md"), "yaml").remove(0);
    let urdf = "<robot name='cat'><link name='base_link'><inertial><mass value='100'/>
<inertia ixx='50' iyy='50' izz='50'/></inertial><collision><geometry><box size='1 1 1'/></geometry></collision>
</link></robot>";
    let files = [("w.yaml", world.as_str()), ("my_robot/cat.urdf", urdf)];
    let folder = Folder::new("imported_robot", &files);
    let world = merrow_world::load_world(&folder.0.join("w.yaml"), Overrides::default());
    let world = world.unwrap_or_else(|p| panic!("{p}"));
    assert!((world.scene.robots[0].links[0].volume_m3 * 1025.0 - 100.0).abs() < 1e-9);
}

#[test]
fn shipped_urdf_matches_the_models() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("urdf");
    for name in merrow_world::data_dir::file_names("params/robots") {
        let text = format!("robots: {{{name}: {{model: {name}}}}}");
        let world =
            load_text("urdf.yaml", &text, Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
        let path = folder.join(format!("{name}.urdf"));
        let urdf = merrow_messages::urdf::urdf(&world.scene.robots[0]);
        if std::env::var_os("MERROW_BLESS").is_some() {
            std::fs::write(&path, &urdf).unwrap();
        }
        let shipped = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            shipped == urdf,
            "urdf/{name}.urdf is out of date; run MERROW_BLESS=1 cargo test urdf to regenerate it"
        );
    }
}

/// As with `merrow describe pool | head -1`.
#[test]
fn closed_pipe_is_not_an_error() {
    for command in ["describe", "list", "run"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut merrow = Command::new(env!("CARGO_BIN_EXE_merrow"));
        merrow.arg(command).stdout(writer);
        match command {
            "describe" => merrow.arg("pool"),
            "run" => merrow.args(["pool", "--no-ros", "--pace", "max", "--for", "0.1"]),
            _ => &mut merrow,
        };
        let done = merrow.output().unwrap();
        let printed = String::from_utf8_lossy(&done.stderr);
        assert!(
            done.status.success() && !printed.contains("panicked"),
            "{command}: {:?}\n{printed}",
            done.status
        );
    }
}

/// Returns the image of `merrow snapshot`: columns, the RGB or grey values row by row, and its
/// legend; or the error message.
fn snapshot_image(folder: &Folder, arguments: &[&str]) -> Result<(usize, Vec<u8>, String), String> {
    let file = folder.0.join("s.png");
    let mut merrow = Command::new(env!("CARGO_BIN_EXE_merrow"));
    let done = merrow
        .arg("snapshot")
        .args(arguments)
        .arg("-o")
        .arg(&file)
        .output()
        .unwrap();
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).trim().to_owned());
    }
    let mut reader = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(file).unwrap()))
        .read_info()
        .unwrap();
    let mut numbers = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut numbers).unwrap();
    Ok((
        info.width as usize,
        numbers,
        String::from_utf8_lossy(&done.stdout).into_owned(),
    ))
}

/// Returns the mean of all pixel values; 0 is black.
fn snapshot(folder: &Folder, arguments: &[&str]) -> Result<f64, String> {
    let (_, numbers, _) = snapshot_image(folder, arguments)?;
    Ok(numbers.iter().map(|n| f64::from(*n)).sum::<f64>() / numbers.len() as f64)
}

/// A view is lit as at the requested time, a sonar and a radar give an image, scalar sensors give
/// plots, and an unknown sensor is reported with the available sensors.
#[test]
fn snapshots_show_the_requested_image() {
    let folder = Folder::new("snapshots", &[]);
    let at = |time| snapshot(&folder, &["pool", "--view", "--time-of-day", time]).unwrap();
    let (noon, midnight) = (at("12:00"), at("00:00"));
    assert!(
        noon > 2.0 * midnight,
        "{noon} at noon, {midnight} at midnight"
    );
    let of = |sensor| snapshot(&folder, &["sonar", "--robot", "rov", "--sensor", sensor]);
    assert!(of("sonar").unwrap() > 1.0);
    assert!(
        snapshot(
            &folder,
            &["positioning", "--robot", "boat", "--sensor", "radar"]
        )
        .unwrap()
            > 1.0
    );
    // Plots are SVG.
    let printed = of("imu").expect_err("not an image");
    assert!(
        printed.contains("expected a file name that ends in .svg"),
        "{printed}"
    );
    let printed = of("camera").expect_err("there is none");
    assert!(
        printed.starts_with("merrow: no sensor \"camera\"; expected one of `imu`, `dvl`, "),
        "{printed}"
    );
}

/// Arguments that are wrong or do not apply are reported.
#[test]
fn snapshot_arguments_are_checked() {
    let folder = Folder::new("snapshot_arguments", &[]);
    for (arguments, part) in [
        (
            &["pool", "--view", "--from", "1,x,2,3"][..],
            "expected three numbers such as 1,2,3, found 1,x,2,3",
        ),
        (
            &["pool", "--view", "--time-of-day", "a:14:30"],
            "expected a time from 00:00 to 23:59, found a:14:30",
        ),
        (
            &[
                "sonar", "--robot", "rov", "--sensor", "sonar", "--from", "1,2,3",
            ],
            "--view",
        ),
        (
            &[
                "sonar", "--robot", "rov", "--sensor", "sonar", "--show", "depth",
            ],
            "--show depth applies to cameras",
        ),
        (
            &[
                "sonar", "--robot", "rov", "--sensor", "imu", "--show", "depth",
            ],
            "--show depth applies to cameras",
        ),
        (
            &[
                "sonar",
                "--robot",
                "rov",
                "--sensor",
                "side",
                "--time-of-day",
                "10:00",
            ],
            "--time-of-day applies to cameras and views",
        ),
    ] {
        let printed = snapshot(&folder, arguments).expect_err(part);
        assert!(printed.contains(part), "{arguments:?}: {printed}");
    }
}

/// An output file that cannot be written is reported before a simulated week has passed.
#[test]
fn unwritable_snapshots_are_reported_first() {
    for (arguments, file, part) in [
        (
            &["pool", "--view"][..],
            "no_such_folder/s.png",
            "no_such_folder/s.png: no folder `no_such_folder`; create it or choose another file",
        ),
        (
            &["sonar", "--robot", "rov", "--sensor", "sonar"],
            "no_such_folder/s.png",
            "no_such_folder/s.png: no folder `no_such_folder`; create it or choose another file",
        ),
        (
            &["sonar", "--robot", "rov", "--sensor", "imu"],
            "no_such_folder/s.svg",
            "no_such_folder/s.svg: no folder `no_such_folder`; create it or choose another file",
        ),
        (
            &["pool", "--view"],
            "s.gif",
            "s.gif: expected a file name that ends in .png or .jpg or .jpeg",
        ),
        (
            &["sonar", "--robot", "rov", "--sensor", "sonar"],
            "s.gif",
            "s.gif: expected a file name that ends in .png or",
        ),
        (
            &["sonar", "--robot", "rov", "--sensor", "imu"],
            "s.gif",
            "s.gif: expected a file name that ends in .svg",
        ),
    ] {
        let mut merrow = Command::new(env!("CARGO_BIN_EXE_merrow"));
        let done = merrow
            .arg("snapshot")
            .args(arguments)
            .args(["--at", "604800", "-o", file])
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&done.stderr);
        assert!(
            !done.status.success() && printed.contains(part),
            "{printed}"
        );
    }
}

/// Returns the robot and the sensor of each image for which a page shows the command, with their
/// world.
fn imaged_kinds(page: &str) -> BTreeSet<&'static str> {
    let mut worlds = std::collections::BTreeMap::new();
    let mut kinds = BTreeSet::new();
    for line in blocks_of(page, "sh").iter().flat_map(|b| b.lines()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [
            "merrow",
            "snapshot",
            world,
            "--robot",
            robot,
            "--sensor",
            sensor,
            ..,
        ] = words[..]
        else {
            continue;
        };
        let scene = worlds.entry(world.to_string()).or_insert_with(|| {
            let path = merrow_world::data_dir::world_file(world);
            merrow_world::load_world(&path, Overrides::default())
                .unwrap_or_else(|p| panic!("{p}"))
                .scene
        });
        let robot = scene
            .robots
            .iter()
            .find(|r| r.name == robot)
            .unwrap_or_else(|| panic!("{line}"));
        let sensor = robot
            .sensors
            .iter()
            .find(|s| s.name == sensor)
            .unwrap_or_else(|| panic!("{line}"));
        kinds.insert(sensor.kind.name());
    }
    kinds
}

/// The world `every_sensor` has a sensor of every kind, and docs/reference/sensors.md shows an image of each,
/// except for the sampler, which has no output until it receives a command.
#[test]
fn every_sensor_has_an_image() {
    let path = merrow_world::data_dir::world_file("every_sensor");
    let scene = merrow_world::load_world(&path, Overrides::default())
        .unwrap_or_else(|p| panic!("{p}"))
        .scene;
    let sensors = scene.robots.iter().flat_map(|r| &r.sensors);
    let kinds: BTreeSet<&str> = sensors.map(|s| s.kind.name()).collect();
    // All kinds of the loader, as listed in the message for an unknown kind.
    let nonsense = "robots: {r: {model: {extends: robots/heron.yaml, sensors: {s: {device: {source: x, rate_hz: 1, kind: nonsense}}}}}}\n";
    let printed = load_text("w.yaml", nonsense, Overrides::default())
        .expect_err("no such kind")
        .to_string();
    let (_, list) = printed.split_once("expected one of ").expect("a list");
    let (list, _) = list.split_once(", found").expect("its end");
    let all: BTreeSet<&str> = list
        .split(", ")
        .map(|kind| kind.trim_matches('`'))
        .collect();
    assert_eq!(kinds, all);
    let page = text("docs/reference/sensors.md");
    let mut shown = imaged_kinds(&page);
    shown.insert("water_sampler");
    assert_eq!(shown, all);
}

/// Every image of docs exists, and a page shows the command that creates it.
#[test]
fn every_image_of_docs_can_be_regenerated() {
    let figures = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/figures");
    let pages: Vec<String> = pages_of_docs()
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let commands: Vec<String> = pages
        .iter()
        .flat_map(|page| blocks_of(page, "sh"))
        .collect();
    for image in pages
        .iter()
        .flat_map(|page| page.split("](").skip(1))
        .filter_map(|rest| rest.split(')').next()?.strip_prefix("../figures/"))
    {
        let is_taken = [".png", ".jpg"].iter().any(|end| image.ends_with(end))
            || image.starts_with("sensors/");
        if is_taken {
            assert!(
                figures.join(image).exists(),
                "{image} is missing: python3 docs/render_images"
            );
            let is_shown = commands
                .iter()
                .any(|block| block.contains(&format!("-o {image}")))
                || pages
                    .iter()
                    .any(|page| page.contains(&format!("--image docs/figures/{image}")));
            assert!(is_shown, "no command of docs creates {image}");
        }
    }
}

const OBSTACLE_WORLD: &str = "
step: {dt_s: 0.01}
seabed: {depth_m: 30}
structures:
  pillar: {position_m: [10, 0, 1], shapes: {s: {kind: box, size_m: [2, 2, 6]}}}
  wall: {position_m: [0, 21, 1], shapes: {s: {kind: box, size_m: [80, 2, 6]}}}
  slab: {position_m: [-2, -8, -25], shapes: {s: {kind: box, size_m: [4, 2, 10]}}}
robots:
  eye:
    position_m: [0, 0, 2]
    model:
      source: test
      base: fixed
      body: {source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}
      sensors:
        lidar: {device: velodyne_vlp16}
        laser: {device: hokuyo_utm30lx}
        nod: {device: hokuyo_utm30lx_tilting}
  fish:
    position_m: [-8, 0, -20]
    velocity_m_s: [2, 0, 0]
    model:
      source: test
      body: {source: test, axes: flu, mass_kg: 10, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}, net_buoyancy_n: 0}
      sensors:
        side: {device: {extends: sensors/starfish_450f.yaml, max_range_m: 30, bins: 300, rate_hz: 10}}
        swath: {device: {extends: sensors/norbit_wbms.yaml, max_range_m: 30, bins: 300, rate_hz: 10}}
";

/// Objects appear at their positions in laser images: a pillar whose visible face is 2 m wide and 9
/// m ahead, and a wall 20 m to port.
#[test]
fn laser_snapshots_show_objects_at_their_positions() {
    let folder = Folder::new("laser_images", &[("w.yaml", OBSTACLE_WORLD)]);
    let world = folder.0.join("w.yaml");
    let of = |sensor: &str, at: &str| {
        let world = world.to_string_lossy();
        snapshot_image(
            &folder,
            &[&world, "--robot", "eye", "--sensor", sensor, "--at", at],
        )
        .unwrap()
    };
    let color = |(width, rgb, _): &(usize, Vec<u8>, String), column: f64, row: f64| {
        let at = 3 * (row as usize * width + column as usize);
        [rgb[at], rgb[at + 1], rgb[at + 2]]
    };
    let is_lit = |[r, g, b]: [u8; 3]| !(r == g && g == b);
    let found = of("lidar", "0");
    assert_eq!(
        (found.0, found.1.len()),
        (1024, 3 * 1024 * (192 + 6 + 640)),
        "{}",
        found.2
    );
    // Rings of 2 degrees from -15 degrees: the eighth and ninth are level; 12 rows each.
    let row = 7.5 * 12.0;
    let column = |degrees: f64| 1024.0 * (0.5 - degrees / 360.0);
    let (ahead, port) = (
        color(&found, column(0.0), row),
        color(&found, column(90.0), row),
    );
    assert!(is_lit(ahead) && is_lit(port) && !is_lit(color(&found, column(-90.0), row)));
    // Close echoes are bright.
    assert!(
        ahead.iter().map(|c| u32::from(*c)).sum::<u32>()
            > port.iter().map(|c| u32::from(*c)).sum::<u32>()
    );
    // The face ends 6.3 degrees to either side.
    for side in [-1.0, 1.0] {
        assert!(
            is_lit(color(&found, column(5.5 * side), row))
                && !is_lit(color(&found, column(-7.5), row))
        );
    }
    let plan = of("laser", "0");
    assert_eq!(plan.1.len(), 3 * 1024 * 640);
    // Straight ahead the first bright pixel is the face; circles give the number of pixels per
    // metre.
    let lit: Vec<usize> = (0..320)
        .filter(|row| is_lit(color(&plan, 512.0, *row as f64)))
        .collect();
    let of_port = (0..512)
        .filter(|c| is_lit(color(&plan, *c as f64, 319.0)))
        .collect::<Vec<_>>();
    let (face, wall) = (320.0 - lit[0] as f64, 512.0 - of_port[0] as f64);
    assert!((wall / face - 20.0 / 9.0).abs() < 0.05, "{wall} {face}");
    // Half a tilt cycle of two seconds: the pillar from its foot to its top, in the side view.
    let nod = of("nod", "3");
    let side = 640 + 6;
    assert_eq!(nod.1.len(), 3 * 1024 * (side + 256));
    let rows = (side..side + 256)
        .filter(|row| (0..1024).any(|c| is_lit(color(&nod, c as f64, *row as f64))));
    assert!(rows.count() > 100);
}

/// The image of a side-scan sonar or multibeam has one line for each ping up to its time, the
/// newest on top, with a slab where it was passed.
#[test]
fn sonar_snapshots_are_waterfalls() {
    let folder = Folder::new("waterfalls", &[("w.yaml", OBSTACLE_WORLD)]);
    let world = folder.0.join("w.yaml");
    let of = |sensor: &str| {
        let world = world.to_string_lossy();
        snapshot_image(
            &folder,
            &[&world, "--robot", "fish", "--sensor", sensor, "--at", "6"],
        )
        .unwrap()
    };
    let (width, grey, _) = of("side");
    assert_eq!((width, grey.len()), (600, 600 * 512));
    let line = |row: usize| &grey[row * width..(row + 1) * width];
    let dark = |row: usize| line(row).iter().all(|p| *p == 0);
    let lines = (0..512).take_while(|row| !dark(*row)).count();
    assert!((57..=61).contains(&lines), "{lines} lines of 6 s at 10 Hz");
    assert!((lines..512).all(dark));
    // The slab from x = -4 to 0 to starboard was passed from 2 to 4 s: 20 to 40 lines down; beyond
    // it is a shadow.
    let shadow = |row: usize| {
        let beyond = &line(row)[300 + 150..300 + 250];
        beyond.iter().map(|p| f64::from(*p)).sum::<f64>() / 100.0
    };
    let mean =
        |rows: std::ops::Range<usize>| rows.clone().map(shadow).sum::<f64>() / rows.len() as f64;
    assert!(
        mean(24..36) < 0.5 * mean(2..14),
        "{} {}",
        mean(24..36),
        mean(2..14)
    );
    assert!(mean(24..36) < 0.5 * mean(46..55));
    let (width, rgb, printed) = of("swath");
    assert_eq!((width, rgb.len()), (1024, 3 * 1024 * 512), "{printed}");
    let at = |column: usize, row: usize| &rgb[3 * (row * width + column)..][..3];
    assert!(at(512, 10) != [0, 0, 0] && at(512, 200) == [0, 0, 0]);
    // 7 m to starboard there is a face that is 10 m high, without echoes beyond it.
    let of = |row: usize| (0..width).filter(|c| at(*c, row) != [0, 0, 0]).count();
    assert!(
        of(5) > 1000 && of(50) > 1000 && (600..720).contains(&of(30)),
        "{} {} {}",
        of(5),
        of(50),
        of(30)
    );
    let high = (0..width)
        .rfind(|c| u32::from(at(*c, 30)[0]) + u32::from(at(*c, 30)[1]) > 100)
        .expect("the face");
    let metre = 0.49 * 1024.0
        / printed
            .split("; ")
            .nth(1)
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
            .parse::<f64>()
            .unwrap();
    assert!(
        (high as f64 - 512.0 - 7.0 * metre).abs() < metre,
        "{high}, {metre} a metre: {printed}"
    );
}

// Docs/profiles.md lists the services of the profiles. Method: names and types of its table
// compared with the services that a world has with a profile only.
#[test]
fn services_of_profiles_are_documented() {
    let page = text("docs/guides/profiles.md");
    let rows: BTreeSet<String> = page
        .lines()
        .filter(|line| line.contains("/srv/"))
        .map(str::to_string)
        .collect();
    let mut found = BTreeSet::new();
    let services = |profile| {
        let overrides = Overrides {
            profile,
            ..Overrides::default()
        };
        let text = "robots: {rov: {model: bluerov2_heavy}}";
        let scene = load_text("w.yaml", text, overrides).unwrap().scene;
        names(&scene)
    };
    let without: BTreeSet<String> = services(None).into_iter().map(|(name, _)| name).collect();
    for profile in [Profile::Plankton, Profile::Stonefish] {
        let with = services(Some(profile)).into_iter();
        for (name, service) in with.filter(|(name, _)| !without.contains(name)) {
            let number = name
                .split("id_")
                .nth(1)
                .and_then(|rest| rest.split('/').next());
            let name = match number {
                Some(number) => name.replace(&format!("id_{number}"), "id_<n>"),
                None => name,
            };
            let name = format!(
                "/{}",
                name.replace("rov/", "<robot>/").trim_start_matches('/')
            );
            found.insert(format!("| `{name}` | `{service}` |"));
        }
    }
    assert_eq!(found.len(), rows.len(), "{found:#?}");
    for row in &found {
        assert!(rows.iter().any(|line| line.contains(row)), "{row}");
    }
}

/// Returns the rows of the topics that a robot has with a profile and not without it: topic, type,
/// direction.
fn profile_rows(world: &str, profile: Option<Profile>) -> BTreeSet<String> {
    let overrides = Overrides {
        profile,
        ..Overrides::default()
    };
    let mut scene = load_text("profiles.yaml", world, overrides)
        .unwrap_or_else(|p| panic!("{p}"))
        .scene;
    if profile.is_none() {
        scene.robots[0].profile = None;
    }
    let plan = Plan::new(&scene);
    let outputs = plan.outputs.iter().map(|o| (&o.topic, o.info, "published"));
    let inputs = plan
        .inputs
        .iter()
        .map(|i| (&i.topic, i.info, i.unit.as_str()));
    outputs
        .chain(inputs)
        .map(|(topic, info, use_)| {
            let name = if topic.starts_with('/') {
                topic.clone()
            } else {
                format!("/{topic}")
            };
            format!("| `{name}` | `{}` | {use_} |", info.name)
        })
        .collect()
}

/// Docs/profiles.md lists the topics of each profile. Method: the topics of the robot of the page
/// with the profile, without those that it has otherwise.
#[test]
fn tables_of_profiles_are_complete() {
    let page = text("docs/guides/profiles.md");
    let world = blocks_of(&page, "yaml").remove(0);
    let without = profile_rows(&world, None);
    for profile in Profile::ALL {
        let name = profile.keyword();
        let rows = profile_rows(&world, Some(profile));
        let new: Vec<&str> = rows.difference(&without).map(String::as_str).collect();
        assert!(!new.is_empty(), "{name} has no topics");
        let table = format!(
            "<!-- topics of {name} -->\n| topic | type | published, or unit of the command |\n| --- | --- | --- |\n{}\n",
            new.join("\n")
        );
        assert!(
            page.contains(&table),
            "docs/guides/profiles.md lacks\n{table}"
        );
    }
}

/// The experiment of docs/guides/experiments.md follows its schedule. Method: position and depth before
/// and after the entries, and the progress along the path. Tolerance: 0.1 m of the goal; the push
/// displaces the vehicle by more than 0.05 m.
#[test]
fn the_experiment_of_docs_follows_its_schedule() {
    let text = blocks_of(&text("docs/guides/experiments.md"), "yaml").remove(0);
    let world = load_text("experiment.yaml", &text, Overrides::default());
    let scene = world.unwrap_or_else(|p| panic!("{p}")).scene;
    let mut s = merrow_sim::Simulation::new(std::sync::Arc::new(scene), 1).unwrap();
    let mut at = |time_s: f64| {
        let ns = (time_s * 1e9) as u64 - s.time_ns();
        s.advance(ns / s.scene.dt_ns);
        (s.state.robots[0].motion.p_WB, s.state.scheduled)
    };
    let goal = merrow_math::Vec3::new(2.0, 0.0, -5.0);
    assert!((at(19.0).0 - goal).norm() < 0.1);
    assert!((at(29.9).0 - goal).norm() < 0.1);
    let (pushed, applied) = at(31.5);
    assert!((pushed - goal).norm() > 0.05, "{pushed:?}");
    assert_eq!(applied, 3);
    let (end, applied) = at(90.0);
    assert_eq!(applied, 5);
    let expected = merrow_math::Vec3::new(6.0, 4.0, -5.0);
    assert!((end - expected).norm() < 0.1, "{end:?}");
    assert!(s.schedule_rejections.is_empty());
    assert!(s.state.sea.air.to.wind.x > 11.9);
}

/// The actors of docs/guides/experiments.md move. Method: one minute; the end of the diver's route.
/// Tolerance: 0.1 m.
#[test]
fn the_actors_of_docs_move() {
    let text = blocks_of(&text("docs/guides/experiments.md"), "yaml").remove(1);
    let world = load_text("actors.yaml", &text, Overrides::default());
    let scene = world.unwrap_or_else(|p| panic!("{p}")).scene;
    let mut s = merrow_sim::Simulation::new(std::sync::Arc::new(scene), 1).unwrap();
    s.advance(60_000_000_000 / s.scene.dt_ns);
    let diver = s
        .scene
        .robots
        .iter()
        .position(|r| r.name == "diver")
        .unwrap();
    let p = s.state.robots[diver].motion.p_WB;
    let end = merrow_math::Vec3::new(20.0, -12.0, -4.0);
    assert!((p - end).norm() < 0.1, "{p:?}");
    assert!(s.state.robots.iter().all(|r| r.halted.is_none()));
}
