//! Shapes of robots and structures for the page: their description, and the bytes of meshes and of
//! the terrain.
//!
//! The page receives the meshes of the scene, which the cameras render too, and no files.

use crate::readings::wetted_hull::ellipsoid;
use merrow_math::hull_cut::HullShape;
use merrow_math::{Mat3, Quat, Vec3};
use merrow_model::scene::robot::collision::{Heightfield, MeshPart};
use merrow_model::scene::{Collider, Geometry, Link, Material, Primitive, Scene, Seabed};
use serde_json::{Value, json};
use std::sync::Arc;

/// Maximum number of samples of the terrain along one axis.
const MAX_TERRAIN_SAMPLES: usize = 384;
/// Distance from the world origin to the edge of a terrain with geographic axes [m].
const GEOGRAPHIC_EXTENT: f64 = 1000.0;

/// Meshes of a scene. Shapes with the same mesh share its number.
#[derive(Default)]
pub(crate) struct Meshes {
    known: Vec<(*const (), Vec<u8>)>,
}

impl Meshes {
    /// Returns the bytes of every mesh, by its number.
    pub(crate) fn into_bytes(self) -> Vec<Vec<u8>> {
        self.known.into_iter().map(|(_, bytes)| bytes).collect()
    }

    fn number(&mut self, place: *const (), bytes: impl FnOnce() -> Vec<u8>) -> usize {
        let found = self.known.iter().position(|(known, _)| *known == place);
        found.unwrap_or_else(|| {
            self.known.push((place, bytes()));
            self.known.len() - 1
        })
    }

    /// Describes a shape. Its pose is in L, or in W for a structure.
    pub(crate) fn describe(&mut self, shape: &Collider) -> Value {
        let geometry = match &shape.geometry {
            Geometry::Primitive(primitive) => primitive_json(primitive),
            Geometry::ConvexHull(mesh)
            | Geometry::ConvexDecomposition(mesh)
            | Geometry::Mesh(mesh) => {
                let k = self.number(Arc::as_ptr(mesh).cast(), || {
                    mesh_bytes(&mesh.vertices, &mesh.triangles)
                });
                let part = |part: &MeshPart| {
                    json!({
                        "name": part.name,
                        "end": part.end,
                        "color": part.color.filter(|_| shape.file_colors),
                    })
                };
                let parts: Vec<Value> = mesh.parts.iter().map(part).collect();
                json!({"kind": "mesh", "mesh": k, "parts": parts})
            }
            Geometry::Heightfield(field) => {
                let k = self.number(Arc::as_ptr(field).cast(), || heightfield_bytes(field));
                json!({"kind": "mesh", "mesh": k, "parts": []})
            }
        };
        json!({
            "name": shape.name,
            "link": shape.link,
            "fin": shape.fin,
            "p": shape.p_LoG.to_array(),
            "q": quaternion(&shape.R_LG),
            "color": shape.material.color(),
            "geometry": geometry,
        })
    }

    /// Describes the hulls of a link, in L.
    pub(crate) fn describe_hulls(&mut self, index: usize, link: &Link) -> Vec<Value> {
        let mesh = |number: usize| json!({"kind": "mesh", "mesh": number, "parts": []});
        let describe = |geometry: Value, p: Vec3, R: &Mat3| {
            json!({
                "name": link.name,
                "link": index,
                "fin": null,
                "p": p.to_array(),
                "q": quaternion(R),
                "color": Material::default().color(),
                "geometry": geometry,
            })
        };
        if let Some(own) = &link.hull_mesh {
            let number = self.number(Arc::as_ptr(own).cast(), || {
                mesh_bytes(&own.vertices, &own.triangles)
            });
            return vec![describe(mesh(number), Vec3::zero(), &Mat3::identity())];
        }
        link.hulls()
            .map(|hull| {
                let geometry = match hull.shape {
                    HullShape::Box(half) => primitive_json(&Primitive::Box { half }),
                    HullShape::Ellipsoid(axes) => {
                        let (vertices, triangles) = ellipsoid(axes);
                        let number = self.number(std::ptr::from_ref(hull).cast(), || {
                            mesh_bytes(&vertices, &triangles)
                        });
                        mesh(number)
                    }
                };
                describe(geometry, hull.p_LoH, &hull.R_LH)
            })
            .collect()
    }
}

/// Returns the quaternion (w, x, y, z) of a rotation.
pub(crate) fn quaternion(R: &Mat3) -> [f64; 4] {
    let q = Quat::from_matrix(R);
    [q.w, q.x, q.y, q.z]
}

fn primitive_json(primitive: &Primitive) -> Value {
    match *primitive {
        Primitive::Sphere { radius } => json!({"kind": "sphere", "radius": radius}),
        Primitive::Box { half } => json!({"kind": "box", "half": half.to_array()}),
        Primitive::Cylinder {
            radius,
            half_length,
        } => json!({"kind": "cylinder", "radius": radius, "half_length": half_length}),
        Primitive::Capsule {
            radius,
            half_length,
        } => json!({"kind": "capsule", "radius": radius, "half_length": half_length}),
    }
}

/// Returns the bytes of a mesh: the numbers of vertices and triangles as u32, the positions as f32
/// [m], the vertex indices of the triangles as u32.
fn mesh_bytes(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Vec<u8> {
    let mut out = Vec::with_capacity(8 + 12 * (vertices.len() + triangles.len()));
    push_u32(&mut out, vertices.len());
    push_u32(&mut out, triangles.len());
    for p in vertices {
        push_position(&mut out, *p);
    }
    for triangle in triangles {
        for k in triangle {
            out.extend(k.to_le_bytes());
        }
    }
    out
}

/// Returns a field of heights as the bytes of a mesh.
fn heightfield_bytes(field: &Heightfield) -> Vec<u8> {
    let [nx, ny] = field.count;
    let at = |k: usize, n: usize, size: f64| size * (k as f64 / (n.max(2) - 1) as f64 - 0.5);
    let vertices = (0..nx * ny).map(|k| {
        let (i, j) = (k % nx, k / nx);
        let (x, y) = (at(i, nx, field.size[0]), at(j, ny, field.size[1]));
        Vec3::new(x, y, field.heights[k])
    });
    let cells =
        (0..ny.saturating_sub(1)).flat_map(|j| (0..nx.saturating_sub(1)).map(move |i| (i, j)));
    let triangles = cells.flat_map(|(i, j)| {
        let k = (j * nx + i) as u32;
        let n = nx as u32;
        [[k, k + 1, k + n + 1], [k, k + n + 1, k + n]]
    });
    mesh_bytes(
        &vertices.collect::<Vec<_>>(),
        &triangles.collect::<Vec<_>>(),
    )
}

fn push_u32(out: &mut Vec<u8>, n: usize) {
    out.extend((n as u32).to_le_bytes());
}

fn push_position(out: &mut Vec<u8>, p: Vec3) {
    for x in p.to_array() {
        out.extend((x as f32).to_le_bytes());
    }
}

/// Terrain of the page: a grid of heights.
pub(crate) struct TerrainGrid {
    /// Number of samples along east and north.
    count: [usize; 2],
    /// Position of the south-west sample [m].
    corner: [f64; 2],
    /// Distance between samples [m].
    step: [f64; 2],
}

impl TerrainGrid {
    /// Returns the grid for a seabed; `None` for a plane.
    pub(crate) fn new(seabed: &Seabed) -> Option<Self> {
        let terrain = seabed.terrain.as_ref()?;
        let grid = terrain.grid();
        let ends = |axis: usize| match &grid.plane {
            None => grid.axes[axis].ends(),
            Some(_) => [-GEOGRAPHIC_EXTENT, GEOGRAPHIC_EXTENT],
        };
        let [x, y] = [ends(0), ends(1)];
        let count = terrain.count().map(|n| n.clamp(2, MAX_TERRAIN_SAMPLES));
        let step = |[low, high]: [f64; 2], n: usize| (high - low) / (n - 1) as f64;
        Some(Self {
            count,
            corner: [x[0], y[0]],
            step: [step(x, count[0]), step(y, count[1])],
        })
    }

    /// Describes the grid; `seabed` has its heights.
    pub(crate) fn json(&self) -> Value {
        json!({"count": self.count, "corner": self.corner, "step": self.step})
    }

    /// Returns the heights as f32 [m], x varying fastest.
    pub(crate) fn bytes(&self, seabed: &Seabed) -> Vec<u8> {
        let [nx, ny] = self.count;
        let mut out = Vec::with_capacity(4 * nx * ny);
        for j in 0..ny {
            for i in 0..nx {
                let x = self.corner[0] + self.step[0] * i as f64;
                let y = self.corner[1] + self.step[1] * j as f64;
                out.extend((seabed.height(x, y) as f32).to_le_bytes());
            }
        }
        out
    }
}

/// Returns the heights of the terrain of a scene as bytes; empty for a plane.
pub(crate) fn terrain_bytes(scene: &Scene) -> Vec<u8> {
    let seabed = &scene.sea.seabed;
    TerrainGrid::new(seabed).map_or_else(Vec::new, |grid| grid.bytes(seabed))
}
