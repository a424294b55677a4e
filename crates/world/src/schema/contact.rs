//! What a world file may say of things that can be touched: shapes on bodies, structures, props, surfaces.

use crate::schema::texture::TextureFile;
use crate::schema::{Body, Repeat};
use merrow_yaml::read::Named;
use merrow_yaml::spec::{choice, fieldless_choice, spec};

spec! {
    /// A shape that can be touched.
    pub struct CollisionFile {
        /// Place of its centre on the body or structure, in the axes of that.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Roll, pitch and yaw of its axes.
        attitude_deg: [f64; 3] = [0.0, 0.0, 0.0],
        /// Surface; that of the structure, or the default, if not given.
        material: Option<MaterialFile>,
        /// A picture on it; none if not given.
        texture: Option<TextureFile>,
        /// What it may touch.
        groups: GroupsFile => "{}",
        ..shape: ShapeFile,
    }
}

spec! {
    /// A shape that cameras and lasers see and nothing touches.
    pub struct VisualFile {
        /// Place of its centre on the body, in the axes of that.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Roll, pitch and yaw of its axes.
        attitude_deg: [f64; 3] = [0.0, 0.0, 0.0],
        /// Surface: what light and lasers' beams do there.
        material: Option<MaterialFile>,
        /// A picture on it; none if not given.
        texture: Option<TextureFile>,
        ..shape: ShapeFile,
    }
}

choice! {
    /// A shape about its own centre; cylinders and capsules stand along z.
    pub enum ShapeFile {
        /// A ball.
        Sphere = "sphere" {
            /// Radius.
            radius_m: f64 [positive],
        },
        /// A box.
        Box = "box" {
            /// Length, width, height.
            size_m: [f64; 3] [positive],
        },
        /// A cylinder along z.
        Cylinder = "cylinder" {
            /// Radius.
            radius_m: f64 [positive],
            /// Length.
            length_m: f64 [positive],
        },
        /// A cylinder along z with round ends.
        Capsule = "capsule" {
            /// Radius.
            radius_m: f64 [positive],
            /// Length of the cylinder between the round ends.
            length_m: f64 [positive],
        },
        /// A mesh: STL, OBJ, COLLADA or glTF.
        Mesh = "mesh" {
            /// Its file: a path, from the folder of the file that names it, or `package://<package>/<path>`.
            file: String [not_empty],
            /// Factors along its axes.
            scale: [f64; 3] = [1.0, 1.0, 1.0],
            /// What of it is touched.
            form: MeshForm = MeshForm::ConvexHull,
        },
        /// Terrain on a grid; for structures only.
        Heightfield = "heightfield" {
            /// An ESRI ASCII grid (`.asc`) or rows of heights (`.csv`), northernmost row first, each from west to east.
            file: Option<String> [not_empty],
            /// The heights themselves, northernmost row first, each from west to east.
            heights_m: Option<Vec<Vec<f64>>> [not_empty],
            /// Extent from the first to the last sample along x and y; an ASCII grid says its own.
            size_m: Option<[f64; 2]> [positive],
            /// Factor on the heights: -1 for a file of depths.
            height_scale: f64 = 1.0,
        },
    }
}

fieldless_choice! {
    /// What of a mesh is touched.
    pub enum MeshForm {
        /// The convex hull of its corners.
        ConvexHull = "convex_hull",
        /// Convex parts into which a closed mesh is cut.
        ConvexParts = "convex_parts",
        /// Its triangles; for what does not move.
        Triangles = "triangles",
    }
}

spec! {
    /// A surface. Two that touch share the geometric mean of friction and the larger restitution.
    pub struct MaterialFile {
        /// Coulomb's coefficient of friction.
        friction: f64 [in 0.0..=10.0] = 0.5,
        /// Newton's coefficient of restitution.
        restitution: f64 [fraction] = 0.0,
        /// Part of a laser's light that it gives back, as if in all directions.
        reflectivity: f64 [fraction] = 0.5,
        /// Coefficient of retro-reflection, met upright, of tape, signs and survey targets: light that a laser gets back beside that; 250 is a common sheeting.
        retro_reflection_cd_lx_m2: f64 [in 0.0..=5000.0] = 0.0,
        /// Part of red, green and blue light that it gives back, as if in all directions; grey by `reflectivity` if not given.
        color: Option<[f64; 3]> [fraction],
        /// Lambert's parameter for a sonar's sound: strength of a square metre met upright.
        backscatter_db: f64 [in -100.0..=20.0] = -27.0,
        /// Strength of a square metre at grazing angles of 0, 10, ... 90 degrees, in place of `backscatter_db`.
        backscatter_by_grazing_db: Option<[f64; 10]> [in -200.0..=20.0],
        /// What lies below it, for what a bottom mirrors of a sonar's sound with `multipath`; sand if not given.
        ground: GroundFile => "{}",
    }
}

spec! {
    /// Ground as sound meets it: a fluid half space.
    pub struct GroundFile {
        /// Density.
        density_kg_m3: f64 [in 100.0..=20000.0] = 1900.0,
        /// Speed of sound.
        sound_speed_m_s: f64 [in 100.0..=10000.0] = 1650.0,
        /// Attenuation.
        attenuation_db_per_wavelength: f64 [in 0.0..=20.0] = 0.8,
        /// Standard deviation of the height of its surface; 0 mirrors as if smooth.
        roughness_m: f64 [non_negative] = 0.0,
    }
}

spec! {
    /// What a shape may touch: two shapes touch if each is a member of a group that the other meets.
    pub struct GroupsFile {
        /// Groups it is in, by number.
        member: Vec<u32> [in 0.0..=31.0] = vec![0],
        /// Groups it touches, by number; all if not given.
        meets: Option<Vec<u32>> [in 0.0..=31.0],
    }
}

spec! {
    /// Something that stands in the world and does not move: a dock, a wall, a rock, a bathymetry.
    pub struct StructureFile {
        /// What it is.
        description: String = String::new(),
        /// Position in the world (east, north, up).
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Roll, pitch and yaw; yaw from east, counter-clockwise.
        attitude_deg: [f64; 3] = [0.0, 0.0, 0.0],
        /// Surface of its shapes.
        material: MaterialFile => "{}",
        /// Its shapes, by name.
        shapes: Named<CollisionFile> [not_empty],
    }
}

spec! {
    /// A loose thing in the water, or a grid of them: a body without thrusters and sensors.
    pub struct PropEntry {
        /// The body: a name in `params/bodies`, a file, or a map.
        body: Body,
        /// Position in the world (east, north, up).
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Roll, pitch and yaw (x forward, y left, z up); yaw from east, counter-clockwise.
        attitude_deg: [f64; 3] = [0.0, 0.0, 0.0],
        /// Velocity, in its own frame.
        velocity_m_s: [f64; 3] = [0.0, 0.0, 0.0],
        /// Angular velocity, in its own frame.
        angular_velocity_rad_s: [f64; 3] = [0.0, 0.0, 0.0],
        /// Makes a grid of copies named `<name>_0`, `<name>_1` and so on.
        repeat: Option<Repeat>,
    }
}
