//! Tests of kernels, SIMD lanes and batches of robots.

pub(crate) mod fleet;
mod kernels;
mod lanes;
mod simd_batch;
