//! Command line of Merrow: arguments in, exit code out.

use clap::Parser;
use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let (own, ros) = cli::split_ros_args(&arguments);
    let command = cli::Cli::parse_from(own);
    match cli::execute(command, &ros) {
        Ok(code) => code,
        Err(text) => {
            eprintln!("merrow: {text}");
            ExitCode::FAILURE
        }
    }
}
