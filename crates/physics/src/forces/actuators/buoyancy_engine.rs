//! Buoyancy engines: variable displaced volume at constant mass.
//!
//! # Law
//! ```text
//!   F = ρ g V up at the position of the engine  (1)
//!   V' = clip((V_c - V)/dt, -rate, rate)        (2)  rate times the fraction that faults leave
//!   P = p V'/η while V grows, else 0            (3)
//! ```
//! # Symbols
//! V volume in excess of the hull's, V_c its command · p water pressure at the engine · η
//! efficiency of pump and motor · P electrical power.
//!
//! # Frames
//! Link frame L at Lo.
//!
//! # Limits
//! Added mass and damping of the hull do not change with V. The engine takes in no mass of water
//! (oil moves between bladder and hull). The force is scaled by the wet fraction of the link. The
//! pump rate does not decrease with pressure. Decreasing the volume costs no energy.
//!
//! # Checked by
//! test/analytic/vehicles/glider.rs, test/analytic/devices/fault.rs

use crate::forces::contributions::{Law, Sink};
use merrow_math::{Real, SpatialForce, Vec3};
use merrow_model::scene::Robot;
use merrow_model::state::{RobotState, Workspace};

/// Stores the current volumes in `work` for all stages, without advancing a step.
#[inline]
pub fn store_current(robot: &Robot, state: &RobotState, work: &mut Workspace) {
    for k in 0..robot.buoyancy_engines.len() {
        work.buoyancy_engine_volumes[k] = [state.buoyancy_engines[k].volume; 3];
    }
}

/// Advances every engine over the step of `dt` [s] and stores its volume at the start, midpoint and
/// end in `work`. (2), (3)
///
/// `pressure` is the gauge pressure of the water [Pa] at a position in W [m].
pub fn prepare_step(
    robot: &Robot,
    state: &mut RobotState,
    dt: f64,
    pressure: impl Fn(Vec3) -> f64,
    work: &mut Workspace,
) {
    for (k, engine) in robot.buoyancy_engines.iter().enumerate() {
        let memory = &mut state.buoyancy_engines[k];
        let start = memory.volume;
        let fault = &memory.fault;
        // a valve stays shut without its pump
        let part = if fault.dead || fault.stuck {
            0.0
        } else {
            fault.fraction
        };
        let command = (memory.command + fault.offset).clamp(engine.range_m3[0], engine.range_m3[1]);
        let midpoint = engine.advance_volume(start, command, part, 0.5 * dt);
        let end = engine.advance_volume(midpoint, command, part, 0.5 * dt);
        work.buoyancy_engine_volumes[k] = [start, midpoint, end];
        memory.volume = end;
        let link = &work.links[engine.link];
        let p = link.p_WL + link.R_WL.mul_vec(engine.p_LoV);
        memory.power = pressure(p) * ((end - start) / dt).max(0.0) / engine.efficiency;
    }
}

/// Returns the wrench of the engines of link `link_idx` at one `stage`, at Lo in L. (1)
///
/// `up` is the vertical unit vector in L, `weight` the weight of the water per volume [N/m³], and
/// `volumes` [m³] holds the three stages of each engine.
#[inline(always)]
pub(crate) fn force<T: Real, S: Sink>(
    robot: &Robot,
    link_idx: usize,
    (up, weight): (Vec3<T>, T),
    stage: usize,
    volumes: &[[T; 3]],
    sink: &mut S,
) -> SpatialForce<T> {
    let mut sum = SpatialForce::zero();
    for (k, engine) in robot
        .buoyancy_engines
        .iter()
        .enumerate()
        .filter(|(_, b)| b.link == link_idx)
    {
        let f = up.scale(weight * volumes[k][stage]);
        let F = SpatialForce::new(Vec3::splat(engine.p_LoV).cross(f), f);
        sink.add(Law::BuoyancyEngine, Some(k), link_idx, || F);
        sum += F;
    }
    sum
}
