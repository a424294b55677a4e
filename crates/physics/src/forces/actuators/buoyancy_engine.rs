//! Buoyancy engines: a volume that grows and shrinks at constant mass.
//!
//! # Law
//! ```text
//!   F = ρ g V up at the engine's place                                 (1)
//!   V' = clip((V_c - V)/dt, -rate, rate)                                (2)  at the part of the rate that faults leave
//!   P = p V'/η while V grows, else 0                                    (3)
//! ```
//! # Symbols
//! V volume over that of the hull, V_c its command · p pressure of the water at the engine · η efficiency of pump and motor · P electrical power.
//!
//! # Frames
//! Link frame L at Lo.
//!
//! # Limits
//! The hull's own added mass and damping do not change with V; water that the engine takes in has no mass of its own (oil moves between
//! bladder and hull). It counts with the wet part of its link. The pump's rate does not fall with pressure. Shrinking costs nothing.
//!
//! # Checked by
//! test/analytic/glider.rs, test/analytic/fault.rs

use merrow_math::{Real, SpatialForce, Vec3};
use merrow_model::scene::Robot;
use merrow_model::state::{RobotState, Workspace};

/// Leaves the volumes at this instant in `work`, as the start of a step that has not begun.
pub fn hold(robot: &Robot, state: &RobotState, work: &mut Workspace) {
    for k in 0..robot.ballasts.len() {
        work.ballasts[k] = [state.ballasts[k].volume; 3];
    }
}

/// Advances every engine over the step of `dt` seconds and leaves its volume at the start, middle and end in `work`. `pressure` is
/// that of the water over a place in W [Pa]. (2), (3)
pub fn prepare(
    robot: &Robot,
    state: &mut RobotState,
    dt: f64,
    pressure: impl Fn(Vec3) -> f64,
    work: &mut Workspace,
) {
    for (k, ballast) in robot.ballasts.iter().enumerate() {
        let memory = &mut state.ballasts[k];
        let start = memory.volume;
        let fault = &memory.fault;
        // a valve stays shut without its pump
        let part = if fault.dead || fault.stuck {
            0.0
        } else {
            fault.part
        };
        let command = (memory.command + fault.offset).clamp(ballast.range[0], ballast.range[1]);
        let middle = ballast.towards(start, command, part, 0.5 * dt);
        let end = ballast.towards(middle, command, part, 0.5 * dt);
        work.ballasts[k] = [start, middle, end];
        memory.volume = end;
        let link = &work.links[ballast.link];
        let p = link.p_WL + link.R_WL.mul_vec(ballast.p_LoV);
        memory.power = pressure(p) * ((end - start) / dt).max(0.0) / ballast.efficiency;
    }
}

/// Force of the engines in link `link_idx` at one stage, from `volumes`; `up` in L, `weight` of the water per volume [N/m³]. (1)
#[inline(always)]
pub fn force<T: Real>(
    robot: &Robot,
    link_idx: usize,
    (up, weight): (Vec3<T>, T),
    stage: usize,
    volumes: &[[T; 3]],
) -> SpatialForce<T> {
    let mut sum = SpatialForce::zero();
    for (k, ballast) in robot
        .ballasts
        .iter()
        .enumerate()
        .filter(|(_, b)| b.link == link_idx)
    {
        let f = up.scale(weight * volumes[k][stage]);
        sum = sum.plus(&SpatialForce {
            m: Vec3::splat(ballast.p_LoV).cross(f),
            f,
        });
    }
    sum
}
