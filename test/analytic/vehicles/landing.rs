//! Tests the drone and the boat of `worlds/landing.yaml`, commanded as users command them.

use merrow_math::Vec3;
use merrow_model::scene::robot::firmware::multirotor::FlightMode;
use merrow_model::state::commands::FirmwareOrder;
use merrow_model::state::coupling::LatchCapture;
use merrow_model::state::firmware::FirmwareLawState;
use merrow_model::state::{ActuatorCommand, Command, FirmwareCommand, RobotState};
use merrow_sim::Simulation;
use merrow_world::{Overrides, data_dir, load_world};
use std::sync::Arc;

const BOAT: usize = 0;
const DRONE: usize = 1;

fn position(robot: &RobotState) -> Vec3 {
    robot.motion.p_WB
}

fn velocity(robot: &RobotState) -> Vec3 {
    robot.motion.q_WB.matrix().mul_vec(robot.motion.V_WB_B.v)
}

fn mode(s: &Simulation) -> FlightMode {
    match &s.state.robots[DRONE].firmware.as_ref().unwrap().memory {
        FirmwareLawState::Multirotor(flight) => flight.mode,
        other => panic!("{other:?}"),
    }
}

/// Flies towards the position `over` relative to the boat [m, W], which moves with the boat, for
/// `seconds` [s] or until the latch holds the drone; ten commands a second.
fn fly_towards_boat(s: &mut Simulation, over: Vec3, sink: Option<f64>, seconds: f64) {
    for _ in 0..(seconds * 10.0) as usize {
        let (boat, drone) = (&s.state.robots[BOAT], &s.state.robots[DRONE]);
        let e = position(boat) + over - position(drone);
        let mut v_W = velocity(boat) + e.scale(0.8);
        v_W.z = sink.map_or(0.8 * e.z, |sink| -sink);
        let yaw = drone.motion.q_WB.matrix().to_rpy()[2];
        let (sin, cos) = yaw.sin_cos();
        let linear = Vec3::new(cos * v_W.x + sin * v_W.y, cos * v_W.y - sin * v_W.x, v_W.z);
        s.apply(&Command::Firmware(
            DRONE,
            FirmwareCommand::Velocity {
                linear,
                angular: Vec3::zero(),
            },
        ))
        .unwrap();
        s.advance(50);
        if s.state.couplings[0].engaged {
            return;
        }
    }
}

/// Releases the latch and takes off.
fn release_and_take_off(s: &mut Simulation) {
    s.apply(&Command::SetCoupling {
        coupling: 0,
        engage: false,
        partner: None,
    })
    .unwrap();
    s.apply(&Command::Firmware(
        DRONE,
        FirmwareCommand::FirmwareOrder {
            order: FirmwareOrder::TakeOff,
        },
    ))
    .unwrap();
    s.advance(3500);
    assert!(!s.state.couplings[0].engaged);
    let over = position(&s.state.robots[DRONE]) - position(&s.state.robots[BOAT]);
    assert_eq!(
        (mode(s), s.state.couplings[0].capture),
        (FlightMode::Flying, LatchCapture::Armed),
        "{over:?}"
    );
}

/// Runs both engines of the boat at 30 % of their maximum command.
fn run_engines(s: &mut Simulation) {
    for thruster in 0..2 {
        let [_, most] = s.scene.robots[BOAT].thrusters[thruster].motor.range;
        s.apply(&Command::Actuator(
            BOAT,
            ActuatorCommand::Thruster {
                thruster,
                value: 0.3 * most,
            },
        ))
        .unwrap();
    }
}

/// Lands the drone on the latch; its rotors stop.
fn land(s: &mut Simulation) {
    s.apply(&Command::Firmware(
        DRONE,
        FirmwareCommand::FirmwareOrder {
            order: FirmwareOrder::Land,
        },
    ))
    .unwrap();
    s.advance(1500);
    assert_eq!(mode(s), FlightMode::Off, "its rotors stop on the deck");
}

/// Checks 20 s on the charger: the energy that the drone receives and the boat delivers. `charge`
/// is the charge of the drone's battery before the landing [C].
fn check_recharge(s: &mut Simulation, charge: f64) {
    let before = s.state.robots.iter().map(|r| r.battery).collect::<Vec<_>>();
    s.advance(10_000);
    let after = s.state.robots.iter().map(|r| r.battery).collect::<Vec<_>>();
    let gained = after[DRONE].gained - before[DRONE].gained;
    assert!(
        (4.9 * 11.0 * 20.0..(5.0 * 12.6 + 8.0) * 20.0).contains(&gained),
        "{gained} J"
    );
    assert!(after[DRONE].charge > before[DRONE].charge && before[DRONE].charge < charge + 1e-3);
    let rest = s.scene.robots[BOAT]
        .battery
        .as_ref()
        .map_or(0.0, |b| b.hotel_load_w)
        * 20.0;
    let given = after[BOAT].delivered - before[BOAT].delivered;
    assert!(given > rest + gained / 0.9 - 5.0 * 13.0 * 0.2, "{given} J");
}

/// Checks that the drone is in the seat of the latch on the moving boat.
fn check_position_on_deck(s: &Simulation) {
    let [boat, drone] = [&s.state.robots[BOAT], &s.state.robots[DRONE]];
    let on_deck = boat
        .motion
        .q_WB
        .matrix()
        .tr_mul_vec(position(drone) - position(boat));
    assert!(
        (on_deck - Vec3::new(0.0, 0.0, 1.332)).norm() < 1e-4,
        "{on_deck:?}"
    );
    assert!(velocity(boat).norm() > 0.8, "{:?}", velocity(boat));
}

// A drone leaves the deck of a boat under way, returns, is latched and recharged, and takes off
// again. Method: the boat runs on both engines in waves. The drone takes off, the boat moves away
// from it, and it catches up. It keeps its position over the deck by velocity commands, then sinks
// at 0.3 m/s, and stays 20 s on the latch. Tolerance: the drone takes the charge current of 4.9 A
// that its battery accepts and its own 8 W, at 11 V to 12.6 V. The boat's battery supplies this at
// the charger's efficiency of 0.9, late by one charger period of 0.1 s. The drone stays in the
// latch's seat to 0.1 mm.
#[test]
fn drone_lands_on_moving_boat_and_recharges() {
    let path = data_dir::world_file("landing");
    let world =
        load_world(&path, Overrides::default()).unwrap_or_else(|problems| panic!("{problems}"));
    let mut s = Simulation::new(Arc::new(world.scene), 1).unwrap();
    s.advance(500);
    assert!(s.state.couplings[0].engaged, "it starts on the latch");
    run_engines(&mut s);
    s.advance(5000);
    release_and_take_off(&mut s);
    fly_towards_boat(&mut s, Vec3::new(0.0, 4.0, 3.5), None, 10.0);
    fly_towards_boat(&mut s, Vec3::new(0.0, 0.0, 2.5), None, 10.0);
    let speed = velocity(&s.state.robots[BOAT]).norm();
    assert!(speed > 0.8, "the boat makes {speed} m/s");
    let charge = s.state.robots[DRONE].battery.charge;
    fly_towards_boat(&mut s, Vec3::new(0.0, 0.0, 1.25), Some(0.3), 20.0);
    assert!(
        s.state.couplings[0].engaged,
        "not captured: {:?}",
        position(&s.state.robots[DRONE]) - position(&s.state.robots[BOAT])
    );
    land(&mut s);
    check_recharge(&mut s, charge);
    check_position_on_deck(&s);

    release_and_take_off(&mut s);
    fly_towards_boat(&mut s, Vec3::new(0.0, 0.0, 3.0), None, 15.0);
    let e = position(&s.state.robots[DRONE]) - position(&s.state.robots[BOAT]);
    assert!((e - Vec3::new(0.0, 0.0, 3.0)).norm() < 1.0, "{e:?}");
}
