//! Nodes, way-points and worlds of the pairs of the mission.

use std::path::{Path, PathBuf};

use nalgebra::Vector3;
use serde_json::{Value, json};

use crate::drone::node::{Drone, Settings as DroneSettings};
use crate::drone::pilot::PilotSettings;
use crate::estimation::ekf::Noise;
use crate::estimation::node::{Estimator, Settings as EstimatorSettings};
use crate::mapping::cost::Clearance;
use crate::mapping::node::{Mapper, Settings as MapperSettings};
use crate::mapping::range_image::Beams;
use crate::navigation::pilot::Limits;
use crate::navigation::pilot_node::Pilot as BoatPilot;
use crate::navigation::planner_node::Planner;
use crate::navigation::runner::Runner;
use crate::node::Component;
use crate::vision::helipad::PadMarking;
use crate::vision::pad_finder::{PadFinder, Settings as PadSettings};
use crate::vision::registration::{Settings as SurveySettings, Surveyor};
use crate::vision::stereo::{Settings as StereoSettings, Stereo, stereo_cloud};
use crate::vision::water_finder::{Settings as WaterSettings, WaterFinder};
use crate::water_quality::{Settings as SamplerSettings, WaterSampler};

/// Names of the nodes of a boat, as the program takes them.
pub const BOAT_NODES: [&str; 6] = [
    "estimator",
    "mapper",
    "planner",
    "pilot",
    "runner",
    "water_sampler",
];

/// Name of the node that finds the shore in the images of a boat. It is not a part of the mission: the
/// camera costs more than a core.
pub const WATER_FINDER: &str = "water_finder";

/// Name of the node that measures the surroundings of a boat with its pair of cameras, a part of the
/// mission on request.
pub const STEREO: &str = "stereo";

/// Names of the nodes of a drone, as the program takes them.
pub const DRONE_NODES: [&str; 4] = ["estimator", "pad_finder", "surveyor", "pilot"];

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
    /// Whether the map takes the points of the pair of cameras.
    pub has_stereo: bool,
    /// Flights of the drone, the first at the start.
    pub flights: u32,
    /// Heights, distances and limits of a flight.
    pub flight: PilotSettings,
}

impl Pair {
    /// Keeps the first way-points, one at least (`None`: all), and sets the longest time of a flight
    /// ahead of the boat [s] (`None`: the drone stays on its deck) and whether the map takes the points of
    /// the cameras.
    pub fn limit(
        &mut self,
        way_points: Option<usize>,
        scout_time_s: Option<f64>,
        has_stereo: bool,
    ) {
        self.has_stereo = has_stereo;
        if let Some(count) = way_points {
            self.way_points.truncate(count.max(1));
        }
        match scout_time_s {
            Some(time_s) => self.flight.scout_time_s = time_s,
            None => self.flights = 0,
        }
    }
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
        has_stereo: false,
        flights: 1,
        flight: PilotSettings::default(),
    });
    Ok(pairs.collect())
}

/// Name and content of a file of this package.
macro_rules! file {
    ($name:literal) => {
        ($name, include_bytes!(concat!("../../", $name)))
    };
}

/// Files of the worlds of the mission. They are part of the program, which writes them next to its
/// results.
const WORLDS: [(&str, &[u8]); 6] = [
    file!("river_mission.yaml"),
    file!("river_mission_three.yaml"),
    file!("mission_boat.yaml"),
    file!("mission_drone.yaml"),
    file!("plume.yaml"),
    file!("plume.i16"),
];

/// Writes the world of a number of pairs to a folder and returns its file.
///
/// # Errors
/// One line: a file cannot be written.
pub fn write_world(pairs: usize, folder: &Path) -> Result<PathBuf, String> {
    let failed = |path: &Path, why| format!("{}: {why}", path.display());
    std::fs::create_dir_all(folder).map_err(|why| failed(folder, why))?;
    for (name, bytes) in WORLDS {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|why| failed(&path, why))?;
    }
    Ok(folder.join(match pairs {
        1 => "river_mission.yaml",
        _ => "river_mission_three.yaml",
    }))
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

/// Beams of the lidar, a Velodyne VLP-16: rings every 2 degrees.
pub const VLP16: Beams = Beams {
    elevation_rad: [-15.0 * DEG, 15.0 * DEG],
    rings: 16,
};
const DEG: f64 = std::f64::consts::PI / 180.0;

/// Limits of the WAM-V. The time constants fit its motion with the commands of a mission.
pub const WAMV_LIMITS: Limits = Limits {
    speed_m_s: 1.5,
    yaw_rate_rad_s: 0.5,
    yaw_acceleration_rad_s2: 0.4,
    acceleration_m_s2: 0.5,
    response_s: [1.2, 0.8],
    sway_s: 1.4,
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

/// Noise of the filter with the IMU of the drone, whose rotors vibrate more and which tilts more.
pub const FIREFLY_NOISE: Noise = Noise {
    force_m_s2: 0.3,
    rate_density: 3e-4,
    rate_walk: 1e-4,
    force_walk: 1e-2,
};

/// Centre of the marking of the pad in the base of the boat [m].
pub const PAD: Vector3<f64> = Vector3::new(0.0, 0.0, 1.254);

/// Concentration of the dye that counts [ug/l].
pub const DYE_SCALE: f64 = 0.5;

/// Creates a node of the boat of a pair by its name in [`BOAT_NODES`], [`STEREO`] or [`WATER_FINDER`].
///
/// # Errors
/// One line: there is no such node.
pub fn boat_node(name: &str, pair: &Pair) -> Result<Component, String> {
    let boat = &pair.boat;
    let full = format!("{boat}_{name}");
    Ok(match name {
        "estimator" => {
            let settings = EstimatorSettings {
                robot: boat.clone(),
                receiver: "gps".to_owned(),
                datum: DATUM,
                antenna: Vector3::new(0.3, 0.0, 1.3),
                imu: Vector3::new(0.3, -0.2, 1.3),
                noise: WAMV_NOISE,
            };
            Component::new(full, Estimator::new(settings))
        }
        "mapper" => {
            let lidar = ("lidar".to_owned(), Some(VLP16));
            let stereo = pair.has_stereo.then(|| (stereo_cloud(), None));
            let settings = MapperSettings {
                robot: boat.clone(),
                clouds: std::iter::once(lidar).chain(stereo).collect(),
                sonar: Some("sonar".to_owned()),
                own_radius_m: 3.2,
                clearance: WAMV_CLEARANCE,
            };
            Component::new(full, Mapper::new(settings))
        }
        "planner" => Component::new(full, Planner::new(boat)),
        "pilot" => Component::new(full, BoatPilot::new(boat, WAMV_LIMITS)),
        "runner" => Component::new(full, Runner::new(boat, pair.way_points.clone())),
        "water_sampler" => {
            let settings = SamplerSettings {
                boat: boat.clone(),
                sensor: "fluorometer".to_owned(),
                scale: DYE_SCALE,
            };
            Component::new(full, WaterSampler::new(settings))
        }
        STEREO => {
            let settings = StereoSettings {
                boat: boat.clone(),
                cameras: ["stereo_left", "stereo_right"].map(str::to_owned),
            };
            Component::new(full, Stereo::new(settings))
        }
        WATER_FINDER => {
            let settings = WaterSettings {
                boat: boat.clone(),
                camera: "stereo_left".to_owned(),
            };
            Component::new(full, WaterFinder::new(settings))
        }
        _ => {
            let known = [&BOAT_NODES[..], &[STEREO, WATER_FINDER]].concat();
            return Err(unknown_node(name, &known));
        }
    })
}

/// Creates a node of the drone of a pair by its name in [`DRONE_NODES`].
///
/// # Errors
/// One line: there is no such node.
pub fn drone_node(name: &str, pair: &Pair) -> Result<Component, String> {
    let (drone, boat, camera) = (pair.drone.clone(), pair.boat.clone(), "camera".to_owned());
    let full = format!("{drone}_{name}");
    Ok(match name {
        "estimator" => {
            let settings = EstimatorSettings {
                robot: drone,
                receiver: "gnss".to_owned(),
                datum: DATUM,
                antenna: Vector3::new(0.0, 0.0, 0.06),
                imu: Vector3::zeros(),
                noise: FIREFLY_NOISE,
            };
            Component::new(full, Estimator::new(settings))
        }
        "pad_finder" => {
            let settings = PadSettings {
                drone,
                camera,
                boat,
                marking: PadMarking::WAMV,
            };
            Component::new(full, PadFinder::new(settings))
        }
        "surveyor" => {
            let settings = SurveySettings {
                drone,
                camera,
                boat,
                pad: PAD,
            };
            Component::new(full, Surveyor::new(settings))
        }
        "pilot" => {
            let settings = DroneSettings {
                drone,
                boat,
                coupling: pair.pad.clone(),
                pad: PAD,
                pilot: pair.flight.clone(),
                flights: pair.flights,
            };
            Component::new(full, Drone::new(settings))
        }
        _ => return Err(unknown_node(name, &DRONE_NODES)),
    })
}

fn unknown_node(name: &str, known: &[&str]) -> String {
    format!("no node {name:?}; expected one of {}", known.join(", "))
}

/// Creates a node of a boat or a drone by the names of the robot and the node. `way_points`,
/// `scout_time_s`, `has_stereo`: as in [`Pair::limit`].
///
/// # Errors
/// One line: there is no such robot or node.
pub fn node_of_robot(
    name: &str,
    robot: &str,
    way_points: Option<usize>,
    scout_time_s: Option<f64>,
    has_stereo: bool,
) -> Result<Component, String> {
    let mut all: Vec<Pair> = [1, 3].into_iter().flat_map(pairs).flatten().collect();
    for pair in &mut all {
        pair.limit(way_points, scout_time_s, has_stereo);
        if pair.boat == robot {
            return boat_node(name, pair);
        }
        if pair.drone == robot {
            return drone_node(name, pair);
        }
    }
    let known = all.iter().flat_map(|pair| [&*pair.boat, &*pair.drone]);
    // both missions have the first pair
    let known: Vec<&str> = known.skip(2).collect();
    Err(format!(
        "no robot {robot:?}; expected one of {}",
        known.join(", ")
    ))
}

/// Describes a mission for launch files: boats and drones, their nodes, and the way-points in the map
/// [m], as JSON.
pub fn description(pairs: &[Pair]) -> Value {
    let pairs = pairs.iter().map(|pair| {
        json!({
            "boat": pair.boat, "boat_nodes": boat_nodes(pair),
            "drone": pair.drone, "drone_nodes": if pair.flights > 0 { &DRONE_NODES[..] } else { &[] },
            "way_points_m": pair.way_points,
        })
    });
    json!({"pairs": pairs.collect::<Vec<_>>()})
}

/// Returns the names of the nodes of the boat of a pair.
fn boat_nodes(pair: &Pair) -> Vec<&'static str> {
    let stereo = pair.has_stereo.then_some(STEREO);
    BOAT_NODES.into_iter().chain(stereo).collect()
}

/// Creates all nodes of a pair. The nodes of a drone without flights are left out, and that of the cameras
/// if the map does not take their points.
///
/// # Errors
/// As [`boat_node`].
pub fn nodes(pair: &Pair) -> Result<Vec<Component>, String> {
    let drone: &[&str] = if pair.flights > 0 { &DRONE_NODES } else { &[] };
    let boat = boat_nodes(pair).into_iter();
    boat.map(|name| boat_node(name, pair))
        .chain(drone.iter().map(|name| drone_node(name, pair)))
        .collect()
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
        let mut pair = pairs(1).unwrap().remove(0);
        assert!(
            boat_node("maper", &pair)
                .err()
                .unwrap()
                .contains("expected one of estimator")
        );
        assert_eq!(
            nodes(&pair).unwrap().len(),
            BOAT_NODES.len() + DRONE_NODES.len()
        );
        assert!(boat_node(WATER_FINDER, &pair).is_ok());
        pair.flights = 0;
        assert_eq!(nodes(&pair).unwrap().len(), BOAT_NODES.len());
        pair.has_stereo = true;
        assert_eq!(nodes(&pair).unwrap().len(), BOAT_NODES.len() + 1);
    }
}
