//! Conversion of the files of a robot to links, actuators and sensors.

pub mod actuator;
pub mod body;
pub mod collision;
pub mod fin;
pub mod firmware;
pub mod hull;
pub mod joint;
pub mod merge_fixed;
pub mod radiation;
pub mod waterline;

use crate::ModelInfo;
use crate::build::energy;
use crate::build::robot::body::WaterAndGravity;
use crate::build::robot::collision::Mount;
use crate::import::assets::Assets;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::robot::joint::Mimic;
use merrow_model::scene::{
    Collider, Drive, Joint, JointKind, Link, Material, Robot, Start, ThrustAllocation,
    TrajectoryRules,
};
use merrow_physics::dynamics::mimic::MIMICS_MAX;
use merrow_schema::contact::PropEntry;
use merrow_schema::sensor::camera;
use merrow_schema::sensor::inertial;
use merrow_schema::sensor::{self, WorldValues};
use merrow_schema::servo::TrajectoryConfig;
use merrow_schema::urdf::HydrodynamicsConfig;
use merrow_schema::{
    BASE_LINK, Base, Body, JointConfig, JointKindConfig, LinkConfig, RobotEntry, RobotModel,
};
use merrow_sim::control::firmware::allocation;
use merrow_yaml::error::{Place, Problems, did_you_mean, quote, quoted_list};
use merrow_yaml::read::NamedMap;

/// Context from the world that is needed to build a robot.
#[derive(Clone, Copy, Debug)]
pub struct BuildContext<'a> {
    /// Gravity, and density and depth of the water.
    pub around: WaterAndGravity,
    /// Time step, seed and tracers of the world.
    pub world: WorldValues<'a>,
    /// Loader of meshes and other files besides the world file.
    pub(crate) assets: &'a Assets,
}

/// Builds the robot `name`, displaced by `offset` [m], W, from the position in its entry.
pub fn build_robot(
    name: &str,
    entry: &RobotEntry,
    offset: Vec3,
    frame: BuildContext<'_>,
    problems: &mut Problems,
) -> Robot {
    let model = &entry.model;
    let links = build_links(model, frame, problems);
    let start = build_start(entry, offset, &links, problems);
    let [colliders, visuals] = build_shapes(model, &links, frame.assets, problems);
    let mut robot = Robot {
        name: name.to_string(),
        model: model.description.clone(),
        floating: model.base == Base::Floating,
        attached: Vec::new(),
        thrusters: Vec::new(),
        fins: Vec::new(),
        buoyancy_engines: Vec::new(),
        winches: Vec::new(),
        allocation: None,
        sensors: Vec::new(),
        battery: model
            .battery
            .as_ref()
            .map(|b| energy::build_battery(b, problems)),
        loads: energy::build_loads(&model.loads),
        lamps: Vec::new(),
        solar: Vec::new(),
        colliders,
        visuals,
        contact_wrenches: Vec::new(),
        self_collision: model.self_collision,
        joint_groups: Vec::new(),
        trajectory_rules: TrajectoryRules::default(),
        keep_out: None,
        servos: false,
        start,
        base_factor: None,
        inflow: false,
        rotors: false,
        firmware: None,
        mimics: Vec::new(),
        links,
    };
    for (name, file) in model.thrusters.iter() {
        let link = find_link(
            &robot.links,
            &file.link,
            file.at.key_place("link"),
            problems,
        );
        robot.thrusters.push(actuator::build_thruster(
            name,
            file,
            link,
            &robot.links,
            frame.world.dt,
            problems,
        ));
    }
    for (sensor_name, file) in model.sensors.iter() {
        let link = find_link(
            &robot.links,
            &file.link,
            file.at.key_place("link"),
            problems,
        );
        let made = sensor::build_sensor(sensor_name, file, link, &robot, frame.world, problems);
        robot.sensors.push(made);
    }
    inertial::set_aids(&model.sensors, &mut robot.sensors, problems);
    for (lamp, file) in model.lamps.iter() {
        let link = find_link(
            &robot.links,
            &file.link,
            file.at.key_place("link"),
            problems,
        );
        let lamp = camera::lamp(
            lamp,
            file,
            (link, &robot.links[link]),
            &robot.loads,
            problems,
        );
        robot.lamps.push(lamp);
    }
    for (panel, file) in model.solar_panels.iter() {
        let link = find_link(
            &robot.links,
            &file.link,
            file.at.key_place("link"),
            problems,
        );
        robot.solar.push(energy::build_solar_panel(
            panel,
            file,
            link,
            &robot.links[link],
            problems,
        ));
    }
    energy::check_battery_present(model, problems);
    for (fin_name, file) in model.fins.iter() {
        let link = find_link(
            &robot.links,
            &file.link,
            file.at.key_place("link"),
            problems,
        );
        let fin = fin::build_fin(fin_name, file, link, &robot, frame.world.dt, problems);
        robot.fins.push(fin);
    }
    for (name, file) in model.buoyancy_engines.iter() {
        let link = find_link(
            &robot.links,
            &file.link,
            file.at.key_place("link"),
            problems,
        );
        robot.buoyancy_engines.push(actuator::build_buoyancy_engine(
            name,
            file,
            link,
            &robot.links,
            problems,
        ));
    }
    for (k, (_, file)) in model.thrusters.iter().enumerate() {
        let Some(azimuth) = &file.azimuth else {
            continue;
        };
        let turns = fin::build_azimuth_servo(k, file, azimuth, &robot, frame.world.dt, problems);
        robot.thrusters[k].azimuth = Some(robot.fins.len());
        robot.fins.push(turns);
    }
    if !robot.thrusters.is_empty() {
        let columns = allocation::unit_wrenches(&robot, &poses_at_rest(&robot.links));
        let allocation = allocation::pseudo_inverse(&columns);
        robot.allocation = Some(ThrustAllocation {
            matrix: allocation,
            timeout_s: model.command_timeout_s,
        });
    }
    waterline::apply_waterline(&mut robot, model, frame.around, problems);
    merge_fixed::merge_fixed_links(&mut robot);
    for name in &model.contact_wrenches {
        let attached = || {
            robot
                .attached
                .iter()
                .find(|a| a.name == *name)
                .map(|a| a.link)
        };
        match robot.link_index(name).or_else(attached) {
            Some(link) => robot.contact_wrenches.push(link),
            None => {
                let hint = did_you_mean(name, robot.links.iter().map(|l| l.name.as_str()));
                problems.push(
                    model.at.key_place("contact_wrenches"),
                    format!("no link {}{hint}", quote(name)),
                );
            }
        }
    }
    joint::build_joint_extras(&mut robot, model, frame, problems);
    robot.firmware = model
        .firmware
        .as_ref()
        .map(|f| firmware::build_firmware(f, &robot, frame.world.dt, problems));
    robot.update_derived();
    robot
}

/// Converts a prop to a robot entry with one link, without actuators and sensors.
pub(crate) fn prop_as_robot(entry: &PropEntry) -> RobotEntry {
    RobotEntry {
        model: RobotModel {
            description: entry.body.description.clone(),
            source: entry.body.source.clone(),
            unstable_course: String::new(),
            urdf: None,
            hydrodynamics: HydrodynamicsConfig::empty(&entry.at),
            root: BASE_LINK.to_string(),
            base: Base::Floating,
            body: entry.body.clone(),
            links: NamedMap::default(),
            joint_groups: NamedMap::default(),
            trajectories: TrajectoryConfig {
                allow_partial_joints: false,
                allow_stalling: false,
                allow_moving_end: false,
                path_tolerance: 0.0,
                goal_tolerance: 0.0,
                stopped_speed: 0.01,
                goal_time_s: 0.0,
                stall_time_s: 1.0,
                stall_speed: 0.001,
                gripper_tolerance: 0.01,
                at: entry.at.clone(),
            },
            keep_out: None,
            contact_wrenches: Vec::new(),
            self_collision: false,
            thrusters: NamedMap::default(),
            fins: NamedMap::default(),
            buoyancy_engines: NamedMap::default(),
            command_timeout_s: None,
            sensors: NamedMap::default(),
            battery: None,
            loads: NamedMap::default(),
            lamps: NamedMap::default(),
            solar_panels: NamedMap::default(),
            firmware: None,
            at: entry.at.clone(),
        },
        position_m: entry.position_m,
        attitude_deg: entry.attitude_deg,
        velocity_m_s: entry.velocity_m_s,
        angular_velocity_rad_s: entry.angular_velocity_rad_s,
        joints_rad: NamedMap::default(),
        repeat: entry.repeat.clone(),
        at: entry.at.clone(),
    }
}

/// Returns the collision shapes and the visual shapes of all links, in the order of the links.
fn build_shapes(
    model: &RobotModel,
    links: &[Link],
    assets: &Assets,
    problems: &mut Problems,
) -> [Vec<Collider>; 2] {
    let others = model.links.iter().map(|(_, file)| file.body.as_ref());
    let bodies = std::iter::once(Some(&model.body)).chain(others);
    let on_link = |(k, (link, body)): (usize, (&Link, Option<&Body>))| {
        let Some(body) = body else {
            return [Vec::new(), Vec::new()];
        };
        let mount = Mount {
            name: &link.name,
            link: k,
            R: link.R_LU,
            p: Vec3::zero(),
            axes: body.axes,
            is_moving: k > 0 || model.base == Base::Floating,
            is_structure: false,
            is_visual: false,
            material: Material::default(),
        };
        [
            collision::build_colliders(&body.collisions, mount, assets, problems),
            collision::build_visuals(&body.visuals, mount, assets, problems),
        ]
    };
    let mut all = [Vec::new(), Vec::new()];
    for of_link in links.iter().zip(bodies).enumerate().map(on_link) {
        all.iter_mut()
            .zip(of_link)
            .for_each(|(all, some)| all.extend(some));
    }
    all
}

/// Returns the description of a model and the sources of its values.
pub(crate) fn model_sources(model: &RobotModel) -> ModelInfo {
    let mut sources = vec![("robot".to_string(), model.source.clone(), String::new())];
    let mut add = |what: String, source: &str, estimated: &str| {
        sources.push((what, source.to_string(), estimated.to_string()));
    };
    add("body".into(), &model.body.source, &model.body.estimated);
    for (name, link) in model.links.iter() {
        if let Some(body) = &link.body {
            add(format!("link {name}"), &body.source, &body.estimated);
        }
    }
    for (name, thruster) in model.thrusters.iter() {
        add(
            format!("thruster {name}"),
            &thruster.motor.source,
            &thruster.motor.estimated,
        );
    }
    for (name, fin) in model.fins.iter() {
        add(
            format!("fin {name}"),
            &fin.surface.source,
            &fin.surface.estimated,
        );
    }
    for (name, ballast) in model.buoyancy_engines.iter() {
        add(
            format!("ballast {name}"),
            &ballast.source,
            &ballast.estimated,
        );
    }
    for (name, sensor) in model.sensors.iter() {
        add(
            format!("sensor {name}"),
            &sensor.device.source,
            &sensor.device.estimated,
        );
    }
    if let Some(battery) = &model.battery {
        add("battery".into(), &battery.source, &battery.estimated);
    }
    for (name, panel) in model.solar_panels.iter() {
        add(
            format!("solar panel {name}"),
            &panel.source,
            &panel.estimated,
        );
    }
    if let Some(firmware) = &model.firmware {
        let (source, estimated) = firmware.sources();
        add("firmware".into(), source, estimated);
    }
    ModelInfo {
        description: model.description.clone(),
        sources,
        unstable_course: model.unstable_course.clone(),
    }
}

fn build_links(model: &RobotModel, frame: BuildContext<'_>, problems: &mut Problems) -> Vec<Link> {
    let identity = Mat3::identity();
    let mut links = vec![body::build_link(
        &model.root,
        &model.body,
        (identity, None, Joint::base()),
        frame,
        problems,
    )];
    for (name, file) in model.links.iter() {
        let parent = find_link(&links, &file.parent, file.at.key_place("parent"), problems);
        let (joint, R_LU) = build_joint(name, file, &links[parent], problems);
        if name == model.root || links.iter().any(|l| l.joint.name == joint.name) {
            let taken = if name == model.root {
                name
            } else {
                &joint.name
            };
            problems.push(
                &file.at.whole,
                format!("the name {} is taken", quote(taken)),
            );
        }
        let link = match &file.body {
            Some(body) => {
                body::build_link(name, body, (R_LU, Some(parent), joint), frame, problems)
            }
            None => {
                if joint.kind != JointKind::Fixed {
                    let text = format!(
                        "missing key `body` in {}: only a fixed link can be a frame without a body",
                        quote(name)
                    );
                    problems.push(&file.at.whole, text);
                }
                body::frame_link(name, R_LU, parent, joint)
            }
        };
        links.push(link);
    }
    connect_mimics(model, &mut links, problems);
    let followers = links.iter().filter(|l| l.joint.mimic.is_some()).count();
    if followers > MIMICS_MAX {
        let text =
            format!("{followers} joints follow others, expected at most {MIMICS_MAX} of one robot");
        problems.push(&model.at.whole, text);
    }
    if model.urdf.is_none() && model.at.has_key("hydrodynamics") {
        let text = "`hydrodynamics` has no effect without `urdf`: write it in `body` and in the bodies of the `links`";
        problems.push(model.at.key_place("hydrodynamics"), text);
    }
    links
}

/// Connects joints that follow other joints to their leaders, once all joints are known.
fn connect_mimics(model: &RobotModel, links: &mut [Link], problems: &mut Problems) {
    for (k, (_, file)) in model.links.iter().enumerate() {
        let Some(mimic) = &file.joint.mimic else {
            continue;
        };
        let own = &links[k + 1].joint;
        let (place, name) = (mimic.at.key_place("joint"), quote(&own.name));
        let moves = |l: &Link| l.joint.kind != JointKind::Fixed && l.joint.name != own.name;
        let names = || {
            links[1..]
                .iter()
                .filter(|l| moves(l))
                .map(|l| l.joint.name.as_str())
        };
        let leader = links
            .iter()
            .position(|l| moves(l) && l.joint.name == mimic.joint);
        let follows = |leader: usize| model.links.0[leader - 1].1.joint.mimic.is_some();
        match leader {
            Some(_) if matches!(own.drive, Drive::Position { .. }) => {
                let text = format!(
                    "the joint {name} follows another: expected no position drive of its own"
                );
                problems.push(file.joint.at.key_place("drive"), text);
            }
            Some(leader) if leader > 0 && !follows(leader) && own.kind != JointKind::Fixed => {
                let (multiplier, offset) = (mimic.multiplier, mimic.offset);
                links[k + 1].joint.mimic = Some(Mimic {
                    leader,
                    multiplier,
                    offset,
                });
            }
            Some(_) => {
                let text = format!(
                    "the joint {name} cannot follow {}: expected two moving joints, and the other must not follow a joint",
                    quote(&mimic.joint)
                );
                problems.push(place, text);
            }
            None => {
                let hint = did_you_mean(&mimic.joint, names());
                problems.push(
                    place,
                    format!(
                        "the joint {name} follows {}, which is no joint that moves{hint}",
                        quote(&mimic.joint)
                    ),
                );
            }
        }
    }
}

/// Returns the joint in the link frame L of the parent, and the rotation of the child's user frame
/// in the child's link frame.
fn build_joint(
    name: &str,
    file: &LinkConfig,
    parent: &Link,
    problems: &mut Problems,
) -> (Joint, Mat3) {
    let j = &file.joint;
    let axis = Vec3::from(j.axis).unit().unwrap_or_else(|| {
        problems.push(
            j.at.key_place("axis"),
            format!(
                "the axis of the joint of {name} has no length, expected numbers that are not all 0"
            ),
        );
        Vec3::new(0.0, 0.0, 1.0)
    });
    let R_UL = Mat3::with_z_axis(axis);
    let [r, p, y] = j.attitude_rad;
    let R_PuCu = Mat3::from_rpy(r, p, y);
    let kind = match j.kind {
        JointKindConfig::Revolute => JointKind::Revolute,
        JointKindConfig::Continuous => JointKind::Continuous,
        JointKindConfig::Prismatic => JointKind::Prismatic,
        JointKindConfig::Fixed => JointKind::Fixed,
    };
    let mut joint = Joint {
        name: j.name.clone().unwrap_or_else(|| format!("{name}_joint")),
        kind,
        R_PC0: parent.R_LU.mul_mat(&R_PuCu).mul_mat(&R_UL),
        p_PoCo0: parent.R_LU.mul_vec(Vec3::from(j.position_m)),
        limits: joint_limits(name, j, kind, problems),
        max_effort: j.max_effort.unwrap_or(f64::INFINITY),
        speed_limit: j.max_speed.unwrap_or(f64::INFINITY),
        damping: j.damping,
        armature: j.armature,
        friction: j.friction,
        mimic: None,
        drive: joint::build_drive(name, j, problems),
    };
    if joint.friction > 0.0 && matches!(joint.drive, Drive::Position { .. }) {
        let text = format!(
            "the joint {} has friction, which its ideal position drive ignores; use a drive of the kind `servo`",
            joint.name
        );
        problems.note(j.at.key_place("friction"), text);
    }
    // A rotor behind a rigid gear moves with the joint.
    if let Some(servo) = joint.servo()
        && servo.actuator.elastic.is_none()
    {
        joint.armature += servo.actuator.rotor_inertia;
    }
    (joint, R_UL.transpose())
}

fn joint_limits(name: &str, j: &JointConfig, kind: JointKind, problems: &mut Problems) -> [f64; 2] {
    let free = [f64::NEG_INFINITY, f64::INFINITY];
    let (given, keys) = match kind {
        JointKind::Revolute => ([j.lower_rad, j.upper_rad], ["lower_rad", "upper_rad"]),
        JointKind::Prismatic => ([j.lower_m, j.upper_m], ["lower_m", "upper_m"]),
        JointKind::Continuous | JointKind::Fixed => ([None, None], [""; 2]),
    };
    for key in ["lower_rad", "upper_rad", "lower_m", "upper_m"] {
        if j.at.has_key(key) && !keys.contains(&key) {
            let text = format!(
                "the joint of {name}: `{key}` does not apply to a {} joint",
                j.kind.word()
            );
            problems.push(j.at.key_place(key), text);
        }
    }
    if keys == [""; 2] {
        return free;
    }
    let (Some(lo), Some(hi)) = (given[0], given[1]) else {
        let text = format!(
            "the joint of {name} has no limits, expected `{}` and `{}`",
            keys[0], keys[1]
        );
        problems.push(&j.at.whole, text);
        return free;
    };
    if lo > hi {
        let text = format!(
            "the joint of {name}: `{}` is {lo}, expected no more than `{}` {hi}",
            keys[0], keys[1]
        );
        problems.push(j.at.key_place(keys[0]), text);
    }
    [lo, hi]
}

fn build_start(entry: &RobotEntry, offset: Vec3, links: &[Link], problems: &mut Problems) -> Start {
    let mut q = vec![0.0; links.len() - 1];
    let names = || {
        links[1..]
            .iter()
            .filter(|l| l.joint.kind != JointKind::Fixed)
            .map(|l| l.joint.name.as_str())
    };
    for (name, value) in entry.joints_rad.iter() {
        match links[1..].iter().position(|l| l.joint.name == name) {
            Some(k) if links[k + 1].joint.kind == JointKind::Fixed => {
                let text = format!("joint {name} is fixed, expected the name of one that moves");
                problems.push(
                    entry.joints_rad.key_place(name).unwrap_or(&entry.at.whole),
                    text,
                );
            }
            Some(k) => {
                let [lo, hi] = links[k + 1].joint.limits;
                if !(lo..=hi).contains(value) {
                    let text = format!("joint {name} starts at {value}, expected {lo} to {hi}");
                    problems.push(
                        entry.joints_rad.key_place(name).unwrap_or(&entry.at.whole),
                        text,
                    );
                }
                q[k] = *value;
            }
            None => {
                let text = format!("no joint {}{}", quote(name), did_you_mean(name, names()));
                problems.push(
                    entry.joints_rad.key_place(name).unwrap_or(&entry.at.whole),
                    text,
                );
            }
        }
    }
    for k in 1..links.len() {
        let Some(mimic) = links[k].joint.mimic else {
            continue;
        };
        let follows = mimic.multiplier * q[mimic.leader - 1] + mimic.offset;
        let name = &links[k].joint.name;
        if let Some(place) = entry
            .joints_rad
            .key_place(name)
            .filter(|_| q[k - 1] != follows)
        {
            let text =
                format!("joint {name} follows another, which puts it at {follows}: leave it out");
            problems.push(place, text);
        }
        q[k - 1] = follows;
    }
    let moves = entry.velocity_m_s != [0.0; 3] || entry.angular_velocity_rad_s != [0.0; 3];
    if moves && entry.model.base == Base::Fixed {
        let key = if entry.velocity_m_s != [0.0; 3] {
            "velocity_m_s"
        } else {
            "angular_velocity_rad_s"
        };
        problems.push(
            entry.at.key_place(key),
            "the base is fixed in the world, expected no velocity",
        );
    }
    Start {
        p_WB: Vec3::from(entry.position_m) + offset,
        rpy: entry.attitude_deg.map(f64::to_radians),
        v_WB_B: Vec3::from(entry.velocity_m_s),
        w_WB_B: Vec3::from(entry.angular_velocity_rad_s),
        q,
    }
}

fn find_link(links: &[Link], name: &str, place: &Place, problems: &mut Problems) -> usize {
    // `base_link` names the base, whatever its name in a URDF, unless another link has this name.
    let base = || (name == BASE_LINK).then_some(0);
    links
        .iter()
        .position(|l| l.name == name)
        .or_else(base)
        .unwrap_or_else(|| {
            let names = || links.iter().map(|l| l.name.as_str());
            let (hint, known) = (did_you_mean(name, names()), quoted_list(names()));
            problems.push(
                place,
                format!(
                    "no link {} so far, expected one of {known}{hint}",
                    quote(name)
                ),
            );
            0
        })
}

/// Returns rotation and position [m] of every link relative to the base, with all joints at zero.
pub(crate) fn poses_at_rest(links: &[Link]) -> Vec<(Mat3, Vec3)> {
    let mut poses: Vec<(Mat3, Vec3)> = vec![(Mat3::identity(), Vec3::zero())];
    for link in &links[1..] {
        let (R_BP, p_BP) = poses[link.parent.unwrap_or(0)];
        poses.push((
            R_BP.mul_mat(&link.joint.R_PC0),
            p_BP + R_BP.mul_vec(link.joint.p_PoCo0),
        ));
    }
    poses
}
