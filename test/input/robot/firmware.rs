//! Tests of errors in firmwares and rotors.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::input::{check, plain};

const GAINS: &str = "position_gain_n_per_m: [6, 6, 6], velocity_gain_n_s_per_m: [5, 5, 5], attitude_gain_nm_per_rad: [3, 3, 0.2], rate_gain_nm_s_per_rad: [0.5, 0.5, 0.2]";

#[test]
fn multirotor_needs_sufficient_rotors() {
    let none = format!("firmware: {{kind: multirotor, source: test, {GAINS}}}");
    check(
        &plain(&none),
        concat!(
            "w.yaml:6:17: firmware `multirotor`: the thrusters of r cannot lift it\n",
            "w.yaml:6:17: firmware `multirotor`: the thrusters of r cannot pitch it\n",
            "w.yaml:6:17: firmware `multirotor`: the thrusters of r cannot roll it\n",
            "w.yaml:6:17: firmware `multirotor`: the thrusters of r cannot turn it",
        ),
    );
}

#[test]
fn invalid_firmware_values_are_rejected() {
    check(
        "robots:\n  r: {model: {extends: robots/firefly.yaml, firmware: {rate_hz: 1000, max_position_lead_m: 0}}}",
        "w.yaml:2:92: `max_position_lead_m`: expected a positive number [m], found `0`",
    );
    check(
        "robots:\n  r: {model: {extends: robots/firefly.yaml, firmware: {rate_hz: 1000}}}",
        "w.yaml:2:65: `rate_hz`: expected at most 500 with steps of 0.002 s, found 1000",
    );
}

#[test]
fn boat_needs_surge_and_yaw_thrusters() {
    let gains = "speed_gain_n_s_per_m: 1, speed_integral_gain_n_per_m: 1, yaw_rate_gain_nm_s_per_rad: 1, yaw_integral_gain_nm_per_rad: 1, max_speed_m_s: 1, max_yaw_rate_rad_s: 1";
    check(
        &plain(&format!(
            "firmware: {{kind: surge_yaw_rate, source: test, {gains}}}"
        )),
        concat!(
            "w.yaml:6:17: firmware `surge_yaw_rate`: the thrusters of r cannot push it ahead\n",
            "w.yaml:6:17: firmware `surge_yaw_rate`: the thrusters of r cannot turn it",
        ),
    );
    check(
        "robots:\n  r: {model: {extends: robots/heron.yaml, firmware: {extends: firmware/heron_velocity.yaml, rate_hz: 600}}}",
        "w.yaml:2:102: `rate_hz`: expected at most 500 with steps of 0.002 s, found 600",
    );
}

#[test]
fn rotor_needs_a_first_order_lag() {
    check(
        "robots:\n  r: {model: {extends: robots/firefly.yaml, thrusters: {r0: {motor: {lag: {kind: second_order, natural_frequency_rad_s: 9, damping_ratio: 1}}}}}}",
        "w.yaml:2:75: the lag of the rotor r0: expected none, first_order or up_down",
    );
}

#[test]
fn names_of_fins_and_joints() {
    check(
        "robots:\n  r: {model: {extends: robots/taipan300.yaml, firmware: {rudder: ruder}}}",
        "w.yaml:2:66: no fin `ruder`; did you mean `rudder`?",
    );
    check(
        "robots:\n  r: {model: {extends: robots/taipan300.yaml, firmware: {pitch_limits_deg: [5, -5]}}}",
        "w.yaml:2:76: `pitch_limits_deg`: expected the steepest dive first, found [5, -5]",
    );
    check(
        "robots:\n  r: {model: {extends: robots/rover.yaml, firmware: {left: [front_left_whel]}}}",
        "w.yaml:2:60: no joint `front_left_whel` with a servo; did you mean `front_left_wheel`?",
    );
}

#[test]
fn invalid_buoyancy_engines_are_rejected() {
    let engine = |keys: &str| {
        plain(&format!(
            "buoyancy_engines: {{b: {{source: test, rate_m3_s: [1e-5, 1e-5], {keys}}}}}"
        ))
    };
    check(
        &engine("range_m3: [1e-3, -1e-3]"),
        "w.yaml:6:79: the range of b is [0.001, -0.001]; expected the smallest volume first",
    );
    check(
        &engine("range_m3: [-1e-3, 1e-3], start_m3: 0.1"),
        "w.yaml:6:104: b starts at 0.1 m3; expected -0.001 to 0.001",
    );
}

#[test]
fn heading_depth_hold_needs_an_existing_propeller() {
    let start = |keys: &str| {
        let model = "extends: robots/remus100.yaml, firmware: {extends: firmware/remus100_heading_depth_hold.yaml, start: {";
        format!("robots:\n  r: {{model: {{{model}{keys}}}}}}}}}")
    };
    check(
        &start("propeller: propellor"),
        "w.yaml:2:128: no thruster `propellor`; did you mean `propeller`?",
    );
    check(
        &start("command: 1000"),
        "w.yaml:2:126: `command` is 1000; expected -159.69762655748 to 159.69762655748",
    );
}
