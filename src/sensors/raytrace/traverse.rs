//! A ray's way through a tree: the nearest boxes first, and nothing beyond what has been met.
//!
//! # Law
//! ```text
//!   t_in = max(t_x, t_y, t_z, low) by the planes entered by,  t_out = min(t_x, t_y, t_z, best) by those left by
//!   a box is entered if t_in <= t_out
//! ```
//! Of the boxes entered the nearest is looked into, the others are kept with t_in and left out later if that is beyond `best`.
//!
//! # Symbols
//! low least distance that counts, best the greatest.
//!
//! # Frames
//! That of the tree.
//!
//! # Limits
//! [`Stack`] holds what trees of [`super::bvh::DEEPEST`] need, one within a leaf of another.
//!
//! # Checked by
//! tests of `mesh.rs`; test/analytic/raytrace.rs, test/witness/raytrace.rs

use super::bvh::{Child, Tree};
use super::eight::Eight;
use super::probe::Probe;

/// Boxes that are kept for later.
const ROOM: usize = 256;

/// What has been kept; one serves all rays of a thread, one after another.
pub struct Stack {
    kept: [(f32, Child); ROOM],
}

impl Default for Stack {
    fn default() -> Self {
        Self { kept: [(0.0, Child::default()); ROOM] }
    }
}

/// What a tree's leaves hold.
pub trait Leaves {
    /// Looks at the leaf `(first, count)`, which the ray enters at `near`; true if the search is over. `base` is where the
    /// stack is free.
    fn visit<E: Eight>(&mut self, leaf: (u32, u32), near: f32, stack: &mut Stack, base: usize) -> bool;
    /// Has what is in a leaf fetched.
    fn fetch<E: Eight>(&self, leaf: (u32, u32));
    /// Distance beyond which nothing counts.
    fn limit(&self) -> f32;
}

/// Leads `probe` to the leaves of `tree`, by the stack from `base` on; true if one of them said that it is over.
#[inline(always)]
pub fn walk<E: Eight, L: Leaves>(
    tree: &Tree,
    probe: &Probe,
    leaves: &mut L,
    stack: &mut Stack,
    base: usize,
) -> bool {
    if tree.nodes.is_empty() {
        return false;
    }
    let o = [E::splat(probe.o[0]), E::splat(probe.o[1]), E::splat(probe.o[2])];
    let inner = [E::splat(probe.inner[0]), E::splat(probe.inner[1]), E::splat(probe.inner[2])];
    let outer = [E::splat(probe.outer[0]), E::splat(probe.outer[1]), E::splat(probe.outer[2])];
    let low = E::splat(probe.low);
    let [ex, ey, ez] = probe.enter;
    let (lx, ly, lz) = (3 - ex, 5 - ey, 7 - ez);
    let mut top = base;
    let mut here = Child::ROOT;
    let mut entered = probe.low;
    loop {
        match here.either() {
            Ok(number) => {
                let node = &tree.nodes[number];
                // asked for last, but from a line of its own
                E::fetch(&node.children);
                let b = &node.bounds;
                let x = E::read(&b[ex]).sub(o[0]).mul(inner[0]);
                let y = E::read(&b[ey]).sub(o[1]).mul(inner[1]);
                let z = E::read(&b[ez]).sub(o[2]).mul(inner[2]);
                let into = x.greatest(y).greatest(z.greatest(low));
                let x = E::read(&b[lx]).sub(o[0]).mul(outer[0]);
                let y = E::read(&b[ly]).sub(o[1]).mul(outer[1]);
                let z = E::read(&b[lz]).sub(o[2]).mul(outer[2]);
                let out = x.least(y).least(z.least(E::splat(leaves.limit())));
                let mut met = into.not_above(out);
                if met != 0 {
                    let mut near = [0.0; 8];
                    into.write(&mut near);
                    let i = met.trailing_zeros() as usize & 7;
                    met &= met - 1;
                    (entered, here) = (near[i], node.children[i]);
                    if met == 0 {
                        continue;
                    }
                    let first = top;
                    while met != 0 {
                        let i = met.trailing_zeros() as usize & 7;
                        met &= met - 1;
                        let mut next = (near[i], node.children[i]);
                        match next.1.either() {
                            Ok(number) => E::fetch(&tree.nodes[number]),
                            Err(leaf) => leaves.fetch::<E>(leaf),
                        }
                        if next.0 < entered {
                            (next, (entered, here)) = ((entered, here), next);
                        }
                        // nearest on top
                        let mut place = top;
                        while place > first && stack.kept[(place - 1) & (ROOM - 1)].0 < next.0 {
                            stack.kept[place & (ROOM - 1)] = stack.kept[(place - 1) & (ROOM - 1)];
                            place -= 1;
                        }
                        stack.kept[place & (ROOM - 1)] = next;
                        top += 1;
                    }
                    continue;
                }
            }
            Err(leaf) => {
                if leaves.visit::<E>(leaf, entered, stack, top) {
                    return true;
                }
            }
        }
        loop {
            if top == base {
                return false;
            }
            top -= 1;
            let kept = stack.kept[top & (ROOM - 1)];
            if kept.0 <= leaves.limit() {
                (entered, here) = kept;
                break;
            }
        }
    }
}
