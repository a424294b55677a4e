//! Reads meshes: STL, OBJ, COLLADA and glTF files become one list of triangles in metres, z up.
//!
//! One module handles all formats, so that equal vertices are merged and the surface is checked
//! (empty, open, non-manifold, inside out) in one place, with one-line error texts.
//!
//! This module does not depend on the use of the mesh.

mod collada;
mod gltf;
mod manifold_check;

pub use crate::import::mesh::manifold_check::{ManifoldCheck, check_manifold};

use crate::import::files::read_bytes;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::robot::collision::{Mesh, MeshPart};
use std::path::Path;

/// Maximum nesting depth of nodes.
const DEPTH_MAX: usize = 64;
/// Maximum number of node visits in one scene. A node that is instanced several times counts each
/// time.
const NODES_MAX: usize = 100_000;

/// Affine transform of points: a linear map, and the image of the origin.
#[derive(Clone, Copy)]
struct Affine(Mat3, Vec3);

impl Affine {
    fn product(&self, other: &Affine) -> Affine {
        Affine(self.0.mul_mat(&other.0), self.apply(other.1))
    }

    fn apply(&self, p: Vec3) -> Vec3 {
        self.0.mul_vec(p) + self.1
    }

    /// Returns true for a negative determinant, which reverses the winding of triangles.
    fn is_mirrored(&self) -> bool {
        self.0.col(0).cross(self.0.col(1)).dot(self.0.col(2)) < 0.0
    }
}

/// Triangles as read from a file, before equal vertices are merged.
#[derive(Debug, Default)]
pub(crate) struct TriangleSoup {
    /// Positions of the vertices [m].
    pub vertices: Vec<Vec3>,
    /// Indices into `vertices`, three per triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Named parts in the order of their triangles; all triangles belong to one, or there is none.
    pub parts: Vec<MeshPart>,
    /// Texture coordinates of the vertices in 0..1 from the upper left corner of the image. The
    /// length equals the length of `vertices`, otherwise the coordinates are ignored.
    pub places: Vec<[f32; 2]>,
}

/// Texture coordinates of the three corners of each triangle, 0..1 from the upper left corner of
/// the image.
pub(crate) type CornerTextureCoordinates = Vec<[[f32; 2]; 3]>;

/// Reads the mesh in `path`; the file name extension determines the format.
///
/// # Errors
/// An unknown extension, an unreadable, invalid or too large file, or a mesh without triangles.
pub fn read(path: &Path) -> Result<Mesh, String> {
    Ok(read_with_corners(path)?.0)
}

/// Reads a mesh like [`read`], together with its texture coordinates if the file has them for every
/// vertex.
pub(crate) fn read_with_corners(
    path: &Path,
) -> Result<(Mesh, Option<CornerTextureCoordinates>), String> {
    let ending = path
        .extension()
        .map(|e| e.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let known = ["stl", "obj", "dae", "gltf", "glb"];
    if !known.contains(&ending.as_str()) {
        return Err(format!(
            "unknown mesh format; expected one of the extensions {known:?}, found `{ending}`"
        ));
    }
    let bytes = read_bytes(path)?;
    let soup = match ending.as_str() {
        "stl" => from_loader(mesh_loader::stl::from_slice(&bytes), "STL")?,
        // material files are not opened, because only the geometry is needed
        "obj" => from_loader(
            mesh_loader::obj::from_slice(&bytes, None, |_| Ok(Vec::new())),
            "OBJ",
        )?,
        "dae" => crate::import::mesh::collada::read(&bytes)?,
        _ => crate::import::mesh::gltf::read(&bytes, path.parent().unwrap_or(Path::new("")))?,
    };
    merge_vertices(soup)
}

fn from_loader(
    read: std::io::Result<mesh_loader::Scene>,
    format: &str,
) -> Result<TriangleSoup, String> {
    let scene = read.map_err(|e| format!("not a valid {format} file: {e}"))?;
    let mut soup = TriangleSoup::default();
    for mesh in &scene.meshes {
        let first = soup.vertices.len() as u32;
        soup.vertices
            .extend(mesh.vertices.iter().map(|v| Vec3::from(v.map(f64::from))));
        // the second texture coordinate of these formats increases upwards
        soup.places
            .extend(mesh.texcoords[0].iter().map(|[u, v]| [*u, 1.0 - v]));
        soup.triangles
            .extend(mesh.faces.iter().map(|f| f.map(|k| k + first)));
    }
    Ok(soup)
}

/// Merges vertices at equal positions and drops triangles in which two corners coincide.
fn merge_vertices(soup: TriangleSoup) -> Result<(Mesh, Option<CornerTextureCoordinates>), String> {
    let representatives = first_vertices_at_equal_positions(&soup.vertices);
    let mut vertices: Vec<Vec3> = Vec::new();
    // index in `vertices` of each vertex of the soup that a triangle uses
    let mut merged: Vec<Option<u32>> = vec![None; soup.vertices.len()];
    let mut triangles = Vec::with_capacity(soup.triangles.len());
    let mut corners = (soup.places.len() == soup.vertices.len()).then(Vec::new);
    let mut place = |k: u32| -> Result<u32, String> {
        let v = *soup
            .vertices
            .get(k as usize)
            .ok_or("a triangle refers to a missing vertex")?;
        if !v.is_finite() {
            return Err("a vertex is not finite".to_string());
        }
        let index = &mut merged[representatives[k as usize] as usize];
        Ok(*index.get_or_insert_with(|| {
            vertices.push(v);
            vertices.len() as u32 - 1
        }))
    };
    let mut parts = soup.parts.clone();
    let mut part_ends = parts.iter_mut().map(|part| &mut part.end).peekable();
    for (k, t) in soup.triangles.iter().enumerate() {
        while let Some(end) = part_ends.next_if(|end| **end <= k as u32) {
            *end = triangles.len() as u32;
        }
        let [a, b, c] = [place(t[0])?, place(t[1])?, place(t[2])?];
        if a != b && b != c && c != a {
            triangles.push([a, b, c]);
            if let Some(corners) = &mut corners {
                corners.push(t.map(|k| soup.places[k as usize]));
            }
        }
    }
    part_ends.for_each(|end| *end = triangles.len() as u32);
    if triangles.is_empty() {
        return Err("the mesh is empty: it has no triangles".to_string());
    }
    let finite = |corners: &CornerTextureCoordinates| {
        corners.iter().flatten().flatten().all(|x| x.is_finite())
    };
    Ok((
        Mesh {
            vertices,
            triangles,
            parts,
        },
        corners.filter(finite),
    ))
}

/// Returns for each vertex the index of the first vertex at the same position.
fn first_vertices_at_equal_positions(vertices: &[Vec3]) -> Vec<u32> {
    // adding 0.0 turns -0.0 into 0.0
    let mut keys: Vec<([u64; 3], u32)> = vertices
        .iter()
        .zip(0..)
        .map(|(v, k)| ([v.x + 0.0, v.y + 0.0, v.z + 0.0].map(f64::to_bits), k))
        .collect();
    keys.sort_unstable();
    let mut first = vec![0; vertices.len()];
    for equal in keys.chunk_by(|a, b| a.0 == b.0) {
        for (_, k) in equal {
            first[*k as usize] = equal[0].1;
        }
    }
    first
}

/// Returns the mesh scaled along its axes by `scale` [-]. A mirroring scale also reverses the
/// winding, so that the normals still point outwards.
pub fn scaled(mesh: &Mesh, scale: [f64; 3]) -> Mesh {
    let [x, y, z] = scale;
    let vertices = mesh
        .vertices
        .iter()
        .map(|v| Vec3::new(v.x * x, v.y * y, v.z * z))
        .collect();
    let mirrored = x * y * z < 0.0;
    let turn = |t: &[u32; 3]| if mirrored { [t[0], t[2], t[1]] } else { *t };
    Mesh {
        vertices,
        triangles: mesh.triangles.iter().map(turn).collect(),
        parts: mesh.parts.clone(),
    }
}

/// Scales a mesh like [`scaled`], together with its texture coordinates.
pub(crate) fn scaled_with_corners(
    mesh: &Mesh,
    corners: Option<CornerTextureCoordinates>,
    scale: [f64; 3],
) -> (Mesh, Option<CornerTextureCoordinates>) {
    let mirrored = scale[0] * scale[1] * scale[2] < 0.0;
    let turn = |[a, b, c]: [[f32; 2]; 3]| if mirrored { [a, c, b] } else { [a, b, c] };
    (
        scaled(mesh, scale),
        corners.map(|corners| corners.into_iter().map(turn).collect()),
    )
}
