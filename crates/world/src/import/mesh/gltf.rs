//! Reads the triangles of a glTF scene, with node transforms applied, converted from y up to z up.
//! Every primitive becomes a part with the name of its node and the base colour of its material.
//!
//! The standard defines y as up, and common editors convert it to z up in the same way. This module
//! parses the JSON itself, because the available glTF crates panic on malformed files.

use crate::import::files::read_below;
use crate::import::mesh::{Affine, DEPTH_MAX, NODES_MAX, TriangleSoup};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use merrow_math::{Mat3, Quat, Vec3};
use merrow_model::scene::robot::collision::MeshPart;
use serde_json::Value;
use std::array::from_fn;
use std::path::Path;

/// Maximum sum of vertices, indices and triangles of one scene.
const ELEMENTS_MAX: usize = 20_000_000;

/// Reads the triangles of the default scene. External buffer files are looked up in `folder`.
///
/// # Errors
/// Invalid JSON, missing scene, missing buffers, references outside the file's lists, or compressed
/// data.
pub(super) fn read(bytes: &[u8], folder: &Path) -> Result<TriangleSoup, String> {
    let (json, binary) = if bytes.starts_with(b"glTF") {
        chunks(bytes)?
    } else {
        (bytes, None)
    };
    let root: Value =
        serde_json::from_slice(json).map_err(|e| format!("not a valid glTF file: {e}"))?;
    let scene = index(&root["scene"]).unwrap_or(0);
    let scene = root["scenes"]
        .get(scene)
        .ok_or("not a valid glTF file: it has no scene")?;
    let mut file = File {
        buffers: buffers(&root, binary, folder)?,
        root: &root,
        visited_nodes: 0,
        soup: TriangleSoup::default(),
    };
    for node in list(&scene["nodes"]) {
        file.add_node(node, &Y_UP, 0)?;
    }
    Ok(file.soup)
}

/// Splits a GLB file into its JSON chunk and its optional binary chunk.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), String> {
    let cut = || "not a valid glTF file: a chunk of the binary form is truncated".to_string();
    let chunk = |at: usize| -> Option<(&[u8], &[u8])> {
        let head = bytes.get(at..at + 8)?;
        let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        Some((&head[4..], bytes.get(at + 8..)?.get(..length)?))
    };
    let (kind, json) = chunk(12).ok_or_else(cut)?;
    if kind != b"JSON" {
        return Err("not a valid glTF file; expected JSON in the first chunk".to_string());
    }
    let binary = chunk(20 + json.len()).filter(|(kind, _)| kind.starts_with(b"BIN"));
    Ok((json, binary.map(|(_, data)| data)))
}

fn buffers(root: &Value, binary: Option<&[u8]>, folder: &Path) -> Result<Vec<Vec<u8>>, String> {
    let one = |buffer: &Value| match buffer["uri"].as_str() {
        None => binary
            .map(<[u8]>::to_vec)
            .ok_or("the glTF file refers to its binary chunk, which is missing".to_string()),
        Some(uri) => match uri.strip_prefix("data:") {
            Some(data) => {
                let text = data
                    .split_once(";base64,")
                    .ok_or("a buffer of the glTF file is not base64")?
                    .1;
                STANDARD
                    .decode(text)
                    .map_err(|e| format!("a buffer of the glTF file is not base64: {e}"))
            }
            None => read_below(folder, uri)
                .map_err(|e| format!("the buffer `{uri}` of the glTF file cannot be read: {e}")),
        },
    };
    list(&root["buffers"]).iter().map(one).collect()
}

/// Rotation from y up to z up: x stays, y becomes z, z becomes -y.
const Y_UP: Affine = Affine(
    Mat3::from_rows(
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::new(0.0, 0.0, -1.0),
        Vec3::new(0.0, 1.0, 0.0),
    ),
    Vec3::new(0.0, 0.0, 0.0),
);

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn index(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|n| usize::try_from(n).ok())
}

/// Returns a list of exactly `N` numbers, or `None` if `value` is not one.
fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let numbers: Vec<f64> = list(value).iter().map_while(Value::as_f64).collect();
    numbers.try_into().ok()
}

/// Returns a node's transform relative to its parent, from `matrix` or from
/// translation, rotation and scale.
fn node_transform(node: &Value) -> Affine {
    if let Some(m) = numbers::<16>(&node["matrix"]) {
        let linear = from_fn(|i| Vec3::new(m[i], m[4 + i], m[8 + i]));
        return Affine(Mat3 { r: linear }, Vec3::new(m[12], m[13], m[14]));
    }
    let t = numbers(&node["translation"]).unwrap_or([0.0; 3]);
    let s = numbers(&node["scale"]).unwrap_or([1.0; 3]);
    let [x, y, z, w] = numbers(&node["rotation"]).unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let R = Quat { w, x, y, z }.normalized().matrix();
    let columns = from_fn(|j| R.col(j).scale(s[j]));
    Affine(Mat3 { r: columns }.transpose(), Vec3::from(t))
}

/// Parser state while one file is read.
struct File<'a> {
    root: &'a Value,
    visited_nodes: usize,
    buffers: Vec<Vec<u8>>,
    soup: TriangleSoup,
}

impl File<'_> {
    /// Returns the entry of the list `kind` that the index in `value` refers to.
    fn entry(&self, kind: &str, value: &Value) -> Option<&Value> {
        self.root[kind].get(index(value)?)
    }

    fn add_node(&mut self, number: &Value, parent: &Affine, depth: usize) -> Result<(), String> {
        self.visited_nodes += 1;
        if depth > DEPTH_MAX || self.visited_nodes > NODES_MAX {
            return Err("the nodes of the glTF file are nested too deeply or refer to each other in a cycle".to_string());
        }
        let root = self.root;
        let Some(node) = index(number).and_then(|n| root["nodes"].get(n)) else {
            return Err("not a valid glTF file: it refers to a missing node".to_string());
        };
        let placed = parent.product(&node_transform(node));
        let mesh = index(&node["mesh"]).and_then(|n| root["meshes"].get(n));
        let name = |value: &Value| value["name"].as_str().map(str::to_string);
        let name = name(node).or_else(|| mesh.and_then(name));
        for primitive in mesh.map_or(&[][..], |mesh| list(&mesh["primitives"])) {
            self.add_primitive(primitive, &placed)?;
            self.soup.parts.push(MeshPart {
                name: name.clone().unwrap_or_default(),
                end: self.soup.triangles.len() as u32,
                color: self.base_color(&primitive["material"]),
            });
        }
        list(&node["children"])
            .iter()
            .try_for_each(|child| self.add_node(child, &placed, depth + 1))
    }

    fn add_primitive(&mut self, primitive: &Value, placed: &Affine) -> Result<(), String> {
        let mode = primitive["mode"].as_u64().unwrap_or(4);
        let positions = &primitive["attributes"]["POSITION"];
        // points and lines (modes 0 to 3) have no surface
        if !(4..=6).contains(&mode) || positions.is_null() {
            return Ok(());
        }
        let first = self.soup.vertices.len() as u32;
        let corners = self.positions(positions)?;
        let order: Vec<u32> = match &primitive["indices"] {
            Value::Null => (0..corners.len() as u32).collect(),
            indices => self.indices(indices)?,
        };
        if self.soup.vertices.len() + self.soup.triangles.len() + corners.len() + order.len()
            > ELEMENTS_MAX
        {
            return Err("too large: the glTF file has too many corners and triangles".to_string());
        }
        let corners = corners.into_iter().map(|p| placed.apply(p));
        self.soup.vertices.extend(corners);
        self.add_texture_coordinates(&primitive["attributes"]["TEXCOORD_0"])?;
        let mirrored = placed.is_mirrored();
        let mut push = |t: [u32; 3]| {
            let t = t.map(|k| k.saturating_add(first));
            self.soup
                .triangles
                .push(if mirrored { [t[0], t[2], t[1]] } else { t });
        };
        match mode {
            4 => order.chunks_exact(3).for_each(|t| push([t[0], t[1], t[2]])),
            6 => order
                .windows(2)
                .skip(1)
                .for_each(|t| push([order[0], t[0], t[1]])),
            _ => {
                for (n, t) in order.windows(3).enumerate() {
                    push(if n % 2 == 0 {
                        [t[0], t[1], t[2]]
                    } else {
                        [t[1], t[0], t[2]]
                    });
                }
            }
        }
        Ok(())
    }

    /// Returns the base colour of a material, clamped to reflectivities; `None` without a material.
    fn base_color(&self, number: &Value) -> Option<[f64; 3]> {
        let material = self.entry("materials", number)?;
        let factor = &material["pbrMetallicRoughness"]["baseColorFactor"];
        let [r, g, b, _] = numbers(factor).unwrap_or([1.0; 4]);
        Some([r, g, b].map(|x: f64| x.clamp(0.0, 1.0)))
    }

    /// Adds the texture coordinates of the vertices that were added last.
    fn add_texture_coordinates(&mut self, number: &Value) -> Result<(), String> {
        if number.is_null() {
            return Ok(());
        }
        let (accessor, kind, shape) = self.accessor(number)?;
        // normalized integer coordinates are rare and are ignored
        if (kind, shape) == (5126, "VEC2") {
            let float =
                |b: &[u8], k: usize| f32::from_le_bytes([b[k], b[k + 1], b[k + 2], b[k + 3]]);
            let places: Vec<[f32; 2]> = self
                .elements(accessor, 8)?
                .map(|b| [float(b, 0), float(b, 4)])
                .collect();
            self.soup.places.extend(places);
        }
        Ok(())
    }

    /// Iterates over the elements of an accessor, `size` bytes each.
    fn elements(
        &self,
        accessor: &Value,
        size: usize,
    ) -> Result<impl Iterator<Item = &[u8]>, String> {
        let outside = || "the glTF file refers to bytes outside its buffers".to_string();
        let view = self.entry("bufferViews", &accessor["bufferView"]);
        let view = view.ok_or(
            "sparse or compressed accessors of glTF files are not supported: export without them",
        )?;
        let buffer = index(&view["buffer"])
            .and_then(|n| self.buffers.get(n))
            .ok_or_else(outside)?;
        let of = |value: &Value, key: &str| index(&value[key]).unwrap_or(0);
        let length = of(view, "byteLength");
        let part = buffer
            .get(of(view, "byteOffset")..)
            .and_then(|part| part.get(..length));
        let part = part
            .and_then(|part| part.get(of(accessor, "byteOffset")..))
            .ok_or_else(outside)?;
        let stride = index(&view["byteStride"]).unwrap_or(size).max(size);
        let count = of(accessor, "count");
        let needed = count
            .saturating_sub(1)
            .checked_mul(stride)
            .and_then(|n| n.checked_add(size));
        if count > 0 && needed.is_none_or(|needed| needed > part.len()) {
            return Err(outside());
        }
        Ok((0..count).map(move |k| &part[k * stride..k * stride + size]))
    }

    fn accessor(&self, number: &Value) -> Result<(&Value, u64, &str), String> {
        let missing = "not a valid glTF file: it refers to a missing accessor";
        let accessor = self.entry("accessors", number).ok_or(missing)?;
        let kind = accessor["componentType"].as_u64().unwrap_or(0);
        Ok((
            accessor,
            kind,
            accessor["type"].as_str().unwrap_or_default(),
        ))
    }

    fn positions(&self, number: &Value) -> Result<Vec<Vec3>, String> {
        let (accessor, kind, shape) = self.accessor(number)?;
        // 5126 is a 32-bit float
        if (kind, shape) != (5126, "VEC3") {
            return Err(
                "the vertex positions of the glTF file are compressed: export without compression"
                    .to_string(),
            );
        }
        let float = |b: &[u8], k: usize| {
            f64::from(f32::from_le_bytes([b[k], b[k + 1], b[k + 2], b[k + 3]]))
        };
        Ok(self
            .elements(accessor, 12)?
            .map(|b| Vec3::new(float(b, 0), float(b, 4), float(b, 8)))
            .collect())
    }

    fn indices(&self, number: &Value) -> Result<Vec<u32>, String> {
        let (accessor, kind, _) = self.accessor(number)?;
        let size = match kind {
            5121 => 1,
            5123 => 2,
            5125 => 4,
            _ => {
                return Err(
                    "the triangle indices of the glTF file are not unsigned integers".to_string(),
                );
            }
        };
        let whole = |b: &[u8]| b.iter().rev().fold(0, |n, byte| n << 8 | u32::from(*byte));
        Ok(self.elements(accessor, size)?.map(whole).collect())
    }
}
