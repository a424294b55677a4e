//! State of the couplings.

use crate::persist::Persist;
use crate::scene::coupling::{Coupling, CouplingKind};
use merrow_math::{Quat, Vec3};

/// Capture state of a released latch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub enum LatchCapture {
    /// Captures a tip that comes close enough.
    #[default]
    Armed,
    /// Released; armed again after the tip has left.
    Leaving,
    /// Disabled: captures no tip.
    Off,
}

/// State of one coupling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct CouplingState {
    /// True while the coupling is engaged.
    pub engaged: bool,
    /// Condition under which a released latch captures its tip. Other couplings do not use it.
    pub capture: LatchCapture,
    /// Robot and link that a grasp holds.
    pub partner: Option<(usize, usize)>,
    /// Coupled position of the second end in the first [m].
    pub p_AT: Vec3,
    /// Coupled attitude of the second end in the first.
    pub q_AT: Quat,
    /// Remaining deviation of the second end from the coupled pose [m, rad], along and about the
    /// axes of T; it decays to zero.
    pub offset: [f64; 6],
    /// Rate of `offset` [m/s, rad/s].
    pub offset_rate: [f64; 6],
    /// True while the tip is inside the funnel of the latch.
    pub guided: bool,
    /// Mean force of the last step on the second end, in W [N].
    pub force_W: Vec3,
    /// Mean moment of the last step on the second end about its origin, in W [N m].
    pub moment_W: Vec3,
    /// Mean force and moment of the last step on the second end, along the axes of T [N, N m].
    pub load: [f64; 6],
    /// Predicted force and moment for the next step, along the axes of T [N, N m]. The solver adds
    /// the remainder at the end of the step.
    pub predicted_load: [f64; 6],
}

impl CouplingState {
    /// Creates the initial state from the world file.
    pub fn new(coupling: &Coupling) -> Self {
        let grasps = matches!(coupling.kind, CouplingKind::Grasp { .. });
        let partner = coupling.b.and_then(|b| b.link());
        Self {
            engaged: coupling.engaged,
            partner: partner.filter(|_| grasps && coupling.engaged),
            p_AT: coupling.start.0,
            q_AT: coupling.start.1,
            ..Self::default()
        }
    }

    /// Engages at the current pose of the second end: deviation `offset` from T [m, rad], rate
    /// `rate` [m/s, rad/s].
    pub fn engage(&mut self, offset: [f64; 6], rate: [f64; 6]) {
        self.engaged = true;
        (self.offset, self.offset_rate) = (offset, rate);
        self.unload();
    }

    /// Releases the coupling, sets its load to zero, and sets the capture state of a latch to
    /// `watch`.
    pub fn release(&mut self, watch: LatchCapture) {
        (self.engaged, self.capture, self.partner) = (false, watch, None);
        (self.offset, self.offset_rate) = ([0.0; 6], [0.0; 6]);
        self.unload();
    }

    /// Returns true if `coupling` is engaged and its load exceeds its strength.
    pub fn is_overloaded(&self, coupling: &Coupling) -> bool {
        let (force, moment) = (coupling.break_force_n, coupling.break_moment_nm);
        self.engaged
            && (force.is_some_and(|limit| self.force_W.norm() > limit)
                || moment.is_some_and(|limit| self.moment_W.norm() > limit))
    }

    fn unload(&mut self) {
        (self.force_W, self.moment_W) = (Vec3::zero(), Vec3::zero());
        (self.load, self.predicted_load) = ([0.0; 6], [0.0; 6]);
    }
}
