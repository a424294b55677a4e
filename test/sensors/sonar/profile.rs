//! Tests of profiling sonars, tilted sonars, and the raw image of a forward-looking sonar.

use super::{BARE, ping, pings, spec, world};
use crate::common::{simulation, within};
use merrow_messages::convert::sonar::{Profile, bearing, projected, raw_sonar_image};
use merrow_model::sensor::sonar::Ping;
use merrow_ros2::msg::std_msgs::Header;

/// Walls 9 m ahead and astern, 7 m to port and 5 m to starboard.
const ROOM: &str = "structures:
  ahead: {position_m: [10, 0, -400], shapes: {s: {kind: box, size_m: [2, 60, 60]}}}
  astern: {position_m: [-10, 0, -400], shapes: {s: {kind: box, size_m: [2, 60, 60]}}}
  port: {position_m: [0, 8, -400], shapes: {s: {kind: box, size_m: [60, 2, 60]}}}
  starboard: {position_m: [0, -6, -400], shapes: {s: {kind: box, size_m: [60, 2, 60]}}}";

fn profiler(sector: f64, rest: &str) -> String {
    format!(
        "kind: scanning_sonar, profiles: true, sector_deg: {sector}, step_deg: 5, beam_width_deg: 1, elevation_width_deg: 1, rays: [12, 12], pulse_us: 20, \
         max_range_m: 30, bins: 3000, {rest}{BARE}"
    )
}

/// Returns the range [m] to the walls of the room at an azimuth, counter-clockwise [rad].
fn wall(azimuth: f64) -> f64 {
    let (s, c) = azimuth.sin_cos();
    let aside = if s > 0.0 { 7.0 } else { 5.0 };
    (9.0 / c.abs()).min(aside / s.abs())
}

// A profiling sonar measures the range at each bearing, counter-clockwise as in a laser scan, and
// outputs one scan per ping or one per turn or pass through its sector. Method: a room of four
// walls at four distances, with a continuously rotating head and with one that sweeps back and
// forth over 60 degrees. Tolerance: 3 cm of 5 to 11 m, the spread of a beam of 1 degree on a wall
// at 45 degrees; angles 1e-6.
#[test]
fn profiling_sonar_scans_a_room() {
    for (sector, seconds, n) in [(360.0, 75.0, 72), (60.0, 15.0, 12)] {
        let mut sim = simulation(&world(400.0, &profiler(sector, ""), ROOM));
        let spec = spec(&sim);
        let (mut profile, mut scans) = (Profile::default(), Vec::new());
        for (stamp, ping) in pings(&mut sim, seconds) {
            let one = bearing(&spec, &ping, 2.0, Header::default());
            within(
                "bearing",
                f64::from(one.ranges[0]),
                wall(f64::from(one.angle_min)),
                0.03,
            );
            assert!((f64::from(one.angle_min) + ping.head).abs() < 1e-6 && one.ranges.len() == 1);
            scans.extend(profile.add(&spec, &ping, stamp, 2.0));
        }
        assert_eq!(scans.len(), (2.0 * seconds) as usize / n);
        for (k, (stamp, scan)) in scans.iter().enumerate() {
            assert_eq!(
                (*stamp, scan.ranges.len()),
                ((k * n) as u64 * 500_000_000, n)
            );
            for (i, range) in scan.ranges.iter().enumerate() {
                let azimuth = f64::from(scan.angle_min + i as f32 * scan.angle_increment);
                within("scan", f64::from(*range), wall(azimuth), 0.03);
            }
            // First towards port, then towards starboard and back.
            let turns = if sector < 360.0 && k % 2 == 1 {
                1.0
            } else {
                -1.0
            };
            within(
                "step",
                f64::from(scan.angle_increment),
                turns * 5f64.to_radians(),
                1e-6,
            );
        }
    }
}

// A profiling sonar reports infinity without an echo, NaN for a lost ping, and drops an incomplete
// sweep. Method: open water; one ping left out, one sweep without its last ping.
#[test]
fn missing_echoes_are_infinite_and_lost_pings_nan() {
    let mut sim = simulation(&world(400.0, &profiler(20.0, ""), ""));
    let spec = spec(&sim);
    let all: Vec<(u64, Ping)> = pings(&mut sim, 6.0);
    let mut profile = Profile::default();
    let mut scans = Vec::new();
    for (stamp, ping) in all.iter().filter(|(_, p)| p.number != 2 && p.number != 7) {
        scans.extend(profile.add(&spec, ping, *stamp, 2.0));
    }
    let ranges: Vec<f32> = scans[0].1.ranges.clone();
    assert!(
        ranges[2].is_nan() && [0, 1, 3].iter().all(|k| ranges[*k] == f32::INFINITY),
        "{ranges:?}"
    );
    let stamps: Vec<u64> = scans.iter().map(|s| s.0 / 500_000_000).collect();
    assert_eq!(stamps[..2], [0, 8]);
}

// A sweep that is cut off by a restart does not affect the next sweep. Method: two of four pings,
// then a restart whose second ping is lost.
#[test]
fn restart_begins_a_new_sweep() {
    let mut sim = simulation(&world(400.0, &profiler(20.0, ""), ROOM));
    let spec = spec(&sim);
    let all: Vec<(u64, Ping)> = pings(&mut sim, 3.0);
    let mut profile = Profile::default();
    let mut add = |k: usize| profile.add(&spec, &all[k].1, all[k].0, 2.0);
    let scans: Vec<_> = [0, 1, 0, 2, 3].into_iter().filter_map(&mut add).collect();
    let [(0, scan)] = &scans[..] else {
        panic!("{scans:?}")
    };
    let received: Vec<bool> = scan.ranges.iter().map(|range| range.is_finite()).collect();
    assert_eq!(received, [true, false, true, true]);
}

// A tilted sonar uses the tilt at the time of each ping. Method: a profiling sonar in front of a
// wall 9 m ahead, whose tilt unit moves from -20 to 40 degrees and back in 4 s: 9/(cos a cos b) for
// the bearing a and the tilt b half-way between ping and echo, where the product of the two beam
// patterns is greatest. Tolerance: 3 cm.
#[test]
fn pings_use_the_tilt_of_their_time() {
    let device = profiler(10.0, "tilt_deg: [-20, 40], tilt_period_s: 4, ");
    let mut sim = simulation(&world(400.0, &device, ROOM));
    let tilt = spec(&sim).tilt.expect("a tilt");
    let all = pings(&mut sim, 8.4);
    assert!(all.len() >= 16);
    for (stamp, ping) in &all {
        let b = tilt.angle(*stamp) + tilt.speed(*stamp) * 10.0 / 1500.0;
        within(
            "wall",
            ping.soundings[0].range,
            9.0 / (ping.head.cos() * b.cos()),
            0.03,
        );
    }
}

// The raw image of a forward-looking sonar holds the values of the projected image, with the time
// of each sample and the angle of each beam. Method: both from one ping.
#[test]
fn raw_and_projected_images_agree() {
    // In the second case most of a bin follows the last whole bin.
    [1.0, 1.03].into_iter().for_each(raw_and_projected);
}

fn raw_and_projected(nearest: f64) {
    let device = format!(
        "kind: imaging_sonar, sector_deg: 60, beams: 31, beam_width_deg: 3, elevation_width_deg: 20, rays: [40, 20], pulse_us: 60, max_range_m: 30, min_range_m: {nearest}, bins: 290, {BARE}"
    );
    let (spec, ping) = ping(&world(400.0, &device, ROOM));
    let (seen, samples) = (
        projected(&spec, &ping, Header::default()),
        raw_sonar_image(&spec, &ping, 0..31, Header::default()),
    );
    assert_eq!(samples.image, seen.image);
    assert_eq!(
        (
            samples.samples_per_beam,
            samples.rx_angles.len(),
            samples.tx_delays.len()
        ),
        (290, 31, 31)
    );
    for (angle, direction) in samples.rx_angles.iter().zip(&seen.beam_directions) {
        within(
            "beam",
            f64::from(*angle),
            direction.y.atan2(direction.z),
            1e-6,
        );
    }
    for (k, range) in seen.ranges.iter().enumerate() {
        let time = (f64::from(samples.sample0) + k as f64) / f64::from(samples.sample_rate);
        // Only whole samples are counted.
        within(
            "sample",
            0.5 * ping.sound_speed * time,
            f64::from(*range),
            0.5 * spec.bin() + 1e-4,
        );
    }
}
