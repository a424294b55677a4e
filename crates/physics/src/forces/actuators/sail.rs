//! Sails: lift and drag in the apparent wind, with a boom limited by its sheet.
//!
//! # Law
//! Let f₀, n₀, s be the chord (forward), the normal and the mast, and a the velocity of the air
//! relative to the sail. Then
//! ```text
//!   δ_w = atan2(-a·n₀, -a·f₀)                                (1)
//!   δ = clip(δ_w, ±δ_s)                                      (2)
//!   F = ½ρ_a A |a|² (C_L(α) ℓ + C_D(α) a/|a|),  α = δ_w - δ  (3)  [Marchaj 1979, part 2]
//!   (1) direction in which a free boom would point
//! ```
//! (3) uses the laws of `fin.rs`, for the flow across the mast only, at the centre of pressure on
//! the boom. A boom that its sheet does not restrain aligns with the wind. The sail then has no
//! lift and does not propel the boat.
//!
//! # Symbols
//! δ_s limit of the sheet, which is the commanded angle · α angle of attack · A area · ρ_a density
//! of the air.
//!
//! # Frames
//! Link frame L at Lo.
//!
//! # Limits
//! The boom has no inertia: it follows the wind at once, also through a gybe. Each sail is
//! independent: the additional lift due to a hull or another sail is not modelled. The sail has no
//! twist: the wind is taken at the height of the fin's position. The submerged part of the sail has
//! no wind force.
//!
//! # Checked by
//! test/analytic/actuators/sail.rs

use crate::forces::actuators::fin::{foil_force, wet_fraction};
use merrow_environment::{EnvironmentState, air};
use merrow_math::SpatialForce;
use merrow_model::scene::Fin;
use merrow_model::state::workspace::LinkWork;

/// Returns the wrench at Lo in L for the sheet limit `sheet` [rad]; `remaining_fraction` is the
/// fraction of the sail that remains after faults.
#[inline(never)]
pub fn force(
    fin: &Fin,
    link: &LinkWork,
    sheet: f64,
    remaining_fraction: f64,
    environment: &EnvironmentState<'_>,
) -> SpatialForce {
    let (f0, n0, s) = (fin.R_LF.col(0), fin.R_LF.col(1), fin.R_LF.col(2));
    let p_WF = link.p_WL + link.R_WL.mul_vec(fin.p_LoF);
    let wind = link.R_WL.tr_mul_vec(environment.wind(p_WF));
    // the apparent wind at the mast determines the angle of the boom
    let a = wind - link.V.v - link.V.w.cross(fin.p_LoF);
    let boom = boom_angle(-a.dot(f0), -a.dot(n0), sheet);
    let (sin, cos) = merrow_math::real::sin_cos(boom);
    let f = f0.scale(cos) + n0.scale(sin);
    let p = fin.p_LoF - f.scale(fin.center_of_pressure_m);
    let v = link.V.v + link.V.w.cross(p) - wind;
    let temperature = air::weather(&environment.sea.air, environment.time).temperature_c;
    let density = air::density(environment.sea, temperature, p_WF.z);
    let dry = 1.0 - wet_fraction(fin, link, 0, environment);
    SpatialForce::at_point(
        foil_force(
            fin,
            v,
            f,
            s,
            0.5 * density * remaining_fraction * dry * fin.area_m2,
        ),
        p,
    ) // (3)
}

/// Returns the angle of the boom [rad] for the apparent wind components and the sheet limit. (1),
/// (2)
///
/// `ahead` is the component against the chord and `abeam` the component against the normal [m/s];
/// `sheet` is in rad.
pub fn boom_angle(ahead: f64, abeam: f64, sheet: f64) -> f64 {
    let free_angle = if ahead == 0.0 && abeam == 0.0 {
        0.0
    } else {
        libm::atan2(abeam, ahead)
    };
    let sheet = sheet.abs();
    free_angle.clamp(-sheet, sheet)
}
