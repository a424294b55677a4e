//! Media of modems: physical parameters of transmitter, receiver and channel.

use crate::scene::sea::water::AbsorptionLaw;
use merrow_yaml::spec::spec;

/// Speed of sound at which data sheets state the largest relative speed [m/s].
const NOMINAL_SOUND_SPEED: f64 = 1500.0;

spec! {
    /// Medium of a modem.
    pub enum Medium {
        /// Sound waves in water.
        Acoustic = "acoustic" (AcousticMedium),
        /// Electromagnetic waves in water.
        Electromagnetic = "electromagnetic" (ElectromagneticMedium),
        /// Radio waves over water.
        Radio = "radio" (RadioMedium),
        /// Light waves in water.
        Optical = "optical" (OpticalMedium),
        /// Link to a satellite.
        Satellite = "satellite" (SatelliteMedium),
    }

    /// Sound waves in water.
    pub struct AcousticMedium {
        /// Lowest and highest frequency.
        band_khz: [f64; 2] [in 0.001..=10000.0],
        /// Source level at maximum power, on the axis, at 1 m, re 1 uPa.
        source_level_db: f64 [in 50.0..=260.0],
        /// Spectral level of the self-noise of the receiver, re 1 uPa2/Hz.
        self_noise_db: f64 [in -100.0..=200.0] = 30.0,
        /// Spreading exponent of straight paths, 1 (cylindrical) to 2 (spherical).
        spreading: f64 [in 0.0..=3.0] = 2.0,
        /// Equation for the absorption.
        absorption: AbsorptionLaw = AbsorptionLaw::FrancoisGarrison,
        /// Whether sound propagates along rays bent by refraction; otherwise along straight lines.
        refraction: bool = false,
        /// Shipping activity for the ambient noise, 0 to 1.
        shipping: f64 [fraction] = 0.5,
        /// Paths by reflection at the surface and the seabed. Default: only the direct path.
        multipath: Option<Multipath>,
        /// Noise of the thrusters of the same robot. Default: none.
        thruster_noise: Option<ThrusterNoise>,
        /// Reception of signals with a Doppler shift. Default: every shift is compensated.
        doppler: Option<DopplerTolerance>,
    }

    /// Paths by reflection at the surface and the seabed.
    pub struct Multipath {
        /// Maximum number of reflections of a path.
        max_reflections: u32 [in 1.0..=4.0] = 1,
        /// Delay after the first arrival up to which the receiver uses a path. Later paths are
        /// noise.
        max_delay_s: f64 [non_negative] = 0.01,
    }

    /// Noise of a thruster at the receiver of the same robot.
    pub struct ThrusterNoise {
        /// Spectral level at the receiver at the reference speed and frequency, re 1 uPa2/Hz.
        level_db: f64 [in -100.0..=250.0],
        /// Shaft speed of the level.
        speed_rad_s: f64 [positive],
        /// Frequency of the level.
        frequency_khz: f64 [positive],
        /// Increase of the level per decade of the shaft speed.
        speed_slope_db: f64 [in -200.0..=200.0] = 60.0,
        /// Decrease of the level per decade of the frequency.
        frequency_slope_db: f64 [in -200.0..=200.0] = 20.0,
    }

    /// Reception of signals with a Doppler shift.
    pub struct DopplerTolerance {
        /// Relative speed of both ends up to which the receiver compensates the shift, at a sound
        /// speed of 1500 m/s.
        max_speed_m_s: f64 [non_negative],
        /// Duration of a symbol: the longer it is, the fewer signals above `max_speed_m_s` are
        /// received.
        symbol_s: f64 [positive],
    }

    /// Electromagnetic waves in water.
    pub struct ElectromagneticMedium {
        /// Lowest and highest frequency.
        band_mhz: [f64; 2] [positive],
        /// Radiated power at maximum power.
        radiated_power_w: f64 [positive],
        /// Noise figure of the receiver over thermal noise at 290 K.
        noise_figure_db: f64 [in 0.0..=200.0] = 10.0,
        /// Permittivity of the water relative to vacuum.
        relative_permittivity: f64 [in 1.0..=1000.0] = 80.0,
        /// Permeability of the water relative to vacuum.
        relative_permeability: f64 [positive] = 1.0,
        /// Conductivity of the water. Default: conductivity of the sea.
        conductivity_siemens_per_m: Option<f64> [positive],
        /// Spreading exponent beyond 1 m; 0: attenuation only.
        spreading: f64 [in 0.0..=4.0] = 2.0,
    }

    /// Radio waves over water.
    pub struct RadioMedium {
        /// Lowest and highest frequency.
        band_mhz: [f64; 2] [positive],
        /// Radiated power at maximum power, without the gain of the antenna.
        radiated_power_w: f64 [positive],
        /// Noise figure of the receiver over thermal noise at 290 K, including external noise.
        noise_figure_db: f64 [in 0.0..=200.0] = 6.0,
        /// Law of the mean path loss.
        path_loss: PathLoss => "{kind: two_ray}",
        /// Variation of the path loss with the positions of the ends. Default: none.
        shadowing: Option<Shadowing>,
        /// Whether wave crests and the curvature of the Earth in the Fresnel zone attenuate the
        /// signal.
        diffraction: bool = true,
    }

    /// Law of the mean path loss of radio waves.
    pub enum PathLoss {
        /// Loss of free space.
        FreeSpace = "free_space",
        /// Loss of free space up to a reference distance; beyond it, a power of the distance.
        LogDistance = "log_distance" {
            /// Exponent of the distance.
            exponent: f64 [in 0.0..=10.0],
            /// Distance up to which the loss of free space applies.
            reference_m: f64 [positive] = 1.0,
        },
        /// Direct ray and ray reflected by the sea surface.
        TwoRay = "two_ray" {
            /// Polarisation of the antennas.
            polarisation: Polarisation = Polarisation::Vertical,
        },
    }

    /// Polarisation of an antenna.
    pub enum Polarisation words {
        /// Electric field is in the vertical plane.
        Vertical = "vertical",
        /// Electric field is horizontal.
        Horizontal = "horizontal",
    }

    /// Log-normal variation of the path loss with the positions of the ends.
    pub struct Shadowing {
        /// Standard deviation of the path loss.
        std_db: f64 [non_negative],
        /// Distance beyond which the variation is uncorrelated.
        distance_m: f64 [positive],
    }

    /// Light waves in water.
    pub struct OpticalMedium {
        /// Lowest and highest frequency of the electrical signal.
        band_khz: [f64; 2] [non_negative],
        /// Radiated mean power at maximum power.
        radiated_power_w: f64 [positive],
        /// Angle from the axis at which the radiant intensity is half of its maximum.
        half_angle_deg: f64 [in 0.01..=89.0],
        /// Wavelength of the light in vacuum.
        wavelength_um: f64 [in 0.2..=2.0],
        /// Half angle of the field of view of the receiver.
        field_of_view_deg: f64 [in 0.01..=180.0],
        /// Area of the receiver aperture.
        aperture_cm2: f64 [positive],
        /// Responsivity of the photodetector.
        responsivity_a_per_w: f64 [positive],
        /// Noise-equivalent power of the receiver in the dark.
        noise_w_per_sqrt_hz: f64 [positive],
        /// Width of the optical filter.
        filter_width_um: f64 [positive],
        /// Beam attenuation coefficient. Default: coefficient of the sea at the wavelength.
        attenuation_per_m: Option<f64> [non_negative],
    }

    /// Link to a satellite.
    pub struct SatelliteMedium {
        /// Lowest and highest frequency.
        band_mhz: [f64; 2] [positive],
        /// Terminal under the open sky, or gateway that is always connected.
        role: SatelliteRole = SatelliteRole::Terminal,
        /// Signal-to-noise ratio with a satellite in the zenith.
        zenith_snr_db: f64 [in -100.0..=200.0],
        /// Delay of the network, without the travel time to the satellite.
        latency_s: f64 [in 0.0..=3600.0] = 0.0,
        /// Minimum elevation of a satellite.
        min_elevation_deg: f64 [in 0.0..=90.0] = 8.0,
        /// Satellites of the service.
        sky: SatelliteVisibility,
    }

    /// Role of a satellite terminal.
    pub enum SatelliteRole words {
        /// Antenna that must be above water and have a satellite in view.
        Terminal = "terminal",
        /// Station of the operator, connected at all times.
        Gateway = "gateway",
    }

    /// Satellites of a service.
    pub enum SatelliteVisibility {
        /// A satellite is always in view, at the same elevation from every place.
        Always = "always" {
            /// Elevation of the satellite.
            elevation_deg: f64 [in 0.0..=90.0] = 45.0,
        },
        /// A satellite is in view during periodic windows.
        Windows = "windows" {
            /// Period of the windows.
            period_s: f64 [positive],
            /// Start and end of each window within the period.
            open_s: Vec<[f64; 2]> [non_negative, not_empty],
            /// Elevation of the satellite during a window.
            elevation_deg: f64 [in 0.0..=90.0] = 45.0,
        },
        /// Satellites on circular orbits in evenly spaced planes.
        Walker = "walker" (Walker),
    }

    /// Constellation of circular orbits with the same altitude and inclination.
    pub struct Walker {
        /// Altitude of the orbits above the mean radius of the Earth.
        altitude_km: f64 [in 100.0..=100000.0],
        /// Inclination of the orbits.
        inclination_deg: f64 [in 0.0..=180.0],
        /// Number of orbital planes.
        planes: u32 [in 1.0..=1000.0],
        /// Number of satellites in each plane.
        satellites: u32 [in 1.0..=1000.0],
        /// Angle over which the ascending nodes are spread: 180 or 360.
        node_spread_deg: f64 [in 0.0..=360.0] = 360.0,
        /// Phase of a satellite relative to its neighbour in the preceding plane, as a fraction of
        /// the spacing in the plane.
        phasing: f64 [in -1.0..=1.0] = 0.0,
        /// Longitude of the first ascending node at the start of the run.
        first_node_deg: f64 [in -360.0..=360.0] = 0.0,
    }
}

impl Medium {
    /// Returns true if signals of the two media can reach each other.
    pub fn is_same(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Returns the lowest and the highest frequency [Hz]; of an optical modem, of the electrical
    /// signal.
    pub fn band(&self) -> [f64; 2] {
        match self {
            Self::Acoustic(m) => m.band_khz.map(|f| 1e3 * f),
            Self::Electromagnetic(m) => m.band_mhz.map(|f| 1e6 * f),
            Self::Radio(m) => m.band_mhz.map(|f| 1e6 * f),
            Self::Optical(m) => m.band_khz.map(|f| 1e3 * f),
            Self::Satellite(m) => m.band_mhz.map(|f| 1e6 * f),
        }
    }

    /// Returns true if the ends of a link must be under water; otherwise they must be in air.
    pub fn is_under_water(&self) -> bool {
        matches!(
            self,
            Self::Acoustic(_) | Self::Electromagnetic(_) | Self::Optical(_)
        )
    }
}

impl DopplerTolerance {
    /// Returns the largest relative frequency shift that the receiver compensates [-].
    pub fn max_shift(&self) -> f64 {
        self.max_speed_m_s / NOMINAL_SOUND_SPEED
    }
}

impl Walker {
    /// Returns the altitude of the orbits above the mean radius of the Earth [m].
    pub fn altitude(&self) -> f64 {
        1e3 * self.altitude_km
    }
}

impl OpticalMedium {
    /// Returns the wavelength of the light in vacuum [m].
    pub fn wavelength(&self) -> f64 {
        1e-6 * self.wavelength_um
    }

    /// Returns the area of the receiver aperture [m²].
    pub fn aperture(&self) -> f64 {
        1e-4 * self.aperture_cm2
    }
}
