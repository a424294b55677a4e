//! Holds the depth of the BlueROV2 of the world `pool` with its pressure sensor.
//!
//! ```text
//! merrow run pool
//! cargo run --example depth_controller -- 3.0
//! ```

use merrow_ros2::args::{ArgsContext, NodeOptions};
use merrow_ros2::cdr::{from_bytes, to_bytes};
use merrow_ros2::message::Message;
use merrow_ros2::msg::geometry_msgs::{Vector3, Wrench};
use merrow_ros2::msg::sensor_msgs::FluidPressure;
use merrow_ros2::node::Node;
use merrow_ros2::qos::Qos;
use std::error::Error;

const SURFACE_PA: f64 = 101_325.0;
const PA_PER_M: f64 = 9_810.0;
const POSITION_GAIN: f64 = 60.0;
const VELOCITY_GAIN: f64 = 80.0;
const INTEGRAL_GAIN: f64 = 10.0;
const MAX_INTEGRAL_N: f64 = 20.0;

/// A PID controller: pressure in, vertical force out.
struct DepthController {
    goal_m: f64,
    /// Time [s] and depth [m] of the last reading.
    last: Option<(f64, f64)>,
    /// Filtered sinking speed [m/s].
    speed: f64,
    /// Integral part of the force [N].
    integral: f64,
}

impl DepthController {
    /// Returns the upward force [N] after a reading of the pressure.
    fn force(&mut self, message: &FluidPressure) -> f64 {
        let depth = (message.fluid_pressure - SURFACE_PA) / PA_PER_M;
        let stamp = &message.header.stamp;
        let now = f64::from(stamp.sec) + 1e-9 * f64::from(stamp.nanosec);
        let error = self.goal_m - depth;
        if let Some((then, before)) = self.last.filter(|(then, _)| now > *then) {
            let dt = now - then;
            // the sensor is noisy: low-pass with 0.2 s
            self.speed += (dt / 0.2).min(1.0) * ((depth - before) / dt - self.speed);
            self.integral += INTEGRAL_GAIN * error * dt;
            self.integral = self.integral.clamp(-MAX_INTEGRAL_N, MAX_INTEGRAL_N);
        }
        self.last = Some((now, depth));
        -(POSITION_GAIN * error - VELOCITY_GAIN * self.speed + self.integral)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let (options, rest) =
        NodeOptions::parse("depth_controller", &arguments, &ArgsContext::of_process())?;
    let goal_m = rest.first().map_or(Ok(3.0), |text| text.parse())?;
    let mut controller = DepthController {
        goal_m,
        last: None,
        speed: 0.0,
        integral: 0.0,
    };
    let node = Node::new(&options)?;
    let topic = "/bluerov2/thruster_manager/input";
    let publisher = node.publisher(topic, Wrench::info(), &Qos::DEFAULT)?;
    let logger = node.logger().clone();
    let callback = move |bytes: &[u8]| match from_bytes::<FluidPressure>(bytes) {
        Ok(message) => {
            let z = controller.force(&message);
            let wrench = Wrench {
                force: Vector3 { x: 0.0, y: 0.0, z },
                ..Wrench::default()
            };
            if let Err(error) = publisher.publish(&to_bytes(&wrench)) {
                logger.warn(format_args!("{error}"));
            }
        }
        Err(error) => logger.warn(format_args!("refused a message: {error}")),
    };
    let topic = "/bluerov2/pressure/data";
    let info = FluidPressure::info();
    let _subscription = node.subscription(topic, info, &Qos::DEFAULT, Box::new(callback))?;
    loop {
        std::thread::park();
    }
}
