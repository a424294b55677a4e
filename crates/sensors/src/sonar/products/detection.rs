//! Detection of obstacle echoes in a ping; the law is in `crates/sensors/src/obstacle/mod.rs`.
//!
//! Independent of the world: all results are in the frame of the sensor.

use crate::exteroceptive::{EchoThreshold, SensorEcho};
use crate::sonar::beam;
use crate::sonar::receive::sample_level;
use merrow_math::real::sin_cos;
use merrow_model::sensor::sonar::{Ping, SonarKind, SonarSpec};

/// Returns the echoes of a ping: the soundings of a sonar that measures ranges, else the ranges
/// whose level exceeds the threshold.
pub(crate) fn ping_echoes(
    sonar: &SonarSpec,
    ping: &Ping,
    threshold: &EchoThreshold,
) -> Vec<SensorEcho> {
    if sonar.kind != SonarKind::Multibeam && !sonar.profiles {
        return image_echoes(sonar, ping, threshold);
    }
    let detected = ping
        .soundings
        .iter()
        .zip(&sonar.steering)
        .filter(|(s, _)| s.range.is_finite());
    detected
        .map(|(s, angle)| (sonar.direction(angle + ping.head, 0.0).scale(s.range), 0.0))
        .collect()
}

/// Returns the levels of one beam over range, smoothed over three ranges and with the two
/// neighbouring beams.
fn smoothed_levels(sonar: &SonarSpec, ping: &Ping, beam: usize) -> Vec<f64> {
    let n = sonar.steering.len();
    let beams = beam.saturating_sub(1)..(beam + 2).min(n);
    let beam_mean = |k: usize| {
        let sum: f64 = beams
            .clone()
            .map(|b| sample_level(sonar, ping.levels[k * n + b]))
            .sum();
        sum / beams.len() as f64
    };
    let rows: Vec<f64> = (0..sonar.bins()).map(beam_mean).collect();
    let mean = |k: usize| {
        let near = &rows[k.saturating_sub(1)..(k + 2).min(rows.len())];
        near.iter().sum::<f64>() / near.len() as f64
    };
    (0..rows.len()).map(mean).collect()
}

/// Detects the ranges of an imaging or scanning sonar whose level exceeds the threshold. (1)
fn image_echoes(sonar: &SonarSpec, ping: &Ping, threshold: &EchoThreshold) -> Vec<SensorEcho> {
    let cells = |length: f64| (length / sonar.bin()).ceil().max(1.0) as usize;
    let (guard, train) = (cells(threshold.window[0]), cells(threshold.window[1]));
    let half_height = sin_cos(0.5 * beam::width(&sonar.along[0])).0;
    let mut found = Vec::new();
    for (b, steering) in sonar.steering.iter().enumerate() {
        let rows = smoothed_levels(sonar, ping, b);
        // cumulative sums up to each range
        let mut sums = vec![0.0; rows.len() + 1];
        rows.iter()
            .enumerate()
            .for_each(|(k, l)| sums[k + 1] = sums[k] + l);
        for (k, l) in rows.iter().enumerate() {
            let before = k.saturating_sub(guard + train)..k.saturating_sub(guard);
            let after = (k + 1 + guard).min(rows.len())..(k + 1 + guard + train).min(rows.len());
            let n = before.len() + after.len();
            let sum = sums[before.end] - sums[before.start] + sums[after.end] - sums[after.start];
            if n > 0 && l - sum / n as f64 > threshold.level {
                let r = sonar.range(k);
                found.push((
                    sonar.direction(steering + ping.head, 0.0).scale(r),
                    r * half_height,
                ));
            }
        }
    }
    found
}
