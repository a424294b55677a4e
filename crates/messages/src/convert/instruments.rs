//! Records of instruments and services of water samplers.
//!
//! A stamped record contains all quantities of a sample as names and values.

use merrow_model::scene::{Scene, Sensor, SensorKind};
use merrow_ros2::msg::diagnostic_msgs::{DiagnosticArray, DiagnosticStatus, KeyValue};
use merrow_ros2::msg::std_msgs::Header;

/// Lists the services of all water samplers: name, robot, sensor, and whether the service opens a
/// bottle.
pub fn services(scene: &Scene) -> Vec<(String, usize, usize, bool)> {
    let mut all = Vec::new();
    for (i, robot) in scene.robots.iter().enumerate() {
        for (k, sensor) in robot.sensors.iter().enumerate() {
            if let SensorKind::WaterSampler(_) = sensor.kind {
                for (name, on) in [("sample", true), ("stop", false)] {
                    let name = format!("{}/{}/{name}", robot.name, sensor.name);
                    all.push((robot.in_namespace(&name), i, k, on));
                }
            }
        }
    }
    all
}

/// Converts names and values to a record.
pub(crate) fn record_values<const N: usize>(all: [(&str, f64); N]) -> Vec<(String, f64)> {
    all.map(|(name, value)| (name.to_string(), value)).to_vec()
}

/// Builds the record of a sample from its `values`: names with units, and numbers.
pub fn record(sensor: &Sensor, values: Vec<(String, f64)>, header: Header) -> DiagnosticArray {
    let values = values
        .into_iter()
        .map(|(key, value)| KeyValue {
            key,
            value: value.to_string(),
        })
        .collect();
    let status = DiagnosticStatus {
        level: DiagnosticStatus::OK,
        name: sensor.name.clone(),
        message: sensor.kind.name().to_string(),
        hardware_id: sensor.name.clone(),
        values,
    };
    DiagnosticArray {
        header,
        status: vec![status],
    }
}
