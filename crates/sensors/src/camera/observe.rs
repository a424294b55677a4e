//! Cameras as exteroceptive sensors, and the camera of an external view.
//!
//! # Law
//! ```text
//!   c = instants × points per pixel × (pixels (PIXEL + lamps LAMP) k + waves)   (1)
//! ```
//! # Symbols
//! c time of an image [ns] · k factor for the number of shapes (`crates/sensors/src/cost.rs`).
//!
//! # Limits
//! As in `crates/sensors/src/cost.rs`.
//!
//! # Checked by
//! test/budget/cost.rs

use crate::camera::render_image;
use crate::cost::CostSite;
use crate::exteroceptive::{Observation, Observe};
use merrow_model::sensor::camera::{CameraOutput, CameraSpec, RenderQuality};
use merrow_model::state::frames::FrameData;

/// Pixel of a camera above flat water, above waves, and under water [ns].
const PIXEL: [f64; 3] = [310.0, 450.0, 290.0];
/// Lamp per pixel, above and under water [ns].
const LAMP: [f64; 2] = [50.0, 25.0];
/// Time of an image of the quality `fast` relative to `full`.
const FAST: f64 = 0.35;
/// Pixel of a depth image without colour [ns].
const DEPTH: f64 = 140.0;

impl Observe for CameraSpec {
    fn observe(&self, sample: &Observation<'_>) -> FrameData {
        FrameData::CameraImages(render_image(self, sample))
    }

    fn cost(&self, site: &CostSite<'_>) -> f64 {
        let (world, pixels) = (site.world, (self.size[0] * self.size[1]) as f64);
        if !CameraOutput::Rgb.is_enabled_in(self.outputs) {
            return pixels * DEPTH * world.scene_factor;
        }
        let is_wet = site.z < 0.0;
        let kind = if is_wet {
            2
        } else {
            usize::from(world.waves[0] > 0.0)
        };
        let instants = if self.camera.exposure_s > 0.0 {
            self.instants as f64
        } else {
            1.0
        };
        let points = self.subpixels.len().max(1) as f64;
        let quality = match self.camera.quality {
            RenderQuality::Full => 1.0,
            RenderQuality::Fast => FAST,
        };
        let pixel = quality * (PIXEL[kind] + world.lamps * LAMP[usize::from(is_wet)]);
        instants * points * (pixels * world.scene_factor * pixel + world.waves[1]) // (1)
    }
}
