//! Tests REMUS 100 against Fossen's two programs, which disagree: each variant is compared with its
//! own program.

use crate::witness::cases::{reference_data, run};
use merrow_validate::cases::remus::straight;

/// Compares a straight run with the program: 1 % of the steady speed during the run (Euler's error
/// at the start), 0.5 % at the end (V49); roll 3 % of its final value (the programs use g at 63.4
/// deg north, 0.1 % more).
fn straight_run_follows(program: &str, rpm: u32, steady: f64) {
    let rows = straight(&reference_data(), program, rpm).unwrap();
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

// Goal, method and tolerance of the following are stated with the cases, in
// `crates/validate/src/cases/remus.rs` and `vessels.rs`. V46: a current carries the vehicle without
// changing its relative motion.
#[test]
fn current_has_no_other_effect() {
    run(46);
}

// V47, with the Otter.
#[test]
fn accelerations_match_fossens_matlab_program() {
    assert_eq!(run(47).checks.len(), 12);
}

// V48, with the Otter: turns and a dive.
#[test]
fn trajectories_follow_fossens_programs() {
    assert_eq!(run(48).checks.len(), 4);
}

// V49, with the Otter.
#[test]
fn steady_speeds_and_turns_match_programs() {
    run(49);
}
