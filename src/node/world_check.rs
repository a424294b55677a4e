//! Checks of a world that need the topics and frames of the node, or the forces of the simulation.
//!
//! The names are those of a node in the root namespace without remappings. `WorldEditor` checks
//! them again for the namespace and the remappings of its node.

use crate::modem::bridges;
use crate::node::plan::{RepeatedTopic, repeated_topics};
use crate::topics::Plan;
use merrow_environment::{EnvironmentState, Variation};
use merrow_messages::frames::repeated_frames;
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::RobotState;
use merrow_physics::contact::occupancy::OccupancyGrid;
use merrow_ros2::names::NameResolver;
use merrow_sim::report::top_speed::top_speed_below;
use merrow_world::World;
use merrow_world::document::Document;
use merrow_yaml::error::Problem;

/// Checks the bridges and the occupancy grid of a world and the names of its topics, services and
/// actions, and that no frame has two transforms and no topic two contents.
///
/// # Errors
/// One line per error, with its place.
pub fn check(document: &Document, world: &World) -> Result<(), Vec<String>> {
    let mut errors = frame_errors(document, world);
    errors.extend(topic_errors(document, world));
    let valid = NameResolver::new("", "merrow", Vec::new())
        .map_err(|e| e.to_string())
        .and_then(|names| Plan::new(&world.scene).check_names(&world.scene, &names));
    if let Err(why) = valid {
        errors.push(format!("{}: {why}", document.place_below(&[])));
    }
    if let Some(settings) = &world.scene.map
        && let Err(why) = OccupancyGrid::check(&world.scene, settings)
    {
        errors.push(format!("{}: map: {why}", document.place_below(&["map"])));
    }
    if let Err(lines) = bridges::check(world) {
        errors.extend(lines);
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

/// Returns warnings of steady currents at the start that exceed the top speed ahead of a robot, one
/// for all copies of a robot.
pub fn current_warnings(document: &Document, world: &World) -> Vec<Problem> {
    let mut found: Vec<Problem> = Vec::new();
    for (robot, model) in world.scene.robots.iter().zip(&world.models) {
        let place = document.place_below(&[model.section, &robot.name, "position_m"]);
        if model.section != "robots" || found.iter().any(|known| known.place == place) {
            continue;
        }
        if let Some(text) = current_warning(robot, &world.scene) {
            let text = format!("{}: {text}", robot.name);
            found.push(Problem { place, text });
        }
    }
    found
}

fn current_warning(robot: &Robot, scene: &Scene) -> Option<String> {
    if robot.is_carried() || !robot.floating || robot.thrusters.is_empty() {
        return None;
    }
    let at = EnvironmentState {
        sea: &scene.sea,
        gravity: scene.gravity,
        time: 0.0,
        variation: Variation::NONE,
        waves: None,
    };
    let (water, _) = at.water_motion(RobotState::new(robot).motion.p_WB);
    let current = water.x.hypot(water.y);
    let top = top_speed_below(scene, robot, current)?;
    Some(format!(
        "a current of {current:.3} m/s exceeds the top speed ahead of {top:.3} m/s; the robot \
         drifts; reduce the current, or give it more thrust"
    ))
}

fn frame_errors(document: &Document, world: &World) -> Vec<String> {
    let scene = &world.scene;
    let line = |repeated: merrow_messages::frames::RepeatedFrame| {
        let frame = &repeated.frame;
        let Some(index) = repeated.robot else {
            let place = document.place_below(&["modems", frame]);
            return format!("{place}: the frame `{frame}` has two transforms; rename the modem");
        };
        let (robot, section) = (&scene.robots[index], world.models[index].section);
        let sensor = repeated.sensor.map(|k| robot.sensors[k].name.as_str());
        let mut path = vec![section, robot.name.as_str(), "model"];
        path.extend(sensor.into_iter().flat_map(|name| ["sensors", name]));
        let profile = robot.profile.map_or(String::new(), |profile| {
            format!(" with the profile `{}`", profile.keyword())
        });
        format!(
            "{}: {}: {} have the frame `{frame}`{profile}; expected one frame each; rename one",
            document.place_below(&path),
            robot.name,
            repeated.owners
        )
    };
    repeated_frames(scene).into_iter().map(line).collect()
}

fn topic_errors(document: &Document, world: &World) -> Vec<String> {
    let line = |repeated: RepeatedTopic| {
        let robot = &world.scene.robots[repeated.robot];
        let mut path = vec![world.models[repeated.robot].section, &robot.name];
        if let Some(sensor) = repeated.sensor {
            path.extend(["model", "sensors", &robot.sensors[sensor].name]);
        }
        let [first, second] = repeated.uses;
        format!(
            "{}: {}: the topic `/{}` has two contents: {first} and {second}; expected one content each; \
             rename the sensor or the robot",
            document.place_below(&path),
            robot.name,
            repeated.topic
        )
    };
    repeated_topics(&world.scene)
        .into_iter()
        .map(line)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_messages::frames::start_frames;
    use merrow_model::scene::robot::profile::Profile;
    use merrow_world::{Overrides, data_dir};
    use std::collections::HashSet;

    const BODY: &str =
        "body: {source: t, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}";

    fn world(sensors: &str, links: &str) -> String {
        format!(
            "robots:\n  r:\n    model:\n      source: t\n      {BODY}\n      links: {{{links}}}\n      \
             sensors:\n{sensors}"
        )
    }

    fn errors(sensors: &str, links: &str, profile: Option<Profile>) -> Vec<String> {
        errors_of(&world(sensors, links), profile)
    }

    fn errors_of(text: &str, profile: Option<Profile>) -> Vec<String> {
        let overrides = Overrides {
            profile,
            ..Overrides::default()
        };
        let (document, world) =
            Document::from_text("w.yaml", text, overrides).unwrap_or_else(|e| panic!("{e}"));
        check(&document, &world).err().unwrap_or_default()
    }

    fn link(name: &str, parent: &str) -> String {
        format!("{name}: {{parent: {parent}, joint: {{kind: fixed}}, {BODY}}}")
    }

    #[test]
    fn frames_that_a_profile_repeats_are_refused() {
        let imu = "        imu: {device: truth, rate_hz: 10}\n";
        let two = format!("{imu}        imu_frd: {{device: truth, rate_hz: 10}}\n");
        assert_eq!(errors(&two, "", None), Vec::<String>::new());
        let frame = "have the frame `r/imu_frd` with the profile `stonefish`; expected one frame each; rename one";
        assert_eq!(
            errors(&two, "", Some(Profile::Stonefish)),
            [format!(
                "w.yaml:8:14: r: the sensor `imu` and the sensor `imu_frd` {frame}"
            ),]
        );
        assert_eq!(
            errors(imu, &link("imu_frd", "base_link"), Some(Profile::Stonefish)),
            [format!(
                "w.yaml:8:14: r: the link `imu_frd` and the sensor `imu` {frame}"
            )]
        );
    }

    /// VRX: robot/robot/link/sensor_sensor; Gazebo: robot/link/sensor. Links of a URDF can have slashes.
    #[test]
    fn frames_of_sensors_are_compared_with_links() {
        let arm = format!(
            "arm: {{parent: base_link, joint: {{name: hinge, kind: continuous, drive: {{kind: effort}}}}, {BODY}}}"
        );
        let text = world("        imu: {device: truth, rate_hz: 10}\n", &arm);
        let loaded = merrow_world::load_text("w.yaml", &text, Overrides::default());
        let mut scene = loaded.unwrap_or_else(|e| panic!("{e}")).scene;
        for (profile, name) in [
            (Profile::Vrx, "base_link/imu_sensor"),
            (Profile::Gz, "base_link/imu"),
        ] {
            let robot = &mut scene.robots[0];
            robot.profile = Some(profile);
            for (name, repeated) in [("arm", 0), (name, 1)] {
                scene.robots[0].links[1].name = name.to_string();
                assert_eq!(repeated_frames(&scene).len(), repeated, "{name}");
            }
        }
    }

    #[test]
    fn further_frames_of_sensors_are_compared() {
        let sensors = "        eye: {device: uav_camera}\n        eye_optical_frame: {device: truth, rate_hz: 10}\n";
        let found = errors(sensors, "", None);
        assert!(
            found.len() == 1
                && found[0].contains("the sensor `eye` and the sensor `eye_optical_frame`"),
            "{found:?}"
        );
    }

    #[test]
    fn topics_with_two_contents_are_refused() {
        let sensor = |name: &str| format!("        {name}: {{device: truth, rate_hz: 10}}\n");
        let end = "expected one content each; rename the sensor or the robot";
        let odometry = "nav_msgs/msg/Odometry published by";
        assert_eq!(
            errors(&sensor("robot_description"), "", None),
            [format!(
                "w.yaml:8:28: r: the topic `/r/robot_description` has two contents: {odometry} r and \
                 std_msgs/msg/String published by r; {end}"
            )]
        );
        let other = format!(
            "  base_link:\n    namespace: r\n    model:\n      source: t\n      {BODY}\n      sensors:\n{}",
            sensor("external_wrench")
        );
        assert_eq!(
            errors_of(&(world(&sensor("pose"), "") + &other), None),
            [format!(
                "w.yaml:15:26: base_link: the topic `/r/base_link/external_wrench` has two contents: \
                 geometry_msgs/msg/WrenchStamped received by r and {odometry} base_link; {end}"
            )]
        );
        // with this profile both have one topic and one type
        let imus = "        a: {device: adis16448}\n        b: {device: adis16448}\n";
        assert_eq!(errors(imus, "", Some(Profile::Uuv)), Vec::<String>::new());
    }

    #[test]
    fn names_are_checked_at_load() {
        let name = "n".repeat(300);
        let found = errors(
            &format!("        {name}: {{device: truth, rate_hz: 10}}\n"),
            "",
            None,
        );
        assert!(
            found.len() == 1 && found[0].contains("has 303 bytes, at most 247"),
            "{found:?}"
        );
    }

    #[test]
    fn bundled_worlds_have_one_tree_of_frames_with_all_profiles() {
        for name in data_dir::file_names("worlds") {
            let path = data_dir::world_file(&name);
            let world = merrow_world::load_world(&path, Overrides::default());
            let mut scene = world.unwrap_or_else(|e| panic!("{name}: {e}")).scene;
            for profile in Profile::ALL {
                let keyword = profile.keyword();
                scene
                    .robots
                    .iter_mut()
                    .for_each(|robot| robot.profile = Some(profile));
                assert_eq!(repeated_frames(&scene), [], "{name}, {keyword}");
                let all = start_frames(&scene);
                let children: HashSet<&str> =
                    all.iter().map(|t| t.child_frame_id.as_str()).collect();
                let parents = all.iter().map(|t| t.header.frame_id.as_str());
                let unknown: Vec<&str> = parents
                    .filter(|frame| *frame != "world" && !children.contains(frame))
                    .collect();
                assert_eq!(unknown, Vec::<&str>::new(), "{name}, {keyword}");
                for robot in &scene.robots {
                    let urdf = merrow_messages::urdf::urdf(robot);
                    let named = |start: &'static str| {
                        let rest = urdf.split(start).skip(1);
                        rest.filter_map(|text| text.split('"').next())
                    };
                    let links: HashSet<&str> = named("<link name=\"").collect();
                    let others = links
                        .iter()
                        .copied()
                        .filter(|link| !children.contains(link));
                    let parents = named("<parent link=\"").filter(|link| !links.contains(link));
                    let wrong: Vec<&str> = others.chain(parents).collect();
                    assert_eq!(
                        wrong,
                        Vec::<&str>::new(),
                        "{name}, {keyword}, {}",
                        robot.name
                    );
                }
            }
        }
    }

    // A current that exceeds the top speed ahead is reported. Method: Heron, whose two jets of 33.6
    // N balance the drag 16.44998712 u + 2.942 u² at 2.741 m/s, in currents of 3.0 and 2.7 m/s to
    // the west; BlueROV2, deep and with vectored thrusters, in 3.0 and 0.5 m/s.
    #[test]
    fn currents_beyond_the_top_speed_are_reported() {
        let world = |model: &str, z: f64, speed: f64| {
            let text = format!(
                "water: {{current: {{kind: uniform, speed_m_s: {speed}, direction_deg: 270}}}}\nseabed: {{depth_m: 50}}\n\
                 robots:\n  r: {{model: {model}, position_m: [0, 0, {z}]}}\n"
            );
            let loaded = Document::from_text("w.yaml", &text, Overrides::default());
            let (document, world) = loaded.unwrap_or_else(|e| panic!("{e}"));
            let found = current_warnings(&document, &world);
            found.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(
            world("heron", 0.0, 3.0),
            [
                "w.yaml:4:33: r: a current of 3.000 m/s exceeds the top speed ahead of 2.741 m/s; the robot drifts; \
                 reduce the current, or give it more thrust"
            ]
        );
        assert_eq!(world("heron", 0.0, 2.7), Vec::<String>::new());
        let rov = world("bluerov2", -5.0, 3.0);
        assert!(
            rov.len() == 1 && rov[0].contains("top speed ahead of"),
            "{rov:?}"
        );
        assert_eq!(world("bluerov2", -5.0, 0.5), Vec::<String>::new());
    }
}
