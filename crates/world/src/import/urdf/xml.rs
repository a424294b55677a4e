//! Reads the elements of a URDF file, each with its place in the file.

use merrow_math::{Mat3, Sym3, Vec3};
use merrow_yaml::error::{Place, Problems, quote};
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Maximum number of XML nodes of one file.
const ELEMENTS_MAX: u32 = 1_000_000;

/// Content of a URDF file.
#[derive(Debug)]
pub(super) struct Robot {
    /// Name of the robot.
    pub name: String,
    /// Place of the `robot` element.
    pub place: Place,
    /// Links in the order written.
    pub links: Vec<Link>,
    /// Joints in the order written.
    pub joints: Vec<Joint>,
}

/// A link of the URDF.
#[derive(Debug)]
pub(super) struct Link {
    /// Name of the link.
    pub name: String,
    /// Place of the element.
    pub place: Place,
    /// Mass and inertia, if given and the mass is positive.
    pub inertial: Option<Inertial>,
    /// Collision shapes of the link.
    pub collisions: Vec<LinkShape>,
    /// Visual shapes of the link.
    pub visuals: Vec<LinkShape>,
}

/// Mass, centre of mass and the inertia about it, in the link's axes.
#[derive(Clone, Debug)]
pub(super) struct Inertial {
    /// Place of the element.
    pub place: Place,
    /// Mass of the link [kg].
    pub mass: f64,
    /// Centre of mass in the link [m].
    pub com: Vec3,
    /// Inertia about the centre of mass [kg m²].
    pub inertia: Sym3,
}

/// A collision or visual shape on a link.
#[derive(Clone, Debug)]
pub(super) struct LinkShape {
    /// Place of the element.
    pub place: Place,
    /// Origin of the shape in the link [m].
    pub p: Vec3,
    /// Rotation from the shape's axes to the link's.
    pub R: Mat3,
    /// Geometry of the shape.
    pub geometry: Geometry,
    /// Material of the shape, if given.
    pub material: Option<VisualMaterial>,
}

/// Material of a visual.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct VisualMaterial {
    /// Name of the material.
    pub name: String,
    /// Red, green, blue (sRGB) and opacity, 0..1.
    pub color: Option<[f64; 4]>,
    /// File name of the texture image.
    pub texture: Option<String>,
}

/// Geometry of a shape.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Geometry {
    /// Length, width, height [m].
    Box([f64; 3]),
    /// Radius and length [m], axis along z.
    Cylinder(f64, f64),
    /// Radius and length between the hemispheres [m], axis along z.
    Capsule(f64, f64),
    /// Radius of the shape [m].
    Sphere(f64),
    /// File name, and scale along each axis.
    Mesh(String, [f64; 3]),
}

/// A joint of the URDF.
#[derive(Debug)]
pub(super) struct Joint {
    /// Name of the joint.
    pub name: String,
    /// Place of the element.
    pub place: Place,
    /// `revolute`, `continuous`, `prismatic` or `fixed`.
    pub kind: String,
    /// Name of the parent link, and its place.
    pub parent: (String, Place),
    /// Name of the child link, and its place.
    pub child: (String, Place),
    /// Origin of the joint in the parent link [m].
    pub xyz: [f64; 3],
    /// Rotation of the joint in the parent link as roll, pitch, yaw [rad].
    pub rpy: [f64; 3],
    /// Joint axis in the child link.
    pub axis: [f64; 3],
    /// Place of the axis element.
    pub(crate) axis_place: Place,
    /// Limits of the joint, if the file states them.
    pub limit: Option<Limit>,
    /// Viscous friction [N m s/rad or N s/m].
    pub damping: f64,
    /// Coulomb friction [N m or N].
    pub friction: f64,
    /// Mimic relation: name of the leading joint, multiplier, offset, place.
    pub mimic: Option<(String, f64, f64, Place)>,
}

/// Limits of a joint.
#[derive(Debug)]
pub(crate) struct Limit {
    /// Place of the element.
    pub place: Place,
    /// Lower and upper position [rad or m].
    pub range: [f64; 2],
    /// Maximum effort [N m or N], infinite if not given.
    pub effort: f64,
    /// Maximum speed [rad/s or m/s], infinite if not given.
    pub velocity: f64,
}

/// Reads a URDF. Returns `None` after reporting a problem. Unused elements give one note per
/// element name.
pub(super) fn read(file: &str, text: &str, problems: &mut Problems) -> Option<Robot> {
    let name: Arc<str> = Arc::from(file);
    let options = ParsingOptions {
        nodes_limit: ELEMENTS_MAX,
        ..ParsingOptions::default()
    };
    let document = match Document::parse_with_options(text.trim_start_matches('\u{feff}'), options)
    {
        Ok(document) => document,
        Err(error) => {
            let at = error.pos();
            return problems.refuse(
                &Place::new(&name, at.row, at.col),
                format!("not valid XML: {error}"),
            );
        }
    };
    let root = document.root_element();
    let before = problems.len();
    let mut reader = Reader {
        name,
        document: &document,
        problems,
        notes: BTreeMap::new(),
    };
    let place = reader.place(root);
    if root.tag_name().name() != "robot" {
        let found = quote(root.tag_name().name());
        let remedy = match root.tag_name().name() {
            "sdf" => "; files of Gazebo are not read: describe the robot in the world file",
            _ => "",
        };
        reader.report(
            root,
            format!("not a URDF; expected the element `robot`, found {found}{remedy}"),
        );
        return None;
    }
    if let Some(node) = root.descendants().find(is_xacro) {
        reader.report(
            node,
            "expected the output of `xacro`, found a xacro file; run `xacro file.xacro > file.urdf`",
        );
        return None;
    }
    let mut robot = Robot {
        name: root.attribute("name").unwrap_or("robot").to_string(),
        place,
        links: Vec::new(),
        joints: Vec::new(),
    };
    let mut materials = Vec::new();
    for node in root.children().filter(Node::is_element) {
        match node.tag_name().name() {
            "link" => robot.links.extend(reader.link(node)),
            "joint" => robot.joints.extend(reader.joint(node)),
            "material" => materials.extend(reader.material(node)),
            _ => reader.count_unused(node),
        }
    }
    reader.write_notes();
    resolve_materials(&mut robot, &materials);
    (problems.len() == before).then_some(robot)
}

/// Returns true for an element that `xacro` replaces, or that has an attribute which it evaluates.
/// Comments and texts do not count: plugins and shell commands contain `${}` too.
fn is_xacro(node: &Node<'_, '_>) -> bool {
    let namespace = node.tag_name().namespace();
    let is_expression = |value: &str| value.contains("${") || value.contains("$(");
    namespace.is_some_and(|name| name.contains("xacro"))
        || node.attributes().any(|a| is_expression(a.value()))
}

/// Replaces materials that are only referenced by name with the definitions of that name elsewhere
/// in the file.
fn resolve_materials(robot: &mut Robot, materials: &[VisualMaterial]) {
    let is_definition =
        |material: &VisualMaterial| material.color.is_some() || material.texture.is_some();
    let shapes = robot
        .links
        .iter()
        .flat_map(|link| &link.visuals)
        .filter_map(|shape| shape.material.clone());
    // definitions inside earlier visuals count too, as in other URDF parsers
    let known: Vec<VisualMaterial> = materials
        .iter()
        .cloned()
        .chain(shapes)
        .filter(is_definition)
        .collect();
    for material in robot
        .links
        .iter_mut()
        .flat_map(|link| &mut link.visuals)
        .filter_map(|s| s.material.as_mut())
    {
        if !is_definition(material)
            && let Some(found) = known.iter().find(|known| known.name == material.name)
        {
            *material = found.clone();
        }
    }
}

/// Returns the name of a link with the characters that ROS topics do not allow replaced by `_`.
fn topic_name(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '/';
    let parts = name.split('/').filter(|part| !part.is_empty()).map(|part| {
        let first = if part.starts_with(|c: char| c.is_ascii_digit()) {
            "_"
        } else {
            ""
        };
        first.to_string() + &part.replace(|c| !allowed(c), "_")
    });
    parts.collect::<Vec<_>>().join("/")
}

/// Returns the name of a joint without `/` at its start, which the names of ROS frames do not have.
fn joint_name(name: &str) -> String {
    name.trim_start_matches('/').to_string()
}

fn find_child<'n, 'm>(node: Node<'n, 'm>, name: &str) -> Option<Node<'n, 'm>> {
    node.children().find(|n| n.has_tag_name(name))
}

struct Reader<'a, 'i> {
    name: Arc<str>,
    document: &'a Document<'i>,
    problems: &'a mut Problems,
    /// Notes that many elements may give: position of the first, and their number.
    notes: BTreeMap<String, (Place, usize)>,
}

impl Reader<'_, '_> {
    fn place(&self, node: Node<'_, '_>) -> Place {
        let at = self.document.text_pos_at(node.range().start);
        Place::new(&self.name, at.row, at.col)
    }

    fn report(&mut self, node: Node<'_, '_>, text: impl AsRef<str>) {
        let place = self.place(node);
        self.problems.push(&place, text);
    }

    /// Reports an attribute whose value does not fit.
    fn report_value(
        &mut self,
        node: Node<'_, '_>,
        key: &str,
        expected: &str,
        found: impl std::fmt::Display,
    ) {
        let tag = node.tag_name().name();
        let text = format!("`{key}` of <{tag}>: expected {expected}, found {found}");
        self.report(node, text);
    }

    fn count_unused(&mut self, node: Node<'_, '_>) {
        let name = node.tag_name().name();
        self.count_note(node, format!("the element `<{name}>` is not used"));
    }

    fn count_note(&mut self, node: Node<'_, '_>, text: impl Into<String>) {
        let place = self.place(node);
        self.notes.entry(text.into()).or_insert((place, 0)).1 += 1;
    }

    fn write_notes(&mut self) {
        for (text, (place, count)) in std::mem::take(&mut self.notes) {
            let times = if count == 1 {
                String::new()
            } else {
                format!(", here and {} more times", count - 1)
            };
            self.problems.note(&place, format!("{text}{times}"));
        }
    }

    /// Returns a child element that must be present.
    fn required_child<'n, 'm>(&mut self, node: Node<'n, 'm>, name: &str) -> Option<Node<'n, 'm>> {
        let found = find_child(node, name);
        if found.is_none() {
            let parent = node.tag_name().name();
            self.report(node, format!("missing element <{name}> in <{parent}>"));
        }
        found
    }

    /// Records the child elements of `node` other than `known` as unused.
    fn record_unused(&mut self, node: Node<'_, '_>, known: &[&str]) {
        for child in node.children().filter(Node::is_element) {
            if !known.contains(&child.tag_name().name()) {
                self.count_unused(child);
            }
        }
    }

    /// Returns an attribute that must be present and not empty.
    fn text(&mut self, node: Node<'_, '_>, key: &str) -> Option<String> {
        match node.attribute(key).map(str::trim) {
            Some(text) if !text.is_empty() => Some(text.to_string()),
            _ => {
                self.report(
                    node,
                    format!("missing attribute `{key}` in <{}>", node.tag_name().name()),
                );
                None
            }
        }
    }

    fn numbers<const N: usize>(
        &mut self,
        node: Node<'_, '_>,
        key: &str,
        text: &str,
    ) -> Option<[f64; N]> {
        let numbers: Option<Vec<f64>> = text.split_whitespace().map(|t| t.parse().ok()).collect();
        let fits = numbers
            .filter(|n| n.iter().all(|x: &f64| x.is_finite()))
            .and_then(|n| n.try_into().ok());
        if fits.is_none() {
            let expected = match N {
                1 => "a finite number".to_string(),
                _ => format!("{N} finite numbers"),
            };
            self.report_value(node, key, &expected, quote(text));
        }
        fits
    }

    /// Returns the numbers of an optional attribute, or `default`.
    fn numbers_or<const N: usize>(
        &mut self,
        node: Option<Node<'_, '_>>,
        key: &str,
        default: [f64; N],
    ) -> Option<[f64; N]> {
        match node.and_then(|n| Some((n, n.attribute(key)?))) {
            Some((node, text)) => self.numbers(node, key, text),
            None => Some(default),
        }
    }

    fn number(&mut self, node: Node<'_, '_>, key: &str) -> Option<f64> {
        let text = self.text(node, key)?;
        Some(self.numbers::<1>(node, key, &text)?[0])
    }

    fn positive(&mut self, node: Node<'_, '_>, key: &str) -> Option<f64> {
        let value = self.number(node, key)?;
        if value > 0.0 {
            return Some(value);
        }
        self.report_value(node, key, "a positive number", value);
        None
    }

    /// Returns `xyz` [m] and `rpy` [rad] of the element `origin`.
    fn origin(&mut self, node: Node<'_, '_>) -> Option<([f64; 3], [f64; 3])> {
        let origin = find_child(node, "origin");
        let xyz = self.numbers_or(origin, "xyz", [0.0; 3]);
        let rpy = self.numbers_or(origin, "rpy", [0.0; 3]);
        Some((xyz?, rpy?))
    }

    fn link(&mut self, node: Node<'_, '_>) -> Option<Link> {
        self.record_unused(node, &["inertial", "collision", "visual"]);
        let name = self.frame_name(node).map(|name| topic_name(&name));
        self.note_topic_name(node, name.as_deref());
        let inertial = find_child(node, "inertial")
            .map(|n| self.inertial(n, name.as_deref().unwrap_or_default()));
        let shapes = |reader: &mut Self, kind: &str| -> Vec<LinkShape> {
            node.children()
                .filter(|n| n.has_tag_name(kind))
                .filter_map(|n| reader.shape(n))
                .collect()
        };
        let (collisions, visuals) = (shapes(self, "collision"), shapes(self, "visual"));
        // an <inertial> with zero mass counts as absent
        let inertial = match inertial {
            Some(read) => read?,
            None => None,
        };
        Some(Link {
            name: name?,
            place: self.place(node),
            inertial,
            collisions,
            visuals,
        })
    }

    fn frame_name(&mut self, node: Node<'_, '_>) -> Option<String> {
        let name = self.text(node, "name")?;
        if name.contains(|c: char| c.is_whitespace() || c.is_control()) {
            let text = format!(
                "the name {} contains blanks, which are not allowed in ROS frame names",
                quote(&name)
            );
            self.report(node, text);
            return None;
        }
        Some(name)
    }

    /// Reports that a link has another name than in the URDF.
    fn note_topic_name(&mut self, node: Node<'_, '_>, name: Option<&str>) {
        let (Some(name), Some(written)) = (name, node.attribute("name")) else {
            return;
        };
        if written.trim() != name {
            let text = format!(
                "the link {} is called {}, because ROS topics allow letters, digits, `_` and `/`",
                quote(written.trim()),
                quote(name)
            );
            let place = self.place(node);
            self.problems.note(&place, text);
        }
    }

    /// Reads the `<inertial>` element of the link `name`. The outer option is `None` after a
    /// problem, the inner one if the mass is zero.
    fn inertial(&mut self, node: Node<'_, '_>, name: &str) -> Option<Option<Inertial>> {
        let link = quote(name);
        let mass = self.required_child(node, "mass");
        let mass = mass.and_then(|mass| self.number(mass, "value"));
        let inertia = self.required_child(node, "inertia");
        let inertia = inertia.and_then(|inertia| self.moments(inertia));
        let (xyz, [r, p, y]) = self.origin(node)?;
        let (mass, inertia) = (mass?, inertia?);
        if mass < 0.0 {
            let text = format!("the mass of the link {link} is {mass} kg; expected at least 0");
            self.report(node, text);
            return None;
        }
        for (key, moment) in [
            ("ixx", inertia.xx),
            ("iyy", inertia.yy),
            ("izz", inertia.zz),
        ] {
            if moment < 0.0 {
                let text =
                    format!("`{key}` of the link {link}: expected at least 0, found {moment}");
                self.report(node, text);
                return None;
            }
        }
        let inertia = inertia.rotated(&Mat3::from_rpy(r, p, y));
        let inertial = Inertial {
            place: self.place(node),
            mass,
            com: Vec3::from(xyz),
            inertia,
        };
        Some((mass > 0.0).then_some(inertial))
    }

    /// Reads the `<inertia>` element of a link.
    fn moments(&mut self, node: Node<'_, '_>) -> Option<Sym3> {
        let [xx, xy, xz, yy, yz, zz] = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"]
            .map(|key| Some(self.numbers_or(Some(node), key, [0.0])?[0]));
        Some(Sym3 {
            xx: xx?,
            xy: xy?,
            xz: xz?,
            yy: yy?,
            yz: yz?,
            zz: zz?,
        })
    }

    fn shape(&mut self, node: Node<'_, '_>) -> Option<LinkShape> {
        self.record_unused(node, &["origin", "geometry", "material"]);
        let (xyz, [r, p, y]) = self.origin(node)?;
        let geometry = find_child(node, "geometry");
        let Some(shape) = geometry.and_then(|g| g.children().find(Node::is_element)) else {
            self.report(
                node,
                format!(
                    "missing <geometry> with a shape in <{}>",
                    node.tag_name().name()
                ),
            );
            return None;
        };
        let geometry = match shape.tag_name().name() {
            "box" => {
                let text = self.text(shape, "size")?;
                let size: [f64; 3] = self.numbers(shape, "size", &text)?;
                if size.iter().any(|s| *s <= 0.0) {
                    self.report_value(shape, "size", "positive numbers", quote(&text));
                    return None;
                }
                Geometry::Box(size)
            }
            "cylinder" => Geometry::Cylinder(
                self.positive(shape, "radius")?,
                self.positive(shape, "length")?,
            ),
            "capsule" => Geometry::Capsule(
                self.positive(shape, "radius")?,
                self.positive(shape, "length")?,
            ),
            "sphere" => Geometry::Sphere(self.positive(shape, "radius")?),
            "mesh" => {
                let file = self.text(shape, "filename")?;
                let scale = self.numbers_or(Some(shape), "scale", [1.0; 3])?;
                if scale.contains(&0.0) {
                    self.report(
                        shape,
                        "`scale` of <mesh>: expected non-zero factors; 0 would make the mesh flat",
                    );
                    return None;
                }
                Geometry::Mesh(file, scale)
            }
            _ => {
                self.count_unused(shape);
                return None;
            }
        };
        let material = find_child(node, "material").and_then(|node| self.material(node));
        let (p, R) = (Vec3::from(xyz), Mat3::from_rpy(r, p, y));
        Some(LinkShape {
            place: self.place(shape),
            p,
            R,
            geometry,
            material,
        })
    }

    /// Reads a material. Returns `None` after reporting a problem.
    fn material(&mut self, node: Node<'_, '_>) -> Option<VisualMaterial> {
        self.record_unused(node, &["color", "texture"]);
        let name = node.attribute("name").unwrap_or_default().to_string();
        let color = match find_child(node, "color") {
            Some(color) => {
                let text = self.text(color, "rgba")?;
                Some(self.numbers::<4>(color, "rgba", &text)?)
            }
            None => None,
        };
        let limited = color.map(|rgba| rgba.map(|part| part.clamp(0.0, 1.0)));
        if limited != color {
            let text = "`rgba` of <color> is limited to four numbers from 0 to 1";
            self.count_note(node, text);
        }
        let texture = match find_child(node, "texture") {
            Some(texture) => Some(self.text(texture, "filename")?),
            None => None,
        };
        Some(VisualMaterial {
            name,
            color: limited,
            texture,
        })
    }

    fn joint(&mut self, node: Node<'_, '_>) -> Option<Joint> {
        self.record_unused(
            node,
            &[
                "origin", "parent", "child", "axis", "limit", "dynamics", "mimic",
            ],
        );
        let name = self.frame_name(node).map(|name| joint_name(&name));
        let mut kind = self.joint_kind(node);
        let (parent, child) = (
            self.joint_link(node, "parent"),
            self.joint_link(node, "child"),
        );
        let origin = self.origin(node);
        let axis_node = find_child(node, "axis");
        let axis = self.numbers_or(axis_node, "xyz", [1.0, 0.0, 0.0]);
        let dynamics = find_child(node, "dynamics");
        let [damping, friction] =
            ["damping", "friction"].map(|key| self.at_least_zero(dynamics, key));
        let limit = find_child(node, "limit").map(|n| self.limit(n));
        let mimic = find_child(node, "mimic").map(|n| self.mimic(n));
        // a common way to keep Gazebo from merging the link of a sensor
        let is_locked = matches!(&limit, Some(Some(limit)) if limit.range == [0.0; 2]);
        if is_locked && mimic.is_none() && kind.as_deref() != Some("continuous") {
            kind = kind.map(|_| "fixed".to_string());
            self.count_note(node, "a joint whose two limits are 0 is fixed");
        }
        let (xyz, rpy) = origin?;
        Some(Joint {
            name: name?,
            place: self.place(node),
            kind: kind?,
            parent: parent?,
            child: child?,
            xyz,
            rpy,
            axis: axis?,
            axis_place: self.place(axis_node.unwrap_or(node)),
            limit: limit.map_or(Some(None), |l| l.map(Some))?,
            damping: damping?,
            friction: friction?,
            mimic: mimic.map_or(Some(None), |m| m.map(Some))?,
        })
    }

    fn joint_kind(&mut self, node: Node<'_, '_>) -> Option<String> {
        let kind = self.text(node, "type")?;
        if ["revolute", "continuous", "prismatic", "fixed"].contains(&kind.as_str()) {
            return Some(kind);
        }
        let why = match kind.as_str() {
            "floating" => {
                "a joint of type `floating` is not supported: the base can float (`base: floating`), and \
                           any other floating body must be a separate robot or prop"
            }
            "planar" => {
                "a joint of type `planar` is not supported; write two prismatic joints and a continuous one"
            }
            _ => "",
        };
        let expected = "expected one of `revolute`, `continuous`, `prismatic`, `fixed`";
        let text = if why.is_empty() {
            format!("`type` of <joint>: {expected}, found {}", quote(&kind))
        } else {
            why.into()
        };
        self.report(node, text);
        None
    }

    /// Returns the link that the `parent` or `child` element of a joint names, and its place.
    fn joint_link(&mut self, node: Node<'_, '_>, which: &str) -> Option<(String, Place)> {
        let end = self.required_child(node, which)?;
        Some((topic_name(&self.text(end, "link")?), self.place(end)))
    }

    fn at_least_zero(&mut self, node: Option<Node<'_, '_>>, key: &str) -> Option<f64> {
        let [value] = self.numbers_or(node, key, [0.0])?;
        match node {
            Some(node) if value < 0.0 => {
                self.report_value(node, key, "a number of 0 or more", value);
                None
            }
            _ => Some(value),
        }
    }

    fn limit(&mut self, node: Node<'_, '_>) -> Option<Limit> {
        let [lower] = self.numbers_or(Some(node), "lower", [0.0])?;
        let [upper] = self.numbers_or(Some(node), "upper", [0.0])?;
        let [effort, velocity] = ["effort", "velocity"].map(|key| self.upper_limit(node, key));
        Some(Limit {
            place: self.place(node),
            range: [lower, upper],
            effort: effort?,
            velocity: velocity?,
        })
    }

    /// Returns the value of an upper limit, infinite if it is 0 or not given.
    fn upper_limit(&mut self, node: Node<'_, '_>, key: &str) -> Option<f64> {
        let [limit] = self.numbers_or(Some(node), key, [f64::INFINITY])?;
        if limit < 0.0 {
            self.report_value(node, key, "a number of 0 or more", limit);
            return None;
        }
        if limit == 0.0 {
            self.count_note(node, format!("a limit of {key} of 0 means no limit"));
            return Some(f64::INFINITY);
        }
        Some(limit)
    }

    fn mimic(&mut self, node: Node<'_, '_>) -> Option<(String, f64, f64, Place)> {
        let joint = self.text(node, "joint").map(|name| joint_name(&name));
        let [multiplier] = self.numbers_or(Some(node), "multiplier", [1.0])?;
        let [offset] = self.numbers_or(Some(node), "offset", [0.0])?;
        Some((joint?, multiplier, offset, self.place(node)))
    }
}
