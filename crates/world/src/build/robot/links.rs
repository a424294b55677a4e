//! Conversion of the links of a robot and of the joints that connect them.

use crate::build::robot::{body, find_link, joint};
use crate::context::Context;
use crate::keys::{JointConfig, LinkConfig, RobotModelConfig};
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::robot::joint::Mimic;
use merrow_model::scene::{Drive, Joint, JointKind, Link};
use merrow_physics::dynamics::mimic::MIMICS_MAX;
use merrow_yaml::error::quote;

/// Builds the base and the links of a model, connected by their joints.
pub(crate) fn build_links(model: &RobotModelConfig, cx: Context<'_>) -> Vec<Link> {
    let identity = Mat3::identity();
    let mut links = vec![body::build_link(
        &model.root,
        &model.body,
        (identity, None, Joint::base()),
        cx,
    )];
    for (name, file) in model.links.iter() {
        let parent = find_link(&links, &file.parent, file.at.key_place("parent"), cx);
        let (joint, R_LU) = build_joint(name, file, &links[parent], cx);
        if name == model.root || links.iter().any(|l| l.joint.name == joint.name) {
            let taken = if name == model.root {
                name
            } else {
                &joint.name
            };
            cx.error(
                &file.at.whole,
                format!("the name {} is taken", quote(taken)),
            );
        }
        let link = match &file.body {
            Some(body) => body::build_link(name, body, (R_LU, Some(parent), joint), cx),
            None => {
                if joint.kind != JointKind::Fixed {
                    let text = format!(
                        "missing key `body` in {}: only a fixed link can be a cx without a body",
                        quote(name)
                    );
                    cx.error(&file.at.whole, text);
                }
                body::frame_link(name, R_LU, Some(parent), joint)
            }
        };
        links.push(link);
    }
    connect_mimics(model, &mut links, cx);
    let followers = links.iter().filter(|l| l.joint.mimic.is_some()).count();
    if followers > MIMICS_MAX {
        let text =
            format!("{followers} joints follow others; expected at most {MIMICS_MAX} of one robot");
        cx.error(&model.at.whole, text);
    }
    if model.urdf.is_none() && model.at.has_key("hydrodynamics") {
        let text = "`hydrodynamics` has no effect without `urdf`; write it in `body` and in the bodies of the `links`";
        cx.error(model.at.key_place("hydrodynamics"), text);
    }
    links
}

/// Connects joints that follow other joints to their leaders, once all joints are known. A joint
/// that follows a follower follows the leader of the latter.
fn connect_mimics(model: &RobotModelConfig, links: &mut [Link], cx: Context<'_>) {
    let files = &model.links.0;
    let direct: Vec<Option<Mimic>> = files
        .iter()
        .enumerate()
        .map(|(k, (_, file))| direct_leader(k + 1, file, links, cx))
        .collect();
    let follows = |leader: usize| direct.get(leader.wrapping_sub(1)).copied().flatten();
    for (k, mimic) in direct.iter().enumerate() {
        let Some(mut mimic) = *mimic else { continue };
        // q = m₁ q₁ + b₁ and q₁ = m₂ q₂ + b₂ give q = m₁ m₂ q₂ + m₁ b₂ + b₁
        let mut steps = 0;
        while let Some(next) = follows(mimic.leader).filter(|_| steps < files.len()) {
            mimic = Mimic {
                leader: next.leader,
                multiplier: mimic.multiplier * next.multiplier,
                offset: mimic.multiplier * next.offset + mimic.offset,
            };
            steps += 1;
        }
        if steps < files.len() {
            links[k + 1].joint.mimic = Some(mimic);
            continue;
        }
        let place = files[k]
            .1
            .joint
            .mimic
            .as_ref()
            .map(|mimic| mimic.at.key_place("joint"));
        let text = format!(
            "the joints that {} follows form a loop; expected one of them to move by itself",
            quote(&links[k + 1].joint.name)
        );
        cx.error(place.unwrap_or(&model.at.whole), text);
    }
}

/// Returns the relation of the joint of link `k` to the joint that it follows directly.
fn direct_leader(k: usize, file: &LinkConfig, links: &[Link], cx: Context<'_>) -> Option<Mimic> {
    let mimic = file.joint.mimic.as_ref()?;
    let own = &links[k].joint;
    let (place, name) = (mimic.at.key_place("joint"), quote(&own.name));
    let moves = |l: &Link| l.joint.kind != JointKind::Fixed && l.joint.name != own.name;
    let moving: Vec<(usize, &Link)> = links.iter().enumerate().filter(|(_, l)| moves(l)).collect();
    let names = moving.iter().map(|(_, l)| l.joint.name.as_str());
    let leader = cx.find(place, &mimic.joint, names, |leader| {
        format!("the joint {name} follows {leader}, which is not a moving joint")
    })?;
    let leader = moving[leader].0;
    if matches!(own.drive, Drive::Position { .. }) {
        let text = format!("the joint {name} follows another joint; expected no position drive");
        return cx.refuse(file.joint.at.key_place("drive"), text);
    }
    if own.kind == JointKind::Fixed {
        let text = format!(
            "the fixed joint {name} cannot follow {}; expected two moving joints",
            quote(&mimic.joint)
        );
        return cx.refuse(place, text);
    }
    Some(Mimic {
        leader,
        multiplier: mimic.multiplier,
        offset: mimic.offset,
    })
}

/// Returns the joint in the link frame L of the parent, and the rotation of the child's user frame
/// in the child's link frame.
fn build_joint(name: &str, file: &LinkConfig, parent: &Link, cx: Context<'_>) -> (Joint, Mat3) {
    let j = &file.joint;
    let axis = cx.direction(
        (&j.at, "axis"),
        &format!("the axis of the joint of {name}"),
        Vec3::from(j.axis),
        Vec3::new(0.0, 0.0, 1.0),
    );
    let R_UL = Mat3::with_z_axis(axis);
    let [r, p, y] = j.attitude_rad;
    let R_PuCu = Mat3::from_rpy(r, p, y);
    let mut joint = Joint {
        name: j.name.clone().unwrap_or_else(|| format!("{name}_joint")),
        kind: j.kind,
        R_PC0: parent.R_LU.mul_mat(&R_PuCu).mul_mat(&R_UL),
        p_PoCo0: parent.R_LU.mul_vec(Vec3::from(j.position_m)),
        limits: joint_limits(name, j, cx),
        max_effort: j.max_effort.unwrap_or(f64::INFINITY),
        speed_limit: j.max_speed.unwrap_or(f64::INFINITY),
        damping: j.damping,
        armature: j.armature,
        friction: j.friction,
        mimic: None,
        drive: joint::build_drive(name, j, cx),
    };
    if joint.friction > 0.0 && matches!(joint.drive, Drive::Position { .. }) {
        let text = format!(
            "the joint {} has friction, which its ideal position drive ignores; use a drive of the kind `servo`",
            joint.name
        );
        cx.note(j.at.key_place("friction"), text);
    }
    // A rotor behind a rigid gear moves with the joint.
    if let Some(servo) = joint.servo()
        && servo.actuator.elastic.is_none()
    {
        joint.armature += servo.actuator.rotor_inertia;
    }
    (joint, R_UL.transpose())
}

/// Returns the limits [rad, m] of a joint, infinite if it has none.
fn joint_limits(name: &str, j: &JointConfig, cx: Context<'_>) -> [f64; 2] {
    let free = [f64::NEG_INFINITY, f64::INFINITY];
    let (given, keys) = match j.kind {
        JointKind::Revolute => ([j.lower_rad, j.upper_rad], ["lower_rad", "upper_rad"]),
        JointKind::Prismatic => ([j.lower_m, j.upper_m], ["lower_m", "upper_m"]),
        JointKind::Continuous | JointKind::Fixed => ([None, None], [""; 2]),
    };
    for key in ["lower_rad", "upper_rad", "lower_m", "upper_m"] {
        if j.at.has_key(key) && !keys.contains(&key) {
            let text = format!(
                "the joint of {name}: `{key}` does not apply to a {} joint",
                j.kind.keyword()
            );
            cx.error(j.at.key_place(key), text);
        }
    }
    if keys == [""; 2] {
        return free;
    }
    let (Some(lo), Some(hi)) = (given[0], given[1]) else {
        let text = format!(
            "the joint of {name} has no limits; expected `{}` and `{}`",
            keys[0], keys[1]
        );
        cx.error(&j.at.whole, text);
        return free;
    };
    if lo > hi {
        let text = format!(
            "the joint of {name}: `{}` is {lo}; expected at most `{}` {hi}",
            keys[0], keys[1]
        );
        cx.error(j.at.key_place(keys[0]), text);
    }
    [lo, hi]
}
