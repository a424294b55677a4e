//! Replay of the commands in a recorded bag.
//!
//! A replay applies the commands at the start of the same steps as the recorded run.

use crate::arm::progress::Progress;
use crate::input::own_services::RecordedRequests;
use crate::input::serve::REQUESTS;
use crate::node::parameters::live::{EVENTS, RecordedParameters};
use crate::topics::{Arrival, Input, Plan, absolute};
use merrow_model::scene::Scene;
use merrow_model::scene::schedule::ScheduledCommand;
use merrow_model::state::State;
use merrow_ros2::bag::read::{RecordedMessage, read_messages};
use merrow_ros2::cdr::from_bytes;
use merrow_ros2::msg::rcl_interfaces::ParameterEvent;
use merrow_ros2::msg::rosgraph_msgs::Clock;
use merrow_ros2::node::changed_values;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const CLOCK: &str = "/clock";
/// Log times above this are wall-clock times: a simulated time is never as long [ns].
pub(crate) const MAX_SIMULATED_NS: u64 = 100_000_000_000_000_000;

/// Commands of a bag.
#[derive(Debug, Default)]
pub struct Replay {
    /// Commands, sorted by time.
    pub commands: Vec<ScheduledCommand>,
    /// One line per message that is not a valid command.
    pub refused: Vec<String>,
}

/// Conversion of recorded messages of inputs, of changed parameters and of requests of services to
/// commands.
pub(crate) struct RecordedCommands<'a> {
    scene: &'a Scene,
    inputs: HashMap<String, &'a Input>,
    parameters: RecordedParameters,
    requests: RecordedRequests,
    progress: Progress,
}

impl<'a> RecordedCommands<'a> {
    /// Prepares the inputs of a scene whose run has this progress.
    ///
    /// # Errors
    /// One line: a parameter could not be declared.
    pub(crate) fn new(
        scene: &'a Arc<Scene>,
        plan: &'a Plan,
        progress: Progress,
    ) -> Result<Self, String> {
        let inputs = plan.inputs.iter().chain(&plan.calls);
        Ok(Self {
            scene,
            inputs: inputs.map(|i| (absolute(&i.topic), i)).collect(),
            parameters: RecordedParameters::new(scene)?,
            requests: RecordedRequests::new(scene),
            progress,
        })
    }

    /// Converts a message of a topic at a simulated time [ns].
    ///
    /// # Errors
    /// One line: the message is malformed or not valid.
    pub(crate) fn commands(
        &self,
        topic: &str,
        bytes: &[u8],
        time_ns: u64,
    ) -> Result<Vec<ScheduledCommand>, String> {
        let commands = if topic == EVENTS {
            let event = from_bytes::<ParameterEvent>(bytes).map_err(|e| e.to_string())?;
            self.parameters.set(changed_values(event))?
        } else if topic == REQUESTS {
            let server = self.parameters.server();
            vec![self.requests.command(self.scene, server, bytes)?]
        } else {
            let arrival = Arrival {
                scene: self.scene,
                progress: &self.progress,
            };
            self.progress.now_ns.store(time_ns, Ordering::Relaxed);
            let input = self
                .inputs
                .get(topic)
                .ok_or("the world has no such input")?;
            (input.decode)(arrival, bytes)?
        };
        let name: Arc<str> = topic.into();
        let scheduled = commands.into_iter().map(|command| ScheduledCommand {
            name: Arc::clone(&name),
            time_ns,
            command,
        });
        Ok(scheduled.collect())
    }

    /// Returns a line about a message whose type differs from the type of its input.
    fn wrong_type(&self, message: &RecordedMessage) -> Option<String> {
        let (topic, found) = (&message.topic, &message.type_name);
        let expected = self.inputs.get(topic)?.info.name;
        (found != expected).then(|| format!("{topic}: expected the type {expected}, found {found}"))
    }
}

/// Reads the commands of a bag for the world `scene`, which starts with `state`.
///
/// # Errors
/// One line: the bag cannot be read, has no commands for this world, or has no simulated time.
pub fn read_commands(scene: &Arc<Scene>, state: &State, path: &Path) -> Result<Replay, String> {
    let plan = Plan::new(scene);
    let recorded = RecordedCommands::new(scene, &plan, Progress::from_state(state))?;
    let mut topics: HashSet<String> = recorded.inputs.keys().cloned().collect();
    topics.extend([CLOCK, EVENTS].map(str::to_string));
    let mut replay = Replay::default();
    let mut clock_ns = None;
    for message in read_messages(path, &topics)? {
        let topic = message.topic.as_str();
        if topic == CLOCK {
            let clock = from_bytes::<Clock>(&message.cdr).map_err(|e| e.to_string())?;
            clock_ns = Some(clock.clock.to_nanos());
            continue;
        }
        let time_ns = match simulated_time(&message, clock_ns, path) {
            Ok(time_ns) => time_ns,
            // events before the first `/clock` declare parameters
            Err(_) if topic == EVENTS => continue,
            Err(why) => return Err(why),
        };
        if let Some(line) = recorded.wrong_type(&message) {
            // the type of a topic is the same in all its messages
            if !replay.refused.contains(&line) {
                replay.refused.push(line);
            }
            continue;
        }
        match recorded.commands(topic, &message.cdr, time_ns) {
            Ok(commands) => replay.commands.extend(commands),
            Err(why) => {
                let seconds = time_ns as f64 * 1e-9;
                replay
                    .refused
                    .push(format!("{topic} at {seconds} s: {why}"));
            }
        }
    }
    if replay.commands.is_empty() && replay.refused.is_empty() {
        let why = "the bag has no commands for this world";
        return Err(format!("{}: {why}", path.display()));
    }
    Ok(replay)
}

/// Returns the simulated time of a message [ns]: the time in the bag, or in a bag with wall-clock
/// times the newest `/clock` before it.
fn simulated_time(
    message: &RecordedMessage,
    clock_ns: Option<u64>,
    path: &Path,
) -> Result<u64, String> {
    if message.log_time_ns < MAX_SIMULATED_NS {
        return Ok(message.log_time_ns);
    }
    clock_ns.ok_or_else(|| {
        format!(
            "{}: the messages have wall-clock times, and no /clock is before the first command; record with --use-sim-time",
            path.display()
        )
    })
}
