//! Measures how strongly each joint of the arm moves the vehicle.
//!
//! # Law
//! With the inertia matrix in blocks of base b and joints j, in water (added mass included), free
//! base, from rest:
//! ```text
//!   V̇ = -H_bb⁻¹ H_bj q̈_j                      per joint acceleration           (1)
//!   F = H_bj q̈_j                              reaction on a vehicle held still  (2)
//!   ∂φ/∂q_j = (φ(q_j + ε) - φ(q_j - ε)) / 2ε     at rest, φ roll or pitch        (3)
//!   (1) [Featherstone 2008, §9.3]
//! ```
//! (1) is the immediate effect of a joint acceleration. (2) is the wrench required to hold the
//! vehicle against it. (3) is the change of attitude after all motion has decayed: the shifted
//! weight against the righting moment.
//!
//! # Symbols
//! H inertia matrix, angular part first · q̈_j acceleration of a single joint [rad/s²] · ε 0.05
//! rad.
//!
//! # Frames
//! Base frame B at its origin.
//!
//! # Limits
//! (1) and (2) hold at the instant at which the joint starts, without drag. The metrics of other
//! authors weight the same blocks differently.
//!
//! # Checked by
//! test/witness/vehicles/uvms.rs

use crate::pool::model::Model;
use crate::pool::recording::{JOINT_NAMES, JOINTS};
use crate::pool::replay::Replay;
use crate::pool::summary::simulate_rest;
use merrow_math::{Quat, SpatialInertia, spatial};
use merrow_math::{SpatialForce, Vec3};
use merrow_physics::dynamics::crba;
use serde_json::{Value, json};

/// Step of the finite difference in (3) [rad].
const STEP: f64 = 0.05;

/// The three coupling measures of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupling {
    /// (1): angular [rad/s² per rad/s²] and linear [m/s² per rad/s²].
    pub acceleration: [f64; 6],
    /// (2): moment [N m per rad/s²] and force [N per rad/s²].
    pub reaction: [f64; 6],
    /// (3): roll and pitch [rad per rad].
    pub tilt: [f64; 2],
}

/// Computes the measures of all joints with the arm at `q` [rad].
pub fn coupling(model: &Model, q: [f64; JOINTS]) -> [Coupling; JOINTS] {
    let inertial = inertial_coupling(model, q);
    std::array::from_fn(|j| {
        let tilted = |sign: f64| {
            let mut there = q;
            there[j] += sign * STEP;
            simulate_rest(model, there).angles
        };
        let (more, less) = (tilted(1.0), tilted(-1.0));
        let [acceleration, reaction] = inertial[j];
        Coupling {
            acceleration,
            reaction,
            tilt: std::array::from_fn(|k| (more[k] - less[k]).to_radians() / (2.0 * STEP)),
        }
    })
}

/// Computes the acceleration of the vehicle [1 or m] and its reaction [N m s² or N s²] per joint
/// acceleration, with the arm at `q` [rad], angular parts first. (1), (2)
pub fn inertial_coupling(model: &Model, q: [f64; JOINTS]) -> [[[f64; 6]; 2]; JOINTS] {
    let mut replay = Replay::new(model, Quat::identity());
    replay.hold(q);
    let H = crba::inertia_matrix(&model.robot, &replay.work);
    let base: [[f64; 6]; 6] = std::array::from_fn(|i| std::array::from_fn(|k| H[i][k]));
    let base = SpatialInertia::from_matrix(&base);
    std::array::from_fn(|j| {
        let row = 6 + model.joints[j];
        let reaction: [f64; 6] = std::array::from_fn(|k| H[row][k]);
        let [a, b, c, d, e, f] = reaction;
        let A = spatial::solve(
            &base,
            &SpatialForce {
                m: -Vec3::new(a, b, c),
                f: -Vec3::new(d, e, f),
            },
        );
        [[A.w.x, A.w.y, A.w.z, A.v.x, A.v.y, A.v.z], reaction]
    })
}

/// Formats the measures as a text table.
pub fn table(couplings: &[Coupling; JOINTS]) -> String {
    let mut out = format!(
        "{:<10} {:>24} {:>24} {:>22}\n{:<10} {:>8}{:>8}{:>8} {:>8}{:>8}{:>8} {:>11}{:>11}\n",
        "joint",
        "rotation [1]",
        "reaction [N m s2/rad]",
        "tilt at rest [deg/deg]",
        "",
        "roll",
        "pitch",
        "yaw",
        "roll",
        "pitch",
        "yaw",
        "roll",
        "pitch"
    );
    for (name, c) in JOINT_NAMES.iter().zip(couplings) {
        let ([ax, ay, az, ..], [mx, my, mz, ..], [tr, tp]) = (c.acceleration, c.reaction, c.tilt);
        out.push_str(&format!(
            "{name:<10} {ax:>8.3}{ay:>8.3}{az:>8.3} {mx:>8.4}{my:>8.4}{mz:>8.4} {tr:>11.3}{tp:>11.3}\n"
        ));
    }
    out
}

/// Returns the measures as JSON, by joint name.
pub fn json(couplings: &[Coupling; JOINTS]) -> Value {
    let rows = JOINT_NAMES.iter().zip(couplings).map(|(name, c)| {
        let value =
            json!({ "acceleration": c.acceleration, "reaction": c.reaction, "tilt": c.tilt });
        ((*name).to_string(), value)
    });
    Value::Object(rows.collect())
}
