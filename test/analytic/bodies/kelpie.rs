//! Tests Kelpie's laws as options of a world: pitch and roll, wind, bounding-box buoyancy [V05,
//! V06, V07].

use crate::common::cases::run;

// Goal, method and tolerance are stated with the cases, in `crates/validate/src/cases/kelpie.rs`.
#[test]
fn pitch_and_roll_follow_wind_and_waves() {
    let found = run(5);
    assert_eq!(found.figures[0].0, "kelpie_attitude");
}

#[test]
fn wind_force_is_quadratic() {
    run(6);
}

#[test]
fn a_bounding_box_displaces_more_than_its_hull() {
    run(7);
}
