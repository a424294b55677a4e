//! Cameras as built: lens, shutter, exposure and noise; and lamps.

use super::lens::{self, Lens};
use crate::math::Vec3;

/// A camera.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraSpec {
    /// Columns and rows.
    pub size: [usize; 2],
    /// Lens.
    pub lens: Lens,
    /// Distance of a flat port ahead of the lens [m]; none: a dome, or no housing.
    pub flat_port: Option<f64>,
    /// What can be had of it, as [`Part`] bits.
    pub parts: u8,
    /// True if it sees the robot that carries it.
    pub sees_self: bool,
    /// Least and greatest distance [m].
    pub range: [f64; 2],
    /// From the first row to the last [s]; 0: all at once.
    pub readout: f64,
    /// How long the shutter is open [s]; 0: nothing is blurred.
    pub open: f64,
    /// Instants while it is open whose light is summed.
    pub instants: usize,
    /// Distance to the left camera of a pair [m], if it is the right one of two side by side.
    pub baseline: Option<f64>,
    /// How light becomes numbers.
    pub exposure: Exposure,
    /// Marine snow: particles in a cubic metre.
    pub snow: f64,
    /// Quality of JPEG files, 1..100.
    pub jpeg_quality: u8,
    /// Direction of every pixel in the optical frame, row by row; zero where the lens shows nothing.
    pub rays: Vec<Vec3>,
}

/// What can be had of a camera; bits, so that what nobody wants is not worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Colours.
    Rgb = 1,
    /// Depths.
    Depth = 2,
    /// Numbers of what is seen.
    Labels = 4,
    /// How it maps, with every picture.
    Info = 8,
    /// Colours as a file of JPEG.
    Jpeg = 16,
}

impl Part {
    /// All of them.
    pub const ALL: [Part; 5] = [Part::Rgb, Part::Depth, Part::Labels, Part::Info, Part::Jpeg];

    /// True if it is among `parts`.
    pub fn is_in(self, parts: u8) -> bool {
        parts & self as u8 != 0
    }
}

/// How light becomes numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exposure {
    /// Exposure value at ISO 100 that saturates at 1.2·2^EV cd/m²; none: found from the picture.
    pub fixed: Option<f64>,
    /// Least and greatest exposure value that it finds.
    pub limits: [f64; 2],
    /// True for numbers by sRGB's curve, false for numbers in proportion to light.
    pub gamma: bool,
    /// Light that the corner loses to the middle, 0..1.
    pub vignette: f64,
    /// Electrons at saturation without gain.
    pub full_well: f64,
    /// Standard deviation of what reading adds [electrons].
    pub read_noise: f64,
    /// Exposure value under which gain stands in for light.
    pub gain_below: f64,
}

impl CameraSpec {
    /// The directions of all pixels.
    pub fn aim(lens: &Lens, [columns, rows]: [usize; 2]) -> Vec<Vec3> {
        let pixel = |k: usize| lens.direction([(k % columns) as f64, (k / columns) as f64]);
        (0..columns * rows).map(|k| pixel(k).unwrap_or(Vec3::zero())).collect()
    }

    /// Origin and direction of a pixel in S (ahead, left, up), in water or not; none where it sees nothing.
    pub fn ray(&self, pixel: usize, wet: bool) -> Option<(Vec3, Vec3)> {
        let d = self.rays[pixel];
        if d.z == 0.0 && d.x == 0.0 && d.y == 0.0 {
            return None;
        }
        let turned = |v: Vec3| Vec3::new(v.z, -v.x, -v.y);
        match self.flat_port {
            Some(distance) if wet => {
                let (p, d) = lens::through_port(d, distance)?;
                Some((turned(p), turned(d)))
            }
            _ => Some((Vec3::zero(), turned(d))),
        }
    }
}

/// A lamp on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Lamp {
    /// Name.
    pub name: String,
    /// Link that it is fixed to.
    pub link: usize,
    /// Its place in L [m].
    pub p_LoX: Vec3,
    /// Where it shines, a unit vector in L.
    pub d_L: Vec3,
    /// Cosine of the half angle of its cone, and of where its edge begins to fade.
    pub cosines: [f64; 2],
    /// Luminous intensity in the cone, by colour [cd].
    pub intensity: Vec3,
    /// Load whose level it follows; none: it is always on.
    pub load: Option<usize>,
}
