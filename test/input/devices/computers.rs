//! Tests of wrong computers and tasks.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::input::{check, plain};

/// Returns a robot with the computer `main`, whose tasks `a` and `b` are in lines 8 and 9.
fn tasks(a: &str, b: &str) -> String {
    plain(&format!(
        "computers:\n        main: {{tasks: {{\n          a: {{{a}}},\n          b: {{{b}}}}}}}"
    ))
}

const TIME: &str = "execution: {kind: constant, time_s: 0.1}";

#[test]
fn invalid_tasks_are_rejected() {
    let plain = format!("activation: {{kind: periodic, period_s: 1}}, {TIME}");
    for (keys, expected) in [
        (
            format!("activation: {{kind: periodic}}, {TIME}"),
            "w.yaml:8:27: a: missing key `period_s`",
        ),
        (
            format!("activation: {{kind: message}}, {TIME}"),
            "w.yaml:8:27: a: the activation `message` requires `commands`, `sensors` or `modems`; add one",
        ),
        (
            format!("activation: {{kind: after, task: c}}, {TIME}"),
            "w.yaml:8:27: a: no task `c`; expected one of `a`, `b`",
        ),
        (
            format!("activation: {{kind: after, task: a}}, {TIME}"),
            "w.yaml:8:27: a: the task releases itself, through `after`",
        ),
        (
            format!("{plain}, runs_firmware: true"),
            "w.yaml:8:115: `runs_firmware` of a: the robot has no firmware",
        ),
        (
            format!("{plain}, sensors: [imu]"),
            "w.yaml:8:109: `sensors` of a: no sensor `imu`; there are none",
        ),
        (
            format!("{plain}, modems: [acoustic]"),
            "w.yaml:8:108: `modems` of a: no modem `acoustic`; there are none",
        ),
        (
            "activation: {kind: periodic, period_s: 1}, execution: {kind: uniform, range_s: [2, 1]}".into(),
            "w.yaml:8:69: a: `range_s`: expected the minimum first",
        ),
        (
            "activation: {kind: periodic, period_s: 1}, execution: {kind: exponential, mean_s: 1, min_s: 2}".into(),
            "w.yaml:8:69: a: `mean_s`: expected at least `min_s`",
        ),
        (
            format!("activation: {{kind: periodic, period_s: 0}}, {TIME}"),
            "w.yaml:8:54: `period_s`: expected a number from 0.00001 to 100000 [s], found `0`",
        ),
    ] {
        check(&tasks(&keys, &plain), expected);
    }
    let commands = format!("{plain}, commands: true");
    check(
        &tasks(&commands, &commands),
        "w.yaml:9:110: `commands` of b: every command already passes through another task",
    );
}
