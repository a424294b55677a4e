//! Interpolated waves around a hull: a lattice in space and time instead of the full sum at every
//! mesh vertex.
//!
//! # Law
//! ```text
//!   f(x, y, t) = Σ w_m(t) Σ b_ij(x, y) f(x_i, y_j, t_m)  (1)  linear in place, cubic in time
//!   p(z') = Σ l_n(z') p(z_n),  z_n = 0, -a, -2a, -4a     (2)  cubic in stretched height
//! ```
//! Lattice points are multiples of fixed steps from the origin and the start time of the world, so
//! (1) depends on position and time only. The position and the age of the cached window affect the
//! cost, but never a bit of the result.
//!
//! # Symbols
//! f surface height and pressure heads at the heights z_n · b, w, l Lagrange weights · a a third of
//! the hull height.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! The relative error of (1) is (k s)²/8 of the wave amplitude in either direction, with s a sixth
//! of the hull radius: 1 % for waves twice as long as the hull diameter. Waves shorter than s are
//! lost. The time step is a 64th of the peak period: the error is 1e-6 of a wave at the peak and
//! 1e-3 at four times its frequency. Below z_3 the tile has no values.
//!
//! # Checked by
//! test/identity/hull.rs, test/determinism/worlds/hull.rs

use crate::waves::{WaveState, is_tide, kernel, set_phases};
use merrow_math::hull_mesh::{lane_groups, lane_groups_mut};
use merrow_math::{Lanes, MAX_LANES, Packed, with_lanes};
use merrow_model::scene::sea::waves::{Components, Waves};
use merrow_model::state::wave_tile::{Fields, SIDE, WaveTile};

/// Number of time steps per peak period.
const STEPS_PER_PERIOD: f64 = 64.0;
/// Number of waves up to which the direct sum is as cheap.
const DIRECT_SUM_LIMIT: usize = 16;

/// Returns true if the lattice is cheaper than the direct sum.
pub fn is_cheaper(waves: &WaveState) -> bool {
    waves.parts.iter().map(|part| part.field.n).sum::<usize>() > DIRECT_SUM_LIMIT
}

/// Updates the tile for a hull around (x, y) [m], W, in these waves at the instant of `now`.
pub fn update_tile(tile: &mut WaveTile, waves: &Waves, now: &WaveState, x: f64, y: f64) {
    (tile.use_avx2, tile.depth) = (now.use_avx2, now.depth);
    if !tile.waves.is_same_instance(waves) {
        tile.waves.seas.clone_from(&waves.seas);
        tile.waves.tide.clone_from(&waves.tide);
        tile.waves.regions.clone_from(&waves.regions);
        let period = waves.latest().map_or(1.0, |sea| sea.requested.tp_s);
        tile.time_step = (period / STEPS_PER_PERIOD * 1e9).max(1e6).round();
        invalidate(tile);
    }
    if !(covers(tile, 0, x) && covers(tile, 1, y)) {
        let corner = [x, y].map(|coordinate| lattice_index(tile, coordinate - tile.radius) - 1);
        for (k, (px, py)) in tile.x.iter_mut().zip(&mut tile.y).enumerate() {
            *px = (corner[0] + k as i64) as f64 * tile.step;
            *py = (corner[1] + k as i64) as f64 * tile.step;
        }
        tile.corner = Some(corner);
        invalidate(tile);
    }
    if now.t_ns != tile.now_ns {
        interpolate_in_time(tile, now);
    }
}

fn invalidate(tile: &mut WaveTile) {
    tile.samples.iter_mut().for_each(|s| s.index = None);
    tile.now_ns = f64::NAN;
}

/// Returns the lattice index before a position; clamped, so that distant positions stay valid
/// integers.
fn lattice_index(tile: &WaveTile, coordinate: f64) -> i64 {
    (coordinate / tile.step).floor().clamp(-1e15, 1e15) as i64
}

fn covers(tile: &WaveTile, axis: usize, coordinate: f64) -> bool {
    let (low, high) = (
        lattice_index(tile, coordinate - tile.radius),
        lattice_index(tile, coordinate + tile.radius) + 1,
    );
    tile.corner
        .is_some_and(|corner| low >= corner[axis] && high < corner[axis] + SIDE as i64)
}

/// Interpolates in time by (1) between four samples around the instant; computes missing
/// samples.
fn interpolate_in_time(tile: &mut WaveTile, now: &WaveState) {
    let t_ns = now.t_ns;
    let step = (t_ns / tile.time_step).floor();
    let first = step as i64 - 1;
    for index in first..first + 4 {
        let slot = index.rem_euclid(4) as usize;
        if tile.samples[slot].index != Some(index) {
            tile.samples[slot].index = Some(index);
            compute_sample(tile, slot, index as f64 * tile.time_step);
        }
    }
    let s = t_ns / tile.time_step - step;
    let weights = [
        -s * (s - 1.0) * (s - 2.0) / 6.0,
        (s + 1.0) * (s - 1.0) * (s - 2.0) / 2.0,
        -(s + 1.0) * s * (s - 2.0) / 2.0,
        (s + 1.0) * s * (s - 1.0) / 6.0,
    ];
    let fields = [0, 1, 2, 3].map(|k| &tile.samples[(first + k).rem_euclid(4) as usize].fields[..]);
    blend_samples(tile.use_avx2, &mut tile.now, weights, fields);
    tile.now_ns = t_ns;
}

/// Computes the fields of a sample at `t_ns`.
fn compute_sample(tile: &mut WaveTile, slot: usize, t_ns: f64) {
    let WaveTile {
        waves,
        phase,
        levels,
        x,
        y,
        samples,
        use_avx2,
        ..
    } = tile;
    let out = &mut samples[slot].fields;
    out.fill([0.0; 4]);
    let mut level = 0.0;
    for (sea, weight) in waves.active_fields(t_ns) {
        let c = &sea.components;
        set_phases(phase, c, t_ns);
        if waves.regions.is_some() && is_tide(waves, sea) {
            level = weight
                * kernel::surface_elevation_and_slope::<Lanes, false>(c, phase, 0.0, 0.0, &mut [])
                    [0];
            continue;
        }
        add_fields(*use_avx2, c, phase, weight, *levels, [x, y], out);
    }
    let Some(regions) = &waves.regions else {
        return;
    };
    for (k, out) in out.iter_mut().enumerate() {
        let region = regions
            .iter()
            .find(|region| region.contains(x[k % SIDE], y[k / SIDE]));
        *out = out.map(|waves| {
            region.map_or(waves + level, |region| region.surface_height(waves, level))
        });
    }
}

/// Writes the surface height [m] and the pressure head of the waves [m] at points in the window to
/// `eta` and `head`.
///
/// `points` holds the coordinates x, y and heights z [m], W, as slices whose length is a multiple
/// of the lane count. The head is the pressure divided by ρ g. Returns false if a point is too
/// deep, or if the tile has no window.
pub fn look_up(tile: &WaveTile, points: [&[f64]; 3], eta: &mut [f64], head: &mut [f64]) -> bool {
    let Some(corner) = tile.corner else {
        return false;
    };
    look_up_from(tile.use_avx2, tile, corner, points, eta, head)
}

#[inline(always)]
fn look_up_in<T: Packed>(
    tile: &WaveTile,
    corner: [i64; 2],
    [x, y, z]: [&[f64]; 3],
    eta: &mut [f64],
    head: &mut [f64],
) -> bool {
    let points = lane_groups(x)
        .iter()
        .zip(lane_groups(y))
        .zip(lane_groups(z));
    for (((x, y), z), (eta, head)) in
        points.zip(lane_groups_mut(eta).iter_mut().zip(lane_groups_mut(head)))
    {
        let fields = lattice_fields::<T>(tile, corner, T::read(x), T::read(y));
        let z = crate::waves::stretched_height(tile.depth, T::read(z), fields[0]);
        if (T::splat(tile.levels[3]) - z).positive_mask() != 0 {
            return false;
        }
        fields[0].write(eta);
        pressure_head(tile, fields, z).write(head);
    }
    true
}

/// Returns the surface height and pressure heads at (x, y) in the window. (1)
#[inline(always)]
fn lattice_fields<T: Packed>(tile: &WaveTile, corner: [i64; 2], x: T, y: T) -> [T; 4] {
    let (x, y) = (x * (1.0 / tile.step), y * (1.0 / tile.step));
    let (west, south) = (x.floor(), y.floor());
    let (column_index, row_index) = (
        west - T::splat(corner[0] as f64),
        south - T::splat(corner[1] as f64),
    );
    let max_index = (SIDE - 2) as f64;
    let (i, j) = (
        column_index.lane_max(0.0).lane_min(max_index),
        row_index.lane_max(0.0).lane_min(max_index),
    );
    // the fraction within the cell is exact for any corner
    let (u, v) = (x - west + (column_index - i), y - south + (row_index - j));
    let index = j * SIDE as f64 + i;
    let mut fields = [[0.0; 4]; MAX_LANES];
    for (lane, fields) in fields.iter_mut().enumerate() {
        let index = index.lane(lane) as usize;
        let (u, v) = (u.lane(lane), v.lane(lane));
        let cell = &tile.now[index..index + SIDE + 2];
        let low = lerp(T::read(&cell[0]), T::read(&cell[1]), u);
        let high = lerp(T::read(&cell[SIDE]), T::read(&cell[SIDE + 1]), u);
        lerp(low, high, v).write(fields);
    }
    [
        column(&fields, 0),
        column(&fields, 1),
        column(&fields, 2),
        column(&fields, 3),
    ]
}

/// Returns the pressure head at the stretched height `z` [m], by cubic interpolation through four
/// heights. (2)
#[inline(always)]
fn pressure_head<T: Packed>(tile: &WaveTile, fields: [T; 4], z: T) -> T {
    let [_, p, q, r] = tile.levels;
    let (p, q, r) = (z - T::splat(p), z - T::splat(q), z - T::splat(r));
    let [s0, s1, s2, s3] = tile.shares;
    let upper = (fields[0] * s0 * p + fields[1] * s1 * z) * (q * r);
    upper + (fields[2] * s2 * r + fields[3] * s3 * q) * (z * p)
}

#[inline(always)]
fn column<T: Packed>([a, b, c, d]: &[[f64; 4]; MAX_LANES], k: usize) -> T {
    T::read(&[a[k], b[k], c[k], d[k]])
}

#[inline(always)]
fn lerp<T: Packed>(a: T, b: T, fraction: f64) -> T {
    a + (b - a) * fraction
}

/// Interpolates in time by (1).
#[inline(always)]
fn blend_samples_in<T: Packed>(
    now: &mut [Fields],
    [wa, wb, wc, wd]: [f64; 4],
    [a, b, c, d]: [&[Fields]; 4],
) {
    for (now, (((a, b), c), d)) in now.iter_mut().zip(a.iter().zip(b).zip(c).zip(d)) {
        let first_half = T::read(a) * wa + T::read(b) * wb;
        (first_half + (T::read(c) * wc + T::read(d) * wd)).write(now);
    }
}

/// Adds the fields of the waves at the points of the lattice. Cosines of sums are computed from the
/// values of the terms.
#[inline(always)]
fn fields<T: Packed>(
    c: &Components,
    phase: &[f64],
    weight: f64,
    levels: [f64; 4],
    [x, y]: [&[f64]; 2],
    out: &mut [Fields],
) {
    let mut east = [[0.0; SIDE]; 2];
    let mut north = [[0.0; SIDE]; 2];
    let mut row = [0.0; SIDE];
    for (i, phase) in phase.iter().enumerate().take(c.a.len()) {
        let (k, q, head) = (c.k[i], c.q[i], c.head[i] * weight);
        if head == 0.0 {
            continue;
        }
        let decay = kernel::exp_nonpositive(T::read(&levels) * k);
        let mut size = [0.0; 4];
        ((decay + T::splat(q) / decay) * head).write(&mut size);
        size[0] = c.a[i] * weight;
        let size = T::read(&size);
        cosines_and_sines::<T>(*phase, c.kx[i], x, &mut east);
        cosines_and_sines::<T>(0.0, c.ky[i], y, &mut north);
        for (j, out) in out.chunks_exact_mut(SIDE).enumerate() {
            for i in (0..SIDE).step_by(T::LANES) {
                let (cosine, sine) = (T::read(&east[0][i..]), T::read(&east[1][i..]));
                (cosine * north[0][j] - sine * north[1][j]).write(&mut row[i..]);
            }
            for (out, cosine) in out.iter_mut().zip(row) {
                (T::read(out) + size * cosine).write(out);
            }
        }
    }
}

/// Computes the cosines and sines along one side of the lattice.
#[inline(always)]
fn cosines_and_sines<T: Packed>(phase: f64, k: f64, points: &[f64], out: &mut [[f64; SIDE]; 2]) {
    for i in (0..SIDE).step_by(T::LANES) {
        let (cosine, sine) = kernel::cos_sin(T::splat(phase) + T::read(&points[i..]) * k);
        cosine.write(&mut out[0][i..]);
        sine.write(&mut out[1][i..]);
    }
}

with_lanes! {
    "avx2",
    fn add_fields(
        c: &Components,
        phase: &[f64],
        weight: f64,
        levels: [f64; 4],
        points: [&[f64]; 2],
        out: &mut [Fields],
    ) = fields
}
with_lanes! {
    "avx2",
    fn blend_samples(now: &mut [Fields], weights: [f64; 4], fields: [&[Fields]; 4])
        = blend_samples_in
}
with_lanes! {
    "avx2",
    fn look_up_from(
        tile: &WaveTile,
        corner: [i64; 2],
        points: [&[f64]; 3],
        eta: &mut [f64],
        head: &mut [f64],
    ) -> bool = look_up_in
}
