//! Diffraction of radio waves at wave crests and at the curved Earth in the Fresnel zone.
//!
//! # Law
//! ```text
//!   J(ν) = 6.9 + 20 log(√((ν - 0.1)² + 1) + ν - 0.1),  ν > -0.78; otherwise 0     (1)  [ITU-R P.526-15, eq. 31]
//!   ν = h √(2 (d_1 + d_2)/(λ d_1 d_2)),   h = η + d_1 d_2/(2 R) - z               (2)  [ITU-R P.526-15, eq. 26]
//!   L = max_i (J(ν_i) - J(ν_i with η = 0, R = ∞))                                 (3)
//! ```
//! (3) is the additional loss relative to a flat sea. The law of the mean path loss contains the
//! loss over a flat sea. The sample with the greatest additional loss is the knife edge.
//!
//! # Symbols
//! J loss of a knife edge [dB] · ν diffraction parameter · h height of the obstacle above the line
//! between the antennas, z height of this line, η elevation of the water · d_1, d_2 distances to
//! the ends · λ wavelength · R effective radius of the Earth, 4/3 of the mean radius · L loss.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! - Within the horizon; `horizon.rs` applies beyond it.
//! - One knife edge: the losses of successive crests are not added.
//! - The surface is sampled at 32 points, so that waves shorter than a sixteenth of the distance
//!   are undersampled.
//!
//! # Checked by
//! crates/comms/tests/radio.rs

use merrow_environment::WaveState;
use merrow_environment::geodesy::RADIO_HORIZON_RADIUS;
use merrow_math::Vec3;

/// Number of samples of the surface along the path.
const SAMPLES: usize = 32;
/// Largest rise of the Earth over the path that is neglected without waves [m].
const NEGLIGIBLE_RISE: f64 = 0.01;

/// Returns the loss [dB] of a knife edge with the diffraction parameter `nu` [-]. (1)
pub fn knife_edge(nu: f64) -> f64 {
    if nu <= -0.78 {
        return 0.0;
    }
    let x = nu - 0.1;
    6.9 + 20.0 * libm::log10((x * x + 1.0).sqrt() + x)
}

/// Computes the loss [dB] between antennas at `a` and `b` [m], W, at the wavelength `wavelength`
/// [m], in addition to the loss over a flat sea. (3)
pub fn excess_loss(waves: Option<&WaveState>, a: Vec3, b: Vec3, wavelength: f64) -> f64 {
    let d = b - a;
    let length = (d.x * d.x + d.y * d.y).sqrt();
    let rise = length * length / (8.0 * RADIO_HORIZON_RADIUS);
    if length <= 0.0 || waves.is_none() && rise < NEGLIGIBLE_RISE {
        return 0.0;
    }
    let max_height = waves.map_or(0.0, WaveState::max_height);
    let zone = 0.5 * (wavelength * length).sqrt();
    // even the highest crest at the midpoint is outside the part of the Fresnel zone with ν > -0.78
    if a.z.min(b.z) - max_height - rise > zone {
        return 0.0;
    }
    let mut loss: f64 = 0.0;
    for k in 0..SAMPLES {
        let s = (k as f64 + 0.5) / SAMPLES as f64;
        let p = a + d.scale(s);
        let spread = s * (1.0 - s) * length;
        let scale = (2.0 / (wavelength * spread)).sqrt();
        let bulge = spread * length / (2.0 * RADIO_HORIZON_RADIUS);
        let eta = waves.map_or(0.0, |waves| waves.elevation(p.x, p.y));
        let flat = knife_edge(-p.z * scale);
        loss = loss.max(knife_edge((eta + bulge - p.z) * scale) - flat);
    }
    loss
}
