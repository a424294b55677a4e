//! What a world file and the component files may say, as the user writes it.
//!
//! One declaration per structure; the reader, the messages and the JSON Schema come from it (`spec.rs`). What it means
//! is decided in `build.rs`.

pub mod air;
pub mod contact;
pub mod coupling;
pub mod energy;
pub mod fault;
pub mod fin;
pub mod firmware;
pub mod restoring;
pub mod sensor;
pub mod servo;
pub mod texture;
pub mod urdf;
pub mod water;
pub mod waves;

use crate::import::grid::declare::GridFile;
use crate::schema::air::{AirFile, WeatherFile, WindLoadFile};
use crate::schema::contact::{CollisionFile, MaterialFile, PropEntry, StructureFile, VisualFile};
use crate::schema::coupling::CouplingFile;
use crate::schema::energy::{BatteryFile, ChargerFile, LoadFile, SolarFile};
use crate::schema::fault::FaultFile;
use crate::schema::fin::{AzimuthFile, FinFile};
use crate::schema::firmware::FirmwareFile;
use crate::schema::restoring::RestoringFile;
use crate::schema::sensor::acoustic::{BeaconEntry, HydrophoneFile, LblFile, SblFile, UsblFile};
use crate::schema::sensor::ais::{AisFile, AisReceiverFile};
use crate::schema::sensor::camera::{CameraFile, LampFile, OpticsFile};
use crate::schema::sensor::laser::{LaserFile, LidarFile, TiltingLaserFile};
use crate::schema::sensor::navigation::{AhrsFile, AidsFile, GnssFile, GnssHeadingFile, InsFile};
use crate::schema::sensor::obstacle::{DetectorFile, ObstacleFile};
use crate::schema::sensor::on_board::{
    AnemometerFile, BarometerFile, LeakDetectorFile, MotorTelemetryFile, PowerMeterFile,
};
use crate::schema::sensor::probe::{CtdFile, ProbeFile, WaterSamplerFile};
use crate::schema::sensor::radar::RadarFile;
use crate::schema::sensor::sonar::{
    ImagingSonarFile, MultibeamFile, ScanningSonarFile, SideScanFile,
};
use crate::schema::servo::{KeepOutFile, ServoFile, TrajectoryFile};
use crate::schema::urdf::{HydrodynamicsFile, MimicFile};
use crate::schema::water::{CarriedFile, ColumnFile, FlowFile, RegionFile, TideFile};
use crate::schema::waves::WavesFile;
use merrow_yaml::read::{Named, Placed};
use merrow_yaml::spec::{choice, fieldless_choice, spec};

spec! {
    /// A world: the sea, where it is, and the robots in it.
    pub struct WorldFile {
        /// What the world is, in a line.
        description: String = String::new(),
        /// Seed of all random numbers.
        seed: u64 = 1,
        /// How time is stepped.
        step: Step => "{}",
        /// Acceleration of gravity.
        gravity_m_s2: f64 [non_negative] = 9.81,
        /// Where the world's origin lies on the Earth.
        origin: OriginFile => "{}",
        /// The water.
        water: Water => "{}",
        /// The bottom.
        seabed: SeabedFile => "{}",
        /// The air.
        air: AirFile => "{}",
        /// The weather at the start.
        weather: WeatherFile => "{}",
        /// The robots, by name.
        robots: Named<RobotEntry>,
        /// Loose things in the water, by name.
        props: Named<PropEntry> = Named::default(),
        /// What stands in the world and can be touched, by name.
        structures: Named<StructureFile> = Named::default(),
        /// What holds bodies together, or can, by name.
        couplings: Named<CouplingFile> = Named::default(),
        /// What charges batteries, by name.
        chargers: Named<ChargerFile> = Named::default(),
        /// Tethers and mooring lines, by name.
        tethers: Named<TetherFile> = Named::default(),
        /// What goes wrong, by name.
        faults: Named<FaultFile> = Named::default(),
        /// Sources of sound that positioning goes by, by name.
        beacons: Named<BeaconEntry> = Named::default(),
        /// Boxes that detectors without echoes tell of, by name.
        obstacles: Named<ObstacleFile> = Named::default(),
        /// Transponders of the Automatic Identification System, by name.
        ais: Named<AisFile> = Named::default(),
    }
}

spec! {
    /// How time is stepped.
    pub struct Step {
        /// Length of a step.
        dt_s: f64 [in 1e-6..=0.1] = 0.002,
        /// Integrator.
        integrator: IntegratorFile = IntegratorFile::Rk4,
    }
}

fieldless_choice! {
    /// An integrator.
    pub enum IntegratorFile {
        /// Classical Runge-Kutta of order 4.
        Rk4 = "rk4",
        /// Semi-implicit Euler, order 1.
        SemiImplicit = "semi_implicit",
    }
}

spec! {
    /// Where the origin of the world frame (east, north, up; z = 0 at mean sea level) lies.
    pub struct OriginFile {
        /// Geodetic latitude (WGS84), north positive.
        latitude_deg: f64 [in -90.0..=90.0] = 36.6284333,
        /// Longitude (WGS84), east positive.
        longitude_deg: f64 [in -180.0..=180.0] = -121.9119833,
        /// Height of mean sea level above the ellipsoid.
        altitude_m: f64 [in -500.0..=9000.0] = 0.0,
        /// Magnetic flux density (east, north, up); without it the World Magnetic Model of 2025 at the origin.
        magnetic_field_nt: Option<[f64; 3]>,
    }
}

spec! {
    /// The water.
    pub struct Water {
        /// Density.
        density_kg_m3: f64 [in 0.0..=2000.0] = 1025.0,
        /// Speed of sound.
        sound_speed_m_s: f64 [in 1000.0..=2000.0] = 1500.0,
        /// Temperature.
        temperature_c: f64 [in -5.0..=60.0] = 15.0,
        /// Temperature and salinity by depth, from which density, speed of sound and pressure follow; instead of the three above.
        column: Option<ColumnFile>,
        /// Parts of the sea with water of their own, by name: rivers, lakes, harbours. Where they overlap the first counts.
        regions: Named<RegionFile> = Named::default(),
        /// What the water carries, by name, such as turbidity or chlorophyll.
        carried: Named<CarriedFile> = Named::default(),
        /// What it does to light.
        optics: OpticsFile => "{}",
        /// Pressure of the air at the surface.
        air_pressure_pa: f64 [in 10000.0..=200000.0] = 101325.0,
        /// Mean current.
        current: CurrentFile => "{kind: none}",
        /// Random variation of the current.
        variation: Option<VariationFile>,
        /// What else moves, by name: tides, streams, eddies; added to the mean current.
        flows: Named<FlowFile> = Named::default(),
        /// Level of the surface: what it stands over z = 0, and how it rises and falls.
        tide: Option<TideFile>,
        /// Waves.
        waves: WavesFile => "{kind: none}",
    }
}

choice! {
    /// The mean current. Directions are where the water goes to, clockwise from north.
    pub enum CurrentFile {
        /// Still water.
        None = "none",
        /// The same everywhere.
        Uniform = "uniform" {
            /// Speed.
            speed_m_s: f64 [non_negative],
            /// Where it goes to, clockwise from north.
            direction_deg: f64 [in -360.0..=360.0] = 0.0,
            /// Upward speed.
            up_m_s: f64 = 0.0,
        },
        /// By depth; linear between the depths, constant beyond.
        Profile = "profile" {
            /// Layers, from the shallowest down.
            layers: Vec<Layer> [not_empty],
        },
    }
}

spec! {
    /// The current at a depth.
    pub struct Layer {
        /// Depth.
        depth_m: f64 [non_negative],
        /// Speed.
        speed_m_s: f64 [non_negative],
        /// Where it goes to, clockwise from north.
        direction_deg: f64 [in -360.0..=360.0] = 0.0,
    }
}

spec! {
    /// First-order Gauss-Markov variation of the current.
    pub struct VariationFile {
        /// Standard deviation of the east, north and up components.
        std_m_s: [f64; 3] [non_negative],
        /// Correlation time.
        correlation_time_s: f64 [positive],
    }
}

spec! {
    /// The bottom: a plane, or terrain.
    pub struct SeabedFile {
        /// Depth of the water at the origin.
        depth_m: f64 [positive] = 100.0,
        /// Rise of the bottom per metre towards east and towards north.
        slope_east_north: [f64; 2] = [0.0, 0.0],
        /// Heights of the ground [m] on an evenly spaced grid, instead of the plane.
        terrain: Option<GridFile>,
        /// Its surface.
        material: MaterialFile => "{}",
    }
}

spec! {
    /// A robot, or a grid of robots.
    pub struct RobotEntry {
        /// The model: a name in `params/robots`, a file, or a map with `extends` and what is to be other.
        model: RobotModel,
        /// Position of the base in the world (east, north, up).
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Roll, pitch and yaw of the base (x forward, y left, z up); yaw from east, counter-clockwise.
        attitude_deg: [f64; 3] = [0.0, 0.0, 0.0],
        /// Velocity of the base, in its own frame.
        velocity_m_s: [f64; 3] = [0.0, 0.0, 0.0],
        /// Angular velocity of the base, in its own frame.
        angular_velocity_rad_s: [f64; 3] = [0.0, 0.0, 0.0],
        /// Joint positions at the start, by joint name.
        joints_rad: Named<f64> [frame] = Named::default(),
        /// Makes a grid of copies named `<name>_0`, `<name>_1` and so on.
        repeat: Option<Repeat>,
    }
}

spec! {
    /// A grid of copies, x fastest.
    pub struct Repeat {
        /// Copies along east, north and up.
        count: [u32; 3] [in 1.0..=10000.0],
        /// Distance between copies.
        spacing_m: [f64; 3],
    }
}

spec! {
    /// A robot's parts.
    pub struct RobotModel {
        /// What it is.
        description: String = String::new(),
        /// Where the figures come from.
        source: String [not_empty],
        /// A URDF that says its links, joints and shapes; what the model says itself is laid over that.
        urdf: Option<String> [not_empty],
        /// What the water does to the links of the URDF: a name in `params/hydrodynamics`, a file, or a map.
        hydrodynamics: HydrodynamicsFile => "{}",
        /// Whether the base moves or is held in the world.
        base: Base = Base::Floating,
        /// Name of the base link.
        root: String [frame] = crate::build::robot::BASE.to_string(),
        /// The base link: a name in `params/bodies`, a file, or a map.
        body: Body,
        /// Further links, parents first.
        links: Named<LinkFile> [frame] = Named::default(),
        /// Links whose wrench of contacts is published.
        contact_wrenches: Vec<String> = Vec::new(),
        /// Whether links that are not neighbours may touch each other.
        self_collision: bool = false,
        /// Joints that are commanded together, by the group's name; without it `arm` has all moving joints.
        joint_groups: Named<Vec<String>> = Named::default(),
        /// How the trajectories of its joints are judged.
        trajectories: TrajectoryFile => "{}",
        /// Boxes that its arms are kept out of.
        keep_out: Option<KeepOutFile>,
        /// Thrusters.
        thrusters: Named<ThrusterFile> = Named::default(),
        /// Fins, rudders and planes.
        fins: Named<FinFile> [frame] = Named::default(),
        /// Buoyancy engines.
        ballasts: Named<BallastFile> [frame] = Named::default(),
        /// Seconds without a command after which the thrusters stop; without it the last command holds.
        command_timeout_s: Option<f64> [positive],
        /// Sensors.
        sensors: Named<SensorFile> = Named::default(),
        /// Battery: a name in `params/batteries`, a file, or a map.
        battery: Option<BatteryFile>,
        /// Devices that draw power and do nothing else, such as computers and lights, by name.
        loads: Named<LoadFile> = Named::default(),
        /// Lamps, by name.
        lamps: Named<LampFile> = Named::default(),
        /// Solar panels, by name.
        solar_panels: Named<SolarFile> = Named::default(),
        /// What its own computer runs: a name in `params/firmware`, a file, or a map.
        firmware: Option<FirmwareFile>,
    }
}

fieldless_choice! {
    /// What holds the base.
    pub enum Base {
        /// Free to move.
        Floating = "floating",
        /// Held in the world.
        Fixed = "fixed",
    }
}

fieldless_choice! {
    /// The axes in which a body's figures are given.
    pub enum Axes {
        /// Forward, left, up (ROS, URDF).
        Flu = "flu",
        /// Forward, right, down (Fossen, SNAME).
        Frd = "frd",
    }
}

spec! {
    /// A rigid body in the water. All points are from the body's origin, in the axes that `axes` names.
    pub struct Body {
        /// What it is.
        description: String = String::new(),
        /// Where the figures come from.
        source: String [not_empty],
        /// Figures that are guessed, and why.
        estimated: String = String::new(),
        /// Axes of all vectors and matrices of this body.
        axes: Axes,
        /// Mass.
        mass_kg: f64 [positive],
        /// Centre of mass.
        center_of_mass_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Inertia about the centre of mass.
        inertia_kg_m2: Inertia,
        /// Displaced volume when wholly under water.
        volume_m3: f64 [non_negative] = 0.0,
        /// Buoyancy less weight when wholly under water, as trimmed for the world's water; instead of `volume_m3`.
        net_buoyancy_n: Option<f64>,
        /// Centre of buoyancy when wholly under water.
        center_of_buoyancy_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Shape that is cut by the water's surface; without it a sphere of the displaced volume.
        hull: HullFile => "{kind: sphere}",
        /// Linear hydrostatics of a floating base, instead of `hull`.
        restoring: Option<RestoringFile>,
        /// Small weights and floats fixed to the body.
        loads: Named<Load> = Named::default(),
        /// Added mass at the origin, positive, as a matrix or diagonal (surge, sway, heave, roll, pitch, yaw), or
        /// SNAME derivatives such as `X_udot`.
        added_mass: Coefficients => "{kind: none}",
        /// What its own waves do to it, by tables; the base's only. The added mass follows from them.
        radiation: Option<RadiationFile>,
        /// Linear damping, positive, or SNAME derivatives such as `X_u`.
        linear_damping: Coefficients => "{kind: none}",
        /// Quadratic damping, positive, or SNAME derivatives such as `X_uu`.
        quadratic_damping: Coefficients => "{kind: none}",
        /// How fast the linear damping falls with speed U: scaled by exp(-k U), for surge, sway, heave, roll, pitch, yaw.
        linear_damping_decay_s_m: [f64; 6] [non_negative] = [0.0; 6],
        /// What it loses at the surface beyond these: roll damping, wave resistance.
        surface_damping: Option<SurfaceDampingFile>,
        /// Pitch and roll in step with the waves' height, as in the Kelpie simulator; for vehicles without a hull.
        kelpie_attitude: Option<KelpieAttitudeFile>,
        /// Lift, drag and cross-flow drag, for a torpedo-shaped body about its origin.
        slender: Option<SlenderFile>,
        /// Lift, drag and moments of an underwater glider about its origin.
        glider: Option<GliderFile>,
        /// Forces that go with the product of two velocities, by their published names such as `Y_uv` and `N_wp` (SNAME: forward, right,
        /// down). A set that states any must state all that the added mass does with velocities, which is then left out here.
        derivatives: std::collections::BTreeMap<String, Placed<f64>> = std::collections::BTreeMap::new(),
        /// Whether the added mass exerts its moments at incidence (Munk) in pitch and yaw; false for coefficient sets whose damping
        /// already holds them.
        munk_moment: bool = true,
        /// Point at which the damping acts.
        damping_point_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// What it offers to the wind.
        wind: Option<WindLoadFile>,
        /// Shapes that can be touched, by name; none: it passes through everything.
        collisions: Named<CollisionFile> = Named::default(),
        /// Shapes that cameras and lasers see, by name; if any body of a robot has some, they see these alone, else those that can be touched. Meshes are seen by their triangles.
        visuals: Named<VisualFile> = Named::default(),
    }
}

spec! {
    /// Inertia about the centre of mass.
    pub struct Inertia {
        /// About x.
        xx: f64 [positive],
        /// About y.
        yy: f64 [positive],
        /// About z.
        zz: f64 [positive],
        /// Product, positive as in the matrix.
        xy: f64 = 0.0,
        /// Product, positive as in the matrix.
        xz: f64 = 0.0,
        /// Product, positive as in the matrix.
        yz: f64 = 0.0,
    }
}

choice! {
    /// The shape of a hull, centred on `center_m`.
    pub enum HullFile {
        /// A sphere of the displaced volume about the centre of buoyancy.
        Sphere = "sphere",
        /// A box.
        Box = "box" {
            /// Length, width, height.
            size_m: [f64; 3] [positive],
            /// Centre; the centre of buoyancy if not given.
            center_m: Option<[f64; 3]>,
        },
        /// An ellipsoid.
        Ellipsoid = "ellipsoid" {
            /// Length, width, height.
            size_m: [f64; 3] [positive],
            /// Centre; the centre of buoyancy if not given.
            center_m: Option<[f64; 3]>,
        },
        /// A closed mesh, on which the water's pressure is integrated; volume and centre of buoyancy are its own where the body
        /// states none.
        Mesh = "mesh" (HullMeshFile),
        /// The box about a mesh: cheap, and too much volume. As `mesh`, the box in place of the mesh.
        BoundingBox = "bounding_box" (HullMeshFile),
    }
}

spec! {
    /// Losses of a hull that pierces the surface; along x of the body.
    pub struct SurfaceDampingFile {
        /// Moment against roll by its rate p.
        roll_nm_s_rad: f64 [non_negative] = 0.0,
        /// Moment against roll by |p|p.
        roll_quadratic_nm_s2: f64 [non_negative] = 0.0,
        /// Moment against roll by p³.
        roll_cubic_nm_s3: f64 [non_negative] = 0.0,
        /// Moment against roll by |u|p, u the speed ahead through the water.
        roll_lift_n_s2: f64 [non_negative] = 0.0,
        /// Pairs of speed ahead [m/s] and wave resistance, rising speed; nothing at rest.
        wave_resistance_n: Vec<[f64; 2]> [non_negative] = Vec::new(),
    }
}

spec! {
    /// Kelpie's pitch and roll: where the wind goes with or across the vehicle they follow the surface's height.
    pub struct KelpieAttitudeFile {
        /// Pitch per metre of the surface's height, bow up with the wind from astern.
        pitch_rad_m: f64,
        /// Roll per metre of the surface's height, starboard down with the wind to starboard.
        roll_rad_m: f64,
        /// How fast the vehicle follows.
        bandwidth_hz: f64 [positive] = 2.0,
    }
}

choice! {
    /// Tables of added mass, damping and wave forces by frequency, from a program for waves and bodies. Their axes are forward, port
    /// and up, their origin lies in the waterline at rest.
    pub enum RadiationFile {
        /// Numeric output of WAMIT, without dimensions.
        Wamit = "wamit" {
            /// The `.1` file: added mass and damping.
            added_mass: String [not_empty],
            /// The `.3` file: wave forces, from which the wave's own pressure on the hull's mesh is taken away.
            excitation: Option<String> [not_empty],
            /// The `.3sc` file instead: forces of scattered waves.
            scattering: Option<String> [not_empty],
            /// The `.hst` file: compared with the hull's own hydrostatics, which count.
            hydrostatics: Option<String> [not_empty],
            /// Length by which the tables were made dimensionless (ULEN).
            length_m: f64 [positive] = 1.0,
            /// Place of the tables' origin on the body.
            origin_m: [f64; 3] = [0.0, 0.0, 0.0],
            /// Filters that make the memory.
            filters: u32 [in 4.0..=24.0] = 14,
        },
        /// A data set of Capytaine as NetCDF classic.
        Capytaine = "capytaine" {
            /// The file.
            file: String [not_empty],
            /// Place of the tables' origin on the body.
            origin_m: [f64; 3] = [0.0, 0.0, 0.0],
            /// Filters that make the memory.
            filters: u32 [in 4.0..=24.0] = 14,
        },
    }
}

spec! {
    /// The mesh of a hull and its place on the body.
    pub struct HullMeshFile {
        /// Its file (STL, OBJ, COLLADA or glTF): a path, from the folder of the file that names it, or `package://<package>/<path>`.
        file: String [not_empty],
        /// Factors along its axes.
        scale: [f64; 3] = [1.0, 1.0, 1.0],
        /// Place of its origin on the body.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Roll, pitch and yaw of its axes.
        attitude_deg: [f64; 3] = [0.0, 0.0, 0.0],
        /// How the waves at its corners are found.
        waves: HullWavesFile = HullWavesFile::Lattice,
    }
}

fieldless_choice! {
    /// How the waves at the corners of a hull's mesh are found.
    pub enum HullWavesFile {
        /// From a lattice about the hull, a sixth of its radius wide, where the sea has more than 16 waves: quick.
        Lattice = "lattice",
        /// By summing all waves at every corner: exact.
        Sum = "sum",
    }
}

spec! {
    /// A slender body of revolution along x, about its origin.
    pub struct SlenderFile {
        /// Length.
        length_m: f64 [positive],
        /// Diameter.
        diameter_m: f64 [positive],
        /// Reference area of lift and drag; 0 for neither.
        area_m2: f64 [non_negative],
        /// Drag coefficient at zero incidence.
        axial_drag: f64 [non_negative],
        /// Oswald's efficiency factor.
        oswald: f64 [positive] = 0.7,
        /// Cross-flow drag coefficients in the horizontal and the vertical plane.
        cross_flow_drag: [f64; 2] [non_negative],
        /// Pairs of cross-flow speed and factor on these, rising speed, for a drag that depends on the Reynolds number.
        cross_flow_over_speed_m_s: Vec<[f64; 2]> = Vec::new(),
        /// Sum the cross-flow drag over this many points along the length, each for a length of 1/(points - 1) of the whole,
        /// as Fossen's programs do with 21; 0 for the exact integral.
        cross_flow_strips: u32 [in 0.0..=1000.0] = 0,
    }
}

spec! {
    /// Coefficients of an underwater glider as published (forward, right, down), over the square of its speed.
    pub struct GliderFile {
        /// Drag: K_D0 [kg/m] and K_D, over the square of the angle of attack [kg/m per rad2].
        drag: [f64; 2] [non_negative],
        /// Lift: K_L0 [kg/m] and K_alpha, over the angle of attack [kg/m per rad].
        lift: [f64; 2],
        /// Side force over the drift angle, K_beta [kg/m per rad].
        side: f64,
        /// Roll: K_MR, over the drift angle [kg per rad], and K_p, over the roll rate [kg s].
        roll: [f64; 2],
        /// Pitch: K_M0 [kg], K_M, over the angle of attack [kg per rad], and K_q, over the pitch rate [kg s].
        pitch: [f64; 3],
        /// Yaw: K_MY, over the drift angle [kg per rad], and K_r, over the yaw rate [kg s].
        yaw: [f64; 2],
    }
}

spec! {
    /// A buoyancy engine: a volume that a pump changes at constant mass.
    pub struct BallastFile {
        /// Where the figures come from.
        source: String [not_empty],
        /// Figures that are guessed, and why.
        estimated: String = String::new(),
        /// Link that it is in.
        link: String [frame] = "base_link".to_string(),
        /// Axes of its position.
        axes: Axes = Axes::Flu,
        /// Its place on the link.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Smallest and largest volume, over that of the body.
        range_m3: [f64; 2],
        /// Largest rate while growing and while shrinking.
        rate_m3_s: [f64; 2] [positive],
        /// Volume at the start.
        start_m3: f64 = 0.0,
        /// Pressure work over electrical work while it grows.
        efficiency: f64 [in 0.01..=1.0] = 0.5,
    }
}

spec! {
    /// A constant vertical force at a point of a body.
    pub struct Load {
        /// Force, positive up.
        force_n: f64,
        /// Where it acts.
        at_m: [f64; 3],
    }
}

choice! {
    /// Coefficients of a body, one per axis or a full matrix.
    pub enum Coefficients {
        /// None.
        None = "none",
        /// One per axis: surge, sway, heave, roll, pitch, yaw.
        Diagonal = "diagonal" {
            /// The coefficients, positive.
            values: [f64; 6] [non_negative],
        },
        /// A full matrix, rows and columns surge, sway, heave, roll, pitch, yaw.
        Matrix = "matrix" {
            /// The rows.
            rows: [[f64; 6]; 6],
        },
        /// SNAME derivatives as published (forward, right, down; negative for what resists).
        Sname = "sname" {
            /// The derivatives by name: `X_udot` for added mass, `X_u` for linear, `X_uu` for quadratic damping.
            derivatives: std::collections::BTreeMap<String, Placed<f64>>,
        },
    }
}

spec! {
    /// A link and the joint that holds it.
    pub struct LinkFile {
        /// The parent link; `base_link` is the base.
        parent: String [frame],
        /// The joint.
        joint: JointFile,
        /// The link's body: a name in `params/bodies`, a file, or a map; none for a mere frame, fixed to its parent.
        body: Option<Body>,
    }
}

spec! {
    /// A joint, in URDF's terms.
    pub struct JointFile {
        /// Its name; the link's name with `_joint` if not given.
        name: Option<String> [frame],
        /// What moves.
        kind: JointKindFile,
        /// Origin in the parent link.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Roll, pitch, yaw of the child in the parent.
        attitude_rad: [f64; 3] = [0.0, 0.0, 0.0],
        /// Axis in the child link.
        axis: [f64; 3] = [0.0, 0.0, 1.0],
        /// Lowest position of a revolute joint.
        lower_rad: Option<f64>,
        /// Highest position of a revolute joint.
        upper_rad: Option<f64>,
        /// Lowest position of a prismatic joint.
        lower_m: Option<f64>,
        /// Highest position of a prismatic joint.
        upper_m: Option<f64>,
        /// Largest effort [N m, or N for a prismatic joint].
        max_effort: Option<f64> [positive],
        /// Largest speed that the joint is made for [rad/s, or m/s for a prismatic joint]; drives, commands and trajectories keep
        /// to it, what else moves it does not.
        max_speed: Option<f64> [positive],
        /// Viscous friction [N m s/rad or N s/m].
        damping: f64 [non_negative] = 0.0,
        /// Coulomb friction [N m, or N for a prismatic joint].
        friction: f64 [non_negative] = 0.0,
        /// Inertia of the drive at the joint [kg m2 or kg].
        armature: f64 [non_negative] = 0.0,
        /// What holds it.
        drive: DriveFile => "{kind: effort}",
        /// Joint that this one follows.
        mimic: Option<MimicFile>,
    }
}

fieldless_choice! {
    /// What a joint lets move.
    pub enum JointKindFile {
        /// Turns within limits.
        Revolute = "revolute",
        /// Turns without limits.
        Continuous = "continuous",
        /// Slides.
        Prismatic = "prismatic",
        /// Nothing: the child is part of the parent.
        Fixed = "fixed",
    }
}

choice! {
    /// What holds or moves a joint.
    pub enum DriveFile {
        /// Effort as commanded, with a spring.
        Effort = "effort" {
            /// Spring constant [N m/rad or N/m].
            stiffness: f64 [non_negative] = 0.0,
            /// Where the spring rests [rad or m].
            rest: f64 = 0.0,
        },
        /// Follows a commanded position, whatever the load.
        Position = "position" {
            /// Natural frequency of the tracking.
            bandwidth_rad_s: f64 [positive] = 20.0,
            /// Largest speed [rad/s or m/s].
            max_speed: f64 [positive] = 1.0,
            /// Largest acceleration [rad/s2 or m/s2].
            max_acceleration: f64 [positive] = 10.0,
        },
        /// A motor with gear, encoder and its own controller.
        Servo = "servo" (ServoFile),
    }
}

spec! {
    /// A thruster: where it is, and which.
    pub struct ThrusterFile {
        /// The thruster: a name in `params/thrusters`, a file, or a map.
        motor: MotorFile,
        /// Link it is bolted to.
        link: String [frame] = "base_link".to_string(),
        /// Axes of position and direction.
        axes: Axes = Axes::Flu,
        /// Its place on the link.
        position_m: [f64; 3],
        /// Direction of positive thrust on the link.
        direction: [f64; 3],
        /// How far under its place the propeller runs, for models whose thrust acts at the waterline.
        submergence_m: f64 [non_negative] = 0.0,
        /// Which way the propeller turns, seen from behind at positive thrust.
        turning: Turning = Turning::Right,
        /// What turns it; without it its direction stays. The thruster manager reckons with angle 0.
        azimuth: Option<AzimuthFile>,
    }
}

fieldless_choice! {
    /// A propeller's hand.
    pub enum Turning {
        /// Clockwise seen from behind.
        Right = "right",
        /// Counter-clockwise seen from behind.
        Left = "left",
    }
}

spec! {
    /// A thruster as made.
    pub struct MotorFile {
        /// What it is.
        description: String = String::new(),
        /// Where the figures come from.
        source: String [not_empty],
        /// Figures that are guessed, and why.
        estimated: String = String::new(),
        /// Unit of its command.
        command: CommandFile,
        /// Lowest and highest command, in that unit.
        range: [f64; 2],
        /// Command at which it stands still.
        neutral: f64 = 0.0,
        /// Commands within this of neutral do nothing.
        dead_band: f64 [non_negative] = 0.0,
        /// Command to thrust.
        curve: CurveFile,
        /// Lag between command and effect.
        lag: LagFile => "{kind: none}",
        /// Propeller diameter.
        diameter_m: f64 [positive],
        /// Moment about the axis per newton of thrust.
        torque_per_thrust_m: f64 [non_negative] = 0.0,
        /// Electrical power at thrust T: this times T^1.5.
        power_w_per_n15: f64 [non_negative] = 0.0,
        /// Shaft power over electrical, for a curve of the kind `open_water`, instead of `power_w_per_n15`.
        motor_efficiency: Option<f64> [in 0.01..=1.0],
        /// Part of the electrical power that heats the motor.
        loss: f64 [fraction] = 0.2,
        /// Rise of the motor's temperature per watt of loss.
        thermal_resistance_k_w: f64 [non_negative] = 0.5,
        /// Time constant of the motor's temperature.
        thermal_time_constant_s: f64 [positive] = 60.0,
        /// Temperatures of the motor from which it gives less and less, and at which it stops until it has cooled to the first.
        temperature_limits_c: Option<[f64; 2]>,
        /// Voltage at which the curve holds; without it the battery's voltage makes no difference.
        rated_voltage_v: Option<f64> [positive],
        /// Thrust goes with this power of the voltage.
        voltage_exponent: f64 [in 0.0..=3.0] = 2.0,
    }
}

fieldless_choice! {
    /// Unit of an actuator's command.
    pub enum CommandFile {
        /// Thrust in newtons.
        Newton = "newton",
        /// -1 to 1.
        Normalized = "normalized",
        /// Shaft speed in rad/s.
        RadPerS = "rad_s",
        /// Pulse width in microseconds.
        PwmUs = "pwm_us",
    }
}

choice! {
    /// How a command becomes thrust.
    pub enum CurveFile {
        /// The command is the thrust in newtons.
        Direct = "direct",
        /// A polynomial in the command.
        Polynomial = "polynomial" {
            /// Coefficients of thrust in newtons, constant first.
            coefficients: Vec<f64> [not_empty],
        },
        /// Pairs of command and thrust in newtons, rising command.
        Table = "table" {
            /// The pairs.
            points: Vec<[f64; 2]> [not_empty],
        },
        /// Thrust grows with the square of the shaft speed.
        Quadratic = "quadratic" {
            /// Shaft speed per unit of command.
            speed_per_command_rad_s: f64 [positive] = 1.0,
            /// Thrust over n|n| ahead [N s2/rad2].
            ahead: f64 [positive],
            /// Thrust over n|n| astern [N s2/rad2].
            astern: f64 [positive],
        },
        /// Open-water propeller: KT and KQ over the advance number.
        OpenWater = "open_water" {
            /// Shaft speed per unit of command.
            speed_per_command_rad_s: f64 [positive] = 1.0,
            /// Pairs of J and KT, rising J.
            kt: Vec<[f64; 2]> [not_empty],
            /// Pairs of J and KQ, rising J.
            kq: Vec<[f64; 2]> [not_empty],
            /// Inflow over the speed through the water, 1 - w.
            wake_factor: f64 [positive] = 1.0,
            /// Speed through the water that the inflow goes by.
            inflow: InflowFile = InflowFile::Axial,
            /// Thrust on the hull over thrust of the propeller, 1 - t.
            thrust_factor: f64 [positive] = 1.0,
            /// Part of the torque that turns the hull.
            torque_fraction: f64 [fraction] = 1.0,
        },
        /// Rotor in air: thrust grows with the square of the shaft speed, its torque is `torque_per_thrust_m` times that.
        Rotor = "rotor" {
            /// Shaft speed per unit of command, unless that is newtons.
            speed_per_command_rad_s: f64 [positive] = 1.0,
            /// Thrust over n|n| [N s2/rad2].
            thrust: f64 [positive],
            /// Loss of thrust over shaft speed times speed along the axis [N s2/(rad m)].
            inflow_loss: f64 [non_negative] = 0.0,
            /// Drag across the axis over shaft speed times speed across it [N s2/(rad m)].
            drag: f64 [non_negative] = 0.0,
            /// Moment across the axis over shaft speed times speed across it [N s2/rad].
            rolling: f64 [non_negative] = 0.0,
            /// Inertia of rotor and motor about the axis.
            inertia_kg_m2: f64 [non_negative] = 0.0,
            /// Density of the air that the figures hold for.
            air_density_kg_m3: f64 [positive] = 1.225,
            /// Whether it feels ground and water under it.
            ground_effect: bool = true,
        },
    }
}

fieldless_choice! {
    /// What a propeller's inflow goes by.
    pub enum InflowFile {
        /// The speed of the propeller along its axis.
        Axial = "axial",
        /// The magnitude of the velocity of its link's origin, as in Fossen's models of torpedo-shaped vehicles.
        Total = "total",
    }
}

choice! {
    /// A linear lag: on the thrust for static curves, on the shaft speed for propellers.
    pub enum LagFile {
        /// None.
        None = "none",
        /// First order.
        First = "first_order" {
            /// Time constant.
            time_constant_s: f64 [positive],
        },
        /// First order with two time constants.
        UpDown = "up_down" {
            /// Time constant while the shaft speed, or thrust, grows.
            up_s: f64 [positive],
            /// Time constant while it falls.
            down_s: f64 [positive],
        },
        /// Second order.
        Second = "second_order" {
            /// Natural frequency.
            natural_frequency_rad_s: f64 [positive],
            /// Damping ratio.
            damping_ratio: f64 [positive],
        },
        /// A transfer function of order 1 to 3, highest power first.
        Transfer = "transfer_function" {
            /// Numerator.
            numerator: Vec<f64> [not_empty],
            /// Denominator.
            denominator: Vec<f64> [not_empty],
        },
    }
}

spec! {
    /// A sensor: where it is, and which.
    pub struct SensorFile {
        /// The sensor: a name in `params/sensors`, a file, or a map.
        device: Device,
        /// Link it is mounted on.
        link: String [frame] = "base_link".to_string(),
        /// Its place on the link (forward, left, up).
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Roll, pitch, yaw of its frame on the link.
        attitude_deg: [f64; 3] = [0.0, 0.0, 0.0],
        /// Samples per second; the device's own if not given.
        rate_hz: Option<f64> [in 0.00027..=1000000.0],
        /// First sample at this time.
        start_s: f64 [non_negative] = 0.0,
        /// Thruster that it tells of; of motor telemetry.
        thruster: Option<String> [name],
        /// Whether frames of a sensor that looks around are worked out only while somebody subscribes or records.
        lazy: bool = true,
        /// How its topics are offered to subscribers.
        qos: QosFile => "{}",
        /// Sensors that help it, if it is an `ins`.
        aids: Option<AidsFile>,
    }
}

spec! {
    /// Quality of service of a sensor's topics, in ROS's terms.
    pub struct QosFile {
        /// Whether lost messages are sent again; who asks for `reliable` does not hear what is offered as `best_effort`.
        reliability: ReliabilityFile = ReliabilityFile::Reliable,
        /// Messages that are kept for subscribers that are behind.
        depth: u32 [in 1.0..=1000.0] = 10,
    }
}

fieldless_choice! {
    /// Whether lost messages are sent again.
    pub enum ReliabilityFile {
        /// They are, while they are kept.
        Reliable = "reliable",
        /// Each is sent once.
        BestEffort = "best_effort",
    }
}

spec! {
    /// A sensor as made.
    pub struct Device {
        /// What it is.
        description: String = String::new(),
        /// Where the figures come from.
        source: String [not_empty],
        /// Figures that are from memory or guessed, and why.
        estimated: String = String::new(),
        /// Samples per second, at least one an hour.
        rate_hz: f64 [in 0.00027..=1000000.0],
        /// Highest rate of the device.
        max_rate_hz: Option<f64> [positive],
        /// From measurement to delivery.
        latency_s: f64 [in 0.0..=60.0] = 0.0,
        /// Part of the samples that are lost.
        drop_out: f64 [fraction] = 0.0,
        /// Power that it draws.
        power_w: f64 [non_negative] = 0.0,
        ..measures: Measures,
    }
}

choice! {
    /// What a sensor measures.
    pub enum Measures {
        /// Angular velocity, proper acceleration, and attitude if `attitude_std_deg` is given.
        Imu = "imu" {
            /// Gyro [rad/s].
            gyro: NoiseFile => "{}",
            /// Accelerometer [m/s2].
            accelerometer: NoiseFile => "{}",
            /// Standard deviation of roll, pitch and yaw.
            attitude_std_deg: Option<[f64; 3]> [non_negative],
        },
        /// Attitude by a filter over gyro, accelerometer and magnetometer.
        Ahrs = "ahrs" (AhrsFile),
        /// Position, velocity and attitude by inertial navigation.
        Ins = "ins" (InsFile),
        /// Satellite position.
        Gnss = "gnss" (GnssFile),
        /// Heading from two antennas of satellite receivers.
        GnssHeading = "gnss_heading" (GnssHeadingFile),
        /// Velocity over the bottom or through the water.
        Dvl = "dvl" {
            /// Angle of the beams from the axis.
            beam_angle_deg: f64 [in 1.0..=60.0],
            /// Azimuths of the four beams from x, counter-clockwise.
            beam_azimuths_deg: [f64; 4] = [45.0, 135.0, -135.0, -45.0],
            /// Standard deviation of a beam's velocity over the bottom.
            bottom_std_m_s: f64 [non_negative],
            /// Standard deviation of a beam's velocity through the water.
            water_std_m_s: f64 [non_negative] = 0.0,
            /// Scale error, standard deviation.
            scale_std_percent: f64 [non_negative] = 0.0,
            /// Standard deviation of a beam's range.
            range_std_m: f64 [non_negative] = 0.0,
            /// Least and largest altitude for bottom lock.
            altitude_m: [f64; 2] [non_negative],
            /// Nearest and farthest edge of the water-track layer; without it no water track.
            water_layer_m: Option<[f64; 2]> [non_negative],
            /// Largest speed along a beam.
            max_beam_speed_m_s: f64 [positive] = 10.0,
            /// Step of the velocity reading.
            resolution_m_s: f64 [non_negative] = 0.0,
            /// Chance that a beam is lost at the largest altitude.
            beam_loss: f64 [fraction] = 0.0,
            /// How often it pings by its altitude, from the lowest up, `rate_hz` at most; without them always `rate_hz`.
            range_modes: Vec<RangeModeFile> = Vec::new(),
            /// Pings a second while it tracks the water; without it those of a search.
            water_rate_hz: Option<f64> [positive],
            /// Pings a second while it has neither bottom nor water; without it those of the slowest mode.
            search_rate_hz: Option<f64> [positive],
        },
        /// Absolute pressure [Pa].
        Pressure = "pressure" {
            /// Errors [Pa].
            errors: NoiseFile => "{}",
        },
        /// Magnetic flux density [T].
        Magnetometer = "magnetometer" {
            /// Errors [T].
            errors: NoiseFile => "{}",
        },
        /// Distance to the bottom along the sensor's x axis [m].
        Altimeter = "altimeter" {
            /// Errors [m].
            errors: NoiseFile => "{}",
            /// Least range.
            min_range_m: f64 [non_negative],
            /// Largest range.
            max_range_m: f64 [positive],
            /// Full beam width.
            beam_width_deg: f64 [positive] = 10.0,
        },
        /// Ground truth.
        Odometry = "odometry",
        /// One quantity of the water where it is.
        Probe = "probe" (ProbeFile),
        /// Conductivity, temperature and pressure of the water, and what follows from them.
        Ctd = "ctd" (CtdFile),
        /// Water in bottles.
        WaterSampler = "water_sampler" (WaterSamplerFile),
        /// Pressure of the air.
        Barometer = "barometer" (BarometerFile),
        /// Wind as the mast feels it.
        Anemometer = "anemometer" (AnemometerFile),
        /// Water in the hull.
        LeakDetector = "leak_detector" (LeakDetectorFile),
        /// What the motor controller of a thruster tells.
        MotorTelemetry = "motor_telemetry" (MotorTelemetryFile),
        /// Voltage, current and charge of the battery.
        PowerMeter = "power_meter" (PowerMeterFile),
        /// Distances by a laser that scans in a plane.
        Laser = "laser" (LaserFile),
        /// Distances by a laser that scans in a plane, nodded by a unit; all of them together once to and fro.
        TiltingLaser = "tilting_laser" (TiltingLaserFile),
        /// Pictures.
        Camera = "camera" (CameraFile),
        /// Points by a laser that scans on several cones.
        Lidar = "lidar" (LidarFile),
        /// Pictures by a sonar that looks ahead.
        ImagingSonar = "imaging_sonar" (ImagingSonarFile),
        /// Profiles of the bottom by a sonar with many beams.
        Multibeam = "multibeam" (MultibeamFile),
        /// Lines to port and starboard by a towed or mounted sonar.
        SideScan = "side_scan" (SideScanFile),
        /// Lines by a sonar with one beam that turns.
        ScanningSonar = "scanning_sonar" (ScanningSonarFile),
        /// Bearings and ranges of pingers.
        Hydrophone = "hydrophone" (HydrophoneFile),
        /// Places of transponders, by an ultra-short base line.
        Usbl = "usbl" (UsblFile),
        /// Its own place, by a long base line of transponders.
        Lbl = "lbl" (LblFile),
        /// Places of locators, by a short base line of receivers.
        Sbl = "sbl" (SblFile),
        /// Boxes about obstacles.
        ObstacleDetector = "obstacle_detector" (DetectorFile),
        /// Sectors of echoes of a radar whose antenna turns.
        Radar = "radar" (RadarFile),
        /// Sentences of the Automatic Identification System.
        AisReceiver = "ais_receiver" (AisReceiverFile),
        /// Force and torque through the joint of the link that it is mounted on.
        Wrench = "wrench" {
            /// Force [N].
            force: NoiseFile => "{}",
            /// Torque [N m].
            torque: NoiseFile => "{}",
            /// Whose wrench it is.
            direction: WrenchDirection = WrenchDirection::ChildToParent,
        },
    }
}

spec! {
    /// A range mode of a DVL.
    pub struct RangeModeFile {
        /// Least and largest altitude. Where two modes share altitudes, the middle of these parts them.
        altitude_m: [f64; 2] [non_negative],
        /// Pings a second.
        rate_hz: f64 [positive],
    }
}

fieldless_choice! {
    /// Which side of a joint exerts the wrench that is measured.
    pub enum WrenchDirection {
        /// What the child exerts on the parent: a load that hangs on it pulls down.
        ChildToParent = "child_to_parent",
        /// What the parent exerts on the child.
        ParentToChild = "parent_to_child",
    }
}

spec! {
    /// How a measurement errs, in the unit of the measurement.
    pub struct NoiseFile {
        /// White noise density [unit/sqrt(Hz)].
        density: f64 [non_negative] = 0.0,
        /// Bias instability B [unit]; the Allan deviation's floor is 0.664 B.
        bias_instability: f64 [non_negative] = 0.0,
        /// Correlation time of the bias instability.
        bias_correlation_time_s: f64 [positive] = 100.0,
        /// Random walk K [unit/sqrt(s)].
        random_walk: f64 [non_negative] = 0.0,
        /// Turn-on bias, standard deviation [unit].
        turn_on_bias_std: f64 [non_negative] = 0.0,
        /// Scale error, standard deviation.
        scale_std_percent: f64 [non_negative] = 0.0,
        /// Misalignment of each axis, standard deviation.
        misalignment_std_deg: f64 [non_negative] = 0.0,
        /// Step of the reading [unit].
        resolution: f64 [non_negative] = 0.0,
        /// Full scale [unit].
        full_scale: Option<f64> [positive],
    }
}

spec! {
    /// A tether or mooring line between two ends.
    pub struct TetherFile {
        /// What it is made of: a name in `params/lines`, a file, or a map.
        line: LineFile,
        /// Where it begins.
        from: EndFile,
        /// Where it ends.
        to: EndFile,
        /// Unstretched length.
        length_m: f64 [positive],
        /// Pieces it is cut into.
        segments: u32 [in 2.0..=2000.0] = 20,
        /// How it is computed.
        method: LineModelFile = LineModelFile::Lumped,
        /// A winch at one of its ends.
        winch: Option<WinchFile>,
    }
}

fieldless_choice! {
    /// How a line is computed.
    pub enum LineModelFile {
        /// Masses at nodes, with inertia, drag, slack and the bottom.
        Lumped = "lumped",
        /// The elastic catenary of the moment, without inertia and drag.
        Catenary = "catenary",
    }
}

choice! {
    /// An end of a line.
    pub enum EndFile {
        /// A fixed place.
        World = "world" {
            /// The place (east, north, up).
            position_m: [f64; 3],
            /// Direction in which the line leaves it, as from a clamp; of a line with bending stiffness.
            direction: Option<[f64; 3]>,
        },
        /// A place on the bottom.
        Seabed = "seabed" {
            /// The place (east, north).
            position_m: [f64; 2],
        },
        /// A point of a robot.
        Robot = "robot" {
            /// The robot; a copy of a grid by its own name, such as `rov_3`.
            robot: String [name],
            /// Its link.
            link: String [name] = "base_link".to_string(),
            /// Where on the link (forward, left, up).
            position_m: [f64; 3] = [0.0, 0.0, 0.0],
        },
        /// A loose end.
        Free = "free" {
            /// Where it starts (east, north, up).
            position_m: [f64; 3],
        },
    }
}

spec! {
    /// A line as made, per metre of unstretched length.
    pub struct LineFile {
        /// What it is.
        description: String = String::new(),
        /// Where the figures come from.
        source: String [not_empty],
        /// Figures that are guessed, and why.
        estimated: String = String::new(),
        /// Outer diameter.
        diameter_m: f64 [positive],
        /// Mass in air.
        mass_kg_m: f64 [positive],
        /// Axial stiffness EA: tension per strain.
        axial_stiffness_n: f64 [positive],
        /// Axial damping: tension per strain rate.
        axial_damping_n_s: f64 [non_negative] = 0.0,
        /// Bending stiffness EI: moment per curvature. With it the line bears compression too, and gives way by buckling.
        bending_stiffness_nm2: f64 [non_negative] = 0.0,
        /// Tension at which the line parts; without it never.
        breaking_load_n: Option<f64> [positive],
        /// Drag coefficient across, on the diameter.
        normal_drag: f64 [non_negative] = 1.2,
        /// Drag coefficient along, on the circumference.
        tangential_drag: f64 [non_negative] = 0.01,
        /// Added-mass coefficient across.
        added_mass: f64 [non_negative] = 1.0,
        /// Stiffness of the bottom per length of line; without it the line sinks in by a tenth of its diameter.
        seabed_stiffness_n_m2: Option<f64> [positive],
        /// Coulomb friction on the bottom.
        seabed_friction: f64 [non_negative] = 0.5,
    }
}

spec! {
    /// A winch.
    pub struct WinchFile {
        /// The end of the line at which it stands.
        stands_at: LineEnd = LineEnd::From,
        /// Largest speed of paying out and heaving in.
        max_speed_m_s: f64 [positive],
        /// Largest change of speed.
        max_acceleration_m_s2: f64 [positive] = 1.0,
        /// Tension above which the turning drum slips; without it never.
        max_pull_n: Option<f64> [positive],
        /// Tension above which the braked drum slips; without it never.
        brake_n: Option<f64> [positive],
        /// Shortest unstretched length.
        min_length_m: f64 [positive] = 1.0,
        /// Length of line on the drum and out; without it the length at the start.
        max_length_m: Option<f64> [positive],
        /// Power of the line that is heaved in over electrical power, where the robot that carries the winch has a battery; a common worm gear has 0.5.
        efficiency: f64 [in 0.01..=1.0] = 0.5,
        /// Power while it turns nothing, from the same battery.
        standby_w: f64 [non_negative] = 0.0,
    }
}

fieldless_choice! {
    /// An end of a line by its key.
    pub enum LineEnd {
        /// Where it begins.
        From = "from",
        /// Where it ends.
        To = "to",
    }
}
