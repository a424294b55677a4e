//! Tests fin servos: lag, rate, dead time, limits, health and commands.

use super::fin::fin_world;
use crate::common::{close, simulation};
use merrow_model::state::{ActuatorCommand, Command, DeviceCommand, Health};
use merrow_sim::Simulation;

const RUDDER: &str = "position_m: [-0.7, 0, 0], shaft: [0, 0, 1]";
const LAW: &str = "law: {kind: fossen, lift_slope_per_rad: 1}";

fn command(s: &mut Simulation, value: f64) {
    s.apply(&Command::Actuator(
        0,
        ActuatorCommand::Fin { fin: 0, value },
    ))
    .unwrap();
}

/// Returns the angle [rad] after each of the next `n` steps.
fn angles(s: &mut Simulation, n: usize) -> Vec<f64> {
    let step = |_| {
        s.advance(1);
        s.state.robots[0].fins[0].angle
    };
    (0..n).map(step).collect()
}

// Rate limit and lag together give the exact response. Method: the closed-form solution: at the
// maximum rate until the error is rate times lag, then exponential. Tolerance: rounding over 500
// steps.
#[test]
fn rate_and_lag_step_response() {
    let (rate, lag, target) = (30_f64.to_radians(), 0.1, 20_f64.to_radians());
    let mut s = simulation(&fin_world(
        RUDDER,
        &format!("{LAW}, rate_deg_s: 30, time_constant_s: 0.1"),
    ));
    command(&mut s, target);
    let knee = (target - rate * lag) / rate;
    for (k, angle) in angles(&mut s, 500).into_iter().enumerate() {
        let t = (k + 1) as f64 * s.scene.dt();
        let expected = if t <= knee {
            rate * t
        } else {
            target - rate * lag * (-(t - knee) / lag).exp()
        };
        close(&format!("at {t} s"), angle, expected, 1e-12);
    }
    // Mean rate over the last step.
    let rate_now = rate * (-(1.0 - 0.001 - knee) / lag).exp();
    close("rate", s.state.robots[0].fins[0].rate, rate_now, 1e-5);
}

// A command acts exactly after the dead time, without lag then immediately, and is limited to the
// range. Method: 30 ms at 2 ms per step.
#[test]
fn dead_time_and_range() {
    let mut s = simulation(
        &fin_world(RUDDER, &format!("{LAW}, dead_time_s: 0.03"))
            .replace("[-170, 170]", "[-20, 20]"),
    );
    command(&mut s, 1.0);
    let found = angles(&mut s, 20);
    let most = 20_f64.to_radians();
    assert!(
        found[..15].iter().all(|a| *a == 0.0) && found[15..].iter().all(|a| *a == most),
        "{found:?}"
    );
}

/// Returns a world whose vehicle moves at 2 m/s.
fn build_moving_world() -> String {
    fin_world(RUDDER, LAW).replace("model:", "velocity_m_s: [2, 0, 0]\n    model:")
}

// A stuck fin holds its angle, a repaired one follows commands again, and a reduced or dead one
// keeps only its part of the force. Method: the sway that a rudder produces in a step. Tolerance:
// 1e-3, the rotation within the step.
#[test]
fn health_changes_motion_and_force() {
    let text = build_moving_world();
    let sway = |health: Health| {
        let mut s = simulation(&text);
        command(&mut s, 0.1);
        s.advance(1);
        s.apply(&Command::Device(
            0,
            DeviceCommand::FinHealth { fin: 0, health },
        ))
        .unwrap();
        command(&mut s, -0.2);
        let before = s.state.robots[0].motion.V_WB_B.v.y;
        s.advance(1);
        (
            s.state.robots[0].motion.V_WB_B.v.y - before,
            s.state.robots[0].fins[0].angle,
        )
    };
    let (whole, angle) = sway(Health::Healthy);
    assert_eq!(angle, -0.2);
    let (held, stuck) = sway(Health::Stuck);
    assert_eq!(stuck, 0.1);
    // At 2 m/s and at sideslip angles far below the rudder angle.
    close("reduced", sway(Health::Reduced(0.25)).0 / whole, 0.25, 1e-2);
    assert!(
        held / whole < 0.0 || held.abs() > 0.4 * whole.abs(),
        "{held} {whole}"
    );
    let (dead, still) = sway(Health::Dead);
    assert!(
        dead.abs() < 1e-2 * whole.abs() && still == 0.1,
        "{dead} {whole}"
    );
}

// Commands that are not finite or have the wrong count are rejected and change no state. Method:
// the state hash.
#[test]
fn invalid_commands_are_rejected() {
    let mut s = simulation(&build_moving_world());
    let before = s.state.hash();
    for bad in [
        Command::Actuator(
            0,
            ActuatorCommand::Fin {
                fin: 0,
                value: f64::NAN,
            },
        ),
        Command::Actuator(0, ActuatorCommand::Fin { fin: 1, value: 0.1 }),
        Command::Actuator(0, ActuatorCommand::Fins { values: vec![] }),
        Command::Actuator(
            0,
            ActuatorCommand::Fins {
                values: vec![f64::INFINITY],
            },
        ),
        Command::Actuator(
            0,
            ActuatorCommand::Thrusters {
                values: vec![0.1, 0.1],
            },
        ),
        Command::Device(
            0,
            DeviceCommand::FinHealth {
                fin: 0,
                health: Health::Reduced(2.0),
            },
        ),
    ] {
        assert!(s.apply(&bad).is_err(), "{bad:?}");
    }
    assert_eq!(s.state.hash(), before);
}

// An array of commands sets the fins; a reset keeps the health and clears the other state. Method:
// commands and health in the state.
#[test]
fn arrays_set_fins_and_reset_keeps_health() {
    let mut s = simulation(&build_moving_world());
    let before = s.state.hash();
    s.apply(&Command::Actuator(
        0,
        ActuatorCommand::Fins { values: vec![0.3] },
    ))
    .unwrap();
    assert_eq!(s.state.robots[0].fins[0].command, 0.3);
    assert_ne!(s.state.hash(), before);
    // Without thrusters the array of thrusters and fins holds only the fins.
    s.apply(&Command::Actuator(
        0,
        ActuatorCommand::Thrusters { values: vec![0.2] },
    ))
    .unwrap();
    assert_eq!(s.state.robots[0].fins[0].command, 0.2);
    // A reset keeps the health and clears the other state.
    s.apply(&Command::Device(
        0,
        DeviceCommand::FinHealth {
            fin: 0,
            health: Health::Stuck,
        },
    ))
    .unwrap();
    let fresh = s.state.reset(&s.scene);
    assert_eq!(
        (
            fresh.robots[0].fins[0].command,
            fresh.robots[0].fins[0].health
        ),
        (0.0, Health::Stuck)
    );
}
