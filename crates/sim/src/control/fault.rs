//! Faults: which of them are active, and their effects on the devices.
//!
//! # Law
//! ```text
//!   Q = C_d A sqrt(2 g h)  (1)  [Munson 2013, §3.6]
//! ```
//! for the water through a hole at the depth h, until the compartment is full. The weight and
//! inertia of the water are added to the link at the centre of the compartment.
//!
//! An intermittent fault alternates between working and failing, for times from exponential
//! distributions. A reduced beacon keeps the stated fraction of its acoustic power. A biased beacon
//! transmits late by the bias.
//!
//! # Symbols
//! Q inflow [m³/s] · A area of the hole · C_d = 0.61 discharge coefficient of a sharp edge · g
//! gravity · h depth of the hole.
//!
//! # Frames
//! Link frame L.
//!
//! # Limits
//! The air in the compartment is not compressed and escapes. The water does not slosh, its centre
//! does not move as it rises, and it enters with the velocity of the hull. (1) neglects the water
//! level inside. For a whole sample of a receiver a beacon has its state at the instant of the
//! sample, also for sound that it sent earlier.
//!
//! # Checked by
//! test/analytic/devices/fault.rs, test/determinism/state/faults.rs

use merrow_control::ideal_drive;
use merrow_environment::EnvironmentState;
use merrow_math::{SpatialInertia, Sym3, Vec3};
use merrow_model::scene::fault::{Device, FaultKind};
use merrow_model::scene::{Fault, Robot};
use merrow_model::state::{FaultEffect, FaultState};
use merrow_model::state::{RobotState, Workspace};

/// Discharge coefficient of a sharp-edged hole.
const DISCHARGE: f64 = 0.61;
/// Radius of gyration of the water in a compartment over the edge length of a cube of its volume:
/// the value of the cube, 1/sqrt(6).
const GYRATION: f64 = 0.408;

/// Evaluates the effects of all faults at `now_ns` [ns] and stores them in `state` and `work`;
/// `density` is the water density [kg/m³]. Idempotent within one instant.
pub fn prepare(
    robot: &Robot,
    state: &mut RobotState,
    work: &mut Workspace,
    now_ns: u64,
    density: f64,
) {
    if state.faults.is_empty() {
        if work.flooded {
            work.flood.fill(SpatialInertia::zero());
            work.flooded = false;
        }
        return;
    }
    reset(state);
    work.flood.fill(SpatialInertia::zero());
    work.flooded = false;
    for k in 0..state.faults.len() {
        if let (FaultKind::Leak { center_m, .. }, Device::Hull(link)) =
            (state.faults[k].fault.kind, state.faults[k].fault.device)
        {
            let water = state.faults[k].water;
            if water > 0.0 {
                let (mass, edge) = (density * water, libm::cbrt(water));
                let i = mass * GYRATION * GYRATION * edge * edge;
                let center = robot.links[link].R_LU.mul_vec(Vec3::from(center_m));
                let about = Sym3::diagonal([i; 3]);
                work.flood[link] += SpatialInertia::rigid(mass, center, &about);
                work.flooded = true;
            }
        } else if state.faults[k].is_active(now_ns) {
            advance_intermittent(&mut state.faults[k], now_ns);
            let now = &state.faults[k];
            let (fault, failing) = (now.fault.clone(), now.failing);
            apply_effect(robot, state, &fault, failing, now_ns);
        }
    }
    ideal_drive::apply_all_faults(robot, state);
}

/// Removes the fault `name` and the effects of all faults on commands. Returns true if the fault
/// existed.
pub fn repair(robot: &Robot, state: &mut RobotState, name: &str) -> bool {
    let is_there = remove_fault(&mut state.faults, name);
    reset(state);
    ideal_drive::apply_all_faults(robot, state);
    is_there
}

/// Removes the faults of a device that are active at `now_ns` [ns] and their effects.
pub(crate) fn end_faults(robot: &Robot, state: &mut RobotState, device: Device, now_ns: u64) {
    let before = state.faults.len();
    let stays = |f: &FaultState| f.fault.device != device || !f.is_active(now_ns);
    state.faults.retain(stays);
    if state.faults.len() < before {
        reset(state);
        ideal_drive::apply_all_faults(robot, state);
    }
}

/// Removes the fault `name` from `faults`. Returns true if it existed.
pub(crate) fn remove_fault(faults: &mut Vec<FaultState>, name: &str) -> bool {
    let before = faults.len();
    faults.retain(|f| *f.fault.name != *name);
    faults.len() < before
}

/// Evaluates the effects of beacon faults at `now_ns` [ns] on each of `n` beacons. Idempotent
/// within one instant.
pub(crate) fn beacon_effects(faults: &mut [FaultState], n: usize, now_ns: u64) -> Vec<FaultEffect> {
    let mut effects = vec![FaultEffect::NONE; n];
    for memory in faults.iter_mut().filter(|memory| memory.is_active(now_ns)) {
        advance_intermittent(memory, now_ns);
        if let Device::Beacon(k) = memory.fault.device {
            accumulate_effect(&mut effects[k], &memory.fault, memory.failing, now_ns);
        }
    }
    effects
}

/// Sets all devices to the state without faults.
fn reset(state: &mut RobotState) {
    state
        .actuators
        .iter_mut()
        .for_each(|a| a.fault = FaultEffect::NONE);
    state
        .fins
        .iter_mut()
        .for_each(|f| f.fault = FaultEffect::NONE);
    state
        .joints
        .iter_mut()
        .for_each(|j| j.fault = FaultEffect::NONE);
    state
        .buoyancy_engines
        .iter_mut()
        .for_each(|b| b.fault = FaultEffect::NONE);
    state.winches.fill(FaultEffect::NONE);
    state
        .sensors
        .iter_mut()
        .for_each(|s| (s.fault, s.channel_faults) = (FaultEffect::NONE, [FaultEffect::NONE; 4]));
    (state.battery.limit, state.battery.failed) = (f64::INFINITY, false);
}

/// Advances an intermittent fault to `now_ns` [ns].
fn advance_intermittent(memory: &mut FaultState, now_ns: u64) {
    let FaultKind::Intermittent {
        mean_working_s,
        mean_failed_s,
    } = memory.fault.kind
    else {
        return;
    };
    while memory.turns_ns <= now_ns {
        // it starts with a failure
        memory.failing = memory.turns.is_multiple_of(2);
        let mean = if memory.failing {
            mean_failed_s
        } else {
            mean_working_s
        };
        let uniform = memory.fault.stream.draw(memory.turns).uniform();
        let time = -mean * libm::log(1.0 - uniform);
        memory.turns_ns = memory
            .turns_ns
            .saturating_add(((time * 1e9) as u64).saturating_add(1));
        memory.turns += 1;
    }
}

/// Applies the effect of one fault to its device.
fn apply_effect(robot: &Robot, state: &mut RobotState, fault: &Fault, failing: bool, now_ns: u64) {
    let effect = match fault.device {
        Device::Thruster(k) => &mut state.actuators[k].fault,
        Device::Fin(k) => &mut state.fins[k].fault,
        Device::Joint(k) => &mut state.joints[k].fault,
        Device::BuoyancyEngine(k) => &mut state.buoyancy_engines[k].fault,
        Device::Winch(k) => &mut state.winches[k],
        Device::Sensor(k) | Device::GnssReceiver(k) | Device::UnbiasableSensor(k) => {
            &mut state.sensors[k].fault
        }
        Device::SensorChannel(k, part) => &mut state.sensors[k].channel_faults[part],
        Device::Battery => {
            match fault.kind {
                FaultKind::Dead => state.battery.failed = true,
                FaultKind::Intermittent { .. } => state.battery.failed |= failing,
                FaultKind::Shortage { power_w } => {
                    state.battery.limit = state.battery.limit.min(power_w)
                }
                _ => {}
            }
            return;
        }
        // the effects on modems and computers follow from the faults at the events of these devices
        Device::Hull(_) | Device::Beacon(_) | Device::Modem(_) | Device::Computer(_) => return,
    };
    accumulate_effect(effect, fault, failing, now_ns);
    // an azimuth thruster cannot lose its servo: dead means stuck
    if let Device::Fin(k) = fault.device
        && robot.fins[k].is_azimuth()
    {
        let effect = &mut state.fins[k].fault;
        effect.stuck |= std::mem::take(&mut effect.dead);
    }
}

/// Accumulates the effect of one fault with the effects of other faults of the same device.
fn accumulate_effect(effect: &mut FaultEffect, fault: &Fault, failing: bool, now_ns: u64) {
    match fault.kind {
        FaultKind::Dead => effect.dead = true,
        FaultKind::Stuck => effect.stuck = true,
        FaultKind::Reduced { fraction } => effect.fraction *= fraction,
        FaultKind::Biased { bias } => effect.offset += bias,
        FaultKind::Noisy { noise_std: std }
            if matches!(
                fault.device,
                Device::Sensor(_) | Device::GnssReceiver(_) | Device::SensorChannel(..)
            ) =>
        {
            effect.noise = (effect.noise * effect.noise + std * std).sqrt();
        }
        FaultKind::Noisy { noise_std: std } => {
            effect.offset += std * fault.stream.draw(now_ns).normal()
        }
        // a fin that fails intermittently is not lost: its servo stops
        FaultKind::Intermittent { .. } if matches!(fault.device, Device::Fin(_)) => {
            effect.stuck |= failing
        }
        FaultKind::Intermittent { .. } => effect.dead |= failing,
        // `merrow_sensors::gnss::interference` evaluates the last two
        FaultKind::Shortage { .. }
        | FaultKind::Leak { .. }
        | FaultKind::Jammed { .. }
        | FaultKind::Spoofed { .. }
        | FaultKind::Slow { .. } => {}
    }
}

/// Accumulates the effects of faults on modems at `now_ns` [ns]. `effects` has one entry per modem
/// of the world. Idempotent within one instant.
pub(crate) fn modem_effects(faults: &mut [FaultState], effects: &mut [FaultEffect], now_ns: u64) {
    for memory in faults.iter_mut().filter(|memory| memory.is_active(now_ns)) {
        let Device::Modem(k) = memory.fault.device else {
            continue;
        };
        advance_intermittent(memory, now_ns);
        if let Some(effect) = effects.get_mut(k) {
            accumulate_effect(effect, &memory.fault, memory.failing, now_ns);
        }
    }
}

/// Combined effect of the faults of a computer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ComputerEffect {
    /// No task runs.
    pub(crate) is_halted: bool,
    /// Factor on the execution times of the jobs that are released.
    pub(crate) execution_factor: f64,
}

/// Evaluates the effect of faults on computer `k` of their robot at `now_ns` [ns]. Idempotent
/// within one instant.
pub(crate) fn computer_effect(faults: &mut [FaultState], k: usize, now_ns: u64) -> ComputerEffect {
    let mut effect = ComputerEffect {
        is_halted: false,
        execution_factor: 1.0,
    };
    let is_own = |memory: &&mut FaultState| {
        memory.fault.device == Device::Computer(k) && memory.is_active(now_ns)
    };
    for memory in faults.iter_mut().filter(is_own) {
        advance_intermittent(memory, now_ns);
        match memory.fault.kind {
            FaultKind::Slow { execution_factor } => effect.execution_factor *= execution_factor,
            FaultKind::Intermittent { .. } => effect.is_halted |= memory.failing,
            _ => effect.is_halted = true,
        }
    }
    effect
}

/// Returns the time of the next change of the faults of modems and computers after `now_ns` [ns];
/// `u64::MAX`: none.
pub(crate) fn next_change_ns(faults: &[FaultState], now_ns: u64) -> u64 {
    let next = |memory: &FaultState| {
        let fault = &memory.fault;
        let ends = [fault.start_ns, fault.end_ns];
        let turns = match fault.kind {
            FaultKind::Intermittent { .. } if memory.is_active(now_ns) => memory.turns_ns,
            _ => u64::MAX,
        };
        let times = ends.into_iter().chain([turns]);
        times.filter(|at| *at > now_ns).min().unwrap_or(u64::MAX)
    };
    let changing = faults
        .iter()
        .filter(|memory| matches!(memory.fault.device, Device::Modem(_) | Device::Computer(_)));
    changing.map(next).min().unwrap_or(u64::MAX)
}

/// Returns the kinds of the faults of a device that are active at `now_ns` [ns], separated by
/// commas; empty without faults.
pub fn active_kinds(faults: &[FaultState], device: Device, now_ns: u64) -> String {
    let is_own = |memory: &&FaultState| {
        let is_working =
            matches!(memory.fault.kind, FaultKind::Intermittent { .. }) && !memory.failing;
        memory.fault.device == device && memory.is_active(now_ns) && !is_working
    };
    let active = faults.iter().filter(is_own);
    let kinds: Vec<&str> = active.map(|memory| memory.fault.kind.kind()).collect();
    kinds.join(", ")
}

/// Adds the water that enters over a step of `dt` [s] whose start has been evaluated in `work`. (1)
pub(crate) fn advance_flooding(
    robot: &Robot,
    state: &mut RobotState,
    work: &Workspace,
    environment: &EnvironmentState<'_>,
    now_ns: u64,
    dt: f64,
) {
    for memory in &mut state.faults {
        let (
            FaultKind::Leak {
                hole_diameter_m: hole,
                position_m,
                compartment_m3,
                ..
            },
            Device::Hull(link),
        ) = (memory.fault.kind, memory.fault.device)
        else {
            continue;
        };
        if !memory.is_active(now_ns) {
            continue;
        }
        let p_LoH = robot.links[link].R_LU.mul_vec(Vec3::from(position_m));
        let link = &work.links[link];
        let depth = -environment.height_above_surface(link.p_WL + link.R_WL.mul_vec(p_LoH));
        if depth > 0.0 {
            let area = 0.25 * std::f64::consts::PI * hole * hole;
            let inflow = DISCHARGE * area * (2.0 * environment.gravity * depth).sqrt();
            memory.water = (memory.water + inflow * dt).min(compartment_m3);
        }
    }
}
