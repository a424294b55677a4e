//! Analysis of recordings with the commands `export`, `plot` and `report`.
//!
//! Results equal the content of the bag, and damaged bags are read up to the damage. Method: short
//! runs of bundled worlds with the program itself; the bag is decoded a second time with the
//! message types of the library. Tolerance: none, except where a test states one.

use crate::common::folder::Folder;
use crate::samples::samples;
use merrow::layout::{Tool, layout};
use merrow::topics::{Output, Plan};
use merrow_messages::msg::{Contacts, ModemSchedule, PacketLog, PacketRecord};
use merrow_ros2::bag::read::{RecordedMessage, read_messages};
use merrow_ros2::bag::topics::{BagMessage, BagTopic, visit_messages};
use merrow_ros2::cdr::from_bytes;
use merrow_ros2::dynamic::definition::{Definition, Element, MessageType};
use merrow_ros2::dynamic::value::{ArrayLimits, Leaf};
use merrow_ros2::msg::nav_msgs::Odometry;
use merrow_ros2::msg::sensor_msgs::BatteryState;
use merrow_world::Overrides;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs the program in a folder and returns whether it succeeded, its output and its error output.
fn merrow(folder: &Folder, arguments: &[&str]) -> (bool, String, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_merrow"))
        .args(arguments)
        .current_dir(&folder.0)
        .output()
        .expect("merrow starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        done.status.success(),
        text(&done.stdout),
        text(&done.stderr),
    )
}

/// Records a world for a simulated time [s] into the bag `run`.
fn record(folder: &Folder, world: &str, seconds: &str) -> PathBuf {
    let arguments = [
        "run", world, "--no-ros", "--pace", "max", "--for", seconds, "--record", "run",
    ];
    let (done, _, errors) = merrow(folder, &arguments);
    assert!(done, "{errors}");
    folder.0.join("run/run_0.mcap")
}

/// Returns the odometry of a topic: log time [ns] and message.
fn odometry(bag: &Path, topic: &str) -> Vec<(u64, Odometry)> {
    let topics = HashSet::from([topic.to_owned()]);
    let messages = read_messages(bag, &topics).expect("a bag").into_iter();
    let decode = |cdr: &[u8]| from_bytes(cdr).expect("odometry");
    messages.map(|m| (m.log_time_ns, decode(&m.cdr))).collect()
}

/// Worlds whose network has results at the time of a later event: ranges by two-way and by one-way
/// measurement, and messages that a task handles.
const NETWORKS: [&str; 2] = [
    "
seed: 3
seabed: {depth_m: 200}
robots:
  a: {position_m: [0, 0, -50], model: {extends: robots/taipan300.yaml, modems: {old: {modem: thetis_modem}, new: {modem: evologics_s2c_r_18_34}}}}
  b: {position_m: [30, 40, -50], model: {extends: robots/taipan300.yaml, modems: {old: {modem: thetis_modem}, new: {modem: evologics_s2c_r_18_34}}}}
schedule:
  slow: {time_s: 1, kind: modem_range, from: a/old, to: b/old}
  fast: {time_s: 20, kind: modem_range, from: a/new, to: b/new}
  one_way: {time_s: 30, kind: modem_range, from: a/new, to: b/new, one_way: true}
  text: {time_s: 35, kind: modem_send, from: b/new, to: a/new, text: abc}
",
    "
seabed: {depth_m: 100}
robots:
  auv:
    position_m: [0, 0, -60]
    model:
      extends: robots/rexrov.yaml
      modems: {acoustic: {modem: docking_acoustic, address: 6}}
      computers:
        main:
          scheduling: deadline_monotonic
          tasks:
            receive: {activation: {kind: message}, modems: [acoustic], deadline_s: 0.1, execution: {kind: constant, time_s: 0.012}}
            control: {activation: {kind: periodic, period_s: 0.02}, runs_firmware: true, commands: true, execution: {kind: constant, time_s: 0.003}}
modems:
  dock: {modem: docking_acoustic, address: 1, position_m: [0, 0, -66]}
schedule:
  text: {time_s: 1.001, kind: modem_send, from: dock, to: auv/acoustic, text: abc}
",
];

/// Returns the time in the header of a message, if its type begins with one [ns].
fn header_stamp(cdr: &[u8], definition: &str) -> Option<u64> {
    let lines = definition.lines().map(str::trim);
    let first = lines
        .into_iter()
        .find(|line| !line.is_empty() && !line.starts_with('#'))?;
    if !first.starts_with("std_msgs/Header ") {
        return None;
    }
    // encapsulation of four bytes, then seconds and nanoseconds
    let number = |at: usize| cdr[at..at + 4].try_into().map(u32::from_le_bytes);
    let [seconds, rest] = [4, 8].map(|at| u64::from(number(at).expect("a stamp")));
    Some(1_000_000_000 * seconds + rest)
}

// The log times of a bag are causal: no message is logged before its stamp, before the ends of the
// frames and intervals that it contains, or before an earlier message of its topic. Method: all
// messages of recordings of the worlds above.
#[test]
fn log_times_are_causal() {
    for (k, text) in NETWORKS.iter().enumerate() {
        let folder = Folder::new("causal", &[("w.yaml", text)]);
        let bag = record(&folder, "w.yaml", "40");
        let (mut last, mut results) = (BTreeMap::new(), BTreeSet::new());
        let check = &mut |topic: &BagTopic, message: &BagMessage<'_>| {
            let logged = message.log_time_ns;
            let what = format!("{k}: {} at {logged} ns", topic.name);
            let before = last.insert(topic.name.clone(), logged);
            assert!(before <= Some(logged), "{what} after {before:?}");
            let mut ends = vec![message.publish_time_ns];
            ends.extend(header_stamp(message.cdr, &topic.text));
            match topic.type_name.rsplit('/').next() {
                Some("PacketLog") => {
                    let log: PacketLog = from_bytes(message.cdr).expect("a log");
                    ends.extend(log.packets.iter().map(|record| record.stamp.to_nanos()));
                }
                Some("ModemSchedule") => {
                    let schedule: ModemSchedule = from_bytes(message.cdr).expect("a schedule");
                    ends.extend(schedule.intervals.iter().map(|own| own.end.to_nanos()));
                }
                Some(name @ ("Range" | "Packet")) => {
                    results.insert((name.to_owned(), topic.name.clone()));
                }
                Some(_) | None => {}
            }
            assert!(ends.iter().all(|end| *end <= logged), "{what}: {ends:?}");
            Ok(())
        };
        visit_messages(&bag, check).expect("a bag");
        assert_eq!(results.len(), [4, 1][k], "{results:?}");
    }
}

// Types of the simulator are decoded with the text that bags contain. Method: all samples of the
// catalogue of messages; the numbers and texts of the decoded leaves occur in the sample.
#[test]
fn all_types_of_the_simulator_are_decoded() {
    let limits = ArrayLimits {
        bytes: usize::MAX,
        elements: usize::MAX,
    };
    let samples = samples(merrow_messages::msg::catalogue());
    assert!(samples.len() > 40);
    for sample in samples {
        let (name, text) = (sample.info.name, &sample.info.definition);
        let definition = Definition::parse(name, text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let bytes = sample.cdr.expect("bytes");
        let value = definition
            .decode(&bytes)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut leaves = 0;
        value.visit_leaves(limits, &mut |path, leaf| {
            leaves += 1;
            let pointer = format!("/{}", path.replace(['.', '['], "/").replace(']', ""));
            let expected = &sample.values.pointer(&pointer);
            let expected = expected.unwrap_or_else(|| panic!("{name}: {path}"));
            let is_equal = match leaf {
                Leaf::Time { sec, .. } => expected["sec"].as_i64() == Some(sec),
                Leaf::Text(text) => expected.as_str() == Some(text),
                Leaf::Bool(flag) => expected.as_bool() == Some(flag),
                leaf => expected.as_f64() == leaf.number(),
            };
            assert!(is_equal, "{name}: {path}: {leaf:?}, expected {expected}");
        });
        assert!(leaves > 0, "{name}");
    }
}

// Tables contain the messages of the bag. Method: every row of the odometry against the messages,
// whose numbers are restored exactly; one file per topic that has a table.
#[test]
fn tables_equal_the_messages() {
    let folder = Folder::new("export", &[]);
    let bag = record(&folder, "pool", "3");
    let (done, printed, errors) = merrow(&folder, &["export", "run", "--csv", "tables"]);
    assert!(done, "{errors}");
    let content = visit_messages(&bag, &mut |_, _| Ok(())).expect("a bag");
    assert!(content.notes.is_empty(), "{:?}", content.notes);
    let files = std::fs::read_dir(folder.0.join("tables"))
        .expect("tables")
        .count();
    assert_eq!(files, content.topics.len());
    let messages: u64 = content.topics.iter().map(|topic| topic.count).sum();
    assert_eq!(
        printed.trim(),
        format!("{files} tables with {messages} rows and 0 files in tables")
    );
    let topic = content
        .topics
        .iter()
        .find(|topic| topic.type_name == "nav_msgs/msg/Odometry")
        .expect("odometry");
    let file = format!("tables/{}.csv", topic.name[1..].replace('/', "."));
    let table = std::fs::read_to_string(folder.0.join(file)).expect("a table");
    let mut lines = table.lines();
    let head: Vec<&str> = lines.next().expect("a head").split(',').collect();
    let column = |name: &str| head.iter().position(|n| *n == name).expect(name);
    assert_eq!(
        &head[..3],
        ["log_time_s", "header.stamp", "header.frame_id"]
    );
    let expected = odometry(&bag, &topic.name);
    assert_eq!(lines.clone().count(), expected.len());
    for (line, (log_ns, message)) in lines.zip(expected) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |name: &str| cells[column(name)].parse::<f64>().expect(name);
        let nanoseconds = |s: u64, ns: u64| format!("{}.{:09}", s, ns);
        assert_eq!(
            cells[0],
            nanoseconds(log_ns / 1_000_000_000, log_ns % 1_000_000_000)
        );
        let stamp = &message.header.stamp;
        let stamp = nanoseconds(
            u64::from(stamp.sec.unsigned_abs()),
            u64::from(stamp.nanosec),
        );
        assert_eq!(cells[1], stamp);
        let pose = &message.pose.pose;
        assert_eq!(number("pose.pose.position.z"), pose.position.z);
        assert_eq!(number("pose.pose.orientation.w"), pose.orientation.w);
        assert_eq!(number("pose.covariance[35]"), message.pose.covariance[35]);
        assert_eq!(
            number("twist.twist.angular.y"),
            message.twist.twist.angular.y
        );
    }
}

// Tables and files contain the complete bag. Method: the bundled world with every sensor; every
// leaf of every message is counted in the bag, and every cell, row and file in the folder.
#[test]
fn long_arrays_are_written_completely() {
    let folder = Folder::new("export_arrays", &[]);
    let bag = record(&folder, "every_sensor", "1.3");
    let (done, _, errors) = merrow(&folder, &["export", "run", "--csv", "tables"]);
    assert!(done, "{errors}");
    let [mut numbers, mut bytes, mut images] = [0_u64; 3];
    let limits = ArrayLimits {
        bytes: 32,
        elements: usize::MAX,
    };
    visit_messages(&bag, &mut |topic, message| {
        let definition = topic.definition.as_ref().expect("a definition");
        let value = definition.decode(message.cdr).expect("a message");
        images += u64::from(topic.type_name == "sensor_msgs/msg/Image");
        value.visit_leaves(limits, &mut |_, leaf| match leaf {
            Leaf::Long { .. } => bytes += 1,
            Leaf::Text("") => {}
            _ => numbers += 1,
        });
        Ok(())
    })
    .expect("a bag");
    let [mut cells, mut files, mut pictures] = [0_u64; 3];
    for entry in std::fs::read_dir(folder.0.join("tables")).expect("tables") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            for file in std::fs::read_dir(&path).expect("a folder") {
                let name = file.expect("a file").file_name();
                files += 1;
                let name = name.to_string_lossy().into_owned();
                pictures += u64::from(name.ends_with(".png") || name.ends_with(".pfm"));
            }
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a table");
        let mut lines = text.lines();
        let head = lines.next().expect("a head");
        let is_long = head.starts_with("log_time_s,index,") || head == "log_time_s,field,value";
        for line in lines {
            let is_filled = |cell: &&str| !cell.is_empty();
            cells += match is_long {
                true => 1,
                false => line.split(',').skip(1).filter(is_filled).count() as u64,
            };
        }
    }
    assert!(images > 0 && bytes > images);
    assert_eq!(files, bytes, "one file per array of bytes");
    assert!(pictures >= images, "{pictures} {images}");
    assert_eq!(cells, numbers + bytes);
    assert!(errors.contains("in further files:"), "{errors}");
}

// Figures contain the selected fields, and errors name what was found. Method: a message as the
// field, two fields in one panel, and misspelt names.
#[test]
fn plots_contain_the_selected_fields() {
    let folder = Folder::new("plot", &[]);
    record(&folder, "pool", "2");
    let topic = "/bluerov2/odometry";
    let position = format!("{topic}.pose.pose.position");
    let roll = format!("{topic}.twist.twist.angular.x");
    let (done, printed, errors) =
        merrow(&folder, &["plot", "run", &position, &roll, "-o", "a.svg"]);
    assert!(done, "{errors}");
    assert_eq!(printed.trim(), "4 curves in a.svg");
    let svg = std::fs::read_to_string(folder.0.join("a.svg")).expect("a figure");
    let curves = svg
        .lines()
        .filter(|line| line.contains("stroke-width=\"1.6\""));
    assert_eq!(curves.count(), 4);
    assert!(svg.contains(&format!(">{position}<")) && svg.contains(">time [s]<"));
    for (field, expected) in [
        (
            "/bluerov2/odometri.pose",
            "did you mean `/bluerov2/odometry`?",
        ),
        (
            "/bluerov2/odometry.pose.pose.positon.z",
            "did you mean `pose.pose.position.z`?",
        ),
        (
            "/bluerov2/odometry.child_frame_id",
            "`child_frame_id` is not a number",
        ),
        ("/bluerov2/odometry", "expected TOPIC.FIELD"),
    ] {
        let (done, _, errors) = merrow(&folder, &["plot", "run", field, "-o", "b.svg"]);
        assert!(!done && errors.contains(expected), "{field}: {errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
    let (done, _, errors) = merrow(&folder, &["plot", "run", &roll, "-o", "b.png"]);
    assert!(
        !done && errors.contains("expected a file name that ends in .svg"),
        "{errors}"
    );
}

// The report has the sections of its data, and no others; rates follow from the bag. Method: the
// world of modems; sections, rows of the odometry, and the absence of addresses. Tolerance: rates
// as printed, 1 %.
#[test]
fn reports_contain_the_data_of_the_bag() {
    let folder = Folder::new("report", &[]);
    let bag = record(&folder, "modems", "25");
    let (done, printed, errors) = merrow(&folder, &["report", "run", "-o", "a.html"]);
    assert!(done, "{errors}");
    let sections = printed.trim().strip_prefix("a.html: ").expect("sections");
    let found: BTreeSet<&str> = sections.split(", ").collect();
    for section in [
        "Robot auv_1",
        "Robot boat",
        "Modems",
        "Faults and events",
        "Topics and rates",
    ] {
        assert!(found.contains(section), "{section}: {sections}");
    }
    assert!(!found.contains("Contacts"));
    let html = std::fs::read_to_string(folder.0.join("a.html")).expect("a page");
    for link in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!html.contains(link), "{link}");
    }
    assert!(html.contains("prefers-color-scheme: dark"));
    let topic = "/auv_1/odometry";
    let messages = odometry(&bag, topic);
    let start = format!("<tr><td>{topic}</td><td>nav_msgs/msg/Odometry<");
    let row = html.lines().find(|line| line.starts_with(&start));
    let cells: Vec<&str> = row.expect("a row").split("</td>").collect();
    let number = |k: usize| -> f64 {
        let cell = cells[k].rsplit('>').next().expect("a cell");
        cell.parse().expect("a number")
    };
    assert_eq!(number(2), messages.len() as f64);
    let span = (messages[messages.len() - 1].0 - messages[0].0) as f64 * 1e-9;
    let rate = (messages.len() - 1) as f64 / span;
    assert!(
        (number(5) - rate).abs() < 0.01 * rate,
        "{} {rate}",
        number(5)
    );
    assert!(cells[4].ends_with(">recorder"), "{}", cells[4]);
    assert!(
        (number(3) - rate).abs() < 0.01 * rate,
        "{} {rate}",
        number(3)
    );
}

/// Returns the cells of the table of a page whose first column has the name `first`.
fn table_rows<'p>(page: &'p str, first: &str) -> Vec<Vec<&'p str>> {
    let head = format!("<tr><th>{first}</th>");
    let table = page
        .split("<table>")
        .find(|t| t.trim_start().starts_with(&head));
    let table = table.unwrap_or_else(|| panic!("no table {first}"));
    let table = table.split("</table>").next().expect("a table");
    let cells = |line: &'p str| -> Vec<&'p str> {
        let cells = line.split("</td>").filter(|cell| cell.contains("<td"));
        cells.filter_map(|cell| cell.rsplit('>').next()).collect()
    };
    table
        .lines()
        .skip(2)
        .map(cells)
        .filter(|row| !row.is_empty())
        .collect()
}

/// Returns the figure of a page with this title.
fn figure<'p>(page: &'p str, title: &str) -> &'p str {
    let mut figures = page.split("<svg").skip(1);
    let found = figures.find(|figure| figure.contains(&format!(">{title}<")));
    let found = found.unwrap_or_else(|| panic!("no figure {title}"));
    found.split("</svg>").next().expect("a figure")
}

/// Returns a time of a message [s].
fn seconds(time: &merrow_ros2::msg::builtin_interfaces::Time) -> f64 {
    f64::from(time.sec) + 1e-9 * f64::from(time.nanosec)
}

// Figures and tables of a robot and of contacts agree with the messages. Method: world `sea_floor`,
// with a BlueROV2 and crates at rest on the seabed; titles of the figures, length of the track,
// energy of the battery, number of contacts and maximum force. Tolerance: numbers as printed.
#[test]
fn robots_and_contacts_of_a_report_agree_with_the_messages() {
    let folder = Folder::new("report_robot", &[]);
    let bag = record(&folder, "sea_floor", "6");
    let (done, _, errors) = merrow(&folder, &["report", "run", "-o", "a.html"]);
    assert!(done, "{errors}");
    let page = std::fs::read_to_string(folder.0.join("a.html")).expect("a page");
    let topic = "/bluerov2/odometry";
    for kind in ["Plan view", "Attitude", "Speeds"] {
        figure(&page, &format!("{kind}, {topic}"));
    }
    for title in [
        "Depth",
        "Thrusters, from the diagnostics",
        "Battery",
        "Contacts",
        "Pace",
    ] {
        figure(&page, title);
    }
    let positions: Vec<_> = odometry(&bag, topic)
        .into_iter()
        .map(|(_, message)| message.pose.pose.position)
        .collect();
    let steps = positions.windows(2).map(|pair| {
        let [a, b] = [&pair[0], &pair[1]];
        (b.x - a.x).hypot(b.y - a.y).hypot(b.z - a.z)
    });
    let length = number(table_rows(&page, "track")[0][1]);
    assert!((steps.sum::<f64>() - length).abs() < 6e-3, "{length}");

    let topics = HashSet::from(["/bluerov2/battery_state".to_owned()]);
    let power = |message: RecordedMessage| {
        let state: BatteryState = from_bytes(&message.cdr).expect("a battery state");
        let power = -f64::from(state.voltage) * f64::from(state.current);
        [message.log_time_ns as f64 * 1e-9, power]
    };
    let messages = read_messages(&bag, &topics).expect("a bag").into_iter();
    let samples: Vec<[f64; 2]> = messages.map(power).collect();
    let areas = samples
        .windows(2)
        .map(|pair| 0.5 * (pair[0][1] + pair[1][1]) * (pair[1][0] - pair[0][0]));
    let energy = areas.sum::<f64>() / 3600.0;
    let row = &table_rows(&page, "battery")[0];
    assert!(
        energy > 0.01 && (number(row[3]) - energy).abs() < 6e-4,
        "{energy}: {row:?}"
    );

    let topics = HashSet::from(["/contacts".to_owned()]);
    let messages = read_messages(&bag, &topics).expect("a bag").into_iter();
    let contacts: Vec<_> = messages
        .flat_map(|m| from_bytes::<Contacts>(&m.cdr).expect("contacts").contacts)
        .collect();
    let force = |c: &merrow_messages::msg::Contact| c.force.x.hypot(c.force.y).hypot(c.force.z);
    let rows = table_rows(&page, "bodies");
    let count: f64 = rows.iter().map(|row| number(row[1])).sum();
    assert!(count > 100.0 && count == contacts.len() as f64, "{rows:?}");
    let max = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let expected = max(&mut contacts.iter().map(force));
    let found = max(&mut rows.iter().map(|row| number(row[5])));
    assert!(
        (found - expected).abs() < 6e-3,
        "{found}, expected {expected}"
    );
}

/// Returns the position of a modem of the world `modems` at a time, from its recorded odometry [m].
fn modem_position(tracks: &[(&str, Vec<(u64, Odometry)>)], modem: &str, time: f64) -> [f64; 3] {
    let Some((robot, _)) = modem.split_once('/') else {
        assert_eq!(modem, "shore");
        return [400.0, 0.0, 6.0];
    };
    let (_, samples) = tracks
        .iter()
        .find(|(name, _)| *name == robot)
        .expect("a robot");
    let at = |k: usize| {
        let (_, message) = &samples[k];
        let p = &message.pose.pose.position;
        (seconds(&message.header.stamp), [p.x, p.y, p.z])
    };
    let after = samples
        .partition_point(|(_, m)| seconds(&m.header.stamp) < time)
        .max(1);
    let ((t0, a), (t1, b)) = (at(after - 1), at(after));
    let part = (time - t0) / (t1 - t0);
    [0, 1, 2].map(|k| a[k] + part * (b[k] - a[k]))
}

/// Returns the number in a cell of a table; NaN without one.
fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or(f64::NAN)
}

/// Compares the table of the links with the packets.
fn check_links(page: &str, packets: &[PacketRecord]) {
    let links = table_rows(page, "link");
    let total: f64 = links.iter().map(|row| number(row[1])).sum();
    assert_eq!(total, packets.len() as f64);
    assert!(links.len() >= 5, "{links:?}");
    for row in &links {
        let is_own = |p: &&PacketRecord| row[0] == format!("{} to {}", p.transmitter, p.receiver);
        let own: Vec<&PacketRecord> = packets.iter().filter(is_own).collect();
        let received: Vec<_> = own.iter().filter(|p| p.cause.is_empty()).collect();
        let n = received.len() as f64;
        let counts = [number(row[1]), number(row[2])];
        assert_eq!(counts, [own.len() as f64, n], "{row:?}");
        let bits: f64 = received.iter().map(|p| f64::from(p.bits)).sum();
        assert!(
            (number(row[4]) - bits / 8.0).abs() < 0.51,
            "{bits}: {row:?}"
        );
        let delays = received
            .iter()
            .map(|p| seconds(&p.stamp) - seconds(&p.start));
        let error = number(row[6]) - delays.sum::<f64>() / n;
        assert!(n == 0.0 || error.abs() < 6e-4, "{error}: {row:?}");
    }
}

/// Compares the table of delivery over distance with the packets; returns the number of its rows.
fn check_distances(page: &str, bag: &Path, packets: &[PacketRecord]) -> usize {
    let robots = ["auv_1", "auv_2", "boat"];
    let tracks = robots.map(|robot| (robot, odometry(bag, &format!("/{robot}/odometry"))));
    let distance = |p: &PacketRecord| {
        let time = seconds(&p.start);
        let ends = [&p.transmitter, &p.receiver];
        let [a, b] = ends.map(|modem| modem_position(&tracks, modem, time));
        let square = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>();
        square.sqrt()
    };
    let sent: Vec<_> = packets.iter().filter(|p| p.bits > 0).collect();
    let bins = table_rows(page, "first modem of the network");
    let total: f64 = bins.iter().map(|row| number(row[3])).sum();
    assert_eq!(total, sent.len() as f64, "{bins:?}");
    for row in &bins {
        let is_radio = row[0] == "boat/radio";
        assert!(is_radio || row[0] == "auv_1/acoustic", "{row:?}");
        let range = number(row[1])..number(row[2]);
        let is_own = |p: &&&PacketRecord| {
            p.receiver.ends_with("acoustic") != is_radio && range.contains(&distance(p))
        };
        let own: Vec<_> = sent.iter().filter(is_own).collect();
        let received = own.iter().filter(|p| p.cause.is_empty()).count();
        let counts = [number(row[3]), number(row[4])];
        assert_eq!(counts, [own.len() as f64, received as f64], "{row:?}");
        assert!(
            !is_radio || (number(row[1]) - 400.0).abs() < 51.0,
            "{row:?}"
        );
    }
    bins.len()
}

// Tables and figures of the modems agree with the recorded packets. Method: world `modems`, with a
// fixed modem; frames, bytes and delays of each link, frames by distance, numbers of drawn links
// and points. Tolerance: numbers as printed.
#[test]
fn modems_of_a_report_agree_with_the_packets() {
    let folder = Folder::new("report_modems", &[]);
    let bag = record(&folder, "modems", "25");
    let (done, _, errors) = merrow(&folder, &["report", "run", "-o", "a.html"]);
    assert!(done, "{errors}");
    let html = std::fs::read_to_string(folder.0.join("a.html")).expect("a page");
    let page = html.split("<h2>Modems</h2>").nth(1).expect("a section");
    let page = page.split("</section>").next().expect("a section");
    let topics = HashSet::from(["/network/packets".to_owned()]);
    let messages = read_messages(&bag, &topics).expect("a bag").into_iter();
    let logs = messages.map(|m| from_bytes::<PacketLog>(&m.cdr).expect("packets"));
    let packets: Vec<PacketRecord> = logs.flat_map(|log| log.packets).collect();
    check_links(page, &packets);
    let bins = check_distances(page, &bag, &packets);
    let marks = |title: &str| figure(page, title).matches("<polygon").count();
    assert_eq!(marks("Delivery of transmitted frames over distance"), bins);
    let received = packets.iter().filter(|p| p.cause.is_empty()).count();
    let title = "Delay from the start of the transmission to the end of the arrival";
    assert_eq!(marks(title), received);
    let plan = figure(page, "Links between the modems, by received frames");
    let pair = |p: &PacketRecord| BTreeSet::from([p.transmitter.clone(), p.receiver.clone()]);
    let sent = packets.iter().filter(|p| p.bits > 0);
    let pairs: BTreeSet<_> = sent.map(pair).collect();
    // one line per pair and one point per place
    let curves = plan.matches("stroke-width=\"1.6\"").count();
    assert_eq!(curves, pairs.len() + 4);
    for name in ["auv_1", "auv_2", "boat", "shore"] {
        assert!(plan.contains(&format!(">{name}<")), "{name}");
    }
    let schedule = figure(page, "Schedule of the modems");
    assert!(schedule.contains(">transmit<") && schedule.contains(">boat/radio<"));
}

// Damaged bags are read up to the damage, and other files are refused. Method: a bag cut at half
// its length and with a changed byte; a text, an empty file and a missing file.
#[test]
fn damaged_bags_are_read_up_to_the_damage() {
    let folder = Folder::new(
        "damaged",
        &[("text.mcap", "this is not a bag"), ("empty.mcap", "")],
    );
    let bag = record(&folder, "pool", "2");
    let bytes = std::fs::read(&bag).expect("a bag");
    std::fs::write(folder.0.join("cut.mcap"), &bytes[..bytes.len() / 2]).expect("a file");
    let (done, printed, errors) = merrow(&folder, &["export", "cut.mcap", "--csv", "cut"]);
    assert!(
        done && errors.contains("the file ends inside a record; read "),
        "{errors}"
    );
    assert!(printed.contains(" tables with "), "{printed}");
    let mut changed = bytes.clone();
    let middle = changed.len() / 2;
    changed[middle..middle + 64].fill(0xa5);
    std::fs::write(folder.0.join("changed.mcap"), &changed).expect("a file");
    // the result depends on the record, but it is a note or an error, never a panic
    let (_, _, errors) = merrow(&folder, &["report", "changed.mcap", "-o", "c.html"]);
    assert!(
        !errors.is_empty() && !errors.contains("panicked"),
        "{errors}"
    );
    for (file, expected) in [
        ("text.mcap", "expected an MCAP file"),
        ("empty.mcap", "expected an MCAP file, found 0 bytes"),
        (
            "missing.mcap",
            "does not exist; expected an MCAP file or the folder of a bag",
        ),
        ("cut", "found no MCAP file"),
    ] {
        let (done, _, errors) = merrow(&folder, &["report", file, "-o", "d.html"]);
        assert!(!done && errors.contains(expected), "{file}: {errors}");
        assert!(errors.starts_with(&format!("merrow: {file}: ")), "{errors}");
    }
}

/// Returns the name of a topic with a leading slash.
fn absolute(topic: &str) -> String {
    format!("/{}", topic.trim_start_matches('/'))
}

/// Returns true if the type of a topic has the field at a path.
fn has_field(all: &Definition, message: &MessageType, path: &str) -> bool {
    let (name, rest) = match path.split_once('.') {
        Some((name, rest)) => (name, Some(rest)),
        None => (path, None),
    };
    let field = message.fields.iter().find(|field| field.name == name);
    field.is_some_and(|field| match (field.element, rest) {
        (Element::Message(index), Some(rest)) => has_field(all, all.message(index), rest),
        (Element::Primitive(_), None) => true,
        _ => false,
    })
}

/// Checks that a panel of Foxglove names existing topics, and returns the number of its curves.
fn check_panel(panel: &serde_json::Value, outputs: &[Output]) -> usize {
    let output = |topic: &str| {
        let found = outputs.iter().find(|o| absolute(&o.topic) == topic);
        found.unwrap_or_else(|| panic!("no topic {topic}"))
    };
    let mut curves = 0;
    for path in panel["paths"].as_array().into_iter().flatten() {
        let path = path["value"].as_str().expect("a path");
        let (topic, field) = path.split_once('.').expect("a field");
        let structure = &output(topic).info.structure;
        assert!(has_field(structure, structure.root(), field), "{path}");
        curves += 1;
    }
    let layers = panel["layers"].as_object().into_iter().flatten();
    let topics = layers.map(|(_, layer)| &layer["topic"]);
    let image = &panel["imageMode"]["imageTopic"];
    let others = [image, &panel["followTopic"], &panel["topicToRender"]];
    for topic in topics.chain(others).filter_map(|topic| topic.as_str()) {
        output(topic);
    }
    for (topic, _) in panel["topics"].as_object().into_iter().flatten() {
        output(topic);
    }
    curves
}

/// Checks that the curves of PlotJuggler are existing fields, and returns their number.
fn check_curves(xml: &str, outputs: &[Output]) -> usize {
    let curves = xml.split("<curve name=\"").skip(1);
    let curves: Vec<&str> = curves.filter_map(|rest| rest.split('"').next()).collect();
    for curve in &curves {
        let exists = outputs.iter().any(|output| {
            let field = curve.strip_prefix(&format!("{}/", absolute(&output.topic)));
            let path = field.map(|field| field.replace('/', "."));
            let structure = &output.info.structure;
            path.is_some_and(|path| has_field(structure, structure.root(), &path))
        });
        assert!(exists, "{curve}");
    }
    curves.len()
}

/// Checks that the displays of a configuration of RViz show existing topics of their types, that
/// its tools send to topics with subscriptions, and that RViz can read the file as YAML.
fn check_rviz(text: &str, plan: &Plan) {
    let mut problems = merrow_yaml::error::Problems::new();
    merrow_yaml::parse::parse("robot.rviz", text, &mut problems);
    assert!(problems.is_empty(), "{problems}");
    let (mut class, mut shown) = ("", 0);
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("- Class: rviz_default_plugins/") {
            class = name;
        }
        let Some(topic) = line.strip_prefix("Value: ") else {
            continue;
        };
        shown += 1;
        let name = topic.trim_start_matches('/');
        if class == "SetGoal" {
            assert!(
                plan.inputs.iter().any(|input| input.topic == name),
                "{topic}"
            );
            continue;
        }
        let output = plan.outputs.iter().find(|output| output.topic == name);
        let info = output.unwrap_or_else(|| panic!("{topic}")).info.name;
        let is_of_class = match class {
            "RobotModel" => info == "std_msgs/msg/String",
            class => info.contains(&format!("/msg/{class}")),
        };
        assert!(is_of_class, "{topic}: {info} in {class}");
    }
    assert!(shown >= 1, "{text}");
}

// The shipped layouts name topics and fields that exist. Method: the layouts of every robot equal
// the generated layouts; all topics of Foxglove and all curves of PlotJuggler against the topics
// and types of the world of the robot.
#[test]
fn shipped_layouts_name_existing_topics() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut total = 0;
    for name in merrow_world::data_dir::file_names("params/robots") {
        let text = format!("robots: {{{name}: {{model: {name}}}}}");
        let world = merrow_world::load_text("layout.yaml", &text, Overrides::default());
        let scene = world.unwrap_or_else(|p| panic!("{p}")).scene;
        for (tool, file) in [
            (Tool::Foxglove, format!("config/foxglove/{name}.json")),
            (Tool::PlotJuggler, format!("config/plotjuggler/{name}.xml")),
            (
                Tool::Rviz,
                format!("ros/merrow_bringup/config/rviz/{name}.rviz"),
            ),
        ] {
            let path = root.join(&file);
            let generated = layout(&scene, tool, None);
            if std::env::var_os("MERROW_BLESS").is_some() {
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                std::fs::write(&path, &generated).expect("a file");
            }
            let shipped = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                shipped == generated,
                "{file}; run MERROW_BLESS=1 cargo test layouts to regenerate it"
            );
        }
        let outputs = Plan::new(&scene).outputs;
        check_rviz(&layout(&scene, Tool::Rviz, Some(0)), &Plan::new(&scene));
        let text = layout(&scene, Tool::Foxglove, None);
        let foxglove: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let panels = foxglove["configById"].as_object().expect("panels");
        let curves: usize = panels.values().map(|p| check_panel(p, &outputs)).sum();
        let xml = layout(&scene, Tool::PlotJuggler, None);
        assert_eq!(check_curves(&xml, &outputs), curves, "{name}");
        total += curves;
    }
    assert!(total > 200, "{total} curves");
}

// The task of a report agrees with the summary of the run. Method: a boat that passes one of two
// waypoints; table of the robots, events and title of the figure.
#[test]
fn tasks_of_a_report_agree_with_the_run() {
    let folder = Folder::new(
        "report_task",
        &[(
            "task.yaml",
            "robots: {boat: {model: wamv}}\n\
             task: {kind: waypoints, ready_duration_s: 1, running_duration_s: 3, \
             waypoints: [{position_m: [0, 0, 0]}, {position_m: [90, 0, 0]}]}\n",
        )],
    );
    record(&folder, "task.yaml", "6");
    let (done, printed, errors) = merrow(&folder, &["report", "run", "-o", "a.html"]);
    assert!(done, "{errors}");
    assert!(printed.contains("a.html: Task, "), "{printed}");
    let html = std::fs::read_to_string(folder.0.join("a.html")).expect("a page");
    assert!(html.contains("waypoints (waypoints): score 10.000, higher is better; finished after 3.0 s, the time was over."));
    let robot = &table_rows(&html, "robot")[0];
    assert_eq!(
        robot[..6],
        ["boat", "10.000", "0.000", "0", "1", "2"],
        "{robot:?}"
    );
    assert!(
        robot[6].starts_with("waypoints_reached 1.000, distance_to_waypoint "),
        "{robot:?}"
    );
    assert!(html.contains("<td>reached waypoint 0</td>"), "no event");
    figure(&html, "Task");
}

// Runs end with the task of their world, at a time that does not depend on the machine. Method: the
// same run with and without --until-finished, and with another number of threads.
#[test]
fn runs_end_with_their_task() {
    let task = "task: {kind: waypoints, initial_duration_s: 1, ready_duration_s: 1, \
                running_duration_s: 3, waypoints: [{position_m: [90, 0, 0]}]}\n";
    let robots = "robots: {boat: {model: wamv}}\n";
    let folder = Folder::new(
        "task_end",
        &[
            ("task.yaml", &format!("{robots}{task}")),
            ("none.yaml", robots),
        ],
    );
    let run = |end: &[&str]| {
        let arguments = ["run", "task.yaml", "--no-ros", "--pace", "max", "--json"];
        let (done, printed, errors) = merrow(&folder, &[&arguments, end].concat());
        assert!(done, "{errors}");
        let summary: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
        let phase = summary["task"]["phase"].clone();
        (
            summary["simulated_s"].clone(),
            summary["state_hash"].clone(),
            phase,
        )
    };
    let ended = run(&["--until-finished", "--threads", "1"]);
    // 1 s before the task, 1 s to be ready, 3 s for it, and 1 s in which its result is published
    assert_eq!(
        (ended.0.as_f64(), ended.2.as_str()),
        (Some(6.0), Some("finished"))
    );
    assert_eq!(
        ended,
        run(&["--until-finished", "--for", "60", "--threads", "2"])
    );
    assert_eq!(ended, run(&["--for", "6"]));
    assert_eq!(
        run(&["--until-finished", "--for", "2"]).0.as_f64(),
        Some(2.0)
    );
    let (done, _, errors) = merrow(
        &folder,
        &["run", "none.yaml", "--no-ros", "--until-finished"],
    );
    assert!(
        !done && errors.contains("--until-finished: the world has no task;"),
        "{errors}"
    );
}
