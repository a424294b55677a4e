//! QoS policies and their matching (RTPS 2.5, 8.7.2; DDS 1.4, 2.2.3).

mod matching;
mod policies;
#[cfg(test)]
mod tests;

pub use matching::{Policy, compatible};
pub use policies::*;
