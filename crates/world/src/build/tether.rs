//! Conversion of tethers to lines between two ends, with their initial shape.

use crate::context::SceneContext;
use crate::keys::{TetherConfig, TetherEndConfig};
use merrow_math::Vec3;
use merrow_model::kinematics;
use merrow_model::scene::{Line, LineModel, Scene, Tether, TetherEnd, Winch};
use merrow_model::state::{RobotState, Workspace};

/// Minimum weight in water of a line that is modelled as a catenary [N/m].
const MIN_CATENARY_WEIGHT: f64 = 0.01;

/// Registers each winch with the robot that carries it, and assigns its slot on that robot.
pub(crate) fn register_winches(scene: &mut Scene) {
    for tether in &mut scene.tethers {
        let carrier = tether.winch_robot();
        if let Some(robot) = carrier {
            let winches = &mut scene.robots[robot].winches;
            tether.winch_slot = winches.len();
            winches.push(tether.name.clone());
        }
    }
}

/// Builds the tether `name`; `None` if an end is not found.
pub(crate) fn build_tether(
    name: &str,
    file: &TetherConfig,
    cx: SceneContext<'_>,
) -> Option<Tether> {
    let line = &file.line;
    let (from, to) = (
        build_end(name, &file.from, cx),
        build_end(name, &file.to, cx),
    );
    if let Some(winch) = &file.winch {
        check_winch(name, winch, file, cx);
    }
    let ends = [from?, to?];
    if file.method == LineModel::Catenary {
        check_catenary(name, file, line, &ends, cx);
    }
    let heavy = cx.scene.sea.density == 0.0
        || line.weight_in_water(cx.scene.sea.density, cx.scene.gravity) >= 0.0;
    let places = ends.map(|end| end_position(&end, cx.scene));
    let clamps = [
        clamp_direction(name, &file.from, line, cx),
        clamp_direction(name, &file.to, line, cx),
    ];
    let broken = broken_segment(name, file, cx);
    if broken.is_none() {
        check_load(name, file, line, (places[1] - places[0]).norm(), cx);
    }
    if broken.is_none() && (places[1] - places[0]).norm() > 2.0 * file.length_m {
        let text = format!(
            "the ends of {name} are {:.3} m apart; expected at most twice its length of {} m",
            (places[1] - places[0]).norm(),
            file.length_m
        );
        cx.error(file.at.key_place("length_m"), text);
    }
    let mut start = initial_nodes(places, file.length_m, file.segments as usize, heavy);
    let inner = 1..file.segments as usize;
    for p in &mut start[inner] {
        p.z = p.z.max(cx.scene.sea.seabed.height(p.x, p.y));
    }
    if let Some(nodes) = given_nodes(name, file, ("nodes_m", &file.nodes_m), cx) {
        start = nodes;
    }
    let velocities = ("node_velocities_m_s", &file.node_velocities_m_s[..]);
    let start_v = given_nodes(name, file, velocities, cx);
    Some(Tether {
        name: name.to_string(),
        line: line.clone(),
        seabed_stiffness: line.seabed_stiffness(cx.scene.sea.density, cx.scene.gravity),
        method: file.method,
        ends,
        length_m: file.length_m,
        winch: file.winch.clone(),
        winch_slot: 0,
        // A direction away from the second end is opposite to the line.
        clamps: [clamps[0], clamps[1].map(|t| -t)],
        start_v: start_v.unwrap_or_else(|| vec![Vec3::zero(); start.len()]),
        start,
        broken_segment: broken,
    })
}

/// Returns the values of the nodes that the key `key` lists; `None` without values.
fn given_nodes(
    name: &str,
    file: &TetherConfig,
    (key, values): (&str, &[[f64; 3]]),
    cx: SceneContext<'_>,
) -> Option<Vec<Vec3>> {
    let expected = file.segments as usize + 1;
    if !values.is_empty() && values.len() != expected {
        let text = format!(
            "`{key}` of {name}: expected {expected} values, one more than the segments, found {}",
            values.len()
        );
        return cx.refuse(file.at.key_place(key), text);
    }
    (!values.is_empty()).then(|| values.iter().map(|value| Vec3::from(*value)).collect())
}

/// Returns the segment that is broken at the start.
fn broken_segment(name: &str, file: &TetherConfig, cx: SceneContext<'_>) -> Option<usize> {
    let segment = file.broken_segment?;
    if segment >= file.segments {
        let text = format!(
            "`broken_segment` of {name}: expected less than {} segments, found {segment}",
            file.segments
        );
        return cx.refuse(file.at.key_place("broken_segment"), text);
    }
    Some(segment as usize)
}

fn build_end(name: &str, file: &TetherEndConfig, cx: SceneContext<'_>) -> Option<TetherEnd> {
    match file {
        TetherEndConfig::World { position_m, .. } => {
            Some(TetherEnd::World(Vec3::from(*position_m)))
        }
        TetherEndConfig::Free { position_m, .. } => Some(TetherEnd::Free(Vec3::from(*position_m))),
        TetherEndConfig::Seabed {
            position_m: [x, y], ..
        } => Some(TetherEnd::World(Vec3::new(
            *x,
            *y,
            cx.scene.sea.seabed.height(*x, *y),
        ))),
        TetherEndConfig::Robot {
            robot,
            link,
            position_m,
            at,
        } => {
            let index = cx.find_robot(name, robot, at.key_place("robot"))?;
            let model = &cx.scene.robots[index];
            let frame = cx.find_link(link, at.key_place("link"), model)?;
            Some(TetherEnd::Link {
                robot: index,
                link: frame.link,
                p_LoQ: frame.point(Vec3::from(*position_m)),
            })
        }
    }
}

/// Reports a winch whose range of lengths excludes the length of the tether, and a winch at a free
/// end.
fn check_winch(name: &str, file: &Winch, tether: &TetherConfig, cx: SceneContext<'_>) {
    let longest = file.max_length_m.unwrap_or(tether.length_m);
    if !(file.min_length_m..=longest).contains(&tether.length_m) {
        let text = format!(
            "the winch of {name} holds {} m to {longest} m of line; expected the length of {} m within this range",
            file.min_length_m, tether.length_m
        );
        cx.error(&file.at.whole, text);
    }
    let ends = [(&tether.from, "from"), (&tether.to, "to")];
    if matches!(ends[file.end()].0, TetherEndConfig::Free { .. }) {
        let text = format!(
            "the winch of {name} is at `{}`; expected an end that is not free",
            ends[file.end()].1
        );
        cx.error(&file.at.whole, text);
    }
}

/// Returns the direction in which the line leaves an end.
fn clamp_direction(
    name: &str,
    file: &TetherEndConfig,
    line: &Line,
    cx: SceneContext<'_>,
) -> Option<Vec3> {
    let TetherEndConfig::World {
        direction: Some(direction),
        at,
        ..
    } = file
    else {
        return None;
    };
    let unit = Vec3::from(*direction).unit();
    if unit.is_none() {
        let text = format!(
            "`direction` of an end of {name}: expected a direction, found a vector without length"
        );
        cx.error(at.key_place("direction"), text);
    } else if line.bending_stiffness_nm2 == 0.0 {
        let text = format!(
            "{name} is clamped; expected a line with `bending_stiffness_nm2`: a clamp has no effect without it"
        );
        cx.error(at.key_place("direction"), text);
    }
    unit
}

/// Reports a line whose initial tension exceeds its breaking load.
fn check_load(name: &str, file: &TetherConfig, line: &Line, distance: f64, cx: SceneContext<'_>) {
    let tension = line.axial_stiffness_n * (distance / file.length_m - 1.0);
    if tension > line.breaking_load() {
        let text = format!(
            "{name} is stretched to {distance:.3} m and bears {tension:.0} N at the start; expected less than its breaking \
             load of {} N",
            line.breaking_load()
        );
        cx.error(file.at.key_place("length_m"), text);
    }
}

fn check_catenary(
    name: &str,
    file: &TetherConfig,
    line: &Line,
    ends: &[TetherEnd; 2],
    cx: SceneContext<'_>,
) {
    let weight = line.weight_in_water(cx.scene.sea.density, cx.scene.gravity);
    if weight.abs() < MIN_CATENARY_WEIGHT {
        let text = format!(
            "{name} weighs {weight:.4} N/m in this water; expected at least {MIN_CATENARY_WEIGHT} N/m up or down for a \
             catenary; use the method `lumped`"
        );
        cx.error(file.at.key_place("method"), text);
    }
    if line.bending_stiffness_nm2 > 0.0 {
        let text = format!(
            "{name} has a bending stiffness; expected none for a catenary; use the method `lumped`"
        );
        cx.error(file.at.key_place("method"), text);
    }
    if ends.iter().any(|end| matches!(end, TetherEnd::Free(_))) {
        let text = format!(
            "{name} has a free end; expected two held ends for a catenary; use the method `lumped`"
        );
        cx.error(file.at.key_place("method"), text);
    }
}

/// Returns the position of an end at the start of the run [m], W.
fn end_position(end: &TetherEnd, scene: &Scene) -> Vec3 {
    match *end {
        TetherEnd::World(p) | TetherEnd::Free(p) => p,
        TetherEnd::Link { robot, link, p_LoQ } => {
            let robot = &scene.robots[robot];
            let mut work = Workspace::new(robot);
            kinematics::poses(robot, &RobotState::new(robot).motion, &mut work.links);
            let w = &work.links[link];
            w.p_WL + w.R_WL.mul_vec(p_LoQ)
        }
    }
}

/// Returns the nodes of an unstretched line of `length` [m] between two points: straight if the
/// points are that far apart, else the inextensible catenary, which hangs down, or up if the line
/// floats.
fn initial_nodes([a, b]: [Vec3; 2], length: f64, segments: usize, heavy: bool) -> Vec<Vec3> {
    let d = b - a;
    let along = Vec3::new(d.x, d.y, 0.0);
    let up = if heavy { 1.0 } else { -1.0 };
    let (x, z) = (along.norm(), up * d.z);
    let parts = (0..=segments).map(|i| i as f64 / segments as f64);
    if length <= d.norm() * (1.0 + 1e-9) {
        return parts.map(|s| a + d.scale(s)).collect();
    }
    // Down to the lowest point and up again: the limit of the catenary for zero span.
    let fold = |s: f64| {
        let lowest = 0.5 * (length - z);
        if s <= lowest { -s } else { s - 2.0 * lowest }
    };
    let ratio = (length * length - z * z).sqrt() / x;
    if x < 1e-3 * length || !ratio.is_finite() {
        return parts
            .map(|s| a + along.scale(s) + Vec3::new(0.0, 0.0, up * fold(s * length)))
            .collect();
    }
    // Solves sinh(u)/u = ratio by bisection; u < 10 for all spans above.
    let (mut lo, mut hi) = (0.0, 12.0);
    for _ in 0..100 {
        let u = 0.5 * (lo + hi);
        if libm::sinh(u) < ratio * u {
            lo = u
        } else {
            hi = u
        }
    }
    let scale = 0.5 * x / hi;
    let from = scale * libm::atanh(z / length) - 0.5 * x;
    let s_0 = scale * libm::sinh(from / scale);
    let height = |s: f64| (scale * scale + s * s).sqrt();
    parts
        .map(|part| {
            let s = s_0 + part * length;
            let across = scale * libm::asinh(s / scale) - from;
            a + along.scale(across / x) + Vec3::new(0.0, 0.0, up * (height(s) - height(s_0)))
        })
        .collect()
}
