//! Wave radiation of a hull (fluid memory) and diffraction of incoming waves.
//!
//! # Law
//! ```text
//!   F = -∫ K(τ) V_r(t - τ) dτ,  K(s) = Σ C s / (s² + d s + ω²)  (1)  [Cummins 1962; Ogilvie 1964]
//!     + Σ a Re[X(ω, β) exp(-iθ)]                                  (2)
//!   A(ω) = A∞ + Im K(iω)/ω,  B(ω) = Re K(iω)                    (3)
//!     (2) diffraction [Faltinsen 1990, ch. 3]
//! ```
//! The convolution is a sum of second-order filters whose gains are fitted to the tabulated A and B
//! (`crates/world/src/import/bem/fit.rs`); A∞ is the added mass of the link. The output of each
//! filter is zero at rest and in steady motion, and each filter is stable. Over a step its input is
//! linear between the velocities at both ends, for which the filter advances exactly. If
//! diffraction is specified, waves act on the hull by (2) and by their pressure on its mesh, and
//! not through the added mass, which then responds to the current only.
//!
//! # Symbols
//! V_r velocity relative to the current · C gain, symmetric · X force of a wave of 1 m · θ phase at
//! the origin of the tables · β heading of the wave.
//!
//! # Frames
//! (1) in the link frame L at Lo; the forces of X along the hull's horizontal axes, forward, port
//! and up, its moments about the axes of L: the tilt of the moments is of second order, and
//! pressure has no moment about the axis of a tilted body of revolution.
//!
//! # Limits
//! Linear, about the waterline at rest and without forward speed. (1) and (2) decrease with the wet
//! fraction as the hull leaves the water, and vanish as it submerges. X is linear between the
//! headings of the tables. Forces of second order in the wave height are incomplete: the mean drift
//! force on a hull in waves comes from the incident pressure on its moving mesh only, and can have
//! the wrong sign.
//!
//! # Checked by
//! test/witness/vehicles/hemisphere.rs (V34), test/identity/restoring.rs

use merrow_environment::{EnvironmentState, WaveState};
use merrow_math::{Mat3, Real, SpatialForce, SpatialVelocity, Vec3};
use merrow_model::scene::Robot;
use merrow_model::scene::robot::radiation::{Diffraction, Filter, Radiation};
use merrow_model::state::workspace::{LinkWork, RadiationWork};
use merrow_model::state::{RobotState, Workspace};

/// Copies the filter states into the workspace, before the evaluation at the start of a step.
#[inline(always)]
pub fn load_filter_states(robot: &Robot, state: &RobotState, work: &mut Workspace) {
    if robot.links[0].radiation.is_some() {
        work.radiation.start.copy_from_slice(&state.radiation_state);
    }
}

/// Advances the filter states over the step that ends with the base velocity `V_WB_B`. The current
/// is the value of the last evaluation.
#[inline(always)]
pub fn advance_filters(robot: &Robot, state: &mut RobotState, work: &Workspace) {
    let Some(radiation) = &robot.links[0].radiation else {
        return;
    };
    let V_r = velocity_relative_to_current(&work.links[0], &state.motion.V_WB_B);
    for (filter, x) in radiation.filters.iter().zip(&mut state.radiation_state) {
        *x = advance_filter(filter, 1, x, &work.radiation.V_start, &V_r);
    }
}

/// Returns the sum of (1) and (2) on the base, at Lo in L, at a stage of the step: 0 start, 1
/// midpoint, 2 end.
#[inline(never)]
pub fn force<T: Real>(
    radiation: &Radiation,
    environment: &EnvironmentState<'_>,
    w: &LinkWork<T>,
    memory: &mut RadiationWork<T>,
    stage: usize,
) -> SpatialForce<T> {
    let V_r = velocity_relative_to_current(w, &w.V);
    if stage == 0 {
        memory.V_start = V_r;
    }
    let mut F = SpatialForce::zero();
    for (filter, x) in radiation.filters.iter().zip(&memory.start) {
        let b = if stage == 0 {
            x[1]
        } else {
            advance_filter(filter, stage - 1, x, &memory.V_start, &V_r)[1]
        };
        F = F.minus(&crate::forces::rigid_body::inertia_times(&filter.gain, &b));
    }
    if let (Some(diffraction), Some(waves)) = (&radiation.diffraction, environment.waves) {
        let lane =
            |i: usize| diffraction_force(diffraction, waves, w.p_WL.lane(i), &w.R_WL.lane(i));
        F = F.plus(&SpatialForce::from_lanes(lane));
    }
    let part = T::from_lanes(|i| wet_factor(w.submerged_fraction.lane(i), radiation.wet_at_rest));
    SpatialForce {
        m: F.m.scale(part),
        f: F.f.scale(part),
    }
}

/// Returns the factor on the coefficients at rest for another wet fraction of the hull.
fn wet_factor(wet: f64, at_rest: f64) -> f64 {
    if wet <= at_rest {
        return wet / at_rest;
    }
    let x = ((wet - at_rest) / (1.0 - at_rest)).clamp(0.0, 1.0);
    1.0 - x * x * (3.0 - 2.0 * x)
}

/// Returns the velocity relative to the current, in L.
#[inline(always)]
fn velocity_relative_to_current<T: Real>(
    w: &LinkWork<T>,
    V: &SpatialVelocity<T>,
) -> SpatialVelocity<T> {
    SpatialVelocity {
        w: V.w,
        v: V.v - (w.water - w.wave_velocity),
    }
}

/// Returns the state of a filter after half a step (0) or a full step (1).
#[inline(always)]
fn advance_filter<T: Real>(
    filter: &Filter,
    part: usize,
    x: &[SpatialVelocity<T>; 2],
    first: &SpatialVelocity<T>,
    last: &SpatialVelocity<T>,
) -> [SpatialVelocity<T>; 2] {
    let a = &filter.advance[part];
    [0, 1].map(|i| {
        let sum = |x0: Vec3<T>, x1: Vec3<T>, u0: Vec3<T>, u1: Vec3<T>| {
            x0 * a.state[i][0] + x1 * a.state[i][1] + u0 * a.first[i] + u1 * a.last[i]
        };
        SpatialVelocity {
            w: sum(x[0].w, x[1].w, first.w, last.w),
            v: sum(x[0].v, x[1].v, first.v, last.v),
        }
    })
}

/// Returns the diffraction force (2) at Lo in L.
fn diffraction_force(
    diffraction: &Diffraction,
    waves: &WaveState,
    p_WL: Vec3,
    R_WL: &Mat3,
) -> SpatialForce {
    // horizontal heading of the bow
    let bow = R_WL.col(0);
    let level = (bow.x * bow.x + bow.y * bow.y).sqrt();
    let (c, s) = if level > 1e-9 {
        (bow.x / level, bow.y / level)
    } else {
        (1.0, 0.0)
    };
    let mut sum = [0.0; 6];
    let p_WP = p_WL + R_WL.mul_vec(diffraction.p_LoP);
    waves.visit_waves(p_WP.x, p_WP.y, |wave| {
        let heading = libm::atan2(wave.dy * c - wave.dx * s, wave.dx * c + wave.dy * s);
        let force = diffraction.interpolate(wave.omega, heading);
        for (sum, [re, im]) in sum.iter_mut().zip(force) {
            *sum += wave.a * (re * wave.cos + im * wave.sin);
        }
    });
    let [x, y, z] = [sum[3], sum[4], sum[5]];
    SpatialForce {
        m: Vec3::new(sum[0], sum[1], sum[2]),
        f: R_WL.tr_mul_vec(Vec3::new(c * x - s * y, s * x + c * y, z)),
    }
}
