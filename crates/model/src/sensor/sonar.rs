//! Active sonars: beams, pulse and signal processing.

use crate::persist::Persist;
use crate::sensor::tilt::Tilt;
use crate::sensor::{ExteroceptiveProperties, ExteroceptiveSensor, Obstruction};
use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_yaml::spec::spec;

spec! {
    /// Transmission and reception of a sonar.
    pub struct Sonar {
        /// Frequency of the transmitted sound.
        frequency_khz: f64 [in 1.0..=5000.0],
        /// Source level at 1 m, re 1 uPa.
        source_level_db: f64 [in 100.0..=260.0],
        /// Length of the pulse; after compression for a coded pulse.
        pulse_us: f64 [in 1.0..=1000000.0],
        /// Bandwidth of the receiver. Default: 1/`pulse_us`.
        bandwidth_khz: Option<f64> [positive],
        /// Minimum range of the sonar.
        min_range_m: f64 [non_negative] = 0.2,
        /// Maximum range of the sonar.
        max_range_m: f64 [positive],
        /// Number of range bins between them.
        bins: u32 [in 2.0..=16384.0],
        /// Amplitude shading of the array elements.
        shading: Shading = Shading::Cosine,
        /// Number of ray columns and rows per ping. More rays resolve finer details. Default:
        /// depends on the kind of sonar and its beams.
        rays: Option<[u32; 2]> [in 1.0..=100000.0],
        /// Volume scattering strength of the water, re 1/m.
        volume_backscatter_db: f64 [in -200.0..=0.0] = -90.0,
        /// Spectral level of the self noise of the receiver, re 1 uPa2/Hz.
        self_noise_db: f64 [in -100.0..=200.0] = 30.0,
        /// Time-varying gain for spreading loss, in decibels per decade of range.
        gain_per_decade_db: f64 [in 0.0..=80.0] = 30.0,
        /// Time-varying gain for absorption. Default: the absorption of the water at the sonar.
        absorption_gain_db_per_m: Option<f64> [non_negative],
        /// Levels, after the gain, that are mapped to 0 and to the maximum value.
        levels_db: [f64; 2],
        /// Bits per value: 8 or 16.
        bits: u32 [in 8.0..=16.0] = 8,
        /// Speed of sound for the conversion of time to range. Default: the speed of sound at the
        /// sonar.
        sound_speed_m_s: Option<f64> [in 1000.0..=2000.0],
        /// Whether echoes have speckle, as from many scatterers.
        speckle: bool = true,
        /// Whether rays are refracted by the sound speed profile; otherwise they are straight.
        refraction: bool = false,
        /// Whether multipath echoes via specular reflections at the water surface and the seabed
        /// are received.
        multipath: bool = false,
        /// Whether transmissions of other sonars in the same band are received.
        interference: bool = true,
        /// Minimum and maximum angle of a tilt unit about y, positive downwards. Default: no tilt
        /// unit.
        tilt_deg: Option<[f64; 2]> [in -180.0..=180.0],
        /// Period of the tilt motion, back and forth, with `tilt_deg`.
        tilt_period_s: Option<f64> [positive],
    }
}

/// Active sonar: a fan of beams, each with a number of range bins.
///
/// The fan lies in the yz plane of the acoustic frame A: z out of the sonar, x up (forward-looking
/// types) or forward (down-looking types). Angles across the fan are measured from z towards y
/// (starboard), angles out of the fan towards x.
#[derive(Clone, Debug, PartialEq)]
pub struct SonarSpec {
    /// Type of the sonar.
    pub kind: SonarKind,
    /// Transmission and reception of the sonar.
    pub sonar: Sonar,
    /// Steering angle of each beam across the fan, ascending [rad].
    pub steering: Vec<f64>,
    /// Apertures across the fan: of each receiving beam, and of the transmitter.
    pub across: [Aperture; 2],
    /// Apertures out of the fan: receiving and transmitting.
    pub along: [Aperture; 2],
    /// Equivalent solid angle of a receiving beam for isotropic noise [sr].
    pub solid_angle: f64,
    /// Ray columns across the fan: centre angles, equally spaced [rad].
    pub columns: Vec<f64>,
    /// Angle between columns [rad].
    pub column_step: f64,
    /// Ray rows out of the fan: centre angles, equally spaced [rad].
    pub rows: Vec<f64>,
    /// Angle between rows [rad].
    pub row_step: f64,
    /// For each column, the receiving beams that it contributes to.
    pub column_beams: Vec<ColumnBeams>,
    /// Signal-to-noise ratio at which a beam detects the seabed [dB].
    pub threshold_db: f64,
    /// Rotation of the head per ping, and its sector [rad]; 0 for fixed heads.
    pub head: [f64; 2],
    /// Whether a scanning sonar publishes the range of each bearing.
    pub profiles: bool,
    /// Tilt unit that carries the sonar, if any. The sensor pose is then the pose of the tilt unit.
    pub tilt: Option<Tilt>,
}

/// Type of an active sonar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SonarKind {
    /// Forward-looking; one image per ping.
    Imaging,
    /// Down-looking; one seabed profile per ping.
    Multibeam,
    /// Looks to port and starboard; one line per ping.
    SideScan,
    /// Mechanically scanning: one rotating beam.
    Scanning,
}

/// Line aperture of an array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aperture {
    /// Length [wavelengths]; 0: omnidirectional.
    pub length: f64,
    /// Shading of the elements.
    pub shading: Shading,
}

spec! {
    /// Amplitude shading of the elements of an array.
    pub enum Shading words {
        /// Equal weights: side lobes at -13 dB.
        Uniform = "uniform",
        /// Cosine weights: side lobes at -23 dB.
        Cosine = "cosine",
    }
}

/// Receiving beams that a column of rays contributes to.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnBeams {
    /// Index of the first beam.
    pub first: usize,
    /// Receive pattern of this beam and the following beams at the column.
    pub weights: Vec<f32>,
    /// Beams whose main lobe contains the column, each with its receive pattern at the column. The
    /// pattern is scaled so that its sum over the main lobe equals the sum over all columns.
    pub main: Vec<(usize, f32)>,
}

impl SonarSpec {
    /// Returns the unit direction in S at angles across and out of the fan [rad].
    pub fn direction(&self, across: f64, out: f64) -> Vec3 {
        let ((sa, ca), (so, co)) = (sin_cos(across), sin_cos(out));
        self.acoustic_to_sensor(Vec3::new(so, co * sa, co * ca))
    }

    /// Rotates a vector from A to S.
    pub fn acoustic_to_sensor(&self, a: Vec3) -> Vec3 {
        if self.looks_down() {
            Vec3::new(a.x, -a.y, -a.z)
        } else {
            Vec3::new(a.z, -a.y, a.x)
        }
    }

    /// Rotates a vector from S to A.
    pub fn sensor_to_acoustic(&self, s: Vec3) -> Vec3 {
        if self.looks_down() {
            Vec3::new(s.x, -s.y, -s.z)
        } else {
            Vec3::new(s.z, -s.y, s.x)
        }
    }

    /// Returns true if the fan points along -z of S, false if along x.
    pub(crate) fn looks_down(&self) -> bool {
        matches!(self.kind, SonarKind::Multibeam | SonarKind::SideScan)
    }

    /// Returns the transmit frequency of the sonar [Hz].
    pub fn frequency(&self) -> f64 {
        1e3 * self.sonar.frequency_khz
    }

    /// Returns the length of the pulse [s].
    pub fn pulse(&self) -> f64 {
        1e-6 * self.sonar.pulse_us
    }

    /// Returns the bandwidth of the receiver [Hz].
    pub fn bandwidth(&self) -> f64 {
        let khz = self.sonar.bandwidth_khz;
        khz.map_or(1e6 / self.sonar.pulse_us, |khz| 1e3 * khz)
    }

    /// Returns the number of range bins.
    pub fn bins(&self) -> usize {
        self.sonar.bins as usize
    }

    /// Returns the length of a range bin [m].
    pub fn bin(&self) -> f64 {
        (self.sonar.max_range_m - self.sonar.min_range_m) / self.bins() as f64
    }

    /// Returns the centre of range bin `k` [m].
    pub fn range(&self, k: usize) -> f64 {
        self.sonar.min_range_m + (k as f64 + 0.5) * self.bin()
    }

    /// Returns the listening time of a ping [s].
    pub fn listening_time(&self) -> f64 {
        2.0 * self.sonar.max_range_m / self.sonar.sound_speed_m_s.unwrap_or(1500.0)
    }

    /// Returns the number of pings in a full rotation of the head, or from one end of its sector to
    /// the other; 1 for a fixed head.
    pub fn sweep_pings(&self) -> u64 {
        let [step, sector] = self.head;
        if step > 0.0 {
            ((sector / step + 0.5) as u64).max(1)
        } else {
            1
        }
    }

    /// Returns true if the head rotates continuously, false if it sweeps a sector back and forth.
    pub fn rotates_continuously(&self) -> bool {
        self.head[1] > std::f64::consts::TAU - 1e-9
    }

    /// Returns the head angle at a ping [rad]: continuous rotation, or back and forth within the
    /// sector.
    pub fn head_angle(&self, ping: u64) -> f64 {
        let [step, sector] = self.head;
        if step <= 0.0 {
            return 0.0;
        }
        let n = self.sweep_pings();
        if self.rotates_continuously() {
            return (ping % n) as f64 * step;
        }
        let k = ping % (2 * n);
        let k = if k > n { 2 * n - k } else { k };
        k as f64 * step - 0.5 * sector
    }
}

impl ExteroceptiveSensor for SonarSpec {
    fn properties(&self) -> ExteroceptiveProperties<'_> {
        let name = match self.kind {
            SonarKind::Imaging => "imaging_sonar",
            SonarKind::Multibeam => "multibeam",
            SonarKind::SideScan => "side_scan",
            SonarKind::Scanning => "scanning_sonar",
        };
        ExteroceptiveProperties {
            supports_offset_faults: self.kind == SonarKind::Multibeam || self.profiles,
            tilt: self.tilt.as_ref(),
            has_one_tilt_per_sample: true,
            has_echoes: self.kind != SonarKind::SideScan,
            max_range_m: Some(self.sonar.max_range_m),
            samples_per_sweep: (self.kind == SonarKind::Scanning).then(|| self.sweep_pings()),
            obstruction: Obstruction::Structures,
            ..ExteroceptiveProperties::new(name, (self.listening_time() * 1e9) as u64)
        }
    }
}

/// Echoes of one ping.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct Ping {
    /// Sound speed for the conversion of times to ranges [m/s].
    pub sound_speed: f64,
    /// Angle of a rotating head, positive towards starboard [rad].
    pub head: f64,
    /// Ping number since the start.
    pub number: u64,
    /// Echo levels: one row per range bin from the nearest, one value per beam.
    pub levels: Vec<u16>,
    /// One sounding per beam of a sonar with seabed detection.
    pub soundings: Vec<Sounding>,
}

/// Seabed detection of one beam.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Sounding {
    /// Range to the seabed [m]; +inf without a detection.
    pub range: f64,
    /// Level of the echo [dB re 1 µPa].
    pub level: f64,
}
