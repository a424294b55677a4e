//! Cases with a known answer: closed-form solutions, other programs, published trials. `merrow
//! validate` and the tests run the same cases.
//!
//! A case runs the production code, through world files where possible. It reports the expected
//! value, the result and the tolerance of each comparison. A case that fails is reported as a
//! failure.

pub mod bodies;
pub mod check;
pub mod comms;
pub mod control;
pub mod hemisphere;
pub mod hulls;
pub mod otter;
pub mod reference_data;
pub mod remus;
pub mod reports;
pub mod sea;
pub mod vessels;

use crate::cases::check::Check;
use crate::cases::reference_data::ReferenceData;
use crate::sets::CaseSet;
use merrow_chart::canvas::Drawing;

/// Result of a case.
#[derive(Clone, Debug, Default)]
pub struct CaseResult {
    /// Comparisons of the case.
    pub checks: Vec<Check>,
    /// Names and figures of the case.
    pub figures: Vec<(&'static str, Drawing)>,
}

impl CaseResult {
    /// Creates a result without figures.
    pub fn new(checks: Vec<Check>) -> Self {
        Self {
            checks,
            figures: Vec::new(),
        }
    }

    /// Adds a figure under its file name.
    pub fn with_figure(mut self, name: &'static str, figure: Drawing) -> Self {
        self.figures.push((name, figure));
        self
    }

    /// Returns the comparison with the largest error relative to its tolerance, or `None` without
    /// comparisons.
    pub fn worst_check(&self) -> Option<&Check> {
        let first = self.checks.first()?;
        // a comparison with NaN counts as the worst
        let by = |c: &Check| {
            if c.relative_error().is_nan() {
                f64::INFINITY
            } else {
                c.relative_error()
            }
        };
        Some(
            self.checks
                .iter()
                .fold(first, |worst, c| if by(c) > by(worst) { c } else { worst }),
        )
    }

    /// Returns true if every comparison is within its tolerance.
    pub fn passes(&self) -> bool {
        self.checks.iter().all(Check::passes)
    }
}

/// A validation case with a known answer.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Number of the case, as in V01.
    pub number: u32,
    /// Set that the case belongs to.
    pub set: &'static CaseSet,
    /// Subject of the case.
    pub title: &'static str,
    /// Source of the expected values.
    pub source: &'static str,
    /// Function that runs the case.
    pub run: Run,
}

/// Runs a case. Returns its comparisons, or the reason why it could not run.
pub type Run = fn(&ReferenceData<'_>) -> Result<CaseResult, String>;

/// Returns the cases that `merrow validate` runs for a set, sorted by number.
pub fn cases_of(set: &CaseSet) -> Vec<Case> {
    // the laws of sound also concern communication
    let is_related = |c: &Case| set.name == "comms" && (65..=69).contains(&c.number);
    let mut selected = all_cases();
    selected.retain(|c| c.set == set || is_related(c));
    selected
}

/// Returns all cases, sorted by number.
pub fn all_cases() -> Vec<Case> {
    let mut all: Vec<Case> = [
        &crate::cases::bodies::CASES[..],
        &crate::cases::hemisphere::CASES,
        &crate::cases::hulls::CASES,
        &crate::cases::vessels::CASES,
        &crate::cases::control::CASES,
        &crate::cases::sea::CASES,
        &crate::cases::sea::hour::CASES,
        &crate::cases::sea::water::CASES,
        &crate::cases::sea::sound::CASES,
        &crate::cases::comms::CASES,
        &crate::cases::reports::bodies::CASES,
        &crate::cases::reports::sensors::CASES,
    ]
    .concat();
    all.sort_by_key(|c| c.number);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    // a number identifies one case
    #[test]
    fn case_numbers_are_unique() {
        let numbers: Vec<u32> = all_cases().iter().map(|c| c.number).collect();
        assert!(numbers.windows(2).all(|w| w[0] < w[1]), "{numbers:?}");
        assert!(crate::sets::ALL.iter().all(|set| !cases_of(set).is_empty()));
    }

    #[test]
    fn worst_check_has_the_largest_relative_error() {
        let near = Check::relative("near", "m", 2.0, 2.001, 0.01);
        let far = Check::absolute("far", "m", 2.0, 2.2, 0.1);
        let found = CaseResult::new(vec![near.clone(), far]);
        assert_eq!(found.worst_check().map(|c| c.what.as_str()), Some("far"));
        assert!(!found.passes() && CaseResult::new(vec![near.clone()]).passes());
        let nan = Check::absolute("nan", "m", 2.0, f64::NAN, 0.1);
        let found = CaseResult::new(vec![nan, near]);
        assert_eq!(found.worst_check().map(|c| c.what.as_str()), Some("nan"));
        assert!(!found.passes(), "NaN does not pass");
    }
}
