//! Sky radiance: luminance and colour of the sun, the sky and the clouds, by direction.
//!
//! # Law
//! ```text
//!   L ∝ f(χ) φ(Z),  φ = 1 + a e^{b/cos Z},  f = 1 + c (e^{dχ} - e^{dπ/2}) + e cos² χ          (1)  [CIE S 011]
//!   ∫ L cos Z dΩ = E_sky                                                                       (2)
//!   E_beam,i ∝ e^{-τ_i m}                                                                      (3)  colour of the sun
//! ```
//! (1) is used for the clear sky (type 12) and the overcast sky (type 1) of the standard. Clouds
//! are a pattern on a plane at a height of 1200 m that drifts with the wind; `cloud_cover` sets the
//! fraction that they cover. Between the clouds the sky is as bright as a clear sky. The clouds are
//! as bright as (2) requires.
//!
//! The colours of the clear sky come from single scattering in a flat layer of air and haze, plus a
//! term M for multiple scattering:
//! ```text
//!   C_i = S_i (p_R(χ) (τ_i - h_i)/τ_i + p_M(χ) h_i/τ_i) + M_i                                  (4)
//!   S_i = m_v (e^{-τ_i m} - e^{-τ_i m_v})/(m_v - m) e^{-o_i m},  m = 1/(sin + 0.05)             (5)  [Chandrasekhar 1960]
//!   M_i = 0.15 (1 - e^{-τ_i m_v}) e^{-(τ_i/2 + o_i) m}
//! ```
//! The sky is therefore whiter and warmer towards the sun, pale at the horizon, orange near a low
//! sun and, because of the ozone, blue overhead. Sunlight and E_sky are those of
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

use crate::camera::haze::{FORWARD, Haze};
use crate::camera::noise::{fractal_noise, fractal_noise_above, smooth_step};
use crate::camera::water::phase;
use crate::camera::{luminance, mix, tint};
use merrow_environment::air::{sun, sunlight};
use merrow_math::Vec3;
use merrow_model::scene::Scene;
use merrow_model::scene::sea::air::{Air, Weather};

/// Luminous efficacy of daylight [lm/W].
const EFFICACY: f64 = 110.0;
/// Coefficients a, b, c, d, e of (1) for the clear sky and for the overcast sky.
const CLEAR: [f64; 5] = [-1.0, -0.32, 10.0, -3.0, 0.45];
const OVERCAST: [f64; 5] = [4.0, -0.7, 0.0, -1.0, 0.0];
/// Optical depth of the air upwards, by colour.
const DEPTH: [f64; 3] = [0.119, 0.180, 0.350];
/// Optical depth of the haze within it: 0.08 at 550 nm, by the power -1.3 of the wavelength.
const HAZE: [f64; 3] = [0.066, 0.081, 0.107];
/// Optical depth of ozone upwards, by colour (estimated).
const OZONE: [f64; 3] = [0.03, 0.035, 0.004];
/// Fraction of the light that is scattered more than once.
const MULTIPLE: f64 = 0.15;
/// Colour of the sky at night.
const NIGHT: [f64; 3] = [0.75, 0.95, 1.3];
/// Mean square slope of water at which reflected clouds are half blurred.
const BLUR: f64 = 0.003;
/// Directions of the integral (2), by elevation and by azimuth.
const DIRECTIONS: [u32; 2] = [16, 32];
/// Height of the clouds [m].
const CLOUDS: f64 = 1200.0;
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
const STEPS: usize = 512;
/// Number of intervals around the horizon, a multiple of four.
const ROUND: usize = 512;

/// Lookup table of a function on 0..1, with linear interpolation.
#[derive(Clone, Debug)]
struct Table(Vec<f32>);

impl Table {
    fn new(of: impl Fn(f64) -> f64) -> Self {
        Self(
            (0..=STEPS)
                .map(|k| of(k as f64 / STEPS as f64) as f32)
                .collect(),
        )
    }

    #[inline(always)]
    fn interpolate(&self, x: f64) -> f64 {
        let x = x * STEPS as f64;
        let k = (x as u32).min(STEPS as u32 - 1);
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
    rim: Vec<Vec3>,
    /// Haze beyond that of clear air.
    haze: Haze,
}

impl Sky {
    /// Sun and sky at `time` [s] after the start of the world, in `weather`.
    pub fn new(scene: &Scene, air: &Air, weather: &Weather, time: f64) -> Self {
        let sun = sun::sun_position(
            air.start_utc + time,
            scene.origin.latitude,
            scene.origin.longitude,
        );
        // Rain implies clouds.
        let cover = weather.cloud_cover.max((0.5 * weather.rain).min(1.0));
        let light = sunlight::sunlight_under_clouds(&sun, cover);
        let up = sun.direction();
        let mass = 1.0
            / (up.z.max(0.0)
                + 0.15 * libm::pow(sun.elevation.to_degrees().max(0.0) + 3.885, -1.253));
        let through = Vec3::from(DEPTH.map(|depth| libm::exp(-depth * mass)));
        // Thick clouds hide the disc of the sun.
        let shown = smooth_step(1.0, 0.6, cover);
        let beam = tint(through).scale(EFFICACY * light.beam * shown);
        let dusk = twilight(sun.elevation.to_degrees());
        let level = (EFFICACY * light.sky).max(dusk) + 1e-3;
        let clear = (EFFICACY * sunlight::sunlight_under_clouds(&sun, 0.0).sky).max(dusk) + 1e-3;
        let low = 1.0 / (up.z.max(0.0) + 0.05);
        let warm = tint(Vec3::from(DEPTH.map(|depth| libm::exp(-depth * low))));
        // Luminance of a white surface in the light above the clouds.
        let white = EFFICACY
            * sunlight::sunlight_under_clouds(&sun, 0.0).irradiance(
                Vec3::new(0.0, 0.0, 1.0),
                0.0,
                0.0,
            )
            / std::f64::consts::PI;
        let mut sky = Self {
            sun: up,
            beam,
            diffuse: Vec3::zero(),
            cover,
            drift: weather.wind.scale(time),
            scale: [1.0; 3],
            sunlit: tint(mix(Vec3::new(1.0, 1.0, 1.0), warm, 0.6)).scale(white),
            clouds: cover > 0.01,
            colors: colors(low, smooth_step(-6.0, -14.0, sun.elevation.to_degrees())),
            tables: [
                Table::new(|z| gradation(&CLEAR, z)),
                Table::new(|z| gradation(&OVERCAST, z)),
                Table::new(|s| indicatrix(&CLEAR, s)),
            ],
            rim: Vec::new(),
            haze: Haze::default(),
        };
        let level_of =
            |of: &dyn Fn(Vec3) -> f64| integrate_hemisphere(|d| Vec3::new(0.0, of(d), 0.0)).y;
        sky.scale[0] = clear / level_of(&|d| sky.clear(d));
        sky.scale[1] = level / level_of(&|d| sky.overcast(d));
        if sky.clouds {
            let between =
                integrate_hemisphere(|d| sky.clear_luminance(d).scale(1.0 - sky.cloud(d, BLUR).0));
            let clouds = integrate_hemisphere(|d| {
                let (part, light) = sky.cloud(d, BLUR);
                light.scale(part)
            });
            let left = (level - luminance(between)).max(0.05 * level);
            sky.scale[2] = left / luminance(clouds).max(1e-12);
        }
        sky.diffuse = tint(integrate_hemisphere(|d| sky.luminance(d, BLUR))).scale(level);
        sky.rim = sky.horizon_table();
        sky
    }

    /// Adds haze, for air with this `extinction` at the ground [1/m].
    pub fn with_haze(mut self, extinction: f64) -> Self {
        let (haze, left, more) = Haze::in_front_of(&self, extinction);
        self.haze = haze;
        self.beam = self.beam.scale(left);
        self.diffuse += more;
        self.rim = self.horizon_table();
        self
    }

    /// Computes the luminance at the horizon for all azimuths.
    fn horizon_table(&self) -> Vec<Vec3> {
        let at = |k: usize| {
            let way = 4.0 * k as f64 / ROUND as f64;
            let y = if way <= 2.0 {
                1.0 - (way - 1.0).abs()
            } else {
                (way - 3.0).abs() - 1.0
            };
            let d = Vec3::new((way - 2.0).abs() - 1.0, y, 0.0);
            self.luminance(d.scale(1.0 / d.norm()), BLUR)
        };
        (0..=ROUND).map(at).collect()
    }

    /// (1) of the clear sky without its factor.
    fn clear(&self, d: Vec3) -> f64 {
        let half = (0.5 * (1.0 - d.dot(self.sun))).clamp(0.0, 1.0).sqrt();
        self.tables[0].interpolate(d.z.clamp(0.0, 1.0)) * self.tables[2].interpolate(half)
    }

    /// (1) of the overcast sky without its factor; it does not depend on the azimuth.
    fn overcast(&self, d: Vec3) -> f64 {
        self.tables[1].interpolate(d.z.clamp(0.0, 1.0))
    }

    /// Luminance of the clear sky: (1) times the colour of (4).
    fn clear_luminance(&self, d: Vec3) -> Vec3 {
        let cosine = d.dot(self.sun);
        let at = d.z.clamp(0.0, 1.0) * (self.colors.len() - 1) as f64;
        let k = (at as usize).min(self.colors.len() - 2);
        let [air, haze, more] =
            [0, 1, 2].map(|c| mix(self.colors[k][c], self.colors[k + 1][c], at - k as f64));
        let once = air.scale(0.75 * (1.0 + cosine * cosine))
            + haze.scale(4.0 * std::f64::consts::PI * phase(cosine, FORWARD));
        tint(once + more).scale(self.scale[0] * self.clear(d))
    }

    /// Luminance from the direction `d` (unit vector, W), by colour [cd/m²].
    ///
    /// `rough` is the mean square slope of the water that reflects the sky. If it is 0 (direct
    /// view) the disc of the sun is included.
    pub fn luminance(&self, d: Vec3, rough: f64) -> Vec3 {
        let up = Vec3::new(d.x, d.y, d.z.max(0.0));
        let mut sight = 1.0;
        let mut light = Vec3::zero();
        if self.clouds {
            let (part, color) = self.cloud(up, rough);
            light = color.scale(part);
            sight = 1.0 - part;
        }
        if sight > 0.0 {
            light += self.clear_luminance(up).scale(sight);
        }
        light = self.haze.apply(light, up, d.dot(self.sun));
        if rough == 0.0 && self.beam.y > 0.0 && d.dot(self.sun) > 0.999_988_5 {
            light += self.beam.scale(sight / 7.2e-5);
        }
        light
    }

    /// Fraction of the sky that clouds hide in the direction `d`, and their luminance.
    fn cloud(&self, d: Vec3, rough: f64) -> (f64, Vec3) {
        let grey = Vec3::new(0.97, 1.0, 1.04).scale(self.scale[1] * self.overcast(d));
        // Distant clouds fade into haze, and rough water reflects a wide part of the sky at once.
        let sharp = BLUR / (BLUR + rough);
        if self.cover > 0.97 {
            return (1.0, self.shaded(grey, d, sharp).scale(self.scale[2]));
        }
        let clear = sharp * smooth_step(0.03, 0.2, d.z);
        // The mean of the pattern is 0.5 and its standard deviation about 0.13.
        let edge = 0.55 + 0.33 * (0.5 - self.cover);
        let width = if rough == 0.0 { 0.05 } else { 0.22 };
        let (mut part, mut dark) = (self.cover, 0.4);
        if clear > 0.0 {
            let number = if rough > 0.0 {
                2
            } else if d.z > 0.2 {
                5
            } else {
                3
            };
            let at = |x: f64, drift: f64| (x * CLOUDS / d.z - drift) / 700.0;
            let (x, y) = (at(d.x, self.drift.x), at(d.y, self.drift.y));
            let thick = fractal_noise_above(
                x,
                y,
                number,
                11,
                if clear == 1.0 { edge - width } else { 0.0 },
            );
            let thick = thick.unwrap_or(0.0);
            part += clear * (smooth_step(edge - width, edge + width, thick) - part);
            dark += clear * (smooth_step(edge - 0.03, edge + 0.25, thick) - dark);
        }
        let towards = (0.5 + 0.5 * d.dot(self.sun)).max(0.0);
        // Thin edges transmit sunlight; thick centres show their shaded undersides.
        let edges = 0.75 + 1.5 * towards * towards * towards * towards;
        let bright = grey.scale(0.3) + self.sunlit.scale(edges * (1.0 - dark) + 0.42 * dark);
        (part, bright.scale(self.scale[2]))
    }

    /// Luminance variation of a closed cloud cover.
    fn shaded(&self, grey: Vec3, d: Vec3, sharp: f64) -> Vec3 {
        let height = d.z.max(0.05);
        let x = (d.x * CLOUDS / height - self.drift.x) / 1500.0;
        let y = (d.y * CLOUDS / height - self.drift.y) / 1500.0;
        grey.scale(
            0.8 + 0.4
                * blend_pattern(
                    fractal_noise(x, y, 4, 5),
                    sharp * smooth_step(0.03, 0.25, d.z),
                ),
        )
    }

    /// Luminance at the horizon in the azimuth of `d` (W), by colour [cd/m²].
    pub fn horizon(&self, d: Vec3) -> Vec3 {
        let part = d.x / (d.x.abs() + d.y.abs()).max(1e-12);
        let at = (if d.y < 0.0 { 3.0 + part } else { 1.0 - part }) * (ROUND / 4) as f64;
        let k = (at as usize).min(ROUND - 1);
        mix(self.rim[k], self.rim[k + 1], at - k as f64)
    }
}

/// Integrates `of` over the upper hemisphere with the weight cos Z, ∫ L cos Z dΩ. The argument of
/// `of` is a unit vector, W.
pub(crate) fn integrate_hemisphere(of: impl Fn(Vec3) -> Vec3) -> Vec3 {
    let [n, m] = DIRECTIONS;
    let mut sum = Vec3::zero();
    for i in 0..n {
        // Rings at equal steps of sin² Z have equal weight.
        let sine = ((f64::from(i) + 0.5) / f64::from(n)).sqrt();
        for j in 0..m {
            let (s, c) = merrow_math::real::sin_cos(
                std::f64::consts::TAU * (f64::from(j) + 0.5) / f64::from(m),
            );
            sum += of(Vec3::new(sine * c, sine * s, (1.0 - sine * sine).sqrt()));
        }
    }
    sum.scale(std::f64::consts::PI / f64::from(n * m))
}

/// S of air, S of haze and M by cos Z for sunlight that passes the air mass `mass`. `dark` (0..1)
/// blends to the colour of the night. (4)
fn colors(mass: f64, dark: f64) -> Vec<[Vec3; 3]> {
    let (steps, night) = (128, Vec3::from(NIGHT).scale(0.1 * dark));
    let of = |z: f64| {
        let sight = 1.0 / (z + 0.05);
        // (5) is singular where both air masses are equal.
        let sight = if (sight - mass).abs() < 1e-3 {
            mass + 1e-3
        } else {
            sight
        };
        let part = |k: usize| {
            let (depth, hazy, ozone) = (DEPTH[k], HAZE[k], libm::exp(-OZONE[k] * mass));
            let once =
                sight * (libm::exp(-depth * mass) - libm::exp(-depth * sight)) / (sight - mass);
            let more =
                MULTIPLE * (1.0 - libm::exp(-depth * sight)) * libm::exp(-0.5 * depth * mass);
            let light = (1.0 - dark) * ozone;
            [
                light * once * (depth - hazy) / depth,
                light * once * hazy / depth,
                light * more,
            ]
        };
        let [red, green, blue] = [part(0), part(1), part(2)];
        let mut out = [0, 1, 2].map(|c| Vec3::new(red[c], green[c], blue[c]));
        out[2] += night;
        out
    };
    (0..=steps)
        .map(|k| of(f64::from(k) / f64::from(steps)))
        .collect()
}

/// φ for a direction with the upward component `z`.
fn gradation([a, b, ..]: &[f64; 5], z: f64) -> f64 {
    1.0 + a * libm::exp(b / z.max(0.01))
}

/// f at the angle χ to the sun, as a function of sin χ/2.
fn indicatrix([_, _, c, d, e]: &[f64; 5], half: f64) -> f64 {
    let (chi, cosine) = (2.0 * libm::asin(half), 1.0 - 2.0 * half * half);
    1.0 + c * (libm::exp(d * chi) - libm::exp(d * std::f64::consts::FRAC_PI_2))
        + e * cosine * cosine
}

/// Blends from the mean of a pattern (`part` = 0) to the pattern (`part` = 1).
fn blend_pattern(pattern: f64, part: f64) -> f64 {
    0.5 + part * (pattern - 0.5)
}

/// Illuminance of the sky in twilight [lx] for the sun's elevation [deg]; zero in daylight and at
/// night.
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
