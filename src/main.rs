//! Command line program of Merrow: parses the arguments, executes the command and returns the exit
//! code.

use clap::Parser;
use include_dir::{Dir, include_dir};
use merrow_world::data_dir::{EmbeddedFile, embed};
use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::process::ExitCode;

mod cli;

/// The bundled data, which makes the program independent of its build folder. It is part of the
/// program only, so that a changed world does not compile the libraries again.
static BUNDLED: [(&str, Dir<'static>); 5] = [
    ("worlds", include_dir!("$CARGO_MANIFEST_DIR/worlds")),
    ("params", include_dir!("$CARGO_MANIFEST_DIR/params")),
    ("grids", include_dir!("$CARGO_MANIFEST_DIR/grids")),
    ("meshes", include_dir!("$CARGO_MANIFEST_DIR/meshes")),
    ("urdf", include_dir!("$CARGO_MANIFEST_DIR/urdf")),
];

fn main() -> ExitCode {
    embed(bundled_files());
    let arguments: Vec<String> = std::env::args().collect();
    let (own, ros) = cli::split_ros_args(&arguments);
    let command = cli::Cli::parse_from(own);
    suppress_broken_pipe_panic();
    match panic::catch_unwind(AssertUnwindSafe(|| cli::execute(command, &ros))) {
        Ok(Ok(code)) => code,
        Ok(Err(text)) => {
            merrow::terminal::warn(format_args!("merrow: {text}"));
            ExitCode::FAILURE
        }
        Err(cause) if is_broken_pipe(&*cause) => ExitCode::SUCCESS,
        Err(cause) => panic::resume_unwind(cause),
    }
}

/// Returns the files of the bundled data, with their paths below the share folder.
fn bundled_files() -> Vec<EmbeddedFile> {
    let mut files = Vec::new();
    let mut folders: Vec<_> = BUNDLED
        .iter()
        .map(|(name, folder)| (name, folder))
        .collect();
    while let Some((name, folder)) = folders.pop() {
        let path = |file: &Path| Path::new(name).join(file);
        files.extend(
            folder
                .files()
                .map(|file| (path(file.path()), file.contents())),
        );
        folders.extend(folder.dirs().map(|inner| (name, inner)));
    }
    files
}

/// Suppresses the panic message for a closed pipe, as caused by `head`. The program then ends
/// normally, including its bags.
fn suppress_broken_pipe_panic() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !is_broken_pipe(panic.payload()) {
            report(panic);
        }
    }));
}

/// Returns true if `println!` on a closed pipe caused the panic.
fn is_broken_pipe(cause: &dyn Any) -> bool {
    let is_one = |text: &String| {
        text.starts_with("failed printing to stdout") && text.contains("Broken pipe")
    };
    cause.downcast_ref::<String>().is_some_and(is_one)
}
