//! Tests of joints: motors, gears, servos and trajectories.

mod actuator;
mod mimic;
mod pendulum;
mod servo;
mod servo_friction;
mod servo_stop;
mod trajectory;
