//! Immutable description of the world: bodies, joints, actuators, sensors, the sea. The
//! `merrow-world` crate builds it once.

pub mod autopilot;
pub mod comms;
pub mod computer;
pub mod correspondence;
pub mod coupling;
pub mod fault;
pub mod fault_devices;
pub mod identity;
pub mod map;
pub mod moos;
pub mod nanoseconds;
pub mod robot;
pub mod schedule;
pub mod sea;
pub mod serial;
pub mod shared;
pub mod tether;
pub mod texture;

pub use crate::scene::correspondence::Correspondence;
pub use crate::scene::coupling::{Coupling, CouplingEnd, CouplingKind, Funnel, Latch};
pub use crate::scene::fault::{Fault, FaultKind};
pub use crate::scene::robot::actuator::{JointGroup, KeepOut, Servo, TrajectoryRules};
pub use crate::scene::robot::battery::Battery;
pub use crate::scene::robot::body::{Damping, Derivative, Hull, Link};
pub use crate::scene::robot::buoyancy_engine::BuoyancyEngine;
pub use crate::scene::robot::collision::{Collider, Geometry, Material, Primitive, Structure};
pub use crate::scene::robot::energy::{Charger, Load, Solar};
pub use crate::scene::robot::fin::{Fin, FinLaw};
use crate::scene::robot::firmware::FirmwareLaw;
pub use crate::scene::robot::joint::{Drive, Joint, JointKind, JointMode};
pub use crate::scene::robot::thruster::{CommandUnit, Curve, Thruster};
pub use crate::scene::sea::flow::{Flow, FlowLaw};
pub use crate::scene::sea::waves::{SeaState, Spectrum, Spreading, WaveField, Waves};
pub use crate::scene::sea::{Current, Origin, Sea, Seabed};
pub use crate::scene::shared::Shared;
pub use crate::scene::tether::{Line, LineEnd, LineModel, Tether, TetherEnd, Winch};
pub use crate::sensor::kinds::{Sensor, SensorKind};
use std::sync::Arc;

use merrow_math::spatial::Factor;
use merrow_math::{Mat3, SpatialInertia, Vec3};
use merrow_yaml::spec::spec;

spec! {
    /// Integrator of the equations of motion.
    pub enum Integrator words {
        /// Classical Runge-Kutta method of order 4.
        Rk4 = "rk4",
        /// Semi-implicit Euler method of order 1.
        SemiImplicit = "semi_implicit",
    }
}

/// Immutable description of the whole world.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name of the world.
    pub name: String,
    /// Seed of all random number streams.
    pub seed: u64,
    /// Time step of the integration [ns].
    pub dt_ns: u64,
    /// Simulated time at which the run starts [ns], a multiple of `dt_ns`.
    pub start_ns: u64,
    /// Time integration method of the run.
    pub integrator: Integrator,
    /// Magnitude of gravity, directed downwards [m/s²].
    pub gravity: f64,
    /// Water, air and seabed.
    pub sea: Sea,
    /// Position of the world origin on the Earth.
    pub origin: Origin,
    /// The robots, in the order of the world file.
    pub robots: Vec<Robot>,
    /// Static objects with collision shapes, other than the seabed.
    pub structures: Vec<Structure>,
    /// Surface material of the seabed.
    pub seabed_material: Material,
    /// Couplings between bodies, engaged or not.
    pub couplings: Vec<Coupling>,
    /// Tethers and mooring lines, in the order of the world file.
    pub tethers: Vec<Tether>,
    /// Chargers, in the order of the world file.
    pub chargers: Vec<Charger>,
    /// Faults that the world file schedules.
    pub faults: Vec<Fault>,
    /// Commands that the world file schedules, sorted by time.
    pub schedule: Vec<crate::scene::schedule::ScheduledCommand>,
    /// Beacons, in the order of the world file.
    pub beacons: Vec<crate::sensor::acoustic::Beacon>,
    /// Obstacles for detectors without a sensor, in the order of the world file.
    pub obstacles: Vec<crate::sensor::obstacle::Obstacle>,
    /// Modems: the modems of each robot in the order of the robots, then the fixed modems.
    pub modems: Vec<crate::scene::comms::Modem>,
    /// Topics that modems transmit between robots.
    pub bridges: Vec<crate::scene::comms::bridge::Bridge>,
    /// Services that modems transmit between robots.
    pub service_bridges: Vec<crate::scene::comms::bridge::ServiceBridge>,
    /// Task of the world, if any.
    pub task: Option<Arc<merrow_tasks::Task>>,
    /// AIS transponders, in the order of the world file.
    pub ais: Vec<crate::sensor::ais::Transponder>,
    /// Settings of the published occupancy grid; `None`: none is published.
    pub map: Option<crate::scene::map::OccupancyMap>,
}

impl Scene {
    /// Returns the time step [s].
    #[inline]
    pub fn dt(&self) -> f64 {
        self.dt_ns as f64 * 1e-9
    }

    /// Returns the structure that contains a point in W [m]. The inside of meshes is not known.
    pub fn structure_at(&self, p: Vec3) -> Option<&Structure> {
        let mut structures = self.structures.iter();
        structures.find(|structure| structure.colliders.iter().any(|shape| shape.contains(p)))
    }
}

/// Robot: a tree of links with actuators and sensors.
#[derive(Clone, Debug, Default)]
pub struct Robot {
    /// Name; prefix of its topics and frames.
    pub name: String,
    /// Namespace of its topics and services, before its name; empty for the namespace of the node.
    pub namespace: String,
    /// Simulator whose names its topics have; `None`: Merrow's own names.
    pub profile: Option<crate::scene::robot::profile::Profile>,
    /// Route along which it moves by itself, if it is an actor.
    pub route: Option<Arc<crate::scene::robot::route::Route>>,
    /// Name of its model.
    pub model: String,
    /// True if link 0 moves freely; false if it is fixed in the world.
    pub floating: bool,
    /// Links, parents before children; link 0 is the base.
    pub links: Shared<Vec<Link>>,
    /// Frames of fixed links that were merged into others.
    pub attached: Vec<AttachedFrame>,
    /// Thrusters and rotors of the robot.
    pub thrusters: Shared<Vec<Thruster>>,
    /// Fins, rudders, planes, sails and azimuth servos.
    pub fins: Shared<Vec<Fin>>,
    /// Buoyancy engines of the robot.
    pub buoyancy_engines: Vec<BuoyancyEngine>,
    /// Names of the tethers whose winches it carries.
    pub winches: Vec<String>,
    /// Thrust allocation; `None` for a robot without thrusters.
    pub allocation: Option<ThrustAllocation>,
    /// Sensors of the robot.
    pub sensors: Vec<Sensor>,
    /// Battery; `None`: power is unlimited.
    pub battery: Option<Battery>,
    /// Electrical loads that are not modelled otherwise.
    pub loads: Vec<Load>,
    /// Lamps of the robot.
    pub lamps: Vec<crate::sensor::camera::Lamp>,
    /// Solar panels of the robot.
    pub solar_panels: Vec<Solar>,
    /// Groups of joints that are commanded together.
    pub joint_groups: Vec<JointGroup>,
    /// Tolerances and options for trajectory goals.
    pub trajectories: TrajectoryRules,
    /// Regions that the arm controller keeps the arms out of, if any.
    pub keep_out: Option<KeepOut>,
    /// True if any joint has a servo.
    pub servos: bool,
    /// Collision shapes; empty: the robot has no contacts.
    pub colliders: Vec<Collider>,
    /// Shapes for cameras, lasers and sonars; empty: the collision shapes are used.
    pub visuals: Vec<Collider>,
    /// Links whose contact wrench is published.
    pub contact_wrenches: Vec<usize>,
    /// True if non-adjacent links of this robot can collide.
    pub self_collision: bool,
    /// Initial condition of the robot.
    pub start: Start,
    /// Factorisation of the base inertia if it is constant (no joints). It saves one factorisation
    /// per integration stage.
    pub base_factor: Option<Factor>,
    /// True if any thruster is an open-water propeller, whose thrust must be evaluated at every
    /// integration stage.
    pub inflow: bool,
    /// Stock firmware of the robot, if any.
    pub firmware: Option<crate::scene::robot::firmware::Firmware>,
    /// Computers of the robot, if their delays are simulated.
    pub onboard: Option<Box<crate::scene::computer::OnboardComputers>>,
    /// External autopilot program that controls the robot, if any.
    pub autopilot: Option<Box<crate::scene::autopilot::Autopilot>>,
    /// MAVLink telemetry to a ground station, if any.
    pub mavlink: Option<crate::scene::autopilot::MavlinkTelemetry>,
    /// Connection to a community of MOOS, if any.
    pub moos: Option<Box<crate::scene::moos::Moos>>,
    /// Serial feed of its own computer, if any.
    pub serial: Option<Box<crate::scene::serial::SerialFeed>>,
    /// True if it has rotors in air.
    pub rotors: bool,
    /// Links with mimic joints.
    pub mimics: Vec<usize>,
}

impl Robot {
    /// Returns true if wheels or rotors carry the robot, instead of the water.
    pub fn is_carried(&self) -> bool {
        self.firmware.as_ref().is_some_and(|firmware| {
            matches!(
                firmware.law,
                FirmwareLaw::Multirotor(_) | FirmwareLaw::DifferentialDrive(_)
            )
        })
    }

    /// Returns the name of a topic or service with the namespace of the robot. An absolute name has
    /// no namespace.
    pub fn in_namespace(&self, name: &str) -> String {
        if self.namespace.is_empty() || name.starts_with('/') {
            name.to_string()
        } else {
            format!("{}/{name}", self.namespace)
        }
    }

    /// Returns the number of joints (links after the base).
    #[inline]
    pub fn n_joints(&self) -> usize {
        self.links.len() - 1
    }
    /// Shares the parts of `other` that are equal, so that a fleet of one model stores them once.
    pub fn share_parts(&mut self, other: &Self) {
        self.links.unite(&other.links);
        self.thrusters.unite(&other.thrusters);
        self.fins.unite(&other.fins);
    }
    /// Returns the index of the link `name`; `None` if the robot has no link of this name.
    pub fn link_index(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|l| l.name == name)
    }
    /// Finds the frame of a link by its name, also of a link that was merged into another.
    /// [`BASE_LINK`] is the base unless another link has this name.
    pub fn find_frame(&self, name: &str) -> Option<LinkFrame> {
        let own = |link: usize| LinkFrame {
            link,
            R_LF: self.links[link].R_LU,
            p_LoF: Vec3::zero(),
        };
        let attached = || {
            let frame = self.attached.iter().find(|frame| frame.name == name)?;
            let R_LU = &self.links[frame.link].R_LU;
            Some(LinkFrame {
                link: frame.link,
                R_LF: R_LU.mul_mat(&frame.R_UA),
                p_LoF: R_LU.mul_vec(frame.p_UoA_U),
            })
        };
        let base = || (name == BASE_LINK).then(|| own(0));
        self.link_index(name)
            .map(own)
            .or_else(attached)
            .or_else(base)
    }
    /// Returns the names of the links and of the links that were merged into them.
    pub fn frame_names(&self) -> impl Iterator<Item = &str> + Clone {
        let links = self.links.iter().map(|link| link.name.as_str());
        links.chain(self.attached.iter().map(|frame| frame.name.as_str()))
    }
    /// Computes the derived fields. Call it once the links are complete.
    pub fn update_derived(&mut self) {
        let alone = self.links.len() == 1 && self.floating && self.links[0].wet;
        self.servos = self.links[1..].iter().any(|l| l.joint.servo().is_some());
        self.mimics = (0..self.links.len())
            .filter(|i| self.links[*i].joint.mimic.is_some())
            .collect();
        self.inflow = self
            .thrusters
            .iter()
            .any(|t| matches!(t.motor.curve, Curve::OpenWater(_)));
        self.rotors = self.thrusters.iter().any(|t| t.rotor().is_some());
        self.base_factor = alone.then(|| Factor::new(&self.links[0].total));
    }
    /// Returns an upper bound of the distance from the base origin to the origin of `link`, for all
    /// joint positions [m].
    pub fn max_link_distance(&self, link: usize) -> f64 {
        let (mut sum, mut l) = (0.0, link);
        while let Some(parent) = self.links[l].parent {
            let joint = &self.links[l].joint;
            sum += joint.p_PoCo0.norm();
            if joint.kind == JointKind::Prismatic {
                sum += joint.limits[0].abs().max(joint.limits[1].abs());
            }
            l = parent;
        }
        sum
    }
    /// Returns the mass of all links without added mass [kg].
    pub fn mass(&self) -> f64 {
        self.links.iter().map(|l| l.mass_kg).sum()
    }
}

/// Name of the base link of a robot unless its file or URDF names it differently.
pub const BASE_LINK: &str = "base_link";

/// Frame F of a link, or of a link merged into it.
#[derive(Clone, Copy, Debug)]
pub struct LinkFrame {
    /// Index of the link.
    pub link: usize,
    /// Rotation of the axes of F in L.
    pub R_LF: Mat3,
    /// Origin of F in L [m].
    pub p_LoF: Vec3,
}

impl LinkFrame {
    /// Transforms a point from F to L [m].
    pub fn point(&self, p_FoQ: Vec3) -> Vec3 {
        self.p_LoF + self.R_LF.mul_vec(p_FoQ)
    }
}

/// Named frame fixed to a link.
#[derive(Clone, Debug)]
pub struct AttachedFrame {
    /// Name, as published in frame ids.
    pub name: String,
    /// Index of the link.
    pub link: usize,
    /// Position in the user frame U of that link [m].
    pub p_UoA_U: Vec3,
    /// Rotation of its axes in U.
    pub R_UA: Mat3,
}

/// Initial condition of a robot.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// Base origin in W (ENU) [m].
    pub p_WB: Vec3,
    /// Roll, pitch and yaw of the base in W [rad].
    pub rpy: [f64; 3],
    /// Linear velocity of the base in W, expressed in B [m/s].
    pub v_WB_B: Vec3,
    /// Angular velocity of the base in W, expressed in B [rad/s].
    pub w_WB_B: Vec3,
    /// Joint positions [rad or m].
    pub q: Vec<f64>,
    /// Joint velocities [rad/s or m/s].
    pub qd: Vec<f64>,
}

/// Wrench allocation to the thrusters of one robot.
#[derive(Clone, Debug)]
pub struct ThrustAllocation {
    /// Thrusts [N] for unit wrench components: one row [fx fy fz mx my mz] per thruster, from the
    /// pseudo-inverse of the geometry.
    pub matrix: Vec<[f64; 6]>,
    /// Wrench of a unit thrust of each thruster at the base origin, force first [N, N m], with the
    /// joints at zero.
    pub unit_wrenches: Vec<[f64; 6]>,
    /// True for the components of the wrench that the thrusters produce independently.
    pub independent: [bool; 6],
    /// Time without a command after which all thrusters are set to zero [s]; `None`: the last
    /// command is held.
    pub command_timeout_s: Option<f64>,
}

/// Returns the smallest eigenvalue of a 6x6 inertia in SI units. It is positive for a physically
/// possible body.
pub fn smallest_eigenvalue(inertia: &SpatialInertia) -> f64 {
    let m = inertia.to_matrix();
    nalgebra::SMatrix::<f64, 6, 6>::from_fn(|i, j| m[i][j])
        .symmetric_eigenvalues()
        .min()
}
