//! Tests batteries: charge integration, voltage sag, charging, depletion, and their effect on the
//! devices on board.

use crate::common::worlds::held_robot;
use crate::common::{advance, close, relative, simulation};
use merrow_model::state::{ActuatorCommand, BatteryState, Command, DeviceCommand};
use merrow_sim::Simulation;

fn battery(s: &Simulation) -> BatteryState {
    s.state.robots[0].battery
}

// The charge is the integral of the current. Method: 36 W from 12 V without resistance are 3 A, for
// 60 s from a capacity of 2 A h. Tolerance: rounding of 30 000 steps.
#[test]
fn charge_is_current_times_time() {
    let mut s = simulation(&held_robot(
        "capacity_ah: 2, open_circuit_v: [[0, 12], [1, 12]], hotel_load_w: 36",
        "",
        "",
    ));
    advance(&mut s, 60.0);
    let b = battery(&s);
    close("current", b.current, 3.0, 1e-12);
    close("charge", b.charge, 1.0 - 3.0 * 60.0 / 7200.0, 1e-10);
    relative("energy", b.delivered, 36.0 * 60.0, 1e-10);
}

// The voltage sags under load, and the loss is I²R. Method: I = (OCV - sqrt(OCV² - 4RP))/(2R) with
// the hotel load, a load at half level and a sensor together. Tolerance: rounding.
#[test]
fn voltage_sag_matches_load_current() {
    let mut s = simulation(&held_robot(
        "capacity_ah: 10, open_circuit_v: [[0, 14], [1, 14]], resistance_ohm: 0.2, hotel_load_w: 40",
        "loads: {light: {power_w: 80, level: 0.5}}
      sensors: {s: {device: {source: test, rate_hz: 10, power_w: 20, kind: pressure}}}",
        "",
    ));
    s.advance(1);
    let current = (14.0 - f64::sqrt(14.0 * 14.0 - 4.0 * 0.2 * 100.0)) / 0.4;
    let b = battery(&s);
    close("current", b.current, current, 1e-12);
    close("voltage", b.voltage, 14.0 - 0.2 * current, 1e-12);
    relative(
        "lost",
        b.lost,
        0.2 * current * current * s.scene.dt(),
        1e-12,
    );
    s.apply(&Command::Device(
        0,
        DeviceCommand::Load {
            load: 0,
            level: 0.0,
        },
    ))
    .unwrap();
    s.advance(1);
    close("lights out", battery(&s).load, 60.0, 1e-12);
    let refused = s
        .apply(&Command::Device(
            0,
            DeviceCommand::Load {
                load: 0,
                level: 1.5,
            },
        ))
        .unwrap_err();
    assert_eq!(
        refused.reason,
        "light: expected a level from 0 to 1, found 1.5"
    );
}

// A charger supplies constant current until it reaches its voltage, then the current that this
// voltage allows. Method: the open-circuit voltage is 12 + 2q. At constant current q rises linearly
// until OCV + R I = 14; then R C q' = 14 - OCV, an exponential. Tolerance: 1e-3 in the second part:
// one Euler step relative to the time constant, and the charger's evaluation period of 0.1 s.
#[test]
fn charging_is_at_constant_current_then_voltage() {
    let (R, C, I) = (0.5, 3600.0 * 0.02, 2.0);
    let world = "chargers: {pad: {kind: proximity, current_a: 2, position: {position_m: [0, 0, -5]}, range_m: 1}}";
    let keys = "capacity_ah: 0.02, open_circuit_v: [[0, 12], [1, 14]], resistance_ohm: 0.5, initial_charge: 0.1, \
                charge_voltage_v: 14, charge_current_a: 10";
    let mut s = simulation(&held_robot(keys, "", world));
    advance(&mut s, 5.0);
    let b = battery(&s);
    close("current", b.current, -I, 1e-12);
    close("charge", b.charge, 0.1 + I * 5.0 / C, 1e-9);
    close(
        "given",
        b.voltage,
        12.0 + 2.0 * (b.charge - I * s.scene.dt() / C) + R * I,
        1e-9,
    );
    // OCV = 13 at q = 0.5, where the voltage becomes the limit.
    let turn = (0.5 - 0.1) * C / I;
    advance(&mut s, turn + 20.0 - 5.0);
    let tau = R * C / 2.0;
    let b = battery(&s);
    close(
        "charge at constant voltage",
        b.charge,
        1.0 - 0.5 * f64::exp(-20.0 / tau),
        1e-3,
    );
    close("at the voltage", b.voltage, 14.0, 1e-12);
    assert_eq!(s.state.chargers[0].robot, Some(0));
}

// A lower limit of the battery applies, a full battery takes no current, and a charger with too low
// a voltage supplies none. Method: the first current of each. Tolerance: 1e-12; 1e-3 with a load.
#[test]
fn battery_limits_charge_current() {
    let charger = |voltage: &str| {
        format!(
            "chargers: {{pad: {{kind: proximity, current_a: 2{voltage}, position: {{position_m: [0, 0, -5]}}, range_m: 1}}}}"
        )
    };
    let first = |keys: &str, voltage: &str| {
        let keys = format!(
            "capacity_ah: 2, open_circuit_v: [[0, 12], [1, 14]], resistance_ohm: 0.1, {keys}"
        );
        let mut s = simulation(&held_robot(&keys, "", &charger(voltage)));
        s.advance(1);
        battery(&s).current
    };
    close(
        "own limit",
        first("initial_charge: 0.5, charge_current_a: 0.5", ""),
        -0.5,
        1e-12,
    );
    close(
        "half the capacity in an hour",
        first("initial_charge: 0.5", ""),
        -1.0,
        1e-12,
    );
    assert_eq!(first("initial_charge: 1", ""), 0.0);
    assert_eq!(first("initial_charge: 0.5", ", voltage_v: 12.9"), 0.0);
    // Devices on board are supplied first: 26 W at about 13 V take all 2 A of the charger.
    let served = first("initial_charge: 0.5, hotel_load_w: 26", "");
    close("a load in parallel", served, 0.0, 1e-3);
}

// A charger out of reach charges no robot. Method: 1.1 m away with a reach of 1 m.
#[test]
fn charger_out_of_reach_does_not_charge() {
    let world = "chargers: {pad: {kind: proximity, current_a: 2, position: {position_m: [0, 1.1, -5]}, range_m: 1}}";
    let mut s = simulation(&held_robot(
        "capacity_ah: 2, initial_charge: 0.5, open_circuit_v: [[0, 12], [1, 14]]",
        "",
        world,
    ));
    advance(&mut s, 1.0);
    assert_eq!(
        (s.state.chargers[0].robot, battery(&s).current),
        (None, 0.0)
    );
}

const DEVICES: &str = "sensors: {p: {device: {source: test, rate_hz: 100, kind: pressure}}}
      fins: {f: {surface: {source: test, area_m2: 0.1, span_m: 0.3, range_deg: [-30, 30], rate_deg_s: 10, law: {kind: derivative, coefficient_n_s2_per_m2: 1}},
        position_m: [0, 0, 0], shaft: [0, 0, 1]}}
      thrusters: {t: {motor: {source: test, diameter_m: 0.2, command: newton, range: [-50, 50], curve: direct, power_w_per_n15: 1},
        position_m: [0, 0, 0], direction: [1, 0, 0]}}";

fn set_commands(s: &mut Simulation, thrust: f64, angle: f64) {
    s.apply(&Command::Actuator(
        0,
        ActuatorCommand::Thrusters {
            values: vec![thrust, angle],
        },
    ))
    .unwrap();
}

// Below the cut-off voltage all devices stop. They restart after the configured time without their
// previous commands. Method: the power of a thrust makes the voltage sag below 11 V; readings,
// thrust and fin are checked during the cut-off.
#[test]
fn brown_out_stops_all_devices_until_restart() {
    let keys = "capacity_ah: 2, open_circuit_v: [[0, 12], [1, 12]], resistance_ohm: 0.5, cut_off_v: 11, restart_s: 1";
    let mut s = simulation(&held_robot(keys, DEVICES, ""));
    // 4 N draw 8 W: 0.7 A, 11.65 V.
    set_commands(&mut s, 4.0, 0.2);
    advance(&mut s, 0.5);
    assert!(battery(&s).is_on());
    let received = |s: &Simulation| s.runners[0].outbox.len();
    let angle = s.state.robots[0].fins[0].angle;
    close("the servo turns", angle, f64::to_radians(5.0), 1e-9);
    // 16 N draw 64 W, more than the battery supplies at 11 V.
    set_commands(&mut s, 16.0, 0.4);
    s.advance(3);
    assert!(!battery(&s).is_on());
    s.clear_outboxes();
    let stands = s.state.robots[0].fins[0].angle;
    advance(&mut s, 0.9);
    let r = &s.state.robots[0];
    assert_eq!(
        (r.actuators[0].thrust, r.fins[0].angle, received(&s)),
        (0.0, stands, 0)
    );
    close("no load", r.battery.voltage, 12.0, 1e-12);
    advance(&mut s, 0.3);
    let r = &s.state.robots[0];
    assert!(r.battery.is_on() && received(&s) > 0);
    assert_eq!(r.actuators[0].command, 0.0, "the command of before");
}

// An empty battery stays off until it is charged. Method: 0.001 A h at 12 V are 43.2 J. Tolerance:
// the load over one step.
#[test]
fn empty_battery_stops_all_devices() {
    let keys = "capacity_ah: 0.001, open_circuit_v: [[0, 12], [1, 12]], restart_s: 0";
    let mut s = simulation(&held_robot(keys, DEVICES, ""));
    set_commands(&mut s, 4.0, 0.0);
    advance(&mut s, 43.2 / 8.0 - 0.1);
    assert!(battery(&s).is_on() && battery(&s).charge > 0.0);
    advance(&mut s, 0.2);
    assert!(!battery(&s).is_on());
    relative(
        "energy",
        battery(&s).delivered,
        43.2,
        0.002 * 8.0 / 43.2 * 1.1,
    );
    advance(&mut s, 5.0);
    assert!(!battery(&s).is_on());
    assert_eq!(s.state.robots[0].actuators[0].thrust, 0.0);
}

// A thruster produces less thrust at a lower voltage. Method: a curve rated at 12 V, a battery of
// 10 V, thrust proportional to the voltage squared and to another power. Tolerance: rounding.
#[test]
fn thrust_falls_with_the_voltage() {
    for (exponent, part) in [
        ("", 100.0 / 144.0),
        (", voltage_exponent: 1.2", f64::powf(10.0 / 12.0, 1.2)),
    ] {
        let devices = DEVICES.replace(
            "curve: direct",
            &format!("curve: direct, rated_voltage_v: 12{exponent}"),
        );
        let mut s = simulation(&held_robot(
            "capacity_ah: 2, open_circuit_v: [[0, 10], [1, 10]]",
            &devices,
            "",
        ));
        set_commands(&mut s, 9.0, 0.0);
        s.advance(3);
        close(
            "thrust",
            s.state.robots[0].actuators[0].thrust,
            9.0 * part,
            1e-12,
        );
    }
}

// The power of a servo depends on its holding moment and on the moment against which it turns.
// Method: a fin in a stream of 2 m/s with its force 0.05 m behind the shaft; the moment is -0.05 m
// times the normal force ½ρv²A a sin δ. Tolerance: rounding, and 1e-3 where the fin turns within
// the step.
#[test]
fn servo_power_depends_on_moment() {
    let devices = "fins: {f: {surface: {source: test, area_m2: 0.1, span_m: 0.3, range_deg: [-30, 30], rate_deg_s: 10,
        center_of_pressure_m: 0.05, law: {kind: chord, normal_slope_per_rad: 3},
        power: {standby_w: 1, efficiency: 0.4, holding_w_per_n2m2: 0.1, friction_nm: 0.2}}, position_m: [0, 0, 0], shaft: [0, 0, 1]}}";
    let mut s = simulation(
        &held_robot(
            "capacity_ah: 2, open_circuit_v: [[0, 10], [1, 10]]",
            devices,
            "",
        )
        .replace(
            "density_kg_m3: 1000",
            "density_kg_m3: 1000, current: {kind: uniform, speed_m_s: 2, direction_deg: 270}",
        )
        .replace("mass_kg: 10,", "mass_kg: 10, volume_m3: 0.01,"),
    );
    let moment = |angle: f64| -0.05 * 0.5 * 1000.0 * 4.0 * 0.1 * 3.0 * angle.sin();
    s.apply(&Command::Actuator(
        0,
        ActuatorCommand::Fin { fin: 0, value: 0.3 },
    ))
    .unwrap();
    advance(&mut s, 1.0);
    let (f, rate) = (s.state.robots[0].fins[0], f64::to_radians(10.0));
    let M = moment(f.angle - rate * s.scene.dt());
    close("moment", f.moment, M, 1e-9);
    close(
        "turning",
        f.power,
        1.0 + 0.1 * M * M + (0.2 - M) * rate / 0.4,
        1e-9,
    );
    advance(&mut s, 2.0);
    let (f, M) = (s.state.robots[0].fins[0], moment(0.3));
    close("holding", f.power, 1.0 + 0.1 * M * M, 1e-9);
    close("battery", battery(&s).load, f.power, 1e-12);
}

// Joints draw mechanical power plus the loss in the winding. Method: a hinge at constant effort and
// known speed. Tolerance: 1e-9.
#[test]
fn joint_power_is_mechanical_plus_winding_loss() {
    use crate::common::joints::{Hinge, command, effort_servo};
    let battery = "battery: {source: test, capacity_ah: 2, open_circuit_v: [[0, 24], [1, 24]]}";
    let drive = effort_servo(
        "effort_per_ampere: 2, winding: {resistance_ohm: 3, thermal_resistance_k_per_w: 0.1, thermal_time_constant_s: 100}",
    );
    let mut s = Hinge {
        drive: &drive,
        model: battery,
        ..Hinge::default()
    }
    .world();
    command(&mut s, 4.0);
    s.advance(500);
    let r = &s.state.robots[0];
    let speed = r.motion.qd[0] - 4.0 * s.scene.dt();
    close("power", r.battery.load, 4.0 * speed + 3.0 * 4.0, 1e-9);
    let mut s = Hinge {
        model: battery,
        ..Hinge::default()
    }
    .world();
    command(&mut s, 4.0);
    s.advance(500);
    let r = &s.state.robots[0];
    close(
        "ideal",
        r.battery.load,
        4.0 * (r.motion.qd[0] - 4.0 * s.scene.dt()),
        1e-9,
    );
}
