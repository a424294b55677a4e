//! Nodes and way-points of the pairs of the worlds `riverwatch` and `riverwatch_three`.

use nalgebra::Vector3;

use crate::estimation::ekf::Noise;
use crate::estimation::node::{Estimator, Settings as EstimatorSettings};
use crate::mapping::cost::Clearance;
use crate::mapping::node::{Mapper, Settings as MapperSettings};
use crate::navigation::pilot::Limits;
use crate::navigation::pilot_node::Pilot;
use crate::navigation::planner_node::Planner;
use crate::navigation::runner::Runner;
use crate::node::Component;

/// Names of the nodes of a boat, as the program takes them.
pub const BOAT_NODES: [&str; 5] = ["estimator", "mapper", "planner", "pilot", "runner"];

/// Origin of the map: latitude, longitude [deg] and height [m] of the worlds.
pub const DATUM: [f64; 3] = [38.82, -8.86, 58.0];

/// A boat with its drone.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// Name of the boat.
    pub boat: String,
    /// Name of the drone.
    pub drone: String,
    /// Name of the latch of the landing pad.
    pub pad: String,
    /// Way-points of the boat in the map [m], upstream in the fairway.
    pub way_points: Vec<[f64; 2]>,
}

/// Returns the pairs of a mission with one or three pairs.
///
/// # Errors
/// One line: another number.
pub fn pairs(count: usize) -> Result<Vec<Pair>, String> {
    let way_points: &[&[[f64; 2]]] = match count {
        1 => &[&[
            [57.0, -45.0],
            [9.0, 20.0],
            [-39.0, 53.0],
            [-87.0, 53.0],
            [-135.0, 9.0],
            [-183.0, -65.0],
        ]],
        3 => &[
            &[[80.0, -63.0], [45.0, -30.0], [20.0, 5.0]],
            &[[9.0, 20.0], [-15.0, 42.0], [-50.0, 57.0]],
            &[[-63.0, 57.0], [-111.0, 39.0], [-135.0, 9.0]],
        ],
        other => return Err(format!("--pairs: expected 1 or 3, found {other}")),
    };
    let named = |k: usize, name: &str| match k {
        0 => name.to_owned(),
        k => format!("{name}_{}", k + 1),
    };
    let pairs = way_points.iter().enumerate().map(|(k, way_points)| Pair {
        boat: named(k, "usv"),
        drone: named(k, "uav"),
        pad: named(k, "pad"),
        way_points: way_points.to_vec(),
    });
    Ok(pairs.collect())
}

/// Returns the world of a number of pairs.
pub fn world(pairs: usize) -> &'static str {
    match pairs {
        1 => "riverwatch",
        _ => "riverwatch_three",
    }
}

/// Clearance of the WAM-V. Circles of this radius at [`WAMV_LIMITS`] cover the hulls, which are 4.9 m
/// long and 2.5 m wide, with a margin of 0.4 m; the depth is for the sonar, 0.3 m under water, with a
/// margin of 0.7 m for beds that rise.
pub const WAMV_CLEARANCE: Clearance = Clearance {
    radius_m: 1.9,
    inflation_m: 7.0,
    decay_per_m: 0.6,
    min_depth_m: 1.0,
    safe_depth_m: 2.0,
};

/// Limits of the WAM-V.
pub const WAMV_LIMITS: Limits = Limits {
    speed_m_s: 1.5,
    yaw_rate_rad_s: 0.5,
    yaw_acceleration_rad_s2: 0.4,
    acceleration_m_s2: 0.5,
    circles_m: [-2.0, -0.4, 1.2],
};

/// Noise of the filter with the IMU of the WAM-V: the specific force has the vibration and the errors
/// of roll and pitch (0.5 deg), the others are those of the data sheet.
pub const WAMV_NOISE: Noise = Noise {
    force_m_s2: 0.3,
    rate_density: 1e-3,
    rate_walk: 1e-4,
    force_walk: 2e-3,
};

/// Creates a node of a boat by its name in [`BOAT_NODES`].
///
/// # Errors
/// One line: there is no such node.
pub fn boat_node(name: &str, boat: &str, way_points: &[[f64; 2]]) -> Result<Component, String> {
    let full = format!("{boat}_{name}");
    Ok(match name {
        "estimator" => {
            let settings = EstimatorSettings {
                robot: boat.to_owned(),
                receiver: "gps".to_owned(),
                datum: DATUM,
                antenna: Vector3::new(0.3, 0.0, 1.3),
                imu: Vector3::new(0.3, -0.2, 1.3),
                noise: WAMV_NOISE,
            };
            Component::new(full, Estimator::new(settings))
        }
        "mapper" => {
            let settings = MapperSettings {
                robot: boat.to_owned(),
                clouds: vec!["lidar".to_owned()],
                sonar: Some("sonar".to_owned()),
                own_radius_m: 3.2,
                clearance: WAMV_CLEARANCE,
            };
            Component::new(full, Mapper::new(settings))
        }
        "planner" => Component::new(full, Planner::new(boat)),
        "pilot" => Component::new(full, Pilot::new(boat, WAMV_LIMITS)),
        "runner" => Component::new(full, Runner::new(boat, way_points.to_vec())),
        _ => {
            let known = BOAT_NODES.join(", ");
            return Err(format!("no node {name:?}; expected one of {known}"));
        }
    })
}

/// Creates all nodes of a pair.
///
/// # Errors
/// As [`boat_node`].
pub fn nodes(pair: &Pair) -> Result<Vec<Component>, String> {
    let boat = BOAT_NODES
        .iter()
        .map(|name| boat_node(name, &pair.boat, &pair.way_points));
    boat.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_the_names_of_their_worlds() {
        let names = |count| -> Vec<String> {
            pairs(count)
                .unwrap()
                .into_iter()
                .map(|pair| pair.boat)
                .collect()
        };
        assert_eq!(names(1), ["usv"]);
        assert_eq!(names(3), ["usv", "usv_2", "usv_3"]);
        assert_eq!(pairs(2).unwrap_err(), "--pairs: expected 1 or 3, found 2");
    }

    #[test]
    fn unknown_nodes_are_named() {
        assert!(
            boat_node("maper", "usv", &[])
                .err()
                .unwrap()
                .contains("expected one of estimator")
        );
        let pair = &pairs(1).unwrap()[0];
        assert_eq!(nodes(pair).unwrap().len(), BOAT_NODES.len());
    }
}
