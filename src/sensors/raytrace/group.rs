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
use super::mesh::{Met, Way, upward};
use super::probe::Probe;
use super::traverse::{Leaves, Stack, walk};
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

/// A question, and what has been found so far.
pub struct Search<'a> {
    /// The ray.
    pub ray: &'a Ray,
    /// Numbers of shapes that are not there.
    pub skip: Range<u32>,
    /// The nearest hit.
    pub best: Option<Hit>,
}

impl Search<'_> {
    #[inline(always)]
    fn limit(&self) -> f64 {
        match &self.best {
            Some(hit) => hit.distance,
            None => self.ray.range[1],
        }
    }
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

    /// Looks for what the ray meets among these shapes, the first of which has the number `first`. If `ANY`, whatever is found
    /// will do. True if something was found and `ANY`.
    #[inline(always)]
    pub fn search<E: Eight, const ANY: bool>(
        &self,
        search: &mut Search<'_>,
        first: u32,
        stack: &mut Stack,
    ) -> bool {
        let ray = search.ray;
        let m = ray.origin - self.centre;
        let along = m.dot(ray.direction);
        let outside = m.dot(m) - along * along > self.radius * self.radius;
        let shift = (-along - self.radius).max(ray.range[0]);
        if !self.tree.nodes.is_empty() && !outside && shift <= search.limit() {
            // a tree of one shape says nothing
            let over = if let [only] = self.order[..] {
                self.ask::<E, ANY>(only, first, search, shift, stack, 0)
            } else {
                let probe = Probe::new(m + ray.direction.scale(shift), ray.direction, ray.range[0] - shift);
                let mut leaves = InGroup::<ANY> { group: self, search, first, shift };
                walk::<E, _>(&self.tree, &probe, &mut leaves, stack, 0)
            };
            if over {
                return true;
            }
        }
        for k in &self.boundless {
            if self.ask::<E, ANY>(*k, first, search, search.ray.range[0], stack, 0) {
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
        first: u32,
        search: &mut Search<'_>,
        from: f64,
        stack: &mut Stack,
        base: usize,
    ) -> bool {
        let number = first + k;
        if search.skip.contains(&number) {
            return false;
        }
        let placed = &self.shapes[k as usize];
        let ray = search.ray;
        let o = placed.R_WG.tr_mul_vec(ray.origin - placed.p_WG);
        let d = placed.R_WG.tr_mul_vec(ray.direction);
        let way = Way { o, d, range: [ray.range[0], search.limit()], from };
        let met = match &placed.shape {
            Shape::Mesh(mesh) if ANY => return mesh.blocks::<E>(&way, stack, base),
            Shape::Mesh(mesh) => mesh.closest::<E>(&way, stack, base),
            Shape::Primitive(primitive) => primitive.closest(&way),
            Shape::Ground(ground) => ground.closest(&way),
        };
        let Some(Met { distance, normal, face }) = met else { return false };
        let nearer = match &search.best {
            Some(best) => distance < best.distance || number < best.shape,
            None => true,
        };
        if nearer {
            let normal = placed.R_WG.mul_vec(normal);
            search.best = Some(Hit { distance, normal, shape: number, face });
        }
        ANY
    }
}

/// The leaves of a group's tree: shapes.
struct InGroup<'a, 'b, const ANY: bool> {
    group: &'a Group,
    search: &'a mut Search<'b>,
    first: u32,
    shift: f64,
}

impl<const ANY: bool> Leaves for InGroup<'_, '_, ANY> {
    #[inline(always)]
    fn visit<E: Eight>(
        &mut self,
        (at, count): (u32, u32),
        near: f32,
        stack: &mut Stack,
        base: usize,
    ) -> bool {
        for i in at..at + count {
            let (k, from) = (self.group.order[i as usize], self.shift + f64::from(near));
            if self.group.ask::<E, ANY>(k, self.first, self.search, from, stack, base) {
                return true;
            }
        }
        false
    }

    #[inline(always)]
    fn fetch<E: Eight>(&self, _: (u32, u32)) {}

    #[inline(always)]
    fn limit(&self) -> f32 {
        upward(self.search.limit() - self.shift)
    }
}
