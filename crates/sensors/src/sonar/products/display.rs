//! Display images of sonar pings: a fan, a waterfall, or a rotating sector. They are not intended
//! for measurements.

use crate::display::GreyImage;
use merrow_model::sensor::sonar::Ping;
use merrow_model::sensor::sonar::{SonarKind, SonarSpec};
use std::f64::consts::TAU;

/// Number of rows of a fan, sector or waterfall.
const ROWS: usize = 512;
/// Maximum number of columns of each side of a waterfall.
const SIDE: usize = 512;

/// Display of one sonar, with the pixels of earlier pings.
#[derive(Clone, Debug, Default)]
pub struct SonarDisplay {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl SonarDisplay {
    /// Draws a ping and returns the display image, which keeps earlier pings for side-scan and
    /// scanning sonars.
    pub fn add_ping(&mut self, spec: &SonarSpec, ping: &Ping) -> GreyImage<'_> {
        match spec.kind {
            SonarKind::SideScan => self.draw_waterfall(spec, ping),
            SonarKind::Scanning => self.draw_sector(spec, ping),
            SonarKind::Imaging | SonarKind::Multibeam => self.draw_fan(spec, ping),
        }
        GreyImage {
            width: self.width,
            height: self.height,
            pixels: &self.pixels,
        }
    }

    fn resize(&mut self, width: usize, height: usize) {
        if (self.width, self.height) != (width, height) {
            (self.width, self.height) = (width, height);
            self.pixels = vec![0; width * height];
        }
    }

    /// Draws a fan: forward is up, starboard right, the sonar at the centre of the lower edge.
    fn draw_fan(&mut self, spec: &SonarSpec, ping: &Ping) {
        let beams = spec.steering.len();
        let (first, last) = (spec.steering[0], spec.steering[beams - 1]);
        let half = libm::sin(last.min(0.25 * TAU)).max(0.05);
        self.resize(2 * (half * ROWS as f64).ceil() as usize, ROWS);
        let (scale, center) = (
            spec.sonar.max_range_m / ROWS as f64,
            0.5 * self.width as f64,
        );
        for row in 0..self.height {
            for column in 0..self.width {
                let (x, y) = (column as f64 + 0.5 - center, (ROWS - row) as f64 - 0.5);
                let (r, angle) = ((x * x + y * y).sqrt() * scale, libm::atan2(x, y));
                let beam = (angle - first) / (last - first) * (beams - 1) as f64;
                let inside = beam > -0.5 && beam < beams as f64 - 0.5;
                self.pixels[row * self.width + column] = match range_bin(spec, r) {
                    Some(k) if inside => grey(spec, ping, k, (beam + 0.5) as usize),
                    _ => 0,
                };
            }
        }
    }

    /// Draws a waterfall: the newest line is on top, port is left.
    fn draw_waterfall(&mut self, spec: &SonarSpec, ping: &Ping) {
        let side = spec.bins().min(SIDE);
        self.resize(2 * side, ROWS);
        let below = self.pixels.len() - self.width;
        self.pixels.copy_within(..below, self.width);
        for k in 0..side {
            let bin = k * spec.bins() / side;
            self.pixels[side - 1 - k] = grey(spec, ping, bin, 0);
            self.pixels[side + k] = grey(spec, ping, bin, 1);
        }
    }

    /// Draws a sector: forward is up, the sonar in the centre. Pixels stay visible until the beam
    /// passes again.
    fn draw_sector(&mut self, spec: &SonarSpec, ping: &Ping) {
        self.resize(ROWS, ROWS);
        let (scale, center) = (
            2.0 * spec.sonar.max_range_m / ROWS as f64,
            0.5 * ROWS as f64,
        );
        for row in 0..ROWS {
            for column in 0..ROWS {
                let (x, y) = (column as f64 + 0.5 - center, center - row as f64 - 0.5);
                let off = libm::atan2(x, y) - ping.head;
                let off = off - TAU * (off / TAU).round();
                if off.abs() <= 0.5 * spec.head[0] + 1e-9
                    && let Some(k) = range_bin(spec, (x * x + y * y).sqrt() * scale)
                {
                    self.pixels[row * ROWS + column] = grey(spec, ping, k, 0);
                }
            }
        }
    }
}

/// Returns the bin index of a range; `None` outside of the limits.
fn range_bin(spec: &SonarSpec, r: f64) -> Option<usize> {
    let k = (r - spec.sonar.min_range_m) / spec.bin();
    (k >= 0.0 && k < spec.bins() as f64).then_some(k as usize)
}

fn grey(spec: &SonarSpec, ping: &Ping, bin: usize, beam: usize) -> u8 {
    (ping.levels[bin * spec.steering.len() + beam] >> (spec.sonar.bits - 8)) as u8
}
