//! Traversal of a tree by one ray: nearest boxes first, without boxes beyond the closest hit.
//!
//! # Law
//! ```text
//!   t_in = max(t_x, t_y, t_z, low) by the entry planes,  t_out = min(t_x, t_y, t_z, best) by the exit planes
//!   a box is entered if t_in <= t_out
//! ```
//! The nearest of the entered boxes is visited first. The others go on a stack with t_in and are
//! skipped later if t_in is beyond `best`.
//!
//! A traversal can be suspended at every node, so that several rays can alternate while some wait
//! for memory. The directions of such rays are unrelated, and most branches would be mispredicted.
//! Their stack ([`SortedStack`]) is therefore sorted without branches.
//!
//! # Symbols
//! low minimum distance of a hit, best maximum distance.
//!
//! # Frames
//! Frame of the tree.
//!
//! # Limits
//! The stacks have capacity for trees of depth [`crate::raytrace::bvh::DEEPEST`].
//!
//! # Checked by
//! The tests of `mesh.rs`; test/sensors/raytrace.rs, test/witness/raytrace.rs

use crate::raytrace::bvh::{Child, Node, Tree};
use crate::raytrace::packet8::F32x8;
use crate::raytrace::probe::TreeRay;

/// Capacity of a stack: seven boxes per level of the tree, and one more; a power of two.
const ROOM: usize = 128;

/// Stack of the deferred boxes of one ray, with their entry distances.
#[derive(Clone, Debug)]
pub struct BoxStack([(f32, Child); ROOM]);

impl Default for BoxStack {
    fn default() -> Self {
        Self([(0.0, Child::ROOT); ROOM])
    }
}

/// Stack of the deferred boxes of a ray in interleaved traversal.
#[derive(Clone, Debug)]
pub struct SortedStack {
    /// Entry distances and slots in the last three bits, as [`F32x8::enter`] writes them.
    near: [u32; ROOM],
    what: [u32; ROOM],
}

impl Default for SortedStack {
    fn default() -> Self {
        Self {
            near: [0; ROOM],
            what: [0; ROOM],
        }
    }
}

/// A tree with the contents of its leaves.
pub(crate) trait Holds {
    /// Tree over the contents.
    fn tree(&self) -> &Tree;
    /// Prefetches a node or a leaf that will be visited soon.
    fn prefetch<E: F32x8>(&self, what: Result<usize, (u32, u32)>);
}

/// State of a traversal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Traversal {
    top: usize,
    here: Child,
    entered: f32,
}

impl Traversal {
    /// Starts at the root of a tree that is not empty.
    #[inline(always)]
    pub(crate) fn new(probe: &TreeRay) -> Self {
        Self {
            top: 0,
            here: Child::ROOT,
            entered: probe.low,
        }
    }

    /// Current position: the index of a node, or first index and count of a leaf.
    #[inline(always)]
    pub(crate) fn here(&self) -> Result<usize, (u32, u32)> {
        self.here.decode()
    }

    /// Distance at which the ray enters the current position.
    #[inline(always)]
    pub(crate) fn entered(&self) -> f32 {
        self.entered
    }

    /// Moves from a node to the nearest child that the ray enters before `limit`; returns false if
    /// there is none.
    #[inline(always)]
    pub(crate) fn descend<E: F32x8, H: Holds>(
        &mut self,
        kept: &mut BoxStack,
        holds: &H,
        number: usize,
        at: &RayPlanes<E>,
        limit: f32,
    ) -> bool {
        let node = &holds.tree().nodes[number];
        let (into, out) = at.meet(node, limit);
        let mut met = into.not_above(out);
        if met == 0 {
            return false;
        }
        let mut near = [0.0; 8];
        into.write(&mut near);
        let i = met.trailing_zeros() as usize & 7;
        met &= met - 1;
        let mut best = (near[i], node.children[i]);
        let first = self.top;
        while met != 0 {
            let i = met.trailing_zeros() as usize & 7;
            met &= met - 1;
            let mut next = (near[i], node.children[i]);
            holds.prefetch::<E>(next.1.decode());
            if next.0 < best.0 {
                (next, best) = (best, next);
            }
            // Sorted insertion, with the nearest box on top.
            let mut place = self.top;
            while place > first && kept.0[(place - 1) & (ROOM - 1)].0 < next.0 {
                kept.0[place & (ROOM - 1)] = kept.0[(place - 1) & (ROOM - 1)];
                place -= 1;
            }
            kept.0[place & (ROOM - 1)] = next;
            self.top += 1;
        }
        (self.entered, self.here) = best;
        true
    }

    /// Moves to the nearest box on the stack that the ray enters before `limit`; returns false if
    /// there is none.
    #[inline(always)]
    pub(crate) fn resume(&mut self, kept: &BoxStack, limit: f32) -> bool {
        while self.top > 0 {
            self.top -= 1;
            let last = kept.0[self.top & (ROOM - 1)];
            if last.0 <= limit {
                (self.entered, self.here) = last;
                return true;
            }
        }
        false
    }

    /// Pushes the children of a node that the ray enters before `limit`.
    #[inline(always)]
    pub(crate) fn push_children<E: F32x8>(
        &mut self,
        pile: &mut SortedStack,
        node: &Node,
        at: &RayPlanes<E>,
        limit: f32,
    ) {
        let (into, out) = at.meet(node, limit);
        // Eight elements are always written, whatever the count.
        let place = self.top.min(ROOM - 8);
        let near = pile.near[place..].first_chunk_mut();
        if let (Some(near), Some(what)) = (near, pile.what[place..].first_chunk_mut()) {
            self.top += into.enter(out, &node.words(), near, what);
        }
    }

    /// As [`Walk::resume`] for a [`SortedStack`].
    #[inline(always)]
    pub(crate) fn pop(&mut self, pile: &SortedStack, limit: f32) -> bool {
        // Distances in a `SortedStack` are not negative.
        let limit = limit.max(0.0);
        while self.top > 0 {
            self.top -= 1;
            let place = self.top.min(ROOM - 1);
            let entered = f32::from_bits(pile.near[place] & !7);
            if entered <= limit {
                (self.entered, self.here) = (entered, Child::of_word(pile.what[place]));
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
    enter: [usize; 3],
    leave: [usize; 3],
}

impl<E: F32x8> RayPlanes<E> {
    /// Broadcasts the data of one ray.
    #[inline(always)]
    pub(crate) fn new(probe: &TreeRay) -> Self {
        let (o, i, u) = (&probe.o, &probe.inner, &probe.outer);
        let [x, y, z] = probe.enter;
        Self {
            o: [E::splat(o[0]), E::splat(o[1]), E::splat(o[2])],
            inner: [E::splat(i[0]), E::splat(i[1]), E::splat(i[2])],
            outer: [E::splat(u[0]), E::splat(u[1]), E::splat(u[2])],
            low: E::splat(probe.low),
            enter: [x, y, z],
            leave: [3 - x, 5 - y, 7 - z],
        }
    }

    /// Distances at which the ray enters and leaves the boxes of a node; the exit is at most
    /// `limit`.
    #[inline(always)]
    fn meet(&self, node: &Node, limit: f32) -> (E, E) {
        let ([ex, ey, ez], [lx, ly, lz]) = (self.enter, self.leave);
        let b = &node.bounds;
        let x = E::read(&b[ex]).sub(self.o[0]).mul(self.inner[0]);
        let y = E::read(&b[ey]).sub(self.o[1]).mul(self.inner[1]);
        let z = E::read(&b[ez]).sub(self.o[2]).mul(self.inner[2]);
        let into = x.lane_max(y).lane_max(z.lane_max(self.low));
        let x = E::read(&b[lx]).sub(self.o[0]).mul(self.outer[0]);
        let y = E::read(&b[ly]).sub(self.o[1]).mul(self.outer[1]);
        let z = E::read(&b[lz]).sub(self.o[2]).mul(self.outer[2]);
        (into, x.lane_min(y).lane_min(z.lane_min(E::splat(limit))))
    }
}
