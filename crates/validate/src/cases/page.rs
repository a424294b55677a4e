//! What the cases came to, as lines for a terminal and as a page with figures.

use crate::cases::check::Check;
use crate::cases::{Case, Found, Set};
use std::fmt::Write as _;

/// A case and what it came to.
pub struct Outcome {
    /// The case.
    pub case: Case,
    /// Its comparisons, or why there are none.
    pub found: Result<Found, String>,
}

impl Outcome {
    /// Whether it holds.
    pub fn holds(&self) -> bool {
        self.found.as_ref().is_ok_and(Found::holds)
    }
}

/// Head of the lines that [`lines`] makes.
pub fn head() -> String {
    format!(
        "{:<66} {:>20} {:>20} {:>16}  {}",
        "", "expected", "got", "tolerance", "verdict"
    )
}

/// All comparisons of a case.
pub fn lines(outcome: &Outcome) -> String {
    let Case {
        number,
        title,
        source,
        ..
    } = outcome.case;
    let mut out = format!("V{number:02} {title}: {source}\n");
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
                    c.wanted(),
                    c.found(),
                    c.allowance(),
                    c.verdict()
                );
            }
        }
    }
    out
}

/// How many hold, of how many.
pub fn count(outcomes: &[Outcome]) -> String {
    let held = outcomes.iter().filter(|o| o.holds()).count();
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

/// The page `docs/validation.md`; its figures lie in `validation/`.
pub fn markdown(outcomes: &[Outcome]) -> String {
    let mut out = String::from(HEAD);
    for o in outcomes {
        let Case {
            number,
            title,
            source,
            ..
        } = o.case;
        let row = match &o.found {
            Err(why) => format!("| {why} | | | | **FAIL** |"),
            Ok(found) => found.worst().map_or_else(
                || "| nothing compared | | | | **FAIL** |".to_string(),
                |worst| row(worst, found.checks.len(), found.holds()),
            ),
        };
        let _ = writeln!(out, "| V{number:02} | {title} | {source} {row}");
    }
    let _ = writeln!(out, "\n{}.", count(outcomes));
    out.push_str(NOTES);
    for set in Set::ALL {
        let figures: Vec<&str> = outcomes
            .iter()
            .filter(|o| o.case.set == set)
            .filter_map(|o| o.found.as_ref().ok())
            .flat_map(|f| f.figures.iter().map(|(name, _)| *name))
            .collect();
        if figures.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n## {}\n", heading(set));
        let _ = writeln!(out, "{}", about(set));
        for name in figures {
            let _ = writeln!(
                out,
                "\n![{}](validation/{name}.svg)",
                name.replace('_', " ")
            );
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
        worst.wanted(),
        worst.found(),
        worst.allowance()
    )
    .replace("|X3|", "X3")
    .replace("|X1|", "X1")
}

fn heading(set: Set) -> &'static str {
    match set {
        Set::Thetis => "Thetis",
        Set::Kelpie => "Kelpie",
        Set::Uvms => "Vehicle with arm",
        Set::Bodies => "Bodies in ideal fluid",
        Set::Hulls => "Hulls",
        Set::Vehicles => "Vehicles",
        Set::Sea => "Sea",
    }
}

fn about(set: Set) -> &'static str {
    match set {
        Set::Kelpie => KELPIE,
        Set::Hulls => {
            "`docs/hulls.md` has the laws. V34 is a sphere of 2 m, half under water, by its mesh, with filters fitted to the tables."
        }
        Set::Vehicles => {
            "Fossen's two REMUS programs disagree (5 deg of rudder: 40.4 m and 26.6 m of radius); each has its own form of the model. Slips of the \
             programs that Merrow does not share are put in for the comparison and named in `src/validate/cases/`."
        }
        Set::Sea => {
            "A sea is a sum of 200 waves with seeded phases; an hour of it has the statistics of its spectrum. Rays of sound are arcs \
             (`docs/water.md`)."
        }
        Set::Thetis | Set::Uvms | Set::Bodies => "",
    }
}

const HEAD: &str = "# Validation

Cases with a known answer: closed solutions, other programs, published trials. Each runs the shipped laws, through worlds wherever it
can; the tests run the same code (`src/validate/cases/`, `test/validation.rs`). This page is what the command writes:

```sh
merrow validate --check                  # all cases: expected, got, tolerance, verdict; status 1 if one fails (slow: half a minute)
merrow validate --write docs             # this page and its figures (slow)
merrow validate kelpie --out out         # one set: thetis, kelpie, uvms, bodies, hulls, vehicles, sea
```

Tables of other programs and recordings are read from `test/data` of the source tree, or from `--data`. A row shows the comparison that comes nearest to its
tolerance; the command prints them all. Tolerances have their reasons beside the cases.

| case | what | source | nearest to its tolerance | expected | got | tolerance | verdict |
| --- | --- | --- | --- | --- | --- | --- | --- |
";

const NOTES: &str = "
V02, V03, V08 to V16 (modems, docking) and V21 to V23 (planner, MOOS) come with what they are about; V20 is what `docs/uvms.md` goes
into, and says why V19 (the stored simulations of its authors) is not run.
V04 (a late controller stops nothing) is watched over ROS, `test/ros/checks_process.py`. V37 to V41, V45 and V80 to V85 (chains, pendulums, terminal speeds,
sensors) stand in `test/analytic/` and `test/identity/`.
";

const KELPIE: &str = "The laws of the Kelpie simulator [Mendonca 2013] are options beside Merrow's own: `waves: {kind: kelpie}`, `kelpie_attitude`, `wind: {law: kelpie}`,
`hull: {kind: bounding_box}` (`docs/hulls.md`, `docs/flight.md`).

* Kelpie sets pitch and roll; here a moment turns the vehicle to them, so that it stays a body among others.
* Eqs 5 and 6 are ambiguous: with `p_w` the wind's vector 5 m/s from astern give 25 N, with `p_w` its direction 5 N. Merrow takes the vector.
* The box about a hull displaces what the hull does not: 1.9 times as much as half a ball, 2.3 times as much as the boat at its waterline.";
