//! Tests of the telemetry of motor controllers and of power meters.

use crate::common::worlds::held_robot;
use crate::common::{advance, close, readings, relative, simulation};
use merrow_model::sensor::vehicle::{Motor, Power};
use merrow_model::state::reading::Reading;
use merrow_model::state::{ActuatorCommand, Command};
use merrow_sim::Simulation;

const BATTERY: &str = "capacity_ah: 2, open_circuit_v: [[0, 12], [1, 12]], initial_charge: 0.75";
const PLACE: &str = "position_m: [0, 0, 0], direction: [1, 0, 0]";

fn motor(s: &mut Simulation) -> Motor {
    let Reading::Motor(motor) = readings(s, 0, 0.2).last().unwrap().reading else {
        panic!("not a motor")
    };
    motor
}

fn device(keys: &str) -> String {
    format!(
        "sensors: {{m: {{device: {{source: test, rate_hz: 100, kind: motor_telemetry{keys}}}, thruster: t}}}}"
    )
}

// A motor controller reports power over voltage, and the known quantities of the shaft. Method: 16
// N at 1 W/N^1.5 from 12 V is 5.33 A; with a stated speed of 20 rad/s per root of a newton 80
// rad/s, negative astern; the reaction of 0.02 N m per newton is the torque. Tolerance: rounding.
#[test]
fn controller_reports_its_motor() {
    let thruster = |more: &str| {
        format!(
            "thrusters: {{t: {{motor: {{source: test, diameter_m: 0.2, command: newton, range: [-50, 50], curve: direct, power_w_per_n15: 1, heat_fraction: 0{more}}}, {PLACE}}}}}"
        )
    };
    let run = |sensor: &str, more: &str, command: f64| {
        let model = format!("{}\n      {}", device(sensor), thruster(more));
        let mut s = simulation(
            &held_robot(BATTERY, &model, "water: {temperature_c: 11}").replacen(
                "water: {density_kg_m3: 1000}\n",
                "",
                1,
            ),
        );
        s.apply(&Command::Actuator(
            0,
            ActuatorCommand::Thrusters {
                values: vec![command],
            },
        ))
        .unwrap();
        motor(&mut s)
    };
    let plain = run("", "", 16.0);
    relative("current", plain.current, 64.0 / 12.0, 1e-12);
    close("voltage", plain.voltage, 12.0, 1e-12);
    close("temperature", plain.temperature, 11.0, 1e-12);
    close("power", plain.power, 64.0, 1e-12);
    assert!(plain.speed.is_nan() && plain.torque.is_nan());
    let known = run(
        ", speed_per_root_thrust_rad_s_per_sqrt_n: 20",
        ", torque_per_thrust_m: 0.02",
        -16.0,
    );
    close("speed", known.speed, -80.0, 1e-12);
    close("torque", known.torque, -0.32, 1e-12);
    let coarse = run(
        ", current: {resolution: 0.5}, voltage: {resolution: 5}, temperature: {resolution: 4}",
        "",
        16.0,
    );
    assert_eq!(
        [coarse.current, coarse.voltage, coarse.temperature],
        [5.5, 10.0, 12.0]
    );
}

// The speed and torque of a propeller are reported, identically for any block length. Method: the
// lag of the shaft by hand; torque times speed is the shaft power, which the battery supplies
// divided by the efficiency. Tolerance: 1e-9; for the power, the change of the lag within a step.
#[test]
fn propeller_speed_and_torque_are_reported() {
    let model = format!(
        "{}\n      thrusters: {{t: {{motor: remus100_propeller, {PLACE}}}}}",
        device("")
    );
    let run = |block: u64| {
        let mut s = simulation(&held_robot(BATTERY, &model, ""));
        let range = s.scene.robots[0].thrusters[0].motor.range;
        s.apply(&Command::Actuator(
            0,
            ActuatorCommand::Thrusters {
                values: vec![0.8 * range[1]],
            },
        ))
        .unwrap();
        let mut all = Vec::new();
        for _ in 0..3000 / block {
            s.advance(block);
            all.extend(s.runners[0].outbox.iter().map(|d| {
                let Reading::Motor(m) = d.stamped.reading else {
                    panic!("not a motor")
                };
                (
                    d.stamped.stamp_ns,
                    m.speed.to_bits(),
                    m.torque.to_bits(),
                    m.current.to_bits(),
                )
            }));
            s.clear_outboxes();
        }
        (s, all)
    };
    let (s, all) = run(1);
    assert_eq!(run(60).1, all);
    let settled = s.state.robots[0].actuators[0];
    let (_, speed, torque, _) = all[all.len() - 1];
    let (speed, torque) = (f64::from_bits(speed), f64::from_bits(torque));
    let thruster = &s.scene.robots[0].thrusters[0];
    let expected = thruster.drive(0.8 * thruster.motor.range[1]);
    assert!(
        speed > 0.9 * expected && speed <= expected * (1.0 + 1e-12),
        "{speed} of {expected}"
    );
    relative("shaft power", speed * torque, settled.shaft_power, 0.02);
}

// A power meter integrates its measured current, so that an offset of the current changes the
// reported charge. Method: 36 W from 12 V for 60 s, with and without a fault of 0.5 A offset, and
// from the initial charge of the battery. Tolerance: 1e-9 A h.
#[test]
fn power_meter_integrates_charge() {
    for (fault, offset) in [
        ("", 0.0),
        (
            "faults: {x: {robot: r, target: m/current, kind: biased, bias: 0.5}}",
            0.5,
        ),
    ] {
        let battery = format!("{BATTERY}, hotel_load_w: 36");
        let sensor = "sensors: {m: {device: {source: test, rate_hz: 10, kind: power_meter}}}";
        let mut s = simulation(&held_robot(&battery, sensor, fault));
        advance(&mut s, 1.0);
        let all: Vec<Power> = readings(&mut s, 0, 60.0)
            .iter()
            .map(|r| {
                let Reading::Power(p) = r.reading else {
                    panic!("not a power meter")
                };
                p
            })
            .collect();
        let (first, last) = (all[0], all[all.len() - 1]);
        assert_eq!(all.len(), 600);
        close("current", last.current, 3.0 + offset, 1e-12);
        close("voltage", last.voltage, 12.0, 1e-12);
        // 599 intervals between the first and the last sample.
        close(
            "charge",
            first.charge - last.charge,
            (3.0 + offset) * 59.9 / 3600.0,
            1e-9,
        );
        assert!((first.charge - 1.5).abs() < 0.002 && last.capacity == 2.0);
    }
}
