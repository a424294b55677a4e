//! Tests of the gains of transducers over the direction, and of the noise of thrusters at the
//! receivers of their robot.

use super::{RECEIVER, pinger, sounds, world};
use crate::common::{advance, simulation, within};
use merrow_model::state::{ActuatorCommand, Command};
use merrow_sensors::sonar::noise::ambient;

/// Gains of -6 dB across the axis and -20 dB against it.
const PATTERN: &str = "{kind: axial, angles_deg: [0, 90, 180], gains_db: [0, -6, -20]}";

/// Returns the signal-to-noise ratio [dB] of the first fix of an instrument.
fn snr(device: &str, rest: &str) -> f64 {
    let mut sim = simulation(&world(device, "", rest));
    let received = sounds(&mut sim, 8.0);
    let mut fixes = received.iter().flat_map(|(_, sounds)| &sounds.fixes);
    fixes.next().expect("a fix").snr
}

// The gains of both transducers in the direction of the path change the received level. Method: a
// pinger and a transponder at the same distance ahead and abeam, with axes along and across the
// path; the ratio with gains minus the ratio without. The noise is the same. A transponder near its
// threshold detects an interrogation along its axis only. Tolerance: rounding.
#[test]
fn gains_depend_on_the_direction_of_the_path() {
    let hydrophone = format!("kind: hydrophone, rate_hz: 1, {RECEIVER}");
    let usbl =
        format!("kind: usbl, rate_hz: 0.3, frequency_khz: 30, source_level_db: 190, {RECEIVER}");
    let transponder = "{source: test, kind: transponder, frequency_khz: 30, source_level_db: 190";
    for (instrument, beacon) in [
        (&hydrophone, pinger(190.0).trim_end_matches('}').to_string()),
        (&usbl, transponder.to_string()),
    ] {
        for (keys, mount, position, expected) in [
            // the beacon transmits along its axis, against it, and across it
            ("", "axis: [-1, 0, 0]", "[100, 0, -50]", 0.0),
            ("", "axis: [1, 0, 0]", "[100, 0, -50]", -20.0),
            ("", "axis: [0, 0, 1]", "[100, 0, -50]", -6.0),
            // the instrument receives from ahead, from the left, and from the left with its axis up
            (PATTERN, "axis: [-1, 0, 0]", "[100, 0, -50]", 0.0),
            (PATTERN, "axis: [0, -1, 0]", "[0, 100, -50]", -6.0),
            (PATTERN, "axis: [0, 0, 1]", "[0, 100, -50]", -12.0),
        ] {
            let receive = match keys {
                "" => String::new(),
                pattern => format!(", receive_pattern: {pattern}"),
            };
            let beacons = |beacon: &str, mount: &str| {
                format!("beacons: {{b: {{beacon: {beacon}}}, position_m: {position}, {mount}}}}}")
            };
            let found = snr(
                &format!("{instrument}{receive}"),
                &beacons(&format!("{beacon}, transmit_pattern: {PATTERN}"), mount),
            );
            let plain = snr(instrument, &beacons(&beacon, mount));
            within(mount, found - plain, expected, 1e-9);
        }
    }
    // the interrogation arrives across the axis
    let heard = |pattern: &str| {
        let beacon = format!("{transponder}, threshold_db: 85, fading_std_db: 0{pattern}");
        let rest = format!(
            "beacons: {{b: {{beacon: {beacon}}}, position_m: [100, 0, -50], axis: [0, 0, 1]}}}}"
        );
        let mut sim = simulation(&world(&usbl, "", &rest));
        sounds(&mut sim, 8.0)
            .iter()
            .any(|(_, sounds)| !sounds.fixes.is_empty())
    };
    assert!(heard(""));
    assert!(!heard(&format!(", receive_pattern: {PATTERN}")));
}

// The thrusters of a robot add their noise at its receiver. Method: at full thrust the noise has
// the level of the key at its reference speed, 20 dB lower per decade of the frequency; without
// thrust there is none; both added as powers to the noise of sea and receiver. Tolerance: 0.01 dB,
// for a thrust that is still settling.
#[test]
fn thrusters_add_noise_at_the_receiver() {
    let device = format!(
        "kind: hydrophone, rate_hz: 1, {RECEIVER}, self_noise_db: 30, bandwidth_khz: 2, \
         thruster_noise: {{level_db: 80, speed_rad_s: 300, frequency_khz: 15}}"
    );
    let rest = format!(
        "beacons: {{b: {{beacon: {}, position_m: [100, 0, -50]}}}}",
        pinger(190.0)
    );
    let text = world(&device, "", &rest).replace(
        "      sensors:",
        "      thrusters: {t: {motor: t200_12v, position_m: [0, 0, 0], direction: [1, 0, 0]}}\n      command_timeout_s: ~\n      sensors:",
    );
    let ratios = [1500.0, 1900.0].map(|value| {
        let mut sim = simulation(&text);
        sim.apply(&Command::Actuator(
            0,
            ActuatorCommand::Thruster { thruster: 0, value },
        ))
        .unwrap();
        advance(&mut sim, 3.0);
        sim.frames.clear();
        let received = sounds(&mut sim, 2.0);
        let mut fixes = received.iter().flat_map(|(_, sounds)| &sounds.fixes);
        fixes.next().expect("a fix").snr
    });
    let quiet = ambient(30.0, 0.0) + 1e3;
    let loud = quiet + 1e8 * (15.0_f64 / 30.0).powi(2);
    within(
        "noise",
        ratios[0] - ratios[1],
        10.0 * (loud / quiet).log10(),
        0.01,
    );
}
