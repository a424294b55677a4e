//! Tests the bundled dock and gripper worlds (`worlds/`), driven as users drive them.

use merrow::publisher::connect_bridges;
use merrow_math::Vec3;
use merrow_model::kinematics::coupling::end_motion;
use merrow_model::state::coupling::LatchCapture;
use merrow_model::state::{ActuatorCommand, Command, JointCommand, Motion};
use merrow_sim::{Simulation, bridged_message};
use merrow_world::{Overrides, load_world};
use std::path::Path;
use std::sync::Arc;

fn shipped(name: &str) -> Simulation {
    shipped_on(name, 1)
}

/// Returns the simulation of a bundled world on `threads` threads.
fn shipped_on(name: &str, threads: usize) -> Simulation {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("worlds")
        .join(name);
    let world =
        load_world(&path, Overrides::default()).unwrap_or_else(|problems| panic!("{problems}"));
    Simulation::new(Arc::new(world.scene), threads).unwrap()
}

/// Sends thruster commands that hold depth, heading and attitude and surge with `speed` [m/s]; sway
/// is not controlled.
fn steer(s: &mut Simulation, speed: f64) {
    let m = &s.state.robots[0].motion;
    let [roll, pitch, yaw] = m.q_WB.matrix().to_rpy();
    let (v, w) = (m.V_WB_B.v, m.V_WB_B.w);
    let force = Vec3::new(
        2000.0 * (speed - v.x) + 100.0 * speed,
        0.0,
        1500.0 * (-20.06 - m.p_WB.z) - 2000.0 * v.z - 263.5,
    );
    let moment = Vec3::new(
        -500.0 * roll,
        -500.0 * pitch - 800.0 * w.y,
        -2000.0 * yaw - 2000.0 * w.z,
    );
    s.apply(&Command::Actuator(
        0,
        ActuatorCommand::Wrench { force, moment },
    ))
    .unwrap();
}

/// Drives for `seconds` [s], with a command every 20 ms.
fn drive(s: &mut Simulation, speed: f64, seconds: f64) {
    for _ in 0..(seconds / 0.02) as usize {
        steer(s, speed);
        s.advance(10);
    }
}

/// Returns the tip of the vehicle relative to the seat of the dock, along the seat's axes [m].
fn tip(s: &Simulation) -> Vec3 {
    let c = &s.scene.couplings[0];
    let [a, b] = [c.a, c.b.unwrap()].map(|end| end_motion(&s.scene, &s.state, &end));
    a.R_W.tr_mul_vec(b.p_W - a.p_W)
}

// A latch captures a RexROV at the dock, holds it against its thrusters, releases it, and does not
// recapture it before it has left. Method: driven forward 15 cm beside the axis and 6 cm below it;
// the funnel guides it. Tolerance: 1 mm for the funnel, 1e-6 m for the latched position.
#[test]
fn a_rexrov_docks_and_leaves() {
    let mut s = shipped("dock.yaml");
    let mut widest = 0.0_f64;
    let mut seconds = 0.0;
    while !s.state.couplings[0].engaged && seconds < 60.0 {
        drive(&mut s, 0.25, 0.1);
        seconds += 0.1;
        let t = tip(&s);
        if t.z > -0.6 && t.z < 0.0 {
            let r = 0.03 + 0.37 * -t.z / 0.6;
            widest = widest.max((t.x * t.x + t.y * t.y).sqrt() - r);
        }
    }
    assert!(
        s.state.couplings[0].engaged,
        "not captured in {seconds} s: tip at {:?}",
        tip(&s)
    );
    assert!(widest < 1e-3, "the tip left the funnel by {widest} m");
    // The latch pulls the vehicle into its seat and holds it there against 600 N astern.
    drive(&mut s, 0.0, 4.0);
    drive(&mut s, -0.25, 4.0);
    assert!(tip(&s).norm() < 1e-6, "{:?}", tip(&s));
    assert!(s.state.robots[0].motion.V_WB_B.v.norm() < 1e-6);
    let pull = s.state.couplings[0].force_W.x;
    assert!(pull > 100.0, "the latch pulls back with {pull} N");

    let release = Command::SetCoupling {
        coupling: 0,
        engage: false,
        partner: None,
    };
    s.apply(&release).unwrap();
    s.advance(1);
    let memory = s.state.couplings[0];
    assert!(
        !memory.engaged && memory.capture == LatchCapture::Leaving,
        "it does not re-latch the part that it has just released"
    );
    drive(&mut s, -0.25, 8.0);
    assert!(tip(&s).z < -0.6, "{:?}", tip(&s));
    assert_eq!(s.state.couplings[0].capture, LatchCapture::Armed);
    assert!(!s.state.couplings[0].engaged);
}

/// Returns the rotation of the vehicle relative to the seat of the dock: angles about the axes of
/// the world [rad].
fn tip_rotation(s: &Simulation) -> Vec3 {
    let c = &s.scene.couplings[0];
    let [a, b] = [c.a, c.b.unwrap()].map(|end| end_motion(&s.scene, &s.state, &end));
    Vec3::from(b.R_W.mul_mat_tr(&a.R_W).to_rpy())
}

/// Advances by whole `seconds` and adds the fixes that arrive over the bridges of the world to
/// `fixes`, one number per bridge.
fn run_schedule(s: &mut Simulation, seconds: u64, fixes: &mut [usize; 2]) {
    for _ in 0..seconds {
        s.clear_outboxes();
        s.advance(500);
        let output = &s.network_output;
        for delivery in &output.deliveries {
            let message = bridged_message(&s.scene, delivery, output.payload(delivery));
            if let Some((bridge, ..)) = message {
                fixes[bridge] += 1;
            }
        }
    }
}

/// Runs the world `docking_station` for two minutes. Returns the state hash at the end.
fn run_docking_station(threads: usize) -> String {
    let mut s = shipped_on("docking_station.yaml", threads);
    connect_bridges(&mut s);
    let mut fixes = [0; 2];
    let start = s.state.robots[0].motion.p_WB;
    run_schedule(&mut s, 20, &mut fixes);
    let way = (s.state.robots[0].motion.p_WB - start).norm();
    assert!(way > 10.0, "moved by {way} m in 20 s");
    assert!(fixes[0] >= 5 && fixes[1] == 0, "fixes {fixes:?} in 20 s");
    run_schedule(&mut s, 50, &mut fixes);
    assert!(!s.state.couplings[0].engaged, "engaged before 70 s");
    let before = s.state.robots[0].battery.charge;
    assert!(before < 0.59, "charge {before} on arrival");

    run_schedule(&mut s, 5, &mut fixes);
    assert!(s.state.couplings[0].engaged, "tip at {:?}", tip(&s));
    assert!(tip(&s).norm() < 1e-3, "tip at {:?}", tip(&s));
    assert!(tip_rotation(&s).norm() < 1e-3, "{:?}", tip_rotation(&s));
    let firmware = s.state.robots[0].firmware.as_ref().unwrap();
    let error = firmware.estimate.p_WB - s.state.robots[0].motion.p_WB;
    assert!(error.x.abs() < 0.1 && error.y.abs() < 0.1, "{error:?}");
    assert!(error.norm() > 1e-3, "the firmware has the true position");
    let arrival = s.state.robots[0].battery.charge;
    assert!(arrival < before, "the thrusters draw no current");
    assert!(fixes.iter().all(|n| *n >= 20), "fixes {fixes:?} in 75 s");

    run_schedule(&mut s, 45, &mut fixes);
    assert!(s.state.couplings[0].engaged, "released");
    assert!(tip(&s).norm() < 1e-6, "tip at {:?}", tip(&s));
    let battery = &s.state.robots[0].battery;
    assert!(battery.current < -20.0, "{} A", battery.current);
    assert!(battery.charge > arrival + 0.001, "{}", battery.charge);
    s.state.hash()
}

// The bundled docking station docks as docs/explanation/docking.md states, without another program and without
// the true motion: the vehicle moves at once, is in the berth after 75 s, and charges. The
// positions that the dock measures reach the vehicle by sound, later also by radio. Method:
// schedule of the world, on 1 and 2 threads. Tolerance: 1 mm and 1 mrad at 75 s, 1e-6 m at rest;
// 0.1 m for the estimate of the horizontal position at the berth, the errors of the fixes; none for
// the bits.
#[test]
fn the_docking_station_docks_and_charges() {
    assert_eq!(run_docking_station(1), run_docking_station(2));
}

// The positions that arrive by modem guide the vehicle into the latch, not the true motion. Method:
// the same without their use. Tolerance: the vehicle is 0.5 m or more beside the axis of the dock
// when it has reached the depth of the berth, and is not latched.
#[test]
fn without_positions_the_vehicle_misses_the_latch() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("worlds/docking_station.yaml");
    let mut world = load_world(&path, Overrides::default()).unwrap();
    for bridge in &mut world.scene.bridges {
        assert!(bridge.fix.take().is_some(), "{}", bridge.name);
    }
    let mut s = Simulation::new(Arc::new(world.scene), 1).unwrap();
    connect_bridges(&mut s);
    s.advance(79 * 500);
    let p = s.state.robots[0].motion.p_WB;
    assert!((p.x * p.x + p.y * p.y).sqrt() > 0.5, "{p:?}");
    assert!(!s.state.couplings[0].engaged);
}

/// Returns the position of the object in the gripper's frame [m].
fn in_gripper(s: &Simulation) -> Vec3 {
    let pose = |m: &Motion| (m.q_WB.matrix(), m.p_WB);
    let (R, p) = pose(&s.state.robots[0].motion);
    R.tr_mul_vec(s.state.robots[1].motion.p_WB - p)
}

/// Pushes the vehicle for `seconds` [s]: 15 N whose direction rotates with a period of 8 s, 0.3 to
/// 0.5 m/s relative to the water.
fn push(s: &mut Simulation, seconds: f64) {
    for _ in 0..(seconds / 0.02) as usize {
        let t = s.time_ns() as f64 * 1e-9;
        let (sin, cos) = (t * std::f64::consts::TAU / 8.0).sin_cos();
        s.state.robots[0].external_force[0].f = Vec3::new(15.0 * cos, 15.0 * sin, 3.0 * sin);
        s.advance(10);
    }
    s.state.robots[0].external_force[0].f = Vec3::zero();
}

// A friction grasp holds half a kilogram for 60 s in a current of 0.3 m/s while the vehicle moves.
// Method: springs press two jaws together with 15 N; the friction coefficient of the pair is 0.6.
// Tolerance: a millimetre of slip along the pads, mainly while the contact points settle; across
// the pads the springs deflect under the object's inertia, 1 N on 400 N/m.
#[test]
fn friction_holds_an_object_for_a_minute() {
    let mut s = shipped("grasp.yaml");
    s.advance(500);
    let before = in_gripper(&s);
    let place = s.state.robots[0].motion.p_WB;
    push(&mut s, 60.0);
    let slip = in_gripper(&s) - before;
    assert!(
        (slip.x * slip.x + slip.z * slip.z).sqrt() < 1e-3,
        "{slip:?}"
    );
    assert!(slip.y.abs() < 5e-3, "{slip:?}");
    assert!(
        (s.state.robots[0].motion.p_WB - place).norm() > 1.0,
        "the vehicle has not moved"
    );
}

// The springs hold the object. Method: the same with jaws that push outwards. Tolerance: the object
// moves by more than 0.2 m.
#[test]
fn open_jaws_lose_the_object() {
    let mut s = shipped("grasp.yaml");
    for joint in 0..2 {
        s.apply(&Command::Joint(
            0,
            JointCommand::Joint { joint, value: 30.0 },
        ))
        .unwrap();
    }
    push(&mut s, 10.0);
    assert!(
        (in_gripper(&s) - Vec3::new(0.3, 0.0, 0.0)).norm() > 0.2,
        "{:?}",
        in_gripper(&s)
    );
}

// A rigid grasp takes the object that the gripper touches and holds it for a minute with the jaws
// open. Method: the push of the friction test. Tolerance: the object stays at its position relative
// to the holding jaw to 1e-5 m, because a fifth of the error is corrected per step; measured
// 2.5e-6.
#[test]
fn a_rigid_grasp_holds_for_a_minute() {
    let mut s = shipped("grasp.yaml");
    s.advance(100);
    s.apply(&Command::SetCoupling {
        coupling: 0,
        engage: true,
        partner: None,
    })
    .unwrap();
    assert_eq!(s.state.couplings[0].partner, Some((1, 0)));
    s.apply(&Command::Joint(
        0,
        JointCommand::Joint {
            joint: 1,
            value: 30.0,
        },
    ))
    .unwrap();
    let offset =
        |s: &Simulation| in_gripper(s) - Vec3::new(0.0, s.state.robots[0].motion.q[0], 0.0);
    let before = offset(&s);
    push(&mut s, 60.0);
    assert!(
        (offset(&s) - before).norm() < 1e-5,
        "{:?}",
        offset(&s) - before
    );
    s.apply(&Command::SetCoupling {
        coupling: 0,
        engage: false,
        partner: None,
    })
    .unwrap();
    assert_eq!(s.state.couplings[0].partner, None);
}

// Rejected couplings report a reason. Method: a grasp without an object near, of the gripper
// itself, and of a robot that does not exist.
#[test]
fn invalid_couplings_are_rejected() {
    let mut s = shipped("grasp.yaml");
    let refused = |s: &mut Simulation, coupling, engage, partner| {
        s.apply(&Command::SetCoupling {
            coupling,
            engage,
            partner,
        })
        .unwrap_err()
        .reason
    };
    assert_eq!(refused(&mut s, 7, true, None), "no coupling number 7");
    assert_eq!(
        refused(&mut s, 0, true, Some(0)),
        "the coupling grip: gripper cannot grasp itself"
    );
    assert_eq!(
        refused(&mut s, 0, false, Some(1)),
        "the coupling grip: expected no partner for a release, found one; omit the partner"
    );
    s.state.robots[1].motion.p_WB.z = -12.0;
    assert_eq!(
        refused(&mut s, 0, true, None),
        "the coupling grip: no robot or prop within its reach of 0.15 m; the nearest is object at 2.000 m"
    );
    let mut s = shipped("dock.yaml");
    s.apply(&Command::SetCoupling {
        coupling: 0,
        engage: false,
        partner: None,
    })
    .unwrap();
    assert_eq!(s.state.couplings[0].capture, LatchCapture::Off);
    s.apply(&Command::SetCoupling {
        coupling: 0,
        engage: true,
        partner: None,
    })
    .unwrap();
    assert_eq!(s.state.couplings[0].capture, LatchCapture::Armed);
}
