//! Warnings of values that are valid and hardly meant: wrong units, swapped digits, missing zeros.
//!
//! The limits are wide: they find factors, not errors of a few per cent.

use crate::World;
use crate::document::changes;
use merrow_math::Vec3;
use merrow_math::bounds::box_around;
use merrow_model::scene::{Damping, Link, Robot};
use merrow_yaml::error::{Problem, Problems};
use merrow_yaml::node::{Node, Value};
use std::f64::consts::{PI, TAU};

/// Density of water from the Dead Sea down to fresh water at 90 °C, with a margin [kg/m³].
const DENSITY: [f64; 2] = [950.0, 1100.0];
/// Maximum ratio of the mass of a robot to the mass that it displaces, and the reverse.
const BUOYANCY_RATIO: f64 = 3.0;
/// Maximum ratio of the size of a body [m] to the cube root of its mass [kg].
const SIZE_PER_MASS: f64 = 50.0;
/// Speeds at which the damping is compared with the inertia [m/s, rad/s].
const SPEED: f64 = 1.0;
/// Angles that are common in radians [rad].
const COMMON: [f64; 8] = [
    PI / 6.0,
    PI / 4.0,
    PI / 3.0,
    PI / 2.0,
    2.0 * PI / 3.0,
    0.75 * PI,
    PI,
    1.5 * PI,
];
const AXES: [&str; 6] = ["roll", "pitch", "yaw", "surge", "sway", "heave"];

/// Returns the warnings about a world, without its changes.
pub(super) fn warnings(tree: &Node, world: &World) -> Vec<Problem> {
    let mut found = Problems::new();
    let density = world.scene.sea.density;
    // a world without water has the density 0
    if density != 0.0 && !(DENSITY[0]..=DENSITY[1]).contains(&density) {
        let place = changes::place_below(tree, &["water", "density_kg_m3"]);
        let text = format!(
            "water of {density} kg/m3; expected {} to {} kg/m3; check the unit",
            DENSITY[0], DENSITY[1]
        );
        found.note(&place, text);
    }
    for (robot, model) in world.scene.robots.iter().zip(&world.models) {
        if is_copy(&robot.name, tree, model.section) {
            continue;
        }
        for (path, text) in robot_warnings(robot, world, model.section) {
            let mut keys = vec![model.section, robot.name.as_str()];
            keys.extend(path);
            let place = changes::place_below(tree, &keys);
            found.note(&place, format!("{}: {text}", robot.name));
        }
    }
    check_angles(tree, "", &mut found);
    found.take_notes()
}

/// Returns true for all copies of an entry but the first, which have the same values.
fn is_copy(name: &str, tree: &Node, section: &str) -> bool {
    let number = name.rsplit_once('_').map(|(_, number)| number);
    let is_first = number.is_none_or(|number| number == "1" || number == "0");
    !is_first && !changes::has_entry(tree, section, name)
}

/// Path of a key below the entry of a robot, and a warning.
type Warning = (Vec<&'static str>, String);

fn robot_warnings(robot: &Robot, world: &World, section: &str) -> Vec<Warning> {
    let mut all = Vec::new();
    let mass: f64 = robot.links.iter().map(|link| link.mass_kg).sum();
    let volume: f64 = robot.links.iter().map(|link| link.volume_m3).sum();
    let displaced = volume * world.scene.sea.density;
    // props such as anchors sink
    let is_swimmer = section == "robots" && robot.floating && !robot.is_carried();
    let ratio = displaced / mass;
    // a wrong density is reported once
    if is_swimmer
        && (DENSITY[0]..=DENSITY[1]).contains(&world.scene.sea.density)
        && !(1.0 / BUOYANCY_RATIO..=BUOYANCY_RATIO).contains(&ratio)
    {
        all.push((
            vec!["model", "body"],
            format!(
                "a mass of {mass:.4} kg that displaces {displaced:.4} kg of water; expected a ratio \
                 of at most {BUOYANCY_RATIO}; check volume, mass and hull"
            ),
        ));
    }
    let size = size_of(robot);
    let largest = SIZE_PER_MASS * mass.cbrt();
    if size.is_some_and(|size| size > largest) {
        let size = size.unwrap_or_default();
        all.push((
            vec!["model", "body"],
            format!(
                "a body of {size:.3} m with a mass of {mass:.4} kg; expected at most {largest:.3} m; \
                 check the unit of shapes and meshes"
            ),
        ));
    }
    inertia_warnings(robot, &mut all);
    damping_warnings(&robot.links[0], world.scene.dt(), &mut all);
    all.extend(outside_warnings(robot));
    all
}

/// Warns of a radius of gyration beyond the surface of the base.
fn inertia_warnings(robot: &Robot, all: &mut Vec<Warning>) {
    let base = &robot.links[0];
    let points = points_of(robot, 0);
    let farthest = points.iter().map(|p| p.norm()).fold(0.0, f64::max);
    let reach = if points.is_empty() {
        SIZE_PER_MASS * base.mass_kg.cbrt()
    } else {
        farthest
    };
    let rigid = base.rigid.to_matrix();
    for axis in 0..3 {
        let radius = (rigid[axis][axis] / base.mass_kg).sqrt();
        // estimates of shapes are coarse
        if radius > 2.0 * reach {
            all.push((
                vec!["model", "body", "inertia_kg_m2"],
                format!(
                    "the inertia about {} of {:.4} kg m2 and the mass of {:.4} kg have a radius of \
                     gyration of {radius:.3} m, but the body reaches {reach:.3} m; check the unit of \
                     the inertia",
                    ["x", "y", "z"][axis],
                    rigid[axis][axis],
                    base.mass_kg
                ),
            ));
            return;
        }
    }
}

/// Warns of damping that stops the base within one step.
fn damping_warnings(base: &Link, dt: f64, all: &mut Vec<Warning>) {
    let (linear, quadratic) = (
        diagonal(&base.linear_damping),
        diagonal(&base.quadratic_damping),
    );
    let inertia = base.total.to_matrix();
    for axis in 0..6 {
        let damping = linear[axis] + SPEED * quadratic[axis];
        let ratio = damping * dt / inertia[axis][axis];
        if ratio > 1.0 {
            let key = if linear[axis] >= quadratic[axis] {
                "linear_damping"
            } else {
                "quadratic_damping"
            };
            all.push((
                vec!["model", "body", key],
                format!(
                    "the damping in {} stops the body within a step: damping x dt / inertia = \
                     {ratio:.3}; expected less than 1; check the unit, or reduce `dt_s`",
                    AXES[axis]
                ),
            ));
        }
    }
}

/// Warns of sensors and thrusters that are farther from the shapes of their link than its size.
fn outside_warnings(robot: &Robot) -> Vec<Warning> {
    let sensors = robot
        .sensors
        .iter()
        .map(|s| ("sensor", &s.name, s.link, s.p_LoS));
    let thrusters = robot
        .thrusters
        .iter()
        .map(|t| ("thruster", &t.name, t.link, t.p_LoT));
    let far = sensors
        .chain(thrusters)
        .filter_map(|(kind, name, link, p)| {
            let points = points_of(robot, link);
            let [low, high] = box_around(points)?;
            let size = (high - low).norm();
            let outside = |low: f64, x: f64, high: f64| (low - x).max(x - high).max(0.0);
            let distance = Vec3::new(
                outside(low.x, p.x, high.x),
                outside(low.y, p.y, high.y),
                outside(low.z, p.z, high.z),
            )
            .norm();
            let keys = vec![
                "model",
                if kind == "sensor" {
                    "sensors"
                } else {
                    "thrusters"
                },
            ];
            (distance > size).then(|| {
                let text = format!(
                    "the {kind} {name} is {distance:.3} m outside a body of {size:.3} m; check its \
                 position and the unit"
                );
                (keys, text)
            })
        });
    far.collect()
}

fn diagonal(damping: &Damping) -> [f64; 6] {
    match damping {
        Damping::Zero => [0.0; 6],
        Damping::Diagonal(values) => *values,
        Damping::Full(matrix) => std::array::from_fn(|k| matrix[k][k]),
    }
}

/// Returns the size of the largest link that has a shape [m].
fn size_of(robot: &Robot) -> Option<f64> {
    let sizes = (0..robot.links.len()).filter_map(|link| {
        let [low, high] = box_around(points_of(robot, link))?;
        let edges = high - low;
        Some(edges.x.max(edges.y).max(edges.z))
    });
    sizes.reduce(f64::max)
}

/// Returns points of the hull, the collision shapes and the visual shapes of a link, in L, whose
/// box is the box of the link.
fn points_of(robot: &Robot, link: usize) -> Vec<Vec3> {
    let own = &robot.links[link];
    let mut points = Vec::new();
    let shapes = robot.colliders.iter().chain(&robot.visuals);
    for shape in shapes.filter(|shape| shape.link == link) {
        points.extend(shape.corners());
    }
    if let Some(mesh) = &own.hull_mesh {
        points.extend(mesh.vertices.iter().copied());
    } else if own.own_hull {
        let bound = own.hull.bound;
        points.extend([-bound, bound].map(|r| own.hull.p_LoH + Vec3::new(r, r, r)));
    }
    points
}

/// Warns of angles in degrees that are common in radians, and of angles in radians that exceed a
/// turn.
fn check_angles(node: &Node, key: &str, found: &mut Problems) {
    let is_angle = |unit: &str| {
        let stem = key.strip_suffix(unit);
        stem.is_some_and(|stem| !stem.ends_with("_per"))
    };
    match &node.value {
        Value::Null => {}
        Value::Scalar { text, quoted } => {
            let Some(x) = text.parse::<f64>().ok().filter(|_| !quoted) else {
                return;
            };
            // as a person writes it, with two decimals or more; a saved angle has all decimals
            let decimals = text
                .split_once('.')
                .map_or(0, |(_, decimals)| decimals.len());
            let scale = libm::pow(10.0, decimals as f64);
            let written = (x.abs() * scale).round();
            let is_common = |angle: &f64| {
                let exact = angle * scale;
                decimals >= 2 && [exact.round(), exact.floor()].contains(&written)
            };
            if is_angle("_deg") && COMMON.iter().any(is_common) {
                let text = format!(
                    "{key}: {x} looks like radians; expected degrees, {:.1} deg",
                    x.to_degrees()
                );
                found.note(&node.place, text);
            } else if is_angle("_rad") && x.is_finite() && x.abs() > TAU {
                let text = format!(
                    "{key}: {x} looks like degrees; expected radians, {:.4} rad",
                    x.to_radians()
                );
                found.note(&node.place, text);
            }
        }
        Value::Seq(items) => items.iter().for_each(|item| check_angles(item, key, found)),
        Value::Map(map) => {
            for (inner, node) in &map.entries {
                // `angles_rad` contains values by the names of devices
                let is_device = key.ends_with("_rad") && matches!(node.value, Value::Scalar { .. });
                let name = if is_device { key } else { inner.name.as_str() };
                check_angles(node, name, found);
            }
        }
    }
}
