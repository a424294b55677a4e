//! Checks of sensor positions: inside an object that the sensor detects, or far from its robot. The
//! results are notes, because a robot may start inside a wall and a mast may be long.

use crate::context::{SceneContext, first_copy};
use crate::keys::RobotEntry;
use crate::sensor::SensorConfig;
use merrow_math::{Vec3, hull_cut};
use merrow_model::kinematics;
use merrow_model::scene::robot::collision::Collider;
use merrow_model::scene::{Robot, Sensor};
use merrow_model::sensor::Obstruction;
use merrow_model::state::{RobotState, Workspace};
use merrow_yaml::read::NamedMap;

/// A sensor is far from its link beyond this factor of the radius of its robot plus this distance
/// [m].
const MAX_MOUNT_DISTANCE: (f64, f64) = (10.0, 10.0);

/// Checks the sensors of all robots; of copies only the first.
pub(crate) fn check_placement(robots: &NamedMap<RobotEntry>, cx: SceneContext<'_>) {
    for (name, entry) in robots.iter() {
        let Some(robot) = first_copy(cx.scene, name) else {
            continue;
        };
        let mut work = Workspace::new(robot);
        kinematics::poses(robot, &RobotState::new(robot).motion, &mut work.links);
        for sensor in &robot.sensors {
            let Some(file) = entry
                .model
                .sensors
                .iter()
                .find(|(name, _)| *name == sensor.name)
            else {
                continue;
            };
            let carrier = &work.links[sensor.link];
            let p_WS = carrier.p_WL + carrier.R_WL.mul_vec(sensor.p_LoS);
            check_sensor(robot, sensor, file.1, p_WS, cx);
        }
    }
}

fn check_sensor(
    robot: &Robot,
    sensor: &Sensor,
    file: &SensorConfig,
    p_WS: Vec3,
    cx: SceneContext<'_>,
) {
    let place = if file.at.has_key("position_m") {
        file.at.key_place("position_m")
    } else {
        &file.at.whole
    };
    let ([x, y, z], name) = (file.position_m, &sensor.name);
    let (away, reach) = (sensor.p_UoS_U.norm(), robot_radius(robot));
    if away > MAX_MOUNT_DISTANCE.0 * reach + MAX_MOUNT_DISTANCE.1 {
        let text = format!(
            "{name} is {away:.1} m from the link that carries it, {} reaches {reach:.1} m; \
             expected metres, and a position on the robot",
            robot.name
        );
        cx.note(place, text);
        return;
    }
    let Some(exteroceptive) = sensor.kind.exteroceptive() else {
        return;
    };
    let render_self = match exteroceptive.properties().obstruction {
        Obstruction::StructuresAndRobot => true,
        Obstruction::Structures => false,
        Obstruction::None => return,
    };
    let own = || robot.colliders.iter().filter(|c| c.link == sensor.link);
    let within = |c: &&Collider| c.contains(sensor.p_LoS);
    if render_self {
        let shape = own()
            .find(within)
            .map(|c| format!("its robot's shape {}", c.name));
        let hull = || {
            let link = &robot.links[sensor.link];
            let bare = own().next().is_none() && link.volume_m3 > 0.0 && link.hull_mesh.is_none();
            (bare && in_hull(link, sensor.p_LoS)).then(|| format!("the hull of {}", link.name))
        };
        if let Some(what) = shape.or_else(hull) {
            let text = format!(
                "{name} is within {what}, which it renders; expected a position outside, found \
                 [{x}, {y}, {z}]; move it, or set `render_self: false` on the camera"
            );
            cx.note(place, text);
        }
    }
    let structures = cx
        .scene
        .structures
        .iter()
        .flat_map(|s| s.colliders.iter().map(move |c| (s, c)));
    let mut around = structures.filter(|(_, c)| c.contains(p_WS));
    if let Some((structure, _)) = around.next() {
        let text = format!(
            "{name} is inside the structure {} and measures only this structure; expected a \
             position outside, found [{:.2}, {:.2}, {:.2}] in the world",
            structure.name, p_WS.x, p_WS.y, p_WS.z
        );
        cx.note(place, text);
    }
}

/// Returns the maximum distance of a part of the robot from its base [m], as built.
fn robot_radius(robot: &Robot) -> f64 {
    let links = robot
        .links
        .iter()
        .map(|l| l.hull.p_LoH.norm() + l.hull.bound);
    let shapes = robot.colliders.iter().map(|c| c.p_LoG.norm());
    links.chain(shapes).fold(0.0, f64::max)
}

fn in_hull(link: &merrow_model::scene::Link, p_LoS: Vec3) -> bool {
    link.hulls().any(|hull| {
        let p = hull.R_LH.tr_mul_vec(p_LoS - hull.p_LoH);
        match hull.shape {
            hull_cut::HullShape::Box(half) => {
                p.x.abs() < half.x && p.y.abs() < half.y && p.z.abs() < half.z
            }
            hull_cut::HullShape::Ellipsoid(half) => {
                Vec3::new(p.x / half.x, p.y / half.y, p.z / half.z).norm() < 1.0
            }
        }
    })
}
