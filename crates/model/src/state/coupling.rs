//! Memory of the couplings.

use crate::scene::{Coupling, CouplingKind, Strength};
use merrow_math::{Quat, Vec3};

/// Whether a latch that does not hold waits for its tip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// It captures what comes near enough.
    Armed,
    /// It has let go, and is armed again once the tip has left.
    Leaving,
    /// It captures nothing.
    Off,
}

/// Memory of one coupling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CouplingState {
    /// True while it holds.
    pub engaged: bool,
    /// Whether a latch captures.
    pub watch: Watch,
    /// Robot and link that a grasp holds.
    pub partner: Option<(usize, usize)>,
    /// Place of the second end in the first at which it is held [m].
    pub p_AT: Vec3,
    /// Axes of the second end in the first at which it is held.
    pub q_AT: Quat,
    /// How far the second end still is from there [m, rad], along and about the axes T; eased to nothing.
    pub offset: [f64; 6],
    /// Rate of that [m/s, rad/s].
    pub offset_rate: [f64; 6],
    /// True while the tip is within the latch's funnel.
    pub guided: bool,
    /// Mean force of the last step on the second end, along the world's axes [N].
    pub force_W: Vec3,
    /// Mean moment of the last step on it, at its origin [N m].
    pub moment_W: Vec3,
    /// Mean force and moment of the last step on the second end, along the axes T [N, N m].
    pub load: [f64; 6],
    /// Force and moment with which the coming step begins, along the axes T [N, N m]; what is missing is found at its end.
    pub fed: [f64; 6],
}

impl CouplingState {
    /// As the world file starts it.
    pub fn new(coupling: &Coupling) -> Self {
        let grasps = matches!(coupling.kind, CouplingKind::Grasp { .. });
        let partner = coupling.b.and_then(|b| b.link());
        Self {
            engaged: coupling.engaged,
            watch: Watch::Armed,
            partner: partner.filter(|_| grasps && coupling.engaged),
            p_AT: coupling.start.0,
            q_AT: coupling.start.1,
            offset: [0.0; 6],
            offset_rate: [0.0; 6],
            guided: false,
            force_W: Vec3::zero(),
            moment_W: Vec3::zero(),
            load: [0.0; 6],
            fed: [0.0; 6],
        }
    }

    /// Takes hold where the second end is: at `offset` from T, moving at `rate` against it.
    pub fn engage(&mut self, offset: [f64; 6], rate: [f64; 6]) {
        self.engaged = true;
        (self.offset, self.offset_rate) = (offset, rate);
        self.unload();
    }

    /// Lets go.
    pub fn release(&mut self, watch: Watch) {
        (self.engaged, self.watch, self.partner) = (false, watch, None);
        (self.offset, self.offset_rate) = ([0.0; 6], [0.0; 6]);
        self.unload();
    }

    /// True if it holds and bears more than `strength`.
    pub fn is_beyond(&self, strength: &Strength) -> bool {
        self.engaged
            && (self.force_W.norm() > strength.force || self.moment_W.norm() > strength.moment)
    }

    fn unload(&mut self) {
        (self.force_W, self.moment_W) = (Vec3::zero(), Vec3::zero());
        (self.load, self.fed) = ([0.0; 6], [0.0; 6]);
    }
}
