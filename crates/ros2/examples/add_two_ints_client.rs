//! Calls `example_interfaces/srv/AddTwoInts` on `/add_two_ints` with two numbers and logs the sum.
//!
//! ```text
//! ros2 run demo_nodes_cpp add_two_ints_server
//! cargo run -p merrow-ros2 --example add_two_ints_client -- 2 3 [--ros-args ...]
//! ```

use std::error::Error;
use std::time::{Duration, Instant};

use merrow_ros2::args::{ArgsContext, NodeOptions};
use merrow_ros2::cdr::{from_bytes, to_bytes};
use merrow_ros2::message::ros_service;
use merrow_ros2::node::Node;
use merrow_ros2::qos::Qos;

/// Longest time to the discovery of the server, and to its reply.
const TIMEOUT: Duration = Duration::from_secs(10);

ros_service! {
    /// Addition of two numbers.
    pub struct AddTwoInts("example_interfaces/srv/AddTwoInts") {
        request AddTwoIntsRequest {
            /// First of the two summands.
            a: i64,
            /// Second of the two summands.
            b: i64,
        }
        response AddTwoIntsResponse {
            /// Sum of the two numbers.
            sum: i64,
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let around = ArgsContext::of_process();
    let (options, rest) = NodeOptions::parse("add_two_ints_client", &arguments, &around)?;
    let [a, b] = &rest[..] else {
        return Err("expected two numbers".into());
    };
    let node = Node::new(&options)?;
    let client = node.client::<AddTwoInts>("add_two_ints", &Qos::SERVICE)?;
    let start = Instant::now();
    while client.server_count() == 0 {
        if start.elapsed() > TIMEOUT {
            return Err(format!("no server of {}", client.name()).into());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let request = AddTwoIntsRequest {
        a: a.parse()?,
        b: b.parse()?,
    };
    let reply = client.call_and_wait(&to_bytes(&request), TIMEOUT)?;
    let AddTwoIntsResponse { sum } = from_bytes(&reply.ok_or("no reply")?)?;
    node.logger().info(format_args!("sum: {sum}"));
    Ok(())
}
