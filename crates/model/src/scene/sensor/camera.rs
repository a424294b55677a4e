//! Cameras as built: lens, shutter, exposure and noise; and lamps.

use crate::scene::sensor::lens;
use crate::scene::sensor::lens::Lens;
use merrow_math::Vec3;

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
    /// Places in a pixel whose light is summed, from its middle [px]; none: the middle alone.
    pub places: Vec<[f64; 2]>,
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
    /// Greatest gain, in stops.
    pub most_gain: f64,
    /// Cells of two by two pixels, along a side, over which the colour of noise is smoothed; 0: not.
    pub smoothing: usize,
}

impl Exposure {
    /// The exposure value nearest to `wanted` that can be.
    pub fn within(&self, wanted: f64) -> f64 {
        let [low, high] = self.limits;
        wanted.clamp(low.max(self.gain_below - self.most_gain).min(high), high)
    }
}

impl CameraSpec {
    /// The directions of all pixels.
    pub fn aim(lens: &Lens, [columns, rows]: [usize; 2]) -> Vec<Vec3> {
        let pixel = |k: usize| lens.direction([(k % columns) as f64, (k / columns) as f64]);
        (0..columns * rows)
            .map(|k| pixel(k).unwrap_or(Vec3::zero()))
            .collect()
    }

    /// `n` places in a pixel, one in each of `n` columns and of `n` rows of it: the rows in the order of mirrored bits.
    pub fn places(n: usize) -> Vec<[f64; 2]> {
        if n < 2 {
            return Vec::new();
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|k| (*k as u32).reverse_bits());
        let middle = |k: usize| (k as f64 + 0.5) / n as f64 - 0.5;
        order
            .into_iter()
            .enumerate()
            .map(|(i, j)| [middle(i), middle(j)])
            .collect()
    }

    /// Direction of a place in a pixel, in the optical frame: as between its neighbours. Zero where the lens shows nothing.
    fn direction(&self, [column, row]: [usize; 2], place: [f64; 2]) -> Vec3 {
        let [columns, rows] = self.size;
        let k = row * columns + column;
        let own = self.rays[k];
        let is_none = |d: Vec3| d.dot(d) == 0.0;
        if is_none(own) {
            return own;
        }
        let mut d = own;
        for (at, n, step, off) in [
            (column, columns, 1, place[0]),
            (row, rows, columns, place[1]),
        ] {
            let before = (at > 0)
                .then(|| self.rays[k - step])
                .filter(|d| !is_none(*d));
            let behind = (at + 1 < n)
                .then(|| self.rays[k + step])
                .filter(|d| !is_none(*d));
            let slope = match (before, behind) {
                (Some(a), Some(b)) => (b - a).scale(0.5),
                (Some(a), None) => own - a,
                (None, Some(b)) => b - own,
                (None, None) => Vec3::zero(),
            };
            d += slope.scale(off);
        }
        d.unit().unwrap_or(own)
    }

    /// Origin and direction of a pixel in S (ahead, left, up), or of a `place` in it, in water or not; none where it sees nothing.
    pub fn ray(
        &self,
        pixel: [usize; 2],
        place: Option<[f64; 2]>,
        wet: bool,
    ) -> Option<(Vec3, Vec3)> {
        let d = match place {
            Some(place) => self.direction(pixel, place),
            None => self.rays[pixel[1] * self.size[0] + pixel[0]],
        };
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
