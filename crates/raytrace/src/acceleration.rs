//! Groups of posed shapes with a tree over their bounding boxes (top-level acceleration structure).
//!
//! # Law
//! The search starts where the ray may first enter the bounding sphere of all shapes:
//! ```text
//!   t_0 = max(range_0, -m·d - r),   none if m·m - (m·d)² > r²,   m = o - c          (1)
//! ```
//! A distant origin therefore costs no precision. Each shape is then tested in its own frame, in
//! double precision.
//!
//! # Symbols
//! o origin, d direction of the ray; c centre, r radius of the sphere.
//!
//! # Frames
//! World; shapes in their own frames G, by R_WG and p_WG.
//!
//! # Limits
//! Terrains have no bounding box. They are tested one by one, last.
//!
//! # Checked by
//! The tests of `mod.rs`; test/sensors/raytrace.rs

use crate::beam::Beam;
use crate::bvh::{Bounds, BuildQuality, Tree};
use crate::mesh::{LocalHit, LocalRay, PacketSearch, round_up_f32};
use crate::probe::TreeRay;
use crate::ray_bounds::RayBounds;
use crate::ray_packet::{
    PacketStack, PacketTraversal, RAYS, RayPacket, has_common_signs, pop_lowest_bit,
};
use crate::traverse::{BoxStack, RayPlanes, Traversal, TreeContents};
use crate::{BEAM_RAYS, Hit, PosedShape, Ray, RayShape, primitive};
use merrow_math::Vec3;
use merrow_math::f32x8::F32x8;
use std::ops::Range;

/// Minimum number of rays for which a mesh is traversed as one packet.
const MIN_PACKET_RAYS: u32 = 3;

/// Working memory that consecutive searches share. Allocating it takes as long as a short search.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchMemory {
    /// Stacks of a single ray, in the trees of a group and of a mesh.
    pub stacks: [BoxStack; 2],
    /// Stack and state of a ray packet.
    outer: Box<PacketStack>,
    inner: Box<PacketSearch>,
}

/// Number of rays that are few.
const FEW_RAYS: usize = 16;
/// Number of shapes whose common box is tested against a beam first.
const CLUSTER: usize = 8;
/// Maximum number of shapes whose boxes are tested against a beam.
const MAX_BEAM_SHAPES: usize = 256;
/// Growth of the boxes of a tree beyond which it is rebuilt.
const MAX_GROWTH: f32 = 2.0;

/// Returns the box around boxes, all given by centre and half size [m]; `None` without boxes.
fn common_box(boxes: impl Iterator<Item = (Vec3, Vec3)>) -> Option<(Vec3, Vec3)> {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for (center, half) in boxes {
        for axis in 0..3 {
            low[axis] = low[axis].min(center[axis] - half[axis]);
            high[axis] = high[axis].max(center[axis] + half[axis]);
        }
    }
    if low[0] > high[0] {
        return None;
    }
    let (low, high) = (Vec3::from(low), Vec3::from(high));
    Some(((low + high).scale(0.5), (high - low).scale(0.5)))
}

/// Returns centre and radius [m] of a sphere around boxes, given by centre and half size [m];
/// `None` without boxes.
fn bounding_sphere(boxes: impl Iterator<Item = (Vec3, Vec3)>) -> Option<(Vec3, f64)> {
    let (center, half) = common_box(boxes)?;
    Some((center, half.norm() * (1.0 + 1e-6) + 1e-9))
}

/// Returns a box, given by centre and half size [m], in the frame of a tree with this bounding
/// sphere.
fn tree_box((center, half): &(Vec3, Vec3), origin: Vec3, radius: f64) -> Bounds {
    let margin = radius * 1e-6;
    let corner = |sign: f64| {
        let corner = *center - origin + half.scale(sign);
        corner.to_array().map(|x| (x + sign * margin) as f32)
    };
    [corner(-1.0), corner(1.0)]
}

/// Shapes and the tree over their bounding boxes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShapeGroup {
    shapes: Vec<PosedShape>,
    /// Indices of the shapes in the order of the leaves.
    order: Vec<u32>,
    tree: Tree,
    /// Bounding sphere of all shapes [m], W.
    center: Vec3,
    radius: f64,
    /// Shapes without a bounding box.
    unbounded: Vec<u32>,
    /// Area of the boxes of the tree when it was built [m²].
    built_area: f32,
    /// Workspace: boxes of all shapes in the frame of the tree.
    boxes: Vec<Bounds>,
    /// Indices of the shapes with a box, and centres and half sizes of the boxes [m], W, in the
    /// order of the leaves.
    extents: Vec<(u32, (Vec3, Vec3))>,
    /// Centres and half sizes of the boxes around each [`CLUSTER`] consecutive shapes [m], W.
    clusters: Vec<(Vec3, Vec3)>,
}

impl ShapeGroup {
    /// Builds a group of these shapes.
    pub(crate) fn new(shapes: Vec<PosedShape>, quality: BuildQuality) -> Self {
        let mut group = Self {
            shapes,
            ..Self::default()
        };
        group.rebuild(quality);
        group
    }

    /// Returns the shapes of the group with their poses.
    pub(crate) fn shapes(&self) -> &[PosedShape] {
        &self.shapes
    }

    /// Changes the poses and rebuilds the tree.
    pub(crate) fn update_poses(&mut self, change: impl FnOnce(&mut [PosedShape])) {
        change(&mut self.shapes);
        self.rebuild(BuildQuality::Fast);
    }

    /// Changes the poses and fits the boxes of the tree to them, without an allocation. A tree
    /// whose boxes have become [`MAX_GROWTH`] times as large is rebuilt.
    pub(crate) fn refit_poses(&mut self, change: impl FnOnce(&mut [PosedShape])) {
        change(&mut self.shapes);
        if !self.refit() {
            self.rebuild(BuildQuality::Fast);
        }
    }

    /// Fits the boxes of the tree to the shapes. Returns false if the tree must be rebuilt.
    fn refit(&mut self) -> bool {
        let extents = || self.shapes.iter().filter_map(PosedShape::extent);
        let has_all = |order: &[u32]| {
            let mut bounded = order.iter().map(|k| self.shapes[*k as usize].extent());
            bounded.all(|extent| extent.is_some())
        };
        if extents().count() != self.order.len() || !has_all(&self.order) {
            return false;
        }
        let Some((center, radius)) = bounding_sphere(extents()) else {
            return true;
        };
        (self.center, self.radius) = (center, radius);
        self.boxes.clear();
        self.extents.clear();
        for k in &self.order {
            if let Some(extent) = self.shapes[*k as usize].extent() {
                self.boxes.push(tree_box(&extent, center, radius));
                self.extents.push((*k, extent));
            }
        }
        self.update_clusters();
        let boxes = &self.boxes;
        let area = self.tree.refit(|first| boxes[first as usize]);
        area <= MAX_GROWTH * self.built_area
    }

    fn rebuild(&mut self, quality: BuildQuality) {
        let mut bounded = Vec::new();
        self.unbounded.clear();
        for (k, placed) in self.shapes.iter().enumerate() {
            match placed.extent() {
                Some(extent) => bounded.push((k as u32, extent)),
                None if matches!(placed.shape, RayShape::Ground(_)) => {
                    self.unbounded.push(k as u32)
                }
                // A shape without a valid pose is omitted.
                None => {}
            }
        }
        self.order.clear();
        self.extents.clear();
        self.clusters.clear();
        let extents = bounded.iter().map(|(_, extent)| *extent);
        let Some((center, radius)) = bounding_sphere(extents.clone()) else {
            self.tree = Tree::default();
            return;
        };
        (self.center, self.radius) = (center, radius);
        let boxes: Vec<Bounds> = extents.map(|e| tree_box(&e, center, radius)).collect();
        let (order, leaves) = (&mut self.order, &mut self.extents);
        self.tree = Tree::new(&boxes, 1, quality, |list| {
            leaves.extend(list.iter().map(|i| bounded[*i as usize]));
            order.extend(list.iter().map(|i| bounded[*i as usize].0));
            (order.len() as u32 - 1, 1)
        });
        self.built_area = self.tree.area();
        self.update_clusters();
    }

    /// Computes the boxes of the clusters.
    fn update_clusters(&mut self) {
        self.clusters.clear();
        let clusters = self.extents.chunks(CLUSTER);
        let boxes = clusters.filter_map(|all| common_box(all.iter().map(|(_, extent)| *extent)));
        self.clusters.extend(boxes);
    }

    /// Returns the centres and half sizes of the bounding boxes [m], W; `None` if a shape has no
    /// bounding box.
    pub(crate) fn boxes(&self) -> Option<impl Iterator<Item = (Vec3, Vec3)>> {
        let boxes = self.extents.iter().map(|(_, extent)| *extent);
        self.unbounded.is_empty().then_some(boxes)
    }

    /// Returns true if a shape has a bounding box.
    #[inline(always)]
    pub(crate) fn has_tree(&self) -> bool {
        !self.tree.nodes.is_empty()
    }

    /// Returns false if no ray of the beam hits a shape with a bounding box. `first` is the index
    /// of the group's first shape; shapes whose indices are in `skip` are ignored.
    #[inline(always)]
    pub(crate) fn may_be_hit(&self, beam: &Beam, skip: &Range<u32>, first: u32) -> bool {
        let radius = Vec3::new(self.radius, self.radius, self.radius);
        self.has_tree()
            && beam.may_hit(&(self.center, radius))
            && (self.extents.len() > MAX_BEAM_SHAPES
                || self.clusters.iter().zip(self.extents.chunks(CLUSTER)).any(
                    |(cluster, extents)| {
                        beam.may_hit(cluster)
                            && extents.iter().any(|(k, extent)| {
                                !skip.contains(&(first + k)) && beam.may_hit(extent)
                            })
                    },
                ))
    }

    /// Returns the start of a search that ends at the distance `limit` [m]: the ray in the frame of
    /// the tree, and the distance of its origin [m]. `None` if the ray misses the bounding sphere.
    #[inline(always)]
    fn start_search(&self, ray: &Ray, limit: f64) -> Option<(TreeRay, f64)> {
        let shift = self.entry_distance(ray, limit)?;
        Some((self.probe(ray, shift), shift))
    }

    /// Returns the distance (1) [m]; `None` if the ray misses the bounding sphere or enters it
    /// beyond `limit` [m].
    #[inline(always)]
    fn entry_distance(&self, ray: &Ray, limit: f64) -> Option<f64> {
        let (m, d) = (ray.origin - self.center, ray.direction);
        let along = m.dot(d);
        let outside = m.dot(m) - along * along > self.radius * self.radius;
        let shift = (-along - self.radius).max(ray.range[0]);
        let is_missed = self.tree.nodes.is_empty() || outside || shift > limit;
        (!is_missed).then_some(shift)
    }

    /// Returns the ray in the frame of the tree, from the distance `shift` [m] on.
    #[inline(always)]
    fn probe(&self, ray: &Ray, shift: f64) -> TreeRay {
        let o = ray.origin - self.center + ray.direction.scale(shift);
        TreeRay::new(o, ray.direction, ray.range[0] - shift)
    }

    /// Searches the shapes with a bounding box for the closest hit of `query`. Returns true if the
    /// search can end, because there is a hit and `ANY` is set.
    #[inline(always)]
    pub(crate) fn search<E: F32x8, const ANY: bool>(
        &self,
        query: &mut Query<'_>,
        [outer, inner]: &mut [BoxStack; 2],
    ) -> bool {
        if let Some((probe, shift)) = self.start_search(query.ray, query.limit()) {
            if let [only] = self.order[..] {
                // The tree of a single shape needs no traversal.
                if self.test_shape::<E, ANY>(only, shift, query, inner) {
                    return true;
                }
            } else {
                let (planes, mut traversal) = (RayPlanes::<E>::new(&probe), Traversal::new(&probe));
                loop {
                    let down = match traversal.position() {
                        Ok(number) => {
                            let limit = round_up_f32(query.limit() - shift);
                            traversal.descend(outer, self, number, &planes, limit)
                        }
                        Err((leaf, _)) => {
                            let from = shift + f64::from(traversal.entered());
                            if self.test_shape::<E, ANY>(
                                self.order[leaf as usize],
                                from,
                                query,
                                inner,
                            ) {
                                return true;
                            }
                            false
                        }
                    };
                    if !down && !traversal.resume(outer, round_up_f32(query.limit() - shift)) {
                        break;
                    }
                }
            }
        }
        false
    }

    /// Does the same as [`Self::search`] with the shapes without a bounding box.
    #[inline(always)]
    pub(crate) fn search_unbounded<E: F32x8, const ANY: bool>(
        &self,
        query: &mut Query<'_>,
        stack: &mut BoxStack,
    ) -> bool {
        for k in &self.unbounded {
            if self.test_shape::<E, ANY>(*k, query.ray.range[0], query, stack) {
                return true;
            }
        }
        false
    }

    /// Searches the shapes without a bounding box for the closest hits of rays of similar
    /// direction. `first` is the index of the group's first shape.
    pub(crate) fn search_unbounded_all(
        &self,
        rays: &[Ray],
        own: (&Range<u32>, u32),
        hits: &mut [Option<Hit>],
    ) {
        // preparing the memory for many rays takes as long as a search with few
        if rays.len() <= FEW_RAYS {
            self.search_unbounded_chunks::<FEW_RAYS>(rays, own, hits);
        } else {
            self.search_unbounded_chunks::<BEAM_RAYS>(rays, own, hits);
        }
    }

    /// Does the same as [`Self::search_unbounded_all`], with `N` rays at once.
    fn search_unbounded_chunks<const N: usize>(
        &self,
        rays: &[Ray],
        (skip, first): (&Range<u32>, u32),
        hits: &mut [Option<Hit>],
    ) {
        for number in self
            .unbounded
            .iter()
            .filter(|k| !skip.contains(&(first + **k)))
        {
            let placed = &self.shapes[*number as usize];
            let RayShape::Ground(ground) = &placed.shape else {
                continue;
            };
            let mut local_rays = [LocalRay::default(); N];
            for (rays, hits) in rays.chunks(N).zip(hits.chunks_mut(N)) {
                for (local_ray, (ray, hit)) in local_rays.iter_mut().zip(rays.iter().zip(&*hits)) {
                    *local_ray = placed.to_local_ray(ray, limit(ray, hit), ray.range[0]);
                }
                let bounds = |rays: &[Ray], local_rays: &[LocalRay]| {
                    let both = rays.iter().zip(local_rays);
                    let valid = both.filter(|(ray, _)| ray.is_valid());
                    RayBounds::new(valid.map(|(_, local_ray)| [local_ray.o, local_ray.d]))
                };
                let start = rays.iter().map(|ray| ray.range[0]).fold(f64::MAX, f64::min);
                let all = bounds(rays, &local_rays);
                let shared = ground.clearance(&all, ground.clearance_up_to(start));
                for (k, (rays, hits)) in rays.chunks(RAYS).zip(hits.chunks_mut(RAYS)).enumerate() {
                    let local_rays = &local_rays[RAYS * k..];
                    // fewer rays, of more similar direction, are above the terrain for longer
                    let clearance = ground.clearance(&bounds(rays, local_rays), shared);
                    let both = rays.iter().zip(local_rays);
                    for ((ray, local_ray), hit) in both.zip(hits) {
                        if ray.is_valid() {
                            let found = ground.closest_beyond(local_ray, clearance);
                            record_if_closer(hit, placed, first + number, found);
                        }
                    }
                }
            }
        }
    }

    /// Searches as [`Self::search`], as one packet, with the rays whose bits are set in `which`.
    /// `first` is the index of the group's first shape.
    ///
    /// Returns false, with no hit recorded, if the directions of the rays differ in the sign of a
    /// component.
    #[inline(always)]
    pub(crate) fn search_packet<E: F32x8>(
        &self,
        rays: &[Ray],
        which: u32,
        (skip, first): (&Range<u32>, u32),
        memory: &mut SearchMemory,
        hits: &mut [Option<Hit>],
    ) -> bool {
        let (mut inside, mut left, mut shifts) = (0, which, [0.0; RAYS]);
        let mut limits = [f32::NEG_INFINITY; RAYS];
        while let Some(i) = pop_lowest_bit(&mut left) {
            let limit = limit(&rays[i], &hits[i]);
            if let Some(shift) = self.entry_distance(&rays[i], limit) {
                (inside, shifts[i], limits[i]) =
                    (inside | 1 << i, shift, round_up_f32(limit - shift));
            }
        }
        let mut only = self.order.len() == 1 && inside != 0;
        let (mut packet, mut traversal) = (None, PacketTraversal::at_root());
        // The tree of a single shape needs no traversal.
        if inside != 0 && !only {
            let (mut probes, mut left) = ([TreeRay::default(); RAYS], inside);
            while let Some(i) = pop_lowest_bit(&mut left) {
                probes[i] = self.probe(&rays[i], shifts[i]);
            }
            if !has_common_signs(&probes, inside) {
                return false;
            }
            packet = Some(RayPacket::<E>::new(&probes, inside));
        }
        loop {
            let mut from = shifts;
            let (k, entering) = if std::mem::take(&mut only) {
                (self.order[0], inside)
            } else if let Some(packet) = &packet
                && let Some(arrival) = traversal.next(packet, self, &mut memory.outer, &limits)
            {
                from.iter_mut()
                    .zip(arrival.entered)
                    .for_each(|(from, t)| *from += f64::from(t));
                (self.order[arrival.leaf.0 as usize], arrival.rays)
            } else {
                return true;
            };
            if skip.contains(&(first + k)) {
                continue;
            }
            self.test_shape_packet::<E>(k, entering, &from, (rays, skip, first), memory, hits);
            let mut left = entering & inside;
            while let Some(i) = pop_lowest_bit(&mut left) {
                limits[i] = round_up_f32(limit(&rays[i], &hits[i]) - shifts[i]);
            }
        }
    }

    /// Tests a shape as [`Self::test_shape`], for the rays whose bits are set in `which`.
    #[inline(always)]
    fn test_shape_packet<E: F32x8>(
        &self,
        k: u32,
        mut which: u32,
        from: &[f64; RAYS],
        (rays, skip, first): (&[Ray], &Range<u32>, u32),
        memory: &mut SearchMemory,
        hits: &mut [Option<Hit>],
    ) {
        let placed = &self.shapes[k as usize];
        if let RayShape::Mesh(mesh) = &placed.shape
            && which.count_ones() >= MIN_PACKET_RAYS
        {
            let mut left = which;
            while let Some(i) = pop_lowest_bit(&mut left) {
                memory.inner.local_rays[i] =
                    placed.to_local_ray(&rays[i], limit(&rays[i], &hits[i]), from[i]);
            }
            if mesh.run_packet::<E>(&mut memory.inner, which) {
                while let Some(i) = pop_lowest_bit(&mut which) {
                    let hit = mesh.packet_hit(&memory.inner, i);
                    record_if_closer(&mut hits[i], placed, first + k, hit);
                }
                return;
            }
        }
        while let Some(i) = pop_lowest_bit(&mut which) {
            let mut query = Query {
                ray: &rays[i],
                skip,
                first,
                best: hits[i],
            };
            self.test_shape::<E, false>(k, from[i], &mut query, &mut memory.stacks[1]);
            hits[i] = query.best;
        }
    }

    /// Tests shape `k`, near which the ray is at the distance `from` [m].
    #[inline(always)]
    fn test_shape<E: F32x8, const ANY: bool>(
        &self,
        k: u32,
        from: f64,
        query: &mut Query<'_>,
        stack: &mut BoxStack,
    ) -> bool {
        if query.skips(k) {
            return false;
        }
        let placed = &self.shapes[k as usize];
        let local_ray = placed.to_local_ray(query.ray, query.limit(), from);
        let hit = match &placed.shape {
            RayShape::Mesh(mesh) if mesh.is_empty() => return false,
            RayShape::Mesh(mesh) => mesh.closest::<E, ANY>(&local_ray, stack),
            RayShape::Primitive(primitive) => primitive::closest(primitive, &local_ray),
            RayShape::Ground(ground) => ground.closest(&local_ray),
        };
        query.record(placed, k, hit);
        ANY && query.best.is_some()
    }
}

impl TreeContents for ShapeGroup {
    #[inline(always)]
    fn tree(&self) -> &Tree {
        &self.tree
    }

    // The tree is small enough to stay in the cache.
    #[inline(always)]
    fn prefetch<E: F32x8>(&self, _: Result<usize, (u32, u32)>) {}
}

/// A ray and its closest hit so far.
pub(crate) struct Query<'a> {
    /// Ray in the world frame.
    pub ray: &'a Ray,
    /// Indices of the shapes to ignore.
    pub skip: &'a Range<u32>,
    /// Index of the group's first shape.
    pub first: u32,
    /// Closest hit so far.
    pub best: Option<Hit>,
}

impl Query<'_> {
    /// Returns true if shape `k` of the group is to be ignored.
    #[inline(always)]
    fn skips(&self, k: u32) -> bool {
        self.skip.contains(&(self.first + k))
    }

    /// Returns the maximum distance of a further hit [m].
    #[inline(always)]
    fn limit(&self) -> f64 {
        limit(self.ray, &self.best)
    }

    /// Records a hit on shape `k` of the group if it is closer. At equal distances the lowest index
    /// wins.
    #[inline(always)]
    fn record(&mut self, placed: &PosedShape, k: u32, hit: Option<LocalHit>) {
        record_if_closer(&mut self.best, placed, self.first + k, hit);
    }
}

#[inline(always)]
fn limit(ray: &Ray, best: &Option<Hit>) -> f64 {
    match best {
        Some(hit) => hit.distance,
        None => ray.range[1],
    }
}

#[inline(always)]
fn record_if_closer(
    best: &mut Option<Hit>,
    placed: &PosedShape,
    shape: u32,
    hit: Option<LocalHit>,
) {
    let Some(hit) = hit else { return };
    let t = hit.distance;
    let is_nearer = |best: &Hit| t < best.distance || t == best.distance && shape < best.shape;
    if best.as_ref().is_none_or(is_nearer) {
        *best = Some(Hit {
            distance: hit.distance,
            normal: placed.R_WG.mul_vec(hit.normal),
            shape,
            face: hit.face,
        });
    }
}
