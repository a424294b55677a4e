//! Wind load on the part of a link above the water.
//!
//! # Law
//! ```text
//!   drag:    f_i = ½ ρ_a C_i A_i |v_r| v_r,i σ                  (1)
//!   kelpie:  f_i = ½ ρ_a C_i A_i (p_i·w) |w| σ,  i ahead, left  (2)  [Mendonca 2013, eqs 5 and 6]
//!   σ = min(1, (1 - s)/(1 - s_0))
//!   (1) [Fossen 2021, eqs 10.15-10.24, with C_X = c cos γ]
//! ```
//! or, for a ship,
//! ```text
//!   X = -q A_F C_l cos γ/d,  Y = q A_L C_t sin γ/d,  d = 1 - δ/2 (1 - C_l A_F/(A_L C_t)) sin² 2γ  (3)
//!   K = κ h Y,  N = (x - 0.18 L (γ - π/2)) Y                                                      (4)
//!   (3) [Fossen 2021, eq. 10.23-10.27]
//! ```
//! # Symbols
//! γ direction from which the wind comes, relative to the bow · C_l of front or stern on A_F, C_t
//! of the side on A_L · δ cross-force parameter · x, h position of the side's centroid forward of
//! and over the origin, κ its factor · L length · v_r velocity of the air relative to the centre of
//! the areas · A_i projected areas along the axes, C_i their coefficients · w horizontal wind · p_i
//! horizontal unit vectors of the model forward and to the left; Kelpie's own force has ½ ρ_a C_i
//! A_i = 1 · ρ_a density of the air at its height · s wet fraction of the link, s_0 its value at
//! rest if the robot floats, else 0; σ = 1 for a base with linear hydrostatics, and (3) contains
//! the same factor.
//!
//! # Frames
//! Areas along the user's axes U; the force at Lo in L.
//!
//! # Limits
//! (2) does not depend on the velocity of the vehicle, so the force never decreases with speed; it
//! is available for comparison only. No lift across the wind, no shielding of one link by another.
//! The areas are those above the water at rest: they decrease with the dry volume as the link sinks
//! and do not increase as it rises. Their centre is fixed.
//!
//! # Checked by
//! test/analytic/environment/air.rs

use crate::forces::link::interface::{LinkForceLaw, LinkState};
use merrow_environment::air;
use merrow_math::{Mat3, Real, SpatialForce, Vec3};
use merrow_model::scene::robot::force::WindLoad;
use merrow_model::scene::robot::force::wind::{Blendermann, WindLaw};

impl LinkForceLaw for WindLoad {
    /// Returns the wind force at Lo in L by (1), (2), or (3) and (4).
    #[inline(never)]
    fn force<T: Real>(&self, state: &LinkState<'_, T>) -> SpatialForce<T> {
        let (load, link, environment, w) = (self, state.link, state.environment, state.work);
        let p_WC = w.p_WL + w.R_WL.mul_vec(Vec3::splat(load.p_LoC));
        let v_W = Vec3::from_lanes(|i| environment.wind(p_WC.lane(i)));
        let v_C = w.V.v + w.V.w.cross(Vec3::splat(load.p_LoC));
        let R_LU = Mat3::splat(link.R_LU);
        let v_r = R_LU.tr_mul_vec(w.R_WL.tr_mul_vec(v_W) - v_C);
        let temperature = air::weather(&environment.sea.air, environment.time).temperature_c;
        let half_rho =
            T::from_lanes(|i| 0.5 * air::density(environment.sea, temperature, p_WC.lane(i).z));
        // linear hydrostatics have no emerged volume
        let dry = if link.restoring.is_some() {
            T::one()
        } else {
            T::from_lanes(|i| ((1.0 - w.submerged_fraction.lane(i)) / load.dry_at_rest).min(1.0))
        };
        if load.keys.law == WindLaw::Kelpie {
            return kelpie_force(load, state, dry, v_W);
        }
        if let Some(ship) = &load.keys.blendermann {
            let lane =
                |i: usize| ship_wrench(load, ship, v_r.lane(i), half_rho.lane(i) * dry.lane(i));
            let F_U = SpatialForce::<T>::from_lanes(lane);
            return SpatialForce::new(R_LU.mul_vec(F_U.m), R_LU.mul_vec(F_U.f));
        }
        let k = half_rho * v_r.norm() * dry;
        let f_U = Vec3::new(
            v_r.x * k * load.drag_area.x,
            v_r.y * k * load.drag_area.y,
            v_r.z * k * load.drag_area.z,
        );
        let f = R_LU.mul_vec(f_U);
        SpatialForce::new(Vec3::splat(load.p_LoC).cross(f), f)
    }
}

/// Returns the wrench by (3) and (4) at the origin along U for the velocity `v` of the air relative
/// to the ship; `half` is half the air density.
fn ship_wrench(load: &WindLoad, ship: &Blendermann, v: Vec3, half: f64) -> SpatialForce {
    let speed2 = v.x * v.x + v.y * v.y;
    if speed2 == 0.0 {
        return SpatialForce::zero();
    }
    let speed = speed2.sqrt();
    let (cos, sin) = (-v.x / speed, v.y / speed);
    let end_coefficient = if cos < 0.0 {
        ship.stern_drag
    } else {
        ship.head_drag
    };
    let [front, side, _] = load.keys.area_m2;
    let center = load.p_LoC;
    let sine_of_double_angle = 2.0 * sin * cos;
    let ratio = if side > 0.0 {
        end_coefficient * front / (side * ship.side_drag)
    } else {
        1.0
    };
    let q = half * speed2
        / (1.0 - 0.5 * ship.delta * (1.0 - ratio) * sine_of_double_angle * sine_of_double_angle);
    let (x, y) = (
        -q * front * end_coefficient * cos,
        q * side * ship.side_drag * sin,
    );
    let gamma = libm::acos(cos.clamp(-1.0, 1.0));
    let arm = center.x - 0.18 * ship.length_m * (gamma - std::f64::consts::FRAC_PI_2);
    let m = Vec3::new(-ship.roll_factor * center.z * y, center.z * x, arm * y);
    SpatialForce::new(m, Vec3::new(x, y, 0.0))
}

/// Returns the wind force of the Kelpie law by (2).
#[cold]
fn kelpie_force<T: Real>(
    load: &WindLoad,
    state: &LinkState<'_, T>,
    dry: T,
    v_W: Vec3<T>,
) -> SpatialForce<T> {
    let (link, environment, w) = (state.link, state.environment, state.work);
    let temperature = air::weather(&environment.sea.air, environment.time).temperature_c;
    let lane_force = |i: usize| {
        let (R_WL, p, wind) = (w.R_WL.lane(i), w.p_WL.lane(i), v_W.lane(i));
        let ahead = R_WL.mul_vec(link.R_LU.col(0));
        // a vehicle with a vertical x axis has no horizontal heading
        let ahead = Vec3::new(ahead.x, ahead.y, 0.0)
            .unit()
            .unwrap_or(Vec3::new(1.0, 0.0, 0.0));
        let left = Vec3::new(-ahead.y, ahead.x, 0.0);
        let wind = Vec3::new(wind.x, wind.y, 0.0);
        let k = 0.5 * air::density(environment.sea, temperature, p.z) * wind.norm() * dry.lane(i);
        let force_along = |p: Vec3, area: f64| p.scale(k * area * p.dot(wind));
        R_WL.tr_mul_vec(force_along(ahead, load.drag_area.x) + force_along(left, load.drag_area.y))
    };
    let f = Vec3::from_lanes(lane_force);
    SpatialForce::new(Vec3::splat(load.p_LoC).cross(f), f)
}
