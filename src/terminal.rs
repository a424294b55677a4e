//! Lines on standard output and standard error during a run.
//!
//! A run and its recordings outlive their terminal: a closed window, `| head` and a full disk do
//! not end them. `println!` and `eprintln!` panic in these cases.

use std::fmt::Display;
use std::io::{ErrorKind, Write};

/// Prints a line on standard output. A line without a terminal or reader is dropped.
///
/// # Errors
/// The output has a reader or a file that did not receive the line, as on a full disk.
pub fn print(line: impl Display) -> Result<(), String> {
    match writeln!(std::io::stdout(), "{line}") {
        Err(why) if !is_gone(why.kind(), why.raw_os_error()) => {
            Err(format!("cannot write to standard output: {why}"))
        }
        _ => Ok(()),
    }
}

/// Prints a line on standard output, if there is one.
pub fn inform(line: impl Display) {
    // a message that is not printed does not affect the run
    let _ = print(line);
}

/// Prints a line on standard error, if there is one.
pub fn warn(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Returns true for a closed pipe, and for a terminal whose window was closed (EIO).
fn is_gone(kind: ErrorKind, code: Option<i32>) -> bool {
    const EIO: i32 = 5;
    kind == ErrorKind::BrokenPipe || code == Some(EIO)
}
