//! Publisher and subscriber of `benches/ros` on the crate `ros2`; arguments as in `bench.h`. With
//! the argument `batch`, the messages of one period share datagrams.

use std::error::Error;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use merrow_ros2::args::NodeOptions;
use merrow_ros2::cdr::to_bytes;
use merrow_ros2::message::{Message, ros_message};
use merrow_ros2::msg::std_msgs::MultiArrayLayout;
use merrow_ros2::node::{Node, Publisher};
use merrow_ros2::qos::Qos;
use rustix::time::{ClockId, clock_gettime};

ros_message! {
    /// Sequence of bytes with its layout.
    pub struct UInt8MultiArray("std_msgs/msg/UInt8MultiArray") {
        /// Layout of the sequence.
        layout: MultiArrayLayout,
        /// Data; the first eight bytes are the send time [ns], 0 if the message is not measured.
        data: Vec<u8>,
    }
}

/// Time in which a subscription must be discovered [ns].
const DISCOVERY_NS: u64 = 30_000_000_000;

/// Time without a message after which the subscriber ends [ns].
const SILENCE_NS: u64 = 5_000_000_000;

/// Time that repairs have at the end.
const REPAIR: Duration = Duration::from_secs(1);

/// Offset of the data in a message: encapsulation, an empty layout and the length of the data.
const DATA: usize = 16;

struct Bench {
    topics: usize,
    bytes: usize,
    period_ns: u64,
    count: u64,
    batch: bool,
    spread: bool,
}

fn clock_ns(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000
        + u64::try_from(time.tv_nsec).unwrap_or(0)
}

fn now_ns() -> u64 {
    clock_ns(ClockId::Monotonic)
}

/// Returns the processor time of all threads of the process [ns].
fn cpu_ns() -> u64 {
    clock_ns(ClockId::ProcessCPUTime)
}

fn sleep_until(at_ns: u64) {
    let left_ns = at_ns.saturating_sub(now_ns());
    if left_ns > 0 {
        std::thread::sleep(Duration::from_nanos(left_ns));
    }
}

fn publish(bench: &Bench, node: &Node) -> Result<(), Box<dyn Error>> {
    let create = |i| {
        node.publisher(
            &format!("/bench_{i}"),
            UInt8MultiArray::info(),
            &Qos::DEFAULT,
        )
    };
    let publishers: Vec<Publisher> = (0..bench.topics).map(create).collect::<Result<_, _>>()?;
    let end_ns = now_ns() + DISCOVERY_NS;
    while publishers.iter().any(|one| one.subscriber_count() == 0) {
        if now_ns() > end_ns {
            return Err("no subscription was discovered".into());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut message = UInt8MultiArray {
        data: vec![0; bench.bytes],
        ..UInt8MultiArray::default()
    };
    // sleeps end without the default delay of 0.05 ms
    rustix::thread::set_current_timer_slack(NonZeroU64::new(1))?;
    let (warm_up, start_ns) = (1_000_000_000 / bench.period_ns, now_ns());
    let distance_ns = bench.period_ns / bench.topics as u64;
    let mut cpu_start_ns = 0;
    for i in 0..warm_up + bench.count {
        let at_ns = start_ns + i * bench.period_ns;
        sleep_until(at_ns);
        if i == warm_up {
            cpu_start_ns = cpu_ns();
        }
        let mut write = || {
            (0..).zip(&publishers).try_for_each(|(topic, publisher)| {
                if bench.spread {
                    sleep_until(at_ns + topic * distance_ns);
                }
                let stamp_ns = if i < warm_up { 0 } else { now_ns() };
                message.data[..8].copy_from_slice(&stamp_ns.to_le_bytes());
                let bytes = Bytes::from(to_bytes(&message));
                publisher.publish_shared(&bytes).map(|_| ())
            })
        };
        if bench.batch {
            node.network().batch(write)?;
        } else {
            write()?;
        }
    }
    let end_ns = start_ns + (warm_up + bench.count) * bench.period_ns;
    sleep_until(end_ns);
    let cpu_s = 1e-9 * (cpu_ns() - cpu_start_ns) as f64;
    let late_s = 1e-9 * (now_ns() - end_ns) as f64;
    std::thread::sleep(REPAIR);
    println!(r#"{{"cpu_s": {cpu_s:.6}, "late_s": {late_s:.6}}}"#);
    Ok(())
}

/// Latencies and processor times of a subscriber.
#[derive(Default)]
struct Statistics {
    latencies_ns: Vec<u64>,
    last_ns: u64,
    first_cpu_ns: u64,
    last_cpu_ns: u64,
}

impl Statistics {
    fn add(&mut self, message: &[u8], capacity: usize) {
        let arrived_ns = now_ns();
        let Some(Ok(stamp)) = message.get(DATA..DATA + 8).map(<[u8; 8]>::try_from) else {
            return;
        };
        self.last_ns = arrived_ns;
        let stamp_ns = u64::from_le_bytes(stamp);
        if stamp_ns == 0 || self.latencies_ns.len() == capacity {
            return;
        }
        if self.latencies_ns.is_empty() {
            self.first_cpu_ns = cpu_ns();
        }
        self.latencies_ns.push(arrived_ns.saturating_sub(stamp_ns));
        if self.latencies_ns.len() == capacity {
            self.last_cpu_ns = cpu_ns();
        }
    }

    fn print(&mut self) {
        self.latencies_ns.sort_unstable();
        let n = self.latencies_ns.len();
        let ms = |i: usize| self.latencies_ns.get(i).map_or(0.0, |&ns| 1e-6 * ns as f64);
        let (p50_ms, p99_ms) = (ms(n / 2), ms(n * 99 / 100));
        let cpu_s = 1e-9 * self.last_cpu_ns.saturating_sub(self.first_cpu_ns) as f64;
        println!(
            r#"{{"received": {n}, "p50_ms": {p50_ms:.6}, "p99_ms": {p99_ms:.6}, "cpu_s": {cpu_s:.6}}}"#
        );
    }
}

fn receive(bench: &Bench, node: &Node) -> Result<(), Box<dyn Error>> {
    let capacity = bench.topics * usize::try_from(bench.count)?;
    let found = Arc::new(Mutex::new(Statistics {
        latencies_ns: Vec::with_capacity(capacity),
        ..Statistics::default()
    }));
    let subscribe = |i| {
        let found = Arc::clone(&found);
        let callback = move |message: &[u8]| found.lock().unwrap().add(message, capacity);
        let (topic, info) = (format!("/bench_{i}"), UInt8MultiArray::info());
        node.subscription(&topic, info, &Qos::DEFAULT, Box::new(callback))
    };
    let _subscriptions: Vec<_> = (0..bench.topics).map(subscribe).collect::<Result<_, _>>()?;
    let start_ns = now_ns();
    loop {
        std::thread::sleep(Duration::from_millis(50));
        let mut found = found.lock().unwrap();
        let end_ns = match found.last_ns {
            0 => start_ns + DISCOVERY_NS,
            last_ns => last_ns + SILENCE_NS,
        };
        let is_complete = found.latencies_ns.len() == capacity;
        if is_complete || now_ns() > end_ns {
            if !is_complete {
                found.last_cpu_ns = cpu_ns();
            }
            found.print();
            return Ok(());
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [mode, domain, topics, bytes, period_ns, count, options @ ..] = arguments.as_slice() else {
        return Err(
            "expected publish|receive DOMAIN TOPICS BYTES PERIOD_NS COUNT [batch] [spread]".into(),
        );
    };
    let bench = Bench {
        topics: topics.parse()?,
        bytes: bytes.parse()?,
        period_ns: period_ns.parse()?,
        count: count.parse()?,
        batch: options.iter().any(|option| option == "batch"),
        spread: options.iter().any(|option| option == "spread"),
    };
    let node = Node::new(&NodeOptions {
        domain_id: domain.parse()?,
        ..NodeOptions::new(&format!("bench_{mode}"))
    })?;
    match mode.as_str() {
        "publish" => publish(&bench, &node),
        _ => receive(&bench, &node),
    }
}
