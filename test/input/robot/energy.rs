//! Tests of wrong batteries, loads, solar panels and chargers.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::input::{bluerov2, check, motor, plain};

const BATTERY: &str = "source: test, capacity_ah: 1, open_circuit_v: [[0, 12], [1, 14]]";

#[test]
fn invalid_batteries_are_rejected() {
    check(
        &plain(&format!("battery: {{{BATTERY}, cut_off_v: 14}}")),
        "w.yaml:6:94: `cut_off_v` is 14; expected less than the highest open-circuit voltage 14: the protection would never close",
    );
    check(
        &plain("battery: {source: test, capacity_ah: 1, open_circuit_v: [[0, 12], [1.2, 14]]}"),
        "w.yaml:6:63: the open-circuit voltage: expected charges from 0 to 1 and voltages above 0",
    );
    check(
        &bluerov2("battery: {charge_efficiency: 0}"),
        "w.yaml:5:36: `charge_efficiency`: expected a number from 0.01 to 1, found `0`",
    );
}

#[test]
fn loads_and_panels() {
    check(
        &plain("loads: {lamp: {power_w: 3}}"),
        "w.yaml:6:14: `loads` has no effect on a robot without a battery; expected `battery`",
    );
    check(
        &bluerov2("loads: {lamp: {power_w: 3, level: 2}}"),
        "w.yaml:5:41: `level`: expected a number from 0 to 1, found `2`",
    );
    check(
        &bluerov2(
            "solar_panels: {p: {source: test, area_m2: 1, efficiency: 0.2, normal: [0, 0, 0]}}",
        ),
        "w.yaml:5:77: the normal of p has no length; expected numbers that are not all 0",
    );
    check(
        &bluerov2("solar_panels: {p: {source: test, area_m2: 1, efficiency: 0.2, link: mast}}"),
        "w.yaml:5:75: no link `mast` declared above this line; expected `base_link`",
    );
}

#[test]
fn invalid_motors_are_rejected() {
    check(
        &motor("command: newton, range: [-1, 1], curve: direct, motor_efficiency: 0.8"),
        "w.yaml:10:116: t1 has `motor_efficiency`, but its curve is of the kind `direct`, which has no torque; expected `power_w_per_n15`",
    );
    check(
        &motor(
            "command: rad_s, range: [-1, 1], motor_efficiency: 0.8, power_w_per_n15: 1, curve: {kind: open_water, kt: [[0, 1]], kq: [[0, 1]]}",
        ),
        "w.yaml:10:100: t1 has both `motor_efficiency` and `power_w_per_n15`; expected one of them",
    );
    check(
        &motor("command: newton, range: [-1, 1], curve: direct, temperature_limits_c: [90, 80]"),
        "w.yaml:10:120: the temperature limits of t1 are [90, 80]; expected the derating temperature first",
    );
}

#[test]
fn invalid_chargers_are_rejected() {
    let with = |charger: &str| {
        format!(
            "chargers: {{pad: {{{charger}}}}}\n{}",
            bluerov2("command_timeout_s: 1")
        )
    };
    check(
        &with("kind: coupling, coupling: dock, current_a: 1"),
        "w.yaml:1:44: no coupling `dock` for the charger pad; there are none",
    );
    check(
        &with("kind: proximity, range_m: 1, position: {robot: rr}, current_a: 1"),
        "w.yaml:1:65: no robot or prop `rr` for the charger pad; expected `r`",
    );
    check(
        &with("kind: proximity, range_m: 1, position: {}, current_a: 1, source_robot: usv"),
        "w.yaml:1:89: no robot or prop `usv` for the charger pad; expected `r`",
    );
    check(
        &(with("kind: proximity, range_m: 1, position: {}, current_a: 1, source_robot: p")
            + "  p: {model: {source: test, body: {source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}}}\n"),
        "w.yaml:1:89: p is to feed the charger pad, but has no battery",
    );
    check(
        &with("kind: proximity, current_a: 1, position: {}"),
        "w.yaml:1:17: missing key `range_m` (range of the charger) in `pad`",
    );
}
