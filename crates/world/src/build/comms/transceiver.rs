//! Transceivers: band, medium, patterns, modulation and coding.

use crate::build::comms::ratio;
use merrow_model::scene::comms::Transceiver;
use merrow_model::scene::comms::medium::{
    AcousticMedium, DopplerTolerance, ElectromagneticMedium, Medium, Multipath, OpticalMedium,
    PathLoss, Polarisation, RadioMedium, SatelliteMedium, SatelliteRole, SatelliteVisibility,
    Shadowing, Walker,
};
use merrow_model::scene::comms::scheme::{Modulation, RateAdaptation, Scheme};
use merrow_model::scene::comms::transceiver::{Fading, Reception};
use merrow_model::scene::sea::water::AbsorptionLaw;
use merrow_schema::comms::medium::{
    AbsorptionConfig, AcousticConfig, AntennaPolarisationConfig, ElectromagneticConfig,
    MediumConfig, OpticalConfig, PathLossConfig, RadioConfig, SatelliteConfig, SatelliteRoleConfig,
    SkyConfig, ThrusterNoiseConfig,
};
use merrow_schema::comms::{FadingConfig, ModemConfig, ReceptionConfig, SchemeConfig};
use merrow_yaml::error::{Problems, quote};
use merrow_yaml::read::Places;

/// Speed of sound at which data sheets state the largest relative speed [m/s].
const NOMINAL_SOUND_SPEED: f64 = 1500.0;

/// Builds the transceiver of a modem; `None` if it is invalid.
pub(super) fn build_transceiver(
    file: &ModemConfig,
    problems: &mut Problems,
) -> Option<Transceiver> {
    let errors = problems.len();
    let (medium, band) = build_medium(&file.medium, problems);
    let schemes: Vec<Scheme> = file
        .schemes
        .iter()
        .filter_map(|scheme| build_scheme(scheme, problems))
        .collect();
    if let Some(pair) = schemes.windows(2).find(|w| w[1].rate < w[0].rate) {
        let text = format!(
            "schemes are not sorted: {} follows {}; list the slowest first",
            quote(&pair[1].name),
            quote(&pair[0].name)
        );
        problems.push(file.at.key_place("schemes"), text);
    }
    let transmit_pattern = file.transmit_pattern.build(problems);
    let receive_pattern = file.receive_pattern.build(problems);
    (problems.len() == errors).then_some(Transceiver {
        medium,
        band,
        schemes,
        adaptation: RateAdaptation {
            margin: file.adaptation.margin_db,
            hysteresis: file.adaptation.hysteresis_db,
        },
        max_power: file.max_power_w,
        circuit_power: file.circuit_power_w,
        receive_power: file.receive_power_w,
        idle_power: file.idle_power_w,
        is_half_duplex: file.half_duplex,
        capture: file.capture_db.map(ratio),
        carrier_sense: ratio(file.carrier_sense_db),
        is_overlap_destructive: file.destructive_overlap,
        loss_probability: file.loss_probability,
        reception: match file.reception {
            ReceptionConfig::ErrorRate => Reception::ErrorRate,
            ReceptionConfig::Level { threshold_db, .. } => Reception::Level {
                min_power: ratio(threshold_db),
            },
            ReceptionConfig::SignalExcess { threshold_db, .. } => Reception::SignalExcess {
                min_ratio: ratio(threshold_db),
            },
        },
        transmit_pattern,
        receive_pattern,
        fading: match file.fading {
            FadingConfig::None => Fading::None,
            FadingConfig::Rayleigh { coherence_s, .. } => Fading::Rayleigh {
                coherence: coherence_s,
            },
            FadingConfig::Rice {
                k_db, coherence_s, ..
            } => Fading::Rice {
                k: ratio(k_db),
                coherence: coherence_s,
            },
        },
        max_range: file.max_range_m,
        needs_line_of_sight: file.line_of_sight,
    })
}

/// Builds the medium of a modem and its band [Hz].
fn build_medium(file: &MediumConfig, problems: &mut Problems) -> (Medium, [f64; 2]) {
    let mut band = |band: [f64; 2], factor: f64, at: &Places, key: &str| {
        if band[0] >= band[1] {
            let text = format!(
                "`{key}`: expected the lower frequency first, found {} to {}",
                band[0], band[1]
            );
            problems.push(at.key_place(key), text);
        }
        band.map(|f| factor * f)
    };
    match file {
        MediumConfig::Acoustic(m) => (
            Medium::Acoustic(build_acoustic(m)),
            band(m.band_khz, 1e3, &m.at, "band_khz"),
        ),
        MediumConfig::Electromagnetic(m) => (
            Medium::Electromagnetic(build_electromagnetic(m)),
            band(m.band_mhz, 1e6, &m.at, "band_mhz"),
        ),
        MediumConfig::Radio(m) => (
            Medium::Radio(build_radio(m)),
            band(m.band_mhz, 1e6, &m.at, "band_mhz"),
        ),
        MediumConfig::Optical(m) => (
            Medium::Optical(build_optical(m)),
            band(m.band_khz, 1e3, &m.at, "band_khz"),
        ),
        MediumConfig::Satellite(m) => (
            Medium::Satellite(build_satellite(m)),
            band(m.band_mhz, 1e6, &m.at, "band_mhz"),
        ),
    }
}

fn build_acoustic(file: &AcousticConfig) -> AcousticMedium {
    AcousticMedium {
        source_level: file.source_level_db,
        self_noise: file.self_noise_db,
        spreading: file.spreading,
        absorption: match file.absorption {
            AbsorptionConfig::None => AbsorptionLaw::None,
            AbsorptionConfig::Thorp => AbsorptionLaw::Thorp,
            AbsorptionConfig::FrancoisGarrison => AbsorptionLaw::FrancoisGarrison,
            AbsorptionConfig::AinslieMccolm => AbsorptionLaw::AinslieMcColm,
        },
        refracts: file.refraction,
        shipping: file.shipping,
        multipath: file.multipath.as_ref().map(|m| Multipath {
            max_reflections: m.max_reflections,
            max_delay: m.max_delay_s,
        }),
        thruster_noise: file.thruster_noise.as_ref().map(ThrusterNoiseConfig::build),
        doppler: file.doppler.as_ref().map(|d| DopplerTolerance {
            max_shift: d.max_speed_m_s / NOMINAL_SOUND_SPEED,
            symbol: d.symbol_s,
        }),
    }
}

fn build_electromagnetic(file: &ElectromagneticConfig) -> ElectromagneticMedium {
    ElectromagneticMedium {
        radiated_power: file.radiated_power_w,
        noise_figure: file.noise_figure_db,
        relative_permittivity: file.relative_permittivity,
        relative_permeability: file.relative_permeability,
        conductivity: file.conductivity_siemens_per_m,
        spreading: file.spreading,
    }
}

fn build_radio(file: &RadioConfig) -> RadioMedium {
    RadioMedium {
        radiated_power: file.radiated_power_w,
        noise_figure: file.noise_figure_db,
        path_loss: match &file.path_loss {
            PathLossConfig::FreeSpace => PathLoss::FreeSpace,
            PathLossConfig::LogDistance {
                exponent,
                reference_m,
                ..
            } => PathLoss::LogDistance {
                exponent: *exponent,
                reference: *reference_m,
            },
            PathLossConfig::TwoRay { polarisation, .. } => PathLoss::TwoRay {
                polarisation: match polarisation {
                    AntennaPolarisationConfig::Vertical => Polarisation::Vertical,
                    AntennaPolarisationConfig::Horizontal => Polarisation::Horizontal,
                },
            },
        },
        shadowing: file.shadowing.as_ref().map(|s| Shadowing {
            std: s.std_db,
            distance: s.distance_m,
        }),
        has_diffraction: file.diffraction,
    }
}

fn build_optical(file: &OpticalConfig) -> OpticalMedium {
    OpticalMedium {
        radiated_power: file.radiated_power_w,
        half_angle: file.half_angle_deg.to_radians(),
        wavelength: 1e-6 * file.wavelength_um,
        field_of_view: file.field_of_view_deg.to_radians(),
        aperture: 1e-4 * file.aperture_cm2,
        responsivity: file.responsivity_a_per_w,
        noise_equivalent_power: file.noise_w_per_sqrt_hz,
        filter_width: 1e-6 * file.filter_width_um,
        attenuation: file.attenuation_per_m,
    }
}

fn build_satellite(file: &SatelliteConfig) -> SatelliteMedium {
    SatelliteMedium {
        role: match file.role {
            SatelliteRoleConfig::Terminal => SatelliteRole::Terminal,
            SatelliteRoleConfig::Gateway => SatelliteRole::Gateway,
        },
        zenith_snr: file.zenith_snr_db,
        latency: file.latency_s,
        min_elevation: file.min_elevation_deg.to_radians(),
        sky: match &file.sky {
            SkyConfig::Always { elevation_deg, .. } => SatelliteVisibility::Always {
                elevation: elevation_deg.to_radians(),
            },
            SkyConfig::Windows {
                period_s,
                open_s,
                elevation_deg,
                ..
            } => SatelliteVisibility::Windows {
                period: *period_s,
                open: open_s.clone(),
                elevation: elevation_deg.to_radians(),
            },
            SkyConfig::Walker(walker) => SatelliteVisibility::Walker(Walker {
                altitude: 1e3 * walker.altitude_km,
                inclination: walker.inclination_deg.to_radians(),
                planes: walker.planes,
                satellites: walker.satellites,
                node_spread: walker.node_spread_deg.to_radians(),
                phasing: walker.phasing,
                first_node: walker.first_node_deg.to_radians(),
            }),
        },
    }
}

fn build_scheme(file: &SchemeConfig, problems: &mut Problems) -> Option<Scheme> {
    let Some(modulation) = parse_modulation(&file.modulation) else {
        let text = format!(
            "`modulation`: expected bpsk, qpsk, dbpsk, fsk, coherent_fsk, ook, qam4, qam16, qam64, \
             qam256, qam1024, or lora_sf5 to lora_sf12, found {}",
            quote(&file.modulation)
        );
        problems.push(file.at.key_place("modulation"), text);
        return None;
    };
    Some(Scheme {
        name: file.name.clone(),
        modulation,
        rate: file.rate_bit_s,
        coding_gain: file.coding_gain_db,
        min_snr: file.min_snr_db,
    })
}

fn parse_modulation(name: &str) -> Option<Modulation> {
    Some(match name {
        "bpsk" => Modulation::Bpsk,
        "qpsk" => Modulation::Qpsk,
        "dbpsk" => Modulation::Dbpsk,
        "fsk" => Modulation::Fsk { is_coherent: false },
        "coherent_fsk" => Modulation::Fsk { is_coherent: true },
        "ook" => Modulation::Ook,
        "qam4" | "qam16" | "qam64" | "qam256" | "qam1024" => Modulation::Qam {
            order: name.strip_prefix("qam")?.parse().ok()?,
        },
        _ => {
            let factor: u8 = name.strip_prefix("lora_sf")?.parse().ok()?;
            let is_valid = (5..=12).contains(&factor) && name.len() == 8 + usize::from(factor > 9);
            is_valid.then_some(Modulation::LoRa {
                spreading_factor: factor,
            })?
        }
    })
}
