//! Tests the firmware of a sailing boat: courses, tacking, paths, and staying at a goal.

use crate::common::{advance, simulation};
use merrow_math::Vec3;
use merrow_model::scene::robot::firmware::sailing::SailingState;
use merrow_model::state::firmware::{ControlMode, FirmwareLawState};
use merrow_model::state::{ActuatorCommand, Command, FirmwareCommand};
use merrow_sim::Simulation;
use std::sync::Arc;

/// Returns the shipped boat under way to the east in a wind of 6 m/s from the north.
fn boat() -> Simulation {
    simulation(
        "
step: {dt_s: 0.02, integrator: rk4}
air: {shear: {kind: uniform}}
weather: {wind_speed_m_s: 6, wind_from_deg: 0}
robots: {boat: {model: {extends: robots/sailboat.yaml, sensors: null, battery: null, solar_panels: null}, velocity_m_s: [1, 0, 0]}}",
    )
}

fn sailing(s: &Simulation) -> SailingState {
    match &s.state.robots[0].firmware.as_ref().unwrap().memory {
        FirmwareLawState::Sailing(sailing) => sailing.clone(),
        other => panic!("{other:?}"),
    }
}

fn position(s: &Simulation) -> Vec3 {
    s.state.robots[0].motion.p_WB
}

fn set_course(s: &mut Simulation, heading_deg: f64) {
    s.apply(&Command::Firmware(
        0,
        FirmwareCommand::HeadingDepth {
            heading: Some(heading_deg.to_radians()),
            depth: None,
        },
    ))
    .unwrap();
}

// The boat makes good a course in each direction, by tacking upwind and gybing downwind. Method:
// ten minutes on courses all round; the mean course made good after the first 100 s, speed along
// the course, and the largest distance from the line. Tolerance: 30 m of corridor and 15 m for the
// turn through the wind; at least 0.5 m/s to windward, half of the speed of the boat close-hauled
// (2 m/s) times cos 45 deg.
#[test]
fn courses_are_made_good_by_tacking() {
    for heading in [0.0_f64, 30.0, 60.0, 90.0, 135.0, 180.0, 225.0, 330.0] {
        let mut s = boat();
        set_course(&mut s, heading);
        let (sin, cos) = heading.to_radians().sin_cos();
        let (mut farthest, mut tacks, mut side) = (0.0_f64, 0, 0.0);
        for _ in 0..600 {
            advance(&mut s, 1.0);
            let (p, now) = (position(&s), sailing(&s));
            farthest = farthest.max((p.x * cos - p.y * sin).abs());
            tacks += usize::from(side != 0.0 && now.tack != side);
            side = now.tack;
        }
        let p = position(&s);
        let speed = (p.x * sin + p.y * cos) / 600.0;
        println!("{heading} deg: {speed:.2} m/s, {tacks} tacks, farthest {farthest:.1} m");
        assert!(speed > 0.5, "{heading}: {speed}");
        assert!(farthest < 45.0, "{heading}: {farthest}");
        assert_eq!(
            tacks > 2,
            heading == 0.0 || heading > 300.0 || heading == 30.0 || heading == 180.0,
            "{tacks}"
        );
    }
}

// The boat follows a triangle with a leg to windward and stays near its end. Method: three marks
// 100 m apart, then ten minutes of loitering. Tolerance: the acceptance radius of 8 m at each mark,
// checked by the firmware's progress; twice the loiter radius of 20 m afterwards, the turn back
// included.
#[test]
fn boat_sails_triangle_and_stays() {
    let mut s = boat();
    let marks = [[100.0, 0.0, 0.0], [50.0, 100.0, 0.0], [0.0, 0.0, 0.0]];
    let waypoints: Vec<Vec3> = marks.into_iter().map(Vec3::from).collect();
    s.apply(&Command::Firmware(
        0,
        FirmwareCommand::FollowPath {
            waypoints: Arc::new(waypoints.clone()),
        },
    ))
    .unwrap();
    let mut nearest = [f64::INFINITY; 3];
    let mut seconds = 0;
    while sailing(&s).path.is_some() {
        advance(&mut s, 1.0);
        seconds += 1;
        assert!(seconds < 900, "at {:?}", position(&s));
        for (nearest, mark) in nearest.iter_mut().zip(&waypoints) {
            let e = *mark - position(&s);
            *nearest = nearest.min(e.x.hypot(e.y));
        }
    }
    println!("{seconds} s, {nearest:?}");
    assert!(nearest.iter().all(|d| *d < 12.0), "{nearest:?}");
    let mut farthest = 0.0_f64;
    for _ in 0..600 {
        advance(&mut s, 1.0);
        farthest = farthest.max(position(&s).x.hypot(position(&s).y));
    }
    println!("stays within {farthest:.1} m");
    assert!(farthest < 40.0, "{farthest}");
}

// The firmware refuses commands that a sailing boat cannot execute, and owns sheet and rudder.
// Method: each command and its answer.
#[test]
fn invalid_commands_are_refused() {
    let mut s = boat();
    let robot = 0;
    let mut reason = |command: Command| s.apply(&command).unwrap_err().reason;
    let depth = Command::Firmware(
        robot,
        FirmwareCommand::HeadingDepth {
            heading: None,
            depth: Some(3.0),
        },
    );
    assert_eq!(reason(depth), "depth: a sailing boat has no depth");
    let mode = ControlMode::Velocity;
    assert_eq!(
        reason(Command::Firmware(
            robot,
            FirmwareCommand::ControlMode { mode }
        )),
        "mode velocity: the firmware has the modes off, heading_hold and station_keeping, and follows paths"
    );
    let waypoints = Arc::new(vec![Vec3::new(f64::NAN, 0.0, 0.0)]);
    assert_eq!(
        reason(Command::Firmware(
            robot,
            FirmwareCommand::FollowPath { waypoints }
        )),
        "path: waypoint 0 is not finite"
    );
    let (linear, angular) = (Vec3::zero(), Vec3::zero());
    assert_eq!(
        reason(Command::Firmware(
            robot,
            FirmwareCommand::Velocity { linear, angular }
        )),
        "the robot has no firmware that accepts velocity commands"
    );
    set_course(&mut s, 90.0);
    let (fin, value) = (0, 0.3);
    let refused = s
        .apply(&Command::Actuator(
            robot,
            ActuatorCommand::Fin { fin, value },
        ))
        .unwrap_err();
    assert_eq!(
        refused.reason,
        "the firmware drives the fins: switch it off by `enable` first"
    );
    let mode = ControlMode::Off;
    s.apply(&Command::Firmware(
        robot,
        FirmwareCommand::ControlMode { mode },
    ))
    .unwrap();
    s.apply(&Command::Actuator(
        robot,
        ActuatorCommand::Fin { fin, value },
    ))
    .unwrap();
}
