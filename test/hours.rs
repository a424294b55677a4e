//! Tests hours of extreme conditions: sea, current and wind never make a state non-finite.
//!
//! Slow: `test/run slow`. `MERROW_HOUR_SECONDS` shortens the hours for a trial run.

use crate::common::scene;
use merrow_math::{Quat, Vec3};
use merrow_model::scene::Scene;
use merrow_model::state::{ActuatorCommand, BodyCommand, Command};
use merrow_sim::Simulation;
use merrow_world::{Overrides, data_dir, load_world};
use std::sync::Arc;
use std::time::Instant;

/// Returns the length of an hour [s].
fn hour() -> u64 {
    std::env::var("MERROW_HOUR_SECONDS")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(3600)
}

/// Asserts that every robot is running with a finite and plausible state.
fn finite(s: &Simulation, second: u64) {
    for (robot, state) in s.scene.robots.iter().zip(&s.state.robots) {
        assert!(
            state.halted.is_none(),
            "{} stopped at {second} s: {:?}",
            robot.name,
            state.halted
        );
        let m = &state.motion;
        let all = m.p_WB.is_finite() && m.V_WB_B.v.is_finite() && m.V_WB_B.w.is_finite();
        assert!(
            all && m.q.iter().chain(&m.qd).all(|x| x.is_finite()),
            "{} at {second} s: {m:?}",
            robot.name
        );
        let size = m.V_WB_B.v.norm() + m.V_WB_B.w.norm();
        assert!(
            size < 1000.0,
            "{} at {second} s moves by {:?}",
            robot.name,
            m.V_WB_B
        );
    }
}

/// Runs an hour, calls `each_second` before every second, and prints the progress every ten
/// minutes.
fn run(name: &str, mut s: Simulation, mut each_second: impl FnMut(&mut Simulation, u64)) {
    let (began, steps) = (Instant::now(), (1.0 / s.scene.dt()).round() as u64);
    for second in 0..hour() {
        each_second(&mut s, second);
        s.advance(steps);
        s.clear_outboxes();
        finite(&s, second);
        if (second + 1) % 600 == 0 {
            println!(
                "{name}: {} min of {} min, {:.0} s",
                (second + 1) / 60,
                hour() / 60,
                began.elapsed().as_secs_f64()
            );
        }
    }
}

/// Commands every actuator of every robot to a part of its range that changes every second.
fn drive(s: &mut Simulation, second: u64) {
    let scene = Arc::clone(&s.scene);
    for (r, robot) in scene.robots.iter().enumerate() {
        let part = |k: usize| ((second as usize * 7 + k * 5) % 11) as f64 / 10.0;
        for (thruster, t) in robot.thrusters.iter().enumerate() {
            let [low, high] = t.motor.range;
            // Rejected where a firmware flies.
            let _ = s.apply(&Command::Actuator(
                r,
                ActuatorCommand::Thruster {
                    thruster,
                    value: low + part(thruster) * (high - low),
                },
            ));
        }
        if !robot.fins.is_empty() {
            let value = |(k, f): (usize, &merrow_model::scene::Fin)| {
                f.range[0] + part(k) * (f.range[1] - f.range[0])
            };
            let values = robot.fins.iter().enumerate().map(value).collect();
            let _ = s.apply(&Command::Actuator(r, ActuatorCommand::Fins { values }));
        }
    }
}

/// Wind of more than Beaufort 12 and its sea.
const HURRICANE: &str = "
step: {dt_s: 0.005}
seabed: {depth_m: 200}
water: {waves: {kind: jonswap, beaufort: 12, components: 64, direction_deg: 70, spreading: {kind: cos2s, s: 10}}}
air: {gusts: {kind: npd}}
weather: {wind_speed_m_s: 35, wind_from_deg: 250}
";

/// Returns the bundled hulls and surface vehicles in that sea.
fn hurricane() -> Scene {
    let robots = "
robots:
  otter: {model: otter, position_m: [0, 0, 0]}
  wamv: {model: wamv, position_m: [40, 0, 0]}
  heron: {model: heron, position_m: [0, 40, 0]}
  sailboat: {model: sailboat, position_m: [-40, 0, 0]}
  rov: {model: bluerov2_heavy, position_m: [0, -40, -1]}
";
    let mut all = scene(&format!("{HURRICANE}{robots}"));
    // Boat and buoy with their meshes, the buoy with radiation memory.
    let hulls = load_world(&data_dir::world_file("hulls"), Overrides::default())
        .unwrap_or_else(|p| panic!("{p}"));
    for mut robot in hulls.scene.robots {
        robot.start.p_WB.y += 80.0;
        all.robots.push(robot);
    }
    all
}

// An hour of Beaufort 12 with active actuators. Method: all bundled hulls. Tolerance: no robot is
// halted.
#[test]
#[ignore = "takes minutes: test/run slow"]
fn hulls_survive_an_hour_of_beaufort_12() {
    run(
        "Beaufort 12",
        Simulation::new(Arc::new(hurricane()), 2).unwrap(),
        drive,
    );
}

// Capsized and thrown hulls come down and continue. Method: the same sea; every two minutes each
// hull is thrown from 12 m, upside down and with a spin. Tolerance: no robot is halted, and a
// minute later each is within 30 m of the surface.
#[test]
#[ignore = "takes minutes: test/run slow"]
fn capsized_and_flying_hulls() {
    let s = Simulation::new(Arc::new(hurricane()), 2).unwrap();
    run("capsized and flying", s, |s, second| {
        drive(s, second);
        for robot in 0..s.scene.robots.len() {
            let m = &s.state.robots[robot].motion;
            if second % 120 == 60 && second > 60 {
                assert!(
                    m.p_WB.z.abs() < 30.0,
                    "{}: {:?}",
                    s.scene.robots[robot].name,
                    m.p_WB
                );
            }
            if second % 120 == 0 {
                let k = robot as f64;
                let p_WB = Vec3::new(m.p_WB.x, m.p_WB.y, 12.0);
                let q_WB = Quat::from_rpy(3.0 - 0.1 * k, 0.3 * k, 0.7 * k);
                let (v_WB_B, w_WB_B) = (Vec3::new(5.0, -3.0, 2.0), Vec3::new(2.0, -1.0, 3.0));
                s.apply(&Command::Body(
                    robot,
                    BodyCommand::SetPose {
                        p_WB,
                        q_WB,
                        v_WB_B,
                        w_WB_B,
                    },
                ))
                .unwrap();
            }
        }
    });
}

// A current of 50 m/s, a hundred times the current of a river. Method: every bundled vehicle except
// the rover is placed in it at rest, and again every ten minutes. Tolerance: no robot is halted.
#[test]
#[ignore = "takes minutes: test/run slow"]
fn a_hundredfold_current() {
    let names = data_dir::file_names("params/robots")
        .into_iter()
        .filter(|n| n != "rover" && !n.starts_with("firefly"));
    let robots: String = names
        .enumerate()
        .map(|(k, n)| {
            let floats = ["otter", "wamv", "heron", "sailboat"]
                .iter()
                .any(|boat| n.starts_with(boat));
            let z = if floats { 0.0 } else { -30.0 };
            format!("  {n}: {{model: {n}, position_m: [{}, 0, {z}]}}\n", 50 * k)
        })
        .collect();
    let world = format!(
        "
step: {{dt_s: 0.002}}
seabed: {{depth_m: 5000}}
water: {{current: {{kind: uniform, speed_m_s: 50, direction_deg: 40}}}}
robots:
{robots}"
    );
    let s = Simulation::new(Arc::new(scene(&world)), 2).unwrap();
    run("hundredfold current", s, |s, second| {
        drive(s, second);
        if second % 600 == 0 {
            for (robot, start) in s.scene.robots.clone().iter().map(|r| &r.start).enumerate() {
                let (p_WB, q_WB) = (start.p_WB, Quat::from_rpy(0.1, 0.2, 0.3 * robot as f64));
                let still = Vec3::zero();
                s.apply(&Command::Body(
                    robot,
                    BodyCommand::SetPose {
                        p_WB,
                        q_WB,
                        v_WB_B: still,
                        w_WB_B: still,
                    },
                ))
                .unwrap();
            }
        }
    });
}
