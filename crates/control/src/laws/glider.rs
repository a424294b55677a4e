//! Firmware of an underwater glider: dives and climbs in a saw-tooth, and steers by rolling a mass.
//!
//! # Law
//! ```text
//!   V = V_dive, x = x_dive    until the depth D,  then  (1)  [Graver 2005, ch. 2: saw-tooth]
//!   V = V_climb, x = x_climb  until the turn depth
//!   γ = k (ψ_r - ψ) - d ψ'   within ±γ_max              (2)  [Zhang 2013: turn by the rolled mass]
//! ```
//! In (2) dive and climb have different gains, because the lift changes its sign. Along a path ψ_r
//! is the course of `line_of_sight`.
//!
//! # Symbols
//! V volume of the buoyancy engine · x position of the sliding mass · D depth of the dive · γ roll
//! angle of the mass · ψ heading, ψ_r its reference, both from east · k, d gains.
//!
//! # Frames
//! World (ENU); depth positive down.
//!
//! # Limits
//! The pitch angle follows from the position of the sliding mass without feedback. The glider
//! passes D before it turns. It does not measure the distance to the seabed.
//!
//! # Checked by
//! test/analytic/vehicles/glider.rs

use crate::autopilot::Measured;
use crate::build::{BuildLaw, LawContext};
use crate::devices::Devices;
use crate::estimate::KnownMotion;
use crate::law::{ControlLaw, Controller, Effect, ModeOrPath, Tick, mode_or_path};
use crate::{line_of_sight, modes};
use merrow_math::real::wrap_angle;
use merrow_model::scene::Drive;
use merrow_model::scene::JointMode;
use merrow_model::scene::robot::firmware::Glider as Settings;
use merrow_model::scene::robot::firmware::glider::GliderKeys;
use merrow_model::scene::robot::firmware::glider::GliderState;
use merrow_model::state::FirmwareCommand;
use merrow_model::state::commands::Accepted;
use merrow_model::state::firmware::ControlMode;
use merrow_model::state::firmware::tasks::PathProgress;
use merrow_yaml::read::Places;
use std::f64::consts::FRAC_PI_2;

impl ControlLaw for Controller<'_, Settings, GliderState> {
    fn tick(&mut self, tick: &Tick<'_>, devices: &mut Devices<'_>) {
        let Self { settings, state } = self;
        if !state.on {
            return;
        }
        let now = Measured::from_motion(&tick.motion);
        follow_path(settings, &tick.motion, state, tick.dt);
        let limit = if state.is_diving {
            state.depth
        } else {
            settings.keys.turn_depth_m
        };
        // (1); with a depth at or above the turn depth the glider stays at the surface
        if state.depth <= settings.keys.turn_depth_m {
            state.is_diving = false;
        } else if (now.depth >= limit) == state.is_diving {
            state.is_diving = !state.is_diving;
        }
        let phase = usize::from(!state.is_diving);
        devices.set_buoyancy_engine(settings.engine, settings.keys.volumes_m3[phase]);
        if let (Some(joint), Some(slide)) = (settings.slide_joint, &settings.keys.slide) {
            devices.set_joint(joint, JointMode::Position, slide.positions_m[phase]);
        }
        if let (Some(joint), Some(steering)) = (settings.steering_joint, &settings.keys.steering) {
            let max_angle = steering.max_angle_deg.to_radians();
            let angle = state.heading.map_or(0.0, |heading| {
                // headings are clockwise, the yaw rate is about the vertical
                let error = -wrap_angle(heading - now.heading);
                let yaw_rate = tick.motion.V_WB_B.w.z;
                let (k, d) = (
                    steering.heading_gain[phase],
                    steering.yaw_rate_gain_s[phase],
                );
                (k * error - d * yaw_rate).clamp(-max_angle, max_angle)
            });
            devices.set_joint(joint, JointMode::Position, angle);
        }
    }

    fn enable(&mut self, on: bool, _: &KnownMotion, _: &mut Devices<'_>) -> Accepted {
        if on {
            if !self.state.on {
                start(self.settings, self.state);
            }
        } else {
            self.state.on = false;
        }
        Ok(())
    }

    fn apply(
        &mut self,
        command: &FirmwareCommand,
        motion: &KnownMotion,
        _: u64,
        devices: &mut Devices<'_>,
    ) -> Result<Effect, String> {
        match mode_or_path(command)? {
            ModeOrPath::Mode(ControlMode::Off) => self.state.on = false,
            ModeOrPath::Mode(ControlMode::Dive) => start(self.settings, self.state),
            ModeOrPath::Mode(mode) => modes::check_mode(devices.robot(), mode)?,
            ModeOrPath::Path(waypoints) => {
                let path = PathProgress::new(motion.p_WB, waypoints)?;
                start(self.settings, self.state);
                self.state.path = Some(path);
            }
        }
        Ok(Effect::None)
    }

    fn set_heading_depth(
        &mut self,
        heading: Option<f64>,
        depth: Option<f64>,
        _: &KnownMotion,
    ) -> Accepted {
        if heading.is_some() && self.settings.steering_joint.is_none() {
            return Err("heading: the glider has no steering".to_string());
        }
        start(self.settings, self.state);
        self.state.heading = heading.or(self.state.heading);
        self.state.depth = depth.unwrap_or(self.state.depth);
        Ok(())
    }

    fn drives_joint(&self, joint: usize) -> bool {
        let joints = [self.settings.slide_joint, self.settings.steering_joint];
        self.state.on && joints.contains(&Some(joint))
    }
}

/// Sets the heading along the path; at its end the glider surfaces.
fn follow_path(settings: &Settings, motion: &KnownMotion, memory: &mut GliderState, dt: f64) {
    let Some(path) = &mut memory.path else {
        return;
    };
    let R = motion.q_WB.matrix();
    let (p, v) = (motion.p_WB, R.mul_vec(motion.V_WB_B.v));
    match line_of_sight::advance(&settings.keys.line_of_sight(), path, p, dt) {
        Some(leg) => {
            let heading = line_of_sight::heading_for_course(leg.course, R.to_rpy()[2], v);
            memory.heading = Some(FRAC_PI_2 - heading);
            let end = -path.waypoints[path.leg + 1].z;
            memory.depth = if end > settings.keys.turn_depth_m {
                end
            } else {
                settings.keys.dive_depth_m
            };
        }
        None => (memory.path, memory.depth) = (None, 0.0),
    }
}

/// Starts to dive without a path; a glider that is diving already keeps its phase.
fn start(settings: &Settings, memory: &mut GliderState) {
    if !memory.on {
        *memory = GliderState {
            on: true,
            is_diving: true,
            depth: settings.keys.dive_depth_m,
            ..GliderState::default()
        };
    }
    memory.path = None;
}

impl BuildLaw for Settings {
    fn build(keys: &GliderKeys, context: &LawContext<'_>) -> Self {
        let robot = context.robot;
        let names = robot.buoyancy_engines.iter().map(|e| e.name.as_str());
        let place = keys.at.key_place("engine");
        let engine = context.find("buoyancy engine", &keys.engine, names, place);
        check_depths_and_volumes(keys, engine, context);
        let joint = |keys: Option<(&str, &Places)>| {
            let (name, at) = keys?;
            let all = robot.links[1..].iter();
            let names = all.map(|l| match l.joint.drive {
                Drive::Effort { .. } => "",
                Drive::Position { .. } | Drive::Servo(_) => l.joint.name.as_str(),
            });
            let what = "joint with a position drive";
            Some(context.find(what, name, names, at.key_place("joint")))
        };
        Self {
            engine,
            slide_joint: joint(keys.slide.as_ref().map(|keys| (&*keys.joint, &keys.at))),
            steering_joint: joint(keys.steering.as_ref().map(|keys| (&*keys.joint, &keys.at))),
            keys: keys.clone(),
        }
    }
}

/// Reports depths in the wrong order and volumes outside the range of the engine.
fn check_depths_and_volumes(keys: &GliderKeys, engine: usize, context: &LawContext<'_>) {
    if keys.dive_depth_m <= keys.turn_depth_m {
        let text = format!(
            "`dive_depth_m`: expected more than `turn_depth_m` = {}, found {}",
            keys.turn_depth_m, keys.dive_depth_m
        );
        context.error(keys.at.key_place("dive_depth_m"), text);
    }
    let engine = context.robot.buoyancy_engines.get(engine);
    let Some([low, high]) = engine.map(|e| e.range_m3) else {
        return;
    };
    for volume in keys.volumes_m3 {
        if !(low..=high).contains(&volume) {
            let text = format!(
                "`volumes_m3`: expected {low} to {high}, the range of the engine, found {volume}"
            );
            context.error(keys.at.key_place("volumes_m3"), text);
        }
    }
}
