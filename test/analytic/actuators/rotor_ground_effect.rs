//! Tests the ground effect of rotors over decks, at edges and over moving decks.

use crate::common::{advance, close, relative, simulation};
use merrow_model::state::{ActuatorCommand, Command};
use merrow_sim::Simulation;
use merrow_world::load_text;
use std::sync::Arc;

/// Returns a weightless craft whose hub is 1000 m up, and adds `other` to its world.
fn rotor_world(other: &str) -> String {
    format!(
        "
gravity_m_s2: 0
step: {{dt_s: 0.001}}
{other}
robots:
  r:
    position_m: [0, 0, 1000]
    model:
      source: test
      body: {{source: test, axes: flu, mass_kg: 20, inertia_kg_m2: {{xx: 0.2, yy: 0.3, zz: 0.5}},
        collisions: {{hub: {{kind: sphere, radius_m: 0.02}}}}}}
      thrusters:
        t: {{position_m: [0, 0, 0], direction: [0, 0, 1], motor: {{source: test, diameter_m: 0.3, command: rad_s, range: [0, 1000],
          curve: {{kind: rotor, thrust_n_s2_per_rad2: 1e-5}}}}}}
"
    )
}

/// Returns the thrust of the craft's rotor after two steps, relative to its thrust far from any
/// surface.
fn thrust_gain(text: &str) -> f64 {
    let thrust = |text: &str| {
        let mut s = simulation(text);
        s.apply(&Command::Actuator(
            0,
            ActuatorCommand::Thruster {
                thruster: 0,
                value: 500.0,
            },
        ))
        .unwrap();
        s.advance(2);
        s.state.robots[0].actuators[0].thrust
    };
    thrust(text) / thrust(&rotor_world(""))
}

fn ground_effect_gain(ratio_squared: f64) -> f64 {
    1.0 / (1.0 - ratio_squared)
}

fn proximity_squared(z: f64) -> f64 {
    (0.15_f64 / (4.0 * z)).powi(2)
}

// A rotor has more thrust over a roof, as over ground. Over an edge the gain is proportional to the
// part of the disc over the roof. There is no gain out of reach of a roof or under one. Method:
// Cheeseman and Bennett's law evaluated by hand. Tolerance: 1e-6, the motion in two steps and the
// air density over a metre.
#[test]
fn roof_ground_effect_matches_law() {
    let roof = |x: f64, z: f64| {
        rotor_world(&format!(
            "structures: {{roof: {{position_m: [{x}, 0, {z}], shapes: {{top: {{kind: box, size_m: [4, 4, 1]}}}}}}}}"
        ))
    };
    for z in [0.1, 0.15, 0.3, 1.2] {
        relative(
            "over the roof",
            thrust_gain(&roof(0.0, 1000.0 - z - 0.5)),
            ground_effect_gain(proximity_squared(z)),
            1e-6,
        );
    }
    // Of nine rays six hit the roof, or three.
    relative(
        "over its edge",
        thrust_gain(&roof(2.0 - 0.01, 999.4)),
        ground_effect_gain(6.0 / 9.0 * proximity_squared(0.1)),
        1e-6,
    );
    relative(
        "just off its edge",
        thrust_gain(&roof(2.0 + 0.01, 999.4)),
        ground_effect_gain(3.0 / 9.0 * proximity_squared(0.1)),
        1e-6,
    );
    relative("out of reach", thrust_gain(&roof(0.0, 997.9)), 1.0, 1e-12);
    relative("under a roof", thrust_gain(&roof(0.0, 1001.0)), 1.0, 1e-12);
}

// The deck of another robot has the same effect as a roof; the robot's own shapes have none.
// Method: as above. Tolerance: as above.
#[test]
fn deck_of_another_robot_has_ground_effect() {
    let deck = "  boat:
    position_m: [0, 0, 999.35]
    model:
      source: test
      body: {source: test, axes: flu, mass_kg: 2000, inertia_kg_m2: {xx: 2e4, yy: 3e4, zz: 5e4},
        collisions: {deck: {kind: box, size_m: [2, 2, 1]}}}
";
    relative(
        "over a deck",
        thrust_gain(&format!("{}{deck}", rotor_world(""))),
        ground_effect_gain(proximity_squared(0.15)),
        1e-6,
    );
    let own = rotor_world("").replace(
        "radius_m: 0.02}",
        "radius_m: 0.02}, skid: {kind: box, size_m: [1, 1, 0.02], position_m: [0, 0, -0.2]}",
    );
    close("its own skid", thrust_gain(&own), 1.0, 1e-12);
}

// The state hash does not depend on when the deck search runs. Method: a craft sinks from 4 m above
// a deck and lands on it, in single steps, in blocks, and with two threads.
#[test]
fn deck_effect_is_independent_of_blocks() {
    let text = rotor_world("")
        .replace("gravity_m_s2: 0", "gravity_m_s2: 9.81")
        .replace("[0, 0, 1000]", "[0.05, 0, 4.6]")
        + "  boat:
    position_m: [0, 0, 0]
    model:
      source: test
      base: fixed
      body: {source: test, axes: flu, mass_kg: 500, inertia_kg_m2: {xx: 200, yy: 300, zz: 500},
        collisions: {deck: {kind: box, size_m: [2, 2, 1]}}}
";
    let run = |threads: usize, block: u64| {
        let world = load_text("deck.yaml", &text, merrow_world::Overrides::default());
        let world = world.unwrap_or_else(|problems| panic!("{problems}"));
        let mut s = Simulation::new(Arc::new(world.scene), threads).unwrap();
        s.apply(&Command::Actuator(
            0,
            ActuatorCommand::Thruster {
                thruster: 0,
                value: 1000.0,
            },
        ))
        .unwrap();
        for _ in 0..1500 / block {
            s.advance(block);
        }
        (s.state.hash(), s.state.robots[0].motion.p_WB.z)
    };
    let (hash, z) = run(1, 1);
    assert!(z < 2.0, "it has come down: {z}");
    assert_eq!((run(1, 250).0, run(2, 100).0), (hash.clone(), hash));
}

// The Firefly has more thrust over the deck of the WAM-V than next to it. Method: thrusts at the
// same rotor speed, 0.15 m over the deck and next to it at the same height. Tolerance: between 1 %
// and the gain that the law gives over the whole disc.
#[test]
fn firefly_has_ground_effect_over_deck() {
    let thrust = |y: f64| {
        let text = format!(
            "step: {{dt_s: 0.002}}\nrobots:\n  usv: {{model: wamv}}\n  uav: {{model: {{extends: robots/firefly.yaml, firmware: null}}, position_m: [0, {y}, 1.36]}}\n"
        );
        let mut s = simulation(&text);
        s.apply(&Command::Actuator(
            1,
            ActuatorCommand::Thrusters {
                values: vec![600.0; 6],
            },
        ))
        .unwrap();
        advance(&mut s, 0.02);
        s.state.robots[1]
            .actuators
            .iter()
            .map(|a| a.thrust)
            .sum::<f64>()
    };
    let gain = thrust(0.0) / thrust(6.0);
    println!("{gain}");
    assert!(gain > 1.01 && gain < 1.1, "{gain}");
}
