//! Worlds whose robots change during a run.

use crate::determinism::state::checkpoint::{drive, listen, outputs, simulation, steps};
use merrow_math::{Quat, Vec3};
use merrow_model::state::comms::{ModemCommand, Send};
use merrow_model::state::{ActuatorCommand, Command};
use merrow_sim::Simulation;
use merrow_world::document::{Document, Placement, Resource};
use merrow_world::{Overrides, data_dir};
use std::sync::Arc;

/// Returns a place that no robot and no terrain of a bundled world reaches: high in the air.
fn far_away() -> Placement {
    Placement {
        p_WB: Vec3::new(4000.0, -3000.0, 500.0),
        q_WB: Quat::identity(),
    }
}

fn bundled(name: &str) -> (Document, Simulation) {
    let loaded = Document::load(&data_dir::world_file(name), Overrides::default());
    let (document, world) = loaded.unwrap_or_else(|e| panic!("{name}: {e}"));
    (document, simulation(&Arc::new(world.scene), 1))
}

/// Continues `s` with the scene of a document.
fn replace(s: &mut Simulation, document: &Document, threads: usize) {
    let world = document.build().unwrap_or_else(|e| panic!("{e}"));
    let mut new = simulation(&Arc::new(world.scene), threads);
    s.replace(&mut new).unwrap();
}

fn spawn(document: &Document, name: &str, model: &str, at: Placement) -> Document {
    let model = Resource::Uri(model.into());
    document
        .with_robot(name, "", &model, at)
        .unwrap_or_else(|e| panic!("{name}: {e}"))
}

// A robot that is added and removed again leaves no trace in the others. Method: bundled worlds
// with all thrusters on and all sensors requested; a BlueROV2 is added far away after a third of
// the steps and removed after two thirds; state hash, readings and frames, compared with the same
// run without it.
#[test]
fn added_and_removed_robots_leave_no_trace() {
    leave_no_trace(&["dock", "every_sensor", "glider", "tether", "uvms_pool"]);
}

/// As above, in all bundled worlds.
#[test]
#[ignore = "20 s: test/run slow"]
fn added_and_removed_robots_leave_no_trace_in_any_world() {
    let names = data_dir::file_names("worlds");
    leave_no_trace(&names.iter().map(String::as_str).collect::<Vec<_>>());
}

fn leave_no_trace(worlds: &[&str]) {
    for name in worlds {
        let n = {
            let (_, s) = bundled(name);
            steps(name, s.scene.dt_ns) / 3
        };
        let run = |adds: bool| {
            let (document, mut s) = bundled(name);
            listen(&s);
            drive(&mut s);
            let first = outputs(&mut s, n, 7);
            if adds {
                let spawned = spawn(&document, "added", "bluerov2", far_away());
                replace(&mut s, &spawned, 2);
            }
            outputs(&mut s, n, 7);
            if adds {
                replace(&mut s, &document, 1);
            }
            let last = outputs(&mut s, n, 7);
            (s.state.hash(), first, last)
        };
        let (without, with) = (run(false), run(true));
        assert_eq!(without.0, with.0, "{name}: state hash");
        assert!(without.1 == with.1, "{name}: readings or frames before");
        assert!(without.2 == with.2, "{name}: readings or frames after");
    }
}

// A robot that is added at the start is a robot of the world file. Method: a world with waves and
// sensors; the same robot in the document and by replacement of the scene; state hash after 200
// steps, with the added robot driven.
#[test]
fn a_robot_added_at_the_start_is_one_of_the_file() {
    let (document, mut replaced) = bundled("open_water");
    let spawned = spawn(&document, "added", "remus100", far_away());
    replace(&mut replaced, &spawned, 2);
    let mut loaded = simulation(&Arc::new(spawned.build().unwrap().scene), 1);
    for s in [&mut replaced, &mut loaded] {
        drive(s);
        s.advance(200);
    }
    assert_eq!(replaced.state.hash(), loaded.state.hash());
}

// The sensors of an added robot keep the grid of instants of the world, and the same changes give
// bit-identical results. Method: a robot added after 0.333 s; stamps of its readings; the state
// hash of two runs with different threads and blocks.
#[test]
fn an_added_robot_keeps_the_instants_of_its_sensors() {
    let run = |threads: usize, block: u64| {
        let (document, mut s) = bundled("pool");
        outputs(&mut s, 333, block);
        replace(
            &mut s,
            &spawn(&document, "added", "bluerov2", far_away()),
            threads,
        );
        let robot = s
            .scene
            .robots
            .iter()
            .position(|r| r.name == "added")
            .unwrap();
        let value = 0.5;
        let _ = s.apply(&Command::Actuator(
            robot,
            ActuatorCommand::Thruster { thruster: 0, value },
        ));
        let now = s.time_ns();
        for (sensor, state) in s.scene.robots[robot]
            .sensors
            .iter()
            .zip(&s.state.robots[robot].sensors)
        {
            assert!(state.due_ns >= now && sensor.sample_ns(state.samples) == state.due_ns);
            assert!(state.samples == 0 || sensor.sample_ns(state.samples - 1) < now);
        }
        outputs(&mut s, 500, block);
        s.state.hash()
    };
    assert_eq!(run(1, 5), run(2, 11));
}

// A firmware that is active from the start also starts in a robot that is added later. Method: a
// REMUS added after 1 s keeps its depth and runs its propeller for 20 s. Tolerance: 0.5 m, the
// transient of the hold.
#[test]
fn the_firmware_of_an_added_robot_starts() {
    let (document, mut s) = bundled("open_water");
    s.advance(500);
    let place = Placement {
        p_WB: Vec3::new(300.0, 300.0, -5.0),
        q_WB: Quat::identity(),
    };
    replace(
        &mut s,
        &spawn(&document, "added", "remus100_survey", place),
        1,
    );
    s.advance(10_000);
    let added = s.scene.robots.iter().position(|r| r.name == "added");
    let state = &s.state.robots[added.unwrap()];
    assert!(state.motion.V_WB_B.v.x > 1.0, "{:?}", state.motion.V_WB_B.v);
    assert!(
        (state.motion.p_WB.z + 5.0).abs() < 0.5,
        "{:?}",
        state.motion.p_WB
    );
}

// Commands that were sent before a replacement reach their robot after it. Method: the index of a
// robot changes because a robot before it is removed.
#[test]
fn commands_follow_their_robot() {
    let (document, mut s) = bundled("fleet_mixed");
    let first = s.scene.robots[0].name.clone();
    let last = s
        .scene
        .robots
        .iter()
        .rposition(|r| !r.thrusters.is_empty())
        .unwrap();
    let name = s.scene.robots[last].name.clone();
    let world = document.without(&first).unwrap().build();
    let world = world.unwrap_or_else(|e| panic!("{e}"));
    let mut new = simulation(&Arc::new(world.scene), 1);
    let same = s.replace(&mut new).unwrap();
    let command = Command::Actuator(last, ActuatorCommand::Thrusters { values: vec![0.0] });
    let Some(Command::Actuator(robot, ActuatorCommand::Thrusters { .. })) = command.in_scene(&same)
    else {
        panic!("the robot is still there");
    };
    assert_eq!(s.scene.robots[robot].name, name);
    assert_ne!(robot, last);
    let command = Command::Actuator(0, ActuatorCommand::Thrusters { values: vec![0.0] });
    assert_eq!(command.in_scene(&same), None);
}

/// Two acoustic modems with assigned addresses, the first of which sends every second.
const MODEMS: &str = "
robots:
  a: {model: {source: t, body: {source: t, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}, modems: {m: {modem: evologics_s2c_r_18_34}}}, position_m: [0, 0, -9]}
modems:
  fixed: {modem: evologics_s2c_r_18_34, position_m: [900, 0, -9]}
";

/// Adds a robot with a modem; `address` is empty or the key of its address.
fn spawn_modem(document: &Document, name: &str, address: &str) -> Document {
    let text = format!(
        "model: {{source: t, body: {{source: t, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, \
         yy: 1, zz: 1}}}}, modems: {{m: {{modem: evologics_s2c_r_18_34{address}}}}}}}"
    );
    let resource = Resource::RequestText(text);
    document
        .with_robot(name, "", &resource, far_away())
        .unwrap()
}

// A robot that is spawned and removed changes no address, no counter and no frame in flight of
// other modems. Method: addresses of the modems, deliveries at a fixed modem whose index shifts,
// and counts, while robots with an assigned, a free and a taken address are spawned.
#[test]
fn spawned_modems_keep_the_network() {
    let (document, world) = Document::from_text("w.yaml", MODEMS, Overrides::default()).unwrap();
    let mut s = simulation(&Arc::new(world.scene), 1);
    let find = |s: &Simulation, name: &str| {
        let modem = s.scene.modems.iter().position(|modem| modem.name == name);
        modem.map(|k| (k, s.scene.modems[k].address))
    };
    let send = |s: &mut Simulation| {
        let (modem, _) = find(s, "a/m").unwrap();
        let (_, destination) = find(s, "fixed").unwrap();
        let send = ModemCommand::Send(Send::new(modem, destination, vec![7; 8]));
        s.apply(&Command::Modem(send)).unwrap();
        // the frame is in transit
        s.advance(300_000_000 / s.scene.dt_ns);
    };
    let addresses = |s: &Simulation| [find(s, "a/m").unwrap().1, find(s, "fixed").unwrap().1];
    let before = addresses(&s);
    send(&mut s);
    let first = spawn_modem(&document, "b", "");
    replace(&mut s, &first, 1);
    assert_eq!(addresses(&s), before);
    assert_eq!(find(&s, "b/m").unwrap().1, 3);
    send(&mut s);
    replace(&mut s, &first.without("b").unwrap(), 1);
    assert_eq!((addresses(&s), s.scene.modems.len()), (before, 2));
    send(&mut s);
    let second = spawn_modem(&document, "c", ", address: 9");
    replace(&mut s, &second, 1);
    assert_eq!(addresses(&s), before);
    let taken = spawn_modem(&second, "d", &format!(", address: {}", before[1]));
    let why = taken.build().map(drop).unwrap_err().to_string();
    assert!(
        why.contains("has the address 2 of fixed; expected a unique"),
        "{why}"
    );
    s.advance(2_000_000_000 / s.scene.dt_ns);
    let copies = &s.state.network.copies;
    assert_eq!((copies.entered, copies.delivered), (3, 3), "{copies:?}");
}

// A saved world is the world. Method: every bundled world after some steps, saved and loaded;
// positions, velocities and joint positions of all robots. Tolerance: none, but 1e-14 in the cosine
// of the half angle between the attitudes, which are converted to degrees and back, and 2 cm on
// the route of an actor, which it follows with its dynamics.
#[test]
#[ignore = "15 s: test/run slow"]
fn every_saved_world_is_loaded_again() {
    let names = data_dir::file_names("worlds");
    load_saved_worlds(&names.iter().map(String::as_str).collect::<Vec<_>>());
}

/// As above, in worlds with joints, tethers, couplings, modems and many robots.
#[test]
fn saved_worlds_are_loaded_again() {
    load_saved_worlds(&[
        "dock",
        "every_sensor",
        "fleet_mixed",
        "modems",
        "tether",
        "usv",
        "uvms_pool_servo",
    ]);
}

fn load_saved_worlds(names: &[&str]) {
    for name in names {
        let (document, mut s) = bundled(name);
        drive(&mut s);
        s.advance(50);
        let text = document.with_state(&s.scene, &s.state).to_yaml();
        let loaded = Document::from_text("saved.yaml", &text, Overrides::default());
        let (_, world) = loaded.unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
        let again = simulation(&Arc::new(world.scene), 1);
        assert_eq!(s.scene.robots.len(), again.scene.robots.len(), "{name}");
        let states = s.state.robots.iter().zip(&again.state.robots);
        for ((a, b), robot) in states.zip(&s.scene.robots) {
            let (a, b) = (&a.motion, &b.motion);
            if robot.route.is_some() {
                // an actor continues its route, upright on the water
                let [d, v] = [a.p_WB - b.p_WB, a.V_WB_B.v - b.V_WB_B.v];
                assert!(d.x.hypot(d.y) < 0.02, "{name}: route");
                assert!(v.x.hypot(v.y) < 0.05, "{name}: speed on the route");
                continue;
            }
            let (q, r) = (a.q_WB, b.q_WB);
            let turned = 1.0 - (q.w * r.w + q.x * r.x + q.y * r.y + q.z * r.z).abs();
            assert!(
                (a.p_WB - b.p_WB).norm() == 0.0 && turned < 1e-14,
                "{name}: pose"
            );
            assert!((a.V_WB_B.v - b.V_WB_B.v).norm() == 0.0, "{name}: velocity");
            let joints = a.q.iter().zip(&b.q);
            assert!(
                joints.into_iter().all(|(a, b)| (a - b).abs() < 1e-2),
                "{name}: joints"
            );
        }
    }
}

/// A world whose schedule changes water, waves and weather, with a robot that drains its battery.
const CHANGING: &str = "
water: {waves: {kind: jonswap, beaufort: 2, direction_deg: 45}, column: {layers: [{depth_m: 0, temperature_c: 12, salinity_psu: 33}]}}
seabed: {depth_m: 60}
weather: {wind_speed_m_s: 3, wind_from_deg: 90, temperature_c: 11}
robots: {r: {model: bluerov2, position_m: [0, 0, -3], initial_charge: 0.5}}
schedule:
  waves: {time_s: 0.1, kind: waves, hs_m: 1.5, tp_s: 7}
  current: {time_s: 0.2, kind: current, speed_m_s: 0.7, direction_deg: 200, up_m_s: 0.1}
  wind: {time_s: 0.3, kind: weather, wind_speed_m_s: 8, wind_from_deg: 250, rain_mm_h: 4}
  noise: {time_s: 0.3, robot: r, kind: noise, sensor: imu, on: false}
  gain: {time_s: 0.3, robot: r, kind: gain, axis: yaw, error: velocity, value: 7}
  drive: {time_s: 0.3, robot: r, kind: wrench, force_n: [60, 0, 0], duration_s: 3}
";

// A saved world has the water, the waves, the weather and the charge of the battery that it had
// when it was saved. Method: a schedule changes them; saved, loaded, compared. Tolerance: rounding
// of directions in degrees.
#[test]
fn saved_worlds_keep_the_environment_and_the_charge() {
    let (document, world) =
        Document::from_text("world.yaml", CHANGING, Overrides::default()).unwrap();
    let mut s = simulation(&Arc::new(world.scene), 1);
    s.advance((4.0 / s.scene.dt()) as u64);
    assert!(
        s.schedule_rejections.is_empty(),
        "{:?}",
        s.schedule_rejections
    );
    let text = document.with_state(&s.scene, &s.state).to_yaml();
    let loaded = Document::from_text("saved.yaml", &text, Overrides::default());
    let (_, world) = loaded.unwrap_or_else(|e| panic!("{e}\n{text}"));
    let (now, saved) = (&s.state.sea, &world.scene.sea);
    let waves = |sea: &merrow_model::scene::Sea| sea.waves.latest().unwrap().requested.clone();
    let (a, b) = (waves(now), waves(saved));
    assert_eq!((a.hs_m, a.tp_s, a.hs_m), (b.hs_m, b.tp_s, 1.5));
    assert!((a.towards - b.towards).norm() < 1e-14);
    assert_eq!(waves(now).spectrum, b.spectrum);
    let v = |sea: &merrow_model::scene::Sea| sea.current.profile[0].1;
    assert!((v(now) - v(saved)).norm() < 1e-14 && v(saved).z == 0.1);
    let (a, b) = (now.air.to, saved.air.to);
    assert!((a.wind - b.wind).norm() < 1e-13 && b.wind.norm() > 7.9);
    assert_eq!(
        (a.rain_mm_h, a.temperature_c),
        (b.rain_mm_h, b.temperature_c)
    );
    assert!(saved.column.is_some(), "the water column did not change");
    let charge = s.state.robots[0].battery.charge;
    let battery = world.scene.robots[0].battery.as_ref().unwrap();
    assert!(charge < 0.5 && battery.initial_charge == charge, "{charge}");
}
