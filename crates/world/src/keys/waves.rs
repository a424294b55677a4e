//! Keys of waves.

use merrow_model::scene::Spreading;
use merrow_yaml::spec::spec;

spec! {
    /// Model of the waves.
    pub enum WavesConfig {
        /// Flat water without waves.
        None = "none",
        /// One long-crested sinusoidal wave.
        Regular = "regular" (RegularConfig),
        /// Fully developed wind sea; its period follows from its height.
        PiersonMoskowitz = "pierson_moskowitz" (SeaHeightConfig),
        /// Developing wind sea with an enhanced spectral peak.
        Jonswap = "jonswap" (JonswapConfig),
        /// Wind sea of any height and period.
        Bretschneider = "bretschneider" (SeaPeriodConfig),
        /// Wind sea and swell, in the simplified form of 2004.
        Torsethaugen = "torsethaugen" (SeaPeriodConfig),
        /// A measured spectrum of the sea.
        Tabulated = "tabulated" (TabulatedConfig),
        /// The whole surface rises and falls as one sine wave, as in the Kelpie simulator.
        Kelpie = "kelpie" (KelpieConfig),
    }

    /// One long-crested sinusoidal wave.
    pub struct RegularConfig {
        /// Height from trough to crest.
        height_m: f64 [non_negative],
        /// Period of the wave.
        period_s: f64 [in 0.1..=100.0],
        /// Direction of propagation, clockwise from north.
        direction_deg: f64 [in -360.0..=360.0] = 0.0,
        /// Phase at the world origin at the start; 0 is a crest.
        phase_deg: f64 [in -360.0..=360.0] = 0.0,
        /// Time over which a parameter change takes effect.
        ramp_s: f64 [non_negative] = 20.0,
    }

    /// Direction of the waves and their discretisation.
    pub struct WaveDirectionConfig {
        /// Mean direction of propagation, clockwise from north.
        direction_deg: f64 [in -360.0..=360.0] = 0.0,
        /// Directional spreading of the waves.
        spreading: Spreading => "{kind: cos2s}",
        /// Number of wave components.
        components: u32 [in 1.0..=2000.0] = 200,
        /// Minimum wavelength of the components. Default: 1/64 of the wavelength at the spectral
        /// peak.
        min_wavelength_m: Option<f64> [positive],
        /// Time over which a parameter change takes effect.
        ramp_s: f64 [non_negative] = 20.0,
    }

    /// Sea state by significant height, wind speed or Beaufort number; give exactly one of the
    /// three.
    pub struct SeaHeightConfig {
        /// Significant wave height of the sea.
        hs_m: Option<f64> [non_negative],
        /// Mean speed of the wind for which the fully developed sea has the wave height.
        wind_speed_m_s: Option<f64> [in 0.0..=60.0],
        /// Beaufort number; gives the wave height of the scale for the open sea.
        beaufort: Option<u32> [in 0.0..=12.0],
        ..course: WaveDirectionConfig,
    }

    /// Sea state by height and period.
    pub struct SeaPeriodConfig {
        /// Peak period of the spectrum. Default: peak period of a fully developed sea of the same
        /// height, or that for `fetch_m`.
        tp_s: Option<f64> [in 0.1..=100.0],
        /// Fetch of the wind `wind_speed_m_s`, which limits the wave height. Default: fully
        /// developed sea.
        fetch_m: Option<f64> [positive],
        ..sea: SeaHeightConfig,
    }

    /// Sea state by height, period and peak enhancement.
    pub struct JonswapConfig {
        /// Peak enhancement factor: ratio of the peak to the peak of the Bretschneider spectrum.
        gamma: f64 [in 1.0..=10.0] = 3.3,
        ..sea: SeaPeriodConfig,
    }

    /// A measured spectrum of the sea.
    pub struct TabulatedConfig {
        /// Pairs of angular frequency [rad/s] and spectral density [m² s/rad], by increasing
        /// frequency: linear between them, zero outside.
        spectrum: Vec<[f64; 2]> [not_empty, non_negative],
        ..course: WaveDirectionConfig,
    }

    /// Surface of the Kelpie simulator by wind speed or Beaufort number; give one of the two.
    pub struct KelpieConfig {
        /// Mean speed of the wind.
        wind_speed_m_s: Option<f64> [in 0.0..=60.0],
        /// Beaufort number of the wind.
        beaufort: Option<u32> [in 0.0..=12.0],
        /// Period of the surface. Default: period of a fully developed sea of the same height.
        period_s: Option<f64> [in 0.1..=100.0],
        /// Time over which a parameter change takes effect.
        ramp_s: f64 [non_negative] = 20.0,
    }
}
