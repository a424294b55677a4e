//! Greyscale images of sensor data for users; not intended for measurements.

/// Greyscale image, one byte per pixel, rows from the top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GreyImage<'a> {
    /// Number of pixel columns.
    pub width: usize,
    /// Number of pixel rows.
    pub height: usize,
    /// Brightness of each pixel, 0..255.
    pub pixels: &'a [u8],
}
