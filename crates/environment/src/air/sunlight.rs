//! Sunlight on a surface: straight from the sun, and from the sky.
//!
//! # Law
//! ```text
//!   AM = 1/(sin h + 0.50572 (h° + 6.07995)^-1.6364)                       (1)  [Kasten 1989]
//!   I = 1353 · 0.7^(AM^0.678),  D_0 = 0.1 I                               (2)  [Meinel 1976, ch. 2]
//!   G = (I sin h + D_0)(1 - 0.75 N^3.4)                                   (3)  [Kasten 1980]
//!   I_N = (1 - N) I,  D = G - I_N sin h                                   (4)
//!   E = I_N max(0, n·s) + D (1 + n_z)/2                                   (5)
//! ```
//! # Symbols
//! h elevation of the sun · N part of the sky under clouds · I beam at right angles, G all on level ground, D from the sky
//! [W/m²] · n the surface's normal, s towards the sun · E on the surface.
//!
//! # Frames
//! World (east, north, up).
//!
//! # Limits
//! Sea level; the sky is equally bright everywhere, the water reflects nothing. (4) has the sun behind a cloud for the part
//! N of the time, as a mean. Fog and rain take no light of their own.
//!
//! # Checked by
//! test/analytic/solar.rs

use crate::air::{sun, weather};
use merrow_math::Vec3;
use merrow_model::scene::Origin;
use merrow_model::scene::sea::air::Air;

/// The light at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sunlight {
    /// Unit vector towards the sun in W.
    pub towards: Vec3,
    /// Beam at right angles, clouds counted [W/m²].
    pub beam: f64,
    /// From the sky on level ground [W/m²].
    pub sky: f64,
}

/// The light at `t` [s] at the world's origin.
pub fn at(air: &Air, origin: &Origin, t: f64) -> Sunlight {
    let sun = sun::at(air.start_utc + t, origin.latitude, origin.longitude);
    under(&sun, weather(air, t).cloud_cover)
}

/// The light of `sun` under clouds over the part `cover` of the sky.
pub fn under(sun: &sun::Sun, cover: f64) -> Sunlight {
    let towards = sun.direction();
    let sine = towards.z;
    if sine <= 0.0 {
        return Sunlight {
            towards,
            beam: 0.0,
            sky: 0.0,
        };
    }
    let air_mass =
        1.0 / (sine + 0.50572 * libm::pow(sun.elevation.to_degrees() + 6.07995, -1.6364)); // (1)
    let clear = 1353.0 * libm::pow(0.7, libm::pow(air_mass, 0.678)); // (2)
    let level = (clear * sine + 0.1 * clear) * (1.0 - 0.75 * libm::pow(cover, 3.4)); // (3)
    let beam = (1.0 - cover) * clear;
    Sunlight {
        towards,
        beam,
        sky: level - beam * sine,
    } // (4)
}

impl Sunlight {
    /// Light on a surface of the unit normal `normal` in W [W/m²], the beam less the part `shading`, and none of it where the
    /// sine of its angle over the surface is under `least_sine`. (5)
    pub fn on(&self, normal: Vec3, shading: f64, least_sine: f64) -> f64 {
        let sine = normal.dot(self.towards);
        let beam = if sine > 0.0 && sine >= least_sine {
            (1.0 - shading) * self.beam * sine
        } else {
            0.0
        };
        beam + self.sky * 0.5 * (1.0 + normal.z)
    }
}
