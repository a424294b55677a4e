//! Triangles of a glTF scene, nodes placed, y up turned to z up as its standard and the editors have it.

use super::Soup;
use crate::math::Vec3;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gltf::accessor::{DataType, Dimensions};
use gltf::buffer::Source;
use gltf::mesh::Mode;
use gltf::{Accessor, Document, Gltf, Node, Primitive, Semantic};
use std::path::Path;

/// Deepest nesting of nodes.
const DEPTH_MAX: usize = 64;

type Matrix = [[f64; 4]; 4];

/// The triangles of the default scene; `folder` holds the files of its buffers.
pub fn read(bytes: &[u8], folder: &Path) -> Result<Soup, String> {
    let Gltf { document, mut blob } =
        Gltf::from_slice(bytes).map_err(|e| format!("not a valid glTF file: {e}"))?;
    let buffers = buffers(&document, &mut blob, folder)?;
    let scene = document.default_scene().or_else(|| document.scenes().next());
    let mut soup = Soup::default();
    for node in scene.ok_or("the glTF file has no scene")?.nodes() {
        add(&node, &y_up(), &buffers, 0, &mut soup)?;
    }
    Ok(soup)
}

/// Columns of the turn that takes y up to z up: x stays, y becomes z, z becomes -y.
fn y_up() -> Matrix {
    [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
}

fn buffers(document: &Document, blob: &mut Option<Vec<u8>>, folder: &Path) -> Result<Vec<Vec<u8>>, String> {
    let mut buffers = Vec::new();
    for buffer in document.buffers() {
        buffers.push(match buffer.source() {
            Source::Bin => blob.take().ok_or("the glTF file names its binary part, which is missing")?,
            Source::Uri(uri) => match uri.strip_prefix("data:") {
                Some(data) => {
                    let text =
                        data.split_once(";base64,").ok_or("a buffer of the glTF file is not base64")?.1;
                    STANDARD
                        .decode(text)
                        .map_err(|e| format!("a buffer of the glTF file is not base64: {e}"))?
                }
                None => std::fs::read(folder.join(uri))
                    .map_err(|e| format!("the buffer `{uri}` of the glTF file cannot be read: {e}"))?,
            },
        });
    }
    Ok(buffers)
}

fn add(
    node: &Node<'_>,
    parent: &Matrix,
    buffers: &[Vec<u8>],
    depth: usize,
    soup: &mut Soup,
) -> Result<(), String> {
    if depth > DEPTH_MAX {
        return Err(format!("nested too deep: expected at most {DEPTH_MAX} levels of nodes"));
    }
    let own = node.transform().matrix().map(|column| column.map(f64::from));
    let placed: Matrix = std::array::from_fn(|j| {
        std::array::from_fn(|i| (0..4).map(|k| parent[k][i] * own[j][k]).sum::<f64>())
    });
    for primitive in node.mesh().iter().flat_map(gltf::Mesh::primitives) {
        add_primitive(&primitive, &placed, buffers, soup)?;
    }
    node.children().try_for_each(|child| add(&child, &placed, buffers, depth + 1, soup))
}

fn add_primitive(
    primitive: &Primitive<'_>,
    m: &Matrix,
    buffers: &[Vec<u8>],
    soup: &mut Soup,
) -> Result<(), String> {
    if !matches!(primitive.mode(), Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
        return Ok(()); // points and lines cannot be touched
    }
    let Some(positions) = primitive.get(&Semantic::Positions) else { return Ok(()) };
    let first = soup.vertices.len() as u32;
    for [x, y, z] in points(&positions, buffers)? {
        let at = |i: usize| m[0][i] * x + m[1][i] * y + m[2][i] * z + m[3][i];
        soup.vertices.push(Vec3::new(at(0), at(1), at(2)));
    }
    let order: Vec<u32> = match primitive.indices() {
        Some(indices) => numbers(&indices, buffers)?,
        None => (0..soup.vertices.len() as u32 - first).collect(),
    };
    // a mirrored node turns the triangles' sides about
    let column = |j: usize| Vec3::new(m[j][0], m[j][1], m[j][2]);
    let mirrored = column(0).cross(column(1)).dot(column(2)) < 0.0;
    let mut push = |t: [u32; 3]| {
        let t = t.map(|k| k.saturating_add(first));
        soup.triangles.push(if mirrored { [t[0], t[2], t[1]] } else { t });
    };
    match primitive.mode() {
        Mode::Triangles => order.chunks_exact(3).for_each(|t| push([t[0], t[1], t[2]])),
        Mode::TriangleFan => order.windows(2).skip(1).for_each(|t| push([order[0], t[0], t[1]])),
        _ => {
            for (n, t) in order.windows(3).enumerate() {
                push(if n % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] });
            }
        }
    }
    Ok(())
}

/// The bytes of each element of an accessor, `size` long.
fn elements<'a>(
    accessor: &Accessor<'_>,
    buffers: &'a [Vec<u8>],
    size: usize,
) -> Result<impl Iterator<Item = &'a [u8]>, String> {
    let outside = "the glTF file names bytes outside its buffers";
    let view = accessor.view().ok_or("sparse parts of glTF files are not read: export without them")?;
    let bytes = buffers.get(view.buffer().index()).ok_or(outside)?;
    let part = view.offset().checked_add(view.length()).and_then(|end| bytes.get(view.offset()..end));
    let part = part.and_then(|part| part.get(accessor.offset()..)).ok_or(outside)?;
    let (stride, count) = (view.stride().unwrap_or(size).max(1), accessor.count());
    let needed = count.saturating_sub(1).checked_mul(stride).and_then(|n| n.checked_add(size));
    if count > 0 && needed.is_none_or(|needed| needed > part.len()) {
        return Err(outside.to_string());
    }
    Ok((0..count).map(move |k| &part[k * stride..k * stride + size]))
}

fn points(accessor: &Accessor<'_>, buffers: &[Vec<u8>]) -> Result<Vec<[f64; 3]>, String> {
    if (accessor.data_type(), accessor.dimensions()) != (DataType::F32, Dimensions::Vec3) {
        return Err("the corners of the glTF file are compressed: export without it".to_string());
    }
    let number = |b: &[u8], k: usize| f64::from(f32::from_le_bytes([b[k], b[k + 1], b[k + 2], b[k + 3]]));
    Ok(elements(accessor, buffers, 12)?.map(|b| [number(b, 0), number(b, 4), number(b, 8)]).collect())
}

fn numbers(accessor: &Accessor<'_>, buffers: &[Vec<u8>]) -> Result<Vec<u32>, String> {
    let size = match accessor.data_type() {
        DataType::U8 => 1,
        DataType::U16 => 2,
        DataType::U32 => 4,
        _ => return Err("the triangles of the glTF file are not numbered by whole numbers".to_string()),
    };
    let number = |b: &[u8]| b.iter().rev().fold(0, |n, byte| n << 8 | u32::from(*byte));
    Ok(elements(accessor, buffers, size)?.map(number).collect())
}
