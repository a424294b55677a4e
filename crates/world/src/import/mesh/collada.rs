//! Reads the triangles of a COLLADA scene, with node transforms applied, in metres and z up.
//!
//! Supports the elements that exporters write for robots: `triangles`, `polylist` and `polygons` of
//! `mesh` geometries, placed by the visual scene and the node library. Skins, splines and physics
//! are ignored.

use crate::import::mesh::{Affine, DEPTH_MAX, NODES_MAX, TriangleSoup};
use merrow_math::{Mat3, Vec3};
use merrow_yaml::error::quote;
use roxmltree::{Document, Node, ParsingOptions};
use std::array::from_fn;
use std::collections::HashMap;
use std::str::FromStr;

/// Maximum number of XML nodes in one file.
const ELEMENTS_MAX: u32 = 1_000_000;

/// Reads the triangles of a COLLADA file, in metres, z up.
///
/// # Errors
/// Invalid XML, missing or malformed geometry data, or too many nested nodes.
pub(super) fn read(bytes: &[u8]) -> Result<TriangleSoup, String> {
    let text =
        std::str::from_utf8(bytes).map_err(|_| "not a valid COLLADA file: not UTF-8 text")?;
    let options = ParsingOptions {
        nodes_limit: ELEMENTS_MAX,
        ..ParsingOptions::default()
    };
    let xml = Document::parse_with_options(text.trim_start_matches('\u{feff}'), options)
        .map_err(|e| format!("not a valid COLLADA file: {e}"))?;
    let root = xml.root_element();
    if root.tag_name().name() != "COLLADA" {
        return Err(format!(
            "not a COLLADA file: found the element `{}`",
            root.tag_name().name()
        ));
    }
    let ids = root
        .descendants()
        .filter_map(|n| Some((n.attribute("id")?, n)))
        .collect();
    let mut file = File {
        ids,
        visited_nodes: 0,
        soup: TriangleSoup::default(),
    };
    let scenes: Vec<Node<'_, '_>> = root
        .descendants()
        .filter(|n| is_named(n, "instance_visual_scene"))
        .filter_map(|n| file.referenced_element(n))
        .collect();
    let scenes = if scenes.is_empty() {
        descendants_named(root, "visual_scene")
    } else {
        scenes
    };
    let top = unit_transform(root);
    for scene in scenes {
        for node in children(scene, "node") {
            file.add_node(node, &top, 0)?;
        }
    }
    Ok(file.soup)
}

/// Compares tag names without their namespace, because the namespace differs between format
/// versions.
fn is_named(node: &Node<'_, '_>, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name
}

fn children<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Vec<Node<'a, 'i>> {
    node.children().filter(|n| is_named(n, name)).collect()
}

fn descendants_named<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Vec<Node<'a, 'i>> {
    node.descendants().filter(|n| is_named(n, name)).collect()
}

fn numbers<T: FromStr>(node: Node<'_, '_>) -> Result<Vec<T>, String> {
    let text = node.text().unwrap_or_default();
    let one = |text: &str| {
        text.parse().map_err(|_| {
            format!(
                "not a valid COLLADA file; expected a number, found {}",
                quote(text)
            )
        })
    };
    text.split_whitespace().map(one).collect()
}

/// Returns the transform from the file's unit and up axis to metres and z up.
fn unit_transform(root: Node<'_, '_>) -> Affine {
    let asset = children(root, "asset").into_iter().next();
    let of = |name: &str| asset.and_then(|a| children(a, name).into_iter().next());
    let unit: f64 = of("unit")
        .and_then(|u| u.attribute("meter")?.parse().ok())
        .unwrap_or(1.0);
    let turned = match of("up_axis").and_then(|a| a.text()).map(str::trim) {
        Some("Z_UP") => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        Some("X_UP") => [[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]],
        // Y_UP is the default of the standard
        _ => [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]],
    };
    Affine(
        Mat3 {
            r: turned.map(Vec3::from),
        }
        .scale(unit),
        Vec3::zero(),
    )
}

/// Returns the transform of a node relative to its parent.
fn node_transform(node: Node<'_, '_>) -> Result<Affine, String> {
    let mut m = Affine(Mat3::identity(), Vec3::zero());
    for step in node.children().filter(Node::is_element) {
        let name = step.tag_name().name();
        if !["matrix", "translate", "scale", "rotate"].contains(&name) {
            continue;
        }
        let x = numbers::<f64>(step)?;
        let own = match (name, x.as_slice()) {
            ("matrix", x) if x.len() == 16 => Affine(
                Mat3 {
                    r: from_fn(|i| Vec3::new(x[4 * i], x[4 * i + 1], x[4 * i + 2])),
                },
                Vec3::new(x[3], x[7], x[11]),
            ),
            ("translate", &[x, y, z]) => Affine(Mat3::identity(), Vec3::new(x, y, z)),
            ("scale", &[x, y, z]) => {
                let mut scale = Mat3::identity();
                (scale.r[0].x, scale.r[1].y, scale.r[2].z) = (x, y, z);
                Affine(scale, Vec3::zero())
            }
            ("rotate", &[x, y, z, degrees]) => {
                Affine(rotation(Vec3::new(x, y, z), degrees), Vec3::zero())
            }
            _ => {
                return Err(format!(
                    "not a valid COLLADA file: `{name}` has {} numbers",
                    x.len()
                ));
            }
        };
        m = m.product(&own);
    }
    Ok(m)
}

/// Returns the rotation about `axis` by an angle in degrees (Rodrigues' formula).
fn rotation(axis: Vec3, degrees: f64) -> Mat3 {
    let k = axis.unit().unwrap_or(Vec3::new(0.0, 0.0, 1.0)).to_array();
    let (s, c) = merrow_math::real::sin_cos(degrees.to_radians());
    let cross = [[0.0, -k[2], k[1]], [k[2], 0.0, -k[0]], [-k[1], k[0], 0.0]];
    let entry = |i: usize, j: usize| {
        (if i == j { c } else { 0.0 }) + s * cross[i][j] + (1.0 - c) * k[i] * k[j]
    };
    Mat3 {
        r: from_fn(|i| Vec3::from(from_fn(|j| entry(i, j)))),
    }
}

/// Parser state while one file is read.
struct File<'a, 'i> {
    ids: HashMap<&'a str, Node<'a, 'i>>,
    visited_nodes: usize,
    soup: TriangleSoup,
}

impl<'a, 'i> File<'a, 'i> {
    /// Returns the element that the `url` or `source` attribute of `node` refers to.
    fn referenced_element(&self, node: Node<'a, 'i>) -> Option<Node<'a, 'i>> {
        let name = node.attribute("url").or_else(|| node.attribute("source"))?;
        self.ids.get(name.strip_prefix('#')?).copied()
    }

    fn add_node(
        &mut self,
        node: Node<'a, 'i>,
        parent: &Affine,
        depth: usize,
    ) -> Result<(), String> {
        self.visited_nodes += 1;
        if depth > DEPTH_MAX || self.visited_nodes > NODES_MAX {
            return Err(
                "the nodes of the COLLADA file are nested too deeply or refer to each other in a cycle".to_string(),
            );
        }
        let placed = parent.product(&node_transform(node)?);
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "node" => self.add_node(child, &placed, depth + 1)?,
                "instance_node" => {
                    if let Some(target) = self.referenced_element(child) {
                        self.add_node(target, &placed, depth + 1)?;
                    }
                }
                "instance_geometry" => {
                    if let Some(geometry) = self.referenced_element(child) {
                        self.add_geometry(geometry, &placed)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn add_geometry(&mut self, geometry: Node<'a, 'i>, placed: &Affine) -> Result<(), String> {
        for mesh in children(geometry, "mesh") {
            for faces in mesh.children().filter(Node::is_element) {
                if ["triangles", "polylist", "polygons"].contains(&faces.tag_name().name()) {
                    self.add_faces(faces, placed)?;
                }
            }
        }
        Ok(())
    }

    fn add_faces(&mut self, faces: Node<'a, 'i>, placed: &Affine) -> Result<(), String> {
        let inputs = children(faces, "input");
        let offset = |n: &Node<'_, '_>| {
            n.attribute("offset")
                .and_then(|o| o.parse::<usize>().ok())
                .unwrap_or(0)
        };
        // limit the index count per corner: real files use far fewer than 64
        let stride = inputs.iter().map(offset).max().unwrap_or(0).min(64) + 1;
        let Some(input) = inputs
            .iter()
            .find(|n| n.attribute("semantic") == Some("VERTEX"))
        else {
            return Ok(());
        };
        let at = offset(input).min(stride - 1);
        let first = self.soup.vertices.len() as u32;
        let corners = self.positions(*input)?;
        let mirrored = placed.is_mirrored();
        let corners = corners.into_iter().map(|p| placed.apply(p));
        self.soup.vertices.extend(corners);
        for polygon in polygons(faces, stride)? {
            let corner = |k: usize| (polygon[k * stride + at] as u32).saturating_add(first);
            for k in 2..polygon.len() / stride {
                let (a, b, c) = (corner(0), corner(k - 1), corner(k));
                self.soup
                    .triangles
                    .push(if mirrored { [a, c, b] } else { [a, b, c] });
            }
        }
        Ok(())
    }

    /// Returns the vertex positions that the `VERTEX` input of a face list refers to.
    fn positions(&self, input: Node<'a, 'i>) -> Result<Vec<Vec3>, String> {
        let missing = || "not a valid COLLADA file: a geometry has no positions".to_string();
        let vertices = self.referenced_element(input).ok_or_else(missing)?;
        let position = children(vertices, "input")
            .into_iter()
            .find(|n| n.attribute("semantic") == Some("POSITION"));
        let source = self
            .referenced_element(position.ok_or_else(missing)?)
            .ok_or_else(missing)?;
        let array = children(source, "float_array")
            .into_iter()
            .next()
            .ok_or_else(missing)?;
        let accessor = descendants_named(source, "accessor").into_iter().next();
        let of = |name: &str, default: usize| {
            accessor
                .and_then(|a| a.attribute(name)?.parse::<usize>().ok())
                .unwrap_or(default)
        };
        let (stride, offset) = (of("stride", 3), of("offset", 0));
        let all = numbers::<f64>(array)?;
        let whole = all
            .get(offset..)
            .ok_or_else(missing)?
            .chunks_exact(stride.max(3));
        Ok(whole.map(|p| Vec3::new(p[0], p[1], p[2])).collect())
    }
}

/// Returns the polygons of a face list, each as indices with `stride` indices per corner.
fn polygons(faces: Node<'_, '_>, stride: usize) -> Result<Vec<Vec<usize>>, String> {
    let lists = children(faces, "p");
    match faces.tag_name().name() {
        "polygons" => lists.into_iter().map(numbers).collect(),
        "polylist" => {
            let Some(counts) = children(faces, "vcount").into_iter().next() else {
                return Ok(Vec::new());
            };
            let all = lists.into_iter().next().map_or(Ok(Vec::new()), numbers)?;
            let (mut rest, mut polygons) = (all.as_slice(), Vec::new());
            for count in numbers::<usize>(counts)? {
                let short =
                    || "not a valid COLLADA file: a `polylist` has too few numbers".to_string();
                let length = count
                    .checked_mul(stride)
                    .filter(|n| *n <= rest.len())
                    .ok_or_else(short)?;
                let (polygon, others) = rest.split_at(length);
                polygons.push(polygon.to_vec());
                rest = others;
            }
            Ok(polygons)
        }
        _ => {
            let mut triangles = Vec::new();
            for list in lists {
                triangles.extend(
                    numbers::<usize>(list)?
                        .chunks_exact(3 * stride)
                        .map(<[usize]>::to_vec),
                );
            }
            Ok(triangles)
        }
    }
}
