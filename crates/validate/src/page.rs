//! Formats the results of the cases as lines for a terminal and as a Markdown page with figures.

use crate::cases::check::Check;
use crate::cases::{Case, CaseResult};
use crate::sets;
use crate::sets::CaseSet;
use std::fmt::Write as _;

/// A case with its result.
pub struct Outcome {
    /// The case that was run.
    pub case: Case,
    /// Comparisons of the case, or the reason why it could not run.
    pub found: Result<CaseResult, String>,
}

impl Outcome {
    /// Returns true if the case ran and all its comparisons are within their tolerances.
    pub fn passes(&self) -> bool {
        self.found.as_ref().is_ok_and(CaseResult::passes)
    }
}

/// Returns the header of the lines that [`format_outcome`] returns.
pub fn table_header() -> String {
    format!(
        "{:<66} {:>20} {:>20} {:>16}  {}",
        "", "expected", "computed", "tolerance", "verdict"
    )
}

/// Formats all comparisons of a case.
pub fn format_outcome(outcome: &Outcome) -> String {
    let case = outcome.case;
    let mut out = format!("V{:02} {}: {}\n", case.number, case.title, case.source);
    match &outcome.found {
        Err(why) => {
            let _ = writeln!(out, "  {why}: FAIL");
        }
        Ok(found) => {
            for c in &found.checks {
                let _ = writeln!(
                    out,
                    "  {:<64} {:>20} {:>20} {:>16}  {}",
                    c.what,
                    c.expected_text(),
                    c.computed_text(),
                    c.tolerance_text(),
                    c.verdict()
                );
            }
        }
    }
    out
}

/// Formats the number of cases that pass, the number of cases, and the number of comparisons.
pub fn format_summary(outcomes: &[Outcome]) -> String {
    let held = outcomes.iter().filter(|o| o.passes()).count();
    let checks: usize = outcomes
        .iter()
        .filter_map(|o| o.found.as_ref().ok())
        .map(|f| f.checks.len())
        .sum();
    format!(
        "{held} of {} cases hold, {checks} comparisons",
        outcomes.len()
    )
}

/// Texts of a page of cases.
pub struct Page {
    /// Text above the table of cases, with the header of the table.
    pub head: &'static str,
    /// Text below the table.
    pub notes: &'static str,
    /// Sets whose figures follow.
    pub sets: &'static [&'static CaseSet],
    /// Folder of the figures, relative to the folder of the documentation.
    pub figures: &'static str,
}

/// Formats a page of cases.
pub fn markdown(page: &Page, outcomes: &[Outcome]) -> String {
    let mut out = String::from(page.head);
    for o in outcomes {
        let (number, title, source) = (o.case.number, o.case.title, o.case.source);
        let row = match &o.found {
            Err(why) => format!("| {why} | | | | **FAIL** |"),
            Ok(found) => found.worst_check().map_or_else(
                || "| no comparison | | | | **FAIL** |".to_string(),
                |worst| row(worst, found.checks.len(), found.passes()),
            ),
        };
        let _ = writeln!(out, "| V{number:02} | {title} | {source} {row}");
    }
    let _ = writeln!(out, "\n{}.", format_summary(outcomes));
    out.push_str(page.notes);
    for set in page.sets {
        let figures: Vec<&str> = outcomes
            .iter()
            .filter(|o| o.case.set == *set)
            .filter_map(|o| o.found.as_ref().ok())
            .flat_map(|f| f.figures.iter().map(|(name, _)| *name))
            .collect();
        if figures.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n## {}\n", set.heading);
        let _ = writeln!(out, "{}", set.description);
        for name in figures {
            let title = name.replace('_', " ");
            let _ = writeln!(out, "\n![{title}](../{}/{name}.svg)", page.figures);
        }
    }
    out
}

fn row(worst: &Check, n: usize, holds: bool) -> String {
    let verdict = if holds { "pass" } else { "**FAIL**" };
    let others = if n > 1 {
        format!(" (of {n})")
    } else {
        String::new()
    };
    format!(
        "| {}{others} | {} | {} | {} | {verdict} |",
        worst.what,
        worst.expected_text(),
        worst.computed_text(),
        worst.tolerance_text()
    )
    .replace("|X3|", "X3")
    .replace("|X1|", "X1")
}

/// The page `docs/explanation/validation.md`.
pub static VALIDATION: Page = Page {
    head: HEAD,
    notes: NOTES,
    sets: &sets::ALL,
    figures: "figures/validation",
};

const HEAD: &str = "# Validation

This page lists the results of the cases with a known answer.
The references are closed-form solutions and other programs; the studies of published trials are in
[studies.md](studies.md).
Each case runs the production code, through world files where possible.
The tests run the same cases (`crates/validate/src/cases/`, `test/validation.rs`).
The command below writes this page:

```sh
merrow validate --check            # all cases (slow: half a minute); status 1 if one fails
merrow validate --write docs       # this page and its figures (slow: half a minute)
merrow validate hulls --out out    # one set: bodies, hulls, vehicles, sea, comms, reports
```

Tables of other programs are inside the program; `test/data` of the source tree describes them.
`--data DIR` reads others.
A row shows the comparison with the largest error relative to its tolerance; the command prints all
comparisons.
The comments of the cases explain the tolerances.

| case | subject | source | comparison closest to its tolerance | expected | computed | tolerance | verdict |
| --- | --- | --- | --- | --- | --- | --- | --- |
";

const NOTES: &str = "
The numbers V19 and V21 to V23 are not used; [studies.md](studies.md) has V01, V04 to V07, V12 to V18,
V25 and V29.
V90 to V106 are cases of public bug reports of simulators, with the number of the report: what
another program computed wrong, and what is right.
`merrow validate comms` also runs V65 to V69.
V37 to V41, V45 and V81 to V86 (chains, pendulums, terminal speeds, sensors) are in
`test/analytic/`, `test/identity/` and `test/sensors/`.
";
