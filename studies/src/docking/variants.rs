//! Variants of the packets and of the acoustic modem, which the thesis states inconsistently: times
//! to dock, side by side.

use crate::docking::run::{Manoeuvre, run_manoeuvre};
use crate::docking::scenario::{IDENTIFIED_BUOYANCY, Packets, Setup};
use crate::docking::study::{RUNS, THESIS, average, run_seeds};
use merrow_validate::cases::reference_data::ReferenceData;
use std::fmt::Write as _;

/// Variants with their names on the page.
const VARIANTS: [(&str, Packets); 8] = [
    ("text: 512 bit, 100 kHz, noise ignored (V12)", Packets::TEXT),
    (
        "sum of the fields: 304 bit",
        Packets {
            bytes: 38,
            ..Packets::TEXT
        },
    ),
    (
        "304 bit, period of 0.58 s that they need",
        Packets {
            bytes: 38,
            cycles: 29,
            ..Packets::TEXT
        },
    ),
    (
        "times of table 5.2: 384 bit by sound, 84 bit by radio",
        Packets {
            bytes: 48,
            // 48 byte take the time of 84 bit at 3 Mbit/s
            radio_rate: Some(384.0 / 0.28e-4),
            ..Packets::TEXT
        },
    ),
    (
        "absorption of sea water at 100 kHz",
        Packets {
            modem: "modem: {extends: modems/docking_acoustic.yaml}",
            ..Packets::TEXT
        },
    ),
    (
        "noise of the sea, errors by its ratio",
        Packets {
            modem: "modem: {extends: modems/docking_acoustic.yaml, absorption: none, \
                    reception: {kind: error_rate}}",
            ..Packets::TEXT
        },
    ),
    (
        "`evologics_s2c_r_48_78`: 48 to 78 kHz, 31.2 kbit/s, noise",
        Packets {
            modem: "modem: evologics_s2c_r_48_78, scheme: burst",
            ..Packets::TEXT
        },
    ),
    (
        "the same with 304 bit",
        Packets {
            bytes: 38,
            modem: "modem: evologics_s2c_r_48_78, scheme: burst",
            ..Packets::TEXT
        },
    ),
];

/// Returns the mean time to dock [s]; NaN if a run failed.
fn time(runs: &[Manoeuvre]) -> f64 {
    average(runs, |run| run.docked.unwrap_or(f64::NAN))
}

/// Formats a time [s] and its difference from the time of the thesis.
fn cell(time: f64, thesis: f64) -> String {
    if time.is_nan() {
        return "never".to_string();
    }
    format!("{time:.1} s, {:+.0} %", 100.0 * (time / thesis - 1.0))
}

/// Returns the fraction of the acoustic packets with the position of the vehicle that arrive, in
/// percent.
fn arrived(run: &Manoeuvre) -> f64 {
    100.0 * run.packets[0] as f64 / run.transmitted[0] as f64
}

/// Returns the table of the variants in Markdown: means of 10 seeds of the neutral vehicle, one
/// seed with the identified buoyancy, differences from the times of the thesis.
///
/// # Errors
/// Errors in the world, or a refused command.
pub fn table(data: &ReferenceData) -> Result<String, String> {
    let mut text = String::from(
        "| packets and acoustic modem | neutral, hybrid | neutral, acoustic only \
         | 200 N, hybrid | 200 N, acoustic only | acoustic packets that arrive |\n\
         | --- | --- | --- | --- | --- | --- |\n",
    );
    for (name, packets) in VARIANTS {
        let setup = |is_hybrid, net_buoyancy| Setup {
            is_hybrid,
            net_buoyancy,
            packets,
            ..Setup::default()
        };
        let neutral = |is_hybrid| run_seeds(data, &setup(is_hybrid, 0.0), RUNS);
        let fitted = |is_hybrid| run_manoeuvre(data, &setup(is_hybrid, IDENTIFIED_BUOYANCY));
        let (hybrid, acoustic) = (neutral(true)?, neutral(false)?);
        let (fitted_hybrid, fitted_acoustic) = (fitted(true)?, fitted(false)?);
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {} | {:.0} % |",
            cell(time(&hybrid), THESIS[1]),
            cell(time(&acoustic), THESIS[2]),
            cell(time(&[fitted_hybrid]), THESIS[1]),
            cell(time(&[fitted_acoustic]), THESIS[2]),
            average(&acoustic, arrived),
        );
    }
    text.push('\n');
    Ok(text)
}
