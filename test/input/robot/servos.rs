//! Tests of wrong servos, joint groups, keep-out boxes and wrench sensors.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::input::{check, joint, plain};

/// Returns a servo with its required keys and these.
fn servo(keys: &str) -> String {
    joint(&format!(
        "{{kind: continuous, drive: {{kind: servo, max_speed: 1, {keys}law: {{kind: cascade, velocity_gain: 1}}}}}}"
    ))
}

#[test]
fn invalid_servos_are_rejected() {
    check(&servo(""), "accepted");
    check(
        &joint("{kind: continuous, drive: {kind: servo, max_speed: 1}}"),
        "w.yaml:9:44: missing key `law` (control law of the velocity loop) in `drive`",
    );
    check(
        &servo("mode: position, "),
        "w.yaml:9:78: the servo of arm starts in position mode; expected a `position_gain_per_s` above 0",
    );
    check(
        &servo("rate_hz: 1000, "),
        "w.yaml:9:81: the servo of arm is set to 1000 ticks per second, but the time step allows 500; lower the rate or `dt_s`",
    );
    // The rate of a bundled robot: the error is in the world.
    let bundled = "step: {dt_s: 0.05}\nrobots: {r: {model: osu_uvms_servo}}\n";
    let text = crate::input::messages(bundled);
    let servos = text
        .lines()
        .filter(|line| line.contains("ticks per second"));
    let at_step = |line: &str| line.starts_with("w.yaml:1:14: the servo of ");
    assert!(
        servos.clone().count() > 0 && servos.clone().all(at_step),
        "{text}"
    );
    check(
        &servo("actuator: {stall_effort: 3}, "),
        "w.yaml:9:97: `stall_effort` without `no_load_speed` does not define a torque-speed line; expected both",
    );
    check(
        &servo("actuator: {backlash: 0.01}, "),
        "w.yaml:9:93: the gear of arm has a gap or a spring; expected a `rotor_inertia_kg_m2` above 0",
    );
    check(
        &servo("actuator: {efficiency: 0}, "),
        "w.yaml:9:95: `efficiency`: expected a number from 0.01 to 1, found `0`",
    );
    let winding = "resistance_ohm: 1, thermal_resistance_k_per_w: 1, thermal_time_constant_s: 1";
    check(
        &servo(&format!("actuator: {{winding: {{{winding}}}}}, ")),
        "w.yaml:9:92: the winding of arm heats with its current; expected `effort_per_ampere` too",
    );
    check(
        &servo(&format!(
            "actuator: {{effort_per_ampere: 1, winding: {{derate_from_c: 130, {winding}}}}}, "
        )),
        "w.yaml:9:130: arm: `derate_from_c` is 130; expected less than `max_temperature_c` 125",
    );
}

/// Returns a robot with the joint `arm_joint` and one more line in its model, at line 11, column 7.
fn with_arm(line: &str) -> String {
    joint("{kind: continuous}") + "      " + line + "\n"
}

#[test]
fn invalid_joint_groups_are_rejected() {
    check(&with_arm("joint_groups: {left: [arm_joint]}"), "accepted");
    check(
        &with_arm("joint_groups: {left: [arm_jiont]}"),
        "w.yaml:11:22: group left: no moving joint `arm_jiont`; did you mean `arm_joint`?",
    );
    check(
        &with_arm("joint_groups: {left: [arm_joint], right: [arm_joint]}"),
        "w.yaml:11:41: group right: joint arm_joint is in group left already",
    );
    check(
        &with_arm("joint_groups: {left: []}"),
        "w.yaml:11:22: group left has no joints; expected at least one",
    );
}

#[test]
fn keep_out_boxes() {
    let keep_out = |link: &str, size: &str| {
        with_arm(&format!(
            "keep_out: {{boxes: {{hull: {{center_m: [0, 0, 0], size_m: {size}}}}}, spheres: {{tip: {{link: {link}}}}}}}"
        ))
    };
    check(&keep_out("arm", "[1, 1, 1]"), "accepted");
    check(
        &keep_out("armm", "[1, 1, 1]"),
        "w.yaml:11:97: no link `armm` on r; did you mean `arm`?",
    );
    check(
        &keep_out("arm", "[1, 0, 1]"),
        "w.yaml:11:66: `size_m[1]`: expected a positive number [m], found `0`",
    );
}

#[test]
fn invalid_wrench_sensors_are_rejected() {
    check(
        &plain("sensors: {ft: {device: {source: test, rate_hz: 10, kind: wrench}}}"),
        "w.yaml:6:21: ft measures the wrench through a joint, base_link has none; expected a `link`",
    );
}
