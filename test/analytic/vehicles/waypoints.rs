//! Tests goals, paths and velocity commands of multirotors, wheeled and torpedo-shaped vehicles.

use crate::common::{advance, close, simulation};
use merrow_math::{Quat, Vec3};
use merrow_model::state::commands::FirmwareOrder;
use merrow_model::state::firmware::ControlMode;
use merrow_model::state::{Command, FirmwareCommand};
use merrow_sim::Simulation;
use std::sync::Arc;

fn position(s: &Simulation) -> Vec3 {
    s.state.robots[0].motion.p_WB
}

fn yaw(s: &Simulation) -> f64 {
    s.state.robots[0].motion.q_WB.matrix().to_rpy()[2]
}

fn mode(s: &Simulation) -> ControlMode {
    s.state.robots[0].firmware.as_ref().unwrap().activity().mode
}

fn set_goal(s: &mut Simulation, p: [f64; 3], yaw: f64) {
    s.apply(&Command::Firmware(
        0,
        FirmwareCommand::PoseGoal {
            p_WB: Vec3::from(p),
            q_WB: Some(Quat::from_rpy(0.0, 0.0, yaw)),
        },
    ))
    .unwrap();
}

fn set_path(s: &mut Simulation, waypoints: &[[f64; 3]]) {
    let waypoints = Arc::new(waypoints.iter().map(|p| Vec3::from(*p)).collect());
    s.apply(&Command::Firmware(
        0,
        FirmwareCommand::FollowPath { waypoints },
    ))
    .unwrap();
}

/// Advances until the path ends; returns the rms distance from its legs [m], without the first
/// `skipped` [m] of each leg.
fn follow(s: &mut Simulation, skipped: f64, max_seconds: f64) -> f64 {
    let (mut sum, mut n, mut seconds) = (0.0, 0.0, 0.0);
    while mode(s) == ControlMode::PathFollowing {
        advance(s, 0.1);
        seconds += 0.1;
        assert!(seconds < max_seconds, "at {:?}", position(s));
        let Some(path) = s.state.robots[0].firmware.as_ref().unwrap().activity().path else {
            break;
        };
        let from = path.waypoints[path.leg];
        let d = position(s) - from;
        if d.x * d.x + d.y * d.y > skipped * skipped && path.leg > 0 {
            (sum, n) = (sum + path.cross_track.powi(2), n + 1.0);
        }
    }
    f64::sqrt(sum / n)
}

fn firefly() -> Simulation {
    simulation(
        "
step: {dt_s: 0.004}
air: {shear: {kind: uniform}}
weather: {wind_speed_m_s: 5, wind_from_deg: 300}
robots: {f: {model: {extends: robots/firefly.yaml, sensors: null, battery: null}, position_m: [0, 0, 3]}}
structures: {pier: {shapes: {deck: {kind: box, size_m: [12, 4, 0.5], position_m: [0, 0, 2.6]}}}}",
    )
}

// A multirotor takes off, flies to a goal in a wind of 5 m/s, holds it, follows a path and holds
// its end. Method: goal 13 m away, then a square of 15 m. Tolerance: 5 cm at the goal, where the
// reference leads the vehicle until it is stationary; 0.3 m rms on the legs, the drift in the wind
// at 3 m/s, without the first 6 m, in which the vehicle turns.
#[test]
fn multirotor_flies_to_goals_and_along_paths() {
    let mut s = firefly();
    advance(&mut s, 1.0);
    assert_eq!(mode(&s), ControlMode::Off);
    set_goal(&mut s, [10.0, 5.0, 10.0], 1.0);
    advance(&mut s, 30.0);
    let error = (position(&s) - Vec3::new(10.0, 5.0, 10.0)).norm();
    println!("goal {error:.4} m");
    assert!(error < 0.05 && (yaw(&s) - 1.0).abs() < 0.01, "{error}");
    let corners = [
        [0.0, 0.0, 12.0],
        [15.0, 0.0, 12.0],
        [15.0, 15.0, 8.0],
        [0.0, 15.0, 8.0],
    ];
    set_path(&mut s, &corners);
    let rms = follow(&mut s, 6.0, 90.0);
    advance(&mut s, 20.0);
    let error = (position(&s) - Vec3::from(corners[3])).norm();
    println!("path {rms:.3} m rms, end {error:.4} m");
    assert!(rms < 0.3, "{rms}");
    assert!(
        error < 0.05 && mode(&s) == ControlMode::StationKeeping,
        "{error}"
    );
    // a velocity command ends the station keeping, and an order ends it too
    let (linear, angular) = (Vec3::zero(), Vec3::zero());
    s.apply(&Command::Firmware(
        0,
        FirmwareCommand::Velocity { linear, angular },
    ))
    .unwrap();
    assert_eq!(mode(&s), ControlMode::Velocity);
    let robot = 0;
    let mode_command = |mode| Command::Firmware(robot, FirmwareCommand::ControlMode { mode });
    s.apply(&mode_command(ControlMode::StationKeeping)).unwrap();
    assert_eq!(mode(&s), ControlMode::StationKeeping);
    let refused = s.apply(&mode_command(ControlMode::DepthHold)).unwrap_err();
    assert_eq!(
        refused.reason,
        "mode depth_hold: the firmware has the modes off, velocity and station_keeping, and follows paths"
    );
    s.apply(&mode_command(ControlMode::Off)).unwrap();
    assert_eq!(mode(&s), ControlMode::Off);
}

// A rover drives to a pose, follows a path and stops at its end. Method: a goal behind it, and a
// rectangle of 6 m by 4 m. Tolerance: the acceptance radius of 0.15 m, and 0.1 m rms on the legs
// without their first 2 m, in which it turns; the wheels slip sideways in the turn.
#[test]
fn rover_drives_to_goals_and_along_paths() {
    let mut s = simulation(
        "
step: {dt_s: 0.002}
water: {density_kg_m3: 0}
structures: {slab: {position_m: [0, 0, 0.5], material: {friction: 0.8},
  shapes: {top: {kind: box, size_m: [60, 60, 1]}}}}
robots: {r: {model: {extends: robots/rover.yaml, sensors: null}, position_m: [0, 0, 1.0635]}}",
    );
    advance(&mut s, 1.0);
    set_goal(&mut s, [-4.0, 2.0, 0.0], -2.0);
    advance(&mut s, 25.0);
    let e = position(&s) - Vec3::new(-4.0, 2.0, 1.0635);
    println!("goal {:.3} m, yaw {:.3}", e.norm(), yaw(&s));
    assert!(e.norm() < 0.2, "{e:?}");
    close("yaw", yaw(&s), -2.0, 0.02);
    set_path(
        &mut s,
        &[[0.0; 3], [6.0, 0.0, 0.0], [6.0, 4.0, 0.0], [0.0, 4.0, 0.0]],
    );
    let rms = follow(&mut s, 2.0, 120.0);
    advance(&mut s, 5.0);
    let e = position(&s) - Vec3::new(0.0, 4.0, 1.0635);
    println!("path {rms:.3} m rms, end {:.3} m", e.norm());
    assert!(rms < 0.1, "{rms}");
    assert!(e.norm() < 0.35, "{e:?}");
    assert!(s.state.robots[0].motion.V_WB_B.v.norm() < 0.01);
    // a disabled rover refuses goals
    s.apply(&Command::Firmware(
        0,
        FirmwareCommand::FirmwareOrder {
            order: FirmwareOrder::Enable(false),
        },
    ))
    .unwrap();
    let refused = s.apply(&Command::Firmware(
        0,
        FirmwareCommand::PoseGoal {
            p_WB: Vec3::zero(),
            q_WB: None,
        },
    ));
    assert_eq!(
        refused.unwrap_err().reason,
        "the firmware is disabled; enable it first"
    );
}

// A torpedo-shaped vehicle follows velocity commands: speed, yaw rate and climb rate; without
// commands its propeller stops. Method: REMUS 100 at 1.5 m/s, 0.05 rad/s and 0.1 m/s down.
// Tolerance: 2 % of the speed (integral control); 5 % of the angle and 0.3 m of the depth, the lag
// of heading and depth control.
#[test]
fn torpedo_follows_velocity_commands() {
    let mut s = simulation(
        "
seabed: {depth_m: 40}
robots: {r: {model: {extends: robots/remus100.yaml, sensors: null}, position_m: [0, 0, -3]}}",
    );
    let drive = |s: &mut Simulation, linear: [f64; 3], yaw_rate: f64, seconds: f64| {
        for _ in 0..(seconds * 5.0) as usize {
            let (linear, angular) = (Vec3::from(linear), Vec3::new(0.0, 0.0, yaw_rate));
            s.apply(&Command::Firmware(
                0,
                FirmwareCommand::Velocity { linear, angular },
            ))
            .unwrap();
            advance(s, 0.2);
        }
    };
    drive(&mut s, [1.5, 0.0, 0.0], 0.0, 60.0);
    close("speed", s.state.robots[0].motion.V_WB_B.v.x, 1.5, 0.02);
    let (start, depth) = (yaw(&s), position(&s).z);
    drive(&mut s, [1.5, 0.0, 0.0], 0.05, 20.0);
    drive(&mut s, [1.5, 0.0, 0.0], 0.0, 20.0);
    println!("turned {:.3} rad", yaw(&s) - start);
    close("turned", yaw(&s) - start, 1.0, 0.05);
    drive(&mut s, [1.5, 0.0, -0.1], 0.0, 30.0);
    drive(&mut s, [1.5, 0.0, 0.0], 0.0, 30.0);
    println!("sank {:.3} m", depth - position(&s).z);
    assert!((depth - position(&s).z - 3.0).abs() < 0.3);
    assert_eq!(mode(&s), ControlMode::Velocity);
    advance(&mut s, 60.0);
    let speed = s.state.robots[0].motion.V_WB_B.v.x;
    assert!(speed < 0.3 && mode(&s) == ControlMode::DepthHold, "{speed}");
}

// Goals and waypoints inside a structure or the seabed are refused with one line, unless the
// vehicle ignores their height. Method: a wall in shallow water; a BlueROV2, a Heron and a REMUS.
#[test]
fn goals_inside_obstacles_are_refused() {
    let mut s = simulation(
        "
seabed: {depth_m: 6}
structures: {wall: {position_m: [5, 0, -3], shapes: {block: {kind: box, size_m: [1, 8, 8]}}}}
robots:
  rov: {model: {extends: robots/bluerov2.yaml, sensors: null}, position_m: [0, 0, -2]}
  boat: {model: {extends: robots/heron.yaml, sensors: null}, position_m: [0, 3, 0]}
  auv: {model: {extends: robots/remus100.yaml, sensors: null}, position_m: [0, -3, -2]}",
    );
    let mut go = |robot: usize, p: [f64; 3]| {
        let command = Command::Firmware(
            robot,
            FirmwareCommand::PoseGoal {
                p_WB: Vec3::from(p),
                q_WB: None,
            },
        );
        s.apply(&command).map_err(|refused| refused.reason)
    };
    let refused = |reason: &str| Err(reason.to_string());
    assert_eq!(
        go(0, [5.2, 1.0, -2.0]),
        refused("goal: (5.20, 1.00, -2.00) m is inside wall; expected a free position")
    );
    assert_eq!(
        go(2, [3.0, 1.0, -7.0]),
        refused("goal: (3.00, 1.00, -7.00) m is inside the seabed; expected a free position")
    );
    assert_eq!(go(0, [3.0, 1.0, -5.0]), Ok(()));
    // the goal of a boat has the height of the boat
    assert_eq!(go(1, [3.0, 1.0, -9.0]), Ok(()));
    assert!(go(1, [5.0, 1.0, 9.0]).unwrap_err().contains("inside wall"));
    let waypoints = Arc::new([[3.0, 0.0, -2.0], [4.6, 0.0, -2.0]].map(Vec3::from).into());
    let robot = 0;
    let path = s.apply(&Command::Firmware(
        robot,
        FirmwareCommand::FollowPath { waypoints },
    ));
    assert_eq!(
        path.unwrap_err().reason,
        "waypoint 1: (4.60, 0.00, -2.00) m is inside wall; expected a free position"
    );
}
