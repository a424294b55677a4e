//! Collision shapes fixed to links and to the world, and their surface materials.

use crate::scene::texture::SurfaceTexture;
use merrow_math::bounds::box_corners;
use merrow_math::{Mat3, Vec3};
use merrow_yaml::read::from_defaults;
use merrow_yaml::spec::spec;
use std::sync::Arc;

/// Triangle mesh, closed or open.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Vertex positions in the mesh frame [m].
    pub vertices: Vec<Vec3>,
    /// Vertex indices of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Named parts in the order of their triangles; empty if the file names none.
    pub parts: Vec<MeshPart>,
}

/// Named part of a mesh: a run of consecutive triangles with one material.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshPart {
    /// Name in the mesh file.
    pub name: String,
    /// Index of the first triangle after the part.
    pub end: u32,
    /// Diffuse reflectivity for red, green and blue light, 0..1; `None` if the file defines none.
    pub color: Option<[f64; 3]>,
}

/// Mesh file of a shape, for programs that read the file themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFile {
    /// Resource name: `package://<package>/<path>` or `file://<path>`.
    pub uri: String,
    /// Scale factors along the axes of the mesh [-].
    pub scale: [f64; 3],
}

/// Heights on a regular grid. The centre of the grid is the origin of the shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Heightfield {
    /// Number of samples along x and y.
    pub count: [usize; 2],
    /// Extent along x and y [m].
    pub size: [f64; 2],
    /// Heights above the xy plane of the shape [m], x varying fastest.
    pub heights: Vec<f64>,
}

/// Shape with a closed form about its own origin along its own axes G.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Primitive {
    /// Sphere about the origin.
    Sphere {
        /// Radius of the sphere [m].
        radius: f64,
    },
    /// Box about the origin.
    Box {
        /// Half edge lengths along x, y and z [m].
        half: Vec3,
    },
    /// Cylinder along z about the origin.
    Cylinder {
        /// Radius of the cylinder [m].
        radius: f64,
        /// Half length of the cylinder [m].
        half_length: f64,
    },
    /// Cylinder along z with hemispherical ends.
    Capsule {
        /// Radius of the capsule [m].
        radius: f64,
        /// Half of the distance between the centres of the ends [m].
        half_length: f64,
    },
}

impl Primitive {
    /// Returns half of the size of the bounding box along the axes G [m].
    pub fn half_size(&self) -> Vec3 {
        match *self {
            Self::Sphere { radius } => Vec3::new(radius, radius, radius),
            Self::Box { half } => half,
            Self::Cylinder {
                radius,
                half_length,
            } => Vec3::new(radius, radius, half_length),
            Self::Capsule {
                radius,
                half_length,
            } => Vec3::new(radius, radius, half_length + radius),
        }
    }
}

/// Geometry about its own origin along its own axes G.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// Shape with a closed form.
    Primitive(Primitive),
    /// Convex hull of the vertices of a mesh, which also fills its concave parts.
    ConvexHull(Arc<Mesh>),
    /// Convex shapes that together approximate a mesh with concave parts.
    ConvexDecomposition(Arc<Mesh>),
    /// Triangles of the mesh; for static geometry.
    Mesh(Arc<Mesh>),
    /// Terrain on a grid; for static geometry.
    Heightfield(Arc<Heightfield>),
}

spec! {
    /// A surface material. Two surfaces in contact use the geometric mean of their friction and the
    /// larger restitution.
    #[derive(Copy)]
    pub struct Material plain {
        /// Coefficient of Coulomb friction.
        friction: f64 [in 0.0..=10.0] = 0.5,
        /// Newton's coefficient of restitution.
        restitution: f64 [fraction] = 0.0,
        /// Fraction of laser light that is reflected diffusely.
        reflectivity: f64 [fraction] = 0.5,
        /// Coefficient of retro-reflection at normal incidence, for tape, signs and survey targets.
        /// The retro-reflected laser light is added to the diffuse reflection. 250 is a common
        /// sheeting.
        retro_reflection_cd_per_lx_m2: f64 [in 0.0..=5000.0] = 0.0,
        /// Fractions of red, green and blue light that are reflected diffusely. Default: the
        /// colours of the mesh file if the shape has no `material`, otherwise grey with
        /// `reflectivity`.
        color: Option<[f64; 3]> [fraction],
        ..backscatter: Backscatter,
    }
}

impl Default for Material {
    fn default() -> Self {
        from_defaults()
    }
}

impl Material {
    /// Returns the fractions of red, green and blue light that are reflected diffusely [-].
    pub fn color(&self) -> [f64; 3] {
        self.color.unwrap_or([self.reflectivity; 3])
    }
}

spec! {
    /// Sound that a surface scatters back, and the sediment below it, which reflects as a mirror.
    #[derive(Copy)]
    pub struct Backscatter plain {
        /// Lambert parameter for sonar: scattering strength of a square metre at normal incidence.
        backscatter_db: f64 [in -100.0..=20.0] = -27.0,
        /// Scattering strength of a square metre at grazing angles of 0, 10, ... 90 degrees, in
        /// place of `backscatter_db`.
        backscatter_by_grazing_db: Option<[f64; 10]> [in -200.0..=20.0],
        /// Sediment below the surface, for the seabed reflection of sonar sound with `multipath`.
        /// Default: sand.
        subsurface: Ground => "{}",
    }

    /// Acoustic properties of the sediment as a fluid half space.
    #[derive(Copy)]
    pub struct Ground plain {
        /// Density of the sediment.
        density_kg_m3: f64 [in 100.0..=20000.0] = 1900.0,
        /// Speed of sound in the sediment.
        sound_speed_m_s: f64 [in 100.0..=10000.0] = 1650.0,
        /// Attenuation of sound in the sediment.
        attenuation_db_per_wavelength: f64 [in 0.0..=20.0] = 0.8,
        /// Standard deviation of the surface height; 0 for a smooth reflecting surface.
        roughness_m: f64 [non_negative] = 0.0,
    }
}

/// Collision filter. Two colliders can touch if each is a member of a group in the mask of the
/// other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollisionFilter {
    /// Group membership, one bit per group.
    pub member: u32,
    /// Mask of the groups that it collides with, one bit per group.
    pub mask: u32,
}

impl Default for CollisionFilter {
    fn default() -> Self {
        Self {
            member: 1,
            mask: u32::MAX,
        }
    }
}

/// Collision shape fixed to a link or to the world.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Name, as published with contacts.
    pub name: String,
    /// Index of its link; 0 for colliders fixed in the world.
    pub link: usize,
    /// Geometry of the collider.
    pub geometry: Geometry,
    /// Rotation of the geometry axes G in L, or in W.
    pub R_LG: Mat3,
    /// Origin of the geometry in L, or in W [m].
    pub p_LoG: Vec3,
    /// Surface material of the collider.
    pub material: Material,
    /// Collision filter of the collider.
    pub filter: CollisionFilter,
    /// Texture of the surface for rays; `None`: the surface has the colour of its material.
    pub texture: Option<Arc<SurfaceTexture>>,
    /// Mesh file for the published URDF; `None`: the shape is no mesh from a file.
    pub file: Option<MeshFile>,
    /// True if the parts of a mesh have the colours of its file.
    pub file_colors: bool,
    /// Index of the fin or azimuth servo with which a visual shape turns. Its pose in L is then
    /// that at angle zero.
    pub fin: Option<usize>,
}

impl Collider {
    /// Returns points whose box is the box of the collider, in L or in W [m]; none for a field of
    /// heights.
    pub fn corners(&self) -> Vec<Vec3> {
        let place = |p: Vec3| self.p_LoG + self.R_LG.mul_vec(p);
        match &self.geometry {
            Geometry::Primitive(primitive) => {
                let half = primitive.half_size();
                box_corners([half.scale(-1.0), half]).map(place).into()
            }
            Geometry::ConvexHull(mesh)
            | Geometry::ConvexDecomposition(mesh)
            | Geometry::Mesh(mesh) => mesh.vertices.iter().copied().map(place).collect(),
            Geometry::Heightfield(_) => Vec::new(),
        }
    }

    /// Returns true if a point in L, or in W [m], is inside the collider; false for meshes and fields
    /// of heights, whose inside is not known.
    pub fn contains(&self, p: Vec3) -> bool {
        let p = self.R_LG.tr_mul_vec(p - self.p_LoG);
        let across = (p.x * p.x + p.y * p.y).sqrt();
        match &self.geometry {
            Geometry::Primitive(Primitive::Sphere { radius }) => p.norm() < *radius,
            Geometry::Primitive(Primitive::Box { half }) => {
                p.x.abs() < half.x && p.y.abs() < half.y && p.z.abs() < half.z
            }
            Geometry::Primitive(Primitive::Cylinder {
                radius,
                half_length,
            }) => across < *radius && p.z.abs() < *half_length,
            Geometry::Primitive(Primitive::Capsule {
                radius,
                half_length,
            }) => {
                let beyond = (p.z.abs() - half_length).max(0.0);
                across * across + beyond * beyond < radius * radius
            }
            Geometry::ConvexHull(_)
            | Geometry::ConvexDecomposition(_)
            | Geometry::Mesh(_)
            | Geometry::Heightfield(_) => false,
        }
    }

    /// Returns the material of a part of its mesh. A part with a colour of its own reflects laser
    /// light as the mean of its colour.
    pub fn part_material(&self, part: &MeshPart) -> Material {
        match part.color.filter(|_| self.file_colors) {
            Some(color) => Material {
                color: Some(color),
                reflectivity: (color[0] + color[1] + color[2]) / 3.0,
                ..self.material
            },
            None => self.material,
        }
    }
}

/// Static object in the world: a dock, a wall, a rock, a bathymetry.
#[derive(Clone, Debug)]
pub struct Structure {
    /// Name of the structure.
    pub name: String,
    /// Colliders of the structure, in W.
    pub colliders: Vec<Collider>,
}
