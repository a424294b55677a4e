//! The part of a program that runs cases: options, output, page. `merrow validate` and
//! `merrow-studies` use it.

use crate::cases::Case;
use crate::cases::reference_data::ReferenceData;
use crate::page;
use crate::page::{Outcome, Page};
use crate::read;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Options of `merrow validate`, `all` and the sets of cases.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Folder with tables of other programs, instead of the tables inside the program.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Folder for the figures (SVG); created if it does not exist.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Exit with status 1 if a case fails.
    #[arg(long)]
    pub check: bool,
}

/// Options of `merrow validate` and `merrow validate all`.
#[derive(Args, Debug)]
pub struct PageArguments {
    /// Options of all cases.
    #[command(flatten)]
    pub arguments: Arguments,
    /// Write the page DIR/explanation/validation.md and its figures in DIR/figures.
    #[arg(long, value_name = "DIR")]
    pub write: Option<PathBuf>,
}

/// Runs all cases and optionally writes their page, `explanation/<name>.md`, with its figures.
///
/// # Errors
/// The folder of reference data is missing, or a file cannot be written.
pub fn all(
    cases: Vec<Case>,
    page: &Page,
    name: &str,
    whole: &PageArguments,
) -> Result<ExitCode, String> {
    let outcomes = run(cases, &whole.arguments)?;
    if let Some(folder) = &whole.write {
        let figures = folder.join(page.figures);
        write_figures(&figures, &outcomes)?;
        let text = page::markdown(page, &outcomes);
        let pages = folder.join("explanation");
        create_folder(&pages)?;
        write(&pages.join(format!("{name}.md")), text.as_bytes())?;
        println!("page and figures in {}", folder.display());
    }
    Ok(verdict(&outcomes, &whole.arguments))
}

/// Runs some cases.
///
/// # Errors
/// As [`all`].
pub fn set(cases: Vec<Case>, arguments: &Arguments) -> Result<ExitCode, String> {
    Ok(verdict(&run(cases, arguments)?, arguments))
}

/// Returns the folder with reference tables.
///
/// # Errors
/// There is none.
pub fn data_folder(arguments: &Arguments) -> Result<PathBuf, String> {
    let folder = arguments.data.clone().or_else(read::data_folder);
    let missing = "no folder test/data with reference tables found; give one with --data";
    folder.ok_or_else(|| missing.to_string())
}

/// Runs cases, prints their comparisons and writes their figures.
///
/// # Errors
/// As [`all`].
pub fn run(cases: Vec<Case>, arguments: &Arguments) -> Result<Vec<Outcome>, String> {
    let folder = data_folder(arguments)?;
    if !folder.is_dir() {
        return Err(format!(
            "{}: no such folder; expected a folder with reference tables of other programs",
            folder.display()
        ));
    }
    let data = ReferenceData { folder };
    println!("{}", page::table_header());
    let mut outcomes = Vec::with_capacity(cases.len());
    for case in cases {
        let found = (case.run)(&data);
        let outcome = Outcome { case, found };
        print!("{}", page::format_outcome(&outcome));
        outcomes.push(outcome);
    }
    if let Some(out) = &arguments.out {
        write_figures(out, &outcomes)?;
        println!("figures in {}", out.display());
    }
    println!("{}", page::format_summary(&outcomes));
    Ok(outcomes)
}

fn write_figures(folder: &Path, outcomes: &[Outcome]) -> Result<(), String> {
    create_folder(folder)?;
    let found = outcomes.iter().filter_map(|o| o.found.as_ref().ok());
    for (name, drawing) in found.flat_map(|f| &f.figures) {
        write(
            &folder.join(format!("{name}.svg")),
            drawing.svg().as_bytes(),
        )?;
    }
    Ok(())
}

/// Prints whether all cases hold, and returns the status of the program.
pub fn verdict(outcomes: &[Outcome], arguments: &Arguments) -> ExitCode {
    let holds = outcomes.iter().all(Outcome::passes);
    println!("verdict: {}", if holds { "pass" } else { "fail" });
    if arguments.check && !holds {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// Creates a folder and its parents.
///
/// # Errors
/// It cannot be created.
pub fn create_folder(path: &Path) -> Result<(), String> {
    std::fs::create_dir_all(path)
        .map_err(|e| format!("{}: cannot create the folder: {e}", path.display()))
}

/// Writes a file.
///
/// # Errors
/// It cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes)
        .map_err(|e| format!("{}: cannot write the file: {e}", path.display()))
}
