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

/// Numbers of samples that were dropped, because later samples replace them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LostSamples {
    /// Readings and frames by robot and sensor, as indices.
    pub sensors: BTreeMap<[usize; 2], u64>,
    /// States of all moving objects.
    pub snapshots: u64,
    /// States of the batteries.
    pub batteries: u64,
    /// Loads on the couplings.
    pub loads: u64,
    /// States of modems and links.
    pub modems: u64,
    /// States of computers.
    pub computers: u64,
    /// Health data.
    pub health: u64,
    /// Times.
    pub clocks: u64,
}

impl LostSamples {
    /// Adds other numbers.
    pub fn add(&mut self, other: &Self) {
        for (sensor, n) in &other.sensors {
            *self.sensors.entry(*sensor).or_default() += n;
        }
        self.snapshots += other.snapshots;
        self.batteries += other.batteries;
        self.loads += other.loads;
        self.modems += other.modems;
        self.computers += other.computers;
        self.health += other.health;
        self.clocks += other.clocks;
    }
}

impl Batch {
    /// Drops the samples, which later samples replace, and counts them. Results that occur once
    /// stay.
    pub fn drop_samples(&mut self) {
        let lost = &mut self.lost;
        for (robot, sensor, _) in self.readings.drain(..) {
            let sensor = [robot as usize, sensor as usize];
            *lost.sensors.entry(sensor).or_default() += 1;
        }
        for frame in self.exteroceptive.drain(..) {
            let sensor = [frame.robot, frame.sensor];
            *lost.sensors.entry(sensor).or_default() += 1;
        }
        lost.snapshots += u64::from(self.snapshot.take().is_some());
        lost.batteries += u64::from(self.batteries.take().is_some());
        lost.loads += u64::from(self.loads.take().is_some());
        lost.health += u64::from(self.health.take().is_some());
        if let Some(network) = &mut self.network {
            lost.modems += u64::from(network.states.take().is_some());
        }
        if let Some(computers) = &mut self.computers {
            lost.computers += u64::from(computers.states.take().is_some());
        }
        lost.clocks += u64::from(!self.has_no_clock);
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
