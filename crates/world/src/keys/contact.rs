//! Keys of contacts: shapes on bodies, structures, props and surface materials.

use crate::keys::robot::Category;
use crate::keys::texture::TextureConfig;
use crate::keys::{BodyConfig, RepeatConfig};
use merrow_model::scene::Material;
use merrow_yaml::read::NamedMap;
use merrow_yaml::spec::spec;

spec! {
    /// A collision shape of a body or structure.
    pub struct CollisionConfig {
        /// Collision groups of the shape.
        groups: GroupsConfig => "{}",
        ..placed: PlacedShape,
    }

    /// A shape that cameras, lasers and sonars detect, without contacts.
    pub struct VisualConfig {
        /// Fin, sail or azimuth thruster of the robot with which the shape turns. Its pose is that
        /// at angle zero.
        turns_with: Option<String> [not_empty],
        ..placed: PlacedShape,
    }

    /// A shape at its place on a body or structure.
    pub struct PlacedShape {
        /// Position of its centre on the body or structure, in the axes of the body or structure.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Roll, pitch and yaw of its axes relative to the body or structure.
        attitude_deg: [f64; 3] = [0.0, 0.0, 0.0],
        /// Surface material. Default: that of the structure if the shape belongs to one, else the
        /// default material.
        material: Option<Material>,
        /// Texture of the shape. Default: none.
        texture: Option<TextureConfig>,
        ..shape: ShapeConfig,
    }

    /// A shape about its own centre. The axis of cylinders and capsules is z.
    pub enum ShapeConfig {
        /// A sphere about its centre.
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
            /// Collision geometry that is derived from the mesh.
            form: MeshForm = MeshForm::ConvexHull,
        },
        /// Terrain on a grid; for structures only.
        Heightfield = "heightfield" (HeightfieldConfig),
    }

    /// Terrain on a grid; for structures only.
    pub struct HeightfieldConfig {
        /// An ESRI ASCII grid (`.asc`) or rows of heights (`.csv`), northernmost row first,
        /// each from west to east.
        file: Option<String> [not_empty],
        /// The heights themselves, northernmost row first, each from west to east.
        heights_m: Option<Vec<Vec<f64>>> [not_empty],
        /// Extent from the first to the last sample along x and y. Not needed for an ESRI ASCII
        /// grid, which contains it.
        size_m: Option<[f64; 2]> [positive],
        /// Factor on the heights: -1 for a file of depths.
        height_scale: f64 = 1.0,
    }

    /// Collision geometry derived from a mesh.
    pub enum MeshForm words {
        /// Convex hull of the vertices.
        ConvexHull = "convex_hull",
        /// Convex decomposition of a closed mesh.
        ConvexParts = "convex_parts",
        /// The triangles themselves; for static structures only.
        Triangles = "triangles",
    }

    /// Collision groups of a shape. Two shapes can touch if each is a member of a group that the
    /// other collides with.
    pub struct GroupsConfig {
        /// Numbers of the groups that contain the shape.
        member_of: Vec<u32> [in 0.0..=31.0] = vec![0],
        /// Numbers of the groups with which the shape collides. Default: all.
        collides_with: Option<Vec<u32>> [in 0.0..=31.0],
    }

    /// A static structure in the world, such as a dock, a wall, a rock or bathymetry.
    pub struct StructureConfig {
        /// Description of the structure.
        description: String = String::new(),
        /// Position in the world (east, north, up).
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Roll, pitch and yaw. Yaw is measured from east, counter-clockwise.
        attitude_deg: [f64; 3] = [0.0, 0.0, 0.0],
        /// Surface material of its shapes.
        material: Material => "{}",
        /// Shapes of the structure, by name.
        shapes: NamedMap<CollisionConfig> [not_empty],
        /// Category reported by the services of `simulation_interfaces`.
        category: Category = Category::StaticObject,
        /// Tags reported by the services of `simulation_interfaces`.
        tags: Vec<String> = Vec::new(),
    }

    /// A free-floating object, or a grid of copies of it: a body without actuators and sensors.
    pub struct PropEntry {
        /// Body of the object: a name in `params/bodies`, a file, or a map.
        body: BodyConfig,
        /// Position of the body origin in the world (east, north, up).
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Roll, pitch and yaw of the body (x forward, y left, z up) relative to the world. Yaw is
        /// measured from east, counter-clockwise.
        attitude_deg: [f64; 3] = [0.0, 0.0, 0.0],
        /// Linear velocity at the start, in the body frame (forward, left, up).
        velocity_m_s: [f64; 3] = [0.0, 0.0, 0.0],
        /// Angular velocity at the start, in the body frame (forward, left, up).
        angular_velocity_rad_s: [f64; 3] = [0.0, 0.0, 0.0],
        /// Makes a grid of copies named `<name>_0`, `<name>_1` and so on.
        repeat: Option<RepeatConfig>,
        /// Description of this object. Empty: description of the body.
        description: String = String::new(),
        /// Category reported by the services of `simulation_interfaces`.
        category: Category = Category::Object,
        /// Tags reported by the services of `simulation_interfaces`.
        tags: Vec<String> = Vec::new(),
    }
}
