//! Whether a mesh is the surface of a body: closed, with an inside and an outside.

use merrow_math::Vec3;
use merrow_model::scene::robot::collision::Mesh;
use std::collections::HashMap;

/// What is known of a mesh's surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Survey {
    /// Edges with a triangle on one side only.
    pub open: usize,
    /// Edges with more than two triangles, or with two that disagree on which side is out.
    pub crossed: usize,
    /// Enclosed volume [m³]; negative if the mesh is inside out. Means nothing where edges are open or crossed.
    pub volume: f64,
    /// True if all corners lie in one plane.
    pub flat: bool,
}

impl Survey {
    /// Why the mesh does not enclose a body, if it does not.
    pub fn no_body(&self) -> Option<String> {
        if self.open > 0 {
            let edges = edges(self.open);
            return Some(format!(
                "the mesh is open: {edges} a triangle on one side only, expected a closed surface"
            ));
        }
        self.no_sides()
    }

    /// Why the mesh, which may be open, has no clear outside, if it has none.
    pub fn no_sides(&self) -> Option<String> {
        if self.crossed > 0 {
            Some(format!(
                "the mesh is not manifold: {} more than two triangles, or two that disagree on which side is out",
                edges(self.crossed)
            ))
        } else if self.open == 0 && self.volume < 0.0 {
            Some(
                "the mesh is inside out: expected triangles counter-clockwise seen from outside"
                    .to_string(),
            )
        } else {
            None
        }
    }
}

fn edges(n: usize) -> String {
    if n == 1 {
        "1 edge has".to_string()
    } else {
        format!("{n} edges have")
    }
}

/// Looks at all edges of a mesh.
pub fn survey(mesh: &Mesh) -> Survey {
    // per edge (lower corner first): how often it is run through upwards and downwards
    let mut runs: HashMap<(u32, u32), (u32, u32)> = HashMap::new();
    for t in &mesh.triangles {
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            let run = runs.entry((a.min(b), a.max(b))).or_default();
            if a < b { run.0 += 1 } else { run.1 += 1 }
        }
    }
    let open = runs.values().filter(|r| r.0 + r.1 == 1).count();
    let crossed = runs
        .values()
        .filter(|r| r.0 + r.1 > 1 && **r != (1, 1))
        .count();
    let corner = |k: u32| mesh.vertices[k as usize];
    let origin = corner(mesh.triangles[0][0]);
    let volume = mesh
        .triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|k| corner(k) - origin);
            a.dot(b.cross(c)) / 6.0
        })
        .sum();
    Survey {
        open,
        crossed,
        volume,
        flat: is_flat(mesh),
    }
}

/// Whether all corners lie in one plane, to a millionth of the mesh's size.
fn is_flat(mesh: &Mesh) -> bool {
    let origin = mesh.vertices[0];
    let farthest = |f: &dyn Fn(Vec3) -> f64| {
        mesh.vertices
            .iter()
            .map(|v| *v - origin)
            .fold((0.0, Vec3::zero()), |best, v| {
                let d = f(v).abs();
                if d > best.0 { (d, v) } else { best }
            })
    };
    let (size, along) = farthest(&|v| v.norm());
    let (area, across) = farthest(&|v| along.cross(v).norm());
    let normal = along.cross(across);
    let (height, _) = farthest(&|v| {
        if area > 0.0 {
            normal.dot(v) / normal.norm()
        } else {
            0.0
        }
    });
    height <= 1e-6 * size
}
