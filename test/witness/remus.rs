//! REMUS 100 against Fossen's two programs, which disagree: each form is held against its own.

use crate::common::cases::{run, with_materials};
use merrow_validate::cases::remus::straight;

/// Runs straight and follows the program: 1 % of the steady speed on the way (Euler's error at the
/// start), 0.5 % at the end (V49); roll 3 % of its final value (the programs take g at 63.4 deg
/// north, 0.1 % more).
fn straight_run_follows(program: &str, rpm: u32, steady: f64) {
    let rows = with_materials(|materials| straight(materials, program, rpm)).unwrap();
    let (n, last_roll) = (rows.len(), rows.last().unwrap()[0][1]);
    for (k, [[u, roll], [found, found_roll]]) in rows.into_iter().enumerate() {
        assert!(
            (found - u).abs() < 0.01 * steady,
            "{rpm} rpm, row {k}: {found} m/s, {program} {u}"
        );
        if 5 * k > 4 * n {
            assert!(
                (found - steady).abs() < 0.005 * steady,
                "{rpm} rpm steady: {found}, {program} {steady}"
            );
            assert!(
                (found_roll - roll).abs() < 0.03 * last_roll.abs(),
                "roll {found_roll}, {program} {roll}"
            );
        }
    }
}

#[test]
fn straight_run_follows_fossens_python_program() {
    straight_run_follows("python", 800, 1.3383);
    straight_run_follows("python", 1525, 2.5536);
}

#[test]
fn straight_run_follows_fossens_matlab_program() {
    straight_run_follows("mss", 800, 1.3303);
    straight_run_follows("mss", 1525, 2.5396);
}

// Goal, method, tolerance of what follows: beside the cases, in `src/validate/cases/remus.rs` and
// `vessels.rs`. V46: a current carries the vehicle without changing how it swims.
#[test]
fn a_current_carries_it_and_changes_nothing_else() {
    run(46);
}

// V47, with the Otter
#[test]
fn accelerations_are_those_of_fossens_matlab_program() {
    assert_eq!(run(47).checks.len(), 12);
}

// V48, with the Otter: turns and a dive
#[test]
fn trajectories_follow_fossens_programs() {
    assert_eq!(run(48).checks.len(), 4);
}

// V49, with the Otter
#[test]
fn steady_speeds_and_turns_are_those_of_the_programs() {
    run(49);
}
