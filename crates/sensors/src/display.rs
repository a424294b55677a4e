//! Greyscale images of sensor data for users; not intended for measurements.

/// Greyscale image, one byte per pixel, rows from the top.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GreyImage {
    /// Number of pixel columns.
    pub width: usize,
    /// Number of pixel rows.
    pub height: usize,
    /// Brightness of each pixel, 0..255.
    pub pixels: Vec<u8>,
}

impl GreyImage {
    /// Sets the size; a change of the size blackens the image.
    pub(crate) fn resize(&mut self, width: usize, height: usize) {
        if (self.width, self.height) != (width, height) {
            (self.width, self.height) = (width, height);
            self.pixels = vec![0; width * height];
        }
    }
}

/// Returns for each pixel of an image with `width` columns and `height` rows its distance from
/// `center` (column, row) [pixels] and its bearing from there, clockwise from up [rad].
pub(crate) fn polar_positions(
    [width, height]: [usize; 2],
    center: [f64; 2],
) -> impl Iterator<Item = (f64, f64)> {
    (0..width * height).map(move |pixel| {
        let (x, y) = (
            (pixel % width) as f64 + 0.5 - center[0],
            center[1] - (pixel / width) as f64 - 0.5,
        );
        ((x * x + y * y).sqrt(), libm::atan2(x, y))
    })
}
