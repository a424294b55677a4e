//! Command line program of Merrow: parses the arguments, executes the command and returns the exit
//! code.

use clap::Parser;
use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
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
