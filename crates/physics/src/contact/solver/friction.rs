//! Friction of a contact: projection on the friction bound, its derivative, and the error of the
//! friction law.
//!
//! # Law
//! ```text
//!   cone: Π p = nearest to p in |λ_t| ≤ μ λ_n, with the slip term added to the normal velocity: u_n + μ |u_t|  (1)
//!   disk: Π p = p_n or 0, and nearest to p_t in |λ_t| ≤ s                                                      (2)
//!   u = 0 with |λ_t| ≤ μ λ_n, or λ_t = -μ λ_n u_t/|u_t|                                                        (3)
//!   (1) [de Saxcé 1998]
//!   (3) [Coulomb]
//! ```
//! # Symbols
//! p impulse before the projection [N s], u velocity minus target velocity [m/s], n normal, t
//! tangents, μ coefficient of friction, s radius.
//!
//! # Frames
//! Normal and tangents of the contact.
//!
//! # Limits
//! Without the slip term (1) would make sliding contacts separate with μ |u_t| [Anitescu 2006].
//!
//! # Checked by
//! test/analytic/contacts/contact.rs

use crate::contact::solver::rows::{MIN_EFFECT, Row};

/// Friction bound of a contact in one round.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum FrictionBound {
    /// The group is not a contact.
    #[default]
    None,
    /// Cone of the contact's own normal impulse. The value is subtracted from the target normal
    /// velocity, which compensates the separation that the cone causes in slipping contacts.
    Cone(f64),
    /// Disk of the given radius [N s].
    Disk(f64),
}

/// Returns the admissible impulse nearest to `p` [N s, N s, N s]; `friction` is the coefficient
/// [-].
#[inline(always)]
pub fn project(mut p: [f64; 3], friction: f64, bound: FrictionBound, stiffness: f64) -> [f64; 3] {
    let square = p[1] * p[1] + p[2] * p[2];
    match bound {
        FrictionBound::Cone(lower) => {
            p[0] -= stiffness * lower;
            let max_friction = friction * p[0];
            if max_friction >= 0.0 && square <= max_friction * max_friction {
                return p;
            }
            if p[0] <= 0.0 && friction * friction * square <= p[0] * p[0] {
                return [0.0; 3];
            }
            let size = square.sqrt();
            let normal = (p[0] + friction * size) / (1.0 + friction * friction);
            let factor = friction * normal / size;
            [normal, factor * p[1], factor * p[2]]
        }
        FrictionBound::Disk(radius) => {
            let factor = if square > radius * radius {
                radius / square.sqrt()
            } else {
                1.0
            };
            [p[0].max(0.0), factor * p[1], factor * p[2]]
        }
        FrictionBound::None => p,
    }
}

/// Returns the derivative of [`project`] with respect to `p`, times the stiffness: nn, n1, n2, 11,
/// 12, 22.
#[inline(always)]
pub(crate) fn projection_derivative(
    mut p: [f64; 3],
    friction: f64,
    bound: FrictionBound,
    d: f64,
) -> [f64; 6] {
    let size = (p[1] * p[1] + p[2] * p[2]).sqrt();
    let sticking = [d, 0.0, 0.0, d, 0.0, d];
    match bound {
        FrictionBound::Cone(lower) => {
            p[0] -= d * lower;
            if size <= friction * p[0] {
                return sticking;
            }
            if friction * size <= -p[0] {
                return [0.0; 6];
            }
            let (x, y, k) = (p[1] / size, p[2] / size, d / (1.0 + friction * friction));
            let across = k * friction * (p[0] / size + friction);
            let along = k * friction * friction;
            let n = k * friction;
            let (xx, xy, yy) = (
                along * x * x + across * y * y,
                (along - across) * x * y,
                along * y * y + across * x * x,
            );
            [k, n * x, n * y, xx, xy, yy]
        }
        FrictionBound::Disk(radius) => {
            let normal = if p[0] > 0.0 { d } else { 0.0 };
            if size <= radius {
                return [normal, 0.0, 0.0, d, 0.0, d];
            }
            let (x, y, k) = (p[1] / size, p[2] / size, d * radius / size);
            [normal, 0.0, 0.0, k * y * y, -k * x * y, k * x * x]
        }
        FrictionBound::None => sticking,
    }
}

/// Returns the error of (3) [m/s]: slip of a sticking contact, or deviation of the impulse from the
/// cone of a slipping contact.
#[inline(always)]
pub(crate) fn slip_error(rows: &[Row], u: &[f64], friction: f64, tolerance: f64) -> f64 {
    let (t, s) = ([rows[1].impulse, rows[2].impulse], [u[1], u[2]]);
    let norm = |x: [f64; 2]| (x[0] * x[0] + x[1] * x[1]).sqrt();
    let (max_friction, size, slip) = (friction * rows[0].impulse, norm(t), norm(s));
    let effect = rows[1].inverse_mass.max(rows[2].inverse_mass);
    if effect <= MIN_EFFECT {
        return 0.0;
    }
    // missing impulse, as the velocity change that it would cause
    let excess = (size - max_friction) * effect;
    if slip <= tolerance {
        return excess;
    }
    // for a slipping contact it must be on the cone and opposite to the slip
    let deviation = [
        t[0] + max_friction * s[0] / slip,
        t[1] + max_friction * s[1] / slip,
    ];
    (norm(deviation) * effect).min(slip).max(excess)
}
