//! Command line program of Merrow: parses the arguments, executes the command and returns the exit
//! code.

#![forbid(unsafe_code)]

use clap::Parser;
use include_dir::{Dir, include_dir};
use merrow_world::data_dir::{EmbeddedFile, embed};
use std::any::Any;
use std::io::{self, Write as _};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::process::ExitCode;

mod cli;

/// The bundled data, which makes the program independent of its build folder. It is part of the
/// program only, so that a changed world does not compile the libraries again.
static BUNDLED: [(&str, Dir<'static>); 6] = [
    ("worlds", include_dir!("$CARGO_MANIFEST_DIR/worlds")),
    ("params", include_dir!("$CARGO_MANIFEST_DIR/params")),
    ("grids", include_dir!("$CARGO_MANIFEST_DIR/grids")),
    ("meshes", include_dir!("$CARGO_MANIFEST_DIR/meshes")),
    ("urdf", include_dir!("$CARGO_MANIFEST_DIR/urdf")),
    // tables of other programs, for `merrow validate`
    ("test/data", include_dir!("$CARGO_MANIFEST_DIR/test/data")),
];

fn main() -> ExitCode {
    embed(bundled_files());
    // an argument that is not UTF-8 names no file of a world; it is refused like a misspelt one
    let arguments = std::env::args_os().map(|text| text.to_string_lossy().into_owned());
    let arguments: Vec<String> = arguments.collect();
    let (_, own) = merrow_ros2::args::split(&arguments);
    let command = cli::Cli::parse_from(cli::join_addresses(&own));
    suppress_output_panic();
    let done = match panic::catch_unwind(AssertUnwindSafe(|| cli::execute(command, &arguments))) {
        Ok(done) => done,
        Err(cause) => match output_failure(&*cause) {
            Some(why) if why.contains("Broken pipe") => Ok(ExitCode::SUCCESS),
            Some(why) => Err(format!("cannot write to standard output: {why}").into()),
            None => panic::resume_unwind(cause),
        },
    };
    // the rest of the output may not be written yet
    let done = done.and_then(|code| match io::stdout().flush() {
        Err(why) if why.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write to standard output: {why}").into())
        }
        _ => Ok(code),
    });
    done.unwrap_or_else(|failure: cli::Failure| {
        merrow::terminal::warn(format_args!("merrow: {}", failure.text()));
        failure.code()
    })
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

/// Suppresses the panic message of an output that cannot be written, as caused by `head` and by a
/// full disk. The program then ends normally, including its bags.
fn suppress_output_panic() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if output_failure(panic.payload()).is_none() {
            report(panic);
        }
    }));
}

/// Returns the reason if `println!` caused the panic.
fn output_failure(cause: &dyn Any) -> Option<&str> {
    let text = cause.downcast_ref::<String>()?;
    text.strip_prefix("failed printing to stdout: ")
}
