//! Cases with a known answer: closed solutions, other programs, published trials. `merrow validate` and the tests run the same ones.
//!
//! A case runs the shipped laws, through worlds wherever it can, and says what it expected, what it got and how far they may be apart.
//! One that falls short is printed as such.

pub mod bodies;
pub mod check;
pub mod hemisphere;
pub mod hour;
pub mod hulls;
pub mod kelpie;
pub mod missions;
pub mod otter;
pub mod page;
pub mod reference_data;
pub mod remus;
pub mod sea;
pub mod sound;
pub mod vessels;
pub mod water;

use crate::cases::check::Check;
use crate::cases::reference_data::Materials;
use crate::figure::canvas::Drawing;

/// What a case came to.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Its comparisons.
    pub checks: Vec<Check>,
    /// Its figures and their names, if it has any.
    pub figures: Vec<(&'static str, Drawing)>,
}

impl Found {
    /// Comparisons without a figure.
    pub fn of(checks: Vec<Check>) -> Self {
        Self {
            checks,
            figures: Vec::new(),
        }
    }

    /// With one figure more.
    pub fn with(mut self, name: &'static str, figure: Drawing) -> Self {
        self.figures.push((name, figure));
        self
    }

    /// The comparison that comes nearest to its tolerance or misses it by most; none if the case compares nothing.
    pub fn worst(&self) -> Option<&Check> {
        let first = self.checks.first()?;
        // a comparison with what is no number is the worst of all
        let by = |c: &Check| {
            if c.misses_by().is_nan() {
                f64::INFINITY
            } else {
                c.misses_by()
            }
        };
        Some(
            self.checks
                .iter()
                .fold(first, |worst, c| if by(c) > by(worst) { c } else { worst }),
        )
    }

    /// Whether everything is within its tolerance.
    pub fn holds(&self) -> bool {
        self.checks.iter().all(Check::holds)
    }
}

/// A case.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Its number.
    pub number: u32,
    /// The set that it belongs to.
    pub set: Set,
    /// What it is about.
    pub title: &'static str,
    /// Where the expected figures come from.
    pub source: &'static str,
    /// Runs it.
    pub run: Run,
}

/// How a case is run; its comparisons, or why there are none.
pub type Run = fn(&Materials<'_>) -> Result<Found, String>;

/// Cases that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// The mission of Thetis.
    Thetis,
    /// The laws of the Kelpie simulator.
    Kelpie,
    /// Pool trials of a vehicle with arm.
    Uvms,
    /// Bodies in ideal fluid.
    Bodies,
    /// Floating hulls.
    Hulls,
    /// Vehicles against their programs and sources.
    Vehicles,
    /// Waves, wind and water.
    Sea,
}

impl Set {
    /// All of them.
    pub const ALL: [Set; 7] = [
        Set::Thetis,
        Set::Kelpie,
        Set::Uvms,
        Set::Bodies,
        Set::Hulls,
        Set::Vehicles,
        Set::Sea,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Set::Thetis => "thetis",
            Set::Kelpie => "kelpie",
            Set::Uvms => "uvms",
            Set::Bodies => "bodies",
            Set::Hulls => "hulls",
            Set::Vehicles => "vehicles",
            Set::Sea => "sea",
        }
    }
}

/// All cases, by number.
pub fn all() -> Vec<Case> {
    let mut all: Vec<Case> = [
        &crate::cases::missions::CASES[..],
        &crate::cases::kelpie::CASES,
        &crate::cases::bodies::CASES,
        &crate::cases::hemisphere::CASES,
        &crate::cases::hulls::CASES,
        &crate::cases::vessels::CASES,
        &crate::cases::sea::CASES,
        &crate::cases::hour::CASES,
        &crate::cases::water::CASES,
        &crate::cases::sound::CASES,
    ]
    .concat();
    all.sort_by_key(|c| c.number);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    // a number stands for one case
    #[test]
    fn numbers_are_unique() {
        let numbers: Vec<u32> = all().iter().map(|c| c.number).collect();
        assert!(numbers.windows(2).all(|w| w[0] < w[1]), "{numbers:?}");
        assert!(
            Set::ALL
                .iter()
                .all(|set| all().iter().any(|c| c.set == *set))
        );
    }

    #[test]
    fn the_worst_is_what_misses_most() {
        let near = Check::relative("near", "m", 2.0, 2.001, 0.01);
        let far = Check::absolute("far", "m", 2.0, 2.2, 0.1);
        let found = Found::of(vec![near.clone(), far]);
        assert_eq!(found.worst().map(|c| c.what.as_str()), Some("far"));
        assert!(!found.holds() && Found::of(vec![near.clone()]).holds());
        let nan = Check::absolute("nan", "m", 2.0, f64::NAN, 0.1);
        let found = Found::of(vec![nan, near]);
        assert_eq!(found.worst().map(|c| c.what.as_str()), Some("nan"));
        assert!(!found.holds(), "what is no number is no answer");
    }
}
