//! Data that the simulation loop passes to the publisher thread.

use crate::arm::GroupStatus;
use crate::computer::ComputerBatch;
use crate::modem::NetworkBatch;
use crate::node::diagnostics::HealthSnapshot;
use merrow_math::Vec3;
use merrow_messages::frames::ObjectStates;
use merrow_model::state::BatteryState;
use merrow_model::state::frames::Frame;
use merrow_model::state::reading::Stamped;
use merrow_sim::{InputMessage, SceneVersion};
use std::collections::BTreeMap;

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
    /// State of every robot's battery, if due.
    pub batteries: Option<Vec<BatteryState>>,
    /// Whether each coupling of the scene is engaged at the end of the block.
    pub engaged: Vec<bool>,
    /// Whether each tether of the scene is intact at the end of the block.
    pub intact: Vec<bool>,
    /// Force [N] and moment [N m] on the second end of each coupling (W), if due.
    pub loads: Option<Vec<[Vec3; 2]>>,
    /// Results of the network of modems, if there are any.
    pub network: Option<Box<NetworkBatch>>,
    /// Schedule traces of computers and states of their tasks, if there are any.
    pub computers: Option<Box<ComputerBatch>>,
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
    /// States of the batteries.
    Batteries,
    /// Loads on the couplings.
    Loads,
    /// States of modems and links.
    Modems,
    /// States of computers.
    Computers,
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
        count(Lost::Batteries, self.batteries.take().is_some());
        count(Lost::Loads, self.loads.take().is_some());
        count(Lost::Health, self.health.take().is_some());
        let network = self.network.as_mut();
        count(
            Lost::Modems,
            network.is_some_and(|own| own.states.take().is_some()),
        );
        let computers = self.computers.as_mut();
        count(
            Lost::Computers,
            computers.is_some_and(|own| own.states.take().is_some()),
        );
        count(Lost::Clocks, !self.has_no_clock);
        self.has_no_clock = true;
    }

    /// Returns true if the batch has results that occur once. `next`: the batch that follows.
    pub fn has_events(&self, next: &Self) -> bool {
        let network = self.network.as_ref();
        let computers = self.computers.as_ref();
        !self.inputs.is_empty()
            || !self.groups.is_empty()
            || self.removed_goals_up_to > 0
            || self.engaged != next.engaged
            || self.intact != next.intact
            || network.is_some_and(|network| !network.output.is_empty())
            || computers.is_some_and(|computers| !computers.intervals.is_empty())
    }
}
