//! Node that estimates the pose of a robot and publishes it as `nav_msgs/msg/Odometry`.

use merrow_math::Vec3;
use merrow_math::ellipsoid::{axes, ecef};
use merrow_ros2::msg::geometry_msgs::{
    Pose, PoseWithCovariance, Twist, TwistWithCovariance, TwistWithCovarianceStamped,
    Vector3 as Arrow,
};
use merrow_ros2::msg::nav_msgs::Odometry;
use merrow_ros2::msg::sensor_msgs::{Imu, NavSatFix};
use merrow_ros2::qos::Qos;
use nalgebra::{Matrix3, Point3, Vector3};

use super::ekf::{DelayedFilter, Filter, ImuReading, Measurement, Noise};
use crate::frames::{MAP_FRAME, header, point, quaternion, roll_pitch_yaw, rotation, stamp_ns};
use crate::node::{Node, Outbox, Output, Ports};

/// Period of the estimates [s].
const PERIOD_S: f64 = 0.04;

/// Smallest variance of a compass heading [rad²]: the errors of a compass are no white noise.
const MIN_HEADING_VARIANCE: f64 = 1e-5;

/// Settings of the node.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Name of the robot, which its topics start with.
    pub robot: String,
    /// Name of the GNSS receiver in its topics.
    pub receiver: String,
    /// Latitude, longitude [deg] and height [m] of the origin of the map.
    pub datum: [f64; 3],
    /// Position of the antenna in the base [m].
    pub antenna: Vector3<f64>,
    /// Position of the IMU in the base [m].
    pub imu: Vector3<f64>,
    /// Noise of the filter.
    pub noise: Noise,
}

/// The node.
pub struct Estimator {
    settings: Settings,
    out: Output<Odometry>,
    filter: Option<DelayedFilter>,
    /// Last reading with its heading and variance, before the filter starts.
    last: Option<(ImuReading, f64, f64)>,
    /// Fixes and velocities that are newer than the last reading of the IMU.
    early: Vec<(u64, Measurement)>,
    refused: u64,
}

/// Returns the topic of the estimates of a robot.
pub fn estimate_topic(robot: &str) -> String {
    format!("/{robot}/mission/odometry")
}

impl Estimator {
    /// Creates the node.
    pub fn new(settings: Settings) -> Self {
        let out = Output::new(estimate_topic(&settings.robot), Qos::DEFAULT);
        Self {
            settings,
            out,
            filter: None,
            last: None,
            early: Vec::new(),
            refused: 0,
        }
    }

    fn on_imu(&mut self, message: Imu, _: &mut Outbox) {
        let vector = |v: &Arrow| Vector3::new(v.x, v.y, v.z);
        let rate = vector(&message.angular_velocity);
        let force = vector(&message.linear_acceleration);
        let attitude = rotation(&message.orientation);
        let (Some(attitude), true) = (attitude, (rate + force).iter().all(|c| c.is_finite()))
        else {
            return;
        };
        let [roll, pitch, heading] = roll_pitch_yaw(&attitude);
        let imu = ImuReading {
            stamp_ns: stamp_ns(&message.header),
            force,
            rate,
            tilt: [roll, pitch],
        };
        let variance = message.orientation_covariance[8].max(MIN_HEADING_VARIANCE);
        self.last = Some((imu, heading, variance));
        let Some(filter) = &mut self.filter else {
            return;
        };
        filter.predict(imu);
        filter.update(imu.stamp_ns, Measurement::Heading(heading, variance));
        let now_ns = filter.now_ns();
        for (at, measurement) in std::mem::take(&mut self.early) {
            match at <= now_ns {
                true => self.refused += u64::from(!filter.update(at, measurement)),
                false => self.early.push((at, measurement)),
            }
        }
    }

    fn on_fix(&mut self, fix: NavSatFix, outbox: &mut Outbox) {
        let values = [fix.latitude, fix.longitude, fix.altitude];
        let covariance = Matrix3::from_row_slice(&fix.position_covariance);
        let is_valid = fix.status.status >= 0 && values.iter().all(|v| v.is_finite());
        let has_covariance = (0..3).all(|k| covariance[(k, k)] > 0.0);
        if !is_valid || !has_covariance {
            return;
        }
        let position = self.to_map(values);
        let at = stamp_ns(&fix.header);
        match (&self.filter, self.last) {
            (Some(_), _) => self.measure(at, Measurement::Position(position, covariance)),
            (None, Some((imu, heading, variance))) => {
                let position_variance = covariance.diagonal().max() + 0.04;
                let filter = Filter::new(
                    position,
                    position_variance,
                    (heading, variance + 0.01),
                    self.settings.noise,
                    self.settings.antenna - self.settings.imu,
                );
                self.filter = Some(DelayedFilter::new(filter, imu));
                outbox.log("first fix: the estimation starts");
            }
            (None, None) => {}
        }
    }

    fn on_velocity(&mut self, message: TwistWithCovarianceStamped, _: &mut Outbox) {
        let v = &message.twist.twist.linear;
        let v = Vector3::new(v.x, v.y, v.z);
        let c = &message.twist.covariance;
        let covariance = Matrix3::from_fn(|i, j| c[6 * i + j]);
        if v.iter().all(|c| c.is_finite()) && (0..3).all(|k| covariance[(k, k)] > 0.0) {
            self.measure(
                stamp_ns(&message.header),
                Measurement::Velocity(v, covariance),
            );
        }
    }

    /// Updates the filter, or keeps a measurement that is newer than the last inputs.
    fn measure(&mut self, at: u64, measurement: Measurement) {
        if let Some(filter) = &mut self.filter {
            match at <= filter.now_ns() {
                true => self.refused += u64::from(!filter.update(at, measurement)),
                false => self.early.push((at, measurement)),
            }
        }
    }

    /// Converts latitude, longitude [deg] and height [m] to the map [m].
    fn to_map(&self, [latitude, longitude, height]: [f64; 3]) -> Vector3<f64> {
        let [lat0, lon0, h0] = self.settings.datum;
        let at = |lat: f64, lon: f64, h: f64| ecef(lat.to_radians(), lon.to_radians(), h);
        let (p, origin) = (at(latitude, longitude, height), at(lat0, lon0, h0));
        let d = Vec3::new(p.x - origin.x, p.y - origin.y, p.z - origin.z);
        let axes = axes(lat0.to_radians(), lon0.to_radians());
        Vector3::from_fn(|k, _| axes[k].x * d.x + axes[k].y * d.y + axes[k].z * d.z)
    }

    fn publish(&mut self, outbox: &mut Outbox) {
        let Some(delayed) = &self.filter else {
            return;
        };
        let (filter, imu) = (delayed.filter(), delayed.imu());
        let attitude = filter.rotation(imu.tilt);
        let mut rate = imu.rate;
        rate.z -= filter.rate_bias();
        // the filter has the motion of the IMU
        let arm = self.settings.imu;
        let p = filter.position() - attitude * arm;
        let v = attitude.inverse() * filter.velocity() - rate.cross(&arm);
        let mut pose_covariance = [0.0; 36];
        let mut twist_covariance = [0.0; 36];
        let R = attitude.to_rotation_matrix().into_inner();
        let velocity: Matrix3<f64> = filter.P.fixed_view::<3, 3>(3, 3).into();
        let velocity = R.transpose() * velocity * R;
        for i in 0..3 {
            for j in 0..3 {
                pose_covariance[6 * i + j] = filter.P[(i, j)];
                twist_covariance[6 * i + j] = velocity[(i, j)];
            }
        }
        pose_covariance[35] = filter.P[(6, 6)];
        twist_covariance[35] = filter.P[(7, 7)];
        let arrow = |v: Vector3<f64>| Arrow {
            x: v.x,
            y: v.y,
            z: v.z,
        };
        let odometry = Odometry {
            header: header(MAP_FRAME, delayed.now_ns()),
            child_frame_id: format!("{}/base_link", self.settings.robot),
            pose: PoseWithCovariance {
                pose: Pose {
                    position: point(&Point3::from(p)),
                    orientation: quaternion(&attitude),
                },
                covariance: pose_covariance,
            },
            twist: TwistWithCovariance {
                twist: Twist {
                    linear: arrow(v),
                    angular: arrow(rate),
                },
                covariance: twist_covariance,
            },
        };
        outbox.publish(&self.out, &odometry);
        if self.refused > 0 {
            outbox.log(format!(
                "{} measurements were older than the history",
                self.refused
            ));
            self.refused = 0;
        }
    }
}

impl Node for Estimator {
    fn declare(&self, ports: &mut Ports<Self>) {
        let Settings {
            robot, receiver, ..
        } = &self.settings;
        ports.subscribes(
            format!("/{robot}/imu/data"),
            Qos::reliable(100),
            Self::on_imu,
        );
        ports.subscribes(
            format!("/{robot}/{receiver}/fix"),
            Qos::DEFAULT,
            Self::on_fix,
        );
        ports.subscribes(
            format!("/{robot}/{receiver}/vel"),
            Qos::DEFAULT,
            Self::on_velocity,
        );
        ports.publishes(&self.out);
        ports.every(PERIOD_S, Self::publish);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::from_roll_pitch_yaw;
    use crate::node::Action;
    use merrow_ros2::cdr::from_bytes;

    // A boat rolls at its place: IMU and antenna swing above it, and the base has no velocity.
    #[test]
    fn the_base_of_a_rolling_boat_stands_still() {
        let (antenna, imu) = (Vector3::new(0.3, 0.0, 1.3), Vector3::new(0.3, -0.2, 1.3));
        let datum = [38.8, -8.9, 50.0];
        let mut node = Estimator::new(Settings {
            robot: "usv".to_owned(),
            receiver: "gps".to_owned(),
            datum,
            antenna,
            imu,
            noise: crate::mission::fleet::WAMV_NOISE,
        });
        let arrow = |v: Vector3<f64>| Arrow {
            x: v.x,
            y: v.y,
            z: v.z,
        };
        let (mut worst, mut swing, mut published) = (0.0_f64, 0.0_f64, 0);
        for k in 0..2000_u64 {
            let (at, t) = (k * 10_000_000, k as f64 * 0.01);
            let mut outbox = Outbox::at(at);
            let (sin, cos) = libm::sincos(4.0 * t);
            let (roll, rate, acceleration) = (0.1 * sin, 0.4 * cos, -1.6 * sin);
            let attitude = from_roll_pitch_yaw([roll, 0.0, 0.0]);
            let omega = Vector3::new(rate, 0.0, 0.0);
            let turn = Vector3::new(acceleration, 0.0, 0.0);
            let gravity = attitude.inverse() * Vector3::new(0.0, 0.0, 9.806_65);
            let force = turn.cross(&imu) + omega.cross(&omega.cross(&imu)) + gravity;
            let mut message = Imu {
                header: header("usv/imu", at),
                orientation: quaternion(&attitude),
                angular_velocity: arrow(omega),
                linear_acceleration: arrow(force),
                ..Imu::default()
            };
            message.orientation_covariance[8] = 1e-4;
            node.on_imu(message, &mut outbox);
            if k % 20 == 0 {
                let p = attitude * antenna;
                let mut fix = NavSatFix {
                    header: header("usv/gps", at),
                    latitude: datum[0] + p.y / 111_000.0,
                    longitude: datum[1] + p.x / 87_000.0,
                    altitude: datum[2] + p.z,
                    ..NavSatFix::default()
                };
                fix.status.status = 0;
                (0..3).for_each(|i| fix.position_covariance[4 * i] = 1e-3);
                node.on_fix(fix, &mut outbox);
                let velocity = attitude * omega.cross(&antenna);
                let mut message = TwistWithCovarianceStamped {
                    header: header("usv/gps", at),
                    ..TwistWithCovarianceStamped::default()
                };
                message.twist.twist.linear = arrow(velocity);
                (0..3).for_each(|i| message.twist.covariance[7 * i] = 4e-4);
                node.on_velocity(message, &mut outbox);
                swing = swing.max(velocity.y.abs());
            }
            outbox.take();
            node.publish(&mut outbox);
            for action in outbox.take() {
                if let (Action::Publish { bytes, .. }, true) = (action, t > 10.0) {
                    let v = from_bytes::<Odometry>(&bytes).unwrap().twist.twist.linear;
                    worst = worst.max(v.y.abs());
                    published += 1;
                }
            }
        }
        assert!(
            swing > 0.5 && worst < 0.02 && published > 900,
            "{swing} {worst} {published}"
        );
    }
}
