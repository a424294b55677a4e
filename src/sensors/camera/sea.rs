//! The surface of the water as a camera sees it: where a line meets it, how it lies there, how rough it is, how much of it is foam.
//!
//! # Law
//! ```text
//!   η on lattices about the camera, each twice as wide as the one before, linear between points        (1)
//!   t' = t + max(|z - η|/(|d_z| + S d_h), s/4)                                                        (2)
//!   s² = 0.003 + 0.00512 U                                                                             (3)  [Cox and Munk 1954]
//!   W = 3.84e-6 U^3.41                                                                                 (4)  [Monahan and O'Muircheartaigh 1980]
//!   I/I_0 = 1/(1 + h (1 - 1/n) ∇²η)                                                                    (5)  light that waves gather at depth h
//! ```
//! What the waves of the world leave of (3) is in ripples of 0.1 to 2 m that run with the wind, a pattern that repeats; nearer to the horizon than they can be told
//! apart, they and the waves that the wider lattices miss are roughness.
//!
//! # Symbols
//! η height [m] · t distance along a line, d its direction, d_h the horizontal part · S greatest slope on the lattices · s width of a cell · s² mean square slope ·
//! U wind [m/s] · W part under foam · n refractive index of water.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! Beyond the widest lattice the surface is the plane z = 0. Foam lies where crests and a pattern that drifts with them are highest: its amount is (4)'s, its life is none.
//!
//! # Checked by
//! test/analytic/camera.rs

use super::noise::octaves;
use crate::environment::Instant;
use crate::environment::surface::mean_square_slope;
use crate::math::Vec3;
use crate::math::real::sin_cos;

/// Points on a side of a lattice.
const SIDE: usize = 112;
/// Lattices.
const LEVELS: usize = 10;
/// Points on a side of the ripples' pattern, and its length [m].
const RIPPLES: usize = 128;
/// See there.
const LENGTH: f64 = 6.4;
/// Ripples in the pattern.
const WAVES: usize = 28;
/// Part of (3) that no picture resolves.
const FINE: f64 = 0.35;

/// Height and slopes on a square lattice.
struct Level {
    cell: f64,
    corner: [f64; 2],
    /// Height, slopes to the east and to the north.
    points: Vec<[f32; 3]>,
    /// Mean square slope on it.
    slope2: f64,
}

/// The surface at an instant, about a camera.
pub struct Sea {
    middle: Vec3,
    levels: Vec<Level>,
    low: f64,
    high: f64,
    slope: f64,
    deviation: f64,
    /// Slopes and curvature of the pattern.
    ripples: Vec<[f32; 3]>,
    /// (3), what the lattices hold of it at their finest, and what the ripples do.
    slope2: [f64; 3],
    /// Angle of a pixel [rad].
    pixel: f64,
    foam: f64,
    drift: Vec3,
}

/// The surface at a point.
#[derive(Clone, Copy, Debug)]
pub struct Facet {
    /// Upward unit normal.
    pub normal: Vec3,
    /// Mean square slope that the normal leaves out.
    pub rough: f64,
    /// Part of it under foam.
    pub foam: f64,
}

impl Sea {
    /// About `middle`, as `pixel` [rad] wide pixels see it.
    pub fn new(at: &Instant, middle: Vec3, wind: Vec3, pixel: f64) -> Self {
        let speed = wind.norm();
        let total = mean_square_slope(speed);
        let mut sea = Self {
            middle,
            levels: Vec::new(),
            low: 0.0,
            high: 0.0,
            slope: 0.0,
            deviation: 1.0,
            ripples: Vec::new(),
            slope2: [total, 0.0, 0.0],
            pixel,
            foam: (3.84e-6 * libm::pow(speed, 3.41)).min(1.0),
            drift: wind.scale(0.03 * at.time),
        };
        if at.waves.is_some() {
            sea.lay(at);
        }
        let waves = sea.levels.first().map_or(0.0, |level| level.slope2);
        let left = ((1.0 - FINE) * total - waves).max(0.15 * total);
        sea.slope2 = [total, waves, left];
        sea.ripples = ripples(wind, left, at.time);
        sea
    }

    /// The lattices. (1)
    fn lay(&mut self, at: &Instant) {
        let Some(waves) = at.waves else { return };
        let finest = (0.02 * self.middle.z.abs()).clamp(0.12, 40.0);
        let (mut x, mut y, mut z) = (Vec::new(), Vec::new(), vec![0.0; SIDE * SIDE]);
        let (mut low, mut high, mut square) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
        for k in 0..LEVELS {
            let cell = finest * f64::from(1_u32 << k);
            let corner =
                [self.middle.x, self.middle.y].map(|m| ((m / cell).floor() - (SIDE / 2) as f64) * cell);
            x.clear();
            y.clear();
            for j in 0..SIDE {
                x.extend((0..SIDE).map(|i| corner[0] + i as f64 * cell));
                y.extend((0..SIDE).map(|_| corner[1] + j as f64 * cell));
            }
            waves.elevations(&x, &y, &mut z);
            let level = level(cell, corner, &z);
            for height in &z {
                (low, high) = (low.min(*height), high.max(*height));
            }
            for [_, a, b] in &level.points {
                self.slope = self.slope.max(f64::from((a * a + b * b).sqrt()));
            }
            if k == LEVELS / 2 {
                square = z.iter().map(|h| h * h).sum::<f64>() / z.len() as f64;
            }
            self.levels.push(level);
        }
        (self.low, self.high) = (low - 1e-3, high + 1e-3);
        self.deviation = square.sqrt().max(1e-3);
    }

    /// Height and slopes at (x, y); flat beyond the lattices.
    fn at(&self, x: f64, y: f64) -> ([f64; 3], usize) {
        let far = (x - self.middle.x).abs().max((y - self.middle.y).abs());
        for (k, level) in self.levels.iter().enumerate() {
            if far < (SIDE / 2 - 2) as f64 * level.cell {
                return (level.between(x, y), k);
            }
        }
        ([0.0; 3], self.levels.len())
    }

    /// Height at (x, y) [m].
    pub fn height(&self, x: f64, y: f64) -> f64 {
        self.at(x, y).0[0]
    }

    /// Distance from `p` along `d` to where the line meets the surface, within `far` [m]. (2)
    pub fn crossing(&self, p: Vec3, d: Vec3, far: f64) -> Option<f64> {
        if self.levels.is_empty() {
            let t = -p.z / d.z;
            return (d.z.abs() > 1e-9 && t > 1e-6 && t <= far).then_some(t);
        }
        if d.z.abs() < 1e-9 && !(self.low..self.high).contains(&p.z) {
            return None;
        }
        let ends = [(self.low - p.z) / d.z, (self.high - p.z) / d.z];
        let (mut t, last) = if d.z.abs() < 1e-9 {
            (0.0, far)
        } else {
            (ends[0].min(ends[1]).max(0.0), ends[0].max(ends[1]).min(far))
        };
        if t > last {
            return None;
        }
        let over = |t: f64| p.z + t * d.z - self.height(p.x + t * d.x, p.y + t * d.y);
        let flat = (d.x * d.x + d.y * d.y).sqrt();
        let pace = 1.0 / (d.z.abs() + self.slope.min(1.5) * flat);
        let mut h = over(t);
        for _ in 0..400 {
            let horizontal = t * flat;
            let least = 0.25 * (horizontal / (0.5 * SIDE as f64)).max(self.levels[0].cell * 0.5);
            let next = (t + (h.abs() * pace).max(least)).min(last);
            let there = over(next);
            if (there > 0.0) != (h > 0.0) {
                return Some(between(t, next, h, there, over));
            }
            (t, h) = (next, there);
            if t >= last {
                return None;
            }
        }
        // a line that grazes the waves for long is given to the mean surface
        let flat = -p.z / d.z;
        (flat > t && flat <= far).then_some(flat)
    }

    /// How the surface lies at `q`, `t` [m] from the eye, seen along `d`.
    pub fn facet(&self, q: Vec3, t: f64, d: Vec3) -> Facet {
        let ([height, mut a, mut b], level) = self.at(q.x, q.y);
        let width = self.pixel * t / (d.z.abs() + 0.05);
        let kept = 1.0 / (1.0 + (width / 0.25) * (width / 0.25));
        let ([ra, rb, _], [sa, sb, _]) = (self.ripple(q.x, q.y), self.wide(q.x, q.y));
        let share = std::f64::consts::FRAC_1_SQRT_2;
        a += kept * share * (ra + sa);
        b += kept * share * (rb + sb);
        let [total, waves, ripples] = self.slope2;
        let resolved = self.levels.get(level).map_or(0.0, |level| level.slope2);
        let rough = FINE * total + (waves - resolved).max(0.0) + (1.0 - kept * kept) * ripples;
        let n = Vec3::new(-a, -b, 1.0);
        Facet { normal: n.scale(1.0 / n.norm()), rough, foam: self.foam(q, height, width) }
    }

    /// Part under foam. (4)
    fn foam(&self, q: Vec3, height: f64, width: f64) -> f64 {
        if self.foam < 1e-5 {
            return 0.0;
        }
        let (x, y) = (q.x - self.drift.x, q.y - self.drift.y);
        // both parts have about a unit's deviation
        let pattern = (octaves(x / 3.0, y / 3.0, 5, 3) - 0.5) / 0.13;
        let crest = if self.levels.is_empty() { 0.0 } else { height / self.deviation };
        let mixed = if self.levels.is_empty() { pattern } else { 0.8 * pattern + 0.6 * crest };
        let edge = quantile(self.foam);
        let drawn = super::noise::step(edge - 0.25, edge + 0.45, mixed);
        let fine = octaves(x * 2.5, y * 2.5, 3, 8);
        let far = 1.0 / (1.0 + (width / 4.0) * (width / 4.0));
        far * drawn * (0.4 + 0.9 * fine).min(1.0) + (1.0 - far) * self.foam
    }

    /// Slopes and curvature of the ripples.
    fn ripple(&self, x: f64, y: f64) -> [f64; 3] {
        let cell = LENGTH / RIPPLES as f64;
        let (u, v) = (x / cell, y / cell);
        let (i, j) = (u.floor(), v.floor());
        let (u, v) = (u - i, v - j);
        let wrap = |k: f64| (k as i64).rem_euclid(RIPPLES as i64) as usize;
        let (i0, i1, j0, j1) = (wrap(i), wrap(i + 1.0), wrap(j), wrap(j + 1.0));
        bilinear([(i0, j0), (i1, j0), (i0, j1), (i1, j1)].map(|(i, j)| &self.ripples[j * RIPPLES + i]), u, v)
    }

    /// The same pattern wider and turned, so that its repeating does not show.
    fn wide(&self, x: f64, y: f64) -> [f64; 3] {
        let [a, b, c] = self.ripple(0.26 * x + 0.15 * y + 1.7, -0.15 * x + 0.26 * y + 0.9);
        // slopes turn back with the axes
        let (s, t) = (0.26 / 0.3002, 0.15 / 0.3002);
        [s * a - t * b, t * a + s * b, 0.3 * c]
    }

    /// Factor on the sunlight at the depth `h` [m] under (x, y) of the surface. (5)
    pub fn gathered(&self, x: f64, y: f64, h: f64) -> f64 {
        let [.., fine] = self.ripple(x, y);
        let [.., wide] = self.wide(x, y);
        // the sun's width blurs what is finer than a hundredth of the depth
        let near = h.min(2.5);
        let far = h.min(8.0);
        let area = 1.0 + 0.25 * 0.7 * (near * fine * libm::exp(-0.45 * h) + far * wide * libm::exp(-0.1 * h));
        (1.0 / area.abs().max(0.3)).min(3.0)
    }
}

impl Level {
    fn between(&self, x: f64, y: f64) -> [f64; 3] {
        let (u, v) = ((x - self.corner[0]) / self.cell, (y - self.corner[1]) / self.cell);
        let most = (SIDE - 2) as f64;
        let (i, j) = (u.floor().clamp(0.0, most), v.floor().clamp(0.0, most));
        let at = j as usize * SIDE + i as usize;
        bilinear([at, at + 1, at + SIDE, at + SIDE + 1].map(|k| &self.points[k]), u - i, v - j)
    }
}

/// A lattice of heights with its slopes.
fn level(cell: f64, corner: [f64; 2], z: &[f64]) -> Level {
    let slope = |low: usize, high: usize, steps: f64| (z[high] - z[low]) / (steps * cell);
    let mut sum = 0.0;
    let mut points = Vec::with_capacity(z.len());
    for j in 0..SIDE {
        for i in 0..SIDE {
            let k = j * SIDE + i;
            let (w, e) = (i.min(1), usize::from(i + 1 < SIDE));
            let (s, n) = (j.min(1), usize::from(j + 1 < SIDE));
            let a = slope(k - w, k + e, (w + e) as f64);
            let b = slope(k - s * SIDE, k + n * SIDE, (s + n) as f64);
            sum += a * a + b * b;
            points.push([z[k] as f32, a as f32, b as f32]);
        }
    }
    Level { cell, corner, points, slope2: sum / z.len() as f64 }
}

fn bilinear([a, b, c, d]: [&[f32; 3]; 4], u: f64, v: f64) -> [f64; 3] {
    let mut out = [0.0; 3];
    for k in 0..3 {
        let low = f64::from(a[k]) * (1.0 - u) + f64::from(b[k]) * u;
        let high = f64::from(c[k]) * (1.0 - u) + f64::from(d[k]) * u;
        out[k] = low * (1.0 - v) + high * v;
    }
    out
}

/// The zero between two distances.
fn between(mut a: f64, mut b: f64, mut ha: f64, mut hb: f64, over: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..4 {
        let t = a + (b - a) * (ha / (ha - hb)).clamp(0.05, 0.95);
        let h = over(t);
        if (h > 0.0) == (ha > 0.0) { (a, ha) = (t, h) } else { (b, hb) = (t, h) }
    }
    a + (b - a) * (ha / (ha - hb))
}

/// Slopes and curvature of ripples of the mean square slope `slope2`, over a length that repeats.
fn ripples(wind: Vec3, slope2: f64, time: f64) -> Vec<[f32; 3]> {
    let turn = std::f64::consts::TAU;
    let heading = libm::atan2(wind.y, wind.x);
    // in still air they come from everywhere
    let spread = if wind.norm() < 0.5 { turn / 2.0 } else { 0.9 };
    let mut out = vec![[0.0_f64; 3]; RIPPLES * RIPPLES];
    let cell = turn / RIPPLES as f64;
    for n in 0..WAVES {
        let chance = |k: u64| super::noise::value(n as f64 * 7.0 + 0.5, k as f64 * 13.0 + 0.5, 21);
        // wave numbers from 3 to 40 a length, evenly by ratio
        let size = 3.0 * libm::pow(13.0, (n as f64 + 0.5) / WAVES as f64);
        let angle = heading + spread * (2.0 * chance(1) - 1.0) * 1.4;
        let (s, c) = sin_cos(angle);
        let (kx, ky) = ((size * c).round(), (size * s).round());
        let k = (kx * kx + ky * ky).sqrt().max(1.0) * turn / LENGTH;
        let omega = (9.81 * k + 7.3e-5 * k * k * k).sqrt();
        let phase = turn * chance(2) - omega * time;
        let phase = phase - (phase / turn).floor() * turn;
        let amplitude = (2.0 * slope2 / WAVES as f64).sqrt() / k;
        let (east, north) = (kx * turn / LENGTH, ky * turn / LENGTH);
        for j in 0..RIPPLES {
            for i in 0..RIPPLES {
                let (s, c) = sin_cos(phase + cell * (kx * i as f64 + ky * j as f64));
                let at = &mut out[j * RIPPLES + i];
                at[0] -= amplitude * east * s;
                at[1] -= amplitude * north * s;
                at[2] -= amplitude * k * k * c;
            }
        }
    }
    out.into_iter().map(|p| p.map(|x| x as f32)).collect()
}

/// Deviations over the mean that the part `p` of a normal distribution lies over, to 0.01 [Hastings 1955, 26.2.23].
fn quantile(p: f64) -> f64 {
    let q = p.clamp(1e-6, 0.5);
    let t = (-2.0 * libm::log(q)).sqrt();
    t - (2.515_517 + 0.802_853 * t + 0.010_328 * t * t)
        / (1.0 + 1.432_788 * t + 0.189_269 * t * t + 0.001_308 * t * t * t)
}
