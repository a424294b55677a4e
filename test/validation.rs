//! Tests the cases of `merrow validate`, each within its tolerance, and the page that shows them.

use crate::witness::cases::{outcomes, run};
use merrow_validate::cases::all_cases;
use merrow_validate::page;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

// Goal: every case is within its tolerance, and docs/validation.md and its figures are the output
// of the command. Method: runs every case once and writes page and figures. Tolerance: stated with
// the cases, in `crates/validate/src/cases/`.
#[test]
fn cases_pass_and_page_is_current() {
    let outcomes = outcomes();
    for outcome in &outcomes {
        run(outcome.case.number);
    }
    let mut files = vec![("validation.md".to_string(), page::markdown(&outcomes))];
    for found in outcomes.iter().filter_map(|o| o.found.as_ref().ok()) {
        files.extend(
            found
                .figures
                .iter()
                .map(|(name, d)| (format!("validation/{name}.svg"), d.svg())),
        );
    }
    for (name, text) in files {
        let path = root().join("docs").join(&name);
        if std::env::var_os("MERROW_BLESS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            written == text,
            "docs/{name} is out of date; regenerate it with `merrow validate --write docs`"
        );
    }
}

// Goal: V12 to V16 are within their tolerances, also V13, which takes minutes, and docs/docking.md
// has the tables and figures of the command. Method: output of the command; the figure of the
// clocks is a measurement of one computer. Tolerance: stated with the cases; none for tables and
// figures.
#[test]
#[ignore = "takes three minutes: test/run slow"]
fn docking_page_is_current() {
    let out = crate::common::folder::Folder::new("docking", &[]);
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_merrow"))
        .args(["validate", "docking", "--check", "--out"])
        .arg(&out.0)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&done.stdout);
    assert!(
        done.status.success() && printed.ends_with("verdict: pass\n"),
        "{printed}"
    );
    let page = std::fs::read_to_string(root().join("docs/docking.md")).unwrap();
    let rows = printed.lines().filter(|line| line.starts_with("| "));
    let missing: Vec<&str> = rows.clone().filter(|row| !page.contains(row)).collect();
    assert!(rows.count() > 12, "{printed}");
    assert!(missing.is_empty(), "docs/docking.md lacks {missing:#?}");
    for entry in std::fs::read_dir(root().join("docs/docking")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if name == "clocks.svg" {
            continue;
        }
        let drawn = std::fs::read_to_string(out.0.join(name)).unwrap();
        if std::env::var_os("MERROW_BLESS").is_some() {
            std::fs::write(&path, &drawn).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap();
        assert!(written == drawn, "{name:?} is out of date");
    }
}

// Goal: the README states the number of cases. Method: the number of declared cases is compared
// with the sentence of the README. Tolerance: none.
#[test]
fn readme_states_the_number_of_cases() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let sentence = format!("`merrow validate` runs {} cases", all_cases().len());
    assert!(readme.contains(&sentence), "README.md lacks \"{sentence}\"");
}

// Goal: the command prints all four columns and a verdict, and reports missing data. Method: two
// sets, a folder that does not exist and one without tables.
#[test]
fn command_reports_results_and_missing_data() {
    let merrow = |arguments: &[&str]| {
        let done = std::process::Command::new(env!("CARGO_BIN_EXE_merrow"))
            .args(arguments)
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            done.status.success(),
            text(&done.stdout),
            text(&done.stderr),
        )
    };
    let (fine, out, _) = merrow(&["validate", "kelpie", "--check"]);
    assert!(
        fine && out.contains("4905 N") && out.ends_with("verdict: pass\n"),
        "{out}"
    );
    for word in ["expected", "computed", "tolerance", "verdict"] {
        assert!(out.lines().next().unwrap().contains(word), "{out}");
    }
    let (fine, _, err) = merrow(&["validate", "sea", "--data", "no/such/folder"]);
    assert!(
        !fine && err.contains("no/such/folder: no such folder; expected a folder"),
        "{err}"
    );
    let empty = crate::common::folder::Folder::new("validate", &[]);
    let (fine, out, _) = merrow(&[
        "validate",
        "sea",
        "--check",
        "--data",
        empty.0.to_str().unwrap(),
    ]);
    assert!(
        !fine
            && out.contains("wave_dispersion.csv: cannot be read")
            && out.contains("verdict: fail"),
        "{out}"
    );
}
