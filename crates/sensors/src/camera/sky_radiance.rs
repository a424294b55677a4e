//! Sky radiance: luminance and colour of the sun, the sky and the clouds, by direction.
//!
//! # Law
//! ```text
//!   L ∝ f(χ) φ(Z),  φ = 1 + a e^{b/cos Z},  f = 1 + c (e^{dχ} - e^{dπ/2}) + e cos² χ  (1)
//!   ∫ L cos Z dΩ = E_sky                                                              (2)
//!   E_beam,i ∝ e^{-τ_i m}                                                             (3)
//!   (1) [CIE S 011]
//!   (3) colour of the sun
//! ```
//! (1) is used for the clear sky (type 12) and the overcast sky (type 1) of the standard. Clouds
//! are a pattern on a plane at a height of 1200 m that drifts with the wind; `cloud_cover` sets the
//! fraction that they cover. Between the clouds the sky is as bright as a clear sky. The clouds are
//! as bright as (2) requires.
//!
//! The colours of the clear sky come from single scattering in a flat layer of air and haze, plus a
//! term M for multiple scattering:
//! ```text
//!   C_i = S_i (p_R(χ) (τ_i - h_i)/τ_i + p_M(χ) h_i/τ_i) + M_i                        (4)
//!   S_i = m_v (e^{-τ_i m} - e^{-τ_i m_v})/(m_v - m) e^{-o_i m},  m = 1/(sin + 0.05)  (5)
//!   M_i = 0.15 (1 - e^{-τ_i m_v}) e^{-(τ_i/2 + o_i) m}
//!   (5) [Chandrasekhar 1960]
//! ```
//! The sky is therefore whiter and warmer towards the sun, pale at the horizon, orange near a low
//! sun and, because of the ozone, blue overhead. Sunlight and E_sky are from
//! `merrow_environment::air::sunlight` at 110 lm/W. In twilight E_sky follows measured values by
//! the sun's elevation.
//!
//! # Symbols
//! L luminance [cd/m²], C its colour · χ angle to the sun, Z to the zenith · a..e coefficients of
//! the standard · E illuminance [lx] · τ optical depth of the air by colour: Rayleigh's at 639, 547
//! and 440 nm, where λ^-4 has the colour (0.240, 0.234) of light with such a spectrum, plus h of
//! haze, λ^-1.3 [Kruse 1962] · o optical depth of ozone · m air mass, m_v along the line of sight ·
//! p_R, p_M phase functions of air and of haze (Henyey and Greenstein, g = 0.76).
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! - (4) gives only colours; the coefficient of M is chosen.
//! - Near the horizon clouds are replaced by their mean.
//! - There is no moon and there are no stars: a clear night has 1 mlx of starlight.
//!
//! # Checked by
//! test/sensors/camera.rs

use crate::camera::haze::{HAZE_ASYMMETRY, Haze};
use crate::camera::noise::{fractal_noise, fractal_noise_above, smooth_step};
use crate::camera::water::phase;
use crate::camera::{lerp, luminance, tint};
use merrow_environment::air::{sun, sunlight};
use merrow_math::Vec3;
use merrow_model::scene::Scene;
use merrow_model::scene::sea::air::{Air, Weather};

/// Luminous efficacy of daylight [lm/W].
const LUMINOUS_EFFICACY: f64 = 110.0;
/// Coefficients a, b, c, d, e of (1) for the clear sky and for the overcast sky.
const CLEAR_SKY: [f64; 5] = [-1.0, -0.32, 10.0, -3.0, 0.45];
const OVERCAST_SKY: [f64; 5] = [4.0, -0.7, 0.0, -1.0, 0.0];
/// Optical depth of the air upwards, by colour.
const AIR_OPTICAL_DEPTH: [f64; 3] = [0.119, 0.180, 0.350];
/// Optical depth of the haze within it: 0.08 at 550 nm, by the power -1.3 of the wavelength.
const HAZE_OPTICAL_DEPTH: [f64; 3] = [0.066, 0.081, 0.107];
/// Optical depth of ozone upwards, by colour (estimated).
const OZONE_OPTICAL_DEPTH: [f64; 3] = [0.03, 0.035, 0.004];
/// Fraction of the light that is scattered more than once.
const MULTIPLE_SCATTERING: f64 = 0.15;
/// Colour of the sky at night.
const NIGHT_COLOR: [f64; 3] = [0.75, 0.95, 1.3];
/// Mean square slope of water at which reflected clouds are half blurred.
const CLOUD_BLUR_SLOPE: f64 = 0.003;
/// Directions of the integral (2), by elevation and by azimuth.
const DIRECTIONS: [u32; 2] = [16, 32];
/// Height of the clouds [m].
const CLOUD_HEIGHT: f64 = 1200.0;
/// Logarithm to base 10 of the illuminance in twilight [lx] by the sun's elevation [deg].
const TWILIGHT: [[f64; 2]; 6] = [
    [-18.0, -3.0],
    [-12.0, -2.1],
    [-9.0, -0.9],
    [-6.0, 0.5],
    [-3.0, 1.8],
    [0.0, 2.7],
];

/// Number of intervals of a [`Table`].
const TABLE_INTERVALS: usize = 512;
/// Number of intervals around the horizon, a multiple of four.
const HORIZON_INTERVALS: usize = 512;

/// Lookup table of a function on 0..1, with linear interpolation.
#[derive(Clone, Debug)]
struct Table(Vec<f32>);

impl Table {
    fn new(f: impl Fn(f64) -> f64) -> Self {
        Self(
            (0..=TABLE_INTERVALS)
                .map(|k| f(k as f64 / TABLE_INTERVALS as f64) as f32)
                .collect(),
        )
    }

    #[inline(always)]
    fn interpolate(&self, x: f64) -> f64 {
        let x = x * TABLE_INTERVALS as f64;
        let k = (x as u32).min(TABLE_INTERVALS as u32 - 1);
        let (a, b) = (
            f64::from(self.0[k as usize]),
            f64::from(self.0[k as usize + 1]),
        );
        a + (b - a) * (x - f64::from(k))
    }
}

/// Sun and sky at one instant.
#[derive(Clone, Debug)]
pub struct Sky {
    /// Unit vector towards the sun, W.
    pub sun: Vec3,
    /// Illuminance of the sun on a surface normal to its beam, by colour [lx].
    pub beam: Vec3,
    /// Illuminance of the sky on a horizontal surface, by colour [lx].
    pub diffuse: Vec3,
    /// Fraction of the sky under clouds.
    cover: f64,
    /// Displacement of the clouds by the wind [m], W.
    drift: Vec3,
    /// Factors of (1) for the clear and the overcast sky, and the factor on the luminance of
    /// clouds. (2)
    scale: [f64; 3],
    /// Luminance of sunlit clouds, by colour [cd/m²].
    sunlit: Vec3,
    /// True if there are enough clouds to render.
    clouds: bool,
    /// S of air, S of haze and M by cos Z. (4)
    colors: Vec<[Vec3; 3]>,
    /// φ by cos Z for the clear and the overcast sky, and f of the clear sky by sin χ/2.
    tables: [Table; 3],
    /// Luminance at the horizon, by the arc length along the square |x| + |y| = 1.
    horizon_luminance: Vec<Vec3>,
    /// Haze beyond clear air.
    haze: Haze,
}

impl Sky {
    /// Returns the sun and sky at `time` [s] after the start of the world, in `weather`.
    pub fn new(scene: &Scene, air: &Air, weather: &Weather, time: f64) -> Self {
        let sun = sun::sun_position(
            air.start_utc + time,
            scene.origin.latitude,
            scene.origin.longitude,
        );
        // Rain implies clouds.
        let cover = weather.cloud_cover.max((0.5 * weather.rain_mm_h).min(1.0));
        let light = sunlight::sunlight_under_clouds(&sun, cover);
        let up = sun.direction();
        let mass = relative_air_mass(up.z, sun.elevation.to_degrees());
        let transmitted = Vec3::from(AIR_OPTICAL_DEPTH.map(|depth| libm::exp(-depth * mass)));
        // Thick clouds hide the disc of the sun.
        let disc_visibility = smooth_step(1.0, 0.6, cover);
        let beam = tint(transmitted).scale(LUMINOUS_EFFICACY * light.beam * disc_visibility);
        let twilight = twilight(sun.elevation.to_degrees());
        let level = (LUMINOUS_EFFICACY * light.sky).max(twilight) + 1e-3;
        let clear_sky = sunlight::sunlight_under_clouds(&sun, 0.0);
        let clear = (LUMINOUS_EFFICACY * clear_sky.sky).max(twilight) + 1e-3;
        let low = 1.0 / (up.z.max(0.0) + 0.05);
        let warm = tint(Vec3::from(
            AIR_OPTICAL_DEPTH.map(|depth| libm::exp(-depth * low)),
        ));
        // Luminance of a white surface in the light above the clouds.
        let white = LUMINOUS_EFFICACY * clear_sky.irradiance(Vec3::new(0.0, 0.0, 1.0), 0.0, 0.0)
            / std::f64::consts::PI;
        let mut sky = Self {
            sun: up,
            beam,
            diffuse: Vec3::zero(),
            cover,
            drift: weather.wind.scale(time),
            scale: [1.0; 3],
            sunlit: tint(lerp(Vec3::new(1.0, 1.0, 1.0), warm, 0.6)).scale(white),
            clouds: cover > 0.01,
            colors: colors(low, smooth_step(-6.0, -14.0, sun.elevation.to_degrees())),
            tables: [
                Table::new(|z| gradation(&CLEAR_SKY, z)),
                Table::new(|z| gradation(&OVERCAST_SKY, z)),
                Table::new(|s| indicatrix(&CLEAR_SKY, s)),
            ],
            horizon_luminance: Vec::new(),
            haze: Haze::default(),
        };
        let level_of =
            |f: &dyn Fn(Vec3) -> f64| integrate_hemisphere(|d| Vec3::new(0.0, f(d), 0.0)).y;
        sky.scale[0] = clear / level_of(&|d| sky.clear(d));
        sky.scale[1] = level / level_of(&|d| sky.overcast(d));
        if sky.clouds {
            let between = integrate_hemisphere(|d| {
                sky.clear_luminance(d)
                    .scale(1.0 - sky.cloud(d, CLOUD_BLUR_SLOPE).0)
            });
            let clouds = integrate_hemisphere(|d| {
                let (part, light) = sky.cloud(d, CLOUD_BLUR_SLOPE);
                light.scale(part)
            });
            let cloud_level = (level - luminance(between)).max(0.05 * level);
            sky.scale[2] = cloud_level / luminance(clouds).max(1e-12);
        }
        sky.diffuse =
            tint(integrate_hemisphere(|d| sky.luminance(d, CLOUD_BLUR_SLOPE))).scale(level);
        sky.horizon_luminance = sky.horizon_table();
        sky
    }

    /// Adds haze, for air with this `extinction` at ground level [1/m].
    pub fn with_haze(mut self, extinction: f64) -> Self {
        let (haze, transmitted, added) = Haze::from_extinction(&self, extinction);
        self.haze = haze;
        self.beam = self.beam.scale(transmitted);
        self.diffuse += added;
        self.horizon_luminance = self.horizon_table();
        self
    }

    /// Computes the luminance at the horizon for all azimuths.
    fn horizon_table(&self) -> Vec<Vec3> {
        let luminance_at = |k: usize| {
            let arc = 4.0 * k as f64 / HORIZON_INTERVALS as f64;
            let y = if arc <= 2.0 {
                1.0 - (arc - 1.0).abs()
            } else {
                (arc - 3.0).abs() - 1.0
            };
            let d = Vec3::new((arc - 2.0).abs() - 1.0, y, 0.0);
            self.luminance(d.scale(1.0 / d.norm()), CLOUD_BLUR_SLOPE)
        };
        (0..=HORIZON_INTERVALS).map(luminance_at).collect()
    }

    /// Returns (1) of the clear sky without its factor.
    fn clear(&self, d: Vec3) -> f64 {
        let half = (0.5 * (1.0 - d.dot(self.sun))).clamp(0.0, 1.0).sqrt();
        self.tables[0].interpolate(d.z.clamp(0.0, 1.0)) * self.tables[2].interpolate(half)
    }

    /// Returns (1) of the overcast sky without its factor; it does not depend on the azimuth.
    fn overcast(&self, d: Vec3) -> f64 {
        self.tables[1].interpolate(d.z.clamp(0.0, 1.0))
    }

    /// Returns the luminance of the clear sky: (1) times the colour of (4).
    fn clear_luminance(&self, d: Vec3) -> Vec3 {
        let cosine = d.dot(self.sun);
        let at = d.z.clamp(0.0, 1.0) * (self.colors.len() - 1) as f64;
        let k = (at as usize).min(self.colors.len() - 2);
        let [air, haze, multiple] =
            [0, 1, 2].map(|c| lerp(self.colors[k][c], self.colors[k + 1][c], at - k as f64));
        let single = air.scale(0.75 * (1.0 + cosine * cosine))
            + haze.scale(4.0 * std::f64::consts::PI * phase(cosine, HAZE_ASYMMETRY));
        tint(single + multiple).scale(self.scale[0] * self.clear(d))
    }

    /// Returns the luminance from the direction `d` (unit vector, W), by colour [cd/m²].
    ///
    /// `slope_variance` is the mean square slope of the water that reflects the sky. If it is 0
    /// (direct view) the disc of the sun is included.
    pub fn luminance(&self, d: Vec3, slope_variance: f64) -> Vec3 {
        let up = Vec3::new(d.x, d.y, d.z.max(0.0));
        let mut clear_fraction = 1.0;
        let mut light = Vec3::zero();
        if self.clouds {
            let (part, color) = self.cloud(up, slope_variance);
            light = color.scale(part);
            clear_fraction = 1.0 - part;
        }
        if clear_fraction > 0.0 {
            light += self.clear_luminance(up).scale(clear_fraction);
        }
        light = self.haze.apply(light, up, d.dot(self.sun));
        if slope_variance == 0.0 && self.beam.y > 0.0 && d.dot(self.sun) > 0.999_988_5 {
            light += self.beam.scale(clear_fraction / 7.2e-5);
        }
        light
    }

    /// Returns the fraction of the sky that clouds hide in the direction `d`, and their luminance.
    fn cloud(&self, d: Vec3, slope_variance: f64) -> (f64, Vec3) {
        let grey = Vec3::new(0.97, 1.0, 1.04).scale(self.scale[1] * self.overcast(d));
        // Distant clouds fade into haze, and rough water reflects a wide part of the sky at once.
        let sharpness = CLOUD_BLUR_SLOPE / (CLOUD_BLUR_SLOPE + slope_variance);
        if self.cover > 0.97 {
            return (
                1.0,
                self.overcast_luminance(grey, d, sharpness)
                    .scale(self.scale[2]),
            );
        }
        let clear = sharpness * smooth_step(0.03, 0.2, d.z);
        // The mean of the pattern is 0.5 and its standard deviation about 0.13.
        let edge = 0.55 + 0.33 * (0.5 - self.cover);
        let width = if slope_variance == 0.0 { 0.05 } else { 0.22 };
        let (mut part, mut dark) = (self.cover, 0.4);
        if clear > 0.0 {
            let octaves = if slope_variance > 0.0 {
                2
            } else if d.z > 0.2 {
                5
            } else {
                3
            };
            let pattern_coordinate = |x: f64, drift: f64| (x * CLOUD_HEIGHT / d.z - drift) / 700.0;
            let (x, y) = (
                pattern_coordinate(d.x, self.drift.x),
                pattern_coordinate(d.y, self.drift.y),
            );
            let thickness = fractal_noise_above(
                x,
                y,
                octaves,
                11,
                if clear == 1.0 { edge - width } else { 0.0 },
            );
            let thickness = thickness.unwrap_or(0.0);
            part += clear * (smooth_step(edge - width, edge + width, thickness) - part);
            dark += clear * (smooth_step(edge - 0.03, edge + 0.25, thickness) - dark);
        }
        let towards = (0.5 + 0.5 * d.dot(self.sun)).max(0.0);
        // Thin edges transmit sunlight; thick centres show their shaded undersides.
        let edges = 0.75 + 1.5 * towards * towards * towards * towards;
        let bright = grey.scale(0.3) + self.sunlit.scale(edges * (1.0 - dark) + 0.42 * dark);
        (part, bright.scale(self.scale[2]))
    }

    /// Returns the luminance variation of a closed cloud cover.
    fn overcast_luminance(&self, grey: Vec3, d: Vec3, sharpness: f64) -> Vec3 {
        let height = d.z.max(0.05);
        let x = (d.x * CLOUD_HEIGHT / height - self.drift.x) / 1500.0;
        let y = (d.y * CLOUD_HEIGHT / height - self.drift.y) / 1500.0;
        grey.scale(
            0.8 + 0.4
                * blend_pattern(
                    fractal_noise(x, y, 4, 5),
                    sharpness * smooth_step(0.03, 0.25, d.z),
                ),
        )
    }

    /// Returns the luminance at the horizon in the azimuth of `d` (W), by colour [cd/m²].
    pub fn horizon(&self, d: Vec3) -> Vec3 {
        let part = d.x / (d.x.abs() + d.y.abs()).max(1e-12);
        let at = (if d.y < 0.0 { 3.0 + part } else { 1.0 - part }) * (HORIZON_INTERVALS / 4) as f64;
        let k = (at as usize).min(HORIZON_INTERVALS - 1);
        lerp(
            self.horizon_luminance[k],
            self.horizon_luminance[k + 1],
            at - k as f64,
        )
    }
}

/// Integrates `f` over the upper hemisphere with the weight cos Z, ∫ L cos Z dΩ. The argument of
/// `f` is a unit vector, W.
pub(crate) fn integrate_hemisphere(f: impl Fn(Vec3) -> Vec3) -> Vec3 {
    let [n, m] = DIRECTIONS;
    let mut sum = Vec3::zero();
    for i in 0..n {
        // Rings at equal steps of sin² Z have equal weight.
        let sine = ((f64::from(i) + 0.5) / f64::from(n)).sqrt();
        for j in 0..m {
            let (s, c) = merrow_math::real::sin_cos(
                std::f64::consts::TAU * (f64::from(j) + 0.5) / f64::from(m),
            );
            sum += f(Vec3::new(sine * c, sine * s, (1.0 - sine * sine).sqrt()));
        }
    }
    sum.scale(std::f64::consts::PI / f64::from(n * m))
}

/// Returns S of air, S of haze and M by cos Z for sunlight that passes the air mass `mass`. `dark`
/// (0..1) blends to the colour of the night. (4)
fn colors(mass: f64, dark: f64) -> Vec<[Vec3; 3]> {
    let (steps, night) = (128, Vec3::from(NIGHT_COLOR).scale(0.1 * dark));
    let colors_at = |z: f64| {
        let view_mass = 1.0 / (z + 0.05);
        // (5) is singular where both air masses are equal.
        let view_mass = if (view_mass - mass).abs() < 1e-3 {
            mass + 1e-3
        } else {
            view_mass
        };
        let part = |k: usize| {
            let (depth, hazy, ozone) = (
                AIR_OPTICAL_DEPTH[k],
                HAZE_OPTICAL_DEPTH[k],
                libm::exp(-OZONE_OPTICAL_DEPTH[k] * mass),
            );
            let single = view_mass * (libm::exp(-depth * mass) - libm::exp(-depth * view_mass))
                / (view_mass - mass);
            let multiple = MULTIPLE_SCATTERING
                * (1.0 - libm::exp(-depth * view_mass))
                * libm::exp(-0.5 * depth * mass);
            let light = (1.0 - dark) * ozone;
            [
                light * single * (depth - hazy) / depth,
                light * single * hazy / depth,
                light * multiple,
            ]
        };
        let [red, green, blue] = [part(0), part(1), part(2)];
        let mut out = [0, 1, 2].map(|c| Vec3::new(red[c], green[c], blue[c]));
        out[2] += night;
        out
    };
    (0..=steps)
        .map(|k| colors_at(f64::from(k) / f64::from(steps)))
        .collect()
}

/// Returns φ for a direction with the upward component `z`.
fn gradation([a, b, ..]: &[f64; 5], z: f64) -> f64 {
    1.0 + a * libm::exp(b / z.max(0.01))
}

/// Returns f at the angle χ to the sun, as a function of sin χ/2.
fn indicatrix([_, _, c, d, e]: &[f64; 5], half: f64) -> f64 {
    let (chi, cosine) = (2.0 * libm::asin(half), 1.0 - 2.0 * half * half);
    1.0 + c * (libm::exp(d * chi) - libm::exp(d * std::f64::consts::FRAC_PI_2))
        + e * cosine * cosine
}

/// Blends from the mean of a pattern (`part` = 0) to the pattern (`part` = 1).
fn blend_pattern(pattern: f64, part: f64) -> f64 {
    0.5 + part * (pattern - 0.5)
}

/// Returns the illuminance of the sky in twilight [lx] for the sun's elevation [deg]; zero in
/// daylight and at night.
fn twilight(elevation: f64) -> f64 {
    if elevation > 3.0 || elevation < TWILIGHT[0][0] {
        return 0.0;
    }
    let at = elevation.min(0.0);
    let k = TWILIGHT
        .iter()
        .rposition(|row| row[0] <= at)
        .unwrap_or(0)
        .min(TWILIGHT.len() - 2);
    let ([x0, y0], [x1, y1]) = (TWILIGHT[k], TWILIGHT[k + 1]);
    libm::pow(10.0, y0 + (at - x0) / (x1 - x0) * (y1 - y0))
}

/// Returns the relative air mass of the light of the sun, from the sine of its elevation and its
/// elevation [deg].
fn relative_air_mass(sine: f64, elevation_deg: f64) -> f64 {
    1.0 / (sine.max(0.0) + 0.15 * libm::pow(elevation_deg.max(0.0) + 3.885, -1.253))
}
