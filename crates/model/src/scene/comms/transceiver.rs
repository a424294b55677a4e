//! Transmitter and receiver of a modem.
//!
//! # Keys of a component file
//! A file `params/modems/<name>.yaml` has these keys. The types below are in SI units and radians.
//!
//! ```text
//!   medium                                           Medium: acoustic, electromagnetic, radio, optical, satellite
//!   band_khz, band_mhz                               Transceiver::band
//!   max_power_w, circuit_power_w, receive_power_w, idle_power_w   fields of the same name
//!   half_duplex                                      Transceiver::is_half_duplex
//!   max_range_m, line_of_sight                       Transceiver::max_range, needs_line_of_sight
//!   capture_db, carrier_sense_db                     Transceiver::capture, carrier_sense
//!   destructive_overlap                              Transceiver::is_overlap_destructive
//!   reception: {law, threshold_db}                   Reception: error_rate, level, signal_excess
//!   fading: {law, k_db, coherence_s}                 Fading: none, rayleigh, rice
//!   transmit_pattern, receive_pattern:               Directivity
//!     {gain_db} | {axial: [[deg, db], ...]} | {azimuth_deg: [], elevation_deg: [], gain_db: []}
//!   adaptation: {margin_db, hysteresis_db}           RateAdaptation
//!   schemes: [{name, modulation, rate_bit_s, coding_gain_db, min_snr_db}, ...]   Scheme
//!     modulation                                     Modulation: bpsk, qpsk, dbpsk, fsk, coherent_fsk,
//!                                                    qam<order>, lora_sf<spreading factor>, ook
//!   acoustic                                         AcousticMedium
//!     source_level_db, self_noise_db, spreading, bent_rays, shipping
//!     absorption                                     AbsorptionLaw: none, thorp, francois_garrison, ainslie_mccolm
//!     multipath: {max_reflections, max_delay_s}      Multipath
//!     thruster_noise: {level_db, speed_rad_s, frequency_khz, speed_slope_db, frequency_slope_db}   ThrusterNoise
//!   electromagnetic                                  ElectromagneticMedium
//!     radiated_power_w, noise_figure_db, relative_permittivity, relative_permeability,
//!     conductivity_s_m, spreading
//!   radio                                            RadioMedium
//!     radiated_power_w, noise_figure_db, diffraction
//!     path_loss: {law, exponent, reference_m, polarisation}   PathLoss: free_space, log_distance, two_ray
//!     shadowing: {std_db, distance_m}                Shadowing
//!   optical                                          OpticalMedium
//!     radiated_power_w, half_angle_deg, wavelength_nm, field_of_view_deg, aperture_cm2,
//!     responsivity_a_w, noise_equivalent_power_w_rthz, filter_width_nm, attenuation_1_m
//!   satellite                                        SatelliteMedium
//!     role: terminal | gateway, zenith_snr_db, latency_s, min_elevation_deg
//!     sky: {law, ...}                                Sky: always {elevation_deg},
//!       windows {period_s, open_s: [[start, end], ...], elevation_deg}, walker {altitude_km,
//!       inclination_deg, planes, satellites, node_spread_deg, phasing, first_node_deg}
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
    /// Ratio of signal to interference and noise at which a stronger signal replaces the one that
    /// is being received, linear; `None`: never.
    pub capture: Option<f64>,
    /// Ratio of signal to noise above which carrier sensing reports the medium as busy, linear.
    pub carrier_sense: f64,
    /// Whether any overlap of two signals destroys both.
    pub is_overlap_destructive: bool,
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
        /// Level in decibels: re 1 µPa² (acoustic), 1 mW (electromagnetic, radio and satellite), 1
        /// W (optical).
        threshold: f64,
    },
    /// The ratio of signal to noise exceeds a threshold, first without directivity, which limits
    /// the range to a sphere, then with directivity; frames above it have no errors, the rule of
    /// Thetis.
    SignalExcess {
        /// Threshold of the ratio [dB].
        threshold: f64,
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
        /// Ratio of the power of the constant to that of the random part [-].
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

    /// Centre of the band [Hz].
    pub fn frequency(&self) -> f64 {
        0.5 * (self.band[0] + self.band[1])
    }

    /// Width of the band [Hz].
    pub fn bandwidth(&self) -> f64 {
        self.band[1] - self.band[0]
    }

    /// Information rates of the schemes [bit/s], in the order of the schemes.
    pub fn rates(&self) -> impl Iterator<Item = f64> + '_ {
        self.schemes.iter().map(|scheme| scheme.rate)
    }
}
