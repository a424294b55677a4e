//! Access to the cases of `merrow validate` and of the studies for tests. Each case runs once per process; therefore
//! only the program `witness` runs them.

use merrow_validate::cases::reference_data::ReferenceData;
use merrow_validate::cases::{Case, CaseResult, all_cases};
use merrow_validate::page::Outcome;
use merrow_validate::sets::CaseSet;
use std::path::Path;
use std::sync::{LazyLock, OnceLock};

/// A case and its outcome, once a test has requested it.
struct Entry {
    case: Case,
    outcome: OnceLock<Result<CaseResult, String>>,
}

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let entry = |case| Entry {
        case,
        outcome: OnceLock::new(),
    };
    let all = all_cases()
        .into_iter()
        .chain(merrow_studies::cases::all_cases());
    all.map(entry).collect()
});

/// Returns worlds, tables and recordings.
pub(crate) fn reference_data() -> ReferenceData {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/data");
    ReferenceData { folder }
}

impl Entry {
    fn outcome(&self) -> &Result<CaseResult, String> {
        let run = || (self.case.run)(&reference_data());
        self.outcome.get_or_init(run)
    }
}

/// Returns the cases of `sets` with their outcomes, in order of number.
pub(crate) fn outcomes(sets: &[&CaseSet]) -> Vec<Outcome> {
    let outcome = |entry: &Entry| Outcome {
        case: entry.case,
        found: entry.outcome().clone(),
    };
    let selected = ENTRIES
        .iter()
        .filter(|entry| sets.contains(&entry.case.set));
    selected.map(outcome).collect()
}

/// Runs the case `number` once and returns its result.
///
/// Panics if the case could not run or if a comparison exceeds its tolerance.
#[track_caller]
pub(crate) fn run(number: u32) -> &'static CaseResult {
    let entry = ENTRIES.iter().find(|entry| entry.case.number == number);
    let outcome = entry.expect("a case of this number").outcome();
    let found = outcome
        .as_ref()
        .unwrap_or_else(|why| panic!("V{number:02}: {why}"));
    assert!(!found.checks.is_empty(), "V{number:02} has no comparisons");
    for check in &found.checks {
        assert!(
            check.passes(),
            "V{number:02}, {}: {} instead of {} ({})",
            check.what,
            check.computed_text(),
            check.expected_text(),
            check.tolerance_text()
        );
    }
    found
}
