//! Tests the glider: steady glides against their closed-form solution, the buoyancy engine, its
//! pump and the pump's power.

use crate::common::{advance, close, close_vectors, relative, scene, simulation, start};
use merrow_math::{SpatialVelocity, Vec3};
use merrow_model::state::firmware::ControlMode;
use merrow_model::state::{ActuatorCommand, Command, FirmwareCommand};
use merrow_sim::Simulation;
use std::sync::Arc;

fn glider(slide: f64, extra: &str) -> Simulation {
    simulation(&format!(
        "
step: {{dt_s: 0.02}}
water: {{density_kg_m3: 1025}}
seabed: {{depth_m: 3000}}
robots: {{g: {{model: {{extends: robots/seawing.yaml, sensors: null, {extra}}}, position_m: [0, 0, -300], velocity_m_s: [0.3, 0, 0], joint_positions: {{slide: {slide}}}}}}}"
    ))
}

fn ballast(s: &mut Simulation, value: f64) {
    s.apply(&Command::Actuator(
        0,
        ActuatorCommand::BuoyancyEngine { engine: 0, value },
    ))
    .unwrap();
}

/// Returns angle of attack [rad], nose-up pitch [rad] and speed [m/s] of the closed-form solution
/// (Graver 2005, ch. 4). Lift and drag balance the net weight `weight` [N] along the path. In pitch
/// K_M0 + K_M α and the Munk moment balance the weights of hull and sliding mass, whose moment
/// about the origin is caused by `gravity`: (forward, down) [N m]. Net buoyancy acts at the origin.
fn steady_glide(weight: f64, gravity: [f64; 2]) -> (f64, f64, f64) {
    let (d, l, m) = ([7.19, 386.29], [-0.36, 440.99], [0.28, -65.84]);
    let munk = 65.92 - 1.48;
    let at = |alpha: f64| {
        let (drag, lift) = (d[0] + d[1] * alpha * alpha, l[0] + l[1] * alpha);
        // Path angle above the horizon: drag along -V, lift across, weight down.
        let path = (-weight * drag).atan2(weight * lift);
        let speed = (weight.abs() / drag.hypot(lift)).sqrt();
        (path, path + alpha, speed)
    };
    let moment = |alpha: f64| {
        let (_, pitch, V) = at(alpha);
        // A centre of mass that is forward gives a nose-down moment; one that is low gives a
        // righting moment.
        (m[0] + m[1] * alpha) * V * V + munk * V * V * alpha.sin() * alpha.cos()
            - gravity[0] * pitch.cos()
            - gravity[1] * pitch.sin()
    };
    // The angle of attack is positive in a dive.
    let side = weight.signum();
    let (mut lo, mut hi) = (side * 0.003, side * 0.15);
    assert!(
        moment(lo) * moment(hi) < 0.0,
        "no glide between {lo} and {hi}"
    );
    for _ in 0..80 {
        let mid = 0.5 * (lo + hi);
        if moment(lo) * moment(mid) <= 0.0 {
            hi = mid
        } else {
            lo = mid
        }
    }
    let (_, pitch, speed) = at(lo);
    (lo, pitch, speed)
}

// A dive and a climb settle on the glides of the closed-form solution: angle of attack, pitch, path
// and speed. Method: 0.3 l out of and into the engine, the battery moved forward and aft; 15
// minutes each. Tolerance: 1e-3 relative in speed, 2e-4 rad in angles: the residual of the phugoid.
#[test]
fn steady_glides_match_the_closed_form() {
    for (litres, slide) in [(-0.3, 0.405), (0.3, 0.393)] {
        let mut s = glider(slide, "");
        ballast(&mut s, litres * 1e-3);
        advance(&mut s, 900.0);
        let m = &s.state.robots[0].motion;
        let v = m.V_WB_B.v;
        let (alpha, speed) = ((-v.z).atan2(v.x), v.norm());
        let pitch = -m.q_WB.matrix().to_rpy()[1];
        let weight = -litres * 1e-3 * 1025.0 * 9.81;
        let arms = [
            54.28 * -0.0814 + 11.0 * slide,
            54.28 * 0.0032 + 10.0 * 0.0154,
        ];
        let expected = steady_glide(weight, arms.map(|a| a * 9.81));
        println!("{litres} l: attack {alpha}, pitch {pitch}, speed {speed}; expected {expected:?}");
        assert!(
            (pitch - expected.1).abs() < 2e-4,
            "pitch {pitch} instead of {}",
            expected.1
        );
        assert!(
            (alpha - expected.0).abs() < 2e-4,
            "attack {alpha} instead of {}",
            expected.0
        );
        relative("speed", speed, expected.2, 1e-3);
        // The path angle also matches.
        let W = m.q_WB.matrix().mul_vec(v);
        assert!((W.z.atan2(W.x.hypot(W.y)) - (expected.1 - expected.0)).abs() < 2e-4);
        assert!(V_rest(&m.V_WB_B) < 1e-3, "it does not turn");
    }
}

/// Returns the part of a velocity that is not a straight glide.
fn V_rest(V: &SpatialVelocity) -> f64 {
    V.w.norm() + V.v.y.abs()
}

// Force and moment of the published law, with drift and rotation. Method: the law evaluated by hand
// in forward-right-down axes, compared with the same body without the law. Tolerance: 1e-9.
#[test]
fn glider_force_and_moment_match_law() {
    let body = |glider: &str| {
        format!(
            "
robots: {{g: {{position_m: [0, 0, -50], model: {{source: test, body: {{source: test, axes: flu, mass_kg: 10,
  inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}, net_buoyancy_n: 0, {glider}}}}}}}}}"
        )
    };
    let keys = "glider: {drag: [7, 380], lift: [-0.4, 440], side: -115, roll: [-58, -20], pitch: [0.3, -66, -205], yaw: [34, -389]}";
    let force = |text: &str| {
        let world = scene(text);
        let mut motion = start(&world, 0);
        motion.V_WB_B = SpatialVelocity {
            w: Vec3::new(0.02, -0.03, 0.05),
            v: Vec3::new(0.6, -0.05, -0.04),
        };
        let F = crate::common::evaluate(&world, &motion).links[0].F;
        (F.f, F.m)
    };
    let (with, without) = (force(&body(keys)), force(&body("")));
    // Forward, right, down.
    let (u, v, w) = (0.6_f64, 0.05_f64, 0.04_f64);
    let (p, q, r) = (0.02, 0.03, -0.05);
    let V = (u * u + v * v + w * w).sqrt();
    let (a, b) = (w.atan2(u), (v / V).asin());
    let flow = |x: [f64; 3]| {
        let [d, s, l] = x.map(|x| x * V * V);
        Vec3::new(
            a.cos() * b.cos() * d - a.cos() * b.sin() * s - a.sin() * l,
            b.sin() * d + b.cos() * s,
            a.sin() * b.cos() * d - a.sin() * b.sin() * s + a.cos() * l,
        )
    };
    let flu = |x: Vec3| Vec3::new(x.x, -x.y, -x.z);
    let f = flow([-(7.0 + 380.0 * a * a), -115.0 * b, -(-0.4 + 440.0 * a)]);
    let m = flow([
        -58.0 * b - 20.0 * p,
        0.3 - 66.0 * a - 205.0 * q,
        34.0 * b - 389.0 * r,
    ]);
    close_vectors("force", with.0 - without.0, flu(f), 1e-9);
    close_vectors("moment", with.1 - without.1, flu(m), 1e-9);
}

// The engine changes its volume at the pump's rates, within its range, and pumping out draws the
// power needed against the water pressure. Method: rates calculated by hand; p V'/η; the battery's
// output compared with that. Tolerance: 1e-9; 1e-6 of the power for the change of depth.
#[test]
fn buoyancy_engine_rates_and_power() {
    let mut s = glider(0.4, "");
    ballast(&mut s, 9.0);
    advance(&mut s, 20.0);
    close(
        "growing",
        s.state.robots[0].buoyancy_engines[0].volume * 1e6,
        200.0,
        1e-9,
    );
    let depth = -s.state.robots[0].motion.p_WB.z;
    relative(
        "power",
        s.state.robots[0].buoyancy_engines[0].power,
        1025.0 * 9.81 * depth * 1e-5 / 0.4,
        1e-3,
    );
    advance(&mut s, 60.0);
    close(
        "no further",
        s.state.robots[0].buoyancy_engines[0].volume * 1e6,
        500.0,
        1e-9,
    );
    assert_eq!(s.state.robots[0].buoyancy_engines[0].power, 0.0);
    ballast(&mut s, 0.0);
    advance(&mut s, 10.0);
    close(
        "shrinking",
        s.state.robots[0].buoyancy_engines[0].volume * 1e6,
        300.0,
        1e-9,
    );
    assert_eq!(s.state.robots[0].buoyancy_engines[0].power, 0.0);
    let nan = Command::Actuator(
        0,
        ActuatorCommand::BuoyancyEngine {
            engine: 0,
            value: f64::NAN,
        },
    );
    assert_eq!(
        s.apply(&nan).unwrap_err().reason,
        "engine: expected a finite number, found NaN"
    );
}

/// Returns the heading, clockwise from north [deg].
fn heading(s: &Simulation) -> f64 {
    let yaw = s.state.robots[0].motion.q_WB.matrix().to_rpy()[2];
    (90.0 - yaw.to_degrees()).rem_euclid(360.0)
}

fn mode(s: &Simulation) -> ControlMode {
    s.state.robots[0].firmware.as_ref().unwrap().activity().mode
}

/// Returns a glider at 5 m depth that heads east.
fn diving_glider() -> Simulation {
    simulation(
        "
step: {dt_s: 0.02}
water: {density_kg_m3: 1025}
seabed: {depth_m: 300}
robots: {g: {model: {extends: robots/seawing.yaml, sensors: null, battery: null}, position_m: [0, 0, -5], joint_positions: {slide: 0.4}}}",
    )
}

fn set_heading(s: &mut Simulation, heading_deg: f64, depth: Option<f64>) {
    s.apply(&Command::Firmware(
        0,
        FirmwareCommand::HeadingDepth {
            heading: Some(heading_deg.to_radians()),
            depth,
        },
    ))
    .unwrap();
}

// The firmware dives and climbs between two depths on a heading. Method: depth 40 m, heading 90 deg
// to the right of the start, 50 minutes. Tolerance: 6 m below the depth: the overshoot while the
// buoyancy engine reverses, at 0.2 m/s; 5 deg of heading in the last 10 minutes. Both turns in a
// climb are under way after 90 s.
#[test]
fn firmware_dives_on_a_heading() {
    let mut s = diving_glider();
    set_heading(&mut s, 180.0, Some(40.0));
    let (mut deepest, mut worst, mut turns, mut down) = (0.0_f64, 0.0_f64, 0, true);
    for second in 0..3000 {
        advance(&mut s, 1.0);
        let m = &s.state.robots[0].motion;
        deepest = deepest.max(-m.p_WB.z);
        let goes_down = m.q_WB.matrix().mul_vec(m.V_WB_B.v).z < 0.0;
        turns += usize::from(goes_down != down);
        down = goes_down;
        if second > 2400 {
            worst = worst.max((heading(&s) - 180.0).abs());
        }
    }
    println!("deepest {deepest:.1} m, {turns} turns, heading error {worst:.2} deg");
    assert!((40.0..46.0).contains(&deepest), "{deepest}");
    assert!(turns >= 6, "{turns}");
    assert!(worst < 5.0, "{worst}");
    assert_eq!(mode(&s), ControlMode::Dive);
    // a turn to the left in the climb that has begun, and one to the right
    for target in [150.0_f64, 180.0] {
        let from = heading(&s);
        set_heading(&mut s, target, None);
        advance(&mut s, 90.0);
        let turned = (heading(&s) - from) / (target - from);
        println!("to {target}: {turned:.2} of the turn");
        assert!(!down && (0.1..1.05).contains(&turned), "{turned}");
    }
}

// The glider dives along a path and surfaces at its end. Method: two legs of 400 and 360 m with
// depths of 20 and 30 m. Tolerance: the acceptance radius of 50 m.
#[test]
fn glider_follows_path_and_surfaces() {
    let mut s = diving_glider();
    let waypoints = [[0.0, -400.0, -20.0], [300.0, -600.0, -30.0]].map(Vec3::from);
    s.apply(&Command::Firmware(
        0,
        FirmwareCommand::FollowPath {
            waypoints: Arc::new(waypoints.into()),
        },
    ))
    .unwrap();
    let (mut seconds, mut deepest) = (0.0, 0.0_f64);
    while mode(&s) == ControlMode::PathFollowing {
        advance(&mut s, 1.0);
        seconds += 1.0;
        deepest = deepest.max(-s.state.robots[0].motion.p_WB.z);
        assert!(seconds < 6000.0, "at {:?}", s.state.robots[0].motion.p_WB);
    }
    let e = s.state.robots[0].motion.p_WB - waypoints[1];
    let distance = e.x.hypot(e.y);
    println!("{seconds} s, {distance:.1} m from the end, deepest {deepest:.1} m");
    assert!(distance < 60.0 && deepest < 36.0);
    advance(&mut s, 400.0);
    assert!(s.state.robots[0].motion.p_WB.z > -2.0);
}
