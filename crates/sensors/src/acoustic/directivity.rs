//! Gain of transducers and antennas in a direction.
//!
//! # Law
//! ```text
//!   G = 10^(g/10),   g = g(θ), cos θ = d_x,   or   g = g(atan2(d_y, d_x), asin d_z)      (1)
//! ```
//! # Symbols
//! G gain · g tabulated gain [dB] · d unit vector of the direction · θ angle from the axis.
//!
//! # Frames
//! Frame M of the transducer or antenna: x is the acoustic axis or boresight.
//!
//! # Limits
//! The pattern at the centre of the band applies to the whole band. The hull on which a device is
//! mounted does not change it, unless the table contains its effect.
//!
//! # Checked by
//! test/sensors/acoustic/transducers.rs; crates/comms/tests/acoustic.rs;
//! crates/model/src/scene/comms/directivity.rs

use merrow_math::decibels::power;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::comms::directivity::Directivity;

/// Returns the gain [-] of `pattern` of a device with the attitude `R_WM` in the direction of the
/// unit vector `d` in W. (1)
pub fn gain(pattern: &Directivity, R_WM: &Mat3, d: Vec3) -> f64 {
    power(gain_level(pattern, R_WM, d))
}

/// Returns the tabulated gain [dB] of `pattern` of a device with the attitude `R_WM` in the
/// direction of the unit vector `d` in W. (1)
#[inline]
pub fn gain_level(pattern: &Directivity, R_WM: &Mat3, d: Vec3) -> f64 {
    match pattern {
        Directivity::Uniform { gain_db, .. } => *gain_db,
        Directivity::Axial(table) => {
            let cosine = R_WM.col(0).dot(d);
            table.gain(libm::acos(cosine.clamp(-1.0, 1.0)))
        }
        Directivity::Attitude(table) => {
            let d = R_WM.tr_mul_vec(d);
            let elevation = libm::asin(d.z.clamp(-1.0, 1.0));
            table.gain(libm::atan2(d.y, d.x), elevation)
        }
    }
}
