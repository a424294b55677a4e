//! What a file of a camera, of a lamp and of the water's light may say.

use merrow_yaml::spec::{choice, fieldless_choice, spec};

spec! {
    /// A camera; x of the sensor's frame looks ahead, y left, z up.
    pub struct CameraFile {
        /// Columns.
        width: u32 [in 1.0..=8192.0],
        /// Rows.
        height: u32 [in 1.0..=8192.0],
        /// Angle from the left edge to the right one; or `focal_px`.
        horizontal_fov_deg: Option<f64> [in 1.0..=359.0],
        /// Focal lengths fx and fy in pixels.
        focal_px: Option<[f64; 2]> [positive],
        /// Principal point cx and cy in pixels, whole numbers in the middle of one; the middle of the picture if not given.
        center_px: Option<[f64; 2]>,
        /// How the lens distorts.
        distortion: DistortionFile => "{kind: plumb_bob}",
        /// Distance of a flat port ahead of the lens; a dome, or none, if not given.
        flat_port_m: Option<f64> [non_negative],
        /// What it gives.
        outputs: Vec<CameraOutputFile> [not_empty] = vec![CameraOutputFile::Rgb],
        /// Whether it sees the robot that carries it.
        sees_self: bool = false,
        /// Least distance that it tells as a depth; of its own robot also the least that it sees.
        min_range_m: f64 [non_negative] = 0.01,
        /// Greatest distance that it sees.
        max_range_m: f64 [positive] = 20000.0,
        /// Time from reading the first row to the last: a rolling shutter.
        readout_s: f64 [non_negative] = 0.0,
        /// Time for which the shutter is open: what moves is blurred.
        exposure_s: f64 [in 0.0..=10.0] = 0.0,
        /// Instants of the exposure that are painted, each as long as a picture without it; nothing that rests is painted twice.
        blur_samples: u32 [in 1.0..=256.0] = 8,
        /// Places in a pixel whose light is summed, each as long as a picture; depths and labels are of its middle.
        antialias: u32 [in 1.0..=16.0] = 1,
        /// How far to the right of a pair's left camera this one is: for the `camera_info` of the right one.
        stereo_baseline_m: Option<f64> [positive],
        /// Particles of marine snow in a cubic metre.
        marine_snow: f64 [in 0.0..=100000.0] = 0.0,
        /// Quality of its JPEG files.
        jpeg_quality: u32 [in 1.0..=100.0] = 90,
        ..exposure: ExposureFile,
    }
}

choice! {
    /// How a lens distorts.
    pub enum DistortionFile {
        /// Brown and Conrady's, OpenCV's standard; all 0 is a pinhole.
        PlumbBob = "plumb_bob" {
            /// Radial, second power.
            k1: f64 = 0.0,
            /// Radial, fourth power.
            k2: f64 = 0.0,
            /// Tangential.
            p1: f64 = 0.0,
            /// Tangential.
            p2: f64 = 0.0,
            /// Radial, sixth power.
            k3: f64 = 0.0,
        },
        /// Kannala and Brandt's, OpenCV's fish-eye; all 0 is equidistant.
        FishEye = "fisheye" {
            /// Third power of the angle.
            k1: f64 = 0.0,
            /// Fifth.
            k2: f64 = 0.0,
            /// Seventh.
            k3: f64 = 0.0,
            /// Ninth.
            k4: f64 = 0.0,
        },
    }
}

fieldless_choice! {
    /// What a camera gives.
    pub enum CameraOutputFile {
        /// Colours.
        Rgb = "rgb",
        /// Depths along the optical axis.
        Depth = "depth",
        /// A number for everything that is seen.
        Labels = "labels",
    }
}

spec! {
    /// How light becomes numbers.
    pub struct ExposureFile {
        /// Exposure value at ISO 100; found from each picture if not given.
        exposure_ev100: Option<f64> [in -20.0..=30.0],
        /// Least and greatest exposure value that it finds.
        auto_exposure_ev100: [f64; 2] [in -20.0..=30.0] = [-2.0, 17.0],
        /// Whether numbers follow sRGB's curve; else they are in proportion to light.
        gamma: bool = true,
        /// Part of its light that the corner loses to the middle.
        vignette: f64 [fraction] = 0.0,
        /// Electrons at saturation, for the noise of light; 0 for none.
        full_well_electrons: f64 [non_negative] = 10000.0,
        /// Standard deviation of what reading adds.
        read_noise_electrons: f64 [non_negative] = 4.0,
        /// Exposure value under which gain stands in for light, and noise grows.
        gain_below_ev100: Option<f64> [in -20.0..=30.0],
        /// Aperture, instead of `gain_below_ev100`: gain begins where `exposure_s`, or the time between two pictures, is too short.
        f_number: Option<f64> [in 0.5..=64.0],
        /// Greatest gain of an exposure that is found; with less light pictures get dark.
        max_gain_db: f64 [in 0.0..=80.0] = 24.0,
        /// Cells of two by two pixels, along a side, over which the colour of noise is smoothed; 0 for none.
        noise_color_cells: u32 [in 0.0..=32.0] = 5,
    }
}

spec! {
    /// A lamp on a robot.
    pub struct LampFile {
        /// Link that carries it; the base if not given.
        link: String [frame] = "base_link".to_string(),
        /// Place on the link.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Where it shines, in the link's axes.
        direction: [f64; 3] = [1.0, 0.0, 0.0],
        /// Full angle of its cone.
        cone_deg: f64 [in 1.0..=180.0] = 80.0,
        /// Luminous flux.
        lumens: f64 [positive],
        /// Colour of its light, the brightest 1.
        color: [f64; 3] [fraction] = [1.0, 1.0, 1.0],
        /// Load of the robot whose level it follows.
        load: Option<String>,
    }
}

spec! {
    /// What the water does to light.
    pub struct OpticsFile {
        /// Jerlov's type.
        jerlov: JerlovFile = JerlovFile::Two,
        /// Attenuation of daylight with depth for red, green and blue, instead of the type's.
        daylight_per_m: Option<[f64; 3]> [positive],
        /// Scattering for red, green and blue, instead of the type's.
        scattering_per_m: Option<[f64; 3]> [positive],
        /// Attenuation of a beam for red, green and blue, instead of what follows from the others.
        beam_per_m: Option<[f64; 3]> [positive],
    }
}

fieldless_choice! {
    /// Jerlov's types, the clearest first.
    pub enum JerlovFile {
        /// Clearest ocean.
        One = "I",
        /// Clear ocean.
        OneA = "IA",
        /// Clear ocean.
        OneB = "IB",
        /// Ocean.
        Two = "II",
        /// Turbid ocean.
        Three = "III",
        /// Clearest coast.
        C1 = "1C",
        /// Coast.
        C3 = "3C",
        /// Coast.
        C5 = "5C",
        /// Turbid coast.
        C7 = "7C",
        /// Most turbid coast.
        C9 = "9C",
    }
}
