//! Count and log of refused requests.

use crate::node::diagnostics::Rejections;
use merrow_ros2::msg::simulation_interfaces::ServiceResult;
use merrow_ros2::node::Logger;
use std::sync::Arc;

/// Counts refused requests and logs them, at most once per second.
#[derive(Clone)]
pub struct Refusals {
    /// Logger of the node.
    pub logger: Logger,
    /// Counters for the diagnostics.
    pub rejections: Arc<Rejections>,
}

impl Refusals {
    /// Reports a request to `service`.
    pub(super) fn report(&self, service: &str, reason: &str) {
        let first = reason.lines().next().unwrap_or_default();
        if let Some(line) = self
            .rejections
            .count_request(&format!("{service}: {first}"))
        {
            self.logger.warn(line);
        }
    }

    /// Reports a result that is not a success.
    pub(super) fn report_failure(&self, service: &str, result: &ServiceResult) {
        if result.result != ServiceResult::RESULT_OK {
            self.report(service, &result.error_message);
        }
    }
}
