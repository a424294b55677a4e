//! Lift, drag and cross-flow drag of a slender body of revolution, such as a torpedo-shaped
//! vehicle.
//!
//! # Law
//! ```text
//!   D = ½ρV²S σ_β C_D,  L = ½ρV²S σ_β σ_α C_L  in the vertical plane                (1)
//!   C_L = π AR / (1 + sqrt(1 + (AR/2)²)) ᾱ,  C_D = C_D0 + C_L²/(π e AR),  AR = b²/S  (2)
//!   Y = -½ρ d C_y ∫ |v + x r|(v + x r) dx,  N = -½ρ d C_y ∫ x |v + x r|(v + x r) dx  (3)
//!   (1) [Beard 2012, §4.2], ᾱ = α = atan2(w, u) and σ = 1 up to 30 degrees
//!   (3) [Fossen 2021, eq. 6.90-6.91]
//! ```
//! and (3) likewise for heave and pitch with w - x q. The integrals over the length are in closed
//! form. Fossen's programs sum 21 strips of a twentieth of the length each and therefore
//! overestimate (3), by 5 % in pure sway and 21 % in pure yaw; `cross_flow_strips` reproduces this.
//! C_y may depend on the cross-flow speed at the midpoint (drag crisis).
//!
//! # Symbols
//! (u, v, w, p, q, r) velocity relative to the water, forward-right-down · S reference area · b = d
//! diameter · ᾱ angle of attack against the nearer end, σ_α and σ_β factors for the incidence in
//! the vertical plane and out of it (`../incidence.rs`) · e Oswald factor · C_y cross-flow drag
//! coefficient, one for each plane.
//!
//! # Frames
//! Computed in forward-left-up axes of the user's link frame about its origin, which is the
//! midpoint of the body.
//!
//! # Limits
//! (1) is published for small angles of attack. Beyond 30 degrees the lift decreases to zero
//! broadside, the drag follows the same polar up to 90 degrees, and both ends are equal. Constant
//! coefficients; no interaction with fins.
//!
//! # Checked by
//! tests below; test/identity/incidence.rs, test/witness/vehicles/remus.rs (V49)

use crate::forces::incidence::{direction_factor, nearer_end_angle};
use crate::forces::link::interface::{LinkForceLaw, LinkState};
use merrow_math::{Real, SpatialForce, SpatialVelocity, Vec3};
use merrow_model::scene::robot::force::SlenderBody;
use merrow_model::scene::robot::thruster::interpolate;

impl LinkForceLaw for SlenderBody {
    #[inline(always)]
    fn force<T: Real>(&self, state: &LinkState<'_, T>) -> SpatialForce<T> {
        let (wet, density) = (state.work.submerged_fraction, state.environment.sea.density);
        state.in_user_frame(|V_U| force(self, V_U, wet, density))
    }
}

/// Returns the force on the link at its origin in U. `V_r` is the velocity relative to the water
/// there, `wet` the wet fraction [-], 0..1, and `density` the water density [kg/m³].
#[inline(always)]
fn force<T: Real>(
    body: &SlenderBody,
    V_r: &SpatialVelocity<T>,
    wet: T,
    density: f64,
) -> SpatialForce<T> {
    SpatialForce::from_lanes(|i| {
        slender_body_wrench(body, V_r.w.lane(i), V_r.v.lane(i), density * wet.lane(i))
    })
}

fn slender_body_wrench(body: &SlenderBody, w: Vec3, v: Vec3, density: f64) -> SpatialForce {
    let mut F = if body.area_m2 > 0.0 {
        lift_drag(body, v, density)
    } else {
        SpatialForce::zero()
    };
    // in FLU: sway v + x r to the left, heave w - x q upwards
    let factor = match body.cross_flow_over_speed_m_s.as_slice() {
        [] => 1.0,
        curve => interpolate(curve, (v.y * v.y + v.z * v.z).sqrt()),
    };
    let half = 0.5 * density * body.diameter_m * factor;
    let integrals = |v: f64, r: f64| match body.cross_flow_strips {
        0 => cross_flow_integrals(v, r, body.length_m),
        n => cross_flow_sums(v, r, body.length_m, n as usize),
    };
    let (side, yaw) = integrals(v.y, w.z);
    F.f.y -= half * body.cross_flow_drag[0] * side;
    F.m.z -= half * body.cross_flow_drag[0] * yaw;
    let (up, pitch) = integrals(v.z, -w.y);
    F.f.z -= half * body.cross_flow_drag[1] * up;
    F.m.y += half * body.cross_flow_drag[1] * pitch;
    F
}

/// Returns the lift and drag by (1) and (2).
fn lift_drag(body: &SlenderBody, v: Vec3, density: f64) -> SpatialForce {
    let speed2 = v.dot(v);
    let in_plane2 = v.x * v.x + v.z * v.z;
    if in_plane2 == 0.0 {
        return SpatialForce::zero();
    }
    let alpha = libm::atan2(-v.z, v.x);
    let aspect = body.diameter_m * body.diameter_m / body.area_m2;
    let slope = std::f64::consts::PI * aspect / (1.0 + (1.0 + 0.25 * aspect * aspect).sqrt());
    let lift = slope * nearer_end_angle(alpha);
    let drag = body.axial_drag + lift * lift / (std::f64::consts::PI * body.oswald * aspect);
    let q = 0.5 * density * speed2 * body.area_m2 * direction_factor((in_plane2 / speed2).sqrt());
    let (s, c) = merrow_math::real::sin_cos(alpha);
    let lift = lift * direction_factor(c);
    // the law has z positive down, so z changes sign
    let x = -c * q * drag + s * q * lift;
    let z_down = -s * q * drag - c * q * lift;
    SpatialForce::new(Vec3::zero(), Vec3::new(x, 0.0, -z_down))
}

/// Returns `∫ |v + x r|(v + x r) dx` and the same integrand times x, over -length/2 .. length/2.
/// (3)
fn cross_flow_integrals(v: f64, r: f64, length: f64) -> (f64, f64) {
    let h = 0.5 * length;
    if r.abs() * h <= v.abs() {
        // no sign change along the body: the integrand is a parabola
        let s = if v < 0.0 { -1.0 } else { 1.0 };
        let third = length * length * length / 12.0;
        return (
            s * (v * v * length + r * r * third),
            s * 2.0 * v * r * third,
        );
    }
    // y = v + x r: antiderivatives |y|³/3 of |y|y and sgn(y) y⁴/4 of |y|y²
    let cube = |y: f64| y.abs() * y * y / 3.0;
    let fourth = |y: f64| y * y * y.abs() * y / 4.0;
    let (a, b) = (v - h * r, v + h * r);
    let force = (cube(b) - cube(a)) / r;
    let moment = ((fourth(b) - fourth(a)) - v * (cube(b) - cube(a))) / (r * r);
    (force, moment)
}

/// Returns (3) as in Fossen's programs: sum of `n` points from end to end, each with a length of
/// 1/(n - 1) of the whole.
fn cross_flow_sums(v: f64, r: f64, length: f64, n: usize) -> (f64, f64) {
    let dx = length / (n - 1) as f64;
    let (mut force, mut moment) = (0.0, 0.0);
    for i in 0..n {
        let x = i as f64 * dx - 0.5 * length;
        let y = v + x * r;
        force += y.abs() * y * dx;
        moment += x * y.abs() * y * dx;
    }
    (force, moment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_yaml::read::Places;

    #[test]
    fn cross_flow_integrals_match_fine_sums() {
        for (v, r) in [
            (0.7, 0.2),
            (0.7, -0.2),
            (-0.3, 1.4),
            (0.0, 0.9),
            (0.2, -0.25),
            (1e-9, 1e-9),
            (0.5, 0.0),
        ] {
            let (length, n) = (1.6, 200_000);
            let dx = length / f64::from(n);
            let (mut f, mut m) = (0.0, 0.0);
            for i in 0..n {
                let x = (f64::from(i) + 0.5) * dx - 0.5 * length;
                let y: f64 = v + x * r;
                f += y.abs() * y * dx;
                m += x * y.abs() * y * dx;
            }
            let (force, moment) = cross_flow_integrals(v, r, length);
            // the error of the sum is of order dx²
            assert!(
                (force - f).abs() < 1e-9 && (moment - m).abs() < 1e-9,
                "{v} {r}: {force} {f} {moment} {m}"
            );
        }
    }

    #[test]
    fn cross_flow_drag_is_dissipative() {
        let body = SlenderBody {
            length_m: 1.6,
            diameter_m: 0.19,
            area_m2: 0.2128,
            axial_drag: 0.056,
            oswald: 0.7,
            cross_flow_drag: [1.2, 1.1],
            cross_flow_over_speed_m_s: vec![[0.2, 1.0], [0.5, 0.4]],
            cross_flow_strips: 0,
            at: Places::default(),
        };
        for (w, v) in [
            (Vec3::new(0.1, 0.3, -0.4), Vec3::new(1.2, 0.2, -0.1)),
            (Vec3::new(0.0, -0.9, 0.6), Vec3::new(0.4, -0.3, 0.2)),
        ] {
            let V = SpatialVelocity { w, v };
            assert!(V.dot(&force(&body, &V, 1.0, 1026.0)) < 0.0);
        }
    }
}
