//! What the step hands to the thread that publishes.

use crate::arm::GroupStatus;
use crate::node::diagnostics::Vitals;
use crate::node::frames::Snapshot;
use merrow_math::Vec3;
use merrow_model::state::BatteryState;
use merrow_model::state::frames::Frame;
use merrow_model::state::reading::Stamped;

/// What happened in one block.
#[derive(Debug, Default)]
pub struct Batch {
    /// Simulated time at its end [ns].
    pub time_ns: u64,
    /// Readings: robot, sensor, reading.
    pub readings: Vec<(u32, u32, Stamped)>,
    /// What sensors that look around have brought.
    pub looks: Vec<Frame>,
    /// Where everything is, if frames are due.
    pub snapshot: Option<Snapshot>,
    /// Charge of every robot's battery, if due.
    pub batteries: Option<Vec<BatteryState>>,
    /// Of each coupling, whether it holds.
    pub engaged: Vec<bool>,
    /// Of each tether, whether it is whole.
    pub whole: Vec<bool>,
    /// Of each coupling, force [N] and moment [N m] on its second end in the world, if due.
    pub loads: Option<Vec<[Vec3; 2]>>,
    /// Health, if due.
    pub vitals: Option<Vitals>,
    /// Groups of joints whose goals something has happened to.
    pub groups: Vec<GroupStatus>,
    /// The world has forgotten all goals up to this number; 0: none.
    pub forgotten: u64,
}
