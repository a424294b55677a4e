//! Tests a spheroid in ideal fluid: Lamb's added mass, Kirchhoff's motion, the Munk moment [V31,
//! V35, V36].

use crate::common::cases::run;

// Goal, method and tolerance are stated with the cases, in `crates/validate/src/cases/bodies.rs`.
#[test]
fn lamb_factors_match_the_table() {
    run(31);
}

#[test]
fn spheroid_motion_matches_kirchhoff() {
    run(35);
}

#[test]
fn munk_moment_turns_spheroid_broadside() {
    run(36);
}
