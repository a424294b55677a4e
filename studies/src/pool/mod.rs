//! Replays and scores the recorded pool trials of a vehicle with an arm.

pub mod baseline;
pub mod coupling;
pub mod delayed;
pub mod joints;
pub mod model;
pub mod recording;
pub mod replay;
pub mod score;
pub mod servo;
pub mod study;
pub mod summary;
pub mod trial;
pub mod trials;
