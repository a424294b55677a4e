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
//! linear between the velocities at both ends, for which the filter advances exactly.
//!
//! The water of the undisturbed wave moves with u at the centre of the wet part, and the hull
//! reacts to its motion relative to this water, with A∞ (`added_mass.rs`) and with (1). A force of
//! diffraction in the tables is the sum of both and of the remainder
//! ```text
//!   X = X_D - (iω A(ω) + B(ω)) u                                  (4)
//! ```
//! For a hull that is short compared with the waves, X vanishes: such a hull moves as the water
//! does, and scatters no waves. Thus no force is left over that drives the hull, and it drifts with
//! the water: ω k a² at the surface in waves of the amplitude a [Stokes 1847].
//!
//! # Symbols
//! V_r velocity relative to the water · C gain, symmetric · X_D force of diffraction in a wave of
//! 1 m, u velocity of its water · θ phase at the origin of the tables · β heading of the wave.
//!
//! # Frames
//! Link frame L at Lo. The pressures of first order act along the normals of the hull, and turn
//! with it: (1), (2) and the reaction of A∞ are along the axes of the same hull. If they were along
//! different axes, a heave force f and its reaction would leave the force f sin(tilt), whose mean
//! drives the hull, and a moment about a level axis would turn a heeled body of revolution about
//! its own axis. β is the heading of the hull turned upright by the smallest rotation, so that
//! a rotation of a body of revolution about its axis has no effect. X is interpolated along and
//! across the waves, where it does not depend on the heading for such a body.
//!
//! # Limits
//! Linear, about the waterline at rest and without forward speed. (1) and (2) decrease with the wet
//! fraction as the hull leaves the water, and vanish as it submerges. X is linear between the
//! headings of the tables. Forces of second order in the wave height are incomplete: they contain
//! the pressure of the undisturbed wave on the moving mesh and the products of velocities of the
//! added mass, but not the pressure of the scattered waves. The drift of hulls that are not short
//! compared with the waves is therefore wrong.
//!
//! # Checked by
//! test/witness/vehicles/hemisphere.rs (V34), test/identity/restoring.rs,
//! test/identity/radiation.rs

use merrow_environment::{EnvironmentState, WaveState};
use merrow_math::{Mat3, Real, SpatialForce, SpatialInertia, SpatialVelocity, Vec3};
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

/// Advances the filter states over the step that ends with the base velocity `V_WB_B`. The motion
/// of the water is the value of the last evaluation.
#[inline(always)]
pub fn advance_filters(robot: &Robot, state: &mut RobotState, work: &Workspace) {
    let Some(radiation) = &robot.links[0].radiation else {
        return;
    };
    let V_r = velocity_relative_to_water(&work.links[0], &state.motion.V_WB_B);
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
    let V_r = velocity_relative_to_water(w, &w.V);
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
        F -= SpatialInertia::splat(filter.gain).mul(&b);
    }
    if let (Some(diffraction), Some(waves)) = (&radiation.diffraction, environment.waves) {
        let lane =
            |i: usize| diffraction_force(diffraction, waves, w.p_WL.lane(i), &w.R_WL.lane(i));
        F += SpatialForce::from_lanes(lane);
    }
    let part = T::from_lanes(|i| wet_factor(w.submerged_fraction.lane(i), radiation.wet_at_rest));
    F.scale(part)
}

/// Returns the factor on the coefficients at rest for another wet fraction of the hull.
fn wet_factor(wet: f64, at_rest: f64) -> f64 {
    if wet <= at_rest {
        return wet / at_rest;
    }
    let x = ((wet - at_rest) / (1.0 - at_rest)).clamp(0.0, 1.0);
    1.0 - x * x * (3.0 - 2.0 * x)
}

/// Returns the velocity relative to the water, in L.
#[inline(always)]
fn velocity_relative_to_water<T: Real>(
    w: &LinkWork<T>,
    V: &SpatialVelocity<T>,
) -> SpatialVelocity<T> {
    SpatialVelocity::new(V.w, V.v - w.water)
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
        let times = |x: &SpatialVelocity<T>, k: f64| x.scale(T::splat(k));
        times(&x[0], a.state[i][0])
            + times(&x[1], a.state[i][1])
            + times(first, a.first[i])
            + times(last, a.last[i])
    })
}

/// Returns the axes of the hull turned upright by the smallest rotation that turns its z axis to
/// the vertical: the forward axis [east, north].
fn upright_bow(R_WL: &Mat3) -> [f64; 2] {
    let (up, bow) = (R_WL.r[2], R_WL.col(0));
    // a capsized hull has no heading
    let k = up.x / (1.0 + up.z).max(1e-9);
    let z = R_WL.col(2);
    [bow.x - k * z.x, bow.y - k * z.y]
}

/// Returns the remainder of the diffraction force (2) at Lo in L.
fn diffraction_force(
    diffraction: &Diffraction,
    waves: &WaveState,
    p_WL: Vec3,
    R_WL: &Mat3,
) -> SpatialForce {
    let [x, y] = upright_bow(R_WL);
    let mut sum = SpatialForce::zero();
    let p_WP = p_WL + R_WL.mul_vec(diffraction.p_LoP);
    waves.visit_waves(p_WP.x, p_WP.y, |wave| {
        let (c, s) = (wave.dx * x + wave.dy * y, wave.dy * x - wave.dx * y);
        let force = diffraction.interpolate(wave.omega, libm::atan2(s, c));
        let part = |i: usize| wave.a * (force[i][0] * wave.cos + force[i][1] * wave.sin);
        let turned = |i: usize| {
            let (x, y) = (part(i), part(i + 1));
            Vec3::new(c * x - s * y, s * x + c * y, part(i + 2))
        };
        sum += SpatialForce::new(turned(0), turned(3));
    });
    SpatialForce::new(sum.m + diffraction.p_LoP.cross(sum.f), sum.f)
}
