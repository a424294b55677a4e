//! Tasks for the publisher's thread, and the state that it shares with its owners.

use crate::publisher::topic_filter::TopicFilter;
use crate::replay::world::RecordedWorld;
use merrow_autopilot::status::SharedStatus;
use merrow_ros2::bag::BagOptions;
use merrow_sim::Reply;
use merrow_view::readings::plotted::PlottedTopics;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Task for the thread, with the receiver of its reply.
pub enum Task {
    /// Starts recording into this file; the reply is a line about it.
    Record(PathBuf, Reply<Result<String, String>>),
    /// Stops recording; the reply is a summary, `None` if no recording was active.
    StopRecording(Reply<Result<Option<String>, String>>),
    /// Replies when every reliable subscription has received the messages of all steps so far, or
    /// with the reason why this is not known.
    Deliver(Reply<Result<(), String>>),
    /// Completes the bag and ends the thread.
    Quit,
}

/// Topics and files of the recordings of a run.
#[derive(Clone, Debug, Default)]
pub struct RecordSettings {
    /// Topics that are recorded.
    pub filter: TopicFilter,
    /// Division into files, and compression.
    pub options: BagOptions,
}

/// Maximum rate of `/clock` in wall time [Hz], unless the parameter sets another.
pub const DEFAULT_CLOCK_RATE: f64 = 100.0;

/// State shared by the thread and its owners.
#[derive(Debug, Default)]
pub struct PublisherState {
    /// Bits of the maximum rate of `/clock` in wall time [Hz]; 0: [`DEFAULT_CLOCK_RATE`].
    clock_rate: AtomicU64,
    /// Whether a bag is being recorded.
    pub recording: AtomicBool,
    /// Number of messages that did not reach DDS or the bag.
    pub dropped: AtomicU64,
    /// Whether `/tf` includes the true poses of the robots.
    pub truth_tf: AtomicBool,
    /// Names of the robots whose true poses `/tf` does not include.
    pub robots_without_truth_tf: Mutex<BTreeSet<String>>,
    /// Status of the links to autopilots and ground stations.
    pub links: SharedStatus,
    /// Topics that pages of the live view plot.
    pub plotted: PlottedTopics,
    /// Topics and files of the recordings of the run.
    pub settings: Mutex<RecordSettings>,
    /// World of the run, which bags store.
    pub world: Mutex<RecordedWorld>,
}

impl PublisherState {
    /// Returns the maximum rate of `/clock` in wall time [Hz].
    pub fn clock_rate(&self) -> f64 {
        match self.clock_rate.load(Ordering::Relaxed) {
            0 => DEFAULT_CLOCK_RATE,
            bits => f64::from_bits(bits),
        }
    }

    /// Sets the maximum rate of `/clock` in wall time [Hz].
    pub fn set_clock_rate(&self, rate: f64) {
        self.clock_rate.store(rate.to_bits(), Ordering::Relaxed);
    }

    /// Sets whether `/tf` includes the true pose of the robot with this name.
    pub fn set_truth_tf(&self, robot: &str, is_published: bool) {
        let mut robots = self.robots_without_truth_tf.lock();
        if is_published {
            robots.remove(robot);
        } else {
            robots.insert(robot.to_owned());
        }
    }

    /// Returns whether `/tf` includes the true pose of the robot with this name.
    pub fn has_truth_tf(&self, robot: &str) -> bool {
        self.truth_tf.load(Ordering::Relaxed)
            && !self.robots_without_truth_tf.lock().contains(robot)
    }
}
