//! Tests the multirotor firmware: take-off, velocity control, hovering in wind, time-out, landing,
//! and command arbitration.

use crate::common::{advance, close, close_vectors, simulation};
use merrow_math::Vec3;
use merrow_model::scene::robot::firmware::multirotor::FlightMode;
use merrow_model::state::commands::FirmwareOrder;
use merrow_model::state::firmware::FirmwareLawState;
use merrow_model::state::{ActuatorCommand, Command, FirmwareCommand};
use merrow_sim::Simulation;

/// Returns a Firefly on a pier 2 m above the water, or in the air above it, with further keys of
/// the world and the firmware.
fn firefly(place: &str, world: &str, firmware: &str) -> Simulation {
    simulation(&format!(
        "
step: {{dt_s: 0.004}}
air: {{shear: {{kind: uniform}}}}
{world}
structures: {{pier: {{shapes: {{deck: {{kind: box, size_m: [12, 4, 0.5], position_m: [0, 0, 1.75]}}}}}}}}
robots: {{f: {{model: {{extends: robots/firefly.yaml, sensors: null, battery: null, firmware: {{{firmware}}}}}, {place}}}}}
"
    ))
}

const ON_PIER: &str = "position_m: [0, 0, 2.08]";

fn order(s: &mut Simulation, order: FirmwareOrder) {
    s.apply(&Command::Firmware(
        0,
        FirmwareCommand::FirmwareOrder { order },
    ))
    .unwrap();
}

/// Flies for `seconds` [s] under a velocity command that is repeated ten times a second.
fn fly(s: &mut Simulation, linear: [f64; 3], yaw_rate: f64, seconds: f64) {
    for _ in 0..(seconds * 10.0).round() as usize {
        let angular = Vec3::new(0.0, 0.0, yaw_rate);
        s.apply(&Command::Firmware(
            0,
            FirmwareCommand::Velocity {
                linear: Vec3::from(linear),
                angular,
            },
        ))
        .unwrap();
        advance(s, 0.1);
    }
}

fn mode(s: &Simulation) -> FlightMode {
    match &s.state.robots[0].firmware.as_ref().unwrap().memory {
        FirmwareLawState::Multirotor(flight) => flight.mode,
        other => panic!("{other:?}"),
    }
}

fn position(s: &Simulation) -> Vec3 {
    s.state.robots[0].motion.p_WB
}

fn velocity(s: &Simulation) -> Vec3 {
    let m = &s.state.robots[0].motion;
    m.q_WB.matrix().mul_vec(m.V_WB_B.v)
}

fn yaw(s: &Simulation) -> f64 {
    s.state.robots[0].motion.q_WB.matrix().to_rpy()[2]
}

// Take-off to a hover 1.5 m above the start, and landing, with stopped rotors at both ends. Method:
// take-off, 6 s, landing, 8 s. Tolerance: 3 cm of height (the density of the air 3 m up and the
// loss near the deck), 2 cm horizontally. After landing it rests at its initial position to 2 mm,
// the gap of a contact.
#[test]
fn takes_off_hovers_and_lands() {
    let mut s = firefly(ON_PIER, "", "");
    advance(&mut s, 0.5);
    assert_eq!(mode(&s), FlightMode::Off);
    let stood = position(&s);
    order(&mut s, FirmwareOrder::TakeOff);
    advance(&mut s, 0.5);
    assert_eq!(mode(&s), FlightMode::TakingOff);
    advance(&mut s, 6.0);
    assert_eq!(mode(&s), FlightMode::Flying);
    close_vectors(
        "hovers",
        position(&s),
        stood + Vec3::new(0.0, 0.0, 1.5),
        0.03,
    );
    close_vectors("at rest", velocity(&s), Vec3::zero(), 5e-3);
    let refused = s
        .apply(&Command::Firmware(
            0,
            FirmwareCommand::FirmwareOrder {
                order: FirmwareOrder::TakeOff,
            },
        ))
        .unwrap_err();
    assert_eq!(refused.reason, "take-off: the robot is already flying");
    order(&mut s, FirmwareOrder::Land);
    advance(&mut s, 8.0);
    assert_eq!(mode(&s), FlightMode::Off);
    close_vectors("stands", position(&s), stood, 2e-2);
    close("height", position(&s).z, stood.z, 2e-3);
    assert!(
        s.state.robots[0]
            .actuators
            .iter()
            .all(|a| a.command == 0.0 && a.thrust.abs() < 1e-6)
    );
    let refused = s
        .apply(&Command::Firmware(
            0,
            FirmwareCommand::FirmwareOrder {
                order: FirmwareOrder::Land,
            },
        ))
        .unwrap_err();
    assert_eq!(refused.reason, "landing: the rotors are off");
}

// Velocity commands are followed in the body's heading frame and kept within the limits. Method:
// the vehicle starts with its heading north; 2 m/s forward, 1 to the left, 0.5 up for 5 s, then a
// yaw rate of 1 rad/s for 1 s. Tolerance: 2 % of the speed: the settled lead of the position set
// point balances the air drag; 0.02 rad.
#[test]
fn follows_velocity_commands() {
    let mut s = firefly(
        "position_m: [0, 0, 30], attitude_deg: [0, 0, 90]",
        "",
        "starts_flying: true",
    );
    fly(&mut s, [2.0, 1.0, 0.5], 0.0, 5.0);
    close_vectors("velocity", velocity(&s), Vec3::new(-1.0, 2.0, 0.5), 0.02);
    close("yaw", yaw(&s), std::f64::consts::FRAC_PI_2, 1e-2);
    fly(&mut s, [0.0; 3], 0.0, 3.0);
    close_vectors("stopped", velocity(&s), Vec3::zero(), 0.02);
    fly(&mut s, [0.0; 3], 1.0, 1.0);
    fly(&mut s, [0.0; 3], 0.0, 4.0);
    close("turned", yaw(&s), std::f64::consts::FRAC_PI_2 + 1.0, 0.02);
    // Limits: 5 m/s horizontally, 2 m/s up.
    fly(&mut s, [30.0, 40.0, 9.0], 0.0, 6.0);
    let v = velocity(&s);
    close("largest speed", (v.x * v.x + v.y * v.y).sqrt(), 5.0, 0.03);
    close("largest climb", v.z, 2.0, 0.03);
}

// A command that is not renewed is valid for half a second only; then the vehicle stops and hovers.
// Method: one command of 2 m/s, and the position after 4 s and 6 s. Tolerance: 1 cm of drift.
#[test]
fn stale_command_times_out() {
    let mut s = firefly("position_m: [0, 0, 30]", "", "starts_flying: true");
    s.apply(&Command::Firmware(
        0,
        FirmwareCommand::Velocity {
            linear: Vec3::new(2.0, 0.0, 0.0),
            angular: Vec3::zero(),
        },
    ))
    .unwrap();
    advance(&mut s, 4.0);
    let stopped = position(&s);
    // The vehicle reached 1.5 m/s at the limit of 3 m/s² and came to rest again.
    assert!(stopped.x > 0.5 && stopped.x < 1.2, "{stopped:?}");
    advance(&mut s, 2.0);
    close_vectors("hovers", position(&s), stopped, 0.01 / 30.0);
    assert_eq!(mode(&s), FlightMode::Flying);
}

// The vehicle holds its position in a wind of 8 m/s. Method: 20 s of hovering, the maximum distance
// from the start. Tolerance: the drag of the mean wind, about 2 N, over the gain of 6 N/m.
#[test]
fn holds_position_in_wind() {
    let world = "weather: {wind_speed_m_s: 8, wind_from_deg: 200}";
    let mut s = firefly("position_m: [0, 0, 30]", world, "starts_flying: true");
    let start = position(&s);
    let mut furthest: f64 = 0.0;
    for _ in 0..100 {
        advance(&mut s, 0.2);
        furthest = furthest.max((position(&s) - start).norm());
    }
    assert!(furthest > 0.1 && furthest < 0.8, "{furthest}");
    close_vectors("at rest", velocity(&s), Vec3::zero(), 0.02);
}

// A correction of the height, as navigation with sensors makes it, does not end a flight that sinks
// slowly: the firmware detects a landing by the lift that the vehicle lacks, not by its height alone.
// Method: the height rises by half a metre at once during slow descents, then a descent to the deck.
// Tolerance: 5 cm, the motion in which the rotors stop.
#[test]
fn corrected_heights_do_not_end_a_flight() {
    let mut s = firefly("position_m: [0, 0, 6]", "", "starts_flying: true");
    for sink in [0.02, 0.1, 0.3] {
        fly(&mut s, [0.0, 0.0, -sink], 0.0, 1.0);
        s.state.robots[0].motion.p_WB.z += 0.5;
        fly(&mut s, [0.0, 0.0, -sink], 0.0, 2.0);
        assert_eq!(mode(&s), FlightMode::Flying, "{sink} m/s");
    }
    fly(&mut s, [0.0, 0.0, -0.4], 0.0, 20.0);
    assert_eq!(mode(&s), FlightMode::Off);
    close("stands on the deck", position(&s).z, 2.08, 0.05);
}

// Commands that are not finite are rejected and change no state. While the firmware flies, other
// rotor commands are rejected; once it is off, they are accepted. Method: each command and its
// answer.
#[test]
fn invalid_commands_are_rejected() {
    let mut s = firefly(ON_PIER, "", "");
    let velocity = |z: f64| {
        Command::Firmware(
            0,
            FirmwareCommand::Velocity {
                linear: Vec3::new(0.0, 0.0, z),
                angular: Vec3::zero(),
            },
        )
    };
    let hash = s.state.hash();
    let refused = s.apply(&velocity(f64::NAN)).unwrap_err();
    assert_eq!(
        refused.reason,
        "velocity: expected a finite number, found NaN"
    );
    assert_eq!(s.state.hash(), hash);
    let rotors = Command::Actuator(
        0,
        ActuatorCommand::Thrusters {
            values: vec![100.0; 6],
        },
    );
    s.apply(&rotors).unwrap();
    // A climb command starts the rotors.
    s.apply(&velocity(1.0)).unwrap();
    advance(&mut s, 0.3);
    assert_eq!(mode(&s), FlightMode::Flying);
    assert!(position(&s).z > 2.081, "{:?}", position(&s));
    let wrench = Command::Actuator(
        0,
        ActuatorCommand::Wrench {
            force: Vec3::zero(),
            moment: Vec3::zero(),
        },
    );
    for command in [
        rotors.clone(),
        Command::Actuator(
            0,
            ActuatorCommand::Thruster {
                thruster: 2,
                value: 1.0,
            },
        ),
        wrench,
    ] {
        let refused = s.apply(&command).unwrap_err().reason;
        assert_eq!(
            refused,
            "the firmware drives the thrusters: land, or switch it off by `enable`, first"
        );
    }
    order(&mut s, FirmwareOrder::Enable(false));
    s.apply(&rotors).unwrap();
    advance(&mut s, 0.2);
    assert!(
        s.state.robots[0]
            .actuators
            .iter()
            .all(|a| a.command == 100.0)
    );
    // A robot without firmware reports that.
    let mut other = simulation(
        "robots: {r: {model: {extends: robots/bluerov2.yaml, firmware: null}, position_m: [0, 0, -9]}}",
    );
    let refused = other.apply(&velocity(1.0)).unwrap_err().reason;
    assert_eq!(
        refused,
        "the robot has no firmware that accepts velocity commands"
    );
}

// An empty battery ends the flight. Method: a nearly empty battery in the air.
#[test]
fn an_empty_battery_ends_the_flight() {
    let mut s = simulation(
        "robots: {f: {model: {extends: robots/firefly.yaml, battery: {initial_charge: 1e-4}, firmware: {starts_flying: true}}, position_m: [0, 0, 30]}}",
    );
    advance(&mut s, 3.0);
    assert_eq!(mode(&s), FlightMode::Off);
    assert!(velocity(&s).z < -5.0);
}
