//! Ray scene: all shapes that the rays of exteroceptive sensors can hit.
//!
//! The scene holds the shapes of robots, props and structures, and the seabed. A robot is
//! represented by its collision shapes; a link without any is represented by its hull. For cameras,
//! lasers and sonars, a robot is represented by its visuals instead, if it has any. Robots with the
//! same mesh share its search tree. The water surface is not part of the scene: each sensor handles
//! it itself.

use merrow_math::{Mat3, Vec3, hull_cut};
use merrow_model::scene::robot::collision;
use merrow_model::scene::robot::collision::{Collider, Geometry, MeshPart};
use merrow_model::scene::sea::Seabed;
use merrow_model::scene::texture::SurfaceTexture;
use merrow_model::scene::{Hull, Link, Material, Robot, Scene, Sensor};
use merrow_model::state::frames::view::WorldView;
use merrow_raytrace::shadow_map::ShadowMap;
use merrow_raytrace::{
    Heightfield, Hit, Mesh, PosedShape, Primitive, Ray, RayShape, Scratch, ShapeScene,
};
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

/// Number of rays that are traced together.
const BATCH: usize = 64;
/// The same where no shape other than a terrain is hit.
const BOTTOM_BATCH: usize = 16;
/// Minimum cosine of the angle between normals of nearly the same direction.
const MIN_FACE_COSINE: f64 = 0.998;
/// Segments per half turn of the mesh of an ellipsoid.
const ELLIPSOID_PARTS: u32 = 24;

/// Closest surface that a ray hits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceHit<'a> {
    /// Distance along the ray [m].
    pub distance: f64,
    /// Unit normal of the surface, W, on the side from which the ray came.
    pub normal: Vec3,
    /// Material of the surface.
    pub material: &'a Material,
    /// Label of the object: 1 for the seabed, then structures, then robots.
    pub label: u16,
    /// Index of the shape in the scene and of its face; `None` for a seabed that is a plane.
    pub(crate) shape_and_face: Option<(u32, u32)>,
}

impl SurfaceHit<'_> {
    /// Returns true if both hits are on the same shape, on parts of the same material and nearly
    /// the same direction.
    pub(crate) fn is_on_same_face(&self, other: &Self) -> bool {
        let shape = |hit: &Self| hit.shape_and_face.map(|(shape, _)| shape);
        shape(self) == shape(other)
            && std::ptr::eq(self.material, other.material)
            && self.normal.dot(other.normal) > MIN_FACE_COSINE
    }

    /// Returns the hit seen from the point at `distance` [m] along the ray.
    pub(crate) fn continued_from(mut self, distance: f64) -> Self {
        self.distance -= distance;
        self
    }
}

/// Surface of a shape: its materials and its texture.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    /// Material of the shape.
    material: Material,
    /// For a mesh whose parts have colours: index of the first face after each part, and its
    /// material.
    parts: Arc<[(u32, Material)]>,
    texture: Option<Arc<SurfaceTexture>>,
}

impl Surface {
    /// Returns a surface of one material without a texture.
    fn plain(material: Material) -> Self {
        Self {
            material,
            parts: Arc::default(),
            texture: None,
        }
    }

    fn of_collider(collider: &Collider) -> Self {
        let parts = match &collider.geometry {
            Geometry::Mesh(mesh) if collider.file_colors => mesh.parts.as_slice(),
            _ => &[],
        };
        let material = |part: &MeshPart| (part.end, collider.part_material(part));
        Self {
            material: collider.material,
            parts: parts.iter().map(material).collect(),
            texture: collider.texture.clone(),
        }
    }

    /// Returns the material of a face.
    fn material_of(&self, face: u32) -> &Material {
        let part = self.parts.partition_point(|(end, _)| *end <= face);
        self.parts.get(part).map_or(&self.material, |(_, m)| m)
    }
}

/// Surface of a shape and its label.
type Face = (Surface, u16);

/// Kind of ray, which selects the representation of the robots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RayKind {
    /// Rays that use the visuals of robots: cameras, lasers and sonars.
    Visual,
    /// Rays that use the collision shapes.
    Collision,
}

/// Search trees of meshes that several shapes share.
#[derive(Debug, Default)]
pub(crate) struct MeshTrees(Vec<(Arc<collision::Mesh>, RayShape)>);

impl MeshTrees {
    /// Returns the shape of a geometry.
    fn shape(&mut self, geometry: &Geometry) -> RayShape {
        let (Geometry::ConvexHull(mesh)
        | Geometry::ConvexDecomposition(mesh)
        | Geometry::Mesh(mesh)) = geometry
        else {
            return RayShape::from(geometry);
        };
        let known = self.0.iter().find(|(other, _)| Arc::ptr_eq(mesh, other));
        if let Some((_, shape)) = known {
            return shape.clone();
        }
        let shape = RayShape::from(geometry);
        self.0.push((Arc::clone(mesh), shape.clone()));
        shape
    }
}

/// Link to which a moving shape is attached, and the pose of the shape in it.
#[derive(Clone, Debug)]
pub(crate) struct Mount {
    pub(crate) robot: usize,
    pub(crate) link: usize,
    pub(crate) R_LG: Mat3,
    pub(crate) p_LoG: Vec3,
    /// Fin with which the shape turns: its index, its axes and its origin [m] in the link.
    fin: Option<(usize, Mat3, Vec3)>,
}

impl Mount {
    fn of_collider(r: usize, robot: &Robot, collider: &Collider) -> Self {
        let fin = |k: usize| robot.fins.get(k).map(|fin| (k, fin.R_LF, fin.p_LoF));
        Self {
            robot: r,
            link: collider.link,
            R_LG: collider.R_LG,
            p_LoG: collider.p_LoG,
            fin: collider.fin.and_then(fin),
        }
    }

    /// Returns axes and origin [m] of the shape in its link.
    fn pose(&self, view: &WorldView) -> (Mat3, Vec3) {
        let Some((k, R_LF, p_LoF)) = &self.fin else {
            return (self.R_LG, self.p_LoG);
        };
        let angle = view.fins[self.robot][*k];
        let turn = R_LF
            .mul_mat(&Mat3::from_rpy(0.0, 0.0, angle))
            .mul_mat(&R_LF.transpose());
        let p_LoG = *p_LoF + turn.mul_vec(self.p_LoG - *p_LoF);
        (turn.mul_mat(&self.R_LG), p_LoG)
    }
}

/// Static geometry: structures, and the seabed if it is a terrain grid.
#[derive(Clone, Debug)]
pub struct StaticGeometry {
    all: ShapeScene,
    /// Surface properties by index of the shape.
    faces: Vec<Face>,
}

impl StaticGeometry {
    /// Collects the static geometry of a world.
    pub fn new(scene: &Scene) -> Self {
        let (mut static_shapes, mut faces) = (Vec::new(), Vec::new());
        let mut trees = MeshTrees::default();
        let numbered = scene.structures.iter().enumerate();
        for (k, collider) in numbered.flat_map(|(k, s)| s.colliders.iter().map(move |c| (k, c))) {
            let shape = trees.shape(&collider.geometry);
            static_shapes.push(PosedShape::new(shape, collider.R_LG, collider.p_LoG));
            faces.push((Surface::of_collider(collider), (k + 2) as u16));
        }
        if let Some(terrain) = &scene.sea.seabed.terrain {
            let ground = RayShape::Ground(Arc::new(Heightfield::new(Arc::clone(terrain))));
            static_shapes.push(PosedShape::new(ground, Mat3::identity(), Vec3::zero()));
            faces.push((Surface::plain(scene.seabed_material), 1));
        }
        Self {
            all: ShapeScene::new(static_shapes, Vec::new()),
            faces,
        }
    }

    /// Returns true if any sensor of the world needs this geometry. Large terrains and meshes take
    /// long to prepare.
    pub fn is_needed(scene: &Scene) -> bool {
        let needs_geometry =
            |sensor: &Sensor| sensor.kind.rays() > 0 || sensor.kind.exteroceptive().is_some();
        scene
            .robots
            .iter()
            .flat_map(|robot| &robot.sensors)
            .any(needs_geometry)
    }

    /// Returns the distance from `p` [m] along the unit vector `d`, both W, to the seabed or a
    /// structure [m]; `None` without a hit.
    pub fn range(&self, seabed: &Seabed, p: Vec3, d: Vec3) -> Option<f64> {
        let plane = if seabed.terrain.is_none() {
            seabed.range(p, d)
        } else {
            None
        };
        if self.faces.is_empty() {
            return plane;
        }
        let ray = Ray::new(p, d, [0.0, f64::INFINITY]);
        let hit = self.all.closest(&ray, 0..0).map(|hit| hit.distance);
        [hit, plane].into_iter().flatten().min_by(f64::total_cmp)
    }
}

/// All geometry that rays can hit, at one instant.
#[derive(Clone, Debug)]
pub struct RayScene {
    all: ShapeScene,
    mounts: Arc<[Mount]>,
    /// Surface properties by index of the shape.
    faces: Arc<[Face]>,
    /// Index range of each robot's shapes.
    own: Arc<[Range<u32>]>,
    /// Material of the seabed.
    bottom: Material,
    /// The seabed and its normal in W, if it is a plane.
    plane: Option<(Seabed, Vec3)>,
}

thread_local! {
    /// Working memory of the ray searches of a thread.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Calls `search` with the working memory of this thread.
fn with_scratch<T>(search: impl FnOnce(&mut Scratch) -> T) -> T {
    SCRATCH.with(|scratch| search(&mut scratch.borrow_mut()))
}

impl RayScene {
    /// Builds the scene for rays of the kind `kind`. The moving shapes have no valid pose until
    /// [`Self::update_poses`].
    pub fn new(scene: &Scene, static_geometry: &StaticGeometry, kind: RayKind) -> Self {
        let mut faces = static_geometry.faces.clone();
        let first_moving = faces.len();
        let (mut moving, mut mounts, mut own) = (Vec::new(), Vec::new(), Vec::new());
        let mut trees = MeshTrees::default();
        for (r, robot) in scene.robots.iter().enumerate() {
            let first = (first_moving + moving.len()) as u32;
            for (shape, mount, surface) in robot_shapes(r, robot, kind, &mut trees) {
                moving.push(PosedShape::new(shape, Mat3::identity(), Vec3::zero()));
                mounts.push(mount);
                faces.push((surface, (scene.structures.len() + r + 2) as u16));
            }
            own.push(first..(first_moving + moving.len()) as u32);
        }
        Self {
            all: static_geometry.all.with_moving(moving),
            mounts: mounts.into(),
            faces: faces.into(),
            own: own.into(),
            bottom: scene.seabed_material,
            plane: seabed_plane(&scene.sea.seabed),
        }
    }

    /// Moves all shapes of robots to their poses in `view`.
    pub fn update_poses(&mut self, view: &WorldView) {
        self.plane = seabed_plane(&view.sea.seabed);
        let mounts = &self.mounts;
        self.all
            .update_poses(|shapes| move_shapes(shapes, mounts, view));
    }

    /// Does the same as [`Self::update_poses`] without an allocation, except if the robots have
    /// moved far relative to each other. It suits frequent updates with few rays each.
    pub fn refit_poses(&mut self, view: &WorldView) {
        self.plane = seabed_plane(&view.sea.seabed);
        let mounts = &self.mounts;
        self.all
            .refit_poses(|shapes| move_shapes(shapes, mounts, view));
    }

    /// Returns the label of the object other than the two robots themselves that occludes the
    /// straight path between the points `a` on the first and `b` on the second [m], W, if any.
    pub(crate) fn find_occluder(&self, robots: [usize; 2], [a, b]: [Vec3; 2]) -> Option<u16> {
        let offset = b - a;
        let distance = offset.norm();
        let d = offset.scale(1.0 / distance.max(1e-9));
        // A ray from `a` ends at the shapes of the second robot, and a ray from `b` at the shapes
        // of the first robot. Another object occludes the path only if the two distances do not
        // cover the whole path.
        let [first, second] = robots.map(|r| self.shapes_of(r));
        let forward_hit = self.first_hit(first, a, d, [0.0, distance])?;
        let backward_hit = self.first_hit(second, b, d.scale(-1.0), [0.0, distance])?;
        let is_occluded = forward_hit.distance + backward_hit.distance < distance - 1e-6
            || robots[0] == robots[1];
        let is_own = |hit: &SurfaceHit<'_>| {
            let shape = hit.shape_and_face.map(|(shape, _)| shape);
            robots
                .iter()
                .any(|r| shape.is_some_and(|s| self.own[*r].contains(&s)))
        };
        let label = if is_own(&forward_hit) {
            backward_hit.label
        } else {
            forward_hit.label
        };
        is_occluded.then_some(label)
    }

    /// Returns centre and half size [m] of the boxes in W around the shapes that have one, without
    /// the shapes of `robot`.
    pub(crate) fn bounding_boxes(&self, robot: usize) -> impl Iterator<Item = (Vec3, Vec3)> {
        let own = self.shapes_of(robot);
        (0..self.all.count())
            .filter(move |k| !own.contains(k))
            .filter_map(|k| self.all.shape(k)?.extent())
    }

    /// Returns the index range of the shapes of a robot, which can be ignored as `skip` in ray
    /// searches.
    pub(crate) fn shapes_of(&self, robot: usize) -> Range<u32> {
        self.own[robot].clone()
    }

    /// Returns true if a shape occludes the ray from `p` [m] along the unit vector `d`, both W,
    /// within `range` [m]. Shapes whose indices are in `skip` are ignored, and so is a seabed that
    /// is a plane.
    pub(crate) fn is_shaded(&self, p: Vec3, d: Vec3, range: [f64; 2], skip: Range<u32>) -> bool {
        let ray = Ray::new(p, d, range);
        with_scratch(|scratch| self.all.blocked_with(&ray, &skip, scratch))
    }

    /// Returns the first hit of a ray from `p` [m] along the unit vector `d`, both W, within
    /// `range` [m]. Shapes whose indices are in `skip` are ignored.
    pub(crate) fn first_hit(
        &self,
        skip: Range<u32>,
        p: Vec3,
        d: Vec3,
        range: [f64; 2],
    ) -> Option<SurfaceHit<'_>> {
        let ray = Ray::new(p, d, range);
        let hit = with_scratch(|scratch| self.all.closest_with(&ray, &skip, scratch));
        self.surface_hit(&ray, hit)
    }

    /// Does the same as [`Self::first_hit`] for each of `rays`, into `hits`. This is faster if each
    /// eight consecutive rays have nearly the same direction.
    pub(crate) fn first_hits<'a>(
        &'a self,
        skip: &Range<u32>,
        rays: &[Ray],
        hits: &mut Vec<Option<SurfaceHit<'a>>>,
    ) {
        self.collect_hits::<BATCH>(rays, hits, |rays, shape_hits| {
            with_scratch(|scratch| self.all.closest_all(rays, skip, scratch, shape_hits));
        });
    }

    /// Does the same as [`Self::first_hits`] for rays that hit no shape other than a terrain, as
    /// [`Self::may_hit_shapes`] returns.
    pub(crate) fn first_bottom_hits<'a>(
        &'a self,
        skip: &Range<u32>,
        rays: &[Ray],
        hits: &mut Vec<Option<SurfaceHit<'a>>>,
    ) {
        self.collect_hits::<BOTTOM_BATCH>(rays, hits, |rays, shape_hits| {
            self.all.closest_unbounded_all(rays, skip, shape_hits);
        });
    }

    /// Replaces `hits` by the first hits of `rays` on the seabed and on the shapes that `trace`
    /// finds for at most `N` rays at once.
    fn collect_hits<'a, const N: usize>(
        &'a self,
        rays: &[Ray],
        hits: &mut Vec<Option<SurfaceHit<'a>>>,
        mut trace: impl FnMut(&[Ray], &mut [Option<Hit>]),
    ) {
        hits.clear();
        let mut shape_hits = [None; N];
        for rays in rays.chunks(N) {
            let shape_hits = &mut shape_hits[..rays.len()];
            trace(rays, shape_hits);
            let both = rays.iter().zip(shape_hits);
            hits.extend(both.map(|(ray, hit)| self.surface_hit(ray, *hit)));
        }
    }

    /// Returns true if the shape of a hit has a texture.
    pub(crate) fn has_texture(&self, hit: &SurfaceHit<'_>) -> bool {
        let shape = hit.shape_and_face.map(|(shape, _)| shape as usize);
        shape.is_some_and(|k| self.faces[k].0.texture.is_some())
    }

    /// Returns the map of shadows in parallel light along the unit vector `light`, W; `None` with a
    /// terrain.
    pub(crate) fn shadow_map(&self, light: Vec3) -> Option<ShadowMap> {
        self.all.shadow_map(light)
    }

    /// Returns false if neither `rays` nor the rays between them hit a shape other than a terrain.
    /// Shapes whose indices are in `skip` are ignored.
    pub(crate) fn may_hit_shapes(&self, rays: &[Ray], skip: &Range<u32>) -> bool {
        self.all.may_hit_bounded(rays, skip)
    }

    /// Combines the closest shape on a ray with the seabed and returns the nearer one.
    fn surface_hit(&self, ray: &Ray, hit: Option<Hit>) -> Option<SurfaceHit<'_>> {
        let (p, d, range) = (ray.origin, ray.direction, ray.range);
        let limit = hit.map_or(range[1], |hit| hit.distance);
        let bottom = self
            .plane
            .as_ref()
            .and_then(|(seabed, normal)| Some((seabed.range(p, d)?, *normal)))
            .filter(|(t, _)| (range[0]..limit).contains(t));
        let mut found = if let Some((distance, normal)) = bottom {
            SurfaceHit {
                distance,
                normal,
                material: &self.bottom,
                label: 1,
                shape_and_face: None,
            }
        } else {
            let hit = hit?;
            let (surface, label) = &self.faces[hit.shape as usize];
            SurfaceHit {
                distance: hit.distance,
                normal: hit.normal,
                material: surface.material_of(hit.face),
                label: *label,
                shape_and_face: Some((hit.shape, hit.face)),
            }
        };
        if found.normal.dot(d) > 0.0 {
            found.normal = found.normal.scale(-1.0);
        }
        Some(found)
    }

    /// Returns the colour of the surface hit at `x` [m] along the unit vector `d`, both W, by a
    /// pixel that is `width` [m] wide there. It is the colour of the texture, if the shape has one.
    pub fn color(&self, hit: &SurfaceHit, x: Vec3, d: Vec3, width: f64) -> [f64; 3] {
        let texture_color = |(shape, face): (u32, u32)| {
            let texture = self.faces[shape as usize].0.texture.as_ref()?;
            let placed = self.all.shape(shape)?;
            let to_shape = |v: Vec3| placed.R_WG.tr_mul_vec(v);
            let is_box = matches!(placed.shape, RayShape::Primitive(Primitive::Box { .. }));
            let at = [to_shape(x - placed.p_WG), to_shape(hit.normal), to_shape(d)];
            Some(texture.color(hit.material.color(), face, at, is_box, width))
        };
        hit.shape_and_face
            .and_then(texture_color)
            .unwrap_or(hit.material.color())
    }
}

/// The scenes with the visuals and with the collision shapes of robots. They differ only if a robot
/// has visuals.
#[derive(Clone, Debug)]
pub struct RayScenes {
    collision: RayScene,
    visual: Option<RayScene>,
}

impl RayScenes {
    /// Builds the scenes of a world. The moving shapes have no valid pose until
    /// [`Self::update_poses`].
    pub fn new(scene: &Scene, static_geometry: &StaticGeometry) -> Self {
        let collision = RayScene::new(scene, static_geometry, RayKind::Collision);
        let differs = scene.robots.iter().any(|robot| !robot.visuals.is_empty());
        Self {
            collision,
            visual: differs.then(|| RayScene::new(scene, static_geometry, RayKind::Visual)),
        }
    }

    /// Returns the scene with the visuals of robots; the collision scene if no robot has visuals.
    pub fn visual(&self) -> &RayScene {
        self.visual.as_ref().unwrap_or(&self.collision)
    }

    /// Returns the scene with the collision shapes of robots.
    pub fn collision(&self) -> &RayScene {
        &self.collision
    }

    /// Moves all shapes of robots to their poses in `view`, as [`RayScene::update_poses`].
    pub fn update_poses(&mut self, view: &WorldView) {
        self.collision.update_poses(view);
        if let Some(visual) = &mut self.visual {
            visual.update_poses(view);
        }
    }
}

/// Returns the seabed and its normal in W, if it is a plane. A terrain grid is one of the shapes.
fn seabed_plane(seabed: &Seabed) -> Option<(Seabed, Vec3)> {
    let is_plane = seabed.terrain.is_none();
    is_plane.then(|| (seabed.clone(), seabed.normal(0.0, 0.0)))
}

/// Moves shapes with these mounts to their poses in `view`.
fn move_shapes(shapes: &mut [PosedShape], mounts: &[Mount], view: &WorldView) {
    for (placed, mount) in shapes.iter_mut().zip(mounts) {
        let (R_WL, p_WL) = &view.links[mount.robot][mount.link];
        let (R_LG, p_LoG) = mount.pose(view);
        placed.R_WG = R_WL.mul_mat(&R_LG);
        placed.p_WG = *p_WL + R_WL.mul_vec(p_LoG);
    }
}

/// Returns the shapes that represent a robot for rays of the kind `kind`, with their mounts,
/// materials and textures.
pub(crate) fn robot_shapes(
    r: usize,
    robot: &Robot,
    kind: RayKind,
    trees: &mut MeshTrees,
) -> Vec<(RayShape, Mount, Surface)> {
    let mut shape = |c: &Collider| {
        (
            trees.shape(&c.geometry),
            Mount::of_collider(r, robot, c),
            Surface::of_collider(c),
        )
    };
    if kind == RayKind::Visual && !robot.visuals.is_empty() {
        return robot.visuals.iter().map(shape).collect();
    }
    let mut all = Vec::new();
    for (l, link) in robot.links.iter().enumerate() {
        let own: Vec<&Collider> = robot.colliders.iter().filter(|c| c.link == l).collect();
        all.extend(own.iter().map(|c| shape(c)));
        let hulls = if own.is_empty() {
            hulls(link)
        } else {
            Vec::new()
        };
        for (shape, R_LG, p_LoG) in hulls {
            let mount = Mount {
                robot: r,
                link: l,
                R_LG,
                p_LoG,
                fin: None,
            };
            // The default material approximates painted plastic or metal.
            all.push((shape, mount, Surface::plain(Material::default())));
        }
    }
    all
}

/// Returns the hulls of a link that displaces water, with their poses in the link.
fn hulls(link: &Link) -> Vec<(RayShape, Mat3, Vec3)> {
    if link.volume_m3 <= 0.0 {
        return Vec::new();
    }
    if let Some(hull_mesh) = &link.hull_mesh {
        let mesh = Mesh::new(&hull_mesh.vertices, &hull_mesh.triangles);
        return vec![(
            RayShape::Mesh(Arc::new(mesh)),
            Mat3::identity(),
            Vec3::zero(),
        )];
    }
    let shape = |hull: &Hull| match hull.shape {
        hull_cut::HullShape::Box(half) => RayShape::Primitive(Primitive::Box { half }),
        hull_cut::HullShape::Ellipsoid(half) if half.x == half.y && half.y == half.z => {
            RayShape::Primitive(Primitive::Sphere { radius: half.x })
        }
        hull_cut::HullShape::Ellipsoid(half) => {
            let mesh = ellipsoid(half);
            RayShape::Mesh(Arc::new(Mesh::new(&mesh.vertices, &mesh.triangles)))
        }
    };
    link.hulls()
        .map(|hull| (shape(hull), hull.R_LH, hull.p_LoH))
        .collect()
}

/// Returns the mesh inscribed in an ellipsoid with the half axes `half` [m], centred at the origin.
fn ellipsoid(half: Vec3) -> collision::Mesh {
    use merrow_math::real::sin_cos;
    let (n, m) = (2 * ELLIPSOID_PARTS, ELLIPSOID_PARTS);
    let vertex = |i: u32, j: u32| {
        let (s, c) = sin_cos(std::f64::consts::TAU * f64::from(i) / f64::from(n));
        let (sp, cp) = sin_cos(std::f64::consts::PI * (f64::from(j) / f64::from(m) - 0.5));
        Vec3::new(half.x * cp * c, half.y * cp * s, half.z * sp)
    };
    let vertices = (0..=m)
        .flat_map(|j| (0..n).map(move |i| (i, j)))
        .map(|(i, j)| vertex(i, j))
        .collect();
    let mut triangles = Vec::new();
    for j in 0..m {
        for i in 0..n {
            let index = |di: u32, dj: u32| (j + dj) * n + (i + di) % n;
            triangles.extend([
                [index(0, 0), index(1, 0), index(1, 1)],
                [index(0, 0), index(1, 1), index(0, 1)],
            ]);
        }
    }
    collision::Mesh {
        vertices,
        triangles,
        parts: Vec::new(),
    }
}
