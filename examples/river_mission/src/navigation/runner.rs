//! Node that takes a boat from way-point to way-point.

use merrow_ros2::msg::geometry_msgs::{PoseStamped, Quaternion};
use merrow_ros2::msg::nav_msgs::{Odometry, Path};
use merrow_ros2::msg::std_msgs::String as Text;
use merrow_ros2::qos::Qos;
use nalgebra::Point3;

use super::planner::distance;
use super::planner_node::{goal_topic, path_topic};
use crate::estimation::node::estimate_topic;
use crate::frames::{MAP_FRAME, header, isometry, point};
use crate::node::{Node, Outbox, Output, Ports};

/// Distance at which a way-point is reached [m].
pub const REACHED_M: f64 = 3.0;
/// Time without a path after which a way-point is given up [ns].
const GIVEN_UP_NS: u64 = 45_000_000_000;
/// Time after which a way-point is given up that the boat has not come nearer to by a distance [m].
const STUCK_NS: u64 = 180_000_000_000;
const PROGRESS_M: f64 = 1.0;
/// Period of the progress [s].
const PERIOD_S: f64 = 0.2;

/// How a way-point ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Reached,
    GivenUp,
}

/// The node.
pub struct Runner {
    robot: String,
    way_points: Vec<[f64; 2]>,
    ended: Vec<Ended>,
    goal: Output<PoseStamped>,
    progress: Output<Text>,
    place: Option<[f64; 2]>,
    /// Whether the goal of the current way-point was published.
    is_sent: bool,
    /// Time since when there is no path [ns].
    without_path: Option<u64>,
    /// Least distance to the way-point [m], and its time [ns].
    nearest: Option<(f64, u64)>,
}

/// Returns the topic of the progress of a boat: `running`, or `done` after the last way-point, the
/// numbers of way-points that were reached and given up, and their total.
pub fn progress_topic(robot: &str) -> String {
    format!("/{robot}/mission/progress")
}

impl Runner {
    /// Creates the node of a boat with its way-points in the map [m].
    pub fn new(robot: &str, way_points: Vec<[f64; 2]>) -> Self {
        Self {
            robot: robot.to_owned(),
            way_points,
            ended: Vec::new(),
            goal: Output::new(goal_topic(robot), Qos::LATCHED),
            progress: Output::new(progress_topic(robot), Qos::LATCHED),
            place: None,
            is_sent: false,
            without_path: None,
            nearest: None,
        }
    }

    fn on_estimate(&mut self, message: Odometry, _: &mut Outbox) {
        let pose = &message.pose.pose;
        let pose = isometry(&pose.position, &pose.orientation);
        self.place = pose
            .map(|pose| [pose.translation.x, pose.translation.y])
            .or(self.place);
    }

    fn on_path(&mut self, path: Path, outbox: &mut Outbox) {
        self.without_path = match path.poses.is_empty() {
            true => self.without_path.or(Some(outbox.now_ns())),
            false => None,
        };
    }

    fn run(&mut self, outbox: &mut Outbox) {
        let Some(place) = self.place else {
            return;
        };
        if let Some(way_point) = self.way_points.get(self.ended.len()) {
            let is_reached = distance(place, *way_point) <= REACHED_M;
            let now = outbox.now_ns();
            let away = distance(place, *way_point);
            let nearest = self.nearest.get_or_insert((away, now));
            if away < nearest.0 - PROGRESS_M {
                *nearest = (away, now);
            }
            let is_stuck = now > nearest.1 + STUCK_NS;
            let without = self.without_path;
            let is_blocked = without.is_some_and(|since| now > since + GIVEN_UP_NS);
            let is_given_up = is_stuck || is_blocked;
            if is_reached || is_given_up {
                let number = self.ended.len() + 1;
                let (how, ended) = match is_reached {
                    true => ("reached", Ended::Reached),
                    false => ("given up", Ended::GivenUp),
                };
                outbox.log(format!(
                    "way-point {number} of {} {how}",
                    self.way_points.len()
                ));
                self.ended.push(ended);
                (self.is_sent, self.without_path, self.nearest) = (false, None, None);
            }
        }
        if let Some([x, y]) = self
            .way_points
            .get(self.ended.len())
            .filter(|_| !self.is_sent)
        {
            let mut goal = PoseStamped {
                header: header(MAP_FRAME, outbox.now_ns()),
                ..PoseStamped::default()
            };
            goal.pose.position = point(&Point3::new(*x, *y, 0.0));
            goal.pose.orientation = Quaternion {
                w: 1.0,
                ..Quaternion::default()
            };
            outbox.publish(&self.goal, &goal);
            self.is_sent = true;
        }
        let reached = self
            .ended
            .iter()
            .filter(|ended| **ended == Ended::Reached)
            .count();
        let (given_up, total) = (self.ended.len() - reached, self.way_points.len());
        let state = if self.ended.len() == total {
            "done"
        } else {
            "running"
        };
        let data = format!("{state} {reached} {given_up} {total}");
        outbox.publish(&self.progress, &Text { data });
    }
}

impl Node for Runner {
    fn declare(&self, ports: &mut Ports<Self>) {
        ports.subscribes(estimate_topic(&self.robot), Qos::DEFAULT, Self::on_estimate);
        ports.subscribes(path_topic(&self.robot), Qos::LATCHED, Self::on_path);
        ports.publishes(&self.goal);
        ports.publishes(&self.progress);
        ports.every(PERIOD_S, Self::run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Action;
    use merrow_ros2::cdr::from_bytes;

    fn at(runner: &mut Runner, x: f64, now_ns: u64) -> (Option<PoseStamped>, String) {
        let mut odometry = Odometry::default();
        odometry.pose.pose.position.x = x;
        odometry.pose.pose.orientation.w = 1.0;
        let mut outbox = Outbox::at(now_ns);
        runner.on_estimate(odometry, &mut outbox);
        runner.run(&mut outbox);
        let (mut goal, mut progress) = (None, String::new());
        for action in outbox.take() {
            match action {
                Action::Publish { topic, bytes } if topic.ends_with("goal") => {
                    goal = Some(from_bytes(&bytes).unwrap());
                }
                Action::Publish { bytes, .. } => {
                    progress = from_bytes::<Text>(&bytes).unwrap().data;
                }
                Action::Call { .. } | Action::Log(_) => {}
            }
        }
        (goal, progress)
    }

    #[test]
    fn way_points_are_reached_in_order() {
        let mut runner = Runner::new("usv", vec![[10.0, 0.0], [20.0, 0.0]]);
        let (goal, progress) = at(&mut runner, 0.0, 0);
        assert_eq!(goal.unwrap().pose.position.x, 10.0);
        assert_eq!(progress, "running 0 0 2");
        assert!(
            at(&mut runner, 5.0, 1).0.is_none(),
            "a goal is published once"
        );
        let (goal, progress) = at(&mut runner, 7.5, 2);
        assert_eq!(
            (goal.unwrap().pose.position.x, &*progress),
            (20.0, "running 1 0 2")
        );
        assert_eq!(at(&mut runner, 22.0, 3).1, "done 2 0 2");
    }

    #[test]
    fn a_way_point_that_comes_no_nearer_is_given_up() {
        let mut runner = Runner::new("usv", vec![[50.0, 0.0]]);
        at(&mut runner, 0.0, 0);
        at(&mut runner, 5.0, 100_000_000_000);
        assert_eq!(at(&mut runner, 5.5, 279_000_000_000).1, "running 0 0 1");
        assert_eq!(at(&mut runner, 5.5, 281_000_000_000).1, "done 0 1 1");
    }

    #[test]
    fn a_way_point_without_path_is_given_up() {
        let mut runner = Runner::new("usv", vec![[10.0, 0.0], [20.0, 0.0]]);
        at(&mut runner, 0.0, 0);
        runner.on_path(Path::default(), &mut Outbox::at(1_000_000_000));
        assert_eq!(at(&mut runner, 0.0, 40_000_000_000).1, "running 0 0 2");
        assert_eq!(at(&mut runner, 0.0, 47_000_000_000).1, "running 0 1 2");
    }
}
