//! Randomized tests: no text and no bytes make the readers panic.
//!
//! The readers accept or reject any world file and any message from the network without a panic.
//! Method: valid input with random changes from a fixed seed; a fixed number of rounds, or rounds
//! for `MERROW_FUZZ_SECONDS`. `fuzz/` contains the same targets for a coverage-guided fuzzer.

use super::bridge_decoders::{BRIDGE_WORLD, decode_bridged};
use super::decoders::decode_all;
use super::moos_decoders::decode_moos;
use crate::samples::samples;
use mavlink::dialects::common::{ATTITUDE_DATA, MavMessage};
use mavlink::{MavHeader, MavlinkVersion, Message};
use merrow_autopilot::ardupilot::packet::{MAGIC_16, MAGIC_32, decode};
use merrow_autopilot::mavlink::commands::react;
use merrow_autopilot::mavlink::frames::{FrameBuffer, encode};
use merrow_autopilot::px4::output_command;
use merrow_model::scene::autopilot::{ServoDevice, ServoOutput};
use merrow_model::state::{Command, FirmwareCommand};
use merrow_moos::message::{Kind, Message as MoosMessage, Value};
use merrow_moos::packet::encode as encode_moos;
use merrow_ros2::msg::catalogue;
use merrow_sim::Simulation;
use merrow_view::action::{
    self, Action, ControlAction, EditAction, MAX_FAULT_S, MAX_GAMEPAD, MAX_WAYPOINTS,
};
use merrow_view::request::Head;
use merrow_world::{Overrides, World, data_dir, load_text};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// xorshift64* generator: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n.max(1)
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Calls `round` `rounds` times, or for `MERROW_FUZZ_SECONDS`.
fn repeat(rounds: usize, mut round: impl FnMut(&mut Random)) {
    let seconds = std::env::var("MERROW_FUZZ_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut random = Random(0x6d65_7272_6f77_2026);
    let mut done = 0;
    while end.map_or(done < rounds, |end| Instant::now() < end) {
        round(&mut random);
        done += 1;
    }
}

/// Replacement values: typical user errors and random values.
const VALUES: &[&str] = &[
    "0",
    "-1",
    "1",
    "1e308",
    "-1e308",
    "1e-308",
    "0.5",
    "10000",
    "18446744073709551615",
    ".nan",
    ".inf",
    "-.inf",
    "~",
    "true",
    "''",
    "[]",
    "{}",
    "[0, 0, 0]",
    "[[0, 1], [1, 2]]",
    "none",
    "{kind: none}",
    "{kind: sphere}",
    "direct",
    "bluerov2",
    "osu_uvms",
    "truth",
    "t200_12v",
    "base_link",
    "*a",
    "&a 1",
    "{extends: robots/rexrov.yaml}",
    "é",
    "|",
];

/// Seeds: every shipped world, and a world for every shipped robot with its model inline.
fn seeds() -> Vec<String> {
    let world = |name: &String| std::fs::read_to_string(data_dir::world_file(name)).unwrap();
    let mut seeds: Vec<String> = data_dir::file_names("worlds").iter().map(world).collect();
    for name in data_dir::file_names("params/robots") {
        let text = std::fs::read_to_string(
            data_dir::params_folders()[0].join(format!("robots/{name}.yaml")),
        )
        .unwrap();
        let model: String = text.lines().map(|line| format!("      {line}\n")).collect();
        seeds.push(format!("robots:\n  r:\n    model:\n{model}"));
    }
    seeds
}

/// Returns `text` with one value, line or group of characters changed.
fn changed(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=random.below(4) {
        let n = random.below(lines.len());
        let Some(line) = lines.get(n).cloned() else {
            break;
        };
        match random.below(8) {
            0 => drop(lines.remove(n)),
            1 => lines.insert(n, line),
            2 => lines.swap(n, 0),
            3 => lines[n] = line.chars().rev().collect(),
            4 => lines[n] = format!(" {line}"),
            _ => lines[n] = with_value(&line, VALUES[random.below(VALUES.len())], random),
        }
    }
    lines.join("\n") + "\n"
}

/// Returns `line` with one of its values replaced, that is, text after a colon, a comma or a
/// bracket.
fn with_value(line: &str, value: &str, random: &mut Random) -> String {
    let starts: Vec<usize> = line
        .match_indices([':', ',', '['])
        .map(|(at, mark)| at + mark.len())
        .collect();
    if starts.is_empty() {
        return line.to_owned();
    }
    let start = *random.pick(&starts);
    let rest = &line[start..];
    let end = start + rest.find([',', ']', '}']).unwrap_or(rest.len());
    format!("{} {value}{}", &line[..start], &line[end..])
}

/// Runs three steps of an accepted world. Large grids are skipped because of their run time.
fn run(world: World) {
    if world.scene.robots.len() <= 8 {
        let mut simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
        simulation.advance(3);
    }
}

#[test]
fn no_world_makes_the_reader_or_the_step_panic() {
    let seeds = seeds();
    repeat(150, |random| {
        let text = changed(random.pick::<String>(&seeds), random);
        match load_text("fuzz.yaml", &text, Overrides::default()) {
            Ok(world) => run(world),
            Err(problems) => {
                assert!(!problems.is_empty(), "rejected without a reason:\n{text}");
                let lines = problems
                    .iter()
                    .all(|problem| problem.to_string().lines().count() == 1);
                assert!(lines, "a message of several lines: {problems}\nof\n{text}");
            }
        }
    });
}

#[test]
fn no_bytes_make_the_decoders_panic() {
    let seeds: Vec<Vec<u8>> = samples(catalogue())
        .into_iter()
        .filter_map(|sample| sample.cdr.ok())
        .collect();
    assert!(
        seeds
            .iter()
            .all(|bytes| decode_all(bytes) > 0 || bytes.len() < 64),
        "a sample that no reader accepts"
    );
    repeat(5000, |random| {
        let mut bytes = random.pick(&seeds).clone();
        damage(&mut bytes, random);
        decode_all(&bytes);
    });
}

// No bytes make the readers of MOOS panic: packets to client and server, logs, mission files. Method:
// packets, logs and files with random changes, 200,000 of them, and millions in the slow stage.
#[test]
fn no_bytes_make_the_readers_of_moos_panic() {
    let position = MoosMessage::notify("NAV_X", 12.5, 1e9).from("uSimMarineV22");
    let report = MoosMessage::notify("NODE_REPORT", "NAME=alpha,X=12.5,Y=-3", 1e9);
    let of_kind = |kind, key: &str, value: &str| MoosMessage::new(kind, key, value, 1.0);
    let requests = vec![
        of_kind(Kind::Register, "NAV_X", "0.1"),
        of_kind(
            Kind::RegisterPattern,
            "*",
            "AppPattern=*,VarPattern=NAV_*,Interval=0",
        ),
        of_kind(Kind::Request, "ALL", ""),
        MoosMessage::notify("IMAGE", Value::Binary(vec![0, 255, 10]), 2.0),
    ];
    let packets = [vec![position, report], requests, vec![]];
    let mut seeds: Vec<Vec<u8>> = packets
        .iter()
        .map(|messages| encode_moos(messages))
        .collect();
    assert!(seeds.iter().take(2).all(|bytes| decode_moos(bytes) > 1));
    seeds.push(
        b"%% LOGSTART 8949571260.59\n1.234   NAV_X  uSimMarineV22  12.5\n2.0 A b \"c\nd\"\n"
            .to_vec(),
    );
    seeds.push(b"ServerHost = localhost\n#include a.moos\n#ifdef X 1\nServerPort = $(P=9000)\n#endif\nProcessConfig = ANTLER\n{\n Run = MOOSDB @ NewConsole = false ~ a\n}\n".to_vec());
    repeat(200_000, |random| {
        let mut bytes = random.pick(&seeds).clone();
        damage(&mut bytes, random);
        decode_moos(&bytes);
    });
}

/// Changes, inserts, removes or repeats some bytes, of which 4096 stay.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len() + 1);
        match random.below(5) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, random.below(256) as u8),
            2 if at + 4 <= bytes.len() => {
                let huge = random
                    .pick(&[u32::MAX, i32::MAX as u32, 1 << 20, 255, 0])
                    .to_le_bytes();
                bytes[at..at + 4].copy_from_slice(&huge);
            }
            3 => bytes.extend_from_within(at..),
            _ if at < bytes.len() => bytes[at] = random.below(256) as u8,
            _ => {}
        }
    }
    bytes.truncate(4096);
}

// No packet makes the decoder of an autopilot's outputs panic, and each accepted one gives commands
// in range. Method: a million packets with random changes.
#[test]
fn no_packet_makes_the_autopilot_decoder_panic() {
    let output = ServoOutput {
        channel: 0,
        device: ServoDevice::Thruster(0),
        input: [1100.0, 1500.0, 1900.0],
        command: [-1.0, 0.0, 1.0],
    };
    repeat(1_000_000, |random| {
        let (magic, count) = *random.pick(&[(MAGIC_16, 16), (MAGIC_32, 32), (0, 0)]);
        let mut bytes = magic.to_le_bytes().to_vec();
        bytes.extend((0..6 + 2 * count).map(|_| random.below(256) as u8));
        match random.below(4) {
            0 => bytes.truncate(random.below(bytes.len())),
            1 => bytes.extend_from_within(random.below(bytes.len())..),
            _ => {}
        }
        if let Ok(packet) = decode(&bytes) {
            let commands = packet
                .pwm
                .map(|pwm| output.command_from_input(f64::from(pwm)));
            assert!(
                commands.iter().all(|c| (-1.0..=1.0).contains(c)),
                "{packet:?}"
            );
        }
    });
}

// No bytes make the decoder of MAVLink panic, nor later frames be lost. Method: a million chunks of
// bytes; after every 16th, valid frames. Tolerance: random bytes contain the length of a frame of
// up to 280 bytes, which hides at most 8 valid frames of 40 bytes.
#[test]
fn no_bytes_make_the_mavlink_decoder_panic() {
    let message = MavMessage::ATTITUDE(ATTITUDE_DATA {
        yawspeed: 1.0,
        ..ATTITUDE_DATA::default()
    });
    let frame = encode(1, 0, &message);
    assert_eq!(frame.len(), 40);
    let (mut buffer, mut bursts) = (FrameBuffer::default(), [0; 2]);
    let mut round = 0;
    repeat(1_000_000, |random| {
        let mut bytes = frame.clone();
        match random.below(4) {
            0 => bytes.truncate(random.below(bytes.len())),
            1 => {
                bytes = (0..random.below(40))
                    .map(|_| random.below(256) as u8)
                    .collect()
            }
            2 => bytes[random.below(frame.len())] = random.below(256) as u8,
            _ => {}
        }
        buffer.push(&bytes);
        while buffer.next_message().is_some() {}
        round += 1;
        if round % 16 == 0 {
            (0..20).for_each(|_| buffer.push(&frame));
            let received = std::iter::from_fn(|| buffer.next_message());
            let found = received.filter(|(_, found)| *found == message).count();
            assert!(found >= 12, "{found} of 20 frames after {bytes:?}");
            bursts = [bursts[0] + found, bursts[1] + 20];
        }
    });
    let [found, sent] = bursts;
    assert!(
        found as f64 > 0.95 * f64::from(sent as u32),
        "{found} of {sent} frames"
    );
}

// No request of a ground station makes the simulator panic, and its commands are in range. Method:
// a million messages with random payloads, for robots with three kinds of firmware.
#[test]
fn no_request_makes_the_telemetry_panic() {
    let text = "robots: {a: {model: bluerov2}, b: {model: firefly, position_m: [9, 0, 9]}, c: {model: rover, position_m: [0, 9, 9]}}";
    let scene =
        load_text("fuzz.yaml", text, Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    let mut simulation = Simulation::new(Arc::new(scene.scene), 1).unwrap();
    let (mut applied, mut refused) = (0, 0);
    // MANUAL_CONTROL, COMMAND_LONG, SET_MODE, PARAM_REQUEST_READ and _LIST, MISSION_REQUEST_LIST
    let messages = [(69, 10), (76, 30), (11, 4), (20, 2), (21, 0), (43, 0)];
    repeat(1_000_000, |random| {
        let (id, target) = *random.pick(&messages);
        let mut payload: Vec<u8> = (0..40).map(|_| random.below(256) as u8).collect();
        payload[target] = random.below(3) as u8;
        if id == 76 {
            let command: u16 = *random.pick(&[400, 176, 512, 246]);
            payload[28..30].copy_from_slice(&command.to_le_bytes());
            let parameter: f32 = *random.pick(&[0.0, 1.0, 2.5, -1.0, f32::NAN, 1e30, 148.0]);
            payload[..4].copy_from_slice(&parameter.to_le_bytes());
            payload[4..8].copy_from_slice(&parameter.to_le_bytes());
        }
        let Ok(message) = MavMessage::parse(MavlinkVersion::V2, id, &payload) else {
            return;
        };
        let robot = random.below(3);
        let reaction = react((MavHeader::default(), &message), 1, robot, &simulation);
        for command in &reaction.commands {
            if let Command::Firmware(_, FirmwareCommand::Joystick { sticks, .. }) = command {
                assert!(sticks.iter().all(|x| x.abs() <= 1.0), "{message:?}");
            }
            match simulation.apply(command) {
                Ok(()) => applied += 1,
                Err(_) => refused += 1,
            }
        }
        assert!(reaction.replies(true).len() <= 2, "{message:?}");
    });
    assert!(
        applied > 0 && refused > 0,
        "{applied} applied, {refused} refused"
    );
    simulation.advance(3);
}

// No outputs of PX4 give a command out of range. Method: a million controls of random bits.
#[test]
fn no_outputs_of_px4_leave_the_range() {
    let output = |channel| ServoOutput {
        channel,
        device: ServoDevice::Thruster(0),
        input: [-1.0, 0.0, 1.0],
        command: [-2.0, 0.0, 3.0],
    };
    let (mut accepted, mut refused) = (0, 0);
    repeat(1_000_000, |random| {
        let mut word = || (random.below(65536) << 16 | random.below(65536)) as u32;
        let controls = [word(), word() & 0x7fff_ffff, word() | 0x7f80_0000].map(f32::from_bits);
        for channel in 0..4 {
            match output_command(&output(channel), &controls) {
                Ok(value) => {
                    assert!(controls[channel].is_finite() && (-2.0..=3.0).contains(&value));
                    accepted += 1;
                }
                Err(why) => {
                    assert!(
                        controls.get(channel).is_none_or(|x| !x.is_finite()),
                        "{why}"
                    );
                    refused += 1;
                }
            }
        }
    });
    assert!(accepted > 0 && refused > 0);
}

// No payload makes the decoders of packets of bridges panic, and each accepted message or call
// belongs to its bridge and has the bytes of the payload. Method: a million deliveries with random
// modems, numbers of bridges and lengths.
#[test]
fn no_payload_makes_the_bridge_decoders_panic() {
    let world = load_text("bridges.yaml", BRIDGE_WORLD, Overrides::default());
    let scene = world.unwrap_or_else(|problems| panic!("{problems}")).scene;
    assert_eq!((scene.bridges.len(), scene.service_bridges.len()), (2, 1));
    let (mut messages, mut calls, mut refused) = (0, 0, 0);
    repeat(1_000_000, |random| {
        let modem = |random: &mut Random| *random.pick(&[0, 1, 2, 3, 255]);
        let mut bytes = vec![modem(random), modem(random), random.below(4) as u8];
        let bridge = *random.pick(&[0, 1, 2, 3, 4, u16::MAX]);
        bytes.extend(bridge.to_le_bytes());
        bytes.extend((0..random.below(12)).map(|_| random.below(256) as u8));
        if random.below(8) == 0 {
            bytes.truncate(random.below(bytes.len()));
        }
        match decode_bridged(&scene, &bytes) {
            [true, _] => messages += 1,
            [_, true] => calls += 1,
            _ => refused += 1,
        }
    });
    assert!(messages > 0 && calls > 0 && refused > 0);
}

// The fuzz targets compile after crates were split or renamed. Method: `fuzz/Cargo.toml` declares
// every target, and every crate of the workspace that a target or its shared decoders use.
#[test]
fn fuzz_targets_declare_their_crates() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let declared = text("fuzz/Cargo.toml");
    let mut crates = std::collections::BTreeSet::new();
    let folder = std::fs::read_dir(root.join("fuzz/fuzz_targets")).unwrap();
    let mut files: Vec<_> = folder
        .map(|entry| format!("fuzz/fuzz_targets/{}", entry.unwrap().file_name().display()))
        .collect();
    for file in &files {
        assert!(
            declared.contains(file.trim_start_matches("fuzz/")),
            "{file}"
        );
    }
    for shared in ["decoders.rs", "bridge_decoders.rs", "moos_decoders.rs"] {
        files.push(format!("test/input/format/{shared}"));
    }
    for file in files {
        let text = text(&file);
        let used = text
            .lines()
            .filter_map(|line| line.strip_prefix("use merrow"));
        crates.extend(used.filter_map(|rest| Some(format!("merrow{}", rest.split_once("::")?.0))));
    }
    assert!(crates.len() > 3, "{crates:?}");
    for name in crates {
        let key = format!("\n{} = ", name.replace('_', "-"));
        assert!(declared.contains(&key), "{name}");
    }
}

/// Messages of clients of the live view, one per action, and the head of a request.
const VIEW_MESSAGES: [&str; 33] = [
    r#"{"do":"pause","id":1}"#,
    r#"{"do":"resume"}"#,
    r#"{"do":"reset","id":9}"#,
    r#"{"do":"seek","time_s":12.5}"#,
    r#"{"do":"overlay","on":true}"#,
    r#"{"do":"topics","topics":[{"topic":"/rov/imu/data","fields":["a.b[0]"]}]}"#,
    r#"{"do":"network","on":false}"#,
    r#"{"do":"plot","robots":["bluerov2","otter"]}"#,
    r#"{"do":"undo"}"#,
    r#"{"do":"redo"}"#,
    r#"{"do":"save","id":11}"#,
    r#"{"do":"record"}"#,
    r#"{"do":"stop_recording"}"#,
    r#"{"do":"step","steps":100,"id":2}"#,
    r#"{"do":"pace","pace":"realtime","id":3}"#,
    r#"{"do":"set","parameters":{"water.waves.hs_m":1.5,"weather.cloud_cover":0.3}}"#,
    r#"{"do":"drive","robot":"bluerov2","axes":[0.4,-1,0,1e-3],"id":18446744073709551615}"#,
    r#"{"do":"path","robot":"bluerov2","points":[[1,2,-3],[4.5,-6,-1e2]]}"#,
    r#"{"do":"select","robot":null}"#,
    r#"{"do":"watch","images":[{"robot":"bluerov2","sensor":"camera","image":"color"}]}"#,
    r#"{"do":"push","robot":"bluerov2","link":"base_link","force":[1,2,3],"moment":[0,0,1]}"#,
    r#"{"do":"open","world":"pool"}"#,
    r#"{"do":"duplicate","object":"bluerov2","position":[1,2,3]}"#,
    r#"{"do":"add","model":"otter","position":[1,2,-3],"attitude":[0.7071,0,0,0.7071]}"#,
    r#"{"do":"place","object":"otter","position":[1,2,-3],"attitude":[0.6,0,0.8,0],"id":3}"#,
    r#"{"do":"remove","object":"otter","id":4}"#,
    r#"{"do":"undo","id":5}"#,
    r#"{"do":"goal","robot":"bluerov2","position":[1,2,-3],"yaw_deg":90}"#,
    r#"{"do":"gamepad","robot":"bluerov2","axes":[0.4,-1,0,1],"buttons":[true,false]}"#,
    r#"{"do":"mode","robot":"bluerov2","mode":"depth_hold"}"#,
    r#"{"do":"fault","robot":"r","name":"f","device":"imu","kind":"biased","values":{"bias":1},"duration_s":2}"#,
    r#"{"do":"repair","robot":"r","fault":"f"}"#,
    "GET /socket?token=0f&a HTTP/1.1\r\nHost: [::1]:8080\r\nOrigin: http://a\r\n\r\n",
];

// No message of a client of the live view makes the decoder panic; each accepted one has finite
// numbers in range, each refusal is one line of limited length. Method: a million messages with
// random changes.
#[test]
fn no_message_makes_the_decoder_of_the_view_panic() {
    let mut accepted = 0;
    repeat(1_000_000, |random| {
        let mut bytes = random.pick(&VIEW_MESSAGES).as_bytes().to_vec();
        for _ in 0..random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, *random.pick(b"0123456789-+.eE\"{}[],:nul\\\xff\xc3")),
                2 => bytes.extend_from_within(at..),
                _ if at < bytes.len() => bytes[at] = random.below(256) as u8,
                _ => {}
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        if let Ok(head) = Head::parse(&text) {
            let _ = (head.token(), head.host_is_loopback(), head.is_same_origin());
        }
        match action::decode(&text) {
            Ok(message) => {
                accepted += 1;
                assert!(is_in_range(&message.action), "{text}");
            }
            Err(why) => assert!(why.len() < 700 && !why.contains('\n'), "{text}: {why}"),
        }
    });
    assert!(accepted > 0);
}

fn is_in_range(action: &Action) -> bool {
    match action {
        Action::Control(ControlAction::Drive { axes, .. }) => axes.iter().all(|x| x.abs() <= 1.0),
        Action::Control(ControlAction::Path { points, .. }) => {
            let finite = points.iter().flatten().all(|x| x.is_finite());
            finite && (1..=MAX_WAYPOINTS).contains(&points.len())
        }
        Action::Control(ControlAction::Parameters { parameters }) => {
            parameters.iter().all(|(_, x)| x.is_finite())
        }
        Action::Control(ControlAction::Gamepad { axes, buttons, .. }) => {
            let in_range = axes.iter().all(|x| x.abs() <= 1.0);
            in_range && (1..=MAX_GAMEPAD).contains(&axes.len()) && buttons.len() <= MAX_GAMEPAD
        }
        Action::Control(ControlAction::Goal {
            position, yaw_deg, ..
        }) => {
            let yaw_is_valid = yaw_deg.is_none_or(|yaw| yaw.abs() <= 360.0);
            yaw_is_valid && position.iter().all(|x| x.abs() <= 1e7)
        }
        Action::Control(ControlAction::Fault(fault)) => {
            let values_are_finite = fault.values.iter().all(|(_, x)| x.is_finite());
            values_are_finite && (0.0..=MAX_FAULT_S).contains(&fault.duration_s)
        }
        Action::Control(ControlAction::Edit(
            EditAction::Add {
                position, attitude, ..
            }
            | EditAction::Place {
                position, attitude, ..
            },
        )) => {
            let norm = attitude.iter().map(|x| x * x).sum::<f64>().sqrt();
            position.iter().all(|x| x.abs() <= 1e7) && (norm - 1.0).abs() < 1e-9
        }
        _ => true,
    }
}
