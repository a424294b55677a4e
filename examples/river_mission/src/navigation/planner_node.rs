//! Node that plans a path to the goal again and again, on the newest cost map.

use merrow_ros2::msg::geometry_msgs::{PoseStamped, Quaternion};
use merrow_ros2::msg::nav_msgs::{OccupancyGrid, Odometry, Path};
use merrow_ros2::qos::Qos;
use nalgebra::Point3;

use super::map::CostMap;
use super::planner::plan;
use crate::estimation::node::estimate_topic;
use crate::frames::{MAP_FRAME, header, isometry, point, roll_pitch_yaw};
use crate::mapping::node::cost_map_topic;
use crate::node::{Node, Outbox, Output, Ports};

/// Period of the plans [s].
const PERIOD_S: f64 = 1.0;

/// The node.
pub struct Planner {
    robot: String,
    path: Output<Path>,
    map: Option<CostMap>,
    /// Place [m] and heading [rad].
    pose: Option<([f64; 2], f64)>,
    goal: Option<[f64; 2]>,
    has_path: bool,
}

/// Returns the topic of the goal of a robot.
pub fn goal_topic(robot: &str) -> String {
    format!("/{robot}/mission/goal")
}

/// Returns the topic of the planned path of a robot. An empty path means that there is none.
pub fn path_topic(robot: &str) -> String {
    format!("/{robot}/mission/path")
}

impl Planner {
    /// Creates the node of a robot.
    pub fn new(robot: &str) -> Self {
        Self {
            robot: robot.to_owned(),
            path: Output::new(path_topic(robot), Qos::LATCHED),
            map: None,
            pose: None,
            goal: None,
            has_path: true,
        }
    }

    fn on_map(&mut self, message: OccupancyGrid, outbox: &mut Outbox) {
        match CostMap::read(message) {
            Ok(map) => self.map = Some(map),
            Err(why) => outbox.log(format!("refused a cost map: {why}")),
        }
    }

    fn on_estimate(&mut self, message: Odometry, _: &mut Outbox) {
        let pose = &message.pose.pose;
        if let Some(pose) = isometry(&pose.position, &pose.orientation) {
            let heading = roll_pitch_yaw(&pose.rotation)[2];
            self.pose = Some(([pose.translation.x, pose.translation.y], heading));
        }
    }

    fn on_goal(&mut self, message: PoseStamped, outbox: &mut Outbox) {
        let p = [message.pose.position.x, message.pose.position.y];
        match p.iter().all(|c| c.is_finite()) {
            true => self.goal = Some(p),
            false => return outbox.log("refused a goal that is not finite"),
        }
        self.plan(outbox);
    }

    fn plan(&mut self, outbox: &mut Outbox) {
        let (Some(map), Some((start, heading)), Some(goal)) = (&self.map, self.pose, self.goal)
        else {
            return;
        };
        let found = plan(map, start, heading, goal);
        let has_path = found.is_some();
        if self.has_path && !has_path {
            outbox.log(format!(
                "no path to {:.1}, {:.1} m; the boat waits",
                goal[0], goal[1]
            ));
        }
        self.has_path = has_path;
        let stamp = outbox.now_ns();
        let poses = found.unwrap_or_default().into_iter().map(|[x, y]| {
            let mut pose = PoseStamped {
                header: header(MAP_FRAME, stamp),
                ..PoseStamped::default()
            };
            pose.pose.position = point(&Point3::new(x, y, 0.0));
            pose.pose.orientation = Quaternion {
                w: 1.0,
                ..Quaternion::default()
            };
            pose
        });
        let path = Path {
            header: header(MAP_FRAME, stamp),
            poses: poses.collect(),
        };
        outbox.publish(&self.path, &path);
    }
}

impl Node for Planner {
    fn declare(&self, ports: &mut Ports<Self>) {
        ports.subscribes(cost_map_topic(&self.robot), Qos::LATCHED, Self::on_map);
        ports.subscribes(estimate_topic(&self.robot), Qos::DEFAULT, Self::on_estimate);
        ports.subscribes(goal_topic(&self.robot), Qos::LATCHED, Self::on_goal);
        ports.publishes(&self.path);
        ports.every(PERIOD_S, Self::plan);
    }
}
