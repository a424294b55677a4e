//! Figures for `merrow describe`: sensor cost and hydrostatic equilibrium.

pub mod cost;
pub mod hydrostatic_equilibrium;
