//! Tests the heading and depth hold of a robot's firmware.

use crate::common::{advance, close, simulation};
use merrow_math::Vec3;
use merrow_model::state::commands::FirmwareOrder;
use merrow_model::state::{ActuatorCommand, Command, FirmwareCommand};
use merrow_sim::Simulation;
use std::sync::Arc;

fn taipan() -> Simulation {
    simulation(
        "
water: {density_kg_m3: 999}
seabed: {depth_m: 40}
robots: {t: {model: {extends: robots/taipan300.yaml, sensors: null, battery: null}, position_m: [0, 0, -2], velocity_m_s: [1.5, 0, 0]}}",
    )
}

fn set_heading_depth(s: &mut Simulation, heading: Option<f64>, depth: Option<f64>) {
    s.apply(&Command::Firmware(
        0,
        FirmwareCommand::HeadingDepth { heading, depth },
    ))
    .unwrap();
}

/// Returns the heading, clockwise from north [deg], and the depth [m].
fn heading_and_depth(s: &Simulation) -> (f64, f64) {
    let m = &s.state.robots[0].motion;
    (
        (90.0 - m.q_WB.matrix().to_rpy()[2].to_degrees()).rem_euclid(360.0),
        -m.p_WB.z,
    )
}

// A vehicle with a heading command reaches it and keeps its depth, then reaches another depth on
// that heading, controlled by its own firmware. Method: Taipan under propulsion, heading 150 deg
// from the east, then 3.5 m. Tolerance: 3 deg and 0.25 m, as for its mission (no integral action;
// no gains are published). With the firmware off the error is far larger.
#[test]
fn taipan_comes_to_heading_and_depth() {
    let mut s = taipan();
    s.apply(&Command::Actuator(
        0,
        ActuatorCommand::Thruster {
            thruster: 0,
            value: 128.0,
        },
    ))
    .unwrap();
    set_heading_depth(&mut s, Some(150.0_f64.to_radians()), None);
    advance(&mut s, 30.0);
    let (heading, depth) = heading_and_depth(&s);
    close("heading", heading, 150.0, 3.0 / 150.0);
    close("kept its depth", depth, 2.0, 0.25 / 2.0);
    set_heading_depth(&mut s, None, Some(3.5));
    // The vehicle dives steeply and approaches the depth slowly.
    advance(&mut s, 70.0);
    let (heading, depth) = heading_and_depth(&s);
    close("kept its heading", heading, 150.0, 3.0 / 150.0);
    close("depth", depth, 3.5, 0.25 / 3.5);
}

// The firmware owns the fins while it steers, and invalid commands are rejected. Method: each
// command and its answer.
#[test]
fn firmware_owns_fins_while_steering() {
    let mut s = taipan();
    let fin = Command::Actuator(0, ActuatorCommand::Fin { fin: 0, value: 0.2 });
    s.apply(&fin).unwrap();
    let nan = Command::Firmware(
        0,
        FirmwareCommand::HeadingDepth {
            heading: Some(f64::NAN),
            depth: None,
        },
    );
    assert_eq!(
        s.apply(&nan).unwrap_err().reason,
        "heading: expected a finite number, found NaN"
    );
    s.apply(&fin).unwrap();
    s.apply(&Command::Firmware(
        0,
        FirmwareCommand::FirmwareOrder {
            order: FirmwareOrder::Enable(true),
        },
    ))
    .unwrap();
    let hash = s.state.hash();
    for command in [
        fin.clone(),
        Command::Actuator(
            0,
            ActuatorCommand::Fins {
                values: vec![0.0; 3],
            },
        ),
    ] {
        let refused = s.apply(&command).unwrap_err().reason;
        assert_eq!(
            refused,
            "the firmware drives the fins: switch it off by `enable` first"
        );
    }
    let refused = s
        .apply(&Command::Firmware(
            0,
            FirmwareCommand::FirmwareOrder {
                order: FirmwareOrder::Land,
            },
        ))
        .unwrap_err()
        .reason;
    assert_eq!(refused, "the robot has no multirotor firmware");
    assert_eq!(s.state.hash(), hash, "a refusal has no effect");
    s.apply(&Command::Firmware(
        0,
        FirmwareCommand::FirmwareOrder {
            order: FirmwareOrder::Enable(false),
        },
    ))
    .unwrap();
    assert_eq!(
        s.state.robots[0].fins[0].command, 0.0,
        "the firmware releases the fins in neutral position"
    );
    s.apply(&fin).unwrap();
}

/// Errors of a survey.
struct SurveyErrors {
    /// Root mean square of the distance from the legs [m].
    cross_track: f64,
    /// Largest error of the depth [m].
    depth: f64,
    /// Smallest and largest distance from the end while the vehicle circles [m].
    circle: [f64; 2],
}

/// Returns the errors of a REMUS 100 with further `model` keys that follows four legs of 150 m, 25
/// m apart, at 4 m depth in a current of 0.3 m/s across them. The first 60 m of each leg, which the
/// turn takes, do not count.
fn survey(model: &str) -> SurveyErrors {
    let mut s = simulation(&format!(
        "
seabed: {{depth_m: 40}}
water: {{current: {{kind: uniform, speed_m_s: 0.3, direction_deg: 0}}}}
robots: {{r: {{model: {{extends: robots/remus100.yaml, {model}}}, position_m: [-20, 0, -2]}}}}"
    ));
    // the readings of the sensors start the estimate
    advance(&mut s, 2.0);
    let mut waypoints = Vec::new();
    for leg in 0..4 {
        let (y, out) = (25.0 * f64::from(leg), leg % 2 == 0);
        let ends = if out { [0.0, 150.0] } else { [150.0, 0.0] };
        waypoints.extend(ends.map(|x| Vec3::new(x, y, -4.0)));
    }
    let end = *waypoints.last().unwrap();
    s.apply(&Command::Firmware(
        0,
        FirmwareCommand::FollowPath {
            waypoints: Arc::new(waypoints),
        },
    ))
    .unwrap();
    let (mut sum, mut n, mut depth, mut seconds) = (0.0, 0.0, 0.0_f64, 0.0);
    loop {
        advance(&mut s, 0.2);
        seconds += 0.2;
        let robot = &s.state.robots[0];
        let p = robot.motion.p_WB;
        let path = robot.firmware.as_ref().unwrap().activity().path.unwrap();
        if path.leg + 1 == path.waypoints.len() {
            break;
        }
        let (from, to) = (path.waypoints[path.leg], path.waypoints[path.leg + 1]);
        assert!(seconds < 1200.0, "on leg {} at {p:?}", path.leg);
        if (to - from).norm() > 100.0 && (p.x - from.x).abs() > 60.0 {
            // the legs are along x
            (sum, n) = (sum + (p.y - from.y).powi(2), n + 1.0);
            depth = depth.max((p.z - end.z).abs());
        }
    }
    advance(&mut s, 120.0);
    let [mut nearest, mut farthest] = [f64::INFINITY, 0.0_f64];
    for _ in 0..300 {
        advance(&mut s, 0.5);
        let d = s.state.robots[0].motion.p_WB - end;
        let distance = (d.x * d.x + d.y * d.y).sqrt();
        (nearest, farthest) = (nearest.min(distance), farthest.max(distance));
    }
    let cross_track: f64 = f64::sqrt(sum / n);
    println!(
        "{seconds:.0} s, {cross_track:.3} m rms, depth {depth:.3} m, circle {nearest:.1} to {farthest:.1} m"
    );
    SurveyErrors {
        cross_track,
        depth,
        circle: [nearest, farthest],
    }
}

// REMUS 100 follows a lawn-mower pattern in a current of 0.3 m/s across its legs and circles at the
// end. Method: [`survey`] with the true motion. Tolerance: 1 m rms cross-track error; 0.3 m in
// depth; the circle between 24 and 36 m, whose radius is 30 m, because the current pushes the
// vehicle to one side.
#[test]
fn remus_follows_a_lawn_mower_pattern() {
    let found = survey("sensors: null");
    assert!(found.cross_track < 1.0, "{}", found.cross_track);
    assert!(found.depth < 0.3, "{}", found.depth);
    let [nearest, farthest] = found.circle;
    assert!(nearest > 24.0 && farthest < 36.0, "{nearest} {farthest}");
}

// The same survey with the vehicle's own IMU, DVL and pressure sensor. Method: [`survey`]; the
// errors refer to the true motion. Tolerance: 3 m rms, the drift of the dead reckoning: the heading
// error of the IMU times the distance of 150 m, and the noise of the DVL; 0.5 m in depth.
#[test]
fn remus_surveys_with_its_sensors() {
    let found = survey(
        "firmware: {extends: firmware/remus100_autopilot.yaml, feedback: sensors, feedback_sensors: {attitude: imu, dvl: dvl, pressure: pressure}}",
    );
    assert!(found.cross_track < 3.0, "{}", found.cross_track);
    assert!(found.depth < 0.5, "{}", found.depth);
}
