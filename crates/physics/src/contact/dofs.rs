//! Free coordinates of a robot for impulses: selection, joint-space inertia, and Jacobian rows of
//! points and links.
//!
//! # Law
//! ```text
//!   J_c: v ↦ d · v_Q   for a point Q of link l and a direction d  (1)
//!   H Δv = Jᵀ λ,   H = L Lᵀ                                       (2)
//!   (1) [Featherstone 2008, §2.10, 4.3]
//!   (2) [Featherstone 2008, eq. 11.25]
//! ```
//! # Symbols
//! v base velocity at Bo in B (angular first), then joint velocities; only the coordinates that
//! forces move. H joint-space inertia with added mass. λ impulse [N s or N m s].
//!
//! # Frames
//! Points and directions in the world.
//!
//! # Limits
//! A joint with prescribed motion takes no impulse; it transmits the impulse.
//!
//! # Checked by
//! test/identity/contact.rs

use crate::dynamics::crba;
use merrow_math::{SpatialVelocity, Vec3};
use merrow_model::scene::{JointKind, Link, Robot};
use merrow_model::state::Workspace;
use merrow_model::state::workspace::LinkWork;

/// Free coordinates of one robot.
#[derive(Clone, Debug)]
pub(crate) struct Dofs {
    /// Number of free coordinates.
    pub n: usize,
    /// Index of the first joint coordinate: 6 for a floating base, 0 for a fixed one.
    base: usize,
    /// Coordinate of each joint and the ratio of joint to coordinate; `None` if forces do not move
    /// the joint.
    ///
    /// A mimic joint shares the coordinate of its leader.
    pub joint: Vec<Option<(usize, f64)>>,
    /// Joint of each coordinate after the coordinates of the base.
    coordinate_joints: Vec<usize>,
    /// True if a joint has a prescribed motion that forces do not affect.
    pub(crate) is_driven: bool,
}

impl Dofs {
    /// Determines the free coordinates of `robot`.
    pub(crate) fn new(robot: &Robot) -> Self {
        let base = if robot.floating { 6 } else { 0 };
        let (mut joint, mut coordinate_joints) = (Vec::new(), Vec::new());
        for (j, link) in robot.links[1..].iter().enumerate() {
            let is_free_leader = link.joint.is_free() && link.joint.mimic.is_none();
            joint.push(is_free_leader.then_some((base + coordinate_joints.len(), 1.0)));
            if is_free_leader {
                coordinate_joints.push(j);
            }
        }
        for (j, link) in robot.links[1..].iter().enumerate() {
            if let Some(mimic) = &link.joint.mimic {
                let leader: Option<(usize, f64)> = joint[mimic.leader - 1];
                joint[j] = leader.map(|(c, _)| (c, mimic.multiplier));
            }
        }
        let is_movable = |link: &Link| link.joint.kind != JointKind::Fixed;
        let is_driven = robot.links[1..]
            .iter()
            .zip(&joint)
            .any(|(link, coordinate)| coordinate.is_none() && is_movable(link));
        Self {
            n: base + coordinate_joints.len(),
            base,
            joint,
            coordinate_joints,
            is_driven,
        }
    }

    /// Copies the velocities of the free coordinates from `V` and `qd` to `out`.
    pub(crate) fn gather(&self, V: &SpatialVelocity, qd: &[f64], out: &mut [f64]) {
        if self.base == 6 {
            out[..3].copy_from_slice(&V.w.to_array());
            out[3..6].copy_from_slice(&V.v.to_array());
        }
        for (x, j) in out[self.base..].iter_mut().zip(&self.coordinate_joints) {
            *x = qd[*j];
        }
    }

    /// Adds `k` times the changes `x` of the free velocities to `V` (base) and `qd` (joints).
    pub(crate) fn add_velocity_change(
        &self,
        x: &[f64],
        k: f64,
        V: &mut SpatialVelocity,
        qd: &mut [f64],
    ) {
        if self.base == 6 {
            V.w += Vec3::new(x[0], x[1], x[2]).scale(k);
            V.v += Vec3::new(x[3], x[4], x[5]).scale(k);
        }
        for (qd, coordinate) in qd.iter_mut().zip(&self.joint) {
            if let Some((c, ratio)) = coordinate {
                *qd += ratio * x[*c] * k;
            }
        }
    }

    /// Computes the inertia over the free coordinates and its Cholesky factor.
    ///
    /// `L` receives the lower triangle, row-major, with the inverse of the diagonal. `full` and `H`
    /// (row-major) are scratch.
    pub(crate) fn factor(
        &self,
        robot: &Robot,
        work: &mut Workspace,
        full: &mut Vec<f64>,
        H: &mut Vec<f64>,
        L: &mut Vec<f64>,
    ) {
        let size = crba::inertia_matrix_into(robot, work, full);
        let n = self.n;
        H.clear();
        H.resize(n * n, 0.0);
        // Gᵀ H G, where G maps the free coordinates to the coordinates of H
        let free = |k: usize| {
            if k < 6 {
                (k < self.base).then_some((k, 1.0))
            } else {
                self.joint[k - 6]
            }
        };
        for i in 0..size {
            let Some((a, s)) = free(i) else { continue };
            for j in 0..size {
                if let Some((b, t)) = free(j) {
                    H[a * n + b] += s * t * full[i * size + j];
                }
            }
        }
        L.clear();
        L.extend_from_slice(H);
        for i in 0..n {
            for j in 0..=i {
                let mut sum = L[i * n + j];
                for k in 0..j {
                    sum -= L[i * n + k] * L[j * n + k];
                }
                L[i * n + j] = if i == j {
                    1.0 / sum.sqrt()
                } else {
                    sum * L[j * n + j]
                };
            }
        }
    }

    /// Adds `k` times rows (1) for the velocity of the point `p_W` of `link` along each direction
    /// in `d_W` to `rows`, row-major.
    pub(crate) fn point_rows(
        &self,
        robot: &Robot,
        links: &[LinkWork],
        link: usize,
        p_W: Vec3,
        d_W: &[Vec3],
        k: f64,
        rows: &mut [f64],
    ) {
        let n = self.n;
        let mut l = link;
        while let Some(parent) = robot.links[l].parent {
            if let Some((c, s)) = self.joint[l - 1] {
                let z = links[l].R_WL.col(2);
                let v = match robot.links[l].joint.kind {
                    JointKind::Prismatic => z,
                    _ => z.cross(p_W - links[l].p_WL),
                };
                for (i, d) in d_W.iter().enumerate() {
                    rows[i * n + c] += k * s * v.dot(*d);
                }
            }
            l = parent;
        }
        if self.base == 6 {
            let base = &links[0];
            let arm = base.R_WL.tr_mul_vec(p_W - base.p_WL);
            for (d, row) in d_W.iter().zip(rows.chunks_exact_mut(n)) {
                let d = base.R_WL.tr_mul_vec(*d);
                let m = arm.cross(d);
                for (x, y) in row.iter_mut().zip([m.x, m.y, m.z, d.x, d.y, d.z]) {
                    *x += k * y;
                }
            }
        }
    }

    /// Adds `k` times the row for the angular velocity of `link` about `d_W`.
    pub(crate) fn angular_row(
        &self,
        robot: &Robot,
        links: &[LinkWork],
        link: usize,
        d_W: Vec3,
        k: f64,
        row: &mut [f64],
    ) {
        let mut l = link;
        while let Some(parent) = robot.links[l].parent {
            let slides = robot.links[l].joint.kind == JointKind::Prismatic;
            if let (Some((c, s)), false) = (self.joint[l - 1], slides) {
                row[c] += k * s * links[l].R_WL.col(2).dot(d_W);
            }
            l = parent;
        }
        if self.base == 6 {
            let d = links[0].R_WL.tr_mul_vec(d_W);
            for i in 0..3 {
                row[i] += k * d[i];
            }
        }
    }
}

/// Computes `x ← Lᵀ x`: velocities in coordinates of unit inertia.
pub(crate) fn to_unit_inertia(L: &[f64], n: usize, x: &mut [f64]) {
    for i in 0..n {
        x[i] = x[i] / L[i * n + i] + (i + 1..n).map(|k| L[k * n + i] * x[k]).sum::<f64>();
    }
}

/// Computes `x ← L⁻ᵀ x`: the inverse of [`to_unit_inertia`].
pub(crate) fn from_unit_inertia(L: &[f64], n: usize, x: &mut [f64]) {
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| L[k * n + i] * x[k]).sum();
        x[i] = (x[i] - sum) * L[i * n + i];
    }
}

/// Computes `x ← L⁻¹ x`: impulses in coordinates of unit inertia.
pub(crate) fn impulse_to_unit_inertia(L: &[f64], n: usize, x: &mut [f64]) {
    match n {
        6 => impulse_to_unit_inertia_sized::<6>(L, x),
        n => {
            for i in 0..n {
                let sum: f64 = (0..i).map(|k| L[i * n + k] * x[k]).sum();
                x[i] = (x[i] - sum) * L[i * n + i];
            }
        }
    }
}

/// Computes [`impulse_to_unit_inertia`] for a size known at compile time.
fn impulse_to_unit_inertia_sized<const N: usize>(L: &[f64], x: &mut [f64]) {
    let (L, x) = (&L[..N * N], &mut x[..N]);
    for i in 0..N {
        let mut sum = 0.0;
        for k in 0..i {
            sum += L[i * N + k] * x[k];
        }
        x[i] = (x[i] - sum) * L[i * N + i];
    }
}

/// Applies [`impulse_to_unit_inertia`] to three consecutive vectors.
pub(crate) fn three_impulses_to_unit_inertia(L: &[f64], n: usize, x: &mut [f64]) {
    match n {
        6 => three_impulses_to_unit_inertia_sized(L, 6, x),
        n => three_impulses_to_unit_inertia_sized(L, n, x),
    }
}

#[inline(always)]
fn three_impulses_to_unit_inertia_sized(L: &[f64], n: usize, x: &mut [f64]) {
    let (a, rest) = x[..3 * n].split_at_mut(n);
    let (b, c) = rest.split_at_mut(n);
    for (i, line) in L[..n * n].chunks_exact(n).enumerate() {
        let mut sums = [0.0; 3];
        for k in 0..i {
            sums[0] += line[k] * a[k];
            sums[1] += line[k] * b[k];
            sums[2] += line[k] * c[k];
        }
        a[i] = (a[i] - sums[0]) * line[i];
        b[i] = (b[i] - sums[1]) * line[i];
        c[i] = (c[i] - sums[2]) * line[i];
    }
}

/// Returns the velocity [m/s], W, of the point `p_W` [m] of a link for the velocities (`V`, `qd`),
/// including all joints.
pub(crate) fn point_velocity(
    robot: &Robot,
    links: &[LinkWork],
    link: usize,
    p_W: Vec3,
    motion: (&SpatialVelocity, &[f64]),
) -> Vec3 {
    let (V, qd) = motion;
    let base = &links[0];
    let mut v = base.R_WL.mul_vec(V.v) + base.R_WL.mul_vec(V.w).cross(p_W - base.p_WL);
    let mut l = link;
    while let Some(parent) = robot.links[l].parent {
        let z = links[l].R_WL.col(2).scale(qd[l - 1]);
        v += match robot.links[l].joint.kind {
            JointKind::Prismatic => z,
            JointKind::Fixed => Vec3::zero(),
            _ => z.cross(p_W - links[l].p_WL),
        };
        l = parent;
    }
    v
}
