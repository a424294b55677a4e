//! Irradiance on a surface: direct sunlight and diffuse skylight.
//!
//! # Law
//! ```text
//!   AM = 1/(sin h + 0.50572 (h° + 6.07995)^-1.6364)  (1)  [Kasten 1989]
//!   I = 1353 · 0.7^(AM^0.678),  D_0 = 0.1 I          (2)  [Meinel 1976, ch. 2]
//!   G = (I sin h + D_0)(1 - 0.75 N^3.4)              (3)  [Kasten 1980]
//!   I_N = (1 - N) I,  D = G - I_N sin h              (4)
//!   E = I_N max(0, n·s) + D (1 + n_z)/2              (5)
//! ```
//! # Symbols
//! h elevation of the sun · N fraction of the sky covered by clouds · I direct normal, G global
//! horizontal, D diffuse horizontal irradiance [W/m²] · n normal of the surface, s direction
//! towards the sun · E irradiance on the surface.
//!
//! # Frames
//! World (east, north, up).
//!
//! # Limits
//! Valid at sea level. The sky is uniformly bright and the water reflects no light. (4) is a time
//! average: a cloud covers the sun for the fraction N of the time. Fog and rain do not attenuate
//! the light.
//!
//! # Checked by
//! test/analytic/devices/solar.rs

use crate::air::{sun, weather};
use merrow_math::Vec3;
use merrow_model::scene::Origin;
use merrow_model::scene::sea::air::Air;

/// Sunlight at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sunlight {
    /// Unit vector towards the sun in W.
    pub towards: Vec3,
    /// Direct normal irradiance, including clouds [W/m²].
    pub beam: f64,
    /// Diffuse horizontal irradiance [W/m²].
    pub sky: f64,
}

/// Returns the sunlight at `t` [s] at the origin of the world.
pub fn sunlight_at_time(air: &Air, origin: &Origin, t: f64) -> Sunlight {
    let sun = sun::sun_position(air.start_utc + t, origin.latitude, origin.longitude);
    sunlight_under_clouds(&sun, weather(air, t).cloud_cover)
}

/// Returns the sunlight for the given position of the sun, with clouds over the fraction `cover`
/// [-] of the sky.
pub fn sunlight_under_clouds(sun: &sun::Sun, cover: f64) -> Sunlight {
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
    /// Returns the irradiance [W/m²] on a surface with the unit `normal`, W, by (5).
    ///
    /// The direct part is reduced by the fraction `shading`. It is zero if the sine of the sun's
    /// angle above the surface is below `min_elevation_sine`.
    pub fn irradiance(&self, normal: Vec3, shading: f64, min_elevation_sine: f64) -> f64 {
        let sine = normal.dot(self.towards);
        let beam = if sine > 0.0 && sine >= min_elevation_sine {
            (1.0 - shading) * self.beam * sine
        } else {
            0.0
        };
        beam + self.sky * 0.5 * (1.0 + normal.z)
    }
}
