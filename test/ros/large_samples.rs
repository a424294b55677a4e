//! Large samples, such as images, to readers of other vendors with default settings and the default
//! receive buffer of Linux.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bytes::Bytes;
use merrow_ros2::args::{DiscoveryRange, NodeOptions};
use merrow_ros2::cdr::to_bytes;
use merrow_ros2::message::Message;
use merrow_ros2::msg::std_msgs::String as Text;
use merrow_ros2::node::Node;
use merrow_ros2::qos::Qos;

/// Samples of `bytes` bytes, `rate` per second.
struct Load {
    bytes: usize,
    rate: u32,
    count: u32,
    qos: Qos,
}

/// Returns the words before the program that counts, such as `ip netns exec NAME`. With them the
/// counter is behind a network that loses datagrams; see fastdds/network.sh.
fn counter_prefix() -> Option<Vec<String>> {
    let words = std::env::var("MERROW_COUNT_BEHIND").ok()?;
    Some(words.split_whitespace().map(str::to_owned).collect())
}

/// Publishes to the program `counter`; returns the number of samples that arrived.
fn count_received(domain_id: u16, mut counter: Command, load: &Load) -> u32 {
    let node = Node::new(&NodeOptions {
        domain_id,
        discovery: match counter_prefix() {
            Some(_) => DiscoveryRange::Subnet,
            None => DiscoveryRange::Localhost,
        },
        ..NodeOptions::new("camera")
    })
    .unwrap();
    let publisher = node.publisher("/image", Text::info(), &load.qos).unwrap();
    let message = Bytes::from(to_bytes(&Text {
        data: "x".repeat(load.bytes - 9),
    }));
    assert_eq!(message.len(), load.bytes);
    let reliability = load.qos.reliability.to_string();
    let arguments = [
        domain_id.to_string(),
        "rt/image".to_owned(),
        Text::info().dds_name.clone(),
        reliability,
        load.bytes.to_string(),
    ];
    counter.args(arguments).stdout(Stdio::piped());
    let mut child = counter.spawn().expect("the counter starts");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "matched");
    while publisher.subscriber_count() == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    // a match is known on one side first
    std::thread::sleep(Duration::from_millis(300));
    // Fast DDS 2.9 with assertions aborts if a program takes samples while the first one of a topic
    // is incomplete, so a small one is first
    let first = to_bytes(&Text {
        data: "start".to_owned(),
    });
    publisher.publish(&first).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let start = Instant::now();
    for number in 1..=load.count {
        publisher.publish_shared(&message).unwrap();
        let next = start + Duration::from_secs(1) * number / load.rate;
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    let count = lines.next().unwrap().unwrap();
    child.wait().unwrap();
    let count: u32 = count.parse().expect("a number");
    println!(
        "{} B at {} Hz, {}: {count} of {}, {} evicted",
        load.bytes,
        load.rate,
        load.qos.reliability,
        load.count,
        publisher.dropped()
    );
    count
}

/// Checks that all reliable samples of 1 MB at 10 Hz and 6 MB at 5 Hz arrive, and at least
/// `best_effort_percent` of 1 MB at best effort.
fn check(domain_id: u16, counter: impl Fn() -> Command, count: u32, best_effort_percent: u32) {
    let load = |bytes, rate, qos| Load {
        bytes,
        rate,
        count,
        qos,
    };
    let all = count_received(
        domain_id,
        counter(),
        &load(1_000_000, 10, Qos::reliable(10)),
    );
    assert_eq!(all, count, "1 MB reliable");
    // the link of network/link.py forwards less than 30 MB/s with losses
    if counter_prefix().is_some() {
        return;
    }
    let all = count_received(
        domain_id + 1,
        counter(),
        &load(6_000_000, 5, Qos::reliable(10)),
    );
    assert_eq!(all, count, "6 MB reliable");
    let most = count_received(
        domain_id + 2,
        counter(),
        &load(1_000_000, 10, Qos::best_effort(10)),
    );
    assert!(
        most * 100 >= count * best_effort_percent,
        "1 MB best effort: {most}"
    );
}

#[test]
fn cyclone_dds_receives_large_samples() {
    let Some((_, _lock)) = super::script("count.py") else {
        return;
    };
    let counter = || crate::common::python::script("ros/count.py").expect("found above");
    // the reader of Cyclone DDS in Python is slow on a busy machine
    check(174, counter, 10, 80);
}

#[test]
#[ignore = "needs the program that test/ros/fastdds/build.sh builds; test/ros/fastdds/run.sh runs it"]
fn fast_dds_receives_large_samples() {
    let program = std::env::var("MERROW_FASTDDS_COUNT").unwrap_or_else(|_| {
        concat!(env!("CARGO_MANIFEST_DIR"), "/target/fastdds_count").to_owned()
    });
    let counter = || match counter_prefix() {
        Some(words) => {
            let mut command = Command::new(&words[0]);
            command.args(&words[1..]).arg(&program);
            command
        }
        None => Command::new(&program),
    };
    check(178, counter, 50, 95);
}
