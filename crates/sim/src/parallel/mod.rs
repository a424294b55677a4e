//! Distribution of the robots of a world to SIMD lanes and threads.

pub(crate) mod robot_groups;
pub(crate) mod simd_batch;
pub(crate) mod threads;
