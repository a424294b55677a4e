//! Prints every `std_msgs/msg/String` of `/chatter`, as `ros2 run demo_nodes_cpp listener` does.
//!
//! ```text
//! cargo run -p merrow-ros2 --example listener -- [--ros-args ...]
//! ros2 topic pub /chatter std_msgs/msg/String '{data: hello}'
//! ```

use std::error::Error;

use merrow_ros2::args::{ArgsContext, NodeOptions};
use merrow_ros2::cdr::from_bytes;
use merrow_ros2::message::Message;
use merrow_ros2::msg::std_msgs::String as Text;
use merrow_ros2::node::Node;
use merrow_ros2::qos::Qos;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let (options, _) = NodeOptions::parse("listener", &arguments, &ArgsContext::of_process())?;
    let node = Node::new(&options)?;
    let logger = node.logger().clone();
    let callback = move |message: &[u8]| match from_bytes::<Text>(message) {
        Ok(text) => logger.info(format_args!("I heard: {}", text.data)),
        Err(error) => logger.warn(format_args!("refused a message: {error}")),
    };
    let _subscription =
        node.subscription("chatter", Text::info(), &Qos::DEFAULT, Box::new(callback))?;
    loop {
        std::thread::park();
    }
}
