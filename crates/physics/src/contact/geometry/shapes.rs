//! Conversion of the collision shapes of a scene to parry geometry.

use merrow_math::{Mat3, Vec3};
use merrow_model::scene::robot::collision::{CollisionFilter, Heightfield, Mesh};
use merrow_model::scene::{Collider, Geometry, Material, Primitive, Scene};
use merrow_model::state::contact::ContactBody;
use parry3d_f64::glamx::{DMat3, DQuat};
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::shape::{SharedShape, TriMeshFlags};
use parry3d_f64::transformation::vhacd::VHACDParameters;
use parry3d_f64::utils::Array2;

/// Indices of a robot and one of its links; `None` for all objects fixed in the world.
pub(crate) type Side = Option<(usize, usize)>;

/// One collision shape and its body; convex if it moves, of any kind otherwise.
#[derive(Clone)]
pub struct CollisionShape {
    /// Body and collider to which the shape belongs.
    pub body: ContactBody,
    /// Geometry in parry's representation.
    pub shape: SharedShape,
    /// Pose in the link frame, or in W for fixed shapes.
    pub(crate) X_LG: Pose,
    /// Friction and restitution in contacts of the shape.
    pub material: Material,
    /// Groups of the shape, and groups with which it can collide.
    pub groups: CollisionFilter,
    /// Half of the smallest extent [m]. A shape that moves farther in one step could pass through
    /// another.
    pub thickness: f64,
}

/// Creates a terrain triangle that is reused for all positions.
pub(crate) fn terrain_triangle() -> CollisionShape {
    CollisionShape {
        body: ContactBody::Seabed,
        shape: SharedShape::triangle(
            Vector::ZERO,
            Vector::new(1.0, 0.0, 0.0),
            Vector::new(0.0, 1.0, 0.0),
        ),
        X_LG: Pose::IDENTITY,
        material: Material::default(),
        groups: CollisionFilter::default(),
        thickness: f64::INFINITY,
    }
}

/// Creates all shapes of a scene: first the moving shapes, then the fixed shapes.
///
/// # Errors
/// One line for each shape that cannot be created.
pub fn build_shapes(
    scene: &Scene,
) -> Result<(Vec<CollisionShape>, Vec<CollisionShape>), Vec<String>> {
    let mut problems = Vec::new();
    let (mut moving, mut fixed) = (Vec::new(), Vec::new());
    for (r, robot) in scene.robots.iter().enumerate() {
        for (k, collider) in robot.colliders.iter().enumerate() {
            let body = ContactBody::Link {
                robot: r as u32,
                link: collider.link as u32,
                collider: k as u32,
            };
            let is_fixed = !robot.floating && collider.link == 0;
            let list = if is_fixed { &mut fixed } else { &mut moving };
            let what = || format!("{}: collision shape {}", robot.name, collider.name);
            add_collider(body, collider, is_fixed, list, what, &mut problems);
        }
    }
    for (s, structure) in scene.structures.iter().enumerate() {
        for (k, collider) in structure.colliders.iter().enumerate() {
            let what = || format!("structure {}: shape {}", structure.name, collider.name);
            let body = ContactBody::Structure {
                structure: s as u32,
                collider: k as u32,
            };
            add_collider(body, collider, true, &mut fixed, what, &mut problems);
        }
    }
    if problems.is_empty() {
        Ok((moving, fixed))
    } else {
        Err(problems)
    }
}

fn add_collider(
    body: ContactBody,
    collider: &Collider,
    is_fixed: bool,
    out: &mut Vec<CollisionShape>,
    what: impl Fn() -> String,
    problems: &mut Vec<String>,
) {
    match convex_parts(&collider.geometry, is_fixed) {
        Ok(parts) => out.extend(parts.into_iter().map(|(X_CG, shape)| {
            let extent = shape.compute_local_aabb().half_extents();
            CollisionShape {
                body,
                X_LG: pose(&collider.R_LG, collider.p_LoG) * X_CG,
                material: collider.material,
                groups: collider.filter,
                thickness: extent.x.min(extent.y).min(extent.z),
                shape,
            }
        })),
        Err(why) => problems.push(format!("{}: {why}", what())),
    }
}

/// Returns the convex parts of a geometry; the geometry of fixed bodies is not split.
fn convex_parts(geometry: &Geometry, is_fixed: bool) -> Result<Vec<(Pose, SharedShape)>, String> {
    let single = |shape| Ok(vec![(Pose::IDENTITY, shape)]);
    // parry's cylinders and capsules lie along y
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
        Geometry::Primitive(Primitive::Sphere { radius }) => single(SharedShape::ball(*radius)),
        Geometry::Primitive(Primitive::Box { half }) => {
            single(SharedShape::cuboid(half.x, half.y, half.z))
        }
        Geometry::Primitive(Primitive::Cylinder {
            radius,
            half_length,
        }) => Ok(vec![(
            upright,
            SharedShape::cylinder(*half_length, *radius),
        )]),
        Geometry::Primitive(Primitive::Capsule {
            radius,
            half_length,
        }) => Ok(vec![(
            upright,
            SharedShape::capsule_y(*half_length, *radius),
        )]),
        Geometry::ConvexHull(mesh) => SharedShape::convex_hull(&points(mesh))
            .ok_or_else(|| {
                "the mesh has no volume; expected corners that are not all in one plane".into()
            })
            .and_then(single),
        Geometry::ConvexDecomposition(mesh) => {
            let parameters = VHACDParameters::default();
            let decomposition = SharedShape::convex_decomposition_with_params(
                &points(mesh),
                &mesh.triangles,
                &parameters,
            );
            match decomposition.as_compound() {
                Some(parts) if !parts.shapes().is_empty() => Ok(parts.shapes().to_vec()),
                _ => Err(
                    "the mesh could not be split into convex parts; expected a closed surface"
                        .into(),
                ),
            }
        }
        Geometry::Mesh(_) | Geometry::Heightfield(_) if !is_fixed => {
            Err("a mesh or height field cannot be used on a moving body; \
             expected `convex_hull` or `convex_parts`"
                .into())
        }
        Geometry::Mesh(mesh) => {
            let flags = TriMeshFlags::FIX_INTERNAL_EDGES | TriMeshFlags::MERGE_DUPLICATE_VERTICES;
            SharedShape::trimesh_with_flags(points(mesh), mesh.triangles.clone(), flags)
                .map_err(|e| format!("the mesh is not usable: {e}"))
                .and_then(single)
        }
        Geometry::Heightfield(field) => Ok(vec![(upright, heightfield(field))]),
    }
}

/// Converts a height field. parry's spans x and z with heights along y; after rotation its z axis
/// is our -y axis.
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
    mesh.vertices.iter().map(|v| to_parry(*v)).collect()
}

/// Converts a vector to parry's type.
pub(crate) fn to_parry(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// Converts a vector of parry to [`Vec3`].
pub(crate) fn from_parry(v: Vector) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

/// Converts axes and origin to parry's pose.
pub fn pose(R: &Mat3, p: Vec3) -> Pose {
    let columns = DMat3::from_cols(to_parry(R.col(0)), to_parry(R.col(1)), to_parry(R.col(2)));
    Pose::from_parts(to_parry(p), DQuat::from_mat3(&columns).normalize())
}
