//! Conversion of the files of a robot to links, actuators and sensors.

pub mod actuator;
pub mod autopilot;
pub mod body;
pub mod collision;
pub mod devices;
pub mod fin;
pub mod firmware;
pub mod hull;
pub mod hydrodynamics;
pub mod joint;
pub mod links;
pub mod merge_fixed;
pub mod moos;
pub mod names;
pub mod radiation;
pub mod rigid_group;
pub mod start;
pub mod waterline;

use crate::ModelInfo;
use crate::build::computer;
use crate::build::energy;
use crate::build::robot::collision::Mount;
use crate::context::Context;
use crate::keys::contact::PropEntry;
use crate::keys::{BASE_LINK, Base, BodyConfig, RobotEntry, RobotModelConfig};
use merrow_control::allocation;
use merrow_math::Vec3;
use merrow_model::kinematics;
use merrow_model::scene::{Collider, Link, Material, Robot, Start, ThrustAllocation};
use merrow_yaml::error::{Place, Problems, quote};
use merrow_yaml::node::parse;
use merrow_yaml::read::read_root;
use std::path::Path;
use std::sync::LazyLock;

/// Builds the robot `name`, displaced by `offset` [m], W, from the position in its entry.
pub(crate) fn build_robot(name: &str, entry: &RobotEntry, offset: Vec3, cx: Context<'_>) -> Robot {
    let model = &entry.model;
    let links = links::build_links(model, cx);
    let start = start::build_start(entry, offset, &links, cx);
    let shapes = build_shapes(model, &links, cx);
    let mut robot = robot_without_devices(name, model, links, start, shapes);
    energy::check_battery_present(model, cx);
    robot.battery.clone_from(&model.battery);
    if let Some(battery) = &model.battery {
        energy::check_battery(battery, cx);
    }
    set_initial_charge(&mut robot, entry, cx);
    robot.loads = energy::build_loads(&model.loads);
    devices::add_devices(&mut robot, model, cx);
    collision::set_visual_fins(&mut robot, model, cx);
    set_thrust_allocation(&mut robot, model);
    waterline::apply_waterline(&mut robot, model, cx);
    names::check_names(model, cx);
    rigid_group::check_rigid_groups(&robot.links, model, robot.floating, cx);
    waterline::note_net_weight(&robot, model, cx);
    merge_fixed::merge_fixed_links(&mut robot);
    set_contact_wrenches(&mut robot, model, cx);
    joint::build_joint_extras(&mut robot, model, cx);
    robot.firmware = model
        .firmware
        .as_ref()
        .map(|f| firmware::build_firmware(f, &robot, cx));
    robot.onboard = computer::build_computers(model, &robot, cx);
    robot.autopilot = model
        .autopilot
        .as_ref()
        .and_then(|file| autopilot::build_autopilot(file, &robot, cx))
        .map(Box::new);
    robot.mavlink = entry
        .mavlink
        .as_ref()
        .map(|file| autopilot::build_mavlink(file, cx));
    robot.moos = moos::build_moos(entry, &robot, cx);
    robot.serial = moos::build_serial(entry, &robot, cx);
    robot.namespace = entry.namespace.trim_matches('/').to_string();
    robot.profile = entry.profile;
    check_namespace(entry, cx);
    robot.update_derived();
    robot
}

/// Replaces the state of charge at the start by the value of the entry, if it has one.
fn set_initial_charge(robot: &mut Robot, entry: &RobotEntry, cx: Context<'_>) {
    let Some(charge) = entry.initial_charge else {
        return;
    };
    match &mut robot.battery {
        Some(battery) => battery.initial_charge = charge,
        None => {
            let text = format!("`initial_charge`: {} has no battery", robot.name);
            cx.error(entry.at.key_place("initial_charge"), text);
        }
    }
}

/// Reports a namespace that ROS does not accept.
fn check_namespace(entry: &RobotEntry, cx: Context<'_>) {
    let namespace = entry.namespace.trim_matches('/');
    if !namespace.is_empty() && !namespace.split('/').all(is_namespace_part) {
        let text = format!(
            "`namespace`: expected letters, digits and `_` between slashes, each part starting with a letter, found {}",
            quote(&entry.namespace)
        );
        cx.error(entry.at.key_place("namespace"), text);
    }
}

/// Returns true if a part of a namespace is valid in ROS.
fn is_namespace_part(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_alphabetic())
        && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns a robot of `links`, collision shapes and visual shapes, without energy supply,
/// actuators, sensors and firmware.
fn robot_without_devices(
    name: &str,
    model: &RobotModelConfig,
    links: Vec<Link>,
    start: Start,
    [colliders, visuals]: [Vec<Collider>; 2],
) -> Robot {
    Robot {
        name: name.to_string(),
        model: model.description.clone(),
        floating: model.base == Base::Floating,
        colliders,
        visuals,
        self_collision: model.self_collision,
        trajectories: model.trajectories.clone(),
        start,
        links: links.into(),
        ..Robot::default()
    }
}

/// Computes the thrust allocation of a robot with thrusters.
fn set_thrust_allocation(robot: &mut Robot, model: &RobotModelConfig) {
    if !robot.thrusters.is_empty() {
        let columns = allocation::unit_wrenches(robot, &kinematics::poses_at_rest(&robot.links));
        let allocation = allocation::pseudo_inverse(&columns);
        robot.allocation = Some(ThrustAllocation {
            matrix: allocation,
            independent: allocation::independent_components(&columns),
            unit_wrenches: columns,
            command_timeout_s: model.command_timeout_s,
        });
    }
}

/// Sets the links whose contact wrenches are published. For a link that was merged into
/// another, this is the other link.
fn set_contact_wrenches(robot: &mut Robot, model: &RobotModelConfig, cx: Context<'_>) {
    for name in &model.contact_wrenches {
        let place = model.at.key_place("contact_wrenches");
        let found = cx.find_link(name, place, robot);
        robot.contact_wrenches.extend(found.map(|frame| frame.link));
    }
}

/// Entry of a robot with one link, whose other keys have their defaults.
static BARE: LazyLock<RobotEntry> = LazyLock::new(|| {
    let body = "{source: prop, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}";
    let text = format!("model: {{source: prop, hydrodynamics: {{estimate: none}}, body: {body}}}");
    let mut problems = Problems::new();
    let node = parse("prop", &text, &mut problems);
    let entry = node.and_then(|node| read_root(&node, &mut problems));
    entry.expect("the keys of a prop are valid")
});

/// Converts a prop to a robot entry with one link, without actuators and sensors.
pub(crate) fn prop_as_robot(entry: &PropEntry) -> RobotEntry {
    let bare = BARE.clone();
    RobotEntry {
        model: RobotModelConfig {
            description: entry.body.description.clone(),
            source: entry.body.source.clone(),
            body: entry.body.clone(),
            at: entry.at.clone(),
            ..bare.model
        },
        position_m: entry.position_m,
        attitude_deg: entry.attitude_deg,
        velocity_m_s: entry.velocity_m_s,
        angular_velocity_rad_s: entry.angular_velocity_rad_s,
        repeat: entry.repeat.clone(),
        description: entry.description.clone(),
        category: entry.category,
        tags: entry.tags.clone(),
        at: entry.at.clone(),
        ..bare
    }
}

/// Returns the collision shapes and the visual shapes of all links, in the order of the links.
fn build_shapes(model: &RobotModelConfig, links: &[Link], cx: Context<'_>) -> [Vec<Collider>; 2] {
    let others = model.links.iter().map(|(_, file)| file.body.as_ref());
    let bodies = std::iter::once(Some(&model.body)).chain(others);
    let on_link = |(k, (link, body)): (usize, (&Link, Option<&BodyConfig>))| {
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
            file_colors: true,
        };
        [
            collision::build_colliders(&body.collisions, mount, cx),
            collision::build_visuals(&body.visuals, mount, cx),
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
pub(crate) fn model_sources(model: &RobotModelConfig) -> ModelInfo {
    let mut sources = Vec::new();
    macro_rules! add {
        ($what:expr, $values:expr) => {
            sources.push(($what, $values.source.clone(), $values.estimated.clone()))
        };
    }
    add!("robot".to_string(), model);
    add!("body".to_string(), model.body);
    for (name, link) in model.links.iter() {
        if let Some(body) = &link.body {
            add!(format!("link {name}"), body);
        }
    }
    for (name, thruster) in model.thrusters.iter() {
        add!(format!("thruster {name}"), thruster.motor);
    }
    for (name, fin) in model.fins.iter() {
        add!(format!("fin {name}"), fin.surface);
    }
    for (name, engine) in model.buoyancy_engines.iter() {
        add!(format!("buoyancy engine {name}"), engine);
    }
    for (name, sensor) in model.sensors.iter() {
        add!(format!("sensor {name}"), sensor.device);
    }
    if let Some(battery) = &model.battery {
        add!("battery".to_string(), battery);
    }
    for (name, panel) in model.solar_panels.iter() {
        add!(format!("solar panel {name}"), panel);
    }
    if let Some(firmware) = &model.firmware {
        let common = firmware.common();
        let (source, estimated) = (common.source, common.estimated);
        sources.push((
            "firmware".to_string(),
            source.to_string(),
            estimated.to_string(),
        ));
    }
    // every model states its source, also one that changes another
    let file = Path::new(&*model.at.key_place("source").file).file_stem();
    ModelInfo {
        model: file.unwrap_or_default().to_string_lossy().into_owned(),
        description: model.description.clone(),
        sources,
        unstable_course: model.unstable_course.clone(),
        ..ModelInfo::default()
    }
}

/// Returns the index of the link `name`; 0 after reporting that there is no such link.
fn find_link(links: &[Link], name: &str, place: &Place, cx: Context<'_>) -> usize {
    // `base_link` names the base, regardless of its name in a URDF, unless another link has this
    // name.
    let is_named = links.iter().any(|l| l.name == name);
    if name == BASE_LINK && !is_named {
        return 0;
    }
    let names = links.iter().map(|l| l.name.as_str());
    let found = cx.find(place, name, names, |name| {
        format!("no link {name} declared above this line")
    });
    found.unwrap_or(0)
}
