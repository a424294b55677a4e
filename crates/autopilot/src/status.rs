//! Status of a link to an autopilot or a ground station, and its lines in the log.

use parking_lot::Mutex;
use std::collections::HashSet;
use std::fmt;
use std::io::Write;
use std::sync::Arc;

/// Maximum number of different lines about a link.
const MAX_NOTES: usize = 32;

/// Program at the other end of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkKind {
    /// ArduPilot SITL, over UDP.
    #[default]
    ArduPilot,
    /// PX4 SITL, over TCP.
    Px4,
    /// Ground station, over UDP.
    GroundStation,
    /// Community of MOOS, over TCP.
    Moos,
    /// Program on a serial line.
    Serial,
}

impl LinkKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::ArduPilot,
        Self::Px4,
        Self::GroundStation,
        Self::Moos,
        Self::Serial,
    ];

    /// Returns the name of the status in the diagnostics.
    pub fn name(self) -> &'static str {
        match self {
            Self::ArduPilot | Self::Px4 => "autopilot",
            Self::GroundStation => "MAVLink",
            Self::Moos => "MOOS",
            Self::Serial => "serial feed",
        }
    }

    /// Returns the name of the transport protocol.
    pub fn transport(self) -> &'static str {
        match self {
            Self::ArduPilot | Self::GroundStation => "UDP",
            Self::Px4 | Self::Moos => "TCP",
            Self::Serial => "serial line",
        }
    }
}

/// Connection and counters of one link, which `/diagnostics` publishes. Counters start when the
/// link is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkStatus {
    /// Name of the robot.
    pub robot: String,
    /// Program at the other end.
    pub kind: LinkKind,
    /// Address on which the simulator receives; of a ground station, the address to which it sends.
    pub address: String,
    /// Address of the other program, while it is connected.
    pub peer: Option<String>,
    /// True if an autopilot was connected and sends no more.
    pub lost: bool,
    /// Reason why the link could not be opened.
    pub failure: Option<String>,
    /// Number of frames or messages that were received.
    pub frames: u64,
    /// Number of frames that did not arrive.
    pub lost_frames: u64,
    /// Number of frames that arrived after a later frame and were ignored.
    pub stale: u64,
    /// Number of packets that were sent again.
    pub repeated: u64,
    /// Number of packets that are not valid.
    pub malformed: u64,
    /// Number of packets of other programs.
    pub foreign: u64,
    /// Number of requests and outputs that were refused.
    pub refused: u64,
    /// Number of restarts of the autopilot.
    pub restarts: u64,
    /// Latest line about the link; empty without one.
    pub note: String,
}

impl LinkStatus {
    /// Returns the number of packets that were lost, invalid, refused or of other programs.
    pub fn faults(&self) -> u64 {
        self.malformed + self.foreign + self.lost_frames + self.stale + self.refused
    }
}

/// Function that writes a line to the log.
#[derive(Clone)]
pub struct LogSink(Arc<dyn Fn(&str) + Send + Sync>);

impl LogSink {
    /// Creates a sink that calls `write` with each line.
    pub fn new(write: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(write))
    }

    /// Passes a line, without line feed, to the function of the sink.
    pub(crate) fn write(&self, line: &str) {
        (self.0)(line);
    }
}

impl Default for LogSink {
    /// Creates a sink that prints to the standard error output.
    fn default() -> Self {
        Self::new(|line| {
            // a closed terminal does not end the run
            let _ = writeln!(std::io::stderr(), "merrow: {line}");
        })
    }
}

impl fmt::Debug for LogSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LogSink")
    }
}

/// Status of a link and the lines that were written about it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkLog {
    /// Status of the link, which the methods of the log update.
    pub status: LinkStatus,
    notes: HashSet<String>,
    sink: LogSink,
}

impl LinkLog {
    /// Creates the log of a link of robot `name`.
    pub(crate) fn new(
        name: &str,
        kind: LinkKind,
        address: impl fmt::Display,
        sink: &LogSink,
    ) -> Self {
        Self {
            status: LinkStatus {
                robot: name.to_string(),
                kind,
                address: address.to_string(),
                ..LinkStatus::default()
            },
            notes: HashSet::new(),
            sink: sink.clone(),
        }
    }

    /// Writes a line about the link, the first time that it occurs.
    pub(crate) fn note(&mut self, line: impl Into<String>) {
        let line = line.into();
        if self.notes.len() < MAX_NOTES && !self.notes.contains(&line) {
            self.write(&line);
            self.notes.insert(line.clone());
        }
        self.status.note = line;
    }

    /// Reports outputs of the autopilot that the robot refuses.
    pub(crate) fn refuse_outputs(&mut self, why: &str) {
        self.status.refused += 1;
        self.note(format!("outputs are refused: {why}"));
    }

    /// Reports that the other program has connected.
    pub(crate) fn connected(&mut self, from: impl fmt::Display) {
        (self.status.peer, self.status.lost) = (Some(from.to_string()), false);
        self.write(&format!("connected to {from}"));
    }

    /// Reports that the autopilot sends no more.
    pub(crate) fn lost(&mut self, why: &str) {
        (self.status.peer, self.status.lost) = (None, true);
        self.note(why);
    }

    fn write(&self, line: &str) {
        let (kind, robot) = (self.status.kind.name(), &self.status.robot);
        self.sink.write(&format!("{kind} of {robot}: {line}"));
    }
}

/// Status of all links of a world, to autopilots and to ground stations, for the diagnostics.
#[derive(Clone, Debug, Default)]
pub struct SharedStatus(Arc<Mutex<Vec<LinkStatus>>>);

impl SharedStatus {
    /// Returns copies of the status of all links.
    pub fn read(&self) -> Vec<LinkStatus> {
        self.0.lock().clone()
    }

    /// Replaces the status of all links.
    pub(crate) fn set<'a>(&self, all: impl Iterator<Item = &'a LinkStatus>) {
        *self.0.lock() = all.cloned().collect();
    }
}
