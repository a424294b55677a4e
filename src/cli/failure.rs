//! Reasons why a command did not succeed, with the exit status of the program.
//!
//! `docs/reference/exit_status.md` lists the values.

use std::process::ExitCode;

/// Reason why a command did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments or the world are not valid, so that nothing was done.
    Invalid(String),
    /// The request failed.
    Failed(String),
    /// A signal, by its number, ended the command before it was complete.
    Stopped(String, u8),
}

impl Failure {
    /// Returns the lines for the user.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Invalid(text) | Self::Failed(text) | Self::Stopped(text, _) => text,
        }
    }

    /// Returns the exit status.
    pub(crate) fn code(&self) -> ExitCode {
        match self {
            Self::Invalid(_) => ExitCode::from(2),
            Self::Failed(_) => ExitCode::FAILURE,
            Self::Stopped(_, signal) => ExitCode::from(128 + signal),
        }
    }
}

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Self::Failed(text)
    }
}
