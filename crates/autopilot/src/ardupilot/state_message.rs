//! State messages of ArduPilot SITL's JSON interface: one line of JSON with the motion in north,
//! east, down and forward, right, down.

use merrow_math::{Quat, Vec3};
use std::fmt::Write as _;

/// Motion and readings of a robot at one instant, in forward, right, down and north, east, down.
#[derive(Clone, Debug, PartialEq)]
pub struct VehicleState {
    /// Simulated time of the state [s].
    pub time: f64,
    /// Angular velocity in forward, right, down [rad/s].
    pub gyro: Vec3,
    /// Specific force in forward, right, down [m/s²]; (0, 0, -g) at rest.
    pub accelerometer: Vec3,
    /// Position: north, east, down [m].
    pub position: Vec3,
    /// Rotation from the body (forward, right, down) to north, east, down.
    pub attitude: Quat,
    /// Velocity over ground: north, east, down [m/s].
    pub velocity: Vec3,
    /// Distances of the rangefinders [m]; `None` before the first reading.
    pub ranges: Vec<Option<f64>>,
    /// Direction from which the apparent wind blows, clockwise from the bow [rad], and its speed
    /// [m/s].
    pub wind_vane: Option<[f64; 2]>,
    /// Voltage [V] and current [A] of the battery.
    pub battery: Option<[f64; 2]>,
}

/// Encodes a state as the SITL reads it: one line of JSON between line feeds. The SITL finds keys
/// by a text search and reads vectors with a space after each comma. It prefers `quaternion` to
/// `attitude`; versions from November 2025 to June 2026 read `rng_1` only beside `attitude`
/// (ArduPilot issue 33341). `no_time_sync` keeps the SITL from sleeping for the time between two
/// states: after a late packet the next ones would be late too, and its estimator leaves out the
/// time beyond 25 ms.
pub fn encode(state: &VehicleState) -> Vec<u8> {
    let vector = |v: Vec3| format!("[{:.9}, {:.9}, {:.9}]", v.x, v.y, v.z);
    let q = state.attitude;
    let [roll, pitch, yaw] = q.matrix().to_rpy();
    let mut text = format!(
        "\n{{\"timestamp\":{:.9},\"no_time_sync\":1,\"imu\":{{\"gyro\":{},\"accel_body\":{}}},\"position\":{},\
         \"attitude\":{},\"quaternion\":[{:.9}, {:.9}, {:.9}, {:.9}],\"velocity\":{}",
        state.time,
        vector(state.gyro),
        vector(state.accelerometer),
        vector(state.position),
        vector(Vec3::new(roll, pitch, yaw)),
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

    #[test]
    fn message_is_json_between_line_feeds() {
        let state = VehicleState {
            time: 1.5,
            gyro: Vec3::new(0.1, -0.2, 1e-12),
            accelerometer: Vec3::new(0.0, 0.0, -9.81),
            position: Vec3::new(1.0, 2.0, 3.0),
            attitude: Quat::from_rpy(0.1, 0.2, 0.3),
            velocity: Vec3::zero(),
            ranges: vec![Some(2.5), None, Some(1.0)],
            wind_vane: Some([0.5, 6.0]),
            battery: Some([16.2, 3.0]),
        };
        let text = String::from_utf8(encode(&state)).unwrap();
        assert!(text.starts_with("\n{") && text.ends_with("}\n"));
        let value: serde_json::Value = serde_json::from_str(text.trim()).unwrap();
        assert_eq!(value["no_time_sync"], 1);
        assert_eq!(value["imu"]["accel_body"][2], -9.81);
        assert_eq!(value["imu"]["gyro"][2], 0.0);
        for (k, angle) in [0.1, 0.2, 0.3].into_iter().enumerate() {
            assert!((value["attitude"][k].as_f64().unwrap() - angle).abs() < 1e-8);
        }
        assert_eq!(value["rng_1"], 2.5);
        assert!(value.get("rng_2").is_none() && value["rng_3"] == 1.0);
        assert_eq!(value["windvane"]["speed"], 6.0);
        assert_eq!(value["battery"]["voltage"], 16.2);
        // the format of the text search of the SITL
        assert!(text.contains("\"position\":[1.000000000, 2.000000000, 3.000000000]"));
    }
}
