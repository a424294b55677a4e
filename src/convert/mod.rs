//! Conversion of readings to ROS messages, one function per message. This module alone handles the
//! quaternion order, units and missing-value rules of ROS.

pub mod camera;
pub mod contacts;
pub mod exteroceptive;
pub mod image;
pub mod instruments;
pub mod navigation;
pub mod obstacles;
pub mod positioning;
pub mod profile;
pub mod sonar;

use merrow_math::{Quat, Vec3};
use merrow_model::scene::Battery;
use merrow_model::state::BatteryState as Charge;
use merrow_model::state::reading;
use merrow_model::state::reading::DvlLock;
use merrow_ros2::msg::builtin_interfaces::Time;
use merrow_ros2::msg::geometry_msgs as geometry;
use merrow_ros2::msg::geometry_msgs::{
    Point, Pose, PoseStamped, PoseWithCovariance, Quaternion, Twist, TwistWithCovariance,
    TwistWithCovarianceStamped, Vector3, WrenchStamped,
};
use merrow_ros2::msg::marine_acoustic_msgs::Dvl;
use merrow_ros2::msg::nav_msgs::{Odometry, Path};
use merrow_ros2::msg::sensor_msgs::{BatteryState, FluidPressure, Imu, MagneticField, Range};
use merrow_ros2::msg::std_msgs::Header;

/// Name of the world frame: x east, y north, z up.
pub const WORLD_FRAME: &str = "world";

/// Converts simulation time [ns] to ROS time.
pub fn time(ns: u64) -> Time {
    Time::from_nanos(ns)
}

/// Builds a header from a time stamp [ns] and a frame.
pub fn header(stamp_ns: u64, frame_id: &str) -> Header {
    Header {
        stamp: time(stamp_ns),
        frame_id: frame_id.to_string(),
    }
}

/// Converts a vector to its message.
pub fn vector3(v: Vec3) -> Vector3 {
    Vector3 {
        x: v.x,
        y: v.y,
        z: v.z,
    }
}

/// Converts a position to its message.
pub fn point(v: Vec3) -> Point {
    Point {
        x: v.x,
        y: v.y,
        z: v.z,
    }
}

/// Converts a quaternion (w, x, y, z) to the ROS order (x, y, z, w).
pub fn quaternion(q: Quat) -> Quaternion {
    Quaternion {
        x: q.x,
        y: q.y,
        z: q.z,
        w: q.w,
    }
}

/// Converts a vector message to a vector.
pub fn from_vector3(v: &Vector3) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

/// Converts a quaternion message to a quaternion (w, x, y, z).
pub fn from_quaternion(q: &Quaternion) -> Quat {
    Quat {
        w: q.w,
        x: q.x,
        y: q.y,
        z: q.z,
    }
}

/// Builds a transform from position [m] and orientation.
pub fn transform(p: Vec3, q: Quat) -> geometry::Transform {
    geometry::Transform {
        translation: vector3(p),
        rotation: quaternion(q),
    }
}

/// Builds a row-major 3x3 covariance from its diagonal.
pub fn diagonal(d: [f64; 3]) -> [f64; 9] {
    [d[0], 0.0, 0.0, 0.0, d[1], 0.0, 0.0, 0.0, d[2]]
}

/// Converts a reading of an IMU. Without orientation the first element of its covariance is -1.
pub fn imu(r: &reading::Imu, header: Header) -> Imu {
    let [gyro, accelerometer, roll, pitch, yaw] = r.variances;
    let mut orientation_covariance = diagonal([roll, pitch, yaw]);
    if r.orientation.is_none() {
        orientation_covariance[0] = -1.0;
    }
    Imu {
        header,
        orientation: quaternion(r.orientation.unwrap_or(Quat::identity())),
        orientation_covariance,
        angular_velocity: vector3(r.angular_velocity),
        angular_velocity_covariance: diagonal([variance_or_missing(r.angular_velocity, gyro); 3]),
        linear_acceleration: vector3(r.linear_acceleration),
        linear_acceleration_covariance: diagonal(
            [variance_or_missing(r.linear_acceleration, accelerometer); 3],
        ),
    }
}

/// Returns the variance of a measurement, or -1 if it is NaN.
fn variance_or_missing(measured: Vec3, variance: f64) -> f64 {
    if measured.x.is_nan() { -1.0 } else { variance }
}

/// Orientation of the frame of a DVL message in S. Its z axis points along the instrument, which is
/// -z of S.
pub const Q_S_DVL: Quat = Quat {
    w: 0.0,
    x: 1.0,
    y: 0.0,
    z: 0.0,
};

/// Rotates a vector from S to the frame of a DVL message, half a turn about x.
fn to_dvl_frame(v: Vec3) -> Vec3 {
    Vec3::new(v.x, -v.y, -v.z)
}

/// Converts a DVL ping, in the frame given by [`Q_S_DVL`].
pub fn dvl(r: &reading::Dvl, header: Header) -> Dvl {
    let good = r.beams.iter().filter(|b| b.velocity.is_finite()).count() as u8;
    let [velocity_variance, range_variance] = r.beam_variances;
    let locked = r.lock != DvlLock::None;
    let (velocity, c) = (to_dvl_frame(r.velocity), r.covariance);
    let mut velocity_covar = [c[0], -c[1], -c[2], -c[3], c[4], c[5], -c[6], c[7], c[8]];
    if !locked {
        velocity_covar[0] = -1.0;
    }
    Dvl {
        header,
        velocity_mode: if r.lock == DvlLock::Water {
            Dvl::DVL_MODE_WATER
        } else {
            Dvl::DVL_MODE_BOTTOM
        },
        dvl_type: Dvl::DVL_TYPE_PISTON,
        velocity: vector3(velocity),
        velocity_covar,
        altitude: r.altitude,
        course_gnd: libm::atan2(velocity.y, velocity.x),
        speed_gnd: (velocity.x * velocity.x + velocity.y * velocity.y).sqrt(),
        num_good_beams: good,
        sound_speed: r.sound_speed as f32,
        beam_ranges_valid: r.beams.iter().any(|b| b.range.is_finite()),
        beam_velocities_valid: good > 0,
        beam_unit_vec: r.beams.map(|b| vector3(to_dvl_frame(b.direction))),
        range: r.beams.map(|b| b.range),
        range_covar: [range_variance as f32; 4],
        beam_quality: r
            .beams
            .map(|b| if b.velocity.is_finite() { 1.0 } else { 0.0 }),
        beam_velocity: r.beams.map(|b| b.velocity as f32),
        beam_velocity_covar: [velocity_variance as f32; 4],
    }
}

/// Converts the velocity of a DVL for estimators, in S. Returns `None` without bottom lock, because
/// the velocity is then not over ground.
pub fn dvl_twist(r: &reading::Dvl, header: Header) -> Option<TwistWithCovarianceStamped> {
    (r.lock == DvlLock::Bottom).then(|| {
        let mut covariance = [0.0; 36];
        for i in 0..3 {
            for j in 0..3 {
                covariance[6 * i + j] = r.covariance[3 * i + j];
            }
            // the instrument does not measure angular velocity
            covariance[7 * (i + 3)] = 1e6;
        }
        let twist = Twist {
            linear: vector3(r.velocity),
            angular: Vector3::default(),
        };
        TwistWithCovarianceStamped {
            header,
            twist: TwistWithCovariance { twist, covariance },
        }
    })
}

/// Converts an absolute pressure [Pa].
pub fn fluid_pressure(r: &reading::Pressure, header: Header) -> FluidPressure {
    FluidPressure {
        header,
        fluid_pressure: r.pressure,
        variance: r.variance,
    }
}

/// Converts a magnetic field [T].
pub fn magnetic_field(r: &reading::Magnetometer, header: Header) -> MagneticField {
    MagneticField {
        header,
        magnetic_field: vector3(r.field),
        magnetic_field_covariance: diagonal([r.variance; 3]),
    }
}

/// Converts the force [N] and torque [N m] through a joint.
pub fn wrench(r: &reading::Wrench, header: Header) -> WrenchStamped {
    let wrench = geometry::Wrench {
        force: vector3(r.force),
        torque: vector3(r.torque),
    };
    WrenchStamped { header, wrench }
}

/// Converts a range of an echo sounder [m].
pub fn range(r: &reading::Altimeter, header: Header) -> Range {
    Range {
        header,
        radiation_type: Range::ULTRASOUND,
        field_of_view: r.beam_width as f32,
        min_range: r.limits[0] as f32,
        max_range: r.limits[1] as f32,
        range: r.range as f32,
        variance: r.variance as f32,
    }
}

/// Converts the true pose in the world and the velocity in the child frame. True values have no
/// covariance; a small covariance is set for estimators that invert it.
pub fn odometry(r: &reading::Odometry, stamp_ns: u64, child_frame_id: &str) -> Odometry {
    let mut covariance = [0.0; 36];
    for i in 0..6 {
        covariance[7 * i] = 1e-9;
    }
    Odometry {
        header: header(stamp_ns, WORLD_FRAME),
        child_frame_id: child_frame_id.to_string(),
        pose: PoseWithCovariance {
            pose: Pose {
                position: point(r.p_WS),
                orientation: quaternion(r.q_WS),
            },
            covariance,
        },
        twist: TwistWithCovariance {
            twist: Twist {
                linear: vector3(r.v_WS_S),
                angular: vector3(r.w_WS_S),
            },
            covariance,
        },
    }
}

/// Converts the state of a battery. The current is negative while discharging, as the message
/// defines. A battery whose protection has tripped is reported as dead.
pub fn battery_state(battery: &Battery, charge: &Charge, header: Header) -> BatteryState {
    BatteryState {
        header,
        voltage: charge.voltage as f32,
        temperature: f32::NAN,
        current: -charge.current as f32,
        charge: (charge.charge * battery.capacity) as f32,
        capacity: battery.capacity as f32,
        design_capacity: battery.capacity as f32,
        percentage: charge.charge as f32,
        power_supply_status: match charge.current {
            i if i < 0.0 => BatteryState::POWER_SUPPLY_STATUS_CHARGING,
            i if i > 0.0 => BatteryState::POWER_SUPPLY_STATUS_DISCHARGING,
            _ if charge.charge >= 1.0 => BatteryState::POWER_SUPPLY_STATUS_FULL,
            _ => BatteryState::POWER_SUPPLY_STATUS_NOT_CHARGING,
        },
        power_supply_health: if charge.charge > 0.0 && charge.is_on() {
            BatteryState::POWER_SUPPLY_HEALTH_GOOD
        } else {
            BatteryState::POWER_SUPPLY_HEALTH_DEAD
        },
        power_supply_technology: battery.technology,
        present: true,
        ..BatteryState::default()
    }
}

/// Converts the positions of a tether's nodes (W) to a path with identity orientations, which rviz
/// draws as a line.
pub fn path(nodes: &[Vec3], stamp_ns: u64) -> Path {
    let pose = |p: &Vec3| PoseStamped {
        header: header(stamp_ns, WORLD_FRAME),
        pose: Pose {
            position: point(*p),
            ..Pose::default()
        },
    };
    Path {
        header: header(stamp_ns, WORLD_FRAME),
        poses: nodes.iter().map(pose).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::Mat3;
    use merrow_model::state::reading::DvlBeam;

    // Goal: the DVL message in its frame agrees with the reading in S, and z of that frame points
    // along the beams. Method: vectors and covariance rotated back by the rotation of the frame.
    // Tolerance: rounding.
    #[test]
    fn a_dvl_speaks_in_the_frame_that_points_where_it_does() {
        let beam = |x: f64, y: f64| DvlBeam {
            direction: Vec3::new(x, y, -(1.0 - x * x - y * y).sqrt()),
            bottom: true,
            range: 10.0,
            velocity: 0.1,
        };
        let covariance = [4.0, 0.1, 0.2, 0.1, 5.0, 0.3, 0.2, 0.3, 6.0];
        let r = reading::Dvl {
            velocity: Vec3::new(1.0, 0.5, -0.2),
            covariance,
            lock: DvlLock::Bottom,
            altitude: 9.0,
            beams: [
                beam(0.3, 0.0),
                beam(-0.3, 0.0),
                beam(0.0, 0.3),
                beam(0.0, -0.3),
            ],
            beam_variances: [0.0; 2],
            sound_speed: 1500.0,
        };
        let message = dvl(&r, Header::default());
        let turn = Q_S_DVL.matrix();
        let close = |a: Vec3, b: Vec3| assert!((a - b).norm() < 1e-15, "{a:?} {b:?}");
        close(turn.mul_vec(from_vector3(&message.velocity)), r.velocity);
        for (out, beam) in message.beam_unit_vec.iter().zip(&r.beams) {
            assert!(out.z > 0.9);
            close(turn.mul_vec(from_vector3(out)), beam.direction);
        }
        let matrix = |c: [f64; 9]| {
            Mat3::from_rows(
                Vec3::new(c[0], c[1], c[2]),
                Vec3::new(c[3], c[4], c[5]),
                Vec3::new(c[6], c[7], c[8]),
            )
        };
        let back = turn
            .mul_mat(&matrix(message.velocity_covar))
            .mul_mat(&turn.transpose());
        (0..3).for_each(|k| close(back.col(k), matrix(covariance).col(k)));
        assert!((message.course_gnd - libm::atan2(-0.5, 1.0)).abs() < 1e-15);
        // the twist for estimators is in S
        assert_eq!(
            dvl_twist(&r, Header::default()).unwrap().twist.twist.linear,
            vector3(r.velocity)
        );
    }
}
