//! Camera parameters (lens, shutter, exposure, noise) and lamps.

use crate::persist::Persist;
use crate::sensor::SensorKind;
use crate::sensor::lens;
use crate::sensor::lens::Lens;
use crate::sensor::{ExteroceptiveSensor, Obstruction, SensorParameters};
use bytes::Bytes;
use merrow_math::Vec3;

/// Parameters of a camera.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraSpec {
    /// Image width and height [px].
    pub size: [usize; 2],
    /// Lens model of the camera.
    pub lens: Lens,
    /// Distance of a flat port in front of the lens [m]; `None`: a dome port or no housing.
    pub flat_port: Option<f64>,
    /// Available outputs, as bits of [`CameraOutput`].
    pub outputs: u8,
    /// True if the camera renders the robot that carries it.
    pub renders_self: bool,
    /// Minimum and maximum depth [m].
    pub range: [f64; 2],
    /// Rolling-shutter readout time from the first row to the last [s]; 0: global shutter.
    pub readout: f64,
    /// Exposure time [s]; 0: no motion blur.
    pub exposure_time: f64,
    /// Number of instants during the exposure time whose light is summed.
    pub instants: usize,
    /// Baseline to the left camera of a stereo pair [m], if this is the right camera.
    pub baseline: Option<f64>,
    /// Conversion of light to pixel values.
    pub exposure: Exposure,
    /// Marine snow: particle density [1/m³].
    pub snow: f64,
    /// Quality of JPEG compression, 1..100.
    pub jpeg_quality: u8,
    /// Rays that are traced for the colour of a pixel.
    pub quality: RenderQuality,
    /// Unit direction of every pixel in the optical frame, row by row; zero where the lens has no
    /// image.
    pub rays: Vec<Vec3>,
    /// Positions of the samples within a pixel, relative to its centre [px]; empty: the centre
    /// only.
    pub subpixels: Vec<[f64; 2]>,
}

/// Rays that are traced for the colour of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenderQuality {
    /// Rays reflected and refracted by the water surface, and shadows of all lights.
    Full,
    /// The ray of the pixel, and one towards the sun.
    Fast,
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

/// Conversion of light to pixel values: exposure, gain and noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exposure {
    /// Fixed exposure value at ISO 100; the sensor saturates at 1.2·2^EV cd/m². `None`: auto
    /// exposure.
    pub fixed: Option<f64>,
    /// Minimum and maximum exposure value of the auto exposure.
    pub limits: [f64; 2],
    /// True for pixel values on the sRGB curve, false for values linear in light.
    pub gamma: bool,
    /// Vignetting: fraction of light lost at the corner relative to the centre, 0..1.
    pub vignette: f64,
    /// Electrons at saturation without gain.
    pub full_well: f64,
    /// Standard deviation of the read noise [electrons].
    pub read_noise: f64,
    /// Exposure value below which gain compensates for missing light.
    pub gain_below: f64,
    /// Maximum gain of the exposure control [stops].
    pub max_gain: f64,
    /// Side length of the block over which chroma noise is smoothed, in cells of two by two pixels;
    /// 0: no smoothing.
    pub smoothing: usize,
}

impl Exposure {
    /// Returns the feasible exposure value at ISO 100 nearest to `exposure_value` [stops].
    pub fn clamp_exposure(&self, exposure_value: f64) -> f64 {
        let [low, high] = self.limits;
        exposure_value.clamp(low.max(self.gain_below - self.max_gain).min(high), high)
    }
}

impl CameraSpec {
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
        match self.flat_port {
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
    fn name(&self) -> &'static str {
        "camera"
    }

    fn sample_duration_ns(&self) -> u64 {
        ((self.readout + self.exposure_time) * 1e9) as u64
    }

    fn is_parallel(&self) -> bool {
        true
    }

    fn obstruction(&self) -> Obstruction {
        if self.renders_self {
            Obstruction::StructuresAndRobot
        } else {
            Obstruction::Structures
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
