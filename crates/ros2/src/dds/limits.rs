//! The process's limit of open files, raised to what the operating system allows.
//!
//! The DDS library holds two sockets for each endpoint, and the usual limit of 1024 ends a world of some 500 topics.
//! Nothing else of the process is changed.

/// Raises the soft limit of open files to the hard limit, or to this where there is none.
#[cfg(unix)]
const ENOUGH_FILES: u64 = 65_536;

/// Raises the limit of open files of this process as far as it may. Where it may not, the endpoint that does not fit
/// reports it.
#[cfg(unix)]
pub fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.unwrap_or(ENOUGH_FILES).min(ENOUGH_FILES);
    if limit.current.is_some_and(|current| current < wanted) {
        let raised = Rlimit {
            current: Some(wanted),
            ..limit
        };
        setrlimit(Resource::Nofile, raised).unwrap_or_default();
    }
}

/// There is no such limit here.
#[cfg(not(unix))]
pub fn raise_open_files() {}
