//! Clock of a node: wall time, or the time on `/clock` while the parameter `use_sim_time` is set.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cdr::from_bytes;
use crate::message::Message;
use crate::msg::builtin_interfaces::Time;
use crate::msg::rosgraph_msgs;
use crate::node::{Node, NodeError, Shared, Subscription};
use crate::parameters::ParameterServer;
use crate::parameters::value::ParameterValue;
use crate::qos::Qos;

/// Clock of a node, for any thread.
pub struct Clock {
    node: Arc<Shared>,
    parameters: Arc<ParameterServer>,
    /// Subscription to `/clock` while `use_sim_time` is set.
    subscription: Mutex<Option<Subscription>>,
    /// Last time on `/clock` [ns]; 0 before the first message.
    simulated_ns: Arc<AtomicU64>,
}

impl Clock {
    /// Creates the clock of `node`, whose parameters are `parameters`.
    ///
    /// # Errors
    /// The backend refuses the subscription to `/clock`.
    pub fn new(node: &Node, parameters: &Arc<ParameterServer>) -> Result<Self, NodeError> {
        let clock = Self {
            node: Arc::clone(&node.shared),
            parameters: Arc::clone(parameters),
            subscription: Mutex::new(None),
            simulated_ns: Arc::default(),
        };
        clock.uses_simulated_time()?;
        Ok(clock)
    }

    /// Returns the time; zero while `use_sim_time` is set and no message has arrived on `/clock`.
    ///
    /// # Errors
    /// `use_sim_time` was set since the last call, and the backend refuses the subscription.
    pub fn now(&self) -> Result<Time, NodeError> {
        if self.uses_simulated_time()? {
            return Ok(Time::from_nanos(self.simulated_ns.load(Ordering::Acquire)));
        }
        Ok(Time::now())
    }

    /// Starts or ends the subscription according to the parameter; returns its value.
    fn uses_simulated_time(&self) -> Result<bool, NodeError> {
        let value = self.parameters.get("use_sim_time");
        let is_set = value == Some(ParameterValue::Bool(true));
        let mut subscription = self.subscription.lock();
        if is_set && subscription.is_none() {
            self.simulated_ns.store(0, Ordering::Release);
            let time = Arc::clone(&self.simulated_ns);
            let receive = move |bytes: &[u8]| {
                if let Ok(message) = from_bytes::<rosgraph_msgs::Clock>(bytes) {
                    time.store(message.clock.to_nanos(), Ordering::Release);
                }
            };
            let info = rosgraph_msgs::Clock::info();
            let qos = Qos::best_effort(1);
            *subscription =
                Some(
                    self.node
                        .subscription("/clock", info, &qos, Box::new(receive))?,
                );
        } else if !is_set {
            *subscription = None;
        }
        Ok(is_set)
    }
}
