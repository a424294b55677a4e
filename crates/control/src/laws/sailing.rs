//! Firmware of a sailing boat: follows courses and paths, and tacks where the wind does not allow
//! to sail directly.
//!
//! # Law
//! ```text
//!   ψ_r = χ_s               if the course χ_s is sailable                (1)
//!   ψ_r = ψ_w + q ζ         if the leg is closer to the wind than ζ      (2)  beating
//!   ψ_r = ψ_w + π - q ξ     if the leg is closer to the wind than π - ξ  (3)  running
//!   q → -q                  if |y_e| > r and the course leads away       (4)  tack, gybe
//!   δ = sign(u) (k (ψ_r - ψ) - d ψ'), |δ| <= δ_s                         (5)  rudder
//!   σ = |ψ_a| - α                                                        (6)  sheet
//!   (1) [Jaulin and Le Bars 2013: line following]
//! ```
//! χ_s is the course of `line_of_sight`. r decreases towards the end of a leg, so that the boat
//! reaches the waypoint. In (6) the sail keeps its incidence α to the apparent wind, within the
//! range of the sheet. In (5) the rudder stays below its stall: a stalled rudder brakes the boat
//! and cannot hold it against the moment of the sail, which then turns it through the wind instead
//! of away from it.
//!
//! # Symbols
//! ψ heading, ψ_r its reference · ψ_w direction from which the wind blows · q side of the wind, 1
//! left of it, -1 right of it · ζ angle of a close-hauled course, ξ minimum angle to the downwind
//! direction · y_e distance from the leg · r half of the corridor · u forward speed · k, d gains, δ
//! rudder angle, δ_s its stall angle · σ maximum boom angle, ψ_a angle between the bow and the
//! apparent wind.
//!
//! # Frames
//! World (ENU); angles from east, counter-clockwise. A positive rudder angle turns the boat to the
//! left.
//!
//! # Limits
//! The firmware uses the true wind at the sail; the boat does not compensate leeway or current
//! except by the line of sight. At its goal the boat eases the sheet and drifts until it is a
//! loiter radius away; then it sails back.
//!
//! # Checked by
//! test/analytic/vehicles/sailing.rs

use crate::build::{BuildLaw, LawContext};
use crate::devices::Devices;
use crate::estimate::KnownMotion;
use crate::law::{ControlLaw, Controller, Effect, ModeOrPath, Tick, mode_or_path};
use crate::{line_of_sight, modes};
use merrow_environment::EnvironmentState;
use merrow_math::Vec3;
use merrow_math::real::{sin_cos, wrap_angle};
use merrow_model::scene::Robot;
use merrow_model::scene::robot::fin::{Fin, FinLaw};
use merrow_model::scene::robot::firmware::Sailing as Settings;
use merrow_model::scene::robot::firmware::sailing::SailingKeys;
use merrow_model::scene::robot::firmware::sailing::SailingState;
use merrow_model::state::FirmwareCommand;
use merrow_model::state::commands::Accepted;
use merrow_model::state::firmware::ControlMode;
use merrow_model::state::firmware::tasks::PathProgress;
use merrow_yaml::error::quote;
use std::f64::consts::{FRAC_PI_2, PI};

/// Length of the leg that represents a course [m].
const COURSE_LENGTH: f64 = 1e6;
/// Half of the corridor at the end of a leg, as a fraction of the acceptance radius.
const END_CORRIDOR: f64 = 0.7;
/// Decrease of half of the corridor per distance to the end of a leg.
const CORRIDOR_SLOPE: f64 = 0.5;
/// Angle between a course and the wind or the downwind direction within which the boat keeps its
/// side [rad].
const SIDE_HYSTERESIS: f64 = 0.15;

/// Returns the wind at the sail, over ground [m/s, W].
fn wind_at_sail(
    robot: &Robot,
    settings: &Settings,
    motion: &KnownMotion,
    environment: &EnvironmentState<'_>,
) -> Vec3 {
    let sail = &robot.fins[settings.sail];
    environment.wind(motion.p_WB + motion.q_WB.matrix().mul_vec(sail.p_UoF_U))
}

impl ControlLaw for Controller<'_, Settings, SailingState> {
    fn tick(&mut self, tick: &Tick<'_>, devices: &mut Devices<'_>) {
        if self.state.on {
            sail(self.settings, self.state, tick, devices);
        }
    }

    fn enable(&mut self, on: bool, motion: &KnownMotion, devices: &mut Devices<'_>) -> Accepted {
        let mode = if on {
            ControlMode::HeadingHold
        } else {
            ControlMode::Off
        };
        if on == self.state.on {
            return Ok(());
        }
        set_mode(self.settings, self.state, mode, motion, devices)
    }

    fn apply(
        &mut self,
        command: &FirmwareCommand,
        motion: &KnownMotion,
        _: u64,
        devices: &mut Devices<'_>,
    ) -> Result<Effect, String> {
        match mode_or_path(command)? {
            ModeOrPath::Path(waypoints) => start_path(self.state, motion, waypoints)?,
            ModeOrPath::Mode(mode) => set_mode(self.settings, self.state, mode, motion, devices)?,
        }
        Ok(Effect::None)
    }

    fn set_heading_depth(
        &mut self,
        heading: Option<f64>,
        depth: Option<f64>,
        motion: &KnownMotion,
    ) -> Accepted {
        match (heading, depth) {
            (_, Some(_)) => Err("depth: a sailing boat has no depth".to_string()),
            (Some(heading), None) => start_course(self.state, motion, FRAC_PI_2 - heading),
            (None, None) => Ok(()),
        }
    }
}

/// Commands rudder and sheet.
fn sail(
    settings: &Settings,
    memory: &mut SailingState,
    tick: &Tick<'_>,
    devices: &mut Devices<'_>,
) {
    let (robot, motion) = (devices.robot(), &tick.motion);
    let wind = wind_at_sail(robot, settings, motion, tick.environment);
    let R = motion.q_WB.matrix();
    let (p, v, yaw) = (motion.p_WB, R.mul_vec(motion.V_WB_B.v), R.to_rpy()[2]);
    if memory.path.is_none()
        && let Some(goal) = memory.goal
    {
        let e = goal - p;
        if (e.x * e.x + e.y * e.y).sqrt() > settings.keys.loiter_radius_m {
            memory.path = PathProgress::new(p, &[goal]).ok();
        }
    }
    let from = libm::atan2(-wind.y, -wind.x);
    if !memory.has_tack {
        let is_right = wrap_angle(yaw - from) < 0.0;
        (memory.tack, memory.has_tack) = (if is_right { -1.0 } else { 1.0 }, true);
    }
    let heading = reference_heading(settings, memory, p, from, tick.dt);
    let (forward, yaw_rate) = (motion.V_WB_B.v.x, motion.V_WB_B.w.z);
    let Some(heading) = heading else {
        memory.heading = yaw;
        ease(settings, devices);
        return;
    };
    memory.heading = heading;
    let side = if forward < 0.0 { -1.0 } else { 1.0 };
    let error = wrap_angle(heading - yaw);
    let rudder =
        side * (settings.keys.heading_gain * error - settings.keys.yaw_rate_gain_s * yaw_rate); // (5)
    let limit = rudder_limit(&robot.fins[settings.rudder]);
    devices.set_fin(settings.rudder, rudder.clamp(-limit, limit));
    let apparent = wind - v;
    let angle = wrap_angle(libm::atan2(-apparent.y, -apparent.x) - yaw);
    devices.set_fin(
        settings.sail,
        (angle.abs() - settings.keys.sail_incidence_deg.to_radians()).max(0.0),
    ); // (6)
}

/// Returns the largest rudder angle [rad]: the stall angle, if the law of the rudder has one.
fn rudder_limit(rudder: &Fin) -> f64 {
    if let FinLaw::LiftDrag(law) = &rudder.law {
        law.stall
    } else {
        FRAC_PI_2
    }
}

/// Returns the heading reference [rad] at `p` [m, W] with the wind from the direction `from` [rad];
/// `None` without a path. Removes a path at its end.
fn reference_heading(
    settings: &Settings,
    memory: &mut SailingState,
    p: Vec3,
    from: f64,
    dt: f64,
) -> Option<f64> {
    let mut path = memory.path.take()?;
    let leg = line_of_sight::advance(&settings.keys.line_of_sight(), &mut path, p, dt)?;
    let [a, b] = [path.waypoints[path.leg], path.waypoints[path.leg + 1]];
    let direction = libm::atan2(b.y - a.y, b.x - a.x);
    let cross_track = path.cross_track;
    memory.path = Some(path);
    let corridor = settings.keys.corridor_m.min(
        CORRIDOR_SLOPE * leg.remaining.max(0.0) + END_CORRIDOR * settings.keys.acceptance_radius_m,
    );
    let on_side = |limit: f64, tack: f64| wrap_angle(from + tack * limit);
    if let Some(limit) = restricted_limit(settings, wrap_angle(direction - from)) {
        let leads_away = sin_cos(on_side(limit, memory.tack) - direction).0 * cross_track > 0.0;
        if leads_away && cross_track.abs() > corridor {
            memory.tack = -memory.tack; // (4)
        }
        return Some(on_side(limit, memory.tack)); // (2), (3)
    }
    let course = wrap_angle(leg.course - from);
    let Some(limit) = restricted_limit(settings, course) else {
        return Some(leg.course); // (1)
    };
    let is_clear = course.abs() > SIDE_HYSTERESIS && PI - course.abs() > SIDE_HYSTERESIS;
    if is_clear {
        memory.tack = course.signum();
    }
    Some(on_side(limit, memory.tack))
}

/// Returns the angle from the wind [rad] that replaces `angle` [rad], a course relative to the
/// direction from which the wind blows, if it is not sailable.
fn restricted_limit(settings: &Settings, angle: f64) -> Option<f64> {
    let upwind = settings.keys.close_hauled_deg.to_radians();
    let downwind = PI - settings.keys.running_deg.to_radians();
    if angle.abs() < upwind {
        return Some(upwind);
    }
    (angle.abs() > downwind).then_some(downwind)
}

/// Sails a course from here: `heading` [rad], from east, counter-clockwise.
fn start_course(memory: &mut SailingState, motion: &KnownMotion, heading: f64) -> Accepted {
    let (s, c) = sin_cos(heading);
    let end = motion.p_WB + Vec3::new(c, s, 0.0).scale(COURSE_LENGTH);
    start_path(memory, motion, &[end])?;
    (memory.is_course, memory.goal) = (true, None);
    Ok(())
}

/// Starts a path; the last waypoint is the goal.
fn start_path(memory: &mut SailingState, motion: &KnownMotion, waypoints: &[Vec3]) -> Accepted {
    let path = PathProgress::new(motion.p_WB, waypoints)?;
    memory.goal = waypoints.last().copied();
    (memory.on, memory.is_course, memory.path) = (true, false, Some(path));
    memory.has_tack = false;
    Ok(())
}

/// Eases the sheet and centres the rudder.
fn ease(settings: &Settings, devices: &mut Devices<'_>) {
    devices.set_fin(settings.sail, FRAC_PI_2);
    devices.set_fin(settings.rudder, 0.0);
}

/// Drifts, sails the course of the heading, or stays here.
fn set_mode(
    settings: &Settings,
    memory: &mut SailingState,
    mode: ControlMode,
    motion: &KnownMotion,
    devices: &mut Devices<'_>,
) -> Accepted {
    match mode {
        ControlMode::Off => {
            (memory.on, memory.path, memory.goal) = (false, None, None);
            ease(settings, devices);
            Ok(())
        }
        ControlMode::HeadingHold => start_course(memory, motion, motion.q_WB.matrix().to_rpy()[2]),
        ControlMode::StationKeeping => {
            (memory.on, memory.is_course, memory.path) = (true, false, None);
            memory.goal = Some(motion.p_WB);
            Ok(())
        }
        _ => modes::check_mode(devices.robot(), mode),
    }
}

impl BuildLaw for Settings {
    fn build(keys: &SailingKeys, context: &LawContext<'_>) -> Self {
        let fins = &context.robot.fins;
        let names = fins.iter().map(|f| f.name.as_str());
        let place = keys.at.key_place("sail");
        let sail = context.find("fin", &keys.sail, names.clone(), place);
        if fins.get(sail).is_some_and(|fin| !fin.sail) {
            let text = format!(
                "firmware `sailing`: the fin {} has no `sail: true`",
                quote(&keys.sail)
            );
            context.error(place, text);
        }
        let place = keys.at.key_place("rudder");
        Self {
            keys: keys.clone(),
            sail,
            rudder: context.find("fin", &keys.rudder, names, place),
        }
    }
}
