//! The kinds of task: one file per kind, with its keys, its state, its law and its tests.

pub mod avoid_traffic;
pub mod docking;
pub mod follow_target;
pub mod gates;
pub mod gymkhana;
pub mod inspection;
pub mod path_following;
pub mod perception;
pub mod pick_and_place;
pub mod station_keeping;
pub mod wayfinding;
pub mod waypoints;
pub mod wildlife;

#[cfg(test)]
pub(crate) mod testing;
