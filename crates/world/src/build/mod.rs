//! Conversion of a world file to a scene: rules that concern more than one key, and conversion to
//! SI units.

pub mod air;
pub mod coupling;
pub mod energy;
pub mod fault;
pub mod robot;
pub mod tether;
pub mod texture;
pub mod water;
pub mod waves;

use crate::build::robot::BuildContext;
use crate::build::robot::body::WaterAndGravity;
use crate::build::robot::collision;
use crate::import::assets::Assets;
use crate::import::urdf;
use crate::{World, data_dir};
use merrow_environment::magnetic_field::{VALIDITY, magnetic_field};
use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_model::scene::sea::GaussMarkov;
use merrow_model::scene::{Current, Integrator, Origin, Scene, Sea, Seabed, Waves};
use merrow_schema::sensor::WorldValues;
use merrow_schema::sensor::acoustic;
use merrow_schema::sensor::ais;
use merrow_schema::sensor::camera;
use merrow_schema::sensor::obstacle;
use merrow_schema::sensor::placement;
use merrow_schema::{
    CurrentConfig, GRAVITY, IntegratorConfig, Layer, OriginConfig, RobotEntry, WorldConfig,
};
use merrow_yaml::error::Problems;
use merrow_yaml::node::{Loader, Node, Value};
use merrow_yaml::read;
use merrow_yaml::read::{Field, Read};
use std::path::Path;
use std::sync::Arc;

/// Values of the world file that the command line overrides.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overrides {
    /// Seed that replaces the seed of the file.
    pub seed: Option<u64>,
}

/// Maximum number of robots in a world.
const MAX_ROBOTS: usize = 100_000;

/// Loads the world file `path` and builds its scene.
///
/// # Errors
/// Returns all mistakes of the world file and its component files.
pub fn load(path: &Path, overrides: Overrides) -> Result<World, Problems> {
    let mut problems = Problems::new();
    let node = loader().load(path, &mut problems);
    let name = path
        .file_stem()
        .map_or_else(|| "world".into(), |s| s.to_string_lossy().into_owned());
    build_checked(node, &name, overrides, problems)
}

/// As [`load`], for a world in memory; `name` is used as its path in messages.
///
/// # Errors
/// Returns all mistakes of the world and its component files.
pub fn load_text(name: &str, text: &str, overrides: Overrides) -> Result<World, Problems> {
    let mut problems = Problems::new();
    let node = loader().load_text(name, text, &mut problems);
    build_checked(node, name, overrides, problems)
}

/// Keys whose string value names a component file, and the folder of `params` that contains such
/// files.
pub(crate) const COMPONENTS: &[(&str, &str)] = &[
    ("model", "robots"),
    ("body", "bodies"),
    ("motor", "thrusters"),
    ("surface", "fins"),
    ("battery", "batteries"),
    ("firmware", "firmware"),
    ("device", "sensors"),
    ("line", "lines"),
    ("beacon", "beacons"),
    ("hydrodynamics", "hydrodynamics"),
];

fn loader() -> Loader {
    Loader::new(data_dir::params_folders())
        .with_components(COMPONENTS)
        .with_named_files(|name| Some(data_dir::world_file(name)).filter(|path| path.is_file()))
}

fn build_checked(
    node: Option<Node>,
    name: &str,
    overrides: Overrides,
    mut problems: Problems,
) -> Result<World, Problems> {
    let assets = Assets::default();
    let node = node.map(|mut node| {
        urdf::expand_urdf_models(&mut node, &assets, &mut problems);
        node
    });
    let file = node
        .as_ref()
        .and_then(|node| read::read_root::<WorldConfig>(node, &mut problems));
    let world = file.map(|file| build_world(&file, name, overrides, &assets, &mut problems));
    if let (None, Some(node)) = (&world, &node) {
        check_readable_robots(node, &assets, &mut problems);
    }
    let notes = problems.take_notes();
    problems.into_result(world.map(|world| World { notes, ..world }))
}

/// Builds the robots that could be read although the world as a whole could not, so that their
/// mistakes are reported in the same run. The time step may be unknown here, so sensor rates are
/// not checked against it.
fn check_readable_robots(node: &Node, assets: &Assets, problems: &mut Problems) {
    let water = WaterAndGravity {
        gravity: GRAVITY,
        density: 1025.0,
        depth: 100.0,
    };
    let frame = BuildContext {
        around: water,
        world: WorldValues {
            gravity: water.gravity,
            seed: 0,
            dt: f64::MIN_POSITIVE,
            dt_place: None,
            carried: None,
        },
        assets,
    };
    let Value::Map(world) = &node.value else {
        return;
    };
    let Some(Value::Map(robots)) = world.get("robots").map(|node| &node.value) else {
        return;
    };
    for (key, node) in &robots.entries {
        // Mistakes found while reading are already in `problems`.
        let entry = RobotEntry::read(node, &Field::new(&key.name, "", &[]), &mut Problems::new());
        if let Some(entry) = entry {
            robot::build_robot(&key.name, &entry, Vec3::zero(), frame, problems);
        }
    }
}

fn build_world(
    file: &WorldConfig,
    name: &str,
    overrides: Overrides,
    assets: &Assets,
    problems: &mut Problems,
) -> World {
    let seed = overrides.seed.unwrap_or(file.seed);
    let longitude = file.origin.longitude_deg.to_radians();
    let start = air::StartTime::of(&file.weather, longitude, problems);
    let origin = build_origin(&file.origin, start.utc);
    let sea = build_sea(file, &origin, start, seed, problems);
    let dt_ns = (file.step.dt_s * 1e9).round() as u64;
    let step = &file.step.at;
    let carried: Vec<_> = file
        .water
        .tracers
        .iter()
        .map(|(name, carried)| (name.to_string(), carried.unit.clone()))
        .collect();
    let frame = BuildContext {
        assets,
        around: WaterAndGravity {
            gravity: file.gravity_m_s2,
            density: sea.density,
            depth: -sea.seabed.z0,
        },
        world: WorldValues {
            gravity: file.gravity_m_s2,
            seed,
            dt: dt_ns as f64 * 1e-9,
            dt_place: step.has_key("dt_s").then(|| step.key_place("dt_s")),
            carried: Some(&carried),
        },
    };
    let mut scene = Scene {
        name: name.to_string(),
        seed,
        dt_ns,
        integrator: match file.step.integrator {
            IntegratorConfig::Rk4 => Integrator::Rk4,
            IntegratorConfig::SemiImplicit => Integrator::SemiImplicit,
        },
        gravity: file.gravity_m_s2,
        sea,
        origin,
        robots: Vec::new(),
        structures: Vec::new(),
        seabed_material: collision::build_material(&file.seabed.material),
        couplings: Vec::new(),
        tethers: Vec::new(),
        chargers: Vec::new(),
        faults: Vec::new(),
        beacons: Vec::new(),
        ais: Vec::new(),
        obstacles: obstacle::build_obstacles(&file.obstacles),
    };
    let mut about = Vec::new();
    for (name, entry) in file.robots.iter() {
        add_robots(name, entry, frame, &mut scene, problems);
        about.resize(scene.robots.len(), robot::model_sources(&entry.model));
    }
    for (name, prop) in file.props.iter() {
        collision::check_prop(name, prop, problems);
        let entry = robot::prop_as_robot(prop);
        add_robots(name, &entry, frame, &mut scene, problems);
        about.resize(scene.robots.len(), robot::model_sources(&entry.model));
    }
    for (name, structure) in file.structures.iter() {
        scene.structures.push(collision::build_structure(
            name, structure, assets, problems,
        ));
    }
    check_names(file, &scene, problems);
    for (name, _) in file.tethers.iter() {
        if scene.robots.iter().any(|robot| robot.name == name) {
            let text = format!("a robot and a tether are called {name}: rename one");
            problems.push(file.tethers.key_place(name).unwrap_or(&file.at.whole), text);
        }
    }
    let lines = file
        .tethers
        .iter()
        .filter_map(|(name, tether)| tether::build_tether(name, tether, &scene, problems));
    scene.tethers = lines.collect();
    tether::register_winches(&mut scene);
    scene.couplings = coupling::build_couplings(&file.couplings, &scene, problems);
    scene.chargers = energy::build_chargers(&file.chargers, &file.couplings, &scene, problems);
    scene.beacons = acoustic::build_beacons(&file.beacons, &scene, problems);
    scene.faults = fault::build_faults(&file.faults, &scene, problems);
    scene.ais = ais::build_transponders(&file.ais, &scene, problems);
    acoustic::resolve_targets(&file.robots, &mut scene, problems);
    obstacle::resolve_detector_sensors(&file.robots, &mut scene, problems);
    check_magnetic_date(file, &scene, problems);
    // Placement can only be checked for a scene that was built without mistakes.
    if problems.is_empty() {
        placement::check_placement(&file.robots, &scene, problems);
    }
    World {
        scene,
        models: about,
        notes: Vec::new(),
    }
}

fn add_robots(
    name: &str,
    entry: &RobotEntry,
    frame: BuildContext<'_>,
    scene: &mut Scene,
    problems: &mut Problems,
) {
    let Some(repeat) = &entry.repeat else {
        scene.robots.push(robot::build_robot(
            name,
            entry,
            Vec3::zero(),
            frame,
            problems,
        ));
        return;
    };
    let [nx, ny, nz] = repeat.count.map(u64::from);
    let total = nx * ny * nz;
    if total + scene.robots.len() as u64 > MAX_ROBOTS as u64 {
        let text = format!(
            "{total} copies of {name}, expected no more than {MAX_ROBOTS} robots in a world"
        );
        problems.push(repeat.at.key_place("count"), text);
        return;
    }
    for k in 0..total {
        let cell = [k % nx, k / nx % ny, k / nx / ny];
        let offset = Vec3::from(std::array::from_fn(|i| {
            cell[i] as f64 * repeat.spacing_m[i]
        }));
        let robot = robot::build_robot(&format!("{name}_{k}"), entry, offset, frame, problems);
        scene.robots.push(robot);
    }
}

/// Names generated by `repeat` can coincide with other names.
fn check_names(file: &WorldConfig, scene: &Scene, problems: &mut Problems) {
    let mut seen = std::collections::HashSet::new();
    for robot in &scene.robots {
        if !seen.insert(robot.name.as_str()) {
            let text = format!(
                "two robots are called {}: rename one, or the grid that made it",
                robot.name
            );
            let key = if file.props.0.is_empty() {
                "robots"
            } else {
                "props"
            };
            problems.push(file.at.key_place(key), text);
        }
    }
}

fn build_sea(
    file: &WorldConfig,
    origin: &Origin,
    start: air::StartTime,
    seed: u64,
    problems: &mut Problems,
) -> Sea {
    let water = &file.water;
    let profile = match &water.current {
        CurrentConfig::None => vec![(0.0, Vec3::zero())],
        CurrentConfig::Uniform {
            speed_m_s,
            direction_deg,
            up_m_s,
            ..
        } => {
            let mut v = horizontal_velocity(*speed_m_s, *direction_deg);
            v.z = *up_m_s;
            vec![(0.0, v)]
        }
        CurrentConfig::Profile { layers, at } => {
            current_profile(layers, at.key_place("layers"), problems)
        }
    };
    let terrain = water::build_terrain(&file.seabed, origin, problems);
    let depth = water::reference_depth(&file.seabed, terrain.as_deref());
    let column = water::build_column(file, origin, problems);
    let regions = water::build_regions(&water.regions, origin, problems);
    let surface = column.as_ref().map(|column| column.properties_at(0.0));
    Sea {
        density: surface.map_or(water.density_kg_m3, |layer| layer.density),
        sound_speed: surface.map_or(water.sound_speed_m_s, |layer| layer.sound_speed),
        temperature: surface.map_or(water.temperature_c, |layer| layer.temperature),
        column: column.map(Arc::new),
        waves: Waves {
            tide: water::build_tide(file, depth, problems),
            regions: Waves::of_regions(&regions),
            ..waves::build_waves(&water.waves, (file.gravity_m_s2, depth), seed, problems)
        },
        regions,
        tracers: water::build_tracers(&water.tracers, origin, problems),
        optics: camera::optics(&water.optics),
        air_pressure: water.air_pressure_pa,
        air: air::build_air(file, start, seed, problems),
        current: Current {
            profile,
            gauss_markov: water.variation.as_ref().map(|v| GaussMarkov {
                std: Vec3::from(v.std_m_s),
                tau: v.correlation_time_s,
            }),
            flows: water::build_flows(&water.flows, &water.regions, origin, problems),
        },
        seabed: Seabed {
            z0: -depth,
            slope: file.seabed.slope_east_north,
            terrain,
        },
    }
}

fn current_profile(
    layers: &[Layer],
    place: &crate::Place,
    problems: &mut Problems,
) -> Vec<(f64, Vec3)> {
    if layers.windows(2).any(|w| w[1].depth_m <= w[0].depth_m) {
        problems.push(
            place,
            "the layers of the current are not in order: expected increasing `depth_m`",
        );
    }
    layers
        .iter()
        .map(|l| (l.depth_m, horizontal_velocity(l.speed_m_s, l.direction_deg)))
        .collect()
}

/// Returns the velocity (east, north, up) [m/s] of water that flows with `speed` [m/s] towards
/// `direction_deg` [deg], clockwise from north.
pub fn horizontal_velocity(speed: f64, direction_deg: f64) -> Vec3 {
    let (s, c) = sin_cos(direction_deg.to_radians());
    Vec3::new(speed * s, speed * c, 0.0)
}

/// Builds the origin; without a given field, the magnetic field is that of the World Magnetic Model
/// at `start_utc` [s since 1970-01-01].
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
fn check_magnetic_date(file: &WorldConfig, scene: &Scene, problems: &mut Problems) {
    let start_utc = scene.sea.air.start_utc;
    if file.origin.magnetic_field_nt.is_some() || VALIDITY.contains(&start_utc) {
        return;
    }
    let mut sensors = scene.robots.iter().flat_map(|robot| &robot.sensors);
    if sensors.any(|s| s.kind.is_magnetic()) {
        problems.note(
            file.weather.at.key_place("start_utc"),
            "the World Magnetic Model 2025 is valid from 2025 to 2029: the magnetic field is that \
             of the nearer end; set `magnetic_field_nt` of `origin` for another field",
        );
    }
}
