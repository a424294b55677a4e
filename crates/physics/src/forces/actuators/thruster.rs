//! Thrust of propellers: command, thrust curve, lag, inflow, reaction.
//!
//! # Law
//! ```text
//!   static curve:   T = lag(curve(u))                                      (1)
//!   quadratic:      T = c n|n|,  n = lag(k u)                              (2)
//!   open water:     T = ρ D⁴ KT(J) n|n|,  Q = ρ D⁵ KQ(J) n|n|,  J = Va/nD  (3)
//!   reaction:       m = r T about the thrust axis, or Q for (3)            (4)
//!   (3) [Fossen 2021, eq. 9.12-9.14]
//! ```
//! The lag is linear and the command is held over a step, so its state is advanced exactly (matrix
//! exponential) to the midpoint and the end of the step; the Runge-Kutta stages use these values.
//! The axis of an azimuth thruster turns about its shaft, with the servo of `fin.rs`.
//!
//! # Symbols
//! u command in the thruster's unit · n shaft speed (rad/s in (2), rev/s in (3)) · Va inflow along
//! the axis: (1-w) times the speed through the water along the axis, or the total speed with
//! `inflow: total` · health: fraction of the thrust that remains.
//!
//! # Frames
//! Link frame L at Lo.
//!
//! # Limits
//! Rotors in air are in `rotor.rs`. Only (3) depends on the inflow. Near the surface, including
//! waves, thrust decreases with the fraction of the disc that is out of the water; for (1) and (2)
//! the fraction is taken at the start of the step (estimated: no ventilation hysteresis).
//! Propellers do not interact.
//!
//! # Checked by
//! test/analytic/actuators/thruster.rs, test/witness/vehicles/remus.rs

use crate::forces::actuators::rotor;
use crate::forces::contributions::{Law, Sink};
use merrow_environment::EnvironmentState;
use merrow_math::real::MAX_LANES;
use merrow_math::{LaneCondition, Real, SpatialForce, Vec3};
use merrow_model::scene::robot::thruster::{Inflow, Lag, OpenWater};
use merrow_model::scene::{Curve, Robot, Thruster};
use merrow_model::state::workspace::LinkWork;
use merrow_model::state::{ActuatorState, Health, RobotState, Workspace};

/// Stores the current wrenches and drives in `work`, without advancing a step, and passes the
/// wrenches to `sink`.
#[inline]
pub fn store_current(
    robot: &Robot,
    state: &mut RobotState,
    environment: &EnvironmentState<'_>,
    work: &mut Workspace,
    sink: &mut impl Sink,
) {
    for w in &mut work.thrust {
        w[0] = SpatialForce::zero();
    }
    for (k, thruster) in robot.thrusters.iter().enumerate() {
        let actuator = &mut state.actuators[k];
        let drive = match lag_input(thruster, actuator) {
            Some(target) => {
                work.drive_rate[k] = [drive_rate(thruster, actuator, target); 3];
                thruster.lag.output(&actuator.lag, target)
            }
            None => actuator.held_drive,
        };
        let wet = constant_wet_fraction(thruster, work, environment);
        store_drives(robot, (k, actuator), [drive; 3], 1, wet, work, sink);
    }
}

/// Advances every lag over the step and stores wrenches and drives at its start, midpoint and end
/// in `work`.
pub fn prepare_step(
    robot: &Robot,
    state: &mut RobotState,
    environment: &EnvironmentState<'_>,
    work: &mut Workspace,
) {
    for w in &mut work.thrust {
        *w = [SpatialForce::zero(); 3];
    }
    for (k, thruster) in robot.thrusters.iter().enumerate() {
        if thruster.is_fixed_without_inflow() {
            prepare_plain(thruster, k, std::slice::from_mut(state), environment, work);
            continue;
        }
        let actuator = &mut state.actuators[k];
        let drives = drives(thruster, actuator, &mut work.drive_rate[k]);
        let wet = constant_wet_fraction(thruster, work, environment);
        store_drives(robot, (k, actuator), drives, 3, wet, work, &mut ());
    }
}

/// Does the same as [`prepare_step`] for the robots in the lanes of `work`, whose poses are in
/// `work`. All thrusters must be plain.
#[inline(always)]
pub fn prepare_step_lanes<T: Real>(
    robot: &Robot,
    states: &mut [RobotState],
    environment: &EnvironmentState<'_>,
    work: &mut Workspace<T>,
) {
    for w in &mut work.thrust {
        *w = [SpatialForce::zero(); 3];
    }
    for (k, thruster) in robot.thrusters.iter().enumerate() {
        prepare_plain(thruster, k, states, environment, work);
    }
}

/// Advances the lag of a thruster without azimuth and inflow dependence, and adds its wrenches; one
/// state per lane.
#[inline(always)]
fn prepare_plain<T: Real>(
    thruster: &Thruster,
    k: usize,
    states: &mut [RobotState],
    environment: &EnvironmentState<'_>,
    work: &mut Workspace<T>,
) {
    let drives = drives_in_lanes(thruster, k, states);
    work.drive[k] = drives;
    let wet = wet_fraction(thruster, &work.links[thruster.link], environment);
    let unit = SpatialForce::splat(thruster.unit_wrench);
    for (stage, sum) in work.thrust[thruster.link].iter_mut().enumerate() {
        let thrust = wet * static_thrust(thruster, drives[stage]);
        if stage == 0 {
            for (i, state) in states.iter_mut().enumerate() {
                state.actuators[k].thrust = thrust.lane(i);
            }
        }
        *sum += unit.scale(thrust);
    }
}

/// Returns the same as [`drives`] for thruster `k` in every lane.
#[inline(always)]
fn drives_in_lanes<T: Real>(thruster: &Thruster, k: usize, states: &mut [RobotState]) -> [T; 3] {
    if thruster.lag_down.is_some() || states.iter().any(|s| is_stuck(&s.actuators[k])) {
        return drives_per_lane(thruster, k, states);
    }
    let target = T::from_lanes(|i| unstuck_lag_input(thruster, &states[i].actuators[k]));
    let lag_state = |j: usize| T::from_lanes(|i| states[i].actuators[k].lag[j]);
    let (out, end) = thruster
        .lag
        .outputs(&[lag_state(0), lag_state(1), lag_state(2)], target);
    for (i, state) in states.iter_mut().enumerate() {
        let actuator = &mut state.actuators[k];
        actuator.lag = [end[0].lane(i), end[1].lane(i), end[2].lane(i)];
        actuator.held_drive = out[2].lane(i);
    }
    out
}

/// Returns the same as [`drives_in_lanes`], if the lanes need different lags or a drive is stuck.
#[cold]
#[inline(never)]
fn drives_per_lane<T: Real>(thruster: &Thruster, k: usize, states: &mut [RobotState]) -> [T; 3] {
    let mut lanes = [[0.0; 3]; MAX_LANES];
    for (lane, state) in lanes.iter_mut().zip(states) {
        *lane = drives(thruster, &mut state.actuators[k], &mut [0.0; 3]);
    }
    [0, 1, 2].map(|stage| T::from_lanes(|i| lanes[i][stage]))
}

/// Returns the submerged fraction of the disc, for a thruster that does not compute it at every
/// stage.
#[inline(always)]
fn constant_wet_fraction(
    thruster: &Thruster,
    work: &Workspace,
    environment: &EnvironmentState<'_>,
) -> f64 {
    if thruster.depends_on_inflow() {
        0.0
    } else {
        disc_wet_fraction(thruster, &work.links[thruster.link], 0, environment)
    }
}

/// Stores the drives of thruster `k`. Adds its wrenches at the first `n_stages` stages unless it
/// depends on the inflow, and passes the first to `sink`.
#[inline(always)]
fn store_drives(
    robot: &Robot,
    (k, actuator): (usize, &mut ActuatorState),
    drives: [f64; 3],
    n_stages: usize,
    wet: f64,
    work: &mut Workspace,
    sink: &mut impl Sink,
) {
    let thruster = &robot.thrusters[k];
    work.drive[k] = drives;
    if thruster.depends_on_inflow() {
        return;
    }
    let azimuth_wrenches = thruster
        .azimuth
        .map(|_| [0, 1, 2].map(|stage| azimuth_unit_wrench(robot, thruster, work, stage)));
    let stages = &mut work.thrust[thruster.link];
    for (stage, drive) in drives.into_iter().take(n_stages).enumerate() {
        let thrust = wet * static_thrust(thruster, drive);
        let unit = azimuth_wrenches
            .as_ref()
            .map_or(&thruster.unit_wrench, |azimuth_wrenches| {
                &azimuth_wrenches[stage]
            });
        if stage == 0 {
            actuator.thrust = thrust;
            sink.add(Law::Thrust, Some(k), thruster.link, || unit.scale(thrust));
        }
        stages[stage] += unit.scale(thrust);
    }
}

/// Returns the wrench per newton of thrust of an azimuth thruster, at a stage.
fn azimuth_unit_wrench(
    robot: &Robot,
    thruster: &Thruster,
    work: &Workspace,
    stage: usize,
) -> SpatialForce {
    let axis = thrust_axis(robot, thruster, work, stage);
    let mut unit = SpatialForce::at_point(axis, thruster.p_LoT);
    unit.m += axis.scale(thruster.reaction());
    unit
}

/// Returns the unit vector of positive thrust at a stage, in L.
#[inline(always)]
pub fn thrust_axis<T: Real>(
    robot: &Robot,
    thruster: &Thruster,
    work: &Workspace<T>,
    stage: usize,
) -> Vec3<T> {
    match thruster.azimuth {
        None => Vec3::splat(thruster.direction),
        Some(k) => robot.fins[k].chord_direction(work.fins[k].angle[stage]),
    }
}

/// Returns the lag that applies to the current direction of change.
fn active_lag<'a>(thruster: &'a Thruster, actuator: &ActuatorState, target: f64) -> &'a Lag {
    let is_decreasing = |up: &Lag| target.abs() < up.output(&actuator.lag, target).abs();
    thruster
        .lag_down
        .as_ref()
        .filter(|_| is_decreasing(&thruster.lag))
        .unwrap_or(&thruster.lag)
}

/// Returns the rate of the drive, for a first-order lag [1/s].
fn drive_rate(thruster: &Thruster, actuator: &ActuatorState, target: f64) -> f64 {
    let lag = active_lag(thruster, actuator, target);
    lag.inverse_tau * (target - lag.output(&actuator.lag, target))
}

/// Returns the lagged drive and its rate at the start, midpoint and end of the step. Advances the
/// state of the lag to the end.
fn drives(thruster: &Thruster, actuator: &mut ActuatorState, rates: &mut [f64; 3]) -> [f64; 3] {
    let Some(target) = lag_input(thruster, actuator) else {
        *rates = [0.0; 3];
        return [actuator.held_drive; 3];
    };
    let lag = active_lag(thruster, actuator, target);
    let (out, end) = lag.outputs(&actuator.lag, target);
    actuator.lag = end;
    // only rotors use the rates
    if thruster.rotor().is_some() {
        *rates = out.map(|y| lag.inverse_tau * (target - y));
    }
    actuator.held_drive = out[2];
    out
}

/// Returns the input of the lag; `None` while the drive is stuck.
fn lag_input(thruster: &Thruster, actuator: &ActuatorState) -> Option<f64> {
    (!is_stuck(actuator)).then(|| unstuck_lag_input(thruster, actuator))
}

/// Returns true if the drive is stuck at its value.
#[inline(always)]
fn is_stuck(actuator: &ActuatorState) -> bool {
    actuator.health == Health::Stuck || actuator.fault.stuck
}

/// Returns the input of the lag of a thruster that is not stuck.
#[inline(always)]
fn unstuck_lag_input(thruster: &Thruster, actuator: &ActuatorState) -> f64 {
    let fault = &actuator.fault;
    let part = match actuator.health {
        _ if fault.dead => 0.0,
        Health::Stuck | Health::Dead => 0.0,
        Health::Reduced(part) => part * fault.fraction,
        Health::Healthy => fault.fraction,
    } * actuator.available_fraction;
    let drive = if fault.offset == 0.0 {
        actuator.target
    } else {
        thruster.drive(actuator.command + fault.offset)
    };
    // thrust is proportional to the square of the shaft speed
    if thruster.drive_is_speed() {
        part.sqrt() * drive
    } else {
        part * drive
    }
}

/// Returns the thrust [N] of a curve without inflow from its lagged drive. (1), (2)
#[inline(always)]
fn static_thrust<T: Real>(thruster: &Thruster, drive: T) -> T {
    match &thruster.motor.curve {
        Curve::Rotor(rotor) => T::splat(rotor.thrust_n_s2_per_rad2) * drive * drive.abs(),
        Curve::Quadratic {
            ahead_n_s2_per_rad2: ahead,
            astern_n_s2_per_rad2: astern,
            ..
        } => {
            let gain = |i| *if drive.lane(i) < 0.0 { astern } else { ahead };
            drive * drive.abs() * T::from_lanes(gain)
        }
        _ => drive,
    }
}

/// Returns the same as [`disc_wet_fraction`] in every lane.
#[inline(always)]
fn wet_fraction<T: Real>(
    thruster: &Thruster,
    link: &LinkWork<T>,
    environment: &EnvironmentState<'_>,
) -> T {
    // fast path: most thrusters are fully submerged
    if environment.waves.is_none() {
        let z = link.p_WL.z + link.R_WL.r[2].dot(Vec3::splat(thruster.p_LoT))
            - T::splat(thruster.submergence_m);
        if LaneCondition::evaluate::<T>(|i| z.lane(i) < -thruster.radius()) == LaneCondition::All {
            return T::one();
        }
    }
    T::from_lanes(|i| disc_wet_fraction(thruster, link, i, environment))
}

/// Returns the submerged fraction of the propeller disc, linear over its height.
#[inline(always)]
fn disc_wet_fraction<T: Real>(
    thruster: &Thruster,
    link: &LinkWork<T>,
    lane: usize,
    environment: &EnvironmentState<'_>,
) -> f64 {
    let z = match environment.waves {
        None => link.p_WL.z.lane(lane) + link.R_WL.r[2].lane(lane).dot(thruster.p_LoT),
        Some(_) => disc_above_surface(thruster, link, lane, environment),
    } - thruster.submergence_m;
    // fast path: most thrusters are fully submerged
    if z < -thruster.radius() {
        return 1.0;
    }
    if thruster.radius() <= 0.0 {
        return if z <= 0.0 { 1.0 } else { 0.0 };
    }
    (0.5 - z / (2.0 * thruster.radius())).clamp(0.0, 1.0)
}

/// Returns the height of the disc centre above the waves [m].
#[cold]
#[inline(never)]
fn disc_above_surface<T: Real>(
    thruster: &Thruster,
    link: &LinkWork<T>,
    lane: usize,
    environment: &EnvironmentState<'_>,
) -> f64 {
    let p = link.p_WL.lane(lane) + link.R_WL.lane(lane).mul_vec(thruster.p_LoT);
    environment.approximate_height_above_surface(p, thruster.radius())
}

/// Returns the wrench of the thrusters that depend on their inflow, at one stage (0 start, 1
/// midpoint, 2 end), at Lo in L. (3)
#[inline(always)]
pub(crate) fn inflow_wrench<T: Real, S: Sink>(
    robot: &Robot,
    link_idx: usize,
    work: &Workspace<T>,
    stage: usize,
    environment: &EnvironmentState<'_>,
    sink: &mut S,
) -> SpatialForce<T> {
    let mut sum = SpatialForce::zero();
    let link = &work.links[link_idx];
    for (k, thruster) in robot.thrusters.iter().enumerate() {
        if thruster.link != link_idx {
            continue;
        }
        let Curve::OpenWater(propeller) = &thruster.motor.curve else {
            continue;
        };
        let axis = thrust_axis(robot, thruster, work, stage);
        let p = Vec3::splat(thruster.p_LoT);
        let v = link.V.v - link.water;
        let speed = advance_speed(thruster, propeller, axis, (v, link.V.w));
        let mut disc = [(0.0, 0.0); merrow_math::MAX_LANES];
        for (i, loads) in disc.iter_mut().enumerate().take(T::LANES) {
            let n = work.drive[k][stage].lane(i);
            let inflow = propeller.wake_factor * speed.lane(i);
            let (thrust, torque) = propeller.thrust_torque(
                thruster.motor.diameter_m,
                n,
                inflow,
                environment.sea.density,
            );
            let wet = disc_wet_fraction(thruster, link, i, environment);
            *loads = (thrust * wet, torque * wet * thruster.hand);
        }
        let (thrust, torque) = (T::from_lanes(|i| disc[i].0), T::from_lanes(|i| disc[i].1));
        let f = axis.scale(thrust);
        let F = SpatialForce::new(p.cross(f) + axis.scale(torque), f);
        sink.add(Law::Thrust, Some(k), link_idx, || F);
        sum += F;
    }
    sum
}

/// Returns the inflow speed before the wake factor [m/s].
///
/// `v` and `w` are the velocities of the link at Lo relative to the water, and `axis` is the thrust
/// axis, in L.
#[inline(always)]
fn advance_speed<T: Real>(
    thruster: &Thruster,
    propeller: &OpenWater,
    axis: Vec3<T>,
    (v, w): (Vec3<T>, Vec3<T>),
) -> T {
    if propeller.inflow == Inflow::Total {
        return v.norm();
    }
    (v + w.cross(Vec3::splat(thruster.p_LoT))).dot(axis)
}

/// Returns the thrust [N] of the propeller itself, without thrust deduction, and its inflow [m/s],
/// at the lagged `drive`.
///
/// `v` [m/s] and `w` [rad/s] are the velocities of the link at Lo relative to the water, and `axis`
/// is the thrust axis, in L. `density` is in kg/m³.
pub(crate) fn undeducted_thrust(
    thruster: &Thruster,
    axis: Vec3,
    drive: f64,
    (v, w): (Vec3, Vec3),
    density: f64,
) -> (f64, f64) {
    match &thruster.motor.curve {
        Curve::OpenWater(p) => {
            let inflow = p.wake_factor * advance_speed(thruster, p, axis, (v, w));
            (
                p.thrust_torque(thruster.motor.diameter_m, drive, inflow, density)
                    .0
                    / p.thrust_factor,
                inflow,
            )
        }
        _ => (
            static_thrust(thruster, drive),
            (v + w.cross(thruster.p_LoT)).dot(axis),
        ),
    }
}

/// Stores the thrust of the propellers and rotors that depend on their inflow, at the start of the
/// step, for battery and diagnostics.
pub fn store_thrust(
    robot: &Robot,
    state: &mut RobotState,
    work: &Workspace,
    environment: &EnvironmentState<'_>,
) {
    if !(robot.inflow || robot.rotors) {
        return;
    }
    let mut cached_air: Option<(usize, rotor::Air)> = None;
    for (k, thruster) in robot
        .thrusters
        .iter()
        .enumerate()
        .filter(|(_, t)| t.depends_on_inflow())
    {
        let link = &work.links[thruster.link];
        let (axis, drive) = (thrust_axis(robot, thruster, work, 0), work.drive[k][0]);
        let actuator = &mut state.actuators[k];
        match &thruster.motor.curve {
            Curve::OpenWater(propeller) => {
                let speed =
                    advance_speed(thruster, propeller, axis, (link.V.v - link.water, link.V.w));
                let inflow = propeller.wake_factor * speed;
                let (thrust, _) = propeller.thrust_torque(
                    thruster.motor.diameter_m,
                    drive,
                    inflow,
                    environment.sea.density,
                );
                let wet = disc_wet_fraction(thruster, link, 0, environment);
                actuator.thrust = thrust * wet;
                actuator.shaft_power = propeller.shaft_power(
                    thruster.motor.diameter_m,
                    drive,
                    inflow,
                    environment.sea.density,
                ) * wet;
            }
            Curve::Rotor(rotor) => {
                let air = match cached_air {
                    Some((link_idx, air)) if link_idx == thruster.link => air,
                    _ => rotor::air_at_link(link, 0, environment),
                };
                cached_air = Some((thruster.link, air));
                let (v, spin) = (link.V.v - air.velocity, [drive, 0.0]);
                let hub = rotor::Hub {
                    axis,
                    v,
                    w: link.V.w,
                    spin,
                    deck: work.rotor_decks[k],
                };
                actuator.thrust =
                    rotor::wrench(thruster, rotor, &hub, air.density, (link, 0), environment).0;
            }
            _ => actuator.thrust = static_thrust(thruster, drive),
        }
    }
}
