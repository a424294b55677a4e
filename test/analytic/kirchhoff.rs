//! A spheroid in ideal fluid: Lamb's added mass, Kirchhoff's motion, the Munk moment [V31, V35,
//! V36].

use crate::common::cases::run;

// Goal, method, tolerance: beside the cases, in `src/validate/cases/bodies.rs`.
#[test]
fn lamb_factors_match_the_table() {
    run(31);
}

#[test]
fn spheroid_moves_as_kirchhoff_says() {
    run(35);
}

#[test]
fn munk_moment_turns_it_broadside() {
    run(36);
}
