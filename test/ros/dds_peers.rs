//! Tests of the embedded ROS client against Cyclone DDS from Python. `native/wheels.sh` tests it
//! against Fast DDS, with rclpy.
//!
//! A node with one entity of every kind runs in this process. The peer is a child process that
//! checks this node and finally requests its exit.

use parking_lot::Mutex;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use merrow_ros2::args::{DiscoveryRange, NodeOptions};
use merrow_ros2::cdr::{CdrError, from_bytes, to_bytes};
use merrow_ros2::goals::{GoalId, GoalOutcome};
use merrow_ros2::message::Message;
use merrow_ros2::msg::control_msgs::gripper_command::{Action, Feedback, Goal, Result as Outcome};
use merrow_ros2::msg::std_msgs::String as Text;
use merrow_ros2::msg::std_srvs::{
    SetBool, SetBoolRequest, SetBoolResponse, Trigger, TriggerRequest, TriggerResponse,
};
use merrow_ros2::node::{
    ActionServer, Executor, GoalHandle, Logger, Node, ParameterServices, Service, Subscription,
};
use merrow_ros2::parameters::range::Range;
use merrow_ros2::parameters::value::ParameterValue;
use merrow_ros2::parameters::{Declaration, ParameterServer};
use merrow_ros2::qos::Qos;

/// A node with one entity of every kind, the subject of the tests.
struct TestNode {
    stop: Receiver<()>,
    tasks: Tasks,
    _action: ActionServer<Action>,
    node: Node,
    _endpoints: (Vec<Subscription>, Vec<Service>, ParameterServices),
}

/// An action that takes some time. A goal with position 0 never ends; a goal with a negative
/// position is rejected.
struct TaskExecutor {
    events: mpsc::Sender<TaskEvent>,
    logger: Logger,
}

enum TaskEvent {
    Start(GoalHandle<Action>, f64),
    Cancel(GoalId),
}

impl Executor<Action> for TaskExecutor {
    type Task = f64;

    fn check(&mut self, goal: Goal) -> Result<f64, Outcome> {
        let position = goal.command.position;
        if position >= 0.0 {
            Ok(position)
        } else {
            Err(Outcome {
                position,
                ..Outcome::default()
            })
        }
    }

    fn start(&mut self, goal: GoalHandle<Action>, task: f64) {
        self.events.send(TaskEvent::Start(goal, task)).unwrap();
    }

    fn cancel(&mut self, id: GoalId) {
        self.events.send(TaskEvent::Cancel(id)).unwrap();
    }

    fn replaced_result(&mut self) -> Outcome {
        Outcome::default()
    }

    fn report_malformed(&mut self, what: &str, why: &CdrError) {
        self.logger
            .warn(format_args!("refused a request of {what}: {why}"));
    }
}

/// Action server that executes the goals.
struct Tasks {
    events: Receiver<TaskEvent>,
    /// Goal handle, its position, and the number of feedback messages published.
    under_way: Option<(GoalHandle<Action>, f64, u32)>,
}

impl Tasks {
    /// Executes one period of work.
    fn advance(&mut self) {
        for event in self.events.try_iter() {
            match event {
                TaskEvent::Start(goal, position) => self.under_way = Some((goal, position, 0)),
                TaskEvent::Cancel(id) => {
                    let canceled = self.under_way.take_if(|(goal, _, _)| goal.id() == id);
                    canceled
                        .unwrap()
                        .0
                        .finish(GoalOutcome::Canceled, Outcome::default());
                }
            }
        }
        let Some((goal, position, count)) = &mut self.under_way else {
            return;
        };
        *count += 1;
        goal.feedback(|| Feedback {
            position: f64::from(*count),
            ..Feedback::default()
        });
        if *count == 20 && *position > 0.0 {
            goal.finish(
                GoalOutcome::Succeeded,
                Outcome {
                    position: *position,
                    ..Outcome::default()
                },
            );
        }
    }
}

fn text(data: impl Into<std::string::String>) -> Vec<u8> {
    to_bytes(&Text { data: data.into() })
}

/// Publishes every sample of two subscriptions on the topic `echo`.
fn start_echo(node: &Node) -> [Subscription; 2] {
    let echo = Arc::new(Mutex::new(
        node.publisher("echo", Text::info(), &Qos::reliable(1000))
            .unwrap(),
    ));
    [
        ("in", Qos::reliable(1000)),
        ("in_best_effort", Qos::SENSOR_SUBSCRIPTION),
    ]
    .map(|(topic, qos)| {
        let (echo, logger) = (Arc::clone(&echo), node.logger().clone());
        let callback = move |bytes: &[u8]| match from_bytes::<Text>(bytes) {
            Ok(_) => drop(echo.lock().publish_shared(&Bytes::copy_from_slice(bytes))),
            Err(error) => logger.warn(format_args!("refused a sample: {error}")),
        };
        node.subscription(topic, Text::info(), &qos, Box::new(callback))
            .unwrap()
    })
}

/// Starts a service that replies with the value of the request, and a service that requests the
/// exit of the node.
fn start_services(node: &Node, stop_sender: mpsc::Sender<()>) -> Vec<Service> {
    let set = |request: &[u8]| {
        let request = from_bytes::<SetBoolRequest>(request).ok()?;
        Some(to_bytes(&SetBoolResponse {
            success: request.data,
            message: format!("got {}", request.data),
        }))
    };
    let leave = move |request: &[u8]| {
        from_bytes::<TriggerRequest>(request).ok()?;
        stop_sender.send(()).ok()?;
        Some(to_bytes(&TriggerResponse {
            success: true,
            message: String::new(),
        }))
    };
    vec![
        node.service::<SetBool>("~/set", &Qos::SERVICE, Box::new(set))
            .unwrap(),
        node.service::<Trigger>("~/leave", &Qos::SERVICE, Box::new(leave))
            .unwrap(),
    ]
}

/// Declares parameters of several types, with and without ranges.
fn declare_parameters(
    overrides: Vec<(std::string::String, ParameterValue)>,
) -> Arc<ParameterServer> {
    let parameters = Arc::new(ParameterServer::new(overrides).unwrap());
    let declare = |declaration| parameters.declare(declaration).unwrap();
    let gain = Declaration::new("gain", ParameterValue::Double(1.0), "Gain of the loop.");
    declare(
        gain.with_range(Range::Double(0.0, 10.0))
            .with_constraints("even is better"),
    );
    declare(Declaration::new("seed", ParameterValue::Integer(7), "Seed.").read_only());
    declare(
        Declaration::new("sea.state", ParameterValue::Integer(3), "Sea state.")
            .with_range(Range::Integer(0, 9)),
    );
    declare(Declaration::new(
        "sea.names",
        ParameterValue::StringArray(vec!["a".into()]),
        "Names.",
    ));
    parameters
}

fn start_test_node(domain_id: u16) -> TestNode {
    let options = NodeOptions {
        namespace: "/test".to_owned(),
        domain_id,
        parameter_overrides: vec![("gain".to_owned(), ParameterValue::Double(2.5))],
        ..NodeOptions::new("subject")
    };
    let node = Node::new(&options).unwrap();
    let subscriptions = start_echo(&node);
    let (stop_sender, stop) = mpsc::channel();
    let services = start_services(&node, stop_sender);
    let parameters = declare_parameters(options.parameter_overrides.clone());
    let services_of_parameters = ParameterServices::start(&node, &parameters).unwrap();
    let (events, inbox) = mpsc::channel();
    let executor = TaskExecutor {
        events,
        logger: node.logger().clone(),
    };
    let now = Arc::new(AtomicU64::new(1_234_567_890));
    let action = ActionServer::start(&node, "slow_task", now, executor).unwrap();
    let tasks = Tasks {
        events: inbox,
        under_way: None,
    };
    node.logger().info("subject ready");
    TestNode {
        stop,
        tasks,
        _action: action,
        node,
        _endpoints: (subscriptions.into(), services, services_of_parameters),
    }
}

/// Publishes until the peer requests the exit of the node, then exits and waits for the verdict of
/// the peer.
fn run_against(domain_id: u16, mut peer: Command) {
    let TestNode {
        stop,
        mut tasks,
        _action,
        node,
        _endpoints,
    } = start_test_node(domain_id);
    let reliable = node
        .publisher("reliable", Text::info(), &Qos::DEFAULT)
        .unwrap();
    let best_effort = node
        .publisher("best_effort", Text::info(), &Qos::best_effort(10))
        .unwrap();
    let latched = node
        .publisher("latched", Text::info(), &Qos::LATCHED)
        .unwrap();
    latched.publish(&text("kept")).unwrap();
    let mut child = peer
        .arg(domain_id.to_string())
        .spawn()
        .expect("the peer starts");
    for count in 0.. {
        reliable.publish(&text(count.to_string())).unwrap();
        best_effort.publish(&text(count.to_string())).unwrap();
        tasks.advance();
        match stop.recv_timeout(Duration::from_millis(10)) {
            Err(RecvTimeoutError::Timeout) if child.try_wait().unwrap().is_none() => {}
            _ => break,
        }
    }
    std::thread::sleep(Duration::from_millis(200));
    let leaving = Instant::now();
    drop(node);
    let took = leaving.elapsed();
    assert!(
        child.wait().unwrap().success(),
        "the peer reported an error; see its output"
    );
    assert!(
        took < Duration::from_secs(1),
        "the node took {took:?} to leave"
    );
}

/// Topics in both directions, services, parameters, log, node graph and malformed samples, checked
/// by Cyclone DDS.
#[test]
fn cyclone_dds_peer_reports_no_error() {
    let Some((peer, _lock)) = super::script("dds_cyclone.py") else {
        return;
    };
    run_against(171, peer);
}

/// The examples of the crate `ros2` work with Cyclone DDS.
#[test]
fn examples_work_with_cyclone_dds() {
    let Some((mut peer, _lock)) = super::script("examples.py") else {
        return;
    };
    // the whole workspace, because its features equal the build of the tests
    let arguments = ["build", "--locked", "--quiet", "--workspace", "--examples"];
    let built = Command::new(env!("CARGO"))
        .args(arguments)
        // set by test/timed.py; with it, build scripts give another result and all is built again
        .env_remove("RUSTC_BOOTSTRAP")
        .status()
        .unwrap();
    assert!(built.success(), "the examples do not build");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_merrow"));
    peer.arg(program.with_file_name("examples"));
    super::expect_success(peer);
}

/// A robot that is inserted again must not receive commands sent to its previous instance: a new
/// subscription starts empty, although the DDS library keeps the earlier samples of the topic.
#[test]
fn new_subscription_starts_empty() {
    let options = |name| NodeOptions {
        domain_id: 173,
        discovery: DiscoveryRange::Localhost,
        ..NodeOptions::new(name)
    };
    let (sender, receiver) = (
        Node::new(&options("sender")).unwrap(),
        Node::new(&options("receiver")).unwrap(),
    );
    let publisher = sender
        .publisher("command", Text::info(), &Qos::DEFAULT)
        .unwrap();
    let subscribe = || {
        let (arrived, messages) = mpsc::channel();
        let callback =
            move |bytes: &[u8]| drop(arrived.send(from_bytes::<Text>(bytes).unwrap().data));
        let subscription = receiver
            .subscription("command", Text::info(), &Qos::DEFAULT, Box::new(callback))
            .unwrap();
        (subscription, messages)
    };
    let publish_until_received = |data: &str, messages: &Receiver<std::string::String>| {
        for _ in 0..500 {
            publisher.publish(&text(data)).unwrap();
            if let Ok(first) = messages.recv_timeout(Duration::from_millis(10)) {
                return first;
            }
        }
        panic!("no message arrived");
    };
    let (former, messages) = subscribe();
    assert_eq!(publish_until_received("old", &messages), "old");
    drop(former);
    // Samples in transit also belong to the previous instance.
    std::thread::sleep(Duration::from_millis(200));
    let (_subscription, messages) = subscribe();
    assert_eq!(publish_until_received("new", &messages), "new");
}
