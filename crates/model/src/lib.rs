//! Data model of a simulation: the immutable scene, the state that changes with time, and the
//! kinematics of both.
//!
//! [`scene::Scene`] contains all that is constant during a run. [`state::State`] contains all that
//! is needed to resume a run. [`kinematics`] computes poses and velocities of links from joint
//! coordinates.
//!
//! # Example
//! ```
//! use merrow_math::Vec3;
//! use merrow_model::kinematics::joint_pose;
//! use merrow_model::scene::{Joint, JointKind};
//!
//! // a hinge 0.5 m ahead of the parent's origin; its axis is z of the child
//! let elbow = Joint {
//!     name: "elbow".into(),
//!     kind: JointKind::Revolute,
//!     p_PoCo0: Vec3::new(0.5, 0.0, 0.0),
//!     limits: [-1.0, 1.0],
//!     ..Joint::base()
//! };
//! assert!(elbow.is_free());
//!
//! let q = 0.3_f64;
//! let (R_PC, p_PC) = joint_pose(&elbow, q, (q.sin(), q.cos()));
//! let tip_P = p_PC + R_PC.mul_vec(Vec3::new(0.2, 0.0, 0.0));
//! assert!((tip_P - Vec3::new(0.5 + 0.2 * q.cos(), 0.2 * q.sin(), 0.0)).norm() < 1e-15);
//! ```

#![forbid(unsafe_code)]

pub mod kinematics;
pub mod scene;
pub mod sensor;
pub mod state;

pub use merrow_persist as persist;
pub use merrow_yaml::ensure;
