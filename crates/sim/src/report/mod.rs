//! Figures that `merrow describe` prints: sensor cost, floating equilibrium.

pub mod cost;
pub mod hydrostatic_equilibrium;
