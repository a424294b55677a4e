//! Keys of a body: mass, added mass, damping and applied forces.

use crate::keys::contact::{CollisionConfig, VisualConfig};
use crate::keys::robot::hull::{HullConfig, RadiationConfig};
use merrow_model::each_link_force;
use merrow_model::scene::robot::body::Restoring;
use merrow_model::scene::robot::force::{self, ForceBody, LinkForce, LinkForces};
use merrow_yaml::error::Problems;
use merrow_yaml::read::{Located, NamedMap};
use merrow_yaml::spec::spec;

spec! {
    /// Body axes in which vectors and matrices of a file are given.
    pub enum Axes words {
        /// x forward, y left, z up (ROS, URDF).
        Flu = "flu",
        /// x forward, y right, z down (Fossen, SNAME).
        Frd = "frd",
    }

    /// State of a body for which its hydrodynamic coefficients hold.
    pub enum CoefficientReference words {
        /// The fully submerged body.
        Submerged = "submerged",
        /// Floating at rest, upright, in calm water.
        Waterline = "waterline",
    }

    /// Inertia matrix about the centre of mass, in the body axes.
    pub struct InertiaConfig {
        /// Moment of inertia about x.
        xx: f64 [non_negative],
        /// Moment of inertia about y.
        yy: f64 [non_negative],
        /// Moment of inertia about z.
        zz: f64 [non_negative],
        /// Off-diagonal element xy, with the sign that it has in the inertia matrix.
        xy: f64 = 0.0,
        /// Off-diagonal element xz, with the sign that it has in the inertia matrix.
        xz: f64 = 0.0,
        /// Off-diagonal element yz, with the sign that it has in the inertia matrix.
        yz: f64 = 0.0,
    }

    /// A constant vertical force at a point of a body.
    pub struct FixedForceConfig {
        /// Vertical force, positive upwards.
        force_n: f64,
        /// Point at which the force acts, relative to the body origin.
        position_m: [f64; 3],
    }

    /// Coefficients of a body: one per axis, a full matrix, or SNAME derivatives.
    pub enum Coefficients {
        /// All coefficients are zero.
        None = "none",
        /// One coefficient per axis: surge, sway, heave, roll, pitch, yaw.
        Diagonal = "diagonal" {
            /// The six coefficients, positive.
            values: [f64; 6],
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

/// Declares the keys of a body, with those of `each_link_force!`.
macro_rules! declare_body {
    (
        surface { $($(#[doc = $surface_doc:literal])* $surface:ident: $Surface:ident = $surface_name:literal,)* }
        water { $($(#[doc = $water_doc:literal])* $water:ident: $Water:ident = $water_name:literal,)* }
        air { $($(#[doc = $air_doc:literal])* $air:ident: $Air:ident = $air_name:literal,)* }
    ) => {
        spec! {
            /// A rigid body in water. Points are relative to the origin of the body, in the axes given by
            /// `axes`.
            pub struct BodyConfig {
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
                inertia_kg_m2: InertiaConfig,
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
                restoring: Option<Restoring>,
                /// Constant vertical forces by name, for small weights and floats fixed to the body.
                loads: NamedMap<FixedForceConfig> = NamedMap::default(),
                /// Added mass about the body origin, positive, as a matrix or diagonal (surge, sway, heave,
                /// roll, pitch, yaw), or SNAME derivatives such as `X_udot`.
                added_mass: Coefficients => "{kind: none}",
                /// State in which `added_mass`, `linear_damping`, `quadratic_damping` and `derivatives`
                /// have the given values. They are proportional to the submerged volume. Published values
                /// of surface vehicles usually hold at the `waterline`: with it, the values refer to the
                /// robot floating at rest. With `restoring` the given values always hold at rest.
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
                $($(#[doc = $surface_doc])* $surface: Option<<force::$Surface as LinkForce>::Keys>,)*
                $($(#[doc = $water_doc])* $water: Option<<force::$Water as LinkForce>::Keys>,)*
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
                $($(#[doc = $air_doc])* $air: Option<<force::$Air as LinkForce>::Keys>,)*
                /// Collision shapes, by name. Without collision shapes the body has no contacts.
                collisions: NamedMap<CollisionConfig> = NamedMap::default(),
                /// Shapes for cameras, lasers and sonars, by name. If any body of a robot has visuals, only
                /// visuals are rendered; otherwise the collision shapes are. Meshes are rendered by their
                /// triangles.
                visuals: NamedMap<VisualConfig> = NamedMap::default(),
            }
        }

        impl BodyConfig {
            /// Builds the forces on the link of this body.
            pub(crate) fn forces(&self, body: &ForceBody<'_>, problems: &mut Problems) -> LinkForces {
                LinkForces {
                    $($surface: build(self.$surface.as_ref(), body, problems),)*
                    $($water: build(self.$water.as_ref(), body, problems),)*
                    $($air: build(self.$air.as_ref(), body, problems),)*
                }
            }
        }
    };
}
each_link_force!(declare_body);

fn build<F: LinkForce>(
    keys: Option<&F::Keys>,
    body: &ForceBody<'_>,
    problems: &mut Problems,
) -> Option<Box<F>> {
    keys.map(|keys| Box::new(F::new(keys, body, problems)))
}
