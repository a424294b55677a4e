//! What cannot change during a run: bodies, joints, actuators, sensors, the sea. Built once by `world`.

pub mod coupling;
pub mod fault;
pub mod robot;
pub mod sea;
pub mod sensor;
pub mod tether;
pub mod texture;

pub use crate::scene::coupling::{Coupling, CouplingEnd, CouplingKind, Funnel, Latch, Strength};
pub use crate::scene::fault::{Fault, FaultKind};
pub use crate::scene::robot::actuator::{JointGroup, KeepOut, Servo, TrajectoryRules};
pub use crate::scene::robot::battery::Battery;
pub use crate::scene::robot::body::{Damping, Derivative, Hull, Link};
pub use crate::scene::robot::buoyancy_engine::Ballast;
pub use crate::scene::robot::collision::{Collider, Geometry, Material, Structure};
pub use crate::scene::robot::energy::{Charger, Load, Solar};
pub use crate::scene::robot::fin::{Fin, FinLaw};
pub use crate::scene::robot::joint::{Drive, Joint, JointKind, JointMode};
pub use crate::scene::robot::thruster::{CommandUnit, Curve, Thruster};
pub use crate::scene::sea::flow::{Flow, FlowLaw};
pub use crate::scene::sea::waves::{SeaState, Spectrum, Spreading, WaveField, Waves};
pub use crate::scene::sea::{Current, Origin, Sea, Seabed};
pub use crate::scene::sensor::{Sensor, SensorKind};
pub use crate::scene::tether::{End, Line, LineModel, Tether, Winch};

use merrow_math::spatial::Factor;
use merrow_math::{Mat3, SpatialInertia, Vec3};

/// How time is stepped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrator {
    /// Classical fourth-order Runge-Kutta.
    Rk4,
    /// Semi-implicit (symplectic) Euler: velocities first, then positions with the new velocities.
    SemiImplicit,
}

/// The whole world.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name of the world.
    pub name: String,
    /// Seed of every random stream.
    pub seed: u64,
    /// Step [ns].
    pub dt_ns: u64,
    /// How time is stepped.
    pub integrator: Integrator,
    /// Gravity [m/s²], downwards.
    pub gravity: f64,
    /// The water and what bounds it.
    pub sea: Sea,
    /// Where the world's origin lies on the Earth.
    pub origin: Origin,
    /// The robots, in the order of the world file.
    pub robots: Vec<Robot>,
    /// What stands in the world and can be touched, beside the seabed.
    pub structures: Vec<Structure>,
    /// Surface of the seabed.
    pub seabed_material: Material,
    /// What holds bodies together, or can.
    pub couplings: Vec<Coupling>,
    /// Tethers and mooring lines, in the order of the world file.
    pub tethers: Vec<Tether>,
    /// Chargers, in the order of the world file.
    pub chargers: Vec<Charger>,
    /// Faults that the world file schedules.
    pub faults: Vec<Fault>,
    /// Beacons, in the order of the world file.
    pub beacons: Vec<crate::scene::sensor::acoustic::Beacon>,
    /// Boxes that detectors without echoes tell of, in the order of the world file.
    pub obstacles: Vec<crate::scene::sensor::obstacle::Obstacle>,
    /// Transponders of the Automatic Identification System, in the order of the world file.
    pub ais: Vec<crate::scene::sensor::ais::Transponder>,
}

impl Scene {
    /// Step [s].
    pub fn dt(&self) -> f64 {
        self.dt_ns as f64 * 1e-9
    }
}

/// One robot: a tree of links with actuators and sensors.
#[derive(Clone, Debug)]
pub struct Robot {
    /// Name; prefix of its topics and frames.
    pub name: String,
    /// Name of the model it was made from.
    pub model: String,
    /// True if link 0 is free to move; false if it is held in the world.
    pub floating: bool,
    /// Links, parents before children; link 0 is the base.
    pub links: Vec<Link>,
    /// Frames of fixed links that were merged into others.
    pub attached: Vec<Attached>,
    /// Actuators that push on the water.
    pub thrusters: Vec<Thruster>,
    /// Fins, rudders and planes.
    pub fins: Vec<Fin>,
    /// Buoyancy engines.
    pub ballasts: Vec<Ballast>,
    /// Tethers whose winches it carries, by name.
    pub winches: Vec<String>,
    /// Thruster manager; none for a robot without thrusters.
    pub manager: Option<Manager>,
    /// Sensors.
    pub sensors: Vec<Sensor>,
    /// Battery, if it has one; without one everything has all the power that it asks for.
    pub battery: Option<Battery>,
    /// Devices that draw power and do nothing else.
    pub loads: Vec<Load>,
    /// Lamps.
    pub lamps: Vec<crate::scene::sensor::camera::Lamp>,
    /// Solar panels.
    pub solar: Vec<Solar>,
    /// Joints that are commanded together.
    pub joint_groups: Vec<JointGroup>,
    /// How their trajectories are judged.
    pub trajectory_rules: TrajectoryRules,
    /// What the arms' controller keeps them out of, if it does.
    pub keep_out: Option<KeepOut>,
    /// True if a joint has a servo.
    pub servos: bool,
    /// Shapes that touch things; none: the robot passes through everything.
    pub colliders: Vec<Collider>,
    /// Shapes that cameras and lasers see instead; none: they see those that touch things.
    pub visuals: Vec<Collider>,
    /// Links whose wrench of contacts is published.
    pub contact_wrenches: Vec<usize>,
    /// True if links of this robot that are not neighbours may touch each other.
    pub self_collision: bool,
    /// Where and how it starts.
    pub start: Start,
    /// LDLᵀ factor of the base's inertia when nothing can change it (no joints): saves a factoring a stage.
    pub base_factor: Option<Factor>,
    /// True if a thruster feels its inflow, so that it must be found at every stage.
    pub inflow: bool,
    /// What its own computer runs, if anything.
    pub firmware: Option<crate::scene::robot::firmware::Firmware>,
    /// True if it has rotors in air.
    pub rotors: bool,
    /// Links whose joints follow others.
    pub mimics: Vec<usize>,
}

impl Robot {
    /// Number of joints (links after the base).
    pub fn n_joints(&self) -> usize {
        self.links.len() - 1
    }
    /// Index of the link called `name`.
    pub fn link_index(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|l| l.name == name)
    }
    /// Fills what is derived from the rest; called once the links are complete.
    pub fn finish(&mut self) {
        let alone = self.links.len() == 1 && self.floating && self.links[0].wet;
        self.servos = self.links[1..].iter().any(|l| l.joint.servo().is_some());
        self.mimics = (0..self.links.len())
            .filter(|i| self.links[*i].joint.mimic.is_some())
            .collect();
        self.inflow = self
            .thrusters
            .iter()
            .any(|t| matches!(t.curve, Curve::OpenWater(_)));
        self.rotors = self.thrusters.iter().any(|t| t.rotor().is_some());
        self.base_factor = alone.then(|| Factor::new(&self.links[0].total));
    }
    /// Longest way from the base's origin to that of a link, for any position of the joints [m].
    pub fn longest_way(&self, link: usize) -> f64 {
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
    /// Mass of all links without added mass [kg].
    pub fn mass(&self) -> f64 {
        self.links.iter().map(|l| l.mass).sum()
    }
}

/// A named frame fixed to a link.
#[derive(Clone, Debug)]
pub struct Attached {
    /// Name, as published in frame ids.
    pub name: String,
    /// Link it is part of.
    pub link: usize,
    /// Its place in that link's user frame U [m].
    pub p_UoA_U: Vec3,
    /// Its axes in U.
    pub R_UA: Mat3,
}

/// Initial condition of a robot.
#[derive(Clone, Debug)]
pub struct Start {
    /// Base origin in the world (ENU) [m].
    pub p_WB: Vec3,
    /// Roll, pitch, yaw of the base in the world [rad].
    pub rpy: [f64; 3],
    /// Linear velocity of the base, expressed in the base frame [m/s].
    pub v_WB_B: Vec3,
    /// Angular velocity of the base, expressed in the base frame [rad/s].
    pub w_WB_B: Vec3,
    /// Joint positions [rad or m].
    pub q: Vec<f64>,
}

/// Wrench allocation over the thrusters of one robot.
#[derive(Clone, Debug)]
pub struct Manager {
    /// Thrusts for a unit wrench: one row [fx fy fz mx my mz] per thruster, from the pseudo-inverse of the geometry.
    pub allocation: Vec<[f64; 6]>,
    /// Seconds without a command after which all thrusters are set to zero; none: the last command holds.
    pub timeout_s: Option<f64>,
}

/// Smallest eigenvalue of a 6x6 inertia; positive for a body that can exist.
pub fn smallest_eigenvalue(inertia: &SpatialInertia) -> f64 {
    let m = inertia.to_matrix();
    nalgebra::SMatrix::<f64, 6, 6>::from_fn(|i, j| m[i][j])
        .symmetric_eigenvalues()
        .min()
}
