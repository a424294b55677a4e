//! `merrow terrain`: makes the ground of a world.

use clap::{Args, ValueEnum};
use merrow::river::{River, files};
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `merrow terrain`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// What is made.
    kind: Kind,
    /// Seed; the shipped valley is that of seed 1.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for the files; made if it does not exist, and files of the same names in it are written anew.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Grounds that can be made.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// A river that winds through a valley.
    Riverwatch,
}

/// Makes the files and says what they are.
pub fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let Kind::Riverwatch = arguments.kind;
    let river = River::new(arguments.seed);
    let folder = &arguments.out;
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: cannot be made: {e}", folder.display()))?;
    for (name, bytes) in files::files(&river) {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|e| format!("{}: cannot be written: {e}", path.display()))?;
    }
    println!(
        "{}: {:.1} m3/s, {} trees, {} buoys; begin a world with `extends: {}`",
        folder.display(),
        river.stream.discharge,
        river.trees.len(),
        river.buoys.len(),
        folder.join("valley.yaml").display()
    );
    Ok(ExitCode::SUCCESS)
}
