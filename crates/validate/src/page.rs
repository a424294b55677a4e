//! Formats the results of the cases as lines for a terminal and as a Markdown page with figures.

use crate::cases::check::Check;
use crate::cases::{Case, CaseResult, CaseSet};
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

/// Formats the page `docs/validation.md`; its figures are in `validation/`.
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
            Ok(found) => found.worst_check().map_or_else(
                || "| no comparison | | | | **FAIL** |".to_string(),
                |worst| row(worst, found.checks.len(), found.passes()),
            ),
        };
        let _ = writeln!(out, "| V{number:02} | {title} | {source} {row}");
    }
    let _ = writeln!(out, "\n{}.", format_summary(outcomes));
    out.push_str(NOTES);
    for set in CaseSet::ALL {
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
        let _ = writeln!(out, "{}", set_description(set));
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
        worst.expected_text(),
        worst.computed_text(),
        worst.tolerance_text()
    )
    .replace("|X3|", "X3")
    .replace("|X1|", "X1")
}

fn heading(set: CaseSet) -> &'static str {
    match set {
        CaseSet::Thetis => "Thetis",
        CaseSet::Kelpie => "Kelpie",
        CaseSet::Uvms => "Vehicle with arm",
        CaseSet::Bodies => "Bodies in ideal fluid",
        CaseSet::Hulls => "Hulls",
        CaseSet::Vehicles => "Vehicles",
        CaseSet::Sea => "Sea",
        CaseSet::Comms => "Communication",
        CaseSet::Docking => "Docking",
        CaseSet::Reports => "Bug reports of simulators",
    }
}

fn set_description(set: CaseSet) -> &'static str {
    match set {
        CaseSet::Kelpie => KELPIE,
        CaseSet::Hulls => {
            "`docs/hulls.md` describes the laws.
V34 is a sphere of 2 m diameter, half submerged, as a mesh, with filters fitted to the tables."
        }
        CaseSet::Vehicles => {
            "Fossen's two REMUS programs disagree: 5 deg of rudder gives a turning radius of 26.6 m in MSS and
40.4 m in the Python program.
Merrow compares each with its own form of the model.
Errors of the programs that Merrow does not share are reproduced for the comparison and documented
in `crates/validate/src/cases/`."
        }
        CaseSet::Sea => {
            "A sea state is a sum of 200 waves with seeded phases.
An hour of it has the statistics of its spectrum.
Sound rays are circular arcs (`docs/water.md`)."
        }
        CaseSet::Comms => {
            "V02, V03 and V09 transmit messages between fixed modems of a world with the files
`thetis_modem` and `docking_acoustic`.
V08 transmits 20 periods of the schedule of a docking station and eight vehicles.
The published schedule has no guard time before the first uplink.
If the first vehicle is nearer to the last vehicle than the station is, its uplink damages the last
downlink.
An eighth of the messages to the vehicles is then lost.
V11 compares the distribution of the fading, and the frames lost over 37.63 m.
In V24 a Taipan 300 follows the headings and depths that its leader transmits at 20 bit/s.
In V25 two RexROV on opposite courses avoid each other by the positions that they overhear; the
rule of avoidance is Merrow's.
V26 offers Poisson traffic of 20 modems to a base; a frame has 512 ms.
In V27 two WHOI micro-modems select their rate by the signal-to-noise ratio of the last message.
In V28 a vehicle requests power from its station until the messages arrive.
V29 runs the world `swarm_comms` as it is, and without the bridges of its relays.
The search succeeds if a reading above 13 degC arrives at the office.
V54 compares the received power with the laws of each medium; radios have the loss of free space.
Its figure shows the modem files as they are, without shadowing.
`docs/communication.md` describes modems and channels."
        }
        CaseSet::Docking => {
            "`docs/docking.md` describes the study, its variants and V13.
The dock transmits the position of RexROV by `docking_acoustic` and, within 10 m, by `wfs_s300`."
        }
        CaseSet::Thetis => {
            "In V04 the controller of the lake mission sends no commands for 5 s.
The simulation does not wait: the vehicle continues with its last commands."
        }
        CaseSet::Uvms | CaseSet::Bodies | CaseSet::Reports => "",
    }
}

const HEAD: &str = "# Validation

This page lists the results of the cases with a known answer.
The references are closed-form solutions, other programs and published trials.
Each case runs the production code, through world files where possible.
The tests run the same cases (`crates/validate/src/cases/`, `test/validation.rs`).
The command below writes this page:

```sh
merrow validate --check            # all cases (slow: half a minute); status 1 if one fails
merrow validate --write docs       # this page and its figures (slow: half a minute)
merrow validate kelpie --out out   # one set: thetis, kelpie, uvms, bodies, hulls, vehicles, sea,
                                   # comms, docking, reports
```

Tables of other programs and recordings are read from `test/data` of the source tree, or from
`--data`.
A row shows the comparison with the largest error relative to its tolerance; the command prints all
comparisons.
The comments of the cases explain the tolerances.

| case | subject | source | comparison closest to its tolerance | expected | computed | tolerance | verdict |
| --- | --- | --- | --- | --- | --- | --- | --- |
";

const NOTES: &str = "
The numbers V21 to V23 are not used.
V13 takes a minute (docking against currents, 100 runs; `docs/docking.md`).
Only `merrow validate docking`, `merrow validate comms` and the slow tests run it.
`merrow validate comms` also runs V04, V12 to V16 and V65 to V69 of other sets.
V90 to V104 are cases of public bug reports of simulators, with the number of the report: what
another program computed wrong, and what is right.
`docs/uvms.md` describes V20, and explains why V19 (the stored simulations of its authors) is not
run.
V04 compares simulated time; `test/ros/checks/program/process.py` tests over ROS that the rate
against the wall clock is unchanged.
V37 to V41, V45 and V81 to V86 (chains, pendulums, terminal speeds, sensors) are in
`test/analytic/`, `test/identity/` and `test/sensors/`.
";

const KELPIE: &str =
    "The laws of the Kelpie simulator [Mendonca 2013] are available as options in addition to
Merrow's own: `waves: {kind: kelpie}`, `kelpie_attitude`, `wind: {law: kelpie}` and
`hull: {kind: bounding_box}` (`docs/hulls.md`, `docs/flight.md`).

* Kelpie sets pitch and roll directly.
  In Merrow a moment turns the vehicle to these angles, so that all other forces still act on it.
* Eqs 5 and 6 are ambiguous.
  For a wind of 5 m/s from astern they give 25 N with `p_w` as the wind vector, and 5 N with the
  wind direction.
  Merrow uses the vector.
* The bounding box of a hull displaces more water than the hull.
  The ratio is 1.9 for half a ball, and 2.3 for the boat at its waterline.";
