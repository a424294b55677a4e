//! Traversal of a tree by one ray: nearest boxes first, without boxes beyond the closest hit.
//!
//! # Law
//! ```text
//!   t_in = max(t_x, t_y, t_z, low) by the entry planes
//!   t_out = min(t_x, t_y, t_z, best) by the exit planes
//!   a box is entered if t_in <= t_out
//! ```
//! The nearest of the entered boxes is visited first. The others are pushed onto a stack with t_in
//! and are skipped later if t_in is beyond `best`.
//!
//! # Symbols
//! low minimum distance of a hit, best maximum distance.
//!
//! # Frames
//! Frame of the tree.
//!
//! # Limits
//! The stack has capacity for trees of depth [`crate::bvh::MAX_DEPTH`].
//!
//! # Checked by
//! The tests of `mesh.rs`; test/sensors/raytrace.rs, test/witness/devices/raytrace.rs

use crate::bvh::{Child, Node, Tree};
use crate::probe::TreeRay;
use merrow_math::f32x8::F32x8;

/// Capacity of a stack: seven boxes per level of the tree, and one more; a power of two.
const STACK_CAPACITY: usize = 128;

/// Stack of the deferred boxes of one ray, with their entry distances.
#[derive(Clone, Debug)]
pub(crate) struct BoxStack([(f32, Child); STACK_CAPACITY]);

impl Default for BoxStack {
    fn default() -> Self {
        Self([(0.0, Child::ROOT); STACK_CAPACITY])
    }
}

/// A tree with the contents of its leaves.
pub(crate) trait TreeContents {
    /// Returns the tree over the contents.
    fn tree(&self) -> &Tree;
    /// Prefetches a node or a leaf that will be visited soon.
    fn prefetch<E: F32x8>(&self, target: Result<usize, (u32, u32)>);
}

/// State of a traversal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Traversal {
    top: usize,
    position: Child,
    entered: f32,
}

impl Traversal {
    /// Starts at the root of a tree that is not empty.
    #[inline(always)]
    pub(crate) fn new(probe: &TreeRay) -> Self {
        Self {
            top: 0,
            position: Child::ROOT,
            entered: probe.low,
        }
    }

    /// Returns the current position: the index of a node, or first index and number of contents of
    /// a leaf.
    #[inline(always)]
    pub(crate) fn position(&self) -> Result<usize, (u32, u32)> {
        self.position.decode()
    }

    /// Returns the distance at which the ray enters the current position.
    #[inline(always)]
    pub(crate) fn entered(&self) -> f32 {
        self.entered
    }

    /// Moves from a node to the nearest child that the ray enters before `limit`; returns false if
    /// there is none.
    #[inline(always)]
    pub(crate) fn descend<E: F32x8, H: TreeContents>(
        &mut self,
        stack: &mut BoxStack,
        contents: &H,
        number: usize,
        planes: &RayPlanes<E>,
        limit: f32,
    ) -> bool {
        let node = &contents.tree().nodes[number];
        let (entry, exit) = planes.intersect_boxes(node, limit);
        let mut mask = entry.less_or_equal(exit);
        if mask == 0 {
            return false;
        }
        let mut near = [0.0; 8];
        entry.write(&mut near);
        let i = mask.trailing_zeros() as usize & 7;
        mask &= mask - 1;
        let mut best = (near[i], node.children[i]);
        let first = self.top;
        while mask != 0 {
            let i = mask.trailing_zeros() as usize & 7;
            mask &= mask - 1;
            let mut next = (near[i], node.children[i]);
            contents.prefetch::<E>(next.1.decode());
            if next.0 < best.0 {
                (next, best) = (best, next);
            }
            // Sorted insertion, with the nearest box on top.
            let mut index = self.top;
            while index > first && stack.0[(index - 1) & (STACK_CAPACITY - 1)].0 < next.0 {
                stack.0[index & (STACK_CAPACITY - 1)] = stack.0[(index - 1) & (STACK_CAPACITY - 1)];
                index -= 1;
            }
            stack.0[index & (STACK_CAPACITY - 1)] = next;
            self.top += 1;
        }
        (self.entered, self.position) = best;
        true
    }

    /// Moves to the nearest box on the stack that the ray enters before `limit`; returns false if
    /// there is none.
    #[inline(always)]
    pub(crate) fn resume(&mut self, stack: &BoxStack, limit: f32) -> bool {
        while self.top > 0 {
            self.top -= 1;
            let last = stack.0[self.top & (STACK_CAPACITY - 1)];
            if last.0 <= limit {
                (self.entered, self.position) = last;
                return true;
            }
        }
        false
    }
}

/// Data for testing a ray against the planes of eight boxes.
#[derive(Clone, Copy)]
pub(crate) struct RayPlanes<E> {
    o: [E; 3],
    inner: [E; 3],
    outer: [E; 3],
    low: E,
    entry_rows: [usize; 3],
    exit_rows: [usize; 3],
}

impl<E: F32x8> RayPlanes<E> {
    /// Broadcasts the data of one ray.
    #[inline(always)]
    pub(crate) fn new(probe: &TreeRay) -> Self {
        let (o, i, u) = (&probe.o, &probe.inner, &probe.outer);
        let [x, y, z] = probe.entry_rows;
        Self {
            o: [E::splat(o[0]), E::splat(o[1]), E::splat(o[2])],
            inner: [E::splat(i[0]), E::splat(i[1]), E::splat(i[2])],
            outer: [E::splat(u[0]), E::splat(u[1]), E::splat(u[2])],
            low: E::splat(probe.low),
            entry_rows: [x, y, z],
            exit_rows: [3 - x, 5 - y, 7 - z],
        }
    }

    /// Returns the distances at which the ray enters and leaves the boxes of a node; the exit is at
    /// most `limit`.
    #[inline(always)]
    fn intersect_boxes(&self, node: &Node, limit: f32) -> (E, E) {
        let ([ex, ey, ez], [lx, ly, lz]) = (self.entry_rows, self.exit_rows);
        let b = &node.bounds;
        let x = E::read(&b[ex]).sub(self.o[0]).mul(self.inner[0]);
        let y = E::read(&b[ey]).sub(self.o[1]).mul(self.inner[1]);
        let z = E::read(&b[ez]).sub(self.o[2]).mul(self.inner[2]);
        let entry = x.lane_max(y).lane_max(z.lane_max(self.low));
        let x = E::read(&b[lx]).sub(self.o[0]).mul(self.outer[0]);
        let y = E::read(&b[ly]).sub(self.o[1]).mul(self.outer[1]);
        let z = E::read(&b[lz]).sub(self.o[2]).mul(self.outer[2]);
        (entry, x.lane_min(y).lane_min(z.lane_min(E::splat(limit))))
    }
}
