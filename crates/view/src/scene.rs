//! Description of a scene for the page: robots with their links and shapes, structures, seabed,
//! optics of the water, and the bytes of meshes and terrain.

use crate::controls::{Catalogue, Controls, TopicInfo};
use crate::fields;
use crate::picture;
use crate::readings::links;
use crate::shapes::{self, Meshes, TerrainGrid};
use crate::task;
use crate::teleoperation::actuators::ActuatorControl;
use merrow_math::{Mat3, Vec3};
use merrow_model::kinematics::link_poses;
use merrow_model::scene::fault_devices::devices_with_kinds;
use merrow_model::scene::{
    Collider, Fin, Geometry, Primitive, Robot, Scene, Sensor, SensorKind, Tether, Thruster,
};
use merrow_model::sensor::camera::Lamp;
use merrow_model::state::State;
use merrow_model::state::workspace::LinkWork;
use merrow_physics::forces::contributions::Law;
use merrow_sim::Simulation;
use merrow_world::catalogue::BundledModel;
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
                "color": scene.seabed_material.color(),
                "basin": basin_json(scene),
                "terrain": TerrainGrid::new(seabed).map(|grid| grid.json()),
            },
            "optics": {
                "beam": optics.beam,
                "scattering": optics.scattering,
                "daylight": optics.daylight,
            },
            "robots": robots,
            "devices": devices_with_kinds(scene, None),
            "modems": links::modems(scene),
            "structures": structures,
            "tethers": scene.tethers.iter().map(tether_json).collect::<Vec<_>>(),
            "laws": Law::ALL.iter().map(|law| law.name()).collect::<Vec<_>>(),
            "task": task::scene(scene),
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

/// Describes the shapes of a robot as in images: a robot without visual shapes has its collision
/// shapes, and hulls for the links without them.
fn robot_shapes_json(robot: &Robot, meshes: &mut Meshes) -> Vec<Value> {
    if !robot.visuals.is_empty() {
        return shapes_json(&robot.visuals, meshes);
    }
    let mut shapes = shapes_json(&robot.colliders, meshes);
    shapes.extend(hulls_json(robot, meshes));
    shapes
}

/// Returns the shapes of the first robot of a scene with the initial poses of its links: the length
/// of a JSON text as u32, the text, and the length (u32) and the bytes of each mesh.
pub(crate) fn model_bytes(scene: &Scene) -> Vec<u8> {
    let state = State::new(scene);
    let mut meshes = Meshes::default();
    let model = scene.robots.first().zip(state.robots.first());
    let json = model.map(|(robot, own)| {
        let links = link_poses(robot, &own.motion);
        let pose = |link: &LinkWork| {
            json!({"p": link.p_WL.to_array(), "q": shapes::quaternion(&link.R_WL)})
        };
        let shapes = robot_shapes_json(robot, &mut meshes);
        json!({"links": links.iter().map(pose).collect::<Vec<_>>(), "shapes": shapes})
    });
    let mut text = json.unwrap_or_default().to_string().into_bytes();
    // meshes are read at multiples of four bytes
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut out = Vec::new();
    for part in [text].into_iter().chain(meshes.into_bytes()) {
        out.extend((part.len() as u32).to_le_bytes());
        out.extend(part);
    }
    out
}

/// Describes the pool whose walls enclose the origin above a level seabed: its corners in the south
/// west and north east, the height of its walls [m], and the structures of the walls; null without
/// one.
fn basin_json(scene: &Scene) -> Value {
    let seabed = &scene.sea.seabed;
    if seabed.terrain.is_some() || seabed.slope != [0.0; 2] {
        return Value::Null;
    }
    let structures = scene.structures.iter();
    let colliders = structures.flat_map(|one| one.colliders.iter().map(|shape| (&one.name, shape)));
    let boxes = colliders.filter_map(|(name, shape)| match shape.geometry {
        Geometry::Primitive(Primitive::Box { half }) if shape.R_LG == Mat3::identity() => {
            let ends = [shape.p_LoG - half, shape.p_LoG + half];
            Some((name, ends.map(Vec3::to_array)))
        }
        _ => None,
    });
    let walls: Vec<_> = boxes
        .filter(|(_, [low, high])| low[2] <= seabed.z0 + 0.01 && high[2] >= 0.0)
        .collect();
    let side = |axis: usize, sign: f64| {
        let faces = walls.iter().filter(|(_, [low, high])| {
            low[1 - axis] < 0.0 && high[1 - axis] > 0.0 && sign * (low[axis] + high[axis]) > 0.0
        });
        let face = |(_, [low, high]): &(_, [[f64; 3]; 2])| {
            if sign > 0.0 { low[axis] } else { -high[axis] }
        };
        let nearest = faces.min_by(|a, b| face(a).total_cmp(&face(b)));
        nearest
            .filter(|wall| face(wall) > 0.0)
            .map(|wall| (sign * face(wall), wall))
    };
    let sides = [side(0, -1.0), side(1, -1.0), side(0, 1.0), side(1, 1.0)];
    let [Some(west), Some(south), Some(east), Some(north)] = sides else {
        return Value::Null;
    };
    let (low, high) = ([west.0, south.0], [east.0, north.0]);
    let spans = |axis: usize, (_, [from, to]): &(_, [[f64; 3]; 2])| {
        from[axis] <= low[axis] + 0.01 && to[axis] >= high[axis] - 0.01
    };
    if !(spans(1, west.1) && spans(1, east.1) && spans(0, south.1) && spans(0, north.1)) {
        return Value::Null;
    }
    let walls = [west, south, east, north].map(|(_, wall)| wall);
    let tops = walls.map(|(_, [_, high])| high[2]);
    json!({
        "low": low,
        "high": high,
        "top_m": tops.into_iter().fold(f64::INFINITY, f64::min),
        "structures": walls.map(|(name, _)| name.as_str()),
    })
}

fn robot_json(scene: &Scene, index: usize, own: &dyn Controls, meshes: &mut Meshes) -> Value {
    let robot = &scene.robots[index];
    let controls = own.of_robot(index);
    let links = robot.links.iter();
    let sensors = robot.sensors.iter().enumerate();
    let sensors = sensors.map(|(k, sensor)| sensor_json((index, k), sensor, own));
    json!({
        "name": robot.name,
        "model": robot.model,
        "links": links.map(|link| link.name.as_str()).collect::<Vec<_>>(),
        "shapes": robot_shapes_json(robot, meshes),
        "thrusters": robot.thrusters.iter().map(thruster_json).collect::<Vec<_>>(),
        "fins": robot.fins.iter().map(fin_json).collect::<Vec<_>>(),
        "lamps": robot.lamps.iter().map(lamp_json).collect::<Vec<_>>(),
        "sensors": sensors.collect::<Vec<_>>(),
        "fields": fields::names_json(scene, index),
        "drive": controls.drive,
        "path": controls.path,
        "goal": controls.goal,
        "no_goal": controls.no_goal,
        "gamepad": controls.gamepad,
        "actuators": controls.actuators.iter().map(ActuatorControl::to_json).collect::<Vec<_>>(),
        "modes": controls.modes,
        "mass_kg": robot.links.iter().map(|link| link.mass_kg).sum::<f64>(),
        "devices": devices_with_kinds(scene, Some(index)),
    })
}

/// Describes what the page offers.
pub(crate) fn catalogue_json(catalogue: &Catalogue) -> Value {
    let model = |entry: &BundledModel| {
        json!({
            "name": entry.name,
            "description": entry.description,
            "prop": entry.is_prop,
            "height_above_seabed": entry.height_above_seabed,
        })
    };
    let faults = catalogue.faults.iter().map(|values| {
        json!({"kind": values.kind, "required": values.required, "optional": values.optional})
    });
    json!({
        "models": catalogue.models.iter().map(model).collect::<Vec<_>>(),
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
        .filter(|(k, link)| link.volume_m3 > 0.0 && !has_shapes(*k))
        .flat_map(|(k, link)| meshes.describe_hulls(k, link))
        .collect()
}

fn tether_json(tether: &Tether) -> Value {
    json!({"name": tether.name, "diameter_m": tether.line.diameter_m})
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

fn lamp_json(lamp: &Lamp) -> Value {
    json!({
        "name": lamp.name,
        "link": lamp.link,
        "p": lamp.p_LoX.to_array(),
        "direction": lamp.d_L.to_array(),
        "cosines": lamp.cosines,
        "intensity_cd": lamp.intensity.to_array(),
    })
}

fn sensor_json(place: (usize, usize), sensor: &Sensor, controls: &dyn Controls) -> Value {
    let beams = match &sensor.kind {
        SensorKind::Dvl(spec) => Some(json!({
            "directions": spec.beams.map(|beam| beam.to_array()),
            "range_m": spec.log.altitude_m[1],
        })),
        _ => None,
    };
    let source = controls.image_source(place, sensor).unwrap_or_default();
    let view = picture::field_of_view(sensor)
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

    // Four walls around the origin are a pool. Method: a pool, and the same walls with a gap or
    // above a slope. Tolerance: rounding.
    #[test]
    fn walls_on_all_sides_are_a_basin() {
        let world = |south: f64, slope: f64| {
            let text = format!(
                "
robots: {{}}
seabed: {{depth_m: 2, slope_east_north: [{slope}, 0]}}
structures:
  pool:
    shapes:
      west: {{kind: box, size_m: [1, 10, 3], position_m: [-5.5, 0, -0.5]}}
      east: {{kind: box, size_m: [1, 10, 3], position_m: [6.5, 0, -0.5]}}
      south: {{kind: box, size_m: [{south}, 1, 3], position_m: [0.5, -4.5, -0.5]}}
      north: {{kind: box, size_m: [13, 1, 3], position_m: [0.5, 4.5, -0.5]}}
"
            );
            let overrides = merrow_world::Overrides::default();
            let scene = merrow_world::load_text("w.yaml", &text, overrides);
            basin_json(&scene.unwrap().scene)
        };
        let found = world(13.0, 0.0);
        let expected = json!({
            "low": [-5.0, -4.0],
            "high": [6.0, 4.0],
            "top_m": 1.0,
            "structures": ["pool", "pool", "pool", "pool"],
        });
        assert_eq!(found, expected);
        assert_eq!(world(4.0, 0.0), Value::Null);
        assert_eq!(world(13.0, 0.1), Value::Null);
    }

    // A link without shapes is shown with its hull. Method: a box and an ellipsoid, with the size
    // of the file and with a mesh. Tolerance: rounding.
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
