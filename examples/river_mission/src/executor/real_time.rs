//! Runs nodes in real time, on any ROS machine.
//!
//! The time of the nodes is the wall clock, or with the parameter `use_sim_time` that of `/clock`:
//! timers begin with its first message, and a clock that goes back starts them anew.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use merrow_ros2::args::NodeOptions;
use merrow_ros2::cdr::from_bytes;
use merrow_ros2::message::Message;
use merrow_ros2::msg::rosgraph_msgs::Clock;
use merrow_ros2::parameters::value::ParameterValue;
use merrow_ros2::qos::Qos;

use super::dispatch::{Dispatch, Published};
use super::network::{Event, Network};
use super::{DISCOVERY_TIMEOUT, ExecutorError, Supervisor};
use crate::node::{Component, Topic};

/// Longest time between two looks at timers and the supervisor.
const TICK: Duration = Duration::from_millis(100);

/// Wall time after which a clock that stands is reported.
const STALLED: Duration = Duration::from_secs(5);

/// Runs the nodes until the supervisor ends the mission. With `waits_for_peers`, missing topics and
/// services are an error after 20 s; otherwise they are reported every 20 s, and the nodes wait.
///
/// # Errors
/// One line: the node cannot join the network, a topic has another type, required topics are
/// missing, or the error of the supervisor.
pub fn run(
    nodes: Vec<Component>,
    options: &NodeOptions,
    waits_for_peers: bool,
    supervisor: &mut dyn Supervisor,
) -> Result<(), ExecutorError> {
    let mut dispatch = Dispatch::new(nodes)?;
    let mut inputs = dispatch.external_inputs();
    let clock = inputs.iter().position(|input| &*input.topic == "/clock");
    let mut time = Time::new(uses_clock(options));
    let clock = clock.or_else(|| {
        time.is_simulated.then(|| {
            inputs.push(Topic {
                topic: "/clock".into(),
                message: Clock::info(),
                qos: Qos::CLOCK,
                is_optional: false,
            });
            inputs.len() - 1
        })
    });
    let mut network = Network::join(options, inputs, dispatch.outputs(), false)?;
    for service in dispatch.nodes().iter().flat_map(Component::services) {
        network.add_client(&service.name, &service.service)?;
    }
    if waits_for_peers {
        network.wait_for_peers(DISCOVERY_TIMEOUT, supervisor)?;
    }
    let mut awaited = std::collections::BTreeMap::new();
    let mut next_look = Instant::now() + DISCOVERY_TIMEOUT;
    loop {
        let event = network.next(time.wake(dispatch.next_timer_ns()), supervisor)?;
        let mut published = Vec::new();
        match event {
            Some(Event::Message(k, bytes)) => {
                if Some(k) == clock {
                    match from_bytes::<Clock>(&bytes) {
                        Ok(message) => time.set(message.clock.to_nanos()),
                        Err(why) => {
                            let line = format!("refused a message on /clock: {why}");
                            supervisor.report(time.now_ns(), "executor", &line);
                        }
                    }
                }
                let topic = Arc::clone(&network.inputs()[k].topic);
                published = dispatch.message(time.now_ns(), &topic, &bytes, supervisor);
            }
            Some(Event::Response(number, bytes)) => {
                if let Some(origin) = awaited.remove(&number) {
                    published = dispatch.response(time.now_ns(), origin, &bytes, supervisor);
                }
            }
            None => {}
        }
        let now_ns = time.now_ns();
        if time.is_known() {
            published.extend(dispatch.timers(now_ns, supervisor));
        }
        send(&network, &published)?;
        for call in dispatch.take_calls() {
            let number = network.call(&call.name, &call.request)?;
            awaited.insert(number, call.origin);
        }
        if time.is_known() && supervisor.is_done(now_ns) {
            return Ok(());
        }
        supervisor.check().map_err(ExecutorError)?;
        if time.is_newly_stalled() {
            let line = format!(
                "no time on /clock for {} s; the simulator is paused or has ended",
                STALLED.as_secs()
            );
            supervisor.report(now_ns, "executor", &line);
        }
        if Instant::now() >= next_look {
            next_look = Instant::now() + DISCOVERY_TIMEOUT;
            for missing in network.missing()? {
                supervisor.report(now_ns, "executor", &format!("no {missing}"));
            }
        }
    }
}

fn send(network: &Network, published: &[Published]) -> Result<(), ExecutorError> {
    network.publish(published).map(drop)
}

/// Returns the last value of the parameter `use_sim_time`.
fn uses_clock(options: &NodeOptions) -> bool {
    let mut values = options.parameter_overrides.iter().rev();
    let value = values.find(|(name, _)| name == "use_sim_time");
    value.is_some_and(|(_, value)| *value == ParameterValue::Bool(true))
}

/// Time of the nodes.
struct Time {
    /// Whether it is the time of `/clock`.
    is_simulated: bool,
    /// Last time of `/clock` [ns], and when it arrived.
    clock: Option<(u64, Instant)>,
    is_stalled: bool,
}

impl Time {
    fn new(is_simulated: bool) -> Self {
        Self {
            is_simulated,
            clock: None,
            is_stalled: false,
        }
    }

    fn is_known(&self) -> bool {
        !self.is_simulated || self.clock.is_some()
    }

    fn set(&mut self, now_ns: u64) {
        self.clock = Some((now_ns, Instant::now()));
        self.is_stalled = false;
    }

    fn now_ns(&self) -> u64 {
        match self.is_simulated {
            true => self.clock.map_or(0, |(now_ns, _)| now_ns),
            false => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH);
                u64::try_from(now.unwrap_or_default().as_nanos()).unwrap_or(u64::MAX)
            }
        }
    }

    /// Returns when the executor has to look at the timers, the next of which is due at `timer_ns`.
    fn wake(&self, timer_ns: Option<u64>) -> Instant {
        let left = timer_ns.filter(|_| !self.is_simulated);
        let left = left.map(|at| Duration::from_nanos(at.saturating_sub(self.now_ns())));
        Instant::now() + left.unwrap_or(TICK).min(TICK)
    }

    /// Returns true once after the clock has stood for a while.
    fn is_newly_stalled(&mut self) -> bool {
        let last = self.clock.filter(|_| self.is_simulated);
        let stands = last.is_some_and(|(_, at)| at.elapsed() > STALLED);
        stands && !std::mem::replace(&mut self.is_stalled, stands)
    }
}
