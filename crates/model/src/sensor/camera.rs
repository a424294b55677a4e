//! Camera parameters (lens, shutter, exposure, noise) and lamps.

use crate::persist::Persist;
use crate::sensor::SensorKind;
use crate::sensor::lens;
use crate::sensor::lens::Lens;
use crate::sensor::{ExteroceptiveProperties, ExteroceptiveSensor, Obstruction, SensorParameters};
use bytes::Bytes;
use merrow_math::Vec3;
use merrow_yaml::spec::spec;

spec! {
    /// A camera. In the sensor frame, x is the viewing direction, y points left and z up.
    pub struct CameraKeys {
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
        distortion: LensDistortion => "{kind: plumb_bob}",
        /// Distance of a flat port from the lens. Default: a dome port, or none.
        flat_port_m: Option<f64> [non_negative],
        /// Outputs of the camera.
        outputs: Vec<ImageOutput> [not_empty] = vec![ImageOutput::Rgb],
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
        /// Rays that are traced for the colour of a pixel. Depth and labels do not depend on it.
        quality: RenderQuality = RenderQuality::Full,
        ..exposure: Exposure,
    }

    /// Distortion model of a lens.
    pub enum LensDistortion {
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

    /// Rays that are traced for the colour of a pixel.
    pub enum RenderQuality words {
        /// Rays reflected and refracted by the water surface, and shadows of all lights.
        Full = "full",
        /// The ray of the pixel and one towards the sun. The water surface reflects the sky only,
        /// and does not refract.
        Fast = "fast",
    }

    /// Output of a camera.
    pub enum ImageOutput words {
        /// Colour image, also as JPEG.
        Rgb = "rgb",
        /// Depth along the optical axis.
        Depth = "depth",
        /// Label of the visible object in each pixel.
        Labels = "labels",
    }

    /// Conversion of light to pixel values.
    pub struct Exposure {
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

/// Parameters of a camera.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraSpec {
    /// Keys of the camera.
    pub camera: CameraKeys,
    /// Image width and height [px].
    pub size: [usize; 2],
    /// Lens model of the camera.
    pub lens: Lens,
    /// Available outputs, as bits of [`CameraOutput`].
    pub outputs: u8,
    /// Number of instants during the exposure time whose light is summed.
    pub instants: usize,
    /// Exposure value below which gain compensates for missing light.
    pub gain_below: f64,
    /// Maximum gain of the exposure control [stops].
    pub max_gain: f64,
    /// Unit direction of every pixel in the optical frame, row by row; zero where the lens has no
    /// image.
    pub rays: Vec<Vec3>,
    /// Positions of the samples within a pixel, relative to its centre [px]; empty: the centre
    /// only.
    pub subpixels: Vec<[f64; 2]>,
}

/// Outputs of a camera, as bits. Only outputs in use are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CameraOutput {
    /// Colour image (red, green, blue).
    Rgb = 1,
    /// Depth image along the optical axis.
    Depth = 2,
    /// Segmentation image: label of the visible object per pixel.
    Labels = 4,
    /// Calibration (`CameraInfo`), published with every image.
    Info = 8,
    /// Colour image with JPEG compression.
    Jpeg = 16,
}

impl CameraOutput {
    /// All outputs of a camera.
    pub const ALL: [CameraOutput; 5] = [
        CameraOutput::Rgb,
        CameraOutput::Depth,
        CameraOutput::Labels,
        CameraOutput::Info,
        CameraOutput::Jpeg,
    ];

    /// Returns true if the bit set `parts` contains this output.
    pub fn is_enabled_in(self, parts: u8) -> bool {
        parts & self as u8 != 0
    }
}

/// Returns true if a sensor is a camera with a label output.
pub fn has_labels(kind: &SensorKind) -> bool {
    let spec = CameraSpec::from_kind(kind);
    spec.is_some_and(|spec| CameraOutput::Labels.is_enabled_in(spec.outputs))
}

impl CameraSpec {
    /// Returns the feasible exposure value at ISO 100 nearest to `exposure_value` [stops].
    pub fn clamp_exposure(&self, exposure_value: f64) -> f64 {
        let [low, high] = self.camera.exposure.auto_exposure_ev100;
        exposure_value.clamp(low.max(self.gain_below - self.max_gain).min(high), high)
    }

    /// Computes the unit directions of all pixels in the optical frame, row by row.
    pub fn pixel_directions(lens: &Lens, [columns, rows]: [usize; 2]) -> Vec<Vec3> {
        let pixel = |k: usize| lens.direction([(k % columns) as f64, (k / columns) as f64]);
        (0..columns * rows)
            .map(|k| pixel(k).unwrap_or(Vec3::zero()))
            .collect()
    }

    /// Returns `n` sample positions within a pixel [px], one in each of `n` columns and `n` rows.
    /// The rows are in bit-reversed order.
    pub fn subpixels(n: usize) -> Vec<[f64; 2]> {
        if n < 2 {
            return Vec::new();
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|k| (*k as u32).reverse_bits());
        let offset = |k: usize| (k as f64 + 0.5) / n as f64 - 0.5;
        order
            .into_iter()
            .enumerate()
            .map(|(i, j)| [offset(i), offset(j)])
            .collect()
    }

    /// Interpolates the unit direction at a position `subpixel` within a pixel, in the optical
    /// frame. Returns zero where the lens has no image.
    fn direction(&self, [column, row]: [usize; 2], subpixel: [f64; 2]) -> Vec3 {
        let [columns, rows] = self.size;
        let k = row * columns + column;
        let central = self.rays[k];
        let is_none = |d: Vec3| d.dot(d) == 0.0;
        if is_none(central) {
            return central;
        }
        let mut d = central;
        for (at, n, step, shift) in [
            (column, columns, 1, subpixel[0]),
            (row, rows, columns, subpixel[1]),
        ] {
            let before = (at > 0)
                .then(|| self.rays[k - step])
                .filter(|d| !is_none(*d));
            let after = (at + 1 < n)
                .then(|| self.rays[k + step])
                .filter(|d| !is_none(*d));
            let slope = match (before, after) {
                (Some(a), Some(b)) => (b - a).scale(0.5),
                (Some(a), None) => central - a,
                (None, Some(b)) => b - central,
                (None, None) => Vec3::zero(),
            };
            d += slope.scale(shift);
        }
        d.unit().unwrap_or(central)
    }

    /// Returns origin [m] and unit direction of the ray of a pixel in S (forward, left, up).
    /// `subpixel` selects a position within the pixel [px], `wet` a camera in water. Returns `None`
    /// if the pixel has no image.
    #[inline]
    pub fn ray(
        &self,
        pixel: [usize; 2],
        subpixel: Option<[f64; 2]>,
        wet: bool,
    ) -> Option<(Vec3, Vec3)> {
        let d = match subpixel {
            Some(subpixel) => self.direction(pixel, subpixel),
            None => self.rays[pixel[1] * self.size[0] + pixel[0]],
        };
        if d.z == 0.0 && d.x == 0.0 && d.y == 0.0 {
            return None;
        }
        let to_sensor = |v: Vec3| Vec3::new(v.z, -v.x, -v.y);
        match self.camera.flat_port_m {
            Some(distance) if wet => {
                let (p, d) = lens::refract_at_port(d, distance)?;
                Some((to_sensor(p), to_sensor(d)))
            }
            _ => Some((Vec3::zero(), to_sensor(d))),
        }
    }
}

/// Lamp on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Lamp {
    /// Name of the lamp.
    pub name: String,
    /// Index of the link that carries it.
    pub link: usize,
    /// Position in L [m].
    pub p_LoX: Vec3,
    /// Direction of the beam axis, a unit vector in L.
    pub d_L: Vec3,
    /// Cosines of the half angle of the cone and of the angle at which the edge begins to fade.
    pub cosines: [f64; 2],
    /// Luminous intensity in the cone, by colour [cd].
    pub intensity: Vec3,
    /// Index of the load that sets the brightness; `None`: always on.
    pub load: Option<usize>,
}

impl ExteroceptiveSensor for CameraSpec {
    fn properties(&self) -> ExteroceptiveProperties<'_> {
        ExteroceptiveProperties {
            is_parallel: true,
            obstruction: match self.camera.render_self {
                true => Obstruction::StructuresAndRobot,
                false => Obstruction::Structures,
            },
            ..ExteroceptiveProperties::new(
                "camera",
                ((self.camera.readout_s + self.camera.exposure_s) * 1e9) as u64,
            )
        }
    }
}

/// Requested outputs of a camera. Rows from the top, pixels from the left.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct CameraImages {
    /// Requested outputs, as bits of [`CameraOutput`].
    pub parts: u8,
    /// Red, green and blue of each pixel, 0..255.
    pub rgb: Option<Bytes>,
    /// Depth of each pixel along the optical axis [m]; +inf without a surface.
    pub depth: Option<Vec<f32>>,
    /// Label of the object in each pixel: 0 the sky; 1 the seabed; then structures, then robots and
    /// props, each in the order of the world file; 65534 open water, 65535 the water surface.
    pub labels: Option<Vec<u16>>,
}
