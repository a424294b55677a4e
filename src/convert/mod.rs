//! Readings into messages, one function per message. The only place of ROS's quaternion order, units and
//! missing-value rules.

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

/// Frame of the world: east, north, up.
pub const WORLD_FRAME: &str = "world";

/// ROS time of a simulated instant [ns].
pub fn time(ns: u64) -> Time {
    Time::from_nanos(ns)
}

/// A header.
pub fn header(stamp_ns: u64, frame_id: &str) -> Header {
    Header {
        stamp: time(stamp_ns),
        frame_id: frame_id.to_string(),
    }
}

/// A vector.
pub fn vector3(v: Vec3) -> Vector3 {
    Vector3 {
        x: v.x,
        y: v.y,
        z: v.z,
    }
}

/// A point.
pub fn point(v: Vec3) -> Point {
    Point {
        x: v.x,
        y: v.y,
        z: v.z,
    }
}

/// (w, x, y, z) to ROS's (x, y, z, w).
pub fn quaternion(q: Quat) -> Quaternion {
    Quaternion {
        x: q.x,
        y: q.y,
        z: q.z,
        w: q.w,
    }
}

/// A vector from a message.
pub fn vec3(v: &Vector3) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

/// A quaternion from a message.
pub fn quat(q: &Quaternion) -> Quat {
    Quat {
        w: q.w,
        x: q.x,
        y: q.y,
        z: q.z,
    }
}

/// A transform.
pub fn transform(p: Vec3, q: Quat) -> geometry::Transform {
    geometry::Transform {
        translation: vector3(p),
        rotation: quaternion(q),
    }
}

/// A covariance without cross terms.
pub fn diagonal(d: [f64; 3]) -> [f64; 9] {
    [d[0], 0.0, 0.0, 0.0, d[1], 0.0, 0.0, 0.0, d[2]]
}

/// Inertial measurement; a first covariance of -1 says that there is no attitude.
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
        angular_velocity_covariance: diagonal([unless_silent(r.angular_velocity, gyro); 3]),
        linear_acceleration: vector3(r.linear_acceleration),
        linear_acceleration_covariance: diagonal(
            [unless_silent(r.linear_acceleration, accelerometer); 3],
        ),
    }
}

/// The variance of a measurement, or -1 where there is none.
fn unless_silent(measured: Vec3, variance: f64) -> f64 {
    if measured.x.is_nan() { -1.0 } else { variance }
}

/// How the frame of a DVL's message, whose z axis points where the instrument does, is turned in S, where that is -z.
pub const Q_S_DVL: Quat = Quat {
    w: 0.0,
    x: 1.0,
    y: 0.0,
    z: 0.0,
};

/// A vector of S in the frame of a DVL's message, half a turn about x.
fn half_turn(v: Vec3) -> Vec3 {
    Vec3::new(v.x, -v.y, -v.z)
}

/// DVL ping, in the frame that [`Q_S_DVL`] turns.
pub fn dvl(r: &reading::Dvl, header: Header) -> Dvl {
    let good = r.beams.iter().filter(|b| b.velocity.is_finite()).count() as u8;
    let [velocity_variance, range_variance] = r.beam_variances;
    let locked = r.lock != DvlLock::None;
    let (velocity, c) = (half_turn(r.velocity), r.covariance);
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
        beam_unit_vec: r.beams.map(|b| vector3(half_turn(b.direction))),
        range: r.beams.map(|b| b.range),
        range_covar: [range_variance as f32; 4],
        beam_quality: r
            .beams
            .map(|b| if b.velocity.is_finite() { 1.0 } else { 0.0 }),
        beam_velocity: r.beams.map(|b| b.velocity as f32),
        beam_velocity_covar: [velocity_variance as f32; 4],
    }
}

/// The same velocity for estimators, in S; none without bottom lock, because it would not be over ground.
pub fn dvl_twist(r: &reading::Dvl, header: Header) -> Option<TwistWithCovarianceStamped> {
    (r.lock == DvlLock::Bottom).then(|| {
        let mut covariance = [0.0; 36];
        for i in 0..3 {
            for j in 0..3 {
                covariance[6 * i + j] = r.covariance[3 * i + j];
            }
            // the instrument does not measure turning
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

/// Absolute pressure [Pa].
pub fn fluid_pressure(r: &reading::Pressure, header: Header) -> FluidPressure {
    FluidPressure {
        header,
        fluid_pressure: r.pressure,
        variance: r.variance,
    }
}

/// Magnetic field [T].
pub fn magnetic_field(r: &reading::Magnetometer, header: Header) -> MagneticField {
    MagneticField {
        header,
        magnetic_field: vector3(r.field),
        magnetic_field_covariance: diagonal([r.variance; 3]),
    }
}

/// Force and torque through a joint.
pub fn wrench(r: &reading::Wrench, header: Header) -> WrenchStamped {
    let wrench = geometry::Wrench {
        force: vector3(r.force),
        torque: vector3(r.torque),
    };
    WrenchStamped { header, wrench }
}

/// Echo sounder.
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

/// Ground truth: pose in the world, velocity in the child frame. A truth has no covariance; a tiny one keeps
/// estimators that invert it alive.
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

/// Battery; the current is negative while it is drawn, as the message has it. One whose protection is open counts as dead.
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

/// A tether's nodes in the world, unturned: rviz draws them as a line.
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

    // Goal: the message of a DVL says the same in its frame as the reading in S, and z of that frame is where the beams look. Method: vectors and covariance turned back by
    // the frame's own turn. Tolerance: rounding.
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
        close(turn.mul_vec(vec3(&message.velocity)), r.velocity);
        for (out, beam) in message.beam_unit_vec.iter().zip(&r.beams) {
            assert!(out.z > 0.9);
            close(turn.mul_vec(vec3(out)), beam.direction);
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
        // estimators have it in S
        assert_eq!(
            dvl_twist(&r, Header::default()).unwrap().twist.twist.linear,
            vector3(r.velocity)
        );
    }
}
