//! Tests of kernels, SIMD lanes and batches of robots.

pub(crate) mod fleet;
mod kernels;
pub(crate) mod lanes;
mod simd_batch;
