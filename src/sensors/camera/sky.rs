//! The light of sun and sky.
//!
//! # Law
//! ```text
//!   L ∝ f(χ) φ(Z),  φ = 1 + a e^{b/cos Z},  f = 1 + c (e^{dχ} - e^{dπ/2}) + e cos² χ          (1)  [CIE S 011]
//!   ∫ L cos Z dΩ = E_sky                                                                       (2)
//!   E_beam,i ∝ e^{-τ_i m}                                                                      (3)  colour of the sun
//! ```
//! (1) is the standard's clear sky (type 12) and overcast sky (type 1), mixed by the clouds that are seen in a direction. Clouds are a pattern on a plane 1200 m up that drifts with the wind,
//! as much of it as `cloud_cover` says. Sunlight and E_sky are those of `environment::air::sunlight` at 110 lm/W; in twilight E_sky follows what is measured by the sun's elevation.
//!
//! # Symbols
//! L luminance [cd/m²] · χ angle to the sun, Z to the zenith · a..e the standard's figures · E illuminance [lx] · τ optical depth of the air by colour (Rayleigh's at 610, 540, 465 nm and 0.08 of haze), m air mass.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! Colours of the sky are chosen, from blue above to pale at the horizon, warm where the sun is low. No moon, no stars: a clear night has 1 mlx of starlight.
//!
//! # Checked by
//! test/analytic/camera.rs

use super::noise::{octaves, octaves_over, step};
use super::{decay, mix, tint};
use crate::environment::air::{sun, sunlight};
use crate::math::Vec3;
use crate::scene::Scene;
use crate::scene::air::{Air, Weather};

/// Luminous efficacy of daylight [lm/W].
const EFFICACY: f64 = 110.0;
/// Figures a, b, c, d, e of the clear sky, and of the overcast one.
const CLEAR: [f64; 5] = [-1.0, -0.32, 10.0, -3.0, 0.45];
const OVERCAST: [f64; 5] = [4.0, -0.7, 0.0, -1.0, 0.0];
/// Optical depth of the air upwards, by colour.
const DEPTH: [f64; 3] = [0.142, 0.181, 0.269];
/// Height of the clouds [m].
const CLOUDS: f64 = 1200.0;
/// Logarithm to base 10 of the illuminance in twilight [lx] by the sun's elevation [deg].
const TWILIGHT: [[f64; 2]; 6] =
    [[-18.0, -3.0], [-12.0, -2.1], [-9.0, -0.9], [-6.0, 0.5], [-3.0, 1.8], [0.0, 2.7]];

/// Steps of a table.
const STEPS: usize = 512;

/// A function on 0..1, linear between its steps.
#[derive(Clone, Debug)]
struct Table(Vec<f32>);

impl Table {
    fn new(of: impl Fn(f64) -> f64) -> Self {
        Self((0..=STEPS).map(|k| of(k as f64 / STEPS as f64) as f32).collect())
    }

    #[inline(always)]
    fn at(&self, x: f64) -> f64 {
        let x = x * STEPS as f64;
        let k = (x as usize).min(STEPS - 1);
        let (a, b) = (f64::from(self.0[k]), f64::from(self.0[k + 1]));
        a + (b - a) * (x - k as f64)
    }
}

/// Sun and sky at an instant.
#[derive(Clone, Debug)]
pub struct Sky {
    /// Unit vector towards the sun.
    pub sun: Vec3,
    /// Illuminance of the sun at right angles, by colour [lx].
    pub beam: Vec3,
    /// Illuminance of the sky on level ground, by colour [lx].
    pub diffuse: Vec3,
    /// Part of the sky under clouds.
    pub cover: f64,
    /// Where the clouds have drifted [m].
    drift: Vec3,
    /// Factors of (1), clear and overcast. (2)
    scale: [f64; 2],
    /// Warmth of the horizon towards the sun.
    warm: Vec3,
    /// True if clouds are drawn.
    clouds: bool,
    /// Luminance of a white surface in the light over the clouds.
    white: f64,
    /// φ by cos Z, clear and overcast, and the clear f by sin χ/2.
    tables: [Table; 3],
}

impl Sky {
    /// At `time` [s] in `weather`.
    pub fn new(scene: &Scene, air: &Air, weather: &Weather, time: f64) -> Self {
        let sun = sun::at(air.start_utc + time, scene.origin.latitude, scene.origin.longitude);
        // rain comes from clouds
        let cover = weather.cloud_cover.max((0.5 * weather.rain).min(1.0));
        let light = sunlight::under(&sun, cover);
        let up = sun.direction();
        let mass =
            1.0 / (up.z.max(0.0) + 0.15 * libm::pow(sun.elevation.to_degrees().max(0.0) + 3.885, -1.253));
        let through = Vec3::from(DEPTH.map(|depth| libm::exp(-depth * mass)));
        // before thick clouds nothing is left of its disc
        let shown = step(1.0, 0.6, cover);
        let beam = tint(through).scale(EFFICACY * light.beam * shown);
        let level = (EFFICACY * light.sky).max(twilight(sun.elevation.to_degrees())) + 1e-3;
        // what falls on the dome while the sun is high, and while it is low
        let blue = mix(Vec3::new(0.62, 0.95, 1.45), Vec3::new(1.0, 1.0, 1.05), cover);
        let mut sky = Self {
            sun: up,
            beam,
            diffuse: tint(blue).scale(level),
            cover,
            drift: weather.wind.scale(time),
            scale: [1.0; 2],
            warm: tint(through),
            clouds: cover > 0.01,
            white: EFFICACY * sunlight::under(&sun, 0.0).on(Vec3::new(0.0, 0.0, 1.0), 0.0, 0.0)
                / std::f64::consts::PI,
            tables: [
                Table::new(|z| gradation(&CLEAR, z)),
                Table::new(|z| gradation(&OVERCAST, z)),
                Table::new(|s| indicatrix(&CLEAR, s)),
            ],
        };
        sky.scale = [level / sky.level(Self::clear), level / sky.level(Self::overcast)];
        sky
    }

    /// (1) of the clear sky without its factor.
    fn clear(&self, d: Vec3) -> f64 {
        let half = (0.5 * (1.0 - d.dot(self.sun))).clamp(0.0, 1.0).sqrt();
        self.tables[0].at(d.z.clamp(0.0, 1.0)) * self.tables[2].at(half)
    }

    /// (1) of the overcast sky without its factor; it is the same all round.
    fn overcast(&self, d: Vec3) -> f64 {
        self.tables[1].at(d.z.clamp(0.0, 1.0))
    }

    /// The integral of (2) for the factor 1.
    fn level(&self, of: impl Fn(&Self, Vec3) -> f64) -> f64 {
        let (mut sum, n, m) = (0.0, 16, 32);
        for i in 0..n {
            // rings of equal sin² Z have equal weight
            let sine = ((f64::from(i) + 0.5) / f64::from(n)).sqrt();
            for j in 0..m {
                let (s, c) =
                    crate::math::real::sin_cos(std::f64::consts::TAU * (f64::from(j) + 0.5) / f64::from(m));
                sum += of(self, Vec3::new(sine * c, sine * s, (1.0 - sine * sine).sqrt()));
            }
        }
        std::f64::consts::PI * sum / f64::from(n * m)
    }

    /// Luminance from the direction `d`, by colour [cd/m²]: with the sun's own disc where it is `sharp`, else as rough water mirrors it, edges of clouds blurred.
    pub fn luminance(&self, d: Vec3, sharp: bool) -> Vec3 {
        let up = Vec3::new(d.x, d.y, d.z.max(0.0));
        let low = decay(-3.5 * up.z);
        let towards = 0.5 + 0.5 * d.dot(self.sun);
        let pale = mix(Vec3::new(0.75, 0.92, 1.15), self.warm, 0.75 * towards * towards * towards * low);
        let color = tint(mix(Vec3::new(0.28, 0.58, 1.25), pale, 0.12 + 0.88 * low));
        let mut light = color.scale(self.scale[0] * self.clear(up));
        let mut sight = 1.0;
        if self.clouds {
            let (part, color) = self.cloud(up, sharp);
            light = mix(light, color, part);
            sight = 1.0 - part;
        }
        if sharp && self.beam.y > 0.0 && d.dot(self.sun) > 0.999_988_5 {
            light += self.beam.scale(sight / 7.2e-5);
        }
        light
    }

    /// How much of the sky clouds hide in a direction, and how bright they are.
    fn cloud(&self, d: Vec3, sharp: bool) -> (f64, Vec3) {
        let grey = Vec3::new(0.97, 1.0, 1.04).scale(self.scale[1] * self.overcast(d));
        if self.cover > 0.97 {
            return (1.0, self.shaded(grey, d));
        }
        if d.z <= 0.01 {
            return (0.0, grey);
        }
        let height = d.z.max(0.035);
        let at = |k: f64| (k * d.x * CLOUDS / height - self.drift.x) / 700.0;
        let (x, y) = (at(1.0), (d.y * CLOUDS / height - self.drift.y) / 700.0);
        // the pattern's middle is 0.5, its standard deviation about 0.13
        let edge = 0.55 + 0.33 * (0.5 - self.cover);
        // what is finer than a pixel near the horizon is left out, and what rough water blurs
        let number = if !sharp {
            2
        } else if d.z > 0.2 {
            5
        } else {
            3
        };
        let width = if sharp { 0.05 } else { 0.22 };
        let Some(thick) = octaves_over(x, y, number, 11, if sharp { edge - width } else { 0.0 }) else {
            return (0.0, grey);
        };
        let part = step(edge - width, edge + width, thick);
        // rough water mirrors much of the sky at once
        let blurred = if sharp { 0.0 } else { 0.65 };
        let part = (part + blurred * (self.cover - part)) * step(0.01, 0.14, d.z);
        let towards = (0.5 + 0.5 * d.dot(self.sun)).max(0.0);
        // thin edges let the sun through, thick middles show their shaded undersides
        let edges = 0.75 + 1.5 * towards * towards * towards * towards;
        let sunlit = tint(mix(Vec3::new(1.0, 1.0, 1.0), self.warm, 0.4)).scale(self.white);
        let dark = step(edge - 0.03, edge + 0.25, thick);
        let dark = dark + blurred * (0.4 - dark);
        let bright = grey.scale(0.3) + sunlit.scale(edges * (1.0 - dark) + 0.42 * dark);
        (part, bright)
    }

    /// Mottles of a closed cover.
    fn shaded(&self, grey: Vec3, d: Vec3) -> Vec3 {
        let height = d.z.max(0.05);
        let x = (d.x * CLOUDS / height - self.drift.x) / 1500.0;
        let y = (d.y * CLOUDS / height - self.drift.y) / 1500.0;
        grey.scale(0.8 + 0.4 * mixed(octaves(x, y, 4, 5), step(0.0, 0.2, d.z)))
    }

    /// Luminance at the horizon below or above `d`.
    pub fn horizon(&self, d: Vec3) -> Vec3 {
        let flat = Vec3::new(d.x, d.y, 0.0).unit().unwrap_or(Vec3::new(1.0, 0.0, 0.0));
        self.luminance(flat, false)
    }
}

/// φ at a direction whose upward part is `z`.
fn gradation([a, b, ..]: &[f64; 5], z: f64) -> f64 {
    1.0 + a * libm::exp(b / z.max(0.01))
}

/// f at the angle χ to the sun, by the sine of its half.
fn indicatrix([_, _, c, d, e]: &[f64; 5], half: f64) -> f64 {
    let (chi, cosine) = (2.0 * libm::asin(half), 1.0 - 2.0 * half * half);
    1.0 + c * (libm::exp(d * chi) - libm::exp(d * std::f64::consts::FRAC_PI_2)) + e * cosine * cosine
}

/// A pattern where it is seen, its mean where it is not.
fn mixed(pattern: f64, part: f64) -> f64 {
    0.5 + part * (pattern - 0.5)
}

/// Illuminance of the sky while the sun is about or under the horizon [lx].
fn twilight(elevation: f64) -> f64 {
    if elevation > 3.0 || elevation < TWILIGHT[0][0] {
        return 0.0;
    }
    let at = elevation.min(0.0);
    let k = TWILIGHT.iter().rposition(|row| row[0] <= at).unwrap_or(0).min(TWILIGHT.len() - 2);
    let ([x0, y0], [x1, y1]) = (TWILIGHT[k], TWILIGHT[k + 1]);
    libm::pow(10.0, y0 + (at - x0) / (x1 - x0) * (y1 - y0))
}
