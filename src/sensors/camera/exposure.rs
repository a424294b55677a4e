//! From light to numbers.
//!
//! # Law
//! ```text
//!   v = L/(1.2·2^EV) (1 - V r²)                                             (1)  [ISO 2720, saturation]
//!   N = v e/g + √(v e/g) n_1 + σ n_2,  g = 2^(EV_g - EV) ≥ 1                (2)  [EMVA 1288]
//!   sRGB: 12.92 v to v = 0.0031308, then 1.055 v^{1/2.4} - 0.055            (3)  [IEC 61966-2-1]
//! ```
//! An exposure that is found is half-way, in stops, between one that puts the brightest twentieth of the picture at four fifths of saturation and one that puts its
//! median at a fifth.
//!
//! # Symbols
//! L luminance, by colour [cd/m²] · EV exposure value at ISO 100 · V what the corner loses, r distance from the middle over the corner's · e electrons at saturation ·
//! g gain · N electrons · n normal variates · σ of reading.
//!
//! # Frames
//! None.
//!
//! # Limits
//! No white balance: what the water takes is gone from the picture too. No bleeding of pixels, no pattern of filters.
//!
//! # Checked by
//! test/analytic/camera.rs

use crate::math::rng::Draw;
use crate::scene::camera::CameraSpec;
use crate::sensors::sample::Spoiling;
use bytes::Bytes;

/// Part of the pixels that may be brighter than [`BRIGHT`].
const BRIGHTEST: f64 = 0.05;
/// Where they begin, over saturation.
const BRIGHT: f64 = 0.8;
/// Where the median lies.
const MIDDLE: f64 = 0.2;
/// Steps of the table of (3).
const TABLE: usize = 4096;

/// The numbers of a picture.
pub fn develop(spec: &CameraSpec, light: &[[f32; 3]], by: &Spoiling) -> Bytes {
    let exposure = &spec.exposure;
    let ev = exposure.fixed.unwrap_or_else(|| found(light).clamp(exposure.limits[0], exposure.limits[1]));
    let scale = 1.0 / (1.2 * libm::exp2(ev));
    let electrons = exposure.full_well / libm::exp2((exposure.gain_below - ev).max(0.0));
    let noisy = by.noise && exposure.full_well > 0.0;
    let curve = curve(exposure.gamma);
    let [columns, rows] = spec.size;
    let middle = [columns, rows].map(|n| 0.5 * (n as f64 - 1.0));
    let corner = (middle[0] * middle[0] + middle[1] * middle[1]).max(1e-9);
    let mut out = Vec::with_capacity(3 * light.len());
    for (row, line) in light.chunks_exact(columns).enumerate() {
        // a draw for each row, whatever the rows before it drew
        let mut draw = by.stream.draw((by.sample + 1).wrapping_mul(1 << 20).wrapping_add(row as u64));
        for (column, pixel) in line.iter().enumerate() {
            let (dx, dy) = (column as f64 - middle[0], row as f64 - middle[1]);
            let kept = scale * (1.0 - exposure.vignette * (dx * dx + dy * dy) / corner);
            for light in pixel {
                let mut v = f64::from(*light) * kept;
                if noisy {
                    v = counted(v, electrons, exposure.read_noise, &mut draw);
                }
                out.push(curve[(v.clamp(0.0, 1.0) * TABLE as f64 + 0.5) as usize]);
            }
        }
    }
    Bytes::from(out)
}

/// (2)
fn counted(v: f64, electrons: f64, read: f64, draw: &mut Draw) -> f64 {
    let n = v.min(4.0) * electrons;
    // the two are independent, so they are one of the sum of their variances
    (n + (n + read * read).sqrt() * draw.normal()) / electrons
}

/// The exposure value that a picture asks for.
fn found(light: &[[f32; 3]]) -> f64 {
    // an eighth of a stop from 2^-24 to 2^40
    let mut counts = [0_u32; 512];
    for [r, g, b] in light {
        let most = f64::from(r.max(*g).max(*b));
        let step = if most > 0.0 { (8.0 * (libm::log2(most) + 24.0)).clamp(0.0, 511.0) } else { 0.0 };
        counts[step as usize] += 1;
    }
    let over = |part: f64| {
        let (mut left, mut step) = (part * light.len() as f64, 511);
        while step > 0 && left >= f64::from(counts[step]) {
            left -= f64::from(counts[step]);
            step -= 1;
        }
        (step as f64 + 0.5) / 8.0 - 24.0
    };
    let bright = over(BRIGHTEST) - libm::log2(1.2 * BRIGHT);
    let middle = over(0.5) - libm::log2(1.2 * MIDDLE);
    0.5 * (bright + middle)
}

/// (3), or its line.
fn curve(gamma: bool) -> Vec<u8> {
    let number = |k: usize| {
        let v = k as f64 / TABLE as f64;
        let shown = match v {
            v if !gamma => v,
            v if v <= 0.003_130_8 => 12.92 * v,
            v => 1.055 * libm::pow(v, 1.0 / 2.4) - 0.055,
        };
        (255.0 * shown + 0.5) as u8
    };
    (0..=TABLE).map(number).collect()
}
