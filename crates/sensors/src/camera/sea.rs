//! Water surface as a camera renders it: intersection, normal, roughness, foam and focused
//! sunlight.
//!
//! # Law
//! ```text
//!   s² = 0.003 + 0.00512 U           (1)  [Cox and Munk 1954]
//!   W = 3.84e-6 U^3.41               (2)  [Monahan and O'Muircheartaigh 1980]
//!   I/I_0 = 1/(1 + h (1 - 1/n) ∇²η)  (3)  sunlight focused by waves at depth h
//! ```
//! The wave clipmap (`crates/sensors/src/wave_clipmap.rs`) resolves one part of the mean square
//! slope (1). The rest is in ripples of 0.1 to 2 m, a periodic pattern that travels with the wind.
//! Where the ripples are too far away to be resolved, they count as roughness. So do the waves that
//! the coarser grids omit.
//!
//! # Symbols
//! η height [m] · s² mean square slope · U wind speed [m/s] · W fraction under foam · I sunlight,
//! I_0 without waves · n refractive index of water.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! - Foam lies in streaks along the wind, where wave crests and a pattern that drifts with the wind
//!   are highest. It is thick in the centre of a streak and thin at the edges.
//! - The amount of foam follows (2). Foam has no lifetime.
//!
//! # Checked by
//! test/sensors/camera.rs

use crate::camera::fast_exp;
use crate::camera::noise::{cell, fractal_noise, fractal_noise_above, smooth_step};
use crate::wave_clipmap::{WaveClipmap, interpolate_corners};
use merrow_environment::EnvironmentState;
use merrow_environment::surface::mean_square_slope;
use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use std::sync::OnceLock;

/// Points on a side of the ripple pattern, a power of two.
const RIPPLES: usize = 128;
/// Side length of the ripple pattern [m].
const RIPPLE_LENGTH: f64 = 6.4;
/// Slopes to the east and north, and curvature, at each point of the pattern.
type Ripples = [[[f32; 4]; RIPPLES]; RIPPLES];
/// Number of waves in the ripple pattern.
const RIPPLE_WAVES: usize = 28;
/// Fraction of (1) that no image resolves.
const UNRESOLVED_FRACTION: f64 = 0.35;

/// Start and full cover of a foam patch relative to the edge, in standard deviations of the
/// pattern.
const FOAM_EDGE: [f64; 2] = [-0.3, 0.9];
/// Mean and standard deviation of the pattern.
const PATTERN_STATISTICS: [f64; 2] = [0.5, 0.13];
/// Weights of the pattern and of the wave height in the value that is compared with the edge,
/// without waves and with waves. The sum has a standard deviation of about one.
const PATTERN_WEIGHTS: [[f64; 2]; 2] = [[1.0, 0.0], [0.8, 0.6]];
/// Fraction of the sea below which foam is omitted.
const MIN_FOAM: f64 = 1e-5;
/// Number of edges in the table of foam fractions, and edges per standard deviation.
const EDGES: [usize; 2] = [161, 20];

/// Water surface at one instant, around a camera.
pub struct Sea {
    /// Wave clipmap of the simulated waves.
    pub(crate) clipmap: WaveClipmap,
    /// Slopes and curvature of the ripple pattern.
    ripples: Box<Ripples>,
    /// Mean square slopes: the total (1), the part in the finest grid of the clipmap, and the part
    /// in the ripples.
    slope2: [f64; 3],
    /// Angle of a pixel [rad].
    pixel: f64,
    foam: f64,
    /// Threshold at which foam begins, in standard deviations of its pattern.
    edge: f64,
    drift: Vec3,
    /// Unit vector downwind (east, north).
    along: [f64; 2],
    /// Size of the foam patches along and across the wind [m].
    patch: [f64; 2],
}

/// Local properties of the surface at a point.
#[derive(Clone, Copy, Debug)]
pub struct Facet {
    /// Unit normal, upwards, W.
    pub normal: Vec3,
    /// Mean square slope that the normal does not resolve.
    pub slope_variance: f64,
    /// Fraction of the point under foam.
    pub foam: f64,
}

impl Sea {
    /// Returns the surface around `center` [m], W, for rays of at most `max_distance` [m] and
    /// pixels of the angle `pixel` [rad]. `wind` is the wind velocity [m/s], W.
    pub fn new(
        environment: &EnvironmentState,
        center: Vec3,
        max_distance: f64,
        wind: Vec3,
        pixel: f64,
    ) -> Self {
        let speed = wind.norm();
        let total = mean_square_slope(speed);
        let clipmap = environment.waves.map_or_else(
            || WaveClipmap::flat(center),
            |waves| WaveClipmap::new(waves, center, max_distance),
        );
        let waves = clipmap.levels.first().map_or(0.0, |level| level.slope2);
        let left = ((1.0 - UNRESOLVED_FRACTION) * total - waves).max(0.15 * total);
        let foam = (3.84e-6 * libm::pow(speed, 3.41)).min(1.0);
        let is_flat = clipmap.levels.is_empty();
        Self {
            clipmap,
            ripples: ripples(wind, left, environment.gravity, environment.time),
            slope2: [total, waves, left],
            pixel,
            foam,
            edge: foam_threshold(foam, !is_flat),
            drift: wind.scale(0.03 * environment.time),
            along: wind.unit().map_or([1.0, 0.0], |along| [along.x, along.y]),
            // Stronger winds elongate the patches.
            patch: [4.0 + 0.8 * speed, 2.2],
        }
    }

    /// Returns the height of the surface at (x, y) [m], W.
    #[inline]
    pub fn height(&self, x: f64, y: f64) -> f64 {
        self.clipmap.height(x, y)
    }

    /// Returns the surface properties at the point `q` [m], W, viewed from the distance `t` [m]
    /// along the unit vector `d`, W.
    pub fn facet(&self, q: Vec3, t: f64, d: Vec3) -> Facet {
        let ([height, mut a, mut b], level) = self.clipmap.sample(q.x, q.y);
        let width = self.pixel * t / (d.z.abs() + 0.05);
        let ripple_weight = 1.0 / (1.0 + (width / 0.25) * (width / 0.25));
        let ([ra, rb, _], [sa, sb, _]) = (self.ripple(q.x, q.y), self.coarse_ripple(q.x, q.y));
        let share = std::f64::consts::FRAC_1_SQRT_2;
        a += ripple_weight * share * (ra + sa);
        b += ripple_weight * share * (rb + sb);
        let [total, waves, ripples] = self.slope2;
        let resolved = self
            .clipmap
            .levels
            .get(level)
            .map_or(0.0, |level| level.slope2);
        let slope_variance = UNRESOLVED_FRACTION * total
            + (waves - resolved).max(0.0)
            + (1.0 - ripple_weight * ripple_weight) * ripples;
        let n = Vec3::new(-a, -b, 1.0);
        Facet {
            normal: n.scale(1.0 / n.norm()),
            slope_variance,
            foam: self.foam(q, height, width),
        }
    }

    /// Returns the fraction under foam at `q`, at the wave height `height` [m], for a pixel `width`
    /// [m] wide there. (2)
    fn foam(&self, q: Vec3, height: f64, width: f64) -> f64 {
        if self.foam < MIN_FOAM {
            return 0.0;
        }
        let detail = 1.0 / (1.0 + (width / 4.0) * (width / 4.0));
        if detail < 0.02 {
            return self.foam;
        }
        let (x, y) = (q.x - self.drift.x, q.y - self.drift.y);
        let [share, crests] = PATTERN_WEIGHTS[usize::from(!self.clipmap.levels.is_empty())];
        let crest = crests * height / self.clipmap.deviation;
        let min_pattern = PATTERN_STATISTICS[0]
            + PATTERN_STATISTICS[1] * (self.edge + FOAM_EDGE[0] - crest) / share;
        // Patches and streaks are aligned with the wind.
        let (along, across) = (
            self.along[0] * x + self.along[1] * y,
            self.along[0] * y - self.along[1] * x,
        );
        let Some(pattern) = fractal_noise_above(
            along / self.patch[0],
            across / self.patch[1],
            5,
            3,
            min_pattern,
        ) else {
            return (1.0 - detail) * self.foam;
        };
        let mixed = share * (pattern - PATTERN_STATISTICS[0]) / PATTERN_STATISTICS[1] + crest;
        let patch_density = smooth_step(self.edge + FOAM_EDGE[0], self.edge + FOAM_EDGE[1], mixed);
        if patch_density == 0.0 {
            return (1.0 - detail) * self.foam;
        }
        // Bubbles form a net that closes where foam is thickest.
        detail * foam_fraction(patch_density, foam_net(along, across)) + (1.0 - detail) * self.foam
    }

    /// Returns the slopes and curvature of the ripples at (x, y) [m].
    fn ripple(&self, x: f64, y: f64) -> [f64; 3] {
        let scale = RIPPLES as f64 / RIPPLE_LENGTH;
        let (u, v) = (x * scale, y * scale);
        let ((i, u), (j, v)) = (cell(u), cell(v));
        let wrap = |k: usize| k & (RIPPLES - 1);
        let (low, high) = (
            &self.ripples[wrap(j)],
            &self.ripples[wrap(j.wrapping_add(1))],
        );
        let (i0, i1) = (wrap(i), wrap(i.wrapping_add(1)));
        interpolate_corners([&low[i0], &low[i1], &high[i0], &high[i1]], u, v)
    }

    /// Returns the same pattern, larger and rotated, so that its repetition is not visible.
    fn coarse_ripple(&self, x: f64, y: f64) -> [f64; 3] {
        let [a, b, c] = self.ripple(0.26 * x + 0.15 * y + 1.7, -0.15 * x + 0.26 * y + 0.9);
        // Rotates the slopes back to the world axes.
        let (s, t) = (0.26 / 0.3002, 0.15 / 0.3002);
        [s * a - t * b, t * a + s * b, 0.3 * c]
    }

    /// Returns the factor on the sunlight at the depth `h` [m] below (x, y) [m] of the surface, W.
    /// (3)
    pub(crate) fn caustic_factor(&self, x: f64, y: f64, h: f64) -> f64 {
        let [.., ripple_curvature] = self.ripple(x, y);
        let [.., coarse_curvature] = self.coarse_ripple(x, y);
        // The angular size of the sun blurs structure finer than a hundredth of the depth.
        let near = h.min(2.5);
        let height = h.min(8.0);
        let area = 1.0
            + 0.25
                * 0.7
                * (near * ripple_curvature * fast_exp(-0.45 * h)
                    + height * coarse_curvature * fast_exp(-0.1 * h));
        (1.0 / area.abs().max(0.3)).min(3.0)
    }
}

/// Computes the slopes and curvature of a periodic pattern of ripples with the mean square slope
/// `slope2`, under `gravity` [m/s²] and surface tension.
fn ripples(wind: Vec3, slope2: f64, gravity: f64, time: f64) -> Box<Ripples> {
    let tau = std::f64::consts::TAU;
    let heading = libm::atan2(wind.y, wind.x);
    // In calm air ripples travel in all directions.
    let spread = if wind.norm() < 0.5 { tau / 2.0 } else { 0.9 };
    // Sums of each row, by component, so that the points of a row are computed in SIMD lanes.
    let mut sums = Box::new([[[0.0_f32; RIPPLES]; 3]; RIPPLES]);
    let cell = tau / RIPPLES as f64;
    for n in 0..RIPPLE_WAVES {
        let random = |k: u64| {
            crate::camera::noise::value_noise(n as f64 * 7.0 + 0.5, k as f64 * 13.0 + 0.5, 21)
        };
        // Wave numbers from 3 to 40 per pattern length, at equal ratios.
        let size = 3.0 * libm::pow(13.0, (n as f64 + 0.5) / RIPPLE_WAVES as f64);
        let angle = heading + spread * (2.0 * random(1) - 1.0) * 1.4;
        let (s, c) = sin_cos(angle);
        let (kx, ky) = ((size * c).round(), (size * s).round());
        let k = (kx * kx + ky * ky).sqrt().max(1.0) * tau / RIPPLE_LENGTH;
        let omega = (gravity * k + 7.3e-5 * k * k * k).sqrt();
        let phase = tau * random(2) - omega * time;
        let phase = phase - (phase / tau).floor() * tau;
        let amplitude = (2.0 * slope2 / RIPPLE_WAVES as f64).sqrt() / k;
        let [east, north, curvature] = [kx * tau / RIPPLE_LENGTH, ky * tau / RIPPLE_LENGTH, k * k]
            .map(|x| (amplitude * x) as f32);
        // The angle-addition formulas give each point from the sines and cosines of its column and
        // row.
        let sines_and_cosines = |from: f64, k: f64| {
            let mut out = [[0.0; RIPPLES]; 2];
            for i in 0..RIPPLES {
                let (s, c) = sin_cos(from + cell * (k * i as f64));
                (out[0][i], out[1][i]) = (s as f32, c as f32);
            }
            out
        };
        let (columns, rows) = (sines_and_cosines(phase, kx), sines_and_cosines(0.0, ky));
        for (j, sum) in sums.iter_mut().enumerate() {
            let (s, c) = (rows[0][j], rows[1][j]);
            let [east_sum, north_sum, curvature_sum] = sum;
            let slopes = east_sum.iter_mut().zip(north_sum).zip(curvature_sum);
            for (((a, b), curve), (sx, cx)) in slopes.zip(columns[0].iter().zip(&columns[1])) {
                let sine = sx * c + cx * s;
                *a -= east * sine;
                *b -= north * sine;
                *curve -= curvature * (cx * c - sx * s);
            }
        }
    }
    let mut out = Box::new([[[0.0_f32; 4]; RIPPLES]; RIPPLES]);
    for (row, [east, north, curvature]) in out.iter_mut().zip(sums.iter()) {
        for (i, point) in row.iter_mut().enumerate() {
            *point = [east[i], north[i], curvature[i], 0.0];
        }
    }
    out
}

/// Returns the net pattern in which bubbles gather, 0..1, at a position along and across the wind
/// [m].
fn foam_net(along: f64, across: f64) -> f64 {
    let net = (fractal_noise(along * 0.9, across * 2.2, 4, 8) - 0.5).abs();
    1.0 - smooth_step(0.03, 0.2, net)
}

/// Returns the fraction under foam for the patch density `patch_density` and the net density
/// `net_density`, both 0..1.
fn foam_fraction(patch_density: f64, net_density: f64) -> f64 {
    patch_density * (net_density + (1.0 - net_density) * patch_density * patch_density)
}

/// Returns the threshold at which foam begins so that the fraction `share` of the sea is white, in
/// standard deviations of its pattern.
fn foam_threshold(share: f64, waves: bool) -> f64 {
    if share < MIN_FOAM {
        return 0.0;
    }
    static TABLES: OnceLock<[Vec<f64>; 2]> = OnceLock::new();
    let foam_fractions =
        &TABLES.get_or_init(|| PATTERN_WEIGHTS.map(foam_fractions))[usize::from(waves)];
    let k = foam_fractions
        .iter()
        .position(|fraction| *fraction <= share)
        .unwrap_or(foam_fractions.len() - 1)
        .max(1);
    let (over, under) = (foam_fractions[k - 1], foam_fractions[k]);
    let part = if over > under {
        ((over - share) / (over - under)).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (k as f64 - 1.0 + part) / EDGES[1] as f64 - 2.0
}

/// Returns the fraction of the sea under foam for each edge, from two standard deviations below the
/// mean upwards, averaged over positions in the pattern and over wave heights.
fn foam_fractions([share, crests]: [f64; 2]) -> Vec<f64> {
    let position = |k: u32| (37.3 * f64::from(k % 64), 41.9 * f64::from(k / 64));
    let pattern_at = |k: u32| {
        (fractal_noise(position(k).0, position(k).1, 5, 3) - PATTERN_STATISTICS[0])
            / PATTERN_STATISTICS[1]
    };
    // The average over wave heights allows fewer positions.
    let n = if crests == 0.0 { 4096 } else { 1024 };
    let patterns: Vec<f64> = (0..n).map(pattern_at).collect();
    let net = (0..n)
        .map(|k| foam_net(position(k).0, position(k).1))
        .sum::<f64>()
        / f64::from(n);
    // Midpoints of sixteenths of a normal distribution, both halves.
    let normal = |k: u32| quantile((f64::from(k) + 0.5) / 16.0);
    let heights: Vec<f64> = if crests == 0.0 {
        vec![0.0]
    } else {
        (0..8)
            .flat_map(|k| [crests * normal(k), -crests * normal(k)])
            .collect()
    };
    let mean = |edge: f64| {
        let mut sum = 0.0;
        for height in &heights {
            for pattern in &patterns {
                sum += foam_fraction(
                    smooth_step(
                        edge + FOAM_EDGE[0],
                        edge + FOAM_EDGE[1],
                        share * pattern + height,
                    ),
                    net,
                );
            }
        }
        sum / (heights.len() * patterns.len()) as f64
    };
    (0..EDGES[0])
        .map(|k| mean(k as f64 / EDGES[1] as f64 - 2.0))
        .collect()
}

/// Returns the standard score that a normal variate exceeds with the probability `p`, to 0.01
/// [Hastings 1955, 26.2.23].
fn quantile(p: f64) -> f64 {
    let q = p.clamp(1e-6, 0.5);
    let t = (-2.0 * libm::log(q)).sqrt();
    t - (2.515_517 + 0.802_853 * t + 0.010_328 * t * t)
        / (1.0 + 1.432_788 * t + 0.189_269 * t * t + 0.001_308 * t * t * t)
}
