//! Warning about another simulator, clock or node of the same name in the domain.

use crate::publisher::Worker;
use merrow_ros2::node::Logger;

impl Worker {
    /// Warns once if another node publishes the clock, or has the name of this node.
    pub(super) fn warn_about_second_source(&mut self) {
        let (Some(network), Some(logger)) = (&self.context.network, &self.context.logger) else {
            return;
        };
        if self.has_warned {
            return;
        }
        let clock = self
            .clock()
            .and_then(|clock| self.context.outputs.publishers.get(clock));
        let topics = network.remote_topics();
        let second = |topic: &str| topics.iter().any(|remote| remote.name == topic);
        let node = node_name(logger);
        let name = format!("{node}/get_parameters");
        let (text, option) = if network.remote_services().contains(&name) {
            (format!("has the name {node}"), "-r __ns:=/NAME")
        } else if let Some(clock) = clock.filter(|clock| second(clock.topic())) {
            let option = "-r /clock:=/NAME/clock";
            (format!("publishes {}", clock.topic()), option)
        } else {
            return;
        };
        logger.warn(format_args!(
            "another node {text}, so clients receive data of both: end it, or start this run with \
             another ROS_DOMAIN_ID or with --ros-args {option}"
        ));
        self.has_warned = true;
    }
}

/// Returns the full name of the node of a logger.
fn node_name(logger: &Logger) -> String {
    format!("/{}", logger.name().replace('.', "/"))
}
