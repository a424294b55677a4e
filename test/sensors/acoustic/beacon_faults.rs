//! Tests of faults of single beacons: temporary silence, reduced power, late clocks.

use super::{C, RECEIVER, TRANSMITTER, pinger, sounds, transponder, world};
use crate::common::{simulation, within};
use merrow_math::Vec3;
use merrow_model::scene::fault::{Device, Fault, FaultKind};
use merrow_model::sensor::acoustic::AcousticObservations;
use merrow_model::state::Command;
use merrow_sim::Simulation;

/// Returns four transponders around the robot with the turn-around time of 0.1 s.
fn nodes() -> String {
    let place = |(x, y): (i32, i32)| {
        format!(
            "{{beacon: {}, position_m: [{x}, {y}, -400]}}",
            transponder(0.1)
        )
    };
    let [a, b, c, d] = [(-200, -150), (220, -180), (180, 210), (-190, 160)].map(place);
    format!("beacons: {{a: {a}, b: {b}, c: {c}, d: {d}}}")
}

/// Returns a long-baseline receiver that interrogates every second.
fn lbl(faults: &str) -> Simulation {
    let device =
        format!("kind: lbl, rate_hz: 0.5, {TRANSMITTER}, {RECEIVER}").replace("2000", "600");
    let text = world(&device, "", &format!("{}\nfaults: {{{faults}}}", nodes()));
    simulation(&text.replace("dt_s: 0.01", "dt_s: 0.1"))
}

/// Returns the indices of the targets with a range.
fn ranged_targets(sounds: &AcousticObservations) -> Vec<usize> {
    sounds.ranges.iter().map(|r| r.target).collect()
}

// One beacon of a set fails for a limited time while the others continue: three are enough for a
// position, two are not. Method: a long-baseline receiver that samples every 2 s; b is dead from
// 3.9 to 8 s, c from 6 to 8 s. Tolerance: 1e-4 m.
#[test]
fn one_beacon_fails_temporarily() {
    let b = "b: {target: b, kind: dead, time_s: 3.9, duration_s: 4.1}";
    let c = "c: {target: beacons/c, kind: dead, time_s: 6, duration_s: 2}";
    let mut sim = lbl(&format!("{b}, {c}"));
    let received = sounds(&mut sim, 13.0);
    let expected: [&[usize]; 6] = [
        &[0, 1, 2, 3],
        &[0, 1, 2, 3],
        &[0, 2, 3],
        &[0, 3],
        &[0, 1, 2, 3],
        &[0, 1, 2, 3],
    ];
    assert!(received.len() >= expected.len(), "{}", received.len());
    for ((stamp, sounds), expected) in received.iter().zip(expected) {
        assert_eq!(ranged_targets(sounds), expected, "at {stamp} ns");
        let place = sounds.fixes.first().and_then(|fix| fix.world);
        assert_eq!(place.is_some(), expected.len() > 2, "at {stamp} ns");
        if let Some((p, _)) = place {
            assert!((p - Vec3::new(0.0, 0.0, -50.0)).norm() < 1e-4, "{p:?}");
        }
    }
}

// Reducing the power reduces the signal by the same factor, and zero power gives no signal. Method:
// level above noise of a pinger with 1 % of its power minus the level of an identical pinger
// without a fault, 10 log 0.01. Tolerance: rounding.
#[test]
fn reduced_power_reduces_the_level() {
    let rest = |part: f64| {
        let of = |y: i32| format!("{{beacon: {}, position_m: [200, {y}, -50]}}", pinger(200.0));
        let fault = format!("x: {{target: weak, kind: reduced, fraction: {part}}}");
        format!(
            "beacons: {{strong: {}, weak: {}}}\nfaults: {{{fault}}}",
            of(50),
            of(-50)
        )
    };
    let run = |part: f64| {
        let text = world(
            &format!("kind: hydrophone, rate_hz: 1, {RECEIVER}"),
            "",
            &rest(part),
        );
        sounds(&mut simulation(&text), 3.0)
            .pop()
            .expect("a sample")
            .1
    };
    let [strong, weak] = [0, 1].map(|k| run(0.01).fixes[k].snr);
    within("level", weak - strong, -20.0, 1e-9);
    let left: Vec<usize> = run(0.0).fixes.iter().map(|fix| fix.target).collect();
    assert_eq!(left, [0]);
}

// A delayed emission is measured as a longer range: by c b for a pinger or locator with a known
// clock, by half of that for a transponder. Method: ranges with and without a bias of 2 ms.
// Tolerance: 1e-6 m.
#[test]
fn clock_bias_increases_the_range() {
    let late = 2e-3;
    let locator =
        "{source: test, kind: locator, frequency_khz: 60, source_level_db: 190}".to_string();
    let receivers = "receivers_m: [[1, 1, 0], [1, -1, 0], [-1, -1, 0], [-1, 1, 0]]";
    let cases = [
        (
            format!("kind: hydrophone, rate_hz: 1, {RECEIVER}"),
            pinger(200.0),
            C * late,
        ),
        (
            format!("kind: usbl, rate_hz: 0.25, {TRANSMITTER}, {RECEIVER}"),
            transponder(0.1),
            0.5 * C * late,
        ),
        (
            format!("kind: sbl, rate_hz: 0.25, {receivers}, {RECEIVER}"),
            locator,
            C * late,
        ),
    ];
    for (device, beacon, more) in cases {
        let range = |fault: &str| {
            let rest = format!(
                "beacons: {{b: {{beacon: {beacon}, position_m: [300, 40, -90]}}}}\n{fault}"
            );
            let received = sounds(&mut simulation(&world(&device, "", &rest)), 6.0);
            let last = received
                .into_iter()
                .rev()
                .find(|(_, s)| !s.fixes.is_empty())
                .expect("a fix")
                .1;
            last.ranges
                .first()
                .map_or(last.fixes[0].p_S.norm(), |r| r.range)
        };
        let wrong = range(&format!(
            "faults: {{x: {{target: b, kind: biased, bias: {late}}}}}"
        )) - range("");
        within(&device, wrong, more, 1e-6);
    }
}

// An intermittent beacon is detected for its share of the time. Method: a pinger that works for 3 s
// and fails for 1 s on average, 4000 s: about 1000 cycles. Tolerance: 4 standard errors of such a
// share, 0.05.
#[test]
fn intermittent_beacon_is_detected_in_part() {
    let rest = format!(
        "beacons: {{b: {{beacon: {}, position_m: [100, 0, -50]}}}}\nfaults: {{x: {{target: b, kind: intermittent, mean_working_s: 3, mean_failed_s: 1}}}}",
        pinger(200.0)
    );
    let text = world(
        &format!("kind: hydrophone, rate_hz: 1, {RECEIVER}"),
        "",
        &rest,
    );
    let received = sounds(
        &mut simulation(&text.replace("dt_s: 0.01", "dt_s: 0.1")),
        4000.0,
    );
    let share =
        received.iter().filter(|(_, s)| !s.fixes.is_empty()).count() as f64 / received.len() as f64;
    within("share", share, 0.75, 0.05);
}

// A beacon is broken and repaired in a run; unsupported faults are rejected. Method: commands.
#[test]
fn beacons_can_be_broken_at_run_time() {
    let mut sim = lbl("");
    let fault = |kind: FaultKind, k: usize| {
        let stream = merrow_math::rng::Stream::new(1, "x");
        let device = Device::Beacon(k);
        let (name, start_ns, end_ns) = ("x".into(), 0, u64::MAX);
        Command::Fault(Box::new(Fault {
            name,
            robot: None,
            device,
            kind,
            start_ns,
            end_ns,
            stream,
        }))
    };
    sim.apply(&fault(FaultKind::Dead, 3)).unwrap();
    assert_eq!(ranged_targets(&sounds(&mut sim, 3.0)[0].1), [0, 1, 2]);
    sim.apply(&Command::Repair {
        robot: None,
        name: "x".into(),
    })
    .unwrap();
    assert_eq!(
        ranged_targets(&sounds(&mut sim, 4.0).pop().expect("a sample").1),
        [0, 1, 2, 3]
    );
    let refused = |command: &Command, sim: &mut Simulation| sim.apply(command).unwrap_err().reason;
    assert_eq!(
        refused(&fault(FaultKind::Stuck, 3), &mut sim),
        "`beacons/d` cannot be `stuck`; expected one of dead, reduced, biased, intermittent"
    );
    assert_eq!(
        refused(&fault(FaultKind::Dead, 4), &mut sim),
        "no beacon number 4"
    );
    assert_eq!(
        refused(
            &Command::Repair {
                robot: None,
                name: "x".into()
            },
            &mut sim
        ),
        "no fault \"x\" to repair"
    );
}
