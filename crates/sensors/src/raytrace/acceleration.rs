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

use crate::raytrace::bvh::{Bounds, BuildQuality, Tree};
use crate::raytrace::mesh::{LocalHit, PacketSearch, round_up_f32};
use crate::raytrace::packet8::F32x8;
use crate::raytrace::probe::TreeRay;
use crate::raytrace::ray_packet::{
    PacketStack, PacketTraversal, RAYS, RayPacket, has_common_signs, pop_lowest_bit,
};
use crate::raytrace::traverse::{BoxStack, Holds, RayPlanes, Traversal};
use crate::raytrace::{Hit, PosedShape, Ray, Shape};
use merrow_math::Vec3;
use std::ops::Range;

/// Minimum number of rays for which a mesh is traversed as one packet.
const FEW: u32 = 3;

/// Working memory that consecutive searches share. Allocating it takes as long as a short search.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchMemory {
    /// Stacks of a single ray, in the tree of a group and in that of a mesh.
    pub kept: [BoxStack; 2],
    /// Stack and state of a ray packet.
    outer: Box<PacketStack>,
    inner: Box<PacketSearch>,
}

/// Shapes and the tree over their bounding boxes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShapeGroup {
    shapes: Vec<PosedShape>,
    /// Indices of the shapes in the order of the leaves.
    order: Vec<u32>,
    tree: Tree,
    /// Bounding sphere of all shapes [m], W.
    centre: Vec3,
    radius: f64,
    /// Shapes without a bounding box.
    boundless: Vec<u32>,
}

impl ShapeGroup {
    /// Builds a group of these shapes.
    pub(crate) fn new(shapes: Vec<PosedShape>, care: BuildQuality) -> Self {
        let mut group = Self {
            shapes,
            ..Self::default()
        };
        group.rebuild(care);
        group
    }

    /// Shapes of the group with their poses.
    pub(crate) fn shapes(&self) -> &[PosedShape] {
        &self.shapes
    }

    /// Changes the poses and rebuilds the tree.
    pub(crate) fn update_poses(&mut self, change: impl FnOnce(&mut [PosedShape])) {
        change(&mut self.shapes);
        self.rebuild(BuildQuality::Fast);
    }

    fn rebuild(&mut self, care: BuildQuality) {
        let mut bounded = Vec::new();
        self.boundless.clear();
        for (k, placed) in self.shapes.iter().enumerate() {
            match placed.extent() {
                Some(extent) => bounded.push((k as u32, extent)),
                None if matches!(placed.shape, Shape::Ground(_)) => self.boundless.push(k as u32),
                // A shape without a valid pose is omitted.
                None => {}
            }
        }
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for (_, (middle, half)) in &bounded {
            for axis in 0..3 {
                low[axis] = low[axis].min(middle[axis] - half[axis]);
                high[axis] = high[axis].max(middle[axis] + half[axis]);
            }
        }
        self.order.clear();
        if bounded.is_empty() {
            self.tree = Tree::default();
            return;
        }
        let (low, high) = (Vec3::from(low), Vec3::from(high));
        self.centre = (low + high).scale(0.5);
        self.radius = 0.5 * (high - low).norm() * (1.0 + 1e-6) + 1e-9;
        let room = self.radius * 1e-6;
        let boxes: Vec<Bounds> = bounded
            .iter()
            .map(|(_, (middle, half))| {
                let at = |sign: f64| {
                    let corner = *middle - self.centre + half.scale(sign);
                    corner.to_array().map(|x| (x + sign * room) as f32)
                };
                [at(-1.0), at(1.0)]
            })
            .collect();
        let order = &mut self.order;
        self.tree = Tree::new(&boxes, 1, care, |list| {
            order.extend(list.iter().map(|i| bounded[*i as usize].0));
            (order.len() as u32 - 1, 1)
        });
    }

    /// Start of a search that ends at the distance `limit` [m]: the ray in the frame of the tree,
    /// and the distance of its origin [m]. `None` if the ray misses the bounding sphere.
    #[inline(always)]
    pub(crate) fn enter(&self, ray: &Ray, limit: f64) -> Option<(TreeRay, f64)> {
        let shift = self.first(ray, limit)?;
        Some((self.probe(ray, shift), shift))
    }

    /// Distance (1) [m]; `None` if the ray misses the bounding sphere or enters it beyond `limit`
    /// [m].
    #[inline(always)]
    pub(crate) fn first(&self, ray: &Ray, limit: f64) -> Option<f64> {
        let (m, d) = (ray.origin - self.centre, ray.direction);
        let along = m.dot(d);
        let outside = m.dot(m) - along * along > self.radius * self.radius;
        let shift = (-along - self.radius).max(ray.range[0]);
        if self.tree.nodes.is_empty() || outside || shift > limit {
            None
        } else {
            Some(shift)
        }
    }

    /// Ray in the frame of the tree, from the distance `shift` [m] on.
    #[inline(always)]
    pub(crate) fn probe(&self, ray: &Ray, shift: f64) -> TreeRay {
        let o = ray.origin - self.centre + ray.direction.scale(shift);
        TreeRay::new(o, ray.direction, ray.range[0] - shift)
    }

    /// Indices of the shapes in the order of the leaves.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Indices of the shapes without a bounding box.
    pub(crate) fn boundless(&self) -> &[u32] {
        &self.boundless
    }

    /// Searches the shapes of the group for the closest hit of `query`. Returns true if the search
    /// can end, because there is a hit and `ANY` is set.
    #[inline(always)]
    pub(crate) fn search<E: F32x8, const ANY: bool>(
        &self,
        query: &mut Query<'_>,
        [kept, inner]: &mut [BoxStack; 2],
    ) -> bool {
        if let Some((probe, shift)) = self.enter(query.ray, query.limit()) {
            if let [only] = *self.order() {
                // The tree of a single shape needs no traversal.
                if self.test_shape::<E, ANY>(only, shift, query, inner) {
                    return true;
                }
            } else {
                let (planes, mut walk) = (RayPlanes::<E>::new(&probe), Traversal::new(&probe));
                loop {
                    let down = match walk.here() {
                        Ok(number) => {
                            let limit = round_up_f32(query.limit() - shift);
                            walk.descend(kept, self, number, &planes, limit)
                        }
                        Err((leaf, _)) => {
                            let from = shift + f64::from(walk.entered());
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
                    if !down && !walk.resume(kept, round_up_f32(query.limit() - shift)) {
                        break;
                    }
                }
            }
        }
        for k in &self.boundless {
            if self.test_shape::<E, ANY>(*k, query.ray.range[0], query, inner) {
                return true;
            }
        }
        false
    }

    /// As [`Group::search`] for those of eight `rays` whose bits are set in `which`, as one packet.
    /// `first` is the index of the group's first shape.
    ///
    /// Returns false, with no hit recorded, if the directions of the rays differ in the sign of a
    /// component.
    #[inline(always)]
    pub(crate) fn search_bundle<E: F32x8>(
        &self,
        rays: &[Ray],
        which: u32,
        (skip, first): (&Range<u32>, u32),
        room: &mut SearchMemory,
        hits: &mut [Option<Hit>],
    ) -> bool {
        let (mut inside, mut left, mut shifts) = (0, which, [0.0; RAYS]);
        let mut limits = [f32::NEG_INFINITY; RAYS];
        while let Some(i) = pop_lowest_bit(&mut left) {
            let limit = limit(&rays[i], &hits[i]);
            if let Some(shift) = self.first(&rays[i], limit) {
                (inside, shifts[i], limits[i]) =
                    (inside | 1 << i, shift, round_up_f32(limit - shift));
            }
        }
        let (mut only, mut boundless) =
            (self.order.len() == 1 && inside != 0, self.boundless.iter());
        let (mut bundle, mut tour) = (None, PacketTraversal::at_root());
        // The tree of a single shape needs no traversal.
        if inside != 0 && !only {
            let (mut probes, mut left) = ([TreeRay::default(); RAYS], inside);
            while let Some(i) = pop_lowest_bit(&mut left) {
                probes[i] = self.probe(&rays[i], shifts[i]);
            }
            if !has_common_signs(&probes, inside) {
                return false;
            }
            bundle = Some(RayPacket::<E>::new(&probes, inside));
        }
        loop {
            let mut from = shifts;
            let (k, these) = if std::mem::take(&mut only) {
                (self.order[0], inside)
            } else if let Some(bundle) = &bundle
                && let Some(arrival) = tour.next(bundle, self, &mut room.outer, &limits)
            {
                from.iter_mut()
                    .zip(arrival.entered)
                    .for_each(|(from, t)| *from += f64::from(t));
                (self.order[arrival.leaf.0 as usize], arrival.rays)
            } else if let Some(k) = boundless.next() {
                from.iter_mut()
                    .zip(rays)
                    .for_each(|(from, ray)| *from = ray.range[0]);
                (*k, which)
            } else {
                return true;
            };
            if skip.contains(&(first + k)) {
                continue;
            }
            self.test_shape_packet::<E>(k, these, &from, (rays, skip, first), room, hits);
            let mut left = these & inside;
            while let Some(i) = pop_lowest_bit(&mut left) {
                limits[i] = round_up_f32(limit(&rays[i], &hits[i]) - shifts[i]);
            }
        }
    }

    /// As [`Group::ask`] for those of eight rays whose bits are set in `which`.
    #[inline(always)]
    fn test_shape_packet<E: F32x8>(
        &self,
        k: u32,
        mut which: u32,
        from: &[f64; RAYS],
        (rays, skip, first): (&[Ray], &Range<u32>, u32),
        room: &mut SearchMemory,
        hits: &mut [Option<Hit>],
    ) {
        let placed = &self.shapes[k as usize];
        if let Shape::Mesh(mesh) = &placed.shape
            && which.count_ones() >= FEW
        {
            let mut left = which;
            while let Some(i) = pop_lowest_bit(&mut left) {
                room.inner.ways[i] =
                    placed.to_local_ray(&rays[i], limit(&rays[i], &hits[i]), from[i]);
            }
            if mesh.run_packet::<E>(&mut room.inner, which) {
                while let Some(i) = pop_lowest_bit(&mut which) {
                    let met = mesh.packet_hit(&room.inner, i);
                    settle(&mut hits[i], placed, first + k, met);
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
            self.test_shape::<E, false>(k, from[i], &mut query, &mut room.kept[1]);
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
        kept: &mut BoxStack,
    ) -> bool {
        if query.skips(k) {
            return false;
        }
        let placed = &self.shapes[k as usize];
        let way = placed.to_local_ray(query.ray, query.limit(), from);
        let met = match &placed.shape {
            Shape::Mesh(mesh) if mesh.is_empty() => return false,
            Shape::Mesh(mesh) => {
                let mut seek = mesh.start_search(&way);
                mesh.run::<E, ANY>(&mut seek, kept);
                mesh.hit(&seek)
            }
            Shape::Primitive(primitive) => primitive.closest(&way),
            Shape::Ground(ground) => ground.closest(&way),
        };
        query.record(placed, k, met);
        ANY && query.best.is_some()
    }
}

impl Holds for ShapeGroup {
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
    pub(crate) fn skips(&self, k: u32) -> bool {
        self.skip.contains(&(self.first + k))
    }

    /// Maximum distance of a further hit [m].
    #[inline(always)]
    pub(crate) fn limit(&self) -> f64 {
        limit(self.ray, &self.best)
    }

    /// Records a hit on shape `k` of the group if it is closer. At equal distances the lowest index
    /// wins.
    #[inline(always)]
    pub(crate) fn record(&mut self, placed: &PosedShape, k: u32, met: Option<LocalHit>) {
        settle(&mut self.best, placed, self.first + k, met);
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
fn settle(best: &mut Option<Hit>, placed: &PosedShape, shape: u32, met: Option<LocalHit>) {
    let Some(LocalHit {
        distance,
        normal,
        face,
    }) = met
    else {
        return;
    };
    let nearer = match best {
        Some(best) => distance < best.distance || distance == best.distance && shape < best.shape,
        None => true,
    };
    if nearer {
        *best = Some(Hit {
            distance,
            normal: placed.R_WG.mul_vec(normal),
            shape,
            face,
        });
    }
}
