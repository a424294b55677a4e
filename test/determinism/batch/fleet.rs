//! The fleet of the determinism tests.

use crate::common::scene;
use merrow_math::Vec3;
use merrow_model::scene::Scene;
use merrow_model::state::{ActuatorCommand, Command, JointCommand};
use merrow_sim::Simulation;
use std::sync::Arc;

const SEA: &str = "
seed: 7
water: {current: {kind: profile, layers: [{depth_m: 0, speed_m_s: 0.4}, {depth_m: 9, speed_m_s: 0.1, direction_deg: 50}]},
  variation: {std_m_s: [0.1, 0.1, 0.02], correlation_time_s: 2}}
seabed: {depth_m: 20}
robots:
";

const ARM: &str = "
      links:
        arm:
          parent: base_link
          joint: {kind: revolute, axis: [0, 1, 0], position_m: [0.2, 0, -0.1], lower_rad: -1, upper_rad: 1}
          body: {source: test, axes: flu, mass_kg: 1, center_of_mass_m: [0.2, 0, 0], volume_m3: 0.0009,
            inertia_kg_m2: {xx: 0.01, yy: 0.02, zz: 0.02}, quadratic_damping: {kind: diagonal, values: [1, 5, 5, 0, 0, 0]},
            added_mass: {kind: diagonal, values: [0.1, 0.8, 0.8, 0, 0.01, 0.01]}}";

/// Instruments with internal state, in addition to the instruments of the vehicle.
const INSTRUMENTS: &str = "
      sensors:
        ahrs: {device: xsens_mti_3}
        ins: {device: ins_mems, aids: {dvl: dvl, gnss: receiver, pressure: pressure}}
        receiver: {device: ublox_m8n, position_m: [0, 0, 0.2]}
        compass: {device: ublox_f9p_heading, position_m: [0, 0, 0.3]}";

/// Returns a BlueROV2 with an arm at a depth [m], none above another, because their DVL beams would
/// hit one another.
fn rov(name: &str, depth: f64) -> String {
    let east = 40 * (name.as_bytes()[0] - b'a');
    format!(
        "  {name}:\n    position_m: [{east}, 0, -{depth}]\n    model:\n      extends: robots/bluerov2_heavy.yaml{ARM}{INSTRUMENTS}\n"
    )
}

/// Returns five robots: four deep, one at the surface.
pub(crate) fn fleet() -> Scene {
    let robots: String = [("a", 5.0), ("b", 0.05), ("c", 8.0), ("d", 12.0), ("e", 3.0)]
        .map(|(name, depth)| rov(name, depth))
        .concat();
    scene(&format!("{SEA}{robots}"))
}

/// Returns a scene with only the robot `e` of the fleet.
pub(crate) fn alone() -> Scene {
    scene(&format!("{SEA}{}", rov("e", 3.0)))
}

/// Returns a simulation at its start whose robots have commands that depend on their names.
pub(crate) fn started(scene: Scene, threads: usize) -> Simulation {
    let mut s = Simulation::new(Arc::new(scene), threads).unwrap();
    for robot in 0..s.scene.robots.len() {
        let k = f64::from(s.scene.robots[robot].name.as_bytes()[0] - b'a');
        let (force, moment) = (
            Vec3::new(10.0 + k, 3.0 - k, 2.0),
            Vec3::new(0.0, 0.1, 0.5 * k),
        );
        s.apply(&Command::Actuator(
            robot,
            ActuatorCommand::Wrench { force, moment },
        ))
        .unwrap();
        s.apply(&Command::Joint(
            robot,
            JointCommand::Joint {
                joint: 0,
                value: 0.4 - 0.1 * k,
            },
        ))
        .unwrap();
    }
    s
}

/// Runs `steps` in blocks of `block` and returns all readings of each robot as text, which
/// distinguishes all bits and NaN.
pub(crate) fn travel(s: &mut Simulation, steps: u64, block: u64) -> Vec<String> {
    let mut readings = vec![String::new(); s.scene.robots.len()];
    let mut left = steps;
    while left > 0 {
        let n = left.min(block);
        s.advance(n);
        for (text, runner) in readings.iter_mut().zip(&s.runners) {
            for delivered in &runner.outbox {
                *text += &format!("{delivered:?}\n");
            }
        }
        s.clear_outboxes();
        left -= n;
    }
    readings
}

/// Returns ten bodies in a current; the first is attached to the world, each to the next by another
/// kind of coupling.
pub(crate) fn chain() -> Scene {
    let kinds = ["ball", "hinge", "slide", "weld"];
    let (mut robots, mut couplings) = (
        String::new(),
        String::from(
            "couplings:\n  c0: {kind: ball, a: {robot: b0, position_m: [0, 0, 0.5]}, b: {}}\n",
        ),
    );
    for k in 0..10 {
        robots += &format!(
            "  b{k}: {{position_m: [0, 0, -{k}], attitude_deg: [0, 0, {}], model: {{source: test, body: {{source: test, axes: flu, mass_kg: 3, \
             net_buoyancy_n: -5, inertia_kg_m2: {{xx: 0.2, yy: 0.2, zz: 0.1}}, added_mass: {{kind: diagonal, values: [2, 2, 1, 0.1, 0.1, 0.1]}}, \
             quadratic_damping: {{kind: diagonal, values: [30, 30, 5, 1, 1, 1]}}}}}}}}\n",
            20 * k
        );
        if k > 0 {
            couplings += &format!(
                "  c{k}: {{kind: {}, a: {{robot: b{}, position_m: [0, 0, -0.5]}}, b: {{robot: b{k}}}}}\n",
                kinds[k % 4],
                k - 1
            );
        }
    }
    scene(&format!("{SEA}{robots}{couplings}"))
}
