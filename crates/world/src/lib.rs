//! The only reader of files: world and component files become a checked [`Scene`], or all their mistakes.

pub mod build;
pub mod data_dir;
pub mod import;
pub mod schema;

pub use crate::build::{Overrides, load as load_world, load_text};
pub use merrow_yaml::error::{Place, Problem, Problems};

use merrow_model::scene::Scene;

/// JSON Schema (draft 2020-12) of a world file as it is written.
pub fn json_schema() -> serde_json::Value {
    merrow_yaml::schema::schema::<schema::WorldFile>("Merrow world", build::COMPONENTS)
}

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
