//! Tests of DVL and echo sounder beams that hit other robots and props.

use crate::common::turntable::set_motion;
use crate::common::{close, close_vectors, reading, relative, simulation};
use merrow_math::{Mat3, Quat, Vec3};
use merrow_model::sensor::water::{Dvl, DvlLock};
use merrow_model::state::reading::Reading;
use merrow_model::state::{BodyCommand, Command};
use merrow_sim::Simulation;

/// Returns a ball that carries `sensor` above a plate of 6 x 4 x 0.5 m, in a world without gravity,
/// 100 m deep; neither has drag.
fn over_a_plate(sensor: &str, more: &str) -> String {
    format!(
        "
gravity_m_s2: 0
step: {{dt_s: 0.01}}
robots:
  ball:
    model:
      source: test
      body: {{source: test, axes: flu, mass_kg: 10, inertia_kg_m2: {{xx: 0.1, yy: 0.1, zz: 0.1}},
        collisions: {{hull: {{kind: sphere, radius_m: 0.8}}}}}}
      sensors: {{{sensor}}}
props:
  plate:
    position_m: [0, 0, -40]
    body: {{source: test, axes: flu, mass_kg: 1000, inertia_kg_m2: {{xx: 1e4, yy: 1e4, zz: 1e4}},
      collisions: {{deck: {{kind: box, size_m: [6, 4, 0.5]}}}}}}
{more}
"
    )
}

const ALTIMETER: &str =
    "a: {device: {source: test, kind: altimeter, rate_hz: 100, min_range_m: 0.5, max_range_m: 90},
        position_m: [0.2, 0.1, -0.3], attitude_deg: [0, 90, 0]}";

const DVL: &str =
    "dvl: {device: {source: test, kind: dvl, rate_hz: 100, beam_angle_deg: 20, bottom_std_m_s: 0,
        altitude_m: [0.5, 90]}, position_m: [0.3, -0.2, -0.1]}";

fn range(s: &mut Simulation) -> f64 {
    let Reading::Altimeter(a) = reading(s, 0) else {
        panic!("not an altimeter")
    };
    a.range
}

fn dvl(s: &mut Simulation) -> Dvl {
    let Reading::Dvl(dvl) = reading(s, 0) else {
        panic!("not a DVL")
    };
    dvl
}

/// Sets the pose of the plate, and its velocities in its own frame.
fn set_plate(s: &mut Simulation, p_WB: Vec3, rpy: [f64; 3], v_WB_B: Vec3, w_WB_B: Vec3) {
    let q_WB = Quat::from_rpy(rpy[0], rpy[1], rpy[2]);
    s.apply(&Command::Body(
        1,
        BodyCommand::SetPose {
            p_WB,
            q_WB,
            v_WB_B,
            w_WB_B,
        },
    ))
    .unwrap();
}

// An echo sounder measures the range to the top of an object below it, level or tilted, next to it
// the range to the seabed, and never its own robot. Method: a plate whose top is at -39.75 m; then
// tilted, by the plane of its top; then the sounder beyond its edge; the sphere of its own robot
// surrounds the sensor all the time. Tolerance: 1e-9 (1e-6 m required).
#[test]
fn echo_sounder_measures_a_prop() {
    let mut s = simulation(&over_a_plate(ALTIMETER, ""));
    let (at, rest) = (Vec3::new(1.0, 1.0, -20.0), Vec3::zero());
    set_motion(&mut s, at, [0.0; 3], rest, rest);
    relative("level", range(&mut s), 39.75 - 20.3, 1e-9);
    let rpy = [0.2, -0.1, 0.7];
    set_plate(&mut s, Vec3::new(0.5, 0.3, -41.0), rpy, rest, rest);
    let R = Mat3::from_rpy(rpy[0], rpy[1], rpy[2]);
    let normal = R.mul_vec(Vec3::new(0.0, 0.0, 1.0));
    let top = Vec3::new(0.5, 0.3, -41.0) + normal.scale(0.25);
    let eye = at + Vec3::new(0.2, 0.1, -0.3);
    relative(
        "tilted",
        range(&mut s),
        normal.dot(eye - top) / normal.z,
        1e-9,
    );
    set_motion(&mut s, Vec3::new(6.0, 0.0, -20.0), [0.0; 3], rest, rest);
    relative("beside", range(&mut s), 79.7, 1e-9);
    set_motion(&mut s, Vec3::new(0.0, 0.0, -60.0), [0.0; 3], rest, rest);
    relative("under it", range(&mut s), 39.7, 1e-9);
}

// A DVL above a moving, rotating plate measures its own velocity relative to the plate, and the
// ranges to it. Method: a plate that drifts at (0.4, -0.3, 0.05) m/s: the difference, in the frame
// of the DVL; then a plate that also rotates: each beam by hand at its end point. Tolerance: 1e-9.
#[test]
fn a_dvl_measures_over_a_moving_plate() {
    let mut s = simulation(&over_a_plate(DVL, ""));
    let (at, rest) = (Vec3::new(0.2, 0.1, -36.0), Vec3::zero());
    let (v, drift) = (Vec3::new(1.0, 0.5, -0.1), Vec3::new(0.4, -0.3, 0.05));
    set_motion(&mut s, at, [0.0; 3], v, rest);
    set_plate(&mut s, Vec3::new(0.0, 0.0, -40.0), [0.0; 3], drift, rest);
    let r = dvl(&mut s);
    assert_eq!(r.lock, DvlLock::Bottom);
    close_vectors("velocity", r.velocity, v - drift, 1e-9);
    relative("altitude", r.altitude, 39.75 - 36.1, 1e-9);
    let spin = Vec3::new(0.05, -0.03, 0.4);
    let middle = Vec3::new(0.0, 0.0, -40.0);
    // Read at the start, before any motion.
    let mut s = simulation(&over_a_plate(DVL, ""));
    set_motion(&mut s, at, [0.0; 3], v, rest);
    set_plate(&mut s, middle, [0.0; 3], drift, spin);
    let r = dvl(&mut s);
    let eye = at + Vec3::new(0.3, -0.2, -0.1);
    for beam in r.beams {
        let range = (eye.z + 39.75) / -beam.direction.z;
        let end = eye + beam.direction.scale(range);
        relative("range", beam.range, range, 1e-9);
        let speed = (v - drift - spin.cross(end - middle)).dot(beam.direction);
        close("beam", beam.velocity, speed, 1e-9);
    }
    // A beam that misses the plate hits the seabed, which does not move.
    set_motion(&mut s, Vec3::new(0.0, 2.2, -36.0), [0.0; 3], v, rest);
    set_plate(&mut s, middle, [0.0; 3], drift, rest);
    let r = dvl(&mut s);
    let over: Vec<bool> = r.beams.iter().map(|b| b.range < 10.0).collect();
    assert_eq!(over.iter().filter(|o| **o).count(), 2, "{over:?}");
    for beam in r.beams {
        let speed = if beam.range < 10.0 { v - drift } else { v };
        close("beam", beam.velocity, speed.dot(beam.direction), 1e-9);
    }
}

// Beam intersections do not depend on the number of threads, on the division of a run into calls,
// or on the history; the beams of robots that move over each other use their current poses. Method:
// 70 drifting robots above one another, sounders at two rates, 2 s: on one thread in one call, on
// two threads step by step, and resumed from half way; all readings and the state hash.
#[test]
fn beam_intersections_do_not_depend_on_stepping() {
    let text = over_a_plate(DVL, "").replace(
        "    model:",
        "    position_m: [0, 0, -10]\n    velocity_m_s: [0.3, 0.1, 0]\n    repeat: {count: [7, 2, 5], spacing_m: [1.7, 2.1, -5.3]}\n    model:",
    );
    let text = text.replace("rate_hz: 100, beam", "rate_hz: 13, beam");
    let run = |threads: usize, pieces: &[u64], resume: bool| {
        let scene = std::sync::Arc::new(crate::common::scene(&text));
        let mut s = Simulation::new(scene.clone(), threads).unwrap();
        let mut all = Vec::new();
        for (k, steps) in pieces.iter().enumerate() {
            if resume && k == pieces.len() / 2 {
                let state = s.state.clone();
                s = Simulation::new(scene.clone(), threads).unwrap();
                s.state = state;
            }
            s.advance(*steps);
            for (r, runner) in s.runners.iter().enumerate() {
                all.extend(
                    runner
                        .outbox
                        .iter()
                        .map(|d| (d.stamped.stamp_ns, r, format!("{:?}", d.stamped.reading))),
                );
            }
            s.clear_outboxes();
        }
        all.sort();
        (s.state.hash(), all)
    };
    let once = run(1, &[200], false);
    assert!(once.1.len() > 70 * 25, "{}", once.1.len());
    let near = once.1.iter().filter(|(_, r, text)| {
        r % 5 < 4 && !text.contains("altitude: 8") && !text.contains("altitude: 9")
    });
    assert!(near.count() > 100);
    assert_eq!(once, run(2, &[1; 200], false));
    assert_eq!(once, run(2, &[37, 63, 50, 50], true));
}

// A beam is intersected in every sample in which it can hit a robot, although blocks of steps
// without such samples skip the intersection; also for turning robots, and for robots that gain
// more speed in a block than assumed. Method: robots that start apart and pass below each other,
// fast, slow and turning, one of them under a force of 1000 m/s² for a time; step by step, where no
// sample is skipped, and in long blocks, on one and two threads; all readings and the state hash.
#[test]
fn skipped_beam_intersections_do_not_affect_readings() {
    let rover = |name: &str, z: f64, vx: f64, turn: f64, more: &str| {
        format!(
            "
  {name}:
    position_m: [{}, 0.2, {z}]
    velocity_m_s: [{vx}, 0, 0]
    angular_velocity_rad_s: [0, {turn}, {}]
    model:
      source: test
      body: {{source: test, axes: flu, mass_kg: 10, inertia_kg_m2: {{xx: 0.1, yy: 0.1, zz: 0.1}},
        collisions: {{hull: {{kind: sphere, radius_m: 0.5}}}}}}
      sensors: {{{DVL}, {ALTIMETER}}}
{more}",
            -4.0 * vx,
            0.5 * turn
        )
    };
    let robots = [
        rover("high", -5.0, 0.1, 0.0, ""),
        rover("fast", -9.0, 3.0, 0.0, ""),
        rover("turning", -14.0, -2.0, 1.5, ""),
        rover("slow", -20.0, 0.4, 0.2, ""),
    ];
    let text = format!(
        "\ngravity_m_s2: 0\nstep: {{dt_s: 0.002}}\nrobots:{}",
        robots.concat()
    );
    let run = |threads: usize, block: u64| {
        let scene = std::sync::Arc::new(crate::common::scene(&text));
        let mut s = Simulation::new(scene, threads).unwrap();
        let (mut all, mut nearest) = (Vec::new(), f64::INFINITY);
        for step in (0..4000).step_by(block as usize) {
            // an acceleration that the assumed motion does not include
            if step == 3200 || step == 3600 {
                let force = if step == 3200 { 1e4 } else { 0.0 };
                s.state.robots[1].external_force[0].f = Vec3::new(0.0, force, 0.0);
            }
            s.advance(block);
            for (r, runner) in s.runners.iter().enumerate() {
                all.extend(runner.outbox.iter().map(|d| {
                    if let (0, Reading::Altimeter(a)) = (r, &d.stamped.reading) {
                        nearest = nearest.min(a.range);
                    }
                    let reading = format!("{:?}", d.stamped.reading);
                    (d.stamped.stamp_ns, r, d.sensor, reading)
                }));
            }
            s.clear_outboxes();
        }
        all.sort();
        assert!(nearest < 5.0, "{nearest}");
        (s.state.hash(), all)
    };
    let each = run(1, 1);
    assert!(each.1.len() > 4 * 2 * 750, "{}", each.1.len());
    for (threads, block) in [(1, 50), (2, 16), (2, 400)] {
        assert!(
            each == run(threads, block),
            "{threads} threads, blocks of {block}"
        );
    }
}
