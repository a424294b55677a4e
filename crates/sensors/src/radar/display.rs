//! Plan position display of a radar: the image of its last turn. It is not intended for
//! measurements.

use crate::display::{GreyImage, polar_positions};
use merrow_model::sensor::radar::{RadarSpec, Sweep};
use std::f64::consts::TAU;

/// Number of rows and columns; the maximum range reaches the centre of each side.
const ROWS: usize = 512;

/// Mapping of a pixel: a spoke of the turn, and the half-open interval of its range bins.
#[derive(Clone, Copy, Debug)]
struct PixelMapping {
    pixel: usize,
    spoke: usize,
    bins: [usize; 2],
}

/// Display of one radar: x of the antenna's frame is up, starboard right. Echoes stay visible until
/// the antenna passes again.
#[derive(Clone, Debug, Default)]
pub struct PlanPositionDisplay {
    cells: Vec<PixelMapping>,
    image: GreyImage,
}

impl PlanPositionDisplay {
    /// Adds a sector and returns the display image. Each pixel shows its strongest echo; white is
    /// strength 1.
    pub fn add_sector(&mut self, spec: &RadarSpec, sweep: &Sweep) -> &GreyImage {
        if self.cells.is_empty() {
            self.cells = pixel_mappings(spec);
            self.image.resize(ROWS, ROWS);
        }
        let before = spec.spokes() - (sweep.first % spec.spokes() as u64) as usize;
        for PixelMapping {
            pixel,
            spoke,
            bins: [from, to],
        } in &self.cells
        {
            // spokes are counted since the start
            if let Some(echoes) = sweep.spokes.get((spoke + before) % spec.spokes()) {
                let strength = echoes[*from..*to].iter().copied().fold(0.0, f32::max);
                self.image.pixels[*pixel] = (255.0 * strength).round() as u8;
            }
        }
        &self.image
    }
}

/// Returns the mapping of all pixels within the maximum range.
fn pixel_mappings(spec: &RadarSpec) -> Vec<PixelMapping> {
    let size = 2.0 * spec.radar.max_range_m / ROWS as f64;
    let bin = |r: f64| ((r - spec.radar.min_range_m) / spec.bin()).max(0.0);
    let cell = |(pixel, (distance, bearing)): (usize, (f64, f64))| {
        let (r, turned) = (distance * size, bearing / TAU);
        let spoke =
            ((turned - turned.floor()) * spec.spokes() as f64).round() as usize % spec.spokes();
        let from = bin(r - 0.5 * size) as usize;
        let to = (bin(r + 0.5 * size).ceil() as usize).min(spec.bins());
        (from < to && r < spec.radar.max_range_m).then_some(PixelMapping {
            pixel,
            spoke,
            bins: [from, to],
        })
    };
    let positions = polar_positions([ROWS; 2], [0.5 * ROWS as f64; 2]);
    positions.enumerate().filter_map(cell).collect()
}
