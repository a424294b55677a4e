//! Runs nodes in lock-step with a world that was started with `merrow run WORLD --pace lockstep`.
//!
//! The executor requests a period of steps, waits for its messages, passes them to the nodes, and
//! requests the next period when the world has received what the nodes published. Three facts make
//! the order of all inputs, and with it the mission, equal in every run:
//!
//! * The service `/merrow/wait_for_delivery` replies when this process has acknowledged all messages
//!   of the steps. An acknowledged message is in the queue of its subscription, and the reply comes
//!   behind it, so that all messages of the period have been taken when the reply is taken. No
//!   message is lost in the queue, because the subscriptions keep all.
//! * The messages of a period are sorted by topic; those of one topic keep their order.
//! * The executor waits for the acknowledgements of its own messages before it requests steps: the
//!   world handles messages and requests in the order of their arrival.
//!
//! Responses of services that nodes call are handled before the next step, too.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use merrow_messages::msg::{StepSimulation, StepSimulationRequest, StepSimulationResponse};
use merrow_ros2::args::NodeOptions;
use merrow_ros2::cdr::{Cdr, from_bytes, to_bytes};
use merrow_ros2::message::Service;
use merrow_ros2::msg::std_srvs::{Trigger, TriggerRequest, TriggerResponse};

use super::dispatch::{Call, Dispatch, Published};
use super::network::{Event, Network};
use super::{DISCOVERY_TIMEOUT, ExecutorError, Supervisor};
use crate::node::Component;

/// Longest wall time of a reply. Images of several cameras take seconds per period.
const REPLY_TIMEOUT: Duration = Duration::from_secs(120);

/// Maximum number of rounds of calls and responses at one time, which ends nodes that call without
/// end.
const MAX_ROUNDS: usize = 100;

/// Result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Time of the simulation at the end [ns].
    pub time_ns: u64,
    /// Number of messages and service calls of the nodes.
    pub messages: u64,
    /// Hash of all messages and calls of the nodes, with their times and order.
    pub hash: String,
}

/// Runs the nodes until the supervisor ends the mission; `steps_per_period` steps of the world lie
/// between two times at which they act.
///
/// # Errors
/// One line: topics or services are missing or have other types, the world does not step, or the
/// error of the supervisor.
pub fn run(
    nodes: Vec<Component>,
    options: &NodeOptions,
    steps_per_period: u64,
    supervisor: &mut dyn Supervisor,
) -> Result<Outcome, ExecutorError> {
    let mut lock_step = LockStep::join(Dispatch::new(nodes)?, options, supervisor)?;
    loop {
        let now_ns = lock_step.period(steps_per_period, supervisor)?;
        if supervisor.is_done(now_ns) {
            let (messages, hash) = lock_step.dispatch.digest();
            return Ok(Outcome {
                time_ns: now_ns,
                messages,
                hash,
            });
        }
        supervisor.check().map_err(ExecutorError)?;
    }
}

struct LockStep {
    dispatch: Dispatch,
    network: Network,
    step: Arc<str>,
    delivery: Arc<str>,
    /// Messages of the period: topic and bytes.
    arrived: Vec<(usize, Vec<u8>)>,
}

impl LockStep {
    fn join(
        dispatch: Dispatch,
        options: &NodeOptions,
        supervisor: &mut dyn Supervisor,
    ) -> Result<Self, ExecutorError> {
        let inputs = dispatch.external_inputs();
        let mut network = Network::join(options, inputs, dispatch.outputs(), true)?;
        for service in dispatch.nodes().iter().flat_map(Component::services) {
            network.add_client(&service.name, &service.service)?;
        }
        let step: Arc<str> = "/merrow/step".into();
        let delivery: Arc<str> = "/merrow/wait_for_delivery".into();
        network.add_client(&delivery, &Trigger::info())?;
        // last: endpoints are announced in the order of their creation, so a world that answers this
        // client knows the others
        network.add_client(&step, &StepSimulation::info())?;
        network.wait_for_peers(DISCOVERY_TIMEOUT, supervisor)?;
        Ok(Self {
            dispatch,
            network,
            step,
            delivery,
            arrived: Vec::new(),
        })
    }

    /// Makes the steps of a period and lets the nodes act at its end, whose time [ns] it returns.
    fn period(
        &mut self,
        steps: u64,
        supervisor: &mut dyn Supervisor,
    ) -> Result<u64, ExecutorError> {
        let name = Arc::clone(&self.step);
        let request = to_bytes(&StepSimulationRequest { steps });
        let stepped: StepSimulationResponse = self.request(&name, &request, supervisor)?;
        if !stepped.success {
            return Err(ExecutorError(format!("{name}: {}", stepped.message)));
        }
        let name = Arc::clone(&self.delivery);
        let request = to_bytes(&TriggerRequest {});
        let delivered: TriggerResponse = self.request(&name, &request, supervisor)?;
        if !delivered.success {
            return Err(ExecutorError(format!("{name}: {}", delivered.message)));
        }
        let now_ns = stepped.time.to_nanos();
        self.act(now_ns, supervisor)?;
        Ok(now_ns)
    }

    /// Passes the messages of the period to the nodes, then calls timers and services.
    fn act(&mut self, now_ns: u64, supervisor: &mut dyn Supervisor) -> Result<(), ExecutorError> {
        let mut arrived = std::mem::take(&mut self.arrived);
        arrived.sort_by_key(|(topic, _)| *topic);
        let mut published = Vec::new();
        for (topic, bytes) in arrived {
            let topic = Arc::clone(&self.network.inputs()[topic].topic);
            published.extend(self.dispatch.message(now_ns, &topic, &bytes, supervisor));
        }
        published.extend(self.dispatch.timers(now_ns, supervisor));
        self.send(&published, supervisor)?;
        for _ in 0..MAX_ROUNDS {
            let calls: VecDeque<Call> = self.dispatch.take_calls().into();
            if calls.is_empty() {
                return Ok(());
            }
            for call in calls {
                let bytes = self.call(&call.name, &call.request, supervisor)?;
                let reaction = self
                    .dispatch
                    .response(now_ns, call.origin, &bytes, supervisor);
                self.send(&reaction, supervisor)?;
            }
        }
        Err(ExecutorError(format!(
            "a node calls services without end at {:.3} s",
            now_ns as f64 * 1e-9
        )))
    }

    fn send(
        &self,
        published: &[Published],
        supervisor: &mut dyn Supervisor,
    ) -> Result<(), ExecutorError> {
        match self.network.publish(published)? {
            true => self.network.wait_until_received(REPLY_TIMEOUT, supervisor),
            false => Ok(()),
        }
    }

    fn request<R: Cdr>(
        &mut self,
        name: &str,
        request: &[u8],
        supervisor: &mut dyn Supervisor,
    ) -> Result<R, ExecutorError> {
        let bytes = self.call(name, request, supervisor)?;
        from_bytes(&bytes).map_err(|why| ExecutorError(format!("malformed reply of {name}: {why}")))
    }

    /// Calls a service, waits for its response, and keeps the messages that arrive before it.
    fn call(
        &mut self,
        name: &str,
        request: &[u8],
        supervisor: &mut dyn Supervisor,
    ) -> Result<Vec<u8>, ExecutorError> {
        let number = self.network.call(name, request)?;
        let end = Instant::now() + REPLY_TIMEOUT;
        loop {
            match self.network.next(end, supervisor)? {
                Some(Event::Response(of, bytes)) if of == number => return Ok(bytes),
                // of a call that was given up
                Some(Event::Response(..)) => {}
                Some(Event::Message(topic, bytes)) => self.arrived.push((topic, bytes)),
                None => {
                    return Err(ExecutorError(format!(
                        "no reply of {name} within {} s; check whether the simulator still runs",
                        REPLY_TIMEOUT.as_secs()
                    )));
                }
            }
        }
    }
}
