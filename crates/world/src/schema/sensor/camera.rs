//! Keys of cameras, lamps and the optical properties of water.

use merrow_yaml::spec::{choice, fieldless_choice, spec};

spec! {
    /// A camera. In the sensor frame, x is the viewing direction, y points left and z up.
    pub struct CameraConfig {
        /// Image width: number of columns.
        width: u32 [in 1.0..=8192.0],
        /// Image height: number of rows.
        height: u32 [in 1.0..=8192.0],
        /// Angle from the left to the right edge of the image. Give either this or `focal_px`.
        horizontal_fov_deg: Option<f64> [in 1.0..=359.0],
        /// Focal lengths fx and fy in pixels.
        focal_px: Option<[f64; 2]> [positive],
        /// Principal point cx and cy in pixels; integers are pixel centres. Default: the image
        /// centre.
        center_px: Option<[f64; 2]>,
        /// Distortion model of the lens.
        distortion: DistortionConfig => "{kind: plumb_bob}",
        /// Distance of a flat port from the lens. Default: a dome port, or none.
        flat_port_m: Option<f64> [non_negative],
        /// Outputs of the camera.
        outputs: Vec<CameraOutputConfig> [not_empty] = vec![CameraOutputConfig::Rgb],
        /// Whether the camera renders the robot that carries it.
        render_self: bool = false,
        /// Minimum distance of the depth output. For the camera's own robot it is also the minimum
        /// distance that is rendered.
        min_range_m: f64 [non_negative] = 0.01,
        /// Maximum distance that is rendered.
        max_range_m: f64 [positive] = 20000.0,
        /// Time from the readout of the first row to the last, for a rolling shutter.
        readout_s: f64 [non_negative] = 0.0,
        /// Exposure time; moving objects are blurred.
        exposure_s: f64 [in 0.0..=10.0] = 0.0,
        /// Number of instants of the exposure that are rendered. Each takes as long as an image
        /// without blur; static objects are rendered once.
        blur_samples: u32 [in 1.0..=256.0] = 8,
        /// Number of samples per pixel whose light is averaged. Each takes as long as an image;
        /// depth and labels use the pixel centre.
        antialias: u32 [in 1.0..=16.0] = 1,
        /// Distance of this camera to the right of the left camera of a stereo pair, for the
        /// `camera_info` of the right camera.
        stereo_baseline_m: Option<f64> [positive],
        /// Number of marine snow particles per cubic metre.
        marine_snow: f64 [in 0.0..=100000.0] = 0.0,
        /// Quality of the JPEG images.
        jpeg_quality: u32 [in 1.0..=100.0] = 90,
        ..exposure: ExposureConfig,
    }
}

choice! {
    /// Distortion model of a lens.
    pub enum DistortionConfig {
        /// Brown-Conrady model, the standard model of OpenCV. All zero describes a pinhole camera.
        PlumbBob = "plumb_bob" {
            /// Radial coefficient of the second power.
            k1: f64 = 0.0,
            /// Radial coefficient of the fourth power.
            k2: f64 = 0.0,
            /// First coefficient of tangential distortion.
            p1: f64 = 0.0,
            /// Second coefficient of tangential distortion.
            p2: f64 = 0.0,
            /// Radial coefficient of the sixth power.
            k3: f64 = 0.0,
        },
        /// Kannala-Brandt model, the fisheye model of OpenCV. All zero describes an equidistant
        /// lens.
        FishEye = "fisheye" {
            /// Coefficient of the third power of the angle.
            k1: f64 = 0.0,
            /// Coefficient of the fifth power of the angle.
            k2: f64 = 0.0,
            /// Coefficient of the seventh power of the angle.
            k3: f64 = 0.0,
            /// Coefficient of the ninth power of the angle.
            k4: f64 = 0.0,
        },
    }
}

fieldless_choice! {
    /// Output of a camera.
    pub enum CameraOutputConfig {
        /// Colour image, also as JPEG.
        Rgb = "rgb",
        /// Depth along the optical axis.
        Depth = "depth",
        /// Label of the visible object in each pixel.
        Labels = "labels",
    }
}

spec! {
    /// Conversion of light to pixel values.
    pub struct ExposureConfig {
        /// Exposure value at ISO 100. Default: automatic, computed from each image.
        exposure_ev100: Option<f64> [in -20.0..=30.0],
        /// Minimum and maximum exposure value of the automatic exposure.
        auto_exposure_ev100: [f64; 2] [in -20.0..=30.0] = [-2.0, 17.0],
        /// Whether pixel values follow the sRGB curve; otherwise they are proportional to light.
        gamma: bool = true,
        /// Relative loss of light in the corner of the image compared with its centre.
        vignette: f64 [fraction] = 0.0,
        /// Electrons at saturation, for photon noise; 0 for no noise.
        full_well_electrons: f64 [non_negative] = 10000.0,
        /// Standard deviation of the read noise.
        read_noise_electrons: f64 [non_negative] = 4.0,
        /// Exposure value below which gain is applied, with more noise. Default: 4.
        gain_below_ev100: Option<f64> [in -20.0..=30.0],
        /// Aperture, instead of `gain_below_ev100`. Gain is applied when `exposure_s`, or the time
        /// between two images, is too short.
        f_number: Option<f64> [in 0.5..=64.0],
        /// Maximum gain of the automatic exposure. With less light the image darkens.
        max_gain_db: f64 [in 0.0..=80.0] = 24.0,
        /// Side length, in cells of two by two pixels, over which the colour of the noise is
        /// smoothed; 0 for no smoothing.
        noise_color_cells: u32 [in 0.0..=32.0] = 5,
    }
}

spec! {
    /// A lamp on a robot.
    pub struct LampConfig {
        /// Link on which the lamp is mounted.
        link: String [frame] = "base_link".to_string(),
        /// Position on the link (forward, left, up).
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Direction of the beam in the link frame (forward, left, up).
        direction: [f64; 3] = [1.0, 0.0, 0.0],
        /// Full cone angle of the beam.
        cone_deg: f64 [in 1.0..=180.0] = 80.0,
        /// Luminous flux in lumens.
        lumens: f64 [positive],
        /// Colour of the light (red, green, blue), with 1 for the brightest component.
        color: [f64; 3] [fraction] = [1.0, 1.0, 1.0],
        /// Load of the robot whose level dims the lamp. Default: on while the robot has power.
        load: Option<String>,
    }
}

spec! {
    /// Optical properties of the water.
    pub struct OpticsConfig {
        /// Water type as defined by Jerlov.
        jerlov: JerlovConfig = JerlovConfig::Two,
        /// Diffuse attenuation of daylight with depth for red, green and blue. Default: that of the
        /// water type.
        daylight_per_m: Option<[f64; 3]> [positive],
        /// Scattering coefficient for red, green and blue. Default: that of the water type.
        scattering_per_m: Option<[f64; 3]> [positive],
        /// Beam attenuation coefficient for red, green and blue. Default: computed from the other
        /// two.
        beam_per_m: Option<[f64; 3]> [positive],
    }
}

fieldless_choice! {
    /// Jerlov water types, the clearest first.
    pub enum JerlovConfig {
        /// Type I: clearest ocean water.
        One = "I",
        /// Type IA: clear ocean water.
        OneA = "IA",
        /// Type IB: clear ocean water.
        OneB = "IB",
        /// Type II: ocean water.
        Two = "II",
        /// Type III: turbid ocean water.
        Three = "III",
        /// Type 1C: clearest coastal water.
        C1 = "1C",
        /// Type 3C: coastal water.
        C3 = "3C",
        /// Type 5C: coastal water.
        C5 = "5C",
        /// Type 7C: turbid coastal water.
        C7 = "7C",
        /// Type 9C: most turbid coastal water.
        C9 = "9C",
    }
}
