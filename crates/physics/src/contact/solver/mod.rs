//! Contact solvers and their linear algebra.

pub(crate) mod augmented_lagrangian;
pub mod blocks;
pub mod dense;
pub mod friction;
pub(crate) mod newton_matrix;
pub(crate) mod nonsmooth_newton;
pub mod rows;
pub mod solve;
pub mod system;
