//! Detection of echoes in a frame of a sonar or a laser.
//!
//! Independent of the world: all results are in the frame of the sensor.

use crate::sonar::beam;
use crate::sonar::receive::sample_level;
use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_model::scene::sensor::ExteroceptiveSpec;
use merrow_model::scene::sensor::laser::LaserSpec;
use merrow_model::scene::sensor::obstacle::DetectorSpec;
use merrow_model::scene::sensor::sonar::{SonarKind, SonarSpec};
use merrow_model::state::frames::ping::Ping;
use merrow_model::state::frames::{FrameData, Scan};

/// Returns the positions [m] of the echoes of a frame that began at `stamp_ns` [ns], each with half
/// of the height that it represents [m]. They are in the frame of the sensor, or in the frame of
/// its tilt unit.
pub(crate) fn extract_echoes(
    spec: &DetectorSpec,
    source: &ExteroceptiveSpec,
    data: &FrameData,
    stamp_ns: u64,
) -> Vec<(Vec3, f64)> {
    match (source, data) {
        (ExteroceptiveSpec::Laser(laser), FrameData::Scan(scan)) => {
            scan_echoes(laser, scan, stamp_ns)
        }
        (_, FrameData::Cloud(points)) => points
            .iter()
            .map(|p| (Vec3::from(p.p.map(f64::from)), 0.0))
            .collect(),
        (ExteroceptiveSpec::Sonar(sonar), FrameData::Ping(ping))
            if sonar.kind == SonarKind::Multibeam || sonar.profiles =>
        {
            let detected = ping
                .soundings
                .iter()
                .zip(&sonar.steering)
                .filter(|(s, _)| s.range.is_finite());
            detected
                .map(|(s, angle)| (sonar.direction(angle + ping.head, 0.0).scale(s.range), 0.0))
                .collect()
        }
        (ExteroceptiveSpec::Sonar(sonar), FrameData::Ping(ping)) => ping_echoes(spec, sonar, ping),
        _ => Vec::new(),
    }
}

fn scan_echoes(laser: &LaserSpec, scan: &Scan, stamp_ns: u64) -> Vec<(Vec3, f64)> {
    let echo = |(k, range): (usize, &f32)| {
        range
            .is_finite()
            .then(|| (laser.echo_position(k, f64::from(*range), stamp_ns), 0.0))
    };
    scan.ranges.iter().enumerate().filter_map(echo).collect()
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
    let rows: Vec<f64> = (0..sonar.bins).map(beam_mean).collect();
    let mean = |k: usize| {
        let near = &rows[k.saturating_sub(1)..(k + 2).min(rows.len())];
        near.iter().sum::<f64>() / near.len() as f64
    };
    (0..rows.len()).map(mean).collect()
}

/// Detects the ranges of an imaging or scanning sonar whose level exceeds the threshold. (1)
fn ping_echoes(spec: &DetectorSpec, sonar: &SonarSpec, ping: &Ping) -> Vec<(Vec3, f64)> {
    let cells = |length: f64| (length / sonar.bin()).ceil().max(1.0) as usize;
    let (guard, train) = (cells(spec.window[0]), cells(spec.window[1]));
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
            if n > 0 && l - sum / n as f64 > spec.threshold {
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
