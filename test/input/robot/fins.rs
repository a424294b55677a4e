//! Tests of wrong fins, hydrodynamic derivatives and cross-flow drag.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::input::{messages, plain};

/// Checks that a world has a single message, which is at the position of `key`. `expected` has the
/// form `@key: text`; `text` is the message without its position.
#[track_caller]
fn check(text: &str, expected: &str) {
    let (key, expected) = expected[1..].split_once(": ").unwrap();
    let found = messages(text);
    let line = text.lines().nth(5).unwrap();
    let key_at = line.find(&format!("{key}:")).unwrap();
    let (place, printed) = found.split_once(": ").unwrap();
    assert_eq!(printed, expected, "of\n{text}");
    // The position is the position of the value of the key.
    let column: usize = place.rsplit(':').next().unwrap().parse().unwrap();
    let value_at = key_at + key.len() + 2;
    assert!(
        place.starts_with("w.yaml:6:") && column == value_at + 1,
        "{place}, expected column {}",
        value_at + 1
    );
}

/// Returns a rudder with these keys of its mount and its surface.
fn rudder(mount: &str, surface: &str) -> String {
    plain(&format!(
        "fins: {{rudder: {{position_m: [-1, 0, 0], {mount}, surface: {{source: test, area_m2: 0.02, span_m: 0.2, {surface}}}}}}}"
    ))
}

const SHAFT: &str = "shaft: [0, 0, 1]";
const LAW: &str = "law: {kind: lift_drag}";
const RANGE: &str = "range_deg: [-20, 20]";

#[test]
fn invalid_fin_mounts_are_rejected() {
    let surface = format!("{LAW}, {RANGE}");
    check(
        &rudder("shaft: [0, 0, 0]", &surface),
        "@shaft: the shaft of rudder has no length; expected numbers that are not all 0",
    );
    check(
        &rudder("shaft: [2, 0, 0]", &surface),
        "@shaft: the chord of rudder lies along its shaft; expected it across",
    );
    check(
        &rudder("shaft: [0, 0, 1], slipstream: {thruster: prop}", &surface),
        "@thruster: no thruster `prop`; there are none",
    );
    check(
        &plain(&format!(
            "fins: {{rudder: {{position_m: [0, 0, 0], {SHAFT}, surface: remus100_rudder}}}}\n      sensors: {{rudder: {{device: truth}}}}"
        )),
        "@rudder: the name `rudder` is taken by a link, joint or sensor",
    );
}

#[test]
fn invalid_azimuth_thrusters_are_rejected() {
    let thruster = |azimuth: &str| {
        plain(&format!(
            "thrusters: {{t: {{motor: t200_newton, position_m: [0, 0, 0], direction: [1, 0, 0], azimuth: {{{azimuth}}}}}}}"
        ))
    };
    check(
        &thruster("range_deg: [-90, 90], shaft: [1, 0, 1]"),
        "@shaft: the shaft of t_azimuth is not perpendicular to the direction of thrust",
    );
    check(
        &thruster("range_deg: [90, -90]"),
        "@range_deg: the range of t_azimuth is [90, -90]; expected the lowest angle first",
    );
}

#[test]
fn invalid_fin_surfaces_are_rejected() {
    check(
        &rudder(SHAFT, &format!("{LAW}, range_deg: [20, -20]")),
        "@range_deg: the range of rudder is [20, -20]; expected the lowest angle first",
    );
    check(
        &rudder(SHAFT, &format!("{LAW}, range_deg: [-180, 20]")),
        "@range_deg: the range of rudder reaches half a turn or more; expected it within (-180, 180)",
    );
    check(
        &rudder(
            SHAFT,
            &format!(
                "{RANGE}, law: {{kind: table, alpha_deg: [0, 90], lift: [0, 1], drag: [0, 1]}}"
            ),
        ),
        "@alpha_deg: the angles of the table of rudder go from 0 to 90; expected increasing angles from -180 or 0 to 180",
    );
    check(
        &rudder(
            SHAFT,
            &format!("{RANGE}, law: {{kind: table, alpha_deg: [0, 180], lift: [0], drag: [0, 1]}}"),
        ),
        "@lift: the table of rudder has 1 values of lift for 2 angles; expected one per angle",
    );
    check(
        &rudder(SHAFT, &format!("{RANGE}, law: {{kind: joukowski}}")),
        "@kind: `kind`: expected one of `lift_drag`, `table`, `chord`, `fossen`, `derivative`, found string `joukowski`",
    );
}

#[test]
fn invalid_sails_are_rejected() {
    let with = |keys: &str| {
        plain(&format!(
            "fins: {{s: {{position_m: [0, 0, 1], shaft: [0, 0, 1], surface: {{source: test, sail: true, area_m2: 1, span_m: 1, {keys}}}}}}}"
        ))
    };
    crate::input::check(
        &with("range_deg: [0, 90], law: {kind: fossen, lift_slope_per_rad: 3}"),
        "w.yaml:6:89: the sail s has a law of the kind `fossen`; expected `lift_drag` or `table`",
    );
    crate::input::check(
        &with("range_deg: [-10, 90], law: {kind: lift_drag}"),
        "w.yaml:6:129: the sheet of s starts at -10 degrees; expected 0 or more",
    );
}
