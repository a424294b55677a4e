//! Conversion of shapes to colliders of a link or of a structure.

use crate::build::texture;
use crate::context::Context;
use crate::import::assets::CheckedMesh;
use crate::import::files;
use crate::import::heightfield::heightfield;
use crate::import::sname;
use crate::keys::contact::{
    CollisionConfig, GroupsConfig, HeightfieldConfig, MeshForm, PlacedShape, PropEntry,
    ShapeConfig, StructureConfig, VisualConfig,
};
use crate::keys::{Axes, RobotModelConfig};
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::robot::collision::{
    Collider, CollisionFilter, Geometry, Material, MeshFile, Primitive, Structure,
};
use merrow_model::scene::{Fin, Robot};
use merrow_yaml::error::{Place, Problems, known_names, quote};
use merrow_yaml::read::{NamedMap, Places};
use std::sync::Arc;

/// Link or structure to which shapes are fixed.
#[derive(Clone, Copy, Debug)]
pub struct Mount<'a> {
    /// Name that is prepended to the names of the shapes.
    pub name: &'a str,
    /// Index of the link; 0 for a structure.
    pub link: usize,
    /// Axes of the file in L, or in the world.
    pub R: Mat3,
    /// Origin of the file in L, or in the world [m].
    pub p: Vec3,
    /// Axes in which the file gives vectors.
    pub axes: Axes,
    /// Whether the link can move.
    pub(crate) is_moving: bool,
    /// Whether it is a structure in the world instead of a link.
    pub(crate) is_structure: bool,
    /// Whether its shapes are visuals without contacts.
    pub(crate) is_visual: bool,
    /// Surface of shapes that specify none.
    pub material: Material,
    /// Whether meshes of shapes that specify no surface have the colours of their files.
    pub(crate) file_colors: bool,
}

/// Builds the colliders of `shapes` on `mount`.
pub(crate) fn build_colliders(
    shapes: &NamedMap<CollisionConfig>,
    mount: Mount<'_>,
    cx: Context<'_>,
) -> Vec<Collider> {
    let one = |(name, file): (&str, &CollisionConfig)| {
        build_collider(name, &file.placed, groups(&file.groups), mount, cx)
    };
    shapes.iter().filter_map(one).collect()
}

/// Builds the visual shapes of `mount`.
pub(crate) fn build_visuals(
    shapes: &NamedMap<VisualConfig>,
    mount: Mount<'_>,
    cx: Context<'_>,
) -> Vec<Collider> {
    let mount = Mount {
        is_visual: true,
        ..mount
    };
    let filter = CollisionFilter {
        member: 0,
        mask: u32::MAX,
    };
    let one =
        |(name, file): (&str, &VisualConfig)| build_collider(name, &file.placed, filter, mount, cx);
    shapes.iter().filter_map(one).collect()
}

fn build_collider(
    name: &str,
    file: &PlacedShape,
    filter: CollisionFilter,
    mount: Mount<'_>,
    cx: Context<'_>,
) -> Option<Collider> {
    let geometry = build_geometry(name, &file.shape, mount, cx)?;
    let coat = file.texture.as_ref().and_then(|texture| {
        let mesh = match &file.shape {
            ShapeConfig::Mesh { file, scale, .. } => Some((file.as_str(), *scale)),
            _ => None,
        };
        texture::build_coat(texture, &geometry, mesh, cx)
    });
    let [r, p, y] = file.attitude_deg.map(f64::to_radians);
    let R_LG = mount
        .R
        .mul_mat(&axes_rotation(mount.axes))
        .mul_mat(&Mat3::from_rpy(r, p, y));
    Some(Collider {
        name: format!("{}/{name}", mount.name),
        link: mount.link,
        geometry,
        R_LG,
        p_LoG: mount.p
            + mount
                .R
                .mul_vec(sname::vector_to_flu(mount.axes, file.position_m)),
        material: file.material.unwrap_or(mount.material),
        filter,
        texture: coat,
        file: mesh_file(&file.shape),
        file_colors: mount.file_colors && file.material.is_none(),
        fin: None,
    })
}

/// Returns the resource name and the scale of a mesh whose file has been found.
fn mesh_file(shape: &ShapeConfig) -> Option<MeshFile> {
    let ShapeConfig::Mesh {
        file, scale, at, ..
    } = shape
    else {
        return None;
    };
    let path = files::find_file(file, at.key_place("file"), &mut Problems::default())?;
    Some(MeshFile {
        uri: files::resource_name(file, &path),
        scale: *scale,
    })
}

/// Sets the fins of the visual shapes of `robot` that name one. `model` is the robot's model.
pub(crate) fn set_visual_fins(robot: &mut Robot, model: &RobotModelConfig, cx: Context<'_>) {
    let bodies = std::iter::once(Some(&model.body))
        .chain(model.links.iter().map(|(_, file)| file.body.as_ref()));
    for (link, body) in robot.links.iter().zip(bodies) {
        for (name, file) in body.iter().flat_map(|body| body.visuals.iter()) {
            let Some(fin) = &file.turns_with else {
                continue;
            };
            let is_named = |f: &Fin| f.name == *fin || f.name == format!("{fin}_azimuth");
            let Some(index) = robot.fins.iter().position(is_named) else {
                let names = robot.fins.iter().map(|f| f.name.as_str());
                let text = format!(
                    "`turns_with` of {name}: no fin or azimuth thruster {}{}",
                    quote(fin),
                    known_names(fin, names)
                );
                cx.error(file.at.key_place("turns_with"), text);
                continue;
            };
            let whole = format!("{}/{name}", link.name);
            let own = robot.visuals.iter_mut().find(|visual| visual.name == whole);
            match own {
                Some(visual) if visual.link == robot.fins[index].link => visual.fin = Some(index),
                Some(_) => {
                    let text = format!("`turns_with` of {name}: {fin} is on another link");
                    cx.error(file.at.key_place("turns_with"), text);
                }
                None => {}
            }
        }
    }
}

/// Builds the structure `name` of a world.
pub(crate) fn build_structure(name: &str, file: &StructureConfig, cx: Context<'_>) -> Structure {
    let [r, p, y] = file.attitude_deg.map(f64::to_radians);
    let mount = Mount {
        name,
        link: 0,
        R: Mat3::from_rpy(r, p, y),
        p: Vec3::from(file.position_m),
        axes: Axes::Flu,
        is_moving: false,
        is_structure: true,
        is_visual: false,
        material: file.material,
        file_colors: !file.at.has_key("material"),
    };
    Structure {
        name: name.to_string(),
        colliders: build_colliders(&file.shapes, mount, cx),
    }
}

/// Reports a prop without collision shapes, which would have no contacts.
pub(crate) fn check_prop(name: &str, entry: &PropEntry, cx: Context<'_>) {
    if entry.body.collisions.0.is_empty() {
        let text = format!("the prop {name} has no collision shape; add `collisions` to its body");
        cx.error(entry.at.key_place("body"), text);
    }
}

fn groups(file: &GroupsConfig) -> CollisionFilter {
    let bits = |numbers: &[u32]| {
        numbers
            .iter()
            .fold(0, |bits, n| bits | 1u32.checked_shl(*n).unwrap_or(0))
    };
    CollisionFilter {
        member: bits(&file.member_of),
        mask: file.collides_with.as_deref().map_or(u32::MAX, bits),
    }
}

/// Returns the rotation from the axes of the file to the user's frame (forward, left, up).
pub(crate) fn axes_rotation(axes: Axes) -> Mat3 {
    let column = |v: [f64; 3]| sname::vector_to_flu(axes, v);
    Mat3::from_rows(
        column([1.0, 0.0, 0.0]),
        column([0.0, 1.0, 0.0]),
        column([0.0, 0.0, 1.0]),
    )
}

/// Builds the geometry of the shape `name` of `mount`. Returns `None` after reporting a problem.
fn build_geometry(
    name: &str,
    shape: &ShapeConfig,
    mount: Mount<'_>,
    cx: Context<'_>,
) -> Option<Geometry> {
    Some(match shape {
        ShapeConfig::Sphere { radius_m, .. } => {
            Geometry::Primitive(Primitive::Sphere { radius: *radius_m })
        }
        ShapeConfig::Box {
            size_m: [x, y, z], ..
        } => Geometry::Primitive(Primitive::Box {
            half: Vec3::new(0.5 * x, 0.5 * y, 0.5 * z),
        }),
        ShapeConfig::Cylinder {
            radius_m, length_m, ..
        } => Geometry::Primitive(Primitive::Cylinder {
            radius: *radius_m,
            half_length: 0.5 * length_m,
        }),
        ShapeConfig::Capsule {
            radius_m, length_m, ..
        } => Geometry::Primitive(Primitive::Capsule {
            radius: *radius_m,
            half_length: 0.5 * length_m,
        }),
        ShapeConfig::Mesh {
            file,
            scale,
            form,
            at,
        } => {
            let keys = MeshKeys {
                file,
                scale: *scale,
                at,
            };
            mesh_geometry(name, keys, *form, mount, cx)?
        }
        ShapeConfig::Heightfield(keys) => heightfield_geometry(name, keys, mount, cx)?,
    })
}

/// Keys of a mesh file.
#[derive(Clone, Copy)]
pub(super) struct MeshKeys<'a> {
    pub(super) file: &'a str,
    pub(super) scale: [f64; 3],
    pub(super) at: &'a Places,
}

impl MeshKeys<'_> {
    /// Returns the mesh, or `None` after reporting a problem.
    pub(super) fn load(self, cx: Context<'_>) -> Option<CheckedMesh> {
        if self.scale.contains(&0.0) {
            let text = "`scale`: expected non-zero factors, 0 would make the mesh flat";
            return cx.refuse(self.at.key_place("scale"), text);
        }
        let place = self.at.key_place("file");
        cx.assets
            .mesh(self.file, self.scale, place, &mut cx.problems())
    }
}

/// Builds the geometry of a mesh: its triangles for a visual, the geometry of its form otherwise.
fn mesh_geometry(
    name: &str,
    keys: MeshKeys<'_>,
    form: MeshForm,
    mount: Mount<'_>,
    cx: Context<'_>,
) -> Option<Geometry> {
    let mesh = keys.load(cx)?;
    if mount.is_visual {
        return Some(Geometry::Mesh(mesh.0));
    }
    if form == MeshForm::Triangles && mount.is_moving {
        let text = format!(
            "the shape {name} of {} uses `triangles`, which is allowed for static bodies only; use \
             `convex_parts`, or `convex_hull`",
            mount.name
        );
        return cx.refuse(keys.at.key_place("form"), text);
    }
    contact_geometry(form, mesh, keys.file, keys.at.key_place("file"), cx)
}

/// Builds the geometry of a height field, which only structures can have.
fn heightfield_geometry(
    name: &str,
    keys: &HeightfieldConfig,
    mount: Mount<'_>,
    cx: Context<'_>,
) -> Option<Geometry> {
    if !mount.is_structure {
        let text = format!(
            "the shape {name} of {} is a `heightfield`, which only `structures` can have",
            mount.name
        );
        return cx.refuse(&keys.at.whole, text);
    }
    let field = heightfield(keys, &mut cx.problems())?;
    Some(Geometry::Heightfield(Arc::new(field)))
}

/// Returns the collision geometry of a mesh, or reports why the mesh cannot be used.
pub(crate) fn contact_geometry(
    form: MeshForm,
    (mesh, check): CheckedMesh,
    file: &str,
    place: &Place,
    cx: Context<'_>,
) -> Option<Geometry> {
    let what = merrow_yaml::error::quote(file);
    match form {
        MeshForm::ConvexHull if check.flat => cx.refuse(
            place,
            format!("{what}: the mesh is flat; expected one with a volume"),
        ),
        MeshForm::ConvexHull => {
            if let Some(why) = check.closure_defect() {
                cx.note(
                    place,
                    format!("{what}: {why}; its convex hull is used for contacts"),
                );
            }
            Some(Geometry::ConvexHull(mesh))
        }
        MeshForm::ConvexParts => match check.closure_defect() {
            Some(why) => {
                let text = format!(
                    "{what}: {why}; repair the mesh, or use `convex_hull`, which does not require a closed mesh"
                );
                cx.refuse(place, text)
            }
            None => Some(Geometry::ConvexDecomposition(mesh)),
        },
        // Terrain meshes are open, but the outer side of the triangles must still be defined.
        MeshForm::Triangles => {
            if let Some(why) = check.orientation_defect() {
                return cx.refuse(place, format!("{what}: {why}"));
            }
            Some(Geometry::Mesh(mesh))
        }
    }
}
