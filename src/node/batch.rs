//! Data that the simulation loop passes to the publisher thread.

use crate::arm::GroupStatus;
use crate::node::diagnostics::HealthSnapshot;
use crate::node::states::WorldStatus;
use merrow_messages::frames::ObjectStates;
use merrow_model::state::comms::NetworkOutput;
use merrow_model::state::computer::TaskInterval;
use merrow_model::state::frames::Frame;
use merrow_model::state::reading::Stamped;
use merrow_model::state::{State, TetherState};
use merrow_sim::{InputMessage, SceneVersion};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Results of one block of steps.
#[derive(Debug, Default)]
pub struct Batch {
    /// Simulation time at the end of the block [ns].
    pub time_ns: u64,
    /// Version of the scene to which all indices refer.
    pub scene_version: SceneVersion,
    /// Messages of users that were applied while a bag is recorded: time [ns] and message.
    pub inputs: Vec<(u64, InputMessage)>,
    /// Sensor readings: robot index, sensor index, reading.
    pub readings: Vec<(u32, u32, Stamped)>,
    /// Frames of exteroceptive sensors.
    pub exteroceptive: Vec<Frame>,
    /// State of all moving objects, if frames are due.
    pub snapshot: Option<ObjectStates>,
    /// State of the world for status messages, if due.
    pub status: Option<Arc<WorldStatus>>,
    /// Whether each coupling of the scene is engaged at the end of the block.
    pub engaged: Vec<bool>,
    /// Whether each tether of the scene is intact at the end of the block.
    pub intact: Vec<bool>,
    /// Messages, ranges, packets and intervals of the network of modems, if there are any.
    pub network: Option<Arc<NetworkOutput>>,
    /// Ended intervals of the schedules of all computers.
    pub intervals: Vec<TaskInterval>,
    /// Health data for `/diagnostics`, if due.
    pub health: Option<HealthSnapshot>,
    /// Groups of joints whose goals have changed status.
    pub groups: Vec<GroupStatus>,
    /// Highest goal number that a reset of the world has removed; 0 if none.
    pub removed_goals_up_to: u64,
    /// Whether the time is not published, because later times replace it.
    pub has_no_clock: bool,
    /// Samples of this batch and of earlier batches that were dropped.
    pub lost: LostSamples,
}

/// Kind of samples that later samples replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lost {
    /// Readings and frames of a sensor: robot and sensor, as indices.
    Sensor([usize; 2]),
    /// States of all moving objects.
    Snapshots,
    /// States of batteries, modems, links and computers.
    Status,
    /// Health data.
    Health,
    /// Times.
    Clocks,
}

/// Numbers of samples that were dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LostSamples(pub BTreeMap<Lost, u64>);

impl LostSamples {
    /// Adds other numbers.
    pub fn add(&mut self, other: &Self) {
        for (kind, n) in &other.0 {
            *self.0.entry(*kind).or_default() += n;
        }
    }
}

impl Batch {
    /// Sets whether couplings are engaged and tethers intact in a state.
    pub(crate) fn read_switches(&mut self, state: &State) {
        self.engaged = state.couplings.iter().map(|c| c.engaged).collect();
        self.intact = state.tethers.iter().map(TetherState::is_intact).collect();
    }

    /// Drops the samples, which later samples replace, and counts them. Results that occur once
    /// stay.
    pub fn drop_samples(&mut self) {
        let mut count = |kind: Lost, is_lost: bool| {
            if is_lost {
                *self.lost.0.entry(kind).or_default() += 1;
            }
        };
        for (robot, sensor, _) in self.readings.drain(..) {
            count(Lost::Sensor([robot as usize, sensor as usize]), true);
        }
        for frame in self.exteroceptive.drain(..) {
            count(Lost::Sensor([frame.robot, frame.sensor]), true);
        }
        count(Lost::Snapshots, self.snapshot.take().is_some());
        count(Lost::Status, self.status.take().is_some());
        count(Lost::Health, self.health.take().is_some());
        count(Lost::Clocks, !self.has_no_clock);
        self.has_no_clock = true;
    }

    /// Returns true if the batch has results that occur once. `next`: the batch that follows.
    pub fn has_events(&self, next: &Self) -> bool {
        !self.inputs.is_empty()
            || !self.groups.is_empty()
            || self.removed_goals_up_to > 0
            || self.engaged != next.engaged
            || self.intact != next.intact
            || self.network.is_some()
            || !self.intervals.is_empty()
    }
}
