//! Tests winches: speed, length, stops, slip and brake.

use crate::common::worlds::tethered;
use crate::common::{advance, relative};
use merrow_model::state::{Command, WinchCommand};
use merrow_sim::Simulation;

/// Returns 20 m of line on a winch between two points 10 m apart in deep water.
fn winched(keys: &str, distance: f64) -> Simulation {
    tethered(
        "step: {dt_s: 0.005}\nwater: {density_kg_m3: 1000}\nseabed: {depth_m: 500}",
        "diameter_m: 0.01, mass_kg_per_m: 0.2, axial_stiffness_n: 10000, axial_damping_n_s: 500",
        &format!(
            "from: {{kind: world, position_m: [0, 0, -10]}}\nto: {{kind: world, position_m: [{distance}, 0, -10]}}\nlength_m: 20\nsegments: 20\nwinch: {{max_speed_m_s: 0.5, min_length_m: 5, max_length_m: 30{keys}}}"
        ),
    )
}

fn command(sim: &mut Simulation, command: WinchCommand) {
    sim.apply(&Command::Winch { tether: 0, command }).unwrap();
}

// The length is the integral of the speed, with the ramp of the maximum acceleration; the winch
// stops at the ends of the drum and moves to a commanded length. Method: the commands one after the
// other. Tolerance: a step of the ramp; 1 mm for the length.
#[test]
fn winch_pays_out_and_heaves_in() {
    let mut sim = winched("", 10.0);
    let length = |sim: &Simulation| sim.state.tethers[0].length;
    command(&mut sim, WinchCommand::Speed(0.4));
    advance(&mut sim, 10.0);
    // 0.4 s of ramp at 1 m/s².
    assert!(
        (length(&sim) - (20.0 + 4.0 - 0.08)).abs() < 0.4 * 0.005 + 1e-9,
        "{}",
        length(&sim)
    );
    let hanging = sim.state.tethers[0]
        .p
        .windows(2)
        .map(|w| (w[1] - w[0]).norm())
        .sum::<f64>();
    relative("nodes follow", hanging, length(&sim), 0.01);
    command(&mut sim, WinchCommand::Speed(9.0));
    advance(&mut sim, 30.0);
    assert_eq!(length(&sim), 30.0, "the drum is empty");
    command(&mut sim, WinchCommand::Length(15.0));
    advance(&mut sim, 60.0);
    assert!((length(&sim) - 15.0).abs() < 1e-3, "{}", length(&sim));
    command(&mut sim, WinchCommand::Speed(0.0));
    advance(&mut sim, 5.0);
    assert!((length(&sim) - 15.0).abs() < 1e-3);
}

// When the winch heaves in, the tension does not exceed the maximum pull; the drum slips instead.
// With the brake on it holds up to the brake load. Method: haul a line that is too short for its
// ends, at most 200 N, brake 400 N. Tolerance: slip is proportional: the pull is exceeded by the
// amount needed to slip at the motor's speed, EA/L v τ = 10000/10 · 0.5 · 0.05 = 25 N, and by 10 N
// of weight.
#[test]
fn winch_slips_above_max_pull() {
    let mut sim = winched(", max_pull_n: 200, brake_n: 400", 10.0);
    command(&mut sim, WinchCommand::Speed(-0.5));
    advance(&mut sim, 60.0);
    let tension = sim.state.tethers[0].end_tensions()[0];
    println!("tension {tension} N at {} m", sim.state.tethers[0].length);
    assert!((190.0..235.0).contains(&tension), "{tension} N");
    // The tension stretches the line by 2 %.
    relative("length", sim.state.tethers[0].length, 10.0 / 1.02, 0.01);
    command(&mut sim, WinchCommand::Speed(0.0));
    advance(&mut sim, 5.0);
    let held = sim.state.tethers[0].end_tensions()[0];
    assert!((190.0..260.0).contains(&held), "{held} N");
}

// A winch on board draws power for heaving in and stops when its battery is empty; a winch at a
// fixed end draws none from that battery. Method: 50 N on a light line, hauled in at 0.4 m/s by a
// fixed robot: 5 W plus 50 N · 0.4 m/s/0.8; paying out draws 5 W. Tolerance: 2 %, weight and
// stretch of the line.
#[test]
fn winch_draws_power_from_battery_on_board() {
    let world = |charge: &str, stands: &str| {
        crate::common::simulation(&format!(
            "
step: {{dt_s: 0.005}}
water: {{density_kg_m3: 1000}}
seabed: {{depth_m: 500}}
robots:
  r:
    position_m: [0, 0, -10]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 100, inertia_kg_m2: {{xx: 20, yy: 30, zz: 40}}}}
      battery: {{source: test, capacity_ah: 50, open_circuit_v: [[0, 12], [1, 12]], hotel_load_w: 10{charge}}}
  load:
    position_m: [0, 0, -40]
    model: {{source: test, body: {{source: test, axes: flu, mass_kg: 10, net_buoyancy_n: -50, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}}}
tethers:
  t:
    line: {{source: test, diameter_m: 0.004, mass_kg_per_m: 0.0126, axial_stiffness_n: 20000, axial_damping_n_s: 500, normal_drag: 0.1, tangential_drag: 0}}
    from: {{kind: robot, robot: r}}
    to: {{kind: robot, robot: load}}
    length_m: 30
    segments: 4
    winch: {{mounted_at: {stands}, max_speed_m_s: 0.5, min_length_m: 5, max_length_m: 40, efficiency: 0.8, standby_w: 5}}
"
        ))
    };
    let load = |sim: &Simulation| sim.state.robots[0].battery.load;
    let mut sim = world("", "from");
    advance(&mut sim, 5.0);
    relative("standby", load(&sim), 15.0, 1e-9);
    command(&mut sim, WinchCommand::Speed(-0.4));
    advance(&mut sim, 5.0);
    relative("heaving in", load(&sim), 15.0 + 50.0 * 0.4 / 0.8, 0.02);
    command(&mut sim, WinchCommand::Speed(0.4));
    advance(&mut sim, 5.0);
    relative("paying out", load(&sim), 15.0, 1e-9);
    let mut sim = world("", "to");
    command(&mut sim, WinchCommand::Speed(-0.4));
    advance(&mut sim, 5.0);
    relative("the load's own winch", load(&sim), 10.0, 1e-9);
    let mut sim = world(", initial_charge: 0", "from");
    command(&mut sim, WinchCommand::Speed(-0.4));
    advance(&mut sim, 1.0);
    assert!(
        (sim.state.tethers[0].length - 30.0).abs() < 0.01,
        "the brake holds"
    );
}

// Invalid commands are rejected and change no state. Method: the messages.
#[test]
fn invalid_winch_commands_are_rejected() {
    let mut sim = winched("", 10.0);
    let hash = sim.state.hash();
    let mut refusal = |tether, command| {
        sim.apply(&Command::Winch { tether, command })
            .unwrap_err()
            .reason
    };
    assert_eq!(refusal(1, WinchCommand::Speed(0.1)), "no tether number 1");
    assert_eq!(
        refusal(0, WinchCommand::Speed(f64::NAN)),
        "winch of t: expected a finite number, found NaN"
    );
    assert_eq!(sim.state.hash(), hash);
    let mut plain = tethered(
        "",
        "diameter_m: 0.01, mass_kg_per_m: 0.2, axial_stiffness_n: 10000",
        "from: {kind: world, position_m: [0, 0, 0]}\nto: {kind: free, position_m: [9, 0, 0]}\nlength_m: 10",
    );
    let winch = Command::Winch {
        tether: 0,
        command: WinchCommand::Speed(0.1),
    };
    assert_eq!(
        plain.apply(&winch).unwrap_err().reason,
        "tether t has no winch"
    );
}
