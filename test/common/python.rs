//! Runs Python scripts of reference implementations.

use std::path::Path;
use std::process::Command;

/// Returns a command for the script `path` below `test/` in the environment that `test/run`
/// prepares, or `None` if peers are skipped.
///
/// Panics if the environment is missing, so that a test does not pass unnoticed.
pub(crate) fn script(path: &str) -> Option<Command> {
    if std::env::var("MERROW_SKIP_PEERS").is_ok_and(|v| v == "1") {
        println!("skipped: MERROW_SKIP_PEERS is 1");
        return None;
    }
    let Ok(python) = std::env::var("MERROW_PYTHON") else {
        panic!("MERROW_PYTHON is not set; run test/run, which prepares the Python environment");
    };
    let mut command = Command::new(python);
    command.arg(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("test")
            .join(path),
    );
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    Some(command)
}
