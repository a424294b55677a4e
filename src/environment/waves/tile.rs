//! The waves about a hull, from a lattice in place and time instead of the sum at every corner.
//!
//! # Law
//! ```text
//!   f(x, y, t) = Σ w_m(t) Σ b_ij(x, y) f(x_i, y_j, t_m)          (1)  linear in place, cubic in time
//!   p(z') = Σ l_n(z') p(z_n),  z_n = 0, -a, -2a, -4a             (2)  cubic in stretched height
//! ```
//! Lattice points are multiples of fixed steps from the world's origin and the world's start, so that (1) depends on place and time alone:
//! which window of the lattice is kept, and since when, changes the cost and never a bit.
//!
//! # Symbols
//! f surface and pressure heads at the heights z_n · b, w, l Lagrange's weights · a a third of the hull's height.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! (1) is off by (k s)²/8 of a wave's amplitude in either direction, s a sixth of the hull's radius: 1 % of waves twice as long as
//! the hull's diameter, and a few waves shorter than s are lost. In time a 64th of the peak's period is one step: 1e-6 of a wave at the
//! peak, 1e-3 at four times its frequency. Lower than z_3 the tile says nothing.
//!
//! # Checked by
//! test/identity/hull.rs, test/determinism/hull.rs

use super::{WavesNow, kernel};
use crate::scene::waves::{Components, LANES, Waves};
use crate::state::wave_tile::{Fields, Snapshot, WaveTile};
use std::sync::Arc;

/// Lattice steps in a hull's radius.
const STEPS: usize = 6;
/// Points along a side of the window: the hull's diameter, its ends, and a step on both sides to go before it has to move.
const SIDE: usize = 2 * STEPS + 4;
/// Time steps in the peak's period.
const TIMES: f64 = 64.0;
/// Seas that follow one another, and waves in one, at most; more cost an allocation.
const SEAS_MAX: usize = 3;
/// See there.
const WAVES_MAX: usize = 2000 + LANES;
/// Waves up to which the sum itself is as cheap.
const FEW: usize = 16;

impl WaveTile {
    /// For a hull of this radius and height [m]; the only allocation.
    pub fn new(radius: f64, height: f64) -> Self {
        let n = SIDE * SIDE;
        let a = height / 3.0;
        let snapshot = Snapshot { index: None, fields: vec![[0.0; 4]; n] };
        Self {
            radius,
            step: radius / STEPS as f64,
            levels: [0.0, -a, -2.0 * a, -4.0 * a],
            shares: [8.0, -3.0, 4.0, -24.0].map(|share| 1.0 / (share * a * a * a)),
            time_step: 0.0,
            corner: None,
            x: vec![0.0; n],
            y: vec![0.0; n],
            snapshots: std::array::from_fn(|_| snapshot.clone()),
            waves: Waves { seas: Vec::with_capacity(SEAS_MAX), tide: None, regions: None },
            depth: f64::INFINITY,
            phase: Vec::with_capacity(WAVES_MAX),
            now: vec![[0.0; 4]; n],
            now_ns: f64::NAN,
        }
    }

    /// True if the lattice is cheaper than the sum.
    pub fn pays(waves: &WavesNow) -> bool {
        waves.parts.iter().map(|part| part.field.n).sum::<usize>() > FEW
    }

    /// Moves to a hull about (x, y) [m] in these waves at the instant of `now`.
    pub fn set(&mut self, waves: &Waves, now: &WavesNow, x: f64, y: f64) {
        if !self.waves.is(waves) {
            self.waves.seas.clone_from(&waves.seas);
            self.waves.tide.clone_from(&waves.tide);
            self.waves.regions.clone_from(&waves.regions);
            let period = waves.latest().map_or(1.0, |sea| sea.asked.tp);
            self.time_step = (period / TIMES * 1e9).max(1e6).round();
            self.depth = now.depth;
            self.forget();
        }
        if !(self.holds(0, x) && self.holds(1, y)) {
            let corner = [x, y].map(|at| self.point(at - self.radius) - 1);
            for (k, (px, py)) in self.x.iter_mut().zip(&mut self.y).enumerate() {
                *px = (corner[0] + (k % SIDE) as i64) as f64 * self.step;
                *py = (corner[1] + (k / SIDE) as i64) as f64 * self.step;
            }
            self.corner = Some(corner);
            self.forget();
        }
        if now.t_ns != self.now_ns {
            self.blend(now);
        }
    }

    fn forget(&mut self) {
        self.snapshots.iter_mut().for_each(|s| s.index = None);
        self.now_ns = f64::NAN;
    }

    /// The lattice point before a place; what is lost far from everything stays a number.
    fn point(&self, at: f64) -> i64 {
        (at / self.step).floor().clamp(-1e15, 1e15) as i64
    }

    fn holds(&self, axis: usize, at: f64) -> bool {
        let (low, high) = (self.point(at - self.radius), self.point(at + self.radius) + 1);
        self.corner.is_some_and(|corner| low >= corner[axis] && high < corner[axis] + SIDE as i64)
    }

    /// (1) in time: four snapshots about the instant, found where they are not known.
    fn blend(&mut self, now: &WavesNow) {
        let t_ns = now.t_ns;
        let step = (t_ns / self.time_step).floor();
        let first = step as i64 - 1;
        for index in first..first + 4 {
            let place = index.rem_euclid(4) as usize;
            if self.snapshots[place].index != Some(index) {
                self.snapshots[place].index = Some(index);
                self.find(place, index as f64 * self.time_step, now.wide);
            }
        }
        let s = t_ns / self.time_step - step;
        let weights = [
            -s * (s - 1.0) * (s - 2.0) / 6.0,
            (s + 1.0) * (s - 1.0) * (s - 2.0) / 2.0,
            -(s + 1.0) * s * (s - 2.0) / 2.0,
            (s + 1.0) * s * (s - 1.0) / 6.0,
        ];
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| &self.snapshots[(first + k).rem_euclid(4) as usize].fields);
        let [wa, wb, wc, wd] = weights;
        for (now, (((a, b), c), d)) in self.now.iter_mut().zip(a.iter().zip(b).zip(c).zip(d)) {
            for k in 0..4 {
                now[k] = (wa * a[k] + wb * b[k]) + (wc * c[k] + wd * d[k]);
            }
        }
        self.now_ns = t_ns;
    }

    /// The fields of a snapshot at `t_ns`.
    fn find(&mut self, place: usize, t_ns: f64, wide_registers: bool) {
        let Self { waves, phase, levels, x, y, snapshots, .. } = self;
        let out = &mut snapshots[place].fields;
        out.fill([0.0; 4]);
        let mut level = 0.0;
        for (sea, weight) in waves.present(t_ns) {
            let c = &sea.components;
            let t = t_ns * 1e-9;
            phase.clear();
            phase.extend(c.omega.iter().zip(&c.phase).map(|(w, p)| kernel::reduce(p - w * t)));
            if waves.regions.is_some() && waves.tide.as_ref().is_some_and(|tide| Arc::ptr_eq(tide, sea)) {
                level = weight * kernel::surface(c, phase, 0.0, 0.0)[0];
                continue;
            }
            #[cfg(target_arch = "x86_64")]
            if wide_registers {
                // SAFETY: the processor has these instructions, as `WavesNow::default` has seen
                unsafe { wide(c, phase, weight, *levels, [x, y], out) };
                continue;
            }
            fields(c, phase, weight, *levels, [x, y], out);
        }
        let Some(regions) = &waves.regions else { return };
        for ((x, y), out) in x.iter().zip(y.iter()).zip(out) {
            let region = regions.iter().find(|region| region.holds(*x, *y));
            *out = out.map(|waves| region.map_or(waves + level, |region| region.over(waves, level)));
        }
    }

    /// Surface and heads over (x, y), which lies in the window. (1)
    #[inline(always)]
    fn fields(&self, corner: [i64; 2], x: f64, y: f64) -> Fields {
        let (u, v) = (x / self.step - corner[0] as f64, y / self.step - corner[1] as f64);
        let most = (SIDE - 2) as f64;
        let (i, j) = (u.floor().clamp(0.0, most), v.floor().clamp(0.0, most));
        let (u, v) = (u - i, v - j);
        let at = j as usize * SIDE + i as usize;
        let row = |at: usize| {
            let (a, b) = (&self.now[at], &self.now[at + 1]);
            std::array::from_fn::<f64, 4, _>(|k| a[k] + u * (b[k] - a[k]))
        };
        let (a, b) = (row(at), row(at + SIDE));
        std::array::from_fn(|k| a[k] + v * (b[k] - a[k]))
    }

    /// Height of the surface over (x, y), and what the waves add to the pressure at height `z` under it, over ρ g [m]; none if that
    /// is too deep.
    #[inline(always)]
    pub fn at(&self, x: f64, y: f64, z: f64) -> Option<(f64, f64)> {
        let fields = self.fields(self.corner?, x, y);
        let eta = fields[0];
        if z >= eta {
            return Some((eta, 0.0));
        }
        let z = super::stretched(self.depth, z, eta);
        let [_, p, q, r] = self.levels;
        if z < r {
            return None;
        }
        // (2): cubic through four heights
        let (top, bottom) = (z * (z - p), (z - q) * (z - r));
        let [s0, s1, s2, s3] = self.shares;
        let upper = (fields[0] * s0 * (z - p) + fields[1] * s1 * z) * bottom;
        let head = upper + (fields[2] * s2 * (z - r) + fields[3] * s3 * (z - q)) * top;
        Some((eta, head))
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn wide(c: &Components, phase: &[f64], weight: f64, levels: [f64; 4], at: [&[f64]; 2], out: &mut [Fields]) {
    fields(c, phase, weight, levels, at, out);
}

#[inline(always)]
fn fields(
    c: &Components,
    phase: &[f64],
    weight: f64,
    levels: [f64; 4],
    [x, y]: [&[f64]; 2],
    out: &mut [Fields],
) {
    for (i, phase) in phase.iter().enumerate().take(c.a.len()) {
        let (k, kx, ky, q, head) = (c.k[i], c.kx[i], c.ky[i], c.q[i], c.head[i] * weight);
        if head == 0.0 {
            continue;
        }
        let at = |z: f64| {
            let sinking = kernel::decay(k * z);
            head * (sinking + q / sinking)
        };
        let size = [c.a[i] * weight, at(levels[1]), at(levels[2]), at(levels[3])];
        for ((x, y), out) in x.iter().zip(y).zip(out.iter_mut()) {
            let cos = kernel::cos(phase + kx * x + ky * y);
            for (out, size) in out.iter_mut().zip(size) {
                *out += size * cos;
            }
        }
    }
}
