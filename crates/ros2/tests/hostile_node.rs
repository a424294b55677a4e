//! Hostile peers of a running node: no message, request or datagram stops it, its memory stays
//! bounded, and an honest client is served meanwhile.
//!
//! Method: on the loopback interface, a participant writes random, truncated and changed payloads
//! to a topic and to the services of a node, announces and withdraws incompatible endpoints, and
//! sends changed datagrams to its ports. The subscription of the topic is slow. The seed is printed
//! on failure.

use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use merrow_ros2::args::{DiscoveryRange, NodeOptions};
use merrow_ros2::cdr::{from_bytes, to_bytes};
use merrow_ros2::message::{Message, Service};
use merrow_ros2::msg::rcl_interfaces::{GetParameters, Log, SetParameters};
use merrow_ros2::msg::std_msgs::String as Text;
use merrow_ros2::msg::std_srvs::{SetBool, SetBoolRequest, SetBoolResponse};
use merrow_ros2::node::{Client, Node, ParameterServices, Subscription};
use merrow_ros2::parameters::ParameterServer;
use merrow_ros2::qos::Qos;
use merrow_rtps::engine::{EndpointSpec, Event, OutgoingSample, Sample};
use merrow_rtps::participant::{EventSink, Participant, ParticipantConfig, Writer};
use merrow_rtps::qos::{History, Qos as DdsQos};
use merrow_rtps::udp::discovery::{Discovery, Range};
use merrow_testing::random::Random;

/// Maximum increase of the memory of the process since its start [kB]: the bound of the samples
/// that wait for the callbacks, and the same for the attacker.
const MAX_MEMORY_KB: u64 = 2 * 256 * 1024;

/// Maximum time of a call of the honest client.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Returns a valid text, changed or random bytes, rarely of a megabyte.
fn payload(random: &mut Random) -> Bytes {
    let len = match random.below(50) {
        0 => 1 << 20,
        _ => 4 + random.below(200),
    };
    let mut bytes: Vec<u8> = (0..len).map(|_| random.next() as u8).collect();
    bytes[..4].copy_from_slice(&[0, 1, 0, 0]);
    if random.below(2) == 0 {
        bytes = to_bytes(&Text {
            data: "x".repeat(random.below(60)),
        });
        let at = random.below(bytes.len());
        bytes[at] = random.next() as u8;
    }
    bytes.into()
}

struct Ignored;

impl EventSink for Ignored {
    fn sample(&self, _: usize, _: Sample) {}
    fn event(&self, _: Event) {}
}

fn options(name: &str, domain_id: u16) -> NodeOptions {
    NodeOptions {
        domain_id,
        discovery: DiscoveryRange::Localhost,
        console_logs: false,
        ..NodeOptions::new(name)
    }
}

/// The node under attack, with a slow subscription, a service and parameters.
struct Victim {
    _node: Node,
    _subscription: Subscription,
    _service: merrow_ros2::node::Service,
    _parameters: ParameterServices,
}

fn victim(domain_id: u16) -> Victim {
    let node = Node::new(&options("victim", domain_id)).unwrap();
    let slow = |_: &[u8]| std::thread::sleep(Duration::from_micros(200));
    let subscription = node
        .subscription("in", Text::info(), &Qos::COMMAND, Box::new(slow))
        .unwrap();
    let set = |request: &[u8]| {
        let SetBoolRequest { data } = from_bytes(request).ok()?;
        Some(to_bytes(&SetBoolResponse {
            success: data,
            message: "x".repeat(100),
        }))
    };
    let service = node.service::<SetBool>("set", &Qos::SERVICE, Box::new(set));
    let parameters = Arc::new(ParameterServer::new(Vec::new()).unwrap());
    Victim {
        _subscription: subscription,
        _service: service.unwrap(),
        _parameters: ParameterServices::start(&node, &parameters).unwrap(),
        _node: node,
    }
}

/// Endpoints of the attacker.
struct Attacker {
    participant: Participant,
    writers: Vec<Writer>,
    socket: UdpSocket,
    first_port: u16,
}

fn spec(topic: &str, type_name: &str) -> EndpointSpec {
    let mut qos = DdsQos::writer();
    qos.history = History::KeepLast(1000);
    EndpointSpec {
        topic: topic.to_owned(),
        type_name: type_name.to_owned(),
        qos,
        accepts: |_, _| true,
    }
}

impl Attacker {
    fn join(domain_id: u16) -> Attacker {
        let mut config = ParticipantConfig::new(domain_id);
        config.discovery = Discovery::new(Range::Localhost, []).unwrap();
        let participant = Participant::join(&config, Ignored).unwrap();
        let endpoints = [
            ("rt/in", &Text::info().dds_name),
            (
                "rq/setRequest",
                &<SetBool as Service>::Request::info().dds_name,
            ),
            (
                "rq/victim/get_parametersRequest",
                &<GetParameters as Service>::Request::info().dds_name,
            ),
            (
                "rq/victim/set_parametersRequest",
                &<SetParameters as Service>::Request::info().dds_name,
            ),
        ];
        let writers = endpoints.map(|(topic, kind)| participant.create_writer(spec(topic, kind)));
        Attacker {
            participant,
            writers: writers.into(),
            socket: UdpSocket::bind("127.0.0.1:0").unwrap(),
            first_port: 7400 + 250 * domain_id + 10,
        }
    }

    /// Sends one sample, one datagram and sometimes an incompatible endpoint.
    fn attack(&self, random: &mut Random) {
        let writer = &self.writers[random.below(self.writers.len())];
        let sample = OutgoingSample {
            payload: payload(random),
            related: None,
        };
        // a full history is the attacker's own problem
        let _ = writer.write(sample);
        let mut datagram = b"RTPS\x02\x03\x01\x0f".to_vec();
        datagram.extend((0..random.below(300)).map(|_| random.next() as u8));
        if random.below(4) > 0 && datagram.len() > 24 {
            datagram[20] = [0x06, 0x07, 0x08, 0x09, 0x0e, 0x12, 0x13, 0x15, 0x16][random.below(9)];
            datagram[22..24].copy_from_slice(&[0, 0]);
        }
        let port = self.first_port + random.below(4) as u16;
        let _ = self.socket.send_to(&datagram, ("127.0.0.1", port));
        if random.below(20) == 0 {
            let mut incompatible = spec("rt/rosout", &Log::info().dds_name);
            incompatible.qos.partition = vec!["other".to_owned()];
            drop(self.participant.create_reader(incompatible, |_| {}));
        }
    }
}

/// Returns the memory of this process [kB].
fn memory_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Calls the service of the node under attack.
fn call(client: &Client, data: bool) {
    let start = Instant::now();
    while client.server_count() == 0 {
        assert!(start.elapsed() < TIMEOUT, "the service is not found");
        std::thread::sleep(Duration::from_millis(10));
    }
    let request = to_bytes(&SetBoolRequest { data });
    let response = client.call_and_wait(&request, TIMEOUT).unwrap();
    let response: SetBoolResponse = from_bytes(&response.expect("a reply")).unwrap();
    assert_eq!(response.success, data);
}

/// Attacks a node for a time; an honest client calls its service all the time.
fn attack(seed: u64, domain_id: u16, duration: Duration) {
    println!("seed {seed}");
    let mut random = Random(seed);
    let _victim = victim(domain_id);
    let attacker = Attacker::join(domain_id);
    let honest = Node::new(&options("honest", domain_id)).unwrap();
    let warnings = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&warnings);
    let listen = move |_: &[u8]| {
        count.fetch_add(1, Ordering::Relaxed);
    };
    let _log = honest
        .subscription("/rosout", Log::info(), &Qos::ROSOUT, Box::new(listen))
        .unwrap();
    let client = honest.client::<SetBool>("set", &Qos::SERVICE).unwrap();
    call(&client, true);
    let (start, memory) = (Instant::now(), memory_kb());
    let mut next = start;
    while start.elapsed() < duration {
        attacker.attack(&mut random);
        if Instant::now() >= next {
            call(&client, random.below(2) == 0);
            next = Instant::now() + Duration::from_millis(200);
            let used = memory_kb().saturating_sub(memory);
            assert!(used < MAX_MEMORY_KB, "{used} kB");
        }
    }
    let lines = warnings.load(Ordering::Relaxed) as u64;
    let limit = 10 + duration.as_secs();
    assert!(lines <= limit, "{lines} lines on /rosout");
}

#[test]
fn a_node_serves_an_honest_client_during_an_attack() {
    attack(1, 190, Duration::from_secs(3));
}

#[test]
#[ignore = "takes minutes"]
fn a_node_serves_an_honest_client_during_a_long_attack() {
    attack(2, 191, Duration::from_secs(120));
}
