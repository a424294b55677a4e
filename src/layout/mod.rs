//! Layouts of Foxglove, PlotJuggler and RViz for the topics of a world.
//!
//! Every robot has panels with the fields of its topics, selected by the type of message. Foxglove
//! also shows images, positions on a map, the scene and the diagnostics. RViz shows the robots,
//! their poses, images, clouds and ranges.

mod rviz;

use crate::topics::Plan;
use crate::topics::absolute;
use merrow_chart::canvas::escaped;
use merrow_model::scene::Scene;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Panels of a type of message: type, title, fields.
const FIELDS: &str = "\
nav_msgs/msg/Odometry; position [m]; pose.pose.position.x pose.pose.position.y pose.pose.position.z
nav_msgs/msg/Odometry; velocity [m/s]; twist.twist.linear.x twist.twist.linear.y twist.twist.linear.z
sensor_msgs/msg/Imu; angular velocity [rad/s]; angular_velocity.x angular_velocity.y angular_velocity.z
sensor_msgs/msg/Imu; specific force [m/s2]; linear_acceleration.x linear_acceleration.y linear_acceleration.z
sensor_msgs/msg/MagneticField; magnetic field [T]; magnetic_field.x magnetic_field.y magnetic_field.z
sensor_msgs/msg/FluidPressure; pressure [Pa]; fluid_pressure
sensor_msgs/msg/Temperature; temperature [deg C]; temperature
sensor_msgs/msg/Range; range [m]; range
sensor_msgs/msg/BatteryState; voltage [V]; voltage
sensor_msgs/msg/BatteryState; current [A]; current
marine_acoustic_msgs/msg/Dvl; velocity [m/s]; velocity.x velocity.y velocity.z
marine_acoustic_msgs/msg/Dvl; altitude [m]; altitude
std_msgs/msg/Float64; value; data
geometry_msgs/msg/WrenchStamped; force [N]; wrench.force.x wrench.force.y wrench.force.z";

/// Colours of the curves of a plot.
const COLOURS: [&str; 3] = ["#c82828", "#1e5ab4", "#1e8c46"];
/// Maximum number of plots of a robot.
const MAX_PLOTS: usize = 12;
/// Maximum number of images of a robot in Foxglove.
const MAX_IMAGES: usize = 4;

/// Plot of fields of one topic.
struct Plot {
    title: String,
    topic: String,
    fields: Vec<&'static str>,
}

/// Topics of a world, by their use.
struct Topics {
    /// Name of each robot and its plots.
    robots: Vec<(String, Vec<Plot>)>,
    images: Vec<String>,
    /// Topics of satellite positions.
    fixes: Vec<String>,
    /// Topics of clouds and scans.
    clouds: Vec<String>,
    descriptions: Vec<String>,
}

/// Program that reads a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Foxglove, with layouts in JSON.
    Foxglove,
    /// PlotJuggler, with layouts in XML.
    PlotJuggler,
    /// RViz, with configurations in YAML.
    Rviz,
}

/// Returns the layout of a world, or of its robot with the index `robot`, as the text of a file.
pub fn layout(scene: &Scene, tool: Tool, robot: Option<usize>) -> String {
    match tool {
        Tool::Foxglove => format!("{:#}\n", foxglove(&collect(scene, robot))),
        Tool::PlotJuggler => plot_juggler(&collect(scene, robot)),
        Tool::Rviz => rviz::configuration(scene, robot),
    }
}

/// Returns true if a topic belongs to the robot with the index `robot`; every topic without a
/// robot.
fn belongs_to(scene: &Scene, robot: Option<usize>, topic: &str) -> bool {
    let Some(robot) = robot.and_then(|robot| scene.robots.get(robot)) else {
        return true;
    };
    let start = format!("{}/", absolute(&robot.in_namespace(&robot.name)));
    absolute(topic).starts_with(&start)
}

/// Collects the topics that layouts show.
fn collect(scene: &Scene, robot_index: Option<usize>) -> Topics {
    let mut outputs = Plan::new(scene).outputs;
    outputs.retain(|output| belongs_to(scene, robot_index, &output.topic));
    let of_types = |types: &[&str], limit: usize| -> Vec<String> {
        let own = outputs.iter().filter(|o| types.contains(&o.info.name));
        own.take(limit).map(|o| absolute(&o.topic)).collect()
    };
    let mut robots = Vec::new();
    for (k, robot) in scene.robots.iter().enumerate() {
        if robot_index.is_some_and(|shown| shown != k) {
            continue;
        }
        let start = format!("{}/", absolute(&robot.in_namespace(&robot.name)));
        let mut plots = Vec::new();
        for row in FIELDS.lines() {
            let mut columns = row.split("; ");
            let [type_name, title, fields] = [(); 3].map(|()| columns.next().unwrap_or_default());
            for output in outputs.iter().filter(|o| o.info.name == type_name) {
                let topic = absolute(&output.topic);
                if let Some(name) = topic.strip_prefix(&start) {
                    plots.push(Plot {
                        title: format!("{name}: {title}"),
                        topic,
                        fields: fields.split(' ').collect(),
                    });
                }
            }
        }
        plots.truncate(MAX_PLOTS);
        robots.push((robot.name.clone(), plots));
    }
    let images = ["sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage"];
    let clouds = ["sensor_msgs/msg/PointCloud2", "sensor_msgs/msg/LaserScan"];
    let descriptions = outputs
        .iter()
        .filter(|o| o.topic.ends_with("/robot_description"));
    Topics {
        robots,
        images: of_types(&images, MAX_IMAGES * scene.robots.len()),
        fixes: of_types(&["sensor_msgs/msg/NavSatFix"], usize::MAX),
        clouds: of_types(&clouds, usize::MAX),
        descriptions: descriptions.map(|o| absolute(&o.topic)).collect(),
    }
}

/// Returns the layout of Foxglove.
fn foxglove(topics: &Topics) -> Value {
    let mut panels = Map::new();
    let mut add = |kind: &str, config: Value| {
        let id = format!("{kind}!{}", panels.len() + 1);
        panels.insert(id, config);
    };
    let visible = |topic: &String| (topic.clone(), json!({"visible": true}));
    let layer = |(k, topic): (usize, &String)| {
        let urdf = json!({
            "layerId": "foxglove.Urdf", "instanceId": format!("urdf{k}"), "sourceType": "topic",
            "topic": topic, "visible": true, "order": k + 1,
        });
        (format!("urdf{k}"), urdf)
    };
    add(
        "3D",
        json!({
            "followTf": "world",
            "topics": topics.clouds.iter().map(visible).collect::<Map<_, _>>(),
            "layers": topics.descriptions.iter().enumerate().map(layer).collect::<Map<_, _>>(),
        }),
    );
    add(
        "DiagnosticSummary",
        json!({"minLevel": 0, "topicToRender": "/diagnostics"}),
    );
    for topic in &topics.images {
        add("Image", json!({"imageMode": {"imageTopic": topic}}));
    }
    for topic in &topics.fixes {
        add("map", json!({"followTopic": topic}));
    }
    for plot in topics.robots.iter().flat_map(|(_, plots)| plots) {
        let path = |(field, colour): (&&str, &str)| {
            json!({
                "value": format!("{}.{field}", plot.topic), "label": field, "color": colour,
                "enabled": true, "timestampMethod": "receiveTime",
            })
        };
        let paths = plot.fields.iter().zip(COLOURS).map(path);
        add(
            "Plot",
            json!({
                "title": plot.title, "paths": paths.collect::<Value>(), "showLegend": true,
                "isSynced": true, "xAxisVal": "timestamp",
            }),
        );
    }
    let ids: Vec<String> = panels.keys().cloned().collect();
    json!({
        "configById": panels,
        "globalVariables": {},
        "userNodes": {},
        "playbackConfig": {"speed": 1},
        "layout": split(&ids, false),
    })
}

/// Arranges panels in halves, alternately next to and below each other.
fn split(ids: &[String], below: bool) -> Value {
    match ids {
        [] => Value::Null,
        [only] => only.clone().into(),
        _ => {
            let (first, second) = ids.split_at(ids.len().div_ceil(2));
            json!({
                "direction": if below { "column" } else { "row" },
                "first": split(first, !below),
                "second": split(second, !below),
            })
        }
    }
}

/// Returns the layout of PlotJuggler: one tab per robot.
fn plot_juggler(topics: &Topics) -> String {
    let mut out = "<?xml version='1.0' encoding='UTF-8'?>\n<root>\n \
        <tabbed_widget name=\"Main Window\" parent=\"main_window\">\n"
        .to_owned();
    for (robot, plots) in topics.robots.iter().filter(|(_, plots)| !plots.is_empty()) {
        let sizes = vec![format!("{:.6}", 1.0 / plots.len() as f64); plots.len()];
        // writing to a String does not fail
        let _ = writeln!(
            out,
            "  <Tab tab_name=\"{}\" containers=\"1\">\n   <Container>\n    \
             <DockSplitter orientation=\"-\" count=\"{}\" sizes=\"{}\">",
            escaped(robot),
            plots.len(),
            sizes.join(";")
        );
        for plot in plots {
            let _ = writeln!(
                out,
                "     <DockArea name=\"{}\">\n      <plot style=\"Lines\" mode=\"TimeSeries\">",
                escaped(&plot.title)
            );
            out.push_str("       <limitY/>\n");
            for (field, colour) in plot.fields.iter().zip(COLOURS) {
                let name = format!("{}/{}", plot.topic, field.replace('.', "/"));
                let _ = writeln!(
                    out,
                    "       <curve name=\"{}\" color=\"{colour}\"/>",
                    escaped(&name)
                );
            }
            out.push_str("      </plot>\n     </DockArea>\n");
        }
        out.push_str("    </DockSplitter>\n   </Container>\n  </Tab>\n");
    }
    out.push_str(
        "  <currentTabIndex index=\"0\"/>\n </tabbed_widget>\n \
         <use_relative_time_offset enabled=\"1\"/>\n</root>\n",
    );
    out
}
