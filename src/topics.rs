//! The topics and actions of a world: what each is, how its messages are encoded, and which
//! commands they give.
//!
//! An object declares each of its topics once, where its messages are built: an [`Output`] with its
//! encoder, an [`Input`] with its decoder. `node/plan.rs` collects them for a scene.
//!
//! # Example
//! ```
//! use merrow::prelude::*;
//! use merrow::topics::{Input, Output};
//! use msg::std_msgs::Float64;
//!
//! // the depth of the first robot, 50 times per second
//! let depth = Output::states("rov/depth", |_, states| Float64 {
//!     data: -states.motions[0].p_WB.z,
//! });
//! assert_eq!(depth.info.name, "std_msgs/msg/Float64");
//! // a depth that its firmware holds
//! let hold = Input::new("rov/hold_depth", "m, positive down", |_, depth: Float64| {
//!     let (heading, depth) = (None, Some(depth.data));
//!     Command::Firmware(0, FirmwareCommand::HeadingDepth { heading, depth })
//! });
//! assert_eq!(hold.qos, Qos::COMMAND);
//! ```

use crate::node::states::WorldStatus;
use merrow_messages::convert::topic;
use merrow_messages::frames::ObjectStates;
use merrow_model::scene::{JointGroup, Robot, Scene};
use merrow_model::state::comms::NetworkOutput;
use merrow_model::state::computer::TaskInterval;
use merrow_ros2::cdr::{from_bytes, to_bytes};
use merrow_ros2::message::{Message, TypeInfo};
use merrow_ros2::qos::Qos;
use merrow_sim::Simulation;
use std::sync::Arc;

pub use crate::input::mailbox::{Arrival, Decoded, Decoder, Input, IntoDecoded, PageControl};

/// Rate of `/tf` and `joint_states` in simulation time [Hz].
pub const FRAME_RATE: f64 = 50.0;

/// Rate of the states of batteries, modems and computers, and of `/diagnostics`, in simulation time
/// [Hz].
pub const STATUS_RATE: f64 = 1.0;

/// What an encoder knows beside its data.
#[derive(Clone, Copy)]
pub struct Moment<'a> {
    /// Scene of the world.
    pub scene: &'a Scene,
    /// Simulated time of the message [ns].
    pub now_ns: u64,
    /// Whether `/tf` includes the true pose of a robot.
    pub has_truth_tf: &'a dyn Fn(&Robot) -> bool,
}

/// Encodes the message of an output.
pub type Encoder<T> = Arc<dyn Fn(Moment<'_>, &T) -> Vec<u8> + Send + Sync>;

/// Encodes the messages of an output for the results of a block of steps, with their times [ns].
pub type ResultEncoder<T> = Arc<dyn Fn(Moment<'_>, &T) -> Vec<(u64, Vec<u8>)> + Send + Sync>;

/// Content of the messages of an output, by the data that it is encoded from.
#[derive(Clone)]
pub enum Content {
    /// Simulated time.
    Clock,
    /// Health of the node, which only the publisher knows.
    Health,
    /// A message of a sensor.
    Sensor {
        /// Index of the robot.
        robot: usize,
        /// Index of the sensor.
        sensor: usize,
        /// Index of the message among the messages of the sensor.
        part: usize,
    },
    /// The scene, published once.
    Scene(Encoder<()>),
    /// The state of all moving objects, at [`FRAME_RATE`].
    States(Encoder<ObjectStates>),
    /// The state of the world, at [`STATUS_RATE`].
    Status(Encoder<WorldStatus>),
    /// A truth value, published when it changes.
    Switch(Switch),
    /// Results of the network of modems.
    NetworkResults(ResultEncoder<NetworkOutput>),
    /// Ended intervals of the schedules of computers.
    Intervals(ResultEncoder<[TaskInterval]>),
}

/// A truth value of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// Whether a coupling, by its index, is engaged.
    Coupling(usize),
    /// Whether a tether, by its index, is intact.
    Tether(usize),
}

impl Switch {
    /// Returns the value at the start of a run.
    pub fn at_start(self, scene: &Scene) -> bool {
        match self {
            Self::Coupling(k) => scene.couplings[k].engaged,
            Self::Tether(_) => true,
        }
    }
}

/// How bridges between modems use an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bridging {
    /// They can transmit it.
    Transmitted,
    /// They cannot transmit it: a log of the simulator, or a message that is published once.
    Local,
    /// They receive it.
    Received,
}

/// Sets the shown state of a replay from a recorded message.
pub type Restore = Arc<dyn Fn(&mut Simulation, &[u8]) + Send + Sync>;

/// A topic that the node publishes.
#[derive(Clone)]
pub struct Output {
    /// Topic name, without remapping.
    pub topic: String,
    /// Message type of the topic.
    pub info: &'static TypeInfo,
    /// Quality of service of the topic.
    pub qos: Qos,
    /// Rate of the messages [Hz]; `None` if the topic is published once or on change.
    pub rate_hz: Option<f64>,
    /// Content of the messages.
    pub content: Content,
    /// Whether bridges can transmit it.
    pub bridging: Bridging,
    /// How a replay shows it, if it does.
    pub restore: Option<Restore>,
}

/// Returns the encoder of a message.
pub fn encoder<T: ?Sized, M: Message>(
    build: impl Fn(Moment<'_>, &T) -> M + Send + Sync + 'static,
) -> Encoder<T> {
    Arc::new(move |moment, data| to_bytes(&build(moment, data)))
}

impl Output {
    /// Returns an output with default QoS, without a rate.
    pub fn new(topic: impl Into<String>, info: &'static TypeInfo, content: Content) -> Self {
        Self {
            topic: topic.into(),
            info,
            qos: Qos::DEFAULT,
            rate_hz: None,
            content,
            bridging: Bridging::Transmitted,
            restore: None,
        }
    }

    /// Returns an output of the scene, which is published once.
    pub fn once<M: Message>(
        topic: impl Into<String>,
        build: impl Fn(Moment<'_>) -> M + Send + Sync + 'static,
    ) -> Self {
        let content = Content::Scene(encoder(move |moment, (): &()| build(moment)));
        Self::new(topic, M::info(), content)
            .with_qos(Qos::LATCHED)
            .local()
    }

    /// Returns an output of the state of moving objects.
    pub fn states<M: Message>(
        topic: impl Into<String>,
        build: impl Fn(Moment<'_>, &ObjectStates) -> M + Send + Sync + 'static,
    ) -> Self {
        Self::new(topic, M::info(), Content::States(encoder(build))).at_rate(FRAME_RATE)
    }

    /// Returns an output of the state of the world at [`STATUS_RATE`].
    pub fn status<M: Message>(
        topic: impl Into<String>,
        build: impl Fn(Moment<'_>, &WorldStatus) -> M + Send + Sync + 'static,
    ) -> Self {
        Self::new(topic, M::info(), Content::Status(encoder(build))).at_rate(STATUS_RATE)
    }

    /// Returns an output of results of the network, with their times [ns].
    pub fn network_results<M: Message>(
        topic: impl Into<String>,
        build: impl Fn(Moment<'_>, &NetworkOutput) -> Vec<(u64, M)> + Send + Sync + 'static,
    ) -> Self {
        let encode = move |moment: Moment<'_>, results: &NetworkOutput| {
            let built = build(moment, results).into_iter();
            built.map(|(time, m)| (time, to_bytes(&m))).collect()
        };
        Self::new(topic, M::info(), Content::NetworkResults(Arc::new(encode)))
    }

    /// Returns an output of a truth value.
    pub fn switch(topic: impl Into<String>, switch: Switch) -> Self {
        use merrow_ros2::msg::std_msgs::Bool;
        Self::new(topic, Bool::info(), Content::Switch(switch)).with_qos(Qos::LATCHED)
    }

    /// Sets the rate of the messages [Hz].
    #[must_use]
    pub fn at_rate(self, rate_hz: f64) -> Self {
        Self {
            rate_hz: Some(rate_hz),
            ..self
        }
    }

    /// Sets the quality of service.
    #[must_use]
    pub fn with_qos(self, qos: Qos) -> Self {
        Self { qos, ..self }
    }

    /// Declares that bridges cannot transmit the output.
    #[must_use]
    pub fn local(self) -> Self {
        Self {
            bridging: Bridging::Local,
            ..self
        }
    }

    /// Sets how a replay shows a recorded message. A malformed message has no effect.
    #[must_use]
    pub fn restored_by<M: Message>(
        self,
        restore: impl Fn(&mut Simulation, &M) + Send + Sync + 'static,
    ) -> Self {
        let restore: Restore = Arc::new(move |simulation, bytes| {
            if let Ok(message) = from_bytes::<M>(bytes) {
                restore(simulation, &message);
            }
        });
        Self {
            restore: Some(restore),
            ..self
        }
    }

    /// Returns the robot and the sensor of the messages of a sensor, as indices.
    pub fn sensor(&self) -> Option<(usize, usize)> {
        match self.content {
            Content::Sensor { robot, sensor, .. } => Some((robot, sensor)),
            _ => None,
        }
    }
}

/// All topics and actions of a world.
#[derive(Clone)]
pub struct Plan {
    /// Topics that the node publishes.
    pub outputs: Vec<Output>,
    /// Topics to which the node subscribes.
    pub inputs: Vec<Input>,
    /// Topics on which bags contain the calls of services, over bridges and to the simulator.
    pub calls: Vec<Input>,
    /// Actions that the node offers.
    pub actions: Vec<ActionPlan>,
}

impl Plan {
    /// Returns the output with this content, if the plan has it, by its index.
    pub fn find(&self, is_wanted: impl Fn(&Content) -> bool) -> Option<usize> {
        let mut outputs = self.outputs.iter();
        outputs.position(|output| is_wanted(&output.content))
    }
}

/// Group of joints of a robot, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupIndex {
    /// Index of the robot.
    pub robot: usize,
    /// Index of the group among the joint groups of the robot.
    pub group: usize,
}

impl GroupIndex {
    /// Looks up the robot and its group.
    pub fn lookup(self, scene: &Scene) -> (&Robot, &JointGroup) {
        let robot = &scene.robots[self.robot];
        (robot, &robot.joint_groups[self.group])
    }
}

/// An action that the node offers.
#[derive(Clone, Debug)]
pub struct ActionPlan {
    /// Name of the action.
    pub name: String,
    /// ROS name of the action type.
    pub kind: &'static str,
    /// Group of joints that the action moves.
    pub group_index: GroupIndex,
}

/// Returns the name with a leading slash.
pub fn absolute(topic: &str) -> String {
    format!("/{}", topic.trim_start_matches('/'))
}

/// An exteroceptive sensor, and its outputs with the bits of the data that each contains.
pub(crate) struct ExteroceptiveOutputs {
    /// Index of the robot.
    pub(crate) robot: usize,
    /// Index of the sensor.
    pub(crate) sensor: usize,
    /// Indices of its outputs, with the bits of the data that each contains.
    pub(crate) outputs: Vec<(usize, u8)>,
}

/// Lists all exteroceptive sensors with their outputs.
pub(crate) fn exteroceptive_outputs(scene: &Scene, plan: &Plan) -> Vec<ExteroceptiveOutputs> {
    let mut all: Vec<ExteroceptiveOutputs> = Vec::new();
    for (i, output) in plan.outputs.iter().enumerate() {
        let Content::Sensor {
            robot,
            sensor,
            part,
        } = output.content
        else {
            continue;
        };
        let device = &scene.robots[robot].sensors[sensor];
        if device.kind.exteroceptive().is_none() {
            continue;
        }
        if part == 0 {
            all.push(ExteroceptiveOutputs {
                robot,
                sensor,
                outputs: Vec::new(),
            });
        }
        let topics = topic::topics(device);
        if let (Some(last), Some(topic)) = (all.last_mut(), topics.get(part)) {
            last.outputs.push((i, topic.required_outputs));
        }
    }
    all
}
