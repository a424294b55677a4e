//! Shapes with their places, and a tree over the boxes around them.
//!
//! # Law
//! A ray is looked for from where it may first be in the ball about all shapes:
//! ```text
//!   t_0 = max(range_0, -m·d - r),   none if m·m - (m·d)² > r²,   m = o - c          (1)
//! ```
//! so that an origin far away costs no precision; every shape is then asked in its own axes, in double precision.
//!
//! # Symbols
//! o origin, d direction of the ray; c centre, r radius of the ball.
//!
//! # Frames
//! World; shapes in their own axes G, by R_WG and p_WG.
//!
//! # Limits
//! Grounds have no box and are asked one by one, last.
//!
//! # Checked by
//! tests of `mod.rs`; test/analytic/raytrace.rs

use super::bvh::{Bounds, Care, Tree};
use super::eight::Eight;
use super::mesh::{Met, upward};
use super::probe::Probe;
use super::traverse::{Holds, Kept, Planes, Walk};
use super::{Hit, Placed, Ray, Shape};
use crate::math::Vec3;
use std::ops::Range;

/// Shapes and their tree.
#[derive(Clone, Debug, Default)]
pub struct Group {
    shapes: Vec<Placed>,
    /// Shapes in the order of the tree's leaves.
    order: Vec<u32>,
    tree: Tree,
    /// Ball about all of them [m].
    centre: Vec3,
    radius: f64,
    /// Shapes without a box.
    boundless: Vec<u32>,
}

impl Group {
    /// A group of these shapes.
    pub fn new(shapes: Vec<Placed>, care: Care) -> Self {
        let mut group = Self { shapes, ..Self::default() };
        group.plant(care);
        group
    }

    /// Its shapes.
    pub fn shapes(&self) -> &[Placed] {
        &self.shapes
    }

    /// Changes places, and makes the tree anew.
    pub fn place(&mut self, change: impl FnOnce(&mut [Placed])) {
        change(&mut self.shapes);
        self.plant(Care::Little);
    }

    fn plant(&mut self, care: Care) {
        let mut bounded = Vec::new();
        self.boundless.clear();
        for (k, placed) in self.shapes.iter().enumerate() {
            match placed.extent() {
                Some(extent) => bounded.push((k as u32, extent)),
                None if matches!(placed.shape, Shape::Ground(_)) => self.boundless.push(k as u32),
                // a shape at no place is not there
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

    /// Where a search begins that ends at `limit`: the ray in the tree's frame, and the distance that its origin is at; none if it
    /// passes all shapes that have a box. (1)
    #[inline(always)]
    pub fn enter(&self, ray: &Ray, limit: f64) -> Option<(Probe, f64)> {
        let (m, d) = (ray.origin - self.centre, ray.direction);
        let along = m.dot(d);
        let outside = m.dot(m) - along * along > self.radius * self.radius;
        let shift = (-along - self.radius).max(ray.range[0]);
        if self.tree.nodes.is_empty() || outside || shift > limit {
            return None;
        }
        Some((Probe::new(m + d.scale(shift), d, ray.range[0] - shift), shift))
    }

    /// Shapes in the order of the leaves.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Shapes without a box.
    pub fn boundless(&self) -> &[u32] {
        &self.boundless
    }

    /// Looks for what `query`'s ray meets among these shapes; true if it is over, because something has been met and `ANY` will do.
    #[inline(always)]
    pub fn search<E: Eight, const ANY: bool>(
        &self,
        query: &mut Query<'_>,
        [kept, inner]: &mut [Kept; 2],
    ) -> bool {
        if let Some((probe, shift)) = self.enter(query.ray, query.limit()) {
            if let [only] = *self.order() {
                // a tree of one shape says nothing
                if self.ask::<E, ANY>(only, shift, query, inner) {
                    return true;
                }
            } else {
                let (planes, mut walk) = (Planes::<E>::new(&probe), Walk::new(&probe));
                loop {
                    let down = match walk.here() {
                        Ok(number) => {
                            let limit = upward(query.limit() - shift);
                            walk.descend(kept, self, number, &planes, limit)
                        }
                        Err((leaf, _)) => {
                            let from = shift + f64::from(walk.entered());
                            if self.ask::<E, ANY>(self.order[leaf as usize], from, query, inner) {
                                return true;
                            }
                            false
                        }
                    };
                    if !down && !walk.resume(kept, upward(query.limit() - shift)) {
                        break;
                    }
                }
            }
        }
        for k in &self.boundless {
            if self.ask::<E, ANY>(*k, query.ray.range[0], query, inner) {
                return true;
            }
        }
        false
    }

    /// Asks shape `k`, near which the ray is at the distance `from`.
    #[inline(always)]
    fn ask<E: Eight, const ANY: bool>(
        &self,
        k: u32,
        from: f64,
        query: &mut Query<'_>,
        kept: &mut Kept,
    ) -> bool {
        if query.skips(k) {
            return false;
        }
        let placed = &self.shapes[k as usize];
        let way = placed.way(query.ray, query.limit(), from);
        let met = match &placed.shape {
            Shape::Mesh(mesh) => {
                let Some(mut seek) = mesh.enter::<E>(&way) else { return false };
                mesh.run::<E, ANY>(&mut seek, kept);
                mesh.found(&seek)
            }
            Shape::Primitive(primitive) => primitive.closest(&way),
            Shape::Ground(ground) => ground.closest(&way),
        };
        query.settle(placed, k, met);
        ANY && query.best.is_some()
    }
}

impl Holds for Group {
    #[inline(always)]
    fn tree(&self) -> &Tree {
        &self.tree
    }

    // few enough to be at hand
    #[inline(always)]
    fn fetch<E: Eight>(&self, _: Result<usize, (u32, u32)>) {}
}

/// A ray, and what it has met so far.
pub struct Query<'a> {
    /// The ray.
    pub ray: &'a Ray,
    /// Numbers of shapes that are not there.
    pub skip: &'a Range<u32>,
    /// Number of the group's first shape.
    pub first: u32,
    /// The nearest hit.
    pub best: Option<Hit>,
}

impl Query<'_> {
    /// True if shape `k` of the group is not there.
    #[inline(always)]
    pub fn skips(&self, k: u32) -> bool {
        self.skip.contains(&(self.first + k))
    }

    /// Distance beyond which nothing counts.
    #[inline(always)]
    pub fn limit(&self) -> f64 {
        match &self.best {
            Some(hit) => hit.distance,
            None => self.ray.range[1],
        }
    }

    /// Keeps what shape `k` of the group says, if it is nearer; among equals the lowest number.
    #[inline(always)]
    pub fn settle(&mut self, placed: &Placed, k: u32, met: Option<Met>) {
        let Some(Met { distance, normal, face }) = met else { return };
        let shape = self.first + k;
        let nearer = match &self.best {
            Some(best) => distance < best.distance || distance == best.distance && shape < best.shape,
            None => true,
        };
        if nearer {
            let normal = placed.R_WG.mul_vec(normal);
            self.best = Some(Hit { distance, normal, shape, face });
        }
    }
}
