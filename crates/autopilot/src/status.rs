//! Status of a link to an autopilot, and its lines in the log.

use std::collections::HashSet;
use std::net::SocketAddr;

/// Maximum number of different lines about a link.
const MAX_NOTES: usize = 32;

/// Status and counters of a link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkStatus {
    /// Name of the robot.
    pub robot: String,
    /// Address on which the simulator receives.
    pub address: String,
    /// Address of the autopilot, while one is connected.
    pub peer: Option<String>,
    /// True if an autopilot was connected and sends no more.
    pub lost: bool,
    /// Number of frames that were exchanged.
    pub frames: u64,
    /// Number of frames that did not arrive.
    pub lost_frames: u64,
    /// Number of packets that were sent again.
    pub repeated: u64,
    /// Number of packets that are not valid.
    pub malformed: u64,
    /// Number of packets of other programs.
    pub foreign: u64,
    /// Number of restarts of the autopilot.
    pub restarts: u64,
    /// Latest line about the link; empty without one.
    pub note: String,
}

/// Status of a link and the lines that were printed about it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkLog {
    /// Present status of the link.
    pub status: LinkStatus,
    notes: HashSet<String>,
}

impl LinkLog {
    /// Creates the log of the link of robot `name`, which receives at `address`.
    pub(crate) fn new(name: &str, address: SocketAddr) -> Self {
        Self {
            status: LinkStatus {
                robot: name.to_string(),
                address: address.to_string(),
                ..LinkStatus::default()
            },
            notes: HashSet::new(),
        }
    }

    /// Prints a line about the link, the first time that it occurs.
    pub(crate) fn note(&mut self, line: String) {
        if self.notes.len() < MAX_NOTES && !self.notes.contains(&line) {
            eprintln!("merrow: autopilot of {}: {line}", self.status.robot);
            self.notes.insert(line.clone());
        }
        self.status.note = line;
    }

    /// Reports that an autopilot has connected.
    pub(crate) fn connected(&mut self, from: SocketAddr) {
        (self.status.peer, self.status.lost) = (Some(from.to_string()), false);
        eprintln!(
            "merrow: autopilot of {}: connected to {from}",
            self.status.robot
        );
    }

    /// Reports that the autopilot sends no more.
    pub(crate) fn lost(&mut self, why: &str) {
        (self.status.peer, self.status.lost) = (None, true);
        self.note(why.to_string());
    }
}
