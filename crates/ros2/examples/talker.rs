//! Publishes `std_msgs/msg/String` on `/chatter` twice per second, as `ros2 run demo_nodes_cpp
//! talker` does.
//!
//! ```text
//! cargo run -p merrow-ros2 --example talker -- [--ros-args ...]
//! ros2 topic echo /chatter
//! ```

use std::error::Error;
use std::time::Duration;

use merrow_ros2::args::{ArgsContext, NodeOptions};
use merrow_ros2::cdr::to_bytes;
use merrow_ros2::message::Message;
use merrow_ros2::msg::std_msgs::String as Text;
use merrow_ros2::node::Node;
use merrow_ros2::qos::Qos;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let (options, _) = NodeOptions::parse("talker", &arguments, &ArgsContext::of_process())?;
    let node = Node::new(&options)?;
    let publisher = node.publisher("chatter", Text::info(), &Qos::DEFAULT)?;
    for count in 1.. {
        let data = format!("Hello World: {count}");
        node.logger()
            .info(format_args!("publishing on {}: {data}", publisher.topic()));
        publisher.publish(&to_bytes(&Text { data }))?;
        std::thread::sleep(Duration::from_millis(500));
    }
    Ok(())
}
