//! Node that makes maps of a boat: voxels, depths and the cost map.

use std::collections::VecDeque;

use merrow_messages::msg::marine_acoustic_msgs::RawSonarImage;
use merrow_ros2::msg::geometry_msgs::{Point, Pose, Quaternion};
use merrow_ros2::msg::nav_msgs::{MapMetaData, OccupancyGrid, Odometry};
use merrow_ros2::msg::sensor_msgs::PointCloud2;
use merrow_ros2::msg::tf2_msgs::TFMessage;
use merrow_ros2::qos::Qos;
use nalgebra::{Isometry3, Point3, Vector3};

use super::cost::{Clearance, Grid, Surroundings, costs};
use super::depth::{DepthMap, bed, echoes};
use super::range_image::{Beams, RangeImage};
use super::voxels::VoxelMap;
use crate::clouds::{cloud, read_points};
use crate::estimation::node::estimate_topic;
use crate::frames::{MAP_FRAME, StaticFrames, header, isometry, stamp_ns};
use crate::node::{Node, Outbox, Output, Ports};

/// Edge of a voxel and of a cell of the cost map [m].
const EDGE_M: f64 = 0.5;
/// Edge of a cell of the depths [m].
const DEPTH_EDGE_M: f64 = 1.0;
/// Heights of the voxels that are kept, and of those that are in the way of a boat [m].
const KEPT_HEIGHTS_M: (f64, f64) = (-1.0, 4.0);
const BOAT_HEIGHTS_M: (f64, f64) = (-0.5, 2.5);
/// Height above the water below which an echo can be a wave [m].
const WAVES_M: f64 = 0.25;
/// Range to which rays free voxels [m].
const FREE_M: f64 = 45.0;
/// Number of cells along an edge of the cost map.
const SIDE: usize = 400;
/// Period of the cost map, and of voxels and depths [s].
const COST_PERIOD_S: f64 = 1.0;
const CLOUD_PERIOD_S: f64 = 5.0;
/// Shortest time between two clouds of one topic that are entered [ns].
const CLOUD_INTERVAL_NS: u64 = 450_000_000;
/// Time for which poses are kept [ns].
const POSES_NS: u64 = 5_000_000_000;

/// Settings of the node.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Name of the robot, which its topics start with.
    pub robot: String,
    /// Names of the point clouds in the topics of the robot, such as `lidar`, each with its beams if
    /// it turns all round: the map then forgets what has moved away.
    pub clouds: Vec<(String, Option<Beams>)>,
    /// Name of the scanning sonar; `None` without one.
    pub sonar: Option<String>,
    /// Radius around the base in which echoes are those of the boat itself [m].
    pub own_radius_m: f64,
    /// Sizes for the costs.
    pub clearance: Clearance,
}

/// The node.
pub struct Mapper {
    settings: Settings,
    cost_map: Output<OccupancyGrid>,
    voxel_cloud: Output<PointCloud2>,
    depth_cloud: Output<PointCloud2>,
    frames: StaticFrames,
    /// Poses of the base with their times [ns].
    poses: VecDeque<(u64, Isometry3<f64>)>,
    voxels: VoxelMap,
    depths: DepthMap,
    /// Time from which on a cloud is entered again [ns], per topic.
    next_cloud_ns: Vec<u64>,
}

/// Returns the topic of the cost map of a robot.
pub fn cost_map_topic(robot: &str) -> String {
    format!("/{robot}/mission/cost_map")
}

/// Returns the topic of the measured depths of a robot.
pub fn depth_topic(robot: &str) -> String {
    format!("/{robot}/mission/depths")
}

impl Mapper {
    /// Creates the node.
    pub fn new(settings: Settings) -> Self {
        let robot = &settings.robot;
        Self {
            cost_map: Output::new(cost_map_topic(robot), Qos::LATCHED),
            voxel_cloud: Output::new(format!("/{robot}/mission/voxels"), Qos::LATCHED),
            depth_cloud: Output::new(depth_topic(robot), Qos::LATCHED),
            frames: StaticFrames::default(),
            poses: VecDeque::new(),
            voxels: VoxelMap::new(EDGE_M, KEPT_HEIGHTS_M),
            depths: DepthMap::new(DEPTH_EDGE_M),
            next_cloud_ns: vec![0; settings.clouds.len()],
            settings,
        }
    }

    fn base(&self) -> String {
        format!("{}/base_link", self.settings.robot)
    }

    fn on_frames(&mut self, message: TFMessage, _: &mut Outbox) {
        self.frames.add(&message);
    }

    fn on_estimate(&mut self, message: Odometry, _: &mut Outbox) {
        let pose = &message.pose.pose;
        let at = stamp_ns(&message.header);
        let is_later = self.poses.back().is_none_or(|(last, _)| at > *last);
        if let (Some(pose), true) = (isometry(&pose.position, &pose.orientation), is_later) {
            self.poses.push_back((at, pose));
            while self
                .poses
                .front()
                .is_some_and(|(first, _)| first + POSES_NS < at)
            {
                self.poses.pop_front();
            }
        }
    }

    /// Returns the pose of the base at a time, between two estimates; a time after the last one gives
    /// the last one, if they are close.
    fn pose_at(&self, at_ns: u64) -> Option<Isometry3<f64>> {
        let after = self.poses.partition_point(|(at, _)| *at < at_ns);
        let Some((end_ns, end)) = self.poses.get(after) else {
            let (last_ns, last) = self.poses.back()?;
            return (last_ns + CLOUD_INTERVAL_NS > at_ns).then_some(*last);
        };
        if *end_ns == at_ns {
            return Some(*end);
        }
        let (start_ns, start) = self.poses.get(after.checked_sub(1)?)?;
        let part = (at_ns - start_ns) as f64 / (end_ns - start_ns) as f64;
        start.try_lerp_slerp(end, part, 1e-9)
    }

    fn on_cloud(&mut self, cloud: &PointCloud2, topic: usize, outbox: &mut Outbox) {
        let stamp = stamp_ns(&cloud.header);
        if stamp < self.next_cloud_ns[topic] {
            return;
        }
        let points = match read_points(cloud) {
            Ok(points) => points,
            Err(why) => {
                outbox.log(format!(
                    "refused a cloud of {}: {why}",
                    self.settings.clouds[topic].0
                ));
                return;
            }
        };
        let sensor = self.frames.to_base(&cloud.header.frame_id, &self.base());
        let last_s = points.iter().map(|p| p.1).fold(0.0, f64::max);
        let end_ns = stamp + (1e9 * last_s) as u64;
        let (Some(sensor), Some(start), Some(end)) =
            (sensor, self.pose_at(stamp), self.pose_at(end_ns))
        else {
            return;
        };
        self.next_cloud_ns[topic] = stamp + CLOUD_INTERVAL_NS;
        let own = self.settings.own_radius_m;
        let mut echoes = Vec::with_capacity(points.len());
        let beams = self.settings.clouds[topic].1;
        let mut image = beams.map(|beams| RangeImage::new(beams, &(start * sensor)));
        for (p, time_s) in points {
            let in_base = sensor * p;
            let part = if last_s > 0.0 { time_s / last_s } else { 0.0 };
            // the poses differ little: the chord is the arc
            let (a, b) = (start * in_base, end * in_base);
            let in_map = a + (b - a) * part;
            if let Some(image) = &mut image {
                image.add(&p, &in_map);
            }
            if in_map.z > WAVES_M && in_base.x.hypot(in_base.y) >= own {
                echoes.push(in_map);
            }
        }
        let origin = start * Point3::from(sensor.translation.vector);
        self.voxels.insert(&origin, &echoes, FREE_M);
        if let Some(image) = image {
            self.voxels
                .forget(&echoes, |centre| image.passes(centre, EDGE_M));
        }
    }

    fn on_ping(&mut self, ping: RawSonarImage, _: &mut Outbox) {
        let name = self.settings.sonar.as_deref().unwrap_or_default();
        let sonar_frame = format!("{}/{name}", self.settings.robot);
        let sensor = self.frames.to_base(&sonar_frame, &self.base());
        let pose = self.pose_at(stamp_ns(&ping.header));
        let (Some(sensor), Some(pose), Some(found)) = (sensor, pose, echoes(&ping)) else {
            return;
        };
        let at = pose * sensor;
        let (sin, cos) = libm::sincos(found.azimuth);
        let axis = at * Vector3::new(cos, sin, 0.0);
        let heading = libm::atan2(axis.y, axis.x);
        let depression = -libm::asin(axis.z.clamp(-1.0, 1.0));
        let (sin, cos) = libm::sincos(heading);
        let origin = at.translation.vector;
        let (depth, range) = bed(found.first_m, -origin.z, depression);
        self.depths
            .add([origin.x + range * cos, origin.y + range * sin], depth);
        if let Some(last) = found.last_m {
            let level = -0.5 * EDGE_M;
            let shore = Point3::new(origin.x + last * cos, origin.y + last * sin, level);
            let start = Point3::new(origin.x, origin.y, level);
            self.voxels.insert(&start, &[shore], FREE_M);
        }
    }

    fn publish_costs(&mut self, outbox: &mut Outbox) {
        let Some((at, pose)) = self.poses.back() else {
            return;
        };
        let grid = Grid::around([pose.translation.x, pose.translation.y], EDGE_M, SIDE);
        let around = self.surroundings(grid);
        let grid = &around.grid;
        let message = OccupancyGrid {
            header: header(MAP_FRAME, *at),
            info: MapMetaData {
                map_load_time: header(MAP_FRAME, *at).stamp,
                resolution: EDGE_M as f32,
                width: SIDE as u32,
                height: SIDE as u32,
                origin: Pose {
                    position: Point {
                        x: grid.corner[0],
                        y: grid.corner[1],
                        z: 0.0,
                    },
                    orientation: Quaternion {
                        w: 1.0,
                        ..Quaternion::default()
                    },
                },
            },
            data: costs(&around, &self.settings.clearance),
        };
        outbox.publish(&self.cost_map, &message);
    }

    /// Returns what the maps contain of the cells of a grid.
    fn surroundings(&self, grid: Grid) -> Surroundings {
        let mut around = Surroundings::unknown(grid);
        for (voxel, l) in self.voxels.known() {
            let p = self.voxels.centre(voxel);
            if p.z < BOAT_HEIGHTS_M.0 || p.z > BOAT_HEIGHTS_M.1 {
                continue;
            }
            if let Some(cell) = around.grid.index([p.x, p.y]) {
                around.is_obstacle[cell] |= l > 0.0;
                around.is_known[cell] |= p.z > 0.0;
            }
        }
        let cells_per_depth = (DEPTH_EDGE_M / EDGE_M) as usize;
        for (centre, depth) in self.depths.cells() {
            for k in 0..cells_per_depth * cells_per_depth {
                let part = [k % cells_per_depth, k / cells_per_depth];
                let p: [f64; 2] = std::array::from_fn(|i| {
                    centre[i] - 0.5 * DEPTH_EDGE_M + (part[i] as f64 + 0.5) * EDGE_M
                });
                if let Some(cell) = around.grid.index(p) {
                    around.depth_m[cell] = depth;
                }
            }
        }
        around
    }

    fn publish_clouds(&mut self, outbox: &mut Outbox) {
        let stamp = outbox.now_ns();
        let occupied = self
            .voxels
            .occupied()
            .into_iter()
            .map(|v| self.voxels.centre(v));
        outbox.publish(&self.voxel_cloud, &cloud(stamp, occupied));
        let depths = self
            .depths
            .cells()
            .map(|([x, y], depth)| Point3::new(x, y, -depth));
        outbox.publish(&self.depth_cloud, &cloud(stamp, depths));
    }
}

impl Node for Mapper {
    fn declare(&self, ports: &mut Ports<Self>) {
        let robot = &self.settings.robot;
        ports.subscribes("/tf_static", Qos::TF_STATIC, Self::on_frames);
        ports.subscribes(estimate_topic(robot), Qos::DEFAULT, Self::on_estimate);
        for (k, (name, _)) in self.settings.clouds.iter().enumerate() {
            let topic = format!("/{robot}/{name}/points");
            ports.subscribes(
                topic,
                Qos::DEFAULT,
                move |mapper: &mut Self, cloud, outbox| {
                    mapper.on_cloud(&cloud, k, outbox);
                },
            );
        }
        if let Some(name) = &self.settings.sonar {
            let topic = format!("/{robot}/{name}/image_raw");
            ports.subscribes(topic, Qos::DEFAULT, Self::on_ping);
        }
        ports.publishes(&self.cost_map);
        ports.publishes(&self.voxel_cloud);
        ports.publishes(&self.depth_cloud);
        ports.every(COST_PERIOD_S, Self::publish_costs);
        ports.every(CLOUD_PERIOD_S, Self::publish_clouds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::{from_roll_pitch_yaw, point, quaternion};
    use merrow_ros2::cdr::from_bytes;
    use merrow_ros2::msg::geometry_msgs::{Transform, TransformStamped, Vector3 as Arrow};

    fn mapper() -> Mapper {
        let mut mapper = Mapper::new(Settings {
            robot: "usv".to_owned(),
            clouds: vec![("lidar".to_owned(), None)],
            sonar: None,
            own_radius_m: 3.0,
            clearance: Clearance {
                radius_m: 1.5,
                inflation_m: 4.0,
                decay_per_m: 1.0,
                min_depth_m: 0.8,
                safe_depth_m: 1.6,
            },
        });
        let mut transform = TransformStamped {
            header: header("usv/base_link", 0),
            child_frame_id: "usv/lidar".to_owned(),
            transform: Transform::default(),
        };
        transform.transform.rotation.w = 1.0;
        transform.transform.translation = Arrow {
            x: 1.0,
            y: 0.0,
            z: 1.5,
        };
        let transforms = vec![transform];
        mapper.on_frames(TFMessage { transforms }, &mut Outbox::at(0));
        mapper
    }

    fn estimate(mapper: &mut Mapper, at: u64, x: f64, yaw: f64) {
        let mut odometry = Odometry {
            header: header(MAP_FRAME, at),
            ..Odometry::default()
        };
        odometry.pose.pose.position = point(&Point3::new(x, 0.0, 0.0));
        odometry.pose.pose.orientation = quaternion(&from_roll_pitch_yaw([0.0, 0.0, yaw]));
        mapper.on_estimate(odometry, &mut Outbox::at(at));
    }

    // A buoy 10 m ahead of the lidar of a boat that heads north is 11 m north of its base.
    #[test]
    fn echoes_are_entered_at_their_place_in_the_map() {
        let mut mapper = mapper();
        estimate(&mut mapper, 0, 5.0, std::f64::consts::FRAC_PI_2);
        estimate(&mut mapper, 40_000_000, 5.0, std::f64::consts::FRAC_PI_2);
        let echoes = [Point3::new(10.0, 0.0, -0.9), Point3::new(1.0, 0.0, 0.0)];
        let mut scan = cloud(20_000_000, echoes.into_iter());
        scan.header.frame_id = "usv/lidar".to_owned();
        let mut outbox = Outbox::at(40_000_000);
        mapper.on_cloud(&scan, 0, &mut outbox);
        let expected = mapper.voxels.voxel(&Point3::new(5.0, 11.0, 0.6));
        assert_eq!(
            mapper.voxels.occupied(),
            [expected],
            "the echo at 1 m is the boat itself"
        );
        mapper.publish_costs(&mut outbox);
        let [crate::node::Action::Publish { bytes, .. }] = &outbox.take()[..] else {
            panic!("expected the cost map only");
        };
        let map: OccupancyGrid = from_bytes(bytes).unwrap();
        assert_eq!(map.data.len(), SIDE * SIDE);
        let cell = |x: f64, y: f64| {
            let [column, row] = [
                x - map.info.origin.position.x,
                y - map.info.origin.position.y,
            ]
            .map(|d| (d / f64::from(map.info.resolution)) as usize);
            map.data[row * SIDE + column]
        };
        assert_eq!([cell(5.0, 11.0), cell(5.0, 9.8)], [100, 100]);
        assert!((1..100).contains(&cell(5.0, 8.6)), "inflated");
        assert_eq!(
            [cell(5.0, 4.0), cell(50.0, 4.0)],
            [0, -1],
            "seen and unseen"
        );
    }

    // Poses between two estimates are interpolated; a time before the first has none.
    #[test]
    fn poses_are_interpolated() {
        let mut mapper = mapper();
        estimate(&mut mapper, 100, 0.0, 0.0);
        estimate(&mut mapper, 200, 2.0, 0.2);
        let pose = mapper.pose_at(150).unwrap();
        assert!((pose.translation.x - 1.0).abs() < 1e-12);
        assert!((pose.rotation.angle() - 0.1).abs() < 1e-12);
        assert!(mapper.pose_at(50).is_none());
        assert!(mapper.pose_at(300).is_some());
        assert!(mapper.pose_at(10_000_000_000).is_none());
    }
}
