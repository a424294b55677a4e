//! Replay of the commands in a recorded bag.
//!
//! A replay applies the commands at the start of the same steps as the recorded run.

use crate::arm::progress::Progress;
use crate::input::command_services::RecordedRequests;
use crate::input::serve::REQUESTS;
use crate::node::parameters::live::{EVENTS, RecordedParameters};
use crate::topics::{Arrival, Input, Plan, absolute};
use merrow_model::scene::Scene;
use merrow_model::scene::schedule::ScheduledCommand;
use merrow_model::state::{Command, State};
use merrow_ros2::bag::read::{RecordedMessage, read_messages};
use merrow_ros2::cdr::from_bytes;
use merrow_ros2::msg::rcl_interfaces::ParameterEvent;
use merrow_ros2::msg::rosgraph_msgs::Clock;
use merrow_ros2::node::changed_values;
use merrow_ros2::parameters::ParameterServer;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const CLOCK: &str = "/clock";
/// Log times above this are wall-clock times: a simulated time is never as long [ns].
const MAX_SIMULATED_NS: u64 = 100_000_000_000_000_000;

/// Commands of a bag.
#[derive(Debug, Default)]
pub struct Replay {
    /// Commands, sorted by time.
    pub commands: Vec<ScheduledCommand>,
    /// One line per message that is not a valid command.
    pub refused: Vec<String>,
}

/// Reads the commands of a bag for the world `scene`, which starts with `state`.
///
/// # Errors
/// One line: the bag cannot be read, has no commands for this world, or has no simulated time.
pub fn read_commands(scene: &Arc<Scene>, state: &State, path: &Path) -> Result<Replay, String> {
    let plan = Plan::new(scene);
    let inputs: HashMap<String, &Input> = plan
        .inputs
        .iter()
        .chain(&plan.calls)
        .map(|input| (absolute(&input.topic), input))
        .collect();
    let mut topics: HashSet<String> = inputs.keys().cloned().collect();
    topics.insert(CLOCK.to_string());
    topics.insert(EVENTS.to_string());
    let parameters = RecordedParameters::new(scene)?;
    let requests = RecordedRequests::new(scene);
    let messages = read_messages(path, &topics)?;
    let progress = Progress::from_state(state);
    let mut replay = Replay::default();
    let mut clock_ns = None;
    for message in messages {
        if message.topic == CLOCK {
            let clock = from_bytes::<Clock>(&message.cdr).map_err(|e| e.to_string())?;
            let (sec, nanosec) = (clock.clock.sec, clock.clock.nanosec);
            clock_ns = Some(u64::from(sec.unsigned_abs()) * 1_000_000_000 + u64::from(nanosec));
            continue;
        }
        if message.topic == EVENTS {
            // events before the first `/clock` declare parameters
            if let Ok(time_ns) = simulated_time(&message, clock_ns, path) {
                replay.add_parameters(&parameters, &message, time_ns);
            }
            continue;
        }
        let Some(input) = inputs.get(&message.topic) else {
            continue;
        };
        let time_ns = simulated_time(&message, clock_ns, path)?;
        progress.now_ns.store(time_ns, Ordering::Relaxed);
        let services = (&requests, parameters.server());
        replay.add(scene, (&progress, services), input, &message, time_ns);
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

impl Replay {
    /// Adds the commands of changed parameters.
    fn add_parameters(
        &mut self,
        parameters: &RecordedParameters,
        message: &RecordedMessage,
        time_ns: u64,
    ) {
        let event = from_bytes::<ParameterEvent>(&message.cdr).map_err(|e| e.to_string());
        let commands = event.and_then(|event| parameters.set(changed_values(event)));
        match commands {
            Ok(commands) => self.add_commands(EVENTS, commands, time_ns),
            Err(why) => {
                let seconds = time_ns as f64 * 1e-9;
                self.refused.push(format!("{EVENTS} at {seconds} s: {why}"));
            }
        }
    }

    fn add_commands(&mut self, topic: &str, commands: Vec<Command>, time_ns: u64) {
        let name: Arc<str> = topic.into();
        self.commands
            .extend(commands.into_iter().map(|command| ScheduledCommand {
                name: Arc::clone(&name),
                time_ns,
                command,
            }));
    }

    fn add(
        &mut self,
        scene: &Arc<Scene>,
        (progress, services): (&Progress, (&RecordedRequests, &ParameterServer)),
        input: &Input,
        message: &RecordedMessage,
        time_ns: u64,
    ) {
        let topic = &message.topic;
        if message.type_name != input.info.name {
            let (found, expected) = (&message.type_name, input.info.name);
            let line = format!("{topic}: expected the type {expected}, found {found}");
            // the type of a topic is the same in all its messages
            if !self.refused.contains(&line) {
                self.refused.push(line);
            }
            return;
        }
        let read = if input.topic == REQUESTS {
            let (requests, parameters) = services;
            let command = requests.command(scene, parameters, &message.cdr);
            command.map(|command| vec![command])
        } else {
            (input.decode)(Arrival { scene, progress }, &message.cdr)
        };
        match read {
            Ok(commands) => self.add_commands(topic, commands, time_ns),
            Err(why) => {
                let seconds = time_ns as f64 * 1e-9;
                self.refused.push(format!("{topic} at {seconds} s: {why}"));
            }
        }
    }
}
