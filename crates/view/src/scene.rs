//! Description of a scene for the page: robots with their links and shapes, structures, seabed,
//! optics of the water, and the bytes of meshes and terrain.

use crate::controls::{Catalogue, CatalogueEntry, Controls, TopicInfo};
use crate::fields;
use crate::readings::links;
use crate::shapes::{self, Meshes, TerrainGrid};
use crate::teleoperation::actuators::ActuatorControl;
use merrow_model::scene::{Collider, Fin, Robot, Scene, Sensor, SensorKind, Tether, Thruster};
use merrow_physics::forces::contributions::Law;
use merrow_sim::Simulation;
use merrow_sim::control::fault::{devices_with_kinds, world_devices_with_kinds};
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
    /// Scene of the simulation; `None` before the first description.
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
            "devices": world_devices_with_kinds(scene),
            "modems": links::modems(scene),
            "structures": structures,
            "tethers": scene.tethers.iter().map(tether_json).collect::<Vec<_>>(),
            "laws": Law::ALL.iter().map(|law| law.name()).collect::<Vec<_>>(),
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
    // as in images: a robot without visual shapes has its collision shapes, and hulls for the links
    // without them
    let shapes = if robot.visuals.is_empty() {
        let mut shapes = shapes_json(&robot.colliders, meshes);
        shapes.extend(hulls_json(robot, meshes));
        shapes
    } else {
        shapes_json(&robot.visuals, meshes)
    };
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
        "no_goal": controls.no_goal,
        "gamepad": controls.gamepad,
        "actuators": controls.actuators.iter().map(ActuatorControl::to_json).collect::<Vec<_>>(),
        "firmware": robot.firmware.is_some(),
        "mass_kg": robot.links.iter().map(|link| link.mass).sum::<f64>(),
        "devices": devices_with_kinds(scene, index),
    })
}

/// Describes what the page offers.
pub(crate) fn catalogue_json(catalogue: &Catalogue) -> Value {
    let model = |entry: &CatalogueEntry| {
        json!({
            "name": entry.name,
            "description": entry.description,
            "prop": entry.is_prop,
            "height_above_seabed": entry.height_above_seabed,
        })
    };
    let faults = catalogue.faults.iter().map(|(kind, [required, optional])| {
        json!({"kind": kind, "required": required, "optional": optional})
    });
    json!({
        "models": catalogue.models.iter().map(model).collect::<Vec<_>>(),
        "modes": catalogue.modes,
        "worlds": catalogue.worlds,
        "faults": faults.collect::<Vec<_>>(),
    })
}

/// Describes the topics that pages can plot.
pub(crate) fn topics_json(topics: &[TopicInfo]) -> Value {
    let one = |topic: &TopicInfo| json!({"name": topic.name, "type": topic.message_type});
    topics.iter().map(one).collect()
}

/// Describes the hulls of the links without collision shapes, as cameras show them.
fn hulls_json(robot: &Robot, meshes: &mut Meshes) -> Vec<Value> {
    let has_shapes = |link: usize| robot.colliders.iter().any(|shape| shape.link == link);
    let links = robot.links.iter().enumerate();
    links
        .filter(|(k, link)| link.volume > 0.0 && !has_shapes(*k))
        .flat_map(|(k, link)| meshes.describe_hulls(k, link))
        .collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    const WORLD: &str = "
robots:
  box: {model: {source: t, body: {source: t, axes: flu, mass_kg: 40, inertia_kg_m2: {xx: 2, yy: 2, zz: 2},
    volume_m3: 0.04, center_of_buoyancy_m: [0, 0, 0.1], hull: {kind: box, size_m: [1, 0.4, 0.1]}}}}
  body: {position_m: [5, 0, 0], model: {source: t, body: {source: t, axes: flu, mass_kg: 40,
    inertia_kg_m2: {xx: 2, yy: 2, zz: 2}, volume_m3: 0.04, hull: {kind: ellipsoid, size_m: [1, 0.4, 0.4]}}}}
";

    // Goal: a link without shapes is shown with its hull. Method: a box and an ellipsoid, with the
    // size of the file and with a mesh. Tolerance: rounding.
    #[test]
    fn links_without_shapes_are_shown_with_their_hull() {
        let overrides = merrow_world::Overrides::default();
        let scene = merrow_world::load_text("w.yaml", WORLD, overrides)
            .unwrap()
            .scene;
        let mut meshes = Meshes::default();
        let shown = hulls_json(&scene.robots[0], &mut meshes);
        assert_eq!(shown.len(), 1);
        assert_eq!(shown[0]["geometry"]["kind"], "box");
        for (axis, half) in [0.5, 0.2, 0.05].into_iter().enumerate() {
            let found = shown[0]["geometry"]["half"][axis].as_f64().unwrap();
            assert!((found - half).abs() < 1e-12, "{found}");
        }
        assert_eq!(shown[0]["p"], json!([0.0, 0.0, 0.1]));
        let shown = hulls_json(&scene.robots[1], &mut meshes);
        assert_eq!(
            shown[0]["geometry"],
            json!({"kind": "mesh", "mesh": 0, "parts": []})
        );
        assert_eq!(meshes.into_bytes().len(), 1);
    }
}
