//! Tests of wrong faults.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::input::check;

fn with(fault: &str) -> String {
    format!(
        "faults: {{x: {{{fault}}}}}\nrobots:\n  r:\n    model:\n      source: test\n      body: {{source: test, axes: flu, mass_kg: 10, \
         inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}\n      sensors: {{imu: {{device: truth}}, t: {{device: truth}}}}\n      \
         thrusters: {{t: {{motor: t200_newton, position_m: [0, 0, 0], direction: [1, 0, 0]}}}}\n"
    )
}

#[test]
fn invalid_faults_are_rejected() {
    check(
        &with("robot: rr, target: t, kind: dead"),
        "w.yaml:1:21: no robot or prop `rr` for the fault x; expected `r`",
    );
    check(
        &with("robot: r, target: wing, kind: dead"),
        "w.yaml:1:32: no device `wing` on r; expected one of thrusters/t, sensors/imu, sensors/t, links/base_link",
    );
    check(
        &with("robot: r, target: t, kind: dead"),
        "w.yaml:1:32: several devices of r are called `t`; expected one of thrusters/t, sensors/t",
    );
    check(
        &with("robot: r, target: sensors/t, kind: reduced, fraction: 0.5"),
        "w.yaml:1:49: `sensors/t` cannot be `reduced`; expected one of dead, stuck, biased, noisy, intermittent",
    );
    check(
        &with("robot: r, target: thrusters/t, kind: reduced, fraction: 1.5"),
        "w.yaml:1:70: `fraction`: expected a number from 0 to 1, found `1.5`",
    );
    check(
        &with("robot: r, target: base_link, kind: dead"),
        "w.yaml:1:49: `base_link` cannot be `dead`; expected one of leak",
    );
    check(
        &with("robot: r, target: imu, kind: tired"),
        "w.yaml:1:43: `kind`: expected one of `dead`, `stuck`, `reduced`, `biased`, `noisy`, `intermittent`, `shortage`, `leak`, `jammed`, `spoofed`, `slow`, found string `tired`",
    );
    check(
        &with("robot: r, target: imu, kind: jammed"),
        "w.yaml:1:43: `imu` cannot be `jammed`; expected one of dead, stuck, biased, noisy, intermittent",
    );
    check(
        &with("robot: r, target: imu, kind: spoofed, offset_m: [1, .nan, 0]"),
        "w.yaml:1:66: `offset_m[1]`: expected a finite number [m], found `.nan`",
    );
    check(
        &with("robot: r, target: imu, kind: jammed, power_w: -1"),
        "w.yaml:1:60: `power_w`: expected a non-negative number [W], found `-1`",
    );
    check(
        &with("robot: r, target: imu, kind: dead, duration_s: 0"),
        "w.yaml:1:61: `duration_s`: expected a positive number [s], found `0`",
    );
    check(
        &with("robot: r, target: imu, kind: intermittent, mean_working_s: 1"),
        "w.yaml:1:13: missing key `mean_failed_s` (mean time for which it fails) in `x`",
    );
}

#[test]
fn invalid_beacon_faults_are_rejected() {
    let world = |fault: &str| {
        format!(
            "{}beacons: {{gate: {{beacon: pinger_27khz}}, tail: {{beacon: seatrac_x010}}}}\n",
            with(fault)
        )
    };
    check(
        &world("target: gat, kind: dead"),
        "w.yaml:1:22: no beacon or fixed modem `gat` in the world; expected one of beacons/gate, beacons/tail; a device of a robot needs `robot`",
    );
    check(
        &with("target: imu, kind: dead"),
        "w.yaml:1:22: no beacon or fixed modem `imu` in the world; it has none; a device of a robot needs `robot`",
    );
    check(
        &world("target: gate, kind: stuck"),
        "w.yaml:1:34: `gate` cannot be `stuck`; expected one of dead, reduced, biased, intermittent",
    );
    check(
        &world("robot: r, target: gate, kind: dead"),
        "w.yaml:1:32: no device `gate` on r; expected one of thrusters/t, sensors/imu, sensors/t, links/base_link",
    );
    check(
        &world("target: beacons/tail, kind: reduced, fraction: .nan"),
        "w.yaml:1:61: `fraction`: expected a finite number, found `.nan`",
    );
}
