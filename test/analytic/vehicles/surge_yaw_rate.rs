//! Tests surface vehicles under velocity commands: speed control in a current, limits, time-out,
//! and command arbitration.

use crate::common::{advance, close, simulation};
use merrow_math::Vec3;
use merrow_model::state::commands::FirmwareOrder;
use merrow_model::state::{ActuatorCommand, Command, FirmwareCommand};
use merrow_sim::Simulation;

/// Returns a boat in a current towards west.
fn boat(model: &str, current: f64) -> Simulation {
    simulation(&format!(
        "
step: {{dt_s: 0.005}}
water: {{current: {{kind: uniform, speed_m_s: {current}, direction_deg: 270}}}}
robots: {{b: {{model: {{extends: robots/{model}.yaml, firmware: {model}_velocity}}}}}}
"
    ))
}

/// Drives for `seconds` [s] under a command that is repeated ten times a second.
fn drive(s: &mut Simulation, ahead: f64, yaw_rate: f64, seconds: f64) {
    for _ in 0..(seconds * 10.0).round() as usize {
        let (linear, angular) = (Vec3::new(ahead, 0.0, 0.0), Vec3::new(0.0, 0.0, yaw_rate));
        s.apply(&Command::Firmware(
            0,
            FirmwareCommand::Velocity { linear, angular },
        ))
        .unwrap();
        advance(s, 0.1);
    }
}

/// Returns the forward speed over ground [m/s] and the yaw rate [rad/s].
fn surge_and_yaw_rate(s: &Simulation) -> [f64; 2] {
    let V = &s.state.robots[0].motion.V_WB_B;
    [V.v.x, V.w.z]
}

// Each boat controls speed over ground and yaw rate, against the current and across it. Method: 0.8
// m/s forward for 25 s, then a turn of 0.3 rad/s at 0.5 m/s for 15 s, in which the current
// direction rotates once relative to the boat. Tolerance: 1 % straight on; 0.1 m/s and 0.02 rad/s
// in the turn, where the integral lags behind the changing current direction.
#[test]
fn speed_and_yaw_rate_are_controlled() {
    for model in ["wamv", "otter", "heron"] {
        let mut s = boat(model, 0.5);
        drive(&mut s, 0.8, 0.0, 25.0);
        let [u, r] = surge_and_yaw_rate(&s);
        close(&format!("{model}: speed"), u, 0.8, 0.01);
        close(&format!("{model}: yaw rate"), r, 0.0, 1e-3);
        drive(&mut s, 0.5, 0.3, 15.0);
        let [u, r] = surge_and_yaw_rate(&s);
        close(&format!("{model}: speed in the turn"), u, 0.5, 0.1);
        close(&format!("{model}: yaw rate in the turn"), r, 0.3, 0.02);
    }
}

// Commands beyond the thruster limits are reduced so that the boat still turns. Method: the Heron
// at its maximum speed against 1.2 m/s, with a yaw rate command: surge without yaw takes both jets
// to their limit. Tolerance: 20 % of the yaw rate after 5 s.
#[test]
fn yaw_rate_has_priority_over_surge() {
    let mut s = boat("heron", 1.2);
    drive(&mut s, 9.0, 0.0, 10.0);
    let limit = s.scene.robots[0].thrusters[0].motor.range[1];
    close("jets", s.state.robots[0].actuators[0].command, limit, 1e-3);
    drive(&mut s, 9.0, 0.4, 5.0);
    close("yaw rate", surge_and_yaw_rate(&s)[1], 0.4, 0.08);
}

// When a command times out, the thrusters stop and accept other commands; while it is valid the
// firmware owns them. Method: each command and its answer.
#[test]
fn firmware_owns_thrusters_only_while_driving() {
    let mut s = boat("heron", 0.5);
    let push = Command::Actuator(
        0,
        ActuatorCommand::Thruster {
            thruster: 0,
            value: 0.5,
        },
    );
    s.apply(&push).unwrap();
    drive(&mut s, 0.8, 0.0, 1.0);
    assert!(
        s.apply(&push)
            .unwrap_err()
            .reason
            .starts_with("the firmware drives the thrusters")
    );
    advance(&mut s, 1.2);
    assert!(s.state.robots[0].actuators.iter().all(|a| a.command == 0.0));
    s.apply(&push).unwrap();
    advance(&mut s, 1.0);
    assert_eq!(s.state.robots[0].actuators[0].command, 0.5);
    drive(&mut s, 0.8, 0.0, 1.0);
    s.apply(&Command::Firmware(
        0,
        FirmwareCommand::FirmwareOrder {
            order: FirmwareOrder::Enable(false),
        },
    ))
    .unwrap();
    assert!(s.state.robots[0].actuators.iter().all(|a| a.command == 0.0));
    s.apply(&push).unwrap();
    let bad = Command::Firmware(
        0,
        FirmwareCommand::Velocity {
            linear: Vec3::new(f64::NAN, 0.0, 0.0),
            angular: Vec3::zero(),
        },
    );
    assert_eq!(
        s.apply(&bad).unwrap_err().reason,
        "velocity: expected a finite number, found NaN"
    );
}
