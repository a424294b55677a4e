//! Derived data of one robot, overwritten by every evaluation. Each field says who computes it, from what.

use crate::scene::{Link, Robot};
use crate::state::Motion;
use crate::state::wave_tile::WaveTile;
use merrow_math::{Lanewise, Mat3, Real, SpatialForce, SpatialInertia, SpatialVelocity, Vec3};

/// Scratch of one robot (or of several copies in the lanes of `T`).
#[derive(Clone, Debug)]
pub struct Workspace<T = f64> {
    /// One per link.
    pub links: Vec<LinkWork<T>>,
    /// Joint accelerations [rad/s² or m/s²]. By `dynamics::aba`.
    pub qdd: Vec<T>,
    /// Joint efforts applied [N m or N]. By `forces::joint`.
    pub tau: Vec<T>,
    /// Thrusts' wrenches on each link at the start, middle and end of the step, in L. By `forces::thruster`.
    pub thrust: Vec<[SpatialForce<T>; 3]>,
    /// Lagged drive of each thruster at the start, middle and end of the step. By `forces::thruster`.
    pub drive: Vec<[T; 3]>,
    /// Rate of the drive of those with a lag of first order, as above [1/s]. By `forces::thruster`.
    pub drive_rate: Vec<[T; 3]>,
    /// What stands under each thruster that is a rotor. By `contact::decks`.
    pub decks: Vec<Deck>,
    /// What the beams of its DVLs and echo sounders met of other robots when they were last due, by the number of the sensor. By `sensors::others`.
    pub met: Vec<(usize, [Met; 4])>,
    /// Volumes of the buoyancy engines at the start, middle and end of the step [m³]. By `forces::ballast`.
    pub ballasts: Vec<[T; 3]>,
    /// One per fin. By `forces::fin`.
    pub fins: Vec<FinWork<T>>,
    /// One per link whose hull is a mesh, in their order. By `forces::mesh_hull`.
    pub hulls: Vec<HullWork>,
    /// What the base's own waves remember; empty without. By `forces::radiation`.
    pub memory: Memory<T>,
    /// What couplings are expected to do to each link at the start, middle and end of the step, in L; empty where there
    /// are none. By `contact::coupling`.
    pub coupled: Vec<[SpatialForce<T>; 3]>,
    /// Inertia of the water in each link's compartments, at Lo in L. By `control::fault`.
    pub flood: Vec<SpatialInertia>,
    /// True if there is any.
    pub flooded: bool,
    /// Power that winches on board draw over the step [W]. By `sim::tethers`.
    pub winch_power: f64,
    /// Velocity of the base at the start of the step, at Bo in B. By `sim`.
    pub V_start: SpatialVelocity<T>,
    /// Joint velocities at the start of the step. By `sim`.
    pub qd_start: Vec<T>,
    /// Acceleration of the base at the start of the step, at Bo in B, without what impulses do. By `sim`.
    pub A_start: SpatialVelocity<T>,
    /// Joint accelerations at the start of the step, without what impulses do. By `sim`.
    pub qdd_start: Vec<T>,
    /// Trial motion of the integrator's stages. By `dynamics::integrate`.
    pub stage: Motion<T>,
    /// What the joints' controllers find out in one pass. By `control::joints`.
    pub joints: Vec<JointWork>,
    /// Accelerations of the joints per effort of each, one row per joint; empty without servos. By `dynamics::mobility`.
    pub mobility: Vec<f64>,
    /// Joint velocities and accelerations of the four stages. By `dynamics::integrate`.
    pub slopes: [(Vec<T>, Vec<T>); 4],
}

/// Scratch of one joint's controller.
#[derive(Clone, Copy, Debug, Default)]
pub struct JointWork {
    /// True if the controller ticks in this pass.
    pub ticks: bool,
    /// Velocity that it wants [rad/s or m/s].
    pub wanted: f64,
    /// Effort that holds the robot without acceleration [N m or N]; only for those that ask for it.
    pub bias: f64,
    /// Effort on the joint over the coming step [N m or N].
    pub effort: f64,
    /// Effort of its motor [N m or N].
    pub motor_effort: f64,
    /// Position and velocity of its rotor at the end of the step.
    pub rotor: [f64; 2],
}

/// Scratch of one fin.
#[derive(Clone, Copy, Debug)]
pub struct FinWork<T = f64> {
    /// Angle at the start, middle and end of the step [rad].
    pub angle: [T; 3],
    /// Part of its area that is left, 0..1.
    pub part: T,
}

/// Memory of the base's own waves at the start of a step.
#[derive(Clone, Debug)]
pub struct Memory<T = f64> {
    /// State of each filter.
    pub start: Vec<[SpatialVelocity<T>; 2]>,
    /// Velocity of the base relative to the current, at Bo in B.
    pub V_start: SpatialVelocity<T>,
}

impl<T: Real> Memory<T> {
    fn new(robot: &Robot) -> Self {
        let n = robot.links[0]
            .radiation
            .as_ref()
            .map_or(0, |r| r.filters.len());
        Self {
            start: vec![[SpatialVelocity::zero(); 2]; n],
            V_start: SpatialVelocity::zero(),
        }
    }
}

/// Scratch of one mesh hull: lists with room for all its corners.
#[derive(Clone, Debug)]
pub struct HullWork {
    /// Depth of each corner under the surface, negative above, and the pressure there over ρ g [m].
    pub water: Vec<[f64; 2]>,
    /// What the waves add to the pressure; like the lists below up to whole groups of lanes [m].
    pub head: Vec<f64>,
    /// Places of corners in W [m].
    pub x: Vec<f64>,
    /// Towards north.
    pub y: Vec<f64>,
    /// Upwards [m].
    pub z: Vec<f64>,
    /// The surface over them [m].
    pub eta: Vec<f64>,
    /// Their stretched heights [m].
    pub stretched: Vec<f64>,
    /// The waves about it, one per lane; none where they are summed at every corner.
    pub tiles: Vec<WaveTile>,
}

impl HullWork {
    /// For `lanes` robots whose hull is the link's skin; none if it is no mesh.
    fn new(link: &Link, lanes: usize) -> Option<Self> {
        let skin = link.skin.as_deref()?;
        let zeros = || vec![0.0; skin.places[0].len()];
        let height = skin.bounds[1].z - skin.bounds[0].z;
        let tile = || WaveTile::new(link.hull.bound, height);
        let tiles = if link.sums_waves {
            Vec::new()
        } else {
            (0..lanes).map(|_| tile()).collect()
        };
        Some(Self {
            water: vec![[0.0; 2]; skin.vertices.len()],
            head: zeros(),
            x: zeros(),
            y: zeros(),
            z: zeros(),
            eta: zeros(),
            stretched: zeros(),
            tiles,
        })
    }
}

/// Scratch of one link.
#[derive(Clone, Copy, Debug)]
pub struct LinkWork<T = f64> {
    /// Child frame in the parent frame. By `kinematics`, from q.
    pub R_PC: Mat3<T>,
    /// Joint origin in the parent frame [m]. By `kinematics`, from q.
    pub p_PC: Vec3<T>,
    /// Link frame in the world. By `kinematics`, from q.
    pub R_WL: Mat3<T>,
    /// Link origin in the world [m]. By `kinematics`, from q.
    pub p_WL: Vec3<T>,
    /// Velocity at Lo in L. By `kinematics`, from q and v.
    pub V: SpatialVelocity<T>,
    /// Velocity-product acceleration of the joint in L. By `kinematics`, from q and v.
    pub c: SpatialVelocity<T>,
    /// Velocity of the water at the link, in L [m/s]. By `environment`, from the pose and time.
    pub water: Vec3<T>,
    /// Acceleration of the water at the link, in L [m/s²]. By `environment`.
    pub water_acceleration: Vec3<T>,
    /// The waves' part of the velocity, in L [m/s]. By `environment`, in waves only.
    pub wave_velocity: Vec3<T>,
    /// The waves' part of the acceleration, in L [m/s²]. By `environment`, in waves only.
    pub wave_acceleration: Vec3<T>,
    /// Upward normal of the surface at the hull, in L; only in waves. By `environment`.
    pub surface_normal: Vec3<T>,
    /// Height of the hull's centre over the surface, along that normal [m]; only in waves. By `environment`.
    pub over_surface: T,
    /// Part of the link that is under water, 0..1. By `forces::buoyancy`.
    pub wet: T,
    /// All forces on the link less its velocity-product terms, at Lo in L. By `forces::sum`.
    pub F: SpatialForce<T>,
    /// Inertia, rigid plus wet part of the added mass. By `forces::sum`.
    pub inertia: SpatialInertia<T>,
    /// Articulated inertia. By `dynamics::aba`.
    pub IA: SpatialInertia<T>,
    /// Articulated bias force. By `dynamics::aba`.
    pub pA: SpatialForce<T>,
    /// `IA S`. By `dynamics::aba`.
    pub U: SpatialForce<T>,
    /// `1 / (Sᵀ IA S + armature)`. By `dynamics::aba`.
    pub D_inv: T,
    /// `tau - Sᵀ pA`. By `dynamics::aba`.
    pub u: T,
    /// Spatial acceleration at Lo in L (gravity is a force here, not an acceleration). By `dynamics::aba`.
    pub A: SpatialVelocity<T>,
}

/// In which lanes a link is wholly under water; `wet` is its wet part.
#[inline(always)]
pub fn wholly_wet<T: Real>(wet: T) -> Lanewise {
    Lanewise::of::<T>(|i| wet.lane(i) == 1.0)
}

impl<T: Real> LinkWork<T> {
    /// That of lane `i`.
    pub fn lane(&self, i: usize) -> LinkWork {
        LinkWork {
            R_PC: self.R_PC.lane(i),
            p_PC: self.p_PC.lane(i),
            R_WL: self.R_WL.lane(i),
            p_WL: self.p_WL.lane(i),
            V: self.V.lane(i),
            c: self.c.lane(i),
            water: self.water.lane(i),
            water_acceleration: self.water_acceleration.lane(i),
            wave_velocity: self.wave_velocity.lane(i),
            wave_acceleration: self.wave_acceleration.lane(i),
            surface_normal: self.surface_normal.lane(i),
            over_surface: self.over_surface.lane(i),
            wet: self.wet.lane(i),
            F: self.F.lane(i),
            inertia: self.inertia.lane(i),
            IA: self.IA.lane(i),
            pA: self.pA.lane(i),
            U: self.U.lane(i),
            D_inv: self.D_inv.lane(i),
            u: self.u.lane(i),
            A: self.A.lane(i),
        }
    }

    /// At rest at the origin, wholly dry.
    pub fn still() -> Self {
        LinkWork {
            R_PC: Mat3::identity(),
            p_PC: Vec3::zero(),
            R_WL: Mat3::identity(),
            p_WL: Vec3::zero(),
            V: SpatialVelocity::zero(),
            c: SpatialVelocity::zero(),
            water: Vec3::zero(),
            water_acceleration: Vec3::zero(),
            wave_velocity: Vec3::zero(),
            wave_acceleration: Vec3::zero(),
            surface_normal: Vec3::zero(),
            over_surface: T::zero(),
            wet: T::zero(),
            F: SpatialForce::zero(),
            inertia: SpatialInertia::zero(),
            IA: SpatialInertia::zero(),
            pA: SpatialForce::zero(),
            U: SpatialForce::zero(),
            D_inv: T::zero(),
            u: T::zero(),
            A: SpatialVelocity::zero(),
        }
    }
}

/// What stands under a rotor beside ground and water: a deck, a roof.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deck {
    /// Its height in W [m].
    pub height: f64,
    /// Part of the disc that is over it.
    pub share: f64,
}

impl Deck {
    /// Nothing.
    pub const NONE: Self = Self {
        height: f64::NEG_INFINITY,
        share: 0.0,
    };
}

/// What a beam meets of other robots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Met {
    /// How far along the beam [m]; infinite for nothing.
    pub range: f64,
    /// Velocity there, in W [m/s].
    pub v_W: Vec3,
}

impl Met {
    /// Nothing.
    pub const NONE: Self = Self {
        range: f64::INFINITY,
        v_W: Vec3 {
            x: 0.0,
            y: 0.0,
            z: 0.0,
        },
    };
}

impl<T: Real> Workspace<T> {
    /// What the beams of sensor number `sensor` meet of other robots.
    pub fn met(&self, sensor: usize) -> [Met; 4] {
        self.met
            .iter()
            .find(|(k, _)| *k == sensor)
            .map_or([Met::NONE; 4], |(_, met)| *met)
    }

    /// Scratch for `robot`; the only allocation, made once.
    pub fn new(robot: &Robot) -> Self {
        let n = robot.links.len();
        let nj = n - 1;
        let zeros = || vec![T::zero(); nj];
        let link = LinkWork::still();
        Self {
            links: vec![link; n],
            qdd: zeros(),
            tau: zeros(),
            thrust: vec![[SpatialForce::zero(); 3]; n],
            drive: vec![[T::zero(); 3]; robot.thrusters.len()],
            decks: vec![Deck::NONE; robot.thrusters.len()],
            met: Vec::with_capacity(robot.sensors.len()),
            ballasts: vec![[T::zero(); 3]; robot.ballasts.len()],
            drive_rate: vec![[T::zero(); 3]; robot.thrusters.len()],
            fins: vec![
                FinWork {
                    angle: [T::zero(); 3],
                    part: T::one()
                };
                robot.fins.len()
            ],
            hulls: robot
                .links
                .iter()
                .filter_map(|l| HullWork::new(l, T::LANES))
                .collect(),
            memory: Memory::new(robot),
            coupled: Vec::new(),
            flood: vec![SpatialInertia::zero(); n],
            flooded: false,
            winch_power: 0.0,
            V_start: SpatialVelocity::zero(),
            qd_start: zeros(),
            A_start: SpatialVelocity::zero(),
            qdd_start: zeros(),
            joints: vec![JointWork::default(); nj],
            mobility: vec![0.0; if robot.servos { nj * nj } else { 0 }],
            stage: Motion::rest(nj),
            slopes: std::array::from_fn(|_| (zeros(), zeros())),
        }
    }
}
