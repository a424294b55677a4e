//! Conversion of a robot to URDF for `robot_description`: links, joints, inertias and shapes.

use crate::frames;
use crate::frames::joint_pose;
use merrow_math::hull_cut::HullShape;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::{Collider, Fin, Geometry, Hull, JointKind, Primitive, Robot};
use merrow_model::sensor::tilt::Tilt;
use std::fmt::Write;

/// Appends a line; writing to a `String` cannot fail.
macro_rules! xml {
    ($out:ident, $($line:tt)*) => {
        let _ = writeln!($out, $($line)*);
    };
}

/// Converts a robot to URDF. Links have the names of the frames of `/tf`.
pub fn urdf(robot: &Robot) -> String {
    let mut out = String::from("<?xml version=\"1.0\"?>\n");
    xml! { out, r#"<robot name="{}">"#, robot.name }
    let root = frames::link_frame(robot, 0);
    let inertial = frames::inertial_link(robot);
    xml! { out, r#"  <link name="{root}"/>"# }
    write_link(&mut out, robot, 0, &inertial);
    for k in 1..robot.links.len() {
        write_link(&mut out, robot, k, &frames::link_frame(robot, k));
    }
    write_fixed_joint(&mut out, &root, &inertial, origin(Vec3::zero(), [0.0; 3]));
    for k in 1..robot.links.len() {
        write_joint(&mut out, robot, k);
    }
    for k in 0..robot.fins.len() {
        write_fin(&mut out, robot, k);
    }
    for frame in &robot.attached {
        write_fixed(
            &mut out,
            &frames::link_frame(robot, frame.link),
            &format!("{}/{}", robot.name, frame.name),
            origin(frame.p_UoA_U, frame.R_UA.to_rpy()),
        );
    }
    for (k, sensor) in robot.sensors.iter().enumerate() {
        let place = origin(sensor.p_UoS_U, sensor.R_US.to_rpy());
        let (link, own) = (
            frames::link_frame(robot, sensor.link),
            frames::sensor_frame(robot, k),
        );
        if let Some(tilt) = sensor.kind.tilt() {
            let mount = frames::mount_frame(robot, k);
            write_fixed(&mut out, &link, &mount, place);
            write_tilt(&mut out, &sensor.name, [&mount, &own], tilt);
        } else {
            write_fixed(&mut out, &link, &own, place);
        }
        if let Some((child, turn)) = frames::message_frame(robot, k) {
            let turn = origin(Vec3::zero(), turn.matrix().to_rpy());
            write_fixed(&mut out, &own, &child, turn);
        }
    }
    out.push_str("</robot>\n");
    out
}

fn write_link(out: &mut String, robot: &Robot, index: usize, name: &str) {
    let link = &robot.links[index];
    let R_UL = link.R_LU.transpose();
    let com = R_UL.mul_vec(link.p_LoLcm);
    let rigid = link.rigid.to_parent(&R_UL, Vec3::zero());
    // inertia about the centre of mass: I_cm = I_o - m (|c|² 1 - c cᵀ)
    let (m, c, I) = (link.mass_kg, com, rigid.A);
    let cc = c.dot(c);
    xml! { out, r#"  <link name="{name}">"# }
    xml! { out, "    <inertial>" }
    xml! { out, "      {}", origin(com, [0.0; 3]) }
    xml! { out, r#"      <mass value="{m}"/>"# }
    xml! {
        out, r#"      <inertia ixx="{}" ixy="{}" ixz="{}" iyy="{}" iyz="{}" izz="{}"/>"#,
        I.xx - m * (cc - c.x * c.x), I.xy + m * c.x * c.y, I.xz + m * c.x * c.z,
        I.yy - m * (cc - c.y * c.y), I.yz + m * c.y * c.z, I.zz - m * (cc - c.z * c.z)
    }
    xml! { out, "    </inertial>" }
    if robot.visuals.is_empty() {
        for hull in link.hulls() {
            xml! { out, "    <visual>{}</visual>", hull_visual(hull, &R_UL) }
        }
    }
    let is_replaced = |c: &Collider| c.filter.member == 0 && !robot.visuals.is_empty();
    let own = |c: &&Collider| c.link == index && !is_replaced(c);
    for collider in robot.colliders.iter().filter(own) {
        if let Some(shape) = shape(&collider.geometry) {
            let place = origin(
                R_UL.mul_vec(collider.p_LoG),
                R_UL.mul_mat(&collider.R_LG).to_rpy(),
            );
            // a collider without collision group is only visual
            let what = if collider.filter.member == 0 {
                "visual"
            } else {
                "collision"
            };
            let name = &collider.name;
            xml! { out, r#"    <{what} name="{name}">{place}<geometry>{shape}</geometry></{what}>"# }
        }
    }
    let is_own = |c: &&Collider| c.link == index && c.fin.is_none();
    for visual in robot.visuals.iter().filter(is_own) {
        let place = (
            R_UL.mul_vec(visual.p_LoG),
            R_UL.mul_mat(&visual.R_LG).to_rpy(),
        );
        write_visual(out, visual, place);
    }
    xml! { out, "  </link>" }
}

/// Writes a visual shape with its position [m] and its roll, pitch and yaw [rad] in its link. A
/// mesh with colours of its own has no material.
fn write_visual(out: &mut String, visual: &Collider, (p, rpy): (Vec3, [f64; 3])) {
    let Some(shape) = shape(&visual.geometry).or_else(|| mesh_shape(visual)) else {
        return;
    };
    let (place, name) = (origin(p, rpy), &visual.name);
    let has_colors = match &visual.geometry {
        Geometry::Mesh(mesh) => visual.file_colors && mesh.parts.iter().any(|p| p.color.is_some()),
        _ => false,
    };
    let look = if has_colors {
        String::new()
    } else {
        let [r, g, b] = visual.material.color().map(srgb);
        format!("<material name=\"{name}\"><color rgba=\"{r} {g} {b} 1\"/></material>")
    };
    xml! { out, r#"    <visual name="{name}">{place}<geometry>{shape}</geometry>{look}</visual>"# }
}

/// Returns the mesh file of a visual shape.
fn mesh_shape(visual: &Collider) -> Option<String> {
    let file = visual.file.as_ref()?;
    let uri = file.uri.replace('&', "&amp;").replace('"', "&quot;");
    let [x, y, z] = file.scale;
    let scale = if file.scale == [1.0; 3] {
        String::new()
    } else {
        format!(" scale=\"{x} {y} {z}\"")
    };
    Some(format!("<mesh filename=\"{uri}\"{scale}/>"))
}

/// Converts a linear reflectance to a screen value (sRGB transfer function, IEC 61966-2-1).
fn srgb(part: f64) -> f64 {
    if part <= 0.003_130_8 {
        12.92 * part
    } else {
        1.055 * libm::pow(part, 1.0 / 2.4) - 0.055
    }
}

/// Returns the shape of a collider; `None` for meshes.
fn shape(geometry: &Geometry) -> Option<String> {
    Some(match geometry {
        Geometry::Primitive(Primitive::Sphere { radius }) => {
            format!(r#"<sphere radius="{radius}"/>"#)
        }
        Geometry::Primitive(Primitive::Box { half }) => box_tag(*half),
        Geometry::Primitive(Primitive::Cylinder {
            radius,
            half_length,
        }) => cylinder_tag(*radius, 2.0 * half_length),
        // not every URDF parser supports capsules, so the enclosing cylinder is written
        Geometry::Primitive(Primitive::Capsule {
            radius,
            half_length,
        }) => cylinder_tag(*radius, 2.0 * (half_length + radius)),
        _ => return None,
    })
}

fn box_tag(half: Vec3) -> String {
    let [x, y, z] = half.to_array().map(|a| 2.0 * a);
    format!(r#"<box size="{x} {y} {z}"/>"#)
}

fn cylinder_tag(radius: f64, length: f64) -> String {
    format!(r#"<cylinder radius="{radius}" length="{length}"/>"#)
}

/// Returns the hull as a visual shape.
fn hull_visual(hull: &Hull, R_UL: &Mat3) -> String {
    let place = origin(R_UL.mul_vec(hull.p_LoH), [0.0; 3]);
    let geometry = match hull.shape {
        HullShape::Box(half) => box_tag(half),
        // URDF has no ellipsoid: written as a sphere if all axes are equal, otherwise as the
        // enclosing box
        HullShape::Ellipsoid(a) if a.x == a.y && a.y == a.z => {
            format!(r#"<sphere radius="{}"/>"#, a.x)
        }
        HullShape::Ellipsoid(half) => box_tag(half),
    };
    format!("{place}<geometry>{geometry}</geometry>")
}

/// Writes a massless frame that is fixed to another frame.
fn write_fixed(out: &mut String, parent: &str, child: &str, origin: String) {
    xml! { out, r#"  <link name="{child}"/>"# }
    write_fixed_joint(out, parent, child, origin);
}

/// Writes the joint that fixes a link to another link.
fn write_fixed_joint(out: &mut String, parent: &str, child: &str, origin: String) {
    open_joint(out, &format!("{child}_mount"), "fixed", [parent, child]);
    xml! { out, "    {origin}" }
    xml! { out, "  </joint>" }
}

/// Writes the start of a joint between two links.
fn open_joint(out: &mut String, name: &str, kind: &str, [parent, child]: [&str; 2]) {
    xml! { out, r#"  <joint name="{name}" type="{kind}">"# }
    xml! { out, r#"    <parent link="{parent}"/><child link="{child}"/>"# }
}

/// Writes the joint that tilts a laser in its mount.
fn write_tilt(out: &mut String, sensor: &str, [mount, child]: [&str; 2], tilt: &Tilt) {
    let [low, high] = tilt.limits;
    xml! { out, r#"  <link name="{child}">"# }
    write_small_inertia(out, FIN_MASS);
    xml! { out, "  </link>" }
    open_joint(out, &format!("{sensor}_tilt"), "revolute", [mount, child]);
    xml! { out, r#"    <axis xyz="0 1 0"/>"# }
    let speed = tilt.speed(0);
    xml! { out, r#"    <limit lower="{low}" upper="{high}" effort="1e6" velocity="{speed}"/>"# }
    xml! { out, "  </joint>" }
}

fn write_joint(out: &mut String, robot: &Robot, k: usize) {
    let link = &robot.links[k];
    let joint = &link.joint;
    let kind = match joint.kind {
        JointKind::Revolute => "revolute",
        JointKind::Continuous => "continuous",
        JointKind::Prismatic => "prismatic",
        JointKind::Fixed => "fixed",
    };
    let (parent, child) = (
        frames::link_frame(robot, link.parent.unwrap_or(0)),
        frames::link_frame(robot, k),
    );
    let (p, R) = joint_pose(robot, link, 0.0);
    // the joint's axis is z of L, here expressed in the user's frame
    let axis = link.R_LU.transpose().col(2);
    open_joint(out, &joint.name, kind, [&parent, &child]);
    xml! { out, "    {}", origin(p, R.to_rpy()) }
    if joint.kind != JointKind::Fixed {
        xml! { out, r#"    <axis xyz="{} {} {}"/>"#, axis.x, axis.y, axis.z }
        let (damping, friction) = (joint.damping, joint.friction);
        xml! { out, r#"    <dynamics damping="{damping}" friction="{friction}"/>"# }
    }
    if let Some(mimic) = joint.mimic {
        let leader = &robot.links[mimic.leader].joint.name;
        let (multiplier, offset) = (mimic.multiplier, mimic.offset);
        xml! { out, r#"    <mimic joint="{leader}" multiplier="{multiplier}" offset="{offset}"/>"# }
    }
    let ranged = matches!(joint.kind, JointKind::Revolute | JointKind::Prismatic);
    let (effort, speed) = (joint.max_effort, joint.max_speed());
    if ranged || (joint.kind == JointKind::Continuous && effort.min(speed).is_finite()) {
        let [lo, hi] = joint.limits;
        let range = if ranged {
            format!("lower=\"{lo}\" upper=\"{hi}\" ")
        } else {
            String::new()
        };
        // URDF requires limits of effort and velocity; a joint without them has large values
        let effort = if effort.is_finite() { effort } else { 1e6 };
        let speed = if speed.is_finite() { speed } else { 1000.0 };
        xml! { out, r#"    <limit {range}effort="{effort}" velocity="{speed}"/>"# }
    }
    xml! { out, "  </joint>" }
}

/// Writes fin `k` on a joint of its name, as its visuals. A fin without any is a thin plate, if no
/// visual represents the robot. Its mass belongs to the link, except a small mass that URDF parsers
/// require of moving links.
fn write_fin(out: &mut String, robot: &Robot, k: usize) {
    let fin: &Fin = &robot.fins[k];
    let child = format!("{}/{}", robot.name, fin.name);
    let (chord, thickness, span) = (fin.chord(), FIN_THICKNESS * fin.chord(), fin.span_m);
    let place = origin(Vec3::new(-fin.center_of_pressure_m, 0.0, 0.0), [0.0; 3]);
    xml! { out, r#"  <link name="{child}">"# }
    write_small_inertia(out, FIN_MASS * chord * chord);
    for visual in robot.visuals.iter().filter(|c| c.fin == Some(k)) {
        let p = fin.R_LF.tr_mul_vec(visual.p_LoG - fin.p_LoF);
        let R = fin.R_LF.transpose().mul_mat(&visual.R_LG);
        write_visual(out, visual, (p, R.to_rpy()));
    }
    if robot.visuals.is_empty() {
        xml! { out, r#"    <visual>{place}<geometry><box size="{chord} {thickness} {span}"/></geometry></visual>"# }
    }
    xml! { out, "  </link>" }
    let kind = if fin.is_movable() {
        "revolute"
    } else {
        "fixed"
    };
    let parent = frames::link_frame(robot, fin.link);
    open_joint(out, &fin.name, kind, [&parent, &child]);
    xml! { out, "    {}", origin(fin.p_UoF_U, fin.R_UF.to_rpy()) }
    if fin.is_movable() {
        let [lo, hi] = fin.range;
        // URDF requires limits of effort and velocity
        let rate = if fin.servo.rate().is_finite() {
            fin.servo.rate()
        } else {
            1000.0
        };
        xml! { out, r#"    <axis xyz="0 0 1"/>"# }
        xml! { out, r#"    <limit lower="{lo}" upper="{hi}" effort="1000000" velocity="{rate}"/>"# }
    }
    xml! { out, "  </joint>" }
}

/// Writes the small mass and the moment of inertia `I` [kg m²] that URDF parsers require of moving
/// links.
fn write_small_inertia(out: &mut String, I: f64) {
    xml! { out, "    <inertial>" }
    xml! { out, r#"      <mass value="{FIN_MASS}"/>"# }
    xml! { out, r#"      <inertia ixx="{I}" ixy="0" ixz="0" iyy="{I}" iyz="0" izz="{I}"/>"# }
    xml! { out, "    </inertial>" }
}

/// Mass of a fin or a tilting laser in a URDF [kg].
const FIN_MASS: f64 = 1e-6;
/// Ratio of the thickness of a drawn fin to its chord.
const FIN_THICKNESS: f64 = 0.12;

fn origin(p: Vec3, rpy: [f64; 3]) -> String {
    let [r, pi, y] = rpy;
    format!(
        "<origin xyz=\"{} {} {}\" rpy=\"{r} {pi} {y}\"/>",
        p.x, p.y, p.z
    )
}
