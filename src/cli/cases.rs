//! `merrow validate` without a data set: runs cases with a known answer and writes the page that
//! shows them.

use clap::Args;
use merrow::publisher::connect_bridges;
use merrow_validate::cases;
use merrow_validate::cases::{Case, CaseSet};
use merrow_validate::docking::study::run_study;
use merrow_validate::page;
use merrow_validate::page::Outcome;
use merrow_validate::read::reference_data::{
    data_folder as default_data_folder, with_reference_data,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Options of `merrow validate`, `all` and the sets of cases.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Folder with reference tables of other programs and recordings [default: test/data of the
    /// source tree].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Folder for the figures (SVG); created if it does not exist.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Exit with status 1 if a case fails.
    #[arg(long)]
    check: bool,
}

/// Options of `merrow validate` and `merrow validate all`.
#[derive(Args, Debug)]
pub(super) struct PageArguments {
    #[command(flatten)]
    arguments: Arguments,
    /// Write DIR/validation.md and its figures in DIR/validation.
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
}

/// Runs all cases and optionally writes the validation page.
pub(super) fn all(whole: &PageArguments) -> Result<ExitCode, String> {
    let outcomes = run(cases::all_cases(), &whole.arguments)?;
    if let Some(folder) = &whole.write {
        let figures = folder.join("validation");
        folder_for(&figures)?;
        for (name, drawing) in figures_of(&outcomes) {
            write(
                &figures.join(format!("{name}.svg")),
                drawing.svg().as_bytes(),
            )?;
        }
        write(
            &folder.join("validation.md"),
            page::markdown(&outcomes).as_bytes(),
        )?;
        println!("page and figures in {}", folder.display());
    }
    Ok(verdict(&outcomes, &whole.arguments))
}

/// Runs the cases of one set.
pub(super) fn set(set: CaseSet, arguments: &Arguments) -> Result<ExitCode, String> {
    Ok(verdict(&run(set.cases(), arguments)?, arguments))
}

/// Runs the cases of the docking study and prints its tables.
pub(super) fn docking(arguments: &Arguments) -> Result<ExitCode, String> {
    let outcomes = run(CaseSet::Docking.cases(), arguments)?;
    let mut progress = |what: &str| eprintln!("{what} ...");
    let data = data_folder(arguments)?;
    let study = with_reference_data(&data, &connect_bridges, |data| {
        run_study(data, &mut progress)
    })?;
    print!("{}", study.text);
    if let Some(out) = &arguments.out {
        for (name, drawing) in &study.figures {
            write(&out.join(format!("{name}.svg")), drawing.svg().as_bytes())?;
        }
    }
    Ok(verdict(&outcomes, arguments))
}

/// Returns the folder with reference tables.
fn data_folder(arguments: &Arguments) -> Result<PathBuf, String> {
    arguments
        .data
        .clone()
        .or_else(default_data_folder)
        .ok_or_else(|| {
            "no folder test/data with reference tables found; give one with --data".to_string()
        })
}

fn run(cases: Vec<Case>, arguments: &Arguments) -> Result<Vec<Outcome>, String> {
    let data = data_folder(arguments)?;
    if !data.is_dir() {
        return Err(format!(
            "{}: no such folder; expected a folder with reference tables of other programs",
            data.display()
        ));
    }
    println!("{}", page::table_header());
    let mut outcomes = Vec::with_capacity(cases.len());
    for case in cases {
        let found = with_reference_data(&data, &connect_bridges, case.run);
        let outcome = Outcome { case, found };
        print!("{}", page::format_outcome(&outcome));
        outcomes.push(outcome);
    }
    if let Some(out) = &arguments.out {
        folder_for(out)?;
        for (name, drawing) in figures_of(&outcomes) {
            write(&out.join(format!("{name}.svg")), drawing.svg().as_bytes())?;
        }
        println!("figures in {}", out.display());
    }
    println!("{}", page::format_summary(&outcomes));
    Ok(outcomes)
}

fn figures_of(
    outcomes: &[Outcome],
) -> impl Iterator<Item = &(&'static str, merrow_validate::figure::canvas::Drawing)> {
    outcomes
        .iter()
        .filter_map(|o| o.found.as_ref().ok())
        .flat_map(|f| &f.figures)
}

fn verdict(outcomes: &[Outcome], arguments: &Arguments) -> ExitCode {
    let holds = outcomes.iter().all(Outcome::passes);
    println!(
        "{}",
        if holds {
            "verdict: pass"
        } else {
            "verdict: fail"
        }
    );
    if arguments.check && !holds {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn folder_for(path: &Path) -> Result<(), String> {
    std::fs::create_dir_all(path)
        .map_err(|e| format!("{}: cannot create the folder: {e}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes)
        .map_err(|e| format!("{}: cannot write the file: {e}", path.display()))
}
