//! Keys of hulls: shape, wave loads and losses at the surface.

use merrow_model::scene::robot::body::HullWaves;
use merrow_yaml::read::NamedMap;
use merrow_yaml::spec::spec;

spec! {
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
        /// follow from the mesh unless the body states them.
        Mesh = "mesh" (HullMeshConfig),
        /// The bounding box of a mesh: fast, but with too much volume. Keys as for `mesh`.
        BoundingBox = "bounding_box" (HullMeshConfig),
        /// Several simple solids and meshes, such as the floats of a catamaran, over which the
        /// water pressure is integrated. Volume and centre of buoyancy follow from their sum unless
        /// the body states them; where solids overlap, the overlap counts for each.
        Solids = "solids" (HullSolidsConfig),
    }

    /// Solids of a hull.
    pub struct HullSolidsConfig {
        /// Solids by name.
        solids: NamedMap<HullSolidConfig> [not_empty],
        /// Evaluation of the waves at the vertices of the solids.
        waves: HullWaves = HullWaves::Lattice,
    }

    /// A solid of a hull and its pose on the body.
    pub struct HullSolidConfig {
        /// Position of its centre, or of the mesh origin, relative to the body origin.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Roll, pitch and yaw of its axes relative to the body axes.
        attitude_deg: [f64; 3] = [0.0, 0.0, 0.0],
        ..solid: SolidConfig,
    }

    /// A solid about its own centre. The axis of cylinders and capsules is z.
    pub enum SolidConfig {
        /// A sphere.
        Sphere = "sphere" {
            /// Radius of the sphere.
            radius_m: f64 [positive],
        },
        /// A box along its axes.
        Box = "box" {
            /// Length, width and height, along x, y and z.
            size_m: [f64; 3] [positive],
        },
        /// A cylinder along z.
        Cylinder = "cylinder" {
            /// Radius of the cylinder.
            radius_m: f64 [positive],
            /// Length of the cylinder.
            length_m: f64 [positive],
        },
        /// A cylinder along z with hemispherical ends.
        Capsule = "capsule" {
            /// Radius of cylinder and ends.
            radius_m: f64 [positive],
            /// Length of the cylinder between the ends.
            length_m: f64 [positive],
        },
        /// A mesh: STL, OBJ, COLLADA or glTF.
        Mesh = "mesh" {
            /// Mesh file: a path relative to the folder of the file that names it, or
            /// `package://<package>/<path>`.
            file: String [not_empty],
            /// Scale factors along the axes of the mesh.
            scale: [f64; 3] = [1.0, 1.0, 1.0],
            /// Whether the convex hull of the vertices replaces the mesh, which then need not be
            /// closed.
            convex: bool = false,
        },
    }

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
            /// The `.hst` file: hydrostatic stiffness, only compared with the stiffness of the
            /// hull. The hydrostatics of the hull are used.
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
        waves: HullWaves = HullWaves::Lattice,
    }
}
