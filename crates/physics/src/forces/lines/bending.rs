//! Bending of a lumped line, between two segments and at a clamped end.
//!
//! # Law
//! ```text
//!   E = ½ k |r|² = k (1 - cos φ),   r = t_b - t_a,   k = EI/l                 (1)
//!   F_- = -k A r,   F_0 = k (A + B) r,   F_+ = -k B r                         (2)
//!   A = (1 - t_a t_aᵀ)/|d_a|,   B = (1 - t_b t_bᵀ)/|d_b|                      (3)
//!   -∂F/∂w ≈ k lead Jᵀ J,   J = (A, -A - B, B)                                (4)
//!   clamp: k = 2 EI/l, the direction of the clamp in the place of t_a or t_b  (5)
//!   (1) [Bergou 2008, §4.2]
//! ```
//! # Symbols
//! EI bending stiffness · l unstretched length of a segment · d, t vector and direction of the
//! segments before (a) and after (b) a node · φ angle between them · F on the nodes before, at and
//! after · `lead` as in `tether.rs`.
//!
//! # Frames
//! World.
//!
//! # Limits
//! The rotation at a node is measured by 2 sin(φ/2), in the source by 2 tan(φ/2). Both agree where
//! the line is resolved, but here a fold has a finite moment. The moment is EI φ/l up to φ of about
//! half a radian and decreases beyond a right angle: a bend needs ten segments per turn. The
//! tangent (4) neglects the curvature of r, so that it is positive semi-definite. No torsion. The
//! half segment at a clamp is bent uniformly.
//!
//! # Checked by
//! test/analytic/tethers/bending.rs

use merrow_math::{Mat3, Vec3};

/// Bending at one node of a line. The default is a node without bending moment: a free end, or a
/// node next to a broken segment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NodeBending {
    A: Mat3,
    B: Mat3,
    r: Vec3,
    k: f64,
}

impl NodeBending {
    /// Returns the bending with the stiffness `k` [N m] between the segments `a` and `b`: the
    /// direction of each, W, and its derivative (3) [1/m], which is zero for a clamp. (1), (5)
    pub(crate) fn new(k: f64, (t_a, A): (Vec3, Mat3), (t_b, B): (Vec3, Mat3)) -> Self {
        let r = t_b - t_a;
        Self { A, B, r, k }
    }

    /// Returns the forces [N], W, on the nodes before, at and after. (2)
    pub(crate) fn forces(&self) -> [Vec3; 3] {
        let s = self.r.scale(self.k);
        let (a, b) = (self.A.mul_vec(s), self.B.mul_vec(s));
        [-a, a + b, -b]
    }

    /// Updates the bending for changes of the node velocities [m/s], which change the positions
    /// over the time `lead` [s].
    pub(crate) fn update(&mut self, [before, center, after]: [Vec3; 3], lead: f64) {
        self.r += (self.A.mul_vec(before - center) + self.B.mul_vec(after - center)).scale(lead);
    }

    /// Returns the negative derivative of the force on node `p` with respect to the velocity of
    /// node `q`: 0 before, 1 at, 2 after. (4)
    pub(crate) fn tangent(&self, p: usize, q: usize, lead: f64) -> Mat3 {
        let derivative = |i: usize| match i {
            0 => self.A,
            1 => Mat3::zero() - (self.A + self.B),
            _ => self.B,
        };
        let m = derivative(p).mul_mat(&derivative(q));
        m.scale(self.k * lead)
    }
}

/// Returns the direction of a segment `d` [m], and the derivative of the direction with respect to
/// the segment's end [1/m]. (3)
pub(crate) fn direction_and_derivative(d: Vec3) -> (Vec3, Mat3) {
    let Some(t) = d.unit() else {
        return (Vec3::zero(), Mat3::zero());
    };
    (t, Mat3::axial(t, 0.0, 1.0 / d.norm()))
}
