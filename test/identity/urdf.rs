//! Tests that a robot from URDF moves as the same robot from a world file, and that typical URDF
//! files load.
//!
//! No value changes by conversion to URDF. Method: the bundled models written as URDF and read
//! back; hand-written URDF files compared with bodies whose values were calculated by hand.
//! Tolerance: rounding, as stated at each test.

use crate::common::folder::Folder;
use crate::common::tree::Random;
use crate::common::{close, close_vectors, evaluate, start};
use merrow_math::{Quat, SpatialVelocity, Vec3};
use merrow_model::scene::{Damping, Geometry, JointKind, Link, Scene};
use merrow_model::state::Motion;
use merrow_world::{Overrides, World, load_world};
use std::collections::HashSet;
use std::fmt::Write;
use std::path::PathBuf;

/// Loads the world `w.yaml` of a folder with these files.
fn load_files(name: &str, files: &[(&str, &str)]) -> World {
    let folder = Folder::new(&format!("urdf_{name}"), files);
    load_world(&folder.0.join("w.yaml"), Overrides::default()).unwrap_or_else(|p| panic!("{p}"))
}

/// Loads a world with the robot of `r.urdf`, further keys of its model and of the world.
fn load(name: &str, urdf: &str, model: &str, world: &str) -> World {
    let text = format!(
        "{world}\nrobots:\n  r:\n    model:\n      urdf: r.urdf\n      {model}\n    position_m: [0, 0, -50]\n"
    );
    load_files(name, &[("w.yaml", &text), ("r.urdf", urdf)])
}

const VACUUM: &str = "water: {density_kg_m3: 0}";

fn inertial(mass: f64) -> String {
    format!(
        "<inertial><mass value='{mass}'/><inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial>"
    )
}

/// Returns the hydrodynamics of a link as keys of a URDF robot.
fn hydrodynamics(link: &Link) -> String {
    let R_UL = link.R_LU.transpose();
    let list = |v: &[f64]| {
        format!(
            "[{}]",
            v.iter()
                .map(|x| format!("{x}"))
                .collect::<Vec<_>>()
                .join(", ")
        )
    };
    let point = |p: Vec3| list(&R_UL.mul_vec(p).to_array());
    let m = link.added.to_parent(&R_UL, Vec3::zero()).to_matrix();
    let rows: Vec<String> = (0..6)
        .map(|i| {
            list(&std::array::from_fn::<f64, 6, _>(|j| {
                m[(i + 3) % 6][(j + 3) % 6]
            }))
        })
        .collect();
    let damping = |d: &Damping| match d {
        Damping::Zero => "none".to_string(),
        Damping::Diagonal(d) => {
            let values = list(&std::array::from_fn::<f64, 6, _>(|i| d[(i + 3) % 6]));
            format!("{{kind: diagonal, values: {values}}}")
        }
        Damping::Full(_) => panic!("no shipped model has one"),
    };
    let mut text = format!(
        "{{volume_m3: {}, center_of_buoyancy_m: {}, damping_point_m: {}, added_mass: {{kind: matrix, rows: [{}]}}, \
         linear_damping: {}, quadratic_damping: {}",
        link.volume_m3,
        point(link.p_LoCb),
        point(link.p_LoD),
        rows.join(", "),
        damping(&link.linear_damping),
        damping(&link.quadratic_damping),
    );
    if link.trim.force != 0.0 {
        let at = point(link.trim.moment_arm.scale(1.0 / link.trim.force));
        write!(
            text,
            ", loads: {{all: {{force_n: {}, position_m: {at}}}}}",
            link.trim.force
        )
        .unwrap();
    }
    text + "}"
}

/// Returns the accelerations of base and joints in a random motion, with the joints in the order of
/// `names`.
fn accelerations(scene: &Scene, seed: u64, names: &[&str]) -> Vec<f64> {
    let robot = &scene.robots[0];
    let mut random = Random::new(seed);
    let mut motion = Motion::at_rest(robot.n_joints());
    motion.q_WB = random.attitude();
    motion.p_WB = Vec3::new(1.0, 2.0, -50.0);
    motion.V_WB_B = SpatialVelocity {
        w: random.vector(1.0),
        v: random.vector(1.0),
    };
    let joint = |name: &&str| {
        robot
            .links
            .iter()
            .position(|l| l.joint.name == **name)
            .unwrap()
            - 1
    };
    for j in names.iter().map(joint) {
        (motion.q[j], motion.qd[j]) = (random.between(0.2, 1.0), random.between(-1.0, 1.0));
    }
    let work = evaluate(scene, &motion);
    let A = work.links[0].A;
    let joints = names.iter().map(joint).map(|j| work.qdd[j]);
    A.w.to_array()
        .into_iter()
        .chain(A.v.to_array())
        .chain(joints)
        .collect()
}

/// The round trip: the vehicle with its arm as `merrow describe --urdf` writes it, with its
/// hydrodynamics added.
#[test]
fn uvms_urdf_round_trip() {
    let joints = ["base", "shoulder", "elbow", "wrist"];
    let effort = "{joint: {drive: {kind: effort}}}";
    let world =
        "water: {density_kg_m3: 997, current: {kind: uniform, speed_m_s: 0.3, direction_deg: 70}}";
    let model = format!(
        "{{extends: robots/osu_uvms.yaml, links: {{shoulder: {effort}, upperarm: {effort}, elbow: {effort}, wrist: {effort}}}}}"
    );
    let ours = crate::common::scene(&format!(
        "{world}\nrobots: {{osu_uvms: {{model: {model}, position_m: [0, 0, -50]}}}}\n"
    ));
    let robot = &ours.robots[0];
    let links: Vec<String> = robot
        .links
        .iter()
        .map(|l| format!("{}: {}", l.name, hydrodynamics(l)))
        .collect();
    let urdf = merrow_messages::urdf::urdf(robot);
    let water = format!("hydrodynamics: {{links: {{{}}}}}", links.join(", "));
    let theirs = load("round_trip", &urdf, &water, world).scene;
    let (a, b) = (&robot.links, &theirs.robots[0].links);
    assert_eq!(
        a.iter().map(|l| &l.name).collect::<Vec<_>>(),
        b.iter().map(|l| &l.name).collect::<Vec<_>>()
    );
    for seed in 1..=10 {
        let (a, b) = (
            accelerations(&ours, seed, &joints),
            accelerations(&theirs, seed, &joints),
        );
        let size = a.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        for (x, y) in a.iter().zip(&b) {
            // Rounding in three changes of axes; the angles of the URDF equal the angles of the
            // model.
            assert!((x - y).abs() <= 1e-9 * size, "seed {seed}: {a:?}\n{b:?}");
        }
    }
    // Shapes are preserved too; the capsule as its bounding cylinder.
    assert_eq!(theirs.robots[0].colliders.len(), robot.colliders.len());
    close_vectors(
        "place of the jaw",
        theirs.robots[0].colliders[6].p_LoG,
        robot.colliders[6].p_LoG,
        1e-9,
    );
}

/// The description has every frame of the tree at the same pose. Method: links and joints of the
/// URDF of every robot of two worlds with cameras, sonars, a DVL and a tilting laser, compared with
/// /tf_static. Tolerance: rounding of the angles.
#[test]
fn description_contains_all_frames() {
    use merrow_messages::frames;
    let mut turned = 0;
    for name in ["harbour_inspection", "riverwatch"] {
        let path = merrow_world::data_dir::world_file(name);
        let scene = load_world(&path, Overrides::default()).unwrap().scene;
        let urdf: String = scene
            .robots
            .iter()
            .map(merrow_messages::urdf::urdf)
            .collect();
        for t in frames::static_frames(&scene).transforms {
            let (parent, child) = (&t.header.frame_id, &t.child_frame_id);
            if parent == "world" {
                continue;
            }
            assert!(
                urdf.contains(&format!("<link name=\"{child}\"")),
                "{name}: no link {child}"
            );
            let ends = format!("<parent link=\"{parent}\"/><child link=\"{child}\"/>");
            let joint = urdf
                .split(&ends)
                .nth(1)
                .unwrap_or_else(|| panic!("{name}: no {ends}"));
            let numbers = |key: &str| -> Vec<f64> {
                let text = joint
                    .split(&format!("{key}=\""))
                    .nth(1)
                    .unwrap()
                    .split('"')
                    .next()
                    .unwrap();
                text.split(' ')
                    .map(|number| number.parse().unwrap())
                    .collect()
            };
            let (p, a) = (numbers("xyz"), numbers("rpy"));
            let (q, r) = (&t.transform.rotation, Quat::from_rpy(a[0], a[1], a[2]));
            let same = (q.w * r.w + q.x * r.x + q.y * r.y + q.z * r.z).abs();
            assert!((same - 1.0).abs() < 1e-9, "{child}: {q:?} {r:?}");
            let v = &t.transform.translation;
            assert!(
                (v.x - p[0]).abs() + (v.y - p[1]).abs() + (v.z - p[2]).abs() < 1e-12,
                "{child}"
            );
            turned +=
                usize::from(child.ends_with("_optical_frame") || child.ends_with("_acoustic"));
        }
    }
    assert!(turned >= 5, "{turned} frames of cameras, sonars and DVLs");
}

/// Every bundled URDF has one root link, which is massless: KDL ignores the inertia of a root link.
#[test]
fn root_links_of_shipped_urdfs_are_massless() {
    let names = |text: &str, key: &str| {
        let values = text.split(key).skip(1);
        let names = values.filter_map(|rest| Some(rest.split_once('"')?.0.to_string()));
        names.collect::<HashSet<_>>()
    };
    for name in merrow_world::data_dir::file_names("params/robots") {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("urdf/{name}.urdf"));
        let urdf = std::fs::read_to_string(path).unwrap();
        let links = names(&urdf, "<link name=\"");
        let children = names(&urdf, "child link=\"");
        let roots: Vec<_> = links.difference(&children).collect();
        assert_eq!(roots.len(), 1, "{name}: {roots:?}");
        // an element without content has no <inertial>
        let empty = format!("<link name=\"{}\"/>", roots[0]);
        assert!(urdf.contains(&empty), "{name}: {empty}");
    }
}

/// Every bundled URDF loads and has the mass of its model.
#[test]
fn shipped_urdfs_load() {
    for name in merrow_world::data_dir::file_names("params/robots") {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("urdf/{name}.urdf"));
        let urdf = std::fs::read_to_string(path).unwrap();
        let scene = load(
            &format!("shipped_{name}"),
            &urdf,
            "command_timeout_s: 1",
            "",
        )
        .scene;
        let model = crate::common::scene(&format!("robots: {{a: {{model: {name}}}}}"));
        // Fins, whose mass belongs to their link, and tilting lasers have a mass of a millionth of
        // a kilogram each.
        let nodded = model.robots[0]
            .sensors
            .iter()
            .filter(|sensor| sensor.kind.tilt().is_some())
            .count();
        let light = 1e-6 * (model.robots[0].fins.len() + nodded) as f64;
        close(
            &name,
            scene.robots[0].mass(),
            model.robots[0].mass() + light,
            1e-12,
        );
        assert!(!scene.robots[0].colliders.is_empty(), "{name}");
        // A URDF has no drives, but it has their limits.
        for link in &model.robots[0].links[1..] {
            let read = scene.robots[0]
                .links
                .iter()
                .find(|l| l.joint.name == link.joint.name)
                .unwrap();
            let (found, expected) = (read.joint.max_speed(), link.joint.max_speed().min(1000.0));
            assert_eq!(found, expected, "{name}, {}", link.joint.name);
        }
    }
}

/// Rotated inertial frames, massless frames and masses fixed to a massless base are merged
/// correctly. Method: values calculated by hand. Tolerance: 1e-14.
#[test]
fn fixed_masses_are_merged() {
    // A base without mass, as KDL requires; 2 kg at (1, 0, 0) in a frame rotated by 90 degrees
    // about z, its inertia in an inertial frame rotated by 90 degrees about x.
    let urdf = "<robot name='r'>
      <link name='base_link'/>
      <link name='base_inertia'>
        <inertial><origin xyz='0 0 1' rpy='1.5707963267948966 0 0'/><mass value='2'/>
          <inertia ixx='1' iyy='2' izz='2.5' ixy='0' ixz='0' iyz='0'/></inertial>
      </link>
      <link name='tool0'/>
      <joint name='j' type='fixed'><origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/>
        <parent link='base_link'/><child link='base_inertia'/></joint>
      <joint name='t' type='fixed'><origin xyz='0 0 3'/><parent link='base_inertia'/><child link='tool0'/></joint>
    </robot>";
    let world = load(
        "masses",
        urdf,
        "sensors: {imu: {device: truth, link: tool0}}",
        VACUUM,
    );
    let robot = &world.scene.robots[0];
    assert_eq!(robot.links.len(), 1);
    let base = &robot.links[0];
    assert_eq!(base.mass_kg, 2.0);
    close_vectors("centre", base.p_LoLcm, Vec3::new(1.0, 0.0, 1.0), 1e-15);
    // About the centre, in the inertial frame (1, 2, 2.5); about x: (1, 2.5, 2); about z: (2.5, 1,
    // 2); and 2 kg at (1, 0, 1).
    let I = base.rigid.A;
    for (found, expected) in [
        (I.xx, 2.5 + 2.0),
        (I.yy, 1.0 + 4.0),
        (I.zz, 2.0 + 2.0),
        (I.xz, -2.0),
        (I.xy, 0.0),
    ] {
        close("inertia", found, expected, 1e-14);
    }
    let tool = robot.attached.iter().find(|a| a.name == "tool0").unwrap();
    close_vectors("tool", tool.p_UoA_U, Vec3::new(1.0, 0.0, 3.0), 1e-15);
    close_vectors(
        "sensor",
        robot.sensors[0].p_LoS,
        Vec3::new(1.0, 0.0, 3.0),
        1e-15,
    );
}

/// A fixed-base arm swings as a pendulum. Method: the equation of the compound pendulum at one
/// angle.
#[test]
fn fixed_base_arm_is_a_pendulum() {
    let urdf = "<robot name='r'>
      <link name='world'/>
      <link name='Arm'><inertial><origin xyz='0 0 -0.5'/><mass value='3'/>
        <inertia ixx='0.2' iyy='0.2' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link>
      <joint name='J1' type='revolute'><origin xyz='0 0 2'/><parent link='world'/><child link='Arm'/>
        <axis xyz='0 2 0'/><limit lower='-3' upper='3' effort='10' velocity='1.5'/>
        <dynamics damping='0.4' friction='0.1'/></joint>
    </robot>";
    let world = load("pendulum", urdf, "base: fixed", VACUUM);
    let scene = &world.scene;
    let mut motion = start(scene, 0);
    (motion.q[0], motion.qd[0]) = (0.3, 0.5);
    let qdd = evaluate(scene, &motion).qdd[0];
    let inertia = 0.2 + 3.0 * 0.25;
    close(
        "acceleration",
        qdd,
        (-3.0 * 9.81 * 0.5 * 0.3_f64.sin() - 0.4 * 0.5) / inertia,
        1e-12,
    );
    let joint = &scene.robots[0].links[1].joint;
    assert_eq!(
        (joint.limits, joint.max_effort, joint.friction),
        ([-3.0, 3.0], 10.0, 0.1)
    );
    assert_eq!(joint.max_speed(), 1.5);
    // A drive added by the model respects the limit, and the written URDF contains it.
    let model = "base: fixed\n      links: {Arm: {joint: {drive: {kind: position, max_speed: 2}}}}";
    let driven = load("driven_pendulum", urdf, model, VACUUM);
    let robot = &driven.scene.robots[0];
    assert_eq!(robot.links[1].joint.max_speed(), 1.5);
    let written = merrow_messages::urdf::urdf(robot);
    assert!(
        written.contains("<limit lower=\"-3\" upper=\"3\" effort=\"10\" velocity=\"1.5\"/>"),
        "{written}"
    );
    assert_eq!(
        scene.robots[0].links[1].name, "Arm",
        "names need not be small letters"
    );
}

/// Appends a chain of `n` joints, each with a cylinder, attached to `parent`.
fn chain(text: &mut String, prefix: &str, parent: &str, n: usize) {
    let mut parent = parent.to_string();
    for k in 0..n {
        let (link, axis) = (format!("{prefix}_{k}"), ["1 0 0", "0 1 0", "0 0 1"][k % 3]);
        let shape = "<origin xyz='0.1 0 0' rpy='0 1.5707963267948966 0'/><geometry><cylinder radius='0.03' length='0.2'/></geometry>";
        write!(
            text,
            "<link name='{link}'><inertial><origin xyz='0.1 0 0'/><mass value='0.7'/>
               <inertia ixx='4e-4' iyy='3e-3' izz='3e-3' ixy='0' ixz='0' iyz='0'/></inertial>
               <collision>{shape}</collision><visual>{shape}<material name='grey'/></visual></link>
             <joint name='{link}_joint' type='continuous'><origin xyz='0.2 0 0'/><parent link='{parent}'/>
               <child link='{link}'/><axis xyz='{axis}'/><dynamics damping='0.05'/></joint>
             <transmission name='{link}_t'><type>simple</type></transmission><gazebo reference='{link}'/>"
        )
        .unwrap();
        parent = link;
    }
}

/// A robot with forty joints on several arms loads, estimates its hydrodynamics, and runs without a
/// halt. Method: a URDF with two arms and a chain, 500 steps.
#[test]
fn forty_joints_on_two_arms_and_a_chain() {
    let mut urdf = format!("<robot name='many'><link name='hull'>{}", inertial(30.0));
    urdf += "<collision><geometry><box size='0.6 0.4 0.12'/></geometry></collision></link>";
    for (name, n) in [("left", 7), ("right", 7), ("tail", 26)] {
        chain(&mut urdf, name, "hull", n);
    }
    urdf += "</robot>";
    let world = load("forty", &urdf, "self_collision: false", "");
    let robot = &world.scene.robots[0];
    assert_eq!((robot.n_joints(), robot.colliders.len()), (40, 41));
    assert_eq!(robot.links[0].name, "hull");
    assert!(
        robot
            .links
            .iter()
            .all(|l| l.added.D.xx > 0.0 && l.wet && l.volume_m3 > 0.0)
    );
    // A cylinder along x, 0.1 m from its joint, couples sway with yaw.
    let left = &robot.links[1];
    let added = left
        .added
        .to_parent(&left.R_LU.transpose(), Vec3::zero())
        .to_matrix();
    close("coupling", added[2][4], 0.1 * added[4][4], 1e-12);
    let notes: Vec<String> = world.notes.iter().map(|n| n.text.clone()).collect();
    assert_eq!(notes.len(), 3, "{notes:?}");
    assert_eq!(
        notes[0],
        "the element `<transmission>` is not used, here and 39 more times"
    );
    let estimated = &world.models[0].sources[2];
    assert_eq!(
        estimated.2,
        "volume, centre of buoyancy, hull, added mass, quadratic damping: from formulas for simple shapes (cylinder)"
    );
    let mut simulation = merrow_sim::Simulation::new(std::sync::Arc::new(world.scene), 1).unwrap();
    simulation.advance(500);
    assert!(simulation.state.robots[0].halted.is_none());
}

/// The jaws of a gripper move together. Method: a URDF with a mimic joint and an explicit ratio.
#[test]
fn mimic_joints_and_given_hydrodynamics() {
    let finger = |name: &str, mimic: &str, axis: &str| {
        format!(
            "<link name='{name}'>{}<collision><geometry><sphere radius='0.02'/></geometry></collision></link>
             <joint name='{name}_joint' type='prismatic'><parent link='hand'/><child link='{name}'/><axis xyz='{axis}'/>
             <limit lower='0' upper='0.1' effort='0' velocity='0'/>{mimic}</joint>",
            inertial(0.1)
        )
    };
    let urdf = format!(
        "<robot name='g'><link name='hand'>{}<collision><geometry><mesh filename='package://tools/m.obj' scale='2 2 2'/></geometry></collision></link>{}{}</robot>",
        inertial(2.0),
        finger("left", "", "0 1 0"),
        finger(
            "right",
            "<mimic joint='left_joint' multiplier='2' offset='0.01'/>",
            "0 -1 0"
        ),
    );
    let text = "robots:\n  r:\n    joint_positions: {left_joint: 0.02}\n    model:\n      urdf: package://robots/r.urdf\n      \
                hydrodynamics: {source: measured, links: {hand: {net_buoyancy_n: 0, added_mass: {kind: diagonal, values: [1, 2, 3, 0, 0, 0]}}}}\n";
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let world = load_files(
        "mimic",
        &[
            ("w.yaml", text),
            ("robots/r.urdf", &urdf),
            ("tools/m.obj", mesh),
        ],
    );
    let robot = &world.scene.robots[0];
    let right = robot.link_index("right").unwrap();
    let mimic = robot.links[right].joint.mimic.unwrap();
    assert_eq!(
        (mimic.leader, mimic.multiplier, mimic.offset),
        (robot.link_index("left").unwrap(), 2.0, 0.01)
    );
    assert_eq!(start(&world.scene, 0).q, [0.02, 0.05]);
    let hand = &robot.links[0];
    assert_eq!(
        [hand.added.D.xx, hand.added.D.yy, hand.added.D.zz],
        [1.0, 2.0, 3.0]
    );
    close("neutral", hand.volume_m3 * 1025.0, 2.0, 1e-12);
    // The mesh is a corner of a cube of 2 m; its centroid is at a quarter along each edge.
    close_vectors("centre", hand.p_LoCb, Vec3::new(0.5, 0.5, 0.5), 1e-12);
    assert!(
        matches!(&robot.colliders[0].geometry, Geometry::ConvexHull(m) if m.vertices.iter().any(|v| v.x == 2.0))
    );
    assert_eq!(robot.links[right].joint.kind, JointKind::Prismatic);
    assert_eq!(
        world.models[0].sources[1].2,
        "centre of buoyancy, hull, quadratic damping: from formulas for simple shapes (mesh as an ellipsoid with equal moments)"
    );
    assert!(
        world.models[0].sources[1]
            .1
            .ends_with("r.urdf; hydrodynamics: measured")
    );
    for key in ["effort", "velocity"] {
        let text = format!("a limit of {key} of 0 means no limit, here and 1 more times");
        let notes = &world.notes;
        assert!(notes.iter().any(|n| n.text == text), "{text}: {notes:?}");
    }
}

// Idioms of public descriptions load: joints without motion are fixed, `/` at the start of a name
// is no part of it, colours of 0 to 255 are limited, and a joint without inertia beyond it can be
// fixed by a key. Method: links, and notes with their places.
#[test]
fn public_idioms_are_read() {
    let link = |name: &str, inertia: &str| {
        format!(
            "<link name='{name}'><inertial><mass value='1'/><inertia ixx='{inertia}' iyy='{inertia}' izz='{inertia}'/></inertial></link>"
        )
    };
    let joint = |name: &str, kind: &str, rest: &str| {
        format!(
            "<joint name='/{name}_joint' type='{kind}'><parent link='base'/><child link='{name}'/><axis xyz='1 0 0'/>{rest}</joint>"
        )
    };
    let urdf = format!(
        "<robot name='r'>{}{}{}{}{}{}{}{}{}\n<material name='white'><color rgba='255 255 255 1'/></material></robot>",
        link("base", "5"),
        link("/camera", "1e-8"),
        joint(
            "camera",
            "revolute",
            "<limit lower='0' upper='0' effort='0' velocity='0'/>"
        ),
        link("hinge", "1"),
        joint("hinge", "revolute", "<limit lower='-1' upper='1'/>"),
        link("follower", "1"),
        joint("follower", "continuous", "<mimic joint='/hinge_joint'/>"),
        link("propeller", "0"),
        joint("propeller", "continuous", "")
    );
    let fixed = "links: {propeller: {joint: {kind: fixed}}}";
    let world = load("idioms", &urdf, fixed, "");
    let robot = &world.scene.robots[0];
    let names: Vec<&str> = robot.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["base", "hinge", "follower"]);
    assert_eq!(robot.links[0].mass_kg, 3.0);
    assert_eq!(robot.links[1].joint.name, "hinge_joint");
    assert_eq!(robot.links[2].joint.mimic.unwrap().leader, 1);
    for text in [
        "a joint whose two limits are 0 is fixed",
        "`rgba` of <color> is limited to four numbers from 0 to 1",
    ] {
        let notes = &world.notes;
        assert!(notes.iter().any(|n| n.text == text), "{text}: {notes:?}");
    }
}

// A ROS package is found by the name in its `package.xml`, regardless of the folder name. Method: a
// package in a folder with another name next to the world, whose URDF refers to a mesh in the
// package; another folder declares another name.
#[test]
fn packages_are_found_by_their_declared_names() {
    let package = |name: &str| {
        format!(
            "<?xml version='1.0'?>\n<package format='3'>\n  <name> {name} </name>\n</package>\n"
        )
    };
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let urdf = format!(
        "<robot name='g'><link name='hand'>{}<collision><geometry><mesh filename='package://hand_description/meshes/m.obj'/></geometry></collision></link></robot>",
        inertial(2.0)
    );
    let text = "robots: {r: {model: {urdf: 'package://hand_description/urdf/r.urdf'}}}\n";
    let world = load_files(
        "declared",
        &[
            ("w.yaml", text),
            ("a-fork/package.xml", &package("arm_description")),
            ("hand-main/package.xml", &package("hand_description")),
            ("hand-main/urdf/r.urdf", &urdf),
            ("hand-main/meshes/m.obj", mesh),
        ],
    );
    assert_eq!(world.scene.robots[0].colliders.len(), 1);
}
