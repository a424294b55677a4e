//! Control laws of vehicles: the firmware laws, their guidance and motion estimate, and the
//! allocation of wrenches to thrusters. [`law::ControlLaw`] is the interface of a law, [`laws`]
//! contains the laws of world files.
//!
//! ```
//! use merrow_control::allocation::pseudo_inverse;
//!
//! // two thrusters ahead, 0.5 m to the left and to the right of the base origin
//! let columns = [[1.0, 0.0, 0.0, 0.0, 0.0, -0.5], [1.0, 0.0, 0.0, 0.0, 0.0, 0.5]];
//! let rows = pseudo_inverse(&columns);
//! // 10 N ahead: 5 N each
//! assert!((10.0 * rows[0][0] - 5.0).abs() < 1e-9);
//! assert!((10.0 * rows[1][0] - 5.0).abs() < 1e-9);
//! ```

#![forbid(unsafe_code)]

pub mod allocation;
pub mod autopilot;
pub mod build;
pub mod constrained_allocation;
pub mod demand;
pub mod devices;
pub mod estimate;
pub mod ideal_drive;
pub mod joint_reference;
pub mod law;
pub mod laws;
pub mod line_of_sight;
pub mod modes;
pub mod velocity_guidance;
