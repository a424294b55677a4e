//! Derived data of one robot, overwritten by every evaluation. Each field names the module that
//! computes it and its inputs.

use crate::scene::Robot;
use crate::scene::robot::body::{HullWaves, Link};
use crate::state::Motion;
use crate::state::wave_tile::WaveTile;
use merrow_math::{LaneCondition, Mat3, Real, SpatialForce, SpatialInertia, SpatialVelocity, Vec3};

/// Workspace of one robot (or of several robots of the same model in the lanes of `T`).
#[derive(Clone, Debug)]
pub struct Workspace<T = f64> {
    /// One entry per link.
    pub links: Vec<LinkWork<T>>,
    /// Joint accelerations [rad/s² or m/s²]. Computed by `dynamics::aba`.
    pub qdd: Vec<T>,
    /// Applied joint efforts [N m or N]. Computed by `forces::joint`.
    pub tau: Vec<T>,
    /// Thrust wrenches on each link at the start, midpoint and end of the step, in L. Computed by
    /// `forces::actuators::thruster`.
    pub thrust: Vec<[SpatialForce<T>; 3]>,
    /// Lagged drive of each thruster at the start, midpoint and end of the step. Computed by
    /// `forces::actuators::thruster`.
    pub drive: Vec<[T; 3]>,
    /// Time derivative of the drive of thrusters with a first-order lag, at the same instants [N/s
    /// or rad/s²]. Computed by `forces::actuators::thruster`.
    pub drive_rate: Vec<[T; 3]>,
    /// Deck below each thruster that is a rotor. Computed by
    /// `contact::geometry::ground_effect_rays`.
    pub rotor_decks: Vec<Deck>,
    /// Hits of DVL and altimeter beams on other robots at their last sample, by sensor index.
    /// Computed by `merrow_sensors::water::moving_targets`.
    pub beam_hits: Vec<(usize, [BeamHit; 4])>,
    /// Volumes of the buoyancy engines at the start, midpoint and end of the step [m³]. Computed by
    /// `forces::actuators::buoyancy_engine`.
    pub buoyancy_engine_volumes: Vec<[T; 3]>,
    /// One entry per fin. Computed by `forces::actuators::fin`.
    pub fins: Vec<FinWork<T>>,
    /// One entry per link with a mesh hull, in link order. Computed by
    /// `forces::hydrodynamics::mesh_hull`.
    pub hulls: Vec<HullWork>,
    /// Radiation memory of the base; empty without radiation. Computed by
    /// `forces::hydrodynamics::radiation`.
    pub radiation: RadiationWork<T>,
    /// Predicted coupling wrenches on each link at the start, midpoint and end of the step, in L;
    /// empty without couplings. Computed by `contact::coupling`.
    pub coupling_wrenches: Vec<[SpatialForce<T>; 3]>,
    /// Inertia of the water in the flooded compartments of each link, at Lo in L. Computed by
    /// `merrow_sim::control::fault`.
    pub flood: Vec<SpatialInertia>,
    /// True if any compartment contains water.
    pub flooded: bool,
    /// Power of the winches on board over the step [W]. Computed by `merrow_sim::tethers`.
    pub winch_power: f64,
    /// Velocity of the base at the start of the step, at Bo in B [rad/s, m/s]. Set by `merrow_sim`.
    pub V_start: SpatialVelocity<T>,
    /// Joint velocities at the start of the step [rad/s or m/s]. Set by `merrow_sim`.
    pub qd_start: Vec<T>,
    /// Acceleration of the base at the start of the step, at Bo in B, without impulses [rad/s²,
    /// m/s²]. Set by `merrow_sim`.
    pub A_start: SpatialVelocity<T>,
    /// Joint accelerations at the start of the step, without impulses [rad/s² or m/s²]. Set by
    /// `merrow_sim`.
    pub qdd_start: Vec<T>,
    /// Trial motion of the integrator stages. Computed by `dynamics::integrate`.
    pub stage: Motion<T>,
    /// Workspace of the joint controllers, one entry per joint. Computed by
    /// `merrow_sim::control::joints`.
    pub joints: Vec<JointWork>,
    /// Joint accelerations per unit joint effort, one row per joint; empty without servos. Computed
    /// by `dynamics::mobility`.
    pub mobility: Vec<f64>,
    /// Joint velocities and accelerations of the four stages. Computed by `dynamics::integrate`.
    pub slopes: [(Vec<T>, Vec<T>); 4],
}

/// Workspace of the controller of one joint.
#[derive(Clone, Copy, Debug, Default)]
pub struct JointWork {
    /// True if the controller ticks in this pass.
    pub ticks: bool,
    /// Velocity set-point [rad/s or m/s].
    pub target_velocity: f64,
    /// Effort for zero acceleration (dynamics bias) [N m or N]; only for control laws that use it.
    pub bias: f64,
    /// Effort on the joint over the next step [N m or N].
    pub effort: f64,
    /// Effort of the motor over the next step [N m or N].
    pub motor_effort: f64,
    /// Rotor position [rad or m] and velocity [rad/s or m/s] at the end of the step.
    pub rotor: [f64; 2],
}

/// Workspace of one fin.
#[derive(Clone, Copy, Debug)]
pub struct FinWork<T = f64> {
    /// Angle at the start, midpoint and end of the step [rad].
    pub angle: [T; 3],
    /// Remaining fraction of the area, 0..1.
    pub area_fraction: T,
}

/// Radiation memory of the base at the start of a step.
#[derive(Clone, Debug)]
pub struct RadiationWork<T = f64> {
    /// State of each filter.
    pub start: Vec<[SpatialVelocity<T>; 2]>,
    /// Velocity of the base relative to the current, at Bo in B [rad/s, m/s].
    pub V_start: SpatialVelocity<T>,
}

impl<T: Real> RadiationWork<T> {
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

/// Workspace of one mesh hull, with one entry per vertex.
#[derive(Clone, Debug)]
pub struct HullWork {
    /// Depth of each vertex below the surface (negative above) and pressure there divided by ρ g
    /// [m].
    pub water: Vec<[f64; 2]>,
    /// Wave contribution to the pressure head [m]; padded to whole groups of lanes, like the
    /// following lists.
    pub head: Vec<f64>,
    /// East coordinates of the vertices in W [m].
    pub x: Vec<f64>,
    /// North coordinates of the vertices in W [m].
    pub y: Vec<f64>,
    /// Heights of the vertices in W [m].
    pub z: Vec<f64>,
    /// Surface elevation at the vertices [m].
    pub eta: Vec<f64>,
    /// Stretched heights of the vertices [m].
    pub stretched: Vec<f64>,
    /// Wave lattices around the hull, one per lane; empty if the waves are summed at every vertex.
    pub tiles: Vec<WaveTile>,
}

impl HullWork {
    /// Allocates the workspace for `lanes` robots with the mesh hull of `link`; `None` without a
    /// mesh.
    fn new(link: &Link, lanes: usize) -> Option<Self> {
        let mesh = link.hull_mesh.as_deref()?;
        let zeros = || vec![0.0; mesh.coordinates[0].len()];
        let height = mesh.bounds[1].z - mesh.bounds[0].z;
        let tile = || WaveTile::new(link.hull.bound, height);
        let tiles = if link.waves == HullWaves::Sum {
            Vec::new()
        } else {
            (0..lanes).map(|_| tile()).collect()
        };
        Some(Self {
            water: vec![[0.0; 2]; mesh.vertices.len()],
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

/// Workspace of one link.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkWork<T = f64> {
    /// Rotation of the child frame in the parent frame. Computed by `kinematics` from q.
    pub R_PC: Mat3<T>,
    /// Joint origin in the parent frame [m]. Computed by `kinematics` from q.
    pub p_PC: Vec3<T>,
    /// Rotation of the link frame in W. Computed by `kinematics` from q.
    pub R_WL: Mat3<T>,
    /// Link origin in W [m]. Computed by `kinematics` from q.
    pub p_WL: Vec3<T>,
    /// Velocity at Lo in L [rad/s, m/s]. Computed by `kinematics` from q and v.
    pub V: SpatialVelocity<T>,
    /// Velocity-product acceleration of the joint in L [rad/s², m/s²]. Computed by `kinematics`
    /// from q and v.
    pub c: SpatialVelocity<T>,
    /// Water velocity at the link, in L [m/s]. Computed by `merrow_environment` from the pose and
    /// time.
    pub water: Vec3<T>,
    /// Water acceleration at the link, in L [m/s²]. Computed by `merrow_environment`.
    pub water_acceleration: Vec3<T>,
    /// Part of `water_acceleration` that the linear wave pressure causes, in L [m/s²]. Computed by
    /// `merrow_environment` in waves only.
    pub pressure_acceleration: Vec3<T>,
    /// Upward normal of the surface at the hull, in L; in waves only. Computed by
    /// `merrow_environment`.
    pub surface_normal: Vec3<T>,
    /// Height of the hull centre above the surface, along that normal [m]; in waves only. Computed
    /// by `merrow_environment`.
    pub height_above_surface: T,
    /// Submerged fraction of the link, 0..1. Computed by `forces::hydrodynamics::buoyancy`.
    pub submerged_fraction: T,
    /// All forces on the link minus its velocity-product terms, at Lo in L [N m, N]. Computed by
    /// `forces::sum`.
    pub F: SpatialForce<T>,
    /// Inertia: rigid plus submerged part of the added mass. Computed by `forces::sum`.
    pub inertia: SpatialInertia<T>,
    /// Articulated-body inertia. Computed by `dynamics::aba`.
    pub IA: SpatialInertia<T>,
    /// Articulated-body bias force. Computed by `dynamics::aba`.
    pub pA: SpatialForce<T>,
    /// Product `IA S`. Computed by `dynamics::aba`.
    pub U: SpatialForce<T>,
    /// Reciprocal `1 / (Sᵀ IA S + armature)`. Computed by `dynamics::aba`.
    pub D_inv: T,
    /// Effort term `tau - Sᵀ pA`. Computed by `dynamics::aba`.
    pub u: T,
    /// Spatial acceleration at Lo in L (gravity is a force here, not an acceleration). Computed by
    /// `dynamics::aba`.
    pub A: SpatialVelocity<T>,
}

/// Returns the lanes in which a link is fully submerged; `wet` is its submerged fraction.
#[inline(always)]
pub fn fully_submerged_lanes<T: Real>(wet: T) -> LaneCondition {
    LaneCondition::evaluate::<T>(|i| wet.lane(i) == 1.0)
}

impl<T: Real> LinkWork<T> {
    /// Returns the value of lane `i`.
    pub fn lane(&self, i: usize) -> LinkWork {
        macro_rules! lanes {
            ($($field:ident)*) => {
                LinkWork { $($field: self.$field.lane(i)),* }
            };
        }
        lanes! {
            R_PC p_PC R_WL p_WL V c water water_acceleration pressure_acceleration surface_normal
            height_above_surface submerged_fraction F inertia IA pA U D_inv u A
        }
    }

    /// Creates the workspace at rest at the origin, fully dry.
    pub fn at_rest() -> Self {
        LinkWork {
            R_PC: Mat3::identity(),
            R_WL: Mat3::identity(),
            ..Self::default()
        }
    }
}

/// Deck or roof below a rotor, other than terrain and water.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deck {
    /// Height of the deck in W [m].
    pub height: f64,
    /// Fraction of the rotor disc above the deck, 0..1.
    pub disc_fraction: f64,
}

impl Deck {
    /// No deck below the rotor.
    pub const NONE: Self = Self {
        height: f64::NEG_INFINITY,
        disc_fraction: 0.0,
    };
}

/// Hit of a beam on another robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamHit {
    /// Distance along the beam [m]; infinite without a hit.
    pub range: f64,
    /// Velocity of the hit point, in W [m/s].
    pub v_W: Vec3,
}

impl BeamHit {
    /// No hit on another robot.
    pub const NONE: Self = Self {
        range: f64::INFINITY,
        v_W: Vec3 {
            x: 0.0,
            y: 0.0,
            z: 0.0,
        },
    };
}

impl AsRef<Self> for Workspace {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl AsMut<Self> for Workspace {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}

impl<T: Real> Workspace<T> {
    /// Returns the hits of the beams of sensor `sensor` on other robots.
    pub fn beam_hits(&self, sensor: usize) -> [BeamHit; 4] {
        self.beam_hits
            .iter()
            .find(|(k, _)| *k == sensor)
            .map_or([BeamHit::NONE; 4], |(_, hits)| *hits)
    }

    /// Allocates the workspace for `robot`. This is the only allocation.
    pub fn new(robot: &Robot) -> Self {
        let n = robot.links.len();
        let nj = n - 1;
        let zeros = || vec![T::zero(); nj];
        let link = LinkWork::at_rest();
        Self {
            links: vec![link; n],
            qdd: zeros(),
            tau: zeros(),
            thrust: vec![[SpatialForce::zero(); 3]; n],
            drive: vec![[T::zero(); 3]; robot.thrusters.len()],
            rotor_decks: vec![Deck::NONE; robot.thrusters.len()],
            beam_hits: Vec::with_capacity(robot.sensors.len()),
            buoyancy_engine_volumes: vec![[T::zero(); 3]; robot.buoyancy_engines.len()],
            drive_rate: vec![[T::zero(); 3]; robot.thrusters.len()],
            fins: vec![
                FinWork {
                    angle: [T::zero(); 3],
                    area_fraction: T::one()
                };
                robot.fins.len()
            ],
            hulls: robot
                .links
                .iter()
                .filter_map(|l| HullWork::new(l, T::LANES))
                .collect(),
            radiation: RadiationWork::new(robot),
            coupling_wrenches: Vec::new(),
            flood: vec![SpatialInertia::zero(); n],
            flooded: false,
            winch_power: 0.0,
            V_start: SpatialVelocity::zero(),
            qd_start: zeros(),
            A_start: SpatialVelocity::zero(),
            qdd_start: zeros(),
            joints: vec![JointWork::default(); nj],
            mobility: vec![0.0; if robot.servos { nj * nj } else { 0 }],
            stage: Motion::at_rest(nj),
            slopes: std::array::from_fn(|_| (zeros(), zeros())),
        }
    }
}
