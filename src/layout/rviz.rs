//! Configurations of RViz.

use crate::topics::absolute;
use crate::topics::{Output, Plan};
use merrow_model::scene::Scene;
use merrow_ros2::qos::{Durability, Reliability};
use std::fmt::Write;

/// Displays by the type of message: type, class of the display, whether the first of each type is
/// enabled, keys of the display. Every display of a topic is listed.
const DISPLAYS: &str = "\
nav_msgs/msg/Odometry; Odometry; true; Keep: 1
sensor_msgs/msg/PointCloud2; PointCloud2; true; Style: Points; Size (Pixels): 2
sensor_msgs/msg/LaserScan; LaserScan; true; Style: Points; Size (Pixels): 3
sensor_msgs/msg/Range; Range; true
sensor_msgs/msg/Image; Image; true
geometry_msgs/msg/PoseStamped; Pose; true
geometry_msgs/msg/PoseWithCovarianceStamped; PoseWithCovariance; false
geometry_msgs/msg/WrenchStamped; Wrench; false
nav_msgs/msg/Path; Path; true";

/// Maximum number of displays of a type of message.
const MAX_DISPLAYS: usize = 8;

/// Returns the configuration for a world, or for one robot of it.
pub(super) fn configuration(scene: &Scene, robot: Option<usize>) -> String {
    let plan = Plan::new(scene);
    let is_shown = |topic: &str| super::belongs_to(scene, robot, topic);
    let outputs: Vec<&Output> = plan.outputs.iter().filter(|o| is_shown(&o.topic)).collect();
    let mut out = String::from(HEAD);
    for output in &outputs {
        if let Some(owner) = output.topic.strip_suffix("/robot_description") {
            let name = owner.rsplit('/').next().unwrap_or(owner);
            let key = "Description Source: Topic";
            add_display(&mut out, "RobotModel", name, true, &[key]);
            add_topic(&mut out, "Description Topic", output);
        }
    }
    for row in DISPLAYS.lines() {
        let mut columns = row.split("; ");
        let [type_name, class, enabled] = [(); 3].map(|()| columns.next().unwrap_or_default());
        let keys: Vec<&str> = columns.collect();
        let own = outputs.iter().filter(|o| o.info.name == type_name);
        for (k, output) in own.take(MAX_DISPLAYS).enumerate() {
            let is_enabled = enabled == "true" && k == 0;
            add_display(&mut out, class, &output.topic, is_enabled, &keys);
            add_topic(&mut out, "Topic", output);
        }
    }
    out.push_str(
        "  Global Options:
    Fixed Frame: world
    Frame Rate: 30
  Tools:
    - Class: rviz_default_plugins/MoveCamera
    - Class: rviz_default_plugins/FocusCamera
    - Class: rviz_default_plugins/Select
",
    );
    let goals = plan.inputs.iter().filter(|input| is_shown(&input.topic));
    for goal in goals.filter(|input| input.topic.ends_with("/goal_pose")) {
        // writing to a String does not fail
        let _ = write!(
            out,
            "    - Class: rviz_default_plugins/SetGoal
      Topic:
        Value: {}
",
            absolute(&goal.topic)
        );
    }
    out.push_str(
        "  Views:
    Current:
      Class: rviz_default_plugins/Orbit
      Name: Orbit
      Distance: 6
",
    );
    if let Some(robot) = scene.robots.get(robot.unwrap_or(0)) {
        let _ = writeln!(out, "      Target Frame: {}/base_link", robot.name);
    }
    out
}

/// Start of a configuration, with the displays without a topic.
const HEAD: &str = "Panels:
  - Class: rviz_common/Displays
    Name: Displays
  - Class: rviz_common/Views
    Name: Views
Visualization Manager:
  Class: \"\"
  Displays:
    - Class: rviz_default_plugins/Grid
      Name: Water surface
      Enabled: true
      Cell Size: 1
      Plane Cell Count: 40
    - Class: rviz_default_plugins/TF
      Name: Frames
      Enabled: true
      Show Names: false
";

/// Appends a display with further keys.
fn add_display(out: &mut String, class: &str, name: &str, is_enabled: bool, keys: &[&str]) {
    // writing to a String does not fail
    let _ = write!(
        out,
        "    - Class: rviz_default_plugins/{class}
      Name: {name}
      Enabled: {is_enabled}
"
    );
    for key in keys {
        let _ = writeln!(out, "      {key}");
    }
}

/// Appends the topic of a display, with a QoS that receives its messages.
fn add_topic(out: &mut String, key: &str, output: &Output) {
    let reliability = match output.qos.reliability {
        Reliability::Reliable => "Reliable",
        Reliability::BestEffort => "Best Effort",
    };
    let durability = match output.qos.durability {
        Durability::TransientLocal => "Transient Local",
        Durability::Volatile => "Volatile",
    };
    // writing to a String does not fail
    let _ = write!(
        out,
        "      {key}:
        Value: {}
        Depth: 5
        History Policy: Keep Last
        Reliability Policy: {reliability}
        Durability Policy: {durability}
",
        absolute(&output.topic)
    );
}
