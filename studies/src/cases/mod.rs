//! Cases that repeat published trials. [`merrow_validate::cases`] defines what a case is.

pub mod avoidance;
pub mod docking;
pub mod kelpie;
pub mod missions;
pub mod swarm;

use merrow_validate::cases::Case;
use merrow_validate::sets::CaseSet;

/// Returns all cases except those that take minutes, sorted by number.
pub fn all_cases() -> Vec<Case> {
    let mut all = [
        &missions::CASES[..],
        &kelpie::CASES,
        &docking::CASES,
        &[avoidance::CASE, swarm::CASE],
    ]
    .concat();
    all.sort_by_key(|case| case.number);
    all
}

/// Returns the cases of a set, also those that take minutes, sorted by number.
pub fn cases_of(set: &CaseSet) -> Vec<Case> {
    let mut selected = all_cases();
    selected.extend(docking::LONG_CASES);
    selected.retain(|case| case.set == set);
    selected.sort_by_key(|case| case.number);
    selected
}
