//! State messages of ArduPilot SITL's JSON interface.
//!
//! # Law
//! ```text
//!   p_N = (y, x, -z),   v_N likewise                                        (1)
//!   R_NB = P R_WB Q                                                         (2)
//!   f_B = Rᵀ (a - g)                                                        (3)  specific force
//! ```
//! # Symbols
//! p, v position and velocity in W · R_WB attitude · P exchanges east and north and turns up to
//! down, Q turns left and up of the base to right and down · a acceleration · g gravity vector ·
//! f_B specific force, what an accelerometer measures.
//!
//! # Frames
//! World W (east, north, up) and base (forward, left, up) become north, east, down and forward,
//! right, down.
//!
//! # Limits
//! (3) is that of the origin of the base. Heights are relative to z = 0 of the world.
//!
//! # Checked by
//! tests below; test/ros/checks/autopilot.py

use merrow_math::{Mat3, Quat, Vec3};
use std::fmt::Write as _;

/// Motion and readings of a robot at one instant, in forward, right, down and north, east, down.
#[derive(Clone, Debug, PartialEq)]
pub struct VehicleState {
    /// Simulated time of the state [s].
    pub time: f64,
    /// Angular velocity of the body [rad/s].
    pub gyro: Vec3,
    /// Specific force [m/s²]; (0, 0, -g) at rest.
    pub accelerometer: Vec3,
    /// Position: north, east, down [m].
    pub position: Vec3,
    /// Attitude of the body.
    pub attitude: Quat,
    /// Velocity over ground: north, east, down [m/s].
    pub velocity: Vec3,
    /// Distances of the rangefinders [m]; `None` without an echo.
    pub ranges: Vec<Option<f64>>,
    /// Direction from which the apparent wind blows, clockwise from the bow [rad], and its speed
    /// [m/s].
    pub wind_vane: Option<[f64; 2]>,
    /// Voltage [V] and current [A] of the battery.
    pub battery: Option<[f64; 2]>,
}

/// Components in east, north, up as north, east, down.
pub fn north_east_down(v: Vec3) -> Vec3 {
    Vec3::new(v.y, v.x, -v.z)
}

/// Components forward, left, up as forward, right, down.
pub fn forward_right_down(v: Vec3) -> Vec3 {
    Vec3::new(v.x, -v.y, -v.z)
}

/// Attitude of a body (forward, right, down) in north, east, down, by (2). `q_WB` is that of the
/// base (forward, left, up) in east, north, up.
pub fn attitude_in_ned(q_WB: Quat) -> Quat {
    let R = q_WB.matrix();
    let columns = [R.col(0), R.col(1).scale(-1.0), R.col(2).scale(-1.0)].map(north_east_down);
    Quat::from_matrix(&Mat3 { r: columns }.transpose())
}

/// Encodes a state as the SITL reads it: one line of JSON between line feeds. The SITL finds keys
/// by a text search and reads vectors with a space after each comma.
pub fn encode(state: &VehicleState) -> Vec<u8> {
    let vector = |v: Vec3| format!("[{:.9}, {:.9}, {:.9}]", v.x, v.y, v.z);
    let q = state.attitude;
    let mut text = format!(
        "\n{{\"timestamp\":{:.9},\"imu\":{{\"gyro\":{},\"accel_body\":{}}},\"position\":{},\"quaternion\":[{:.9}, {:.9}, {:.9}, {:.9}],\"velocity\":{}",
        state.time,
        vector(state.gyro),
        vector(state.accelerometer),
        vector(state.position),
        q.w,
        q.x,
        q.y,
        q.z,
        vector(state.velocity),
    );
    for (k, range) in state.ranges.iter().enumerate() {
        if let Some(range) = range {
            let _ = write!(text, ",\"rng_{}\":{range:.6}", k + 1);
        }
    }
    if let Some([direction, speed]) = state.wind_vane {
        let _ = write!(
            text,
            ",\"windvane\":{{\"direction\":{direction:.6},\"speed\":{speed:.6}}}"
        );
    }
    if let Some([voltage, current]) = state.battery {
        let _ = write!(
            text,
            ",\"battery\":{{\"voltage\":{voltage:.4},\"current\":{current:.4}}}"
        );
    }
    text.push_str("}\n");
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    fn rpy_in_ned(roll: f64, pitch: f64, yaw: f64) -> [f64; 3] {
        attitude_in_ned(Quat::from_rpy(roll, pitch, yaw))
            .matrix()
            .to_rpy()
    }

    #[test]
    fn attitudes_are_those_of_aviation() {
        let near = |found: [f64; 3], expected: [f64; 3]| {
            for (a, b) in found.iter().zip(expected) {
                assert!((a - b).abs() < 1e-9, "{found:?} {expected:?}");
            }
        };
        // heading north, east and west; level
        near(rpy_in_ned(0.0, 0.0, FRAC_PI_2), [0.0, 0.0, 0.0]);
        near(rpy_in_ned(0.0, 0.0, 0.0), [0.0, 0.0, FRAC_PI_2]);
        near(
            rpy_in_ned(0.0, 0.0, 3.0 * FRAC_PI_2),
            [0.0, 0.0, std::f64::consts::PI],
        );
        // right side down is a positive roll in both; bow up is negative in the base frame
        near(rpy_in_ned(0.2, 0.0, FRAC_PI_2), [0.2, 0.0, 0.0]);
        near(rpy_in_ned(0.0, -0.3, FRAC_PI_2), [0.0, 0.3, 0.0]);
    }

    #[test]
    fn message_is_json_between_line_feeds() {
        let state = VehicleState {
            time: 1.5,
            gyro: Vec3::new(0.1, -0.2, 1e-12),
            accelerometer: Vec3::new(0.0, 0.0, -9.81),
            position: Vec3::new(1.0, 2.0, 3.0),
            attitude: Quat::identity(),
            velocity: Vec3::zero(),
            ranges: vec![Some(2.5), None, Some(1.0)],
            wind_vane: Some([0.5, 6.0]),
            battery: Some([16.2, 3.0]),
        };
        let text = String::from_utf8(encode(&state)).unwrap();
        assert!(text.starts_with("\n{") && text.ends_with("}\n"));
        let value: serde_json::Value = serde_json::from_str(text.trim()).unwrap();
        assert_eq!(value["imu"]["accel_body"][2], -9.81);
        assert_eq!(value["imu"]["gyro"][2], 0.0);
        assert_eq!(value["rng_1"], 2.5);
        assert!(value.get("rng_2").is_none() && value["rng_3"] == 1.0);
        assert_eq!(value["windvane"]["speed"], 6.0);
        assert_eq!(value["battery"]["voltage"], 16.2);
        // the format of the text search of the SITL
        assert!(text.contains("\"position\":[1.000000000, 2.000000000, 3.000000000]"));
    }
}
