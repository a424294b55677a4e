//! The cases of `merrow validate`, each within its tolerance, and the page that shows them.

use crate::common::cases::run;
use merrow::validate::cases::page::{self, Outcome};
use merrow::validate::cases::{Set, all};
use merrow::world::materials::materials;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs all cases of a set and shows what misses its tolerance.
fn holds(set: Set) {
    for case in all().into_iter().filter(|c| c.set == set) {
        run(case.number);
    }
}

// Goal: every case is within its tolerance. Method, tolerances: beside the cases, in `src/validate/cases/`.
#[test]
fn thetis() {
    holds(Set::Thetis);
}

#[test]
fn kelpie() {
    holds(Set::Kelpie);
}

#[test]
fn bodies() {
    holds(Set::Bodies);
}

#[test]
fn hulls() {
    holds(Set::Hulls);
}

#[test]
fn vehicles() {
    holds(Set::Vehicles);
}

#[test]
fn sea() {
    holds(Set::Sea);
}

// Goal: docs/validation.md and its figures are what the command writes. Method: writes them anew. Tolerance: none.
#[test]
fn the_page_is_what_the_command_writes() {
    let data = root().join("test/data");
    let outcomes: Vec<Outcome> =
        all().into_iter().map(|case| Outcome { case, found: materials(&data, |m| (case.run)(m)) }).collect();
    let mut files = vec![("validation.md".to_string(), page::markdown(&outcomes))];
    for found in outcomes.iter().filter_map(|o| o.found.as_ref().ok()) {
        files.extend(found.figures.iter().map(|(name, d)| (format!("validation/{name}.svg"), d.svg())));
    }
    for (name, text) in files {
        let path = root().join("docs").join(&name);
        if std::env::var_os("MERROW_BLESS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(written == text, "docs/{name} is out of date: `merrow validate --write docs` writes it anew");
    }
}

// Goal: the command prints all four columns and a verdict, and says what it lacks. Method: two sets, a folder that is not there and
// one without tables.
#[test]
fn the_command_says_what_it_finds() {
    let merrow = |arguments: &[&str]| {
        let done = std::process::Command::new(env!("CARGO_BIN_EXE_merrow")).args(arguments).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (done.status.success(), text(&done.stdout), text(&done.stderr))
    };
    let (fine, out, _) = merrow(&["validate", "kelpie", "--check"]);
    assert!(fine && out.contains("4905 N") && out.ends_with("verdict: pass\n"), "{out}");
    for word in ["expected", "got", "tolerance", "verdict"] {
        assert!(out.lines().next().unwrap().contains(word), "{out}");
    }
    let (fine, _, err) = merrow(&["validate", "sea", "--data", "no/such/folder"]);
    assert!(!fine && err.contains("no/such/folder: found no such folder, expected one with tables"), "{err}");
    let empty = crate::common::folder::Folder::new("validate", &[]);
    let (fine, out, _) = merrow(&["validate", "sea", "--check", "--data", empty.0.to_str().unwrap()]);
    assert!(
        !fine && out.contains("wave_dispersion.csv: cannot be read") && out.contains("verdict: fail"),
        "{out}"
    );
}
