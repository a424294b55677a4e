//! Tests of bodies in water and air: weight, added mass, drag, buoyancy and hulls.

mod actor;
mod buoyancy;
mod external;
mod floating;
mod floating_equilibrium;
mod footprint;
mod hull;
mod imported;
mod rigid_body;
mod surface_damping;
mod swimmer;
mod terminal_speed;
