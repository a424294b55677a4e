//! Runs that are saved as a world, loaded and continued.
//!
//! A saved world continues as the run would have. Method: the same world runs without a break and
//! with a save and a load in between. Tolerance: none for the time, the water level, the waves, the
//! current and the weather; the tests state it for the poses.

use crate::determinism::state::checkpoint::simulation;
use merrow::node::parameters::list;
use merrow_environment::air;
use merrow_environment::current::VariationCache;
use merrow_environment::waves::WaveState;
use merrow_model::scene::fault::{Fault, FaultKind};
use merrow_model::scene::fault_devices::find_device;
use merrow_model::scene::robot::firmware::motion_control::GainKind;
use merrow_model::state::commands::WeatherChange;
use merrow_model::state::firmware::FirmwareLawState;
use merrow_model::state::{
    ActuatorCommand, Command, DeviceCommand, FirmwareCommand, Health, JointCommand,
};
use merrow_sim::{Pace, Simulation};
use merrow_world::build::fault::random_stream;
use merrow_world::document::Document;
use merrow_world::{Overrides, data_dir};
use std::sync::Arc;

/// Returns the simulation of a saved world.
fn saved(document: &Document, s: &Simulation) -> Simulation {
    let text = document.with_state(&s.scene, &s.state).to_yaml();
    let loaded = Document::from_text("saved.yaml", &text, Overrides::default());
    let (_, world) = loaded.unwrap_or_else(|e| panic!("{e}\n{text}"));
    simulation(&Arc::new(world.scene), 1)
}

fn advance(s: &mut Simulation, seconds: f64) {
    s.advance((seconds / s.scene.dt()).round() as u64);
}

/// Returns the water level, waves, current, wind, sun time and other values of the environment.
fn environment(s: &Simulation) -> Vec<f64> {
    let (sea, t) = (&s.state.sea, s.state.time_ns as f64 * 1e-9);
    let waves = WaveState::new(&sea.waves, s.state.time_ns as f64);
    let places = [[0.0, 0.0], [37.0, -21.0]];
    let mut all: Vec<f64> = places
        .iter()
        .map(|[x, y]| waves.elevation(*x, *y))
        .collect();
    let variation = VariationCache::default().evaluate(&sea.current, s.scene.seed, t);
    all.extend([
        variation.velocity.x,
        variation.velocity.y,
        variation.velocity.z,
    ]);
    let weather = air::weather(&sea.air, t);
    all.extend([
        weather.wind.x,
        weather.wind.y,
        weather.temperature_c,
        weather.rain_mm_h,
    ]);
    all.extend([sea.air.start_utc + t, sea.density, sea.sound_speed, t]);
    all.extend(
        sea.current
            .profile
            .iter()
            .flat_map(|(z, v)| [*z, v.x, v.y, v.z]),
    );
    all
}

/// Returns the largest distance between the bases [m] and the largest difference of a joint.
fn distance(a: &Simulation, b: &Simulation) -> f64 {
    let robots = a.state.robots.iter().zip(&b.state.robots);
    let bases = robots.map(|(a, b)| (a.motion.p_WB - b.motion.p_WB).norm());
    let robots = a.state.robots.iter().zip(&b.state.robots);
    let joints = robots.flat_map(|(a, b)| a.motion.q.iter().zip(&b.motion.q));
    bases
        .chain(joints.map(|(a, b)| (a - b).abs()))
        .fold(0.0, f64::max)
}

/// Runs a world for `before` seconds, then for `after` seconds without a break and with a save and
/// a load. The values of the environment may differ by `rounding`, the poses by `tolerance`.
fn check(
    name: &str,
    (document, mut s): (Document, Simulation),
    [before, after]: [f64; 2],
    [rounding, tolerance]: [f64; 2],
) -> [Simulation; 2] {
    advance(&mut s, before);
    let mut again = saved(&document, &s);
    assert_eq!(s.state.time_ns, again.state.time_ns, "{name}");
    assert_eq!(s.state.step, again.state.step, "{name}");
    for _ in 0..4 {
        let (expected, found) = (environment(&s), environment(&again));
        assert_eq!(expected.len(), found.len(), "{name}");
        for (a, b) in expected.iter().zip(&found) {
            let limit = rounding * a.abs().max(1.0);
            assert!((a - b).abs() <= limit, "{name}: {expected:?} {found:?}");
        }
        advance(&mut s, 0.25 * after);
        advance(&mut again, 0.25 * after);
    }
    let error = distance(&s, &again);
    println!("{name}: {error:.2e}");
    assert!(error <= tolerance, "{name}: {error} m or rad");
    assert!(again.schedule_rejections.is_empty(), "{name}");
    [s, again]
}

fn text(world: &str) -> (Document, Simulation) {
    let (document, world) = Document::from_text("w.yaml", world, Overrides::default())
        .unwrap_or_else(|e| panic!("{e}"));
    (document, simulation(&Arc::new(world.scene), 1))
}

fn bundled(name: &str) -> (Document, Simulation) {
    let loaded = Document::load(&data_dir::world_file(name), Overrides::default());
    let (document, world) = loaded.unwrap_or_else(|e| panic!("{name}: {e}"));
    (document, simulation(&Arc::new(world.scene), 1))
}

/// A box in tides of level and current, waves and gusts, and a schedule of which a part is pending.
const TIDE: &str = "
step: {dt_s: 0.05}
water:
  tide: {constituents: [{name: M2, amplitude_m: 2, phase_deg: 0}]}
  waves: {kind: jonswap, hs_m: 0.5, tp_s: 6, direction_deg: 45}
  current: {kind: uniform, speed_m_s: 0.3, direction_deg: 20}
  flows:
    stream: {kind: tidal, constituents: [{name: M2, speed_m_s: 0.5, direction_deg: 30}]}
seabed: {depth_m: 60}
weather: {wind_speed_m_s: 5, wind_from_deg: 90}
robots:
  box:
    position_m: [0, 0, 2.1]
    model:
      source: own
      body:
        source: own
        axes: flu
        mass_kg: 100
        inertia_kg_m2: {xx: 10, yy: 10, zz: 10}
        volume_m3: 0.4
        hull: {kind: box, size_m: [1, 1, 0.4]}
        linear_damping: {kind: diagonal, values: [50, 50, 200, 20, 20, 20]}
        added_mass: {kind: diagonal, values: [20, 20, 60, 1, 1, 1]}
schedule:
  first: {time_s: 100, kind: current, speed_m_s: 0.4, direction_deg: 20}
  wind: {time_s: 7190, kind: weather, wind_speed_m_s: 9, wind_from_deg: 90, duration_s: 30}
  second: {time_s: 7200, kind: current, speed_m_s: 0.6, direction_deg: 200}
  third: {time_s: 7230, kind: current, speed_m_s: 0.1, direction_deg: 200}
";

#[test]
fn saved_tide_waves_and_schedule_continue() {
    let [s, again] = check("tide", text(TIDE), [7200.0, 60.0], [1e-12, 1e-9]);
    assert_eq!(s.state.scheduled, 4);
    assert!(
        again
            .scene
            .schedule
            .iter()
            .all(|entry| &*entry.name != "first")
    );
    assert_eq!(again.state.scheduled as usize, again.scene.schedule.len());
}

#[test]
fn saved_arm_and_tether_continue() {
    let (document, mut s) = bundled("uvms_pool_servo");
    let joints = s.scene.robots[0].links.len() - 1;
    for joint in 0..joints {
        let value = 0.3;
        s.apply(&Command::Joint(0, JointCommand::Joint { joint, value }))
            .ok();
    }
    check("arm", (document, s), [1.0, 4.0], [0.0, 1e-3]);
    let (document, mut s) = bundled("tether");
    let winch = merrow_model::state::WinchCommand::Speed(0.2);
    s.apply(&Command::Winch {
        tether: 0,
        command: winch,
    })
    .unwrap();
    let [s, again] = check("tether", (document, s), [10.0, 5.0], [0.0, 1e-9]);
    let nodes = s.state.tethers[0].p.iter().zip(&again.state.tethers[0].p);
    let error = nodes.map(|(a, b)| (*a - *b).norm()).fold(0.0, f64::max);
    let lengths = s.state.tethers[0].length - again.state.tethers[0].length;
    println!("tether: nodes {error:.2e} m, length {lengths:.2e} m");
    assert!(error < 1e-9 && lengths == 0.0, "{error} {lengths}");
}

/// Changes what parameters and services change.
fn change_settings(s: &mut Simulation) {
    let gain = Command::Firmware(
        0,
        FirmwareCommand::Gain {
            kind: GainKind::Velocity,
            axis: 5,
            value: 7.0,
        },
    );
    let health = Health::Reduced(0.6);
    let weather = WeatherChange {
        time_of_day_s: Some(20.0 * 3600.0 + 0.25),
        ..WeatherChange::default()
    };
    let off = Command::Device(
        0,
        DeviceCommand::Noise {
            sensor: 0,
            on: false,
        },
    );
    let mut sea = s.state.sea.clone();
    sea.density = 1010.0;
    for command in [
        gain,
        Command::Device(
            0,
            DeviceCommand::Health {
                thruster: 1,
                health,
            },
        ),
        Command::Actuator(
            0,
            ActuatorCommand::Thruster {
                thruster: 0,
                value: 5.0,
            },
        ),
        Command::Weather(Box::new(weather)),
        off,
        Command::Sea(Box::new(sea)),
    ] {
        s.apply(&command).unwrap();
    }
}

#[test]
fn saved_settings_continue() {
    let (document, mut s) = bundled("pool");
    change_settings(&mut s);
    let [s, again] = check("settings", (document, s), [1.0, 1.0], [1e-15, 5e-2]);
    let parameters = |s: &Simulation| list::values(&s.scene, &s.state, Pace::Max);
    let (expected, found) = (parameters(&s), parameters(&again));
    assert_eq!(expected, found);
    let (a, b) = (&s.state.robots[0], &again.state.robots[0]);
    assert_eq!(a.actuators[1].health, Health::Reduced(0.6));
    assert_eq!(a.actuators[1].health, b.actuators[1].health);
    assert_eq!(a.actuators[0].command, b.actuators[0].command);
    assert!(!a.sensors[0].noise && !b.sensors[0].noise);
    let gains = |s: &Simulation| match &s.state.robots[0].firmware.as_ref().unwrap().memory {
        FirmwareLawState::MotionControl(control) => control.gains,
        _ => panic!("a motion controller"),
    };
    assert_eq!(gains(&s), gains(&again));
    assert_eq!(gains(&s).velocity[5], 7.0);
}

/// Returns devices and faults: all kinds that devices without computers can have.
fn faults_of_all_kinds() -> [(&'static str, FaultKind); 12] {
    let leak = FaultKind::Leak {
        hole_diameter_m: 0.01,
        position_m: [0.1, 0.2, 0.3],
        compartment_m3: 0.002,
        center_m: [0.0, 0.1, 0.0],
    };
    let jammed = |position_m| FaultKind::Jammed {
        position_m,
        power_w: 0.1,
    };
    let spoofed = FaultKind::Spoofed {
        offset_m: [1.0, 2.0, 3.0],
        velocity_m_s: [0.5, 0.0, 0.0],
    };
    let intermittent = FaultKind::Intermittent {
        mean_working_s: 0.3,
        mean_failed_s: 0.2,
    };
    [
        ("t1", FaultKind::Stuck),
        ("t2", FaultKind::Reduced { fraction: 0.4 }),
        ("t3", FaultKind::Biased { bias: 0.2 }),
        ("t4", FaultKind::Noisy { noise_std: 0.1 }),
        ("t5", intermittent),
        ("battery", FaultKind::Shortage { power_w: 500.0 }),
        ("imu/gyro", FaultKind::Biased { bias: 0.01 }),
        ("base_link", leak),
        ("gps", jammed(None)),
        ("gps", jammed(Some([0.0, 30.0, 0.0]))),
        ("gps", spoofed),
        ("dvl", FaultKind::Dead),
    ]
}

/// Faults of every kind that a service starts are saved, a repaired fault of the file is not.
/// Faults that have ended are left out.
#[test]
fn saved_faults_of_services_continue() {
    let file = "robots: {r: {model: bluerov2_heavy, position_m: [0, 0, -2]}}
faults:
  kept: {robot: r, target: t8, time_s: 0.5, duration_s: 9, kind: dead}
  repaired: {robot: r, target: t7, time_s: 0.1, kind: dead}
";
    let (document, mut s) = text(file);
    advance(&mut s, 1.0);
    let name = "repaired".into();
    let robot = Some(0);
    s.apply(&Command::Repair { robot, name }).unwrap();
    let faults = faults_of_all_kinds();
    for (k, (target, kind)) in faults.into_iter().enumerate() {
        // names that a key of a file can have, and others
        let name: Arc<str> = [format!("fault_{k}"), format!("fault: {k}")][k % 2]
            .as_str()
            .into();
        let fault = Fault {
            stream: random_stream(&s.scene, robot, &name),
            name,
            robot,
            device: find_device(&s.scene, Some(0), target)
                .unwrap_or_else(|e| panic!("{target}: {e}")),
            kind,
            start_ns: 0,
            end_ns: if k == 0 { 100_000_000 } else { 8_000_000_000 },
        };
        let command = Command::Fault(Box::new(fault));
        s.apply(&command).unwrap_or_else(|e| panic!("{e:?}"));
    }
    advance(&mut s, 0.5);
    let again = saved(&document, &s);
    let of = |s: &Simulation| {
        let all = s.state.robots[0].faults.iter().map(|memory| &memory.fault);
        let mut all: Vec<_> = all
            .filter(|fault| fault.end_ns > s.state.time_ns)
            .cloned()
            .collect();
        all.sort_by_key(|fault| format!("{:?}{:?}", fault.device, fault.kind));
        all
    };
    let (expected, found) = (of(&s), of(&again));
    assert_eq!(expected.len(), faults.len());
    assert_eq!(expected.len(), found.len());
    for (fault, other) in expected.iter().zip(&found) {
        let is_renamed = !fault.name.starts_with("fault_") && *fault.name != *"kept";
        assert_eq!(other.name.starts_with("saved_"), is_renamed);
        let same = Fault {
            name: fault.name.clone(),
            stream: fault.stream,
            ..other.clone()
        };
        assert_eq!(*fault, same);
    }
}
