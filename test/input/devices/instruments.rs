//! Tests of wrong instruments for water, air and on-board quantities.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::input::{check, device};

#[test]
fn invalid_probes_are_rejected() {
    check(
        &device("kind: probe, field: turbidty"),
        "w.yaml:8:66: unknown water quantity `turbidty`; expected one of `temperature`, `salinity`, `density`, `sound_speed`, or a name under `water.tracers`",
    );
    let tracers = "water: {tracers: {turbidity: {unit: NTU, profile: [[0, 1]]}}}\n".to_string();
    check(
        &(tracers + &device("kind: probe, field: turbidty")),
        "w.yaml:9:66: unknown water quantity `turbidty`; expected one of `temperature`, `salinity`, `density`, `sound_speed`, `turbidity`, or a name under `water.tracers`; did you mean `turbidity`?",
    );
    check(
        &device("kind: probe, field: salinity, range: [5, 5], response_s: -1"),
        "w.yaml:8:103: `response_s`: expected a non-negative number [s], found `-1`",
    );
    check(
        &device("kind: probe, field: salinity, range: [5, 5]"),
        "w.yaml:8:83: `range` is [5, 5]; expected the smaller value first",
    );
    check(
        &device("kind: probe, field: salinity, detection_limit: .nan"),
        "w.yaml:8:93: `detection_limit`: expected a finite number, found `.nan`",
    );
    check(
        &device("kind: ctd, conductivity_response_s: .inf, depth_law: tap"),
        "w.yaml:8:82: `conductivity_response_s`: expected a finite number [s], found `.inf`\nw.yaml:8:99: `depth_law`: expected one of `seawater`, `fresh`, found string `tap`",
    );
    check(
        &device("kind: probe"),
        "w.yaml:8:19: missing key `field` (measured quantity: `temperature`, `salinity`, `density`, `sound_speed`, or the name of a quantity in `water.tracers`) in `device`",
    );
}

#[test]
fn air_and_hull() {
    check(
        &device("kind: barometer, range_pa: [90000, 30000]"),
        "w.yaml:8:73: `range_pa` is [90000, 30000]; expected the smaller value first",
    );
    check(
        &device("kind: anemometer, distance_constant_m: -2"),
        "w.yaml:8:85: `distance_constant_m`: expected a non-negative number [m], found `-2`",
    );
    check(
        &device("kind: leak_detector, trigger_volume_m3: -1"),
        "w.yaml:8:86: `trigger_volume_m3`: expected a non-negative number [m3], found `-1`",
    );
}

#[test]
fn instruments_need_their_monitored_component() {
    check(
        &device("kind: motor_telemetry"),
        "w.yaml:8:11: s1 measures a motor; expected the key `thruster`, the thruster of this motor",
    );
    check(
        &device("kind: power_meter"),
        "w.yaml:8:11: s1 measures the battery, r has none",
    );
    check(
        &device("kind: motor_telemetry").replace("device:", "thruster: t1\n          device:"),
        "w.yaml:8:21: no thruster `t1` on r; there are none",
    );
    check(
        &device("kind: pressure").replace("device:", "thruster: t1\n          device:"),
        "w.yaml:8:21: s1 is a pressure: only `motor_telemetry` has a `thruster`",
    );
}

#[test]
fn invalid_samplers_are_rejected() {
    check(
        &device("kind: water_sampler, volume_m3: 0, flow_m3_s: 1, bottles: 0"),
        "w.yaml:8:78: `volume_m3`: expected a positive number [m3], found `0`\nw.yaml:8:104: `bottles`: expected a whole number from 1 to 1000, found `0`",
    );
    check(
        &device("kind: water_sampler, volume_m3: 1, flow_m3_s: 1, fields: [density, salt]"),
        "w.yaml:8:103: unknown water quantity `salt`; expected one of `temperature`, `salinity`, `density`, `sound_speed`, or a name under `water.tracers`",
    );
}
