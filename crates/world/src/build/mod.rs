//! Conversion of a world file to a scene: rules that concern more than one key, and conversion to
//! SI units.

mod actor;
pub mod air;
pub mod comms;
mod computer;
pub mod coupling;
pub mod energy;
pub mod fault;
pub mod flow;
mod repair;
pub mod robot;
mod schedule;
pub mod sea;
pub mod task;
pub mod tether;
pub mod texture;
pub mod water;
pub mod waves;

use crate::build::repair::Repaired;
use crate::build::robot::collision;
use crate::context::{Context, SceneContext};
use crate::document::Document;
use crate::import::assets::Assets;
use crate::import::urdf;
use crate::keys::robot::{RepeatConfig, RobotModelConfig, StartConfig};
use crate::keys::{OriginConfig, RobotEntry, WorldConfig};
use crate::sensor::acoustic;
use crate::sensor::ais;
use crate::sensor::obstacle;
use crate::sensor::placement;
use crate::{ModelInfo, World};
use merrow_environment::magnetic_field::{VALIDITY, magnetic_field};
use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_model::scene::moos::Moos;
use merrow_model::scene::robot::profile::Profile;
use merrow_model::scene::{Origin, Scene};
use merrow_model::sensor::camera::has_labels;
use merrow_yaml::error::{Place, Problems, quote};
use merrow_yaml::node::Node;
use merrow_yaml::read;
use merrow_yaml::read::{Field, Read};
use std::cell::RefCell;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

/// Values of the world file that the command line overrides.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Values of keys, each as `PATH=VALUE`. The path is that of a key or of an element of a list
    /// after all files are read, such as `robots.rov.position_m[2]`, the value is YAML. They are set
    /// in this order, after all files are read. Relative names of files are names in the current
    /// folder.
    pub sets: Vec<String>,
    /// Seed that replaces the seed of the file.
    pub seed: Option<u64>,
    /// Profile of all robots, which replaces the profiles of the file.
    pub profile: Option<Profile>,
    /// True enables the autopilots of all robots.
    pub autopilots: bool,
    /// Address of a ground station to which all robots send MAVLink telemetry.
    pub mavlink: Option<SocketAddr>,
    /// Community of MOOS whose programs control the only robot, or the first one.
    pub moos: Option<Moos>,
}

/// Maximum number of robots in a world.
const MAX_ROBOTS: usize = 100_000;
/// Maximum number of robots and structures that labels of 16 bits can number in addition to
/// sky, bottom, open water and surface.
const MAX_LABELLED: usize = 65_532;

/// Loads the world file `path` and builds its scene.
///
/// # Errors
/// Returns all errors of the world file and its component files.
pub fn load(path: &Path, overrides: Overrides) -> Result<World, Problems> {
    Document::load(path, overrides).map(|(_, world)| world)
}

/// Returns the same as [`load`], for a world in memory; `name` is used as its path in messages.
///
/// # Errors
/// Returns all errors of the world and its component files.
pub fn load_text(name: &str, text: &str, overrides: Overrides) -> Result<World, Problems> {
    Document::from_text(name, text, overrides).map(|(_, world)| world)
}

/// Builds the world of a tree with resolved `extends`. Its modems keep the `addresses` of the
/// running world. Errors are added to `problems`.
pub(crate) fn build_checked(
    node: Option<Node>,
    name: &str,
    overrides: &Overrides,
    (assets, addresses): (&Assets, &comms::Addresses),
    problems: Problems,
) -> Result<World, Problems> {
    let problems = RefCell::new(problems);
    let cx = Context::new(&problems, assets, 1025.0);
    let node = node.map(|mut node| {
        urdf::expand_urdf_models(&mut node, cx);
        node
    });
    let file = node
        .as_ref()
        .and_then(|node| read::read_root::<WorldConfig>(node, &mut cx.problems()));
    let world = file.map(|file| build_world(&file, name, overrides, addresses, cx));
    if let (None, Some(node)) = (&world, &node) {
        check_readable_robots(node, cx);
        if let Some(repaired) = Repaired::new(node) {
            let found = RefCell::default();
            let of_repaired = Context::new(&found, assets, 1025.0);
            build_world(&repaired.file, name, overrides, addresses, of_repaired);
            repaired.add_references(&found.borrow(), cx);
        }
    }
    let notes = cx.problems().take_notes();
    problems
        .into_inner()
        .into_result(world.map(|world| World { notes, ..world }))
}

/// Builds the robots that could be read although the world as a whole could not, so that their
/// errors are reported in the same run. The time step may be unknown here, so sensor rates are not
/// checked against it.
fn check_readable_robots(node: &Node, cx: Context<'_>) {
    let robots = node.get("robots").and_then(Node::as_map);
    for (key, node) in robots.iter().flat_map(|robots| &robots.entries) {
        // Errors found while reading are already in `problems`.
        let entry = RobotEntry::read(node, &Field::new(&key.name, "", &[]), &mut Problems::new());
        if let Some(entry) = entry {
            robot::build_robot(&key.name, &entry, Vec3::zero(), cx);
        }
    }
}

/// Builds the scene of a world.
fn build_world(
    file: &WorldConfig,
    name: &str,
    overrides: &Overrides,
    addresses: &comms::Addresses,
    cx: Context<'_>,
) -> World {
    let tracers: Vec<_> = file
        .water
        .tracers
        .iter()
        .map(|(name, tracer)| (name.to_string(), tracer.unit.clone()))
        .collect();
    let mut scene = build_environment(file, name, cx);
    let cx = cx.with_scene(&file.step.at, &scene, &tracers);
    let models = add_robots_and_props(file, &mut scene, cx);
    if overrides.profile.is_some() {
        let robots = scene.robots.iter_mut();
        robots.for_each(|robot| robot.profile = overrides.profile);
    }
    if overrides.autopilots {
        let autopilots = scene
            .robots
            .iter_mut()
            .filter_map(|robot| robot.autopilot.as_mut());
        autopilots.for_each(|autopilot| autopilot.enabled = true);
    }
    if let (Some(moos), Some(robot)) = (&overrides.moos, scene.robots.first_mut()) {
        let own = robot.moos.take();
        let own = own.map_or(moos.clone(), |own| own.at_address_of(moos));
        robot.moos = Some(Box::new(own));
    }
    robot::autopilot::assign_ports(&mut scene.robots, &file.robots, cx);
    robot::moos::check_clients(&scene.robots, &file.robots, cx);
    robot::autopilot::assign_system_ids(&mut scene.robots, overrides.mavlink);
    for (name, structure) in file.structures.iter() {
        scene
            .structures
            .push(collision::build_structure(name, structure, cx));
    }
    check_names(file, cx.on(&scene));
    check_label_count(&file.at.whole, cx.on(&scene));
    add_tethers(file, &mut scene, cx);
    scene.couplings = coupling::build_couplings(&file.couplings, cx.on(&scene));
    scene.chargers = energy::build_chargers(&file.chargers, &file.couplings, cx.on(&scene));
    scene.beacons = acoustic::build_beacons(&file.beacons, cx.on(&scene));
    scene.modems = comms::build_modems(file, addresses, cx.on(&scene));
    let bridges = comms::build_bridges(&file.bridges, cx.on(&scene));
    let (bridge_topics, bridge_services);
    (scene.bridges, bridge_topics) = bridges.topics.into_iter().unzip();
    (scene.service_bridges, bridge_services) = bridges.services.into_iter().unzip();
    scene.faults = fault::build_faults(&file.faults, cx.on(&scene));
    scene.task = task::build_task(file, &models, cx.on(&scene));
    scene.schedule = schedule::build_schedule(&file.schedule, cx.on(&scene));
    scene.ais = ais::build_transponders(&file.ais, cx.on(&scene));
    acoustic::resolve_targets(&file.robots, &mut scene, cx);
    obstacle::resolve_detector_sensors(&file.robots, &mut scene, cx);
    check_magnetic_date(file, cx.on(&scene));
    // Placement can only be checked for a scene that was built without errors.
    if cx.problems().is_empty() {
        placement::check_placement(&file.robots, cx.on(&scene));
    }
    World {
        scene,
        models,
        parameters: file.parameters.0.clone(),
        bridge_topics,
        bridge_services,
        notes: Vec::new(),
        warnings: Vec::new(),
    }
}

/// Builds a scene with the environment of the world and without robots and structures.
fn build_environment(file: &WorldConfig, name: &str, cx: Context<'_>) -> Scene {
    let seed = file.seed;
    let longitude = file.origin.longitude_deg.to_radians();
    let start = air::StartTime::from_config(&file.weather, longitude, cx);
    let origin = build_origin(&file.origin, start.utc);
    let cx = Context { seed, origin, ..cx };
    let dt_ns = (file.step.dt_s * 1e9).round() as u64;
    let steps = (file.start_time_s * 1e9 / dt_ns.max(1) as f64).round() as u64;
    Scene {
        name: name.to_string(),
        seed,
        dt_ns,
        start_ns: steps * dt_ns,
        integrator: file.step.integrator,
        gravity: file.gravity_m_s2,
        sea: sea::build_sea(file, start, cx),
        origin,
        robots: Vec::new(),
        structures: Vec::new(),
        seabed_material: file.seabed.material,
        couplings: Vec::new(),
        tethers: Vec::new(),
        chargers: Vec::new(),
        faults: Vec::new(),
        schedule: Vec::new(),
        beacons: Vec::new(),
        modems: Vec::new(),
        bridges: Vec::new(),
        service_bridges: Vec::new(),
        ais: Vec::new(),
        obstacles: obstacle::build_obstacles(&file.obstacles),
        task: None,
        map: file.map.clone(),
    }
}

/// Adds the robots of the world, then its props and its actors. Returns the model information of
/// each, in the order of the robots of `scene`.
fn add_robots_and_props(file: &WorldConfig, scene: &mut Scene, cx: Context<'_>) -> Vec<ModelInfo> {
    let mut models = Vec::new();
    let mut add = |section: &'static str, model: &RobotModelConfig, scene: &Scene| {
        let info = ModelInfo {
            section,
            ..robot::model_sources(model)
        };
        models.resize(scene.robots.len(), info);
    };
    for (name, entry) in file.robots.iter() {
        add_robots(name, entry, scene, cx);
        add("robots", &entry.model, scene);
    }
    for (name, prop) in file.props.iter() {
        collision::check_prop(name, prop, cx);
        let entry = robot::prop_as_robot(prop);
        add_robots(name, &entry, scene, cx);
        add("props", &entry.model, scene);
    }
    for (name, actor) in file.actors.iter() {
        let Some(route) = actor::build_route(actor, cx) else {
            continue;
        };
        let prop = actor::actor_as_prop(actor, &route);
        collision::check_prop(name, &prop, cx);
        let entry = robot::prop_as_robot(&prop);
        add_robots(name, &entry, scene, cx);
        if let Some(robot) = scene.robots.last_mut() {
            robot.route = Some(Arc::new(route));
        }
        add("actors", &entry.model, scene);
    }
    models
}

/// Adds the tethers of the world and registers their winches with the robots that carry them.
fn add_tethers(file: &WorldConfig, scene: &mut Scene, cx: Context<'_>) {
    for (name, _) in file.tethers.iter() {
        if scene.robots.iter().any(|robot| robot.name == name) {
            let text = format!("a robot and a tether are called {name}; rename one");
            cx.error(file.tethers.key_place(name).unwrap_or(&file.at.whole), text);
        }
    }
    scene.tethers = file
        .tethers
        .iter()
        .filter_map(|(name, tether)| tether::build_tether(name, tether, cx.on(scene)))
        .collect();
    tether::register_winches(scene);
}

/// Adds the robot of `entry`, or the grid of robots that its `repeat` describes.
fn add_robots(name: &str, entry: &RobotEntry, scene: &mut Scene, cx: Context<'_>) {
    let Some(repeat) = &entry.repeat else {
        scene
            .robots
            .push(robot::build_robot(name, entry, Vec3::zero(), cx));
        return;
    };
    let [nx, ny, nz] = repeat.count.map(u64::from);
    let total = nx * ny * nz;
    if total + scene.robots.len() as u64 > MAX_ROBOTS as u64 {
        let text =
            format!("{total} copies of {name}; expected at most {MAX_ROBOTS} robots in a world");
        cx.error(repeat.at.key_place("count"), text);
        return;
    }
    check_copy_names(name, repeat, total, cx);
    for k in 0..total {
        let copy = format!("{name}_{k}");
        if repeat.except.contains(&copy) {
            continue;
        }
        let cell = [k % nx, k / nx % ny, k / nx / ny];
        let offset = Vec3::from(std::array::from_fn(|i| {
            cell[i] as f64 * repeat.spacing_m[i]
        }));
        let start = repeat.starts.get(&copy);
        let mut robot = match start.map(|start| start_of_copy(entry, offset, start)) {
            None => robot::build_robot(&copy, entry, offset, cx),
            Some(own) => robot::build_robot(&copy, &own, Vec3::zero(), cx),
        };
        if let Some(preceding) = scene.robots.last() {
            robot.share_parts(preceding);
        }
        scene.robots.push(robot);
    }
}

/// Reports names of copies of `name` that do not exist.
fn check_copy_names(name: &str, repeat: &RepeatConfig, total: u64, cx: Context<'_>) {
    let expected = format!("expected {name}_0 to {name}_{}", total.saturating_sub(1));
    let exists = |copy: &str| {
        let number = copy
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('_'));
        let number = number.filter(|n| !n.starts_with('0') || *n == "0");
        number
            .and_then(|n| n.parse::<u64>().ok())
            .is_some_and(|k| k < total)
    };
    for copy in repeat.except.iter().filter(|copy| !exists(copy)) {
        let text = format!("`except`: no copy {}, {expected}", quote(copy));
        cx.error(repeat.at.key_place("except"), text);
    }
    for (copy, _) in repeat.starts.iter().filter(|(copy, _)| !exists(copy)) {
        let place = repeat.starts.key_place(copy).unwrap_or(&repeat.at.whole);
        cx.error(
            place,
            format!("`starts`: no copy {}, {expected}", quote(copy)),
        );
    }
}

/// Returns the entry of one copy with its own start. `offset` is the offset of the copy in the grid
/// [m], W.
fn start_of_copy(entry: &RobotEntry, offset: Vec3, start: &StartConfig) -> RobotEntry {
    let p = Vec3::from(entry.position_m) + offset;
    let in_grid = [p.x, p.y, p.z];
    let mut own = RobotEntry {
        repeat: None,
        position_m: start.position_m.unwrap_or(in_grid),
        attitude_deg: start.attitude_deg.unwrap_or(entry.attitude_deg),
        velocity_m_s: start.velocity_m_s.unwrap_or(entry.velocity_m_s),
        angular_velocity_rad_s: start
            .angular_velocity_rad_s
            .unwrap_or(entry.angular_velocity_rad_s),
        initial_charge: start.initial_charge.or(entry.initial_charge),
        ..entry.clone()
    };
    for (key, value) in &start.joint_positions.0 {
        own.joint_positions.0.retain(|(k, _)| k.name != key.name);
        own.joint_positions.0.push((key.clone(), *value));
    }
    for (key, value) in &start.joint_velocities.0 {
        own.joint_velocities.0.retain(|(k, _)| k.name != key.name);
        own.joint_velocities.0.push((key.clone(), *value));
    }
    own
}

/// Reports more objects than the labels of segmentation images can number, if a camera has them.
fn check_label_count(place: &Place, cx: SceneContext<'_>) {
    let count = cx.scene.structures.len() + cx.scene.robots.len();
    let mut sensors = cx.scene.robots.iter().flat_map(|robot| &robot.sensors);
    if count > MAX_LABELLED && sensors.any(|sensor| has_labels(&sensor.kind)) {
        let text = format!(
            "the world has {count} robots, props, actors and structures; expected at most {MAX_LABELLED} with a segmentation camera; remove \
             objects or the output `labels`"
        );
        cx.error(place, text);
    }
}

/// Names generated by `repeat` can coincide with other names.
fn check_names(file: &WorldConfig, cx: SceneContext<'_>) {
    let mut seen = std::collections::HashSet::new();
    for robot in &cx.scene.robots {
        if !seen.insert(robot.name.as_str()) {
            let text = format!(
                "two robots are called {}; rename one, or the grid that made it",
                robot.name
            );
            let key = if file.props.0.is_empty() {
                "robots"
            } else {
                "props"
            };
            cx.error(file.at.key_place(key), text);
        }
    }
}

/// Returns the velocity (east, north, up) of water [m/s] with a horizontal speed towards a direction
/// clockwise from north [deg], and the vertical speed `up`.
pub(crate) fn water_velocity(speed: f64, direction_deg: f64, up: f64) -> Vec3 {
    Vec3 {
        z: up,
        ..horizontal_velocity(speed, direction_deg)
    }
}

/// Returns the velocity (east, north, up) [m/s] of water that flows with `speed` [m/s] towards
/// `direction_deg` [deg], clockwise from north.
pub fn horizontal_velocity(speed: f64, direction_deg: f64) -> Vec3 {
    let (s, c) = sin_cos(direction_deg.to_radians());
    Vec3::new(speed * s, speed * c, 0.0)
}

/// Builds the origin; without a given field, the magnetic field follows from the World Magnetic
/// Model at `start_utc` [s since 1970-01-01].
fn build_origin(file: &OriginConfig, start_utc: f64) -> Origin {
    let (latitude, longitude) = (
        file.latitude_deg.to_radians(),
        file.longitude_deg.to_radians(),
    );
    let magnetic_field = file.magnetic_field_nt.map_or_else(
        || magnetic_field(latitude, longitude, file.altitude_m, start_utc),
        |field_nt| Vec3::from(field_nt).scale(1e-9),
    );
    Origin {
        latitude,
        longitude,
        altitude: file.altitude_m,
        magnetic_field,
    }
}

/// Notes a date outside the validity of the magnetic model if a sensor measures the field.
fn check_magnetic_date(file: &WorldConfig, cx: SceneContext<'_>) {
    let start_utc = cx.scene.sea.air.start_utc;
    if file.origin.magnetic_field_nt.is_some() || VALIDITY.contains(&start_utc) {
        return;
    }
    let mut sensors = cx.scene.robots.iter().flat_map(|robot| &robot.sensors);
    if sensors.any(|s| s.kind.properties().is_some_and(|own| own.is_magnetic)) {
        cx.note(
            file.weather.at.key_place("start_utc"),
            "the World Magnetic Model 2025 is valid from 2025 to 2029: the magnetic field is that \
             of the nearer end; set `magnetic_field_nt` of `origin` for another field",
        );
    }
}
