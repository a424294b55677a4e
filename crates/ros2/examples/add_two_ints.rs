//! Serves `example_interfaces/srv/AddTwoInts` as `/add_two_ints`, with a service type that is
//! declared here.
//!
//! ```text
//! cargo run -p merrow-ros2 --example add_two_ints -- [--ros-args ...]
//! ros2 service call /add_two_ints example_interfaces/srv/AddTwoInts '{a: 2, b: 3}'
//! ```

use std::error::Error;

use merrow_ros2::args::{ArgsContext, NodeOptions};
use merrow_ros2::cdr::{from_bytes, to_bytes};
use merrow_ros2::message::ros_service;
use merrow_ros2::node::Node;
use merrow_ros2::qos::Qos;

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
            /// Sum of both; it wraps around on overflow.
            sum: i64,
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let (options, _) = NodeOptions::parse("add_two_ints", &arguments, &ArgsContext::of_process())?;
    let node = Node::new(&options)?;
    let logger = node.logger().clone();
    let handler = move |request: &[u8]| {
        let AddTwoIntsRequest { a, b } = from_bytes(request).ok()?;
        logger.info(format_args!("{a} + {b}"));
        Some(to_bytes(&AddTwoIntsResponse {
            sum: a.wrapping_add(b),
        }))
    };
    let _service = node.service::<AddTwoInts>("add_two_ints", &Qos::SERVICE, Box::new(handler))?;
    loop {
        std::thread::park();
    }
}
