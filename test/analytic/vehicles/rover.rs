//! Tests the rover: standing, driving straight, turning, holding on a slope, and wheel odometry.

use crate::common::{advance, close, close_vectors, relative, simulation};
use merrow_math::Vec3;
use merrow_model::scene::robot::firmware::differential_drive::DifferentialDriveState;
use merrow_model::state::commands::FirmwareOrder;
use merrow_model::state::firmware::FirmwareLawState;
use merrow_model::state::{Command, FirmwareCommand, JointCommand};
use merrow_sim::Simulation;

/// Returns a rover on a slab that is pitched nose-up by `slope` [deg]; the slab's surface passes
/// through the height of 1 m at the origin of W.
fn rover(slope: f64) -> Simulation {
    let (s, c) = slope.to_radians().sin_cos();
    // The wheel axles are 0.0345 m above the origin of the base, so the terrain is 0.0635 m below
    // it.
    let (x, z) = (-0.0635 * s, 1.0 + 0.0635 * c);
    simulation(&format!(
        "
step: {{dt_s: 0.002}}
water: {{density_kg_m3: 0}}
structures: {{slab: {{attitude_deg: [0, {0}, 0], position_m: [{1}, 0, {2}], material: {{friction: 0.8}},
  shapes: {{top: {{kind: box, size_m: [60, 60, 1]}}}}}}}}
robots: {{r: {{model: {{extends: robots/rover.yaml, sensors: null}}, position_m: [{x}, 0, {z}], attitude_deg: [0, {0}, 0]}}}}",
        -slope,
        0.5 * s,
        1.0 - 0.5 * c
    ))
}

fn drive(s: &mut Simulation, v: f64, w: f64, seconds: f64) {
    for _ in 0..(seconds * 10.0).round() as usize {
        let (linear, angular) = (Vec3::new(v, 0.0, 0.0), Vec3::new(0.0, 0.0, w));
        s.apply(&Command::Firmware(
            0,
            FirmwareCommand::Velocity { linear, angular },
        ))
        .unwrap();
        advance(s, 0.1);
    }
}

fn wheels(s: &Simulation) -> DifferentialDriveState {
    match &s.state.robots[0].firmware.as_ref().unwrap().memory {
        FirmwareLawState::DifferentialDrive(drive) => *drive,
        other => panic!("{other:?}"),
    }
}

fn position(s: &Simulation) -> Vec3 {
    s.state.robots[0].motion.p_WB
}

fn yaw(s: &Simulation) -> f64 {
    s.state.robots[0].motion.q_WB.matrix().to_rpy()[2]
}

// The rover stands, drives the commanded distance straight ahead, and stops when commands end; its
// odometry matches. Method: 1 m/s for 5 s, reached at 1 m/s², then half a second until the command
// times out and a second to stop: 5 m. Tolerance: 1 % of the distance, the lag of the servos; 2 mm
// sideways; 5 mm of odometry, the slip during acceleration and braking.
#[test]
fn rover_drives_straight() {
    let mut s = rover(0.0);
    advance(&mut s, 1.0);
    let start = position(&s);
    close_vectors("stands", start, Vec3::new(0.0, 0.0, 1.0635), 2e-3);
    drive(&mut s, 1.0, 0.0, 5.0);
    let v = s.state.robots[0].motion.V_WB_B.v;
    close("speed", v.x, 1.0, 0.01);
    advance(&mut s, 3.0);
    let way = position(&s) - start;
    // Half a second until the last command times out, less the tenth of a second since it was sent.
    close("way", way.x, 5.0 + 0.4, 0.054);
    assert!(way.y.abs() < 2e-3, "{way:?}");
    close("odometry", wheels(&s).odometry[0], way.x, 5e-3);
    assert!(s.state.robots[0].motion.V_WB_B.v.norm() < 1e-3);
}

// A skid-steered vehicle turns about its centre by the law of its wheels. All four wheels slip. For
// equally loaded wheels the friction moments balance at the rotation of a drive with the sides (B²
// + L²)/B apart, with B the track and L the wheelbase. Method: the drive law uses this effective
// track, so the vehicle turns as commanded: 0.5 rad/s for 6 s. Tolerance: 4 %, because the centre
// of mass is 12 mm forward of the centre and the servos lag; in place to 10 cm, from the same 12
// mm.
#[test]
fn rover_turns_in_place() {
    let mut s = rover(0.0);
    advance(&mut s, 1.0);
    let start = position(&s);
    let settings = s.scene.robots[0].firmware.clone().unwrap();
    let track = match settings.law {
        merrow_model::scene::robot::firmware::FirmwareLaw::DifferentialDrive(d) => d.keys.track_m,
        other => panic!("{other:?}"),
    };
    relative(
        "effective width",
        track,
        (0.37559 * 0.37559 + 0.262 * 0.262) / 0.37559,
        1e-3,
    );
    drive(&mut s, 0.0, 0.5, 2.0);
    let (from, wheels_from) = (yaw(&s), wheels(&s).odometry[2]);
    drive(&mut s, 0.0, 0.5, 4.0);
    relative("turned", yaw(&s) - from, 2.0, 0.04);
    relative(
        "by the wheels",
        wheels(&s).odometry[2] - wheels_from,
        2.0,
        0.01,
    );
    assert!(
        (position(&s) - start).norm() < 0.1,
        "{:?}",
        position(&s) - start
    );
}

// The rover holds on a slope of 15 degrees and climbs it. Method: 4 s at rest, then 0.5 m/s for 4
// s. Tolerance: 1 mm after the first second, in which the servo torques settle; 3 % of the
// distance.
#[test]
fn rover_holds_on_a_slope() {
    let mut s = rover(15.0);
    advance(&mut s, 1.0);
    let held = position(&s);
    assert!(held.norm() < 1.1, "{held:?}");
    advance(&mut s, 4.0);
    close_vectors("holds", position(&s), held, 1e-3);
    drive(&mut s, 0.5, 0.0, 1.0);
    let from = position(&s);
    drive(&mut s, 0.5, 0.0, 3.0);
    let way = position(&s) - from;
    relative("climbed", way.norm(), 1.5, 0.03);
    close(
        "up the slope",
        way.z / way.norm(),
        15.0_f64.to_radians().sin(),
        0.01,
    );
}

// The firmware owns the wheels while it drives. Method: a command to a wheel while the firmware
// drives, and once it is off.
#[test]
fn firmware_owns_wheels_while_driving() {
    let mut s = rover(0.0);
    let wheel = Command::Joint(
        0,
        JointCommand::Joint {
            joint: 0,
            value: 1.0,
        },
    );
    let refused = s.apply(&wheel).unwrap_err().reason;
    assert_eq!(
        refused,
        "the firmware drives the joint front_left_wheel: switch it off by `enable` first"
    );
    s.apply(&Command::Firmware(
        0,
        FirmwareCommand::FirmwareOrder {
            order: FirmwareOrder::Enable(false),
        },
    ))
    .unwrap();
    s.apply(&wheel).unwrap();
}

// The wheel encoders are quantised. Method: while driving, every measured angle is a whole number
// of steps of 1.31e-4 rad, 78 000 steps per metre. Tolerance: rounding.
#[test]
fn wheel_encoders_are_quantised() {
    let mut s = rover(0.0);
    drive(&mut s, 0.4, 0.1, 1.0);
    for joint in &s.state.robots[0].joints {
        let steps = joint.measured.position / 1.31e-4;
        assert!(steps.abs() > 1000.0, "{steps}");
        close("steps", steps, steps.round(), 1e-9);
    }
}
