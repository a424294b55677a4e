//! Interleaved traversal: the searches of several rays alternate to hide memory latency.
//!
//! A ray whose path differs from those before it waits for memory at every node of a mesh. Each
//! search therefore makes one step, prefetches the data that it needs next, and yields to the other
//! searches. The result is the same as with [`ShapeGroup::search`].

use crate::acceleration::{Query, ShapeGroup};
use crate::mesh::{Mesh, MeshSearch, round_up_f32};
use crate::primitive;
use crate::probe::TreeRay;
use crate::traverse::{BoxStack, RayPlanes, SortedStack, Traversal};
use crate::{Hit, Ray, RayShape};
use merrow_math::f32x8::F32x8;
use std::ops::Range;

/// Groups of shapes, each with the index of its first shape.
pub(crate) type Groups<'a> = [(&'a ShapeGroup, u32); 2];

/// Traces `rays`, `N` of them in alternation, and writes their hits into `hits`, which must have
/// the same length.
///
/// Returns immediately if there are fewer than `N` rays.
#[inline(always)]
pub(crate) fn trace_interleaved<E: F32x8, const N: usize>(
    groups: Groups<'_>,
    skip: &Range<u32>,
    rays: &[Ray],
    hits: &mut [Option<Hit>],
) {
    if rays.len() < N {
        return;
    }
    let mut searches: [Search<'_>; N] = std::array::from_fn(|k| Search::new(groups, skip, rays, k));
    let (mut next, mut active) = (N, N);
    while active > 0 {
        for search in searches.iter_mut().filter(|search| !search.is_finished) {
            if let Some((mesh, _)) = search.mesh
                && !mesh.step::<E>(&mut search.mesh_search, &mut search.inner)
            {
                continue;
            }
            // Continue with the next mesh of this ray, or with another ray.
            while search.advance::<E>() {
                hits[search.number] = search.query.best;
                if next == rays.len() {
                    (search.is_finished, active) = (true, active - 1);
                    break;
                }
                search.restart(rays, next);
                next += 1;
            }
        }
    }
}

/// State of a search within a group.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// The search of the group has not started.
    Before,
    /// In the tree of the group.
    Tree,
    /// In the tree of the group, after a shape.
    After,
    /// At the shapes without a bounding box, starting with this index.
    Unbounded(usize),
}

/// Search of one ray.
struct Search<'a> {
    groups: Groups<'a>,
    /// Index of the ray.
    number: usize,
    query: Query<'a>,
    group: usize,
    stage: Stage,
    /// State in the tree of the group: the ray in its frame, the distance at which that ray starts,
    /// and the traversal.
    probe: TreeRay,
    shift: f64,
    traversal: Traversal,
    outer: BoxStack,
    /// Mesh that is being searched, and the index of its shape in the group.
    mesh: Option<(&'a Mesh, u32)>,
    mesh_search: MeshSearch,
    inner: SortedStack,
    /// True if no rays are left for this search.
    is_finished: bool,
}

impl<'a> Search<'a> {
    fn new(groups: Groups<'a>, skip: &'a Range<u32>, rays: &'a [Ray], number: usize) -> Self {
        let ray = &rays[number];
        let probe = TreeRay::new(ray.origin, ray.direction, 0.0);
        let mut search = Self {
            groups,
            number,
            query: Query {
                ray,
                skip,
                first: 0,
                best: None,
            },
            group: 0,
            stage: Stage::Before,
            probe,
            shift: 0.0,
            traversal: Traversal::new(&probe),
            outer: BoxStack::default(),
            mesh: None,
            mesh_search: MeshSearch::default(),
            inner: SortedStack::default(),
            is_finished: false,
        };
        search.restart(rays, number);
        search
    }

    /// Restarts the search with another ray.
    #[inline(always)]
    fn restart(&mut self, rays: &'a [Ray], number: usize) {
        self.number = number;
        (self.query.ray, self.query.first, self.query.best) =
            (&rays[number], self.groups[0].1, None);
        (self.mesh, self.stage) = (None, Stage::Before);
        self.group = if self.query.ray.is_valid() {
            0
        } else {
            self.groups.len()
        };
    }

    /// Advances to the next mesh; returns true if none is left and the search has ended.
    #[inline(always)]
    fn advance<E: F32x8>(&mut self) -> bool {
        if let Some((mesh, k)) = self.mesh {
            let hit = mesh.hit(&self.mesh_search);
            let placed = &self.groups[self.group].0.shapes()[k as usize];
            self.query.record(placed, k, hit);
            self.mesh = None;
        }
        while let Some((k, from)) = self.next_shape::<E>() {
            if self.query.skips(k) {
                continue;
            }
            let group: &'a ShapeGroup = self.groups[self.group].0;
            let placed = &group.shapes()[k as usize];
            let local_ray = placed.to_local_ray(self.query.ray, self.query.limit(), from);
            let hit = match &placed.shape {
                RayShape::Mesh(mesh) if mesh.is_empty() => continue,
                RayShape::Mesh(mesh) => {
                    self.mesh = Some((mesh, k));
                    self.mesh_search = mesh.start_search(&local_ray);
                    return false;
                }
                RayShape::Primitive(primitive) => primitive::closest(primitive, &local_ray),
                RayShape::Ground(ground) => ground.closest(&local_ray),
            };
            self.query.record(placed, k, hit);
        }
        true
    }

    /// Returns the index of the next shape to test, and a distance at which the ray is near it [m];
    /// `None` after the last shape of the last group.
    #[inline(always)]
    fn next_shape<E: F32x8>(&mut self) -> Option<(u32, f64)> {
        while let Some((group, first)) = self.groups.get(self.group).copied() {
            self.query.first = first;
            match self.stage {
                Stage::Before => {
                    self.stage = Stage::Unbounded(0);
                    let Some(shift) = group.entry_distance(self.query.ray, self.query.limit())
                    else {
                        continue;
                    };
                    // The tree of a single shape needs no traversal.
                    if let [only] = *group.order() {
                        return Some((only, shift));
                    }
                    (self.probe, self.shift) = (group.probe(self.query.ray, shift), shift);
                    self.stage = Stage::Tree;
                    self.traversal = Traversal::new(&self.probe);
                }
                Stage::Tree => {
                    self.stage = Stage::Unbounded(0);
                    if let Some(leaf) = self.next_leaf::<E>(group) {
                        self.stage = Stage::After;
                        let from = self.shift + f64::from(self.traversal.entered());
                        return Some((group.order()[leaf as usize], from));
                    }
                }
                Stage::After => {
                    let limit = round_up_f32(self.query.limit() - self.shift);
                    let more = self.traversal.resume(&self.outer, limit);
                    self.stage = if more {
                        Stage::Tree
                    } else {
                        Stage::Unbounded(0)
                    };
                }
                Stage::Unbounded(i) => {
                    self.stage = Stage::Unbounded(i + 1);
                    if let Some(k) = group.unbounded().get(i) {
                        return Some((*k, self.query.ray.range[0]));
                    }
                    (self.group, self.stage) = (self.group + 1, Stage::Before);
                }
            }
        }
        None
    }

    /// Returns the index of the next leaf of the group's tree. Each leaf holds one shape.
    #[inline(always)]
    fn next_leaf<E: F32x8>(&mut self, group: &ShapeGroup) -> Option<u32> {
        let limit = round_up_f32(self.query.limit() - self.shift);
        loop {
            match self.traversal.position() {
                Err((leaf, _)) => return Some(leaf),
                Ok(number) => {
                    let planes = RayPlanes::<E>::new(&self.probe);
                    let down =
                        self.traversal
                            .descend(&mut self.outer, group, number, &planes, limit);
                    if !down && !self.traversal.resume(&self.outer, limit) {
                        return None;
                    }
                }
            }
        }
    }
}
