//! Tests of the Automatic Identification System: reporting intervals and reception range.

use crate::common::{advance, simulation};
use merrow_model::sensor::ais::Sentence;
use merrow_model::state::frames::FrameData;
use merrow_sim::Simulation;

/// Returns the world with an AIS receiver `height` [m] above the water at the origin, further
/// robots and transponders.
fn world(height: f64, robots: &str, ais: &str) -> String {
    format!(
        "
gravity_m_s2: 0
step: {{dt_s: 0.1}}
seabed: {{depth_m: 900}}
robots:
  r:
    position_m: [0, 0, {height}]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      sensors: {{s: {{lazy: false, device: {{source: test, kind: ais_receiver, rate_hz: 1, fading_std_db: 0}}}}}}
{robots}
ais:
{ais}
"
    )
}

/// Returns a body without forces that moves east at `speed` [m/s] from `x` [m].
fn drifter(name: &str, x: f64, speed: f64) -> String {
    format!(
        "  {name}:
    position_m: [{x}, 500, 4]
    velocity_m_s: [{speed}, 0, 0]
    model: {{source: test, body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}}}
"
    )
}

fn sentences(sim: &mut Simulation, seconds: f64) -> Vec<Sentence> {
    let mut all = Vec::new();
    for _ in 0..seconds.round() as usize {
        advance(sim, 1.0);
        for frame in sim.frames.drain(..) {
            let FrameData::Sentences(found) = &*frame.data else {
                panic!("no sentences")
            };
            all.extend(found.iter().cloned());
        }
    }
    all
}

/// Returns the times of the sentences of one kind, selected by the first letter of their payload: 1
/// class A position report, B class B position report, 5 class A static data, H class B static
/// data.
fn of_kind(all: &[Sentence], letter: char) -> Vec<f64> {
    let is_it = |s: &&Sentence| {
        s.text
            .split(',')
            .nth(5)
            .is_some_and(|payload| payload.starts_with(letter))
    };
    all.iter()
        .filter(is_it)
        .map(|s| s.stamp_ns as f64 * 1e-9)
        .collect()
}

// Vessels report at the intervals of the standard. Method: class A at 5, 9 and 13 m/s (10, 6 and 2
// s), one at anchor (180 s), class B at 3 m/s (30 s) and at rest (180 s), each separately for 400
// s; static data are sent twice. Tolerance: 2 ns; none.
#[test]
fn vessels_report_at_the_standard_intervals() {
    for (class, status, speed, period) in [
        ('a', 0, 5.0, 10.0),
        ('a', 0, 9.0, 6.0),
        ('a', 0, 13.0, 2.0),
        ('a', 1, 0.0, 180.0),
        ('b', 0, 3.0, 30.0),
        ('b', 0, 0.2, 180.0),
    ] {
        let ais = format!(
            "  v: {{robot: v, class: {class}, mmsi: 211000001, status: {status}, position_m: [0, 0, 8]}}\n"
        );
        let mut sim = simulation(&world(10.0, &drifter("v", -1500.0, speed), &ais));
        let all = sentences(&mut sim, 400.0);
        let times = of_kind(&all, if class == 'a' { '1' } else { 'B' });
        assert!(
            times.len() as f64 >= f64::floor(389.0 / period),
            "{class} {speed}: {}",
            times.len()
        );
        for pair in times.windows(2) {
            assert!((pair[1] - pair[0] - period).abs() < 2e-9, "{pair:?}");
        }
        // Class A static data take two sentences, and the payload of the second starts with the
        // remainder; class B static data take two messages.
        let kinds = of_kind(&all, if class == 'a' { '5' } else { 'H' });
        assert_eq!(kinds.len(), if class == 'a' { 2 } else { 4 }, "{all:?}");
    }
}

// A vessel is received up to the radio horizon and the power limit; the own vessel is reported as
// own. Method: heights of 4 and 9 m give 4.12 (√4 + √9) = 20.6 km; over flat water P - 40 log d +
// 20 log(h h') = S gives 11.3 km for 12.5 W with S of -90 dBm and 5.0 km for 0.05 W with -100 dBm.
// Each is tested 3 % closer and 3 % farther.
#[test]
fn vessels_are_received_within_horizon_and_power() {
    let far = |power: f64, sensitivity: f64| {
        10_f64.powf((30.0 + 10.0 * power.log10() - sensitivity + 20.0 * 36_f64.log10()) / 40.0)
    };
    let horizon = 1e3 * 4.1222 * 5.0;
    for (power, sensitivity, range) in [
        (12.5, -90.0, far(12.5, -90.0)),
        (0.05, -100.0, far(0.05, -100.0)),
        (12.5, -130.0, horizon),
    ] {
        assert!(range <= horizon + 1.0);
        for (factor, detected) in [(0.97, true), (1.03, false)] {
            let x = range * factor;
            let ais = format!(
                "  v: {{class: a, mmsi: 211000001, position_m: [{x}, 0, 4], power_w: {power}}}\n  o: {{robot: r, mmsi: 1}}\n"
            );
            let text = world(9.0, "", &ais).replace(
                "rate_hz: 1,",
                &format!("rate_hz: 1, sensitivity_dbm: {sensitivity},"),
            );
            let all = sentences(&mut simulation(&text), 30.0);
            let others = all.iter().filter(|s| s.text.starts_with("!AIVDM")).count();
            assert_eq!(others > 0, detected, "{power} W, {x} m");
            assert!(all.iter().any(|s| s.text.starts_with("!AIVDO")));
        }
    }
}

// Land in the path attenuates the signal. Method: a wall in the path, with a link margin between 0
// and 20 dB.
#[test]
fn land_attenuates_the_signal() {
    let ais = "  v: {class: a, mmsi: 211000001, position_m: [12000, 0, 4]}\n";
    let clear = world(9.0, "", ais);
    assert!(!sentences(&mut simulation(&clear), 30.0).is_empty());
    let wall = "structures: {wall: {position_m: [4000, 0, 0], shapes: {w: {kind: box, size_m: [50, 500, 100]}}}}\n";
    assert!(sentences(&mut simulation(&(clear + wall)), 30.0).is_empty());
}
