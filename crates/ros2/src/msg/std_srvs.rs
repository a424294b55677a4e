//! `std_srvs`: services without arguments or with one boolean argument.

use crate::message::ros_service;

ros_service! {
    /// Triggers an operation that cannot fail.
    pub struct Empty("std_srvs/srv/Empty") {
        request EmptyRequest {}
        response EmptyResponse {}
    }

    /// Triggers an operation and returns its outcome.
    pub struct Trigger("std_srvs/srv/Trigger") {
        request TriggerRequest {}
        response TriggerResponse {
            /// Whether the operation succeeded.
            success: bool,
            /// Description of the outcome for users.
            message: String,
        }
    }

    /// Enables or disables a function.
    pub struct SetBool("std_srvs/srv/SetBool") {
        request SetBoolRequest {
            /// True enables, false disables.
            data: bool,
        }
        response SetBoolResponse {
            /// Whether the operation succeeded.
            success: bool,
            /// Description of the outcome for users.
            message: String,
        }
    }
}
