//! Friction of a contact as a projection, how it changes, and how far impulses and slip are from the law.
//!
//! # Law
//! ```text
//!   cone: Π p = nearest to p in |λ_t| ≤ μ λ_n, with the slip's part added to the normal velocity: u_n + μ |u_t|    (1)  [de Saxcé 1998]
//!   disk: Π p = p_n or 0, and nearest to p_t in |λ_t| ≤ s                                                          (2)
//!   u = 0 with |λ_t| ≤ μ λ_n, or λ_t = -μ λ_n u_t/|u_t|                                                            (3)  [Coulomb]
//! ```
//! # Symbols
//! p impulse before the projection [N s], u velocity less that wanted [m/s], n normal, t tangents, μ coefficient of friction,
//! s radius.
//!
//! # Frames
//! The contact's normal and tangents.
//!
//! # Limits
//! Without the slip's part (1) would have what slides rise with μ |u_t| [Anitescu 2006].
//!
//! # Checked by
//! test/analytic/contact.rs

use crate::contact::solver::solve::{NOTHING, Row};

/// What friction of a contact is bounded by, in one round.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Bound {
    /// Not a contact.
    #[default]
    None,
    /// The cone of its own normal impulse. The normal velocity is wanted lower by this, which undoes what the cone's normal
    /// does to what slips.
    Cone(f64),
    /// A disk of this radius.
    Disk(f64),
}

/// Nearest impulse to `p` that the bound allows.
#[inline(always)]
pub fn nearest(mut p: [f64; 3], friction: f64, bound: Bound, stiffness: f64) -> [f64; 3] {
    let square = p[1] * p[1] + p[2] * p[2];
    match bound {
        Bound::Cone(lower) => {
            p[0] -= stiffness * lower;
            let most = friction * p[0];
            if most >= 0.0 && square <= most * most {
                return p;
            }
            if p[0] <= 0.0 && friction * friction * square <= p[0] * p[0] {
                return [0.0; 3];
            }
            let size = square.sqrt();
            let normal = (p[0] + friction * size) / (1.0 + friction * friction);
            let part = friction * normal / size;
            [normal, part * p[1], part * p[2]]
        }
        Bound::Disk(radius) => {
            let part = if square > radius * radius {
                radius / square.sqrt()
            } else {
                1.0
            };
            [p[0].max(0.0), part * p[1], part * p[2]]
        }
        Bound::None => p,
    }
}

/// How [`nearest`] changes with `p`, times the stiffness: nn, n1, n2, 11, 12, 22.
#[inline(always)]
pub fn change(mut p: [f64; 3], friction: f64, bound: Bound, d: f64) -> [f64; 6] {
    let size = (p[1] * p[1] + p[2] * p[2]).sqrt();
    let stick = [d, 0.0, 0.0, d, 0.0, d];
    match bound {
        Bound::Cone(lower) => {
            p[0] -= d * lower;
            if size <= friction * p[0] {
                return stick;
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
        Bound::Disk(radius) => {
            let normal = if p[0] > 0.0 { d } else { 0.0 };
            if size <= radius {
                return [normal, 0.0, 0.0, d, 0.0, d];
            }
            let (x, y, k) = (p[1] / size, p[2] / size, d * radius / size);
            [normal, 0.0, 0.0, k * y * y, -k * x * y, k * x * x]
        }
        Bound::None => stick,
    }
}

/// Error of (3) [m/s]: slip where it should stick, or an impulse that is not the cone's where it slips.
#[inline(always)]
pub fn slip_error(rows: &[Row], u: &[f64], friction: f64, tolerance: f64) -> f64 {
    let (t, s) = ([rows[1].impulse, rows[2].impulse], [u[1], u[2]]);
    let norm = |x: [f64; 2]| (x[0] * x[0] + x[1] * x[1]).sqrt();
    let (most, size, slip) = (friction * rows[0].impulse, norm(t), norm(s));
    let effect = rows[1].effect.max(rows[2].effect);
    if effect <= NOTHING {
        return 0.0;
    }
    // impulse that lacks, as the velocity that it would change
    let outside = (size - most) * effect;
    if slip <= tolerance {
        return outside;
    }
    // against the slip it must be the cone's
    let wrong = [t[0] + most * s[0] / slip, t[1] + most * s[1] / slip];
    (norm(wrong) * effect).min(slip).max(outside)
}
