//! Backends of the ROS node: the choice of `--ros-backend`.

use merrow_ros2::args::NodeOptions;
use merrow_ros2::node::Node;

/// Connection of the node to ROS 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum RosBackend {
    /// DDS client of this program; needs no ROS 2.
    #[default]
    Embedded,
    /// RMW of the sourced ROS 2, as RMW_IMPLEMENTATION selects it.
    Native,
}

impl RosBackend {
    /// Creates a node whose topics can change while it runs.
    ///
    /// # Errors
    /// One line with the cause.
    pub(super) fn node(self, options: &NodeOptions) -> Result<Node, String> {
        match self {
            Self::Embedded => {
                let node = Node::with_succession(options).map_err(|e| e.to_string())?;
                let rmw = std::env::var("RMW_IMPLEMENTATION").unwrap_or_default();
                if rmw.contains("zenoh") {
                    node.logger().warn(format_args!(
                        "RMW_IMPLEMENTATION is '{rmw}', whose nodes do not discover this node, which uses \
                         DDS; start them with rmw_fastrtps_cpp or rmw_cyclonedds_cpp"
                    ));
                }
                Ok(node)
            }
            Self::Native => native(options).map_err(|e| format!("--ros-backend native: {e}")),
        }
    }
}

#[cfg(feature = "native")]
fn native(options: &NodeOptions) -> Result<Node, String> {
    let backend = merrow_ros2_native::NativeBackend::join(options)?;
    Node::with_succession_on(options, std::sync::Arc::new(backend)).map_err(|e| e.to_string())
}

#[cfg(not(feature = "native"))]
fn native(_options: &NodeOptions) -> Result<Node, String> {
    Err(
        "this program was built without it; source ROS 2 and build with `--features native` or \
         with colcon"
            .to_string(),
    )
}
