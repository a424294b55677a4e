//! Tests Galilean invariance: relative to water, air and ground in uniform motion every vehicle
//! moves as it does with these at rest.

use crate::common::{aligned, close, close_vectors, scene};
use merrow_math::Vec3;
use merrow_model::scene::Scene;
use merrow_model::state::{ActuatorCommand, Command, FirmwareCommand, Motion};
use merrow_sim::Simulation;
use merrow_world::data_dir;
use std::sync::Arc;

/// Common additional velocity, to east and north [m/s].
const BOOST: Vec3 = Vec3::new(0.6, -0.45, 0.0);

/// Wind over ground [m/s].
const WIND: Vec3 = Vec3::new(3.0, 2.0, 0.0);

/// Returns a world with these robots in water and air that move with `boost` [m/s, W].
fn world(robots: &str, boost: Vec3) -> Scene {
    let compass = |v: Vec3| v.x.atan2(v.y).to_degrees();
    let wind = WIND + boost;
    let mut scene = scene(&format!(
        "
step: {{dt_s: 0.002}}
seabed: {{depth_m: 1000}}
water: {{density_kg_m3: 1000, current: {{kind: uniform, speed_m_s: {}, direction_deg: {}}}}}
air: {{shear: {{kind: uniform}}}}
weather: {{wind_speed_m_s: {}, wind_from_deg: {}}}
robots:
{robots}",
        boost.norm(),
        compass(boost),
        wind.norm(),
        compass(-wind)
    ));
    // The numbers above were converted to degrees and lost precision.
    scene.sea.current.profile = vec![(0.0, boost)];
    for robot in &mut scene.robots {
        let [roll, pitch, yaw] = robot.start.rpy;
        let R_WB = merrow_math::Quat::from_rpy(roll, pitch, yaw).matrix();
        robot.start.v_WB_B += R_WB.tr_mul_vec(boost);
    }
    scene
}

/// Runs `seconds` [s] with all actuators at a part of their range.
fn run(scene: Scene, seconds: f64) -> Simulation {
    let mut s = Simulation::new(Arc::new(scene), 1).unwrap();
    let robot = s.scene.robots[0].clone();
    let part = |[low, high]: [f64; 2], k: usize| {
        // Not all equal, so that the vehicle also turns.
        let p = 0.35 + 0.1 * (k % 3) as f64;
        if low < 0.0 {
            p * high
        } else {
            low + p * (high - low)
        }
    };
    for (thruster, t) in robot.thrusters.iter().enumerate() {
        let value = part(t.motor.range, thruster);
        s.apply(&Command::Actuator(
            0,
            ActuatorCommand::Thruster { thruster, value },
        ))
        .unwrap();
    }
    if !robot.fins.is_empty() {
        let values = robot
            .fins
            .iter()
            .enumerate()
            .map(|(k, f)| 0.5 * part(f.range, k))
            .collect();
        s.apply(&Command::Actuator(0, ActuatorCommand::Fins { values }))
            .unwrap();
    }
    for (engine, b) in robot.buoyancy_engines.iter().enumerate() {
        s.apply(&Command::Actuator(
            0,
            ActuatorCommand::BuoyancyEngine {
                engine,
                value: 0.5 * b.range_m3[0],
            },
        ))
        .unwrap();
    }
    s.advance((seconds / s.scene.dt()).round() as u64);
    s
}

/// Returns the velocity of the base relative to the moving frame [m/s, W].
fn relative_velocity(m: &Motion, boost: Vec3) -> Vec3 {
    m.q_WB.matrix().mul_vec(m.V_WB_B.v) - boost
}

// Every bundled vehicle except the rover, which needs ground, behaves the same for five seconds in
// water and air at rest with a wind, and in water and air with an additional common velocity.
// Method: positions differ by the displacement of the boost, all else is equal. Tolerance: 1e-8,
// rounding that grows over 2500 steps of turning vehicles.
#[test]
fn vehicles_are_galilean_invariant() {
    let mut n = 0;
    for name in data_dir::file_names("params/robots")
        .into_iter()
        .filter(|name| name != "rover")
    {
        // Models that belong to a world have the world's name as a suffix.
        let height = match name.split('_').next().unwrap_or_default() {
            "firefly" => 300.0,
            "otter" | "wamv" | "heron" | "sailboat" => 0.0,
            _ => -15.0,
        };
        let robots = format!(
            "  r: {{position_m: [0, 0, {height}], attitude_deg: [2, -3, 25], model: {{extends: robots/{name}.yaml, sensors: null, firmware: null}}}}\n"
        );
        let (still, moved) = (
            run(world(&robots, Vec3::zero()), 5.0),
            run(world(&robots, BOOST), 5.0),
        );
        let [a, b] = [&still, &moved].map(|s| &s.state.robots[0].motion);
        assert!(still.state.robots[0].halted.is_none(), "{name}");
        close_vectors(
            &format!("{name}: place"),
            b.p_WB - BOOST.scale(5.0),
            a.p_WB,
            1e-8,
        );
        aligned(&format!("{name}: attitude"), &b.q_WB, &a.q_WB, 1e-8);
        let [u, v] = [
            relative_velocity(a, Vec3::zero()),
            relative_velocity(b, BOOST),
        ];
        close_vectors(&format!("{name}: velocity"), v, u, 1e-8);
        close_vectors(&format!("{name}: spin"), b.V_WB_B.w, a.V_WB_B.w, 1e-8);
        for j in 0..a.q.len() {
            close(&format!("{name}: joint {j}"), b.q[j], a.q[j], 1e-8);
        }
        // The vehicle moved.
        assert!(
            u.norm() > 1e-3 && a.V_WB_B.w.norm() > 1e-4,
            "{name}: {u:?} {:?}",
            a.V_WB_B.w
        );
        n += 1;
    }
    assert!(n >= 16, "{n} vehicles");
}

/// A barge of 400 t that floats at half its height, heavy enough not to be moved by a rover, with
/// the rover on its deck.
const DECK: &str = "
  rover:
    position_m: [-3, 0, 2.0635]
    model: {extends: robots/rover.yaml, sensors: null}
  barge:
    position_m: [0, 0, 0]
    model:
      source: test
      body:
        source: test
        axes: flu
        mass_kg: 400000
        inertia_kg_m2: {xx: 4.0e+6, yy: 1.4e+7, zz: 1.7e+7}
        volume_m3: 800
        hull: {kind: box, size_m: [20, 10, 4]}
        linear_damping: {kind: diagonal, values: [1.0e+5, 1.0e+5, 1.0e+6, 1.0e+7, 1.0e+7, 1.0e+7]}
        collisions: {deck: {kind: box, size_m: [20, 10, 4], material: {friction: 0.8}}}
";

// A rover drives and turns on a drifting barge as on one at rest. Method: 1 s to settle, 2 s
// forward, 2 s of turning; position on the deck, attitude, wheels. Tolerance: 1e-6: contacts that
// stick and slip amplify rounding.
#[test]
fn rover_on_deck_is_galilean_invariant() {
    let drive = |boost: Vec3| {
        let mut s = Simulation::new(Arc::new(world(DECK, boost)), 1).unwrap();
        s.advance(500);
        for k in 0..40 {
            let (v, w) = if k < 20 { (0.5, 0.0) } else { (0.2, 0.6) };
            let (linear, angular) = (Vec3::new(v, 0.0, 0.0), Vec3::new(0.0, 0.0, w));
            s.apply(&Command::Firmware(
                0,
                FirmwareCommand::Velocity { linear, angular },
            ))
            .unwrap();
            s.advance(50);
        }
        let [rover, barge] = [0, 1].map(|r| s.state.robots[r].motion.clone());
        assert!(s.state.robots[0].halted.is_none());
        (rover, barge)
    };
    let ((a, under_a), (b, under_b)) = (drive(Vec3::zero()), drive(BOOST));
    close_vectors("deck", under_b.p_WB - BOOST.scale(5.0), under_a.p_WB, 1e-6);
    close_vectors("place", b.p_WB - BOOST.scale(5.0), a.p_WB, 1e-6);
    aligned("attitude", &b.q_WB, &a.q_WB, 1e-6);
    close_vectors(
        "velocity",
        relative_velocity(&b, BOOST),
        relative_velocity(&a, Vec3::zero()),
        1e-6,
    );
    for j in 0..a.q.len() {
        close(&format!("wheel {j}"), b.q[j], a.q[j], 1e-6);
    }
    let way = a.p_WB - under_a.p_WB - Vec3::new(-3.0, 0.0, 2.0635);
    assert!(
        way.x > 0.8 && a.q_WB.matrix().to_rpy()[2] > 0.5,
        "it drove and turned: {way:?}"
    );
}
