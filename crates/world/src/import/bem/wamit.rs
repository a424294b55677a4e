//! Reads WAMIT's numeric output: `.1` added mass and damping, `.3` (or `.3sc`) wave forces. [WAMIT
//! 2013, §3.2, §3.3, §4.9]
//!
//! # Law
//! ```text
//!   .1  PER I J Ā B̄               A = ρ Lᵏ Ā,  B = ρ Lᵏ ω B̄
//!   .3  PER BETA I |X̄| φ Re Im    X = ρ g Lᵐ X̄
//! ```
//! k = 3 plus the number of rotations among I and J. m = 2 for forces, 3 for moments. The frequency
//! ω is zero for a period PER of -1, and infinite for a period of 0.

use crate::import::bem::{BemTable, Matrix, WaveExcitation};
use std::collections::BTreeMap;

/// Factors that convert the dimensionless output to SI units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// Density of the water [kg/m³].
    pub density: f64,
    /// Acceleration of gravity [m/s²].
    pub gravity: f64,
    /// Characteristic length ULEN [m].
    pub length: f64,
}

impl Scale {
    fn power(&self, n: i32) -> f64 {
        (0..n).fold(1.0, |p, _| p * self.length)
    }
}

/// Iterates over the lines that contain only numbers, with their line number.
fn rows(text: &str) -> impl Iterator<Item = (usize, Vec<f64>)> {
    text.lines().enumerate().filter_map(|(n, line)| {
        let numbers: Option<Vec<f64>> = line
            .split_whitespace()
            .map(|word| word.parse().ok())
            .collect();
        numbers
            .filter(|row| !row.is_empty())
            .map(|row| (n + 1, row))
    })
}

/// Converts a mode number 1 to 6 to an axis index 0 to 5.
fn axis(x: f64, line: usize) -> Result<usize, String> {
    if x.fract() == 0.0 && (1.0..=6.0).contains(&x) {
        return Ok(x as usize - 1);
    }
    Err(format!(
        "line {line}: expected a mode from 1 to 6, found {x}; use a table of one body without generalized modes"
    ))
}

/// Reads the added mass and damping of a `.1` file.
pub(crate) fn read_radiation(text: &str, scale: Scale) -> Result<BemTable, String> {
    let mut table = BemTable::default();
    let mut found: BTreeMap<u64, (Matrix, Matrix)> = BTreeMap::new();
    for (line, row) in rows(text) {
        if row.len() < 4 {
            return Err(format!(
                "line {line}: expected the numbers PER I J A and B, found {} numbers",
                row.len()
            ));
        }
        let (period, i, j) = (row[0], axis(row[1], line)?, axis(row[2], line)?);
        let mass = scale.density * scale.power(3 + i32::from(i > 2) + i32::from(j > 2));
        if period <= 0.0 {
            let limit = if period < 0.0 {
                &mut table.slow
            } else {
                &mut table.fast
            };
            limit.get_or_insert([[0.0; 6]; 6])[i][j] = mass * row[3];
            continue;
        }
        let Some(b) = row.get(4) else {
            return Err(format!(
                "line {line}: the damping is missing; expected PER I J A B"
            ));
        };
        let entry = found
            .entry(period.to_bits())
            .or_insert(([[0.0; 6]; 6], [[0.0; 6]; 6]));
        entry.0[i][j] = mass * row[3];
        entry.1[i][j] = mass * b * std::f64::consts::TAU / period;
    }
    for (period, (added, damping)) in found {
        table
            .omega
            .push(std::f64::consts::TAU / f64::from_bits(period));
        table.added.push(added);
        table.damping.push(damping);
    }
    table.sorted_and_checked()
}

/// Reads the wave forces of a `.3` file or a file of the same format. `is_total` states whether
/// they include the pressure of the undisturbed wave.
pub(crate) fn read_excitation(
    text: &str,
    scale: Scale,
    is_total: bool,
) -> Result<WaveExcitation, String> {
    let mut found: BTreeMap<(u64, i64), [[f64; 2]; 6]> = BTreeMap::new();
    let mut headings: Vec<f64> = Vec::new();
    let mut periods: Vec<f64> = Vec::new();
    let key = |degrees: f64| (degrees * 1e6).round() as i64;
    for (line, row) in rows(text) {
        let [period, heading, mode, _, _, re, im] = row[..] else {
            let n = row.len();
            return Err(format!(
                "line {line}: expected the numbers PER BETA I MOD PHS RE IM, found {n} numbers"
            ));
        };
        let i = axis(mode, line)?;
        if period <= 0.0 {
            continue;
        }
        let force = scale.density * scale.gravity * scale.power(2 + i32::from(i > 2));
        if !headings.iter().any(|h| key(*h) == key(heading)) {
            headings.push(heading);
        }
        if !periods.contains(&period) {
            periods.push(period);
        }
        found.entry((period.to_bits(), key(heading))).or_default()[i] = [force * re, force * im];
    }
    headings.sort_by(f64::total_cmp);
    periods.sort_by(|a, b| b.total_cmp(a));
    let mut table = WaveExcitation {
        headings,
        is_total,
        ..WaveExcitation::default()
    };
    for period in periods {
        table.omega.push(std::f64::consts::TAU / period);
        for heading in &table.headings {
            let force = found.get(&(period.to_bits(), key(*heading)));
            table.force.push(*force.ok_or_else(|| {
                format!("no force at the period {period} s and the heading {heading} deg, which other rows have")
            })?);
        }
    }
    if table.omega.len() < 2 {
        return Err(format!(
            "expected at least 2 periods of wave forces, found {}",
            table.omega.len()
        ));
    }
    Ok(table)
}

/// Returns the waterplane area divided by ULEN² of an `.hst` file: C(3,3) / (ρ g L²).
pub(crate) fn read_waterplane_area(text: &str) -> Result<f64, String> {
    let heave = |row: &[f64]| row.len() == 3 && row[0] == 3.0 && row[1] == 3.0;
    let found = rows(text)
        .find(|(_, row)| heave(row))
        .map(|(_, row)| row[2]);
    found
        .filter(|c| *c > 0.0)
        .ok_or_else(|| "no row `3 3 C` with C above 0".to_string())
}
