//! Tests of values of the wrong type and of numbers out of range.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::input::{bluerov2, check, world};

#[test]
fn values_that_are_not_numbers() {
    check(
        &world("gravity_m_s2: fast"),
        "w.yaml:1:15: `gravity_m_s2`: expected a non-negative number [m/s2], found string `fast`",
    );
    check(
        &world("gravity_m_s2: \"9.81\""),
        "w.yaml:1:15: `gravity_m_s2`: expected a non-negative number [m/s2], found string `\"9.81\"`",
    );
    check(
        &world("gravity_m_s2: 9.81 m/s2"),
        "w.yaml:1:15: `gravity_m_s2`: expected a non-negative number [m/s2], found string `9.81 m/s2`",
    );
    check(
        &world("gravity_m_s2: 9,81"),
        "w.yaml:1:15: `gravity_m_s2`: expected a non-negative number [m/s2], found string `9,81`",
    );
    check(
        &world("gravity_m_s2: nan"),
        "w.yaml:1:15: `gravity_m_s2`: expected a non-negative number [m/s2], found string `nan`",
    );
    check(
        &world("gravity_m_s2: true"),
        "w.yaml:1:15: `gravity_m_s2`: expected a non-negative number [m/s2], found `true`",
    );
    check(
        &world("gravity_m_s2: "),
        "w.yaml:1:1: `gravity_m_s2`: expected a non-negative number [m/s2], found null",
    );
    check(
        &world("gravity_m_s2: [9.81]"),
        "w.yaml:1:15: `gravity_m_s2`: expected a non-negative number [m/s2], found a list of 1",
    );
    check(
        &world("gravity_m_s2: {value: 9.81}"),
        "w.yaml:1:15: `gravity_m_s2`: expected a non-negative number [m/s2], found a map",
    );
}

#[test]
fn values_that_are_not_finite() {
    check(
        &world("gravity_m_s2: .nan"),
        "w.yaml:1:15: `gravity_m_s2`: expected a finite number [m/s2], found `.nan`",
    );
    check(
        &world("gravity_m_s2: .inf"),
        "w.yaml:1:15: `gravity_m_s2`: expected a finite number [m/s2], found `.inf`",
    );
    check(
        &world("water: {density_kg_m3: -.inf}"),
        "w.yaml:1:24: `density_kg_m3`: expected a finite number [kg/m3], found `-.inf`",
    );
    check(
        &world("gravity_m_s2: 1e999"),
        "w.yaml:1:15: `gravity_m_s2`: expected a finite number [m/s2], found `1e999`",
    );
    check(
        &bluerov2("body: {mass_kg: .nan}"),
        "w.yaml:5:23: `mass_kg`: expected a finite number [kg], found `.nan`",
    );
    check(
        "robots:\n  r: {model: bluerov2, velocity_m_s: [0, .nan, 0]}\n",
        "w.yaml:2:42: `velocity_m_s[1]`: expected a finite number [m/s], found `.nan`",
    );
}

#[test]
fn numbers_out_of_range() {
    check(
        &world("gravity_m_s2: -9.81"),
        "w.yaml:1:15: `gravity_m_s2`: expected a non-negative number [m/s2], found `-9.81`",
    );
    check(
        &world("step: {dt_s: 0}"),
        "w.yaml:1:14: `dt_s`: expected a number from 0.000001 to 0.1 [s], found `0`",
    );
    check(
        &world("step: {dt_s: 1}"),
        "w.yaml:1:14: `dt_s`: expected a number from 0.000001 to 0.1 [s], found `1`",
    );
    check(
        &world("origin: {latitude_deg: 91}"),
        "w.yaml:1:24: `latitude_deg`: expected a number from -90 to 90 [deg], found `91`",
    );
    check(
        &world("seabed: {depth_m: 0}"),
        "w.yaml:1:19: `depth_m`: expected a positive number [m], found `0`",
    );
    check(
        &world("water: {sound_speed_m_s: 343}"),
        "w.yaml:1:26: `sound_speed_m_s`: expected a number from 1000 to 2000 [m/s], found `343`",
    );
    check(
        &world("water: {current: {kind: uniform, speed_m_s: -1}}"),
        "w.yaml:1:45: `speed_m_s`: expected a non-negative number [m/s], found `-1`",
    );
    check(
        &world("water: {current: {kind: uniform, speed_m_s: 1, direction_deg: 400}}"),
        "w.yaml:1:63: `direction_deg`: expected a number from -360 to 360 [deg], found `400`",
    );
    check(
        &world("water: {variation: {std_m_s: [0.1, -0.1, 0], correlation_time_s: 0}}"),
        concat!(
            "w.yaml:1:36: `std_m_s[1]`: expected a non-negative number [m/s], found `-0.1`\n",
            "w.yaml:1:66: `correlation_time_s`: expected a positive number [s], found `0`"
        ),
    );
}

#[test]
fn invalid_whole_numbers_are_rejected() {
    check(
        &world("seed: -1"),
        "w.yaml:1:7: `seed`: expected a non-negative whole number, found `-1`",
    );
    check(
        &world("seed: 1.5"),
        "w.yaml:1:7: `seed`: expected a non-negative whole number, found `1.5`",
    );
    check(
        &world("seed: 99999999999999999999999"),
        "w.yaml:1:7: `seed`: expected a whole number from 0 to 18446744073709551615, found `99999999999999999999999`",
    );
    check(
        "robots:\n  r: {model: bluerov2, repeat: {count: [0, 1.5, 20000], spacing_m: [1, 1, 1]}}\n",
        concat!(
            "w.yaml:2:41: `count[0]`: expected a whole number from 1 to 10000, found `0`\n",
            "w.yaml:2:44: `count[1]`: expected a whole number from 1 to 10000, found `1.5`\n",
            "w.yaml:2:49: `count[2]`: expected a whole number from 1 to 10000, found `20000`"
        ),
    );
}

#[test]
fn lists_and_maps() {
    check(
        "robots:\n  r: {model: bluerov2, position_m: [0, 0]}\n",
        "w.yaml:2:36: `position_m`: expected 3 numbers [m], found 2",
    );
    check(
        "robots:\n  r: {model: bluerov2, position_m: [0, up, 0]}\n",
        "w.yaml:2:40: `position_m[1]`: expected a number [m], found string `up`",
    );
    check(
        "robots:\n  r: {model: bluerov2, position_m: 3}\n",
        "w.yaml:2:36: `position_m`: expected a list of 3 numbers [m], found `3`",
    );
    check(
        "robots:\n  r: {model: bluerov2, position_m: {x: 1, y: 0, z: 0}}\n",
        "w.yaml:2:36: `position_m`: expected a list of 3 numbers [m], found a map",
    );
    check(
        &world("seabed: {slope_east_north: [0.1]}"),
        "w.yaml:1:28: `slope_east_north`: expected 2 numbers, found 1",
    );
    check(
        &world("water: [1025]"),
        "w.yaml:1:8: `water`: expected a map with keys, found a list of 1",
    );
    check(
        &world("water: 1025"),
        "w.yaml:1:8: `water`: expected a map with keys, found `1025`",
    );
    check(
        &world("description: [a]"),
        "w.yaml:1:14: `description`: expected a string, found a list of 1",
    );
    check(
        &world("water: {current: {kind: profile, layers: []}}"),
        "w.yaml:1:42: `layers`: expected a list of maps with keys that is not empty, found an empty list",
    );
    check(
        &world("water: {current: {kind: profile, layers: {depth_m: 0, speed_m_s: 1}}}"),
        "w.yaml:1:42: `layers`: expected a list of maps with keys, found a map",
    );
}

#[test]
fn layers_of_the_current() {
    check(
        &world(
            "water: {current: {kind: profile, layers: [{depth_m: 10, speed_m_s: 1}, {depth_m: 0, speed_m_s: 1}]}}",
        ),
        "w.yaml:1:42: the layers of the current are not in order; expected increasing `depth_m`",
    );
    check(
        &world(
            "water: {current: {kind: profile, layers: [{depth_m: 0, speed_m_s: 1}, {depth_m: 0, speed_m_s: 2}]}}",
        ),
        "w.yaml:1:42: the layers of the current are not in order; expected increasing `depth_m`",
    );
    check(
        &world("water: {current: {kind: profile, layers: [{depth_m: -1, speed_m_s: 1}]}}"),
        "w.yaml:1:53: `depth_m`: expected a non-negative number [m], found `-1`",
    );
}

/// A wrong value does not hide a wrong reference in the same file, even to the object with the
/// wrong value; references to objects that could not be read are not reported.
#[test]
fn wrong_values_do_not_hide_wrong_references() {
    let world = |mass: &str| {
        format!(
            "water: {{density_kg_m3: -1}}\nrobots:\n  r:\n    model:\n      source: t\n      body: {{source: t, axes: flu, \
             mass_kg: {mass}, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}\n      thrusters:\n        t1: {{position_m: [0, 0, 0], \
             direction: [1, 0, 0], motor: {{source: t, command: newton, \
             range: [-50, 50], curve: direct, diameter_m: 0.1}}}}\n\
             schedule: {{x: {{time_s: 1, robot: r, kind: thrusters, values: {{t9: 1500, t1: 1500}}}}, \
             y: {{time_s: 1, robot: q, kind: arm, on: true}}}}\n"
        )
    };
    let density =
        "w.yaml:1:24: `density_kg_m3`: expected a number from 0 to 2000 [kg/m3], found `-1`\n";
    let references =
        "w.yaml:9:63: no thruster `t9`; expected `t1`\nw.yaml:9:107: no robot `q`; expected `r`";
    check(&world("1"), &format!("{density}{references}"));
    let mass = "w.yaml:6:45: `mass_kg`: expected a positive number [kg], found `-2`\n";
    check(&world("-2"), &format!("{density}{mass}{references}"));
    let mass = "w.yaml:6:45: `mass_kg`: expected a positive number [kg], found string `heavy`\n";
    let rest = "w.yaml:9:107: no robot `q`";
    check(&world("heavy"), &format!("{density}{mass}{rest}"));
}
