//! Tests of the connection of robots to a community of MOOS.
//!
//! Wrong keys are reported at their position. A run with the server of `merrow_moos` publishes the
//! motion, follows the demands and stops without the server. Method: a Heron that turns to starboard
//! by DESIRED_THRUST and DESIRED_RUDDER, and a REMUS 100 that dives by DESIRED_ELEVATOR.

use crate::common::folder::Folder;
use crate::input::check;
use merrow_moos::client::{Client, Settings};
use merrow_moos::clock;
use merrow_moos::message::{Message, Value};
use merrow_moos::server::{self, Server};
use std::collections::HashMap;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(60);

#[test]
fn keys_of_communities_are_checked() {
    check(
        "robots: {r: {model: heron, moos: {port: 0}}}",
        "w.yaml:1:41: `port`: expected a whole number from 1 to 65535, found `0`",
    );
    check(
        "robots: {r: {model: heron, moos: {comunity: alpha}}}",
        "w.yaml:1:35: unknown key `comunity` in `moos`; expected one of `host`, `port`, `community`, `client`, `prefix`, `rate_hz`, `contacts`, `obstacles`, `set_points`, `lock_step`; did you mean `community`?",
    );
}

#[test]
fn what_programs_of_a_community_demand_is_checked() {
    check(
        "robots: {r: {model: remus100_moos, moos: {obstacles: forward_sonar}}}",
        "w.yaml:1:54: no obstacle detector `forward_sonar` with `in_world: true` on r; expected `boxes`",
    );
    check(
        "robots: {r: {model: heron, moos: {set_points: true}}}",
        "w.yaml:1:47: `set_points`: expected a firmware of r that follows heading, depth and speed, such as `remus100_autopilot`",
    );
    check(
        "robots: {r: {model: heron, moos: {lock_step: [a, b, a]}}}",
        "w.yaml:1:46: `lock_step`: a occurs twice",
    );
    check(
        "robots: {r: {model: heron, moos: {lock_step: ['a,b']}}}",
        "w.yaml:1:46: `lock_step`: expected the name of a program, found \"a,b\"",
    );
}

/// A run of the program, which ends with the test.
struct Run(Child);

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(folder: &Folder, arguments: &[&str]) -> Run {
    let child = Command::new(env!("CARGO_BIN_EXE_merrow"))
        .args(["run", "w.yaml", "--no-ros"])
        .args(arguments)
        .current_dir(&folder.0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    Run(child.expect("a run"))
}

/// Receives values until they satisfy a condition; the last one of each variable.
fn receive(
    client: &Client,
    last: &mut HashMap<String, Message>,
    is_done: impl Fn(&HashMap<String, Message>) -> bool,
) {
    let end = Instant::now() + LONG;
    while !is_done(last) {
        assert!(Instant::now() < end, "{last:?}");
        let mail = client.wait(Duration::from_millis(100)).into_iter();
        last.extend(mail.map(|message| (message.key.clone(), message)));
    }
}

fn number(last: &HashMap<String, Message>, key: &str) -> f64 {
    let value = last.get(key).and_then(Message::number);
    value.unwrap_or_else(|| panic!("no {key} in {:?}", last.keys()))
}

#[test]
fn boats_follow_the_demands_of_a_community() {
    let world = "origin: {latitude_deg: 43.8253, longitude_deg: -70.3304}\n\
                 seabed: {depth_m: 15}\n\
                 robots:\n  alpha: {model: heron, position_m: [10, -20, 0], attitude_deg: [0, 0, 90]}\n";
    let folder = Folder::new("moos_boat", &[("w.yaml", world)]);
    let server =
        Server::start(server::Settings::new("alpha", 0), clock::wall(5.0)).expect("a server");
    let port = server.port();
    let client = Client::start(Settings::new("helm", "127.0.0.1", port), clock::wall(5.0));
    for key in ["NAV_*", "TRUE_*", "SIMULATION_MODE", "BATTERY_*"] {
        client.register(key, 0.0);
    }
    let run = start(
        &folder,
        &["--pace", "5", &format!("--moos=127.0.0.1:{port}")],
    );
    let mut last = HashMap::new();
    receive(&client, &mut last, |last| {
        last.contains_key("SIMULATION_MODE")
    });
    assert!(
        (number(&last, "NAV_X") - 10.0).abs() < 0.1 && (number(&last, "NAV_Y") + 20.0).abs() < 0.1
    );
    assert!((number(&last, "NAV_LAT") - 43.8253).abs() < 1e-3 && number(&last, "NAV_LONG") < -70.0);
    assert!((number(&last, "NAV_ALTITUDE") - 15.0).abs() < 0.5 && number(&last, "NAV_DEPTH") < 0.5);
    assert_eq!(
        last["SIMULATION_MODE"].value(),
        Some(Value::Text("TRUE".to_string()))
    );
    let heading = number(&last, "NAV_HEADING");
    assert!(!(5.0..=355.0).contains(&heading), "{heading}");
    assert_eq!(last["NAV_X"].source, "merrow");
    // to starboard
    client.notify("DESIRED_THRUST", 40.0);
    client.notify("DESIRED_RUDDER", 20.0);
    client.notify("DESIRED_RUDDER_UNKNOWN", "x");
    receive(&client, &mut last, |last| {
        (60.0..180.0).contains(&number(last, "NAV_HEADING"))
    });
    receive(&client, &mut last, |last| number(last, "NAV_SPEED") > 0.15);
    // a demand that is no number changes nothing, and ends neither the run nor the link
    client.notify("DESIRED_ELEVATOR", f64::NAN);
    client.notify("USM_RESET", "x=-5,y=7,heading=270");
    receive(&client, &mut last, |last| {
        number(last, "NAV_X") < -4.0 && (number(last, "NAV_Y") - 7.0).abs() < 3.0
    });
    // without the server the thrusters stop; the run continues at the next one
    drop((client, server));
    let server = Server::start(server::Settings::new("alpha", port), clock::wall(5.0));
    let server = server.expect("the same port");
    let client = Client::start(Settings::new("helm", "127.0.0.1", port), clock::wall(5.0));
    client.register("NAV_SPEED", 0.0);
    last.clear();
    let is_slow = |last: &HashMap<String, Message>| {
        last.get("NAV_SPEED")
            .and_then(Message::number)
            .is_some_and(|speed| speed < 0.15)
    };
    receive(&client, &mut last, is_slow);
    drop((run, server));
}

#[test]
fn underwater_vehicles_dive_by_their_planes() {
    let world = "seabed: {depth_m: 60}\n\
                 robots:\n  remus: {model: remus100, position_m: [0, 0, -5], moos: {port: PORT, client: usim, rate_hz: 20, contacts: true}}\n  \
                 other: {model: wamv, position_m: [30, 5, 0]}\n";
    let server =
        Server::start(server::Settings::new("shore", 0), clock::wall(5.0)).expect("a server");
    let port = server.port();
    let world = world.replace("PORT", &port.to_string());
    let folder = Folder::new("moos_auv", &[("w.yaml", &world)]);
    let client = Client::start(Settings::new("pid", "127.0.0.1", port), clock::wall(5.0));
    client.register("NAV_*", 0.0);
    client.register("NODE_REPORT", 0.0);
    let run = start(&folder, &["--pace", "5"]);
    let mut last = HashMap::new();
    receive(&client, &mut last, |last| {
        last.contains_key("NODE_REPORT") && last.contains_key("NAV_DEPTH")
    });
    let report = last["NODE_REPORT"].text().into_owned();
    assert!(
        report.starts_with("NAME=other,X=30.") && report.contains("TYPE=kayak"),
        "{report}"
    );
    client.notify("DESIRED_THRUST", 80.0);
    client.notify("DESIRED_ELEVATOR", 10.0);
    receive(&client, &mut last, |last| number(last, "NAV_DEPTH") > 9.0);
    assert!(
        number(&last, "NAV_PITCH") < -0.05,
        "{}",
        number(&last, "NAV_PITCH")
    );
    client.notify("DESIRED_ELEVATOR", 0.0);
    client.notify("DESIRED_RUDDER", 10.0);
    let before = number(&last, "NAV_HEADING");
    receive(&client, &mut last, |last| {
        let turn = number(last, "NAV_HEADING") - before;
        (20.0..170.0).contains(&turn.rem_euclid(360.0))
    });
    drop(run);
}

/// In lock-step the world waits for the turns of its programs, and for none that is silent for 10 s;
/// the firmware follows the set-points. Method: the test is the only program, and answers 300 turns.
#[test]
fn worlds_wait_for_the_turns_of_programs() {
    let world = "seabed: {depth_m: 60}\n\
                 robots:\n  remus: {model: remus100, position_m: [0, 0, -5], moos: {port: PORT, set_points: true, lock_step: [absent, planner]}}\n";
    let server =
        Server::start(server::Settings::new("shore", 0), clock::wall(1.0)).expect("a server");
    let port = server.port();
    let folder = Folder::new(
        "moos_turns",
        &[("w.yaml", &world.replace("PORT", &port.to_string()))],
    );
    let client = Client::start(
        Settings::new("planner", "127.0.0.1", port),
        clock::wall(1.0),
    );
    client.register("NAV_*", 0.0);
    client.register("LOCK_STEP", 0.0);
    let run = start(&folder, &["--pace", "max"]);
    let mut last = HashMap::new();
    let mut positions = 0;
    for turn in 1..=300 {
        let expected = format!("planner,{turn}");
        let end = Instant::now() + LONG;
        while last
            .get("LOCK_STEP")
            .map(|own: &Message| own.text().into_owned())
            != Some(expected.clone())
        {
            assert!(Instant::now() < end, "turn {turn}: {last:?}");
            for message in client.wait(Duration::from_millis(100)) {
                positions += u32::from(message.key == "NAV_X");
                last.insert(message.key.clone(), message);
            }
        }
        assert_eq!(positions, turn, "one position for each turn");
        if turn == 5 {
            // no further period without an answer
            std::thread::sleep(Duration::from_millis(300));
            let mail = client.fetch();
            assert!(mail.is_empty(), "{mail:?}");
        }
        client.notify("DESIRED_HEADING", 90.0);
        client.notify("DESIRED_SPEED", 1.5);
        client.notify("DESIRED_DEPTH", 8.0);
        client.notify("LOCK_STEP_DONE", format!("planner,{turn}"));
    }
    assert!((number(&last, "NAV_SPEED") - 1.5).abs() < 0.2, "{last:?}");
    assert!(number(&last, "NAV_DEPTH") > 6.0, "{last:?}");
    assert!((number(&last, "NAV_HEADING") - 90.0).abs() < 10.0);
    drop(run);
}
