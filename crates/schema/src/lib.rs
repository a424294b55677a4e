//! Keys of world files and component files, as the user writes them.
//!
//! Each structure is declared once with the macros of `merrow_yaml::spec`. Its reader, its messages
//! and its JSON Schema are derived from the declaration; the doc comment of a field is the
//! description of the key in the schema. `crates/world/src/build` converts the structures to the
//! scene; keys of sensors are converted in `sensor/`, next to their declarations.
//!
//! # Example
//! ```
//! use merrow_schema::WorldConfig;
//!
//! let schema = merrow_yaml::schema::schema::<WorldConfig>("Merrow world", &[]);
//! let keys = &schema["$defs"]["WorldConfig"]["properties"];
//! assert_eq!(keys["gravity_m_s2"]["default"], 9.81);
//! ```

#![forbid(unsafe_code)]

pub mod actor;
pub mod air;
pub mod comms;
pub mod contact;
pub mod coupling;
pub mod energy;
pub mod fault;
pub mod find;
pub mod grid;
pub mod robot;
pub mod schedule;
pub mod sensor;
pub mod tether;
pub mod texture;
pub mod urdf;
pub mod water;
pub mod waves;
pub mod world;

pub use robot::body::{
    Axes, BodyConfig, CoefficientReference, Coefficients, FixedForceConfig, InertiaConfig,
};
pub use robot::hull::{HullConfig, HullMeshConfig, HullSolidsConfig, RadiationConfig, SolidConfig};
pub use robot::joint::{JointConfig, JointDriveConfig};
pub use robot::thruster::{BuoyancyEngineConfig, ThrusterConfig};
pub use robot::{Base, LinkConfig, RepeatConfig, RobotEntry, RobotModelConfig};
pub use tether::{TetherConfig, TetherEndConfig};
pub use water::{CurrentConfig, CurrentLayerConfig, WaterConfig};
pub use world::{OriginConfig, SeabedConfig, StepConfig, WorldConfig};

pub use merrow_model::scene::BASE_LINK;

/// Default acceleration of gravity [m/s²].
pub const GRAVITY: f64 = 9.81;
