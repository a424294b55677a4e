//! Link parameters: rigid and added inertia, buoyancy, damping, and the joint to the parent.

use crate::scene::robot::force::LinkForces;
use crate::scene::robot::joint::Joint;
use crate::scene::robot::radiation::Radiation;
use merrow_math::hull_cut::HullShape;
use merrow_math::hull_mesh::HullMesh;
use merrow_math::{Mat3, SpatialInertia, Vec3};
use merrow_yaml::spec::spec;
use std::sync::Arc;

/// Link of a robot. The origin of its frame L is on the joint, and its z axis is along the joint
/// axis.
///
/// The user's link frame U (URDF link frame) has the same origin and is rotated by `R_LU`.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Name, as published in frame ids.
    pub name: String,
    /// Index of the parent link; `None` for the base.
    pub parent: Option<usize>,
    /// Joint to the parent; a fixed joint for the base.
    pub joint: Joint,
    /// Rotation of the user's link frame U in L.
    pub R_LU: Mat3,
    /// True if U and L differ.
    pub has_rotated_frame: bool,
    /// Mass of the link [kg].
    pub mass_kg: f64,
    /// Centre of mass in L [m].
    pub p_LoLcm: Vec3,
    /// Rigid-body inertia at Lo.
    pub rigid: SpatialInertia,
    /// Added-mass inertia at Lo; zero in air. Usually positive semi-definite.
    pub added: SpatialInertia,
    /// Sum `rigid + added`.
    pub total: SpatialInertia,
    /// Displaced volume when fully submerged [m³].
    pub volume_m3: f64,
    /// Centre of buoyancy when fully submerged, in L [m].
    pub p_LoCb: Vec3,
    /// Shape for partial submergence; a sphere of the displaced volume if none is given.
    pub hull: Hull,
    /// Hulls of this link and of the links merged into it, if more than one displaces water; then
    /// the bounding sphere of `hull` contains all of them. Otherwise empty.
    pub hull_parts: Vec<HullPart>,
    /// True if the hull shape was given, so that its intersection with the surface is computed.
    pub own_hull: bool,
    /// Surface mesh of the hull in L, if given; then `hull` is its bounding box.
    pub hull_mesh: Option<Arc<HullMesh>>,
    /// Evaluation of the waves at the vertices of `hull_mesh`.
    pub waves: HullWaves,
    /// Radiation and diffraction from tables; for the base only.
    pub radiation: Option<Arc<Radiation>>,
    /// Sum of small constant vertical loads such as trim weights and foam: force [N, up] and sum of
    /// force times position [N m].
    pub trim: Trim,
    /// Linear damping, positive [N per m/s and so on], angular first, at the damping point, along
    /// the axes of U.
    pub linear_damping: Damping,
    /// Quadratic damping, positive, angular first, at the damping point, along the axes of U.
    pub quadratic_damping: Damping,
    /// Decay of the linear damping with speed U: the factor is exp(-k U) with k [s/m], angular
    /// first.
    pub linear_damping_decay_s_per_m: Option<[f64; 6]>,
    /// Hydrodynamic derivatives: forces proportional to products of two velocities. If present,
    /// they include the Coriolis and centripetal terms of the added mass.
    pub derivatives: Vec<Derivative>,
    /// Munk moments of the added mass (see
    /// `crates/physics/src/forces/hydrodynamics/added_mass.rs`).
    pub munk: MunkMoments,
    /// Point at which damping acts, in L [m].
    pub p_LoD: Vec3,
    /// True if any hydrodynamic force acts on the link.
    pub wet: bool,
    /// Forces that keys of `body` select.
    pub forces: LinkForces,
    /// True if the link has radiation or forces at the surface. One test skips them for other links.
    pub surface_laws: bool,
    /// Linear hydrostatics, used instead of the hull.
    pub restoring: Option<Hydrostatics>,
}

/// Munk moments that the added mass exerts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MunkMoments {
    /// The moments in roll, pitch and yaw.
    All,
    /// Those in roll and pitch.
    WithoutYaw,
    /// That in roll; those in pitch and yaw are part of the damping.
    RollOnly,
}

spec! {
    /// Linear hydrostatics of a floating hull, instead of `hull`. The stiffness holds about the
    /// waterline at which the hull floats with `floating_mass_kg` and with its origin at the
    /// surface. Points are in the axes of the body.
    pub struct Restoring {
        /// Mass with which the hull floats at that waterline.
        floating_mass_kg: f64 [positive],
        /// Centre of that mass, relative to the body origin.
        floating_mass_center_m: [f64; 3],
        /// Vertical force per sinkage.
        heave_n_per_m: f64 [positive],
        /// Moment per heel angle.
        roll_nm_per_rad: f64 [positive],
        /// Moment per trim angle.
        pitch_nm_per_rad: f64 [positive],
        /// Centroid of the waterplane, relative to the body origin.
        center_of_flotation_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Whether heel and trim act about the body axes, as in Fossen's programs. Their moments
        /// then have a vertical component, which turns a heeled and trimmed hull. Otherwise the
        /// buoyancy is vertical and its moments are horizontal at every heel.
        linear_body_axes: bool = false,
        /// Total mass, including the hull, that the hull can support when fully submerged.
        max_supported_kg: f64 [positive],
    }
}

/// Linear hydrostatics with its points in the link frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Hydrostatics {
    /// Masses and stiffnesses.
    pub restoring: Restoring,
    /// Centre of `floating_mass_kg` in L [m].
    pub p_LoM: Vec3,
    /// Centre of the waterplane in L [m].
    pub p_LoF: Vec3,
}

impl Link {
    /// Returns the hull, or the hulls of the links merged into this link and its own.
    pub fn hulls(&self) -> impl Iterator<Item = &Hull> {
        let single = self.hull_parts.is_empty().then_some(&self.hull);
        single
            .into_iter()
            .chain(self.hull_parts.iter().map(|part| &part.hull))
    }
}

spec! {
    /// Evaluation of the waves at the vertices of a hull mesh.
    pub enum HullWaves words {
        /// Interpolation on a lattice around the hull with a spacing of a sixth of its radius,
        /// where the sea has more than 16 waves; fast.
        Lattice = "lattice",
        /// Sum of all waves at every vertex; exact.
        Sum = "sum",
    }
}

/// Hull of one of several links that are merged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HullPart {
    /// Shape for partial submergence.
    pub hull: Hull,
    /// Displaced volume when fully submerged [m³].
    pub volume_m3: f64,
    /// Centre of buoyancy when fully submerged, in L of the merged link [m].
    pub p_LoCb: Vec3,
}

/// Hull shape of a link for partial submergence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hull {
    /// Box or ellipsoid about the centre.
    pub shape: HullShape,
    /// Centre of the shape in L [m].
    pub p_LoH: Vec3,
    /// Rotation of the shape axes in L.
    pub R_LH: Mat3,
    /// Radius of the bounding sphere about the centre [m].
    pub bound: f64,
}

/// Hydrodynamic derivative: force proportional to the product of two velocities, along the axes of
/// U, angular first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Derivative {
    /// Index of the force component, 0..6.
    pub row: usize,
    /// Indices of the velocity components, 0..6.
    pub factors: [usize; 2],
    /// Coefficient; its SI unit follows from the indices.
    pub value: f64,
}

/// Sum of constant vertical loads fixed to a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trim {
    /// Total force, positive up [N].
    pub force: f64,
    /// Sum of each force times its position in L [N m].
    pub moment_arm: Vec3,
}

/// Coefficients of a damping law, angular first.
#[derive(Clone, Debug, PartialEq)]
pub enum Damping {
    /// All coefficients are zero.
    Zero,
    /// Uncoupled axes: diagonal matrix.
    Diagonal([f64; 6]),
    /// Coupled axes: full 6x6 matrix.
    Full(Box<[[f64; 6]; 6]>),
}

impl Damping {
    /// Returns a linear and a quadratic law in the forms that
    /// `crates/physics/src/forces/hydrodynamics/damping.rs` evaluates fastest. If one is diagonal
    /// and the other zero, both are returned as diagonals.
    pub fn paired_with(self, quadratic: Self) -> (Self, Self) {
        let zero = Damping::Diagonal([0.0; 6]);
        match (self, quadratic) {
            (Damping::Zero, q @ Damping::Diagonal(_)) => (zero, q),
            (l @ Damping::Diagonal(_), Damping::Zero) => (l, zero),
            pair => pair,
        }
    }

    /// Returns the diagonal in SI units, linear part first.
    pub fn diagonal(&self) -> [f64; 6] {
        let angular_first = match self {
            Damping::Zero => [0.0; 6],
            Damping::Diagonal(d) => *d,
            Damping::Full(m) => std::array::from_fn(|i| m[i][i]),
        };
        std::array::from_fn(|i| angular_first[(i + 3) % 6])
    }

    /// Converts a 6x6 matrix in SI units, angular part first, at Lo in L, to the simplest form.
    pub fn from_matrix(m: &[[f64; 6]; 6]) -> Self {
        let has_off_diagonal = (0..6).any(|i| (0..6).any(|j| i != j && m[i][j] != 0.0));
        if has_off_diagonal {
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
