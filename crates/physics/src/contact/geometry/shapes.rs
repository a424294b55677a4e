//! The scene's shapes as rapier's geometry knows them.

use merrow_math::{Mat3, Vec3};
use merrow_model::scene::robot::collision::{Groups, Heightfield, Mesh};
use merrow_model::scene::{Collider, Geometry, Material, Scene};
use rapier3d_f64::glamx::{DMat3, DQuat};
use rapier3d_f64::math::{Pose, Vector};
use rapier3d_f64::parry::shape::{SharedShape, TriMeshFlags};
use rapier3d_f64::parry::transformation::vhacd::VHACDParameters;
use rapier3d_f64::parry::utils::Array2;

/// Whose surface it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// A link of a robot: indices of both.
    Link(u32, u32),
    /// A structure, by index.
    Structure(u32),
    /// The seabed.
    Seabed,
}

/// One convex shape (or, if it does not move, any shape) and what it belongs to.
#[derive(Clone)]
pub struct Shape {
    /// Whose it is.
    pub owner: Owner,
    /// Index of the collider within its owner.
    pub collider: u32,
    /// Geometry.
    pub shape: SharedShape,
    /// Place on the link, or in the world.
    pub X_LG: Pose,
    /// Surface.
    pub material: Material,
    /// What it may touch.
    pub groups: Groups,
    /// Half of the smallest extent [m]: what moves further in a step might pass through something.
    pub thickness: f64,
}

/// A triangle of the ground, to be moved to one place after another.
pub fn ground() -> Shape {
    Shape {
        owner: Owner::Seabed,
        collider: 0,
        shape: SharedShape::triangle(
            Vector::ZERO,
            Vector::new(1.0, 0.0, 0.0),
            Vector::new(0.0, 1.0, 0.0),
        ),
        X_LG: Pose::IDENTITY,
        material: Material::default(),
        groups: Groups::default(),
        thickness: f64::INFINITY,
    }
}

/// All shapes of a scene: those that move, then those that stand still.
///
/// # Errors
/// One line for each shape that cannot be made.
pub fn build(scene: &Scene) -> Result<(Vec<Shape>, Vec<Shape>), Vec<String>> {
    let mut problems = Vec::new();
    let (mut moving, mut fixed) = (Vec::new(), Vec::new());
    for (r, robot) in scene.robots.iter().enumerate() {
        for (k, collider) in robot.colliders.iter().enumerate() {
            let owner = Owner::Link(r as u32, collider.link as u32);
            let holds_still = !robot.floating && collider.link == 0;
            let place = if holds_still { &mut fixed } else { &mut moving };
            let what = || format!("{}: collision shape {}", robot.name, collider.name);
            add(owner, k, collider, holds_still, place, what, &mut problems);
        }
    }
    for (s, structure) in scene.structures.iter().enumerate() {
        for (k, collider) in structure.colliders.iter().enumerate() {
            let what = || format!("structure {}: shape {}", structure.name, collider.name);
            add(
                Owner::Structure(s as u32),
                k,
                collider,
                true,
                &mut fixed,
                what,
                &mut problems,
            );
        }
    }
    if problems.is_empty() {
        Ok((moving, fixed))
    } else {
        Err(problems)
    }
}

fn add(
    owner: Owner,
    index: usize,
    collider: &Collider,
    holds_still: bool,
    out: &mut Vec<Shape>,
    what: impl Fn() -> String,
    problems: &mut Vec<String>,
) {
    match parts(&collider.geometry, holds_still) {
        Ok(parts) => out.extend(parts.into_iter().map(|(X_CG, shape)| {
            let extent = shape.compute_local_aabb().half_extents();
            Shape {
                owner,
                collider: index as u32,
                X_LG: pose(&collider.R_LG, collider.p_LoG) * X_CG,
                material: collider.material,
                groups: collider.groups,
                thickness: extent.x.min(extent.y).min(extent.z),
                shape,
            }
        })),
        Err(why) => problems.push(format!("{}: {why}", what())),
    }
}

/// The convex parts of a geometry; what does not move may stay whole.
fn parts(geometry: &Geometry, holds_still: bool) -> Result<Vec<(Pose, SharedShape)>, String> {
    let one = |shape| Ok(vec![(Pose::IDENTITY, shape)]);
    // rapier's cylinder and capsule lie along y
    let upright = Pose::from_parts(
        Vector::ZERO,
        DQuat::from_xyzw(
            std::f64::consts::FRAC_1_SQRT_2,
            0.0,
            0.0,
            std::f64::consts::FRAC_1_SQRT_2,
        ),
    );
    match geometry {
        Geometry::Sphere { radius } => one(SharedShape::ball(*radius)),
        Geometry::Box { half } => one(SharedShape::cuboid(half.x, half.y, half.z)),
        Geometry::Cylinder {
            radius,
            half_length,
        } => Ok(vec![(
            upright,
            SharedShape::cylinder(*half_length, *radius),
        )]),
        Geometry::Capsule {
            radius,
            half_length,
        } => Ok(vec![(
            upright,
            SharedShape::capsule_y(*half_length, *radius),
        )]),
        Geometry::ConvexHull(mesh) => SharedShape::convex_hull(&points(mesh))
            .ok_or_else(|| {
                "the mesh has no volume, expected corners that are not all in a plane".into()
            })
            .and_then(one),
        Geometry::ConvexParts(mesh) => {
            let parameters = VHACDParameters::default();
            let whole = SharedShape::convex_decomposition_with_params(
                &points(mesh),
                &mesh.triangles,
                &parameters,
            );
            match whole.as_compound() {
                Some(parts) if !parts.shapes().is_empty() => Ok(parts.shapes().to_vec()),
                _ => Err(
                    "the mesh could not be cut into convex parts, expected a closed surface".into(),
                ),
            }
        }
        Geometry::Mesh(_) | Geometry::Heightfield(_) if !holds_still => Err(
            "triangles on something that moves, expected `convex_hull` or `convex_parts`".into(),
        ),
        Geometry::Mesh(mesh) => {
            let flags = TriMeshFlags::FIX_INTERNAL_EDGES | TriMeshFlags::MERGE_DUPLICATE_VERTICES;
            SharedShape::trimesh_with_flags(points(mesh), mesh.triangles.clone(), flags)
                .map_err(|e| format!("not a usable mesh: {e}"))
                .and_then(one)
        }
        Geometry::Heightfield(field) => Ok(vec![(upright, heightfield(field))]),
    }
}

/// rapier's height field spans x and z with heights along y; turned upright, its z runs to our -y.
fn heightfield(field: &Heightfield) -> SharedShape {
    let [nx, ny] = field.count;
    let heights = Array2::new(
        ny,
        nx,
        // column-major: column over x, row over z = -y
        (0..nx)
            .flat_map(|i| (0..ny).map(move |j| (i, j)))
            .map(|(i, j)| field.heights[(ny - 1 - j) * nx + i])
            .collect(),
    );
    SharedShape::heightfield(heights, Vector::new(field.size[0], 1.0, field.size[1]))
}

fn points(mesh: &Mesh) -> Vec<Vector> {
    mesh.vertices.iter().map(|v| vector(*v)).collect()
}

/// Our vector as rapier's.
pub fn vector(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// rapier's vector as ours.
pub fn ours(v: Vector) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

/// Axes and origin as rapier's pose.
pub fn pose(R: &Mat3, p: Vec3) -> Pose {
    let columns = DMat3::from_cols(vector(R.col(0)), vector(R.col(1)), vector(R.col(2)));
    Pose::from_parts(vector(p), DQuat::from_mat3(&columns).normalize())
}
