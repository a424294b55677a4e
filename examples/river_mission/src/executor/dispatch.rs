//! Passes inputs to nodes in a fixed order, and what nodes publish to the nodes of the same process.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::{ExecutorError, Supervisor};
use crate::node::{Action, Component, Input, Outbox, Topic};

/// A request that a node makes of a service.
pub(super) struct Call {
    /// Index of the node, and of the service in the order of its declaration.
    pub(super) origin: (usize, usize),
    pub(super) name: Arc<str>,
    pub(super) request: Vec<u8>,
}

/// A message that a node publishes.
pub(super) struct Published {
    pub(super) topic: Arc<str>,
    pub(super) bytes: Arc<[u8]>,
}

/// Next time of a timer.
struct Due {
    node: usize,
    timer: usize,
    next_ns: u64,
    period_ns: u64,
}

/// The nodes of a process.
pub(super) struct Dispatch {
    nodes: Vec<Component>,
    /// Nodes and their inputs by topic.
    routes: BTreeMap<Arc<str>, Vec<(usize, usize)>>,
    timers: Vec<Due>,
    /// Messages that are to be passed to the nodes of the process.
    queue: VecDeque<Published>,
    calls: Vec<Call>,
    hash: Sha256,
    messages: u64,
}

impl Dispatch {
    pub(super) fn new(nodes: Vec<Component>) -> Result<Self, ExecutorError> {
        let mut routes: BTreeMap<Arc<str>, Vec<(usize, usize)>> = BTreeMap::new();
        let mut timers = Vec::new();
        let mut types: BTreeMap<Arc<str>, &str> = BTreeMap::new();
        for (n, node) in nodes.iter().enumerate() {
            if nodes[..n].iter().any(|other| other.name() == node.name()) {
                let name = node.name();
                return Err(ExecutorError(format!("two nodes have the name {name}")));
            }
            for topic in node.inputs().iter().chain(node.outputs()) {
                let own = topic.message.name;
                let known = *types.entry(Arc::clone(&topic.topic)).or_insert(own);
                if known != own {
                    return Err(ExecutorError(format!(
                        "{}: {} has the type {own}; expected {known}, as in another node",
                        node.name(),
                        topic.topic
                    )));
                }
            }
            for (k, input) in node.inputs().iter().enumerate() {
                routes
                    .entry(Arc::clone(&input.topic))
                    .or_default()
                    .push((n, k));
            }
            timers.extend(
                node.periods_ns()
                    .iter()
                    .enumerate()
                    .map(|(timer, period)| Due {
                        node: n,
                        timer,
                        next_ns: 0,
                        period_ns: *period,
                    }),
            );
        }
        Ok(Self {
            nodes,
            routes,
            timers,
            queue: VecDeque::new(),
            calls: Vec::new(),
            hash: Sha256::new(),
            messages: 0,
        })
    }

    pub(super) fn nodes(&self) -> &[Component] {
        &self.nodes
    }

    /// Returns the subscribed topics that no node of the process publishes, by name.
    pub(super) fn external_inputs(&self) -> Vec<Topic> {
        let outputs = || self.nodes.iter().flat_map(Component::outputs);
        let mut inputs: BTreeMap<Arc<str>, Topic> = BTreeMap::new();
        for input in self.nodes.iter().flat_map(Component::inputs) {
            if outputs().all(|output| output.topic != input.topic) {
                let known = inputs.entry(Arc::clone(&input.topic));
                known.or_insert_with(|| input.clone()).is_optional &= input.is_optional;
            }
        }
        inputs.into_values().collect()
    }

    /// Returns the published topics, by name.
    pub(super) fn outputs(&self) -> Vec<Topic> {
        let mut outputs: BTreeMap<Arc<str>, Topic> = BTreeMap::new();
        for output in self.nodes.iter().flat_map(Component::outputs) {
            let known = outputs.entry(Arc::clone(&output.topic));
            known.or_insert_with(|| output.clone()).is_optional &= output.is_optional;
        }
        outputs.into_values().collect()
    }

    /// Passes a message to the nodes that subscribe to its topic, and the messages that they publish
    /// in reaction. Returns all of these.
    pub(super) fn message(
        &mut self,
        now_ns: u64,
        topic: &Arc<str>,
        bytes: &[u8],
        supervisor: &mut dyn Supervisor,
    ) -> Vec<Published> {
        self.pass(now_ns, topic, bytes, supervisor);
        self.settle(now_ns, supervisor)
    }

    /// Passes the response of a service to the node that called it.
    pub(super) fn response(
        &mut self,
        now_ns: u64,
        origin: (usize, usize),
        bytes: &[u8],
        supervisor: &mut dyn Supervisor,
    ) -> Vec<Published> {
        self.handle(
            now_ns,
            origin.0,
            Input::Response(origin.1, bytes),
            supervisor,
        );
        self.settle(now_ns, supervisor)
    }

    /// Calls the timers that are due. A timer that has missed periods is called once.
    pub(super) fn timers(
        &mut self,
        now_ns: u64,
        supervisor: &mut dyn Supervisor,
    ) -> Vec<Published> {
        let mut all = Vec::new();
        for k in 0..self.timers.len() {
            let due = &mut self.timers[k];
            // it is at most a period ahead, unless the time has gone back
            let is_due = due.next_ns <= now_ns || due.next_ns > now_ns + due.period_ns;
            if is_due {
                due.next_ns = (now_ns / due.period_ns + 1).saturating_mul(due.period_ns);
                let (node, timer) = (due.node, due.timer);
                self.handle(now_ns, node, Input::Timer(timer), supervisor);
                all.extend(self.settle(now_ns, supervisor));
            }
        }
        all
    }

    /// Returns the time at which the next timer is due [ns].
    pub(super) fn next_timer_ns(&self) -> Option<u64> {
        self.timers.iter().map(|due| due.next_ns).min()
    }

    /// Removes and returns the calls that nodes made.
    pub(super) fn take_calls(&mut self) -> Vec<Call> {
        std::mem::take(&mut self.calls)
    }

    /// Returns the number of messages and calls of all nodes so far and a hash of them, with their
    /// times and order.
    pub(super) fn digest(&self) -> (u64, String) {
        let hash = self.hash.clone().finalize();
        let text = hash.iter().take(8).map(|byte| format!("{byte:02x}"));
        (self.messages, text.collect())
    }

    /// Passes on what nodes publish until none reacts any more.
    fn settle(&mut self, now_ns: u64, supervisor: &mut dyn Supervisor) -> Vec<Published> {
        let mut all = Vec::new();
        while let Some(published) = self.queue.pop_front() {
            self.pass(now_ns, &published.topic, &published.bytes, supervisor);
            all.push(published);
        }
        all
    }

    fn pass(
        &mut self,
        now_ns: u64,
        topic: &Arc<str>,
        bytes: &[u8],
        supervisor: &mut dyn Supervisor,
    ) {
        let routes = self.routes.get(topic).cloned().unwrap_or_default();
        for (node, input) in routes {
            self.handle(now_ns, node, Input::Message(input, bytes), supervisor);
        }
    }

    fn handle(
        &mut self,
        now_ns: u64,
        node: usize,
        input: Input<'_>,
        supervisor: &mut dyn Supervisor,
    ) {
        let mut outbox = Outbox::at(now_ns);
        let component = &mut self.nodes[node];
        if let Err(why) = component.handle(input, &mut outbox) {
            let line = match input {
                Input::Message(k, _) => {
                    format!(
                        "refused a message on {}: {why}",
                        component.inputs()[k].topic
                    )
                }
                Input::Response(k, _) => {
                    format!(
                        "refused a response of {}: {why}",
                        component.services()[k].name
                    )
                }
                Input::Timer(_) => why,
            };
            supervisor.report(now_ns, component.name(), &line);
        }
        for action in outbox.take() {
            let component = &self.nodes[node];
            match action {
                Action::Publish { topic, bytes } => {
                    if component.outputs().iter().all(|own| own.topic != topic) {
                        let line = format!("published on {topic}, which it does not declare");
                        supervisor.report(now_ns, component.name(), &line);
                        continue;
                    }
                    self.add_to_hash(now_ns, &topic, &bytes);
                    let bytes = bytes.into();
                    self.queue.push_back(Published { topic, bytes });
                }
                Action::Call { name, request } => {
                    let service = component.services().iter().position(|own| own.name == name);
                    let Some(service) = service else {
                        let line = format!("called {name}, which it does not declare");
                        supervisor.report(now_ns, component.name(), &line);
                        continue;
                    };
                    self.add_to_hash(now_ns, &name, &request);
                    self.calls.push(Call {
                        origin: (node, service),
                        name,
                        request,
                    });
                }
                Action::Log(line) => supervisor.report(now_ns, component.name(), &line),
            }
        }
    }

    fn add_to_hash(&mut self, now_ns: u64, topic: &str, bytes: &[u8]) {
        self.messages += 1;
        for part in [&now_ns.to_le_bytes(), topic.as_bytes(), bytes] {
            self.hash.update((part.len() as u64).to_le_bytes());
            self.hash.update(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::{Node, Output, Ports};
    use merrow_ros2::cdr::{from_bytes, to_bytes};
    use merrow_ros2::msg::std_msgs::{Bool, Float64};
    use merrow_ros2::qos::Qos;

    #[derive(Default)]
    struct Lines(Vec<String>);

    impl Supervisor for Lines {
        fn is_done(&mut self, _: u64) -> bool {
            false
        }
        fn check(&mut self) -> Result<(), String> {
            Ok(())
        }
        fn report(&mut self, _: u64, node: &str, line: &str) {
            self.0.push(format!("{node}: {line}"));
        }
    }

    /// Publishes what it receives plus one, and its count of timer calls.
    struct Step {
        input: &'static str,
        out: Output<Float64>,
        ticks: Output<Float64>,
        count: f64,
    }

    impl Step {
        fn new(input: &'static str, out: &str) -> Self {
            Self {
                input,
                out: Output::new(out, Qos::DEFAULT),
                ticks: Output::new(format!("{out}/ticks"), Qos::DEFAULT),
                count: 0.0,
            }
        }
    }

    impl Node for Step {
        fn declare(&self, ports: &mut Ports<Self>) {
            ports.publishes(&self.out);
            ports.publishes(&self.ticks);
            ports.subscribes(self.input, Qos::DEFAULT, |step, n: Float64, outbox| {
                let data = n.data + 1.0;
                outbox.publish(&step.out, &Float64 { data });
            });
            ports.every(0.1, |step, outbox| {
                step.count += 1.0;
                outbox.publish(&step.ticks, &Float64 { data: step.count });
            });
        }
    }

    fn chain() -> Dispatch {
        let nodes = vec![
            Component::new("first", Step::new("/a", "/b")),
            Component::new("second", Step::new("/b", "/c")),
        ];
        Dispatch::new(nodes).unwrap()
    }

    #[test]
    fn messages_pass_through_a_chain_of_nodes() {
        let mut dispatch = chain();
        let external: Vec<_> = dispatch.external_inputs();
        assert_eq!(external.len(), 1);
        assert_eq!(&*external[0].topic, "/a");
        let mut lines = Lines::default();
        let one = to_bytes(&Float64 { data: 1.0 });
        let published = dispatch.message(7, &"/a".into(), &one, &mut lines);
        let numbers: Vec<f64> = published
            .iter()
            .map(|p| from_bytes::<Float64>(&p.bytes).unwrap().data)
            .collect();
        assert_eq!(numbers, [2.0, 3.0]);
        assert_eq!(&*published[1].topic, "/c");
        assert!(
            dispatch
                .message(7, &"/a".into(), &[0, 1], &mut lines)
                .is_empty()
        );
        assert!(
            lines.0[0].starts_with("first: refused a message on /a: "),
            "{:?}",
            lines.0
        );
    }

    #[test]
    fn timers_keep_their_phase_and_do_not_catch_up() {
        let mut dispatch = chain();
        let mut lines = Lines::default();
        let mut count = |now_ns| dispatch.timers(now_ns, &mut lines).len();
        assert_eq!([count(0), count(99_000_000), count(110_000_000)], [2, 0, 2]);
        assert_eq!([count(199_999_999), count(200_000_000)], [0, 2]);
        assert_eq!([count(950_000_000), count(960_000_000)], [2, 0]);
        assert_eq!(dispatch.next_timer_ns(), Some(1_000_000_000));
        // the time goes back to the start
        let mut count = |now_ns| dispatch.timers(now_ns, &mut lines).len();
        assert_eq!([count(10_000_000), count(90_000_000)], [2, 0]);
        assert_eq!(count(100_000_000), 2);
    }

    #[test]
    fn the_hash_depends_on_content_and_time() {
        let run = |now_ns, data| {
            let mut dispatch = chain();
            let bytes = to_bytes(&Float64 { data });
            dispatch.message(now_ns, &"/a".into(), &bytes, &mut Lines::default());
            dispatch.digest()
        };
        assert_eq!(run(1, 1.0), run(1, 1.0));
        assert_ne!(run(1, 1.0), run(2, 1.0));
        assert_ne!(run(1, 1.0), run(1, 1.5));
    }

    #[test]
    fn contradictions_between_nodes_are_refused() {
        struct Other;
        impl Node for Other {
            fn declare(&self, ports: &mut Ports<Self>) {
                ports.subscribes("/b", Qos::DEFAULT, |_, _: Bool, _| {});
            }
        }
        let nodes = || Component::new("first", Step::new("/a", "/b"));
        let error = Dispatch::new(vec![nodes(), Component::new("other", Other)]).err();
        assert_eq!(
            error.unwrap().0,
            "other: /b has the type std_msgs/msg/Bool; expected std_msgs/msg/Float64, as in another node"
        );
        let error = Dispatch::new(vec![nodes(), nodes()]).err();
        assert_eq!(error.unwrap().0, "two nodes have the name first");
    }
}
