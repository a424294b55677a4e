//! Keys of world files and component files, as the user writes them.
//!
//! Each structure is declared once with the macros of `merrow_yaml::spec`. Its reader, its messages
//! and its JSON Schema are derived from the declaration; the doc comment of a field is the
//! description of the key in the schema. `crates/world/src/build` converts the structures to the
//! scene; keys of sensors are converted in `crates/world/src/sensor`, next to their declarations.
//!
//! # Example
//! ```
//! use merrow_world::keys::WorldConfig;
//!
//! let schema = merrow_yaml::schema::schema::<WorldConfig>("Merrow world", &[]);
//! let keys = &schema["$defs"]["WorldConfig"]["properties"];
//! assert_eq!(keys["gravity_m_s2"]["default"], 9.81);
//! ```

pub mod actor;
pub mod air;
pub mod comms;
pub mod contact;
pub mod coupling;
pub mod energy;
pub mod fault;
pub mod grid;
pub mod robot;
pub mod schedule;
pub mod tether;
pub mod texture;
pub mod urdf;
pub mod water;
pub mod waves;
pub mod world;

pub use crate::keys::robot::body::{
    Axes, BodyConfig, CoefficientReference, Coefficients, FixedForceConfig, InertiaConfig,
};
pub use crate::keys::robot::hull::{
    HullConfig, HullMeshConfig, HullSolidsConfig, RadiationConfig, SolidConfig,
};
pub use crate::keys::robot::joint::{JointConfig, JointDriveConfig};
pub use crate::keys::robot::thruster::{BuoyancyEngineConfig, ThrusterConfig};
pub use crate::keys::robot::{Base, LinkConfig, RepeatConfig, RobotEntry, RobotModelConfig};
pub use crate::keys::tether::{TetherConfig, TetherEndConfig};
pub use crate::keys::water::{CurrentConfig, CurrentLayerConfig, WaterConfig};
pub use crate::keys::world::{OriginConfig, SeabedConfig, StepConfig, WorldConfig};

pub use crate::context::GRAVITY;
pub use merrow_model::scene::BASE_LINK;
