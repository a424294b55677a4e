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
use merrow_model::sensor::camera::{
    CameraKeys, CameraOutput, CameraSpec, Exposure, LensDistortion, RenderQuality,
};
use merrow_model::sensor::lens::{Distortion, Lens};
use merrow_model::state::frames::FrameData;
use merrow_yaml::read::Places;

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

/// Returns the camera of an external view with `size` columns and rows: an ideal lens, automatic
/// exposure, and all outputs.
pub fn view_camera(size: [usize; 2]) -> CameraSpec {
    let lens = Lens {
        focal: [0.75 * size[0] as f64; 2],
        center: size.map(|n| 0.5 * (n as f64 - 1.0)),
        distortion: Distortion::BrownConrady([0.0; 5]),
    };
    let exposure = Exposure {
        exposure_ev100: None,
        auto_exposure_ev100: [-4.0, 18.0],
        gamma: true,
        vignette: 0.0,
        full_well_electrons: 0.0,
        read_noise_electrons: 0.0,
        gain_below_ev100: None,
        f_number: None,
        max_gain_db: 0.0,
        noise_color_cells: 0,
        at: Places::default(),
    };
    let camera = CameraKeys {
        width: size[0] as u32,
        height: size[1] as u32,
        horizontal_fov_deg: None,
        focal_px: Some(lens.focal),
        center_px: None,
        distortion: LensDistortion::PlumbBob {
            k1: 0.0,
            k2: 0.0,
            p1: 0.0,
            p2: 0.0,
            k3: 0.0,
            at: Places::default(),
        },
        flat_port_m: None,
        outputs: Vec::new(),
        render_self: true,
        min_range_m: 0.01,
        max_range_m: 30_000.0,
        readout_s: 0.0,
        exposure_s: 0.0,
        blur_samples: 1,
        antialias: 4,
        stereo_baseline_m: None,
        marine_snow: 0.0,
        jpeg_quality: 90,
        quality: RenderQuality::Full,
        exposure,
        at: Places::default(),
    };
    CameraSpec {
        camera,
        size,
        rays: CameraSpec::pixel_directions(&lens, size),
        lens,
        outputs: CameraOutput::Rgb as u8 | CameraOutput::Depth as u8 | CameraOutput::Labels as u8,
        instants: 1,
        gain_below: 0.0,
        max_gain: f64::INFINITY,
        subpixels: CameraSpec::subpixels(4),
    }
}
