//! Perceptually uniform colour map with brightness increasing with the value.
//!
//! # Law
//! viridis [Smith and van der Walt 2015] at sixteen points with linear interpolation; the maximum
//! error is 0.03.
//!
//! # Symbols
//! Values range from 0, dark violet, to 1, yellow.
//!
//! # Frames
//! Red, green and blue in sRGB.
//!
//! # Limits
//! For display only.
//!
//! # Checked by
//! test/sensors/laser/cloud_display.rs

/// Every seventeenth of the 256 colours.
const VIRIDIS: [[f64; 3]; 16] = [
    [0.267004, 0.004874, 0.329415],
    [0.282656, 0.100196, 0.422160],
    [0.277134, 0.185228, 0.489898],
    [0.253935, 0.265254, 0.529983],
    [0.221989, 0.339161, 0.548752],
    [0.190631, 0.407061, 0.556089],
    [0.163625, 0.471133, 0.558148],
    [0.139147, 0.533812, 0.555298],
    [0.120565, 0.596422, 0.543611],
    [0.134692, 0.658636, 0.517649],
    [0.208030, 0.718701, 0.472873],
    [0.327796, 0.773980, 0.406640],
    [0.477504, 0.821444, 0.318195],
    [0.647257, 0.858400, 0.209861],
    [0.824940, 0.884720, 0.106217],
    [0.993248, 0.906157, 0.143936],
];

/// Returns the colour of a value [-], which is clamped to 0..1. The brightness is multiplied by
/// `light` [-], 0..1.
pub fn viridis(number: f64, light: f64) -> [u8; 3] {
    let last = VIRIDIS.len() - 1;
    // NaN counts as 0
    let place = if number > 0.0 {
        number.min(1.0) * last as f64
    } else {
        0.0
    };
    let k = (place as usize).min(last - 1);
    let part = place - k as f64;
    let mix = |c: usize| VIRIDIS[k][c] + part * (VIRIDIS[k + 1][c] - VIRIDIS[k][c]);
    [0, 1, 2].map(|c| (255.0 * light.clamp(0.0, 1.0) * mix(c)).round() as u8)
}
