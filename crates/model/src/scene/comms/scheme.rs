//! Modulation and coding schemes of a modem.

use merrow_yaml::error::{Problems, quote};
use merrow_yaml::node::Node;
use merrow_yaml::read::{Field, Read, TypeName};
use merrow_yaml::schema::Defs;
use merrow_yaml::spec::spec;

/// Modulation with its error law (`crates/comms/src/link/modulation.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modulation {
    /// Binary phase-shift keying, coherent.
    Bpsk,
    /// Quaternary phase-shift keying, coherent.
    Qpsk,
    /// Binary phase-shift keying, differential.
    Dbpsk,
    /// Binary frequency-shift keying with orthogonal tones.
    Fsk {
        /// Whether the receiver detects the phase.
        is_coherent: bool,
    },
    /// Square quadrature amplitude modulation, also of the subcarriers of OFDM.
    Qam {
        /// Number of points: 4, 16, 64, 256 or 1024.
        order: u16,
    },
    /// Chirp spread spectrum of LoRa.
    LoRa {
        /// Spreading factor: bits per symbol, 5 to 12.
        spreading_factor: u8,
    },
    /// On-off keying of light, direct detection.
    Ook,
}

spec! {
    /// Modulation and coding scheme.
    pub struct Scheme {
        /// Name of the scheme.
        name: String [name],
        /// Modulation: `bpsk`, `qpsk`, `dbpsk`, `fsk`, `coherent_fsk`, `ook`, `qam4` to `qam1024`,
        /// or `lora_sf5` to `lora_sf12`.
        modulation: Modulation [not_empty],
        /// Rate of the information bits.
        rate_bit_s: f64 [in 1e-3..=1e12],
        /// Reduction, by the code, of the signal-to-noise ratio for the same bit error rate.
        coding_gain_db: f64 [in -100.0..=100.0] = 0.0,
        /// Signal-to-noise ratio above which `adaptive` selects this scheme.
        min_snr_db: f64 [in -200.0..=200.0] = 0.0,
    }

    /// Rule for the choice of the scheme from the signal-to-noise ratio.
    pub struct RateAdaptation {
        /// Margin over `min_snr_db` for a change to a scheme.
        margin_db: f64 [non_negative] = 0.0,
        /// Additional margin for a change to a faster scheme.
        hysteresis_db: f64 [non_negative] = 0.0,
    }
}

/// Names of the modulations in files.
const NAMES: [(&str, Modulation); 19] = [
    ("bpsk", Modulation::Bpsk),
    ("qpsk", Modulation::Qpsk),
    ("dbpsk", Modulation::Dbpsk),
    ("fsk", Modulation::Fsk { is_coherent: false }),
    ("coherent_fsk", Modulation::Fsk { is_coherent: true }),
    ("ook", Modulation::Ook),
    ("qam4", Modulation::Qam { order: 4 }),
    ("qam16", Modulation::Qam { order: 16 }),
    ("qam64", Modulation::Qam { order: 64 }),
    ("qam256", Modulation::Qam { order: 256 }),
    ("qam1024", Modulation::Qam { order: 1024 }),
    ("lora_sf5", lora(5)),
    ("lora_sf6", lora(6)),
    ("lora_sf7", lora(7)),
    ("lora_sf8", lora(8)),
    ("lora_sf9", lora(9)),
    ("lora_sf10", lora(10)),
    ("lora_sf11", lora(11)),
    ("lora_sf12", lora(12)),
];

const fn lora(spreading_factor: u8) -> Modulation {
    Modulation::LoRa { spreading_factor }
}

impl Read for Modulation {
    fn read(node: &Node, field: &Field<'_>, problems: &mut Problems) -> Option<Self> {
        let name = String::read(node, field, problems)?;
        let known = NAMES.iter().find(|(known, _)| *known == name);
        if known.is_none() {
            let text = format!(
                "{}: expected bpsk, qpsk, dbpsk, fsk, coherent_fsk, ook, qam4, qam16, qam64, \
                 qam256, qam1024, or lora_sf5 to lora_sf12, found {}",
                field.title(),
                quote(&name)
            );
            problems.push(&node.place, text);
        }
        known.map(|(_, modulation)| *modulation)
    }

    fn type_name(field: &Field<'_>) -> TypeName {
        String::type_name(field)
    }

    fn schema(field: &Field<'_>, defs: &mut Defs) -> serde_json::Value {
        String::schema(field, defs)
    }

    fn json(&self) -> serde_json::Value {
        let name = NAMES.iter().find(|(_, modulation)| modulation == self);
        name.map(|(name, _)| *name).into()
    }
}
