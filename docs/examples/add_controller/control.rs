//! Depth hold with one vertical thruster.
//!
//! # Law
//! ```text
//!   T = -k (z + h) - d z'                                          (1)
//! ```
//! # Symbols
//! T thrust · z height of the base, z' its rate · h depth · k stiffness [N/m], d damping [N s/m].
//!
//! # Frames
//! World W (ENU).
//!
//! # Limits
//! A vehicle that is not neutrally buoyant keeps a residual error.
//!
//! # Checked by
//! test/docs.rs

use crate::build::{BuildLaw, LawContext};
use crate::devices::Devices;
use crate::estimate::KnownMotion;
use crate::law::{ControlLaw, Controller, Tick};
use merrow_model::scene::robot::firmware::thruster_depth_hold::{
    ThrusterDepthHold, ThrusterDepthHoldKeys, ThrusterDepthHoldState,
};
use merrow_model::state::commands::Accepted;

impl ControlLaw for Controller<'_, ThrusterDepthHold, ThrusterDepthHoldState> {
    fn tick(&mut self, tick: &Tick<'_>, devices: &mut Devices<'_>) {
        if self.state.on {
            let keys = &self.settings.keys;
            let climb = tick.motion.q_WB.matrix().mul_vec(tick.motion.V_WB_B.v).z;
            let error = tick.motion.p_WB.z + self.state.depth;
            let thrust = -keys.depth_gain_n_per_m * error - keys.sinking_gain_n_s_per_m * climb; // (1)
            devices.set_thrust(self.settings.thruster, thrust, tick.environment.sea.density);
        }
    }

    fn enable(&mut self, on: bool, _: &KnownMotion, devices: &mut Devices<'_>) -> Accepted {
        self.state.on = on;
        devices.stop_thruster(self.settings.thruster);
        Ok(())
    }

    fn set_heading_depth(
        &mut self,
        heading: Option<f64>,
        depth: Option<f64>,
        _: &KnownMotion,
    ) -> Accepted {
        if heading.is_some() {
            return Err("heading: the firmware holds the depth only".to_string());
        }
        self.state.on = true;
        self.state.depth = depth.unwrap_or(self.state.depth);
        Ok(())
    }
}

impl BuildLaw for ThrusterDepthHold {
    fn build(keys: &ThrusterDepthHoldKeys, context: &LawContext<'_>) -> Self {
        let names = context.robot.thrusters.iter().map(|t| t.name.as_str());
        let place = keys.at.key_place("thruster");
        Self {
            thruster: context.find("thruster", &keys.thruster, names, place),
            keys: keys.clone(),
        }
    }
}
