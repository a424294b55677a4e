//! Loading of worlds: world and component files are checked and converted to a [`Scene`].
//!
//! All errors of all files are reported together. No other crate of the simulator reads world
//! files.
//!
//! # Example
//! ```
//! use merrow_world::{Overrides, load_text};
//!
//! let text = "
//! water: {density_kg_m3: 1000}
//! seabed: {depth_m: 20}
//! robots:
//!   rov: {model: bluerov2_heavy, position_m: [0, 0, -2]}
//! ";
//! let world = load_text("lake.yaml", text, Overrides::default())?;
//! let rov = &world.scene.robots[0];
//! assert_eq!((rov.name.as_str(), rov.thrusters.len()), ("rov", 8));
//! assert_eq!(world.scene.sea.density, 1000.0);
//!
//! let misspelt = text.replace("depth_m", "deph_m");
//! let problems = load_text("lake.yaml", &misspelt, Overrides::default()).unwrap_err();
//! assert!(problems.to_string().contains("lake.yaml:3:10: unknown key `deph_m`"), "{problems}");
//! # Ok::<(), merrow_world::Problems>(())
//! ```

pub mod build;
pub mod catalogue;
mod components;
mod context;
pub mod data_dir;
pub mod document;
pub mod import;
pub mod keys;
pub mod sensor;

pub use crate::build::{Overrides, load as load_world, load_text};
pub use crate::document::Document;
pub use merrow_yaml::error::{Place, Problem, Problems};
pub use merrow_yaml::scalars::is_name;

use merrow_model::scene::Scene;
use merrow_yaml::parameters::Parameter;

/// Returns the JSON Schema (draft 2020-12) of a world file as the user writes it.
pub fn json_schema() -> serde_json::Value {
    merrow_yaml::schema::schema::<crate::keys::WorldConfig>("Merrow world", components::COMPONENTS)
}

/// A world as loaded from its files.
#[derive(Debug)]
pub struct World {
    /// Scene that the simulator runs.
    pub scene: Scene,
    /// Descriptions and sources of the robots, in the order of the scene, for `merrow describe`.
    pub models: Vec<ModelInfo>,
    /// Parameters of the world file with their values, in the order written, for `merrow describe`.
    pub parameters: Vec<Parameter>,
    /// Places of the topics of the bridges, in the order of the scene.
    pub bridge_topics: Vec<Place>,
    /// Places of the services of the bridges, in the order of the scene.
    pub bridge_services: Vec<Place>,
    /// Non-fatal findings for the user, ordered by file and line.
    pub notes: Vec<Problem>,
    /// Values of the file that are valid and hardly meant, such as a wrong unit.
    pub warnings: Vec<Problem>,
}

/// Source of the values of a component: (component, source, which values are estimated).
pub type Source = (String, String, String);

/// Description and sources of a robot, prop or actor, from its files.
#[derive(Clone, Debug, Default)]
pub struct ModelInfo {
    /// Section of the world file that contains the object: `robots`, `props` or `actors`.
    pub section: &'static str,
    /// Name of the file that contains the model, without its extension; for a model in the world
    /// file, that of the world.
    pub model: String,
    /// Description of the robot.
    pub description: String,
    /// Sources of the parameter values of its components.
    pub sources: Vec<Source>,
    /// Reason why the robot does not keep its course under equal thrust; empty if it does.
    pub unstable_course: String,
}
