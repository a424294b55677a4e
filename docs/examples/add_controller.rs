//! Depth hold with one vertical thruster.
//!
//! # Law
//! ```text
//!   T = -k (z + h) - d z'                                          (1)
//! ```
//! # Symbols
//! T thrust, positive up · z height of the base, z' its rate · h depth set-point · k stiffness
//! [N/m], d damping [N s/m].
//!
//! # Frames
//! World W (ENU).
//!
//! # Limits
//! There is no integral term: a vehicle that is not neutrally buoyant keeps a residual error.
//!
//! # Checked by
//! test/docs.rs

use merrow_control::devices::Devices;
use merrow_control::estimate::KnownMotion;
use merrow_control::law::{ControlLaw, Tick};

/// Settings and state of the depth hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthHold {
    /// Index of the thruster, which pushes up.
    pub thruster: usize,
    /// Stiffness [N/m].
    pub stiffness: f64,
    /// Damping [N s/m].
    pub damping: f64,
    /// Depth set-point, positive down [m].
    pub depth: f64,
    /// True while it is active.
    pub on: bool,
}

impl ControlLaw for DepthHold {
    fn tick(&mut self, tick: &Tick<'_>, devices: &mut Devices<'_>) {
        if !self.on {
            return;
        }
        let motion = &tick.motion;
        let climb = motion.q_WB.matrix().mul_vec(motion.V_WB_B.v).z;
        let thrust = -self.stiffness * (motion.p_WB.z + self.depth) - self.damping * climb; // (1)
        devices.set_thrust(self.thruster, thrust, tick.environment.sea.density);
    }

    fn enable(
        &mut self,
        on: bool,
        _: &KnownMotion,
        devices: &mut Devices<'_>,
    ) -> Result<(), String> {
        self.on = on;
        devices.stop_thruster(self.thruster);
        Ok(())
    }

    fn set_heading_depth(
        &mut self,
        heading: Option<f64>,
        depth: Option<f64>,
        _: &KnownMotion,
    ) -> Result<(), String> {
        if heading.is_some() {
            return Err("heading: the firmware does not steer".to_string());
        }
        self.depth = depth.unwrap_or(self.depth);
        Ok(())
    }
}
