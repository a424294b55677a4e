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
}
