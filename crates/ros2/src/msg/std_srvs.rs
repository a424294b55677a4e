//! `std_srvs`: services without arguments, or with one switch.

use crate::message::ros_service;

ros_service! {
    /// Does something that cannot fail.
    pub struct Empty("std_srvs/srv/Empty") {
        request EmptyRequest {}
        response EmptyResponse {}
    }

    /// Does something and says how it went.
    pub struct Trigger("std_srvs/srv/Trigger") {
        request TriggerRequest {}
        response TriggerResponse {
            /// Whether it went well.
            success: bool,
            /// What happened, for a person to read.
            message: String,
        }
    }

    /// Switches something on or off.
    pub struct SetBool("std_srvs/srv/SetBool") {
        request SetBoolRequest {
            /// On or off.
            data: bool,
        }
        response SetBoolResponse {
            /// Whether it went well.
            success: bool,
            /// What happened, for a person to read.
            message: String,
        }
    }
}
