//! Tests that two independent computations agree, on random robots with fixed seeds.

mod algorithms;
mod conservation;
mod contact;
mod energy;
mod galileo;
mod hull;
mod incidence;
mod radiation;
mod response;
mod restoring;
mod shown_forces;
mod symmetry;
mod two_halves;
mod urdf;
mod waves;
mod wrench;
