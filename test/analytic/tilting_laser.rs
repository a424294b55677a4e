//! A laser on a unit that nods it: the closed form of a wall, and the cloud of a whole sweep.

use crate::common::{advance, close, simulation};
use merrow::ros::looks::Swept;
use merrow::scene::laser::{LaserSpec, Tilt};
use merrow::scene::sensor::Looks;
use merrow::sim::Simulation;
use merrow::state::frame::{Frame, FrameData};

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
    match &**s.scene.robots[0].sensors[0].kind.looks().unwrap() {
        Looks::Laser(spec) => spec.clone(),
        _ => panic!("no laser"),
    }
}

fn frames(s: &mut Simulation, seconds: f64) -> Vec<Frame> {
    let mut all = Vec::new();
    for _ in 0..(seconds / 0.1).round() as usize {
        advance(s, 0.1);
        all.append(&mut s.frames);
    }
    all
}

// Goal: the unit goes to and fro at a constant speed between its limits. Method: its closed form at quarters of a period, and its speed. Tolerance: 1e-12.
#[test]
fn it_nods_to_and_fro() {
    let tilt = Tilt { limits: [-0.2, 0.6], period_ns: 2_000_000_000 };
    for (ns, angle, speed) in
        [(0, -0.2, 0.8), (500_000_000, 0.2, 0.8), (1_000_000_000, 0.6, -0.8), (3_500_000_000, 0.2, -0.8)]
    {
        assert!((tilt.angle(ns) - angle).abs() < 1e-12 && (tilt.speed(ns) - speed).abs() < 1e-12, "{ns}");
    }
}

// Goal: every scan ranges the wall through the tilt of each beam's instant, and its points lie on the wall. Method: 9/(cos a cos b) for azimuth a and the tilt b at the beam's time, over
// a whole period. Tolerance: 1e-5 of a range, what 32 bits hold ten times over.
#[test]
fn ranges_are_those_of_the_tilt_of_the_instant() {
    let mut s = simulation(WORLD);
    let spec = spec(&s);
    let tilt = spec.tilt.unwrap();
    let mut found = frames(&mut s, 2.3);
    found.retain(|frame| frame.stamp_ns >= 1_000_000_000);
    assert!(found.len() >= 20);
    let (mut swept, mut clouds) = (Swept::default(), Vec::new());
    for frame in &found {
        let FrameData::Scan(scan) = &*frame.data else { panic!("no scan") };
        for (k, range) in scan.ranges.iter().enumerate() {
            let a = (k as f64 - 40.0).to_radians();
            let b = tilt.angle(frame.stamp_ns + (spec.fires(k) * 1e9) as u64);
            close("range", f64::from(*range), 9.0 / (a.cos() * b.cos()), 1e-5);
            close("on the wall", spec.place(k, f64::from(*range), frame.stamp_ns).x, 9.0, 1e-5);
        }
        clouds.extend(swept.add(&spec, scan, frame.stamp_ns, 50_000_000));
    }
    // a whole sweep: 20 scans of 81 beams from its stamp on
    assert_eq!(clouds.len(), 1);
    let (stamp_ns, points) = &clouds[0];
    assert_eq!((*stamp_ns, points.len()), (1_000_000_000, 20 * 81));
    assert!(
        points.iter().all(|p| (p.p[0] - 9.0).abs() < 2e-4 && p.ring < 20 && (0.0..1.0).contains(&p.time))
    );
    let (low, high) = points.iter().fold((0.0_f32, 0.0_f32), |(a, b), p| (a.min(p.p[2]), b.max(p.p[2])));
    assert!(low < -9.0 * 0.5 && high > 9.0 * 0.3, "{low} to {high}");
}

// Goal: a sweep that lost its end is dropped, not passed off as whole, and so is what was there before a reset. Method: scans of three periods, the last ones of the first
// left out, then time goes back. Tolerance: none.
#[test]
fn half_a_sweep_is_none() {
    let mut s = simulation(WORLD);
    let spec = spec(&s);
    let found = frames(&mut s, 2.3);
    let mut swept = Swept::default();
    let mut add = |frame: &Frame| {
        let FrameData::Scan(scan) = &*frame.data else { panic!("no scan") };
        swept.add(&spec, scan, frame.stamp_ns, 50_000_000)
    };
    let mut ends = Vec::new();
    for frame in found.iter().filter(|f| f.stamp_ns < 500_000_000 || f.stamp_ns >= 1_000_000_000) {
        ends.extend(add(frame).map(|(stamp_ns, _)| stamp_ns));
    }
    assert_eq!(ends, [1_000_000_000]);
    for frame in found.iter().filter(|f| f.stamp_ns < 1_000_000_000) {
        ends.extend(add(frame).map(|(stamp_ns, _)| stamp_ns));
    }
    assert_eq!(ends, [1_000_000_000, 0]);
}
