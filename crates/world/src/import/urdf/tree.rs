//! Arranges the links of a URDF as a tree, parents first, and reports errors in its structure.

use crate::import::urdf::xml::{Inertial, Joint, Limit, Link, Robot};
use merrow_math::{Mat3, Sym3, Vec3};
use merrow_yaml::error::{Place, Problems, quote};
use std::collections::HashMap;

/// Maximum number of links of one robot.
const LINKS_MAX: usize = 1000;

/// A link as a node of the tree.
#[derive(Debug)]
pub(crate) struct LinkNode {
    /// The link as read from the file.
    pub link: Link,
    /// The joint that connects the link to its parent, and the index of the parent. `None` for the
    /// root.
    pub joint: Option<(Joint, usize)>,
    /// Index of the link into whose body this link is merged: itself, or the first link above it
    /// that is not fixed to its parent.
    pub head: usize,
    /// Rotation from its axes to the axes of the link that it is merged into.
    pub R: Mat3,
    /// Its origin in the frame of the link that it is merged into [m].
    pub p: Vec3,
}

/// A URDF whose joints form one tree.
#[derive(Debug)]
pub(crate) struct LinkTree {
    /// Links in an order in which parents come first.
    pub nodes: Vec<LinkNode>,
    /// Place of the `robot` element in the file.
    pub place: Place,
    /// True if the root is fixed to the world.
    pub held: bool,
}

impl LinkTree {
    /// Builds the tree of `robot`. Returns `None` after reporting all errors found.
    pub(super) fn new(mut robot: Robot, held: bool, problems: &mut Problems) -> Option<LinkTree> {
        let before = problems.len();
        strip_prefix(&mut robot);
        check_names(&robot, problems);
        check_joints(&robot, problems);
        if problems.len() > before {
            return None;
        }
        let root = root(&robot, problems)?;
        let tree = LinkTree {
            place: robot.place.clone(),
            nodes: in_order(robot, &root, problems)?,
            held,
        };
        tree.check_masses(problems);
        (problems.len() == before).then_some(tree)
    }

    /// Computes mass, centre of mass and inertia of the link `head` together with the links merged
    /// into it for which `counts` is true, in the frame of `head`. Returns `None` if none of them
    /// has a mass.
    pub(crate) fn mass_of(&self, head: usize, counts: impl Fn(usize) -> bool) -> Option<Inertial> {
        let parts = self
            .nodes
            .iter()
            .enumerate()
            .filter(|(i, k)| k.head == head && counts(*i));
        let parts: Vec<(&Inertial, &LinkNode)> = parts
            .filter_map(|(_, k)| Some((k.link.inertial.as_ref()?, k)))
            .collect();
        let place = parts.first()?.0.place.clone();
        let mass: f64 = parts.iter().map(|(i, _)| i.mass).sum();
        let at = |(i, k): &(&Inertial, &LinkNode)| k.p + k.R.mul_vec(i.com);
        let com = parts.iter().fold(Vec3::zero(), |c, part| {
            c + at(part).scale(part.0.mass / mass)
        });
        let mut inertia = Sym3::zero();
        for part in &parts {
            let (i, k) = part;
            // parallel axis theorem: m (|d|² 1 - d dᵀ)
            let d = at(part) - com;
            let dd = i.mass * d.dot(d);
            let moved = Sym3::diagonal([dd; 3]).minus_outer(d, i.mass);
            inertia = inertia + i.inertia.rotated(&k.R) + moved;
        }
        Some(Inertial {
            place,
            mass,
            com,
            inertia,
        })
    }

    fn check_masses(&self, problems: &mut Problems) {
        let root = &self.nodes[0].link;
        if !self.held && root.name == "world" && root.inertial.is_none() {
            let text = "the root link `world` represents the world, to which the robot is fixed; write `base: fixed` in \
                        its model, or remove the link";
            problems.push(&root.place, text);
            return;
        }
        for (i, node) in self.nodes.iter().enumerate() {
            if node.head != i || (i == 0 && self.held) {
                continue;
            }
            if self.mass_of(i, |_| true).is_none() {
                let text = format!(
                    "the link {} is movable, but neither it nor the links fixed to it have a mass; expected <inertial> with a \
                     positive mass",
                    quote(&node.link.name)
                );
                problems.push(&node.link.place, text);
            }
        }
    }
}

/// Removes the robot's name from all link and joint names, as written by `merrow describe --urdf`,
/// if every link has this prefix.
fn strip_prefix(robot: &mut Robot) {
    let prefix = format!("{}/", robot.name);
    if !robot
        .links
        .iter()
        .all(|link| link.name.starts_with(&prefix))
    {
        return;
    }
    let strip = |name: &mut String| {
        if let Some(rest) = name.strip_prefix(&prefix).map(str::to_owned) {
            *name = rest;
        }
    };
    robot
        .links
        .iter_mut()
        .for_each(|link| strip(&mut link.name));
    for joint in &mut robot.joints {
        strip(&mut joint.name);
        strip(&mut joint.parent.0);
        strip(&mut joint.child.0);
    }
}

fn check_names(robot: &Robot, problems: &mut Problems) {
    let links = robot.links.iter().map(|l| ("link", &l.name, &l.place));
    let joints = robot.joints.iter().map(|j| ("joint", &j.name, &j.place));
    let mut seen: HashMap<(&str, &str), &Place> = HashMap::new();
    for (kind, name, place) in links.chain(joints) {
        if let Some(first) = seen.get(&(kind, name.as_str())) {
            let text = format!(
                "two {kind}s are named {}: the first is at {first}",
                quote(name)
            );
            problems.push(place, text);
        } else {
            seen.insert((kind, name), place);
        }
    }
    if robot.links.is_empty() {
        problems.push(&robot.place, "the robot has no links");
    }
    if robot.links.len() > LINKS_MAX {
        let text = format!(
            "the robot has {} links; expected at most {LINKS_MAX}",
            robot.links.len()
        );
        problems.push(&robot.place, text);
    }
}

fn check_joints(robot: &Robot, problems: &mut Problems) {
    let names = || robot.links.iter().map(|l| l.name.as_str());
    let mut parents: HashMap<&str, &Joint> = HashMap::new();
    for joint in &robot.joints {
        let what = quote(&joint.name);
        for (name, place) in [&joint.parent, &joint.child] {
            problems.find(place, name, names(), |link| {
                format!("the joint {what} refers to the missing link {link}")
            });
        }
        if let Some(other) = parents.insert(&joint.child.0, joint) {
            let text = format!(
                "the link {} has two parents, through the joints {} and {what}; expected a tree without loops",
                quote(&joint.child.0),
                quote(&other.name)
            );
            problems.push(&joint.child.1, text);
        }
        check_motion(joint, problems);
        let Some((leader, _, _, place)) = &joint.mimic else {
            continue;
        };
        let joints = || {
            robot
                .joints
                .iter()
                .map(|j| j.name.as_str())
                .filter(|n| *n != joint.name)
        };
        match robot.joints.iter().find(|j| j.name == *leader) {
            _ if *leader == joint.name => {
                problems.push(
                    place,
                    format!("the joint {what} mimics itself; expected another joint"),
                );
            }
            None => {
                problems.find(place, leader, joints(), |leader| {
                    format!("the joint {what} mimics the missing joint {leader}")
                });
            }
            Some(leader) if leader.kind == "fixed" => {
                let text = format!(
                    "the joint {what} mimics {}, which is fixed; expected a moving joint",
                    quote(&leader.name)
                );
                problems.push(place, text);
            }
            Some(_) => {}
        }
    }
}

/// Checks the axis and the limits of a joint.
fn check_motion(joint: &Joint, problems: &mut Problems) {
    let what = quote(&joint.name);
    if joint.kind == "fixed" {
        return;
    }
    if joint.axis == [0.0; 3] {
        problems.push(
            &joint.axis_place,
            format!("the axis of the joint {what} has zero length"),
        );
    }
    let limited = joint.kind != "continuous";
    match &joint.limit {
        None if limited => {
            let text = format!(
                "the {} joint {what} has no <limit lower=\"\" upper=\"\" effort=\"\" velocity=\"\"/>",
                joint.kind
            );
            problems.push(&joint.place, text);
        }
        Some(Limit {
            place,
            range: [lower, upper],
            ..
        }) if limited && lower > upper => {
            let text =
                format!("the joint {what}: `lower` is {lower}; expected at most `upper` {upper}");
            problems.push(place, text);
        }
        _ => {}
    }
}

/// Returns the name of the only link without a parent.
fn root(robot: &Robot, problems: &mut Problems) -> Option<String> {
    let is_child = |name: &str| robot.joints.iter().any(|j| j.child.0 == name);
    let roots: Vec<&Link> = robot.links.iter().filter(|l| !is_child(&l.name)).collect();
    match roots.as_slice() {
        [root] => Some(root.name.clone()),
        [] => problems.refuse(
            &robot.place,
            "every link has a parent: the joints form a loop; expected a tree with one root",
        ),
        [first, second, ..] => {
            let text = format!(
                "{} links have no parent, among them {} and {}; expected one root",
                roots.len(),
                quote(&first.name),
                quote(&second.name)
            );
            problems.refuse(&second.place, text)
        }
    }
}

/// Sorts the links so that parents come first, in the order of the joints.
fn in_order(robot: Robot, root: &str, problems: &mut Problems) -> Option<Vec<LinkNode>> {
    let Robot {
        links,
        joints,
        place,
        ..
    } = robot;
    let mut links: HashMap<String, Link> = links.into_iter().map(|l| (l.name.clone(), l)).collect();
    let mut by_parent: HashMap<String, Vec<Joint>> = HashMap::new();
    for joint in joints.into_iter().rev() {
        by_parent
            .entry(joint.parent.0.clone())
            .or_default()
            .push(joint);
    }
    let mut nodes: Vec<LinkNode> = Vec::new();
    // joints that still have to be followed; the last joint is next
    let mut open: Vec<(Joint, usize)> = Vec::new();
    let mut next = links.remove(root).map(|link| (link, None));
    while let Some((link, joint)) = next {
        let index = nodes.len();
        open.extend(
            by_parent
                .remove(&link.name)
                .into_iter()
                .flatten()
                .map(|j| (j, index)),
        );
        nodes.push(link_node(link, joint, &nodes));
        next = open
            .pop()
            .and_then(|(j, parent)| Some((links.remove(&j.child.0)?, Some((j, parent)))));
    }
    let mut left: Vec<&Link> = links.values().collect();
    left.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some(link) = left.first() {
        let text = format!(
            "the link {} is in a loop of joints that is not connected to the root; expected a tree",
            quote(&link.name)
        );
        return problems.refuse(
            if link.place.line > 0 {
                &link.place
            } else {
                &place
            },
            text,
        );
    }
    Some(nodes)
}

fn link_node(link: Link, joint: Option<(Joint, usize)>, before: &[LinkNode]) -> LinkNode {
    let (head, R, p) = match &joint {
        Some((j, parent)) if j.kind == "fixed" => {
            let [r, pi, y] = j.rpy;
            let above = &before[*parent];
            let R = above.R.mul_mat(&Mat3::from_rpy(r, pi, y));
            (above.head, R, above.p + above.R.mul_vec(Vec3::from(j.xyz)))
        }
        _ => (before.len(), Mat3::identity(), Vec3::zero()),
    };
    LinkNode {
        link,
        joint,
        head,
        R,
        p,
    }
}
