//! Contact detection: broad phase, narrow phase, and shape casts for fast bodies.
//!
//! Contacts are recomputed in every step from only the poses, so that `State` is sufficient to
//! resume a run. Pairs are visited in a fixed order.

use crate::contact::geometry::clearance::Clearance;
use crate::contact::geometry::clip;
use crate::contact::geometry::clip::{ClippedPoint, Feature};
use crate::contact::geometry::shapes;
use crate::contact::geometry::shapes::{CollisionShape, Side, from_parry, to_parry};
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::sea::terrain::Terrain;
use merrow_model::scene::{Correspondence, Material, Scene, Seabed};
use merrow_model::state::contact::ContactBody;
use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};
use parry3d_f64::query::{
    ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher, ShapeCastOptions,
    cast_shapes,
};
use parry3d_f64::shape::{PolygonalFeature, PolygonalFeatureMap, Shape, Triangle};
use std::collections::{HashMap, VecDeque};

/// A contact point of two surfaces that touch or nearly touch at the end of the free step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactPoint {
    /// Body that is pushed along the normal; always a link.
    pub a: ContactBody,
    /// Body that pushes.
    pub b: ContactBody,
    /// Position of the contact point, W [m].
    pub p_W: Vec3,
    /// Unit normal in the world, from b to a.
    pub n_W: Vec3,
    /// Distance between the surfaces along the normal, negative if they overlap [m].
    pub gap: f64,
    /// Fraction of the step after which a shape cast found the impact; `None` for surfaces that are
    /// close at the end.
    pub(crate) impact_fraction: Option<f64>,
    /// Coefficient of friction of the pair.
    pub friction: f64,
    /// Coefficient of restitution of the pair.
    pub restitution: f64,
    /// Indices of both shapes. With the features they identify this point within the step and from
    /// one step to the next.
    pub shapes: [u32; 2],
    /// Features of both shapes, as numbered by parry.
    pub features: [u32; 2],
}

impl ContactPoint {
    /// Returns the contact point of a shape and another body without its geometry.
    fn between(
        a: &CollisionShape,
        (b, material): (ContactBody, Material),
        shapes: [u32; 2],
    ) -> Self {
        Self {
            a: a.body,
            b,
            p_W: Vec3::zero(),
            n_W: Vec3::zero(),
            gap: 0.0,
            impact_fraction: None,
            friction: (a.material.friction * material.friction).sqrt(),
            restitution: a.material.restitution.max(material.restitution),
            shapes,
            features: [0; 2],
        }
    }
}

/// Maximum gap of a contact point [m].
const MARGIN: f64 = 1e-3;
/// Index that represents the seabed in contact keys; no shape has it.
const SEABED: u32 = u32::MAX;

/// Shapes of a scene and their poses.
pub(crate) struct Detector {
    moving: Vec<CollisionShape>,
    fixed: Vec<CollisionShape>,
    fixed_poses: Vec<Pose>,
    fixed_tree: Bvh,
    /// Poses at the end of the step.
    poses: Vec<Pose>,
    /// Poses at the start of the step.
    starts: Vec<Pose>,
    boxes: Vec<Aabb>,
    /// Radius of a bounding sphere around the origin of each moving shape [m].
    radii: Vec<f64>,
    /// Moving shapes sorted by the lower x bound of their boxes.
    order: Vec<(f64, u32)>,
    pairs: Vec<(u32, u32)>,
    manifolds: Vec<ContactManifold<(), ()>>,
    /// Shape that holds one terrain triangle at a time.
    ground: Option<CollisionShape>,
}

impl std::fmt::Debug for Detector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Detector of {} moving and {} fixed shapes",
            self.moving.len(),
            self.fixed.len()
        )
    }
}

impl Detector {
    /// Creates the detector for the shapes of `scene`.
    ///
    /// # Errors
    /// One line for each shape that cannot be created.
    pub(crate) fn new(scene: &Scene) -> Result<Self, Vec<String>> {
        let (moving, fixed) = shapes::build_shapes(scene)?;
        let fixed_poses: Vec<Pose> = fixed.iter().map(|s| fixed_pose(scene, s)).collect();
        let boxes: Vec<Aabb> = fixed
            .iter()
            .zip(&fixed_poses)
            .map(|(s, X)| s.shape.compute_aabb(X))
            .collect();
        let n = moving.len();
        Ok(Self {
            fixed_tree: Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes),
            fixed_poses,
            fixed,
            poses: vec![Pose::IDENTITY; n],
            starts: vec![Pose::IDENTITY; n],
            boxes: Vec::with_capacity(n),
            radii: moving
                .iter()
                .map(|s| {
                    let sphere = s.shape.compute_local_bounding_sphere();
                    sphere.center.length() + sphere.radius
                })
                .collect(),
            order: Vec::with_capacity(n),
            pairs: Vec::with_capacity(64 + 8 * n),
            manifolds: vec![manifold_with_capacity()],
            ground: Some(shapes::terrain_triangle()),
            moving,
        })
    }

    /// Returns the index of a structure whose shape contains the point `p` [m, W].
    pub(crate) fn structure_at(&self, p: Vec3) -> Option<usize> {
        let p = to_parry(p);
        let all = self.fixed.iter().zip(&self.fixed_poses);
        let mut inside = all.filter(|(shape, X)| contains(&*shape.shape, X, p));
        inside.find_map(|(shape, _)| match shape.body {
            ContactBody::Structure { structure, .. } => Some(structure as usize),
            ContactBody::Link { .. } | ContactBody::Seabed => None,
        })
    }

    /// Returns the indices of the shapes of `old` in contact keys, and the indices of the same
    /// shapes in this detector. The seabed keeps its index.
    pub(crate) fn corresponding_shapes(
        &self,
        old: &Self,
        same: &Correspondence,
    ) -> HashMap<u32, u32> {
        // a collider can consist of several shapes, which keep their order
        let mut here: HashMap<ContactBody, VecDeque<u32>> = HashMap::new();
        for (k, shape) in self.moving.iter().chain(&self.fixed).enumerate() {
            here.entry(shape.body).or_default().push_back(k as u32);
        }
        let mut pairs = HashMap::from([(SEABED, SEABED)]);
        for (k, shape) in old.moving.iter().chain(&old.fixed).enumerate() {
            let body = shape.body.in_scene(same);
            let found = body.and_then(|body| here.get_mut(&body));
            if let Some(index) = found.and_then(VecDeque::pop_front) {
                pairs.insert(k as u32, index);
            }
        }
        pairs
    }

    /// Creates the clearance check; `always` is true if a constraint other than contact connects
    /// robots.
    pub(crate) fn clearance(&self, scene: &Scene, always: bool) -> Clearance {
        let fixed = self.fixed.iter().zip(&self.fixed_poses);
        Clearance::new(scene, &self.moving, fixed, always)
    }

    /// Returns true if no contact can ever occur.
    pub(crate) fn is_empty(&self) -> bool {
        self.moving.is_empty()
    }

    /// Sets the poses of all links; the previous poses become the start poses. `pose_of(robot,
    /// link)` returns the pose of a link in W.
    pub(crate) fn update_poses(&mut self, pose_of: impl Fn(usize, usize) -> Pose) {
        std::mem::swap(&mut self.poses, &mut self.starts);
        for (shape, X) in self.moving.iter().zip(&mut self.poses) {
            if let Some((r, l)) = shape.body.link() {
                *X = pose_of(r, l) * shape.X_LG;
            }
        }
    }

    /// Returns the same as [`Self::update_poses`], for links that were moved again in the same
    /// step; `None` keeps the pose.
    pub(crate) fn correct_poses(&mut self, pose_of: impl Fn(usize, usize) -> Option<Pose>) {
        for (shape, X) in self.moving.iter().zip(&mut self.poses) {
            if let Some((r, l)) = shape.body.link()
                && let Some(X_WL) = pose_of(r, l)
            {
                *X = X_WL * shape.X_LG;
            }
        }
    }

    /// Writes all contact points at the current poses to `out`, in a fixed order, except the points
    /// of the pairs in `excluded_pairs`, which is sorted.
    pub(crate) fn detect_contact_points(
        &mut self,
        scene: &Scene,
        seabed: &Seabed,
        excluded_pairs: &[[Side; 2]],
        out: &mut Vec<ContactPoint>,
    ) {
        out.clear();
        self.boxes.clear();
        for (i, shape) in self.moving.iter().enumerate() {
            let aabb = shape.shape.compute_aabb(&self.poses[i]);
            let displacement = self.poses[i].translation - self.starts[i].translation;
            let swept = if displacement.length() > shape.thickness {
                aabb.merged(&shape.shape.compute_aabb(&self.starts[i]))
            } else {
                aabb
            };
            self.boxes.push(swept.loosened(0.5 * MARGIN));
        }
        self.find_pairs();
        for i in 0..self.moving.len() {
            match &seabed.terrain {
                None => self.detect_seabed(scene, i, seabed, out),
                Some(terrain) => self.detect_terrain(scene, i, terrain, out),
            }
        }
        for k in 0..self.pairs.len() {
            let (i, j) = self.pairs[k];
            self.detect_pair(scene, [i as usize, j as usize], excluded_pairs, out);
        }
    }

    /// Adds a contact point for every moving shape whose center is inside a fixed shape: a mesh has
    /// contact points at its surface only. Uses the pairs of [`Self::detect_contact_points`].
    pub(crate) fn detect_enclosed(
        &self,
        scene: &Scene,
        excluded_pairs: &[[Side; 2]],
        out: &mut Vec<ContactPoint>,
    ) {
        for [i, j] in self.pairs.iter().map(|(i, j)| [*i as usize, *j as usize]) {
            let Some(k) = j.checked_sub(self.moving.len()) else {
                continue;
            };
            let (a, b, X) = (&self.moving[i], &self.fixed[k], &self.fixed_poses[k]);
            if !may_collide(scene, a, b) || are_coupled(a, b, excluded_pairs) {
                continue;
            }
            let center = a.shape.compute_aabb(&self.poses[i]).center();
            if contains(&*b.shape, X, center) {
                let surface = b.shape.project_point(X, center, false).point;
                let (p, s) = (from_parry(center), from_parry(surface));
                out.push(ContactPoint {
                    p_W: p,
                    gap: -(s - p).norm(),
                    ..ContactPoint::between(a, (b.body, b.material), [i as u32, j as u32])
                });
            }
        }
    }

    /// Calls `visit` with every shape whose box intersects `aabb`, and its pose: first moving, then
    /// fixed shapes.
    pub(crate) fn visit_shapes_in(
        &self,
        aabb: &Aabb,
        mut visit: impl FnMut(&CollisionShape, &Pose),
    ) {
        let (center, reach) = (aabb.center(), aabb.half_extents().length());
        for ((shape, X), radius) in self.moving.iter().zip(&self.poses).zip(&self.radii) {
            let is_near = (X.translation - center).length() <= reach + radius;
            if is_near && shape.shape.compute_aabb(X).intersects(aabb) {
                visit(shape, X);
            }
        }
        for j in self.fixed_tree.intersect_aabb(aabb) {
            visit(&self.fixed[j as usize], &self.fixed_poses[j as usize]);
        }
    }

    /// Computes the sorted pairs of a moving shape and another shape. Fixed shapes are numbered
    /// after the moving shapes.
    fn find_pairs(&mut self) {
        let n = self.moving.len();
        self.pairs.clear();
        for (i, aabb) in self.boxes.iter().enumerate() {
            for j in self.fixed_tree.intersect_aabb(aabb) {
                self.pairs.push((i as u32, n as u32 + j));
            }
        }
        // sweep of moving shapes along x: a tree would have to be rebuilt in every step
        self.order.clear();
        self.order.extend(
            self.boxes
                .iter()
                .enumerate()
                .map(|(i, aabb)| (aabb.mins.x, i as u32)),
        );
        self.order
            .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (k, (_, i)) in self.order.iter().enumerate() {
            let aabb = &self.boxes[*i as usize];
            for (left, j) in &self.order[k + 1..] {
                if *left > aabb.maxs.x {
                    break;
                }
                if aabb.intersects(&self.boxes[*j as usize]) {
                    self.pairs.push((*i.min(j), *i.max(j)));
                }
            }
        }
        self.pairs.sort_unstable();
    }

    /// Returns shape `j`; fixed shapes are numbered after the moving shapes.
    fn placed(&self, j: usize) -> Placed<'_> {
        let (shape, [start, end]) = match j.checked_sub(self.moving.len()) {
            None => (&self.moving[j], [&self.starts[j], &self.poses[j]]),
            Some(k) => (&self.fixed[k], [&self.fixed_poses[k]; 2]),
        };
        Placed { shape, start, end }
    }

    /// Computes the narrow phase of one pair.
    fn detect_pair(
        &mut self,
        scene: &Scene,
        [i, j]: [usize; 2],
        excluded_pairs: &[[Side; 2]],
        out: &mut Vec<ContactPoint>,
    ) {
        let mut manifolds = std::mem::take(&mut self.manifolds);
        let (a, b) = (self.placed(i), self.placed(j));
        if may_collide(scene, a.shape, b.shape) && !are_coupled(a.shape, b.shape, excluded_pairs) {
            let of_b = (b.shape.body, b.shape.material);
            let template = ContactPoint::between(a.shape, of_b, [i as u32, j as u32]);
            Pair { a, b, template }.detect(&mut manifolds, out);
        }
        self.manifolds = manifolds;
    }

    /// Detects contacts of moving shape `i` with a planar seabed.
    fn detect_seabed(&self, scene: &Scene, i: usize, seabed: &Seabed, out: &mut Vec<ContactPoint>) {
        let n = seabed.normal(0.0, 0.0);
        self.detect_plane(scene, i, n, |p| (p.z - seabed.height(p.x, p.y)) * n.z, out);
    }

    /// Detects contacts of moving shape `i` with the terrain triangles near it; a shape below the
    /// terrain is pushed out as by a plane.
    fn detect_terrain(
        &mut self,
        scene: &Scene,
        i: usize,
        terrain: &Terrain,
        out: &mut Vec<ContactPoint>,
    ) {
        let [low, high] = [self.boxes[i].mins, self.boxes[i].maxs].map(from_parry);
        let center = from_parry(self.poses[i].translation);
        let surface = terrain.height(center.x, center.y);
        if center.z < surface && from_parry(self.starts[i].translation).z < surface {
            let n = terrain.normal(center.x, center.y);
            let surface_point = Vec3::new(center.x, center.y, surface);
            return self.detect_plane(scene, i, n, |p| n.dot(p - surface_point), out);
        }
        let Some(mut ground) = self.ground.take() else {
            return;
        };
        let mut manifolds = std::mem::take(&mut self.manifolds);
        let a = self.placed(i);
        let of_ground = (ContactBody::Seabed, scene.seabed_material);
        let template = ContactPoint::between(a.shape, of_ground, [i as u32, SEABED]);
        terrain.triangles(low, high, |number, corners| {
            let face = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            if let Some(triangle) = ground.shape.make_mut().as_shape_mut::<Triangle>() {
                let [p, q, r] = corners.map(to_parry);
                *triangle = Triangle::new(p, q, r);
            }
            let b = Placed {
                shape: &ground,
                start: &Pose::IDENTITY,
                end: &Pose::IDENTITY,
            };
            let first_new = out.len();
            Pair { a, b, template }.detect(&mut manifolds, out);
            // the terrain is one-sided, and its triangles are identified by their number
            let mut k = first_new;
            while k < out.len() {
                if out[k].n_W.dot(face) <= 0.0 {
                    out.remove(k);
                    continue;
                }
                out[k].features[1] ^= number.wrapping_mul(0x9E37_79B1);
                k += 1;
            }
        });
        self.ground = Some(ground);
        self.manifolds = manifolds;
    }

    /// Returns the contacts of moving shape `i` with a plane of normal `n`; `height` is the
    /// distance of a point from the plane.
    fn detect_plane(
        &self,
        scene: &Scene,
        i: usize,
        n: Vec3,
        height: impl Fn(Vec3) -> f64,
        out: &mut Vec<ContactPoint>,
    ) {
        let (shape, X) = (&self.moving[i], &self.poses[i]);
        let aabb = &self.boxes[i];
        let [center, reach] = [aabb.center(), aabb.half_extents()].map(from_parry);
        if height(center) > n.x.abs() * reach.x + n.y.abs() * reach.y + n.z.abs() * reach.z {
            return;
        }
        let of_ground = (ContactBody::Seabed, scene.seabed_material);
        let template = ContactPoint::between(shape, of_ground, [i as u32, SEABED]);
        let mut add_point = |p: Vec3, radius: f64, feature: u32| {
            let gap = height(p) - radius;
            if gap <= MARGIN {
                out.push(ContactPoint {
                    p_W: p - n.scale(radius + 0.5 * gap),
                    n_W: n,
                    gap,
                    features: [feature, 0],
                    ..template
                });
            }
        };
        if let Some(ball) = shape.shape.as_ball() {
            add_point(from_parry(X.translation), ball.radius, 0);
        } else if let Some((map, radius)) = shape.shape.as_polygonal_feature_map() {
            let down = X.rotation.inverse() * to_parry(-n);
            let mut feature = PolygonalFeature::default();
            map.local_support_feature(down, &mut feature);
            for k in 0..feature.num_vertices {
                add_point(
                    from_parry(*X * feature.vertices[k]),
                    radius,
                    feature.vids[k].0,
                );
            }
        }
    }
}

/// Returns whether a shape at the pose `X` contains the point `p` [m, W].
///
/// A mesh contains the points about which its triangles turn at least half: their solid angles add
/// up to 4π inside and to 0 outside of a closed surface, also where parts of it intersect.
pub(crate) fn contains(shape: &dyn Shape, X: &Pose, p: Vector) -> bool {
    let Some(mesh) = shape.as_trimesh() else {
        return shape.contains_point(X, p);
    };
    if !shape.compute_aabb(X).contains_local_point(p) {
        return false;
    }
    let p = X.inverse_transform_point(p);
    let angle: f64 = mesh
        .triangles()
        .map(|triangle| solid_angle(&triangle, p))
        .sum();
    angle.abs() > std::f64::consts::TAU
}

/// Returns the solid angle of a triangle about `p` [sr], positive behind its front.
fn solid_angle(triangle: &Triangle, p: Vector) -> f64 {
    let [a, b, c] = [triangle.a - p, triangle.b - p, triangle.c - p];
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let above = a.dot(b.cross(c));
    let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * libm::atan2(above, below)
}

/// Creates a manifold with memory for the contact points of two convex shapes.
fn manifold_with_capacity() -> ContactManifold<(), ()> {
    let mut manifold = ContactManifold::new();
    manifold.points.reserve(16);
    manifold
}

/// Returns true if the collision groups allow a contact and the shapes are not adjacent links of
/// one robot.
fn may_collide(scene: &Scene, a: &CollisionShape, b: &CollisionShape) -> bool {
    let groups_match = a.groups.member & b.groups.mask != 0 && b.groups.member & a.groups.mask != 0;
    let (Some((r, la)), Some((s, lb))) = (a.body.link(), b.body.link()) else {
        return groups_match;
    };
    if r != s {
        return groups_match;
    }
    let robot = &scene.robots[r];
    let parent = |l: usize| robot.links[l].parent;
    groups_match
        && robot.self_collision
        && la != lb
        && parent(la) != Some(lb)
        && parent(lb) != Some(la)
}

/// Returns true if a coupling connects the two bodies.
fn are_coupled(a: &CollisionShape, b: &CollisionShape, excluded_pairs: &[[Side; 2]]) -> bool {
    let (a, b) = (a.body.link(), b.body.link());
    !excluded_pairs.is_empty() && excluded_pairs.binary_search(&[a.min(b), a.max(b)]).is_ok()
}

/// A shape at the start and at the end of the step.
#[derive(Clone, Copy)]
struct Placed<'a> {
    shape: &'a CollisionShape,
    start: &'a Pose,
    end: &'a Pose,
}

impl Placed<'_> {
    /// Returns the displacement of the shape in the step, W [m].
    fn displacement(&self) -> Vector {
        self.end.translation - self.start.translation
    }

    /// Returns true if the shape is convex and not made of parts.
    fn is_simple(&self) -> bool {
        let shape = &self.shape.shape;
        shape.as_composite_shape().is_none() && shape.as_heightfield().is_none()
    }
}

/// Two shapes that may touch, and their contact point without its geometry.
struct Pair<'a> {
    a: Placed<'a>,
    b: Placed<'a>,
    template: ContactPoint,
}

impl Pair<'_> {
    /// Adds the contact points of the shapes to `out`: the impact of a fast shape, otherwise the
    /// points that are close at the end of the step.
    fn detect(&self, manifolds: &mut Vec<ContactManifold<(), ()>>, out: &mut Vec<ContactPoint>) {
        let displacement = self.a.displacement() - self.b.displacement();
        let thickness = self.a.shape.thickness.min(self.b.shape.thickness);
        if displacement.length() > thickness
            && let Some(point) = self.cast()
        {
            out.push(point);
        } else {
            self.narrow_phase(manifolds, out);
        }
    }

    /// Computes the contact points of shapes that are close at the end of the step.
    fn narrow_phase(
        &self,
        manifolds: &mut Vec<ContactManifold<(), ()>>,
        out: &mut Vec<ContactPoint>,
    ) {
        let (X_a, X_b) = (self.a.end, self.b.end);
        let are_simple = self.a.is_simple() && self.b.is_simple();
        if are_simple {
            // reuse the memory of one manifold; without points or a normal it keeps no information
            manifolds.truncate(1);
            if manifolds.is_empty() {
                manifolds.push(manifold_with_capacity());
            }
            if let Some(first) = manifolds.first_mut() {
                first.clear();
                first.local_n1 = to_parry(Vec3::zero());
            }
        } else {
            manifolds.clear();
        }
        let X_ab = X_a.inv_mul(X_b);
        let (a, b) = (&*self.a.shape.shape, &*self.b.shape.shape);
        // does not fail for the types of shapes that `shapes::build_shapes` creates
        let result =
            DefaultQueryDispatcher.contact_manifolds(&X_ab, a, b, MARGIN, manifolds, &mut None);
        if result.is_err() || are_simple && self.clip_flat_features(&manifolds[0], out) {
            return;
        }
        for manifold in manifolds.iter() {
            let n_W = -from_parry(X_a.rotation * manifold.local_n1);
            for point in &manifold.points {
                // a distance that is not a number is kept, so that the robot halts
                if point.dist > MARGIN {
                    continue;
                }
                let [p_a, p_b] = [
                    *X_a * part_to_shape(manifold.subshape_pos1(), point.local_p1),
                    *X_b * part_to_shape(manifold.subshape_pos2(), point.local_p2),
                ]
                .map(from_parry);
                out.push(ContactPoint {
                    p_W: (p_a + p_b).scale(0.5),
                    n_W,
                    gap: point.dist,
                    features: [
                        point.fid1.0 ^ manifold.subshape1.rotate_left(16),
                        point.fid2.0 ^ manifold.subshape2.rotate_left(16),
                    ],
                    ..self.template
                });
            }
        }
    }

    /// Computes contact points of faces or edges by clipping. Returns false if there are none;
    /// parry's points are then used.
    fn clip_flat_features(
        &self,
        manifold: &ContactManifold<(), ()>,
        out: &mut Vec<ContactPoint>,
    ) -> bool {
        let maps = [self.a, self.b].map(|side| side.shape.shape.as_polygonal_feature_map());
        let [Some((map_a, r_a)), Some((map_b, r_b))] = maps else {
            return false;
        };
        let n1 = manifold.local_n1;
        if n1.length_squared() < 0.5 {
            return false;
        }
        let m = self.a.end.rotation * n1;
        let f_a = support_feature(map_a, self.a.end, m);
        let f_b = support_feature(map_b, self.b.end, -m);
        let m = from_parry(m);
        let mut clipped_points = [ClippedPoint::default(); 8];
        let swap = f_a.n < 3;
        let n = if swap {
            clip::clip_features(&f_b, &f_a, -m, &mut clipped_points)
        } else {
            clip::clip_features(&f_a, &f_b, m, &mut clipped_points)
        };
        for clipped_point in &clipped_points[..n] {
            let gap = clipped_point.gap - r_a - r_b;
            if gap <= MARGIN {
                // halfway between the two surfaces
                let (own, towards) = if swap { (r_a, m) } else { (r_b, -m) };
                let [i, j] = clipped_point.ids;
                out.push(ContactPoint {
                    p_W: clipped_point.p + towards.scale(own + 0.5 * gap),
                    n_W: -m,
                    gap,
                    features: if swap { [j, i] } else { [i, j] },
                    ..self.template
                });
            }
        }
        n > 0
    }

    /// Returns the contact of the shapes on straight paths through the step, if they hit each
    /// other.
    fn cast(&self) -> Option<ContactPoint> {
        let (a, b) = (self.a, self.b);
        let (d_a, d_b) = (a.displacement(), b.displacement());
        let options = ShapeCastOptions {
            max_time_of_impact: 1.0,
            target_distance: 0.0,
            // overlapping shapes that separate do not cause an impact
            stop_at_penetration: false,
            compute_impact_geometry_on_penetration: true,
        };
        let (shape_a, shape_b) = (&*a.shape.shape, &*b.shape.shape);
        let hit = cast_shapes(a.start, d_a, shape_a, b.start, d_b, shape_b, options).ok()??;
        let impact_fraction = hit.time_of_impact;
        let n_W = -from_parry(a.start.rotation * hit.normal1);
        let approach = from_parry(d_a - d_b).dot(n_W);
        if impact_fraction <= 0.0 || approach >= 0.0 {
            return None;
        }
        // moved to the positions of both at the end of the step
        let p_a = from_parry(*a.start * hit.witness1 + d_a);
        let p_b = from_parry(*b.start * hit.witness2 + d_b);
        Some(ContactPoint {
            p_W: (p_a + p_b).scale(0.5),
            n_W,
            gap: (1.0 - impact_fraction) * approach,
            impact_fraction: Some(impact_fraction),
            ..self.template
        })
    }
}

/// Returns the face, edge or vertex of a shape at the pose `X` that lies farthest in the direction
/// `towards`, W.
#[inline]
fn support_feature(map: &dyn PolygonalFeatureMap, X: &Pose, towards: Vector) -> Feature {
    let mut feature = PolygonalFeature::default();
    map.local_support_feature(X.rotation.inverse() * towards, &mut feature);
    let n = feature.num_vertices;
    let corner = |k: usize| {
        if k < n {
            from_parry(*X * feature.vertices[k])
        } else {
            Vec3::zero()
        }
    };
    Feature {
        corners: std::array::from_fn(corner),
        ids: feature.vids.map(|id| id.0),
        n,
    }
}

/// Transforms a point of a part of a shape to the frame of the whole shape.
fn part_to_shape(part: Option<&Pose>, p: Vector) -> Vector {
    part.map_or(p, |X| *X * p)
}

/// Returns the pose in the world of a fixed shape.
pub(crate) fn fixed_pose(scene: &Scene, shape: &CollisionShape) -> Pose {
    let Some((r, _)) = shape.body.link() else {
        return shape.X_LG;
    };
    let start = &scene.robots[r].start;
    let [roll, pitch, yaw] = start.rpy;
    shapes::pose(&Mat3::from_rpy(roll, pitch, yaw), start.p_WB) * shape.X_LG
}
