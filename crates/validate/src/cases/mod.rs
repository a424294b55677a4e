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
pub mod docking;
pub mod hemisphere;
pub mod hulls;
pub mod kelpie;
pub(crate) mod missions;
pub mod otter;
pub mod reference_data;
pub mod remus;
pub mod reports;
pub mod sea;
pub mod vessels;

use crate::cases::check::Check;
use crate::cases::docking::LONG_CASES;
use crate::cases::reference_data::ReferenceData;
use crate::figure::canvas::Drawing;

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
    pub(crate) fn with_figure(mut self, name: &'static str, figure: Drawing) -> Self {
        self.figures.push((name, figure));
        self
    }

    /// Returns the comparison with the largest error relative to its tolerance, or `None` without
    /// comparisons.
    pub(crate) fn worst_check(&self) -> Option<&Check> {
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
    pub set: CaseSet,
    /// Subject of the case.
    pub title: &'static str,
    /// Source of the expected values.
    pub source: &'static str,
    /// Function that runs the case.
    pub run: Run,
}

/// Runs a case. Returns its comparisons, or the reason why it could not run.
pub type Run = fn(&ReferenceData<'_>) -> Result<CaseResult, String>;

/// A set of related cases, selectable on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseSet {
    /// Lake mission of Thetis.
    Thetis,
    /// Laws of the Kelpie simulator.
    Kelpie,
    /// Pool trials of a vehicle with an arm.
    Uvms,
    /// Bodies in ideal fluid.
    Bodies,
    /// Hydrostatics and waves of floating hulls.
    Hulls,
    /// Vehicles compared with other programs and publications.
    Vehicles,
    /// Waves, wind and water.
    Sea,
    /// Modems, channels and medium access.
    Comms,
    /// Docking of RexROV with positions by modem.
    Docking,
    /// Cases of public bug reports of simulators.
    Reports,
}

impl CaseSet {
    /// All sets, in the order of the page.
    pub const ALL: [CaseSet; 10] = [
        CaseSet::Thetis,
        CaseSet::Kelpie,
        CaseSet::Uvms,
        CaseSet::Bodies,
        CaseSet::Hulls,
        CaseSet::Vehicles,
        CaseSet::Sea,
        CaseSet::Comms,
        CaseSet::Docking,
        CaseSet::Reports,
    ];

    /// Returns the name of the set on the command line.
    pub fn name(self) -> &'static str {
        match self {
            CaseSet::Thetis => "thetis",
            CaseSet::Kelpie => "kelpie",
            CaseSet::Uvms => "uvms",
            CaseSet::Bodies => "bodies",
            CaseSet::Hulls => "hulls",
            CaseSet::Vehicles => "vehicles",
            CaseSet::Sea => "sea",
            CaseSet::Comms => "comms",
            CaseSet::Docking => "docking",
            CaseSet::Reports => "reports",
        }
    }
}

impl CaseSet {
    /// Returns the numbers of the cases of other sets that the command also runs for this set.
    fn related(self) -> &'static [u32] {
        match self {
            // the stalled controller, the docking by modem, and the laws of sound
            CaseSet::Comms => &[4, 12, 13, 14, 15, 16, 65, 66, 67, 68, 69],
            _ => &[],
        }
    }

    /// Returns the cases that `merrow validate` runs for this set, also those that take minutes,
    /// sorted by number.
    pub fn cases(self) -> Vec<Case> {
        let all = all_cases().into_iter().chain(LONG_CASES);
        let is_selected = |c: &Case| c.set == self || self.related().contains(&c.number);
        let mut selected: Vec<Case> = all.filter(is_selected).collect();
        selected.sort_by_key(|c| c.number);
        selected
    }
}

/// Returns all cases except those that take minutes, sorted by number.
pub fn all_cases() -> Vec<Case> {
    let mut all: Vec<Case> = [
        &crate::cases::missions::CASES[..],
        &crate::cases::kelpie::CASES,
        &crate::cases::bodies::CASES,
        &crate::cases::hemisphere::CASES,
        &crate::cases::hulls::CASES,
        &crate::cases::vessels::CASES,
        &crate::cases::control::CASES,
        &crate::cases::sea::CASES,
        &crate::cases::sea::hour::CASES,
        &crate::cases::sea::water::CASES,
        &crate::cases::sea::sound::CASES,
        &crate::cases::comms::CASES,
        &crate::cases::docking::CASES,
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
        assert!(
            CaseSet::ALL
                .iter()
                .all(|set| all_cases().iter().any(|c| c.set == *set))
        );
    }

    // Goal: the set of communication runs all cases of modems, channels and the laws of sound.
    // Method: the numbers of the cases. Tolerance: none.
    #[test]
    fn communication_runs_related_cases() {
        let numbers: Vec<u32> = CaseSet::Comms.cases().iter().map(|c| c.number).collect();
        for range in [2..=4, 8..=16, 24..=29, 65..=69] {
            for number in range {
                assert!(numbers.contains(&number), "V{number:02}: {numbers:?}");
            }
        }
        assert!(numbers.windows(2).all(|w| w[0] < w[1]), "{numbers:?}");
        let docking = CaseSet::Docking.cases();
        assert!(docking.iter().all(|c| c.set == CaseSet::Docking) && docking.len() == 5);
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
