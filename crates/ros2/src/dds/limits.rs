//! Raises the process's limit of open files to the value that the operating system allows.
//!
//! The DDS library opens two sockets per endpoint, so the usual limit of 1024 files suffices for
//! only about 500 topics. No other setting of the process changes.

/// Upper bound of the new soft limit; the hard limit applies if it is lower.
#[cfg(unix)]
const MAX_OPEN_FILES: u64 = 65_536;

/// Raises the soft limit of open files of this process to the hard limit, at most [`ENOUGH_FILES`].
/// If that fails, creating the endpoint that exceeds the limit returns an error.
#[cfg(unix)]
pub(super) fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.unwrap_or(MAX_OPEN_FILES).min(MAX_OPEN_FILES);
    if limit.current.is_some_and(|current| current < wanted) {
        let raised = Rlimit {
            current: Some(wanted),
            ..limit
        };
        setrlimit(Resource::Nofile, raised).unwrap_or_default();
    }
}

/// Does nothing, because this platform has no such limit.
#[cfg(not(unix))]
pub fn raise_open_files() {}
