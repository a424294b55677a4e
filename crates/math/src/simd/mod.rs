//! SIMD vectors: four numbers in double precision, eight in single precision.

pub mod f32x8;
pub mod f64x4;
