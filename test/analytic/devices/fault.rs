//! Tests the effect of each fault on each kind of device.

use crate::common::worlds::held_robot;
use crate::common::{advance, close, readings, relative, simulation};
use merrow_model::scene::Fault;
use merrow_model::scene::fault::{Device, FaultKind};
use merrow_model::state::reading::Reading;
use merrow_model::state::{ActuatorCommand, Command};
use merrow_sim::Simulation;
use merrow_world::{Overrides, load_text};

const BATTERY: &str = "capacity_ah: 100, open_circuit_v: [[0, 12], [1, 12]]";
const DEVICES: &str = "sensors: {p: {device: {source: test, rate_hz: 100, kind: pressure}}}
      fins: {f: {surface: {source: test, area_m2: 0.1, span_m: 0.3, range_deg: [-30, 30], law: {kind: derivative, coefficient_n_s2_per_m2: 1}},
        position_m: [0, 0, 0], shaft: [0, 0, 1]}}
      thrusters: {t: {motor: {source: test, diameter_m: 0.2, command: newton, range: [-50, 50], curve: direct, power_w_per_n15: 1},
        position_m: [0, 0, 0], direction: [1, 0, 0]}}";

/// Returns a robot with the devices and one fault of `device` from 0.5 s on for 1 s; the thruster
/// is commanded to 16 N, the fin to 0.2 rad.
fn broken(device: &str, kind: &str) -> Simulation {
    let fault = format!(
        "faults: {{x: {{robot: r, target: {device}, time_s: 0.5, duration_s: 1, kind: {kind}}}}}"
    );
    let mut s = simulation(&held_robot(BATTERY, DEVICES, &fault));
    s.apply(&Command::Actuator(
        0,
        ActuatorCommand::Thrusters {
            values: vec![16.0, 0.2],
        },
    ))
    .unwrap();
    s
}

/// Returns the thrust [N] of the thruster and the angle [rad] of the fin before, twice during and
/// after a fault. The commands change halfway through the fault.
fn outputs_around_fault(s: &mut Simulation) -> [(f64, f64); 4] {
    let at = |s: &Simulation| {
        (
            s.state.robots[0].actuators[0].thrust,
            s.state.robots[0].fins[0].angle,
        )
    };
    advance(s, 0.4);
    let before = at(s);
    advance(s, 0.2);
    let first = at(s);
    s.apply(&Command::Actuator(
        0,
        ActuatorCommand::Thrusters {
            values: vec![-9.0, -0.1],
        },
    ))
    .unwrap();
    advance(s, 0.2);
    let then = at(s);
    advance(s, 1.0);
    [before, first, then, at(s)]
}

// Thrusters and fins fail as specified, at the specified time, and recover afterwards. Method:
// values before, during and after the fault, with a command change during the fault. Tolerance:
// rounding.
#[test]
fn actuators_fail_as_specified() {
    let thrust = |kind: &str| outputs_around_fault(&mut broken("t", kind)).map(|x| x.0);
    let check = |kind: &str, found: [f64; 4], expected: [f64; 4]| {
        for (f, w) in found.into_iter().zip(expected) {
            close(kind, f, w, 1e-12);
        }
    };
    check("dead", thrust("dead"), [16.0, 0.0, 0.0, -9.0]);
    check("stuck", thrust("stuck"), [16.0, 16.0, 16.0, -9.0]);
    check(
        "reduced",
        thrust("reduced, fraction: 0.25"),
        [16.0, 4.0, -2.25, -9.0],
    );
    check(
        "biased",
        thrust("biased, bias: 3"),
        [16.0, 19.0, -6.0, -9.0],
    );
    let angle = |kind: &str| outputs_around_fault(&mut broken("f", kind)).map(|x| x.1);
    check("stuck fin", angle("stuck"), [0.2, 0.2, 0.2, -0.1]);
    check("dead fin", angle("dead"), [0.2, 0.2, 0.2, -0.1]);
    check(
        "biased fin",
        angle("biased, bias: 0.05"),
        [0.2, 0.25, -0.05, -0.1],
    );
    check(
        "biased beyond its range",
        angle("biased, bias: 9"),
        [0.2, 0.5235987755982988, 0.5235987755982988, -0.1],
    );
}

// Noise has its standard deviation, and intermittent faults have their share of the time. Method:
// 100 s at 500 Hz; thrust about 16 N, and the fraction of time without thrust. Tolerance: 4
// standard errors; for the telegraph process 2 x 0.5 x 1.5/2 / sqrt(50 cycles) of the mean share of
// 0.25, rounded up.
#[test]
fn noise_and_interruptions_have_their_statistics() {
    let run = |kind: &str| {
        let fault = format!("faults: {{x: {{robot: r, target: t, kind: {kind}}}}}");
        let mut s = simulation(&held_robot(BATTERY, DEVICES, &fault));
        s.apply(&Command::Actuator(
            0,
            ActuatorCommand::Thrusters {
                values: vec![16.0, 0.2],
            },
        ))
        .unwrap();
        (0..50_000)
            .map(|_| {
                s.advance(1);
                s.state.robots[0].actuators[0].thrust
            })
            .collect::<Vec<f64>>()
    };
    let noisy = run("noisy, noise_std: 0.5");
    let mean = noisy.iter().sum::<f64>() / noisy.len() as f64;
    let std =
        (noisy.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / noisy.len() as f64).sqrt();
    close("mean", mean, 16.0, 4.0 * 0.5 / 50_000.0_f64.sqrt() / 16.0);
    relative("deviation", std, 0.5, 4.0 / 100_000.0_f64.sqrt());
    let failing = run("intermittent, mean_working_s: 1.5, mean_failed_s: 0.5");
    assert_eq!(failing[0], 0.0, "it begins by failing");
    let share = failing.iter().filter(|x| **x == 0.0).count() as f64 / failing.len() as f64;
    assert!((share - 0.25).abs() < 0.12, "it fails {share} of the time");
    assert!(failing.iter().all(|x| *x == 0.0 || *x == 16.0));
}

// Sensors fail as specified. Method: pressure at 5 m, 100 Hz, the readings in the second of the
// fault. Tolerance: rounding; 4 standard errors.
#[test]
fn sensors_fail_as_specified() {
    let received = |kind: &str| -> Vec<f64> {
        let fault = format!(
            "faults: {{x: {{robot: r, target: p, time_s: 0.5, duration_s: 1, kind: {kind}}}}}"
        );
        let mut s = simulation(&held_robot(BATTERY, DEVICES, &fault));
        let all = readings(&mut s, 0, 2.0);
        let inside = all
            .iter()
            .filter(|r| (505_000_000..1_495_000_000).contains(&r.stamp_ns));
        inside
            .map(|r| match r.reading {
                Reading::Pressure(p) => p.pressure,
                _ => f64::NAN,
            })
            .collect()
    };
    let truth = 101_325.0 + 1000.0 * 9.81 * 5.0;
    assert!(received("dead").is_empty());
    assert!(
        received("biased, bias: 250")
            .iter()
            .all(|p| (p - truth - 250.0).abs() < 1e-6)
    );
    assert!(
        received("stuck").iter().all(|p| (p - truth).abs() < 1e-6) && received("stuck").len() > 90
    );
    let noisy = received("noisy, noise_std: 100");
    let var = noisy.iter().map(|p| (p - truth) * (p - truth)).sum::<f64>() / noisy.len() as f64;
    relative(
        "deviation",
        var.sqrt(),
        100.0,
        4.0 / (2.0 * noisy.len() as f64).sqrt(),
    );
    let some = received("intermittent, mean_working_s: 0.1, mean_failed_s: 0.1").len();
    assert!(some > 10 && some < 90, "{some} readings of 99");
}

// A stuck sensor repeats its reading while its true value changes. Method: a pressure sensor on a
// sinking body.
#[test]
fn stuck_sensor_repeats_its_reading() {
    let mut s = simulation(
        "
faults: {x: {robot: r, target: p, time_s: 0.5, kind: stuck}}
robots:
  r:
    velocity_m_s: [0, 0, -1]
    position_m: [0, 0, -5]
    model:
      source: test
      body: {source: test, axes: flu, mass_kg: 10, net_buoyancy_n: 0, inertia_kg_m2: {xx: 2, yy: 3, zz: 4}}
      sensors: {p: {device: {source: test, rate_hz: 100, kind: pressure}}}
",
    );
    let all = readings(&mut s, 0, 2.0);
    let pressure = |k: usize| match all[k].reading {
        Reading::Pressure(p) => p.pressure,
        _ => f64::NAN,
    };
    assert!(pressure(40) > pressure(39) + 50.0);
    assert_eq!(pressure(199), pressure(55));
    assert!(
        all[199].stamp_ns > all[55].stamp_ns,
        "it continues to publish"
    );
}

// A battery with a power limit weakens the thrusters, and a dead battery stops all devices. Method:
// 64 W of thrust and 36 W of hotel load with 50 W available: each receives half. Tolerance:
// rounding.
#[test]
fn power_limit_weakens_all_devices() {
    let fault = "faults: {x: {robot: r, target: battery, kind: shortage, power_w: 50}}";
    let mut s = simulation(&held_robot(
        &format!("{BATTERY}, hotel_load_w: 36"),
        DEVICES,
        fault,
    ));
    s.apply(&Command::Actuator(
        0,
        ActuatorCommand::Thrusters {
            values: vec![16.0, 0.0],
        },
    ))
    .unwrap();
    s.advance(1);
    let r = &s.state.robots[0];
    close("load", r.battery.load, 50.0, 1e-12);
    close(
        "left to the thruster",
        r.actuators[0].available_fraction,
        0.5,
        1e-12,
    );
    s.advance(1);
    close("thrust", s.state.robots[0].actuators[0].thrust, 8.0, 1e-12);
    let mut s = broken("battery", "dead");
    let thrust = outputs_around_fault(&mut s).map(|x| x.0);
    assert_eq!((thrust[0], thrust[1]), (16.0, 0.0));
    advance(&mut s, 3.0);
    assert!(
        s.state.robots[0].battery.is_on(),
        "recovers after its duration"
    );
}

// Joint servos fail as specified. Method: a hinge under 2 N m for a second, then dead, reduced and
// biased. Tolerance: 1e-9.
#[test]
fn joints_fail_as_specified() {
    use crate::common::joints::{Hinge, command, effort_servo};
    for (kind, expected) in [
        ("dead", 0.0),
        ("reduced, fraction: 0.5", 1.5),
        ("biased, bias: 0.5", 2.5),
        ("stuck", 2.0),
    ] {
        let text = Hinge {
            drive: &effort_servo(""),
            joint: "max_effort: 3,",
            ..Hinge::default()
        }
        .text();
        let mut s = simulation(&format!(
            "faults: {{x: {{robot: r, target: hinge, time_s: 0.5, kind: {kind}}}}}{text}"
        ));
        command(&mut s, 2.0);
        advance(&mut s, 1.0);
        let before = s.state.robots[0].motion.qd[0];
        if kind == "stuck" {
            command(&mut s, -3.0);
        }
        advance(&mut s, 0.1);
        close(
            kind,
            (s.state.robots[0].motion.qd[0] - before) / 0.1,
            expected,
            1e-9,
        );
    }
}

// Ideal effort drives fail as specified and recover afterwards. Method: a hinge of 1 kg m² under 2
// N m, a fault from 0.5 s on for 0.5 s, another command during the fault. Tolerance: 1e-9.
#[test]
fn ideal_effort_drives_fail_as_specified() {
    use crate::common::joints::{Hinge, command};
    let drive = Hinge {
        joint: "max_effort: 3,",
        ..Hinge::default()
    }
    .text();
    for (kind, expected) in [
        ("dead", [0.0, 0.0]),
        ("reduced, fraction: 0.5", [1.0, -0.5]),
        ("biased, bias: 0.5", [2.5, -0.5]),
        ("stuck", [2.0, 2.0]),
        ("biased, bias: 9", [3.0, 3.0]),
    ] {
        let fault =
            format!("{{robot: r, target: hinge, time_s: 0.5, duration_s: 0.5, kind: {kind}}}");
        let mut s = simulation(&format!("faults: {{x: {fault}}}{drive}"));
        let gains = |s: &mut Simulation, time: f64| {
            let before = s.state.robots[0].motion.qd[0];
            advance(s, time);
            (s.state.robots[0].motion.qd[0] - before) / time
        };
        command(&mut s, 2.0);
        close("before", gains(&mut s, 0.5), 2.0, 1e-9);
        close(kind, gains(&mut s, 0.2), expected[0], 1e-9);
        command(&mut s, -1.0);
        close(kind, gains(&mut s, 0.3), expected[1], 1e-9);
        close("after", gains(&mut s, 0.2), -1.0, 1e-9);
    }
}

// Ideal position drives fail as specified and continue to their last command afterwards. Method: a
// drive moves to 1 rad at its limit of 0.2 rad/s; a fault lasts from 2 s on for 2 s, and another
// command arrives 1 s into it. Tolerance: 1e-3 of settled values, 2 % of a speed.
#[test]
fn ideal_position_drives_fail_as_specified() {
    use crate::common::joints::{Hinge, command};
    let drive = "{kind: position, bandwidth_rad_s: 20, max_speed: 0.2, max_acceleration: 50}";
    let world = |kind: &str| {
        let text = Hinge {
            drive,
            ..Hinge::default()
        }
        .text();
        simulation(&format!(
            "faults: {{x: {{robot: r, target: joints/hinge, time_s: 2, duration_s: 2, kind: {kind}}}}}{text}"
        ))
    };
    let angle = |s: &Simulation| s.state.robots[0].motion.q[0];
    for kind in [
        "dead",
        "stuck",
        "reduced, fraction: 0.25",
        "biased, bias: 0.1",
    ] {
        let mut s = world(kind);
        command(&mut s, 1.0);
        advance(&mut s, 2.0);
        let first = angle(&s);
        advance(&mut s, 1.0);
        command(&mut s, 0.0);
        let then = angle(&s);
        advance(&mut s, 0.9);
        let went = [then - first, angle(&s) - then];
        match kind {
            // It comes to rest and stays at rest.
            "dead" => assert!(went[0].abs() < 0.03 && went[1].abs() < 1e-6, "{went:?}"),
            // It continues to its earlier target.
            "stuck" => close("stuck", went[1], 0.9 * 0.2, 2e-3),
            "reduced, fraction: 0.25" => {
                assert!(
                    (went[0] / 0.05 - 1.0).abs() < 0.2 && went[1] < -0.035,
                    "{went:?}"
                );
            }
            _ => assert!((went[0] - 0.2).abs() < 4e-3, "{went:?}"),
        }
        advance(&mut s, 10.0);
        close("well again", angle(&s), 0.0, 1e-3);
    }
}

// A buoyancy engine fails as specified. Method: 10 cm³/s from 300 cm³, commanded to 400; after 5 s,
// the last 4 of them with the fault. Tolerance: rounding.
#[test]
fn buoyancy_engines_fail_as_specified() {
    for (kind, expected) in [
        ("dead", 310.0),
        ("stuck", 310.0),
        ("reduced, fraction: 0.5", 330.0),
        ("biased, bias: -80e-6", 320.0),
        ("reduced, fraction: 1", 350.0),
    ] {
        let model = "buoyancy_engines: {pump: {source: test, range_m3: [0, 5e-4], rate_m3_s: [1e-5, 1e-5], start_m3: 3e-4}}";
        let fault = format!("faults: {{x: {{robot: r, target: pump, time_s: 1, kind: {kind}}}}}");
        let mut s = simulation(&held_robot(BATTERY, model, &fault));
        s.apply(&Command::Actuator(
            0,
            ActuatorCommand::BuoyancyEngine {
                engine: 0,
                value: 400e-6,
            },
        ))
        .unwrap();
        advance(&mut s, 5.0);
        close(
            kind,
            s.state.robots[0].buoyancy_engines[0].volume * 1e6,
            expected,
            1e-6,
        );
    }
}

// A winch on board fails as specified; a winch at a fixed end is no device of a robot. Method: a
// load hangs from the winch, which pays out at 0.4 m/s (ramps of 1 m/s²). When the fault begins the
// winch is either commanded to heave in or keeps its command; the fault lasts 3 s. Tolerance: the
// motor's speed over two steps.
#[test]
fn winches_fail_as_specified() {
    use merrow_model::state::WinchCommand;
    let world = |stands: &str, kind: &str| {
        format!(
            "
step: {{dt_s: 0.005}}
water: {{density_kg_m3: 1000}}
seabed: {{depth_m: 500}}
robots:
  r:
    position_m: [0, 0, -10]
    model: {{source: test, base: fixed, body: {{source: test, axes: flu, mass_kg: 100, inertia_kg_m2: {{xx: 20, yy: 30, zz: 40}}}}}}
tethers:
  t:
    line: {{source: test, diameter_m: 0.004, mass_kg_per_m: 0.0126, axial_stiffness_n: 20000, axial_damping_n_s: 500}}
    from: {{kind: {stands}}}
    to: {{kind: free, position_m: [0, 0, -40]}}
    length_m: 30
    segments: 4
    winch: {{max_speed_m_s: 0.5, min_length_m: 5, max_length_m: 40}}
faults: {{x: {{robot: r, target: winches/t, time_s: 2, kind: {kind}}}}}
"
        )
    };
    for (kind, then, expected) in [
        ("dead", 0.4, 0.0),
        ("stuck", -0.4, 1.2),
        ("reduced, fraction: 0.5", 0.4, 0.62),
        ("biased, bias: -0.1", 0.4, 0.905),
        ("noisy, noise_std: 0", 0.4, 1.2),
    ] {
        let mut s = simulation(&world("robot, robot: r", kind));
        let turn = |s: &mut Simulation, speed| {
            s.apply(&Command::Winch {
                tether: 0,
                command: WinchCommand::Speed(speed),
            })
            .unwrap();
        };
        turn(&mut s, 0.4);
        advance(&mut s, 2.0);
        let before = s.state.tethers[0].length;
        turn(&mut s, then);
        advance(&mut s, 3.0);
        close(
            kind,
            s.state.tethers[0].length - before,
            expected,
            2.0 * 0.4 * 0.005,
        );
    }
    let ashore = world("world, position_m: [0, 0, -10]", "dead");
    let why = load_text("test.yaml", &ashore, Overrides::default())
        .map(|_| ())
        .unwrap_err();
    assert!(
        why.to_string().contains("no device `winches/t` on r"),
        "{why}"
    );
}

// Gyro and accelerometer of an IMU fail independently or together. Method: an ideal IMU on a body
// at rest, a fault of each from 0.5 s on. Tolerance: rounding.
#[test]
fn gyro_and_accelerometer_fail_independently() {
    use merrow_math::Vec3;
    let received = |of: &str, kind: &str| {
        let imu = "sensors: {imu: {device: {source: test, rate_hz: 100, kind: imu}}}";
        let fault = format!("faults: {{x: {{robot: r, target: {of}, time_s: 0.5, kind: {kind}}}}}");
        let mut s = simulation(&held_robot(BATTERY, imu, &fault));
        let all = readings(&mut s, 0, 1.0);
        all.iter().rev().find_map(|r| match r.reading {
            Reading::Imu(imu) if r.stamp_ns > 600_000_000 => {
                Some([imu.angular_velocity, imu.linear_acceleration])
            }
            _ => None,
        })
    };
    let (rest, up, by) = (
        Vec3::zero(),
        Vec3::new(0.0, 0.0, 9.81),
        Vec3::new(0.25, 0.25, 0.25),
    );
    let check_readings = |found: Option<[Vec3; 2]>, expected: [Vec3; 2]| {
        let found = found.expect("a reading");
        for (f, w) in found.into_iter().zip(expected) {
            assert!(
                if w.x.is_nan() {
                    f.x.is_nan()
                } else {
                    (f - w).norm() < 1e-12
                },
                "{found:?} {expected:?}"
            );
        }
    };
    let none = Vec3::new(f64::NAN, f64::NAN, f64::NAN);
    check_readings(received("imu/gyro", "biased, bias: 0.25"), [by, up]);
    check_readings(
        received("sensors/imu/accelerometer", "biased, bias: 0.25"),
        [rest, up + by],
    );
    check_readings(received("imu", "biased, bias: 0.25"), [by, up + by]);
    check_readings(received("imu/gyro", "dead"), [none, up]);
    check_readings(received("imu/accelerometer", "dead"), [rest, none]);
    assert!(received("imu", "dead").is_none());
    let [gyro, accelerometer] =
        received("imu/accelerometer", "noisy, noise_std: 3").expect("a reading");
    assert!(gyro == rest && (accelerometer - up).norm() > 0.01);
}

// A stuck accelerometer repeats its reading while the gyro continues. Method: an accelerating
// turntable. Tolerance: rounding.
#[test]
fn stuck_accelerometer_does_not_affect_gyro() {
    use crate::common::joints::{Hinge, command};
    let text = Hinge::default().text().replace(
        "      links:",
        "      sensors: {imu: {link: arm, position_m: [1, 0, 0], device: {source: test, rate_hz: 100, kind: imu}}}\n      links:",
    );
    let mut s = simulation(&format!(
        "faults: {{x: {{robot: r, target: imu/accelerometer, time_s: 0.495, kind: stuck}}}}{text}"
    ));
    command(&mut s, 2.0);
    let all = readings(&mut s, 0, 1.0);
    let at = |k: usize| match all[k].reading {
        Reading::Imu(imu) => (imu.angular_velocity.z, imu.linear_acceleration.x),
        _ => (f64::NAN, f64::NAN),
    };
    let ((slow, before), (fast, after)) = (at(49), at(90));
    assert!(before < -0.9 && after == before, "{before} {after}");
    close("gyro", fast - slow, 2.0 * 0.41, 1e-6);
}

/// Returns a neutral cube of a cubic metre at 10 m depth, with a leak from the start.
fn leaking(hole: f64, volume: f64) -> Simulation {
    simulation(&format!(
        "
water: {{density_kg_m3: 1000}}
faults: {{hole: {{robot: r, target: base_link, kind: leak, hole_diameter_m: {hole}, compartment_m3: {volume}, center_m: [0.3, 0, 0]}}}}
robots:
  r:
    position_m: [0, 0, -10]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1000, net_buoyancy_n: 0, inertia_kg_m2: {{xx: 200, yy: 300, zz: 400}}}}
"
    ))
}

// A compartment fills by Torricelli's law until it is full. Method: a hole of 2 cm held at 10 m:
// 0.61 A sqrt(2 g h) t, at most 20 l. Tolerance: rounding of the steps.
#[test]
fn a_leak_fills_its_compartment() {
    let mut s = leaking(0.02, 0.02);
    advance(&mut s, 3.0);
    let rate = 0.61 * 0.25 * std::f64::consts::PI * 0.02 * 0.02 * f64::sqrt(2.0 * 9.81 * 10.0);
    relative(
        "volume",
        s.state.robots[0].faults[0].water,
        3.0 * rate,
        1e-9,
    );
    advance(&mut s, 10.0);
    assert_eq!(s.state.robots[0].faults[0].water, 0.02);
}

// The water in a compartment adds weight and inertia. Method: a free cube whose compartment fills
// at once. The common centre of mass accelerates with w g/(m + w). The pitching moment is w g times
// its arm about the centre of the combined inertia. Tolerance: 2e-3, the rotation and fall in 20
// ms.
#[test]
fn leaked_water_adds_weight_and_inertia() {
    let mut s = leaking(3.0, 0.02);
    let scene = std::sync::Arc::make_mut(&mut s.scene);
    scene.robots[0].floating = true;
    scene.robots[0].update_derived();
    s.advance(2);
    let before = s.state.robots[0].motion.V_WB_B;
    assert_eq!(s.state.robots[0].faults[0].water, 0.02);
    s.advance(10);
    let after = s.state.robots[0].motion.V_WB_B;
    let t = 10.0 * s.scene.dt();
    let (m, w, arm) = (1000.0, 20.0, 0.3);
    let edge2 = f64::powf(0.02, 2.0 / 3.0);
    // About the cube's centre: inertia and first moment of the water.
    let (I, first) = (300.0 + w * (arm * arm + edge2 / 6.0), w * arm);
    // (m + w) a - first α = -w g;  I α - first a = w g arm, with α nose-down positive about +y
    let (a, alpha) = {
        let det = (m + w) * I - first * first;
        (
            (-w * 9.81 * I + first * w * 9.81 * arm) / det,
            ((m + w) * w * 9.81 * arm - first * w * 9.81) / det,
        )
    };
    relative("fall", (after.v.z - before.v.z) / t, a, 2e-3);
    relative("turn", (after.w.y - before.w.y) / t, alpha, 2e-3);
}

// Faults commanded at run time act, can be replaced and repaired, and invalid faults are rejected.
// Method: commands.
#[test]
fn faults_can_be_commanded() {
    let mut s = simulation(&held_robot(BATTERY, DEVICES, ""));
    s.apply(&Command::Actuator(
        0,
        ActuatorCommand::Thrusters {
            values: vec![16.0, 0.2],
        },
    ))
    .unwrap();
    let stream = merrow_math::rng::Stream::new(1, "x");
    let fault = |kind: FaultKind, device: Device| {
        Command::Fault(Box::new(Fault {
            name: "x".into(),
            robot: Some(0),
            device,
            kind,
            start_ns: 0,
            end_ns: u64::MAX,
            stream,
        }))
    };
    s.apply(&fault(FaultKind::Dead, Device::Thruster(0)))
        .unwrap();
    s.advance(2);
    assert_eq!(s.state.robots[0].actuators[0].thrust, 0.0);
    s.apply(&fault(
        FaultKind::Reduced { fraction: 0.5 },
        Device::Thruster(0),
    ))
    .unwrap();
    s.advance(2);
    assert_eq!(
        (
            s.state.robots[0].actuators[0].thrust,
            s.state.robots[0].faults.len()
        ),
        (8.0, 1)
    );
    s.apply(&Command::Repair {
        robot: Some(0),
        name: "x".into(),
    })
    .unwrap();
    s.advance(2);
    assert_eq!(s.state.robots[0].actuators[0].thrust, 16.0);
    let refused = s
        .apply(&fault(
            FaultKind::Shortage { power_w: 3.0 },
            Device::Thruster(0),
        ))
        .unwrap_err()
        .reason;
    assert_eq!(
        refused,
        "`thrusters/t` cannot be `shortage`; expected one of dead, stuck, reduced, biased, noisy, intermittent"
    );
    let refused = s
        .apply(&fault(
            FaultKind::Reduced { fraction: f64::NAN },
            Device::Thruster(0),
        ))
        .unwrap_err()
        .reason;
    assert_eq!(
        refused,
        "the fault `reduced` of `thrusters/t` has a value out of its range"
    );
    let refused = s
        .apply(&Command::Repair {
            robot: Some(0),
            name: "y".into(),
        })
        .unwrap_err()
        .reason;
    assert_eq!(refused, "no fault \"y\" to repair");
}

// `describe` lists the devices that can fail. Method: the bundled world `landing`.
#[test]
fn describe_lists_what_can_fail() {
    let mut merrow = std::process::Command::new(env!("CARGO_BIN_EXE_merrow"));
    let done = merrow
        .args(["describe", "landing", "--json"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&done.stdout);
    for device in [
        "sensors/imu/gyro",
        "sensors/imu/accelerometer",
        "battery",
        "links/base_link",
    ] {
        assert!(text.contains(&format!("\"{device}\":")), "{device}: {text}");
    }
}

// A sonar that is dead, or whose robot has no power, does not interfere with another. Method: the
// image of a sonar that faces another sonar in its frequency band. The other sonar is active, dead,
// dead for a time that has ended, or on a robot with a dead battery. The reference is the image
// without interference.
#[test]
fn silent_sonars_do_not_interfere() {
    let sonar = |more: &str| {
        format!(
            "s: {{lazy: false, device: {{source: test, rate_hz: 2, kind: imaging_sonar, sector_deg: 60, beams: 16, beam_width_deg: 4, elevation_width_deg: 10, \
             frequency_khz: 900, source_level_db: 205, pulse_us: 60, max_range_m: 30, bins: 200, levels_db: [40, 160], {more}}}}}"
        )
    };
    let robot = |name: &str, x: f64, yaw: f64, more: &str| {
        format!(
            "  {name}:\n    position_m: [{x}, 0, -10]\n    attitude_deg: [0, 0, {yaw}]\n    model: {{source: test, base: fixed, battery: bluerov2_18ah, body: {{source: test, axes: flu, mass_kg: 1, \
             inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}, sensors: {{{}}}}}\n",
            sonar(more)
        )
    };
    let brings = |more: &str, faults: &str| {
        let robots = robot("a", 0.0, 0.0, more) + &robot("b", 12.0, 180.0, "");
        let mut s = simulation(&format!(
            "water: {{sound_speed_m_s: 1500}}\nseabed: {{depth_m: 60}}\nrobots:\n{robots}\nfaults: {{{faults}}}\n"
        ));
        s.advance((1.2 / s.scene.dt()).round() as u64);
        let of_first = s.frames.iter().filter(|frame| frame.robot == 0);
        of_first.map(|frame| frame.data.clone()).collect::<Vec<_>>()
    };
    let undisturbed = brings("interference: false", "");
    assert!(undisturbed.len() >= 2, "{}", undisturbed.len());
    assert!(brings("", "") != undisturbed, "the sonars do not interfere");
    assert!(
        brings("", "f: {robot: b, target: s, kind: dead}") == undisturbed,
        "dead"
    );
    // The battery supply is known from the first step on.
    let unpowered = brings("", "f: {robot: b, target: battery, kind: dead}");
    assert!(unpowered[1..] == undisturbed[1..], "no power");
    // The sample at half a second has interference again.
    let again = brings("", "f: {robot: b, target: s, kind: dead, duration_s: 0.4}");
    assert!(
        again[0] == undisturbed[0] && again[1] != undisturbed[1],
        "for a while"
    );
}
