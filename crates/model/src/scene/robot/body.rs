//! Link parameters: rigid and added inertia, buoyancy, damping, and the joint to the parent.

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
    /// Lift and drag of a slender body, if the link has them.
    pub slender: Option<SlenderBody>,
    /// Lift, drag and moments of a glider, if the link has them.
    pub glider: Option<Glider>,
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
    /// True if the link has radiation, surface damping or the Kelpie attitude law. One test skips
    /// all three for other links.
    pub surface_laws: bool,
    /// Roll damping and wave resistance, if any.
    pub surface_damping: Option<Box<SurfaceDamping>>,
    /// Pitch and roll in waves by the Kelpie law, if requested; for the base only.
    pub kelpie_attitude: Option<KelpieAttitude>,
    /// Linear hydrostatics, used instead of the hull.
    pub restoring: Option<Hydrostatics>,
    /// Wind load of the link, if any.
    pub wind: Option<WindLoad>,
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
    /// Wind load on a body.
    pub struct WindLoadKeys {
        /// Projected areas seen along x, y and z of the part of the body that is above the water
        /// when the robot floats at rest, or of the whole body if it does not float. The wind load
        /// decreases in proportion as the body sinks deeper; it does not increase above its value
        /// at rest.
        area_m2: [f64; 3] [non_negative],
        /// Drag coefficients for the three areas.
        drag: [f64; 3] [non_negative] = [1.0, 1.0, 1.0],
        /// Point at which the wind acts, relative to the body origin; for a ship the centroid of
        /// its lateral area.
        center_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Blendermann coefficients of a ship as a function of the wind angle, instead of `drag`.
        blendermann: Option<Blendermann>,
        /// Wind law of a body without `blendermann`.
        law: WindLaw = WindLaw::Drag,
    }
}

/// Wind load of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct WindLoad {
    /// Areas and coefficients of the file.
    pub keys: WindLoadKeys,
    /// Area times drag coefficient along the axes of the user's link frame U [m²].
    pub drag_area: Vec3,
    /// Point at which the wind acts, in L [m].
    pub p_LoC: Vec3,
    /// Fraction of the hull volume above the water for which the areas hold, 0..1.
    pub dry_at_rest: f64,
}

spec! {
    /// Wind law of a body.
    pub enum WindLaw words {
        /// Drag computed from the velocity of the air relative to the body.
        Drag = "drag",
        /// Law of the Kelpie simulator: a horizontal force forward and to the left, computed from
        /// only the wind velocity. It does not depend on the motion of the body.
        Kelpie = "kelpie",
    }

    /// Blendermann coefficients of a type of ship.
    pub struct Blendermann {
        /// Drag coefficient for wind from the side, on the lateral area.
        side_drag: f64 [positive],
        /// Drag coefficient for head wind, on the frontal area.
        head_drag: f64 [positive],
        /// Drag coefficient for stern wind, on the frontal area.
        stern_drag: f64 [positive],
        /// Cross-force parameter of Blendermann.
        delta: f64 [fraction],
        /// Ratio of the height at which the side force acts to the height of the centroid.
        roll_factor: f64 [positive] = 1.1,
        /// Length overall of the ship.
        length_m: f64 [positive],
    }

    /// Losses of a hull that pierces the surface, acting along and about the x axis of the body.
    pub struct SurfaceDamping {
        /// Roll moment per roll rate p.
        roll_nm_s_per_rad: f64 [non_negative] = 0.0,
        /// Roll moment per |p| p.
        roll_quadratic_nm_s2_per_rad2: f64 [non_negative] = 0.0,
        /// Roll moment per p³.
        roll_cubic_nm_s3_per_rad3: f64 [non_negative] = 0.0,
        /// Roll moment per |u| p, with u the forward speed through the water.
        roll_lift_n_s2_per_rad: f64 [non_negative] = 0.0,
        /// Pairs of forward speed [m/s] and wave resistance, by increasing speed. The resistance is
        /// zero at rest.
        wave_resistance_n: Vec<[f64; 2]> [non_negative] = Vec::new(),
    }
}

impl SurfaceDamping {
    /// Returns the wave resistance [N] at a forward speed [m/s]: zero at rest, linear between
    /// entries, constant beyond the last entry.
    #[inline]
    pub fn resistance(&self, speed: f64) -> f64 {
        let mut previous = [0.0, 0.0];
        for entry in &self.wave_resistance_n {
            if speed < entry[0] {
                let fraction = (speed - previous[0]) / (entry[0] - previous[0]);
                return previous[1] + fraction * (entry[1] - previous[1]);
            }
            previous = *entry;
        }
        previous[1]
    }
}

spec! {
    /// Pitch and roll of the Kelpie simulator. They are proportional to the surface height and to
    /// the component of the wind direction along or across the vehicle.
    pub struct KelpieAttitude {
        /// Pitch per metre of surface height with the wind from astern; positive is bow up.
        pitch_rad_per_m: f64,
        /// Roll per metre of surface height with the wind blowing to starboard; positive is
        /// starboard down.
        roll_rad_per_m: f64,
        /// Bandwidth with which the vehicle follows these angles, critically damped.
        bandwidth_hz: f64 [positive] = 2.0,
    }
}

impl KelpieAttitude {
    /// Returns the bandwidth [rad/s].
    #[inline]
    pub fn bandwidth_rad_s(&self) -> f64 {
        std::f64::consts::TAU * self.bandwidth_hz
    }
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

spec! {
    /// A slender body of revolution along x, about the body origin.
    pub struct SlenderBody {
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

    /// Published coefficients of an underwater glider (forward, right, down). All forces are
    /// proportional to the square of its speed.
    pub struct Glider {
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
