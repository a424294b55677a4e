//! One link: its inertia (rigid and added), its buoyancy, its damping, and the joint that holds it.

use crate::scene::robot::joint::Joint;
use crate::scene::robot::radiation::Radiation;
use merrow_math::hull_cut::Shape;
use merrow_math::hull_mesh::Skin;
use merrow_math::{Mat3, SpatialInertia, Vec3};
use std::sync::Arc;

/// A link of a robot. Its frame L has its origin on the joint and its z axis along the joint's axis.
///
/// The frame that the user wrote (URDF's link frame) has the same origin, turned by `R_LU`.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Name, as published in frame ids.
    pub name: String,
    /// Index of the parent link; none for the base.
    pub parent: Option<usize>,
    /// Joint to the parent; a fixed one for the base.
    pub joint: Joint,
    /// User's link frame U in L.
    pub R_LU: Mat3,
    /// True if U and L differ.
    pub turned: bool,
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass in L [m].
    pub p_LoLcm: Vec3,
    /// Rigid-body inertia at Lo.
    pub rigid: SpatialInertia,
    /// Added mass at Lo, positive semi-definite; zero in air.
    pub added: SpatialInertia,
    /// `rigid + added`.
    pub total: SpatialInertia,
    /// Displaced volume when wholly under water [m³].
    pub volume: f64,
    /// Centre of buoyancy when wholly under water, in L [m].
    pub p_LoCb: Vec3,
    /// Shape for partial submergence; a sphere of the displaced volume where none is given.
    pub hull: Hull,
    /// True if the hull's shape was given, so that it matters where the surface cuts it.
    pub own_hull: bool,
    /// Surface of the hull in L, if it is a mesh; then `hull` is the box about it.
    pub skin: Option<Arc<Skin>>,
    /// True if waves are summed at every corner of the skin, not looked up on a lattice.
    pub sums_waves: bool,
    /// What its own waves do to it, where tables say so; of the base only.
    pub radiation: Option<Arc<Radiation>>,
    /// Small vertical loads such as trim weights and foam, summed: force [N, up] and sum of force times place [N m].
    pub trim: Trim,
    /// Linear damping, positive [N per m/s and so on], angular first, at the damping point, along the axes of U.
    pub linear_damping: Damping,
    /// Quadratic damping, positive, angular first, at the damping point, along the axes of U.
    pub quadratic_damping: Damping,
    /// How fast the linear damping falls with speed: it is scaled by exp(-k U) [s/m], angular first.
    pub damping_decay: Option<[f64; 6]>,
    /// Lift and drag of a slender body, if the link is one.
    pub slender: Option<SlenderBody>,
    /// Lift, drag and moments of a glider, if the link is one.
    pub glider: Option<Glider>,
    /// Forces as products of two velocities; where there are any they hold the added mass's velocity products.
    pub derivatives: Vec<Derivative>,
    /// False if the damping already holds the added mass's moments at incidence (see `forces/added_mass.rs`).
    pub munk: bool,
    /// Point at which damping acts, in L [m].
    pub p_LoD: Vec3,
    /// True if water acts on the link at all.
    pub wet: bool,
    /// True if the link has radiation, surface damping or Kelpie's attitude: one question for all who have none.
    pub surface_laws: bool,
    /// Roll damping and wave resistance, if any.
    pub surface_damping: Option<Box<SurfaceDamping>>,
    /// Kelpie's pitch and roll in waves, if asked for; of the base only.
    pub kelpie_attitude: Option<KelpieAttitude>,
    /// Linear hydrostatics, instead of the hull.
    pub restoring: Option<Restoring>,
    /// What the link offers to the wind, if anything.
    pub wind: Option<WindLoad>,
}

impl Link {
    /// True if tables say what the hull does to waves.
    #[inline(always)]
    pub fn is_scattering(&self) -> bool {
        self.radiation
            .as_ref()
            .is_some_and(|r| r.diffraction.is_some())
    }
}

/// Areas that the wind pushes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindLoad {
    /// Area times drag coefficient along the axes of the user's link frame [m²].
    pub drag_area: Vec3,
    /// Point at which the wind acts, in L [m].
    pub p_LoC: Vec3,
    /// Coefficients of a ship, instead of `drag_area`.
    pub ship: Option<Blendermann>,
    /// How it acts otherwise.
    pub law: WindLaw,
}

/// How the wind acts on areas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindLaw {
    /// Drag, by the velocity of the air relative to the body.
    Drag,
    /// Kelpie's: a steady force by the wind itself, whatever the body does.
    Kelpie,
}

/// Wind coefficients of a ship over the angle of the wind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blendermann {
    /// Areas of front and side [m²].
    pub areas: [f64; 2],
    /// Drag coefficient of the side.
    pub side: f64,
    /// Drag coefficients of front and stern, on the front's area.
    pub ends: [f64; 2],
    /// Cross-force parameter.
    pub delta: f64,
    /// Height of the side force over that of the centroid.
    pub roll: f64,
    /// Length over all [m].
    pub length: f64,
}

/// Losses of a hull at the surface.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceDamping {
    /// Linear, quadratic and cubic roll damping [N m s, N m s², N m s³].
    pub roll: [f64; 3],
    /// Roll damping by speed ahead [N s²].
    pub roll_lift: f64,
    /// (speed [m/s], wave resistance [N]), sorted.
    pub resistance: Vec<(f64, f64)>,
}

impl SurfaceDamping {
    /// Wave resistance [N] at a speed ahead [m/s]; nothing at rest, linear between entries, constant beyond.
    pub fn resistance(&self, speed: f64) -> f64 {
        let mut before = (0.0, 0.0);
        for entry in &self.resistance {
            if speed < entry.0 {
                let part = (speed - before.0) / (entry.0 - before.0);
                return before.1 + part * (entry.1 - before.1);
            }
            before = *entry;
        }
        before.1
    }
}

/// Kelpie's pitch and roll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KelpieAttitude {
    /// Pitch per height of the surface [rad/m].
    pub pitch: f64,
    /// Roll per height of the surface [rad/m].
    pub roll: f64,
    /// How fast it is followed [rad/s].
    pub bandwidth: f64,
}

/// Linear hydrostatics of a floating hull about its waterline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Restoring {
    /// Mass that floats at the waterline [kg].
    pub mass: f64,
    /// Its centre in L [m].
    pub p_LoM: Vec3,
    /// Force per sinkage [N/m].
    pub heave: f64,
    /// Moment per heel [N m/rad].
    pub roll: f64,
    /// Moment per trim [N m/rad].
    pub pitch: f64,
    /// Centre of the waterplane in L [m].
    pub p_LoF: Vec3,
    /// Mass that the whole hull could carry [kg].
    pub reserve: f64,
}

/// Shape of a link for the part of it that is under water.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hull {
    /// Box or ellipsoid.
    pub shape: Shape,
    /// Centre of the shape in L [m].
    pub p_LoH: Vec3,
    /// Shape's axes in L.
    pub R_LH: Mat3,
    /// Radius of a sphere about the centre that holds the shape [m].
    pub bound: f64,
}

/// A slender body of revolution along x of the user's link frame, about its middle.
#[derive(Clone, Debug, PartialEq)]
pub struct SlenderBody {
    /// Length [m].
    pub length: f64,
    /// Diameter [m].
    pub diameter: f64,
    /// Reference area of lift and drag [m²].
    pub area: f64,
    /// Drag coefficient at zero incidence.
    pub axial_drag: f64,
    /// Oswald's efficiency factor.
    pub oswald: f64,
    /// Cross-flow drag coefficients, horizontal and vertical plane.
    pub cross_flow: [f64; 2],
    /// (cross-flow speed at the middle [m/s], factor on the cross-flow drag), sorted; empty: constant.
    pub cross_flow_curve: Vec<(f64, f64)>,
    /// Points of the sum over the length that Fossen's programs make; 0: the exact integral.
    pub strips: usize,
}

/// Coefficients of an underwater glider (forward, right, down), over the square of its speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Glider {
    /// K_D0 [kg/m], K_D [kg/m per rad²].
    pub drag: [f64; 2],
    /// K_L0 [kg/m], K_α [kg/m per rad].
    pub lift: [f64; 2],
    /// K_β [kg/m per rad].
    pub side: f64,
    /// K_MR [kg per rad], K_p [kg s].
    pub roll: [f64; 2],
    /// K_M0 [kg], K_M [kg per rad], K_q [kg s].
    pub pitch: [f64; 3],
    /// K_MY [kg per rad], K_r [kg s].
    pub yaw: [f64; 2],
}

/// A force that goes with the product of two velocities, along U's axes, angular first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Derivative {
    /// Component of the force, 0..6.
    pub row: usize,
    /// Components of the velocity, 0..6.
    pub factors: [usize; 2],
    /// The coefficient.
    pub value: f64,
}

/// Sum of constant vertical loads fixed to a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trim {
    /// Total force [N], positive up.
    pub force: f64,
    /// Sum of each force times its place in L [N m].
    pub moment_arm: Vec3,
}

/// A damping law's coefficients, angular first.
#[derive(Clone, Debug, PartialEq)]
pub enum Damping {
    /// None.
    Zero,
    /// Each axis for itself.
    Diagonal([f64; 6]),
    /// Coupled axes.
    Full(Box<[[f64; 6]; 6]>),
}

impl Damping {
    /// A linear and a quadratic law in the forms that `forces/damping.rs` sums fastest: two diagonals where one of them is
    /// diagonal and the other nothing.
    pub fn paired_with(self, quadratic: Self) -> (Self, Self) {
        let nothing = Damping::Diagonal([0.0; 6]);
        match (self, quadratic) {
            (Damping::Zero, q @ Damping::Diagonal(_)) => (nothing, q),
            (l @ Damping::Diagonal(_), Damping::Zero) => (l, nothing),
            pair => pair,
        }
    }

    /// The simplest form of a matrix.
    pub fn from_matrix(m: &[[f64; 6]; 6]) -> Self {
        let off = (0..6).any(|i| (0..6).any(|j| i != j && m[i][j] != 0.0));
        if off {
            return Damping::Full(Box::new(*m));
        }
        let diagonal: [f64; 6] = std::array::from_fn(|i| m[i][i]);
        if diagonal == [0.0; 6] {
            Damping::Zero
        } else {
            Damping::Diagonal(diagonal)
        }
    }
}
