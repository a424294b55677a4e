//! Writes rasters in Merrow's raw grid format (docs/reference/water.md): a YAML header and 16-bit integers.

/// Sample positions and number scale of a raster.
#[derive(Clone, Copy, Debug)]
pub struct Raster<'a> {
    /// Name of the file with the numbers.
    pub data: &'a str,
    /// Half the extent towards east and north, about the origin [m].
    pub half_extent: [f64; 2],
    /// Distance between samples [m].
    pub step: f64,
    /// Value of one unit of the stored integers, in `unit`.
    pub factor: f64,
    /// Unit of the values.
    pub unit: &'a str,
}

impl Raster<'_> {
    /// Returns header and numbers of `value` over (x, y) [m].
    pub fn header_and_data(&self, value: impl Fn([f64; 2]) -> f64) -> [Vec<u8>; 2] {
        let Self {
            data,
            half_extent,
            step,
            factor,
            unit,
        } = *self;
        let [nx, ny] = half_extent.map(|half| (2.0 * half / step + 1e-9) as usize + 1);
        let [x0, y0] = [nx, ny].map(|n| -0.5 * step * (n - 1) as f64);
        let mut numbers = Vec::with_capacity(2 * nx * ny);
        for j in 0..ny {
            for i in 0..nx {
                let p = [x0 + step * i as f64, y0 + step * j as f64];
                let stored = (value(p) / factor).round() as i16;
                numbers.extend(stored.to_le_bytes());
            }
        }
        let head = format!(
            "data: {data}\nnumber: i16\nunit: {unit}\nfactor: {factor}\naxes:\n\
             - {{name: y, start: {y0}, step: {step}, count: {ny}}}\n- {{name: x, start: {x0}, step: {step}, count: {nx}}}\n"
        );
        [head.into_bytes(), numbers]
    }
}
