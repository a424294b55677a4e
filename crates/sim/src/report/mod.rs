//! Figures for `merrow describe` and `merrow check`: sensor cost, hydrostatic equilibrium, top speed.

pub mod cost;
pub mod hydrostatic_equilibrium;
pub mod top_speed;
