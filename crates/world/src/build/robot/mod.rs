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
pub mod names;
pub mod radiation;
pub mod rigid_group;
pub mod start;
pub mod waterline;

use crate::ModelInfo;
use crate::build::computer;
use crate::build::energy;
use crate::build::robot::body::WaterAndGravity;
use crate::build::robot::collision::Mount;
use crate::import::assets::Assets;
use merrow_control::allocation;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::{Collider, Link, Material, Robot, Shared, Start, ThrustAllocation};
use merrow_schema::contact::PropEntry;
use merrow_schema::sensor::WorldValues;
use merrow_schema::urdf::HydrodynamicsConfig;
use merrow_schema::{BASE_LINK, Base, BodyConfig, RobotEntry, RobotModelConfig};
use merrow_yaml::error::{Place, Problems, did_you_mean, known_names, quote, quoted_list};
use merrow_yaml::read::{NamedMap, from_defaults};

/// Context from the world that is needed to build a robot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BuildContext<'a> {
    /// Gravity, and density and depth of the water.
    pub around: WaterAndGravity,
    /// Time step, seed and tracers of the world.
    pub world: WorldValues<'a>,
    /// Loader of meshes and other files in addition to the world file.
    pub(crate) assets: &'a Assets,
}

/// Builds the robot `name`, displaced by `offset` [m], W, from the position in its entry.
pub(crate) fn build_robot(
    name: &str,
    entry: &RobotEntry,
    offset: Vec3,
    frame: BuildContext<'_>,
    problems: &mut Problems,
) -> Robot {
    let model = &entry.model;
    let dt = frame.world.dt;
    let links = links::build_links(model, frame, problems);
    let start = start::build_start(entry, offset, &links, problems);
    let shapes = build_shapes(model, &links, frame.assets, problems);
    let mut robot = robot_without_devices(name, model, links, start, shapes);
    energy::check_battery_present(model, problems);
    robot.battery.clone_from(&model.battery);
    if let Some(battery) = &model.battery {
        energy::check_battery(battery, problems);
    }
    set_initial_charge(&mut robot, entry, problems);
    robot.loads = energy::build_loads(&model.loads);
    devices::add_thrusters(&mut robot, model, dt, problems);
    devices::add_sensors(&mut robot, model, frame.world, problems);
    devices::add_lamps(&mut robot, model, problems);
    devices::add_solar_panels(&mut robot, model, problems);
    devices::add_fins(&mut robot, model, dt, problems);
    devices::add_buoyancy_engines(&mut robot, model, problems);
    devices::add_azimuth_servos(&mut robot, model, dt, problems);
    collision::set_visual_fins(&mut robot, model, problems);
    set_thrust_allocation(&mut robot, model);
    waterline::apply_waterline(&mut robot, model, frame.around, problems);
    names::check_names(model, problems);
    rigid_group::check_rigid_groups(&robot.links, model, robot.floating, problems);
    waterline::note_net_weight(&robot, model, frame.around, problems);
    merge_fixed::merge_fixed_links(&mut robot);
    set_contact_wrenches(&mut robot, model, problems);
    joint::build_joint_extras(&mut robot, model, frame, problems);
    robot.firmware = model
        .firmware
        .as_ref()
        .map(|f| firmware::build_firmware(f, &robot, dt, problems));
    robot.onboard = computer::build_computers(model, &robot, frame.world.seed, problems);
    robot.autopilot = model
        .autopilot
        .as_ref()
        .and_then(|file| autopilot::build_autopilot(file, &robot, problems))
        .map(Box::new);
    robot.mavlink = entry
        .mavlink
        .as_ref()
        .map(|file| autopilot::build_mavlink(file, problems));
    robot.namespace = entry.namespace.trim_matches('/').to_string();
    robot.profile = entry.profile;
    check_namespace(entry, problems);
    robot.update_derived();
    robot
}

/// Replaces the state of charge at the start by the value of the entry, if it has one.
fn set_initial_charge(robot: &mut Robot, entry: &RobotEntry, problems: &mut Problems) {
    let Some(charge) = entry.initial_charge else {
        return;
    };
    match &mut robot.battery {
        Some(battery) => battery.initial_charge = charge,
        None => {
            let text = format!("`initial_charge`: {} has no battery", robot.name);
            problems.push(entry.at.key_place("initial_charge"), text);
        }
    }
}

/// Reports a namespace that ROS does not accept.
fn check_namespace(entry: &RobotEntry, problems: &mut Problems) {
    let namespace = entry.namespace.trim_matches('/');
    if !namespace.is_empty() && !namespace.split('/').all(is_namespace_part) {
        let text = format!(
            "`namespace`: expected letters, digits and `_` between slashes, each part starting with a letter, found {}",
            quote(&entry.namespace)
        );
        problems.push(entry.at.key_place("namespace"), text);
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
        namespace: String::new(),
        profile: None,
        route: None,
        model: model.description.clone(),
        floating: model.base == Base::Floating,
        attached: Vec::new(),
        thrusters: Shared::default(),
        fins: Shared::default(),
        buoyancy_engines: Vec::new(),
        winches: Vec::new(),
        allocation: None,
        sensors: Vec::new(),
        battery: None,
        loads: Vec::new(),
        lamps: Vec::new(),
        solar_panels: Vec::new(),
        colliders,
        visuals,
        contact_wrenches: Vec::new(),
        self_collision: model.self_collision,
        joint_groups: Vec::new(),
        trajectories: model.trajectories.clone(),
        keep_out: None,
        servos: false,
        start,
        base_factor: None,
        inflow: false,
        rotors: false,
        firmware: None,
        onboard: None,
        autopilot: None,
        mavlink: None,
        mimics: Vec::new(),
        links: links.into(),
    }
}

/// Computes the thrust allocation of a robot with thrusters.
fn set_thrust_allocation(robot: &mut Robot, model: &RobotModelConfig) {
    if !robot.thrusters.is_empty() {
        let columns = allocation::unit_wrenches(robot, &poses_at_rest(&robot.links));
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
fn set_contact_wrenches(robot: &mut Robot, model: &RobotModelConfig, problems: &mut Problems) {
    for name in &model.contact_wrenches {
        match robot.find_frame(name) {
            Some(frame) => robot.contact_wrenches.push(frame.link),
            None => {
                let hint = known_names(name, robot.frame_names());
                problems.push(
                    model.at.key_place("contact_wrenches"),
                    format!("no link {}{hint}", quote(name)),
                );
            }
        }
    }
}

/// Converts a prop to a robot entry with one link, without actuators and sensors.
pub(crate) fn prop_as_robot(entry: &PropEntry) -> RobotEntry {
    RobotEntry {
        model: RobotModelConfig {
            modems: NamedMap::default(),
            description: entry.body.description.clone(),
            source: entry.body.source.clone(),
            estimated: String::new(),
            unstable_course: String::new(),
            urdf: None,
            hydrodynamics: HydrodynamicsConfig::empty(&entry.at),
            root: BASE_LINK.to_string(),
            base: Base::Floating,
            height_above_seabed_m: None,
            body: entry.body.clone(),
            links: NamedMap::default(),
            joint_groups: NamedMap::default(),
            trajectories: from_defaults(),
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
            computers: NamedMap::default(),
            autopilot: None,
            at: entry.at.clone(),
        },
        position_m: entry.position_m,
        attitude_deg: entry.attitude_deg,
        velocity_m_s: entry.velocity_m_s,
        angular_velocity_rad_s: entry.angular_velocity_rad_s,
        joint_positions: NamedMap::default(),
        joint_velocities: NamedMap::default(),
        initial_charge: None,
        repeat: entry.repeat.clone(),
        description: entry.description.clone(),
        namespace: String::new(),
        profile: None,
        mavlink: None,
        category: entry.category,
        tags: entry.tags.clone(),
        at: entry.at.clone(),
    }
}

/// Returns the collision shapes and the visual shapes of all links, in the order of the links.
fn build_shapes(
    model: &RobotModelConfig,
    links: &[Link],
    assets: &Assets,
    problems: &mut Problems,
) -> [Vec<Collider>; 2] {
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
pub(crate) fn model_sources(model: &RobotModelConfig) -> ModelInfo {
    let mut sources = Vec::new();
    let mut add = |what: String, source: &str, estimated: &str| {
        sources.push((what, source.to_string(), estimated.to_string()));
    };
    add("robot".into(), &model.source, &model.estimated);
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
            format!("buoyancy engine {name}"),
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
        ..ModelInfo::default()
    }
}

/// Returns the index of the link `name`; 0 after reporting that there is no such link.
fn find_link(links: &[Link], name: &str, place: &Place, problems: &mut Problems) -> usize {
    // `base_link` names the base, regardless of its name in a URDF, unless another link has this
    // name.
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
                    "no link {} declared above this line; expected one of {known}{hint}",
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
