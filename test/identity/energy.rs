//! Tests the energy balance of batteries and chargers: battery output equals use plus heat, and the
//! charger's output equals the loss of its source robot.

use crate::common::simulation;
use merrow_model::state::{ActuatorCommand, Command};
use merrow_sim::Simulation;

/// A vessel that supplies a charger, and a drone on its deck, both with batteries and loads of
/// their own.
const PAIR: &str = "
water: {density_kg_m3: 1000}
chargers: {pad: {kind: proximity, current_a: 3, efficiency: 0.8, source_robot: usv, position: {robot: usv, position_m: [0, 0, 1]}, range_m: 0.5}}
origin: {latitude_deg: 43, longitude_deg: 4}
weather: {start_utc: \"2026-06-20T09:00:00Z\", cloud_cover: 0.2}
robots:
  usv:
    model: &usv
      source: test
      base: fixed
      body: {source: test, axes: flu, mass_kg: 10, volume_m3: 0.02, inertia_kg_m2: {xx: 2, yy: 3, zz: 4}}
      battery: {source: test, capacity_ah: 1, open_circuit_v: [[0, 20], [0.5, 22], [1, 25]], resistance_ohm: 0.1, hotel_load_w: 12}
      thrusters: {t: {motor: {source: test, diameter_m: 0.2, command: newton, range: [-50, 50], curve: direct, power_w_per_n15: 1},
        position_m: [0, 0, -1], direction: [1, 0, 0]}}
      solar_panels: {deck: {source: test, area_m2: 0.3, efficiency: 0.2, position_m: [0, 0, 0.5]}}
  uav:
    position_m: [0.1, 0, 1]
    model:
      source: test
      base: fixed
      body: {source: test, axes: flu, mass_kg: 2, inertia_kg_m2: {xx: 2, yy: 3, zz: 4}}
      battery: {source: test, capacity_ah: 0.05, open_circuit_v: [[0, 11], [1, 12.6]], resistance_ohm: 0.05, hotel_load_w: 5,
        initial_charge: 0.4, charge_current_a: 2}
";

/// Returns the chemical energy [J] that left the battery of each robot in one step: open-circuit
/// voltage times charge.
fn step(s: &mut Simulation) -> [f64; 2] {
    let before = [0, 1].map(|r| s.state.robots[r].battery.charge);
    s.advance(1);
    [0, 1].map(|r| {
        let pack = s.scene.robots[r].battery.as_ref().unwrap();
        let charge = before[r] - s.state.robots[r].battery.charge;
        pack.open_circuit_voltage(before[r]) * charge * pack.capacity_ah * 3600.0
    })
}

// Battery energy = delivered + I²R - gained, for a vessel under changing load with sun and a
// charger to supply, and for the drone that is charged. The charger's output is the loss of its
// source robot times the efficiency. Method: sums over 60 s, with a thrust change every second.
// Tolerance: 1e-9, 30 000 rounded steps; the charger's period of 0.1 s for its debt.
#[test]
fn battery_and_charger_energy_balance() {
    let mut s = simulation(PAIR);
    let mut left = [0.0; 2];
    for k in 0..30_000 {
        if k % 500 == 0 {
            let value = 4.0 * f64::from(k / 500 % 7);
            s.apply(&Command::Actuator(
                0,
                ActuatorCommand::Thruster { thruster: 0, value },
            ))
            .unwrap();
        }
        let lost = step(&mut s);
        left = [left[0] + lost[0], left[1] + lost[1]];
    }
    for (r, left) in left.into_iter().enumerate() {
        let b = s.state.robots[r].battery;
        let used = b.delivered + b.lost - b.gained;
        assert!(
            (left - used).abs() < 1e-9 * b.delivered.max(b.gained),
            "robot {r}: {left} J left, {used} J used"
        );
        assert!(b.lost > 0.0 && b.gained > 0.0);
    }
    let (usv, uav, pad) = (
        s.state.robots[0].battery,
        s.state.robots[1].battery,
        s.state.chargers[0],
    );
    let of_charger = pad.given + uav.taken;
    assert!(
        (of_charger - uav.gained).abs() < 1e-9 * of_charger,
        "{of_charger} J given, {} J gained",
        uav.gained
    );
    // The energy that the vessel delivered beyond hotel load and thruster went into the charger.
    let thruster: f64 = (0..60)
        .map(|k| 4.0 * f64::from(k % 7))
        .map(|t| t * t.sqrt())
        .sum();
    let into = usv.delivered - 12.0 * 60.0 - thruster + usv.charger_debt[0];
    assert!(
        (into * 0.8 - pad.given).abs() < 1e-6 * pad.given,
        "{into} J into the charger, {} J out",
        pad.given
    );
    assert!(uav.charge > 0.4 + 0.1);
}

// Chargers are bit-identical for any blocks, threads and resumption. Method: the same minute of
// both robots in blocks of 1, 7, 50 and 500 steps, and from a clone.
#[test]
fn charging_is_the_same_in_all_blocks() {
    let run = |block: u64| {
        let mut s = simulation(PAIR);
        for _ in 0..7000 / block {
            s.advance(block);
        }
        s.state.hash()
    };
    let hash = run(1);
    for block in [7, 50, 500] {
        assert_eq!(run(block), hash, "in blocks of {block}");
    }
    let mut s = simulation(PAIR);
    s.advance(3333);
    let mut again = simulation(PAIR);
    again.state = s.state.clone();
    again.advance(7000 - 3333);
    assert_eq!(again.state.hash(), hash, "resumed");
}
