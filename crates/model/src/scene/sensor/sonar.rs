//! Active sonars as built: their beams, their pulse, what they make of echoes.

use crate::scene::sensor::laser::Tilt;
use merrow_math::Vec3;
use merrow_math::real::sin_cos;

/// An active sonar: beams in a fan, each over a number of ranges.
///
/// Its fan lies in the yz plane of its acoustic frame A: z out of the sonar, x up (one that looks ahead) or forward (one that looks down).
/// Angles across the fan go from z towards y (starboard), angles out of it towards x.
#[derive(Clone, Debug, PartialEq)]
pub struct SonarSpec {
    /// What it is.
    pub kind: SonarKind,
    /// Frequency [Hz].
    pub frequency: f64,
    /// Source level [dB re 1 µPa at 1 m].
    pub source_level: f64,
    /// Length of the pulse, after compression if it is coded [s].
    pub pulse: f64,
    /// Bandwidth of the receiver [Hz].
    pub bandwidth: f64,
    /// Angle of each beam across the fan, rising [rad].
    pub steering: Vec<f64>,
    /// Aperture across the fan of each receiving beam, and of the transmitter.
    pub across: [Aperture; 2],
    /// Aperture out of the fan, receiving and transmitting.
    pub along: [Aperture; 2],
    /// What a receiving beam hears of noise from all sides [sr].
    pub solid_angle: f64,
    /// Rays across the fan: the middle angles [rad], the same distance apart.
    pub columns: Vec<f64>,
    /// Distance of two columns [rad].
    pub column_step: f64,
    /// Rays out of the fan: the middle angles [rad], the same distance apart.
    pub rows: Vec<f64>,
    /// Distance of two rows [rad].
    pub row_step: f64,
    /// Of each column, the beams that hear it.
    pub hearing: Vec<Heard>,
    /// Least and greatest range [m].
    pub limits: [f64; 2],
    /// Ranges that it tells apart.
    pub bins: usize,
    /// Scattering strength of the volume of the water [dB re 1/m].
    pub volume_backscatter: f64,
    /// Spectral level of its own noise [dB re 1 µPa²/Hz].
    pub self_noise: f64,
    /// Time-varying gain: decibels a decade of range, and decibels a metre, there and back; none: the water's absorption at the sonar.
    pub gain: (f64, Option<f64>),
    /// Levels after the gain that become the least and the greatest number [dB].
    pub levels: [f64; 2],
    /// Bits of a number, 8 or 16.
    pub bits: u32,
    /// Speed of sound by which it turns time into range [m/s]; none: that of the water at the sonar.
    pub sound_speed: Option<f64>,
    /// Whether echoes fade as those of many scatterers do.
    pub speckle: bool,
    /// Whether rays bend with the speed of sound.
    pub bent: bool,
    /// Whether it hears what surface and bottom mirror.
    pub multipath: bool,
    /// Whether it hears other sonars of its band.
    pub interference: bool,
    /// Level over the noise at which a beam has found the bottom [dB].
    pub threshold: f64,
    /// Turn of the head from ping to ping, and the sector that it keeps to [rad]; 0 for what does not turn.
    pub head: [f64; 2],
    /// Whether one that turns tells the range of each bearing.
    pub profiles: bool,
    /// The unit that tilts it, if one does; the sensor's place is then that of the unit.
    pub tilt: Option<Tilt>,
}

/// What a sonar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SonarKind {
    /// Looks ahead, a picture a ping.
    Imaging,
    /// Looks down, a profile of the bottom a ping.
    Multibeam,
    /// Looks to port and starboard, a line a ping.
    SideScan,
    /// Turns one beam about.
    Scanning,
}

/// An aperture in a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aperture {
    /// Its length [wavelengths]; 0 hears everywhere alike.
    pub length: f64,
    /// How its elements are weighted.
    pub shading: Shading,
}

/// Weights of the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shading {
    /// All alike: the narrowest beam, side lobes at -13.3 dB.
    Uniform,
    /// Falling to both ends as a cosine: side lobes at -23 dB.
    Cosine,
}

/// Which beams hear a column of rays.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// The first beam.
    pub first: usize,
    /// How well it and those after it hear the column.
    pub weights: Vec<f32>,
    /// Those of them whose main lobe holds the column, and what of the beam's whole hearing that stands for.
    pub main: Vec<(usize, f32)>,
}

impl SonarSpec {
    /// A direction of A at angles across and out of the fan [rad], in S.
    pub fn direction(&self, across: f64, out: f64) -> Vec3 {
        let ((sa, ca), (so, co)) = (sin_cos(across), sin_cos(out));
        self.turn(Vec3::new(so, co * sa, co * ca))
    }

    /// A vector of A in S.
    pub fn turn(&self, a: Vec3) -> Vec3 {
        if self.looks_down() {
            Vec3::new(a.x, -a.y, -a.z)
        } else {
            Vec3::new(a.z, -a.y, a.x)
        }
    }

    /// A vector of S in A.
    pub fn turn_back(&self, s: Vec3) -> Vec3 {
        if self.looks_down() {
            Vec3::new(s.x, -s.y, -s.z)
        } else {
            Vec3::new(s.z, -s.y, s.x)
        }
    }

    /// True if its fan is about -z of S, false if about x.
    pub fn looks_down(&self) -> bool {
        matches!(self.kind, SonarKind::Multibeam | SonarKind::SideScan)
    }

    /// From one range to the next [m].
    pub fn bin(&self) -> f64 {
        (self.limits[1] - self.limits[0]) / self.bins as f64
    }

    /// Middle of a range [m].
    pub fn range(&self, k: usize) -> f64 {
        self.limits[0] + (k as f64 + 0.5) * self.bin()
    }

    /// How long it listens [s].
    pub fn listens(&self) -> f64 {
        2.0 * self.limits[1] / self.sound_speed.unwrap_or(1500.0)
    }

    /// Pings of a turn of the head, or of its way from one end of its sector to the other; 1 if it does not turn.
    pub fn sweep_pings(&self) -> u64 {
        let [step, sector] = self.head;
        if step > 0.0 {
            ((sector / step + 0.5) as u64).max(1)
        } else {
            1
        }
    }

    /// True if its head turns round and round, false if to and fro.
    pub fn turns_round(&self) -> bool {
        self.head[1] > std::f64::consts::TAU - 1e-9
    }

    /// Angle of the head at a ping [rad]: round and round, or to and fro in its sector.
    pub fn head_angle(&self, ping: u64) -> f64 {
        let [step, sector] = self.head;
        if step <= 0.0 {
            return 0.0;
        }
        let n = self.sweep_pings();
        if self.turns_round() {
            return (ping % n) as f64 * step;
        }
        let k = ping % (2 * n);
        let k = if k > n { 2 * n - k } else { k };
        k as f64 * step - 0.5 * sector
    }
}
