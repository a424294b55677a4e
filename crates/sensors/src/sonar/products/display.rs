//! Display images of sonar pings: a fan, a waterfall, or a rotating sector. They are not intended
//! for measurements.

use crate::display::{GreyImage, polar_positions};
use merrow_model::sensor::sonar::{Ping, SonarKind, SonarSpec};
use std::f64::consts::TAU;

/// Number of rows of a fan, sector or waterfall.
const ROWS: usize = 512;
/// Maximum number of columns of each side of a waterfall.
const SIDE: usize = 512;

/// Display of one sonar, with the pixels of earlier pings.
#[derive(Clone, Debug, Default)]
pub struct SonarDisplay(GreyImage);

impl SonarDisplay {
    /// Draws a ping and returns the display image, which keeps earlier pings for side-scan and
    /// scanning sonars.
    pub fn add_ping(&mut self, spec: &SonarSpec, ping: &Ping) -> &GreyImage {
        match spec.kind {
            SonarKind::SideScan => self.draw_waterfall(spec, ping),
            SonarKind::Scanning => self.draw_sector(spec, ping),
            SonarKind::Imaging | SonarKind::Multibeam => self.draw_fan(spec, ping),
        }
        &self.0
    }

    /// Draws a fan: forward is up, starboard right, the sonar at the centre of the lower edge.
    fn draw_fan(&mut self, spec: &SonarSpec, ping: &Ping) {
        let beams = spec.steering.len();
        let (first, last) = (spec.steering[0], spec.steering[beams - 1]);
        let half = libm::sin(last.min(0.25 * TAU)).max(0.05);
        let width = 2 * (half * ROWS as f64).ceil() as usize;
        self.0.resize(width, ROWS);
        let scale = spec.sonar.max_range_m / ROWS as f64;
        let positions = polar_positions([width, ROWS], [0.5 * width as f64, ROWS as f64]);
        for (pixel, (distance, bearing)) in self.0.pixels.iter_mut().zip(positions) {
            let beam = (bearing - first) / (last - first) * (beams - 1) as f64;
            let inside = beam > -0.5 && beam < beams as f64 - 0.5;
            *pixel = match range_bin(spec, distance * scale) {
                Some(k) if inside => grey(spec, ping, k, (beam + 0.5) as usize),
                _ => 0,
            };
        }
    }

    /// Draws a waterfall: the newest line is on top, port is left.
    fn draw_waterfall(&mut self, spec: &SonarSpec, ping: &Ping) {
        let side = spec.bins().min(SIDE);
        self.0.resize(2 * side, ROWS);
        let pixels = &mut self.0.pixels;
        let below = pixels.len() - 2 * side;
        pixels.copy_within(..below, 2 * side);
        for k in 0..side {
            let bin = k * spec.bins() / side;
            pixels[side - 1 - k] = grey(spec, ping, bin, 0);
            pixels[side + k] = grey(spec, ping, bin, 1);
        }
    }

    /// Draws a sector: forward is up, the sonar in the centre. Pixels stay visible until the beam
    /// passes again.
    fn draw_sector(&mut self, spec: &SonarSpec, ping: &Ping) {
        self.0.resize(ROWS, ROWS);
        let scale = 2.0 * spec.sonar.max_range_m / ROWS as f64;
        let positions = polar_positions([ROWS; 2], [0.5 * ROWS as f64; 2]);
        for (pixel, (distance, bearing)) in self.0.pixels.iter_mut().zip(positions) {
            let off = bearing - ping.head;
            let off = off - TAU * (off / TAU).round();
            if off.abs() <= 0.5 * spec.head[0] + 1e-9
                && let Some(k) = range_bin(spec, distance * scale)
            {
                *pixel = grey(spec, ping, k, 0);
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
