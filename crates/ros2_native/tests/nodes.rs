//! Nodes on the RMW of the sourced ROS 2: two nodes of one process communicate through it.
//!
//! The tests need the feature `rmw` and therefore a sourced ROS 2. `RMW_IMPLEMENTATION` selects the
//! implementation. They communicate on this machine only, in domains of their own.
#![cfg(feature = "rmw")]

use parking_lot::Mutex;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use merrow_ros2::args::{DiscoveryRange, NodeOptions};
use merrow_ros2::cdr::{from_bytes, to_bytes};
use merrow_ros2::message::Message;
use merrow_ros2::msg::std_msgs::String as Text;
use merrow_ros2::msg::std_srvs::{SetBool, SetBoolRequest, SetBoolResponse};
use merrow_ros2::node::{Client, Node, PublishError, Service, Subscription};
use merrow_ros2::qos::{Durability, Qos};
use merrow_ros2_native::NativeBackend;

merrow_ros2::ros_message! {
    /// Message of a package that is not installed.
    pub struct Unknown("merrow_package_without_library/msg/Unknown") {
        /// Value of the message.
        data: u8,
    }
    /// Message that the installed package lacks.
    pub struct Newer("std_msgs/msg/MerrowTypeOfNoVersion") {
        /// Value of the message.
        data: u8,
    }
    /// Message with other fields than the installed one.
    pub struct Changed("std_msgs/msg/Int8") {
        /// Value of the message.
        data: u64,
    }
}

merrow_ros2::ros_service! {
    /// Service of a package that is not installed.
    pub struct Absent("merrow_package_without_library/srv/Absent") {
        request AbsentRequest {}
        response AbsentResponse {}
    }
}

fn node(name: &str, domain_id: u16) -> Node {
    let options = NodeOptions {
        domain_id,
        discovery: DiscoveryRange::Localhost,
        console_logs: false,
        ..NodeOptions::new(name)
    };
    let backend = NativeBackend::join(&options).unwrap();
    assert!(backend.implementation().starts_with("rmw_"));
    Node::with_succession_on(&options, Arc::new(backend)).unwrap()
}

fn wait_for(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(20), "no {what}");
        sleep(Duration::from_millis(5));
    }
}

/// Texts that a subscription has received.
#[derive(Clone, Default)]
struct Received(Arc<Mutex<Vec<String>>>);

impl Received {
    fn subscribe(&self, node: &Node, topic: &str, qos: &Qos) -> Subscription {
        let received = Arc::clone(&self.0);
        let callback = move |bytes: &[u8]| {
            let text: Text = from_bytes(bytes).unwrap();
            received.lock().push(text.data);
        };
        let info = Text::info();
        node.subscription(topic, info, qos, Box::new(callback))
            .unwrap()
    }

    fn count(&self) -> usize {
        self.0.lock().len()
    }
}

fn text(data: &str) -> Vec<u8> {
    let data = data.to_owned();
    to_bytes(&Text { data })
}

#[test]
fn messages_arrive_in_order_while_subscribed() {
    let (sender, receiver) = (node("sender", 91), node("receiver", 91));
    let qos = Qos::reliable(1000);
    let publisher = sender.publisher("/chatter", Text::info(), &qos).unwrap();
    assert!(!publisher.has_receivers());
    assert_eq!(publisher.publish(&text("0")), Ok(()));
    let received = Received::default();
    let subscription = received.subscribe(&receiver, "/chatter", &qos);
    wait_for("match", || publisher.subscriber_count() == 1);
    // the subscription may match later than the publisher
    sleep(Duration::from_millis(300));
    let large = "x".repeat(2_000_000);
    for n in 0..200 {
        let data = if n == 100 {
            large.clone()
        } else {
            n.to_string()
        };
        assert_eq!(publisher.publish(&text(&data)), Ok(()));
    }
    wait_for("messages", || received.count() == 200);
    let numbers = received.0.lock().clone();
    assert!(
        (0..200)
            .filter(|n| *n != 100)
            .all(|n| numbers[n] == n.to_string())
    );
    assert_eq!(numbers[100], large);
    drop(subscription);
    wait_for("end of the subscription", || {
        publisher.subscriber_count() == 0
    });
    drop(sender);
    assert!(!publisher.has_receivers());
    assert_eq!(publisher.publish(&text("late")), Ok(()));
}

#[test]
fn late_subscriptions_receive_the_last_message() {
    let (sender, receiver) = (node("sender", 92), node("receiver", 92));
    let publisher = sender
        .publisher("/latched", Text::info(), &Qos::LATCHED)
        .unwrap();
    for data in ["first", "second"] {
        assert_eq!(publisher.publish(&text(data)), Ok(()));
    }
    let received = Received::default();
    let _subscription = received.subscribe(&receiver, "/latched", &Qos::LATCHED);
    wait_for("message", || received.count() == 1);
    sleep(Duration::from_millis(300));
    assert_eq!(*received.0.lock(), ["second"]);
    drop(sender);
    let stopped = publisher.publish(&text("late"));
    assert_eq!(stopped, Err(PublishError::Stopped));
}

/// Records the lines that the node writes to `/rosout`.
fn log_of(node: &Node) -> (Received, Subscription) {
    let received = Received::default();
    let lines = Arc::clone(&received.0);
    let callback = move |bytes: &[u8]| {
        let log: merrow_ros2::msg::rcl_interfaces::Log = from_bytes(bytes).unwrap();
        lines.lock().push(log.msg);
    };
    let info = merrow_ros2::msg::rcl_interfaces::Log::info();
    let subscription = node.subscription("/rosout", info, &Qos::ROSOUT, Box::new(callback));
    (received, subscription.unwrap())
}

#[test]
fn incompatible_peers_are_reported() {
    let (sender, receiver) = (node("sender", 93), node("receiver", 93));
    let (log, _subscription) = log_of(&receiver);
    let _volatile = sender
        .publisher("/volatile", Text::info(), &Qos::DEFAULT)
        .unwrap();
    let latched = Qos {
        durability: Durability::TransientLocal,
        ..Qos::DEFAULT
    };
    let received = Received::default();
    let _incompatible = received.subscribe(&receiver, "/volatile", &latched);
    wait_for("warnings", || log.count() >= 2);
    let lines = log.0.lock().clone();
    for expected in [
        "a subscription on /volatile requests an incompatible QoS (durability); it receives no messages",
        "a publisher on /volatile offers an incompatible QoS (durability); its messages are not received",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{lines:?}");
    }
}

#[test]
fn missing_types_are_reported_once_and_other_topics_work() {
    let subject = node("subject", 94);
    let (log, _log) = log_of(&subject);
    let qos = &Qos::DEFAULT;
    let publishers = [
        subject.publisher("/unknown", Unknown::info(), qos).unwrap(),
        subject
            .publisher("/unknown_too", Unknown::info(), qos)
            .unwrap(),
        subject.publisher("/newer", Newer::info(), qos).unwrap(),
    ];
    for publisher in &publishers {
        assert!(!publisher.has_receivers());
        assert_eq!(publisher.publish(&to_bytes(&Unknown::default())), Ok(()));
    }
    let _unheard = subject
        .subscription("/newer", Newer::info(), qos, Box::new(|_| {}))
        .unwrap();
    let has_hashes = std::env::var("ROS_DISTRO").is_ok_and(|distro| distro != "humble");
    let _changed = has_hashes.then(|| subject.publisher("/changed", Changed::info(), qos).unwrap());
    let received = Received::default();
    let _heard = received.subscribe(&subject, "/known", qos);
    let known = subject.publisher("/known", Text::info(), qos).unwrap();
    wait_for("match", || known.subscriber_count() == 1);
    sleep(Duration::from_millis(300));
    assert_eq!(known.publish(&text("hello")), Ok(()));
    wait_for("message", || received.count() == 1);
    let lines = log.0.lock().clone();
    assert_eq!(lines.len(), if has_hashes { 3 } else { 2 }, "{lines:?}");
    assert!(
        lines[0].contains("package_without_library: /unknown and others"),
        "{lines:?}"
    );
    assert!(
        lines[1].contains("lacks std_msgs/msg/MerrowTypeOfNoVersion"),
        "{lines:?}"
    );
}

/// Longest wait for a response.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Starts a service that returns the requested value and its name. It does not answer requests that
/// are too short; the backend passes them to the handler.
fn serve(node: &Node, name: &'static str) -> Service {
    let handler = move |request: &[u8]| {
        let SetBoolRequest { data } = from_bytes(request).ok()?;
        let message = name.to_owned();
        Some(to_bytes(&SetBoolResponse {
            success: data,
            message,
        }))
    };
    node.service::<SetBool>(name, &Qos::SERVICE, Box::new(handler))
        .unwrap()
}

fn request(data: bool) -> Vec<u8> {
    to_bytes(&SetBoolRequest { data })
}

fn client(node: &Node, name: &str) -> Client {
    node.client::<SetBool>(name, &Qos::SERVICE).unwrap()
}

#[test]
fn clients_receive_the_responses_to_their_requests() {
    let (server, caller) = (node("server", 95), node("caller", 95));
    let (first, second) = (client(&caller, "/set"), client(&caller, "/set"));
    assert_eq!(first.server_count(), 0);
    let service = serve(&server, "/set");
    wait_for("server", || {
        first.server_count() + second.server_count() == 2
    });
    let received = Arc::new(Mutex::new(Vec::new()));
    for n in 0..100 {
        let (client, data) = if n % 2 == 0 {
            (&first, n % 3 == 0)
        } else {
            (&second, n % 5 == 0)
        };
        let collected = Arc::clone(&received);
        let keep = move |bytes: &[u8]| {
            let response: SetBoolResponse = from_bytes(bytes).unwrap();
            assert_eq!(response.message, "/set");
            collected.lock().push((n, response.success));
        };
        assert_eq!(client.call(&request(data), Box::new(keep)), Ok(()));
        // the server keeps 10 requests: that many of both clients wait at the same time
        if n % 10 == 9 {
            wait_for("responses", || received.lock().len() == n + 1);
        }
    }
    let mut answers = received.lock().clone();
    answers.sort_unstable();
    let expected = |n| n % 2 == 0 && n % 3 == 0 || n % 2 == 1 && n % 5 == 0;
    let expected: Vec<_> = (0..100).map(|n| (n, expected(n))).collect();
    assert_eq!(answers, expected);
    drop(service);
    wait_for("end of the server", || first.server_count() == 0);
}

#[test]
fn requests_that_cannot_be_sent_are_refused() {
    let (server, subject) = (node("server", 96), node("subject", 96));
    let _service = serve(&server, "/set");
    let client = client(&subject, "/set");
    wait_for("server", || client.server_count() == 1);
    let call = |bytes: &[u8]| client.call_and_wait(bytes, TIMEOUT);
    assert_eq!(call(&request(true)[..3]), Err(PublishError::NotCdr));
    // the boolean is missing
    assert_eq!(call(&request(true)[..4]), Err(PublishError::Refused));
    let response = call(&request(true)).unwrap().expect("a response");
    assert!(from_bytes::<SetBoolResponse>(&response).unwrap().success);
    let absent = subject.client::<Absent>("/absent", &Qos::SERVICE).unwrap();
    assert_eq!(absent.server_count(), 0);
    let lost = absent.call(&to_bytes(&AbsentRequest::default()), Box::new(|_| {}));
    assert_eq!(lost, Ok(()));
    drop(subject);
    assert_eq!(call(&request(true)), Err(PublishError::Stopped));
    assert_eq!(client.server_count(), 0);
}
