//! What a program with a force, a controller, a sensor or a robot of its own needs, for
//! `use merrow::prelude::*`. The files in `examples/` use nothing else.

pub use merrow_control::devices::Devices;
pub use merrow_control::estimate::KnownMotion;
pub use merrow_control::law::{ControlLaw, Tick};
pub use merrow_math::rng::Stream;
pub use merrow_math::{Mat3, Quat, Real, SpatialForce, SpatialVelocity, Vec3};
pub use merrow_model::scene::Scene;
pub use merrow_model::state::{
    ActuatorCommand, BodyCommand, Command, DeviceCommand, FirmwareCommand, JointCommand, Motion,
    RobotState, State,
};
pub use merrow_ros2::args::{ArgsContext, NodeOptions};
pub use merrow_ros2::cdr::{from_bytes, to_bytes};
pub use merrow_ros2::message::Message;
pub use merrow_ros2::msg;
pub use merrow_ros2::node::Node;
pub use merrow_ros2::qos::Qos;
pub use merrow_sim::Simulation;
pub use merrow_world::{Overrides, Problems, World, load_text, load_world};
