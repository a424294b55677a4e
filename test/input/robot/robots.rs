//! Tests of wrong robots, names, links and joints.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::common::{scene, simulation};
use crate::input::{bluerov2, check, joint, plain};
use merrow_math::{Quat, SpatialVelocity, Vec3};

#[test]
fn invalid_names_are_rejected() {
    check(
        "robots:\n  ROV: {model: bluerov2}\n",
        "w.yaml:2:3: in `robots`: expected a name of lowercase letters, digits and `_` that starts with a letter, found `ROV`",
    );
    check(
        "robots:\n  my-rov: {model: bluerov2}\n",
        "w.yaml:2:3: in `robots`: expected a name of lowercase letters, digits and `_` that starts with a letter, found `my-rov`",
    );
    check(
        "robots:\n  1st: {model: bluerov2}\n",
        "w.yaml:2:3: in `robots`: expected a name of lowercase letters, digits and `_` that starts with a letter, found `1st`",
    );
    check(
        "robots:\n  a.b: {model: bluerov2}\n",
        "w.yaml:2:3: in `robots`: expected a name of lowercase letters, digits and `_` that starts with a letter, found `a.b`",
    );
    check(
        "robots:\n  r_0: {model: bluerov2}\n  r: {model: bluerov2, repeat: {count: [2, 1, 1], spacing_m: [1, 1, 1]}}\n",
        "w.yaml:2:3: two robots are called r_0; rename one, or the grid that made it",
    );
    check(
        &plain(
            "thrusters: {T1: {motor: t200_newton, position_m: [0, 0, 0], direction: [1, 0, 0]}}",
        ),
        "w.yaml:6:19: in `thrusters`: expected a name of lowercase letters, digits and `_` that starts with a letter, found `T1`",
    );
}

#[test]
fn invalid_robot_grids_are_rejected() {
    check(
        "robots:\n  r: {model: bluerov2, repeat: {count: [1000, 1000, 1], spacing_m: [1, 1, 1]}}\n",
        "w.yaml:2:40: 1000000 copies of r; expected at most 100000 robots in a world",
    );
    check(
        "robots:\n  r: {model: bluerov2, repeat: {count: [10000, 10000, 10000], spacing_m: [1, 1, 1]}}\n",
        "w.yaml:2:40: 1000000000000 copies of r; expected at most 100000 robots in a world",
    );
    check(
        "robots:\n  r: {model: bluerov2, repeat: 3}\n",
        "w.yaml:2:32: `repeat`: expected a map with keys, found `3`",
    );
}

#[test]
fn invalid_links_are_rejected() {
    check(
        &plain("links: {arm: {parent: base, joint: {kind: fixed}, body: reach_alpha5_jaw}}"),
        "w.yaml:6:29: no link `base` declared above this line; expected `base_link`",
    );
    check(
        &plain(
            "links: {hand: {parent: arm, joint: {kind: fixed}, body: reach_alpha5_jaw}, arm: {parent: base_link, joint: {kind: fixed}, body: reach_alpha5_jaw}}",
        ),
        "w.yaml:6:30: no link `arm` declared above this line; expected `base_link`",
    );
    check(
        &plain(
            "links: {base_link: {parent: base_link, joint: {kind: fixed}, body: reach_alpha5_jaw}}",
        ),
        "w.yaml:6:26: the name `base_link` is taken",
    );
    check(
        &(joint("{kind: continuous}")
            + "        hand: {parent: arm, joint: {kind: continuous, name: arm_joint}, body: reach_alpha5_jaw}\n"),
        "w.yaml:11:15: the name `arm_joint` is taken",
    );
    check(
        &plain(
            "thrusters: {t1: {motor: t200_newton, link: bas_link, position_m: [0, 0, 0], direction: [1, 0, 0]}}",
        ),
        "w.yaml:6:50: no link `bas_link` declared above this line; did you mean `base_link`?",
    );
    check(
        &bluerov2("sensors: {imu: {link: body}}"),
        "w.yaml:5:29: no link `body` declared above this line; expected `base_link`",
    );
}

#[test]
fn limits_of_joints() {
    check(
        &joint("{kind: revolute}"),
        "w.yaml:9:18: the joint of arm has no limits; expected `lower_rad` and `upper_rad`",
    );
    check(
        &joint("{kind: revolute, upper_rad: 1}"),
        "w.yaml:9:18: the joint of arm has no limits; expected `lower_rad` and `upper_rad`",
    );
    check(
        &joint("{kind: revolute, lower_rad: 1, upper_rad: -1}"),
        "w.yaml:9:46: the joint of arm: `lower_rad` is 1; expected at most `upper_rad` -1",
    );
    check(
        &joint("{kind: revolute, lower_deg: -90, upper_deg: 90}"),
        concat!(
            "w.yaml:9:18: the joint of arm has no limits; expected `lower_rad` and `upper_rad`\n",
            "w.yaml:9:35: unknown key `lower_deg`: expected `lower_rad` [rad], found the unit `deg`\n",
            "w.yaml:9:51: unknown key `upper_deg`: expected `upper_rad` [rad], found the unit `deg`"
        ),
    );
    check(
        &joint("{kind: prismatic, lower_rad: 0, upper_rad: 1}"),
        concat!(
            "w.yaml:9:18: the joint of arm has no limits; expected `lower_m` and `upper_m`\n",
            "w.yaml:9:47: the joint of arm: `lower_rad` does not apply to a prismatic joint\n",
            "w.yaml:9:61: the joint of arm: `upper_rad` does not apply to a prismatic joint"
        ),
    );
    check(
        &joint("{kind: continuous, lower_rad: -1, upper_rad: 1}"),
        concat!(
            "w.yaml:9:48: the joint of arm: `lower_rad` does not apply to a continuous joint\n",
            "w.yaml:9:63: the joint of arm: `upper_rad` does not apply to a continuous joint"
        ),
    );
}

#[test]
fn invalid_joints_are_rejected() {
    check(
        &joint("{kind: hinge}"),
        "w.yaml:9:25: `kind`: expected one of `revolute`, `continuous`, `prismatic`, `fixed`, found string `hinge`",
    );
    check(
        &joint("{axis: [0, 0, 1]}"),
        "w.yaml:9:18: missing key `kind` (type of the joint) in `joint`",
    );
    check(
        &joint("{kind: continuous, axis: [0, 0, 0]}"),
        "w.yaml:9:43: the axis of the joint of arm has no length; expected numbers that are not all 0",
    );
    check(
        &joint("{kind: continuous, damping: -1}"),
        "w.yaml:9:46: `damping`: expected a non-negative number, found `-1`",
    );
    check(
        &joint("{kind: continuous, max_effort: 0}"),
        "w.yaml:9:49: `max_effort`: expected a positive number, found `0`",
    );
    check(
        &joint("{kind: continuous, max_speed: 0}"),
        "w.yaml:9:48: `max_speed`: expected a positive number, found `0`",
    );
    check(
        &joint("{kind: continuous, drive: velocity}"),
        "w.yaml:9:44: `drive`: expected one of `effort`, `position`, `servo`, found string `velocity`",
    );
    check(
        &joint("{kind: continuous, drive: {kind: effort, max_speed: 1}}"),
        "w.yaml:9:59: unknown key `max_speed` in `drive`; expected one of `stiffness`, `spring_rest`",
    );
}

#[test]
fn initial_joint_positions() {
    check(
        &(joint("{kind: revolute, lower_rad: -1, upper_rad: 1}")
            + "    joint_positions: {arm_joint: 2}\n"),
        "w.yaml:11:23: joint arm_joint starts at 2; expected -1 to 1",
    );
    check(
        &(joint("{kind: revolute, lower_rad: -1, upper_rad: 1}")
            + "    joint_positions: {arm_jiont: 0}\n"),
        "w.yaml:11:23: no joint `arm_jiont`; did you mean `arm_joint`?",
    );
    check(
        &(joint("{kind: fixed}") + "    joint_positions: {arm_joint: 1}\n"),
        "w.yaml:11:23: joint arm_joint is fixed; expected the name of one that moves",
    );
    check(
        &(joint("{kind: continuous}") + "    joint_positions: {arm_joint: open}\n"),
        "w.yaml:11:34: `arm_joint`: expected a number, found string `open`",
    );
}

/// A value for every key of a body.
const BODY_VALUES: &[(&str, &str)] = &[
    ("mass_kg", "2"),
    ("center_of_mass_m", "[0.1, 0, 0]"),
    ("inertia_kg_m2", "{xx: 1, yy: 2, zz: 2.5}"),
    ("volume_m3", "0.002"),
    ("net_buoyancy_n", "3"),
    ("center_of_buoyancy_m", "[0, 0, 0.1]"),
    ("hull", "{kind: box, size_m: [0.1, 0.1, 0.1]}"),
    ("loads", "{foam: {force_n: 1, position_m: [0, 0, 0.1]}}"),
    ("added_mass", "{kind: diagonal, values: [1, 1, 1, 1, 1, 1]}"),
    (
        "linear_damping",
        "{kind: diagonal, values: [1, 1, 1, 1, 1, 1]}",
    ),
    (
        "quadratic_damping",
        "{kind: diagonal, values: [1, 1, 1, 1, 1, 1]}",
    ),
    ("linear_damping_decay_s_per_m", "[1, 1, 1, 1, 1, 1]"),
    ("surface_damping", "{roll_nm_s_per_rad: 1}"),
    (
        "slender",
        "{length_m: 1, diameter_m: 0.1, area_m2: 0.1, axial_drag: 0.1, cross_flow_drag: [1, 1]}",
    ),
    (
        "glider",
        "{drag: [1, 2], lift: [1, 2], side: 1, roll: [1, 2], pitch: [1, 2, 3], yaw: [1, 2]}",
    ),
    ("derivatives", "{Y_uv: 1}"),
    ("munk_moment", "false"),
    ("munk_moment_yaw", "false"),
    ("damping_point_m", "[0.2, 0, 0]"),
    ("wind", "{area_m2: [1, 1, 1]}"),
    ("collisions", "{ball: {kind: sphere, radius_m: 0.1}}"),
    ("visuals", "{ball: {kind: sphere, radius_m: 0.1}}"),
];

/// Keys that are descriptive, set the axes of the others, or are rejected on all links except the
/// base.
const OTHER_BODY_KEYS: &[&str] = &[
    "description",
    "source",
    "estimated",
    "axes",
    "restoring",
    "coefficients_at",
    "extends",
    "radiation",
    "kelpie_attitude",
];

/// Height of the two bodies in a world [m], and whether the force is the same on the base and on a
/// link that is fixed to it at the same place. At the surface the hull of the base represents both.
fn body_case(key: &str) -> (f64, bool) {
    match key {
        "wind" => (5.0, true),
        "hull" | "surface_damping" => (0.0, false),
        _ => (-20.0, true),
    }
}

/// Keys of a body: the required keys, the keys on which `key` acts, and `key` with `value` unless
/// it is `None`.
fn body_keys(key: &str, value: Option<&str>) -> String {
    let mut keys = vec![
        ("mass_kg", "1"),
        ("inertia_kg_m2", "{xx: 1, yy: 1, zz: 1}"),
        ("volume_m3", "0.001"),
    ];
    match key {
        "linear_damping_decay_s_per_m" | "damping_point_m" => keys.push((
            "linear_damping",
            "{kind: diagonal, values: [2, 2, 2, 2, 2, 2]}",
        )),
        "munk_moment" | "munk_moment_yaw" => keys.push((
            "added_mass",
            "{kind: diagonal, values: [1, 2, 3, 0.1, 0.2, 0.3]}",
        )),
        _ => {}
    }
    if let Some(value) = value {
        let replaced = if key == "net_buoyancy_n" {
            "volume_m3"
        } else {
            key
        };
        keys.retain(|(other, _)| *other != replaced);
        keys.push((key, value));
    }
    let keys: Vec<String> = keys.iter().map(|(k, v)| format!("{k}: {v}")).collect();
    keys.join(", ")
}

/// World with a base and a link that is fixed to it at the same place, with these keys of their
/// bodies.
fn two_bodies(base: &str, fixed: &str, height: f64) -> String {
    format!(
        "weather: {{wind_speed_m_s: 12, wind_from_deg: 30}}\nrobots:\n  r:\n    \
         position_m: [0, 0, {height}]\n    model:\n      source: test\n      \
         body: {{source: test, axes: flu, {base}}}\n      links: {{fixed: {{parent: base_link, \
         joint: {{kind: fixed}}, body: {{source: test, axes: flu, {fixed}}}}}}}\n"
    )
}

/// Mean acceleration of the base over one step, from an oblique motion: angular and linear, along
/// its axes [rad/s², m/s²].
fn moving_acceleration(world: &str) -> [f64; 6] {
    let mut simulation = simulation(world);
    let V = SpatialVelocity {
        w: Vec3::new(0.3, -0.5, 0.4),
        v: Vec3::new(0.8, 0.6, -0.5),
    };
    let motion = &mut simulation.state.robots[0].motion;
    (motion.q_WB, motion.V_WB_B) = (Quat::from_rpy(0.2, -0.3, 0.4), V);
    simulation.advance(1);
    let after = simulation.state.robots[0].motion.V_WB_B;
    let change = [after.w - V.w, after.v - V.v].map(|d| d.scale(1.0 / simulation.scene.dt()));
    std::array::from_fn(|k| change[k / 3][k % 3])
}

// Every key of a body acts on a link with a fixed joint, which may be merged into its parent.
// Method: acceleration of a moving robot with and without the key, for every key of the schema. The
// same key on the base instead of a link at the same place gives the same acceleration. Tolerance:
// 1e-9 of the acceleration; shapes do not act in water and are compared as a scene.
#[test]
fn every_body_key_acts_on_a_fixed_link() {
    let difference = |a: [f64; 6], b: [f64; 6]| {
        let squares = a.iter().zip(&b).map(|(a, b)| (a - b).powi(2));
        squares.sum::<f64>().sqrt()
    };
    for (key, value) in BODY_VALUES {
        let (height, is_symmetric) = body_case(key);
        let (with, without) = (body_keys(key, Some(value)), body_keys(key, None));
        let fixed = two_bodies(&without, &with, height);
        if matches!(*key, "collisions" | "visuals") {
            let robot = |text: &str| format!("{:?}", scene(text).robots);
            let neither = two_bodies(&without, &without, height);
            assert_ne!(robot(&fixed), robot(&neither), "{key}");
            continue;
        }
        let acceleration = moving_acceleration(&fixed);
        let neither = moving_acceleration(&two_bodies(&without, &without, height));
        let effect = difference(acceleration, neither);
        assert!(effect > 1e-3, "{key}: {acceleration:?}");
        let on_base = moving_acceleration(&two_bodies(&with, &without, height));
        let deviation = difference(acceleration, on_base);
        assert!(
            !is_symmetric || deviation < 1e-9 * (1.0 + effect),
            "{key}: {acceleration:?} on the link, {on_base:?} on the base"
        );
    }
    let schema = merrow_world::json_schema();
    let body = schema["$defs"]["BodyConfig"]["properties"]
        .as_object()
        .expect("a body");
    for key in body.keys() {
        let listed =
            BODY_VALUES.iter().any(|(k, _)| k == key) || OTHER_BODY_KEYS.contains(&key.as_str());
        assert!(listed, "no value for `{key}`");
    }
}
