//! Demosaicing noise: colour noise of an image from the noise of single pixels of a Bayer mosaic.
//!
//! # Law
//! ```text
//!   raw:      N_i = n where the pixel measures i, else the mean of its nearest neighbours that do  (1)
//!   smoothed: N_i = Σ b n + m_i - (m_R + 2 m_G + m_B)/4,  b of (1 2 1)/4 along either axis         (2)
//!   var N_R = var N_B = (9/64 + 3/(4 c²)) s²,  var N_G = (9/64 + 1/(4 c²)) s²                      (3)
//!   (2) [Alleysson 2005]
//! ```
//! The processing in a camera separates brightness from colour. It keeps the full resolution of the
//! brightness and averages the colour over many more pixels. Night images therefore show grain and
//! pale blotches, not single pixels of saturated colour.
//!
//! # Symbols
//! n noise of the value that a pixel measures, s² its variance · N_i noise of colour i in the image
//! · m_i mean of n over the pixels that measure i in c by c cells of two by two pixels.
//!
//! # Limits
//! - Only noise is processed in this way: the image itself is equally sharp in all colours.
//! - (3) holds for uniform light, away from the edges, for c of 3 and more.
//!
//! # Checked by
//! test/sensors/camera/exposure.rs

/// Returns the index of the colour that a pixel measures (RGGB): 0 red, 1 green, 2 blue.
pub fn bayer_color(column: usize, row: usize) -> usize {
    (column & 1) + (row & 1)
}

/// Noise of an image after demosaicing, by colour.
pub struct DemosaicingNoise {
    /// Noise n of each pixel.
    own: Vec<f32>,
    size: [usize; 2],
    /// m_i - (m_R + 2 m_G + m_B)/4 of each cell; `None` without colour smoothing, which gives (1).
    smooth: Option<Vec<[f32; 3]>>,
}

impl DemosaicingNoise {
    /// Builds the noise of an image from the noise `own` of each pixel's measured colour, row by
    /// row, in any unit.
    ///
    /// Colour is smoothed over `cells` by `cells` cells; 0 disables the smoothing. `size` is
    /// columns and rows.
    pub fn new(own: Vec<f32>, size: [usize; 2], cells: usize) -> Self {
        let smooth = (cells > 0 && size[0] > 1 && size[1] > 1).then(|| smoothed(&own, size, cells));
        Self { own, size, smooth }
    }

    /// Computes the noise of one row, by colour, into `out`, in the unit of `own` of [`Self::new`].
    pub fn noise_row(&self, row: usize, out: &mut [[f32; 3]]) {
        let [columns, rows] = self.size;
        let Some(smooth) = &self.smooth else {
            for (column, out) in out.iter_mut().enumerate() {
                *out = raw_noise(&self.own, self.size, [column, row]);
            }
            return;
        };
        let [s, n] = mirrored_neighbours(row, rows);
        let [low, own, high] = [s, row, n].map(|row| &self.own[row * columns..(row + 1) * columns]);
        // Σ b n of (2): first over the column, with one more value at either end, then along the
        // row.
        let mut vertical = vec![0.0; columns + 2];
        for (vertical, ((l, o), h)) in vertical[1..].iter_mut().zip(low.iter().zip(own).zip(high)) {
            *vertical = 0.25 * (l + h) + 0.5 * o;
        }
        (vertical[0], vertical[columns + 1]) = (vertical[2], vertical[columns - 1]);
        let cells = &smooth[(row / 2).min(rows / 2 - 1) * (columns / 2)..][..columns / 2];
        for (column, (out, three)) in out.iter_mut().zip(vertical.windows(3)).enumerate() {
            let light = 0.25 * (three[0] + three[2]) + 0.5 * three[1];
            *out = cells[(column / 2).min(columns / 2 - 1)].map(|c| light + c);
        }
    }
}

/// Returns the indices of the previous and the next neighbour of `at`, mirrored at an edge.
fn mirrored_neighbours(at: usize, n: usize) -> [usize; 2] {
    let (low, high) = (at.saturating_sub(1), (at + 1).min(n - 1));
    [
        if at == 0 { high } else { low },
        if at + 1 == n { low } else { high },
    ]
}

/// Returns the noise of one pixel without colour smoothing. (1)
fn raw_noise(noise: &[f32], [columns, rows]: [usize; 2], [column, row]: [usize; 2]) -> [f32; 3] {
    let ([w, e], [s, n]) = (
        mirrored_neighbours(column, columns),
        mirrored_neighbours(row, rows),
    );
    let at = |i: usize, j: usize| noise[j * columns + i];
    let own = at(column, row);
    let (horizontal, vertical) = (at(w, row) + at(e, row), at(column, s) + at(column, n));
    if bayer_color(column, row) == 1 {
        let (horizontal, vertical) = (0.5 * horizontal, 0.5 * vertical);
        return if row & 1 == 0 {
            [horizontal, own, vertical]
        } else {
            [vertical, own, horizontal]
        };
    }
    let (cross, corners) = (
        0.25 * (horizontal + vertical),
        0.25 * (at(w, s) + at(e, s) + at(w, n) + at(e, n)),
    );
    if row & 1 == 0 {
        [own, cross, corners]
    } else {
        [corners, cross, own]
    }
}

/// Returns the term of (2) that is added to the brightness noise, by cell.
fn smoothed(noise: &[f32], [width, height]: [usize; 2], cells: usize) -> Vec<[f32; 3]> {
    let [columns, rows] = [width / 2, height / 2];
    let mut own = Vec::with_capacity(columns * rows);
    for pair in noise.chunks_exact(2 * width).take(rows) {
        let (even, odd) = pair.split_at(width);
        let of_cell = |(rg, gb): (&[f32], &[f32])| [rg[0], 0.5 * (rg[1] + gb[0]), gb[1]];
        own.extend(even.chunks_exact(2).zip(odd.chunks_exact(2)).map(of_cell));
    }
    let mut level = vec![[0.0; 3]; own.len()];
    for (from, to) in own
        .chunks_exact(columns)
        .zip(level.chunks_exact_mut(columns))
    {
        smooth_row(from, cells, to);
    }
    let mut out = vec![[0.0; 3]; own.len()];
    for (row, out) in out.chunks_exact_mut(columns).enumerate() {
        let all = window(row, rows, cells);
        let part = 1.0 / all.len() as f32;
        for from in level.chunks_exact(columns).take(all.end).skip(all.start) {
            add_scaled(from.as_flattened(), part, out.as_flattened_mut());
        }
        for [r, g, b] in out {
            let all = 0.25 * (*r + *b) + 0.5 * *g;
            (*r, *g, *b) = (*r - all, *g - all, *b - all);
        }
    }
    out
}

/// Returns the range of `cells` cells around the cell `at` of `n`, clipped to the image.
fn window(at: usize, n: usize, cells: usize) -> std::ops::Range<usize> {
    at.saturating_sub(cells / 2)..(at + cells.div_ceil(2)).min(n)
}

/// Adds to each cell of `to` the mean of `cells` cells around the same cell of `from`.
fn smooth_row(from: &[[f32; 3]], cells: usize, to: &mut [[f32; 3]]) {
    let n = from.len();
    // The windows of the inner cells are not clipped.
    let inner = (cells / 2).min(n)
        ..(n + 1)
            .saturating_sub(cells.div_ceil(2))
            .max(cells / 2)
            .min(n);
    for column in (0..inner.start).chain(inner.end..n) {
        let all = window(column, n, cells);
        let part = 1.0 / all.len() as f32;
        for k in all {
            add_scaled(&from[k], part, &mut to[column]);
        }
    }
    let part = 1.0 / cells as f32;
    for k in 0..if inner.is_empty() { 0 } else { cells } {
        let from = &from[inner.start + k - cells / 2..];
        add_scaled(
            from.as_flattened(),
            part,
            to[inner.clone()].as_flattened_mut(),
        );
    }
}

/// Adds `from` times `part` to `to`, element by element.
fn add_scaled(from: &[f32], part: f32, to: &mut [f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += part * from;
    }
}
