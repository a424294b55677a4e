//! Heading and depth hold with rudder and planes: set-points, paths and the control loop.
//!
//! The law is in `autopilot`, the guidance along a path in `line_of_sight`.

use crate::autopilot::Measured;
use crate::build::{BuildLaw, LawContext};
use crate::devices::Devices;
use crate::estimate::KnownMotion;
use crate::law::{ControlLaw, Controller, Effect, ModeOrPath, Tick, mode_or_path};
use crate::{autopilot, line_of_sight, modes};
use merrow_math::Vec3;
use merrow_math::real::wrap_angle;
use merrow_model::scene::Robot;
use merrow_model::scene::robot::firmware::HeadingDepthHold as Settings;
use merrow_model::scene::robot::firmware::heading_depth_hold::HeadingDepthState;
use merrow_model::scene::robot::firmware::heading_depth_hold::{
    HeadingDepthHoldKeys, HeadingDepthStart, SpeedControl, SpeedControlKeys,
};
use merrow_model::state::commands::Accepted;
use merrow_model::state::firmware::ControlMode;
use merrow_model::state::firmware::tasks::PathProgress;
use merrow_model::state::{FirmwareCommand, RobotState};
use merrow_yaml::error::Place;
use std::f64::consts::FRAC_PI_2;

/// Maximum lead of the heading set-point that velocity commands move [rad].
const MAX_HEADING_LEAD: f64 = 0.5;
/// Maximum lead of the depth set-point that velocity commands move [m].
const MAX_DEPTH_LEAD: f64 = 2.0;

impl ControlLaw for Controller<'_, Settings, HeadingDepthState> {
    fn tick(&mut self, tick: &Tick<'_>, devices: &mut Devices<'_>) {
        let Self { settings, state } = self;
        if tick.is_first {
            begin(settings, state, &tick.motion, devices);
        }
        follow_velocity(settings, state, tick, devices);
        if state.on {
            hold(settings, state, tick, devices);
        }
    }

    fn enable(&mut self, on: bool, motion: &KnownMotion, devices: &mut Devices<'_>) -> Accepted {
        let mode = if on {
            ControlMode::DepthHold
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
        let Self { settings, state } = self;
        match mode_or_path(command)? {
            ModeOrPath::Mode(mode) => set_mode(settings, state, mode, motion, devices)?,
            ModeOrPath::Path(waypoints) => {
                let path = PathProgress::new(motion.p_WB, waypoints)?;
                end_velocity(settings, state, devices);
                (state.on, state.path) = (true, Some(path));
                if let Some((thruster, command)) = settings.cruise
                    && devices.is_stopped(thruster)
                {
                    devices.set_thruster(thruster, command);
                }
            }
        }
        Ok(Effect::EndVelocity)
    }

    /// Starts to follow velocity commands from the current heading and depth.
    fn start_velocity(&mut self, motion: &KnownMotion, _: u64, _: &mut Devices<'_>) -> Accepted {
        let hold = &mut *self.state;
        if hold.speed_integral.is_none() {
            let here = Measured::from_motion(motion);
            let (heading, depth) = if hold.on && hold.path.is_none() {
                (hold.heading, hold.depth)
            } else {
                (here.heading, here.depth)
            };
            *hold = HeadingDepthState::hold(true, heading, depth);
            hold.speed_integral = Some(0.0);
        }
        Ok(())
    }

    /// Activates the hold. A quantity without a set-point is held at its value here if the hold was
    /// not active.
    fn set_heading_depth(
        &mut self,
        heading: Option<f64>,
        depth: Option<f64>,
        motion: &KnownMotion,
    ) -> Accepted {
        let (hold, here) = (&mut *self.state, Measured::from_motion(motion));
        let held = if hold.on {
            (hold.heading, hold.depth)
        } else {
            (here.heading, here.depth)
        };
        *hold = HeadingDepthState {
            speed_integral: hold.speed_integral,
            ..HeadingDepthState::hold(true, heading.unwrap_or(held.0), depth.unwrap_or(held.1))
        };
        Ok(())
    }
}

/// Initialises a hold that is active from the start, at its first tick.
fn begin(
    settings: &Settings,
    hold: &mut HeadingDepthState,
    motion: &KnownMotion,
    devices: &mut Devices<'_>,
) {
    let Some((thruster, command)) = settings.start else {
        return;
    };
    devices.set_thruster(thruster, command);
    if !hold.on {
        let here = Measured::from_motion(motion);
        *hold = HeadingDepthState::hold(true, here.heading, here.depth);
    }
}

/// Stops the propeller that velocity commands started.
fn end_velocity(settings: &Settings, hold: &mut HeadingDepthState, devices: &mut Devices<'_>) {
    if let (Some(speed), Some(_)) = (&settings.speed_control, hold.speed_integral.take()) {
        devices.stop_thruster(speed.propeller);
    }
}

/// Moves the set-points of heading and depth by the velocity command and controls the speed with
/// the propeller.
///
/// The thrust is `k (u_c - u) + i ∫(u_c - u) dt` with the speed `u`. The set-points lead the
/// vehicle by at most [`MAX_HEADING_LEAD`] and [`MAX_DEPTH_LEAD`]. When the command expires the
/// propeller stops, and the vehicle holds heading and depth while it moves.
fn follow_velocity(
    settings: &Settings,
    hold: &mut HeadingDepthState,
    tick: &Tick<'_>,
    devices: &mut Devices<'_>,
) {
    let Some(speed) = &settings.speed_control else {
        return;
    };
    let (true, Some(integral)) = (tick.has_command, hold.speed_integral) else {
        end_velocity(settings, hold, devices);
        return;
    };
    let ([linear, angular], dt) = (tick.command, tick.dt);
    let SpeedControlKeys {
        max_speed_m_s: max_speed,
        max_climb_m_s: max_climb,
        max_yaw_rate_rad_s: max_yaw_rate,
        ..
    } = speed.keys;
    let here = Measured::from_motion(&tick.motion);
    let turn = angular.z.clamp(-max_yaw_rate, max_yaw_rate) * dt;
    let lead = wrap_angle(hold.heading - turn - here.heading);
    hold.heading = here.heading + lead.clamp(-MAX_HEADING_LEAD, MAX_HEADING_LEAD);
    let sink = -linear.z.clamp(-max_climb, max_climb) * dt;
    let lead = hold.depth + sink - here.depth;
    hold.depth = here.depth + lead.clamp(-MAX_DEPTH_LEAD, MAX_DEPTH_LEAD);
    let error = linear.x.clamp(-max_speed, max_speed) - tick.motion.V_WB_B.v.x;
    let density = tick.environment.sea.density;
    let thrust = propeller_thrust(speed, error, integral);
    let [low, high] = devices.robot().thrusters[speed.propeller].thrust_limits(density);
    if (low..=high).contains(&thrust) {
        hold.speed_integral = Some(integral + error * dt);
    }
    devices.set_thrust(speed.propeller, thrust, density);
}

/// Returns the thrust [N] for the speed error [m/s] and its time integral [m].
fn propeller_thrust(speed: &SpeedControl, error: f64, integral: f64) -> f64 {
    speed.keys.speed_gain_n_s_per_m * error + speed.keys.speed_integral_gain_n_per_m * integral
}

/// Returns the speed error [m/s], the requested thrust and the thrust that the propeller exerts [N]
/// at the commanded forward speed `command` [m/s]; `None` without a velocity command. If the
/// propeller is at a limit, at which the law does not integrate the error, the request is that after
/// one more second of integration.
pub(crate) fn demand(
    robot: &Robot,
    settings: &Settings,
    state: &RobotState,
    hold: &HeadingDepthState,
    command: f64,
    density: f64,
) -> Option<[f64; 3]> {
    let (speed, integral) = (settings.speed_control.as_ref()?, hold.speed_integral?);
    let max_speed = speed.keys.max_speed_m_s;
    let error = command.clamp(-max_speed, max_speed) - state.motion.V_WB_B.v.x;
    let thrust = propeller_thrust(speed, error, integral);
    let [low, high] = robot.thrusters[speed.propeller].thrust_limits(density);
    let exerted = thrust.clamp(low, high);
    let requested = if exerted == thrust {
        thrust
    } else {
        propeller_thrust(speed, error, integral + error)
    };
    Some([error, requested, exerted])
}

/// Sets heading and depth along the path, and commands the fins.
fn hold(
    settings: &Settings,
    hold: &mut HeadingDepthState,
    tick: &Tick<'_>,
    devices: &mut Devices<'_>,
) {
    let motion = &tick.motion;
    if let Some(path) = &mut hold.path {
        let R = motion.q_WB.matrix();
        let (p, v) = (motion.p_WB, R.mul_vec(motion.V_WB_B.v));
        let [course, height] = path_set_points(settings, path, (p, v), tick.dt);
        let heading = line_of_sight::heading_for_course(course, R.to_rpy()[2], v);
        (hold.heading, hold.depth) = (FRAC_PI_2 - heading, -height);
    }
    let set_points = autopilot::HeadingDepth {
        heading: hold.heading,
        depth: hold.depth,
    };
    let measured = Measured::from_motion(motion);
    let angles = autopilot::fin_angles(&settings.keys, &set_points, &measured);
    devices.set_fin(settings.rudder, angles.rudder);
    devices.set_fin(settings.stern_planes, angles.stern_planes);
    if let Some(bow) = settings.bow_planes {
        devices.set_fin(bow, angles.bow_planes);
    }
}

/// Returns the course from east [rad] and height [m] along the path, or around its end, at the
/// position `p` [m] with the velocity `v` [m/s], in W.
fn path_set_points(
    settings: &Settings,
    path: &mut PathProgress,
    (p, v): (Vec3, Vec3),
    dt: f64,
) -> [f64; 2] {
    if let Some(leg) = line_of_sight::advance(&settings.keys.line_of_sight(), path, p, dt) {
        return [leg.course, leg.height];
    }
    let center = path.waypoints.last().copied().unwrap_or(p);
    let circle = line_of_sight::Circle {
        center,
        radius: settings.keys.loiter_radius_m,
        lead_time: settings.keys.turn_lead_time_s,
    };
    [circle.course(p, v.norm()), center.z]
}

/// Holds the current heading and depth, or ends the hold.
fn set_mode(
    settings: &Settings,
    hold: &mut HeadingDepthState,
    mode: ControlMode,
    motion: &KnownMotion,
    devices: &mut Devices<'_>,
) -> Accepted {
    modes::check_mode(devices.robot(), mode)?;
    end_velocity(settings, hold, devices);
    let here = Measured::from_motion(motion);
    let on = mode != ControlMode::Off;
    *hold = HeadingDepthState::hold(on, here.heading, here.depth);
    if !on {
        devices.center_fins();
    }
    Ok(())
}

impl BuildLaw for Settings {
    fn build(keys: &HeadingDepthHoldKeys, context: &LawContext<'_>) -> Self {
        let fins = context.robot.fins.iter().map(|f| match f.is_azimuth() {
            true => "",
            false => f.name.as_str(),
        });
        let find = |name: &str, place: &Place| context.find("fin", name, fins.clone(), place);
        let [down, up] = keys.pitch_limits_deg;
        if down > up {
            let text = format!(
                "`pitch_limits_deg`: expected the steepest dive first, found [{down}, {up}]"
            );
            context.error(keys.at.key_place("pitch_limits_deg"), text);
        }
        let start = |start: &HeadingDepthStart| initial_thruster_command(start, context);
        Self {
            rudder: find(&keys.rudder, keys.at.key_place("rudder")),
            stern_planes: find(&keys.stern_planes, keys.at.key_place("stern_planes")),
            bow_planes: keys
                .bow_planes
                .as_ref()
                .map(|name| find(name, keys.at.key_place("bow_planes"))),
            cruise: keys.cruise.as_ref().map(start),
            start: keys.start.as_ref().map(start),
            speed_control: keys.speed_control.as_ref().map(|keys| {
                let names = context.robot.thrusters.iter().map(|t| t.name.as_str());
                let place = keys.at.key_place("propeller");
                SpeedControl {
                    keys: keys.clone(),
                    propeller: context.find("thruster", &keys.propeller, names, place),
                }
            }),
            keys: keys.clone(),
        }
    }
}

/// Returns index and command of a thruster that the heading and depth hold starts.
fn initial_thruster_command(keys: &HeadingDepthStart, context: &LawContext<'_>) -> (usize, f64) {
    let thrusters = &context.robot.thrusters;
    let names = thrusters.iter().map(|t| t.name.as_str());
    let place = keys.at.key_place("propeller");
    let Some(k) = context.try_find("thruster", &keys.propeller, names, place) else {
        return (0, 0.0);
    };
    let [low, high] = thrusters[k].motor.range;
    if !(low..=high).contains(&keys.command) {
        let text = format!("`command` is {}; expected {low} to {high}", keys.command);
        context.error(keys.at.key_place("command"), text);
    }
    (k, keys.command)
}
