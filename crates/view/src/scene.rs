//! Description of a scene for the page: robots with their links and shapes, structures, seabed,
//! optics of the water, and the bytes of meshes and terrain.

use crate::controls::{Catalogue, CatalogueEntry, Controls, TopicInfo};
use crate::fields;
use crate::readings::links;
use crate::shapes::{self, Meshes, TerrainGrid};
use merrow_model::scene::{Collider, Fin, Robot, Scene, Sensor, SensorKind, Tether, Thruster};
use merrow_sim::Simulation;
use merrow_sim::control::fault::devices_with_kinds;
use serde_json::{Value, json};
use std::sync::Arc;

/// Scene as the page receives it.
#[derive(Default)]
pub(crate) struct SceneData {
    /// Description as JSON text.
    pub json: Arc<str>,
    /// Bytes of the meshes, by their number.
    pub meshes: Vec<Vec<u8>>,
    /// Heights of the terrain; empty for a plane.
    pub terrain: Vec<u8>,
    /// Names of the robots.
    pub robots: Vec<String>,
    /// Scene of the simulation.
    pub scene: Option<Arc<Scene>>,
}

impl SceneData {
    /// Describes the scene of a simulation.
    pub(crate) fn new(simulation: &Simulation, controls: &dyn Controls) -> Self {
        let scene = &simulation.scene;
        let version = simulation.scene_version.0;
        let mut meshes = Meshes::default();
        let robots: Vec<Value> = (0..scene.robots.len())
            .map(|i| robot_json(scene, i, controls, &mut meshes))
            .collect();
        let structures = scene.structures.iter().map(|structure| {
            json!({
                "name": structure.name,
                "shapes": shapes_json(&structure.colliders, &mut meshes),
            })
        });
        let structures: Vec<Value> = structures.collect();
        let seabed = &scene.sea.seabed;
        let optics = &scene.sea.optics;
        let recording = controls.recording_bounds();
        let json = json!({
            "type": "scene",
            "version": version,
            "name": scene.name,
            "dt_s": scene.dt(),
            "origin": {
                "latitude_deg": scene.origin.latitude.to_degrees(),
                "longitude_deg": scene.origin.longitude.to_degrees(),
            },
            "seabed": {
                "z0": seabed.z0,
                "slope": seabed.slope,
                "color": scene.seabed_material.color,
                "terrain": TerrainGrid::new(seabed).map(|grid| grid.json()),
            },
            "optics": {
                "beam": optics.beam,
                "scattering": optics.scattering,
                "daylight": optics.daylight,
            },
            "robots": robots,
            "modems": links::modems(scene),
            "structures": structures,
            "tethers": scene.tethers.iter().map(tether_json).collect::<Vec<_>>(),
            "recording": recording.map(|[start, end]| json!({"start_s": start, "end_s": end})),
        });
        Self {
            json: json.to_string().into(),
            meshes: meshes.into_bytes(),
            terrain: shapes::terrain_bytes(scene),
            robots: scene
                .robots
                .iter()
                .map(|robot| robot.name.clone())
                .collect(),
            scene: Some(Arc::clone(scene)),
        }
    }
}

fn shapes_json(shapes: &[Collider], meshes: &mut Meshes) -> Vec<Value> {
    shapes.iter().map(|shape| meshes.describe(shape)).collect()
}

fn robot_json(scene: &Scene, index: usize, own: &dyn Controls, meshes: &mut Meshes) -> Value {
    let robot = &scene.robots[index];
    let controls = own.of_robot(index);
    // as in images: a robot without visual shapes has its collision shapes
    let shapes = if robot.visuals.is_empty() {
        &robot.colliders
    } else {
        &robot.visuals
    };
    let mut shapes = shapes_json(shapes, meshes);
    if shapes.is_empty() {
        shapes = hulls_json(robot);
    }
    let links = robot.links.iter();
    let sensors = robot.sensors.iter().enumerate();
    let sensors = sensors.map(|(k, sensor)| sensor_json((index, k), sensor, own));
    json!({
        "name": robot.name,
        "model": robot.model,
        "links": links.map(|link| link.name.as_str()).collect::<Vec<_>>(),
        "shapes": shapes,
        "thrusters": robot.thrusters.iter().map(thruster_json).collect::<Vec<_>>(),
        "fins": robot.fins.iter().map(fin_json).collect::<Vec<_>>(),
        "sensors": sensors.collect::<Vec<_>>(),
        "fields": fields::names_json(scene, index),
        "drive": controls.drive,
        "path": controls.path,
        "goal": controls.goal,
        "gamepad": controls.gamepad,
        "firmware": robot.firmware.is_some(),
        "devices": devices_with_kinds(robot),
    })
}

/// Describes what the page offers.
pub(crate) fn catalogue_json(catalogue: &Catalogue) -> Value {
    let model = |entry: &CatalogueEntry| {
        json!({
            "name": entry.name,
            "description": entry.description,
            "prop": entry.is_prop,
        })
    };
    let faults = catalogue.faults.iter().map(|(kind, [required, optional])| {
        json!({"kind": kind, "required": required, "optional": optional})
    });
    json!({
        "models": catalogue.models.iter().map(model).collect::<Vec<_>>(),
        "modes": catalogue.modes,
        "faults": faults.collect::<Vec<_>>(),
    })
}

/// Describes the topics that pages can plot.
pub(crate) fn topics_json(topics: &[TopicInfo]) -> Value {
    let one = |topic: &TopicInfo| json!({"name": topic.name, "type": topic.message_type});
    topics.iter().map(one).collect()
}

/// Describes the hulls of a robot without shapes as boxes.
fn hulls_json(robot: &Robot) -> Vec<Value> {
    let wet = robot
        .links
        .iter()
        .enumerate()
        .filter(|(_, l)| l.volume > 0.0);
    let one = |(link, own): (usize, &merrow_model::scene::Link)| {
        let half = 0.5 * libm::cbrt(own.volume);
        json!({
            "name": own.name,
            "link": link,
            "fin": null,
            "p": own.p_LoCb.to_array(),
            "q": [1.0, 0.0, 0.0, 0.0],
            "color": [0.5, 0.5, 0.5],
            "geometry": {"kind": "box", "half": [half, half, half]},
        })
    };
    wet.map(one).collect()
}

fn tether_json(tether: &Tether) -> Value {
    json!({"name": tether.name, "diameter_m": tether.line.diameter})
}

fn thruster_json(thruster: &Thruster) -> Value {
    json!({
        "name": thruster.name,
        "link": thruster.link,
        "p": thruster.p_LoT.to_array(),
        "direction": thruster.direction.to_array(),
        "azimuth": thruster.azimuth,
        "hand": thruster.hand,
    })
}

fn fin_json(fin: &Fin) -> Value {
    json!({
        "name": fin.name,
        "link": fin.link,
        "p": fin.p_LoF.to_array(),
        "q": shapes::quaternion(&fin.R_LF),
    })
}

fn sensor_json(place: (usize, usize), sensor: &Sensor, controls: &dyn Controls) -> Value {
    let beams = match &sensor.kind {
        SensorKind::Dvl(spec) => Some(json!({
            "directions": spec.beams.map(|beam| beam.to_array()),
            "range_m": spec.altitude[1],
        })),
        _ => None,
    };
    let source = controls.image_source(place, sensor).unwrap_or_default();
    let view = controls
        .field_of_view(sensor)
        .map(|view| json!({"edge": view.edge, "closed": view.is_closed, "range_m": view.range}));
    let images = source.kinds.iter().map(|(name, _)| name.as_str());
    json!({
        "name": sensor.name,
        "rate_hz": sensor.rate,
        "view": view,
        "images": images.collect::<Vec<_>>(),
        "link": sensor.link,
        "p": sensor.p_LoS.to_array(),
        "q": shapes::quaternion(&sensor.R_LS),
        "beams": beams,
    })
}
