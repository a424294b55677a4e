//! Tests faulty thrusters, command time-outs, and propellers out of the water.

use super::thruster::{command, thrusts};
use crate::common::worlds::boat;
use crate::common::{close, simulation};
use merrow_math::{Quat, Vec3};
use merrow_model::state::{BodyCommand, Command, DeviceCommand, Health};
use merrow_sim::Simulation;

const AHEAD: &str = "position_m: [0, 0, 0], direction: [1, 0, 0]";
const DIRECT: &str = "command: newton, range: [-50, 50], curve: direct";

fn set(s: &mut Simulation, health: Health) {
    s.apply(&Command::Device(
        0,
        DeviceCommand::Health {
            thruster: 0,
            health,
        },
    ))
    .unwrap();
}

/// Returns the thrust [N] after half a second.
fn settled(s: &mut Simulation) -> f64 {
    thrusts(s, 250)[249]
}

// A weakened thruster produces its part of the thrust, for any curve. Method: half health on the
// three kinds of curve. Tolerance: rounding.
#[test]
fn reduced_health_reduces_the_thrust_by_its_part() {
    let quadratic = "command: rad_s, range: [-200, 200], curve: {kind: quadratic, ahead_n_s2_per_rad2: 0.004, astern_n_s2_per_rad2: 0.003}";
    let open = "command: rad_s, range: [-200, 200], curve: {kind: open_water, kt: [[0, 0.5]], kq: [[0, 0]]}";
    for (motor, value) in [(DIRECT, 10.0), (quadratic, -100.0), (open, 60.0)] {
        let mut s = simulation(&boat(motor, AHEAD, ""));
        command(&mut s, value);
        let whole = settled(&mut s);
        set(&mut s, Health::Reduced(0.5));
        close(motor, settled(&mut s), 0.5 * whole, 1e-12);
    }
}

// A dead thruster stops through its lag; a stuck one keeps its thrust and follows commands again
// once repaired. Method: a first-order lag of 50 ms. Tolerance: the residual after half a second,
// exp(-10).
#[test]
fn dead_and_stuck_thrusters_behave_as_specified() {
    let motor = format!("{DIRECT}, lag: {{kind: first_order, time_constant_s: 0.05}}");
    let mut s = simulation(&boat(&motor, AHEAD, ""));
    command(&mut s, 10.0);
    settled(&mut s);
    set(&mut s, Health::Stuck);
    let stuck = thrusts(&mut s, 1)[0];
    close("stuck", stuck, 10.0, 1e-3);
    command(&mut s, -20.0);
    assert!(
        thrusts(&mut s, 300).iter().all(|t| *t == stuck),
        "a stuck thruster moved"
    );
    set(&mut s, Health::Healthy);
    close("healed", settled(&mut s), -20.0, 1e-2);
    set(&mut s, Health::Dead);
    let dying = thrusts(&mut s, 250);
    close("dying", dying[25], dying[0] * (-1.0_f64).exp(), 1e-9);
    close("dead", dying[249], 0.0, 1e-2);
    let refused = s.apply(&Command::Device(
        0,
        DeviceCommand::Health {
            thruster: 0,
            health: Health::Reduced(1.5),
        },
    ));
    assert!(refused.is_err());
}

// Without a command for the configured time the thrusters stop; before that the last command holds.
// Method: a time-out of 0.1 s, steps of 2 ms.
#[test]
fn command_timeout_stops_thrusters() {
    let text = boat(DIRECT, AHEAD, "").replace(
        "      thrusters:",
        "      command_timeout_s: 0.1\n      thrusters:",
    );
    let mut s = simulation(&text);
    command(&mut s, 10.0);
    let thrust = thrusts(&mut s, 60);
    assert!(thrust[..=50].iter().all(|t| *t == 10.0), "stopped early");
    assert!(thrust[51..].iter().all(|t| *t == 0.0), "stopped late");
}

// The thrust of a propeller is proportional to the submerged part of its disc. Method: a disc of
// 0.2 m at five heights. Tolerance: rounding.
#[test]
fn propeller_out_of_the_water_does_not_push() {
    let mut s = simulation(&boat(DIRECT, AHEAD, ""));
    command(&mut s, 10.0);
    for (z, part) in [
        (-0.11, 1.0),
        (-0.05, 0.75),
        (0.0, 0.5),
        (0.08, 0.1),
        (0.2, 0.0),
    ] {
        let p_WB = Vec3::new(0.0, 0.0, z);
        let (v_WB_B, w_WB_B) = (Vec3::zero(), Vec3::zero());
        s.apply(&Command::Body(
            0,
            BodyCommand::SetPose {
                p_WB,
                q_WB: Quat::identity(),
                v_WB_B,
                w_WB_B,
            },
        ))
        .unwrap();
        close(
            &format!("at {z} m"),
            thrusts(&mut s, 1)[0],
            10.0 * part,
            1e-12,
        );
    }
}
