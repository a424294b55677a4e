//! Keys of sonars.

use merrow_yaml::spec::{fieldless_choice, spec};

spec! {
    /// A forward-looking sonar: one image over bearing and range per ping.
    pub struct ImagingSonarConfig {
        /// Full angle of the fan.
        sector_deg: f64 [in 1.0..=180.0],
        /// Number of beams in the fan.
        beams: u32 [in 2.0..=4096.0],
        /// Width of a beam across the fan.
        beam_width_deg: f64 [in 0.05..=60.0],
        /// Vertical width of the fan, for transmission and for reception.
        elevation_width_deg: f64 [in 0.1..=90.0],
        ..sounding: SonarConfig,
    }
}

spec! {
    /// A downward-looking multibeam echo sounder that detects the seabed.
    pub struct MultibeamConfig {
        /// Full angle of the fan.
        sector_deg: f64 [in 1.0..=175.0],
        /// Number of beams in the fan.
        beams: u32 [in 2.0..=4096.0],
        /// Width of a beam across track.
        beam_width_deg: f64 [in 0.05..=60.0],
        /// Width of the fan along track.
        along_width_deg: f64 [in 0.05..=60.0],
        /// Signal-to-noise ratio at which a beam detects the seabed.
        threshold_db: f64 [in 0.0..=100.0] = 12.0,
        ..sounding: SonarConfig,
    }
}

spec! {
    /// A side-scan sonar: one line of echoes over range to port and to starboard per ping.
    pub struct SideScanConfig {
        /// Width of the beams along track.
        beam_width_deg: f64 [in 0.05..=10.0],
        /// Vertical width of the beams.
        across_width_deg: f64 [in 1.0..=120.0] = 50.0,
        /// Angle of the beam axes below the horizontal.
        depression_deg: f64 [in 0.0..=90.0] = 30.0,
        ..sounding: SonarConfig,
    }
}

spec! {
    /// A sonar whose head rotates one beam by a step between pings.
    pub struct ScanningSonarConfig {
        /// Full angle about the x axis that the head scans, to and fro; 360 for continuous
        /// rotation.
        sector_deg: f64 [in 1.0..=360.0] = 360.0,
        /// Rotation of the head between two pings.
        step_deg: f64 [in 0.05..=90.0],
        /// Width of the beam in the scan plane.
        beam_width_deg: f64 [in 0.05..=60.0],
        /// Width of the beam perpendicular to the scan plane.
        elevation_width_deg: f64 [in 0.1..=120.0],
        /// Whether it also outputs one range per bearing, as profiling sonars do.
        profiles: bool = false,
        /// Signal-to-noise ratio at which a bearing has a range, with `profiles`.
        threshold_db: f64 [in 0.0..=100.0] = 12.0,
        ..sounding: SonarConfig,
    }
}

spec! {
    /// Transmission and reception of a sonar.
    pub struct SonarConfig {
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
        shading: ShadingConfig = ShadingConfig::Cosine,
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
        /// Whether echoes by way of specular reflections at the water surface and the seabed are
        /// received.
        multipath: bool = false,
        /// Whether transmissions of other sonars in the same band are received.
        interference: bool = true,
        /// Minimum and maximum angle of a tilt unit about y, positive downwards. Default: no tilt
        /// unit.
        tilt_deg: Option<[f64; 2]> [in -180.0..=180.0],
        /// Period of the tilt motion, to and fro, with `tilt_deg`.
        tilt_period_s: Option<f64> [positive],
    }
}

fieldless_choice! {
    /// Amplitude shading of the elements of an array.
    pub enum ShadingConfig {
        /// Equal weights: side lobes at -13 dB.
        Uniform = "uniform",
        /// Cosine weights: side lobes at -23 dB.
        Cosine = "cosine",
    }
}
