//! Tests of inertial sensors, magnetometers and inertial navigation.

mod ahrs;
mod allan;
mod imu;
mod ins;
mod ins_aided;
mod noise;
mod turntable;
