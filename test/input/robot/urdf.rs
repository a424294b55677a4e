//! Tests of invalid URDFs.
//!
//! Each error is reported at its line of the URDF, in one line. Method: the exact message.

use crate::common::folder::Folder;
use merrow_world::{Overrides, load_world};

/// Returns the messages of a world whose robot is the URDF `urdf`, without the name of the folder.
fn messages(name: &str, urdf: &str, model: &str) -> String {
    let world = format!("robots:\n  r:\n    model:\n      urdf: r.urdf\n{model}");
    let folder = Folder::new(
        &format!("bad_urdf_{name}"),
        &[("w.yaml", &world), ("r.urdf", urdf)],
    );
    let loaded = load_world(&folder.0.join("w.yaml"), Overrides::default());
    let text = loaded.map_or_else(|p| p.to_string(), |_| "accepted".into());
    text.replace(&format!("{}/", folder.0.display()), "")
}

const INERTIAL: &str = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";

/// Returns a URDF with a base and a link `arm`; `more` starts at line 3.
fn robot(more: &str) -> String {
    format!(
        "<robot name='r'><link name='base'>{INERTIAL}</link>\n<link name='arm'>{INERTIAL}</link>\n{more}\n</robot>\n"
    )
}

/// Returns a joint between the base and the link `arm`.
fn joint(kind: &str, more: &str) -> String {
    format!("<joint name='j' type='{kind}'><parent link='base'/><child link='arm'/>{more}</joint>")
}

#[track_caller]
fn check(name: &str, urdf: &str, expected: &str) {
    assert_eq!(messages(name, urdf, ""), expected, "of\n{urdf}");
}

#[test]
fn files_that_are_not_urdf() {
    check("good", &robot(&joint("continuous", "")), "accepted");
    let message = messages("xml", "<robot name='r'>\n<link name='a'>\n</robot>", "");
    assert!(
        message.starts_with("r.urdf:3:1: not valid XML: "),
        "{message}"
    );
    check(
        "sdf",
        "<sdf/>",
        "r.urdf:1:1: not a URDF; expected the element `robot`, found `sdf`; files of Gazebo are not read: describe the robot in the world file",
    );
    check(
        "xacro",
        "<robot xmlns:xacro='http://www.ros.org/wiki/xacro' name='r'><xacro:arm/></robot>",
        "r.urdf:1:61: expected the output of `xacro`, found a xacro file; run `xacro file.xacro > file.urdf`",
    );
    for attribute in ["xyz='${x} 0 0'", "xyz='$(arg x) 0 0'"] {
        let urdf = format!(
            "<robot name='r'><link name='base'>{INERTIAL}</link>\n<link name='arm'>{INERTIAL}<visual><origin {attribute}/></visual></link></robot>"
        );
        let message = messages("expression", &urdf, "");
        let expected = "r.urdf:2:122: expected the output of `xacro`, found a xacro file";
        assert!(message.starts_with(expected), "{message}");
    }
    // comments, plugins and commands contain `${}` too
    let text = "<!-- ${mass} --><gazebo><plugin><cmd>echo ${HOME} $(pwd)</cmd></plugin></gazebo>";
    check("text", &robot(&(joint("fixed", "") + text)), "accepted");
    check(
        "empty",
        "<robot name='r'/>",
        "r.urdf:1:1: the robot has no links",
    );
    assert!(messages("none", "", "").starts_with("r.urdf:1:1: not valid XML: "));
}

#[test]
fn numbers_and_elements() {
    let link = |text: &str| format!("<robot name='r'>\n<link name='a'>\n{text}\n</link></robot>");
    let cases = [
        (
            "<inertial><mass value='heavy'/><inertia/></inertial>",
            "r.urdf:3:11: `value` of <mass>: expected a finite number, found `heavy`",
        ),
        (
            "<inertial><mass value='-1'/><inertia/></inertial>",
            "r.urdf:3:1: the mass of the link `a` is -1 kg; expected at least 0",
        ),
        (
            "<inertial><mass value='1'/></inertial>",
            "r.urdf:3:1: missing element <inertia> in <inertial>",
        ),
        (
            "<inertial><origin xyz='0 0'/><mass value='1'/><inertia/></inertial>",
            "r.urdf:3:11: `xyz` of <origin>: expected 3 finite numbers, found `0 0`",
        ),
        (
            "<collision><geometry><box size='1 0 1'/></geometry></collision>",
            "r.urdf:3:22: `size` of <box>: expected positive numbers, found `1 0 1`",
        ),
        (
            "<collision><geometry/></collision>",
            "r.urdf:3:1: missing <geometry> with a shape in <collision>",
        ),
        (
            "<collision><geometry><mesh filename=''/></geometry></collision>",
            "r.urdf:3:22: missing attribute `filename` in <mesh>",
        ),
        (
            "<inertial><mass value='1'/><inertia ixx='nan'/></inertial>",
            "r.urdf:3:28: `ixx` of <inertia>: expected a finite number, found `nan`",
        ),
    ];
    for (k, (text, expected)) in cases.iter().enumerate() {
        check(&format!("numbers_{k}"), &link(text), expected);
    }
    check(
        "blank",
        "<robot name='r'><link name='a b'/></robot>",
        "r.urdf:1:17: the name `a b` contains blanks, which are not allowed in ROS frame names",
    );
}

#[test]
fn invalid_link_trees_are_rejected() {
    check(
        "parent",
        &robot("<joint name='j' type='fixed'><parent link='bse'/><child link='arm'/></joint>"),
        "r.urdf:3:30: the joint `j` refers to the missing link `bse`; did you mean `base`?",
    );
    check(
        "ends",
        &robot("<joint name='j' type='fixed'><child link='arm'/></joint>"),
        "r.urdf:3:1: missing element <parent> in <joint>",
    );
    let two = format!(
        "{}\n<joint name='k' type='fixed'><parent link='base'/><child link='arm'/></joint>",
        joint("fixed", "")
    );
    check(
        "loop",
        &robot(&two),
        "r.urdf:4:51: the link `arm` has two parents, through the joints `j` and `k`; expected a tree without loops",
    );
    let back = format!(
        "{}\n<joint name='k' type='fixed'><parent link='arm'/><child link='base'/></joint>",
        joint("fixed", "")
    );
    check(
        "circle",
        &robot(&back),
        "r.urdf:1:1: every link has a parent: the joints form a loop; expected a tree with one root",
    );
    let apart = format!(
        "{}\n<link name='c'/><link name='d'/>\n<joint name='k' type='fixed'><parent link='c'/><child link='d'/></joint>\n<joint name='l' type='fixed'><parent link='d'/><child link='c'/></joint>",
        joint("fixed", "")
    );
    check(
        "apart",
        &robot(&apart),
        "r.urdf:4:1: the link `c` is in a loop of joints that is not connected to the root; expected a tree",
    );
    check(
        "roots",
        &robot(""),
        "r.urdf:2:1: 2 links have no parent, among them `base` and `arm`; expected one root",
    );
    let message = messages(
        "twice",
        &robot(&(joint("fixed", "") + "\n<link name='arm'/>")),
        "",
    );
    assert!(
        message.starts_with("r.urdf:4:1: two links are named `arm`: the first is at "),
        "{message}"
    );
}

#[test]
fn invalid_urdf_joints_are_rejected() {
    let floating = "r.urdf:3:1: a joint of type `floating` is not supported: the base can float (`base: floating`), and \
                    any other floating body must be a separate robot or prop";
    check("floating", &robot(&joint("floating", "")), floating);
    let planar = "r.urdf:3:1: a joint of type `planar` is not supported; write two prismatic joints and a continuous one";
    check("planar", &robot(&joint("planar", "")), planar);
    check(
        "kind",
        &robot(&joint("rotary", "")),
        "r.urdf:3:1: `type` of <joint>: expected one of `revolute`, `continuous`, `prismatic`, `fixed`, found `rotary`",
    );
    check(
        "limit",
        &robot(&joint("revolute", "")),
        "r.urdf:3:1: the revolute joint `j` has no <limit lower=\"\" upper=\"\" effort=\"\" velocity=\"\"/>",
    );
    check(
        "limits",
        &robot(&joint("prismatic", "\n<limit lower='1' upper='0'/>")),
        "r.urdf:4:1: the joint `j`: `lower` is 1; expected at most `upper` 0",
    );
    for key in ["effort", "velocity"] {
        check(
            key,
            &robot(&joint("continuous", &format!("\n<limit {key}='-1'/>"))),
            &format!("r.urdf:4:1: `{key}` of <limit>: expected a number of 0 or more, found -1"),
        );
    }
    check(
        "axis",
        &robot(&joint("continuous", "\n<axis xyz='0 0 0'/>")),
        "r.urdf:4:1: the axis of the joint `j` has zero length",
    );
    check(
        "damping",
        &robot(&joint("continuous", "\n<dynamics damping='-1'/>")),
        "r.urdf:4:1: `damping` of <dynamics>: expected a number of 0 or more, found -1",
    );
    let mimic = |name: &str| robot(&joint("continuous", &format!("\n<mimic joint='{name}'/>")));
    check(
        "mimic",
        &mimic("k"),
        "r.urdf:4:1: the joint `j` mimics the missing joint `k`; there are none",
    );
    check(
        "itself",
        &mimic("j"),
        "r.urdf:4:1: the joint `j` mimics itself; expected another joint",
    );
    let follower = |name: &str, leader: &str| {
        format!(
            "\n<link name='{name}'>{INERTIAL}</link>\n<joint name='{name}_joint' type='continuous'><parent link='base'/><child link='{name}'/><mimic joint='{leader}_joint'/></joint>"
        )
    };
    let links = follower("a", "c") + &follower("b", "a") + &follower("c", "b");
    let loop_of_three = messages("circle", &robot(&(joint("fixed", "") + &links)), "");
    let lines: Vec<&str> = loop_of_three.lines().collect();
    let [a, _, _] = lines.as_slice() else {
        panic!("{loop_of_three}");
    };
    assert_eq!(
        *a,
        "r.urdf:5:79: the joints that `a_joint` follows form a loop; expected one of them to move by itself"
    );
}

#[test]
fn links_without_mass_are_rejected() {
    let without = |link: &str, kind: &str| {
        format!(
            "<robot name='r'><link name='base'>{INERTIAL}</link>\n{link}\n{}</robot>",
            joint(kind, "")
        )
    };
    check(
        "massless",
        &without("<link name='arm'/>", "continuous"),
        "r.urdf:2:1: the link `arm` is movable, but neither it nor the links fixed to it have a mass; expected <inertial> with a positive mass",
    );
    check("fixed", &without("<link name='arm'/>", "fixed"), "accepted");
    let singular = "<link name='arm'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='1' ixz='0' iyz='0'/></inertial></link>";
    check(
        "singular",
        &without(singular, "continuous"),
        "r.urdf:2:18: the inertia of arm, which moves, is not positive definite; expected positive principal moments, found 0.000e0 kg m2; correct the inertia or fix its joint: `joint: {kind: fixed}`",
    );
    let point = "<link name='arm'><inertial><mass value='1'/><inertia ixx='0' iyy='0' izz='0'/></inertial></link>";
    check("point_fixed", &without(point, "fixed"), "accepted");
    check(
        "point",
        &without(point, "continuous"),
        "r.urdf:2:18: the inertia of arm, which moves, is not positive definite; expected positive principal moments, found `xx` (`ixx` of a URDF) 0; correct the inertia or fix its joint: `joint: {kind: fixed}`",
    );
    check(
        "negative",
        &without(&point.replace("ixx='0'", "ixx='-1'"), "fixed"),
        "r.urdf:2:18: `ixx` of the link `arm`: expected at least 0, found -1",
    );
    check(
        "base",
        "<robot name='r'>\n<link name='world'/></robot>",
        "r.urdf:2:1: the root link `world` represents the world, to which the robot is fixed; write `base: fixed` in its model, or remove the link",
    );
}

#[test]
fn keys_of_the_model_beside_a_urdf() {
    let good = robot(&joint("continuous", ""));
    let says = |name: &str, model: &str| messages(name, &good, &format!("      {model}\n"));
    assert_eq!(
        says("link", "hydrodynamics: {links: {bases: {volume_m3: 1}}}"),
        "w.yaml:5:31: no link `bases` in the URDF; did you mean `base`?"
    );
    assert_eq!(
        says("volume", "hydrodynamics: {links: {arm: {volume_m3: -1}}}"),
        "w.yaml:5:48: `volume_m3`: expected a non-negative number [m3], found `-1`"
    );
    assert_eq!(
        says(
            "drive",
            "links: {arm: {joint: {drive: {kind: position, max_speed: 2}}}}"
        ),
        "accepted"
    );
    assert_eq!(
        says("sensor", "sensors: {imu: {device: truth, link: arm}}"),
        "accepted"
    );
    let plain = crate::input::plain("hydrodynamics: {estimate: none}");
    crate::input::check(
        &plain,
        "w.yaml:6:22: `hydrodynamics` has no effect without `urdf`; write it in `body` and in the bodies of the `links`",
    );
    let gone = messages("gone", &good, "").len();
    assert_eq!(gone, "accepted".len());
    crate::input::check(
        "robots: {r: {model: {urdf: none.urdf}}}",
        "w.yaml:1:28: no file `none.urdf`, looked next to `w.yaml` and in Merrow's data folders",
    );
}

/// Names of links that ROS topics do not allow are mapped at load, and frames are unique.
#[test]
fn link_names_are_valid_in_topics() {
    let renamed = |name: &str| {
        let urdf = robot(&joint("continuous", "")).replace("'arm'", &format!("'{name}'"));
        let world = "robots:\n  r:\n    model: {urdf: r.urdf}\n";
        let folder = Folder::new("renamed", &[("w.yaml", world), ("r.urdf", &urdf)]);
        let loaded = load_world(&folder.0.join("w.yaml"), Overrides::default());
        let world = loaded.unwrap_or_else(|p| panic!("{p}"));
        let note = world
            .notes
            .iter()
            .find(|note| note.text.contains("is called"));
        (
            world.scene.robots[0].links[1].name.clone(),
            note.map(|note| (note.place.line, note.text.clone())),
        )
    };
    for (written, expected) in [
        ("tool-tip", "tool_tip"),
        ("tool.tip", "tool_tip"),
        ("1st/2nd", "_1st/_2nd"),
        ("/arm//Tip/", "arm/Tip"),
    ] {
        let text = format!(
            "the link `{written}` is called `{expected}`, because ROS topics allow letters, digits, `_` and `/`"
        );
        assert_eq!(renamed(written), (expected.to_string(), Some((2, text))));
    }
    assert_eq!(renamed("tool/Tip"), ("tool/Tip".to_string(), None));
    let both = robot(&(joint("continuous", "") + "\n<link name='a-b'/>\n<link name='a_b'/>"));
    let message = messages("mapped_twice", &both, "");
    assert!(
        message.starts_with("r.urdf:5:1: two links are named `a_b`: the first is at "),
        "{message}"
    );
    let good = robot(&joint("continuous", ""));
    let says = |name: &str, model: &str| messages(name, &good, &format!("      {model}\n"));
    assert_eq!(
        says("frame", "sensors: {arm: {device: truth, link: arm}}"),
        "w.yaml:5:22: the sensor has the frame `arm` of a link; expected a unique name; rename the sensor"
    );
    let camera = good.replace("'arm'", "'cam_optical_frame'");
    assert_eq!(
        messages(
            "optical",
            &camera,
            "      sensors: {cam: {device: uav_camera}}\n"
        ),
        "w.yaml:5:22: the sensor has the frame `cam_optical_frame` of a link; expected a unique name; rename the sensor"
    );
    crate::input::check(
        &crate::input::plain("links: {tool-tip: {parent: base_link, joint: {kind: fixed}}}"),
        "w.yaml:6:25: the link `tool-tip`: expected a name of letters, digits and `_` between slashes, no part starting with a digit, of at most 128 characters",
    );
}
