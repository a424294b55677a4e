//! Poses of robots, joints and fins from recorded transforms, or from true odometry.

use merrow_math::{Mat3, Quat, SpatialVelocity, Vec3};
use merrow_messages::convert::{WORLD_FRAME, from_point, from_quaternion, from_vector3};
use merrow_messages::frames::link_frame;
use merrow_model::kinematics::coupling::rotation_vector;
use merrow_model::scene::{JointKind, Link, Robot, Scene, Sensor};
use merrow_ros2::bag::index::{BagIndex, MessagePlace};
use merrow_ros2::cdr::from_bytes;
use merrow_ros2::msg::geometry_msgs::Transform;
use merrow_ros2::msg::nav_msgs::Odometry;
use merrow_ros2::msg::tf2_msgs::TFMessage;
use std::collections::HashMap;

/// Maximum number of messages of other nodes between two messages with poses.
const MAX_FOREIGN: usize = 64;
/// Maximum time between two samples between which poses are interpolated [ns].
const MAX_GAP_NS: u64 = 2_000_000_000;

/// Part of a robot that a transform places.
#[derive(Clone, Copy, Debug)]
enum PosedPart {
    Base,
    /// Joint of the link with this index.
    Joint(usize),
    Fin(usize),
}

/// Recorded pose of a robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RobotPose {
    /// Position and attitude of the base in W; `None` if they are not recorded.
    pub(crate) base: Option<(Vec3, Quat)>,
    /// Velocity of the base at its origin, in B.
    pub(crate) velocity: Option<SpatialVelocity>,
    /// Position of each joint [rad or m].
    pub(crate) joints: Vec<Option<f64>>,
    /// Angle of each fin [rad].
    pub(crate) fins: Vec<Option<f64>>,
}

/// Recorded poses of all robots at one time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample {
    /// Place of the message.
    place: Option<MessagePlace>,
    /// Simulated time of the poses [ns].
    pub(crate) stamp_ns: u64,
    pub(crate) robots: Vec<RobotPose>,
}

/// Names of the frames of a scene.
pub(crate) struct FrameIndex {
    parts: HashMap<String, (usize, PosedPart)>,
}

impl FrameIndex {
    pub(crate) fn new(scene: &Scene) -> Self {
        let mut parts = HashMap::new();
        for (k, robot) in scene.robots.iter().enumerate() {
            let own = |name: &str| format!("{}/{name}", robot.name);
            for (i, link) in robot.links.iter().enumerate().skip(1) {
                parts.insert(own(&link.name), (k, PosedPart::Joint(i)));
            }
            for (i, fin) in robot.fins.iter().enumerate() {
                parts.insert(own(&fin.name), (k, PosedPart::Fin(i)));
            }
            parts.insert(link_frame(robot, 0), (k, PosedPart::Base));
        }
        Self { parts }
    }

    /// Returns the poses of a message; `None` if it has no pose of a robot of the scene.
    fn sample(&self, scene: &Scene, message: &TFMessage) -> Option<Sample> {
        let robots = scene.robots.iter().map(|robot| RobotPose {
            joints: vec![None; robot.n_joints()],
            fins: vec![None; robot.fins.len()],
            ..RobotPose::default()
        });
        let mut sample = Sample {
            robots: robots.collect(),
            ..Sample::default()
        };
        let mut is_own = false;
        for one in &message.transforms {
            let Some(&(k, part)) = self.parts.get(&one.child_frame_id) else {
                continue;
            };
            let (robot, pose) = (&scene.robots[k], &mut sample.robots[k]);
            match part {
                PosedPart::Base if one.header.frame_id == WORLD_FRAME => {
                    let p = from_vector3(&one.transform.translation);
                    pose.base = Some((p, from_quaternion(&one.transform.rotation)));
                }
                PosedPart::Base => continue,
                PosedPart::Joint(link) => {
                    let q = joint_position(robot, &robot.links[link], &one.transform);
                    pose.joints[link - 1] = q;
                }
                PosedPart::Fin(fin) => {
                    let R = from_quaternion(&one.transform.rotation).matrix();
                    let turn = robot.fins[fin].R_UF.transpose().mul_mat(&R);
                    pose.fins[fin] = Some(angle_about_z(&turn));
                }
            }
            is_own = true;
            sample.stamp_ns = one.header.stamp.to_nanos();
        }
        is_own.then_some(sample)
    }
}

/// Returns the angle of a rotation about z [rad].
fn angle_about_z(R: &Mat3) -> f64 {
    libm::atan2(R.r[1].x, R.r[0].x)
}

/// Computes the position of a joint [rad or m] from the transform of its link: the inverse of
/// `merrow_messages::frames::joint_pose`.
fn joint_position(robot: &Robot, link: &Link, transform: &Transform) -> Option<f64> {
    let parent = &robot.links[link.parent.unwrap_or(0)];
    let joint = &link.joint;
    match joint.kind {
        JointKind::Fixed => None,
        JointKind::Prismatic => {
            let p_L = parent.R_LU.mul_vec(from_vector3(&transform.translation));
            Some((p_L - joint.p_PoCo0).dot(joint.R_PC0.col(2)))
        }
        JointKind::Revolute | JointKind::Continuous => {
            let R = from_quaternion(&transform.rotation).matrix();
            let R_L = parent.R_LU.mul_mat(&R);
            let R_PC0 = joint.R_PC0.transpose();
            let turn = R_PC0.mul_mat(&R_L.mul_mat(&link.R_LU.transpose()));
            Some(angle_about_z(&turn))
        }
    }
}

/// Source of poses in a bag.
pub(crate) enum Track {
    /// Transforms of the topic `/tf`.
    Transforms { topic: usize, frames: FrameIndex },
    /// True odometry of one robot, measured by one of its sensors.
    Odometry {
        topic: usize,
        robot: usize,
        sensor: usize,
    },
}

impl Track {
    fn topic(&self) -> usize {
        match self {
            Self::Transforms { topic, .. } | Self::Odometry { topic, .. } => *topic,
        }
    }

    /// Reads the sample at a place; `None` if it has no pose.
    fn read(
        &self,
        scene: &Scene,
        index: &mut BagIndex,
        place: MessagePlace,
    ) -> Result<Option<Sample>, String> {
        let bytes = index.read(&place)?;
        let sample = match self {
            Self::Transforms { frames, .. } => {
                let message = from_bytes::<TFMessage>(&bytes);
                let message = message.map_err(|e| format!("/tf: malformed message: {e}"))?;
                frames.sample(scene, &message)
            }
            Self::Odometry { robot, sensor, .. } => {
                let message = from_bytes::<Odometry>(&bytes);
                let message = message.map_err(|e| format!("odometry: malformed message: {e}"))?;
                let own = &scene.robots[*robot].sensors[*sensor];
                let mut robots = vec![RobotPose::default(); scene.robots.len()];
                robots[*robot].base = Some(base_of(own, &message));
                Some(Sample {
                    stamp_ns: message.header.stamp.to_nanos(),
                    robots,
                    ..Sample::default()
                })
            }
        };
        Ok(sample.map(|sample| Sample {
            place: Some(place),
            ..sample
        }))
    }

    /// Returns the newest sample up to a log time [ns].
    pub(crate) fn latest(
        &self,
        scene: &Scene,
        index: &mut BagIndex,
        mut log_ns: u64,
    ) -> Result<Option<Sample>, String> {
        for _ in 0..MAX_FOREIGN {
            let Some(place) = index.latest(self.topic(), log_ns)? else {
                return Ok(None);
            };
            if let Some(sample) = self.read(scene, index, place)? {
                return Ok(Some(sample));
            }
            let Some(before) = place.log_time_ns.checked_sub(1) else {
                return Ok(None);
            };
            log_ns = before;
        }
        Ok(None)
    }

    /// Returns the first sample after a log time [ns].
    pub(crate) fn next(
        &self,
        scene: &Scene,
        index: &mut BagIndex,
        mut log_ns: u64,
    ) -> Result<Option<Sample>, String> {
        for _ in 0..MAX_FOREIGN {
            let Some(place) = index.next(self.topic(), log_ns)? else {
                return Ok(None);
            };
            if let Some(sample) = self.read(scene, index, place)? {
                return Ok(Some(sample));
            }
            log_ns = place.log_time_ns;
        }
        Ok(None)
    }
}

/// Returns the pose of the base in W from the odometry of a sensor on it.
fn base_of(sensor: &Sensor, message: &Odometry) -> (Vec3, Quat) {
    let pose = &message.pose.pose;
    let p_WS = from_point(&pose.position);
    let R_WS = from_quaternion(&pose.orientation).matrix();
    let R_WB = R_WS.mul_mat(&sensor.R_LS.transpose());
    (p_WS - R_WB.mul_vec(sensor.p_LoS), Quat::from_matrix(&R_WB))
}

/// Pair of samples about the shown time.
#[derive(Default)]
pub(crate) struct Bracket {
    before: Option<Sample>,
    after: Option<Sample>,
}

impl Bracket {
    /// Moves the pair to a log time [ns].
    pub(crate) fn seek(
        &mut self,
        track: &Track,
        scene: &Scene,
        index: &mut BagIndex,
        log_ns: u64,
    ) -> Result<(), String> {
        let time = |sample: &Option<Sample>| Some(sample.as_ref()?.place?.log_time_ns);
        let (before, after) = (time(&self.before), time(&self.after));
        let is_current = before.is_some_and(|before| before <= log_ns)
            && after.is_some_and(|after| log_ns < after);
        if !is_current {
            self.before = match self.after.take() {
                // playing forward: the next sample has been read
                Some(next) if after.is_some_and(|after| after <= log_ns) => {
                    let later = index.next(track.topic(), after.unwrap_or(0))?;
                    let is_latest = later.is_none_or(|later| later.log_time_ns > log_ns);
                    match is_latest {
                        true => Some(next),
                        false => track.latest(scene, index, log_ns)?,
                    }
                }
                _ => track.latest(scene, index, log_ns)?,
            };
            self.after = track.next(scene, index, log_ns)?;
        }
        Ok(())
    }

    /// Returns the interpolated poses at a log time [ns].
    pub(crate) fn interpolate(&self, log_ns: u64) -> Option<Sample> {
        let (Some(a), Some(b)) = (&self.before, &self.after) else {
            // before the first and after the last sample
            let mut held = self.before.as_ref().or(self.after.as_ref()).cloned()?;
            let late = log_ns.saturating_sub(held.place?.log_time_ns);
            held.stamp_ns += late.min(MAX_GAP_NS);
            return Some(held);
        };
        let (from, to) = (a.place?.log_time_ns, b.place?.log_time_ns);
        let step_ns = b.stamp_ns.saturating_sub(a.stamp_ns);
        if step_ns == 0 || step_ns > MAX_GAP_NS || to <= from {
            return Some(a.clone());
        }
        let t = (log_ns.saturating_sub(from) as f64 / (to - from) as f64).clamp(0.0, 1.0);
        let robots = a.robots.iter().zip(&b.robots);
        Some(Sample {
            place: a.place,
            stamp_ns: a.stamp_ns + (t * step_ns as f64).round() as u64,
            robots: robots
                .map(|(a, b)| between(a, b, t, step_ns as f64 * 1e-9))
                .collect(),
        })
    }
}

/// Interpolates two poses `step_s` [s] apart at the fraction `t`.
fn between(a: &RobotPose, b: &RobotPose, t: f64, step_s: f64) -> RobotPose {
    let mix = |(x, y): (&Option<f64>, &Option<f64>)| {
        let (x, y) = ((*x)?, y.unwrap_or((*x)?));
        let turn = std::f64::consts::TAU;
        // the shorter way; a prismatic joint moves by less than half of 2 pi m between two samples
        Some(x + t * (y - x - turn * ((y - x) / turn).round()))
    };
    let both = |x: &[Option<f64>], y: &[Option<f64>]| x.iter().zip(y).map(mix).collect();
    let (base, velocity) = match (a.base, b.base) {
        (Some((p, q)), Some((p1, q1))) => {
            let turn = rotation_between(q, q1);
            let q_t = q.mul(&Quat::from_rotation_vector(turn.scale(t)));
            let velocity = SpatialVelocity {
                w: turn.scale(1.0 / step_s),
                v: q_t.matrix().tr_mul_vec((p1 - p).scale(1.0 / step_s)),
            };
            let p_t = p + (p1 - p).scale(t);
            (Some((p_t, q_t.normalized())), Some(velocity))
        }
        (base, _) => (base, None),
    };
    RobotPose {
        base,
        velocity,
        joints: both(&a.joints, &b.joints),
        fins: both(&a.fins, &b.fins),
    }
}

/// Returns the shortest rotation from `a` to `b`, in the axes of `a` [rad].
fn rotation_between(a: Quat, b: Quat) -> Vec3 {
    let inverse = Quat::new(a.w, -a.x, -a.y, -a.z);
    rotation_vector(&inverse.mul(&b).normalized())
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_messages::frames::{ObjectStates, moving_frames};
    use merrow_sim::Simulation;
    use merrow_world::{Overrides, load_text};
    use std::sync::Arc;

    // Poses are restored from transforms. Method: transforms of a boat with an arm and of a vehicle
    // with fins, at joint positions and angles that differ. Tolerance: rounding.
    #[test]
    fn poses_are_the_inverse_of_transforms() {
        let text = "robots: {a: {model: osu_uvms, position_m: [1, 2, -3]}, b: {model: remus100}}";
        let world = load_text("w.yaml", text, Overrides::default()).expect("a world");
        let mut simulation = Simulation::new(Arc::new(world.scene), 1).expect("a simulation");
        let scene = Arc::clone(&simulation.scene);
        for state in &mut simulation.state.robots {
            state.motion.q_WB = Quat::from_rpy(0.3, -0.2, 2.5);
            for (k, q) in state.motion.q.iter_mut().enumerate() {
                *q = 0.1 + 0.05 * k as f64;
            }
            for (k, fin) in state.fins.iter_mut().enumerate() {
                fin.angle = 0.2 - 0.1 * k as f64;
            }
        }
        let message = moving_frames(&scene, &ObjectStates::read(&simulation), |_| true);
        let sample = FrameIndex::new(&scene)
            .sample(&scene, &message)
            .expect("poses");
        let mut moving = [0, 0];
        for (pose, state) in sample.robots.iter().zip(&simulation.state.robots) {
            let (p, q) = pose.base.expect("a base");
            assert!((p - state.motion.p_WB).norm() < 1e-12);
            assert!(rotation_between(q, state.motion.q_WB).norm() < 1e-12);
            for (found, expected) in pose.joints.iter().zip(&state.motion.q) {
                moving[0] += usize::from(found.is_some());
                assert!(
                    found.is_none_or(|q| (q - expected).abs() < 1e-9),
                    "{found:?}"
                );
            }
            for (found, fin) in pose.fins.iter().zip(&state.fins) {
                moving[1] += usize::from(found.is_some());
                assert!(found.is_none_or(|angle| (angle - fin.angle).abs() < 1e-9));
            }
        }
        assert!(moving.iter().all(|n| *n > 1), "{moving:?}");
    }

    #[test]
    fn velocities_are_those_of_the_motion() {
        let turn = Vec3::new(0.0, 0.0, 0.2);
        let start = Quat::from_rpy(0.0, 0.0, 1.0);
        let end = start.mul(&Quat::from_rotation_vector(turn));
        let pose = |p: Vec3, q: Quat| RobotPose {
            base: Some((p, q)),
            ..RobotPose::default()
        };
        let from = pose(Vec3::zero(), start);
        let to = pose(start.matrix().mul_vec(Vec3::new(0.5, 0.0, 0.0)), end);
        let middle = between(&from, &to, 0.0, 0.5);
        let velocity = middle.velocity.expect("a velocity");
        assert!((velocity.v - Vec3::new(1.0, 0.0, 0.0)).norm() < 1e-12);
        assert!((velocity.w - Vec3::new(0.0, 0.0, 0.4)).norm() < 1e-12);
    }
}
