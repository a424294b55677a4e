//! Executors, which connect nodes to the network and pass them messages, times and responses.

use std::fmt;

/// Reason why a mission could not start or continue: one line for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExecutorError(pub String);

impl ExecutorError {
    /// Returns an error with this text.
    pub fn new(text: impl fmt::Display) -> Self {
        Self(text.to_string())
    }
}
