//! Node that steers a boat along its path with velocity commands.

use merrow_ros2::msg::geometry_msgs::{Twist, Vector3, Vector3Stamped};
use merrow_ros2::msg::nav_msgs::{OccupancyGrid, Odometry, Path};
use merrow_ros2::msg::std_msgs::Bool;
use merrow_ros2::qos::Qos;

use super::map::CostMap;
use super::pilot::{Drift, Limits, Motion, PERIOD_S, hold, steer};
use super::planner_node::path_topic;
use crate::estimation::node::estimate_topic;
use crate::frames::{MAP_FRAME, header, isometry, roll_pitch_yaw};
use crate::mapping::node::cost_map_topic;
use crate::node::{Node, Outbox, Output, Ports};

/// The node.
pub struct Pilot {
    robot: String,
    limits: Limits,
    command: Output<Twist>,
    current: Output<Vector3Stamped>,
    map: Option<CostMap>,
    motion: Option<Motion>,
    path: Vec<[f64; 2]>,
    drift: Drift,
    /// Place that is held [m]; `None` while a path is followed.
    held: Option<[f64; 2]>,
    is_asked_to_hold: bool,
}

/// Returns the topic with which other nodes stop a boat: `true` holds its place, `false` continues.
pub fn hold_topic(robot: &str) -> String {
    format!("/{robot}/mission/hold")
}

impl Pilot {
    /// Creates the node of a boat with its limits.
    pub fn new(robot: &str, limits: Limits) -> Self {
        Self {
            robot: robot.to_owned(),
            limits,
            command: Output::new(format!("/{robot}/cmd_vel"), Qos::DEFAULT),
            current: Output::new(format!("/{robot}/mission/current"), Qos::DEFAULT),
            map: None,
            motion: None,
            path: Vec::new(),
            drift: Drift::default(),
            held: None,
            is_asked_to_hold: false,
        }
    }

    fn on_map(&mut self, message: OccupancyGrid, outbox: &mut Outbox) {
        match CostMap::read(message) {
            Ok(map) => self.map = Some(map),
            Err(why) => outbox.log(format!("refused a cost map: {why}")),
        }
    }

    fn on_estimate(&mut self, message: Odometry, _: &mut Outbox) {
        let (pose, twist) = (&message.pose.pose, &message.twist.twist);
        let velocity = [twist.linear.x, twist.linear.y];
        let is_finite = velocity
            .iter()
            .chain([&twist.angular.z])
            .all(|v| v.is_finite());
        if let (Some(pose), true) = (isometry(&pose.position, &pose.orientation), is_finite) {
            self.motion = Some(Motion {
                place: [pose.translation.x, pose.translation.y],
                heading: roll_pitch_yaw(&pose.rotation)[2],
                velocity,
                yaw_rate: twist.angular.z,
            });
        }
    }

    fn on_path(&mut self, message: Path, _: &mut Outbox) {
        let places = message
            .poses
            .iter()
            .map(|p| [p.pose.position.x, p.pose.position.y]);
        let places: Vec<[f64; 2]> = places.collect();
        if places.iter().flatten().all(|c| c.is_finite()) {
            self.path = places;
        }
    }

    fn on_hold(&mut self, message: Bool, _: &mut Outbox) {
        self.is_asked_to_hold = message.data;
    }

    fn steer(&mut self, outbox: &mut Outbox) {
        let Some(motion) = &self.motion else {
            return;
        };
        self.drift.update(motion, self.limits.sway_s, PERIOD_S);
        let drift = self.drift.velocity();
        let map = self.map.as_ref();
        let has_way = !self.is_asked_to_hold && !self.path.is_empty();
        let [speed, rate] = match map.filter(|_| has_way) {
            Some(map) => {
                self.held = None;
                steer(map, motion, &self.path, drift, &self.limits)
            }
            None => {
                let place = *self.held.get_or_insert(motion.place);
                hold(map, motion, place, drift, &self.limits)
            }
        };
        let mut command = Twist::default();
        (command.linear.x, command.angular.z) = (speed, rate);
        outbox.publish(&self.command, &command);
        let current = Vector3Stamped {
            header: header(MAP_FRAME, outbox.now_ns()),
            vector: Vector3 {
                x: drift.x,
                y: drift.y,
                z: 0.0,
            },
        };
        outbox.publish(&self.current, &current);
    }
}

impl Node for Pilot {
    fn declare(&self, ports: &mut Ports<Self>) {
        ports.subscribes(cost_map_topic(&self.robot), Qos::LATCHED, Self::on_map);
        ports.subscribes(estimate_topic(&self.robot), Qos::DEFAULT, Self::on_estimate);
        ports.subscribes(path_topic(&self.robot), Qos::LATCHED, Self::on_path);
        ports.subscribes_if_present(hold_topic(&self.robot), Qos::LATCHED, Self::on_hold);
        ports.commands(&self.command);
        ports.publishes(&self.current);
        ports.every(PERIOD_S, Self::steer);
    }
}
