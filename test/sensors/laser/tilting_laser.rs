//! Tests of a laser on a tilt unit: closed form of the ranges to a wall, and the cloud of a whole
//! tilt cycle.

use crate::common::{advance, close, simulation};
use merrow_messages::convert::exteroceptive::TiltAccumulator;
use merrow_model::sensor::ExteroceptiveSpec;
use merrow_model::sensor::laser::LaserSpec;
use merrow_model::sensor::laser::Scan;
use merrow_model::sensor::tilt::Tilt;
use merrow_model::state::frames::{Frame, FrameData};
use merrow_sim::Simulation;

const WORLD: &str = "
step: {dt_s: 0.01}
seabed: {depth_m: 30}
structures: {wall: {position_m: [10, 0, 0], shapes: {s: {kind: box, size_m: [2, 80, 60]}}}}
robots:
  r:
    position_m: [0, 0, 12]
    model:
      source: test
      base: fixed
      body: {source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}
      sensors: {l: {lazy: false, device: {source: test, rate_hz: 20, kind: tilting_laser, azimuth_deg: [-40, 40], beams: 81,
        max_range_m: 60, tilt_deg: [-20, 30], tilt_period_s: 1}}}
";

fn spec(s: &Simulation) -> LaserSpec {
    match &**s.scene.robots[0].sensors[0].kind.exteroceptive().unwrap() {
        ExteroceptiveSpec::Laser(spec) => spec.clone(),
        _ => panic!("no laser"),
    }
}

/// Returns the stamps of the joint samples before and after the stamp of a frame.
fn adjacent_joint_stamps(s: &Simulation, frame: &Frame) -> (Option<u64>, u64) {
    s.scene.robots[0].sensors[0].adjacent_stamps(frame.stamp_ns, s.scene.dt_ns)
}

fn frames(s: &mut Simulation, seconds: f64) -> Vec<Frame> {
    let mut all = Vec::new();
    for _ in 0..(seconds / 0.1).round() as usize {
        advance(s, 0.1);
        all.append(&mut s.frames);
    }
    all
}

// The tilt unit moves back and forth between its limits at constant speed. Method: closed form at
// quarters of a period, and the speed. Tolerance: 1e-12.
#[test]
fn tilt_unit_moves_back_and_forth() {
    let tilt = Tilt {
        limits: [-0.2, 0.6],
        period_ns: 2_000_000_000,
    };
    for (ns, angle, speed) in [
        (0, -0.2, 0.8),
        (500_000_000, 0.2, 0.8),
        (1_000_000_000, 0.6, -0.8),
        (3_500_000_000, 0.2, -0.8),
    ] {
        assert!(
            (tilt.angle(ns) - angle).abs() < 1e-12 && (tilt.speed(ns) - speed).abs() < 1e-12,
            "{ns}"
        );
    }
}

// Each beam of a scan uses the tilt angle at its own time, and the points lie on the wall. Method:
// 9/(cos a cos b) for the azimuth a and the tilt b at the time of the beam, over a whole period.
// Tolerance: relative 1e-5, ten times the resolution of a 32-bit range.
#[test]
fn ranges_use_the_tilt_of_each_beam() {
    let mut s = simulation(WORLD);
    let spec = spec(&s);
    let tilt = spec.tilt.unwrap();
    let mut found = frames(&mut s, 2.3);
    found.retain(|frame| frame.stamp_ns >= 1_000_000_000);
    assert!(found.len() >= 20);
    let (mut swept, mut clouds) = (TiltAccumulator::default(), Vec::new());
    for frame in &found {
        let FrameData::Scan(scan) = &*frame.data else {
            panic!("no scan")
        };
        for (k, range) in scan.ranges.iter().enumerate() {
            let a = (k as f64 - 40.0).to_radians();
            let b = tilt.angle(frame.stamp_ns + (spec.firing_time(k) * 1e9) as u64);
            close("range", f64::from(*range), 9.0 / (a.cos() * b.cos()), 1e-5);
            close(
                "on the wall",
                spec.echo_position(k, f64::from(*range), frame.stamp_ns).x,
                9.0,
                1e-5,
            );
        }
        clouds.extend(swept.add(
            &spec,
            scan,
            frame.stamp_ns,
            adjacent_joint_stamps(&s, frame),
        ));
    }
    // A whole tilt cycle: 20 scans of 81 beams from its stamp on.
    assert_eq!(clouds.len(), 1);
    let (stamp_ns, points) = &clouds[0];
    assert_eq!((*stamp_ns, points.len()), (1_000_000_000, 20 * 81));
    assert!(
        points
            .iter()
            .all(|p| (p.p[0] - 9.0).abs() < 2e-4 && p.ring < 20 && (0.0..1.0).contains(&p.time))
    );
    let (low, high) = points.iter().fold((0.0_f32, 0.0_f32), |(a, b), p| {
        (a.min(p.p[2]), b.max(p.p[2]))
    });
    assert!(low < -9.0 * 0.5 && high > 9.0 * 0.3, "{low} to {high}");
}

// A tilt cycle whose start or end is missing is dropped, and scans from before a reset are
// discarded, also within the same period. Method: scans of two periods and of a restarted run, with
// some scans left out.
#[test]
fn incomplete_tilt_cycles_are_dropped() {
    let mut s = simulation(WORLD);
    let spec = spec(&s);
    let found = frames(&mut s, 2.3);
    let clouds = |parts: &[[u64; 2]]| -> Vec<(u64, usize)> {
        let mut swept = TiltAccumulator::default();
        let of_part = |[from, to]: &[u64; 2]| {
            let part = from * 1_000_000..to * 1_000_000;
            found.iter().filter(move |f| part.contains(&f.stamp_ns))
        };
        let add = |frame: &Frame| {
            let FrameData::Scan(scan) = &*frame.data else {
                panic!("no scan")
            };
            swept
                .add(
                    &spec,
                    scan,
                    frame.stamp_ns,
                    adjacent_joint_stamps(&s, frame),
                )
                .map(|(at, points)| (at, points.len()))
        };
        parts.iter().flat_map(of_part).filter_map(add).collect()
    };
    let whole = 20 * 81;
    assert_eq!(clouds(&[[0, 2000]]), [(0, whole), (1_000_000_000, whole)]);
    assert_eq!(
        clouds(&[[0, 500], [1000, 2000]]),
        [(1_000_000_000, whole)],
        "without its end"
    );
    assert_eq!(
        clouds(&[[50, 1000], [1000, 2000]]),
        [(1_000_000_000, whole)],
        "without its beginning"
    );
    assert_eq!(
        clouds(&[[0, 600], [0, 1000]]),
        [(0, whole)],
        "a reset within the first period"
    );
    assert_eq!(
        clouds(&[[0, 600], [200, 1000]]),
        [],
        "a reset whose first scans are lost"
    );
    assert_eq!(clouds(&[[0, 2000], [0, 1000]]).len(), 3, "a reset later on");
}

// Scans without an echo are part of their tilt cycle. Method: a tilt cycle whose first ten scans
// have no echo.
#[test]
fn tilt_cycle_may_start_without_echoes() {
    let mut s = simulation(WORLD);
    let spec = spec(&s);
    let (mut swept, mut clouds) = (TiltAccumulator::default(), Vec::new());
    for (k, frame) in frames(&mut s, 1.1)
        .iter()
        .filter(|f| f.stamp_ns < 1_000_000_000)
        .enumerate()
    {
        let FrameData::Scan(scan) = &*frame.data else {
            panic!("no scan")
        };
        let mut scan = scan.clone();
        if k < 10 {
            scan.ranges.fill(f32::INFINITY);
        }
        clouds.extend(swept.add(
            &spec,
            &scan,
            frame.stamp_ns,
            adjacent_joint_stamps(&s, frame),
        ));
    }
    let (stamp_ns, points) = clouds.pop().unwrap();
    assert_eq!((stamp_ns, points.len(), points[0].ring), (0, 10 * 81, 10));
    assert!((points[0].time - 0.5).abs() < 1e-6, "{}", points[0].time);
}

// Every tilt cycle is output for any combination of rate, step and period: stamps are times of
// steps, not of the nominal rate. Method: 40 scans per second with steps of 4 ms and tilt cycles of
// 1.026 s, with stamps as in a run.
#[test]
fn no_tilt_cycle_is_lost_by_rounding() {
    let world = WORLD
        .replace("dt_s: 0.01", "dt_s: 0.004")
        .replace("rate_hz: 20", "rate_hz: 40");
    let s = simulation(&world.replace("tilt_period_s: 1", "tilt_period_s: 1.026"));
    let (spec, sensor) = (spec(&s), &s.scene.robots[0].sensors[0]);
    let empty = Scan {
        ranges: vec![f32::INFINITY; 81],
        intensities: vec![0.0; 81],
    };
    let (mut swept, mut nods) = (TiltAccumulator::default(), 0);
    for k in 0..4000 {
        let stamp_ns = sensor.sample_ns(k).div_ceil(4_000_000) * 4_000_000;
        let about = sensor.adjacent_stamps(stamp_ns, s.scene.dt_ns);
        nods += u64::from(swept.add(&spec, &empty, stamp_ns, about).is_some());
    }
    assert_eq!(nods, 100_000_000_000 / 1_026_000_000);
}

// `describe` lists the joints of `joint_states`, including the joints of laser tilt units.
// Method: a robot with a joint, and the test robot.
#[test]
fn describe_lists_the_tilt_joint() {
    use merrow::arm;
    use merrow_messages::frames::ObjectStates;
    let arm = "links: {arm: {parent: base_link, joint: {kind: revolute, name: elbow, axis: [0, 1, 0], lower_rad: -1, upper_rad: 1, max_effort: 5, drive: {kind: effort}}, body: {source: test, axes: flu, mass_kg: 1,
        inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}}}\n      sensors";
    for (text, names) in [
        (WORLD.to_string(), vec!["l_tilt"]),
        (WORLD.replace("sensors", arm), vec!["elbow", "l_tilt"]),
    ] {
        let s = simulation(&text);
        assert_eq!(
            arm::joint_state(&s.scene, 0, &ObjectStates::read(&s)).name,
            names
        );
        assert_eq!(arm::joint_state_names(&s.scene.robots[0]), names);
    }
}
