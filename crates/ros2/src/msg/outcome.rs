//! Responses of services that state only whether the request succeeded.

use crate::message::Message;
use crate::msg::simulation_interfaces::ServiceResult;

/// A response of a service that can state whether the request succeeded, without further data. The
/// build scripts implement it.
pub trait Outcome: Message {
    /// Builds the response: its fields for a result or for success and a text, as far as it has
    /// them.
    fn of(done: ServiceResult) -> Self;
}

impl From<Result<String, String>> for ServiceResult {
    /// Returns the result of a success with a text, or of a failed operation with its reason.
    fn from(done: Result<String, String>) -> Self {
        let result = match done {
            Ok(_) => Self::RESULT_OK,
            Err(_) => Self::RESULT_OPERATION_FAILED,
        };
        let error_message = done.unwrap_or_else(|why| why);
        Self {
            result,
            error_message,
        }
    }
}

impl ServiceResult {
    /// Returns whether the request succeeded.
    pub fn is_ok(&self) -> bool {
        self.result == Self::RESULT_OK
    }
}
