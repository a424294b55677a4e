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
        "w.yaml:1:35: unknown key `comunity` in `moos`; expected one of `host`, `port`, `community`, `client`, `prefix`, `rate_hz`, `thrust_gain`, `navigation`, `sensors`, `messages`, `contacts`, `obstacles`, `set_points`, `lock_step`; did you mean `community`?",
    );
    check(
        "robots: {r: {model: remus100, moos: {navigation: imu}}}",
        "w.yaml:1:50: no sensor `imu` of this kind on the base; there are none",
    );
    check(
        "robots: {r: {model: remus100, moos: {messages: acoustic}}}",
        "w.yaml:1:48: no modem `acoustic` on r; there are none",
    );
    check(
        "robots:\n  a: {model: heron, moos: {}}\n  b: {model: heron, position_m: [9, 0, 0], moos: {client: merrow}}",
        "w.yaml:3:59: a and b have the same `client` merrow at the MOOSDB localhost:9000; give another `client`, or another `port` for another community",
    );
    check(
        "robots: {a: {model: heron, repeat: {count: [2, 1, 1], spacing_m: [9, 9, 9]}, moos: {}}}",
        "w.yaml:1:84: a_0 and a_1 have the same `client` merrow at the MOOSDB localhost:9000; give another `client`, or another `port` for another community",
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

/// A world with a REMUS 100 that navigates with its own sensors, a boat, and a beacon.
const FLEET: &str = "seabed: {depth_m: 60}
robots:
  remus:
    position_m: [0, 0, -5]
    velocity_m_s: [1, 0, 0]
    model:
      extends: robots/remus100.yaml
      sensors:
        ins: {device: ins_mems, position_m: [0.2, 0.1, 0], attitude_deg: [0, 0, 90], aids: {dvl: dvl, pressure: pressure}}
        ctd: {device: sbe49_fastcat, position_m: [0.5, 0, 0]}
      modems: {acoustic: {modem: evologics_s2c_r_18_34, position_m: [0.3, 0, -0.1]}}
    moos: {port: PORT_1, community: remus, navigation: ins, sensors: true, messages: acoustic}
  boat:
    position_m: [300, 0, 0]
    model:
      extends: robots/otter.yaml
      modems: {acoustic: {modem: evologics_s2c_r_18_34, position_m: [0, 0, -0.7]}}
    moos: {port: PORT_2, community: boat, messages: acoustic}
modems:
  beacon: {modem: evologics_s2c_r_18_34, position_m: [0, 400, -20]}
";

// Messages of uField travel over the modem between the communities of two robots, ranges are those of
// the world within 1 m, and sensors, wind and current are those of the world.
#[test]
fn communities_talk_over_the_modems_of_the_world() {
    let server = |name: &str| {
        let server = Server::start(server::Settings::new(name, 0), clock::wall(5.0));
        server.expect("a server")
    };
    let servers = ["remus", "boat"].map(server);
    let ports = [servers[0].port(), servers[1].port()];
    let client = |port: u16| {
        let client = Client::start(Settings::new("test", "127.0.0.1", port), clock::wall(5.0));
        client.register("*", 0.0);
        client
    };
    let [remus, boat] = ports.map(client);
    let world = FLEET.replace("PORT_1", &ports[0].to_string());
    let world = world.replace("PORT_2", &ports[1].to_string());
    let folder = Folder::new("moos_fleet", &[("w.yaml", &world)]);
    let run = start(&folder, &[]);
    let (mut at_remus, mut at_boat) = (HashMap::new(), HashMap::new());
    receive(&boat, &mut at_boat, |last| last.contains_key("NAV_X"));
    receive(&remus, &mut at_remus, |last| {
        let sensors = [
            "NAV_X",
            "INS_HEADING",
            "CTD_TEMPERATURE",
            "DVL_LOCK",
            "PRESSURE_DEPTH",
        ];
        sensors.iter().all(|key| last.contains_key(*key))
    });
    // the INS stands across, and the motion is that of the bow
    let heading = number(&at_remus, "NAV_HEADING");
    assert!((heading - 90.0).abs() < 5.0, "{heading}");
    let across = number(&at_remus, "INS_HEADING");
    assert!(!(10.0..=350.0).contains(&across), "{across}");
    assert!((number(&at_remus, "PRESSURE_DEPTH") - 5.0).abs() < 0.5);
    let error = number(&at_remus, "NAV_X") - number(&at_remus, "TRUE_X");
    assert!(error != 0.0 && error.abs() < 10.0, "{error}");

    let message = "src_node=remus,dest_node=boat,var_name=FOUND,string_val=\"x=1,y=2\"";
    remus.notify("NODE_MESSAGE_LOCAL", message);
    receive(&boat, &mut at_boat, |last| {
        last.contains_key("NODE_MESSAGE")
    });
    assert_eq!(at_boat["NODE_MESSAGE"].text(), message);
    boat.notify(
        "NODE_MESSAGE_LOCAL",
        "src_node=boat,dest_node=all,var_name=GO,double_val=1",
    );
    receive(&remus, &mut at_remus, |last| {
        last.contains_key("NODE_MESSAGE")
    });
    // values that are none have no effect
    remus.notify(
        "NODE_MESSAGE_LOCAL",
        "src_node=remus,dest_node=nobody,var_name=A,string_val=b",
    );
    remus.notify("NODE_MESSAGE_LOCAL", "?");
    remus.notify("WIND_CONDITIONS", "spd=-1");
    remus.notify("USM_TURN_RATE", 5.0);

    remus.notify("BRS_RANGE_REQUEST", "name=remus");
    receive(&remus, &mut at_remus, |last| {
        last.contains_key("BRS_RANGE_REPORT")
    });
    let report = at_remus["BRS_RANGE_REPORT"].text().into_owned();
    assert!(
        report.starts_with("vname=remus,range=40") && report.contains(",id=beacon,time="),
        "{report}"
    );
    remus.notify("CRS_RANGE_REQUEST", "name=remus");
    receive(&remus, &mut at_remus, |last| {
        last.contains_key("CRS_RANGE_REPORT")
    });
    let report = at_remus["CRS_RANGE_REPORT"].text().into_owned();
    assert!(report.contains(",target=boat,time="), "{report}");
    let range = merrow_moos::message::field(&report, "range").and_then(|x| x.parse::<f64>().ok());
    let range = range.expect("a range");
    assert!((range - 300.0).abs() < 60.0, "{range}");

    boat.notify("DRIFT_VECTOR", "90,0.4");
    boat.notify("DRIFT_VECTOR_ADD", "90,0.2");
    boat.notify("DRIFT_VECTOR_MULT", 0.5);
    boat.notify("WIND_CONDITIONS", "spd=6, dir=270");
    receive(&boat, &mut at_boat, |last| {
        let summary = last.get("USM_DRIFT_SUMMARY");
        summary.is_some_and(|m| m.text() == "ang=90.00, mag=0.30, xmag=0.300, ymag=0.000")
    });
    drop((run, servers));
}

/// A command of `merrow moos` that runs until it is interrupted.
fn tool(folder: &Folder, arguments: &[&str]) -> Child {
    let child = Command::new(env!("CARGO_BIN_EXE_merrow"))
        .arg("moos")
        .args(arguments)
        .current_dir(&folder.0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    child.expect("a command")
}

/// Interrupts a command, and returns what it printed.
fn interrupt(child: Child) -> String {
    let id = nix::unistd::Pid::from_raw(child.id() as i32);
    nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGINT).expect("a signal");
    let output = child.wait_with_output().expect("an output");
    let text = [output.stdout, output.stderr].concat();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&text)
    );
    String::from_utf8_lossy(&text).into_owned()
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

// A log has all messages in their order, and a replay posts them again in this order with their
// sources. Method: the server, the log and the replay of the program, and a log of the replay; wrong
// files and a missing server have one line.
#[test]
fn logs_are_replayed_in_their_order() {
    let folder = Folder::new(
        "moos_log",
        &[("bad.alog", "1.0 A b 1\n"), ("worse.alog", "nothing\n")],
    );
    let log_of = |name: &str, act: &dyn Fn(u16, &str)| {
        let port = free_port();
        let address = format!("127.0.0.1:{port}");
        let server = tool(&folder, &["serve", &address, "--community", "alpha"]);
        let client = Client::start(Settings::new("helm", "127.0.0.1", port), clock::wall(1.0));
        assert!(client.wait_connected(LONG), "{:?}", client.connection());
        let log = tool(
            &folder,
            &[
                "log",
                &address,
                "-o",
                name,
                "--variables",
                "NAV_*",
                "--variables",
                "MODE",
            ],
        );
        let mut last = HashMap::new();
        client.register("DB_CLIENTS", 0.0);
        receive(&client, &mut last, |last| {
            last.get("DB_CLIENTS")
                .is_some_and(|m| m.text().contains("merrow_log"))
        });
        std::thread::sleep(Duration::from_millis(500));
        drop(client);
        act(port, &address);
        std::thread::sleep(Duration::from_millis(500));
        let said = interrupt(log);
        assert!(said.starts_with(&format!("{name}: 200 messages")), "{said}");
        interrupt(server);
        let text = std::fs::read_to_string(folder.0.join(name)).expect("a log");
        let messages = merrow_moos::alog::Reader::new(text.as_bytes());
        let messages = messages.map(|message| message.expect("a message"));
        messages
            .map(|m| {
                (
                    m.key.clone(),
                    m.source.clone(),
                    m.text().into_owned(),
                    m.number().map(f64::to_bits),
                )
            })
            .collect::<Vec<_>>()
    };
    let first = log_of("first.alog", &|port, _| {
        let helm = Client::start(Settings::new("helm", "127.0.0.1", port), clock::wall(1.0));
        assert!(helm.wait_connected(LONG));
        for k in 0..100 {
            helm.notify("NAV_X", f64::from(k) / 3.0);
            helm.notify("MODE", format!("LEG {k}, a=b"));
            helm.notify("OTHER", 1.0);
        }
        assert!(helm.flush(LONG));
        std::thread::sleep(Duration::from_millis(500));
    });
    assert_eq!(first.len(), 200);
    let second = log_of("second.alog", &|_, address| {
        let replay = tool(&folder, &["replay", "first.alog", address, "--speed", "0"]);
        let output = replay.wait_with_output().expect("an output");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        for (file, line) in [
            (
                "worse.alog",
                "worse.alog: line 1: expected `time variable source value`, found \"nothing\"",
            ),
            ("none.alog", "none.alog: No such file or directory"),
        ] {
            let output = tool(&folder, &["replay", file, address])
                .wait_with_output()
                .unwrap();
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && text.contains(line), "{text}");
        }
    });
    assert_eq!(first, second);
    let address = format!("127.0.0.1:{}", free_port());
    let output = tool(&folder, &["replay", "bad.alog", &address])
        .wait_with_output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.contains("no MOOSDB accepts a client at") && text.contains("merrow moos serve"),
        "{text}"
    );
    let output = tool(&folder, &["log", &address, "-o", "first.alog"])
        .wait_with_output()
        .unwrap();
    assert!(!output.status.success());
}

// The own computer of a robot writes its navigation to a pseudoterminal, and its firmware follows the
// set-points from there. Lines that are none, and a program that does not read, have no effect.
#[test]
fn serial_feeds_carry_navigation_and_set_points() {
    use merrow_moos::feed::{Navigation, Port, Sentence, SetPoints};
    check(
        "robots: {r: {model: heron, serial: {}}}",
        "w.yaml:1:36: `serial`: expected a firmware of r that follows heading, depth and speed, such as `remus100_autopilot`",
    );
    let world = "seabed: {depth_m: 60}\nrobots: {remus: {model: remus100, position_m: [0, 0, -5], velocity_m_s: [1.5, 0, 0], serial: {}}}\n";
    let folder = Folder::new("moos_serial", &[("w.yaml", world)]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_merrow"))
        .args(["run", "w.yaml", "--no-ros", "--pace", "10"])
        .current_dir(&folder.0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a run");
    let output = child.stdout.take().expect("an output");
    let run = Run(child);
    let lines = std::io::BufRead::lines(std::io::BufReader::new(output));
    let mut lines = lines.map(|line| line.expect("a line"));
    let path = lines.find_map(|line| {
        let rest = line.strip_prefix("serial feed of remus: ")?;
        rest.split_once(',').map(|(path, _)| path.to_string())
    });
    let path = path.expect("the path of the feed");
    // not read for a while
    std::thread::sleep(Duration::from_millis(500));
    let mut port = Port::open(std::path::Path::new(&path), 57_600).expect("a port");
    let mut wait = |line: &str, is_done: &dyn Fn(&Navigation) -> bool| {
        let end = Instant::now() + LONG;
        loop {
            assert!(Instant::now() < end, "{line}");
            port.write(line).expect("a write");
            for line in port.read_lines().expect("lines") {
                if let Ok(Sentence::Navigation(own)) = Sentence::decode(&line)
                    && is_done(&own)
                {
                    return own;
                }
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let first = wait("", &|own| own.depth_m > 4.0);
    assert!((first.attitude_deg[0] - 90.0).abs() < 30.0, "{first:?}");
    assert!(
        first
            .altitude_m
            .is_some_and(|altitude| (altitude - 55.0).abs() < 3.0)
    );
    wait("nonsense\n$MWCMD,1,2,3*00\n", &|own| {
        own.time_s > first.time_s + 1.0
    });
    let orders = Sentence::SetPoints(SetPoints {
        heading_deg: Some(200.0),
        speed_m_s: Some(1.5),
        depth_m: Some(8.0),
    });
    wait(&orders.encode(), &|own| {
        (own.attitude_deg[0] - 200.0).abs() < 10.0 && (own.depth_m - 8.0).abs() < 0.5
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
