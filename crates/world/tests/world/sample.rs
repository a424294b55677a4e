//! Sample box mesh for tests.

use merrow_math::Vec3;
use merrow_model::scene::robot::collision::Mesh;

/// Triangles of a box, counter-clockwise seen from outside. Bit i of a vertex index selects its
/// side along axis i.
pub(crate) const FACES: [[usize; 3]; 12] = [
    [0, 4, 6],
    [0, 6, 2],
    [1, 3, 7],
    [1, 7, 5],
    [0, 1, 5],
    [0, 5, 4],
    [2, 6, 7],
    [2, 7, 3],
    [0, 2, 3],
    [0, 3, 1],
    [4, 5, 7],
    [4, 7, 6],
];

/// Returns a box with these edge lengths [m], centred at `p` [m].
pub(crate) fn box_mesh([x, y, z]: [f64; 3], p: Vec3) -> Mesh {
    let side = |k: usize, bit: usize, h: f64| if k >> bit & 1 == 1 { 0.5 * h } else { -0.5 * h };
    let vertices = (0..8)
        .map(|k| p + Vec3::new(side(k, 0, x), side(k, 1, y), side(k, 2, z)))
        .collect();
    Mesh {
        vertices,
        triangles: FACES.map(|f| f.map(|k| k as u32)).to_vec(),
        parts: Vec::new(),
    }
}
