//! Exposure, gain, noise and response curve: from luminance to 8-bit pixel values.
//!
//! # Law
//! ```text
//!   v = L/(1.2·2^EV) (1 - V r²)                                   (1)  [ISO 2720, saturation]
//!   N = v e/g + √(v e/g) n_1 + σ n_2,  g = 2^(EV_g - EV) ≥ 1      (2)  [EMVA 1288]
//!   sRGB: 12.92 v to v = 0.0031308, then 1.055 v^{1/2.4} - 0.055  (3)  [IEC 61966-2-1]
//! ```
//! As the scene darkens, the exposure time rises first. It reaches its maximum at EV_g. Below EV_g
//! the gain rises to its limit. Below that limit images darken.
//! ```text
//!   EV_g = log2(K²/t),  g ≤ 10^(G/20)                                       (4)  [ISO 2720]
//! ```
//! Automatic exposure uses the mean, in stops, of two exposure values. The first puts the brightest
//! twentieth of the pixels at four fifths of saturation. The second puts the median at a fifth.
//!
//! # Symbols
//! L luminance, by colour [cd/m²] · EV exposure value at ISO 100 · V loss of light in the corner
//! (vignetting), r distance from the image centre divided by the distance of the corner · e
//! electrons at saturation · g gain, G its limit [dB] · K f-number, t longest exposure time [s] · N
//! electrons · n standard normal variates · σ read noise.
//!
//! Each pixel measures one colour of a Bayer mosaic; `demosaicing_noise` computes the noise of the
//! other two. Values are dithered before rounding, so that their mean over neighbouring pixels is
//! exact and smooth gradients such as fog show no steps.
//!
//! # Limits
//! - No white balance: colours that the water absorbs are missing from the image.
//! - No blooming.
//! - The normal variates of (2) are quantiles of 4096 equally probable intervals, up to 3.7.
//! - Demosaicing does not reduce sharpness; it affects only the noise.
//! - Motion blur uses the shutter time of the world file, in bright light too.
//!
//! # Checked by
//! test/sensors/camera.rs, test/sensors/camera/exposure.rs

use crate::camera::demosaicing_noise::{DemosaicingNoise, bayer_color};
use crate::sample::SampleErrors;
use bytes::Bytes;
use merrow_math::rng::Draw;
use merrow_model::sensor::camera::{CameraSpec, RenderQuality};
use std::sync::OnceLock;

/// Fraction of the pixels that may be brighter than [`MIN_BRIGHT_LEVEL`].
const BRIGHT_PIXEL_FRACTION: f64 = 0.05;
/// Lower bound of the brightest pixels, over saturation.
const MIN_BRIGHT_LEVEL: f64 = 0.8;
/// Target of the median, over saturation.
const TARGET_MEDIAN: f64 = 0.2;
/// Number of intervals in the table of (3).
const TABLE_INTERVALS: usize = 4096;
/// Table of (3), for every value that a masked index can take.
type Curve = [u32; 2 * TABLE_INTERVALS];
/// Number of bits of an index in the table of normal quantiles, and the number of its elements.
const QUANTILE_BITS: u32 = 12;
const QUANTILES: usize = 1 << QUANTILE_BITS;
/// Table of normal quantiles.
type Quantiles = [f32; QUANTILES];
/// Adding this constant to an f32 rounds it to an integer, which is left in the lowest bits.
const ROUND: f32 = 8_388_608.0;
/// Mask of the mantissa bits of an f32.
const MANTISSA_MASK: u32 = (1 << 23) - 1;

/// Converts the radiance of all pixels to interleaved 8-bit RGB values. (1), (2), (3)
///
/// `light` holds one linear RGB luminance per pixel [cd/m²], row by row; `errors` switches the
/// noise and gives its random stream.
pub(crate) fn to_rgb8(spec: &CameraSpec, light: &[[f32; 3]], errors: &SampleErrors) -> Bytes {
    let exposure = &spec.camera.exposure;
    let pixel_step = match spec.camera.quality {
        RenderQuality::Full => 1,
        RenderQuality::Fast => 3,
    };
    let ev = exposure
        .exposure_ev100
        .unwrap_or_else(|| spec.clamp_exposure(auto_exposure_value(light, pixel_step)));
    let scale = 1.0 / (1.2 * libm::exp2(ev));
    let electrons = exposure.full_well_electrons / libm::exp2((spec.gain_below - ev).max(0.0));
    let noisy = errors.noise && exposure.full_well_electrons > 0.0;
    let [columns, rows] = spec.size;
    let center = [columns, rows].map(|n| 0.5 * (n as f64 - 1.0));
    let corner = (center[0] * center[0] + center[1] * center[1]).max(1e-9);
    // Scale factor of each value of a row, by pixel and colour.
    let mut scales = vec![[scale as f32; 3]; columns];
    let update_scales = |row: usize, scales: &mut [[f32; 3]]| {
        if exposure.vignette != 0.0 {
            for (column, scale_here) in scales.iter_mut().enumerate() {
                let (dx, dy) = (column as f64 - center[0], row as f64 - center[1]);
                let loss = exposure.vignette * (dx * dx + dy * dy) / corner;
                *scale_here = [(scale * (1.0 - loss)) as f32; 3];
            }
        }
    };
    let mut noise = vec![0.0_f32; if noisy { light.len() } else { 0 }];
    let read = exposure.read_noise_electrons;
    let [electrons, read, per_electron] =
        [electrons, read * read, 1.0 / electrons].map(|x| x as f32);
    // (2): standard deviation at a pixel value over saturation. Shot noise and read noise are
    // independent, so their variances add.
    let deviation = |v: f32| (v.min(4.0) * electrons + read).sqrt() * per_electron;
    for (row, line) in noise.chunks_exact_mut(columns).enumerate() {
        // Each row has its own random stream, independent of the rows before it.
        normal_variates(errors.draw(row as u64), line);
        update_scales(row, &mut scales);
        let pixels = &light[row * columns..][..columns];
        for (column, ((noise, pixel), scale)) in
            line.iter_mut().zip(pixels).zip(&scales).enumerate()
        {
            *noise *= deviation(pixel[bayer_color(column, row)] * scale[0]);
        }
    }
    let demosaicing_noise =
        noisy.then(|| DemosaicingNoise::new(noise, spec.size, exposure.noise_color_cells as usize));
    let (mut added, mut offsets) = (vec![[0.0; 3]; columns], vec![0; columns]);
    let mut steps = vec![[0; 3]; columns];
    let mut out = vec![[0; 3]; light.len()];
    for (row, (pixels, out)) in light
        .chunks_exact(columns)
        .zip(out.chunks_exact_mut(columns))
        .enumerate()
    {
        if let Some(demosaicing_noise) = &demosaicing_noise {
            demosaicing_noise.noise_row(row, &mut added);
        }
        update_scales(row, &mut scales);
        dither_offsets(row, &mut offsets);
        table_steps(pixels, &scales, &added, &mut steps);
        encode(exposure.gamma, &steps, &offsets, out);
    }
    Bytes::from(out.into_flattened())
}

/// Computes the index in the table of (3) of each value of a row: its luminance times its scale
/// factor plus its noise, over saturation.
fn table_steps(
    pixels: &[[f32; 3]],
    scales: &[[f32; 3]],
    added: &[[f32; 3]],
    steps: &mut [[u32; 3]],
) {
    let values = pixels.as_flattened().iter().zip(scales.as_flattened());
    let values = values.zip(added.as_flattened());
    for (step, ((pixel, scale), added)) in steps.as_flattened_mut().iter_mut().zip(values) {
        let v = pixel * scale + added;
        let v = if v > 0.0 { v } else { 0.0 };
        let v = if v < 1.0 { v } else { 1.0 };
        *step = (v * TABLE_INTERVALS as f32 + ROUND).to_bits() & (2 * TABLE_INTERVALS as u32 - 1);
    }
}

/// Converts table indices to 8-bit values. (3)
fn encode(gamma: bool, steps: &[[u32; 3]], offsets: &[u32], out: &mut [[u8; 3]]) {
    static CURVES: [OnceLock<Box<Curve>>; 2] = [const { OnceLock::new() }; 2];
    let curve = CURVES[usize::from(gamma)].get_or_init(|| curve(gamma));
    for (out, (steps, offset)) in out.iter_mut().zip(steps.iter().zip(offsets)) {
        let value = |step: u32| {
            let step = step as usize & (2 * TABLE_INTERVALS - 1);
            ((curve[step] + offset) >> 8) as u8
        };
        *out = steps.map(value);
    }
}

/// Fills a row with standard normal variates from a table of quantiles. Five indices come from the
/// bits of one random number.
fn normal_variates(mut draw: Draw, out: &mut [f32]) {
    static TABLE: OnceLock<Box<Quantiles>> = OnceLock::new();
    let table = TABLE.get_or_init(quantiles);
    let mut state = (draw.uniform() * (1_u64 << 53) as f64) as u64;
    for five in out.chunks_mut(5) {
        // The generator SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let mut bits = bits ^ (bits >> 31);
        for out in five {
            *out = table[bits as usize & (QUANTILES - 1)];
            bits >>= QUANTILE_BITS;
        }
    }
}

/// Returns the medians of equally probable intervals of the normal distribution, scaled to the
/// variance 1.
fn quantiles() -> Box<Quantiles> {
    let mut table = Box::new([0.0; QUANTILES]);
    let mut x = 0.0;
    let mut squares = 0.0;
    let mut half = [0.0; QUANTILES / 2];
    for (k, half) in half.iter_mut().enumerate() {
        let p = 0.5 + (k as f64 + 0.5) / QUANTILES as f64;
        // Newton's method from the quantile before.
        for _ in 0..20 {
            let density = libm::exp(-0.5 * x * x) / std::f64::consts::TAU.sqrt();
            let error = p - (1.0 - 0.5 * libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2));
            x += error / density;
        }
        *half = x;
        squares += x * x;
    }
    let scale = 1.0 / (2.0 * squares / QUANTILES as f64).sqrt();
    for (k, x) in half.iter().enumerate() {
        let x = (scale * x) as f32;
        (table[QUANTILES / 2 + k], table[QUANTILES / 2 - 1 - k]) = (x, -x);
    }
    table
}

/// Computes the dither offsets of a row before truncation, in 256ths: interleaved gradient noise,
/// whose mean over neighbouring pixels is exact [Jimenez 2014].
fn dither_offsets(row: usize, out: &mut [u32]) {
    let part = |x: f32| {
        let part = x - ((x + ROUND) - ROUND);
        if part < 0.0 { part + 1.0 } else { part }
    };
    // Only the fraction counts, and it is computed in double precision.
    let first = 0.005_837_15 * f64::from(row as u32);
    let first = (first - first.floor()) as f32;
    for (column, out) in out.iter_mut().enumerate() {
        let at = 0.067_110_56 * (column as u32 as i32 as f32) + first;
        let value = 256.0 * part(52.982_918 * part(at)) - 0.5;
        *out = (if value > 0.0 { value } else { 0.0 } + ROUND).to_bits() & 255;
    }
}

/// Returns the exposure value that the automatic exposure selects from every `pixel_step`-th pixel
/// of an image.
fn auto_exposure_value(light: &[[f32; 3]], pixel_step: usize) -> f64 {
    // Histogram with bins of an eighth of a stop, from 2^-24 to 2^40.
    let mut counts = [0_u32; 512];
    // Mantissa at which each eighth of a stop begins.
    let eighths = [1, 2, 3, 4, 5, 6, 7]
        .map(|k| (libm::exp2(f64::from(k) / 8.0) as f32).to_bits() & MANTISSA_MASK);
    for [r, g, b] in light.iter().step_by(pixel_step) {
        let bits = r.max(*g).max(*b).max(0.0).to_bits();
        let eighth = eighths
            .iter()
            .map(|from| i32::from(bits & MANTISSA_MASK >= *from))
            .sum::<i32>();
        let step = 8 * ((bits >> 23) as i32 - 127 + 24) + eighth;
        counts[step.clamp(0, 511) as usize] += 1;
    }
    let upper_quantile = |part: f64| {
        let (mut left, mut step) = (part * light.len().div_ceil(pixel_step) as f64, 511);
        while step > 0 && left >= f64::from(counts[step]) {
            left -= f64::from(counts[step]);
            step -= 1;
        }
        (step as f64 + 0.5) / 8.0 - 24.0
    };
    let bright = upper_quantile(BRIGHT_PIXEL_FRACTION) - libm::log2(1.2 * MIN_BRIGHT_LEVEL);
    let median = upper_quantile(0.5) - libm::log2(1.2 * TARGET_MEDIAN);
    0.5 * (bright + median)
}

/// Returns the lookup table of (3), or of a linear response without `gamma`, in 256ths of an output
/// step.
fn curve(gamma: bool) -> Box<Curve> {
    let number = |k: usize| {
        let v = k as f64 / TABLE_INTERVALS as f64;
        let encoded = match v {
            v if !gamma => v,
            v if v <= 0.003_130_8 => 12.92 * v,
            v => 1.055 * libm::pow(v, 1.0 / 2.4) - 0.055,
        };
        (256.0 * 255.0 * encoded + 0.5) as u32
    };
    // Covers all values that the masked index can take.
    let mut curve = Box::new([0; 2 * TABLE_INTERVALS]);
    for (k, out) in curve.iter_mut().enumerate() {
        *out = number(k.min(TABLE_INTERVALS));
    }
    curve
}
