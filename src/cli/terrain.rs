//! `merrow terrain`: generates the scenery of a bundled world.

use clap::{Args, ValueEnum};
use merrow_scenery::river::{River, files};
use merrow_scenery::sites::quay::Quay;
use merrow_scenery::sites::sand::Sand;
use merrow_scenery::sites::{File, quay_file, survey_file};
use merrow_validate::program;
use std::path::PathBuf;

/// Options of `merrow terrain`.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// World whose scenery is generated.
    kind: Kind,
    /// Seed; the bundled files use seed 1.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for the files. It is created if it does not exist; existing files of the same names
    /// are overwritten.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Worlds whose scenery can be generated.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// A river that winds through a valley.
    Riverwatch,
    /// A quay with its jetty over a muddy seabed.
    HarbourInspection,
    /// A wreck in rippled sand.
    Survey,
}

/// Generates the files and prints a summary.
pub(super) fn run(arguments: &Arguments) -> Result<(), String> {
    let seed = arguments.seed;
    let (files, what, part): (Vec<File>, String, &str) = match arguments.kind {
        Kind::Riverwatch => {
            let river = River::new(seed);
            let (flow, trees, buoys) =
                (river.stream.discharge, river.trees.len(), river.buoys.len());
            (
                files::river_files(&river),
                format!("{flow:.1} m3/s, {trees} trees, {buoys} buoys"),
                "valley.yaml",
            )
        }
        Kind::HarbourInspection => {
            let quay = Quay::new(seed);
            let (blocks, growth) = (quay.blocks.len(), quay.growth.len());
            (
                quay_file::quay_files(&quay),
                format!("{blocks} blocks with {growth} growths"),
                "quay.yaml",
            )
        }
        Kind::Survey => {
            let [list, _, heading] = Sand::new(seed).wreck.attitude;
            let what = format!(
                "a wreck with a list of {list} deg, heading {:.1} deg",
                90.0 - heading
            );
            (survey_file::survey_files(seed), what, "wreck.yaml")
        }
    };
    let folder = &arguments.out;
    program::create_folder(folder)?;
    for (name, bytes) in files {
        super::snapshot::write_file(&folder.join(name), &bytes)?;
    }
    let begin = folder.join(part);
    println!(
        "{}: {what}; start a world with `extends: {}`",
        folder.display(),
        begin.display()
    );
    Ok(())
}
