//! Topics, messages and curves of inertial sensors, magnetometers and navigation instruments.

use crate::convert::curves::{Axis, Components, Curves, curves};
use crate::convert::topic::{Publish, Sample, Topic, publish};
use crate::convert::{
    WORLD_FRAME, diagonal, diagonal6, header, pose, profile, quaternion, twist, vector3,
};
use merrow_math::{Mat3, Quat, Vec3};
use merrow_model::scene::{Robot, SensorKind};
use merrow_model::sensor::gnss::{Augmentation, GnssSpec, GnssSystem, HeadingReceiver};
use merrow_model::sensor::inertial::{AhrsSpec, ImuSpec, InsSpec, MagnetometerSpec};
use merrow_model::sensor::{gnss, inertial};
use merrow_ros2::msg::geometry_msgs::{PoseWithCovariance, TwistWithCovarianceStamped, Vector3};
use merrow_ros2::msg::nav_msgs::Odometry;
use merrow_ros2::msg::sensor_msgs::{Imu, MagneticField, NavSatFix, NavSatStatus};
use merrow_ros2::msg::std_msgs::Header;

/// Variance of unmeasured roll and pitch, as used by drivers of dual-antenna receivers [rad²].
const UNKNOWN: f64 = 1000.0;

publish! {
    ImuSpec {
        "/data" => |s| imu(&profile::imu(s.model(), s.data), body_header(s));
    }
    AhrsSpec {
        "/data" => |s| imu(&profile::imu(s.model(), s.data), body_header(s));
    }
    MagnetometerSpec {
        "/data" => |s| magnetic_field(&profile::magnetic_field(s.model(), s.data), body_header(s));
    }
    HeadingReceiver {
        "/navheading" => |s| heading(s.data, s.header());
    }
    InsSpec {
        "/odometry" => |s| {
            let reading = profile::navigation(s.model(), s.data);
            let header = header(s.stamp_ns, profile::world_frame(s.model()));
            odometry(&reading, header, profile::body_frame(s.model(), s.frame()))
        };
        "/fix" => |s| position(s.data, systems(s.model(), s.index), s.header());
    }
}

curves! {
    inertial::Magnetometer, |r| {
        "magnetic field [uT]" => r.field.scale(1e6);
    }
    gnss::Heading, |r| {
        "heading from east [deg]" => r.yaw.to_degrees();
    }
    inertial::Navigation, |r| {
        "position in the world [m]" => r.p_WS;
        "velocity [m/s]" => r.v_WS_S;
        "attitude [deg]" => r.q_WS;
    }
}

/// Returns the header of a message in the sensor frame with the axes of the profile.
fn body_header<S, D>(s: &Sample<'_, S, D>) -> Header {
    header(s.stamp_ns, &profile::body_frame(s.model(), s.frame()))
}

impl Curves for inertial::Imu {
    fn axes(&self) -> Vec<Axis> {
        let (rates, acceleration) = (self.angular_velocity, self.linear_acceleration);
        let mut all = vec![
            ("angular velocity [rad/s]".into(), rates.components()),
            (
                "proper acceleration [m/s²]".into(),
                acceleration.components(),
            ),
        ];
        let attitude = self.orientation.map(Components::components);
        all.extend(attitude.map(|angles| ("attitude [deg]".into(), angles)));
        all
    }
}

/// Converts a reading of an IMU. Without orientation the first element of its covariance is -1.
pub fn imu(r: &inertial::Imu, header: Header) -> Imu {
    let [gyro, accelerometer, attitude] = r.variances;
    let mut orientation_covariance = diagonal(attitude.to_array());
    if r.orientation.is_none() {
        orientation_covariance[0] = -1.0;
    }
    Imu {
        header,
        orientation: quaternion(r.orientation.unwrap_or(Quat::identity())),
        orientation_covariance,
        angular_velocity: vector3(r.angular_velocity),
        angular_velocity_covariance: covariance_or_missing(r.angular_velocity, gyro),
        linear_acceleration: vector3(r.linear_acceleration),
        linear_acceleration_covariance: covariance_or_missing(r.linear_acceleration, accelerometer),
    }
}

/// Returns the covariance of a measurement; its diagonal is -1 if the measurement is NaN.
fn covariance_or_missing(measured: Vec3, variances: Vec3) -> [f64; 9] {
    diagonal(if measured.x.is_nan() {
        [-1.0; 3]
    } else {
        variances.to_array()
    })
}

/// Converts a magnetic field [T].
pub fn magnetic_field(r: &inertial::Magnetometer, header: Header) -> MagneticField {
    MagneticField {
        header,
        magnetic_field: vector3(r.field),
        magnetic_field_covariance: diagonal(r.variances.to_array()),
    }
}

impl Publish for GnssSpec {
    fn topics(&self, _: f64) -> Vec<Topic> {
        let mut all = vec![Topic::of_reading::<Self, _>("/fix", |s| {
            Some(nav_sat_fix(s.data, &s.spec.receiver.systems, s.header()))
        })];
        if self.receiver.velocity_std_m_s.is_some() {
            all.push(Topic::of_reading::<Self, _>("/vel", |s| {
                fix_velocity(s.data, s.stamp_ns)
            }));
        }
        all
    }
}

impl Curves for gnss::Gnss {
    fn axes(&self) -> Vec<Axis> {
        let [latitude, longitude, height] = self.position;
        let mut all: Vec<Axis> = vec![
            ("latitude [deg]".into(), latitude.to_degrees().components()),
            (
                "longitude [deg]".into(),
                longitude.to_degrees().components(),
            ),
            ("height [m]".into(), height.components()),
        ];
        let satellites = self.satellites.map(|n| (n as f64).components());
        all.extend(satellites.map(|n| ("satellites".into(), n)));
        all
    }
}

/// Converts a GNSS fix of a receiver that uses `systems`. Without a fix, the
/// position is NaN and the covariance unknown.
fn nav_sat_fix(r: &gnss::Gnss, systems: &[GnssSystem], header: Header) -> NavSatFix {
    let [latitude, longitude, altitude] = r.position;
    let status = match (r.fix, r.augmentation) {
        (false, _) => NavSatStatus::STATUS_NO_FIX,
        (true, Augmentation::None) => NavSatStatus::STATUS_FIX,
        (true, Augmentation::Satellites) => NavSatStatus::STATUS_SBAS_FIX,
        (true, Augmentation::Ground) => NavSatStatus::STATUS_GBAS_FIX,
    };
    NavSatFix {
        header,
        status: NavSatStatus {
            status,
            service: service(systems),
        },
        latitude: latitude.to_degrees(),
        longitude: longitude.to_degrees(),
        altitude,
        position_covariance: if r.fix {
            diagonal(r.variances)
        } else {
            [0.0; 9]
        },
        position_covariance_type: if r.fix {
            NavSatFix::COVARIANCE_TYPE_DIAGONAL_KNOWN
        } else {
            NavSatFix::COVARIANCE_TYPE_UNKNOWN
        },
    }
}

/// Converts the satellite systems of a receiver to the bits of the message.
fn service(systems: &[GnssSystem]) -> u16 {
    let bit = |system: &GnssSystem| match system {
        GnssSystem::Gps => NavSatStatus::SERVICE_GPS,
        GnssSystem::Glonass => NavSatStatus::SERVICE_GLONASS,
        GnssSystem::Beidou => NavSatStatus::SERVICE_COMPASS,
        GnssSystem::Galileo => NavSatStatus::SERVICE_GALILEO,
    };
    systems.iter().fold(0, |all, system| all | bit(system))
}

/// Returns the satellite systems that a sensor uses: the systems of its own receiver, or of the
/// receiver that aids it.
pub fn systems(robot: &Robot, sensor: usize) -> &[GnssSystem] {
    match &robot.sensors[sensor].kind {
        SensorKind::Gnss(spec) => &spec.receiver.systems,
        SensorKind::Ins(spec) => spec
            .aids
            .gnss
            .as_ref()
            .map_or(&[], |aid| systems(robot, aid.sensor)),
        _ => &[],
    }
}

/// Converts the velocity of a receiver's antenna along east, north and up, in the world frame.
/// Returns `None` without a fix.
fn fix_velocity(r: &gnss::Gnss, stamp_ns: u64) -> Option<TwistWithCovarianceStamped> {
    r.velocity.is_finite().then(|| {
        let [x, y, z] = r.velocity_variances;
        // angular velocity is not measured
        let covariance = diagonal6([x, y, z, -1.0, 0.0, 0.0]);
        TwistWithCovarianceStamped {
            header: header(stamp_ns, WORLD_FRAME),
            twist: twist([r.velocity, Vec3::zero()], covariance),
        }
    })
}

/// Converts the heading of a dual-antenna receiver as drivers do: an orientation with a known
/// yaw only. Without heading the first element of the covariance is -1.
pub fn heading(r: &gnss::Heading, header: Header) -> Imu {
    let known = r.yaw.is_finite();
    let no_reading = diagonal([-1.0, 0.0, 0.0]);
    Imu {
        header,
        orientation: quaternion(if known {
            Quat::from_rpy(0.0, 0.0, r.yaw)
        } else {
            Quat::identity()
        }),
        orientation_covariance: if known {
            diagonal([UNKNOWN, UNKNOWN, r.variance])
        } else {
            no_reading
        },
        angular_velocity: Vector3::default(),
        angular_velocity_covariance: no_reading,
        linear_acceleration: Vector3::default(),
        linear_acceleration_covariance: no_reading,
    }
}

/// Converts the solution of an INS: pose in the frame of `header`, its covariance about the axes of
/// this frame, and velocity in the child frame.
pub fn odometry(r: &inertial::Navigation, header: Header, child_frame_id: String) -> Odometry {
    let (cross, zero) = (&r.cross_covariance, Mat3::zero());
    let position = [
        [&r.position_covariance.full(), cross],
        [&cross.transpose(), &r.attitude_covariance.full()],
    ];
    let mut rate = Mat3::identity();
    rate.r
        .iter_mut()
        .for_each(|row| *row = row.scale(r.rate_variance));
    let velocity = [[&r.velocity_covariance.full(), &zero], [&zero, &rate]];
    Odometry {
        header,
        child_frame_id,
        pose: PoseWithCovariance {
            pose: pose(r.p_WS, r.q_WS),
            covariance: join_blocks(position),
        },
        twist: twist([r.v_WS_S, r.w_WS_S], join_blocks(velocity)),
    }
}

/// Joins four 3x3 blocks to a row-major 6x6 matrix.
fn join_blocks(blocks: [[&Mat3; 2]; 2]) -> [f64; 36] {
    std::array::from_fn(|k| {
        let (i, j) = (k / 6, k % 6);
        blocks[i / 3][j / 3].r[i % 3][j % 3]
    })
}

/// Converts the position of an INS to geodetic coordinates. `systems` are the systems of the
/// receiver that aids the INS, if any.
pub fn position(r: &inertial::Navigation, systems: &[GnssSystem], header: Header) -> NavSatFix {
    let [latitude, longitude, altitude] = r.position;
    let c = r.position_covariance.full().r;
    NavSatFix {
        header,
        status: NavSatStatus {
            status: NavSatStatus::STATUS_FIX,
            service: service(systems),
        },
        latitude: latitude.to_degrees(),
        longitude: longitude.to_degrees(),
        altitude,
        position_covariance: std::array::from_fn(|k| c[k / 3][k % 3]),
        position_covariance_type: NavSatFix::COVARIANCE_TYPE_KNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::{Sym3, Vec3};

    fn known(a: f64) -> Sym3 {
        Sym3 {
            xx: a,
            xy: a + 0.1,
            xz: a + 0.2,
            yy: a + 1.0,
            yz: a + 1.2,
            zz: a + 2.0,
        }
    }

    // rows and columns of ROS: x, y, z, then rotations about x, y, z
    #[test]
    fn covariances_have_the_order_of_ros() {
        let cross = Mat3::from_rows(
            Vec3::new(7.0, 7.1, 7.2),
            Vec3::new(8.0, 8.1, 8.2),
            Vec3::new(9.0, 9.1, 9.2),
        );
        let reading = inertial::Navigation {
            p_WS: Vec3::new(1.0, 2.0, 3.0),
            q_WS: Quat::identity(),
            v_WS_S: Vec3::zero(),
            w_WS_S: Vec3::zero(),
            position: [0.5, -0.5, 4.0],
            position_covariance: known(10.0),
            cross_covariance: cross,
            attitude_covariance: known(20.0),
            velocity_covariance: known(30.0),
            rate_variance: 0.25,
        };
        let head = header(1_500_000_000, WORLD_FRAME);
        let message = odometry(&reading, head, "rov/ins".to_string());
        let pose = message.pose.covariance;
        assert_eq!(
            (pose[0], pose[1], pose[8], pose[14]),
            (10.0, 10.1, 11.2, 12.0)
        );
        assert_eq!(
            (pose[3], pose[4], pose[11], pose[18], pose[24]),
            (7.0, 7.1, 8.2, 7.0, 7.1)
        );
        assert_eq!((pose[21], pose[22], pose[35]), (20.0, 20.1, 22.0));
        assert!(
            (0..36).all(|k| pose[k] == pose[6 * (k % 6) + k / 6]),
            "not symmetric"
        );
        let twist = message.twist.covariance;
        assert_eq!(
            (twist[0], twist[7], twist[21], twist[28], twist[3]),
            (30.0, 31.0, 0.25, 0.25, 0.0)
        );
        assert_eq!(
            (
                message.header.frame_id.as_str(),
                message.child_frame_id.as_str()
            ),
            ("world", "rov/ins")
        );
        let fix = position(&reading, &[GnssSystem::Gps], header(0, "rov/ins"));
        assert_eq!(fix.status.service, NavSatStatus::SERVICE_GPS);
        assert_eq!((fix.altitude, fix.position_covariance[1]), (4.0, 10.1));
        assert_eq!(
            fix.position_covariance_type,
            NavSatFix::COVARIANCE_TYPE_KNOWN
        );
    }

    #[test]
    fn missing_heading_has_no_orientation() {
        let yes = heading(
            &gnss::Heading {
                yaw: 1.0,
                variance: 0.01,
            },
            header(0, "boat/heading"),
        );
        assert_eq!(
            yes.orientation_covariance,
            [1000.0, 0.0, 0.0, 0.0, 1000.0, 0.0, 0.0, 0.0, 0.01]
        );
        assert!((yes.orientation.z - 0.5_f64.sin()).abs() < 1e-15 && yes.orientation.x == 0.0);
        assert_eq!(
            (
                yes.angular_velocity_covariance[0],
                yes.linear_acceleration_covariance[0]
            ),
            (-1.0, -1.0)
        );
        let no = heading(
            &gnss::Heading {
                yaw: f64::NAN,
                variance: 1.0,
            },
            header(0, "boat/heading"),
        );
        assert_eq!(
            (no.orientation_covariance[0], no.orientation.w),
            (-1.0, 1.0)
        );
    }

    #[test]
    fn fix_status_names_the_augmentation() {
        let mut reading = gnss::Gnss {
            fix: true,
            position: [0.1, 0.2, 5.0],
            velocity: Vec3::new(1.0, 2.0, 3.0),
            variances: [1.0, 2.0, 3.0],
            velocity_variances: [0.1, 0.2, 0.3],
            augmentation: Augmentation::Ground,
            satellites: Some(9),
            dilution: None,
        };
        let all = &[
            GnssSystem::Gps,
            GnssSystem::Glonass,
            GnssSystem::Beidou,
            GnssSystem::Galileo,
        ];
        let fix = |r: &gnss::Gnss| nav_sat_fix(r, all, header(0, "g"));
        let status = |r: &gnss::Gnss| fix(r).status.status;
        let covariance =
            |r: &gnss::Gnss| (fix(r).position_covariance, fix(r).position_covariance_type);
        assert_eq!(
            (fix(&reading).status.service, covariance(&reading).0[8]),
            (15, 3.0)
        );
        assert_eq!(status(&reading), NavSatStatus::STATUS_GBAS_FIX);
        let twist = fix_velocity(&reading, 0).expect("a velocity").twist;
        assert_eq!(
            (
                twist.twist.linear.y,
                twist.covariance[14],
                twist.covariance[21]
            ),
            (2.0, 0.3, -1.0)
        );
        (reading.fix, reading.velocity.x) = (false, f64::NAN);
        assert_eq!(
            (status(&reading), fix_velocity(&reading, 0).is_none()),
            (NavSatStatus::STATUS_NO_FIX, true)
        );
        assert_eq!(
            covariance(&reading),
            ([0.0; 9], NavSatFix::COVARIANCE_TYPE_UNKNOWN)
        );
    }
}
