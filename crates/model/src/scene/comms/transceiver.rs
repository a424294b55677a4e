//! Transmitter and receiver of a modem.
//!
//! # Keys of a component file
//! A file `params/modems/<name>.yaml` has these keys (`crates/schema/src/comms/`). The types below
//! are in SI units and radians. Keys after a value of `kind` apply to this value only.
//!
//! ```text
//!   description, source, estimated                   not part of the types
//!   kind: acoustic                                   AcousticMedium
//!     band_khz                                       Transceiver::band
//!     source_level_db, self_noise_db, spreading, shipping
//!     refraction                                     AcousticMedium::refracts
//!     absorption: none | thorp | francois_garrison | ainslie_mccolm   AbsorptionLaw
//!     multipath: {max_reflections, max_delay_s}      Multipath
//!     thruster_noise: {level_db, speed_rad_s, frequency_khz, speed_slope_db, frequency_slope_db}   ThrusterNoise
//!     doppler: {max_speed_m_s, symbol_s}             DopplerTolerance
//!   kind: electromagnetic                            ElectromagneticMedium
//!     band_mhz                                       Transceiver::band
//!     radiated_power_w, noise_figure_db, relative_permittivity, relative_permeability,
//!     conductivity_siemens_per_m, spreading
//!   kind: radio                                      RadioMedium
//!     band_mhz                                       Transceiver::band
//!     radiated_power_w, noise_figure_db
//!     diffraction                                    RadioMedium::has_diffraction
//!     path_loss:                                     PathLoss
//!       {kind: free_space} | {kind: log_distance, exponent, reference_m} | {kind: two_ray, polarisation}
//!     shadowing: {std_db, distance_m}                Shadowing
//!   kind: optical                                    OpticalMedium
//!     band_khz                                       Transceiver::band
//!     radiated_power_w, half_angle_deg, wavelength_um, field_of_view_deg, aperture_cm2,
//!     responsivity_a_per_w, filter_width_um
//!     noise_w_per_sqrt_hz                            OpticalMedium::noise_equivalent_power
//!     attenuation_per_m                              OpticalMedium::attenuation
//!   kind: satellite                                  SatelliteMedium
//!     band_mhz                                       Transceiver::band
//!     role: terminal | gateway                       SatelliteRole
//!     zenith_snr_db, latency_s, min_elevation_deg
//!     sky:                                           SatelliteVisibility
//!       {kind: always, elevation_deg} | {kind: windows, period_s, open_s: [[start, end], ...], elevation_deg} |
//!       {kind: walker, altitude_km, inclination_deg, planes, satellites, node_spread_deg, phasing, first_node_deg}
//!   bearing_std_deg, range_std_m                     UsblArray
//!   max_power_w, circuit_power_w, receive_power_w, idle_power_w   Transceiver, fields of the same name
//!   half_duplex                                      Transceiver::is_half_duplex
//!   max_range_m, line_of_sight                       Transceiver::max_range, needs_line_of_sight
//!   capture_db, carrier_sense_db                     Transceiver::capture, carrier_sense
//!   destructive_overlap                              Transceiver::is_overlap_destructive
//!   loss_probability                                 Transceiver::loss_probability
//!   reception:                                       Reception
//!     {kind: error_rate} | {kind: level, threshold_db} | {kind: signal_excess, threshold_db}
//!   fading:                                          Fading
//!     {kind: none} | {kind: rayleigh, coherence_s} | {kind: rice, k_db, coherence_s}
//!   transmit_pattern, receive_pattern:               Directivity
//!     {kind: uniform, gain_db} | {kind: axial, angles_deg: [], gains_db: []} |
//!     {kind: attitude, azimuths_deg: [], elevations_deg: [], gains_db: []}
//!   adaptation: {margin_db, hysteresis_db}           RateAdaptation
//!   schemes: [{name, modulation, rate_bit_s, coding_gain_db, min_snr_db}, ...]   Scheme
//!     modulation                                     Modulation: bpsk, qpsk, dbpsk, fsk, coherent_fsk, ook,
//!                                                    qam<order>, lora_sf<spreading factor>
//!   framing: {preamble_s, overhead_bits, control_bits, max_payload_bytes, max_fragments}   Framing
//!   acknowledgement: {timeout_s, max_retries, backoff_s}   Acknowledgement
//!   turn_around_s                                    Modem::turn_around_ns
//! ```

use crate::scene::comms::directivity::Directivity;
use crate::scene::comms::medium::Medium;
use crate::scene::comms::scheme::{RateAdaptation, Scheme};

/// Transmitter and receiver of a modem.
#[derive(Clone, Debug, PartialEq)]
pub struct Transceiver {
    /// Medium of the signals, with its physical parameters.
    pub medium: Medium,
    /// Lowest and highest frequency [Hz]; of an optical modem, of the electrical signal.
    pub band: [f64; 2],
    /// Modulation and coding schemes, slowest first.
    pub schemes: Vec<Scheme>,
    /// Choice of the scheme from the signal-to-noise ratio.
    pub adaptation: RateAdaptation,
    /// Maximum transmit power [W].
    pub max_power: f64,
    /// Power of the electronics while transmitting, in addition to the transmit power [W].
    pub circuit_power: f64,
    /// Power while receiving [W].
    pub receive_power: f64,
    /// Power while neither transmitting nor receiving [W].
    pub idle_power: f64,
    /// Whether the modem cannot receive while it transmits.
    pub is_half_duplex: bool,
    /// Ratio of signal to interference and noise at which a stronger signal replaces the signal
    /// that is being received, linear; `None`: never.
    pub capture: Option<f64>,
    /// Ratio of signal to noise above which carrier sensing reports the medium as busy, linear.
    pub carrier_sense: f64,
    /// Whether any overlap of two signals destroys both.
    pub is_overlap_destructive: bool,
    /// Probability that a frame that would be received is lost.
    pub loss_probability: f64,
    /// Condition for the reception of a frame.
    pub reception: Reception,
    /// Gain of the transmitter over the direction.
    pub transmit_pattern: Directivity,
    /// Gain of the receiver over the direction.
    pub receive_pattern: Directivity,
    /// Random variation of the received power with time.
    pub fading: Fading,
    /// Distance beyond which no signal is received [m]; `None`: no limit.
    pub max_range: Option<f64>,
    /// Whether terrain, structures and robots block the path.
    pub needs_line_of_sight: bool,
}

/// Condition for the reception of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reception {
    /// The bit error rate of the scheme at the ratio of signal to noise and interference.
    ErrorRate,
    /// The received power exceeds a level; frames above it have no errors.
    Level {
        /// Minimum power in µPa² (acoustic), mW (electromagnetic, radio and satellite) or W
        /// (optical).
        min_power: f64,
    },
    /// The ratio of signal to noise exceeds a threshold both without directivity, which limits the
    /// range to a sphere, and with directivity; frames above it have no errors. This is the rule of
    /// Thetis.
    SignalExcess {
        /// Threshold of the ratio, linear [-].
        min_ratio: f64,
    },
}

/// Random variation of the received power with time, with mean 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fading {
    /// No variation of the power.
    None,
    /// Rayleigh distribution of the amplitude.
    Rayleigh {
        /// Coherence time, positive [s]: the amplitude is uncorrelated after twice this time.
        coherence: f64,
    },
    /// Rice distribution of the amplitude.
    Rice {
        /// Power of the constant part over the power of the random part [-].
        k: f64,
        /// Coherence time, positive [s]: the amplitude is uncorrelated after twice this time.
        coherence: f64,
    },
}

impl Transceiver {
    /// Returns true if signals of the two transceivers can reach each other: the media are the same
    /// and the bands overlap.
    pub fn is_same_medium(&self, other: &Self) -> bool {
        self.medium.is_same(&other.medium)
            && self.band[0] < other.band[1]
            && other.band[0] < self.band[1]
    }

    /// Returns the centre of the band [Hz].
    pub fn frequency(&self) -> f64 {
        0.5 * (self.band[0] + self.band[1])
    }

    /// Returns the width of the band [Hz].
    pub fn bandwidth(&self) -> f64 {
        self.band[1] - self.band[0]
    }

    /// Iterates over the information rates of the schemes [bit/s], in the order of the schemes.
    pub fn rates(&self) -> impl Iterator<Item = f64> + '_ {
        self.schemes.iter().map(|scheme| scheme.rate)
    }
}
