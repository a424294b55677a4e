//! The only reader of files: world and component files become a checked [`Scene`], or all their mistakes.

mod apriltag;
mod assets;
mod bem;
pub mod build;
mod build_acoustic;
mod build_actuator;
mod build_air;
mod build_ais;
mod build_body;
mod build_camera;
mod build_collision;
mod build_coupling;
mod build_energy;
pub mod build_fault;
mod build_fin;
mod build_firmware;
mod build_hull;
mod build_joint;
mod build_laser;
mod build_navigation;
mod build_obstacle;
mod build_on_board;
mod build_place;
mod build_probe;
mod build_radar;
mod build_radiation;
mod build_robot;
mod build_sensor;
mod build_sonar;
mod build_tether;
mod build_texture;
mod build_water;
mod build_waves;
pub mod collections;
pub mod error;
mod estimate;
pub mod fields;
pub mod file;
pub mod file_acoustic;
pub mod file_air;
pub mod file_ais;
pub mod file_camera;
pub mod file_coupling;
pub mod file_energy;
pub mod file_fault;
pub mod file_fin;
pub mod file_firmware;
pub mod file_laser;
pub mod file_navigation;
pub mod file_obstacle;
pub mod file_on_board;
pub mod file_probe;
pub mod file_radar;
pub mod file_restoring;
pub mod file_servo;
pub mod file_sonar;
pub mod file_texture;
pub mod file_touch;
pub mod file_urdf;
pub mod file_water;
pub mod file_waves;
pub mod grid;
mod heightfield;
pub mod load;
pub mod materials;
mod merge_fixed;
mod mesh;
pub mod node;
pub mod parse;
mod picture;
pub mod read;
pub mod scalars;
pub mod schema;
pub mod share;
pub mod sname;
pub mod spec;
pub mod trials;
pub mod units;
mod urdf;

pub use build::{Overrides, load as load_world, load_text};
pub use error::{Place, Problem, Problems};

use crate::scene::Scene;

/// A world as built.
#[derive(Debug)]
pub struct World {
    /// The scene.
    pub scene: Scene,
    /// Descriptions and sources, by robot, for `describe`.
    pub about: Vec<About>,
    /// What the user should know though nothing is wrong, by file and line.
    pub notes: Vec<Problem>,
}

/// What a robot's files say about it.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// What it is.
    pub description: String,
    /// Sources of its figures: (component, source, what is estimated).
    pub sources: Vec<(String, String, String)>,
}
