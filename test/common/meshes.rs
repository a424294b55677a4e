//! Generated meshes (spheres, boxes) and their OBJ text.

use merrow_math::Vec3;
use std::collections::HashMap;
use std::fmt::Write as _;

/// A generated mesh; its triangles are oriented outwards.
pub(crate) struct GeneratedMesh {
    /// Corners of the mesh [m].
    pub vertices: Vec<Vec3>,
    /// Corner indices of the triangles.
    pub triangles: Vec<[u32; 3]>,
}

impl GeneratedMesh {
    /// Returns the mesh as the text of an OBJ file.
    pub(crate) fn obj(&self) -> String {
        let mut text = String::new();
        for v in &self.vertices {
            let _ = writeln!(text, "v {:e} {:e} {:e}", v.x, v.y, v.z);
        }
        for [a, b, c] in &self.triangles {
            let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
        }
        text
    }

    /// Returns the mesh with every triangle divided in four at the midpoints of its edges.
    fn halved(&self) -> Self {
        let mut vertices = self.vertices.clone();
        let mut middles: HashMap<(u32, u32), u32> = HashMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                vertices.push((vertices[a as usize] + vertices[b as usize]).scale(0.5));
                vertices.len() as u32 - 1
            })
        };
        let mut triangles = Vec::new();
        for &[a, b, c] in &self.triangles {
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            triangles.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        Self {
            vertices,
            triangles,
        }
    }
}

/// Returns a box of `size` [m] about the origin; each face has 2 * 4^`level` triangles.
pub(crate) fn cuboid(size: [f64; 3], level: usize) -> GeneratedMesh {
    let vertices = (0..8).map(|i| {
        let side = |bit: usize| {
            if i >> bit & 1 == 1 {
                0.5 * size[bit]
            } else {
                -0.5 * size[bit]
            }
        };
        Vec3::new(side(0), side(1), side(2))
    });
    let quads = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let triangles = quads
        .iter()
        .flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
    let coarse = GeneratedMesh {
        vertices: vertices.collect(),
        triangles: triangles.collect(),
    };
    (0..level).fold(coarse, |mesh, _| mesh.halved())
}

/// Returns a sphere of `radius` [m] about the origin with 8 * 4^`level` triangles, subdivided from
/// an octahedron; its equator consists of edges.
pub(crate) fn sphere(radius: f64, level: usize) -> GeneratedMesh {
    let tip = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    let vertices = vec![
        tip(1.0, 0.0, 0.0),
        tip(0.0, 1.0, 0.0),
        tip(-1.0, 0.0, 0.0),
        tip(0.0, -1.0, 0.0),
        tip(0.0, 0.0, 1.0),
        tip(0.0, 0.0, -1.0),
    ];
    let triangles = (0..4)
        .flat_map(|k| [[k, (k + 1) % 4, 4], [(k + 1) % 4, k, 5]])
        .collect();
    let mut mesh = GeneratedMesh {
        vertices,
        triangles,
    };
    for _ in 0..level {
        mesh = mesh.halved();
        for v in &mut mesh.vertices {
            *v = v.scale(1.0 / v.norm());
        }
    }
    for v in &mut mesh.vertices {
        *v = v.scale(radius);
    }
    mesh
}
