//! Joint-space inertia matrix by the composite-rigid-body algorithm. Impulses act on it; tests use
//! it to check `aba`.
//!
//! # Law
//! ```text
//!   I^c_i = I_i + Σ_children X* I^c X,   H_ij = S_jᵀ X* ... I^c_i S_i  (1)
//!   (1) [Featherstone 2008, table 6.2, 9.5]
//! ```
//! # Symbols
//! H inertia matrix of (base velocity, joint velocities), angular part first.
//!
//! # Frames
//! Base block in the base frame at its origin.
//!
//! # Limits
//! None, except that the robot is a tree.
//!
//! # Checked by
//! test/identity/algorithms.rs, test/witness/vehicles/pinocchio.rs

use crate::dynamics::rnea::axis_component;
use merrow_math::SpatialForce;
use merrow_model::kinematics::joint_velocity;
use merrow_model::scene::Robot;
use merrow_model::state::Workspace;

/// Returns the (6 + joints)² inertia matrix in SI units, base first, angular part first, from the
/// poses and inertias in `work`.
pub fn inertia_matrix(robot: &Robot, work: &Workspace) -> Vec<Vec<f64>> {
    let (mut scratch, mut H) = (work.clone(), Vec::new());
    let size = inertia_matrix_into(robot, &mut scratch, &mut H);
    H.chunks(size).map(<[f64]>::to_vec).collect()
}

/// Returns the same as [`inertia_matrix`], but writes row-major into `H`, whose memory is reused.
/// Returns the number of rows.
///
/// `IA` of the links in `work` is overwritten.
pub(crate) fn inertia_matrix_into(robot: &Robot, work: &mut Workspace, H: &mut Vec<f64>) -> usize {
    let n = robot.links.len();
    let size = 5 + n;
    H.clear();
    H.resize(size * size, 0.0);
    for w in &mut work.links {
        w.IA = w.inertia;
    }
    for i in (1..n).rev() {
        let w = &work.links[i];
        let inertia_in_parent = w.IA.to_parent(&w.R_PC, w.p_PC);
        let parent = &mut work.links[robot.links[i].parent.unwrap_or(0)];
        parent.IA += inertia_in_parent;
    }
    for (k, row) in work.links[0].IA.to_matrix().iter().enumerate() {
        H[k * size..k * size + 6].copy_from_slice(row);
    }
    for i in 1..n {
        let joint = &robot.links[i].joint;
        let mut f = work.links[i].IA.mul(&joint_velocity(joint.kind, 1.0));
        H[(5 + i) * size + 5 + i] = axis_component(joint.kind, &f) + joint.armature;
        let mut j = i;
        while j > 0 {
            let w = &work.links[j];
            f = f.to_parent(&w.R_PC, w.p_PC);
            j = robot.links[j].parent.unwrap_or(0);
            if j > 0 {
                let h = axis_component(robot.links[j].joint.kind, &f);
                (H[(5 + i) * size + 5 + j], H[(5 + j) * size + 5 + i]) = (h, h);
            }
        }
        for (k, h) in components(&f).into_iter().enumerate() {
            (H[(5 + i) * size + k], H[k * size + 5 + i]) = (h, h);
        }
    }
    size
}

fn components(f: &SpatialForce) -> [f64; 6] {
    [f.m.x, f.m.y, f.m.z, f.f.x, f.f.y, f.f.z]
}
