//! Tests the motion controller: modes, steps, station keeping, paths, saturation, precedence of
//! commands, stability margins.

use crate::common::{advance, simulation};
use merrow_math::real::wrap_angle;
use merrow_math::{Quat, Vec3};
use merrow_model::scene::robot::firmware::motion_control::MotionControlState;
use merrow_model::state::commands::FirmwareOrder;
use merrow_model::state::firmware::tasks::MotionEstimate;
use merrow_model::state::firmware::{ControlMode, FirmwareLawState};
use merrow_model::state::{ActuatorCommand, Command, FirmwareCommand, JointCommand};
use merrow_sim::Simulation;
use std::sync::Arc;

/// Underwater vehicles that move in all horizontal directions.
const ROVS: [&str; 4] = ["bluerov2", "bluerov2_heavy", "rexrov", "osu_uvms"];
/// Boats with two thrusters.
const BOATS: [&str; 3] = ["wamv", "heron", "otter"];

/// Returns a vehicle at the height `z` [m] with its motion controller, with additional text for the
/// world and for its model.
fn vehicle(model: &str, z: f64, world: &str, more: &str) -> Simulation {
    simulation(&format!(
        "
step: {{dt_s: 0.005}}
seabed: {{depth_m: 20}}
{world}
robots:
  v:
    model: {{extends: robots/{model}.yaml, battery: null, firmware: {{extends: firmware/{model}_motion.yaml, source: test{more}}}}}
    position_m: [0, 0, {z}]
"
    ))
}

fn rov(model: &str, world: &str) -> Simulation {
    vehicle(model, -5.0, world, "")
}

fn current(speed: f64, direction: f64) -> String {
    format!("water: {{current: {{kind: uniform, speed_m_s: {speed}, direction_deg: {direction}}}}}")
}

fn estimate(s: &Simulation) -> &MotionEstimate {
    &s.state.robots[0].firmware.as_ref().unwrap().estimate
}

fn control(s: &Simulation) -> &MotionControlState {
    match &s.state.robots[0].firmware.as_ref().unwrap().memory {
        FirmwareLawState::MotionControl(control) => control,
        other => panic!("{other:?}"),
    }
}

/// Returns the position [m] and roll, pitch, yaw [rad] of the vehicle.
fn pose(s: &Simulation) -> (Vec3, [f64; 3]) {
    let motion = &s.state.robots[0].motion;
    (motion.p_WB, motion.q_WB.matrix().to_rpy())
}

fn apply(s: &mut Simulation, command: Command) {
    s.apply(&command).unwrap();
}

fn set_mode(s: &mut Simulation, mode: ControlMode) {
    apply(
        s,
        Command::Firmware(0, FirmwareCommand::ControlMode { mode }),
    );
}

fn set_goal(s: &mut Simulation, p_WB: Vec3, yaw: f64) {
    let q_WB = Some(Quat::from_rpy(0.0, 0.0, yaw));
    apply(
        s,
        Command::Firmware(0, FirmwareCommand::PoseGoal { p_WB, q_WB }),
    );
}

fn follow(s: &mut Simulation, waypoints: &[[f64; 3]]) {
    let waypoints = waypoints.iter().map(|p| Vec3::from(*p)).collect();
    apply(
        s,
        Command::Firmware(
            0,
            FirmwareCommand::FollowPath {
                waypoints: Arc::new(waypoints),
            },
        ),
    );
}

fn wrench(s: &mut Simulation, force: [f64; 3], moment: [f64; 3]) {
    apply(
        s,
        Command::Actuator(
            0,
            ActuatorCommand::Wrench {
                force: Vec3::from(force),
                moment: Vec3::from(moment),
            },
        ),
    );
}

/// Advances by `seconds` [s] and calls `look` ten times a second.
fn watch(s: &mut Simulation, seconds: f64, mut look: impl FnMut(&mut Simulation)) {
    for _ in 0..(seconds * 10.0).round() as usize {
        advance(s, 0.1);
        look(s);
    }
}

/// Returns the root mean square of the distance from `p` [m] over `seconds` [s].
fn rms_distance(s: &mut Simulation, p: Vec3, seconds: f64) -> f64 {
    let (mut sum, mut n) = (0.0, 0.0);
    watch(s, seconds, |s| {
        let d = pose(s).0 - p;
        (sum, n) = (sum + d.dot(d), n + 1.0);
    });
    (sum / n).sqrt()
}

// A pose goal is reached without a large overshoot, and held in a current. Method: a step of 3 m
// ahead, 1 m to the left, 1 m down and 1 rad, in a current of 0.2 m/s. Tolerance: after 40 s 2 cm
// and 0.01 rad (the integral decays with a time constant of about 10/ω); the overshoot stays below
// 0.2 m, because the current is not fed forward.
#[test]
fn pose_goals_are_reached() {
    for model in ROVS {
        let mut s = rov(model, &current(0.2, 40.0));
        let goal = Vec3::new(3.0, 1.0, -6.0);
        set_goal(&mut s, goal, 1.0);
        let mut overshoot: f64 = 0.0;
        watch(&mut s, 40.0, |s| {
            overshoot = overshoot.max(pose(s).0.x - goal.x)
        });
        let (p, rpy) = pose(&s);
        let (error, turn) = ((p - goal).norm(), (rpy[2] - 1.0).abs());
        println!("{model}: error {error:.4} m, {turn:.4} rad, overshoot {overshoot:.3} m");
        assert!(error < 0.02 && turn < 0.01, "{model}: {p:?} {rpy:?}");
        assert!(overshoot < 0.2, "{model}: {overshoot}");
    }
}

// Velocity commands are tracked over ground, also in a current, and end after the time-out. Method:
// 0.3 m/s ahead, 0.2 m/s to the left, 0.1 m/s down and 0.1 rad/s for 30 s, in a current of 0.2 m/s.
// Tolerance: 0.03 m/s and 0.01 rad/s, because the current rotates relative to the vehicle; 0.01 m/s
// after the end.
#[test]
fn velocity_commands_are_tracked() {
    for model in ROVS {
        let mut s = rov(model, &current(0.2, 270.0));
        let (linear, angular) = (Vec3::new(0.3, 0.2, -0.1), Vec3::new(0.0, 0.0, 0.1));
        let send = |s: &mut Simulation| {
            apply(
                s,
                Command::Firmware(0, FirmwareCommand::Velocity { linear, angular }),
            );
        };
        send(&mut s);
        watch(&mut s, 30.0, send);
        let motion = &s.state.robots[0].motion;
        let R = motion.q_WB.matrix();
        let heading = Quat::from_rpy(0.0, 0.0, R.to_rpy()[2]).matrix();
        let v = heading.tr_mul_vec(R.mul_vec(motion.V_WB_B.v));
        let turn = R.mul_vec(motion.V_WB_B.w).z;
        println!("{model}: {v:?} {turn:.4}");
        assert!((v - linear).norm() < 0.03, "{model}: {v:?}");
        assert!((turn - 0.1).abs() < 0.01, "{model}: {turn}");
        advance(&mut s, 20.0);
        let v = s.state.robots[0].motion.V_WB_B.v.norm();
        assert!(v < 0.01, "{model}: {v} m/s after the time-out");
    }
}

// In depth hold the vehicle keeps depth and heading, the pilot moves it ahead and down, and the
// depth at which the pilot releases is held. Method: a request of the pilot for 5 s each.
// Tolerance: 5 cm and 0.05 rad after 15 s.
#[test]
fn depth_hold_follows_the_pilot() {
    for model in ["bluerov2", "bluerov2_heavy", "osu_uvms"] {
        let mut s = rov(model, "");
        set_mode(&mut s, ControlMode::DepthHold);
        watch(&mut s, 5.0, |s| wrench(s, [15.0, 0.0, 0.0], [0.0; 3]));
        let (p, rpy) = pose(&s);
        assert!(p.x > 0.5, "{model}: {p:?}");
        // the thrust line of the vehicle with six thrusters pitches it while it accelerates
        assert!((p.z + 5.0).abs() < 0.3, "{model}: {p:?}");
        assert!(rpy[2].abs() < 0.05, "{model}: {rpy:?}");
        watch(&mut s, 5.0, |s| wrench(s, [0.0, 0.0, -15.0], [0.0; 3]));
        let released = pose(&s).0.z;
        assert!(released < -5.4, "{model}: {released}");
        advance(&mut s, 5.0);
        let held = pose(&s).0.z;
        advance(&mut s, 15.0);
        let drift = (pose(&s).0.z - held).abs();
        println!("{model}: released at {released:.2}, held at {held:.2}, drift {drift:.4}");
        assert!(
            drift < 0.05 && held - released < 0.3,
            "{model}: {drift} {held}"
        );
    }
}

// Stabilisation keeps roll and pitch of a vehicle whose thrusters actuate both, although a moment
// acts on it. Method: the pilot requests 1 N m in roll from the BlueROV2 Heavy and 800 N m from
// RexROV. Tolerance: 0.02 rad after 20 s; in manual mode it is above 0.1 rad.
#[test]
fn stabilize_levels_the_vehicle() {
    for (model, moment) in [("bluerov2_heavy", 1.0), ("rexrov", 800.0)] {
        let tilt = |mode: ControlMode| {
            let mut s = rov(model, "");
            set_mode(&mut s, mode);
            watch(&mut s, 20.0, |s| wrench(s, [0.0; 3], [moment, 0.0, 0.0]));
            pose(&s).1[0]
        };
        let (free, held) = (tilt(ControlMode::Manual), tilt(ControlMode::Stabilize));
        println!("{model}: {free:.3} rad, stabilised {held:.4} rad");
        assert!(free.abs() > 0.1, "{model}: {free}");
        assert!(held.abs() < 0.02, "{model}: {held}");
    }
}

// Paths are followed and the vehicle keeps station at their end. Method: a lawn-mower pattern of
// three legs with a current of 0.1 m/s across. Tolerance: cross-track error below 0.3 m rms for
// ROVs outside the first 2 m of each leg, and 0.3 m of the end.
#[test]
fn rovs_follow_paths() {
    for model in ROVS {
        let mut s = rov(model, &current(0.1, 0.0));
        let path = [
            [8.0, 0.0, -5.0],
            [8.0, 3.0, -6.0],
            [0.0, 3.0, -6.0],
            [0.0, 6.0, -6.0],
            [8.0, 6.0, -6.0],
        ];
        follow(&mut s, &path);
        let (mut sum, mut n, mut seconds) = (0.0, 0.0, 0.0);
        while control(&s).mode == ControlMode::PathFollowing && seconds < 300.0 {
            advance(&mut s, 0.1);
            seconds += 0.1;
            let p = pose(&s).0;
            if (2.0..6.0).contains(&p.x) {
                let y = control(&s).path.as_ref().unwrap().cross_track;
                (sum, n) = (sum + y * y, n + 1.0);
            }
        }
        let rms: f64 = (sum / n).sqrt();
        advance(&mut s, 20.0);
        let error = (pose(&s).0 - Vec3::from(path[4])).norm();
        println!("{model}: {seconds:.0} s, cross-track {rms:.3} m rms, end {error:.3} m");
        assert!(rms < 0.3, "{model}: {rms}");
        assert!(error < 0.3, "{model}: {error}");
    }
}

// Boats that cannot move sideways follow a path in a current and stay near its end. Method: two
// legs of 40 m with a current of 0.2 m/s across the first. Tolerance: cross-track error below 1 m
// rms on the second half of each leg; at the end within the distance at which the boat turns back
// to the goal (2 acceptance radii) and 1 m.
#[test]
fn boats_follow_paths() {
    for model in BOATS {
        let mut s = vehicle(model, 0.0, &current(0.2, 0.0), "");
        follow(&mut s, &[[40.0, 0.0, 0.0], [40.0, 40.0, 0.0]]);
        let (mut sum, mut n, mut seconds) = (0.0, 0.0, 0.0);
        while control(&s).mode == ControlMode::PathFollowing && seconds < 300.0 {
            advance(&mut s, 0.1);
            seconds += 0.1;
            let p = pose(&s).0;
            let path = control(&s).path.as_ref().unwrap();
            let along = if path.leg == 0 { p.x } else { p.y };
            if along > 20.0 {
                (sum, n) = (sum + path.cross_track.powi(2), n + 1.0);
            }
        }
        let rms: f64 = (sum / n).sqrt();
        let radius = match &s.scene.robots[0].firmware {
            Some(firmware) => firmware.motion_control().unwrap().keys.acceptance_radius_m,
            None => 0.0,
        };
        let mut far: f64 = 0.0;
        watch(&mut s, 120.0, |s| {
            let d = pose(s).0 - Vec3::new(40.0, 40.0, 0.0);
            far = far.max((d.x * d.x + d.y * d.y).sqrt());
        });
        println!("{model}: {seconds:.0} s, cross-track {rms:.3} m rms, then within {far:.2} m");
        assert!(rms < 1.0, "{model}: {rms}");
        assert!(far < 2.0 * radius + 1.0, "{model}: {far}");
    }
}

// The integral does not wind up against an obstacle. Method: a goal 3 m behind a wall for ten
// minutes, then a goal at the start. Tolerance: the vehicle leaves the wall within 3 s, and passes
// the new goal by at most 0.3 m.
#[test]
fn integral_does_not_wind_up_at_a_wall() {
    let wall = "structures: {wall: {shapes: {w: {kind: box, size_m: [1, 20, 20], position_m: [2.5, 0, -8]}}}}";
    let mut s = rov("bluerov2_heavy", wall);
    set_goal(&mut s, Vec3::new(5.0, 0.0, -5.0), 0.0);
    advance(&mut s, 600.0);
    let at_wall = pose(&s).0.x;
    assert!((1.5..2.0).contains(&at_wall), "{at_wall}");
    set_goal(&mut s, Vec3::new(0.0, 0.0, -5.0), 0.0);
    advance(&mut s, 3.0);
    let left = at_wall - pose(&s).0.x;
    let mut past: f64 = 0.0;
    watch(&mut s, 30.0, |s| past = past.max(-pose(s).0.x));
    println!("at {at_wall:.3} m, left it by {left:.3} m in 3 s, overshoot {past:.3} m");
    assert!(left > 0.05, "{left}");
    assert!(past < 0.3, "{past}");
}

// A change of the mode does not change the thrusts suddenly. Method: from depth hold under a
// pilot's request to station keeping and back, and from off at rest. Tolerance: between the last
// tick before the change and the first tick after it the wrench changes by less than 10 % of the
// largest one.
#[test]
fn mode_changes_are_bumpless() {
    let mut s = rov("bluerov2_heavy", &current(0.2, 40.0));
    let settings = s.scene.robots[0].firmware.as_ref().unwrap();
    let largest = settings
        .motion_control()
        .unwrap()
        .pilot_wrench
        .map(|w| 2.0 * w);
    let tick = 1.0 / settings.rate_hz;
    set_mode(&mut s, ControlMode::StationKeeping);
    advance(&mut s, 20.0);
    for mode in [
        ControlMode::Velocity,
        ControlMode::StationKeeping,
        ControlMode::DepthHold,
        ControlMode::StationKeeping,
    ] {
        let before = control(&s).requested;
        set_mode(&mut s, mode);
        advance(&mut s, tick);
        let after = control(&s).requested;
        for axis in 0..6 {
            let horizontal_is_released = mode == ControlMode::DepthHold && axis < 2;
            let change = (after[axis] - before[axis]).abs() / largest[axis];
            assert!(
                change < 0.1 || horizontal_is_released,
                "{mode:?}, axis {axis}: {before:?} {after:?}"
            );
        }
        advance(&mut s, 1.0);
    }
}

// External commands take precedence, and a disarmed vehicle refuses every mode.
#[test]
fn commands_from_outside_take_precedence() {
    let mut s = rov("bluerov2", "");
    set_mode(&mut s, ControlMode::StationKeeping);
    advance(&mut s, 1.0);
    let values = vec![1600.0; 6];
    apply(
        &mut s,
        Command::Actuator(0, ActuatorCommand::Thrusters { values }),
    );
    advance(&mut s, 1.0);
    assert_eq!(control(&s).mode, ControlMode::Off);
    let commands = s.state.robots[0].actuators.iter().map(|a| a.command);
    assert!(
        commands.clone().all(|c| c == 1600.0),
        "{:?}",
        commands.collect::<Vec<_>>()
    );
    set_mode(&mut s, ControlMode::Velocity);
    let order = FirmwareOrder::Enable(false);
    apply(
        &mut s,
        Command::Firmware(0, FirmwareCommand::FirmwareOrder { order }),
    );
    assert_eq!(control(&s).mode, ControlMode::Off);
    let refused = s.apply(&Command::Firmware(
        0,
        FirmwareCommand::ControlMode {
            mode: ControlMode::Manual,
        },
    ));
    let reason = refused.unwrap_err().reason;
    assert_eq!(reason, "the vehicle is disarmed: arm it first");
}

// Goals and gains that are not finite, and modes that the vehicle lacks, are refused and have no
// effect.
#[test]
fn invalid_requests_are_refused() {
    let mut s = vehicle("heron", 0.0, "", "");
    // in this mode the deflections of a joystick are velocity commands
    let velocity = Command::Firmware(
        0,
        FirmwareCommand::ControlMode {
            mode: ControlMode::Velocity,
        },
    );
    s.apply(&velocity).unwrap();
    let before = s.state.robots[0].firmware.clone();
    let nan = Vec3::new(f64::NAN, 0.0, 0.0);
    let refused = [
        (
            Command::Firmware(
                0,
                FirmwareCommand::PoseGoal {
                    p_WB: nan,
                    q_WB: None,
                },
            ),
            "goal: found a position that is not finite",
        ),
        (
            Command::Firmware(
                0,
                FirmwareCommand::FollowPath {
                    waypoints: Arc::new(vec![nan]),
                },
            ),
            "path: waypoint 0 is not finite",
        ),
        (
            Command::Firmware(
                0,
                FirmwareCommand::FollowPath {
                    waypoints: Arc::new(Vec::new()),
                },
            ),
            "path: expected 1 to 10000 waypoints, found 0",
        ),
        (
            Command::Firmware(
                0,
                FirmwareCommand::ControlMode {
                    mode: ControlMode::DepthHold,
                },
            ),
            "mode depth_hold: the thrusters cannot control the depth",
        ),
        (
            Command::Firmware(
                0,
                FirmwareCommand::ControlMode {
                    mode: ControlMode::PathFollowing,
                },
            ),
            "mode path_following: no path was received",
        ),
        (
            Command::Firmware(
                0,
                FirmwareCommand::Joystick {
                    sticks: [2.0, 0.0, 0.0, 0.0],
                },
            ),
            "joystick: expected deflections from -1 to 1, found 2",
        ),
    ];
    for (command, expected) in refused {
        assert_eq!(s.apply(&command).unwrap_err().reason, expected);
    }
    assert_eq!(s.state.robots[0].firmware, before);
}

// The arm of a vehicle that keeps station moves without moving the vehicle. Method: the shoulder of
// the UVMS moves by 1 rad. Tolerance: 5 cm; without control it moves further.
#[test]
fn uvms_keeps_station_while_its_arm_moves() {
    let displacement = |mode: ControlMode| {
        let mut s = rov("osu_uvms", "");
        set_mode(&mut s, mode);
        advance(&mut s, 20.0);
        let start = pose(&s).0;
        let joint = s.scene.robots[0].links[1..]
            .iter()
            .position(|link| link.joint.name == "shoulder")
            .unwrap();
        let q = s.state.robots[0].motion.q[joint];
        let mut far: f64 = 0.0;
        apply(
            &mut s,
            Command::Joint(
                0,
                JointCommand::Joint {
                    joint,
                    value: q + 1.0,
                },
            ),
        );
        watch(&mut s, 10.0, |s| far = far.max((pose(s).0 - start).norm()));
        far
    };
    let (held, free) = (
        displacement(ControlMode::StationKeeping),
        displacement(ControlMode::Off),
    );
    println!("displacement {held:.4} m, without control {free:.4} m");
    assert!(held < 0.05, "{held}");
    assert!(free > 2.0 * held, "{free}");
}

// A WAM-V with two azimuth thrusters keeps station in all horizontal directions. Method: the
// default sea of VRX (period 5 s, about 0.3 m of significant height at a gain of 0.3, no wind) and
// the same with a wind of 5 m/s from the side; five minutes after one minute of settling; the error
// is horizontal. Tolerance: 0.5 m rms, as required, and 0.2 rad of heading.
#[test]
fn wamv_keeps_station_with_azimuth_thrusters() {
    for wind in [0.0, 5.0] {
        let world = format!(
            "
water: {{waves: {{kind: pierson_moskowitz, hs_m: 0.3, direction_deg: 90}}}}
weather: {{wind_speed_m_s: {wind}, wind_from_deg: 0}}
"
        );
        let mut s = vehicle("wamv", 0.0, &world, "");
        set_goal(&mut s, Vec3::zero(), 0.3);
        advance(&mut s, 60.0);
        let (mut sum, mut n, mut turn) = (0.0, 0.0, 0.0_f64);
        watch(&mut s, 300.0, |s| {
            let (p, rpy) = pose(s);
            (sum, n) = (sum + p.x * p.x + p.y * p.y, n + 1.0);
            turn = turn.max(wrap_angle(rpy[2] - 0.3).abs());
        });
        let rms: f64 = (sum / n).sqrt();
        println!("wind {wind} m/s: {rms:.3} m rms, heading within {turn:.3} rad");
        assert!(rms < 0.5, "{rms}");
        assert!(turn < 0.2, "{turn}");
    }
}

/// Sensors that the controller of a BlueROV2 Heavy needs for feedback.
const FEEDBACK: &str =
    ", feedback: sensors, feedback_sensors: {attitude: ahrs, dvl: dvl, pressure: pressure}";

// Station keeping of a BlueROV2 Heavy at 3 m depth in a current of 0.5 m/s and a sea of Beaufort 3,
// with feedback from its own AHRS, DVL and pressure sensor. Method: the true position over one
// minute, after 300 s in which the AHRS settles, for four seeds; the error of the dead reckoning at
// the start of the minute is removed. Tolerance: 0.1 m rms, as required. The noise of the DVL adds
// a random walk of 0.05 m per axis in 60 s.
#[test]
fn bluerov2_keeps_station_with_its_sensors() {
    const SEEDS: u64 = 4;
    let mut squares = 0.0;
    for seed in 1..=SEEDS {
        let mut s = simulation(&format!(
            "
step: {{dt_s: 0.005}}
seed: {seed}
seabed: {{depth_m: 20}}
water:
  current: {{kind: uniform, speed_m_s: 0.5, direction_deg: 30}}
  waves: {{kind: jonswap, hs_m: 0.6, tp_s: 4.5, direction_deg: 60}}
robots:
  v:
    model:
      extends: robots/bluerov2_heavy.yaml
      battery: null
      sensors: {{ahrs: {{device: xsens_mti_3}}}}
      firmware: {{extends: firmware/bluerov2_heavy_motion.yaml, source: test{FEEDBACK}}}
    position_m: [0, 0, -3]
"
        ));
        advance(&mut s, 1.0);
        set_goal(&mut s, Vec3::new(0.0, 0.0, -3.0), 0.5);
        advance(&mut s, 300.0);
        // the goal in the coordinates of the vehicle's navigation, whose error is removed
        let error = estimate(&s).p_WB - pose(&s).0;
        let goal = Vec3::new(0.0, 0.0, -3.0) - error;
        let rms = rms_distance(&mut s, goal, 60.0);
        let (yaw, drift) = (
            wrap_angle(pose(&s).1[2] - 0.5),
            estimate(&s).p_WB - pose(&s).0 - error,
        );
        println!(
            "seed {seed}: {rms:.4} m rms, heading error {yaw:.3} rad, drift {:.3} m",
            drift.norm()
        );
        assert!(yaw.abs() < 0.1, "seed {seed}: {yaw}");
        squares += rms * rms / SEEDS as f64;
    }
    let rms: f64 = squares.sqrt();
    println!("all seeds: {rms:.4} m rms");
    assert!(rms < 0.1, "{rms}");
}

/// Returns the gain margin [dB] and phase margin [deg] of the loop in degree of freedom `axis`:
/// PID, thruster lag and half a control cycle of delay, and the vehicle linearised at rest.
fn margins(s: &Simulation, axis: usize) -> [f64; 2] {
    let robot = &s.scene.robots[0];
    let firmware = robot.firmware.as_ref().unwrap();
    let settings = firmware.motion_control().unwrap();
    let gains = &settings.gains;
    let lag = &robot.thrusters[0].lag;
    let dt = s.scene.dt();
    let delay = 0.5 / firmware.rate_hz + 0.5 * dt;
    // frequency response of the lag from its response to a step
    let step_response: Vec<f64> = (0..400)
        .scan([0.0; 3], |x, _| {
            *x = lag.step(x, 1.0);
            Some(lag.output(x, 1.0))
        })
        .collect();
    let lag_response = |w: f64| {
        let (mut re, mut im, mut last) = (0.0, 0.0, 0.0);
        for (k, y) in step_response.iter().enumerate() {
            let (c, s) = (
                (w * (k as f64 + 0.5) * dt).cos(),
                (w * (k as f64 + 0.5) * dt).sin(),
            );
            (re, im) = (re + (y - last) * c, im - (y - last) * s);
            last = *y;
        }
        (re.hypot(im), im.atan2(re))
    };
    let response = |w: f64| {
        let (kp, ki, kd) = (
            gains.position[axis],
            gains.integral[axis],
            gains.velocity[axis],
        );
        let pid = (kp.hypot(kd * w - ki / w), (kd * w - ki / w).atan2(kp));
        let (m, d) = (settings.inertia[axis], settings.linear_damping[axis]);
        let plant = ((-m * w * w).hypot(d * w), (d * w).atan2(-m * w * w));
        let lag = lag_response(w);
        (pid.0 * lag.0 / plant.0, pid.1 + lag.1 - plant.1 - w * delay)
    };
    let [mut gain_margin, mut phase_margin] = [f64::INFINITY; 2];
    let mut last = response(0.05);
    for k in 1..4000 {
        let (gain, raw) = response(0.05 * 1.002_f64.powi(k));
        let phase = raw - (raw / std::f64::consts::TAU).ceil() * std::f64::consts::TAU;
        if last.0 >= 1.0 && gain < 1.0 {
            phase_margin = phase_margin.min((phase + std::f64::consts::PI).to_degrees());
        }
        if last.1 > -std::f64::consts::PI && phase <= -std::f64::consts::PI && gain < 1.0 {
            gain_margin = gain_margin.min(-20.0 * gain.log10());
        }
        last = (gain, phase);
    }
    [gain_margin, phase_margin]
}

// The shipped gains leave the usual stability margins. Method: frequency response of the loop
// linearised at rest, in still water. Tolerance: 6 dB and 40 deg, usual minima of design (Åström
// and Hägglund 2006, §4.6: gain margin 2 to 5, phase margin 30 to 60 deg).
#[test]
fn shipped_gains_have_stability_margins() {
    for model in ROVS.into_iter().chain(BOATS) {
        let s = vehicle(
            model,
            if BOATS.contains(&model) { 0.0 } else { -5.0 },
            "",
            "",
        );
        let settings = s.scene.robots[0].firmware.as_ref().unwrap();
        let actuated = settings.motion_control().unwrap().actuated;
        for axis in (0..6).filter(|axis| actuated[*axis]) {
            let [gain, phase] = margins(&s, axis);
            println!("{model}, axis {axis}: {gain:.1} dB, {phase:.0} deg");
            assert!(
                gain > 6.0 && phase > 40.0,
                "{model}, axis {axis}: {gain} {phase}"
            );
        }
    }
}
