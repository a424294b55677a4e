//! Media of modems: physical parameters of transmitter, receiver and channel.

use crate::scene::sea::water::AbsorptionLaw;

/// Medium of a transceiver, with its physical parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Medium {
    /// Sound waves in water.
    Acoustic(AcousticMedium),
    /// Electromagnetic waves in water.
    Electromagnetic(ElectromagneticMedium),
    /// Radio waves over water.
    Radio(RadioMedium),
    /// Light waves in water.
    Optical(OpticalMedium),
    /// Link to a satellite.
    Satellite(SatelliteMedium),
}

/// Parameters of an acoustic modem.
#[derive(Clone, Debug, PartialEq)]
pub struct AcousticMedium {
    /// Source level at maximum power, on the axis [dB re 1 µPa at 1 m].
    pub source_level: f64,
    /// Spectral level of the self-noise of the receiver [dB re 1 µPa²/Hz].
    pub self_noise: f64,
    /// Spreading exponent of straight paths, 1 (cylindrical) to 2 (spherical) [-].
    pub spreading: f64,
    /// Equation for the absorption.
    pub absorption: AbsorptionLaw,
    /// Whether rays are refracted by the sound-speed profile.
    pub refracts: bool,
    /// Shipping activity for the ambient noise, 0 to 1 [-].
    pub shipping: f64,
    /// Paths by reflection; `None`: only the direct path.
    pub multipath: Option<Multipath>,
    /// Noise of the thrusters of the same robot; `None`: no noise.
    pub thruster_noise: Option<ThrusterNoise>,
    /// Reception of shifted signals; `None`: the receiver compensates every Doppler shift.
    pub doppler: Option<DopplerTolerance>,
}

/// Reception of signals with a Doppler shift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DopplerTolerance {
    /// Largest relative frequency shift that the receiver compensates [-].
    pub max_shift: f64,
    /// Duration of a symbol, positive [s].
    pub symbol: f64,
}

/// Paths by reflection at the surface and the seabed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Multipath {
    /// Maximum number of reflections of a path, 1 to 4.
    pub max_reflections: u32,
    /// Delay after the first arrival up to which the receiver uses a path [s]. Later paths are
    /// noise.
    pub max_delay: f64,
}

/// Noise of a thruster at the receiver of the same robot, as a function of the shaft speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThrusterNoise {
    /// Spectral level at the receiver, at the reference speed and frequency [dB re 1 µPa²/Hz].
    pub level: f64,
    /// Shaft speed of the level [rad/s].
    pub speed: f64,
    /// Frequency of the level [Hz].
    pub frequency: f64,
    /// Increase of the level per decade of the shaft speed [dB].
    pub speed_slope: f64,
    /// Decrease of the level per decade of the frequency [dB].
    pub frequency_slope: f64,
}

/// Parameters of an electromagnetic modem under water.
#[derive(Clone, Debug, PartialEq)]
pub struct ElectromagneticMedium {
    /// Radiated power at maximum power [W].
    pub radiated_power: f64,
    /// Noise figure of the receiver over thermal noise at 290 K [dB].
    pub noise_figure: f64,
    /// Permittivity of the water relative to vacuum [-].
    pub relative_permittivity: f64,
    /// Permeability of the water relative to vacuum [-].
    pub relative_permeability: f64,
    /// Conductivity of the water [S/m]; `None`: conductivity of the sea.
    pub conductivity: Option<f64>,
    /// Spreading exponent beyond 1 m [-]; 0: attenuation only.
    pub spreading: f64,
}

/// Parameters of a radio over water.
#[derive(Clone, Debug, PartialEq)]
pub struct RadioMedium {
    /// Radiated power at maximum power, without the gain of the antenna [W].
    pub radiated_power: f64,
    /// Noise figure of the receiver, including external noise, over thermal noise at 290 K [dB].
    pub noise_figure: f64,
    /// Law of the mean path loss.
    pub path_loss: PathLoss,
    /// Variation of the path loss with position; `None`: none.
    pub shadowing: Option<Shadowing>,
    /// Whether wave crests and the curvature of the Earth in the Fresnel zone attenuate the signal.
    pub has_diffraction: bool,
}

/// Law of the mean path loss of radio waves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PathLoss {
    /// Loss in proportion to the square of the distance.
    FreeSpace,
    /// Loss of free space up to a reference distance; beyond it, a power of the distance.
    LogDistance {
        /// Exponent of the distance [-].
        exponent: f64,
        /// Distance up to which the loss of free space applies [m].
        reference: f64,
    },
    /// Direct ray and ray reflected by the sea surface.
    TwoRay {
        /// Polarisation of the antennas.
        polarisation: Polarisation,
    },
}

/// Direction of the electric field of an antenna, on which the reflection at the sea surface
/// depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polarisation {
    /// Electric field in the vertical plane.
    Vertical,
    /// Electric field that is horizontal.
    Horizontal,
}

/// Log-normal variation of the path loss with the positions of the ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shadowing {
    /// Standard deviation of the path loss [dB].
    pub std: f64,
    /// Correlation distance, positive [m]: the loss is uncorrelated after twice this distance.
    pub distance: f64,
}

/// Parameters of an optical modem.
#[derive(Clone, Debug, PartialEq)]
pub struct OpticalMedium {
    /// Radiated mean power at maximum power [W].
    pub radiated_power: f64,
    /// Angle from the axis at which the radiant intensity is half of its maximum [rad].
    pub half_angle: f64,
    /// Wavelength of the light in vacuum [m].
    pub wavelength: f64,
    /// Half angle of the field of view of the receiver [rad].
    pub field_of_view: f64,
    /// Area of the receiver aperture [m²].
    pub aperture: f64,
    /// Responsivity of the photodetector [A/W].
    pub responsivity: f64,
    /// Noise-equivalent power of the receiver in the dark [W/√Hz].
    pub noise_equivalent_power: f64,
    /// Width of the optical filter [m].
    pub filter_width: f64,
    /// Beam attenuation coefficient [1/m]; `None`: coefficient of the sea at the wavelength.
    pub attenuation: Option<f64>,
}

/// Parameters of a satellite terminal.
#[derive(Clone, Debug, PartialEq)]
pub struct SatelliteMedium {
    /// Terminal under the open sky, or gateway that is always connected.
    pub role: SatelliteRole,
    /// Signal-to-noise ratio with a satellite in the zenith [dB].
    pub zenith_snr: f64,
    /// Delay of the network, without the travel time to the satellite [s].
    pub latency: f64,
    /// Minimum elevation of a satellite [rad].
    pub min_elevation: f64,
    /// Satellites of the service.
    pub sky: SatelliteVisibility,
}

/// Role of a satellite terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SatelliteRole {
    /// Antenna that must be above water and have a satellite in view.
    Terminal,
    /// Station of the operator, connected at all times.
    Gateway,
}

/// Satellites of a service, as functions of time.
#[derive(Clone, Debug, PartialEq)]
pub enum SatelliteVisibility {
    /// A satellite is always in view, at this elevation from every place.
    Always {
        /// Elevation of the satellite [rad].
        elevation: f64,
    },
    /// A satellite is in view during periodic windows.
    Windows {
        /// Period of the windows [s].
        period: f64,
        /// Start and end of each window within the period [s].
        open: Vec<[f64; 2]>,
        /// Elevation of the satellite during a window [rad].
        elevation: f64,
    },
    /// Satellites on circular orbits in evenly spaced planes.
    Walker(Walker),
}

/// Constellation of circular orbits with the same altitude and inclination.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walker {
    /// Altitude of the orbits above the mean radius of the Earth [m].
    pub altitude: f64,
    /// Inclination of the orbits [rad].
    pub inclination: f64,
    /// Number of orbital planes.
    pub planes: u32,
    /// Number of satellites in each plane.
    pub satellites: u32,
    /// Angle over which the ascending nodes are spread [rad]: π or 2π.
    pub node_spread: f64,
    /// Phase of a satellite relative to its neighbour in the preceding plane, as a fraction of the
    /// spacing in the plane [-].
    pub phasing: f64,
    /// Longitude of the first ascending node at the start of the run [rad].
    pub first_node: f64,
}

impl Medium {
    /// Returns true if signals of the two media can reach each other.
    pub fn is_same(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Returns the name of the medium in world files and messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Acoustic(_) => "acoustic",
            Self::Electromagnetic(_) => "electromagnetic",
            Self::Radio(_) => "radio",
            Self::Optical(_) => "optical",
            Self::Satellite(_) => "satellite",
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
