//! Ray tracer: the first hit of a ray among many shapes, for lidars, cameras and sonars, on the
//! CPU.
//!
//! A [`ShapeScene`] holds two groups of shapes. Static shapes are built once. Moving shapes
//! receive new poses for every snapshot. The indices of shapes do not change: static shapes come
//! first, then moving shapes, each group in the order given.
//!
//! Results are bit-identical on every processor. The search is compiled once for AVX2 and once for
//! any processor, with the same operations in the same order.
//!
//! The modules are:
//! - [`bvh`] contains the bounding volume hierarchy with eight children per node. [`acceleration`]
//!   owns a hierarchy over shapes, [`mesh`] a hierarchy over triangles.
//! - [`beam`] rejects boxes, and [`ray_bounds`] parts of grids, for many rays of similar direction
//!   at once.
//! - [`traverse`] contains the traversal by one ray, and [`ray_packet`] the traversal by eight rays of
//!   nearly the same direction.
//! - [`merrow_math::f32x8`] contains the SIMD arithmetic, [`probe`] the ray in single precision,
//!   and [`triangles`] the ray-triangle intersection.
//! - [`shadow_map`] excludes shadows of parallel light without a ray.
//! - [`primitive`] and [`heightfield`] intersect rays with closed-form shapes and with terrain.
//!
//! # Example
//! ```
//! use merrow_math::{Mat3, Vec3};
//! use merrow_raytrace::{PosedShape, Primitive, Ray, RayShape, ShapeScene};
//!
//! // a sphere of 0.5 m radius, 3 m ahead of a range sensor
//! let sphere = PosedShape {
//!     shape: RayShape::Primitive(Primitive::Sphere { radius: 0.5 }),
//!     R_WG: Mat3::identity(),
//!     p_WG: Vec3::new(3.0, 0.0, 0.0),
//! };
//! let shapes = ShapeScene::new(vec![sphere], vec![]);
//! let ray = |direction| Ray { origin: Vec3::zero(), direction, range: [0.1, 20.0] };
//! let ahead = shapes.closest(&ray(Vec3::new(1.0, 0.0, 0.0)), 0..0);
//! assert!(ahead.is_some_and(|hit| (hit.distance - 2.5).abs() < 1e-9 && hit.shape == 0));
//! assert!(shapes.closest(&ray(Vec3::new(0.0, 0.0, 1.0)), 0..0).is_none());
//! ```

pub mod acceleration;
pub(crate) mod beam;
pub(crate) mod bvh;
pub mod convert;
pub mod heightfield;
pub mod mesh;
pub mod primitive;
pub mod probe;
pub mod ray_bounds;
pub(crate) mod ray_packet;
pub mod shadow_map;
pub(crate) mod traverse;
pub mod triangles;

use crate::acceleration::{Query, SearchMemory, ShapeGroup};
use crate::beam::Beam;
use crate::bvh::BuildQuality;
pub use crate::heightfield::Heightfield;
use crate::mesh::LocalRay;
pub use crate::mesh::Mesh;
use crate::ray_packet::RAYS;
use crate::shadow_map::ShadowMap;
use crate::traverse::BoxStack;
use merrow_math::f32x8::F32x8;
use merrow_math::{Mat3, Vec3, f64x4};
pub use merrow_model::scene::Primitive;
use std::ops::Range;
use std::sync::Arc;

/// Rays of similar direction that are tested together against the boxes of all shapes.
const BEAM_RAYS: usize = 64;
/// Minimum cosine of the angle between the rays of a packet: ten degrees.
const MIN_PACKET_COSINE: f64 = 0.985;

/// Ray in the world frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ray {
    /// Start of the ray [m], W.
    pub origin: Vec3,
    /// Direction, a unit vector, W.
    pub direction: Vec3,
    /// Minimum and maximum distance of a hit [m].
    pub range: [f64; 2],
}

/// Closest hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance along the ray [m].
    pub distance: f64,
    /// Outward unit normal of the surface, W.
    pub normal: Vec3,
    /// Index of the shape.
    pub shape: u32,
    /// Index of the face: a triangle of a mesh, a side of a box.
    pub face: u32,
}

/// Shape that rays hit, in its own frame G.
#[derive(Clone, Debug)]
pub enum RayShape {
    /// Shape with a closed form.
    Primitive(Primitive),
    /// Triangle mesh with its tree.
    Mesh(Arc<Mesh>),
    /// Terrain. It has no bounding box, because it extends beyond its edges.
    Ground(Arc<Heightfield>),
}

/// Shape with its pose in the world.
#[derive(Clone, Debug)]
pub struct PosedShape {
    /// Shape in its own frame G.
    pub shape: RayShape,
    /// Orientation of G in W.
    pub R_WG: Mat3,
    /// Origin of G in W [m].
    pub p_WG: Vec3,
}

impl PosedShape {
    /// Places a shape with the attitude `R_WG` and the position `p_WG` [m] of its frame G in W.
    pub fn new(shape: RayShape, R_WG: Mat3, p_WG: Vec3) -> Self {
        Self { shape, R_WG, p_WG }
    }

    /// Transforms a ray to the frame of the shape. `from` is a distance at which it is near the
    /// shape [m], `limit` its maximum distance [m].
    #[inline(always)]
    fn to_local_ray(&self, ray: &Ray, limit: f64, from: f64) -> LocalRay {
        let o = self.R_WG.tr_mul_vec(ray.origin - self.p_WG);
        LocalRay {
            o,
            d: self.R_WG.tr_mul_vec(ray.direction),
            range: [ray.range[0], limit],
            from,
        }
    }

    /// Returns the centre and half size of its bounding box in W [m]; `None` without a bounding
    /// box.
    pub fn extent(&self) -> Option<(Vec3, Vec3)> {
        let (center, half) = match &self.shape {
            RayShape::Primitive(primitive) => (Vec3::zero(), primitive.half_size()),
            RayShape::Mesh(mesh) => mesh.extent(),
            RayShape::Ground(_) => return None,
        };
        let abs = |v: Vec3| Vec3::from(v.to_array().map(f64::abs));
        let R = &self.R_WG;
        let half = Vec3::new(
            abs(R.r[0]).dot(half),
            abs(R.r[1]).dot(half),
            abs(R.r[2]).dot(half),
        );
        let center = self.p_WG + R.mul_vec(center);
        // Below this limit the squares are finite in single precision.
        (center.norm() < 1e12 && half.norm() < 1e12).then_some((center, half))
    }
}

/// Working memory that consecutive searches share. Allocating it takes as long as a short search.
#[derive(Clone, Debug, Default)]
pub struct Scratch(SearchMemory);

/// Evaluates `$call` with the vector `$E` of the processor: compiled for AVX2 if the processor
/// supports it, and for every processor otherwise. `$call` can use the arguments only.
macro_rules! on_any_processor {
    (($($argument:ident: $type:ty),*) -> $out:ty, $E:ident => $call:expr) => {{
        #[cfg(target_arch = "x86_64")]
        if f64x4::is_supported() {
            #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
            fn avx2($($argument: $type),*) -> $out {
                type $E = merrow_math::f32x8::Register;
                $call
            }
            // SAFETY: `is_supported` has confirmed that the processor supports these instructions.
            return unsafe { avx2($($argument),*) };
        }
        type $E = merrow_math::f32x8::Plain;
        $call
    }};
}

/// All shapes that rays can hit.
#[derive(Clone, Debug, Default)]
pub struct ShapeScene {
    static_shapes: Arc<ShapeGroup>,
    moving: ShapeGroup,
}

impl ShapeScene {
    /// Builds the search structures of static shapes and of moving shapes at their initial poses.
    pub fn new(static_shapes: Vec<PosedShape>, moving: Vec<PosedShape>) -> Self {
        Self {
            static_shapes: Arc::new(ShapeGroup::new(static_shapes, BuildQuality::Best)),
            moving: ShapeGroup::new(moving, BuildQuality::Fast),
        }
    }

    /// Combines the same static shapes with other moving shapes.
    pub fn with_moving(&self, moving: Vec<PosedShape>) -> Self {
        Self {
            static_shapes: Arc::clone(&self.static_shapes),
            moving: ShapeGroup::new(moving, BuildQuality::Fast),
        }
    }

    /// Returns the number of static shapes, which is also the index of the first moving shape.
    pub(crate) fn static_count(&self) -> u32 {
        self.static_shapes.shapes().len() as u32
    }

    /// Returns the number of all shapes.
    pub fn count(&self) -> u32 {
        self.static_count() + self.moving.shapes().len() as u32
    }

    /// Returns the shape `k` with its pose; `None` if there is no such index.
    pub fn shape(&self, k: u32) -> Option<&PosedShape> {
        let static_shapes = self.static_shapes.shapes();
        let k = k as usize;
        static_shapes
            .get(k)
            .or_else(|| self.moving.shapes().get(k - static_shapes.len().min(k)))
    }

    /// Changes the poses of the moving shapes. `change` receives them in their order.
    pub fn update_poses(&mut self, change: impl FnOnce(&mut [PosedShape])) {
        self.moving.update_poses(change);
    }

    /// Does the same as [`Self::update_poses`] without an allocation, except if the boxes of the
    /// tree have grown. The tree can be slower to search; the hits are the same.
    pub fn refit_poses(&mut self, change: impl FnOnce(&mut [PosedShape])) {
        self.moving.refit_poses(change);
    }

    /// Returns the closest hit of `ray`, ignoring the shapes whose indices are in `skip`.
    pub fn closest(&self, ray: &Ray, skip: Range<u32>) -> Option<Hit> {
        self.closest_with(ray, &skip, &mut Scratch::default())
    }

    /// Returns the same as [`Self::closest`], with working memory.
    pub fn closest_with(&self, ray: &Ray, skip: &Range<u32>, scratch: &mut Scratch) -> Option<Hit> {
        let (all, stacks) = (self, &mut scratch.0.stacks);
        on_any_processor!(
            (all: &ShapeScene, ray: &Ray, skip: &Range<u32>, stacks: &mut [BoxStack; 2]) -> Option<Hit>,
            E => all.search::<E, false>(ray, skip, stacks)
        )
    }

    /// Does the same as [`Self::closest`] for each of `rays`, into `hits`, which must have the same
    /// length.
    pub fn closest_all(
        &self,
        rays: &[Ray],
        skip: &Range<u32>,
        scratch: &mut Scratch,
        hits: &mut [Option<Hit>],
    ) {
        let count = rays.len().min(hits.len());
        let (rays, hits) = (&rays[..count], &mut hits[..count]);
        let (all, memory) = (self, &mut scratch.0);
        on_any_processor!(
            (
                all: &ShapeScene,
                rays: &[Ray],
                skip: &Range<u32>,
                memory: &mut SearchMemory,
                hits: &mut [Option<Hit>]
            ) -> (),
            E => all.search_all::<E>(rays, skip, memory, hits)
        );
    }

    /// Does the same as [`Self::closest_all`] with the shapes without a bounding box, which are
    /// terrains, for rays of similar direction.
    pub fn closest_unbounded_all(&self, rays: &[Ray], skip: &Range<u32>, hits: &mut [Option<Hit>]) {
        hits.fill(None);
        for (group, first) in self.groups() {
            group.search_unbounded_all(rays, (skip, first), hits);
        }
    }

    /// Returns true if `ray` hits any shape whose index is not in `skip`.
    pub fn blocked_with(&self, ray: &Ray, skip: &Range<u32>, scratch: &mut Scratch) -> bool {
        let (all, stacks) = (self, &mut scratch.0.stacks);
        on_any_processor!(
            (all: &ShapeScene, ray: &Ray, skip: &Range<u32>, stacks: &mut [BoxStack; 2]) -> bool,
            E => all.search::<E, true>(ray, skip, stacks).is_some()
        )
    }

    /// Traces all rays: those of similar direction in packets, others one after another.
    #[inline(always)]
    fn search_all<E: F32x8>(
        &self,
        rays: &[Ray],
        skip: &Range<u32>,
        memory: &mut SearchMemory,
        hits: &mut [Option<Hit>],
    ) {
        for (rays, hits) in rays.chunks(BEAM_RAYS).zip(hits.chunks_mut(BEAM_RAYS)) {
            hits.fill(None);
            let reachable = self.reachable_groups(rays, skip);
            if reachable != [false; 2] {
                for (rays, hits) in rays.chunks(RAYS).zip(hits.chunks_mut(RAYS)) {
                    if !is_packet(rays)
                        || !self.search_packet::<E>(rays, skip, reachable, memory, hits)
                    {
                        for (ray, hit) in rays.iter().zip(hits) {
                            let query =
                                self.search_trees::<E, false>(ray, skip, &mut memory.stacks);
                            *hit = query.best;
                        }
                    }
                }
            }
            for (group, first) in self.groups() {
                group.search_unbounded_all(rays, (skip, first), hits);
            }
        }
    }

    /// Returns the map of shadows in parallel light along the unit vector `light`, W; `None` if a
    /// shape has no bounding box.
    pub fn shadow_map(&self, light: Vec3) -> Option<ShadowMap> {
        let mut boxes = Vec::new();
        for (group, _) in self.groups() {
            boxes.extend(group.boxes()?);
        }
        Some(ShadowMap::new(light, &boxes))
    }

    /// Returns false if none of `rays`, nor any ray between them, hits a shape with a bounding box.
    /// Shapes whose indices are in `skip` are ignored.
    pub fn may_hit_bounded(&self, rays: &[Ray], skip: &Range<u32>) -> bool {
        self.reachable_groups(rays, skip) != [false; 2]
    }

    /// Returns for the static and for the moving shapes whether any of `rays` may hit one of them.
    #[inline(always)]
    fn reachable_groups(&self, rays: &[Ray], skip: &Range<u32>) -> [bool; 2] {
        let has_trees = [self.static_shapes.has_tree(), self.moving.has_tree()];
        let beam = if rays.len() > RAYS && has_trees != [false; 2] {
            Beam::new(rays)
        } else {
            None
        };
        match &beam {
            Some(beam) => [
                self.static_shapes.may_be_hit(beam, skip, 0),
                self.moving.may_be_hit(beam, skip, self.static_count()),
            ],
            None => has_trees,
        }
    }

    /// Traces up to eight rays as one packet, among the static shapes if the first element of
    /// `reachable` is true, and among the moving shapes if the second is. Returns false if the
    /// directions of the rays differ in the sign of a component.
    #[inline(always)]
    fn search_packet<E: F32x8>(
        &self,
        rays: &[Ray],
        skip: &Range<u32>,
        reachable: [bool; 2],
        memory: &mut SearchMemory,
        hits: &mut [Option<Hit>],
    ) -> bool {
        let mut valid = 0;
        for (i, ray) in rays.iter().enumerate() {
            valid |= u32::from(ray.is_valid()) << i;
            hits[i] = None;
        }
        // Not a closure, because a closure would not inherit the target features.
        for ((group, first), reachable) in self.groups().into_iter().zip(reachable) {
            if reachable && !group.search_packet::<E>(rays, valid, (skip, first), memory, hits) {
                return false;
            }
        }
        true
    }

    /// Returns both groups of shapes, each with the index of its first shape.
    #[inline(always)]
    fn groups(&self) -> [(&ShapeGroup, u32); 2] {
        [
            (&self.static_shapes, 0),
            (&self.moving, self.static_count()),
        ]
    }

    #[inline(always)]
    fn search<E: F32x8, const ANY: bool>(
        &self,
        ray: &Ray,
        skip: &Range<u32>,
        stacks: &mut [BoxStack; 2],
    ) -> Option<Hit> {
        let mut query = self.search_trees::<E, ANY>(ray, skip, stacks);
        if ray.is_valid() && !(ANY && query.best.is_some()) {
            for (group, first) in self.groups() {
                query.first = first;
                if group.search_unbounded::<E, ANY>(&mut query, &mut stacks[1]) {
                    break;
                }
            }
        }
        query.best
    }

    /// Does the same as [`Self::search`] with the shapes that have a bounding box.
    #[inline(always)]
    fn search_trees<'a, E: F32x8, const ANY: bool>(
        &self,
        ray: &'a Ray,
        skip: &'a Range<u32>,
        stacks: &mut [BoxStack; 2],
    ) -> Query<'a> {
        let mut query = Query {
            ray,
            skip,
            first: 0,
            best: None,
        };
        if ray.is_valid() && !self.static_shapes.search::<E, ANY>(&mut query, stacks) {
            query.first = self.static_count();
            self.moving.search::<E, ANY>(&mut query, stacks);
        }
        query
    }
}

/// Returns true if the rays are close enough in direction to be traced as one packet.
fn is_packet(rays: &[Ray]) -> bool {
    rays.len() >= 3
        && rays[1..]
            .iter()
            .all(|ray| ray.direction.dot(rays[0].direction) > MIN_PACKET_COSINE)
}

impl Ray {
    /// Creates the ray from `origin` [m] along the unit vector `direction`, both W, that hits within
    /// `range` [m].
    #[inline]
    pub fn new(origin: Vec3, direction: Vec3, range: [f64; 2]) -> Self {
        Self {
            origin,
            direction,
            range,
        }
    }

    /// Returns true if the ray can be traced: finite and with a direction.
    #[inline(always)]
    fn is_valid(&self) -> bool {
        let size = self.direction.dot(self.direction);
        // The sum is finite only if every term is.
        let sum = self.origin.x + self.origin.y + self.origin.z + size + self.range[0];
        sum.is_finite() && size > 0.5 && self.range[1] >= self.range[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::Quat;
    use merrow_math::f32x8::Plain;
    use merrow_math::rng::{Draw, Stream};

    fn point(draw: &mut Draw, size: f64) -> Vec3 {
        let mut coordinate = || size * (2.0 * draw.uniform() - 1.0);
        Vec3::new(coordinate(), coordinate(), coordinate())
    }

    /// Returns the mesh of a tetrahedron.
    fn tetrahedron() -> Mesh {
        let at = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
        let corners = [
            at(-1.0, -1.0, -1.0),
            at(1.5, 0.0, -1.0),
            at(-1.0, 1.0, -1.0),
            at(0.0, 0.0, 1.5),
        ];
        Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    }

    fn shapes(draw: &mut Draw, count: usize) -> Vec<PosedShape> {
        let mesh = Arc::new(tetrahedron());
        let shape = |k: usize| match k % 5 {
            0 => RayShape::Primitive(Primitive::Sphere { radius: 1.2 }),
            1 => RayShape::Primitive(Primitive::Box {
                half: Vec3::new(0.5, 1.0, 1.5),
            }),
            2 => RayShape::Primitive(Primitive::Cylinder {
                radius: 0.8,
                half_length: 1.3,
            }),
            3 => RayShape::Primitive(Primitive::Capsule {
                radius: 0.6,
                half_length: 1.0,
            }),
            _ => RayShape::Mesh(mesh.clone()),
        };
        (0..count)
            .map(|k| PosedShape {
                shape: shape(k),
                R_WG: Quat::from_rotation_vector(point(draw, 2.0)).matrix(),
                p_WG: point(draw, 12.0),
            })
            .collect()
    }

    fn ray(draw: &mut Draw) -> Option<Ray> {
        let origin = point(draw, 20.0);
        let direction = (point(draw, 8.0) - origin).unit()?;
        Some(Ray {
            origin,
            direction,
            range: [0.5, 60.0],
        })
    }

    /// Returns the closest hit by testing every shape separately.
    fn closest_by_brute_force(all: &[PosedShape], ray: &Ray, skip: Range<u32>) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        for k in (0..all.len() as u32).filter(|k| !skip.contains(k)) {
            let single_shape = ShapeScene::new(vec![all[k as usize].clone()], vec![]);
            let Some(hit) = single_shape.closest(ray, 0..0) else {
                continue;
            };
            if best.is_none_or(|b| hit.distance < b.distance) {
                best = Some(Hit { shape: k, ..hit });
            }
        }
        best
    }

    // The closest surface among static and moving shapes is found, with the index of its shape;
    // skipped shapes are ignored; AVX2 and portable code give bit-identical results. Method: 60
    // shapes, the last 25 moving and moved twice, first with fitted boxes, 500 rays each time,
    // compared with testing every shape separately. Tolerance: 1e-6 where the distance of a shape
    // is searched from another starting point.
    #[test]
    fn closest_of_all_shapes_is_found() {
        let stream = Stream::new(21, "shapes");
        let mut draw = stream.draw(0);
        let mut list = shapes(&mut draw, 60);
        let moving = list.split_off(35);
        let mut all = ShapeScene::new(list.clone(), moving.clone());
        assert_eq!((all.static_count(), all.count()), (35, 60));
        list.extend(moving);
        let mut scratch = Scratch::default();
        for turn in 0..3 {
            let mut hit_count = 0;
            for k in 0..500 {
                let mut draw = stream.draw(1 + turn * 500 + k);
                let Some(ray) = ray(&mut draw) else { continue };
                let skip = if k % 2 == 0 { 0..0 } else { 30..50 };
                let expected = closest_by_brute_force(&list, &ray, skip.clone());
                let found = all.closest(&ray, skip.clone());
                let near = |a: Hit, b: Hit| {
                    let difference = (a.distance - b.distance).abs() + (a.normal - b.normal).norm();
                    a.shape == b.shape && a.face == b.face && difference < 1e-6
                };
                let same = found
                    .zip(expected)
                    .map_or(found == expected, |(a, b)| near(a, b));
                assert!(same, "{ray:?}: {found:?}, expected {expected:?}");
                let stacks = &mut scratch.0.stacks;
                assert_eq!(all.search::<Plain, false>(&ray, &skip, stacks), found);
                let any = all.search::<Plain, true>(&ray, &skip, stacks);
                assert_eq!(any.is_some(), found.is_some());
                assert_eq!(all.closest_with(&ray, &skip, &mut scratch), found);
                assert_eq!(all.blocked_with(&ray, &skip, &mut scratch), found.is_some());
                hit_count += u32::from(found.is_some());
            }
            assert!(hit_count > 100 && hit_count < 400, "{hit_count}");
            let moved = |m: &PosedShape| match turn {
                0 => m.p_WG + point(&mut draw, 1.0),
                _ => point(&mut draw, 12.0),
            };
            let positions: Vec<Vec3> = list[35..].iter().map(moved).collect();
            for (placed, p) in list[35..].iter_mut().zip(&positions) {
                placed.p_WG = *p;
            }
            let change = |moving: &mut [PosedShape]| {
                let all = moving.iter_mut().zip(&positions);
                all.for_each(|(m, p)| m.p_WG = *p);
            };
            match turn {
                0 => all.refit_poses(change),
                _ => all.update_poses(change),
            }
        }
    }

    // Rays in packets have the same hits as single rays. Method: the same shapes;
    // 1000 rays in all directions, some of them untraceable; as many from one point into a narrow
    // cone, which form packets, some with mixed signs of direction; AVX2 and portable code.
    #[test]
    fn packets_and_single_rays_agree() {
        let stream = Stream::new(22, "turns");
        let mut draw = stream.draw(0);
        let mut list = shapes(&mut draw, 60);
        let moving = list.split_off(35);
        let all = ShapeScene::new(list, moving);
        let mut any: Vec<Ray> = (1..1000).filter_map(|k| ray(&mut stream.draw(k))).collect();
        (0..any.len())
            .step_by(50)
            .for_each(|k| any[k].direction = Vec3::zero());
        let narrow = |k: u64| {
            let direction = Vec3::new(1.0, 0.0, 0.0) + point(&mut stream.draw(k), 0.03);
            Some(Ray {
                origin: Vec3::new(-20.0, 0.3, 0.1),
                direction: direction.unit()?,
                range: [0.0, 99.0],
            })
        };
        let mut narrow: Vec<Ray> = (0..1003).filter_map(narrow).collect();
        (0..narrow.len())
            .step_by(30)
            .for_each(|k| narrow[k].range = [5.0, 4.0]);
        assert!(!is_packet(&any[..RAYS]) && is_packet(&narrow[..RAYS]));
        let mut scratch = Scratch::default();
        for rays in [any, narrow] {
            let (mut hits, mut plain) = (vec![None; rays.len()], vec![None; rays.len()]);
            all.closest_all(&rays, &(3..7), &mut scratch, &mut hits);
            all.search_all::<Plain>(&rays, &(3..7), &mut scratch.0, &mut plain);
            assert_eq!(hits, plain);
            assert!(hits.iter().flatten().count() > 100);
            for (ray, hit) in rays.iter().zip(hits) {
                assert_eq!(all.closest(ray, 3..7), hit);
            }
        }
    }
}
