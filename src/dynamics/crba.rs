//! Joint-space inertia matrix by the composite-rigid-body algorithm: a check of `aba`.
//!
//! # Law
//! ```text
//!   I^c_i = I_i + Σ_children X* I^c X,   H_ij = S_jᵀ X* ... I^c_i S_i       (1)  [Featherstone 2008, table 6.2, 9.5]
//! ```
//! # Symbols
//! H inertia matrix of (base velocity, joint velocities), angular part first.
//!
//! # Frames
//! Base block in the base frame at its origin.
//!
//! # Limits
//! For tests and controllers; not part of the step.
//!
//! # Checked by
//! test/identity/algorithms.rs, test/witness/pinocchio.rs

use super::rnea::axis_part;
use crate::kinematics::joint_velocity;
use crate::math::{SpatialForce, SpatialInertia};
use crate::scene::Robot;
use crate::state::Workspace;

/// The (6 + joints)² inertia matrix, from the poses and inertias in `work`.
pub fn inertia_matrix(robot: &Robot, work: &Workspace) -> Vec<Vec<f64>> {
    let n = robot.links.len();
    let mut Ic: Vec<SpatialInertia> = work.links.iter().map(|w| w.inertia).collect();
    for i in (1..n).rev() {
        let w = &work.links[i];
        let parent = robot.links[i].parent.unwrap_or(0);
        Ic[parent] = Ic[parent].plus(&Ic[i].to_parent(&w.R_PC, w.p_PC));
    }
    let mut H = vec![vec![0.0; 5 + n]; 5 + n];
    for (row, m) in H.iter_mut().zip(Ic[0].to_matrix()) {
        row[..6].copy_from_slice(&m);
    }
    for i in 1..n {
        let joint = &robot.links[i].joint;
        let mut f = Ic[i].mul(&joint_velocity(joint.kind, 1.0));
        H[5 + i][5 + i] = axis_part(joint.kind, &f) + joint.armature;
        let mut j = i;
        while j > 0 {
            let w = &work.links[j];
            f = f.to_parent(&w.R_PC, w.p_PC);
            j = robot.links[j].parent.unwrap_or(0);
            if j > 0 {
                let h = axis_part(robot.links[j].joint.kind, &f);
                (H[5 + i][5 + j], H[5 + j][5 + i]) = (h, h);
            }
        }
        for (k, h) in components(&f).into_iter().enumerate() {
            (H[5 + i][k], H[k][5 + i]) = (h, h);
        }
    }
    H
}

fn components(f: &SpatialForce) -> [f64; 6] {
    [f.m.x, f.m.y, f.m.z, f.f.x, f.f.y, f.f.z]
}
