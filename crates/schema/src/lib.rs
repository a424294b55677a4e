//! Keys of world files and component files, as the user writes them.
//!
//! Each structure is declared once with the macros of `merrow_yaml::spec`. Its reader, its messages
//! and its JSON Schema are derived from the declaration; the doc comment of a field is the
//! description of the key in the schema. `crates/world/src/build` converts the structures to the
//! scene; those of sensors are converted in `sensor/`, next to their keys.
//!
//! # Example
//! ```
//! use merrow_schema::WorldConfig;
//!
//! let schema = merrow_yaml::schema::schema::<WorldConfig>("Merrow world", &[]);
//! let keys = &schema["$defs"]["WorldConfig"]["properties"];
//! assert_eq!(keys["gravity_m_s2"]["default"], 9.81);
//! ```

pub mod air;
pub mod contact;
pub mod coupling;
pub mod energy;
pub mod fault;
pub mod fin;
pub mod firmware;
pub mod grid;
pub mod restoring;
pub mod sensor;
pub mod servo;
pub mod texture;
pub mod urdf;
pub mod water;
pub mod waves;

use crate::air::{AirConfig, WeatherConfig, WindLoadConfig};
use crate::contact::{CollisionConfig, MaterialConfig, PropEntry, StructureConfig, VisualConfig};
use crate::coupling::CouplingConfig;
use crate::energy::{BatteryConfig, ChargerConfig, ElectricalLoadConfig, SolarConfig};
use crate::fault::FaultConfig;
use crate::fin::{AzimuthConfig, FinConfig};
use crate::firmware::FirmwareConfig;
use crate::grid::GridConfig;
use crate::restoring::RestoringConfig;
use crate::sensor::SensorConfig;
use crate::sensor::acoustic::BeaconEntry;
use crate::sensor::ais::AisConfig;
use crate::sensor::camera::{LampConfig, OpticsConfig};
use crate::sensor::obstacle::ObstacleConfig;
use crate::servo::{KeepOutConfig, ServoConfig, TrajectoryConfig};
use crate::urdf::{HydrodynamicsConfig, MimicConfig};
use crate::water::{ColumnConfig, FlowConfig, RegionConfig, TideConfig, TracerConfig};
use crate::waves::WavesConfig;
use merrow_yaml::read::{Located, NamedMap};
use merrow_yaml::spec::{choice, fieldless_choice, spec};

/// Name of the base link of a robot unless its file or URDF names it differently.
pub const BASE_LINK: &str = "base_link";

/// Default acceleration of gravity [m/s²].
pub const GRAVITY: f64 = 9.81;

spec! {
    /// A world: the environment, its position on the Earth, and the robots in it.
    pub struct WorldConfig {
        /// Description of the world in one line.
        description: String = String::new(),
        /// Seed of all random numbers.
        seed: u64 = 1,
        /// Time step and integrator.
        step: Step => "{}",
        /// Acceleration of gravity, downwards.
        gravity_m_s2: f64 [non_negative] = GRAVITY,
        /// Position of the origin of the world frame on the Earth.
        origin: OriginConfig => "{}",
        /// Water: density, sound, light, currents, tide and waves.
        water: Water => "{}",
        /// Seabed: a plane or terrain, and its surface.
        seabed: SeabedConfig => "{}",
        /// Air: wind profile and gusts, constant during a run.
        air: AirConfig => "{}",
        /// Weather at the start of the run.
        weather: WeatherConfig => "{}",
        /// The robots, by name.
        robots: NamedMap<RobotEntry>,
        /// Free-floating objects without actuators and sensors, by name.
        props: NamedMap<PropEntry> = NamedMap::default(),
        /// Static structures with collision shapes, by name.
        structures: NamedMap<StructureConfig> = NamedMap::default(),
        /// Couplings that join two bodies permanently or on demand, by name.
        couplings: NamedMap<CouplingConfig> = NamedMap::default(),
        /// Battery chargers, by name.
        chargers: NamedMap<ChargerConfig> = NamedMap::default(),
        /// Tethers and mooring lines, by name.
        tethers: NamedMap<TetherConfig> = NamedMap::default(),
        /// Scheduled faults, by name.
        faults: NamedMap<FaultConfig> = NamedMap::default(),
        /// Acoustic beacons for positioning, by name.
        beacons: NamedMap<BeaconEntry> = NamedMap::default(),
        /// Boxes reported by obstacle detectors that process no echoes, by name.
        obstacles: NamedMap<ObstacleConfig> = NamedMap::default(),
        /// Transponders of the Automatic Identification System (AIS), by name.
        ais: NamedMap<AisConfig> = NamedMap::default(),
    }
}

spec! {
    /// Time step and integrator.
    pub struct Step {
        /// Length of a time step.
        dt_s: f64 [in 1e-6..=0.1] = 0.002,
        /// Integrator of the equations of motion.
        integrator: IntegratorConfig = IntegratorConfig::Rk4,
    }
}

fieldless_choice! {
    /// Integrator of the equations of motion.
    pub enum IntegratorConfig {
        /// Classical Runge-Kutta method of order 4.
        Rk4 = "rk4",
        /// Semi-implicit Euler method of order 1.
        SemiImplicit = "semi_implicit",
    }
}

spec! {
    /// Position of the origin of the world frame (east, north, up; z = 0 at mean sea level) on the
    /// Earth.
    pub struct OriginConfig {
        /// Geodetic latitude of the origin (WGS84), positive to the north.
        latitude_deg: f64 [in -90.0..=90.0] = 36.6284333,
        /// Longitude of the origin (WGS84), positive to the east.
        longitude_deg: f64 [in -180.0..=180.0] = -121.9119833,
        /// Height of mean sea level above the WGS84 ellipsoid.
        altitude_m: f64 [in -500.0..=9000.0] = 0.0,
        /// Magnetic flux density (east, north, up). Default: the World Magnetic Model 2025 at the
        /// origin at `start_utc` of the weather (by default 2026-03-20), constant during the run.
        /// Dates before 2025 or after 2029 use the nearer end of that period.
        magnetic_field_nt: Option<[f64; 3]>,
    }
}

spec! {
    /// Water of the world.
    pub struct Water {
        /// Density of the water; 0 for a world in air.
        density_kg_m3: f64 [in 0.0..=2000.0] = 1025.0,
        /// Speed of sound in the water.
        sound_speed_m_s: f64 [in 1000.0..=2000.0] = 1500.0,
        /// Temperature of the water.
        temperature_c: f64 [in -5.0..=60.0] = 15.0,
        /// Temperature and salinity as functions of depth, from which density, speed of sound and
        /// pressure are computed. Replaces the three keys above.
        column: Option<ColumnConfig>,
        /// Areas with their own water, by name, such as rivers, lakes and harbours. Where areas
        /// overlap, the first applies.
        regions: NamedMap<RegionConfig> = NamedMap::default(),
        /// Tracers of the water, by name, such as turbidity or chlorophyll.
        tracers: NamedMap<TracerConfig> = NamedMap::default(),
        /// Absorption and scattering of light in the water.
        optics: OpticsConfig => "{}",
        /// Atmospheric pressure at the water surface.
        air_pressure_pa: f64 [in 10000.0..=200000.0] = 101325.0,
        /// Mean current of the water.
        current: CurrentConfig => "{kind: none}",
        /// Random variation of the current. Default: none.
        variation: Option<VariationConfig>,
        /// Additional currents by name, such as tides, jets and eddies, which are added to the mean
        /// current.
        flows: NamedMap<FlowConfig> = NamedMap::default(),
        /// Level of the water surface: offset from z = 0 and tidal variation. Default: constant at
        /// z = 0.
        tide: Option<TideConfig>,
        /// Waves on the water surface.
        waves: WavesConfig => "{kind: none}",
    }
}

choice! {
    /// Mean current. Directions are where the water flows to, clockwise from north.
    pub enum CurrentConfig {
        /// The water is at rest.
        None = "none",
        /// The same velocity everywhere.
        Uniform = "uniform" {
            /// Horizontal speed of the current.
            speed_m_s: f64 [non_negative],
            /// Direction of flow, clockwise from north.
            direction_deg: f64 [in -360.0..=360.0] = 0.0,
            /// Vertical velocity, positive upwards.
            up_m_s: f64 = 0.0,
        },
        /// Velocity as a function of depth: linear between the given depths, constant above the
        /// first and below the last.
        Profile = "profile" {
            /// Layers with increasing depth.
            layers: Vec<Layer> [not_empty],
        },
    }
}

spec! {
    /// Current at one depth.
    pub struct Layer {
        /// Depth below z = 0.
        depth_m: f64 [non_negative],
        /// Horizontal speed of the current.
        speed_m_s: f64 [non_negative],
        /// Direction of flow, clockwise from north.
        direction_deg: f64 [in -360.0..=360.0] = 0.0,
    }
}

spec! {
    /// First-order Gauss-Markov variation of the current.
    pub struct VariationConfig {
        /// Standard deviation of the east, north and up components.
        std_m_s: [f64; 3] [non_negative],
        /// Correlation time of the variation.
        correlation_time_s: f64 [positive],
    }
}

spec! {
    /// Seabed: a plane or terrain.
    pub struct SeabedConfig {
        /// Depth of the plane below z = 0 at the origin. Waves and the tide also use this depth.
        /// With `terrain` they use its depth at the origin or, if the origin is on land, its mean
        /// depth.
        depth_m: f64 [positive] = 100.0,
        /// Rise of the plane per metre towards east and towards north.
        slope_east_north: [f64; 2] = [0.0, 0.0],
        /// Heights of the seabed [m] (z, up) on an evenly spaced grid, instead of the plane.
        terrain: Option<GridConfig>,
        /// Surface properties of the seabed for contacts, lasers, cameras and sonars.
        material: MaterialConfig => "{}",
    }
}

spec! {
    /// A robot, or a grid of copies of it.
    pub struct RobotEntry {
        /// Robot model: a name in `params/robots`, a file, or a map with `extends` and overrides.
        model: RobotModel,
        /// Position of the origin of the base link in the world (east, north, up).
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Roll, pitch and yaw of the base link (x forward, y left, z up) relative to the world.
        /// Yaw is measured from east, counter-clockwise.
        attitude_deg: [f64; 3] = [0.0, 0.0, 0.0],
        /// Linear velocity of the base link at the start, in the base frame (forward, left, up).
        velocity_m_s: [f64; 3] = [0.0, 0.0, 0.0],
        /// Angular velocity of the base link at the start, in the base frame (forward, left, up).
        angular_velocity_rad_s: [f64; 3] = [0.0, 0.0, 0.0],
        /// Joint positions at the start, by joint name. Joints that are not listed start at 0.
        joints_rad: NamedMap<f64> [frame] = NamedMap::default(),
        /// Makes a grid of copies named `<name>_0`, `<name>_1` and so on.
        repeat: Option<Repeat>,
    }
}

spec! {
    /// A grid of copies. The index increases along east first, then north, then up.
    pub struct Repeat {
        /// Number of copies along east, north and up.
        count: [u32; 3] [in 1.0..=10000.0],
        /// Distance between copies along east, north and up.
        spacing_m: [f64; 3],
    }
}

spec! {
    /// Links, actuators, sensors and other components of a robot.
    pub struct RobotModel {
        /// Description of the robot.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Reason why the robot does not keep its course under equal thrust without control. Empty:
        /// it keeps its course.
        unstable_course: String = String::new(),
        /// URDF file with links, joints and shapes. Keys of this model override its contents.
        urdf: Option<String> [not_empty],
        /// Hydrodynamics of the links of the URDF: a name in `params/hydrodynamics`, a file, or a
        /// map.
        hydrodynamics: HydrodynamicsConfig => "{}",
        /// Whether the base moves freely or is fixed in the world.
        base: Base = Base::Floating,
        /// Name of the base link of a robot unless its file or URDF names it differently.
        root: String [frame] = crate::BASE_LINK.to_string(),
        /// Body of the base link: a name in `params/bodies`, a file, or a map.
        body: Body,
        /// Further links by name, each after its parent.
        links: NamedMap<LinkConfig> [frame] = NamedMap::default(),
        /// Links for which the total contact wrench is published.
        contact_wrenches: Vec<String> = Vec::new(),
        /// Whether links of this robot that are not neighbours can touch each other.
        self_collision: bool = false,
        /// Groups of joints that are commanded together, by group name. Default: one group `arm`
        /// with all moving joints.
        joint_groups: NamedMap<Vec<String>> = NamedMap::default(),
        /// Tolerances and rules for joint trajectories and grippers.
        trajectories: TrajectoryConfig => "{}",
        /// Boxes that the arm controller prevents the arms from entering. Default: none.
        keep_out: Option<KeepOutConfig>,
        /// Thrusters of the robot, by name.
        thrusters: NamedMap<ThrusterConfig> = NamedMap::default(),
        /// Fins, rudders, hydroplanes and sails, by name.
        fins: NamedMap<FinConfig> [frame] = NamedMap::default(),
        /// Buoyancy engines, by name.
        buoyancy_engines: NamedMap<BuoyancyEngineConfig> [frame] = NamedMap::default(),
        /// Time without a command after which the thrusters stop. Default: the last command is
        /// held.
        command_timeout_s: Option<f64> [positive],
        /// Sensors of the robot, by name.
        sensors: NamedMap<SensorConfig> = NamedMap::default(),
        /// Battery: a name in `params/batteries`, a file, or a map. Default: none.
        battery: Option<BatteryConfig>,
        /// Electrical loads such as computers and lights, by name.
        loads: NamedMap<ElectricalLoadConfig> = NamedMap::default(),
        /// Lamps that light the scene for cameras, by name.
        lamps: NamedMap<LampConfig> = NamedMap::default(),
        /// Solar panels, by name.
        solar_panels: NamedMap<SolarConfig> = NamedMap::default(),
        /// Firmware of the on-board computer: a name in `params/firmware`, a file, or a map.
        /// Default: none.
        firmware: Option<FirmwareConfig>,
    }
}

fieldless_choice! {
    /// Mounting of the base link.
    pub enum Base {
        /// The base moves freely.
        Floating = "floating",
        /// The base is fixed in the world.
        Fixed = "fixed",
    }
}

fieldless_choice! {
    /// Body axes in which vectors and matrices of a file are given.
    pub enum Axes {
        /// x forward, y left, z up (ROS, URDF).
        Flu = "flu",
        /// x forward, y right, z down (Fossen, SNAME).
        Frd = "frd",
    }
}

fieldless_choice! {
    /// State of a body for which its hydrodynamic coefficients hold.
    pub enum CoefficientReference {
        /// The fully submerged body.
        Submerged = "submerged",
        /// Floating at rest, upright, in calm water.
        Waterline = "waterline",
    }
}

spec! {
    /// A rigid body in water. Points are relative to the origin of the body, in the axes given by
    /// `axes`.
    pub struct Body {
        /// Description of the body.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Axes of all vectors and matrices of this body.
        axes: Axes,
        /// Mass of the body, without added mass.
        mass_kg: f64 [positive],
        /// Centre of mass, relative to the body origin.
        center_of_mass_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Inertia about the centre of mass, in the body axes.
        inertia_kg_m2: Inertia,
        /// Displaced volume when fully submerged.
        volume_m3: f64 [non_negative] = 0.0,
        /// Buoyancy minus weight when fully submerged in the water of the world, positive upwards;
        /// includes `loads`. Replaces `volume_m3`.
        net_buoyancy_n: Option<f64>,
        /// Centre of buoyancy when fully submerged, relative to the body origin.
        center_of_buoyancy_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Shape whose submerged part determines buoyancy at the water surface. Default: a sphere
        /// of the displaced volume.
        hull: HullConfig => "{kind: sphere}",
        /// Linear hydrostatics of a floating base link, instead of `hull`.
        restoring: Option<RestoringConfig>,
        /// Constant vertical forces by name, for small weights and floats fixed to the body.
        loads: NamedMap<FixedForceConfig> = NamedMap::default(),
        /// Added mass about the body origin, positive, as a matrix or diagonal (surge, sway, heave,
        /// roll, pitch, yaw), or SNAME derivatives such as `X_udot`.
        added_mass: Coefficients => "{kind: none}",
        /// State in which `added_mass`, `linear_damping`, `quadratic_damping` and `derivatives`
        /// have the given values. They are proportional to the submerged volume. Published values
        /// of surface vehicles usually hold at the `waterline`: with it, the values are those of
        /// the robot floating at rest. With `restoring` the given values always hold at rest.
        coefficients_at: CoefficientReference = CoefficientReference::Submerged,
        /// Radiation and wave excitation forces from tables; base link only. The added mass is
        /// computed from the tables.
        radiation: Option<RadiationConfig>,
        /// Linear damping about `damping_point_m`, positive, or SNAME derivatives such as `X_u`.
        linear_damping: Coefficients => "{kind: none}",
        /// Quadratic damping about `damping_point_m`, positive, or SNAME derivatives such as
        /// `X_uu`.
        quadratic_damping: Coefficients => "{kind: none}",
        /// Rate k at which the linear damping decreases with speed U: it is multiplied by exp(-k
        /// U), for surge, sway, heave, roll, pitch and yaw.
        linear_damping_decay_s_per_m: [f64; 6] [non_negative] = [0.0; 6],
        /// Additional losses at the water surface: roll damping and wave resistance. Default: none.
        surface_damping: Option<SurfaceDampingConfig>,
        /// Pitch and roll proportional to the wave height, as in the Kelpie simulator, for vehicles
        /// without a hull mesh.
        kelpie_attitude: Option<KelpieAttitudeConfig>,
        /// Lift, drag and cross-flow drag of a torpedo-shaped body about the body origin.
        slender: Option<SlenderConfig>,
        /// Lift, drag and moments of an underwater glider about the body origin.
        glider: Option<GliderConfig>,
        /// Force coefficients of products of two velocities, by their published names such as
        /// `Y_uv` and `N_wp` (SNAME: forward, right, down). If any is given, the set must contain
        /// all velocity-dependent forces of the added mass, because these are then not computed
        /// from `added_mass`.
        derivatives: std::collections::BTreeMap<String, Located<f64>> = std::collections::BTreeMap::new(),
        /// Whether the added mass exerts the Munk moments in pitch and yaw. Set to false for
        /// coefficient sets whose damping already contains them.
        munk_moment: bool = true,
        /// Whether the added mass exerts the Munk moment in yaw, which turns a body broadside to
        /// its course, and the sway and surge forces that are reciprocal to it. Set to false for
        /// surface vehicles without measured yaw derivatives, for which it is often too large.
        munk_moment_yaw: bool = true,
        /// Point at which the damping acts, relative to the body origin.
        damping_point_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Wind load. Default: none.
        wind: Option<WindLoadConfig>,
        /// Collision shapes, by name. Without any, the body passes through everything.
        collisions: NamedMap<CollisionConfig> = NamedMap::default(),
        /// Shapes for cameras and lasers, by name. If any body of a robot has visuals, only visuals
        /// are rendered; otherwise the collision shapes are. Meshes are rendered by their
        /// triangles.
        visuals: NamedMap<VisualConfig> = NamedMap::default(),
    }
}

spec! {
    /// Inertia matrix about the centre of mass, in the body axes.
    pub struct Inertia {
        /// Moment of inertia about x.
        xx: f64 [positive],
        /// Moment of inertia about y.
        yy: f64 [positive],
        /// Moment of inertia about z.
        zz: f64 [positive],
        /// Off-diagonal element xy, with the sign that it has in the inertia matrix.
        xy: f64 = 0.0,
        /// Off-diagonal element xz, with the sign that it has in the inertia matrix.
        xz: f64 = 0.0,
        /// Off-diagonal element yz, with the sign that it has in the inertia matrix.
        yz: f64 = 0.0,
    }
}

choice! {
    /// Shape of a hull for buoyancy at the water surface.
    pub enum HullConfig {
        /// A sphere of the displaced volume about the centre of buoyancy.
        Sphere = "sphere",
        /// A box along the body axes.
        Box = "box" {
            /// Length, width and height, along x, y and z.
            size_m: [f64; 3] [positive],
            /// Centre, relative to the body origin. Default: the centre of buoyancy.
            center_m: Option<[f64; 3]>,
        },
        /// An ellipsoid along the body axes.
        Ellipsoid = "ellipsoid" {
            /// Length, width and height, along x, y and z.
            size_m: [f64; 3] [positive],
            /// Centre, relative to the body origin. Default: the centre of buoyancy.
            center_m: Option<[f64; 3]>,
        },
        /// A closed mesh over which the water pressure is integrated. Volume and centre of buoyancy
        /// are those of the mesh unless the body states them.
        Mesh = "mesh" (HullMeshConfig),
        /// The bounding box of a mesh: fast, but with too much volume. Keys as for `mesh`.
        BoundingBox = "bounding_box" (HullMeshConfig),
    }
}

spec! {
    /// Losses of a hull that pierces the surface, acting along and about the x axis of the body.
    pub struct SurfaceDampingConfig {
        /// Roll moment per roll rate p.
        roll_nm_s_per_rad: f64 [non_negative] = 0.0,
        /// Roll moment per |p| p.
        roll_quadratic_nm_s2: f64 [non_negative] = 0.0,
        /// Roll moment per p³.
        roll_cubic_nm_s3: f64 [non_negative] = 0.0,
        /// Roll moment per |u| p, with u the forward speed through the water.
        roll_lift_n_s2: f64 [non_negative] = 0.0,
        /// Pairs of forward speed [m/s] and wave resistance, by increasing speed. The resistance is
        /// zero at rest.
        wave_resistance_n: Vec<[f64; 2]> [non_negative] = Vec::new(),
    }
}

spec! {
    /// Pitch and roll of the Kelpie simulator. They are proportional to the surface height and to
    /// the component of the wind direction along or across the vehicle.
    pub struct KelpieAttitudeConfig {
        /// Pitch per metre of surface height with the wind from astern; positive is bow up.
        pitch_rad_per_m: f64,
        /// Roll per metre of surface height with the wind blowing to starboard; positive is
        /// starboard down.
        roll_rad_per_m: f64,
        /// Bandwidth with which the vehicle follows these angles, critically damped.
        bandwidth_hz: f64 [positive] = 2.0,
    }
}

choice! {
    /// Tables of added mass, damping and wave forces over frequency from a radiation and
    /// diffraction program. The axes of the tables are forward, port and up; their origin is in the
    /// waterline at rest.
    pub enum RadiationConfig {
        /// Non-dimensional numeric output of WAMIT.
        Wamit = "wamit" {
            /// The `.1` file: added mass and damping.
            added_mass: String [not_empty],
            /// The `.3` file: excitation forces. The Froude-Krylov forces on the hull mesh are
            /// subtracted from them.
            excitation: Option<String> [not_empty],
            /// The `.3sc` file, instead of `excitation`: scattering forces.
            scattering: Option<String> [not_empty],
            /// The `.hst` file: hydrostatic stiffness, only compared with that of the hull. The
            /// hydrostatics of the hull are used.
            hydrostatics: Option<String> [not_empty],
            /// Length by which the tables were made non-dimensional (ULEN).
            length_m: f64 [positive] = 1.0,
            /// Origin of the tables, relative to the body origin.
            origin_m: [f64; 3] = [0.0, 0.0, 0.0],
            /// Number of filters that approximate the radiation memory.
            filters: u32 [in 4.0..=24.0] = 14,
        },
        /// A data set of Capytaine as NetCDF classic.
        Capytaine = "capytaine" {
            /// Path of the data set.
            file: String [not_empty],
            /// Origin of the tables, relative to the body origin.
            origin_m: [f64; 3] = [0.0, 0.0, 0.0],
            /// Number of filters that approximate the radiation memory.
            filters: u32 [in 4.0..=24.0] = 14,
        },
    }
}

spec! {
    /// Mesh of a hull and its pose on the body.
    pub struct HullMeshConfig {
        /// Mesh file (STL, OBJ, COLLADA or glTF): a path relative to the folder of the file that
        /// names it, or `package://<package>/<path>`.
        file: String [not_empty],
        /// Scale factors along the axes of the mesh.
        scale: [f64; 3] = [1.0, 1.0, 1.0],
        /// Position of the mesh origin, relative to the body origin.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Roll, pitch and yaw of the mesh axes relative to the body axes.
        attitude_deg: [f64; 3] = [0.0, 0.0, 0.0],
        /// Evaluation of the waves at the vertices of the mesh.
        waves: HullWavesConfig = HullWavesConfig::Lattice,
    }
}

fieldless_choice! {
    /// Evaluation of the waves at the vertices of a hull mesh.
    pub enum HullWavesConfig {
        /// Interpolation on a lattice around the hull with a spacing of a sixth of its radius,
        /// where the sea has more than 16 waves; fast.
        Lattice = "lattice",
        /// Sum of all waves at every vertex; exact.
        Sum = "sum",
    }
}

spec! {
    /// A slender body of revolution along x, about the body origin.
    pub struct SlenderConfig {
        /// Length of the body.
        length_m: f64 [positive],
        /// Diameter of the body.
        diameter_m: f64 [positive],
        /// Reference area of lift and drag; 0 disables both.
        area_m2: f64 [non_negative],
        /// Drag coefficient at zero incidence.
        axial_drag: f64 [non_negative],
        /// Oswald efficiency factor of the induced drag.
        oswald: f64 [positive] = 0.7,
        /// Cross-flow drag coefficients in the horizontal and the vertical plane.
        cross_flow_drag: [f64; 2] [non_negative],
        /// Pairs of cross-flow speed [m/s] and factor on `cross_flow_drag`, by increasing speed,
        /// for a drag that depends on the Reynolds number. Default: factor 1.
        cross_flow_over_speed_m_s: Vec<[f64; 2]> = Vec::new(),
        /// Number of points along the length at which the cross-flow drag is summed, each for a
        /// length of 1/(points - 1) of the body, as in Fossen's programs with 21. 0 uses the exact
        /// integral.
        cross_flow_strips: u32 [in 0.0..=1000.0] = 0,
    }
}

spec! {
    /// Published coefficients of an underwater glider (forward, right, down). All forces are
    /// proportional to the square of its speed.
    pub struct GliderConfig {
        /// Drag: K_D0 [kg/m], and K_D per square of the angle of attack [kg/m per rad2].
        drag: [f64; 2] [non_negative],
        /// Lift: K_L0 [kg/m], and K_alpha per angle of attack [kg/m per rad].
        lift: [f64; 2],
        /// Side force per drift angle, K_beta [kg/m per rad].
        side: f64,
        /// Roll moment: K_MR per drift angle [kg per rad], and K_p per roll rate [kg s].
        roll: [f64; 2],
        /// Pitch moment: K_M0 [kg], K_M per angle of attack [kg per rad], and K_q per pitch rate
        /// [kg s].
        pitch: [f64; 3],
        /// Yaw moment: K_MY per drift angle [kg per rad], and K_r per yaw rate [kg s].
        yaw: [f64; 2],
    }
}

spec! {
    /// A buoyancy engine: a pump changes its displaced volume at constant mass.
    pub struct BuoyancyEngineConfig {
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Link that contains it.
        link: String [frame] = "base_link".to_string(),
        /// Axes in which `position_m` is given.
        axes: Axes = Axes::Flu,
        /// Position of the volume, relative to the link origin.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Minimum and maximum volume, in addition to the volume of the body.
        range_m3: [f64; 2],
        /// Maximum rate of change while the volume grows and while it shrinks.
        rate_m3_s: [f64; 2] [positive],
        /// Volume at the start, in addition to the volume of the body.
        start_m3: f64 = 0.0,
        /// Pressure work per electrical energy while the volume grows.
        efficiency: f64 [in 0.01..=1.0] = 0.5,
    }
}

spec! {
    /// A constant vertical force at a point of a body.
    pub struct FixedForceConfig {
        /// Vertical force, positive upwards.
        force_n: f64,
        /// Point at which the force acts, relative to the body origin.
        position_m: [f64; 3],
    }
}

choice! {
    /// Coefficients of a body: one per axis, a full matrix, or SNAME derivatives.
    pub enum Coefficients {
        /// All coefficients are zero.
        None = "none",
        /// One coefficient per axis: surge, sway, heave, roll, pitch, yaw.
        Diagonal = "diagonal" {
            /// The six coefficients, positive.
            values: [f64; 6] [non_negative],
        },
        /// A full matrix with rows and columns surge, sway, heave, roll, pitch, yaw.
        Matrix = "matrix" {
            /// Rows of the matrix.
            rows: [[f64; 6]; 6],
        },
        /// SNAME derivatives as published (forward, right, down; negative for resistance).
        Sname = "sname" {
            /// The derivatives by name: `X_udot` for added mass, `X_u` for linear, `X_uu` for
            /// quadratic damping.
            derivatives: std::collections::BTreeMap<String, Located<f64>>,
        },
    }
}

spec! {
    /// A link and the joint that connects it to its parent.
    pub struct LinkConfig {
        /// Name of the parent link; `base_link` is the base.
        parent: String [frame],
        /// Joint between this link and its parent.
        joint: JointConfig,
        /// Body of the link: a name in `params/bodies`, a file, or a map. Without a body the link
        /// is a frame fixed to its parent.
        body: Option<Body>,
    }
}

spec! {
    /// A joint, with the conventions of URDF.
    pub struct JointConfig {
        /// Name of the joint. Default: the name of the link with `_joint` appended.
        name: Option<String> [frame],
        /// Type of the joint.
        kind: JointKindConfig,
        /// Origin of the joint in the frame of the parent link (forward, left, up).
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Roll, pitch and yaw of the child frame relative to the parent frame, at joint position
        /// 0.
        attitude_rad: [f64; 3] = [0.0, 0.0, 0.0],
        /// Joint axis in the frame of the child link. It is normalised.
        axis: [f64; 3] = [0.0, 0.0, 1.0],
        /// Lower position limit of a revolute joint.
        lower_rad: Option<f64>,
        /// Upper position limit of a revolute joint.
        upper_rad: Option<f64>,
        /// Lower position limit of a prismatic joint.
        lower_m: Option<f64>,
        /// Upper position limit of a prismatic joint.
        upper_m: Option<f64>,
        /// Maximum effort [N m, or N for a prismatic joint]. Default: unlimited.
        max_effort: Option<f64> [positive],
        /// Maximum speed of the joint [rad/s, or m/s for a prismatic joint]. Drives, commands and
        /// trajectories respect it; other forces can exceed it. Default: unlimited.
        max_speed: Option<f64> [positive],
        /// Viscous friction [N m s/rad, or N s/m for a prismatic joint].
        damping: f64 [non_negative] = 0.0,
        /// Coulomb friction [N m, or N for a prismatic joint].
        friction: f64 [non_negative] = 0.0,
        /// Inertia of the drive, reflected to the joint [kg m2, or kg for a prismatic joint].
        armature: f64 [non_negative] = 0.0,
        /// Drive of the joint.
        drive: JointDriveConfig => "{kind: effort}",
        /// Joint whose motion this joint follows. Default: none.
        mimic: Option<MimicConfig>,
    }
}

fieldless_choice! {
    /// Type of a joint.
    pub enum JointKindConfig {
        /// Rotation about the axis within limits.
        Revolute = "revolute",
        /// Rotation about the axis without limits.
        Continuous = "continuous",
        /// Translation along the axis within limits.
        Prismatic = "prismatic",
        /// No motion: the child is rigidly connected to the parent.
        Fixed = "fixed",
    }
}

choice! {
    /// Drive of a joint.
    pub enum JointDriveConfig {
        /// Applies the commanded effort, plus a spring.
        Effort = "effort" {
            /// Stiffness of the spring [N m/rad or N/m].
            stiffness: f64 [non_negative] = 0.0,
            /// Joint position at which the spring exerts no effort [rad or m].
            spring_rest: f64 = 0.0,
        },
        /// Ideal position control: follows the commanded position regardless of the load.
        Position = "position" {
            /// Natural frequency of the position tracking.
            bandwidth_rad_s: f64 [positive] = 20.0,
            /// Maximum speed [rad/s or m/s].
            max_speed: f64 [positive] = 1.0,
            /// Maximum acceleration [rad/s2 or m/s2].
            max_acceleration: f64 [positive] = 10.0,
        },
        /// A motor with gear, encoder and its own controller.
        Servo = "servo" (ServoConfig),
    }
}

spec! {
    /// A thruster: its type and its mounting.
    pub struct ThrusterConfig {
        /// Type of the thruster: a name in `params/thrusters`, a file, or a map.
        motor: MotorConfig,
        /// Link on which the thruster is mounted.
        link: String [frame] = "base_link".to_string(),
        /// Axes of `position_m`, `direction` and the azimuth `shaft`.
        axes: Axes = Axes::Flu,
        /// Position of the propeller, relative to the link origin.
        position_m: [f64; 3],
        /// Direction of positive thrust in the link frame. It is normalised.
        direction: [f64; 3],
        /// Depth of the propeller below `position_m`, for models whose thrust acts at the
        /// waterline.
        submergence_m: f64 [non_negative] = 0.0,
        /// Direction of rotation of the propeller at positive thrust, seen from behind.
        rotation: PropellerRotation = PropellerRotation::Right,
        /// Servo that turns the thruster about a shaft. Default: fixed direction. The thruster
        /// manager always assumes angle 0.
        azimuth: Option<AzimuthConfig>,
    }
}

fieldless_choice! {
    /// Direction of rotation of a propeller.
    pub enum PropellerRotation {
        /// Clockwise, seen from behind.
        Right = "right",
        /// Counter-clockwise, seen from behind.
        Left = "left",
    }
}

spec! {
    /// Type of a thruster: motor and propeller.
    pub struct MotorConfig {
        /// Description of the thruster.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Unit of the command.
        command: CommandUnitConfig,
        /// Minimum and maximum command, in the unit of the command.
        range: [f64; 2],
        /// Command at which the propeller stands still, in the unit of the command.
        neutral: f64 = 0.0,
        /// Half width of the dead band around `neutral`, in the unit of the command. Commands
        /// within it have no effect.
        dead_band: f64 [non_negative] = 0.0,
        /// Thrust as a function of the command.
        curve: CurveConfig,
        /// Lag between command and effect.
        lag: LagConfig => "{kind: none}",
        /// Diameter of the propeller.
        diameter_m: f64 [positive],
        /// Reaction moment about the thrust axis per newton of thrust.
        torque_per_thrust_m: f64 [non_negative] = 0.0,
        /// Electrical power at thrust T divided by T^1.5.
        power_w_per_n15: f64 [non_negative] = 0.0,
        /// Shaft power per electrical power, for the curve `open_water` only. Replaces
        /// `power_w_per_n15`.
        motor_efficiency: Option<f64> [in 0.01..=1.0],
        /// Fraction of the electrical power that heats the motor.
        heat_fraction: f64 [fraction] = 0.2,
        /// Steady temperature rise of the motor per watt of heat.
        thermal_resistance_k_per_w: f64 [non_negative] = 0.5,
        /// Time constant of the motor temperature.
        thermal_time_constant_s: f64 [positive] = 60.0,
        /// Motor temperatures at which derating begins and at which the motor stops. A stopped
        /// motor restarts when it has cooled to the first. Default: no derating.
        temperature_limits_c: Option<[f64; 2]>,
        /// Voltage for which the curve is valid. Default: the thrust does not depend on the battery
        /// voltage.
        rated_voltage_v: Option<f64> [positive],
        /// Exponent of the ratio of voltage to `rated_voltage_v` by which the thrust is scaled.
        voltage_exponent: f64 [in 0.0..=3.0] = 2.0,
    }
}

fieldless_choice! {
    /// Unit of an actuator command.
    pub enum CommandUnitConfig {
        /// Thrust, given in newtons.
        Newton = "newton",
        /// Normalised from -1 to 1.
        Normalized = "normalized",
        /// Shaft speed in rad/s.
        RadPerS = "rad_s",
        /// Pulse width in microseconds.
        PwmUs = "pwm_us",
    }
}

choice! {
    /// Thrust as a function of the command.
    pub enum CurveConfig {
        /// The command is the thrust in newtons.
        Direct = "direct",
        /// A polynomial in the command.
        Polynomial = "polynomial" {
            /// Coefficients of the thrust in newtons, constant term first.
            coefficients: Vec<f64> [not_empty],
        },
        /// Interpolation in a table of command and thrust.
        Table = "table" {
            /// Pairs of command and thrust in newtons, by increasing command.
            points: Vec<[f64; 2]> [not_empty],
        },
        /// Thrust proportional to n|n|, with n the shaft speed.
        Quadratic = "quadratic" {
            /// Shaft speed per unit of command.
            speed_per_command_rad_s: f64 [positive] = 1.0,
            /// Thrust divided by n|n| for positive shaft speed.
            ahead_n_s2_per_rad2: f64 [positive],
            /// Thrust divided by n|n| for negative shaft speed.
            astern_n_s2_per_rad2: f64 [positive],
        },
        /// Open-water propeller: KT and KQ as functions of the advance number J.
        OpenWater = "open_water" {
            /// Shaft speed per unit of command.
            speed_per_command_rad_s: f64 [positive] = 1.0,
            /// Pairs of J and KT, by increasing J.
            kt: Vec<[f64; 2]> [not_empty],
            /// Pairs of J and KQ, by increasing J.
            kq: Vec<[f64; 2]> [not_empty],
            /// Ratio 1 - w of the inflow speed to the speed through the water, with the wake
            /// fraction w.
            wake_factor: f64 [positive] = 1.0,
            /// Velocity through the water from which the inflow is computed.
            inflow: InflowConfig = InflowConfig::Axial,
            /// Ratio 1 - t of the thrust on the hull to the thrust of the propeller, with the
            /// thrust deduction t.
            thrust_factor: f64 [positive] = 1.0,
            /// Fraction of the propeller torque that acts on the hull.
            torque_fraction: f64 [fraction] = 1.0,
        },
        /// Rotor in air: thrust proportional to the square of the shaft speed, torque
        /// `torque_per_thrust_m` times the thrust.
        Rotor = "rotor" {
            /// Shaft speed per unit of command; not used if the command is in newtons.
            speed_per_command_rad_s: f64 [positive] = 1.0,
            /// Thrust divided by n|n|.
            thrust_n_s2_per_rad2: f64 [positive],
            /// Loss of thrust per product of shaft speed and speed along the axis.
            inflow_loss_n_s2_per_rad_m: f64 [non_negative] = 0.0,
            /// Drag across the axis per product of shaft speed and speed across the axis.
            drag_n_s2_per_rad_m: f64 [non_negative] = 0.0,
            /// Moment across the axis per product of shaft speed and speed across the axis.
            rolling_n_s2_per_rad: f64 [non_negative] = 0.0,
            /// Inertia of rotor and motor about the axis.
            inertia_kg_m2: f64 [non_negative] = 0.0,
            /// Air density for which the coefficients are valid.
            air_density_kg_m3: f64 [positive] = 1.225,
            /// Whether terrain and water below the rotor increase its thrust.
            ground_effect: bool = true,
        },
    }
}

fieldless_choice! {
    /// Velocity from which the inflow of a propeller is computed.
    pub enum InflowConfig {
        /// Component of the propeller velocity along its axis.
        Axial = "axial",
        /// Magnitude of the velocity of the link origin, as in Fossen's models of torpedo-shaped
        /// vehicles.
        Total = "total",
    }
}

choice! {
    /// A linear lag. It acts on the thrust for static curves and on the shaft speed for propellers.
    pub enum LagConfig {
        /// The command acts immediately.
        None = "none",
        /// Lag of first order.
        First = "first_order" {
            /// Time constant of the lag.
            time_constant_s: f64 [positive],
        },
        /// First order with two time constants.
        UpDown = "up_down" {
            /// Time constant while the shaft speed, or thrust, increases.
            up_s: f64 [positive],
            /// Time constant while the shaft speed, or thrust, decreases.
            down_s: f64 [positive],
        },
        /// Lag of second order.
        Second = "second_order" {
            /// Natural frequency of the lag.
            natural_frequency_rad_s: f64 [positive],
            /// Damping ratio of the lag.
            damping_ratio: f64 [positive],
        },
        /// A stable transfer function of order 1 to 3 in s.
        Transfer = "transfer_function" {
            /// Coefficients of the numerator, highest power first.
            numerator: Vec<f64> [not_empty],
            /// Coefficients of the denominator, highest power first.
            denominator: Vec<f64> [not_empty],
        },
    }
}

spec! {
    /// Error model of a measurement, in the unit of the measurement.
    pub struct NoiseConfig {
        /// White noise density [unit/sqrt(Hz)].
        density: f64 [non_negative] = 0.0,
        /// Bias instability B [unit]; the minimum of the Allan deviation is 0.664 B.
        bias_instability: f64 [non_negative] = 0.0,
        /// Correlation time of the bias instability.
        bias_correlation_time_s: f64 [positive] = 100.0,
        /// Random walk K [unit/sqrt(s)].
        random_walk: f64 [non_negative] = 0.0,
        /// Standard deviation of the turn-on bias [unit].
        turn_on_bias_std: f64 [non_negative] = 0.0,
        /// Standard deviation of the scale error.
        scale_std_percent: f64 [non_negative] = 0.0,
        /// Standard deviation of the misalignment of each axis.
        misalignment_std_deg: f64 [non_negative] = 0.0,
        /// Resolution of the output [unit]; 0 for none.
        resolution: f64 [non_negative] = 0.0,
        /// Full scale [unit]: readings are limited to plus and minus this value. Default:
        /// unlimited.
        full_scale: Option<f64> [positive],
    }
}

spec! {
    /// A tether or mooring line between two ends.
    pub struct TetherConfig {
        /// Type of the line: a name in `params/lines`, a file, or a map.
        line: LineConfig,
        /// First end of the line.
        from: TetherEndConfig,
        /// Second end of the line.
        to: TetherEndConfig,
        /// Unstretched length of the line.
        length_m: f64 [positive],
        /// Number of segments of the line.
        segments: u32 [in 2.0..=2000.0] = 20,
        /// Numerical model of the line.
        method: LineModelConfig = LineModelConfig::Lumped,
        /// Winch at one of the ends. Default: none.
        winch: Option<WinchConfig>,
    }
}

fieldless_choice! {
    /// Numerical model of a line.
    pub enum LineModelConfig {
        /// Lumped masses at nodes, with inertia, drag, slack and seabed contact.
        Lumped = "lumped",
        /// Quasi-static elastic catenary, without inertia and drag.
        Catenary = "catenary",
    }
}

choice! {
    /// An end of a line.
    pub enum TetherEndConfig {
        /// A point fixed in the world.
        World = "world" {
            /// Position in the world (east, north, up).
            position_m: [f64; 3],
            /// Direction in which the line leaves a clamp (east, north, up); requires a line with
            /// bending stiffness. Default: not clamped.
            direction: Option<[f64; 3]>,
        },
        /// A point on the seabed.
        Seabed = "seabed" {
            /// Position in the world (east, north).
            position_m: [f64; 2],
        },
        /// A point of a robot.
        Robot = "robot" {
            /// Name of the robot; for a copy from `repeat` its own name, such as `rov_3`.
            robot: String [name],
            /// Name of the link.
            link: String [name] = "base_link".to_string(),
            /// Position on the link (forward, left, up).
            position_m: [f64; 3] = [0.0, 0.0, 0.0],
        },
        /// A free end of the line.
        Free = "free" {
            /// Position at the start in the world (east, north, up).
            position_m: [f64; 3],
        },
    }
}

spec! {
    /// Type of a line. Masses are per metre of unstretched length.
    pub struct LineConfig {
        /// Description of the line.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Outer diameter of the line.
        diameter_m: f64 [positive],
        /// Mass in air per length.
        mass_kg_per_m: f64 [positive],
        /// Axial stiffness EA: tension per strain.
        axial_stiffness_n: f64 [positive],
        /// Axial damping: tension per strain rate.
        axial_damping_n_s: f64 [non_negative] = 0.0,
        /// Bending stiffness EI: moment per curvature. With a bending stiffness, the line also
        /// carries compression and can buckle.
        bending_stiffness_nm2: f64 [non_negative] = 0.0,
        /// Tension at which the line breaks. Default: never.
        breaking_load_n: Option<f64> [positive],
        /// Drag coefficient across the line, referred to the diameter.
        normal_drag: f64 [non_negative] = 1.2,
        /// Drag coefficient along the line, referred to the circumference.
        tangential_drag: f64 [non_negative] = 0.01,
        /// Added-mass coefficient across the line.
        added_mass: f64 [non_negative] = 1.0,
        /// Contact stiffness of the seabed per length of line. Default: the line penetrates by a
        /// tenth of its diameter under its own weight in water.
        seabed_stiffness_n_per_m2: Option<f64> [positive],
        /// Coulomb friction coefficient on the seabed.
        seabed_friction: f64 [non_negative] = 0.5,
    }
}

spec! {
    /// A winch at one end of a tether.
    pub struct WinchConfig {
        /// End of the line at which the winch is mounted.
        mounted_at: LineEnd = LineEnd::From,
        /// Maximum speed of paying out and heaving in.
        max_speed_m_s: f64 [positive],
        /// Maximum acceleration of the line.
        max_acceleration_m_s2: f64 [positive] = 1.0,
        /// Tension above which the turning drum slips. Default: never.
        max_pull_n: Option<f64> [positive],
        /// Tension above which the braked drum slips. Default: never.
        brake_n: Option<f64> [positive],
        /// Minimum unstretched length outside the drum.
        min_length_m: f64 [positive] = 1.0,
        /// Total length of line, on the drum and outside. Default: `length_m` of the tether.
        max_length_m: Option<f64> [positive],
        /// Mechanical power of heaving in per electrical power, if the robot that carries the winch
        /// has a battery. A common worm gear has 0.5.
        efficiency: f64 [in 0.01..=1.0] = 0.5,
        /// Power consumption while the drum does not turn, from the same battery.
        standby_w: f64 [non_negative] = 0.0,
    }
}

fieldless_choice! {
    /// An end of a line, by its key.
    pub enum LineEnd {
        /// First end of the line.
        From = "from",
        /// Second end of the line.
        To = "to",
    }
}
