//! Topics that cross between robots over modems.
//!
//! A message of the topic becomes a packet of the transmitting modem, which contains the number of
//! the bridge and the CDR bytes. When the packet arrives, its CDR bytes are published on the topic
//! of the receiver. The topic of a bridge belongs to the simulator, to another node, or to another
//! bridge that receives it.

use crate::modem::fix::FixDecoder;
use crate::modem::{calls, feasibility, fix};
use crate::topics::{Bridging, Content, Input, Moment, Output, Plan};
use merrow_model::scene::Scene;
use merrow_model::scene::comms::bridge::Bridge;
use merrow_model::state::Command;
use merrow_model::state::comms::{Delivery, NetworkOutput};
use merrow_ros2::installed::InstalledTypes;
use merrow_ros2::message::TypeInfo;
use merrow_ros2::qos::Qos;
use merrow_sim::bridged_message;
use merrow_world::World;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns the message type with the ROS name `name`: a known type, or the type of an installed
/// package.
pub(crate) fn find_type(name: &str) -> Result<&'static TypeInfo, String> {
    let all = merrow_ros2::msg::catalogue().into_iter();
    let mut all = all.chain(merrow_messages::msg::catalogue());
    if let Some((known, _)) = all.find(|(info, _)| info.name == name) {
        return Ok(known);
    }
    let unknown = || {
        format!(
            "unknown message type {name}; expected a type of Merrow, such as std_msgs/msg/String, \
             or of a package in AMENT_PREFIX_PATH"
        )
    };
    InstalledTypes::sourced().message(name)?.ok_or_else(unknown)
}

/// Error of a bridge: its index and the text.
pub(crate) type BridgeError = (usize, String);

/// Returns the type of the messages of bridge `k`, which is the type of the output with its topic,
/// of the bridge that receives its topic, or of its key.
///
/// # Errors
/// The bridge of the error, which can be an earlier bridge of the same topic, and one line: the
/// topic or the type is unknown, the topic cannot be transmitted, or the bridges form a loop.
fn message_type(
    scene: &Scene,
    k: usize,
    outputs: &[Output],
) -> Result<&'static TypeInfo, BridgeError> {
    let mut origin = k;
    for _ in 0..scene.bridges.len() {
        match former_bridge(scene, origin, outputs) {
            Some(former) => origin = former,
            None => {
                let info = origin_type(scene, origin, outputs)?;
                let same = check_stated_type(&scene.bridges[k], info);
                let valid = same.and_then(|()| check_fix_type(&scene.bridges[k], info));
                return valid.map(|()| info).map_err(|text| (k, text));
            }
        }
    }
    let bridge = &scene.bridges[k];
    let text = format!(
        "bridge {}: the topic /{} passes through its own bridge again; expected bridges without a loop",
        bridge.name, bridge.topic
    );
    Err((k, text))
}

/// Returns the bridge that receives the topic of bridge `k`, unless the simulator publishes the
/// topic itself.
fn former_bridge(scene: &Scene, k: usize, outputs: &[Output]) -> Option<usize> {
    let topic = &scene.bridges[k].topic;
    if outputs
        .iter()
        .any(|output| is_topic(output, &scene.bridges[k]))
    {
        return None;
    }
    let mut bridges = scene.bridges.iter();
    bridges.position(|bridge| bridge.to.iter().any(|(_, received)| received == topic))
}

/// Returns the type of the messages of bridge `k`, whose topic no bridge receives.
fn origin_type(
    scene: &Scene,
    k: usize,
    outputs: &[Output],
) -> Result<&'static TypeInfo, BridgeError> {
    let bridge = &scene.bridges[k];
    let error = |text: String| (k, format!("bridge {}: {text}", bridge.name));
    if let Some(output) = outputs.iter().find(|output| is_topic(output, bridge)) {
        if output.bridging != Bridging::Transmitted {
            return Err(error(format!(
                "the topic /{} cannot be transmitted; expected a topic of a robot, a modem, a coupling, a tether or another node",
                bridge.topic
            )));
        }
        return Ok(output.info);
    }
    if bridge.message_type.is_empty() {
        return Err(error(format!(
            "unknown topic /{}: the simulator does not publish it; add `message_type` for a topic of another node",
            bridge.topic
        )));
    }
    find_type(&bridge.message_type).map_err(error)
}

/// Checks that the key `message_type` of a bridge, if any, is the type of its messages.
fn check_stated_type(bridge: &Bridge, info: &TypeInfo) -> Result<(), String> {
    let stated = bridge.message_type.as_str();
    if stated.is_empty() || stated == info.name {
        return Ok(());
    }
    Err(format!(
        "bridge {}: `message_type` is {stated}, but the messages on /{} are {}",
        bridge.name, bridge.topic, info.name
    ))
}

/// Checks that the messages of a bridge that corrects positions are positions.
fn check_fix_type(bridge: &Bridge, info: &TypeInfo) -> Result<(), String> {
    if bridge.fix.is_none() || fix::decoder(info.name).is_some() {
        return Ok(());
    }
    Err(format!(
        "bridge {}: `fix`: expected messages of {}, found {} on /{}",
        bridge.name,
        fix::type_names().join(", "),
        info.name,
        bridge.topic
    ))
}

/// Returns for each bridge with a correction of the position the decoder of its messages.
pub(crate) fn fix_decoders(scene: &Scene) -> BTreeMap<usize, FixDecoder> {
    let types = message_types(scene).into_iter().flatten();
    let corrected = types.filter(|(k, _)| scene.bridges[*k].fix.is_some());
    corrected
        .filter_map(|(k, info)| Some((k, fix::decoder(info.name)?)))
        .collect()
}

fn is_topic(output: &Output, bridge: &Bridge) -> bool {
    output.topic.trim_start_matches('/') == bridge.topic
}

/// Checks the topics, services and types of all bridges of a world, and that their messages can
/// arrive.
///
/// # Errors
/// One line per invalid bridge, with its place in the world file: first the topics, then the
/// services, each ordered by bridge.
pub fn check(world: &World) -> Result<(), Vec<String>> {
    let scene = &world.scene;
    let topics = message_types(scene).into_iter().filter_map(Result::err);
    // one error per bridge
    let topics: BTreeMap<usize, String> = topics.collect();
    let topics = topics.into_iter().map(|error| (false, error));
    let services = calls::service_types(scene).into_iter();
    let services = services.filter_map(|found| Some((true, found.err()?)));
    let mut lines = located(world, topics.chain(services));
    if lines.is_empty() {
        lines = findings(world, true);
    }
    if lines.is_empty() { Ok(()) } else { Err(lines) }
}

/// Returns the bridges that can never deliver, or those that cannot from the positions at the
/// start, one line each.
fn findings(world: &World, are_errors: bool) -> Vec<String> {
    let found = feasibility::check(&world.scene).into_iter();
    let found = found.filter(|finding| finding.is_error == are_errors);
    located(
        world,
        found.map(|finding| (finding.is_service, finding.error)),
    )
}

/// Returns the exchanges over bridges that cannot succeed from the positions of the robots at the
/// start, one line each with its place in the world file. The world must be valid.
pub fn notes(world: &World) -> Vec<String> {
    findings(world, false)
}

/// Returns the bridges of topics with the types of their messages, or their errors.
pub(super) fn message_types(scene: &Scene) -> Vec<Result<(usize, &'static TypeInfo), BridgeError>> {
    if scene.bridges.is_empty() {
        return Vec::new();
    }
    let mut outputs = Plan::new(scene).outputs;
    outputs.retain(|output| output.bridging != Bridging::Received);
    let all = 0..scene.bridges.len();
    all.map(|k| Ok((k, message_type(scene, k, &outputs)?)))
        .collect()
}

/// Returns the lines of errors with the places of their bridges in the world file; true for a bridge
/// of a service.
fn located(world: &World, errors: impl Iterator<Item = (bool, BridgeError)>) -> Vec<String> {
    let line = |(is_service, (k, text)): (bool, BridgeError)| {
        let places = match is_service {
            true => &world.bridge_services,
            false => &world.bridge_topics,
        };
        match places.get(k) {
            Some(place) => format!("{place}: {text}"),
            None => text,
        }
    };
    errors.map(line).collect()
}

/// Adds the topics of all valid bridges.
pub(crate) fn add_topics(scene: &Scene, outputs: &mut Vec<Output>, inputs: &mut Vec<Input>) {
    let n = outputs.len();
    for (k, bridge) in scene.bridges.iter().enumerate() {
        let Ok(info) = message_type(scene, k, &outputs[..n]) else {
            continue;
        };
        let is_output = outputs[..n].iter().any(|output| is_topic(output, bridge));
        if !is_output && former_bridge(scene, k, &outputs[..n]).is_none() {
            let unit = format!("transmitted by {}", scene.modems[bridge.from].name);
            let topic = format!("/{}", bridge.topic);
            let input = Input::raw(topic, info, unit, move |_, bytes| {
                Ok(vec![Command::Bridge {
                    bridge: k,
                    message: bytes.to_vec(),
                }])
            });
            inputs.push(Input {
                // messages of sensors and of controllers
                qos: Qos::SENSOR_SUBSCRIPTION,
                ..input
            });
        }
        for (receiver, (_, topic)) in bridge.to.iter().enumerate() {
            let encode = move |moment: Moment<'_>, results: &NetworkOutput| {
                let arrived = |delivery: &Delivery| {
                    let payload = results.payload(delivery);
                    let (bridge, to, message) = bridged_message(moment.scene, delivery, payload)?;
                    let is_own = (bridge, to) == (k, receiver);
                    is_own.then(|| (delivery.published_ns, message.to_vec()))
                };
                results.deliveries.iter().filter_map(arrived).collect()
            };
            let content = Content::NetworkResults(Arc::new(encode));
            outputs.push(Output {
                bridging: Bridging::Received,
                ..Output::new(format!("/{topic}"), info, content)
            });
        }
    }
}

/// Returns the bridges that transmit the messages of an output of the simulator. Messages that
/// arrive over bridges are transmitted by the network itself.
pub(crate) fn bridges_of(scene: &Scene, output: &Output) -> Vec<usize> {
    if output.bridging != Bridging::Transmitted {
        return Vec::new();
    }
    let bridges = scene.bridges.iter().enumerate();
    bridges
        .filter(|(_, bridge)| is_topic(output, bridge))
        .map(|(k, _)| k)
        .collect()
}
