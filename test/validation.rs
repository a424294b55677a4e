//! Tests the cases of `merrow validate` and of the studies, each within its tolerance, and the pages
//! that show them.

use crate::witness::cases::{outcomes, run};
use merrow_chart::canvas::Drawing;
use merrow_validate::cases::all_cases;
use merrow_validate::page;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

// Every case is within its tolerance, and each page with its figures is the output of its command.
#[test]
fn cases_pass_and_pages_are_current() {
    let write = [
        "merrow validate",
        "cargo run --release -p merrow-studies -- all",
    ];
    let pages = [
        ("validation", &page::VALIDATION),
        ("studies", &merrow_studies::PAGE),
    ];
    for ((name, page), write) in pages.into_iter().zip(write) {
        let outcomes = outcomes(page.sets);
        for outcome in &outcomes {
            run(outcome.case.number);
        }
        let mut files = vec![(
            format!("explanation/{name}.md"),
            page::markdown(page, &outcomes),
        )];
        for found in outcomes.iter().filter_map(|o| o.found.as_ref().ok()) {
            let figure =
                |(name, d): &(&str, Drawing)| (format!("{}/{name}.svg", page.figures), d.svg());
            files.extend(found.figures.iter().map(figure));
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
                "docs/{name} is out of date; regenerate it with `{write} --write docs`"
            );
        }
    }
}

// The README states the number of cases. Method: the number of declared cases is compared with the
// sentence of the README.
#[test]
fn readme_states_the_number_of_cases() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let sentence = format!("`merrow validate` runs {} cases", all_cases().len());
    assert!(readme.contains(&sentence), "README.md lacks \"{sentence}\"");
}

// The command prints all four columns and a verdict, and reports missing data. Method: two sets, a
// folder that does not exist and one without tables.
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
    let (fine, out, _) = merrow(&["validate", "bodies", "--check"]);
    assert!(
        fine && out.contains("0.894261") && out.ends_with("verdict: pass\n"),
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
