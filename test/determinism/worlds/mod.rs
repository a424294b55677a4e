//! Tests of worlds with different physics.

mod contacts;
mod estuary;
mod flight;
mod hull;
mod river;
mod sites;
pub(crate) mod tethers;
mod usv;
mod waves;
