//! Tests of wrong thrusters and batteries.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::input::{bluerov2, check, motor, plain};

#[test]
fn invalid_thruster_commands_are_rejected() {
    check(
        &plain(
            "thrusters: {t1: {motor: t200_newton, position_m: [0, 0, 0], direction: [0, 0, 0]}}",
        ),
        "w.yaml:6:78: the direction of t1 has no length; expected numbers that are not all 0",
    );
    check(
        &motor("command: rpm, range: [-1, 1], curve: direct"),
        "w.yaml:10:59: `command`: expected one of `newton`, `normalized`, `rad_s`, `pwm_us`, found string `rpm`",
    );
    check(
        &motor("command: newton, range: [10, -10], curve: direct"),
        "w.yaml:10:74: the range of t1 is [10, -10]; expected the lowest command first",
    );
    check(
        &motor("command: pwm_us, range: [1100, 1900], curve: direct"),
        "w.yaml:10:18: the neutral command of t1 is 0; expected it within [1100, 1900]",
    );
    check(
        &bluerov2("command_timeout_s: -1"),
        "w.yaml:5:26: `command_timeout_s`: expected a positive number [s], found `-1`",
    );
    check(
        &bluerov2("thrusters: {t1: {rotation: clockwise}}"),
        "w.yaml:5:34: `rotation`: expected one of `right`, `left`, found string `clockwise`",
    );
    check(
        &motor("command: newton, range: [-1, 1], curve: direct, heat_fraction: 1.2"),
        "w.yaml:10:113: `heat_fraction`: expected a number from 0 to 1, found `1.2`",
    );
}

#[test]
fn invalid_thrust_curves_are_rejected() {
    check(
        &motor(
            "command: newton, range: [-1, 1], curve: {kind: table, points: [[-1, -5], [0, 0], [0, 1], [1, 5]]}",
        ),
        "w.yaml:10:112: the curve of t1 does not increase: 0 comes after 0; expected increasing first values",
    );
    check(
        &motor("command: newton, range: [-1, 1], curve: {kind: table, points: []}"),
        "w.yaml:10:112: `points`: expected a list of lists of 2 numbers that is not empty, found an empty list",
    );
    check(
        &motor(
            "command: newton, range: [-1, 1], curve: {kind: table, points: [[-1, -5, 2], [1, 5]]}",
        ),
        "w.yaml:10:113: `points[0]`: expected 2 numbers, found 3",
    );
    check(
        &motor(
            "command: rad_s, range: [-1, 1], curve: {kind: quadratic, ahead_n_s2_per_rad2: 1, astern_n_s2_per_rad2: -1}",
        ),
        "w.yaml:10:153: `astern_n_s2_per_rad2`: expected a positive number [N s2/rad2], found `-1`",
    );
    check(
        &motor(
            "command: rad_s, range: [-1, 1], curve: {kind: open_water, kt: [[0, 0.4], [-0.1, 0.5]], kq: [[0, 0.04], [0, 0.01]]}",
        ),
        concat!(
            "w.yaml:10:112: KT of t1 does not increase: -0.1 comes after 0; expected increasing first values\n",
            "w.yaml:10:141: KQ of t1 does not increase: 0 comes after 0; expected increasing first values"
        ),
    );
}

#[test]
fn invalid_actuator_lags_are_rejected() {
    check(
        &motor(
            "command: newton, range: [-1, 1], curve: direct, lag: {kind: transfer_function, numerator: [1], denominator: [1, -1]}",
        ),
        "w.yaml:10:158: the lag of t1: it is unstable: the denominator has a root with a non-negative real part",
    );
    check(
        &motor(
            "command: newton, range: [-1, 1], curve: direct, lag: {kind: transfer_function, numerator: [10], denominator: [1, 1, 1, 10]}",
        ),
        "w.yaml:10:159: the lag of t1: it is unstable: the denominator has a root with a non-negative real part",
    );
    check(
        &motor(
            "command: newton, range: [-1, 1], curve: direct, lag: {kind: transfer_function, numerator: [1], denominator: [1]}",
        ),
        "w.yaml:10:158: the lag of t1: expected a denominator of order 1 to 3, found order 0",
    );
    check(
        &motor(
            "command: newton, range: [-1, 1], curve: direct, lag: {kind: transfer_function, numerator: [1], denominator: [1, 4, 6, 4, 1]}",
        ),
        "w.yaml:10:158: the lag of t1: expected a denominator of order 1 to 3, found order 4",
    );
    check(
        &motor(
            "command: newton, range: [-1, 1], curve: direct, lag: {kind: transfer_function, numerator: [1, 2], denominator: [1, 1]}",
        ),
        "w.yaml:10:161: the lag of t1: expected a numerator of order less than 1, found order 1",
    );
    check(
        &motor(
            "command: newton, range: [-1, 1], curve: direct, lag: {kind: transfer_function, numerator: [1], denominator: [0, 1]}",
        ),
        "w.yaml:10:158: the lag of t1: the denominator begins with 0; expected the coefficient of the highest power",
    );
    check(
        &motor(
            "command: newton, range: [-1, 1], curve: direct, lag: {kind: first_order, time_constant_s: -0.05}",
        ),
        "w.yaml:10:140: `time_constant_s`: expected a positive number [s], found `-0.05`",
    );
    check(
        &motor("command: newton, range: [-1, 1], curve: direct, lag: first_order"),
        "w.yaml:10:103: missing key `time_constant_s` (time constant of the lag) in `lag`",
    );
}

#[test]
fn invalid_battery_curves_are_rejected() {
    check(
        &bluerov2("battery: {open_circuit_v: [[0, 12], [1, 16], [0.5, 14]]}"),
        "w.yaml:5:33: the open-circuit voltage does not increase: 0.5 comes after 1; expected increasing first values",
    );
    check(
        &bluerov2("battery: {open_circuit_v: [[0, 12], [100, 16]]}"),
        "w.yaml:5:33: the open-circuit voltage: expected charges from 0 to 1 and voltages above 0",
    );
    check(
        &bluerov2("battery: {capacity_ah: 0}"),
        "w.yaml:5:30: `capacity_ah`: expected a positive number [Ah], found `0`",
    );
    check(
        &bluerov2("battery: {initial_charge: 1.5}"),
        "w.yaml:5:33: `initial_charge`: expected a number from 0 to 1, found `1.5`",
    );
}
