//! What a file of a sonar may say.

use merrow_yaml::spec::{fieldless_choice, spec};

spec! {
    /// A sonar that looks ahead: a picture over bearing and range a ping.
    pub struct ImagingSonarFile {
        /// Whole angle of the fan.
        sector_deg: f64 [in 1.0..=180.0],
        /// Beams in it.
        beams: u32 [in 2.0..=4096.0],
        /// Width of a beam across the fan.
        beam_width_deg: f64 [in 0.05..=60.0],
        /// Width of the fan from top to bottom, there and back each.
        elevation_width_deg: f64 [in 0.1..=90.0],
        ..sounding: SoundingFile,
    }
}

spec! {
    /// A sonar that looks down with many beams and finds the bottom.
    pub struct MultibeamFile {
        /// Whole angle of the fan.
        sector_deg: f64 [in 1.0..=175.0],
        /// Beams in it.
        beams: u32 [in 2.0..=4096.0],
        /// Width of a beam across the ship.
        beam_width_deg: f64 [in 0.05..=60.0],
        /// Width of the fan along the ship.
        along_width_deg: f64 [in 0.05..=60.0],
        /// Level over the noise at which a beam has found the bottom.
        threshold_db: f64 [in 0.0..=100.0] = 12.0,
        ..sounding: SoundingFile,
    }
}

spec! {
    /// A sonar that looks to port and starboard: a line of echoes over range of either a ping.
    pub struct SideScanFile {
        /// Width of the beams along the way.
        beam_width_deg: f64 [in 0.05..=10.0],
        /// Width of the beams from top to bottom.
        across_width_deg: f64 [in 1.0..=120.0] = 50.0,
        /// Angle of the beams' axes under the horizontal.
        depression_deg: f64 [in 0.0..=90.0] = 30.0,
        ..sounding: SoundingFile,
    }
}

spec! {
    /// A sonar whose head turns one beam by a step from ping to ping.
    pub struct ScanningSonarFile {
        /// Angle about ahead that the head scans, to and fro; 360 for round and round.
        sector_deg: f64 [in 1.0..=360.0] = 360.0,
        /// Turn from ping to ping.
        step_deg: f64 [in 0.05..=90.0],
        /// Width of the beam in the plane of the scan.
        beam_width_deg: f64 [in 0.05..=60.0],
        /// Width of the beam from top to bottom.
        elevation_width_deg: f64 [in 0.1..=120.0],
        /// Whether it tells the range of each bearing too, as profilers do.
        profiles: bool = false,
        /// Level over the noise at which a bearing has a range, with `profiles`.
        threshold_db: f64 [in 0.0..=100.0] = 12.0,
        ..sounding: SoundingFile,
    }
}

spec! {
    /// How a sonar sends and hears.
    pub struct SoundingFile {
        /// Frequency.
        frequency_khz: f64 [in 1.0..=5000.0],
        /// Level of the source at 1 m, re 1 uPa.
        source_level_db: f64 [in 100.0..=260.0],
        /// Length of the pulse; of a coded one, after compression.
        pulse_us: f64 [in 1.0..=1000000.0],
        /// Bandwidth of the receiver; 1/`pulse_us` if not given.
        bandwidth_khz: Option<f64> [positive],
        /// Least range.
        min_range_m: f64 [non_negative] = 0.2,
        /// Greatest range.
        max_range_m: f64 [positive],
        /// Ranges between them that are told apart.
        bins: u32 [in 2.0..=16384.0],
        /// How the elements of the arrays are weighted.
        shading: ShadingFile = ShadingFile::Cosine,
        /// Columns and rows of rays of a ping; more show finer things.
        rays: Option<[u32; 2]> [in 1.0..=100000.0],
        /// Scattering strength of the water's volume, re 1/m.
        volume_backscatter_db: f64 [in -200.0..=0.0] = -90.0,
        /// Spectral level of the receiver's own noise, re 1 uPa2/Hz.
        self_noise_db: f64 [in -100.0..=200.0] = 30.0,
        /// Time-varying gain for spreading: decibels a decade of range.
        gain_per_decade_db: f64 [in 0.0..=80.0] = 30.0,
        /// Time-varying gain for absorption; that of the water at the sonar if not given.
        gain_db_m: Option<f64> [non_negative],
        /// Levels after the gain that become 0 and the greatest number.
        levels_db: [f64; 2],
        /// Bits of a number: 8 or 16.
        bits: u32 [in 8.0..=16.0] = 8,
        /// Speed of sound by which time becomes range; that at the sonar if not given.
        sound_speed_m_s: Option<f64> [in 1000.0..=2000.0],
        /// Whether echoes fade as those of many scatterers do.
        speckle: bool = true,
        /// Whether rays bend with the speed of sound over depth; else they are straight.
        ray_bent: bool = false,
        /// Whether it hears what the surface of the water and the bottom mirror.
        multipath: bool = false,
        /// Whether it hears other sonars of its band.
        interference: bool = true,
        /// Least and greatest angle of a unit that tilts it about y, positive downwards, if one does.
        tilt_deg: Option<[f64; 2]> [in -180.0..=180.0],
        /// Time to and fro, with `tilt_deg`.
        tilt_period_s: Option<f64> [positive],
    }
}

fieldless_choice! {
    /// Weights of the elements of an array.
    pub enum ShadingFile {
        /// All alike: side lobes at -13 dB.
        Uniform = "uniform",
        /// Falling to both ends as a cosine: side lobes at -23 dB.
        Cosine = "cosine",
    }
}
