//! Bounding volume hierarchy with up to eight children per node.
//!
//! # Law
//! A binary tree is built by locally-ordered clustering and improved by reinsertion (`obvhs`); both
//! minimise the surface area of boxes. A subtree that fits into a leaf becomes a leaf. Each node
//! then absorbs the children of its children, starting with the largest box, until it has eight
//! [Wald 2008].
//!
//! # Frames
//! Frame of the boxes.
//!
//! # Limits
//! - Boxes must be finite; at most 2^27 leaves.
//! - Many nested boxes take long to cluster (16 s for 20 000).
//! - A tree deeper than [`MAX_DEPTH`] is replaced by a tree that repeatedly halves the list of
//!   boxes.
//!
//! # Checked by
//! The tests in this file; test/witness/devices/raytrace.rs

use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::leaf_collapser::collapse;
use obvhs::bvh2::node::Bvh2Node;
use obvhs::bvh2::reinsertion::ReinsertionOptimizer;
use obvhs::ploc::{PlocBuilder, PlocSearchDistance, SortPrecision};

/// Maximum depth of a tree [nodes].
pub(crate) const MAX_DEPTH: usize = 18;
/// Flag of a child that is a leaf.
const LEAF: u32 = 1 << 31;

/// Minimum and maximum coordinates of a box [m].
pub(crate) type Bounds = [[f32; 3]; 2];

/// Node with up to eight child boxes.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Node {
    /// Minimum x, y, z, then maximum x, y, z of every child [m]; unused slots have inverted bounds.
    pub bounds: [[f32; 8]; 6],
    /// Child nodes and leaves, by slot.
    pub children: [Child; 8],
}

impl Node {
    /// Returns true if the slot has a child.
    fn is_used(&self, slot: usize) -> bool {
        self.bounds[0][slot] <= self.bounds[3][slot]
    }

    /// Returns the box around all children.
    fn hull(&self) -> Bounds {
        let min = |axis: usize| {
            self.bounds[axis]
                .iter()
                .copied()
                .fold(f32::INFINITY, f32::min)
        };
        let max = |axis: usize| {
            let all = self.bounds[axis + 3].iter().copied();
            all.fold(f32::NEG_INFINITY, f32::max)
        };
        [[0, 1, 2].map(min), [0, 1, 2].map(max)]
    }
}

/// Reference to a node or a leaf, encoded in 32 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Child(u32);

impl Child {
    /// Root node of a tree.
    pub(crate) const ROOT: Self = Self(0);

    fn leaf(first: u32, count: u32) -> Self {
        Self(LEAF | (count - 1) << 27 | first)
    }

    /// Returns the index of the node (`Ok`), or first index and number of the contents of a leaf
    /// (`Err`).
    #[inline(always)]
    pub(crate) fn decode(self) -> Result<usize, (u32, u32)> {
        if self.0 & LEAF == 0 {
            Ok(self.0 as usize)
        } else {
            Err((self.0 & ((1 << 27) - 1), (self.0 >> 27 & 15) + 1))
        }
    }
}

/// Bounding volume hierarchy with its nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// Nodes, the root first; no nodes if the tree is empty.
    pub nodes: Vec<Node>,
}

/// Trade-off between build time and quality of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuildQuality {
    /// Fast build, for trees that are rebuilt often.
    Fast,
    /// Slow build of a better tree, for static contents.
    Best,
}

impl Tree {
    /// Builds a tree over `boxes`, with at most `max_leaf_size` (1..=16) of them in a leaf.
    ///
    /// `pack` receives the box indices of each leaf, stores the contents and returns their first
    /// index and count, which [`Child::decode`] later returns.
    pub(crate) fn new(
        boxes: &[Bounds],
        max_leaf_size: u32,
        quality: BuildQuality,
        mut pack: impl FnMut(&[u32]) -> (u32, u32),
    ) -> Self {
        if boxes.is_empty() {
            return Self::default();
        }
        let mut binary = build_clustered(boxes, max_leaf_size, quality);
        if Self::depth(&binary) > MAX_DEPTH {
            binary = build_by_halving(boxes, &binary.primitive_indices, max_leaf_size as usize);
        }
        Self {
            nodes: collapse_to_eight(&binary, &mut pack),
        }
    }

    /// Fits the boxes of all nodes to the boxes of the leaves, which `leaf` returns by the first
    /// index of their contents. Returns the area of the boxes, as [`Self::area`].
    pub(crate) fn refit(&mut self, leaf: impl Fn(u32) -> Bounds) -> f32 {
        // children follow their parent
        for index in (0..self.nodes.len()).rev() {
            for slot in 0..8 {
                if !self.nodes[index].is_used(slot) {
                    continue;
                }
                let fitted = match self.nodes[index].children[slot].decode() {
                    Ok(child) => self.nodes[child].hull(),
                    Err((first, _)) => leaf(first),
                };
                for axis in 0..3 {
                    self.nodes[index].bounds[axis][slot] = fitted[0][axis];
                    self.nodes[index].bounds[axis + 3][slot] = fitted[1][axis];
                }
            }
        }
        self.area()
    }

    /// Returns the sum of half the surface areas of all child boxes [m²].
    pub(crate) fn area(&self) -> f32 {
        let area_of = |node: &Node| -> f32 {
            let used = (0..8).filter(|slot| node.is_used(*slot));
            let area = used.map(|slot| {
                let [x, y, z] = [0, 1, 2].map(|a| node.bounds[a + 3][slot] - node.bounds[a][slot]);
                x * y + y * z + z * x
            });
            area.sum()
        };
        self.nodes.iter().map(area_of).sum()
    }

    /// Returns the memory use of the tree [bytes].
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>()
    }

    /// Returns the depth of the tree [nodes] after merging to eight children per node.
    fn depth(binary: &Bvh2) -> usize {
        let mut max_depth = 0;
        let mut pending = vec![(0, 1)];
        while let Some((number, depth)) = pending.pop() {
            max_depth = max_depth.max(depth);
            let children = merged_children(binary, number);
            pending.extend(
                children
                    .iter()
                    .filter(|n| !is_leaf(binary, **n))
                    .map(|n| (*n, depth + 1)),
            );
        }
        max_depth
    }
}

fn is_leaf(binary: &Bvh2, number: u32) -> bool {
    binary.nodes[number as usize].is_leaf()
}

/// Returns up to eight descendants of a node that become its children.
fn merged_children(binary: &Bvh2, number: u32) -> Vec<u32> {
    let node = &binary.nodes[number as usize];
    if node.is_leaf() {
        return vec![number];
    }
    let mut children = vec![node.first_index, node.first_index + 1];
    let area = |n: u32| binary.nodes[n as usize].aabb().half_area();
    while children.len() < 8 {
        let inner = (0..children.len()).filter(|i| !is_leaf(binary, children[*i]));
        let Some(i) = inner.max_by(|a, b| area(children[*a]).total_cmp(&area(children[*b]))) else {
            break;
        };
        let first = binary.nodes[children[i] as usize].first_index;
        children[i] = first;
        children.insert(i + 1, first + 1);
    }
    children
}

/// Merges a binary tree to nodes with eight children; children follow their parent.
fn collapse_to_eight(binary: &Bvh2, pack: &mut impl FnMut(&[u32]) -> (u32, u32)) -> Vec<Node> {
    let empty = Node {
        bounds: [
            [f32::INFINITY; 8],
            [f32::INFINITY; 8],
            [f32::INFINITY; 8],
            [f32::NEG_INFINITY; 8],
            [f32::NEG_INFINITY; 8],
            [f32::NEG_INFINITY; 8],
        ],
        children: [Child(0); 8],
    };
    let mut nodes = vec![empty.clone()];
    let mut pending = vec![(0_u32, 0_usize)];
    while let Some((number, index)) = pending.pop() {
        let first_new = pending.len();
        for (i, child) in merged_children(binary, number).into_iter().enumerate() {
            let from = &binary.nodes[child as usize];
            let bounds = [from.aabb().min.to_array(), from.aabb().max.to_array()];
            for axis in 0..3 {
                nodes[index].bounds[axis][i] = bounds[0][axis];
                nodes[index].bounds[axis + 3][i] = bounds[1][axis];
            }
            nodes[index].children[i] = if from.is_leaf() {
                let range =
                    from.first_index as usize..(from.first_index + from.prim_count) as usize;
                let (first, count) = pack(&binary.primitive_indices[range]);
                Child::leaf(first, count)
            } else {
                pending.push((child, nodes.len()));
                nodes.push(empty.clone());
                Child(nodes.len() as u32 - 1)
            };
        }
        pending[first_new..].reverse();
    }
    nodes
}

fn to_aabb(b: &Bounds) -> Aabb {
    Aabb::new(b[0].into(), b[1].into())
}

/// Returns a binary tree that minimises surface areas.
fn build_clustered(boxes: &[Bounds], max_leaf_size: u32, quality: BuildQuality) -> Bvh2 {
    // Clustering merges only one pair at a time where all boxes are equal. Slightly uneven padding
    // makes them different.
    let size = boxes
        .iter()
        .flatten()
        .flatten()
        .fold(1e-30_f32, |size, x| size.max(x.abs()));
    let padded_box = |(k, b): (usize, &Bounds)| {
        let padding =
            size * ((k as u32).wrapping_mul(0x9e37_79b9) >> 28) as f32 * 2.0_f32.powi(-24);
        to_aabb(&[b[0].map(|x| x - padding), b[1].map(|x| x + padding)])
    };
    let boxes: Vec<Aabb> = boxes.iter().enumerate().map(padded_box).collect();
    let (search_distance, threshold, reinsertion_share) = match quality {
        BuildQuality::Fast => (PlocSearchDistance::Minimum, 0, 0.0),
        BuildQuality::Best => (PlocSearchDistance::Medium, 3, 0.05),
    };
    let numbers = (0..boxes.len() as u32).collect();
    let mut tree = PlocBuilder::with_capacity(boxes.len()).build(
        search_distance,
        &boxes,
        numbers,
        SortPrecision::U64,
        threshold,
    );
    let mut optimizer = ReinsertionOptimizer::default();
    optimizer.run(&mut tree, reinsertion_share, None);
    // A leaf has the same cost for any count.
    collapse(&mut tree, max_leaf_size, max_leaf_size as f32);
    optimizer.run(&mut tree, 2.0 * reinsertion_share, None);
    tree
}

/// Returns a binary tree that repeatedly halves the list `numbers`.
fn build_by_halving(boxes: &[Bounds], numbers: &[u32], max_leaf_size: usize) -> Bvh2 {
    let enclosing_box = |range: std::ops::Range<usize>| {
        numbers[range].iter().fold(Aabb::empty(), |all, n| {
            all.union(&to_aabb(&boxes[*n as usize]))
        })
    };
    let mut tree = Bvh2 {
        primitive_indices: numbers.to_vec(),
        ..Bvh2::default()
    };
    let mut pending = vec![(0, 0..numbers.len())];
    tree.nodes.push(Bvh2Node::default());
    while let Some((index, range)) = pending.pop() {
        let hull = enclosing_box(range.clone());
        if range.len() <= max_leaf_size {
            tree.nodes[index] = Bvh2Node::new(hull, range.len() as u32, range.start as u32);
            continue;
        }
        let first = tree.nodes.len();
        tree.nodes[index] = Bvh2Node::new(hull, 0, first as u32);
        tree.nodes
            .extend([Bvh2Node::default(), Bvh2Node::default()]);
        let midpoint = range.start + range.len() / 2;
        pending.push((first, range.start..midpoint));
        pending.push((first + 1, midpoint..range.end));
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the contents of all leaves, sorted, after checking the boxes of the tree.
    fn contents(tree: &Tree, packed: &[Vec<u32>], boxes: &[Bounds]) -> Vec<u32> {
        let mut all = Vec::new();
        let mut pending = vec![(0, [[f32::NEG_INFINITY; 3], [f32::INFINITY; 3]], 1)];
        while let Some((number, hull, depth)) = pending.pop() {
            assert!(depth <= MAX_DEPTH);
            let Some(node) = tree.nodes.get(number) else {
                continue;
            };
            for i in (0..8).filter(|i| node.bounds[0][*i] <= node.bounds[3][*i]) {
                let bounds =
                    [[0, 1, 2], [3, 4, 5]].map(|rows| rows.map(|row: usize| node.bounds[row][i]));
                let within = |small: &Bounds, large: &Bounds| {
                    (0..3).all(|axis| {
                        small[0][axis] >= large[0][axis] && small[1][axis] <= large[1][axis]
                    })
                };
                assert!(within(&bounds, &hull));
                match node.children[i].decode() {
                    Ok(number) => pending.push((number, bounds, depth + 1)),
                    Err((first, count)) => {
                        for list in &packed[first as usize..(first + count) as usize] {
                            assert!(list.iter().all(|k| within(&boxes[*k as usize], &bounds)));
                            all.extend(list);
                        }
                    }
                }
            }
        }
        all.sort_unstable();
        all
    }

    fn check_tree(boxes: &[Bounds]) {
        let make = |quality| {
            let mut packed = Vec::new();
            let tree = Tree::new(boxes, 8, quality, |list| {
                assert!(list.len() <= 8);
                packed.push(list.to_vec());
                (packed.len() as u32 - 1, 1)
            });
            (tree, packed)
        };
        for quality in [BuildQuality::Fast, BuildQuality::Best] {
            let (tree, packed) = make(quality);
            assert_eq!(
                contents(&tree, &packed, boxes),
                (0..boxes.len() as u32).collect::<Vec<_>>()
            );
            let (repeated, _) = make(quality);
            assert_eq!(format!("{:?}", tree.nodes), format!("{:?}", repeated.nodes));
        }
        if boxes.is_empty() {
            return;
        }
        let mut packed = Vec::new();
        let numbers: Vec<u32> = (0..boxes.len() as u32).collect();
        let nodes = collapse_to_eight(&build_by_halving(boxes, &numbers, 8), &mut |list| {
            packed.push(list.to_vec());
            (packed.len() as u32 - 1, 1)
        });
        assert_eq!(contents(&Tree { nodes }, &packed, boxes), numbers);
    }

    // Every box is in the tree once, within all its ancestors, for any input, and the build is
    // repeatable. Method: no box, one, flat boxes, points, equal boxes, rows of growing distance,
    // huge and distant boxes, by both builders and by halving.
    #[test]
    fn tree_contains_every_box_once() {
        let point = |x: f32, y: f32, z: f32| [[x, y, z], [x, y, z]];
        check_tree(&[]);
        check_tree(&[point(1.0, 2.0, 3.0)]);
        for n in [2, 7, 8, 9, 64, 1000, 5000] {
            let check = |f: &dyn Fn(f32) -> Bounds| {
                check_tree(&(0..n).map(|k| f(k as f32)).collect::<Vec<_>>())
            };
            check(&|_| point(3.0, -4.0, 5.0));
            check(&|_| [[-1.0; 3], [1.0; 3]]);
            check(&|k| {
                [
                    [k % 31.0, (k / 31.0).floor(), 0.0],
                    [k % 31.0 + 1.0, (k / 31.0).floor() + 1.0, 0.0],
                ]
            });
            check(&|k| point(k, 0.0, 0.0));
            check(&|k| [[-k % 500.0; 3], [k % 500.0; 3]]);
            check(&|k| point((k % 80.0 - 40.0).exp2(), k, -k));
            check(&|k| point(1e12 + 1e6 * k, -1e12, 1e12));
            check(&|k| [[-1e12, k, -1e12], [1e12, k + 1e-3, 1e12]]);
        }
    }
}
